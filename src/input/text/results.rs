//! Tables of this program's own results: rows of fields and nothing more.
//!
//! They are read for what stands in their columns, which is carried along; no column is read as a puzzle. The header is
//! the first row, and every other one that is not blank is a record. Rows end and quotes close as in every table: a quote
//! that is never closed costs one row.

use std::sync::Arc;

use memchr::memchr;

use super::fields::Splitter;
use super::whole_lines;
use crate::input::reader::{Block, Read, Reader, Sample, State, TextEnd, TextReader, Which};
use crate::input::{Columns, Dialect, Framing};
use crate::record::{Fault, FaultKind, Layout, Place, Records, Span, Texts, Want};
use crate::sudoku::Grid;

const SEPARATOR: u8 = b',';

/// A table whose columns are known.
#[derive(Debug)]
struct ResultsTable {
    names: Vec<String>,
}

/// The table that begins as a sample does; one without columns if its header is not there.
pub(in crate::input) fn table(sample: &Sample<'_>) -> Arc<dyn TextReader> {
    let mut splitter = Splitter::new(SEPARATOR);
    let header = splitter.split(sample.bytes, sample.end()).filter(|row| row.unclosed.is_none());
    let texts = header.map(|_| splitter.texts(sample.bytes)).unwrap_or_default();
    let name = |text: &Vec<u8>| String::from_utf8_lossy(text.trim_ascii()).into_owned();
    Arc::new(ResultsTable { names: texts.iter().map(name).collect() })
}

impl Reader for ResultsTable {
    fn read(&self, block: &Block<'_>, want: Want, out: &mut Records) -> Read {
        self.read_carrying(block, want, out, &[], &mut [])
    }

    fn read_carrying(
        &self,
        block: &Block<'_>,
        _: Want,
        out: &mut Records,
        wanted: &[Option<usize>],
        carried: &mut [Texts],
    ) -> Read {
        let (mut read, mut at) = (Read::default(), 0);
        let mut is_header = !block.state.begun;
        let mut splitter = Splitter::new(SEPARATOR).keeping(self.names.len());
        while let Some(row) = splitter.split(&block.bytes[at..], TextEnd::Last) {
            let (line, span) = (read.lines + 1, Span { start: at, length: row.length });
            let text = span.of(block.bytes);
            at += row.length;
            read.lines += row.lines;
            if std::mem::take(&mut is_header) || row.unclosed.is_none() && text.trim_ascii().is_empty() {
                continue;
            }
            let fault = match splitter.count() {
                _ if row.unclosed.is_some() => Some(Fault::new(FaultKind::OpenQuote, None)),
                count if count != self.names.len() => {
                    Some(Fault::new(FaultKind::FieldCount, None).number(count).number(self.names.len()))
                }
                _ => None,
            };
            if fault.is_none() {
                for (texts, column) in carried.iter_mut().zip(wanted) {
                    let field = column.map(|column| splitter.fields()[column].text(text));
                    texts.push(field.as_deref());
                }
            } else {
                carried.iter_mut().for_each(|texts| texts.push(None));
            }
            out.push_puzzle(line, span, Layout::Line, fault.map_or(Ok(Grid::EMPTY), Err));
        }
        read
    }

    fn place(&self, line: u64, _: &[u8], _: usize, _: Which) -> Place {
        Place { line, column: 1 }
    }

    fn columns(&self) -> Columns {
        Columns { names: self.names.clone(), ..Columns::default() }
    }

    fn dialect(&self) -> Dialect {
        Dialect::of(Framing::Csv)
    }
}

impl TextReader for ResultsTable {
    fn frame(&self, state: &mut State, bytes: &[u8], end: TextEnd) -> usize {
        let mut length = 0;
        if end == TextEnd::Last || memchr(b'"', bytes).is_none() {
            length = whole_lines(bytes, end);
        } else {
            let mut splitter = Splitter::new(SEPARATOR).keeping(0);
            while let Some(row) = splitter.split(&bytes[length..], end) {
                length += row.length;
            }
        }
        state.begun |= length > 0;
        length
    }

    fn may_be_empty(&self, _: &State) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::input::{ReadOptions, Source};
    use crate::record::{Records, Want};

    /// The header of a table, and `line: fields` of its rows or what is wrong with them, read in batches of about so many
    /// bytes.
    fn read(text: &[u8], target: usize) -> (Vec<String>, Vec<String>) {
        let options = ReadOptions { results: true, ..ReadOptions::default() };
        let mut source = Source::from_reader("t.csv", std::io::Cursor::new(text.to_vec()), &options).unwrap();
        let names = source.columns().names;
        source.carry(&(0..names.len()).map(Some).collect::<Vec<_>>());
        let (mut rows, mut records, mut lines) = (Vec::new(), Records::default(), 0);
        while let Some(batch) = source.next_batch(Vec::new(), target).unwrap() {
            let read = batch.read(Want::default(), &mut records);
            for row in 0..records.len() {
                let line = lines + records.lines()[row];
                let fields: Option<Vec<_>> = records.carried.iter().map(|texts| texts.get(row)).collect();
                rows.push(match records.faults().get(row) {
                    Some(fault) => format!("{line}: {fault}"),
                    None => format!("{line}: {}", fields.unwrap().join(&b'|').escape_ascii()),
                });
            }
            lines += read.lines;
        }
        assert!(source.without_records().is_none());
        (names, rows)
    }

    #[test]
    fn rows_with_their_lines_whatever_the_size_of_the_batches() {
        let text = b"\xef\xbb\xbfid, name ,x\r\n1,\"a \"\"b\"\",\nc\",3\r\n\n2,,\n3\n4,\"open,5\n6,7,8,9";
        for target in 1..70 {
            let (header, rows) = read(text, target);
            assert_eq!(header, ["id", "name", "x"]);
            let expected = [
                "2: 1|a \\\"b\\\",\\nc|3",
                "5: 2||",
                "6: 1 field (expected 3)",
                "7: quote that is not closed (expected a closing \")",
                "8: 4 fields (expected 3)",
            ];
            assert_eq!(rows, expected, "batches of {target}");
        }
    }

    #[test]
    fn a_header_alone() {
        assert_eq!(read(b"a,b", 10), (vec!["a".to_owned(), "b".to_owned()], vec![]));
        assert_eq!(read(b"# a remark\n", 10), (vec!["# a remark".to_owned()], vec![]));
    }
}
