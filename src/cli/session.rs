//! The parts that all runs share: signal handling, outputs that are opened before anything is read, and a progress
//! line.
//!
//! A subcommand begins a [`Session`], opens its outputs and then its inputs, prints which files it will replace, and
//! gets the progress line. From then on, signals set a flag; before that, they end the program at once.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime};

use anyhow::Result;

use super::figures::grouped;
use super::interrupt::Signals;
use super::message;
use super::progress::ProgressLine;
use crate::input::shown_name;
use crate::output::file::OutputFile;
use crate::output::names::{NamedFile, check_distinct};
use crate::pipeline;

/// A run from start to end.
pub struct Session {
    pub started: SystemTime,
    /// The same moment as `started`, for measuring how long the run takes.
    pub clock: Instant,
    signals: Signals,
}

impl Session {
    /// Begins a session, and handles signals from now on. Fails if that is not possible.
    pub fn begin() -> Result<Self> {
        let (started, clock) = (SystemTime::now(), Instant::now());
        let signals = Signals::watch()?;
        pipeline::silence_isolated_panics();
        Ok(Self { started, clock, signals })
    }

    /// Opens the outputs named in `named`; `files` returns all of them. However the program ends, it leaves only
    /// complete rows in the outputs.
    ///
    /// Inputs, which can be streams, are opened later, so a run that is refused reads nothing from them. Fails if an
    /// output is the same file as an input or another output, another run is writing it, or it cannot be written.
    pub fn open<T>(
        &self,
        inputs: &[NamedFile<'_>],
        named: &[NamedFile<'_>],
        open: impl FnOnce() -> Result<T>,
        files: impl FnOnce(&T) -> Vec<&OutputFile>,
    ) -> Result<T> {
        let open = || {
            check_distinct(inputs, named)?;
            open()
        };
        let handles = |opened: &T| files(opened).into_iter().flat_map(OutputFile::handles).collect();
        self.signals.protect(open, handles)
    }

    /// Prints which files from an earlier run will be replaced.
    pub fn note_earlier<'a>(&self, outputs: impl IntoIterator<Item = &'a OutputFile>) {
        let earlier = outputs.into_iter().filter_map(OutputFile::earlier);
        for (partial, bytes) in earlier {
            message::note(format_args!(
                "{} has {} bytes of an earlier run, which this run replaces",
                shown_name(&partial),
                grouped(bytes)
            ));
        }
    }

    /// Returns the progress line, which is drawn if `shown` is set; `total` is the number of bytes, if known. From now
    /// on, the run checks the flag.
    pub fn progress(&self, shown: bool, total: Option<u64>) -> ProgressLine {
        let progress = ProgressLine::new(shown, total);
        self.signals.begin(progress.status());
        progress
    }

    /// Returns the progress line for a run in stages. Such a run removes its folders and stops its programs when it
    /// ends.
    pub fn stages(&self, shown: bool) -> ProgressLine {
        self.signals.cleans_up();
        self.progress(shown, None)
    }

    /// Returns the flag that the first signal sets.
    pub fn stop(&self) -> &Arc<AtomicBool> {
        self.signals.stop()
    }
}
