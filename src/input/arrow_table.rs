//! Tables whose columns are Arrow's: which column is what, and record batches as rows of puzzles.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, new_empty_array};
use arrow_schema::{DataType, Schema};

use super::arrow_column::{ColumnError, column, restore_zeros, with_restored_zeros};
use super::batch::BatchSource;
use super::binary::{BinaryRows, Known, NO_ROWS};
use super::chosen::{Asked, Cells, Chosen, FirstRows, ROWS_LOOKED_AT, is_puzzle_name, is_solution_name};
use super::error::listed;
use super::fields::Fields;
use super::values::{CarriedColumn, Value, ValueRecords, Values};
use super::{Batch, Columns, InputError, Position, ReadOptions, SourceInfo, field, isolated};
use crate::record::Place;

/// Finds the columns that are read, and what is worth a warning about that. `look` gives the first rows of some columns,
/// which are not read where reading begins behind them, `from` there.
pub(super) fn find_columns(
    name: &str,
    schema: &Schema,
    options: &ReadOptions,
    from: Position,
    mut look: impl FnMut(&[usize]) -> Result<Vec<ArrayRef>, InputError>,
) -> Result<(Chosen, Option<String>), InputError> {
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let types: Vec<_> = schema.fields().iter().map(|field| field.data_type()).collect();
    let unreadable: Vec<_> = types.iter().map(|&kind| column(new_empty_array(kind)).err()).collect();
    let is_readable = |at: &usize| unreadable[*at].is_none();
    let is_number = |at: &usize| !is_readable(at) && types[*at].is_numeric();

    let asked = Asked::from(options);
    let choose = |first: &FirstRows<'_>| match asked.puzzle {
        Some(wanted) => first.asked_for(wanted).map(Cells::Column),
        None => {
            let by_content = || first.puzzle_by_content().map(|(puzzle, _)| puzzle);
            let beside = || first.beside_complete().map(Cells::Column);
            first.puzzle_by_name().map(Cells::Column).or_else(by_content).or_else(beside)
        }
    };
    let mut rows = Vec::new();
    let by_names = table_of(&names, &unreadable, &rows).by_names_alone(asked);
    let mut puzzle = by_names.map(|chosen| chosen.puzzle);
    // What is called solutions may be their number.
    let claim = by_names.and_then(|chosen| chosen.claim).map(Cells::first);
    let claim = claim.filter(|_| (asked.claims || asked.look) && asked.claim.is_none());
    let resumed = puzzle.map(Cells::first).filter(|_| from.records > 0);
    let looked_at: Vec<usize> = resumed.into_iter().chain(claim).collect();
    if !looked_at.is_empty() {
        rows = first_rows(&looked_at, &look(&looked_at)?, names.len());
        let first = table_of(&names, &unreadable, &rows);
        puzzle = puzzle.filter(|_| claim.is_none_or(|claim| !first.holds_others(claim)));
    }
    if puzzle.is_none() {
        let mut looked_at: Vec<usize> = (0..names.len()).filter(is_readable).collect();
        rows = first_rows(&looked_at, &look(&looked_at)?, names.len());
        puzzle = choose(&table_of(&names, &unreadable, &rows));
        let numbers: Vec<usize> = (0..names.len()).filter(is_number).collect();
        if puzzle.is_none() && !numbers.is_empty() {
            // They may be a cell each.
            looked_at.extend(numbers);
            rows = first_rows(&looked_at, &look(&looked_at)?, names.len());
            puzzle = choose(&table_of(&names, &unreadable, &rows));
        }
    }
    let first = table_of(&names, &unreadable, &rows);
    // Why a column cannot be read, if that is so.
    let refused = |at: usize| {
        let error = unreadable[at].as_ref()?;
        let what = format!("column '{}': {error}", names[at]);
        Some(InputError::Unreadable { name: name.to_owned(), what })
    };
    // Puzzles that were taken for numbers are lost, and the solutions beside them are no puzzles.
    let is_meant =
        |cells: Cells| matches!(cells, Cells::Column(at) if is_solution_name(names[at].as_bytes()));
    if asked.puzzle.is_none()
        && puzzle.is_none_or(is_meant)
        && let Some(at) = (0..names.len()).find(|at| is_number(at) && is_puzzle_name(names[*at].as_bytes()))
        && let Some(error) = refused(at)
    {
        return Err(error);
    }
    let Some(puzzle) = puzzle else {
        let (name, wanted) = (name.to_owned(), options.puzzle_column.clone());
        return Err(if first.is_mangled() {
            InputError::MangledPuzzles { name }
        } else if let Some(what) = structs(schema, wanted.as_deref()) {
            InputError::Unreadable { name, what }
        } else {
            InputError::NoPuzzleColumn { name, columns: names, wanted }
        });
    };
    let chosen = first.chosen(asked, puzzle);
    let note = first.note(name, &names, asked, &chosen)?;
    // What was asked for by name may be no column of cells.
    for cells in std::iter::once(puzzle).chain(chosen.claim) {
        if let Cells::Column(at) = cells
            && let Some(error) = refused(at)
        {
            return Err(error);
        }
    }
    Ok((Chosen { kind: chosen.kind.filter(is_readable), ..chosen }, note))
}

/// What is said of a column of structs, if there is one that is wanted: their fields are no columns.
fn structs(schema: &Schema, wanted: Option<&str>) -> Option<String> {
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

/// The first rows of a table with columns of these names, some of which cannot be read.
fn table_of<'a>(names: &[String], unreadable: &[Option<ColumnError>], rows: &'a [Fields]) -> FirstRows<'a> {
    let without_grids = unreadable.iter().map(Option::is_some).collect();
    FirstRows::new(names.iter().map(|name| name.as_bytes()), names.len(), rows).with_types(without_grids)
}

/// The first rows of a table as text, of which these columns were looked at.
fn first_rows(looked_at: &[usize], arrays: &[ArrayRef], columns: usize) -> Vec<Fields> {
    let looked: Vec<_> = arrays.iter().map(|array| (array, column(Arc::clone(array)).ok())).collect();
    let rows = arrays.first().map_or(0, |array| array.len().min(ROWS_LOOKED_AT));
    let mut buffer = String::new();
    let fields = |row| {
        let mut fields = Fields::default();
        for at in 0..columns {
            match looked_at.iter().position(|&column| column == at).and_then(|place| looked.get(place)) {
                None => fields.push(b""),
                Some((array, values)) => match values.as_ref().map(|values| values.get(row)) {
                    Some(Value::Cells(Ok(grid))) => fields.push(&grid.to_text(b'.')),
                    _ => fields.push(array.text(row, &mut buffer).unwrap_or_default()),
                },
            }
        }
        fields
    };
    (0..rows).map(fields).collect()
}

/// The columns that are read, in order, with those that are carried along.
fn all_columns(chosen: &Chosen, carried: &[usize]) -> Vec<usize> {
    let mut all: Vec<usize> = chosen.columns().chain(carried.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Grids of 81 columns, a cell each.
#[derive(Debug)]
struct EachCell(Vec<ArrayRef>);

impl Values for EachCell {
    fn len(&self) -> usize {
        self.0.first().map_or(0, |column| column.len())
    }

    fn get(&self, row: usize) -> Value<'_> {
        let (mut fields, mut buffer) = (Fields::default(), String::new());
        self.0.iter().for_each(|column| fields.push(column.text(row, &mut buffer).unwrap_or_default()));
        Value::Cells(
            field::grid_of_cells(fields.iter()).map_err(|(cell, _, fault)| {
                fault.at(Place { line: row as u64 + 1, column: cell as u64 + 1 })
            }),
        )
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
    /// What is worth a warning about that.
    note: Option<String>,
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
    (chosen, note): (Chosen, Option<String>),
    from: Position,
    done: u64,
) -> BinaryRows {
    let names = schema.fields().iter().map(|field| field.name().clone()).collect();
    let columns =
        Columns { names, puzzle: Some(chosen.puzzle.columns()), claim: chosen.claim.map(Cells::columns) };
    let known = Known { has_claims: columns.claim.is_some(), columns };
    let name = name.to_owned();
    let mut rows = ArrowRows { name, batches, chosen, note, carried: Vec::new(), from, rows: None, done };
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
        let all = all_columns(&self.chosen, &self.carried);
        let array = |at: usize| {
            let place = all.iter().position(|&column| column == at);
            Arc::clone(batch.column(place.expect("it is one of those that are read")))
        };
        let values = |at: usize| column(array(at)).expect("a column of that type was found to be readable");
        let grids = |cells: Cells| match cells {
            Cells::Column(at) => values(at),
            Cells::Each(first, order) => {
                Arc::new(EachCell(order.iter().map(|&at| array(first + usize::from(at))).collect()))
            }
        };
        let carried = self.carried.iter().map(|&at| (at, Arc::new(array(at)) as Arc<dyn CarriedColumn>));
        let mut puzzles = grids(self.chosen.puzzle);
        if self.chosen.lost_zeros {
            puzzles = with_restored_zeros(puzzles);
        } else if self.done == 0
            && let Some(note) = restore_zeros(std::iter::once(&mut puzzles))
        {
            self.chosen.lost_zeros = true;
            self.note = Some(self.note.take().map_or(note.to_owned(), |other| format!("{note}; {other}")));
        }
        let rows = ValueRecords::new(puzzles, self.chosen.claim.map(grids));
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
                return if self.done < self.from.records {
                    Err(InputError::Shorter { name, offset })
                } else if self.done == 0 && self.chosen.kind.is_none() {
                    // Of this program's own results there may be none.
                    Err(InputError::Unreadable { name, what: NO_ROWS.to_owned() })
                } else {
                    Ok(None)
                };
            }
        }
    }

    fn carry(&mut self, columns: &[Option<usize>]) {
        self.carried = columns.iter().copied().flatten().collect();
        self.batches.choose(all_columns(&self.chosen, &self.carried));
    }

    fn raw_position(&self) -> u64 {
        self.batches.raw_position()
    }

    fn note(&self) -> Option<String> {
        let note = self.note.clone().filter(|_| self.done > 0);
        match (self.batches.note(), note) {
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
    use std::ops::Range;

    use arrow_array::{Float64Array, Int64Array, StringArray, StructArray};

    use super::testing::{CLAIMS, PUZZLES, SOLUTION, batch_of, texts};
    use super::*;
    use crate::input::testing::{PUZZLE, drain, open};

    fn find(batch: &RecordBatch, options: &ReadOptions) -> Result<(Chosen, Option<String>), String> {
        let look = |columns: &[usize]| Ok(columns.iter().map(|&at| Arc::clone(batch.column(at))).collect());
        find_columns("t", &batch.schema(), options, Position::START, look).map_err(|error| error.to_string())
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
            find(&table(names), &options)
                .map(|(chosen, _)| (chosen.puzzle.first(), chosen.claim.map(Cells::first)))
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
        assert_eq!(error, "t: no column 'd' (columns seen: a, b, c)");
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
        let inner = batch_of(&[("puzzle", Arc::clone(&puzzles)), ("solution", Arc::clone(&claims))]);
        let inner: ArrayRef = Arc::new(StructArray::from(inner));
        let structs = batch_of(&[("id", numbers), ("item", inner)]);
        let said = "t: column 'item' holds structs, which are not read (write their fields as columns, \
                    as unnest does in DuckDB and Polars; fields seen: puzzle, solution)";
        for wanted in [None, Some("item.puzzle".to_owned())] {
            let options = ReadOptions { puzzle_column: wanted, ..ReadOptions::default() };
            assert_eq!(find(&structs, &options).expect_err("structs"), said);
        }
        let options = ReadOptions { claims: true, ..ReadOptions::default() };
        let (_, note) = find(&batch_of(&[("puzzle", puzzles.clone())]), &options).expect("puzzles");
        assert_eq!(
            note.as_deref(),
            Some("no column of solutions found; name it with solution_column NAME (columns seen: puzzle)")
        );
    }

    #[test]
    fn a_table_that_is_read_on_lost_its_zeros_if_its_first_rows_did() {
        let short = PUZZLE[1..].trim_start_matches('0');
        let whole = format!("{}{short}", &SOLUTION[..81 - short.len()]);
        let puzzles = [Some(short), Some(&*whole), Some(short), None];
        let batch = batch_of(&[("puzzle", texts(puzzles, 8)), ("solution", texts(CLAIMS, 8))]);
        let lost = |puzzles: ArrayRef, records: u64| {
            let look = |columns: &[usize]| {
                Ok(columns
                    .iter()
                    .map(|&at| if at == 0 { Arc::clone(&puzzles) } else { texts(CLAIMS, 8) })
                    .collect())
            };
            let from = Position { records, ..Position::START };
            let found = find_columns("t", &batch.schema(), &ReadOptions::default(), from, look);
            found.map(|(chosen, note)| (chosen.lost_zeros, note.is_some())).expect("puzzles")
        };
        let puzzles = || Arc::clone(batch.column(0));
        assert_eq!(lost(puzzles(), 3), (true, true));
        assert_eq!(lost(texts(PUZZLES, 8), 3), (false, false));
        // From the start on the rows that are read show it.
        assert_eq!(lost(puzzles(), 0), (false, false));
    }

    type Choice = (usize, Option<usize>, Vec<String>);

    /// What is chosen of a CSV file, and of the same table in columns: the puzzles, the claims, and what is said of it.
    fn choices(header: &str, row: &str) -> [Result<Choice, String>; 2] {
        let field = |field: &str| {
            let field = field.replace('P', PUZZLE).replace('S', SOLUTION);
            field.replace('Z', &PUZZLE.replace('0', "Z")).replace('X', &PUZZLE.replace('0', "_"))
        };
        let fields: Vec<String> = row.split(' ').map(field).collect();
        let names: Vec<&str> = header.split(',').collect();
        let columns = names.iter().zip(&fields).map(|(name, field)| {
            let array: ArrayRef = match field.parse::<i64>() {
                Ok(number) if field.len() < 10 => Arc::new(Int64Array::from(vec![number; 3])),
                _ => Arc::new(StringArray::from(vec![field.as_str(); 3])),
            };
            (*name, array)
        });
        let batch = batch_of(&columns.collect::<Vec<_>>());
        let options = ReadOptions { claims: true, ..ReadOptions::default() };
        let in_columns = find(&batch, &options).map(|(chosen, note)| {
            let notes = note.iter().map(|note| format!("test: {note}")).collect();
            (chosen.puzzle.first(), chosen.claim.map(Cells::first), notes)
        });
        let quoted = fields.iter().map(|field| format!("\"{field}\"")).collect::<Vec<_>>().join(",");
        let text = format!("{header}\n{}", format!("{quoted}\n").repeat(3));
        let in_csv = open(text.as_bytes(), &options).map_err(|error| error.to_string()).map(|source| {
            let columns = source.columns();
            let first = |columns: Option<Range<usize>>| columns.map(|columns| columns.start);
            (first(columns.puzzle).unwrap_or(usize::MAX), first(columns.claim), drain(source, 1 << 16).notes)
        });
        [in_csv, in_columns]
    }

    #[test]
    fn a_table_in_columns_is_read_as_the_same_table_in_csv() {
        let list = |grid: &str| format!("[{}]", grid.chars().map(String::from).collect::<Vec<_>>().join(","));
        let lists = format!("{} {}", list(PUZZLE), list(SOLUTION));
        let cells = |name: &str| (0..81).map(|cell| format!("{name}{cell}")).collect::<Vec<_>>().join(",");
        let backwards: Vec<_> = (0..81).rev().map(|cell| format!("r{}c{}", cell / 9, cell % 9)).collect();
        let backwards = backwards.join(",");
        let apart = |grid: &str| grid.chars().map(String::from).collect::<Vec<_>>().join(" ");
        let both = format!("{},{},level", cells("p"), cells("s"));
        let digits = format!("{} {} 3", apart(PUZZLE), apart(SOLUTION));
        for (header, row, expected) in [
            ("start,solution", "X S", (0, Some(1))),
            ("start,solution", "Z S", (0, Some(1))),
            ("sudoku,sudoku_solution", "P S", (0, Some(1))),
            ("question,answer,rating", "P S 5", (0, Some(1))),
            ("question,quiz,answer", "how? P S", (1, Some(2))),
            ("quizzes,solutions", "P S", (0, Some(1))),
            ("puzzle,solutions", "P 1", (0, None)),
            ("puzzle,solution,target", "P 1 S", (0, Some(2))),
            ("solved,unsolved", "S P", (1, Some(0))),
            ("input,output,label", "P S 7", (0, Some(1))),
            ("input,target,a,b", "3 7 P S", (2, Some(3))),
            ("grid,key", "P S", (0, Some(1))),
            ("id,solution", "1 S", (1, None)),
            ("id,kind,status,puzzle,solution", "1 sudoku unique P S", (3, Some(4))),
            ("quiz,x,puzzle", "P 1 P", (2, None)),
            ("a,b,c", "S 7 P", (2, Some(0))),
            ("a,b", &lists, (0, Some(1))),
            (&cells("c"), &apart(PUZZLE), (0, None)),
            (&backwards, &apart(&PUZZLE.chars().rev().collect::<String>()), (0, None)),
            ("a,b", "Z S", (0, Some(1))),
            ("puzzle,Solution", "P 7", (0, None)),
            ("puzzle,solution", "P 7.txt", (0, None)),
            (&both, &digits, (0, Some(81))),
        ] {
            let [in_csv, in_columns] = choices(header, row);
            assert_eq!(in_csv, in_columns, "{header} {row}");
            let (puzzle, claim, notes) = in_columns.expect("puzzles");
            assert_eq!((puzzle, claim), expected, "{header} {row}");
            assert_eq!(notes.is_empty(), claim.is_some(), "{header} {row}: {notes:?}");
        }
    }

    #[test]
    fn columns_of_a_cell_each_are_read_with_their_places() {
        let column = |cell: usize| -> ArrayRef {
            let digit = PUZZLE.as_bytes()[cell] - b'0';
            let some = (digit > 0).then(|| f64::from(digit));
            Arc::new(Float64Array::from(vec![some, some, (cell == 5).then_some(17.0).or(some), None]))
        };
        let grids = EachCell((0..81).map(column).collect());
        let puzzle: crate::sudoku::Grid = PUZZLE.parse().expect("a puzzle");
        assert_eq!((grids.len(), grids.get(1)), (4, Value::Cells(Ok(puzzle))));
        let Value::Cells(Err(fault)) = grids.get(2) else { panic!("17 is no cell") };
        assert_eq!(fault.place, Some(Place { line: 3, column: 6 }));
        assert_eq!(grids.get(3), Value::Cells(Ok(crate::sudoku::Grid::EMPTY)));
    }
}
