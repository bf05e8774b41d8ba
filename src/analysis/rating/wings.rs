//! Wings: whichever candidate the pivot holds, one of three cells gets the digit z.

use super::cells::{CellSet, Digits, PEERS};
use super::state::State;
use super::step::{Reason, Technique};

/// Finds a pivot xy with bivalue peers xz and yz, and removes z from the cells that see both peers.
pub(super) fn xy(state: &mut State) -> bool {
    wings(state, false)
}

/// Finds a pivot xyz with bivalue peers xz and yz, and removes z from the cells that see all three.
pub(super) fn xyz(state: &mut State) -> bool {
    wings(state, true)
}

fn wings(state: &mut State, pivot_has_z: bool) -> bool {
    let (bivalue, more) = state.bivalue_and_more();
    let (pivots, technique, rating) =
        if pivot_has_z { (more, Technique::XyzWing, 44) } else { (bivalue, Technique::XyWing, 42) };
    let mut changes = false;
    for pivot in pivots.iter() {
        let held = state.candidates[pivot];
        if held.count() != 2 + u32::from(pivot_has_z) {
            continue;
        }
        let near = bivalue & PEERS[pivot];
        for z in (if pivot_has_z { held } else { !held & Digits::NINE }).iter() {
            let xy = held & !Digits::of(z);
            let (x, y) = (xy.first(), (xy & !Digits::of(xy.first())).first());
            let pincers = near & state.places[z];
            let (xz, yz) = (pincers & state.places[x], pincers & state.places[y]);
            for a in xz.iter() {
                for b in yz.iter() {
                    let victims = PEERS[a] & PEERS[b] & if pivot_has_z { PEERS[pivot] } else { CellSet::ALL };
                    if state.places[z].meets(victims) {
                        let cells = CellSet::of(pivot) | CellSet::of(a) | CellSet::of(b);
                        let digits = held | Digits::of(z);
                        changes |=
                            state.remove(Reason { technique, rating, cells, digits }, victims, Digits::of(z));
                    }
                }
            }
        }
    }
    changes
}
