//! The cells of a text: the grammar that all readers share.
//!
//! A character is a cell (a digit, or a blank: `. 0 * _ - ? x X`, or another one that the dialect names), white space,
//! a mark (a separator, a bracket, a quote, a frame) or something else. A token is what is between white space and
//! marks. A text is n cells if it has one of these shapes, tried in this order:
//!
//! - *close*: a token of n cells. A label with fewer than half as many may come before it; after 81 cells anything may
//!   follow, after nine only white space and marks.
//! - *spread*: tokens of one length with n cells in total, or n tokens of one cell or a word for one each (`null`,
//!   `None`, `nil`, `NaN`, `-1`, `5.0`), white space and marks.
//! - *fields*: n fields between separators of one kind, each a cell, a word for one, or empty, which is a blank.
//! - *fixed*: cells at a fixed distance, with spaces for blanks: nine in a width that only such a row has, or in three
//!   parts of a frame; or 81 in 81 characters.
//! - *joined*: nine times nine cells joined by a character that is a blank in other texts.
//!
//! Groups must have one length, since nine cells easily occur by chance: a time of day with hundredths has nine. Each
//! shape may have a label before it: words, one token set apart by a mark that is not between all cells (`1 | 5 3 . | .
//! 7 . | . . .`), or anything that ends with a bracket. A comment or the end of a clause may follow. A single cell has
//! no label.

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

/// How cells are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::input) struct Notation {
    /// The sign for a blank instead of `. 0 * _ - ? x X`. If it is a space, a row of nine characters may be cut short
    /// where only blanks follow.
    pub blank: Option<char>,
}

/// Cells of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::input) struct Cells {
    /// Their values, 0 for a blank; the first n count.
    pub values: [u8; CELLS],
    /// Bytes of the text before the first of them (a label, spaces, an opening bracket).
    pub start: usize,
    /// Where what is behind them begins: a rating, a name, a solution; the length of the text if nothing is.
    pub end: usize,
}

/// Why a text is not n cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::input) enum Miss {
    /// It has less than half of them: it is something else.
    Other,
    /// It has at least half of them. The fault has no place yet; `at` is the byte of the text that it is about: for too
    /// few cells the one behind them, for too many the first that is too much.
    Bad { fault: Fault, at: usize },
}

impl Notation {
    /// The `n` cells (81, 9 or 1) of a text without a line end. One cell may be an empty text, which is a blank.
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

    /// Where in the text each of its `n` cells stands that [`Notation::cells`] finds there; for an empty field, where it
    /// would stand. Empty if it finds none.
    pub fn offsets(self, text: &[u8], n: usize) -> Vec<usize> {
        let find = |text: &[u8]| {
            let mut found = Found::new(n);
            self.find(text, &mut found).map(|_| found.offsets[..n].to_vec())
        };
        find(text).or_else(|| find(&without_tags(text).filter(|_| n == CELLS)?)).unwrap_or_default()
    }

    /// The first token of 81 bytes that are cells, and where it begins: what nearly every list has, found soon. Before it
    /// are too few bytes to be no label.
    #[inline]
    fn digits_after_label(self, text: &[u8]) -> Option<(usize, Grid)> {
        // What ends a token may be one sign more for a blank.
        let last = text.len().checked_sub(CELLS).filter(|&last| last == 0 || self.blank.is_none())?;
        let begins = |start: usize| start == 0 || ends_cells(text[start - 1]);
        (0..=last.min(CELLS / 2)).filter(|&start| begins(start)).find_map(|start| {
            let (cells, behind) = text[start..].split_first_chunk::<CELLS>()?;
            let is_whole = behind.first().is_none_or(|&byte| ends_cells(byte));
            Some((start, Grid::from_text(cells).filter(|_| is_whole)?))
        })
    }

    /// The cells of a text that is not 81 bytes of them.
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

/// A text with spaces for tags such as `<puzzle>`; `None` if it has no tag.
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

/// Whether a byte after 81 cells close together ends them.
pub(in crate::input) fn ends_cells(byte: u8) -> bool {
    matches!(kind_of(byte), Kind::Space | Kind::Mark)
}

/// The cells of the commonest rows: `n` bytes, or as many with one separator between each two.
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
