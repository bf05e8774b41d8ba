//! Sets of cells, sets of digits, and the 27 houses: rows 0 to 8, columns 9 to 17, boxes 18 to 26.

use crate::sudoku::{CELLS, box_of, column_of, row_of};
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// A set of elements numbered from 0, stored as one bit each.
macro_rules! set {
    ($(#[$doc:meta])* $name:ident, $bits:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name($bits);

        impl $name {
            /// The empty set.
            pub(super) const NONE: Self = Self(0);

            /// Returns the set that contains only this element.
            pub(super) const fn of(element: usize) -> Self {
                Self(1 << element)
            }

            /// Returns the number of elements.
            #[must_use]
            pub const fn count(self) -> u32 {
                self.0.count_ones()
            }

            /// Returns whether the set is empty.
            #[must_use]
            pub const fn is_empty(self) -> bool {
                self.0 == 0
            }

            /// Returns whether the set has exactly one element.
            pub(super) const fn is_single(self) -> bool {
                self.0 & self.0.wrapping_sub(1) == 0 && self.0 != 0
            }

            /// Returns the smallest element of a set that is not empty.
            pub(super) const fn first(self) -> usize {
                self.0.trailing_zeros() as usize
            }

            /// Returns the elements in ascending order.
            pub fn iter(self) -> impl Iterator<Item = usize> + use<> {
                let mut rest = self.0;
                std::iter::from_fn(move || {
                    let first = (rest != 0).then_some(rest.trailing_zeros() as usize);
                    rest &= rest.wrapping_sub(1);
                    first
                })
            }

            /// Returns whether an element is in the set.
            #[must_use]
            pub const fn has(self, element: usize) -> bool {
                self.0 >> element & 1 == 1
            }

            /// Returns whether all elements are also in another set.
            pub(super) const fn is_within(self, other: Self) -> bool {
                self.0 & !other.0 == 0
            }

            /// Returns whether the set has an element in common with another set.
            pub(super) const fn meets(self, other: Self) -> bool {
                self.0 & other.0 != 0
            }

            /// Calls `found` for each choice of `size` elements.
            pub(super) fn each_choice(self, size: u32, found: &mut impl FnMut(Self)) {
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
                choose(self, size, Self::NONE, found);
            }
        }

        impl FromIterator<usize> for $name {
            fn from_iter<I: IntoIterator<Item = usize>>(elements: I) -> Self {
                elements.into_iter().fold(Self::NONE, |all, element| all | Self::of(element))
            }
        }

        impl BitAnd for $name {
            type Output = Self;
            fn bitand(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }
        }

        impl BitOr for $name {
            type Output = Self;
            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        impl BitAndAssign for $name {
            fn bitand_assign(&mut self, other: Self) {
                self.0 &= other.0;
            }
        }

        impl BitOrAssign for $name {
            fn bitor_assign(&mut self, other: Self) {
                self.0 |= other.0;
            }
        }

        impl Not for $name {
            type Output = Self;
            fn not(self) -> Self {
                Self(!self.0)
            }
        }
    };
}

set!(
    /// A set of cells, numbered in reading order.
    Cells,
    u128
);
set!(
    /// A set of numbers below 32.
    Numbers,
    u32
);

/// A set of digits, each stored as the digit minus one.
pub type Digits = Numbers;
/// A set of houses.
pub(super) type Houses = Numbers;
/// A set of the nine cells in a house, or of the nine rows or columns.
pub(super) type Places = Numbers;

impl Numbers {
    /// All nine digits or places.
    pub(super) const NINE: Self = Self(0x1ff);
    /// Counts the elements of a set of digits or places. It uses a table because not all processors can count bits.
    pub(super) const fn count_of_nine(self) -> usize {
        const COUNTS: [u8; 512] = {
            let mut counts = [0; 512];
            let mut set = 0;
            while set < 512 {
                counts[set] = set.count_ones() as u8;
                set += 1;
            }
            counts
        };
        COUNTS[self.0 as usize % 512] as usize
    }

    /// All rows and columns.
    pub(super) const LINES: Self = Self((1 << 18) - 1);
    /// All boxes.
    pub(super) const BOXES: Self = Self(0x1ff << 18);
    /// All houses.
    pub(super) const HOUSES: Self = Self((1 << 27) - 1);
}

impl Cells {
    /// The set of all 81 cells.
    pub(super) const ALL: Self = Self((1 << CELLS) - 1);

    /// Returns the cells of the set that are in a row.
    pub(super) const fn of_row(self, row: usize) -> Places {
        Numbers((self.0 >> (9 * row)) as u32 & 0x1ff)
    }
}

/// The first house of each kind.
pub(super) const ROWS: usize = 0;
pub(super) const COLUMNS: usize = 9;
pub(super) const BOXES: usize = 18;

/// The row, column and box of each cell.
pub(super) const HOUSES_OF: [[usize; 3]; CELLS] = TABLES.0;
/// The row, column and box of each cell as a set.
pub(super) const HOUSE_SETS: [Houses; CELLS] = TABLES.1;
/// The cells of each house.
pub(super) const HOUSE: [Cells; 27] = TABLES.2;
/// The cells of each house as a list, in reading order.
pub(super) const HOUSE_CELLS: [[usize; 9]; 27] = TABLES.3;
/// The 20 peers of each cell.
pub(super) const PEERS: [Cells; CELLS] = {
    let mut peers = [Cells::NONE; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let [row, column, of_box] = HOUSES_OF[cell];
        peers[cell] = Cells((HOUSE[row].0 | HOUSE[column].0 | HOUSE[of_box].0) & !(1 << cell));
        cell += 1;
    }
    peers
};

type Tables = ([[usize; 3]; CELLS], [Houses; CELLS], [Cells; 27], [[usize; 9]; 27]);

const TABLES: Tables = {
    let (mut of, mut sets) = ([[0; 3]; CELLS], [Houses::NONE; CELLS]);
    let (mut cells, mut lists) = ([Cells::NONE; 27], [[0; 9]; 27]);
    let mut at = 0;
    while at < 3 * CELLS {
        let (cell, kind) = (at / 3, at % 3);
        of[cell] = [ROWS + row_of(cell), COLUMNS + column_of(cell), BOXES + box_of(cell)];
        let house = of[cell][kind];
        sets[cell].0 |= 1 << house;
        lists[house][cells[house].count() as usize] = cell;
        cells[house].0 |= 1 << cell;
        at += 1;
    }
    (of, sets, cells, lists)
};

/// Returns the peers that all these cells have in common, or all cells if the set is empty.
pub(super) fn common_peers(cells: Cells) -> Cells {
    cells.iter().fold(Cells::ALL, |common, cell| common & PEERS[cell])
}
