//! Pages as Arrow's record batches.
//!
//! Numbers are signed: pandas, Spark and SQL know few unsigned types, and no count comes near 2^63.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field as ArrowField, Schema as ArrowSchema, SchemaRef};

use super::encode::BLANK;
use crate::record::{Class, Column, Field, Page, RESULTS_VERSION, Schema, Type};
use crate::sudoku::{CELLS, Grid};

/// The columns of a job as Arrow has them. Numbers are signed, since not every program knows others; what a column holds
/// is in its metadata.
#[derive(Clone, Debug)]
pub struct ArrowColumns {
    schema: SchemaRef,
    /// Their indices in the schema of the job.
    columns: Vec<usize>,
    in_values: bool,
}

impl ArrowColumns {
    /// All that are written, for a file.
    #[must_use]
    pub fn of_files(schema: &Schema) -> Self {
        let about = [
            ("batchdoku.version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            ("batchdoku.results_version".to_owned(), RESULTS_VERSION.to_string()),
        ];
        Self::new(schema, HashMap::from(about), false)
    }

    /// All but those of the origin, for rows of a frame, which have a place already: a fault names the cell.
    #[must_use]
    pub fn of_values(schema: &Schema) -> Self {
        Self::new(schema, HashMap::new(), true)
    }

    fn new(schema: &Schema, about: HashMap<String, String>, in_values: bool) -> Self {
        let carried = (schema.fields.len()..).zip(&schema.carried);
        let carried = carried.map(|(at, name)| (at, ArrowField::new(name, DataType::Utf8, true)));
        let (columns, fields): (_, Vec<_>) = schema
            .written()
            .filter(|(_, field)| !in_values || field.class != Class::Origin)
            .map(|(at, field)| (at, arrow_field(field)))
            .chain(carried)
            .unzip();
        let schema = ArrowSchema::new(fields).with_metadata(about);
        Self { schema: Arc::new(schema), columns, in_values }
    }

    /// Names, types and descriptions.
    #[must_use]
    pub const fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The rows of a page, whether they are kept or not.
    #[must_use]
    pub fn batch(&self, page: &Page<'_>) -> RecordBatch {
        let columns = self.columns.iter().map(|&at| array_of(&page.columns[at], page.rows, self.in_values));
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns.collect());
        batch.expect("the columns are those of the schema")
    }
}

fn arrow_field(field: &Field) -> ArrowField {
    let kind = match field.holds {
        Type::Number => DataType::Int64,
        Type::Word | Type::Text | Type::Grid | Type::Fault => DataType::Utf8,
    };
    let unit = field.unit.map(|unit| ("unit".to_owned(), unit.to_owned()));
    let about = [("description".to_owned(), field.about.to_owned())];
    let metadata: HashMap<_, _> = about.into_iter().chain(unit).collect();
    ArrowField::new(field.name, kind, field.holds != Type::Word).with_metadata(metadata)
}

/// The first rows of a column; a fault names the cell if that is wanted, else the line.
fn array_of(column: &Column<'_>, rows: usize, in_values: bool) -> ArrayRef {
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
                Some(if in_values { fault.in_value().to_string() } else { fault.to_string() })
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
