//! The cells of a value: a string, a list of 81, or nine rows.

use std::borrow::Cow;
use std::ops::Range;

use super::lexer::{Element, Quoted, elements, is_space};
use crate::input::text::notation::{Miss, Notation};
use crate::record::{Fault, FaultKind};
use crate::sudoku::{CELLS, Grid, SIDE};

/// What is half of a puzzle; what has less is something else.
pub(super) const HALF: usize = CELLS.div_ceil(2);

/// What is half of a row, and of the rows of a grid.
pub(super) const HALF_ROW: usize = SIDE.div_ceil(2);

/// A list with more cells than two puzzles is no damaged puzzle but a list of numbers.
pub(super) const MOST: usize = 2 * CELLS;

/// How a value may hold cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A string.
    Text { is_escaped: bool },
    /// A list of scalars.
    Cells,
    /// A list of rows, each a list of scalars or a string.
    Rows,
}

/// A value of a document, as it is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value<'a> {
    /// Brackets or quotes included.
    pub bytes: &'a [u8],
    pub kind: Kind,
}

impl<'a> Value<'a> {
    /// Its grid; else what is wrong, at a byte of it.
    #[inline]
    pub fn grid(self) -> Result<Grid, Miss> {
        if self.kind == Kind::Rows { self.rows_grid() } else { self.cells(CELLS).map(Grid::from_digits) }
    }

    /// The grid of nine rows. If half of them are rows, they are a grid, or a damaged one.
    fn rows_grid(self) -> Result<Grid, Miss> {
        let mut cells = [0; CELLS];
        let (mut count, mut good, mut first_miss) = (0, 0, None);
        for (start, row) in self.rows() {
            let found = row.cells(SIDE);
            good += usize::from(found != Err(Miss::Other));
            match (found, cells.get_mut(SIDE * count..SIDE * (count + 1))) {
                (Ok(found), Some(place)) => place.copy_from_slice(&found[..SIDE]),
                (Err(miss), _) if first_miss.is_none() => {
                    first_miss = Some((start, moved(miss, start)));
                }
                _ => {}
            }
            count += 1;
        }
        let bad = |kind, number: usize, at| Miss::Bad { fault: Fault::new(kind, None).number(number), at };
        match (count, first_miss) {
            _ if good < HALF_ROW => Err(Miss::Other),
            (SIDE, None) => Ok(Grid::from_digits(cells)),
            (SIDE, Some((at, Miss::Other))) => Err(bad(FaultKind::RowCellCount, 0, at)),
            (SIDE, Some((_, miss))) => Err(miss),
            (..SIDE, _) => Err(bad(FaultKind::CutOffGrid, count, self.bytes.len() - 1)),
            _ => Err(bad(FaultKind::RowCount, count, self.bytes.len() - 1)),
        }
    }

    /// The rows of a list, with where they begin.
    fn rows(self) -> impl Iterator<Item = (usize, Self)> {
        elements(self.bytes, 0).map(move |Element { value: Range { start, end }, .. }| {
            let bytes = &self.bytes[start..end];
            let is_text = bytes[0] == b'"';
            let kind = if is_text { Kind::Text { is_escaped: bytes.contains(&b'\\') } } else { Kind::Cells };
            (start, Value { bytes, kind })
        })
    }

    /// Where in its bytes each of its 81 cells stands; empty if they are no puzzle.
    pub fn offsets(self) -> Vec<usize> {
        let of = |value: Self, start: usize, n: usize| {
            let (before, text) = value.plain();
            Notation::default().offsets(&text, n).into_iter().map(move |at| start + before + at)
        };
        match self.kind {
            Kind::Rows => self.rows().flat_map(|(start, row)| of(row, start, SIDE)).collect(),
            _ => of(self, 0, CELLS).collect(),
        }
    }

    /// The text of a string, or a list as it is written.
    pub fn text(self) -> Cow<'a, [u8]> {
        match self.kind {
            Kind::Text { is_escaped } => {
                Quoted { start: 1, end: self.bytes.len() - 1, is_escaped }.text(self.bytes)
            }
            Kind::Cells | Kind::Rows => Cow::Borrowed(self.bytes),
        }
    }

    /// The text in which its cells are looked for, and where that begins: on one line, and as long as it is written.
    /// Escapes become spaces, since they stand for line ends, frames and words, and so do line ends of lists.
    fn plain(self) -> (usize, Cow<'a, [u8]>) {
        let (start, is_plain) = match self.kind {
            Kind::Text { is_escaped } => (1, !is_escaped),
            Kind::Cells | Kind::Rows => (0, memchr::memchr2(b'\n', b'\r', self.bytes).is_none()),
        };
        let mut text = Cow::Borrowed(&self.bytes[start..self.bytes.len() - start]);
        if !is_plain {
            let text = text.to_mut();
            text.iter_mut().filter(|byte| is_space(**byte)).for_each(|byte| *byte = b' ');
            let mut at = 0;
            while let Some(length) = memchr::memchr(b'\\', &text[at..]) {
                let escape = at + length;
                at = text.len().min(escape + if text.get(escape + 1) == Some(&b'u') { 6 } else { 2 });
                text[escape..at].fill(b' ');
            }
        }
        (start, text)
    }

    /// Its `n` cells; else what is wrong, at a byte of it.
    #[inline]
    fn cells(self, n: usize) -> Result<[u8; CELLS], Miss> {
        let (start, text) = self.plain();
        match Notation::default().cells(&text, n) {
            Ok(cells) => Ok(cells.values),
            Err(miss) => Err(moved(miss, start)),
        }
    }
}

/// A miss that many bytes further on.
fn moved(miss: Miss, by: usize) -> Miss {
    match miss {
        Miss::Bad { fault, at } => Miss::Bad { fault, at: at + by },
        Miss::Other => Miss::Other,
    }
}
