//! Bytes to records, in every format people keep puzzles in.
//!
//! A [`Source`] is one input: a file or standard input, decompressed as it is read. It hands out
//! [`Chunk`]s of whole records; a chunk knows where it stands in its source, so that any thread can
//! turn it into [`Record`]s on its own. Reading never fails because of a record: what cannot be read
//! becomes a record with [`Body::Invalid`], and the records around it are untouched.

use crate::grid::{Case, Grid};

/// A place in an input, both counted from 1; the column counts bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Line in the (decompressed) input.
    pub line: u64,
    /// Byte within that line.
    pub column: u64,
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

/// The two kinds of puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Plain 9x9 sudoku.
    Sudoku,
    /// Sudoku and 36 dominoes (BOJ 4574).
    Sudominoku,
}

/// How a record was laid out, and hence how a textual answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// 81 characters on a line.
    Line,
    /// 9 lines of 9 digits.
    Rows,
    /// 9 lines of 9 digits with a space between them.
    SpacedRows,
    /// `Puzzle k`, then 9 lines of 9 digits.
    Case,
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
