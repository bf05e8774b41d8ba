//! What encoders share: values of columns as text, row by row, and the way of encoded rows into a file.

use std::fmt;
use std::io::{self, Write};
use std::num::NonZeroUsize;

use crate::record::{Column, Fault, Page, Role, Schema, Sparse, Texts, Word};
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

/// Whether rows have what a format consists of: a puzzle and, if they are answered, columns of these roles and names;
/// and nothing that it has no place for.
pub(super) fn fits(
    schema: &Schema,
    format: &'static str,
    of_answers: &[(Role, &'static str)],
) -> Result<(), Unfit> {
    let of_answers = of_answers.iter().filter(|_| schema.has_answers());
    let missing =
        [(Role::Puzzle, "puzzle")].iter().chain(of_answers).find(|(role, _)| schema.find(*role).is_none());
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
    /// Whether it can hold such rows.
    ///
    /// # Errors
    ///
    /// When a column is missing that the format consists of, or it has no place for one that is carried along.
    fn fits(&self, schema: &Schema) -> Result<(), Unfit>;

    /// Whether it writes texts of the input that are no UTF-8 as they are; else U+FFFD stands for what is none.
    fn keeps_bytes(&self) -> bool {
        true
    }

    /// What it asks of the place that it is written to.
    fn form(&self) -> Form {
        Form::Text
    }

    /// Appends what stands before the first row.
    fn header(&self, schema: &Schema, out: &mut Vec<u8>);

    /// Appends the rows of a page that are kept, line ends included.
    fn encode(&self, page: &Page<'_>, out: &mut Piece);

    /// What writes the pieces of such rows, on the thread that calls it and as many others.
    ///
    /// # Errors
    ///
    /// When it cannot be had.
    fn writer(&self, schema: &Schema, threads: NonZeroUsize) -> io::Result<Box<dyn Append>> {
        let _ = (schema, threads);
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
pub(super) enum Values<'a> {
    Counting(u64),
    Numbers(&'a [u64]),
    SomeNumbers(&'a [u64], &'a [bool]),
    SmallNumbers(&'a [u8], &'a [bool]),
    Words(&'a [u8], &'static [Word]),
    Same(&'a str),
    Names(&'a [u32], &'a [String]),
    Texts(&'a Texts),
    Grids(&'a [Grid], &'a [bool]),
    SomeGrids(&'a [Option<Grid>]),
    Faults(FaultWalk<'a>),
}

/// The faults of a page, row by row.
#[derive(Clone, Debug)]
pub(super) struct FaultWalk<'a> {
    /// The rows that have a fault and are not passed yet, the next one last.
    rest: Vec<(usize, &'a Fault)>,
}

impl<'a> FaultWalk<'a> {
    pub fn new(faults: &'a Sparse<Fault>) -> Self {
        let mut rest: Vec<_> = faults.iter().collect();
        rest.reverse();
        Self { rest }
    }

    /// The fault of a row, if it has one; rows are asked for in order.
    #[inline]
    pub fn at(&mut self, row: usize) -> Option<&'a Fault> {
        while self.rest.pop_if(|(at, _)| *at < row).is_some() {}
        self.rest.last().filter(|(at, _)| *at == row).map(|&(_, fault)| fault)
    }
}

impl<'a> Values<'a> {
    pub fn new(column: &Column<'a>) -> Self {
        match *column {
            Column::Counting(first) => Self::Counting(first),
            Column::Numbers(numbers) => Self::Numbers(numbers),
            Column::SomeNumbers(numbers, given) => Self::SomeNumbers(numbers, given),
            Column::SmallNumbers(numbers, given) => Self::SmallNumbers(numbers, given),
            Column::Words(words, names) => Self::Words(words, names),
            Column::Same(text) => Self::Same(text),
            Column::Names(names, texts) => Self::Names(names, texts),
            Column::Texts(texts) => Self::Texts(texts),
            Column::Grids(grids, given) => Self::Grids(grids, given),
            Column::SomeGrids(grids) => Self::SomeGrids(grids),
            Column::Faults(faults) => Self::Faults(FaultWalk::new(faults)),
        }
    }

    /// The value in a row; rows are asked for in order.
    #[inline]
    pub fn at(&mut self, row: usize) -> Value<'a> {
        match self {
            Self::Counting(first) => Value::Number(*first + row as u64),
            Self::Numbers(numbers) => Value::Number(numbers[row]),
            Self::SomeNumbers(numbers, given) => {
                if given[row] {
                    Value::Number(numbers[row])
                } else {
                    Value::Missing
                }
            }
            Self::SmallNumbers(numbers, given) => {
                if given[row] {
                    Value::Number(numbers[row].into())
                } else {
                    Value::Missing
                }
            }
            Self::Words(words, names) => Value::Word(names[usize::from(words[row])].name),
            Self::Same(text) => Value::Text(text),
            Self::Names(names, texts) => Value::Text(&texts[names[row] as usize]),
            Self::Texts(texts) => texts.get(row).map_or(Value::Missing, Value::Bytes),
            Self::Grids(grids, given) => {
                if given[row] {
                    Value::Grid(&grids[row])
                } else {
                    Value::Missing
                }
            }
            Self::SomeGrids(grids) => grids[row].as_ref().map_or(Value::Missing, Value::Grid),
            Self::Faults(faults) => faults.at(row).map_or(Value::Missing, Value::Fault),
        }
    }
}

#[inline]
pub(super) fn push_number(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Runs through the kept rows of a page.
pub(super) fn kept_rows<'a>(page: &'a Page<'_>) -> impl Iterator<Item = usize> + use<'a> {
    (0..page.rows).filter(|&row| page.keeps(row))
}
