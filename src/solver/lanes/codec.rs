//! Grids to lanes and lanes to grids, `N` at a time.
//!
//! Both ways the grids are transposed first, so that a vector holds the same four cells of `N` puzzles,
//! and byte shuffles do the rest: a shuffle is a table of sixteen entries looked up by digit, and a way to
//! move the bytes of a word.
//!
//! *In.* A cell s = 3B + K of its position in the boxes owns bits s, s + 9 and s + 18 of three words. Its
//! digit, copied to all four bytes of the word, looks up which Y are possible, as bits s, s + 1 and s + 2
//! modulo 8: whichever byte a bit of the word lies in, its place in the byte is right, and a mask does the rest.
//!
//! *Out.* From the words of a solved puzzle four planes are made, the binary places of the digits; the planes
//! of 27 cells are interleaved to nibbles, the nibbles are spread to bytes, the bytes go to their place.

use super::pass::{ALL, LaneState, fold};
use super::vector::{Lanes, MAX_LANES};

/// Bits of one cell in a word.
const fn cell_bits(s: usize) -> u32 {
    (1 | 1 << 9 | 1 << 18) << s
}

/// For each X and s the table by digit. A digit above 9 counts as a blank.
const DIGIT_BITS: [[[u8; 16]; 9]; 3] = {
    let mut tables = [[[0; 16]; 9]; 3];
    let mut x = 0;
    while x < 3 {
        let mut s = 0;
        while s < 9 {
            let mut digit = 0;
            while digit < 16 {
                let possible: u8 = if digit == 0 || digit > 9 {
                    7
                } else if (digit - 1) / 3 == x {
                    1 << ((digit - 1) % 3)
                } else {
                    0
                };
                tables[x][s][digit] = possible.rotate_left((s % 8) as u32);
                digit += 1;
            }
            s += 1;
        }
        x += 1;
    }
    tables
};

/// Copies byte `p` of every word to all its bytes.
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

/// Moves byte `from` of every word to byte `to`, the rest is zero: `MOVE[from][to]`.
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

/// Where the decoder finds a cell: `[3r + c][s]` gives the column of four bytes, and the byte.
const SOURCE: [[(u8, u8); 9]; 9] = {
    let mut sources = [[(0, 0); 9]; 9];
    let mut cell = 0;
    while cell < 81 {
        let (row, column) = (cell / 9, cell % 9);
        // The last sixteen bytes loaded overlap those before: cell 80 is the last of them.
        let place = if cell < 80 { cell } else { 95 };
        let at = &mut sources[row % 3 * 3 + column % 3][row / 3 * 3 + column / 3];
        *at = (place as u8 / 4, place as u8 % 4);
        cell += 1;
    }
    sources
};

/// The candidates of `N` grids: a clue leaves one in its cell, and its digit in no blank of its box.
#[inline(always)]
pub(super) fn decode<V: Lanes>(grids: &[&[u8; 81]; MAX_LANES], state: &mut LaneState<V>) {
    let token = state[0].token();
    let mut columns = [V::splat(token, 0); 24];
    for i in 0..6 {
        let four = V::load_columns(token, grids, if i < 5 { 16 * i } else { 65 });
        for j in 0..4 {
            columns[4 * i + j] = four[j];
        }
    }
    let mut clues = [V::splat(token, 0); 3];
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
            // A blank has all digits, a clue none in the other X.
            let blank = words[(x + 1) % 3];
            clues[x] = clues[x].or_but_not(words[x], blank);
        }
    }
    for i in 0..9 {
        let words = [state[i], state[9 + i], state[18 + i]];
        for x in 0..3 {
            // Clues stay, even two that clash, for the rules to find.
            let blank = words[(x + 1) % 3];
            state[9 * x + i] = words[x].but_not_both(clues[x], blank);
        }
    }
}

/// Where the encoder finds a cell: the word of four bytes, and the byte. Beyond cell 80 anything will do.
const TARGET: [(u8, u8); 96] = {
    let mut targets = [(0, 0); 96];
    let mut cell = 0;
    while cell < 81 {
        let (row, column) = (cell / 9, cell % 9);
        let place = 9 * (column % 3) + row / 3 * 3 + column / 3;
        targets[cell] = ((8 * (row % 3) + place % 8) as u8, (place / 8) as u8);
        cell += 1;
    }
    targets
};

/// The digits of `N` solved states, 81 a row.
#[inline(always)]
pub(super) fn encode<V: Lanes>(state: &LaneState<V>, rows: &mut [[u8; 96]; MAX_LANES]) {
    let token = state[0].token();
    let y0 = V::splat(token, 0o777);
    let y1 = V::splat(token, 0o777 << 9);
    let y12 = V::splat(token, ALL & !0o777);
    // Byte b of bytes[8r + i] is the cell at place 8b + i of row r, where place = 9c + s.
    let mut bytes = [V::splat(token, 0); 24];
    for r in 0..3 {
        // The binary places of digits 1 to 9, digit - 1 = 3X + Y; 9 bits for each of the three columns.
        let mut planes = [V::splat(token, 0); 4];
        for c in (0..3).rev() {
            let i = 3 * r + c;
            let [w0, w1, w2] = [state[i], state[9 + i], state[18 + i]];
            let ones = fold(y1.choose(w1, w0.or(w2)));
            let w01 = y12.choose(w0, w2);
            let y2 = y12.but_not(y1);
            let twos = fold(w01.or_and(w1, y2));
            let fours = fold(w1.or_and(w2, y0));
            let eights = fold(w2.and(y12));
            planes = [
                planes[0].up::<9>().or(ones),
                planes[1].up::<9>().or(twos),
                planes[2].up::<9>().or(fours),
                planes[3].up::<9>().or(eights),
            ];
        }
        let odd = V::splat(token, 0x5555_5555);
        let low = V::splat(token, 0x3333_3333);
        let even_01 = odd.choose(planes[0], planes[1].up::<1>());
        let odd_01 = odd.choose(planes[0].down::<1>(), planes[1]);
        let even_23 = odd.choose(planes[2], planes[3].up::<1>());
        let odd_23 = odd.choose(planes[2].down::<1>(), planes[3]);
        // Nibble n of word i is the digit at place 4n + i.
        let nibbles = [
            low.choose(even_01, even_23.up::<2>()),
            low.choose(odd_01, odd_23.up::<2>()),
            low.choose(even_01.down::<2>(), even_23),
            low.choose(odd_01.down::<2>(), odd_23),
        ];
        let nibble = V::splat(token, 0x0f0f_0f0f);
        for i in 0..4 {
            bytes[8 * r + i] = nibbles[i].and(nibble);
            bytes[8 * r + 4 + i] = nibbles[i].down::<4>().and(nibble);
        }
    }
    for i in 0..6 {
        let mut columns = [V::splat(token, 0); 4];
        for j in 0..4 {
            let mut moved = [V::splat(token, 0); 4];
            for k in 0..4 {
                let (source, byte) = TARGET[16 * i + 4 * j + k];
                let way = V::splat_bytes(token, &MOVE[usize::from(byte)][k]);
                moved[k] = bytes[usize::from(source)].shuffle_bytes(way);
            }
            columns[j] = moved[0].or3(moved[1], moved[2]).or(moved[3]);
        }
        V::store_columns(columns, rows, 16 * i);
    }
}
