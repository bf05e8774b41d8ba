//! The smallest of several solutions, as an 81-digit number.
//!
//! A lane that has counted as many solutions as it was asked for goes on for one reason: a smaller one. In the
//! first cell, in reading order, where its candidates are not just the digit of the best solution known, a
//! smaller solution has a smaller digit. So every larger candidate of that cell can go: branch and bound.

use super::pass::{LaneState, WORDS, fold, lowest_bit, nine, other_y, three};
use super::vector::Lanes;

/// In the first cell that may differ from the best solution known, the digits above that solution's.
pub(super) struct Above<V> {
    /// The bits of the cell, for each cell position: none but in one of the nine.
    cell: [V; 9],
    /// The digits of each X, as bits of all cells.
    digits: [V; 3],
}

/// Bits 0, 3 and 6.
const EVERY_THIRD: u32 = 0o111;

/// All bits of the digits of one cell, given one of them: the three Y.
#[inline(always)]
fn every_y<V: Lanes>(word: V) -> V {
    word.or(other_y(word))
}

impl<V: Lanes> Above<V> {
    /// Compares all lanes; `best` has one digit a cell.
    #[inline(always)]
    pub(super) fn new(state: &LaneState<V>, best: &LaneState<V>) -> Self {
        let token = state[0].token();
        // For each cell position the boxes, bits 3B + K, in which the cell has another digit than the best.
        let mut other = [V::splat(token, 0); 9];
        for i in 0..9 {
            let word = state[i]
                .but_not(best[i])
                .or_but_not(state[9 + i], best[9 + i])
                .or_but_not(state[18 + i], best[18 + i]);
            other[i] = fold(word);
        }
        // Rows first: bit 3B + r.
        let rows = three!(r => {
            let boxes = other[3 * r].or3(other[3 * r + 1], other[3 * r + 2]);
            boxes.or3(boxes.down::<1>(), boxes.down::<2>()).and(V::splat(token, EVERY_THIRD))
        });
        let row = lowest_bit(rows[0].or3(rows[1].up::<1>(), rows[2].up::<2>()));
        let row = [row, row.down::<1>(), row.down::<2>()];
        let rows = three!(r => {
            let band = row[r].and(V::splat(token, EVERY_THIRD));
            band.or3(band.up::<1>(), band.up::<2>())
        });
        // In that row the stack, bit K, then the column in the stack.
        let columns = three!(c => {
            let boxes = other[c].and(rows[0]).or_and(other[3 + c], rows[1]).or_and(other[6 + c], rows[2]);
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
                own[x] = own[x].or_and(best[9 * x + i], cell[i]);
            }
        }
        let above = three!(x => own[x].up::<9>().or(own[x].up::<18>()));
        let digits = [above[0], above[1].or(every_y(own[0])), above[2].or3(every_y(own[0]), every_y(own[1]))];
        Self { cell, digits }
    }

    /// The lanes whose states have one of the digits in the cell: of solved ones, those that are not smaller.
    #[inline(always)]
    pub(super) fn found_in(&self, state: &LaneState<V>) -> u32 {
        let token = state[0].token();
        let mut found = V::splat(token, 0);
        for w in 0..WORDS {
            found = found.or(state[w].and3(self.cell[w % 9], self.digits[w / 9]));
        }
        found.nonzero()
    }

    /// Takes the digits from the cell, in some lanes.
    #[inline(always)]
    pub(super) fn remove(&self, lanes: u32, state: &mut LaneState<V>) {
        let token = state[0].token();
        let digits = three!(x => V::splat(token, 0).blend(lanes, self.digits[x]));
        for x in 0..3 {
            for i in 0..9 {
                state[9 * x + i] = state[9 * x + i].but_not(self.cell[i].and(digits[x]));
            }
        }
    }
}
