//! Pages as record batches.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field as ArrowField, Schema as ArrowSchema, SchemaRef};

use crate::pipeline::{Collect, Digest};
use crate::record::{Class, Column, Field, Page, Schema, Type};
use crate::sudoku::{CELLS, Grid};

/// The blank cell of a puzzle, as in every format.
const BLANK: u8 = b'.';

/// The columns of a job as Arrow has them: all but those of the origin, which is the caller's. Numbers are signed, since
/// not every program knows others; what a column holds is in its metadata.
#[must_use]
pub fn schema(schema: &Schema) -> SchemaRef {
    let fields = written(schema).map(|(_, field)| {
        let kind = match field.holds {
            Type::Number => DataType::Int64,
            Type::Word | Type::Text | Type::Grid | Type::Fault => DataType::Utf8,
        };
        let unit = field.unit.map(|unit| ("unit".to_owned(), unit.to_owned()));
        let about = [("description".to_owned(), field.about.to_owned())];
        let metadata: HashMap<_, _> = about.into_iter().chain(unit).collect();
        ArrowField::new(field.name, kind, field.holds != Type::Word).with_metadata(metadata)
    });
    Arc::new(ArrowSchema::new(fields.collect::<Vec<_>>()))
}

/// The columns that go out, with their indices.
fn written(schema: &Schema) -> impl Iterator<Item = (usize, &Field)> {
    schema.written().filter(|(_, field)| field.class != Class::Origin)
}

/// Makes a record batch of each page.
#[derive(Debug)]
pub struct RowDigest {
    schema: SchemaRef,
}

impl RowDigest {
    /// For pages of that schema.
    pub fn new(rows: &Schema) -> Self {
        Self { schema: schema(rows) }
    }
}

impl Digest for RowDigest {
    type Part = Option<RecordBatch>;

    fn digest(&self, page: &Page<'_>, part: &mut Self::Part) {
        let columns = written(page.schema).map(|(at, _)| array_of(&page.columns[at], page.rows));
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns.collect());
        *part = Some(batch.expect("the columns are those of the schema"));
    }
}

/// The record batches of a run, in order.
#[derive(Debug, Default)]
pub struct Batches(pub Vec<RecordBatch>);

impl Collect<Option<RecordBatch>> for Batches {
    fn take(&mut self, part: &mut Option<RecordBatch>) {
        self.0.extend(part.take());
    }
}

/// The first rows of a column.
fn array_of(column: &Column<'_>, rows: usize) -> ArrayRef {
    match *column {
        Column::Counting(first) => numbers((0..rows as u64).map(|row| first + row).collect(), None),
        Column::Numbers(values) => numbers(values[..rows].to_vec(), None),
        Column::SomeNumbers(values, given) => numbers(values[..rows].to_vec(), Some(&given[..rows])),
        Column::SmallNumbers(values, given) => {
            numbers(values[..rows].iter().map(|&value| value.into()).collect(), Some(&given[..rows]))
        }
        Column::Words(words, names) => {
            texts(words[..rows].iter().map(|&word| Some(names[usize::from(word)].name)))
        }
        Column::Same(text) => texts((0..rows).map(|_| Some(text))),
        Column::Texts(all) => texts((0..rows).map(|row| all.get(row).map(String::from_utf8_lossy))),
        Column::Names(names, all) => texts(names[..rows].iter().map(|&name| Some(&all[name as usize]))),
        Column::Grids(all, given) => {
            grids(all[..rows].iter().zip(given).map(|(grid, &is)| is.then_some(grid)))
        }
        Column::SomeGrids(all) => grids(all[..rows].iter().map(Option::as_ref)),
        Column::Faults(faults) => {
            let mut faults = faults.iter().peekable();
            texts((0..rows).map(|row| {
                let (_, fault) = faults.next_if(|&(at, _)| at == row)?;
                Some(fault.in_value().to_string())
            }))
        }
    }
}

fn numbers(values: Vec<u64>, given: Option<&[bool]>) -> ArrayRef {
    // A vector in place: the numbers are as wide as before.
    let values: Vec<i64> = values.into_iter().map(|value| value.try_into().unwrap_or(i64::MAX)).collect();
    let nulls = given.map(|given| NullBuffer::new(BooleanBuffer::from(given)));
    Arc::new(Int64Array::new(values.into(), nulls))
}

fn texts(values: impl ExactSizeIterator<Item = Option<impl AsRef<str>>>) -> ArrayRef {
    let rows = values.len();
    let (mut bytes, mut given) = (Vec::new(), Vec::with_capacity(rows));
    let mut ends = Vec::with_capacity(rows + 1);
    ends.push(0);
    for value in values {
        given.push(value.is_some());
        if let Some(value) = value {
            bytes.extend_from_slice(value.as_ref().as_bytes());
        }
        ends.push(bytes.len());
    }
    strings(bytes, &ends, given)
}

fn grids<'a>(values: impl ExactSizeIterator<Item = Option<&'a Grid>>) -> ArrayRef {
    let rows = values.len();
    let (mut bytes, mut given) = (Vec::with_capacity(rows * CELLS), Vec::with_capacity(rows));
    let mut ends = Vec::with_capacity(rows + 1);
    ends.push(0);
    for value in values {
        given.push(value.is_some());
        if let Some(grid) = value {
            bytes.extend_from_slice(&grid.to_text(BLANK));
        }
        ends.push(bytes.len());
    }
    strings(bytes, &ends, given)
}

/// Texts one after the other; `ends` has a 0 before the first.
fn strings(bytes: Vec<u8>, ends: &[usize], given: Vec<bool>) -> ArrayRef {
    let end = |&end: &usize| i32::try_from(end).expect("a page has some thousand rows of some hundred bytes");
    let ends: ScalarBuffer<i32> = ends.iter().map(end).collect::<Vec<_>>().into();
    let nulls = given.contains(&false).then(|| NullBuffer::new(BooleanBuffer::from(given)));
    Arc::new(StringArray::new(OffsetBuffer::new(ends), bytes.into(), nulls))
}
