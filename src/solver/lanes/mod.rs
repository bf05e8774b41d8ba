//! The lane engine: one puzzle in every lane of a vector register.
//!
//! Where other fast solvers spend SIMD on the inside of one puzzle, this one solves as many puzzles side
//! by side as a register has 32-bit lanes: 16 with AVX-512, 8 with AVX2, 4 with NEON. Each lane runs its own
//! depth-first search in step with the others, and a lane whose puzzle is finished is loaded with the
//! next at once. The algorithm is written once: `vector` says what a register can do, `pass` is the
//! propagation, `branch` the choice of a guess, `search` the search, `smallest` the choice that finds the smallest
//! solution, `codec` the way in and out;
//! one small file an architecture says how its instructions do that.
//!
//! Invariant: verdict, number of solutions up to the limit, guesses and solution of a puzzle depend on
//! that puzzle and the limits alone, not on the backend, its number of lanes or the other puzzles.

// Vectors are reached by index throughout: an iterator would pass them through a closure or `next`, which
// is not certain to be inlined into the function that may use them.
#![allow(clippy::needless_range_loop)]

mod avx2;
mod avx512;
mod branch;
mod codec;
mod neon;
mod pass;
mod portable;
mod search;
mod smallest;
mod token;
mod vector;

#[cfg(test)]
mod tests;

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use self::search::{Branching, LaneSearch};
use self::vector::{Lanes, Work};
use super::answers::AnswerRows;
use super::scalar::Scalar;
use super::{Answers, BatchSolver, Limits, StopFlag, Verdict, Wanted};
use crate::sudoku::Grid;

#[cfg(target_arch = "aarch64")]
pub(super) use self::neon::Neon;
pub(super) use self::portable::Portable;
#[cfg(target_arch = "x86_64")]
pub(super) use self::{avx2::Avx2, avx512::Avx512};

/// Whether this processor has the instructions of these lanes.
pub(super) fn detect<V: Lanes>() -> bool {
    V::detect().is_some()
}

/// A solver on these lanes; `None` if this processor does not have the instructions.
pub(super) fn make<V: Lanes>() -> Option<Box<dyn BatchSolver>> {
    Some(Box::new(LaneSolver::<V>::new(V::detect()?)))
}

/// Puzzles that go through the lanes in one go: lanes number them with 32 bits.
const MOST_PUZZLES: usize = u32::MAX as usize;

/// The lane engine of one thread.
struct LaneSolver<V: Lanes> {
    token: V::Token,
    search: Box<LaneSearch<V>>,
    /// Finds the smallest of several solutions where a lane gave that up.
    scalar: Scalar,
    /// Guesses after which a lane gives that up.
    most_descent_guesses: u64,
    stop: StopFlag,
    /// Puzzles of whose solutions the smallest is to be found, their rows, and what comes of it.
    several: Vec<Grid>,
    several_rows: Vec<usize>,
    descents: Answers,
}

/// Guesses that a lane spends on finding the smallest of several solutions, before it leaves that to the scalar
/// solver: a puzzle with a subtree that is hard to refute is better asked about cell by cell.
const MOST_DESCENT_GUESSES: u64 = 60;

impl<V: Lanes> LaneSolver<V> {
    fn new(token: V::Token) -> Self {
        Self {
            token,
            search: Box::new(LaneSearch::new(token)),
            scalar: Scalar::new(),
            most_descent_guesses: MOST_DESCENT_GUESSES,
            stop: StopFlag::default(),
            several: Vec::new(),
            several_rows: Vec::new(),
            descents: Answers::default(),
        }
    }

    /// Solves `puzzles` as [`BatchSolver::solve`] does, but that it gives any of several solutions, the same on every
    /// backend. `elapsed` says how long it is since the call.
    fn count_in_lanes(
        &mut self,
        elapsed: &dyn Fn() -> Duration,
        puzzles: &[Grid],
        limits: &Limits,
        answers: &mut Answers,
    ) {
        let start = answers.len();
        answers.push_blank(puzzles.len(), Verdict::Stopped);
        let (search, stop, branching) = (&mut *self.search, &self.stop, Branching::Narrowest);
        let rows = answers.rows_from(start);
        V::work(self.token, SearchCall { search, elapsed, puzzles, limits, branching, stop, rows });
    }

    /// Gives every row from `start` on that has several solutions the smallest.
    fn descend(&mut self, puzzles: &[Grid], limits: &Limits, answers: &mut Answers, start: usize) {
        self.several.clear();
        self.several_rows.clear();
        for (row, (puzzle, verdict)) in (start..).zip(puzzles.iter().zip(&answers.verdicts()[start..])) {
            if *verdict == Verdict::Multiple {
                self.several.push(*puzzle);
                self.several_rows.push(row);
            }
        }
        self.descents.clear();
        self.descents.push_blank(self.several.len(), Verdict::Stopped);
        let most_guesses = limits.max_guesses.unwrap_or(u64::MAX).min(self.most_descent_guesses);
        let bounds = Limits::default().with_solutions(NonZeroU64::MIN).with_max_guesses(most_guesses);
        let started = Instant::now();
        let call = SearchCall {
            search: &mut *self.search,
            elapsed: &|| started.elapsed(),
            puzzles: &self.several,
            limits: &bounds,
            branching: Branching::Ascending,
            stop: &self.stop,
            rows: self.descents.rows_from(0),
        };
        V::work(self.token, call);
        for (puzzle, (&row, descent)) in
            self.several.iter().zip(self.several_rows.iter().zip(self.descents.iter()))
        {
            let mut outcome = answers.get(row).expect("each puzzle has a row");
            outcome.time_ns += descent.time_ns;
            match descent.verdict {
                Verdict::Solved => outcome.solution = descent.solution,
                _ => self.scalar.replace_by_smallest(puzzle, limits, &mut outcome),
            }
            answers.set(row, outcome);
        }
    }
}

/// A call of [`LaneSearch::run`].
struct SearchCall<'a, V: Lanes> {
    search: &'a mut LaneSearch<V>,
    elapsed: &'a dyn Fn() -> Duration,
    puzzles: &'a [Grid],
    limits: &'a Limits,
    branching: Branching,
    stop: &'a StopFlag,
    rows: AnswerRows<'a>,
}

impl<V: Lanes> Work<V> for SearchCall<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run(mut self, _: V::Token) {
        self.search.run(self.elapsed, self.puzzles, self.limits, self.branching, self.stop, &mut self.rows);
    }
}

impl<V: Lanes> BatchSolver for LaneSolver<V> {
    fn solve(&mut self, puzzles: &[Grid], limits: &Limits, answers: &mut Answers) {
        for puzzles in puzzles.chunks(MOST_PUZZLES) {
            let start = answers.len();
            let started = Instant::now();
            self.count_in_lanes(&|| started.elapsed(), puzzles, limits, answers);
            if limits.wanted == Wanted::Smallest {
                self.descend(puzzles, limits, answers, start);
            }
        }
    }

    fn stop_on(&mut self, flag: Arc<AtomicBool>) {
        self.stop = StopFlag::new(flag);
        self.scalar.stop_by(self.stop.clone());
    }
}
