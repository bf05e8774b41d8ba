//! A file of puzzles as columns.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::builder::{Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use batchdoku::input::{Batch, ReadOptions, Source};
use batchdoku::record::{Claim, PuzzleKind, Records, Want};
use batchdoku::sudoku::Grid;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::capsule;
use crate::files::{Failure, NAMES};
use crate::jobs::watched;

/// Bytes of text that become one record batch.
const BATCH_BYTES: usize = 1 << 20;

/// What is said of a Sudominoku case.
const CASE: &str = "a sudominoku, whose dominoes have no column here (solve_file solves it)";

/// The puzzles of a file, a row each.
#[pyclass(frozen, module = "batchdoku._batchdoku")]
pub struct Puzzles {
    batches: Vec<RecordBatch>,
    schema: SchemaRef,
    faulty: usize,
    notes: Vec<String>,
}

#[pymethods]
impl Puzzles {
    /// The rows as a stream of record batches; a schema that is requested is not looked at, as the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        capsule::of_batches(py, self.batches.clone(), &self.schema)
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<&str> {
        self.schema.fields().iter().map(|field| field.name().as_str()).collect()
    }

    /// How many rows have an error.
    #[getter]
    const fn faulty(&self) -> usize {
        self.faulty
    }

    /// What is worth a warning.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

/// Reads the puzzles of a file, and the solutions that it claims if there are any.
#[pyfunction]
pub fn read(
    py: Python<'_>,
    path: PathBuf,
    column: Option<String>,
    solution: Option<String>,
) -> PyResult<Puzzles> {
    // Claims are read if there are some, and missed only by who names them.
    let claims = solution.is_some();
    let options = ReadOptions {
        puzzle_column: column,
        solution_column: solution,
        claims,
        option_names: &NAMES,
        ..ReadOptions::default()
    };
    let work = move |stop: &AtomicBool| columns_of(&path, &options, stop);
    let columns = watched(py, work, |_| Ok(()))?.map_err(Failure::raised)?;
    columns.puzzles().map_err(|error| PyRuntimeError::new_err(format!("internal error: {error}")))
}

/// Puzzles and claims in columns, batch by batch.
#[derive(Default)]
struct Columns {
    batches: Vec<[ArrayRef; 4]>,
    faulty: usize,
    has_claims: bool,
    notes: Vec<String>,
}

fn columns_of(path: &Path, options: &ReadOptions, stop: &AtomicBool) -> Result<Columns, Failure> {
    let mut source = Source::open(path, options).map_err(|error| Failure::of(&error, true))?;
    let (mut columns, mut records, mut buffer) = (Columns::default(), Records::default(), Vec::new());
    while !stop.load(Ordering::Relaxed) {
        let batch = source.next_batch(buffer, BATCH_BYTES).map_err(|error| Failure::of(&error, false))?;
        let Some(batch) = batch else { break };
        batch.read(Want { claims: true }, &mut records);
        columns.add(&batch, &records);
        buffer = batch.bytes;
    }
    columns.notes = source.notes().to_vec();
    columns.has_claims |= source.has_claim_column();
    Ok(columns)
}

impl Columns {
    fn add(&mut self, batch: &Batch, records: &Records) {
        let rows = records.len();
        let (mut lines, mut errors) = (Int64Builder::with_capacity(rows), StringBuilder::new());
        let text = || StringBuilder::with_capacity(rows, rows * 81);
        let (mut puzzles, mut solutions) = (text(), text());
        for row in 0..rows {
            lines.append_value(i64::try_from(records.lines()[row]).unwrap_or(i64::MAX));
            let is_case = records.kinds()[row] == PuzzleKind::Sudominoku as u8;
            let claim = records.claims.get(row);
            let puzzle = &records.puzzles()[row];
            // A claim that is no grid stays what it is, so that it is found wrong.
            let claimed =
                || batch.claim_text(records, row).map(|text| String::from_utf8_lossy(&text).into_owned());
            let (puzzle, claim, error) = match (records.faults().get(row), claim) {
                (Some(fault), _) => (None, None, Some(fault.to_string())),
                _ if is_case => (None, None, Some(CASE.to_owned())),
                (None, Claim::Faulty(fault)) => (Some(puzzle), claimed(), Some(fault.to_string())),
                (None, Claim::Grid(claim)) => (Some(puzzle), Some(claim.to_string()), None),
                (None, Claim::Missing) => (Some(puzzle), None, None),
            };
            puzzles.append_option(puzzle.map(Grid::to_string));
            self.faulty += usize::from(error.is_some());
            self.has_claims |= claim.is_some();
            solutions.append_option(claim);
            errors.append_option(error);
        }
        self.batches.push([
            Arc::new(lines.finish()),
            Arc::new(puzzles.finish()),
            Arc::new(solutions.finish()),
            Arc::new(errors.finish()),
        ]);
    }

    /// As a table; without a column of claims if there are none.
    fn puzzles(self) -> Result<Puzzles, ArrowError> {
        let fields = [
            Field::new("line", DataType::Int64, false),
            Field::new("puzzle", DataType::Utf8, true),
            Field::new("solution", DataType::Utf8, true),
            Field::new("error", DataType::Utf8, true),
        ];
        let kept = [true, true, self.has_claims, true];
        let kept = move |at: &usize| kept[*at];
        let schema = (0..4).filter(kept).map(|at| fields[at].clone()).collect::<Vec<_>>();
        let schema = Arc::new(Schema::new(schema));
        let batch = |columns: [ArrayRef; 4]| {
            let columns = (0..4).filter(kept).map(|at| Arc::clone(&columns[at])).collect();
            RecordBatch::try_new(Arc::clone(&schema), columns)
        };
        let batches = self.batches.into_iter().map(batch).collect::<Result<_, _>>()?;
        Ok(Puzzles { batches, schema, faulty: self.faulty, notes: self.notes })
    }
}
