//! Solves a Sudominoku case the way contestants do: the baseline that the solver is measured against.
//!
//! This is plain backtracking over the cells in row-major order. The first uncovered cell is covered by a domino to the
//! right or downwards. Every pair of digits that is still unused and that the row, column and box allow is tried. This
//! is what one would write for BOJ 4574 in a contest; it does no propagation and shares no code with the solver. The
//! case must be readable: cells below 81, digits 1 to 9, and dominoes on neighbouring cells.
#![allow(dead_code, reason = "not every test file needs all of it")]

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use batchdoku::sudoku::{Case, Grid, box_of, column_of, row_of};

struct Board<F> {
    cells: [u8; 81],
    rows: [u16; 9],
    columns: [u16; 9],
    boxes: [u16; 9],
    used: [[bool; 10]; 10],
    /// Called for every way of covering the grid, so possibly more than once for the same digits.
    found: F,
}

impl<F: FnMut(&[u8; 81]) -> ControlFlow<()>> Board<F> {
    fn allowed(&self, cell: usize) -> u16 {
        !(self.rows[row_of(cell)] | self.columns[column_of(cell)] | self.boxes[box_of(cell)]) & 0x3fe
    }

    fn flip(&mut self, cell: usize, digit: u8) {
        let bit = 1 << digit;
        self.rows[row_of(cell)] ^= bit;
        self.columns[column_of(cell)] ^= bit;
        self.boxes[box_of(cell)] ^= bit;
    }

    fn put(&mut self, cell: usize, digit: u8) -> bool {
        if self.cells[cell] != 0 || self.allowed(cell) & 1 << digit == 0 {
            return false;
        }
        self.cells[cell] = digit;
        self.flip(cell, digit);
        true
    }

    fn search(&mut self, mut cell: usize) -> ControlFlow<()> {
        while cell < 81 && self.cells[cell] != 0 {
            cell += 1;
        }
        if cell == 81 {
            return (self.found)(&self.cells);
        }
        let right = column_of(cell) < 8 && self.cells[cell + 1] == 0;
        let below = row_of(cell) < 8 && self.cells[cell + 9] == 0;
        for (open, partner) in [(right, cell + 1), (below, cell + 9)] {
            if !open {
                continue;
            }
            let first = self.allowed(cell);
            for d in (1..=9).filter(|d| first & 1 << d != 0) {
                self.cells[cell] = d;
                self.flip(cell, d);
                let second = self.allowed(partner);
                for e in (1..=9).filter(|e| second & 1 << e != 0) {
                    let (low, high) = (usize::from(d.min(e)), usize::from(d.max(e)));
                    if d == e || self.used[low][high] {
                        continue;
                    }
                    self.used[low][high] = true;
                    self.cells[partner] = e;
                    self.flip(partner, e);
                    self.search(cell + 1)?;
                    self.flip(partner, e);
                    self.cells[partner] = 0;
                    self.used[low][high] = false;
                }
                self.flip(cell, d);
                self.cells[cell] = 0;
            }
        }
        ControlFlow::Continue(())
    }
}

fn search(case: &Case, found: impl FnMut(&[u8; 81]) -> ControlFlow<()>) {
    let mut board = Board {
        cells: [0; 81],
        rows: [0; 9],
        columns: [0; 9],
        boxes: [0; 9],
        used: [[false; 10]; 10],
        found,
    };
    for (digit, &cell) in (1..).zip(&case.singles) {
        if !board.put(usize::from(cell), digit) {
            return;
        }
    }
    for domino in &case.dominoes {
        let [d, e] = domino.digits;
        let used = &mut board.used[usize::from(d.min(e))][usize::from(d.max(e))];
        if d == e || std::mem::replace(used, true) {
            return;
        }
        for (cell, digit) in domino.cells.into_iter().zip(domino.digits) {
            if !board.put(usize::from(cell), digit) {
                return;
            }
        }
    }
    // A break only means that the caller has seen enough.
    let _ = board.search(0);
}

/// Returns the first solution in search order, which is what the contest asks for.
#[must_use]
pub fn first(case: &Case) -> Option<Grid> {
    let mut solution = None;
    search(case, |cells| {
        solution = Grid::new(*cells);
        ControlFlow::Break(())
    });
    solution
}

/// Returns the distinct digit grids that solve the case, up to `limit` of them.
#[must_use]
pub fn solutions(case: &Case, limit: usize) -> BTreeSet<Grid> {
    let mut solutions = BTreeSet::new();
    search(case, |cells| {
        solutions.extend(Grid::new(*cells));
        if solutions.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    solutions
}
