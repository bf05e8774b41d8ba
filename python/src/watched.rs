//! Calls that end at Ctrl-C, and why they fail.

use std::error::Error;
use std::io;
use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use batchdoku::output;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::options::NAMES;

/// How often it is looked whether a signal has come.
const SIGNALS: Duration = Duration::from_millis(100);

/// How long what was told to stop may take to say how that went.
const LAST_WAIT: Duration = Duration::from_millis(900);

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
    /// What an error says for which what was given is to blame, what to do about it, and the system behind it.
    pub fn refused<E: Error + 'static>(error: E) -> Self {
        Self { is_value: true, ..Self::failed(error) }
    }

    /// The same of another error.
    pub fn failed<E: Error + 'static>(error: E) -> Self {
        let error: &(dyn Error + 'static) = &error;
        let mut below = iter::successors(error.source(), |&cause| cause.source());
        let system = below.find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
        let hint = output::hint(error, &NAMES).map_or(String::new(), |hint| format!("; {hint}"));
        Self { system, ..Self::because(error.to_string() + &hint) }
    }

    /// What the system said, and of what.
    pub fn system(of: &str, error: &io::Error) -> Self {
        Self { system: Some(error.kind()), ..Self::because(format!("{of}{error}")) }
    }

    /// What no error says.
    pub const fn because(message: String) -> Self {
        Self { message, system: None, is_value: false }
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure.system {
            Some(kind) => io::Error::new(kind, failure.message).into(),
            None if failure.is_value => PyValueError::new_err(failure.message),
            None => PyOSError::new_err(failure.message),
        }
    }
}

/// Does `work` on another thread, while this one waits for signals, and calls `tick` as often as it looks for them. The
/// flag is raised at the first error of either, which is then what comes out.
pub fn watched<T: Send + 'static, E: Into<PyErr> + Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> Result<T, E> + Send + 'static,
    mut tick: impl FnMut() -> PyResult<()>,
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
            Ok(done) => return failed.map_or_else(|| done.map_err(Into::into), Err),
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
            && let Err(error) = py.check_signals().and_then(|()| tick())
        {
            stop.store(true, Ordering::Relaxed);
            (failed, waited) = (Some(error), Duration::ZERO);
        }
    }
}
