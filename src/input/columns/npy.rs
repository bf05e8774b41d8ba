//! Arrays of numpy: N x 81 or N x 9 x 9 whole numbers, or N texts of 81 cells; a puzzle a row.
//!
//! The header is a literal of Python and is read by hand. Rows are read in the order in which they lie, from pipes and
//! compressed files, too; where columns lie together (Fortran order), from plain files only. Two kinds of datasets are
//! known by their looks. Where cells are 1 to 10, with a 10 and without a 0, they are tokens: the digit and one more,
//! as HRM is trained on, and `all__labels.npy` beside `all__inputs.npy` is what these claim. And 325 numbers a row are
//! the clues' count and 81 times row, column, value and strategy: clues first, then the solution.

mod grids;
mod header;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use self::grids::{ArrayColumn, Writing};
pub(super) use self::header::MAGIC;
use self::header::{Header, Row};
use super::binary::{BinaryInput, BinaryRows, Bytes, NO_ROWS};
use super::values::{MOST_ROWS, ValueRows, Values};
use super::watched::{Watched, read_exact_at};
use crate::input::hash::Hash;
use crate::input::reader::{self, Block, Reader, RowBlock, Rows, Which};
use crate::input::stream::Stream;
use crate::input::{Columns, Dialect, Framing, InputError, MAX_LINE};
use crate::record::{Fault, FaultKind, Layout, Place, Records, Span, Want};

/// Rows that are looked at to see what the numbers are.
const ROWS_LOOKED_AT: usize = 1000;

/// The file of the puzzles in a set that HRM is trained on, and that of their solutions beside it.
const TOKEN_FILES: [&str; 2] = ["all__inputs.npy", "all__labels.npy"];

/// Where the rows of an array come from.
enum RowBytes {
    /// A file that can be read anywhere.
    File(Watched),
    /// One after the other.
    Stream(Box<Stream>),
}

/// An array of which the header was read.
struct Array {
    header: Header,
    bytes: RowBytes,
    /// Bytes before the first row.
    start: u64,
    rows: u64,
    row: Row,
    /// Rows that were read.
    done: u64,
}

impl Array {
    /// Reads a header. What is read of the array is seen by `hash`.
    fn open(name: &str, bytes: Bytes, hash: &Hash, wants_hash: bool) -> Result<Self, InputError> {
        let unreadable = |what: String| InputError::Unreadable { name: name.to_owned(), what };
        let failed = |source| InputError::Read { name: name.to_owned(), offset: 0, source };
        let no_array = |reason: String| unreadable(format!("is no array that can be read: {reason}"));
        let (header, start, bytes) = match bytes {
            Bytes::File(mut file) => {
                let (header, start) = Header::read(&mut file).map_err(no_array)?;
                let file = Watched::new(file, hash, wants_hash).map_err(failed)?;
                (header, start, RowBytes::File(file))
            }
            Bytes::Stream(mut stream) => {
                let header = Header::read(&mut stream);
                let failure = |reason| stream.take_failure(name).unwrap_or_else(|| no_array(reason));
                let (header, start) = header.map_err(failure)?;
                (header, start, RowBytes::Stream(stream))
            }
        };
        let Some((rows, row)) = header.rows() else {
            return Err(unreadable(format!(
                "is {header}, which holds no puzzles (expected N x 81 or N x 9 x 9 whole numbers, N x 325 of moves, or \
                 N texts of 81 cells)"
            )));
        };
        let array = Self { header, bytes, start, rows, row, done: 0 };
        let size = rows.checked_mul(row.bytes() as u64).and_then(|bytes| bytes.checked_add(start));
        match (&array.bytes, size) {
            (_, None) => Err(unreadable(format!("is {}, more than any file holds", array.header))),
            (RowBytes::Stream(_), _) if array.is_transposed() => Err(unreadable(format!(
                "is {} in Fortran order, which can be read from a plain file only, neither from a pipe nor \
                 compressed: save it to one, or write it in C order",
                array.header
            ))),
            (RowBytes::File(file), Some(size)) if array.is_transposed() && file.size < size => {
                let what = format!(
                    "is cut off: {} of {size} bytes, and in Fortran order no row is whole",
                    file.size
                );
                Err(unreadable(what))
            }
            _ => Ok(array),
        }
    }

    /// Whether the elements of a row do not lie together.
    fn is_transposed(&self) -> bool {
        let [one, other] = self.row.axes;
        self.header.fortran && (one > 1 && (self.rows > 1 || other > 1))
    }

    /// Appends the next rows, fewer if there are no more that are whole; says how many.
    fn read(&mut self, most: usize, out: &mut Vec<u8>) -> io::Result<usize> {
        let row_bytes = self.row.bytes();
        let left = usize::try_from(self.rows - self.done).unwrap_or(most);
        let (before, count) = (out.len(), most.min(left));
        let is_transposed = self.is_transposed();
        let count = match &mut self.bytes {
            RowBytes::File(file) if is_transposed => {
                out.resize(before + count * row_bytes, 0);
                let (element, [one, other]) = (self.row.element_bytes, self.row.axes);
                let mut column = vec![0; count * element];
                for place in 0..one * other {
                    // In C order, which runs along the last axis.
                    let in_file = (place / other + place % other * one) as u64;
                    let offset = (in_file * self.rows + self.done) * element as u64;
                    read_exact_at(&file.file, &mut column, self.start + offset)?;
                    let rows = out[before..].chunks_exact_mut(row_bytes);
                    for (row, value) in rows.zip(column.chunks_exact(element)) {
                        row[place * element..(place + 1) * element].copy_from_slice(value);
                    }
                }
                count
            }
            RowBytes::File(file) => {
                let offset = self.start + self.done * row_bytes as u64;
                let whole = file.size.saturating_sub(offset) / row_bytes as u64;
                let count = usize::try_from(whole).unwrap_or(count).min(count);
                out.resize(before + count * row_bytes, 0);
                read_exact_at(&file.file, &mut out[before..], offset)?;
                count
            }
            RowBytes::Stream(stream) => {
                let missing = (count * row_bytes) as u64;
                // What came before an error is read, and the error comes again as the end of the stream.
                let failure = stream.by_ref().take(missing).read_to_end(out).err();
                let count = (out.len() - before) / row_bytes;
                out.truncate(before + count * row_bytes);
                if let Some(error) = failure.filter(|_| count == 0) {
                    return Err(error);
                }
                count
            }
        };
        self.done += count as u64;
        if let RowBytes::File(file) = &mut self.bytes {
            file.see_to(self.start + self.done * row_bytes as u64)?;
        }
        Ok(count)
    }

    /// Bytes behind the rows once no more come.
    fn end(&mut self, name: &str) -> Result<u64, InputError> {
        let failure = match &mut self.bytes {
            RowBytes::Stream(stream) => stream.take_failure(name),
            RowBytes::File(_) => None,
        };
        if let Some(failure) = failure {
            return Err(failure);
        }
        if self.done < self.rows {
            let place = format!("row {} of {}", self.done + 1, self.rows);
            let reason = "the data ends there (truncated file?)".to_owned();
            return Err(InputError::DamagedTable { name: name.to_owned(), format: "npy", place, reason });
        }
        let failed = |source| InputError::Read { name: name.to_owned(), offset: 0, source };
        Ok(match &mut self.bytes {
            RowBytes::Stream(stream) => io::copy(stream, &mut io::sink()).map_err(failed)?,
            RowBytes::File(file) => {
                let end = self.start + self.rows * self.row.bytes() as u64;
                file.see_to(file.size).map_err(failed)?;
                file.size.saturating_sub(end)
            }
        })
    }
}

/// Opens an array, and what it claims.
pub(super) fn open(input: BinaryInput<'_>) -> Result<BinaryRows, InputError> {
    let BinaryInput { name, bytes, options, hash } = input;
    let is_file = matches!(bytes, Bytes::File(_));
    let failed = |source| InputError::Read { name: name.to_owned(), offset: 0, source };
    let mut puzzles = Array::open(name, bytes, hash, options.hash)?;
    if puzzles.rows == 0 {
        return Err(InputError::Unreadable { name: name.to_owned(), what: NO_ROWS.to_owned() });
    }
    let mut ahead = Vec::new();
    puzzles.read(ROWS_LOOKED_AT.min(MAX_LINE / puzzles.row.bytes()), &mut ahead).map_err(failed)?;
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
    let rows = ArrayRows { name: name.to_owned(), puzzles, claims, writing, ahead, is_told: false };
    Ok(BinaryRows { rows: Box::new(rows), columns: Columns::default(), has_claims, notes })
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
    let labels = Array::open(&name, Bytes::File(file), &Hash::new(false), false)?;
    if labels.rows != puzzles.rows || labels.row.has_moves() {
        let what = format!("is {}, and cannot be what {} puzzles claim", labels.header, puzzles.rows);
        return Err(InputError::Unreadable { name: name.into_owned(), what });
    }
    Ok(Some(labels))
}

/// The rows of an array of puzzles, and of one of what they claim.
struct ArrayRows {
    name: String,
    puzzles: Array,
    claims: Option<Array>,
    writing: Writing,
    /// The first rows, which were looked at.
    ahead: Vec<u8>,
    /// Whether it was told that there is more behind.
    is_told: bool,
}

impl ArrayRows {
    /// The next rows of the puzzles.
    fn puzzles(&mut self, target: usize) -> Result<Vec<u8>, InputError> {
        let mut bytes = std::mem::take(&mut self.ahead);
        if !bytes.is_empty() {
            return Ok(bytes);
        }
        let wanted = (target / self.puzzles.row.bytes()).clamp(1, MOST_ROWS);
        match self.puzzles.read(wanted, &mut bytes) {
            // A stream tells at its end what it failed by.
            Err(source)
                if matches!(self.puzzles.bytes, RowBytes::File(_))
                    && source.kind() != io::ErrorKind::UnexpectedEof =>
            {
                Err(InputError::Read { name: self.name.clone(), offset: self.puzzles.done, source })
            }
            Err(_) => Ok(Vec::new()),
            Ok(_) => Ok(bytes),
        }
    }

    /// What as many rows claim as were read of the puzzles.
    fn claims(&mut self, count: usize) -> Result<Option<Arc<dyn Values>>, InputError> {
        let Some(claims) = &mut self.claims else { return Ok(None) };
        let name = || self.name.clone();
        let failed = |source| InputError::Read { name: name(), offset: 0, source };
        let mut bytes = Vec::new();
        if claims.read(count, &mut bytes).map_err(failed)? < count {
            let (place, reason) =
                (format!("row {}", claims.done + 1), format!("{} ends there", TOKEN_FILES[1]));
            return Err(InputError::DamagedTable { name: name(), format: "npy", place, reason });
        }
        Ok(Some(Arc::new(ArrayColumn { bytes: bytes.into(), row: claims.row, writing: Writing::Tokens })))
    }
}

impl Rows for ArrayRows {
    fn next(&mut self, target: usize) -> Result<Option<RowBlock>, InputError> {
        let (row, writing) = (self.puzzles.row, self.writing);
        let bytes: Arc<[u8]> = self.puzzles(target)?.into();
        if bytes.is_empty() {
            let behind = self.puzzles.end(&self.name)?;
            let is_new = behind > 0 && !std::mem::replace(&mut self.is_told, true);
            return Ok(is_new.then(|| RowBlock { reader: Arc::new(Behind(behind)), rows: 1 }));
        }
        let claims = match writing {
            Writing::Clues => {
                let moves = ArrayColumn { bytes: Arc::clone(&bytes), row, writing: Writing::Moves };
                Some(Arc::new(moves) as Arc<dyn Values>)
            }
            _ => self.claims(bytes.len() / row.bytes())?,
        };
        let puzzles = Arc::new(ArrayColumn { bytes, row, writing });
        Ok(ValueRows::new(Framing::Npy, puzzles, claims).take(usize::MAX))
    }

    fn raw_position(&self) -> u64 {
        match &self.puzzles.bytes {
            RowBytes::File(file) => file.seen(),
            RowBytes::Stream(stream) => stream.raw_position(),
        }
    }
}

/// So many bytes behind an array, as a record that cannot be read.
#[derive(Debug)]
struct Behind(u64);

impl Reader for Behind {
    fn read(&self, _: &Block<'_>, _: Want, out: &mut Records) -> reader::Read {
        let fault = Fault::new(FaultKind::BehindArray, Some(Place { line: 1, column: 1 })).number(self.0);
        out.push_fault(1, Span::default(), Layout::Line, fault);
        reader::Read { lines: 1, ..reader::Read::default() }
    }

    fn place(&self, line: u64, _: &[u8], _: usize, _: Which) -> Place {
        Place { line, column: 1 }
    }

    fn dialect(&self) -> Dialect {
        Dialect::of(Framing::Npy)
    }
}

#[cfg(test)]
mod tests;
