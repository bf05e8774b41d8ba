//! Solves any puzzles side by side. All backends must agree with the scalar solver. An answer must not depend on the
//! puzzles around it or on limits that were not reached.

use std::num::{NonZeroU64, NonZeroUsize};

use batchdoku::solver::{self, Answers, Backend, Limits, Options, Outcome, Verdict};
use batchdoku::sudoku::Grid;
use batchdoku::sudoku::verifier;

use super::draw::{Draw, MOST_GUESSES};
use super::oracle;

/// The maximum number of puzzles, which is more than the widest lanes take at once.
const MOST_PUZZLES: usize = 24;
/// The maximum number of blank cells that the brute-force oracle can fill quickly.
const MOST_BLANKS: usize = 30;

/// Compares the answers of all backends for some puzzles.
pub fn run(bytes: &[u8]) {
    let mut draw = Draw::new(bytes);
    let solutions = draw.one_of(&[1, 2, 2, 3, 10, 100]);
    let few_guesses = draw.one_of(&[0, 1, 3, 20, 200]);
    let searched = draw.byte();
    let puzzles = draw.puzzles(MOST_PUZZLES);

    let all = limits(solutions, MOST_GUESSES);
    let measure = solve(Backend::SCALAR, &puzzles, &all);
    for (puzzle, outcome) in puzzles.iter().zip(&measure) {
        stands_to_reason(puzzle, outcome, solutions);
    }
    let mut lanes: Option<Vec<Outcome>> = None;
    for backend in Backend::available() {
        let found = solve(backend, &puzzles, &all);
        for ((puzzle, found), measure) in puzzles.iter().zip(&found).zip(&measure) {
            agree(puzzle, found, measure, backend.name());
        }
        // In a different order, each puzzle has different neighbours.
        let reversed: Vec<_> = puzzles.iter().rev().copied().collect();
        let mut again = solve(backend, &reversed, &all);
        again.reverse();
        assert_eq!(again, found, "{} depends on the order", backend.name());

        let few = solve(backend, &puzzles, &limits(solutions, few_guesses));
        for (few, all) in few.iter().zip(&found) {
            assert!(
                few == all || few.verdict == Verdict::Unfinished,
                "{few:?} with few guesses, else {all:?}"
            );
            assert!(few.verdict == Verdict::Unfinished || few.guesses <= few_guesses);
        }
        let options = Options::default()
            .with_backend(backend)
            .with_limits(all)
            .with_threads(NonZeroUsize::MIN.saturating_add(1));
        assert_eq!(without_times(&solver::solve(&puzzles, &options)), found, "on threads");
        if backend != Backend::SCALAR {
            let first = lanes.get_or_insert_with(|| found.clone());
            assert_eq!(*first, found, "{} is not like the other lanes", backend.name());
        }
    }
    // This takes hundreds of searches.
    if searched.is_multiple_of(4) {
        let (backends, at) = (Backend::available(), usize::from(searched / 4));
        look_at_all_limits(&puzzles[at % puzzles.len()], backends[at % backends.len()]);
    }
}

fn limits(solutions: u64, max_guesses: u64) -> Limits {
    let solutions = NonZeroU64::new(solutions).expect("limits start at 1");
    Limits::default().with_solutions(solutions).with_max_guesses(max_guesses)
}

fn without_times(answers: &Answers) -> Vec<Outcome> {
    let mut outcomes: Vec<_> = answers.iter().collect();
    outcomes.iter_mut().for_each(|outcome| outcome.time_ns = 0);
    outcomes
}

fn solve(backend: Backend, puzzles: &[Grid], limits: &Limits) -> Vec<Outcome> {
    let mut answers = Answers::default();
    backend.solver().solve(puzzles, limits, &mut answers);
    assert_eq!(answers.len(), puzzles.len());
    without_times(&answers)
}

/// Checks an answer with the verifier, and by brute force if that is quick.
fn stands_to_reason(puzzle: &Grid, outcome: &Outcome, limit: u64) {
    let &Outcome { verdict, solutions, solution, .. } = outcome;
    if verdict == Verdict::Unfinished {
        return assert_eq!(solution, None);
    }
    let expected = match (solutions, limit) {
        (0, _) => Verdict::Unsolvable,
        (_, 1) => Verdict::Solved,
        (1, _) => Verdict::Unique,
        _ => Verdict::Multiple,
    };
    assert_eq!(verdict, expected, "{puzzle}");
    assert!(solutions <= limit);
    assert_eq!(solution.is_some(), solutions > 0);
    assert!(solution.is_none_or(|solution| verifier::sudoku(puzzle, &solution)), "{puzzle}");
    if verifier::clash(puzzle).is_some() {
        assert_eq!(solutions, 0, "{puzzle} has clues that clash");
    }
    if 81 - puzzle.clues() as usize <= MOST_BLANKS {
        let found = oracle::sudoku(puzzle, limit as usize);
        assert_eq!(solutions, found.len() as u64, "{puzzle}");
        if limit > 1 {
            assert_eq!(solution.map(|grid| *grid.cells()), found.first().copied(), "{puzzle}");
        }
    }
}

/// Compares an answer with that of the scalar solver. Its guesses differ, so either of them may have given up.
fn agree(puzzle: &Grid, found: &Outcome, measure: &Outcome, name: &str) {
    if [found.verdict, measure.verdict].contains(&Verdict::Unfinished) {
        return;
    }
    let say = |outcome: &Outcome| (outcome.verdict, outcome.solutions);
    assert_eq!(say(found), say(measure), "{name} on {puzzle}");
    if found.verdict == Verdict::Solved {
        // Any solution is valid, and each engine finds a different one.
        let solution = found.solution.expect("it is solved");
        assert!(verifier::sudoku(puzzle, &solution), "{name}: {puzzle} gives {solution}");
    } else {
        assert_eq!(found.solution, measure.solution, "{name} on {puzzle}");
    }
}

/// Returns the puzzle with some more cells filled in from the solution.
fn with_more_clues(puzzle: &Grid, solution: &Grid, cells: impl Iterator<Item = usize>) -> Grid {
    let mut more = *puzzle;
    for cell in cells {
        more.set(cell, solution.get(cell));
    }
    more
}

/// Checks one puzzle from all sides: a backend's answer for one limit must be consistent with its answers for other
/// limits.
fn look_at_all_limits(puzzle: &Grid, backend: Backend) {
    let solve = |puzzles: &[Grid], solutions| solve(backend, puzzles, &limits(solutions, MOST_GUESSES));
    let mut found = 0;
    let mut smallest: Option<Grid> = None;
    for limit in 1..=3 {
        let outcome = solve(&[Grid::EMPTY, *puzzle], limit)[1];
        if outcome.verdict == Verdict::Unfinished {
            return;
        }
        stands_to_reason(puzzle, &outcome, limit);
        let Outcome { solutions, solution, .. } = outcome;
        assert!(
            (found..=limit).contains(&solutions),
            "{solutions} solutions at limit {limit}, {found} below"
        );
        assert!(limit == 1 || solutions == found || solutions == found + 1);
        found = solutions;
        let Some(solution) = solution else { continue };
        if limit > 1 {
            assert!(
                smallest.is_none_or(|smallest| smallest == solution),
                "the smallest depends on the limit"
            );
            smallest = Some(solution);
        } else {
            // If all digits of a solution are given as clues, that solution is the only one.
            let full = with_more_clues(puzzle, &solution, 0..81);
            assert_eq!(solve(&[full], 2)[0].verdict, Verdict::Unique);
        }
    }
    // A smaller solution would agree with it up to some open cell, and have a smaller digit there.
    let Some(smallest) = smallest else { return };
    let open: Vec<usize> = (0..81).filter(|&cell| puzzle.get(cell) == 0).collect();
    let mut smaller = Vec::new();
    for &cell in &open {
        let mut prefix =
            with_more_clues(puzzle, &smallest, open.iter().copied().filter(|&before| before < cell));
        for digit in 1..smallest.get(cell) {
            prefix.set(cell, digit);
            smaller.push(prefix);
        }
    }
    for (puzzle, outcome) in smaller.iter().zip(solve(&smaller, 1)) {
        assert!(
            matches!(outcome.verdict, Verdict::Unsolvable | Verdict::Unfinished),
            "{smallest} is not the smallest solution: {puzzle} has one"
        );
    }
}
