//! Turns the bytes of an input into records.

use std::num::NonZeroUsize;

mod batch;
mod blocks;
mod carry;
mod columns;
mod dialect;
mod error;
mod file;
mod hash;
mod isolate;
mod lost_zeros;
mod magic;
mod names;
mod option_names;
pub(crate) mod reader;
mod refusal;
mod sample;
mod score;
mod sniff;
mod source;
mod stream;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub(crate) mod text;
mod unicode;

pub use crate::kinds::sudominoku::input::case;
pub use batch::{Batch, SourceInfo};
pub use carry::{Carried, Columns, Keep};
#[cfg(feature = "arrow")]
pub(crate) use columns::restore_zeros;
#[cfg(feature = "arrow")]
pub use columns::{ColumnError, column};
pub use columns::{Value, Values};
pub use dialect::{Dialect, DialectError, Excerpt, Framing, Holders};
pub(crate) use error::lacking;
pub use error::{InputError, listed};
pub(crate) use file::FileId;
pub use file::shown_name;
pub(crate) use hash::{Fingerprint, fingerprint};
pub use hash::{Hash, Hashing};
pub use isolate::silence_isolated_panics;
pub(crate) use isolate::{Panicked, isolated, message_of};
pub use names::{PUZZLES as PUZZLE_NAMES, SOLUTIONS as SOLUTION_NAMES};
pub use option_names::OptionNames;
pub use reader::{Passed, Read};
pub use sample::InputSample;
pub use score::Score;
pub use sniff::Look;
pub use source::Source;

/// The maximum length of a line in bytes, without the line end; CSV rows and Sudominoku cases have the same limit.
/// Anything longer becomes a single invalid record, so memory use stays bounded.
pub const MAX_LINE: usize = 1 << 20;

/// Overrides for format detection, and other read options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The format, as far as the user gives it; the rest is detected from the first MiB.
    pub format: Option<Dialect>,
    /// The puzzle column: its name (case-insensitive) or its number, counted from 1.
    pub puzzle_column: Option<String>,
    /// The column with the claimed solutions, given in the same way as the puzzle column.
    pub solution_column: Option<String>,
    /// Whether the input is output of this program, in which the puzzle may be missing.
    pub results: bool,
    /// Whether the input holds the answers to another input's puzzles. Its records are then claims without a puzzle.
    pub answers: bool,
    /// Whether to hash the bytes as they are read.
    pub hash: bool,
    /// How many threads may decode data ahead of time, if the format allows it; defaults to the number of cores.
    pub threads: Option<NonZeroUsize>,
    /// The option names that notes and hints use.
    pub option_names: &'static OptionNames,
}
