//! The reader of lists, which have 81 cells on each line.

use std::ops::Range;

use super::claims::{claim_in_words, is_solution};
use super::{Line, LineKind, Lines, Units, span};
use crate::input::reader::Read;
use crate::input::text::notation::{Cells, Miss, ends_cells};
use crate::record::{Fault, Layout, Place, Records};
use crate::sudoku::{CELLS, Grid, SIDE};

/// The contents of a line after the cells of a puzzle.
#[derive(Default)]
pub(super) struct After {
    /// The claim of the puzzle, and where it is.
    pub claim: Option<(Range<usize>, Grid)>,
    /// The start of the first complete grid that is neither the claim nor a record.
    surplus: Option<usize>,
    /// Where the next record starts, and its cells.
    next: Option<(usize, Result<Cells, Broken>)>,
}

/// A word that is almost a grid.
struct Broken {
    fault: Fault,
    /// The byte offset of the fault in the line.
    at: usize,
    end: usize,
}

const fn is_clue(sign: &u8) -> bool {
    matches!(sign, b'1'..=b'9')
}

/// Returns whether the text of a grid contains a digit. For speed, this looks at the text: the bytes of the grid have
/// just been written in one width and would be loaded in another.
fn has_digit(cells: &[u8; CELLS]) -> bool {
    cells.iter().fold(false, |any, cell| any | is_clue(cell))
}

impl Units {
    /// Reads a list, in which every line is a record of its own.
    pub(super) fn read_lines(&self, bytes: &[u8], out: &mut Records) -> Read {
        let mut read = Read::default();
        let mut lines = Lines::new(bytes);
        out.reserve(bytes.len() / (CELLS + 1));
        loop {
            // Most lines are nothing but cells.
            while let Some((cells, [b'\n', ..])) = bytes[lines.start..].split_first_chunk::<CELLS>()
                && has_digit(cells)
                && let Some(grid) = Grid::from_text(cells)
            {
                let start = lines.start;
                lines.start += CELLS + 1;
                lines.number += 1;
                out.push_sudoku(lines.number, span(start, lines.start), Layout::Line, grid);
                out.push_claim(|| None);
            }
            let Some(line) = lines.next() else { break };
            self.read_line(bytes, &line, out, &mut read);
        }
        read.lines = lines.number;
        read
    }

    /// Finds out what follows the cells of a puzzle, which end at `at`. Complete grids are records only if the first
    /// grid on the line is complete.
    pub(super) fn after(&self, text: &[u8], mut at: usize, puzzle: &[u8; CELLS], is_complete: bool) -> After {
        let mut after = After::default();
        loop {
            // A label before the cells belongs to them, but a separator does not. A space next to the cells is not a
            // blank cell.
            let word = at + text[at..].iter().take_while(|byte| ends_cells(**byte)).count();
            let rest = text[word..].trim_ascii_end();
            let found = if rest.len() >= CELLS { self.notation.cells(rest, CELLS).ok() } else { None };
            let Some(cells) = found else {
                match self.broken(text, word) {
                    Some(broken) if is_complete || !text[word..broken.end].iter().all(is_clue) => {
                        after.next = Some((word, Err(broken)));
                        return after;
                    }
                    Some(broken) => {
                        after.surplus.get_or_insert(at);
                        at = broken.end;
                        continue;
                    }
                    None => {
                        after.claim = after.claim.or_else(|| claim_in_words(text, at, puzzle));
                        return after;
                    }
                }
            };
            let (start, end) = (word + cells.start, word + cells.end);
            if is_complete || cells.values.contains(&0) {
                after.next = Some((word, Ok(Cells { start, end, ..cells })));
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

    /// Returns the fault of the word that begins at `start`, if it has about as many characters as a grid.
    fn broken(&self, text: &[u8], start: usize) -> Option<Broken> {
        let word = text[start..].split(|&byte| ends_cells(byte)).next()?;
        if word.len().abs_diff(CELLS) > SIDE {
            return None;
        }
        match self.notation.cells(word, CELLS) {
            Err(Miss::Bad { fault, at }) => Some(Broken { fault, at: start + at, end: start + word.len() }),
            _ => None,
        }
    }

    /// Reads one line.
    fn read_line(&self, bytes: &[u8], line: &Line<'_>, out: &mut Records, read: &mut Read) {
        match self.kind_of(bytes, line) {
            LineKind::Row(cells) => self.read_grids(line, Ok(cells), out, read),
            LineKind::Bad(fault, at) => {
                let whole = Broken { fault, at, end: line.text.len() };
                let first = self.broken(line.text, 0).unwrap_or(whole);
                self.read_grids(line, Err(first), out, read);
            }
            LineKind::Title => read.passed.count(line.number, line.text),
            LineKind::Blank | LineKind::Border | LineKind::Comment | LineKind::Marks => {}
        }
    }

    /// Reads the grids of a line, each with its claim. A grid that has blanks is a record; a complete grid is a record
    /// only if the first grid on the line is complete.
    fn read_grids(&self, line: &Line<'_>, first: Result<Cells, Broken>, out: &mut Records, read: &mut Read) {
        let (mut start, mut found, mut surplus) = (line.start, first, None);
        let is_complete = match &found {
            Ok(cells) => !cells.values.contains(&0),
            Err(broken) => line.text[..broken.end].iter().all(is_clue),
        };
        loop {
            let (at, values) = match &found {
                Ok(cells) => (cells.end, cells.values),
                // Any complete grid after an unreadable puzzle counts as its claim.
                Err(broken) => (broken.end, [0; CELLS]),
            };
            let after = self.after(line.text, at, &values, is_complete);
            surplus = surplus.or(after.surplus);
            let end = after.next.as_ref().map_or(line.end, |(next, _)| line.start + next);
            match found {
                Ok(cells) => {
                    let grid = Grid::from_digits(cells.values);
                    out.push_sudoku(line.number, span(start, end), Layout::Line, grid);
                }
                Err(Broken { fault, at, .. }) => {
                    let fault = fault.at(Place { line: line.number, column: at as u64 + 1 });
                    out.push_puzzle(line.number, span(start, end), Layout::Line, Err(fault));
                }
            }
            out.push_claim(|| after.claim.map(|(_, grid)| Ok(grid)));
            let Some((_, next)) = after.next else { break };
            (start, found) = (end, next);
        }
        if let Some(at) = surplus {
            read.passed.count(line.number, &line.text[at..]);
        }
    }
}
