//! The cells of a value: a string, a list of 81, or nine rows.

use std::borrow::Cow;

use super::lexer::{Quoted, elements, is_space};
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
        match self.kind {
            Kind::Text { is_escaped: false } => match Notation::default().cells(self.inside(), CELLS) {
                Ok(cells) => Ok(Grid::from_digits(cells.values)),
                Err(miss) => Err(moved(miss, |at| at + 1)),
            },
            Kind::Rows => self.rows_grid(),
            Kind::Text { .. } | Kind::Cells => match Notation::default().cells(&self.plain(), CELLS) {
                Ok(cells) => Ok(Grid::from_digits(cells.values)),
                Err(miss) => Err(moved(miss, |at| self.written_at(at))),
            },
        }
    }

    /// The grid of nine rows. If half of them are rows, they are a grid, or a damaged one.
    fn rows_grid(self) -> Result<Grid, Miss> {
        let mut cells = [0; CELLS];
        let (mut count, mut good, mut first_miss) = (0, 0, None);
        for (start, row) in self.rows() {
            let found = Notation::default().cells(&row.plain(), SIDE);
            good += usize::from(found != Err(Miss::Other));
            match (found, cells.get_mut(SIDE * count..SIDE * (count + 1))) {
                (Ok(found), Some(place)) => place.copy_from_slice(&found.values[..SIDE]),
                (Err(miss), _) if first_miss.is_none() => {
                    first_miss = Some((start, moved(miss, |at| start + row.written_at(at))));
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
        elements(self.bytes).map(move |(start, end)| {
            let bytes = &self.bytes[start..end];
            let is_text = bytes[0] == b'"';
            let kind = if is_text { Kind::Text { is_escaped: bytes.contains(&b'\\') } } else { Kind::Cells };
            (start, Value { bytes, kind })
        })
    }

    /// Where in its bytes each of its 81 cells stands; empty if they are no puzzle.
    pub fn offsets(self) -> Vec<usize> {
        let of = |value: Self, start: usize, n: usize| {
            let offsets = Notation::default().offsets(&value.plain(), n).into_iter();
            offsets.map(move |at| start + value.written_at(at))
        };
        match self.kind {
            Kind::Rows => self.rows().flat_map(|(start, row)| of(row, start, SIDE)).collect(),
            _ => of(self, 0, CELLS).collect(),
        }
    }

    /// What is between the quotes or brackets.
    fn inside(self) -> &'a [u8] {
        &self.bytes[1..self.bytes.len() - 1]
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

    /// Its text on one line.
    fn plain(self) -> Cow<'a, [u8]> {
        let mut text = self.text();
        if memchr::memchr2(b'\n', b'\r', &text).is_some() {
            text.to_mut().iter_mut().filter(|byte| is_space(**byte)).for_each(|byte| *byte = b' ');
        }
        text
    }

    /// Where in its bytes that byte of its text is written.
    fn written_at(self, at: usize) -> usize {
        match self.kind {
            Kind::Cells | Kind::Rows => at,
            Kind::Text { is_escaped: false } => at + 1,
            Kind::Text { is_escaped: true } => {
                let (mut written, mut text) = (1, 0);
                while text < at && written + 1 < self.bytes.len() {
                    let (length, bytes) = escape(&self.bytes[written..]);
                    (written, text) = (written + length, text + bytes);
                }
                written
            }
        }
    }
}

/// How many bytes the next byte or escape of a string has as it is written, and in the text. Of a pair of surrogates
/// the first counts for none and the second for all.
fn escape(written: &[u8]) -> (usize, usize) {
    match written {
        [b'\\', b'u', digits @ ..] => {
            let hex = digits.get(..4).and_then(|hex| std::str::from_utf8(hex).ok());
            let bytes = match hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()) {
                Some(0..0x80) => 1,
                Some(0x80..0x800) => 2,
                Some(0xd800..0xdc00) => 0,
                Some(0xdc00..0xe000) => 4,
                _ => 3,
            };
            (6, bytes)
        }
        [b'\\', ..] => (2, 1),
        _ => (1, 1),
    }
}

/// A miss whose place is another.
fn moved(miss: Miss, to: impl Fn(usize) -> usize) -> Miss {
    match miss {
        Miss::Bad { fault, at } => Miss::Bad { fault, at: to(at) },
        Miss::Other => Miss::Other,
    }
}
