//! The difficulty of a puzzle on the Sudoku Explainer 1.2.1 scale, from 1.0 to 9.4.
//!
//! A puzzle is solved by always taking the easiest technique, in Sudoku Explainer's order; the rating is that of the
//! hardest step. Up to XYZ-wings (4.4), no step prevents another one, so a pass of a technique takes all its steps at
//! once. The state after the last step does not depend on the order. A unique loop can be destroyed by a change
//! elsewhere, so unique loops are applied one at a time. So are chains (6.5 and above), because one step can shorten
//! other chains. Nested forcing chains are not implemented. A puzzle that needs them, or other chains harder than 9.4,
//! is rated above 9.4.
//!
//! Up to 6.2, Sudoku Explainer rates isomorphs equally, with few exceptions: 1 in 8,000 random minimal puzzles (15 of
//! 120,000, with 20 isomorphs each). It finds loops with more than two extra cells only in some orientations (see
//! `loops.rs`). Of 1,776 puzzles with plain chains (6.5 to 7.4), 1 is rated differently in one of its 5 isomorphs. Of
//! 300 harder puzzles, 40 are. This is because the number of implications in a proof depends on the order in which they
//! are found. [`rate`] behaves the same way. To give all isomorphs the same rating, rate the canonical form.
//!
//! A technique is a rule about sets of cells and digits (`cells.rs`); there is one file per family of techniques. A
//! pass looks only at digits and houses that have lost a candidate since the technique's last pass. This halved the
//! running time.

mod aligned;
mod cells;
mod chains;
mod class;
mod forcing;
mod grade;
mod grave;
mod links;
mod locked;
mod loops;
mod patterns;
mod singles;
mod spread;
mod state;
mod step;
mod subsets;
#[cfg(test)]
mod tests;
mod trial;
mod wings;

use std::fmt;

use crate::sudoku::Grid;
#[doc(hidden)]
pub use class::Class;
#[doc(hidden)]
pub use grade::Grade;
use state::State;
pub use step::{Reason, Step, Technique};
#[doc(hidden)]
pub use trial::{backdoor, depth};

/// A rating on the Sudoku Explainer scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rating {
    /// The rating in tenths, so 12 means 1.2.
    Exactly(u8),
    /// A rating above this number of tenths.
    Above(u8),
}

impl Rating {
    /// The highest rating that is exact, in tenths. All lower ratings are exact too.
    pub const HIGHEST: u8 = 94;
}

/// [`Rating::HIGHEST`] as text, for use in literals.
#[cfg(feature = "io")]
macro_rules! highest_rating {
    () => {
        "9.4"
    };
}

#[cfg(feature = "io")]
pub(crate) use highest_rating;

impl fmt::Display for Rating {
    /// Writes the rating as `3.4` or `>9.4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, Self::Exactly(tenths) | Self::Above(tenths)) =
            (if matches!(self, Self::Above(_)) { ">" } else { "" }, *self);
        write!(f, "{sign}{}.{}", tenths / 10, tenths % 10)
    }
}

/// One pass of a technique. It changes the state if the technique applies, and returns whether it did.
type Pass = fn(&mut State) -> bool;

const ALWAYS: u8 = u8::MAX;

/// The techniques, in the order they are tried, each with its lowest rating, its pass, and the rating at which it is
/// dropped. Once a step with that rating has been taken, the later techniques achieve as much without the dropped one.
const PASSES: [(u8, Pass, u8); 30] = [
    (10, singles::last_digits, 15),
    (12, singles::hidden_in_boxes, ALWAYS),
    (15, singles::hidden_in_lines, ALWAYS),
    (17, locked::direct_pointing, 26),
    (19, locked::direct_claiming, 28),
    (20, subsets::direct_hidden::<2>, 34),
    (23, singles::naked, ALWAYS),
    (25, subsets::direct_hidden::<3>, 40),
    (26, locked::pointing, ALWAYS),
    (28, locked::claiming, ALWAYS),
    (30, subsets::naked::<2>, ALWAYS),
    (32, subsets::fish::<2>, ALWAYS),
    (34, subsets::hidden::<2>, ALWAYS),
    (36, subsets::naked::<3>, ALWAYS),
    (38, subsets::fish::<3>, ALWAYS),
    (40, subsets::hidden::<3>, ALWAYS),
    (42, wings::xy, ALWAYS),
    (44, wings::xyz, ALWAYS),
    (45, loops::unique_loops, ALWAYS),
    (50, subsets::naked::<4>, ALWAYS),
    (52, subsets::fish::<4>, ALWAYS),
    (54, subsets::hidden::<4>, ALWAYS),
    (56, grave::grave, ALWAYS),
    (62, aligned::pair_exclusion, ALWAYS),
    (65, chains::chains, ALWAYS),
    (75, aligned::triplet_exclusion, ALWAYS),
    (75, forcing::nishio, ALWAYS),
    (80, forcing::multiple, ALWAYS),
    (85, forcing::dynamic, ALWAYS),
    (90, forcing::dynamic_plus, ALWAYS),
];

/// Rates a puzzle that has exactly one solution. For other puzzles, the result is meaningless.
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
    rate_up_to(puzzle, Rating::HIGHEST)
}

/// Rates a puzzle that has exactly one solution, up to a rating of `most` tenths, which must not exceed
/// [`Rating::HIGHEST`]. Harder techniques, which take most of the time, are skipped.
#[doc(hidden)]
#[must_use]
pub fn rate_up_to(puzzle: &Grid, most: u8) -> Rating {
    let mut state = State::new(puzzle);
    while !state.is_solved() && state.hardest <= most {
        if !easiest_pass(&mut state, most) {
            return Rating::Above(most);
        }
    }
    rating_of(&state, most)
}

/// Rates a puzzle that has exactly one solution, and also returns the steps, each of which is the easiest available. If
/// the rating is above [`Rating::HIGHEST`], the steps end where no technique applies.
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
        // Only the first step of a pass is known to be the easiest.
        let mut pass = state.clone();
        pass.steps = Some(Vec::new());
        easiest_pass(&mut pass, Rating::HIGHEST);
        let Some(first) = pass.steps.into_iter().flatten().next() else {
            return (Rating::Above(Rating::HIGHEST), steps);
        };
        state.repeat(&first);
        steps.push(first);
    }
    (rating_of(&state, Rating::HIGHEST), steps)
}

/// Runs a pass of the first technique that changes the state and is not harder than `most`; returns whether there was
/// one.
fn easiest_pass(state: &mut State, most: u8) -> bool {
    let hardest = state.hardest;
    let mut passes = PASSES.iter().filter(|(least, _, until)| *least <= most && *until > hardest);
    passes.any(|(_, pass, _)| pass(state))
}

/// Returns the rating of the hardest step. A puzzle that has no blanks has no steps.
fn rating_of(state: &State, most: u8) -> Rating {
    match state.hardest.max(10) {
        tenths if tenths > most => Rating::Above(most),
        tenths => Rating::Exactly(tenths),
    }
}
