//! Jobs over columns of other programs, with Arrow as input and output.
//!
//! [`column`] reads a column of puzzles of any type. [`run`] runs a job on it and returns [`RecordBatch`]es with the
//! columns of the job. The rows are those of the command without their origin (number, file, line), which the caller
//! knows; a fault names the cell. Everything runs through the [pipeline](crate::pipeline), so a panic costs only its
//! row, and a stop takes effect at once.
//!
//! Arrow is used only here, so that the core needs no large dependency. Each chunk is a source, so no batch has rows of
//! two chunks, and carried columns are slices of the chunk.

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
    /// The claimed solutions, if any, as many as puzzles.
    pub claims: Option<Arc<dyn Values>>,
}

/// The result of a job over columns.
#[derive(Debug)]
pub struct Answered {
    /// The rows, in order; no batch has rows of two chunks.
    pub batches: Vec<RecordBatch>,
    /// The numbers of the records of each batch's rows over all chunks, from 1; `None` if each record has one row.
    pub records: Vec<Option<Vec<u64>>>,
    /// The figures of the rows.
    pub tally: Tally,
    /// The end of the run.
    pub ended: Ended,
}

/// Runs a job on columns, with the columns of a schema of the job in the rows; `stop` may be raised at any time. Puzzles that were stored as numbers get their leading zeros
/// back, with a note. Fails if no thread can be started, and on a defect.
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

/// Turns the chunks into sources. Puzzles that were stored as numbers get their leading zeros back, with a note.
#[must_use]
pub fn sources(mut chunks: Vec<Chunk>) -> (Vec<Source>, Option<String>) {
    let note = restore_zeros(chunks.iter_mut().map(|chunk| &mut chunk.puzzles));
    let sources = chunks.into_iter().map(|chunk| Source::of_values("", chunk.puzzles, chunk.claims));
    (sources.collect(), note.map(str::to_owned))
}

/// Runs a job like [`run`], over any sources; returns these columns of the rows.
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

/// Returns the Arrow schema of a job: all columns except those of the origin.
#[must_use]
pub fn schema(schema: &Schema) -> SchemaRef {
    Arc::clone(ArrowColumns::of_values(schema).schema())
}

/// A record batch, and the numbers of the records of its rows if a record may have several.
type RowsOfRecords = (RecordBatch, Option<Vec<u64>>);

/// A digest that makes a record batch from each page.
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

/// The record batches of a run, in order.
#[derive(Debug, Default)]
struct Batches(Vec<RowsOfRecords>);

impl Collect<Option<RowsOfRecords>> for Batches {
    fn take(&mut self, part: &mut Option<RowsOfRecords>) {
        self.0.extend(part.take());
    }
}
