//! Converting grids to lanes and lanes to grids, `N` at a time.
//!
//! A cell is at position `i = 3r + c` in its box, and the box is at position `s = 3B + K`. The cell's candidates are
//! bits s, s + 9 and s + 18 of three words, one for each X. The backend moves cells in and out ([`Lanes::load_cells`],
//! [`Lanes::store_cells`]), with byte [shuffles](super::shuffles) if it has them.

use super::pass::{ALL, fold};
use super::vector::{LaneState, Lanes, MAX_LANES};
use crate::sudoku::CELLS;

/// The position of each cell within its box, and the position of the box.
pub(super) const POSITIONS: [(usize, usize); CELLS] = {
    let mut positions = [(0, 0); CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let (row, column) = (cell / 9, cell % 9);
        positions[cell] = (row % 3 * 3 + column % 3, row / 3 * 3 + column / 3);
        cell += 1;
    }
    positions
};

/// Returns, for one X, which digits 3X + Y a cell can have, one bit per Y. A digit above 9 counts as a blank.
pub(super) const fn possible(x: usize, digit: usize) -> u8 {
    if digit == 0 || digit > 9 {
        7
    } else if (digit - 1) / 3 == x {
        1 << ((digit - 1) % 3)
    } else {
        0
    }
}

/// The place of each cell in [`Digits`](super::vector::Digits), as a four-byte word and a byte in it. Entries after
/// cell 80 are arbitrary.
pub(super) const PLACES: [(u8, u8); 96] = {
    let mut places = [(0, 0); 96];
    let mut cell = 0;
    while cell < CELLS {
        let (i, s) = POSITIONS[cell];
        let place = 9 * (i % 3) + s;
        places[cell] = ((8 * (i / 3) + place % 8) as u8, (place / 8) as u8);
        cell += 1;
    }
    places
};

/// Writes the candidates of `N` grids: a clue leaves one in its cell, and removes its digit from the blanks in its box.
#[inline(always)]
pub(super) fn decode<V: Lanes>(grids: &[&[u8; 81]; MAX_LANES], state: &mut LaneState<V>) {
    let token = state[0].token();
    V::load_cells(token, grids, state);
    let mut clues = [V::splat(token, 0); 3];
    for i in 0..9 {
        for x in 0..3 {
            // A blank has candidates for every X; a clue has one for a single X.
            let blank = state[9 * ((x + 1) % 3) + i];
            clues[x] = clues[x].or_but_not(state[9 * x + i], blank);
        }
    }
    for i in 0..9 {
        let words = [state[i], state[9 + i], state[18 + i]];
        for x in 0..3 {
            // Clues stay, even if two of them clash, so the rules find the contradiction.
            let blank = words[(x + 1) % 3];
            state[9 * x + i] = words[x].but_not_both(clues[x], blank);
        }
    }
}

/// Removes one candidate from the puzzle in a lane.
#[inline(always)]
pub(super) fn remove<V: Lanes>(state: &mut LaneState<V>, lane: usize, cell: usize, digit: usize) {
    let (i, s) = POSITIONS[cell];
    let word = &mut state[(digit - 1) / 3 * 9 + i];
    word.set_lane(lane, word.lane(lane) & !(1 << ((digit - 1) % 3 * 9 + s)));
}

/// Writes the digits of `N` solved states, 81 per row.
#[inline(always)]
pub(super) fn encode<V: Lanes>(state: &LaneState<V>, rows: &mut [[u8; 96]; MAX_LANES]) {
    let token = state[0].token();
    let y0 = V::splat(token, 0o777);
    let y1 = V::splat(token, 0o777 << 9);
    let y12 = V::splat(token, ALL & !0o777);
    let mut digits = [V::splat(token, 0); 24];
    for r in 0..3 {
        // The bit planes of the digits 1 to 9 (digit - 1 = 3X + Y), with 9 bits for each of the three columns.
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
            digits[8 * r + i] = nibbles[i].and(nibble);
            digits[8 * r + 4 + i] = nibbles[i].down::<4>().and(nibble);
        }
    }
    V::store_cells(&digits, rows);
}
