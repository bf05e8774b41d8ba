//! Subsets: if k sets have only k elements between them, they use all of them up.
//!
//! The same search handles three kinds. For naked sets, it looks at the candidates of each cell in a house; for hidden
//! sets, at each digit's places in a house; for fish, at a digit's places in each of the parallel lines.

use super::cells::{BOXES, COLUMNS, CellSet, Digits, HOUSE, HOUSE_CELLS, Houses, Numbers, Places, ROWS};
use super::state::State;
use super::step::{Reason, Technique};

/// Calls `found` for each choice of `size` sets that have at least two elements each and `size` elements between them.
/// The arguments are the sets and their elements.
pub(super) fn each_subset(sets: &[Numbers; 9], size: usize, mut found: impl FnMut(Numbers, Numbers)) {
    let usable = (0..9).filter(|&at| (2..=size).contains(&sets[at].count_of_nine()));
    choose(sets, size, usable.collect(), (Numbers::EMPTY, Numbers::EMPTY), &mut found);
}

/// Adds one more of the `usable` sets to the chosen ones, in ascending order.
fn choose(
    sets: &[Numbers; 9],
    size: usize,
    usable: Numbers,
    (chosen, elements): (Numbers, Numbers),
    found: &mut impl FnMut(Numbers, Numbers),
) {
    let missing = size - chosen.count_of_nine();
    if missing == 0 {
        return found(chosen, elements);
    }
    let mut rest = usable;
    while rest.count_of_nine() >= missing {
        let at = rest.first();
        rest -= Numbers::of(at);
        let elements = elements | sets[at];
        if elements.count_of_nine() <= size {
            choose(sets, size, rest, (chosen | Numbers::of(at), elements), found);
        }
    }
}

/// Returns the cells of a house at these places.
fn cells_at(house: usize, at: Places) -> CellSet {
    at.iter().map(|at| HOUSE_CELLS[house][at]).collect()
}

/// Finds `K` cells of a house that have only `K` candidates, and removes these from its other cells. The house must
/// have at least `2 K` blanks; with fewer, there are smaller hidden sets or singles.
pub(super) fn naked<const K: usize>(state: &mut State) -> bool {
    let (technique, rating) =
        [(Technique::NakedPair, 30), (Technique::NakedTriplet, 36), (Technique::NakedQuad, 50)][K - 2];
    let mut changes = false;
    for house in state.changed(rating).1.iter() {
        if (state.blanks_of(house).count() as usize) < 2 * K {
            continue;
        }
        let candidates = HOUSE_CELLS[house].map(|cell| state.candidates[cell]);
        each_subset(&candidates, K, |chosen, digits| {
            let cells = cells_at(house, chosen);
            let reason = Reason { technique, rating, cells, digits };
            changes |= state.remove(reason, HOUSE[house] & !cells, digits);
        });
    }
    changes
}

/// Finds `K` digits that have only `K` places in a house, and removes all other digits from these. The house must have
/// more than `2 K` blanks; with fewer, there are smaller naked sets.
pub(super) fn hidden<const K: usize>(state: &mut State) -> bool {
    let (technique, rating) =
        [(Technique::HiddenPair, 34), (Technique::HiddenTriplet, 40), (Technique::HiddenQuad, 54)][K - 2];
    let mut changes = false;
    for house in state.changed(rating).1.iter() {
        if state.blanks_of(house).count() as usize <= 2 * K {
            continue;
        }
        let places = state.places_in(house);
        each_subset(&places, K, |digits, chosen| {
            let cells = cells_at(house, chosen);
            changes |=
                state.remove(Reason { technique, rating, cells, digits }, cells, !digits & Digits::NINE);
        });
    }
    changes
}

/// Finds hidden sets that would leave another digit only one place in the house.
pub(super) fn direct_hidden<const K: usize>(state: &mut State) -> bool {
    let (technique, rating) =
        [(Technique::DirectHiddenPair, 20), (Technique::DirectHiddenTriplet, 25)][K - 2];
    let mut changes = false;
    for house in state.changed(rating).1.iter() {
        if state.blanks_of(house).count() as usize <= K {
            continue;
        }
        let places = state.places_in(house);
        each_subset(&places, K, |digits, chosen| {
            for digit in (!digits & Digits::NINE).iter() {
                let left = places[digit] & !chosen;
                // Another set may have just solved the cell.
                if left.is_single() && left != places[digit] && state.open[digit].contains(house) {
                    let reason = Reason { technique, rating, cells: cells_at(house, chosen), digits };
                    state.solve(reason, HOUSE_CELLS[house][left.first()], digit);
                    changes = true;
                }
            }
        });
    }
    changes
}

/// Finds digits whose places in `K` rows are all in `K` columns, or the reverse; the columns then have no other place
/// for that digit.
pub(super) fn fish<const K: usize>(state: &mut State) -> bool {
    let (technique, rating) =
        [(Technique::XWing, 32), (Technique::Swordfish, 38), (Technique::Jellyfish, 52)][K - 2];
    let mut changes = false;
    for digit in state.changed(rating).0.iter() {
        // If fewer lines remain, there is a smaller fish in the other direction.
        if ((state.open[digit] & Houses::BOXES).count() as usize) < 2 * K {
            continue;
        }
        let rows: [Places; 9] = std::array::from_fn(|row| state.places[digit].of_row(row));
        let mut columns = [Places::EMPTY; 9];
        for (row, places) in rows.into_iter().enumerate() {
            for column in places.iter() {
                columns[column] |= Places::of(row);
            }
        }
        for (lines, along, across) in [(rows, ROWS, COLUMNS), (columns, COLUMNS, ROWS)] {
            let all = |kind: usize, lines: Places| {
                lines.iter().fold(CellSet::EMPTY, |all, line| all | HOUSE[kind + line])
            };
            each_subset(&lines, K, |chosen, crossed| {
                let (inside, outside) = (all(along, chosen), all(across, crossed) & !all(along, chosen));
                let cells = state.places[digit] & inside;
                let digits = Digits::of(digit);
                changes |= state.remove(Reason { technique, rating, cells, digits }, outside, digits);
            });
        }
    }
    changes
}

/// Returns the houses of all kinds that hold all these cells, boxes first.
pub(super) fn shared_houses(cells: CellSet) -> impl Iterator<Item = usize> {
    (BOXES..27).chain(0..BOXES).filter(move |&house| cells.is_within(HOUSE[house]))
}
