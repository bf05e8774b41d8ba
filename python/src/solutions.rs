//! Iterates over the solutions of one puzzle.

use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};

use batchdoku::input;
use batchdoku::jobs::solutions::{self, of_sudoku, of_variant};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// The solutions of a puzzle, in ascending order.
#[pyclass(frozen, module = "batchdoku._batchdoku")]
pub struct Solutions(Mutex<solutions::Solutions>);

#[pymethods]
impl Solutions {
    #[new]
    fn new(puzzle: &str) -> PyResult<Self> {
        // A Sudominoku case starts with a line that gives the number of its dominoes.
        let is_case = puzzle.split_once('\n').is_some_and(|(count, _)| count.trim().len() <= 2);
        let found = if is_case {
            of_variant(Arc::new(input::case(puzzle.as_bytes()).map_err(refused)?), &Arc::default())
        } else {
            of_sudoku(puzzle.parse().map_err(refused)?, &Arc::default())
        };
        Ok(Self(Mutex::new(found)))
    }

    const fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    /// Returns the next solution; other Python threads can run in the meantime.
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let next = py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).next());
        let failed =
            |solution| PyRuntimeError::new_err(format!("internal error: {solution} failed the check"));
        next.transpose().map(|solution| solution.map(|solution| solution.to_string())).map_err(failed)
    }
}

/// Makes an error for a text that is not a puzzle.
fn refused(error: impl Display) -> PyErr {
    PyValueError::new_err(format!("puzzle: {error}"))
}
