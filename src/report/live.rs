//! The report of a run, collected while it solves.

use std::sync::{Mutex, PoisonError};

use super::collect::Collector;
use super::note::NoteFormat;
use super::read::LEAST_COMPRESSED;
use super::{InputFile, Report, Run, assemble};
use crate::engine::Tap;
use crate::output::{Row, RowFormat};
use crate::provenance::Provenance;

/// Listens to a run; see [`crate::engine::Observer::tap`].
pub struct Live(Mutex<Collector>);

impl std::fmt::Debug for Live {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Live").finish_non_exhaustive()
    }
}

impl Live {
    /// A listener that lists the `top` hardest and slowest puzzles of inputs that have so many bytes in all, if
    /// that is known, compressed or not.
    #[must_use]
    pub fn new(top: usize, bytes: Option<u64>) -> Self {
        let mut collector = Collector::new(top, bytes.map_or(u64::MAX, |bytes| bytes / LEAST_COMPRESSED));
        collector.start_file("this run");
        Self(Mutex::new(collector))
    }

    /// The report, once the run is over.
    #[must_use]
    pub fn finish(self, run: Run, inputs: Vec<InputFile>, provenance: Provenance) -> Report {
        let collector = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        Report { run: Some(run), ..assemble::assemble(&collector, inputs, provenance) }
    }
}

impl Tap for Live {
    fn note(&self, row: &Row<'_>, notes: &mut Vec<u8>) {
        NoteFormat.row(row, notes);
    }

    fn take(&self, notes: &[u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add_notes(notes);
    }
}
