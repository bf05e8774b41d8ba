//! Rows to bytes, in every format of `-O`.
//!
//! A [`RowFormat`] appends to a buffer and keeps no state between rows, so that any thread can
//! serialise its own chunk.

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
    /// Why there is no answer.
    pub error: Option<&'a str>,
}

/// Writes rows in one format.
pub trait RowFormat: Sync {
    /// Appends what stands before the first row.
    fn header(&self, out: &mut Vec<u8>);

    /// Appends one row, line end included.
    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>);
}
