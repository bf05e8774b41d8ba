//! The figures of a run.

use batchdoku::pipeline::{Ended, Tally};
use batchdoku::solver::Backend;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What `Summary` holds in Python, and the warnings.
pub struct Figures {
    rows: u64,
    statuses: Vec<(&'static str, u64)>,
    guesses: u64,
    seconds: f64,
    backend: Backend,
    threads: usize,
    /// What is worth a warning.
    pub notes: Vec<String>,
}

impl Figures {
    /// Those of a run with so many guesses.
    pub fn new(tally: &Tally, ended: &Ended, guesses: u64, backend: Backend) -> Self {
        Self {
            rows: tally.records,
            statuses: tally.statuses().map(|(word, count)| (word.name, count)).collect(),
            guesses,
            seconds: ended.wall.as_secs_f64(),
            backend,
            threads: ended.threads,
            notes: ended.notes.clone(),
        }
    }

    /// The figures as Python takes them.
    pub fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let statuses = PyDict::new(py);
        for &(status, count) in &self.statuses {
            statuses.set_item(status, count)?;
        }
        let summary = PyDict::new(py);
        summary.set_item("rows", self.rows)?;
        summary.set_item("statuses", statuses)?;
        summary.set_item("guesses", self.guesses)?;
        summary.set_item("seconds", self.seconds)?;
        summary.set_item("backend", self.backend.name())?;
        summary.set_item("threads", self.threads)?;
        Ok(summary)
    }
}
