//! All solutions of a case in ascending order.
//!
//! For each open cell, the search for the smallest solution leaves a state with the larger digits that it did not
//! choose. The next solution is in the last of these states that has any solution. The states differ in their digits,
//! so no grid is returned twice, even if its dominoes can be laid in several ways.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::state::CaseState;
use super::{GridSearch, smallest};
use crate::solver::Deadline;
use crate::sudoku::{CELLS, Case, Grid};

/// An iterator over the solutions of a case, in ascending order as 81-digit numbers.
///
/// The solutions are digit grids, regardless of how the dominoes can be laid. Each one is found when it is requested,
/// so even a case with billions of solutions takes no more memory than any other.
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
    /// The states that are still to be searched, the one with the smallest solutions last. No solution belongs to two
    /// states.
    waiting: Vec<CaseState>,
    stop: Arc<AtomicBool>,
}

impl Solutions {
    /// Returns the solutions of a case.
    #[must_use]
    pub fn new(case: &Case) -> Self {
        Self { waiting: CaseState::new(case).into_iter().collect(), stop: Arc::default() }
    }

    /// Sets a flag that stops the iterator: once raised, it takes effect within a few milliseconds.
    pub fn stop_on(&mut self, flag: Arc<AtomicBool>) {
        self.stop = flag;
    }
}

impl Iterator for Solutions {
    type Item = Grid;

    fn next(&mut self) -> Option<Grid> {
        let mut search = GridSearch::new(1, None, Deadline::default(), &self.stop);
        while !self.stop.load(Ordering::Relaxed)
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
