//! The lane engine: one puzzle in every lane of a vector register.
//!
//! Other fast solvers use SIMD within a single puzzle. This one solves as many puzzles side by side as a register has
//! 32-bit lanes: 16 with AVX-512, 8 with AVX2, 4 with NEON. Each lane runs its own depth-first search in step with the
//! others. When a puzzle is finished, the next one is loaded into its lane at once. The algorithm is written only once:
//! `vector` contains the register operations, `pass` the propagation, `branch` the choice of a guess, and `search` the
//! search. `grave` finds the states whose solutions come in pairs, `smallest` makes the guesses that lead to the
//! smallest solution, and `codec` converts grids. Each architecture has a small file that contains its intrinsics.
//!
//! Invariant: a puzzle's verdict, solution count (up to the limit), guesses and solution depend only on the puzzle and
//! the limits. The backend, its number of lanes and the other puzzles make no difference.

// Vectors are accessed by index, because an iterator would pass them through a closure or `next`. Such calls might not
// be inlined into the function that has the `target_feature`.
#![allow(clippy::needless_range_loop)]

mod avx2;
mod avx512;
mod branch;
mod codec;
mod grave;
mod neon;
mod pass;
mod portable;
mod search;
mod shuffles;
mod smallest;
mod token;
mod vector;

#[cfg(test)]
mod tests;

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use self::search::{Bounds, LaneSearch};
use self::vector::{Lanes, Work};
use super::answers::AnswerRows;
use super::scalar::Scalar;
use super::{Answers, BatchSolver, Limits, Verdict};
use crate::sudoku::Grid;

#[cfg(target_arch = "aarch64")]
pub(super) use self::neon::Neon;
pub(super) use self::portable::Portable;
#[cfg(target_arch = "x86_64")]
pub(super) use self::{avx2::Avx2, avx512::Avx512};

/// Returns whether this processor supports the instruction set of these lanes.
pub(super) fn detect<V: Lanes>() -> bool {
    V::detect().is_some()
}

/// Makes a solver that uses these lanes; returns `None` if this processor lacks their instruction set.
pub(super) fn make<V: Lanes>() -> Option<Box<dyn BatchSolver>> {
    Some(Box::new(LaneSolver::<V>::new(V::detect()?)))
}

/// The maximum number of puzzles per search, which stores a 108-byte root for each puzzle with several solutions.
const MOST_PUZZLES: usize = 1 << 16;

/// The lane engine for one thread.
struct LaneSolver<V: Lanes> {
    token: V::Token,
    search: Box<LaneSearch<V>>,
    /// The solver that finds the smallest of several solutions if a lane gives up.
    scalar: Scalar,
    /// The number of guesses after which a lane gives up.
    most_descent_guesses: u64,
    stop: Arc<AtomicBool>,
}

/// The number of guesses that a lane may make when it looks for the smallest of several solutions. After that, the
/// scalar solver takes over. It searches cell by cell, which is faster if a subtree is hard to refute.
const MOST_DESCENT_GUESSES: u64 = 60;

impl<V: Lanes> LaneSolver<V> {
    fn new(token: V::Token) -> Self {
        Self {
            token,
            search: Box::new(LaneSearch::new(token)),
            scalar: Scalar::new(),
            most_descent_guesses: MOST_DESCENT_GUESSES,
            stop: Arc::default(),
        }
    }

    /// Solves `puzzles` as [`BatchSolver::solve`] does, or as [`BatchSolver::solve_without`] does if `without` is not
    /// empty. `elapsed` returns the time since the call began.
    fn solve_timed(
        &mut self,
        elapsed: &dyn Fn() -> Duration,
        puzzles: &[Grid],
        without: &[(u8, u8)],
        limits: &Limits,
        answers: &mut Answers,
    ) {
        let start = answers.len();
        answers.push_blank(puzzles.len(), Verdict::Stopped);
        let most_descent_guesses = limits.max_guesses.unwrap_or(u64::MAX).min(self.most_descent_guesses);
        V::work(
            self.token,
            SearchCall {
                search: &mut *self.search,
                puzzles,
                without,
                bounds: Bounds { limits, elapsed, stop: &self.stop },
                most_descent_guesses,
                rows: answers.rows_from(start),
            },
        );
        for &puzzle in self.search.unresolved() {
            let mut outcome = answers.get(start + puzzle).expect("each puzzle has a row");
            outcome.verdict = Verdict::Multiple;
            self.scalar.replace_by_smallest(&puzzles[puzzle], limits, &mut outcome);
            answers.set(start + puzzle, outcome);
        }
    }
}

/// The arguments of a call to [`LaneSearch::run`].
struct SearchCall<'a, V: Lanes> {
    search: &'a mut LaneSearch<V>,
    puzzles: &'a [Grid],
    without: &'a [(u8, u8)],
    bounds: Bounds<'a>,
    most_descent_guesses: u64,
    rows: AnswerRows<'a>,
}

impl<V: Lanes> Work<V> for SearchCall<'_, V> {
    #[inline(always)]
    fn run(mut self) {
        let Self { search, puzzles, without, bounds, most_descent_guesses, .. } = self;
        search.run(puzzles, without, &bounds, most_descent_guesses, &mut self.rows);
    }
}

impl<V: Lanes> BatchSolver for LaneSolver<V> {
    fn solve(&mut self, puzzles: &[Grid], limits: &Limits, answers: &mut Answers) {
        for puzzles in puzzles.chunks(MOST_PUZZLES) {
            let started = Instant::now();
            self.solve_timed(&|| started.elapsed(), puzzles, &[], limits, answers);
        }
    }

    fn solve_without(&mut self, puzzles: &[Grid], without: &[(u8, u8)], answers: &mut Answers) {
        let limits = Limits::default().with_solutions(NonZeroU64::MIN);
        for (puzzles, without) in puzzles.chunks(MOST_PUZZLES).zip(without.chunks(MOST_PUZZLES)) {
            self.solve_timed(&|| Duration::ZERO, puzzles, without, &limits, answers);
        }
    }

    fn stop_on(&mut self, flag: Arc<AtomicBool>) {
        self.scalar.stop_on(Arc::clone(&flag));
        self.stop = flag;
    }
}
