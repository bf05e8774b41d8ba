//! Signals: what they ask for, and the end of the program that they may bring.
//!
//! SIGINT, SIGTERM and SIGHUP end a run: the first time, once it is under way, by a flag that everything looks at, so
//! that what is finished is written; before that, and the second time, at once. Outputs are left with whole rows in
//! either case. A signal that was ignored when the program began, as by `nohup`, stays ignored. SIGXFSZ, which would
//! kill in the middle of a row, becomes an error of writing; SIGUSR1 asks how far the run is.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{process, thread};

use anyhow::{Context, Result};

use super::{exit, message};
use crate::output::file::OutputHandle;

/// How long a write that is under way may go on when the program is to end at once.
const PATIENCE: Duration = Duration::from_secs(1);

/// An output that takes nothing for so long after the first signal has a reader that does not read.
const BLOCKED: Duration = Duration::from_millis(700);

/// Time in which a run ends what it has started.
const CLEANING: Duration = Duration::from_millis(500);

/// How often it is looked whether one is blocked.
const LOOK: Duration = Duration::from_millis(20);

/// What to say when SIGUSR1 asks.
type Status = Box<dyn Fn() -> String + Send>;

/// The signals of this process, watched.
#[derive(Clone, Default)]
pub struct Signals(Arc<Watched>);

#[derive(Default)]
struct Watched {
    stop: Arc<AtomicBool>,
    /// Whether the run looks at the flag.
    under_way: AtomicBool,
    /// Whether the run has more to end than itself.
    cleans_up: AtomicBool,
    outputs: Mutex<Vec<OutputHandle>>,
    status: Mutex<Option<Status>>,
}

impl Signals {
    /// Watches them from now on.
    ///
    /// # Errors
    ///
    /// When the system does not let signals be handled.
    pub fn watch() -> Result<Self> {
        let signals = Self::default();
        system::watch(&signals).context("cannot handle signals")?;
        Ok(signals)
    }

    /// The flag that the first request to end raises.
    #[must_use]
    pub fn stop(&self) -> &Arc<AtomicBool> {
        &self.0.stop
    }

    /// Says that the run looks at the flag from now on; `status` says how far it is.
    pub fn begin(&self, status: impl Fn() -> String + Send + 'static) {
        *self.0.status.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(status));
        self.0.under_way.store(true, Ordering::SeqCst);
    }

    /// Says that the run has started programs or made folders, which it takes with it within [`CLEANING`].
    pub fn cleans_up(&self) {
        self.0.cleans_up.store(true, Ordering::SeqCst);
    }

    /// Opens outputs that are to be left whole when the program ends at once, which it does not before they are known.
    ///
    /// # Errors
    ///
    /// Those of `open`.
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

    /// Takes a request to end.
    fn ask(&self, signal: u8) {
        exit::note_signal(signal);
        let is_first = !self.0.stop.swap(true, Ordering::SeqCst);
        if is_first && self.0.under_way.load(Ordering::SeqCst) {
            // Whoever writes to a pipe that nobody reads cannot look at the flag.
            let signals = self.clone();
            let watch = move || signals.end_if_blocked();
            if thread::Builder::new().name("interrupted".to_owned()).spawn(watch).is_err() {
                self.end_at_once(PATIENCE);
            }
        } else {
            if is_first {
                message::say_aside("error: interrupted".to_owned());
            }
            self.end_at_once(PATIENCE);
        }
    }

    fn handles(&self) -> Vec<OutputHandle> {
        self.0.outputs.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the program, with whole rows in the outputs.
    fn end_at_once(&self, patience: Duration) -> ! {
        if self.0.cleans_up.load(Ordering::SeqCst) {
            // It ends the program itself, if it can.
            thread::sleep(CLEANING);
        }
        for output in self.handles() {
            let _ = output.give_up(patience);
        }
        process::exit(exit::code_of_signal().into());
    }

    /// Ends the program if one write goes on and on.
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
                message::say_aside("error: interrupted while nobody took what was written".to_owned());
                self.end_at_once(Duration::ZERO);
            }
        }
    }

    /// Says how far the run is.
    fn say_status(&self) {
        let status = self.0.status.lock().unwrap_or_else(PoisonError::into_inner);
        let text = status.as_ref().map_or_else(|| "looking at the inputs".to_owned(), |status| status());
        drop(status);
        // One that nobody has read is enough.
        if !message::is_busy() {
            message::say_aside(text);
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
        // Where memory cannot be had, the standard library says so and aborts.
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
                    // The write that was too much says so itself.
                    SIGXFSZ => {}
                    signal => signals.ask(signal as u8),
                }
            }
        };
        thread::Builder::new().name("signals".to_owned()).spawn(take)?;
        Ok(())
    }

    /// The signals that are ignored already, bit `n - 1` for signal `n`; where the system does not tell, none.
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
