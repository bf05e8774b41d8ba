//! The options of a call by name, which Python has completed and checked.

use std::num::{NonZeroU64, NonZeroUsize};
use std::thread;

use batchdoku::input::{Dialect, OptionNames, ReadOptions};
use batchdoku::jobs::{Choice, SearchOptions, chosen};
use batchdoku::solver::{Backend, Limits, Wanted};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The most threads per core, as on the command line.
const MOST_A_CORE: NonZeroUsize = NonZeroUsize::new(32).expect("it is not 0");

/// The names of the options, for messages.
pub static NAMES: OptionNames = OptionNames {
    puzzle_column: "column",
    solution_column: "solution",
    format: "format",
    output_format: "output_format",
    escape_formulas: "",
    around_value: ["=\"", "\""],
    pipe: "> FILE",
};

/// Returns the value of the choice with a name. The error for another name begins with `what`.
pub fn one_of<T: Copy>(choices: &[Choice<T>], name: &str, what: &str) -> PyResult<T> {
    chosen(choices, name).ok_or_else(|| {
        let mut names: Vec<_> = choices.iter().map(|choice| choice.0).collect();
        let last = names.pop().unwrap_or_default();
        PyValueError::new_err(format!("{what} {name:?} (expected {} or {last})", names.join(", ")))
    })
}

/// The options of a call.
pub struct Options<'py>(Bound<'py, PyDict>);

impl<'a, 'py> FromPyObject<'a, 'py> for Options<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(given.cast::<PyDict>()?.to_owned()))
    }
}

impl<'py> Options<'py> {
    /// Returns the value of an option; `None` if the call does not have it.
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

    /// Returns the options of the search.
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
        let name = self.get::<String>("backend")?.filter(|name| name != "auto");
        let named = |name: String| {
            Backend::named(&name).ok_or_else(|| {
                let names: Vec<_> = Backend::available().into_iter().map(Backend::name).collect();
                PyValueError::new_err(format!(
                    "this processor cannot run the backend {name:?} (it can run auto, {})",
                    names.join(", ")
                ))
            })
        };
        name.map_or_else(|| Ok(Backend::best()), named)
    }

    /// Returns the number of threads.
    pub fn threads(&self) -> PyResult<NonZeroUsize> {
        let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let asked = self.get::<NonZeroUsize>("threads")?;
        Ok(asked.map_or(cores, |threads| threads.min(cores.saturating_mul(MOST_A_CORE))))
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
