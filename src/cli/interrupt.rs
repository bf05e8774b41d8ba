//! Ctrl-C: the first asks the engine to finish what is in flight, the second ends the program.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

use super::exit::Exit;

/// A flag that the first Ctrl-C (or request to terminate) sets.
///
/// # Errors
///
/// When the system does not let signals be handled.
pub fn watch() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::Relaxed) {
            process::exit(Exit::Interrupted.code().into());
        }
    })
    .context("cannot handle Ctrl-C")?;
    Ok(stop)
}
