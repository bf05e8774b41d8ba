//! The search that jobs share: the sudokus of a batch side by side, its Sudominoku cases one by one.

use std::time::Instant;

use crate::input::Batch;
use crate::record::{Fault, FaultKind, Records};
use crate::solver::{Backend, BatchSolver, Defect, Limits, Outcome, sudominoku};
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
    limits: Limits,
    /// The sudokus among the records, where those are not all.
    gathered: Vec<Grid>,
    outcomes: Vec<Outcome>,
}

impl Searcher {
    /// A searcher of one thread.
    pub fn new(options: SearchOptions) -> Self {
        let solver = options.backend.solver();
        Self { solver, limits: options.limits, gathered: Vec::new(), outcomes: Vec::new() }
    }

    /// Searches all sudokus of a batch that could be read; their outcomes come in the order of the records.
    pub fn sudokus(&mut self, records: &Records) -> &[Outcome] {
        if records.all_sudokus() {
            return self.grids(records.puzzles());
        }
        self.gathered.clear();
        let sudokus = (0..records.len()).filter(|&row| records.is_sudoku(row));
        self.gathered.extend(sudokus.map(|row| records.puzzles()[row]));
        self.outcomes.clear();
        self.solver.solve(&self.gathered, &self.limits, &mut self.outcomes);
        &self.outcomes
    }

    /// Searches any grids.
    pub fn grids(&mut self, grids: &[Grid]) -> &[Outcome] {
        self.outcomes.clear();
        self.solver.solve(grids, &self.limits, &mut self.outcomes);
        &self.outcomes
    }
}

/// Searches a Sudominoku case, by the clock.
pub fn search_case(case: &Case, limits: &Limits) -> Outcome {
    let before = Instant::now();
    let mut outcome = sudominoku::solve(case, limits);
    outcome.time_ns = u64::try_from(before.elapsed().as_nanos()).unwrap_or(u64::MAX);
    outcome
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
