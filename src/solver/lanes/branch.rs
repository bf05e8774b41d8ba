//! Where a stuck puzzle branches.
//!
//! For one digit and band, each of the three rows goes to another box: six ways, *configurations*. The
//! rule: take the band or stack in which the digits have the fewest configurations in all, fully settled
//! ones left aside, and in it a digit with two (else three, else more); then branch on one minirow, first
//! asserting, then removing it. (The idea is Tom Dillon's, for one puzzle at a time.) If every digit has one
//! configuration in every band and stack, the puzzle is solved.
//!
//! At rest every minirow left is part of a configuration, and each digit has at least one. So a digit
//! chosen here has two or more, the minirow chosen is in some of them but not in all, and both children
//! are strictly smaller than their parent.

use super::pass::{Columns, Direction, Rows, State, minilines, words_of};
use super::vector::{Lanes, MAX_LANES};

/// The configurations that are possible, by lane: for rows, then columns, and each X, two words. Bit
/// 9Y + 3B + K of the first means that row 0 takes box K, row 1 the next, row 2 the one after (going
/// round); of the second, that row 1 takes the one after and row 2 the next.
pub(super) type Configurations = [[[[u32; MAX_LANES]; 2]; 3]; 2];

#[inline(always)]
pub(super) fn configurations<V: Lanes>(state: &State<V>, found: &mut Configurations) {
    for x in 0..3 {
        let words = words_of(state, x);
        of_lines::<V, Rows>(minilines::<V, Rows>(&words), &mut found[0][x]);
        of_lines::<V, Columns>(minilines::<V, Columns>(&words), &mut found[1][x]);
    }
}

#[inline(always)]
fn of_lines<V: Lanes, D: Direction>(lines: [V; 3], found: &mut [[u32; MAX_LANES]; 2]) {
    lines[0].and3(D::after(lines[1]), D::before(lines[2])).to_words(&mut found[0]);
    lines[0].and3(D::before(lines[1]), D::after(lines[2])).to_words(&mut found[1]);
}

/// A minirow or minicolumn to branch on.
#[derive(Clone, Copy, Default)]
pub(super) struct Choice {
    /// The first of the three words that hold the line.
    pub(super) word: u8,
    /// Distance to the second, and to the third.
    pub(super) step: u8,
    /// The bit of the minirow; zero if there is nothing to branch on: the puzzle is solved.
    pub(super) minirow: u32,
    /// The bits of the line's two other minirows.
    pub(super) others: u32,
}

/// Bits 0, 9 and 18, of two words side by side.
const EVERY_Y: u64 = (1 | 1 << 9 | 1 << 18) * (1 | 1 << 32);
/// The bits of a band (rows) or a stack (columns), of Y 0; and of each of its boxes.
const BOXES: [[u32; 3]; 2] = [[0o007, 0o070, 0o700], [0o111, 0o222, 0o444]];
const BOX: [[[u32; 3]; 3]; 2] =
    [[[1, 2, 4], [8, 16, 32], [64, 128, 256]], [[1, 8, 64], [2, 16, 128], [4, 32, 256]]];

/// The choice of one lane.
///
/// Scalar on purpose: few lanes branch at a time, and eight lanes would pay for sixteen. The backends
/// call it through a function of its own, without their vector instructions, which would make it slower;
/// and outside any loop, where the compiler prefers branches to conditional moves.
#[inline(always)]
pub(super) fn choose(configurations: &Configurations, lane: usize) -> Choice {
    // Of the bands and stacks the first with the fewest, those with nine passing for the most. Minima of
    // number and place in one word, since a branch here would be mispredicted half the time.
    let mut pairs = [[0u64; 3]; 2];
    let mut keys = [0; 6];
    for direction in 0..2 {
        for x in 0..3 {
            // Both words of an X side by side.
            let [even, odd] = &configurations[direction][x];
            pairs[direction][x] = u64::from(even[lane]) | u64::from(odd[lane]) << 32;
        }
        let [p, q, r] = pairs[direction];
        let one = p ^ q ^ r;
        let two = p & q | (p | q) & r;
        for t in 0..3 {
            let mask = u64::from(BOXES[direction][t]) * EVERY_Y;
            let total = (one & mask).count_ones() + 2 * (two & mask).count_ones();
            keys[3 * direction + t] = total.wrapping_sub(10) << 3 | (3 * direction + t) as u32;
        }
    }
    let [a, b, c, d, e, f] = keys;
    let best = a.min(b).min(c.min(d)).min(e.min(f));
    if best >> 3 == (u32::MAX >> 3) {
        return Choice::default();
    }
    let place = (best & 7) as usize;
    let (direction, t) = (place / 3, place % 3);

    // Likewise of the digits the first with the fewest, those with one passing for many.
    let mut keys = [0; 9];
    let all = BOXES[direction][t];
    for x in 0..3 {
        for y in 0..3 {
            let mask = (u64::from(all) | u64::from(all) << 32) << (9 * y);
            let number = (pairs[direction][x] & mask).count_ones();
            keys[3 * x + y] = number.wrapping_sub(2) << 4 | (3 * x + y) as u32;
        }
    }
    let [a, b, c, d, e, f, g, h, i] = keys;
    let fewest = a.min(b).min(c.min(d)).min(e.min(f).min(g.min(h))).min(i);
    let number = (fewest >> 4) + 2;
    let digit = (fewest & 15) as usize;
    let (x, y) = (digit / 3 % 3, digit % 3);
    let boxes = &BOX[direction][t];
    let even = pairs[direction][x] as u32 >> (9 * y);
    let odd = (pairs[direction][x] >> 32) as u32 >> (9 * y);
    // The first box that row 0 can take; if both configurations agree on it, then what row 1 takes.
    let any = even | odd;
    let k = usize::from(boxes[0] & any == 0) + usize::from((boxes[0] | boxes[1]) & any == 0);
    let (a, k) = if number == 2 && boxes[k] & even & odd != 0 { (1, (k + 1) % 3) } else { (0, k) };
    let (across, along) =
        if direction == 0 { (Rows::ACROSS, Rows::ALONG) } else { (Columns::ACROSS, Columns::ALONG) };
    Choice {
        word: (9 * x + a * across) as u8,
        step: along as u8,
        minirow: boxes[k] << (9 * y),
        others: (all ^ boxes[k]) << (9 * y),
    }
}
