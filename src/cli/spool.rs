//! A temporary copy of standard input, which can be read more than once.

use std::fs::File;
use std::io::{self, Seek};

use crate::input::{InputError, ReadOptions, Source};

/// A copy of standard input in a file without a name, which disappears however the program ends.
pub struct Spool(File);

impl Spool {
    /// Copies all of standard input. Fails if it cannot be read, or the temporary directory is full.
    pub fn of_standard_input() -> io::Result<Self> {
        let mut file = tempfile::tempfile()?;
        io::copy(&mut io::stdin().lock(), &mut file)?;
        Ok(Self(file))
    }

    /// The input, from its start; a source of before must be read by now. Fails if nothing in it can be read.
    pub fn source(&self, name: &str, read: &ReadOptions) -> Result<Source, InputError> {
        let from_start = self.0.try_clone().and_then(|mut file| file.rewind().map(|()| file));
        let file = from_start.map_err(|source| InputError::Open { name: name.to_owned(), source })?;
        Source::from_reader(name, file, read)
    }
}
