//! The contents of rows: everything that a record of an input and a row of an output can hold.
//!
//! Whatever is both written and read back is defined once here: words of statuses, kinds of puzzles, texts of faults.
//! Formats produce [`Records`], and jobs consume them. A [`Schema`] describes the columns of a job. A [`Page`] holds
//! the rows that encoders and digests see.

mod fault;
mod kind;
mod page;
mod records;
mod schema;
mod sparse;
mod table;
mod texts;

pub use fault::{Detail, Fault, FaultKind};
pub use kind::{KindFacts, MakePuzzle, PuzzleKind, Variant};
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
