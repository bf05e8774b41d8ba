//! Tests what a user sees: output, messages and exit codes of the whole program.

use std::fs;
use std::io::Write;

use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::Value;

use crate::place::{Place, columns};
use crate::puzzles::{ANSWER, UNIQUE, unsolvable};

/// A line that is an invalid record, because it has only half the cells of a puzzle.
const BAD: &str = "..3.2.6..9..3.5..1..18.64....81.29..7....q";

/// Returns the rows that `line` prints, without the columns that differ between solvers.
fn statuses(place: &Place, line: &str) -> Vec<String> {
    let rows = columns(&place.ran(line).1, &["id", "source", "line", "status"]);
    rows.iter().map(|row| row.join(" ")).collect()
}

mod answers {
    use super::*;

    #[test]
    fn a_file_gives_a_header_and_a_row() {
        let place = Place::with_lines("a.txt", &[UNIQUE]);
        let (code, text, _) = place.ran("solve a.txt --no-time");
        assert_eq!(code, 0);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "id,source,line,kind,status,solutions,clues,guesses,puzzle,solution,error");
        assert!(lines[1].starts_with("1,a.txt,1,sudoku,unique,1,32,"), "{}", lines[1]);
        assert!(lines[1].ends_with(&format!(",{UNIQUE},{ANSWER},")), "{}", lines[1]);
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn limit_bounds_the_solutions_counted() {
        let place = Place::with_lines("a.txt", &[&".".repeat(81)]);
        let (_, rows, _) = place.ran("solve a.txt --limit 7");
        assert!(rows.contains(",multiple,7,0,"), "{rows}");
    }

    #[test]
    fn json_lines() {
        let place = Place::with_lines("a.txt", &[UNIQUE, &unsolvable()]);
        let (_, rows, _) = place.ran("solve a.txt -O jsonl");
        let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let found: Vec<_> = rows.iter().map(|row| (&row["status"], &row["solution"])).collect();
        assert_eq!(found, [(&"unique".into(), &ANSWER.into()), (&"unsolvable".into(), &Value::Null)]);
    }

    #[test]
    fn what_is_no_puzzle_is_no_row_and_is_told() {
        let place = Place::with_lines("a.txt", &[UNIQUE, "q", UNIQUE]);
        assert_eq!(statuses(&place, "solve a.txt"), ["1 a.txt 1 unique", "2 a.txt 3 unique"]);
        place.run("solve a.txt").assert().code(0).stderr(contains("passed over").and(contains("a.txt:2: q")));
    }
}

mod exit_codes {
    use super::*;

    #[test]
    fn an_unsolvable_an_unfinished_or_an_invalid_record_is_1_and_lenient_makes_it_0() {
        let place = Place::with_lines("unsolvable.txt", &[UNIQUE, &unsolvable()]);
        place.file("unfinished.txt", &[UNIQUE, &".".repeat(81)]);
        place.file("invalid.txt", &[UNIQUE, BAD]);
        for (line, status) in [
            ("solve unsolvable.txt", "unsolvable"),
            ("solve unfinished.txt --max-guesses 1", "unfinished"),
            ("solve invalid.txt", "invalid"),
        ] {
            place.run(line).assert().code(1).stderr(contains(status));
            place.run(&format!("{line} --lenient")).assert().code(0).stdout(contains(status));
        }
    }

    #[test]
    fn an_empty_file_is_2_in_every_command() {
        let place = Place::with_lines("a.txt", &[UNIQUE]);
        place.write("empty.txt", "");
        let plain =
            "solve verify enumerate canon rate minimize convert permute dedupe sheet inspect report bench";
        let further = ["sample -n 1", "split --parts a=1,b=1", "generate -n 1 --near"];
        let against = ["verify a.txt --answers", "dedupe a.txt --against"];
        for command in plain.split(' ').chain(further).chain(against) {
            place.refuses(&format!("{command} empty.txt"), "error: empty.txt: is empty");
            if !command.contains(" -") && command != "report" {
                let blank = place.run(&format!("{command} -")).write_stdin("\n \n").assert();
                blank.code(2).stdout(is_empty()).stderr(contains("error: -: is empty"));
            }
        }
        fs::create_dir(place.path("d")).unwrap();
        place.write("d/a.txt", format!("{UNIQUE}\n"));
        place.write("d/part-1.csv", "");
        let (code, rows, said) = place.ran("solve d -O lines");
        assert_eq!((code, rows), (0, format!("{UNIQUE},{ANSWER}\n")));
        assert!(said.contains("note: left out: d/part-1.csv: is empty"), "{said}");
    }

    #[test]
    fn every_input_that_cannot_be_opened_is_named_and_nothing_is_written() {
        let place = Place::with_lines("a.txt", &[UNIQUE]);
        fs::create_dir(place.path("folder")).unwrap();
        let line = "solve a.txt none1.txt folder none2.txt -o out.csv --summary s.json";
        for named in ["error: none1.txt: ", "error: folder: ", "error: none2.txt: "] {
            place.refuses(line, named);
        }
        assert!(!place.ran(line).2.contains("a.txt"));
        assert_eq!(place.names(), ["a.txt", "folder"]);
    }

    #[test]
    fn wrong_usage_is_2() {
        let place = Place::with_lines("a.txt", &[UNIQUE]);
        for line in [
            "solve a.txt -j 0",
            "solve a.txt --limit 0",
            "solve a.txt --limit -1",
            "solve a.txt --max-guesses x",
            "solve a.txt --chunk-size 0",
            "solve a.txt --only solved-twice",
            "solve a.txt --progress maybe",
            "solve a.txt --strict --lenient",
            "solve a.txt -O xml",
            "solve a.txt --format sdk",
            "solve a.txt --no-such-flag",
            "no-such-command",
        ] {
            place.refuses(line, "error: ");
        }
        // clap cannot detect this.
        place.refuses("solve - -", "named twice");
        place.refuses("solve a.txt --format line --puzzle-column quiz", "--puzzle-column names a column");
        place.refuses("solve a.txt --report x.pdf", "x.pdf: ");
    }

    #[test]
    fn a_flag_that_is_not_there_has_no_wrong_tip_and_says_where_the_flags_are_listed() {
        let place = Place::new();
        for (line, command) in [
            ("solve a.txt --answers", "batchdoku solve"),
            ("convert a.txt --permute", "batchdoku convert"),
            ("--answers", "batchdoku"),
        ] {
            let (_, _, said) = place.ran(line);
            let tips: Vec<_> = said.lines().filter(|line| line.contains("tip: ")).collect();
            assert_eq!(tips, [format!("  tip: {command} --help lists the flags")], "{said}");
            // A message only names flags that were typed, and the flag that lists all flags.
            let named = said.match_indices("--").map(|(at, _)| said[at..].split_once([' ', '\'']).unwrap().0);
            assert!(named.clone().all(|flag| line.contains(flag) || flag == "--help"), "{said}");
            let list = format!("{} --help", command.trim_start_matches("batchdoku"));
            place.run(&list).assert().code(0).stdout(contains("Usage: "));
        }
        place.refuses("solve a.txt --thread 3", "a similar argument exists: '--threads'");
        place.refuses("solve a.txt --thread 3", "solve --help lists");
    }

    #[test]
    fn strict_stops_at_the_first_bad_record_and_keeps_the_partial_file() {
        let place = Place::with_lines("a.txt", &[UNIQUE, BAD, UNIQUE, BAD]);
        let run = place.run("solve a.txt --strict -O lines -o out.txt").assert().code(1);
        run.stderr(contains("error: a.txt:2:").and(contains("out.txt.partial")));
        assert_eq!(place.names(), ["a.txt", "out.txt.partial", "out.txt.partial.checkpoint"]);
        assert_eq!(place.read("out.txt.partial"), format!("{UNIQUE},{ANSWER}\n,\n"));
        place.file("good.txt", &[UNIQUE]);
        place.run("solve good.txt --strict").assert().code(0);
    }
}

mod output_files {
    use super::*;

    #[test]
    fn the_file_is_there_when_it_is_complete_and_replaces_an_older_one() {
        let place = Place::with_lines("a.txt", &[UNIQUE]);
        place.write("out.txt", "something older and much longer".repeat(100));
        place.run("solve a.txt -O lines -o out.txt").assert().code(0).stdout(is_empty());
        assert_eq!(place.read("out.txt"), format!("{UNIQUE},{ANSWER}\n"));
        assert_eq!(place.names(), ["a.txt", "out.txt"]);
    }
}

mod reports {
    use super::*;

    #[test]
    fn the_summary_goes_to_standard_error() {
        let place = Place::with_lines("a.txt", &[UNIQUE, BAD, UNIQUE]);
        let (_, rows, said) = place.ran("solve a.txt -O lines -j 2");
        assert!(!rows.contains("records") && said.starts_with("3 records in "), "{said}");
        for part in ["puzzles/s", "2 threads", "unique", "p99", "a.txt:2:42: ", "--format"] {
            assert!(said.contains(part), "{part}: {said}");
        }
        // No puzzle needed a guess.
        assert!(!said.contains("hardest") && !said.contains("unsolvable"), "{said}");
    }

    #[test]
    fn only_the_first_five_invalid_records_are_listed() {
        let place = Place::with_lines("a.txt", &[BAD, BAD, BAD, BAD, BAD, BAD, BAD, UNIQUE]);
        let run = place.run("solve a.txt --format line").assert().code(1);
        run.stderr(contains("a.txt:5:").and(contains("a.txt:6:").not()).and(contains("and 2 more")));
    }

    #[test]
    fn quiet_says_nothing_but_errors() {
        let place = Place::with_lines("a.txt", &[UNIQUE, BAD]);
        place.run("solve a.txt -q").assert().code(1).stderr(is_empty());
        place.refuses("solve none.txt -q", "none.txt");
    }

    #[test]
    fn the_json_summary_has_the_same_figures() {
        let place = Place::with_lines("a.txt", &[UNIQUE, &unsolvable(), BAD, UNIQUE]);
        place.run("solve a.txt -j 1 -q -o out.csv --summary s.json").assert().code(1);
        let summary = place.json("s.json");
        assert_eq!(summary["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(summary["command"][1], "solve");
        assert_eq!(summary["command"][8], "--summary");
        assert_eq!(
            (&summary["records"], &summary["threads"], &summary["exit_code"]),
            (&4.into(), &1.into(), &1.into())
        );
        assert_eq!(summary["statuses"]["unique"], 2);
        assert_eq!(summary["statuses"]["unsolvable"], 1);
        assert_eq!(summary["statuses"]["multiple"], 0);
        assert_eq!(summary["ending"], "complete");
        assert_eq!(summary["machine"]["os"], std::env::consts::OS);
        assert!(summary["started"].as_str().unwrap().starts_with("20"));
        assert!(summary["backend"].is_string());
        // The solver time is the sum of the time column, and the longest time is taken from that column.
        let times = columns(&place.read("out.csv"), &["time_ns"]);
        let times: Vec<u64> = times.iter().map(|[time]| time.parse().unwrap()).collect();
        let seconds = times.iter().sum::<u64>() as f64 / 1e9;
        assert!((summary["solver_seconds"].as_f64().unwrap() - seconds).abs() < 1e-9);
        assert_eq!(summary["time_ns"]["max"].as_u64(), times.iter().max().copied());
        assert_eq!(summary["invalid"][0]["line"], 3);
        assert_eq!(place.names(), ["a.txt", "out.csv", "s.json"]);
    }
}

mod other_commands {
    use super::*;

    #[test]
    fn no_argument_prints_the_help_and_is_2() {
        Place::new().refuses("", "Usage: batchdoku");
    }

    #[test]
    fn help_has_groups_examples_and_exit_codes() {
        let place = Place::new();
        for (flag, is_long) in [("-h", false), ("--help", true)] {
            let help = place.ran(&format!("solve {flag}")).1;
            for group in ["Input:", "Solving:", "Output:", "Reporting:", "Examples:"] {
                assert!(help.contains(group), "{group}: {help}");
            }
            assert_eq!(help.contains("Exit codes:"), is_long);
            assert!(!help.contains("chunk-size"));
        }
    }

    #[test]
    fn version_names_the_revision_and_the_backends() {
        let place = Place::new();
        // Outside a checkout there is no revision.
        let revision = batchdoku::provenance::revision();
        assert!(revision.is_none_or(|revision| revision.len() >= 12), "{revision:?}");
        let revision = revision.map_or_else(String::new, |revision| format!(" ({revision})"));
        let first_line = format!("batchdoku {}{revision}\n", env!("CARGO_PKG_VERSION"));
        place.run("-V").assert().code(0).stdout(first_line);
        let rest = contains("\nbackend: ").and(contains("portable, scalar)"));
        let version = contains(format!(" {}{revision}\n", env!("CARGO_PKG_VERSION")));
        place.run("--version").assert().code(0).stdout(version.and(rest));
    }

    /// No processor supports both of these backends.
    #[test]
    fn a_backend_that_cannot_run_here_is_refused() {
        let place = Place::with_lines("a.txt", &[UNIQUE]);
        let foreign = if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" };
        let error = format!("error: this processor cannot run the backend {foreign}\n  hint: it can run ");
        place.refuses(&format!("solve a.txt --backend {foreign} -o out"), &error);
        assert_eq!(place.names(), ["a.txt"]);
        let run = place.run("solve a.txt --backend scalar -O lines").assert().code(0);
        run.stdout(format!("{UNIQUE},{ANSWER}\n")).stderr(contains("backend scalar"));
    }

    #[test]
    fn completions_for_every_shell() {
        let place = Place::new();
        for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
            assert!(place.ran(&format!("completions {shell}")).1.contains("max-guesses"), "{shell}");
        }
        place.refuses("completions tcl", "error: ");
    }

    #[test]
    fn the_man_page_is_roff() {
        let page = contains(".TH batchdoku 1").and(contains("max\\-guesses"));
        Place::new().run("man").assert().code(0).stdout(page);
    }
}

#[cfg(unix)]
mod pipes_and_signals {
    use super::*;
    use std::io::{BufRead, BufReader};

    use crate::place::{end, errors};
    use crate::pty::Terminal;

    /// Requested files are written whether or not anything reads the rows.
    #[test]
    fn a_reader_who_leaves_gets_the_summary_and_the_report_that_were_asked_for() {
        let place = Place::with_lines("a.txt", &[UNIQUE; 20_000]);
        let mut child = place.start("solve a.txt --summary s.json --report r.json");
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        assert_eq!(end(&mut child).code(), Some(0));
        assert_eq!(errors(&mut child), "");
        let [summary, report] = ["s.json", "r.json"].map(|name| place.json(name));
        assert_eq!((&summary["ending"], &summary["exit_code"]), (&"broken-pipe".into(), &0.into()));
        assert_eq!(report["run"]["complete"], false);
        assert_eq!(report["inputs"][0]["sha256"], Value::Null);
    }

    /// Each row is written while the input is still open, so a user who types puzzles slowly sees each result at once.
    #[test]
    fn rows_of_what_has_arrived_are_written_when_the_input_pauses() {
        for format in ["lines", "jsonl", "csv"] {
            let mut child = Place::new().start(&format!("solve - -O {format} -q"));
            let mut input = child.stdin.take().unwrap();
            let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
            for row in 0..5 {
                writeln!(input, "{UNIQUE}").unwrap();
                // Until some input has arrived, its format is unknown.
                if (format, row) == ("csv", 0) {
                    assert!(output.next().unwrap().unwrap().starts_with("id,"));
                }
                assert!(output.next().unwrap().unwrap().contains(ANSWER));
            }
            drop(input);
            assert_eq!(end(&mut child).code(), Some(0));
        }
    }

    /// The program can serve as a filter for another program: each line is answered, along with its key, before the
    /// next one is sent.
    #[test]
    fn lines_of_a_table_are_answered_with_their_keys_when_the_input_pauses() {
        for separator in [',', '\t'] {
            let mut child = Place::new().start("solve - --format csv --keep -q");
            let mut input = child.stdin.take().unwrap();
            let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
            writeln!(input, "key{separator}puzzle").unwrap();
            for (row, key) in ["a", "7", "a b"].into_iter().enumerate() {
                writeln!(input, "{key}{separator}{UNIQUE}").unwrap();
                if row == 0 {
                    assert!(output.next().unwrap().unwrap().ends_with(",key"));
                }
                let answer = output.next().unwrap().unwrap();
                assert!(answer.contains(ANSWER) && answer.ends_with(&format!(",{key}")), "{answer}");
            }
            drop(input);
            assert_eq!(end(&mut child).code(), Some(0));
        }
    }

    #[test]
    fn a_reader_who_leaves_the_help_is_no_error() {
        let mut child = Place::new().start("completions bash");
        drop(child.stdout.take());
        assert_eq!(end(&mut child).code(), Some(0));
        assert_eq!(errors(&mut child), "");
    }

    #[test]
    fn a_terminal_shows_the_bar_and_then_the_summary() {
        let place = Place::with_lines("a.txt", &[UNIQUE; 2000]);
        let mut command = place.program("solve a.txt -o out.csv --chunk-size 1000");
        command.env("TERM", "xterm");
        let (shown, _) = Terminal::start(command).end();
        let (bar, rest) = shown.rsplit_once(" left").unwrap();
        let figures: Vec<_> = bar.rsplit_once("] ").unwrap().1.split_whitespace().collect();
        let [percent, "%", count, "records,", rate, time] = figures[..] else { panic!("{figures:?}") };
        for number in
            [percent, count, rate.strip_suffix("/s").unwrap(), time.trim_end_matches(['s', 'm', 'h', 'd'])]
        {
            assert!(number.replace(',', "").parse::<u64>().is_ok(), "{figures:?}");
        }
        // The progress bar is cleared from the line before the summary is written.
        let (_, rest) = rest.split_once("\x1b[2K").unwrap();
        assert!(rest.contains("2,000 records in "), "{rest}");
        assert_eq!(place.read("out.csv").lines().count(), 2001);
        assert!(!place.read("out.csv").contains(" left"));
    }

    #[test]
    fn a_terminal_that_gets_the_results_has_no_bar() {
        let place = Place::with_lines("a.txt", &[UNIQUE; 100]);
        for line in [
            "solve a.txt --chunk-size 1000",
            "solve a.txt -o out.csv -q",
            "solve a.txt -o out.csv --progress never",
        ] {
            let mut command = place.program(line);
            command.env("TERM", "xterm");
            let (all, _) = Terminal::start(command).end();
            assert!(all.contains("records in ") != line.contains("-q"), "{line}: {all}");
            assert!(!all.contains(" left"), "{line}: {all}");
        }
    }
}
