//! Claims: complete grids that come right after a puzzle and contain all its clues.

use std::ops::Range;

use super::span;
use crate::record::{Claim, Records};
use crate::sudoku::{CELLS, Grid};

/// Returns whether a grid is complete and contains all clues of a puzzle.
pub(in crate::input) fn is_solution(puzzle: &[u8; CELLS], grid: &[u8; CELLS]) -> bool {
    // Counting is faster than searching, which needs a branch per cell.
    let fits = |&(&clue, &digit): &(&u8, &u8)| digit != 0 && (clue == 0 || clue == digit);
    puzzle.iter().zip(grid).filter(fits).count() == CELLS
}

/// Adds all records that were found. Wherever possible, a complete grid becomes the claim of the puzzle before it.
pub(super) fn pair(found: &Records, out: &mut Records) {
    let (puzzles, spans) = (found.puzzles(), found.spans());
    let mut row = 0;
    while row < found.len() {
        let puzzle = &puzzles[row];
        let own = if let Claim::Grid(grid) = found.claims.get(row) { Some(grid) } else { None };
        let may_have = own.is_none() && found.readable()[row] && puzzle.cells().contains(&0);
        let below = puzzles.get(row + 1).filter(|next| may_have && is_solution(puzzle.cells(), next.cells()));
        let last = row + usize::from(below.is_some());
        let span = span(spans[row].start, spans[last].start + spans[last].length);
        let puzzle = found.faults().get(row).map_or(Ok(*puzzle), |fault| Err(fault.clone()));
        out.push_puzzle(found.lines()[row], span, found.layouts()[row], puzzle);
        out.push_claim(|| own.or(below).map(|grid| Ok(*grid)));
        row = last + 1;
    }
}

/// Finds the first complete grid, from `start` on, that contains all clues of a puzzle. The grid must be written as 81
/// adjacent digits; other words may come before and after it.
pub(super) fn claim_in_words(
    text: &[u8],
    mut start: usize,
    puzzle: &[u8; CELLS],
) -> Option<(Range<usize>, Grid)> {
    let is_digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    while let Some(cells) = text.get(start..).and_then(|rest| rest.first_chunk::<CELLS>()) {
        if is_digit(start)
            && !is_digit(start + CELLS)
            && let Some(grid) = Grid::from_text(cells)
            && is_solution(puzzle, grid.cells())
        {
            return Some((start..start + CELLS, grid));
        }
        start += 1 + text[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    }
    None
}
