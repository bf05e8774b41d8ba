//! Messages on standard error. Write errors are ignored, because a broken standard error is no reason to stop.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::input::OptionNames;
use crate::output;
use crate::output::stream::escaped;

/// The flag names to use in hints.
pub static FLAGS: OptionNames = OptionNames {
    puzzle_column: "--puzzle-column",
    solution_column: "--solution-column",
    format: "--format",
    output_format: "-O",
    escape_formulas: ", with --escape-formulas",
    around_value: [" ", ""],
    pipe: "| batchdoku ... -",
};

/// The advice to print after an internal error.
pub const REPORT_DEFECT: &str = "this is a defect in batchdoku: please report it with the input";

/// Whether only errors are printed.
static QUIET: AtomicBool = AtomicBool::new(false);

/// The number of writes to standard error that are in progress.
static BUSY: AtomicUsize = AtomicUsize::new(0);

/// Sets whether only errors and their hints are printed from now on, as `--quiet` requests.
pub fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Prints an error.
pub fn error(what: impl Display) {
    say(format_args!("error: {what}"));
}

/// Prints an error and what to do about it.
pub fn failure(what: &(dyn Error + 'static)) {
    error(explained(what));
}

/// An error with a prefix that says what it concerns.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {source}")]
struct Within {
    what: String,
    source: anyhow::Error,
}

/// Adds context to an error, as `anyhow::Context` does. As with every error here, the text of the new error also
/// includes its cause.
pub trait Context<T> {
    /// Puts `what` before the error.
    fn context(self, what: impl Display) -> anyhow::Result<T>;

    /// Puts the result of `what` before the error.
    fn with_context<D: Display>(self, what: impl FnOnce() -> D) -> anyhow::Result<T>;
}

impl<T, E: Into<anyhow::Error>> Context<T> for Result<T, E> {
    fn context(self, what: impl Display) -> anyhow::Result<T> {
        self.with_context(|| what)
    }

    fn with_context<D: Display>(self, what: impl FnOnce() -> D) -> anyhow::Result<T> {
        self.map_err(|source| Within { what: what().to_string(), source: source.into() }.into())
    }
}

/// Returns the text of an error, followed by a hint on a line of its own if there is one.
pub fn explained(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    if let Some(hint) = output::hint(error, &FLAGS) {
        text += &format!("\n  hint: {hint}");
    }
    text
}

/// Prints a warning, unless `--quiet` was given.
pub fn warning(what: impl Display) {
    info(format_args!("warning: {what}"));
}

/// Prints a note, unless `--quiet` was given.
pub fn note(what: impl Display) {
    info(format_args!("note: {what}"));
}

/// Prints a line, unless `--quiet` was given.
pub fn info(what: impl Display) {
    if !QUIET.load(Ordering::Relaxed) {
        say(what);
    }
}

/// Prints what to do about the preceding error or warning.
pub fn hint(what: impl Display) {
    say(format_args!("  hint: {what}"));
}

/// Prints a line with control characters escaped, so that quoted input cannot send commands to the terminal.
pub fn say(what: impl Display) {
    let text = format!("{what}\n");
    let _ = while_counted_busy(|| io::stderr().lock().write_all(&escaped(text.as_bytes())));
}

/// Runs a write to standard error, which counts as in progress for [`is_busy`] until it returns.
pub fn while_counted_busy<T>(write: impl FnOnce() -> T) -> T {
    BUSY.fetch_add(1, Ordering::Relaxed);
    let written = write();
    BUSY.fetch_sub(1, Ordering::Relaxed);
    written
}

/// Prints a line from a separate thread, and waits only briefly because standard error could be blocked.
pub fn say_with_timeout(what: String) {
    const PATIENCE: Duration = Duration::from_millis(100);
    let (said, is_said) = channel();
    let speak = move || {
        say(what);
        let _ = said.send(());
    };
    if thread::Builder::new().spawn(speak).is_ok() {
        let _ = is_said.recv_timeout(PATIENCE);
    }
}

/// Returns whether a write to standard error is in progress or blocked.
pub fn is_busy() -> bool {
    BUSY.load(Ordering::Relaxed) > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::InputError;

    #[test]
    fn a_cause_is_named_once_whatever_it_is_called() {
        let missing = || io::Error::other("not found");
        for name in ["a.txt", "not found", "is not found.txt"] {
            let open = InputError::Open { name: name.to_owned(), source: missing() };
            assert_eq!(explained(&open), format!("{name}: cannot open: not found"));
            let error = Err::<(), _>(missing()).context(name).unwrap_err();
            assert_eq!(explained(error.as_ref()), format!("{name}: not found"));
            let error = Err::<(), _>(error).context("batch").unwrap_err();
            assert_eq!(explained(error.as_ref()), format!("batch: {name}: not found"));
        }
    }

    /// PROMISE: plain-errors
    #[test]
    fn what_to_do_stands_on_a_line_of_its_own_and_names_flags() {
        let error = anyhow::Error::new(InputError::NoColumn {
            name: "a.csv".to_owned(),
            columns: vec!["x".to_owned(), "y".to_owned()],
            wanted: None,
            of_solutions: false,
        });
        let expected = "a.csv: no column of puzzles found (columns seen: x, y)\n  \
                        hint: name the column of the puzzles with --puzzle-column NAME";
        let error = Err::<(), _>(error).context("batch").unwrap_err();
        assert_eq!(explained(error.as_ref()), format!("batch: {expected}"));
    }
}
