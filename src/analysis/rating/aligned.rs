//! Aligned exclusion: removes candidates of two or three cells that would together leave another cell with no
//! candidate.

use super::cells::{CellSet, Digits, HOUSE, HOUSES_OF, PEERS};
use super::links::KINDS;
use super::state::State;
use super::step::{Reason, Technique};

/// Removes a candidate that would leave another cell with no candidate. If `cell` held `digit`, its peers would lose
/// that digit. Each bivalue peer `{digit, other}` would hold `other`, and its own peers would lose `other`. If some
/// other cell would lose all its candidates, `cell` does not hold `digit`. The two cells must share at least two
/// bivalue peers.
pub(super) fn pair_exclusion(state: &mut State) -> bool {
    let (bivalue, more) = state.bivalue_and_more();
    let before = state.clone();
    let mut changes = false;
    for digit in 0..9 {
        for cell in before.places[digit].iter() {
            let excluders = bivalue & before.places[digit] & PEERS[cell];
            if excluders.is_empty() {
                continue;
            }
            let mut gone = [CellSet::EMPTY; 9];
            gone[digit] = PEERS[cell];
            for excluder in excluders.iter() {
                gone[(before.candidates[excluder] & !Digits::of(digit)).first()] |= PEERS[excluder];
            }
            let left = before
                .places
                .iter()
                .zip(gone)
                .fold(CellSet::EMPTY, |left, (places, gone)| left | *places & !gone);
            let shared = |other: usize| bivalue & PEERS[cell] & PEERS[other];
            let emptied = (bivalue | more) & !left & !CellSet::of(cell);
            if let Some(other) = emptied.iter().find(|&other| shared(other).count() >= 2) {
                let cells = CellSet::of(cell) | CellSet::of(other);
                let digits = before.candidates_of(cells);
                let reason = Reason { technique: Technique::AlignedPairExclusion, rating: 62, cells, digits };
                changes |= state.remove(reason, CellSet::of(cell), Digits::of(digit));
            }
        }
    }
    changes
}

/// Removes candidates from three cells. One of them must be an excluder of another, and all three must share two
/// excluders; an excluder is a peer with two or three candidates. A choice of digits for the three cells is valid if
/// peers get different digits and each shared excluder keeps a candidate. Candidates that are in no valid choice are
/// removed. The first such triple in Sudoku Explainer's order is used.
pub(super) fn triplet_exclusion(state: &mut State) -> bool {
    let mut few = CellSet::EMPTY;
    for cell in state.blanks.iter().filter(|&cell| state.candidates[cell].count() <= 3) {
        few |= CellSet::of(cell);
    }
    let bases: Vec<usize> = state.blanks.iter().filter(|&cell| few.meets(PEERS[cell])).collect();
    for (at, &second) in bases.iter().enumerate() {
        for &first in &bases[..at] {
            let shared = few & PEERS[first] & PEERS[second];
            if shared.count() < 2 {
                continue;
            }
            // The third cell must see two of these.
            let (mut once, mut twice) = (CellSet::EMPTY, CellSet::EMPTY);
            for cell in shared.iter() {
                twice |= once & PEERS[cell];
                once |= PEERS[cell];
            }
            let thirds = few & twice & !(CellSet::of(first) | CellSet::of(second));
            for (base, kind) in [first, second].into_iter().flat_map(|base| KINDS.map(|kind| (base, kind))) {
                for third in (thirds & HOUSE[HOUSES_OF[base][kind]]).iter() {
                    if exclude(state, [first, second, third], shared & PEERS[third]) {
                        return true;
                    }
                }
            }
        }
    }
    false
}

/// Removes those candidates of three cells that are in no valid choice.
fn exclude(state: &mut State, cells: [usize; 3], excluders: CellSet) -> bool {
    let [a, b, c] = cells.map(|cell| state.candidates[cell]);
    let [sees_ab, sees_ac, sees_bc] =
        [(0, 1), (0, 2), (1, 2)].map(|(i, j)| PEERS[cells[i]].contains(cells[j]));
    let is_covered = |&cell: &usize| state.candidates[cell].is_within(a | b | c);
    let excluders: CellSet = excluders.iter().filter(is_covered).collect();
    // Without an excluder that can lose all candidates, only a naked pair could remove candidates, and there is none.
    if excluders.is_empty() {
        return false;
    }
    let mut allowed = [Digits::EMPTY; 3];
    for (x, y) in a.iter().flat_map(|x| b.iter().map(move |y| (x, y))).filter(|(x, y)| !sees_ab || x != y) {
        let (x, y) = (Digits::of(x), Digits::of(y));
        let mut third =
            c & !(if sees_ac { x } else { Digits::EMPTY } | if sees_bc { y } else { Digits::EMPTY });
        for cell in excluders.iter() {
            let left = state.candidates[cell] & !(x | y);
            third &= if left.is_empty() {
                Digits::EMPTY
            } else if left.is_single() {
                !left
            } else {
                Digits::NINE
            };
        }
        if !third.is_empty() {
            [x, y, third].iter().zip(&mut allowed).for_each(|(&digits, allowed)| *allowed |= digits);
        }
    }
    let removed = [0, 1, 2].map(|at| (CellSet::of(cells[at]), state.candidates[cells[at]] & !allowed[at]));
    let reason = Reason {
        technique: Technique::AlignedTripletExclusion,
        rating: 75,
        cells: cells.into_iter().collect(),
        digits: a | b | c,
    };
    state.remove_all(reason, &removed)
}
