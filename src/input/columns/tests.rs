//! Tables and arrays that other programs wrote, `tests/golden/tables`: whole, cut off, and with bytes changed.

use std::fs;
use std::path::PathBuf;

use super::testing::*;
use crate::input::Source;

/// A file, whether it has claims, the columns that are carried along, and what stands in these.
type Table = (&'static str, bool, &'static [Option<usize>], [&'static str; 3]);

const TABLES: [Table; 11] = [
    ("strings.parquet", true, &[Some(0), Some(3)], [" | 007 | 1.5", " | - | -", " | 9 | 2.0"]),
    (
        "strings.arrow",
        true,
        &[Some(3), None, Some(0)],
        [" | 1.5 | - | 007", " | - | - | -", " | 2.0 | - | 9"],
    ),
    ("duckdb.parquet", true, &[Some(2)], [" | 2020-01-01"; 3]),
    ("lists.parquet", true, &[], [""; 3]),
    ("lists.arrows", true, &[], [""; 3]),
    ("dictionaries.arrow", true, &[], [""; 3]),
    ("grids.parquet", false, &[], [""; 3]),
    ("81.npy", false, &[], [""; 3]),
    ("9x9.npy", false, &[], [""; 3]),
    ("tokens.npy", false, &[], [""; 3]),
    ("texts.npy", false, &[], [""; 3]),
];

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The records in such a file.
fn expected(has_claims: bool, carried: [&str; 3]) -> Vec<String> {
    let grid = |name: &str| {
        let text = fs::read_to_string(path("data/judge").join(name)).expect("it is there");
        text.chars().filter(char::is_ascii_digit).collect::<String>()
    };
    let record = |(name, carried): (&str, &str)| {
        let claim = if has_claims { format!(" > {}", grid(&format!("{name}.out"))) } else { String::new() };
        format!("{}{claim}{carried}", grid(&format!("{name}.in")).replace('0', "."))
    };
    ["boj2239", "boj2580", "boj2239"].into_iter().zip(carried).map(record).collect()
}

#[test]
fn tables_of_other_programs_are_read_whatever_the_blocks() {
    for (name, has_claims, columns, carried) in TABLES {
        let file = path("tests/golden/tables").join(name);
        let is_parquet = name.ends_with("parquet");
        let mut lines =
            if is_parquet { read_file(&file, columns) } else { read(&fs::read(&file).unwrap(), columns) };
        lines.retain(|line| !line.starts_with("note: t: cells are 1 to 10"));
        assert_eq!(lines, expected(has_claims, carried), "{name}");
    }
}

#[test]
fn what_is_cut_off_is_told_and_gives_what_is_before() {
    let (_directory, cut_off) = temporary();
    for (name, has_claims, ..) in TABLES {
        let bytes = fs::read(path("tests/golden/tables").join(name)).unwrap();
        let whole = expected(has_claims, [""; 3]);
        for cut in (8..bytes.len()).step_by(11).chain([bytes.len() - 1]) {
            fs::write(&cut_off, &bytes[..cut]).unwrap();
            let lines = drain(Source::open(&cut_off, &hashing()), 500, &[]);
            let (told, rows) = lines.split_last().expect("it is told");
            let is_told = ["refused: ", "error: "].iter().any(|start| told.starts_with(start));
            assert!(is_told || told.contains("was it cut off?"), "{name} {cut}: {told}");
            let mut rows = rows.iter().filter(|row| !row.starts_with("note: ")).zip(&whole);
            assert!(rows.all(|(row, whole)| row == whole), "{name} {cut}");
        }
    }
}

/// No length in a file is believed.
#[test]
fn changed_bytes_end_in_an_error_or_in_rows() {
    let (_directory, changed) = temporary();
    for (name, _, columns, _) in TABLES {
        let bytes = fs::read(path("tests/golden/tables").join(name)).unwrap();
        for at in (4..bytes.len()).step_by(23) {
            for byte in [0, 0x7f, 0xff] {
                fs::write(&changed, [&bytes[..at], &[byte], &bytes[at + 1..]].concat()).unwrap();
                drain(Source::open(&changed, &hashing()), 5000, columns);
            }
        }
    }
}
