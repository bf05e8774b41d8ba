//! What a way of reading an input gives: what is compared, and what a refusal says.

use super::{Dialect, Passed};
use crate::record::{Claim, Fault, FaultKind, Records};
use crate::sudoku::{CELLS, Grid, box_of, column_of, row_of};

/// What a candidate read of the start of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Records that could be read.
    pub good: u64,
    /// Grids among what was read whose clues clash; they are none of the good ones.
    pub clashing: u64,
    /// Good records with a claimed solution.
    pub claims: u64,
    /// Records that could not be read.
    pub bad: u64,
}

impl Score {
    /// What it is worth, in eighths of a good record: a bad one takes half of one away, and a grid that clashes, as those
    /// do that are read out of something else, counts an eighth.
    #[must_use]
    pub const fn points(&self) -> i64 {
        let Self { good, clashing, claims, bad } = *self;
        (8 * (good + claims) + clashing).cast_signed() - (4 * bad).cast_signed()
    }

    /// Counts what was read.
    pub(super) fn of(records: &Records) -> Self {
        let mut score = Self::default();
        for row in 0..records.len() {
            let is_case = records.cases().get(row).is_some();
            match records.readable()[row] {
                false => score.bad += 1,
                true if !is_case && clashes(&records.puzzles()[row]) => score.clashing += 1,
                true => {
                    score.good += 1;
                    score.claims += u64::from(matches!(records.claims.get(row), Claim::Grid(_)));
                }
            }
        }
        score
    }
}

/// What one way of reading the start of an input gave.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub dialect: Dialect,
    pub score: Score,
    /// What is wrong with the first record that cannot be read, its line counted from the start.
    pub fault: Option<Fault>,
    pub passed: Passed,
}

impl Attempt {
    /// Nothing read yet.
    pub const fn new(dialect: Dialect) -> Self {
        let score = Score { good: 0, clashing: 0, claims: 0, bad: 0 };
        Self { dialect, score, fault: None, passed: Passed { lines: 0, first: None } }
    }

    /// Whether its first fault is one of syntax, or a value in which nothing is a puzzle: no puzzle that is damaged.
    pub fn is_something_else(&self) -> bool {
        use FaultKind::{BrokenJson, BrokenXml, CutOffDocument, NoJson, NoPuzzle};
        let kind = self.fault.as_ref().map(|fault| fault.kind);
        matches!(kind, Some(BrokenJson | BrokenXml | CutOffDocument | NoJson | NoPuzzle))
    }
}

/// Whether a digit stands twice in a house. The verifier names the cells, which takes longer.
fn clashes(grid: &Grid) -> bool {
    let mut houses = [0_u16; 27];
    grid.cells().iter().zip(0..CELLS).any(|(&digit, cell)| {
        let bit = (1 << digit) & !1;
        [row_of(cell), 9 + column_of(cell), 18 + box_of(cell)].into_iter().any(|house| {
            let is_there = houses[house] & bit != 0;
            houses[house] |= bit;
            is_there
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOLVED: &str = "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

    #[test]
    fn what_candidates_are_worth() {
        let score = Score { good: 3, clashing: 2, claims: 1, bad: 4 };
        assert_eq!(score.points(), 8 * 4 + 2 - 16);
        let mut grid = Grid::EMPTY;
        grid.set(0, 5);
        grid.set(10, 6);
        assert!(!clashes(&grid) && !clashes(&SOLVED.parse().expect("a grid")));
        for cell in [8, 72, 20] {
            let mut other = grid;
            other.set(cell, 5);
            assert!(clashes(&other), "{cell}");
        }
    }
}
