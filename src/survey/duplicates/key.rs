//! Keys: two records with equal keys count as the same.

use rapidhash::v3::{DEFAULT_RAPID_SECRETS, rapidhash_v3_inline};

use crate::sudoku::Grid;

/// The number of bits that the key uses in its last word; in a record, the bits above them hold the record number.
const LAST_BITS: u32 = 14;
const LAST_MASK: u64 = (1 << LAST_BITS) - 1;

/// A grid in 34 bytes: nine rows of nine decimal digits, at 30 bits per row. Two keys are equal only if the grids are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key([u64; 5]);

impl Key {
    /// Returns the key of a grid.
    #[must_use]
    pub fn of(grid: &Grid) -> Self {
        let (rows, _) = grid.cells().as_chunks::<9>();
        let [a, b, c, d, e, f, g, h, last] = std::array::from_fn(|row| decimal(&rows[row]));
        let word = |first: u64, second: u64, part: u32| first | second << 30 | (last >> (4 * part)) << 60;
        Self([word(a, b, 0), word(c, d, 1), word(e, f, 2), word(g, h, 3), last >> 16])
    }

    /// Returns a hash that spreads keys over all 64 bits.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let bytes = self.0.map(u64::to_le_bytes);
        rapidhash_v3_inline::<true, false, false>(bytes.as_flattened(), &DEFAULT_RAPID_SECRETS)
    }
}

/// Returns the number with these nine decimal digits, least significant digit first.
fn decimal(row: &[u8; 9]) -> u64 {
    // Combines eight digits at once: pairs, then fours, then all eight.
    let eight = u64::from_le_bytes(std::array::from_fn(|at| row[at]));
    let pairs = (eight & 0x000f_000f_000f_000f) + 10 * (eight >> 8 & 0x000f_000f_000f_000f);
    let fours = (pairs & 0x0000_ffff_0000_ffff) + 100 * (pairs >> 16 & 0x0000_ffff_0000_ffff);
    let all = (fours & 0xffff_ffff) + 10_000 * (fours >> 32);
    all + 100_000_000 * u64::from(row[8])
}

/// A record: its key, its number across all inputs, and its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record(pub(super) [u64; Record::WORDS]);

impl Record {
    /// The number of words in a record.
    pub const WORDS: usize = 6;
    /// The highest record number; there are 50 bits for it.
    pub const MOST: u64 = u64::MAX >> LAST_BITS;

    /// Returns a record; its number can be at most [`Record::MOST`].
    #[must_use]
    pub fn new(Key([a, b, c, d, last]): Key, number: u64, line: u64) -> Self {
        debug_assert!(number <= Self::MOST, "there is no such number of records");
        Self([a, b, c, d, last | number << LAST_BITS, line])
    }

    /// Returns the key by which the record is compared.
    pub(super) const fn key(&self) -> Key {
        let [a, b, c, d, last, _] = self.0;
        Key([a, b, c, d, last & LAST_MASK])
    }

    /// Returns the number.
    pub(super) const fn number(&self) -> u64 {
        self.0[4] >> LAST_BITS
    }

    /// Returns the line.
    pub(super) const fn line(&self) -> u64 {
        self.0[5]
    }
}
