//! The options of a run, its progress, and how it ended.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Defects;
use crate::input::{InputError, SourceInfo};
use crate::output::Output;

/// The usual batch size in bytes. Some lanes idle at the end of each batch, so batches must not be too small.
pub const BATCH_BYTES: usize = 512 << 10;

/// The maximum number of threads per core. More threads would only wait for each other and take a long time to start.
const MOST_PER_CORE: NonZeroUsize = NonZeroUsize::new(32).expect("it is not 0");

/// Returns the number of threads to start: as many as requested, within reason, or one per core by default.
///
/// Only cores that this process can use are counted: [`thread::available_parallelism`] respects its affinity and, on
/// Linux, its cgroup quotas.
#[must_use]
pub fn threads(asked: Option<NonZeroUsize>) -> NonZeroUsize {
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    asked.map_or(cores, |asked| asked.min(cores.saturating_mul(MOST_PER_CORE)))
}

/// The options of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// The number of worker threads.
    pub threads: NonZeroUsize,
    /// The approximate maximum size of a batch in bytes; see [`BATCH_BYTES`].
    pub batch_bytes: usize,
    /// Whether to stop after the first bad record.
    pub strict: bool,
    /// Whether a later run can resume this one. If so, boundaries describe the text that precedes them.
    pub resumable: bool,
    /// The run that this one resumes.
    pub before: EarlierRun,
}

impl RunOptions {
    /// Returns the options for a run that starts from the beginning and uses this many threads.
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

/// A point between two batches from which a later run can resume; the default is the very beginning.
///
/// The resumed run reads everything from the beginning, but answers nothing until it is past the records that the
/// earlier run answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierRun {
    /// The number of records answered. If this is not 0, no header is written.
    pub records: u64,
    /// The text that precedes the next record, if the run can be resumed. The resumed run must read the same text.
    pub read: TextRead,
    /// The program defects that the earlier run found.
    pub defects: Defects,
}

/// The text that has been read from the inputs up to some point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextRead {
    /// The index of the current source, from 0.
    pub source: usize,
    /// The number of bytes of text read from that source.
    pub bytes: u64,
    /// The fingerprint of those bytes (a fast hash).
    pub fingerprint: u64,
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The number of records done.
    pub records: u64,
    /// The number of bytes read from the input files, as stored on disk.
    pub raw_bytes: u64,
    /// The number of grids tried so far, if the job generates puzzles.
    pub grids: Option<u64>,
}

/// A destination for the rows of a run. In text formats, each [`write_all`](std::io::Write::write_all) call receives
/// whole rows.
pub trait RowSink<C> {
    /// Returns the destination for the rows of the n-th output.
    fn output(&mut self, n: usize) -> &mut dyn Output;

    /// Called before the rows of a batch are written. At that point, in text formats, the rows of all earlier records
    /// have been written, and the collector has taken exactly those rows. An error ends the run.
    fn boundary(&mut self, _: EarlierRun, _: &C) -> io::Result<()> {
        Ok(())
    }
}

impl<C, O: Output> RowSink<C> for O {
    fn output(&mut self, _: usize) -> &mut dyn Output {
        self
    }
}

/// An observer that follows the progress of a run.
pub trait Observer {
    /// Called once per batch, with the totals so far.
    fn progress(&self, progress: &Progress);
}

impl<T: Observer + ?Sized> Observer for &T {
    fn progress(&self, progress: &Progress) {
        (**self).progress(progress);
    }
}

/// This observer ignores the progress.
impl Observer for () {
    fn progress(&self, _: &Progress) {}
}

/// The way in which a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// All inputs were read to their end.
    #[default]
    Complete,
    /// The stop flag was raised, and the batches in flight were finished and written.
    Interrupted,
    /// A bad record was found in [strict](RunOptions::strict) mode; its row is the last one.
    Strict,
    /// The program that reads the output closed it.
    BrokenPipe,
    /// The rows could not be written; [`Ended::unwritten`] gives the error.
    Unwritten,
}

/// The outcome of a run.
#[derive(Debug, Default)]
pub struct Ended {
    /// The wall-clock time from start to end.
    pub wall: Duration,
    /// The number of threads that worked.
    pub threads: usize,
    /// How the run ended.
    pub ending: Ending,
    /// Errors caused by damaged inputs; the rows that precede the damage were written.
    pub input_errors: Vec<InputError>,
    /// Warnings.
    pub notes: Vec<String>,
    /// The index of the output that could not be written, from 0, and the error.
    pub unwritten: Option<(usize, io::Error)>,
    /// The records on which the program failed.
    pub defects: Defects,
    /// The lines that were skipped, across all inputs.
    pub passed_over: PassedOver,
    /// The number of records whose puzzle is a complete grid.
    pub complete_grids: u64,
}

/// Lines that do not belong to any record, across all inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassedOver {
    /// The number of lines.
    pub lines: u64,
    /// The input, line number and text of the first skipped line.
    pub first: Option<(Arc<SourceInfo>, u64, String)>,
}

impl PassedOver {
    /// Appends lines that were skipped later.
    pub(super) fn append(&mut self, later: Self) {
        self.lines += later.lines;
        self.first = self.first.take().or(later.first);
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
