//! Tests the solvers, on every available backend, against an oracle and against facts published elsewhere.

use batchdoku::solver::{Answers, Backend, Limits, Outcome, Verdict};
use batchdoku::sudoku::Grid;
use batchdoku::sudoku::verifier;
use proptest::prelude::*;

use crate::oracle;

/// Returns the outcome that every backend agrees on, apart from the time and the scalar solver's guesses.
fn solve(puzzle: &Grid, limit: u64) -> Outcome {
    let limits = Limits::default().with_solutions(limit.try_into().unwrap());
    let [first, others @ ..] = &Backend::available()[..] else { panic!("there is always a backend") };
    let of = |backend: Backend| {
        let mut answers = Answers::default();
        backend.solver().solve(&[*puzzle], &limits, &mut answers);
        assert_eq!(answers.len(), 1);
        let mut outcome = answers.get(0).unwrap();
        outcome.time_ns = 0;
        outcome
    };
    let agreed = of(*first);
    for &backend in others {
        let mut outcome = of(backend);
        if backend == Backend::SCALAR {
            outcome.guesses = agreed.guesses;
            if outcome.verdict == Verdict::Solved {
                // Any solution is accepted, because each engine can find a different one.
                assert!(verifier::sudoku(puzzle, &outcome.solution.unwrap()));
                outcome.solution = agreed.solution;
            }
        }
        assert_eq!(outcome, agreed, "{} disagrees with {} on {puzzle}", backend.name(), first.name());
    }
    agreed
}

fn parse(text: &str) -> Grid {
    let cells: Vec<u8> = text.bytes().map(|b| if b.is_ascii_digit() { b - b'0' } else { 0 }).collect();
    Grid::new(cells.try_into().unwrap()).unwrap()
}

/// Compares a puzzle's outcome with the oracle's, for a given limit.
fn agrees_with_the_oracle(puzzle: &Grid, limit: u64) -> Result<(), TestCaseError> {
    let expected = oracle::sudoku(puzzle, limit as usize);
    let outcome = solve(puzzle, limit);
    prop_assert_eq!(outcome.solutions, expected.len() as u64);
    let verdict = match (expected.len(), limit) {
        (0, _) => Verdict::Unsolvable,
        (1, 1) => Verdict::Solved,
        (1, _) => Verdict::Unique,
        _ => Verdict::Multiple,
    };
    prop_assert_eq!(outcome.verdict, verdict);
    let solution = outcome.solution.map(|grid| *grid.cells());
    if verdict == Verdict::Solved {
        prop_assert!(verifier::sudoku(puzzle, &outcome.solution.unwrap()));
    } else {
        prop_assert_eq!(solution, expected.first().copied());
    }
    Ok(())
}

/// Makes a solved grid: the cyclic pattern with its digits, rows, columns, bands and stacks permuted.
fn solved_grid() -> impl Strategy<Value = [u8; 81]> {
    let order = || Just([0_usize, 1, 2]).prop_shuffle();
    let lines = || (order(), [order(), order(), order()]);
    let line =
        |(outer, inner): &([usize; 3], [[usize; 3]; 3]), i: usize| 3 * outer[i / 3] + inner[i / 3][i % 3];
    (Just([1_u8, 2, 3, 4, 5, 6, 7, 8, 9]).prop_shuffle(), lines(), lines()).prop_map(
        move |(digits, rows, columns)| {
            std::array::from_fn(|cell| {
                let (row, column) = (line(&rows, cell / 9), line(&columns, cell % 9));
                digits[(3 * row + row / 3 + column) % 9]
            })
        },
    )
}

/// Makes a solved grid with some cells removed, and sometimes with a clue changed.
fn puzzle() -> impl Strategy<Value = Grid> {
    let holes = Just((0..81).collect::<Vec<usize>>()).prop_shuffle();
    (solved_grid(), holes, 0..=53_usize, prop::option::of((0..81_usize, 1..=9_u8))).prop_map(
        |(mut cells, holes, blanks, change)| {
            for &cell in &holes[..blanks] {
                cells[cell] = 0;
            }
            if let Some((cell, digit)) = change {
                cells[cell] = digit;
            }
            Grid::new(cells).unwrap()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_outcome_is_that_of_the_oracle(puzzle in puzzle(), limit in prop::sample::select(vec![1, 2, 3, 10, 1000])) {
        agrees_with_the_oracle(&puzzle, limit)?;
    }

    #[test]
    fn nearly_empty_grids_are_solved_to_a_valid_grid(clues in prop::collection::vec((0..81_usize, 1..=9_u8), 0..8)) {
        let mut puzzle = Grid::EMPTY;
        for (cell, digit) in clues {
            puzzle.set(cell, digit);
        }
        let outcome = solve(&puzzle, 2);
        match outcome.solution {
            Some(solution) => {
                prop_assert!(verifier::sudoku(&puzzle, &solution));
                prop_assert_eq!((outcome.verdict, outcome.solutions), (Verdict::Multiple, 2));
            }
            None => prop_assert_eq!(outcome.verdict, Verdict::Unsolvable),
        }
    }
}

/// These counts need no solver. If a grid has all digits from 1 to 7 in place but no 8 or 9, each of its 8-9 cycles can
/// be swapped. The number of completions is therefore 2 to the power of the number of cycles.
#[test]
fn the_ways_to_place_two_digits_are_a_power_of_two() {
    let full = "143628579572139468986754231391542786468917352725863914237481695619275843854396127";
    let without: String = full.chars().map(|c| if c >= '8' { '.' } else { c }).collect();
    let count = solve(&parse(&without), 1000).solutions;
    assert_eq!(count, oracle::sudoku(&parse(&without), 1000).len() as u64);
    assert!(count.is_power_of_two() && count > 1);
}

/// An empty grid has 6,670,903,752,021,072,936,960 solutions (Felgenhauer and Jarvis), so every limit is reached.
#[test]
fn more_solutions_than_the_limit_are_not_counted() {
    for limit in [1, 2, 3, 10, 1000] {
        assert_eq!(solve(&Grid::EMPTY, limit).solutions, limit);
    }
}

/// A search that lacks some of the checks would take forever on these grids.
#[test]
fn grids_with_one_clue_answer_at_once() {
    for cell in 0..81 {
        let mut puzzle = Grid::EMPTY;
        puzzle.set(cell, 1 + (cell % 9) as u8);
        let outcome = solve(&puzzle, 100);
        assert_eq!((outcome.verdict, outcome.solutions), (Verdict::Multiple, 100));
        assert!(outcome.guesses < 1000, "{} guesses", outcome.guesses);
    }
}

/// These grids have no solution and were found by hill climbing: no clues clash, and every engine needs thousands of
/// guesses.
#[test]
fn grids_that_are_hard_to_refute_are_refuted_alike() {
    for text in [
        "1.....5..4.....8....6..3.4.9...18.54...............7..2.....4.9...6........3...1.",
        "98.7....5....6..9...6........5........98...2...79..6....85..976.....6............",
    ] {
        let outcome = solve(&parse(text), 2);
        assert_eq!((outcome.verdict, outcome.solutions), (Verdict::Unsolvable, 0));
        assert!(outcome.guesses > 1000, "{} guesses: no longer hard", outcome.guesses);
    }
}
