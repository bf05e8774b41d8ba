//! Sudominoku: cases that are generated, each from a seed and its number.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Answered, INTERNAL_ERROR, Job};
use crate::generate::sudominoku::generate;
use crate::input::Batch;
use crate::record::{Class, Column, Fault, Field, Records, Role, Schema, Sparse, Texts, Type, Weight, Word};
use crate::sudoku::random::spread;

/// The words of the column `status`, which is not written.
const STATUSES: &[Word] =
    &[Word::unsearched("generated", "a case with one solution", Weight::Answered), INTERNAL_ERROR];

/// Whether rows are written, by status.
pub const WRITTEN: [bool; STATUSES.len()] = [true, false];

/// The number of dominoes of a case, if they make it unique: the smallest number in BOJ 4574.
const DOMINOES: usize = 10;

/// Makes cases.
#[derive(Debug)]
pub struct GenerateCases {
    seed: u64,
    schema: Schema,
}

impl GenerateCases {
    /// A job that makes the cases of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let status = Field::result("status", Type::Word, "whether it was made").with_role(Role::Status);
        let case = Field::result("case", Type::Text, "the case, as BOJ 4574 has it").with_role(Role::Case);
        let fields = Field::ORIGIN.into_iter().chain([status, case, Field::ERROR]);
        let fields = fields.map(|field| field.with_class(Class::Internal)).collect();
        Self { seed, schema: Schema { fields, carried: Vec::new(), measured: false, statuses: STATUSES } }
    }
}

impl Job for GenerateCases {
    type Worker = ();
    type Answers = (Vec<u8>, Texts, Sparse<Fault>);

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
        (statuses, cases, _): &mut Self::Answers,
    ) -> Answered {
        statuses.clear();
        statuses.resize(records.len(), 0);
        cases.clear();
        for number in (batch.first_id..).take(records.len()) {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(spread(self.seed).wrapping_add(number));
            cases.push(Some(format!("{}\n", generate(&mut rng, DOMINOES)).as_bytes()));
        }
        Answered::a_row_each(records.len(), records)
    }

    fn columns<'a>(&self, _: &'a Records, (statuses, cases, faults): &'a Self::Answers) -> Vec<Column<'a>> {
        vec![Column::Words(statuses, STATUSES), Column::Texts(cases), Column::Faults(faults)]
    }
}
