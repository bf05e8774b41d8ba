//! What encoders share: values of columns as text, row by row, and the way of encoded rows into a file.

use std::fmt;
use std::io::{self, Write};
use std::num::NonZeroUsize;

use crate::record::{Column, Fault, Page, Role, Schema};
use crate::sudoku::Grid;

/// Why a format cannot hold the rows of a job.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// A column is missing that the format consists of.
    #[error(
        "the output format {format} writes answers, and these rows have no {missing}; csv, jsonl, parquet and arrow take any rows"
    )]
    Missing {
        /// Name of the format.
        format: &'static str,
        /// What the rows would need.
        missing: &'static str,
    },
    /// The rows have columns of the input, and the format has none.
    #[error(
        "the output format {format} has no place for columns of the input; csv, jsonl, parquet and arrow have"
    )]
    Carried {
        /// Name of the format.
        format: &'static str,
    },
}

/// Whether rows have what a format consists of: a puzzle or, if they are answered, columns of these roles and names; and
/// nothing that it has no place for.
pub(super) fn fits(
    schema: &Schema,
    format: &'static str,
    of_answers: &[(Role, &'static str)],
) -> Result<(), Unfit> {
    let needed = if schema.has_answers() { of_answers } else { &[(Role::Puzzle, "puzzle")] };
    let missing = needed.iter().find(|(role, _)| schema.find(*role).is_none());
    match missing {
        Some(&(_, missing)) => Err(Unfit::Missing { format, missing }),
        None if !schema.carried.is_empty() => Err(Unfit::Carried { format }),
        None => Ok(()),
    }
}

/// Whether there is no claimed solution beside an unanswered puzzle.
pub(super) fn fits_without_claims(schema: &Schema, format: &'static str) -> Result<(), Unfit> {
    let has_claims = !schema.has_answers() && schema.find(Role::Solution).is_some();
    if has_claims { Err(Unfit::Carried { format }) } else { Ok(()) }
}

/// What a format asks of the place that it is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Nothing; and it can be continued behind any of its rows.
    Text,
    /// To be no terminal; it is whole at its end alone.
    Binary,
    /// To be a file, whose start is written anew as it grows.
    Rewritten,
}

/// Encodes rows in one format. It keeps no state between pages, so that any thread can encode its own.
pub trait Encode: Send + Sync {
    /// Whether it can hold such rows; it takes any unless it says otherwise.
    ///
    /// # Errors
    ///
    /// When a column is missing that the format consists of, or it has no place for one that is carried along.
    fn fits(&self, _schema: &Schema) -> Result<(), Unfit> {
        Ok(())
    }

    /// Whether it writes texts of the input that are no UTF-8 as they are; else U+FFFD stands for what is none.
    fn keeps_bytes(&self) -> bool {
        true
    }

    /// What it asks of the place that it is written to.
    fn form(&self) -> Form {
        Form::Text
    }

    /// Appends what stands before the first row, if something does.
    fn header(&self, _schema: &Schema, _out: &mut Vec<u8>) {}

    /// Appends the rows of a page that are kept, line ends included.
    fn encode(&self, page: &Page<'_>, out: &mut Piece);

    /// What writes the pieces of such rows, on the thread that calls it and as many others.
    ///
    /// # Errors
    ///
    /// When it cannot be had.
    fn writer(&self, _schema: &Schema, _threads: NonZeroUsize) -> io::Result<Box<dyn Append>> {
        Ok(Box::new(AsTheyAre))
    }
}

/// Encoded rows on their way to the writer.
#[derive(Debug, Default)]
pub struct Piece {
    /// The rows, or the header, of a format that is written as it was encoded.
    pub bytes: Vec<u8>,
    /// The rows, in columns, of a format that puts them together anew.
    #[cfg(feature = "parquet")]
    pub batches: Vec<arrow_array::RecordBatch>,
}

impl Piece {
    /// Takes everything out.
    pub fn clear(&mut self) {
        self.bytes.clear();
        #[cfg(feature = "parquet")]
        self.batches.clear();
    }
}

/// Writes pieces in the order of the records, to a file the bytes of which do not depend on where the pieces were cut.
pub trait Append {
    /// Takes the next piece, and writes what can be written.
    ///
    /// # Errors
    ///
    /// Those of writing.
    fn append(&mut self, piece: &mut Piece, out: &mut dyn Output) -> io::Result<()>;

    /// Writes the rest, and what stands behind the last row.
    ///
    /// # Errors
    ///
    /// Those of writing.
    fn finish(&mut self, out: &mut dyn Output) -> io::Result<()>;
}

/// Where encoded rows go.
pub trait Output: Write {
    /// Writes over the first bytes of all that was written; what was written behind them stays.
    ///
    /// # Errors
    ///
    /// Those of writing, and when that is written already and cannot be changed.
    fn overwrite_start(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Says how a file is made whole of which no more can be written; `None` once it is whole as it is.
    fn set_file_end(&mut self, ending: Option<FileEnd>);
}

/// Given how many of its first bytes a file may keep: how many it does, and the bytes that end it behind them; nothing if
/// there is no room for an end.
pub type EndWithin = dyn Fn(u64) -> Option<(u64, Vec<u8>)> + Send;

/// How a file is made whole of which no more can be written, in a format that needs an end.
pub struct FileEnd(pub Box<EndWithin>);

impl fmt::Debug for FileEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FileEnd")
    }
}

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

/// Pieces that are the file already.
pub(super) struct AsTheyAre;

impl Append for AsTheyAre {
    fn append(&mut self, piece: &mut Piece, out: &mut dyn Output) -> io::Result<()> {
        out.write_all(&piece.bytes)
    }

    fn finish(&mut self, _: &mut dyn Output) -> io::Result<()> {
        Ok(())
    }
}

/// What a file without rows is.
///
/// # Errors
///
/// When its writer cannot be had.
pub fn empty(encoder: &dyn Encode, schema: &Schema) -> io::Result<Vec<u8>> {
    let (mut piece, mut out) = (Piece::default(), Vec::new());
    encoder.header(schema, &mut piece.bytes);
    let mut writer = encoder.writer(schema, NonZeroUsize::MIN)?;
    writer.append(&mut piece, &mut out)?;
    writer.finish(&mut out)?;
    Ok(out)
}

/// The blank cell of a puzzle in every format.
pub(super) const BLANK: u8 = b'.';

/// A value of a column.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    Missing,
    Number(u64),
    Word(&'static str),
    Text(&'a str),
    /// Text of the input, which may be no UTF-8.
    Bytes(&'a [u8]),
    Grid(&'a Grid),
    Fault(&'a Fault),
}

/// Reads a column from its first row to its last.
#[derive(Clone, Debug)]
pub(super) struct Values<'a> {
    column: Column<'a>,
    /// The rows of it that have a fault and are not passed yet, the next one last.
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

    /// The value in a row; rows are asked for in order.
    #[inline(always)]
    pub fn at(&mut self, row: usize) -> Value<'a> {
        match self.column {
            Column::Counting(first) => Value::Number(first + row as u64),
            Column::Numbers(numbers) => Value::Number(numbers[row]),
            Column::SomeNumbers(numbers, given) if given[row] => Value::Number(numbers[row]),
            Column::SmallNumbers(numbers, given) if given[row] => Value::Number(numbers[row].into()),
            Column::Grids(grids, given) if given[row] => Value::Grid(&grids[row]),
            Column::SomeNumbers(..) | Column::SmallNumbers(..) | Column::Grids(..) => Value::Missing,
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

/// Appends a number; small ones, of which there are most, take no turn through a buffer.
#[inline]
pub(super) fn push_number(number: u64, out: &mut Vec<u8>) {
    match number {
        0..10 => out.push(b'0' + number as u8),
        10..100 => out.extend_from_slice(&[b'0' + (number / 10) as u8, b'0' + (number % 10) as u8]),
        _ => out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
    }
}

/// Runs through the kept rows of a page.
pub(super) fn kept_rows<'a>(page: &'a Page<'_>) -> impl Iterator<Item = usize> + use<'a> {
    (0..page.rows).filter(|&row| page.keeps(row))
}
