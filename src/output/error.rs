//! Why an output cannot be had.

use std::io;
use std::path::PathBuf;

use crate::input::shown_name;

/// Why an output cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The output names a directory.
    #[error("{}: is a directory (expected a file to write)", shown_name(path))]
    Directory {
        /// The output as given.
        path: PathBuf,
    },
    /// The directory that should hold the output is not there.
    #[error("{}: the directory {} does not exist", shown_name(path), shown_name(directory))]
    NoDirectory {
        /// The output as given.
        path: PathBuf,
        /// The directory that is missing.
        directory: PathBuf,
    },
    /// Writing would destroy an input or another output.
    #[error("{0}")]
    Conflict(String),
    /// A run that has not ended writes the same file.
    #[error("{}: another run is writing it", shown_name(path))]
    InUse {
        /// The output as given.
        path: PathBuf,
    },
    /// Something else has the name of the partial file.
    #[error("{}: {what} is in the way: {}", shown_name(path), shown_name(partial))]
    InTheWay {
        /// The output as given.
        path: PathBuf,
        /// Where its partial file would be.
        partial: PathBuf,
        /// What is there.
        what: &'static str,
    },
    /// There is a partial file, and the file system does not say whether somebody writes it.
    #[error(
        "{}: there is {}, and without locks on this file system nobody can tell whether another run is writing it",
        shown_name(path),
        shown_name(partial)
    )]
    NoLocks {
        /// The output as given.
        path: PathBuf,
        /// Its partial file.
        partial: PathBuf,
    },
    /// The system refuses.
    #[error("{}: cannot be written: {source}", shown_name(path))]
    Unwritable {
        /// The file that could not be opened or written.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is complete and cannot have its name.
    #[error(
        "{}: all of it is in {}, which cannot be renamed: {source}",
        shown_name(path),
        shown_name(partial)
    )]
    Unnamed {
        /// The output as given.
        path: PathBuf,
        /// Where everything is.
        partial: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The partial file has gone while it was written.
    #[error(
        "{}: is lost: {} was removed or replaced while it was written",
        shown_name(path),
        shown_name(partial)
    )]
    Lost {
        /// The output as given.
        path: PathBuf,
        /// Where it was.
        partial: PathBuf,
    },
    /// Nobody would see what is written to standard output.
    #[error("standard output is not open for writing")]
    Closed,
}

impl OutputError {
    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoLocks { .. } => Some("remove that file if none is"),
            Self::Closed => Some("write to a file, or to /dev/null"),
            _ => None,
        }
    }
}
