//! Solve: how many solutions does each puzzle have, and which one?

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::search::{SearchOptions, Searcher, Settled, clash, fault_of, refused_case, rows_answered};
use super::{Answered, INTERNAL_ERROR, INVALID, Job, JobEntry, UNFINISHED};
use crate::input::Batch;
use crate::record::{Class, Column, Fault, Field, Records, Role, Schema, Sparse, Type, Weight, Word};
use crate::solver::{Answers, Outcome, Verdict};
use crate::sudoku::{Grid, verifier};

/// The word of a puzzle with several solutions.
pub(crate) const MULTIPLE: &str = "multiple";

statuses! {
    Unique = Word::new("unique", "exactly one solution, proven", Weight::Answered),
    Multiple = Word::new(MULTIPLE, "several solutions; the row has the smallest as an 81-digit number, or the first found (--solution any)", Weight::Answered),
    Solved = Word::new("solved", "a solution; with --limit 1 no others are looked for", Weight::Answered),
    Unsolvable = Word::new("unsolvable", "no solution, proven", Weight::Unanswered),
    Unfinished = UNFINISHED,
    Invalid = INVALID,
    InternalError = INTERNAL_ERROR,
}

/// The columns after those of the origin.
const FIELDS: &[Field] = &[
    Field::STATUS,
    Field::result("solutions", Type::Number, "solutions found, at most --limit"),
    Field::CLUES,
    Field::GUESSES,
    Field::TIME,
    Field::PUZZLE,
    Field::result("solution", Type::Grid, "81 digits, checked").with_role(Role::Solution),
    Field::ERROR,
];

/// The entry in the list of jobs.
pub const ENTRY: JobEntry = JobEntry { name: "solve", has_origin: true, fields: FIELDS, statuses: STATUSES };

/// Solves every puzzle.
#[derive(Debug)]
pub struct Solve {
    options: SearchOptions,
    recheck: bool,
    /// Why Sudominoku cases are invalid, if they are.
    no_cases: Option<&'static str>,
    schema: Schema,
}

impl Solve {
    /// A job with these options, with or without the column of times.
    #[must_use]
    pub fn new(options: SearchOptions, times: bool) -> Self {
        Self { options, recheck: false, no_cases: None, schema: Schema::new(FIELDS, STATUSES, times) }
    }

    /// Sets whether the scalar solver counts again what is unique or unsolvable.
    #[must_use]
    pub fn with_recheck(self, recheck: bool) -> Self {
        Self { recheck, ..self }
    }

    /// The same job, for which Sudominoku cases are invalid for this reason.
    #[must_use]
    pub fn without_cases(self, why: &'static str) -> Self {
        Self { no_cases: Some(why), ..self }
    }

    /// The same job, without columns that are written.
    #[must_use]
    pub fn unwritten(mut self) -> Self {
        self.schema.fields.iter_mut().for_each(|field| field.class = Class::Internal);
        self
    }
}

/// The columns besides those of the records.
#[derive(Debug, Default)]
pub struct SolveAnswers {
    /// A row for each record; blank if it was not searched.
    found: Answers,
    statuses: Vec<u8>,
    clues: Vec<u8>,
    faults: Sparse<Fault>,
    /// What was wrong with answers that the scalar solver replaced.
    corrected: Sparse<Fault>,
}

impl SolveAnswers {
    /// The status of a row.
    pub(super) fn status(&self, row: usize) -> &'static Word {
        &STATUSES[usize::from(self.statuses[row])]
    }

    /// What the solvers found.
    pub(super) const fn found(&self) -> &Answers {
        &self.found
    }

    /// The clues of each record.
    pub(super) fn clues(&self) -> &[u8] {
        &self.clues
    }

    /// What is wrong with a row.
    pub(super) fn fault(&self, row: usize) -> Option<&Fault> {
        self.faults.get(row)
    }

    /// The solution of a row that has exactly one, else its status and what is wrong with it.
    pub(super) fn only_solution(&self, row: usize) -> Result<&Grid, (&'static str, Option<Fault>)> {
        match (self.status(row).name, &self.found.solutions()[row]) {
            ("unique", Some(solution)) => Ok(solution),
            (status, _) => Err((status, self.fault(row).cloned())),
        }
    }

    /// Adds the status of a row, once its answer is settled.
    #[inline]
    fn push(&mut self, row: usize, settled: Settled) {
        match settled {
            Settled::Accepted => {}
            Settled::Corrected(fault) => self.corrected.push(row, fault),
            Settled::Refused(fault) => self.faults.push(row, fault),
        }
        self.statuses.push(match self.found.verdicts()[row] {
            Verdict::Unique => Status::Unique,
            Verdict::Multiple => Status::Multiple,
            Verdict::Solved => Status::Solved,
            Verdict::Unsolvable => Status::Unsolvable,
            // Rows from the first stopped one on are not written.
            Verdict::Unfinished | Verdict::Stopped => Status::Unfinished,
            Verdict::InternalError => Status::InternalError,
        } as u8);
    }

    /// Adds the row of a record that cannot be read, or whose clues clash.
    #[cold]
    fn push_invalid(&mut self, row: usize, fault: Fault) {
        let nothing =
            Outcome { verdict: Verdict::Unsolvable, solutions: 0, guesses: 0, time_ns: 0, solution: None };
        self.found.set(row, nothing);
        self.faults.push(row, fault);
        self.statuses.push(Status::Invalid as u8);
    }
}

impl Job for Solve {
    type Worker = Searcher;
    type Answers = SolveAnswers;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn schema_mut(&mut self) -> &mut Schema {
        &mut self.schema
    }

    fn worker(&self, stop: Arc<AtomicBool>) -> Searcher {
        Searcher::new(self.options, self.recheck, stop)
    }

    fn answer(
        &self,
        worker: &mut Searcher,
        batch: &Batch,
        records: &Records,
        answers: &mut SolveAnswers,
    ) -> Answered {
        answers.statuses.clear();
        answers.faults.clear();
        answers.corrected.clear();
        answers.clues.clear();
        answers.clues.extend(records.puzzles().iter().map(|puzzle| puzzle.clues() as u8));
        worker.sudokus(records, &mut answers.found);
        for (row, puzzle) in records.puzzles().iter().enumerate() {
            if records.is_sudoku(row) {
                let settled = worker.settle(puzzle, row, &mut answers.found, |found| {
                    found.check(row, |solution| verifier::sudoku(puzzle, solution)).err().map(fault_of)
                });
                if answers.found.verdicts()[row] == Verdict::Unsolvable
                    && let Some(fault) = clash(batch, records, row)
                {
                    answers.push_invalid(row, fault);
                } else {
                    answers.push(row, settled);
                }
            } else if let Some(fault) = self.no_cases.and_then(|why| refused_case(records, row, why)) {
                answers.push_invalid(row, fault);
            } else if let Some(case) = records.cases().get(row) {
                answers.found.set(row, worker.case(case));
                let checked = answers.found.check(row, |solution| verifier::sudominoku(case, solution));
                // No other solver can solve cases.
                let defect = checked.err();
                answers
                    .push(row, defect.map_or(Settled::Accepted, |defect| Settled::Refused(fault_of(defect))));
            } else if let Some(fault) = records.faults().get(row) {
                answers.push_invalid(row, fault.clone());
            }
        }
        Answered::a_row_each(rows_answered(&answers.found), records)
    }

    fn corrected<'a>(&self, answers: &'a SolveAnswers) -> Option<&'a Sparse<Fault>> {
        Some(&answers.corrected)
    }

    fn columns<'a>(&self, records: &'a Records, answers: &'a SolveAnswers) -> Vec<Column<'a>> {
        vec![
            Column::Words(&answers.statuses, STATUSES),
            Column::Numbers(answers.found.counts()),
            Column::SmallNumbers(&answers.clues, records.readable()),
            Column::Numbers(answers.found.guesses()),
            Column::Numbers(answers.found.times_ns()),
            Column::Grids(records.puzzles(), records.readable()),
            Column::SomeGrids(answers.found.solutions()),
            Column::Faults(&answers.faults),
        ]
    }
}
