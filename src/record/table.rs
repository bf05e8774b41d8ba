//! Tables: the rows that a job fills in, addressing columns by name.

use std::mem::swap;

use super::{Column, Fault, Field, Gathered, Label, Records, Role, Schema, Sparse, Type};
use crate::sudoku::Grid;

/// A job's rows, stored in columns; the memory is reused for each page.
///
/// A value goes to the column of its [`Field`]. If the table lacks that column, the value is ignored, so a job can set
/// everything it knows. If no row sets a puzzle, clues or a claim, that column shows the records' own values, provided
/// each record has exactly one row. In all other columns, a row without a value is blank.
#[derive(Debug)]
pub struct Table {
    words: &'static [Label],
    statuses: Vec<u8>,
    /// The record of each row, if records can have several rows.
    of: Vec<u32>,
    /// The faults of answers that another solver replaced, by record.
    pub corrected: Sparse<Fault>,
    slots: Vec<Slot>,
    /// The index of the column after the status.
    first: usize,
    /// The index of the column after the one set last, because columns are mostly set in order.
    next: usize,
}

/// The values of a column.
#[derive(Debug)]
struct Slot {
    field: Field,
    memory: Gathered,
    words: &'static [Label],
    /// The text of all rows, if they share one.
    same: &'static str,
}

impl Table {
    /// Returns an empty table with the schema's columns that follow the origin columns.
    #[must_use]
    pub fn new(schema: &Schema) -> Self {
        let slot = |&field| Slot { field, memory: Gathered::default(), words: &[], same: "" };
        let slots: Vec<_> = schema.fields[Field::ORIGIN.len()..].iter().map(slot).collect();
        let status = slots.iter().position(|slot| slot.field.role == Role::Status);
        Self {
            words: schema.statuses,
            statuses: Vec::new(),
            of: Vec::new(),
            corrected: Sparse::default(),
            slots,
            first: status.map_or(0, |at| at + 1),
            next: 0,
        }
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        self.clear_rows();
        self.corrected.clear();
    }

    /// Removes the rows before the next page of the same records is filled.
    pub fn clear_rows(&mut self) {
        self.statuses.clear();
        self.of.clear();
        self.slots.iter_mut().for_each(|slot| slot.memory.clear());
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.statuses.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.statuses.is_empty()
    }

    /// Returns the record index of each row, if the rows were added with [`row_of`](Self::row_of).
    #[must_use]
    pub fn of(&self) -> &[u32] {
        &self.of
    }

    /// Returns the statuses of the rows, as indices into the labels.
    pub fn statuses_mut(&mut self) -> &mut [u8] {
        &mut self.statuses
    }

    /// Adds a row for the next record.
    #[inline]
    pub fn row(&mut self, status: impl Into<u8>) -> Row<'_> {
        self.statuses.push(status.into());
        self.next = self.first;
        let row = self.len() - 1;
        self.row_at(row)
    }

    /// Adds a row for a record that can have several rows.
    #[inline]
    pub fn row_of(&mut self, record: usize, status: impl Into<u8>) -> Row<'_> {
        self.of.push(u32::try_from(record).expect("a batch has fewer than 4 billion records"));
        self.row(status)
    }

    /// Returns a row that was added earlier.
    #[inline]
    pub fn row_at(&mut self, row: usize) -> Row<'_> {
        Row { table: self, row }
    }

    /// Adds an otherwise empty row for each of these statuses.
    pub fn rows(&mut self, statuses: impl Iterator<Item = impl Into<u8>>) {
        self.statuses.extend(statuses.map(Into::into));
    }

    /// Keeps only the first `rows` rows.
    pub fn truncate(&mut self, rows: usize) {
        self.statuses.truncate(rows);
    }

    /// Takes the numbers of all rows. If only some rows have a number, `given` says which ones. The table's old memory
    /// is swapped into `numbers`.
    pub fn take_numbers(&mut self, field: &Field, numbers: &mut Vec<u64>, given: Option<&[bool]>) {
        let Some(memory) = self.memory(field, Type::Number) else { return };
        memory.given.clear();
        match given {
            Some(given) => memory.given.extend_from_slice(given),
            None => memory.given.resize(numbers.len(), true),
        }
        swap(&mut memory.numbers, numbers);
    }

    /// Takes the grids of all rows, and swaps the table's old memory into `grids`.
    pub fn take_grids(&mut self, field: &Field, grids: &mut Vec<Option<Grid>>) {
        if let Some(memory) = self.memory(field, Type::Grid) {
            swap(&mut memory.some_grids, grids);
        }
    }

    /// Takes the errors of the rows that have one, and swaps the table's old memory into `errors`.
    pub fn take_errors(&mut self, errors: &mut Sparse<Fault>) {
        if let Some(memory) = self.memory(&Field::ERROR, Type::Fault) {
            swap(&mut memory.faults, errors);
        }
    }

    /// Sets one text for all rows of this page and of later pages.
    pub fn set_all(&mut self, field: &Field, text: &'static str) {
        if let Some(slot) = self.slot(field, Type::Text) {
            slot.same = text;
        }
    }

    /// Extends all columns to the number of rows, unless they show [values](Self::columns) of `records`.
    pub fn finish(&mut self, records: &Records) {
        let (rows, has_row_each) = (self.len(), self.of.is_empty());
        for slot in &mut self.slots {
            match slot.field.role {
                Role::Clues if has_row_each && slot.memory.is_empty() => {
                    let clues = records.puzzles().iter().map(|puzzle| u64::from(puzzle.clues()));
                    slot.memory.numbers.extend(clues);
                    slot.memory.given.extend_from_slice(records.readable());
                }
                Role::Puzzle if has_row_each && slot.memory.is_empty() => {}
                Role::Claim | Role::Solution
                    if has_row_each && slot.memory.is_empty() && records.claims.len() >= rows => {}
                _ => slot.memory.fill(slot.field.holds, rows),
            }
        }
    }

    /// Returns all columns of a finished table, in schema order.
    #[must_use]
    pub fn columns<'a>(&'a self, records: &'a Records) -> Vec<Column<'a>> {
        let column = |slot: &'a Slot| match slot.field.role {
            Role::Status => Column::Words(&self.statuses, self.words),
            _ => slot.column(records),
        };
        self.slots.iter().map(column).collect()
    }

    /// Returns the slot for a field of this type, if the table has that column.
    #[inline]
    fn slot(&mut self, field: &Field, holds: Type) -> Option<&mut Slot> {
        let at = match self.slots.get(self.next) {
            // Usually both names are the same constant.
            Some(slot) if std::ptr::eq(slot.field.name, field.name) => self.next,
            _ => self.slots.iter().position(|slot| slot.field.name == field.name)?,
        };
        self.next = at + 1;
        let slot = &mut self.slots[at];
        debug_assert_eq!(slot.field.holds, holds, "{}", field.name);
        Some(slot)
    }

    #[inline]
    fn memory(&mut self, field: &Field, holds: Type) -> Option<&mut Gathered> {
        self.slot(field, holds).map(|slot| &mut slot.memory)
    }
}

impl Slot {
    fn column<'a>(&'a self, records: &'a Records) -> Column<'a> {
        let Gathered { numbers, words, decimals, texts, grids, some_grids, faults, given, .. } = &self.memory;
        match self.field.holds {
            Type::Number if given.iter().all(|&is_given| is_given) => Column::Numbers(numbers),
            Type::Number => Column::SomeNumbers(numbers, given),
            Type::Decimal => Column::Decimals(decimals, given),
            Type::Word => Column::Words(words, self.words),
            Type::Text if !self.same.is_empty() => Column::Same(self.same),
            Type::Text => Column::Texts(texts),
            Type::Grid if !some_grids.is_empty() => Column::SomeGrids(some_grids),
            Type::Grid if !grids.is_empty() => Column::Grids(grids, given),
            Type::Grid if self.field.role == Role::Puzzle => {
                Column::Grids(records.puzzles(), records.readable())
            }
            Type::Grid => {
                let (claims, given) = records.claims.grids();
                Column::Grids(claims, given)
            }
            Type::Fault => Column::Faults(faults),
        }
    }
}

/// A row of a [`Table`]; its values are set one at a time.
#[derive(Debug)]
pub struct Row<'a> {
    table: &'a mut Table,
    row: usize,
}

impl Row<'_> {
    /// Replaces the status.
    pub fn status(&mut self, status: impl Into<u8>) -> &mut Self {
        self.table.statuses[self.row] = status.into();
        self
    }

    /// Sets the reason why there is no answer.
    #[inline]
    pub fn error(&mut self, fault: impl Into<Option<Fault>>) -> &mut Self {
        self.fault(&Field::ERROR, fault)
    }

    /// Sets a fault, unless the row already has one.
    #[inline]
    pub fn fault(&mut self, field: &Field, fault: impl Into<Option<Fault>>) -> &mut Self {
        if let Some(fault) = fault.into()
            && let Some(memory) = self.table.memory(field, Type::Fault)
        {
            memory.faults.insert(self.row, fault);
        }
        self
    }

    /// Sets a number.
    #[inline]
    pub fn number(&mut self, field: &Field, number: u64) -> &mut Self {
        self.number_with(field, || number)
    }

    /// Sets a number, which is computed only if the table has the column.
    #[inline]
    pub fn number_with(&mut self, field: &Field, number: impl FnOnce() -> u64) -> &mut Self {
        if let Some(memory) = self.table.memory(field, Type::Number) {
            put((&mut memory.numbers, &mut memory.given), self.row, number(), true, 0);
        }
        self
    }

    /// Leaves the puzzle and clues of this row blank, instead of showing those of the record.
    pub fn no_puzzle(&mut self) -> &mut Self {
        if let Some(memory) = self.table.memory(&Field::CLUES, Type::Number) {
            put((&mut memory.numbers, &mut memory.given), self.row, 0, false, 0);
        }
        self.grid(&Field::PUZZLE, None)
    }

    /// Sets a decimal number.
    pub fn decimal(&mut self, field: &Field, number: f64) -> &mut Self {
        if let Some(memory) = self.table.memory(field, Type::Decimal) {
            put((&mut memory.decimals, &mut memory.given), self.row, number, true, 0.0);
        }
        self
    }

    /// Sets one of a column's words by its index.
    pub fn word(&mut self, field: &Field, word: impl Into<u8>, words: &'static [Label]) -> &mut Self {
        let row = self.row;
        if let Some(slot) = self.table.slot(field, Type::Word) {
            slot.words = words;
            slot.memory.words.resize(row, 0);
            slot.memory.words.push(word.into());
        }
        self
    }

    /// Sets a text.
    pub fn text(&mut self, field: &Field, text: &[u8]) -> &mut Self {
        self.text_with(field, |bytes| bytes.extend_from_slice(text))
    }

    /// Sets the text that `write` appends; `write` is called only if the table has the column.
    #[inline]
    pub fn text_with(&mut self, field: &Field, write: impl FnOnce(&mut Vec<u8>)) -> &mut Self {
        if let Some(memory) = self.table.memory(field, Type::Text) {
            memory.texts.fill(self.row);
            memory.texts.push_with(write);
        }
        self
    }

    /// Sets a grid, or a blank if there is none.
    #[inline]
    pub fn grid(&mut self, field: &Field, grid: Option<&Grid>) -> &mut Self {
        if let Some(memory) = self.table.memory(field, Type::Grid) {
            let column = (&mut memory.grids, &mut memory.given);
            put(column, self.row, *grid.unwrap_or(&Grid::EMPTY), grid.is_some(), Grid::EMPTY);
        }
        self
    }
}

/// Sets a row's value, or a blank. Earlier rows that have no value get blanks.
#[inline]
fn put<T: Copy>(
    (values, given): (&mut Vec<T>, &mut Vec<bool>),
    row: usize,
    value: T,
    is_given: bool,
    blank: T,
) {
    if row < values.len() {
        (values[row], given[row]) = (value, is_given);
        return;
    }
    if row > values.len() {
        values.resize(row, blank);
        given.resize(row, false);
    }
    values.push(value);
    given.push(is_given);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{FaultKind, Layout, Severity, Span};

    const WORDS: &[Label] =
        &[Label::new("good", "", Severity::Answered), Label::new("bad", "", Severity::Defect)];
    const COUNT: Field = Field::result("count", Type::Number, "");
    const MEAN: Field = Field::result("mean", Type::Decimal, "");
    const NAME: Field = Field::result("name", Type::Text, "");
    const OTHER: Field = Field::result("other", Type::Grid, "");
    const KNOWN: Field = Field::result("known", Type::Word, "");
    const FIELDS: &[Field] =
        &[Field::STATUS, Field::CLUES, COUNT, MEAN, NAME, Field::PUZZLE, OTHER, KNOWN, Field::ERROR];

    fn grid() -> Grid {
        "12345678.".repeat(9).parse().unwrap()
    }

    /// Returns a sudoku and two records that cannot be read.
    fn records() -> Records {
        let (mut records, fault) = (Records::default(), Fault::new(FaultKind::OpenQuote, None));
        records.push_sudoku(1, Span::default(), Layout::Line, grid());
        records.push_fault(2, Span::default(), Layout::Line, fault.clone());
        records.push_fault(3, Span::default(), Layout::Line, fault);
        records
    }

    /// Returns the columns of a finished table as texts.
    fn shown(table: &mut Table, records: &Records) -> Vec<String> {
        table.finish(records);
        let grids = |given: &[bool]| given.iter().map(|&is_given| if is_given { 'g' } else { '-' }).collect();
        let columns = table.columns(records).into_iter().map(|column| match column {
            Column::Grids(_, given) => grids(given),
            Column::SomeGrids(found) => grids(&found.iter().map(Option::is_some).collect::<Vec<_>>()),
            Column::Texts(texts) => format!("{:?}", (0..3).map(|row| texts.get(row)).collect::<Vec<_>>()),
            Column::Faults(faults) => format!("{:?}", faults.iter().map(|(row, _)| row).collect::<Vec<_>>()),
            Column::Words(words, _) => format!("{words:?}"),
            other => format!("{other:?}"),
        });
        columns.collect()
    }

    #[test]
    fn a_value_meets_its_column_by_name_and_a_row_without_one_is_blank() {
        let (mut table, records) = (Table::new(&Schema::new(FIELDS, WORDS, false)), records());
        for _ in 0..2 {
            table.clear();
            table.row(1_u8).error(Fault::new(FaultKind::OpenQuote, None));
            let unknown = Field::result("unknown", Type::Text, "");
            table
                .row(0_u8)
                .text_with(&unknown, |_| unreachable!("there is no such column"))
                .text(&NAME, b"x");
            table
                .row(0_u8)
                .word(&KNOWN, 1_u8, WORDS)
                .grid(&OTHER, Some(&grid()))
                .number(&COUNT, 7)
                .decimal(&MEAN, 0.5);
            let expected = [
                "[1, 0, 0]",
                "SomeNumbers([72, 0, 0], [true, false, false])",
                "SomeNumbers([0, 0, 7], [false, false, true])",
                "Decimals([0.0, 0.0, 0.5], [false, false, true])",
                "[None, Some([120]), None]",
                "g--",
                "--g",
                "[0, 0, 1]",
                "[0]",
            ];
            assert_eq!(shown(&mut table, &records), expected);
        }
    }

    #[test]
    fn values_of_all_rows_are_taken_and_rows_changed_later() {
        let (mut table, records) = (Table::new(&Schema::new(FIELDS, WORDS, false)), records());
        table.rows([0, 0, 1_u8].into_iter());
        let (mut numbers, mut found) = (vec![5, 6, 7], vec![None, Some(grid()), None]);
        table.take_numbers(&COUNT, &mut numbers, None);
        table.take_grids(&OTHER, &mut found);
        assert!(numbers.is_empty() && found.is_empty());
        table.row_at(1).status(1_u8).number(&COUNT, 9).grid(&Field::PUZZLE, None);
        table.set_all(&NAME, "same");
        let columns = shown(&mut table, &records);
        assert_eq!(columns[0], "[0, 1, 1]");
        assert_eq!(columns[2..3], ["Numbers([5, 9, 7])"]);
        assert_eq!(columns[4..7], ["Same(\"same\")", "---", "-g-"]);
        let given = [false, true, false];
        table.take_numbers(&COUNT, &mut vec![1, 2, 3], Some(&given));
        let columns = shown(&mut table, &records);
        assert_eq!(columns[2], "SomeNumbers([1, 2, 3], [false, true, false])");
    }

    #[test]
    fn rows_of_one_record_have_nothing_of_the_records_by_themselves() {
        let (mut table, records) = (Table::new(&Schema::new(FIELDS, WORDS, false)), records());
        table.row_of(0, 0_u8).number(&Field::CLUES, 72);
        table.row_of(0, 0_u8);
        table.row_of(2, 1_u8);
        assert_eq!(table.of(), [0, 0, 2]);
        let columns = shown(&mut table, &records);
        assert_eq!(columns[1], "SomeNumbers([72, 0, 0], [true, false, false])");
        assert_eq!(columns[5], "---");
        table.corrected.push(0, Fault::new(FaultKind::OpenQuote, None));
        table.clear_rows();
        assert!(table.is_empty() && table.of().is_empty() && table.corrected.len() == 1);
        table.clear();
        assert!(table.corrected.is_empty());
    }
}
