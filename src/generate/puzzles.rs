//! Random puzzles with one solution, many side by side.
//!
//! A puzzle begins as a [random grid](full_grid), each with the same probability; then clues are removed in a random
//! order while one solution remains. Puzzle `n` of a seed depends on the two alone, whatever the threads, the backend
//! and the puzzles beside it.
//!
//! **Bias.** Such a walk comes to minimal puzzles with few clues more often than a draw from all minimal puzzles would
//! (forum thread *The real distribution of minimal puzzles*): of those made here the mean is 24.4 clues.

use std::ops::{Range, RangeInclusive};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::full_grid::full_grid;
use super::reduce::{ALL_CELLS, CellSet, Descent, Reducer, cells_of, keep_cells};
use crate::solver::Backend;
use crate::sudoku::random::{below, shuffle, spread};
use crate::sudoku::{CELLS, Grid};

/// A symmetry that the pattern of clues has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternSymmetry {
    /// None is asked for.
    #[default]
    None,
    /// Half a turn.
    Rotate180,
    /// A quarter turn.
    Rotate90,
    /// Left and right are mirrored.
    Mirror,
    /// Top and bottom are mirrored.
    Flip,
    /// Mirrored at the main diagonal.
    Diagonal,
    /// Mirrored at the other diagonal.
    Antidiagonal,
    /// All eight symmetries of the square.
    Full,
}

impl PatternSymmetry {
    /// The cells that are clues or blanks together, for all cells.
    fn groups(self) -> Vec<CellSet> {
        type Move = fn(usize, usize) -> (usize, usize);
        let moves: &[Move] = match self {
            Self::None => &[],
            Self::Rotate180 => &[|row, column| (8 - row, 8 - column)],
            Self::Rotate90 => &[|row, column| (column, 8 - row)],
            Self::Mirror => &[|row, column| (row, 8 - column)],
            Self::Flip => &[|row, column| (8 - row, column)],
            Self::Diagonal => &[|row, column| (column, row)],
            Self::Antidiagonal => &[|row, column| (8 - column, 8 - row)],
            Self::Full => &[|row, column| (column, 8 - row), |row, column| (column, row)],
        };
        let (mut groups, mut left) = (Vec::new(), ALL_CELLS);
        while left != 0 {
            let (mut group, mut open): (CellSet, CellSet) = (0, left & left.wrapping_neg());
            while open != 0 {
                group |= open;
                let moved =
                    cells_of(open).flat_map(|cell| moves.iter().map(move |to| to(cell / 9, cell % 9)));
                open = moved.fold(0, |set, (row, column)| set | 1 << (9 * row + column)) & !group;
            }
            left &= !group;
            groups.push(group);
        }
        groups
    }
}

/// What puzzles are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// The numbers of clues.
    pub clues: RangeInclusive<u32>,
    /// The symmetry of the pattern of clues.
    pub symmetry: PatternSymmetry,
    /// The cells that may have clues, as bits.
    pub pattern: CellSet,
    /// Whether no clue can be left out or, with a symmetry, no clue with all that belong to it. Otherwise removal ends
    /// at a number of clues drawn from [`clues`](Self::clues).
    pub minimal: bool,
    /// Grids tried for each puzzle.
    pub tries: u32,
}

impl Default for Wish {
    /// Minimal puzzles, without other constraints.
    fn default() -> Self {
        Self {
            clues: 0..=CELLS as u32,
            symmetry: PatternSymmetry::None,
            pattern: ALL_CELLS,
            minimal: true,
            tries: 1_000_000,
        }
    }
}

/// A generated puzzle and its only solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The puzzle.
    pub puzzle: Grid,
    /// Its solution.
    pub solution: Grid,
}

/// Generates puzzles, with the working memory of one thread.
///
/// ```
/// use batchdoku::generate::puzzles::{Generator, PatternSymmetry, Wish};
/// use batchdoku::solver::Backend;
///
/// let wish = Wish { symmetry: PatternSymmetry::Rotate180, clues: 22..=26, ..Wish::default() };
/// let mut generator = Generator::new(7, wish, Backend::best());
/// let some = generator.puzzles(0..20);
/// assert_eq!(generator.puzzles(5..9), some[5..9]);
/// assert!(some.iter().all(Option::is_some));
/// ```
pub struct Generator {
    reducer: Reducer,
    wish: Wish,
    groups: Vec<CellSet>,
    seed: u64,
}

impl Generator {
    /// A generator of the puzzles of a seed.
    #[must_use]
    pub fn new(seed: u64, wish: Wish, backend: Backend) -> Self {
        let groups = wish.symmetry.groups();
        // A cell whose group has others outside the pattern is always blank.
        let groups = groups.into_iter().filter(|group| group & !wish.pattern == 0).collect();
        let seed = spread(seed);
        Self { reducer: Reducer::new(backend), wish, groups, seed }
    }

    fn rng_of(&self, number: u64) -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::seed_from_u64(self.seed.wrapping_add(number))
    }

    /// The puzzles with these numbers; `None` where no grid tried had one. A thousand in one call are fastest.
    pub fn puzzles(&mut self, numbers: Range<u64>) -> Vec<Option<Generated>> {
        let mut rngs: Vec<_> = numbers.map(|number| self.rng_of(number)).collect();
        let mut made = vec![None; rngs.len()];
        let mut open: Vec<usize> = (0..rngs.len()).collect();
        for _ in 0..if self.wish.clues.is_empty() { 0 } else { self.wish.tries } {
            if open.is_empty() {
                break;
            }
            let mut descents: Vec<_> = open.iter().map(|&row| self.start(&mut rngs[row])).collect();
            if self.wish.pattern != ALL_CELLS {
                self.leave_pattern(&mut open, &mut descents);
            }
            self.reducer.descend(&mut descents);
            for (&row, Descent { puzzle, solution, .. }) in open.iter().zip(descents) {
                if self.wish.clues.contains(&puzzle.clues()) {
                    made[row] = Some(Generated { puzzle, solution });
                }
            }
            open = (0..rngs.len()).filter(|&row| made[row].is_none()).collect();
        }
        made
    }

    /// A random grid without the cells that may have no clue, and a random order of the others.
    fn start(&self, rng: &mut impl Rng) -> Descent {
        let solution = full_grid(rng);
        let mut groups = self.groups.clone();
        shuffle(&mut groups, rng);
        let most = CELLS.min(*self.wish.clues.end() as usize) as u32;
        let fewest = most.min(*self.wish.clues.start());
        let least =
            if self.wish.minimal { 0 } else { fewest + below(rng, (most - fewest + 1) as usize) as u32 };
        let cells = groups.iter().fold(0, |cells, group| cells | group);
        Descent::new(keep_cells(&solution, cells), solution, &groups, least)
    }

    /// Keeps the rows with one solution in the pattern.
    fn leave_pattern(&mut self, rows: &mut Vec<usize>, descents: &mut Vec<Descent>) {
        let puzzles: Vec<_> = descents.iter().map(|descent| descent.puzzle).collect();
        let mut solutions = self.reducer.solutions(&puzzles).into_iter();
        let both = rows.iter().copied().zip(descents.drain(..));
        (*rows, *descents) = both.filter(|_| solutions.next().is_some_and(|found| found.is_some())).unzip();
    }
}

#[cfg(test)]
mod tests;
