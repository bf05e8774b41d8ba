//! Helpers for tests: a tally of made-up rows, and an output that records where batches begin.

use std::io;

use super::{Digest, EarlierRun, RowSink, Tally, TallyDigest};
use crate::output::Output;
use crate::record::{Column, Fault, FaultKind, Field, Label, Page, Place, Schema, Severity, Sparse};

/// Returns the tally of rows with a status, guesses and a time each. The lines and ids number the rows.
pub fn tally_of(statuses: &'static [Label], rows: &[(&str, u64, u64)]) -> Tally {
    let fields = [Field::STATUS, Field::GUESSES, Field::TIME, Field::ERROR];
    let schema = Schema::new(&fields, statuses, true);
    let index = |name: &str| statuses.iter().position(|word| word.name == name).expect("a status of the job");
    let words: Vec<u8> = rows.iter().map(|(status, ..)| index(status) as u8).collect();
    let numbers: [Vec<u64>; 2] =
        [rows.iter().map(|row| row.1).collect(), rows.iter().map(|row| row.2).collect()];
    let mut faults = Sparse::default();
    for (row, &word) in words.iter().enumerate() {
        if statuses[usize::from(word)].severity == Severity::BadRecord {
            let fault = Fault::new(FaultKind::Any, Some(Place { line: 9, column: 4 }));
            faults.push(row, fault.text("found 'q': expected a cell"));
        }
    }
    let page = Page::new(
        &schema,
        vec![
            Column::Counting(1),
            Column::Same("dir/a.txt"),
            Column::Counting(1),
            Column::Counting(0),
            Column::Words(&words, statuses),
            Column::Numbers(&numbers[0]),
            Column::Numbers(&numbers[1]),
            Column::Faults(&faults),
        ],
        rows.len(),
    );
    let mut tally = Tally::default();
    TallyDigest.digest(&page, &mut tally);
    tally
}

/// The rows of a run, and the number of bytes before each boundary.
#[derive(Default)]
pub(super) struct Watched {
    pub(super) rows: Vec<u8>,
    pub(super) boundaries: Vec<(EarlierRun, usize)>,
}

impl<C> RowSink<C> for Watched {
    fn output(&mut self, _: usize) -> &mut dyn Output {
        &mut self.rows
    }

    fn boundary(&mut self, boundary: EarlierRun, _: &C) -> io::Result<()> {
        self.boundaries.push((boundary, self.rows.len()));
        Ok(())
    }
}
