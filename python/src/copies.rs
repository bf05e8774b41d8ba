//! `sample`, `dedupe` and `split`. Files are read twice, once to decide on every record and once to copy it.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use batchdoku::input::Source;
use batchdoku::jobs::pick::{self, LEFT, Pick, TAKEN, distinct, only, words_of_parts};
use batchdoku::output::{Choice, Encode};
use batchdoku::pipeline::{Observer, RunOptions};
use batchdoku::survey::copies::{Copies, Outputs};
use batchdoku::survey::duplicates::{Bounds, Comparison, Matches, Same};
use batchdoku::survey::sample::{SampleOptions, choose};
use batchdoku::survey::split::{MOST_PARTS, complete_names, part, parts};
use batchdoku::survey::{PassError, Strata, Verbatim};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::files::{Done, OverFiles, Pass, Prepared, converted, create, end};
use crate::options::Options;
use crate::watched::Failure;

/// Samples records of files.
pub fn sample<'py>(files: OverFiles<'_, 'py>) -> PyResult<Done<'py>> {
    let (options, outputs) = (files.options, outputs(&files.outs, None)?);
    let count = options.get::<NonZeroUsize>("count")?.unwrap_or(NonZeroUsize::MIN);
    let (by, seed, run) = (options.get("by")?, seed(options)?, RunOptions::new(options.threads()?));
    files.run_prepared(move |sources, pass| {
        let copies = outputs.copies(&sources).map_err(Failure::refused)?;
        let (by, note) = strata(by, &sources);
        let options = SampleOptions { most: count, seed, by, run };
        let found = choose(sources, &options, pass.observer, pass.stop).map_err(Failure::refused)?;
        let only = [TAKEN, LEFT].map(|only| only.to_vec());
        copied(pick::sample(found.numbers), copies, only, found.seen, note, pass)
    })
}

/// Leaves out the records that equal an earlier one, or one of the files `against`.
pub fn dedupe<'py>(files: OverFiles<'_, 'py>) -> PyResult<Done<'py>> {
    let options = files.options;
    let against = options.get::<Vec<PathBuf>>("against")?.unwrap_or_default();
    let (same, mut comparison) = comparison(options)?;
    let outputs = outputs(&files.outs, options.get::<String>("output_format")?.as_deref())?;
    let matches = options.get::<PathBuf>("matches")?.map(|path| {
        let encoder = Choice::new(Some(&path), None).and_then(|choice| choice.encoder(false));
        encoder.map(|encoder| (path, encoder)).map_err(Failure::refused)
    });
    let matches = matches.transpose()?;
    files.run_prepared(move |sources, pass| {
        let copies = outputs.copies(&sources).map_err(Failure::refused)?;
        let against = if against.is_empty() { None } else { Some(pass.open_all(&against)?) };
        let compared = compare(same, &mut comparison, against, sources, pass.observer, pass.stop);
        let (known, note) = compared.map_err(Failure::refused)?;
        let records = comparison.records - known.unwrap_or(0);
        let duplicates = comparison.finish(known, pass.stop).map_err(Failure::refused)?;
        if let Some((path, encoder)) = &matches {
            write(duplicates.matches, path, &**encoder, pass)?;
        }
        let only = distinct(!copies.are_converted).to_vec();
        copied(pick::dedupe(duplicates.numbers, known), copies, [only], records, note, pass)
    })
}

/// Writes the table of matches.
fn write(matches: Matches, path: &Path, encoder: &dyn Encode, pass: &Pass<'_>) -> Result<(), Failure> {
    encoder.fits(&Matches::schema()).map_err(Failure::refused)?;
    end(vec![create(path)?], |files| {
        let name = path.display().to_string();
        let written = matches.write(encoder, (&name, &mut files[0]), pass.threads, pass.stop);
        written.map_err(Failure::failed)
    })
}

/// Splits files into parts.
pub fn split<'py>(mut files: OverFiles<'_, 'py>) -> PyResult<Done<'py>> {
    let options = files.options;
    let given = options.get::<Vec<String>>("parts")?.unwrap_or_default();
    let given = given.iter().map(|text| part(text)).collect::<Result<Vec<_>, _>>();
    let (names, shares): (Vec<_>, Vec<_>) =
        given.map_err(|error| PyValueError::new_err(format!("parts: {error}")))?.into_iter().unzip();
    if !(2..=MOST_PARTS).contains(&names.len()) {
        let message = format!("parts has {} parts (expected 2 to {MOST_PARTS})", names.len());
        return Err(PyValueError::new_err(message));
    }
    files.outs = names;
    complete_names(&mut files.outs, &files.paths);
    let outputs = outputs(&files.outs, None)?;
    let statuses = words_of_parts(files.outs.iter().map(|path| path.display().to_string()));
    let ((same, mut comparison), seed) = (comparison(options)?, seed(options)?);
    let by = options.get("by")?;
    files.run_prepared(move |sources, pass| {
        let copies = outputs.copies(&sources).map_err(Failure::refused)?;
        let (by, of_column) = strata(by, &sources);
        comparison = comparison.by(by);
        comparison.read(sources, pass.observer, pass.stop).map_err(Failure::refused)?;
        let (records, note) = (comparison.records, note_on(same, &comparison));
        let parts = parts(comparison, &shares, seed, pass.stop).map_err(Failure::refused)?;
        let only = (0..shares.len()).map(|part| only(part, statuses.len()));
        copied(pick::split(statuses, parts), copies, only, records, of_column.into_iter().chain(note), pass)
    })
}

/// Finds the outputs by their names, and by the format if one is given.
fn outputs(outs: &[PathBuf], given: Option<&str>) -> PyResult<Outputs> {
    let outputs = Outputs::new(outs.iter().map(|out| Some(&**out)), given);
    Ok(outputs.map_err(Failure::refused)?)
}

/// Prepares the second pass over this number of records. Each record goes to the output that has its status.
fn copied<F: Fn(u64) -> u8 + Send + Sync + 'static>(
    job: Pick<F>,
    copies: Copies,
    only: impl IntoIterator<Item = Vec<bool>>,
    records: u64,
    notes: impl IntoIterator<Item = String>,
    pass: &Pass<'_>,
) -> Result<Prepared<Pick<F>>, Failure> {
    let mut sources = pass.open()?;
    let Copies { encoders, are_converted } = copies;
    let outputs: Vec<_> = encoders.into_iter().zip(only).collect();
    let mut prepared = if are_converted {
        converted(job.converting(), sources, outputs, Pick::fitted)?
    } else {
        Verbatim::carry(&mut sources);
        Prepared::with_outputs(job, sources, outputs)
    };
    prepared.notes.extend(notes);
    Ok(Prepared { records: Some(records), ..prepared })
}

/// Returns how records are compared, and an empty comparison.
pub fn comparison(options: &Options<'_>) -> PyResult<(Same, Comparison)> {
    let word = options.get::<String>("same")?.unwrap_or_default();
    let same = Same::named(&word).ok_or_else(|| {
        PyValueError::new_err(format!("same is {word:?} (expected text, puzzle or solution-grid)"))
    })?;
    let (threads, memory) = (options.threads()?, options.get("memory")?.unwrap_or(usize::MAX));
    let bounds = Bounds { memory, make_file: tempfile::tempfile, threads };
    Ok((same, Comparison::new(same, bounds, RunOptions::new(threads))))
}

/// Reads the records to compare, those of `against` first. Returns the number of records in `against`, and a warning of
/// what no status shows.
pub fn compare(
    same: Same,
    comparison: &mut Comparison,
    against: Option<Vec<Source>>,
    sources: Vec<Source>,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<(Option<u64>, Option<String>), PassError> {
    let mut known = None;
    if let Some(against) = against {
        comparison.read(against, observer, stop)?;
        known = Some(comparison.records);
    }
    let of_known = note_on(same, comparison);
    comparison.read(sources, observer, stop)?;
    // Records that cannot be read have a status.
    let note = if same == Same::SolutionGrid { note_on(same, comparison) } else { of_known };
    Ok((known, note))
}

/// Returns the warning of records that are compared with none, if there are any.
fn note_on(same: Same, comparison: &Comparison) -> Option<String> {
    let records = comparison.uncompared;
    let which = match same {
        Same::SolutionGrid => "without exactly one solution, as far as 100,000 guesses tell",
        Same::Text | Same::Puzzle => "that cannot be read",
    };
    (records > 0).then(|| format!("records {which}, which are compared with none: {records}"))
}

/// Returns the criterion of `by`, and a warning if the word could also mean something else.
fn strata(by: Option<String>, sources: &[Source]) -> (Option<Strata>, Option<String>) {
    let Some(by) = by else { return (None, None) };
    let (strata, note) = Strata::of(&by, sources);
    (Some(strata), note.map(|note| format!("by: {note}")))
}

fn seed(options: &Options<'_>) -> PyResult<u64> {
    Ok(options.get("seed")?.unwrap_or_default())
}
