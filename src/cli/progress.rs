//! The progress bar on standard error: the [`Observer`] of the command line. It is drawn at most twenty times a second.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{figures, message};
use crate::bench;
use crate::pipeline::{Observer, Progress};

/// A bar over the bytes of the inputs, or a spinner if their number is unknown.
pub struct ProgressLine {
    bar: ProgressBar,
    started: Instant,
    total: Option<u64>,
    /// Records done and bytes read, for [`Self::status`].
    done: Arc<[AtomicU64; 2]>,
}

impl ProgressLine {
    /// A line that is drawn if `shown`; `total` is the size of all inputs in bytes, if known.
    #[must_use]
    pub fn new(shown: bool, total: Option<u64>) -> Self {
        let bar = match total {
            _ if !shown => ProgressBar::hidden(),
            Some(total) => bar_of(total),
            None => spinner(),
        };
        Self { bar, started: Instant::now(), total, done: Arc::default() }
    }

    /// A function that gives the progress as text, at any time and on any thread.
    pub fn status(&self) -> impl Fn() -> String + Send + 'static {
        let (started, total, done) = (self.started, self.total, Arc::clone(&self.done));
        move || {
            let [records, bytes] = [0, 1].map(|at| done[at].load(Ordering::Relaxed));
            let share = match total {
                Some(total) if total > 0 => format!(", {:.0} %", 100.0 * bytes as f64 / total as f64),
                _ => String::new(),
            };
            format!("{}{share}, {}", records_and_rate(records, started), figures::time(started.elapsed()))
        }
    }

    /// Removes the line from the screen.
    pub fn clear(&self) {
        message::while_counted_busy(|| self.bar.finish_and_clear());
    }
}

impl Observer for ProgressLine {
    fn progress(&self, progress: &Progress) {
        self.done[0].store(progress.records, Ordering::Relaxed);
        self.done[1].store(progress.raw_bytes, Ordering::Relaxed);
        if self.bar.is_hidden() {
            return;
        }
        message::while_counted_busy(|| {
            self.bar.set_position(progress.raw_bytes);
            self.bar.set_message(records_and_rate(progress.records, self.started));
        });
    }
}

fn records_and_rate(records: u64, since: Instant) -> String {
    let rate = (records as f64 / since.elapsed().as_secs_f64().max(f64::EPSILON)) as u64;
    format!("{} records, {}/s", figures::grouped(records), figures::grouped(rate))
}

/// The current stage of a benchmark and how much of it is done. No thread draws it, so as not to disturb measurements.
pub struct StageLine {
    bar: ProgressBar,
    stage: Arc<Mutex<String>>,
}

impl StageLine {
    /// A line that is drawn if `shown`.
    #[must_use]
    pub fn new(shown: bool) -> Self {
        Self { bar: if shown { spinner() } else { ProgressBar::hidden() }, stage: Arc::default() }
    }

    /// A function that gives the progress as text, at any time and on any thread.
    pub fn status(&self) -> impl Fn() -> String + Send + 'static {
        let stage = Arc::clone(&self.stage);
        move || stage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Removes the line from the screen.
    pub fn clear(&self) {
        message::while_counted_busy(|| self.bar.finish_and_clear());
    }
}

impl bench::BenchObserver for StageLine {
    fn progress(&self, stage: &str, share: f64) {
        let stage = format!("{stage} {:.0} %", 100.0 * share);
        message::while_counted_busy(|| {
            self.bar.set_message(stage.clone());
            self.bar.tick();
        });
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage;
    }
}

fn bar_of(total: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("[{wide_bar}] {percent:>3} %  {msg}  {eta} left")
        .expect("the template is a constant that indicatif accepts")
        .progress_chars("=> ");
    ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr()).with_style(style)
}

fn spinner() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg}")
        .expect("the template is a constant that indicatif accepts")
        .tick_chars("|/-\\ ");
    ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style)
}
