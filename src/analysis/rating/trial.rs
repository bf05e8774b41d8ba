//! Singles with some help: trial and error, and backdoors.

use super::cells::CellSet;
use super::singles;
use super::state::State;
use crate::sudoku::Grid;

/// The result of a deduction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Solved,
    Stuck,
    Contradiction,
}

/// Returns the depth of trial and error with singles that a puzzle needs (Berthier's T&E(S)). The depth is:
///
/// - 0 if singles alone solve the puzzle;
/// - 1 if it is enough to also remove the candidates that singles refute;
/// - 2 if it is enough to also remove the candidates that trial and error of depth 1 refutes;
/// - 3 if that is not enough either.
///
/// A trial that happens to reach the solution proves nothing. A refuted candidate stays refuted whatever is removed
/// afterwards. So the order of the trials does not matter, and all isomorphs have the same depth. The puzzle must have
/// exactly one solution.
#[must_use]
pub fn depth(puzzle: &Grid) -> u8 {
    let mut state = State::new(puzzle);
    (0..3).find(|&depth| refute(&mut state, depth) != End::Stuck).unwrap_or(3)
}

/// Takes all singles, and removes all candidates that trial and error of a smaller depth refutes, until nothing
/// changes.
fn refute(state: &mut State, depth: u8) -> End {
    let mut end = exhaust_singles(state);
    if depth == 0 {
        return end;
    }
    // The loop ends once it has gone through all 729 candidates in a row and refuted none.
    let mut idle = 0;
    for at in (0..729).cycle() {
        let (cell, digit) = (at / 9, at % 9);
        if end != End::Stuck || idle == 729 {
            break;
        }
        idle += 1;
        if state.candidates[cell].contains(digit) {
            let mut trial = state.clone();
            trial.place(cell, digit);
            if refute(&mut trial, depth - 1) == End::Contradiction {
                state.strike(CellSet::of(cell), digit);
                end = exhaust_singles(state);
                idle = 0;
            }
        }
    }
    end
}

/// Takes singles until there are none left.
fn exhaust_singles(state: &mut State) -> End {
    loop {
        let changes = singles::hidden_in_boxes(state) | singles::hidden_in_lines(state);
        if state.is_contradiction() {
            return End::Contradiction;
        }
        if state.is_solved() {
            return End::Solved;
        }
        if !changes && !singles::naked(state) {
            return End::Stuck;
        }
    }
}

/// Returns the smallest number of cells to fill from the solution so that singles solve the rest; 3 means 3 or more.
/// `solution` must be the puzzle's only solution.
#[must_use]
pub fn backdoor(puzzle: &Grid, solution: &Grid) -> u8 {
    let mut state = State::new(puzzle);
    if exhaust_singles(&mut state) == End::Solved {
        return 0;
    }
    let open = |state: &State, cell: usize| {
        let mut state = state.clone();
        if let Some(digit) = usize::from(solution.get(cell)).checked_sub(1) {
            state.place(cell, digit);
            exhaust_singles(&mut state);
        }
        state
    };
    let after_one: Vec<State> = state.blanks.iter().map(|cell| open(&state, cell)).collect();
    if after_one.iter().any(State::is_solved) {
        return 1;
    }
    let opens = |(first, after): (usize, &State)| {
        // A cell before the first one was already paired with it in the other order.
        after.blanks.iter().any(|second| second > first && open(after, second).is_solved())
    };
    if state.blanks.iter().zip(&after_one).any(opens) { 2 } else { 3 }
}
