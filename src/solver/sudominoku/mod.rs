//! Sudominoku: sudoku and 36 dominoes.

mod state;

use std::ops::ControlFlow;

use super::{Limits, Outcome, Verdict};
use crate::grid::{CELLS, Case, Grid};
use state::State;

/// Why a search ended before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// As many solutions as asked for were found.
    Limit,
    /// The guesses allowed are used up.
    Guesses,
}

/// A search for distinct digit grids.
struct Search {
    limit: u64,
    max_guesses: u64,
    guesses: u64,
    found: u64,
    smallest: Option<Grid>,
}

impl Search {
    fn new(limit: u64, limits: &Limits) -> Self {
        let max_guesses = limits.max_guesses.unwrap_or(u64::MAX);
        Self { limit, max_guesses, guesses: 0, found: 0, smallest: None }
    }

    fn guess(&mut self) -> ControlFlow<Stop> {
        if self.guesses == self.max_guesses {
            return ControlFlow::Break(Stop::Guesses);
        }
        self.guesses += 1;
        ControlFlow::Continue(())
    }

    fn run(&mut self, state: &mut State) -> ControlFlow<Stop> {
        if state.propagate().is_err() {
            return ControlFlow::Continue(());
        }
        let Some(cell) = state.branch_cell() else {
            if self.cover(state)? {
                let grid = state.grid();
                self.found += 1;
                self.smallest = Some(self.smallest.map_or(grid, |smallest| smallest.min(grid)));
                if self.found == self.limit {
                    return ControlFlow::Break(Stop::Limit);
                }
            }
            return ControlFlow::Continue(());
        };
        self.guess()?;
        let mut digits = state.candidates_of(cell);
        while digits != 0 {
            let digit = digits & digits.wrapping_neg();
            digits ^= digit;
            let mut child = state.clone();
            child.keep_only(1 << cell, digit);
            self.run(&mut child)?;
        }
        ControlFlow::Continue(())
    }

    /// Whether the dominoes can be laid; every digit of `state` is known.
    fn cover(&mut self, state: &State) -> ControlFlow<Stop, bool> {
        if state.is_covered() {
            return ControlFlow::Continue(true);
        }
        self.guess()?;
        for place in state.places_of_rarest_pair() {
            let mut child = state.clone();
            child.lay(place);
            if child.propagate().is_ok() && self.cover(&child)? {
                return ControlFlow::Continue(true);
            }
        }
        ControlFlow::Continue(false)
    }
}

/// Solves one case.
#[must_use]
pub fn solve(case: &Case, limits: &Limits) -> Outcome {
    let limit = limits.solutions.get();
    let mut search = Search::new(limit, limits);
    let Ok(root) = State::new(case) else {
        return Outcome {
            verdict: Verdict::Unsolvable,
            solutions: 0,
            guesses: 0,
            time_ns: 0,
            solution: None,
        };
    };
    let end = search.run(&mut root.clone());
    let (verdict, solution) = match (end, search.found) {
        (ControlFlow::Break(Stop::Guesses), _) => (Verdict::Unfinished, None),
        (ControlFlow::Continue(()), 0) => (Verdict::Unsolvable, None),
        (ControlFlow::Continue(()), 1) => (Verdict::Unique, search.smallest),
        (ControlFlow::Continue(()), _) => (Verdict::Multiple, search.smallest),
        (ControlFlow::Break(Stop::Limit), _) if limit == 1 => (Verdict::Solved, search.smallest),
        (ControlFlow::Break(Stop::Limit), _) => match search.smallest {
            Some(witness) => match smallest(root, witness, limits) {
                Some(solution) => (Verdict::Multiple, Some(solution)),
                None => (Verdict::Unfinished, None),
            },
            None => (Verdict::Unfinished, None),
        },
    };
    Outcome { verdict, solutions: search.found, guesses: search.guesses, time_ns: 0, solution }
}

/// The smallest solution of a case that has the solution `witness`; `None` when the guesses run out.
fn smallest(mut state: State, mut witness: Grid, limits: &Limits) -> Option<Grid> {
    let mut search = Search::new(1, limits);
    for cell in 0..CELLS {
        loop {
            // Any solution that agrees so far and has a smaller digit here is a better witness.
            let smaller = (1 << (witness.get(cell) - 1)) - 1;
            let mut child = state.clone();
            child.keep_only(1 << cell, smaller);
            (search.found, search.smallest) = (0, None);
            match (search.run(&mut child), search.smallest) {
                (ControlFlow::Break(Stop::Guesses), _) => return None,
                (_, Some(better)) => witness = better,
                (_, None) => break,
            }
        }
        state.keep_only(1 << cell, 1 << (witness.get(cell) - 1));
        state.propagate().ok()?;
    }
    Some(witness)
}
