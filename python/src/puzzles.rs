//! A file of puzzles as columns.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrow_array::builder::{Int64Builder, StringBuilder};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use batchdoku::input::{Batch, ReadOptions, Source};
use batchdoku::pipeline::{self, Numbering, RunError, Threads, Ticket, ordered};
use batchdoku::record::{Claim, Records, Want};
use batchdoku::sudoku::{CELLS, Grid};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::capsule;
use crate::files::Failure;
use crate::jobs::watched;
use crate::reading::Reading;

/// Bytes of text that become one record batch.
const BATCH_BYTES: usize = 1 << 20;

/// Batches that are read before those ahead of them were taken.
const BATCHES_PER_THREAD: usize = 2;

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
pub fn read(py: Python<'_>, path: PathBuf, reading: Reading) -> PyResult<Puzzles> {
    let (options, threads) = reading.options()?;
    let work = move |stop: &AtomicBool| columns_of(&path, &options, threads, stop);
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

/// What was read, or how that ended.
enum Found<B> {
    Batch(B),
    End(Vec<String>, Option<Failure>),
}

fn columns_of(
    path: &Path,
    options: &ReadOptions,
    threads: NonZeroUsize,
    stop: &AtomicBool,
) -> Result<Columns, Failure> {
    let source = Source::open(path, options).map_err(|error| Failure::of(&error, true))?;
    let mut columns = Columns { has_claims: source.has_claim_column(), ..Columns::default() };
    let mut source = Some(source);
    let mut numbering = Numbering::default();
    let read = move |buffer| {
        let error = match source.as_mut()?.next_batch(buffer, BATCH_BYTES) {
            Ok(Some(batch)) => return Some(Found::Batch((batch, numbering.ticket(false)))),
            Ok(None) => None,
            Err(error) => Some(Failure::of(&error, false)),
        };
        source.take().map(|source| Found::End(source.notes().to_vec(), error))
    };
    let work = |found| match found {
        Found::Batch((batch, ticket)) => Found::Batch(Rows::of(batch, ticket)),
        Found::End(notes, error) => Found::End(notes, error),
    };
    let take = |found| {
        match found {
            Found::Batch(rows) => return Ok(ControlFlow::Continue(columns.add(rows))),
            Found::End(_, Some(error)) => return Err(error),
            Found::End(notes, None) => columns.notes = notes,
        }
        Ok(ControlFlow::Continue(Vec::new()))
    };
    let (mut pool, under_way) = (Threads::up_to(threads), BATCHES_PER_THREAD * threads.get());
    match ordered(&mut pool, under_way, read, work, take, stop, &Arc::default()) {
        Ok(_) => Ok(columns),
        Err(pipeline::Failure::Sink(error)) => Err(error),
        Err(pipeline::Failure::Threads(message)) => Err(Failure::of(&RunError::Threads(message), false)),
        Err(pipeline::Failure::Panic { message, .. }) => {
            Err(Failure { message: format!("internal error: {message}"), system: None, is_value: false })
        }
    }
}

/// The records of a batch in columns.
struct Rows {
    columns: [ArrayRef; 4],
    faulty: usize,
    has_claims: bool,
    /// The text, to be used again.
    text: Vec<u8>,
}

impl Rows {
    fn of(batch: Batch, ticket: Ticket) -> Self {
        let mut records = Records::default();
        let read = batch.read(Want { claims: true }, &mut records);
        let rows = records.len();
        records.shift_lines(ticket.count(rows as u64, read.lines).lines);
        let (mut lines, mut errors) = (Int64Builder::with_capacity(rows), StringBuilder::new());
        let text = || StringBuilder::with_capacity(rows, rows * CELLS);
        let (mut puzzles, mut solutions) = (text(), text());
        for row in 0..rows {
            lines.append_value(i64::try_from(records.lines()[row]).unwrap_or(i64::MAX));
            let is_puzzle = records.is_sudoku(row);
            let claim = if is_puzzle { records.claims.get(row) } else { Claim::Missing };
            if is_puzzle {
                append(&mut puzzles, &records.puzzles()[row]);
            } else {
                puzzles.append_null();
            }
            match claim {
                Claim::Grid(grid) => append(&mut solutions, grid),
                // A claim that is no grid stays what it is, so that it is found wrong.
                Claim::Faulty(_) => {
                    let text = batch.claim_text(&records, row);
                    solutions.append_option(text.as_deref().map(String::from_utf8_lossy));
                }
                Claim::Missing => solutions.append_null(),
            }
            errors.append_option(match (records.faults().get(row), claim) {
                (Some(fault), _) | (None, Claim::Faulty(fault)) => Some(fault.to_string()),
                (None, _) => (!is_puzzle).then(|| CASE.to_owned()),
            });
        }
        let (solutions, errors) = (solutions.finish(), errors.finish());
        let (has_claims, faulty) = (solutions.null_count() < rows, rows - errors.null_count());
        let columns: [ArrayRef; 4] =
            [Arc::new(lines.finish()), Arc::new(puzzles.finish()), Arc::new(solutions), Arc::new(errors)];
        Self { columns, faulty, has_claims, text: batch.bytes }
    }
}

/// Appends the characters of a grid.
fn append(texts: &mut StringBuilder, grid: &Grid) {
    texts.append_value(str::from_utf8(&grid.to_text(b'.')).expect("digits and dots are ASCII"));
}

impl Columns {
    /// Takes the next rows, and gives the memory of their text.
    fn add(&mut self, rows: Rows) -> Vec<u8> {
        self.batches.push(rows.columns);
        self.faulty += rows.faulty;
        self.has_claims |= rows.has_claims;
        rows.text
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
