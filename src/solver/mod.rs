//! Solvers, which turn puzzles into answers.
//!
//! A solver takes a slice of puzzles and appends a row of [`Answers`] for each, in order: solving many puzzles side by
//! side is fastest. A solver does not deal with files, threads or text. [`solve`] runs one on each core.
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
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub use self::answers::Answers;
#[cfg(feature = "io")]
pub(crate) use self::answers::Defect;
pub use self::backend::Backend;
pub use self::parallel::{Options, solve};
pub use crate::kinds::sudominoku::solver as sudominoku;

use crate::sudoku::Grid;

/// The choice between several solutions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// The smallest solution as an 81-digit number, equal for every solver. Finding it takes a search of its own.
    #[default]
    Smallest,
    /// The first solution found. It is equal in every run of a solver, whatever the other puzzles are.
    Any,
}

/// The limits of a search.
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
    /// The number of solutions at which counting stops. 2 tells unique from multiple, 1 only finds a solution.
    pub solutions: NonZeroU64,
    /// The number of guesses after which a puzzle is given up; `None` never gives up. The search for the smallest of
    /// several solutions may make this number again, and up to 60 more in the lanes.
    pub max_guesses: Option<u64>,
    /// The time after which a puzzle is given up, to some milliseconds; `None` never gives up. The outcome then depends
    /// on the machine. The search for the smallest of several solutions may take this time again.
    pub max_time: Option<Duration>,
    /// The solution to return if there are several; with a limit of one solution, any.
    pub wanted: Wanted,
}

impl Default for Limits {
    /// Returns limits of two solutions, no limit on guesses or time, and the smallest of several solutions.
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

    /// Sets the time after which a puzzle is given up.
    #[must_use]
    pub const fn with_max_time(self, max_time: Duration) -> Self {
        Self { max_time: Some(max_time), ..self }
    }

    /// Sets the number of guesses after which a puzzle is given up.
    #[must_use]
    pub const fn with_max_guesses(self, max_guesses: u64) -> Self {
        Self { max_guesses: Some(max_guesses), ..self }
    }

    /// Sets which of several solutions is returned.
    #[must_use]
    pub const fn with_wanted(self, wanted: Wanted) -> Self {
        Self { wanted, ..self }
    }
}

/// The verdict of a solver on a puzzle.
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
    /// The puzzle has exactly one solution, proven.
    Unique,
    /// The puzzle has more than one solution.
    Multiple,
    /// The puzzle has no solution, proven.
    Unsolvable,
    /// A solution was found, and the search ended there because its limit was 1.
    Solved,
    /// The search reached `max_guesses` or `max_time` before a verdict.
    Unfinished,
    /// The search was stopped before it reached a verdict.
    Stopped,
    /// The answer contradicts itself or fails the independent check: a defect of the solver. Only [`solve`] gives this
    /// verdict, never a solver.
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
    /// The branch nodes that the counting search opened: the reproducible measure of effort. A branch is a candidate or
    /// its removal (scalar), or a minirow or its removal (lanes). In Sudominoku it is a digit or a place.
    pub guesses: u64,
    /// The time spent on this puzzle, in nanoseconds.
    pub time_ns: u64,
    /// The only solution (`Unique`), the one [`Wanted`] (`Multiple`) or the first found (`Solved`); otherwise `None`.
    pub solution: Option<Grid>,
}

impl Outcome {
    /// Makes an outcome with this verdict and nothing else, for solvers to complete.
    #[must_use]
    pub const fn new(verdict: Verdict) -> Self {
        Self { verdict, solutions: 0, guesses: 0, time_ns: 0, solution: None }
    }
}

/// One puzzle, solved on this thread and checked as [`solve`] does. Many puzzles are solved faster by [`solve`].
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

/// A flag that stops searches, if there is one.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopFlag(Option<Arc<AtomicBool>>);

impl StopFlag {
    pub(crate) const fn new(flag: Arc<AtomicBool>) -> Self {
        Self(Some(flag))
    }

    /// Returns whether searches must end. The check is cheap but not free, so searches make it only now and then.
    #[inline]
    pub(crate) fn is_raised(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

/// The time at which a search gives up, if any. Searches check it as rarely as the stop flag.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    /// Returns the deadline of a search with these limits that begins now.
    pub(crate) fn of(limits: &Limits) -> Self {
        Self(limits.max_time.and_then(|time| Instant::now().checked_add(time)))
    }

    pub(crate) fn is_over(self) -> bool {
        self.0.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// A solver of sudokus, many in one call.
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
    /// Solves `puzzles` and appends a row for each to `answers`, in order. A puzzle with clashing clues is
    /// [`Verdict::Unsolvable`].
    fn solve(&mut self, puzzles: &[Grid], limits: &Limits, answers: &mut Answers);

    /// Looks for a solution of each puzzle in which one cell does not have one digit, and appends a row for each. The
    /// verdict is [`Verdict::Solved`] with the solution, or [`Verdict::Unsolvable`]. `without` has a blank cell and a
    /// digit for each puzzle. By default every other digit is tried in the cell.
    ///
    /// If the digit is that of the cell in a known solution, the answer tells whether the cell can have another digit.
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

    /// Sets a flag: once it is raised, every search ends within a few milliseconds. Puzzles without a verdict are then
    /// [`Verdict::Stopped`]. The default, for solvers that cannot end early, does nothing.
    fn stop_on(&mut self, flag: Arc<AtomicBool>) {
        let _ = flag;
    }
}
