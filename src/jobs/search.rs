//! The search that jobs share: the sudokus of a batch side by side, its Sudominoku cases one by one.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::input::Batch;
use crate::record::{Fault, FaultKind, Records};
use crate::solver::{Answers, Backend, BatchSolver, Defect, Limits, Outcome, StopFlag, Verdict, sudominoku};
use crate::sudoku::verifier;
use crate::sudoku::{Case, Grid};

/// How puzzles are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOptions {
    /// The engine for sudokus.
    pub backend: Backend,
    /// How far each search goes.
    pub limits: Limits,
}

/// A solver and the memory of a thread.
pub struct Searcher {
    solver: Box<dyn BatchSolver>,
    stop: StopFlag,
    limits: Limits,
    /// The sudokus among the records, where those are not all, and what was found out of them.
    gathered: Vec<Grid>,
    scattered: Answers,
}

impl Searcher {
    /// A searcher of one thread, whose searches end once the flag is raised.
    pub fn new(options: SearchOptions, stop: Arc<AtomicBool>) -> Self {
        let mut solver = options.backend.solver();
        solver.stop_on(Arc::clone(&stop));
        let stop = StopFlag::new(stop);
        Self { solver, stop, limits: options.limits, gathered: Vec::new(), scattered: Answers::default() }
    }

    /// Searches all sudokus of a batch; `answers` gets a row for each record, blank where the record is none.
    pub fn sudokus(&mut self, records: &Records, answers: &mut Answers) {
        answers.clear();
        if records.all_sudokus() {
            return self.grids(records.puzzles(), answers);
        }
        let rows = (0..records.len()).filter(|&row| records.is_sudoku(row));
        self.gathered.clear();
        self.gathered.extend(rows.clone().map(|row| records.puzzles()[row]));
        self.scattered.clear();
        self.solver.solve(&self.gathered, &self.limits, &mut self.scattered);
        answers.push_blank(records.len(), Verdict::Unsolvable);
        for (row, outcome) in rows.zip(self.scattered.iter()) {
            answers.set(row, outcome);
        }
    }

    /// Searches any grids.
    pub fn grids(&mut self, grids: &[Grid], answers: &mut Answers) {
        self.solver.solve(grids, &self.limits, answers);
    }

    /// Searches a Sudominoku case, by the clock.
    pub fn case(&self, case: &Case) -> Outcome {
        let before = Instant::now();
        let mut outcome = sudominoku::solve_until(case, &self.limits, &self.stop);
        outcome.time_ns = u64::try_from(before.elapsed().as_nanos()).unwrap_or(u64::MAX);
        outcome
    }
}

/// How many rows come before the first whose search was stopped; all if none was.
pub fn rows_answered(answers: &Answers) -> usize {
    let stopped = answers.verdicts().iter().position(|&verdict| verdict == Verdict::Stopped);
    stopped.unwrap_or(answers.len())
}

/// What a row says of a defect of the solver.
pub const fn fault_of(defect: Defect) -> FaultKind {
    match defect {
        Defect::FailedCheck => FaultKind::FailedCheck,
        Defect::DeniedSolution => FaultKind::DeniedSolution,
        Defect::MissingSolution => FaultKind::MissingSolution,
    }
}

/// Why the sudoku in a row has no solution, if that is because two of its clues clash.
///
/// Clashes are looked for after the fact: only what the solver found unsolvable, at no extra cost, can have one.
#[cold]
pub fn clash(batch: &Batch, records: &Records, row: usize) -> Option<Fault> {
    let clash = verifier::clash(&records.puzzles()[row])?;
    let [first, second] = clash.cells.map(|cell| batch.place(records, row, cell));
    Some(Fault::clash(clash.digit, first, second, clash.house))
}
