//! Tests `batchdoku split` as a user sees it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;

use batchdoku::sudoku::{Grid, Symmetry};
use predicates::prelude::*;
use predicates::str::contains;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::dedupe::{blanked, solution};
use crate::place::Place;
use crate::puzzles::{UNIQUE, double, grid, unsolvable};

/// A test row: its puzzle, and its class under each `--same`.
type Row = (String, [String; 3]);

/// Returns two similar puzzles for each of 60 solutions. Each puzzle comes with a copy and an isomorph, and an isomorph
/// of the complete solution follows.
fn rows() -> Vec<Row> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut isomorph =
        |text: &str| Symmetry::random(&mut rng).apply(&text.parse::<Grid>().unwrap()).to_string();
    let mut rows = Vec::new();
    for n in 0..60 {
        let solution = solution(n);
        for (kind, blanks) in [[0, 40, 80], [0, 1, 2]].into_iter().enumerate() {
            let puzzle = blanked(&solution, blanks);
            for text in [puzzle.clone(), isomorph(&puzzle), puzzle.replace('.', "0")] {
                let cells = text.replace('0', ".");
                rows.push((text, [cells, format!("{n} {kind}"), format!("{n}")]));
            }
        }
        let text = isomorph(&solution);
        rows.push((text.clone(), [text, format!("{n} whole"), format!("{n}")]));
    }
    rows
}

const HEADER: &str = "number,question,level\n";

/// Returns a table of puzzles with a level from 0 to 4.
fn table(rows: &[Row]) -> String {
    let row = |(number, (text, _)): (usize, &Row)| format!("{number},{text},{}\n", number % 5);
    HEADER.to_owned() + &rows.iter().enumerate().map(row).collect::<String>()
}

/// Returns the row numbers in a part, after checking that its rows are those of the whole table.
fn numbers(place: &Place, name: &str, whole: &str) -> Vec<usize> {
    let text = place.read(name);
    assert!(text.starts_with(HEADER), "{name}");
    let lines: Vec<_> = whole.lines().skip(1).collect();
    let number = |row: &str| {
        let number: usize = row.split(',').next().unwrap().parse().unwrap();
        assert_eq!(row, lines[number]);
        number
    };
    text.lines().skip(1).map(number).collect()
}

/// PROMISE: parts-share-nothing
/// PROMISE: same-rows
#[test]
fn no_class_is_in_two_parts_and_each_record_in_one() {
    let place = Place::new();
    let rows = rows();
    let whole = table(&rows);
    place.write("all.csv", &whole);
    let names = ["train.csv", "valid.csv", "x.csv"];
    let shares = [294.0, 84.0, 42.0];
    for (kind, same) in ["text", "puzzle", "solution-grid"].into_iter().enumerate() {
        let run = |flags: &str| {
            let words =
                format!("split all.csv --parts train=0.7,valid.csv=.2,x=0.1 -q --same {same} {flags}");
            place.run(&words).assert().code(0).stdout("");
            names.map(|name| numbers(&place, name, &whole))
        };
        let parts = run("");
        let mut all = parts.concat();
        all.sort_unstable();
        assert_eq!(all, (0..rows.len()).collect::<Vec<_>>());
        let classes = parts.each_ref().map(|part| {
            assert!(part.is_sorted());
            part.iter().map(|&number| &rows[number].1[kind]).collect::<BTreeSet<_>>()
        });
        for (one, other) in [(0, 1), (0, 2), (1, 2)] {
            assert!(classes[one].is_disjoint(&classes[other]), "{same}");
        }
        for (part, share) in parts.iter().zip(shares) {
            assert!((part.len() as f64 - share).abs() <= 7.0, "{same}: {} for {share}", part.len());
        }
        for flags in ["-j 1 --chunk-size 500", "-j 3 --memory 1M", "--seed 1"] {
            assert!(run(flags) == parts, "{same} {flags}");
        }
        assert!(run("--seed 2") != parts);
    }
    let summary = "split all.csv --parts a=1,b=1 -q --summary s.json";
    place.run(summary).assert().code(0);
    let summary = place.json("s.json");
    let counts = ["a.csv", "b.csv"].map(|name| summary["statuses"][name].as_u64().unwrap());
    assert_eq!((counts.iter().sum::<u64>(), &summary["written"]), (420, &420.into()));
    assert!(counts[0].abs_diff(counts[1]) <= 6);
}

/// Checks by plain counting that each part has its share of every kind.
#[test]
fn each_kind_has_its_share_in_each_part() {
    let place = Place::new();
    let kinds = [UNIQUE.to_owned(), unsolvable(), double().0.replace('\n', ""), UNIQUE[1..].to_owned()];
    let row = |number: usize| format!("{number},{},0\n", kinds[number % 4]);
    let whole = HEADER.to_owned() + &(0..400).map(row).collect::<String>();
    place.write("all.csv", &whole);
    // Only records with exactly one solution are compared, and they form a single class of 100.
    let line = "split all.csv --parts a=3,b=1 --same solution-grid";
    place.run(line).assert().code(1).stderr(contains("300 records without exactly one solution"));
    let parts = ["a.csv", "b.csv"].map(|name| numbers(&place, name, &whole));
    assert_eq!(parts.each_ref().map(Vec::len), [300, 100]);
    let of_class = |part: &[usize]| part.iter().filter(|number| *number % 4 == 0).count();
    assert!([0, 100].contains(&of_class(&parts[0])));

    // In this list of puzzles, no two are the same.
    let list = (0..240).map(|n| blanked(&solution(n % 60), [n as usize, 80 - n as usize / 60, 30]));
    let levels = ["easy", "hard, \"very\"", "", "x"];
    let text = list.enumerate().map(|(number, puzzle)| {
        format!("{number},{puzzle},\"{}\"\n", levels[number / 60].replace('"', "\"\""))
    });
    let whole = HEADER.to_owned() + &text.collect::<String>();
    place.write("all.csv", &whole);
    let clues: Vec<_> =
        whole.lines().skip(1).map(|row| row.split(',').nth(1).unwrap().matches('.').count()).collect();
    for (by, kinds) in [("level", 4), ("clues", 2), ("guesses", 1), ("status", 1)] {
        place.run(&format!("split all.csv --parts a=.75,b=.25 --by {by} -q")).assert().code(0);
        let b = numbers(&place, "b.csv", &whole);
        assert_eq!(b.len(), 60, "{by}");
        let kind = |number: usize| match by {
            "level" => number / 60,
            "clues" => clues[number],
            _ => 0,
        };
        let mut counts = BTreeMap::new();
        (0..240).for_each(|number| counts.entry(kind(number)).or_insert([0, 0])[0] += 1);
        b.iter().for_each(|&number| counts.entry(kind(number)).or_insert([0, 0])[1] += 1);
        assert_eq!(counts.len(), kinds);
        for [all, of_b] in counts.into_values() {
            assert!((f64::from(of_b) - f64::from(all) / 4.0).abs() < 1.0, "{by}: {of_b} of {all}");
        }
    }
}

/// One part is a pipe that is not being read, so the second reading waits in the middle of the first file.
/// PROMISE: changed-input
#[cfg(unix)]
#[test]
fn an_input_that_grows_between_its_two_readings_is_an_error() {
    use crate::place::{ended, mkfifo};

    let place = Place::with("a.txt", format!("{UNIQUE}\n").repeat(20_000));
    place.write("b.txt", format!("{UNIQUE}\n"));
    mkfifo(&place.path("p.txt"));
    let line = "split a.txt b.txt --parts p.txt=9,q.txt=1 --same text --chunk-size 1000 -j 1 -q";
    let child = place.start(line);
    let mut pipe = fs::File::open(place.path("p.txt")).unwrap();
    pipe.read_exact(&mut [0]).unwrap();
    place.write("b.txt", format!("{UNIQUE}\n").repeat(100));
    pipe.read_to_end(&mut Vec::new()).unwrap();
    let (code, _, said) = ended(child.wait_with_output().unwrap());
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("b.txt: changed while it was read") && !said.contains("defect"), "{said}");
}

/// The grids come from a pipe and go into compressed parts.
#[test]
fn parts_of_grids_are_grids() {
    let place = Place::new();
    let grid = |n| grid(&blanked(&solution(n), [3, 4, 5]));
    let grids: Vec<_> = (0..8).map(grid).collect();
    let line = "split --parts a.txt=5,b.txt.gz=3 -q";
    place.run(line).write_stdin(grids.join("\n")).assert().code(0).stdout("");
    place.run("convert b.txt.gz -O lines -q -o b.lines").assert().code(0);
    assert_eq!(place.read("b.lines").lines().count(), 3);
    assert_eq!(place.read("a.txt").split("\n\n").count(), 5);
    let flat = |text: &str| text.replace('\n', "");
    let (a, b) = (flat(&place.read("a.txt")), flat(&place.read("b.lines")));
    assert!(grids.iter().all(|grid| a.contains(&flat(grid)) != b.contains(&flat(grid))));
}

#[test]
fn what_cannot_be_split_is_refused_and_leaves_no_file() {
    let place = Place::with("all.csv", table(&rows()[..20]));
    place.write("list.txt", format!("{UNIQUE}\n"));
    for (line, said) in [
        ("all.csv", "--parts"),
        ("all.csv --parts a=1", "expected 2 to 100 parts"),
        ("all.csv --parts a=1,b", "expected NAME=SHARE"),
        ("all.csv --parts a=1,b=0", "'0' is not a share"),
        ("all.csv --parts a=1,a.csv=1", "name the same file"),
        ("all.csv --parts a=1,all=1", "--parts all.csv would overwrite the input"),
        ("all.csv --parts a=1,b.json=1", "b.json: .json cannot be written"),
        ("all.csv --parts a=1,nowhere/b=1", "nowhere"),
        ("all.csv --parts a=1,b=1 --by colour", "no input has a column 'colour' (columns seen: number"),
        ("list.txt --parts a=1,b=1 --by colour", "(no input is a table)"),
        ("all.csv list.txt --parts a.txt=1,b.txt=1", "a different format"),
        ("- --parts=-=1,b=1", "--parts needs a file, not -"),
    ] {
        let run = place.run(&format!("split {line}")).write_stdin("").assert().code(2).stdout("");
        run.stderr(contains(said).and(contains("panic").not()));
        assert_eq!(place.names(), ["all.csv", "list.txt"], "{line}");
    }
}

/// Each part matters as much as the first.
#[cfg(target_os = "linux")]
#[test]
fn a_part_that_cannot_be_written_is_trouble() {
    let place = Place::with("all.csv", table(&rows()));
    std::os::unix::fs::symlink("/dev/full", place.path("full.csv")).unwrap();
    for parts in ["a=1,b=1,full=1", "full=1,a=1,b=1"] {
        let words = format!("split all.csv --parts {parts} --summary s.json");
        place.run(&words).assert().code(2).stderr(contains("full.csv: "));
        assert_eq!(place.json("s.json")["ending"], "unwritten");
        assert!(!place.path("a.csv").exists() && !place.path("b.csv").exists());
        for left in ["a.csv.partial", "b.csv.partial"] {
            let _ = fs::remove_file(place.path(left));
        }
    }
}
