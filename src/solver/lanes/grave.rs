//! Bivalue universal graves: states whose solutions come in pairs.
//!
//! In a *grave* (the standard term), no cell has more than two candidates. At rest, each open digit of a house has
//! exactly two places there. A single place would be a hidden single. More than two are impossible: m open cells have m
//! open digits, but only 2m candidates. So in a solution, each place of a digit determines its places in the houses of
//! that cell. Switching every cell of a solution to its other candidate yields another solution. The two children of a
//! guess in a grave therefore have the same number of solutions, and only one of them needs to be searched.
//!
//! A grave with at most six open cells has exactly two solutions. No row or column has exactly one open cell, so these
//! are the only cases:
//!
//! - Four cells where two rows meet two columns. All have the same two candidates.
//! - Six cells where two rows meet three columns, or three rows meet two columns. With three columns, the two cells of
//!   each column have the same two candidates, out of three in total. The solutions are the two rotations of the
//!   digits.
//! - Six cells in three rows and three columns, two in each. All have the same two candidates, and the digits alternate
//!   along a path that switches between rows and columns.
//!
//! The boxes rule out neither solution. In the last case, two open cells of a box that share no line are three steps
//! apart on the path, so their digits differ. If they were two steps apart, the cell between them would be a third cell
//! with the same digits in that box.

use super::pass::{ALL, other_y, places, three, words_of};
use super::vector::{LaneState, Lanes};

/// Returns the lanes that are graves; meaningless for lanes that are not at rest or not open.
#[inline(always)]
pub(super) fn graves_among<V: Lanes>(state: &LaneState<V>) -> u32 {
    let token = state[0].token();
    let mut more = V::splat(token, 0);
    for i in 0..9 {
        let [a, b, c] = three!(x => state[9 * x + i]);
        let (once, twice) = (a.or3(b, c), a.majority(b, c));
        // A cell's three candidates can have one, two or three different Y. This finds those with three.
        let apart = once.and3(once.down::<9>(), once.down::<18>());
        more = more.or3(a.and3(b, c), apart).or_and(twice, other_y(once));
    }
    !more.and(V::splat(token, ALL)).nonzero()
}

/// Returns the lanes that have at most six open cells; meaningless for lanes that are not graves.
#[inline(always)]
pub(super) fn small_among<V: Lanes>(state: &LaneState<V>) -> u32 {
    let token = state[0].token();
    // Each box has as many open digits as open cells, so this counts open digits (27 bits for each X), first in
    // nibbles, then in bytes.
    let nibbles = three!(x => {
        let (_, open) = places(&words_of(state, x));
        let pairs = open.minus(open.down::<1>().and(V::splat(token, 0x5555_5555)));
        let low = V::splat(token, 0x3333_3333);
        pairs.and(low).plus(pairs.down::<2>().and(low))
    });
    let sum = nibbles[0].plus(nibbles[1]).plus(nibbles[2]);
    let low = V::splat(token, 0x0f0f_0f0f);
    let bytes = sum.and(low).plus(sum.down::<4>().and(low));
    let bytes = bytes.plus(bytes.down::<16>());
    // If there are seven or more cells, adding one makes at least eight.
    let cells = bytes.plus(bytes.down::<8>()).plus(V::splat(token, 1));
    !cells.and(V::splat(token, 0xf8)).nonzero()
}
