//! `batchdoku solve --enumerate`: every solution is a row, in order, found as it is written.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use batchdoku::generate::sudominoku::{generate, write_case};
use batchdoku::solver::scalar::Solutions;
use batchdoku::sudoku::Grid;
use predicates::prelude::*;
use predicates::str::contains;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::contest;
use crate::place::Place;
use crate::puzzles::{ANSWER, UNIQUE, unsolvable};

/// `ANSWER` with `blanks` of its cells taken out, by steps of a number that shares no factor with 81.
fn with_blanks(blanks: usize) -> String {
    let mut cells = ANSWER.as_bytes().to_vec();
    (0..blanks).for_each(|i| cells[i * 37 % 81] = b'.');
    String::from_utf8(cells).unwrap()
}

/// The rows that the puzzles are to have.
fn rows(puzzles: &[String], limit: usize) -> String {
    let mut rows = "id,n,solution\n".to_owned();
    for (puzzle, id) in puzzles.iter().zip(1..) {
        let puzzle: Grid = puzzle.parse().unwrap();
        for (solution, n) in Solutions::new(&puzzle).take(limit).zip(1..) {
            rows += &format!("{id},{n},{solution}\n");
        }
    }
    rows
}

#[test]
fn every_solution_is_a_row_the_same_for_every_number_of_threads_and_format() {
    let place = Place::new();
    let puzzles: Vec<_> = (0..300).map(|i| with_blanks(40 + i % 17)).collect();
    fs::write(place.path("a.txt"), puzzles.join("\n")).unwrap();
    // The third limit is more than a batch keeps.
    for limit in [1, 7, 40_000] {
        let expected = rows(&puzzles, limit);
        for threads in ["1", "2", "5"] {
            let output = format!("a{threads}.csv");
            let line = format!("solve --enumerate --limit {limit} a.txt -q -j {threads} -o {output}");
            place.command(line.split(' ')).assert().success();
            assert!(place.read(&output) == expected, "limit {limit}, {threads} threads");
        }
    }
    let expected = rows(&puzzles, 7);
    place.command("solve --enumerate --limit 7 a.txt -q -o a.jsonl".split(' ')).assert().success();
    let object = |row: &str| {
        let fields: Vec<_> = row.split(',').collect();
        format!("{{\"id\":{},\"n\":{},\"solution\":\"{}\"}}\n", fields[0], fields[1], fields[2])
    };
    assert_eq!(place.read("a.jsonl"), expected.lines().skip(1).map(object).collect::<String>());
    for name in ["a.parquet", "a.arrow", "a.csv.zst"] {
        let line = format!("solve --enumerate --limit 7 a.txt -q -o {name}");
        place.command(line.split(' ')).assert().success();
        // The solutions are puzzles without a blank.
        let line = format!("solve {name} --puzzle-column solution -q -O lines");
        let solutions: String = expected
            .lines()
            .skip(1)
            .map(|row| &row[row.len() - 81..])
            .map(|grid| format!("{grid},{grid}\n"))
            .collect();
        place.command(line.split(' ')).assert().success().stdout(solutions);
    }
}

#[test]
fn the_solutions_of_sudominoku_cases_are_digit_grids() {
    let (mut text, mut solutions) = (Vec::new(), Vec::new());
    for (seed, dominoes, count) in [(20, 9, 75), (36, 36, 1), (36, 9, 36)] {
        let mut case = generate(&mut Xoshiro256PlusPlus::seed_from_u64(seed), 36);
        case.dominoes.sort_by_key(|domino| domino.cells[0].abs_diff(40));
        case.dominoes.truncate(dominoes);
        write_case(&case, &mut text).unwrap();
        solutions.push(contest::solutions(&case, usize::MAX));
        assert_eq!(solutions[solutions.len() - 1].len(), count, "another case than when the seed was chosen");
    }
    let place = Place::new();
    for limit in [1, 40, 1_000_000] {
        let line = format!("solve --enumerate --limit {limit} -q -");
        let mut expected = "id,n,solution\n".to_owned();
        for (solutions, id) in solutions.iter().zip(1..) {
            for (solution, n) in solutions.iter().take(limit).zip(1..) {
                expected += &format!("{id},{n},{solution}\n");
            }
        }
        place.command(line.split(' ')).write_stdin(text.clone()).assert().code(0).stdout(expected);
    }
}

#[test]
fn records_without_a_solution_have_no_row_and_are_counted() {
    let place = Place::new();
    let input = format!("{UNIQUE}\n{}\n{}nothing\n{}\n", unsolvable(), &UNIQUE[..60], &UNIQUE[..80]);
    let run = |more: &str| {
        let line = format!("solve --enumerate --limit 9 --format line{more} -");
        place.command(line.split(' ')).write_stdin(input.clone()).assert()
    };
    let expected = format!("id,n,solution\n1,1,{ANSWER}\n");
    let said = contains("1 solution\n4 records in ").and(contains("  unsolvable ")).and(contains("-:3:61: "));
    run("").code(1).stdout(expected.clone()).stderr(said);
    // No row has a time.
    run(" --lenient --no-time").code(0).stdout(expected.clone());
    run(" --strict").code(1).stdout(expected);
    for more in [" --resume", " --solution any", " --only unique", " --keep"] {
        run(more).code(2).stderr(contains("cannot be used with").or(contains("required")));
    }
    place.command(["solve", "--enumerate", "-"]).assert().code(2).stderr(contains("--limit"));
}

/// The empty grid has 6,670,903,752,021,072,936,960 solutions.
#[test]
fn puzzles_with_billions_stream_in_bounded_memory_and_end_with_their_reader() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_batchdoku"))
        .args(["solve", "--enumerate", "--limit", "1000000000000", "-q", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Of all puzzles of a batch together, no more rows are held than of one.
    let empty = ".".repeat(81) + "\n";
    child.stdin.take().unwrap().write_all(empty.repeat(150).as_bytes()).unwrap();
    let started = Instant::now();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut before = String::new();
    assert_eq!(lines.next().unwrap().unwrap(), "id,n,solution");
    for (line, n) in lines.by_ref().take(100_000).zip(1..) {
        let line = line.unwrap();
        let solution = line.strip_prefix(&format!("1,{n},")).unwrap().to_owned();
        assert!(before < solution, "{before} {solution}");
        before = solution;
    }
    #[cfg(target_os = "linux")]
    {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let kilobytes: u64 = peak.trim().strip_suffix(" kB").unwrap().parse().unwrap();
        assert!(kilobytes < 200_000, "{kilobytes}");
    }
    drop(lines);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(started.elapsed() < Duration::from_secs(50));
}

/// What is cut off is no file, keeps its rows, and says so.
#[cfg(unix)]
#[test]
fn an_interrupted_run_is_no_success() {
    let place = Place::new();
    fs::write(place.path("a.txt"), format!("{}\n{UNIQUE}\n", ".".repeat(81))).unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_batchdoku"))
        .args(["solve", "--enumerate", "--limit", "2000000", "-o", "a.csv", "a.txt"])
        .current_dir(&place.directory)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let partial = place.path("a.csv.partial");
    let started = Instant::now();
    while fs::metadata(&partial).map_or(0, |file| file.len()) < 100_000 {
        assert!(started.elapsed() < Duration::from_secs(50));
        std::thread::sleep(Duration::from_millis(10));
    }
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143));
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted: "));
    assert!(!place.path("a.csv").exists());
    // Whole rows, all of the first record: nothing stands behind the gap.
    let text = place.read("a.csv.partial");
    assert!(text.ends_with('\n') && text.lines().skip(1).all(|row| row.starts_with("1,")));
}

#[test]
fn formats_without_a_place_for_the_rows_refuse_them() {
    let place = Place::new();
    for format in ["lines", "text", "npy"] {
        let line = format!("solve --enumerate --limit 3 -O {format} -o out -");
        place
            .command(line.split(' '))
            .write_stdin(UNIQUE)
            .assert()
            .code(2)
            .stderr(contains("have no puzzle").and(contains("csv, jsonl, parquet and arrow take")));
    }
}

/// What an earlier run left is worth more than a header.
#[test]
fn a_run_that_ends_before_its_first_row_leaves_the_rows_of_an_earlier_one_and_their_checkpoint() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let clash = format!("55{}", ".".repeat(79));
    let checkpoint = "{\"settings\":{}}";
    std::fs::write(path("in.txt"), format!("{clash}\n{clash}\n")).unwrap();
    std::fs::write(path("out.csv.partial"), "rows of an earlier run\n").unwrap();
    std::fs::write(path("out.csv.partial.checkpoint"), checkpoint).unwrap();
    let run = |flags: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_batchdoku"));
        command.current_dir(directory.path()).args([
            "solve",
            "--enumerate",
            "--limit",
            "2",
            "in.txt",
            "-o",
            "out.csv",
        ]);
        command.args(flags).output().unwrap().status.code()
    };
    assert_eq!(run(&["--strict"]), Some(1));
    assert_eq!(std::fs::read_to_string(path("out.csv.partial")).unwrap(), "rows of an earlier run\n");
    assert_eq!(std::fs::read_to_string(path("out.csv.partial.checkpoint")).unwrap(), checkpoint);
    assert_eq!(run(&[]), Some(1));
    assert_eq!(std::fs::read_to_string(path("out.csv")).unwrap(), "id,n,solution\n");
    assert!(!path("out.csv.partial").exists() && !path("out.csv.partial.checkpoint").exists());
}
