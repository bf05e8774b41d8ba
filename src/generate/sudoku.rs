//! Random sudokus of several kinds.
//!
//! Each starts from a random solved grid, from which clues are removed in random order. The grids are not uniform over
//! all solved grids, nor the puzzles over all minimal ones: they are for tests and benchmarks.

use rand_core::Rng;

use crate::solver::scalar::Scalar;
use crate::solver::{Limits, Outcome, Verdict};
use crate::sudoku::random::{below, shuffle};
use crate::sudoku::verifier;
use crate::sudoku::{CELLS, Grid, are_peers, box_of, column_of, row_of};

/// Fewest guesses of a [`Recipe::Hard`] puzzle.
pub const HARD_GUESSES: u64 = 6;
/// Most solutions of a [`Recipe::Several`] puzzle.
pub const MOST_SOLUTIONS: u64 = 10;

/// What kind of sudoku to make.
///
/// ```
/// use batchdoku::generate::sudoku::{Recipe, generate, yields_to_singles};
/// use rand_core::SeedableRng;
/// use rand_xoshiro::Xoshiro256PlusPlus;
///
/// let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
/// let easy = generate(Recipe::Easy, &mut rng);
/// assert!(yields_to_singles(&easy) && (32..=36).contains(&easy.clues()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recipe {
    /// One solution, 32 to 36 clues, solved by naked and hidden singles alone.
    Easy,
    /// One solution, and several if any clue is left out.
    Minimal,
    /// Minimal, and at least [`HARD_GUESSES`] guesses for the scalar solver.
    Hard,
    /// 2 to [`MOST_SOLUTIONS`] solutions.
    Several,
    /// No solution, though no two clues clash.
    Unsolvable,
}

/// Makes one puzzle.
pub fn generate(recipe: Recipe, rng: &mut impl Rng) -> Grid {
    loop {
        let made = match recipe {
            Recipe::Easy => easy(rng),
            Recipe::Minimal => Some(minimal(rng)),
            Recipe::Hard => Some(minimal(rng)).filter(|puzzle| solve(puzzle, 2).guesses >= HARD_GUESSES),
            Recipe::Several => several(rng),
            Recipe::Unsolvable => unsolvable(rng),
        };
        if let Some(puzzle) = made {
            return puzzle;
        }
    }
}

fn solve(puzzle: &Grid, limit: u64) -> Outcome {
    let solutions = limit.try_into().expect("limits here are constants above 0");
    Scalar::new().solve_one(puzzle, &Limits::default().with_solutions(solutions))
}

fn easy(rng: &mut impl Rng) -> Option<Grid> {
    let clues = 32 + below(rng, 5) as u32;
    let mut puzzle = solved_grid(rng);
    for cell in random_cells(rng) {
        if puzzle.clues() == clues {
            return Some(puzzle);
        }
        let digit = puzzle.get(cell);
        puzzle.set(cell, 0);
        if !yields_to_singles(&puzzle) {
            puzzle.set(cell, digit);
        }
    }
    None
}

fn minimal(rng: &mut impl Rng) -> Grid {
    let mut puzzle = solved_grid(rng);
    for cell in random_cells(rng) {
        let digit = puzzle.get(cell);
        puzzle.set(cell, 0);
        if solve(&puzzle, 2).verdict != Verdict::Unique {
            puzzle.set(cell, digit);
        }
    }
    puzzle
}

/// A minimal puzzle without one of its clues.
fn several(rng: &mut impl Rng) -> Option<Grid> {
    let mut puzzle = minimal(rng);
    let clue = random_cells(rng).into_iter().find(|&cell| puzzle.get(cell) != 0)?;
    puzzle.set(clue, 0);
    (solve(&puzzle, MOST_SOLUTIONS + 1).solutions <= MOST_SOLUTIONS).then_some(puzzle)
}

/// A minimal puzzle with one clue changed.
fn unsolvable(rng: &mut impl Rng) -> Option<Grid> {
    let mut puzzle = minimal(rng);
    let clue = random_cells(rng).into_iter().find(|&cell| puzzle.get(cell) != 0)?;
    puzzle.set(clue, 1 + below(rng, 9) as u8);
    (verifier::clash(&puzzle).is_none() && solve(&puzzle, 1).verdict == Verdict::Unsolvable).then_some(puzzle)
}

fn random_cells(rng: &mut impl Rng) -> [usize; CELLS] {
    let mut cells = std::array::from_fn(|cell| cell);
    shuffle(&mut cells, rng);
    cells
}

/// A random solved grid: a cell with the fewest candidates is filled first, with a random one.
pub(super) fn solved_grid(rng: &mut impl Rng) -> Grid {
    fn fill(grid: &mut Grid, rng: &mut impl Rng) -> bool {
        let open = (0..CELLS).filter(|&cell| grid.get(cell) == 0);
        let Some(cell) = open.min_by_key(|&cell| candidates(grid, cell).count_ones()) else { return true };
        let free = candidates(grid, cell);
        let mut digits: Vec<u8> = (1..=9).filter(|&digit| free >> digit & 1 != 0).collect();
        shuffle(&mut digits, rng);
        for digit in digits {
            grid.set(cell, digit);
            if fill(grid, rng) {
                return true;
            }
        }
        grid.set(cell, 0);
        false
    }
    let mut grid = Grid::EMPTY;
    fill(&mut grid, rng);
    grid
}

/// The candidates of a cell, as bits 1 to 9.
fn candidates(grid: &Grid, cell: usize) -> u16 {
    (0..CELLS)
        .filter(|&other| are_peers(cell, other))
        .fold(0b11_1111_1110, |free, other| free & !(1 << grid.get(other)))
}

/// Whether naked and hidden singles alone solve the puzzle.
#[must_use]
pub fn yields_to_singles(puzzle: &Grid) -> bool {
    let mut grid = *puzzle;
    let mut left: [u16; CELLS] =
        std::array::from_fn(|cell| if grid.get(cell) == 0 { candidates(&grid, cell) } else { 0 });
    loop {
        let single = (0..CELLS).filter(|&cell| left[cell] != 0).find_map(|cell| {
            let hidden_in = |same: fn(usize) -> usize| {
                let others = (0..CELLS).filter(|&other| other != cell && same(other) == same(cell));
                left[cell] & !others.fold(0, |all, other| all | left[other])
            };
            let naked = if left[cell].is_power_of_two() { left[cell] } else { 0 };
            [naked, hidden_in(row_of), hidden_in(column_of), hidden_in(box_of)]
                .into_iter()
                .find(|digits| digits.is_power_of_two())
                .map(|digit| (cell, digit))
        });
        let Some((cell, digit)) = single else { return grid.clues() == CELLS as u32 };
        grid.set(cell, digit.trailing_zeros() as u8);
        left[cell] = 0;
        for other in (0..CELLS).filter(|&other| are_peers(cell, other)) {
            left[other] &= !digit;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn twenty(recipe: Recipe) -> Vec<Grid> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
        (0..20).map(|_| generate(recipe, &mut rng)).collect()
    }

    #[test]
    fn easy_puzzles_have_32_to_36_clues_and_yield_to_singles() {
        for puzzle in twenty(Recipe::Easy) {
            assert!((32..=36).contains(&puzzle.clues()) && yields_to_singles(&puzzle));
            assert_eq!((solve(&puzzle, 2).verdict, solve(&puzzle, 2).guesses), (Verdict::Unique, 0));
        }
    }

    #[test]
    fn minimal_and_hard_puzzles_need_every_clue() {
        for puzzle in twenty(Recipe::Minimal).into_iter().chain(twenty(Recipe::Hard)) {
            assert_eq!(solve(&puzzle, 2).verdict, Verdict::Unique);
            for cell in (0..CELLS).filter(|&cell| puzzle.get(cell) != 0) {
                let mut less = puzzle;
                less.set(cell, 0);
                assert_eq!(solve(&less, 2).verdict, Verdict::Multiple);
            }
        }
    }

    #[test]
    fn several_and_unsolvable_are_what_they_say() {
        for puzzle in twenty(Recipe::Several) {
            assert!((2..=MOST_SOLUTIONS).contains(&solve(&puzzle, 1000).solutions));
        }
        for puzzle in twenty(Recipe::Unsolvable) {
            assert_eq!(solve(&puzzle, 2).verdict, Verdict::Unsolvable);
            assert_eq!(verifier::clash(&puzzle), None);
        }
    }

    #[test]
    fn the_seed_decides_the_puzzles() {
        assert_eq!(twenty(Recipe::Minimal), twenty(Recipe::Minimal));
    }

    /// A full grid without its diagonal has a naked single in each blank; an empty grid has none.
    #[test]
    fn singles_solve_what_singles_can() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut grid = solved_grid(&mut rng);
        assert!(verifier::sudoku(&Grid::EMPTY, &grid));
        for cell in (0..CELLS).step_by(10) {
            grid.set(cell, 0);
        }
        assert!(yields_to_singles(&grid));
        assert!(!yields_to_singles(&Grid::EMPTY));
    }
}
