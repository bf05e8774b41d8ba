//! Every solution of a puzzle, in ascending order.
//!
//! A depth-first search branches on the first open cell in reading order and tries its smallest digit first. So it
//! finds the solutions in ascending order, and stores one state per open cell. Branching like this is good for finding
//! solutions but bad for refuting states. So after [`PATIENCE`] guesses without a solution, the counting search first
//! checks whether a state has one. This limits the number of such searches between two solutions to the number of
//! candidates.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{ALL, Scalar, ScalarState, contains};
use crate::solver::BatchSolver;
use crate::sudoku::{CELLS, Grid};

/// The number of guesses without a solution after which the counting search checks each state.
const PATIENCE: u64 = 60;

/// The solutions of a puzzle, in ascending order as 81-digit numbers.
///
/// Each one is found only when it is requested, so a puzzle with billions of solutions takes no more memory than any
/// other.
///
/// ```
/// use batchdoku::solver::scalar::Solutions;
/// use batchdoku::sudoku::Grid;
///
/// let first: Vec<Grid> = Solutions::new(&Grid::EMPTY).take(2).collect();
/// assert!(first[0] < first[1]);
/// let full = first[0];
/// assert_eq!(Solutions::new(&full).collect::<Vec<_>>(), [full]);
/// ```
#[derive(Debug)]
pub struct Solutions {
    /// The states that have not been searched yet; the last one leads to the smallest solutions.
    waiting: Vec<ScalarState>,
    /// The number of guesses since the last solution, and the number after which states are checked.
    guesses: u64,
    patience: u64,
    /// The solver that checks states.
    counter: Scalar,
}

impl Solutions {
    /// Returns the solutions of a puzzle.
    #[must_use]
    pub fn new(puzzle: &Grid) -> Self {
        Self {
            waiting: vec![ScalarState::new(puzzle)],
            guesses: 0,
            patience: PATIENCE,
            counter: Scalar::new(),
        }
    }

    /// Sets a stop flag: the iterator ends within a few milliseconds after the flag is raised.
    pub fn stop_on(&mut self, flag: Arc<AtomicBool>) {
        self.counter.stop_on(flag);
    }

    /// Returns whether a state has a solution, or might have one because it was not checked.
    fn is_hopeful(&mut self, state: &ScalarState) -> bool {
        self.guesses < self.patience || self.counter.count(*state, 1, None).solutions > 0
    }
}

impl Iterator for Solutions {
    type Item = Grid;

    fn next(&mut self) -> Option<Grid> {
        self.guesses = 0;
        while let Some(mut state) = self.waiting.pop() {
            while state.propagate().is_ok() && self.is_hopeful(&state) {
                if self.counter.stop.load(Ordering::Relaxed) {
                    return None;
                }
                let Some((cell, digit)) = state.first_open() else { return Some(state.solution()) };
                self.guesses += 1;
                let mut other = state;
                other.remove(cell, digit);
                self.waiting.push(other);
                state.take(cell, digit);
            }
        }
        None
    }
}

impl ScalarState {
    /// Returns the first open cell in reading order and its smallest candidate; `None` if there is no open cell.
    fn first_open(&self) -> Option<(usize, usize)> {
        let open = !self.placed & ALL;
        let [top, middle, bottom, _] = open.to_array().map(u128::from);
        let cell = (top | middle << 27 | bottom << 54).trailing_zeros() as usize;
        let digit = (cell < CELLS).then(|| (0..9).find(|&digit| contains(self.candidates[digit], cell)));
        Some((cell, digit.flatten()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sudoku::are_peers;

    /// Finds all solutions by trying every digit in every cell, in reading order.
    fn brute_force(cells: &mut [u8; CELLS], found: &mut Vec<Grid>) {
        let Some(cell) = cells.iter().position(|&digit| digit == 0) else {
            found.push(Grid::new(*cells).unwrap());
            return;
        };
        for digit in 1..=9 {
            if (0..CELLS).all(|other| cells[other] != digit || !are_peers(cell, other)) {
                cells[cell] = digit;
                brute_force(cells, found);
                cells[cell] = 0;
            }
        }
    }

    #[test]
    fn they_are_those_of_brute_force_in_the_same_order() {
        let full: Grid = "143628579572139468986754231391542786468917352725863914237481695619275843854396127"
            .parse()
            .unwrap();
        let mut several = 0;
        for taken in 0..60 {
            // There are at least 46 cells, and they differ each time because the step has no common factor with 81.
            let mut cells = *full.cells();
            (0..46 + taken % 5).for_each(|i| cells[(taken * 7 + i * 37) % CELLS] = 0);
            let puzzle = Grid::new(cells).unwrap();
            let mut expected = Vec::new();
            brute_force(&mut cells, &mut expected);
            for patience in [0, PATIENCE] {
                let found = Solutions { patience, ..Solutions::new(&puzzle) };
                assert_eq!(found.collect::<Vec<_>>(), expected, "{puzzle}");
            }
            several += usize::from(expected.len() > 10);
        }
        assert!(several >= 20, "{several}");
    }

    /// The puzzle has no solution with 1 in its first cell.
    #[test]
    fn dead_subtrees_are_not_walked_through() {
        let puzzle: Grid =
            "............83.5....7.........45..3...........5..9..4..3........8...3..5........."
                .parse()
                .unwrap();
        for patience in [0, 5, PATIENCE] {
            let mut solutions = Solutions { patience, ..Solutions::new(&puzzle) };
            let first = solutions.next().unwrap();
            assert!(first.get(0) > 1);
            assert_eq!(Some(first), puzzle.solve().solution);
            // Once the patience is used up, there are no more branches than candidates.
            assert!(
                solutions.guesses > patience.min(5) && solutions.guesses < patience + 729,
                "{}",
                solutions.guesses
            );
            assert!(solutions.take(100).is_sorted());
        }
    }

    #[test]
    fn a_puzzle_with_billions_is_begun_at_once_and_stopped() {
        let smallest = "123456789456789123789123456214365897365897214897214365531642978642978531978531642";
        let mut solutions = Solutions::new(&Grid::EMPTY);
        assert_eq!(solutions.next(), Some(smallest.parse().unwrap()));
        let next: Vec<_> = solutions.by_ref().take(20_000).collect();
        assert!(next.is_sorted() && next.iter().collect::<std::collections::BTreeSet<_>>().len() == 20_000);
        assert!(solutions.waiting.len() < CELLS * 9, "{}", solutions.waiting.len());
        let flag = Arc::new(AtomicBool::new(true));
        solutions.stop_on(flag);
        assert_eq!(solutions.next(), None);
    }

    #[test]
    fn clues_that_clash_have_none() {
        let clash = Grid::new(std::array::from_fn(|cell| u8::from(cell < 2))).unwrap();
        assert_eq!(Solutions::new(&clash).next(), None);
    }
}
