//! Singles: a digit that has one place in a house, or a cell that has one candidate.

use super::cells::{CellSet, Digits, HOUSE, Houses};
use super::state::State;
use super::step::{Reason, Technique};

/// Fills the only blank cell of a house.
pub(super) fn last_digits(state: &mut State) -> bool {
    let mut changes = false;
    for house in 0..27 {
        let cells = state.blanks_of(house);
        if cells.is_single() {
            let digits = state.candidates[cells.first()];
            let reason = Reason { technique: Technique::LastDigit, rating: 10, cells, digits };
            digits.iter().for_each(|digit| state.solve(reason, cells.first(), digit));
            changes |= !digits.is_empty();
        }
    }
    changes
}

/// Finds hidden singles in boxes.
pub(super) fn hidden_in_boxes(state: &mut State) -> bool {
    hidden(state, Houses::BOXES, Technique::HiddenSingleInBox, 12)
}

/// Finds hidden singles in rows and columns.
pub(super) fn hidden_in_lines(state: &mut State) -> bool {
    hidden(state, Houses::LINES, Technique::HiddenSingleInLine, 15)
}

/// Places digits that have only one place in one of these houses.
fn hidden(state: &mut State, houses: Houses, technique: Technique, rating: u8) -> bool {
    let mut changes = false;
    for digit in 0..9 {
        let unseen = state.unseen[digit] & houses;
        state.unseen[digit] -= houses;
        for house in (state.open[digit] & unseen).iter() {
            let places = state.places[digit] & HOUSE[house];
            if places.is_single() {
                let reason = Reason { technique, rating, cells: places, digits: Digits::of(digit) };
                state.solve(reason, places.first(), digit);
                changes = true;
            }
            state.lacks_place |= places.is_empty() && state.open[digit].contains(house);
        }
    }
    changes
}

/// Fills each cell that has only one candidate.
pub(super) fn naked(state: &mut State) -> bool {
    let (bivalue, more) = state.bivalue_and_more();
    let mut changes = false;
    for cell in (state.blanks & !(bivalue | more)).iter() {
        // In a puzzle without a solution, the digit placed just before can leave the cell with no candidate.
        let (cells, digits) = (CellSet::of(cell), state.candidates[cell]);
        if digits.is_single() {
            let reason = Reason { technique: Technique::NakedSingle, rating: 23, cells, digits };
            state.solve(reason, cell, digits.first());
            changes = true;
        }
    }
    changes
}
