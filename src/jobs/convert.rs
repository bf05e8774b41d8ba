//! Convert: puzzles and their claimed solutions, for another format.
//!
//! Nothing is solved or checked: clues may clash and claims may be wrong. Records are not converted if they cannot be
//! read, or if no output format can hold them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::search::refused_variant;
use super::{Answered, INTERNAL_ERROR, INVALID, Job, JobEntry};
use crate::input::{Batch, Carried, Source};
use crate::output::Encode;
use crate::record::{
    Claim, Fault, FaultKind, Field, Label, Records, Role, Schema, Severity, Table, Type, Want,
};
use crate::sudoku::verifier;

statuses! {
    Converted = Label::unsearched("converted", "written in the other format", Severity::Answered),
    Invalid = INVALID,
    InternalError = INTERNAL_ERROR,
}

/// Whether rows are written, by status.
pub const WRITTEN: [bool; STATUSES.len()] = [true, false, false];

/// The column of the claimed solutions; encoders treat them as the solutions.
pub const SOLUTION: Field =
    Field::result("solution", Type::Grid, "the claimed solution").with_role(Role::Solution);

/// The entry in the list of jobs; the columns of the input come after its own.
pub const ENTRY: JobEntry =
    JobEntry { name: "convert", has_origin: false, fields: &[Field::PUZZLE, SOLUTION], statuses: STATUSES };

/// The job that converts every record that can be read.
#[derive(Clone, Debug)]
pub struct Convert {
    claims: Claims,
    schema: Schema,
}

/// The handling of claimed solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claims {
    /// Claims are written.
    Written,
    /// Claims are written: a record without one, or with a wrong one, is not converted.
    Needed,
    /// No claims are expected: a record with one is not converted.
    Unexpected,
    /// Claims are not read.
    LeftOut,
}

impl Convert {
    /// Makes a job that handles claims in this way.
    #[must_use]
    pub fn new(claims: Claims) -> Self {
        let solution = matches!(claims, Claims::Written | Claims::Needed).then_some(SOLUTION);
        let fields = [Field::PUZZLE].into_iter().chain(solution);
        Self { claims, schema: Schema::without_answers(fields, STATUSES) }
    }
}

impl Job for Convert {
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
        let fits = |job: &Self, carried: &[String]| {
            let schema = Schema { carried: carried.to_vec(), ..job.schema.clone() };
            encoders.iter().all(|encoder| encoder.fits(&schema).is_ok())
        };
        if self.claims == Claims::Unexpected && sources.iter().any(Source::has_claims) {
            *self = Self::new(Claims::Written);
            // Another column may have the same name as that of the claims.
            let mut carried = carried.iter_mut();
            while let Some(name) = carried.find(|name| name.eq_ignore_ascii_case(SOLUTION.name)) {
                name.insert_str(0, Carried::PREFIX);
            }
        }
        let mut left_out = Vec::new();
        if !fits(self, carried) {
            left_out = std::mem::take(carried);
        }
        if !fits(self, carried) {
            left_out.insert(0, SOLUTION.name.to_owned());
            *self = Self::new(Claims::LeftOut);
        }
        left_out
    }

    fn want(&self) -> Want {
        Want { claims: self.claims != Claims::LeftOut }
    }

    fn worker(&self, _: Arc<AtomicBool>) {}

    fn answer(&self, (): &mut (), batch: &Batch, records: &Records, table: &mut Table) -> Answered {
        for row in 0..records.len() {
            let fault = self.refusal(batch, records, row);
            let status = if fault.is_some() { Status::Invalid } else { Status::Converted };
            table.row(status).error(fault);
        }
        Answered::a_row_each(records.len(), records)
    }
}

impl Convert {
    /// Returns the reason why a record is not converted, if it is not.
    pub(super) fn refusal(&self, batch: &Batch, records: &Records, row: usize) -> Option<Fault> {
        if let Some(fault) = records.faults().get(row) {
            return Some(fault.clone());
        }
        let why = |parts: &str| format!("whose {parts} no output format holds");
        if let Some(fault) = refused_variant(records, row, why) {
            return Some(fault);
        }
        let kind = match (records.claims.get(row), self.claims) {
            (Claim::Faulty(fault), _) => return Some(fault.clone()),
            (Claim::Grid(_), Claims::Unexpected) => FaultKind::LateClaim,
            (Claim::Missing, Claims::Needed) => FaultKind::MissingClaim,
            (Claim::Grid(claim), Claims::Needed) if !verifier::sudoku(&records.puzzles()[row], claim) => {
                FaultKind::WrongClaim
            }
            (Claim::Grid(_) | Claim::Missing, _) => return None,
        };
        Some(Fault::new(kind, Some(batch.claim_place(records, row, 0))))
    }
}
