//! Lists, grids and single cells: reads lines of 81, 9 or 1 cells, where 81 consecutive cells are a puzzle.
//!
//! Each line of a list is a record. The rows of grids are counted in stretches; the lines that separate grids also
//! separate stretches. A stretch that consists of complete grids is read as those grids, and an unreadable row spoils
//! only its own grid. In any other stretch, it is unknown where grids begin, so the whole stretch is one invalid
//! record. Grids are separated by blank lines, lines of brackets, and titles, as well as by borders and comments unless
//! these are inside a puzzle.

mod beside;
mod candidates;
mod claims;
mod frame;
mod kind;
mod line;
mod plain;
mod rows;
#[cfg(test)]
mod tests;

pub(in crate::input) use candidates::candidates;
pub(in crate::input) use claims::is_solution;

use super::notation::Notation;
use super::whole_lines;
use crate::input::reader::{Block, Read, Reader, State, TextEnd, TextReader, Which};
use crate::input::{Columns, Dialect, Framing};
use crate::record::{Records, Span, Texts};
use crate::sudoku::{CELLS, SIDE, digit_of};
use kind::{Line, LineKind, Lines};

/// A reader of lines that have 81, 9 or 1 cells each.
#[derive(Clone, Debug)]
pub(in crate::input) struct Units {
    dialect: Dialect,
    /// The number of cells per line: 81, 9 or 1.
    cells_a_line: usize,
    notation: Notation,
    /// The columns of text beside the cells, as indices into [`beside::NAMES`].
    columns: Vec<usize>,
}

impl Units {
    /// Makes a reader for a dialect with the framing `line`, `grid` or `cell`; settings that are not given are off.
    fn new(dialect: Dialect) -> Self {
        let cells_a_line = match dialect.framing {
            Framing::Grid => SIDE,
            Framing::Cell => 1,
            _ => CELLS,
        };
        // If the dialect names one of the usual signs, borders use that sign too; the setting decides whether it means
        // a blank or a border.
        let is_odd =
            |&sign: &char| u8::try_from(sign).is_ok_and(|byte| digit_of(byte).is_none()) || !sign.is_ascii();
        let notation = Notation { blank: dialect.blank.filter(is_odd) };
        Self { dialect, cells_a_line, notation, columns: Vec::new() }
    }

    /// Returns how many lines a puzzle has.
    const fn rows(&self) -> usize {
        CELLS / self.cells_a_line
    }

    /// Returns whether a complete grid after a puzzle is the puzzle's claim.
    fn is_below(&self) -> bool {
        self.dialect.solution_below == Some(true)
    }

    /// Returns whether single blank lines separate only bands, not grids.
    fn has_bands(&self) -> bool {
        self.dialect.bands == Some(true)
    }

    /// Reads all grids, including claims below their puzzles.
    fn read_each(&self, block: &Block<'_>, out: &mut Records) -> Read {
        if self.cells_a_line == CELLS {
            self.read_lines(block.bytes, out)
        } else {
            self.read_rows(block, out)
        }
    }

    /// Returns the lines of a record that hold cells; those of a claim below the puzzle come last.
    fn rows_of<'a>(&self, record: &'a [u8]) -> Vec<Line<'a>> {
        let is_row = |line: &Line| matches!(self.kind_of(record, line), LineKind::Row(_));
        Lines::new(record).filter(is_row).collect()
    }

    /// Returns the text of the claim that follows the puzzle on a record's line, and where it starts.
    fn claim_after<'a>(&self, record: &'a [u8]) -> Option<(&'a [u8], usize)> {
        let Line { text, .. } = Lines::new(record).next().filter(|_| self.cells_a_line == CELLS)?;
        let cells = self.notation.cells(text, CELLS).ok()?;
        let (claim, _) = self.after(text, cells.end, &cells.values, false).claim?;
        Some((&text[claim.clone()], claim.start))
    }
}

impl Reader for Units {
    fn read(&self, block: &Block<'_>, out: &mut Records) -> Read {
        if !self.is_below() {
            return self.read_each(block, out);
        }
        let mut found = Records::with_claims();
        let read = self.read_each(block, &mut found);
        claims::pair(&found, out);
        read
    }

    fn offset(&self, record: &[u8], cell: usize, which: Which) -> Option<usize> {
        let cells = |line: &Line| self.notation.offsets(line.text, self.cells_a_line);
        let first = match which {
            Which::Puzzle => 0,
            Which::Claim => match self.claim_after(record) {
                Some((text, start)) => {
                    return Some(start + self.notation.offsets(text, CELLS).get(cell)?);
                }
                None => self.rows(),
            },
        };
        let rows = self.rows_of(record);
        let row = rows.get(first + cell / self.cells_a_line)?;
        Some(row.start + cells(row).get(cell % self.cells_a_line)?)
    }

    fn columns(&self) -> Columns {
        let names = self.columns.iter().map(|&column| beside::NAMES[column].to_owned()).collect();
        Columns { names, ..Columns::default() }
    }

    fn carry(&self, bytes: &[u8], records: &Records, wanted: &[Option<usize>], out: &mut [Texts]) {
        for span in records.spans() {
            let line = Lines::new(span.of(bytes)).next();
            let parts = line.and_then(|line| self.beside(line.text));
            for (texts, column) in out.iter_mut().zip(wanted) {
                let column = column.and_then(|column| self.columns.get(column));
                let part = parts.zip(column).map(|(parts, &column)| parts[column]);
                texts.push(part.filter(|part| !part.is_empty()));
            }
        }
    }

    fn dialect(&self) -> Dialect {
        self.dialect.clone()
    }
}

impl TextReader for Units {
    fn frame(&self, state: &mut State, bytes: &[u8], end: TextEnd) -> usize {
        let length = if self.cells_a_line == CELLS && !self.is_below() {
            whole_lines(bytes, end)
        } else {
            self.frame_rows(state, bytes, end)
        };
        state.begun |= length > 0;
        length
    }

    fn is_declared(&self) -> bool {
        false
    }
}

/// Returns the span from the start of one line to the end of another.
const fn span(first: usize, end: usize) -> Span {
    Span { start: first, length: end - first }
}
