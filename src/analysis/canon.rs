//! Canonical forms: one puzzle for all its isomorphs.
//!
//! There are 3,359,232 geometric symmetries, but the first row of the smallest isomorph is known at once, and so are
//! later rows. `state.rs` keeps the ways that lead to the smallest rows so far, row by row. It leaves the order of
//! columns and stacks open until a row settles it. A way is dropped as soon as its next row begins with fewer blanks
//! than another one, which a table of nine-bit patterns tells. Only the other ways are compared digit by digit.
//! Solutions have no blanks, so `full.rs` finds their first two rows in another way.
//!
//! Branches that no processor predicts cost most. Two changes saved a fifth of the time: comparing blanks before
//! digits, and choosing by arithmetic when three columns are sorted and ways are listed. Sorting the last rows of a way
//! at once, when everything else is settled, saved nothing.

mod full;
mod lines;
mod list17;
mod state;
#[cfg(test)]
mod tests;

use crate::sudoku::{Grid, Symmetry};
use full::Solutions;
use lines::Lines;
use state::{State, Survivors};

/// A definition of what is canonical. The definitions are easily confused. In a public list of 49,158 puzzles with 17
/// clues, all are their own [`Form::List17`], but 1,505 differ from their [`Form::Minlex`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// The smallest of all isomorphs as an 81-digit number, with blanks as 0.
    Minlex,
    /// The smallest of those isomorphs of the puzzle that go with the [`Form::Minlex`] of its solution. Puzzles that
    /// have this form have one solution.
    Grid,
    /// The smallest, as an 81-digit number, of those isomorphs whose minirows in the top band have the smallest counts
    /// of clues, compared in reading order.
    List17,
}

impl Form {
    /// All forms, with the default first.
    pub const ALL: [Self; 3] = [Self::Minlex, Self::Grid, Self::List17];

    /// Returns the name of the form.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.word().trim_end_matches("-1")
    }

    /// Returns the name of the form with the version of its definition.
    #[doc(hidden)]
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Minlex => "minlex-1",
            Self::Grid => "grid-1",
            Self::List17 => "list17-1",
        }
    }
}

/// A canonical form, and a way to reach it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Canonical {
    /// The form.
    pub grid: Grid,
    /// The number of the 3,359,232 geometric symmetries that map the puzzle to itself, each with some relabelling. It
    /// is 1 for most puzzles, up to 648 for a solution, and all for the empty grid.
    pub automorphisms: u32,
    /// A symmetry that turns the puzzle into the form.
    pub symmetry: Symmetry,
}

/// A finder of canonical forms that reuses its memory.
#[derive(Debug, Default)]
pub struct Canonizer {
    survivors: Survivors,
    solutions: Solutions,
}

impl Canonizer {
    /// Finds the [`Form::Minlex`] of any grid, whether its clues clash or not.
    pub fn minlex(&mut self, puzzle: &Grid) -> Canonical {
        self.find_minlex(puzzle);
        self.first(puzzle)
    }

    /// Finds the [`Form::List17`] of any grid.
    pub fn list17(&mut self, puzzle: &Grid) -> Canonical {
        // All minirows of a solution have three clues.
        if !self.solutions.find(puzzle, self.survivors.begin()) {
            let lines = Lines::new(puzzle);
            list17::starts(&lines, self.survivors.begin());
            self.survivors.run(&lines, 3);
        }
        self.first(puzzle)
    }

    /// Finds the [`Form::Grid`] of a puzzle, given its only solution.
    pub fn grid(&mut self, puzzle: &Grid, solution: &Grid) -> Canonical {
        self.find_minlex(solution);
        let mut canonical = Canonical { automorphisms: 0, ..self.first(puzzle) };
        for state in self.survivors.states() {
            let symmetry = state.symmetry();
            let grid = symmetry.apply(puzzle);
            if grid < canonical.grid {
                canonical = Canonical { grid, symmetry, automorphisms: 0 };
            }
            canonical.automorphisms += u32::from(grid == canonical.grid) * state.weight();
        }
        canonical
    }

    /// Finds all ways to the smallest isomorph.
    fn find_minlex(&mut self, puzzle: &Grid) {
        if !self.solutions.find(puzzle, self.survivors.begin()) {
            self.survivors.begin().extend(State::sides());
            self.survivors.run(&Lines::new(puzzle), 0);
        }
    }

    /// Returns the form that the first way leads to. Each other way differs by an automorphism of the form.
    fn first(&self, puzzle: &Grid) -> Canonical {
        let states = self.survivors.states();
        let symmetry = states[0].symmetry();
        let automorphisms = states.iter().map(State::weight).sum();
        Canonical { grid: symmetry.apply(puzzle), automorphisms, symmetry }
    }
}
