//! Convert: writes puzzles and their claimed solutions in another format.
//!
//! Nothing is solved or checked: clues can clash and claims can be wrong. A record is skipped only if it cannot be
//! read, or if no output format can hold it.

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
    Converted = Label::unsearched("converted", "written in the output format", Severity::Answered),
    Invalid = INVALID,
    InternalError = INTERNAL_ERROR,
}

/// Whether rows with each status are written.
pub const WRITTEN: [bool; STATUSES.len()] = [true, false, false];

/// The column for claimed solutions, which encoders treat as solutions.
pub const SOLUTION: Field =
    Field::result("solution", Type::Grid, "the claimed solution").with_role(Role::Solution);

/// The job's entry in the list of jobs; the input's own columns follow the job's columns.
pub const ENTRY: JobEntry =
    JobEntry { name: "convert", has_origin: false, fields: &[Field::PUZZLE, SOLUTION], statuses: STATUSES };

/// The job that converts every record that can be read.
#[derive(Clone, Debug)]
pub struct Convert {
    claims: Claims,
    schema: Schema,
}

/// How claimed solutions are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claims {
    /// Claims are written.
    Written,
    /// Claims are written. A record whose claim is missing or wrong is not converted.
    Needed,
    /// No claims are expected, so a record that has one is not converted.
    Unexpected,
    /// Claims are not read.
    LeftOut,
}

impl Convert {
    /// Creates a job that handles claims this way.
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
        if self.claims == Claims::Unexpected && sources.iter().any(|source| source.look().has_claims) {
            *self = Self::new(Claims::Written);
            // A carried column may have the same name as the claims column.
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
    /// Returns the reason why a record is not converted, or `None` if it is.
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
