//! The rows of a puzzle and of the transposed puzzle.

use wide::u8x16;

use crate::sudoku::{CELLS, Grid, column_of, row_of};

/// The permutations of three items. The first two permutations differ only in the order of the first two items.
pub const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 0, 2], [0, 2, 1], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// A row of digits. The digit of column c starts at bit 4 * c + 2. Shifting the row down by 4 * c leaves that digit
/// times 4 in the low bits.
pub type Line = u64;

/// The nine rows of a grid and its nine columns, which are the rows of the transposed grid.
#[derive(Debug)]
pub struct Lines {
    /// The rows of the grid, then those of the transposed grid.
    pub lines: [[Line; 9]; 2],
    /// The columns in which each row has clues.
    pub fills: [[u16; 9]; 2],
    /// The set of empty rows, for each side.
    pub empty: [u16; 2],
    /// The number of different digits.
    pub digits: u8,
    /// Whether some digit occurs twice in a row or column.
    pub repeats: bool,
}

impl Lines {
    /// Returns the lines of a grid.
    pub fn new(puzzle: &Grid) -> Self {
        let cells = puzzle.cells();
        let mut lines = [[0; 9]; 2];
        let mut fills = [[0; 9]; 2];
        // For each digit, the rows that have it (from bit 0) and the columns that have it (from bit 16).
        let mut seen = [0u32; 16];
        let mut clues = clues(puzzle);
        let count = clues.count_ones();
        while clues != 0 {
            let cell = clues.trailing_zeros() as usize;
            clues &= clues - 1;
            let (row, column, digit) = (row_of(cell), column_of(cell), cells[cell]);
            lines[0][row] |= u64::from(digit) << (4 * column + 2);
            lines[1][column] |= u64::from(digit) << (4 * row + 2);
            fills[0][row] |= 1 << column;
            fills[1][column] |= 1 << row;
            seen[usize::from(digit & 15)] |= 1 << row | 0x10000 << column;
        }
        let is_empty = |(row, fill): (usize, &u16)| u16::from(*fill == 0) << row;
        let empty = [0, 1].map(|side: usize| fills[side].iter().enumerate().map(is_empty).sum());
        let mut distinct = 0;
        let mut digits = 0;
        for lines in &seen[1..10] {
            distinct += lines.count_ones();
            digits += u8::from(*lines != 0);
        }
        let repeats = distinct != 2 * count;
        Self { lines, fills, empty, digits, repeats }
    }
}

/// Returns the set of cells that have clues.
fn clues(puzzle: &Grid) -> u128 {
    let (blocks, last) = puzzle.cells().as_chunks::<16>();
    let blank = u8x16::splat(0);
    let mut blanks = 0;
    for block in blocks.iter().rev() {
        blanks = blanks << 16 | u128::from(u8x16::new(*block).simd_eq(blank).to_bitmask());
    }
    !(blanks | u128::from(last[0] == 0) << 80) & ((1 << CELLS) - 1)
}
