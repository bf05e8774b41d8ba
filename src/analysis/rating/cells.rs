//! Sets of digits and houses, and the 27 houses: rows 0 to 8, columns 9 to 17, boxes 18 to 26.

use crate::sudoku::{CELLS, box_of, column_of, row_of};
pub(super) use crate::sudoku::{CellSet, Numbers};

/// A set of digits, each stored as digit - 1.
pub(super) type Digits = Numbers;
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
    pub(super) const ALL: Self = Self((1 << 27) - 1);
}

impl CellSet {
    /// Returns the set's cells in a row.
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
pub(super) const HOUSE: [CellSet; 27] = TABLES.2;
/// The cells of each house as lists, in reading order.
pub(super) const HOUSE_CELLS: [[usize; 9]; 27] = TABLES.3;
/// The 20 peers of each cell.
pub(super) const PEERS: [CellSet; CELLS] = {
    let mut peers = [CellSet::EMPTY; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let [row, column, of_box] = HOUSES_OF[cell];
        peers[cell] = CellSet((HOUSE[row].0 | HOUSE[column].0 | HOUSE[of_box].0) & !(1 << cell));
        cell += 1;
    }
    peers
};

type Tables = ([[usize; 3]; CELLS], [Houses; CELLS], [CellSet; 27], [[usize; 9]; 27]);

const TABLES: Tables = {
    let (mut of, mut sets) = ([[0; 3]; CELLS], [Houses::EMPTY; CELLS]);
    let (mut cells, mut lists) = ([CellSet::EMPTY; 27], [[0; 9]; 27]);
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

/// Returns the peers that all these cells share, or all cells if the set is empty.
pub(super) fn common_peers(cells: CellSet) -> CellSet {
    cells.iter().fold(CellSet::ALL, |common, cell| common & PEERS[cell])
}
