//! Columns and tables passed in from Python.

use std::sync::Arc;

use arrow_array::builder::LargeStringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayReader, ArrayRef, FixedSizeListArray, Int64Array, UInt8Array, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields};
use batchdoku::sudoku::CELLS;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyFloat, PyInt, PyIterator, PyString};

use crate::capsule;

/// The hint given when puzzles were read as numbers.
pub const READ_AS_TEXT: &str = "81 digits are not a number: read the file with batchdoku.read(path), or as text \
    (infer_schema=False in Polars, dtype=str in pandas, all_varchar=true in DuckDB)";

/// A column or a table, in one or more pieces.
#[pyclass(frozen, module = "batchdoku._batchdoku")]
pub struct Data {
    field: FieldRef,
    pieces: Vec<ArrayRef>,
}

#[pymethods]
impl Data {
    /// Reads the data from a capsule that `__arrow_c_stream__` returned.
    #[staticmethod]
    fn from_stream(py: Python<'_>, stream: &Bound<'_, PyCapsule>) -> PyResult<Self> {
        let reader = capsule::stream(stream)?.map_err(not_read)?;
        let field = Arc::clone(reader.field());
        // The producer might be waiting for another Python thread.
        let pieces = py.detach(|| reader.collect::<Result<_, _>>()).map_err(not_read)?;
        Ok(Self { field, pieces })
    }

    /// Reads the data from the capsules that `__arrow_c_array__` returned.
    #[staticmethod]
    fn from_array(schema: &Bound<'_, PyCapsule>, array: &Bound<'_, PyCapsule>) -> PyResult<Self> {
        let (field, array) = capsule::array(schema, array)?.map_err(not_read)?;
        Ok(Self { field: field.into(), pieces: vec![array] })
    }

    /// Reads strings from an iterator. `None` stands for a missing string, and an integer gets its leading zeros back.
    #[staticmethod]
    fn from_texts(texts: &Bound<'_, PyIterator>) -> PyResult<Self> {
        let mut builder = LargeStringBuilder::new();
        // In an integer, every blank is a 0, so the strings in the same column must not use other blanks.
        let (mut first_number, mut has_other_blanks) = (None, false);
        let refused = |row: usize, found: &Bound<'_, PyAny>| {
            let hint = if found.is_instance_of::<PyFloat>() { READ_AS_TEXT } else { "expected str or None" };
            let found = found.get_type().qualname()?;
            Ok::<_, PyErr>(PyTypeError::new_err(format!("item {row} of data is of type {found} ({hint})")))
        };
        for (row, text) in texts.try_iter()?.enumerate() {
            let text = text?;
            if text.is_none() {
                builder.append_null();
            } else if let Ok(text) = text.cast::<PyString>() {
                // A lone surrogate can never be part of a puzzle.
                let text = text.to_string_lossy();
                has_other_blanks |= text.bytes().any(|byte| b".*_-?Xx".contains(&byte));
                builder.append_value(text);
            } else if text.is_instance_of::<PyInt>() && !text.is_instance_of::<PyBool>() && text.ge(0)? {
                // The zeros lost by the integer are blanks.
                builder.append_value(format!("{:0>CELLS$}", text.str()?.to_string_lossy()));
                first_number.get_or_insert((row, text));
            } else {
                return Err(refused(row, &text)?);
            }
        }
        if let Some((row, number)) = first_number.filter(|_| has_other_blanks) {
            return Err(refused(row, &number)?);
        }
        Ok(Self::column(Arc::new(builder.finish())))
    }

    /// Makes puzzles with 81 integers each, of type `uint8`, `int64` or `uint64`, from their bytes in memory.
    #[staticmethod]
    fn from_numbers(numbers: &[u8], dtype: &str) -> PyResult<Self> {
        let wide = || numbers.as_chunks::<8>().0.iter();
        let values: ArrayRef = match dtype {
            "uint8" => Arc::new(UInt8Array::from(numbers.to_vec())),
            "int64" => Arc::new(Int64Array::from_iter_values(wide().map(|&bytes| i64::from_ne_bytes(bytes)))),
            "uint64" => {
                Arc::new(UInt64Array::from_iter_values(wide().map(|&bytes| u64::from_ne_bytes(bytes))))
            }
            _ => return Err(PyTypeError::new_err(format!("numbers of type {dtype}"))),
        };
        let item = Arc::new(Field::new("item", values.data_type().clone(), false));
        let lists = FixedSizeListArray::try_new(item, CELLS as i32, values, None).map_err(not_read)?;
        Ok(Self::column(Arc::new(lists)))
    }
}

impl Data {
    fn column(array: ArrayRef) -> Self {
        Self { field: Arc::new(Field::new("", array.data_type().clone(), true)), pieces: vec![array] }
    }

    /// Returns the fields if the data is a table.
    pub fn fields(&self) -> Option<&Fields> {
        match self.field.data_type() {
            DataType::Struct(fields) => Some(fields),
            _ => None,
        }
    }

    /// Returns the field, which holds the name and the type.
    pub fn field(&self) -> &FieldRef {
        &self.field
    }

    /// Returns each piece's number of rows and its columns (just one, unless the data is a table).
    pub fn pieces(&self) -> impl Iterator<Item = (usize, &[ArrayRef])> {
        self.pieces.iter().map(|piece| {
            let columns = match piece.as_struct_opt() {
                Some(table) => table.columns(),
                None => std::slice::from_ref(piece),
            };
            (piece.len(), columns)
        })
    }
}

/// Makes an error for data that Arrow cannot read.
fn not_read(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
