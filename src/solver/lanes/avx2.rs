//! Eight lanes in an AVX2 register.

#![cfg(target_arch = "x86_64")]
#![allow(unsafe_code)]

use std::arch::is_x86_feature_detected;
use std::arch::x86_64::*;

use super::shuffles::{self, Shuffles};
use super::token::token;
use super::vector::{Digits, LaneState, Lanes, MAX_LANES, Work, operations};

token!(is_x86_feature_detected: "avx2", "popcnt", "bmi1", "bmi2", "lzcnt");

/// A vector of eight lanes.
///
/// SAFETY, for every `unsafe` block below: the intrinsics may be executed because a vector or a token exists. A vector
/// can only be made with a [`Token`]. Blocks that access memory also state why their pointers are valid.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Avx2(__m256i);

macro_rules! simple {
    ($intrinsic:expr) => {
        // SAFETY: see the comment on the type.
        Avx2(unsafe { $intrinsic })
    };
}

impl Lanes for Avx2 {
    type Token = Token;
    const N: usize = 8;

    #[inline(always)]
    fn detect() -> Option<Token> {
        Token::detect()
    }
    #[inline(always)]
    fn work(token: Token, work: impl Work<Self>) {
        token.work(work);
    }
    #[inline(always)]
    fn token(self) -> Token {
        Token(())
    }
    #[inline(always)]
    fn splat(_: Token, word: u32) -> Self {
        simple!(_mm256_set1_epi32(word.cast_signed()))
    }
    #[inline(always)]
    fn from_words(_: Token, words: &[u32; MAX_LANES]) -> Self {
        // SAFETY: the array has 64 bytes, of which 32 are read; the load needs no alignment.
        Avx2(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
    }
    #[inline(always)]
    fn lane(&self, lane: usize) -> u32 {
        assert!(lane < Self::N);
        // SAFETY: the vector has eight words and the index is below eight.
        unsafe { *std::ptr::from_ref(self).cast::<u32>().add(lane) }
    }
    #[inline(always)]
    fn set_lane(&mut self, lane: usize, word: u32) {
        assert!(lane < Self::N);
        // SAFETY: the vector has eight words and the index is below eight.
        unsafe { *std::ptr::from_mut(self).cast::<u32>().add(lane) = word }
    }
    operations! {
        and(self, b) => simple!(_mm256_and_si256(self.0, b.0));
        or(self, b) => simple!(_mm256_or_si256(self.0, b.0));
        xor(self, b) => simple!(_mm256_xor_si256(self.0, b.0));
        but_not(self, b) => simple!(_mm256_andnot_si256(b.0, self.0));
        up_by(self, bits) => simple!(_mm256_sllv_epi32(self.0, bits.0));
        down_by(self, bits) => simple!(_mm256_srlv_epi32(self.0, bits.0));
        plus(self, b) => simple!(_mm256_add_epi32(self.0, b.0));
        minus(self, b) => simple!(_mm256_sub_epi32(self.0, b.0));
        min(self, b) => simple!(_mm256_min_epu32(self.0, b.0));
        is_zero(self) => simple!(_mm256_cmpeq_epi32(self.0, _mm256_setzero_si256()));
        permute(self, from) => simple!(_mm256_permutevar8x32_epi32(self.0, from.0));
    }
    #[inline(always)]
    fn up<const BITS: i32>(self) -> Self {
        simple!(_mm256_slli_epi32::<BITS>(self.0))
    }
    #[inline(always)]
    fn down<const BITS: i32>(self) -> Self {
        simple!(_mm256_srli_epi32::<BITS>(self.0))
    }
    #[inline(always)]
    fn nonzero(self) -> u32 {
        // SAFETY: see the comment on the type.
        unsafe {
            let zero = _mm256_cmpeq_epi32(self.0, _mm256_setzero_si256());
            !_mm256_movemask_ps(_mm256_castsi256_ps(zero)).cast_unsigned() & 0xff
        }
    }
    #[inline(always)]
    fn blend(self, mask: u32, other: Self) -> Self {
        // SAFETY: see the comment on the type.
        Avx2(unsafe {
            let bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let named = _mm256_and_si256(_mm256_set1_epi32(mask.cast_signed()), bit);
            _mm256_blendv_epi8(self.0, other.0, _mm256_cmpeq_epi32(named, bit))
        })
    }
    #[inline(always)]
    fn ranks(token: Token, mask: u32) -> Self {
        // One byte per lane: each lane in the mask gets the next number.
        simple!(widened(token, _pdep_u64(LANE_NUMBERS, bytes_of(token, mask))))
    }
    #[inline(always)]
    fn members(token: Token, mask: u32) -> Self {
        simple!(widened(token, _pext_u64(LANE_NUMBERS, bytes_of(token, mask))))
    }
    #[inline(always)]
    fn load_cells(token: Token, grids: &[&[u8; 81]; MAX_LANES], state: &mut LaneState<Self>) {
        shuffles::load_cells(token, grids, state);
    }
    #[inline(always)]
    fn store_cells(digits: &Digits<Self>, rows: &mut [[u8; 96]; MAX_LANES]) {
        shuffles::store_cells(digits, rows);
    }
}

impl Shuffles for Avx2 {
    #[inline(always)]
    fn splat_bytes(_: Token, bytes: &[u8; 16]) -> Self {
        // SAFETY: the array has 16 bytes; the load needs no alignment.
        Avx2(unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(bytes.as_ptr().cast())) })
    }
    operations! {
        shuffle_bytes(self, select) => simple!(_mm256_shuffle_epi8(self.0, select.0));
    }
    #[inline(always)]
    fn load_columns(token: Token, rows: &[&[u8; 81]; MAX_LANES], offset: usize) -> [Self; 4] {
        assert!(offset <= 81 - 16);
        let mut fours = [Self::splat(token, 0); 4];
        let mut i = 0;
        while i < 4 {
            // SAFETY: sixteen bytes at an offset of at most 65 lie within each row of 81.
            fours[i] = Avx2(unsafe {
                let first = _mm_loadu_si128(rows[i].as_ptr().add(offset).cast());
                let second = _mm_loadu_si128(rows[4 + i].as_ptr().add(offset).cast());
                _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(first), second)
            });
            i += 1;
        }
        transpose(fours)
    }
    #[inline(always)]
    fn store_columns(columns: [Self; 4], rows: &mut [[u8; 96]; MAX_LANES], offset: usize) {
        assert!(offset <= 96 - 16);
        let fours = transpose(columns);
        let mut i = 0;
        while i < 4 {
            let four = fours[i].0;
            // SAFETY: sixteen bytes at an offset of at most 80 lie within each row of 96.
            unsafe {
                _mm_storeu_si128(rows[i].as_mut_ptr().add(offset).cast(), _mm256_castsi256_si128(four));
                let second = _mm256_extracti128_si256::<1>(four);
                _mm_storeu_si128(rows[4 + i].as_mut_ptr().add(offset).cast(), second);
            }
            i += 1;
        }
    }
}

/// The numbers 0 to 7, one byte each.
const LANE_NUMBERS: u64 = 0x0706_0504_0302_0100;

/// Returns 0xff in the byte of each lane in the mask, and zero elsewhere.
#[inline(always)]
fn bytes_of(_: Token, mask: u32) -> u64 {
    // SAFETY: see the comment on the type.
    unsafe { _pdep_u64(u64::from(mask), 0x0101_0101_0101_0101) * 0xff }
}

/// Widens eight bytes to eight words.
#[inline(always)]
fn widened(_: Token, bytes: u64) -> __m256i {
    // SAFETY: see the comment on the type.
    unsafe { _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(bytes.cast_signed())) }
}

/// Transposes the 4x4 words in each half of the four vectors.
#[inline(always)]
fn transpose(rows: [Avx2; 4]) -> [Avx2; 4] {
    let [a, b, c, d] = rows;
    // SAFETY: see the comment on the type.
    unsafe {
        let ab_low = _mm256_unpacklo_epi32(a.0, b.0);
        let ab_high = _mm256_unpackhi_epi32(a.0, b.0);
        let cd_low = _mm256_unpacklo_epi32(c.0, d.0);
        let cd_high = _mm256_unpackhi_epi32(c.0, d.0);
        [
            Avx2(_mm256_unpacklo_epi64(ab_low, cd_low)),
            Avx2(_mm256_unpackhi_epi64(ab_low, cd_low)),
            Avx2(_mm256_unpacklo_epi64(ab_high, cd_high)),
            Avx2(_mm256_unpackhi_epi64(ab_high, cd_high)),
        ]
    }
}
