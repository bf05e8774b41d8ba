//! For the tests of several rooms: a tally of made-up rows.

use super::{Collect, Digest, Tally, TallyDigest, TallyPart};
use crate::record::{Column, Fault, FaultKind, Field, Page, Place, Schema, Sparse, Weight, Word};

/// The tally of rows with a status, guesses and a time each; the lines and ids count them.
pub fn tally_of(statuses: &'static [Word], rows: &[(&str, u64, u64)]) -> Tally {
    let fields = [Field::STATUS, Field::GUESSES, Field::TIME, Field::ERROR];
    let schema = Schema::new(&fields, statuses, true);
    let index = |name: &str| statuses.iter().position(|word| word.name == name).expect("a status of the job");
    let words: Vec<u8> = rows.iter().map(|(status, ..)| index(status) as u8).collect();
    let numbers: [Vec<u64>; 2] =
        [rows.iter().map(|row| row.1).collect(), rows.iter().map(|row| row.2).collect()];
    let mut faults = Sparse::default();
    for (row, &word) in words.iter().enumerate() {
        if statuses[usize::from(word)].weight == Weight::BadRecord {
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
    let mut part = TallyPart::default();
    TallyDigest.digest(&page, &mut part);
    let mut tally = Tally::new(&schema);
    tally.take(&mut part);
    tally
}
