//! Lines for the person at standard error.
//!
//! A standard error that cannot be written is no reason to fail, so these never do.

use std::fmt::Display;
use std::io::{self, Write};

/// Says what went wrong.
pub fn error(what: impl Display) {
    say(format_args!("error: {what}"));
}

/// Says what went wrong and why, each cause once: some errors say their cause themselves.
pub fn error_chain(what: &anyhow::Error) {
    let mut text = what.to_string();
    for cause in what.chain().skip(1).map(ToString::to_string) {
        if !text.ends_with(&cause) {
            text += &format!(": {cause}");
        }
    }
    error(text);
}

/// Says what may be wrong.
pub fn warning(what: impl Display) {
    say(format_args!("warning: {what}"));
}

/// Says what to do about the error or warning before.
pub fn hint(what: impl Display) {
    say(format_args!("  hint: {what}"));
}

/// Says something.
pub fn say(what: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{what}");
}
