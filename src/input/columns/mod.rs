//! Columns: binary formats, whose rows hold values, and values in memory. Binary formats are recognized by their first
//! bytes.

#[cfg(feature = "parquet")]
mod arrow;
#[cfg(feature = "arrow")]
mod column;
#[cfg(feature = "parquet")]
mod npy;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod table;
#[cfg(all(test, feature = "parquet"))]
mod testing;
#[cfg(all(test, feature = "parquet"))]
mod tests;
#[cfg(feature = "arrow")]
mod text;
mod values;

#[cfg(feature = "arrow")]
pub(crate) use column::restore_zeros;
#[cfg(feature = "arrow")]
pub use column::{ColumnError, column};
pub(super) use values::{Rows, ValueRows};
pub use values::{Value, Values};

use std::fs::File;

use super::hash::Hash;
use super::stream::Stream;
use super::{Framing, InputError, Look, ReadOptions};

/// The first bytes of each binary format. Arrow IPC is either a file with an index at the end, or a stream.
const MAGICS: [(&[u8], Framing); 4] = [
    (b"PAR1", Framing::Parquet),
    (b"ARROW1\0\0", Framing::Arrow),
    (b"\xff\xff\xff\xff", Framing::Arrow),
    (b"\x93NUMPY", Framing::Npy),
];

/// Returns the binary format that starts with these bytes; `None` for text.
pub(super) fn binary_format(start: &[u8]) -> Option<Framing> {
    MAGICS.iter().find(|(magic, _)| start.starts_with(magic)).map(|&(_, framing)| framing)
}

/// Opens an input in a binary format.
///
/// # Errors
///
/// If the header or index cannot be read, or there are no puzzles.
pub(super) fn open(framing: Framing, input: BinaryInput<'_>) -> Result<BinaryRows, InputError> {
    let name = input.name.to_owned();
    #[cfg(feature = "parquet")]
    {
        // The libraries can panic if the data is damaged.
        let opened = super::isolated(|| match framing {
            Framing::Parquet => parquet::open(input),
            Framing::Arrow => arrow::open(input),
            _ => npy::open(input),
        });
        opened.unwrap_or_else(|panicked| {
            let what = format!("is damaged at its start or its end: {}", panicked.message);
            Err(InputError::Unreadable { name, what })
        })
    }
    #[cfg(not(feature = "parquet"))]
    Err(InputError::MissingFeature { name, format: framing.word(), feature: "parquet" })
}

/// An input whose format is known.
#[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only its name is reported"))]
pub(in crate::input) struct BinaryInput<'a> {
    /// The name to use in results and messages; it is the path if the input is a file.
    pub name: &'a str,
    pub bytes: Bytes,
    pub options: &'a ReadOptions,
    /// The hash that all bytes must pass through.
    pub hash: &'a Hash,
}

/// The source of an input's bytes.
#[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only the name of the input is reported"))]
pub(in crate::input) enum Bytes {
    /// An uncompressed file.
    File(File),
    /// A stream at its start, for an input that is compressed or can be read only once.
    Stream(Box<Stream>),
}

#[cfg(feature = "parquet")]
impl BinaryInput<'_> {
    /// Returns a stream of all bytes from the start.
    pub fn into_stream(self) -> Box<Stream> {
        match self.bytes {
            Bytes::File(file) => Box::new(Stream::plain(super::stream::Raw::of(file), self.hash)),
            Bytes::Stream(stream) => stream,
        }
    }
}

/// An opened input.
pub(in crate::input) struct BinaryRows {
    pub rows: Box<dyn Rows>,
    pub look: Look,
    /// The warnings known when the input was opened.
    pub notes: Vec<String>,
}
