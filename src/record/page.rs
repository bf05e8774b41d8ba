//! Rows in columns: what encoders and digests see of a batch.

use super::{Fault, Layout, Role, Schema, Sparse, Word};
use crate::sudoku::Grid;

/// The values of one column, row by row.
#[derive(Clone, Copy, Debug)]
pub enum Column<'a> {
    /// Numbers that follow each other, from the first on.
    Counting(u64),
    /// Numbers.
    Numbers(&'a [u64]),
    /// Small numbers, and which rows have one.
    SmallNumbers(&'a [u8], &'a [bool]),
    /// Indices of words.
    Words(&'a [u8], &'static [Word]),
    /// The same text in every row.
    Same(&'a str),
    /// Indices of names, of which a page has few.
    Names(&'a [u32], &'a [String]),
    /// Grids, and which rows have one.
    Grids(&'a [Grid], &'a [bool]),
    /// Why some rows have no answer.
    Faults(&'a Sparse<Fault>),
}

/// Some rows of a job, with what they are from.
#[derive(Debug)]
pub struct Page<'a> {
    /// What the columns are.
    pub schema: &'a Schema,
    /// One for each field of the schema, in the same order.
    pub columns: Vec<Column<'a>>,
    /// Number of rows.
    pub rows: usize,
    /// Which rows are written; all of them if `None`. Digests see the others, too.
    pub kept: Option<&'a [bool]>,
    /// Layouts of textual answers.
    pub layouts: &'a [Layout],
    /// Number within its input of the first record, from 1.
    pub first_number: u64,
}

impl<'a> Page<'a> {
    /// The column with a role, `None` if there is none.
    #[must_use]
    pub fn column(&self, role: Role) -> Option<Column<'a>> {
        self.schema.find(role).map(|at| self.columns[at])
    }

    /// Whether a row is written.
    #[must_use]
    #[inline]
    pub fn keeps(&self, row: usize) -> bool {
        self.kept.is_none_or(|kept| kept[row])
    }

    /// The statuses of the rows, as indices of the schema's words; empty without such a column.
    #[must_use]
    pub fn statuses(&self) -> &'a [u8] {
        match self.column(Role::Status) {
            Some(Column::Words(words, _)) => words,
            _ => &[],
        }
    }
}
