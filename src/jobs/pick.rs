//! Pick: separates records by an earlier choice, and copies or converts them.
//!
//! For commands that must see all records before they can choose. A first run chooses by the number of each record; a
//! second one separates the records with this job.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::convert::{Claims, Convert};
use super::{Answered, INTERNAL_ERROR, INVALID, Job};
use crate::input::{Batch, Source};
use crate::output::Encode;
use crate::record::{Label, Records, Schema, Severity, Table, Want};

/// The words of a sample in the column `status`, which is not written.
const SAMPLE: &[Label] = &[
    Label::unsearched("taken", "a chosen record", Severity::Answered),
    Label::unsearched("left", "any other record", Severity::Answered),
    INVALID,
    INTERNAL_ERROR,
];

/// Whether the rows of a sample are written, by status.
pub const TAKEN: [bool; SAMPLE.len()] = [true, false, false, false];
/// Whether the remaining rows are written, by status.
pub const LEFT: [bool; SAMPLE.len()] = [false, true, false, false];

/// The word of the first record of several that are the same.
const KEPT: Label = Label::unsearched("kept", "no earlier record is the same", Severity::Answered);

/// The words if duplicates are left out.
const DISTINCT: &[Label] = &[
    KEPT,
    Label::unsearched("duplicate", "an earlier record is the same", Severity::Answered),
    INVALID,
    INTERNAL_ERROR,
];

/// The words if records of `--against` are left out.
const AGAINST: &[Label] = &[
    KEPT,
    Label::unsearched("known", "a record of --against is the same", Severity::Unanswered),
    INVALID,
    INTERNAL_ERROR,
];

/// Whether rows without duplicates are written, by status. Records that cannot be read can only be copied.
#[must_use]
pub const fn distinct(are_copied: bool) -> [bool; DISTINCT.len()] {
    [true, false, are_copied, false]
}

/// Makes the words of parts with these names. They live until the program ends, as all words do.
#[must_use]
pub fn words_of_parts(names: impl IntoIterator<Item = String>) -> &'static [Label] {
    let part = |name: String| Label::unsearched(name.leak(), "a part", Severity::Answered);
    names.into_iter().map(part).chain([INVALID, INTERNAL_ERROR]).collect::<Vec<_>>().leak()
}

/// Returns whether rows are written, by status: only those of `status`, out of `statuses` statuses.
#[must_use]
pub fn only(status: usize, statuses: usize) -> Vec<bool> {
    (0..statuses).map(|other| other == status).collect()
}

/// A set of numbers with one bit each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumberSet(Vec<u64>);

impl NumberSet {
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

/// The function that returns the status of a record from its number over all inputs, from 1.
type Choice = Box<dyn Fn(u64) -> u8 + Send + Sync>;

/// The job that separates records.
pub struct Pick {
    choice: Choice,
    /// Whether a record that cannot be read or converted has the status of [`INVALID`].
    refuses: bool,
    convert: Convert,
    schema: Schema,
}

/// Makes a job that takes the records with these numbers, which are in ascending order.
#[must_use]
pub fn sample(chosen: Vec<u64>) -> Pick {
    Pick::new(SAMPLE, move |number| u8::from(chosen.binary_search(&number).is_err()))
}

/// Makes a job that leaves out the records with these numbers. The first record comes after number `known`. If that is
/// given, duplicates are a fault of the inputs.
#[must_use]
pub fn dedupe(duplicates: NumberSet, known: Option<u64>) -> Pick {
    let before = known.unwrap_or(0);
    let choice = move |number| u8::from(duplicates.has(before + number));
    Pick { refuses: true, ..Pick::new(if known.is_some() { AGAINST } else { DISTINCT }, choice) }
}

/// Makes a job that gives each record its part, by the number of the record from 0.
#[must_use]
pub fn split(statuses: &'static [Label], parts: Vec<u8>) -> Pick {
    // A record without a part comes from an input that grew: the run ends with an error.
    Pick::new(statuses, move |number| parts.get(number as usize - 1).copied().unwrap_or(0))
}

impl Pick {
    /// Makes a job that takes every record, for a first run that only examines them.
    #[must_use]
    pub fn all() -> Self {
        Self::new(SAMPLE, |_| 0)
    }

    /// Makes a job that gives each record a status: an index of the words, the last of which are [`INVALID`] and
    /// [`INTERNAL_ERROR`].
    fn new(statuses: &'static [Label], choice: impl Fn(u64) -> u8 + Send + Sync + 'static) -> Self {
        let convert = Convert::new(Claims::LeftOut);
        let schema = Schema { statuses, ..convert.schema().clone() };
        Self { choice: Box::new(choice), refuses: false, convert, schema }
    }

    /// Converts the records instead of copying them.
    #[must_use]
    pub fn converting(self) -> Self {
        // Both have the same columns until the inputs are known.
        Self { refuses: true, convert: Convert::new(Claims::Unexpected), ..self }
    }
}

impl Job for Pick {
    type Worker = ();

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn fit(
        &mut self,
        carried: &mut Vec<String>,
        sources: &[Source],
        encoders: &[&dyn Encode],
    ) -> Vec<String> {
        let left_out = self.convert.fit(carried, sources, encoders);
        self.schema = Schema { statuses: self.schema.statuses, ..self.convert.schema().clone() };
        left_out
    }

    fn want(&self) -> Want {
        self.convert.want()
    }

    fn worker(&self, _: Arc<AtomicBool>) {}

    fn answer(&self, (): &mut (), batch: &Batch, records: &Records, table: &mut Table) -> Answered {
        let answered = self.convert.answer(&mut (), batch, records, table);
        let invalid = (self.schema.statuses.len() - 2) as u8;
        for (number, status) in (batch.first_id..).zip(table.statuses_mut()) {
            let is_refused = self.refuses && *status > 0;
            *status = if is_refused { invalid } else { (self.choice)(number) };
        }
        answered
    }
}
