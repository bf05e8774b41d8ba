//! The values of an array: its numbers, its texts, and the grids that they are.

use std::sync::Arc;

use super::header::{Element, Kind, MOVES, Row};
use crate::input::columns::values::{Value, Values, grid_of_digits, grid_of_text, place_of, small_number};
use crate::record::{Fault, FaultKind};
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
            return grid_of_text(&element.text(row)).map_err(|(at, fault)| fault.at(place_of(at)));
        }
        let mut digits = [0; CELLS];
        for (digit, number) in digits.iter_mut().zip(row.chunks_exact(element.size)) {
            *digit = element.small(number).wrapping_sub(smallest);
        }
        grid_of_digits(digits, |at| self.shown(row, at))
    }

    /// A number of a row as people write it.
    fn shown(self, row: &[u8], at: usize) -> String {
        let size = self.element.size;
        self.element.shown(&row[at * size..(at + 1) * size])
    }

    /// The puzzle and its solution in a row of moves: how many are clues, then row, column, value and strategy of each.
    fn moves(self, row: &[u8]) -> Result<[Grid; 2], Fault> {
        let fault = |at| Fault::new(FaultKind::Move, Some(place_of(at))).text(self.shown(row, at));
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
            return small_number(self.float(bytes));
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
        if self.is_big_endian {
            word[..self.size].reverse();
        }
        word
    }

    fn float(self, bytes: &[u8]) -> f64 {
        let word = self.word(bytes);
        let [a, b, c, d, ..] = word;
        if self.size == 8 { f64::from_le_bytes(word) } else { f32::from_le_bytes([a, b, c, d]).into() }
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
