//! Rows to bytes, in every format of `-O`.
//!
//! An [`Encode`] value turns the columns of a page into bytes and keeps no state between pages, so that any thread
//! can encode its own batch. Each format has a file of its own and one line in [`FORMATS`]. [`mod@file`] is where the
//! bytes go: an output file that is never seen half written.

mod csv;
mod encode;
pub mod file;
mod jsonl;
mod lines;
mod text;

use std::sync::Arc;

pub use encode::{Encode, Unfit};

/// One format as a user finds it.
pub struct OutputFormat {
    /// The name that `-O` takes.
    pub name: &'static str,
    /// What it gives, for the help text.
    pub about: &'static str,
    /// Makes the encoder.
    pub make: fn() -> Arc<dyn Encode>,
}

/// Every format; the first is the default.
pub const FORMATS: [OutputFormat; 4] = [
    OutputFormat { name: "csv", about: csv::ABOUT, make: || Arc::new(csv::Csv) },
    OutputFormat { name: "jsonl", about: jsonl::ABOUT, make: || Arc::new(jsonl::Jsonl) },
    OutputFormat { name: "lines", about: lines::ABOUT, make: || Arc::new(lines::Lines) },
    OutputFormat { name: "text", about: text::ABOUT, make: || Arc::new(text::Text) },
];

/// The format of that name, `None` when there is no such format.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static OutputFormat> {
    FORMATS.iter().find(|format| format.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The puzzle that the tests of the formats share: Project Euler's first example grid.
    pub(super) const PUZZLE: &str =
        "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";
    /// Its solution, as published with the problem (483 in the corner).
    pub(super) const SOLUTION: &str =
        "483921657967345821251876493548132976729564138136798245372689514814253769695417382";

    /// A grid from 81 characters.
    pub(super) fn grid(text: &str) -> Grid {
        let mut cells = [0; 81];
        for (cell, byte) in cells.iter_mut().zip(text.bytes()) {
            *cell = if byte == b'.' { 0 } else { byte - b'0' };
        }
        Grid::new(cells).unwrap()
    }

    /// A row of a unique puzzle, for tests to alter.
    pub(super) fn unique_row<'a>(puzzle: &'a Grid, solution: &'a Grid) -> Row<'a> {
        Row {
            id: 7,
            source: "a.txt",
            number: 3,
            line: 4,
            kind: Kind::Sudoku,
            layout: Layout::Line,
            status: Status::Unique,
            solutions: 1,
            guesses: 2,
            time_ns: 3456,
            puzzle: Some(puzzle),
            solution: Some(solution),
            error: None,
        }
    }

    /// A row of a record that could not be read.
    pub(super) fn invalid_row<'a>(error: &'a str) -> Row<'a> {
        Row {
            id: 8,
            source: "a.txt",
            number: 4,
            line: 5,
            kind: Kind::Sudoku,
            layout: Layout::Line,
            status: Status::Invalid,
            solutions: 0,
            guesses: 0,
            time_ns: 0,
            puzzle: None,
            solution: None,
            error: Some(error),
        }
    }

    #[test]
    fn the_registry_knows_its_names_and_no_other() {
        let options = FormatOptions { time: true };
        for name in ["csv", "jsonl", "lines", "text"] {
            assert!(by_name(name, options).is_some(), "{name}");
        }
        assert!(by_name("CSV", options).is_none());
        assert!(by_name("", options).is_none());
    }

    #[test]
    fn no_time_reaches_every_format() {
        let (puzzle, solution) = (grid(PUZZLE), grid(SOLUTION));
        let mut slow = unique_row(&puzzle, &solution);
        slow.time_ns = 999_999;
        for entry in FORMATS {
            let format = (entry.make)(FormatOptions { time: false });
            let (mut one, mut other) = (Vec::new(), Vec::new());
            format.row(&unique_row(&puzzle, &solution), &mut one);
            format.row(&slow, &mut other);
            assert_eq!(one, other, "{}", entry.name);
        }
    }
}
