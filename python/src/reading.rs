//! How files are read.

use std::num::NonZeroUsize;

use batchdoku::input::{Dialect, ReadOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::files::NAMES;
use crate::jobs::threads;

/// How files are read.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Reading {
    column: Option<String>,
    solution: Option<String>,
    format: Option<String>,
    trust_compressed: bool,
    threads: Option<usize>,
}

impl Reading {
    /// The same for those who read, with the number of threads.
    pub fn options(self) -> PyResult<(ReadOptions, NonZeroUsize)> {
        let known = |text: String| {
            text.parse::<Dialect>()
                .map_err(|error| PyValueError::new_err(format!("format {text:?}: {error}")))
        };
        let threads = threads(self.threads)?;
        let read = ReadOptions {
            format: self.format.map(known).transpose()?,
            puzzle_column: self.column,
            solution_column: self.solution,
            trust_compressed: self.trust_compressed,
            threads: Some(threads),
            option_names: &NAMES,
            ..ReadOptions::default()
        };
        Ok((read, threads))
    }
}
