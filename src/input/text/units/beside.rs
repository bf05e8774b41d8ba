//! The text before and after the cells of a line, such as a name or a rating, as columns to carry along.

use super::{Lines, Units};
use crate::input::reader::Sample;
use crate::sudoku::CELLS;

/// The names of the columns.
pub(super) const NAMES: [&str; 2] = ["before", "behind"];

impl Units {
    /// Adds those columns that occur in some line of a sample.
    pub(super) fn with_columns(mut self, sample: &Sample<'_>) -> Self {
        if self.cells_a_line == CELLS {
            let parts: Vec<_> = Lines::new(sample.bytes).filter_map(|line| self.beside(line.text)).collect();
            self.columns =
                (0..NAMES.len()).filter(|&at| parts.iter().any(|part| !part[at].is_empty())).collect();
        }
        self
    }

    /// Returns the texts before and after the cells of a line. If there is a claim on the line, the second text starts
    /// after the claim.
    pub(super) fn beside<'a>(&self, text: &'a [u8]) -> Option<[&'a [u8]; 2]> {
        let cells = self.notation.cells(text, CELLS).ok()?;
        let claim = self.after(text, cells.end, &cells.values, !cells.values.contains(&0)).claim;
        let end = claim.map_or(cells.end, |(claim, _)| claim.end);
        let (before, behind) = (&text[..cells.start], &text[end..]);
        // Separators and brackets next to the cells belong to neither text.
        let says = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii() || *byte == b'-';
        let end = before.iter().rposition(says).map_or(0, |last| last + 1);
        let first = behind.iter().position(says).unwrap_or(behind.len());
        Some([before[..end].trim_ascii(), behind[first..].trim_ascii()])
    }
}
