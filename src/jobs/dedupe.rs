//! Dedupe: separates records that are the same as an earlier one from all others.
//!
//! A first run finds which they are, a second one separates them with this job. A record that cannot be read is never
//! the same as another.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::convert::{Claims, Convert};
use super::pick::Numbers;
use super::{Answered, INTERNAL_ERROR, INVALID, Job};
use crate::input::{Batch, Source};
use crate::output::Encode;
use crate::record::{Column, Records, Schema, Want, Weight, Word};

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

/// The index of [`INVALID`].
const INVALID_STATUS: u8 = 2;

/// Whether rows are written, by status: records that cannot be read can be copied, and not converted.
#[must_use]
pub const fn written(are_copied: bool) -> [bool; STATUSES.len()] {
    [true, false, are_copied, false]
}

/// Separates duplicates from other records, which are converted.
#[derive(Debug)]
pub struct Dedupe {
    duplicates: Numbers,
    /// The number of the record before the first one.
    before: u64,
    statuses: &'static [Word],
    convert: Convert,
}

impl Dedupe {
    /// A job that separates the records with these numbers, where the first record comes after number `before`: if that
    /// is not `None`, duplicates are a fault of the inputs. Claims are for records that are converted.
    #[must_use]
    pub fn new(duplicates: Numbers, before: Option<u64>, claims: Claims) -> Self {
        let statuses = if before.is_some() { AGAINST } else { STATUSES };
        let before = before.unwrap_or(0);
        Self { duplicates, before, statuses, convert: Convert::new(claims) }.completed()
    }

    /// Writes the columns of the inputs that the output format can hold; returns the names of the others, too.
    #[must_use]
    pub fn fitted(mut self, sources: &[&Source], encoder: &dyn Encode) -> (Self, Vec<String>) {
        let (convert, left_out) = self.convert.fitted(sources, encoder);
        self.convert = convert;
        (self.completed(), left_out)
    }

    fn completed(mut self) -> Self {
        self.convert.schema_mut().statuses = self.statuses;
        self
    }
}

impl Job for Dedupe {
    type Worker = ();
    type Answers = <Convert as Job>::Answers;

    fn schema(&self) -> &Schema {
        self.convert.schema()
    }

    fn schema_mut(&mut self) -> &mut Schema {
        self.convert.schema_mut()
    }

    fn want(&self) -> Want {
        self.convert.want()
    }

    fn worker(&self, _: Arc<AtomicBool>) {}

    fn answer(&self, (): &mut (), batch: &Batch, records: &Records, answers: &mut Self::Answers) -> Answered {
        let answered = self.convert.answer(&mut (), batch, records, answers);
        for (number, status) in (self.before + batch.first_id..).zip(&mut answers.0) {
            *status = if *status > 0 { INVALID_STATUS } else { self.duplicates.has(number).into() };
        }
        answered
    }

    fn columns<'a>(&self, records: &'a Records, answers: &'a Self::Answers) -> Vec<Column<'a>> {
        let mut columns = self.convert.columns(records, answers);
        columns[0] = Column::Words(&answers.0, self.statuses);
        columns
    }
}
