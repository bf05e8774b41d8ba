//! Bivalue universal graves: states whose solutions come in pairs.
//!
//! In a *grave* no cell has more than two candidates (the term is the field's). At rest, each digit that is open in a
//! house has exactly two places there. With fewer it would be a hidden single, and a house of m open cells has m open
//! digits and 2m candidates. So in a solution, each place of a digit decides the other places in its houses. Changing
//! each cell of a solution to its other candidate gives another solution. The two children of a guess in a grave have
//! equally many solutions, and only one needs to be searched.
//!
//! A grave of at most six open cells has exactly two solutions. No row or column has exactly one open cell, so there
//! are these cases:
//!
//! - Four cells where two rows meet two columns. All have the same two candidates.
//! - Six cells where two rows meet three columns, or with rows and columns swapped. The two cells of each column have
//!   the same two of three candidates. The solutions are the two rotations of the digits.
//! - Six cells, two in each of three rows and three columns. All have the same two candidates, and the digits alternate
//!   along rows and columns in turn.
//!
//! Boxes forbid neither solution. In the last figure, two open cells of a box that share no line are three steps apart,
//! so their digits differ. If they were two steps apart, the cell between would be a third one of the same digits in
//! the box.

use super::pass::{ALL, other_y, places, three, words_of};
use super::vector::{LaneState, Lanes};

/// Returns the lanes that are graves; meaningless for lanes that are not at rest, or not open.
#[inline(always)]
pub(super) fn graves_among<V: Lanes>(state: &LaneState<V>) -> u32 {
    let token = state[0].token();
    let mut more = V::splat(token, 0);
    for i in 0..9 {
        let [a, b, c] = three!(x => state[9 * x + i]);
        let (once, twice) = (a.or3(b, c), a.majority(b, c));
        // Three candidates of a cell have one Y, two or three. Here they have three.
        let apart = once.and3(once.down::<9>(), once.down::<18>());
        more = more.or3(a.and3(b, c), apart).or_and(twice, other_y(once));
    }
    !more.and(V::splat(token, ALL)).nonzero()
}

/// Returns the lanes with at most six open cells; meaningless for lanes that are not graves.
#[inline(always)]
pub(super) fn small_among<V: Lanes>(state: &LaneState<V>) -> u32 {
    let token = state[0].token();
    // Each box has as many open digits as open cells. Nibbles, then bytes, count three times 27 bits.
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
    // Seven or more cells plus one make eight or more.
    let cells = bytes.plus(bytes.down::<8>()).plus(V::splat(token, 1));
    !cells.and(V::splat(token, 0xf8)).nonzero()
}
