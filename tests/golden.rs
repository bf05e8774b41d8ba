//! Golden files: an input in every format, and what has to come out in every output format.
//!
//! `tests/golden/NAME` holds the puzzles that BOJ 2239, 2580 and 4574 publish (`data/judge`), laid out in one
//! of the formats; `tests/golden/expected/NAME.FORMAT` is what `-O FORMAT` has to give. The answers in there are the
//! published ones, which the first test makes sure of, so none of these files is what the program printed one
//! day. `G` stands for the number of guesses, which nobody publishes.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::cargo::cargo_bin_cmd;
use flate2::Compression;
use flate2::write::GzEncoder;

const FORMATS: [&str; 4] = ["csv", "jsonl", "lines", "text"];

fn path(inside: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(inside)
}

fn read(inside: &str) -> String {
    fs::read_to_string(path(inside)).unwrap_or_else(|error| panic!("{inside}: {error}"))
}

/// The names of the golden inputs.
fn inputs() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(path("tests/golden"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(names.len() > 30, "only {} golden inputs", names.len());
    names
}

/// Runs `batchdoku solve` in a directory.
fn solve(directory: &Path, arguments: &[&str]) -> Output {
    cargo_bin_cmd!("batchdoku")
        .current_dir(directory)
        .args(["solve", "--quiet", "--no-time"])
        .args(arguments)
        .timeout(std::time::Duration::from_secs(120))
        .output()
        .unwrap()
}

/// `G` for the guesses of each row of output.
fn without_guesses(format: &str, text: &str) -> String {
    let digits_to_g = |text: &str, at: usize| {
        let end = text[at..].find(|byte: char| !byte.is_ascii_digit()).unwrap() + at;
        assert!(end > at, "no guesses in {text}");
        format!("{}G{}", &text[..at], &text[end..])
    };
    match format {
        "csv" => text
            .split_inclusive('\n')
            .enumerate()
            .map(|(row, line)| match line.match_indices(',').nth(6) {
                Some((at, _)) if row > 0 => digits_to_g(line, at + 1),
                _ => line.to_owned(),
            })
            .collect(),
        "jsonl" => text
            .split_inclusive('\n')
            .map(|line| {
                const KEY: &str = "\"guesses\":";
                digits_to_g(line, line.find(KEY).unwrap() + KEY.len())
            })
            .collect(),
        _ => text.to_owned(),
    }
}

/// What a golden input has to give in a format.
fn expected(name: &str, format: &str) -> String {
    read(&format!("tests/golden/expected/{name}.{format}"))
}

/// Compares what came out with what was expected.
fn assert_gives(what: &str, output: &Output, format: &str, expected: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{what}: {errors}");
    let text = without_guesses(format, std::str::from_utf8(&output.stdout).unwrap());
    assert!(text == expected, "{what}, {format}:\n{text}\nexpected:\n{expected}");
}

/// The 81 digits of the answers that the judges publish.
fn published() -> BTreeSet<String> {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let mut answers =
        BTreeSet::from(["boj2239", "boj2580"].map(|name| digits(&read(&format!("data/judge/{name}.out")))));
    let cases = read("data/judge/boj4574.out");
    answers.extend(cases.split("Puzzle ").skip(1).map(|case| digits(&case[1..])));
    assert_eq!(answers.len(), 4);
    assert!(answers.iter().all(|answer| answer.len() == 81));
    answers
}

#[test]
fn every_expected_answer_is_a_published_one() {
    let published = published();
    for name in inputs() {
        let mut rows = csv::Reader::from_path(path(&format!("tests/golden/expected/{name}.csv"))).unwrap();
        let answers: Vec<String> = rows.records().map(|row| row.unwrap()[9].to_owned()).collect();
        assert!(!answers.is_empty() && answers.iter().all(|answer| published.contains(answer)), "{name}");
        // The other three say the same.
        let lines = expected(&name, "lines");
        assert!(lines.lines().map(|line| line.split_once(',').unwrap().1).eq(&answers), "{name}");
        let objects = expected(&name, "jsonl").replace(":G,", ":0,");
        let answer_of = |line| serde_json::from_str::<serde_json::Value>(line).unwrap()["solution"].clone();
        assert!(objects.lines().map(answer_of).eq(answers.iter().map(String::as_str)), "{name}");
        let text = expected(&name, "text");
        let digits =
            text.lines().filter(|line| !line.starts_with("Puzzle")).collect::<String>().replace(' ', "");
        assert_eq!(digits, answers.concat(), "{name}");
    }
}

#[test]
fn every_format_of_input_in_every_format_of_output() {
    for name in inputs() {
        for format in FORMATS {
            let output = solve(&path("tests/golden"), &["-O", format, &name]);
            assert_gives(&name, &output, format, &expected(&name, format));
        }
    }
}

/// Cuts into two members or frames at any place: here in the middle.
fn compressed(bytes: &[u8], compress: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let (one, other) = bytes.split_at(bytes.len() / 2);
    [compress(one), compress(other)].concat()
}

#[test]
fn every_format_of_input_compressed() {
    let gzip = |bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 3).unwrap();
    let directory = tempfile::tempdir().unwrap();
    for name in inputs() {
        let bytes = fs::read(path("tests/golden").join(&name)).unwrap();
        for packed in [compressed(&bytes, gzip), compressed(&bytes, zstd)] {
            fs::write(directory.path().join(&name), packed).unwrap();
            let output = solve(directory.path(), &["-O", "csv", &name]);
            assert_gives(&name, &output, "csv", &expected(&name, "csv"));
        }
    }
}

/// The format named instead of found.
#[test]
fn every_format_of_input_by_its_flag() {
    for name in inputs() {
        let choice = match name.split(['-', '.']).next().unwrap() {
            "01" | "02" | "10" | "11" => "line",
            "03" | "04" | "05" | "06" | "07" | "08" => "grid",
            "09" => "cases",
            "csv" | "tsv" => "csv",
            own @ ("json" | "jsonl" | "xml") => own,
            other => panic!("no family for {other}"),
        };
        let output = solve(&path("tests/golden"), &["-O", "csv", "--format", choice, &name]);
        assert_gives(&name, &output, "csv", &expected(&name, "csv"));
    }
}

/// What each of `tests/golden/tables` holds: puzzles with blanks as dots, and their answers.
fn in_tables() -> [[String; 2]; 3] {
    ["boj2239", "boj2580", "boj2239"].map(|name| {
        let digits = |end: &str| -> String {
            read(&format!("data/judge/{name}.{end}")).chars().filter(char::is_ascii_digit).collect()
        };
        [digits("in").replace('0', "."), digits("out")]
    })
}

/// Tables that are no text, as other programs write them (`make.py` there).
#[test]
fn tables_of_other_programs() {
    let tables = path("tests/golden/tables");
    let mut names: Vec<_> = fs::read_dir(&tables).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().unwrap() != "py");
    assert_eq!(names.len(), 11);
    for path in names {
        let (name, ending) = (path.file_name().unwrap().to_str().unwrap(), path.extension().unwrap());
        let format = if ending == "arrows" { "arrow" } else { ending.to_str().unwrap() };
        for flags in [&[][..], &["--format", format]] {
            let output = solve(&tables, &[flags, &[name]].concat());
            assert_eq!(output.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&output.stderr));
            let rows: Vec<_> =
                csv::Reader::from_reader(&*output.stdout).into_records().map(Result::unwrap).collect();
            assert_eq!(rows.len(), 3, "{name}");
            for ((row, number), [puzzle, solution]) in rows.iter().zip(["1", "2", "3"]).zip(in_tables()) {
                let found = [&row[0], &row[1], &row[2], &row[4], &row[8], &row[9]];
                assert_eq!(found, [number, name, number, "unique", &puzzle, &solution]);
            }
        }
    }
}

#[test]
fn tables_of_other_programs_with_what_they_claim_and_all_their_columns() {
    let columns =
        [("strings", ",id,rating", ["007,1.5", ",", "9,2.0"]), ("duckdb", ",day", ["2020-01-01"; 3])];
    let columns = columns.map(|(name, names, values)| (name, names, values.map(|value| format!(",{value}"))));
    let none = ("", "", [const { String::new() }; 3]);
    for name in [
        "strings.parquet",
        "strings.arrow",
        "lists.parquet",
        "lists.arrows",
        "dictionaries.arrow",
        "duckdb.parquet",
    ] {
        let stem = name.split('.').next().unwrap();
        let known = columns.iter().find(|(known, ..)| *known == stem);
        let (_, names, values) = known.unwrap_or(&none);
        let mut expected = format!("puzzle,solution{names}\n");
        for ([puzzle, solution], values) in in_tables().iter().zip(values) {
            expected += &format!("{puzzle},{solution}{values}\n");
        }
        let run = |command| {
            let mut program = cargo_bin_cmd!("batchdoku");
            program.current_dir(path("tests/golden/tables")).args([command, "-q", name]).assert().code(0)
        };
        run("verify");
        run("convert").stdout(expected);
    }
}

#[test]
fn the_judges_get_what_they_expect() {
    for name in ["boj2239", "boj2580", "boj4574"] {
        cargo_bin_cmd!("batchdoku")
            .args(["solve", "-O", "text"])
            .write_stdin(fs::read(path(&format!("data/judge/{name}.in"))).unwrap())
            .assert()
            .code(0)
            .stdout(read(&format!("data/judge/{name}.out")));
    }
}

/// One record of `data/status` and what is to come of it.
#[derive(serde::Deserialize)]
struct Expected {
    file: String,
    line: String,
    kind: String,
    status: String,
    solutions: String,
    solution: String,
    /// How the error starts: its place.
    error: String,
}

#[test]
fn every_status_and_every_kind_of_bad_record() {
    let mut rows = csv::Reader::from_path(path("data/status/expected.csv")).unwrap();
    let expected: Vec<Expected> = rows.deserialize().map(|row| row.unwrap()).collect();
    let mut statuses = BTreeSet::new();
    for records in expected.chunk_by(|a, b| a.file == b.file) {
        let file = &*records[0].file;
        let flags: &[&str] = if file == "unfinished.txt" { &["--max-guesses", "0"] } else { &[] };
        let output = solve(&path("data/status"), &[flags, &[file]].concat());
        let answered = records.iter().all(|record| matches!(&*record.status, "unique" | "multiple"));
        assert_eq!(output.status.code(), Some(i32::from(!answered)), "{file}");
        let rows: Vec<csv::StringRecord> =
            csv::Reader::from_reader(&*output.stdout).records().map(|row| row.unwrap()).collect();
        assert_eq!(rows.len(), records.len(), "{file}");
        for (row, record) in rows.iter().zip(records) {
            let place = format!("{file}:{}", record.line);
            assert_eq!(
                [&row[1], &row[2], &row[3], &row[4], &row[5], &row[9]],
                [file, &record.line, &record.kind, &record.status, &record.solutions, &record.solution],
                "{place}"
            );
            assert!(row[10].starts_with(&record.error), "{place}: {}", &row[10]);
            // A place alone is no reason.
            assert_eq!(
                record.status == "invalid",
                row[10].len() > record.error.len(),
                "{place}: {}",
                &row[10]
            );
            statuses.insert(record.status.clone());
        }
    }
    assert_eq!(
        statuses.iter().collect::<Vec<_>>(),
        ["invalid", "multiple", "unfinished", "unique", "unsolvable"]
    );
    let files = fs::read_dir(path("data/status")).unwrap().count() - 1;
    assert_eq!(files, expected.chunk_by(|a, b| a.file == b.file).count(), "a file without expectations");
}

/// With `--limit 1` the uniqueness is not examined, whatever it is.
#[test]
fn a_limit_of_one_gives_solved() {
    for name in ["unique.txt", "multiple.txt"] {
        let output = solve(&path("data/status"), &["--limit", "1", name]);
        assert_eq!(output.status.code(), Some(0));
        for row in csv::Reader::from_reader(&*output.stdout).records() {
            let row = row.unwrap();
            assert_eq!((&row[4], &row[5], row[9].len()), ("solved", "1", 81), "{name}");
        }
    }
}

/// The sets that the program makes are what their names say.
#[test]
fn the_generated_sets_have_their_status() {
    for (name, count, status) in [
        ("easy", 2000, "unique"),
        ("minimal", 2000, "unique"),
        ("hard", 2000, "unique"),
        ("several", 1000, "multiple"),
        ("unsolvable", 1000, "unsolvable"),
    ] {
        let output = solve(&path("data"), &[&format!("{name}.txt")]);
        let mut rows = csv::Reader::from_reader(&*output.stdout);
        let statuses: Vec<String> = rows.records().map(|row| row.unwrap()[4].to_owned()).collect();
        assert_eq!(statuses.len(), count, "{name}");
        assert!(statuses.iter().all(|found| found == status), "{name}");
    }
}
