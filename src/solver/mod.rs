//! Puzzles in, outcomes out.
//!
//! A solver takes a slice of puzzles and appends one [`Outcome`] for each, in order: the interface is
//! a batch because the fast way to solve many puzzles is to solve them side by side. A solver knows
//! nothing of files, threads or text.

pub mod lanes;
pub mod scalar;
pub mod sudominoku;

use std::num::NonZeroU64;

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

/// The engine that solves sudokus, as `--backend` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The lane engine on some instructions.
    Lanes(lanes::Backend),
    /// The scalar solver.
    Scalar,
}

impl Backend {
    /// The names of all backends, whether or not this processor can run them.
    pub const NAMES: [&str; 5] = {
        let [avx512, avx2, neon, portable] = lanes::Backend::NAMES;
        [avx512, avx2, neon, portable, "scalar"]
    };

    /// The backends that this processor can run, the fastest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        lanes::Backend::available().into_iter().map(Self::Lanes).chain([Self::Scalar]).collect()
    }

    /// The fastest backend of this processor.
    #[must_use]
    pub fn best() -> Self {
        Self::Lanes(lanes::Backend::best())
    }

    /// The backend of that name; `None` if there is none or this processor cannot run it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::available().into_iter().find(|backend| backend.name() == name)
    }

    /// Its name, one of [`Backend::NAMES`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lanes(lanes) => lanes.name(),
            Self::Scalar => "scalar",
        }
    }

    /// A solver for one thread.
    #[must_use]
    pub fn solver(self) -> Box<dyn BatchSolver> {
        match self {
            Self::Lanes(lanes) => Box::new(lanes::LaneSolver::new(lanes)),
            Self::Scalar => Box::new(scalar::Scalar::new()),
        }
    }
}
