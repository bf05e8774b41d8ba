//! The fields of a comma-separated table with a header, for callers that know its columns: above all this program's own
//! results.
//!
//! One thread cuts ([`TableReader::next_chunk`]), any thread splits ([`TableChunk::for_each`]). Rows end and quotes
//! close as in every table of text: a quote that is never closed costs one row.

use std::io::Read;
use std::path::Path;
use std::sync::atomic::Ordering;

use memchr::{memchr, memchr_iter};

use super::reader::TextEnd;
use super::text::fields::Splitter;
use super::{Dialect, Framing, InputError, ReadOptions, Source};

const SEPARATOR: u8 = b',';

/// One table, opened, of which the header is known.
#[derive(Debug)]
pub struct TableReader {
    source: Source,
    header: Vec<String>,
    /// What was read with the header and is not handed out yet.
    behind_header: Option<TableChunk>,
    /// Line on which the next chunk starts.
    line: u64,
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

impl TableReader {
    /// Opens a file, plain, gzip or zstd, or standard input as `-`. Of `options` those count that say how bytes are read.
    ///
    /// # Errors
    ///
    /// When it cannot be opened, its start cannot be read, or it is of a kind that is not read.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self, InputError> {
        Self::start(Source::open(path, &as_rows(options)))
    }

    /// Reads from anything that gives bytes; `name` is for messages.
    ///
    /// # Errors
    ///
    /// As [`TableReader::open`].
    pub fn from_reader(
        name: &str,
        reader: impl Read + Send + 'static,
        options: &ReadOptions,
    ) -> Result<Self, InputError> {
        Self::start(Source::from_reader(name, reader, &as_rows(options)))
    }

    /// Reads the header.
    fn start(source: Result<Source, InputError>) -> Result<Self, InputError> {
        let source = source.map_err(|error| match error {
            InputError::Unreadable { name, what } => {
                let advice = "tables of results are read as CSV: write them as that".to_owned();
                InputError::Foreign { name, what, advice }
            }
            other => other,
        })?;
        let mut table = Self { source, header: Vec::new(), behind_header: None, line: 1 };
        let mut splitter = Splitter::new(SEPARATOR);
        if let Some(mut chunk) = table.next_chunk(Vec::new(), 1)?
            && let Some(row) = splitter.split(&chunk.bytes, TextEnd::Last)
        {
            if row.unclosed.is_none() {
                let name = |name: Vec<u8>| String::from_utf8_lossy(name.trim_ascii()).into_owned();
                table.header = splitter.texts(&chunk.bytes).into_iter().map(name).collect();
            }
            chunk.bytes.drain(..row.length);
            let (first_line, columns) = (1 + row.lines, table.header.len());
            table.behind_header = Some(TableChunk { first_line, columns, ..chunk });
        }
        Ok(table)
    }

    /// Names of the columns; empty if there is not even a header.
    #[must_use]
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// What its rows come from: size, hash and how far it is read.
    #[must_use]
    pub const fn source(&self) -> &Source {
        &self.source
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
        if let Some(chunk) = self.behind_header.take() {
            return Ok(Some(chunk));
        }
        while let Some(batch) = self.source.next_batch(buffer, target)? {
            // A row of results has several fields, so what has none is no row.
            batch.found.fetch_add(memchr(SEPARATOR, &batch.bytes).is_some().into(), Ordering::Relaxed);
            let (bytes, first_line) = (batch.bytes, self.line);
            if !bytes.is_empty() {
                self.line += memchr_iter(b'\n', &bytes).count() as u64;
                return Ok(Some(TableChunk { bytes, first_line, columns: self.header.len() }));
            }
            buffer = bytes;
        }
        Ok(None)
    }
}

/// The options with which each row is read, and the header is one.
fn as_rows(options: &ReadOptions) -> ReadOptions {
    let (separator, puzzle) = (Some(SEPARATOR.into()), Some(1..=1));
    let rows = Dialect { separator, above: Some(0), puzzle, zeros: Some(false), ..Dialect::of(Framing::Csv) };
    ReadOptions { format: Some(rows), puzzle_column: None, solution_column: None, ..options.clone() }
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

    /// The header of a table, and `line: fields` of its rows, read in chunks of about so many bytes.
    fn read(text: &[u8], target: usize) -> (Vec<String>, Vec<String>) {
        let bytes = std::io::Cursor::new(text.to_vec());
        let mut table = TableReader::from_reader("t.csv", bytes, &ReadOptions::default()).unwrap();
        let (mut rows, mut buffer) = (Vec::new(), Vec::new());
        while let Some(chunk) = table.next_chunk(buffer, target).unwrap() {
            chunk.for_each(|line, fields, count| {
                let text = fields.map(|fields| fields.join(&b'|').escape_ascii().to_string());
                rows.push(format!("{line}: {} ({count})", text.as_deref().unwrap_or("open")));
            });
            buffer = chunk.bytes;
        }
        (table.header().to_vec(), rows)
    }

    #[test]
    fn rows_with_their_lines_whatever_the_size_of_the_chunks() {
        let text = b"\xef\xbb\xbfid, name ,x\r\n1,\"a \"\"b\"\",\nc\",3\r\n\n2,,\n3\n4,\"open,5\n6,7,8,9";
        for target in 1..70 {
            let (header, rows) = read(text, target);
            assert_eq!(header, ["id", "name", "x"]);
            let expected =
                ["2: 1|a \\\"b\\\",\\nc|3 (3)", "5: 2|| (3)", "6: 3 (1)", "7: open (1)", "8: 6|7|8 (4)"];
            assert_eq!(rows, expected, "chunks of {target}");
        }
    }

    #[test]
    fn nothing_and_a_header_alone() {
        assert_eq!(read(b"", 10), (vec![], vec![]));
        assert_eq!(read(b"a,b", 10), (vec!["a".to_owned(), "b".to_owned()], vec![]));
        let foreign = TableReader::from_reader("t", &b"PAR1PAR1PAR1"[..], &ReadOptions::default());
        assert!(matches!(foreign, Err(InputError::Foreign { .. })), "{foreign:?}");
    }
}
