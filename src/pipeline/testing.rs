//! A tally of made-up rows, for tests.

use super::{Digest, Tally, TallyDigest};
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
