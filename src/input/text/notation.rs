//! The cells of a text: the one grammar that every door uses.

use crate::record::Fault;
use crate::sudoku::CELLS;

/// How cells are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::input) struct Notation {
    /// One more sign for a blank besides `. 0 * _ - ? x X`.
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
    /// It has at least half of them. The fault has no place yet; `at` is the byte of the text that it is about.
    Bad { fault: Fault, at: usize },
}

impl Notation {
    /// The `n` cells (81, 9 or 1) of a text without a line end.
    pub fn cells(self, _text: &[u8], _n: usize) -> Result<Cells, Miss> {
        todo!()
    }

    /// Where in the text each of its `n` cells stands that [`Notation::cells`] finds there; for an empty field, where it
    /// would stand.
    pub fn offsets(self, _text: &[u8], _n: usize) -> Vec<usize> {
        todo!()
    }
}
