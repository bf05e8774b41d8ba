//! The backend for every processor: lanes are the elements of a plain array.
//!
//! The oracle of the other backends, and simple enough for a compiler to vectorise.

use super::vector::{Lanes, MAX_LANES};

const N: usize = 4;

/// Four lanes in an array.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub(super) struct Portable([u32; N]);

macro_rules! each {
    ($lane:ident => $word:expr) => {{
        let mut words = [0; N];
        let mut $lane = 0;
        while $lane < N {
            words[$lane] = $word;
            $lane += 1;
        }
        Portable(words)
    }};
}

impl Lanes for Portable {
    const N: usize = N;

    #[inline(always)]
    fn splat(word: u32) -> Self {
        Portable([word; N])
    }
    #[inline(always)]
    fn from_words(words: &[u32; MAX_LANES]) -> Self {
        each!(i => words[i])
    }
    #[inline(always)]
    fn to_words(self, words: &mut [u32; MAX_LANES]) {
        words[..N].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn lane(&self, lane: usize) -> u32 {
        self.0[lane]
    }
    #[inline(always)]
    fn set_lane(&mut self, lane: usize, word: u32) {
        self.0[lane] = word;
    }
    #[inline(always)]
    fn and(self, b: Self) -> Self {
        each!(i => self.0[i] & b.0[i])
    }
    #[inline(always)]
    fn or(self, b: Self) -> Self {
        each!(i => self.0[i] | b.0[i])
    }
    #[inline(always)]
    fn xor(self, b: Self) -> Self {
        each!(i => self.0[i] ^ b.0[i])
    }
    #[inline(always)]
    fn but_not(self, b: Self) -> Self {
        each!(i => self.0[i] & !b.0[i])
    }
    #[inline(always)]
    fn up<const BITS: i32>(self) -> Self {
        each!(i => self.0[i] << BITS)
    }
    #[inline(always)]
    fn down<const BITS: i32>(self) -> Self {
        each!(i => self.0[i] >> BITS)
    }
    #[inline(always)]
    fn nonzero(self) -> u32 {
        let mut mask = 0;
        for lane in 0..N {
            mask |= u32::from(self.0[lane] != 0) << lane;
        }
        mask
    }
    #[inline(always)]
    fn blend(self, mask: u32, other: Self) -> Self {
        each!(i => if mask >> i & 1 == 1 { other.0[i] } else { self.0[i] })
    }
    #[inline(always)]
    fn permute(self, from: Self) -> Self {
        each!(i => self.0[from.0[i] as usize])
    }
    #[inline(always)]
    fn splat_bytes(bytes: &[u8; 16]) -> Self {
        each!(i => u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]]))
    }
    #[inline(always)]
    fn shuffle_bytes(self, select: Self) -> Self {
        let mut bytes = [0; 4 * N];
        for (four, word) in bytes.chunks_exact_mut(4).zip(self.0) {
            four.copy_from_slice(&word.to_le_bytes());
        }
        each!(i => {
            let mut word = [0; 4];
            for (byte, select) in word.iter_mut().zip(select.0[i].to_le_bytes()) {
                *byte = if select & 0x80 == 0 { bytes[usize::from(select & 15)] } else { 0 };
            }
            u32::from_le_bytes(word)
        })
    }
    #[inline(always)]
    fn load_columns(rows: &[&[u8; 81]; MAX_LANES], offset: usize) -> [Self; 4] {
        let mut columns = [Portable([0; N]); 4];
        for (lane, row) in rows[..N].iter().enumerate() {
            for (column, four) in columns.iter_mut().zip(row[offset..offset + 16].chunks_exact(4)) {
                column.0[lane] = u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
            }
        }
        columns
    }
    #[inline(always)]
    fn store_columns(columns: [Self; 4], rows: &mut [[u8; 96]; MAX_LANES], offset: usize) {
        for (lane, row) in rows[..N].iter_mut().enumerate() {
            for (column, four) in columns.iter().zip(row[offset..offset + 16].chunks_exact_mut(4)) {
                four.copy_from_slice(&column.0[lane].to_le_bytes());
            }
        }
    }
}
