//! The jobs `inspect` and `report`, which work like the commands of the same names.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

use batchdoku::input::Source;
use batchdoku::output::file::OutputFile;
use batchdoku::output::names::{NamedFile, check_distinct};
use batchdoku::provenance::Provenance;
use batchdoku::report::{self as reports, Detail, Form};
use batchdoku::survey::{self, InspectOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::options::Options;
use crate::watched::{Failure, watched};

/// Describes a file and returns the description as JSON.
#[pyfunction]
pub fn inspect(py: Python<'_>, path: PathBuf, options: Options<'_>) -> PyResult<String> {
    let options =
        InspectOptions { read: options.reading()?, all: options.is_set("all")?, threads: options.threads()? };
    let work = move |stop: &AtomicBool| {
        let source = Source::open(&path, &options.read).map_err(Failure::refused)?;
        let found = survey::inspect(source, &options, &(), stop).map_err(Failure::refused)?;
        serde_json::to_string(&found).map_err(Failure::failed)
    };
    watched(py, work, || Ok(()))
}

/// Writes a report on results files to `outs`, and returns the figures as JSON, along with warnings.
#[pyfunction]
pub fn report(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    outs: Vec<PathBuf>,
    options: Options<'_>,
) -> PyResult<(String, Vec<String>)> {
    let form = |out: PathBuf| match Form::of_name(&out) {
        Some(form) => Ok((out, form)),
        None => Err(PyValueError::new_err(format!("{}: {}", out.display(), Form::EXPECTED))),
    };
    let outs: Vec<_> = outs.into_iter().map(form).collect::<PyResult<_>>()?;
    let threads = options.threads()?;
    let detail =
        Detail { top: options.get("top")?.unwrap_or_default(), isomorphs: options.is_set("isomorphs")? };
    let provenance = Provenance::of_this_process(SystemTime::now());
    let work = move |stop: &AtomicBool| {
        let inputs: Vec<_> = paths.iter().map(|path| NamedFile::input(path)).collect();
        let named: Vec<_> = outs.iter().map(|(out, _)| NamedFile::Path("the output", out)).collect();
        check_distinct(&inputs, &named).map_err(Failure::refused)?;
        let open = |(out, form): &(PathBuf, Form)| OutputFile::create(out).map(|file| (file, *form));
        let files: Vec<_> = outs.iter().map(open).collect::<Result<_, _>>().map_err(Failure::failed)?;
        let report =
            reports::read(&paths, detail, threads, provenance, &(), stop).map_err(Failure::refused)?;
        for (file, form) in files {
            file.write_complete(report.written_as(form).as_bytes()).map_err(Failure::failed)?;
        }
        let notes = report.notes.iter().chain(&report.problems).cloned().collect();
        Ok::<_, Failure>((report.json(), notes))
    };
    watched(py, work, || Ok(()))
}
