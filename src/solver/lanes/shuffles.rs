//! Converting cells to words, and digits to cells, with byte shuffles.
//!
//! In both directions the grids are transposed first, so each vector holds the same four cells of `N` puzzles. Byte
//! shuffles do the rest: a shuffle either looks up sixteen table entries by digit, or moves bytes within a word.
//!
//! *In.* The digit of a cell is copied to all four bytes of a word. It then selects the bits of its possible Y, which
//! are s, s + 1 and s + 2 modulo 8. Each bit is already in place in the byte that needs it, and a mask clears the rest.
//!
//! *Out.* Digits are collected four at a time from the words that contain them.

use super::codec::{PLACES, POSITIONS, possible};
use super::vector::{Digits, LaneState, Lanes, MAX_LANES};
use crate::sudoku::CELLS;

/// The lanes of backends that can shuffle bytes.
pub(super) trait Shuffles: Lanes {
    /// Repeats the same sixteen bytes in every group of four lanes.
    fn splat_bytes(token: Self::Token, bytes: &[u8; 16]) -> Self;
    /// Selects bytes within every group of four lanes: byte `i` of the result is byte `select[i]` (low four bits) of
    /// `self`. If the top bit of `select[i]` is set, the byte is zero. Bits 4 to 6 must be zero.
    fn shuffle_bytes(self, select: Self) -> Self;
    /// Loads sixteen bytes from each lane's row, starting at an offset, as four vectors with four bytes per lane.
    fn load_columns(token: Self::Token, rows: &[&[u8; 81]; MAX_LANES], offset: usize) -> [Self; 4];
    /// Does the reverse: stores four vectors with four bytes per lane as sixteen bytes in each lane's row.
    fn store_columns(columns: [Self; 4], rows: &mut [[u8; 96]; MAX_LANES], offset: usize);
}

/// Returns the bits of one cell in a word.
const fn cell_bits(s: usize) -> u32 {
    (1 | 1 << 9 | 1 << 18) << s
}

/// The lookup table by digit, for each X and s.
const DIGIT_BITS: [[[u8; 16]; 9]; 3] = {
    let mut tables = [[[0; 16]; 9]; 3];
    let mut x = 0;
    while x < 3 {
        let mut s = 0;
        while s < 9 {
            let mut digit = 0;
            while digit < 16 {
                tables[x][s][digit] = possible(x, digit).rotate_left((s % 8) as u32);
                digit += 1;
            }
            s += 1;
        }
        x += 1;
    }
    tables
};

/// The shuffles that copy byte `p` of every word to all four of its bytes.
const SPREAD: [[u8; 16]; 4] = {
    let mut tables = [[0; 16]; 4];
    let mut p = 0;
    while p < 4 {
        let mut i = 0;
        while i < 16 {
            tables[p][i] = (i / 4 * 4 + p) as u8;
            i += 1;
        }
        p += 1;
    }
    tables
};

/// The shuffles `MOVE[from][to]`, which move byte `from` of every word to byte `to` and clear the other bytes.
const MOVE: [[[u8; 16]; 4]; 4] = {
    let mut tables = [[[0x80; 16]; 4]; 4];
    let mut from = 0;
    while from < 4 {
        let mut to = 0;
        while to < 4 {
            let mut word = 0;
            while word < 4 {
                tables[from][to][4 * word + to] = (4 * word + from) as u8;
                word += 1;
            }
            to += 1;
        }
        from += 1;
    }
    tables
};

/// The source of each cell: `[i][s]` gives the four-byte column and the byte in it.
const SOURCE: [[(u8, u8); 9]; 9] = {
    let mut sources = [[(0, 0); 9]; 9];
    let mut cell = 0;
    while cell < CELLS {
        let (i, s) = POSITIONS[cell];
        // The last sixteen bytes loaded overlap the previous ones, and cell 80 is their last byte.
        let place = if cell < 80 { cell } else { 95 };
        sources[i][s] = (place as u8 / 4, place as u8 % 4);
        cell += 1;
    }
    sources
};

/// Implements [`Lanes::load_cells`].
#[inline(always)]
pub(super) fn load_cells<V: Shuffles>(
    token: V::Token,
    grids: &[&[u8; 81]; MAX_LANES],
    state: &mut LaneState<V>,
) {
    let mut columns = [V::splat(token, 0); 24];
    for i in 0..6 {
        let four = V::load_columns(token, grids, if i < 5 { 16 * i } else { 65 });
        for j in 0..4 {
            columns[4 * i + j] = four[j];
        }
    }
    for i in 0..9 {
        let mut words = [V::splat(token, 0); 3];
        for s in 0..9 {
            let (column, byte) = SOURCE[i][s];
            let spread = V::splat_bytes(token, &SPREAD[usize::from(byte)]);
            let digit = columns[usize::from(column)].shuffle_bytes(spread);
            let mask = V::splat(token, cell_bits(s));
            for x in 0..3 {
                let bits = V::splat_bytes(token, &DIGIT_BITS[x][s]).shuffle_bytes(digit);
                words[x] = words[x].or_and(bits, mask);
            }
        }
        for x in 0..3 {
            state[9 * x + i] = words[x];
        }
    }
}

/// Implements [`Lanes::store_cells`].
#[inline(always)]
pub(super) fn store_cells<V: Shuffles>(digits: &Digits<V>, rows: &mut [[u8; 96]; MAX_LANES]) {
    let token = digits[0].token();
    for i in 0..6 {
        let mut columns = [V::splat(token, 0); 4];
        for j in 0..4 {
            let mut moved = [V::splat(token, 0); 4];
            for k in 0..4 {
                let (source, byte) = PLACES[16 * i + 4 * j + k];
                let way = V::splat_bytes(token, &MOVE[usize::from(byte)][k]);
                moved[k] = digits[usize::from(source)].shuffle_bytes(way);
            }
            columns[j] = moved[0].or3(moved[1], moved[2]).or(moved[3]);
        }
        V::store_columns(columns, rows, 16 * i);
    }
}
