//! What is done with the records of a batch: one file a job.
//!
//! A job turns records into columns. It knows no file, thread, format or terminal: the pipeline brings it batches,
//! encoders write what it answers, and the command line says what was asked.

mod search;
pub mod solve;
pub mod verify;

pub use search::SearchOptions;

use crate::input::Batch;
use crate::record::{Column, Field, Records, Schema, Want, Weight, Word};

/// Something that is done with records.
pub trait Job: Send + Sync + 'static {
    /// What a thread needs besides the records: solvers and their memory.
    type Worker: Send + 'static;
    /// The job's own columns, used again from batch to batch.
    type Answers: Default + Send + 'static;

    /// The columns of the rows; those of [`Field::ORIGIN`](crate::record::Field::ORIGIN) come first.
    fn schema(&self) -> &Schema;

    /// What it wants of a record besides the puzzle.
    fn want(&self) -> Want {
        Want::default()
    }

    /// What one thread needs.
    fn worker(&self) -> Self::Worker;

    /// Answers every record of a batch, in order; `answers` holds what an earlier batch left.
    fn answer(
        &self,
        worker: &mut Self::Worker,
        batch: &Batch,
        records: &Records,
        answers: &mut Self::Answers,
    );

    /// The answers as columns: one for each field of the schema behind those of the origin.
    fn columns<'a>(&self, records: &'a Records, answers: &'a Self::Answers) -> Vec<Column<'a>>;
}

/// A job as a user finds it.
#[derive(Clone, Copy, Debug)]
pub struct JobEntry {
    /// The name of its subcommand.
    pub name: &'static str,
    /// Its columns behind those of the origin.
    pub fields: &'static [Field],
    /// The words of its statuses.
    pub statuses: &'static [Word],
}

/// Every job.
pub const JOBS: &[JobEntry] = &[
    JobEntry { name: "solve", fields: &solve::FIELDS, statuses: &solve::STATUSES },
    JobEntry { name: "verify", fields: &verify::FIELDS, statuses: &verify::STATUSES },
];

/// The word of a record that cannot be read or whose clues clash, in every job.
pub const INVALID: Word =
    Word::unsearched("invalid", "the record could not be read, or its clues clash", Weight::BadRecord);

/// The word of a puzzle on which the search gave up, in every job.
pub const UNFINISHED: Word = Word::new("unfinished", "--max-guesses was reached", Weight::Unanswered);

/// The word of an answer that the verifier refused, in every job.
pub const INTERNAL_ERROR: Word = Word::new(
    "internal-error",
    "the verifier refused the solver's answer, which is not given: please report it",
    Weight::Defect,
);
