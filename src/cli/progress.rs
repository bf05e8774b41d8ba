//! The progress bar on standard error, which is the [`Observer`] for the command line. It is drawn at most twenty times
//! a second.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{figures, message};
use crate::pipeline::{Observer, Progress};

/// A bar that advances with the input bytes, or a spinner if their total is unknown.
pub struct ProgressLine {
    bar: ProgressBar,
    started: Instant,
    total: Option<u64>,
    done: Arc<Mutex<Done>>,
}

/// The work done so far, for [`ProgressLine::status`]. The lock is never held while the bar is drawn, which can block.
#[derive(Default)]
struct Done {
    progress: Progress,
    /// The current stage of a benchmark, and how much of it is done.
    stage: Option<String>,
}

impl ProgressLine {
    /// Returns a line, which is drawn if `shown` is set and standard error is a terminal. `total` is the size of all
    /// inputs in bytes, if known.
    pub fn new(shown: bool, total: Option<u64>) -> Self {
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let template = match total {
            Some(_) => "[{wide_bar}] {percent:>3} %  {msg}  {eta} left",
            None => "{spinner} {msg}",
        };
        let style = ProgressStyle::with_template(template).expect("indicatif accepts these templates");
        let style = style.progress_chars("=> ").tick_chars("|/-\\ ");
        let bar = ProgressBar::with_draw_target(total, target).with_style(style);
        Self { bar, started: Instant::now(), total, done: Arc::default() }
    }

    /// Returns a function that describes the progress. It can be called at any time and on any thread.
    pub fn status(&self) -> impl Fn() -> String + Send + 'static {
        let (started, total, done) = (self.started, self.total, Arc::clone(&self.done));
        move || {
            let Done { progress, stage } = &*done.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(stage) = stage {
                return stage.clone();
            }
            let share = match total {
                Some(total) if total > 0 => {
                    format!(", {:.0} %", 100.0 * progress.raw_bytes as f64 / total as f64)
                }
                _ => String::new(),
            };
            format!("{}{share}, {}", records_and_rate(progress, started), figures::time(started.elapsed()))
        }
    }

    /// Shows the current stage of a benchmark, and how much of it is done. No separate thread draws the line, because
    /// that would disturb the measurements.
    pub fn show_stage(&self, stage: &str, share: f64) {
        let stage = format!("{stage} {:.0} %", 100.0 * share);
        message::while_counted_busy(|| {
            self.bar.set_message(stage.clone());
            self.bar.tick();
        });
        self.done().stage = Some(stage);
    }

    fn done(&self) -> MutexGuard<'_, Done> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the line from the screen.
    pub fn clear(&self) {
        message::while_counted_busy(|| self.bar.finish_and_clear());
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if !self.bar.is_finished() {
            self.clear();
        }
    }
}

impl Observer for ProgressLine {
    fn progress(&self, progress: &Progress) {
        self.done().progress = *progress;
        if self.bar.is_hidden() {
            return;
        }
        message::while_counted_busy(|| {
            self.bar.set_position(progress.raw_bytes);
            self.bar.set_message(records_and_rate(progress, self.started));
        });
    }
}

fn records_and_rate(progress: &Progress, since: Instant) -> String {
    let (records, grids) = (progress.records, progress.grids.unwrap_or(0));
    let rate = (records as f64 / since.elapsed().as_secs_f64().max(f64::EPSILON)) as u64;
    let tried = if grids > 0 { format!(", {} grids tried", figures::grouped(grids)) } else { String::new() };
    format!("{}, {}/s{tried}", figures::count_of(records, "record", "records"), figures::grouped(rate))
}
