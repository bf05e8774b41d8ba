//! Dedupe: separates records that are the same as an earlier one from all others.
//!
//! A first run finds which they are, a second one separates them with this job. A record that cannot be read is never
//! the same as another.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Answered, INTERNAL_ERROR, INVALID, Job};
use crate::input::Batch;
use crate::record::{Class, Column, Field, Records, Role, Schema, Type, Weight, Word};

/// The word of the records that are the first of their kind.
const KEPT: Word = Word::unsearched("kept", "no earlier record is the same", Weight::Answered);

/// The words of the column `status`, which is not written.
const STATUSES: &[Word] = &[
    KEPT,
    Word::unsearched("duplicate", "an earlier record is the same", Weight::Answered),
    INVALID,
    INTERNAL_ERROR,
];

/// The same words where no record may be the same as a known one.
const AGAINST: &[Word] = &[
    KEPT,
    Word::unsearched("known", "a record of --against is the same", Weight::Unanswered),
    INVALID,
    INTERNAL_ERROR,
];

/// Whether rows are written, by status.
pub const WRITTEN: [bool; STATUSES.len()] = [true, false, true, false];

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

/// Separates duplicates from other records.
#[derive(Debug)]
pub struct Dedupe {
    duplicates: Numbers,
    /// The number of the record before the first one.
    before: u64,
    schema: Schema,
}

impl Dedupe {
    /// A job that separates the records with these numbers, where the first record comes after number `before`: if that
    /// is not `None`, duplicates are a fault of the inputs.
    #[must_use]
    pub fn new(duplicates: Numbers, before: Option<u64>) -> Self {
        let statuses = if before.is_some() { AGAINST } else { STATUSES };
        let status = Field::result("status", Type::Word, "whether it is kept").with_role(Role::Status);
        let fields = [status, Field::PUZZLE, Field::ERROR].map(|field| field.with_class(Class::Internal));
        let schema = Schema::new(&fields, statuses, false);
        Self { duplicates, before: before.unwrap_or(0), schema }
    }
}

impl Job for Dedupe {
    type Worker = ();
    type Answers = Vec<u8>;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn schema_mut(&mut self) -> &mut Schema {
        &mut self.schema
    }

    fn worker(&self, _: Arc<AtomicBool>) {}

    fn answer(&self, (): &mut (), batch: &Batch, records: &Records, statuses: &mut Vec<u8>) -> Answered {
        let numbers = self.before + batch.first_id..;
        let status = |(number, &is_readable)| match is_readable {
            true => u8::from(self.duplicates.has(number)),
            false => 2,
        };
        statuses.clear();
        statuses.extend(numbers.zip(records.readable()).map(status));
        Answered::a_row_each(records.len(), records)
    }

    fn columns<'a>(&self, records: &'a Records, statuses: &'a Vec<u8>) -> Vec<Column<'a>> {
        vec![
            Column::Words(statuses, self.schema.statuses),
            Column::Grids(records.puzzles(), records.readable()),
            Column::Faults(records.faults()),
        ]
    }
}
