//! Files that are read here and there, and still hashed from their start to their end.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

use crate::input::hash::Hash;

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
    /// A file of which nothing was read yet.
    pub fn new(file: File, hash: &Hash, wanted: bool) -> io::Result<Self> {
        let size = file.metadata()?.len();
        Ok(Self { file: Arc::new(file), size, hash: hash.clone(), wanted, seen: 0 })
    }

    /// Takes note that what is before an offset was read; for its hash the file is read once more.
    pub fn see_to(&mut self, offset: u64) -> io::Result<()> {
        let new = offset.saturating_sub(self.seen);
        if self.wanted {
            // At the end more is asked for: the file may have grown.
            let most = if offset < self.size { new } else { u64::MAX };
            let behind = Behind { file: Arc::clone(&self.file), offset: self.seen };
            let mut behind = BufReader::with_capacity(64 << 10, self.hash.watch(behind).take(most));
            self.seen += io::copy(&mut behind, &mut io::sink())?;
        } else {
            self.hash.leave_out(new);
            self.seen += new;
        }
        Ok(())
    }

    /// Bytes seen so far.
    pub const fn seen(&self) -> u64 {
        self.seen
    }
}

/// What of a file is behind an offset.
#[derive(Debug)]
pub(super) struct Behind {
    pub file: Arc<File>,
    pub offset: u64,
}

impl Read for Behind {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = read_at(&self.file, buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

/// Reads somewhere in a file, whoever else does.
#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

/// Reads somewhere in a file, whoever else does.
#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}
