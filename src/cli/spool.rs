//! A temporary copy of standard input, which can be read more than once.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use crate::input::{InputError, ReadOptions, Source};

/// A copy of standard input in a file without a name, which disappears however the program ends.
pub struct Spool(Arc<File>);

impl Spool {
    /// Copies all of standard input. Fails if it cannot be read, or the temporary directory is full.
    pub fn of_standard_input() -> io::Result<Self> {
        let mut file = tempfile::tempfile()?;
        io::copy(&mut io::stdin().lock(), &mut file)?;
        Ok(Self(Arc::new(file)))
    }

    /// The input, from its start. Fails if nothing in it can be read.
    pub fn source(&self, name: &str, read: &ReadOptions) -> Result<Source, InputError> {
        Source::from_reader(name, FromStart { file: Arc::clone(&self.0), at: 0 }, read)
    }
}

/// Reads a file from a position of its own.
struct FromStart {
    file: Arc<File>,
    at: u64,
}

impl Read for FromStart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let count = std::os::unix::fs::FileExt::read_at(&*self.file, buffer, self.at)?;
        #[cfg(windows)]
        let count = std::os::windows::fs::FileExt::seek_read(&*self.file, buffer, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}
