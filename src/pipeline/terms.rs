//! What a run is told, and what it tells: its options, how far it is, how it ended.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use super::Defects;
use crate::input::{InputError, Passed, SourceInfo};
use crate::output::Output;

/// Bytes of a batch, once a run is under way, that keep the lanes full: at the end of each batch some idle.
pub const BATCH_BYTES: usize = 512 << 10;

/// How to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// Threads that work.
    pub threads: NonZeroUsize,
    /// Bytes of a batch, at most about; see [`BATCH_BYTES`].
    pub batch_bytes: usize,
    /// Stop after the first bad record.
    pub strict: bool,
    /// Write only rows of these statuses, indexed as the words of the job are; all if `None`.
    pub only: Option<Vec<bool>>,
    /// Whether the output may be written on by a later run: then it is told what was read before each boundary.
    pub resumable: bool,
    /// The run that this one goes on from.
    pub before: EarlierRun,
}

impl RunOptions {
    /// A run over everything from the start, on that many threads, of which all rows are written.
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

/// How far an earlier run came, from which another goes on; the default is none.
///
/// The run that goes on reads everything from the start, and answers nothing until it has passed the records of the
/// earlier one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EarlierRun {
    /// Its records. If there are any, no header is written.
    pub records: u64,
    /// A place before which the text must be what the earlier run read.
    pub read: TextRead,
    /// What it found wrong with the program itself.
    pub defects: Defects,
}

/// What was read of the inputs up to some place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextRead {
    /// Number of the source that is being read, from 0 on.
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
    /// Bytes of the input files, as they lie on the disk, that these records took.
    pub raw_bytes: u64,
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
pub trait RowSink<C>: Output {
    /// Is told, before the rows of a batch are written, that those of all records before it were, if the format is one
    /// of text; `collector` has taken
    /// just those, too, and `defects` are theirs.
    ///
    /// # Errors
    ///
    /// Those of writing: they end the run.
    fn boundary(&mut self, boundary: &Boundary, collector: &C, defects: &Defects) -> io::Result<()> {
        let _ = (boundary, collector, defects);
        Ok(())
    }
}

impl<C> RowSink<C> for Vec<u8> {}
impl<C> RowSink<C> for io::Sink {}

/// Is told how a run is getting on.
pub trait Observer {
    /// Takes the totals so far; called once for each batch.
    fn progress(&self, progress: &Progress);
}

/// Nobody watches.
impl Observer for () {
    fn progress(&self, _: &Progress) {}
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All inputs were read to their end.
    Complete,
    /// The stop flag was raised; what was under way was finished and written.
    Interrupted,
    /// A bad record was met under [`RunOptions::strict`]; its row is the last one.
    Strict,
    /// Nobody reads the output any more.
    BrokenPipe,
    /// The output does not take the rows: [`Ended::unwritten`] says why.
    Unwritten,
}

/// What came out of a run.
#[derive(Debug)]
pub struct Ended {
    /// Time from start to end.
    pub wall: Duration,
    /// Threads that could work.
    pub threads: usize,
    /// How the run ended.
    pub ending: Ending,
    /// Inputs that turned out damaged; the rows before the damage were written.
    pub input_errors: Vec<InputError>,
    /// What is worth a warning.
    pub notes: Vec<String>,
    /// Why rows could not be written.
    pub unwritten: Option<io::Error>,
    /// Records on which the program failed.
    pub defects: Defects,
    /// What was passed over of all inputs.
    pub passed_over: PassedOver,
    /// Records whose puzzle is a complete grid.
    pub complete_grids: u64,
}

/// Lines that are no records, over all inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassedOver {
    /// How many.
    pub lines: u64,
    /// Input, line and text of the first of them.
    pub first: Option<(Arc<SourceInfo>, u64, String)>,
}

impl PassedOver {
    /// Adds those of a batch that lie behind so many lines of its source.
    pub(super) fn add(&mut self, source: &Arc<SourceInfo>, lines_before: u64, passed: Passed) {
        self.lines += passed.lines;
        if self.first.is_none() {
            let first = passed.first.map(|(line, text)| (Arc::clone(source), lines_before + line, text));
            self.first = first;
        }
    }
}

impl Ended {
    /// A run of which nothing is done.
    pub(super) fn not_yet(options: &RunOptions) -> Self {
        Self {
            wall: Duration::ZERO,
            threads: options.threads.get(),
            ending: Ending::Complete,
            input_errors: Vec::new(),
            notes: Vec::new(),
            unwritten: None,
            defects: options.before.defects.clone(),
            passed_over: PassedOver::default(),
            complete_grids: 0,
        }
    }

    /// Notes that the output does not take any more.
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
        /// What the panic said.
        message: String,
    },
}
