//! `batchdoku minimize`: redundant clues, checked against the scalar solver and all subsets of clues.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};

use batchdoku::solver::Backend;
use batchdoku::solver::scalar::Solutions;
use batchdoku::sudoku::{Grid, cell_name};
use predicates::prelude::*;
use predicates::str::contains;

use crate::place::{Place, end, list};
use crate::puzzles::{ANSWER, UNIQUE, case, of_every_status};

/// Returns the rows without the header, split into fields.
fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().skip(1).map(|row| row.split(',').collect()).collect()
}

fn is_unique(puzzle: &Grid) -> bool {
    Solutions::new(puzzle).take(2).count() == 1
}

/// Returns the puzzle with these cells blank.
fn without(puzzle: &Grid, cells: impl IntoIterator<Item = usize>) -> Grid {
    let mut less = *puzzle;
    cells.into_iter().for_each(|cell| less.set(cell, 0));
    less
}

/// Returns the cells of the clues that could each be dropped on their own.
fn redundant(puzzle: &Grid) -> Vec<usize> {
    let clues = (0..81).filter(|&cell| puzzle.get(cell) != 0);
    clues.filter(|&cell| is_unique(&without(puzzle, [cell]))).collect()
}

fn names(cells: impl IntoIterator<Item = usize>) -> String {
    cells.into_iter().map(cell_name).collect::<Vec<_>>().join(" ")
}

/// Returns puzzles that have one solution and 21 to 80 clues.
fn puzzles() -> Vec<String> {
    // A grid without blanks would be read as the claim for the puzzle before it.
    let mut puzzles = vec![UNIQUE.to_owned(), format!(".{}", &ANSWER[1..])];
    for name in ["easy.txt", "minimal.txt", "hard.txt"] {
        puzzles.extend(list(name, 60));
    }
    // These are minimal puzzles with a few additional clues.
    for i in 0..60 {
        let puzzle = puzzles[62 + i].parse().unwrap();
        let solution = Solutions::new(&puzzle).next().unwrap();
        let mut more = puzzle;
        (0..1 + i % 20).map(|k| (37 * k + i) % 81).for_each(|cell| more.set(cell, solution.get(cell)));
        puzzles.push(more.to_string());
    }
    puzzles
}

#[test]
fn a_minimal_puzzle_has_one_solution_and_needs_every_clue() {
    let place = Place::new();
    let puzzles = puzzles();
    place.write("a.txt", puzzles.join("\n"));
    let (code, printed) = place.quiet("minimize a.txt");
    assert_eq!(code, 0);
    assert_eq!(
        printed.lines().next().unwrap(),
        "id,source,line,kind,status,puzzle,minimal,clues,dropped,error"
    );
    let rows = rows(&printed);
    assert_eq!(rows.len(), puzzles.len());
    for (row, text) in rows.iter().zip(&puzzles) {
        let (puzzle, minimal): (Grid, Grid) = (text.parse().unwrap(), row[6].parse().unwrap());
        assert_eq!(row[5], puzzle.to_string());
        let dropped = (0..81).filter(|&cell| puzzle.get(cell) != minimal.get(cell));
        assert_eq!(row[8], names(dropped.clone()));
        assert_eq!(minimal, without(&puzzle, dropped.clone()));
        assert!(is_unique(&minimal) && redundant(&minimal).is_empty(), "{minimal} of {text}");
        assert_eq!(row[7], minimal.clues().to_string());
        assert_eq!(row[4], if dropped.count() == 0 { "minimal" } else { "minimized" });
    }
    assert!(["minimal", "minimized"].iter().all(|status| rows.iter().any(|row| row[4] == *status)));

    // The row for a puzzle depends only on the seed and the puzzle.
    for more in ["-j 1", "-j 3 --chunk-size 500", "-j 2 --chunk-size 1", "--seed 1"] {
        assert!(place.quiet(&format!("minimize a.txt {more}")) == (0, printed.clone()), "{more}");
    }
    for backend in Backend::available() {
        let line = format!("minimize a.txt --backend {}", backend.name());
        assert!(place.quiet(&line) == (0, printed.clone()), "{line}");
    }
    let backwards: Vec<_> = puzzles.iter().rev().map(String::as_str).collect();
    place.file("b.txt", &backwards);
    let forwards: String = rows.iter().map(|row| format!("{}\n", row[6])).collect();
    let turned: String = rows.iter().rev().map(|row| format!("{}\n", row[6])).collect();
    assert!(place.quiet("minimize a.txt -O lines") == (0, forwards.clone()));
    assert!(place.quiet("minimize b.txt -O lines") == (0, turned));
    let (_, other) = place.quiet("minimize a.txt -O lines --seed 2");
    assert!(other != forwards && other.lines().count() == puzzles.len());

    // Minimal puzzles are left unchanged, in every format.
    place.write("minimal.txt", &forwards);
    for name in ["m.csv", "m.jsonl", "m.parquet", "m.arrow", "m.csv.zst"] {
        place.command(["minimize", "minimal.txt", "-q", "-o", name]).assert().code(0);
        let (code, printed) = place.quiet(&format!("minimize {name} --puzzle-column minimal --check"));
        assert_eq!(code, 0, "{name}");
        let found: String = self::rows(&printed).iter().map(|row| format!("{}\n", row[5])).collect();
        assert!(found == forwards, "{name}");
    }
}

#[test]
fn check_names_the_redundant_clues_and_drops_nothing() {
    let place = Place::new();
    let puzzles = puzzles();
    place.write("a.txt", puzzles.join("\n"));
    let mut expected = "id,source,line,kind,status,puzzle,clues,redundant,error\n".to_owned();
    for (text, id) in puzzles.iter().zip(1..) {
        let puzzle: Grid = text.parse().unwrap();
        let redundant = redundant(&puzzle);
        let status = if redundant.is_empty() { "minimal" } else { "redundant" };
        let clues = puzzle.clues();
        expected += &format!("{id},a.txt,{id},sudoku,{status},{puzzle},{clues},{},\n", names(redundant));
    }
    for more in ["", " -j 3 --chunk-size 700"] {
        assert!(place.quiet(&format!("minimize a.txt --check{more}")) == (1, expected.clone()), "{more}");
    }
    assert!(place.quiet("minimize a.txt --check --lenient") == (0, expected));
}

/// For puzzles with only a few redundant clues, all sets of clues are tried.
#[test]
fn all_minimal_puzzles_within_are_listed_once() {
    let place = Place::new();
    let few = |text: &String| (0..=9).contains(&redundant(&text.parse().unwrap()).len());
    let puzzles: Vec<_> = puzzles().into_iter().filter(few).collect();
    place.write("a.txt", puzzles.join("\n"));
    let (code, printed) = place.quiet("minimize a.txt --all");
    assert_eq!(code, 0);
    let rows = rows(&printed);
    let mut most = 0;
    for (text, id) in puzzles.iter().zip(1..) {
        let puzzle: Grid = text.parse().unwrap();
        let free = redundant(&puzzle);
        let subsets = (0..1_usize << free.len()).map(|set| {
            let cells = (0..free.len()).filter(|i| set >> i & 1 != 0).map(|i| free[i]);
            without(&puzzle, cells)
        });
        let expected: BTreeSet<_> =
            subsets.filter(|puzzle| is_unique(puzzle) && redundant(puzzle).is_empty()).collect();
        let own: Vec<_> = rows.iter().filter(|row| row[0] == format!("{id}")).collect();
        let found: BTreeSet<Grid> = own.iter().map(|row| row[7].parse().unwrap()).collect();
        assert_eq!((own.len(), &found), (expected.len(), &expected), "{text}");
        assert!(own.iter().zip(1..).all(|(row, n)| row[6] == format!("{n}") && row[5] == *text));
        most = most.max(own.len());
    }
    assert!(most > 10, "{most}");

    // With a limit, only some of them are listed, always the same ones, regardless of the number of threads.
    let (_, limited) = place.quiet("minimize a.txt --all --limit 3 -j 3 --chunk-size 300");
    let is_listed = |row: &&str| row.split(',').nth(6).is_some_and(|n| ["n", "1", "2", "3"].contains(&n));
    let expected: String = printed.lines().filter(is_listed).map(|row| format!("{row}\n")).collect();
    assert!(limited == expected);
}

/// There are more rows than fit on a page, and they keep coming as long as they are being read.
#[test]
fn the_minimal_puzzles_within_a_full_grid_stream_and_end_with_their_reader() {
    let mut child = Place::new().start("minimize --all -q -O lines -");
    child.stdin.take().unwrap().write_all(ANSWER.as_bytes()).unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let found: Vec<String> = lines.by_ref().take(1100).map(|line| line.unwrap()).collect();
    drop(lines);
    assert_eq!(end(&mut child).code(), Some(0));
    assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), 1100);
    for text in found.iter().step_by(110) {
        let puzzle: Grid = text.parse().unwrap();
        assert!(is_unique(&puzzle) && redundant(&puzzle).is_empty());
    }
}

#[test]
fn what_cannot_be_minimized_says_why() {
    let place = Place::with("a.csv", of_every_status());
    let expected = ["multiple 77 b", "unsolvable 9 c", "invalid 2 d", "invalid  e"];
    for (flags, unique, clues) in
        [("", "minimized", 7), (" --check", "redundant 32", 6), (" --all --limit 1", "minimized", 8)]
    {
        let (code, printed) = place.quiet(&format!("minimize a.csv --keep x{flags}"));
        let rows = rows(&printed);
        let found = rows.iter().map(|row| format!("{} {} {}", row[4], row[clues], row[row.len() - 1]));
        let found: Vec<_> = found.collect();
        assert_eq!((code, &found[1..], rows.len()), (1, &expected.map(str::to_owned)[..], 5), "{flags}");
        assert!(found[0].starts_with(unique) && found[0].ends_with(" a"), "{}", found[0]);
        assert!(rows[1..].iter().all(|row| row[clues - 1].is_empty() || flags == " --check"), "{printed}");
    }

    place.write("cases", format!("1\n{}\n", case()));
    for flags in ["", "--check", "--all"] {
        let line = format!("minimize cases --format cases {flags}");
        let run = place.run(&line).assert().code(1);
        run.stdout(contains("sudominoku,invalid,").and(contains("which cannot be minimized")));
    }
    for flags in ["--limit 3", "--check --all", "--seed 3 --check", "--seed 3 --all", "--check -O lines"] {
        place.run(&format!("minimize a.csv {flags}")).assert().code(2);
    }
}
