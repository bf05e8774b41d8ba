//! The options of a run, its progress, and how it ended.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Defects;
use crate::input::{InputError, Passed, SourceInfo};
use crate::output::{Encode, Output, Piece};
use crate::record::Page;

/// Usual bytes of a batch: enough to keep the lanes full, since some idle at the end of each.
pub const BATCH_BYTES: usize = 512 << 10;

/// How to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// Threads that work.
    pub threads: NonZeroUsize,
    /// Approximate most bytes of a batch; see [`BATCH_BYTES`].
    pub batch_bytes: usize,
    /// Stop after the first bad record.
    pub strict: bool,
    /// Write only rows with these statuses, indexed like the words of the job; all if `None`.
    pub only: Option<Vec<bool>>,
    /// Whether a later run may resume this one: boundaries then say what was read before them.
    pub resumable: bool,
    /// The run that this one resumes.
    pub before: EarlierRun,
}

impl RunOptions {
    /// A run from the start on that many threads, which writes all rows.
    #[must_use]
    pub fn new(threads: NonZeroUsize) -> Self {
        Self {
            threads,
            batch_bytes: BATCH_BYTES,
            strict: false,
            only: None,
            resumable: false,
            before: EarlierRun::default(),
        }
    }
}

/// How far the earlier run came that this one resumes; the default is none.
///
/// The resumed run reads everything from the start, and answers nothing until it has passed the records of the earlier
/// one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierRun {
    /// Its records. If there are any, no header is written.
    pub records: u64,
    /// A place before which the text must be what the earlier run read.
    pub read: TextRead,
    /// The defects of the program that it found.
    pub defects: Defects,
}

/// What was read of the inputs up to some place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextRead {
    /// Number of the current source, from 0.
    pub source: usize,
    /// Bytes of its text that were read.
    pub bytes: u64,
    /// Their fingerprint, a fast hash.
    pub fingerprint: u64,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Records done.
    pub records: u64,
    /// Bytes read of the input files, as on the disk.
    pub raw_bytes: u64,
    /// Grids that were tried, by a job that looks for puzzles.
    pub grids: Option<u64>,
}

/// Where the records of the next batch begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// The text before it, if the run may be resumed.
    pub read: TextRead,
    /// Number of its first record over all sources, from 1.
    pub first_id: u64,
}

/// Takes the rows of a run. In formats of text, each [`write_all`](std::io::Write::write_all) has whole rows.
pub trait RowSink<C> {
    /// Where the rows go.
    fn output(&mut self) -> &mut dyn Output;

    /// Called before the rows of a batch are written: in formats of text those of all records before it are written,
    /// and the collector and the defects contain just those. An error ends the run.
    fn boundary(&mut self, _: &Boundary, _: &C, _: &Defects) -> io::Result<()> {
        Ok(())
    }
}

impl<C, O: Output> RowSink<C> for O {
    fn output(&mut self) -> &mut dyn Output {
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

/// The format of rows that are not written.
pub struct Unwritten;

impl Encode for Unwritten {
    fn encode(&self, _: &Page<'_>, _: &mut Piece) {}
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// All inputs were read to their end.
    #[default]
    Complete,
    /// The stop flag was raised; batches in flight were finished and written.
    Interrupted,
    /// A bad record was met under [`RunOptions::strict`]; its row is the last one.
    Strict,
    /// The reader of the output closed it.
    BrokenPipe,
    /// The rows could not be written: [`Ended::unwritten`] says why.
    Unwritten,
}

/// The outcome of a run.
#[derive(Debug, Default)]
pub struct Ended {
    /// Time from start to end.
    pub wall: Duration,
    /// Number of threads that worked.
    pub threads: usize,
    /// How the run ended.
    pub ending: Ending,
    /// Errors of damaged inputs; the rows before the damage were written.
    pub input_errors: Vec<InputError>,
    /// Warnings.
    pub notes: Vec<String>,
    /// Why rows could not be written.
    pub unwritten: Option<io::Error>,
    /// Records on which the program failed.
    pub defects: Defects,
    /// Lines of all inputs that were passed over.
    pub passed_over: PassedOver,
    /// Records whose puzzle is a complete grid.
    pub complete_grids: u64,
}

/// Lines that are not part of a record, over all inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassedOver {
    /// How many.
    pub lines: u64,
    /// Input, line and text of the first of them.
    pub first: Option<(Arc<SourceInfo>, u64, String)>,
}

impl PassedOver {
    /// Adds those of a batch, which comes after `lines_before` lines of its source.
    pub(super) fn add(&mut self, source: &Arc<SourceInfo>, lines_before: u64, passed: Passed) {
        self.lines += passed.lines;
        if self.first.is_none() {
            let first = passed.first.map(|(line, text)| (Arc::clone(source), lines_before + line, text));
            self.first = first;
        }
    }
}

impl Ended {
    /// A run that has done nothing yet.
    pub(crate) fn new(options: &RunOptions) -> Self {
        let defects = options.before.defects.clone();
        Self { threads: options.threads.get(), defects, ..Self::default() }
    }

    /// Notes that the output failed or was closed.
    pub(crate) fn end_unwritten(&mut self, error: io::Error) {
        if error.kind() == io::ErrorKind::BrokenPipe {
            self.ending = Ending::BrokenPipe;
        } else {
            (self.ending, self.unwritten) = (Ending::Unwritten, Some(error));
        }
    }
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The threads could not be started.
    #[error("cannot start the threads: {0}")]
    Threads(String),
    /// A bug: a batch of records could not be read, answered or written.
    #[error("internal error in the records from {first_id} on: {message}")]
    Panic {
        /// First record of the batch.
        first_id: u64,
        /// The message of the panic.
        message: String,
    },
}
