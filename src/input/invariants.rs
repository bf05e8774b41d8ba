//! What holds for every text, tried on all golden inputs and on damaged ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::reader::Sample;
use super::sniff::{Sniffed, sniff};
use super::testing::{Reading, Shown, read_in};
use super::{Dialect, InputError, ReadOptions};

/// A file of the repository, wherever the tests run.
fn path(inside: &str) -> PathBuf {
    let source = Path::new(file!()).ancestors().nth(3).expect("this file is in src/input");
    source.join(inside)
}

fn text_of(inside: &str) -> Vec<u8> {
    fs::read(path(inside)).unwrap_or_else(|error| panic!("{inside}: {error}"))
}

/// The records of a golden input: the line of each, and its puzzle with dots for blanks; none for a Sudominoku case.
type Expected = Vec<(u64, Option<String>)>;

/// The golden inputs, with the text of each and what is in it.
fn golden() -> BTreeMap<String, (Vec<u8>, Expected)> {
    let mut inputs: BTreeMap<String, (Vec<u8>, Expected)> = BTreeMap::new();
    let table = String::from_utf8(text_of("tests/golden.csv")).expect("ASCII");
    for row in table.lines().skip(1) {
        let [input, line, puzzle, _] = row.split(',').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let judged = |name: &str| -> String {
            let text = String::from_utf8(text_of(&format!("data/judge/{name}.in"))).expect("ASCII");
            text.chars().filter(char::is_ascii_digit).collect::<String>().replace('0', ".")
        };
        let puzzle = (!puzzle.starts_with("boj4574")).then(|| judged(puzzle));
        let line = line.parse().expect("a number");
        let input = inputs.entry(input.to_owned()).or_insert_with_key(|name| {
            let text = text_of(&format!("tests/golden/{name}"));
            (text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text).to_vec(), Vec::new())
        });
        input.1.push((line, puzzle));
    }
    inputs
}

/// How a text is read.
fn sniffed(text: &[u8], told: Option<&Dialect>) -> Result<Sniffed, InputError> {
    let options = ReadOptions { format: told.cloned(), ..ReadOptions::default() };
    sniff(&Sample { name: "t", bytes: text, is_whole: true, options: &options }, None)
}

/// Reads a text as its start shows, or as is told; nothing if it is refused.
fn read(text: &[u8], told: Option<&Dialect>) -> Option<(Sniffed, Reading)> {
    let found = sniffed(text, told).ok()?;
    let reading = read_in(&*found.reader, text, text.len().max(1));
    Some((found, reading))
}

/// Golden inputs that give less than they say, since what would be read is rare: two kinds of text in one file, numbers
/// of rows and columns around a grid, and lists as Python prints them.
const LESS: [&str; 4] =
    ["03-grid-under-lines.txt", "04-frame-pandas.csv", "04-rows-with-numbers.dat", "json-python.json"];

#[test]
fn golden_inputs_give_their_puzzles() {
    for (name, (text, expected)) in golden() {
        let reading = read(&text, None).map(|(_, reading)| reading.records).unwrap_or_default();
        let puzzle = |record: &Shown| (!record.puzzle.ends_with("dominoes")).then(|| record.puzzle.clone());
        let all: Expected = reading.iter().map(|record| (record.line, puzzle(record))).collect();
        if LESS.contains(&&*name) {
            assert!(
                all.len() < expected.len() && all.iter().all(|record| expected.contains(record)),
                "{name}"
            );
        } else {
            assert_eq!(all, expected, "{name}");
        }
    }
}

/// A change of one line.
#[derive(Clone, Copy, Debug)]
enum Change {
    Dropped,
    Doubled,
    Swapped,
    Cut,
    Stray,
    Blank,
}

impl Change {
    const ALL: [Self; 6] = [Self::Dropped, Self::Doubled, Self::Swapped, Self::Cut, Self::Stray, Self::Blank];

    /// The text with that change at a line.
    fn of(self, text: &[u8], at: usize) -> Vec<u8> {
        let mut lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
        let (half, next) = (&lines[at][..lines[at].len() / 2], (at + 1) % lines.len());
        match self {
            Self::Dropped => drop(lines.remove(at)),
            Self::Doubled => lines.insert(at, lines[at]),
            Self::Swapped => lines.swap(at, next),
            Self::Cut => drop(lines.splice(at..=at, [half, b"\n"])),
            Self::Stray => lines.insert(at, b"some words between lines\n"),
            Self::Blank => lines.insert(at, b"\n"),
        }
        lines.concat()
    }
}

/// Calls back with each golden input, and with damaged ones: name, change, text and what the text was before.
fn each_damaged(mut check: impl FnMut(&str, Change, &[u8], &[u8])) {
    /// Places of each input at which it is damaged in each way.
    const PLACES: usize = 3;
    for (name, (text, _)) in golden() {
        let lines = text.split_inclusive(|&byte| byte == b'\n').count();
        for (number, change) in Change::ALL.into_iter().enumerate() {
            for place in 0..PLACES.min(lines) {
                let at = (lines * (2 * place + 1) / (2 * PLACES) + number) % lines;
                check(&format!("{name}:{}", at + 1), change, &change.of(&text, at), &text);
            }
        }
    }
}

/// Invariant 6.
#[test]
fn no_grid_is_given_that_does_not_stand_in_the_file() {
    let mut wrong = Vec::new();
    each_damaged(|name, change, damaged, text| {
        let (Some((_, before)), Some((found, after))) = (read(text, None), read(damaged, None)) else {
            return;
        };
        // Rows that are swapped make another grid, which stands there.
        let is_grid = |text: &&String| text.len() == 81 && !matches!(change, Change::Swapped);
        let grids = |reading: &Reading| -> BTreeSet<String> {
            let texts = reading.records.iter().flat_map(|record| [&record.puzzle, &record.claim]);
            texts.filter(is_grid).cloned().collect()
        };
        let (before, after) = (grids(&before), grids(&after));
        if !after.is_subset(&before) { wrong.push(format!("{name} {change:?} {}: {:?}", found.reader.dialect(), after.difference(&before))); }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
