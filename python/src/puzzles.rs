//! Reads a puzzle file as columns.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrow_array::Array;
use batchdoku::arrow::run_over;
use batchdoku::input::Source;
use batchdoku::jobs::{Job, ReadBatch, Then, convert};
use batchdoku::output::ArrowColumns;
use batchdoku::record::{Claim, Class, Fault, FaultKind, Field, PuzzleKind, Role, Schema, Table, Type, Want};
use batchdoku::solver::Backend;
use pyo3::prelude::*;

use crate::columns::Work;
use crate::files::complete_run;
use crate::options::Options;
use crate::rows::Rows;
use crate::watched::{Failure, watched};

/// Makes the fault for a puzzle that is not a sudoku.
fn without_column(kind: PuzzleKind) -> Fault {
    let fault = FaultKind::OfKind("a {w}, whose {w} have no column here (solve_file solves it)");
    Fault::new(fault, None).text(kind.as_str()).text(kind.facts().parts)
}

const SOLUTION: Field = Field::result("solution", Type::Text, "the claimed solution");
const ERROR: Field = Field { about: "why there is no puzzle or no claim, and where", ..Field::ERROR };

/// Reads the puzzles in a file, along with its claimed solutions, if any.
#[pyfunction]
pub fn read(py: Python<'_>, path: PathBuf, options: Options<'_>) -> PyResult<Rows> {
    let (read, threads) = (options.reading()?, options.threads()?);
    let job = Reading::new();
    let columns = ArrowColumns::of_files(&job.0);
    let schema = Arc::clone(columns.schema());
    let work = move |stop: &AtomicBool| {
        let source = Source::open(&path, &read).map_err(Failure::refused)?;
        let has_claims = source.has_claim_column();
        let answered = run_over(job, vec![source], columns, threads, &(), stop);
        let mut answered = answered.map_err(|error| Failure::because(error.to_string()))?;
        answered.ended = complete_run(answered.ended)?;
        Ok::<_, Failure>((answered, has_claims))
    };
    let (answered, has_claims) = watched(py, work, || Ok(()))?;
    let mut claims = answered.batches.iter().filter_map(|batch| batch.column_by_name("solution"));
    let has_claims = has_claims || claims.any(|claims| claims.null_count() < claims.len());
    let mut kept: Vec<_> = schema.fields().iter().cloned().enumerate().collect();
    kept.retain(|(_, field)| has_claims || field.name() != "solution");
    Rows::new(answered, &kept, &Work::default(), Backend::best())
}

/// A job that returns each record unchanged. The statuses are not shown, so it uses those of `convert`.
struct Reading(Schema);

impl Reading {
    fn new() -> Self {
        let is_unseen = |role| matches!(role, Role::Id | Role::Source | Role::Kind | Role::Status);
        let mut fields = [&Field::ORIGIN[..], &[Field::STATUS, Field::PUZZLE, SOLUTION, ERROR]].concat();
        let unseen = fields.iter_mut().filter(|field| is_unseen(field.role));
        unseen.for_each(|field| field.class = Class::Internal);
        Self(Schema { fields, carried: Vec::new(), measured: false, statuses: convert::ENTRY.statuses })
    }
}

impl Job for Reading {
    type Worker = ();

    fn schema(&self) -> &Schema {
        &self.0
    }

    fn want(&self) -> Want {
        Want { claims: true }
    }

    fn worker(&self, _: Arc<AtomicBool>) {}

    fn answer(&self, (): &mut (), ReadBatch { batch, records }: ReadBatch<'_>, table: &mut Table) -> Then {
        for row in 0..records.len() {
            let puzzle = records.puzzle(row).filter(|_| records.is_sudoku(row));
            let claim = if puzzle.is_some() { records.claims.get(row) } else { Claim::Missing };
            let fault = match (records.faults().get(row), claim) {
                (Some(fault), _) | (None, Claim::Faulty(fault)) => Some(fault.clone()),
                (None, _) => puzzle.is_none().then(|| without_column(records.kind(row))),
            };
            // A faulty claim is returned unchanged, so that `verify` can find it wrong.
            let claim = match claim {
                Claim::Grid(grid) => Some(grid.to_text(b'.').to_vec()),
                Claim::Faulty(_) => batch.claim_text(records, row),
                Claim::Missing => None,
            };
            let mut read = table.row(fault.is_some());
            read.grid(&Field::PUZZLE, puzzle).error(fault);
            if let Some(claim) = claim {
                read.text(&SOLUTION, &claim);
            }
        }
        Then::Done
    }
}
