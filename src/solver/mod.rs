//! Solvers, which turn puzzles into answers.
//!
//! A solver takes a slice of puzzles, because solving many side by side is fastest, and appends a row to [`Answers`]
//! for each. A solver does not deal with files, threads or text. [`solve`] runs one solver per core.
//!
//! ```
//! use batchdoku::solver::{Options, Verdict, solve};
//! use batchdoku::sudoku::Grid;
//!
//! let puzzle: Grid = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..".parse()?;
//! assert!(puzzle.is_unique());
//! let solution = puzzle.solve().solution.expect("a puzzle with one solution");
//! assert!(solution.to_string().starts_with("483921657"));
//!
//! let answers = solve(&[puzzle, Grid::EMPTY], &Options::default());
//! assert_eq!(answers.verdicts(), [Verdict::Unique, Verdict::Multiple]);
//! assert_eq!(answers.solutions()[0], Some(solution));
//! # Ok::<(), batchdoku::sudoku::ParseGridError>(())
//! ```

mod answers;
mod backend;
mod lanes;
mod parallel;
pub mod scalar;

use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

pub use self::answers::Answers;
#[cfg(feature = "io")]
pub(crate) use self::answers::Defect;
pub use self::backend::Backend;
pub use self::parallel::{Options, solve};
pub use crate::kinds::sudominoku::solver as sudominoku;

use crate::sudoku::Grid;

/// The solution to return if a puzzle has several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// The smallest solution, read as an 81-digit number; every solver returns the same one. Finding it takes an extra
    /// search.
    #[default]
    Smallest,
    /// The first solution found. A given solver finds the same one in every run, regardless of the other puzzles.
    Any,
}

/// The limits on a search.
///
/// ```
/// use batchdoku::solver::Limits;
///
/// let limits = Limits::default().with_max_guesses(1000);
/// assert_eq!((limits.solutions.get(), limits.max_guesses), (2, Some(1000)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The number of solutions at which counting stops: 2 tells unique from multiple, and 1 just finds a solution.
    pub solutions: NonZeroU64,
    /// The number of guesses after which the solver gives up on a puzzle; `None` means that it never does. If a puzzle
    /// has several solutions, the search for the smallest can make as many guesses again, plus up to 60 in the lanes.
    pub max_guesses: Option<u64>,
    /// The time after which the solver gives up on a puzzle, accurate to a few milliseconds; `None` means that it never
    /// does. With a time limit, the outcome depends on the machine. If a puzzle has several solutions, the search for
    /// the smallest can take up to the same time again.
    pub max_time: Option<Duration>,
    /// The solution to return if there are several; ignored if the limit is one solution.
    pub wanted: Wanted,
}

impl Default for Limits {
    /// Returns a limit of two solutions, no limit on guesses or time, and a preference for the smallest solution.
    fn default() -> Self {
        Self {
            solutions: NonZeroU64::MIN.saturating_add(1),
            max_guesses: None,
            max_time: None,
            wanted: Wanted::Smallest,
        }
    }
}

impl Limits {
    /// Sets the number of solutions at which counting stops.
    #[must_use]
    pub const fn with_solutions(self, solutions: NonZeroU64) -> Self {
        Self { solutions, ..self }
    }

    /// Sets the time after which the solver gives up on a puzzle.
    #[must_use]
    pub const fn with_max_time(self, max_time: Duration) -> Self {
        Self { max_time: Some(max_time), ..self }
    }

    /// Sets the number of guesses after which the solver gives up on a puzzle.
    #[must_use]
    pub const fn with_max_guesses(self, max_guesses: u64) -> Self {
        Self { max_guesses: Some(max_guesses), ..self }
    }

    /// Sets which solution is returned if there are several.
    #[must_use]
    pub const fn with_wanted(self, wanted: Wanted) -> Self {
        Self { wanted, ..self }
    }
}

/// A solver's verdict on a puzzle.
///
/// ```
/// use std::num::NonZeroU64;
/// use batchdoku::solver::scalar::Scalar;
/// use batchdoku::solver::{Limits, Verdict};
/// use batchdoku::sudoku::Grid;
///
/// let first = Limits::default().with_solutions(NonZeroU64::MIN);
/// let verdict = |limits: Limits| Scalar::new().solve_one(&Grid::EMPTY, &limits).verdict;
/// assert_eq!(verdict(Limits::default()), Verdict::Multiple);
/// assert_eq!(verdict(first), Verdict::Solved);
/// assert_eq!(verdict(first.with_max_guesses(0)), Verdict::Unfinished);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The puzzle provably has exactly one solution.
    Unique,
    /// The puzzle has more than one solution.
    Multiple,
    /// The puzzle provably has no solution.
    Unsolvable,
    /// A solution was found, and the search ended there because the limit was one solution.
    Solved,
    /// The search reached `max_guesses` or `max_time` before it reached a verdict.
    Unfinished,
    /// The search was stopped before it reached a verdict.
    Stopped,
    /// The answer contradicts itself or fails the independent check, which means that the solver has a defect. Only
    /// [`solve`] returns this verdict; a solver never does.
    InternalError,
}

/// The outcome of one puzzle.
///
/// ```
/// use std::num::NonZeroU64;
/// use batchdoku::solver::scalar::Scalar;
/// use batchdoku::solver::{Limits, Verdict};
/// use batchdoku::sudoku::Grid;
///
/// let hundred = NonZeroU64::new(100).expect("it is not 0");
/// let outcome = Scalar::new().solve_one(&Grid::EMPTY, &Limits::default().with_solutions(hundred));
/// assert_eq!((outcome.verdict, outcome.solutions), (Verdict::Multiple, 100));
/// assert!(outcome.guesses > 0 && outcome.solution.is_some());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The number of solutions found, at most the limit.
    pub solutions: u64,
    /// The number of branch nodes that the counting search opened, a reproducible measure of effort. A branch first
    /// asserts a candidate and then removes it (scalar), or does the same with a minirow (lanes). In Sudominoku, a
    /// branch picks a digit or a place.
    pub guesses: u64,
    /// The time spent on this puzzle, in nanoseconds.
    pub time_ns: u64,
    /// The only solution (`Unique`), the one that [`Wanted`] asks for (`Multiple`) or the first one found (`Solved`);
    /// otherwise `None`.
    pub solution: Option<Grid>,
}

impl Outcome {
    /// Makes an outcome with this verdict and nothing else, for solvers to complete.
    #[must_use]
    pub const fn new(verdict: Verdict) -> Self {
        Self { verdict, solutions: 0, guesses: 0, time_ns: 0, solution: None }
    }
}

/// Solving a single puzzle on this thread, with the same check as in [`solve`]. For many puzzles, [`solve`] is faster.
impl Grid {
    /// Solves this puzzle with the default [`Limits`].
    #[must_use]
    pub fn solve(&self) -> Outcome {
        self.solve_with(Limits::default())
    }

    /// Returns whether this puzzle has exactly one solution.
    #[must_use]
    pub fn is_unique(&self) -> bool {
        self.solve_with(Limits::default().with_wanted(Wanted::Any)).verdict == Verdict::Unique
    }

    fn solve_with(&self, limits: Limits) -> Outcome {
        let options = Options { limits, backend: Backend::SCALAR, threads: Some(NonZeroUsize::MIN) };
        solve(&[*self], &options).get(0).expect("one puzzle has one outcome")
    }
}

/// The time at which a search gives up, if it has a limit. Searches check it only as often as the stop flag.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    /// Returns the deadline of a search that starts now with these limits.
    pub(crate) fn of(limits: &Limits) -> Self {
        Self(limits.max_time.and_then(|time| Instant::now().checked_add(time)))
    }

    pub(crate) fn is_over(self) -> bool {
        self.0.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// A sudoku solver that takes many puzzles per call.
///
/// ```
/// use batchdoku::solver::{Answers, Backend, BatchSolver, Limits, Verdict};
/// use batchdoku::sudoku::Grid;
///
/// let puzzle: Grid = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..".parse()?;
/// let mut answers = Answers::default();
/// let mut solver = Backend::best().solver();
/// solver.solve(&[puzzle, Grid::EMPTY], &Limits::default(), &mut answers);
/// assert_eq!(answers.verdicts(), [Verdict::Unique, Verdict::Multiple]);
/// # Ok::<(), batchdoku::sudoku::ParseGridError>(())
/// ```
pub trait BatchSolver: Send {
    /// Solves `puzzles` and appends one row per puzzle to `answers`, in order. If the clues of a puzzle clash, the
    /// verdict is [`Verdict::Unsolvable`].
    fn solve(&mut self, puzzles: &[Grid], limits: &Limits, answers: &mut Answers);

    /// Looks, for each puzzle, for a solution that does not have a given digit in a given cell, and appends a row. The
    /// verdict is [`Verdict::Solved`], with the solution, or [`Verdict::Unsolvable`]. `without` gives a blank cell and
    /// a digit for each puzzle. The default implementation tries every other digit in the cell.
    ///
    /// If the digit comes from a known solution, the answer shows whether the cell can hold any other digit.
    fn solve_without(&mut self, puzzles: &[Grid], without: &[(u8, u8)], answers: &mut Answers) {
        let limits = Limits::default().with_solutions(NonZeroU64::MIN);
        let mut tried = Answers::default();
        for (puzzle, &(cell, digit)) in puzzles.iter().zip(without) {
            let others = (1..=9).filter(|&other| other != digit).map(|other| {
                let mut with_other = *puzzle;
                with_other.set(usize::from(cell), other);
                with_other
            });
            tried.clear();
            self.solve(&others.collect::<Vec<_>>(), &limits, &mut tried);
            let outcome = tried.iter().find(|outcome| outcome.verdict != Verdict::Unsolvable);
            answers.push(outcome.or(tried.get(0)).expect("eight digits are tried"));
        }
    }

    /// Sets a stop flag: once it is raised, every search ends within a few milliseconds. Puzzles that have no verdict
    /// by then get [`Verdict::Stopped`]. The default implementation, for solvers that cannot stop early, does nothing.
    fn stop_on(&mut self, flag: Arc<AtomicBool>) {
        let _ = flag;
    }
}
