//! Tests `batchdoku report` and `solve --report` as a user sees them.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};

use serde_json::Value;

use crate::place::{Place, columns, data, gzip};
use crate::puzzles::{self, ANSWER, UNIQUE};
use crate::results::{self, EVIL, HEADER, puzzle, row};

impl Place {
    /// Returns the report on some files as JSON, without the parts that differ between equal reports.
    fn figures(&self, names: &[&str]) -> Value {
        figures(self.report(names))
    }

    /// Returns the report on some files as JSON.
    fn report(&self, names: &[&str]) -> Value {
        let words = [&["report", "-q", "-o", "report.json"], names].concat();
        self.command(words).assert().success().stderr(is_empty());
        self.json("report.json")
    }
}

/// Returns a report without the parts that differ between equal reports.
fn figures(mut report: Value) -> Value {
    ["provenance", "inputs", "files"].iter().for_each(|part| report[part] = Value::Null);
    report
}

/// Returns the items of a list, each converted by `of`.
fn items<T>(list: &Value, of: impl Fn(&Value) -> T) -> Vec<T> {
    list.as_array().unwrap().iter().map(of).collect()
}

/// Returns the paths of files in `data/`, as words of a line.
fn paths(names: &[&str]) -> String {
    names.iter().map(|name| data(name).display().to_string()).collect::<Vec<_>>().join(" ")
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

/// Returns ten rows whose figures can be worked out by hand.
fn ten() -> String {
    let mut text = HEADER.to_owned();
    for (id, (source, status, clues, guesses, time)) in (1..).zip([
        ("a.txt", "unique", 20, 0, 100),
        ("a.txt", "unique", 20, 4, 200),
        ("a.txt", "unique", 21, 0, 110),
        ("a.txt", "multiple", 22, 2, 130),
        ("a.txt", "invalid", 80, 0, 0),
        ("b.txt", "invalid", 79, 0, 0),
        ("b.txt", "unsolvable", 23, 1, 90),
        // This is the same puzzle as in rows 1 and 2.
        ("b.txt", "unique", 20, 7, 220),
        ("b.txt", "unique", 24, 12, 250),
        ("b.txt", "unique", 25, 0, 50),
    ]) {
        text += &row(id, source, status, clues, guesses, time);
    }
    text
}

#[test]
fn the_figures_of_ten_rows() {
    let place = Place::with("r.csv", ten());
    let report = place.report(&["r.csv"]);
    let total = &report["total"];
    assert_eq!((total["rows"].as_u64(), total["solved"].as_u64()), (Some(10), Some(8)));
    for (status, count) in
        [("unique", 6), ("multiple", 1), ("unsolvable", 1), ("invalid", 2), ("solved", 0), ("unfinished", 0)]
    {
        assert_eq!(total["statuses"][status], count, "{status}");
    }
    // The times are 50 90 100 110 130 200 220 250; a quantile is the k-th value, for the smallest k such that k/8 is at
    // least the share.
    let time = &total["time_ns"];
    let names = ["min", "p10", "p25", "p50", "p75", "p90", "p99", "max"];
    assert_eq!(names.map(|name| number(&time[name])), [50, 50, 90, 110, 200, 250, 250, 250]);
    assert_eq!(time["mean"], 1150.0 / 8.0);
    assert_eq!(total["solver_ns"], 1150);
    assert_eq!(total["puzzles_per_solver_second"].as_f64().unwrap().round(), (8e9_f64 / 1150.0).round());
    // The guesses are 0 0 0 1 2 4 7 12.
    let guesses = &total["guesses"];
    let names = ["min", "p25", "p50", "p75", "p90", "max"];
    assert_eq!(names.map(|name| number(&guesses[name])), [0, 0, 1, 4, 12, 12]);
    assert_eq!((&guesses["mean"], &total["without_guess"]), (&Value::from(26.0 / 8.0), &Value::from(3)));

    let bins = items(&report["guess_bins"], |bin| ["from", "to", "rows"].map(|name| number(&bin[name])));
    assert_eq!(bins, [[0, 1, 3], [1, 2, 1], [2, 3, 1], [3, 4, 0], [4, 6, 1], [6, 10, 1], [10, 16, 1]]);
    assert_eq!(items(&report["time_bins"], |bin| number(&bin["rows"])).iter().sum::<u64>(), 8);

    let of_clues = |of: &Value| [&of["clues"], &of["rows"], &of["guesses"]["max"]].map(number);
    let clues = [[20, 3, 7], [21, 1, 0], [22, 1, 2], [23, 1, 1], [24, 1, 12], [25, 1, 0]];
    assert_eq!(items(&report["clues"], of_clues), clues);

    let reasons = report["reasons"].as_array().unwrap();
    assert_eq!(reasons.len(), 1);
    assert_eq!((&reasons[0]["reason"], &reasons[0]["rows"]), (&"N cells (expected 81)".into(), &2.into()));
    assert_eq!(reasons[0]["places"], serde_json::json!(["a.txt:5:3", "b.txt:6:3"]));

    let places = |list: &Value| {
        let place = |puzzle: &Value| format!("{}:{}", puzzle["source"].as_str().unwrap(), puzzle["line"]);
        items(list, place)
    };
    // The puzzle in rows 1, 2 and 8 is listed once, with its highest figures.
    assert_eq!(places(&report["hardest"]), ["b.txt:9", "b.txt:8", "a.txt:4", "b.txt:7"]);
    assert_eq!(places(&report["slowest"])[..3], ["b.txt:9", "b.txt:8", "a.txt:4"]);
    assert_eq!(report["hardest"][0]["puzzle"], puzzle(24));

    // Eight rows hold a puzzle; those with 20 clues hold the same one.
    assert_eq!((&total["distinct_puzzles"], &total["repeated_rows"]), (&6.into(), &2.into()));
    let duplicates = &report["duplicates"];
    assert_eq!(duplicates["sampled"], 1);
    assert_eq!(duplicates["overlaps"][0]["names"], serde_json::json!(["a.txt", "b.txt"]));
    assert_eq!(duplicates["overlaps"][0]["puzzles"], 1);
    assert_eq!(duplicates["overlaps"][0]["of"], serde_json::json!([3, 4]));
    let sources = report["sources"].as_array().unwrap();
    assert_eq!(sources.len(), 2);
    assert_eq!((&sources[1]["name"], &sources[1]["rows"]), (&"b.txt".into(), &5.into()));
    assert_eq!(report["run"], Value::Null);
}

#[test]
fn threads_compression_pipes_and_hashes_do_not_change_the_figures() {
    let place = Place::new();
    let mut text = HEADER.to_owned();
    for id in 1..30_000 {
        let status = ["unique", "unique", "multiple", "invalid", "unsolvable"][id % 5];
        text += &row(
            id,
            &format!("{}.txt", id / 4000),
            status,
            17 + id % 30,
            (id * id % 97) as u64,
            (id * 7919 % 100_003) as u64,
        );
    }
    place.write("r.csv", &text);
    place.write("r.csv.gz", gzip(&text));

    let expected = place.figures(&["r.csv", "-j", "1"]);
    assert_eq!(expected["total"]["rows"], 29_999);
    for words in [&["r.csv", "-j", "2"][..], &["r.csv", "-j", "7"], &["r.csv.gz"]] {
        assert_eq!(place.figures(words), expected, "{words:?}");
    }
    let mut piped = place.run("report -q -o piped.json -");
    piped.write_stdin(text).assert().success();
    assert_eq!(figures(place.json("piped.json")), expected);
}

/// The results are the same in every format that has columns.
#[test]
fn a_report_is_the_same_whatever_format_the_results_are_in() {
    let place = Place::new();
    let inputs = paths(&["several.txt", "judge/boj4574.in"]);
    // The first rows have no puzzle, so nothing else shows what the column holds.
    place.write("bad.txt", format!("{0}\n{0}9\n{1}\n", "x".repeat(80), puzzle(40)));
    let names = ["r.csv", "r.jsonl", "r.parquet", "r.arrow", "r.csv.zst", "r.jsonl.gz"];
    let reports = names.map(|name| {
        place.run(&format!("solve -q --lenient --no-time bad.txt {inputs} -o {name}")).assert().success();
        place.figures(&[name])
    });
    assert_eq!(reports[0]["bad_rows"]["count"], 0);
    assert_eq!(reports[0]["total"]["statuses"]["invalid"], 1);
    assert!(reports[0]["sources"].as_array().unwrap().len() == 3, "{}", reports[0]["sources"]);
    for (name, report) in names.iter().zip(&reports) {
        assert_eq!(report, &reports[0], "{name}");
    }
    // This list contains only rows without a puzzle.
    place.write("bad.txt", format!("{}\n", "1".repeat(80)).repeat(100));
    for name in ["bad.csv", "bad.jsonl", "bad.parquet", "bad.arrow"] {
        place.run(&format!("solve -q --lenient --format line bad.txt -o {name}")).assert().success();
        let total = &place.report(&[name])["total"];
        assert_eq!([&total["rows"], &total["puzzles"]].map(number), [100, 0], "{name}");
    }
    // Several files at once, from several jobs.
    let claims = [puzzle(75), puzzles::unsolvable(), "1".to_owned()];
    let claims = claims.map(|puzzle| format!("{puzzle},{}\n", results::SOLUTION));
    place.write("claims.csv", format!("puzzle,solution\n{}", claims.concat()));
    place.run("verify -q --lenient claims.csv -o v.parquet").assert().success();
    let report = place.report(&["r.jsonl", "v.parquet"]);
    let [solved, verified, total] = [&report["files"][0], &report["files"][1], &report["total"]];
    for word in ["correct", "unsolvable", "invalid"] {
        assert_eq!(verified["statuses"][word], 1, "{word}");
        let of_both = [solved, verified].map(|file| file["statuses"][word].as_u64().unwrap());
        assert_eq!(total["statuses"][word], of_both.iter().sum::<u64>(), "{word}");
    }
    assert_eq!(solved["statuses"]["multiple"], reports[0]["total"]["statuses"]["multiple"]);
    assert_eq!((&verified["solved"], &verified["statuses"]["multiple"]), (&2.into(), &0.into()));
    // The statuses of the first job come before those of the second.
    let (_, text, _) = place.ran("report r.jsonl v.parquet");
    let at = |word: &str| text.find(&format!("\n| {word} |")).unwrap();
    assert!(at("multiple") < at("invalid") && at("invalid") < at("correct"), "{text}");
}

#[test]
fn bad_rows_are_named_in_every_format_of_text() {
    let place = Place::with("p.txt", format!("{}\n", puzzle(40)).repeat(4));
    place.run("solve -q p.txt -o r.jsonl").assert().success();
    let text = place.read("r.jsonl");
    let lines: Vec<_> = text.lines().collect();
    let [cut, fine] = [&lines[1][..lines[1].len() - 20], &lines[2].replace("multiple", "fine")];
    place.write("r.jsonl", [lines[0], cut, "nonsense", "", fine, lines[3], ""].join("\n"));
    let report = place.report(&["r.jsonl"]);
    assert_eq!((&report["total"]["rows"], &report["bad_rows"]["count"]), (&2.into(), &3.into()));
    let first: Vec<_> =
        report["bad_rows"]["first"].as_array().unwrap().iter().map(|row| row.as_str().unwrap()).collect();
    assert!(first[0].starts_with("r.jsonl:2: "), "{first:?}");
    assert!(first[1].starts_with("r.jsonl:3: no JSON on this line"), "{first:?}");
    assert_eq!(first[2], "r.jsonl:5: unknown status 'fine'");
}

/// The same run is reported twice: from a results file and directly.
#[test]
fn solve_reports_what_report_finds_in_its_results() {
    let place = Place::new();
    let inputs = paths(&["hard.txt", "several.txt", "status/invalid.txt", "judge/boj4574.in"]);
    let line = "solve -q --lenient -o r.csv --report run.json --report run.html";
    place.run(&format!("{line} {inputs}")).assert().success();
    let from_file = place.report(&["r.csv"]);
    let run = place.json("run.json");
    let tables = ["total", "sources", "clues", "reasons", "hardest", "slowest", "duplicates"];
    for part in tables.into_iter().chain(["time_bins", "guess_bins"]) {
        assert_eq!(run[part], from_file[part], "{part}");
    }
    assert!(run["run"]["wall_seconds"].as_f64().unwrap() > 0.0);
    assert!(run["run"]["threads"].as_u64().unwrap() >= 1);
    assert_eq!(run["run"]["complete"], true);
    assert!(place.read("run.html").contains("Wall time"));
    // The hash is the one given by sha256sum; data/SHA256SUMS has the same.
    let sums = fs::read_to_string(data("SHA256SUMS")).unwrap();
    let hash = sums.lines().find(|line| line.ends_with("hard.txt")).unwrap().split(' ').next().unwrap();
    assert_eq!(run["inputs"][0]["sha256"], hash);
    assert_eq!(run["inputs"][0]["bytes"], 164_000);
}

#[test]
fn standard_input_is_hashed_as_it_is_read() {
    let place = Place::new();
    let mut solve = place.run("solve -q -O lines --report run.json");
    solve.write_stdin(format!("{}\n", puzzle(40))).assert().success();
    let run = place.json("run.json");
    assert_eq!((&run["inputs"][0]["name"], &run["inputs"][0]["bytes"]), (&"-".into(), &82.into()));
    assert_eq!(run["inputs"][0]["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(run["total"]["statuses"]["multiple"], 1);
}

#[test]
fn a_run_that_stopped_early_says_so() {
    let place = Place::with("p.txt", format!("{0}\n{0}x\nnonsense\n{0}\n", puzzle(40)));
    place.run("solve -q --strict --report run.json --report run.md p.txt").assert().code(1);
    let run = place.json("run.json");
    assert_eq!((&run["run"]["complete"], &run["total"]["statuses"]["invalid"]), (&false.into(), &1.into()));
    assert!(place.read("run.md").contains("Stopped early"));
}

/// This is how a user works with the report: take the hardest puzzle and try it again.
#[test]
fn the_hardest_puzzle_is_the_same_when_it_is_pasted_back() {
    let place = Place::new();
    place.run(&format!("solve -q -o r.csv {}", paths(&["hard.txt"]))).assert().success();
    place.run("report -q r.csv -o r.html").assert().success();
    let page = place.read("r.html");
    let (_, rest) = page.split_once("Most guesses").unwrap();
    let (_, rest) = rest.split_once("<strong>").unwrap();
    let guesses = rest.split(' ').next().unwrap();
    let (_, rest) = rest.split_once("<code class=\"string\"").unwrap();
    let string = &rest[rest.find('>').unwrap() + 1..rest.find('<').unwrap()];
    assert_eq!(string.len(), 81);

    place.write("again.txt", string);
    let again = columns(&place.printed("solve again.txt"), &["status", "guesses", "puzzle"]);
    assert_eq!(again, [["unique", guesses, string]]);
    // No other puzzle has more guesses.
    let rows = columns(&place.read("r.csv"), &["guesses"]);
    let most = rows.iter().map(|[guesses]| guesses.parse::<u64>().unwrap()).max();
    assert_eq!(most.unwrap().to_string(), guesses);
}

/// The clues of a Sudominoku without its dominoes are a different puzzle.
#[test]
fn a_sudominoku_has_no_string_to_paste() {
    let place = Place::new();
    let outputs = ["r.html", "r.md", "r.json"].map(|name| format!("--report {name}")).join(" ");
    let line = format!("solve -q -O lines -o r.txt {} {outputs}", paths(&["judge/boj4574.in"]));
    place.run(&line).assert().success();
    let (page, text) = (place.read("r.html"), place.read("r.md"));
    assert!(
        page.contains("Sudominoku: see the case in its file") && !page.contains("<code class=\"string\"")
    );
    assert!(page.contains("<text class=\"g\""), "the grid is drawn all the same");
    assert!(text.contains("| Sudominoku: see the case in its file |"));
    let report = place.json("r.json");
    let slowest = report["slowest"].as_array().unwrap();
    assert!(!slowest.is_empty());
    for puzzle in slowest {
        assert_eq!((&puzzle["kind"], &puzzle["puzzle"]), (&"sudominoku".into(), &Value::Null));
    }
}

/// Returns results as `solve --no-time` writes them.
fn without_times(text: &str) -> String {
    let line = |line: &str| {
        let mut fields: Vec<_> = line.splitn(10, ',').collect();
        fields.remove(8);
        fields.join(",") + "\n"
    };
    text.lines().map(line).collect()
}

#[test]
fn without_times_there_are_none() {
    let place = Place::with("r.csv", without_times(&ten()));
    let report = place.report(&["r.csv"]);
    assert_eq!(report["total"]["time_ns"], Value::Null);
    assert_eq!(report["total"]["guesses"]["max"], 12);
    assert!(report["slowest"].as_array().unwrap().is_empty());
    place.run("report -q r.csv -o r.html").assert().success();
    assert!(place.read("r.html").contains("not recorded"));
}

#[test]
fn missing_times_are_noted() {
    let place = Place::new();
    let timed = |time| HEADER.to_owned() + &row(1, "a.txt", "unique", 20, 3, time);
    place.write("none.csv", without_times(&ten()));
    place.write("old.csv", timed(100));
    place.write("new.csv", timed(50));
    let names = ["none.csv", "old.csv", "new.csv"];
    let report = place.report(&names);
    assert_eq!((&report["total"]["timed"], &report["total"]["solved"]), (&2.into(), &10.into()));
    assert_eq!(report["files"][0]["timed"], 0);
    let outputs = ["report", "-q", "-o", "r.html", "-o", "r.md"];
    place.command([&outputs[..], &names].concat()).assert().success();
    let (page, text) = (place.read("r.html"), place.read("r.md"));
    for text in [&page, &text] {
        assert!(text.contains("Only 2 of 10 rows that reached the solver have times."));
    }
    assert!(page.contains("the first file with times is old.csv"));
    assert!(page.contains(">1.00<") && page.contains(">0.50<"), "the ratios to the first with times");
    place.run("report -q old.csv new.csv -o r.html").assert().success();
    let page = place.read("r.html");
    assert!(!page.contains("Times are missing") && !page.contains("the first file with times"));
}

#[test]
fn bad_rows_are_counted_and_cost_no_other() {
    let place = Place::new();
    let mut text = HEADER.to_owned();
    text += &row(1, "a.txt", "unique", 20, 0, 10);
    text += "2,a.txt,2\n";
    text += &row(3, "a.txt", "unique", 21, 0, 10).replace("unique", "fine");
    text += &row(4, "a.txt", "unique", 22, 0, 10).replace(",0,10,", ",many,10,");
    text += "5,\"a.txt,5,sudoku\n";
    text += &row(6, "a.txt", "unique", 23, 0, 10);
    place.write("r.csv", text);
    let run = place.run("report r.csv -o r.json").assert().success();
    run.stderr(contains("rows that cannot be read: 4; the first is r.csv:3: 3 fields (expected 12)"));
    let report = place.json("r.json");
    assert_eq!(report["total"]["rows"], 2);
    assert_eq!(report["bad_rows"]["count"], 4);
    assert_eq!(
        report["bad_rows"]["first"],
        serde_json::json!([
            "r.csv:3: 3 fields (expected 12)",
            "r.csv:4: unknown status 'fine'",
            "r.csv:5: 'many' in column guesses (expected a whole number)",
            "r.csv:6: quote that is not closed (expected a closing \")",
        ])
    );
}

#[test]
fn nothing_to_report_is_a_report_that_says_so() {
    let place = Place::new();
    // The page escapes characters that change the text direction.
    let name = "head\u{202e}er.csv";
    place.write(name, HEADER);
    place.command(["report", "-q", name, "-o", "r.html", "-o", "r.md"]).assert().success();
    let page = place.read("r.html");
    assert!(page.contains("There are no rows") && page.contains("head\\u202eer.csv"), "{page}");
    assert!(place.read("r.md").contains("There are no rows"));
}

/// PROMISE: no-silent-input
#[test]
fn files_without_results_are_refused_with_their_format() {
    let place = Place::new();
    for (bytes, expected) in [
        ("", "is empty\n"),
        (" \n", "is empty\n"),
        ("# a remark\n", "is not a file of results: the columns source, line, status"),
        ("# a remark\n", "(columns seen: # a remark)"),
        ("PK\u{3}\u{4}", "a zip archive"),
        ("%PDF-1.7\n", "a PDF document"),
    ] {
        place.write("r.csv", bytes);
        place.refuses("report r.csv", "error: r.csv: ");
        place.refuses("report r.csv", expected);
    }
}

#[test]
fn two_files_are_compared() {
    let place = Place::with("old.csv", HEADER.to_owned() + &row(1, "a.txt", "unique", 20, 3, 100));
    place.write("new.csv", HEADER.to_owned() + &row(1, "a.txt", "unique", 20, 3, 50));
    let report = place.report(&["old.csv", "new.csv"]);
    assert_eq!(items(&report["files"], |file| file["name"].clone()), ["old.csv", "new.csv"]);
    // A puzzle that occurs in both files is not a repeat in either of them.
    assert_eq!(
        (&report["total"]["repeated_rows"], &report["total"]["distinct_puzzles"]),
        (&0.into(), &1.into())
    );
    assert_eq!(report["duplicates"]["overlaps"][0]["names"][1], "new.csv \u{203a} a.txt");
    assert_eq!(report["hardest"].as_array().unwrap().len(), 1);
    place.run("report -q old.csv new.csv -o r.html").assert().success();
    let page = place.read("r.html");
    assert!(page.contains("Side by side") && page.contains(">0.50<"), "the ratio of the means is shown");
    assert_eq!(page.matches("All files together").count(), 4);
    assert_eq!(place.ran("report old.csv new.csv").1.matches(", all files together\n").count(), 5);
    for output in ["-", "r.html"] {
        assert!(!place.ran(&format!("report old.csv -o {output}")).1.contains("all files together"));
    }
    assert!(!place.read("r.html").contains("All files together"));
}

#[test]
fn equal_inputs_are_noted() {
    let place = Place::new();
    let text = HEADER.to_owned() + &row(1, "a.txt", "unique", 20, 3, 100) + "nonsense\n";
    place.write("r.csv", &text);
    place.write("copy.csv", &text);
    let names = ["r.csv", "r.csv", "copy.csv"];
    let report = place.report(&names);
    assert_eq!(items(&report["files"], |file| file["name"].clone()), ["r.csv", "r.csv (2)", "copy.csv"]);
    assert!(report["bad_rows"]["first"][1].as_str().unwrap().starts_with("r.csv (2):3: "));
    let outputs = ["report", "-q", "-o", "r.html", "-o", "r.md"];
    place.command([&outputs[..], &names].concat()).assert().success();
    for text in [place.read("r.html"), place.read("r.md")] {
        let expected = "r.csv has the same bytes as r.csv, copy.csv has the same bytes as r.csv; their rows are \
                        counted again.";
        assert!(text.contains("Equal inputs") && text.contains(expected));
    }
    place.write("other.csv", text.replace("100", "101"));
    place.run("report r.csv other.csv").assert().stdout(contains("Equal inputs").not());
}

#[test]
fn without_an_output_markdown_goes_to_standard_output() {
    let place = Place::with("r.csv", ten());
    for words in [&["report", "r.csv"][..], &["report", "r.csv", "-o", "-"]] {
        place.command(words).assert().success().stdout(contains("| unique | 6 | 60.0\u{202f}% |"));
    }
}

#[test]
fn rows_of_many_inputs_keep_the_names_of_theirs() {
    let place = Place::new();
    let mut text = HEADER.to_owned();
    for id in 1..=300 {
        text += &row(id, &format!("{id}.txt"), "unique", 20 + id % 10, id as u64, id as u64);
    }
    place.write("r.csv", text);
    let report = place.report(&["r.csv"]);
    assert_eq!(report["sources"].as_array().unwrap().len(), 257);
    assert_eq!(
        (&report["sources"][256]["name"], &report["sources"][256]["rows"]),
        (&Value::Null, &44.into())
    );
    for list in ["hardest", "slowest"] {
        assert_eq!(report[list][0]["source"], "300.txt", "{list}");
    }
    place.run("report -q r.csv -o r.html").assert().success();
    assert!(place.read("r.html").contains("256 inputs or more"));
}

#[test]
fn rows_that_contradict_themselves_are_bad_rows() {
    let place = Place::new();
    let mut text = HEADER.to_owned();
    text += &row(1, "a.txt", "unique", 20, 1, 10);
    text += &row(2, "a.txt", "unique", 21, 1, 10).replace(",1,21,1,", ",1,77,1,");
    text += &row(3, "a.txt", "unique", 22, 1, 10).replace(results::SOLUTION, "");
    text += &row(4, "a.txt", "multiple", 23, 1, 10).replace("483921657", "843921657");
    text += &row(5, "a.txt", "unique", 24, u64::MAX, 10);
    text += &row(6, "a.txt", "unique", 25, 1, u64::MAX);
    place.write("r.csv", text);
    let report = place.report(&["r.csv"]);
    assert_eq!((&report["total"]["rows"], &report["bad_rows"]["count"]), (&1.into(), &5.into()));
    let first = report["bad_rows"]["first"].as_array().unwrap();
    assert_eq!(first[0], "r.csv:3: 77 in column clues of a puzzle of 21");
    assert_eq!(first[1], "r.csv:4: status unique without a solution");
    assert_eq!(first[2], "r.csv:5: status multiple with a solution that does not solve the puzzle");
}

#[test]
fn paths_may_break_after_their_separators() {
    let place = Place::with("r.csv", HEADER.to_owned() + &row(1, "a<b/c\\d.txt", "unique", 30, 1, 1));
    place.run("report -q r.csv -o r.html").assert().success();
    let page = place.read("r.html");
    // The path is shown in a table and beside a grid.
    for shown in [">a&lt;b&#x2f;<wbr>c\\<wbr>d.txt</th>", ">a&lt;b&#x2f;<wbr>c\\<wbr>d.txt:1</p>"] {
        assert!(page.contains(shown), "{shown}");
    }
}

#[test]
fn hostile_text_stays_text() {
    let place = Place::new();
    let name = "<b>x&y.csv";
    place.write(name, results::hostile());
    place.command(["report", "-q", name, "-o", "r.html", "-o", "r.md", "-o", "r.json"]).assert().success();
    let page = place.read("r.html");
    for markup in ["<script>document", "<img", "<b>x", "</style>\""] {
        assert!(!page.contains(markup), "{markup} came through");
    }
    assert!(page.contains("&lt;script&gt;document"));
    assert!(page.len() < 300_000, "long names are shortened: {}", page.len());
    assert!(!place.read("r.md").contains("<script>"));
    let report = place.json("r.json");
    assert_eq!(report["sources"][0]["name"], EVIL);
    assert_eq!(report["sources"][2]["name"], "\u{fffd}");
}

#[test]
fn files_that_are_not_results_are_refused_with_a_hint() {
    let place = Place::with("a.txt", results::SOLUTION);
    place.write("puzzles.csv", "id,puzzle,solution\n1,.,.\n");
    let why = "puzzles.csv: is not a file of results: the columns source, line, status, guesses are missing \
               (columns seen: id, puzzle, solution)\n  hint: make one with: batchdoku solve|verify FILE -o results.csv";
    place.refuses("report puzzles.csv -o r.html", why);
    assert!(!place.path("r.html").exists() && !place.path("r.html.partial").exists());
    place.run("solve -q a.txt -o r.npy").assert().success();
    place.run("convert -q a.txt -o r.parquet").assert().success();
    place.write("r.jsonl", "{\"puzzle\":\"1\"}\n{\n");
    for (name, seen) in [("r.npy", "none"), ("r.parquet", "puzzle"), ("r.jsonl", "puzzle")] {
        let run = place.command(["report", name]).assert().code(2).stdout(is_empty());
        run.stderr(
            starts_with(format!("error: {name}: is not a file of results: the columns source, line, status"))
                .and(contains(format!("(columns seen: {seen})\n  hint: make one with: batchdoku solve"))),
        );
    }
    place.refuses("report none.csv -o r.html", "none.csv: cannot open");
    place.write("r.csv", HEADER);
    place.refuses("report r.csv -o r.pdf", ".html, .md or .json");
    let same = "--output r.csv.html and --output ./r.csv.html both name the same file";
    place.refuses("report r.csv -o r.csv.html -o ./r.csv.html", same);
    place.write("r.html", HEADER);
    place.refuses("report r.html -o r.html", "overwrite the input");
    assert_eq!(place.read("r.html"), HEADER);
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_has_one_error() {
    let place = Place::with("r.csv", HEADER);
    let run = place.run("report r.csv -o /proc/no.html").assert().code(2);
    run.stderr(contains("(os error").count(1));
}

#[test]
fn the_most_frequent_reasons_are_shown() {
    let place = Place::new();
    let mut text = HEADER.to_owned();
    for id in 1..=25 {
        let reason = format!("cause {}", char::from(b'a' + id as u8));
        text += &row(id, "a.txt", "invalid", 80, 0, 0).replace("80 cells", &reason);
        if id > 5 {
            text += &row(id, "a.txt", "invalid", 80, 0, 0).replace("80 cells", &reason);
        }
    }
    place.write("r.csv", text);
    place.run("report -q r.csv -o r.html -o r.md").assert().success();
    for text in [place.read("r.html"), place.read("r.md")] {
        assert_eq!(text.matches("cause ").count(), 20);
        assert!(text.contains("and 5 more, of 5 rows") && !text.contains("cause c"));
    }
    assert_eq!(place.report(&["r.csv"])["reasons"].as_array().unwrap().len(), 25);
}

#[test]
fn a_damaged_file_is_reported_up_to_the_damage() {
    let place = Place::new();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    let mut text = HEADER.to_owned();
    for id in 1..2000 {
        write!(text, "{}", row(id, "a.txt", "unique", 20, 1, 1)).unwrap();
    }
    encoder.write_all(text.as_bytes()).unwrap();
    let bytes = encoder.finish().unwrap();
    place.write("r.csv.gz", &bytes[..bytes.len() / 2]);
    place.run("report -q r.csv.gz -o r.json").assert().code(2).stderr(contains("damaged gzip data"));
    let report = place.json("r.json");
    assert!((950..1050).contains(&report["total"]["rows"].as_u64().unwrap()), "{}", report["total"]["rows"]);
    assert_eq!(report["problems"].as_array().unwrap().len(), 1);
}

#[test]
fn help_shows_examples_and_the_man_page_has_a_section() {
    let place = Place::new();
    let help = place.run("report --help").assert().success();
    help.stdout(contains("Examples:").and(contains("compared.html")));
    place.run("man").assert().success().stdout(contains("BATCHDOKU REPORT"));
}

/// The isomorphs of a puzzle and of its solution count individually, or as one puzzle each.
#[test]
fn isomorphs_are_one_puzzle_if_that_is_asked_for() {
    let place = Place::with("a.txt", format!("{ANSWER}\n{UNIQUE}\n"));
    place.run("permute a.txt -k 3 -q -o b.txt").assert().success();
    place.run("solve a.txt b.txt -q -o rows.csv").assert().success();
    for (line, distinct, shared) in
        [("report rows.csv -q -o r.json", 8, 0), ("report rows.csv -q -o r.json --isomorphs", 2, 2)]
    {
        place.run(line).assert().success();
        let report = place.json("r.json");
        let total = &report["total"];
        let counts = [&total["distinct_puzzles"], &total["repeated_rows"]];
        assert_eq!(counts, [distinct, 8 - distinct], "{line}");
        assert_eq!(report["duplicates"]["isomorphs"], distinct == 2);
        let overlaps = report["duplicates"]["overlaps"].as_array().unwrap();
        assert_eq!(overlaps.iter().map(|pair| pair["puzzles"].as_u64().unwrap()).sum::<u64>(), shared);
    }
    assert!(place.ran("report rows.csv --isomorphs").1.contains("Isomorphic puzzles are one"));
}
