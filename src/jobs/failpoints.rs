//! Solvers that fail on chosen puzzles, and jobs that use them, for testing how defects are handled.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::search::Searcher;
use super::solve::{Solve, SolveWorker};
use super::verify::{Verify, VerifyWorker};
use super::{Job, ReadBatch, SearchOptions, Then};
use crate::record::{Schema, Table, Want};
use crate::solver::{Answers, Backend, BatchSolver, Limits, Outcome, Verdict};
use crate::sudoku::Grid;

/// A way in which a solver fails.
#[derive(Clone, Copy, Debug)]
pub enum Failure {
    /// The solver panics.
    Panic,
    /// The solver gives a wrong answer.
    Answer(fn(&mut Outcome)),
}

impl Failure {
    /// One digit of the solution is wrong.
    pub const WRONG_DIGIT: Self = Self::Answer(|outcome| {
        if let Some(solution) = &mut outcome.solution {
            solution.set(40, solution.get(40) % 9 + 1);
        }
    });
    /// The solver says that there is no solution.
    pub const UNSOLVABLE: Self = Self::Answer(|outcome| {
        (outcome.verdict, outcome.solutions, outcome.solution) = (Verdict::Unsolvable, 0, None);
    });
    /// The solver says that the first solution is the only one.
    pub const UNIQUE: Self = Self::Answer(|outcome| {
        (outcome.verdict, outcome.solutions) = (Verdict::Unique, 1);
    });
    /// The solver gives a verdict but no solution.
    pub const MISSING: Self = Self::Answer(|outcome| outcome.solution = None);
}

/// The puzzles that a solver fails on, with the failure for each.
pub type Failures = Arc<HashMap<Grid, Failure>>;

/// A solver that fails on some puzzles.
struct Faulty {
    solver: Box<dyn BatchSolver>,
    failures: Failures,
}

impl BatchSolver for Faulty {
    fn solve(&mut self, puzzles: &[Grid], limits: &Limits, answers: &mut Answers) {
        let start = answers.len();
        self.solver.solve(puzzles, limits, answers);
        for (row, puzzle) in (start..).zip(puzzles) {
            match self.failures.get(puzzle) {
                None => {}
                Some(Failure::Panic) => panic!("failpoint\n{}", puzzle.clues()),
                Some(Failure::Answer(change)) => {
                    let mut outcome = answers.get(row).expect("a row for each puzzle");
                    change(&mut outcome);
                    answers.set(row, outcome);
                }
            }
        }
    }

    fn stop_on(&mut self, flag: Arc<AtomicBool>) {
        self.solver.stop_on(flag);
    }
}

/// Returns the backend's solver, modified to fail on some puzzles.
pub fn faulty(backend: Backend, failures: &Failures) -> Box<dyn BatchSolver> {
    Box::new(Faulty { solver: backend.solver(), failures: Arc::clone(failures) })
}

/// The search options of a job whose solvers fail.
#[derive(Clone)]
pub struct FaultySearch {
    /// The search options.
    pub search: SearchOptions,
    /// The backend's failures.
    pub failures: Failures,
    /// The failures of the scalar solver that checks the backend.
    pub failures_again: Failures,
}

impl FaultySearch {
    fn searcher(&self, recheck: bool, flag: Arc<AtomicBool>) -> Searcher {
        let mut solver = faulty(self.search.backend, &self.failures);
        solver.stop_on(Arc::clone(&flag));
        let second = faulty(Backend::SCALAR, &self.failures_again);
        Searcher::new(self.search, recheck, flag).with_solvers(solver, second)
    }
}

/// A job with solvers that fail.
pub struct FaultyJob<J: Job> {
    job: J,
    worker: Box<dyn Fn(Arc<AtomicBool>) -> J::Worker + Send + Sync>,
}

impl FaultyJob<Solve> {
    /// Creates a `solve` job that measures no times.
    pub fn solve(search: FaultySearch, recheck: bool) -> Self {
        let job = Solve::new(search.search, false).with_recheck(recheck);
        Self { job, worker: Box::new(move |flag| SolveWorker::new(search.searcher(recheck, flag))) }
    }
}

impl FaultyJob<Verify> {
    /// Creates a `verify` job that measures no times.
    pub fn verify(search: FaultySearch, recheck: bool) -> Self {
        let job = Verify::new(Some(search.search), false).with_recheck(recheck);
        Self { job, worker: Box::new(move |flag| VerifyWorker::new(Some(search.searcher(recheck, flag)))) }
    }
}

impl<J: Job> Job for FaultyJob<J> {
    type Worker = J::Worker;

    fn schema(&self) -> &Schema {
        self.job.schema()
    }

    fn want(&self) -> Want {
        self.job.want()
    }

    fn worker(&self, stop: Arc<AtomicBool>) -> J::Worker {
        (self.worker)(stop)
    }

    fn answer(&self, worker: &mut J::Worker, read: ReadBatch<'_>, table: &mut Table) -> Then {
        self.job.answer(worker, read, table)
    }
}
