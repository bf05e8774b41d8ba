//! Bytes to records, in every format people keep puzzles in.
//!
//! A [`Source`] is one input: a file or standard input, decompressed as it is read. It hands out
//! [`Batch`]s of whole records; a chunk knows where it stands in its source, so that any thread can
//! turn it into [`Record`]s on its own. Reading never fails because of a record: what cannot be read
//! becomes a record with [`Body::Invalid`], and the records around it are untouched.
//!
//! One file per family of formats (`line`, `grid`, `cases`, `csv`), each with one line in the
//! registry of `detect`; `stream` decompresses, `source` opens and cuts, `chunk` holds what the
//! families have in common. A [`TableReader`] gives the rows of a table as they are, to whom its columns mean more.

mod cases;
mod cells;
mod chunk;
mod csv;
mod detect;
mod error;
mod grid;
mod line;
mod row;
mod source;
mod stream;
mod table;
#[cfg(test)]
mod testing;

pub use chunk::{Batch, Position};
pub use error::InputError;
pub use source::{Source, SourceInfo};
pub use table::{TableChunk, TableReader};

pub use crate::record::{Layout, Place, PuzzleKind as Kind};

use crate::grid::{Case, Grid};

/// Longest line that is read, in bytes without its line end; the same bound holds for a CSV row and
/// for a Sudominoku case. Whatever is longer is one invalid record, and memory stays bounded.
pub const MAX_LINE: usize = 1 << 20;

/// How an input is to be read, where its own looks are not to decide.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Family of formats; `None` finds it from the first records.
    pub format: Option<FormatChoice>,
    /// Column of a CSV or TSV file that holds the puzzle: its name, whatever the case of its letters,
    /// or its number, counted from 1.
    pub puzzle_column: Option<String>,
}

/// A family of formats, as `--format` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormatChoice {
    /// One puzzle of 81 characters on a line, with or without a count line before them.
    Line,
    /// One puzzle on nine lines: bare, spaced, framed, counted, titled.
    Grid,
    /// Sudominoku cases (BOJ 4574).
    Cases,
    /// Columns separated by comma, semicolon or tab.
    Csv,
}

impl FormatChoice {
    /// Every family, in the order in which `--help` lists them.
    pub const ALL: [Self; 4] = [Self::Line, Self::Grid, Self::Cases, Self::Csv];

    /// The word that `--format` takes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Grid => "grid",
            Self::Cases => "cases",
            Self::Csv => "csv",
        }
    }
}

/// Why a record cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where the trouble is.
    pub place: Place,
    /// What was found and what was expected, on one line.
    pub reason: String,
}

/// What a record says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// A sudoku. Its clues may clash; whoever solves it looks at that.
    Sudoku(Grid),
    /// A Sudominoku case that holds together: adjacent dominoes, no pair, cell or single twice.
    Sudominoku(Box<Case>),
    /// Something that looks like a record and cannot be read.
    Invalid(Fault),
}

/// One record of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Line on which the record starts, counted from 1.
    pub line: u64,
    /// The bytes of the record, line ends included.
    pub text: &'a [u8],
    /// Layout of a textual answer.
    pub layout: Layout,
    /// What the record says.
    pub body: Body,
}
