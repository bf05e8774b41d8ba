use super::*;
use crate::input::testing::read;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The reader for a dialect.
fn units(framing: Framing, blank: Option<char>, below: bool, bands: bool) -> Units {
    let on = |is_on: bool| is_on.then_some(true);
    Units::new(Dialect { blank, solution_below: on(below), bands: on(bands), ..Dialect::of(framing) })
}

/// The folder of the program.
fn root() -> PathBuf {
    Path::new(file!()).ancestors().nth(5).expect("it is there").to_owned()
}

#[test]
fn golden_texts() {
    let text_of = |name: &str| std::fs::read_to_string(root().join(name)).unwrap().replace('\u{feff}', "");
    let puzzle_of = |name: &str| {
        text_of(&format!("data/judge/{name}.in")).replace(char::is_whitespace, "").replace('0', ".")
    };
    let puzzles = BTreeMap::from(["boj2239", "boj2580"].map(|name| (name, puzzle_of(name))));
    let table = text_of("tests/golden.csv");
    let mut golden = BTreeMap::<&str, Vec<Vec<&str>>>::new();
    for record in table.lines().skip(1) {
        let fields: Vec<_> = record.split(',').collect();
        golden.entry(fields[0]).or_default().push(fields[1..].to_vec());
    }
    // Two kinds of text in one file, and rows with numbers before their cells.
    golden.retain(|name, _| {
        !["03-grid-under-lines.txt", "04-frame-pandas.csv", "04-rows-with-numbers.dat"].contains(name)
    });
    let mut failed = Vec::new();
    for (name, expected) in golden {
        let framing = match &name[..2] {
            "01" | "02" | "10" | "11" => Framing::Line,
            "03" | "04" | "05" | "06" | "07" | "08" => Framing::Grid,
            "12" => Framing::Cell,
            _ => continue,
        };
        let blank = match name {
            name if name.contains("odd-blank") => Some(':'),
            name if name.contains("03-grid-wide") => Some('．'),
            name if name.contains("03-grid-spaces") => Some(' '),
            _ => None,
        };
        let below =
            name.contains("pairs") || name.contains("fields") || name.contains("sdk") || name.contains("sql");
        let reader = units(framing, blank, below, false);
        let reading = read(&reader, text_of(&format!("tests/golden/{name}")));
        let got: Vec<_> = reading.records.iter().map(|it| format!("{} {}", it.line, it.puzzle)).collect();
        let expected: Vec<_> = expected.iter().map(|it| format!("{} {}", it[0], puzzles[it[1]])).collect();
        if got != expected {
            failed.push(format!("{name}:\n  {}\nexpected\n  {}", got.join("\n  "), expected.join("\n  ")));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
