//! The choice of a branch when a puzzle is stuck.
//!
//! Take one digit in one band. In each of the three boxes, its places are in one or more rows. The number of rows
//! beyond the first is its *freedom* in that box. A band's score is the total freedom of the digits in that band, plus
//! the total in all three bands. Stacks are scored the same way, with columns instead of rows. The rule is:
//!
//! 1. Take the band or stack with the lowest score, ignoring those that have no freedom.
//! 2. Take a digit there that has a freedom of one in every box. Failing that, take one that has a freedom of one in
//!    two boxes, or else any digit with freedom.
//! 3. Branch on one minirow in a box where the digit has freedom: first assert the minirow, then remove it.
//!
//! Tom Dillon's idea, which applies to one puzzle at a time, is to count the six ways to assign three rows to three
//! boxes. Freedom measures nearly the same thing. Rotations aside, it is 0 for one way, 2 or 3 for two ways, 4 for
//! three, 5 for four and 6 for six. An open puzzle has a digit with two places in some box. The places are in two rows
//! or in two columns, so that digit has freedom.
//!
//! At rest, each digit has a place in each box. Every remaining minirow is part of some way to place the digit in the
//! band. The chosen minirow is not part of every way, because the digit has another row in that box. So both children
//! have fewer candidates.

use super::pass::{ALL, Columns, Rows, lowest_bit, minilines, three, words_of};
use super::vector::{LaneState, Lanes};

/// The freedom of the digits of each X in one direction; bit 9Y + 3B + K stands for a digit in a box.
struct Freedom<V> {
    /// The digit has two or more rows.
    two: [V; 3],
    /// The digit has three rows.
    three: [V; 3],
    /// Row 0 is one of the rows.
    first: [V; 3],
}

impl<V: Lanes> Freedom<V> {
    /// Computes the freedom from the minirows of each X.
    #[inline(always)]
    fn of(lines: [[V; 3]; 3]) -> Self {
        Self {
            two: three!(x => lines[x][0].majority(lines[x][1], lines[x][2])),
            three: three!(x => lines[x][0].and3(lines[x][1], lines[x][2])),
            first: three!(x => lines[x][0]),
        }
    }

    /// Returns the bit planes of the total freedom over the three X, which is 0 to 6.
    #[inline(always)]
    fn planes(&self) -> [V; 3] {
        let [a, b, c] = self.two;
        let [d, e, f] = self.three;
        let (ones_two, twos_two) = (a.xor3(b, c), a.majority(b, c));
        let (ones_three, twos_three) = (d.xor3(e, f), d.majority(e, f));
        let carry = ones_two.and(ones_three);
        [ones_two.xor(ones_three), twos_two.xor3(twos_three, carry), twos_two.majority(twos_three, carry)]
    }

    /// Returns, for each band, the sum over its three boxes and the three Y, which is at most 54.
    #[inline(always)]
    fn in_bands(&self) -> [V; 3] {
        let token = self.two[0].token();
        // For each band, the number of its boxes that have the bit, stored in bits 3B to 3B + 2.
        let planes = self.planes();
        let counts = three!(i => {
            let plane = planes[i];
            let upper = plane.down::<1>().and(V::splat(token, 0o333_333_333));
            plane.minus(upper).minus(plane.down::<2>().and(V::splat(token, 0o111_111_111)))
        });
        [
            weighted(counts),
            weighted(three!(i => counts[i].down::<3>())),
            weighted(three!(i => counts[i].down::<6>())),
        ]
    }

    /// Returns, for each stack, the sum over its three boxes and the three Y, which is at most 54.
    #[inline(always)]
    fn in_stacks(&self) -> [V; 3] {
        let planes = self.planes();
        [
            stack_sum(planes),
            stack_sum(three!(i => planes[i].down::<1>())),
            stack_sum(three!(i => planes[i].down::<2>())),
        ]
    }
}

/// Bits 0 to 2 of every Y.
const LOW_THREE: u32 = 0o007_007_007;

/// Adds up the counts in the three lowest bits of each Y, weighted by plane.
#[inline(always)]
fn weighted<V: Lanes>(counts: [V; 3]) -> V {
    let token = counts[0].token();
    let [ones, twos, fours] = three!(i => counts[i].and(V::splat(token, LOW_THREE)));
    over_y(ones.plus(twos.up::<1>()).plus(fours.up::<2>()))
}

/// Adds up the planes at K = 0 over the three B and the three Y.
#[inline(always)]
fn stack_sum<V: Lanes>(planes: [V; 3]) -> V {
    let token = planes[0].token();
    let [ones, twos, fours] = three!(i => planes[i].and(V::splat(token, 0o111_111_111)));
    // Every group of three bits holds a number from 0 to 6.
    let numbers = ones.or3(twos.up::<1>(), fours.up::<2>());
    let low = V::splat(token, LOW_THREE);
    over_y(numbers.and(low).plus(numbers.down::<3>().and(low)).plus(numbers.down::<6>().and(low)))
}

/// Adds up three nine-bit numbers.
#[inline(always)]
fn over_y<V: Lanes>(numbers: V) -> V {
    numbers.plus(numbers.down::<9>()).plus(numbers.down::<18>()).and(V::splat(numbers.token(), 0o777))
}

/// The line to branch on in each lane: a minirow or a minicolumn.
pub(super) struct Choice<V> {
    /// The bit of the minirow.
    minirow: V,
    /// The bits of the other two minirows in the row.
    others: V,
    /// All ones if the line is a minirow, zero if it is a minicolumn.
    is_row: V,
    /// All ones if the line is the second in its band, zero if it is the first.
    is_second: V,
    /// The digit's X: all 27 bits are set for that X, and none for the other two.
    is_x: [V; 3],
}

/// Bits 0, 9 and 18: one for every Y.
const EVERY_Y: u32 = 1 | 1 << 9 | 1 << 18;

/// Makes the choice in all lanes; it is meaningless in lanes that are not at rest or not open.
#[inline(always)]
pub(super) fn choose<V: Lanes>(state: &LaneState<V>) -> Choice<V> {
    let token = state[0].token();
    let words = three!(x => words_of(state, x));
    let rows = Freedom::of(three!(x => minilines::<V, Rows>(&words[x])));
    let columns = Freedom::of(three!(x => minilines::<V, Columns>(&words[x])));

    // The first band or stack with the lowest sum. Those that have no freedom come last, because zero minus one is
    // larger than any sum. The lowest three bits hold the position, which is 4 or more for stacks.
    let [a, b, c] = keys(rows.in_bands(), 0);
    let [d, e, f] = keys(columns.in_stacks(), 4);
    let best = a.min(b).min(c.min(d)).min(e.min(f));
    let is_row = best.and(V::splat(token, 4)).is_zero();
    let t = best.and(V::splat(token, 3));
    // The first box of the band or stack, and the distance to the next.
    let start = t.plus(is_row.and(t.up::<1>()));
    let next = V::splat(token, 3).minus(is_row.and(V::splat(token, 2)));

    // Digit 3X + Y is at bit 9Y + X. There are three kinds of digits: those with two rows in each box, those free in
    // some boxes but not all, and those free anywhere.
    let every_y = V::splat(token, EVERY_Y);
    let two = three!(x => is_row.choose(rows.two[x], columns.two[x]).down_by(start));
    let kinds = three!(x => {
        let second = two[x].down_by(next);
        let third = second.down_by(next);
        let three = is_row.choose(rows.three[x], columns.three[x]).down_by(start);
        let three_second = three.down_by(next);
        let three = three.or3(three_second, three_second.down_by(next));
        let every = two[x].and3(second, third);
        let some = two[x].or3(second, third).and(every_y);
        [every.and(every_y).but_not(three), some.but_not(every), some]
    });
    let [two_in_each, in_some, free] =
        three!(i => kinds[0][i].or3(kinds[1][i].up::<1>(), kinds[2][i].up::<2>()));
    let kind = in_some.is_zero().choose(free, in_some);
    let kind = two_in_each.is_zero().choose(kind, two_in_each);
    let digit = lowest_bit(kind);
    let y = digit.or3(digit.down::<1>(), digit.down::<2>()).and(every_y);
    let is_x = three!(x => V::splat(token, ALL).but_not(digit.and(V::splat(token, EVERY_Y << x)).is_zero()));

    // The first box where the digit has freedom. In that box, row 0 if the digit can be in it, otherwise row 1.
    let of_digit = two[0].and(is_x[0]).or_and(two[1], is_x[1]).or_and(two[2], is_x[2]);
    let box_0 = of_digit.and(y);
    let box_1 = of_digit.down_by(next).and(y).but_not(box_0);
    let box_2 = y.but_neither(box_0, box_1);
    let minirow = box_0.or(box_1.or(box_2.up_by(next)).up_by(next)).up_by(start);
    let boxes = y.or(y.or(y.up_by(next)).up_by(next)).up_by(start);
    let first = three!(x => is_row.choose(rows.first[x], columns.first[x]));
    let first = first[0].and(is_x[0]).or_and(first[1], is_x[1]).or_and(first[2], is_x[2]);
    Choice { minirow, others: boxes.but_not(minirow), is_row, is_second: first.and(minirow).is_zero(), is_x }
}

/// Returns the keys by which bands or stacks with these sums are compared.
#[inline(always)]
fn keys<V: Lanes>(sums: [V; 3], first: u32) -> [V; 3] {
    let token = sums[0].token();
    let all = sums[0].plus(sums[1]).plus(sums[2]);
    three!(t => {
        let sum = sums[t].minus(V::splat(token, 1)).and(V::splat(token, 0xffff)).plus(all);
        sum.up::<3>().or(V::splat(token, first + t as u32))
    })
}

impl<V: Lanes> Choice<V> {
    /// Branches in the given lanes by asserting their minirow in `state`. For the lanes in `aside`, puts the state
    /// without the minirow into `alternative`.
    #[inline(always)]
    pub(super) fn branch(
        &self,
        lanes: u32,
        state: &mut LaneState<V>,
        aside: u32,
        alternative: &mut LaneState<V>,
    ) {
        let token = self.minirow.token();
        let asserted = V::splat(token, 0).blend(lanes, self.others);
        let removed = V::splat(token, 0).blend(lanes, self.minirow);
        for x in 0..3 {
            let (rows, columns) = self.by_line(asserted.and(self.is_x[x]));
            let (alternative_rows, alternative_columns) = self.by_line(removed.and(self.is_x[x]));
            for r in 0..3 {
                for c in 0..3 {
                    let i = 9 * x + 3 * r + c;
                    let without = state[i].but_neither(alternative_rows[r], alternative_columns[c]);
                    put_aside(&mut alternative[i], aside, without);
                    state[i] = state[i].but_neither(rows[r], columns[c]);
                }
            }
        }
    }

    /// Returns the bits for each row and for each column. The third line is never chosen.
    #[inline(always)]
    fn by_line(&self, bits: V) -> ([V; 3], [V; 3]) {
        let token = bits.token();
        let (row, column) = (bits.and(self.is_row), bits.but_not(self.is_row));
        (
            [row.but_not(self.is_second), row.and(self.is_second), V::splat(token, 0)],
            [column.but_not(self.is_second), column.and(self.is_second), V::splat(token, 0)],
        )
    }
}

/// Writes one word of an alternative to a frame that it may share with other lanes.
#[inline(always)]
pub(super) fn put_aside<V: Lanes>(place: &mut V, lanes: u32, word: V) {
    *place = if V::SHARES_FRAMES { place.blend(lanes, word) } else { word };
}
