//! The bivalue universal grave. If every blank cell had two candidates, and each candidate occurred twice in its
//! houses, the puzzle would have two solutions or none. Any candidates beyond these are called the surplus, and one of
//! them must be true.

use super::cells::{CellSet, Digits, HOUSE, common_peers};
use super::state::State;
use super::step::{Reason, Technique};
use super::subsets::shared_houses;

/// The surplus of a state: the cells that have any, the cells for each digit (indexed by digit - 1), and all surplus
/// digits.
struct Surplus {
    cells: CellSet,
    places: [CellSet; 9],
    digits: Digits,
}

pub(super) fn grave(state: &mut State) -> bool {
    let (bivalue, more) = state.bivalue_and_more();
    // If there are several surplus cells, they must all see some common cell, regardless of the type.
    if more.is_empty()
        || (!more.is_single() && common_peers(more).is_empty())
        || bivalue | more != state.blanks
    {
        return false;
    }
    let Some(surplus) = surplus(state, more) else { return false };
    let reason = |kind: u8, rating: u8| Reason {
        technique: Technique::BivalueUniversalGrave(kind),
        rating,
        cells: surplus.cells,
        digits: surplus.digits,
    };
    if surplus.cells.is_single() {
        return state.remove(reason(1, 56), surplus.cells, !surplus.digits & Digits::NINE);
    }
    let common = common_peers(surplus.cells);
    if surplus.digits.is_single() && state.remove(reason(2, 57), common, surplus.digits) {
        return true;
    }
    if let Some(locked) = locked_digit(state, &surplus) {
        // Each cell keeps its surplus and the locked digit.
        let removed = |cell: usize| (CellSet::of(cell), !(locked | surplus.of(cell)) & Digits::NINE);
        let all: Vec<(CellSet, Digits)> = surplus.cells.iter().map(removed).collect();
        return state.remove_all(reason(4, 57), &all);
    }
    !surplus.digits.is_single() && naked_set(state, &surplus, reason)
}

impl Surplus {
    /// Returns the surplus of one cell.
    fn of(&self, cell: usize) -> Digits {
        (0..9).filter(|&digit| self.places[digit].contains(cell)).collect()
    }
}

/// Returns the surplus, or `None` if the rest is not a grave. If a digit has one place or over two in a house, the
/// surplus is the place in a cell with more than two candidates. If there are several such places, other houses decide.
fn surplus(state: &State, more: CellSet) -> Option<Surplus> {
    let mut surplus = Surplus { cells: CellSet::EMPTY, places: [CellSet::EMPTY; 9], digits: Digits::EMPTY };
    for digit in 0..9 {
        for house in state.open[digit].iter() {
            let places = state.places[digit] & HOUSE[house];
            let suspects = places & more;
            if places.count() != 2 && suspects.is_empty() {
                return None;
            }
            if places.count() != 2 && suspects.is_single() {
                surplus.cells |= suspects;
                surplus.places[digit] |= suspects;
                surplus.digits |= Digits::of(digit);
            }
        }
    }
    let is_grave = more.iter().all(|cell| (state.candidates[cell] & !surplus.of(cell)).count() == 2)
        && (0..9).all(|digit| {
            let places = state.places[digit] & !surplus.places[digit];
            state.open[digit].iter().all(|house| (places & HOUSE[house]).count() == 2)
        });
    is_grave.then_some(surplus)
}

/// Returns the only digit, apart from surplus digits, that two cells of a house have in common. If neither cell held a
/// surplus digit, these cells would be the only places left for it.
fn locked_digit(state: &State, surplus: &Surplus) -> Option<Digits> {
    let shared = surplus.cells.iter().fold(Digits::NINE, |shared, cell| shared & state.candidates[cell])
        & !surplus.digits;
    let is_locked =
        surplus.cells.count() == 2 && shared.is_single() && shared_houses(surplus.cells).next().is_some();
    is_locked.then_some(shared)
}

/// Applies type 3: one of the cells holds a surplus digit and so completes a naked set with size - 1 other cells. Boxes
/// are tried before lines, and smaller sets before larger ones.
fn naked_set(state: &mut State, surplus: &Surplus, reason: impl Fn(u8, u8) -> Reason) -> bool {
    for house in shared_houses(surplus.cells) {
        let others = state.blanks_of(house) & !surplus.cells;
        for size in 2..=6 {
            let mut sets = Vec::new();
            others.each_choice(size - 1, &mut |chosen| {
                let held = state.candidates_of(chosen);
                if held.count() == size && surplus.digits.is_within(held) {
                    sets.push((others & !chosen, held));
                }
            });
            let changes = sets.into_iter().fold(false, |changes, (rest, digits)| {
                state.remove(reason(3, 56 + size as u8), rest, digits) | changes
            });
            if changes {
                return true;
            }
        }
    }
    false
}
