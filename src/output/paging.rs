//! Large files past slow memory.
//!
//! A write normally copies into memory that the system keeps as its cache of the file. That takes little
//! time, unless the machine gives the memory out for the first time: a virtual machine may take ten times
//! as long for it as for the copy, more than the puzzles take. Linux can write a file through a little
//! memory used again and again (`RWF_DONTCACHE`, since 6.14), at the cost of not having the file in memory
//! afterwards. So the first megabytes are written normally and by the clock; if that is slow, the rest goes
//! the other way. Where the system does not know that way, everything is written normally.

use std::fs::File;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Bytes after which the speed is judged.
const JUDGED: u64 = 4 << 20;
/// A write that takes longer than this for a megabyte is slow: less than 2 GB/s. Copying alone does 5 to 10.
const SLOW: Duration = Duration::from_micros(500);

/// Writes a file, choosing the way by the speed seen.
#[derive(Debug, Default)]
pub(super) struct Paging {
    way: Way,
}

#[derive(Debug)]
enum Way {
    /// Normally, while the speed is measured: bytes and time since the last judgement.
    Measured { bytes: u64, time: Duration },
    /// Normally, to the end.
    Cached,
    /// Through a little memory.
    Uncached,
}

impl Default for Way {
    fn default() -> Self {
        Self::Measured { bytes: 0, time: Duration::ZERO }
    }
}

impl Paging {
    /// Writes all bytes at the file's position.
    ///
    /// # Errors
    ///
    /// Those of the file.
    pub(super) fn write_all(&mut self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        match &mut self.way {
            Way::Cached => file.write_all(bytes),
            Way::Measured { bytes: measured, time } => {
                let before = Instant::now();
                file.write_all(bytes)?;
                *time += before.elapsed();
                *measured += bytes.len() as u64;
                if *measured >= JUDGED {
                    let slow = time.as_secs_f64() / *measured as f64 > SLOW.as_secs_f64() / 1e6;
                    self.way = if slow { Way::Uncached } else { Way::default() };
                }
                Ok(())
            }
            Way::Uncached => {
                let written = uncached::write(file, bytes)?;
                if written < bytes.len() {
                    self.way = Way::Cached;
                    file.write_all(&bytes[written..])?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(target_os = "linux")]
mod uncached {
    use super::{File, io};
    use std::io::IoSlice;

    use rustix::io::{Errno, ReadWriteFlags, pwritev2};

    /// `RWF_DONTCACHE` of linux/fs.h.
    const DONTCACHE: ReadWriteFlags = ReadWriteFlags::from_bits_retain(0x80);
    /// Write at the file's position, and move it.
    const AT_POSITION: u64 = u64::MAX;

    /// Writes the bytes, or as many of them as it can before the system refuses this way of writing.
    pub(super) fn write(file: &File, bytes: &[u8]) -> io::Result<usize> {
        let mut written = 0;
        while written < bytes.len() {
            match pwritev2(file, &[IoSlice::new(&bytes[written..])], AT_POSITION, DONTCACHE) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(more) => written += more,
                Err(Errno::INTR) => {}
                Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(written)
    }
}

#[cfg(not(target_os = "linux"))]
mod uncached {
    use super::{File, io};

    /// There is no such way here.
    pub(super) fn write(_file: &File, _bytes: &[u8]) -> io::Result<usize> {
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tempfile::TempDir;

    fn text(n: usize) -> Vec<u8> {
        (0..n).map(|i| b'a' + (i % 23) as u8).collect()
    }

    /// Whatever the way and the changes between them, the file is what was written.
    #[test]
    fn every_way_writes_the_same_bytes() {
        let path = TempDir::new().unwrap().path().join("out");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = File::create(&path).unwrap();
        let mut paging = Paging::default();
        let mut expected = Vec::new();
        for (turn, length) in [1, 4095, 100_000, 0, 4097, 300_001, 17].into_iter().enumerate() {
            paging.way = match turn % 3 {
                0 => Way::default(),
                1 => Way::Uncached,
                _ => Way::Cached,
            };
            let bytes = text(length);
            paging.write_all(&mut file, &bytes).unwrap();
            expected.extend(bytes);
        }
        assert_eq!(fs::read(&path).unwrap(), expected);
    }

    #[test]
    fn slow_memory_is_noticed_and_fast_memory_is_measured_on() {
        let directory = TempDir::new().unwrap();
        let mut file = File::create(directory.path().join("out")).unwrap();
        let last = text(1 << 20);
        let before = |time| Way::Measured { bytes: JUDGED - (1 << 20), time };
        let mut paging = Paging { way: before(Duration::from_secs(1)) };
        paging.write_all(&mut file, &last).unwrap();
        assert!(matches!(paging.way, Way::Uncached), "{paging:?}");

        let mut paging = Paging { way: Way::Measured { bytes: 1 << 40, time: Duration::ZERO } };
        paging.write_all(&mut file, &last).unwrap();
        assert!(matches!(paging.way, Way::Measured { bytes: 0, time: Duration::ZERO }), "{paging:?}");
    }

    /// A full disk is an error in every way, not an endless loop.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_an_error() {
        for way in [Way::default(), Way::Uncached, Way::Cached] {
            let mut file = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let error = Paging { way }.write_all(&mut file, b"row\n").unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
    }
}
