//! Test helpers: a tally of made-up rows, and an output that records where batches begin.

use std::io;

use super::{Digest, EarlierRun, RowSink, Tally, TallyDigest};
use crate::output::Output;
use crate::record::{Column, Fault, FaultKind, Field, Label, Page, Place, Records, Schema, Severity, Table};

/// Returns the tally of rows with these statuses, guesses and times. Lines and ids simply number the rows.
pub fn tally_of(statuses: &'static [Label], rows: &[(&str, u64, u64)]) -> Tally {
    let fields = [Field::STATUS, Field::GUESSES, Field::TIME, Field::ERROR];
    let schema = Schema::new(&fields, statuses, true);
    let index = |name: &str| statuses.iter().position(|word| word.name == name).expect("a status of the job");
    let (mut table, records) = (Table::new(&schema), Records::default());
    for &(status, guesses, time) in rows {
        let status = index(status);
        let bad =
            Fault::new(FaultKind::Any, Some(Place { line: 9, column: 4 })).text("found 'q': expected a cell");
        let fault = Some(bad).filter(|_| statuses[status].severity == Severity::BadRecord);
        table.row(status as u8).number(&Field::GUESSES, guesses).number(&Field::TIME, time).error(fault);
    }
    table.finish(&records);
    let mut columns =
        vec![Column::Counting(1), Column::Same("dir/a.txt"), Column::Counting(1), Column::Counting(0)];
    columns.extend(table.columns(&records));
    let page = Page::new(&schema, columns, rows.len());
    let mut tally = Tally::default();
    TallyDigest.digest(&page, &mut tally);
    tally
}

/// The rows that a run wrote, and the number of bytes before each boundary.
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
