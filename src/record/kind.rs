//! Kinds of puzzle: their list, and everything that other rooms need from a kind.
//!
//! Plain sudokus are grids, and have a path of their own for speed. A puzzle of any other kind is a [`Variant`].

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rand_xoshiro::Xoshiro256PlusPlus;

use super::schema::{Label, Severity};
use super::{Fault, FaultKind, Place};
use crate::kinds::sudominoku::record as sudominoku;
use crate::solver::{Limits, Outcome};
use crate::sudoku::Grid;

/// The kind of a puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PuzzleKind {
    /// Plain 9x9 sudoku.
    Sudoku,
    /// Sudoku and 36 dominoes (BOJ 4574).
    Sudominoku,
}

/// A generator of random puzzles, as text in the input format of their kind.
pub type MakePuzzle = fn(&mut Xoshiro256PlusPlus) -> String;

/// The facts about a kind of puzzle.
#[derive(Clone, Copy, Debug)]
pub struct KindFacts {
    /// The word in the column `kind`.
    pub word: Label,
    /// The name of the kind in a sentence.
    pub title: &'static str,
    /// The parts of a puzzle that are missing from the grid of its clues.
    pub parts: &'static str,
    /// The name of the input format, unless the format is detected for any grid.
    pub format: Option<&'static str>,
    /// The generator of random puzzles and its description, if there is one.
    pub generate: Option<(MakePuzzle, &'static str)>,
}

/// The facts about each kind, by index.
const FACTS: [&KindFacts; 2] = [
    &KindFacts {
        word: Label::new("sudoku", "plain 9x9 sudoku", Severity::Answered),
        title: "Sudoku",
        parts: "",
        format: None,
        generate: None,
    },
    &sudominoku::FACTS,
];

impl PuzzleKind {
    /// All kinds, by index.
    pub const ALL: [Self; 2] = [Self::Sudoku, Self::Sudominoku];

    /// The words of the column `kind`, indexed by the kind.
    pub const WORDS: [Label; 2] = [FACTS[0].word, FACTS[1].word];

    /// Returns the facts about the kind.
    #[must_use]
    pub const fn facts(self) -> &'static KindFacts {
        FACTS[self as usize]
    }

    /// Returns the word in the column `kind`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.facts().word.name
    }

    /// Returns the kind with that name in the column `kind`.
    #[must_use]
    pub fn from_word(word: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str().as_bytes() == word)
    }

    /// Makes the fault of a puzzle of this kind where only a sudoku can be used. `why` makes the reason from the
    /// [`parts`](KindFacts::parts).
    #[must_use]
    pub fn refused(self, place: Option<Place>, why: fn(&str) -> String) -> Fault {
        Fault::new(FaultKind::NoSudoku, place).text(self.as_str()).text(why(self.facts().parts))
    }
}

/// A puzzle of a kind other than plain sudoku. It is displayed as its input format has it.
pub trait Variant: fmt::Debug + fmt::Display + Send + Sync {
    /// Returns the kind of the puzzle.
    fn kind(&self) -> PuzzleKind;

    /// Returns the grid of all clues.
    fn clues(&self) -> Grid;

    /// Asks the independent verifier of the kind. If it refuses a solution that solves the clues as a sudoku, the fault
    /// says why.
    fn refusal(&self, solution: &Grid) -> Option<FaultKind>;

    /// Searches for solutions. The caller measures the time. The search ends soon after the flag is raised.
    fn solve(&self, limits: &Limits, stop: &Arc<AtomicBool>) -> Outcome;

    /// Returns the solutions in ascending order. They end early once the flag is raised.
    fn solutions(&self, stop: &Arc<AtomicBool>) -> Box<dyn Iterator<Item = Grid> + Send>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_read_from_the_word_that_it_is_written_as() {
        for (index, kind) in PuzzleKind::ALL.into_iter().enumerate() {
            let read = PuzzleKind::from_word(kind.as_str().as_bytes());
            assert_eq!((kind as usize, read), (index, Some(kind)));
        }
        assert_eq!([&b""[..], b"sudo", b"Sudoku"].map(PuzzleKind::from_word), [None; 3]);
    }
}
