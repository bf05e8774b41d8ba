//! Jobs from file to file, as the command does them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use batchdoku::input::{Keep, ReadOptions, Source, listed};
use batchdoku::jobs::convert::{Claims, Convert, WRITTEN};
use batchdoku::jobs::{Job, carried, enumerate};
use batchdoku::output::file::OutputFile;
use batchdoku::output::names::{NamedFile, check_distinct};
use batchdoku::output::{Choice, Encode, FileEnd, Form, Output, empty};
use batchdoku::pipeline::{
    self, BATCH_BYTES, Ended, Ending, Observer, Plan, Progress, RowSink, RunError, RunOptions, Tally,
    TallyDigest,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::jobs::{Door, run_named};
use crate::options::Options;
use crate::rows::Figures;
use crate::watched::{Failure, watched};

/// The figures of a run, and its warnings.
pub type Done<'py> = (Bound<'py, PyDict>, Vec<String>);

/// Does a job from file to file; the option `progress` is called with records and bytes.
#[pyfunction]
pub fn run_file<'py>(
    py: Python<'py>,
    job: &str,
    paths: Vec<PathBuf>,
    out: PathBuf,
    options: Options<'py>,
) -> PyResult<Done<'py>> {
    let files = OverFiles { py, paths, out, options: &options };
    match job {
        "convert" => files.run_completed(Convert::new(Claims::Unexpected), Some(WRITTEN.to_vec()), fitted),
        job => run_named(job, &options, files),
    }
}

/// Runs jobs over files.
struct OverFiles<'a, 'py> {
    py: Python<'py>,
    paths: Vec<PathBuf>,
    out: PathBuf,
    options: &'a Options<'py>,
}

impl<'py> Door for OverFiles<'_, 'py> {
    type Out = Done<'py>;

    fn run<J: Job>(self, job: J) -> PyResult<Done<'py>> {
        self.run_completed(job, None, |job, sources, _| {
            let claimless = sources.iter().filter(|_| job.want().claims);
            let notes = claimless.filter_map(Source::note_on_claims).collect();
            Ok((job, notes))
        })
    }
}

impl<'py> OverFiles<'_, 'py> {
    /// Runs a job, and writes only rows with the statuses `only`, if given; `complete` completes the job once the inputs are
    /// open, and returns warnings.
    fn run_completed<J: Job>(
        self,
        job: J,
        only: Option<Vec<bool>>,
        complete: impl FnOnce(J, &mut [Source], &dyn Encode) -> Result<(J, Vec<String>), Failure> + Send + 'static,
    ) -> PyResult<Done<'py>> {
        let Self { py, paths, out, options } = self;
        let output_format: Option<String> = options.get("output_format")?;
        let choice = Choice::new(Some(&out), output_format.as_deref()).map_err(Failure::refused)?;
        let encoder = choice.encoder(false).map_err(Failure::refused)?;
        let (backend, read, threads) = (options.backend()?, options.reading()?, options.threads()?);
        let has_many_rows = job.of(&J::Answers::default()).is_some();
        let batch_bytes = if has_many_rows { enumerate::BATCH_BYTES } else { BATCH_BYTES };
        let run = RunOptions { only, batch_bytes, ..RunOptions::new(threads) };
        let progress: Option<Bound<'py, PyAny>> = options.get("progress")?;
        let reached = Arc::new(Reached::default());
        let observed = Arc::clone(&reached);
        let mut reported = (0, 0);
        let mut report = || {
            let now = reached.now();
            if let Some(progress) = &progress
                && now != reported
            {
                reported = now;
                progress.call1(now)?;
            }
            Ok(())
        };
        let work = move |stop: &AtomicBool| {
            let mut sources = opened(&paths, &out, &read)?;
            let (job, notes) = complete(job, &mut sources, &*encoder)?;
            encoder.fits(job.schema()).map_err(Failure::refused)?;
            let mut rows = Rows::create(&out)?;
            if encoder.form() == Form::Rewritten && rows.file.partial().is_none() {
                let message = format!("{}: this format needs a file, not a stream", out.display());
                return Err(Failure { is_value: true, ..Failure::because(message) });
            }
            rows.file.set_header(empty(&*encoder, job.schema()).map_err(Failure::failed)?.len());
            let mut tally = Tally::new(job.schema());
            let plan = Plan { sources, job: Arc::new(job), encoder, digest: TallyDigest, options: run };
            let mut ended =
                rows.end(|rows| complete_run(pipeline::run(plan, &mut tally, rows, &*observed, stop)))?;
            ended.notes.splice(..0, notes);
            Ok(Figures { tally, ended, backend })
        };
        let figures = watched(py, work, &mut report)?;
        report()?;
        Ok((figures.summary(py)?, figures.ended.notes))
    }
}

/// Opens the inputs, none of which may be the output.
pub fn opened(paths: &[PathBuf], out: &Path, read: &ReadOptions) -> Result<Vec<Source>, Failure> {
    let named: Vec<_> = paths.iter().map(|path| NamedFile::input(path)).collect();
    check_distinct(&named, &[NamedFile::Path("the output", out)]).map_err(Failure::refused)?;
    paths.iter().map(|path| Source::open(path, read).map_err(Failure::refused)).collect()
}

/// The end of a run; fails if it did not read and write everything.
pub fn complete_run(ended: Result<Ended, RunError>) -> Result<Ended, Failure> {
    let ended = ended.map_err(|error| Failure::because(error.to_string()))?;
    match (&ended.unwritten, ended.input_errors.into_iter().next()) {
        (Some(error), _) => Err(Failure::system("", error)),
        (None, Some(error)) => Err(Failure { system: None, ..Failure::failed(error) }),
        (None, None) if ended.ending == Ending::Complete => Ok(Ended { input_errors: Vec::new(), ..ended }),
        (None, None) => Err(Failure::because("interrupted".to_owned())),
    }
}

/// Completes a conversion with all other columns of the inputs, except those that the format cannot hold.
fn fitted(
    mut job: Convert,
    sources: &mut [Source],
    encoder: &dyn Encode,
) -> Result<(Convert, Vec<String>), Failure> {
    let carried = carried(&Keep::All, sources, &job).map_err(Failure::refused)?;
    job.schema_mut().carried = carried.names;
    let (job, left_out) = job.fitted(&sources.iter().collect::<Vec<_>>(), encoder);
    if !job.schema().carried.is_empty() {
        for (source, selection) in sources.iter_mut().zip(&carried.selections) {
            source.carry(selection);
        }
    }
    let note = || format!("columns that this format has no place for are left out: {}", listed(&left_out));
    let notes = (!left_out.is_empty()).then(note);
    Ok((job, notes.into_iter().collect()))
}

/// The file that rows are written to.
pub struct Rows {
    file: OutputFile,
    /// Whether rows have replaced what an earlier run left.
    begun: bool,
}

impl Rows {
    /// Opens the file.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        Ok(Self { file: OutputFile::create(path).map_err(Failure::failed)?, begun: false })
    }

    /// Writes and finishes the file; an error says what is left of it.
    pub fn end<T>(mut self, write: impl FnOnce(&mut Self) -> Result<T, Failure>) -> Result<T, Failure> {
        let written = write(&mut self).and_then(|done| {
            self.file.remove_checkpoints().map_err(|error| Failure::system("", &error))?;
            Ok(done)
        });
        match written {
            Ok(done) => self.file.finish().map(|()| done).map_err(Failure::failed),
            Err(mut failure) => {
                failure.message += &self.file.keep().map_or(String::new(), |left| format!("; {left}"));
                Err(failure)
            }
        }
    }
}

impl Write for Rows {
    fn write(&mut self, rows: &[u8]) -> io::Result<usize> {
        if !self.begun && !self.file.would_hold_back(rows) {
            self.file.remove_checkpoints()?;
            self.begun = true;
        }
        self.file.write(rows)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Output for Rows {
    fn overwrite_start(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.overwrite_start(bytes)
    }

    fn set_file_end(&mut self, end: Option<FileEnd>) {
        self.file.set_file_end(end);
    }
}

impl<C> RowSink<C> for Rows {}

/// The progress of a run.
#[derive(Debug, Default)]
struct Reached {
    records: AtomicU64,
    bytes: AtomicU64,
}

impl Reached {
    fn now(&self) -> (u64, u64) {
        (self.records.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed))
    }
}

impl Observer for Reached {
    fn progress(&self, progress: &Progress) {
        self.records.store(progress.records, Ordering::Relaxed);
        self.bytes.store(progress.raw_bytes, Ordering::Relaxed);
    }
}
