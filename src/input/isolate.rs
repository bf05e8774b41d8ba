//! Isolates panics so that a panic affects only the work in which it occurs.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// The maximum number of characters of a panic message to show in an output row.
const MESSAGE_LENGTH: usize = 300;

thread_local! {
    /// Whether this thread is currently doing isolated work.
    static IS_ISOLATED: Cell<bool> = const { Cell::new(false) };
    /// Where in the source code the last isolated panic occurred.
    static ORIGIN: Cell<Option<String>> = const { Cell::new(None) };
}

/// Details of a panic.
#[derive(Debug)]
pub(crate) struct Panicked {
    /// The message, on one line.
    pub message: String,
    /// Where in the source code it occurred, if [`silence_isolated_panics`] was called.
    pub origin: Option<String>,
}

/// Runs `work` so that a panic ends only that work. After a panic, values that `work` was changing may be inconsistent
/// and must not be used.
pub(crate) fn isolated<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    let outer = IS_ISOLATED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_ISOLATED.set(outer);
    done.map_err(|payload| Panicked { message: one_line(&message_of(payload)), origin: ORIGIN.take() })
}

/// Returns the message in a form that fits into a row: each run of white space and control characters becomes one
/// space.
fn one_line(message: &str) -> String {
    let words = message.split(|c: char| c.is_control() || c.is_whitespace()).filter(|word| !word.is_empty());
    let words = words.collect::<Vec<_>>().join(" ");
    if words.is_empty() { "no message".to_owned() } else { words.chars().take(MESSAGE_LENGTH).collect() }
}

/// Silences panics that occur while a batch is processed, because they affect only rows of that batch.
///
/// This sets the process's panic hook, so programs can call it but libraries should not. It does not change any rows.
pub fn silence_isolated_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if IS_ISOLATED.get() {
                ORIGIN.set(panic.location().map(ToString::to_string));
            } else {
                hook(panic);
            }
        }));
    });
}

/// Returns the message of a panic.
pub(crate) fn message_of(payload: Box<dyn Any + Send>) -> String {
    let other =
        |payload: Box<dyn Any + Send>| payload.downcast_ref().map_or("panic", |said: &&str| said).into();
    payload.downcast::<String>().map_or_else(other, |said| *said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught_with_what_it_said() {
        assert_eq!(isolated(|| 7).unwrap(), 7);
        assert!(!IS_ISOLATED.get());
        let said = |work: fn()| isolated(work).unwrap_err().message;
        assert_eq!(said(|| panic!("plain")), "plain");
        assert_eq!(said(|| assert_eq!(1 + 1, 3)), "assertion `left == right` failed left: 2 right: 3");
        assert_eq!(said(|| panic!("\u{1b}[31m \n\t")), "[31m");
        assert_eq!(said(|| panic!("")), "no message");
        assert_eq!(said(|| panic!("{}", "é".repeat(1000))).chars().count(), MESSAGE_LENGTH);
        assert!(!IS_ISOLATED.get());
    }
}
