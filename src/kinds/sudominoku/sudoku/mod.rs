//! Sudominoku cases (BOJ 4574): the clues of a sudoku with 36 dominoes.

pub mod verifier;

use std::fmt;

use crate::sudoku::{Grid, cell_name};

/// A domino of a Sudominoku case: two different digits on two adjacent cells.
///
/// ```
/// use batchdoku::sudoku::{Domino, cell_name};
///
/// let domino = Domino { cells: [0, 9], digits: [3, 7] };
/// assert_eq!(domino.cells.map(|cell| cell_name(cell.into())), ["A1", "B1"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Domino {
    /// The two cells, numbered 0 to 80, which share an edge.
    pub cells: [u8; 2],
    /// The digits on those cells, in the same order.
    pub digits: [u8; 2],
}

/// A Sudominoku case (BOJ 4574): some of the dominoes, and the nine cells that no domino covers.
///
/// In a solution, 36 dominoes, one for each unordered pair of different digits, cover the other 72 cells. These
/// dominoes include those of the case.
///
/// ```
/// use batchdoku::sudoku::{Case, Domino};
///
/// let domino = Domino { cells: [0, 9], digits: [3, 7] };
/// let case = Case { dominoes: vec![domino], singles: [72, 73, 74, 75, 76, 77, 78, 79, 80] };
/// let givens = case.givens();
/// assert_eq!((givens.get(9), givens.get(80), givens.clues()), (7, 9, 11));
/// assert_eq!(case.to_string(), "1\n3 A1 7 B1\nI1 I2 I3 I4 I5 I6 I7 I8 I9");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Case {
    /// The dominoes of the case.
    pub dominoes: Vec<Domino>,
    /// The cells of the single digits: digit `d` is on cell `singles[d - 1]`.
    pub singles: [u8; 9],
}

impl Case {
    /// Returns the grid of all clues: those of the dominoes and the nine singles.
    #[must_use]
    pub fn givens(&self) -> Grid {
        let mut grid = Grid::EMPTY;
        for domino in &self.dominoes {
            for (cell, digit) in domino.cells.into_iter().zip(domino.digits) {
                grid.set(usize::from(cell), digit);
            }
        }
        for (digit, &cell) in (1..).zip(&self.singles) {
            grid.set(usize::from(cell), digit);
        }
        grid
    }
}

/// Writes the case in the format of BOJ 4574: the number of dominoes, one line for each domino, then the singles. There
/// is no line end after the last line.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.dominoes.len())?;
        for Domino { cells, digits } in &self.dominoes {
            let [first, second] = cells.map(|cell| cell_name(usize::from(cell)));
            writeln!(f, "{} {first} {} {second}", digits[0], digits[1])?;
        }
        f.write_str(&self.singles.map(|cell| cell_name(usize::from(cell))).join(" "))
    }
}
