//! Four lanes in a NEON register.
//!
//! This backend passes all tests under emulation (qemu-user), but its speed has never been measured.

#![cfg(target_arch = "aarch64")]
#![allow(unsafe_code)]

use std::arch::aarch64::*;
use std::arch::is_aarch64_feature_detected;

use super::shuffles::{self, Shuffles};
use super::token::token;
use super::vector::{Digits, LaneState, Lanes, MAX_LANES, Work, operations};

token!(is_aarch64_feature_detected: "neon");

/// A vector of four lanes.
///
/// SAFETY, for every `unsafe` block below: the intrinsics may be executed because a vector or a token exists. A vector
/// can only be made with a [`Token`]. Blocks that access memory also state why their pointers are valid.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Neon(uint32x4_t);

macro_rules! simple {
    ($intrinsic:expr) => {
        // SAFETY: see the comment on the type.
        Neon(unsafe { $intrinsic })
    };
}

impl Lanes for Neon {
    type Token = Token;
    const N: usize = 4;

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
        simple!(vdupq_n_u32(word))
    }
    #[inline(always)]
    fn from_words(_: Token, words: &[u32; MAX_LANES]) -> Self {
        // SAFETY: the array has 64 bytes, of which 16 are read.
        Neon(unsafe { vld1q_u32(words.as_ptr()) })
    }
    #[inline(always)]
    fn lane(&self, lane: usize) -> u32 {
        assert!(lane < Self::N);
        // SAFETY: the vector has four words and the index is below four.
        unsafe { *std::ptr::from_ref(self).cast::<u32>().add(lane) }
    }
    #[inline(always)]
    fn set_lane(&mut self, lane: usize, word: u32) {
        assert!(lane < Self::N);
        // SAFETY: the vector has four words and the index is below four.
        unsafe { *std::ptr::from_mut(self).cast::<u32>().add(lane) = word }
    }
    operations! {
        and(self, b) => simple!(vandq_u32(self.0, b.0));
        or(self, b) => simple!(vorrq_u32(self.0, b.0));
        xor(self, b) => simple!(veorq_u32(self.0, b.0));
        but_not(self, b) => simple!(vbicq_u32(self.0, b.0));
        up_by(self, bits) => simple!(vshlq_u32(self.0, vreinterpretq_s32_u32(bits.0)));
        down_by(self, bits) => simple!(vshlq_u32(self.0, vnegq_s32(vreinterpretq_s32_u32(bits.0))));
        plus(self, b) => simple!(vaddq_u32(self.0, b.0));
        minus(self, b) => simple!(vsubq_u32(self.0, b.0));
        min(self, b) => simple!(vminq_u32(self.0, b.0));
        is_zero(self) => simple!(vceqzq_u32(self.0));
        // Where the first two differ, the third decides.
        majority(self, b, c) => self.xor(b).choose(c, self);
        choose(self, b, c) => simple!(vbslq_u32(self.0, b.0, c.0));
    }
    #[inline(always)]
    fn up<const BITS: i32>(self) -> Self {
        simple!(vshlq_n_u32::<BITS>(self.0))
    }
    #[inline(always)]
    fn down<const BITS: i32>(self) -> Self {
        simple!(vshrq_n_u32::<BITS>(self.0))
    }
    #[inline(always)]
    fn nonzero(self) -> u32 {
        // SAFETY: see the comment on the type; the load reads an array of four words.
        unsafe {
            let bit = vld1q_u32([1, 2, 4, 8].as_ptr());
            vaddvq_u32(vandq_u32(vtstq_u32(self.0, self.0), bit))
        }
    }
    #[inline(always)]
    fn blend(self, mask: u32, other: Self) -> Self {
        // SAFETY: see the comment on the type; the load reads an array of four words.
        Neon(unsafe {
            let bit = vld1q_u32([1, 2, 4, 8].as_ptr());
            vbslq_u32(vtstq_u32(vdupq_n_u32(mask), bit), other.0, self.0)
        })
    }
    #[inline(always)]
    fn permute(self, from: Self) -> Self {
        // SAFETY: see the comment on the type. The four bytes of lane f are the numbers 4f to 4f + 3.
        Neon(unsafe {
            let first = vmulq_u32(from.0, vdupq_n_u32(0x0404_0404));
            let bytes = vaddq_u32(first, vdupq_n_u32(0x0302_0100));
            vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(self.0), vreinterpretq_u8_u32(bytes)))
        })
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

impl Shuffles for Neon {
    #[inline(always)]
    fn splat_bytes(_: Token, bytes: &[u8; 16]) -> Self {
        // SAFETY: the array has 16 bytes.
        Neon(unsafe { vreinterpretq_u32_u8(vld1q_u8(bytes.as_ptr())) })
    }
    #[inline(always)]
    fn shuffle_bytes(self, select: Self) -> Self {
        // If the top bit is set, the index is out of range, and the instruction returns zero.
        simple!(vreinterpretq_u32_u8(vqtbl1q_u8(
            vreinterpretq_u8_u32(self.0),
            vreinterpretq_u8_u32(select.0)
        )))
    }
    #[inline(always)]
    fn load_columns(token: Token, rows: &[&[u8; 81]; MAX_LANES], offset: usize) -> [Self; 4] {
        assert!(offset <= 81 - 16);
        let mut fours = [Self::splat(token, 0); 4];
        let mut i = 0;
        while i < 4 {
            // SAFETY: sixteen bytes at an offset of at most 65 lie within each row of 81.
            fours[i] = Neon(unsafe { vreinterpretq_u32_u8(vld1q_u8(rows[i].as_ptr().add(offset))) });
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
            // SAFETY: sixteen bytes at an offset of at most 80 lie within each row of 96.
            unsafe { vst1q_u8(rows[i].as_mut_ptr().add(offset), vreinterpretq_u8_u32(fours[i].0)) }
            i += 1;
        }
    }
}

/// Transposes the 4x4 words in the four vectors.
#[inline(always)]
fn transpose(rows: [Neon; 4]) -> [Neon; 4] {
    let [a, b, c, d] = rows;
    // SAFETY: see the comment on the type.
    unsafe {
        let ab_low = vreinterpretq_u64_u32(vzip1q_u32(a.0, b.0));
        let ab_high = vreinterpretq_u64_u32(vzip2q_u32(a.0, b.0));
        let cd_low = vreinterpretq_u64_u32(vzip1q_u32(c.0, d.0));
        let cd_high = vreinterpretq_u64_u32(vzip2q_u32(c.0, d.0));
        [
            Neon(vreinterpretq_u32_u64(vzip1q_u64(ab_low, cd_low))),
            Neon(vreinterpretq_u32_u64(vzip2q_u64(ab_low, cd_low))),
            Neon(vreinterpretq_u32_u64(vzip1q_u64(ab_high, cd_high))),
            Neon(vreinterpretq_u32_u64(vzip2q_u64(ab_high, cd_high))),
        ]
    }
}
