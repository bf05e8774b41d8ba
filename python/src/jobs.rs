//! Solve and verify, with an eye on Ctrl-C.

use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use batchdoku::arrow;
use batchdoku::jobs::solve::Solve;
use batchdoku::jobs::verify::Verify;
use batchdoku::jobs::{Job, SearchOptions};
use batchdoku::solver::{Backend, Limits, Wanted};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::answers::Answers;
use crate::columns::{Claims, Work};
use crate::data::Data;

/// How often it is looked whether a signal has come.
const SIGNALS: Duration = Duration::from_millis(100);

/// How long what was told to stop may take to say how that went.
const LAST_WAIT: Duration = Duration::from_millis(900);

/// Threads for each core at most, as on the command line.
const MOST_A_CORE: NonZeroUsize = NonZeroUsize::new(32).expect("it is not 0");

/// What both jobs take.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Options {
    limit: u64,
    max_guesses: Option<u64>,
    any_solution: bool,
    backend: String,
    threads: Option<usize>,
    /// Whether there is a column of times.
    pub times: bool,
}

impl Options {
    /// How to search.
    pub fn search(&self) -> PyResult<SearchOptions> {
        let limit = NonZeroU64::new(self.limit).ok_or_else(|| zero("limit"))?;
        let mut limits = Limits::default().with_solutions(limit);
        limits.max_guesses = self.max_guesses;
        limits.wanted = if self.any_solution { Wanted::Any } else { Wanted::Smallest };
        let backend = match &*self.backend {
            "auto" => Backend::best(),
            name => Backend::named(name).ok_or_else(|| {
                let names: Vec<_> = Backend::available().into_iter().map(Backend::name).collect();
                PyValueError::new_err(format!(
                    "this processor cannot run the backend {name:?} (it can run auto, {})",
                    names.join(", ")
                ))
            })?,
        };
        Ok(SearchOptions { backend, limits })
    }

    /// How many threads work.
    pub fn threads(&self) -> PyResult<NonZeroUsize> {
        threads(self.threads)
    }
}

/// How many threads work if so many were asked for.
pub fn threads(asked: Option<usize>) -> PyResult<NonZeroUsize> {
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let Some(threads) = asked else { return Ok(cores) };
    let threads = NonZeroUsize::new(threads).ok_or_else(|| zero("threads"))?;
    Ok(threads.min(cores.saturating_mul(MOST_A_CORE)))
}

/// What to say of a 0.
pub fn zero(name: &str) -> PyErr {
    PyValueError::new_err(format!("{name} is 0 (expected 1 or more)"))
}

/// Solves the puzzles of a column.
#[pyfunction]
pub fn solve(py: Python<'_>, data: &Data, column: Option<&str>, options: Options) -> PyResult<Answers> {
    let search = options.search()?;
    let work = Work::new(data, column, None)?;
    run(py, Solve::new(search, options.times), work, search.backend, options.threads()?)
}

/// Verifies the solutions that are claimed for the puzzles of a column: those of the column called `solution`, or those
/// `beside` it.
#[pyfunction]
pub fn verify(
    py: Python<'_>,
    data: &Data,
    column: Option<&str>,
    solution: Option<&str>,
    beside: Option<&Bound<'_, Data>>,
    trust_unique: bool,
    options: Options,
) -> PyResult<Answers> {
    let search = options.search()?;
    let claims = match beside {
        Some(beside) => Claims::Beside(beside.get()),
        None => Claims::Column(solution),
    };
    let work = Work::new(data, column, Some(&claims))?;
    let job = Verify::new((!trust_unique).then_some(search), options.times);
    run(py, job, work, search.backend, options.threads()?)
}

/// Does a job with columns.
fn run<J: Job>(
    py: Python<'_>,
    job: J,
    work: Work,
    backend: Backend,
    threads: NonZeroUsize,
) -> PyResult<Answers> {
    let schema = arrow::schema(job.schema());
    let Work { chunks, carried, fields } = work;
    let work = move |stop: &AtomicBool| arrow::run(job, chunks, threads, &(), stop);
    let answered = watched(py, work, |_| Ok(()))?;
    let answered = answered.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    Answers::new(answered, &schema, carried, &fields, backend)
}

/// Does `work` on another thread, while this one waits for signals, and calls `tick` as often as it looks for them. The
/// flag is raised at the first error of either, which is then what comes out.
pub fn watched<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
    mut tick: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, mut receiver) = mpsc::channel();
    let raised = Arc::clone(&stop);
    thread::Builder::new()
        .name("batchdoku".to_owned())
        // What comes out is waited for in any case.
        .spawn(move || drop(sender.send(work(&raised))))
        .map_err(|error| PyRuntimeError::new_err(format!("cannot start a thread: {error}")))?;
    let mut failed = None;
    let mut waited = Duration::ZERO;
    loop {
        let came;
        (receiver, came) = py.detach(move || {
            let came = receiver.recv_timeout(SIGNALS);
            (receiver, came)
        });
        match came {
            Ok(done) => return failed.map_or(Ok(done), Err),
            Err(RecvTimeoutError::Timeout) => {
                waited += SIGNALS;
                // It may wait for an input that says nothing, and is left behind then.
                if waited > LAST_WAIT
                    && let Some(error) = failed.take()
                {
                    return Err(error);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("internal error: the run panicked"));
            }
        }
        if failed.is_none()
            && let Err(error) = py.check_signals().and_then(|()| tick(py))
        {
            stop.store(true, Ordering::Relaxed);
            (failed, waited) = (Some(error), Duration::ZERO);
        }
    }
}
