//! The job `generate`, which makes puzzles and has no input.

use std::path::PathBuf;
use std::sync::Arc;

use batchdoku::arrow::Chunk;
use batchdoku::generate::{PuzzleSpec, Variation};
use batchdoku::input::Source;
use batchdoku::jobs::Job;
use batchdoku::jobs::generate::{Count, Generate, MOST_ROWS, SYMMETRIES, WRITTEN, batch_rows};
use batchdoku::jobs::measures::{Condition, Measure};
use batchdoku::pipeline::RowOutput;
use batchdoku::sudoku::{CELLS, Grid};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::columns::Work;
use crate::files::{Done, OverFiles, Prepared};
use crate::jobs::{answer, with_status};
use crate::options::{Options, one_of};
use crate::rows::Rows;

/// Generates puzzles as columns.
#[pyfunction]
pub fn generate(py: Python<'_>, count: usize, options: Options<'_>) -> PyResult<Rows> {
    let job = job(&options)?;
    let schema = with_status(job.schema());
    // There are several batches, so every thread gets work.
    let rows = batch_rows(count, options.threads()?, MOST_ROWS);
    let chunk = |start| Chunk { puzzles: Arc::new(Count(rows.min(count - start))), claims: None };
    let chunks = (0..count).step_by(rows).map(chunk).collect();
    answer(py, &options, job, schema, Work::of_chunks(chunks), &[])
}

/// Generates puzzles and writes them to a file.
#[pyfunction]
pub fn generate_file<'py>(
    py: Python<'py>,
    out: PathBuf,
    count: usize,
    options: Options<'py>,
) -> PyResult<Done<'py>> {
    let files =
        OverFiles { py, paths: Vec::new(), outs: vec![out], read: options.reading()?, options: &options };
    let (job, encoder) = (job(&options)?, files.encoder()?);
    files.run_prepared(move |_, _| {
        let source = Source::of_values("generate", Arc::new(Count(count)), None);
        let output = RowOutput { encoder, only: Some(WRITTEN.to_vec()) };
        Ok(Prepared::new(job, vec![source], vec![output]))
    })
}

/// Makes the job for a call.
fn job(options: &Options<'_>) -> PyResult<Generate> {
    let clues: Option<(u32, u32)> = options.get("clues")?;
    if let Some((least, most)) = clues.filter(|(least, most)| !(*least..=CELLS as u32).contains(most)) {
        return Err(invalid("clues", &format!("{least} to {most} (expected numbers up to {CELLS})")));
    }
    let pattern = options.get::<String>("pattern")?.map(|text| grid("pattern", &text)).transpose()?;
    let near = options.get::<Vec<String>>("near")?.map(|texts| {
        let puzzles = texts.iter().map(|text| grid("near", text)).collect::<PyResult<_>>()?;
        Ok::<_, PyErr>(Variation::new(puzzles, options.get("changes")?.unwrap_or(2)))
    });
    let symmetry: String = options.get("symmetry")?.unwrap_or_default();
    let mut spec = PuzzleSpec::default();
    spec.minimal = options.is_set("minimal")? || clues.is_none();
    spec.clues = clues.map_or(spec.clues, |(least, most)| least..=most);
    spec.symmetry = one_of(&SYMMETRIES, &symmetry, "symmetry:")?;
    spec.pattern = pattern.map_or(spec.pattern, |pattern| pattern.clue_cells());
    spec.weighted = options.is_set("weights")?;
    spec.tries = options.get("tries")?.unwrap_or(spec.tries);
    spec.near = near.transpose()?;
    let grade = options.get::<String>("grade")?.map(|grade| format!("grade={grade}"));
    let conditions = [("difficulty", options.get("difficulty")?), ("grade", grade)];
    let mut condition = Condition::default();
    for (name, text) in conditions.into_iter().filter_map(|(name, text)| Some((name, text?))) {
        let one: Result<Condition, _> = text.parse();
        condition = condition.and(&one.map_err(|error| invalid(name, &error))?);
    }
    let names: Vec<String> = options.get("columns")?.unwrap_or_default();
    let measure = |name: &String| {
        Measure::named(name).ok_or_else(|| invalid("columns", &format!("{name:?} is not a measure")))
    };
    let columns = names.iter().map(measure).collect::<PyResult<Vec<_>>>()?;
    let seed = options.get("seed")?.unwrap_or(1);
    let made = Generate::new(seed, spec, condition, &columns, options.backend()?);
    let job = made.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(if options.get("solutions")?.unwrap_or(true) { job } else { job.without_solutions() })
}

fn grid(name: &str, text: &str) -> PyResult<Grid> {
    text.parse().map_err(|error| invalid(name, &format!("{text:?}: {error}")))
}

fn invalid(name: &str, what: &str) -> PyErr {
    PyValueError::new_err(format!("{name}: {what}"))
}
