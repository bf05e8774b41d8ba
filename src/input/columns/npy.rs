//! Arrays of numpy: N x 81 or N x 9 x 9 whole numbers, or N texts of 81 cells; a puzzle a row.
//!
//! The header is a literal of Python and is read by hand. Rows are read in the order in which they lie, from pipes and
//! compressed files, too. Two kinds of datasets are known by their looks. Where cells are 1 to 10, with a 10 and without
//! a 0, they are tokens: the digit and one more, as HRM is trained on, and `all__labels.npy` beside `all__inputs.npy` is
//! what these claim. And 325 numbers a row are the clues' count and 81 times row, column, value and strategy: clues
//! first, then the solution.

mod grids;
mod header;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use self::grids::{ArrayColumn, Writing};
pub(super) use self::header::MAGIC;
use self::header::{Header, Row};
use super::opened::{BinaryInput, BinaryRows, Bytes, NO_ROWS};
use super::values::{MOST_ROWS, ValueRows, Values};
use crate::input::hash::Hash;
use crate::input::reader::{RowBlock, Rows};
use crate::input::stream::{Raw, Stream};
use crate::input::{Columns, Framing, InputError, MAX_LINE};

/// Rows that are looked at to see what the numbers are.
const ROWS_LOOKED_AT: usize = 1000;

/// The file of the puzzles in a set that HRM is trained on, and that of their solutions beside it.
const TOKEN_FILES: [&str; 2] = ["all__inputs.npy", "all__labels.npy"];

/// An array of which the header was read.
struct Array {
    name: String,
    header: Header,
    stream: Box<Stream>,
    rows: u64,
    row: Row,
    /// Rows that were read.
    done: u64,
}

impl Array {
    /// Reads a header.
    fn open(name: &str, mut stream: Box<Stream>) -> Result<Self, InputError> {
        let name = name.to_owned();
        let header = Header::read(&mut stream).map_err(|reason| {
            let what = format!("is no array that can be read: {reason}");
            stream.take_failure(&name).unwrap_or(InputError::Unreadable { name: name.clone(), what })
        })?;
        match header.rows() {
            _ if header.fortran => {
                let what =
                    format!("is {header} in Fortran order; write it in C order (numpy.ascontiguousarray)");
                Err(InputError::Unreadable { name, what })
            }
            Some((rows, row)) => Ok(Self { name, header, stream, rows, row, done: 0 }),
            None => {
                let what = format!(
                    "is {header}, which holds no puzzles (expected N x 81 or N x 9 x 9 whole numbers, N x 325 of \
                     moves, or N texts of 81 cells)"
                );
                Err(InputError::Unreadable { name, what })
            }
        }
    }

    /// The next rows, fewer if there are no more that are whole.
    fn read(&mut self, most: usize) -> Vec<u8> {
        let row_bytes = self.row.bytes() as u64;
        let wanted = (most as u64).min(self.rows - self.done) * row_bytes;
        let mut bytes = Vec::new();
        // What came before an error is read, and the stream tells the error at its end.
        _ = self.stream.by_ref().take(wanted).read_to_end(&mut bytes);
        bytes.truncate(bytes.len() - bytes.len() % self.row.bytes());
        self.done += bytes.len() as u64 / row_bytes;
        bytes
    }

    /// What is wrong once no more rows come: the stream has a failure, rows are missing, or more is behind them.
    fn end(&mut self) -> Result<(), InputError> {
        let behind = io::copy(&mut self.stream, &mut io::sink());
        if let Some(failure) = self.stream.take_failure(&self.name) {
            return Err(failure);
        }
        let reason = if self.done < self.rows {
            "the data ends there (truncated file?)".to_owned()
        } else {
            match behind.unwrap_or(0) {
                0 => return Ok(()),
                behind => format!("{behind} bytes behind the array, which are not read"),
            }
        };
        let place = format!("row {} of {}", (self.done + 1).min(self.rows), self.rows);
        Err(InputError::DamagedTable { name: self.name.clone(), format: "npy", place, reason })
    }
}

/// Opens an array, and what it claims.
pub(super) fn open(input: BinaryInput<'_>) -> Result<BinaryRows, InputError> {
    let name = input.name;
    let is_file = matches!(input.bytes, Bytes::File(_));
    let mut puzzles = Array::open(name, input.into_stream())?;
    if puzzles.rows == 0 {
        return Err(InputError::Unreadable { name: name.to_owned(), what: NO_ROWS.to_owned() });
    }
    let ahead = puzzles.read(ROWS_LOOKED_AT.min(MAX_LINE / puzzles.row.bytes()));
    let (mut claims, mut notes) = (None, Vec::new());
    let writing = if puzzles.row.has_moves() {
        Writing::Clues
    } else if puzzles.row.holds_tokens(&ahead) {
        notes.push(format!(
            "{name}: cells are 1 to 10: read as tokens, 1 for a blank and the digit and one more"
        ));
        match labels_beside(name, &puzzles) {
            Ok(labels) => claims = labels.filter(|_| is_file),
            Err(error) => notes.push(format!("no claimed solutions are read: {error}")),
        }
        Writing::Tokens
    } else {
        Writing::Cells
    };
    let has_claims = writing == Writing::Clues || claims.is_some();
    let rows = Box::new(ArrayRows { puzzles, claims, writing, ahead });
    Ok(BinaryRows { rows, columns: Columns::default(), has_claims, notes })
}

/// The solutions beside a set of tokens.
fn labels_beside(name: &str, puzzles: &Array) -> Result<Option<Array>, InputError> {
    let path = Path::new(name);
    let [inputs, labels] = TOKEN_FILES;
    if path.file_name().is_none_or(|name| name != inputs) {
        return Ok(None);
    }
    let path = path.with_file_name(labels);
    let Ok(file) = File::open(&path) else { return Ok(None) };
    let name = path.to_string_lossy();
    let labels = Array::open(&name, Box::new(Stream::plain(Raw::of(file), &Hash::new(false))))?;
    if labels.rows != puzzles.rows || labels.row.has_moves() {
        let what = format!("is {}, and cannot be what {} puzzles claim", labels.header, puzzles.rows);
        return Err(InputError::Unreadable { name: name.into_owned(), what });
    }
    Ok(Some(labels))
}

/// The rows of an array of puzzles, and of one of what they claim.
struct ArrayRows {
    puzzles: Array,
    claims: Option<Array>,
    writing: Writing,
    /// The first rows, which were looked at.
    ahead: Vec<u8>,
}

impl Rows for ArrayRows {
    fn next(&mut self, target: usize) -> Result<Option<RowBlock>, InputError> {
        let (row, writing) = (self.puzzles.row, self.writing);
        let mut bytes = std::mem::take(&mut self.ahead);
        if bytes.is_empty() {
            bytes = self.puzzles.read((target / row.bytes()).clamp(1, MOST_ROWS));
        }
        if bytes.is_empty() {
            self.puzzles.end()?;
            return Ok(None);
        }
        let rows = bytes.len() / row.bytes();
        let bytes: Arc<[u8]> = bytes.into();
        let claims = match &mut self.claims {
            _ if writing == Writing::Clues => {
                Some(ArrayColumn { bytes: Arc::clone(&bytes), row, writing: Writing::Moves })
            }
            Some(claims) => {
                let column = ArrayColumn {
                    bytes: claims.read(rows).into(),
                    row: claims.row,
                    writing: Writing::Tokens,
                };
                if column.len() < rows {
                    claims.end()?;
                }
                Some(column)
            }
            None => None,
        };
        let claims = claims.map(|claims| Arc::new(claims) as Arc<dyn Values>);
        let puzzles = Arc::new(ArrayColumn { bytes, row, writing });
        Ok(ValueRows::new(Framing::Npy, puzzles, claims).take(usize::MAX))
    }

    fn raw_position(&self) -> u64 {
        self.puzzles.stream.raw_position()
    }
}

#[cfg(test)]
mod tests;
