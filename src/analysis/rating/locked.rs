//! Locked candidates: if all places of a digit in a house are also in a second house, that house has no other place for
//! it. From a box to a line this is called pointing, and from a line to a box, claiming.

use super::cells::{Digits, HOUSE, HOUSES_OF, Houses};
use super::state::State;
use super::step::{Reason, Technique};

pub(super) fn direct_pointing(state: &mut State) -> bool {
    direct(state, Houses::BOXES, Technique::DirectPointing, 17)
}

pub(super) fn direct_claiming(state: &mut State) -> bool {
    direct(state, Houses::LINES, Technique::DirectClaiming, 19)
}

pub(super) fn pointing(state: &mut State) -> bool {
    locked(state, Houses::BOXES, Technique::Pointing, 26)
}

pub(super) fn claiming(state: &mut State) -> bool {
    locked(state, Houses::LINES, Technique::Claiming, 28)
}

/// Finds digits that are locked in one of these houses, which are either boxes or lines. Calls `then` with the state,
/// the digit, the house and the one that crosses it, and the reason.
fn each_locked(
    state: &mut State,
    houses: Houses,
    (technique, rating): (Technique, u8),
    mut then: impl FnMut(&mut State, usize, [usize; 2], Reason) -> bool,
) -> bool {
    let mut changes = false;
    for digit in state.changed(rating).0.iter() {
        for house in (state.open[digit] & houses).iter() {
            let cells = state.places[digit] & HOUSE[house];
            if cells.is_empty() {
                continue;
            }
            let [row, column, of_box] = HOUSES_OF[cells.first()];
            let crossing = if Houses::BOXES.contains(house) { [row, column] } else { [of_box; 2] };
            for crossed in crossing {
                let rest = HOUSE[crossed] & !HOUSE[house];
                if cells.is_within(HOUSE[crossed]) && state.places[digit].meets(rest) {
                    let reason = Reason { technique, rating, cells, digits: Digits::of(digit) };
                    changes |= then(state, digit, [house, crossed], reason);
                }
            }
        }
    }
    changes
}

/// Removes the locked digit from the rest of the crossed house.
fn locked(state: &mut State, houses: Houses, technique: Technique, rating: u8) -> bool {
    each_locked(state, houses, (technique, rating), |state, _, [house, crossed], reason| {
        state.remove(reason, HOUSE[crossed] & !HOUSE[house], reason.digits)
    })
}

/// Looks for removals that would leave the digit only one place in another house of the same kind.
fn direct(state: &mut State, houses: Houses, technique: Technique, rating: u8) -> bool {
    each_locked(state, houses, (technique, rating), |state, digit, [house, crossed], reason| {
        let first = house / 9 * 9;
        let mut changes = false;
        for beside in (first..first + 9).filter(|&beside| beside != house) {
            let places = state.places[digit] & HOUSE[beside];
            let left = places & !HOUSE[crossed];
            if left.is_single() && left != places {
                state.solve(reason, left.first(), digit);
                changes = true;
            }
        }
        changes
    })
}
