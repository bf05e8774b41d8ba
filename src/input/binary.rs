//! Formats that are no text: they are known by their first bytes, and give whole rows by themselves.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use super::batch::{BatchSource, Cursor, Format, Position};
use super::family::{Family, Sample, Seen};
use super::hash::Hash;
use super::stream::Stream;
use super::{Columns, InputError, ReadOptions, npy};
use crate::record::{Records, Want};

pub(super) const PARQUET: Family = family("parquet", "Parquet with a column of puzzles", true, |_| {
    is_none("Parquet file (expected PAR1 at its start)")
});

pub(super) const ARROW: Family = family("arrow", "Arrow IPC with a column of puzzles", true, |_| {
    is_none("Arrow IPC (expected ARROW1 or the length of a schema at its start)")
});

pub(super) const NPY: Family = family("npy", "an array of NumPy, a puzzle a row", false, |_| {
    is_none("array of NumPy (expected \\x93NUMPY at its start)")
});

/// A family that no text belongs to.
const fn family(
    name: &'static str,
    about: &'static str,
    has_columns: bool,
    look: fn(&Sample<'_>) -> Seen,
) -> Family {
    Family { name, about, has_columns, look, enough: u64::MAX }
}

fn is_none(what: &'static str) -> Seen {
    Seen::new(0, move |sample| {
        Err(InputError::Unreadable { name: sample.name.to_owned(), what: format!("is no {what}") })
    })
}

/// A format that is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
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

    /// The word that `--format` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Parquet | Self::Encrypted => PARQUET.name,
            Self::Arrow | Self::Feather => ARROW.name,
            Self::Npy => NPY.name,
        }
    }

    /// Opens an input that starts as this one does.
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
            Self::Arrow => unless_it_panics(input, super::arrow_ipc::open),
            #[cfg(not(feature = "parquet"))]
            Self::Parquet | Self::Arrow => Err(InputError::MissingFeature {
                name: input.name.to_owned(),
                format: self.name(),
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
    super::isolated(|| open(input)).unwrap_or_else(|panicked| {
        Err(InputError::Unreadable {
            name,
            what: format!("is damaged at its start or its end: {}", panicked.message),
        })
    })
}

/// What is said of a table without rows.
pub(super) const NO_ROWS: &str = "has no rows (expected puzzles)";

/// An input whose format is known.
pub(super) struct BinaryInput<'a> {
    /// What results and messages call it; the path, if it is a file.
    pub name: &'a str,
    pub bytes: Bytes,
    /// Where it is to be read from.
    pub from: Position,
    pub options: &'a ReadOptions,
    /// What is to see all bytes.
    pub hash: &'a Hash,
}

/// Where the bytes of an input come from.
pub(super) enum Bytes {
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
            Bytes::File(file) => Box::new(Stream::plain_from(0, super::stream::Raw::of(file), self.hash)),
            Bytes::Stream(stream) => stream,
        }
    }
}

/// An input opened: it gives batches, in rows of columns or not.
pub(super) struct BinaryRows {
    pub batches: Box<dyn BatchSource>,
    pub known: Known,
    /// What is worth a warning at once.
    pub notes: Vec<String>,
}

/// What is known of an input before its rows: their batches have formats of their own.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// Its columns, if it is a table.
    pub columns: Columns,
    pub has_claims: bool,
}

impl Format for Known {
    fn read(&self, _: Cursor, _: &[u8], _: u64, _: Want, _: &mut Records) {}

    fn has_columns(&self) -> bool {
        !self.columns.names.is_empty()
    }

    fn columns(&self) -> Columns {
        self.columns.clone()
    }

    fn has_claims(&self) -> bool {
        self.has_claims
    }
}

/// A file read here and there, and still seen once from its start to its end by whoever wants its hash.
#[derive(Debug)]
pub(super) struct Watched {
    pub file: Arc<File>,
    pub size: u64,
    hash: Hash,
    wanted: bool,
    seen: u64,
}

impl Watched {
    /// A file of which an earlier run has read so much already, if it has.
    pub fn new(file: File, hash: &Hash, wanted: bool, before: u64) -> io::Result<Self> {
        let size = file.metadata()?.len();
        hash.leave_out(before);
        Ok(Self {
            file: Arc::new(file),
            size,
            hash: hash.clone(),
            wanted: wanted && before == 0,
            seen: before,
        })
    }

    /// Takes note that what is before an offset was read; for its hash the file is read once more.
    pub fn see_to(&mut self, offset: u64) -> io::Result<()> {
        if !self.wanted {
            self.hash.leave_out(offset.saturating_sub(self.seen));
            self.seen = self.seen.max(offset);
            return Ok(());
        }
        let mut buffer = vec![0; 64 << 10];
        while self.seen < offset || offset == self.size {
            // At the end a byte more is asked for: the file may have grown.
            let left = offset.saturating_sub(self.seen);
            let left = usize::try_from(left).unwrap_or(buffer.len()).clamp(1, buffer.len());
            let at = At { file: &self.file, offset: self.seen };
            let read = self.hash.watch(at).read(&mut buffer[..left])?;
            self.seen += read as u64;
            if read == 0 {
                self.wanted = false;
                break;
            }
        }
        Ok(())
    }

    /// Bytes seen so far.
    pub const fn seen(&self) -> u64 {
        self.seen
    }
}

/// What of a file is behind an offset.
struct At<'a> {
    file: &'a File,
    offset: u64,
}

impl Read for At<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        read_at(self.file, buffer, self.offset)
    }
}

/// Reads somewhere in a file, whoever else does.
#[cfg(unix)]
pub(super) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
pub(super) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

/// Fills a buffer from somewhere in a file.
pub(super) fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match read_at(file, buffer, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => {
                buffer = &mut buffer[n..];
                offset += n as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
