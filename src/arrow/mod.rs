//! Runs jobs on columns from other programs, with Arrow as input and output.
//!
//! [`column`] reads a column of puzzles of any type; [`run`] runs a job on it, and returns [`RecordBatch`]es with the
//! job's columns. The rows are the same as those that the command writes, except that they lack the origin (number,
//! file, line), which the caller knows; a fault names the cell. Everything runs through the
//! [pipeline](crate::pipeline), so a panic affects only the row that caused it, and a stop takes effect at once.
//!
//! Arrow is an optional dependency, because it is large and the core does not need it. Each chunk is a separate source,
//! so no batch mixes rows from two chunks, and carried columns are slices of the chunk.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

pub use crate::input::{ColumnError, column};

use crate::input::{Source, Values, restore_zeros};
use crate::jobs::Job;
use crate::output::ArrowColumns;
use crate::pipeline::{
    self, Collect, Digest, Ended, Observer, Plan, RunError, RunOptions, Tally, TallyDigest,
};
use crate::record::{Column, Page, Role, Schema};

/// A chunk of the input columns.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// The puzzles.
    pub puzzles: Arc<dyn Values>,
    /// The claimed solutions, if any: one per puzzle.
    pub claims: Option<Arc<dyn Values>>,
}

/// The result of running a job on columns.
#[derive(Debug)]
pub struct Answered {
    /// The rows, in order; no batch mixes rows from two chunks.
    pub batches: Vec<RecordBatch>,
    /// For each batch, the record number of each row, counted from 1 over all chunks; `None` if each record has exactly
    /// one row.
    pub records: Vec<Option<Vec<u64>>>,
    /// Statistics on the rows.
    pub tally: Tally,
    /// How the run ended.
    pub ended: Ended,
}

/// Runs a job on columns and returns its rows with the columns of `schema`, one of the job's schemas. `stop` can be
/// raised at any time. Puzzles that were stored as numbers get their leading zeros back, and a note says so. Fails if
/// no thread can be started, or because of a bug.
pub fn run<J: Job>(
    job: J,
    schema: &Schema,
    chunks: Vec<Chunk>,
    threads: NonZeroUsize,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Answered, RunError> {
    let (sources, note) = sources(chunks);
    let columns = ArrowColumns::of_values(schema);
    let mut answered = run_over(job, sources, columns, threads, observer, stop)?;
    answered.ended.notes.extend(note);
    Ok(answered)
}

/// Turns the chunks into sources. Puzzles that were stored as numbers get their leading zeros back, and a note says so.
#[must_use]
pub fn sources(mut chunks: Vec<Chunk>) -> (Vec<Source>, Option<String>) {
    let note = restore_zeros(chunks.iter_mut().map(|chunk| &mut chunk.puzzles));
    let sources = chunks.into_iter().map(|chunk| Source::of_values("", chunk.puzzles, chunk.claims));
    (sources.collect(), note.map(str::to_owned))
}

/// Runs a job on any sources, like [`run`], and returns the given columns of the rows.
pub fn run_over<J: Job>(
    job: J,
    sources: Vec<Source>,
    columns: ArrowColumns,
    threads: NonZeroUsize,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Answered, RunError> {
    let mut collected = (Tally::new(job.schema()), Batches::default());
    let digest = (TallyDigest, RowDigest(columns));
    let plan = Plan::new(sources, job, digest, RunOptions::new(threads));
    let ended = pipeline::run(plan, &mut collected, &mut Vec::new(), observer, stop)?;
    let (tally, Batches(batches)) = collected;
    let (batches, records) = batches.into_iter().unzip();
    Ok(Answered { batches, records, tally, ended })
}

/// Returns the Arrow schema of a job: all columns except those that give the origin.
#[must_use]
pub fn schema(schema: &Schema) -> SchemaRef {
    Arc::clone(ArrowColumns::of_values(schema).schema())
}

/// A record batch, and the record number of each of its rows if a record can have several rows.
type RowsOfRecords = (RecordBatch, Option<Vec<u64>>);

/// A digest that turns each page into a record batch.
#[derive(Debug)]
struct RowDigest(ArrowColumns);

impl Digest for RowDigest {
    type Part = Option<RowsOfRecords>;

    fn digest(&self, page: &Page<'_>, part: &mut Self::Part) {
        let ids = match page.column(Role::Id) {
            Some(Column::Numbers(ids)) if page.of.is_some() => Some(ids[..page.rows].to_vec()),
            _ => None,
        };
        *part = Some((self.0.batch(page), ids));
    }
}

/// The record batches from a run, in order.
#[derive(Debug, Default)]
struct Batches(Vec<RowsOfRecords>);

impl Collect<Option<RowsOfRecords>> for Batches {
    fn take(&mut self, part: &mut Option<RowsOfRecords>) {
        self.0.extend(part.take());
    }
}
