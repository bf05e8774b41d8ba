//! Solve and verify from file to file, as the command does.

use std::error::Error;
use std::io::{self, Write};
use std::iter;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use batchdoku::input::{OptionNames, ReadOptions, Source};
use batchdoku::jobs::Job;
use batchdoku::jobs::solve::Solve;
use batchdoku::jobs::verify::Verify;
use batchdoku::output::file::OutputFile;
use batchdoku::output::names::{NamedFile, check_distinct};
use batchdoku::output::{self, Choice, Encode, FileEnd, Form, Output, empty};
use batchdoku::pipeline::{
    self, Collect, Digest, Ending, Observer, Plan, Progress, RowSink, RunOptions, Tally, TallyDigest,
};
use batchdoku::record::{Page, Role};
use batchdoku::solver::Backend;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::figures::Figures;
use crate::jobs::{Options, watched};
use crate::reading::Reading;

/// The figures of a run, and what is worth a warning.
pub type Done<'py> = (Bound<'py, PyDict>, Vec<String>);

/// Solves the puzzles of files into another; `progress` is called with records and bytes.
#[pyfunction]
pub fn solve_file<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    out: PathBuf,
    output_format: Option<String>,
    progress: Option<Bound<'py, PyAny>>,
    reading: Reading,
    options: Options,
) -> PyResult<Done<'py>> {
    let search = options.search()?;
    let job = Solve::new(search, options.times);
    let (read, threads) = reading.options()?;
    let way = Way { paths, out, output_format, read, only: None, threads };
    run(py, job, way, search.backend, progress, |job, _, _| Ok((job, Vec::new())))
}

/// Verifies the solutions that files claim; `progress` is called with records and bytes.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "they are those of Python")]
pub fn verify_file<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    out: PathBuf,
    output_format: Option<String>,
    trust_unique: bool,
    progress: Option<Bound<'py, PyAny>>,
    reading: Reading,
    options: Options,
) -> PyResult<Done<'py>> {
    let search = options.search()?;
    let job = Verify::new((!trust_unique).then_some(search), options.times);
    let (read, threads) = reading.options()?;
    let way = Way { paths, out, output_format, read, only: None, threads };
    run(py, job, way, search.backend, progress, |job, sources, _| {
        Ok((job, sources.iter().filter_map(Source::note_on_claims).collect()))
    })
}

/// From where to where, and how.
pub struct Way {
    /// The inputs.
    pub paths: Vec<PathBuf>,
    /// The output.
    pub out: PathBuf,
    /// The format of the output, if its name does not say it.
    pub output_format: Option<String>,
    /// How the inputs are read.
    pub read: ReadOptions,
    /// Which statuses have rows that are written.
    pub only: Option<Vec<bool>>,
    /// How many work.
    pub threads: NonZeroUsize,
}

/// Does a job from file to file; `complete` makes it complete once the inputs are open, and says what is worth a warning.
pub fn run<'py, J: Job>(
    py: Python<'py>,
    job: J,
    way: Way,
    backend: Backend,
    progress: Option<Bound<'py, PyAny>>,
    complete: impl FnOnce(J, &mut [Source], &dyn Encode) -> Result<(J, Vec<String>), Failure> + Send + 'static,
) -> PyResult<Done<'py>> {
    let choice = Choice::new(Some(&way.out), way.output_format.as_deref())
        .map_err(|error| Failure::of(&error, true).raised())?;
    let reached = Arc::new(Reached::default());
    let observed = Arc::clone(&reached);
    let mut told = (0, 0);
    let mut tell = |progress: Option<&Bound<'py, PyAny>>| {
        let now = reached.now();
        if let Some(progress) = progress
            && now != told
        {
            told = now;
            progress.call1(now)?;
        }
        Ok(())
    };
    let work =
        move |stop: &AtomicBool| from_file_to_file(job, way, choice, backend, complete, &observed, stop);
    let figures = watched(py, work, |_| tell(progress.as_ref()))?.map_err(Failure::raised)?;
    tell(progress.as_ref())?;
    Ok((figures.summary(py)?, figures.notes))
}

/// What the options are called.
pub static NAMES: OptionNames = OptionNames {
    puzzle_column: "column",
    solution_column: "solution",
    format: "format",
    trust_compressed: "trust_compressed=True",
    output_format: "output_format",
    escape_formulas: "",
    around_value: ["=\"", "\""],
    pipe: "> FILE",
};

/// Why nothing came out.
pub struct Failure {
    /// In one or two sentences.
    pub message: String,
    /// What the system said, if it said anything.
    pub system: Option<io::ErrorKind>,
    /// Whether what was given is to blame.
    pub is_value: bool,
}

impl Failure {
    /// What another error says, what to do about it, and the system behind it; whether what was given is to blame.
    pub fn of(error: &(dyn Error + 'static), is_value: bool) -> Self {
        let mut below = iter::successors(error.source(), |&cause| cause.source());
        let system = below.find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
        let hint = output::hint(error, &NAMES).map_or(String::new(), |hint| format!("; {hint}"));
        Self { message: error.to_string() + &hint, system, is_value }
    }

    /// As Python has it.
    pub fn raised(self) -> PyErr {
        match self.system {
            Some(kind) => io::Error::new(kind, self.message).into(),
            None if self.is_value => PyValueError::new_err(self.message),
            None => PyOSError::new_err(self.message),
        }
    }
}

fn from_file_to_file<J: Job>(
    job: J,
    way: Way,
    choice: Choice,
    backend: Backend,
    complete: impl FnOnce(J, &mut [Source], &dyn Encode) -> Result<(J, Vec<String>), Failure>,
    reached: &Reached,
    stop: &AtomicBool,
) -> Result<Figures, Failure> {
    let encoder = choice.encoder(false).map_err(|error| Failure::of(&error, true))?;
    let Way { paths, out, read, only, threads, .. } = way;
    let named: Vec<_> = paths.iter().map(|path| NamedFile::input(path)).collect();
    check_distinct(&named, &[NamedFile::Path("the output", &out)])
        .map_err(|error| Failure::of(&error, true))?;
    let sources = paths.iter().map(|path| Source::open(path, &read)).collect::<Result<Vec<_>, _>>();
    let mut sources = sources.map_err(|error| Failure::of(&error, true))?;
    let (job, mut notes) = complete(job, &mut sources, &*encoder)?;
    encoder.fits(job.schema()).map_err(|unfit| Failure::of(&unfit, true))?;
    let file = OutputFile::create(&out).map_err(|error| Failure::of(&error, false))?;
    let name = out;
    let mut out = Rows::of(file);
    if encoder.form() == Form::Rewritten && out.file.partial().is_none() {
        let message = format!("{}: this format takes a file and no stream", name.display());
        return Err(Failure { message, system: None, is_value: true });
    }
    let empty = empty(&*encoder, job.schema()).map_err(|error| Failure::of(&error, false))?;
    out.file.set_header(empty.len());
    let mut collected = (Tally::new(job.schema()), Guesses(0));
    let plan = Plan {
        sources,
        job: Arc::new(job),
        encoder,
        digest: (TallyDigest, GuessDigest),
        options: RunOptions { only, ..RunOptions::new(threads) },
    };
    let ended = pipeline::run(plan, &mut collected, &mut out, reached, stop);
    let (reason, system) = match &ended {
        Ok(ended) => match (&ended.unwritten, ended.input_errors.first()) {
            (Some(error), _) => (error.to_string(), Some(error.kind())),
            (None, Some(error)) => (Failure::of(error, false).message, None),
            (None, None) if ended.ending == Ending::Complete => (String::new(), None),
            (None, None) => ("interrupted".to_owned(), None),
        },
        Err(error) => (error.to_string(), None),
    };
    match ended {
        Ok(ended) if reason.is_empty() => {
            out.file.finish().map_err(|error| Failure::of(&error, false))?;
            let (tally, Guesses(guesses)) = collected;
            let mut figures = Figures::new(&tally, &ended, guesses, backend);
            notes.append(&mut figures.notes);
            figures.notes = notes;
            Ok(figures)
        }
        _ => {
            let left = out.file.keep().map_or(String::new(), |left| format!("; {left}"));
            Err(Failure { message: reason + &left, system, is_value: false })
        }
    }
}

/// The file that rows are written to.
pub struct Rows {
    /// The file itself.
    pub file: OutputFile,
    /// Whether anything took the place of what an earlier run left.
    begun: bool,
}

impl Rows {
    /// Those of a file that was just created.
    pub const fn of(file: OutputFile) -> Self {
        Self { file, begun: false }
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

/// How far a run is.
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

/// Adds up the guesses of a page.
struct GuessDigest;

impl Digest for GuessDigest {
    type Part = u64;

    fn digest(&self, page: &Page<'_>, part: &mut u64) {
        let guesses = page.numbers(Role::Guesses);
        *part = (0..page.rows).filter_map(|row| guesses.get(row)).sum();
    }
}

/// The guesses of all rows.
struct Guesses(u64);

impl Collect<u64> for Guesses {
    fn take(&mut self, part: &mut u64) {
        self.0 += *part;
    }
}
