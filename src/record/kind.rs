//! The kinds of puzzle, and everything that other modules need to know about a kind.
//!
//! Plain sudokus are stored as grids and have their own fast path. Every other puzzle is a [`Variant`].

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
    /// Sudoku with 36 dominoes (BOJ 4574).
    Sudominoku,
}

/// A function that makes a random puzzle, as text in the input format of its kind.
pub type MakePuzzle = fn(&mut Xoshiro256PlusPlus) -> String;

/// Facts about a kind of puzzle.
#[derive(Clone, Copy, Debug)]
pub struct KindFacts {
    /// Its word in the `kind` column.
    pub word: Label,
    /// Its name as used in a sentence.
    pub title: &'static str,
    /// The parts of a puzzle that the grid of clues does not contain.
    pub parts: &'static str,
    /// The name of its input format; `None` if any grid format can hold it.
    pub format: Option<&'static str>,
    /// The generator of random puzzles and a description of it, if there is one.
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

    /// The words of the `kind` column, indexed by kind.
    pub const WORDS: [Label; 2] = [FACTS[0].word, FACTS[1].word];

    /// Returns the facts about the kind.
    #[must_use]
    pub const fn facts(self) -> &'static KindFacts {
        FACTS[self as usize]
    }

    /// Returns the word for the kind in the `kind` column.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.facts().word.name
    }

    /// Returns the kind that has this word in the `kind` column.
    #[must_use]
    pub fn from_word(word: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str().as_bytes() == word)
    }

    /// Returns the fault for a puzzle of this kind where only a sudoku is allowed. `why` builds the reason from the
    /// [`parts`](KindFacts::parts).
    #[must_use]
    pub fn refused(self, place: Option<Place>, why: fn(&str) -> String) -> Fault {
        Fault::new(FaultKind::NoSudoku, place).text(self.as_str()).text(why(self.facts().parts))
    }
}

/// A puzzle that is not a plain sudoku. Its `Display` output is the text in its input format.
pub trait Variant: fmt::Debug + fmt::Display + Send + Sync {
    /// Returns the kind of the puzzle.
    fn kind(&self) -> PuzzleKind;

    /// Returns the grid of all clues.
    fn clues(&self) -> Grid;

    /// Runs the kind's independent verifier on a solution that is already known to be a valid sudoku with the clues.
    /// Returns the fault if the verifier rejects it.
    fn refusal(&self, solution: &Grid) -> Option<FaultKind>;

    /// Searches for solutions; the caller measures the time. The search stops soon after the flag is raised.
    fn solve(&self, limits: &Limits, stop: &Arc<AtomicBool>) -> Outcome;

    /// Returns the solutions in ascending order. The iterator ends early once the flag is raised.
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
