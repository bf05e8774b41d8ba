use super::cells::{CellSet, Digits, HOUSE};
use super::state::State;
use super::{Class, Pass, Rating, Technique, backdoor, depth, explain, rate};
use super::{aligned, chains, forcing, locked, loops, singles, subsets, wings};
use crate::solver::{Options, solve};
use crate::sudoku::{CELLS, Grid, Symmetry, are_peers};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashSet;

/// Returns puzzles with the reference's ratings (see the top of `rated.txt`) and with their solutions.
fn rated() -> Vec<(Grid, Rating, Grid)> {
    let rating = |tenths: u8| {
        if tenths > Rating::HIGHEST { Rating::Above(Rating::HIGHEST) } else { Rating::Exactly(tenths) }
    };
    let line = |line: &str| {
        let (text, tenths) = line.split_once(' ').unwrap();
        let puzzle = text.parse().unwrap();
        let answers = solve(&[puzzle], &Options::default());
        (puzzle, rating(tenths.replace('.', "").parse().unwrap()), answers.solutions()[0].unwrap())
    };
    include_str!("rated.txt").lines().filter(|line| !line.starts_with('#')).map(line).collect()
}

/// Puzzles and their depth: two from a list, with published ratings of 11.0 and above, and the first known puzzle of
/// depth 3 ("Loki").
const HARDER: [(&str, u8); 3] = [
    ("98.7..6..75..4......3..8.7.5....7.3...94.........2.1..3.......1.9...5.8...52....6", 2),
    ("98.7..6..75..4......3..8.7.8....9.5..3.2..1.....4....6.7...4.3....8..4......1...2", 2),
    ("57....9..........8.1.........168..4......28.9..2.9416.....2.....6.9.82.4...41.6..", 3),
];

#[test]
fn what_is_harder_is_rated_above() {
    for (puzzle, expected) in HARDER {
        let puzzle = puzzle.parse().unwrap();
        assert_eq!((rate(&puzzle), depth(&puzzle)), (Rating::Above(Rating::HIGHEST), expected));
    }
}

/// Every step follows from the previous ones and agrees with the solution, and the hardest step determines the rating.
#[test]
fn puzzles_have_the_ratings_of_the_reference_and_steps_lead_to_the_solution() {
    for (puzzle, rating, solution) in rated() {
        let (explained, steps) = explain(&puzzle);
        assert_eq!((rate(&puzzle), explained), (rating, rating), "{puzzle}");
        let mut state = State::new(&puzzle);
        for step in &steps {
            if let Some((cell, digit)) = step.placed {
                assert_eq!(solution.get(cell), digit, "{puzzle} {step}");
                state.place(cell, usize::from(digit) - 1);
            }
            for &(digit, cells) in &step.removed {
                assert!(cells.iter().all(|cell| solution.get(cell) != digit), "{puzzle} {step}");
                assert_eq!(state.strike(cells, usize::from(digit) - 1), cells, "{puzzle} {step}");
            }
            assert_eq!(step.placed.is_none(), !step.removed.is_empty());
        }
        let hardest = steps.iter().map(|step| step.reason.rating).max().unwrap();
        match rating {
            Rating::Exactly(tenths) => assert_eq!((tenths, state.is_solved()), (hardest, true)),
            Rating::Above(limit) => assert!(hardest > limit || !state.is_solved()),
        }
    }
}

/// Sudoku Explainer rates some isomorphs differently. It finds the first puzzle's loop, which has more than two extra
/// cells, in 20 of 40 isomorphs. The order in which it finds implications decides the second puzzle's rating.
#[test]
fn isomorphs_that_the_reference_rates_differently_have_its_ratings() {
    for (puzzle, symmetry, ratings) in [
        (
            ".74....5...3...86......3..7.....8....2...691..5.2..6.....9..12..98.4...6.62......",
            "tr987132645c123645978d632751489",
            ["4.7", "7.1"],
        ),
        (
            "3.7.45.....9....7......25...21.6...8.....416...5......9.35....4.....1..........83",
            "r213456978c978123465d695284731",
            ["8.2", "8.3"],
        ),
    ] {
        let (puzzle, symmetry): (Grid, Symmetry) = (puzzle.parse().unwrap(), symmetry.parse().unwrap());
        assert_eq!([puzzle, symmetry.apply(&puzzle)].map(|puzzle| rate(&puzzle).to_string()), ratings);
    }
}

/// This covers ratings up to plain chains; beyond that, the chains found differ between isomorphs.
#[test]
fn isomorphs_are_equally_hard() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for (puzzle, rating, _) in rated().into_iter().filter(|puzzle| puzzle.1 <= Rating::Exactly(74)) {
        for _ in 0..10 {
            let symmetry = Symmetry::random(&mut rng);
            assert_eq!(rate(&symmetry.apply(&puzzle)), rating, "{puzzle} {symmetry}");
        }
    }
}

/// Tries 1,000 isomorphs of one puzzle per rating and of harder ones, but only 10 of the depth-3 puzzle, which is slow.
#[test]
fn class_depth_and_backdoor_are_those_of_every_isomorph() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut puzzles: Vec<_> = rated().into_iter().step_by(4).map(|(puzzle, ..)| (puzzle, 1000)).collect();
    puzzles
        .extend(HARDER.iter().zip([1000, 1000, 10]).map(|((text, _), count)| (text.parse().unwrap(), count)));
    let measures =
        |puzzle: &Grid, solution: &Grid| (Class::of(puzzle), depth(puzzle), backdoor(puzzle, solution));
    let mut seen = HashSet::new();
    for (puzzle, count) in puzzles {
        let solution = solve(&[puzzle], &Options::default()).solutions()[0].unwrap();
        let expected = measures(&puzzle, &solution);
        for _ in 0..count {
            let symmetry = Symmetry::random(&mut rng);
            let isomorph = [puzzle, solution].map(|grid| symmetry.apply(&grid));
            assert_eq!(measures(&isomorph[0], &isomorph[1]), expected, "{puzzle} {symmetry}");
        }
        seen.insert(expected);
    }
    assert!((0..=3).all(|depth| seen.iter().any(|measures| measures.1 == depth)), "{seen:?}");
    assert!((0..=2).all(|size| seen.iter().any(|measures| measures.2 == size)), "{seen:?}");
    assert!(Class::all().all(|class| seen.iter().any(|measures| measures.0 == class)), "{seen:?}");
}

/// A blank that is alone in a house is a last digit; two blanks in a row and a box are not.
#[test]
fn a_solution_with_blanks_is_easy() {
    let solution: Grid =
        "123456789456789123789123456231674895875912364694538217317265948542897631968341572".parse().unwrap();
    let without = |cells: &[usize]| {
        let mut puzzle = solution;
        cells.iter().for_each(|&cell| puzzle.set(cell, 0));
        rate(&puzzle).to_string()
    };
    assert_eq!([without(&[]), without(&[40]), without(&[0, 12, 24, 30])], ["1.0"; 3]);
    let first_box = [0, 1, 9, 10];
    assert_eq!(without(&first_box), "1.2");
}

/// The result is meaningless, but the call must return.
#[test]
fn a_puzzle_without_one_solution_ends() {
    let solution = "123456789456789123789123456231674895875912364694538217317265948542897631968341572";
    for shift in 0..9 {
        // Some of the solution's clues; for shifts above 0, some of them clash.
        let digit = |at: usize, digit: u8| (digit - b'1' + (at % 7 * shift) as u8) % 9 + 1;
        let clue = |(at, byte): (usize, u8)| if at % 5 < 2 { digit(at, byte) } else { 0 };
        let cells: Vec<u8> = solution.bytes().enumerate().map(clue).collect();
        let puzzle = Grid::try_from(&cells[..]).unwrap();
        let _ =
            (rate(&puzzle), explain(&puzzle), Class::of(&puzzle), depth(&puzzle), backdoor(&puzzle, &puzzle));
    }
    assert_eq!(rate(&Grid::EMPTY), Rating::Above(Rating::HIGHEST));
    let mut state = State::new(&Grid::EMPTY);
    state.strike(HOUSE[0], 0);
    assert!(!singles::hidden_in_lines(&mut state) && state.is_contradiction());
}

/// Returns a set of cells from rows and columns: `AB12` is A1, A2, B1, B2.
fn cells(text: &str) -> CellSet {
    let rows = text.bytes().filter(u8::is_ascii_uppercase).map(|row| usize::from(row - b'A'));
    let columns = || text.bytes().filter(u8::is_ascii_digit).map(|column| usize::from(column - b'1'));
    rows.flat_map(|row| columns().map(move |column| 9 * row + column)).collect()
}

/// Returns the steps of a technique on an empty grid in which cells have only certain candidates (`AB12:45`) or lack
/// some (`AB12-45`).
fn steps_of(technique: Pass, candidates: &str) -> String {
    let mut state = State::new(&Grid::EMPTY);
    for part in candidates.split(' ') {
        let (at, digits) = part.split_once([':', '-']).unwrap();
        let digits: Digits = digits.bytes().map(|digit| usize::from(digit - b'1')).collect();
        let gone = if part.contains('-') { digits } else { !digits & Digits::NINE };
        for digit in gone.iter() {
            state.strike(cells(at), digit);
        }
    }
    state.steps = Some(Vec::new());
    technique(&mut state);
    state.steps.unwrap().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The patterns are handmade, each as small as its definition allows.
#[test]
fn a_technique_does_what_its_definition_says() {
    let cases: [(Pass, &str, &str); 27] = [
        (
            locked::direct_pointing,
            "BC123-1 B456-1 C5689-1 C47:1",
            "1.7 direct pointing 1 in A1 A2 A3: C4 is 1",
        ),
        (locked::direct_claiming, "A3456789-1 B246789-1", "1.9 direct claiming 1 in A1 A2: B5 is 1"),
        (subsets::direct_hidden::<2>, "A3456789-12 A456789-3", "2.0 direct hidden pair 12 in A1 A2: A3 is 3"),
        (locked::pointing, "BC123-1", "2.6 pointing 1 in A1 A2 A3: not 1 in A4 A5 A6 A7 A8 A9"),
        (locked::claiming, "A456789-1", "2.8 claiming 1 in A1 A2 A3: not 1 in B1 B2 B3 C1 C2 C3"),
        (
            subsets::naked::<2>,
            "A19:12 A34567-2",
            "3.0 naked pair 12 in A1 A9: not 1 in A2 A3 A4 A5 A6 A7 A8, not 2 in A2 A8",
        ),
        (
            subsets::fish::<2>,
            "AD2346789-1 EFG1-1",
            "3.2 X-wing 1 in A1 A5 D1 D5: not 1 in B1 B5 C1 C5 E5 F5 G5 H1 H5 I1 I5",
        ),
        (
            subsets::hidden::<2>,
            "A2345678-12 A19-789",
            "3.4 hidden pair 12 in A1 A9: not 3 in A1 A9, not 4 in A1 A9, not 5 in A1 A9, not 6 in A1 A9",
        ),
        (
            subsets::hidden::<4>,
            "A23678-1234 A1459-789",
            "5.4 hidden quad 1234 in A1 A4 A5 A9: not 5 in A1 A4 A5 A9, not 6 in A1 A4 A5 A9",
        ),
        (wings::xy, "A1:12 A5:13 D1:23", "4.2 XY-wing 123 in A1 A5 D1: not 3 in D5"),
        (wings::xyz, "A1:123 A5:13 B2:23", "4.4 XYZ-wing 123 in A1 A5 B2: not 3 in A2 A3"),
        (
            loops::unique_loops,
            "A12:12 D1:12",
            "4.5 unique loop of type 1 12 in A1 A2 D1 D2: not 1 in D2, not 2 in D2",
        ),
        (
            loops::unique_loops,
            "A12:12 D12:123 EF123-3",
            "4.5 unique loop of type 2 12 in A1 A2 D1 D2: not 3 in D3 D4 D5 D6 D7 D8 D9",
        ),
        (
            loops::unique_loops,
            "A12:12 D1:123 D2:124 D9:34 D567-4",
            "4.6 unique loop of type 3 12 in A1 A2 D1 D2: not 3 in D3 D4 D5 D6 D7 D8, not 4 in D3 D4 D8",
        ),
        (
            loops::unique_loops,
            "A12:12 D1:123 D2:124 D345678-12 D9-6789",
            "4.5 unique loop of type 3 12 in A1 A2 D1 D2: not 3 in D9, not 4 in D9, not 5 in D9",
        ),
        (
            loops::unique_loops,
            "A12:12 D1:123 D2:124 D3456789-1",
            "4.5 unique loop of type 4 12 in A1 A2 D1 D2: not 2 in D1 D2",
        ),
        (
            loops::unique_loops,
            "A39:12 B49:12 C3:12 A1245678-1 B1235678-1 C1256789-1 DEFGHI123456789-1",
            "4.6 unique loop of type 1 12 in A3 A9 B4 B9 C3 C4: not 1 in C4, not 2 in C4",
        ),
        (
            aligned::pair_exclusion,
            "A1:37 B4:45 A5:34 B2:35 A23-3 B56-3",
            "6.2 aligned pair exclusion 3457 in A1 B4: not 3 in A1",
        ),
        (
            chains::chains,
            "A2346789-1 E1234678-1 G2345678-1",
            "6.5 X-cycle 1 in A1 A5 E5 E9 G1 G9: \
             not 1 in B1 B5 B9 C1 C5 C9 D1 D5 D9 F1 F5 F9 H1 H5 H9 I1 I5 I9",
        ),
        (
            chains::chains,
            "A1:12 A5:23 A9:13 A4678-1 A4678-2",
            "6.5 Y-cycle 123 in A1 A5 A9: not 1 in A2 A3, not 2 in A2 A3, not 3 in A2 A3 A4 A6 A7 A8",
        ),
        (chains::chains, "A2346789-1 D2345789-1", "6.6 forcing X-chain 1 in A1 A5 B6 D1 D6: not 1 in B6"),
        (
            chains::chains,
            "A1:12 BCDFGHI5-1 E2346789-2",
            "7.0 XY-cycle 12 in A1 A5 E1 E5: \
             not 1 in A2 A3 A4 A6 A7 A8 A9, not 2 in B1 C1 D1 F1 G1 H1 I1",
        ),
        (chains::chains, "A1:12 A5:13 D1:23", "7.1 forcing chain 123 in A1 A5 D1 D5: not 3 in D5"),
        (
            aligned::triplet_exclusion,
            "A1:14 A2:25 A3:36 A7:123 A8:126 A9:15",
            "7.5 aligned triplet exclusion 123456 in A1 A2 A3: not 1 in A1",
        ),
        (forcing::nishio, "DG2346789-1", "7.6 Nishio forcing chains 1 in A1: not 1 in A1"),
        (forcing::multiple, "A1:123 A5:19 A6:29 A7:39", "8.3 cell forcing chains 123 in A1: not 9 in A4"),
        (forcing::multiple, "A2346789-1 D15:19", "8.1 house forcing chains 1 in A1 A5: not 1 in B1"),
    ];
    for (technique, candidates, expected) in cases {
        assert_eq!(steps_of(technique, candidates), expected, "{candidates}");
    }
}

#[test]
fn a_technique_says_its_name_and_type() {
    assert_eq!(Technique::UniqueLoop(2).to_string(), "unique loop of type 2");
    assert_eq!(Technique::XWing.to_string(), "X-wing");
    assert_eq!([Rating::Exactly(12), Rating::Above(62)].map(|rating| rating.to_string()), ["1.2", ">6.2"]);
    let names: Vec<_> = Class::all().map(Class::name).collect();
    assert_eq!(names[2..], ["naked singles", "locked candidates", "subsets", "beyond"]);
}

/// Takes singles until there are none left, in the simplest way; returns `None` if there is a contradiction.
fn plain_singles(mut candidates: [Vec<u8>; CELLS]) -> Option<[Vec<u8>; CELLS]> {
    loop {
        let before = candidates.clone();
        for cell in 0..CELLS {
            if let [digit] = candidates[cell][..] {
                (0..CELLS)
                    .filter(|&peer| are_peers(cell, peer))
                    .for_each(|peer| candidates[peer].retain(|&d| d != digit));
            }
        }
        for (house, digit) in HOUSE.iter().flat_map(|house| (1..=9).map(move |digit| (house, digit))) {
            let places: Vec<usize> = house.iter().filter(|&cell| candidates[cell].contains(&digit)).collect();
            match places[..] {
                [] => return None,
                [cell] => candidates[cell] = vec![digit],
                _ => {}
            }
        }
        if candidates.iter().any(Vec::is_empty) {
            return None;
        }
        if candidates == before {
            return Some(candidates);
        }
    }
}

fn plain_depth_up_to_1(puzzle: &Grid) -> Option<u8> {
    let is_solved = |candidates: &[Vec<u8>; CELLS]| candidates.iter().all(|cell| cell.len() == 1);
    let start = puzzle.cells().map(|digit| if digit == 0 { (1..=9).collect() } else { vec![digit] });
    let mut candidates = plain_singles(start).unwrap();
    if is_solved(&candidates) {
        return Some(0);
    }
    loop {
        let before = candidates.clone();
        for cell in 0..CELLS {
            for digit in candidates[cell].clone() {
                let mut trial = candidates.clone();
                trial[cell] = vec![digit];
                if plain_singles(trial).is_none() {
                    candidates[cell].retain(|&other| other != digit);
                    candidates = plain_singles(candidates).unwrap();
                }
            }
        }
        if is_solved(&candidates) {
            return Some(1);
        }
        if candidates == before {
            return None;
        }
    }
}

#[test]
fn depth_is_that_of_plain_trial_and_error() {
    for (puzzle, ..) in rated().into_iter().step_by(6) {
        assert_eq!(Some(depth(&puzzle)).filter(|&depth| depth < 2), plain_depth_up_to_1(&puzzle), "{puzzle}");
    }
}

/// If singles are enough, the depth and the backdoor are 0, and the class is easy. The simple search finds every
/// backdoor of one cell.
#[test]
fn a_backdoor_is_the_smallest() {
    for (puzzle, _, solution) in rated().into_iter().step_by(6) {
        let opens = |cell: usize| {
            let mut more = puzzle;
            more.set(cell, solution.get(cell));
            plain_depth_up_to_1(&more) == Some(0)
        };
        let size = backdoor(&puzzle, &solution);
        assert_eq!(size == 0, depth(&puzzle) == 0);
        assert_eq!(size == 0, Class::of(&puzzle) <= Class::NakedSingles);
        assert_eq!(size <= 1, (0..CELLS).any(opens), "{puzzle}");
    }
}

/// The clock has an entry for every exact rating.
#[test]
fn a_technique_of_any_rating_can_ask_what_changed() {
    let mut state = State::new(&Grid::EMPTY);
    for rating in 10..=Rating::HIGHEST {
        state.changed(rating);
    }
}
