//! Rows in columns: what encoders and digests see of a batch.

use super::{Fault, Field, Layout, Role, Schema, Sparse, Type, Word};
use crate::sudoku::Grid;

/// The values of one column, row by row.
#[derive(Clone, Copy, Debug)]
pub enum Column<'a> {
    /// Numbers that follow each other, from the first on.
    Counting(u64),
    /// Numbers.
    Numbers(&'a [u64]),
    /// Numbers, and which rows have one.
    SomeNumbers(&'a [u64], &'a [bool]),
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
    /// Grids that some rows have.
    SomeGrids(&'a [Option<Grid>]),
    /// Why some rows have no answer.
    Faults(&'a Sparse<Fault>),
}

impl Column<'_> {
    /// Whether it holds a value, or none, for each of `rows` rows, and values of that type.
    #[must_use]
    fn fits(&self, holds: Type, rows: usize) -> bool {
        let (own, length) = match *self {
            Self::Counting(_) => (Type::Number, rows),
            Self::Numbers(numbers) => (Type::Number, numbers.len()),
            Self::SomeNumbers(numbers, given) => (Type::Number, numbers.len().min(given.len())),
            Self::SmallNumbers(numbers, given) => (Type::Number, numbers.len().min(given.len())),
            Self::Words(words, _) => (Type::Word, words.len()),
            Self::Same(_) => (Type::Text, rows),
            Self::Names(names, _) => (Type::Text, names.len()),
            Self::Grids(grids, given) => (Type::Grid, grids.len().min(given.len())),
            Self::SomeGrids(grids) => (Type::Grid, grids.len()),
            Self::Faults(_) => (Type::Fault, rows),
        };
        own == holds && length >= rows
    }
}

/// A column of grids, some of which may be missing.
#[derive(Clone, Copy, Debug)]
pub enum GridColumn<'a> {
    /// The grids, and which rows have one.
    Dense(&'a [Grid], &'a [bool]),
    /// What each row has.
    Sparse(&'a [Option<Grid>]),
}

impl<'a> GridColumn<'a> {
    /// The grid in a row, `None` if there is none.
    #[must_use]
    #[inline]
    pub fn get(&self, row: usize) -> Option<&'a Grid> {
        match self {
            Self::Dense(grids, given) => given[row].then(|| &grids[row]),
            Self::Sparse(grids) => grids[row].as_ref(),
        }
    }
}

/// A column of numbers, some of which may be missing.
#[derive(Clone, Copy, Debug)]
pub struct NumberColumn<'a> {
    values: &'a [u64],
    /// Which rows have one; all of them if `None`.
    given: Option<&'a [bool]>,
}

impl NumberColumn<'_> {
    /// The number in a row, `None` if there is none.
    #[must_use]
    #[inline]
    pub fn get(&self, row: usize) -> Option<u64> {
        match self.given {
            Some(given) if !given[row] => None,
            _ => self.values.get(row).copied(),
        }
    }
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

    /// The first field whose column does not hold what the field says, if there is one: a defect of the job.
    #[must_use]
    pub fn misfit(&self) -> Option<&'a Field> {
        let mut columns = self.columns.iter();
        let mut fits =
            |field: &Field| columns.next().is_some_and(|column| column.fits(field.holds, self.rows));
        self.schema.fields.iter().find(|field| !fits(field))
    }

    /// The numbers of the column with a role; of a row without one, or a page without such a column, none.
    #[must_use]
    pub fn numbers(&self, role: Role) -> NumberColumn<'a> {
        match self.column(role) {
            Some(Column::Numbers(values)) => NumberColumn { values, given: None },
            Some(Column::SomeNumbers(values, given)) => NumberColumn { values, given: Some(given) },
            _ => NumberColumn { values: &[], given: None },
        }
    }

    /// The grids of the column with a role, `None` if there is no such column.
    #[must_use]
    pub fn grids(&self, role: Role) -> Option<GridColumn<'a>> {
        match self.column(role) {
            Some(Column::Grids(grids, given)) => Some(GridColumn::Dense(grids, given)),
            Some(Column::SomeGrids(grids)) => Some(GridColumn::Sparse(grids)),
            _ => None,
        }
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
