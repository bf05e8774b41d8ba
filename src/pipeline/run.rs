//! Running a job on inputs: batches are read, answered, encoded and digested, and their rows are written in order.
//!
//! Apart from measured columns, the output depends only on the input, and not on the number of threads or the size of
//! the batches. If several things could end the run, the one that comes first in the input does.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::batches::{BatchReader, SourceEnd};
use super::ordered::{End, Failure, Spares, Threads, caught, ordered};
use super::task::{Done, Task, TaskContext};
use super::terms::{EarlierRun, Ended, Ending, Observer, Progress, RowSink, RunError, RunOptions};
use super::{Collect, Digest};
use crate::input::Source;
use crate::jobs::Job;
use crate::output::{Append, Encode, Output, Piece};
use crate::record::Schema;

/// The number of batches in flight per thread. If there were only one, threads would idle while an earlier batch of
/// hard puzzles is being solved.
const BATCHES_PER_THREAD: usize = 8;

/// The maximum number of batches in flight, to limit memory use; ignored if there are more threads than this.
const MOST_WAITING: usize = 1024;

/// The description of a run.
pub struct Plan<J: Job, D: Digest> {
    /// The inputs, in order.
    pub sources: Vec<Source>,
    /// The job.
    pub job: Arc<J>,
    /// The columns of the rows: the job's own and the carried ones.
    pub schema: Schema,
    /// The outputs. The digest treats the rows of the first output as those that are written.
    pub outputs: Vec<RowOutput>,
    /// The digest of the rows.
    pub digest: D,
    /// The options of the run.
    pub options: RunOptions,
}

impl<J: Job, D: Digest> Plan<J, D> {
    /// Creates a plan for a run that has no outputs or carried columns.
    pub fn new(sources: Vec<Source>, job: impl Into<Arc<J>>, digest: D, options: RunOptions) -> Self {
        let job = job.into();
        Self { sources, schema: job.schema().clone(), job, outputs: Vec::new(), digest, options }
    }
}

/// The format of an output, and the selection of rows written to it.
#[derive(Clone)]
pub struct RowOutput {
    /// The format of the rows.
    pub encoder: Arc<dyn Encode>,
    /// Whether rows with each status are written, indexed like the job's labels; `None` if all rows are.
    pub only: Option<Vec<bool>>,
}

/// Reads all sources, runs the job on their records, and writes the rows to the outputs of `out` in record order.
///
/// `collector` takes the digest of each page. `stop` can be raised at any time. Batches in flight are then finished and
/// written, up to the first record that is not done within half a second. If the reader is blocked on its input, it
/// stays blocked on its thread.
///
/// # Errors
///
/// Fails if threads cannot be started or if a bug is hit. Even then, only complete rows have been written, unless a
/// write failed.
pub fn run<J: Job, D: Digest, C: Collect<D::Part>>(
    plan: Plan<J, D>,
    collector: &mut C,
    out: &mut dyn RowSink<C>,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Ended, RunError> {
    let started = Instant::now();
    let Plan { sources, job, schema, outputs, digest, options } = plan;
    let mut ended = Ended::new(&options);
    let mut writers = Vec::new();
    for (n, RowOutput { encoder, .. }) in outputs.iter().enumerate() {
        match start_output(&schema, &**encoder, &options, out.output(n)) {
            Ok(writer) => writers.push(writer),
            Err(error) => {
                ended.end_unwritten((n, error));
                return Ok(Ended { wall: started.elapsed(), ..ended });
            }
        }
    }
    let (hurry, threads) = (Arc::default(), options.threads.get());
    let mut workers = Threads::up_to(options.threads);
    let mut reader = BatchReader::new(sources, &options);
    let context = Arc::new(TaskContext {
        job,
        schema,
        outputs,
        digest,
        options,
        hurry: Arc::clone(&hurry),
        memories: Spares::new(),
        pieces: Spares::new(),
    });
    let tasks = Arc::clone(&context);
    let mut taker = Taker {
        ended,
        writers,
        out,
        collector,
        observer,
        context,
        records: 0,
        of_source: 0,
        early_end: None,
    };
    let end = ordered(
        &mut workers,
        (BATCHES_PER_THREAD * threads).min(threads.max(MOST_WAITING)),
        move |buffer| reader.read(buffer).map(Task::Found),
        move |task| tasks.run(task),
        |done| taker.take(done),
        stop,
        &hurry,
    );
    let ended = taker.finish(end, workers)?;
    Ok(Ended { wall: started.elapsed(), ..ended })
}

/// Writes the header if it has not been written yet, and returns the writer for the rows.
fn start_output(
    schema: &Schema,
    encoder: &dyn Encode,
    options: &RunOptions,
    out: &mut dyn Output,
) -> io::Result<Box<dyn Append>> {
    let mut header = Piece::default();
    if options.before.records == 0 {
        encoder.header(schema, &mut header.bytes);
    }
    let mut writer = encoder.writer(schema, options.threads)?;
    writer.append(&mut header, out)?;
    Ok(writer)
}

/// The sink of a run: it takes results in input order, writes rows, collects digests and keeps count.
struct Taker<'a, J: Job, D: Digest, C> {
    ended: Ended,
    writers: Vec<Box<dyn Append>>,
    out: &'a mut dyn RowSink<C>,
    collector: &'a mut C,
    observer: &'a dyn Observer,
    context: Arc<TaskContext<J, D>>,
    /// The number of records answered.
    records: u64,
    /// The number of records from the current source.
    of_source: u64,
    /// How the run ends; set when a batch ends it early.
    early_end: Option<Ending>,
}

impl<J: Job, D: Digest, C: Collect<D::Part>> Taker<'_, J, D, C> {
    /// Takes a page or the end of a source. Returns the memory of the text so that it can be reused, or breaks if the
    /// run ends here.
    fn take(&mut self, done: Done<D::Part>) -> Result<ControlFlow<(), Vec<u8>>, (usize, io::Error)> {
        if let Some(source) = done.source_end {
            self.end_source(source);
            return Ok(ControlFlow::Continue(Vec::new()));
        }
        self.of_source += done.found;
        self.ended.complete_grids += done.complete_grids;
        self.ended.passed_over.append(done.passed_over);
        if let Some((mut rows, mut part)) = done.rows {
            // A run must not be resumed after an input failed, because the failure would be forgotten.
            if let Some(boundary) = done.boundary.filter(|_| self.ended.input_errors.is_empty()) {
                let boundary = EarlierRun { defects: self.ended.defects.clone(), ..boundary };
                self.out.boundary(boundary, self.collector).map_err(|error| (0, error))?;
            }
            for (n, (writer, piece)) in self.writers.iter_mut().zip(&mut rows).enumerate() {
                writer.append(piece, self.out.output(n)).map_err(|error| (n, error))?;
            }
            self.collector.take(&mut part);
            self.context.pieces.put((rows, part));
            self.ended.defects.append(done.defects);
            self.records += done.records;
        }
        let grids = self.context.job.grids_tried();
        self.observer.progress(&Progress { records: self.records, raw_bytes: done.raw_position, grids });
        self.early_end = done.end;
        Ok(if done.end.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(done.text) })
    }

    /// Records that a source has ended.
    fn end_source(&mut self, source: SourceEnd) {
        self.ended.notes.extend(source.notes);
        let none = source.without_records.filter(|_| source.error.is_none() && self.of_source == 0);
        self.ended.input_errors.extend(source.error.or(none));
        self.of_source = 0;
    }

    /// Finishes the files and returns how the run ended.
    fn finish(
        mut self,
        end: Result<End, Failure<(usize, io::Error)>>,
        workers: Threads,
    ) -> Result<Ended, RunError> {
        if let Some((started, note)) = workers.shortage {
            self.ended.threads = started;
            self.ended.notes.push(note);
        }
        let first_id = self.context.options.before.records + self.records + 1;
        let panicked = |message| RunError::Panic { first_id, message };
        // Every file that can still be written is completed, no matter how the run ended.
        let mut unwritten = None;
        for (n, writer) in self.writers.iter_mut().enumerate() {
            if matches!(end, Err(Failure::Threads(_)))
                || matches!(end, Err(Failure::Sink((at, _))) if at == n)
            {
                continue;
            }
            let finished = caught(|| writer.finish(self.out.output(n))).map_err(panicked)?;
            unwritten = unwritten.or(finished.err().map(|error| (n, error)));
        }
        self.ended.ending = match (end, self.early_end) {
            (Ok(_), Some(ending)) => ending,
            (Ok(End::Stopped), None) => Ending::Interrupted,
            (Ok(End::Complete | End::Refused), None) => Ending::Complete,
            (Err(Failure::Sink(error)), _) => {
                unwritten = Some(error);
                Ending::Unwritten
            }
            (Err(Failure::Threads(error)), _) => return Err(RunError::Threads(error)),
            (Err(Failure::Panic(message)), _) => return Err(panicked(message)),
        };
        if let Some(error) = unwritten {
            self.ended.end_unwritten(error);
        }
        Ok(self.ended)
    }
}
