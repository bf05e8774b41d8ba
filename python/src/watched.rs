//! Calls that Ctrl-C can interrupt, and their errors.

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

/// The interval between two checks for a signal.
const SIGNALS: Duration = Duration::from_millis(100);

/// How long to wait for work that has been asked to stop.
const LAST_WAIT: Duration = Duration::from_millis(900);

/// Describes why a call failed.
pub struct Failure {
    /// The message.
    pub message: String,
    /// The kind of system error, if there was one.
    pub system: Option<io::ErrorKind>,
    /// Whether the cause is a wrong argument.
    pub is_value: bool,
}

impl Failure {
    /// Makes a failure from an error caused by a wrong argument.
    pub fn refused<E: Error + 'static>(error: E) -> Self {
        Self { is_value: true, ..Self::failed(error) }
    }

    /// Makes a failure from any other error, including its hint and the system error that caused it.
    pub fn failed<E: Error + 'static>(error: E) -> Self {
        let error: &(dyn Error + 'static) = &error;
        let mut below = iter::successors(error.source(), |&cause| cause.source());
        let system = below.find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
        let hint = output::hint(error, &NAMES).map_or(String::new(), |hint| format!("; {hint}"));
        Self { system, ..Self::because(error.to_string() + &hint) }
    }

    /// Makes a failure from a system error, with the words `of` in front.
    pub fn system(of: &str, error: &io::Error) -> Self {
        Self { system: Some(error.kind()), ..Self::because(format!("{of}{error}")) }
    }

    /// Makes a failure with this message.
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

/// Runs `work` on another thread, while this one checks for signals and calls `tick` after each check. The first error,
/// whether from a signal or from `tick`, raises the flag and is returned.
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
        // The receiver may be gone by now.
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
                // The work may be blocked on an input; in that case it is abandoned.
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
