//! Code shared by encoders: reading columns row by row, and writing encoded rows.

use std::io::{self, Write};
use std::num::NonZeroUsize;

use crate::record::{Column, Fault, Page, Role, Schema};
use crate::sudoku::Grid;

/// The reason why a format cannot write a job's rows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// A column that the format needs is missing.
    #[error(
        "the output format {format} writes answers, and these rows have no {missing}; csv, jsonl, parquet and arrow take any rows"
    )]
    Missing {
        /// The name of the format.
        format: &'static str,
        /// The missing column.
        missing: &'static str,
    },
    /// The rows include columns from the input, but the format has no place for them.
    #[error(
        "the output format {format} has no place for columns of the input; csv, jsonl, parquet and arrow have"
    )]
    Carried {
        /// The name of the format.
        format: &'static str,
    },
}

/// Fails if the rows lack a column that the format needs. `columns` gives the needed roles and their names.
pub(super) fn needs(
    schema: &Schema,
    format: &'static str,
    columns: &[(Role, &'static str)],
) -> Result<(), Unfit> {
    match columns.iter().find(|(role, _)| schema.find(*role).is_none()) {
        Some(&(_, missing)) => Err(Unfit::Missing { format, missing }),
        None => Ok(()),
    }
}

/// Fails if the rows have carried columns, or claims that the format cannot hold. Also fails if a needed column is
/// missing: one of `of_answers` if the rows have answers, or the puzzle if they do not.
pub(super) fn fits(
    schema: &Schema,
    format: &'static str,
    of_answers: &[(Role, &'static str)],
    holds_claims: bool,
) -> Result<(), Unfit> {
    let has_answers = schema.has_answers();
    needs(schema, format, if has_answers { of_answers } else { &[(Role::Puzzle, "puzzle")] })?;
    let has_claims = !has_answers && schema.find(Role::Solution).is_some();
    let is_full = !schema.carried.is_empty() || has_claims && !holds_claims;
    if is_full { Err(Unfit::Carried { format }) } else { Ok(()) }
}

/// The kind of output that a format requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Any output: writing can resume after any row.
    Text,
    /// Any output except a terminal; the file is complete only once its end is written.
    Binary,
    /// An output that is a file, because its start is rewritten as the file grows.
    Rewritten,
}

/// Encodes rows in one format. An encoder keeps no state between pages, so each thread can encode its own pages.
pub trait Encode: Send + Sync {
    /// Fails if the format cannot write rows with this schema. By default, any schema is accepted.
    fn fits(&self, _schema: &Schema) -> Result<(), Unfit> {
        Ok(())
    }

    /// Fails if the format cannot write rows with this schema plus one more input column.
    fn fits_one_more(&self, schema: &Schema) -> Result<(), Unfit> {
        self.fits(&Schema { carried: vec![String::new()], ..schema.clone() })
    }

    /// Returns whether invalid UTF-8 from the input is written unchanged. If not, it is replaced with U+FFFD.
    fn keeps_bytes(&self) -> bool {
        true
    }

    /// Returns the kind of output that the format requires.
    fn form(&self) -> Form {
        Form::Text
    }

    /// Returns the names of the additional files that the format needs in the output's directory.
    fn beside(&self) -> &'static [&'static str] {
        &[]
    }

    /// Appends the text that precedes the first row, if any.
    fn header(&self, _schema: &Schema, _out: &mut Vec<u8>) {}

    /// Appends the rows of a page that are to be written, with their line endings.
    fn encode(&self, page: &Page<'_>, out: &mut Piece);

    /// Creates the writer for pieces. It can use this many threads in addition to the calling thread.
    fn writer(&self, _schema: &Schema, _threads: NonZeroUsize) -> io::Result<Box<dyn Append>> {
        Ok(Box::new(Between::new("", "")))
    }
}

/// Encoded rows to be passed to the writer.
#[derive(Debug, Default)]
pub struct Piece {
    /// The rows or the header, in a format that writes pieces unchanged.
    pub bytes: Vec<u8>,
    /// The rows in columns, in a format that collects them in units.
    #[cfg(feature = "parquet")]
    pub batches: Vec<arrow_array::RecordBatch>,
}

impl Piece {
    /// Removes all rows.
    pub fn clear(&mut self) {
        self.bytes.clear();
        #[cfg(feature = "parquet")]
        self.batches.clear();
    }
}

/// A writer for pieces, in record order. The bytes of the file do not depend on where the pieces were cut.
pub trait Append {
    /// Takes the next piece and writes as much as is ready.
    fn append(&mut self, piece: &mut Piece, out: &mut dyn Output) -> io::Result<()>;

    /// Writes the remaining rows and the text that follows the last row.
    fn finish(&mut self, out: &mut dyn Output) -> io::Result<()>;
}

/// The destination of encoded rows.
pub trait Output: Write {
    /// Overwrites the first bytes of the output. Fails if the output is not seekable.
    fn overwrite_start(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Sets the ending to write if the file has to stop here; `None` once the file is complete.
    fn set_file_end(&mut self, ending: Option<FileEnd>);

    /// Returns the n-th file of [`Encode::beside`]; `None` if the output has no additional files.
    fn beside(&mut self, _n: usize) -> Option<&mut dyn Output> {
        None
    }
}

/// A function used to end a file early, in a format whose files need an ending. It returns the ending for a file with
/// the given number of units. The first write after [`Output::set_file_end`] precedes all units, and each later write
/// is one unit.
pub type FileEnd = Box<dyn Fn(usize) -> io::Result<Vec<u8>> + Send>;

impl Output for Vec<u8> {
    fn overwrite_start(&mut self, bytes: &[u8]) -> io::Result<()> {
        let start = self.get_mut(..bytes.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        start.copy_from_slice(bytes);
        Ok(())
    }

    fn set_file_end(&mut self, _: Option<FileEnd>) {}
}

impl Output for io::Sink {
    fn overwrite_start(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn set_file_end(&mut self, _: Option<FileEnd>) {}
}

/// A writer that puts separators between texts and an ending after the last one. Within a piece, every text is followed
/// by a separator.
pub struct Between {
    separator: &'static str,
    end: &'static str,
    /// Whether the separator after the previous piece is still to be written.
    is_owed: bool,
}

impl Between {
    /// Returns a writer that uses this separator and ending, both of which can be empty.
    #[must_use]
    pub const fn new(separator: &'static str, end: &'static str) -> Self {
        Self { separator, end, is_owed: false }
    }
}

impl Append for Between {
    fn append(&mut self, piece: &mut Piece, out: &mut dyn Output) -> io::Result<()> {
        let separator = self.separator.as_bytes();
        if !separator.is_empty() && !piece.bytes.is_empty() {
            if self.is_owed {
                piece.bytes.splice(..0, separator.iter().copied());
            }
            self.is_owed = piece.bytes.ends_with(separator);
            piece.bytes.truncate(piece.bytes.len() - if self.is_owed { separator.len() } else { 0 });
        }
        out.write_all(&piece.bytes)
    }

    fn finish(&mut self, out: &mut dyn Output) -> io::Result<()> {
        out.write_all(self.end.as_bytes())
    }
}

/// The character that represents a blank in every format.
pub(super) const BLANK: u8 = b'.';

/// A value of a column.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    Missing,
    Number(u64),
    Decimal(f64),
    Word(&'static str),
    Text(&'a str),
    /// Text from the input, which may be invalid UTF-8.
    Bytes(&'a [u8]),
    Grid(&'a Grid),
    Fault(&'a Fault),
}

/// A reader that goes through a column row by row.
#[derive(Clone, Debug)]
pub(super) struct Values<'a> {
    column: Column<'a>,
    /// The faults of the remaining rows, in reverse order.
    faults: Vec<(usize, &'a Fault)>,
}

impl<'a> Values<'a> {
    pub fn new(column: &Column<'a>) -> Self {
        let mut faults: Vec<_> = match column {
            Column::Faults(faults) => faults.iter().collect(),
            _ => Vec::new(),
        };
        faults.reverse();
        Self { column: *column, faults }
    }

    /// Returns the value in a row. Rows must be requested in order.
    #[inline(always)]
    pub fn at(&mut self, row: usize) -> Value<'a> {
        match self.column {
            Column::Counting(first) => Value::Number(first + row as u64),
            Column::Numbers(numbers) => Value::Number(numbers[row]),
            Column::SomeNumbers(numbers, given) if given[row] => Value::Number(numbers[row]),
            Column::Decimals(numbers, given) if given[row] => Value::Decimal(numbers[row]),
            Column::Grids(grids, given) if given[row] => Value::Grid(&grids[row]),
            Column::SomeNumbers(..) | Column::Decimals(..) | Column::Grids(..) => Value::Missing,
            Column::Words(words, names) => Value::Word(names[usize::from(words[row])].name),
            Column::Same(text) => Value::Text(text),
            Column::Names(names, texts) => Value::Text(&texts[names[row] as usize]),
            Column::Texts(texts) => texts.get(row).map_or(Value::Missing, Value::Bytes),
            Column::SomeGrids(grids) => grids[row].as_ref().map_or(Value::Missing, Value::Grid),
            Column::Faults(_) => {
                while self.faults.pop_if(|(at, _)| *at < row).is_some() {}
                let fault = self.faults.last().filter(|(at, _)| *at == row);
                fault.map_or(Value::Missing, |&(_, fault)| Value::Fault(fault))
            }
        }
    }
}

/// Appends a number. Numbers below 100 are the most common and do not need a buffer.
#[inline]
pub(super) fn push_number(number: u64, out: &mut Vec<u8>) {
    match number {
        0..10 => out.push(b'0' + number as u8),
        10..100 => out.extend_from_slice(&[b'0' + (number / 10) as u8, b'0' + (number % 10) as u8]),
        _ => out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
    }
}

/// Appends a number with two decimals.
pub(super) fn push_decimal(number: f64, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{number:.2}").as_bytes());
}

/// Returns the indices of the rows of a page that are written.
pub(super) fn kept_rows<'a>(page: &'a Page<'_>) -> impl Iterator<Item = usize> + use<'a> {
    (0..page.rows).filter(|&row| page.keeps(row))
}
