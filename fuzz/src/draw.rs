//! Draws bytes one at a time, and the puzzles that they stand for.

use std::num::NonZeroU64;

use batchdoku::solver::Limits;
use batchdoku::solver::scalar::Scalar;
use batchdoku::sudoku::verifier;
use batchdoku::sudoku::{CELLS, Grid};

/// The number of guesses after which a puzzle is given up, because an endless search would prove nothing.
pub const MOST_GUESSES: u64 = 300;

/// Lists of puzzles that need guesses, that have several solutions, and that have none, one per line.
const HARD: &str = include_str!("../../data/hard.txt");
const SEVERAL: &str = include_str!("../../data/several.txt");
const UNSOLVABLE: &str = include_str!("../../data/unsolvable.txt");

/// The bytes that have not been drawn yet.
pub struct Draw<'a>(&'a [u8]);

impl<'a> Draw<'a> {
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Draws the next byte, or 0 after the last one.
    pub fn byte(&mut self) -> u8 {
        match self.0 {
            [] => 0,
            [byte, rest @ ..] => {
                self.0 = rest;
                *byte
            }
        }
    }

    pub fn coin(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// Draws a number from 0 to `bound - 1`.
    pub fn below(&mut self, bound: usize) -> usize {
        (usize::from(self.byte()) | usize::from(self.byte()) << 8) % bound
    }

    pub fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[usize::from(self.byte()) % items.len()]
    }

    /// Returns whether all bytes have been drawn.
    pub const fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns all bytes that have not been drawn yet.
    pub const fn rest(self) -> &'a [u8] {
        self.0
    }

    /// Draws a line of a list.
    fn line(&mut self, list: &str) -> Grid {
        const LENGTH: usize = CELLS + 1;
        let at = self.below(list.len() / LENGTH) * LENGTH;
        list[at..at + CELLS].parse().expect("the lists are plain")
    }

    /// Draws a solved grid: random digits are placed where they do not clash, and a solver fills in the rest.
    pub fn solved(&mut self) -> Grid {
        let mut clues = Grid::EMPTY;
        for _ in 0..self.byte() % 12 {
            let cell = usize::from(self.byte()) % CELLS;
            clues.set(cell, self.byte() % 9 + 1);
            if verifier::clash(&clues).is_some() {
                clues.set(cell, 0);
            }
        }
        let limits = Limits::default().with_solutions(NonZeroU64::MIN).with_max_guesses(MOST_GUESSES);
        let found = |clues: &Grid| Scalar::new().solve_one(clues, &limits).solution;
        found(&clues).or_else(|| found(&Grid::EMPTY)).expect("the empty grid has solutions")
    }

    /// Draws any 81 cells, mostly blanks, because dense grids nearly always clash.
    pub fn any_grid(&mut self) -> Grid {
        let cells =
            [(); CELLS].map(|()| self.byte()).map(|byte| if byte & 0x80 != 0 { byte % 10 } else { 0 });
        Grid::new(cells).expect("the cells are 0 to 9")
    }

    /// Changes one to four cells to other digits or to blanks.
    pub fn alter(&mut self, grid: &mut Grid) {
        for _ in 0..self.byte() % 4 + 1 {
            let (cell, digit) = (usize::from(self.byte()) % CELLS, self.byte() % 10);
            grid.set(cell, digit);
        }
    }

    /// Draws a puzzle: easy or hard, with one solution, many or none, empty or full, or with clashing clues.
    pub fn puzzle(&mut self) -> Grid {
        let mut puzzle = match self.byte() % 8 {
            0 => Grid::EMPTY,
            1 => self.any_grid(),
            2 => self.solved(),
            3 => self.line(HARD),
            4 => self.line(UNSOLVABLE),
            5 => self.line(SEVERAL),
            _ => {
                let mut puzzle = self.solved();
                for first in (0..CELLS).step_by(8) {
                    let kept = self.byte() & self.byte() | self.byte() & 0x11;
                    (first..CELLS.min(first + 8))
                        .filter(|cell| kept >> (cell - first) & 1 == 0)
                        .for_each(|cell| puzzle.set(cell, 0));
                }
                puzzle
            }
        };
        if self.byte().is_multiple_of(4) {
            self.alter(&mut puzzle);
        }
        puzzle
    }

    /// Draws as many puzzles as the bytes yield, at most `most`.
    pub fn puzzles(&mut self, most: usize) -> Vec<Grid> {
        let mut puzzles = vec![self.puzzle()];
        while !self.is_over() && puzzles.len() < most {
            // Either repeat a puzzle or draw a new one.
            puzzles.push(if self.byte().is_multiple_of(8) {
                puzzles[puzzles.len() / 2]
            } else {
                self.puzzle()
            });
        }
        puzzles
    }
}
