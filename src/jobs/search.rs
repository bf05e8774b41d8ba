//! The search that jobs share: the sudokus of a batch side by side, its Sudominoku cases one by one.

use std::time::Instant;

use crate::input::Batch;
use crate::record::FaultKind;
use crate::record::{Fault, Records};
use crate::solver::{Backend, BatchSolver, Limits, Outcome, Verdict, sudominoku};
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

/// The solution of an outcome if there is one and the verifier accepts it; otherwise what is wrong with the outcome.
///
/// # Errors
///
/// When verdict and solution contradict each other, or the verifier refuses the solution.
pub fn checked(outcome: &Outcome, is_right: impl FnOnce(&Grid) -> bool) -> Result<Option<&Grid>, FaultKind> {
    match (outcome.verdict, &outcome.solution) {
        (Verdict::InternalError, _) => Err(FaultKind::FailedCheck),
        (Verdict::Unsolvable | Verdict::Unfinished, None) => Ok(None),
        (Verdict::Unsolvable | Verdict::Unfinished, Some(_)) => Err(FaultKind::DeniedSolution),
        (_, Some(solution)) if is_right(solution) => Ok(Some(solution)),
        (_, Some(_)) => Err(FaultKind::FailedCheck),
        (_, None) => Err(FaultKind::MissingSolution),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(verdict: Verdict, solution: Option<Grid>) -> Outcome {
        Outcome { verdict, solutions: 1, guesses: 7, time_ns: 9, solution }
    }

    #[test]
    fn a_solution_that_fails_the_check_is_never_given() {
        for verdict in [Verdict::Unique, Verdict::Multiple, Verdict::Solved] {
            let outcome = outcome(verdict, Some(Grid::EMPTY));
            assert_eq!(checked(&outcome, |_| false), Err(FaultKind::FailedCheck));
        }
    }

    #[test]
    fn a_verdict_that_its_solution_contradicts_is_an_internal_error() {
        for verdict in [Verdict::Unsolvable, Verdict::Unfinished] {
            let outcome = outcome(verdict, Some(Grid::EMPTY));
            assert_eq!(checked(&outcome, |_| true), Err(FaultKind::DeniedSolution));
        }
        assert_eq!(checked(&outcome(Verdict::Unique, None), |_| true), Err(FaultKind::MissingSolution));
    }

    #[test]
    fn a_checked_solution_is_given() {
        let outcome = outcome(Verdict::Unique, Some(Grid::EMPTY));
        assert_eq!(checked(&outcome, |_| true), Ok(Some(&Grid::EMPTY)));
    }
}
