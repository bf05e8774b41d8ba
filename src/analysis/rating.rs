//! How hard a puzzle is on the scale of Sudoku Explainer 1.2.1, from 1.0 to 6.2.
//!
//! The rating is that of the hardest step of a solution that takes the easiest technique at each step, in the order of
//! Sudoku Explainer. Up to XYZ-wings (4.4) no step prevents another one, so a pass of a technique takes all its steps
//! at once: the state after the last of them is the same in any order. Unique loops can be lost by a change elsewhere,
//! so one is taken at a time.
//!
//! Sudoku Explainer rates isomorphs alike, but for 1 of 8,000 random minimal puzzles (15 of 120,000, in 20 isomorphs
//! each): it finds loops with more than two extra cells in some orientations only (see `loops.rs`). So does [`rate`].
//! To have one rating for all isomorphs, rate the canonical form.
//!
//! A technique is a rule over sets of cells and digits (`cells.rs`), one file a family. A pass looks only at digits and
//! houses that lost a candidate since the last pass of the technique; that halved the time.

mod aligned;
mod cells;
mod class;
mod grade;
mod grave;
mod locked;
mod loops;
mod singles;
mod state;
mod step;
mod subsets;
#[cfg(test)]
mod tests;
mod trial;
mod wings;

use std::fmt;

use crate::sudoku::Grid;
pub use cells::{Cells, Digits, Numbers};
pub use class::Class;
pub use grade::Grade;
use state::State;
pub use step::{Reason, Step, Technique};
pub use trial::{backdoor, depth};

/// A rating on the scale of Sudoku Explainer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rating {
    /// The rating in tenths: 12 is 1.2.
    Exactly(u8),
    /// More than that.
    Above(u8),
}

impl Rating {
    /// The highest rating that is exact, in tenths.
    pub const HIGHEST: u8 = 62;
}

impl fmt::Display for Rating {
    /// Writes `3.4`, or `>6.2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, Self::Exactly(tenths) | Self::Above(tenths)) =
            (if matches!(self, Self::Above(_)) { ">" } else { "" }, *self);
        write!(f, "{sign}{}.{}", tenths / 10, tenths % 10)
    }
}

/// A pass of a technique: it changes the state where it applies, and returns whether it did.
type Pass = fn(&mut State) -> bool;

const ALWAYS: u8 = u8::MAX;

/// All techniques in the order in which they are tried, each with the rating from which on it is left out: the ones
/// after it do as much.
const PASSES: [(Pass, u8); 24] = [
    (singles::last_digits, 15),
    (singles::hidden_in_boxes, ALWAYS),
    (singles::hidden_in_lines, ALWAYS),
    (locked::direct_pointing, 26),
    (locked::direct_claiming, 28),
    (subsets::direct_hidden::<2>, 34),
    (singles::naked, ALWAYS),
    (subsets::direct_hidden::<3>, 40),
    (locked::pointing, ALWAYS),
    (locked::claiming, ALWAYS),
    (subsets::naked::<2>, ALWAYS),
    (subsets::fish::<2>, ALWAYS),
    (subsets::hidden::<2>, ALWAYS),
    (subsets::naked::<3>, ALWAYS),
    (subsets::fish::<3>, ALWAYS),
    (subsets::hidden::<3>, ALWAYS),
    (wings::xy, ALWAYS),
    (wings::xyz, ALWAYS),
    (loops::unique_loops, ALWAYS),
    (subsets::naked::<4>, ALWAYS),
    (subsets::fish::<4>, ALWAYS),
    (subsets::hidden::<4>, ALWAYS),
    (grave::grave, ALWAYS),
    (aligned::pair_exclusion, ALWAYS),
];

/// Rates a puzzle that has exactly one solution.
///
/// ```
/// use batchdoku::analysis::rating::rate;
///
/// let puzzle = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..".parse()?;
/// assert_eq!(rate(&puzzle).to_string(), "1.2");
/// # Ok::<(), batchdoku::sudoku::ParseGridError>(())
/// ```
#[must_use]
pub fn rate(puzzle: &Grid) -> Rating {
    let mut state = State::new(puzzle);
    while !state.is_solved() {
        if !easiest_pass(&mut state) {
            return Rating::Above(Rating::HIGHEST);
        }
    }
    rating_of(&state)
}

/// Rates a puzzle that has exactly one solution, and returns the steps as well, each the easiest there is. Above
/// [`Rating::HIGHEST`] they end where no technique applies.
///
/// ```
/// use batchdoku::analysis::rating::explain;
///
/// let puzzle = "93.1..6...8......2......731..1.7.2....8..6.5.......3.66.4.........9.5...7.53.2...".parse()?;
/// let (rating, steps) = explain(&puzzle);
/// let hardest = steps.iter().max_by_key(|step| step.reason.rating).expect("it has steps");
/// assert_eq!(rating.to_string(), "3.0");
/// assert_eq!(hardest.to_string(), "3.0 naked pair 49 in B8 D8: not 4 in F8 H8 I8, not 9 in G8 I8");
/// # Ok::<(), batchdoku::sudoku::ParseGridError>(())
/// ```
#[must_use]
pub fn explain(puzzle: &Grid) -> (Rating, Vec<Step>) {
    let mut state = State::new(puzzle);
    let mut steps = Vec::new();
    while !state.is_solved() {
        // Of all steps of a pass, only the first is known to be the easiest.
        let mut pass = state.clone();
        pass.steps = Some(Vec::new());
        easiest_pass(&mut pass);
        let Some(first) = pass.steps.into_iter().flatten().next() else {
            return (Rating::Above(Rating::HIGHEST), steps);
        };
        state.repeat(&first);
        steps.push(first);
    }
    (rating_of(&state), steps)
}

/// Makes a pass of the first technique that changes the state; returns whether there is one.
fn easiest_pass(state: &mut State) -> bool {
    let hardest = state.hardest;
    PASSES.iter().any(|(pass, until)| *until > hardest && pass(state))
}

/// The rating of a solved puzzle. One without a blank has no step.
fn rating_of(state: &State) -> Rating {
    Rating::Exactly(state.hardest.max(10))
}
