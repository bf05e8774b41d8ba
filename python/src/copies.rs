//! `sample`, `dedupe` and `split`. Files are read twice: once to decide about every record, and once to copy the
//! records.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use batchdoku::input::Keep;
use batchdoku::jobs::pick::words_of_parts;
use batchdoku::output::Choice;
use batchdoku::pipeline::{RowOutput, RunOptions};
use batchdoku::survey::copies::Outputs;
use batchdoku::survey::duplicates::{Bounds, Matches, SAME, Same};
use batchdoku::survey::selection::{FirstInputs, Selected, Selection};
use batchdoku::survey::split::{MOST_PARTS, complete_names, part};
use batchdoku::survey::{Strata, Verbatim};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::files::{Done, OverFiles, Prepared, create, end};
use crate::options::{Options, one_of};
use crate::watched::Failure;

/// Chooses records from files, and copies or converts them.
pub fn select<'py>(job: &str, mut files: OverFiles<'_, 'py>) -> PyResult<Done<'py>> {
    if files.paths.iter().any(|path| path == Path::new("-")) {
        return Err(PyValueError::new_err("standard input cannot be read twice: write it to a file first"));
    }
    let options = files.options;
    let seed = options.get("seed")?.unwrap_or_default();
    let (selection, same) = match job {
        "sample" => {
            let count = options.get("count")?.unwrap_or(NonZeroUsize::MIN);
            (Selection::Sample { count, seed }, Same::Text)
        }
        "dedupe" => {
            let (same, bounds) = comparison(options)?;
            (Selection::Dedupe { same, bounds }, same)
        }
        _ => {
            let shares = name_parts(&mut files)?;
            let statuses = words_of_parts(files.outs.iter().map(|path| path.display().to_string()));
            let (same, bounds) = comparison(options)?;
            (Selection::Split { same, bounds, shares, seed, statuses }, same)
        }
    };
    let (format, by): (Option<String>, Option<String>) = (options.get("output_format")?, options.get("by")?);
    let outputs = Outputs::new(files.outs.iter().map(|out| Some(&**out)), format.as_deref());
    let outputs = outputs.map_err(Failure::refused)?;
    let against: Vec<PathBuf> = options.get("against")?.unwrap_or_default();
    let table = options.get::<PathBuf>("matches")?.map(|path| {
        let encoder = Choice::new(Some(&path), None).and_then(|choice| choice.encoder(false));
        encoder.map(|encoder| (path, encoder)).map_err(Failure::refused)
    });
    let table = table.transpose()?;
    files.run_prepared(move |sources, pass| {
        let copies = outputs.copies(&sources).map_err(Failure::refused)?;
        let against = if against.is_empty() { None } else { Some(pass.open(&against)?) };
        let (by, of_column) = by.map_or((Strata::One, None), |by| Strata::of(&by, &sources));
        let (are_copied, run) = (!copies.are_converted, RunOptions::new(pass.threads));
        let inputs = FirstInputs { sources, against, by, are_copied, run };
        let selected = selection.make(inputs, |_| pass.observer, pass.stop).map_err(Failure::refused)?;
        let note = note_on(same, &selected);
        let Selected { job, only, records, matches, .. } = selected;
        if let (Some((path, encoder)), Some(matches)) = (&table, matches) {
            encoder.fits(&Matches::schema()).map_err(Failure::refused)?;
            end(vec![create(path)?], |files| {
                let name = path.display().to_string();
                let written = matches.write(&**encoder, (&name, &mut files[0]), pass.threads, pass.stop);
                written.map_err(Failure::failed)
            })?;
        }
        let mut sources = pass.open(pass.paths)?;
        let outputs = copies.encoders.into_iter().zip(only);
        let outputs = outputs.map(|(encoder, only)| RowOutput { encoder, only: Some(only) }).collect();
        let (job, keep) = if copies.are_converted {
            (job.converting(), Some(Keep::All))
        } else {
            Verbatim::carry(&mut sources);
            (job, None)
        };
        let of_column = of_column.map(|note| format!("by: {note}"));
        let notes = of_column.into_iter().chain(note).collect();
        Ok(Prepared { keep, notes, records: Some(records), ..Prepared::new(job, sources, outputs) })
    })
}

/// Sets the outputs to the parts given in a call, and returns their shares.
fn name_parts(files: &mut OverFiles<'_, '_>) -> PyResult<Vec<u64>> {
    let given = files.options.get::<Vec<String>>("parts")?.unwrap_or_default();
    let given = given.iter().map(|text| part(text)).collect::<Result<Vec<_>, _>>();
    let given = given.map_err(|error| PyValueError::new_err(format!("parts: {error}")))?;
    if !(2..=MOST_PARTS).contains(&given.len()) {
        let message = format!("parts has {} parts (expected 2 to {MOST_PARTS})", given.len());
        return Err(PyValueError::new_err(message));
    }
    let (names, shares) = given.into_iter().unzip();
    files.outs = names;
    complete_names(&mut files.outs, &files.paths);
    Ok(shares)
}

/// Returns how records are compared.
pub fn comparison(options: &Options<'_>) -> PyResult<(Same, Bounds)> {
    let word = options.get::<String>("same")?.unwrap_or_default();
    let same = one_of(&SAME, &word, "same is")?;
    let (threads, memory) = (options.threads()?, options.get("memory")?.unwrap_or(usize::MAX));
    Ok((same, Bounds { memory, make_file: tempfile::tempfile, threads }))
}

/// Returns the warning about records that are not compared with any other, if there are any.
pub fn note_on(same: Same, selected: &Selected) -> Option<String> {
    let records = selected.uncompared;
    let which = match same {
        Same::SolutionGrid => "without exactly one solution, as far as 100,000 guesses tell",
        Same::Text | Same::Puzzle => "that cannot be read",
    };
    (records > 0).then(|| format!("records {which}, which are compared with none: {records}"))
}
