//! Classes: the easiest set of techniques that solves a puzzle.

use super::state::State;
use super::{Pass, locked, singles, subsets};
use crate::sudoku::Grid;

/// The easiest set of techniques that solves a puzzle. Each set contains the earlier ones, and only techniques in the
/// set are used. So all isomorphs have the same class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Hidden singles in boxes.
    HiddenSinglesInBoxes,
    /// Hidden singles in boxes, rows and columns.
    HiddenSingles,
    /// All of the above, and naked singles.
    NakedSingles,
    /// All of the above, and locked candidates (pointing and claiming).
    LockedCandidates,
    /// All of the above, and naked and hidden pairs, triplets and quads.
    Subsets,
    /// None of these sets solves the puzzle.
    Beyond,
}

/// The name of each class, and the techniques that it adds to the previous ones.
const CLASSES: [(Class, &str, &[Pass]); 6] = [
    (Class::HiddenSinglesInBoxes, "hidden singles in boxes", &[singles::hidden_in_boxes]),
    (Class::HiddenSingles, "hidden singles", &[singles::hidden_in_lines]),
    (Class::NakedSingles, "naked singles", &[singles::naked]),
    (Class::LockedCandidates, "locked candidates", &[locked::pointing, locked::claiming]),
    (Class::Subsets, "subsets", &SUBSETS),
    (Class::Beyond, "beyond", &[]),
];

const SUBSETS: [Pass; 6] = [
    subsets::naked::<2>,
    subsets::hidden::<2>,
    subsets::naked::<3>,
    subsets::hidden::<3>,
    subsets::naked::<4>,
    subsets::hidden::<4>,
];

impl Class {
    /// Returns all classes, easiest first.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        CLASSES.iter().map(|class| class.0)
    }

    /// Returns the name of the class.
    #[must_use]
    pub const fn name(self) -> &'static str {
        CLASSES[self as usize].1
    }

    /// Determines the class of a puzzle that has exactly one solution.
    #[must_use]
    pub fn of(puzzle: &Grid) -> Self {
        let mut state = State::new(puzzle);
        let mut hardest = Self::HiddenSinglesInBoxes;
        while !state.is_solved() {
            let step = CLASSES.iter().find(|(_, _, added)| added.iter().any(|pass| pass(&mut state)));
            let Some((class, ..)) = step else { return Self::Beyond };
            hardest = hardest.max(*class);
        }
        hardest
    }
}
