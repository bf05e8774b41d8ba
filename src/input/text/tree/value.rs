//! The cells of a value: a string, a list of 81, or nine rows.

use std::borrow::Cow;

use super::lexer::{Quoted, elements, is_space};
use crate::input::text::notation::{Miss, Notation, character_fault, is_border};
use crate::record::{Fault, FaultKind};
use crate::sudoku::{CELLS, Grid, SIDE};

/// What is half of a puzzle; what has less is something else.
pub(super) const HALF: usize = CELLS.div_ceil(2);

/// What is half of a row, and of the rows of a grid.
pub(super) const HALF_ROW: usize = SIDE.div_ceil(2);

/// A list with more cells than two puzzles is no damaged puzzle but a list of numbers.
const MOST_CELLS: usize = 2 * CELLS;

/// Cells of a puzzle with candidates: nine for each cell.
const SUKAKU: usize = CELLS * SIDE;

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
            Kind::Text { is_escaped: false } => match notation(self.inside(), CELLS) {
                Ok(values) => Ok(Grid::from_digits(values)),
                Err(miss) => Err(behind(1, miss)),
            },
            Kind::Text { is_escaped: true } => match text_grid(&self.text()) {
                Err(Miss::Bad { fault, at }) => Err(Miss::Bad { fault, at: self.written_at(at) }),
                other => other,
            },
            Kind::Cells => list_cells(self.bytes, CELLS).map(Grid::from_digits),
            Kind::Rows => {
                let row = |(start, end): (usize, usize)| (start, element_cells(&self.bytes[start..end]));
                grid_of(elements(self.bytes).map(row), self.bytes.len() - 1)
            }
        }
    }

    /// Where in its bytes each of its 81 cells stands; empty if they are no puzzle.
    pub fn offsets(self) -> Vec<usize> {
        match self.kind {
            Kind::Text { is_escaped } => {
                let text = if is_escaped { self.text() } else { Cow::Borrowed(self.inside()) };
                let of_line = |(start, line)| {
                    let offsets = Notation::default().offsets(line, SIDE);
                    offsets.into_iter().map(move |at: usize| start + at)
                };
                let mut offsets: Vec<_> = lines(&text).flat_map(of_line).collect();
                if offsets.len() != CELLS || !is_escaped {
                    offsets = Notation::default().offsets(&on_one_line(&text), CELLS);
                }
                offsets.into_iter().map(|at| self.written_at(at)).collect()
            }
            Kind::Cells => cell_offsets(self.bytes).collect(),
            Kind::Rows => {
                let of_row = |(start, end): (usize, usize)| {
                    let row = Value { bytes: &self.bytes[start..end], kind: Kind::Cells };
                    row.row_offsets().into_iter().map(move |at| start + at)
                };
                elements(self.bytes).flat_map(of_row).collect()
            }
        }
    }

    /// Where each of the nine cells stands if it is a row.
    fn row_offsets(self) -> Vec<usize> {
        if self.bytes.first() == Some(&b'[') {
            return cell_offsets(self.bytes).collect();
        }
        Notation::default().offsets(self.inside(), SIDE).into_iter().map(|at| at + 1).collect()
    }

    /// What is between the quotes or brackets.
    pub fn inside(self) -> &'a [u8] {
        &self.bytes[1..self.bytes.len() - 1]
    }

    /// The text of a string.
    pub fn text(self) -> Cow<'a, [u8]> {
        let (is_escaped, end) = (self.kind == Kind::Text { is_escaped: true }, self.bytes.len() - 1);
        Quoted { start: 1, end, is_escaped }.text(self.bytes)
    }

    /// The text of a string, or a list as it is written.
    pub fn shown(self) -> Cow<'a, [u8]> {
        if matches!(self.kind, Kind::Text { .. }) { self.text() } else { Cow::Borrowed(self.bytes) }
    }

    /// Where in the bytes of a string that byte of its text is written.
    fn written_at(self, at: usize) -> usize {
        if self.kind != (Kind::Text { is_escaped: true }) {
            return at + 1;
        }
        let (mut written, mut text) = (1, 0);
        while text < at && written + 1 < self.bytes.len() {
            let (length, bytes) = escape(&self.bytes[written..]);
            (written, text) = (written + length, text + bytes);
        }
        written
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

/// The first `n` cells of a text.
#[inline]
fn notation(text: &[u8], n: usize) -> Result<[u8; CELLS], Miss> {
    Notation::default().cells(text, n).map(|cells| cells.values)
}

/// A miss so many bytes further on.
fn behind(before: usize, miss: Miss) -> Miss {
    match miss {
        Miss::Bad { fault, at } => Miss::Bad { fault, at: before + at },
        Miss::Other => Miss::Other,
    }
}

/// The grid of a text of one line or of several, of which nine are rows.
fn text_grid(text: &[u8]) -> Result<Grid, Miss> {
    let rows = lines(text).map(|(start, line)| (start, notation(line, SIDE)));
    match grid_of(rows.filter(|(_, row)| row != &Err(Miss::Other)), text.len()) {
        Err(Miss::Other) => notation(&on_one_line(text), CELLS).map(Grid::from_digits),
        grid => grid,
    }
}

/// The lines of a text that are no borders, with where they begin.
fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut start = 0;
    let lines = text.split(|&byte| byte == b'\n').map(move |line| {
        let at = start;
        start += line.len() + 1;
        (at, line)
    });
    lines.filter(|(_, line)| !is_border(line))
}

/// A text with spaces for its line ends.
fn on_one_line(text: &[u8]) -> Vec<u8> {
    text.iter().map(|&byte| if is_space(byte) { b' ' } else { byte }).collect()
}

/// The grid of some rows, each with its place; `end` is the place behind the last.
fn grid_of(rows: impl Iterator<Item = (usize, Result<[u8; CELLS], Miss>)>, end: usize) -> Result<Grid, Miss> {
    let mut cells = [0; CELLS];
    let (mut count, mut good, mut first_miss) = (0, 0, None);
    for (at, row) in rows {
        good += usize::from(row != Err(Miss::Other));
        match row {
            Ok(row) => {
                if let Some(place) = cells.get_mut(SIDE * count..SIDE * (count + 1)) {
                    place.copy_from_slice(&row[..SIDE]);
                }
            }
            Err(miss) => first_miss = first_miss.or(Some(behind(at, miss)).map(|miss| (at, miss))),
        }
        count += 1;
    }
    let bad = |kind, number: usize, at| Miss::Bad { fault: Fault::new(kind, None).number(number), at };
    match (count, first_miss) {
        _ if good < HALF_ROW => Err(Miss::Other),
        (SIDE, None) => Ok(Grid::from_digits(cells)),
        (SIDE, Some((at, Miss::Other))) => Err(bad(FaultKind::RowCellCount, 0, at)),
        (SIDE, Some((_, miss))) => Err(miss),
        (..SIDE, _) => Err(bad(FaultKind::CutOffGrid, count, end)),
        _ => Err(bad(FaultKind::RowCount, count, end)),
    }
}

/// The nine cells of a row, which is a list of scalars or a string.
fn element_cells(row: &[u8]) -> Result<[u8; CELLS], Miss> {
    match row {
        [b'[', ..] => list_cells(row, SIDE),
        [b'"', text @ .., b'"'] => notation(text, SIDE).map_err(|miss| behind(1, miss)),
        _ => Err(Miss::Other),
    }
}

/// The `n` cells of a list of scalars.
fn list_cells(list: &[u8], n: usize) -> Result<[u8; CELLS], Miss> {
    let mut cells = [0; CELLS];
    let (mut count, mut good, mut first_miss) = (0, 0, None);
    for (start, end) in elements(list) {
        match cell(&list[start..end]) {
            Ok(value) => {
                good += 1;
                cells[count.min(CELLS - 1)] = value;
            }
            Err(miss) => first_miss = first_miss.or(Some((start, miss))),
        }
        count += 1;
    }
    let is_list_of_numbers = count > MOST_CELLS && count != SUKAKU;
    match first_miss {
        _ if good < n.div_ceil(2) || is_list_of_numbers => Err(Miss::Other),
        None if count == n => Ok(cells),
        Some((at, miss)) if count == n => Err(match miss {
            Miss::Other => Miss::Bad { fault: character_fault(list, at), at },
            miss => behind(at, miss),
        }),
        _ => {
            let kind = match count {
                SUKAKU => FaultKind::Sukaku,
                _ if n == SIDE => FaultKind::RowCellCount,
                _ => FaultKind::CellCount,
            };
            Err(Miss::Bad { fault: Fault::new(kind, None).number(count), at: list.len() - 1 })
        }
    }
}

/// The cell that a scalar is.
#[inline]
fn cell(scalar: &[u8]) -> Result<u8, Miss> {
    match scalar {
        [digit @ b'0'..=b'9'] => Ok(digit - b'0'),
        [b'"', text @ .., b'"'] => notation(text, 1).map(|cells| cells[0]).map_err(|miss| behind(1, miss)),
        _ => notation(scalar, 1).map(|cells| cells[0]),
    }
}

/// Where the cells of a list of scalars stand, within their quotes.
fn cell_offsets(list: &[u8]) -> impl Iterator<Item = usize> {
    elements(list).map(|(start, _)| start + usize::from(list[start] == b'"'))
}
