//! Cells, houses and the plain data that every other layer passes around.
//!
//! A grid is 81 digits in row-major order, 0 for a blank cell; nothing here solves or checks. Cell
//! `i` lies in row `i / 9` and column `i % 9`, both counted from 0. A *house* is a row, a column or a box.

use std::fmt;

use wide::u8x16;

/// Number of cells of a grid.
pub const CELLS: usize = 81;

/// Row of each cell, 0 to 8.
#[must_use]
pub const fn row_of(cell: usize) -> usize {
    cell / 9
}

/// Column of each cell, 0 to 8.
#[must_use]
pub const fn column_of(cell: usize) -> usize {
    cell % 9
}

/// Box of each cell, 0 to 8, numbered row by row.
#[must_use]
pub const fn box_of(cell: usize) -> usize {
    cell / 27 * 3 + cell % 9 / 3
}

/// Whether two different cells share a row, a column or a box.
#[must_use]
pub const fn are_peers(a: usize, b: usize) -> bool {
    a != b && (row_of(a) == row_of(b) || column_of(a) == column_of(b) || box_of(a) == box_of(b))
}

/// Name of a cell as Sudominoku writes it: a letter A to I for the row, a digit 1 to 9 for the column.
#[must_use]
pub fn cell_name(cell: usize) -> String {
    format!("{}{}", char::from(b'A' + row_of(cell) as u8), column_of(cell) + 1)
}

/// What a character of a puzzle stands for: its digit, 0 for a blank (any of `. 0 * _ - ? X x`), `None` if it is
/// no cell.
#[must_use]
pub const fn digit_of(byte: u8) -> Option<u8> {
    match byte {
        b'1'..=b'9' => Some(byte - b'0'),
        b'.' | b'0' | b'*' | b'_' | b'-' | b'?' | b'X' | b'x' => Some(0),
        _ => None,
    }
}

/// A 9x9 grid in row-major order: 0 is a blank cell, 1 to 9 a digit.
///
/// The same type serves for puzzles and for solutions; a solution has no blank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Grid([u8; CELLS]);

impl Grid {
    /// The grid without a clue.
    pub const EMPTY: Self = Self([0; CELLS]);

    /// Wraps 81 values, each 0 to 9; `None` when one is larger.
    #[must_use]
    pub fn new(cells: [u8; CELLS]) -> Option<Self> {
        // A maximum instead of a search: without a branch per cell the compiler looks at 16 at once.
        (cells.iter().fold(0, |largest, &digit| digit.max(largest)) <= 9).then_some(Self(cells))
    }

    /// The grid that 81 characters spell (see [`digit_of`]); `None` when one is no cell.
    #[must_use]
    #[inline]
    pub fn from_text(text: &[u8; CELLS]) -> Option<Self> {
        // Nearly all texts have digits and dots only: sixteen at once. (Vectors by hand: what comes out of a
        // loop goes through memory, and copies of it made at once have to wait for that.)
        let zero = u8x16::splat(b'0');
        let mut cells = [0; CELLS];
        let mut good = u8x16::splat(u8::MAX);
        let (blocks, last) = text.as_chunks::<16>();
        for (i, block) in blocks.iter().enumerate() {
            let block = u8x16::new(*block);
            let digits = block.saturating_sub(zero);
            let is_cell = block.max(zero).simd_eq(block) | block.simd_eq(u8x16::splat(b'.'));
            good &= is_cell & digits.min(u8x16::splat(9)).simd_eq(digits);
            cells[16 * i..16 * i + 16].copy_from_slice(&digits.to_array());
        }
        let last = digit_of(last[0])?;
        cells[CELLS - 1] = last;
        if !good.all() {
            cells = any_text(text)?;
        }
        Some(Self(cells))
    }

    /// Wraps 81 values that the caller knows to be digits or blanks.
    pub(crate) fn from_digits(cells: [u8; CELLS]) -> Self {
        debug_assert!(cells.iter().all(|&digit| digit <= 9), "a cell holds 0 to 9: {cells:?}");
        Self(cells)
    }

    /// The 81 values, row by row.
    #[must_use]
    pub const fn cells(&self) -> &[u8; CELLS] {
        &self.0
    }

    /// The value of one cell, 0 for a blank.
    #[must_use]
    pub const fn get(&self, cell: usize) -> u8 {
        self.0[cell]
    }

    /// Sets one cell to 0 (blank) or a digit.
    ///
    /// # Panics
    ///
    /// When `cell` is not below 81 or `digit` is above 9.
    pub fn set(&mut self, cell: usize, digit: u8) {
        assert!(digit <= 9, "a cell holds 0 to 9, not {digit}");
        self.0[cell] = digit;
    }

    /// Number of cells that are not blank.
    #[must_use]
    pub fn clues(&self) -> u32 {
        self.0.iter().map(|&digit| u32::from(digit != 0)).sum()
    }

    /// The 81 characters, `blank` standing for a blank cell.
    #[must_use]
    #[inline]
    pub fn to_text(&self, blank: u8) -> [u8; CELLS] {
        let mut text = [0; CELLS];
        let (blocks, last) = self.0.as_chunks::<16>();
        for (i, block) in blocks.iter().enumerate() {
            let digits = u8x16::new(*block);
            let is_blank = digits.simd_eq(u8x16::splat(0));
            let characters = is_blank.bitselect(u8x16::splat(blank), digits + u8x16::splat(b'0'));
            text[16 * i..16 * i + 16].copy_from_slice(&characters.to_array());
        }
        text[CELLS - 1] = if last[0] == 0 { blank } else { b'0' + last[0] };
        text
    }
}

/// The digits that 81 characters of any kind spell.
#[cold]
#[inline(never)]
fn any_text(text: &[u8; CELLS]) -> Option<[u8; CELLS]> {
    let mut cells = [0; CELLS];
    for (cell, &byte) in cells.iter_mut().zip(text) {
        *cell = digit_of(byte)?;
    }
    Some(cells)
}

impl fmt::Display for Grid {
    /// Writes the 81 characters on one line, `.` for a blank cell.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.to_text(b'.') {
            f.write_str(if byte == b'.' { "." } else { DIGITS[usize::from(byte - b'0')] })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Grid({self})")
    }
}

const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

/// One domino of a Sudominoku case: two different digits on two adjacent cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Domino {
    /// The two cells, 0 to 80; they share an edge.
    pub cells: [u8; 2],
    /// The digits on those cells, in the same order.
    pub digits: [u8; 2],
}

/// One Sudominoku case (BOJ 4574): the dominoes given and the nine cells outside every domino.
///
/// In a solution the 72 cells other than the singles are covered by 36 dominoes, one for each
/// unordered pair of different digits; those given are among them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Case {
    /// The dominoes given.
    pub dominoes: Vec<Domino>,
    /// `singles[d - 1]` is the cell of the single number `d`.
    pub singles: [u8; 9],
}

impl Case {
    /// The grid of all numbers given: those of the dominoes and the nine singles.
    #[must_use]
    pub fn givens(&self) -> Grid {
        let mut grid = Grid::EMPTY;
        for domino in &self.dominoes {
            for (cell, digit) in domino.cells.into_iter().zip(domino.digits) {
                grid.set(usize::from(cell), digit);
            }
        }
        for (digit, &cell) in (1..).zip(&self.singles) {
            grid.set(usize::from(cell), digit);
        }
        grid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn geometry_of_the_last_cell() {
        assert_eq!((row_of(80), column_of(80), box_of(80)), (8, 8, 8));
        assert_eq!((row_of(33), column_of(33), box_of(33)), (3, 6, 5));
        assert_eq!(cell_name(33), "D7");
    }

    #[test]
    fn every_cell_has_twenty_peers() {
        for cell in 0..CELLS {
            assert_eq!((0..CELLS).filter(|&other| are_peers(cell, other)).count(), 20);
        }
    }

    #[test]
    fn every_box_has_nine_cells() {
        for house in 0..9 {
            assert_eq!((0..CELLS).filter(|&cell| box_of(cell) == house).count(), 9);
        }
    }

    #[test]
    fn a_value_above_nine_is_refused() {
        let mut cells = [0; CELLS];
        cells[40] = 10;
        assert_eq!(Grid::new(cells), None);
    }

    /// Written out: every byte, at the places where a vector starts or ends.
    #[test]
    fn a_text_is_read_character_by_character() {
        for byte in 0..=255 {
            let expected = match byte {
                b'0'..=b'9' => Some(byte - b'0'),
                _ => b".*_-?Xx".contains(&byte).then_some(0),
            };
            for at in [0, 15, 16, 40, 79, 80] {
                for others in *b".09x" {
                    let mut text = [others; CELLS];
                    text[at] = byte;
                    assert_eq!(Grid::from_text(&text).map(|grid| grid.get(at)), expected, "{byte} at {at}");
                }
            }
        }
    }

    #[test]
    fn display_uses_dots() {
        let mut grid = Grid::EMPTY;
        grid.set(1, 7);
        assert_eq!(grid.to_string(), format!(".7{}", ".".repeat(79)));
        assert_eq!(grid.clues(), 1);
    }
}
