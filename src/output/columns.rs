//! Pages as Arrow record batches.
//!
//! Numbers are signed: pandas, Spark and SQL support few unsigned types, and no count comes close to 2^63.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field as ArrowField, Schema as ArrowSchema, SchemaRef};

use super::encode::{BLANK, Value, Values};
use crate::record::{Class, Field, Page, RESULTS_VERSION, Schema, Type};

/// A job's columns as Arrow columns, with descriptions and units in their metadata.
#[derive(Clone, Debug)]
pub struct ArrowColumns {
    schema: SchemaRef,
    /// The indices of the columns in the job's schema.
    columns: Vec<usize>,
    in_values: bool,
}

impl ArrowColumns {
    /// Returns all written columns, for use in a file.
    #[must_use]
    pub fn of_files(schema: &Schema) -> Self {
        let about = [
            ("batchdoku.version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            ("batchdoku.results_version".to_owned(), RESULTS_VERSION.to_string()),
        ];
        Self::new(schema, HashMap::from(about), false)
    }

    /// Returns all columns except the origin columns, for use in a data frame. Faults name the cell.
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

    /// Returns the names, types and descriptions of the columns, as an Arrow schema.
    #[must_use]
    pub const fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Converts the rows of a page, including those that are not written.
    #[must_use]
    pub fn batch(&self, page: &Page<'_>) -> RecordBatch {
        let columns = self.columns.iter().zip(self.schema.fields()).map(|(&at, field)| {
            let values = Values::new(&page.columns[at]);
            match field.data_type() {
                DataType::Int64 => numbers(values, page.rows),
                DataType::Float64 => decimals(values, page.rows),
                _ => texts(values, page.rows, self.in_values),
            }
        });
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns.collect());
        batch.expect("the columns are those of the schema")
    }
}

fn arrow_field(field: &Field) -> ArrowField {
    let kind = match field.holds {
        Type::Number => DataType::Int64,
        Type::Decimal => DataType::Float64,
        Type::Word | Type::Text | Type::Grid | Type::Fault => DataType::Utf8,
    };
    let unit = field.unit.map(|unit| ("unit".to_owned(), unit.to_owned()));
    let about = [("description".to_owned(), field.about.to_owned())];
    let metadata: HashMap<_, _> = about.into_iter().chain(unit).collect();
    ArrowField::new(field.name, kind, field.holds != Type::Word).with_metadata(metadata)
}

fn numbers(mut values: Values<'_>, rows: usize) -> ArrayRef {
    let number = |row| match values.at(row) {
        Value::Number(number) => Some(number.try_into().unwrap_or(i64::MAX)),
        _ => None,
    };
    Arc::new((0..rows).map(number).collect::<Int64Array>())
}

fn decimals(mut values: Values<'_>, rows: usize) -> ArrayRef {
    let number = |row| match values.at(row) {
        Value::Decimal(number) => Some(number),
        _ => None,
    };
    Arc::new((0..rows).map(number).collect::<Float64Array>())
}

/// Returns the first rows of a column as strings. Faults name the cell if `in_values` is set, or the line otherwise.
fn texts(mut values: Values<'_>, rows: usize, in_values: bool) -> ArrayRef {
    let mut texts = StringBuilder::with_capacity(rows, 0);
    for row in 0..rows {
        match values.at(row) {
            Value::Missing | Value::Number(_) | Value::Decimal(_) => texts.append_null(),
            Value::Word(text) | Value::Text(text) => texts.append_value(text),
            Value::Bytes(text) => texts.append_value(String::from_utf8_lossy(text)),
            Value::Grid(grid) => {
                texts.append_value(str::from_utf8(&grid.to_text(BLANK)).expect("digits and blanks are text"));
            }
            Value::Fault(fault) if in_values => texts.append_value(fault.in_value().to_string()),
            Value::Fault(fault) => texts.append_value(fault.to_string()),
        }
    }
    Arc::new(texts.finish())
}
