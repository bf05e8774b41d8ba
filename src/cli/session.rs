//! What every run has in common, whatever it does: signals, outputs that are opened before anything is read, a line that
//! says how far it is.
//!
//! A subcommand begins a [`Session`], opens its outputs in it, then its inputs, says which files it will replace, and
//! takes the line of progress; from then on signals raise a flag, and before that they end the program at once.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

use anyhow::Result;

use super::figures::grouped;
use super::interrupt::Signals;
use super::message;
use super::progress::{ProgressLine, StageLine};
use crate::input::shown_name;
use crate::output::file::OutputFile;
use crate::output::names::{NamedFile, check_distinct};
use crate::pipeline;

/// Outputs that are open.
pub trait Outputs {
    /// Every one of them.
    fn files(&self) -> Vec<&OutputFile>;
}

/// A run from its start to its end.
pub struct Session {
    /// When it began.
    pub started: SystemTime,
    signals: Signals,
    quiet: bool,
}

impl Session {
    /// Watches signals from now on. With `quiet` it says nothing but errors.
    ///
    /// # Errors
    ///
    /// When signals cannot be handled.
    pub fn begin(quiet: bool) -> Result<Self> {
        let started = SystemTime::now();
        let signals = Signals::watch()?;
        pipeline::silence_isolated_panics();
        Ok(Self { started, signals, quiet })
    }

    /// Opens outputs, which are called `named`: no two of them one file, and none an input. Whatever ends the program, they
    /// are left with whole rows.
    ///
    /// This comes before the inputs, which may be streams: a run that is refused reads nothing of them.
    ///
    /// # Errors
    ///
    /// When two of them meet, another run writes one, or one cannot be written.
    pub fn open<T: Outputs>(
        &self,
        inputs: &[NamedFile<'_>],
        named: &[NamedFile<'_>],
        open: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let open = || {
            check_distinct(inputs, named)?;
            open()
        };
        let handles = |opened: &T| opened.files().into_iter().map(OutputFile::handle).collect();
        self.signals.protect(open, handles)
    }

    /// Says which files of an earlier run the outputs are to replace.
    pub fn note_earlier(&self, outputs: &impl Outputs) {
        let earlier = outputs.files().into_iter().filter_map(OutputFile::earlier);
        for (partial, bytes) in earlier.filter(|_| !self.quiet) {
            message::say(format_args!(
                "note: {} has {} bytes of an earlier run, which this run replaces",
                shown_name(&partial),
                grouped(bytes)
            ));
        }
    }

    /// The line that says how far the run is, drawn if `shown`, over so many bytes if that is known. From now on the run
    /// looks at the flag.
    pub fn progress(&self, shown: bool, total: Option<u64>) -> ProgressLine {
        let progress = ProgressLine::new(shown, total);
        self.signals.begin(progress.status());
        progress
    }

    /// The same of a run that goes through stages, and takes folders and programs with it when it ends.
    pub fn stages(&self, shown: bool) -> StageLine {
        let progress = StageLine::new(shown);
        self.signals.begin(progress.status());
        self.signals.cleans_up();
        progress
    }

    /// The flag that the first request to end raises.
    pub fn stop(&self) -> &Arc<AtomicBool> {
        self.signals.stop()
    }
}
