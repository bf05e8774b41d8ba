//! Pages: rows stored in columns, as encoders and digests see them.

use super::{Fault, Label, Layout, Role, Schema, Span, Sparse, Texts, Type};
use crate::sudoku::Grid;

/// The values of one column, row by row.
#[derive(Clone, Copy, Debug)]
pub enum Column<'a> {
    /// Consecutive numbers, starting from this one.
    Counting(u64),
    /// Numbers.
    Numbers(&'a [u64]),
    /// Numbers, with a flag per row that says whether the row has one.
    SomeNumbers(&'a [u64], &'a [bool]),
    /// Numbers with two decimals, with a flag per row that says whether the row has one.
    Decimals(&'a [f64], &'a [bool]),
    /// Indices of words.
    Words(&'a [u8], &'static [Label]),
    /// The same text in every row.
    Same(&'a str),
    /// Indices of names; there are only a few names per page.
    Names(&'a [u32], &'a [String]),
    /// Texts from the input; some rows may have none.
    Texts(&'a Texts),
    /// Grids, with a flag per row that says whether the row has one.
    Grids(&'a [Grid], &'a [bool]),
    /// Grids; `None` in rows that have no grid.
    SomeGrids(&'a [Option<Grid>]),
    /// The reasons why some rows have no answer.
    Faults(&'a Sparse<Fault>),
}

/// Memory for a column of any type, or for selected rows of another column.
#[derive(Debug, Default)]
pub struct Gathered {
    pub(super) numbers: Vec<u64>,
    pub(super) words: Vec<u8>,
    pub(super) decimals: Vec<f64>,
    pub(super) names: Vec<u32>,
    pub(super) texts: Texts,
    pub(super) grids: Vec<Grid>,
    pub(super) some_grids: Vec<Option<Grid>>,
    pub(super) faults: Sparse<Fault>,
    /// Whether each row has a number or a grid.
    pub(super) given: Vec<bool>,
}

impl Gathered {
    /// Removes all values.
    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.words.clear();
        self.decimals.clear();
        self.texts.clear();
        self.grids.clear();
        self.some_grids.clear();
        self.faults.clear();
        self.given.clear();
    }

    /// Whether no row has been given a value or a blank.
    pub(super) fn is_empty(&self) -> bool {
        self.given.is_empty() && self.some_grids.is_empty()
    }

    /// Adds blank rows to the memory for a type until it holds at least `rows` rows.
    pub(super) fn fill(&mut self, holds: Type, rows: usize) {
        fn extend<T: Copy>(values: &mut Vec<T>, rows: usize, blank: T) {
            values.resize(rows.max(values.len()), blank);
        }
        match holds {
            Type::Word => extend(&mut self.words, rows, 0),
            Type::Number => extend(&mut self.numbers, rows, 0),
            Type::Decimal => extend(&mut self.decimals, rows, 0.0),
            Type::Text => self.texts.fill(rows),
            Type::Grid if !self.some_grids.is_empty() => {}
            Type::Grid => extend(&mut self.grids, rows, Grid::EMPTY),
            Type::Fault => {}
        }
        extend(&mut self.given, rows, false);
    }

    /// Returns the column that consists of these rows of `column`, in this order.
    pub fn take<'a>(
        &'a mut self,
        column: Column<'a>,
        rows: &(impl Iterator<Item = usize> + Clone),
    ) -> Column<'a> {
        let rows = rows.clone();
        match column {
            Column::Counting(first) => {
                self.numbers.clear();
                self.numbers.extend(rows.map(|row| first + row as u64));
                Column::Numbers(&self.numbers)
            }
            Column::Numbers(numbers) => Column::Numbers(fill(&mut self.numbers, numbers, rows)),
            Column::SomeNumbers(numbers, given) => Column::SomeNumbers(
                fill(&mut self.numbers, numbers, rows.clone()),
                fill(&mut self.given, given, rows),
            ),
            Column::Decimals(numbers, given) => Column::Decimals(
                fill(&mut self.decimals, numbers, rows.clone()),
                fill(&mut self.given, given, rows),
            ),
            Column::Words(words, names) => Column::Words(fill(&mut self.words, words, rows), names),
            Column::Names(names, texts) => Column::Names(fill(&mut self.names, names, rows), texts),
            Column::Same(text) => Column::Same(text),
            Column::Texts(texts) => {
                self.texts.clear();
                rows.for_each(|row| self.texts.push(texts.get(row)));
                Column::Texts(&self.texts)
            }
            Column::Grids(grids, given) => {
                Column::Grids(fill(&mut self.grids, grids, rows.clone()), fill(&mut self.given, given, rows))
            }
            Column::SomeGrids(grids) => Column::SomeGrids(fill(&mut self.some_grids, grids, rows)),
            Column::Faults(faults) => {
                self.faults.clear();
                let found = rows.enumerate().filter_map(|(at, row)| Some((at, faults.get(row)?)));
                found.for_each(|(at, fault)| self.faults.push(at, fault.clone()));
                Column::Faults(&self.faults)
            }
        }
    }
}

/// Replaces the contents of `memory` with these rows of `values`.
fn fill<'a, T: Copy>(memory: &'a mut Vec<T>, values: &[T], rows: impl Iterator<Item = usize>) -> &'a [T] {
    memory.clear();
    memory.extend(rows.map(|row| values[row]));
    memory
}

/// A column of grids, some of which may be missing.
#[derive(Clone, Copy, Debug)]
pub struct GridColumn<'a>(Column<'a>);

impl<'a> GridColumn<'a> {
    /// Returns the grid in a row, if any.
    #[must_use]
    #[inline]
    pub fn get(&self, row: usize) -> Option<&'a Grid> {
        match self.0 {
            Column::Grids(grids, given) => given[row].then(|| &grids[row]),
            Column::SomeGrids(grids) => grids[row].as_ref(),
            _ => None,
        }
    }
}

/// A column of numbers, some of which may be missing.
#[derive(Clone, Copy, Debug)]
pub struct NumberColumn<'a>(Option<Column<'a>>);

impl NumberColumn<'_> {
    /// Returns the number in a row, if any.
    #[must_use]
    #[inline]
    pub fn get(&self, row: usize) -> Option<u64> {
        match self.0? {
            Column::Counting(first) => Some(first + row as u64),
            Column::Numbers(values) => values.get(row).copied(),
            Column::SomeNumbers(values, given) => given[row].then(|| values[row]),
            _ => None,
        }
    }
}

/// Maps rows to records on a page where a record can have several rows.
#[derive(Clone, Copy, Debug)]
pub struct RowsOf<'a> {
    /// The index of each row's record among the records on the page, in ascending order.
    pub records: &'a [u32],
    /// Whether each row is the first row of its record, which can start on an earlier page.
    pub firsts: &'a [bool],
}

/// Some of a job's rows.
#[derive(Debug)]
pub struct Page<'a> {
    /// The descriptions of the columns.
    pub schema: &'a Schema,
    /// The columns for the schema's fields, in the same order, followed by the carried columns.
    pub columns: Vec<Column<'a>>,
    /// The number of rows.
    pub rows: usize,
    /// Whether each row is written; `None` if all are. Digests also see rows that are not written.
    pub kept: Option<&'a [bool]>,
    /// The record of each row; `None` if each record has exactly one row.
    pub of: Option<RowsOf<'a>>,
    /// The layout of each record's answer when it is written as text.
    pub layouts: &'a [Layout],
    /// The text of the records and each record's span in it; empty if the records have no text.
    pub text: (&'a [u8], &'a [Span]),
    /// The number of the first record within its input, counted from 1.
    pub first_number: u64,
}

impl<'a> Page<'a> {
    /// Creates a page for the first records of an input, without their text. Each record has one row, and all rows are
    /// written.
    #[must_use]
    pub const fn new(schema: &'a Schema, columns: Vec<Column<'a>>, rows: usize) -> Self {
        let (layouts, text): (&[Layout], (&[u8], &[Span])) = (&[], (&[], &[]));
        Self { schema, columns, rows, kept: None, of: None, layouts, text, first_number: 1 }
    }

    /// Returns the column with this role, if any.
    #[must_use]
    pub fn column(&self, role: Role) -> Option<Column<'a>> {
        self.schema.find(role).map(|at| self.columns[at])
    }

    /// Returns the numbers in the column with this role, or no numbers if there is no such column.
    #[must_use]
    pub fn numbers(&self, role: Role) -> NumberColumn<'a> {
        NumberColumn(self.column(role))
    }

    /// Returns the number of the row's record, the name of the input and the line in that input.
    #[must_use]
    pub fn origin(&self, row: usize) -> (u64, &'a str, u64) {
        let number = |role| self.numbers(role).get(row).unwrap_or(0);
        let source = match self.column(Role::Source) {
            Some(Column::Same(name)) => name,
            Some(Column::Names(names, texts)) => &texts[names[row] as usize],
            _ => "",
        };
        (number(Role::Id), source, number(Role::Line))
    }

    /// Returns the grids in the column with this role, if any.
    #[must_use]
    pub fn grids(&self, role: Role) -> Option<GridColumn<'a>> {
        let is_of_grids = |column: &Column<'_>| matches!(column, Column::Grids(..) | Column::SomeGrids(_));
        self.column(role).filter(is_of_grids).map(GridColumn)
    }

    /// Returns the index of the row's record among the records on the page.
    #[must_use]
    #[inline]
    pub fn record_of(&self, row: usize) -> usize {
        self.of.map_or(row, |of| of.records[row] as usize)
    }

    /// Whether a row is the first of its record. A record is counted at its first row.
    #[must_use]
    #[inline]
    pub fn is_first(&self, row: usize) -> bool {
        self.of.is_none_or(|of| of.firsts[row])
    }

    /// Returns the number of records whose first row is on this page.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.of.map_or(self.rows, |of| of.firsts[..self.rows].iter().filter(|&&first| first).count()) as u64
    }

    /// Calls `see` with a page that has only the first row of each record and no carried columns. This is needed to
    /// count records rather than rows.
    pub fn with_firsts<T>(&self, see: impl FnOnce(&Page<'_>) -> T) -> T {
        let rows = (0..self.rows).filter(|&row| self.is_first(row));
        let fields = &self.columns[..self.schema.fields.len()];
        let mut gathered: Vec<_> = fields.iter().map(|_| Gathered::default()).collect();
        let columns = gathered.iter_mut().zip(fields).map(|(memory, column)| memory.take(*column, &rows));
        let page = Page::new(self.schema, columns.collect(), rows.clone().count());
        see(&Page { first_number: self.first_number, ..page })
    }

    /// Returns the text of the row's record, including the line ending; empty if the record has no text.
    #[must_use]
    #[inline]
    pub fn text_of(&self, row: usize) -> &'a [u8] {
        let (text, spans) = self.text;
        spans.get(self.record_of(row)).map_or(&[], |span| span.of(text))
    }

    /// Whether a row is written.
    #[must_use]
    #[inline]
    pub fn keeps(&self, row: usize) -> bool {
        self.kept.is_none_or(|kept| kept[row])
    }

    /// Returns the statuses of the rows, as indices into the schema's labels; empty if there is no status column.
    #[must_use]
    pub fn statuses(&self) -> &'a [u8] {
        match self.column(Role::Status) {
            Some(Column::Words(words, _)) => words,
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Field, Severity};

    const WORDS: &[Label] = &[Label::new("good", "", Severity::Answered)];

    /// Calls `see` with a two-row page that has these columns, each with a different role.
    fn with_page<T>(columns: &[(Role, Column<'_>)], see: impl FnOnce(&Page<'_>) -> T) -> T {
        let fields =
            columns.iter().map(|&(role, _)| Field::result("x", Type::Number, "").with_role(role)).collect();
        let schema = Schema { fields, carried: Vec::new(), measured: true, statuses: WORDS };
        let columns = columns.iter().map(|&(_, column)| column).collect();
        see(&Page::new(&schema, columns, 2))
    }

    #[test]
    fn a_column_is_found_by_its_role() {
        let grid: Grid = "12345678.".repeat(9).parse().unwrap();
        let columns = [
            (Role::Line, Column::Numbers(&[3, 4])),
            (Role::Guesses, Column::SomeNumbers(&[5, 6], &[false, true])),
            (Role::Status, Column::Words(&[0, 0], WORDS)),
            (Role::Puzzle, Column::Grids(&[grid, Grid::EMPTY], &[true, false])),
            (Role::Solution, Column::SomeGrids(&[None, Some(grid)])),
        ];
        with_page(&columns, |page| {
            let numbers = |role| [0, 1].map(|row| page.numbers(role).get(row));
            assert_eq!(numbers(Role::Line), [Some(3), Some(4)]);
            assert_eq!(numbers(Role::Guesses), [None, Some(6)]);
            assert_eq!(numbers(Role::Clues), [None; 2], "there is no such column");
            assert_eq!(numbers(Role::Status), [None; 2], "words are no numbers");
            let grids = |role| page.grids(role).map(|grids| [0, 1].map(|row| grids.get(row).copied()));
            assert_eq!(grids(Role::Puzzle), Some([Some(grid), None]));
            assert_eq!(grids(Role::Solution), Some([None, Some(grid)]));
            assert_eq!((grids(Role::Claim), grids(Role::Line)), (None, None));
            assert_eq!(page.statuses(), [0, 0]);
        });
        with_page(&columns[..2], |page| assert!(page.statuses().is_empty()));
    }

    /// A digest that counts records sees each record once, with its line number.
    #[test]
    fn the_first_rows_of_records_keep_their_origin() {
        let columns = [(Role::Id, Column::Counting(7)), (Role::Line, Column::Numbers(&[3, 4]))];
        with_page(&columns, |page| {
            let of = Some(RowsOf { records: &[0, 1], firsts: &[false, true] });
            let page = Page { of, columns: page.columns.clone(), ..*page };
            page.with_firsts(|page| {
                assert_eq!((page.rows, page.origin(0)), (1, (8, "", 4)));
                assert!(matches!(page.column(Role::Line), Some(Column::Numbers([4]))));
            });
        });
    }
}
