//! Code that the benchmarks share: puzzle lists, and the contest method for solving a Sudominoku case.

#[path = "../../tests/oracle/contest.rs"]
pub mod contest_sudominoku;

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use batchdoku::input::{self, ReadOptions, Source};
use batchdoku::record::{Records, Want};
use batchdoku::sudoku::{Case, Grid};

/// Reads a puzzle file.
///
/// # Panics
///
/// If the file cannot be read, because a benchmark is useless without its input.
#[must_use]
pub fn bytes_of(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error} (data/make-sets makes it)", path.display()))
}

/// Reads at most `most` 81-character lines of a puzzle list.
///
/// # Panics
///
/// If the file cannot be read.
#[must_use]
pub fn puzzle_list(path: &Path, most: usize) -> Vec<Grid> {
    bytes_of(path)
        .split(|&byte| byte == b'\n')
        .filter_map(|line| line.first_chunk::<81>())
        .filter(|line| line[0] != b'#')
        .filter_map(|line| Grid::new(line.map(|byte| if byte.is_ascii_digit() { byte - b'0' } else { 0 })))
        .take(most)
        .collect()
}

/// Returns the lists to measure: the files listed in `BATCHDOKU_LISTS`, separated by `:`, or those in `data/` if it is
/// not set.
#[must_use]
pub fn lists() -> Vec<PathBuf> {
    match std::env::var_os("BATCHDOKU_LISTS") {
        Some(paths) => std::env::split_paths(&paths).collect(),
        None => ["easy", "minimal", "hard", "several", "unsolvable"]
            .iter()
            .map(|name| data(&format!("{name}.txt")))
            .collect(),
    }
}

/// Returns the path of a file in `data/`.
#[must_use]
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data").join(name)
}

/// Returns the name of a file, leaving out its folder.
#[must_use]
pub fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Returns a source that reads from memory.
///
/// # Panics
///
/// If nothing in `bytes` looks like a puzzle.
#[must_use]
pub fn source(bytes: &Arc<[u8]>) -> Source {
    Source::from_reader("memory", Cursor::new(Arc::clone(bytes)), &ReadOptions::default())
        .expect("the sets are puzzles")
}

/// Reads at most `most` Sudominoku cases from a file.
///
/// # Panics
///
/// If the file cannot be read or contains anything else.
#[must_use]
pub fn cases(path: &Path, most: usize) -> Vec<Case> {
    let mut source = source(&bytes_of(path).into());
    let (mut cases, mut records) = (Vec::new(), Records::default());
    while let Some(chunk) = source.next_batch(Vec::new(), 1 << 20).expect("memory does not fail") {
        chunk.read(Want::default(), &mut records);
        for row in 0..records.len() {
            let case = input::case(records.spans()[row].of(&chunk.bytes));
            let line = records.lines()[row];
            cases.push(case.unwrap_or_else(|_| panic!("{}:{line}: no case", path.display())));
        }
    }
    cases.truncate(most);
    cases
}
