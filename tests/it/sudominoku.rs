//! Tests the Sudominoku solver and generator against a solver that shares no code with them.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use batchdoku::generate::sudominoku::generate;
use batchdoku::solver::sudominoku::{Solutions, solve};
use batchdoku::solver::{Limits, Outcome, Verdict};
use batchdoku::sudoku::{Case, Domino, Grid, verifier};
use proptest::prelude::*;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::contest;

/// The examples of BOJ 4574.
const JUDGE: [(&str, &str); 2] = [
    (
        "6 B2 1 B3 2 C4 9 C3 6 D3 8 E3 7 E1 4 F1 8 B7 4 B8 3 F5 2 F6 7 F7 6 F8 5 G4 9 G5 7 I8 8 I9 7 C9 2 B9 \
         C5 A3 D9 I4 A9 E5 A2 C6 I1",
        "872643195361975842549218637126754983738169254495832761284597316657381429913426578",
    ),
    (
        "5 I9 2 H9 6 A5 7 A6 4 B8 6 C8 3 B5 8 B4 3 C3 2 D3 9 D2 8 E2 3 G2 5 H2 1 A2 8 A1 1 H8 3 I8 8 I3 7 I4 \
         4 I6 9 I7 I5 E6 D1 F2 B3 G9 H7 C9 E5",
        "814267593965831247273945168392176854586492371741358629137529486459683712628714935",
    ),
];

/// Reads a case in the judge's notation, without the number of dominoes.
fn case(text: &str) -> Case {
    let words: Vec<&[u8]> = text.split_whitespace().map(str::as_bytes).collect();
    let cell = |word: &[u8]| (word[0] - b'A') * 9 + word[1] - b'1';
    let (dominoes, singles) = words.split_at(words.len() - 9);
    let domino = |words: &[&[u8]]| Domino {
        cells: [cell(words[1]), cell(words[3])],
        digits: [words[0][0] - b'0', words[2][0] - b'0'],
    };
    Case {
        dominoes: dominoes.chunks(4).map(domino).collect(),
        singles: std::array::from_fn(|digit| cell(singles[digit])),
    }
}

fn limits(solutions: u64, max_guesses: Option<u64>) -> Limits {
    let limits = Limits::default().with_solutions(NonZeroU64::new(solutions).expect("a limit is positive"));
    max_guesses.map_or(limits, |guesses| limits.with_max_guesses(guesses))
}

fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Returns a case that has a solution, with `dominoes` of its dominoes given; it often has several solutions.
fn truncated(seed: u64, dominoes: usize) -> Case {
    let mut case = generate(&mut rng(seed), 36);
    case.dominoes.truncate(dominoes);
    case
}

/// Checks the outcome for every limit, if `expected` holds all solutions in ascending order.
fn assert_outcomes(case: &Case, expected: &[Grid]) {
    for limit in [1, 2, 3, 10, 1000] {
        let outcome = solve(case, &limits(limit, None));
        let count = (expected.len() as u64).min(limit);
        let verdict = match (count, limit) {
            (0, _) => Verdict::Unsolvable,
            (_, 1) => Verdict::Solved,
            (1, _) => Verdict::Unique,
            _ => Verdict::Multiple,
        };
        assert_eq!((outcome.verdict, outcome.solutions), (verdict, count), "limit {limit}: {case:?}");
        match outcome.solution {
            Some(solution) if limit == 1 => assert!(expected.contains(&solution), "limit 1: {case:?}"),
            solution => assert_eq!(solution, expected.first().copied(), "limit {limit}: {case:?}"),
        }
        assert_eq!(outcome.time_ns, 0);
    }
    assert_eq!(Solutions::new(case).collect::<Vec<_>>(), expected, "{case:?}");
}

fn contest_way(case: &Case) -> Vec<Grid> {
    contest::solutions(case, usize::MAX).into_iter().collect()
}

#[test]
fn the_judge_examples_are_solved() {
    for (text, answer) in JUDGE {
        let case = case(text);
        let outcome = solve(&case, &Limits::default());
        assert_eq!((outcome.verdict, outcome.solutions), (Verdict::Unique, 1));
        assert_eq!(outcome.solution.unwrap().to_string(), answer);
        assert_eq!(contest::first(&case).unwrap().to_string(), answer);
        assert_eq!(contest::solutions(&case, 2).len(), 1);
    }
}

#[test]
fn every_solution_of_the_judge_examples_with_dominoes_hidden_is_found() {
    for (text, _) in JUDGE {
        let mut case = case(text);
        while case.dominoes.len() > 8 {
            case.dominoes.pop();
            assert_outcomes(&case, &contest_way(&case));
        }
    }
}

/// These cases have many solutions: the given dominoes lie in the middle, so the rim is a long open loop.
#[test]
fn many_solutions_are_counted_up_to_the_limit() {
    let case = |seed, dominoes| {
        let mut case = truncated(seed, 36);
        case.dominoes.sort_by_key(|domino| domino.cells[0].abs_diff(40));
        case.dominoes.truncate(dominoes);
        let solutions = contest::solutions(&case, 101);
        (case, solutions)
    };
    for (first_seed, dominoes) in [(2, 9), (34, 11), (69, 9), (95, 11)] {
        let mut cases = (first_seed..).map(|seed| case(seed, dominoes));
        let (case, expected) = cases.find(|(_, found)| (20..=100).contains(&found.len())).unwrap();
        assert_outcomes(&case, &expected.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn an_empty_case_is_answered() {
    let case = truncated(3, 0);
    let two = solve(&case, &Limits::default());
    let many = solve(&case, &limits(20, None));
    assert_eq!((two.verdict, two.solutions), (Verdict::Multiple, 2));
    assert_eq!((many.verdict, many.solutions), (Verdict::Multiple, 20));
    assert_eq!(two.solution, many.solution);
    let mut solutions = Solutions::new(&case);
    let listed: Vec<_> = solutions.by_ref().take(20).collect();
    assert_eq!(listed.first(), two.solution.as_ref());
    assert!(listed.is_sorted_by(|one, next| one < next), "in ascending order");
    assert!(listed.iter().all(|grid| verifier::sudominoku(&case, grid)));
    // The second one needs no guesses.
    for mut solutions in [solutions, Solutions::new(&truncated(3, 36))] {
        solutions.stop_on(Arc::new(AtomicBool::new(true)));
        assert_eq!(solutions.next(), None);
    }
}

/// Here the search comes across many grids whose digits all fit but which dominoes cannot cover.
#[test]
fn what_is_found_with_few_dominoes_given_solves_the_case() {
    for seed in 0..8 {
        for dominoes in [0, 2, 4, 6] {
            let case = truncated(seed, dominoes);
            for outcome in [solve(&case, &limits(1, None)), solve(&case, &limits(2, Some(20_000)))] {
                let solution = outcome.solution;
                assert!(solution.is_some() || outcome.verdict == Verdict::Unfinished, "{case:?}");
                assert!(solution.is_none_or(|grid| verifier::sudominoku(&case, &grid)), "{case:?}");
            }
        }
    }
}

#[test]
fn generated_cases_have_one_solution() {
    let mut rng = rng(1);
    for dominoes in [10, 12, 15] {
        for _ in 0..5 {
            let case = generate(&mut rng, dominoes);
            assert_eq!(case.dominoes.len(), dominoes);
            assert_outcomes(&case, &contest_way(&case));
            assert_eq!(contest::solutions(&case, 2).len(), 1);
        }
    }
}

#[test]
fn a_generated_case_is_written_and_read_back() {
    let case_made = generate(&mut rng(2), 11);
    let text = case_made.to_string();
    let (count, rest) = text.split_once('\n').unwrap();
    assert_eq!(count, "11");
    assert_eq!(case(rest), case_made);
}

#[test]
fn a_case_that_contradicts_itself_is_unsolvable() {
    let good = case(JUDGE[0].0);
    type Break = fn(&mut Case);
    let broken: [(&str, Break); 12] = [
        ("cell off the grid", |case| case.dominoes[0].cells[1] = 81),
        ("single off the grid", |case| case.singles[4] = 255),
        ("digit 0", |case| case.dominoes[3].digits[0] = 0),
        ("digit 10", |case| case.dominoes[3].digits[0] = 10),
        ("digit 255", |case| case.dominoes[3].digits[1] = 255),
        ("equal digits", |case| case.dominoes[3].digits = [5, 5]),
        ("equal cells", |case| case.dominoes[0].cells = [10, 10]),
        ("cells apart", |case| case.dominoes[0].cells = [10, 12]),
        ("cells of two rows", |case| case.dominoes[0].cells = [8, 9]),
        ("domino given twice", |case| case.dominoes.push(case.dominoes[0])),
        ("pair used twice", |case| case.dominoes.push(Domino { cells: [7, 6], digits: [1, 6] })),
        ("single twice", |case| case.singles[0] = case.singles[1]),
    ];
    for (what, break_it) in broken {
        let mut case = good.clone();
        break_it(&mut case);
        let outcome = solve(&case, &Limits::default());
        let expected = Outcome::new(Verdict::Unsolvable);
        assert_eq!(outcome, expected, "{what}");
    }
}

/// A corner cut off by singles cannot be covered, whatever the digits; a search on its own would never end.
#[test]
fn a_cell_cut_off_is_unsolvable_at_once() {
    let case = Case { dominoes: Vec::new(), singles: [1, 9, 30, 41, 52, 60, 71, 76, 22] };
    assert_eq!(solve(&case, &limits(2, Some(0))).verdict, Verdict::Unsolvable);
}

#[test]
fn too_few_cells_of_one_colour_are_unsolvable_at_once() {
    let case = Case { dominoes: Vec::new(), singles: [0, 12, 24, 28, 40, 52, 56, 68, 80] };
    assert_eq!(solve(&case, &limits(2, Some(0))).verdict, Verdict::Unsolvable);
}

/// The two cells of a domino can be given in either order.
#[test]
fn the_order_of_a_dominos_cells_does_not_matter() {
    let mut case = case(JUDGE[1].0);
    for domino in &mut case.dominoes {
        domino.cells.reverse();
        domino.digits.reverse();
    }
    assert_eq!(solve(&case, &Limits::default()).solution.unwrap().to_string(), JUDGE[1].1);
}

#[test]
fn guesses_up_to_the_bound_are_allowed() {
    let mut guessed = 0;
    for seed in 0..30 {
        let case = generate(&mut rng(seed), 10);
        let free = solve(&case, &Limits::default());
        assert_eq!(free, solve(&case, &limits(2, Some(free.guesses))));
        if free.guesses == 0 {
            continue;
        }
        guessed += 1;
        let bound = free.guesses - 1;
        let outcome = solve(&case, &limits(2, Some(bound)));
        assert_eq!((outcome.verdict, outcome.solution), (Verdict::Unfinished, None));
        assert_eq!(outcome.guesses, bound);
        assert!(outcome.solutions <= 1);
    }
    assert!(guessed > 10, "only {guessed} cases needed guesses");
}

/// The search for the smallest solution makes guesses of its own, which are limited but not reported.
#[test]
fn the_smallest_solution_is_given_up_beyond_the_bound() {
    let mut given_up = 0;
    for seed in 0..10 {
        let case = truncated(seed, 4);
        let free = solve(&case, &Limits::default());
        let bounded = solve(&case, &limits(2, Some(free.guesses)));
        assert_eq!((free.verdict, free.solutions), (Verdict::Multiple, 2));
        assert_eq!((bounded.guesses, bounded.solutions), (free.guesses, 2));
        if bounded.verdict == Verdict::Unfinished {
            assert_eq!(bounded.solution, None);
            given_up += 1;
        } else {
            assert_eq!(bounded, free);
        }
    }
    assert!(given_up > 0, "no case needed more guesses for the smallest solution");
}

/// Returns a case, changed a little if `is_mutated`, so that it usually has no solution.
fn mutated(seed: u64, dominoes: usize, is_mutated: bool) -> Case {
    let (mut case, mut rng) = (truncated(seed, dominoes), rng(seed));
    if !is_mutated {
        return case;
    }
    let mut random = |bound: usize| (rng.next_u64() % bound as u64) as usize;
    let count = case.dominoes.len();
    match random(4) {
        0 => case.dominoes[random(count)].digits.reverse(),
        1 => case.dominoes[random(count)].digits[0] = random(9) as u8 + 1,
        2 => case.singles.swap(random(9), random(9)),
        _ => {
            let (first, second) = (random(count), random(count));
            let digits = case.dominoes[first].digits;
            case.dominoes[first].digits = case.dominoes[second].digits;
            case.dominoes[second].digits = digits;
        }
    }
    case
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_contest_way_agrees(seed: u64, dominoes in 10_usize..=36, is_mutated: bool) {
        let case = mutated(seed, dominoes, is_mutated);
        assert_outcomes(&case, &contest_way(&case));
    }

    #[test]
    fn no_case_panics(
        dominoes in prop::collection::vec((0_u8..90, prop::sample::select(vec![0_u8, 1, 9, 10]), 0_u8..11, 0_u8..11), 0..40),
        singles: [u8; 9],
        on_grid: bool,
    ) {
        let dominoes = dominoes.into_iter().map(|(cell, step, d, e)| Domino { cells: [cell, cell + step], digits: [d, e] });
        let singles = singles.map(|cell| if on_grid { cell % 81 } else { cell });
        let case = Case { dominoes: dominoes.collect(), singles };
        let outcome = solve(&case, &limits(2, Some(200)));
        prop_assert!(outcome.guesses <= 200);
    }
}

#[cfg(feature = "cli")]
mod claims {
    use batchdoku::solver::scalar;

    use super::*;
    use crate::place::{Place, columns};

    /// A grid that satisfies a case's clues as a sudoku is not a solution if dominoes cannot cover it. If a case has
    /// several solutions, that is reported, whichever of them is claimed.
    #[test]
    fn a_claim_of_a_sudominoku_needs_dominoes_and_uniqueness() {
        let place = Place::new();
        let case = truncated(3, 4);
        place.write("case.in", format!("{case}\n0\n"));
        let solutions: Vec<_> = Solutions::new(&case).take(3).collect();
        assert!(solutions.len() > 1);
        for (at, solution) in solutions.iter().enumerate() {
            place.write("case.out", format!("{solution}\n"));
            let other = solutions[usize::from(at == 0)];
            assert_eq!(finding(&place), ["not-unique".to_owned(), other.to_string(), String::new()]);
        }
        let uncovered = scalar::Solutions::new(&case.givens())
            .find(|grid| !verifier::sudominoku(&case, grid))
            .expect("the dominoes rule some sudokus out");
        place.write("case.out", format!("{uncovered}\n"));
        let error = "line 1, column 1 (in case.out): claimed solution: no cover by dominoes \
                     (expected each pair of digits once)";
        assert_eq!(finding(&place), ["wrong", "", error]);
    }

    /// Returns the status, `other` and the error for the claim in `case.out`.
    fn finding(place: &Place) -> [String; 3] {
        let (_, rows, _) = place.ran("verify case.in --answers case.out");
        columns(&rows, &["status", "other", "error"]).remove(0)
    }
}
