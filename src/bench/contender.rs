//! A contender in this process: a name, and one solver per thread.
//!
//! A slice is cut into parts large enough to fill the lanes. As in `solve`, each thread takes the next part when it
//! finishes one. A slow or busy core therefore solves fewer parts and does not hold up the others for long.
//!
//! Invariant: only solving is timed. Buffers are cleared beforehand and reused, so after the first few slices none of
//! them grows while the clock is running.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{iter, mem};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use super::result::BenchRow;
use super::rounds::Entrant;
use super::{PARTS_A_THREAD, SLICE, SMALLEST_SLICE};
use crate::pipeline::distribution::Distribution;
use crate::solver::{Answers, Backend, BatchSolver, Limits, Outcome};
use crate::sudoku::Grid;

/// A solver in this process that solves slices of puzzles.
pub struct Contender {
    pub(super) row: BenchRow,
    workers: Vec<Worker>,
    /// The answers for each part of the last slice.
    parts: Vec<Mutex<Answers>>,
    /// The threads; `None` if only the calling thread is used.
    pool: Option<ThreadPool>,
    /// How many times a slice is solved per turn.
    pub(super) passes: usize,
    times: Distribution,
}

/// The state of one thread.
struct Worker {
    solver: Box<dyn BatchSolver>,
    /// The answers to the current part, swapped into `parts` once that part is solved.
    answers: Answers,
}

impl Contender {
    /// Returns a contender that runs on `threads` threads; `solver` makes a solver for each of them. Fails if the
    /// threads cannot be started.
    pub fn new(
        name: impl Into<String>,
        threads: NonZeroUsize,
        solver: impl Fn() -> Box<dyn BatchSolver>,
    ) -> Result<Self, ThreadPoolBuildError> {
        let threads = threads.get();
        let pool =
            (threads > 1).then(|| ThreadPoolBuilder::new().num_threads(threads).build()).transpose()?;
        let workers =
            (0..threads).map(|_| Worker { solver: solver(), answers: Answers::default() }).collect();
        let row = BenchRow { name: name.into(), threads: Some(threads), ..BenchRow::default() };
        Ok(Self { row, workers, parts: Vec::new(), pool, passes: 1, times: Distribution::default() })
    }

    /// Returns one of this program's backends as a contender. Fails if the threads cannot be started.
    pub fn of_backend(backend: Backend, threads: NonZeroUsize) -> Result<Self, ThreadPoolBuildError> {
        let mut contender = Self::new(name_of(backend, threads), threads, || backend.solver())?;
        contender.row.backend = Some(backend.name().to_owned());
        Ok(contender)
    }

    /// Makes all of the contender's searches end when the flag is raised.
    pub(super) fn stop_on(&mut self, flag: &Arc<AtomicBool>) {
        self.workers.iter_mut().for_each(|worker| worker.solver.stop_on(Arc::clone(flag)));
    }

    /// Solves a slice and returns the time it took, averaged over all passes.
    pub(super) fn solve(&mut self, puzzles: &[Grid], limits: &Limits) -> Result<Duration, String> {
        let size = part_size(puzzles.len(), self.workers.len());
        self.parts.resize_with(puzzles.len().div_ceil(size), Mutex::default);
        answers(&mut self.parts).for_each(Answers::clear);
        let (parts, passes, next) = (&*self.parts, self.passes, AtomicUsize::new(0));
        // Solves parts until every part of every pass has been taken.
        let take_parts = |worker: &mut Worker| {
            let taken = iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
            for number in taken.take_while(|&number| number < passes * parts.len()) {
                let part = number % parts.len();
                let puzzles = puzzles.chunks(size).nth(part).expect("there are as many parts as chunks");
                worker.answers.clear();
                worker.solver.solve(puzzles, limits, &mut worker.answers);
                let mut solved = parts[part].lock().unwrap_or_else(PoisonError::into_inner);
                mem::swap(&mut worker.answers, &mut solved);
            }
        };
        let (workers, pool, take_parts) = (&mut self.workers, self.pool.as_ref(), &take_parts);
        let before = Instant::now();
        match pool {
            None => workers.iter_mut().for_each(take_parts),
            Some(pool) => pool.in_place_scope(|scope| {
                workers.iter_mut().for_each(|worker| scope.spawn(move |_| take_parts(worker)));
            }),
        }
        let time = before.elapsed() / passes as u32;
        match answers(&mut self.parts).map(|answers| answers.len()).sum::<usize>() {
            answers if answers == puzzles.len() => Ok(time),
            answers => Err(format!("gave {answers} answers to {} puzzles", puzzles.len())),
        }
    }

    /// Returns the outcomes for the last slice, in order.
    pub(super) fn outcomes(&mut self) -> Vec<Outcome> {
        answers(&mut self.parts).flat_map(|answers| answers.iter()).collect()
    }

    /// Records the times of the puzzles in the last slice.
    pub(super) fn record_times(&mut self) {
        let times = answers(&mut self.parts).flat_map(|answers| answers.times_ns());
        times.for_each(|&time| self.times.add(time));
    }

    /// Returns the contender's row, including the puzzle times unless the contender failed.
    pub(super) fn into_row(self) -> BenchRow {
        let Self { mut row, times, passes, .. } = self;
        if row.failure.is_none() {
            row.passes = Some(passes);
            [row.p50_ns, row.p90_ns, row.p99_ns] = [0.5, 0.9, 0.99].map(|share| Some(times.quantile(share)));
            row.max_ns = Some(times.most());
        }
        row
    }
}

impl Entrant for Contender {
    fn row(&mut self) -> &mut BenchRow {
        &mut self.row
    }
}

/// Returns the answers for each part of a slice, in order.
fn answers(parts: &mut [Mutex<Answers>]) -> impl Iterator<Item = &mut Answers> {
    parts.iter_mut().map(|part| part.get_mut().unwrap_or_else(PoisonError::into_inner))
}

/// Returns the name of a backend that runs on a number of threads, such as `avx2` or `avx2 -j 4`.
#[must_use]
pub fn name_of(backend: Backend, threads: NonZeroUsize) -> String {
    let name = backend.name();
    if threads == NonZeroUsize::MIN { name.to_owned() } else { format!("{name} -j {threads}") }
}

/// Returns the number of puzzles per part: enough to fill the lanes and, if possible, few enough that each thread gets
/// several parts.
fn part_size(puzzles: usize, threads: usize) -> usize {
    if threads == 1 { SLICE } else { puzzles.div_ceil(PARTS_A_THREAD * threads).clamp(SMALLEST_SLICE, SLICE) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Verdict;

    /// A solver that reports the number of clues as the number of guesses.
    struct Counter;

    impl BatchSolver for Counter {
        fn solve(&mut self, puzzles: &[Grid], _limits: &Limits, answers: &mut Answers) {
            for puzzle in puzzles {
                let guesses = u64::from(puzzle.clues());
                let time_ns = 1000 * guesses;
                let verdict = Verdict::Unfinished;
                answers.push(Outcome { verdict, solutions: 0, guesses, time_ns, solution: None });
            }
        }
    }

    /// Returns puzzles with 0, 1, 2, ... clues.
    fn puzzles(count: usize) -> Vec<Grid> {
        let grid = |clues| {
            let mut grid = Grid::EMPTY;
            (0..clues).for_each(|cell| grid.set(cell, 1));
            grid
        };
        (0..count).map(grid).collect()
    }

    fn contender(threads: usize) -> Contender {
        Contender::new("counter", threads.try_into().unwrap(), || Box::new(Counter)).unwrap()
    }

    fn guesses(contender: &mut Contender) -> Vec<u64> {
        contender.outcomes().into_iter().map(|outcome| outcome.guesses).collect()
    }

    #[test]
    fn parts_fill_the_lanes_and_are_several_for_each_thread() {
        assert_eq!([part_size(700, 1), part_size(40_000, 1), part_size(40_000, 2)], [5000, 5000, 5000]);
        assert_eq!([part_size(4000, 4), part_size(7, 2), part_size(0, 2)], [1000, 1000, 1000]);
    }

    #[test]
    fn outcomes_are_in_order_on_any_number_of_threads() {
        for threads in [1, 2, 3, 8] {
            let mut contender = contender(threads);
            for size in [7, 1, 0, 9] {
                contender.solve(&puzzles(size), &Limits::default()).unwrap();
                assert!(guesses(&mut contender).into_iter().eq(0..size as u64), "{threads} threads");
            }
            // There are enough puzzles for several parts, and the last part is shorter.
            let many: Vec<_> = puzzles(8).into_iter().cycle().take(12_345).collect();
            for passes in [1, 3] {
                contender.passes = passes;
                contender.solve(&many, &Limits::default()).unwrap();
                let expected = (0..8).cycle().take(12_345);
                assert!(guesses(&mut contender).into_iter().eq(expected), "{threads} threads");
            }
        }
    }

    #[test]
    fn a_missing_answer_is_a_failure() {
        struct Lazy;
        impl BatchSolver for Lazy {
            fn solve(&mut self, _: &[Grid], _: &Limits, _: &mut Answers) {}
        }
        let mut lazy = Contender::new("lazy", NonZeroUsize::MIN, || Box::new(Lazy)).unwrap();
        let message = lazy.solve(&puzzles(3), &Limits::default()).unwrap_err();
        assert_eq!(message, "gave 0 answers to 3 puzzles");
    }

    #[test]
    fn times_are_those_of_all_slices_recorded() {
        let mut contender = contender(2);
        for size in [9, 2] {
            contender.solve(&puzzles(size), &Limits::default()).unwrap();
            contender.record_times();
        }
        // The times are 0 to 8 us and 0 to 1 us: eleven in all, with a median of 3 us.
        let row = contender.into_row();
        assert!((2970..=3030).contains(&row.p50_ns.unwrap()), "{row:?}");
        assert_eq!(row.max_ns, Some(8000));
    }
}
