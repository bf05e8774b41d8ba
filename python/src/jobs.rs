//! The jobs of the package, and runs over columns in memory.

use std::num::NonZeroU64;
use std::sync::atomic::AtomicBool;

use batchdoku::analysis::canon::Form;
use batchdoku::arrow;
use batchdoku::jobs::Job;
use batchdoku::jobs::canon::Canon;
use batchdoku::jobs::enumerate::Enumerate;
use batchdoku::jobs::rate::{Isomorphs, Rate};
use batchdoku::jobs::solve::Solve;
use batchdoku::jobs::verify::Verify;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::columns::Work;
use crate::data::Data;
use crate::options::Options;
use crate::rows::{Rows, own_columns};
use crate::watched::watched;

/// A way to run any job.
pub trait Door {
    /// The result.
    type Out;

    /// Runs a job.
    fn run<J: Job>(self, job: J) -> PyResult<Self::Out>;
}

/// Makes the job of that name with the options, and runs it.
pub fn run_named<D: Door>(job: &str, options: &Options<'_>, door: D) -> PyResult<D::Out> {
    match job {
        "solve" => door.run(Solve::new(options.search()?, options.is_set("times")?)),
        "verify" => {
            let (search, trusts) = (options.search()?, options.is_set("trust_unique")?);
            door.run(Verify::new((!trusts).then_some(search), options.is_set("times")?))
        }
        "enumerate" => door.run(Enumerate::new(options.backend()?, options.get::<NonZeroU64>("limit")?)),
        "canon" => {
            let name = options.get::<String>("form")?.unwrap_or_default();
            let form = Form::ALL.into_iter().find(|form| form.name() == name).ok_or_else(|| {
                let names = Form::ALL.map(Form::name).join(", ");
                PyValueError::new_err(format!("there is no form {name:?} (there are {names})"))
            })?;
            door.run(Canon::new(form, options.backend()?, options.is_set("symmetry")?))
        }
        "rate" => {
            let seed = options.get("seed")?.unwrap_or(1);
            let isomorphs = options.get("isomorphs")?.map(|count| Isomorphs { count, seed });
            door.run(Rate::new(options.search()?, false, &[], isomorphs))
        }
        _ => Err(PyValueError::new_err(format!("there is no job {job}"))),
    }
}

/// Does a job with a column of puzzles and their claimed solutions: those of another column, or those `beside` it.
#[pyfunction]
pub fn run(
    py: Python<'_>,
    job: &str,
    data: &Data,
    beside: Option<&Bound<'_, Data>>,
    options: Options<'_>,
) -> PyResult<Rows> {
    run_named(job, &options, InMemory { py, data, beside: beside.map(Bound::get), options: &options })
}

/// Runs jobs over columns in memory.
struct InMemory<'a, 'py> {
    py: Python<'py>,
    data: &'a Data,
    beside: Option<&'a Data>,
    options: &'a Options<'py>,
}

impl Door for InMemory<'_, '_> {
    type Out = Rows;

    fn run<J: Job>(self, job: J) -> PyResult<Rows> {
        let (backend, threads) = (self.options.backend()?, self.options.threads()?);
        let Work { chunks, carried, fields } = Work::new(&job, self.data, self.beside, self.options)?;
        let (schema, claims) = (arrow::schema(job.schema()), job.want().claims);
        let work = move |stop: &AtomicBool| {
            arrow::run(job, chunks, threads, &(), stop)
                .map_err(|error| PyRuntimeError::new_err(error.to_string()))
        };
        let own = own_columns(&schema, claims, &fields);
        Rows::new(watched(self.py, work, || Ok(()))?, &own, &carried, &fields, backend)
    }
}
