//! Grids: 81 digits in row-major order, with 0 for a blank.

use std::fmt;
use std::str::FromStr;

use wide::u8x16;

use super::houses::CELLS;
use super::sets::CellSet;

/// Returns the digit that a character in a puzzle stands for: 0 for a blank (any of `. 0 * _ - ? X x`), `None` if it is
/// not a cell.
///
/// ```
/// assert_eq!([b'7', b'.', b'a'].map(batchdoku::sudoku::digit_of), [Some(7), Some(0), None]);
/// ```
#[must_use]
pub const fn digit_of(byte: u8) -> Option<u8> {
    match byte {
        b'1'..=b'9' => Some(byte - b'0'),
        b'.' | b'0' | b'*' | b'_' | b'-' | b'?' | b'X' | b'x' => Some(0),
        _ => None,
    }
}

/// A 9x9 grid in row-major order, either a puzzle or a solution; 0 is a blank cell, and 1 to 9 are digits.
///
/// ```
/// use batchdoku::sudoku::Grid;
///
/// let text = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";
/// let puzzle: Grid = text.parse()?;
/// assert_eq!((puzzle.clues(), puzzle.get(2)), (32, 3));
/// assert_eq!(puzzle.rows()[0], [0, 0, 3, 0, 2, 0, 6, 0, 0]);
/// assert_eq!(puzzle.keep(!puzzle.clue_cells()), Grid::default());
/// assert!(puzzle.into_iter().eq(*puzzle.cells()));
/// assert_eq!(puzzle.to_string(), text);
/// # Ok::<(), batchdoku::sudoku::ParseGridError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Grid([u8; CELLS]);

impl Grid {
    /// The empty grid.
    pub const EMPTY: Self = Self([0; CELLS]);

    /// Wraps 81 values from 0 to 9; returns `None` if any is larger.
    #[must_use]
    pub fn new(cells: [u8; CELLS]) -> Option<Self> {
        // This takes the maximum instead of searching: with no branch per cell, the compiler handles 16 cells at once.
        (cells.iter().fold(0, |largest, &digit| digit.max(largest)) <= 9).then_some(Self(cells))
    }

    /// Parses 81 characters (see [`digit_of`]); returns `None` if any of them is not a cell.
    #[must_use]
    #[inline]
    pub fn from_text(text: &[u8; CELLS]) -> Option<Self> {
        // Nearly all texts contain only digits and dots, so sixteen characters are parsed at a time. The vectors are
        // explicit because a plain loop would store its result to memory, and loading it straight back would stall.
        let zero = u8x16::splat(b'0');
        let mut cells = [0; CELLS];
        let mut good = u8x16::splat(u8::MAX);
        let (blocks, last) = text.as_chunks::<16>();
        for (i, block) in blocks.iter().enumerate() {
            let block = u8x16::new(*block);
            let digits = block.saturating_sub(zero);
            let is_cell = block.max(zero).simd_eq(block) | block.simd_eq(u8x16::splat(b'.'));
            good &= is_cell & digits.min(u8x16::splat(9)).simd_eq(digits);
            cells[16 * i..16 * i + 16].copy_from_slice(&digits.to_array());
        }
        let last = digit_of(last[0])?;
        cells[CELLS - 1] = last;
        if !good.all() {
            cells = any_text(text)?;
        }
        Some(Self(cells))
    }

    /// Wraps 81 values that are known to be 0 to 9.
    pub(crate) fn from_digits(cells: [u8; CELLS]) -> Self {
        debug_assert!(cells.iter().all(|&digit| digit <= 9), "a cell holds 0 to 9: {cells:?}");
        Self(cells)
    }

    /// Returns the 81 values in row-major order.
    #[must_use]
    pub const fn cells(&self) -> &[u8; CELLS] {
        &self.0
    }

    /// Returns the value of a cell, which is 0 if it is blank.
    #[must_use]
    pub const fn get(&self, cell: usize) -> u8 {
        self.0[cell]
    }

    /// Sets a cell to a digit, or to 0 (blank).
    ///
    /// # Panics
    ///
    /// Panics if `cell` is not below 81, or if `digit` is above 9.
    pub fn set(&mut self, cell: usize, digit: u8) {
        assert!(digit <= 9, "a cell holds 0 to 9, not {digit}");
        self.0[cell] = digit;
    }

    /// Returns the nine rows, each of nine values.
    #[must_use]
    pub const fn rows(&self) -> &[[u8; 9]] {
        self.0.as_chunks().0
    }

    /// Returns the cells that are not blank.
    #[must_use]
    pub fn clue_cells(&self) -> CellSet {
        CellSet((0..).zip(&self.0).fold(0, |set, (cell, &digit)| set | u128::from(digit != 0) << cell))
    }

    /// Returns the grid with only these cells; all others are blank.
    #[must_use]
    pub fn keep(&self, cells: CellSet) -> Self {
        let mut kept = Self::EMPTY;
        cells.iter().for_each(|cell| kept.0[cell] = self.0[cell]);
        kept
    }

    /// Returns the number of cells that are not blank.
    #[must_use]
    pub fn clues(&self) -> u32 {
        self.0.iter().map(|&digit| u32::from(digit != 0)).sum()
    }

    /// Returns the 81 characters, with `blank` for each blank cell.
    #[must_use]
    #[inline]
    pub fn to_text(&self, blank: u8) -> [u8; CELLS] {
        let mut text = [0; CELLS];
        let (blocks, last) = self.0.as_chunks::<16>();
        for (i, block) in blocks.iter().enumerate() {
            let digits = u8x16::new(*block);
            let is_blank = digits.simd_eq(u8x16::splat(0));
            let characters = is_blank.bitselect(u8x16::splat(blank), digits + u8x16::splat(b'0'));
            text[16 * i..16 * i + 16].copy_from_slice(&characters.to_array());
        }
        text[CELLS - 1] = if last[0] == 0 { blank } else { b'0' + last[0] };
        text
    }
}

/// Parses 81 characters, some of which are neither digits nor dots.
#[cold]
#[inline(never)]
fn any_text(text: &[u8; CELLS]) -> Option<[u8; CELLS]> {
    let mut cells = [0; CELLS];
    for (cell, &byte) in cells.iter_mut().zip(text) {
        *cell = digit_of(byte)?;
    }
    Some(cells)
}

/// The reason why a string or a list of values is not a grid.
///
/// ```
/// use batchdoku::sudoku::{Grid, ParseGridError};
///
/// assert_eq!("53..7".parse::<Grid>(), Err(ParseGridError::Length { found: 5 }));
/// let error = Grid::try_from([12; 81]).expect_err("12 is not a digit");
/// assert_eq!(error, ParseGridError::Cell { at: 0 });
/// assert_eq!(error.to_string(), "invalid cell at 0 (expected 1 to 9, or 0 or . for a blank)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseGridError {
    /// The number of cells is not 81.
    Length {
        /// The number of cells.
        found: usize,
    },
    /// A character or value is not a cell.
    Cell {
        /// The index of the character or value, counted from 0.
        at: usize,
    },
}

impl fmt::Display for ParseGridError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { found } => write!(f, "{found} cells (expected 81)"),
            Self::Cell { at } => write!(f, "invalid cell at {at} (expected 1 to 9, or 0 or . for a blank)"),
        }
    }
}

impl std::error::Error for ParseGridError {}

impl FromStr for Grid {
    type Err = ParseGridError;

    /// Parses exactly 81 characters (see [`digit_of`]).
    fn from_str(text: &str) -> Result<Self, ParseGridError> {
        let is_cell = |c: char| u8::try_from(c).is_ok_and(|byte| digit_of(byte).is_some());
        if let Some(at) = text.chars().position(|character| !is_cell(character)) {
            return Err(ParseGridError::Cell { at });
        }
        let cells = text.as_bytes().as_array().ok_or(ParseGridError::Length { found: text.len() })?;
        Self::from_text(cells).ok_or(ParseGridError::Length { found: text.len() })
    }
}

impl TryFrom<&[u8]> for Grid {
    type Error = ParseGridError;

    /// Wraps 81 values from 0 (blank) to 9.
    fn try_from(cells: &[u8]) -> Result<Self, ParseGridError> {
        if let Some(at) = cells.iter().position(|&digit| digit > 9) {
            return Err(ParseGridError::Cell { at });
        }
        let array = cells.as_array().ok_or(ParseGridError::Length { found: cells.len() })?;
        Ok(Self(*array))
    }
}

impl TryFrom<[u8; CELLS]> for Grid {
    type Error = ParseGridError;

    /// Wraps 81 values from 0 (blank) to 9.
    fn try_from(cells: [u8; CELLS]) -> Result<Self, ParseGridError> {
        Self::try_from(&cells[..])
    }
}

impl Default for Grid {
    /// Returns the empty grid.
    fn default() -> Self {
        Self::EMPTY
    }
}

impl IntoIterator for Grid {
    type Item = u8;
    type IntoIter = std::array::IntoIter<u8, CELLS>;

    /// Returns the 81 values, row by row.
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Writes the 81 characters on one line, as [`fmt::Display`] does.
#[cfg(feature = "serde")]
impl serde::Serialize for Grid {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Parses 81 characters, as [`FromStr`] does.
#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Grid {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for Grid {
    /// Writes the 81 characters on one line, with `.` for a blank cell.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(str::from_utf8(&self.to_text(b'.')).expect("digits and dots are ASCII"))
    }
}

impl fmt::Debug for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Grid({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_grid_is_refused_with_the_place() {
        let good = ".".repeat(81);
        assert_eq!(good.parse(), Ok(Grid::EMPTY));
        assert_eq!(good[1..].parse::<Grid>(), Err(ParseGridError::Length { found: 80 }));
        assert_eq!(ParseGridError::Length { found: 80 }.to_string(), "80 cells (expected 81)");
        assert_eq!((good.clone() + "1").parse::<Grid>(), Err(ParseGridError::Length { found: 82 }));
        assert_eq!("".parse::<Grid>(), Err(ParseGridError::Length { found: 0 }));
        let bad = format!("12é{}", &good[3..]);
        assert_eq!(bad.parse::<Grid>(), Err(ParseGridError::Cell { at: 2 }));
        assert_eq!(Grid::try_from([0; CELLS]), Ok(Grid::EMPTY));
        assert_eq!(Grid::new(std::array::from_fn(|cell| if cell == 40 { 10 } else { 0 })), None);
        assert_eq!(Grid::try_from(&[1, 10][..]), Err(ParseGridError::Cell { at: 1 }));
        assert_eq!(Grid::try_from(&[1; 5][..]), Err(ParseGridError::Length { found: 5 }));
    }

    /// Tries every byte at places where a vector starts or ends.
    #[test]
    fn a_text_is_read_character_by_character() {
        for byte in 0..=255 {
            let expected = match byte {
                b'0'..=b'9' => Some(byte - b'0'),
                _ => b".*_-?Xx".contains(&byte).then_some(0),
            };
            for at in [0, 15, 16, 40, 79, 80] {
                for others in *b".09x" {
                    let mut text = [others; CELLS];
                    text[at] = byte;
                    assert_eq!(Grid::from_text(&text).map(|grid| grid.get(at)), expected, "{byte} at {at}");
                }
            }
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_grid_is_a_string_for_serde() {
        let mut grid = Grid::EMPTY;
        grid.set(80, 9);
        let json = format!("\"{grid}\"");
        assert_eq!(
            (serde_json::to_string(&grid).unwrap(), serde_json::from_str(&json).ok()),
            (json, Some(grid))
        );
        assert!(serde_json::from_str::<Grid>("\"12\"").is_err());
    }

    #[test]
    fn display_uses_dots() {
        let mut grid = Grid::EMPTY;
        grid.set(1, 7);
        assert_eq!((grid.to_string(), grid.clues()), (format!(".7{}", ".".repeat(79)), 1));
        grid.set(80, 9);
        assert_eq!((grid.to_string(), grid.clues()), (format!(".7{}9", ".".repeat(78)), 2));
        assert_eq!((Grid::EMPTY.to_string(), Grid::EMPTY.clues()), (".".repeat(81), 0));
        assert_eq!(format!("{grid:?}"), format!("Grid({grid})"));
    }

    /// Converts digits and text to grids and back.
    #[test]
    fn a_grid_holds_the_cells_that_it_was_made_from() {
        let cells = std::array::from_fn(|cell| (cell % 10) as u8);
        let text = "0123456789".repeat(8) + "0";
        for grid in
            [Grid::new(cells), Grid::try_from(cells).ok(), text.parse().ok(), Some(Grid::from_digits(cells))]
        {
            let grid = grid.expect("every cell is 0 to 9");
            assert_eq!((grid.cells(), grid.get(79), grid.clues()), (&cells, 9, 72));
            assert_eq!(grid.to_text(b'_'), *text.replace('0', "_").as_bytes().as_array().unwrap());
        }
    }
}
