//! Every text of the corpus with one damage: what is not understood costs itself alone, and no grid is made up.

use std::fs;
use std::path::Path;

use super::ReadOptions;
use super::testing::{Body, Owned, drain, open};
use crate::solver::scalar::Scalar;
use crate::sudoku::{CELLS, Grid};

/// A damage.
struct Mutation {
    name: &'static str,
    /// Puzzles that it may cost.
    most_lost: usize,
    /// Rows in which a grid may differ from one that was there: as many as the damage moves.
    most_moved: usize,
    /// Whether what it costs may be gone: nobody can know that a whole line was there.
    may_be_silent: bool,
}

const DROPPED: Mutation =
    Mutation { name: "a line dropped", most_lost: 2, most_moved: 0, may_be_silent: true };
const DOUBLED: Mutation =
    Mutation { name: "a line doubled", most_lost: 2, most_moved: 0, may_be_silent: false };
const SWAPPED: Mutation =
    Mutation { name: "two lines swapped", most_lost: 2, most_moved: 2, may_be_silent: true };
const STRAY: Mutation = Mutation { name: "a stray line", most_lost: 1, most_moved: 0, may_be_silent: false };
const BLANK: Mutation = Mutation { name: "a blank line", most_lost: 1, most_moved: 0, may_be_silent: false };
const LINE_ENDS: Mutation =
    Mutation { name: "other line ends", most_lost: 0, most_moved: 0, may_be_silent: false };
const HEAD: Mutation = Mutation { name: "a long head", most_lost: 0, most_moved: 0, may_be_silent: false };

/// Lines that stand in real files between puzzles.
const STRAY_LINES: [&str; 8] = ["a remark", "'''", "*****", "// x", "-1", "2021-02-11", "--- 2 ---", "12345"];

/// The texts of `tests/golden` by name.
fn corpus() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut texts: Vec<_> = files
        .filter(|path| path.is_file())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap()))
        .collect();
    texts.sort();
    assert!(texts.len() > 80);
    texts
}

/// What is read of a text.
struct Found {
    puzzles: Vec<Grid>,
    /// Whether puzzles are said to be in another format.
    is_mixed: bool,
    /// Whether anything is said of what could not be read.
    is_told: bool,
}

fn find(text: &[u8]) -> Found {
    let Ok(source) = open(text, &ReadOptions::default()) else {
        return Found { puzzles: Vec::new(), is_mixed: false, is_told: true };
    };
    let reading = drain(source, 100 << 10);
    let is_told = reading.error.is_some()
        || !reading.notes.is_empty()
        || reading.records.iter().any(|record| matches!(record.body, Body::Invalid(_)));
    let puzzle = |record: &Owned| match record.body {
        Body::Sudoku(grid) => Some(grid),
        _ => None,
    };
    let is_mixed = reading.notes.iter().any(|note| note.contains("in another format"));
    Found { puzzles: reading.records.iter().filter_map(puzzle).collect(), is_mixed, is_told }
}

/// Of the first grids those that are not among the second, each of which counts once.
fn missing(wanted: &[Grid], found: &[Grid]) -> Vec<Grid> {
    let mut left = found.to_vec();
    let is_missing = |grid: &&Grid| match left.iter().position(|other| other == *grid) {
        Some(at) => {
            left.swap_remove(at);
            false
        }
        None => true,
    };
    wanted.iter().filter(is_missing).copied().collect()
}

/// Puzzles, and their solutions: a claim that lost its puzzle is a grid of the file all the same.
fn with_solutions(puzzles: &[Grid]) -> Vec<Grid> {
    let solutions = puzzles.iter().filter_map(|puzzle| Scalar::new().smallest(puzzle, None));
    puzzles.iter().copied().chain(solutions).collect()
}

/// In how many rows two grids differ.
fn rows_apart(one: &Grid, other: &Grid) -> usize {
    let rows = |grid: &Grid| grid.cells().chunks(CELLS / 9).map(<[u8]>::to_vec).collect::<Vec<_>>();
    rows(one).into_iter().zip(rows(other)).filter(|(one, other)| one != other).count()
}

/// The mutants of a text, each with what was done and where.
fn mutants(name: &str, text: &[u8]) -> Vec<(&'static Mutation, String, Vec<u8>)> {
    // What begins them is no line among others, and remarks are not written with `#`.
    let is_document = name.starts_with("json-") || name.starts_with("xml-");
    let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
    let mut mutants = Vec::new();
    for i in 0..lines.len() {
        let with = |middle: &[&[u8]], behind: usize| {
            [lines[..i].concat(), middle.concat(), lines[behind..].concat()].concat()
        };
        let at = format!("line {}", i + 1);
        if i > 0 || !is_document {
            mutants.push((&DROPPED, at.clone(), with(&[], i + 1)));
        }
        if lines[i].ends_with(b"\n") {
            mutants.push((&DOUBLED, at.clone(), with(&[lines[i], lines[i]], i + 1)));
            if i + 1 < lines.len() && lines[i + 1].ends_with(b"\n") {
                mutants.push((&SWAPPED, at.clone(), with(&[lines[i + 1], lines[i]], i + 2)));
            }
        }
        if i > 0 {
            mutants.push((&BLANK, at.clone(), with(&[b"\n"], i)));
            // A quarter of them at each line, so all in every four lines.
            for stray in STRAY_LINES.iter().skip(i % 4).step_by(4) {
                mutants.push((&STRAY, format!("{at}: {stray}"), with(&[stray.as_bytes(), b"\n"], i)));
            }
        }
    }
    let unix: Vec<u8> = text.iter().copied().filter(|&byte| byte != b'\r').collect();
    for end in ["\n", "\r\n", "\r"] {
        let lines: Vec<&[u8]> = unix.split(|&byte| byte == b'\n').collect();
        mutants.push((&LINE_ENDS, format!("{end:?}"), lines.join(end.as_bytes())));
    }
    let bom = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let head = "# a remark above all puzzles\n".repeat(5_000);
    if !is_document {
        mutants.push((&HEAD, String::new(), [&text[..bom], head.as_bytes(), &text[bom..]].concat()));
    }
    mutants
}

#[test]
fn a_damage_costs_what_is_damaged_in_every_text_of_the_corpus() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (name, text) in corpus() {
        let puzzles = find(&text).puzzles;
        let grids = with_solutions(&puzzles);
        for (mutation, at, mutant) in mutants(&name, &text) {
            if name == "03-grid.txt" && at.ends_with("--- 2 ---") {
                // Two of its puzzles are the same but for their blanks: bands of both make a puzzle, too.
                continue;
            }
            count += 1;
            let found = find(&mutant);
            let lost = missing(&puzzles, &found.puzzles).len();
            let is_made_up =
                |grid: &&Grid| grids.iter().all(|other| rows_apart(other, grid) > mutation.most_moved);
            let what = if let Some(grid) = found.puzzles.iter().find(is_made_up) {
                format!("{grid} is made up")
            } else if lost > mutation.most_lost {
                format!("{lost} of {} lost", puzzles.len())
            } else if lost > 0 && !found.is_told && !mutation.may_be_silent {
                format!("{lost} lost in silence")
            } else if lost == 0 && found.is_mixed {
                "puzzles are said to be in another format".to_owned()
            } else {
                continue;
            };
            wrong.push(format!("{name}, {} at {at}: {what}", mutation.name));
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn of_two_kinds_in_one_text_nothing_is_lost_in_silence() {
    let whole = |(name, text): (String, Vec<u8>)| {
        let puzzles = find(&text).puzzles;
        (name, with_solutions(&puzzles), puzzles, text)
    };
    let texts: Vec<_> = corpus().into_iter().map(whole).collect();
    let mut wrong = Vec::new();
    for (first, above_grids, above_puzzles, above) in &texts {
        for (second, below_grids, below_puzzles, below) in &texts {
            let found = find(&[above, &b"\n"[..], below].concat());
            let puzzles = [&above_puzzles[..], below_puzzles].concat();
            let lost = missing(&puzzles, &found.puzzles).len();
            if lost > 0 && !found.is_told {
                wrong.push(format!("{first} and {second}: {lost} of {} lost in silence", puzzles.len()));
            }
            if let Some(grid) =
                found.puzzles.iter().find(|grid| !above_grids.contains(grid) && !below_grids.contains(grid))
            {
                wrong.push(format!("{first} and {second}: {grid} is made up"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
