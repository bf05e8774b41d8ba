//! Values of Arrow's types as text, for columns that are carried along.
//!
//! Texts and bytes are as they are, numbers as they are written, dates and times as in ISO 8601, those with a time zone
//! in UTC. Lists and structs are JSON, and bytes that are a UUID, 16 of a fixed length, hexadecimal.

use std::fmt::{Result, Write};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Decimal256Type};
use arrow_array::{
    Array, ArrayRef, downcast_integer_array, downcast_primitive_array, downcast_temporal_array,
};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;
use serde_json::Value as Json;

use super::values::CarriedColumn;

/// Bytes of a UUID.
const UUID: i32 = 16;

impl CarriedColumn for ArrayRef {
    fn text<'a>(&'a self, row: usize, buffer: &'a mut String) -> Option<&'a [u8]> {
        let (array, row) = value_at(self, row)?;
        let bytes = match array.data_type() {
            DataType::Utf8 => array.as_string::<i32>().value(row).as_bytes(),
            DataType::LargeUtf8 => array.as_string::<i64>().value(row).as_bytes(),
            DataType::Utf8View => array.as_string_view().value(row).as_bytes(),
            DataType::Binary => array.as_binary::<i32>().value(row),
            DataType::LargeBinary => array.as_binary::<i64>().value(row),
            DataType::BinaryView => array.as_binary_view().value(row),
            DataType::FixedSizeBinary(length) if *length != UUID => array.as_fixed_size_binary().value(row),
            _ => {
                buffer.clear();
                write(array, row, buffer).expect("memory takes it");
                buffer.as_bytes()
            }
        };
        Some(bytes)
    }

    fn length(&self, row: usize, buffer: &mut String) -> usize {
        if self.data_type().is_primitive() { 0 } else { self.text(row, buffer).map_or(0, <[u8]>::len) }
    }
}

/// The array and the row of it in which the value itself stands; `None` if there is none.
fn value_at(array: &ArrayRef, row: usize) -> Option<(&ArrayRef, usize)> {
    if array.is_null(row) {
        return None;
    }
    let (inner, row) = match array.data_type() {
        DataType::Null => return None,
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let keys = dictionary.keys();
            let key = downcast_integer_array!(keys => keys.value(row).to_usize(), _ => None);
            (dictionary.values(), key?)
        }
        _ => return Some((array, row)),
    };
    value_at(inner, row)
}

/// Writes what is no text.
fn write(array: &ArrayRef, row: usize, out: &mut String) -> Result {
    let list = match array.data_type() {
        DataType::List(_) => array.as_list::<i32>().value(row),
        DataType::LargeList(_) => array.as_list::<i64>().value(row),
        DataType::FixedSizeList(..) => array.as_fixed_size_list().value(row),
        DataType::Map(..) => Arc::new(array.as_map().value(row)),
        DataType::Struct(fields) => {
            out.push('{');
            for (at, (field, column)) in fields.iter().zip(array.as_struct().columns()).enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                write!(out, "{}:", Json::from(&**field.name()))?;
                write_json(column, row, out)?;
            }
            return out.write_char('}');
        }
        _ => return write_scalar(array, row, out),
    };
    out.push('[');
    for at in 0..list.len() {
        out.push_str(if at > 0 { "," } else { "" });
        write_json(&list, at, out)?;
    }
    out.write_char(']')
}

/// Writes a value within another.
fn write_json(array: &ArrayRef, row: usize, out: &mut String) -> Result {
    let Some((array, row)) = value_at(array, row) else { return out.write_str("null") };
    let kind = array.data_type();
    if kind.is_numeric() || kind.is_nested() || *kind == DataType::Boolean {
        return write(array, row, out);
    }
    let mut buffer = String::new();
    let text = array.text(row, &mut buffer).unwrap_or_default();
    write!(out, "{}", Json::from(String::from_utf8_lossy(text)))
}

fn write_scalar(array: &ArrayRef, row: usize, out: &mut String) -> Result {
    let kind = array.data_type();
    let text = match kind {
        DataType::Boolean => Some(array.as_boolean().value(row).to_string()),
        DataType::FixedSizeBinary(_) => {
            let bytes = array.as_fixed_size_binary().value(row);
            return bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"));
        }
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
    if let Some(text) = text {
        return out.write_str(&text);
    }
    // Numbers, moments that are in no calendar, and what nobody writes: as Arrow shows it.
    downcast_primitive_array!(
        array => write!(out, "{:?}", array.value(row))?,
        _ => {
            let shown = format!("{:?}", array.slice(row, 1));
            out.push_str(&shown.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    );
    if let DataType::Duration(unit) = kind { write!(out, "{unit}") } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use arrow_array::types::Int8Type;
    use arrow_array::{
        BinaryViewArray, BooleanArray, Date32Array, Date64Array, Decimal128Array, DictionaryArray,
        DurationMillisecondArray, FixedSizeBinaryArray, Float32Array, Float64Array, Int32Array,
        IntervalYearMonthArray, LargeStringArray, ListArray, NullArray, StringArray, StructArray,
        Time64MicrosecondArray, TimestampMicrosecondArray, TimestampSecondArray, UInt64Array,
    };
    use arrow_schema::Field;

    use super::*;

    /// The texts of a column, with `null` for what is none.
    fn shown(array: impl Array + 'static) -> String {
        let (array, mut buffer): (ArrayRef, _) = (Arc::new(array), String::new());
        let mut text = |row| match array.text(row, &mut buffer) {
            Some(text) => text.escape_ascii().to_string(),
            None => "null".to_owned(),
        };
        (0..array.len()).map(&mut text).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn each_type_is_the_text_that_people_write() {
        assert_eq!(
            shown(LargeStringArray::from(vec![Some("007"), None, Some(""), Some(" x")])),
            "007|null|| x"
        );
        assert_eq!(shown(BinaryViewArray::from(vec![Some(&b"a\xff"[..]), None])), "a\\xff|null");
        assert_eq!(shown(Int32Array::from(vec![Some(-7), None, Some(0)])), "-7|null|0");
        assert_eq!(shown(UInt64Array::from(vec![u64::MAX])), "18446744073709551615");
        assert_eq!(shown(Float64Array::from(vec![0.1, 5.0, 1e300, f64::NAN])), "0.1|5.0|1e300|NaN");
        assert_eq!(shown(Float32Array::from(vec![0.1])), "0.1");
        assert_eq!(shown(BooleanArray::from(vec![Some(true), Some(false), None])), "true|false|null");
        let decimals = Decimal128Array::from(vec![12345, -5]).with_precision_and_scale(9, 2);
        assert_eq!(shown(decimals.expect("they fit")), "123.45|-0.05");
        assert_eq!(shown(NullArray::new(2)), "null|null");
    }

    /// 50 years of 365 days and 12 leap days are 18262 days.
    #[test]
    fn moments_are_those_of_the_calendar() {
        const SECONDS: i64 = 18262 * 24 * 60 * 60;
        assert_eq!(
            shown(Date32Array::from(vec![Some(18262), None, Some(i32::MAX)])),
            "2020-01-01|null|2147483647"
        );
        assert_eq!(shown(Date64Array::from(vec![SECONDS * 1000])), "2020-01-01T00:00:00");
        assert_eq!(
            shown(TimestampSecondArray::from(vec![SECONDS, i64::MAX])),
            "2020-01-01T00:00:00|9223372036854775807"
        );
        let zoned =
            TimestampMicrosecondArray::from(vec![SECONDS * 1_000_000 + 500_000]).with_timezone("Asia/Seoul");
        assert_eq!(shown(zoned), "2020-01-01T00:00:00.500Z");
        assert_eq!(shown(Time64MicrosecondArray::from(vec![43_200_000_000])), "12:00:00");
        assert_eq!(shown(DurationMillisecondArray::from(vec![1500])), "1500ms");
        assert!(shown(IntervalYearMonthArray::from(vec![14])).contains("14"));
    }

    #[test]
    fn what_is_nested_is_json() {
        let numbers = vec![Some(vec![Some(1), None]), None, Some(vec![])];
        assert_eq!(
            shown(ListArray::from_iter_primitive::<arrow_array::types::Int32Type, _, _>(numbers)),
            "[1,null]|null|[]"
        );
        let columns: Vec<(Arc<Field>, ArrayRef)> = vec![
            (
                Arc::new(Field::new("a", DataType::Utf8, true)),
                Arc::new(StringArray::from(vec![Some("x\"y"), None])),
            ),
            (Arc::new(Field::new("b", DataType::Date32, false)), Arc::new(Date32Array::from(vec![18262, 0]))),
        ];
        assert_eq!(
            shown(StructArray::from(columns)),
            r#"{\"a\":\"x\\\"y\",\"b\":\"2020-01-01\"}|{\"a\":null,\"b\":\"1970-01-01\"}"#
        );
    }

    #[test]
    fn what_stands_elsewhere_is_found() {
        let words = [Some("b"), None, Some("a"), Some("b")];
        assert_eq!(shown(words.into_iter().collect::<DictionaryArray<Int8Type>>()), "b|null|a|b");
        let uuid = FixedSizeBinaryArray::try_from_iter([[0xab; 16]].into_iter()).expect("one length");
        assert_eq!(shown(uuid), "ab".repeat(16));
        let code = FixedSizeBinaryArray::try_from_iter([*b"DEU"].into_iter()).expect("one length");
        assert_eq!(shown(code), "DEU");
    }
}
