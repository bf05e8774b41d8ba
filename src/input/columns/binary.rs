//! Formats that are no text: they are known by their first bytes, and give whole rows by themselves.

use std::fs::File;

use super::npy;
use crate::input::hash::Hash;
use crate::input::reader::Rows;
use crate::input::stream::Stream;
use crate::input::{Columns, Framing, InputError, ReadOptions};

/// A format that is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::input) enum Binary {
    Parquet,
    /// Parquet whose very index is encrypted.
    Encrypted,
    /// Arrow IPC: a file with an index at its end, or a stream.
    Arrow,
    /// The first version of Feather, which is no Arrow IPC.
    Feather,
    Npy,
}

/// Each with its first bytes.
const MAGICS: [(&[u8], Binary); 6] = [
    (b"PAR1", Binary::Parquet),
    (b"PARE", Binary::Encrypted),
    (b"ARROW1\0\0", Binary::Arrow),
    (b"\xff\xff\xff\xff", Binary::Arrow),
    (b"FEA1", Binary::Feather),
    (npy::MAGIC, Binary::Npy),
];

impl Binary {
    /// What starts with those bytes, if that is no text.
    pub fn of(start: &[u8]) -> Option<Self> {
        MAGICS.iter().find(|(magic, _)| start.starts_with(magic)).map(|&(_, binary)| binary)
    }

    /// Whether those bytes show what it is, whatever follows.
    pub fn is_clear(start: &[u8]) -> bool {
        !MAGICS.iter().any(|(magic, _)| start.len() < magic.len() && magic.starts_with(start))
    }

    /// The framing that it is.
    pub const fn framing(self) -> Framing {
        match self {
            Self::Parquet | Self::Encrypted => Framing::Parquet,
            Self::Arrow | Self::Feather => Framing::Arrow,
            Self::Npy => Framing::Npy,
        }
    }

    /// What is said where a format was asked for and the first bytes are not its own.
    pub fn missing(framing: Framing) -> &'static str {
        match framing {
            Framing::Parquet => "is no Parquet file (expected PAR1 at its start)",
            Framing::Arrow => "is no Arrow IPC (expected ARROW1 or the length of a schema at its start)",
            _ => "is no array of NumPy (expected \\x93NUMPY at its start)",
        }
    }

    /// Opens an input that starts as this one does.
    ///
    /// # Errors
    ///
    /// When its header or index cannot be read, or it has no puzzles.
    pub fn open(self, input: BinaryInput<'_>) -> Result<BinaryRows, InputError> {
        let refused =
            |what: &str| Err(InputError::Unreadable { name: input.name.to_owned(), what: what.to_owned() });
        match self {
            Self::Npy => npy::open(input),
            Self::Encrypted => refused("is an encrypted Parquet file; decrypt it first"),
            Self::Feather => refused("is Feather version 1; write it anew as version 2, which is Arrow IPC"),
            #[cfg(feature = "parquet")]
            Self::Parquet => unless_it_panics(input, super::parquet::open),
            #[cfg(feature = "parquet")]
            Self::Arrow => unless_it_panics(input, super::arrow::open),
            #[cfg(not(feature = "parquet"))]
            Self::Parquet | Self::Arrow => Err(InputError::MissingFeature {
                name: input.name.to_owned(),
                format: self.framing().word(),
                feature: "parquet",
            }),
        }
    }
}

/// Opens an input with packages that damaged data can make panic.
#[cfg(feature = "parquet")]
fn unless_it_panics(
    input: BinaryInput<'_>,
    open: impl FnOnce(BinaryInput<'_>) -> Result<BinaryRows, InputError>,
) -> Result<BinaryRows, InputError> {
    let name = input.name.to_owned();
    crate::input::isolated(|| open(input)).unwrap_or_else(|panicked| {
        let what = format!("is damaged at its start or its end: {}", panicked.message);
        Err(InputError::Unreadable { name, what })
    })
}

/// What is said of a table without rows.
pub(super) const NO_ROWS: &str = "has no rows (expected puzzles)";

/// An input whose format is known.
pub(in crate::input) struct BinaryInput<'a> {
    /// What results and messages call it; the path, if it is a file.
    pub name: &'a str,
    pub bytes: Bytes,
    pub options: &'a ReadOptions,
    /// What is to see all bytes.
    pub hash: &'a Hash,
}

/// Where the bytes of an input come from.
pub(in crate::input) enum Bytes {
    /// A file that is not compressed.
    File(File),
    /// What is compressed, or can be read only once: from its start.
    Stream(Box<Stream>),
}

impl BinaryInput<'_> {
    /// All bytes from the start on.
    #[cfg(feature = "parquet")]
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
