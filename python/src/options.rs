//! The options of a call, by name; Python has already filled in and checked them.

use std::num::{NonZeroU64, NonZeroUsize};

use batchdoku::input::{Dialect, OptionNames, ReadOptions};
use batchdoku::jobs::{AUTO, Choice, SearchOptions, backend, chosen};
use batchdoku::pipeline::threads;
use batchdoku::solver::{Backend, Limits, Wanted};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The option names, for messages.
pub static NAMES: OptionNames = OptionNames {
    puzzle_column: "column",
    solution_column: "solution",
    format: "format",
    output_format: "output_format",
    escape_formulas: "",
    around_value: ["=\"", "\""],
    pipe: "> FILE",
};

/// Returns the value of the choice with the given name. The error for an unknown name begins with `what`.
pub fn one_of<T: Copy>(choices: &[Choice<T>], name: &str, what: &str) -> PyResult<T> {
    chosen(choices, name).ok_or_else(|| {
        let mut names: Vec<_> = choices.iter().map(|choice| choice.0).collect();
        let last = names.pop().unwrap_or_default();
        PyValueError::new_err(format!("{what} {name:?} (expected {} or {last})", names.join(", ")))
    })
}

/// The options of a call.
#[derive(FromPyObject)]
pub struct Options<'py>(Bound<'py, PyDict>);

impl<'py> Options<'py> {
    /// Returns the value of an option, or `None` if the call did not set it.
    pub fn get<T: FromPyObjectOwned<'py>>(&self, name: &str) -> PyResult<Option<T>> {
        let value = self.0.get_item(name)?.filter(|value| !value.is_none());
        let extracted = value.map(|value| value.extract::<T>().map_err(Into::into)).transpose();
        extracted
            .map_err(|error: PyErr| PyTypeError::new_err(format!("{name}: {}", error.value(self.0.py()))))
    }

    /// Returns whether an option is set.
    pub fn is_set(&self, name: &str) -> PyResult<bool> {
        Ok(self.get(name)?.unwrap_or_default())
    }

    /// Returns the search options.
    pub fn search(&self) -> PyResult<SearchOptions> {
        let mut limits = Limits::default();
        limits.max_guesses = self.get("max_guesses")?;
        if let Some(limit) = self.get::<NonZeroU64>("limit")? {
            limits.solutions = limit;
        }
        limits.wanted = if self.is_set("any_solution")? { Wanted::Any } else { Wanted::Smallest };
        Ok(SearchOptions { backend: self.backend()?, limits })
    }

    /// Returns the backend.
    pub fn backend(&self) -> PyResult<Backend> {
        let name: Option<String> = self.get("backend")?;
        let name = name.as_deref().unwrap_or(AUTO);
        backend(name).map_err(|names| {
            let names = names.join(", ");
            let why = format!("this processor cannot run the backend {name:?} (it can run {AUTO}, {names})");
            PyValueError::new_err(why)
        })
    }

    /// Returns the number of threads.
    pub fn threads(&self) -> PyResult<NonZeroUsize> {
        Ok(threads(self.get("threads")?))
    }

    /// Returns the options for reading files.
    pub fn reading(&self) -> PyResult<ReadOptions> {
        let known = |text: String| {
            text.parse::<Dialect>()
                .map_err(|error| PyValueError::new_err(format!("format {text:?}: {error}")))
        };
        Ok(ReadOptions {
            format: self.get("format")?.map(known).transpose()?,
            puzzle_column: self.get("column")?,
            solution_column: self.get("solution")?,
            threads: Some(self.threads()?),
            option_names: &NAMES,
            ..ReadOptions::default()
        })
    }
}
