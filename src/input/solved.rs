//! Complete grids that follow a puzzle and are its solution: because words say so, or because a file has such pairs
//! throughout. Either way they must fit, so that no damage makes the solution of one puzzle the claim of another.

use super::cells;
use crate::sudoku::{CELLS, Grid};

/// Which complete grids are solutions of the puzzles that they follow and fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Solutions {
    #[default]
    None,
    /// Those that words call so.
    Named,
    /// All.
    Any,
}

impl Solutions {
    /// Whether a grid is the solution of the puzzle that it follows, with or without words that say so.
    pub fn has(self, puzzle: &Grid, grid: &Grid, named: bool) -> bool {
        let is_wanted = match self {
            Self::None => false,
            Self::Named => named,
            Self::Any => true,
        };
        is_wanted && (fits(puzzle, grid, named) || named && nearly_fits(puzzle, grid))
    }
}

/// Whether a grid may be the solution of a puzzle: without words only if it is no chance that it fits.
fn fits(puzzle: &Grid, grid: &Grid, named: bool) -> bool {
    /// Clues that agree by chance once in 9^9 times.
    const TELLING: u32 = 9;
    (named || puzzle.clues() >= TELLING) && cells::is_solution_of(puzzle, grid)
}

/// Whether a grid that words call the solution of a puzzle is meant so, though it changes some clues: it is a wrong one.
fn nearly_fits(puzzle: &Grid, grid: &Grid) -> bool {
    let agrees = |&(&clue, &digit): &(&u8, &u8)| clue != 0 && clue == digit;
    let agreeing = puzzle.cells().iter().zip(grid.cells()).filter(agrees).count();
    let (clues, digits) = (puzzle.clues() as usize, grid.clues() as usize);
    clues < CELLS && digits == CELLS && 2 * agreeing > clues
}

/// The pairs of puzzle and solution in a sample.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    puzzles: usize,
    pairs: usize,
    named: usize,
    /// The last puzzle, as long as it has no solution.
    open: Option<Grid>,
}

impl Pairs {
    /// Takes note of a grid, and of whether words before it say that it is a solution.
    pub fn see(&mut self, grid: &Grid, named: bool) {
        if (grid.clues() as usize) < CELLS {
            self.puzzles += 1;
            self.open = Some(*grid).filter(|grid| grid.clues() > 0);
        } else if self.open.take_if(|puzzle| fits(puzzle, grid, named)).is_some() {
            self.pairs += 1;
            self.named += usize::from(named);
        }
    }

    /// Puzzles with their solutions.
    pub fn count(&self) -> usize {
        self.pairs
    }

    /// Which solutions such a file has: of most puzzles, and of more than one, if nothing says so.
    pub fn solutions(&self) -> Solutions {
        if self.pairs > 1 && 2 * self.pairs > self.puzzles {
            Solutions::Any
        } else if self.named > 0 {
            Solutions::Named
        } else {
            Solutions::None
        }
    }
}
