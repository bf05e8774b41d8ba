//! Isolates panics, so that one costs only what panicked.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// Characters of a panic's message that a row gives, at most.
const MESSAGE_LENGTH: usize = 300;

thread_local! {
    /// Whether what this thread does is isolated.
    static IS_ISOLATED: Cell<bool> = const { Cell::new(false) };
    /// Where in the source code the last isolated panic arose.
    static ORIGIN: Cell<Option<String>> = const { Cell::new(None) };
}

/// What is known of a panic.
#[derive(Debug)]
pub(crate) struct Panicked {
    /// What it said, on one line.
    pub message: String,
    /// Where in the source code it arose, if [`silence_isolated_panics`] was called.
    pub origin: Option<String>,
}

/// Does some work so that a panic ends it alone. What it has touched is not to be used again.
pub(crate) fn isolated<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    let outer = IS_ISOLATED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_ISOLATED.set(outer);
    done.map_err(|payload| Panicked { message: one_line(&message_of(payload)), origin: ORIGIN.take() })
}

/// A message that fits into a row: blanks and control characters in a row become one space.
fn one_line(message: &str) -> String {
    let words = message.split(|c: char| c.is_control() || c.is_whitespace()).filter(|word| !word.is_empty());
    let words = words.collect::<Vec<_>>().join(" ");
    if words.is_empty() { "no message".to_owned() } else { words.chars().take(MESSAGE_LENGTH).collect() }
}

/// From now on a panic while a batch is answered, which costs only rows of that batch, prints nothing.
///
/// It sets the panic hook of the process, so it is for programs to call and not for libraries. Rows are the same
/// without it.
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

/// What a panic said.
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
