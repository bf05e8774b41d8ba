//! Rows of values in memory. In the place of a fault, the line is the row and the column is the cell.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::input::names::variant_in_results;
use crate::input::reader::{Block, Read, Reader, Which};
use crate::input::text::grid;
use crate::input::text::notation::Notation;
use crate::input::{Dialect, Framing, InputError};
use crate::record::{Fault, FaultKind, Layout, Place, Records, Span, Texts};
use crate::sudoku::{CELLS, Grid};

/// A value of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// No value.
    Missing,
    /// Text, which should be 81 cells; white space around it is ignored.
    Text(&'a [u8]),
    /// A grid, or its fault. Only the column in the fault's place is used.
    Cells(Result<Grid, Fault>),
}

/// A column of puzzles or of claimed solutions.
pub trait Values: fmt::Debug + Send + Sync {
    /// Returns the number of rows.
    fn len(&self) -> usize;

    /// Returns whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value in a row.
    fn get(&self, row: usize) -> Value<'_>;
}

/// A column that is carried along.
pub(super) trait CarriedColumn: fmt::Debug + Send + Sync {
    /// Appends the values of a range of rows as texts.
    fn carry(&self, rows: Range<usize>, out: &mut Texts);
}

/// The maximum number of rows in a block. A row of a few bytes takes a hundred times as much memory once it is a
/// record.
const MOST_ROWS: usize = 16 << 10;

/// Columns of puzzles, claims and carried values: either the rows of a block, or the rows not yet handed out.
#[derive(Clone, Debug)]
pub(in crate::input) struct ValueRows {
    framing: Framing,
    puzzles: Arc<dyn Values>,
    claims: Option<Arc<dyn Values>>,
    /// The kind of each row, in this program's own output.
    pub(super) kinds: Option<Arc<dyn Values>>,
    /// The columns to carry along, each with its index.
    pub(super) carried: Vec<(usize, Arc<dyn CarriedColumn>)>,
    /// The approximate number of bytes per row.
    pub(super) row_bytes: usize,
    rows: Range<usize>,
}

/// A binary input or columns in memory, which need no framing because they provide whole blocks of rows.
pub(in crate::input) trait Rows: Send {
    /// Returns the next rows, which take up about `target` bytes; `None` at the end. By the time an error is returned,
    /// the rows before it have been handed out. Must not be called again after `None` or an error.
    fn next(&mut self, target: usize) -> Result<Option<ValueRows>, InputError>;

    /// Also carries these columns along from the next rows on. They are indices into the input's [`Columns`]; `None`
    /// stands for a column that the input lacks.
    fn carry(&mut self, _columns: &[Option<usize>]) {}

    /// Returns the number of bytes read from the file or stream so far, or an equivalent number.
    fn raw_position(&self) -> u64;

    /// Returns a warning once the end is reached, if there is one.
    fn note(&self) -> Option<String> {
        None
    }
}

impl ValueRows {
    /// Wraps all the rows of a puzzle column and of a claim column of the same length.
    pub fn new(framing: Framing, puzzles: Arc<dyn Values>, claims: Option<Arc<dyn Values>>) -> Self {
        let rows = 0..puzzles.len();
        Self { framing, puzzles, claims, kinds: None, carried: Vec::new(), row_bytes: CELLS, rows }
    }

    /// Returns the number of rows; each counts as a line.
    pub fn len(&self) -> u64 {
        self.rows.len() as u64
    }

    /// Takes the next rows, about `target` bytes of them; `None` after the last row.
    pub(super) fn take(&mut self, target: usize) -> Option<Self> {
        let count = self.rows.len().min((target / self.row_bytes).clamp(1, MOST_ROWS));
        let rows = self.rows.start..self.rows.start + count;
        self.rows.start = rows.end;
        (count > 0).then(|| Self { rows, ..self.clone() })
    }
}

impl Rows for ValueRows {
    fn next(&mut self, target: usize) -> Result<Option<Self>, InputError> {
        Ok(self.take(target))
    }

    fn raw_position(&self) -> u64 {
        (self.rows.start * CELLS) as u64
    }
}

impl Reader for ValueRows {
    fn read(&self, _: &Block<'_>, out: &mut Records) -> Read {
        out.reserve(self.rows.len());
        for (row, line) in self.rows.clone().zip(1..) {
            let variant = match self.kinds.as_ref().map(|kinds| kinds.get(row)) {
                Some(Value::Text(kind)) => variant_in_results(kind, Some(Place { line, column: 1 })),
                _ => None,
            };
            let puzzle = variant.map_or_else(|| puzzle_of(&self.puzzles.get(row), line), Err);
            // No format reads the claim of an invalid puzzle.
            let claims = self.claims.as_ref().filter(|_| puzzle.is_ok());
            out.push_claim(|| claim_of(&claims?.get(row), line));
            out.push_puzzle(line, Span::default(), Layout::Line, puzzle);
        }
        Read { lines: self.len(), ..Read::default() }
    }

    fn offset(&self, _: &[u8], cell: usize, _: Which) -> Option<usize> {
        Some(cell)
    }

    fn carry(&self, _: &[u8], _: &Records, wanted: &[Option<usize>], out: &mut [Texts]) {
        for (texts, wanted) in out.iter_mut().zip(wanted) {
            if let Some((_, column)) = self.carried.iter().find(|&&(at, _)| Some(at) == *wanted) {
                column.carry(self.rows.clone(), texts);
            }
        }
    }

    fn dialect(&self) -> Dialect {
        Dialect::of(self.framing)
    }
}

/// Reads the puzzle in row `line`.
#[inline]
fn puzzle_of(value: &Value<'_>, line: u64) -> Result<Grid, Fault> {
    let at = |column: u64| Place { line, column };
    match value {
        Value::Text(text) => {
            grid(text.trim_ascii()).map_err(|(offset, fault)| fault.at(at(offset as u64 + 1)))
        }
        Value::Missing => Err(Fault::new(FaultKind::CellCount, Some(at(1))).number(0_u64)),
        Value::Cells(cells) => cells.clone().map_err(|fault| {
            let column = fault.place.map_or(1, |place| place.column);
            fault.at(at(column))
        }),
    }
}

/// Reads the claim in row `line`. A blank, 81 blanks, and words for nothing are not claims.
#[inline]
fn claim_of(value: &Value<'_>, line: u64) -> Option<Result<Grid, Fault>> {
    let is_blank = |text: &[u8]| Notation::default().cells(text, 1).is_ok_and(|cell| cell.values[0] == 0);
    match value {
        Value::Missing => None,
        Value::Text(text) if text.len() < CELLS && is_blank(text.trim_ascii()) => None,
        _ => Some(puzzle_of(value, line).map_err(Fault::of_claim)).filter(|claim| *claim != Ok(Grid::EMPTY)),
    }
}
