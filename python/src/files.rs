//! Jobs that run from file to file. They work like the commands of the same names.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use batchdoku::input::{Keep, ReadOptions, Source};
use batchdoku::jobs::convert::{Claims, Convert, WRITTEN};
use batchdoku::jobs::{Job, carry, enumerate};
use batchdoku::output::file::OutputFile;
use batchdoku::output::names::{NamedFile, check_distinct};
use batchdoku::output::{Choice, Encode, Form, Output};
use batchdoku::pipeline::{
    self, BATCH_BYTES, Ended, Ending, Observer, Plan, Progress, RowOutput, RowSink, RunOptions, Tally,
    TallyDigest,
};
use batchdoku::survey::grids::{self, ClaimFile};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::copies;
use crate::jobs::{Door, permute, run_named, verify};
use crate::options::Options;
use crate::rows::Figures;
use crate::watched::{Failure, watched};

/// A run's figures and its warnings.
pub type Done<'py> = (Bound<'py, PyDict>, Vec<String>);

/// Runs a job from files to files; the option `progress` is called with the numbers of records and bytes.
#[pyfunction]
pub fn run_file<'py>(
    py: Python<'py>,
    job: &str,
    paths: Vec<PathBuf>,
    outs: Vec<PathBuf>,
    options: Options<'py>,
) -> PyResult<Done<'py>> {
    let read = options.reading()?;
    let files = OverFiles { py, paths, outs, read, options: &options };
    match job {
        "convert" => files.convert(Convert::new(Claims::Unexpected)),
        "permute" => files.convert(permute(&options)?),
        "sample" | "dedupe" | "split" => copies::select(job, files),
        "verify" if options.get::<PathBuf>("answers")?.is_some() => verify_beside(files),
        job => run_named(job, &options, files),
    }
}

/// A call of a job on files.
pub struct OverFiles<'a, 'py> {
    /// The interpreter.
    pub py: Python<'py>,
    /// The inputs.
    pub paths: Vec<PathBuf>,
    /// The outputs.
    pub outs: Vec<PathBuf>,
    /// Options for reading the inputs.
    pub read: ReadOptions,
    /// Options given in the call.
    pub options: &'a Options<'py>,
}

/// A run on files whose inputs have already been examined.
pub struct Prepared<J> {
    /// The job.
    pub job: J,
    /// The inputs.
    pub sources: Vec<Source>,
    /// The outputs, each of which gets the rows with certain statuses.
    pub outputs: Vec<RowOutput>,
    /// The columns to carry along.
    pub keep: Option<Keep>,
    /// The warnings.
    pub notes: Vec<String>,
    /// The file that holds the claims, if there is one.
    pub claims: Option<ClaimFile>,
    /// The number of records read by an earlier pass.
    pub records: Option<u64>,
}

/// The inputs of a run, for all passes except the last one.
pub struct Pass<'a> {
    /// The inputs.
    pub paths: &'a [PathBuf],
    read: &'a ReadOptions,
    /// The number of threads.
    pub threads: NonZeroUsize,
    /// The observer that follows the progress.
    pub observer: &'a dyn Observer,
    /// The flag that ends the run.
    pub stop: &'a AtomicBool,
}

impl Pass<'_> {
    /// Opens files with the options given for the inputs.
    pub fn open(&self, paths: &[PathBuf]) -> Result<Vec<Source>, Failure> {
        paths.iter().map(|path| Source::open(path, self.read).map_err(Failure::refused)).collect()
    }
}

impl<'py> Door for OverFiles<'_, 'py> {
    type Out = Done<'py>;

    fn run<J: Job>(self, job: J) -> PyResult<Done<'py>> {
        self.write(job, None, None)
    }
}

impl<'py> OverFiles<'_, 'py> {
    /// Returns the format of the first output.
    pub fn encoder(&self) -> PyResult<Arc<dyn Encode>> {
        let named: Option<String> = self.options.get("output_format")?;
        let choice = Choice::new(self.outs.first().map(PathBuf::as_path), named.as_deref());
        Ok(choice.and_then(|choice| choice.encoder(false)).map_err(Failure::refused)?)
    }

    /// Runs a job and writes the rows with its first status, along with all other columns of the inputs.
    fn convert<J: Job>(self, job: J) -> PyResult<Done<'py>> {
        self.write(job, Some(WRITTEN.to_vec()), Some(Keep::All))
    }

    /// Runs a job with one output, which gets the rows with certain statuses, or all rows by default.
    fn write<J: Job>(self, job: J, only: Option<Vec<bool>>, keep: Option<Keep>) -> PyResult<Done<'py>> {
        let encoder = self.encoder()?;
        self.run_prepared(|sources, _| {
            Ok(Prepared { keep, ..Prepared::new(job, sources, vec![RowOutput { encoder, only }]) })
        })
    }

    /// Runs a job that is prepared once the inputs have been opened.
    pub fn run_prepared<J: Job>(
        self,
        prepare: impl FnOnce(Vec<Source>, &Pass<'_>) -> Result<Prepared<J>, Failure> + Send + 'static,
    ) -> PyResult<Done<'py>> {
        let (backend, threads) = (self.options.backend()?, self.options.threads()?);
        let against: Option<Vec<PathBuf>> = self.options.get("against")?;
        let read_too: Vec<_> = against.into_iter().flatten().chain(self.options.get("answers")?).collect();
        let written_too: Option<PathBuf> = self.options.get("matches")?;
        let progress: Option<Bound<'py, PyAny>> = self.options.get("progress")?;
        let Self { py, paths, outs, read, .. } = self;
        let reached = Arc::new(Reached::default());
        let observed = Arc::clone(&reached);
        let mut reported = (0, 0);
        let mut report = || {
            let now = *reached.now();
            if let Some(progress) = &progress
                && now != reported
            {
                reported = now;
                progress.call1(now)?;
            }
            Ok(())
        };
        let work = move |stop: &AtomicBool| {
            let started = Instant::now();
            let inputs: Vec<_> = paths.iter().chain(&read_too).map(|path| NamedFile::input(path)).collect();
            let named = outs.iter().chain(&written_too).map(|out| NamedFile::Path("the output", out));
            check_distinct(&inputs, &named.collect::<Vec<_>>()).map_err(Failure::refused)?;
            let pass = Pass { paths: &paths, read: &read, threads, observer: &*observed, stop };
            let sources = pass.open(&paths)?;
            let files = outs.iter().map(|out| create(out)).collect::<Result<_, _>>()?;
            let (tally, ended) = end(files, |files| prepare(sources, &pass)?.run(files, &pass))?;
            // The time covers all passes over the inputs.
            let ended = Ended { wall: started.elapsed(), ..ended };
            Ok::<_, Failure>(Figures { tally, ended, backend })
        };
        let figures = watched(py, work, &mut report)?;
        report()?;
        Ok((figures.summary(py)?, figures.ended.notes))
    }
}

/// The files written by a run, one per output.
struct Files<'a>(&'a mut [OutputFile]);

impl<C> RowSink<C> for Files<'_> {
    fn output(&mut self, n: usize) -> &mut dyn Output {
        &mut self.0[n]
    }
}

impl<J: Job> Prepared<J> {
    /// Prepares a run that carries no columns.
    pub const fn new(job: J, sources: Vec<Source>, outputs: Vec<RowOutput>) -> Self {
        Self { job, sources, outputs, keep: None, notes: Vec::new(), claims: None, records: None }
    }

    /// Runs the job.
    fn run(self, files: &mut [OutputFile], pass: &Pass<'_>) -> Result<(Tally, Ended), Failure> {
        let Self { mut job, mut sources, outputs, keep, claims, records, .. } = self;
        let encoders: Vec<_> = outputs.iter().map(|output| &*output.encoder).collect();
        let carried = carry(&mut job, &mut sources, keep.as_ref(), &encoders);
        let (schema, mut notes) = carried.map_err(Failure::refused)?;
        notes.extend(self.notes);
        encoders[0].fits(&schema).map_err(Failure::refused)?;
        if encoders[0].form() == Form::Rewritten && files[0].partial().is_none() {
            let name = files[0].name().display();
            let message = format!("{name}: this format needs a file, not a stream");
            return Err(Failure { is_value: true, ..Failure::because(message) });
        }
        let batch_bytes = if job.has_many_rows() { enumerate::BATCH_BYTES } else { BATCH_BYTES };
        let options = RunOptions { batch_bytes, ..RunOptions::new(pass.threads) };
        let mut tally = Tally::new(&schema);
        let plan = Plan { schema, outputs, ..Plan::new(sources, job, TallyDigest, options) };
        let ended = pipeline::run(plan, &mut tally, &mut Files(files), pass.observer, pass.stop);
        let ended = ended.map_err(|error| Failure::because(error.to_string()))?;
        if let Some((at @ 1.., error)) = &ended.unwritten {
            return Err(Failure::system(&format!("{}: ", files[*at].name().display()), error));
        }
        let mut ended = complete_run(ended)?;
        if records.is_some_and(|records| records != tally.records) {
            return Err(Failure::because("the inputs changed while they were read".to_owned()));
        }
        let counted = claims.and_then(|file| Some((file.other_count(tally.records)?, file.path)));
        if let Some((count, path)) = counted {
            notes.push(format!("{}: {count} answers for {} puzzles", path.display(), tally.records));
        }
        ended.notes.splice(..0, notes);
        Ok((tally, ended))
    }
}

/// Verifies claims that are in a separate file.
fn verify_beside<'py>(files: OverFiles<'_, 'py>) -> PyResult<Done<'py>> {
    let (job, encoder) = (verify(files.options)?, files.encoder()?);
    let path = files.options.get("answers")?.unwrap_or_default();
    let (file, all) = (ClaimFile { path, list: Arc::default() }, files.read.clone());
    let read = ReadOptions { solution_column: None, ..files.read };
    OverFiles { read, ..files }.run_prepared(move |sources, pass| {
        let source = file.open(&all).map_err(Failure::refused)?;
        let (list, notes) =
            grids::claims(vec![source], pass.threads, &(), pass.stop).map_err(Failure::refused)?;
        let file = ClaimFile { list: Arc::new(list), ..file };
        let job = job.with_claims_of(Some(Arc::clone(&file.list)));
        let output = RowOutput { encoder, only: None };
        Ok(Prepared { claims: Some(file), notes, ..Prepared::new(job, sources, vec![output]) })
    })
}

/// Returns how the run ended; fails if the run did not read and write everything.
pub fn complete_run(ended: Ended) -> Result<Ended, Failure> {
    match (&ended.unwritten, ended.input_errors.into_iter().next()) {
        (Some((_, error)), _) => Err(Failure::system("", error)),
        (None, Some(error)) => Err(Failure { system: None, ..Failure::failed(error) }),
        (None, None) if ended.ending == Ending::Complete => Ok(Ended { input_errors: Vec::new(), ..ended }),
        (None, None) => Err(Failure::because("interrupted".to_owned())),
    }
}

/// Opens a file for writing.
pub fn create(path: &Path) -> Result<OutputFile, Failure> {
    OutputFile::create(path).map_err(Failure::failed)
}

/// Writes and finishes files; an error says which files were left.
pub fn end<T>(
    mut files: Vec<OutputFile>,
    write: impl FnOnce(&mut [OutputFile]) -> Result<T, Failure>,
) -> Result<T, Failure> {
    match write(&mut files) {
        Ok(done) => {
            files.into_iter().try_for_each(OutputFile::finish).map(|()| done).map_err(Failure::failed)
        }
        Err(mut failure) => {
            let left = files.into_iter().filter_map(OutputFile::keep);
            left.for_each(|left| failure.message += &format!("; {left}"));
            Err(failure)
        }
    }
}

/// The number of records and bytes read so far.
#[derive(Default)]
struct Reached(Mutex<(u64, u64)>);

impl Reached {
    fn now(&self) -> MutexGuard<'_, (u64, u64)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Reached {
    fn progress(&self, progress: &Progress) {
        *self.now() = (progress.records, progress.raw_bytes);
    }
}
