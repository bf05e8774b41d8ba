//! `batchdoku permute` as a user sees it, against symmetries that are written out by hand.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use batchdoku::sudoku::{Grid, Symmetry};

use crate::place::Place;
use crate::puzzles::{ANSWER, UNIQUE};

/// The rows of a table, without the header.
fn rows(table: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

fn printed(place: &Place, line: &str) -> String {
    let output = place.run(line).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A grid under a symmetry in the words of the notation, digit by digit.
fn by_hand(symmetry: &str, grid: &str) -> String {
    let cells: Vec<char> = grid.chars().collect();
    let (transposed, parts) = symmetry.strip_prefix('t').map_or((false, symmetry), |rest| (true, rest));
    let number = |part: usize, at: usize| usize::from(parts.as_bytes()[10 * part + 1 + at] - b'1');
    let cell = |row: usize, column: usize| {
        let (row, column) = if transposed { (column, row) } else { (row, column) };
        match cells[9 * row + column].to_digit(10) {
            None | Some(0) => '.',
            Some(digit) => char::from(parts.as_bytes()[20 + digit as usize]),
        }
    };
    (0..81).map(|at| cell(number(0, at / 9), number(1, at % 9))).collect()
}

#[test]
fn a_row_is_what_its_symmetry_makes_of_puzzle_and_solution_with_its_columns() {
    let place = Place::new();
    place.write("set.csv", format!("source,question,answer,rating\na,{UNIQUE},{ANSWER},7\nb,{UNIQUE},,3\n"));
    let table = printed(&place, "permute set.csv -k 20 --with-symmetry -q");
    assert!(table.starts_with("puzzle,solution,symmetry,source,rating\n"), "{table}");
    let rows = rows(&table);
    assert_eq!(rows.len(), 40);
    for (at, row) in rows.iter().enumerate() {
        let [puzzle, solution, symmetry, source, rating] = &row[..] else { panic!("{row:?}") };
        assert_eq!(*puzzle, by_hand(symmetry, UNIQUE));
        let claim = if at < 20 { by_hand(symmetry, ANSWER) } else { String::new() };
        assert_eq!((solution, &**source, &**rating), (&claim, ["a", "b"][at / 20], ["7", "3"][at / 20]));
        // What the column says can be applied again.
        place.write("one.txt", UNIQUE);
        if at % 13 == 0 {
            assert_eq!(
                printed(&place, &format!("permute one.txt --by {symmetry} -O lines -q")),
                format!("{puzzle}\n")
            );
        }
    }
    let distinct: BTreeSet<_> = rows.iter().map(|row| &row[2]).collect();
    assert_eq!(distinct.len(), 40, "each record has symmetries of its own");
}

/// PROMISE: same-rows
#[test]
fn the_same_seed_gives_the_same_rows_whatever_the_threads() {
    let place = Place::new();
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/easy.txt");
    fs::copy(list, place.path("list.txt")).unwrap();
    let one = printed(&place, "permute list.txt -k 30 --seed 5 -j 1 -q");
    assert_eq!(one.lines().count(), 60_001);
    for flags in ["-j 2", "-j 3 --chunk-size 1000", "-j 2 --chunk-size 100000000"] {
        assert!(printed(&place, &format!("permute list.txt -k 30 --seed 5 -q {flags}")) == one, "{flags}");
    }
    assert_ne!(printed(&place, "permute list.txt -k 30 --seed 6 -q"), one);
    // A run that is cut off goes on with the same isomorphs.
    place.run("permute list.txt -k 30 --seed 5 -q -o all.csv").assert().success();
    assert!(place.read("all.csv") == one);
}

#[test]
fn parts_that_are_not_named_stay_as_they_are() {
    let place = Place::new();
    place.write("one.txt", UNIQUE);
    for (part, orbit, fixed) in [
        ("digits", 362_880, "r123456789c123456789d"),
        ("bands", 6, "c123456789d123456789"),
        ("stacks", 6, "r123456789c"),
        ("rows", 216, "c123456789d123456789"),
        ("columns", 216, "d123456789"),
        ("transpose", 2, "r123456789c123456789d123456789"),
    ] {
        let line = format!("permute one.txt -k 300 --only {part} --with-symmetry -q");
        let rows = rows(&printed(&place, &line));
        assert_eq!(rows.len(), 300);
        assert!(rows.iter().all(|row| row[1].contains(fixed)), "{part}");
        // All there are, before one comes again; the puzzle itself last.
        let first: BTreeSet<_> = rows.iter().take(orbit - 1).map(|row| &row[0]).collect();
        assert_eq!(first.len(), 300.min(orbit - 1), "{part}");
        assert!(!first.contains(&UNIQUE.to_owned()), "{part}");
    }
    place.run("permute one.txt --only boxes").assert().code(2);
    place.run("permute one.txt -k 0").assert().code(2);
    place.run("permute one.txt --by r123456789 -k 2").assert().code(2);
}

#[test]
fn a_bad_record_costs_itself() {
    let place = Place::new();
    place.write("list.txt", format!("{UNIQUE}\n{}\n{UNIQUE}\n", &UNIQUE[1..]));
    for flags in ["", " -j 2 --chunk-size 1"] {
        let output = place.run(&format!("permute list.txt -k 2 -O lines{flags}")).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let grids: Vec<Grid> = text.lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!((grids.len(), output.status.code()), (4, Some(1)));
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains("list.txt:2:81: 80 cells (expected 81)"), "{message}");
    }
    // Solved, they are the isomorphs of the one solution, so the symmetry is that of the grid.
    let table = printed(&place, "permute list.txt -k 1 --with-symmetry -q --lenient");
    let row = &rows(&table)[0];
    let symmetry: Symmetry = row[1].parse().unwrap();
    place.write("isomorph.txt", &row[0]);
    let solved = printed(&place, "solve isomorph.txt -O lines -q");
    let expected = symmetry.apply(&ANSWER.parse().unwrap());
    assert_eq!(solved, format!("{},{expected}\n", row[0]));
}
