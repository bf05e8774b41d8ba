//! The parts that all runs share: outputs that are opened before anything is read, signals, and a progress line.
//!
//! A subcommand begins a [`Session`], opens its outputs and then its inputs, prints which files it will replace, and
//! gets the progress line.
//!
//! SIGINT, SIGTERM and SIGHUP end a run. The first one that arrives during the run sets a flag that all parts check, so
//! finished work is still written. A signal before the run, or a second one, ends the program at once. In either case,
//! the outputs contain only complete rows. A signal that was already ignored when the program started, as with `nohup`,
//! stays ignored. SIGXFSZ, which would kill the program in the middle of a row, becomes a write error. SIGUSR1 prints
//! the progress.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use std::{process, thread};

use anyhow::Result;

use super::figures::grouped;
use super::message::Context;
use super::progress::ProgressLine;
use super::{exit, message};
use crate::input::shown_name;
use crate::output::file::{OutputError, OutputFile, OutputHandle};
use crate::output::names::{NamedFile, check_distinct};
use crate::pipeline;

/// The time that a write in progress is given to finish when the program must end at once.
const PATIENCE: Duration = Duration::from_secs(1);

/// A second signal within this time counts as a repeat of the first, since `timeout` signals the program and then its
/// process group.
const SAME_SIGNAL: Duration = Duration::from_millis(300);

/// An output that accepts no data for this long after the first signal counts as blocked.
const BLOCKED: Duration = Duration::from_millis(700);

/// The time that a run is given to stop the programs that it started.
const CLEANING: Duration = Duration::from_millis(500);

/// The time between two checks of the outputs.
const LOOK: Duration = Duration::from_millis(20);

/// A function that returns the text to print on SIGUSR1.
type Status = Box<dyn Fn() -> String + Send>;

/// A run from start to end.
pub struct Session {
    pub started: SystemTime,
    /// The same moment as `started`, for measuring how long the run takes.
    pub clock: Instant,
    signals: Arc<Signals>,
}

/// The state that the run shares with its signal handler.
#[derive(Default)]
struct Signals {
    stop: Arc<AtomicBool>,
    /// The time of the first signal.
    first: OnceLock<Instant>,
    /// Whether the run has begun to check the flag.
    under_way: AtomicBool,
    /// Whether the run has programs to stop or folders to remove.
    cleans_up: AtomicBool,
    outputs: Mutex<Vec<OutputHandle>>,
    status: Mutex<Option<Status>>,
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    /// Begins a session, and handles signals from now on. Fails if that is not possible.
    pub fn begin() -> Result<Self> {
        let session = Self { started: SystemTime::now(), clock: Instant::now(), signals: Arc::default() };
        system::watch(&session.signals).context("cannot handle signals")?;
        pipeline::silence_isolated_panics();
        Ok(session)
    }

    /// Opens these outputs. However the program ends, it leaves only complete rows in them.
    ///
    /// Inputs, which can be streams, are opened later, so a run that is refused reads nothing from them. Fails if an
    /// output is the same file as an input or another output, another run is writing it, or it cannot be written.
    pub fn open(
        &self,
        inputs: &[NamedFile<'_>],
        outputs: &[NamedFile<'_>],
    ) -> Result<Vec<OutputFile>, OutputError> {
        // A signal that arrives meanwhile waits until all outputs are open.
        let mut handles = lock(&self.signals.outputs);
        check_distinct(inputs, outputs)?;
        let open = |output: &NamedFile<'_>| match output {
            NamedFile::Path(_, path) => OutputFile::create(path),
            NamedFile::StandardInput | NamedFile::StandardOutput => OutputFile::standard_output(),
        };
        let files = outputs.iter().map(open).collect::<Result<Vec<_>, _>>()?;
        handles.extend(files.iter().map(OutputFile::handle));
        Ok(files)
    }

    /// Prints which files from an earlier run will be replaced.
    pub fn note_earlier<'a>(&self, outputs: impl IntoIterator<Item = &'a OutputFile>) {
        let earlier = outputs.into_iter().filter_map(OutputFile::earlier);
        for (partial, bytes) in earlier {
            message::note(format_args!(
                "{} has {} bytes of an earlier run, which this run replaces",
                shown_name(&partial),
                grouped(bytes)
            ));
        }
    }

    /// Returns the progress line, which is drawn if `shown` is set; `total` is the number of bytes, if known. From now
    /// on, the run checks the flag.
    pub fn progress(&self, shown: bool, total: Option<u64>) -> ProgressLine {
        let progress = ProgressLine::new(shown, total);
        *lock(&self.signals.status) = Some(Box::new(progress.status()));
        self.signals.under_way.store(true, Ordering::SeqCst);
        progress
    }

    /// Returns the progress line for a run in stages. Such a run removes its folders and stops its programs when it
    /// ends, which can take up to [`CLEANING`].
    pub fn stages(&self, shown: bool) -> ProgressLine {
        self.signals.cleans_up.store(true, Ordering::SeqCst);
        self.progress(shown, None)
    }

    /// Returns the flag that the first signal sets.
    pub fn stop(&self) -> &Arc<AtomicBool> {
        &self.signals.stop
    }
}

impl Signals {
    /// Handles a signal that ends the run.
    fn ask(self: &Arc<Self>, signal: u8) {
        let is_first = self.first.set(Instant::now()).is_ok();
        if !is_first && self.first.get().is_some_and(|first| first.elapsed() < SAME_SIGNAL) {
            return;
        }
        exit::note_signal(signal);
        self.stop.store(true, Ordering::SeqCst);
        if is_first && self.under_way.load(Ordering::SeqCst) {
            // A thread that is blocked while it writes to a pipe cannot check the flag.
            let signals = Arc::clone(self);
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

    /// Ends the program, leaving only complete rows in the outputs.
    fn end_at_once(&self, patience: Duration) -> ! {
        if self.cleans_up.load(Ordering::SeqCst) {
            // The run itself ends the program if it can.
            thread::sleep(CLEANING);
        }
        let outputs = lock(&self.outputs).clone();
        for output in outputs {
            let _ = output.give_up(patience);
        }
        process::exit(exit::code_of_signal().into());
    }

    /// Ends the program if a write stays blocked.
    fn end_if_blocked(&self) {
        let mut busy = Duration::ZERO;
        loop {
            thread::sleep(LOOK);
            busy = if message::is_busy() || lock(&self.outputs).iter().any(OutputHandle::is_busy) {
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
        let status = lock(&self.status).as_ref().map(|status| status());
        let text = status.unwrap_or_else(|| "opening the inputs".to_owned());
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

    pub fn watch(signals: &Arc<Signals>) -> io::Result<()> {
        // When memory runs out, the standard library prints an error and aborts.
        let trouble = Exit::Trouble.code().into();
        flag::register_conditional_shutdown(SIGABRT, trouble, Arc::new(AtomicBool::new(true)))?;
        let ignored = ignored();
        let wanted = [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGXFSZ];
        let mut queue = Queue::new(wanted.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0))?;
        let signals = Arc::clone(signals);
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
    use std::sync::Arc;

    use super::Signals;

    pub fn watch(signals: &Arc<Signals>) -> io::Result<()> {
        const SIGINT: u8 = 2;
        let signals = Arc::clone(signals);
        ctrlc::set_handler(move || signals.ask(SIGINT)).map_err(io::Error::other)
    }
}
