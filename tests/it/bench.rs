//! Tests `batchdoku bench` as a user sees it: tables, messages, exports and exit codes.

use std::collections::BTreeSet;
use std::fs;

use assert_cmd::Command;
use batchdoku::solver::Backend;
use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};
use serde_json::Value;

use crate::place::{Place, columns, ended, list};
#[cfg(unix)]
use crate::pty::Terminal;
use crate::puzzles::{ANSWER, UNIQUE, grid};

/// The time per table, which is enough for a test.
const QUICK: &str = "0.05";

impl Place {
    /// Returns a place whose `a.txt` holds the first puzzles of a set in `data/`.
    fn of_set(set: &str, most: usize) -> Self {
        Self::with("a.txt", list(set, most).join("\n") + "\n")
    }

    /// Returns the tables of one kind in `a.json`; the one for all lists comes last.
    fn tables(&self, kind: &str) -> Vec<Value> {
        let json = self.json("a.json");
        json["tables"].as_array().unwrap().iter().filter(|table| table["table"] == kind).cloned().collect()
    }

    /// Returns the contender with this name in the last table of one kind in `a.json`.
    fn row(&self, kind: &str, name: &str) -> Value {
        let rows = self.tables(kind).pop().unwrap()["rows"].take();
        let found = rows.as_array().unwrap().iter().find(|row| row["name"] == name);
        found.unwrap_or_else(|| panic!("there is no {name} in {rows}")).clone()
    }

    /// Returns a quick `bench` of a line.
    fn bench(&self, line: &str) -> Command {
        self.run(&format!("bench --seconds {QUICK} {line}"))
    }

    /// Returns a quick `bench` of a line against another program, given as `NAME=COMMAND`.
    fn against(&self, line: &str, program: &str) -> Command {
        let mut command = self.bench(line);
        command.args(["--against", program]);
        command
    }
}

mod tables {
    use super::*;

    #[test]
    fn every_backend_named_has_its_row() {
        let place = Place::of_set("minimal.txt", 50);
        let text = place.printed(&format!("bench a.txt --seconds {QUICK} --backend portable,scalar"));
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].starts_with("50 puzzles of a.txt; limit 2, 1 thread, seed 1; batchdoku "), "{text}");
        let head = "In this process, from grids in memory to outcomes in memory: ";
        assert!(lines[2].starts_with(head), "{text}");
        let header: Vec<_> = lines[3].split("  ").map(str::trim).filter(|word| !word.is_empty()).collect();
        let expected =
            "contender|puzzles/s|+-|us/puzzle|% no guess|guesses/puzzle|p50|p90|p99|max|ratio|95 %";
        assert_eq!(header.join("|"), expected);
        assert!(lines[4].starts_with("portable ") && lines[4].ends_with(" 1.00 to 1.00"), "{text}");
        assert!(lines[5].starts_with("scalar "), "{text}");
        assert_eq!(lines.len(), 6);
    }

    /// The guesses must be the same as `solve` reports.
    #[test]
    fn guesses_are_those_of_solve() {
        let place = Place::of_set("hard.txt", 40);
        for backend in ["portable", "scalar"] {
            place.bench(&format!("a.txt --backend {backend} -o a.json")).assert().code(0);
            let (_, rows, _) = place.ran(&format!("solve a.txt --backend {backend}"));
            let rows: Vec<u64> =
                columns(&rows, &["guesses"]).iter().map(|[guesses]| guesses.parse().unwrap()).collect();
            let row = place.row("in-process", backend);
            let mean = rows.iter().sum::<u64>() as f64 / 40.0;
            let without = rows.iter().filter(|&&guesses| guesses == 0).count() as f64 / 40.0;
            assert!((row["guesses_per_puzzle"].as_f64().unwrap() - mean).abs() < 1e-9);
            assert!((row["percent_without_guess"].as_f64().unwrap() - 100.0 * without).abs() < 1e-9);
        }
    }

    /// The puzzles given up must be the ones that `solve` gives up, and must be the same in all lanes.
    #[test]
    fn max_guesses_gives_up_as_solve_does() {
        let place = Place::of_set("hard.txt", 40);
        let backends: Vec<_> = Backend::available().into_iter().map(Backend::name).collect();
        let line =
            format!("a.txt --max-guesses 8 --backend {} -o a.json -o a.csv -o a.md", backends.join(","));
        let (code, text, said) = ended(place.bench(&line).output().unwrap());
        assert_eq!(code, 0, "{said}");
        assert!(text.starts_with("40 puzzles of a.txt; limit 2, max-guesses 8, 1 thread, "), "{text}");
        assert_eq!(place.json("a.json")["method"]["max_guesses"], 8);
        let mut of_lanes = BTreeSet::new();
        for backend in &backends {
            let (_, rows, _) = place.ran(&format!("solve a.txt --max-guesses 8 --backend {backend}"));
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
        let [first] = &columns(&place.read("a.csv"), &["unfinished"])[0];
        assert_eq!(*first, of_lanes.pop_first().unwrap().to_string());
    }

    /// Without the limit, counting the solutions of the empty grid would never end.
    #[test]
    fn one_bad_grid_does_not_stall_a_run_with_max_guesses() {
        let place = Place::of_set("easy.txt", 3);
        place.file("b.txt", &[&".".repeat(81)]);
        let line = "a.txt b.txt --limit 1000000000000000 --max-guesses 1000";
        place.bench(line).assert().code(0).stdout(contains(": 1 of 4 puzzles unfinished"));
    }

    #[test]
    fn backends_on_several_numbers_of_threads_are_contenders_of_one_table() {
        let place = Place::of_set("easy.txt", 20);
        place.bench("a.txt --backend portable -j 1,2 -o a.json").assert().code(0).stdout(
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
        let run = place.bench("a.txt -j2 --limit 5 --permute --seed 9").assert().code(0);
        run.stdout(starts_with("20 puzzles of a.txt; limit 5, 2 threads, seed 9, permuted; "))
            .stderr(contains("holds each of").not());
    }

    #[test]
    fn few_puzzles_without_permute_are_warned_of() {
        let place = Place::of_set("easy.txt", 20);
        let (code, _, errors) = ended(place.bench("a.txt -o a.json").output().unwrap());
        assert_eq!(code, 0, "{errors}");
        // If the machine stalls for a moment, a round can consist of just these 20 puzzles.
        let repeated = place.tables("in-process")[0]["puzzles_a_round"].as_u64().unwrap() > 20;
        assert_eq!(errors.contains("holds each of the 20") && errors.contains("--permute"), repeated);
    }
}

mod inputs {
    use super::*;

    #[test]
    fn standard_input_is_read_and_hashed() {
        let place = Place::of_set("easy.txt", 3);
        for line in ["-o a.json", "- -o a.json"] {
            place.bench(line).write_stdin(format!("{UNIQUE}\n")).assert().code(0);
            let json = place.json("a.json");
            assert_eq!((&json["puzzles"], &json["inputs"][0]["name"]), (&1.into(), &"-".into()));
            assert_eq!(json["inputs"][0]["sha256"].as_str().unwrap().len(), 64);
        }
        place.file("b.txt", &[UNIQUE]);
        place.bench("b.txt -o b.json").assert().code(0);
        assert_eq!(place.json("b.json")["inputs"][0]["sha256"], place.json("a.json")["inputs"][0]["sha256"]);
    }

    #[test]
    fn what_cannot_be_measured_is_left_out_with_a_warning() {
        let place = Place::of_set("easy.txt", 3);
        place.file("b.txt", &[UNIQUE, &UNIQUE[1..], &format!("33{}", &UNIQUE[2..])]);
        place.write("cases.txt", list("sudominoku.txt", 12).join("\n") + "\n0\n");
        place.bench("b.txt cases.txt -o a.json").assert().code(0).stderr(contains(
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
        place.bench("bad.txt").assert().code(2).stdout(is_empty()).stderr(starts_with(
            "error: no sudoku to measure in bad.txt; the first record left out is bad.txt:1:2: clue 5 occurs twice in a",
        ));
        place.write("empty.txt", "");
        place.refuses("bench empty.txt", "error: ");
        place.bench("").write_stdin("").assert().code(2).stdout(is_empty()).stderr(starts_with("error: "));
    }

    #[test]
    fn a_file_named_twice_is_warned_of() {
        let place = Place::of_set("easy.txt", 3);
        let warning = "warning: ./a.txt: has the same bytes as a.txt";
        place.bench("a.txt ./a.txt").assert().code(0).stderr(contains(warning));
    }

    #[test]
    fn a_missing_file_is_named() {
        let place = Place::of_set("easy.txt", 3);
        for name in ["no.txt", "nor.txt"] {
            place.refuses("bench a.txt no.txt nor.txt", &format!("error: {name}: cannot open"));
        }
        assert_eq!(place.ran("bench a.txt no.txt nor.txt").2.matches("(os error").count(), 2);
    }
}

mod flags {
    use super::*;

    #[test]
    fn bad_flags_are_refused_before_anything_is_measured() {
        let place = Place::of_set("easy.txt", 3);
        place.file("a.md", &[UNIQUE]);
        for (line, why) in [
            ("a.txt --backend fast", "invalid value 'fast'"),
            ("a.txt --backend scalar,scalar", "names scalar twice"),
            ("a.txt -j 0", "invalid value '0'"),
            ("a.txt -j 100000", "expected 1 to 4096 threads"),
            ("a.txt -o -", "(expected .json, .csv or .md)"),
            ("a.txt -o json", "json: has no extension of results"),
            ("a.txt -o a.json.gz", "a.json.gz: has no extension of results"),
            ("a.txt -o x.json -o x.html", "--output x.html: has no extension of results"),
            ("a.txt -j 2,1,2", "--threads names 2 twice"),
            ("- -", "named twice"),
            ("a.txt --against a=x --against a=y", "the name a is taken"),
            ("a.txt --limit 0", "invalid value '0'"),
            ("a.txt --timeout=-3", "invalid value '-3'"),
            ("a.txt --timeout x", "invalid value 'x'"),
            ("a.txt --timeout 1e300", "invalid value '1e300'"),
            ("a.txt --against true", "it has no ="),
            ("a.txt -o x.json -o ./x.json", "--output x.json and --output ./x.json both name the same file"),
            ("a.md -o a.md", "would overwrite the input a.md"),
            ("a.txt -o no/such.csv", "does not exist"),
            ("a.txt --format line --puzzle-column x", "--puzzle-column"),
        ] {
            place.refuses(&format!("bench {line}"), why);
        }
        assert!(!place.path("x.json").exists() && !place.path("x.json.partial").exists());
    }

    #[test]
    fn help_has_examples_and_says_what_is_measured() {
        let place = Place::of_set("easy.txt", 1);
        for flag in ["--help", "-h"] {
            place.bench(flag).assert().code(0).stdout(contains("--against 'mine=./mine {in} {out}'"));
        }
        place.bench("--help").assert().stdout(contains("from grids in memory"));
    }
}

mod exports {
    use super::*;

    #[test]
    fn json_carries_where_the_figures_come_from() {
        let place = Place::of_set("minimal.txt", 30);
        place.bench("a.txt --backend scalar --seed 3 -o a.json").assert().code(0);
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

    /// If one export fails because the disk is full or standard output is closed, the others are still written.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_can_be_written_is_written() {
        let place = Place::of_set("easy.txt", 3);
        std::os::unix::fs::symlink("/dev/full", place.path("full.json")).unwrap();
        let run = place.bench("a.txt -o full.json -o b.json -o c.csv").assert().code(2);
        run.stdout(contains("In this process"))
            .stderr(contains("error: full.json: cannot be written: No space left").count(1));
        assert_eq!(place.json("b.json")["puzzles"], 3);
        assert!(place.read("c.csv").starts_with("table,"));
        let full =
            place.shell(&format!("batchdoku bench --seconds {QUICK} a.txt -o d.csv >/dev/full")).assert();
        full.code(2).stderr(contains("error: standard output: No space left"));
        assert!(place.read("d.csv").starts_with("table,"));
    }

    #[test]
    fn every_export_is_written_and_parses() {
        let place = Place::of_set("easy.txt", 10);
        let outputs = "-o a.json -o b.JSON -o a.csv -o a.markdown";
        place.bench(&format!("a.txt --backend portable,scalar {outputs}")).assert().code(0);
        assert_eq!(place.read("a.json"), place.read("b.JSON"));
        let rows = columns(&place.read("a.csv"), &["table", "list", "name", "puzzles_per_second"]);
        let names: Vec<_> = rows.iter().map(|row| row[..3].join(" ")).collect();
        assert_eq!(names, ["in-process  portable", "in-process  scalar"]);
        let speed = place.row("in-process", "scalar")["puzzles_per_second"].as_f64().unwrap();
        let written: f64 = rows[1][3].parse().unwrap();
        assert!((written / speed - 1.0).abs() < 1e-9);
        let markdown = place.read("a.markdown");
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
    use crate::place::{PATIENCE, end, mkfifo, piped, send, wait_for};

    /// Returns a command that runs this program in the role of another one.
    fn honest() -> String {
        format!("{} solve --quiet -O lines", env!("CARGO_BIN_EXE_batchdoku"))
    }

    /// Returns the failure message of a program; the other programs must still have figures.
    fn failure(place: &Place, command: &str, more: &str) -> String {
        let against = format!("mine={command}");
        let honest = format!("honest={} {{in}}", honest());
        let mut command = place.against(&format!("a.txt -o a.json {more}"), &against);
        let (code, printed, errors) = ended(command.args(["--against", &honest]).output().unwrap());
        assert_eq!(code, 1, "{errors}");
        let speed = |name: &str| place.row("whole-process", name)["puzzles_per_second"].clone();
        assert!(
            speed("batchdoku scalar").is_number() && speed("honest").is_number() && speed("mine").is_null()
        );
        assert!(printed.contains("failed"), "{printed}");
        let message = place.row("whole-process", "mine")["failure"].as_str().unwrap().to_owned();
        assert!(errors.contains(&format!("error: mine (whole-process): {message}")), "{errors}");
        message
    }

    #[test]
    fn an_honest_program_has_figures_by_files_and_by_streams() {
        let place = Place::of_set("minimal.txt", 30);
        for files in ["{in} -o {out}", "{in}", "- -o {out}", ""] {
            let against = format!("copy={} {files}", honest());
            let run = place.against("a.txt -o a.json", &against).assert().code(0);
            run.stdout(contains("Whole processes, from file to file, nothing subtracted"));
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
        place.write("grid_.sdk", grid(UNIQUE));
        place.file("table.csv", &["id,quizzes", &format!("1,{UNIQUE}"), &format!("2,{ANSWER}")]);
        // A record that cannot be solved does not count as a puzzle.
        place.file("none.txt", &[&format!("11{}", &UNIQUE[2..])]);
        let against = format!("copy={} --format line,solution=no {{in}}", honest());
        let line = "a.txt grid_.sdk none.txt table.csv -o a.json -o a.csv -o a.md";
        let (_, text, _) = ended(place.against(line, &against).output().unwrap());
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
        let rows = columns(&place.read("a.csv"), &["table", "list"]);
        let of_whole = rows.iter().filter(|[table, _]| table == "whole-process");
        let mut of_whole: Vec<_> = of_whole.map(|[_, list]| &**list).collect();
        of_whole.dedup();
        assert_eq!(of_whole, ["a.txt", "grid_.sdk", "table.csv", ""]);
        assert!(place.read("a.md").contains("nothing subtracted, grid\\_.sdk: medians"));
    }

    /// Such a grid used to be read as the solution of the puzzle above it, so the output was a line short.
    #[test]
    fn a_solved_grid_below_its_puzzle_is_a_puzzle_for_ours() {
        let place = Place::with_lines("a.txt", &[UNIQUE, ANSWER]);
        let against = format!("copy={} --format line,solution=no {{in}}", honest());
        for seed in 1..=4 {
            place.against(&format!("a.txt --seed {seed}"), &against).assert().code(0);
        }
    }

    #[test]
    fn a_failure_on_one_of_several_lists_is_one() {
        let place = Place::of_set("easy.txt", 1);
        place.file("three.txt", &[ANSWER; 3]);
        place.file("two.txt", &[ANSWER; 2]);
        let copy = "copy=sh -c 'test $(wc -l < \"$0\") != 2 && cp \"$0\" \"$1\"' {in} {out}";
        place.against("three.txt two.txt -o a.json", copy).assert().code(1).stderr(
            contains("error: copy (whole-process, two.txt): failed: ").and(contains("error: ").count(1)),
        );
        let tables = place.tables("whole-process");
        let failed =
            |at: usize| tables[at]["rows"].as_array().unwrap().iter().any(|row| row["failure"].is_string());
        assert!(!failed(0) && failed(1) && !failed(2));
    }

    #[test]
    fn what_a_program_takes_to_start_stands_beside_its_ratio() {
        let place = Place::with_lines("a.txt", &[ANSWER; 30]);
        // One program sleeps 10 ms per puzzle, and the other cannot handle a single puzzle.
        let slow = "slow=sh -c 'sleep $(awk \"END {print NR / 100}\" \"$0\"); cp \"$0\" \"$1\"' {in} {out}";
        let many = "many=sh -c 'test $(wc -l < \"$0\") != 1 && cp \"$0\" \"$1\"' {in} {out}";
        let mut command = place.against("a.txt -o a.json", slow);
        let (code, text, _) = ended(command.args(["--against", many]).output().unwrap());
        assert_eq!(code, 0);
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
            place.against("a.txt -o a.md", silent).assert().code(0).stdout(contains(note));
            assert!(place.read("a.md").contains(note));
        }
        let place = Place::of_set("easy.txt", 20);
        let message = failure(&place, "sh -c 'sed s/$/,/ \"$0\" > \"$1\"' {in} {out}", "");
        assert!(message.starts_with("20 of 20 solutions are wrong"), "{message}");
    }

    /// A program given with `--against` does not know about `--max-guesses`, so it must answer every puzzle.
    #[test]
    fn ours_may_give_up_and_theirs_may_not() {
        let place = Place::of_set("hard.txt", 20);
        let against = format!("copy={} {{in}}", honest());
        let run = place.against("a.txt --max-guesses 5 -o a.json", &against).assert().code(0);
        run.stdout(contains("batchdoku gives up after --max-guesses"));
        let best = Backend::best().name();
        let unfinished = place.row("in-process", best)["unfinished"].take();
        let unanswered = |name: &str| place.row("whole-process", name)["unanswered"].take();
        assert_ne!(unfinished, 0);
        assert_eq!((unanswered(&format!("batchdoku {best}")), unanswered("copy")), (unfinished, 0.into()));
    }

    #[test]
    fn a_failure_says_what_is_wrong() {
        let honest = honest();
        let piped = |filter: &str| format!("sh -c '{honest} {{in}} | {filter}'");
        // The program works during the warm-up but misbehaves later.
        let later =
            |then: &str| format!("sh -c 'if test -e done; then {then}; else {honest} | tee done; fi'");
        let expected = "(expected a line for each puzzle, with its solution as 81 digits)";
        for (command, start, part) in [
            // The first two digits of every solution are swapped, except on the first line.
            (
                piped("sed \"2,\\$s/,\\(.\\)\\(.\\)/,\\2\\1/\""),
                "19 of 20 solutions are wrong, the first: ",
                "line 2 by `",
            ),
            // The output is a valid grid that does not solve the puzzle.
            (format!("sh -c 'sed s/.*/{ANSWER}/'"), "20 of 20 solutions are wrong", ""),
            // With a banner or grids, the output is not one line per puzzle.
            (format!("sh -c 'echo solver 1.0; {honest} {{in}}'"), "20 of 20 ", expected),
            ("sh -c 'yes 123456789 | head -n 180'".into(), "20 of 20 ", expected),
            (piped("head -n 7"), "wrote 7 of 20 lines ", expected),
            (piped("sed p"), "", "solutions are wrong"),
            (piped("sed \\$p"), "wrote more than a line for each of the 20 puzzles", ""),
            ("true {in}".into(), "wrote 0 of 20 lines", ""),
            ("true {in} {out}".into(), "its solutions cannot be read: No such file", ""),
            ("mkfifo {out}".into(), "its solutions cannot be read: the output is not a regular file", ""),
            ("mkdir {out}".into(), "its solutions cannot be read: the output is not a regular file", ""),
            (
                "ln -s /dev/zero {out}".into(),
                "its solutions cannot be read: the output is not a regular file",
                "",
            ),
            ("false".into(), "failed: exit status: 1", ""),
            ("sh -c 'kill -9 $$'".into(), "failed: signal: 9", ""),
            // The quoted message is the last line that is not blank.
            (
                "sh -c 'echo first >&2; echo \"out of luck\" >&2; echo >&2; exit 3'".into(),
                "failed: exit status: 3; its last line: out of luck",
                "",
            ),
            ("./no-such-program {in} {out}".into(), "cannot be started: No such file", ""),
            (later("exit 4"), "failed: exit status: 4", ""),
            (later("true"), "wrote 0 of 20 lines", ""),
            (later("sed s/1/2/g done"), "20 of 20 solutions are wrong", ""),
        ] {
            let message = failure(&Place::of_set("easy.txt", 20), &command, "");
            assert!(message.starts_with(start) && message.contains(part), "{command}: {message}");
        }
    }

    /// If a puzzle has several solutions, giving a different one in a later run is fine too.
    #[test]
    fn another_solution_in_a_later_run_is_right() {
        let place = Place::of_set("easy.txt", 1);
        place.file("a.txt", &[&".".repeat(81)]);
        let turned = ANSWER.chars().rev().collect::<String>();
        let command =
            format!("sh -c 'if test -e done; then echo {turned}; else echo {ANSWER}; touch done; fi'");
        place.against("a.txt", &format!("mine={command}")).assert().code(0);
    }

    #[test]
    fn processes_that_a_program_leaves_running_are_killed() {
        let place = Place::of_set("easy.txt", 20);
        let alive = Alive::new(&place);
        let against = format!("mine=sh -c 'sleep 600 > alive & {} {{in}}'", honest());
        place.against("a.txt", &against).assert().code(0);
        alive.assert_none_is();
    }

    /// A named pipe `alive`, which shows when no process has it open for writing any more, however busy the machine is.
    struct Alive {
        ours: File,
        reader: File,
    }

    impl Alive {
        fn new(place: &Place) -> Self {
            let path = place.path("alive");
            mkfifo(&path);
            // Opening the pipe for both reading and writing does not wait for the other end, and later openers need not
            // wait either.
            let ours = OpenOptions::new().read(true).write(true).open(&path).unwrap();
            Self { ours, reader: File::open(&path).unwrap() }
        }

        /// Fails if a process still has the pipe open.
        fn assert_none_is(mut self) {
            drop(self.ours);
            let (sender, receiver) = channel();
            std::thread::spawn(move || sender.send(self.reader.read_to_end(&mut Vec::new())));
            let end = receiver.recv_timeout(PATIENCE).expect("a process lives on");
            end.unwrap();
        }
    }

    #[test]
    fn a_program_that_takes_too_long_is_killed_with_its_processes() {
        let place = Place::of_set("easy.txt", 20);
        let alive = Alive::new(&place);
        let message = failure(&place, "sh -c 'sleep 600 > alive & sleep 600; true'", "--timeout 5");
        assert_eq!(message, "timed out: did not end within 5 s");
        alive.assert_none_is();
    }

    #[test]
    fn files_with_blanks_in_their_path_stay_one_word() {
        let place = Place::of_set("easy.txt", 20);
        let temporary = place.path("a b");
        fs::create_dir(&temporary).unwrap();
        let against = format!("copy={} {{in}} --output={{out}}", honest());
        let mut command = place.against("a.txt", &against);
        command.env("TMPDIR", &temporary).assert().code(0);
        // No temporary files are left.
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    }

    /// Ctrl-C while a program is running ends the program too.
    #[test]
    fn ctrl_c_ends_with_130_and_leaves_nothing() {
        let place = Place::of_set("easy.txt", 20);
        let temporary = place.path("tmp");
        fs::create_dir(&temporary).unwrap();
        let alive = Alive::new(&place);
        let mut command = place.program(&format!("bench a.txt --seconds {QUICK} -o a.json --against"));
        command.arg("slow=sh -c 'touch started; sleep 600 > alive; true'").env("TMPDIR", &temporary);
        let mut child = piped(&mut command);
        wait_for(|| place.path("started").exists());
        send(&child, "-INT");
        assert_eq!(end(&mut child).code(), Some(130));
        alive.assert_none_is();
        assert!(!place.path("a.json").exists() && !place.path("a.json.partial").exists());
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    }
}

/// Ctrl-C while the solvers are taking turns.
#[cfg(unix)]
#[test]
fn ctrl_c_while_measuring_ends_with_130() {
    let place = Place::of_set("easy.txt", 20);
    let mut terminal = Terminal::start(place.program("bench a.txt --seconds 600"));
    terminal.read_until("measuring");
    std::process::Command::new("kill").args(["-INT", &terminal.id().to_string()]).status().unwrap();
    let (shown, status) = terminal.end();
    assert!(shown.contains("interrupted: there are no figures"), "{shown}");
    assert_eq!(status.code(), Some(130));
}
