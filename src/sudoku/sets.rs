//! Sets of cells and of other small numbers, one bit each.

use super::CELLS;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, SubAssign};

/// A set of elements that are numbered from 0, one bit each.
macro_rules! set {
    ($(#[$doc:meta])* $name:ident, $bits:ty, $size:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub struct $name(pub(crate) $bits);

        impl $name {
            /// The empty set.
            pub const EMPTY: Self = Self(0);

            /// Returns the set of one element.
            #[inline]
            pub(crate) const fn of(element: usize) -> Self {
                Self(1 << element)
            }

            /// Returns the number of elements.
            #[inline]
            #[must_use]
            pub const fn count(self) -> u32 {
                self.0.count_ones()
            }

            /// Returns whether the set is empty.
            #[inline]
            #[must_use]
            pub const fn is_empty(self) -> bool {
                self.0 == 0
            }

            /// Returns whether the set has exactly one element.
            #[inline]
            pub(crate) const fn is_single(self) -> bool {
                self.0 & self.0.wrapping_sub(1) == 0 && self.0 != 0
            }

            /// Returns the smallest element of a non-empty set.
            #[inline]
            pub(crate) const fn first(self) -> usize {
                self.0.trailing_zeros() as usize
            }

            /// Returns the elements in ascending order.
            #[inline]
            pub fn iter(self) -> impl Iterator<Item = usize> + use<> {
                let mut rest = self.0;
                std::iter::from_fn(move || {
                    let first = (rest != 0).then_some(rest.trailing_zeros() as usize);
                    rest &= rest.wrapping_sub(1);
                    first
                })
            }

            /// Returns whether an element is in the set.
            #[inline]
            #[must_use]
            pub const fn contains(self, element: usize) -> bool {
                self.0 >> element & 1 == 1
            }

            /// Returns whether all elements are in another set.
            #[inline]
            pub(crate) const fn is_within(self, other: Self) -> bool {
                self.0 & !other.0 == 0
            }

            /// Returns whether the set shares an element with another set.
            #[inline]
            pub(crate) const fn meets(self, other: Self) -> bool {
                self.0 & other.0 != 0
            }

            /// Calls `found` with each choice of `size` elements.
            pub(crate) fn each_choice(self, size: u32, found: &mut impl FnMut(Self)) {
                fn choose(mut rest: $name, size: u32, chosen: $name, found: &mut impl FnMut($name)) {
                    if size == 0 {
                        return found(chosen);
                    }
                    while rest.count() >= size {
                        let first = rest.0 & rest.0.wrapping_neg();
                        rest.0 ^= first;
                        choose(rest, size - 1, $name(chosen.0 | first), found);
                    }
                }
                choose(self, size, Self::EMPTY, found);
            }
        }

        impl FromIterator<usize> for $name {
            #[inline]
            fn from_iter<I: IntoIterator<Item = usize>>(elements: I) -> Self {
                let elements = elements.into_iter().filter(|&element| element < $size);
                elements.fold(Self::EMPTY, |all, element| all | Self::of(element))
            }
        }

        impl BitAnd for $name {
            type Output = Self;
            #[inline]
            fn bitand(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }
        }

        impl BitOr for $name {
            type Output = Self;
            #[inline]
            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        impl BitAndAssign for $name {
            #[inline]
            fn bitand_assign(&mut self, other: Self) {
                self.0 &= other.0;
            }
        }

        impl BitOrAssign for $name {
            #[inline]
            fn bitor_assign(&mut self, other: Self) {
                self.0 |= other.0;
            }
        }

        impl SubAssign for $name {
            #[inline]
            fn sub_assign(&mut self, other: Self) {
                self.0 &= !other.0;
            }
        }

        impl Not for $name {
            type Output = Self;
            #[inline]
            fn not(self) -> Self {
                Self(!self.0 & <$bits>::MAX >> (<$bits>::BITS as usize - $size))
            }
        }
    };
}

set!(
    /// A set of cells, numbered 0 to 80 in reading order. Other numbers are ignored when cells are collected.
    ///
    /// ```
    /// use batchdoku::sudoku::CellSet;
    ///
    /// let corners: CellSet = [0, 8, 72, 80].into_iter().collect();
    /// assert!(corners.contains(72) && (!corners).count() == 77);
    /// assert_eq!((!!corners).iter().collect::<Vec<_>>(), [0, 8, 72, 80]);
    /// ```
    CellSet,
    u128,
    CELLS
);
set!(
    /// A set of numbers below 32.
    Numbers,
    u32,
    32
);

impl CellSet {
    /// The set of all 81 cells.
    pub const ALL: Self = Self((1 << CELLS) - 1);
}
