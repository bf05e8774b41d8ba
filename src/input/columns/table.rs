//! Tables whose columns are Arrow's: which column is what, and record batches as rows of puzzles.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, new_empty_array};
use arrow_schema::{DataType, Schema};

use super::column::{ColumnError, column, each_cell, restore_zeros, with_restored_zeros};
use super::opened::{BinaryRows, NO_ROWS};
use super::values::{CarriedColumn, Value, ValueRows, Values};
use crate::input::names::{self, Chosen, ColumnLook, ROWS_LOOKED_AT};
use crate::input::reader::{RowBlock, Rows, Which};
use crate::input::text::notation::Notation;
use crate::input::{Columns, Framing, InputError, ReadOptions, isolated, listed};
use crate::record::FaultKind;
use crate::sudoku::CELLS;

/// What gives the columns of a table, piece by piece.
pub(super) trait RecordBatches: Send {
    /// The first rows of some columns, which stay to be read: as many as are looked at if there are so many.
    fn look(&mut self, columns: &[usize]) -> Result<Vec<ArrayRef>, InputError>;

    /// Has the next rows be those of these columns, in order.
    fn choose(&mut self, columns: Vec<usize>);

    /// The next rows; `None` at the end.
    fn next(&mut self) -> Result<Option<RecordBatch>, InputError>;

    /// The error for what is wrong with those.
    fn damaged(&mut self, reason: String) -> InputError;

    /// Bytes of the file or stream that were taken in.
    fn raw_position(&self) -> u64;

    /// What is worth a warning once it ended.
    fn note(&self) -> Option<&'static str> {
        None
    }
}

/// Finds the columns of a table and gives its rows.
pub(super) fn open(
    name: &str,
    framing: Framing,
    schema: &Schema,
    options: &ReadOptions,
    mut batches: impl RecordBatches + 'static,
) -> Result<BinaryRows, InputError> {
    let looks = looks(schema, |columns| batches.look(columns))?;
    let chosen = find_columns(name, schema, options, &looks)?;
    let names = names_of(schema);
    let kind = names::are_results(&names).then(|| names.iter().position(|name| name == "kind")).flatten();
    let kind = kind.filter(|&kind| column(new_empty_array(schema.field(kind).data_type())).is_ok());
    let (puzzle, claim) = (Some(chosen.puzzle.clone()), chosen.claim.clone());
    let mut rows = TableRows {
        name: name.to_owned(),
        framing,
        batches,
        chosen,
        kind,
        carried: Vec::new(),
        rows: None,
        has_rows: false,
        zeros: None,
    };
    rows.carry(&[]);
    let (columns, has_claims) = (Columns { names, puzzle, claim }, rows.chosen.claim.is_some());
    Ok(BinaryRows { rows: Box::new(rows), columns, has_claims, notes: Vec::new() })
}

fn names_of(schema: &Schema) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

/// What the first rows show of each column. One whose type holds neither grids nor cells holds something else, and is not
/// looked at.
fn looks(
    schema: &Schema,
    look: impl FnOnce(&[usize]) -> Result<Vec<ArrayRef>, InputError>,
) -> Result<Vec<ColumnLook>, InputError> {
    let unseen = |kind: &DataType| {
        let without_grids = column(new_empty_array(kind)).is_err();
        let is_other = without_grids && !kind.is_numeric();
        ColumnLook { seen: usize::from(is_other), without_grids, ..ColumnLook::default() }
    };
    let mut looks: Vec<_> = schema.fields().iter().map(|field| unseen(field.data_type())).collect();
    let columns: Vec<usize> = (0..looks.len()).filter(|&at| looks[at].seen == 0).collect();
    for (at, array) in columns.iter().zip(look(&columns)?) {
        looks[*at] = look_of(&array);
    }
    Ok(looks)
}

/// What the first rows of a column show.
fn look_of(array: &ArrayRef) -> ColumnLook {
    let values = column(Arc::clone(array)).ok();
    let mut look = ColumnLook { without_grids: values.is_none(), ..ColumnLook::default() };
    let mut buffer = String::new();
    for row in 0..array.len().min(ROWS_LOOKED_AT) {
        match values.as_ref().map(|values| values.get(row)) {
            Some(Value::Cells(Ok(grid))) => look.add_grid(grid.clues() as usize == CELLS),
            // A list of 81 numbers of which one is no digit is a damaged grid; one of others is something else.
            Some(Value::Cells(Err(fault))) => {
                look.seen += 1;
                look.damaged += usize::from(fault.kind == FaultKind::CellNumber);
            }
            _ => look.add_text(array.text(row, &mut buffer).unwrap_or_default(), Notation::default()),
        }
    }
    look
}

/// Chooses the columns that are read.
fn find_columns(
    name: &str,
    schema: &Schema,
    options: &ReadOptions,
    looks: &[ColumnLook],
) -> Result<Chosen, InputError> {
    let names = names_of(schema);
    // Why columns cannot be read, if that is so.
    let refused = |columns: Range<usize>| {
        let first = names.get(columns.start)?;
        let arrays = columns.map(|at| new_empty_array(schema.field(at).data_type()));
        let error = values_of(arrays.collect()).err()?;
        Some(InputError::Unreadable { name: name.to_owned(), what: format!("column '{first}': {error}") })
    };
    let found = names::choose(name, &names, options, looks);
    // Puzzles that were taken for numbers are lost, and the solutions beside them are no puzzles.
    let is_meant = match &found {
        Ok(chosen) => names::meaning(&names[chosen.puzzle.start]) == Some(Which::Claim),
        Err(_) => true,
    };
    let is_lost = |at: usize| {
        let is_word = names[at].trim().chars().all(char::is_alphabetic);
        is_word
            && schema.field(at).data_type().is_numeric()
            && names::meaning(&names[at]) == Some(Which::Puzzle)
    };
    if options.puzzle_column.is_none()
        && is_meant
        && let Some(at) = (0..names.len()).find(|&at| is_lost(at))
        && let Some(error) = refused(at..at + 1)
    {
        return Err(error);
    }
    let chosen = match found {
        Err(InputError::NoPuzzleColumn { .. }) if let Some(what) = structs(schema, options) => {
            return Err(InputError::Unreadable { name: name.to_owned(), what });
        }
        other => other?,
    };
    match refused(chosen.puzzle.clone()).or_else(|| refused(chosen.claim.clone()?)) {
        Some(error) => Err(error),
        None => Ok(chosen),
    }
}

/// What is said of a column of structs, if there is one that is wanted: their fields are no columns.
fn structs(schema: &Schema, options: &ReadOptions) -> Option<String> {
    let wanted = options.puzzle_column.as_deref();
    let is_wanted = |name: &str| wanted.is_none_or(|wanted| wanted.split('.').next() == Some(name));
    let mut fields = schema.fields().iter().filter(|field| is_wanted(field.name()));
    fields.find_map(|field| {
        let DataType::Struct(inner) = field.data_type() else { return None };
        let inner: Vec<String> = inner.iter().map(|inner| inner.name().clone()).collect();
        let (name, inner) = (field.name(), listed(&inner));
        Some(format!(
            "column '{name}' holds structs, which are not read (write their fields as columns, \
             as unnest does in DuckDB and Polars; fields seen: {inner})"
        ))
    })
}

/// The grids of a column, or of 81 of a cell each.
fn values_of(arrays: Vec<ArrayRef>) -> Result<Arc<dyn Values>, ColumnError> {
    match <[ArrayRef; 1]>::try_from(arrays) {
        Ok([array]) => column(array),
        Err(arrays) => each_cell(arrays),
    }
}

/// The rows of a table.
struct TableRows<B> {
    name: String,
    framing: Framing,
    batches: B,
    chosen: Chosen,
    /// In this program's own results: the column that says what each row is.
    kind: Option<usize>,
    /// The columns that are carried along.
    carried: Vec<usize>,
    /// The rows of the last piece that are still to be handed out.
    rows: Option<ValueRows>,
    has_rows: bool,
    /// What is said if the puzzles were taken for numbers and lost their leading zeros.
    zeros: Option<&'static str>,
}

impl<B: RecordBatches> TableRows<B> {
    /// The columns that are read, in order, with those that are carried along.
    fn columns(&self) -> Vec<usize> {
        let claim = self.chosen.claim.clone().into_iter().flatten();
        let read = self.chosen.puzzle.clone().chain(claim).chain(self.kind);
        let mut all: Vec<usize> = read.chain(self.carried.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The rows of the next piece. Damaged data makes packages that read it panic, too; that is an error as any other.
    fn next_rows(&mut self) -> Result<Option<ValueRows>, InputError> {
        let read = isolated(|| {
            let batch = self.batches.next()?;
            Ok(batch.map(|batch| self.rows_of(&batch)))
        });
        read.unwrap_or_else(|panicked| Err(self.batches.damaged(panicked.message)))
    }

    fn rows_of(&mut self, batch: &RecordBatch) -> ValueRows {
        let all = self.columns();
        let array = |at: usize| {
            let place = all.iter().position(|&column| column == at);
            Arc::clone(batch.column(place.expect("it is one of those that are read")))
        };
        let values = |columns: Range<usize>| {
            values_of(columns.map(array).collect()).expect("columns of that type were found to be readable")
        };
        let carried = self.carried.iter().map(|&at| (at, Arc::new(array(at)) as Arc<dyn CarriedColumn>));
        let mut puzzles = values(self.chosen.puzzle.clone());
        if self.zeros.is_some() {
            puzzles = with_restored_zeros(puzzles);
        } else if !self.has_rows {
            self.zeros = restore_zeros(std::iter::once(&mut puzzles));
        }
        self.has_rows |= batch.num_rows() > 0;
        let claims = self.chosen.claim.clone().map(values);
        let kinds = self.kind.map(|kind| values(kind..kind + 1));
        ValueRows::new(self.framing, puzzles, claims).beside(kinds, carried.collect())
    }
}

impl<B: RecordBatches> Rows for TableRows<B> {
    fn next(&mut self, target: usize) -> Result<Option<RowBlock>, InputError> {
        loop {
            if let Some(block) = self.rows.as_mut().and_then(|rows| rows.take(target)) {
                return Ok(Some(block));
            }
            self.rows = self.next_rows()?;
            if self.rows.is_none() {
                // Of this program's own results there may be none.
                let is_empty = !self.has_rows && self.kind.is_none();
                let what = || InputError::Unreadable { name: self.name.clone(), what: NO_ROWS.to_owned() };
                return if is_empty { Err(what()) } else { Ok(None) };
            }
        }
    }

    fn carry(&mut self, columns: &[Option<usize>]) {
        self.carried = columns.iter().copied().flatten().collect();
        self.batches.choose(self.columns());
    }

    fn raw_position(&self) -> u64 {
        self.batches.raw_position()
    }

    fn note(&self) -> Option<String> {
        let notes: Vec<_> = self.batches.note().into_iter().chain(self.zeros).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{Float64Array, Int64Array, StringArray, StructArray};

    use super::super::testing::arrow::{CLAIMS, PUZZLES, batch_of, texts};
    use super::super::testing::{PUZZLE, SOLUTION, dotted, drain};
    use super::*;
    use crate::input::Hash;

    /// One batch in memory.
    struct InMemory {
        batch: Option<RecordBatch>,
        columns: Vec<usize>,
    }

    impl RecordBatches for InMemory {
        fn look(&mut self, columns: &[usize]) -> Result<Vec<ArrayRef>, InputError> {
            let batch = self.batch.as_ref().expect("it is looked at first");
            Ok(columns.iter().map(|&at| Arc::clone(batch.column(at))).collect())
        }

        fn choose(&mut self, columns: Vec<usize>) {
            self.columns = columns;
        }

        fn next(&mut self) -> Result<Option<RecordBatch>, InputError> {
            Ok(self.batch.take().map(|batch| batch.project(&self.columns).expect("they are there")))
        }

        fn damaged(&mut self, _: String) -> InputError {
            unreachable!("memory is whole")
        }

        fn raw_position(&self) -> u64 {
            0
        }
    }

    fn open_with(batch: &RecordBatch, options: &ReadOptions) -> Result<BinaryRows, String> {
        let batches = InMemory { batch: Some(batch.clone()), columns: Vec::new() };
        open("t", Framing::Arrow, &batch.schema(), options, batches).map_err(|error| error.to_string())
    }

    /// The columns of the puzzles and of the claims, counted from 1.
    fn found(batch: &RecordBatch, puzzle: &str, solution: &str) -> Result<(usize, Option<usize>), String> {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let (puzzle_column, solution_column) = (some(puzzle), some(solution));
        let options = ReadOptions { puzzle_column, solution_column, ..ReadOptions::default() };
        let columns = open_with(batch, &options)?.columns;
        let first = |columns: Range<usize>| columns.start + 1;
        Ok((columns.puzzle.map_or(0, first), columns.claim.map(first)))
    }

    #[test]
    fn a_column_is_found_by_its_name_its_content_or_what_is_asked_for() {
        // P are puzzles, S solutions, N numbers.
        let table = |header: &str, kinds: &str| {
            let columns = header.split(',').zip(kinds.chars()).map(|(name, kind)| {
                let array: ArrayRef = match kind {
                    'P' => texts(PUZZLES, 8),
                    'S' => texts([Some(SOLUTION); 4], 8),
                    _ => Arc::new(Int64Array::from_iter_values(1000..1008)),
                };
                (name, array)
            });
            batch_of(&columns.collect::<Vec<_>>())
        };
        for (header, kinds, puzzle, solution, expected) in [
            ("id,puzzle,solution", "NPS", "", "", Ok((2, Some(3)))),
            ("solutions,Question,ANSWER", "NPS", "", "", Ok((2, Some(3)))),
            ("a, b,c", "NPS", "", "", Ok((2, Some(3)))),
            ("solved,unsolved", "SP", "", "", Ok((2, Some(1)))),
            ("puzzle,solution", "PN", "", "", Ok((1, None))),
            ("id,solution", "NS", "", "", Ok((2, None))),
            ("puzzle_id,solution", "NS", "", "", Ok((2, None))),
            ("a,B,c", "NPS", "b", "3", Ok((2, Some(3)))),
            ("a,B,c", "NPS", "C", "2", Ok((3, Some(2)))),
            ("a,b,c", "NPS", "d", "", Err("t: no column 'd' (columns seen: a, b, c)")),
            ("a,b,c", "NPS", "", "4", Err("t: no column '4' (columns seen: a, b, c)")),
            ("a,b,c", "NPS", "a", "", Err("t: column 'a': a column of Int64 holds no puzzles")),
            (
                "quizzes,solutions",
                "NS",
                "",
                "",
                Err("t: column 'quizzes': a column of Int64 holds no puzzles"),
            ),
            ("a,b", "NN", "", "", Err("t: no column of puzzles found (columns seen: a, b)")),
        ] {
            let found = found(&table(header, kinds), puzzle, solution);
            let as_expected = match (&found, expected) {
                (Err(error), Err(start)) => error.starts_with(start),
                (found, expected) => found.as_ref().ok() == expected.as_ref().ok(),
            };
            assert!(as_expected, "{header} {kinds}: {found:?}");
        }
    }

    #[test]
    fn what_was_taken_for_numbers_and_what_is_in_structs_is_named() {
        let mangled: ArrayRef = Arc::new(Float64Array::from(vec![4.3e78, 1e80]));
        let error = found(&batch_of(&[("quizzes", mangled), ("solutions", texts(CLAIMS, 2))]), "", "");
        assert!(error.expect_err("numbers").contains("column 'quizzes': a column of Float64"));
        let inner = batch_of(&[("puzzle", texts(PUZZLES, 2)), ("solution", texts(CLAIMS, 2))]);
        let structs = batch_of(&[("item", Arc::new(StructArray::from(inner)))]);
        let said = "t: column 'item' holds structs, which are not read (write their fields as columns, \
                    as unnest does in DuckDB and Polars; fields seen: puzzle, solution)";
        for wanted in ["", "item.puzzle"] {
            assert_eq!(found(&structs, wanted, "").expect_err("structs"), said);
        }
    }

    #[test]
    fn cells_in_columns_of_their_own_are_grids() {
        let column = |grid: &str, cell: usize| -> ArrayRef {
            Arc::new(Int64Array::from(vec![i64::from(grid.as_bytes()[cell] - b'0'); 3]))
        };
        let names: Vec<String> = (0..162).map(|at| format!("c{at}")).collect();
        let cells = (0..162).map(|at| if at < 81 { column(PUZZLE, at) } else { column(SOLUTION, at - 81) });
        let batch = batch_of(&names.iter().map(String::as_str).zip(cells).collect::<Vec<_>>());
        let opened = open_with(&batch, &ReadOptions::default()).expect("cells");
        assert_eq!((&opened.columns.puzzle, &opened.columns.claim), (&Some(0..81), &Some(81..162)));
        let reading = drain(opened, 1000, &[], &Hash::new(false));
        assert_eq!((reading.puzzles, reading.claims), (vec![dotted(); 3], vec![SOLUTION.to_owned(); 3]));
    }

    #[test]
    fn zeros_come_back_and_cases_of_results_are_invalid_and_no_rows_are_an_error() {
        let whole = format!("48{}", &PUZZLE[2..]);
        let lost = texts([Some(&PUZZLE[2..]), Some(&whole), Some(&PUZZLE[2..]), None], 3);
        let read = |columns: &[(&str, ArrayRef)]| {
            let opened = open_with(&batch_of(columns), &ReadOptions::default()).expect("puzzles");
            drain(opened, 81, &[], &Hash::new(false))
        };
        let reading = read(&[("puzzle", lost)]);
        assert_eq!((reading.puzzles[0].clone(), reading.notes.len()), (dotted(), 1));
        let text = |text: &str| -> ArrayRef { Arc::new(StringArray::from(vec![text])) };
        let mut results: Vec<(&str, ArrayRef)> =
            ["id", "source", "line", "status"].map(|name| (name, text("1"))).into();
        results.extend([("kind", text("sudominoku")), ("puzzle", text(PUZZLE))]);
        let case = "1:1: a sudominoku, whose dominoes are not in a file of results (expected a sudoku)";
        assert_eq!(read(&results).puzzles, [case]);
        let empty = |columns: &mut [(&str, ArrayRef)]| {
            for (_, array) in columns.iter_mut() {
                *array = array.slice(0, 0);
            }
            read(columns)
        };
        assert_eq!(empty(&mut results).error, None);
        let error = empty(&mut [("puzzle", text(PUZZLE))]).error;
        assert_eq!(error.as_deref(), Some("t: has no rows (expected puzzles)"));
    }
}
