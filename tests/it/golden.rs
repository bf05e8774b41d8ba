//! Golden files: an input in every format, and the expected output in every output format.
//!
//! `tests/golden/NAME` holds the puzzles that BOJ 2239, 2580 and 4574 publish (`data/judge`), in one of the formats.
//! `tests/golden.csv` has a row for each record: which puzzle it is, on which line it starts, and how `-O text` formats
//! its answer. Puzzles and answers are the published ones, so nothing here was simply copied from the program's own
//! output.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::cargo::cargo_bin_cmd;
use serde_json::Value;

use crate::place::{Ended, PATIENCE, columns, ended, gzip};

fn path(inside: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(inside)
}

fn read(inside: &str) -> String {
    fs::read_to_string(path(inside)).unwrap_or_else(|error| panic!("{inside}: {error}"))
}

/// A puzzle published by a judge, with dots for blanks, and its published answer.
struct Published {
    kind: &'static str,
    puzzle: String,
    answer: String,
}

/// Returns the puzzles in `data/judge`, by the names used in `tests/golden.csv`.
fn published() -> BTreeMap<String, Published> {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let sudoku = |name: &str| {
        let [puzzle, answer] = ["in", "out"].map(|end| digits(&read(&format!("data/judge/{name}.{end}"))));
        (name.to_owned(), Published { kind: "sudoku", puzzle: puzzle.replace('0', "."), answer })
    };
    // These are the cells for which a case gives the digits.
    let is_cell = |word: &&str| word.starts_with(char::is_alphabetic);
    let mut cells = Vec::new();
    for line in read("data/judge/boj4574.in").lines() {
        if !line.contains(' ') {
            cells.push(Vec::new());
        }
        cells.last_mut().unwrap().extend(line.split(' ').filter(is_cell).map(str::to_owned));
    }
    let answers = read("data/judge/boj4574.out");
    let case = |(answer, cells): (&str, &Vec<String>)| {
        let (number, answer) = (&answer[..1], digits(&answer[1..]));
        let at = |cell: &String| usize::from((cell.as_bytes()[0] - b'A') * 9 + cell.as_bytes()[1] - b'1');
        let named: BTreeSet<usize> = cells.iter().map(at).collect();
        let puzzle = answer.char_indices().map(|(at, digit)| if named.contains(&at) { digit } else { '.' });
        (format!("boj4574-{number}"), Published { kind: "sudominoku", puzzle: puzzle.collect(), answer })
    };
    let mut published: BTreeMap<_, _> = answers.split("Puzzle ").skip(1).zip(&cells).map(case).collect();
    published.extend(["boj2239", "boj2580"].map(sudoku));
    assert_eq!(published.len(), 4);
    assert!(published.values().all(|known| known.puzzle.len() == 81 && known.answer.len() == 81));
    published
}

/// A record in a golden input.
#[derive(serde::Deserialize)]
struct Golden {
    input: String,
    line: usize,
    puzzle: String,
    text: String,
}

/// Returns the expected results: the name of each golden input, and its records.
fn golden() -> Vec<(String, Vec<Golden>)> {
    let mut table = csv::Reader::from_path(path("tests/golden.csv")).unwrap();
    let mut inputs: BTreeMap<String, Vec<Golden>> = BTreeMap::new();
    for record in table.deserialize::<Golden>().map(Result::unwrap) {
        inputs.entry(record.input.clone()).or_default().push(record);
    }
    let files = fs::read_dir(path("tests/golden")).unwrap().map(Result::unwrap);
    let files = files.filter(|entry| entry.file_type().unwrap().is_file());
    let names: BTreeSet<_> = files.map(|entry| entry.file_name().into_string().unwrap()).collect();
    assert!(names.iter().eq(inputs.keys()), "tests/golden and tests/golden.csv have other inputs");
    inputs.into_iter().collect()
}

/// Runs `batchdoku solve` in a directory.
fn solve(directory: &Path, flags: &str) -> Ended {
    let mut command = cargo_bin_cmd!("batchdoku");
    command.current_dir(directory).args(["solve", "--quiet", "--no-time"]).args(flags.split_whitespace());
    ended(command.timeout(PATIENCE).output().unwrap())
}

/// Returns the output of `batchdoku solve`, which must answer every record.
fn printed(directory: &Path, flags: &str) -> String {
    let (code, printed, said) = solve(directory, flags);
    assert_eq!(code, 0, "{flags}: {said}");
    printed
}

/// A row of results: values by column name.
type Row = BTreeMap<String, String>;

fn rows_of_csv(text: &str) -> Vec<Row> {
    csv::Reader::from_reader(text.as_bytes()).deserialize().map(Result::unwrap).collect()
}

fn rows_of_jsonl(text: &str) -> Vec<Row> {
    let value = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let row = |line: &str| -> Row {
        let object: serde_json::Map<String, Value> = serde_json::from_str(line).unwrap();
        object.iter().map(|(name, content)| (name.clone(), value(content))).collect()
    };
    text.lines().map(row).collect()
}

/// Compares rows with those expected for an input, except for the number of guesses, which no source publishes.
fn assert_rows(name: &str, records: &[Golden], rows: &[Row]) {
    assert_eq!(rows.len(), records.len(), "{name}");
    let published = published();
    for ((record, row), id) in records.iter().zip(rows).zip(1..) {
        let Published { kind, puzzle, answer } = &published[&record.puzzle];
        let clues = puzzle.bytes().filter(|&byte| byte != b'.').count();
        for (column, value) in [
            ("id", &*id.to_string()),
            ("source", name),
            ("line", &record.line.to_string()),
            ("kind", kind),
            ("status", "unique"),
            ("solutions", "1"),
            ("clues", &clues.to_string()),
            ("puzzle", puzzle),
            ("solution", answer),
            ("error", ""),
        ] {
            assert_eq!(row[column], value, "{name}: {column} of record {id}");
        }
        assert!(row["guesses"].parse::<u64>().is_ok(), "{name}: record {id}");
    }
}

#[test]
fn every_format_of_input_as_csv() {
    for (name, records) in golden() {
        let text = printed(&path("tests/golden"), &format!("-O csv {name}"));
        assert_rows(&name, &records, &rows_of_csv(&text));
    }
}

#[test]
fn every_format_of_input_as_text() {
    let published = published();
    let spread = |answer: &str, between: &str| -> String {
        let row = |row: &[u8]| row.iter().map(|&digit| char::from(digit).to_string()).collect::<Vec<_>>();
        answer.as_bytes().chunks(9).map(|cells| row(cells).join(between) + "\n").collect()
    };
    for (name, records) in golden() {
        let layout = |(record, id): (&Golden, usize)| {
            let answer = &published[&record.puzzle].answer;
            match &*record.text {
                "line" => format!("{answer}\n"),
                "grid" => spread(answer, ""),
                "spaced" => spread(answer, " "),
                "case" => format!("Puzzle {id}\n{}", spread(answer, "")),
                other => panic!("no layout {other}"),
            }
        };
        let expected: String = records.iter().zip(1..).map(layout).collect();
        let text = printed(&path("tests/golden"), &format!("-O text {name}"));
        assert!(text == expected, "{name}:\n{text}\nexpected:\n{expected}");
    }
}

/// Rows do not depend on the input format, so one input for each kind of record and layout is enough.
#[test]
fn the_other_formats_of_output() {
    let published = published();
    let golden: BTreeMap<_, _> = golden().into_iter().collect();
    for name in ["01-line.txt", "04-spaced-grid.txt", "09-cases.txt", "csv-radcliffe.csv"] {
        let records = &golden[name];
        let text = |format| printed(&path("tests/golden"), &format!("-O {format} {name}"));
        assert_rows(name, records, &rows_of_jsonl(&text("jsonl")));
        let line = |record: &Golden| {
            let Published { puzzle, answer, .. } = &published[&record.puzzle];
            format!("{puzzle},{answer}\n")
        };
        assert_eq!(text("lines"), records.iter().map(line).collect::<String>(), "{name}");
    }
}

/// Compresses the two halves as separate members or frames; the split could be anywhere.
fn compressed(bytes: &[u8], compress: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let (one, other) = bytes.split_at(bytes.len() / 2);
    [compress(one), compress(other)].concat()
}

#[test]
fn every_format_of_input_compressed() {
    let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 3).unwrap();
    let directory = tempfile::tempdir().unwrap();
    for (name, records) in golden() {
        let bytes = fs::read(path("tests/golden").join(&name)).unwrap();
        for packed in [compressed(&bytes, |bytes| gzip(bytes)), compressed(&bytes, zstd)] {
            fs::write(directory.path().join(&name), packed).unwrap();
            let text = printed(directory.path(), &format!("-O csv {name}"));
            assert_rows(&name, &records, &rows_of_csv(&text));
        }
    }
}

/// The format is named instead of detected.
#[test]
fn every_format_of_input_by_its_flag() {
    for (name, records) in golden() {
        let choice = match name.split(['-', '.']).next().unwrap() {
            "01" | "02" | "10" | "11" => "line",
            "03" | "04" | "05" | "06" | "07" | "08" => "grid",
            "09" => "cases",
            "12" => "cell",
            "csv" | "tsv" => "csv",
            own @ ("json" | "jsonl" | "xml") => own,
            other => panic!("no family for {other}"),
        };
        let text = printed(&path("tests/golden"), &format!("-O csv --format {choice} {name}"));
        assert_rows(&name, &records, &rows_of_csv(&text));
    }
}

/// Returns the contents of each file in `tests/golden/tables`: puzzles with dots for blanks, and their answers.
fn in_tables() -> [[String; 2]; 3] {
    let published = published();
    ["boj2239", "boj2580", "boj2239"].map(|name| {
        let Published { puzzle, answer, .. } = &published[name];
        [puzzle.clone(), answer.clone()]
    })
}

/// Binary tables as written by other programs (see `make.py` there).
#[test]
fn tables_of_other_programs() {
    let tables = path("tests/golden/tables");
    let mut names: Vec<_> = fs::read_dir(&tables).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().unwrap() != "py");
    assert_eq!(names.len(), 11);
    for path in names {
        let (name, ending) = (path.file_name().unwrap().to_str().unwrap(), path.extension().unwrap());
        let format = if ending == "arrows" { "arrow" } else { ending.to_str().unwrap() };
        for flags in [String::new(), format!("--format {format}")] {
            let rows = printed(&tables, &format!("{flags} {name}"));
            let rows = columns(&rows, &["id", "source", "line", "status", "puzzle", "solution"]);
            assert_eq!(rows.len(), 3, "{name}");
            for ((row, number), [puzzle, solution]) in rows.iter().zip(["1", "2", "3"]).zip(in_tables()) {
                assert_eq!(*row, [number, name, number, "unique", &puzzle, &solution]);
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
    let strings = ["strings.parquet", "strings.arrow", "dictionaries.arrow"];
    for name in strings.into_iter().chain(["lists.parquet", "lists.arrows", "duckdb.parquet"]) {
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
        let input = read(&format!("data/judge/{name}.in"));
        let answers = cargo_bin_cmd!("batchdoku").args(["solve", "-O", "text"]).write_stdin(input).assert();
        answers.code(0).stdout(read(&format!("data/judge/{name}.out")));
    }
}

/// A record in `data/status` and its expected result.
#[derive(serde::Deserialize)]
struct Expected {
    file: String,
    line: String,
    kind: String,
    status: String,
    solutions: String,
    solution: String,
    /// The start of the error, which gives its place.
    error: String,
}

#[test]
fn every_status_and_every_kind_of_bad_record() {
    let mut rows = csv::Reader::from_path(path("data/status/expected.csv")).unwrap();
    let expected: Vec<Expected> = rows.deserialize().map(|row| row.unwrap()).collect();
    let mut statuses = BTreeSet::new();
    for records in expected.chunk_by(|a, b| a.file == b.file) {
        let file = &*records[0].file;
        let flags = match file {
            "unfinished.txt" => "--max-guesses 0",
            // Most of its rows are bad, so it looks like a list.
            "invalid.csv" => "--format csv",
            _ => "",
        };
        let (code, rows, _) = solve(&path("data/status"), &format!("{flags} {file}"));
        let answered = records.iter().all(|record| matches!(&*record.status, "unique" | "multiple"));
        assert_eq!(code, i32::from(!answered), "{file}");
        let names = ["error", "source", "line", "kind", "status", "solutions", "solution"];
        let rows = columns(&rows, &names);
        assert_eq!(rows.len(), records.len(), "{file}");
        for ([error, row @ ..], record) in rows.iter().zip(records) {
            let Expected { line, kind, status, solutions, solution, .. } = record;
            assert_eq!(row, &[file, line, kind, status, solutions, solution], "{file}:{line}");
            assert!(error.starts_with(&record.error), "{file}:{line}: {error}");
            // An error must give a reason in addition to the place.
            assert_eq!(status == "invalid", error.len() > record.error.len(), "{file}:{line}: {error}");
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

/// With `--limit 1`, uniqueness is not checked, so unique and ambiguous puzzles alike are `solved`.
#[test]
fn a_limit_of_one_gives_solved() {
    for name in ["unique.txt", "multiple.txt"] {
        let rows = printed(&path("data/status"), &format!("--limit 1 {name}"));
        for [status, solutions, solution] in columns(&rows, &["status", "solutions", "solution"]) {
            assert_eq!((&*status, &*solutions, solution.len()), ("solved", "1", 81), "{name}");
        }
    }
}

/// The sets generated by the program match their names.
#[test]
fn the_generated_sets_have_their_status() {
    for (name, count, status) in [
        ("easy", 2000, "unique"),
        ("minimal", 2000, "unique"),
        ("hard", 2000, "unique"),
        ("several", 1000, "multiple"),
        ("unsolvable", 1000, "unsolvable"),
    ] {
        let (_, rows, _) = solve(&path("data"), &format!("{name}.txt"));
        assert!(columns(&rows, &["status"]) == vec![[status]; count], "{name}");
    }
}
