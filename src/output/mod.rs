//! Rows to bytes, in every format of `-O`.
//!
//! A [`RowFormat`] appends to a buffer and keeps no state between rows, so that any thread can
//! serialise its own chunk. Each format has a file of its own and one line in [`FORMATS`]. [`mod@file`]
//! is where the bytes go: an output file that is never seen half written.

pub mod csv;
pub mod file;
pub mod jsonl;
pub mod lines;
pub mod text;

use crate::grid::Grid;
use crate::input::{Kind, Layout};

/// The status column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Exactly one solution, proven.
    Unique,
    /// More than one solution; the one given is the smallest as an 81-digit number.
    Multiple,
    /// No solution, proven.
    Unsolvable,
    /// The record could not be read or its clues clash.
    Invalid,
    /// A solution was found; with `--limit 1` its uniqueness is not examined.
    Solved,
    /// `--max-guesses` was reached.
    Unfinished,
    /// The verifier refused the solver's answer; no grid is given.
    InternalError,
}

impl Status {
    /// Every status, in the order in which summaries list them.
    pub const ALL: [Self; 7] = [
        Self::Unique,
        Self::Multiple,
        Self::Solved,
        Self::Unsolvable,
        Self::Unfinished,
        Self::Invalid,
        Self::InternalError,
    ];

    /// The word in the status column.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unique => "unique",
            Self::Multiple => "multiple",
            Self::Unsolvable => "unsolvable",
            Self::Invalid => "invalid",
            Self::Solved => "solved",
            Self::Unfinished => "unfinished",
            Self::InternalError => "internal-error",
        }
    }
}

/// One row of results: what is known about one record.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Number of the record over all inputs, from 1.
    pub id: u64,
    /// Name of the input, `-` for standard input.
    pub source: &'a str,
    /// Number of the record within its input, from 1.
    pub number: u64,
    /// Line of the input on which the record starts.
    pub line: u64,
    /// Kind of puzzle.
    pub kind: Kind,
    /// Layout of a textual answer.
    pub layout: Layout,
    /// What came out.
    pub status: Status,
    /// Solutions found, up to the limit.
    pub solutions: u64,
    /// Branch nodes opened.
    pub guesses: u64,
    /// Nanoseconds that the solver spent on it.
    pub time_ns: u64,
    /// The puzzle, if it could be read.
    pub puzzle: Option<&'a Grid>,
    /// The solution, checked by the verifier.
    pub solution: Option<&'a Grid>,
    /// Why there is no answer. That of an invalid row reads `line L, column C: reason`.
    pub error: Option<&'a str>,
}

/// Writes rows in one format.
pub trait RowFormat: Sync {
    /// Appends what stands before the first row.
    fn header(&self, out: &mut Vec<u8>);

    /// Appends one row, line end included.
    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>);
}

/// What a user may choose about a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatOptions {
    /// Whether the `time_ns` column is there; without it equal runs give equal bytes.
    pub time: bool,
}

/// One format as a user finds it.
pub struct FormatEntry {
    /// The name that `-O` takes.
    pub name: &'static str,
    /// What it gives, for the help text.
    pub about: &'static str,
    /// Makes the format.
    pub make: fn(FormatOptions) -> Box<dyn RowFormat>,
}

/// Every format; the first is the default.
pub const FORMATS: [FormatEntry; 4] = [
    FormatEntry { name: "csv", about: csv::ABOUT, make: |options| Box::new(csv::Csv::new(options)) },
    FormatEntry { name: "jsonl", about: jsonl::ABOUT, make: |options| Box::new(jsonl::Jsonl::new(options)) },
    FormatEntry { name: "lines", about: lines::ABOUT, make: |_| Box::new(lines::Lines) },
    FormatEntry { name: "text", about: text::ABOUT, make: |_| Box::new(text::Text) },
];

/// The format of that name, `None` when there is no such format.
#[must_use]
pub fn by_name(name: &str, options: FormatOptions) -> Option<Box<dyn RowFormat>> {
    FORMATS.iter().find(|entry| entry.name == name).map(|entry| (entry.make)(options))
}

/// The word in the kind column.
const fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Sudoku => "sudoku",
        Kind::Sudominoku => "sudominoku",
    }
}

/// The blank cell of a puzzle in every format.
const BLANK: u8 = b'.';

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
