//! Compares the forms with brute force over all geometric symmetries, for puzzles of every kind.

use std::cmp::Ordering;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::generate::{Generator, PuzzleSpec, full_grid};
use crate::solver::Backend;
use crate::sudoku::CELLS;
use crate::sudoku::random::below;

/// The grid that has the most automorphisms, and one that has two.
const SYMMETRICAL: [&str; 2] = [
    "123456789456789123789123456231564897564897231897231564312645978645978312978312645",
    "138792465627854913495136827971328546564971238283645179856417392719283654342569781",
];

/// Returns the orders of nine lines that keep bands (or stacks) together, sorted by the first line.
fn orders() -> Vec<[usize; 9]> {
    const THREE: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let of_band = |band: usize, order: usize| THREE[order].map(|line| 3 * band + line);
    let orders = (0..6 * 6 * 6 * 6).map(|number| {
        let within = [number / 6 % 6, number / 36 % 6, number / 216];
        let bands = THREE[number % 6];
        std::array::from_fn(|line| of_band(bands[line / 3], within[line / 3])[line % 3])
    });
    let mut orders: Vec<_> = orders.collect();
    orders.sort_unstable();
    orders
}

/// Returns the key by which forms are compared: nine clue counts, if `counts_first` is set, then 81 labels.
fn key(mut cells: impl FnMut(usize) -> u8, counts_first: bool) -> impl Iterator<Item = u8> {
    let (mut labels, mut used) = ([0; 10], 0);
    let first = if counts_first { 0 } else { 9 };
    (first..9 + CELLS).map(move |at| {
        if at < 9 {
            return (0..3).map(|i| u8::from(cells(at / 3 * 9 + at % 3 * 3 + i) != 0)).sum();
        }
        let digit = cells(at - 9);
        let label = &mut labels[usize::from(digit)];
        if digit != 0 && *label == 0 {
            used += 1;
            *label = used;
        }
        *label
    })
}

/// Returns the smallest isomorph, and the number of geometric symmetries that lead to it. It tries all symmetries whose
/// first row does not rule them out.
fn brute_force(puzzle: &Grid, counts_first: bool) -> (Grid, u32) {
    let orders = orders();
    let of_first_row = if counts_first { 3 } else { 9 };
    let (mut smallest, mut ways) = (vec![u8::MAX], 0);
    for transposed in [false, true] {
        let source: [u8; CELLS] =
            std::array::from_fn(|cell| puzzle.get(if transposed { cell % 9 * 9 + cell / 9 } else { cell }));
        for columns in &orders {
            for alike in orders.chunk_by(|a, b| a[0] == b[0]) {
                let first_row = key(|at| source[9 * alike[0][0] + columns[at % 9]], counts_first);
                if first_row.take(of_first_row).gt(smallest.iter().copied().take(of_first_row)) {
                    continue;
                }
                for rows in alike {
                    let key = || key(|at| source[9 * rows[at / 9] + columns[at % 9]], counts_first);
                    match key().cmp(smallest.iter().copied()) {
                        Ordering::Less => (smallest, ways) = (key().collect(), 1),
                        Ordering::Equal => ways += 1,
                        Ordering::Greater => {}
                    }
                }
            }
        }
    }
    let (_, cells) = smallest.split_last_chunk::<CELLS>().expect("it is a whole form");
    (Grid::new(*cells).expect("labels are digits"), ways)
}

/// Makes puzzles of every kind.
fn puzzles(rng: &mut Xoshiro256PlusPlus) -> Vec<Grid> {
    let grids = SYMMETRICAL.map(|grid| grid.parse::<Grid>().expect("it has 81 digits"));
    let cells = |cell: &mut dyn FnMut(usize) -> u8| Grid::from_digits(std::array::from_fn(cell));
    let mut puzzles = vec![Grid::EMPTY, grids[0], grids[1], full_grid(rng)];
    // A minimal puzzle, and puzzles that have several solutions or none because of a single clue.
    let made = Generator::new(rng.next_u64(), PuzzleSpec::default(), Backend::best()).puzzles(0..1);
    let minimal = made[0].expect("every grid has one").puzzle;
    let clue = minimal.cells().iter().position(|&digit| digit != 0).expect("it has clues");
    for digit in [minimal.get(clue), 0, 1 + minimal.get(clue) % 9] {
        let mut puzzle = minimal;
        puzzle.set(clue, digit);
        puzzles.push(puzzle);
    }
    // Clues from a solution: few, many, and nearly all.
    let solution = full_grid(rng);
    for percent in [9, 20, 60, 97] {
        puzzles.push(cells(&mut |cell| if below(rng, 100) < percent { solution.get(cell) } else { 0 }));
    }
    // Clue patterns with many automorphisms.
    puzzles.push(cells(&mut |cell| if cell % 10 == 0 { solution.get(cell) } else { 0 }));
    puzzles.push(cells(&mut |cell| if cell % 27 < 9 { grids[0].get(cell) } else { 0 }));
    puzzles.push(cells(&mut |cell| if cell / 27 == cell % 9 / 3 { grids[0].get(cell) } else { 0 }));
    // Clashing clues: a few, a pattern, one digit per column, random digits, and a solution with one wrong digit.
    puzzles.push(cells(&mut |_| if below(rng, 6) == 0 { 1 + below(rng, 9) as u8 } else { 0 }));
    puzzles.push(cells(&mut |_| u8::from(below(rng, 3) == 0)));
    puzzles.push(cells(&mut |cell| if below(rng, 4) == 0 { 1 + (cell % 9) as u8 } else { 0 }));
    puzzles.push(cells(&mut |_| below(rng, 4) as u8));
    puzzles.push(cells(&mut |cell| if cell == 40 { solution.get(41) } else { solution.get(cell) }));
    puzzles
}

#[test]
fn forms_and_automorphisms_are_those_of_brute_force() {
    let mut canonizer = Canonizer::default();
    // The form of the empty grid is known, and finding it would take half of the test's time.
    let puzzles = puzzles(&mut Xoshiro256PlusPlus::seed_from_u64(1));
    for (number, puzzle) in puzzles.into_iter().enumerate().skip(1) {
        for counts_first in [false, true].into_iter().take(1 + usize::from(number % 5 == 0)) {
            let found = if counts_first { canonizer.list17(&puzzle) } else { canonizer.minlex(&puzzle) };
            let expected = brute_force(&puzzle, counts_first);
            assert_eq!((found.grid, found.automorphisms), expected, "{puzzle}, {counts_first}");
            assert_eq!(found.symmetry.apply(&puzzle), found.grid, "{puzzle}");
        }
    }
}

/// Checks the grid with the most automorphisms, the empty grid, and a single clue, which can move to any of 81 cells.
#[test]
fn automorphisms_are_those_that_are_known() {
    let mut canonizer = Canonizer::default();
    let mut count = |grid: Grid| canonizer.minlex(&grid).automorphisms;
    assert_eq!(SYMMETRICAL.map(|grid| count(grid.parse().unwrap())), [648, 2]);
    assert_eq!(count(Grid::EMPTY), 3_359_232);
    let mut one = Grid::EMPTY;
    one.set(40, 5);
    assert_eq!(count(one), 3_359_232 / 81);
}

#[test]
fn all_isomorphs_have_one_form() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut canonizer = Canonizer::default();
    for puzzle in puzzles(&mut rng) {
        for find in [Canonizer::minlex, Canonizer::list17] {
            let form = find(&mut canonizer, &puzzle);
            for _ in 0..50 {
                let isomorph = Symmetry::random(&mut rng).apply(&puzzle);
                let found = find(&mut canonizer, &isomorph);
                assert_eq!((found.grid, found.automorphisms), (form.grid, form.automorphisms), "{puzzle}");
                assert_eq!(found.symmetry.apply(&isomorph), form.grid);
            }
        }
    }
}

/// This holds even if the grid has automorphisms, so that its form can be reached in several ways.
#[test]
fn the_form_by_the_grid_goes_with_the_form_of_the_grid() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut canonizer = Canonizer::default();
    for grid in SYMMETRICAL {
        let solution: Grid = grid.parse().unwrap();
        let mut puzzle = solution;
        (0..50).for_each(|_| puzzle.set(below(&mut rng, CELLS), 0));
        let expected = canonizer.grid(&puzzle, &solution);
        for _ in 0..200 {
            let symmetry = Symmetry::random(&mut rng);
            let (puzzle, solution) = (symmetry.apply(&puzzle), symmetry.apply(&solution));
            let found = canonizer.grid(&puzzle, &solution);
            assert_eq!((found.grid, found.automorphisms), (expected.grid, expected.automorphisms));
            assert_eq!(found.symmetry.apply(&puzzle), found.grid);
            assert_eq!(found.symmetry.apply(&solution), canonizer.minlex(&solution).grid);
        }
    }
}
