//! Tables of Arrow columns: finds out what each column holds, and turns record batches into rows of puzzles.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, new_empty_array};
use arrow_schema::{DataType, SchemaRef};

use super::column::{ColumnError, WithZeros, column, each_cell, restore_zeros};
use super::text::{text, texts};
use super::values::{CarriedColumn, Value, ValueRows, Values};
use super::{BinaryRows, Rows};
use crate::input::names::{self, Chosen, ColumnLook, Shows};
use crate::input::reader::Which;
use crate::input::text::notation::Notation;
use crate::input::{Columns, Framing, InputError, Look, ReadOptions, isolated};
use crate::record::FaultKind;

/// A source that delivers the columns of a table piece by piece.
pub(super) trait RecordBatches: Send {
    /// Returns the next rows of the given columns, which must be the same in every call; `None` at the end.
    fn next(&mut self, columns: &[usize]) -> Result<Option<RecordBatch>, Reason>;

    /// Returns the error in the underlying bytes, if that is why the batches ended.
    fn failure(&mut self, _name: &str) -> Option<InputError> {
        None
    }

    /// Returns the name of the format, and a description of where the next rows are.
    fn place(&self) -> (&'static str, String);

    /// Returns the number of bytes read from the file or stream so far.
    fn raw_position(&self) -> u64;

    /// Returns a warning once the end is reached, if there is one.
    fn note(&self) -> Option<&'static str> {
        None
    }
}

/// A description of what is wrong with the data, on one line.
#[derive(Debug)]
pub(super) struct Reason(pub String);

impl<E: fmt::Display> From<E> for Reason {
    fn from(error: E) -> Self {
        Self(error.to_string().split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

/// Runs work in libraries that panic on damaged data, and turns a panic into an ordinary error.
pub(super) fn unless_it_panics<T>(work: impl FnOnce() -> Result<T, Reason>) -> Result<T, Reason> {
    isolated(work).unwrap_or_else(|panicked| Err(panicked.message.into()))
}

/// Finds the columns of a table, partly from its first rows, and returns its rows. `look` returns at least the first
/// rows.
pub(super) fn open<B: RecordBatches + 'static>(
    name: &str,
    framing: Framing,
    schema: &SchemaRef,
    options: &ReadOptions,
    mut batches: B,
    look: impl FnOnce(&mut B) -> Result<Option<RecordBatch>, Reason>,
) -> Result<BinaryRows, InputError> {
    let first = look(&mut batches).map_err(|reason| damage(&mut batches, name, reason))?;
    let first = first.unwrap_or_else(|| RecordBatch::new_empty(Arc::clone(schema)));
    let first = first.slice(0, first.num_rows().min(names::ROWS_LOOKED_AT));
    let looks: Vec<_> = first.columns().iter().map(look_of).collect();
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let types: Vec<_> = schema.fields().iter().map(|field| field.data_type()).collect();
    let chosen = find_columns(name, &names, &types, options, &looks)?;
    let kind = names::kind_of_results(&names).filter(|&kind| column(new_empty_array(types[kind])).is_ok());
    let columns = Columns { names, puzzle: Some(chosen.puzzle.clone()), claim: chosen.claim.clone() };
    let opened = rows(name, framing, batches, chosen, kind);
    Ok(BinaryRows { look: Look { columns, ..opened.look }, ..opened })
}

/// Classifies the values in the first rows of a column.
fn look_of(array: &ArrayRef) -> ColumnLook {
    let values = column(Arc::clone(array)).ok();
    let without_grids = values.is_none();
    let is_something_else = without_grids && !array.data_type().is_numeric();
    let shows = |row| match values.as_ref().map(|values| values.get(row)) {
        _ if is_something_else => Shows::Other,
        Some(Value::Cells(Ok(grid))) => Shows::of_cells(grid.cells()),
        // A list of 81 numbers, one of which is not a digit, is a damaged grid; a list of any other length is not.
        Some(Value::Cells(Err(fault))) if fault.kind == FaultKind::CellNumber => Shows::Damaged,
        Some(Value::Cells(Err(_))) => Shows::Other,
        _ => Shows::of_text(&text(array, row).unwrap_or_default(), Notation::default()),
    };
    let mut look: ColumnLook = (0..array.len()).map(shows).collect();
    look.without_grids = without_grids;
    look
}

/// Chooses which columns to read.
fn find_columns(
    name: &str,
    names: &[String],
    types: &[&DataType],
    options: &ReadOptions,
    looks: &[ColumnLook],
) -> Result<Chosen, InputError> {
    let check = |columns: Range<usize>| {
        let first = &names[columns.start];
        let arrays: Vec<_> = columns.map(|at| new_empty_array(types[at])).collect();
        values_of(&arrays).map(drop).map_err(|error| InputError::Unreadable {
            name: name.to_owned(),
            what: format!("column '{first}': {error}"),
        })
    };
    let found = names::choose(name, names, options, looks);
    // If the puzzles were stored as numbers, they are lost, and the solutions beside them must not be taken for
    // puzzles.
    let is_claim = |chosen: &Chosen| names::meaning(&names[chosen.puzzle.start]) == Some(Which::Claim);
    if options.puzzle_column.is_none() && found.as_ref().map_or(true, is_claim) {
        let is_lost = |&at: &usize| {
            names[at].trim().chars().all(char::is_alphabetic)
                && types[at].is_numeric()
                && names::meaning(&names[at]) == Some(Which::Puzzle)
        };
        (0..names.len()).find(is_lost).map_or(Ok(()), |at| check(at..at + 1))?;
    }
    let chosen = found?;
    check(chosen.puzzle.clone())?;
    chosen.claim.clone().map_or(Ok(()), check)?;
    Ok(chosen)
}

/// Returns the grids of a column, or of 81 columns with one cell each.
fn values_of(arrays: &[ArrayRef]) -> Result<Arc<dyn Values>, ColumnError> {
    if let [array] = arrays { column(Arc::clone(array)) } else { each_cell(arrays) }
}

/// Returns the error for damaged data.
fn damage(batches: &mut impl RecordBatches, name: &str, Reason(reason): Reason) -> InputError {
    let (format, place) = batches.place();
    let what = format!("{format}: {place}: {reason}");
    batches.failure(name).unwrap_or_else(|| InputError::Damaged { name: name.to_owned(), what })
}

/// Returns the rows of a table whose columns are known; `kind` is the column with the kind of each row, in results.
pub(super) fn rows(
    name: &str,
    framing: Framing,
    batches: impl RecordBatches + 'static,
    chosen: Chosen,
    kind: Option<usize>,
) -> BinaryRows {
    let look = Look { has_claims: chosen.claim.is_some(), ..Look::of(framing) };
    let mut rows = TableRows {
        name: name.to_owned(),
        framing,
        batches,
        chosen,
        kind,
        columns: Vec::new(),
        carried: Vec::new(),
        rows: None,
        zeros: None,
    };
    rows.carry(&[]);
    BinaryRows { rows: Box::new(rows), look, notes: Vec::new() }
}

/// The rows of a table.
struct TableRows<B> {
    name: String,
    framing: Framing,
    batches: B,
    chosen: Chosen,
    /// The column that gives the kind of each row, in this program's own output.
    kind: Option<usize>,
    /// All columns that are read, in order; `carried` lists those to carry along.
    columns: Vec<usize>,
    carried: Vec<usize>,
    /// The rows of the latest piece that have not been handed out yet.
    rows: Option<ValueRows>,
    /// The inner value is a note if the puzzles lost their leading zeros; the outer one is `None` before the first
    /// rows.
    zeros: Option<Option<&'static str>>,
}

impl<B: RecordBatches> TableRows<B> {
    /// Returns the rows of a record batch.
    fn rows_of(&mut self, batch: &RecordBatch) -> Result<ValueRows, Reason> {
        let array = |at: usize| {
            let place = self.columns.binary_search(&at).expect("it is one of those that are read");
            Arc::clone(batch.column(place))
        };
        let values = |columns: Range<usize>| values_of(&columns.map(array).collect::<Vec<_>>());
        let mut puzzles = values(self.chosen.puzzle.clone())?;
        match self.zeros {
            Some(Some(_)) => puzzles = Arc::new(WithZeros(puzzles)),
            None if batch.num_rows() > 0 => self.zeros = Some(restore_zeros(std::iter::once(&mut puzzles))),
            _ => {}
        }
        let kinds = self.kind.map(|kind| values(kind..kind + 1)).transpose()?;
        let claims = self.chosen.claim.clone().map(values).transpose()?;
        let bytes_of = |&at: &usize| array(at).to_data().get_slice_memory_size().unwrap_or(0);
        let bytes: usize = self.carried.iter().map(bytes_of).sum();
        let carried = self.carried.iter().map(|&at| {
            let column: Arc<dyn CarriedColumn> = Arc::new((array(at), texts(&array(at))));
            (at, column)
        });
        let mut rows = ValueRows::new(self.framing, puzzles, claims);
        rows.row_bytes += bytes / batch.num_rows().max(1);
        (rows.kinds, rows.carried) = (kinds, carried.collect());
        Ok(rows)
    }
}

impl<B: RecordBatches> Rows for TableRows<B> {
    fn next(&mut self, target: usize) -> Result<Option<ValueRows>, InputError> {
        loop {
            if let Some(block) = self.rows.as_mut().and_then(|rows| rows.take(target)) {
                return Ok(Some(block));
            }
            let rows = unless_it_panics(|| {
                let batch = self.batches.next(&self.columns)?;
                batch.map(|batch| self.rows_of(&batch)).transpose()
            });
            self.rows = rows.map_err(|reason| damage(&mut self.batches, &self.name, reason))?;
            if self.rows.is_none() {
                return Ok(None);
            }
        }
    }

    fn carry(&mut self, columns: &[Option<usize>]) {
        self.carried = columns.iter().copied().flatten().collect();
        let claim = self.chosen.claim.clone().into_iter().flatten();
        let read = self.chosen.puzzle.clone().chain(claim).chain(self.kind);
        self.columns =
            read.chain(self.carried.iter().copied()).collect::<BTreeSet<_>>().into_iter().collect();
    }

    fn raw_position(&self) -> u64 {
        self.batches.raw_position()
    }

    fn note(&self) -> Option<String> {
        let notes: Vec<_> = self.batches.note().into_iter().chain(self.zeros.flatten()).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, Int64Array, StringArray};

    use super::super::testing::*;
    use super::{Columns, InputError, ReadOptions};
    use crate::input::Source;

    /// Opens a table with these columns.
    fn open(columns: &[(&str, ArrayRef)]) -> Result<Source, InputError> {
        Source::from_reader("t", Cursor::new(ipc(&batch_of(columns))), &hashing())
    }

    fn read(columns: &[(&str, ArrayRef)]) -> Vec<String> {
        drain(open(columns), 81)
    }

    #[test]
    fn a_column_is_found_by_its_name_its_content_or_what_is_asked_for() {
        // P stands for puzzles, S for solutions, N for numbers.
        let column = |kind| -> ArrayRef {
            match kind {
                'P' => texts(PUZZLES, 8),
                'S' => texts([Some(SOLUTION); 4], 8),
                _ => Arc::new(Int64Array::from_iter_values(1000..1008)),
            }
        };
        for (header, kinds, expected) in [
            ("id,puzzle,solution", "NPS", "Some(1..2) Some(2..3)"),
            ("a,b,c", "NPS", "Some(1..2) Some(2..3)"),
            ("puzzle,solution", "PN", "Some(0..1) None"),
            ("quizzes,solutions", "NS", "t: column 'quizzes': a column of Int64 holds no puzzles"),
            ("a,b", "NN", "t: no column of puzzles found (columns seen: a, b)"),
        ] {
            let columns: Vec<_> = header.split(',').zip(kinds.chars().map(column)).collect();
            let found = match open(&columns).map(|source| source.columns()) {
                Ok(Columns { puzzle, claim, .. }) => format!("{puzzle:?} {claim:?}"),
                Err(error) => error.to_string(),
            };
            assert!(found.starts_with(expected), "{header} {kinds}: {found}");
        }
        let columns = batch_of(&[("a", column('P')), ("b", column('S'))]);
        let options = ReadOptions { puzzle_column: Some("B".to_owned()), ..hashing() };
        let asked = Source::from_reader("t", Cursor::new(ipc(&columns)), &options).expect("a column");
        assert_eq!(asked.columns().puzzle, Some(1..2));
    }

    #[test]
    fn cells_in_columns_of_their_own_are_grids_and_puzzles_that_became_numbers_are_named() {
        let column = |cell: usize| -> ArrayRef {
            let cell = [PUZZLE, SOLUTION].concat().as_bytes()[cell] - b'0';
            Arc::new(Int64Array::from(vec![i64::from(cell); 3]))
        };
        let names: Vec<String> = (0..162).map(|at| format!("c{at}")).collect();
        let columns: Vec<_> = names.iter().map(String::as_str).zip((0..162).map(column)).collect();
        assert_eq!(read(&columns), ["P > S"; 3]);
        let mangled: ArrayRef = Arc::new(Float64Array::from(vec![4.3e78, 1e80]));
        let error = read(&[("quizzes", mangled), ("solutions", texts(CLAIMS, 2))]).concat();
        assert!(error.starts_with("refused: t: column 'quizzes': a column of Float64 holds no"), "{error}");
    }

    /// PROMISE: lost-zeros
    #[test]
    fn zeros_come_back_and_cases_of_results_are_invalid() {
        let whole = format!("48{}", &PUZZLE[2..]);
        let lost = texts([Some(&PUZZLE[2..]), Some(&whole), Some(&PUZZLE[2..]), Some(&PUZZLE[2..])], 8);
        let restored = read(&[("puzzle", lost)]);
        assert!(restored[8].starts_with("note: t: "), "{restored:?}");
        assert_eq!([&restored[0], &restored[7]], ["P"; 2]);
        let text = |text: &str| -> ArrayRef { Arc::new(StringArray::from(vec![text; 2])) };
        let mut results: Vec<(&str, ArrayRef)> =
            ["id", "source", "line", "status"].map(|name| (name, text("1"))).into();
        let kinds: ArrayRef = Arc::new(StringArray::from(vec!["sudominoku", "sudoku"]));
        results.extend([("kind", kinds), ("puzzle", text(PUZZLE))]);
        let case = "1:1: a sudominoku, whose dominoes are not in a file of results (expected a sudoku)";
        assert_eq!(read(&results), [case, "P"]);
        assert_eq!(read(&[("puzzle", texts(PUZZLES, 4)), ("solution", texts(CLAIMS, 4))]), expected(4));
    }
}
