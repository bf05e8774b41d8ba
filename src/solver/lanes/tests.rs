//! Compares every backend that can run here, including the scalar solver, with a separate brute-force search.

use std::cell::Cell;
use std::num::NonZeroU64;
use std::time::Duration;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::vector::Lanes;
use super::*;
use crate::solver::{Backend, Outcome, Wanted};
use crate::sudoku::verifier::{self, clash};
use crate::sudoku::{CELLS, are_peers, box_of, column_of, row_of};

/// Returns the digits that a cell sees, as bits 1 to 9.
fn seen(cells: &[u8; CELLS], cell: usize) -> u32 {
    (0..CELLS).filter(|&other| are_peers(cell, other)).fold(0, |seen, other| seen | 1 << cells[other])
}

/// Counts solutions up to the limit by filling the cell with the fewest digits, starting with the digit `first`.
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
    if clash(grid).is_some() {
        return (0, last);
    }
    (count(&mut grid.cells().clone(), limit, 0, &mut last), last)
}

/// Finds the smallest solution of a solvable puzzle: each cell in turn gets the first digit that keeps the puzzle
/// solvable.
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

/// Returns a puzzle with the given clues of a solution.
fn puzzle_with(solution: &Grid, clues: &[usize]) -> Grid {
    solution.keep(clues.iter().copied().collect())
}

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

/// Makes puzzles of every kind: minimal and easier ones, with several solutions or none, with clashing clues, and
/// nearly empty, empty and full ones.
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
        // With fewer clues there are several solutions. With a wrong digit that no clue sees, there is rarely any.
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
        puzzles.push(puzzle_with(&solution, &clues[..1 + below(&mut random, 6)]));
    }
    puzzles
}

/// Returns the backends of the lane engine that this processor can run.
fn backends() -> Vec<Backend> {
    Backend::available().into_iter().filter(|&backend| backend != Backend::SCALAR).collect()
}

/// Runs a test if this processor supports the lanes; returns how often it ran.
fn if_detected<V: Lanes>(test: impl Fn(V::Token)) -> usize {
    V::detect().map_or(0, |token| {
        test(token);
        1
    })
}

/// Runs a test on all lanes that this processor supports, except `Portable`.
macro_rules! on_special_lanes {
    ($test:ident) => {{
        #[cfg(target_arch = "x86_64")]
        let special = if_detected::<Avx512>($test::<Avx512>) + if_detected::<Avx2>($test::<Avx2>);
        #[cfg(target_arch = "aarch64")]
        let special = if_detected::<Neon>($test::<Neon>);
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        let special = 0;
        assert_eq!(special + 1, backends().len(), "a backend was left out");
    }};
}

/// Runs a test on all lanes that this processor supports.
macro_rules! on_all_lanes {
    ($test:ident) => {{
        on_special_lanes!($test);
        assert_eq!(if_detected::<Portable>($test::<Portable>), 1);
    }};
}

mod operations;

fn limits(solutions: u64) -> Limits {
    Limits::default().with_solutions(NonZeroU64::new(solutions).unwrap())
}

fn solve(backend: Backend, puzzles: &[Grid], limits: &Limits) -> Vec<Outcome> {
    let mut answers = Answers::default();
    backend.solver().solve(puzzles, limits, &mut answers);
    without_times(&answers)
}

fn without_times(answers: &Answers) -> Vec<Outcome> {
    answers.iter().map(|outcome| Outcome { time_ns: 0, ..outcome }).collect()
}

#[test]
fn every_backend_agrees_with_brute_force() {
    let puzzles = puzzles();
    let smallest = puzzles.iter().map(|puzzle| match solutions(puzzle, 2) {
        (0, _) => None,
        (1, solution) => Grid::new(solution),
        _ => Some(smallest(puzzle)),
    });
    let smallest: Vec<Option<Grid>> = smallest.collect();
    for limit in [1, 2, 3, 10, 1000] {
        let numbers: Vec<u64> = puzzles.iter().map(|puzzle| solutions(puzzle, limit).0).collect();
        let several = numbers.iter().filter(|&&number| number > 1).count();
        assert!(limit == 1 || several > 50, "only {several} puzzles have several solutions");
        for backend in Backend::available() {
            let outcomes = solve(backend, &puzzles, &limits(limit));
            assert_eq!(outcomes.len(), puzzles.len());
            for (i, (puzzle, outcome)) in puzzles.iter().zip(outcomes).enumerate() {
                let case = format!("{} limit {limit} {puzzle}", backend.name());
                let verdict = match numbers[i] {
                    0 => Verdict::Unsolvable,
                    1 if limit == 1 => Verdict::Solved,
                    1 => Verdict::Unique,
                    _ => Verdict::Multiple,
                };
                assert_eq!((outcome.verdict, outcome.solutions), (verdict, numbers[i]), "{case}");
                if verdict == Verdict::Solved {
                    assert!(verifier::sudoku(puzzle, &outcome.solution.unwrap()), "{case}");
                } else {
                    assert_eq!(outcome.solution, smallest[i], "{case}");
                }
                let takes_no_guess = puzzle.clues() == 81 || clash(puzzle).is_some();
                assert!(!takes_no_guess || outcome.guesses == 0, "{case}");
            }
        }
    }
}

#[test]
fn graves_are_counted_at_once() {
    const LIMIT: u64 = 300;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut puzzles = Vec::new();
    for _ in 0..10 {
        let solution = random_solution(&mut random);
        for clues in 26..38 {
            puzzles.push(puzzle_with(&solution, &shuffled(&mut random)[..clues]));
        }
    }
    let expected: Vec<u64> = puzzles.iter().map(|puzzle| solutions(puzzle, LIMIT).0).collect();
    for backend in backends() {
        let outcomes = solve(backend, &puzzles, &limits(LIMIT));
        let counts: Vec<u64> = outcomes.iter().map(|outcome| outcome.solutions).collect();
        assert_eq!(counts, expected, "{}", backend.name());
        // If solutions are counted one by one, each one after the first takes a guess.
        let (all, guesses): (u64, u64) =
            (expected.iter().sum(), outcomes.iter().map(|outcome| outcome.guesses).sum());
        assert!(guesses < all * 4 / 5, "{}: {guesses} guesses, {all} solutions", backend.name());
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
        for backend in backends() {
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
fn lanes_that_share_a_puzzle_count_as_one_does() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let puzzles: Vec<Grid> = (20..32)
        .map(|clues| {
            let solution = random_solution(&mut random);
            puzzle_with(&solution, &shuffled(&mut random)[..clues])
        })
        .collect();
    for limit in [3, 50, 51, 400, 2_001, 30_000] {
        // Finding the smallest solution needs the state at the first guess, which was stored.
        let wanted = if limit < 1_000 { Wanted::Smallest } else { Wanted::Any };
        let limits = limits(limit).with_wanted(wanted);
        // If guesses are limited, lanes do not share puzzles.
        let bounded = limits.with_max_guesses(u64::MAX);
        let expected = solve(Backend::named("portable").unwrap(), &puzzles, &bounded);
        assert!(expected.iter().any(|outcome| outcome.solutions == limit), "{limit}");
        for backend in backends() {
            for together in [1, 2, 5, puzzles.len()] {
                let outcomes: Vec<Outcome> =
                    puzzles.chunks(together).flat_map(|some| solve(backend, some, &limits)).collect();
                assert_eq!(outcomes, expected, "{} limit {limit}, {together} together", backend.name());
            }
        }
    }
}

/// Checks that lanes sharing a puzzle need few more rounds than one lane's rounds divided by the number of lanes.
fn lanes_that_share_a_puzzle_search_little_in_vain<V: Lanes>(token: V::Token) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
    let ten_clues = puzzle_with(&random_solution(&mut random), &shuffled(&mut random)[..10]);
    for puzzle in [Grid::EMPTY, ten_clues] {
        let limits = limits(100_000).with_wanted(Wanted::Any);
        let rounds = |limits: &Limits| {
            let mut solver = LaneSolver::<V>::new(token);
            solver.solve(&[puzzle], limits, &mut Answers::default());
            solver.search.rounds
        };
        // If guesses are limited, lanes do not share puzzles.
        let (together, alone) = (rounds(&limits), rounds(&limits.with_max_guesses(u64::MAX)));
        let most = alone / V::N as u64 * 3 / 2;
        assert!(together < most, "{puzzle}: {together} rounds of {} lanes, {alone} of one", V::N);
    }
}

#[test]
fn lanes_that_share_a_puzzle_search_little_in_vain_on_every_backend() {
    on_all_lanes!(lanes_that_share_a_puzzle_search_little_in_vain);
}

#[test]
fn a_bound_on_guesses_is_kept_exactly() {
    let puzzles = puzzles();
    for backend in backends() {
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

/// Uses a fake clock.
fn times_add_up_to_what_the_clock_says<V: Lanes>(token: V::Token) {
    let mixed = puzzles();
    // Full grids need no search, so most of the time goes into other work.
    let full: Vec<Grid> = mixed.iter().copied().filter(|puzzle| puzzle.clues() == 81).collect();
    for puzzles in [mixed.repeat(3), full.repeat(3), full[..7].to_vec()] {
        let mut solver = LaneSolver::<V>::new(token);
        // Returns the sum of the times if the clock shows `before` when all puzzles are solved and `after` once their
        // times are written.
        let mut sum = |puzzles: &[Grid], before: u64, after: u64| {
            let looks = Cell::new(0);
            let clock = || {
                looks.set(looks.get() + 1);
                Duration::from_nanos(if looks.get() == 1 { before } else { after })
            };
            let mut answers = Answers::default();
            solver.solve_timed(&clock, puzzles, &[], &limits(2), &mut answers);
            answers.times_ns().iter().sum::<u64>()
        };
        let n = puzzles.len() as u64;
        assert_eq!(sum(&puzzles, 1_000_000, 1_000_000 + 64 * n), 1_000_000, "nothing is known of the cost");
        if n < 100 {
            assert_eq!(sum(&puzzles, 77_777, 88_888), 77_777, "a small batch says nothing of the cost");
            continue;
        }
        assert_eq!(sum(&puzzles, 500_000, 500_000 + 80 * n), 500_000 + 64 * n, "64 ns each are known");
        assert_eq!(sum(&puzzles[..1], 1000, 1001), 1064, "a small batch costs as much");
        assert_eq!(
            sum(&puzzles, 70_000, 70_000 + 32 * n),
            70_000 + 64 * n,
            "and says nothing of a large one"
        );
        assert_eq!(sum(&puzzles, 70_000, 70_000 + 64 * n), 70_000 + 32 * n, "the least is what counts");
        assert_eq!(sum(&[], 70_000, 70_000), 0);
    }
}

#[test]
fn times_add_up_to_what_the_clock_says_on_every_backend() {
    on_all_lanes!(times_add_up_to_what_the_clock_says);
}

/// Puzzles that are hard even for programs. With one clue removed they have several solutions, and wrong guesses are
/// hard to refute. They are AI Escargot (Arto Inkala, 2006), Golden Nugget and Easter Monster (forum lists, 2007).
const HARD: [&str; 3] = [
    "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..",
    ".......39.....1..5..3.5.8....8.9...6.7...2...1..4.......9.8..5..2....6..4..7.....",
    "1.......2.9.4...5...6...7...5.9.3.......7.......85..4.7.....6...3...9.8...2.....1",
];

/// Renames the digits of a puzzle so that its smallest solution fills the blanks with 9, 8 and so on, in order of first
/// use. A search that tries small digits first then has many subtrees to refute.
fn with_late_solution(puzzle: &Grid) -> Grid {
    let solution = smallest(puzzle);
    let mut names = [0; 10];
    let mut next = 9;
    for cell in (0..CELLS).filter(|&cell| puzzle.get(cell) == 0) {
        let name = &mut names[usize::from(solution.get(cell))];
        if *name == 0 {
            *name = next;
            next -= 1;
        }
    }
    Grid::new(puzzle.cells().map(|digit| names[usize::from(digit)])).unwrap()
}

/// Guesses for the smallest solution are limited too: by `max_guesses` and, in a lane, by the number after which the
/// scalar solver takes over.
#[test]
fn a_search_for_the_smallest_ends_the_same_everywhere() {
    on_all_lanes!(ends_the_search_for_the_smallest);
}

fn ends_the_search_for_the_smallest<V: Lanes>(token: V::Token) {
    let mut puzzles: Vec<Grid> = puzzles().into_iter().filter(|puzzle| solutions(puzzle, 2).0 == 2).collect();
    let hard = HARD.into_iter().flat_map(|line| {
        let mut puzzle: Grid = line.parse().unwrap();
        let clue = (0..CELLS).rfind(|&cell| puzzle.get(cell) != 0).unwrap();
        puzzle.set(clue, 0);
        [puzzle, with_late_solution(&puzzle)]
    });
    puzzles.extend(hard);
    let expected: Vec<_> = puzzles.iter().map(|puzzle| Some(smallest(puzzle))).collect();
    let (mut in_lanes, mut by_scalar, mut given_up) = (0, 0, 0);
    for (bound, in_descents) in [(1, 60), (5, 60), (5, 4), (20, 1), (60, 3), (1000, 6), (1000, 60)] {
        let limits = Limits { max_guesses: Some(bound), ..limits(2) };
        let mut alone = Answers::default();
        let mut portable = LaneSolver::<Portable>::new(());
        portable.most_descent_guesses = in_descents;
        puzzles.iter().for_each(|puzzle| portable.solve(&[*puzzle], &limits, &mut alone));
        let alone = without_times(&alone);
        let mut solver = LaneSolver::<V>::new(token);
        solver.most_descent_guesses = in_descents;
        let mut solve = |puzzles: &[Grid]| {
            let mut answers = Answers::default();
            solver.solve(puzzles, &limits, &mut answers);
            without_times(&answers)
        };
        let mut backwards = puzzles.clone();
        backwards.reverse();
        let mut outcomes = solve(&backwards);
        outcomes.reverse();
        assert_eq!(outcomes, alone, "{} lanes, bounds {bound} and {in_descents}, backwards", V::N);
        assert_eq!(solve(&puzzles), alone, "{} lanes, bounds {bound} and {in_descents}", V::N);

        for (i, outcome) in alone.iter().enumerate().filter(|(_, outcome)| outcome.solutions == 2) {
            match outcome.verdict {
                Verdict::Multiple if solver.search.unresolved().contains(&i) => by_scalar += 1,
                Verdict::Multiple => in_lanes += 1,
                _ => {
                    given_up += 1;
                    continue;
                }
            }
            assert_eq!(outcome.solution, expected[i], "{}", puzzles[i]);
        }
    }
    assert!(in_lanes > 100 && by_scalar > 30 && given_up > 3, "{in_lanes} {by_scalar} {given_up}");
}

/// A puzzle that has no solution with 1 in its first cell. If the lanes branch as they do for counting, they need
/// 128,434 guesses to prove it.
const DEAD_FIRST: &str = "............83.5....7.........45..3...........5..9..4..3........8...3..5.........";

#[test]
fn a_dead_subtree_does_not_hold_up_the_search_for_the_smallest() {
    let puzzle: Grid = DEAD_FIRST.parse().unwrap();
    let mut dead = puzzle;
    dead.set(0, 1);
    for backend in backends() {
        let outcomes = solve(backend, &[puzzle, Grid::EMPTY, puzzle, dead], &limits(2));
        let smallest = puzzle.solve().solution;
        assert_eq!([outcomes[0].solution, outcomes[2].solution], [smallest; 2], "{}", backend.name());
        assert!(smallest.unwrap().get(0) > 1);
        assert_eq!(outcomes[3].verdict, Verdict::Unsolvable);
    }
}

/// A raised flag ends a search that would take years, and the solver can be used again afterwards.
#[test]
fn searches_are_stopped_and_solvers_go_on() {
    let puzzles = puzzles();
    for backend in backends() {
        let flag = Arc::new(AtomicBool::new(false));
        let mut solver = backend.solver();
        solver.stop_on(Arc::clone(&flag));
        let mut search = |puzzles: &[Grid], solutions| {
            let mut answers = Answers::default();
            solver.solve(puzzles, &limits(solutions), &mut answers);
            without_times(&answers)
        };
        let expected = solve(backend, &puzzles, &limits(2));
        assert_eq!(search(&puzzles, 2), expected, "{}", backend.name());

        let endless: Vec<Grid> = puzzles.iter().copied().chain([Grid::EMPTY]).collect();
        let raise = std::thread::spawn({
            let flag = Arc::clone(&flag);
            move || {
                std::thread::sleep(Duration::from_millis(20));
                flag.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        });
        let stopped = search(&endless, u64::MAX);
        raise.join().unwrap();
        assert_eq!(stopped.len(), endless.len());
        let last = stopped.last().unwrap();
        assert_eq!((last.verdict, last.solution), (Verdict::Stopped, None), "{}", backend.name());
        let denied =
            stopped.iter().any(|outcome| outcome.verdict == Verdict::Stopped && outcome.solution.is_some());
        assert!(!denied, "{}", backend.name());

        flag.store(false, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(search(&puzzles, 2), expected, "{} goes on", backend.name());
    }
}

/// The solver gives up on a puzzle that would take years, and the other puzzles are not affected.
#[test]
fn a_puzzle_is_given_up_after_its_time() {
    let mut puzzles = puzzles();
    let beside = puzzles.len();
    puzzles.insert(beside / 2, Grid::EMPTY);
    for backend in backends() {
        let endless = limits(u64::MAX).with_max_time(Duration::from_millis(30));
        let before = std::time::Instant::now();
        let alone = solve(backend, &[Grid::EMPTY], &endless);
        assert!(before.elapsed() >= Duration::from_millis(30));
        assert_eq!((alone[0].verdict, alone[0].solution), (Verdict::Unfinished, None), "{}", backend.name());
        // On a busy machine it may give up on other puzzles as well, but their outcomes never change.
        let outcomes = solve(backend, &puzzles, &limits(2).with_max_time(Duration::from_secs(3600)));
        assert_eq!(outcomes, solve(backend, &puzzles, &limits(2)), "{}", backend.name());
        let given_up = solve(backend, &puzzles, &endless);
        assert_eq!(given_up[beside / 2].verdict, Verdict::Unfinished);
        let unique = given_up.iter().zip(&outcomes).filter(|(_, sure)| sure.verdict == Verdict::Unique);
        assert!(
            unique.into_iter().all(|(found, sure)| found == sure || found.verdict == Verdict::Unfinished)
        );
    }
}

/// Fails if this processor supports an instruction set whose backend the other tests did not run.
#[test]
fn no_backend_is_skipped() {
    let names: Vec<_> = backends().into_iter().map(Backend::name).collect();
    println!("{} backends of the lane engine run on this processor: {}", names.len(), names.join(", "));
    assert_eq!(names.last(), Some(&"portable"));
    #[cfg(target_arch = "x86_64")]
    {
        let counting = is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt");
        assert_eq!(names.contains(&"avx2"), counting && is_x86_feature_detected!("avx2"));
        let avx512 = counting
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl");
        assert_eq!(names.contains(&"avx512"), avx512);
    }
    #[cfg(target_arch = "aarch64")]
    assert_eq!(names.contains(&"neon"), std::arch::is_aarch64_feature_detected!("neon"));
}
