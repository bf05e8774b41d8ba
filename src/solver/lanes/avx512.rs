//! Sixteen lanes in an AVX-512 register, using the F, BW and VL subsets.

#![cfg(target_arch = "x86_64")]
#![allow(unsafe_code)]

use std::arch::is_x86_feature_detected;
use std::arch::x86_64::*;

use super::shuffles::{self, Shuffles};
use super::token::token;
use super::vector::{Digits, LaneState, Lanes, MAX_LANES, Work, operations};

token!(is_x86_feature_detected: "avx512f", "avx512bw", "avx512vl", "popcnt", "bmi1", "bmi2", "lzcnt");

/// A vector of sixteen lanes.
///
/// SAFETY, for every `unsafe` block below: the intrinsics may be executed because a vector or a token exists. A vector
/// can only be made with a [`Token`]. Blocks that access memory also state why their pointers are valid.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Avx512(__m512i);

/// The truth tables of the three inputs. The immediate is the formula applied to them.
const A: i32 = 0xf0;
const B: i32 = 0xcc;
const C: i32 = 0xaa;

macro_rules! ternary {
    ($a:expr, $b:expr, $c:expr, $formula:expr) => {{
        const IMMEDIATE: i32 = ($formula) & 0xff;
        // SAFETY: see the comment on the type.
        Avx512(unsafe { _mm512_ternarylogic_epi32::<IMMEDIATE>($a.0, $b.0, $c.0) })
    }};
}

macro_rules! simple {
    ($intrinsic:expr) => {
        // SAFETY: see the comment on the type.
        Avx512(unsafe { $intrinsic })
    };
}

impl Lanes for Avx512 {
    type Token = Token;
    const N: usize = 16;
    const SHARES_FRAMES: bool = true;

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
        simple!(_mm512_set1_epi32(word.cast_signed()))
    }
    #[inline(always)]
    fn from_words(_: Token, words: &[u32; MAX_LANES]) -> Self {
        // SAFETY: the array has 64 bytes; the load needs no alignment.
        Avx512(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
    }
    #[inline(always)]
    fn lane(&self, lane: usize) -> u32 {
        assert!(lane < Self::N);
        // SAFETY: the vector has sixteen words and the index is below sixteen.
        unsafe { *std::ptr::from_ref(self).cast::<u32>().add(lane) }
    }
    #[inline(always)]
    fn set_lane(&mut self, lane: usize, word: u32) {
        assert!(lane < Self::N);
        // SAFETY: the vector has sixteen words and the index is below sixteen.
        unsafe { *std::ptr::from_mut(self).cast::<u32>().add(lane) = word }
    }
    operations! {
        and(self, b) => simple!(_mm512_and_si512(self.0, b.0));
        or(self, b) => simple!(_mm512_or_si512(self.0, b.0));
        xor(self, b) => simple!(_mm512_xor_si512(self.0, b.0));
        but_not(self, b) => simple!(_mm512_andnot_si512(b.0, self.0));
        up_by(self, bits) => simple!(_mm512_sllv_epi32(self.0, bits.0));
        down_by(self, bits) => simple!(_mm512_srlv_epi32(self.0, bits.0));
        plus(self, b) => simple!(_mm512_add_epi32(self.0, b.0));
        minus(self, b) => simple!(_mm512_sub_epi32(self.0, b.0));
        min(self, b) => simple!(_mm512_min_epu32(self.0, b.0));
        is_zero(self) => simple!(_mm512_maskz_set1_epi32(_mm512_testn_epi32_mask(self.0, self.0), -1));
        and3(self, b, c) => ternary!(self, b, c, A & B & C);
        or3(self, b, c) => ternary!(self, b, c, A | B | C);
        xor3(self, b, c) => ternary!(self, b, c, A ^ B ^ C);
        majority(self, b, c) => ternary!(self, b, c, A & B | A & C | B & C);
        or_and(self, b, c) => ternary!(self, b, c, A | B & C);
        and_or(self, b, c) => ternary!(self, b, c, A & (B | C));
        and_or_not(self, b, c) => ternary!(self, b, c, A & (B | !C));
        but_neither(self, b, c) => ternary!(self, b, c, A & !(B | C));
        but_not_both(self, b, c) => ternary!(self, b, c, A & !(B & C));
        or_but_not(self, b, c) => ternary!(self, b, c, A | B & !C);
        or_xor(self, b, c) => ternary!(self, b, c, A | (B ^ C));
        not_and_xor(self, b, c) => ternary!(self, b, c, !A & (B ^ C));
        choose(self, b, c) => ternary!(self, b, c, A & B | !A & C);
        permute(self, from) => simple!(_mm512_permutexvar_epi32(from.0, self.0));
    }
    #[inline(always)]
    fn up<const BITS: i32>(self) -> Self {
        simple!(_mm512_sll_epi32(self.0, _mm_cvtsi32_si128(BITS)))
    }
    #[inline(always)]
    fn down<const BITS: i32>(self) -> Self {
        simple!(_mm512_srl_epi32(self.0, _mm_cvtsi32_si128(BITS)))
    }
    #[inline(always)]
    fn nonzero(self) -> u32 {
        // SAFETY: see the comment on the type.
        u32::from(unsafe { _mm512_test_epi32_mask(self.0, self.0) })
    }
    #[inline(always)]
    fn blend(self, mask: u32, other: Self) -> Self {
        simple!(_mm512_mask_blend_epi32(mask as u16, self.0, other.0))
    }
    #[inline(always)]
    fn ranks(token: Token, mask: u32) -> Self {
        simple!(_mm512_maskz_expand_epi32(mask as u16, lane_numbers(token)))
    }
    #[inline(always)]
    fn members(token: Token, mask: u32) -> Self {
        simple!(_mm512_maskz_compress_epi32(mask as u16, lane_numbers(token)))
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

impl Shuffles for Avx512 {
    #[inline(always)]
    fn splat_bytes(_: Token, bytes: &[u8; 16]) -> Self {
        // SAFETY: the array has 16 bytes; the load needs no alignment.
        Avx512(unsafe { _mm512_broadcast_i32x4(_mm_loadu_si128(bytes.as_ptr().cast())) })
    }
    operations! {
        shuffle_bytes(self, select) => simple!(_mm512_shuffle_epi8(self.0, select.0));
    }
    #[inline(always)]
    fn load_columns(token: Token, rows: &[&[u8; 81]; MAX_LANES], offset: usize) -> [Self; 4] {
        assert!(offset <= 81 - 16);
        let mut fours = [Self::splat(token, 0); 4];
        let mut i = 0;
        while i < 4 {
            // SAFETY: sixteen bytes at an offset of at most 65 lie within each row of 81.
            fours[i] = Avx512(unsafe {
                let first = _mm_loadu_si128(rows[i].as_ptr().add(offset).cast());
                let second = _mm_loadu_si128(rows[4 + i].as_ptr().add(offset).cast());
                let third = _mm_loadu_si128(rows[8 + i].as_ptr().add(offset).cast());
                let fourth = _mm_loadu_si128(rows[12 + i].as_ptr().add(offset).cast());
                let low = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(first), second);
                _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(low, third), fourth)
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
                _mm_storeu_si128(rows[i].as_mut_ptr().add(offset).cast(), _mm512_castsi512_si128(four));
                let second = _mm512_extracti32x4_epi32::<1>(four);
                _mm_storeu_si128(rows[4 + i].as_mut_ptr().add(offset).cast(), second);
                let third = _mm512_extracti32x4_epi32::<2>(four);
                _mm_storeu_si128(rows[8 + i].as_mut_ptr().add(offset).cast(), third);
                let fourth = _mm512_extracti32x4_epi32::<3>(four);
                _mm_storeu_si128(rows[12 + i].as_mut_ptr().add(offset).cast(), fourth);
            }
            i += 1;
        }
    }
}

/// Returns the numbers 0 to 15.
#[inline(always)]
fn lane_numbers(_: Token) -> __m512i {
    // SAFETY: see the comment on the type.
    unsafe { _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) }
}

/// Transposes the 4x4 words in each quarter of the four vectors.
#[inline(always)]
fn transpose(rows: [Avx512; 4]) -> [Avx512; 4] {
    let [a, b, c, d] = rows;
    // SAFETY: see the comment on the type.
    unsafe {
        let ab_low = _mm512_unpacklo_epi32(a.0, b.0);
        let ab_high = _mm512_unpackhi_epi32(a.0, b.0);
        let cd_low = _mm512_unpacklo_epi32(c.0, d.0);
        let cd_high = _mm512_unpackhi_epi32(c.0, d.0);
        [
            Avx512(_mm512_unpacklo_epi64(ab_low, cd_low)),
            Avx512(_mm512_unpackhi_epi64(ab_low, cd_low)),
            Avx512(_mm512_unpacklo_epi64(ab_high, cd_high)),
            Avx512(_mm512_unpackhi_epi64(ab_high, cd_high)),
        ]
    }
}
