//! The backend for every processor: four lanes in the `wide` crate's vector type.
//!
//! On x86-64 that is an SSE2 register; elsewhere it is whatever the target offers, at worst an array. It serves as the
//! reference for the other backends. (Without explicit vectors, the compiler would not vectorize such a long function.)

use wide::u32x4;

use super::codec;
use super::vector::{Digits, LaneState, Lanes, MAX_LANES, Work, operations};
use crate::sudoku::CELLS;

const N: usize = 4;

/// A vector of four lanes.
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

/// The bits of a cell in the three words, one per X, for each box and digit; a digit above 9 counts as a blank.
const CANDIDATES: [[[u32; 4]; 16]; 9] = {
    let mut candidates = [[[0; 4]; 16]; 9];
    let mut s = 0;
    while s < 9 {
        let mut digit = 0;
        while digit < 16 {
            let mut x = 0;
            while x < 3 {
                let ys = codec::possible(x, digit) as u32;
                candidates[s][digit][x] = (ys & 1 | (ys >> 1 & 1) << 9 | (ys >> 2) << 18) << s;
                x += 1;
            }
            digit += 1;
        }
        s += 1;
    }
    candidates
};

/// For each mask, a vector that is all ones in the lanes of the mask.
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
    /// The unit type, because every processor has the instructions.
    type Token = ();
    const N: usize = N;

    #[inline(always)]
    fn detect() -> Option<()> {
        Some(())
    }
    // Not inlined, to match the other backends, where `target_feature` prevents inlining.
    #[inline(never)]
    fn work((): (), work: impl Work<Self>) {
        work.run();
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
    operations! {
        and(self, b) => Portable(self.0 & b.0);
        or(self, b) => Portable(self.0 | b.0);
        xor(self, b) => Portable(self.0 ^ b.0);
        but_not(self, b) => Portable(self.0 & !b.0);
        up_by(self, bits) => Portable(self.0.unbounded_shl(bits.0));
        down_by(self, bits) => Portable(self.0.unbounded_shr(bits.0));
        plus(self, b) => Portable(self.0 + b.0);
        minus(self, b) => Portable(self.0 - b.0);
        min(self, b) => Portable(self.0.min(b.0));
        is_zero(self) => Portable(self.0.simd_eq(u32x4::splat(0)));
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
    fn load_cells((): (), grids: &[&[u8; 81]; MAX_LANES], state: &mut LaneState<Self>) {
        let mut lanes = [[u32x4::ZERO; 9]; N];
        for (words, grid) in lanes.iter_mut().zip(grids) {
            for (&digit, &(i, s)) in grid.iter().zip(&codec::POSITIONS) {
                words[i] |= u32x4::new(CANDIDATES[s][usize::from(digit) & 15]);
            }
        }
        for i in 0..9 {
            let words = u32x4::transpose([lanes[0][i], lanes[1][i], lanes[2][i], lanes[3][i]]);
            for x in 0..3 {
                state[9 * x + i] = Portable(words[x]);
            }
        }
    }
    #[inline(always)]
    fn store_cells(digits: &Digits<Self>, rows: &mut [[u8; 96]; MAX_LANES]) {
        for (lane, row) in rows[..N].iter_mut().enumerate() {
            for (cell, &(word, byte)) in row[..CELLS].iter_mut().zip(&codec::PLACES) {
                *cell = digits[usize::from(word)].lane(lane).to_le_bytes()[usize::from(byte)];
            }
        }
    }
}
