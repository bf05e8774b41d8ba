//! What a user sees of defects: `--recheck`, and the commands that repeat a defect.
//!
//! Failures themselves are tested beside the code, over solvers that fail.

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;

fn batchdoku(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::cargo_bin("batchdoku").unwrap();
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("data"));
    command.args(arguments).write_stdin(input).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// PROMISE: recheck
#[test]
fn recheck_changes_no_row_where_solvers_agree() {
    let lists = ["easy.txt", "hard.txt", "minimal.txt", "several.txt", "unsolvable.txt"];
    let mut input = String::new();
    for list in lists {
        let whole = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(list));
        whole.unwrap().lines().take(60).for_each(|line| input.push_str(&format!("{line}\n")));
    }
    let plain = batchdoku(&["solve", "--no-time", "-"], &input);
    let rechecked = batchdoku(&["solve", "--no-time", "--recheck", "-"], &input);
    assert_eq!(text(&rechecked.stdout), text(&plain.stdout));
    assert_eq!(rechecked.status.code(), Some(1), "some are unsolvable");
    assert_eq!(text(&plain.stdout).matches(",unique,").count(), 180);

    let solved = batchdoku(&["solve", "-O", "lines", "-"], &input);
    let claims = format!("puzzle,solution\n{}", text(&solved.stdout));
    let plain = batchdoku(&["verify", "--no-time", "-"], &claims);
    let rechecked = batchdoku(&["verify", "--no-time", "--recheck", "-"], &claims);
    assert_eq!(text(&rechecked.stdout), text(&plain.stdout));
    assert_eq!(text(&plain.stdout).matches(",correct,").count(), 180);
}

#[test]
fn the_smallest_of_one_solution_is_refused() {
    let refused = batchdoku(&["solve", "--limit", "1", "--solution", "smallest", "-"], "");
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("needs --limit 2 or more"), "{}", text(&refused.stderr));
}

#[test]
fn recheck_without_a_proof_is_refused() {
    let refused = batchdoku(&["verify", "--trust-unique", "--recheck", "-"], "");
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("cannot be used with"), "{}", text(&refused.stderr));
}

/// The inputs that messages give are read as the one record that they are.
#[test]
fn a_command_that_repeats_a_defect_reads_one_record() {
    let puzzle = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";
    let solution = "483921657967345821251876493548132976729564138136798245372689514814253769695417382";
    let cases = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sudominoku.txt"));
    let cases = cases.unwrap();
    let dominoes: usize = cases.lines().next().unwrap().parse().unwrap();
    let case: String = cases.lines().take(dominoes + 2).map(|line| format!("{line}\n")).collect();
    for (arguments, input, status) in [
        (&["solve", "--limit", "2", "--backend", "scalar", "-"] as &[_], format!("{puzzle}\n"), "unique"),
        (&["verify", "--backend", "scalar", "-"], format!("{puzzle},{solution}\n"), "correct"),
        (&["verify", "--backend", "scalar", "-"], format!("{puzzle},\n"), "missing"),
        (&["solve", "--limit", "2", "--format", "cases", "--backend", "scalar", "-"], case, "unique"),
    ] {
        let output = batchdoku(arguments, &input);
        let rows: Vec<_> = text(&output.stdout).lines().collect();
        assert_eq!(rows.len(), 2, "{arguments:?}: {}", text(&output.stderr));
        assert!(rows[1].contains(&format!(",{status},")), "{}", rows[1]);
    }
}

/// A row of a panic, which has no guesses, is read like other rows of results.
#[test]
fn a_report_reads_the_row_of_a_panic() {
    let puzzle = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";
    let solved = batchdoku(&["solve", "--no-time", "-"], &format!("{puzzle}\n{puzzle}\n"));
    let mut results = text(&solved.stdout).to_owned();
    let reason = "the program panicked while it answered 1 record: index out of bounds";
    results.push_str(&format!("3,-,3,sudoku,internal-error,0,32,,{puzzle},,{reason}\n"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.csv");
    std::fs::write(&path, results).unwrap();
    let report = batchdoku(&["report", path.to_str().unwrap(), "-o", "-"], "");
    assert!(!text(&report.stderr).contains("cannot be read"), "{}", text(&report.stderr));
    assert_eq!(report.status.code(), Some(0), "{}", text(&report.stderr));
    assert!(text(&report.stdout).contains("internal-error"), "{}", text(&report.stdout));
    assert!(
        text(&report.stdout).contains("the program panicked while it answered"),
        "{}",
        text(&report.stdout)
    );
}
