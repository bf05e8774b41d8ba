//! What stands before and behind the cells of a line: a name, a number, a rating. They are columns that can be carried
//! along.

use super::claims::claim_behind;
use super::{Lines, Sort, Units};
use crate::input::reader::Sample;
use crate::sudoku::CELLS;

/// The names of the columns.
pub(super) const NAMES: [&str; 2] = ["before", "behind"];

impl Units {
    /// The same with those columns that some line of a sample has.
    pub(super) fn with_columns(mut self, sample: &Sample<'_>) -> Self {
        if self.cells_a_line == CELLS {
            let is_row = |line: &super::Line<'_>| matches!(self.sort(sample.bytes, line), Sort::Row(_));
            let rows = Lines::new(sample.bytes).filter(is_row);
            let parts: Vec<_> = rows.filter_map(|row| self.beside(row.text)).collect();
            self.columns =
                (0..NAMES.len()).filter(|&at| parts.iter().any(|part| !part[at].is_empty())).collect();
        }
        self
    }

    /// What stands before and behind the cells of a line, and behind its claim if it has one there.
    pub(super) fn beside<'a>(&self, text: &'a [u8]) -> Option<[&'a [u8]; 2]> {
        let cells = self.notation.cells(text, CELLS).ok()?;
        let behind = match claim_behind(&text[cells.end..], &cells.values) {
            Some((start, _)) => &text[cells.end + start + CELLS..],
            None => &text[cells.end..],
        };
        let is_idle = |byte: u8| !byte.is_ascii_alphanumeric() && byte.is_ascii() && byte != b'-';
        let mut before = &text[..cells.start];
        while let [rest @ .., last] = before
            && is_idle(*last)
        {
            before = rest;
        }
        let mut after = behind;
        while let [first, rest @ ..] = after
            && is_idle(*first)
        {
            after = rest;
        }
        Some([before.trim_ascii(), after.trim_ascii()])
    }
}
