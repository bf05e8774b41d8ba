//! Solve: how many solutions does each puzzle have, and which one?

use super::search::{SearchOptions, Searcher, clash, fault_of, search_case};
use super::{INTERNAL_ERROR, INVALID, Job, JobEntry, RowRead, UNFINISHED};
use crate::input::Batch;
use crate::record::{Column, Fault, Field, Records, Role, Schema, Sparse, Type, Weight, Word};
use crate::solver::{Defect, Outcome, Verdict};
use crate::sudoku::Grid;
use crate::sudoku::verifier;

statuses! {
    Unique = Word::new("unique", "exactly one solution, proven", Weight::Answered),
    Multiple = Word::new("multiple", "several; the one given is the smallest as an 81-digit number", Weight::Answered),
    Solved = Word::new("solved", "with --limit 1: a solution; others were not looked for", Weight::Answered),
    Unsolvable = Word::new("unsolvable", "none, proven", Weight::Unanswered),
    Unfinished = UNFINISHED,
    Invalid = INVALID,
    InternalError = INTERNAL_ERROR,
}

/// The columns behind those of the origin.
const FIELDS: &[Field] = &[
    Field::result("status", Type::Word, "what came out").with_role(Role::Status),
    Field::result("solutions", Type::Number, "solutions found, at most --limit"),
    Field::CLUES,
    Field::GUESSES,
    Field::TIME,
    Field::PUZZLE,
    Field::result("solution", Type::Grid, "81 digits, checked").with_role(Role::Solution),
    Field::ERROR,
];

/// The job as a user finds it.
pub const ENTRY: JobEntry = JobEntry { name: "solve", fields: FIELDS, statuses: STATUSES, agrees };

/// An answer has a solution, and as many as its status says; every row says what its search cost.
fn agrees(row: &RowRead<'_>) -> Result<(), String> {
    if !row.searched {
        return Err("without guesses".to_owned());
    }
    let counts = match Status::of(row.status) {
        Status::Unique => 1..=1,
        Status::Multiple => 2..=u64::MAX,
        Status::Solved => 1..=u64::MAX,
        Status::Unsolvable | Status::Unfinished | Status::Invalid | Status::InternalError => return Ok(()),
    };
    row.is_answered()?;
    match row.solutions {
        Some(count) if !counts.contains(&count) => Err(format!("with {count} in column solutions")),
        _ => Ok(()),
    }
}

/// Solves every puzzle.
#[derive(Debug)]
pub struct Solve {
    options: SearchOptions,
    schema: Schema,
}

impl Solve {
    /// The job, with or without the column of times.
    #[must_use]
    pub fn new(options: SearchOptions, times: bool) -> Self {
        Self { options, schema: Schema::new(FIELDS, STATUSES, times) }
    }
}

/// The columns of [`FIELDS`] that are not the records' own.
#[derive(Debug, Default)]
pub struct SolveAnswers {
    statuses: Vec<u8>,
    solutions: Vec<u64>,
    clues: Vec<u8>,
    guesses: Vec<u64>,
    times: Vec<u64>,
    grids: Vec<Grid>,
    solved: Vec<bool>,
    faults: Sparse<Fault>,
}

impl SolveAnswers {
    fn clear(&mut self, rows: usize) {
        self.statuses.clear();
        self.solutions.clear();
        self.clues.clear();
        self.guesses.clear();
        self.times.clear();
        self.grids.clear();
        self.solved.clear();
        self.faults.clear();
        self.statuses.reserve(rows);
        self.grids.reserve(rows);
    }

    /// Adds a row for an outcome that the verifier has seen.
    #[inline]
    fn push(&mut self, outcome: &Outcome, checked: Result<Option<&Grid>, Defect>) {
        let status = match checked {
            Ok(_) => match outcome.verdict {
                Verdict::Unique => Status::Unique,
                Verdict::Multiple => Status::Multiple,
                Verdict::Solved => Status::Solved,
                Verdict::Unsolvable => Status::Unsolvable,
                Verdict::Unfinished => Status::Unfinished,
                Verdict::InternalError => Status::InternalError,
            },
            Err(defect) => {
                self.faults.push(self.statuses.len(), Fault::new(fault_of(defect), None));
                Status::InternalError
            }
        };
        let solution = checked.unwrap_or(None);
        self.statuses.push(status as u8);
        self.solutions.push(outcome.solutions);
        self.guesses.push(outcome.guesses);
        self.times.push(outcome.time_ns);
        self.grids.push(solution.copied().unwrap_or(Grid::EMPTY));
        self.solved.push(solution.is_some());
    }

    /// Adds a row for a record that no solver was asked about, or whose clues clash.
    #[cold]
    fn push_invalid(&mut self, fault: Fault) {
        self.faults.push(self.statuses.len(), fault);
        self.statuses.push(Status::Invalid as u8);
        self.solutions.push(0);
        self.guesses.push(0);
        self.times.push(0);
        self.grids.push(Grid::EMPTY);
        self.solved.push(false);
    }
}

impl Job for Solve {
    type Worker = Searcher;
    type Answers = SolveAnswers;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn worker(&self) -> Searcher {
        Searcher::new(self.options)
    }

    fn answer(&self, worker: &mut Searcher, batch: &Batch, records: &Records, answers: &mut SolveAnswers) {
        answers.clear(records.len());
        answers.clues.extend(records.puzzles().iter().map(|puzzle| puzzle.clues() as u8));
        let mut outcomes = worker.sudokus(records).iter();
        for (row, puzzle) in records.puzzles().iter().enumerate() {
            if records.is_sudoku(row) {
                let outcome = outcomes.next().expect("the solver gives an outcome for each sudoku");
                if outcome.verdict == Verdict::Unsolvable
                    && let Some(fault) = clash(batch, records, row)
                {
                    answers.push_invalid(fault);
                } else {
                    answers.push(outcome, outcome.checked(|solution| verifier::sudoku(puzzle, solution)));
                }
            } else if let Some(case) = records.cases().get(row) {
                let outcome = search_case(case, &self.options.limits);
                answers.push(&outcome, outcome.checked(|solution| verifier::sudominoku(case, solution)));
            } else if let Some(fault) = records.faults().get(row) {
                answers.push_invalid(fault.clone());
            }
        }
    }

    fn columns<'a>(&self, records: &'a Records, answers: &'a SolveAnswers) -> Vec<Column<'a>> {
        vec![
            Column::Words(&answers.statuses, STATUSES),
            Column::Numbers(&answers.solutions),
            Column::SmallNumbers(&answers.clues, records.readable()),
            Column::Numbers(&answers.guesses),
            Column::Numbers(&answers.times),
            Column::Grids(records.puzzles(), records.readable()),
            Column::Grids(&answers.grids, &answers.solved),
            Column::Faults(&answers.faults),
        ]
    }
}
