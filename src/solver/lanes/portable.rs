//! The backend for every processor: four lanes in the vector of the `wide` crate.
//!
//! On x86-64 that is an SSE2 register, elsewhere what the target has, at worst a plain array. The oracle of the
//! other backends. (Left to itself, the compiler finds no vectors in code as long and straight as a pass.)

use wide::u32x4;

use super::vector::{Lanes, MAX_LANES, Work};

const N: usize = 4;

/// Four lanes.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Portable(u32x4);

macro_rules! each {
    ($lane:ident => $word:expr) => {{
        let mut words = [0; N];
        let mut $lane = 0;
        while $lane < N {
            words[$lane] = $word;
            $lane += 1;
        }
        Portable(u32x4::new(words))
    }};
}

/// All ones in the lanes of a mask.
const MASKS: [[u32; N]; 1 << N] = {
    let mut masks = [[0; N]; 1 << N];
    let mut mask = 0;
    while mask < 1 << N {
        let mut lane = 0;
        while lane < N {
            if mask >> lane & 1 == 1 {
                masks[mask][lane] = u32::MAX;
            }
            lane += 1;
        }
        mask += 1;
    }
    masks
};

impl Lanes for Portable {
    /// There is nothing to prove.
    type Token = ();
    const N: usize = N;

    #[inline(always)]
    fn detect() -> Option<()> {
        Some(())
    }
    // Out of line like the others, where `target_feature` sees to it.
    #[inline(never)]
    fn work<W: Work<Self>>(token: (), work: W) -> W::Output {
        work.run(token)
    }
    #[inline(always)]
    fn token(self) {}
    #[inline(always)]
    fn splat((): (), word: u32) -> Self {
        Portable(u32x4::splat(word))
    }
    #[inline(always)]
    fn from_words((): (), words: &[u32; MAX_LANES]) -> Self {
        each!(i => words[i])
    }
    #[inline(always)]
    fn lane(&self, lane: usize) -> u32 {
        self.0.as_array()[lane]
    }
    #[inline(always)]
    fn set_lane(&mut self, lane: usize, word: u32) {
        self.0.as_mut_array()[lane] = word;
    }
    #[inline(always)]
    fn and(self, b: Self) -> Self {
        Portable(self.0 & b.0)
    }
    #[inline(always)]
    fn or(self, b: Self) -> Self {
        Portable(self.0 | b.0)
    }
    #[inline(always)]
    fn xor(self, b: Self) -> Self {
        Portable(self.0 ^ b.0)
    }
    #[inline(always)]
    fn but_not(self, b: Self) -> Self {
        Portable(self.0 & !b.0)
    }
    #[inline(always)]
    fn up<const BITS: i32>(self) -> Self {
        Portable(self.0.unbounded_shl_scalar(BITS.cast_unsigned()))
    }
    #[inline(always)]
    fn down<const BITS: i32>(self) -> Self {
        Portable(self.0.unbounded_shr_scalar(BITS.cast_unsigned()))
    }
    #[inline(always)]
    fn up_by(self, bits: Self) -> Self {
        Portable(self.0.unbounded_shl(bits.0))
    }
    #[inline(always)]
    fn down_by(self, bits: Self) -> Self {
        Portable(self.0.unbounded_shr(bits.0))
    }
    #[inline(always)]
    fn plus(self, b: Self) -> Self {
        Portable(self.0 + b.0)
    }
    #[inline(always)]
    fn minus(self, b: Self) -> Self {
        Portable(self.0 - b.0)
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        Portable(self.0.min(b.0))
    }
    #[inline(always)]
    fn is_zero(self) -> Self {
        Portable(self.0.simd_eq(u32x4::splat(0)))
    }
    #[inline(always)]
    fn nonzero(self) -> u32 {
        self.0.simd_eq(u32x4::splat(0)).to_bitmask() ^ 0b1111
    }
    #[inline(always)]
    fn blend(self, mask: u32, other: Self) -> Self {
        let ones = Portable(u32x4::new(MASKS[mask as usize & 0b1111]));
        ones.choose(other, self)
    }
    #[inline(always)]
    fn permute(self, from: Self) -> Self {
        let (words, from) = (self.0.to_array(), from.0.to_array());
        each!(i => words[from[i] as usize])
    }
    #[inline(always)]
    fn splat_bytes((): (), bytes: &[u8; 16]) -> Self {
        each!(i => u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]]))
    }
    #[inline(always)]
    fn shuffle_bytes(self, select: Self) -> Self {
        let mut bytes = [0; 4 * N];
        for (four, word) in bytes.chunks_exact_mut(4).zip(self.0.to_array()) {
            four.copy_from_slice(&word.to_le_bytes());
        }
        let select = select.0.to_array();
        each!(i => {
            let mut word = [0; 4];
            for (byte, select) in word.iter_mut().zip(select[i].to_le_bytes()) {
                *byte = if select & 0x80 == 0 { bytes[usize::from(select & 15)] } else { 0 };
            }
            u32::from_le_bytes(word)
        })
    }
    #[inline(always)]
    fn load_columns((): (), rows: &[&[u8; 81]; MAX_LANES], offset: usize) -> [Self; 4] {
        let mut columns = [[0; N]; 4];
        for (lane, row) in rows[..N].iter().enumerate() {
            for (column, four) in columns.iter_mut().zip(row[offset..offset + 16].chunks_exact(4)) {
                column[lane] = u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
            }
        }
        columns.map(|column| Portable(u32x4::new(column)))
    }
    #[inline(always)]
    fn store_columns(columns: [Self; 4], rows: &mut [[u8; 96]; MAX_LANES], offset: usize) {
        let columns = columns.map(|column| column.0.to_array());
        for (lane, row) in rows[..N].iter_mut().enumerate() {
            for (column, four) in columns.iter().zip(row[offset..offset + 16].chunks_exact_mut(4)) {
                four.copy_from_slice(&column[lane].to_le_bytes());
            }
        }
    }
}
