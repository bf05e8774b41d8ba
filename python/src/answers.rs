//! What comes out of a job, and how Python sees it.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::{ArrowError, Field, FieldRef, Fields, Schema, SchemaRef};
use batchdoku::arrow::Answered;
use batchdoku::solver::Backend;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyCapsule, PyDict};

use crate::capsule;
use crate::figures::Figures;

/// Cells of a puzzle.
const CELLS: usize = 81;

/// The rows of a job, with the columns that were carried along in front.
#[pyclass(frozen, module = "batchdoku._batchdoku")]
pub struct Answers {
    batches: Vec<RecordBatch>,
    schema: SchemaRef,
    /// The column of solutions, whether or not it goes out.
    solutions: Vec<StringArray>,
    figures: Figures,
}

impl Answers {
    /// Puts the columns that are carried along in front of the rows.
    pub fn new(
        answered: Answered,
        own: &Schema,
        carried: Vec<(usize, Vec<ArrayRef>)>,
        fields: &Fields,
        backend: Backend,
    ) -> PyResult<Self> {
        let named = own_columns(own, fields);
        let all_fields = fields.iter().cloned().chain(named.iter().map(|(_, field)| Arc::clone(field)));
        let schema = Arc::new(Schema::new(all_fields.collect::<Fields>()));
        let column = |batch: &RecordBatch, name| batch.column_by_name(name).map(Arc::clone);
        let solutions = answered.batches.iter().filter_map(|batch| column(batch, "solution"));
        let solutions = solutions.map(|solutions| solutions.as_string().clone()).collect();
        let guesses = answered.batches.iter().filter_map(|batch| column(batch, "guesses"));
        let sum_of = |guesses: ArrayRef| {
            guesses.as_primitive::<Int64Type>().iter().flatten().map(i64::unsigned_abs).sum::<u64>()
        };
        let guesses = guesses.map(sum_of).sum();
        let figures = Figures::new(&answered.tally, &answered.ended, guesses, backend);
        let batches = joined(answered.batches, carried, &named, &schema);
        let batches = batches.map_err(|error| PyRuntimeError::new_err(format!("internal error: {error}")))?;
        Ok(Self { batches, schema, solutions, figures })
    }
}

impl Answers {
    fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// Which of our columns go out behind those carried along, and what they are called: the puzzle and the claim are there
/// already if a column is called so, and others get a name that nobody has.
fn own_columns(own: &Schema, carried: &Fields) -> Vec<(usize, FieldRef)> {
    let is_verify = own.field_with_name("other").is_ok();
    let is_taken = |name: &str| carried.iter().any(|field| field.name() == name);
    let named = |(at, field): (usize, &FieldRef)| {
        let name = field.name();
        if !is_taken(name) {
            return Some((at, Arc::clone(field)));
        }
        if name == "puzzle" || (name == "solution" && is_verify) {
            return None;
        }
        let mut name = name.clone();
        while is_taken(&name) {
            name.insert_str(0, "batchdoku_");
        }
        Some((at, Arc::new(Field::clone(field).with_name(name))))
    };
    own.fields().iter().enumerate().filter_map(named).collect()
}

/// The rows with what is carried along: of each chunk a slice for each batch of its rows.
fn joined(
    rows: Vec<RecordBatch>,
    carried: Vec<(usize, Vec<ArrayRef>)>,
    own: &[(usize, FieldRef)],
    schema: &SchemaRef,
) -> Result<Vec<RecordBatch>, ArrowError> {
    let mut chunks = carried.into_iter();
    let (mut chunk, mut start) = ((0, Vec::new()), 0);
    rows.into_iter()
        .map(|batch| {
            while start == chunk.0 {
                chunk = chunks.next().ok_or_else(|| {
                    ArrowError::InvalidArgumentError("there are more rows than puzzles".to_owned())
                })?;
                start = 0;
            }
            let count = batch.num_rows();
            let mut columns: Vec<_> = chunk.1.iter().map(|column| column.slice(start, count)).collect();
            start += count;
            columns.extend(own.iter().map(|&(at, _)| Arc::clone(batch.column(at))));
            RecordBatch::try_new(Arc::clone(schema), columns)
        })
        .collect()
}

#[pymethods]
impl Answers {
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
        self.rows()
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<&str> {
        self.schema.fields().iter().map(|field| field.name().as_str()).collect()
    }

    /// What is worth a warning.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.figures.notes.clone()
    }

    /// The column of solutions as digits, 81 a row, 0 where there is none.
    fn digits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        PyByteArray::new_with(py, self.rows() * CELLS, |digits| {
            let (rows, _) = digits.as_chunks_mut::<CELLS>();
            let solutions = self.solutions.iter().flatten();
            for (row, solution) in rows.iter_mut().zip(solutions) {
                for (digit, byte) in row.iter_mut().zip(solution.unwrap_or_default().bytes()) {
                    *digit = if byte.is_ascii_digit() { byte - b'0' } else { 0 };
                }
            }
            Ok(())
        })
    }

    /// The figures of the run.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.figures.summary(py)
    }
}
