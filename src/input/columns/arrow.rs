//! Arrow IPC: a sequence of record batches in a stream or a file.
//!
//! A file is a stream followed by an index. It is read as a stream, so both can be piped and compressed. Messages are
//! parsed here, so that no length in a message is trusted before its bytes have arrived.

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::MessageHeader;
use arrow_ipc::convert::{MessageBuffer, try_fb_to_schema};
use arrow_ipc::reader::{RecordBatchDecoder, read_dictionary};
use arrow_schema::SchemaRef;

use super::table::{self, Reason, RecordBatches};
use super::{BinaryInput, BinaryRows};
use crate::input::stream::Stream;
use crate::input::{Framing, InputError, MAX_LINE};

/// The magic bytes before the stream in a file. The first six of them also end the file.
const FILE_MAGIC: &[u8] = b"ARROW1\0\0";

/// The highest plausible compression ratio: the largest that the four bytes of a Zstandard block can express. LZ4
/// allows less.
const MOST_RATIO: u64 = 1 << 15;

const CUT_OFF: &str = "the data ends too early (truncated file?)";

/// A raw message: its description and its buffers.
type Message = (MessageBuffer, Buffer);

/// The record batches of a stream, read one after another.
struct Batches {
    stream: Box<Stream>,
    is_file: bool,
    schema: Option<SchemaRef>,
    dictionaries: HashMap<i64, ArrayRef>,
    /// Whether the end marker has been read.
    is_closed: bool,
    /// The next message, if it was read ahead of time.
    ahead: Option<Message>,
    /// The number of batches read so far.
    number: u64,
    note: Option<&'static str>,
}

/// Opens a stream or file and finds its columns.
pub(super) fn open(input: BinaryInput<'_>) -> Result<BinaryRows, InputError> {
    let (name, options) = (input.name, input.options);
    let mut stream = input.into_stream();
    let is_file = stream.start().starts_with(FILE_MAGIC);
    let mut batches = Batches {
        stream,
        is_file,
        schema: None,
        dictionaries: HashMap::new(),
        is_closed: false,
        ahead: None,
        number: 0,
        note: None,
    };
    let schema = batches.start().map_err(|Reason(reason)| {
        let what = format!("is not readable Arrow IPC: {reason}");
        batches.failure(name).unwrap_or_else(|| InputError::Unreadable { name: name.to_owned(), what })
    })?;
    table::open(name, Framing::Arrow, &schema, options, batches, |batches| {
        // Keep the first batch, because a stream delivers it only once.
        batches.ahead = batches.next_batch()?;
        let Some(message) = &batches.ahead else { return Ok(None) };
        batches.decode(message, None).map(Some)
    })
}

impl Batches {
    /// Reads up to and including the schema.
    fn start(&mut self) -> Result<SchemaRef, Reason> {
        if self.is_file {
            self.stream.read_exact(&mut [0; FILE_MAGIC.len()])?;
        }
        self.next_batch()?;
        Ok(Arc::clone(self.schema.as_ref().ok_or("it has no schema")?))
    }

    /// Reads `length` bytes, allocating no more memory than has arrived; `None` if there are no more bytes.
    fn take(&mut self, length: usize) -> Result<Option<Buffer>, Reason> {
        let mut bytes = Vec::with_capacity(length.min(MAX_LINE));
        match self.stream.by_ref().take(length as u64).read_to_end(&mut bytes)? {
            found if found == length => Ok(Some(bytes.into())),
            0 => Ok(None),
            _ => Err(CUT_OFF.into()),
        }
    }

    /// Returns the next message; `None` at the end.
    fn message(&mut self) -> Result<Option<Message>, Reason> {
        let length = loop {
            let Some(word) = self.take(4)? else { return Ok(None) };
            match word.as_array::<4>().map_or(0, |word| i32::from_le_bytes(*word)) {
                // Since version 0.15, messages have begun with this marker.
                -1 => {}
                // The start of a file is padded with zeros.
                0 if self.is_file && self.schema.is_none() => {}
                0 => {
                    self.is_closed = true;
                    return Ok(None);
                }
                length => break usize::try_from(length)?,
            }
        };
        let head = MessageBuffer::try_new(self.take(length)?.ok_or(CUT_OFF)?)?;
        let length = usize::try_from(head.as_ref().bodyLength())?;
        let body = if length == 0 { Buffer::default() } else { self.take(length)?.ok_or(CUT_OFF)? };
        Ok(Some((head, body)))
    }

    /// Reads up to the next record batch, or to the schema if it has not been read yet.
    fn next_batch(&mut self) -> Result<Option<Message>, Reason> {
        while let Some((head, body)) = self.message()? {
            let message = head.as_ref();
            match message.header_type() {
                MessageHeader::Schema if self.schema.is_none() => {
                    let schema = message.header_as_schema().ok_or("an invalid schema")?;
                    if !schema.endianness().equals_to_target_endianness() {
                        return Err("its numbers have the other byte order".into());
                    }
                    self.schema = Some(Arc::new(try_fb_to_schema(schema)?));
                    return Ok(None);
                }
                MessageHeader::RecordBatch => {
                    check_lengths(message.header_as_record_batch(), &body)?;
                    return Ok(Some((head, body)));
                }
                MessageHeader::DictionaryBatch => {
                    let dictionary = message.header_as_dictionary_batch().ok_or("an invalid dictionary")?;
                    check_lengths(dictionary.data(), &body)?;
                    let schema = self.schema.as_ref().ok_or("a dictionary before the schema")?;
                    read_dictionary(&body, dictionary, schema, &mut self.dictionaries, &message.version())?;
                }
                MessageHeader::NONE => {}
                _ => return Err("a message that is not part of a table".into()),
            }
        }
        Ok(None)
    }

    /// Decodes the given columns of a record batch, or all of them.
    fn decode(&self, (head, body): &Message, columns: Option<&[usize]>) -> Result<RecordBatch, Reason> {
        let message = head.as_ref();
        let batch = message.header_as_record_batch().ok_or("an invalid record batch")?;
        let schema = Arc::clone(self.schema.as_ref().ok_or("a record batch before the schema")?);
        let version = message.version();
        let decoder = RecordBatchDecoder::try_new(body, batch, schema, &self.dictionaries, &version)?;
        Ok(decoder.with_projection(columns).read_record_batch()?)
    }

    /// Reads whatever follows the stream, which in a file is the index; returns a warning, if any.
    fn end(&mut self) -> Result<Option<&'static str>, Reason> {
        let (mut last, mut read) = (Vec::new(), 1);
        while read > 0 {
            last.drain(..last.len().saturating_sub(FILE_MAGIC.len()));
            read = self.stream.by_ref().take(MAX_LINE as u64).read_to_end(&mut last)?;
        }
        if self.is_file {
            // The index is not needed, but a file without one has been cut off.
            return if last.ends_with(b"ARROW1") { Ok(None) } else { Err(CUT_OFF.into()) };
        }
        if !last.is_empty() {
            return Err("bytes after the end of the stream were not read".into());
        }
        Ok((!self.is_closed).then_some("the stream has no end marker; was it cut off?"))
    }
}

/// Checks that the buffers lie within the body, because later code assumes it. Also checks the uncompressed lengths
/// that compressed buffers state, because that much memory is allocated up front.
fn check_lengths(batch: Option<arrow_ipc::RecordBatch<'_>>, body: &[u8]) -> Result<(), Reason> {
    let batch = batch.ok_or("an invalid record batch")?;
    let is_compressed = batch.compression().is_some();
    for buffer in batch.buffers().into_iter().flatten() {
        let range = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let bytes = range.and_then(|(start, length)| body.get(start..start.checked_add(length)?));
        let bytes = bytes.ok_or("a buffer outside its message")?;
        // A negative length marks an uncompressed buffer.
        let promised = bytes.first_chunk::<8>().map_or(0, |bytes| i64::from_le_bytes(*bytes));
        let promised = u64::try_from(promised).unwrap_or(0);
        if is_compressed && promised / MOST_RATIO > bytes.len() as u64 {
            return Err(format!("{} bytes cannot become {promised}", bytes.len()).into());
        }
    }
    Ok(())
}

impl RecordBatches for Batches {
    fn next(&mut self, columns: &[usize]) -> Result<Option<RecordBatch>, Reason> {
        if self.ahead.is_none() && !self.is_closed {
            self.ahead = self.next_batch()?;
        }
        let Some(message) = self.ahead.take() else {
            self.note = self.end()?;
            return Ok(None);
        };
        let batch = self.decode(&message, Some(columns))?;
        self.number += 1;
        Ok(Some(batch))
    }

    fn failure(&mut self, name: &str) -> Option<InputError> {
        self.stream.take_failure(name)
    }

    fn place(&self) -> (&'static str, String) {
        ("Arrow IPC", format!("record batch {}", self.number + 1))
    }

    fn raw_position(&self) -> u64 {
        self.stream.raw_position()
    }

    fn note(&self) -> Option<&'static str> {
        self.note
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use arrow_array::StringArray;

    use super::super::testing::*;
    use super::*;
    use crate::input::Source;

    fn open_pipe(bytes: Vec<u8>) -> Result<Source, InputError> {
        Source::from_reader("t", Cursor::new(bytes), &hashing())
    }

    #[test]
    fn long_texts_make_short_blocks_and_nothing_follows_a_stream() {
        let remarks: ArrayRef = Arc::new(StringArray::from_iter_values((0..50).map(|_| "x".repeat(50_000))));
        let table = [("puzzle", texts(PUZZLES, 50)), ("solution", texts(CLAIMS, 50)), ("remark", remarks)];
        let bytes = ipc(&batch_of(&table));
        let mut source = open_pipe(bytes.clone()).expect("a column");
        source.carry(&[Some(2)]);
        let mut rows =
            || source.next_batch(Vec::new(), 110_000).expect("whole").map(|batch| batch.size() / 81);
        assert_eq!([rows(), rows()], [Some(2), Some(2)]);
        let lines = drain(open_pipe(bytes.repeat(2)), 500);
        assert_eq!((&lines[..50], lines.len()), (&*expected(50), 51));
        assert!(lines[50].contains("after the end of the stream"), "{}", lines[50]);
    }
}
