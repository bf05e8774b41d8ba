//! Messages about defects in the program: where they occurred, what went wrong, and how to reproduce them.

use std::borrow::Cow;

use super::message::REPORT_DEFECT;
use super::options::JobOptions;
use super::{figures, message};
use crate::pipeline::{Defect, Ended, Tally};
use crate::record::{Detail, FaultKind, Severity};
use crate::solver::Backend;

/// Prints each record on which the program failed, with a command that reproduces the failure. If a batch panicked,
/// only its first record is printed.
pub fn complain(ended: &Ended, tally: &Tally, options: &JobOptions) {
    for defect in &ended.defects.first {
        let Defect { source, line, fault, .. } = defect;
        let origin = defect.origin.as_ref().map(|origin| format!(" ({origin})")).unwrap_or_default();
        message::error(format_args!("{source}:{line}: {fault}{origin}"));
        if let Some(command) = repeat(defect, options) {
            let what = if is_of_several(defect) { "try the first record alone" } else { "reproduce it" };
            message::hint(format_args!("to {what}: {command}"));
        }
    }
    let rows = tally.count(Severity::Defect);
    if rows > 0 {
        message::error(format_args!(
            "internal errors: {}; these rows have no answer",
            figures::grouped(rows)
        ));
    }
    corrected(ended, options).iter().for_each(message::error);
    if ended.defects.first.iter().any(is_of_several) && options.inputs.is_some() {
        message::hint(
            "with --chunk-size 1 each record is a batch of its own, and a panic costs that record alone",
        );
    }
    if rows > 0 || ended.defects.corrected > 0 {
        message::hint(REPORT_DEFECT);
    }
}

/// Returns the message about answers that were refused and replaced, if there were any.
pub fn corrected(ended: &Ended, options: &JobOptions) -> Option<String> {
    let count = ended.defects.corrected;
    (count > 0).then(|| {
        let backend = options.backend.map_or("none", Backend::name);
        let count = figures::grouped(count);
        format!("answers of backend {backend} refused and solved again by the scalar solver: {count}")
    })
}

/// Returns whether the program panicked on several records. In that case, the defect names the first one.
fn is_of_several(defect: &Defect) -> bool {
    defect.fault.kind == FaultKind::Panic && matches!(defect.fault.found[..], [Detail::Number(2..), ..])
}

/// Returns a command that reproduces a defect, if the defect includes a record that was read.
fn repeat(defect: &Defect, options: &JobOptions) -> Option<String> {
    if defect.input.is_empty() || options.inputs.is_none() {
        return None;
    }
    let quoted = |line| shlex::try_quote(line).unwrap_or(Cow::Borrowed(line)).into_owned();
    let lines: Vec<_> = defect.input.iter().map(|line| quoted(line)).collect();
    let layout = defect.kind.facts().format.map_or_else(String::new, |format| format!(" --format {format}"));
    let command = options.typed.repeated(options.backend.map(Backend::name));
    Some(format!("printf '%s\\n' {} | batchdoku {command}{layout} -", lines.join(" ")))
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::fs;
    use std::io::Write;
    use std::process::{Command, Output, exit};
    use std::sync::Arc;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use tempfile::TempDir;

    use super::*;
    use crate::cli::{definitions, job, parse, solve, verify};
    use crate::jobs::SearchOptions;
    use crate::jobs::failpoints::{Failure, Failures, FaultyJob, FaultySearch};

    const PUZZLES: [&str; 3] = [
        "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..",
        "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......",
        "52...6.........7.13...........4..8..6......5...........418.........3..2...87.....",
    ];
    const SOLUTION: &str =
        "483921657967345821251876493548132976729564138136798245372689514814253769695417382";

    /// Environment variables that configure the child process.
    const LINE: &str = "BATCHDOKU_TEST_LINE";
    const FAILURE: &str = "BATCHDOKU_TEST_FAILURE";

    /// Runs the program with solvers that fail on the second puzzle. It runs in a process of its own, because the
    /// standard error and exit status of a whole run are visible only from outside.
    #[test]
    #[ignore = "other tests run it in a process of its own"]
    fn program() {
        let Ok(line) = env::var(LINE) else { return };
        let failure = match env::var(FAILURE).as_deref() {
            Ok("panic") => Some(Failure::Panic),
            Ok("wrong") => Some(Failure::WRONG_DIGIT),
            Ok("unsolvable") => Some(Failure::UNSOLVABLE),
            _ => None,
        };
        let puzzle = PUZZLES[1].parse().unwrap();
        let failures: Failures = Arc::new(failure.map(|failure| (puzzle, failure)).into_iter().collect());
        let faulty =
            |search: SearchOptions| FaultySearch { search, failures, failures_again: Failures::default() };
        let (arguments, typed) = parse(line.split(' ')).unwrap();
        message::set_quiet(typed.has("quiet"));
        let recheck = typed.has("recheck");
        let ended = match arguments.command {
            crate::cli::Command::Solve(arguments) => {
                let (options, search) = solve::meaning(*arguments, typed).unwrap();
                job::run(FaultyJob::solve(faulty(search), recheck), options)
            }
            crate::cli::Command::Verify(arguments) => {
                let (options, search) = verify::meaning(*arguments, typed).unwrap();
                job::run(FaultyJob::verify(faulty(search.unwrap()), recheck), options)
            }
            other => panic!("{other:?} is no job"),
        };
        exit(i32::from(ended.unwrap().code()));
    }

    /// Runs [`program`] in a child process.
    fn run(line: &str, failure: &str) -> (i32, String) {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "cli::defects::tests::program", "--ignored", "--nocapture"]);
        let Output { status, stderr, .. } = command.env(LINE, line).env(FAILURE, failure).output().unwrap();
        (status.code().unwrap(), String::from_utf8(stderr).unwrap())
    }

    /// Returns a directory whose `in.txt` holds the puzzles, and the paths of files with these names in it.
    fn place<const N: usize>(names: [&str; N]) -> (TempDir, [String; N]) {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("in.txt"), PUZZLES.join("\n") + "\n").unwrap();
        let paths = names.map(|name| place.path().join(name).to_str().unwrap().to_owned());
        (place, paths)
    }

    fn text(path: &str) -> String {
        fs::read_to_string(path).unwrap()
    }

    fn json(path: &str) -> serde_json::Value {
        serde_json::from_str(&text(path)).unwrap()
    }

    /// PROMISE: panic-costs-its-batch
    #[test]
    fn a_panic_is_one_line_with_a_command_that_repeats_it() {
        let (_place, [list, rows, summary, report]) = place(["in.txt", "rows.csv", "s.json", "r.md"]);
        // First all three records are in one batch, then each is in a batch of its own.
        for (size, first, lost, what) in
            [("", 1, 1..=3, "try the first record alone"), (" --chunk-size 1", 2, 2..=2, "reproduce it")]
        {
            let line = format!(
                "batchdoku solve {list} -o {rows} --summary {summary} --report {report} --no-time --backend portable{size}"
            );
            let (sound_code, sound_said) = run(&line, "");
            assert!(sound_code == 0 && !sound_said.contains("error"), "{sound_said}");
            let sound = text(&rows);

            let (code, said) = run(&line, "panic");
            assert_eq!(code, 3, "{said}");
            let (count, s) = (lost.clone().count(), if lost.clone().count() == 1 { "" } else { "s" });
            let fault = format!("the program panicked while it answered {count} record{s}: failpoint 17");
            assert_eq!(said.matches("panicked").count(), 1, "{said}");
            let puzzle = PUZZLES[first - 1];
            let command = format!("printf '%s\\n' {puzzle} | batchdoku solve --limit 2 --backend portable -");
            for part in [
                &format!("error: {list}:{first}: {fault} (src"),
                &format!("  hint: to {what}: {command}\n"),
                &format!("error: internal errors: {count}; these rows have no answer\n"),
                REPORT_DEFECT,
            ] {
                assert!(said.contains(part), "{said}");
            }
            assert_eq!(said.contains("with --chunk-size 1 each record"), count > 1, "{said}");
            assert!(!said.contains("thread '"), "{said}");

            let written = text(&rows);
            for ((row, sound), at) in written.lines().zip(sound.lines()).zip(0_usize..) {
                if lost.contains(&at) {
                    let puzzle = PUZZLES[at - 1];
                    let clues = puzzle.bytes().filter(u8::is_ascii_digit).count();
                    let start = format!("{at},{list},{at},sudoku,internal-error,0");
                    assert_eq!(row, format!("{start},{clues},,{puzzle},,{fault}"));
                } else {
                    assert_eq!(row, sound);
                }
            }
            assert_eq!(written.lines().count(), 4);
            let summary = json(&summary);
            assert_eq!((&summary["exit_code"], &summary["solved_again"]), (&3.into(), &0.into()));
            assert_eq!(summary["defects"][0]["input"][0], puzzle);
            assert_eq!(summary["defects"][0]["error"], fault);
            assert!(text(&report).contains("internal-error"));
        }
    }

    /// Runs a command line, then the command that it prints, in a shell where `batchdoku` is [`program`]. Checks that
    /// both show the same defect and print the same command, and returns the command.
    fn repeated(line: &str, failure: &str, defect: &str) -> String {
        let (code, said) = run(line, failure);
        assert!(code == 3 && said.contains(defect), "{code}: {said}");
        let command = said.lines().find_map(|line| line.strip_prefix("  hint: to reproduce it: ")).unwrap();
        let function = format!(
            "batchdoku() {{ {LINE}=\"batchdoku $*\" \"$PROGRAM\" --exact cli::defects::tests::program --ignored --nocapture; }}"
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{function}; {command}")]).env(FAILURE, failure);
        let output = shell.env("PROGRAM", env::current_exe().unwrap()).output().unwrap();
        let again = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{command}\n{again}");
        assert!(again.contains(&format!("error: -:1: {defect}")), "{command}\n{again}");
        assert!(again.contains(&format!("  hint: to reproduce it: {command}\n")), "{command}\n{again}");
        command.to_owned()
    }

    /// PROMISE: panic-costs-its-batch
    #[cfg(unix)]
    #[test]
    fn the_command_that_is_said_meets_the_same_defect() {
        let (_place, [list, table, rows]) = place(["in.txt", "in.csv", "rows"]);
        let claims: Vec<_> = PUZZLES.iter().map(|puzzle| format!("{puzzle},{SOLUTION}\n")).collect();
        fs::write(&table, format!("puzzle,solution\n{}", claims.concat())).unwrap();
        let panicked = "the program panicked while it answered 1 record: failpoint 17 (src";
        let search = "--max-guesses 9000 --max-time 99.5";
        let answers = "--limit 3 --solution any";
        let solve =
            format!("batchdoku solve {list} -o {rows} {answers} --backend portable {search} --chunk-size 1");
        repeated(&solve, "panic", panicked);
        // Only the recount detects the defect.
        assert_eq!(run(&solve, "unsolvable").0, 1);
        let solved = repeated(&format!("{solve} --recheck"), "unsolvable", "the scalar solver says ");
        let verify = format!(
            "batchdoku verify {table} -o {rows} --backend portable {search} --recheck --chunk-size 1"
        );
        let verified = repeated(&verify, "panic", panicked);
        // The claim is repeated together with its puzzle.
        let input = format!("printf '%s\\n' '{},{SOLUTION}' | batchdoku verify ", PUZZLES[1]);
        assert!(verified.starts_with(&input), "{verified}");
        let written = text(&rows);
        assert!(written.contains(",correct,") && written.contains(",internal-error,17,,4"), "{written}");
        // The commands repeat all flags that affect answers.
        for (subcommand, command) in [("solve", solved), ("verify", verified)] {
            let definitions = definitions();
            let arguments = definitions.find_subcommand(subcommand).unwrap().get_arguments();
            let searching = arguments.filter(|argument| argument.get_help_heading() == Some("Solving"));
            let names: Vec<_> = searching.filter_map(clap::Arg::get_long).collect();
            assert!(names.len() > 4, "{names:?}");
            // With `--trust-unique` there is no search.
            for name in names.iter().filter(|&&name| name != "trust-unique") {
                assert!(command.contains(&format!(" --{name}")), "--{name}: {command}");
            }
        }
    }

    /// PROMISE: refused-answer
    #[test]
    fn an_answer_that_was_found_again_is_reported_and_is_no_success() {
        let (_place, [list, rows, report]) = place(["in.txt", "rows.txt", "r.md"]);
        let line =
            format!("batchdoku solve {list} -O lines -o {rows} --report {report} --backend portable --quiet");
        assert_eq!(run(&line, "").0, 0);
        let sound = text(&rows);
        let (code, said) = run(&line, "wrong");
        assert_eq!((code, text(&rows)), (3, sound), "{said}");
        let message = "answers of backend portable refused and solved again by the scalar solver: 1";
        assert!(said.contains(&format!("error: {message}\n")), "{said}");
        assert!(said.contains("the solution failed the independent check\n"), "{said}");
        assert!(said.contains(&format!("printf '%s\\n' {} |", PUZZLES[1])), "{said}");
        assert!(text(&report).contains(message));
    }

    /// The rows do not show which answers were found again, so a resumed run learns this from the checkpoint. PROMISE:
    /// resumed-summary
    #[test]
    fn an_answer_that_was_found_again_is_not_forgotten_by_a_run_that_is_resumed() {
        let (_place, [list, cut, rows, summary]) = place(["in.txt", "cut.gz", "rows.txt", "s.json"]);
        let packed = GzEncoder::new(Vec::new(), Compression::fast());
        let packed = (0..2000).fold(packed, |mut packed, number| {
            writeln!(packed, "{} {number}", PUZZLES[0]).unwrap();
            packed
        });
        let packed = packed.finish().unwrap();
        fs::write(&cut, &packed[..packed.len() / 2]).unwrap();
        let line = format!(
            "batchdoku solve {list} {list} {cut} {list} -O lines -o {rows} --summary {summary} --checkpoint-every 0 \
             --chunk-size 1"
        );
        let (code, said) = run(&line, "wrong");
        assert_eq!(code, 3, "{said}");
        let (code, said) = run(&format!("{line} --resume"), "");
        assert!(code == 3 && said.contains("resuming after"), "{said}");
        // The resumed run repeats the last batch before the damage, this time with a sound solver.
        assert_eq!(json(&summary)["solved_again"], 2, "{said}");
    }
}
