//! Text: a single notation for cells, and a reader for each framing of units.

pub(super) mod fields;
pub(super) mod notation;
pub(super) mod table;
pub(super) mod tree;
pub(super) mod units;

use super::reader::whole_lines;
use crate::record::{Fault, FaultKind, Place};
use crate::sudoku::{CELLS, Grid, digit_of};
use notation::{Miss, Notation, character_fault};

/// Reads a text as a grid; if it is not one, returns the fault and its byte offset.
#[inline]
pub(super) fn grid(text: &[u8]) -> Result<Grid, (usize, Fault)> {
    let cells = Notation::default().cells(text, CELLS).map_err(|miss| trouble(text, miss))?;
    Ok(Grid::from_digits(cells.values))
}

/// Returns the place of a byte offset in a text that starts on `line`.
pub(crate) fn place_in(line: u64, text: &[u8], at: usize) -> Place {
    let before = &text[..at.min(text.len())];
    let column = at - memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    Place { line: line + memchr::memchr_iter(b'\n', before).count() as u64, column: column as u64 + 1 }
}

/// Returns the length of the unfinished last line of a text, whose first line begins `column` bytes before the text.
pub(super) fn column_after(column: u64, text: &[u8]) -> u64 {
    match memchr::memrchr(b'\n', text) {
        Some(end) => (text.len() - end - 1) as u64,
        None => column + text.len() as u64,
    }
}

/// Returns the fault of a text that should be cells but is not, and the byte offset of the fault.
#[cold]
fn trouble(text: &[u8], miss: Miss) -> (usize, Fault) {
    let start = text.len() - text.trim_ascii_start().len();
    let shown = text.trim_ascii();
    match miss {
        Miss::Bad { fault, at } => (at, fault),
        Miss::Other => match shown.iter().position(|&byte| digit_of(byte).is_none()) {
            Some(at) => (start + at, character_fault(text, start + at)),
            None => (start + shown.len(), Fault::new(FaultKind::CellCount, None).number(shown.len())),
        },
    }
}
