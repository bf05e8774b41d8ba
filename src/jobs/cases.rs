//! Generated puzzles that are not plain sudokus, each made from a seed and a number.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{INTERNAL_ERROR, Job, ReadBatch, Then};
use crate::record::{Class, Field, Label, MakePuzzle, Role, Schema, Severity, Table, Type};
use crate::sudoku::random::spread;

statuses! {
    Generated = Label::unsearched("generated", "a case with one solution", Severity::Answered),
    InternalError = INTERNAL_ERROR,
}

const CASE: Field = Field::result("case", Type::Text, "the puzzle, in the format of its kind")
    .with_role(Role::Case)
    .with_class(Class::Internal);

/// Whether rows with each status are written.
pub const WRITTEN: [bool; STATUSES.len()] = [true, false];

/// The job that generates puzzles of one kind.
#[derive(Debug)]
pub struct GenerateCases {
    make: MakePuzzle,
    seed: u64,
    schema: Schema,
}

impl GenerateCases {
    /// Creates a job that generates puzzles from this seed.
    #[must_use]
    pub fn new(make: MakePuzzle, seed: u64) -> Self {
        Self { make, seed, schema: Schema::without_answers([CASE], STATUSES) }
    }
}

impl Job for GenerateCases {
    type Worker = ();

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn worker(&self, _: Arc<AtomicBool>) {}

    fn answer(&self, (): &mut (), read: ReadBatch<'_>, table: &mut Table) -> Then {
        for number in (read.batch.first_id..).take(read.records.len()) {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(spread(self.seed).wrapping_add(number));
            table.row(Status::Generated).text(&CASE, (self.make)(&mut rng).as_bytes());
        }
        Then::Done
    }
}
