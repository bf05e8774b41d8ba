//! Solve: finds the number of solutions of each puzzle, and one solution.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::search::{SearchOptions, Searcher, Settled, clash, fault_of, refused_variant, rows_answered};
use super::{INTERNAL_ERROR, INVALID, Job, JobEntry, ReadBatch, Then, UNFINISHED};
use crate::record::{Class, Fault, Field, Label, Records, Role, Schema, Severity, Sparse, Table, Type};
use crate::solver::{Answers, Outcome, Verdict};
use crate::sudoku::{Grid, verifier};

statuses! {
    Unique = Label::new("unique", "proven to have exactly one solution", Severity::Answered),
    Multiple = Label::new("multiple", "several solutions; the row gives the smallest as an 81-digit number, or the first one found with --solution any", Severity::Answered),
    Solved = Label::new("solved", "a solution was found; with --limit 1 the search stops there", Severity::Answered),
    Unsolvable = Label::new("unsolvable", "proven to have no solution", Severity::Unanswered),
    Unfinished = UNFINISHED,
    Invalid = INVALID,
    InternalError = INTERNAL_ERROR,
}

const SOLUTIONS: Field =
    Field::result("solutions", Type::Number, "number of solutions found, at most --limit");

/// The solution that was found.
pub(super) const SOLUTION: Field =
    Field::result("solution", Type::Grid, "the solution: 81 digits, verified").with_role(Role::Solution);

/// The columns that follow the origin columns.
const FIELDS: &[Field] = &[
    Field::STATUS,
    SOLUTIONS,
    Field::CLUES,
    Field::GUESSES,
    Field::TIME,
    Field::PUZZLE,
    SOLUTION,
    Field::ERROR,
];

/// The job's entry in the list of jobs.
pub const ENTRY: JobEntry = JobEntry { name: "solve", has_origin: true, fields: FIELDS, statuses: STATUSES };

/// The job that solves every puzzle.
#[derive(Debug)]
pub struct Solve {
    options: SearchOptions,
    recheck: bool,
    /// The reason why puzzles other than sudokus are invalid; `None` if they are valid.
    sudokus_only: Option<fn(&str) -> String>,
    schema: Schema,
}

impl Solve {
    /// Creates a job with these options, with or without the time column.
    #[must_use]
    pub fn new(options: SearchOptions, times: bool) -> Self {
        Self { options, recheck: false, sudokus_only: None, schema: Schema::new(FIELDS, STATUSES, times) }
    }

    /// Sets whether the scalar solver recounts the solutions of unique and unsolvable puzzles.
    #[must_use]
    pub fn with_recheck(self, recheck: bool) -> Self {
        Self { recheck, ..self }
    }

    /// Makes variants invalid; `why` builds the reason from the parts of a variant that a grid lacks.
    #[must_use]
    pub fn sudokus_only(self, why: fn(&str) -> String) -> Self {
        Self { sudokus_only: Some(why), ..self }
    }

    /// Makes all columns internal, so none are written.
    #[must_use]
    pub fn unwritten(mut self) -> Self {
        self.schema.fields.iter_mut().for_each(|field| field.class = Class::Internal);
        self
    }
}

/// The state of one thread.
pub struct SolveWorker {
    pub(super) searcher: Searcher,
    pub(crate) solved: Solved,
}

impl SolveWorker {
    /// Creates the state of a thread that uses this searcher.
    pub(super) fn new(searcher: Searcher) -> Self {
        Self { searcher, solved: Solved::default() }
    }
}

/// The answers to a batch's records.
#[derive(Debug, Default)]
pub struct Solved {
    /// The answer to each record, which is blank if the record was not searched.
    pub(super) found: Answers,
    statuses: Vec<Status>,
    faults: Sparse<Fault>,
}

/// The status and fault of a record that does not have exactly one solution.
pub(super) type Unsolved = (Status, Option<Fault>);

impl Solved {
    /// Returns the status of a record.
    pub(crate) fn status(&self, row: usize) -> Status {
        self.statuses[row]
    }

    /// Returns the fault of a record, if any.
    pub(super) fn fault(&self, row: usize) -> Option<&Fault> {
        self.faults.get(row)
    }

    /// Returns the solution of a record that has exactly one solution.
    pub(super) fn only_solution(&self, row: usize) -> Result<&Grid, Unsolved> {
        match (self.status(row), &self.found.solutions()[row]) {
            (Status::Unique, Some(solution)) => Ok(solution),
            (status, _) => Err((status, self.fault(row).cloned())),
        }
    }

    /// Adds the status of a record whose answer has been settled.
    #[inline]
    fn push(&mut self, row: usize, settled: Settled, corrected: &mut Sparse<Fault>) {
        match settled {
            Settled::Accepted => {}
            Settled::Corrected(fault) => corrected.push(row, fault),
            Settled::Refused(fault) => self.faults.push(row, fault),
        }
        self.statuses.push(match self.found.verdicts()[row] {
            Verdict::Unique => Status::Unique,
            Verdict::Multiple => Status::Multiple,
            Verdict::Solved => Status::Solved,
            Verdict::Unsolvable => Status::Unsolvable,
            // Rows starting from the first stopped one are not written.
            Verdict::Unfinished | Verdict::Stopped => Status::Unfinished,
            Verdict::InternalError => Status::InternalError,
        });
    }

    /// Adds a record that cannot be read or whose clues clash.
    #[cold]
    fn push_invalid(&mut self, row: usize, fault: Fault) {
        self.found.set(row, Outcome::new(Verdict::Unsolvable));
        self.faults.push(row, fault);
        self.statuses.push(Status::Invalid);
    }

    /// Moves all answers to a table.
    pub(crate) fn move_to(&mut self, table: &mut Table) {
        table.rows(self.statuses.drain(..));
        let found = &mut self.found;
        table.take_numbers(&SOLUTIONS, &mut found.counts, None);
        table.take_numbers(&Field::GUESSES, &mut found.guesses, None);
        table.take_numbers(&Field::TIME, &mut found.times_ns, None);
        table.take_grids(&SOLUTION, &mut found.solutions);
        table.take_errors(&mut self.faults);
    }
}

impl Solve {
    /// Returns the reason why a record is not searched, or `None` if it is.
    fn refusal(&self, records: &Records, row: usize) -> Option<Fault> {
        let fault = records.faults().get(row).cloned();
        fault.or_else(|| refused_variant(records, row, self.sudokus_only?))
    }

    /// Solves a batch's records. Returns the number of records that precede the first one whose search was stopped. If
    /// the scalar solver replaces an answer, its fault goes to the table.
    pub(crate) fn search(&self, worker: &mut SolveWorker, read: ReadBatch<'_>, table: &mut Table) -> usize {
        let records = read.records;
        let SolveWorker { searcher, solved } = worker;
        let corrected = &mut table.corrected;
        solved.statuses.clear();
        solved.faults.clear();
        searcher.sudokus(records, &mut solved.found);
        for (row, puzzle) in records.puzzles().iter().enumerate() {
            let settled = if records.is_sudoku(row) {
                searcher.settle(puzzle, row, &mut solved.found, |found| {
                    found.check(row, |solution| verifier::sudoku(puzzle, solution)).err().map(fault_of)
                })
            } else if let Some(fault) = self.refusal(records, row) {
                solved.push_invalid(row, fault);
                continue;
            } else if let Some(puzzle) = records.variants().get(row) {
                searcher.settle_variant(&**puzzle, row, &mut solved.found, |found| {
                    found.check(row, |solution| puzzle.refusal(solution).is_none()).err().map(fault_of)
                })
            } else {
                continue;
            };
            if solved.found.verdicts()[row] == Verdict::Unsolvable
                && let Some(fault) = clash(read, row)
            {
                solved.push_invalid(row, fault);
            } else {
                solved.push(row, settled, corrected);
            }
        }
        rows_answered(&solved.found)
    }
}

impl Job for Solve {
    type Worker = SolveWorker;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn worker(&self, stop: Arc<AtomicBool>) -> SolveWorker {
        SolveWorker::new(Searcher::new(self.options, self.recheck, stop))
    }

    fn answer(&self, worker: &mut SolveWorker, read: ReadBatch<'_>, table: &mut Table) -> Then {
        let rows = self.search(worker, read, table);
        worker.solved.move_to(table);
        table.truncate(rows);
        Then::after(rows, read.records)
    }
}
