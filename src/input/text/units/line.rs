//! 81 cells on a line.

use super::claims::{Pairs, Puzzle, claim_behind};
use super::{Line, Lines, Sort, Units, span};
use crate::input::reader::Read;
use crate::record::{Layout, Place};
use crate::sudoku::{CELLS, Grid};

/// Whether a text of cells has a digit. The text is looked at and not the grid made of it, whose bytes were just written one
/// way and would be loaded another.
fn has_digit(cells: &[u8; CELLS]) -> bool {
    cells.iter().fold(false, |any, cell| any | (b'1'..=b'9').contains(cell))
}

impl Units {
    /// Reads lists: every line is a record by itself.
    pub(super) fn read_lines(&self, bytes: &[u8], mut out: Pairs<'_>) -> Read {
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
                let span = span(start, lines.start);
                out.add(Puzzle { line: lines.number, span, layout: Layout::Line, grid, claim: None });
            }
            let Some(line) = lines.next() else { break };
            self.read_line(bytes, &line, &mut out, &mut read);
        }
        out.settle();
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
    fn read_line(&self, bytes: &[u8], line: &Line<'_>, out: &mut Pairs<'_>, read: &mut Read) {
        let span = span(line.start, line.end);
        match self.sort(bytes, line) {
            Sort::Row(cells) => {
                let grid = Grid::new(cells.values).expect("cells are 0 to 9");
                let behind = &line.text[cells.end..];
                let claim = if out.looks_behind() { claim_behind(behind, &cells.values) } else { None };
                let claim = claim.map(|(_, grid)| grid);
                if self.is_open_puzzle(behind) {
                    read.passed.count(line.number, behind);
                }
                out.add(Puzzle { line: line.number, span, layout: Layout::Line, grid, claim });
            }
            Sort::Bad(fault, at) => {
                let place = Place { line: line.number, column: at as u64 + 1 };
                out.add_fault(line.number, span, Layout::Line, fault.at(place));
            }
            Sort::Title => read.passed.count(line.number, line.text),
            Sort::Blank | Sort::Border | Sort::Comment | Sort::Marks => {}
        }
    }
}
