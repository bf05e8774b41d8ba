//! Canonical forms: the one isomorph that represents all isomorphs of a puzzle.
//!
//! There are 3,359,232 geometric symmetries, but the first row of the smallest isomorph is known at once, and later
//! rows follow quickly. Row by row, `state.rs` keeps the ways that lead to the smallest rows so far. It leaves the
//! order of columns and stacks open until some row settles it. A way is dropped as soon as its next row begins with
//! fewer blanks than another way's, which a table of nine-bit patterns shows. Only the remaining ways are compared
//! digit by digit. Solutions have no blanks, so `full.rs` finds their first two rows by a different method.
//!
//! Most of the time is lost to unpredictable branches. Two changes saved a fifth of it: comparing blanks before digits,
//! and replacing branches by arithmetic where columns are sorted and ways are listed. Sorting the last rows of a way
//! all at once, when everything else is settled, saved nothing.

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

/// A definition of the canonical form. The definitions are easy to confuse. In a public list of 49,158 puzzles with 17
/// clues, every puzzle is its own [`Form::List17`], but 1,505 differ from their [`Form::Minlex`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// The smallest isomorph as an 81-digit number, with blanks as 0.
    Minlex,
    /// The smallest of those isomorphs whose solution is in [`Form::Minlex`]. Only puzzles with exactly one solution
    /// have this form.
    Grid,
    /// The isomorph with the smallest clue counts in the minirows of the top band, compared in reading order. Ties go
    /// to the smallest 81-digit number.
    List17,
}

impl Form {
    /// All forms; the first is the default.
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

/// A canonical form, and a symmetry that leads to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Canonical {
    /// The form.
    pub grid: Grid,
    /// The number of geometric symmetries, out of 3,359,232, that map the puzzle to itself when combined with some
    /// relabelling. It is 1 for most puzzles, at most 648 for a solution, and 3,359,232 for the empty grid.
    pub automorphisms: u32,
    /// A symmetry that turns the puzzle into its canonical form.
    pub symmetry: Symmetry,
}

/// A finder of canonical forms that reuses its memory.
#[derive(Debug, Default)]
pub struct Canonizer {
    survivors: Survivors,
    solutions: Solutions,
}

impl Canonizer {
    /// Finds the [`Form::Minlex`] of any grid, even if its clues clash.
    pub fn minlex(&mut self, puzzle: &Grid) -> Canonical {
        self.find_minlex(puzzle);
        self.first(puzzle)
    }

    /// Finds the [`Form::List17`] of any grid.
    pub fn list17(&mut self, puzzle: &Grid) -> Canonical {
        // In a solution, every minirow has three clues.
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

    /// Finds all ways that lead to the smallest isomorph.
    fn find_minlex(&mut self, puzzle: &Grid) {
        if !self.solutions.find(puzzle, self.survivors.begin()) {
            self.survivors.begin().extend(State::sides());
            self.survivors.run(&Lines::new(puzzle), 0);
        }
    }

    /// Returns the form that the first way leads to. The other ways differ from it only by automorphisms of the form.
    fn first(&self, puzzle: &Grid) -> Canonical {
        let states = self.survivors.states();
        let symmetry = states[0].symmetry();
        let automorphisms = states.iter().map(State::weight).sum();
        Canonical { grid: symmetry.apply(puzzle), automorphisms, symmetry }
    }
}
