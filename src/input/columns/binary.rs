//! Formats that are no text: they are known by their first bytes, and give whole rows by themselves.

use super::opened::{BinaryInput, BinaryRows};
use crate::input::{Framing, InputError};

/// A format that is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::input) enum Binary {
    Parquet,
    /// Arrow IPC: a file with an index at its end, or a stream.
    Arrow,
    Npy,
}

/// Each with its first bytes.
const MAGICS: [(&[u8], Binary); 4] = [
    (b"PAR1", Binary::Parquet),
    (b"ARROW1\0\0", Binary::Arrow),
    (b"\xff\xff\xff\xff", Binary::Arrow),
    (b"\x93NUMPY", Binary::Npy),
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
            Self::Parquet => Framing::Parquet,
            Self::Arrow => Framing::Arrow,
            Self::Npy => Framing::Npy,
        }
    }

    /// What is said where a format was asked for and the first bytes are not its own.
    pub fn missing(framing: Framing) -> String {
        format!("does not start as {} does", framing.word())
    }

    /// Opens an input that starts as this one does.
    ///
    /// # Errors
    ///
    /// When its header or index cannot be read, or it has no puzzles.
    pub fn open(self, input: BinaryInput<'_>) -> Result<BinaryRows, InputError> {
        let name = input.name.to_owned();
        #[cfg(feature = "parquet")]
        {
            // Damaged data makes packages that read it panic.
            let opened = crate::input::isolated(|| match self {
                Self::Parquet => super::parquet::open(input),
                Self::Arrow => super::arrow::open(input),
                Self::Npy => super::npy::open(input),
            });
            opened.unwrap_or_else(|panicked| {
                let what = format!("is damaged at its start or its end: {}", panicked.message);
                Err(InputError::Unreadable { name, what })
            })
        }
        #[cfg(not(feature = "parquet"))]
        Err(InputError::MissingFeature { name, format: self.framing().word(), feature: "parquet" })
    }
}
