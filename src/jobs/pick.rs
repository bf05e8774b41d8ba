//! Pick: separates chosen records from the rest.
//!
//! For commands that must see all records before they can choose: a first run finds the numbers of the records, a
//! second one picks them with this job.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Answered, INTERNAL_ERROR, Job};
use crate::input::Batch;
use crate::record::{Class, Column, Fault, Field, Records, Role, Schema, Sparse, Type, Weight, Word};

/// The words of the column `status`, which is not written.
const STATUSES: &[Word] = &[
    Word::unsearched("taken", "a chosen record", Weight::Answered),
    Word::unsearched("left", "any other record", Weight::Answered),
    INTERNAL_ERROR,
];

/// Whether rows are chosen, by status.
pub const TAKEN: [bool; STATUSES.len()] = [true, false, false];

/// Separates chosen records from others.
#[derive(Debug)]
pub struct Pick {
    /// The numbers of the chosen records, ascending.
    ids: Vec<u64>,
    schema: Schema,
}

impl Pick {
    /// A job that picks the records with these numbers, which ascend.
    #[must_use]
    pub fn new(ids: Vec<u64>) -> Self {
        debug_assert!(ids.is_sorted_by(|a, b| a < b), "they ascend");
        let status = Field::result("status", Type::Word, "whether it is taken").with_role(Role::Status);
        let fields = [status, Field::PUZZLE, Field::ERROR].map(|field| field.with_class(Class::Internal));
        Self { ids, schema: Schema::new(&fields, STATUSES, false) }
    }
}

impl Job for Pick {
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
        let first = batch.first_id;
        statuses.clear();
        statuses.resize(records.len(), 1);
        let from = self.ids.partition_point(|&id| id < first);
        let of_batch = self.ids[from..].iter().take_while(|&&id| id - first < records.len() as u64);
        of_batch.for_each(|id| statuses[(id - first) as usize] = 0);
        Answered::a_row_each(records.len(), records)
    }

    fn columns<'a>(&self, records: &'a Records, (statuses, faults): &'a Self::Answers) -> Vec<Column<'a>> {
        vec![
            Column::Words(statuses, STATUSES),
            Column::Grids(records.puzzles(), records.readable()),
            Column::Faults(faults),
        ]
    }
}
