//! Where a stuck puzzle branches.
//!
//! Take one digit in one band: in each of the three boxes it has one row or more. Call the number of rows
//! beyond the first its *freedom* in that box. The rule: take the band (or stack, with columns for rows) in
//! which the freedom of its digits, and the freedom of all digits in all bands (or stacks), add up to the least, those without any left aside; in it a digit with a freedom of one in each box, else of one in
//! two boxes, else any; then branch on one minirow, in a box where the digit is free, first asserting, then
//! removing it. (Tom Dillon's idea, for one puzzle at a time, is to count the six ways in which three
//! rows can go to three boxes. Freedom measures nearly the same: one way leaves 0, two ways 2 or 3, three
//! 4, four 5, six 6. It takes no shifts, and fewer guesses.) If no digit is free anywhere, the puzzle
//! is solved.
//!
//! At rest every minirow left is part of a way to place the digit in the band, and each digit has at least
//! one place in each box. So the minirow chosen is part of some ways but, as its box has another row, not of
//! all, and both children are strictly smaller than their parent.

use super::pass::{Columns, Direction, Rows, State, minilines, words_of};
use super::vector::{Lanes, MAX_LANES};

/// Where digits are free, by lane: for rows, then columns.
pub(super) type Freedom = [Lines; 2];

/// Of one direction and each X, bit 9Y + 3B + K standing for a digit in a box: whether it has two rows or
/// more; three; and row 0.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    two: [[u32; MAX_LANES]; 3],
    three: [[u32; MAX_LANES]; 3],
    first: [[u32; MAX_LANES]; 3],
}

impl Lines {
    pub(super) const NONE: Self =
        Self { two: [[0; MAX_LANES]; 3], three: [[0; MAX_LANES]; 3], first: [[0; MAX_LANES]; 3] };
}

#[inline(always)]
pub(super) fn freedom<V: Lanes>(state: &State<V>, found: &mut Freedom) {
    for x in 0..3 {
        let words = words_of(state, x);
        of_lines(minilines::<V, Rows>(&words), &mut found[0], x);
        of_lines(minilines::<V, Columns>(&words), &mut found[1], x);
    }
}

#[inline(always)]
fn of_lines<V: Lanes>(lines: [V; 3], found: &mut Lines, x: usize) {
    lines[0].majority(lines[1], lines[2]).to_words(&mut found.two[x]);
    lines[0].and3(lines[1], lines[2]).to_words(&mut found.three[x]);
    lines[0].to_words(&mut found.first[x]);
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

/// Bits 0, 9 and 18: every Y.
const EVERY_Y: u32 = 1 | 1 << 9 | 1 << 18;
const BOTH: u64 = 1 | 1 << 32;
/// The boxes of a band (rows) or a stack (columns), of Y 0.
const BOXES: [[u32; 3]; 2] = [[0o007, 0o070, 0o700], [0o111, 0o222, 0o444]];
/// The first box of a band or stack, and the distance to the next.
const FIRST: [[u32; 3]; 2] = [[0, 3, 6], [0, 1, 2]];
const NEXT: [u32; 2] = [1, 3];
/// Distance of the words of adjacent lines, and of adjacent cells of a line.
const LINE: [(usize, usize); 2] = [(Rows::ACROSS, Rows::ALONG), (Columns::ACROSS, Columns::ALONG)];

/// The choice of one lane.
///
/// Scalar on purpose: few lanes branch at a time, and eight lanes would pay for sixteen. The backends
/// call it through a function of its own, without their vector instructions, which would make it slower;
/// and outside any loop, where the compiler prefers branches to conditional moves.
#[inline(always)]
pub(super) fn choose(freedom: &Freedom, lane: usize) -> Choice {
    // Of the bands and stacks the first with the least sum, those without freedom passing for the
    // most. Minima of sum and place in one word, since a branch here would be mispredicted half the time.
    let mut pairs = [[0u64; 3]; 2];
    let mut keys = [0; 6];
    for direction in 0..2 {
        let Lines { two, three, .. } = &freedom[direction];
        for x in 0..3 {
            // Both words of an X side by side.
            pairs[direction][x] = u64::from(two[x][lane]) | u64::from(three[x][lane]) << 32;
        }
        let [p, q, r] = pairs[direction];
        let one = p ^ q ^ r;
        let two = p & q | (p | q) & r;
        let mut sums = [0; 3];
        for t in 0..3 {
            let mask = u64::from(BOXES[direction][t] * EVERY_Y) * BOTH;
            sums[t] = (one & mask).count_ones() + 2 * (two & mask).count_ones();
        }
        let all = sums[0] + sums[1] + sums[2];
        for t in 0..3 {
            // Zero goes round to far more than any sum.
            let sum = (sums[t].wrapping_sub(1) & 0xffff) + all;
            keys[3 * direction + t] = sum << 3 | (3 * direction + t) as u32;
        }
    }
    let [a, b, c, d, e, f] = keys;
    let best = a.min(b).min(c.min(d)).min(e.min(f));
    if best >> 18 != 0 {
        return Choice::default();
    }
    let place = (best & 7) as usize;
    let (direction, t) = (place / 3, place % 3);

    // Digit 3X + Y at bit 9Y + X.
    let (start, next) = (FIRST[direction][t], NEXT[direction]);
    let (mut apart, mut two, mut free) = (0, 0, 0);
    for x in 0..3 {
        let first = pairs[direction][x] >> start;
        let (second, third) = (first >> next, first >> (2 * next));
        let every = (first & second & third) as u32;
        let some = first | second | third;
        let three = (some >> 32) as u32;
        apart |= (every & !three & EVERY_Y) << x;
        two |= (some as u32 & !every & EVERY_Y) << x;
        free |= (some as u32 & EVERY_Y) << x;
    }
    let kind = if two == 0 { free } else { two };
    let kind = if apart == 0 { kind } else { apart };
    // Bits 0 to 2, 9 to 11 and 18 to 20: Y is the bit's number by 8, rounded down.
    let bit = kind.trailing_zeros();
    let shift = 9 * (bit >> 3);
    let x = (bit - shift) as usize % 3;

    // The first box where the digit is free, and there row 0, else row 1.
    let at = start + shift;
    let word = pairs[direction][x] as u32 >> at;
    let box_0 = word & 1;
    let box_1 = word >> next & 1;
    let k = (1 - box_0) * (2 - box_1);
    let boxes = BOXES[direction][t] << shift;
    let minirow = 1 << (at + next * k);
    let row_1 = usize::from(freedom[direction].first[x][lane] & minirow == 0);
    let (across, along) = LINE[direction];
    Choice { word: (9 * x + row_1 * across) as u8, step: along as u8, minirow, others: boxes & !minirow }
}
