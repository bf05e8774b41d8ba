//! Tables whose columns are Arrow's: which column is what, and record batches as rows of puzzles.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, new_empty_array};
use arrow_schema::Schema;

use super::arrow_column::column;
use super::batch::BatchSource;
use super::binary::{BinaryRows, Known};
use super::csv::{PUZZLE_NAMES, RESULT_NAMES, SOLUTION_NAMES};
use super::error::listed;
use super::values::{CarriedColumn, Value, ValueRecords, Values};
use super::{Batch, Columns, InputError, Position, ReadOptions, SourceInfo, cells, isolated};
use crate::sudoku::{CELLS, Grid};

/// Rows that are looked at where names do not say which column is what.
pub(super) const ROWS_LOOKED_AT: usize = 200;

/// Which columns of a table are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub puzzle: usize,
    pub claim: Option<usize>,
    /// In this program's own results: what each row is.
    pub kind: Option<usize>,
    /// What is said of an input whose claimed solutions are wanted and not found.
    pub unclaimed: Option<String>,
}

impl Chosen {
    /// Finds the columns: those asked for, those with the names that known datasets give them, or those whose first
    /// rows show it. `look` gives the first rows of some columns.
    pub fn find(
        name: &str,
        schema: &Schema,
        options: &ReadOptions,
        mut look: impl FnMut(&[usize]) -> Result<Vec<ArrayRef>, InputError>,
    ) -> Result<Self, InputError> {
        let names: Vec<String> =
            schema.fields().iter().map(|field| field.name().trim().to_lowercase()).collect();
        let columns = || schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
        let unreadable = |at: usize| column(new_empty_array(schema.field(at).data_type())).err();
        let named = |wanted: &str| names.iter().position(|name| name == wanted);
        let asked_for = |wanted: &str| {
            let number =
                || wanted.trim().parse::<usize>().ok()?.checked_sub(1).filter(|&at| at < names.len());
            named(&wanted.trim().to_lowercase()).or_else(number)
        };
        let is_readable = |&at: &usize| unreadable(at).is_none();

        let candidates: Vec<usize> = (0..names.len()).filter(is_readable).collect();
        let mut looked_at: Option<Vec<(usize, Arc<dyn Values>)>> = None;
        // The column, of those that can be read, of whose first rows most are grids of some kind.
        let mut best = |but: Option<usize>, is_such: &dyn Fn(&Grid) -> bool| {
            if looked_at.is_none() {
                let arrays = look(&candidates)?;
                let values = arrays.into_iter().filter_map(|array| column(array).ok());
                looked_at = Some(candidates.iter().copied().zip(values).collect());
            }
            let values = looked_at.iter().flatten().filter(|&&(at, _)| Some(at) != but);
            let counts = values.map(|(at, values)| {
                let rows = values.len().min(ROWS_LOOKED_AT);
                let grids = (0..rows).filter_map(|row| grid_of(&values.get(row)));
                (grids.filter(|grid| is_such(grid)).count(), *at, rows)
            });
            // Of equals the first: `max_by_key` takes the last.
            Ok::<_, InputError>(counts.collect::<Vec<_>>().into_iter().rev().max_by_key(|&(count, ..)| count))
        };

        let puzzle = match &options.puzzle_column {
            Some(wanted) => asked_for(wanted),
            None => match PUZZLE_NAMES.into_iter().filter_map(named).find(is_readable) {
                Some(puzzle) => Some(puzzle),
                None => best(None, &|grid| (grid.clues() as usize) < CELLS)?
                    .filter(|&(count, ..)| count > 0)
                    .map(|(_, at, _)| at),
            },
        };
        let Some(puzzle) = puzzle else {
            let wanted = options.puzzle_column.clone();
            return Err(InputError::NoPuzzleColumn { name: name.to_owned(), columns: columns(), wanted });
        };
        let claim = match &options.solution_column {
            Some(wanted) => Some(asked_for(wanted).ok_or_else(|| InputError::NoSolutionColumn {
                name: name.to_owned(),
                columns: columns(),
                wanted: wanted.clone(),
            })?),
            None => {
                let is_meant = |at: &usize| *at != puzzle && is_readable(at);
                match SOLUTION_NAMES.into_iter().filter_map(named).find(is_meant) {
                    Some(claim) => Some(claim),
                    None => best(Some(puzzle), &|grid| grid.clues() as usize == CELLS)?
                        .filter(|&(count, _, rows)| 2 * count > rows)
                        .map(|(_, at, _)| at),
                }
            }
        };
        // What was asked for by name may be no column of cells.
        for at in std::iter::once(puzzle).chain(claim) {
            if let Some(error) = unreadable(at) {
                let what = format!("column '{}': {error}", schema.field(at).name());
                return Err(InputError::Unreadable { name: name.to_owned(), what });
            }
        }
        let is_results = RESULT_NAMES.into_iter().all(|name| named(name).is_some());
        let kind = named("kind").filter(|at| is_results && is_readable(at));
        let unclaimed = (options.claims && claim.is_none()).then(|| {
            let columns = listed(&columns());
            format!("no column of solutions found; name it with --solution-column (columns seen: {columns})")
        });
        Ok(Self { puzzle, claim, kind, unclaimed })
    }

    /// The columns that are read, in order, with those that are carried along.
    fn all(&self, carried: &[usize]) -> Vec<usize> {
        let read = std::iter::once(self.puzzle).chain(self.claim).chain(self.kind);
        let mut all: Vec<usize> = read.chain(carried.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The grid that a value is, if it is one.
fn grid_of(value: &Value<'_>) -> Option<Grid> {
    match value {
        Value::Missing => None,
        Value::Text(text) => cells::grid(text.trim_ascii(), &cells::PUZZLE).ok(),
        Value::Cells(cells) => cells.clone().ok(),
    }
}

/// What gives the columns of a table, piece by piece.
pub(super) trait RecordBatches: Send {
    /// Has the next rows be those of these columns, in order.
    fn choose(&mut self, columns: Vec<usize>);

    /// The next rows; `None` at the end.
    fn next(&mut self) -> Result<Option<RecordBatch>, InputError>;

    /// The error for what is wrong with those.
    fn damaged(&mut self, reason: String) -> InputError;

    /// Bytes of the file or stream that were taken in.
    fn raw_position(&self) -> u64;

    /// What is worth a warning once it ended.
    fn note(&self) -> Option<String> {
        None
    }
}

/// The rows of a table.
struct ArrowRows<B> {
    name: String,
    batches: B,
    chosen: Chosen,
    /// The columns that are carried along.
    carried: Vec<usize>,
    /// Where the first row is that is handed out.
    from: Position,
    /// The rows of the last piece that are still to be handed out.
    rows: Option<ValueRecords>,
    /// Rows of all pieces so far.
    done: u64,
}

/// Gives the rows from one on, of batches that have so many rows behind them.
pub(super) fn opened(
    name: &str,
    batches: impl RecordBatches + 'static,
    schema: &Schema,
    chosen: Chosen,
    from: Position,
    done: u64,
) -> BinaryRows {
    let names = schema.fields().iter().map(|field| field.name().clone()).collect();
    let columns = Columns { names, puzzle: Some(chosen.puzzle), claim: chosen.claim };
    let known = Known { has_claims: columns.claim.is_some(), columns };
    let name = name.to_owned();
    let mut rows = ArrowRows { name, batches, chosen, carried: Vec::new(), from, rows: None, done };
    rows.carry(&[]);
    BinaryRows { batches: Box::new(rows), known, notes: Vec::new() }
}

impl<B: RecordBatches> ArrowRows<B> {
    /// The rows of the next piece. Damaged data makes packages that read it panic, too; that is an error as any other.
    fn next_rows(&mut self) -> Result<Option<ValueRecords>, InputError> {
        let read = isolated(|| {
            let batch = self.batches.next()?;
            Ok(batch.map(|batch| self.rows_of(&batch)))
        });
        read.unwrap_or_else(|panicked| Err(self.batches.damaged(panicked.message)))
    }

    fn rows_of(&mut self, batch: &RecordBatch) -> ValueRecords {
        let all = self.chosen.all(&self.carried);
        let array = |at: usize| {
            let place = all.iter().position(|&column| column == at);
            Arc::clone(batch.column(place.expect("it is one of those that are read")))
        };
        let values = |at: usize| column(array(at)).expect("a column of that type was found to be readable");
        let carried = self.carried.iter().map(|&at| (at, Arc::new(array(at)) as Arc<dyn CarriedColumn>));
        let rows = ValueRecords::new(values(self.chosen.puzzle), self.chosen.claim.map(values));
        let mut rows = rows.within(self.done, self.chosen.kind.map(values), carried.collect());
        rows.leave_out(usize::try_from(self.from.records.saturating_sub(self.done)).unwrap_or(usize::MAX));
        self.done += batch.num_rows() as u64;
        rows
    }
}

impl<B: RecordBatches> BatchSource for ArrowRows<B> {
    fn next_batch(
        &mut self,
        source: &Arc<SourceInfo>,
        mut buffer: Vec<u8>,
        target: usize,
    ) -> Result<Option<Batch>, InputError> {
        buffer.clear();
        loop {
            if let Some(rows) = &mut self.rows
                && let Some(batch) = rows.take(source, std::mem::take(&mut buffer), target)
            {
                return Ok(Some(batch));
            }
            self.rows = self.next_rows()?;
            if self.rows.is_none() {
                let (name, offset) = (self.name.clone(), self.from.offset);
                let is_shorter = self.done < self.from.records;
                return if is_shorter { Err(InputError::Shorter { name, offset }) } else { Ok(None) };
            }
        }
    }

    fn carry(&mut self, columns: &[Option<usize>]) {
        self.carried = columns.iter().copied().flatten().collect();
        self.batches.choose(self.chosen.all(&self.carried));
    }

    fn raw_position(&self) -> u64 {
        self.batches.raw_position()
    }

    fn note(&self) -> Option<String> {
        let unclaimed = self.chosen.unclaimed.clone().filter(|_| self.done > 0);
        match (self.batches.note(), unclaimed) {
            (Some(one), Some(other)) => Some(format!("{one}; {other}")),
            (one, other) => one.or(other),
        }
    }
}

/// What the tests of the formats share.
#[cfg(test)]
pub(super) mod testing {
    use arrow_array::StringArray;
    use arrow_schema::{Field, Schema};

    use super::*;
    use crate::input::testing::PUZZLE;

    pub const SOLUTION: &str =
        "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

    /// Puzzles that take turns, good and bad.
    pub const PUZZLES: [Option<&str>; 4] = [
        Some(PUZZLE),
        None,
        Some("12"),
        Some("q03000509002109400000704000300502006060000050700803004000401000009205800804000107"),
    ];

    /// What they claim.
    pub const CLAIMS: [Option<&str>; 4] = [Some(SOLUTION), None, Some(SOLUTION), None];

    /// So many texts, which take turns.
    pub fn texts(texts: [Option<&str>; 4], rows: usize) -> ArrayRef {
        Arc::new(texts.into_iter().cycle().take(rows).collect::<StringArray>())
    }

    /// What the puzzles and the claims are read as.
    pub fn expected(rows: usize) -> (Vec<String>, Vec<String>) {
        let show = |row: usize| match row % 4 {
            0 => PUZZLE.replace('0', "."),
            1 => format!("{}:1: 0 cells (expected 81)", row + 1),
            2 => format!("{}:3: 2 cells (expected 81)", row + 1),
            _ => format!("{}:1: invalid character 'q' (expected 1-9, 0 or .)", row + 1),
        };
        let claim = |row: usize| if row.is_multiple_of(4) { SOLUTION } else { "missing" }.to_owned();
        ((0..rows).map(show).collect(), (0..rows).map(claim).collect())
    }

    pub fn batch_of(columns: &[(&str, ArrayRef)]) -> RecordBatch {
        let field = |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
        let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
        let arrays = columns.iter().map(|(_, array)| Arc::clone(array)).collect();
        RecordBatch::try_new(Arc::new(schema), arrays).expect("columns of one length")
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{Float64Array, Int64Array};

    use super::testing::{CLAIMS, PUZZLES, SOLUTION, batch_of, texts};
    use super::*;

    fn find(batch: &RecordBatch, options: &ReadOptions) -> Result<Chosen, String> {
        let look = |columns: &[usize]| Ok(columns.iter().map(|&at| Arc::clone(batch.column(at))).collect());
        Chosen::find("t", &batch.schema(), options, look).map_err(|error| error.to_string())
    }

    #[test]
    fn a_column_is_found_by_its_name_its_content_or_what_is_asked_for() {
        let (puzzles, claims) = (texts(PUZZLES, 8), texts([Some(SOLUTION); 4], 8));
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1; 8]));
        let table = |names: [&str; 3]| {
            batch_of(&[
                (names[0], Arc::clone(&numbers)),
                (names[1], Arc::clone(&puzzles)),
                (names[2], Arc::clone(&claims)),
            ])
        };
        let chosen = |names, puzzle: &str, solution: &str| {
            let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            let options = ReadOptions {
                puzzle_column: some(puzzle),
                solution_column: some(solution),
                claims: true,
                ..ReadOptions::default()
            };
            find(&table(names), &options).map(|chosen| (chosen.puzzle, chosen.claim))
        };
        for names in [
            ["id", "puzzle", "solution"],
            ["solutions", "Question", "ANSWER"],
            ["puzzle", "a", "b"],
            ["a", " b", "c"],
        ] {
            assert_eq!(chosen(names, "", ""), Ok((1, Some(2))), "{names:?}");
        }
        assert_eq!(chosen(["a", "B", "c"], "b", "3"), Ok((1, Some(2))));
        assert_eq!(chosen(["a", "B", "c"], "C", "2"), Ok((2, Some(1))));
        let error = chosen(["a", "b", "c"], "d", "").expect_err("no column");
        assert_eq!(
            error,
            "t: no column 'd'; name the column of the puzzles with --puzzle-column NAME (columns seen: a, b, c)"
        );
        assert!(chosen(["a", "b", "c"], "", "4").expect_err("no column").contains("no column '4'"));
        assert!(
            chosen(["a", "b", "c"], "a", "")
                .expect_err("numbers")
                .contains("column 'a': a column of Int64 holds no puzzles")
        );
        let nothing = batch_of(&[("x", Arc::new(Float64Array::from(vec![0.5]))), ("y", texts(CLAIMS, 1))]);
        assert!(
            find(&nothing, &ReadOptions::default()).expect_err("no puzzles").contains("(columns seen: x, y)")
        );
        let options = ReadOptions { claims: true, ..ReadOptions::default() };
        let alone = find(&batch_of(&[("puzzle", puzzles.clone())]), &options).expect("puzzles");
        assert_eq!(
            alone.unclaimed.as_deref(),
            Some("no column of solutions found; name it with --solution-column (columns seen: puzzle)")
        );
    }
}
