//! What a user sees: output, messages and exit codes of the whole program.

use std::fs;
use std::io::Write;
use std::path::Path;

use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};

use crate::place::{Place, gzip};
use crate::puzzles::{ANSWER, UNIQUE, double, unsolvable};

/// A line that is an invalid record: it has half the cells of a puzzle.
const BAD: &str = "..3.2.6..9..3.5..1..18.64....81.29..7....q";

impl Place {
    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(&self.directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// The rows that `line` prints, without the columns that differ between solvers.
fn statuses(place: &Place, line: &str) -> Vec<String> {
    let output = place.run(line).output().unwrap();
    csv::Reader::from_reader(&*output.stdout)
        .records()
        .map(|row| {
            let row = row.unwrap();
            format!("{} {} {} {}", &row[0], &row[1], &row[2], &row[4])
        })
        .collect()
}

mod answers {
    use super::*;

    #[test]
    fn a_file_gives_a_header_and_a_row() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE]);
        let output = place.run("solve a.txt --no-time").output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "id,source,line,kind,status,solutions,clues,guesses,puzzle,solution,error");
        assert!(lines[1].starts_with("1,a.txt,1,sudoku,unique,1,32,"), "{}", lines[1]);
        assert!(lines[1].ends_with(&format!(",{UNIQUE},{ANSWER},")), "{}", lines[1]);
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn without_a_file_standard_input_is_read() {
        for line in ["solve -O lines", "solve -O lines -"] {
            let place = Place::new();
            place
                .run(line)
                .write_stdin(format!("{UNIQUE}\n"))
                .assert()
                .code(0)
                .stdout(format!("{UNIQUE},{ANSWER}\n"));
        }
    }

    #[test]
    fn a_multiple_puzzle_gives_its_smallest_solution() {
        let (puzzle, smallest) = double();
        let place = Place::new();
        place.file("a.txt", &[&puzzle]);
        place.run("solve a.txt -O text").assert().code(0).stdout(format!("{smallest}\n"));
        assert_eq!(statuses(&place, "solve a.txt"), ["1 a.txt 1 multiple"]);
        assert_eq!(statuses(&place, "solve a.txt --limit 1"), ["1 a.txt 1 solved"]);
    }

    #[test]
    fn limit_bounds_the_solutions_counted() {
        let place = Place::new();
        place.file("a.txt", &[&".".repeat(81)]);
        let output = place.run("solve a.txt --limit 7").output().unwrap();
        let mut reader = csv::Reader::from_reader(&*output.stdout);
        assert_eq!(&reader.records().next().unwrap().unwrap()[5], "7");
    }

    #[test]
    fn ids_run_over_all_files_and_lines_over_each() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE, UNIQUE]);
        place.file("b.txt", &[UNIQUE]);
        assert_eq!(
            statuses(&place, "solve b.txt a.txt"),
            ["1 b.txt 1 unique", "2 a.txt 1 unique", "3 a.txt 2 unique"]
        );
    }

    #[test]
    fn json_lines() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE, &unsolvable()]);
        let output = place.run("solve a.txt -O jsonl").output().unwrap();
        let rows: Vec<serde_json::Value> = String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(rows.len(), 2);
        assert_eq!(
            (rows[0]["status"].as_str(), rows[0]["solution"].as_str()),
            (Some("unique"), Some(ANSWER))
        );
        assert_eq!(rows[1]["status"].as_str(), Some("unsolvable"));
        assert!(rows[1]["solution"].is_null());
    }

    #[test]
    fn a_bad_row_in_the_middle_harms_no_other() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE, BAD, UNIQUE]);
        assert_eq!(
            statuses(&place, "solve a.txt"),
            ["1 a.txt 1 unique", "2 a.txt 2 invalid", "3 a.txt 3 unique"]
        );
        place
            .run("solve a.txt -O lines")
            .assert()
            .code(1)
            .stdout(format!("{UNIQUE},{ANSWER}\n,\n{UNIQUE},{ANSWER}\n"));
    }

    #[test]
    fn what_is_no_puzzle_is_no_row_and_is_told() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE, "q", UNIQUE]);
        assert_eq!(statuses(&place, "solve a.txt"), ["1 a.txt 1 unique", "2 a.txt 3 unique"]);
        place.run("solve a.txt").assert().code(0).stderr(contains("passed over").and(contains("a.txt:2: q")));
    }

    #[test]
    fn a_clue_clash_is_invalid_and_shows_the_puzzle() {
        let place = Place::new();
        let clash = format!("11{}", ".".repeat(79));
        place.file("a.txt", &[UNIQUE, &clash]);
        place.run("solve a.txt -O lines").assert().code(1).stdout(format!("{UNIQUE},{ANSWER}\n{clash},\n"));
        assert_eq!(statuses(&place, "solve a.txt")[1], "2 a.txt 2 invalid");
    }
}

mod exit_codes {
    use super::*;

    #[test]
    fn an_unsolvable_an_unfinished_or_an_invalid_record_is_1_and_lenient_makes_it_0() {
        let place = Place::new();
        place.file("unsolvable.txt", &[UNIQUE, &unsolvable()]);
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
        let place = Place::new();
        place.file("a.txt", &[UNIQUE]);
        fs::write(place.path("empty.txt"), "").unwrap();
        for command in [
            "solve",
            "verify",
            "enumerate",
            "canon",
            "rate",
            "minimize",
            "convert",
            "permute",
            "dedupe",
            "sample -n 1",
            "split --parts a=1,b=1",
            "sheet",
            "inspect",
            "report",
            "bench",
            "verify a.txt --answers",
            "dedupe a.txt --against",
            "generate -n 1 --near",
        ] {
            let named = contains("error: empty.txt: is empty");
            place.run(&format!("{command} empty.txt")).assert().code(2).stdout(is_empty()).stderr(named);
            if !command.contains(" -") && command != "report" {
                let blank = place.run(&format!("{command} -")).write_stdin("\n \n").assert();
                blank.code(2).stdout(is_empty()).stderr(contains("error: -: is empty"));
            }
        }
        fs::create_dir(place.path("d")).unwrap();
        fs::write(place.path("d/a.txt"), format!("{UNIQUE}\n")).unwrap();
        fs::write(place.path("d/part-1.csv"), "").unwrap();
        let rows = place.run("solve d -O lines").assert().code(0);
        rows.stdout(format!("{UNIQUE},{ANSWER}\n"))
            .stderr(contains("note: left out: d/part-1.csv: is empty"));
    }

    #[test]
    fn every_input_that_cannot_be_opened_is_named_and_nothing_is_written() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE]);
        fs::create_dir(place.path("folder")).unwrap();
        place
            .run("solve a.txt none1.txt folder none2.txt -o out.csv --summary s.json")
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(
                starts_with("error: ")
                    .and(contains("none1.txt"))
                    .and(contains("folder"))
                    .and(contains("none2.txt"))
                    .and(contains("a.txt").not()),
            );
        assert_eq!(place.names(), ["a.txt", "folder"]);
    }

    #[test]
    fn outputs_that_cannot_be_had_are_refused_before_any_work() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE]);
        fs::create_dir(place.path("folder")).unwrap();
        for (line, message) in [
            ("solve a.txt -o folder", "is a directory"),
            ("solve a.txt -o none/out.csv", "does not exist"),
            ("solve a.txt -o a.txt", "input a.txt"),
            ("solve a.txt -o ./folder/../a.txt", "input a.txt"),
            ("solve a.txt --summary a.txt", "input a.txt"),
            ("solve a.txt -o out.csv --summary none/s.json", "does not exist"),
            ("solve a.txt -o out.csv --summary out.csv", "both"),
        ] {
            place
                .run(line)
                .assert()
                .code(2)
                .stdout(is_empty())
                .stderr(starts_with("error: ").and(contains(message)));
            assert_eq!(place.names(), ["a.txt", "folder"], "{line}");
            assert_eq!(place.read("a.txt"), format!("{UNIQUE}\n"), "{line}");
        }
    }

    #[test]
    fn wrong_usage_is_2() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE]);
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
            place.run(line).assert().code(2).stdout(is_empty()).stderr(starts_with("error: "));
        }
        // What clap cannot see.
        for (line, why) in [
            ("solve - -", "named twice"),
            ("solve a.txt --format line --puzzle-column quiz", "--puzzle-column names a column"),
            ("solve a.txt --report x.pdf", "x.pdf: "),
        ] {
            place.run(line).assert().code(2).stdout(is_empty()).stderr(contains(why));
        }
    }

    #[test]
    fn a_flag_that_is_not_there_has_no_wrong_tip_and_says_where_the_flags_are_listed() {
        let place = Place::new();
        for (line, command) in [
            ("solve a.txt --answers", "batchdoku solve"),
            ("convert a.txt --permute", "batchdoku convert"),
            ("--answers", "batchdoku"),
        ] {
            let said = String::from_utf8(place.run(line).output().unwrap().stderr).unwrap();
            let tips: Vec<_> = said.lines().filter(|line| line.contains("tip: ")).collect();
            assert_eq!(tips, [format!("  tip: {command} --help lists the flags")], "{said}");
            // Every flag that is named was typed, or is the one that lists them.
            let named = said.match_indices("--").map(|(at, _)| said[at..].split_once([' ', '\'']).unwrap().0);
            assert!(named.clone().all(|flag| line.contains(flag) || flag == "--help"), "{said}");
            let list = format!("{} --help", command.trim_start_matches("batchdoku")).trim().to_owned();
            place.run(&list).assert().code(0).stdout(contains("Usage: "));
        }
        let misspelt = contains("a similar argument exists: '--threads'").and(contains("solve --help lists"));
        place.run("solve a.txt --thread 3").assert().code(2).stderr(misspelt);
    }

    #[test]
    fn a_truncated_gzip_keeps_the_rows_before_the_damage_and_is_2() {
        let place = Place::new();
        // Puzzles that do not compress well, so that the damage comes late in the file.
        let puzzles: Vec<_> = (0..3000_u64)
            .map(|at| {
                let mut puzzle = UNIQUE.as_bytes().to_vec();
                for bit in (0..81).filter(|bit| at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (bit % 64) & 1 == 1)
                {
                    puzzle[bit] = ANSWER.as_bytes()[bit];
                }
                String::from_utf8(puzzle).unwrap()
            })
            .collect();
        let bytes = gzip(puzzles.join("\n") + "\n");
        fs::write(place.path("a.gz"), &bytes[..bytes.len() / 2]).unwrap();
        place
            .run("solve a.gz -O lines -o out.txt")
            .assert()
            .code(2)
            .stderr(contains("error: ").and(contains("a.gz")).and(contains("out.txt.partial")));
        assert_eq!(place.names(), ["a.gz", "out.txt.partial", "out.txt.partial.checkpoint"]);
        let text = place.read("out.txt.partial");
        let answered = text.lines().filter(|line| line.ends_with(ANSWER)).count();
        assert!(answered > 500, "{answered} rows before the damage");
        assert!(text.ends_with('\n'));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_2_and_says_so() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE]);
        place
            .run("solve a.txt -o /dev/full")
            .assert()
            .code(2)
            .stderr(contains("error: /dev/full: ").and(contains("No space left")));
        assert!(!Path::new("/dev/full.partial").exists());
    }

    /// Once each input that ended took a buffer with it, until none was left.
    #[test]
    fn many_files_are_read_to_the_end() {
        let place = Place::new();
        let names: Vec<String> = (0..100).map(|i| format!("{i}.txt")).collect();
        for name in &names {
            place.file(name, &[UNIQUE]);
        }
        let expected = format!("{UNIQUE},{ANSWER}\n").repeat(100);
        place.run(&format!("solve {} -j 1 -O lines", names.join(" "))).assert().code(0).stdout(expected);
    }

    /// Once the output was opened, and emptied, before the summary was found wanting.
    #[test]
    fn a_refused_run_leaves_the_rows_of_an_earlier_one() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE, BAD]);
        place.run("solve a.txt --strict -O lines -o out.txt").assert().code(1);
        let kept = place.read("out.txt.partial");
        place.run("solve a.txt -o out.txt --summary nowhere/s.json").assert().code(2);
        assert_eq!(place.read("out.txt.partial"), kept);
    }

    #[test]
    fn strict_stops_at_the_first_bad_record_and_keeps_the_partial_file() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE, BAD, UNIQUE, BAD]);
        place
            .run("solve a.txt --strict -O lines -o out.txt")
            .assert()
            .code(1)
            .stderr(contains("error: a.txt:2:").and(contains("out.txt.partial")));
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
        let place = Place::new();
        place.file("a.txt", &[UNIQUE]);
        fs::write(place.path("out.txt"), "something older and much longer".repeat(100)).unwrap();
        place.run("solve a.txt -O lines -o out.txt").assert().code(0).stdout(is_empty());
        assert_eq!(place.read("out.txt"), format!("{UNIQUE},{ANSWER}\n"));
        assert_eq!(place.names(), ["a.txt", "out.txt"]);
    }

    #[test]
    fn records_without_an_answer_do_not_make_the_file_incomplete() {
        let place = Place::new();
        place.file("a.txt", &[&unsolvable()]);
        place.run("solve a.txt -O text -o out.txt").assert().code(1);
        assert_eq!(place.read("out.txt"), "unsolvable\n");
    }

    #[test]
    fn a_dash_is_standard_output() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE]);
        place.run("solve a.txt -O text -o -").assert().code(0).stdout(format!("{ANSWER}\n"));
        assert_eq!(place.names(), ["a.txt"]);
    }

    #[cfg(unix)]
    mod unix {
        use super::*;
        use std::fs::{File, OpenOptions};
        use std::process::Stdio;

        #[test]
        fn a_device_is_written_directly() {
            let place = Place::new();
            place.file("a.txt", &[UNIQUE]);
            place.run("solve a.txt -o /dev/null").assert().code(0);
            assert!(!Path::new("/dev/null.partial").exists());
        }

        #[test]
        fn a_named_pipe_is_written_directly() {
            let place = Place::new();
            place.file("a.txt", &[UNIQUE]);
            assert!(std::process::Command::new("mkfifo").arg(place.path("pipe")).status().unwrap().success());
            let pipe = place.path("pipe");
            let reader = std::thread::spawn(move || fs::read_to_string(pipe).unwrap());
            place.run("solve a.txt -O text -o pipe").assert().code(0);
            assert_eq!(reader.join().unwrap(), format!("{ANSWER}\n"));
            assert_eq!(place.names(), ["a.txt", "pipe"]);
        }

        #[test]
        fn the_redirected_standard_input_is_an_input_too() {
            let place = Place::new();
            place.file("a.txt", &[UNIQUE]);
            let status = std::process::Command::new(assert_cmd::cargo::cargo_bin!("batchdoku"))
                .args(["solve", "-o", "a.txt"])
                .current_dir(&place.directory)
                .stdin(File::open(place.path("a.txt")).unwrap())
                .stderr(Stdio::null())
                .status()
                .unwrap();
            assert_eq!(status.code(), Some(2));
            assert_eq!(place.read("a.txt"), format!("{UNIQUE}\n"));
        }

        #[test]
        fn appending_to_an_input_is_refused_instead_of_never_ending() {
            let place = Place::new();
            place.file("a.txt", &[UNIQUE]);
            let output = std::process::Command::new(assert_cmd::cargo::cargo_bin!("batchdoku"))
                .args(["solve", "a.txt"])
                .current_dir(&place.directory)
                .stdout(OpenOptions::new().append(true).open(place.path("a.txt")).unwrap())
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(2));
            assert_eq!(place.read("a.txt"), format!("{UNIQUE}\n"));
        }
    }
}

mod reports {
    use super::*;

    #[test]
    fn the_summary_goes_to_standard_error() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE, BAD, UNIQUE]);
        place.run("solve a.txt -O lines -j 2").assert().stdout(contains("records").not()).stderr(
            starts_with("3 records in ")
                .and(contains("puzzles/s"))
                .and(contains("2 threads"))
                .and(contains("unique"))
                .and(contains("p99"))
                .and(contains("a.txt:2:42: "))
                .and(contains("--format"))
                // No puzzle needed a guess.
                .and(contains("hardest").not())
                .and(contains("unsolvable").not()),
        );
    }

    #[test]
    fn only_the_first_five_invalid_records_are_listed() {
        let place = Place::new();
        place.file("a.txt", &[BAD, BAD, BAD, BAD, BAD, BAD, BAD, UNIQUE]);
        place
            .run("solve a.txt --format line")
            .assert()
            .code(1)
            .stderr(contains("a.txt:5:").and(contains("a.txt:6:").not()).and(contains("and 2 more")));
    }

    #[test]
    fn quiet_says_nothing_but_errors() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE, BAD]);
        place.run("solve a.txt -q").assert().code(1).stderr(is_empty());
        place.run("solve none.txt -q").assert().code(2).stderr(contains("none.txt"));
    }

    #[test]
    fn the_json_summary_has_the_same_figures() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE, &unsolvable(), BAD, UNIQUE]);
        place.run("solve a.txt -j 1 -q -o out.csv --summary s.json").assert().code(1);
        let summary: serde_json::Value = serde_json::from_str(&place.read("s.json")).unwrap();
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
        // The solver time is the sum of the time column, and the longest time is in it.
        let times: Vec<u64> = csv::Reader::from_path(place.path("out.csv"))
            .unwrap()
            .records()
            .map(|row| row.unwrap()[8].parse().unwrap())
            .collect();
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
        Place::new()
            .command([""; 0])
            .assert()
            .code(2)
            .stderr(contains("Usage: batchdoku").and(contains("solve")));
    }

    #[test]
    fn help_has_groups_examples_and_exit_codes() {
        let place = Place::new();
        let groups = || {
            contains("Input:")
                .and(contains("Solving:"))
                .and(contains("Output:"))
                .and(contains("Reporting:"))
                .and(contains("Examples:"))
        };
        place.run("solve -h").assert().code(0).stdout(groups().and(contains("Exit codes").not()));
        place
            .run("solve --help")
            .assert()
            .code(0)
            .stdout(groups().and(contains("Exit codes:")).and(contains("chunk-size").not()));
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

    /// No processor has both.
    #[test]
    fn a_backend_that_cannot_run_here_is_refused() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE]);
        let foreign = if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" };
        let error = format!("error: this processor cannot run the backend {foreign}\n  hint: it can run ");
        place
            .run(&format!("solve a.txt --backend {foreign} -o out"))
            .assert()
            .code(2)
            .stderr(starts_with(error));
        assert_eq!(place.names(), ["a.txt"]);
        place
            .run("solve a.txt --backend scalar -O lines")
            .assert()
            .code(0)
            .stdout(format!("{UNIQUE},{ANSWER}\n"))
            .stderr(contains("backend scalar"));
    }

    #[test]
    fn completions_for_every_shell() {
        for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
            Place::new()
                .run(&format!("completions {shell}"))
                .assert()
                .code(0)
                .stdout(contains("max-guesses"));
        }
        Place::new().run("completions tcl").assert().code(2);
    }

    #[test]
    fn the_man_page_is_roff() {
        Place::new()
            .run("man")
            .assert()
            .code(0)
            .stdout(contains(".TH batchdoku 1").and(contains("max\\-guesses")));
    }
}

#[cfg(unix)]
mod pipes_and_signals {
    use super::*;
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Child, Stdio};
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use crate::pty::Terminal;

    fn spawn(place: &Place, line: &str) -> Child {
        std::process::Command::new(assert_cmd::cargo::cargo_bin!("batchdoku"))
            .args(line.split(' '))
            .current_dir(&place.directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    fn interrupt(child: &Child) {
        let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
    }

    /// The exit code, or `None` and the child's end if it does not end in time.
    fn exit_code(child: &mut Child) -> Option<i32> {
        let deadline = Instant::now() + Duration::from_secs(30);
        while Instant::now() < deadline {
            if let Some(status) = child.try_wait().unwrap() {
                return status.code();
            }
            sleep(Duration::from_millis(10));
        }
        child.kill().unwrap();
        None
    }

    fn errors(child: &mut Child) -> String {
        let mut text = String::new();
        child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_reader_who_leaves_ends_the_run_quietly() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE; 20_000]);
        let mut child = spawn(&place, "solve a.txt");
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        assert!(first.starts_with("id,"));
        assert_eq!(exit_code(&mut child), Some(0));
        assert_eq!(errors(&mut child), "");
    }

    /// Files that were asked for are written whether or not anybody reads the rows.
    #[test]
    fn a_reader_who_leaves_gets_the_summary_and_the_report_that_were_asked_for() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE; 20_000]);
        let mut child = spawn(&place, "solve a.txt --summary s.json --report r.json");
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        assert_eq!(exit_code(&mut child), Some(0));
        assert_eq!(errors(&mut child), "");
        let [summary, report] = ["s.json", "r.json"]
            .map(|name| serde_json::from_str::<serde_json::Value>(&place.read(name)).unwrap());
        assert_eq!((&summary["ending"], &summary["exit_code"]), (&"broken-pipe".into(), &0.into()));
        assert_eq!(report["run"]["complete"], false);
        assert_eq!(report["inputs"][0]["sha256"], serde_json::Value::Null);
    }

    /// Each row comes while the input is still open, so a user who types puzzles slowly sees each result at once.
    #[test]
    fn rows_of_what_has_arrived_are_written_when_the_input_pauses() {
        for format in ["lines", "jsonl", "csv"] {
            let mut child = spawn(&Place::new(), &format!("solve - -O {format} -q"));
            let mut input = child.stdin.take().unwrap();
            let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
            for row in 0..5 {
                writeln!(input, "{UNIQUE}").unwrap();
                // Before any input has come, its format is unknown.
                if (format, row) == ("csv", 0) {
                    assert!(output.next().unwrap().unwrap().starts_with("id,"));
                }
                assert!(output.next().unwrap().unwrap().contains(ANSWER));
            }
            drop(input);
            assert_eq!(exit_code(&mut child), Some(0));
        }
    }

    /// A filter of another program: each line is answered with its own key before the next one is sent.
    #[test]
    fn lines_of_a_table_are_answered_with_their_keys_when_the_input_pauses() {
        for separator in [',', '\t'] {
            let mut child = spawn(&Place::new(), "solve - --format csv --keep -q");
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
            assert_eq!(exit_code(&mut child), Some(0));
        }
    }

    #[test]
    fn a_reader_who_leaves_the_help_is_no_error() {
        let mut child = spawn(&Place::new(), "completions bash");
        drop(child.stdout.take());
        assert_eq!(exit_code(&mut child), Some(0));
        assert_eq!(errors(&mut child), "");
    }

    #[test]
    fn ctrl_c_keeps_the_whole_rows_prints_the_summary_and_is_130() {
        let place = Place::new();
        // The pipe stays open: without the signal this would never end.
        let mut child = spawn(&place, "solve -o out.csv --chunk-size 1 --summary s.json");
        let mut input = child.stdin.take().unwrap();
        // More than what is looked at to find the format.
        for _ in 0..2000 {
            writeln!(input, "{UNIQUE}").unwrap();
        }
        let deadline = Instant::now() + Duration::from_secs(30);
        let rows = || fs::read_to_string(place.path("out.csv.partial")).unwrap_or_default().lines().count();
        while rows() < 2 {
            assert!(Instant::now() < deadline, "no row was written");
            sleep(Duration::from_millis(10));
        }
        interrupt(&child);
        assert_eq!(exit_code(&mut child), Some(130));
        let errors = errors(&mut child);
        assert!(errors.contains(" records in ") || errors.contains(" record in "), "{errors}");
        assert!(errors.contains("interrupted") && errors.contains("out.csv.partial"), "{errors}");
        assert_eq!(place.names(), ["out.csv.partial", "s.json"]);
        let text = place.read("out.csv.partial");
        assert!(text.lines().count() >= 2 && text.ends_with('\n'));
        assert!(text.lines().skip(1).all(|row| row.contains(ANSWER)), "{text}");
        let summary: serde_json::Value = serde_json::from_str(&place.read("s.json")).unwrap();
        assert_eq!((&summary["ending"], &summary["exit_code"]), (&"interrupted".into(), &130.into()));
        drop(input);
    }

    #[test]
    fn a_second_ctrl_c_stops_at_once() {
        const MORE_THAN_A_PIPE_HOLDS: usize = 70_000;
        let place = Place::new();
        // 40 MB of rows: far more than is in flight.
        place.file("a.txt", &[UNIQUE; 200_000]);
        let mut child = spawn(&place, "solve a.txt");
        let mut rows = child.stdout.take().unwrap();
        let mut read = |bytes: usize| rows.read_exact(&mut vec![0; bytes]);
        // By now all that may be in flight is.
        read(1 << 20).unwrap();
        interrupt(&child);
        read(MORE_THAN_A_PIPE_HOLDS).expect("after the first one, what is in flight is still written");
        // Unread, the rest of that cannot be finished.
        assert!(child.try_wait().unwrap().is_none());
        interrupt(&child);
        assert_eq!(exit_code(&mut child), Some(130));
    }

    #[test]
    fn a_terminal_shows_the_bar_and_then_the_summary() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE; 2000]);
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("batchdoku"));
        command
            .args(["solve", "a.txt", "-o", "out.csv", "--chunk-size", "1000"])
            .current_dir(&place.directory);
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
        // The bar is taken off the line before the summary is written.
        let (_, rest) = rest.split_once("\x1b[2K").unwrap();
        assert!(rest.contains("2,000 records in "), "{rest}");
        assert_eq!(place.read("out.csv").lines().count(), 2001);
        assert!(!place.read("out.csv").contains(" left"));
    }

    #[test]
    fn a_terminal_that_gets_the_results_has_no_bar() {
        let place = Place::new();
        place.file("a.txt", &[UNIQUE; 100]);
        for line in [
            "solve a.txt --chunk-size 1000",
            "solve a.txt -o out.csv -q",
            "solve a.txt -o out.csv --progress never",
        ] {
            let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("batchdoku"));
            command.args(line.split(' ')).current_dir(&place.directory).env("TERM", "xterm");
            let (all, _) = Terminal::start(command).end();
            assert!(all.contains("records in ") != line.contains("-q"), "{line}: {all}");
            assert!(!all.contains(" left"), "{line}: {all}");
        }
    }
}
