//! The smallest of several solutions, as an 81-digit number.
//!
//! The depth-first search always branches on the first open cell in reading order and tries its smallest digit first.
//! So it finds the solutions in ascending order. Below a branch, all cells before the branching cell are known. So
//! every solution with the chosen digit comes before every solution without it. The first solution is therefore the
//! smallest, and the search ends there. It seldom backtracks: if a puzzle has many solutions, wrong guesses are rare.

use super::branch::put_aside;
use super::pass::{fold, lowest_bit, nine, or_other_y, three};
use super::vector::{LaneState, Lanes};

/// The smallest candidate of the first open cell in every lane.
pub(super) struct FirstOpen<V> {
    /// The bits of the cell for all three Y, by cell position; only one of the nine words is nonzero.
    cell: [V; 9],
    /// The bit of the candidate, by X; only one of the three words is nonzero.
    candidate: [V; 3],
}

/// Bits 0, 3 and 6.
const EVERY_THIRD: u32 = 0o111;

/// Returns the bits of a cell at all three Y, given one of them.
#[inline(always)]
fn every_y<V: Lanes>(word: V) -> V {
    or_other_y(word, word)
}

/// Finds the candidate in all lanes; it is meaningless in lanes that have no open cell.
#[inline(always)]
pub(super) fn first_open<V: Lanes>(state: &LaneState<V>) -> FirstOpen<V> {
    let token = state[0].token();
    // For each cell position, the boxes (as bits 3B + K) in which that cell has two or more candidates.
    let mut open = [V::splat(token, 0); 9];
    for i in 0..9 {
        let [a, b, c] = three!(x => state[9 * x + i]);
        let some = a.or3(b, c);
        open[i] = fold(a.majority(b, c).or_and(some, some.down::<9>().or(some.down::<18>())));
    }
    // Find the row first, as bit 3B + r.
    let rows = three!(r => {
        let boxes = open[3 * r].or3(open[3 * r + 1], open[3 * r + 2]);
        boxes.or3(boxes.down::<1>(), boxes.down::<2>()).and(V::splat(token, EVERY_THIRD))
    });
    let row = lowest_bit(rows[0].or3(rows[1].up::<1>(), rows[2].up::<2>()));
    let row = [row, row.down::<1>(), row.down::<2>()];
    let rows = three!(r => {
        let band = row[r].and(V::splat(token, EVERY_THIRD));
        band.or3(band.up::<1>(), band.up::<2>())
    });
    // In that row, find the stack, at bit K, and then the column within the stack.
    let columns = three!(c => {
        let boxes = open[c].and(rows[0]).or_and(open[3 + c], rows[1]).or_and(open[6 + c], rows[2]);
        boxes.or3(boxes.down::<3>(), boxes.down::<6>()).and(V::splat(token, 7))
    });
    let stack = lowest_bit(columns[0].or3(columns[1], columns[2]));
    let first = columns[0].and(stack);
    let second = columns[1].and(stack).but_not(first);
    let columns = [first, second, stack.but_neither(first, second)];
    let columns = three!(c => every_y(columns[c].or3(columns[c].up::<3>(), columns[c].up::<6>())));
    let rows = three!(r => every_y(rows[r]));
    let cell = nine(three!(r => three!(c => rows[r].and(columns[c]))));

    let mut own = [V::splat(token, 0); 3];
    for x in 0..3 {
        for i in 0..9 {
            own[x] = own[x].or_and(state[9 * x + i], cell[i]);
        }
    }
    // The smallest digit 3X + Y is the lowest bit of the first X that is not empty.
    let none = [own[0].is_zero(), own[0].or(own[1]).is_zero()];
    let candidate = [lowest_bit(own[0]), lowest_bit(own[1]).and(none[0]), lowest_bit(own[2]).and(none[1])];
    FirstOpen { cell, candidate }
}

impl<V: Lanes> FirstOpen<V> {
    /// Branches in the given lanes: asserts the candidate in `state`, and puts the state without it into `alternative`.
    #[inline(always)]
    pub(super) fn branch(&self, lanes: u32, state: &mut LaneState<V>, alternative: &mut LaneState<V>) {
        let token = state[0].token();
        let candidate = three!(x => V::splat(token, 0).blend(lanes, self.candidate[x]));
        for i in 0..9 {
            let cell = V::splat(token, 0).blend(lanes, self.cell[i]);
            for x in 0..3 {
                let word = state[9 * x + i];
                put_aside(&mut alternative[9 * x + i], lanes, word.but_not(cell.and(candidate[x])));
                state[9 * x + i] = word.but_not(cell.but_not(candidate[x]));
            }
        }
    }
}
