//! Counts the bytes read from an input and computes their SHA-256; also provides a fast incremental hash. Inputs that
//! are read in sequence are hashed along the way, so they need not be read twice.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rapidhash::v3::{DEFAULT_RAPID_SECRETS, RapidStreamHasherV3};
use sha2::{Digest, Sha256};

/// A reader that counts and hashes the bytes that pass through it.
#[derive(Debug)]
pub struct Hashing<R> {
    pub(super) reader: R,
    hash: Hash,
}

/// The result of [`Hashing`] readers, which remains available after the reader itself has been given away.
#[derive(Clone, Debug, Default)]
pub struct Hash(Arc<Mutex<Seen>>);

#[derive(Debug, Default)]
struct Seen {
    bytes: u64,
    /// The hasher; `None` if no hash is wanted or some bytes were skipped.
    hasher: Option<Sha256>,
    ended: bool,
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let taken = self.reader.read(buffer)?;
        let mut seen = self.hash.seen();
        seen.bytes += taken as u64;
        if let Some(hasher) = &mut seen.hasher {
            hasher.update(&buffer[..taken]);
        }
        seen.ended |= taken == 0 && !buffer.is_empty();
        Ok(taken)
    }
}

impl Hash {
    /// Creates an empty result; the bytes are hashed only if `wanted`.
    #[must_use]
    pub fn new(wanted: bool) -> Self {
        let seen = Seen { hasher: wanted.then(Sha256::new), ..Seen::default() };
        Self(Arc::new(Mutex::new(seen)))
    }

    /// Returns a reader that adds its bytes to this result.
    #[must_use]
    pub fn watch<R: Read>(&self, reader: R) -> Hashing<R> {
        Hashing { reader, hash: self.clone() }
    }

    /// Skips bytes: they count as read, but there will be no hash.
    #[cfg(any(test, feature = "parquet"))]
    pub(super) fn leave_out(&self, bytes: u64) {
        let mut seen = self.seen();
        seen.bytes += bytes;
        seen.hasher = seen.hasher.take().filter(|_| bytes == 0);
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of bytes read.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.seen().bytes
    }

    /// Returns the SHA-256 in hexadecimal. Returns `None` if no hash was wanted, or if the end was not reached, because
    /// the hash of part of an input says little.
    #[must_use]
    pub fn sha256(&self) -> Option<String> {
        let seen = self.seen();
        let hasher = seen.hasher.clone().filter(|_| seen.ended)?;
        Some(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// A fast hash of a text that does not depend on how the text is split into pieces. It is the same in all versions of
/// this program.
pub(crate) type Fingerprint = RapidStreamHasherV3<'static>;

/// Returns the hash of an empty text.
pub(crate) fn fingerprint() -> Fingerprint {
    RapidStreamHasherV3::new(&DEFAULT_RAPID_SECRETS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An example from FIPS 180-4.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn what_is_read_through_is_hashed_once_it_ended() {
        let hash = Hash::new(true);
        let mut reader = hash.watch(&b"abc"[..]);
        reader.read_exact(&mut [0; 3]).expect("three bytes");
        assert_eq!((hash.bytes(), hash.sha256()), (3, None));
        io::copy(&mut reader, &mut io::sink()).expect("memory does not fail");
        assert_eq!(hash.sha256().as_deref(), Some(ABC));
        // There is no hash if none is wanted or if some bytes were skipped.
        for (hash, left_out) in [(Hash::new(false), 0), (Hash::new(true), 5)] {
            hash.leave_out(left_out);
            io::copy(&mut hash.watch(&b"abc"[..]), &mut io::sink()).expect("memory does not fail");
            assert_eq!((hash.bytes(), hash.sha256()), (3 + left_out, None));
        }
    }

    #[test]
    fn a_fingerprint_does_not_depend_on_the_pieces() {
        let text: Vec<u8> = (0..3000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let whole = |length: usize| rapidhash::v3::rapidhash_v3(&text[..length]);
        for size in [1, 7, 100, 112, 113, 1000, 3000] {
            let (mut fingerprint, mut length) = (fingerprint(), 0);
            for piece in text.chunks(size) {
                assert_eq!(fingerprint.finish(), whole(length), "{length} bytes in pieces of {size}");
                fingerprint.write(piece);
                length += piece.len();
            }
            assert_eq!(fingerprint.finish(), whole(3000));
        }
    }
}
