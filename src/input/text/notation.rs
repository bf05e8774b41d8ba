//! The cells of a text: the grammar that all readers share.
//!
//! Each character is a cell, white space, a mark or something else. Cells are digits and blanks (`. 0 * _ - ? x X`, or
//! another sign that the dialect names). Marks are separators, brackets, quotes and frames. A token is the text between
//! white space and marks. A text is n cells if it has one of these shapes, which are tried in this order:
//!
//! - *close*: a token of n cells. A label with fewer than half as many cells may come before it. Anything may follow 81
//!   cells; only white space and marks may follow nine.
//! - *spread*: tokens of equal length with n cells in total; or n tokens, each of which is a cell or a word for one
//!   (`null`, `None`, `nil`, `NaN`, `-1`, `5.0`).
//! - *fields*: n fields with the same separator between them. Each is a cell, a word for one, or empty, which means a
//!   blank.
//! - *fixed*: cells at fixed distances, with spaces for blanks. Nine cells must have a width that only such a row has,
//!   or fill the three parts of a frame; 81 cells must be 81 characters.
//! - *joined*: nine groups of nine cells, joined by a character that elsewhere means a blank.
//!
//! Tokens must have equal lengths because nine cells easily occur by chance: a time of day with hundredths of a second
//! has nine. A label may come before any shape. A label is a series of words, anything that ends with a bracket, or one
//! token followed by a mark. That mark must not also separate all the cells (`1 | 5 3 . | . 7 . | . . .`). A comment or
//! the end of a clause may follow. A single cell has no label.

mod miss;
mod shapes;
mod signs;
#[cfg(test)]
mod tests;

pub(in crate::input) use miss::character_fault;
use shapes::Found;
use signs::{Kind, kind_of};
pub(in crate::input) use signs::{SEPARATORS, is_border, is_comment};

use crate::record::Fault;
use crate::sudoku::{CELLS, Grid, digit_of};

/// The way in which cells are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::input) struct Notation {
    /// The sign for a blank, instead of `. 0 * _ - ? x X`. If it is a space, a row of nine characters may be cut short
    /// where only blanks would follow.
    pub blank: Option<char>,
}

/// The cells of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::input) struct Cells {
    /// The values of the cells, with 0 for a blank; only the first n are used.
    pub values: [u8; CELLS],
    /// The number of bytes before the first cell (a label, spaces or an opening bracket).
    pub start: usize,
    /// The offset of whatever follows the cells (a rating, a name or a solution); the length of the text if nothing
    /// does.
    pub end: usize,
}

/// The reason why a text is not n cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::input) enum Miss {
    /// The text has fewer than half of the cells, so it must be something else.
    Other,
    /// The text has at least half of the cells. The fault has no place yet; `at` is its byte in the text. If there are
    /// too few cells, this is the byte after the last cell; if there are too many, it is the first surplus cell.
    Bad { fault: Fault, at: usize },
}

impl Notation {
    /// Reads the `n` cells (81, 9 or 1) of a text without a line end. If `n` is 1, the text may be empty, which counts
    /// as a blank.
    #[inline]
    pub fn cells(self, text: &[u8], n: usize) -> Result<Cells, Miss> {
        if n == CELLS
            && let Some((start, grid)) = self.digits_after_label(text)
        {
            return Ok(Cells { values: *grid.cells(), start, end: start + CELLS });
        }
        match self.other_cells(text, n) {
            Err(_)
                if n == CELLS
                    && let Some(text) = without_tags(text) =>
            {
                self.cells(&text, n)
            }
            found => found,
        }
    }

    /// Returns the offsets of the `n` cells that [`Notation::cells`] finds in the text; empty if it finds none. The
    /// offset for an empty field is where its cell would be.
    pub fn offsets(self, text: &[u8], n: usize) -> Vec<usize> {
        let find = |text: &[u8]| {
            let mut found = Found::new(n);
            self.find(text, &mut found).map(|_| found.offsets[..n].to_vec())
        };
        find(text).or_else(|| find(&without_tags(text).filter(|_| n == CELLS)?)).unwrap_or_default()
    }

    /// Finds the first token that is exactly 81 bytes of cells, and where it starts. Nearly every list has such tokens,
    /// and this is a fast way to find them. There are too few bytes before the token to be anything but a label.
    #[inline]
    fn digits_after_label(self, text: &[u8]) -> Option<(usize, Grid)> {
        // The last byte of a token may be part of an additional sign for a blank.
        let last = text.len().checked_sub(CELLS).filter(|&last| last == 0 || self.blank.is_none())?;
        let begins = |start: usize| start == 0 || ends_cells(text[start - 1]);
        (0..=last.min(CELLS / 2)).filter(|&start| begins(start)).find_map(|start| {
            let (cells, behind) = text[start..].split_first_chunk::<CELLS>()?;
            let is_whole = behind.first().is_none_or(|&byte| ends_cells(byte));
            Some((start, Grid::from_text(cells).filter(|_| is_whole)?))
        })
    }

    /// Reads the cells of a text that is not simply 81 bytes of cells.
    #[inline(never)]
    fn other_cells(self, text: &[u8], n: usize) -> Result<Cells, Miss> {
        if let Some(values) = even(text, n).filter(|_| self.blank.is_none()) {
            return Ok(Cells { values, start: 0, end: text.len() });
        }
        let mut found = Found::new(n);
        match self.find(text, &mut found) {
            Some(end) => Ok(Cells { values: found.values, start: found.offsets[0], end }),
            None => Err(self.miss(text, n)),
        }
    }
}

/// Replaces tags such as `<puzzle>` with spaces; `None` if the text has no tags.
#[cold]
fn without_tags(text: &[u8]) -> Option<Vec<u8>> {
    let (mut spaced, mut at) = (memchr::memchr(b'<', text).map(|_| text.to_vec())?, 0);
    while let Some(length) = memchr::memchr(b'<', &text[at..]) {
        let open = at + length;
        let name = text[open + 1..].strip_prefix(b"/").unwrap_or(&text[open + 1..]);
        at = open + 1;
        if name.first().is_some_and(u8::is_ascii_alphabetic)
            && let Some(length) = memchr::memchr2(b'<', b'>', name).filter(|&length| name[length] == b'>')
        {
            at = text.len() - name.len() + length + 1;
            spaced[open..at].fill(b' ');
        }
    }
    (spaced != text).then_some(spaced)
}

/// Returns whether a byte ends a run of 81 adjacent cells.
pub(in crate::input) fn ends_cells(byte: u8) -> bool {
    matches!(kind_of(byte), Kind::Space | Kind::Mark)
}

/// Reads the cells of the most common rows: `n` bytes, or `n` bytes with one separator between each pair of neighbours.
fn even(text: &[u8], n: usize) -> Option<[u8; CELLS]> {
    let mut values = [0; CELLS];
    if n == 0 || n > CELLS {
        return None;
    }
    let step = match text.len() {
        length if length == n => 1,
        length if length == 2 * n - 1 && ends_cells(text[1]) => 2,
        _ => return None,
    };
    for (value, cell) in values.iter_mut().zip(text.chunks(step)) {
        *value = digit_of(cell[0])?;
        if cell.get(1).is_some_and(|separator| *separator != text[1]) {
            return None;
        }
    }
    Some(values)
}
