//! A pass over whole inputs whose findings a command needs before it writes anything.

use std::io;
use std::sync::atomic::AtomicBool;

use crate::input::InputError;
use crate::jobs::Job;
use crate::pipeline::{self, Collect, Digest, Ended, Ending, Observer, Plan, RunError};

/// Why a pass did not end.
#[derive(Debug, thiserror::Error)]
pub enum PassError {
    /// An input cannot be read completely.
    #[error("{0}; complete inputs are needed")]
    Input(#[from] InputError),
    /// The stop flag was raised.
    #[error("interrupted: nothing was written")]
    Interrupted,
    /// The run over the records failed.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Runs a job that writes nothing and collects its digests. Fails if an input cannot be read completely, or the flag is
/// raised.
pub fn pass<J: Job, D: Digest>(
    plan: Plan<J, D>,
    collected: &mut impl Collect<D::Part>,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Ended, PassError> {
    let mut ended = pipeline::run(plan, collected, &mut io::sink(), observer, stop)?;
    if !ended.input_errors.is_empty() {
        return Err(ended.input_errors.swap_remove(0).into());
    }
    if ended.ending == Ending::Interrupted { Err(PassError::Interrupted) } else { Ok(ended) }
}
