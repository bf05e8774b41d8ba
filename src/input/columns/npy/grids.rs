//! The values of an array: its numbers, its texts, and the grids that they are.

use std::sync::Arc;

use super::header::{Element, Kind, MOVES, Row};
use crate::input::columns::values::{Value, Values, grid_of_text};
use crate::record::{Fault, FaultKind, Place};
use crate::sudoku::{CELLS, Grid};

/// How grids are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writing {
    /// As cells.
    Cells,
    /// As cells, each of which is the digit and one more.
    Tokens,
    /// As moves, of which the first are clues: those.
    Clues,
    /// As moves: all of them.
    Moves,
}

/// Some rows of an array.
#[derive(Debug)]
pub(super) struct ArrayColumn {
    pub bytes: Arc<[u8]>,
    pub row: Row,
    pub writing: Writing,
}

impl Values for ArrayColumn {
    fn len(&self) -> usize {
        self.bytes.len() / self.row.bytes()
    }

    #[inline]
    fn get(&self, row: usize) -> Value<'_> {
        let row = &self.bytes[row * self.row.bytes()..(row + 1) * self.row.bytes()];
        Value::Cells(match self.writing {
            Writing::Cells => self.row.grid(row, 0),
            Writing::Tokens => self.row.grid(row, 1),
            Writing::Clues => self.row.moves(row).map(|[puzzle, _]| puzzle),
            Writing::Moves => self.row.moves(row).map(|[_, solution]| solution),
        })
    }
}

/// A place in a row, whose number others know.
const fn place(at: usize) -> Place {
    Place { line: 1, column: at as u64 + 1 }
}

impl Row {
    /// Whether cells are tokens: none is 0, and one is 10, the token of a 9.
    pub fn holds_tokens(self, rows: &[u8]) -> bool {
        let numbers = rows.chunks_exact(self.element_bytes);
        let is_number = !matches!(self.element.kind, Kind::Unicode | Kind::Bytes);
        let mut largest = 0;
        is_number
            && numbers.map(|number| self.element.small(number)).all(|number| {
                largest = largest.max(number);
                (1..=10).contains(&number)
            })
            && largest == 10
    }

    /// The grid in a row whose smallest cell, a blank, is that number.
    fn grid(self, row: &[u8], smallest: u8) -> Result<Grid, Fault> {
        let element = self.element;
        if matches!(element.kind, Kind::Unicode | Kind::Bytes) {
            return grid_of_text(&element.text(row)).map_err(|(at, fault)| fault.at(place(at)));
        }
        let mut digits = [0; CELLS];
        for (digit, number) in digits.iter_mut().zip(row.chunks_exact(element.size)) {
            *digit = element.small(number).wrapping_sub(smallest);
        }
        let blanks = || if smallest == 0 { self.with_other_blanks(row, digits) } else { None };
        Grid::new(digits).or_else(blanks).ok_or_else(|| {
            let at = digits.iter().position(|&digit| digit > 9).unwrap_or(0);
            self.fault(FaultKind::CellNumber, row, at)
        })
    }

    /// What is wrong with a number of a row.
    fn fault(self, kind: FaultKind, row: &[u8], at: usize) -> Fault {
        let size = self.element.size;
        Fault::new(kind, Some(place(at))).text(self.element.shown(&row[at * size..(at + 1) * size]))
    }

    /// The grid of such digits in which -1 or NaN is a blank. Where -1 is one, 0 is a digit of nine that begin with it.
    #[cold]
    fn with_other_blanks(self, row: &[u8], mut digits: [u8; CELLS]) -> Option<Grid> {
        let (mut has_minus_one, has_zero) = (false, digits.contains(&0));
        for (digit, number) in digits.iter_mut().zip(row.chunks_exact(self.element.size)) {
            if *digit > 9 {
                let shown = self.element.shown(number);
                has_minus_one |= shown == "-1";
                *digit = if matches!(&*shown, "-1" | "NaN") { 0 } else { *digit };
            }
        }
        Grid::new(digits).filter(|_| !(has_minus_one && has_zero))
    }

    /// The puzzle and its solution in a row of moves: how many are clues, then row, column, value and strategy of each.
    fn moves(self, row: &[u8]) -> Result<[Grid; 2], Fault> {
        let fault = |at| self.fault(FaultKind::Move, row, at);
        let mut numbers = [0; MOVES];
        for (to, number) in numbers.iter_mut().zip(row.chunks_exact(self.element.size)) {
            *to = self.element.small(number);
        }
        let [clues, moves @ ..] = numbers;
        if usize::from(clues) > CELLS {
            return Err(fault(0));
        }
        let (mut puzzle, mut solution) = ([0; CELLS], [0; CELLS]);
        for (i, &[row, column, value, _]) in moves.as_chunks::<4>().0.iter().enumerate() {
            let first = 1 + 4 * i;
            if row > 8 || column > 8 {
                return Err(fault(first + usize::from(row <= 8)));
            }
            let cell = usize::from(9 * row + column);
            if !(1..=9).contains(&value) || solution[cell] != 0 {
                return Err(fault(first + if solution[cell] == 0 { 2 } else { 0 }));
            }
            solution[cell] = value;
            if i < usize::from(clues) {
                puzzle[cell] = value;
            }
        }
        match (Grid::new(puzzle), Grid::new(solution)) {
            (Some(puzzle), Some(solution)) => Ok([puzzle, solution]),
            _ => Err(fault(0)),
        }
    }
}

impl Element {
    /// A number if it is a whole one from 0 to 100; something larger if not.
    #[inline]
    fn small(self, bytes: &[u8]) -> u8 {
        if self.kind == Kind::Float {
            // -0 is 0.
            let number = (self.float(bytes) + 0.0).to_bits();
            return (0..=100).find(|&small| f64::from(small).to_bits() == number).unwrap_or(u8::MAX);
        }
        // One that is negative has its highest bit set, and so is large.
        match self.word(bytes) {
            [small, 0, 0, 0, 0, 0, 0, 0] => small,
            _ => u8::MAX,
        }
    }

    /// The bytes of a number in order from the lowest, with zeros behind them.
    #[inline]
    fn word(self, bytes: &[u8]) -> [u8; 8] {
        let mut word = [0; 8];
        word[..self.size].copy_from_slice(&bytes[..self.size]);
        if self.big_endian {
            word[..self.size].reverse();
        }
        word
    }

    fn float(self, bytes: &[u8]) -> f64 {
        let word = self.word(bytes);
        let [a, b, c, d, ..] = word;
        match self.size {
            8 => f64::from_le_bytes(word),
            4 => f32::from_le_bytes([a, b, c, d]).into(),
            _ => half(u16::from_le_bytes([a, b])).into(),
        }
    }

    /// A number as people write it.
    fn shown(self, bytes: &[u8]) -> String {
        let mut word = self.word(bytes);
        if self.kind == Kind::Float {
            self.float(bytes).to_string()
        } else if self.kind == Kind::Signed && word[self.size - 1] > 0x7f {
            word[self.size..].fill(0xff);
            i64::from_le_bytes(word).to_string()
        } else {
            u64::from_le_bytes(word).to_string()
        }
    }

    /// A text without the zeros behind it.
    fn text(self, row: &[u8]) -> Vec<u8> {
        let mut text = Vec::with_capacity(row.len() / self.size);
        for character in row.chunks_exact(self.size) {
            let [a, b, c, d, ..] = self.word(character);
            if self.kind == Kind::Bytes {
                text.push(a);
            } else {
                // What is no character stays one that is no cell.
                let character = char::from_u32(u32::from_le_bytes([a, b, c, d]));
                let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
                text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        let end = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        text.truncate(end);
        text
    }
}

/// A number of two bytes, as IEEE 754 has them: the exponent of one of four has 112 more.
fn half(bits: u16) -> f32 {
    let (sign, size) = (u32::from(bits & 0x8000) << 16, u32::from(bits & 0x7fff) << 13);
    let is_finite = bits & 0x7c00 != 0x7c00;
    let size =
        if is_finite { f32::from_bits(size) * 2_f32.powi(112) } else { f32::from_bits(size | 0x7f80_0000) };
    f32::from_bits(size.to_bits() | sign)
}
