//! Solving many puzzles in memory, on all cores.
//!
//! [`solve`] splits the puzzles into slices, which the threads take one after another. It only returns solutions that
//! the verifier has accepted.

use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::{Answers, Backend, BatchSolver, Limits, Verdict};
use crate::sudoku::Grid;
use crate::sudoku::verifier;

/// The options for [`solve`].
///
/// ```
/// use std::num::NonZeroUsize;
/// use batchdoku::solver::{Backend, Limits, Options};
///
/// let options = Options::default()
///     .with_limits(Limits::default().with_max_guesses(1000))
///     .with_backend(Backend::best())
///     .with_threads(NonZeroUsize::MIN);
/// assert_eq!(options.limits.max_guesses, Some(1000));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The limits of each search.
    pub limits: Limits,
    /// The backend.
    pub backend: Backend,
    /// The number of threads; `None` means one per core.
    pub threads: Option<NonZeroUsize>,
}

impl Default for Options {
    /// Returns the default limits, the fastest backend, and all cores.
    fn default() -> Self {
        Self { limits: Limits::default(), backend: Backend::best(), threads: None }
    }
}

impl Options {
    /// Sets the limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Sets the backend.
    #[must_use]
    pub fn with_backend(self, backend: Backend) -> Self {
        Self { backend, ..self }
    }

    /// Sets the number of threads.
    #[must_use]
    pub fn with_threads(self, threads: NonZeroUsize) -> Self {
        Self { threads: Some(threads), ..self }
    }
}

/// The maximum slice size, which is enough to keep the lanes full.
const MOST_IN_SLICE: usize = 4096;
/// The minimum slice size, if there are enough puzzles: below it, the overhead outweighs the better balance.
const LEAST_IN_SLICE: usize = 256;
/// The number of slices per thread in a small batch, chosen so that all threads finish at about the same time.
const SLICES_A_THREAD: usize = 4;

/// Solves puzzles on several threads, and checks every solution with [`verifier::sudoku`].
///
/// Except for the times, the answers depend only on the puzzles, the limits and the backend. A solution fails the check
/// only if the solver has a defect. The verdict is then [`Verdict::InternalError`], and no solution is returned.
///
/// # Panics
///
/// Panics if a solver does, which would be a defect.
#[must_use]
pub fn solve(puzzles: &[Grid], options: &Options) -> Answers {
    let threads = options.threads.or_else(|| thread::available_parallelism().ok());
    solve_by(puzzles, &options.limits, threads.unwrap_or(NonZeroUsize::MIN), &|| options.backend.solver())
}

/// Solves puzzles as [`solve`] does, but with a given solver.
fn solve_by(
    puzzles: &[Grid],
    limits: &Limits,
    threads: NonZeroUsize,
    solver: &(dyn Fn() -> Box<dyn BatchSolver> + Sync),
) -> Answers {
    let size = puzzles.len() / threads.saturating_mul(NonZeroUsize::MIN.saturating_add(SLICES_A_THREAD - 1));
    let size = size.clamp(LEAST_IN_SLICE, MOST_IN_SLICE);
    let mut answers = Answers::default();
    // If a puzzle ends up without an answer, the solver has a defect.
    answers.push_blank(puzzles.len(), Verdict::InternalError);
    let slices = Mutex::new(puzzles.chunks(size).zip(answers.slices(size)));
    let work = || {
        let (mut solver, mut found) = (solver(), Answers::default());
        loop {
            let next = slices.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((puzzles, mut slice)) = next else { break };
            found.clear();
            solver.solve(puzzles, limits, &mut found);
            for (row, puzzle) in puzzles.iter().take(found.len()).enumerate() {
                // The verdict shows the defect.
                let _ = found.check(row, |solution| verifier::sudoku(puzzle, solution));
            }
            slice.copy(&found);
        }
    };
    thread::scope(|scope| {
        let others = threads.get().min(puzzles.len().div_ceil(size)).saturating_sub(1);
        // If the system cannot start more threads, those already running do the work, including this one.
        let others: Vec<_> =
            (0..others).map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
        work();
        for other in others {
            if let Err(panic) = other.join() {
                resume_unwind(panic);
            }
        }
    });
    drop(slices);
    answers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Outcome;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Returns a solved grid with the rows 123456789, 456789123, and so on.
    fn solved() -> Grid {
        Grid::new(std::array::from_fn(|i| ((i / 9 * 3 + i / 27 + i % 9) % 9 + 1) as u8)).unwrap()
    }

    /// Returns various puzzles that together produce every verdict.
    fn puzzles(count: usize) -> Vec<Grid> {
        (0..count)
            .map(|i| {
                let mut puzzle = solved();
                for cell in (0..81).filter(|cell| cell * 7 % 11 < i % 11) {
                    puzzle.set(cell, 0);
                }
                if i % 5 == 0 {
                    puzzle.set(i % 81, (i % 9 + 1) as u8);
                }
                puzzle
            })
            .collect()
    }

    fn threads(count: usize) -> NonZeroUsize {
        NonZeroUsize::new(count).unwrap()
    }

    fn without_times(answers: &Answers) -> Vec<Outcome> {
        answers.iter().map(|outcome| Outcome { time_ns: 0, ..outcome }).collect()
    }

    #[test]
    fn answers_are_those_of_the_solver_in_order_whatever_the_threads() {
        let limits = Limits::default().with_max_guesses(5);
        for count in [0, 1, 255, 256, 257, 9000] {
            let puzzles = puzzles(count);
            let mut expected = Answers::default();
            Backend::SCALAR.solver().solve(&puzzles, &limits, &mut expected);
            let expected = without_times(&expected);
            for number in [1, 2, 3, 16] {
                let options = Options::default().with_limits(limits).with_backend(Backend::SCALAR);
                let answers = solve(&puzzles, &options.with_threads(threads(number)));
                assert_eq!(without_times(&answers), expected, "{count} puzzles on {number} threads");
                assert_eq!((answers.len(), answers.is_empty()), (count, count == 0));
                assert_eq!(answers.get(count), None);
            }
            if count == 9000 {
                for verdict in [Verdict::Unique, Verdict::Multiple, Verdict::Unsolvable, Verdict::Unfinished]
                {
                    assert!(expected.iter().any(|outcome| outcome.verdict == verdict), "no {verdict:?}");
                }
            }
        }
    }

    /// A solver that gives every puzzle the same outcome; an idle one gives no outcome for the last puzzle.
    struct Liar {
        says: Outcome,
        idle: bool,
    }

    impl BatchSolver for Liar {
        fn solve(&mut self, puzzles: &[Grid], _: &Limits, answers: &mut Answers) {
            puzzles[usize::from(self.idle)..].iter().for_each(|_| answers.push(self.says));
        }
    }

    fn lies(says: Outcome, idle: bool) -> Answers {
        let liar = move || Box::new(Liar { says, idle }) as Box<dyn BatchSolver>;
        solve_by(&[Grid::EMPTY; 3], &Limits::default(), threads(2), &liar)
    }

    #[test]
    fn a_solution_that_the_verifier_refuses_is_not_given() {
        let right = solved();
        let mut wrong = right;
        wrong.set(0, right.get(1));
        let verdict = Verdict::Unique;
        let says = |solution| Outcome { verdict, solutions: 1, guesses: 0, time_ns: 0, solution };
        assert_eq!(lies(says(Some(right)), false).solutions(), [Some(right); 3]);
        for refused in [Some(wrong), Some(Grid::EMPTY), None] {
            let answers = lies(says(refused), false);
            assert_eq!(answers.verdicts(), [Verdict::InternalError; 3], "{refused:?}");
            assert_eq!(answers.solutions(), [None; 3]);
        }
    }

    #[test]
    fn a_missing_outcome_is_an_internal_error() {
        let says = Outcome::new(Verdict::Unsolvable);
        let expected = [Verdict::Unsolvable, Verdict::Unsolvable, Verdict::InternalError];
        assert_eq!(lies(says, true).verdicts(), expected);
    }

    /// A solver that panics on the second slice, counted over all threads.
    struct Panicking(Arc<AtomicUsize>);

    impl BatchSolver for Panicking {
        fn solve(&mut self, _: &[Grid], _: &Limits, _: &mut Answers) {
            assert!(self.0.fetch_add(1, Ordering::Relaxed) != 1, "the second slice");
        }
    }

    #[test]
    fn a_panic_of_a_solver_reaches_the_caller() {
        for number in [1, 2, 4] {
            let slices = Arc::new(AtomicUsize::new(0));
            let puzzles = vec![Grid::EMPTY; 100 * MOST_IN_SLICE];
            let panic = catch_unwind(AssertUnwindSafe(|| {
                solve_by(&puzzles, &Limits::default(), threads(number), &|| {
                    Box::new(Panicking(Arc::clone(&slices)))
                })
            }));
            let message = *panic.unwrap_err().downcast_ref::<&str>().unwrap();
            assert_eq!(message, "the second slice", "{number} threads");
            if number == 1 {
                assert_eq!(slices.load(Ordering::Relaxed), 2);
            }
        }
    }
}
