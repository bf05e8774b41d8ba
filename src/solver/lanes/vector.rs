//! The vector of lanes on which the whole lane engine is built.
//!
//! A vector holds `N` lanes of 32 bits, one puzzle in each. Sets of lanes are `u32` masks, with bit `i` for lane `i`.
//! Three-input operations are defined in terms of two-input ones; an architecture that has three-input instructions
//! overrides them. All methods must be inlined into the only function of an architecture that has a `target_feature`
//! ([`Lanes::work`]). So no closure takes or returns a vector, except in `portable`, which needs no features.

/// Generates methods of [`Lanes`] from a table of names, vectors and expressions.
macro_rules! operations {
    ($($(#[$about:meta])* $name:ident($this:ident $(, $other:ident)*) => $value:expr;)+) => {
        $(
            $(#[$about])*
            #[inline(always)]
            fn $name($this $(, $other: Self)*) -> Self {
                $value
            }
        )+
    };
}
pub(super) use operations;

/// The largest number of lanes in any backend, and the size of every table that is indexed by lane.
pub(super) const MAX_LANES: usize = 16;

/// The number of words in a state.
pub(super) const WORDS: usize = 27;

/// The candidates of `N` puzzles, in the layout that [`pass`](super::pass) describes.
pub(super) type LaneState<V> = [V; WORDS];

/// Replaces the states of some lanes.
#[inline(always)]
pub(super) fn blend<V: Lanes>(state: &mut LaneState<V>, lanes: u32, from: &LaneState<V>) {
    for w in 0..WORDS {
        state[w] = state[w].blend(lanes, from[w]);
    }
}

/// The digits of `N` solved grids. In each lane, byte `b` of word `8r + i` is the cell at place `8b + i` of the rows
/// `r`, one per band. Place `9c + s` is the cell in column `c` of box `s`.
pub(super) type Digits<V> = [V; 24];

/// Work that is compiled for a backend's instruction set.
pub trait Work<V: Lanes> {
    /// Does the work. This method must be `#[inline(always)]`, and so must everything that it passes vectors to.
    fn run(self);
}

/// A vector with `N` lanes of 32 bits.
///
/// Every constructor takes a token, so a vector proves that the processor supports the instruction set.
pub trait Lanes: Copy + Send + 'static {
    /// Proof that this processor supports the instruction set; zero-sized.
    type Token: Copy + Send;
    /// The number of lanes, a multiple of four and at most [`MAX_LANES`].
    const N: usize;
    /// Whether alternatives share frames, which pays off if masked stores are almost as fast as plain ones.
    const SHARES_FRAMES: bool = false;

    /// Returns the token if this processor supports the instruction set.
    fn detect() -> Option<Self::Token>;
    /// Runs the work in a function that may use the instruction set.
    fn work(token: Self::Token, work: impl Work<Self>);
    /// Returns the token that this vector was made with.
    fn token(self) -> Self::Token;

    /// Returns the same word in every lane.
    fn splat(token: Self::Token, word: u32) -> Self;
    /// Returns the first `N` words, one per lane.
    fn from_words(token: Self::Token, words: &[u32; MAX_LANES]) -> Self;
    /// Returns one lane.
    fn lane(&self, lane: usize) -> u32;
    /// Replaces one lane.
    fn set_lane(&mut self, lane: usize, word: u32);

    /// `self & b`
    fn and(self, b: Self) -> Self;
    /// `self | b`
    fn or(self, b: Self) -> Self;
    /// `self ^ b`
    fn xor(self, b: Self) -> Self;
    /// `self & !b`
    fn but_not(self, b: Self) -> Self;
    /// Shifts every lane towards the high bits.
    fn up<const BITS: i32>(self) -> Self;
    /// Shifts every lane towards the low bits.
    fn down<const BITS: i32>(self) -> Self;
    /// Shifts every lane towards the high bits by the number in that lane of `bits`, which must be below 32.
    fn up_by(self, bits: Self) -> Self;
    /// Shifts every lane towards the low bits by the number in that lane of `bits`, which must be below 32.
    fn down_by(self, bits: Self) -> Self;
    /// `self + b`, wrapping.
    fn plus(self, b: Self) -> Self;
    /// `self - b`, wrapping.
    fn minus(self, b: Self) -> Self;
    /// Returns the unsigned minimum of each lane.
    fn min(self, b: Self) -> Self;
    /// Returns all ones in the lanes that are zero, and zero in the other lanes.
    fn is_zero(self) -> Self;

    operations! {
        /// `self & b & c`
        and3(self, b, c) => self.and(b).and(c);
        /// `self | b | c`
        or3(self, b, c) => self.or(b).or(c);
        /// `self ^ b ^ c`
        xor3(self, b, c) => self.xor(b).xor(c);
        /// Returns the bits that are set in at least two of the three.
        majority(self, b, c) => self.and(b).or(self.or(b).and(c));
        /// `self | (b & c)`
        or_and(self, b, c) => self.or(b.and(c));
        /// `self & (b | c)`
        and_or(self, b, c) => self.and(b.or(c));
        /// `self & (b | !c)`
        and_or_not(self, b, c) => self.but_not(c.but_not(b));
        /// `self & !(b | c)`
        but_neither(self, b, c) => self.but_not(b.or(c));
        /// `self & !(b & c)`
        but_not_both(self, b, c) => self.but_not(b.and(c));
        /// `self | (b & !c)`
        or_but_not(self, b, c) => self.or(b.but_not(c));
        /// `self | (b ^ c)`
        or_xor(self, b, c) => self.or(b.xor(c));
        /// `(b ^ c) & !self`
        not_and_xor(self, b, c) => b.xor(c).but_not(self);
        /// Takes the bits of `b` where `self` has a one, and those of `c` where it has a zero.
        choose(self, b, c) => self.and(b).or(c.but_not(self));
    }

    /// Returns a mask of the lanes that are not zero.
    fn nonzero(self) -> u32;
    /// Takes the lanes in the mask from `other`, and the remaining lanes from `self`.
    fn blend(self, mask: u32, other: Self) -> Self;
    /// Returns, for each lane in the mask, the number of lower lanes in the mask; 0 for lanes outside it.
    #[inline(always)]
    fn ranks(token: Self::Token, mask: u32) -> Self {
        let mut ranks = [0; MAX_LANES];
        let mut rank = 0;
        let mut rest = mask;
        while rest != 0 {
            ranks[rest.trailing_zeros() as usize % MAX_LANES] = rank;
            rank += 1;
            rest &= rest - 1;
        }
        Self::from_words(token, &ranks)
    }
    /// Returns the numbers of the lanes in the mask, in ascending order starting at lane 0, followed by zeros.
    #[inline(always)]
    fn members(token: Self::Token, mask: u32) -> Self {
        let mut members = [0; MAX_LANES];
        let mut rank = 0;
        let mut rest = mask;
        while rest != 0 {
            members[rank % MAX_LANES] = rest.trailing_zeros();
            rank += 1;
            rest &= rest - 1;
        }
        Self::from_words(token, &members)
    }
    /// Permutes lanes: lane `i` of the result is lane `from[i]` of `self`. The lane numbers in `from` must be below
    /// `N`.
    fn permute(self, from: Self) -> Self;

    /// Loads the candidates of `N` grids in the layout of [`codec`](super::codec): one candidate for a clue, all for a
    /// blank.
    fn load_cells(token: Self::Token, grids: &[&[u8; 81]; MAX_LANES], state: &mut LaneState<Self>);
    /// Stores the digits of `N` solved grids as rows of cells.
    fn store_cells(digits: &Digits<Self>, rows: &mut [[u8; 96]; MAX_LANES]);
}
