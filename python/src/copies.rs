//! `sample`, `dedupe` and `split`: files are read twice, once to decide on every record and once to copy it.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use batchdoku::input::Source;
use batchdoku::jobs::Job;
use batchdoku::jobs::convert::Claims;
use batchdoku::jobs::dedupe::{self as marks, Dedupe};
use batchdoku::jobs::pick::{self, LEFT, Pick, TAKEN, only, words_of_parts};
use batchdoku::output::{Choice, ChoiceError, Compression, Encode, compression_of_text};
use batchdoku::pipeline::{Observer, RunOptions};
use batchdoku::survey::duplicates::{Bounds, Comparison, Matches, Same};
use batchdoku::survey::sample::{SampleOptions, choose};
use batchdoku::survey::split::{MOST_PARTS, complete_names, part, parts};
use batchdoku::survey::{PassError, Strata, Verbatim};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::files::{Done, OverFiles, Pass, Prepared, Rows, converted};
use crate::options::Options;
use crate::watched::Failure;

/// Samples records of files.
pub fn sample<'py>(files: OverFiles<'_, 'py>) -> PyResult<Done<'py>> {
    let (options, compressions) = (files.options, compressions(&files)?);
    let count = options.get::<NonZeroUsize>("count")?.unwrap_or(NonZeroUsize::MIN);
    let run = RunOptions::new(options.threads()?);
    let options = SampleOptions { most: count, seed: seed(options)?, by: strata(options)?, run };
    files.run_prepared(move |sources, pass| {
        let verbatim = Verbatim::of(&sources).map_err(Failure::refused)?;
        let found = choose(sources, &options, pass.observer, pass.stop).map_err(Failure::refused)?;
        let only = [TAKEN, LEFT].map(|only| only.to_vec());
        copied(pick::sample(found.numbers), &verbatim, compressions.into_iter().zip(only), pass)
    })
}

/// Leaves out the records that are the same as an earlier one, or as one of the files `against`.
pub fn dedupe<'py>(files: OverFiles<'_, 'py>) -> PyResult<Done<'py>> {
    let (options, out) = (files.options, files.outs.first().cloned().unwrap_or_default());
    let against = options.get::<Vec<PathBuf>>("against")?.unwrap_or_default();
    let (same, mut comparison) = comparison(options)?;
    // As the command: what is given a format is converted.
    let compression = match (compression_of_text(&out), options.get::<String>("output_format")?) {
        (Ok(compression), None) => Some(compression),
        (Ok(_) | Err(ChoiceError::NotText(..)), _) => None,
        (Err(error), _) => return Err(Failure::refused(error).into()),
    };
    let encoder = if compression.is_some() { None } else { Some(files.encoder()?) };
    let matches = options.get::<PathBuf>("matches")?.map(|path| {
        let encoder = Choice::new(Some(&path), None).and_then(|choice| choice.encoder(false));
        encoder.map(|encoder| (path, encoder)).map_err(Failure::refused)
    });
    let matches = matches.transpose()?;
    files.run_prepared(move |sources, pass| {
        let verbatim = compression.map(|_| Verbatim::of(&sources)).transpose().map_err(Failure::refused)?;
        let against = if against.is_empty() { None } else { Some(pass.open_all(&against)?) };
        let compared = compare(same, &mut comparison, against, sources, pass.observer, pass.stop);
        let (known, note) = compared.map_err(Failure::refused)?;
        let duplicates = comparison.finish(known, pass.stop).map_err(Failure::refused)?;
        if let Some((path, encoder)) = &matches {
            write(duplicates.matches, path, &**encoder, pass)?;
        }
        let claims = if verbatim.is_some() { Claims::LeftOut } else { Claims::Unexpected };
        let job = Dedupe::new(duplicates.numbers, known, claims);
        let only = marks::written(verbatim.is_some());
        let mut prepared = match (verbatim, encoder) {
            (Some(verbatim), _) => {
                copied(job, &verbatim, compression.into_iter().zip([only.to_vec()]), pass)?
            }
            (None, Some(encoder)) => converted(job, pass.open()?, encoder, &only, Dedupe::fitted)?,
            (None, None) => return Err(Failure::because("internal error: no format".to_owned())),
        };
        prepared.notes.extend(note);
        Ok(prepared)
    })
}

/// Writes the table of matches.
fn write(matches: Matches, path: &Path, encoder: &dyn Encode, pass: &Pass<'_>) -> Result<(), Failure> {
    encoder.fits(&Matches::schema()).map_err(Failure::refused)?;
    Rows::end(vec![Rows::create(path)?], |files| {
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
    let compressions = compressions(&files)?;
    let statuses = words_of_parts(files.outs.iter().map(|path| path.display().to_string()));
    let ((same, mut comparison), seed) = (comparison(options)?, seed(options)?);
    files.run_prepared(move |sources, pass| {
        let verbatim = Verbatim::of(&sources).map_err(Failure::refused)?;
        comparison.read(sources, pass.observer, pass.stop).map_err(Failure::refused)?;
        let note = note_on(same, &comparison);
        let parts = parts(comparison, &shares, seed, pass.stop).map_err(Failure::refused)?;
        let job = Pick::new(statuses, move |number| parts[number as usize - 1]);
        let only = (0..shares.len()).map(|part| only(part, statuses.len()));
        let prepared = copied(job, &verbatim, compressions.into_iter().zip(only), pass)?;
        Ok(Prepared { notes: note.into_iter().collect(), ..prepared })
    })
}

/// Prepares the copies of records, each in the output that has its status.
fn copied<J: Job>(
    job: J,
    verbatim: &Verbatim,
    outputs: impl IntoIterator<Item = (Option<Compression>, Vec<bool>)>,
    pass: &Pass<'_>,
) -> Result<Prepared<J>, Failure> {
    let mut sources = pass.open()?;
    Verbatim::carry(&mut sources);
    let encoded = |compression| Arc::new(verbatim.compressed(compression)) as Arc<dyn Encode>;
    let mut outputs = outputs.into_iter().map(|(compression, only)| (encoded(compression), only));
    let (encoder, only) = outputs.next().expect("there is an output");
    Ok(Prepared { rest: outputs.collect(), ..Prepared::new(job, sources, encoder, Some(only)) })
}

/// How the outputs are compressed. Fails if one is not text.
fn compressions(files: &OverFiles<'_, '_>) -> PyResult<Vec<Option<Compression>>> {
    let compressions = files.outs.iter().map(|out| compression_of_text(out));
    Ok(compressions.collect::<Result<_, _>>().map_err(Failure::refused)?)
}

/// How records are compared, and a comparison of none yet.
pub fn comparison(options: &Options<'_>) -> PyResult<(Same, Comparison)> {
    let word = options.get::<String>("same")?.unwrap_or_default();
    let same = Same::named(&word).ok_or_else(|| {
        PyValueError::new_err(format!("same is {word:?} (expected text, puzzle or solution-grid)"))
    })?;
    let (threads, memory) = (options.threads()?, options.get("memory")?.unwrap_or(usize::MAX));
    let bounds = Bounds { memory, make_file: tempfile::tempfile, threads };
    Ok((same, Comparison::new(same, strata(options)?, bounds, RunOptions::new(threads))))
}

/// Reads what is compared, that `against` which it is compared first; returns the number of its records, and a warning of
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
    // What cannot be read has a status.
    let note = if same == Same::SolutionGrid { note_on(same, comparison) } else { of_known };
    Ok((known, note))
}

/// The warning of records that are compared with none, if there are any.
fn note_on(same: Same, comparison: &Comparison) -> Option<String> {
    let records = comparison.uncompared;
    let which = match same {
        Same::SolutionGrid => "without exactly one solution, as far as 100,000 guesses tell",
        Same::Text | Same::Puzzle => "that cannot be read",
    };
    (records > 0).then(|| format!("records {which}, which are compared with none: {records}"))
}

fn strata(options: &Options<'_>) -> PyResult<Option<Strata>> {
    Ok(options.get::<String>("by")?.map(|by| Strata::from(&*by)))
}

fn seed(options: &Options<'_>) -> PyResult<u64> {
    Ok(options.get("seed")?.unwrap_or_default())
}
