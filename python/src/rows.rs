//! The rows that a job returns.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{Field, FieldRef, Fields, Schema, SchemaRef};
use arrow_select::take::take_arrays;
use batchdoku::arrow::Answered;
use batchdoku::pipeline::{Ended, Tally};
use batchdoku::solver::Backend;
use batchdoku::sudoku::CELLS;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyByteArray, PyCapsule, PyDict};

use crate::capsule;
use crate::columns::{Work, unused};

/// The figures of a run.
pub struct Figures {
    /// The counts.
    pub tally: Tally,
    /// How the run ended.
    pub ended: Ended,
    /// The backend.
    pub backend: Backend,
}

impl Figures {
    /// Returns the figures as a dictionary.
    pub fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let statuses = self.tally.statuses().map(|(status, count)| (status.name, count));
        let summary = PyDict::new(py);
        summary.set_item("rows", self.tally.records)?;
        summary.set_item("statuses", statuses.into_py_dict(py)?)?;
        summary.set_item("guesses", self.tally.guesses)?;
        summary.set_item("seconds", self.ended.wall.as_secs_f64())?;
        summary.set_item("backend", self.backend.name())?;
        summary.set_item("threads", self.ended.threads)?;
        Ok(summary)
    }
}

/// A job's rows, with the carried columns first.
#[pyclass(frozen, module = "batchdoku._batchdoku")]
pub struct Rows {
    batches: Vec<RecordBatch>,
    schema: SchemaRef,
    /// The column of solutions, canonical forms or puzzles, even if the rows do not include it.
    solutions: Vec<StringArray>,
    figures: Figures,
}

impl Rows {
    /// Makes rows from the carried columns followed by the columns `own`.
    pub fn new(
        answered: Answered,
        own: &[(usize, FieldRef)],
        work: &Work,
        backend: Backend,
    ) -> PyResult<Self> {
        let Answered { batches, records, tally, ended } = answered;
        let all = work.fields.iter().chain(own.iter().map(|(_, field)| field)).map(Arc::clone);
        let schema = Arc::new(Schema::new(all.collect::<Fields>()));
        let names = ["solution", "canonical", "puzzle"];
        let solutions =
            batches.iter().filter_map(|batch| names.iter().find_map(|name| batch.column_by_name(name)));
        let solutions = solutions.map(|column| column.as_string().clone()).collect();
        let chunks = work.carried.iter().scan(0, |end, (rows, columns)| {
            *end += rows;
            Some((*end - rows, &**columns))
        });
        let chunks: Vec<(usize, &[ArrayRef])> = chunks.collect();
        // The next data row, if each data row yields exactly one row here.
        let mut next = 0;
        let whole = |(batch, records): (RecordBatch, Option<Vec<u64>>)| {
            let first = records.as_ref().map_or(next, |ids| ids[0] as usize - 1);
            next = first + batch.num_rows();
            let chunk = chunks.partition_point(|&(start, _)| start <= first).checked_sub(1);
            let (start, carried) = chunk.map_or((0, &[][..]), |chunk| chunks[chunk]);
            let mut columns = match records {
                Some(ids) => {
                    let rows: UInt64Array = ids.iter().map(|id| id - 1 - start as u64).collect();
                    take_arrays(carried, &rows, None)?
                }
                None => carried.iter().map(|it| it.slice(first - start, batch.num_rows())).collect(),
            };
            columns.extend(own.iter().map(|&(at, _)| Arc::clone(batch.column(at))));
            RecordBatch::try_new(Arc::clone(&schema), columns)
        };
        let rows = batches.into_iter().zip(records).filter(|(batch, _)| batch.num_rows() > 0);
        let batches = rows.map(whole).collect::<Result<_, _>>();
        let batches = batches.map_err(|error| PyRuntimeError::new_err(format!("internal error: {error}")))?;
        Ok(Self { batches, schema, solutions, figures: Figures { tally, ended, backend } })
    }

    fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// Returns the job columns that follow the carried ones, with their names. If a carried column has the same name, the
/// job column is omitted (if it is in `left_out`) or renamed.
pub fn own_columns(own: &Schema, left_out: &[&str], carried: &Fields) -> Vec<(usize, FieldRef)> {
    let named = |(at, field): (usize, &FieldRef)| {
        let name = unused(field.name(), carried);
        if name == *field.name() {
            return Some((at, Arc::clone(field)));
        }
        let renamed = || (at, Arc::new(Field::clone(field).with_name(name)));
        (!left_out.contains(&&**field.name())).then(renamed)
    };
    own.fields().iter().enumerate().filter_map(named).collect()
}

#[pymethods]
impl Rows {
    /// Returns the rows as a stream of record batches. A requested schema is ignored, as the interface permits.
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

    /// Returns the names of the columns.
    #[getter]
    fn columns(&self) -> Vec<&str> {
        self.schema.fields().iter().map(|field| field.name().as_str()).collect()
    }

    /// Returns the warnings.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.figures.ended.notes.clone()
    }

    /// Returns the column of solutions, canonical forms or puzzles as digits: 81 per row, all 0 if a row has none.
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

    /// Returns the figures of the run.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.figures.summary(py)
    }
}
