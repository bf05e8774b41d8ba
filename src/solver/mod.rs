//! Puzzles in, answers out.
//!
//! A solver takes a slice of puzzles and appends a row of [`Answers`] for each, in order: the interface is
//! a batch because the fast way to solve many puzzles is to solve them side by side. A solver knows
//! nothing of files, threads or text. [`solve`] puts one on each core.

mod answers;
mod backend;
mod lanes;
mod parallel;
pub mod scalar;
pub mod sudominoku;

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub use self::answers::Answers;
#[cfg(feature = "io")]
pub(crate) use self::answers::Defect;
pub use self::backend::Backend;
pub use self::parallel::{Options, solve};

use crate::sudoku::Grid;

/// Which of several solutions to give.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// The smallest as an 81-digit number, which takes a search of its own: the same from every solver.
    #[default]
    Smallest,
    /// The first found: the same in every run of a solver, whatever stands beside the puzzle.
    Any,
}

/// How far a search goes.
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
    /// Stop counting at this many solutions. 2 tells unique from multiple, 1 only finds a solution.
    pub solutions: NonZeroU64,
    /// Give up on a puzzle once this many guesses were made; `None` never gives up. The search for the
    /// smallest of several solutions may make as many again, in the lanes up to 60 besides.
    pub max_guesses: Option<u64>,
    /// Give up on a puzzle once it took this long, to some milliseconds; `None` never gives up. What comes out then
    /// depends on the machine. The search for the smallest of several solutions may take as long again.
    pub max_time: Option<Duration>,
    /// Which of several solutions to give; a limit of one solution gives any.
    pub wanted: Wanted,
}

impl Default for Limits {
    /// Two solutions, no bound on guesses or time, the smallest of several.
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
    /// With so many solutions to stop at.
    #[must_use]
    pub const fn with_solutions(self, solutions: NonZeroU64) -> Self {
        Self { solutions, ..self }
    }

    /// With a time to give up after.
    #[must_use]
    pub const fn with_max_time(self, max_time: Duration) -> Self {
        Self { max_time: Some(max_time), ..self }
    }

    /// With so many guesses to give up at.
    #[must_use]
    pub const fn with_max_guesses(self, max_guesses: u64) -> Self {
        Self { max_guesses: Some(max_guesses), ..self }
    }

    /// With that one of several solutions.
    #[must_use]
    pub const fn with_wanted(self, wanted: Wanted) -> Self {
        Self { wanted, ..self }
    }
}

/// What a solver found out about one puzzle.
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
    /// Exactly one solution, proven.
    Unique,
    /// More than one solution.
    Multiple,
    /// No solution, proven.
    Unsolvable,
    /// A solution was found and, with a limit of 1, the search ended there.
    Solved,
    /// `max_guesses` or `max_time` was reached first.
    Unfinished,
    /// The search was told to end before it came to a verdict.
    Stopped,
    /// What the solver says contradicts itself or failed the independent check: a defect of the solver. No solver says
    /// so itself; it is [`solve`]'s verdict on one.
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
    /// The solution: the only one (`Unique`), the one [`Wanted`] (`Multiple`), the first found (`Solved`), otherwise
    /// none.
    pub solution: Option<Grid>,
}

/// A flag that ends searches, if there is one.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopFlag(Option<Arc<AtomicBool>>);

impl StopFlag {
    pub(crate) const fn new(flag: Arc<AtomicBool>) -> Self {
        Self(Some(flag))
    }

    /// Whether searches are to end. It is cheap, but not free: searches ask now and then.
    #[inline]
    fn is_raised(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

/// When a search is to be given up, if ever. It is looked at as seldom as the stop flag.
#[derive(Clone, Copy, Debug, Default)]
struct Deadline(Option<Instant>);

impl Deadline {
    /// That of a search with those limits which begins now.
    fn of(limits: &Limits) -> Self {
        Self(limits.max_time.and_then(|time| Instant::now().checked_add(time)))
    }

    fn is_over(self) -> bool {
        self.0.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Solves sudokus, many at a call.
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
    /// Solves `puzzles` and appends what it found out of each to `answers`, in the same order.
    ///
    /// Clues that clash make a puzzle [`Verdict::Unsolvable`].
    fn solve(&mut self, puzzles: &[Grid], limits: &Limits, answers: &mut Answers);

    /// From now on, once the flag is raised, every search ends within a few milliseconds: what has no verdict by then
    /// is [`Verdict::Stopped`]. A solver that cannot end early leaves this out.
    fn stop_on(&mut self, flag: Arc<AtomicBool>) {
        let _ = flag;
    }
}
