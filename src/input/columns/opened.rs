//! What formats that are no text start from, and what comes of it.

use std::fs::File;

use crate::input::hash::Hash;
use crate::input::reader::Rows;
use crate::input::stream::Stream;
use crate::input::{Columns, ReadOptions};

/// An input whose format is known.
#[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only its name is told"))]
pub(in crate::input) struct BinaryInput<'a> {
    /// What results and messages call it; the path, if it is a file.
    pub name: &'a str,
    pub bytes: Bytes,
    pub options: &'a ReadOptions,
    /// What is to see all bytes.
    pub hash: &'a Hash,
}

/// Where the bytes of an input come from.
#[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only the name of the input is told"))]
pub(in crate::input) enum Bytes {
    /// A file that is not compressed.
    File(File),
    /// What is compressed, or can be read only once: from its start.
    Stream(Box<Stream>),
}

#[cfg(feature = "parquet")]
impl BinaryInput<'_> {
    /// All bytes from the start on.
    pub fn into_stream(self) -> Box<Stream> {
        match self.bytes {
            Bytes::File(file) => Box::new(Stream::plain(crate::input::stream::Raw::of(file), self.hash)),
            Bytes::Stream(stream) => stream,
        }
    }
}

/// An input opened.
pub(in crate::input) struct BinaryRows {
    pub rows: Box<dyn Rows>,
    /// Its columns, if it is a table.
    pub columns: Columns,
    pub has_claims: bool,
    /// What is worth a warning at once.
    pub notes: Vec<String>,
}
