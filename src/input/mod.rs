//! Bytes to records, in every format people keep puzzles in.
//!
//! A [`Source`] is one input: a file or standard input, decompressed as it is read. It hands out
//! [`Batch`]es of whole records; a batch knows where it stands in its source, so that any thread can
//! turn it into [`Records`](crate::record::Records) on its own. Reading never fails because of a record: what
//! cannot be read becomes a record with a [`Fault`](crate::record::Fault), and the records around it are untouched.
//!
//! One file per family of formats (`line`, `grid`, `cell`, `cases`, `csv`, `json`, `xml`), each with a row (`family`) in the
//! registry of `detect`; `stream` decompresses, `unicode` makes UTF-8, `source` opens and cuts, `batch` holds what the
//! families have in common. What is no text (`binary`) gives its rows in columns: `parquet`, `arrow_ipc`, `npy`. `keyed` is what a filter reads, and `values` what is in memory. A [`TableReader`] gives the rows of a table as they are, to whom its columns mean more.

use std::num::NonZeroUsize;

#[cfg(feature = "arrow")]
mod arrow_column;
#[cfg(feature = "parquet")]
mod arrow_ipc;
#[cfg(feature = "parquet")]
mod arrow_table;
#[cfg(feature = "parquet")]
mod arrow_text;
mod batch;
mod beside;
mod binary;
mod blank;
mod carry;
mod cases;
mod cell;
mod cells;
mod chosen;
mod csv;
mod detect;
mod error;
mod family;
mod field;
mod fields;
mod foreign;
mod grid;
mod grid_line;
mod hash;
mod isolate;
mod json;
mod keyed;
mod line;
mod look;
mod lost_zeros;
#[cfg(test)]
mod mutations;
mod nesting;
mod npy;
mod option_names;
mod order;
#[cfg(feature = "parquet")]
mod parquet;
mod passed;
mod rhythm;
mod row;
mod solved;
mod source;
mod spread;
mod stream;
mod stretches;
mod table;
#[cfg(test)]
mod testing;
mod unicode;
mod values;
mod xml;

#[cfg(feature = "arrow")]
pub use arrow_column::{ColumnError, column};
pub use batch::{Batch, Position, SourceInfo};
pub use carry::{Carried, Columns, Keep};
pub use cases::case;
pub use detect::FormatChoice;
pub(crate) use error::lacking;
pub use error::{InputError, listed};
pub use hash::{Hash, Hashing};
pub use isolate::silence_isolated_panics;
pub(crate) use isolate::{isolated, message_of};
pub use keyed::KeyedLine;
pub use look::{Excerpt, InputLook, TableLook};
pub use option_names::OptionNames;
pub use source::{Source, shown_name};
pub use stretches::{Extent, InputSample};
pub use table::{TableChunk, TableReader};
#[cfg(feature = "arrow")]
pub(crate) use values::restore_zeros;
pub use values::{Value, Values};

/// Longest line that is read, in bytes without its line end; the same bound holds for a CSV row and
/// for a Sudominoku case. Whatever is longer is one invalid record, and memory stays bounded.
pub const MAX_LINE: usize = 1 << 20;

/// How an input is to be read, where its own looks are not to decide.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Family of formats; `None` finds it from the first records.
    pub format: Option<FormatChoice>,
    /// Column of a table that holds the puzzle: its name, whatever the case of its letters,
    /// or its number, counted from 1.
    pub puzzle_column: Option<String>,
    /// Column of a table that holds the claimed solution, named as the other.
    pub solution_column: Option<String>,
    /// Whether claimed solutions are wanted: then an input says in its notes if it has none.
    pub claims: bool,
    /// Whether the bytes are hashed as they are read; see [`Source::hash`].
    pub hash: bool,
    /// Whether the input is to say what its start shows; see [`Source::look`].
    pub look: bool,
    /// Whether compressed data may take any memory and time: zstd windows of more than 128 MiB, and text without
    /// records of more than 1 GiB and 100 times the data.
    pub trust_compressed: bool,
    /// Threads on which data may be decoded ahead, where the format allows it; as many as there are cores if it is not
    /// said.
    pub threads: Option<NonZeroUsize>,
    /// What notes call the options.
    pub option_names: &'static OptionNames,
}
