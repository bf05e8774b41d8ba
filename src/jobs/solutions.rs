//! All solutions of a record, found on demand and checked.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::record::Variant;
use crate::solver::scalar;
use crate::sudoku::{Grid, verifier};

/// A record's solutions in ascending order. If the verifier rejects one, it is returned as an error, which means that
/// the solver has a defect.
pub type Solutions = Box<dyn Iterator<Item = Result<Grid, Grid>> + Send>;

/// Lists the solutions of a sudoku. The list ends early once the flag is raised.
#[must_use]
pub fn of_sudoku(puzzle: Grid, stop: &Arc<AtomicBool>) -> Solutions {
    let mut solutions = scalar::Solutions::new(&puzzle);
    solutions.stop_on(Arc::clone(stop));
    checked(solutions, move |solution| verifier::sudoku(&puzzle, solution))
}

/// Lists the solutions of a variant. The list ends early once the flag is raised.
#[must_use]
pub fn of_variant(puzzle: Arc<dyn Variant>, stop: &Arc<AtomicBool>) -> Solutions {
    checked(puzzle.solutions(stop), move |solution| puzzle.refusal(solution).is_none())
}

fn checked(
    solutions: impl Iterator<Item = Grid> + Send + 'static,
    is_right: impl Fn(&Grid) -> bool + Send + 'static,
) -> Solutions {
    Box::new(solutions.map(move |solution| if is_right(&solution) { Ok(solution) } else { Err(solution) }))
}
