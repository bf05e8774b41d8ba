//! A contender in this process: a name and a solver for each of its threads.
//!
//! Invariant: the clock sees solving alone; buffers are emptied before it starts and
//! kept from slice to slice, so that none grows while it runs after the first ones.

use std::any::Any;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use super::result::Times;
use super::rounds::Miss;
use crate::grid::Grid;
use crate::solver::{Backend, BatchSolver, Limits, Outcome};

/// The histogram tells times up to an hour apart, to 1 %; a longer one counts as an hour.
const LONGEST_NS: u64 = 3_600_000_000_000;
const SIGNIFICANT_DIGITS: u8 = 2;

/// Something that solves slices of puzzles in this process.
pub struct Contender {
    name: String,
    workers: Vec<Worker>,
    /// None for one thread, which is the caller's.
    pool: Option<ThreadPool>,
    /// Times that a slice is solved in a turn.
    pub(super) passes: usize,
    times: Histogram<u64>,
    longest_ns: u64,
}

/// What one thread needs.
struct Worker {
    solver: Box<dyn BatchSolver>,
    outcomes: Vec<Outcome>,
}

impl Contender {
    /// A contender of that name on `threads` threads; `solver` makes a solver for each.
    ///
    /// # Errors
    ///
    /// When the threads cannot be started.
    pub fn new(
        name: impl Into<String>,
        threads: NonZeroUsize,
        solver: impl Fn() -> Box<dyn BatchSolver>,
    ) -> Result<Self, ThreadPoolBuildError> {
        let threads = threads.get();
        let pool =
            (threads > 1).then(|| ThreadPoolBuilder::new().num_threads(threads).build()).transpose()?;
        let workers = (0..threads).map(|_| Worker { solver: solver(), outcomes: Vec::new() }).collect();
        let times = Histogram::new_with_bounds(1, LONGEST_NS, SIGNIFICANT_DIGITS)
            .expect("the bounds are constants that hdrhistogram accepts");
        Ok(Self { name: name.into(), workers, pool, passes: 1, times, longest_ns: 0 })
    }

    /// One of our own backends.
    ///
    /// # Errors
    ///
    /// As [`Contender::new`].
    pub fn of_backend(backend: Backend, threads: NonZeroUsize) -> Result<Self, ThreadPoolBuildError> {
        Self::new(backend.name(), threads, || backend.solver())
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Threads that solve.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// Solves a slice, split evenly among the threads, and says how long that took; the mean if it solves it
    /// several times.
    pub(super) fn solve(&mut self, puzzles: &[Grid], limits: &Limits) -> Result<Duration, Miss> {
        let part = puzzles.len().div_ceil(self.workers.len()).max(1);
        for worker in &mut self.workers {
            worker.outcomes.clear();
            worker.outcomes.reserve(part);
        }
        let (workers, pool, passes) = (&mut self.workers, self.pool.as_ref(), self.passes);
        let solved = catch_unwind(AssertUnwindSafe(|| {
            let before = Instant::now();
            let work = workers.iter_mut().zip(puzzles.chunks(part));
            match pool {
                None => work.for_each(|(worker, part)| worker.solve(part, limits, passes)),
                Some(pool) => pool.in_place_scope(|scope| {
                    work.for_each(|(worker, part)| scope.spawn(move |_| worker.solve(part, limits, passes)));
                }),
            }
            before.elapsed() / passes as u32
        }));
        let time = solved.map_err(|panic| Miss::Failed(format!("panicked: {}", panic_message(&*panic))))?;
        let answers = self.outcomes().count();
        if answers == puzzles.len() {
            Ok(time)
        } else {
            Err(Miss::Failed(format!("gave {answers} answers to {} puzzles", puzzles.len())))
        }
    }

    /// The outcomes of the last slice, in its order.
    pub(super) fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        self.workers.iter().flat_map(|worker| &worker.outcomes)
    }

    /// Keeps the times of the single puzzles of the last slice.
    pub(super) fn record_times(&mut self) {
        for outcome in self.workers.iter().flat_map(|worker| &worker.outcomes) {
            self.times.saturating_record(outcome.time_ns);
            self.longest_ns = self.longest_ns.max(outcome.time_ns);
        }
    }

    /// How the times kept are distributed.
    pub(super) fn times(&self) -> Times {
        let quantile = |share| self.times.value_at_quantile(share).min(self.longest_ns);
        Times { p50: quantile(0.5), p90: quantile(0.9), p99: quantile(0.99), max: self.longest_ns }
    }
}

impl Worker {
    fn solve(&mut self, puzzles: &[Grid], limits: &Limits, passes: usize) {
        for _ in 0..passes {
            self.outcomes.clear();
            self.solver.solve(puzzles, limits, &mut self.outcomes);
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Verdict;

    /// Answers with the number of clues as guesses, unless there are nine.
    struct Counter;

    impl BatchSolver for Counter {
        fn solve(&mut self, puzzles: &[Grid], _limits: &Limits, outcomes: &mut Vec<Outcome>) {
            for puzzle in puzzles {
                let guesses = u64::from(puzzle.clues());
                assert_ne!(guesses, 9, "nine clues");
                let time_ns = 1000 * guesses;
                let verdict = Verdict::Unfinished;
                outcomes.push(Outcome { verdict, solutions: 0, guesses, time_ns, solution: None });
            }
        }
    }

    /// Puzzles with 0, 1, 2, ... clues.
    fn puzzles(count: usize) -> Vec<Grid> {
        (0..count)
            .map(|clues| {
                let mut grid = Grid::EMPTY;
                (0..clues).for_each(|cell| grid.set(cell, 1));
                grid
            })
            .collect()
    }

    fn contender(threads: usize) -> Contender {
        Contender::new("counter", threads.try_into().unwrap(), || Box::new(Counter)).unwrap()
    }

    #[test]
    fn outcomes_are_in_order_on_any_number_of_threads() {
        for threads in [1, 2, 3, 8] {
            let mut contender = contender(threads);
            for size in [7, 1, 0, 9] {
                contender.solve(&puzzles(size), &Limits::default()).unwrap();
                let guesses: Vec<_> = contender.outcomes().map(|outcome| outcome.guesses).collect();
                assert_eq!(guesses, (0..size as u64).collect::<Vec<_>>(), "{threads} threads");
            }
        }
    }

    #[test]
    fn several_passes_leave_the_outcomes_of_one() {
        let mut contender = contender(2);
        contender.passes = 5;
        contender.solve(&puzzles(7), &Limits::default()).unwrap();
        assert_eq!(contender.outcomes().map(|outcome| outcome.guesses).sum::<u64>(), 21);
    }

    #[test]
    fn a_panic_is_a_failure_of_the_contender_alone() {
        for threads in [1, 2] {
            let Err(Miss::Failed(message)) = contender(threads).solve(&puzzles(12), &Limits::default())
            else {
                panic!("nine clues went through");
            };
            assert!(message.contains("nine clues"), "{message}");
        }
    }

    #[test]
    fn a_missing_answer_is_a_failure() {
        struct Lazy;
        impl BatchSolver for Lazy {
            fn solve(&mut self, _: &[Grid], _: &Limits, _: &mut Vec<Outcome>) {}
        }
        let mut lazy = Contender::new("lazy", NonZeroUsize::MIN, || Box::new(Lazy)).unwrap();
        let Err(Miss::Failed(message)) = lazy.solve(&puzzles(3), &Limits::default()) else { panic!() };
        assert_eq!(message, "gave 0 answers to 3 puzzles");
    }

    #[test]
    fn times_are_those_of_all_slices_recorded() {
        let mut contender = contender(2);
        for size in [9, 2] {
            contender.solve(&puzzles(size), &Limits::default()).unwrap();
            contender.record_times();
        }
        // 0 to 8 us and 0 to 1 us: eleven times, the middle one 3 us.
        let Times { p50, max, .. } = contender.times();
        assert!((2970..=3030).contains(&p50), "{p50}");
        assert_eq!(max, 8000);
    }
}
