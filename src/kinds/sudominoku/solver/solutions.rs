//! Every solution of a case, in ascending order.
//!
//! The search for the smallest solution leaves a state for each open cell, with the larger digits that it did not take.
//! The next solution is in the last of these states that has one. The states differ in digits, so no grid comes twice,
//! even if its dominoes can be laid in several ways.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::state::CaseState;
use super::{GridSearch, smallest};
use crate::solver::{Deadline, StopFlag};
use crate::sudoku::{CELLS, Case, Grid};

/// The solutions of a case, each larger as an 81-digit number than the one before.
///
/// They are digit grids, whatever the ways to lay the dominoes. Each is found when it is requested: a case with
/// billions of solutions takes no more memory than any other.
///
/// ```
/// use batchdoku::solver::sudominoku::Solutions;
/// use batchdoku::sudoku::Case;
///
/// let case = Case { dominoes: Vec::new(), singles: [22, 2, 35, 75, 8, 40, 1, 23, 72] };
/// let first: Vec<_> = Solutions::new(&case).take(2).collect();
/// assert!(first[0] < first[1]);
/// ```
#[derive(Debug)]
pub struct Solutions {
    /// The states not searched yet, the one with the smallest solutions last. No two have a solution in common.
    waiting: Vec<CaseState>,
    stop: StopFlag,
}

impl Solutions {
    /// Returns the solutions of a case.
    #[must_use]
    pub fn new(case: &Case) -> Self {
        Self { waiting: CaseState::new(case).into_iter().collect(), stop: StopFlag::default() }
    }

    /// Sets a flag: within a few milliseconds after it is raised, the iterator ends.
    pub fn stop_on(&mut self, flag: Arc<AtomicBool>) {
        self.stop = StopFlag::new(flag);
    }
}

impl Iterator for Solutions {
    type Item = Grid;

    fn next(&mut self) -> Option<Grid> {
        let mut search = GridSearch::new(1, None, Deadline::default(), &self.stop);
        while !self.stop.is_raised()
            && let Some(state) = self.waiting.pop()
        {
            if let Some(witness) = search.first(state.clone()).ok()? {
                let found = smallest(state, witness, &mut search, &mut self.waiting).ok();
                debug_assert!(self.waiting.len() <= CELLS, "there is one for each cell that was open");
                return found;
            }
        }
        None
    }
}
