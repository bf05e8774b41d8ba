//! Random isomorphs of puzzles.
//!
//! Relabelling the digits, permuting the bands, the stacks, the rows of a band or the columns of a stack, and
//! transposing the grid keep every house a house, so the solutions of an isomorph are the isomorphs of the solutions.
//! This is the whole symmetry group of sudoku, with 9! * 2 * 6^8 elements (Russell and Jarvis, 2006); each is drawn with
//! the same probability.

use rand_core::Rng;

use crate::generate::shuffle;
use crate::sudoku::{CELLS, Grid};

/// One element of the symmetry group of sudoku.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Isomorph {
    /// The cell that moves to each cell.
    from: [u8; CELLS],
    /// The new label of each digit; a blank stays a blank.
    digits: [u8; 10],
}

impl Isomorph {
    /// Draws an element.
    pub fn random(rng: &mut impl Rng) -> Self {
        let mut digits = std::array::from_fn(|digit| digit as u8);
        shuffle(&mut digits[1..], rng);
        let (rows, columns) = (random_lines(rng), random_lines(rng));
        let transposed = rng.next_u32() % 2 == 1;
        let from = std::array::from_fn(|cell| {
            let (row, column) = (rows[cell / 9], columns[cell % 9]);
            if transposed { 9 * column + row } else { 9 * row + column }
        });
        Self { from, digits }
    }

    /// The isomorph of a puzzle or of a solution.
    #[must_use]
    pub fn of(&self, grid: &Grid) -> Grid {
        let cells = grid.cells();
        Grid::from_digits(self.from.map(|from| self.digits[usize::from(cells[usize::from(from)])]))
    }
}

/// The nine rows, or columns, in an order that keeps bands, or stacks, together.
fn random_lines(rng: &mut impl Rng) -> [u8; 9] {
    let mut bands = [[0, 1, 2], [3, 4, 5], [6, 7, 8]];
    shuffle(&mut bands, rng);
    for band in &mut bands {
        shuffle(band, rng);
    }
    std::array::from_fn(|line| bands[line / 3][line % 3])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use rand_core::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::generate::sudoku::{Recipe, generate};
    use crate::solver::scalar::Scalar;
    use crate::solver::{Limits, Verdict};
    use crate::sudoku::are_peers;

    fn isomorph(seed: u64) -> Isomorph {
        Isomorph::random(&mut Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    proptest! {
        #[test]
        fn peers_stay_peers_and_every_cell_and_digit_comes_once(seed: u64) {
            let Isomorph { from, digits } = isomorph(seed);
            prop_assert_eq!(from.iter().collect::<BTreeSet<_>>().len(), CELLS);
            prop_assert_eq!(digits.iter().collect::<BTreeSet<_>>().len(), 10);
            prop_assert_eq!(digits[0], 0);
            for a in 0..CELLS {
                for b in 0..CELLS {
                    let before = are_peers(usize::from(from[a]), usize::from(from[b]));
                    prop_assert_eq!(are_peers(a, b), before);
                }
            }
        }

        #[test]
        fn the_solution_of_the_isomorph_is_the_isomorph_of_the_solution(seed: u64) {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let puzzle = generate(Recipe::Minimal, &mut rng);
            let isomorph = Isomorph::random(&mut rng);
            let solve = |puzzle: &Grid| Scalar::new().solve_one(puzzle, &Limits::default());
            let (before, after) = (solve(&puzzle), solve(&isomorph.of(&puzzle)));
            prop_assert_eq!(after.verdict, Verdict::Unique);
            prop_assert_eq!(after.solution, before.solution.map(|solution| isomorph.of(&solution)));
        }
    }

    /// The place of the first cell distinguishes most elements; all places must occur.
    #[test]
    fn all_places_of_the_first_cell_occur_and_half_the_grids_are_transposed() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut places = [0; CELLS];
        let mut transposed = 0;
        for _ in 0..8100 {
            let isomorph = Isomorph::random(&mut rng);
            places[usize::from(isomorph.from[0])] += 1;
            transposed += u32::from(isomorph.from[0] % 9 == isomorph.from[1] % 9);
        }
        assert!(places.iter().all(|count| (60..145).contains(count)), "{places:?}");
        assert!((3850..4250).contains(&transposed), "{transposed}");
    }
}
