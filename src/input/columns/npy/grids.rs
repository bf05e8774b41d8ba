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
fn place(at: usize) -> Option<Place> {
    Some(Place { line: 1, column: at as u64 + 1 })
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
            return grid_of_text(&element.text(row))
                .map_err(|(at, fault)| Fault { place: place(at), ..fault });
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
        Fault::new(kind, place(at)).text(self.element.shown(&row[at * size..(at + 1) * size]))
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
            return match self.float(bytes) {
                number @ 0.0..=100.0 if number.fract() == 0.0 => number as u8,
                _ => u8::MAX,
            };
        }
        // One that is negative has its highest bit set, and so is large.
        u64::from_le_bytes(self.word(bytes)).min(u8::MAX.into()) as u8
    }

    /// The lowest eight bytes of a number, in order from the lowest.
    fn word(self, bytes: &[u8]) -> [u8; 8] {
        let mut word = [0; 8];
        for (i, to) in word.iter_mut().enumerate().take(self.size) {
            *to = bytes[if self.big_endian { self.size - 1 - i } else { i }];
        }
        word
    }

    fn float(self, bytes: &[u8]) -> f64 {
        let word = u64::from_le_bytes(self.word(bytes));
        match self.size {
            8 => f64::from_bits(word),
            4 => f32::from_bits(word as u32).into(),
            _ => {
                let (sign, exponent, fraction) = (word >> 15 & 1, word >> 10 & 0x1f, (word & 0x3ff) as f64);
                let size = match exponent {
                    0 => fraction * 2_f64.powi(-24),
                    0x1f if fraction == 0.0 => f64::INFINITY,
                    0x1f => f64::NAN,
                    _ => (fraction + 1024.0) * 2_f64.powi(exponent as i32 - 25),
                };
                if sign == 1 { -size } else { size }
            }
        }
    }

    /// A number as people write it.
    fn shown(self, bytes: &[u8]) -> String {
        let word = u64::from_le_bytes(self.word(bytes));
        match self.kind {
            Kind::Float => self.float(bytes).to_string(),
            Kind::Signed => {
                let above = 64 - 8 * self.size as u32;
                ((word << above) as i64 >> above).to_string()
            }
            _ => word.to_string(),
        }
    }

    /// A text without the zeros behind it.
    fn text(self, row: &[u8]) -> Vec<u8> {
        let mut text = Vec::with_capacity(row.len() / self.size);
        for character in row.chunks_exact(self.size) {
            let code = u64::from_le_bytes(self.word(character)) as u32;
            match self.kind {
                Kind::Bytes => text.push(code as u8),
                // What is no character stays one that is no cell.
                _ => {
                    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
        }
        let end = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        text.truncate(end);
        text
    }
}
