//! Pick: separates records according to a choice made earlier, and copies or converts them.
//!
//! This is for commands that must see all records before they can choose. A first run chooses records by number; a
//! second run uses this job to separate them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::convert::{Claims, Convert};
use super::{INTERNAL_ERROR, INVALID, Job, ReadBatch, Then};
use crate::output::Encode;
use crate::record::{Label, Schema, Severity, Table, Want};

/// The labels for a sample in the `status` column, which is not written.
const SAMPLE: &[Label] = &[
    Label::unsearched("taken", "the record was chosen", Severity::Answered),
    Label::unsearched("left", "the record was not chosen", Severity::Answered),
    INVALID,
    INTERNAL_ERROR,
];

/// Whether rows with each status go to the sample.
pub const TAKEN: [bool; SAMPLE.len()] = [true, false, false, false];
/// Whether rows with each status go to the rest.
pub const LEFT: [bool; SAMPLE.len()] = [false, true, false, false];

/// The label for the first of several identical records.
const KEPT: Label = Label::unsearched("kept", "no earlier record is the same", Severity::Answered);

/// The labels used when duplicates are removed.
const DISTINCT: &[Label] = &[
    KEPT,
    Label::unsearched("duplicate", "an earlier record is the same", Severity::Answered),
    INVALID,
    INTERNAL_ERROR,
];

/// The labels used when records that occur in `--against` are removed.
const AGAINST: &[Label] = &[
    KEPT,
    Label::unsearched("known", "a record in an --against file is the same", Severity::Unanswered),
    INVALID,
    INTERNAL_ERROR,
];

/// Returns whether rows with each status are written when duplicates are removed. Unreadable records can only be
/// copied.
#[must_use]
pub const fn distinct(are_copied: bool) -> [bool; DISTINCT.len()] {
    [true, false, are_copied, false]
}

/// Returns labels for parts with these names. Like all labels, they live until the program ends.
#[must_use]
pub fn words_of_parts(names: impl IntoIterator<Item = String>) -> &'static [Label] {
    let part =
        |name: String| Label::unsearched(name.leak(), "the record is in this part", Severity::Answered);
    names.into_iter().map(part).chain([INVALID, INTERNAL_ERROR]).collect::<Vec<_>>().leak()
}

/// Returns, for each of `statuses` statuses, whether its rows are written; this is true only for `status`.
#[must_use]
pub fn only(status: usize, statuses: usize) -> Vec<bool> {
    (0..statuses).map(|other| other == status).collect()
}

/// A set of numbers, stored as one bit per number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumberSet(Vec<u64>);

impl NumberSet {
    /// Returns whether a number is in the set.
    #[must_use]
    pub fn has(&self, number: u64) -> bool {
        self.0.get((number / 64) as usize).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Adds a number to the set.
    pub fn add(&mut self, number: u64) {
        let word = (number / 64) as usize;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }
}

/// A function that returns a record's status, given its number counted across all inputs from 1.
type Choice = Box<dyn Fn(u64) -> u8 + Send + Sync>;

/// The job that separates records.
pub struct Pick {
    choice: Choice,
    /// Whether a record that cannot be read or converted gets the status [`INVALID`].
    refuses: bool,
    convert: Convert,
    schema: Schema,
}

/// Creates a job that takes the records with these numbers, which must be in ascending order.
#[must_use]
pub fn sample(chosen: Vec<u64>) -> Pick {
    Pick::new(SAMPLE, move |number| u8::from(chosen.binary_search(&number).is_err()))
}

/// Creates a job that removes the records with these numbers. `known` is the number that precedes the first record's;
/// if it is given, duplicates are treated as a fault in the inputs.
#[must_use]
pub fn dedupe(duplicates: NumberSet, known: Option<u64>) -> Pick {
    let before = known.unwrap_or(0);
    let choice = move |number| u8::from(duplicates.has(before + number));
    Pick { refuses: true, ..Pick::new(if known.is_some() { AGAINST } else { DISTINCT }, choice) }
}

/// Creates a job that assigns a part to each record; `parts` is indexed by record number, from 0.
#[must_use]
pub fn split(statuses: &'static [Label], parts: Vec<u8>) -> Pick {
    // If a record has no part, its input has grown since the first run, and this run ends with an error.
    Pick::new(statuses, move |number| parts.get(number as usize - 1).copied().unwrap_or(0))
}

impl Pick {
    /// Creates a job that takes every record, for a first run that only examines them.
    #[must_use]
    pub fn all() -> Self {
        Self::new(SAMPLE, |_| 0)
    }

    /// Creates a job that gives each record a status: an index into the labels, which end with [`INVALID`] and
    /// [`INTERNAL_ERROR`].
    fn new(statuses: &'static [Label], choice: impl Fn(u64) -> u8 + Send + Sync + 'static) -> Self {
        let convert = Convert::new(Claims::LeftOut);
        let schema = Schema { statuses, ..convert.schema().clone() };
        Self { choice: Box::new(choice), refuses: false, convert, schema }
    }

    /// Converts the records rather than copying them.
    #[must_use]
    pub fn converting(self) -> Self {
        // Both conversions have the same columns until the inputs are known.
        Self { refuses: true, convert: Convert::new(Claims::Unexpected), ..self }
    }
}

impl Job for Pick {
    type Worker = ();

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn fit(&mut self, carried: &mut Vec<String>, has_claims: bool, encoders: &[&dyn Encode]) -> Vec<String> {
        let left_out = self.convert.fit(carried, has_claims, encoders);
        self.schema = Schema { statuses: self.schema.statuses, ..self.convert.schema().clone() };
        left_out
    }

    fn want(&self) -> Want {
        self.convert.want()
    }

    fn worker(&self, _: Arc<AtomicBool>) {}

    fn answer(&self, (): &mut (), read: ReadBatch<'_>, table: &mut Table) -> Then {
        let then = self.convert.answer(&mut (), read, table);
        let invalid = (self.schema.statuses.len() - 2) as u8;
        for (number, status) in (read.batch.first_id..).zip(table.statuses_mut()) {
            let is_refused = self.refuses && *status > 0;
            *status = if is_refused { invalid } else { (self.choice)(number) };
        }
        then
    }
}
