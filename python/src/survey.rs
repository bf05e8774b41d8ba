//! Convert, sample, inspect and report, as the command does.

use std::error::Error;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use batchdoku::input::{Carried, Keep, Source, listed};
use batchdoku::jobs::Job;
use batchdoku::jobs::convert::{Claims, Convert, WRITTEN};
use batchdoku::output::compression_of_text;
use batchdoku::output::file::OutputFile;
use batchdoku::output::names::{NamedFile, check_distinct};
use batchdoku::provenance::Provenance;
use batchdoku::record::Class;
use batchdoku::report::{self as reports, Form, RecallOptions};
use batchdoku::solver::Backend;
use batchdoku::survey::sample::{SampleOptions, Strata, sample};
use batchdoku::survey::{self, InspectOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::files::{Done, Failure, Rows, Way, run};
use crate::jobs::{watched, zero};
use crate::reading::Reading;

/// What is said of an error for which what was given is to blame.
fn refused<E: Error + 'static>(error: E) -> Failure {
    Failure::of(&error, true)
}

/// What is said of another.
fn failed<E: Error + 'static>(error: E) -> Failure {
    Failure::of(&error, false)
}

/// Converts files to another format; `progress` is called with records and bytes.
#[pyfunction]
pub fn convert_file<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    out: PathBuf,
    output_format: Option<String>,
    progress: Option<Bound<'py, PyAny>>,
    reading: Reading,
) -> PyResult<Done<'py>> {
    let (read, threads) = reading.options()?;
    let way = Way { paths, out, output_format, read, only: Some(WRITTEN.to_vec()), threads };
    let job = Convert::new(Claims::Unexpected);
    run(py, job, way, Backend::best(), progress, |mut job, sources, encoder| {
        let written = job.schema().fields.iter().filter(|field| field.class != Class::Internal);
        let taken: Vec<_> = written.map(|field| field.name).collect();
        let columns: Vec<_> = sources.iter().map(Source::columns).collect();
        let carried = Carried::settle(&Keep::All, &columns, &taken, job.want().claims).map_err(refused)?;
        job.schema_mut().carried = carried.names;
        let (job, left_out) = job.fitted(&sources.iter().collect::<Vec<_>>(), encoder);
        if !job.schema().carried.is_empty() {
            for (source, selection) in sources.iter_mut().zip(&carried.selections) {
                source.carry(selection);
            }
        }
        let note =
            || format!("columns that this format has no place for are left out: {}", listed(&left_out));
        let notes = if left_out.is_empty() { Vec::new() } else { vec![note()] };
        Ok((job, notes))
    })
}

/// Takes some records out of files: how many there are, how many were taken, and what is worth a warning.
#[pyfunction]
pub fn sample_file(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    out: PathBuf,
    count: usize,
    seed: u64,
    by: Option<String>,
    reading: Reading,
) -> PyResult<(u64, usize, Vec<String>)> {
    let (read, threads) = reading.options()?;
    let count = NonZeroUsize::new(count).ok_or_else(|| zero("count"))?;
    let by = by.map(|by| match &*by {
        "status" => Ok(Strata::Status),
        "clues" => Ok(Strata::Clues),
        "guesses" => Ok(Strata::Guesses),
        _ => Err(PyValueError::new_err(format!("by is {by:?} (expected status, clues or guesses)"))),
    });
    let options = SampleOptions::new(count, seed, by.transpose()?, threads);
    let work = move |stop: &AtomicBool| {
        let compression = compression_of_text(&out).map_err(refused)?;
        let inputs: Vec<_> = paths.iter().map(|path| NamedFile::input(path)).collect();
        check_distinct(&inputs, &[NamedFile::Path("the output", &out)]).map_err(refused)?;
        let sources = paths.iter().map(|path| Source::open(path, &read));
        let sources = sources.collect::<Result<_, _>>().map_err(refused)?;
        let mut rows = Rows::of(OutputFile::create(&out).map_err(failed)?);
        let found = sample(sources, &options, &()).map_err(refused);
        let unwritten = |error: std::io::Error| Failure {
            message: format!("{}: cannot write the sample: {error}", out.display()),
            system: Some(error.kind()),
            is_value: false,
        };
        let written = found.and_then(|found| {
            if !stop.load(Ordering::Relaxed) {
                found.write(compression, threads, &mut rows).map_err(unwritten)?;
            }
            Ok(found)
        });
        // Whoever was interrupted wants no file any more.
        let written = match written {
            Ok(_) if stop.load(Ordering::Relaxed) => {
                Err(Failure { message: "interrupted".to_owned(), system: None, is_value: false })
            }
            written => written,
        };
        let found = match written {
            Ok(found) => found,
            Err(mut failure) => {
                failure.message += &rows.file.keep().map_or(String::new(), |left| format!("; {left}"));
                return Err(failure);
            }
        };
        rows.file.remove_checkpoints().map_err(unwritten)?;
        rows.file.finish().map_err(failed)?;
        Ok((found.seen, found.records.len(), found.notes))
    };
    watched(py, work, |_| Ok(()))?.map_err(Failure::raised)
}

/// What a file is and holds, as JSON.
#[pyfunction]
pub fn inspect(py: Python<'_>, path: PathBuf, all: bool, reading: Reading) -> PyResult<String> {
    let (read, threads) = reading.options()?;
    let work = move |stop: &AtomicBool| {
        let options = InspectOptions { read, all, threads };
        let source = Source::open(&path, &options.read).map_err(refused)?;
        let found = survey::inspect(source, &options, &(), stop).map_err(refused)?;
        serde_json::to_string(&found).map_err(failed)
    };
    watched(py, work, |_| Ok(()))?.map_err(Failure::raised)
}

/// The figures of files of results, as JSON, and what is worth a warning; `outs` become the report.
#[pyfunction]
pub fn report(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    outs: Vec<PathBuf>,
    top: u8,
    hash: bool,
    reading: Reading,
) -> PyResult<(String, Vec<String>)> {
    let (read, threads) = reading.options()?;
    let form = |out: PathBuf| match Form::of_name(&out) {
        Some(form) => Ok((out, form)),
        None => Err(PyValueError::new_err(format!("{}: {}", out.display(), Form::EXPECTED))),
    };
    let outs: Vec<_> = outs.into_iter().map(form).collect::<PyResult<_>>()?;
    let options =
        RecallOptions { threads, top: usize::from(top), hash, trust_compressed: read.trust_compressed };
    let provenance = Provenance::of_this_process(SystemTime::now());
    let work = move |stop: &AtomicBool| {
        let inputs: Vec<_> = paths.iter().map(|path| NamedFile::input(path)).collect();
        let named: Vec<_> = outs.iter().map(|(out, _)| NamedFile::Path("the output", out)).collect();
        check_distinct(&inputs, &named).map_err(refused)?;
        let open = |(out, form): &(PathBuf, Form)| OutputFile::create(out).map(|file| (file, *form));
        let files: Vec<_> = outs.iter().map(open).collect::<Result<_, _>>().map_err(failed)?;
        let report = reports::read(&paths, options, provenance, &(), stop).map_err(refused)?;
        for (file, form) in files {
            file.write_complete(report.written_as(form).as_bytes()).map_err(failed)?;
        }
        let notes = report.notes.iter().chain(&report.problems).cloned().collect();
        Ok((report.json(), notes))
    };
    watched(py, work, |_| Ok(()))?.map_err(Failure::raised)
}
