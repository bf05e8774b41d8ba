//! Any 81 cells: what the solver says agrees with the verifier and with itself at other limits.
#![no_main]

use std::num::NonZeroU64;

use batchdoku::solver::{Answers, Backend, BatchSolver, Limits, Outcome, Verdict};
use batchdoku::sudoku::verifier;
use batchdoku::sudoku::{CELLS, Grid};
use libfuzzer_sys::fuzz_target;

/// Guesses after which a puzzle is left alone: one that takes for ever would say nothing.
const MOST_GUESSES: u64 = 100_000;

fn solve(solver: &mut dyn BatchSolver, puzzles: &[Grid], solutions: u64) -> Vec<Outcome> {
    let solutions = NonZeroU64::new(solutions).expect("limits start at 1");
    let mut answers = Answers::default();
    let limits = Limits::default().with_solutions(solutions).with_max_guesses(MOST_GUESSES);
    solver.solve(puzzles, &limits, &mut answers);
    assert_eq!(answers.len(), puzzles.len());
    answers.iter().collect()
}

/// The puzzle with the solution's digits on some more cells.
fn with_more_clues(puzzle: &Grid, solution: &Grid, cells: impl Iterator<Item = usize>) -> Grid {
    let mut more = *puzzle;
    for cell in cells {
        more.set(cell, solution.get(cell));
    }
    more
}

fuzz_target!(|cells: [u8; CELLS]| {
    // Mostly blank: dense grids nearly always clash.
    let cells = cells.map(|byte| if byte & 0x80 != 0 { byte % 10 } else { 0 });
    let puzzle = Grid::new(cells).expect("the cells are 0 to 9");
    for backend in Backend::available() {
        check_all(&puzzle, &mut *backend.solver());
    }
});

/// Looks at one puzzle from all sides.
fn check_all(puzzle: &Grid, solver: &mut dyn BatchSolver) {
    let mut found = 0;
    let mut smallest: Option<Grid> = None;
    for limit in 1..=3 {
        // Beside another puzzle, which must not matter.
        let outcomes = solve(solver, &[Grid::EMPTY, *puzzle], limit);
        let Outcome { verdict, solutions, solution, .. } = outcomes[1];
        if verdict == Verdict::Unfinished {
            assert_eq!(solution, None);
            return;
        }
        assert!(
            (found..=limit).contains(&solutions),
            "{solutions} solutions at limit {limit}, {found} below"
        );
        assert!(limit == 1 || solutions == found || solutions == found + 1);
        let expected = match (solutions, limit) {
            (0, _) => Verdict::Unsolvable,
            (_, 1) => Verdict::Solved,
            (1, _) => Verdict::Unique,
            _ => Verdict::Multiple,
        };
        assert_eq!(verdict, expected, "limit {limit}");
        assert_eq!(solution.is_some(), solutions > 0);
        found = solutions;
        let Some(solution) = solution else { continue };
        assert!(verifier::sudoku(puzzle, &solution), "{puzzle} gives {solution}");
        if limit > 1 {
            assert!(
                smallest.is_none_or(|smallest| smallest == solution),
                "the smallest depends on the limit"
            );
            smallest = Some(solution);
        } else {
            // Whatever is found first, with all its clues it is the only solution.
            let full = with_more_clues(puzzle, &solution, 0..CELLS);
            assert_eq!(solve(solver, &[full], 2)[0].verdict, Verdict::Unique);
        }
    }
    if verifier::clash(puzzle).is_some() {
        assert_eq!(found, 0, "{puzzle} has clues that clash");
    }
    // A smaller solution would agree up to some open cell, and show a smaller digit there.
    let Some(smallest) = smallest else { return };
    let open: Vec<usize> = (0..CELLS).filter(|&cell| puzzle.get(cell) == 0).collect();
    for &cell in &open {
        let mut smaller =
            with_more_clues(puzzle, &smallest, open.iter().copied().filter(|&before| before < cell));
        for digit in 1..smallest.get(cell) {
            smaller.set(cell, digit);
            let verdict = solve(solver, &[smaller], 1)[0].verdict;
            assert!(
                matches!(verdict, Verdict::Unsolvable | Verdict::Unfinished),
                "{smallest} is not the smallest solution of {puzzle}"
            );
        }
    }
}
