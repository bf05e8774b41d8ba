//! The options of a run, its progress, and how it ended.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Defects;
use crate::input::{InputError, Passed, SourceInfo};
use crate::output::Output;

/// The usual bytes of a batch: enough to keep the lanes full, since some idle at the end of each batch.
pub const BATCH_BYTES: usize = 512 << 10;

/// The highest number of threads per core: more would only wait for each other, and take long to start.
const MOST_PER_CORE: NonZeroUsize = NonZeroUsize::new(32).expect("it is not 0");

/// Returns the number of threads to start: as many as asked for, within reason, and by default one per core.
///
/// Cores are those that this process may use: [`thread::available_parallelism`] respects its affinity and, on Linux,
/// the quotas of its cgroups.
#[must_use]
pub fn threads(asked: Option<NonZeroUsize>) -> NonZeroUsize {
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    asked.map_or(cores, |asked| asked.min(cores.saturating_mul(MOST_PER_CORE)))
}

/// The options of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// The number of threads that work.
    pub threads: NonZeroUsize,
    /// The approximate limit on the bytes of a batch; see [`BATCH_BYTES`].
    pub batch_bytes: usize,
    /// Whether to stop after the first bad record.
    pub strict: bool,
    /// Whether a later run may resume this one: boundaries then describe the text before them.
    pub resumable: bool,
    /// The run that this one resumes.
    pub before: EarlierRun,
}

impl RunOptions {
    /// Returns the options of a run from the start on that many threads.
    #[must_use]
    pub fn new(threads: NonZeroUsize) -> Self {
        Self {
            threads,
            batch_bytes: BATCH_BYTES,
            strict: false,
            resumable: false,
            before: EarlierRun::default(),
        }
    }
}

/// How far a run got between two batches, for a later run that resumes it; the default is its start.
///
/// The resumed run reads everything from the start, but answers nothing until it has passed the records of the earlier
/// run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierRun {
    /// The number of records answered. If there are any, no header is written.
    pub records: u64,
    /// The text before the next record, if the run may be resumed. It must be that of the earlier run.
    pub read: TextRead,
    /// The defects of the program that the earlier run found.
    pub defects: Defects,
}

/// The text of the inputs that was read up to some place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextRead {
    /// The number of the current source, from 0.
    pub source: usize,
    /// The number of bytes read of the text of that source.
    pub bytes: u64,
    /// The fingerprint of those bytes, a fast hash.
    pub fingerprint: u64,
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of records done.
    pub records: u64,
    /// The number of bytes read of the input files, as on the disk.
    pub raw_bytes: u64,
    /// The number of grids that were tried, for a job that searches for puzzles.
    pub grids: Option<u64>,
}

/// Takes the rows of a run. In text formats, each [`write_all`](std::io::Write::write_all) has whole rows.
pub trait RowSink<C> {
    /// Returns the destination of the rows of the n-th output.
    fn output(&mut self, n: usize) -> &mut dyn Output;

    /// Called before the rows of a batch are written. In text formats, the rows of all earlier records are then
    /// written, and the collector contains exactly those. An error ends the run.
    fn boundary(&mut self, _: EarlierRun, _: &C) -> io::Result<()> {
        Ok(())
    }
}

impl<C, O: Output> RowSink<C> for O {
    fn output(&mut self, _: usize) -> &mut dyn Output {
        self
    }
}

/// Follows the progress of a run.
pub trait Observer {
    /// Called once per batch, with the totals so far.
    fn progress(&self, progress: &Progress);
}

/// Ignores the progress.
impl Observer for () {
    fn progress(&self, _: &Progress) {}
}

/// The ending of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// All inputs were read to their end.
    #[default]
    Complete,
    /// The stop flag was raised; batches in flight were finished and written.
    Interrupted,
    /// A bad record was found under [`RunOptions::strict`]; its row is the last one.
    Strict,
    /// The reader of the output closed it.
    BrokenPipe,
    /// The rows could not be written; [`Ended::unwritten`] has the error.
    Unwritten,
}

/// The outcome of a run.
#[derive(Debug, Default)]
pub struct Ended {
    /// The time from start to end.
    pub wall: Duration,
    /// The number of threads that worked.
    pub threads: usize,
    /// The ending of the run.
    pub ending: Ending,
    /// Errors of damaged inputs; the rows before the damage were written.
    pub input_errors: Vec<InputError>,
    /// Warnings.
    pub notes: Vec<String>,
    /// The output to which rows could not be written, counted from 0, and the error.
    pub unwritten: Option<(usize, io::Error)>,
    /// The records on which the program failed.
    pub defects: Defects,
    /// The lines of all inputs that were skipped.
    pub passed_over: PassedOver,
    /// The number of records whose puzzle is a complete grid.
    pub complete_grids: u64,
}

/// Lines that are not part of a record, over all inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassedOver {
    /// The number of lines.
    pub lines: u64,
    /// The input, line number and text of the first of those lines.
    pub first: Option<(Arc<SourceInfo>, u64, String)>,
}

impl PassedOver {
    /// Adds the skipped lines of a batch, which comes after `lines_before` lines of its source.
    pub(super) fn add(&mut self, source: &Arc<SourceInfo>, lines_before: u64, passed: Passed) {
        self.lines += passed.lines;
        if self.first.is_none() {
            let first = passed.first.map(|(line, text)| (Arc::clone(source), lines_before + line, text));
            self.first = first;
        }
    }
}

impl Ended {
    /// Returns the outcome of a run that has done nothing yet.
    pub(crate) fn new(options: &RunOptions) -> Self {
        let defects = options.before.defects.clone();
        Self { threads: options.threads.get(), defects, ..Self::default() }
    }

    /// Records that an output failed or was closed.
    pub(super) fn end_unwritten(&mut self, (output, error): (usize, io::Error)) {
        if error.kind() == io::ErrorKind::BrokenPipe {
            self.ending = Ending::BrokenPipe;
        } else {
            (self.ending, self.unwritten) = (Ending::Unwritten, Some((output, error)));
        }
    }
}

/// The reason why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The threads could not be started.
    #[error("cannot start the threads: {0}")]
    Threads(String),
    /// A bug: a batch of records could not be read, answered or written.
    #[error("internal error in the records from {first_id} on: {message}")]
    Panic {
        /// The first record of the batch.
        first_id: u64,
        /// The message of the panic.
        message: String,
    },
}
