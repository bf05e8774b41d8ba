//! What one task does with one chunk: parse, solve, check, serialise.

use std::time::Instant;

use super::reader::Numbered;
use super::{EngineOptions, Tap};
use crate::check;
use crate::grid::{Case, Grid};
use crate::input::{Kind, Layout};
use crate::output::{Row, RowFormat, Status};
use crate::record::{Fault, Records, Want};
use crate::solver::{Backend, BatchSolver, Outcome, Verdict, sudominoku};
use crate::stats::Stats;

/// What a task needs besides the chunk; kept from chunk to chunk for the sake of its buffers.
pub(super) struct Workbench {
    solver: Box<dyn BatchSolver>,
    records: Records,
    puzzles: Vec<Grid>,
    outcomes: Vec<Outcome>,
}

/// What a chunk is answered into.
#[derive(Default)]
pub(super) struct Buffers {
    /// For the output.
    pub rows: Vec<u8>,
    /// For the tap.
    pub notes: Vec<u8>,
}

/// What is known of a chunk besides its rows.
pub(super) struct Answered {
    pub stats: Stats,
    /// The last row is an invalid one, and the run is to end there.
    pub strict_stop: bool,
}

impl Workbench {
    pub fn new(backend: Backend) -> Self {
        Self {
            solver: backend.solver(),
            records: Records::default(),
            puzzles: Vec::new(),
            outcomes: Vec::new(),
        }
    }

    /// Answers every record of a chunk, in order, and appends what is to be written to `buffers`.
    pub fn answer(
        &mut self,
        numbered: &Numbered,
        options: &EngineOptions,
        format: &dyn RowFormat,
        tap: Option<&dyn Tap>,
        buffers: &mut Buffers,
    ) -> Answered {
        self.parse(numbered, options.strict);
        self.outcomes.clear();
        self.solver.solve(&self.puzzles, &options.limits, &mut self.outcomes);
        let mut stats = Stats::new();
        let mut strict_stop = false;
        let records = &self.records;
        let mut batch = self.puzzles.iter().zip(&self.outcomes);
        for (row, index) in (0..records.len()).zip(0..) {
            let (line, layout) = (records.lines()[row], records.layouts()[row]);
            let outcome;
            let (puzzle, finding, error) = if let Some(fault) = records.faults().get(row) {
                (None, Finding::INVALID, Some(fault.to_string()))
            } else if let Some(case) = records.cases().get(row) {
                outcome = solve_case(case, options);
                let finding = Finding::new(&outcome, |solution| check::sudominoku(case, solution));
                (Some(&records.puzzles()[row]), finding, None)
            } else {
                let (puzzle, outcome) = batch.next().expect("the solver gives an outcome for each puzzle");
                let finding = Finding::new(outcome, |solution| check::sudoku(puzzle, solution));
                let error = match finding.status {
                    Status::Unsolvable => clash_error(numbered, records, row, puzzle),
                    _ => None,
                };
                (Some(puzzle), finding, error)
            };
            let finding = if error.is_some() { Finding::INVALID } else { finding };
            let row = Row {
                id: numbered.first_id + index,
                source: &numbered.chunk.source.name,
                number: numbered.chunk.position.records + index + 1,
                line,
                kind: if layout == Layout::Case { Kind::Sudominoku } else { Kind::Sudoku },
                layout,
                status: finding.status,
                solutions: finding.solutions,
                guesses: finding.guesses,
                time_ns: finding.time_ns,
                puzzle,
                solution: finding.solution,
                error: error.as_deref().or(finding.error),
            };
            stats.add(&row);
            format.row(&row, &mut buffers.rows);
            if let Some(tap) = tap {
                tap.note(&row, &mut buffers.notes);
            }
            if options.strict && row.status == Status::Invalid {
                strict_stop = true;
                break;
            }
        }
        Answered { stats, strict_stop }
    }

    /// Reads the records, up to the first invalid one if that is to be the last; sudokus go to the solver.
    fn parse(&mut self, numbered: &Numbered, strict: bool) {
        let records = &mut self.records;
        numbered.chunk.read(Want::default(), records);
        let first = records.faults().iter().next().map(|(row, _)| row);
        if let Some(first) = first.filter(|_| strict) {
            records.truncate(first + 1);
        }
        self.puzzles.clear();
        self.puzzles.extend(
            (0..records.len()).filter(|&row| records.is_sudoku(row)).map(|row| records.puzzles()[row]),
        );
    }
}

/// An outcome once the verifier has seen it.
struct Finding<'a> {
    status: Status,
    solutions: u64,
    guesses: u64,
    time_ns: u64,
    solution: Option<&'a Grid>,
    error: Option<&'static str>,
}

impl<'a> Finding<'a> {
    const INVALID: Self =
        Self { status: Status::Invalid, solutions: 0, guesses: 0, time_ns: 0, solution: None, error: None };

    /// What to report of `outcome`, given the verifier's word on its solution.
    fn new(outcome: &'a Outcome, is_right: impl Fn(&Grid) -> bool) -> Self {
        let (status, error) = match (outcome.verdict, &outcome.solution) {
            (Verdict::Unsolvable, None) => (Status::Unsolvable, None),
            (Verdict::Unfinished, None) => (Status::Unfinished, None),
            (verdict, Some(solution)) if is_right(solution) => match verdict {
                Verdict::Unique => (Status::Unique, None),
                Verdict::Multiple => (Status::Multiple, None),
                Verdict::Solved => (Status::Solved, None),
                Verdict::Unsolvable | Verdict::Unfinished => {
                    (Status::InternalError, Some("the solver denies a solution that it gives"))
                }
            },
            (_, Some(_)) => (Status::InternalError, Some("the solution failed the independent check")),
            (_, None) => (Status::InternalError, Some("the solver claims a solution and gives none")),
        };
        Self {
            status,
            solutions: outcome.solutions,
            guesses: outcome.guesses,
            time_ns: outcome.time_ns,
            solution: outcome.solution.as_ref().filter(|_| error.is_none()),
            error,
        }
    }
}

/// Solves a Sudominoku case, by the clock.
fn solve_case(case: &Case, options: &EngineOptions) -> Outcome {
    let before = Instant::now();
    let mut outcome = sudominoku::solve(case, &options.limits);
    outcome.time_ns = u64::try_from(before.elapsed().as_nanos()).unwrap_or(u64::MAX);
    outcome
}

/// The error of a sudoku whose clues clash; `None` if they do not.
#[cold]
fn clash_error(numbered: &Numbered, records: &Records, row: usize, puzzle: &Grid) -> Option<String> {
    let clash = check::clash(puzzle)?;
    let [first, second] = clash.cells.map(|cell| numbered.chunk.place(records, row, cell));
    Some(Fault::clash(clash.digit, first, second, clash.house).to_string())
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
            let finding = Finding::new(&outcome, |_| false);
            assert_eq!((finding.status, finding.solution), (Status::InternalError, None));
            assert!(finding.error.is_some());
        }
    }

    #[test]
    fn a_verdict_that_its_solution_contradicts_is_an_internal_error() {
        for verdict in [Verdict::Unsolvable, Verdict::Unfinished] {
            let outcome = outcome(verdict, Some(Grid::EMPTY));
            let finding = Finding::new(&outcome, |_| true);
            assert_eq!((finding.status, finding.solution), (Status::InternalError, None));
        }
        let outcome = outcome(Verdict::Unique, None);
        let finding = Finding::new(&outcome, |_| true);
        assert_eq!(finding.status, Status::InternalError);
    }

    #[test]
    fn a_checked_solution_is_given() {
        let outcome = outcome(Verdict::Unique, Some(Grid::EMPTY));
        let finding = Finding::new(&outcome, |_| true);
        assert_eq!((finding.status, finding.solution), (Status::Unique, Some(&Grid::EMPTY)));
    }
}
