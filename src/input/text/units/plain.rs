//! A fast path for grids that are just nine lines of digits and dots, as in most files.

use super::Units;
use crate::sudoku::{CELLS, Grid, SIDE};

/// Makes a mask for nine lines of `LENGTH` bytes each: it contains the line ends, and 0 in place of each cell.
const fn nine_lines<const LENGTH: usize>() -> [[u8; LENGTH]; SIDE] {
    let mut line = [0; LENGTH];
    line[LENGTH - 1] = b'\n';
    if LENGTH > SIDE + 1 {
        line[SIDE] = b'\r';
    }
    [line; SIDE]
}

/// Returns the first nine lines, of `LENGTH` bytes each, if a text begins with a grid in such lines.
#[inline]
fn plain<const LENGTH: usize>(text: &[u8]) -> Option<&[u8]> {
    let lines = text.as_chunks::<LENGTH>().0.first_chunk::<SIDE>()?.as_flattened();
    let expected = const { nine_lines::<LENGTH>() };
    // Because there is no branch per byte, the compiler checks 16 bytes at once.
    let wrong = lines.iter().zip(expected.as_flattened()).fold(0, |wrong, (&byte, &end)| {
        let is_other = u8::from(byte.wrapping_sub(b'0') > 9) & u8::from(byte != b'.');
        wrong | if end == 0 { is_other } else { byte ^ end }
    });
    (wrong == 0).then_some(lines)
}

impl Units {
    /// Returns the bytes of the grid at the start of a text, if there is nothing else on its lines.
    #[inline]
    pub(super) fn plain<'a>(&self, text: &'a [u8]) -> Option<&'a [u8]> {
        match text.get(SIDE)? {
            b'\n' if self.cells_a_line == SIDE => plain::<{ SIDE + 1 }>(text),
            b'\r' if self.cells_a_line == SIDE => plain::<{ SIDE + 2 }>(text),
            _ => None,
        }
    }
}

/// Reads the grid in the bytes that `plain` returns.
#[inline]
pub(super) fn grid_of(plain: &[u8]) -> Grid {
    let mut cells = [0; CELLS];
    let lines = plain.chunks_exact(plain.len() / SIDE);
    for (row, line) in cells.as_chunks_mut::<SIDE>().0.iter_mut().zip(lines) {
        row.copy_from_slice(&line[..SIDE]);
    }
    // The code for a dot is lower than that of any digit.
    Grid::from_digits(cells.map(|byte| byte.saturating_sub(b'0')))
}
