//! `batchdoku enumerate`: every solution is a row, in order, and solutions are found as they are written.

use std::fs;
use std::io::{BufRead, BufReader, Write};

use batchdoku::generate::sudominoku::generate;
use batchdoku::solver::scalar::Solutions;
use batchdoku::sudoku::Grid;
use predicates::prelude::*;
use predicates::str::contains;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::contest;
use crate::place::{Place, columns, end, ended, fed, send};
use crate::puzzles::{ANSWER, UNIQUE, unsolvable};

/// Returns `ANSWER` with `blanks` of its cells removed, in steps of a number that is coprime to 81.
fn with_blanks(blanks: usize) -> String {
    let mut cells = ANSWER.as_bytes().to_vec();
    (0..blanks).for_each(|i| cells[i * 37 % 81] = b'.');
    String::from_utf8(cells).unwrap()
}

const HEADER: &str = "id,source,line,kind,status,n,solution,error\n";

/// Returns the rows expected for the puzzles in `a.txt`, one per line.
fn rows(puzzles: &[String], limit: usize) -> String {
    let mut rows = HEADER.to_owned();
    for (puzzle, id) in puzzles.iter().zip(1..) {
        let puzzle: Grid = puzzle.parse().unwrap();
        let status = if Solutions::new(&puzzle).nth(1).is_some() { "multiple" } else { "unique" };
        for (solution, n) in Solutions::new(&puzzle).take(limit).zip(1..) {
            rows += &format!("{id},a.txt,{id},sudoku,{status},{n},{solution},\n");
        }
    }
    rows
}

#[test]
fn every_solution_is_a_row_the_same_for_every_number_of_threads_and_format() {
    let place = Place::new();
    let puzzles: Vec<_> = (0..300).map(|i| with_blanks(40 + i % 17)).collect();
    place.write("a.txt", puzzles.join("\n"));
    // The third limit is larger than what a batch keeps.
    for limit in [1, 7, 40_000] {
        let expected = rows(&puzzles, limit);
        for threads in ["1", "2", "5"] {
            let output = format!("a{threads}.csv");
            let line = format!("enumerate --limit {limit} a.txt -q -j {threads} -o {output}");
            place.run(&line).assert().success();
            assert!(place.read(&output) == expected, "limit {limit}, {threads} threads");
        }
    }
    let expected = rows(&puzzles, 7);
    place.run("enumerate --limit 7 a.txt -q -o a.jsonl").assert().success();
    let object = |row: &str| {
        let [id, source, line, kind, status, n, solution, _] = row.split(',').collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        format!(
            "{{\"id\":{id},\"source\":\"{source}\",\"line\":{line},\"kind\":\"{kind}\",\"status\":\"{status}\",\
             \"n\":{n},\"solution\":\"{solution}\",\"error\":null}}\n"
        )
    };
    assert_eq!(place.read("a.jsonl"), expected.lines().skip(1).map(object).collect::<String>());
    for name in ["a.parquet", "a.arrow", "a.csv.zst"] {
        let line = format!("enumerate --limit 7 a.txt -q -o {name}");
        place.run(&line).assert().success();
        // The solutions, read as puzzles, have no blanks.
        let line = format!("solve {name} --puzzle-column solution -q -O lines");
        let grids = columns(&expected, &["solution"]);
        let solutions: String = grids.iter().map(|[grid]| format!("{grid},{grid}\n")).collect();
        place.run(&line).assert().success().stdout(solutions);
    }
}

#[test]
fn the_solutions_of_sudominoku_cases_are_digit_grids() {
    let (mut text, mut solutions) = (String::new(), Vec::new());
    let case = |seed, dominoes| {
        let mut case = generate(&mut Xoshiro256PlusPlus::seed_from_u64(seed), 36);
        case.dominoes.sort_by_key(|domino| domino.cells[0].abs_diff(40));
        case.dominoes.truncate(dominoes);
        let solutions = contest::solutions(&case, 101);
        (case, solutions)
    };
    // Some cases have dozens of solutions, and one has only one.
    for (first_seed, dominoes, counts) in [(2, 9, 20..=100), (1, 36, 1..=1), (69, 9, 20..=100)] {
        let mut cases = (first_seed..).map(|seed| case(seed, dominoes));
        let (case, found) = cases.find(|(_, found)| counts.contains(&found.len())).unwrap();
        text += &format!("{case}\n");
        solutions.push(found);
    }
    let place = Place::new();
    for limit in [1, 40, 1_000_000] {
        let line = format!("enumerate --limit {limit} -q -");
        let mut expected = String::new();
        for (solutions, id) in solutions.iter().zip(1..) {
            for (solution, n) in solutions.iter().take(limit).zip(1..) {
                expected += &format!("{id},{n},{solution}\n");
            }
        }
        let (code, rows, _) = fed(place.start(&line), &text);
        let found = columns(&rows, &["id", "n", "solution"]);
        let found: String = found.iter().map(|row| row.join(",") + "\n").collect();
        assert_eq!(code, 0);
        assert_eq!(found, expected);
    }
}

#[test]
fn records_without_a_solution_have_a_row_that_says_why() {
    let place = Place::new();
    let input = format!("{UNIQUE}\n{}\n{}nothing\n{}\n", unsolvable(), &UNIQUE[..60], &UNIQUE[..80]);
    let run = |more: &str| {
        let line = format!("enumerate --limit 9 --format line{more} -");
        place.run(&line).write_stdin(input.clone()).assert()
    };
    let unique = format!("1,-,1,sudoku,unique,1,{ANSWER},\n");
    let rest = [
        "2,-,2,sudoku,unsolvable,0,,\n".to_owned(),
        "3,-,3,sudoku,invalid,0,,\"line 3, column 61: found 'n': expected a cell\"\n".to_owned(),
        "4,-,4,sudoku,invalid,0,,\"line 4, column 1: 80 cells (expected 81)\"\n".to_owned(),
    ];
    let said = contains("4 records in ").and(contains("  unsolvable ")).and(contains("-:3:61: "));
    let found = run("").code(1).stderr(said);
    let found = String::from_utf8(found.get_output().stdout.clone()).unwrap();
    let mut lines = found.split_inclusive('\n');
    assert_eq!((lines.next(), lines.next()), (Some(HEADER), Some(&*unique)));
    for ((row, expected), at) in lines.by_ref().zip(&rest).zip(0..) {
        let is_same = if at == 0 { row == expected } else { row.starts_with(&expected[..24]) };
        assert!(is_same, "{row}");
    }
    assert_eq!(found.lines().count(), 5);
    run(" --lenient").code(0).stdout(found.clone());
    run(" --only unique,multiple").code(1).stdout(format!("{HEADER}{unique}"));
    let until_bad: String = found.split_inclusive('\n').take(4).collect();
    run(" --strict").code(1).stdout(until_bad);
    for more in [" --solution any", " --max-guesses 1", " --recheck", " --no-time"] {
        run(more).code(2).stderr(contains("unexpected argument"));
    }
}

/// A record is counted once, however many rows it has, and carried columns are repeated in each of its rows.
#[test]
fn records_are_counted_and_rows_carry_columns() {
    let place = Place::new();
    let text = format!("puzzle,level\n{},hard\n{UNIQUE},easy\n", with_blanks(58));
    place.write("a.csv", text);
    let several = Solutions::new(&with_blanks(58).parse().unwrap()).count();
    assert!(several > 20, "{several}");
    let line = "enumerate a.csv --keep level -o rows.csv --summary s.json --report r.json";
    let said = contains("2 records in ").and(contains("rows written"));
    place.run(line).assert().success().stderr(said);
    let rows = place.read("rows.csv");
    let count = |level: &str| rows.lines().filter(|row| row.ends_with(level)).count();
    assert_eq!((count(",,hard"), count(",,easy"), rows.lines().count()), (several, 1, several + 2));
    let summary = place.json("s.json");
    assert_eq!((&summary["records"], &summary["written"]), (&2.into(), &(several + 1).into()));
    assert_eq!(summary["statuses"]["multiple"], 1);
    let report = place.json("r.json");
    assert_eq!(report["total"]["rows"], 2, "{report}");
    // The output consists of pairs, as in lists from other programs.
    let pairs = place.printed("enumerate a.csv -O lines");
    assert!(pairs.lines().all(|pair| pair.len() == 163) && pairs.ends_with(&format!("{UNIQUE},{ANSWER}\n")));
}

/// A run is resumed after the last batch whose rows were all written.
#[test]
fn a_run_that_was_cut_off_is_resumed() {
    let place = Place::new();
    let puzzles: Vec<_> = (0..800).map(|i| with_blanks(48 + i % 8)).collect();
    place.write("a.txt", puzzles.join("\n"));
    place.run("enumerate a.txt -q -o whole.csv").assert().success();
    let whole = place.read("whole.csv");
    let bytes = whole.len() as u64 / 4;
    place.cut_off("enumerate a.txt -q -o r.csv --checkpoint-every 0 --chunk-size 1000", "r.csv", bytes);
    let resumed = contains("resuming after ");
    place.run("enumerate a.txt -o r.csv --resume").assert().success().stderr(resumed);
    assert!(place.read("r.csv") == whole);
}

/// The empty grid has 6,670,903,752,021,072,936,960 solutions.
#[test]
fn puzzles_with_billions_stream_in_bounded_memory_and_end_with_their_reader() {
    let mut child = Place::new().start("enumerate --limit 1000000000000 -q -");
    // All puzzles in a batch together hold no more rows in memory than a single puzzle does.
    let empty = ".".repeat(81) + "\n";
    child.stdin.take().unwrap().write_all(empty.repeat(150).as_bytes()).unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut before = String::new();
    assert_eq!(lines.next().unwrap().unwrap() + "\n", HEADER);
    for (line, n) in lines.by_ref().take(100_000).zip(1..) {
        let line = line.unwrap();
        let solution = line.strip_prefix(&format!("1,-,1,sudoku,multiple,{n},")).unwrap().to_owned();
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
    assert_eq!(end(&mut child).code(), Some(0));
}

/// Output that was cut off keeps its rows but does not get its final name, and a message says so.
#[cfg(unix)]
#[test]
fn an_interrupted_run_is_no_success() {
    let place = Place::with("a.txt", format!("{}\n{UNIQUE}\n", ".".repeat(81)));
    let child = place.start("enumerate --limit 2000000 -o a.csv a.txt");
    place.wait_for_bytes("a.csv.partial", 100_000);
    send(&child, "-TERM");
    let (code, _, said) = ended(child.wait_with_output().unwrap());
    assert!(code == 143 && said.contains("interrupted: "), "{said}");
    assert!(!place.path("a.csv").exists());
    // The rows are whole and all belong to the first record: nothing follows the gap.
    let text = place.read("a.csv.partial");
    assert!(text.ends_with('\n') && text.lines().skip(1).all(|row| row.starts_with("1,")));
}

/// The rows of an earlier run and their checkpoint are replaced together, even if there is only a header.
#[test]
fn a_run_that_ends_before_its_first_row_replaces_the_rows_of_an_earlier_one_and_their_checkpoint() {
    let clash = format!("55{}", ".".repeat(79));
    let place = Place::with_lines("in.txt", &[&clash, &clash]);
    let checkpoint = "{\"settings\":{}}";
    place.write("out.csv.partial", "rows of an earlier run\n");
    place.write("out.csv.partial.checkpoint", checkpoint);
    let line = "enumerate --limit 2 in.txt -o out.csv --only unique";
    place.run(&format!("{line} --strict")).assert().code(1);
    assert_eq!(place.read("out.csv.partial"), HEADER);
    assert_ne!(fs::read(place.path("out.csv.partial.checkpoint")).unwrap_or_default(), checkpoint.as_bytes());
    place.run(line).assert().code(1);
    assert_eq!(place.read("out.csv"), HEADER);
    assert_eq!(place.names(), ["in.txt", "out.csv"]);
}
