//! Tests what a user sees of bugs: `--recheck`, and the commands that reproduce a bug.
//!
//! The failures themselves are tested beside the code, with solvers that fail.

use crate::place::{Ended, Place, ended, list};
use crate::puzzles::{ANSWER, UNIQUE};

fn batchdoku(line: &str, input: &str) -> Ended {
    ended(Place::new().run(line).write_stdin(input).output().unwrap())
}

/// PROMISE: recheck
#[test]
fn recheck_changes_no_row_where_solvers_agree() {
    let names = ["easy.txt", "hard.txt", "minimal.txt", "several.txt", "unsolvable.txt"];
    let input = names.map(|name| list(name, 60).join("\n")).join("\n");
    let (_, plain, _) = batchdoku("solve --no-time -", &input);
    let (code, rechecked, _) = batchdoku("solve --no-time --recheck -", &input);
    assert_eq!((code, &rechecked), (1, &plain), "some are unsolvable");
    assert_eq!(plain.matches(",unique,").count(), 180);

    let claims = format!("puzzle,solution\n{}", batchdoku("solve -O lines -", &input).1);
    let (_, plain, _) = batchdoku("verify --no-time -", &claims);
    assert_eq!(batchdoku("verify --no-time --recheck -", &claims).1, plain);
    assert_eq!(plain.matches(",correct,").count(), 180);
}

#[test]
fn flags_of_searches_that_are_not_made_are_refused() {
    let place = Place::new();
    place.refuses("solve --limit 1 --solution smallest -", "needs --limit 2 or more");
    place.refuses("verify --trust-unique --recheck -", "cannot be used with");
}

/// The inputs given in messages are read back as the single record that they describe.
#[test]
fn a_command_that_repeats_a_defect_reads_one_record() {
    let case = list("sudominoku.txt", 12).join("\n") + "\n";
    for (line, input, status) in [
        ("solve --limit 2 --backend scalar -", format!("{UNIQUE}\n"), "unique"),
        ("verify --backend scalar -", format!("{UNIQUE},{ANSWER}\n"), "correct"),
        ("verify --backend scalar -", format!("{UNIQUE},\n"), "missing"),
        ("solve --limit 2 --format cases --backend scalar -", case, "unique"),
    ] {
        let (_, rows, said) = batchdoku(line, &input);
        let rows: Vec<_> = rows.lines().collect();
        assert_eq!(rows.len(), 2, "{line}: {said}");
        assert!(rows[1].contains(&format!(",{status},")), "{}", rows[1]);
    }
}

/// The row of a panic, which has no guesses, is read like any other result row.
#[test]
fn a_report_reads_the_row_of_a_panic() {
    let (_, mut results, _) = batchdoku("solve --no-time -", &format!("{UNIQUE}\n{UNIQUE}\n"));
    let reason = "the program panicked while it answered 1 record: index out of bounds";
    results += &format!("3,-,3,sudoku,internal-error,0,32,,{UNIQUE},,{reason}\n");
    let (code, report, said) = Place::with("results.csv", results).ran("report results.csv -o -");
    assert!(code == 0 && !said.contains("cannot be read"), "{said}");
    for part in ["internal-error", "the program panicked while it answered"] {
        assert!(report.contains(part), "{report}");
    }
}
