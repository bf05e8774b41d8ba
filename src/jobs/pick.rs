//! Pick: separates records by a choice that was made before.
//!
//! For commands that must see all records before they can choose: a first run chooses by the number of each record, a
//! second one separates them with this job.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Answered, INTERNAL_ERROR, Job};
use crate::input::Batch;
use crate::record::{Class, Column, Fault, Field, Records, Role, Schema, Sparse, Type, Weight, Word};

/// The words of the column `status`, which is not written, for a sample.
const SAMPLE: &[Word] = &[
    Word::unsearched("taken", "a chosen record", Weight::Answered),
    Word::unsearched("left", "any other record", Weight::Answered),
    INTERNAL_ERROR,
];

/// Whether rows of a sample are written, by status.
pub const TAKEN: [bool; SAMPLE.len()] = [true, false, false];
/// The same for the rest.
pub const LEFT: [bool; SAMPLE.len()] = [false, true, false];

/// The same words for parts with these names. They live until the program ends, as all words do.
#[must_use]
pub fn words_of_parts(names: impl IntoIterator<Item = String>) -> &'static [Word] {
    let part = |name: String| Word::unsearched(name.leak(), "a part", Weight::Answered);
    names.into_iter().map(part).chain([INTERNAL_ERROR]).collect::<Vec<_>>().leak()
}

/// Whether rows are written, by status, if those of this one are and there are so many statuses.
#[must_use]
pub fn only(status: usize, statuses: usize) -> Vec<bool> {
    (0..statuses).map(|other| other == status).collect()
}

/// A set of numbers, a bit each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers(Vec<u64>);

impl Numbers {
    /// Whether a number is in the set.
    #[must_use]
    pub fn has(&self, number: u64) -> bool {
        self.0.get((number / 64) as usize).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Adds a number.
    pub fn add(&mut self, number: u64) {
        let word = (number / 64) as usize;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }
}

/// Separates records by `F`, which has the status of a record by its number over all inputs, from 1.
#[derive(Debug)]
pub struct Pick<F> {
    choice: F,
    statuses: &'static [Word],
    schema: Schema,
}

impl<F: Fn(u64) -> u8> Pick<F> {
    /// A job that gives each record a status, as an index of the words.
    #[must_use]
    pub fn new(statuses: &'static [Word], choice: F) -> Self {
        let status = Field::result("status", Type::Word, "where it goes").with_role(Role::Status);
        let fields = [status, Field::PUZZLE, Field::ERROR].map(|field| field.with_class(Class::Internal));
        Self { choice, statuses, schema: Schema::new(&fields, statuses, false) }
    }
}

/// A job that takes the records with these numbers.
#[must_use]
pub fn sample(chosen: Numbers) -> Pick<impl Fn(u64) -> u8> {
    Pick::new(SAMPLE, move |number| u8::from(!chosen.has(number)))
}

impl Pick<fn(u64) -> u8> {
    /// A job that takes every record, for a first run that only looks at them.
    #[must_use]
    pub fn all() -> Self {
        Self::new(SAMPLE, |_| 0)
    }
}

impl<F: Fn(u64) -> u8 + Send + Sync + 'static> Job for Pick<F> {
    type Worker = ();
    type Answers = (Vec<u8>, Sparse<Fault>);

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn schema_mut(&mut self) -> &mut Schema {
        &mut self.schema
    }

    fn worker(&self, _: Arc<AtomicBool>) {}

    fn answer(
        &self,
        (): &mut (),
        batch: &Batch,
        records: &Records,
        (statuses, _): &mut Self::Answers,
    ) -> Answered {
        statuses.clear();
        statuses.extend((batch.first_id..).take(records.len()).map(&self.choice));
        Answered::a_row_each(records.len(), records)
    }

    fn columns<'a>(&self, records: &'a Records, (statuses, faults): &'a Self::Answers) -> Vec<Column<'a>> {
        vec![
            Column::Words(statuses, self.statuses),
            Column::Grids(records.puzzles(), records.readable()),
            Column::Faults(faults),
        ]
    }
}
