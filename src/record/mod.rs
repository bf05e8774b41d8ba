//! The contents of rows: everything that a record of an input and a row of an output can hold.
//!
//! Whatever is both written and read back is defined once here: words of statuses, kinds of puzzles, texts of faults.
//! Formats produce [`Records`], and jobs consume them. A [`Schema`] describes the columns of a job. A [`Page`] holds
//! the rows that encoders and digests see.

mod fault;
mod page;
mod records;
mod schema;
mod sparse;
mod table;
mod texts;

pub use fault::{Detail, Fault, FaultKind};
pub use page::{Column, Gathered, GridColumn, NumberColumn, Page, RowsOf};
pub use records::{Claim, Claims, Records, Span, Want};
pub use schema::{Class, Field, Label, RESULTS_VERSION, Role, Schema, Severity, Type};
pub use sparse::Sparse;
pub use table::{Row, Table};
pub use texts::Texts;

/// A column with a value for each row, for some, or for none.
trait Rows {
    /// Removes the first `rows` rows; the others move to the front.
    fn skip(&mut self, rows: usize);

    /// Keeps only the first `rows` rows.
    fn truncate(&mut self, rows: usize);
}

impl<T> Rows for Vec<T> {
    fn skip(&mut self, rows: usize) {
        self.drain(..rows.min(self.len()));
    }

    fn truncate(&mut self, rows: usize) {
        self.truncate(rows);
    }
}

/// A line and a column in an input, both from 1; the column counts bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The line of the (decompressed) input.
    pub line: u64,
    /// The byte within that line.
    pub column: u64,
}

/// The two kinds of puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PuzzleKind {
    /// Plain 9x9 sudoku.
    Sudoku,
    /// Sudoku and 36 dominoes (BOJ 4574).
    Sudominoku,
}

impl PuzzleKind {
    /// The words of the column `kind`, indexed by the kind.
    pub const WORDS: [Label; 2] = [
        Label::new("sudoku", "plain 9x9 sudoku", Severity::Answered),
        Label::new("sudominoku", "sudoku with 36 dominoes", Severity::Answered),
    ];

    /// Returns the word in the column `kind`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        Self::WORDS[self as usize].name
    }

    /// Returns the kind with that name in the column `kind`.
    #[must_use]
    pub fn from_word(word: &[u8]) -> Option<Self> {
        [Self::Sudoku, Self::Sudominoku].into_iter().find(|kind| kind.as_str().as_bytes() == word)
    }
}

/// The layout of a record, and of an answer to it as text.
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

impl Layout {
    /// Returns the kind of puzzle with this layout.
    #[must_use]
    pub const fn kind(self) -> PuzzleKind {
        match self {
            Self::Case => PuzzleKind::Sudominoku,
            Self::Line | Self::Rows | Self::SpacedRows => PuzzleKind::Sudoku,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_read_from_the_word_that_it_is_written_as() {
        for (kind, word) in [(PuzzleKind::Sudoku, "sudoku"), (PuzzleKind::Sudominoku, "sudominoku")] {
            assert_eq!((kind.as_str(), PuzzleKind::from_word(word.as_bytes())), (word, Some(kind)));
        }
        assert_eq!([&b""[..], b"sudo", b"Sudoku"].map(PuzzleKind::from_word), [None; 3]);
    }

    #[test]
    fn only_cases_are_laid_out_as_cases() {
        let kinds = [Layout::Line, Layout::Rows, Layout::SpacedRows, Layout::Case].map(Layout::kind);
        let sudoku = PuzzleKind::Sudoku;
        assert_eq!(kinds, [sudoku, sudoku, sudoku, PuzzleKind::Sudominoku]);
    }
}
