//! The jobs of the package, and how they run on columns in memory.

use std::error::Error;
use std::mem;
use std::num::NonZeroU64;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use batchdoku::analysis::rating::{Grade, Rating};
use batchdoku::arrow;
use batchdoku::jobs::Job;
use batchdoku::jobs::canon::{Canon, FORMS};
use batchdoku::jobs::convert::Claims;
use batchdoku::jobs::enumerate::Enumerate;
use batchdoku::jobs::minimize::{Goal, Minimize};
use batchdoku::jobs::permute::{PARTS, Permute, Symmetries, subgroup};
use batchdoku::jobs::pick::Pick;
use batchdoku::jobs::rate::{Isomorphs, Rate};
use batchdoku::jobs::solve::Solve;
use batchdoku::jobs::verify::Verify;
use batchdoku::pipeline::RunOptions;
use batchdoku::record::{Class, Role, Schema};
use batchdoku::sudoku::Symmetry;
use batchdoku::survey::Strata;
use batchdoku::survey::duplicates::Matches;
use batchdoku::survey::selection::{FirstInputs, Selected, Selection};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::columns::{Work, has_solutions};
use crate::copies::{comparison, note_on};
use crate::data::Data;
use crate::options::{Options, one_of};
use crate::rows::{Rows, own_columns};
use crate::watched::watched;

/// Something that can run any job.
pub trait Door {
    /// The type of the result.
    type Out;

    /// Runs a job.
    fn run<J: Job>(self, job: J) -> PyResult<Self::Out>;
}

/// Makes the job with the given name and options, and runs it.
pub fn run_named<D: Door>(job: &str, options: &Options<'_>, door: D) -> PyResult<D::Out> {
    match job {
        "solve" => door.run(Solve::new(options.search()?, options.is_set("times")?)),
        "verify" => door.run(verify(options)?),
        "enumerate" => door.run(Enumerate::new(options.backend()?, options.get::<NonZeroU64>("limit")?)),
        "canon" => {
            let name = options.get::<String>("form")?.unwrap_or_default();
            let form = one_of(&FORMS, &name, "there is no form")?;
            door.run(Canon::new(form, options.backend()?, options.is_set("symmetry")?))
        }
        "rate" => {
            let seed = options.get("seed")?.unwrap_or(1);
            let isomorphs = options.get("isomorphs")?.map(|count| Isomorphs { count, seed });
            let mut job = Rate::new(options.search()?, false, &[], isomorphs);
            if let Some(most) = options.get::<f64>("max_se")? {
                let tenths = (10.0 * most).round() as u8;
                if !(Grade::EXACT..=Rating::HIGHEST).contains(&tenths) {
                    let [least, most] = [Grade::EXACT, Rating::HIGHEST].map(|bound| f64::from(bound) / 10.0);
                    return Err(PyValueError::new_err(format!("max_se is a rating from {least} to {most}")));
                }
                job = job.with_ratings_up_to(tenths);
            }
            door.run(job)
        }
        "minimize" => {
            let limit: Option<NonZeroU64> = options.get("limit")?;
            let goal = match (limit, options.is_set("check")?) {
                (Some(_), true) => {
                    return Err(PyValueError::new_err("check drops nothing, and limit lists what is left"));
                }
                (Some(limit), _) => Goal::All { limit: limit.get() },
                (None, true) => Goal::Check,
                (None, false) => Goal::One { seed: options.get("seed")?.unwrap_or(1) },
            };
            door.run(Minimize::new(goal, options.backend()?))
        }
        _ => Err(PyValueError::new_err(format!("there is no job {job}"))),
    }
}

/// Makes the job `verify`.
pub fn verify(options: &Options<'_>) -> PyResult<Verify> {
    let (search, trusts) = (options.search()?, options.is_set("trust_unique")?);
    Ok(Verify::new((!trusts).then_some(search), options.is_set("times")?))
}

/// Makes the job `permute`.
pub fn permute(options: &Options<'_>) -> PyResult<Permute> {
    let (count, seed) = (options.get("count")?.unwrap_or(1), options.get("seed")?.unwrap_or_default());
    let parts: Vec<String> = options.get("only")?.unwrap_or_default();
    let parts = parts.iter().map(|part| one_of(&PARTS, part, "only has")).collect::<PyResult<Vec<_>>>()?;
    let from = subgroup(&parts);
    let by = options.get::<String>("by")?.map(|by| by.parse::<Symmetry>()).transpose();
    let by = by.map_err(|error| PyValueError::new_err(format!("by: {error}")))?;
    let symmetries = by.map_or_else(|| Symmetries::random(count, false, seed, from), Symmetries::One);
    Ok(Permute::new(symmetries, options.is_set("symmetry")?))
}

/// Runs a job on a column of puzzles and their claimed solutions. The solutions are in another column or `beside` the
/// data; for `dedupe`, other puzzles are `beside` it.
#[pyfunction]
pub fn run(
    py: Python<'_>,
    job: &str,
    data: &Data,
    beside: Option<&Bound<'_, Data>>,
    options: Options<'_>,
) -> PyResult<Rows> {
    let memory = InMemory { py, data, beside: beside.map(Bound::get), options: &options };
    match job {
        "permute" => memory.permute(permute(&options)?),
        "dedupe" => memory.dedupe(),
        job => run_named(job, &options, memory),
    }
}

/// A call of a job on columns in memory.
struct InMemory<'a, 'py> {
    py: Python<'py>,
    data: &'a Data,
    beside: Option<&'a Data>,
    options: &'a Options<'py>,
}

impl Door for InMemory<'_, '_> {
    type Out = Rows;

    fn run<J: Job>(self, job: J) -> PyResult<Rows> {
        let work = Work::new(&job, self.data, self.beside, self.options)?;
        let left_out: &[&str] = if job.want().claims { &["puzzle", "solution"] } else { &["puzzle"] };
        let schema = job.schema().clone();
        answer(self.py, self.options, job, schema, work, left_out)
    }
}

/// Runs a job on columns. If a carried column has the same name as a job column in `left_out`, that job column is
/// omitted.
pub fn answer<J: Job>(
    py: Python<'_>,
    options: &Options<'_>,
    job: J,
    schema: Schema,
    mut work: Work,
    left_out: &[&str],
) -> PyResult<Rows> {
    let own = own_columns(&arrow::schema(&schema), left_out, &work.fields);
    let (chunks, threads) = (mem::take(&mut work.chunks), options.threads()?);
    let run = move |stop: &AtomicBool| arrow::run(job, &schema, chunks, threads, &(), stop).map_err(failed);
    Rows::new(watched(py, run, || Ok(()))?, &own, &work, options.backend()?)
}

impl InMemory<'_, '_> {
    /// Makes isomorphs; a column gives the data row that each of them comes from.
    fn permute(self, job: Permute) -> PyResult<Rows> {
        let has_claims = self.beside.is_some() || has_solutions(self.data, self.options)?;
        let job = job.with_claims(if has_claims { Claims::Written } else { Claims::LeftOut });
        let mut work = Work::new(&job, self.data, self.beside, self.options)?;
        work.drop_own();
        work.carry("row", (0..).take(work.rows()).map(Some).collect());
        let schema = with_status(job.schema());
        answer(self.py, self.options, job, schema, work, &[])
    }

    /// Finds duplicates; a column gives the first equal row, either in the data or in the puzzles `beside` it.
    fn dedupe(self) -> PyResult<Rows> {
        let work = |data| Work::new(&Pick::all(), data, None, self.options);
        let (mut work, against) = (work(self.data)?, self.beside.map(work).transpose()?);
        let (chunks, rows, threads) = (mem::take(&mut work.chunks), work.rows(), self.options.threads()?);
        let (same, bounds) = comparison(self.options)?;
        let work_on = move |stop: &AtomicBool| {
            let started = Instant::now();
            let against = against.map(|against| arrow::sources(against.chunks).0);
            let (sources, _) = arrow::sources(chunks.clone());
            let run = RunOptions::new(threads);
            let inputs = FirstInputs { sources, against, by: Strata::One, are_copied: true, run };
            let selection = Selection::Dedupe { same, bounds };
            let selected = selection.make(inputs, |_| (), stop).map_err(failed)?;
            let note = note_on(same, &selected);
            let Selected { job, known, matches, .. } = selected;
            let before = known.unwrap_or(0);
            let own = |row| if known.is_some() { None } else { Some(row) };
            let mut first: Vec<_> = (0..rows as i64).map(own).collect();
            let matches = matches.map(Matches::numbers).transpose().map_err(failed)?;
            for (record, earlier) in matches.into_iter().flatten() {
                first[(record - before) as usize - 1] = Some(earlier as i64 - 1);
            }
            let schema = with_status(job.schema());
            let mut answered = arrow::run(job, &schema, chunks, threads, &(), stop).map_err(failed)?;
            answered.ended.notes.extend(note);
            answered.ended.wall = started.elapsed();
            Ok::<_, PyErr>((answered, arrow::schema(&schema), first))
        };
        let (answered, schema, first) = watched(self.py, work_on, || Ok(()))?;
        work.carry("first", first);
        let mut own = own_columns(&schema, &[], &work.fields);
        own.retain(|&(at, _)| schema.field(at).name() != "puzzle");
        Rows::new(answered, &own, &work, self.options.backend()?)
    }
}

/// Returns the job's columns along with the status and the error of each record, which commands do not write.
pub fn with_status(schema: &Schema) -> Schema {
    let mut schema = schema.clone();
    let fields = schema.fields.iter_mut();
    let fields = fields.filter(|field| matches!(field.role, Role::Status | Role::Error));
    fields.for_each(|field| field.class = Class::Result);
    schema
}

/// Returns the error to raise for a failed run.
pub fn failed(error: impl Error) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
