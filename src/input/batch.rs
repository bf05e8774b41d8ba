//! A block of a source, with everything that a thread needs to read it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::memrchr;

use super::reader::{Block, Read, Reader, State, Which};
use super::text::place_in;
use crate::record::{Claim, Place, Records, Texts, Want};
use crate::sudoku::CELLS;

/// The name and the size of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceInfo {
    /// Name as given, `-` for standard input.
    pub name: String,
    /// Size of the file in bytes, compressed if the file is; `None` for an input without a size, like a pipe.
    pub size: Option<u64>,
    /// Whether the file is compressed: there is then more text than the file has bytes.
    pub compressed: bool,
}

impl SourceInfo {
    /// Returns the info of an input that is not compressed.
    pub(super) fn plain(name: &str, size: Option<u64>) -> Arc<Self> {
        Arc::new(Self { name: name.to_owned(), size, compressed: false })
    }
}

/// Some whole units of a source, in order, with any number of records or none.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The source of the units.
    pub source: Arc<SourceInfo>,
    /// The text; give it back to [`Source::next_batch`](super::Source::next_batch) to use it again.
    pub bytes: Vec<u8>,
    /// Number over all inputs, from 1, of the first record that is answered. The caller sets the number.
    pub first_id: u64,
    /// The state that the text before the batch leaves for it.
    pub(super) state: State,
    /// Whether the text ends with the batch.
    pub(super) is_last: bool,
    pub(super) reader: Arc<dyn Reader>,
    /// The columns that are carried along; `None` for those that the source does not have.
    pub(super) carried: Arc<[Option<usize>]>,
    /// The number of rows, if there is no text.
    pub(super) rows: u64,
    /// The number of records found in the source so far, by all threads.
    pub(super) found: Arc<AtomicU64>,
}

impl Batch {
    /// Returns the bytes of the text; for values in memory, an equivalent number.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64 + self.rows * CELLS as u64
    }

    /// Finds and reads the records, in order; earlier content of `out` is dropped. Lines are counted from 1 at the
    /// start of the batch.
    pub fn read(&self, want: Want, out: &mut Records) -> Read {
        out.clear();
        let block = Block { bytes: &self.bytes, state: &self.state, is_last: self.is_last };
        let mut carried = std::mem::take(&mut out.carried);
        carried.resize_with(self.carried.len(), Texts::default);
        let read = self.reader.read(&block, want, out);
        if !self.carried.is_empty() {
            self.reader.carry(&self.bytes, out, &self.carried, &mut carried);
        }
        carried.iter_mut().for_each(|texts| texts.fill(out.len()));
        out.carried = carried;
        if want.claims {
            // Readers without claims add nothing to them.
            out.claims.fill(out.len());
        }
        self.found.fetch_add(out.len() as u64, Ordering::Relaxed);
        read
    }

    /// Returns the place of a cell (0 to 80) of a sudoku, to report a clash of clues.
    ///
    /// `row` counts the records of this batch. For a record that is no readable sudoku, the place is its start.
    #[must_use]
    pub fn place(&self, records: &Records, row: usize, cell: usize) -> Place {
        self.place_in_line(records, row, self.place_in_record(records, row, cell))
    }

    /// Returns the place as [`Batch::place`] does, but columns of the first line count from the record's start.
    #[must_use]
    pub fn place_in_record(&self, records: &Records, row: usize, cell: usize) -> Place {
        if !records.readable()[row] {
            return Place { line: records.lines()[row], column: 1 };
        }
        self.place_of(records, row, cell, Which::Puzzle)
    }

    /// Returns the claim of a record as written in the text but without quotes; `None` if there is no claim.
    #[must_use]
    pub fn claim_text(&self, records: &Records, row: usize) -> Option<Vec<u8>> {
        self.reader.claim_text(self.record(records, row))
    }

    /// Returns the place of a cell (0 to 80) of a claimed grid; if the claim is no grid, the start of the record.
    #[must_use]
    pub fn claim_place(&self, records: &Records, row: usize, cell: usize) -> Place {
        let place = match records.claims.get(row) {
            Claim::Grid(_) => self.place_of(records, row, cell, Which::Claim),
            Claim::Missing | Claim::Faulty(_) => Place { line: records.lines()[row], column: 1 },
        };
        self.place_in_line(records, row, place)
    }

    /// Returns the place of a cell; the columns of the first line count from the record's start.
    fn place_of(&self, records: &Records, row: usize, cell: usize, which: Which) -> Place {
        let record = self.record(records, row);
        place_in(records.lines()[row], record, self.reader.offset(record, cell, which).unwrap_or(0))
    }

    /// Returns the text of a record.
    fn record(&self, records: &Records, row: usize) -> &[u8] {
        records.spans()[row].of(&self.bytes)
    }

    /// Converts a place within a record to a place in the lines of the batch.
    fn place_in_line(&self, records: &Records, row: usize, place: Place) -> Place {
        if place.line != records.lines()[row] {
            return place;
        }
        let before = &self.bytes[..records.spans()[row].start];
        let column = match memrchr(b'\n', before) {
            Some(last) => (before.len() - last - 1) as u64,
            None => self.state.column + before.len() as u64,
        };
        Place { column: column + place.column, ..place }
    }
}
