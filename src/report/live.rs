//! The report of a run, collected while it solves.

use std::sync::{Mutex, PoisonError};

use super::collect::Collector;
use super::note::NoteFormat;
use super::read::LEAST_COMPRESSED;
use super::{InputFile, Report, Run, assemble};
use crate::engine::Tap;
use crate::grid::CELLS;
use crate::input::SourceInfo;
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
    /// A listener that lists the `top` hardest and slowest puzzles of those inputs.
    #[must_use]
    pub fn new<'a>(top: usize, inputs: impl IntoIterator<Item = &'a SourceInfo>) -> Self {
        let most_puzzles = |info: &SourceInfo| {
            info.size.map(|size| size / if info.compressed { LEAST_COMPRESSED } else { CELLS as u64 })
        };
        let puzzles = inputs.into_iter().map(most_puzzles).sum::<Option<u64>>();
        let mut collector = Collector::new(top, puzzles.unwrap_or(u64::MAX));
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
