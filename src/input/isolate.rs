//! Isolates panics, so that a panic affects only the work in which it happened.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// The most characters of a panic's message in a row.
const MESSAGE_LENGTH: usize = 300;

thread_local! {
    /// Whether the current work of this thread is isolated.
    static IS_ISOLATED: Cell<bool> = const { Cell::new(false) };
    /// The place in the source code where the last isolated panic arose.
    static ORIGIN: Cell<Option<String>> = const { Cell::new(None) };
}

/// The details of a panic.
#[derive(Debug)]
pub(crate) struct Panicked {
    /// The message, on one line.
    pub message: String,
    /// The place in the source code, if [`silence_isolated_panics`] was called.
    pub origin: Option<String>,
}

/// Does some work so that a panic ends only that work. Values that the work changed must not be used afterwards.
pub(crate) fn isolated<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    let outer = IS_ISOLATED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_ISOLATED.set(outer);
    done.map_err(|payload| Panicked { message: one_line(&message_of(payload)), origin: ORIGIN.take() })
}

/// Returns a message that fits into a row: a run of blanks and control characters becomes one space.
fn one_line(message: &str) -> String {
    let words = message.split(|c: char| c.is_control() || c.is_whitespace()).filter(|word| !word.is_empty());
    let words = words.collect::<Vec<_>>().join(" ");
    if words.is_empty() { "no message".to_owned() } else { words.chars().take(MESSAGE_LENGTH).collect() }
}

/// Silences panics while a batch is answered, which affect only rows of that batch.
///
/// The function sets the panic hook of the process, so programs may call it, but libraries should not. Rows are the
/// same without the hook.
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
