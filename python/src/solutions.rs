//! The solutions of one puzzle, one after another.

use std::sync::{Mutex, PoisonError};

use batchdoku::solver::scalar;
use batchdoku::sudoku::{Grid, verifier};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// The solutions of a puzzle in ascending order.
#[pyclass(frozen, module = "batchdoku._batchdoku")]
pub struct Solutions {
    puzzle: Grid,
    found: Mutex<scalar::Solutions>,
}

#[pymethods]
impl Solutions {
    #[new]
    fn new(puzzle: &str) -> PyResult<Self> {
        let puzzle: Grid =
            puzzle.parse().map_err(|error| PyValueError::new_err(format!("puzzle: {error}")))?;
        Ok(Self { puzzle, found: Mutex::new(scalar::Solutions::new(&puzzle)) })
    }

    const fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    /// The next one, without holding up other threads of Python.
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let next = py.detach(|| self.found.lock().unwrap_or_else(PoisonError::into_inner).next());
        let is_right = |solution: &Grid| verifier::sudoku(&self.puzzle, solution);
        match next {
            Some(solution) if !is_right(&solution) => {
                Err(PyRuntimeError::new_err(format!("internal error: {solution} failed the check")))
            }
            next => Ok(next.map(|solution| solution.to_string())),
        }
    }
}
