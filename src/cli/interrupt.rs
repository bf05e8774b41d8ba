//! Signals: what they do, and how they end the program.
//!
//! SIGINT, SIGTERM and SIGHUP end a run. The first one that arrives during the run sets a flag that all parts check, so
//! that finished work is still written. A signal before the run, or a second one, ends the program at once. In either
//! case, the outputs contain only complete rows. A signal that was already ignored when the program started, as with
//! `nohup`, stays ignored. SIGXFSZ, which would kill the program in the middle of a row, becomes a write error. SIGUSR1
//! prints the progress.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use std::{process, thread};

use anyhow::Result;

use super::message::Context;
use super::{exit, message};
use crate::output::file::OutputHandle;

/// The time that a write in progress is given when the program must end at once.
const PATIENCE: Duration = Duration::from_secs(1);

/// The time within which a second signal counts as the first, since `timeout` signals the program and then its process
/// group.
const SAME_SIGNAL: Duration = Duration::from_millis(300);

/// The time for which an output must accept no data, after the first signal, to count as blocked.
const BLOCKED: Duration = Duration::from_millis(700);

/// The time that a run is given to stop the programs that it has started.
const CLEANING: Duration = Duration::from_millis(500);

/// The time between two checks of the outputs.
const LOOK: Duration = Duration::from_millis(20);

/// A function that returns the text to print on SIGUSR1.
type Status = Box<dyn Fn() -> String + Send>;

/// The signal handler of this process.
#[derive(Clone, Default)]
pub struct Signals(Arc<Watched>);

#[derive(Default)]
struct Watched {
    stop: Arc<AtomicBool>,
    /// The time of the first signal.
    first: OnceLock<Instant>,
    /// Whether the run is checking the flag yet.
    under_way: AtomicBool,
    /// Whether the run has programs to stop or folders to remove.
    cleans_up: AtomicBool,
    outputs: Mutex<Vec<OutputHandle>>,
    status: Mutex<Option<Status>>,
}

impl Signals {
    /// Starts to handle signals. Fails if the system does not allow it.
    pub fn watch() -> Result<Self> {
        let signals = Self::default();
        system::watch(&signals).context("cannot handle signals")?;
        Ok(signals)
    }

    /// Returns the flag that the first signal sets.
    pub fn stop(&self) -> &Arc<AtomicBool> {
        &self.0.stop
    }

    /// Records that the run checks the flag from now on; `status` returns the progress.
    pub fn begin(&self, status: impl Fn() -> String + Send + 'static) {
        *self.0.status.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(status));
        self.0.under_way.store(true, Ordering::SeqCst);
    }

    /// Records that the run has started programs or created folders, and needs up to [`CLEANING`] to clean up.
    pub fn cleans_up(&self) {
        self.0.cleans_up.store(true, Ordering::SeqCst);
    }

    /// Opens outputs that must contain only complete rows even if the program ends at once. A signal that arrives
    /// meanwhile waits until they are open. Fails if `open` does.
    pub fn protect<T, E>(
        &self,
        open: impl FnOnce() -> Result<T, E>,
        handles: impl FnOnce(&T) -> Vec<OutputHandle>,
    ) -> Result<T, E> {
        let mut known = self.0.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = open()?;
        known.extend(handles(&opened));
        Ok(opened)
    }

    /// Handles a signal that ends the run.
    fn ask(&self, signal: u8) {
        let is_first = self.0.first.set(Instant::now()).is_ok();
        if !is_first && self.0.first.get().is_some_and(|first| first.elapsed() < SAME_SIGNAL) {
            return;
        }
        exit::note_signal(signal);
        self.0.stop.store(true, Ordering::SeqCst);
        if is_first && self.0.under_way.load(Ordering::SeqCst) {
            // A thread that is blocked while it writes to a pipe cannot check the flag.
            let signals = self.clone();
            let watch = move || signals.end_if_blocked();
            if thread::Builder::new().name("interrupted".to_owned()).spawn(watch).is_err() {
                self.end_at_once(PATIENCE);
            }
        } else {
            if is_first {
                message::say_with_timeout("error: interrupted".to_owned());
            }
            self.end_at_once(PATIENCE);
        }
    }

    fn handles(&self) -> Vec<OutputHandle> {
        self.0.outputs.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the program, leaving only complete rows in the outputs.
    fn end_at_once(&self, patience: Duration) -> ! {
        if self.0.cleans_up.load(Ordering::SeqCst) {
            // The run itself ends the program if it can.
            thread::sleep(CLEANING);
        }
        for output in self.handles() {
            let _ = output.give_up(patience);
        }
        process::exit(exit::code_of_signal().into());
    }

    /// Ends the program if a write stays blocked.
    fn end_if_blocked(&self) {
        let mut busy = Duration::ZERO;
        loop {
            thread::sleep(LOOK);
            busy = if message::is_busy() || self.handles().iter().any(OutputHandle::is_busy) {
                busy + LOOK
            } else {
                Duration::ZERO
            };
            if busy >= BLOCKED {
                message::say_with_timeout("error: interrupted while an output was blocked".to_owned());
                self.end_at_once(Duration::ZERO);
            }
        }
    }

    /// Prints the progress.
    fn say_status(&self) {
        let status = self.0.status.lock().unwrap_or_else(PoisonError::into_inner);
        let text = status.as_ref().map_or_else(|| "opening the inputs".to_owned(), |status| status());
        drop(status);
        // One unread line is enough.
        if !message::is_busy() {
            message::say_with_timeout(text);
        }
    }
}

#[cfg(unix)]
mod system {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::{fs, io, thread};

    use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGXFSZ};
    use signal_hook::flag;
    use signal_hook::iterator::Signals as Queue;

    use super::Signals;
    use crate::cli::exit::Exit;

    pub fn watch(signals: &Signals) -> io::Result<()> {
        // When memory runs out, the standard library prints an error and aborts.
        let trouble = Exit::Trouble.code().into();
        flag::register_conditional_shutdown(SIGABRT, trouble, Arc::new(AtomicBool::new(true)))?;
        let ignored = ignored();
        let wanted = [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGXFSZ];
        let mut queue = Queue::new(wanted.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0))?;
        let signals = signals.clone();
        let take = move || {
            for signal in queue.forever() {
                match signal {
                    SIGUSR1 => signals.say_status(),
                    // The write itself fails with an error.
                    SIGXFSZ => {}
                    signal => signals.ask(signal as u8),
                }
            }
        };
        thread::Builder::new().name("signals".to_owned()).spawn(take)?;
        Ok(())
    }

    /// Returns the signals that are already ignored, with bit `n - 1` for signal `n`, or 0 if the system does not
    /// report them.
    fn ignored() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;

    use super::Signals;

    pub fn watch(signals: &Signals) -> io::Result<()> {
        const SIGINT: u8 = 2;
        let signals = signals.clone();
        ctrlc::set_handler(move || signals.ask(SIGINT)).map_err(io::Error::other)
    }
}
