//! Sudominoku: generated cases, each made from a seed and a number.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Answered, INTERNAL_ERROR, Job};
use crate::generate::sudominoku::generate;
use crate::input::Batch;
use crate::record::{Class, Field, Label, Records, Role, Schema, Severity, Table, Type};
use crate::sudoku::random::spread;

statuses! {
    Generated = Label::unsearched("generated", "a case with one solution", Severity::Answered),
    InternalError = INTERNAL_ERROR,
}

const CASE: Field = Field::result("case", Type::Text, "the case, as BOJ 4574 has it")
    .with_role(Role::Case)
    .with_class(Class::Internal);

/// Whether rows are written, by status.
pub const WRITTEN: [bool; STATUSES.len()] = [true, false];

/// The number of dominoes of a case, if they make the case unique: the smallest number in BOJ 4574.
const DOMINOES: usize = 10;

/// The job that makes cases.
#[derive(Debug)]
pub struct GenerateCases {
    seed: u64,
    schema: Schema,
}

impl GenerateCases {
    /// Makes a job that makes the cases of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed, schema: Schema::without_answers([CASE], STATUSES) }
    }
}

impl Job for GenerateCases {
    type Worker = ();

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn worker(&self, _: Arc<AtomicBool>) {}

    fn answer(&self, (): &mut (), batch: &Batch, records: &Records, table: &mut Table) -> Answered {
        for number in (batch.first_id..).take(records.len()) {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(spread(self.seed).wrapping_add(number));
            let case = format!("{}\n", generate(&mut rng, DOMINOES));
            table.row(Status::Generated).text(&CASE, case.as_bytes());
        }
        Answered::a_row_each(records.len(), records)
    }
}
