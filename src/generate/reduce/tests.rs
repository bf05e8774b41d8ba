//! Compares the reducer with the scalar solver, clue by clue.

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::generate::{Generator, PuzzleSpec, full_grid};
use crate::sudoku::random::below;

fn without(puzzle: &Grid, cell: usize) -> Grid {
    puzzle.keep(!CellSet::of(cell))
}

fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Returns puzzles with one solution and 26 to 60 clues, and grids with several solutions or none.
fn some() -> (Vec<Grid>, Vec<Option<Grid>>) {
    let mut reducer = Reducer::new(Backend::best());
    let mut puzzles = vec![Grid::EMPTY];
    for seed in 0..40 {
        let solution = full_grid(&mut rng(seed));
        let mut cells: [CellSet; CELLS] = std::array::from_fn(CellSet::of);
        shuffle(&mut cells, &mut rng(seed));
        let mut descents = [Descent::new(solution, solution, &cells, 26 + seed as u32 % 35)];
        reducer.descend(descents.iter_mut());
        puzzles.push(descents[0].puzzle);
    }
    let mut clash = puzzles[1];
    clash.set(0, 1);
    clash.set(1, 1);
    puzzles.push(clash);
    let solutions = reducer.solutions(&puzzles);
    assert_eq!((solutions[0], solutions[41], solutions.iter().flatten().count()), (None, None, 40));
    (puzzles, solutions)
}

#[test]
fn a_clue_is_redundant_if_the_rest_has_one_solution_whatever_the_backend() {
    let (puzzles, solutions) = some();
    let expected: Vec<_> = puzzles
        .iter()
        .zip(&solutions)
        .map(|(puzzle, solution)| {
            let is_redundant = |&cell: &usize| without(puzzle, cell).is_unique();
            solution.map(|_| puzzle.clue_cells().iter().filter(is_redundant).collect::<CellSet>())
        })
        .collect();
    assert!(expected.iter().flatten().any(|cells| (1..10).contains(&cells.count())));
    for backend in Backend::available() {
        assert_eq!(Reducer::new(backend).redundant(&puzzles, &solutions), expected, "{}", backend.name());
    }
}

/// The order determines the result: clues are removed one by one as long as the scalar solver finds one solution.
#[test]
fn minimize_removes_what_one_walk_through_the_clues_removes() {
    let (mut puzzles, solutions) = some();
    puzzles.extend(solutions.clone().into_iter().flatten().take(3));
    let solutions = Reducer::new(Backend::best()).solutions(&puzzles);
    let mut expected = puzzles.clone();
    for (row, puzzle) in expected.iter_mut().enumerate().filter(|&(row, _)| solutions[row].is_some()) {
        let mut cells: [usize; CELLS] = std::array::from_fn(|cell| cell);
        shuffle(&mut cells, &mut rng(row as u64));
        for cell in cells {
            if puzzle.get(cell) != 0 && without(puzzle, cell).is_unique() {
                puzzle.set(cell, 0);
            }
        }
    }
    for backend in Backend::available() {
        let mut puzzles = puzzles.clone();
        Reducer::new(backend).minimize(&mut puzzles, &solutions, |row| rng(row as u64));
        assert_eq!(puzzles, expected, "{}", backend.name());
    }
}

/// Tries all sets of clues of a puzzle that has a few redundant ones.
#[test]
fn all_minimal_puzzles_within_are_found_once() {
    let mut reducer = Reducer::new(Backend::best());
    let mut most = 0;
    for seed in 0..6 {
        let solution = full_grid(&mut rng(seed));
        let mut puzzles = [solution];
        reducer.minimize(&mut puzzles, &[Some(solution)], |_| rng(seed));
        // Adds a few clues, and tries all subsets of the redundant ones.
        let mut rng = rng(seed);
        let clues =
            (0..8).fold(puzzles[0].clue_cells(), |clues, _| clues | CellSet::of(below(&mut rng, CELLS)));
        let puzzle = solution.keep(clues);
        let free: Vec<_> = clues.iter().filter(|&cell| without(&puzzle, cell).is_unique()).collect();
        let unique_of = |removed: usize| {
            let set: CellSet = (0..free.len()).filter(|i| removed >> i & 1 != 0).map(|i| free[i]).collect();
            solution.keep(clues & !set)
        };
        // If a set can be removed, so can the set without one of its clues.
        let mut removable = vec![0];
        let mut expected = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        while let Some(set) = removable.pop() {
            let larger = (0..free.len()).map(|i| set | 1 << i).filter(|&larger| larger != set);
            let larger: Vec<usize> = larger.filter(|&larger| unique_of(larger).is_unique()).collect();
            if larger.is_empty() {
                expected.push(unique_of(set));
            }
            removable.extend(larger.into_iter().filter(|&larger| seen.insert(larger)));
        }
        let mut all = AllMinimal::new(&puzzle, &solution);
        let mut found: Vec<_> = std::iter::from_fn(|| all.next(&mut reducer)).collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected);
        most = most.max(found.len());
    }
    assert!(most > 4, "{most}");
    let full = full_grid(&mut rng(9));
    let mut all = AllMinimal::new(&full, &full);
    assert!((0..30).all(|_| all.next(&mut reducer).is_some()));
}

/// The two cells of a group are either both removed or both kept.
#[test]
fn a_group_is_removed_as_a_whole() {
    let solution = full_grid(&mut rng(3));
    let mut groups: Vec<_> = (0..=40).map(|cell| CellSet::of(cell) | CellSet::of(80 - cell)).collect();
    shuffle(&mut groups, &mut rng(4));
    let mut descents = [0, 30].map(|least| Descent::new(solution, solution, &groups, least));
    Reducer::new(Backend::best()).descend(descents.iter_mut());
    let mut expected = solution;
    for &group in &groups {
        let less = expected.keep(!group);
        if less.is_unique() {
            expected = less;
        }
    }
    assert_eq!(descents[0].puzzle, expected);
    assert!((29..=31).contains(&descents[1].puzzle.clues()) && descents[1].puzzle.is_unique());
}

/// The mean weight over random walks is the number of minimal puzzles in the puzzle, which [`AllMinimal`] lists.
#[test]
fn weights_estimate_how_many_minimal_puzzles_there_are() {
    let mut reducer = Reducer::new(Backend::best());
    let spec = PuzzleSpec { minimal: false, clues: 32..=32, ..PuzzleSpec::default() };
    for made in Generator::new(3, spec, Backend::best()).puzzles(0..4).into_iter().flatten() {
        let (puzzle, solution) = (made.puzzle, made.solution);
        let mut all = AllMinimal::new(&puzzle, &solution);
        let number = std::iter::from_fn(|| all.next(&mut reducer)).count() as f64;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let ways = (0..3000).map(|_| {
            let mut cells: [CellSet; CELLS] = std::array::from_fn(CellSet::of);
            shuffle(&mut cells, &mut rng);
            Descent::new(puzzle, solution, &cells, 0)
        });
        let mut ways: Vec<_> = ways.collect();
        reducer.descend(ways.iter_mut());
        let weights = reducer.weights(ways.iter());
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        let square = weights.iter().map(|weight| (weight - mean).powi(2)).sum::<f64>() / weights.len() as f64;
        let off = (square / weights.len() as f64).sqrt();
        assert!((mean - number).abs() < 4.0 * off && off < number / 20.0, "{mean} for {number}, {off}");
    }
}
