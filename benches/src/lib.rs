//! What the benchmarks share: puzzle lists.

use std::path::{Path, PathBuf};

use batchdoku::grid::Grid;

/// Reads the 81-character lines of a puzzle list, at most `most` of them.
///
/// # Panics
///
/// When the file cannot be read: a benchmark without its input has nothing to say.
#[must_use]
pub fn puzzle_list(path: &Path, most: usize) -> Vec<Grid> {
    let text = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.split(|&byte| byte == b'\n')
        .filter_map(|line| line.first_chunk::<81>())
        .filter(|line| line[0] != b'#')
        .filter_map(|line| Grid::new(line.map(|byte| if byte.is_ascii_digit() { byte - b'0' } else { 0 })))
        .take(most)
        .collect()
}

/// The lists to measure on: the files that `BATCHDOKU_LISTS` names, separated by `:`, otherwise those of `data/`.
#[must_use]
pub fn lists() -> Vec<PathBuf> {
    match std::env::var_os("BATCHDOKU_LISTS") {
        Some(paths) => std::env::split_paths(&paths).collect(),
        None => ["easy", "minimal", "hard"]
            .iter()
            .map(|name| Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../data/{name}.txt")))
            .collect(),
    }
}
