//! Arrow values as text, for carried columns. Texts and bytes are left unchanged, and numbers are written in decimal.
//! Dates and times use ISO 8601 (in UTC if they have a time zone); lists and structs become JSON.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Decimal256Type};
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, StringViewArray, downcast_integer_array, downcast_primitive_array,
    downcast_temporal_array,
};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;
use serde_json::Value as Json;

use super::values::CarriedColumn;
use crate::record::Texts;

/// A column, together with its texts if it holds text or bytes.
impl CarriedColumn for (ArrayRef, Option<BinaryViewArray>) {
    fn carry(&self, rows: Range<usize>, out: &mut Texts) {
        let (array, texts) = self;
        for row in rows {
            match texts {
                Some(texts) => out.push(texts.is_valid(row).then(|| texts.value(row))),
                None => out.push(text(array, row).as_deref()),
            }
        }
    }
}

/// Returns the texts or bytes of a column, which may be a dictionary; `None` for other types. Few texts are copied.
pub(super) fn texts(array: &ArrayRef) -> Option<BinaryViewArray> {
    Some(match array.data_type() {
        DataType::Utf8 => StringViewArray::from(array.as_string::<i32>()).to_binary_view(),
        DataType::LargeUtf8 => StringViewArray::from(array.as_string::<i64>()).to_binary_view(),
        DataType::Utf8View => array.as_string_view().clone().to_binary_view(),
        DataType::Binary => array.as_binary::<i32>().into(),
        DataType::LargeBinary => array.as_binary::<i64>().into(),
        DataType::BinaryView => array.as_binary_view().clone(),
        DataType::FixedSizeBinary(_) => array.as_fixed_size_binary().iter().collect(),
        DataType::Null => BinaryViewArray::new_null(array.len()),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let values = texts(dictionary.values())?;
            if values.is_empty() {
                return Some(BinaryViewArray::new_null(array.len()));
            }
            let views = dictionary.normalized_keys().into_iter().map(|key| values.views()[key]);
            BinaryViewArray::new(views.collect(), Arc::clone(values.data_buffers()), array.logical_nulls())
        }
        _ => return None,
    })
}

/// Returns the value in a row as text; `None` if it is missing.
pub(super) fn text(array: &ArrayRef, row: usize) -> Option<Vec<u8>> {
    let (array, row) = value_at(array, row)?;
    Some(match texts(&array.slice(row, 1)) {
        Some(texts) => texts.value(0).to_vec(),
        None => shown(array, row).into_bytes(),
    })
}

/// Returns the array and row that hold the value itself; `None` if the value is missing.
fn value_at(array: &ArrayRef, row: usize) -> Option<(&ArrayRef, usize)> {
    if array.is_null(row) || *array.data_type() == DataType::Null {
        return None;
    }
    let Some(dictionary) = array.as_any_dictionary_opt() else { return Some((array, row)) };
    let keys = dictionary.keys();
    let key = downcast_integer_array!(keys => keys.value(row).to_usize(), _ => None);
    value_at(dictionary.values(), key?)
}

/// Returns a value other than text; nested values are written as JSON.
fn shown(array: &ArrayRef, row: usize) -> String {
    let list = match array.data_type() {
        DataType::List(_) => array.as_list::<i32>().value(row),
        DataType::LargeList(_) => array.as_list::<i64>().value(row),
        DataType::FixedSizeList(..) => array.as_fixed_size_list().value(row),
        DataType::Map(..) => Arc::new(array.as_map().value(row)),
        DataType::Struct(fields) => {
            let members = fields.iter().zip(array.as_struct().columns());
            let members = members
                .map(|(field, column)| format!("{}:{}", Json::from(&**field.name()), json(column, row)));
            return format!("{{{}}}", members.collect::<Vec<_>>().join(","));
        }
        _ => return scalar(array, row),
    };
    let items: Vec<_> = (0..list.len()).map(|at| json(&list, at)).collect();
    format!("[{}]", items.join(","))
}

/// Returns a value inside a nested one, as JSON.
fn json(array: &ArrayRef, row: usize) -> String {
    let Some((array, row)) = value_at(array, row) else { return "null".to_owned() };
    let kind = array.data_type();
    if kind.is_nested() || kind.is_numeric() || *kind == DataType::Boolean {
        return shown(array, row);
    }
    let text = text(array, row).unwrap_or_default();
    Json::from(String::from_utf8_lossy(&text)).to_string()
}

/// Returns a value that is neither text nor nested.
fn scalar(array: &ArrayRef, row: usize) -> String {
    let kind = array.data_type();
    let text = match kind {
        DataType::Boolean => Some(array.as_boolean().value(row).to_string()),
        DataType::Decimal128(..) => Some(array.as_primitive::<Decimal128Type>().value_as_string(row)),
        DataType::Decimal256(..) => Some(array.as_primitive::<Decimal256Type>().value_as_string(row)),
        _ => downcast_temporal_array!(
            array => match kind {
                DataType::Date32 => array.value_as_date(row).map(|date| date.to_string()),
                DataType::Time32(_) | DataType::Time64(_) => array.value_as_time(row).map(|time| time.to_string()),
                DataType::Timestamp(_, Some(_)) => array.value_as_datetime(row).map(|time| format!("{time:?}Z")),
                _ => array.value_as_datetime(row).map(|time| format!("{time:?}")),
            },
            _ => None,
        ),
    };
    // Numbers, times outside the calendar, and rare types are left to Arrow to format.
    let number = || {
        downcast_primitive_array!(
            array => format!("{:?}", array.value(row)),
            _ => format!("{:?}", array.slice(row, 1))
        )
    };
    match kind {
        DataType::Duration(unit) => format!("{}{unit}", number()),
        _ => text.unwrap_or_else(number),
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::types::{Int8Type, Int32Type};
    use arrow_array::{
        BooleanArray, Date32Array, Date64Array, Decimal128Array, DictionaryArray, DurationMillisecondArray,
        Float64Array, LargeStringArray, ListArray, StringArray, StructArray, Time64MicrosecondArray,
        TimestampMicrosecondArray, TimestampSecondArray, UInt64Array,
    };
    use arrow_schema::Field;

    use super::*;

    /// The number of seconds from 1970 to 2020: 50 years of 365 days, plus 12 leap days.
    const SECONDS: i64 = 18262 * 24 * 60 * 60;

    /// Returns the texts of a column, with `null` for missing values.
    fn shown(array: ArrayRef) -> String {
        let (rows, mut texts) = (0..array.len(), Texts::default());
        (Arc::clone(&array), super::texts(&array)).carry(rows.clone(), &mut texts);
        let text = |row| texts.get(row).map_or("null".into(), String::from_utf8_lossy);
        rows.map(text).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn each_type_is_the_text_that_people_write() {
        let decimals = Decimal128Array::from(vec![12345, -5]).with_precision_and_scale(9, 2);
        let zoned = TimestampMicrosecondArray::from(vec![SECONDS * 1_000_000 + 500_000]);
        let lists = vec![Some(vec![Some(1), None]), None, Some(vec![])];
        let item =
            |name, array: ArrayRef| (Arc::new(Field::new(name, array.data_type().clone(), true)), array);
        let structs = StructArray::from(vec![
            item("b", Arc::new(StringArray::from(vec![Some("x\"y"), None]))),
            item("a", Arc::new(Date32Array::from(vec![18262, 0]))),
        ]);
        let words = [Some("b"), None, Some("a"), Some("b")];
        let table: Vec<(ArrayRef, &str)> = vec![
            (Arc::new(LargeStringArray::from(vec![Some("007"), None, Some(""), Some(" x")])), "007|null|| x"),
            (Arc::new(UInt64Array::from(vec![Some(u64::MAX), None, Some(0)])), "18446744073709551615|null|0"),
            (Arc::new(Float64Array::from(vec![0.1, 5.0, 1e300, f64::NAN])), "0.1|5.0|1e300|NaN"),
            (Arc::new(BooleanArray::from(vec![Some(true), Some(false), None])), "true|false|null"),
            (Arc::new(decimals.expect("they fit")), "123.45|-0.05"),
            (Arc::new(words.into_iter().collect::<DictionaryArray<Int8Type>>()), "b|null|a|b"),
            (
                Arc::new(Date32Array::from(vec![Some(18262), None, Some(i32::MAX)])),
                "2020-01-01|null|2147483647",
            ),
            (Arc::new(Date64Array::from(vec![SECONDS * 1000])), "2020-01-01T00:00:00"),
            (
                Arc::new(TimestampSecondArray::from(vec![SECONDS, i64::MAX])),
                "2020-01-01T00:00:00|9223372036854775807",
            ),
            (Arc::new(zoned.with_timezone("Asia/Seoul")), "2020-01-01T00:00:00.500Z"),
            (Arc::new(Time64MicrosecondArray::from(vec![43_200_000_000])), "12:00:00"),
            (Arc::new(DurationMillisecondArray::from(vec![1500])), "1500ms"),
            (Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists)), "[1,null]|null|[]"),
            (Arc::new(structs), r#"{"b":"x\"y","a":"2020-01-01"}|{"b":null,"a":"1970-01-01"}"#),
        ];
        for (array, expected) in table {
            assert_eq!(shown(Arc::clone(&array)), expected, "{:?}", array.data_type());
        }
    }
}
