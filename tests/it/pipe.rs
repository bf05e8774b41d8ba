//! `pipe`: one answer for each line, or another exit code than 0.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use assert_cmd::cargo::cargo_bin;

use crate::place::Place;
use crate::puzzles::{ANSWER, UNIQUE};

/// What it is run with, so that nothing but its answers differ.
const FLAGS: [&str; 3] = ["pipe", "-q", "--no-time"];

fn filter(flags: &[&str]) -> Command {
    let mut command = Command::new(cargo_bin!("batchdoku"));
    command.args(FLAGS).args(flags).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a filter over some lines.
fn run(lines: &[u8], flags: &[&str]) -> Output {
    let mut child = filter(flags).spawn().unwrap();
    let (mut input, lines) = (child.stdin.take().unwrap(), lines.to_vec());
    let writer = thread::spawn(move || input.write_all(&lines));
    let output = child.wait_with_output().unwrap();
    // Whoever refuses his flags reads nothing.
    let _ = writer.join().unwrap();
    output
}

/// The lines of a text, without their ends.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.strip_suffix(b"\n").map_or_else(Vec::new, |text| text.split(|&byte| byte == b'\n').collect())
}

/// Keys and puzzles of all kinds: clean, cut off, with other characters, empty, with a tab or a cell too many.
fn keyed_puzzles(count: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let lists = ["easy", "hard", "several", "unsolvable"].map(|name| {
        let path = format!("{}/data/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
    });
    let keyed = |number: usize| {
        let mut puzzle = lists[number % 4][number / 4 % 200].clone().into_bytes();
        match number % 23 {
            3 => puzzle.truncate(number % 81),
            5 => puzzle[number % 81] = b"x/\x80 \xc3\""[number % 6],
            7 => puzzle.clear(),
            11 => puzzle.push(b'\t'),
            13 => puzzle.extend(b"\t1"),
            17 => puzzle[0..2].copy_from_slice(b"77"),
            19 => puzzle.push(b'1'),
            _ => {}
        }
        let key = match number % 7 {
            0 => Vec::new(),
            1 => format!("# {number}").into_bytes(),
            2 => vec![0, 0xff, b'\r', number as u8 | 0x80],
            _ => number.to_string().into_bytes(),
        };
        (key, puzzle)
    };
    (0..count).map(keyed).collect()
}

fn joined(keyed: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    keyed.iter().flat_map(|(key, puzzle)| [&key[..], b"\t", puzzle, b"\n"].concat()).collect()
}

/// PROMISE: pipe-answers
#[test]
fn every_line_has_its_answer_in_its_place() {
    let keyed = keyed_puzzles(30_000);
    let text = joined(&keyed);
    let first = run(&text, &["-j", "1"]);
    assert!(first.status.success() && first.stderr.is_empty(), "{}", first.stderr.escape_ascii());
    let answers = lines(&first.stdout);
    assert_eq!(answers.len(), keyed.len());
    // The same puzzles as a table, whose rows are tested elsewhere.
    let place = Place::new();
    let mut table = csv::Writer::from_path(place.path("table.csv")).unwrap();
    table.write_record(["puzzle", "other"]).unwrap();
    for (_, puzzle) in &keyed {
        table.write_record([&puzzle[..], b"x"]).unwrap();
    }
    drop(table);
    let solve = place.command(["solve", "table.csv", "-q", "--no-time", "--format", "csv"]).output().unwrap();
    let mut rows = csv::Reader::from_reader(&solve.stdout[..]);
    let mut faults = 0;
    for ((row, answer), (key, puzzle)) in rows.byte_records().zip(&answers).zip(&keyed) {
        let row = row.unwrap();
        let fields: Vec<_> = answer.split(|&byte| byte == b'\t').collect();
        let seen = puzzle.escape_ascii();
        assert_eq!(fields[0], key, "{seen}");
        // Behind id, source and line; a fault has another place.
        let (own, table): (Vec<_>, Vec<_>) = (fields[1..8].to_vec(), row.iter().skip(3).take(7).collect());
        assert_eq!(own, table, "{seen}");
        let (error, other) = (fields[8], row.get(10).unwrap());
        let reason =
            |text: &[u8]| String::from_utf8_lossy(text).split_once(": ").map(|(_, reason)| reason.to_owned());
        // In a table cells may stand apart, and what sets them apart is none that is wrong.
        let may_be_apart = puzzle.iter().any(|byte| b" \t,;/|[](){}\"'-".contains(byte));
        if !may_be_apart
            && !other.ends_with(b"row")
            && !other.ends_with(b"column")
            && !other.ends_with(b"box")
        {
            assert_eq!(reason(error), reason(other), "{seen}");
        }
        faults += usize::from(!error.is_empty());
    }
    assert!(faults > keyed.len() / 5 && faults < keyed.len() / 2, "{faults}");
    for flags in [&["-j", "2"][..], &["-j", "3", "--chunk-size", "100"], &["--chunk-size", "1"]] {
        assert!(run(&text, flags).stdout == first.stdout, "{flags:?}");
    }
}

/// PROMISE: pipe-answers
#[test]
fn no_line_is_skipped_whatever_is_in_it() {
    let text = format!("\u{feff}\n\n#\n0\na b\r\n9\t{UNIQUE}\r\n\t\n\u{1f}\t{UNIQUE}\t\n12\n81\t{UNIQUE}");
    let output = run(text.as_bytes(), &[]);
    assert_eq!(output.status.code(), Some(0));
    let invalid = |key: &str, error: &str| format!("{key}\tsudoku\tinvalid\t0\t\t0\t\t\t{error}");
    let unique = |key: &str| format!("{key}\tsudoku\tunique\t1\t32\t0\t{}\t{ANSWER}\t", UNIQUE);
    let no_tab = |key: &str| invalid(key, "no tab between key and puzzle");
    let expected = [
        no_tab("\u{feff}"),
        no_tab(""),
        no_tab("#"),
        no_tab("0"),
        no_tab("a b\r"),
        unique("9"),
        invalid("", "cell 1: 0 cells (expected 81)"),
        unique("\u{1f}"),
        no_tab("12"),
        unique("81"),
    ];
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().collect::<Vec<_>>(), expected);
    let empty = run(b"", &[]);
    assert!(empty.status.success() && empty.stdout.is_empty());
}

/// A run that a reader leaves is no error elsewhere; here it would lose rows in silence.
/// PROMISE: pipe-answers
#[test]
fn a_reader_who_leaves_or_a_full_disk_is_another_exit_code() {
    let text = joined(&keyed_puzzles(100_000));
    let mut child = filter(&[]).spawn().unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let writer = thread::spawn(move || input.write_all(&text));
    output.read_exact(&mut [0; 100]).unwrap();
    drop(output);
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    assert_eq!(status.code(), Some(2), "{}", stderr.escape_ascii());
    assert!(
        stderr
            .escape_ascii()
            .to_string()
            .contains("standard output was closed: the remaining lines have no answer")
    );
    let _ = writer.join().unwrap();

    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut child = filter(&[]).stdout(full).spawn().unwrap();
    child.stdin.take().unwrap().write_all(format!("1\t{UNIQUE}\n").as_bytes()).unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(2));
}

/// PROMISE: pipe-answers
#[test]
fn a_signal_is_another_exit_code_with_whole_lines() {
    let mut child = filter(&["--limit", "1000000000000"]).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(format!("1\t{UNIQUE}\n2\t{}\n3\t{UNIQUE}\n", ".".repeat(81)).as_bytes()).unwrap();
    thread::sleep(std::time::Duration::from_millis(300));
    kill(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143));
    assert!(output.stdout.is_empty() || output.stdout.ends_with(b"\n"));
    assert!(lines(&output.stdout).len() < 3);
}

fn kill(child: &Child) {
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
}

/// PROMISE: pipe-answers
#[test]
fn a_key_that_cannot_be_passed_on_whole_is_another_exit_code() {
    let long = "k".repeat((1 << 20) + 1);
    let output = run(format!("{long}\t{UNIQUE}\n7\t{UNIQUE}\n").as_bytes(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(lines(&output.stdout).len(), 2);
    // What is too long behind the tab has its key.
    let output = run(format!("a\t{long}\n7\t{UNIQUE}\n").as_bytes(), &[]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        output.stdout.starts_with(b"a\tsudoku\tinvalid\t0\t\t0\t\t\tcell 1: line longer than 1 MiB\n7\t")
    );
}

/// Code 0 says that every line has its answer.
/// PROMISE: pipe-answers
#[test]
fn a_standard_output_that_is_closed_or_devnull_is_an_error() {
    for closed in [">&-", "1<>/dev/null"] {
        let line = format!("exec \"$0\" pipe -q {closed} </dev/null");
        let output = Command::new("sh").args(["-c", &line]).arg(cargo_bin!("batchdoku")).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains("standard output is not open"), "{said}");
    }
}

/// What would lose lines, or has no meaning, is refused before anything is read.
/// PROMISE: pipe-answers
#[test]
fn flags_that_would_lose_lines_are_refused() {
    for flags in [
        &["--strict"][..],
        &["--only", "unique"],
        &["-O", "csv"],
        &["-o", "x"],
        &["--format", "line"],
        &["--puzzle-column", "a"],
        &["--escape-formulas"],
        &["--keep"],
        &["--report", "x.html"],
        &["x"],
        &["-"],
    ] {
        let output = run(b"", flags);
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("unexpected argument") && said.contains("batchdoku pipe --help"), "{said}");
    }
}
