//! The contents of rows: everything that an input record and an output row can hold.
//!
//! Anything that is both written and read back is defined once, here: status words, kinds of puzzle, fault texts.
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

/// A column in which all, some or none of the rows have a value.
trait Rows {
    /// Removes the first `rows` rows and moves the remaining rows to the front.
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

/// A line and a column in an input, both counted from 1; columns are counted in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The line of the (decompressed) input.
    pub line: u64,
    /// The byte within that line.
    pub column: u64,
}

/// The layout of a record, and of a text answer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// 81 characters on one line.
    Line,
    /// 9 lines of 9 digits.
    Rows,
    /// 9 lines of 9 digits separated by spaces.
    SpacedRows,
    /// `Puzzle k`, then 9 lines of 9 digits.
    Case,
}
