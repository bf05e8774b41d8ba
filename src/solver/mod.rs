//! Puzzles in, outcomes out.
//!
//! A solver takes a slice of puzzles and appends one [`Outcome`] for each, in order: the interface is
//! a batch because the fast way to solve many puzzles is to solve them side by side. A solver knows
//! nothing of files, threads or text.

mod backend;
mod lanes;
pub mod scalar;
pub mod sudominoku;

use std::num::NonZeroU64;

pub use self::backend::Backend;

use crate::grid::Grid;

/// How far a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Stop counting at this many solutions. 2 tells unique from multiple, 1 only finds a solution.
    pub solutions: NonZeroU64,
    /// Give up on a puzzle once this many guesses were made; `None` never gives up. The search for the
    /// smallest of several solutions may make as many again, in the lanes up to 60 besides.
    pub max_guesses: Option<u64>,
}

impl Default for Limits {
    /// Two solutions, no bound on guesses.
    fn default() -> Self {
        Self { solutions: NonZeroU64::MIN.saturating_add(1), max_guesses: None }
    }
}

/// What a solver found out about one puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Exactly one solution, proven.
    Unique,
    /// More than one solution.
    Multiple,
    /// No solution, proven.
    Unsolvable,
    /// A solution was found and, with a limit of 1, the search ended there.
    Solved,
    /// `max_guesses` was reached first.
    Unfinished,
}

/// The outcome of one puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What was found out.
    pub verdict: Verdict,
    /// Solutions found, at most the limit.
    pub solutions: u64,
    /// Branch nodes opened by the search that counts solutions: the reproducible measure of effort. What a
    /// branch is, each solver says: a candidate or none (scalar), a minirow or none (lanes), the digits of
    /// a cell or the places of a domino (Sudominoku).
    pub guesses: u64,
    /// Time spent on this puzzle, in nanoseconds.
    pub time_ns: u64,
    /// The solution: the only one (`Unique`), the smallest as an 81-digit number (`Multiple`), the
    /// first found (`Solved`), otherwise none.
    pub solution: Option<Grid>,
}

/// Solves sudokus, many at a call.
pub trait BatchSolver: Send {
    /// Solves `puzzles` and appends one outcome for each to `outcomes`, in the same order.
    ///
    /// Clues that clash make a puzzle [`Verdict::Unsolvable`].
    fn solve(&mut self, puzzles: &[Grid], limits: &Limits, outcomes: &mut Vec<Outcome>);
}
