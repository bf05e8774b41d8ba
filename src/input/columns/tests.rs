//! Tables and arrays written by other programs (`tests/golden/tables`): whole, cut off, and with some bytes changed.

use std::fs;
use std::path::PathBuf;

use super::testing::*;
use crate::input::Source;

/// The files, and whether each has claims.
const TABLES: [(&str, bool); 11] = [
    ("strings.parquet", true),
    ("strings.arrow", true),
    ("duckdb.parquet", true),
    ("lists.parquet", true),
    ("lists.arrows", true),
    ("dictionaries.arrow", true),
    ("grids.parquet", false),
    ("81.npy", false),
    ("9x9.npy", false),
    ("tokens.npy", false),
    ("texts.npy", false),
];

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Returns the records that a file should contain.
fn expected(has_claims: bool) -> [String; 3] {
    let grid = |name: String| {
        let text = fs::read_to_string(path("data/judge").join(name)).expect("it is there");
        text.chars().filter(char::is_ascii_digit).collect::<String>()
    };
    ["boj2239", "boj2580", "boj2239"].map(|name| {
        let claim = if has_claims { format!(" > {}", grid(format!("{name}.out"))) } else { String::new() };
        grid(format!("{name}.in")).replace('0', ".") + &claim
    })
}

#[test]
fn tables_of_other_programs_are_read_whatever_the_blocks() {
    for (name, has_claims) in TABLES {
        let file = path("tests/golden/tables").join(name);
        let is_parquet = name.ends_with("parquet");
        let mut lines = if is_parquet { read_file(&file) } else { read(&fs::read(&file).unwrap()) };
        lines.retain(|line| !line.starts_with("note: t: cells are 1 to 10"));
        assert_eq!(lines, expected(has_claims), "{name}");
    }
}

#[test]
fn what_is_cut_off_is_told_and_gives_what_is_before() {
    let (_directory, cut_off) = temporary();
    for (name, has_claims) in TABLES {
        let bytes = fs::read(path("tests/golden/tables").join(name)).unwrap();
        let whole = expected(has_claims);
        for cut in (8..bytes.len()).step_by(11).chain([bytes.len() - 1]) {
            fs::write(&cut_off, &bytes[..cut]).unwrap();
            let lines = drain(Source::open(&cut_off, &hashing()), 500);
            let (message, rows) = lines.split_last().expect("a last line");
            let is_error = ["refused: ", "error: "].iter().any(|start| message.starts_with(start));
            assert!(is_error || message.contains("was it cut off?"), "{name} {cut}: {message}");
            let mut rows = rows.iter().filter(|row| !row.starts_with("note: ")).zip(&whole);
            assert!(rows.all(|(row, whole)| row == whole), "{name} {cut}");
        }
    }
}

/// Lengths stored in a file are never trusted.
#[test]
fn changed_bytes_end_in_an_error_or_in_rows() {
    let (_directory, changed) = temporary();
    for (name, _) in TABLES {
        let bytes = fs::read(path("tests/golden/tables").join(name)).unwrap();
        for at in (4..bytes.len()).step_by(23) {
            for byte in [0, 0x7f, 0xff] {
                fs::write(&changed, [&bytes[..at], &[byte], &bytes[at + 1..]].concat()).unwrap();
                drain(Source::open(&changed, &hashing()), 5000);
            }
        }
    }
}
