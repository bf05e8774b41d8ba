//! Restores the leading zeros of puzzles that were stored as numbers.

use crate::sudoku::{CELLS, Grid, verifier};

/// The note for a column of puzzles stored as numbers.
pub(super) const NOTE: &str =
    "the puzzles lost their leading zeros as numbers; these are restored (81 digits each)";

/// The fewest digits that such a number can have, because a puzzle with fewer clues has several solutions.
const FEWEST_DIGITS: usize = 17;

/// Returns whether the first texts of a column are puzzles stored as numbers. Some must have 81 digits, and at least a
/// quarter must be shorter integers that break no sudoku rule once padded with zeros. Many ordinary puzzles with 0 for
/// blanks begin with 0; here no text may begin with 0 or use another sign for blanks.
pub(super) fn have_lost_zeros<'a>(texts: impl Iterator<Item = &'a [u8]>) -> bool {
    let (mut short, mut others, mut has_whole) = (0, 0, false);
    for text in texts.map(<[u8]>::trim_ascii).filter(|text| !text.is_empty()) {
        match with_zeros(text) {
            Some(grid) if verifier::clash(&grid).is_none() => short += 1,
            _ if text.len() >= CELLS && !is_number(text) => return false,
            _ => {
                others += 1;
                has_whole |= text.len() == CELLS;
            }
        }
    }
    has_whole && short > 0 && 3 * short >= others
}

/// Returns the grid of a puzzle stored as a number, if only leading zeros are missing.
pub(super) fn with_zeros(text: &[u8]) -> Option<Grid> {
    if !is_number(text) || !(FEWEST_DIGITS..CELLS).contains(&text.len()) {
        return None;
    }
    let mut cells = [b'0'; CELLS];
    cells[CELLS - text.len()..].copy_from_slice(text);
    Grid::from_text(&cells)
}

/// Returns whether a text is a number with no leading zeros.
fn is_number(text: &[u8]) -> bool {
    !text.starts_with(b"0") && text.iter().all(u8::is_ascii_digit)
}
