//! Files that are read here and there, and still hashed from their start to their end.

use std::fs::File;
use std::io::{self, Read};
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
            let behind = Behind { file: Arc::clone(&self.file), offset: self.seen };
            let read = self.hash.watch(behind).read(&mut buffer[..left])?;
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
