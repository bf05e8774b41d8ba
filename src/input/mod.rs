//! Bytes to records.

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
mod reader;
mod refusal;
mod score;
mod sniff;
mod source;
mod stream;
mod stretches;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;
mod unicode;

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
pub use score::Score;
pub use sniff::Look;
pub use source::Source;
pub use stretches::{Extent, InputSample};
pub use text::cases::case;

/// Longest line that is read, in bytes without its line end; the same bound holds for a CSV row and
/// for a Sudominoku case. Whatever is longer is one invalid record, and memory stays bounded.
pub const MAX_LINE: usize = 1 << 20;

/// How an input is to be read, where its own looks are not to decide.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// How it is read, as far as that is said; the rest is found from its first MiB.
    pub format: Option<Dialect>,
    /// Column of a table that holds the puzzle: its name, whatever the case of its letters,
    /// or its number, counted from 1.
    pub puzzle_column: Option<String>,
    /// Column of a table that holds the claimed solution, named as the other.
    pub solution_column: Option<String>,
    /// Whether the input holds results of this program, which may have no puzzle.
    pub results: bool,
    /// Whether it holds the answers to the puzzles of another input: claims without a puzzle are its records.
    pub answers: bool,
    /// Whether the bytes are hashed as they are read.
    pub hash: bool,
    /// Threads on which data may be decoded ahead, where the format allows it; as many as there are cores if it is not
    /// said.
    pub threads: Option<NonZeroUsize>,
    /// What notes call the options.
    pub option_names: &'static OptionNames,
}
