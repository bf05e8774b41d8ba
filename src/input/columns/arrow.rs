//! Arrow IPC: record batches one after the other, in a stream or a file.
//!
//! A file is a stream with an index behind it, and is read as one, so that both can come through pipes and compressed.
//! Messages are taken apart here, so that no length in them is believed before the bytes are there.

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::MessageHeader;
use arrow_ipc::convert::{MessageBuffer, try_fb_to_schema};
use arrow_ipc::reader::{RecordBatchDecoder, read_dictionary};
use arrow_schema::{ArrowError, SchemaRef};

use super::opened::{BinaryInput, BinaryRows};
use super::table::{self, RecordBatches};
use crate::input::stream::Stream;
use crate::input::{Framing, InputError};

/// What a file has before its stream, and at its very end the first six bytes of it.
const FILE_MAGIC: &[u8] = b"ARROW1\0\0";

/// What messages begin with since version 0.15.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// Most bytes that are asked for before the first of them came.
const AT_ONCE: usize = 1 << 20;

/// Times that compressed bytes can become more: what the four bytes of a block of Zstandard say at most, and those of LZ4
/// say less.
const MOST_RATIO: u64 = 1 << 15;

/// What is wrong with a stream: what was read was read.
type Reason = String;

fn why(error: &ArrowError) -> Reason {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The messages of a stream.
struct Messages {
    stream: Box<Stream>,
    is_file: bool,
    schema: Option<SchemaRef>,
    dictionaries: HashMap<i64, ArrayRef>,
    /// Whether the mark of the end was seen.
    is_closed: bool,
}

/// A record batch as it lies: what describes it, and its buffers.
type Batch = (MessageBuffer, Buffer);

impl Messages {
    /// Reads `length` bytes, without room for more than came; `None` if there is nothing any more.
    fn take(&mut self, length: usize) -> Result<Option<Buffer>, Reason> {
        let mut bytes = Vec::with_capacity(length.min(AT_ONCE));
        let read = self.stream.by_ref().take(length as u64).read_to_end(&mut bytes);
        match read.map_err(|error| error.to_string())? {
            found if found == length => Ok(Some(bytes.into())),
            0 => Ok(None),
            _ => Err(CUT_OFF.to_owned()),
        }
    }

    /// The length of the next message; `None` at the end.
    fn next_length(&mut self) -> Result<Option<i32>, Reason> {
        let Some(mut length) = self.take(4)? else { return Ok(None) };
        if *length == CONTINUATION {
            length = self.take(4)?.ok_or(CUT_OFF)?;
        }
        Ok(length.as_array::<4>().map(|bytes| i32::from_le_bytes(*bytes)))
    }

    /// The next message; `None` at the end.
    fn next(&mut self) -> Result<Option<Batch>, Reason> {
        let Some(mut length) = self.next_length()? else { return Ok(None) };
        // The start of a file is filled up with zeros.
        while length == 0 && self.is_file && self.schema.is_none() {
            length = self.next_length()?.ok_or(CUT_OFF)?;
        }
        if length == 0 {
            self.is_closed = true;
            return Ok(None);
        }
        let length = usize::try_from(length).map_err(|_| "a message of a negative length".to_owned())?;
        let head = self.take(length)?.ok_or(CUT_OFF)?;
        let head = MessageBuffer::try_new(head).map_err(|error| why(&error))?;
        let length = usize::try_from(head.as_ref().bodyLength());
        let length = length.map_err(|_| "a message of a negative length".to_owned())?;
        let body = if length == 0 { Buffer::default() } else { self.take(length)?.ok_or(CUT_OFF)? };
        Ok(Some((head, body)))
    }

    /// Reads up to the next record batch, or to the schema if that is still to come.
    fn next_batch(&mut self) -> Result<Option<Batch>, Reason> {
        while let Some((head, body)) = self.next()? {
            let message = head.as_ref();
            match message.header_type() {
                MessageHeader::Schema if self.schema.is_none() => {
                    let schema = message.header_as_schema().ok_or("a schema that is none")?;
                    if !schema.endianness().equals_to_target_endianness() {
                        return Err("its numbers are of the other byte order".to_owned());
                    }
                    self.schema = Some(Arc::new(try_fb_to_schema(schema).map_err(|error| why(&error))?));
                    return Ok(Some((head, body)));
                }
                MessageHeader::RecordBatch => {
                    check_lengths(message.header_as_record_batch(), &body)?;
                    return Ok(Some((head, body)));
                }
                MessageHeader::DictionaryBatch => {
                    let dictionary =
                        message.header_as_dictionary_batch().ok_or("a dictionary that is none")?;
                    check_lengths(dictionary.data(), &body)?;
                    let schema = self.schema.as_ref().ok_or("a dictionary before the schema")?;
                    read_dictionary(&body, dictionary, schema, &mut self.dictionaries, &message.version())
                        .map_err(|error| why(&error))?;
                }
                MessageHeader::NONE => {}
                _ => return Err("a message that is no part of a table".to_owned()),
            }
        }
        Ok(None)
    }

    /// The columns of a record batch.
    fn decode(&self, (head, body): &Batch, columns: &[usize]) -> Result<RecordBatch, Reason> {
        let message = head.as_ref();
        let batch = message.header_as_record_batch().ok_or("a record batch that is none")?;
        let schema = Arc::clone(self.schema.as_ref().ok_or("a record batch before the schema")?);
        let version = message.version();
        RecordBatchDecoder::try_new(body, batch, schema, &self.dictionaries, &version)
            .and_then(|decoder| decoder.with_projection(Some(columns)).read_record_batch())
            .map_err(|error| why(&error))
    }

    /// Reads what is behind the stream, which is the index of a file; says what is worth a warning.
    fn end(&mut self) -> Result<Option<&'static str>, Reason> {
        let (mut behind, mut last) = (0, Vec::new());
        loop {
            let kept = last.len();
            let read = self.stream.by_ref().take(AT_ONCE as u64).read_to_end(&mut last);
            if read.map_err(|error| error.to_string())? == 0 {
                break;
            }
            behind += last.len() - kept;
            last.drain(..last.len().saturating_sub(FILE_MAGIC.len()));
        }
        if self.is_file {
            // Its index is not needed, but a file without it is cut off.
            return if last.ends_with(b"ARROW1") { Ok(None) } else { Err(CUT_OFF.to_owned()) };
        }
        if behind > 0 {
            return Err(format!("{behind} bytes behind the end of the stream, which are not read"));
        }
        Ok((!self.is_closed).then_some("the stream ends without the mark of its end; was it cut off?"))
    }
}

const CUT_OFF: &str = "the data ends too early (truncated file?)";

/// Whether buffers lie in the body, which is taken for granted behind this, and compressed ones can become as long as
/// they say: room is made for that before they do.
fn check_lengths(batch: Option<arrow_ipc::RecordBatch<'_>>, body: &[u8]) -> Result<(), Reason> {
    let Some(batch) = batch else { return Err("a record batch that is none".to_owned()) };
    let is_compressed = batch.compression().is_some();
    for buffer in batch.buffers().into_iter().flatten() {
        let range = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let bytes = range.and_then(|(start, length)| body.get(start..start.checked_add(length)?));
        let bytes = bytes.ok_or("a buffer that is not in its message")?;
        // A length below 0 says that they are not compressed.
        let promised = bytes.first_chunk::<8>().map_or(0, |bytes| i64::from_le_bytes(*bytes));
        let promised = u64::try_from(promised).unwrap_or(0);
        if is_compressed && promised / MOST_RATIO > bytes.len() as u64 {
            return Err(format!("{} bytes cannot become {promised}", bytes.len()));
        }
    }
    Ok(())
}

/// Opens a stream or a file and finds its columns.
pub(super) fn open(input: BinaryInput<'_>) -> Result<BinaryRows, InputError> {
    let (name, options) = (input.name, input.options);
    let mut stream = input.into_stream();
    let unreadable = |what: String| InputError::Unreadable { name: name.to_owned(), what };
    let failed = |source| InputError::Read { name: name.to_owned(), offset: 0, source };
    let is_file = stream.start().starts_with(FILE_MAGIC);
    if is_file {
        stream.read_exact(&mut [0; FILE_MAGIC.len()]).map_err(failed)?;
    }
    let mut messages =
        Messages { stream, is_file, schema: None, dictionaries: HashMap::new(), is_closed: false };
    let no_arrow = |messages: &mut Messages, reason: String| {
        let failure = messages.stream.take_failure(name);
        failure.unwrap_or_else(|| unreadable(format!("is no Arrow IPC that can be read: {reason}")))
    };
    if let Err(reason) = messages.next_batch() {
        return Err(no_arrow(&mut messages, reason));
    }
    let Some(schema) = messages.schema.clone() else {
        return Err(no_arrow(&mut messages, "it has no schema".to_owned()));
    };
    let batches =
        Batches { name: name.to_owned(), messages, ahead: None, columns: Vec::new(), number: 0, note: None };
    table::open(name, Framing::Arrow, &schema, options, batches)
}

/// The record batches of a stream.
struct Batches {
    name: String,
    messages: Messages,
    /// The next one, if it was looked at.
    ahead: Option<Batch>,
    columns: Vec<usize>,
    /// Batches that were read.
    number: u64,
    note: Option<&'static str>,
}

impl RecordBatches for Batches {
    fn look(&mut self, columns: &[usize]) -> Result<Vec<ArrayRef>, InputError> {
        // The first batch is kept, since a stream has it once.
        self.ahead = self.messages.next_batch().map_err(|reason| self.damaged(reason))?;
        let Some(batch) = &self.ahead else { return Ok(Vec::new()) };
        let batch = self.messages.decode(batch, columns).map_err(|reason| self.damaged(reason))?;
        Ok(batch.columns().to_vec())
    }

    fn choose(&mut self, columns: Vec<usize>) {
        self.columns = columns;
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, InputError> {
        if self.ahead.is_none() && !self.messages.is_closed {
            self.ahead = self.messages.next_batch().map_err(|reason| self.damaged(reason))?;
        }
        let Some(batch) = self.ahead.take() else {
            self.note = self.messages.end().map_err(|reason| self.damaged(reason))?;
            return Ok(None);
        };
        let batch = self.messages.decode(&batch, &self.columns).map_err(|reason| self.damaged(reason))?;
        self.number += 1;
        Ok(Some(batch))
    }

    fn damaged(&mut self, reason: String) -> InputError {
        let failure = self.messages.stream.take_failure(&self.name);
        failure.unwrap_or_else(|| InputError::DamagedTable {
            name: self.name.clone(),
            format: "Arrow IPC",
            place: format!("record batch {}", self.number + 1),
            reason,
        })
    }

    fn raw_position(&self) -> u64 {
        self.messages.stream.raw_position()
    }

    fn note(&self) -> Option<&'static str> {
        self.note
    }
}
#[cfg(test)]
mod tests {
    use arrow_array::types::Int8Type;
    use arrow_array::{BinaryViewArray, DictionaryArray, Int64Array, StringArray};
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};

    use super::super::testing::arrow::{CLAIMS, PUZZLES, batch_of, expected, texts};
    use super::super::testing::{drain, open_file, open_pipe, read_file, read_pipe};
    use super::*;
    use crate::input::{Hash, ReadOptions};

    fn write(batches: &[RecordBatch], file: bool, compression: Option<CompressionType>) -> Vec<u8> {
        let options = IpcWriteOptions::default().try_with_compression(compression).expect("a known one");
        let (mut bytes, schema) = (Vec::new(), batches[0].schema());
        if file {
            let mut writer =
                FileWriter::try_new_with_options(&mut bytes, &schema, options).expect("memory takes it");
            for batch in batches {
                writer.write(batch).expect("memory takes it");
            }
            writer.finish().expect("memory takes it");
        } else {
            let mut writer =
                StreamWriter::try_new_with_options(&mut bytes, &schema, options).expect("memory takes it");
            for batch in batches {
                writer.write(batch).expect("memory takes it");
            }
            writer.finish().expect("memory takes it");
        }
        bytes
    }

    /// 50 rows in three batches.
    fn batches() -> Vec<RecordBatch> {
        let remark = |row: usize| (row > 20).then(|| "x".repeat(1000 * row));
        let batch = batch_of(&[
            ("id", Arc::new(Int64Array::from_iter_values(0..50))),
            ("Puzzle", texts(PUZZLES, 50)),
            ("solution", texts(CLAIMS, 50)),
            ("remark", Arc::new((0..50).map(remark).collect::<StringArray>())),
        ]);
        [(0, 20), (20, 1), (21, 29)].map(|(first, rows)| batch.slice(first, rows)).into()
    }

    #[test]
    fn streams_and_files_give_the_same_rows_whole_or_through_a_pipe() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.arrow");
        for file in [false, true] {
            for compression in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
                let bytes = write(&batches(), file, compression);
                std::fs::write(&path, &bytes).expect("a temporary file");
                let packed = zstd::encode_all(&*bytes, 1).expect("memory takes it");
                for target in [1, 7 * 81, 1 << 20] {
                    let whole =
                        read_file(&path, &ReadOptions { hash: true, ..ReadOptions::default() }, target);
                    let whole = whole.expect("a column");
                    assert_eq!((&whole.error, &whole.notes), (&None, &Vec::new()));
                    assert_eq!((&whole.puzzles, &whole.claims), (&expected(50).0, &expected(50).1));
                    assert_eq!(whole.seen, (bytes.len() as u64, true));
                    assert_eq!((&whole.columns.puzzle, &whole.columns.claim), (&Some(1..2), &Some(2..3)));
                    for bytes in [&bytes, &packed] {
                        let piped = read_pipe(bytes, target).expect("a column");
                        assert_eq!((piped.puzzles, piped.claims, piped.error), {
                            (whole.puzzles.clone(), whole.claims.clone(), None)
                        });
                    }
                }
            }
        }
    }

    #[test]
    fn columns_are_carried_along_whatever_the_blocks() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.arrow");
        std::fs::write(&path, write(&batches(), true, None)).expect("a temporary file");
        for target in [1, 60_000, 1 << 20] {
            let hash = Hash::new(false);
            let opened = open_file(&path, &ReadOptions::default(), &hash).expect("a column");
            assert_eq!(opened.columns.names, ["id", "Puzzle", "solution", "remark"]);
            let reading = drain(opened, target, &[Some(3), None, Some(0)], &hash);
            let [remarks, none, ids] = &*reading.carried else { panic!("three columns are carried") };
            for row in 0..50 {
                assert_eq!(remarks.get(row).map(<[u8]>::len), (row > 20).then_some(1000 * row));
                assert_eq!((none.get(row), ids.get(row)), (None, Some(row.to_string().as_bytes())));
            }
        }
        // Long texts make short blocks.
        let mut opened = open_file(&path, &ReadOptions::default(), &Hash::new(false)).expect("a column");
        opened.rows.carry(&[Some(3)]);
        let block = |_| opened.rows.next(60_000).expect("whole").map(|block| block.rows);
        assert_eq!((0..4).map(block).collect::<Vec<_>>(), [Some(20), Some(1), Some(2), Some(2)]);
    }

    #[test]
    fn dictionaries_and_views_are_read() {
        let all = || PUZZLES.into_iter().cycle().take(20);
        let columns: [ArrayRef; 2] = [
            Arc::new(all().collect::<DictionaryArray<Int8Type>>()),
            Arc::new(all().collect::<BinaryViewArray>()),
        ];
        for column in columns {
            let batch = batch_of(&[("a", column)]);
            for file in [false, true] {
                let bytes = write(std::slice::from_ref(&batch), file, Some(CompressionType::LZ4_FRAME));
                assert_eq!(read_pipe(&bytes, 500).expect("a column").puzzles, expected(20).0);
            }
        }
    }

    #[test]
    fn what_is_cut_off_is_told_and_keeps_the_batches_before() {
        for file in [false, true] {
            let bytes = write(&batches(), file, Some(CompressionType::ZSTD));
            for cut in (8..bytes.len()).step_by(97).chain([bytes.len() - 1, bytes.len() - 8]) {
                let Ok(reading) = read_pipe(&bytes[..cut], 500) else { continue };
                assert!([0, 20, 21, 50].contains(&reading.puzzles.len()), "{cut}");
                assert_eq!(reading.puzzles, expected(reading.puzzles.len()).0);
                let told =
                    reading.error.is_some() || reading.notes.iter().any(|note| note.contains("cut off"));
                assert!(told, "{cut} of {}", bytes.len());
            }
        }
        let twice = write(&batches(), false, None).repeat(2);
        let reading = read_pipe(&twice, 500).expect("a column");
        assert_eq!(reading.puzzles.len(), 50);
        assert!(reading.error.expect("more").contains("behind the end of the stream"));
    }

    /// No byte of a file makes the program fail, and no length in it is believed.
    #[test]
    fn changed_bytes_end_in_an_error_or_in_rows() {
        for compression in [None, Some(CompressionType::LZ4_FRAME)] {
            let bytes = write(&[batches().remove(0).slice(0, 3)], false, compression);
            for at in (4..bytes.len()).step_by(3) {
                for byte in [0, 0x7f, 0xff] {
                    let (mut bytes, hash) = (bytes.clone(), Hash::new(false));
                    bytes[at] = byte;
                    if let Ok(opened) = open_pipe(&bytes, &hash) {
                        drain(opened, 5000, &[Some(0), Some(1), Some(2)], &hash);
                    }
                }
            }
        }
    }
}
