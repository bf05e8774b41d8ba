//! Reads a puzzle file as columns.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrow_array::Array;
use arrow_schema::Fields;
use batchdoku::arrow::run_over;
use batchdoku::input::Source;
use batchdoku::jobs::{INTERNAL_ERROR, INVALID, Job, ReadBatch, Then};
use batchdoku::output::ArrowColumns;
use batchdoku::record::{Claim, Class, Field, Label, PuzzleKind, Role, Schema, Severity, Table, Type, Want};
use batchdoku::solver::Backend;
use pyo3::prelude::*;

use crate::options::Options;
use crate::rows::Rows;
use crate::watched::{Failure, watched};

/// Returns the error for a puzzle that is not a sudoku.
fn without_column(kind: PuzzleKind) -> String {
    let (name, parts) = (kind.as_str(), kind.facts().parts);
    format!("a {name}, whose {parts} have no column here (solve_file solves it)")
}

/// The labels for the column `status`, which the table does not include.
const STATUSES: &[Label] = &[
    Label::unsearched("read", "a puzzle, and a claim if there is one", Severity::Answered),
    INVALID,
    INTERNAL_ERROR,
];

const SOLUTION: Field = Field::result("solution", Type::Text, "the claimed solution");
const ERROR: Field = Field::result("error", Type::Text, "why there is no puzzle or no claim, and where");

/// Reads the puzzles in a file, along with its claimed solutions, if any.
#[pyfunction]
pub fn read(py: Python<'_>, path: PathBuf, options: Options<'_>) -> PyResult<Rows> {
    let (read, threads) = (options.reading()?, options.threads()?);
    let job = Reading::new();
    let columns = ArrowColumns::of_files(&job.schema);
    let schema = Arc::clone(columns.schema());
    let work = move |stop: &AtomicBool| {
        let source = Source::open(&path, &read).map_err(Failure::refused)?;
        let has_claims = source.has_claim_column();
        let answered = run_over(job, vec![source], columns, threads, &(), stop);
        let mut answered = answered.map_err(|error| Failure::because(error.to_string()))?;
        match answered.ended.input_errors.pop() {
            Some(error) => Err(Failure { system: None, ..Failure::failed(error) }),
            None => Ok((answered, has_claims)),
        }
    };
    let (answered, has_claims) = watched(py, work, || Ok(()))?;
    let mut claims = answered.batches.iter().filter_map(|batch| batch.column_by_name("solution"));
    let has_claims = has_claims || claims.any(|claims| claims.null_count() < claims.len());
    let mut kept: Vec<_> = schema.fields().iter().cloned().enumerate().collect();
    kept.retain(|(_, field)| has_claims || field.name() != "solution");
    Rows::new(answered, &kept, &[], &Fields::empty(), Backend::best())
}

/// A job that returns each record unchanged.
struct Reading {
    schema: Schema,
}

impl Reading {
    fn new() -> Self {
        let unseen = |field: Field| Field { class: Class::Internal, ..field };
        let status = Field::result("status", Type::Word, "whether it was read").with_role(Role::Status);
        let fields = vec![
            unseen(Field::ID),
            unseen(Field::SOURCE),
            Field::LINE,
            unseen(Field::KIND),
            unseen(status),
            Field::PUZZLE,
            SOLUTION,
            ERROR,
        ];
        Self { schema: Schema { fields, carried: Vec::new(), measured: false, statuses: STATUSES } }
    }
}

impl Job for Reading {
    type Worker = ();

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn want(&self) -> Want {
        Want { claims: true }
    }

    fn worker(&self, _: Arc<AtomicBool>) {}

    fn answer(&self, (): &mut (), ReadBatch { batch, records }: ReadBatch<'_>, table: &mut Table) -> Then {
        for row in 0..records.len() {
            let puzzle = records.puzzle(row).filter(|_| records.is_sudoku(row));
            let claim = if puzzle.is_some() { records.claims.get(row) } else { Claim::Missing };
            let error = match (records.faults().get(row), claim) {
                (Some(fault), _) | (None, Claim::Faulty(fault)) => Some(fault.to_string()),
                (None, _) => puzzle.is_none().then(|| without_column(records.kind(row))),
            };
            let mut read = table.row(error.is_some());
            read.grid(&Field::PUZZLE, puzzle);
            if let Some(error) = error {
                read.text(&ERROR, error.as_bytes());
            }
            match claim {
                Claim::Grid(grid) => {
                    read.text(&SOLUTION, &grid.to_text(b'.'));
                }
                // A faulty claim is returned unchanged, so that `verify` can find it wrong.
                Claim::Faulty(_) => {
                    if let Some(text) = batch.claim_text(records, row) {
                        read.text(&SOLUTION, &text);
                    }
                }
                Claim::Missing => {}
            }
        }
        Then::Done
    }
}
