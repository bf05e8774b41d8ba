//! Input that holds no puzzles for this program is refused by name, wherever it comes from and however it is
//! compressed. Input that yields no records is never treated as success.

use crate::place::{Ended, Place, columns, ended, gzip};
use crate::puzzles::{UNIQUE, grid};

/// Returns what the program does with some bytes. They are given as a file, as a file compressed in two ways, and
/// through a pipe. The result of each run is its exit code, results and messages.
fn said(place: &Place, bytes: &[u8], words: &[&str]) -> Vec<Ended> {
    let zstd = zstd::encode_all(bytes, 0).unwrap();
    let mut runs = Vec::new();
    for (name, content) in [("plain", bytes), ("gz", &gzip(bytes)), ("zst", &zstd)] {
        place.write(name, content);
        runs.push(place.command(["solve", "-q", name].iter().chain(words)).output().unwrap());
    }
    runs.push(place.command(["solve", "-q", "-"].iter().chain(words)).write_stdin(bytes).output().unwrap());
    runs.into_iter().map(ended).collect()
}

/// Returns whether the messages are a single error, followed by a hint if something can be done about it.
fn is_one_error(messages: &str) -> bool {
    let lines: Vec<_> = messages.lines().collect();
    matches!(lines[..], [error, ref hint @ ..] if error.starts_with("error: ")
        && hint.len() < 2 && hint.iter().all(|hint| hint.starts_with("  hint: ")))
}

/// Returns a square with this side length, one line per row, in which every third cell is blank.
fn square(side: usize, between: &str, cell: impl Fn(usize) -> String) -> String {
    let value = |at: usize| if at.is_multiple_of(3) { ".".to_owned() } else { cell(at * 7 % side) };
    let row =
        |row: usize| (0..side).map(|column| value(row * side + column)).collect::<Vec<_>>().join(between);
    (0..side).map(|at| row(at) + "\n").collect()
}

/// Returns squares with this side length in all the ways people write them.
fn squares(side: usize) -> Vec<String> {
    let number = |at: usize| (at + 1).to_string();
    let letter = |at: usize| char::from(b'A' + at as u8).to_string();
    let digit = |at: usize| if side < 9 { number(at) } else { letter(at) };
    let grid = square(side, "", digit);
    let spaced = square(side, " ", number);
    let line = grid.replace('\n', "");
    let lists = spaced.trim().replace('.', "0").replace('\n', "],\n[").replace(' ', ", ");
    let width = side.isqrt();
    let bars = |row: &str| {
        let words: Vec<&str> = row.split(' ').collect();
        format!("| {} |\n", words.chunks(width).map(|part| part.join(" ")).collect::<Vec<_>>().join(" | "))
    };
    vec![
        grid.clone(),
        spaced.clone(),
        square(side, ",", number),
        square(side, " ", letter),
        square(side, " ", |at| format!("{:2}", at + 1)),
        spaced.lines().map(bars).collect(),
        format!("{side}\n{spaced}"),
        format!("{spaced}\n").repeat(10),
        format!("{line}\n"),
        format!("{line}\n").repeat(10),
        format!("id,puzzle\n1,{line}\n2,{line}\n"),
        format!("{{\"puzzle\": \"{line}\"}}\n"),
        format!("[[{lists}]]\n"),
        format!("{{\"board\": [[{}]]}}\n", lists.replace('\n', "")),
        format!("board = [\n[{lists}]\n]\n"),
    ]
}

/// The message if nothing looks like a puzzle.
const NOTHING: &str = "no puzzle found (tried line, csv, grid, cell, json, jsonl, xml, cases)";
const MARKUP: &str = "it looks like HTML, or XML of an unknown kind: save it as plain text";

/// PROMISE: refusals
#[test]
fn what_is_foreign_is_one_refusal_that_says_what_it_is() {
    let list = format!("{UNIQUE}\n").repeat(3);
    let tar = [&b"puzzles.txt"[..], &[0; 246], b"ustar\x0000", &[0; 247], list.as_bytes()].concat();
    let clauses: String = (1..300).map(|at| format!("-{at} -{} 0\n", at + 1)).collect();
    let pairs: String = (1..300).map(|at| format!("{at} {}\n", at * 7 % 81)).collect();
    let dash = "-".repeat(70);
    let code =
        format!("#include <stdio.h>\n/* {dash} */\nint main() {{\n  int a[9] = {{0}};\n  return 0;\n}}\n");
    let log = format!("[INFO] 2021-02-11 12:34:56.789 took 123 ms, 45 items (ok)\n{dash}\n");
    let prose = "It was the best of times\nit was the worst (so they say) of 1,001 times. \"Yes.\"\n\n";
    let mut table: Vec<(Vec<u8>, &str)> = vec![
        (b"PK\x03\x04 and more".to_vec(), "a zip archive"),
        (b"7z\xbc\xaf\x27\x1c\0\x04".to_vec(), "a 7z archive"),
        (b"\xfd7zXZ\0\0\x04".to_vec(), "xz data"),
        (b"BZh91AY&SY...".to_vec(), "bzip2 data"),
        (tar, "a tar archive"),
        (b"%PDF-1.7\n%\xe2\n1 0 obj\n".to_vec(), "a PDF document"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), "a PNG image"),
        (b"GIF89a\x10\0\x10\0".to_vec(), "a GIF image"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF".to_vec(), "a JPEG image"),
        (b"SQLite format 3\0\x10\0".to_vec(), "an SQLite database"),
        (b"\x80\x04\x95\x0f\0\0".to_vec(), "a Python pickle"),
        (gzip(gzip(list.as_bytes())), "gzip data in "),
        (b"<!DOCTYPE html>\n<html><pre>\n".to_vec(), MARKUP),
        (b"<!-- saved -->\n<html>\n".to_vec(), MARKUP),
        (b"<table border=\"1\" class=\"dataframe\">\n<tr><td>5</td></tr>\n</table>\n".to_vec(), MARKUP),
        (
            b"<sudoku>\n<fieldmap solution=\"2\">\n<position x=\"0\" y=\"0\"/>\n</fieldmap>\n</sudoku>\n"
                .to_vec(),
            MARKUP,
        ),
        (
            format!("{0} {0}\n", "003020600").repeat(90).into(),
            "the first: line 1, column 11: 18 cells (expected 9)",
        ),
        (b"<?xml version=\"1.0\"?>\n<books/>\n".to_vec(), MARKUP),
        (format!("c x\np cnf 300 299\n{clauses}").into(), "298 rows from here to line 301"),
        (clauses.clone().into(), "298 rows from here to line 299"),
        (clauses.repeat(40).into(), "298 rows from here to line 299"),
        (pairs.into(), "as grid 18 invalid records and no good one"),
        (code.repeat(30).into(), "line 2, column 76: 72 cells (expected 81)"),
        (log.repeat(2000).into(), "columns seen: [INFO] "),
        (prose.repeat(5000).into(), NOTHING),
        (b"a;b;c\n1;2;3\n4;5;6\n".to_vec(), "columns seen: a, b, c"),
        (b"quizzes,solutions\n4.3E+78,8.6E+80\n4.3E+78,8.6E+80\n".to_vec(), "numbers like 4.3E+78"),
        (b"4.3E+78\n5.2E+79\n".to_vec(), "numbers like 4.3E+78"),
        (b"nr;x\n1;4,3E+78\n2;5,2E+79\n".to_vec(), "numbers like 4.3E+78"),
    ];
    for side in [4, 6, 8, 10, 12, 16, 25] {
        let what = &*format!("sudokus of {side} x {side} cells").leak();
        table.extend(squares(side).into_iter().map(|text| {
            // If a table has column names, the names of its columns are more informative.
            let is_named = side > 9 && text.starts_with("id,puzzle");
            (text.into_bytes(), if is_named { "columns seen: id, puzzle" } else { what })
        }));
    }
    let place = Place::new();
    let mut wrong = Vec::new();
    for (bytes, what) in table {
        let shown = bytes[..bytes.len().min(90)].escape_ascii();
        for (code, out, messages) in said(&place, &bytes, &[]) {
            if code != 2 || !out.is_empty() || !is_one_error(&messages) || !messages.contains(what) {
                wrong.push(format!("{shown}: {code}, expected {what}\n  {messages}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Anything with the cells of a sudoku is read as a sudoku; text beside it that could add rules is shown.
#[test]
fn sudokus_with_further_rules_are_read_as_sudokus_and_their_titles_are_shown() {
    let place = Place::new();
    let rows = grid(UNIQUE);
    let regions =
        "111122333\n111222333\n112222333\n".to_owned() + &"444555666\n".repeat(3) + &"777888999\n".repeat(3);
    for (text, code, statuses, shown) in [
        (format!("{{Sudoku:\n{rows}}}\n{{Killer:\n{rows}}}\n"), 0, &["unique"; 2][..], "a:1: {Sudoku:"),
        (format!("Sudoku X\n\n{rows}"), 0, &["unique"], "a:1: Sudoku X"),
        (format!("{rows}\n{regions}"), 1, &["unique", "invalid"], "a:11:2: clue 1 repeats"),
    ] {
        place.write("a", &text);
        let (ended_with, rows, said) = place.ran("solve a");
        assert_eq!(columns(&rows, &["status"]).concat(), statuses, "{text}{said}");
        assert_eq!(ended_with, code, "{text}{said}");
        assert!(said.contains(shown), "{said}");
    }
}

/// PROMISE: no-silent-input
#[test]
fn what_yields_no_record_is_an_error_but_for_a_table_without_a_row() {
    let place = Place::new();
    for nothing in ["", "\n", "\n  \r\n\n", "\u{feff}"] {
        for format in ["line", "csv", "json"] {
            for (code, out, messages) in said(&place, nothing.as_bytes(), &["--format", format]) {
                let is_refused = code == 2 && out.is_empty() && messages.ends_with(": is empty\n");
                assert!(is_refused, "{nothing:?}: {code} {messages}");
            }
        }
    }
    for header in ["puzzle,solution\n", "id;quizzes\n"] {
        for (code, out, _) in said(&place, header.as_bytes(), &[]) {
            assert_eq!((code, out.lines().count()), (0, 1), "{header:?}");
        }
    }
    let barren = [
        "# a\n# b\n",
        "// a\n// b\n",
        "id,name\n",
        "{}\n",
        "[]",
        "null\n",
        "[1,2]\n",
        "{\"a\": {\"b\": []}}",
        "{}\n{}\n",
        "<?xml version=\"1.0\"?>\n<a><b c=\"d\">text</b></a>\n",
        "<sheets/>\n",
        "17\n",
        "hello\n",
    ];
    for text in barren {
        for format in ["", "line", "grid", "cases", "csv", "jsonl", "json", "xml"] {
            let told = ["--format", format];
            let words = if format.is_empty() { &[][..] } else { &told };
            for (code, out, messages) in said(&place, text.as_bytes(), words) {
                let rows = out.lines().count().saturating_sub(1);
                let is_refused = code == 2 && rows == 0 && is_one_error(&messages);
                // If a format is given, the text can be an invalid record.
                let is_invalid = code == 1 && rows > 0 && !format.is_empty();
                assert!(is_refused || is_invalid, "{text:?} as {format:?}: {code}, {rows} rows\n{messages}");
            }
        }
    }
}
