//! Aligned pair exclusion: a candidate of a cell that leaves another cell none.

use super::cells::{Cells, Digits, PEERS};
use super::state::State;
use super::step::{Reason, Technique};

/// If `cell` held `digit`, that digit would go from its peers, and each bivalue peer `{digit, other}` would hold
/// `other`, which goes from the peers of that one. If all candidates of another cell go, the cell does not hold the
/// digit. The two cells share at least two bivalue peers.
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
            let mut gone = [Cells::NONE; 9];
            gone[digit] = PEERS[cell];
            for excluder in excluders.iter() {
                gone[(before.candidates[excluder] & !Digits::of(digit)).first()] |= PEERS[excluder];
            }
            let left = before
                .places
                .iter()
                .zip(gone)
                .fold(Cells::NONE, |left, (places, gone)| left | *places & !gone);
            let shared = |other: usize| bivalue & PEERS[cell] & PEERS[other];
            let emptied = (bivalue | more) & !left & !Cells::of(cell);
            if let Some(other) = emptied.iter().find(|&other| shared(other).count() >= 2) {
                let cells = Cells::of(cell) | Cells::of(other);
                let digits = before.candidates_of(cells);
                let reason = Reason { technique: Technique::AlignedPairExclusion, rating: 62, cells, digits };
                changes |= state.remove(reason, Cells::of(cell), Digits::of(digit));
            }
        }
    }
    changes
}
