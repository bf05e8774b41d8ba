//! The rows of a comma-separated table with a header, as fields and nothing more.
//!
//! For tables whose columns mean something to the caller, above all this program's own results. One
//! thread cuts ([`TableReader::next_chunk`]), any thread splits ([`TableChunk::for_each`]). Rows end and
//! quotes close as in every table of text: a quote that is never closed costs one row.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::{memchr, memchr_iter};

use super::blocks::{Blocks, TextBlock};
use super::columns::Binary;
use super::file::{OpenedInput, shown_name, shrunk};
use super::reader::TextEnd;
use super::stream::{Raw, SeenText, Stream};
use super::text::fields::Splitter;
use super::text::table;
use super::{Hash, InputError, magic};

const SEPARATOR: u8 = b',';

/// Bytes that are read to find the header.
const LOOK: usize = 4 << 10;

/// One table, opened, of which the header is known.
pub struct TableReader {
    name: String,
    blocks: Blocks,
    is_compressed: bool,
    /// Blocks with something like a row.
    found: Arc<AtomicU64>,
    /// Bytes of the file, if that is known.
    size: Option<u64>,
    /// Bytes that are to come, if that is known.
    expected: Option<u64>,
    header: Vec<String>,
    /// Line on which the next chunk starts.
    line: u64,
    ended: bool,
}

/// Some whole rows of a table.
#[derive(Clone, Debug)]
pub struct TableChunk {
    /// The text; give it back to [`TableReader::next_chunk`] to use it again.
    pub bytes: Vec<u8>,
    /// Line of the table on which `bytes` starts, counted from 1.
    pub first_line: u64,
    /// Columns of the table.
    columns: usize,
}

impl std::fmt::Debug for TableReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableReader")
            .field("name", &self.name)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

impl TableReader {
    /// Opens a file, plain, gzip or zstd, or standard input as `-`; what is read of it goes through `hash`. For
    /// `trust_compressed` see [`ReadOptions`](super::ReadOptions::trust_compressed).
    ///
    /// # Errors
    ///
    /// When it cannot be opened, its start cannot be read, or it is of a kind that is not read.
    pub fn open(path: &Path, hash: &Hash, trust_compressed: bool) -> Result<Self, InputError> {
        let OpenedInput { raw, size, expected, .. } = OpenedInput::new(path)?;
        Ok(Self { size, expected, ..Self::start(&shown_name(path), raw, hash, trust_compressed)? })
    }

    /// Reads from anything that gives bytes; `name` is for messages.
    ///
    /// # Errors
    ///
    /// As [`TableReader::open`].
    pub fn from_reader(
        name: &str,
        reader: impl Read + Send + 'static,
        hash: &Hash,
    ) -> Result<Self, InputError> {
        Self::start(name, Raw::of(reader), hash, false)
    }

    fn start(name: &str, raw: Raw, hash: &Hash, trust_compressed: bool) -> Result<Self, InputError> {
        let mut stream = Stream::new(raw, hash, trust_compressed).map_err(|source| InputError::Read {
            name: name.to_owned(),
            offset: 0,
            source,
        })?;
        // What ends the lines may not be known yet when an input pauses.
        while let (bytes, SeenText::Pause) = stream.look(LOOK)
            && memchr(b'\n', bytes).is_none()
        {}
        let (compression, is_compressed) = (stream.compression(), stream.is_compressed());
        let (start, _) = stream.look(0);
        if let Some(binary) = Binary::of(start) {
            return Err(InputError::Foreign {
                name: name.to_owned(),
                what: format!("{} data", binary.framing().word()),
                advice: "tables of results are read as CSV: write them as that".to_owned(),
            });
        }
        if let Some(error) = magic::refusal(name, start, compression) {
            return Err(error);
        }
        let found = Arc::default();
        let mut table = Self {
            name: name.to_owned(),
            blocks: Blocks::new(stream, table::plain(SEPARATOR), &found),
            is_compressed,
            found,
            size: None,
            expected: None,
            header: Vec::new(),
            line: 1,
            ended: false,
        };
        table.read_header()?;
        Ok(table)
    }

    /// Reads the header.
    fn read_header(&mut self) -> Result<(), InputError> {
        let Some(chunk) = self.next_chunk(Vec::new(), LOOK)? else { return Ok(()) };
        let mut splitter = Splitter::new(SEPARATOR);
        let Some(row) = splitter.split(&chunk.bytes, TextEnd::Last) else { return Ok(()) };
        if row.unclosed.is_none() {
            let texts = splitter.fields().iter().map(|field| field.text(&chunk.bytes));
            self.header = texts.map(|name| String::from_utf8_lossy(name.trim_ascii()).into_owned()).collect();
        }
        self.blocks.take_back(&chunk.bytes[row.length..]);
        self.line = 1 + row.lines;
        Ok(())
    }

    /// Names of the columns; empty if there is not even a header.
    #[must_use]
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// Bytes of the file, compressed if it is; `None` for what has no size.
    #[must_use]
    pub const fn size(&self) -> Option<u64> {
        self.size
    }

    /// Whether it is compressed, so that there is more text than the file has bytes.
    #[must_use]
    pub const fn is_compressed(&self) -> bool {
        self.is_compressed
    }

    /// Bytes of the file or stream taken in so far, compressed if it is.
    #[must_use]
    pub fn raw_position(&self) -> u64 {
        self.blocks.raw_position()
    }

    /// Reads the next chunk of whole rows, about `target` bytes; `None` at the end.
    ///
    /// A chunk is larger only if its first row is. `buffer` is used again, whatever is in it.
    ///
    /// # Errors
    ///
    /// When the table cannot be read on or is damaged. The rows before that were handed out; the
    /// next call gives `None`.
    pub fn next_chunk(
        &mut self,
        mut buffer: Vec<u8>,
        target: usize,
    ) -> Result<Option<TableChunk>, InputError> {
        while !self.ended {
            let block = self.blocks.next(buffer, target, &self.name).inspect_err(|_| self.ended = true)?;
            let Some(TextBlock { bytes, .. }) = block else {
                self.ended = true;
                let failure = self.blocks.take_failure(&self.name);
                let came = self.blocks.raw_position();
                return failure.or_else(|| shrunk(&self.name, self.expected, came)).map_or(Ok(None), Err);
            };
            // A row of results has several fields, so what has none is no row.
            self.found.fetch_add(u64::from(memchr(SEPARATOR, &bytes).is_some()), Ordering::Relaxed);
            if !bytes.is_empty() {
                let first_line = self.line;
                self.line += memchr_iter(b'\n', &bytes).count() as u64;
                return Ok(Some(TableChunk { bytes, first_line, columns: self.header.len() }));
            }
            buffer = bytes;
        }
        Ok(None)
    }
}

impl TableChunk {
    /// Splits the rows, in order: calls back with the line of each, its fields, unquoted, and their number; `None`
    /// instead of the fields if a quote is not closed. Of a row with more fields than the table has columns the others
    /// are not among them. Blank lines are no rows.
    pub fn for_each(&self, mut each: impl FnMut(u64, Option<&[&[u8]]>, usize)) {
        let mut splitter = Splitter::new(SEPARATOR).keeping(self.columns);
        let mut fields = Vec::new();
        let (mut rest, mut line) = (&self.bytes[..], self.first_line);
        while let Some(row) = splitter.split(rest, TextEnd::Last) {
            let (text, behind) = rest.split_at(row.length);
            if row.unclosed.is_some() {
                each(line, None, splitter.count());
            } else if !text.trim_ascii().is_empty() {
                fields.clear();
                fields.extend(splitter.fields().iter().map_while(|field| field.plain_text(text)));
                if fields.len() == splitter.fields().len() {
                    each(line, Some(&fields), splitter.count());
                } else {
                    let texts: Vec<_> = splitter.fields().iter().map(|field| field.text(text)).collect();
                    each(line, Some(&texts.iter().map(AsRef::as_ref).collect::<Vec<_>>()), splitter.count());
                }
            }
            rest = behind;
            line += row.lines;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Rows = Vec<(u64, Option<Vec<String>>)>;

    fn read(text: &[u8], target: usize) -> (Vec<String>, Rows) {
        let mut table =
            TableReader::from_reader("t.csv", std::io::Cursor::new(text.to_vec()), &Hash::new(false))
                .unwrap();
        let mut rows = Vec::new();
        let mut buffer = Vec::new();
        while let Some(chunk) = table.next_chunk(buffer, target).unwrap() {
            chunk.for_each(|line, fields, _| {
                let text = |field: &&[u8]| String::from_utf8_lossy(field).into_owned();
                rows.push((line, fields.map(|fields| fields.iter().map(text).collect())));
            });
            buffer = chunk.bytes;
        }
        (table.header().to_vec(), rows)
    }

    fn fields(fields: &[&str]) -> Vec<String> {
        fields.iter().map(|&field| field.to_owned()).collect()
    }

    #[test]
    fn rows_with_their_lines_whatever_the_size_of_the_chunks() {
        let text = b"\xef\xbb\xbfid, name ,x\r\n1,\"a \"\"b\"\",\nc\",3\r\n\n2,,\n3\n4,\"open,5\n6,7,8";
        for target in 1..70 {
            let (header, rows) = read(text, target);
            assert_eq!(header, ["id", "name", "x"]);
            let expected = [
                (2, Some(fields(&["1", "a \"b\",\nc", "3"]))),
                (5, Some(fields(&["2", "", ""]))),
                (6, Some(fields(&["3"]))),
                (7, None),
                (8, Some(fields(&["6", "7", "8"]))),
            ];
            assert_eq!(rows, expected, "chunks of {target}");
        }
    }

    #[test]
    fn nothing_and_a_header_alone() {
        assert_eq!(read(b"", 10), (Vec::new(), Vec::new()));
        assert_eq!(read(b"a,b", 10), (vec!["a".to_owned(), "b".to_owned()], Vec::new()));
    }

    #[test]
    fn text_of_other_systems_is_read() {
        let expected = read(b"id,puzzle\n1,2\n", 10);
        let utf_16: Vec<u8> = "id,puzzle\r\n1,2\r\n\x1a".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for text in [&utf_16[..], b"id,puzzle\r1,2\r", b"id,puzzle\n1,2\n\x1a\x1a"] {
            assert_eq!(read(text, 10), expected, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn damage_comes_after_the_rows_before_it() {
        let mut bytes = zstd::encode_all(&b"a,b\n1,2\n3,4\n"[..], 0).unwrap();
        bytes.extend_from_slice(b"\x28\xb5\x2f\xfdgarbage");
        let mut table =
            TableReader::from_reader("t.csv", std::io::Cursor::new(bytes), &Hash::new(false)).unwrap();
        let mut rows = 0;
        let error = loop {
            match table.next_chunk(Vec::new(), 1 << 20) {
                Ok(Some(chunk)) => chunk.for_each(|_, _, _| rows += 1),
                Ok(None) => panic!("the damage is not told"),
                Err(error) => break error,
            }
        };
        assert_eq!(rows, 2);
        assert!(matches!(error, InputError::Damaged { .. }), "{error}");
        assert!(table.next_chunk(Vec::new(), 1 << 20).unwrap().is_none());
    }

    #[test]
    fn a_table_that_shrinks_is_said_to_have_shrunk() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = format!("a,b\n{}", "1,2\n".repeat(1 << 20));
        std::fs::write(file.path(), &text).unwrap();
        let mut table = TableReader::open(file.path(), &Hash::new(false), false).unwrap();
        assert_eq!(table.size(), Some(text.len() as u64));
        file.as_file().set_len(text.len() as u64 - 4).unwrap();
        let mut rows = 0;
        let error = loop {
            match table.next_chunk(Vec::new(), 1 << 20) {
                Ok(Some(chunk)) => chunk.for_each(|_, _, _| rows += 1),
                Ok(None) => panic!("nothing is said"),
                Err(error) => break error,
            }
        };
        assert_eq!(rows, (1 << 20) - 1);
        assert!(matches!(error, InputError::Changed { .. }), "{error}");
    }
}
