//! Bivalue universal graves: states whose solutions come in pairs.
//!
//! In a *grave* no cell has more than two candidates (the term is the field's). At rest, each digit that is open in a
//! house has exactly two places there: at least two, or it would be a hidden single, and a house of m open cells has m
//! open digits and 2m candidates. So in a solution each place of a digit decides the other places in its houses, and a
//! solution with each cell changed to its other candidate is a solution. The two children of a guess in a grave have
//! equally many solutions, and only one must be searched.
//!
//! A grave of at most six open cells has exactly two solutions. No row or column has exactly one open cell, so the
//! cells are
//!
//! - four, where two rows meet two columns: all have the same two candidates;
//! - six, where two rows meet three columns (or the other way round): the two cells of each column have the same two of
//!   three candidates, and the solutions are the two rotations of the digits;
//! - six, two in each of three rows and three columns: all have the same two candidates, and along rows and columns in
//!   turn the digits alternate.
//!
//! Boxes forbid neither solution: two open cells of a box that share no line are three steps apart in the last figure,
//! so their digits differ; if they were two steps apart, the cell between would be a third one of the same digits in
//! the box.

use super::pass::{ALL, other_y, places, three, words_of};
use super::vector::{LaneState, Lanes};

/// The lanes that are graves; meaningless for lanes that are not at rest, or not open.
#[inline(always)]
pub(super) fn graves_among<V: Lanes>(state: &LaneState<V>) -> u32 {
    let token = state[0].token();
    let mut more = V::splat(token, 0);
    for i in 0..9 {
        let [a, b, c] = three!(x => state[9 * x + i]);
        let (once, twice) = (a.or3(b, c), a.majority(b, c));
        // Three candidates have one Y, two or three.
        let apart = once.and3(once.down::<9>(), once.down::<18>());
        more = more.or3(a.and3(b, c), apart).or_and(twice, other_y(once));
    }
    !more.and(V::splat(token, ALL)).nonzero()
}

/// The lanes with at most six open cells; meaningless for lanes that are not graves.
#[inline(always)]
pub(super) fn small_among<V: Lanes>(state: &LaneState<V>) -> u32 {
    let token = state[0].token();
    // Each box has as many open digits as open cells. Three times 27 bits are counted by nibbles, then by bytes.
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
    // Seven or more cells, plus one, are eight or more.
    let cells = bytes.plus(bytes.down::<8>()).plus(V::splat(token, 1));
    !cells.and(V::splat(token, 0xf8)).nonzero()
}
