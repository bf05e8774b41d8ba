//! Columns from other programs: whatever their type, the rows are the same as from the command line.

use std::io::Cursor;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrow_array::builder::{FixedSizeListBuilder, ListBuilder, StringDictionaryBuilder, UInt8Builder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, Float64Array, Int64Array,
    LargeListArray, LargeStringArray, ListArray, NullArray, RecordBatch, StringArray, StringViewArray,
};
use batchdoku::arrow::{Answered, Chunk, column, run};
use batchdoku::input::{ReadOptions, Source};
use batchdoku::jobs::solve::Solve;
use batchdoku::jobs::verify::Verify;
use batchdoku::jobs::{Job, SearchOptions};
use batchdoku::output;
use batchdoku::pipeline::{self, BATCH_BYTES, Plan, RowOutput, RunOptions, Tally, TallyDigest};
use batchdoku::solver::{Backend, Limits};

use crate::puzzles::{ANSWER, UNIQUE, double, unsolvable};

fn search() -> SearchOptions {
    SearchOptions { backend: Backend::best(), limits: Limits::default() }
}

fn answered(job: impl Job, columns: &[(ArrayRef, Option<ArrayRef>)]) -> Answered {
    let chunk = |(puzzles, claims): &(ArrayRef, Option<ArrayRef>)| Chunk {
        puzzles: column(Arc::clone(puzzles)).unwrap(),
        claims: claims.as_ref().map(|claims| column(Arc::clone(claims)).unwrap()),
    };
    let threads = NonZeroUsize::new(2).unwrap();
    let schema = job.schema().clone();
    run(job, &schema, columns.iter().map(chunk).collect(), threads, &(), &AtomicBool::new(false)).unwrap()
}

fn solved(puzzles: ArrayRef) -> Vec<Vec<Option<String>>> {
    rows(&answered(Solve::new(search(), false), &[(puzzles, None)]).batches)
}

/// Returns the rows of record batches as text.
fn rows(batches: &[RecordBatch]) -> Vec<Vec<Option<String>>> {
    let text = |column: &ArrayRef, row: usize| {
        column.is_valid(row).then(|| match column.as_string_opt::<i32>() {
            Some(texts) => texts.value(row).to_owned(),
            None => column.as_primitive::<Int64Type>().value(row).to_string(),
        })
    };
    let of_batch = |batch: &RecordBatch| {
        let row = |row| batch.columns().iter().map(|column| text(column, row)).collect();
        (0..batch.num_rows()).map(row).collect::<Vec<_>>()
    };
    batches.iter().flat_map(of_batch).collect()
}

/// Returns the rows that a run over a CSV table writes, without the origin columns and with faults worded as for
/// values.
fn rows_of_text(job: impl Job, table: &str) -> Vec<Vec<Option<String>>> {
    let options = ReadOptions::default();
    let schema = job.schema().clone();
    let source = Source::from_reader("table", Cursor::new(table.to_owned()), &options).unwrap();
    let options = RunOptions { batch_bytes: BATCH_BYTES, ..RunOptions::new(NonZeroUsize::MIN) };
    let outputs = vec![RowOutput { encoder: (output::by_name("csv").unwrap().make)(), only: None }];
    let plan = Plan { outputs, ..Plan::new(vec![source], job, TallyDigest, options) };
    let mut text = Vec::new();
    pipeline::run(plan, &mut Tally::new(&schema), &mut text, &(), &AtomicBool::new(false)).unwrap();
    let mut reader = csv::Reader::from_reader(&*text);
    let value = |field: &str| (!field.is_empty()).then(|| field.to_owned());
    reader.records().map(|row| row.unwrap().iter().skip(3).map(value).collect()).collect()
}

fn digits(text: &str) -> Vec<u8> {
    text.bytes().map(|byte| if byte == b'.' { 0 } else { byte - b'0' }).collect()
}

/// Returns every kind of record that has 81 cells, and a missing one.
fn grids() -> Vec<Option<String>> {
    let clash = format!("11{}", ".".repeat(79));
    [Some(UNIQUE.to_owned()), Some(double().0), None, Some(unsolvable()), Some(clash)].to_vec()
}

#[test]
fn every_type_of_column_gives_the_same_rows() {
    let texts = grids();
    let expected = solved(Arc::new(StringArray::from(texts.clone())));
    let status = |row: &Vec<Option<String>>| row[1].clone().unwrap();
    let statuses: Vec<_> = expected.iter().map(status).collect();
    assert_eq!(statuses, ["unique", "multiple", "invalid", "unsolvable", "invalid"]);
    assert_eq!(expected[0][6].as_deref(), Some(ANSWER));
    assert_eq!(expected[2][7].as_deref(), Some("cell 1: 0 cells (expected 81)"));
    assert_eq!(expected[4][7].as_deref(), Some("cell 2: clue 1 repeats that of cell 1 in the same row"));

    let bytes = || texts.iter().map(|text| text.as_ref().map(String::as_bytes));
    let numbers = || texts.iter().map(|text| text.as_ref().map(|text| digits(text)));
    let wide = |row: Vec<u8>| row.into_iter().map(|digit| Some(i64::from(digit))).collect::<Vec<_>>();
    let mut flat = FixedSizeListBuilder::new(UInt8Builder::new(), 81);
    let mut nested = ListBuilder::new(ListBuilder::new(UInt8Builder::new()));
    let mut blanks = ListBuilder::new(UInt8Builder::new());
    for row in numbers() {
        let given = row.is_some();
        let row = row.unwrap_or_else(|| vec![0; 81]);
        flat.values().append_slice(&row);
        flat.append(given);
        if given {
            for part in row.chunks(9) {
                nested.values().values().append_slice(part);
                nested.values().append(true);
            }
            for &digit in &row {
                blanks.values().append_option((digit != 0).then_some(digit));
            }
        }
        nested.append(given);
        blanks.append(given);
    }
    let mut dictionary = StringDictionaryBuilder::<Int32Type>::new();
    texts.iter().for_each(|text| dictionary.append_option(text.as_ref()));
    let raw: Vec<_> = numbers().collect();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(LargeStringArray::from(texts.clone())),
        Arc::new(StringViewArray::from_iter(texts.iter().map(Option::as_ref))),
        Arc::new(BinaryArray::from_iter(bytes())),
        Arc::new(BinaryViewArray::from_iter(bytes())),
        Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(bytes(), 81).unwrap()),
        Arc::new(BinaryArray::from_iter(raw.iter().map(Option::as_ref))),
        Arc::new(dictionary.finish()),
        Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(numbers().map(|row| row.map(wide)))),
        Arc::new(LargeListArray::from_iter_primitive::<Int64Type, _, _>(numbers().map(|row| row.map(wide)))),
        Arc::new(flat.finish()),
        Arc::new(nested.finish()),
        Arc::new(blanks.finish()),
    ];
    for array in columns {
        assert_eq!(solved(Arc::clone(&array)), expected, "{}", array.data_type());
        // This is a slice of a slice of a column.
        let part = array.slice(1, 4).slice(2, 2);
        assert_eq!(solved(part), expected[3..], "a part of {}", array.data_type());
    }
    let nothing: ArrayRef = Arc::new(NullArray::new(2));
    assert_eq!(solved(nothing), [expected[2].clone(), expected[2].clone()]);
}

#[test]
fn lists_that_are_no_puzzle_say_why() {
    let list = |rows: Vec<Vec<i64>>| {
        let rows = rows.into_iter().map(|row| Some(row.into_iter().map(Some).collect::<Vec<_>>()));
        Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(rows)) as ArrayRef
    };
    let zeros = |count| vec![0; count];
    let with = |at: usize, number| {
        let mut row = zeros(81);
        row[at] = number;
        row
    };
    let rows =
        vec![zeros(80), zeros(82), zeros(0), zeros(1000), with(7, 10), with(80, -1), with(0, i64::MAX)];
    let errors: Vec<_> = solved(list(rows)).into_iter().map(|mut row| row.pop().unwrap().unwrap()).collect();
    assert_eq!(
        errors,
        [
            "cell 81: 80 cells (expected 81)",
            "cell 82: 82 cells (expected 81)",
            "cell 1: 0 cells (expected 81)",
            "cell 82: 1000 cells (expected 81)",
            "cell 8: number '10' (expected a digit 1-9, 0 or .)",
            "cell 81: number '-1' (expected a digit 1-9, 0 or .)",
            "cell 1: number '9223372036854775807' (expected a digit 1-9, 0 or .)",
        ]
    );
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![1.0]));
    let error = column(floats).unwrap_err().to_string();
    assert!(error.starts_with("a column of Float64 holds no puzzles (expected text"), "{error}");
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    assert!(column(numbers).is_err());
}

/// The command line and a column give the same results for both jobs, even over several chunks.
#[test]
fn the_rows_are_those_of_a_file() {
    let (double, smallest) = double();
    let mut puzzles: Vec<String> = Vec::new();
    let mut claims: Vec<String> = Vec::new();
    for number in 0..20_000 {
        let (puzzle, claim) = match number % 7 {
            0 => (double.clone(), smallest.clone()),
            1 => (double.clone(), ANSWER.to_owned()),
            2 => (unsolvable(), ANSWER.to_owned()),
            3 => (UNIQUE.to_owned(), ANSWER.replace('1', "2")),
            4 => (UNIQUE.to_owned(), String::new()),
            5 => (UNIQUE[..70 + number % 9].to_owned(), ANSWER.to_owned()),
            _ => (UNIQUE.to_owned(), ANSWER.to_owned()),
        };
        puzzles.push(puzzle);
        claims.push(claim);
    }
    let table: String =
        puzzles.iter().zip(&claims).map(|(puzzle, claim)| format!("{puzzle},{claim}\n")).collect();
    let table = format!("puzzle,solution\n{table}");
    let arrays = [&puzzles, &claims].map(|texts| Arc::new(StringArray::from_iter_values(texts)) as ArrayRef);
    let chunk = |from: usize, rows: usize| {
        let [puzzles, claims] = [0, 1].map(|at| arrays[at].slice(from, rows));
        (puzzles, Some(claims))
    };
    let chunks = [chunk(0, 1), chunk(1, 0), chunk(1, 7_000), chunk(7_001, 12_999)];
    let results = |answered: &Answered, rows: Vec<Vec<Option<String>>>| {
        assert_eq!(answered.tally.records, 20_000);
        // In a file, the fault names the line; in a value, it names the cell.
        rows.into_iter()
            .map(|mut row| {
                let fault = row.pop().flatten();
                let reason = fault.and_then(|fault| Some(fault.split_once(": ")?.1.to_owned()));
                (row, reason)
            })
            .collect::<Vec<_>>()
    };
    let solve = answered(Solve::new(search(), false), &chunks);
    let expected = rows_of_text(Solve::new(search(), false), &table);
    let is_equal = |found: Vec<_>, expected: Vec<_>| {
        let differ = found.iter().zip(&expected).find(|(found, expected)| found != expected);
        assert!(differ.is_none() && found.len() == expected.len(), "{differ:?}");
    };
    is_equal(results(&solve, rows(&solve.batches)), results(&solve, expected));
    let verify = answered(Verify::new(Some(search()), false), &chunks);
    let expected = rows_of_text(Verify::new(Some(search()), false), &table);
    is_equal(results(&verify, rows(&verify.batches)), results(&verify, expected));
    // As with a file, batches grow with the amount read, because some lanes idle at the end of each batch.
    assert!(solve.batches.iter().any(|batch| batch.num_rows() > 1_000));
    // The rows of a chunk stay together.
    let mut ends = solve.batches.iter().scan(0, |end, batch| {
        *end += batch.num_rows();
        Some(*end)
    });
    assert!([1, 7_001, 20_000].iter().all(|end| ends.any(|found| found == *end)));
}

#[test]
fn the_schema_says_what_the_columns_hold() {
    let schema = batchdoku::arrow::schema(Solve::new(search(), true).schema());
    let names: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(
        names,
        ["kind", "status", "solutions", "clues", "guesses", "time_ns", "puzzle", "solution", "error"]
    );
    let time = schema.field_with_name("time_ns").unwrap();
    assert_eq!(time.metadata()["unit"], "ns");
    assert!(schema.fields().iter().all(|field| !field.metadata()["description"].is_empty()));
    let answered = answered(Solve::new(search(), true), &[(Arc::new(StringArray::from(vec![UNIQUE])), None)]);
    assert_eq!(answered.batches[0].schema(), schema);
}
