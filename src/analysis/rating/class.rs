//! Classes: the easiest set of techniques that solves a puzzle.

use super::state::State;
use super::{Pass, locked, singles, subsets};
use crate::sudoku::Grid;

/// The easiest set of techniques that solves a puzzle. Each set contains those before it, and takes no other step, so
/// the class is the same for every isomorph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Hidden singles in boxes.
    HiddenSinglesInBoxes,
    /// Hidden singles in boxes, rows and columns.
    HiddenSingles,
    /// Naked singles, too.
    NakedSingles,
    /// Locked candidates, too: pointing and claiming.
    LockedCandidates,
    /// Naked and hidden pairs, triplets and quads, too.
    Subsets,
    /// None of these solve it.
    Beyond,
}

/// The name of each class, and what it adds to the ones before it.
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
    /// All classes, the easiest first.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        CLASSES.iter().map(|class| class.0)
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        CLASSES[self as usize].1
    }

    /// The class of a puzzle that has exactly one solution.
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
