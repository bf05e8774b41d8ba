//! What a user sees of `batchdoku bench`: tables, messages, exports and exit codes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;
use batchdoku::solver::Backend;
use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};
use serde_json::Value;

use crate::place::Place;
#[cfg(unix)]
use crate::pty::Terminal;
use crate::puzzles::{ANSWER, UNIQUE};

/// The time for a table: enough for a test.
const QUICK: &str = "0.05";

impl Place {
    /// A place with the first puzzles of a set of `data/` in `a.txt`.
    fn of_set(set: &str, most: usize) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(set);
        let text = fs::read_to_string(path).unwrap();
        let lines: Vec<_> = text.lines().take(most).collect();
        let place = Self::new();
        place.file("a.txt", &lines);
        place
    }

    /// The rows of the tables of a kind in `a.json`, those of all lists last.
    fn tables(&self, kind: &str) -> Vec<Value> {
        let json = self.json("a.json");
        json["tables"].as_array().unwrap().iter().filter(|table| table["table"] == kind).cloned().collect()
    }

    /// The contender of that name in the last table of a kind in `a.json`.
    fn row(&self, kind: &str, name: &str) -> Value {
        let rows = self.tables(kind).pop().unwrap()["rows"].take();
        let found = rows.as_array().unwrap().iter().find(|row| row["name"] == name);
        found.unwrap_or_else(|| panic!("there is no {name} in {rows}")).clone()
    }

    /// `bench` with some arguments, quick.
    fn bench(&self, words: &[&str]) -> Command {
        let mut command = self.command(["bench", "--seconds", QUICK]);
        command.args(words).timeout(Duration::from_secs(120));
        command
    }
}

mod tables {
    use super::*;

    #[test]
    fn every_backend_named_has_its_row() {
        let place = Place::of_set("minimal.txt", 50);
        let output = place.bench(&["a.txt", "--backend", "portable,scalar", "-q"]).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        let text = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].starts_with("50 puzzles of a.txt; limit 2, 1 thread, seed 1; batchdoku "), "{text}");
        assert!(
            lines[2].starts_with("In this process, from grids in memory to outcomes in memory: "),
            "{text}"
        );
        let header: Vec<_> = lines[3].split("  ").map(str::trim).filter(|word| !word.is_empty()).collect();
        assert_eq!(
            header,
            [
                "contender",
                "puzzles/s",
                "+-",
                "us/puzzle",
                "% no guess",
                "guesses/puzzle",
                "p50",
                "p90",
                "p99",
                "max",
                "ratio",
                "95 %"
            ]
        );
        assert!(lines[4].starts_with("portable ") && lines[4].ends_with(" 1.00 to 1.00"), "{text}");
        assert!(lines[5].starts_with("scalar "), "{text}");
        assert_eq!(lines.len(), 6);
    }

    /// The guesses must be those that `solve` reports.
    #[test]
    fn guesses_are_those_of_solve() {
        let place = Place::of_set("hard.txt", 40);
        for backend in ["portable", "scalar"] {
            place.bench(&["a.txt", "--backend", backend, "-o", "a.json"]).assert().code(0);
            let rows = cargo_bin_cmd!("batchdoku")
                .current_dir(&place.directory)
                .args(["solve", "a.txt", "--backend", backend])
                .output()
                .unwrap();
            let rows: Vec<u64> = csv::Reader::from_reader(&*rows.stdout)
                .deserialize::<std::collections::HashMap<String, String>>()
                .map(|row| row.unwrap()["guesses"].parse().unwrap())
                .collect();
            let row = place.row("in-process", backend);
            let mean = rows.iter().sum::<u64>() as f64 / 40.0;
            let without = rows.iter().filter(|&&guesses| guesses == 0).count() as f64 / 40.0;
            assert!((row["guesses_per_puzzle"].as_f64().unwrap() - mean).abs() < 1e-9);
            assert!((row["percent_without_guess"].as_f64().unwrap() - 100.0 * without).abs() < 1e-9);
        }
    }

    /// Puzzles given up must be those that `solve` gives up, the same in all lanes.
    #[test]
    fn max_guesses_gives_up_as_solve_does() {
        let place = Place::of_set("hard.txt", 40);
        let backends: Vec<_> = Backend::available().into_iter().map(Backend::name).collect();
        let words = ["a.txt", "--max-guesses", "8", "--backend", &backends.join(",")];
        let exports = ["-o", "a.json", "-o", "a.csv", "-o", "a.md"];
        let output = place.bench(&[&words[..], &exports[..]].concat()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with("40 puzzles of a.txt; limit 2, max-guesses 8, 1 thread, "), "{text}");
        assert_eq!(place.json("a.json")["method"]["max_guesses"], 8);
        let mut of_lanes = BTreeSet::new();
        for backend in &backends {
            let rows = cargo_bin_cmd!("batchdoku")
                .current_dir(&place.directory)
                .args(["solve", "a.txt", "--max-guesses", "8", "--backend", backend])
                .output()
                .unwrap();
            let rows = String::from_utf8(rows.stdout).unwrap();
            let unfinished = rows.lines().filter(|row| row.contains(",unfinished,")).count();
            assert!((1..40).contains(&unfinished), "{backend}: {unfinished}");
            assert_eq!(place.row("in-process", backend)["unfinished"], unfinished, "{backend}");
            let note = format!("{backend}: {unfinished} of 40 puzzles unfinished, given up after");
            assert!(text.contains(&note) && place.read("a.md").contains(&note), "{note}: {text}");
            if *backend != "scalar" {
                of_lanes.insert(unfinished);
            }
        }
        assert_eq!(of_lanes.len(), 1, "{of_lanes:?}");
        let mut reader = csv::Reader::from_path(place.path("a.csv")).unwrap();
        let column = reader.headers().unwrap().iter().position(|name| name == "unfinished").unwrap();
        let row = reader.records().next().unwrap().unwrap();
        assert_eq!(row[column], of_lanes.pop_first().unwrap().to_string());
    }

    /// Counting the solutions of the empty grid would never end.
    #[test]
    fn one_bad_grid_does_not_stall_a_run_with_max_guesses() {
        let place = Place::of_set("easy.txt", 3);
        place.file("b.txt", &[&".".repeat(81)]);
        let words = ["a.txt", "b.txt", "--limit", "1000000000000000", "--max-guesses", "1000"];
        place.bench(&words).assert().code(0).stdout(contains(": 1 of 4 puzzles unfinished"));
    }

    #[test]
    fn backends_on_several_numbers_of_threads_are_contenders_of_one_table() {
        let place = Place::of_set("easy.txt", 20);
        place
            .bench(&["a.txt", "--backend", "portable", "-j", "1,2", "-o", "a.json"])
            .assert()
            .code(0)
            .stdout(
                contains("limit 2, 1, 2 threads, seed 1")
                    .and(contains("\nportable "))
                    .and(contains("\nportable -j 2 "))
                    .and(contains("medians of ").count(1)),
            );
        let names = ["portable", "portable -j 2", "scalar", "scalar -j 2"];
        let rows = place.tables("in-process")[0]["rows"].take();
        assert_eq!(rows.as_array().unwrap().iter().map(|row| &row["name"]).collect::<Vec<_>>(), names);
        for (name, threads) in names.into_iter().zip([1, 2, 1, 2]) {
            let row = place.row("in-process", name);
            assert_eq!((&row["threads"], &row["ratio_to"]), (&threads.into(), &"portable".into()));
            assert!(
                row["yardsticks"].as_f64().unwrap() > 0.0
                    && (row["yardsticks"] == 1.0) == name.starts_with("scalar")
            );
        }
    }

    #[test]
    fn threads_limit_and_isomorphs_are_in_the_first_line() {
        let place = Place::of_set("several.txt", 20);
        place
            .bench(&["a.txt", "-j2", "--limit", "5", "--permute", "--seed", "9"])
            .assert()
            .code(0)
            .stdout(starts_with("20 puzzles of a.txt; limit 5, 2 threads, seed 9, permuted; "))
            .stderr(contains("holds each of").not());
    }

    #[test]
    fn few_puzzles_without_permute_are_warned_of() {
        let place = Place::of_set("easy.txt", 20);
        let output = place.bench(&["a.txt", "-o", "a.json"]).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        let errors = String::from_utf8(output.stderr).unwrap();
        // On a machine that stands still for a moment a round has no more than the 20.
        let repeated = place.tables("in-process")[0]["puzzles_a_round"].as_u64().unwrap() > 20;
        assert_eq!(errors.contains("holds each of the 20") && errors.contains("--permute"), repeated);
    }
}

mod inputs {
    use super::*;

    #[test]
    fn standard_input_is_read_and_hashed() {
        let place = Place::of_set("easy.txt", 3);
        for words in [&["-o", "a.json"][..], &["-", "-o", "a.json"]] {
            place.bench(words).write_stdin(format!("{UNIQUE}\n")).assert().code(0);
            let json = place.json("a.json");
            assert_eq!((&json["puzzles"], &json["inputs"][0]["name"]), (&1.into(), &"-".into()));
            assert_eq!(json["inputs"][0]["sha256"].as_str().unwrap().len(), 64);
        }
        place.file("b.txt", &[UNIQUE]);
        place.bench(&["b.txt", "-o", "b.json"]).assert().code(0);
        assert_eq!(place.json("b.json")["inputs"][0]["sha256"], place.json("a.json")["inputs"][0]["sha256"]);
    }

    #[test]
    fn what_cannot_be_measured_is_left_out_with_a_warning() {
        let place = Place::of_set("easy.txt", 3);
        place.file("b.txt", &[UNIQUE, &UNIQUE[1..], &format!("33{}", &UNIQUE[2..])]);
        let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sudominoku.txt");
        let cases = fs::read_to_string(cases).unwrap();
        let first_case: Vec<_> = cases.lines().take(12).collect();
        place.file("cases.txt", &[&first_case[..], &["0"]].concat());
        place.bench(&["b.txt", "cases.txt", "-o", "a.json"]).assert().code(0).stderr(contains(
            "warning: 3 of 4 records left out (2 invalid, 1 Sudominoku), the first: b.txt:2:",
        ));
        let json = place.json("a.json");
        assert_eq!(
            (&json["invalid"], &json["sudominoku"], &json["puzzles"]),
            (&2.into(), &1.into(), &1.into())
        );
    }

    #[test]
    fn nothing_to_measure_on_is_an_error() {
        let place = Place::of_set("easy.txt", 3);
        place.file("bad.txt", &[&format!("55{}", ".".repeat(79))]);
        place.bench(&["bad.txt"]).assert().code(2).stdout(is_empty()).stderr(starts_with(
            "error: no sudoku to measure in bad.txt; the first record left out is bad.txt:1:2: clue 5 occurs twice in a",
        ));
        fs::write(place.path("empty.txt"), "").unwrap();
        place.bench(&["empty.txt"]).assert().code(2).stdout(is_empty()).stderr(starts_with("error: "));
        place.bench(&[]).write_stdin("").assert().code(2).stdout(is_empty()).stderr(starts_with("error: "));
    }

    #[test]
    fn a_file_named_twice_is_warned_of() {
        let place = Place::of_set("easy.txt", 3);
        place
            .bench(&["a.txt", "./a.txt"])
            .assert()
            .code(0)
            .stderr(contains("warning: ./a.txt: has the same bytes as a.txt"));
    }

    #[test]
    fn a_missing_file_is_named() {
        let place = Place::of_set("easy.txt", 3);
        place
            .bench(&["a.txt", "no.txt", "nor.txt"])
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(contains("error: no.txt: cannot open").and(contains("error: nor.txt: cannot open")))
            .stderr(contains("(os error").count(2));
    }
}

mod flags {
    use super::*;

    #[test]
    fn bad_flags_are_refused_before_anything_is_measured() {
        let place = Place::of_set("easy.txt", 3);
        place.file("a.md", &[UNIQUE]);
        for (words, why) in [
            (&["a.txt", "--backend", "fast"][..], "invalid value 'fast'"),
            (&["a.txt", "--backend", "scalar,scalar"], "names scalar twice"),
            (&["a.txt", "-j", "0"], "invalid value '0'"),
            (&["a.txt", "-j", "100000"], "expected 1 to 4096 threads"),
            (&["a.txt", "-o", "-"], "(expected .json, .csv or .md)"),
            (&["a.txt", "-o", "x.json", "-o", "x.html"], "--output x.html: has no extension of results"),
            (&["a.txt", "-j", "2,1,2"], "--threads names 2 twice"),
            (&["-", "-"], "named twice"),
            (&["a.txt", "--against", "a=x", "--against", "a=y"], "the name a is taken"),
            (&["a.txt", "--limit", "0"], "invalid value '0'"),
            (&["a.txt", "--timeout=-3"], "invalid value '-3'"),
            (&["a.txt", "--timeout", "x"], "invalid value 'x'"),
            (&["a.txt", "--timeout", "1e300"], "invalid value '1e300'"),
            (&["a.txt", "--against", "true"], "it has no ="),
            (
                &["a.txt", "-o", "x.json", "-o", "./x.json"],
                "--output x.json and --output ./x.json both name the same file",
            ),
            (&["a.md", "-o", "a.md"], "would overwrite the input a.md"),
            (&["a.txt", "-o", "no/such.csv"], "does not exist"),
            (&["a.txt", "--format", "line", "--puzzle-column", "x"], "--puzzle-column"),
        ] {
            place.bench(words).assert().code(2).stdout(is_empty()).stderr(contains(why));
        }
        assert!(!place.path("x.json").exists() && !place.path("x.json.partial").exists());
    }

    #[test]
    fn help_has_examples_and_says_what_is_measured() {
        let place = Place::of_set("easy.txt", 1);
        for flag in ["--help", "-h"] {
            place.bench(&[flag]).assert().code(0).stdout(contains("--against 'mine=./mine {in} {out}'"));
        }
        place.bench(&["--help"]).assert().stdout(contains("from grids in memory"));
    }
}

mod exports {
    use super::*;

    #[test]
    fn json_carries_where_the_figures_come_from() {
        let place = Place::of_set("minimal.txt", 30);
        place.bench(&["a.txt", "--backend", "scalar", "--seed", "3", "-o", "a.json"]).assert().code(0);
        let json = place.json("a.json");
        assert_eq!(json["version"], env!("CARGO_PKG_VERSION"));
        assert!(json["command"].as_array().unwrap().contains(&"a.json".into()));
        assert!(json["started"].as_str().unwrap().ends_with('Z'));
        assert!(json["machine"]["features"].is_array() && json["machine"]["arch"].is_string());
        assert_eq!(json["method"]["seed"], 3);
        assert_eq!((&json["method"]["limit"], &json["method"]["threads"][0]), (&2.into(), &1.into()));
        assert_eq!(json["inputs"][0]["name"], "a.txt");
        let row = place.row("in-process", "scalar");
        assert_eq!((&row["backend"], &row["failure"]), (&"scalar".into(), &Value::Null));
        let figure = |name: &str| row[name].as_f64().unwrap();
        for name in ["puzzles_per_second", "ratio", "yardsticks"] {
            let [low, high] = ["low", "high"].map(|end| figure(&format!("{name}_{end}")));
            assert!(0.0 < low && low <= figure(name) && figure(name) <= high, "{name}: {low} {high}");
        }
        assert!(figure("passes") >= 1.0);
        assert!((figure("puzzles_per_second") * figure("us_per_puzzle") / 1e6 - 1.0).abs() < 1e-9);
        let [p50, p90, p99, max] = ["p50_ns", "p90_ns", "p99_ns", "max_ns"].map(figure);
        assert!(0.0 < p50 && p50 <= p90 && p90 <= p99 && p99 <= max);
    }

    /// Neither a full disk nor a standard output that cannot be written takes the other exports with it.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_can_be_written_is_written() {
        let place = Place::of_set("easy.txt", 3);
        std::os::unix::fs::symlink("/dev/full", place.path("full.json")).unwrap();
        let words = ["a.txt", "-o", "full.json", "-o", "b.json", "-o", "c.csv"];
        place
            .bench(&words)
            .assert()
            .code(2)
            .stdout(contains("In this process"))
            .stderr(contains("error: full.json: cannot be written: No space left").count(1));
        assert_eq!(place.json("b.json")["puzzles"], 3);
        assert!(place.read("c.csv").starts_with("table,"));
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_batchdoku"))
            .args(["bench", "--seconds", QUICK, "a.txt", "-o", "d.csv"])
            .current_dir(&place.directory)
            .stdout(full)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains("error: standard output: No space left"));
        assert!(place.read("d.csv").starts_with("table,"));
    }

    #[test]
    fn every_export_is_written_and_parses() {
        let place = Place::of_set("easy.txt", 10);
        let words = [
            &["a.txt", "--backend", "portable,scalar"][..],
            &["-o", "a.json", "-o", "b.json"],
            &["-o", "a.csv", "-o", "a.md"],
        ]
        .concat();
        place.bench(&words).assert().code(0);
        assert_eq!(place.read("a.json"), place.read("b.json"));
        let mut reader = csv::Reader::from_path(place.path("a.csv")).unwrap();
        let header = reader.headers().unwrap().clone();
        assert_eq!((&header[0], &header[1], &header[6]), ("table", "list", "name"));
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        let names: Vec<_> = rows.iter().map(|row| (&row[0], &row[6])).collect();
        assert_eq!(names, [("in-process", "portable"), ("in-process", "scalar")]);
        let column = header.iter().position(|name| name == "puzzles_per_second").unwrap();
        let speed = place.row("in-process", "scalar")["puzzles_per_second"].as_f64().unwrap();
        let written: f64 = rows[1][column].parse().unwrap();
        assert!((written / speed - 1.0).abs() < 1e-9);
        let markdown = place.read("a.md");
        let repeated = place.tables("in-process")[0]["puzzles_a_round"].as_u64().unwrap() > 10;
        assert_eq!(markdown.contains(" puzzles holds each of the 10 about"), repeated);
        assert!(markdown.contains("\n| contender | puzzles/s |") && markdown.contains("\n| scalar |"));
    }
}

#[cfg(unix)]
mod programs {
    use std::fs::{File, OpenOptions};
    use std::io::Read;
    use std::sync::mpsc::channel;

    use super::*;

    /// This program as another one.
    fn honest() -> String {
        format!("{} solve --quiet -O lines", env!("CARGO_BIN_EXE_batchdoku"))
    }

    /// The failure of a program, without which the others have figures.
    fn failure(place: &Place, command: &str, more: &[&str]) -> String {
        let against = format!("mine={command}");
        let honest = format!("honest={} {{in}}", honest());
        let words =
            [&["a.txt", "--against", &against, "--against", &honest, "-o", "a.json"][..], more].concat();
        let output = place.bench(&words).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
        let speed = |name: &str| place.row("whole-process", name)["puzzles_per_second"].clone();
        assert!(
            speed("batchdoku scalar").is_number() && speed("honest").is_number() && speed("mine").is_null()
        );
        assert!(String::from_utf8_lossy(&output.stdout).contains("failed"));
        let message = place.row("whole-process", "mine")["failure"].as_str().unwrap().to_owned();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.contains(&format!("error: mine (whole-process): {message}")), "{errors}");
        message
    }

    #[test]
    fn an_honest_program_has_figures_by_files_and_by_streams() {
        let place = Place::of_set("minimal.txt", 30);
        for files in ["{in} -o {out}", "{in}", "- -o {out}", ""] {
            let against = format!("copy={} {files}", honest());
            place
                .bench(&["a.txt", "--against", &against, "-o", "a.json"])
                .assert()
                .code(0)
                .stdout(contains("Whole processes, from file to file, nothing subtracted"));
            let row = place.row("whole-process", "copy");
            let ours = format!("batchdoku {}", Backend::best().name());
            assert_eq!((&row["threads"], &row["ratio_to"]), (&Value::Null, &ours.into()));
            assert!(row["yardsticks"].is_number());
            assert!(place.tables("whole-process")[0]["rounds"].as_u64().unwrap() >= 6);
        }
    }

    #[test]
    fn several_lists_have_a_table_each_and_one_for_all() {
        let place = Place::of_set("easy.txt", 3);
        let rows: Vec<_> = (0..9).map(|row| &UNIQUE[9 * row..9 * row + 9]).collect();
        place.file("grid_.sdk", &rows);
        place.file("table.csv", &["id,quizzes", &format!("1,{UNIQUE}"), &format!("2,{ANSWER}")]);
        // A record that cannot be solved is no puzzle.
        place.file("none.txt", &[&format!("11{}", &UNIQUE[2..])]);
        let against = format!("copy={} --format line,solution=no {{in}}", honest());
        let words = [
            &["a.txt", "grid_.sdk", "none.txt", "table.csv", "--against", &against][..],
            &["-o", "a.json", "-o", "a.csv", "-o", "a.md"],
        ]
        .concat();
        let output = place.bench(&words).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with("6 puzzles of a.txt, grid_.sdk, none.txt, table.csv;"), "{text}");
        let lists = ["a.txt", "grid_.sdk", "table.csv", "all lists"];
        let heads = |what: &str| -> Vec<_> {
            text.lines()
                .filter_map(|line| line.strip_prefix(what)?.split_once(": medians of ")?.0.strip_prefix(", "))
                .collect()
        };
        assert_eq!(heads("In this process, from grids in memory to outcomes in memory"), lists, "{text}");
        assert_eq!(heads("Whole processes, from file to file, nothing subtracted"), lists, "{text}");
        for kind in ["in-process", "whole-process"] {
            let tables = place.tables(kind);
            let of = |part: &str| tables.iter().map(|table| table[part].clone()).collect::<Vec<_>>();
            assert_eq!(of("list"), ["a.txt".into(), "grid_.sdk".into(), "table.csv".into(), Value::Null]);
            assert_eq!(of("puzzles"), [3, 1, 2, 6]);
            let first = tables.iter().map(|table| &table["rows"][0]["ratio"]);
            assert_eq!(first.collect::<Vec<_>>(), [1.0; 4], "{tables:?}");
        }
        let mut reader = csv::Reader::from_path(place.path("a.csv")).unwrap();
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        let mut of_whole: Vec<_> =
            rows.iter().filter(|row| &row[0] == "whole-process").map(|row| &row[1]).collect();
        of_whole.dedup();
        assert_eq!(of_whole, ["a.txt", "grid_.sdk", "table.csv", ""]);
        assert!(place.read("a.md").contains("nothing subtracted, grid\\_.sdk: medians"));
    }

    /// It was read as the solution of the puzzle above it, so that a line was missing.
    #[test]
    fn a_solved_grid_below_its_puzzle_is_a_puzzle_for_ours() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE, ANSWER]);
        let against = format!("copy={} --format line,solution=no {{in}}", honest());
        for seed in ["1", "2", "3", "4"] {
            place.bench(&["a.txt", "--seed", seed, "--against", &against]).assert().code(0);
        }
    }

    #[test]
    fn a_failure_on_one_of_several_lists_is_one() {
        let place = Place::of_set("easy.txt", 1);
        place.file("three.txt", &[ANSWER; 3]);
        place.file("two.txt", &[ANSWER; 2]);
        let copy = "copy=sh -c 'test $(wc -l < \"$0\") != 2 && cp \"$0\" \"$1\"' {in} {out}";
        let words = ["three.txt", "two.txt", "--against", copy, "-o", "a.json"];
        place.bench(&words).assert().code(1).stderr(
            contains("error: copy (whole-process, two.txt): failed: ").and(contains("error: ").count(1)),
        );
        let tables = place.tables("whole-process");
        let failed =
            |at: usize| tables[at]["rows"].as_array().unwrap().iter().any(|row| row["failure"].is_string());
        assert!(!failed(0) && failed(1) && !failed(2));
    }

    #[test]
    fn what_a_program_takes_to_start_stands_beside_its_ratio() {
        let place = Place::new();
        place.file("a.txt", &[ANSWER; 30]);
        // A program that sleeps 10 ms a puzzle, and one that cannot do with a single one.
        let slow = "slow=sh -c 'sleep $(awk \"END {print NR / 100}\" \"$0\"); cp \"$0\" \"$1\"' {in} {out}";
        let many = "many=sh -c 'test $(wc -l < \"$0\") != 1 && cp \"$0\" \"$1\"' {in} {out}";
        let words = ["a.txt", "--against", slow, "--against", many, "-o", "a.json"];
        let output = place.bench(&words).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8(output.stdout).unwrap();
        let note: Vec<_> = text.lines().filter(|line| line.contains(" of its time is its start")).collect();
        assert!(note.len() == 2 && note.iter().all(|line| line.starts_with("batchdoku ")), "{text}");
        let (_, whole) = text.split_once("Whole processes").unwrap();
        assert!(whole.lines().nth(1).unwrap().ends_with("  time    start  ratio            95 %"), "{text}");
        let figure = |name: &str, what: &str| place.row("whole-process", name)[what].as_f64();
        let start = |name: &str| figure(name, "start_seconds");
        assert!(start("batchdoku scalar").unwrap() > 0.0 && start("many").is_none());
        assert!((0.01..0.3).contains(&start("slow").unwrap()) && figure("slow", "run_seconds") > Some(0.3));
    }

    #[test]
    fn puzzles_with_no_or_several_solutions_need_no_answer() {
        for set in ["unsolvable.txt", "several.txt"] {
            let place = Place::of_set(set, 20);
            let silent = "silent=sh -c 'sed s/$/,/ \"$0\" > \"$1\"' {in} {out}";
            let note =
                "silent: 20 of 20 puzzles unanswered (only those with a single solution need an answer)";
            let output = place.bench(&["a.txt", "--against", silent, "-o", "a.md"]).assert();
            output.code(0).stdout(contains(note));
            assert!(place.read("a.md").contains(note));
        }
        let place = Place::of_set("easy.txt", 20);
        let message = failure(&place, "sh -c 'sed s/$/,/ \"$0\" > \"$1\"' {in} {out}", &[]);
        assert!(message.starts_with("20 of 20 solutions are wrong"), "{message}");
    }

    /// A program of `--against` knows nothing of `--max-guesses` and must answer all.
    #[test]
    fn ours_may_give_up_and_theirs_may_not() {
        let place = Place::of_set("hard.txt", 20);
        let against = format!("copy={} {{in}}", honest());
        let words = ["a.txt", "--max-guesses", "5", "-o", "a.json", "--against"];
        place
            .bench(&[&words[..], &[&against]].concat())
            .assert()
            .code(0)
            .stdout(contains("batchdoku gives up after --max-guesses"));
        let best = Backend::best().name();
        let unfinished = place.row("in-process", best)["unfinished"].take();
        let unanswered = |name: &str| place.row("whole-process", name)["unanswered"].take();
        assert_ne!(unfinished, 0);
        assert_eq!((unanswered(&format!("batchdoku {best}")), unanswered("copy")), (unfinished, 0.into()));
    }

    #[test]
    fn wrong_solutions_are_counted_and_the_first_is_shown() {
        let place = Place::of_set("easy.txt", 20);
        // Every solution with its first two digits exchanged, but for those on the first line.
        let command = format!("sh -c '{} {{in}} | sed \"2,\\$s/,\\(.\\)\\(.\\)/,\\2\\1/\"'", honest());
        let message = failure(&place, &command, &[]);
        assert!(message.starts_with("19 of 20 solutions are wrong, the first: "), "{message}");
        assert!(message.contains("answered on line 2 by `"), "{message}");
        assert!(!message.contains("expected a line"), "{message}");
    }

    #[test]
    fn a_banner_or_a_grid_is_not_a_line_for_each_puzzle() {
        let place = Place::of_set("easy.txt", 20);
        let banner = failure(&place, &format!("sh -c 'echo solver 1.0; {} {{in}}'", honest()), &[]);
        let grids = failure(&place, "sh -c 'yes 123456789 | head -n 180'", &[]);
        for message in [banner, grids] {
            let expected = "(expected a line for each puzzle, with its solution as 81 digits)";
            assert!(message.starts_with("20 of 20 ") && message.contains(expected), "{message}");
        }
    }

    #[test]
    fn a_valid_grid_that_is_no_answer_to_the_puzzle_is_wrong() {
        let place = Place::of_set("easy.txt", 20);
        let message = failure(&place, &format!("sh -c 'sed s/.*/{ANSWER}/'"), &[]);
        assert!(message.starts_with("20 of 20 solutions are wrong"), "{message}");
    }

    #[test]
    fn too_few_and_too_many_lines_are_failures() {
        let place = Place::of_set("easy.txt", 20);
        let piped = |filter: &str| format!("sh -c '{} {{in}} | {filter}'", honest());
        assert_eq!(
            failure(&place, &piped("head -n 7"), &[]),
            "wrote 7 of 20 lines (expected a line for each puzzle, with its solution as 81 digits)"
        );
        let twice = failure(&place, &piped("sed p"), &[]);
        assert!(twice.contains("solutions are wrong"), "{twice}");
        let more = failure(&place, &piped("sed \\$p"), &[]);
        assert_eq!(more, "wrote more than a line for each of the 20 puzzles");
        assert!(failure(&place, "true {in}", &[]).starts_with("wrote 0 of 20 lines"));
    }

    #[test]
    fn an_output_file_that_is_not_written_is_a_failure() {
        let place = Place::of_set("easy.txt", 20);
        let message = failure(&place, "true {in} {out}", &[]);
        assert!(message.starts_with("its solutions cannot be read: No such file"), "{message}");
    }

    #[test]
    fn a_failure_has_the_last_line_of_standard_error() {
        let place = Place::of_set("easy.txt", 20);
        let message =
            failure(&place, "sh -c 'echo first >&2; echo \"out of luck\" >&2; echo >&2; exit 3'", &[]);
        assert_eq!(message, "failed: exit status: 3; its last line: out of luck");
        assert_eq!(failure(&place, "false", &[]), "failed: exit status: 1");
        assert!(failure(&place, "sh -c 'kill -9 $$'", &[]).starts_with("failed: signal: 9"));
    }

    /// It works in the warm-up and fails later.
    #[test]
    fn a_failure_in_a_later_run_counts() {
        let place = Place::of_set("easy.txt", 20);
        let command = format!("sh -c 'test ! -e done || exit 4; {} {{in}}; touch done'", honest());
        assert_eq!(failure(&place, &command, &[]), "failed: exit status: 4");
    }

    /// It works in the warm-up and writes nothing, or something wrong, later.
    #[test]
    fn every_run_is_checked() {
        for (later, why) in
            [("true", "wrote 0 of 20 lines"), ("sed s/1/2/g done", "20 of 20 solutions are wrong")]
        {
            let place = Place::of_set("easy.txt", 20);
            let command = format!("sh -c 'if test -e done; then {later}; else {} | tee done; fi'", honest());
            let message = failure(&place, &command, &[]);
            assert!(message.starts_with(why), "{message}");
        }
    }

    /// Another solution of a puzzle with several is right, too.
    #[test]
    fn another_solution_in_a_later_run_is_right() {
        let place = Place::of_set("easy.txt", 1);
        place.file("a.txt", &[&".".repeat(81)]);
        let turned = ANSWER.chars().rev().collect::<String>();
        let command =
            format!("sh -c 'if test -e done; then echo {turned}; else echo {ANSWER}; touch done; fi'");
        place.bench(&["a.txt", "--against", &format!("mine={command}")]).assert().code(0);
    }

    #[test]
    fn an_output_that_is_not_a_regular_file_is_refused() {
        let place = Place::of_set("easy.txt", 20);
        for command in ["mkfifo {out}", "mkdir {out}", "ln -s /dev/zero {out}"] {
            assert_eq!(
                failure(&place, command, &[]),
                "its solutions cannot be read: the output is not a regular file",
                "{command}"
            );
        }
    }

    #[test]
    fn processes_that_a_program_leaves_running_are_killed() {
        let place = Place::of_set("easy.txt", 20);
        let alive = Alive::new(&place);
        let against = format!("mine=sh -c 'sleep 600 > alive & {} {{in}}'", honest());
        place.bench(&["a.txt", "--against", &against]).assert().code(0);
        alive.assert_none_is();
    }

    #[test]
    fn a_missing_program_is_a_failure() {
        let place = Place::of_set("easy.txt", 20);
        let message = failure(&place, "./no-such-program {in} {out}", &[]);
        assert!(message.starts_with("cannot be started: No such file"), "{message}");
    }

    /// A named pipe `alive`, which shows when no process holds it open for writing any more, however busy the
    /// machine is.
    struct Alive {
        ours: File,
        reader: File,
    }

    impl Alive {
        fn new(place: &Place) -> Self {
            let path = place.path("alive");
            assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
            // Opened for reading and writing it does not wait for the other end, nor does any later opener.
            let ours = OpenOptions::new().read(true).write(true).open(&path).unwrap();
            Self { ours, reader: File::open(&path).unwrap() }
        }

        /// Fails if some process keeps the pipe open.
        fn assert_none_is(mut self) {
            drop(self.ours);
            let (sender, receiver) = channel();
            std::thread::spawn(move || sender.send(self.reader.read_to_end(&mut Vec::new())));
            let end = receiver.recv_timeout(Duration::from_secs(60)).expect("a process lives on");
            end.unwrap();
        }
    }

    #[test]
    fn a_program_that_takes_too_long_is_killed_with_its_processes() {
        let place = Place::of_set("easy.txt", 20);
        let alive = Alive::new(&place);
        let message = failure(&place, "sh -c 'sleep 600 > alive & sleep 600; true'", &["--timeout", "5"]);
        assert_eq!(message, "timed out: did not end within 5 s");
        alive.assert_none_is();
    }

    #[test]
    fn files_with_blanks_in_their_path_stay_one_word() {
        let place = Place::of_set("easy.txt", 20);
        let temporary = place.path("a b");
        fs::create_dir(&temporary).unwrap();
        let against = format!("copy={} {{in}} --output={{out}}", honest());
        let mut command = place.bench(&["a.txt", "--against", &against]);
        command.env("TMPDIR", &temporary).assert().code(0);
        // No temporary file is left.
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    }

    /// Ctrl-C while a program is under way ends it, too.
    #[test]
    fn ctrl_c_ends_with_130_and_leaves_nothing() {
        let place = Place::of_set("easy.txt", 20);
        let temporary = place.path("tmp");
        fs::create_dir(&temporary).unwrap();
        let alive = Alive::new(&place);
        let program = env!("CARGO_BIN_EXE_batchdoku");
        let mut child = std::process::Command::new(program)
            .args(["bench", "a.txt", "--seconds", QUICK, "-o", "a.json"])
            .args(["--against", "slow=sh -c 'touch started; sleep 600 > alive; true'"])
            .env("TMPDIR", &temporary)
            .current_dir(&place.directory)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let since = Instant::now();
        while !place.path("started").exists() {
            assert!(since.elapsed() < Duration::from_secs(60), "the program never started");
            std::thread::sleep(Duration::from_millis(5));
        }
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        alive.assert_none_is();
        assert!(!place.path("a.json").exists() && !place.path("a.json.partial").exists());
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    }
}

/// Ctrl-C while solvers take turns.
#[cfg(unix)]
#[test]
fn ctrl_c_while_measuring_ends_with_130() {
    let place = Place::of_set("easy.txt", 20);
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("batchdoku"));
    command.args(["bench", "a.txt", "--seconds", "600"]).current_dir(&place.directory);
    let mut terminal = Terminal::start(command);
    terminal.read_until("measuring");
    std::process::Command::new("kill").args(["-INT", &terminal.id().to_string()]).status().unwrap();
    let (shown, status) = terminal.end();
    assert!(shown.contains("interrupted: there are no figures"), "{shown}");
    assert_eq!(status.code(), Some(130));
}
