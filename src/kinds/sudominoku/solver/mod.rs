//! The Sudominoku solver, which solves the sudoku and places the 36 dominoes at the same time.
//!
//! It is a depth-first search. Each node keeps the candidates, the possible places of the dominoes and the unused pairs
//! of digits. It applies the rules of both puzzles until nothing changes. Solutions are digit grids, not ways to lay
//! the dominoes. Branches on a cell's digit lead to different grids. Branches on a pair's place may lead to the same
//! grid, because a grid can allow several places. So all grids found are kept and compared. Once all digits are known,
//! it is enough to find one way to lay the dominoes.

mod cells;
mod solutions;
mod state;

pub use self::solutions::Solutions;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::solver::{Deadline, Limits, Outcome, Verdict, Wanted};
use crate::sudoku::{Case, Grid};
use cells::CELL;
use state::{Branch, CaseState, digits_of};

/// The reason why a search ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// The limit on the number of solutions was reached.
    Limit,
    /// The limit on guesses, time or memory was reached.
    Bound,
    /// The stop flag was raised.
    Flag,
}

/// The most grids that a search keeps, which takes about 100 MB.
const MOST_KEPT: usize = 1_000_000;

/// A search for distinct digit grids.
struct GridSearch<'a> {
    stop: &'a AtomicBool,
    deadline: Deadline,
    limit: u64,
    max_guesses: u64,
    guesses: u64,
    found: BTreeSet<Grid>,
    most_kept: usize,
}

impl<'a> GridSearch<'a> {
    fn new(limit: u64, max_guesses: Option<u64>, deadline: Deadline, stop: &'a AtomicBool) -> Self {
        let max_guesses = max_guesses.unwrap_or(u64::MAX);
        Self { stop, deadline, limit, max_guesses, guesses: 0, found: BTreeSet::new(), most_kept: MOST_KEPT }
    }

    /// Searches everything below `root`; returns `Continue` if the search ran to completion.
    fn run(&mut self, mut root: CaseState) -> ControlFlow<Stop> {
        // There is no need to check coverability at deeper nodes, because the rules find nearly all contradictions
        // there.
        if root.propagate().is_err() || !root.is_coverable() {
            return ControlFlow::Continue(());
        }
        self.branch(&root)
    }

    /// Searches below a state to which all rules have been applied.
    fn branch(&mut self, state: &CaseState) -> ControlFlow<Stop> {
        match state.branch() {
            Branch::Solved => {
                let grid = state.grid();
                let new = !self.found.contains(&grid) && self.can_be_laid(state)? && self.found.insert(grid);
                if new && self.found.len() as u64 == self.limit {
                    return ControlFlow::Break(Stop::Limit);
                }
                if self.found.len() == self.most_kept {
                    return ControlFlow::Break(Stop::Bound);
                }
            }
            Branch::Cell(cell) => {
                self.guess()?;
                for digit in digits_of(state.candidates_of(cell)) {
                    let mut child = state.clone();
                    child.keep_only(CELL[cell], 1 << digit);
                    if child.propagate().is_ok() {
                        self.branch(&child)?;
                    }
                }
            }
            Branch::Pair(pair) => {
                self.guess()?;
                for place in state.placements(pair) {
                    let mut child = state.clone();
                    if child.lay(place).and_then(|()| child.propagate()).is_ok() {
                        self.branch(&child)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Returns whether the remaining dominoes can be laid. Every digit must be known.
    fn can_be_laid(&mut self, state: &CaseState) -> ControlFlow<Stop, bool> {
        let Some(pair) = state.rarest_pair() else {
            return ControlFlow::Continue(true);
        };
        self.guess()?;
        for place in state.placements(pair) {
            let mut child = state.clone();
            if child.lay(place).and_then(|()| child.propagate()).is_ok() && self.can_be_laid(&child)? {
                return ControlFlow::Continue(true);
            }
        }
        ControlFlow::Continue(false)
    }

    /// Returns the first solution found below `root`; `None` if there is none. The search must have a limit of one
    /// solution.
    fn first(&mut self, root: CaseState) -> Result<Option<Grid>, Stop> {
        match self.run(root) {
            ControlFlow::Break(stop @ (Stop::Bound | Stop::Flag)) => Err(stop),
            _ => Ok(self.found.pop_first()),
        }
    }

    fn guess(&mut self) -> ControlFlow<Stop> {
        if self.guesses == self.max_guesses || self.deadline.is_over() {
            return ControlFlow::Break(Stop::Bound);
        }
        if self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(Stop::Flag);
        }
        self.guesses += 1;
        ControlFlow::Continue(())
    }
}

/// Solves one case.
///
/// A case that contradicts itself is [`Verdict::Unsolvable`]. `max_guesses` limits the search that counts solutions
/// and, separately, the search for the smallest of several solutions. If either search needs more guesses, the verdict
/// is [`Verdict::Unfinished`]. It is also `Unfinished` after a million solutions, because each of them is kept and
/// takes about 100 bytes. `time_ns` is 0, because the caller measures the time.
///
/// ```
/// use batchdoku::generate::sudominoku::generate;
/// use batchdoku::solver::{Limits, Verdict, sudominoku};
/// use batchdoku::sudoku::verifier;
/// use rand_core::SeedableRng;
/// use rand_xoshiro::Xoshiro256PlusPlus;
///
/// let case = generate(&mut Xoshiro256PlusPlus::seed_from_u64(1), 20);
/// let outcome = sudominoku::solve(&case, &Limits::default());
/// assert_eq!(outcome.verdict, Verdict::Unique);
/// let solution = outcome.solution.expect("the only one");
/// assert!(verifier::sudominoku(&case, &solution));
/// ```
#[must_use]
pub fn solve(case: &Case, limits: &Limits) -> Outcome {
    solve_until(case, limits, &AtomicBool::default())
}

/// Does the same as [`solve`], but the verdict is [`Verdict::Stopped`] once the flag is raised.
pub(crate) fn solve_until(case: &Case, limits: &Limits, stop: &AtomicBool) -> Outcome {
    let mut search = GridSearch::new(limits.solutions.get(), limits.max_guesses, Deadline::of(limits), stop);
    let root = CaseState::new(case);
    let end = root.clone().map_or(ControlFlow::Continue(()), |root| search.run(root));
    let solutions = search.found.len() as u64;
    let first = search.found.pop_first();
    let (verdict, solution) = match end {
        ControlFlow::Break(Stop::Bound) => (Verdict::Unfinished, None),
        ControlFlow::Break(Stop::Flag) => (Verdict::Stopped, None),
        ControlFlow::Break(Stop::Limit) if solutions == 1 => (Verdict::Solved, first),
        ControlFlow::Break(Stop::Limit) if limits.wanted == Wanted::Any => (Verdict::Multiple, first),
        ControlFlow::Break(Stop::Limit) => {
            let mut search = GridSearch::new(1, limits.max_guesses, Deadline::of(limits), stop);
            let found = root.ok().zip(first);
            match found.map(|(root, first)| smallest(root, first, &mut search, &mut Vec::new())) {
                Some(Ok(smallest)) => (Verdict::Multiple, Some(smallest)),
                Some(Err(Stop::Flag)) => (Verdict::Stopped, None),
                _ => (Verdict::Unfinished, None),
            }
        }
        ControlFlow::Continue(()) => match solutions {
            0 => (Verdict::Unsolvable, None),
            1 => (Verdict::Unique, first),
            _ => (Verdict::Multiple, first),
        },
    };
    Outcome { verdict, solutions, guesses: search.guesses, time_ns: 0, solution }
}

/// Returns the smallest solution of a state, of which `witness` is a solution. Adds states to `others` that together
/// have all other solutions of the state. The added states share no solutions and are in descending order.
///
/// For each cell in turn, this looks for a solution that agrees with the witness so far but has a smaller digit here.
/// Any solution found becomes the new witness. If there is none, the witness's digit is that of the smallest solution.
fn smallest(
    mut state: CaseState,
    mut witness: Grid,
    search: &mut GridSearch<'_>,
    others: &mut Vec<CaseState>,
) -> Result<Grid, Stop> {
    for (cell, &alone) in CELL.iter().enumerate() {
        let digits = state.candidates_of(cell);
        if digits.is_power_of_two() {
            continue;
        }
        let with = |digits| {
            let mut child = state.clone();
            child.keep_only(alone, digits);
            child
        };
        let digit = loop {
            let digit = 1 << (witness.get(cell) - 1);
            match search.first(with(digits & (digit - 1)))? {
                Some(better) => witness = better,
                None => break digit,
            }
        };
        others.push(with(digits & !(2 * digit - 1)));
        state.keep_only(alone, digit);
        let propagated = state.propagate();
        debug_assert!(propagated.is_ok(), "the witness is one of its solutions");
    }
    Ok(witness)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PROMISE: bounded-cases
    #[test]
    fn a_search_keeps_a_bounded_number_of_grids() {
        // This case has the single numbers of the first case of BOJ 4574, but none of its dominoes.
        let case = Case { dominoes: Vec::new(), singles: [22, 2, 35, 75, 8, 40, 1, 23, 72] };
        let root = CaseState::new(&case).unwrap();
        let stop = AtomicBool::default();
        for most_kept in [1, 7, 20] {
            let search = GridSearch::new(u64::MAX, Some(1_000_000), Deadline::default(), &stop);
            let mut search = GridSearch { most_kept, ..search };
            assert_eq!(search.run(root.clone()), ControlFlow::Break(Stop::Bound));
            assert!(search.found.len() == most_kept && search.guesses < 1_000_000);
        }
    }
}
