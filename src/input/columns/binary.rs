//! Formats that are no text: they are known by their first bytes, and give whole rows by themselves.

use super::npy;
use super::opened::{BinaryInput, BinaryRows};
use crate::input::{Framing, InputError};

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
