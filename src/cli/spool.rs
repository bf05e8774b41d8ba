//! Standard input for who reads it more than once: a copy on the disk.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use crate::input::{InputError, ReadOptions, Source};

/// A copy of standard input, in a file that has no name, so that whatever ends the program, it is gone.
pub struct Spool(Arc<File>);

impl Spool {
    /// Copies standard input to its end.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or the directory of temporary files cannot take it.
    pub fn of_standard_input() -> io::Result<Self> {
        let mut file = tempfile::tempfile()?;
        io::copy(&mut io::stdin().lock(), &mut file)?;
        Ok(Self(Arc::new(file)))
    }

    /// The input, from its start.
    ///
    /// # Errors
    ///
    /// When nothing in it can be read.
    pub fn source(&self, name: &str, read: &ReadOptions) -> Result<Source, InputError> {
        Source::from_reader(name, FromStart { file: Arc::clone(&self.0), at: 0 }, read)
    }
}

/// Reads a file with a place of its own.
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
