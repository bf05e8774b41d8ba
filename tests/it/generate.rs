//! `batchdoku generate`: solvers and raters that share no code with it confirm that the output is what was asked for.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};

use batchdoku::solver::scalar::Solutions;
use batchdoku::sudoku::{Grid, verifier};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

use crate::place::{Place, columns, end, send, wait_for};
use crate::puzzles::{ANSWER, UNIQUE};

/// Returns the output as lines.
fn lines(place: &Place, line: &str) -> Vec<String> {
    let (code, printed, said) = place.ran(&format!("generate {line}"));
    assert_eq!(code, 0, "{line}: {}", said);
    printed.lines().map(str::to_owned).collect()
}

/// Returns puzzles given with solutions, after checking that each solution is correct and that the scalar solver finds
/// no other.
fn checked(lines: &[String]) -> Vec<Grid> {
    let checked = lines.iter().map(|line| {
        let (puzzle, solution) = line.split_once(',').unwrap();
        let (puzzle, solution): (Grid, Grid) = (puzzle.parse().unwrap(), solution.parse().unwrap());
        assert!(verifier::sudoku(&puzzle, &solution), "{line}");
        assert_eq!(Solutions::new(&puzzle).take(2).collect::<Vec<_>>(), [solution], "{line}");
        puzzle
    });
    checked.collect()
}

fn is_minimal(puzzle: &Grid) -> bool {
    let mut clues = (0..81).filter(|&cell| puzzle.get(cell) != 0);
    clues.all(|cell| {
        let mut less = *puzzle;
        less.set(cell, 0);
        Solutions::new(&less).take(2).count() == 2
    })
}

#[test]
fn puzzles_are_minimal_and_the_same_for_any_number_of_threads() {
    let place = Place::new();
    let all = lines(&place, "-n 3000 --seed 7 -j 1");
    assert_eq!(lines(&place, "-n 3000 --seed 7 -j 2"), all);
    assert_eq!(lines(&place, "-n 2000 --seed 7 -j 3 --backend portable --chunk-size 500"), all[..2000]);
    assert_ne!(lines(&place, "-n 1 --seed 8"), all[..1]);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 3000);
    assert!(checked(&all[..200]).iter().all(is_minimal));
}

#[test]
fn clues_symmetry_and_pattern_are_as_asked_for() {
    let place = Place::new();
    for puzzle in checked(&lines(&place, "-n 50 --clues 28..30")) {
        assert!((28..=30).contains(&puzzle.clues()));
    }
    for puzzle in checked(&lines(&place, "-n 20 --clues 22 --minimal")) {
        assert!(puzzle.clues() == 22 && is_minimal(&puzzle));
    }
    for puzzle in checked(&lines(&place, "-n 20 --symmetry rotate180")) {
        assert!((0..81).all(|cell| (puzzle.get(cell) != 0) == (puzzle.get(80 - cell) != 0)), "{puzzle}");
    }
    // Any symbols in any layout can mark the cells where clues are allowed.
    let half = "111.1.111\n1..1.1..1\n1...1...1\n.1.....1.\n";
    let other_half = ".1.....1.\n1...1...1\n1..1.1..1\n111.1.111\n";
    place.write("pattern.txt", format!("{half}1.1.1.1.1\n{other_half}"));
    let pattern: Grid = place.read("pattern.txt").lines().collect::<String>().parse().unwrap();
    for puzzle in checked(&lines(&place, "-n 20 --pattern pattern.txt")) {
        assert!((0..81).all(|cell| puzzle.get(cell) == 0 || pattern.get(cell) != 0), "{puzzle}");
    }
}

/// `rate` confirms that each puzzle is what was asked for. Another test compares its ratings with Sudoku Explainer's.
#[test]
fn the_difficulty_is_the_one_that_rate_says() {
    let place = Place::new();
    for (line, column, expected) in [
        ("-n 20 --grade hard --symmetry mirror", "grade", "hard"),
        ("-n 20 --difficulty se=2.3 --clues 24..26", "se", "2.3"),
        ("-n 20 --difficulty depth>=1&&class!=beyond||backdoor=3", "depth", "1"),
        ("-n 20 --difficulty class=subsets --columns guesses,se", "class", "subsets"),
    ] {
        place.run(&format!("generate {line} -q -o made.csv")).assert().code(0);
        place.run("rate made.csv -q -o rated.csv").assert().code(0);
        for name in ["made.csv", "rated.csv"] {
            assert_eq!(columns(&place.read(name), &[column]), [[expected]; 20], "{line}");
        }
    }
}

#[test]
fn sudominoku_cases_are_solved() {
    let place = Place::new();
    let cases = lines(&place, "-n 2 --kind sudominoku");
    assert_eq!((&*cases[0], cases.last().map(|line| &**line)), ("10", Some("0")));
    place.write("cases.txt", cases.join("\n"));
    place.run("solve cases.txt").assert().code(0).stderr(contains("unique                      2"));
}

/// No matter how the run ends, every case is whole and the list is properly terminated.
/// PROMISE: signals, resume, same-rows
#[test]
fn sudominoku_cases_are_rows_of_a_job_like_others() {
    let place = Place::new();
    let line = "generate --kind sudominoku --seed 9 -n 2000";
    place.run(&format!("{line} -j 1 -q -o whole.txt --summary s.json")).assert().code(0);
    assert_eq!(place.json("s.json")["statuses"]["generated"], 2000);
    place.run(&format!("{line} -j 2 -q -o zipped.gz")).assert().code(0);
    place.run(&format!("{} -j 3 --chunk-size 81", line.replace("2000", "20"))).assert().stdout(
        predicates::function::function(|text: &str| {
            place.read("whole.txt").starts_with(text.strip_suffix("0\n").unwrap())
        }),
    );
    let cut = place.start(&format!("{line} -j 1 -q -o cut.txt --checkpoint-every 1"));
    place.wait_for_bytes("cut.txt.partial", 10_000);
    terminate(cut);
    let left = place.read("cut.txt.partial");
    assert!(place.read("whole.txt").starts_with(left.strip_suffix("0\n").unwrap()));
    place.run(&format!("{line} -q -o cut.txt --resume")).assert().code(0);
    assert_eq!(place.read("cut.txt"), place.read("whole.txt"));
    place.run("solve zipped.gz -q -o solved.csv --summary s.json").assert().code(0);
    assert_eq!(place.json("s.json")["statuses"]["unique"], 2000);
}

/// Most neighbours of a puzzle that is known to be hard are hard as well, and they differ from it.
#[test]
fn neighbours_are_near() {
    let place = Place::new();
    let known = "98.7..6..75..4......3..8.7.5....7.3...94.........2.1..3.......1.9...5.8...52....6";
    place.file("known.txt", &[known, &known[1..], &known.replacen("..", "99", 1)]);
    let (_, printed, said) =
        place.ran("generate -n 30 --near known.txt --changes 1 --difficulty se>6.2 -O lines");
    assert!(said.contains("known.txt: 2 records are invalid"));
    let found: Vec<_> = printed.lines().map(str::to_owned).collect();
    let base: Grid = known.parse().unwrap();
    for puzzle in checked(&found) {
        let same = (0..81).filter(|&cell| base.get(cell) != 0 && base.get(cell) == puzzle.get(cell)).count();
        assert!(same >= 12 && puzzle != base && is_minimal(&puzzle), "{puzzle}");
    }
}

/// PROMISE: same-rows
#[test]
fn neighbours_do_not_depend_on_the_backend() {
    let place = Place::with("known.txt", include_str!("../../data/hard.txt"));
    let all = lines(&place, "-n 60 --seed 1 --near known.txt --changes 5 -j 1");
    for backend in ["scalar", "portable"] {
        let line = format!("-n 60 --seed 1 --near known.txt --changes 5 --backend {backend}");
        assert_eq!(lines(&place, &line), all);
    }
}

#[test]
fn what_is_not_found_is_counted_and_not_written() {
    let place = Place::new();
    let mut run = place.run("generate -n 3 --clues 18 --minimal --tries 50 -o none.csv");
    run.assert().code(1).stderr(contains("not-found                   3"));
    assert_eq!(place.read("none.csv"), "id,clues,puzzle,solution\n");
}

fn terminate(mut child: std::process::Child) {
    send(&child, "-TERM");
    assert_eq!(end(&mut child).code(), Some(143));
}

/// One in 27,000 minimal puzzles has 20 clues, and with this seed two of them are found early. Rows are not held back
/// until a batch is complete, and a signal loses none.
/// PROMISE: same-rows
#[test]
fn rare_puzzles_are_written_as_they_are_found() {
    let place = Place::new();
    let line = "generate --clues 20 --minimal --seed 21";
    let mut to_pipe = place.start(&format!("{line} -n 100000 -j 2"));
    let mut rows = BufReader::new(to_pipe.stdout.take().unwrap()).lines();
    let first = rows.next().unwrap().unwrap();
    terminate(to_pipe);
    let to_file = place.start(&format!("{line} -n 100000 -j 2 -O lines -o f --checkpoint-every 1"));
    place.wait_for_bytes("f.partial", 1);
    terminate(to_file);
    let found = place.read("f.partial");
    assert!(found.starts_with(&first) && found.lines().count() < 16, "they come one by one");
    checked(std::slice::from_ref(&first));
    assert_eq!(lines(&place, &format!("{} -n 1 -j 1 -q", line.trim_start_matches("generate "))), [first]);
}

/// One in 1,600 minimal puzzles has 21 clues. The run is cut off within its first batch, and the rest of the batch is
/// made when it is resumed.
/// PROMISE: resume
#[test]
fn a_run_that_was_cut_off_within_a_batch_is_resumed() {
    let place = Place::new();
    let line = "generate --clues 21 --minimal --seed 3 -n 40 -O lines";
    place.run(&format!("{line} -q -j 1 -o whole")).assert().code(0);
    let cut = place.start(&format!("{line} -j 2 -o cut --checkpoint-every 1"));
    place.wait_for_bytes("cut.partial", 1);
    terminate(cut);
    let found = place.read("cut.partial");
    assert!((1..40).contains(&found.lines().count()) && place.read("whole").starts_with(&found));
    place.run(&format!("{line} -o cut --resume")).assert().code(0).stderr(contains("resuming after"));
    assert_eq!(place.read("cut"), place.read("whole"));
}

/// All cores search even for a single puzzle, and even two records with many solutions are shared among all cores.
#[cfg(target_os = "linux")]
#[test]
fn what_takes_long_is_shared_by_all_threads() {
    let place = Place::with("two.txt", format!("{}\n", ".".repeat(81)).repeat(2));
    for line in ["generate --clues 17 --minimal -n 1 -j 2", "solve two.txt --limit 1000000000 -j 2"] {
        shared(&place, line);
    }
}

#[cfg(target_os = "linux")]
fn shared(place: &Place, line: &str) {
    let run = place.start(line);
    // The user time in ticks is the 14th field; the name of the thread can contain spaces.
    let ticks = |task: &std::fs::DirEntry| {
        let text = std::fs::read_to_string(task.path().join("stat")).unwrap_or_default();
        let fields = text.rsplit(')').next().unwrap_or_default().split(' ').nth(12);
        fields.and_then(|field| field.parse::<u64>().ok()).unwrap_or(0)
    };
    let tasks = format!("/proc/{}/task", run.id());
    wait_for(|| std::fs::read_dir(&tasks).unwrap().flatten().filter(|task| ticks(task) > 20).count() == 2);
    terminate(run);
}

/// The number of clues can be requested in two ways.
#[test]
fn what_is_rare_is_said_at_once() {
    let place = Place::with("near.txt", format!("{UNIQUE}\n"));
    for (line, is_rare) in [
        ("--clues 17", true),
        ("--difficulty clues<=18", true),
        ("--difficulty clues<=18&&guesses>=0||clues>=33", true),
        ("--clues 33", false),
        ("--clues 33 --minimal", true),
        ("--difficulty clues<=18||clues=24", false),
        ("--clues 17 --near near.txt", false),
    ] {
        let (_, _, said) = place.ran(&format!("generate --tries 1 --lenient {line}"));
        assert_eq!(said.contains("very few random puzzles"), is_rare, "{line}");
    }
}

#[test]
fn columns_that_a_format_cannot_hold_are_listed() {
    let place = Place::new();
    for (line, said) in [
        ("--columns se,guesses -O lines", "no place for are left out: guesses, se"),
        ("--weights -O lines", "no place for are left out: weight"),
        ("--weights --columns depth -o a.npy", "no place for are left out: depth, weight"),
    ] {
        place.run(&format!("generate {line}")).assert().code(0).stderr(contains(said));
    }
    place.run("generate --difficulty clues>20").assert().code(0).stderr(contains("left out").not());
    place.run("generate --columns se -o a.csv").assert().code(0).stderr(contains("left out").not());
}

#[test]
fn flags_that_contradict_each_other_are_refused() {
    let place = Place::with_lines("empty.txt", &["no puzzle"]);
    place.file("known.txt", &[UNIQUE]);
    place.file("few.txt", &[&format!("1X1{}", ".".repeat(78))]);
    place.file("half.txt", &[&format!("{}{}", "1".repeat(40), ".".repeat(41))]);
    for (line, said) in [
        ("--kind sudominoku --clues 20", "--clues is for sudokus alone"),
        ("--near a.txt --pattern b.txt", "cannot be used with"),
        ("--near known.txt --weights", "cannot be used with"),
        ("--changes 3", "--near <FILE>"),
        ("--weights --clues 30", "only minimal puzzles"),
        ("--difficulty size>3", "'size' is not a measure"),
        ("--clues 30..20", "expected a number up to 81"),
        ("--kind sudominoku --tries 1000000", "--tries is for sudokus alone"),
        ("--kind sudominoku --no-solutions", "--no-solutions is for sudokus alone"),
        ("--kind sudominoku -O csv", "--output-format is for sudokus alone"),
        ("--kind sudominoku --lenient", "--lenient is for sudokus alone"),
        ("--kind sudominoku -o a.csv", "a.csv: Sudominoku cases are text"),
        ("--kind sudominoku -o a.parquet.gz", "hint: give it the extension .txt"),
        ("--near known.txt --minimal", "cannot be used with"),
        ("--clues 10..16", "no puzzle has 10 to 16 clues: one solution needs at least 17"),
        ("--clues 22 --symmetry rotate90", "no puzzle has 22 clues"),
        ("--pattern known.txt --clues 70", "cells can have some"),
        ("--pattern few.txt", "few.txt: the first puzzle has 2 clues: pattern and symmetry leave 2 cells"),
        ("--pattern half.txt --symmetry rotate180", "leave 0 cells for clues"),
        ("--difficulty clues>81", "no puzzle has clues>81 (clues is 17 to 81)"),
        ("--difficulty clues>24 --clues 22..24", "no puzzle has clues>24 (clues is 22 to 24)"),
        ("--difficulty depth>3", "no puzzle has depth>3"),
        ("--grade easy --difficulty se>3", "no puzzle has se>3 && grade=easy"),
        ("--difficulty se>=10.5", "those go from 1.0 to 9.4"),
        ("--tries 0", "expected 1 or more"),
        ("-n 2000000000000", "expected a number up to"),
        ("--near missing.txt", "missing.txt"),
        ("--near empty.txt", "empty.txt"),
    ] {
        place.refuses(&format!("generate {line}"), said);
    }
}

/// Commands that make puzzles draw a seed and can repeat the result with it; commands that choose rows use a seed of
/// their own.
#[test]
fn a_seed_that_is_not_given_is_drawn_and_shown() {
    let place = Place::with_lines("list.txt", &[UNIQUE, ANSWER]);
    for line in ["generate -n 3", "permute list.txt -O lines"] {
        let [one, other] = ["one.json", "other.json"].map(|summary| {
            let (code, rows, said) = place.ran(&format!("{line} --summary {summary}"));
            let seed = place.json(summary)["seed"].as_u64().unwrap();
            assert!(code == 0 && said.contains(&format!(" {seed}\n")), "{said}");
            assert_eq!(place.printed(&format!("{line} --seed {seed}")), rows, "{line}");
            (seed, rows)
        });
        assert!(one.0 != other.0 && one.1 != other.1, "{line}");
    }
    for line in [
        "sample list.txt -n 1",
        "minimize list.txt -O lines",
        "permute list.txt --by tr123456789c123456789d123456789",
    ] {
        let [one, other] = ["one.json", "other.json"].map(|summary| {
            let output = place.run(&format!("{line} --summary {summary}")).output().unwrap();
            assert!(place.json(summary)["seed"].is_null());
            output.stdout
        });
        assert_eq!(one, other, "{line}");
    }
}
