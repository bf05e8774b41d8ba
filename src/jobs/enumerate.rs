//! Enumerate: lists every solution of every puzzle in ascending order, one row each.
//!
//! First, [`Solve`] works out in parallel which puzzles in a batch have one solution or none. The solutions of all
//! other puzzles are then listed page by page, so a puzzle with billions of solutions needs no extra memory. A record
//! without a solution gets one row that gives the reason.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::solutions::{self, Solutions};
use super::solve::{self, SOLUTION, Solve, SolveWorker};
use super::{INTERNAL_ERROR, INVALID, Job, JobEntry, ReadBatch, SearchOptions, Then};
use crate::record::{Class, Fault, FaultKind, Field, Label, Records, Row, Schema, Severity, Table, Type};
use crate::solver::{Backend, Limits, Wanted};

/// The size of a batch in bytes: a few hundred puzzles, since each can have many rows.
pub const BATCH_BYTES: usize = 16 << 10;

/// The maximum number of rows on a page. All batches in progress must fit in memory, yet there must be room for dozens
/// of solutions per puzzle to be listed in parallel.
const MOST_ROWS: usize = 1 << 14;

/// How many rows a variant's solution counts as: many, because each takes milliseconds to find.
const ROWS_PER_VARIANT_ROW: usize = 1 << 6;

statuses! {
    Unique = Label::new("unique", "proven to be the only solution", Severity::Answered),
    Multiple = Label::new("multiple", "one of several solutions", Severity::Answered),
    Unsolvable = Label::new("unsolvable", "proven to have no solution", Severity::Unanswered),
    Invalid = INVALID,
    InternalError = INTERNAL_ERROR,
}

statuses_of_search!(Unique, Multiple, Unsolvable, Invalid);

const NUMBER: Field =
    Field::result("n", Type::Number, "solution number within the record, from 1; 0 if there is no solution");

/// The columns that follow the origin columns. Some are not written but are used by summaries and reports.
const FIELDS: &[Field] = &[
    Field::STATUS,
    NUMBER,
    Field::CLUES.with_class(Class::Internal),
    Field::GUESSES.with_class(Class::Internal),
    Field::TIME.with_class(Class::Internal),
    Field::PUZZLE.with_class(Class::Internal),
    SOLUTION,
    Field::ERROR,
];

/// The job's entry in the list of jobs.
pub const ENTRY: JobEntry =
    JobEntry { name: "enumerate", has_origin: true, fields: FIELDS, statuses: STATUSES };

/// The job that lists the solutions of every puzzle.
#[derive(Debug)]
pub struct Enumerate {
    solve: Solve,
    limit: u64,
    schema: Schema,
}

impl Enumerate {
    /// Creates a job that lists up to `limit` solutions for each record. The backend determines which puzzles have
    /// several.
    #[must_use]
    pub fn new(backend: Backend, limit: Option<NonZeroU64>) -> Self {
        let search = SearchOptions { backend, limits: Limits::default().with_wanted(Wanted::Any) };
        Self {
            solve: Solve::new(search, false),
            limit: limit.map_or(u64::MAX, NonZeroU64::get),
            schema: Schema::new(FIELDS, STATUSES, false),
        }
    }
}

/// The state of one thread.
pub struct EnumerateWorker {
    solve: SolveWorker,
    stop: Arc<AtomicBool>,
    /// The number of records that precede the first one whose search was stopped.
    solved_rows: usize,
    /// The next record to list, and its remaining solutions if listing has started.
    next: usize,
    open: Option<Open>,
}

impl EnumerateWorker {
    /// Adds the row for a record with one solution or none, and moves on to the next record.
    fn push_single(&mut self, records: &Records, table: &mut Table) {
        let solved = &self.solve.solved;
        let status = solved.status(self.next).into();
        let solution = solved.found.solutions()[self.next];
        let fault = solved.fault(self.next).cloned();
        let mut row = self.row(status, solution.is_some().into(), records, table);
        row.grid(&SOLUTION, solution.as_ref()).error(fault);
        self.end_record();
    }

    /// Adds a row for the current record, filled in except for the solution.
    fn row<'a>(&self, status: Status, number: u64, records: &Records, table: &'a mut Table) -> Row<'a> {
        let (record, found) = (self.next, &self.solve.solved.found);
        let mut row = table.row_of(record, status);
        row.number(&NUMBER, number);
        if let Some(puzzle) = records.puzzle(record) {
            row.number(&Field::CLUES, puzzle.clues().into());
        }
        row.number(&Field::GUESSES, found.guesses()[record]);
        row.number(&Field::TIME, found.times_ns()[record]);
        row.grid(&Field::PUZZLE, records.puzzle(record));
        row
    }

    fn end_record(&mut self) {
        self.next += 1;
        self.open = None;
    }
}

/// The solutions of a record that are still to be listed.
struct Open {
    solutions: Solutions,
    /// The number of solutions listed so far.
    number: u64,
    /// How many rows each solution counts as.
    cost: usize,
}

impl Open {
    fn new(records: &Records, record: usize, stop: &Arc<AtomicBool>) -> Self {
        let (solutions, cost) = match records.variants().get(record) {
            Some(puzzle) => (solutions::of_variant(Arc::clone(puzzle), stop), ROWS_PER_VARIANT_ROW),
            None => (solutions::of_sudoku(records.puzzles()[record], stop), 1),
        };
        Self { solutions, number: 0, cost }
    }
}

impl Job for Enumerate {
    type Worker = EnumerateWorker;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn worker(&self, stop: Arc<AtomicBool>) -> EnumerateWorker {
        let solve = self.solve.worker(Arc::clone(&stop));
        EnumerateWorker { solve, stop, solved_rows: 0, next: 0, open: None }
    }

    fn begin(&self, worker: &mut EnumerateWorker, read: ReadBatch<'_>, table: &mut Table) {
        worker.solved_rows = self.solve.search(&mut worker.solve, read, table);
        (worker.next, worker.open) = (0, None);
    }

    fn answer(&self, worker: &mut EnumerateWorker, read: ReadBatch<'_>, table: &mut Table) -> Then {
        let records = read.records;
        let mut room = MOST_ROWS;
        while worker.next < worker.solved_rows {
            if room == 0 {
                return Then::More;
            }
            let record = worker.next;
            if worker.solve.solved.status(record) != solve::Status::Multiple {
                worker.push_single(records, table);
                room -= 1;
                continue;
            }
            let open = worker.open.get_or_insert_with(|| Open::new(records, record, &worker.stop));
            let solution = if open.number < self.limit { open.solutions.next() } else { None };
            let is_stopped = || open.number < self.limit && worker.stop.load(Ordering::Relaxed);
            match solution {
                Some(Ok(solution)) => {
                    open.number += 1;
                    let (number, cost) = (open.number, open.cost);
                    worker.row(Status::Multiple, number, records, table).grid(&SOLUTION, Some(&solution));
                    room = room.saturating_sub(cost);
                }
                // Once the flag is raised, the list ends even if more solutions exist.
                None if is_stopped() => return Then::Stopped,
                None => worker.end_record(),
                Some(Err(_)) => {
                    let fault = Fault::new(FaultKind::FailedCheck, None);
                    worker.row(Status::InternalError, 0, records, table).error(fault);
                    // Further answers from a solver that gives wrong solutions are worthless.
                    worker.end_record();
                    room -= 1;
                }
            }
        }
        Then::after(worker.solved_rows, records)
    }

    fn has_many_rows(&self) -> bool {
        true
    }
}
