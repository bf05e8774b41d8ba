//! Every backend that can run here against a brute-force search, which shares nothing with the engine.

use std::num::NonZeroU64;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::grid::{CELLS, box_of, column_of, row_of};

/// Digits seen by a cell, as bits 1 to 9.
fn seen(cells: &[u8; CELLS], cell: usize) -> u32 {
    (0..CELLS)
        .filter(|&other| {
            other != cell
                && (row_of(other) == row_of(cell)
                    || column_of(other) == column_of(cell)
                    || box_of(other) == box_of(cell))
        })
        .fold(0, |seen, other| seen | 1 << cells[other])
}

fn clashes(cells: &[u8; CELLS]) -> bool {
    (0..CELLS).any(|cell| cells[cell] != 0 && seen(cells, cell) >> cells[cell] & 1 == 1)
}

/// Counts solutions up to the limit by filling the cell with the fewest digits, from the digit `first` on.
fn count(cells: &mut [u8; CELLS], limit: u64, first: u8, last: &mut [u8; CELLS]) -> u64 {
    let mut best = (u32::MAX, 0, 0);
    for cell in 0..CELLS {
        if cells[cell] == 0 {
            let possible = !seen(cells, cell) & 0b11_1111_1110;
            if possible.count_ones() < best.0 {
                best = (possible.count_ones(), cell, possible);
                if best.0 < 2 {
                    break;
                }
            }
        }
    }
    let (number, cell, possible) = best;
    if number == u32::MAX {
        *last = *cells;
        return 1;
    }
    let mut found = 0;
    for digit in (0..9).map(|d| (d + first) % 9 + 1) {
        if possible >> digit & 1 == 1 && found < limit {
            cells[cell] = digit;
            found += count(cells, limit - found, first, last);
            cells[cell] = 0;
        }
    }
    found
}

fn solutions(grid: &Grid, limit: u64) -> (u64, [u8; CELLS]) {
    let mut last = [0; CELLS];
    if clashes(grid.cells()) {
        return (0, last);
    }
    (count(&mut grid.cells().clone(), limit, 0, &mut last), last)
}

/// The smallest solution of a puzzle that has one: every cell in turn gets the first digit that leaves one.
fn smallest(puzzle: &Grid) -> Grid {
    let mut cells = *puzzle.cells();
    for cell in 0..CELLS {
        if cells[cell] == 0 {
            cells[cell] = (1..10)
                .find(|&digit| {
                    cells[cell] = digit;
                    solutions(&Grid::new(cells).unwrap(), 1).0 == 1
                })
                .unwrap();
        }
    }
    Grid::new(cells).unwrap()
}

fn below(random: &mut Xoshiro256PlusPlus, end: usize) -> usize {
    (random.next_u64() % end as u64) as usize
}

fn shuffled(random: &mut Xoshiro256PlusPlus) -> [usize; CELLS] {
    let mut order = std::array::from_fn(|i| i);
    for i in (1..CELLS).rev() {
        order.swap(i, below(random, i + 1));
    }
    order
}

fn random_solution(random: &mut Xoshiro256PlusPlus) -> Grid {
    loop {
        let mut cells = [0; CELLS];
        for &cell in &shuffled(random)[..14] {
            let digit = 1 + below(random, 9) as u8;
            if seen(&cells, cell) >> digit & 1 == 0 {
                cells[cell] = digit;
            }
        }
        let mut last = [0; CELLS];
        let first = below(random, 9) as u8;
        if count(&mut cells, 1, first, &mut last) == 1 {
            return Grid::new(last).unwrap();
        }
    }
}

/// A puzzle from which no clue can be taken.
fn minimal(random: &mut Xoshiro256PlusPlus) -> Grid {
    let mut puzzle = random_solution(random);
    for cell in shuffled(random) {
        let digit = puzzle.get(cell);
        puzzle.set(cell, 0);
        if solutions(&puzzle, 2).0 != 1 {
            puzzle.set(cell, digit);
        }
    }
    puzzle
}

/// Puzzles of every kind: minimal, easier, with several solutions, without one, clashing, nearly empty,
/// empty and full.
fn puzzles() -> Vec<Grid> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(17);
    let mut puzzles = vec![Grid::EMPTY];
    for _ in 0..40 {
        let minimal = minimal(&mut random);
        let solution = Grid::new(solutions(&minimal, 1).1).unwrap();
        puzzles.push(minimal);
        puzzles.push(solution);
        let clues: Vec<usize> =
            shuffled(&mut random).into_iter().filter(|&cell| minimal.get(cell) != 0).collect();
        let blanks: Vec<usize> =
            shuffled(&mut random).into_iter().filter(|&cell| minimal.get(cell) == 0).collect();
        let mut easier = minimal;
        for &cell in &blanks[..below(&mut random, 20)] {
            easier.set(cell, solution.get(cell));
        }
        puzzles.push(easier);
        // Fewer clues: several solutions. One wrong digit that no clue sees: hardly ever one.
        let mut fewer = minimal;
        for &cell in &clues[..1 + below(&mut random, 5)] {
            fewer.set(cell, 0);
        }
        puzzles.push(fewer);
        for base in [minimal, fewer, easier] {
            let mut wrong = base;
            let cell = blanks[below(&mut random, 20)];
            let digit = 1 + below(&mut random, 9) as u8;
            if seen(wrong.cells(), cell) >> digit & 1 == 0 {
                wrong.set(cell, digit);
                puzzles.push(wrong);
            }
        }
        let mut clash = minimal;
        clash.set(clues[0], 0);
        let seen_there = seen(clash.cells(), clues[0]);
        clash.set(clues[0], (1..10).find(|&digit| seen_there >> digit & 1 == 1).unwrap());
        puzzles.push(clash);
        let mut wrong_full = solution;
        wrong_full.set(blanks[0], wrong_full.get(blanks[0]) % 9 + 1);
        puzzles.push(wrong_full);
        let mut sparse = Grid::EMPTY;
        for &cell in &clues[..1 + below(&mut random, 6)] {
            sparse.set(cell, solution.get(cell));
        }
        puzzles.push(sparse);
    }
    puzzles
}

fn limits(solutions: u64) -> Limits {
    Limits { solutions: NonZeroU64::new(solutions).unwrap(), max_guesses: None }
}

fn solve(backend: Backend, puzzles: &[Grid], limits: &Limits) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    LaneSolver::new(backend).solve(puzzles, limits, &mut outcomes);
    for outcome in &mut outcomes {
        outcome.time_ns = 0;
    }
    outcomes
}

#[test]
fn every_backend_agrees_with_brute_force() {
    let puzzles = puzzles();
    for limit in [1, 2, 3, 10, 1000] {
        let expected: Vec<_> = puzzles.iter().map(|puzzle| solutions(puzzle, limit)).collect();
        for backend in Backend::available() {
            let outcomes = solve(backend, &puzzles, &limits(limit));
            assert_eq!(outcomes.len(), puzzles.len());
            for ((puzzle, outcome), &(number, solution)) in puzzles.iter().zip(&outcomes).zip(&expected) {
                let case = format!("{} limit {limit} {puzzle}", backend.name());
                let verdict = match number {
                    0 => Verdict::Unsolvable,
                    1 if limit == 1 => Verdict::Solved,
                    1 => Verdict::Unique,
                    _ => Verdict::Multiple,
                };
                assert_eq!((outcome.verdict, outcome.solutions), (verdict, number), "{case}");
                match (verdict, outcome.solution) {
                    (Verdict::Unsolvable, found) => assert_eq!(found, None, "{case}"),
                    (Verdict::Unique, Some(found)) => assert_eq!(found.cells(), &solution, "{case}"),
                    (_, Some(found)) => {
                        assert!(found.clues() == 81 && !clashes(found.cells()), "{case}");
                        assert!(
                            (0..CELLS).all(|i| puzzle.get(i) == 0 || puzzle.get(i) == found.get(i)),
                            "{case}"
                        );
                    }
                    (_, None) => panic!("no solution: {case}"),
                }
            }
        }
    }
}

#[test]
fn the_smallest_of_several_solutions_is_given() {
    let puzzles: Vec<Grid> = puzzles().into_iter().filter(|puzzle| solutions(puzzle, 2).0 == 2).collect();
    assert!(puzzles.len() > 50, "only {} puzzles have several solutions", puzzles.len());
    let expected: Vec<Grid> = puzzles.iter().map(smallest).collect();
    for limit in [2, 3, 1000] {
        for backend in Backend::available() {
            for (outcome, expected) in solve(backend, &puzzles, &limits(limit)).iter().zip(&expected) {
                assert_eq!(outcome.solution.as_ref(), Some(expected), "{} limit {limit}", backend.name());
            }
        }
    }
}

#[test]
fn outcomes_depend_on_the_puzzle_alone() {
    let puzzles = puzzles();
    for limit in [1, 2, 10] {
        let limits = limits(limit);
        let alone: Vec<Outcome> = puzzles
            .iter()
            .flat_map(|puzzle| solve(Backend::named("portable").unwrap(), &[*puzzle], &limits))
            .collect();
        assert!(alone.iter().any(|outcome| outcome.guesses > 3), "the puzzles must make the engine guess");
        for backend in Backend::available() {
            assert_eq!(solve(backend, &puzzles, &limits), alone, "{}", backend.name());
            let mut backwards = puzzles.clone();
            backwards.reverse();
            let mut outcomes = solve(backend, &backwards, &limits);
            outcomes.reverse();
            assert_eq!(outcomes, alone, "{} backwards", backend.name());
        }
    }
}

#[test]
fn a_bound_on_guesses_is_kept_exactly() {
    let puzzles = puzzles();
    for backend in Backend::available() {
        let free = solve(backend, &puzzles, &limits(10));
        for bound in [0, 1, 3] {
            let limits = Limits { max_guesses: Some(bound), ..limits(10) };
            for (bounded, free) in solve(backend, &puzzles, &limits).iter().zip(&free) {
                if free.guesses <= bound {
                    assert_eq!(bounded, free);
                } else {
                    assert_eq!((bounded.verdict, bounded.guesses), (Verdict::Unfinished, bound));
                    assert_eq!(bounded.solution, None);
                }
            }
        }
    }
}

#[test]
fn clashes_and_full_grids_take_no_guess() {
    for backend in Backend::available() {
        for (puzzle, outcome) in puzzles().iter().zip(solve(backend, &puzzles(), &limits(2))) {
            if puzzle.clues() == 81 || clashes(puzzle.cells()) {
                assert_eq!(outcome.guesses, 0, "{puzzle}");
            }
        }
    }
}

#[test]
fn shares_of_time_add_up() {
    let puzzles = puzzles().repeat(20);
    for backend in Backend::available() {
        let mut solver = LaneSolver::new(backend);
        let mut outcomes = Vec::with_capacity(puzzles.len());
        solver.solve(&puzzles[..1], &limits(2), &mut outcomes);
        // The machine may take its time between our look at the clock and the solver's: several tries.
        let mut best = 0.0_f64;
        for _ in 0..10 {
            outcomes.clear();
            let start = std::time::Instant::now();
            solver.solve(&puzzles, &limits(2), &mut outcomes);
            let wall = start.elapsed().as_nanos() as f64;
            let sum = outcomes.iter().map(|outcome| outcome.time_ns).sum::<u64>() as f64;
            assert!(sum <= wall, "{}: {sum} of {wall}", backend.name());
            best = best.max(sum / wall);
        }
        assert!(best > 0.98, "{}: at most {best} of the time is shared out", backend.name());
    }
}

/// Fails when this processor has an instruction set whose backend the other tests did not run.
#[test]
fn no_backend_is_skipped() {
    let names: Vec<_> = Backend::available().iter().map(|backend| backend.name()).collect();
    println!("{} backends of the lane engine run on this processor: {}", names.len(), names.join(", "));
    assert_eq!(names.last(), Some(&"portable"));
    #[cfg(target_arch = "x86_64")]
    {
        assert_eq!(names.contains(&"avx2"), is_x86_feature_detected!("avx2"));
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl");
        assert_eq!(names.contains(&"avx512"), avx512);
    }
    #[cfg(target_arch = "aarch64")]
    assert_eq!(names.contains(&"neon"), std::arch::is_aarch64_feature_detected!("neon"));
    assert!(names.iter().all(|name| Backend::NAMES.contains(name)));
    assert_eq!(Backend::named("mmx"), None);
}
