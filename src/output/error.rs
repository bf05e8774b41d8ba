//! The reasons why an output cannot be written, and hints for errors.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use super::choice::ChoiceError;
use crate::input::{InputError, OptionNames, shown_name};

/// The reason why an output cannot be written. Unless a variant says otherwise, the first path is the output as the
/// user named it, and a second path is the partial file.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The output is a directory.
    #[error("{}: is a directory (expected a file to write)", shown_name(.0))]
    Directory(PathBuf),
    /// The directory of the output, given by the second path, does not exist.
    #[error("{}: the directory {} does not exist", shown_name(.0), shown_name(.1))]
    NoDirectory(PathBuf, PathBuf),
    /// Writing would destroy an input or another output.
    #[error("{0}")]
    Conflict(String),
    /// Another run is writing to the same file.
    #[error("{}: another run is writing it", shown_name(.0))]
    InUse(PathBuf),
    /// The partial file's name is already taken by a file that is not regular; the text says what kind it is.
    #[error("{}: {} is in the way: {}", shown_name(.0), .2, shown_name(.1))]
    InTheWay(PathBuf, PathBuf, &'static str),
    /// The partial file exists, but the file system provides no way to see whether another run is writing it.
    #[error(
        "{}: {} exists, and this file system has no locks that show whether another run is writing it",
        shown_name(.0),
        shown_name(.1)
    )]
    NoLocks(PathBuf, PathBuf),
    /// The system does not allow this file to be opened or written.
    #[error("{}: cannot be written: {}", shown_name(.0), .1)]
    Unwritable(PathBuf, #[source] io::Error),
    /// The file is complete, but the partial file cannot be renamed.
    #[error("{}: the complete file is {}, which cannot be renamed: {}", shown_name(.0), shown_name(.1), .2)]
    Unnamed(PathBuf, PathBuf, #[source] io::Error),
    /// The partial file was removed or replaced during the run.
    #[error("{}: is lost: {} was removed or replaced while it was written", shown_name(.0), shown_name(.1))]
    Lost(PathBuf, PathBuf),
    /// Standard output is closed, or open only for reading.
    #[error("standard output is not open for writing")]
    Closed,
}

impl OutputError {
    /// Returns advice on how to resolve the error.
    #[must_use]
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoLocks(..) => Some("remove that file if no run is writing it"),
            Self::Closed => Some("write to a file, or to /dev/null"),
            _ => None,
        }
    }
}

/// Returns the hint for an error, or for the first of its causes that has a hint.
#[must_use]
pub fn hint(error: &(dyn Error + 'static), names: &OptionNames) -> Option<String> {
    let of_one = |error: &(dyn Error + 'static)| {
        if let Some(error) = error.downcast_ref::<InputError>() {
            error.hint(names)
        } else if let Some(error) = error.downcast_ref::<ChoiceError>() {
            error.hint(names)
        } else {
            error.downcast_ref::<OutputError>()?.hint().map(str::to_owned)
        }
    };
    std::iter::successors(Some(error), |&error| error.source()).find_map(of_one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Choice;

    #[derive(Debug, thiserror::Error)]
    #[error("{0}; that is all")]
    struct Above(#[from] ChoiceError);

    #[test]
    fn a_hint_is_found_among_the_causes_in_the_words_of_the_caller() {
        let python = OptionNames { output_format: "output_format", ..OptionNames::LIBRARY };
        let error = Above(Choice::new(Some("a.npy".as_ref()), Some("csv")).err().unwrap());
        assert_eq!(error.to_string(), "a.npy: has the extension of npy, but the format is csv; that is all");
        let expected = "leave out output_format, or give the file another name";
        assert_eq!(hint(&error, &python).as_deref(), Some(expected));
        assert_eq!(hint(&std::io::Error::other("full"), &python), None);
    }
}
