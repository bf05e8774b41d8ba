//! 81 cells on a line.

use super::claims::{claim_behind, is_solution};
use super::{Line, Lines, Sort, Units, span};
use crate::input::reader::Read;
use crate::input::text::notation::{Cells, SEPARATORS};
use crate::record::{Layout, Place, Records, Want};
use crate::sudoku::{CELLS, Grid};

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

    /// The grid in a text behind the cells of a line, if there is one; a complete one only if those are wanted.
    fn grid_behind(&self, text: &[u8], wants_complete: bool) -> Option<Cells> {
        let (_, cells) = text.split_at_checked(1).filter(|(_, cells)| cells.len() >= CELLS)?;
        // Most are solutions.
        let is_complete = cells[..CELLS].iter().all(|byte| (b'1'..=b'9').contains(byte));
        self.notation.cells(text, CELLS).ok().filter(|_| wants_complete || !is_complete)
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
        let (mut start, mut end, mut values) = (line.start, first.end, first.values);
        loop {
            let (mut at, mut claim) = (end, None);
            let wants_complete = is_complete || want.claims || line.text.len() - at > 2 * CELLS;
            let next = loop {
                let Some(grid) = self.grid_behind(&line.text[at..], wants_complete) else { break None };
                if is_complete || grid.values.contains(&0) {
                    // A label before the cells belongs to them, a separator does not.
                    let is_between = |byte: &&u8| byte.is_ascii_whitespace() || SEPARATORS.contains(byte);
                    let between = line.text[at..].iter().take_while(is_between).count();
                    break Some(Cells { start: at + between, end: at + grid.end, ..grid });
                }
                if claim.is_some() {
                    read.passed.count(line.number, &line.text[at..]);
                } else if is_solution(&values, &grid.values) {
                    claim = Some(Grid::from_digits(grid.values));
                }
                at += grid.end;
            };
            let stop = next.as_ref().map_or(line.text.len(), |next| next.start);
            let last = next.as_ref().map_or(line.end, |_| line.start + stop);
            out.push_sudoku(line.number, span(start, last), Layout::Line, Grid::from_digits(values));
            if want.claims {
                let words_behind = || claim_behind(&line.text[end..stop], &values).map(|(_, grid)| grid);
                out.claims.push(claim.or_else(words_behind).map(Ok));
            }
            let Some(next) = next else { return };
            (start, end, values) = (last, next.end, next.values);
        }
    }
}
