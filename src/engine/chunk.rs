//! What one task does with one chunk: parse, solve, check, serialise.

use std::time::Instant;

use super::reader::Numbered;
use super::{EngineOptions, Tap};
use crate::check;
use crate::grid::{Case, Grid};
use crate::input::{Body, Fault, Kind, Layout, Place, Record};
use crate::output::{Row, RowFormat, Status};
use crate::solver::{Backend, BatchSolver, Outcome, Verdict, sudominoku};
use crate::stats::Stats;

/// What a task needs besides the chunk; kept from chunk to chunk for the sake of its buffers.
pub(super) struct Workbench {
    solver: Box<dyn BatchSolver>,
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

/// A record without its puzzle, which waits in the batch.
struct Head<'a> {
    line: u64,
    text: &'a [u8],
    layout: Layout,
    body: HeadBody,
}

enum HeadBody {
    /// The next puzzle of the batch.
    Sudoku,
    Sudominoku(Box<Case>),
    Invalid(Fault),
}

impl Workbench {
    pub fn new(backend: Backend) -> Self {
        Self { solver: backend.solver(), puzzles: Vec::new(), outcomes: Vec::new() }
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
        let heads = self.parse(numbered, options.strict);
        self.outcomes.clear();
        self.solver.solve(&self.puzzles, &options.limits, &mut self.outcomes);
        let mut stats = Stats::new();
        let mut strict_stop = false;
        let mut batch = self.puzzles.iter().zip(&self.outcomes);
        for (index, head) in (0..).zip(&heads) {
            let (givens, outcome);
            let (puzzle, finding, error) = match &head.body {
                HeadBody::Sudoku => {
                    let (puzzle, outcome) =
                        batch.next().expect("the solver gives an outcome for each puzzle");
                    let finding = Finding::new(outcome, |solution| check::sudoku(puzzle, solution));
                    let error = match finding.status {
                        Status::Unsolvable => clash_error(numbered, head, puzzle),
                        _ => None,
                    };
                    (Some(puzzle), finding, error)
                }
                HeadBody::Sudominoku(case) => {
                    outcome = solve_case(case, options);
                    givens = case.givens();
                    let finding = Finding::new(&outcome, |solution| check::sudominoku(case, solution));
                    (Some(&givens), finding, None)
                }
                HeadBody::Invalid(Fault { place, reason }) => {
                    (None, Finding::INVALID, Some(error_text(*place, reason)))
                }
            };
            let finding = if error.is_some() { Finding::INVALID } else { finding };
            let row = Row {
                id: numbered.first_id + index,
                source: &numbered.chunk.source.name,
                number: numbered.chunk.first_record + index + 1,
                line: head.line,
                kind: if head.layout == Layout::Case { Kind::Sudominoku } else { Kind::Sudoku },
                layout: head.layout,
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

    /// Reads the records, up to the first invalid one if that is to be the last; sudokus go to the batch.
    fn parse<'a>(&mut self, numbered: &'a Numbered, strict: bool) -> Vec<Head<'a>> {
        self.puzzles.clear();
        let mut heads = Vec::with_capacity(usize::try_from(numbered.chunk.records).unwrap_or(0));
        let mut ended = false;
        numbered.chunk.for_each(|Record { line, text, layout, body }| {
            if ended {
                return;
            }
            let body = match body {
                Body::Sudoku(grid) => {
                    self.puzzles.push(grid);
                    HeadBody::Sudoku
                }
                Body::Sudominoku(case) => HeadBody::Sudominoku(case),
                Body::Invalid(fault) => {
                    ended = strict;
                    HeadBody::Invalid(fault)
                }
            };
            heads.push(Head { line, text, layout, body });
        });
        heads
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
                Verdict::Unsolvable | Verdict::Unfinished | Verdict::InternalError => {
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
fn clash_error(numbered: &Numbered, head: &Head<'_>, puzzle: &Grid) -> Option<String> {
    let clash = check::clash(puzzle)?;
    let record =
        Record { line: head.line, text: head.text, layout: head.layout, body: Body::Sudoku(*puzzle) };
    let [first, second] = clash.cells.map(|cell| numbered.chunk.place_of(&record, cell));
    let reason = format!(
        "clue {} repeats that of line {}, column {} in the same {}",
        clash.digit, first.line, first.column, clash.house
    );
    Some(error_text(second, &reason))
}

fn error_text(place: Place, reason: &str) -> String {
    format!("line {}, column {}: {reason}", place.line, place.column)
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
