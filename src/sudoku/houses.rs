//! Cells and houses. Cell `i` is in row `i / 9` and column `i % 9`, both counted from 0.

/// The number of rows in a grid, and of cells in a row.
pub(crate) const SIDE: usize = 9;

/// The number of cells in a grid.
pub const CELLS: usize = SIDE * SIDE;

/// Returns the row of a cell, 0 to 8.
#[must_use]
pub const fn row_of(cell: usize) -> usize {
    cell / 9
}

/// Returns the column of a cell, 0 to 8.
#[must_use]
pub const fn column_of(cell: usize) -> usize {
    cell % 9
}

/// Returns the box of a cell, 0 to 8, numbered row by row.
#[must_use]
pub const fn box_of(cell: usize) -> usize {
    cell / 27 * 3 + cell % 9 / 3
}

/// A kind of house; a house is nine cells that must hold nine different digits.
///
/// ```
/// use batchdoku::sudoku::House;
///
/// assert_eq!(House::shared(3, 75), Some(House::Column));
/// assert_eq!(House::Column.number(75), 4);
/// assert_eq!(House::shared(0, 80), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum House {
    /// A row of nine cells.
    Row,
    /// A column of nine cells.
    Column,
    /// A box of 3x3 cells.
    Box,
}

impl House {
    /// Returns the kind of house that two cells share (rows take precedence over columns, and columns over boxes), or
    /// `None` if they share none.
    #[must_use]
    pub const fn shared(a: usize, b: usize) -> Option<Self> {
        if row_of(a) == row_of(b) {
            Some(Self::Row)
        } else if column_of(a) == column_of(b) {
            Some(Self::Column)
        } else if box_of(a) == box_of(b) {
            Some(Self::Box)
        } else {
            None
        }
    }

    /// Returns the name of the kind: `row`, `column` or `box`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Row => "row",
            Self::Column => "column",
            Self::Box => "box",
        }
    }

    /// Returns the number, from 1, of the house of this kind that contains a cell.
    #[must_use]
    pub const fn number(self, cell: usize) -> usize {
        1 + match self {
            Self::Row => row_of(cell),
            Self::Column => column_of(cell),
            Self::Box => box_of(cell),
        }
    }
}

/// Returns whether two different cells share a row, column or box.
#[must_use]
pub const fn are_peers(a: usize, b: usize) -> bool {
    a != b && House::shared(a, b).is_some()
}

/// Returns the name of a cell: a letter A to I for the row, then a digit 1 to 9 for the column.
///
/// ```
/// assert_eq!(batchdoku::sudoku::cell_name(33), "D7");
/// ```
#[must_use]
pub fn cell_name(cell: usize) -> String {
    format!("{}{}", char::from(b'A' + row_of(cell) as u8), column_of(cell) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_has_twenty_peers() {
        for cell in 0..CELLS {
            assert_eq!((0..CELLS).filter(|&other| are_peers(cell, other)).count(), 20);
        }
    }

    /// The box numbers are laid out as in the grid.
    #[test]
    fn every_cell_has_its_row_column_and_box() {
        let boxes = ["000111222"; 3].into_iter().chain(["333444555"; 3]).chain(["666777888"; 3]);
        for (row, boxes) in boxes.enumerate() {
            for (column, number) in boxes.bytes().map(|number| usize::from(number - b'0')).enumerate() {
                let cell = 9 * row + column;
                assert_eq!((row_of(cell), column_of(cell), box_of(cell)), (row, column, number));
                let numbers = [House::Row, House::Column, House::Box].map(|house| house.number(cell));
                assert_eq!(numbers, [row + 1, column + 1, number + 1]);
            }
        }
    }

    #[test]
    fn the_house_that_two_cells_share_is_the_row_before_the_column_before_the_box() {
        let shared = |a, b| House::shared(a, b).map(House::name);
        assert_eq!([shared(0, 1), shared(0, 8), shared(0, 0)], [Some("row"); 3]);
        assert_eq!([shared(0, 9), shared(80, 8)], [Some("column"); 2]);
        assert_eq!([shared(0, 10), shared(80, 60)], [Some("box"); 2]);
        assert_eq!([shared(0, 80), shared(2, 12)], [None; 2]);
    }
}
