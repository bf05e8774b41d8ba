//! Passes Arrow's C interface through Python capsules. This file contains the only unsafe code here.
//!
//! `__arrow_c_stream__` needs neither pyarrow nor numpy, neither to build nor to run. Two crates implement it:
//! `pyo3-arrow` used an older Arrow and pulls in numpy, time zones and casts; `arrow-pyarrow` used an older PyO3 and
//! cannot read columns in pieces.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator, make_array};
use arrow_schema::{ArrowError, Field, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// Reads an array and its field from the capsules that `__arrow_c_array__` returned.
pub fn array(
    schema: &Bound<'_, PyCapsule>,
    array: &Bound<'_, PyCapsule>,
) -> PyResult<Result<(Field, ArrayRef), ArrowError>> {
    let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
    // SAFETY: a capsule with that name points to such a struct as long as it lives, and it is borrowed here.
    let schema = unsafe { schema.as_ref() };
    // SAFETY: as above. The struct is moved out of the capsule and marked there as released, so it is released only
    // once.
    let array = unsafe { FFI_ArrowArray::from_raw(array.as_ptr()) };
    Ok(Field::try_from(schema).and_then(|field| {
        // SAFETY: the interface promises that the array matches the schema.
        let data = unsafe { from_ffi(array, schema) }?;
        Ok((field, make_array(data)))
    }))
}

/// Reads the stream from the capsule that `__arrow_c_stream__` returned.
pub fn stream(stream: &Bound<'_, PyCapsule>) -> PyResult<Result<ArrayStreamReader, ArrowError>> {
    let stream = stream.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule with that name points to such a struct as long as the capsule lives, and it is borrowed here.
    // The struct is moved out of the capsule and marked there as released, so it is released only once.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
    Ok(ArrayStreamReader::try_new(stream))
}

/// Makes a stream of record batches with the given schema, for `__arrow_c_stream__` to return.
pub fn of_batches<'py>(
    py: Python<'py>,
    batches: Vec<RecordBatch>,
    schema: &SchemaRef,
) -> PyResult<Bound<'py, PyCapsule>> {
    let stream = Box::new(RecordBatchIterator::new(batches.into_iter().map(Ok), Arc::clone(schema)));
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(stream), STREAM)
}
