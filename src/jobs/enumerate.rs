//! Enumerate: every solution of every puzzle, one row each, in ascending order.
//!
//! [`Solve`] finds which puzzles of a batch have one solution or none, side by side; the solutions of the others are
//! then listed page by page, so that a puzzle with billions needs no more memory than any other. A record without a
//! solution has one row, which says why.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::search::Searcher;
use super::solutions::{self, Solutions};
use super::solve::{MULTIPLE, Solve, SolveAnswers};
use super::{Answered, INTERNAL_ERROR, INVALID, Job, JobEntry, SearchOptions, Then};
use crate::input::Batch;
use crate::record::{
    Class, Column, Fault, FaultKind, Field, Records, Role, Schema, Sparse, Type, Weight, Word,
};
use crate::solver::{Backend, Limits, Wanted};
use crate::sudoku::Grid;

/// Bytes of a batch: a few hundred puzzles, since each may have many rows.
pub const BATCH_BYTES: usize = 16 << 10;

/// Most rows of a page: few enough to hold for each batch in flight, and enough to list batches with dozens of
/// solutions per puzzle in parallel.
const MOST_ROWS: usize = 1 << 14;

/// How many of these a row of a Sudominoku case counts as, since it takes milliseconds to find.
const ROWS_PER_CASE_ROW: usize = 1 << 6;

/// The words of the column `status`, in the order in which summaries list them.
pub const STATUSES: &[Word] = &[
    Word::new("unique", "the only solution, proven", Weight::Answered),
    Word::new(MULTIPLE, "one of several solutions", Weight::Answered),
    Word::new("unsolvable", "there is none, proven", Weight::Unanswered),
    INVALID,
    INTERNAL_ERROR,
];

/// The columns after those of the origin. Some are not written: summaries and reports use them.
const FIELDS: &[Field] = &[
    Field::STATUS,
    Field::result(
        "n",
        Type::Number,
        "number of the solution among those of the record, from 1; 0 if there is none",
    ),
    Field::CLUES.with_class(Class::Internal),
    Field::GUESSES.with_class(Class::Internal),
    Field::TIME.with_class(Class::Internal),
    Field::PUZZLE.with_class(Class::Internal),
    Field::result("solution", Type::Grid, "81 digits, checked").with_role(Role::Solution),
    Field::ERROR,
];

/// The entry in the list of jobs.
pub const ENTRY: JobEntry =
    JobEntry { name: "enumerate", has_origin: true, fields: FIELDS, statuses: STATUSES };

/// Lists the solutions of every puzzle.
#[derive(Debug)]
pub struct Enumerate {
    solve: Solve,
    limit: u64,
    schema: Schema,
}

impl Enumerate {
    /// A job that lists up to `limit` solutions of each record. The backend finds the puzzles with several solutions.
    #[must_use]
    pub fn new(backend: Backend, limit: Option<NonZeroU64>) -> Self {
        let search = SearchOptions { backend, limits: Limits::default().with_wanted(Wanted::Any) };
        Self {
            solve: Solve::new(search, false),
            limit: limit.map_or(u64::MAX, NonZeroU64::get),
            schema: Schema::new(FIELDS, STATUSES, false),
        }
    }

    /// Lists the next page.
    fn list(&self, worker: &EnumerateWorker, records: &Records, answers: &mut EnumerateAnswers) -> Answered {
        let (mut room, mut then) = (MOST_ROWS, Then::Done);
        answers.rows.clear();
        while answers.next < answers.solved_rows {
            if room == 0 {
                then = Then::More;
                break;
            }
            let record = answers.next;
            let word = answers.solved.status(record);
            let (row, cost) = if word.name == MULTIPLE {
                let open = answers.open.get_or_insert_with(|| Open::new(records, record, &worker.stop));
                let solution = if open.number < self.limit { open.solutions.next() } else { None };
                match solution {
                    Some(Ok(solution)) => {
                        open.number += 1;
                        let row =
                            Row { status: status(MULTIPLE), number: open.number, solution: Some(solution) };
                        (row, open.cost)
                    }
                    // Once the flag is raised the solutions end, although not all were found.
                    None if open.number < self.limit && worker.stop.load(Ordering::Relaxed) => {
                        return answers.rows.answered(Then::Stopped);
                    }
                    None => {
                        answers.end_record();
                        continue;
                    }
                    Some(Err(_)) => {
                        // Further answers of such a solver are worthless.
                        answers.end_record();
                        answers.rows.fault(Fault::new(FaultKind::FailedCheck, None));
                        (Row { status: status(INTERNAL_ERROR.name), number: 0, solution: None }, 1)
                    }
                }
            } else {
                answers.end_record();
                answers.solved.fault(record).cloned().into_iter().for_each(|fault| answers.rows.fault(fault));
                let solution = answers.solved.found().solutions()[record];
                (Row { status: status(word.name), number: solution.is_some().into(), solution }, 1)
            };
            answers.rows.push(&answers.solved, records, record, row);
            room = room.saturating_sub(cost);
        }
        if then == Then::Done && answers.solved_rows < records.len() {
            then = Then::Stopped;
        }
        answers.rows.answered(then)
    }
}

/// The index of a word, also of one of [`Solve`].
fn status(name: &str) -> u8 {
    STATUSES.iter().position(|word| word.name == name).expect("a search without bounds says no other") as u8
}

/// The state of a thread.
pub struct EnumerateWorker {
    searcher: Searcher,
    stop: Arc<AtomicBool>,
}

/// The remaining solutions of a record.
struct Open {
    solutions: Solutions,
    /// How many were listed.
    number: u64,
    /// How many rows each counts as.
    cost: usize,
}

impl Open {
    fn new(records: &Records, record: usize, stop: &Arc<AtomicBool>) -> Self {
        let (solutions, cost) = match records.cases().get(record) {
            Some(case) => (solutions::of_case(case.clone(), stop), ROWS_PER_CASE_ROW),
            None => (solutions::of_sudoku(records.puzzles()[record], stop), 1),
        };
        Self { solutions, number: 0, cost }
    }
}

/// The answers to a batch, and the rows of a page.
#[derive(Default)]
pub struct EnumerateAnswers {
    solved: SolveAnswers,
    /// Number of records before the first that was stopped.
    solved_rows: usize,
    /// The next record to list, and the rest of its solutions if it was begun.
    next: usize,
    open: Option<Open>,
    rows: Rows,
}

impl EnumerateAnswers {
    /// Goes on to the next record.
    fn end_record(&mut self) {
        self.next += 1;
        self.open = None;
    }
}

/// One row.
struct Row {
    status: u8,
    number: u64,
    solution: Option<Grid>,
}

/// The rows of a page, in columns.
#[derive(Default)]
struct Rows {
    of: Vec<u32>,
    statuses: Vec<u8>,
    numbers: Vec<u64>,
    clues: Vec<u8>,
    guesses: Vec<u64>,
    times: Vec<u64>,
    puzzles: Vec<Grid>,
    readable: Vec<bool>,
    solutions: Vec<Option<Grid>>,
    faults: Sparse<Fault>,
}

impl Rows {
    fn clear(&mut self) {
        self.of.clear();
        self.statuses.clear();
        self.numbers.clear();
        self.clues.clear();
        self.guesses.clear();
        self.times.clear();
        self.puzzles.clear();
        self.readable.clear();
        self.solutions.clear();
        self.faults.clear();
    }

    /// Says what is wrong with the row that is pushed next.
    fn fault(&mut self, fault: Fault) {
        self.faults.push(self.of.len(), fault);
    }

    fn push(&mut self, solved: &SolveAnswers, records: &Records, record: usize, row: Row) {
        self.of.push(u32::try_from(record).expect("a batch has fewer than 4 billion records"));
        self.statuses.push(row.status);
        self.numbers.push(row.number);
        self.solutions.push(row.solution);
        let (puzzle, found) = (records.puzzles()[record], solved.found());
        self.clues.push(puzzle.clues() as u8);
        self.guesses.push(found.guesses()[record]);
        self.times.push(found.times_ns()[record]);
        self.puzzles.push(puzzle);
        self.readable.push(records.readable()[record]);
    }

    fn answered(&self, then: Then) -> Answered {
        Answered { rows: self.of.len(), then }
    }
}

impl Job for Enumerate {
    type Worker = EnumerateWorker;
    type Answers = EnumerateAnswers;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn schema_mut(&mut self) -> &mut Schema {
        &mut self.schema
    }

    fn worker(&self, stop: Arc<AtomicBool>) -> EnumerateWorker {
        EnumerateWorker { searcher: self.solve.worker(Arc::clone(&stop)), stop }
    }

    fn answer(
        &self,
        worker: &mut EnumerateWorker,
        batch: &Batch,
        records: &Records,
        answers: &mut EnumerateAnswers,
    ) -> Answered {
        let solved = self.solve.answer(&mut worker.searcher, batch, records, &mut answers.solved);
        (answers.solved_rows, answers.next, answers.open) = (solved.rows, 0, None);
        self.list(worker, records, answers)
    }

    fn go_on(
        &self,
        worker: &mut EnumerateWorker,
        _: &Batch,
        records: &Records,
        answers: &mut EnumerateAnswers,
    ) -> Answered {
        self.list(worker, records, answers)
    }

    fn of<'a>(&self, answers: &'a EnumerateAnswers) -> Option<&'a [u32]> {
        Some(&answers.rows.of)
    }

    fn corrected<'a>(&self, answers: &'a EnumerateAnswers) -> Option<&'a Sparse<Fault>> {
        self.solve.corrected(&answers.solved)
    }

    fn columns<'a>(&self, _: &'a Records, answers: &'a EnumerateAnswers) -> Vec<Column<'a>> {
        let rows = &answers.rows;
        vec![
            Column::Words(&rows.statuses, STATUSES),
            Column::Numbers(&rows.numbers),
            Column::SmallNumbers(&rows.clues, &rows.readable),
            Column::Numbers(&rows.guesses),
            Column::Numbers(&rows.times),
            Column::Grids(&rows.puzzles, &rows.readable),
            Column::SomeGrids(&rows.solutions),
            Column::Faults(&rows.faults),
        ]
    }
}
