//! A block of a source, together with everything a thread needs to read it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::reader::{Block, Read, Reader, State, Which};
use super::text::{column_after, place_in};
use crate::record::{Claim, Place, Records, Texts, Want};
use crate::sudoku::CELLS;

/// The name and size of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceInfo {
    /// The name as given; `-` for standard input.
    pub name: String,
    /// The size of the file on disk in bytes (compressed, if the file is); `None` if the input has no size, such as a
    /// pipe.
    pub size: Option<u64>,
    /// Whether the file is compressed, in which case the text is longer than the file.
    pub compressed: bool,
}

impl SourceInfo {
    /// Returns the info for an uncompressed input.
    pub(super) fn plain(name: &str, size: Option<u64>) -> Arc<Self> {
        Arc::new(Self { name: name.to_owned(), size, compressed: false })
    }
}

/// A run of whole units from a source, in order. It can contain any number of records, including none.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The source that the units come from.
    pub source: Arc<SourceInfo>,
    /// The text. Pass the buffer back to [`Source::next_batch`](super::Source::next_batch) to reuse it.
    pub bytes: Vec<u8>,
    /// The number of the first record to answer, counted from 1 across all inputs; set by the caller.
    pub first_id: u64,
    /// The reader's state after the text before this batch.
    pub(super) state: State,
    /// Whether this is the last batch of the text.
    pub(super) is_last: bool,
    pub(super) reader: Arc<dyn Reader>,
    /// The columns to carry along; `None` for a column that this source does not have.
    pub(super) carried: Arc<[Option<usize>]>,
    /// The number of rows, if there is no text.
    pub(super) rows: u64,
    /// The number of records that all threads have found in the source so far.
    pub(super) found: Arc<AtomicU64>,
}

impl Batch {
    /// Returns the size of the text in bytes, or an equivalent number for values in memory.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64 + self.rows * CELLS as u64
    }

    /// Finds and reads the records in order, replacing the previous contents of `out`. Lines are counted from 1 at the
    /// start of the batch.
    pub fn read(&self, want: Want, out: &mut Records) -> Read {
        out.clear();
        out.want = want;
        let block = Block { bytes: &self.bytes, state: &self.state, is_last: self.is_last };
        let mut carried = std::mem::take(&mut out.carried);
        carried.resize_with(self.carried.len(), Texts::default);
        let read = self.reader.read(&block, out);
        if !self.carried.is_empty() {
            self.reader.carry(&self.bytes, out, &self.carried, &mut carried);
        }
        carried.iter_mut().for_each(|texts| texts.fill(out.len()));
        out.carried = carried;
        if want.claims {
            // Readers that find no claims do not fill this list.
            out.claims.fill(out.len());
        }
        self.found.fetch_add(out.len() as u64, Ordering::Relaxed);
        read
    }

    /// Returns the place of a cell (0 to 80) of a sudoku, to report where clues clash. If the record is not a readable
    /// sudoku, returns the place where the record starts. `row` counts the records in this batch.
    #[must_use]
    pub fn place(&self, records: &Records, row: usize, cell: usize) -> Place {
        let cell = Some(cell).filter(|_| records.readable()[row]);
        self.place_of(records, row, cell, Which::Puzzle)
    }

    /// Returns a record's claim as written in the text, without quotes; `None` if the record makes no claim.
    #[must_use]
    pub fn claim_text(&self, records: &Records, row: usize) -> Option<Vec<u8>> {
        self.reader.claim_text(records.spans()[row].of(&self.bytes))
    }

    /// Returns the place of a cell (0 to 80) in a claimed grid, or the start of the record if the claim is not a grid.
    #[must_use]
    pub fn claim_place(&self, records: &Records, row: usize, cell: usize) -> Place {
        let cell = Some(cell).filter(|_| matches!(records.claims.get(row), Claim::Grid(_)));
        self.place_of(records, row, cell, Which::Claim)
    }

    /// Returns the place of a cell in a record, or the start of the record if no cell is given.
    fn place_of(&self, records: &Records, row: usize, cell: Option<usize>, which: Which) -> Place {
        let (line, span) = (records.lines()[row], records.spans()[row]);
        let (before, record) = (&self.bytes[..span.start], span.of(&self.bytes));
        let offset = cell.and_then(|cell| self.reader.offset(record, cell, which)).unwrap_or(0);
        let place = place_in(line, record, offset);
        if place.line != line {
            return place;
        }
        // Other text may come before the record on its first line.
        let column = column_after(self.state.column, before);
        Place { column: column + place.column, ..place }
    }
}
