//! 81 cells on a line.

use std::ops::Range;

use super::claims::{claim_in_words, is_solution};
use super::{Line, Lines, Sort, Units, span};
use crate::input::reader::Read;
use crate::input::text::notation::{Cells, ends_cells};
use crate::record::{Layout, Place, Records, Want};
use crate::sudoku::{CELLS, Grid};

/// What is on a line after the cells of a puzzle.
#[derive(Default)]
pub(super) struct After {
    /// Its claim, and where that stands.
    pub claim: Option<(Range<usize>, Grid)>,
    /// Where the first complete grid begins that is neither its claim nor a record.
    surplus: Option<usize>,
    /// The cells of the next record.
    next: Option<Cells>,
}

/// Whether a text of cells has a digit. The text is looked at and not the grid made of it, whose bytes were just written one
/// way and would be loaded another.
fn has_digit(cells: &[u8; CELLS]) -> bool {
    cells.iter().fold(false, |any, cell| any | (b'1'..=b'9').contains(cell))
}

impl Units {
    /// Reads lists: every line is a record by itself.
    pub(super) fn read_lines(&self, bytes: &[u8], want: Want, out: &mut Records) -> Read {
        let mut read = Read::default();
        let mut lines = Lines::new(bytes);
        out.reserve(bytes.len() / (CELLS + 1));
        loop {
            // The commonest lines are nothing but cells.
            while let Some((cells, [b'\n', ..])) = bytes[lines.start..].split_first_chunk::<CELLS>()
                && has_digit(cells)
                && let Some(grid) = Grid::from_text(cells)
            {
                let start = lines.start;
                lines.start += CELLS + 1;
                lines.number += 1;
                out.push_sudoku(lines.number, span(start, lines.start), Layout::Line, grid);
                if want.claims {
                    out.claims.push(None);
                }
            }
            let Some(line) = lines.next() else { break };
            self.read_line(bytes, &line, want, out, &mut read);
        }
        read.lines = lines.number;
        read
    }

    /// Finds what is on a line after the cells of a puzzle that end at `at`. A complete grid is a record if the first on the
    /// line is complete.
    pub(super) fn after(&self, text: &[u8], mut at: usize, puzzle: &[u8; CELLS], is_complete: bool) -> After {
        let mut after = After::default();
        loop {
            let rest = &text[at..];
            // A grid is apart from the cells before it.
            let found = if rest.len() > CELLS { self.notation.cells(rest, CELLS).ok() } else { None };
            let Some(cells) = found else {
                after.claim = after.claim.or_else(|| claim_in_words(text, at, puzzle));
                return after;
            };
            let (start, end) = (at + cells.start, at + cells.end);
            if is_complete || cells.values.contains(&0) {
                // A label before the cells belongs to them, a separator does not.
                let start = at + rest.iter().take_while(|byte| ends_cells(**byte)).count();
                after.next = Some(Cells { start, end, ..cells });
                return after;
            }
            if after.claim.is_none() && is_solution(puzzle, &cells.values) {
                after.claim = Some((start..end, Grid::from_digits(cells.values)));
            } else {
                after.surplus.get_or_insert(at);
            }
            at = end;
        }
    }

    /// Reads one line.
    fn read_line(&self, bytes: &[u8], line: &Line<'_>, want: Want, out: &mut Records, read: &mut Read) {
        match self.sort(bytes, line) {
            Sort::Row(cells) => self.read_grids(line, cells, want, out, read),
            Sort::Bad(fault, at) => {
                let fault = fault.at(Place { line: line.number, column: at as u64 + 1 });
                out.push_puzzle(line.number, span(line.start, line.end), Layout::Line, Err(fault));
                if want.claims {
                    out.claims.push(None);
                }
            }
            Sort::Title => read.passed.count(line.number, line.text),
            Sort::Blank | Sort::Border | Sort::Comment | Sort::Marks => {}
        }
    }

    /// Reads the grids of a line, each with its claim. One with a blank is a record, and so is a complete one if the first
    /// is complete.
    fn read_grids(&self, line: &Line<'_>, first: Cells, want: Want, out: &mut Records, read: &mut Read) {
        let is_complete = !first.values.contains(&0);
        let (mut start, mut cells, mut surplus) = (line.start, first, None);
        loop {
            let after = self.after(line.text, cells.end, &cells.values, is_complete);
            surplus = surplus.or(after.surplus);
            let end = after.next.as_ref().map_or(line.end, |next| line.start + next.start);
            out.push_sudoku(line.number, span(start, end), Layout::Line, Grid::from_digits(cells.values));
            if want.claims {
                out.claims.push(after.claim.map(|(_, grid)| Ok(grid)));
            }
            let Some(next) = after.next else { break };
            (start, cells) = (end, next);
        }
        if let Some(at) = surplus {
            read.passed.count(line.number, &line.text[at..]);
        }
    }
}
