//! 81 cells on a line.

use super::claims::claim_behind;
use super::{Line, Lines, Sort, Units, span};
use crate::input::reader::Read;
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

    /// Whether what stands behind the cells of a line is another puzzle with a blank: no claim, and told.
    fn is_open_puzzle(&self, behind: &[u8]) -> bool {
        let Some((_, cells)) = behind.split_at_checked(1).filter(|(_, cells)| cells.len() >= CELLS) else {
            return false;
        };
        // Most are solutions.
        let is_digit = |byte: &u8| (b'1'..=b'9').contains(byte);
        !cells[..CELLS].iter().all(is_digit)
            && self.notation.cells(cells, CELLS).is_ok_and(|cells| cells.values.contains(&0))
    }

    /// Reads one line.
    fn read_line(&self, bytes: &[u8], line: &Line<'_>, want: Want, out: &mut Records, read: &mut Read) {
        let mut claim = None;
        let puzzle = match self.sort(bytes, line) {
            Sort::Row(cells) => {
                let behind = &line.text[cells.end..];
                let may_have = want.claims || behind.len() > 2 * CELLS;
                let found = if may_have { claim_behind(behind, &cells.values) } else { None };
                let rest = found.map_or(behind, |(start, _)| &behind[start + CELLS..]);
                claim = found.map(|(_, grid)| Ok(grid));
                if self.is_open_puzzle(rest) {
                    read.passed.count(line.number, rest);
                }
                Ok(Grid::from_digits(cells.values))
            }
            Sort::Bad(fault, at) => Err(fault.at(Place { line: line.number, column: at as u64 + 1 })),
            Sort::Title => return read.passed.count(line.number, line.text),
            Sort::Blank | Sort::Border | Sort::Comment | Sort::Marks => return,
        };
        out.push_puzzle(line.number, span(line.start, line.end), Layout::Line, puzzle);
        if want.claims {
            out.claims.push(claim);
        }
    }
}
