//! Columns of puzzles and claims, whatever type of Arrow they have.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{ByteArrayType, ByteViewType, Float16Type, Float32Type, Float64Type, UInt8Type};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, FixedSizeBinaryArray, GenericByteArray, GenericByteViewArray,
    PrimitiveArray, downcast_integer_array,
};
use arrow_buffer::{ArrowNativeType, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;

use super::values::{CarriedColumn, Value, Values, grid_of_digits, place_of, small_number};
use crate::input::lost_zeros;
use crate::input::names::ROWS_LOOKED_AT;
use crate::input::text::notation::Notation;
use crate::record::{Fault, FaultKind};
use crate::sudoku::{CELLS, Grid, SIDE, digit_of};

/// Why a column cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a column of {found} holds no puzzles (expected text or bytes of 81 cells, or lists of 81 whole numbers or of 9 x 9)"
)]
pub struct ColumnError {
    /// The type of the column.
    pub found: String,
}

/// Reads a column: text or bytes of 81 characters, bytes of 81 digits, or lists of 81 whole numbers, flat or 9 by 9, with
/// 0, -1, NaN or nothing for a blank; any of them by dictionary, too. Only numbers that are no bytes are copied.
///
/// # Errors
///
/// When it has another type.
pub fn column(array: ArrayRef) -> Result<Arc<dyn Values>, ColumnError> {
    let values: Arc<dyn Values> = match array.data_type() {
        DataType::Utf8 => texts(array.as_string::<i32>()),
        DataType::LargeUtf8 => texts(array.as_string::<i64>()),
        DataType::Utf8View => texts(array.as_string_view()),
        DataType::Binary => texts(array.as_binary::<i32>()),
        DataType::LargeBinary => texts(array.as_binary::<i64>()),
        DataType::BinaryView => texts(array.as_binary_view()),
        DataType::FixedSizeBinary(_) => texts(array.as_fixed_size_binary()),
        DataType::Null => Arc::new(Nothing(array.len())),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let values = column(Arc::clone(dictionary.values()))?;
            if values.is_empty() {
                return Ok(Arc::new(Nothing(array.len())));
            }
            Arc::new(Dictionary { keys: dictionary.normalized_keys(), nulls: array.logical_nulls(), values })
        }
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => {
            Arc::new(Lists::of(&array).ok_or_else(|| error(&array))?)
        }
        _ => return Err(error(&array)),
    };
    Ok(values)
}

fn error(array: &ArrayRef) -> ColumnError {
    ColumnError { found: array.data_type().to_string() }
}

/// Text or bytes.
#[derive(Debug)]
struct Texts<A> {
    array: A,
    /// Whether values are bytes, which may be digits themselves, and no characters.
    is_binary: bool,
}

/// An array of texts or bytes, whose values are bytes in any case.
trait TextArray: Array + Clone {
    /// The bytes in a row.
    fn bytes(&self, row: usize) -> &[u8];
}

impl<T: ByteArrayType> TextArray for GenericByteArray<T> {
    #[inline]
    fn bytes(&self, row: usize) -> &[u8] {
        self.value(row).as_ref()
    }
}

impl<T: ByteViewType + ?Sized> TextArray for GenericByteViewArray<T> {
    #[inline]
    fn bytes(&self, row: usize) -> &[u8] {
        self.value(row).as_ref()
    }
}

impl TextArray for FixedSizeBinaryArray {
    #[inline]
    fn bytes(&self, row: usize) -> &[u8] {
        self.value(row)
    }
}

/// A column of such an array.
fn texts(array: &(impl TextArray + 'static)) -> Arc<dyn Values> {
    let is_binary = !matches!(array.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    Arc::new(Texts { array: array.clone(), is_binary })
}

impl<A: TextArray> Values for Texts<A> {
    fn len(&self) -> usize {
        self.array.len()
    }

    #[inline]
    fn get(&self, row: usize) -> Value<'_> {
        if self.array.is_null(row) {
            return Value::Missing;
        }
        let bytes = self.array.bytes(row);
        // No character of a cell is a byte below 10.
        let digits = bytes.as_array::<CELLS>().filter(|digits| self.is_binary && digits[0] < 10);
        digits.and_then(|digits| Grid::new(*digits)).map_or(Value::Text(bytes), |grid| Value::Cells(Ok(grid)))
    }
}

/// A column without a type has no value.
#[derive(Debug)]
struct Nothing(usize);

impl Values for Nothing {
    fn len(&self) -> usize {
        self.0
    }

    fn get(&self, _: usize) -> Value<'_> {
        Value::Missing
    }
}

/// Values by their numbers.
#[derive(Debug)]
struct Dictionary {
    keys: Vec<usize>,
    nulls: Option<NullBuffer>,
    values: Arc<dyn Values>,
}

impl Values for Dictionary {
    fn len(&self) -> usize {
        self.keys.len()
    }

    fn get(&self, row: usize) -> Value<'_> {
        match &self.nulls {
            Some(nulls) if nulls.is_null(row) => Value::Missing,
            _ => self.values.get(self.keys[row]),
        }
    }
}

/// Puzzles that were taken for numbers, with the leading zeros that they lost.
#[derive(Debug)]
struct WithZeros(Arc<dyn Values>);

impl Values for WithZeros {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, row: usize) -> Value<'_> {
        let value = self.0.get(row);
        match &value {
            Value::Text(text) => match lost_zeros::with_zeros(text.trim_ascii()) {
                Some(grid) => Value::Cells(Ok(grid)),
                None => value,
            },
            Value::Missing | Value::Cells(_) => value,
        }
    }
}

/// Such puzzles with the zeros that they lost.
pub(super) fn with_restored_zeros(puzzles: Arc<dyn Values>) -> Arc<dyn Values> {
    Arc::new(WithZeros(puzzles))
}

/// Gives columns of puzzles the leading zeros back that they lost where they were taken for numbers, and says so. What
/// lost them the first texts show.
pub(crate) fn restore_zeros<'a>(
    columns: impl Iterator<Item = &'a mut Arc<dyn Values>>,
) -> Option<&'static str> {
    let columns: Vec<_> = columns.collect();
    let values = columns.iter().flat_map(|column| (0..column.len()).map(|row| column.get(row)));
    let texts: Option<Vec<_>> = values
        .take(ROWS_LOOKED_AT)
        .map(|value| match value {
            Value::Text(text) => Some(text),
            Value::Missing => Some(&[][..]),
            Value::Cells(_) => None,
        })
        .collect();
    let lost = texts.is_some_and(|texts| lost_zeros::have_lost_zeros(texts.into_iter()));
    lost.then(|| {
        for column in columns {
            *column = with_restored_zeros(Arc::clone(column));
        }
        lost_zeros::NOTE
    })
}

/// Lists of whole numbers, flat or of lists.
#[derive(Debug)]
struct Lists {
    /// Where in the numbers each row begins, and the last ends.
    offsets: Vec<usize>,
    nulls: Option<NullBuffer>,
    numbers: ArrayRef,
    /// So many digits to each number or text: one, or those of a row.
    width: usize,
    digits: ScalarBuffer<u8>,
}

impl Lists {
    /// `None` if there is anything else at their bottom.
    fn of(array: &ArrayRef) -> Option<Self> {
        fn descend<O: ArrowNativeType>(places: &mut [usize], offsets: &[O]) {
            for place in places {
                *place = offsets[*place].as_usize();
            }
        }
        let mut offsets: Vec<usize> = (0..=array.len()).collect();
        let mut numbers = array;
        loop {
            numbers = match numbers.data_type() {
                DataType::List(_) => {
                    descend(&mut offsets, numbers.as_list::<i32>().value_offsets());
                    numbers.as_list::<i32>().values()
                }
                DataType::LargeList(_) => {
                    descend(&mut offsets, numbers.as_list::<i64>().value_offsets());
                    numbers.as_list::<i64>().values()
                }
                DataType::FixedSizeList(_, length) => {
                    for place in &mut offsets {
                        *place *= length.as_usize();
                    }
                    numbers.as_fixed_size_list().values()
                }
                _ => break,
            };
        }
        let rows = digits_of_rows(numbers);
        let width = if rows.is_some() { SIDE } else { 1 };
        let digits = rows.or_else(|| digits_of(numbers))?;
        Some(Self { offsets, nulls: array.nulls().cloned(), numbers: Arc::clone(numbers), width, digits })
    }
}

impl Values for Lists {
    fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    fn get(&self, row: usize) -> Value<'_> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return Value::Missing;
        }
        let (start, end) = (self.offsets[row] * self.width, self.offsets[row + 1] * self.width);
        let digits = &self.digits[start..end];
        let number = |cell| shown(&self.numbers, (start + cell) / self.width);
        let count = || Fault::new(FaultKind::CellCount, Some(place_of(digits.len().min(CELLS))));
        let cells = digits.as_array::<CELLS>().ok_or_else(|| count().number(digits.len()));
        Value::Cells(cells.and_then(|cells| grid_of_digits(*cells, number)))
    }
}

/// In the place of a number that is no digit.
const NO_DIGIT: u8 = u8::MAX;

/// Whether values of a type are texts.
fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_text(values),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::BinaryView => true,
        _ => false,
    }
}

/// Texts of a row of a grid each, as digits; `None` if the first is no row.
fn digits_of_rows(array: &ArrayRef) -> Option<ScalarBuffer<u8>> {
    let mut buffer = String::new();
    let mut digits = |row| {
        let row: &[u8; SIDE] = array.text(row, &mut buffer)?.trim_ascii().as_array()?;
        let digits = row.map(|byte| digit_of(byte).unwrap_or(NO_DIGIT));
        (!digits.contains(&NO_DIGIT)).then_some(digits)
    };
    let first = (0..array.len()).find(|&row| array.is_valid(row))?;
    let has_rows = is_text(array.data_type()) && digits(first).is_some();
    has_rows.then(|| (0..array.len()).flat_map(|row| digits(row).unwrap_or([NO_DIGIT; SIDE])).collect())
}

/// Numbers, or texts of a cell each, as digits, 0 where there is none; `None` if they are neither. Bytes are not copied.
fn digits_of(array: &ArrayRef) -> Option<ScalarBuffer<u8>> {
    fn each<T: ArrowPrimitiveType>(
        array: &PrimitiveArray<T>,
        digit: impl Fn(T::Native) -> u8 + Copy,
    ) -> ScalarBuffer<u8> {
        match array.nulls() {
            None => array.values().iter().map(|&number| digit(number)).collect(),
            Some(_) => array.iter().map(|number| number.map_or(0, digit)).collect(),
        }
    }
    let whole = |number: Option<i64>| number.and_then(|number| u8::try_from(number).ok()).unwrap_or(NO_DIGIT);
    // Of columns with missing whole numbers pandas makes such, and NaN of what is missing.
    let float = |number: f64| if number.is_nan() { 0 } else { small_number(number) };
    let text = |row| {
        let mut buffer = String::new();
        let text = array.text(row, &mut buffer).unwrap_or_default().trim_ascii();
        Notation::default().cells(text, 1).map_or(NO_DIGIT, |cell| cell.values[0])
    };
    if *array.data_type() == DataType::UInt8 && array.nulls().is_none() {
        return Some(array.as_primitive::<UInt8Type>().values().clone());
    }
    let digits = downcast_integer_array!(
        array => each(array, |number| whole(number.to_i64())),
        DataType::Float16 => each(array.as_primitive::<Float16Type>(), |number| float(number.into())),
        DataType::Float32 => each(array.as_primitive::<Float32Type>(), |number| float(number.into())),
        DataType::Float64 => each(array.as_primitive::<Float64Type>(), float),
        kind if is_text(kind) => (0..array.len()).map(text).collect(),
        _ => return None,
    );
    Some(digits)
}

/// A number, or the text in its place, as people write it.
fn shown(array: &ArrayRef, row: usize) -> String {
    let mut buffer = String::new();
    let text = String::from_utf8_lossy(array.text(row, &mut buffer).unwrap_or_default());
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// 81 columns of a cell each.
#[cfg(feature = "parquet")]
#[derive(Debug)]
struct EachCell(Vec<(ScalarBuffer<u8>, ArrayRef)>);

/// Reads 81 columns of numbers or texts, a cell each.
///
/// # Errors
///
/// When one has another type.
#[cfg(feature = "parquet")]
pub(super) fn each_cell(arrays: Vec<ArrayRef>) -> Result<Arc<dyn Values>, ColumnError> {
    let cells = arrays.into_iter().map(|array| {
        let digits = digits_of(&array).ok_or_else(|| error(&array))?;
        Ok((digits, array))
    });
    Ok(Arc::new(EachCell(cells.collect::<Result<_, _>>()?)))
}

#[cfg(feature = "parquet")]
impl Values for EachCell {
    fn len(&self) -> usize {
        self.0.first().map_or(0, |(digits, _)| digits.len())
    }

    fn get(&self, row: usize) -> Value<'_> {
        let mut cells = [0; CELLS];
        for (cell, (digits, _)) in cells.iter_mut().zip(&self.0) {
            *cell = digits[row];
        }
        Value::Cells(grid_of_digits(cells, |cell| shown(&self.0[cell].1, row)))
    }
}

#[cfg(all(test, feature = "parquet"))]
mod tests {
    use arrow_array::builder::{
        FixedSizeListBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder, UInt8Builder,
    };
    use arrow_array::types::Int8Type;
    use arrow_array::{
        BinaryArray, BinaryViewArray, BooleanArray, DictionaryArray, Float64Array, LargeStringArray,
        NullArray, StringArray,
    };

    use super::super::testing::arrow::{PUZZLES, texts};
    use super::super::testing::{PUZZLE, dotted};
    use super::*;

    /// What a value is: a grid, a text, the column of a fault and its reason, or nothing.
    fn shown(value: &Value<'_>) -> String {
        match value {
            Value::Missing => String::new(),
            Value::Text(text) => text.escape_ascii().to_string(),
            Value::Cells(Ok(grid)) => grid.to_string(),
            Value::Cells(Err(fault)) => {
                format!("{}: {}", fault.place.expect("a cell").column, fault.reason())
            }
        }
    }

    fn all(array: impl Array + 'static) -> Vec<String> {
        let values = column(Arc::new(array)).expect("a column of grids");
        (0..values.len()).map(|row| shown(&values.get(row))).collect()
    }

    fn digits() -> impl Iterator<Item = u8> {
        PUZZLE.bytes().map(|byte| byte - b'0')
    }

    #[test]
    fn texts_and_bytes_are_as_they_lie() {
        let expected = || PUZZLES.map(Option::unwrap_or_default);
        assert_eq!(all(PUZZLES.into_iter().collect::<StringArray>()), expected());
        assert_eq!(all(PUZZLES.into_iter().collect::<LargeStringArray>()), expected());
        assert_eq!(all(PUZZLES.into_iter().collect::<BinaryViewArray>()), expected());
        assert_eq!(all(PUZZLES.into_iter().collect::<DictionaryArray<Int8Type>>()), expected());
        let none: [Option<&str>; 2] = [None, None];
        assert_eq!(all(none.into_iter().collect::<DictionaryArray<Int8Type>>()), ["", ""]);
        assert_eq!(all(NullArray::new(2)), ["", ""]);
        let binary = digits().collect::<Vec<u8>>();
        assert_eq!(
            all(BinaryArray::from_iter_values([&binary[..], &binary[..3]])),
            [&dotted(), r"\x00\x00\x03"]
        );
    }

    #[test]
    fn lists_of_numbers_and_of_texts_are_grids() {
        let mut nested = ListBuilder::new(ListBuilder::new(Int64Builder::new()));
        let mut fixed = FixedSizeListBuilder::new(UInt8Builder::new(), 81);
        let mut characters = ListBuilder::new(StringBuilder::new());
        let mut rows = ListBuilder::new(StringBuilder::new());
        let cells: Vec<u8> = digits().collect();
        for row in cells.chunks(9) {
            nested.values().values().extend(row.iter().map(|&digit| Some(digit.into())));
            nested.values().append(true);
            rows.values().append_value(row.iter().map(u8::to_string).collect::<String>());
        }
        for &digit in &cells {
            characters.values().append_value(if digit == 0 { ".".to_owned() } else { digit.to_string() });
            fixed.values().append_value(digit);
        }
        for is_valid in [true, false, true] {
            nested.append(is_valid);
            rows.append(is_valid);
            characters.append(is_valid);
        }
        fixed.append(true);
        (0..81).for_each(|_| fixed.values().append_null());
        fixed.append(false);
        let empty = "1: 0 cells (expected 81)";
        assert_eq!(all(nested.finish()), [&dotted(), "", empty]);
        assert_eq!(all(rows.finish()), [&dotted(), "", empty]);
        assert_eq!(all(characters.finish()), [&dotted(), "", empty]);
        let fixed = fixed.finish();
        assert_eq!(all(fixed.slice(1, 1)), [""]);
        assert_eq!(all(fixed), [&dotted(), ""]);
    }

    #[test]
    fn blanks_are_0_or_minus_one_or_no_number_and_what_is_no_digit_is_named() {
        let list = |cells: &mut dyn Iterator<Item = Option<f64>>| {
            let mut list = ListBuilder::new(Float64Builder::new());
            cells.for_each(|cell| list.values().append_option(cell));
            list.append(true);
            all(list.finish()).remove(0)
        };
        let with_blank = |blank: Option<f64>| {
            list(&mut digits().map(|digit| if digit == 0 { blank } else { Some(digit.into()) }))
        };
        for blank in [Some(0.0), Some(-1.0), Some(f64::NAN), None] {
            assert_eq!(with_blank(blank), dotted(), "{blank:?}");
        }
        // Where -1 is a blank, 0 is no digit; nor is half a number.
        let odd = |at: usize, cell: f64, others: f64| {
            list(&mut (0..81).map(|other| Some(if other == at { cell } else { others })))
        };
        assert!(odd(40, 0.5, 0.0).starts_with("41: number '0.5'"));
        assert!(odd(40, 0.0, -1.0).starts_with("1: number '-1'"));
        assert!(odd(7, 17.0, 1.0).starts_with("8: number '17'"));
        assert_eq!(list(&mut (0..82).map(|_| Some(1.0))), "82: 82 cells (expected 81)");
    }

    #[test]
    fn columns_of_a_cell_each_are_grids_and_other_types_are_none() {
        let of_cells = |cell: usize| -> ArrayRef {
            let digit = PUZZLE.as_bytes()[cell] - b'0';
            let some = (digit > 0).then(|| f64::from(digit));
            Arc::new(Float64Array::from(vec![some, (cell == 5).then_some(17.0).or(some), None]))
        };
        let grids = each_cell((0..81).map(of_cells).collect()).expect("numbers");
        let shown: Vec<_> = (0..grids.len()).map(|row| shown(&grids.get(row))).collect();
        let number = "6: number '17' (expected a digit 1-9, 0 or .)";
        assert_eq!(shown, [&dotted(), number, &".".repeat(81)]);
        let flags: ArrayRef = Arc::new(BooleanArray::from(vec![true]));
        let error = column(Arc::clone(&flags)).expect_err("flags").to_string();
        assert!(error.starts_with("a column of Boolean holds no puzzles"), "{error}");
        assert!(each_cell(vec![flags; 81]).is_err());
    }

    #[test]
    fn numbers_get_their_zeros_back_in_all_columns_if_the_first_lost_them() {
        let short = &PUZZLE[2..];
        let whole = format!("48{short}");
        let lost = texts([Some(short), Some(&whole), Some(short), None], 8);
        let mut columns = [column(Arc::clone(&lost)), column(lost)].map(|column| column.expect("texts"));
        assert!(restore_zeros(columns.iter_mut()).is_some());
        for column in &columns {
            assert_eq!(
                [0, 1, 3].map(|row| shown(&column.get(row))),
                [dotted(), whole.clone(), String::new()]
            );
        }
        let mut kept = [column(texts(PUZZLES, 8)).expect("texts")];
        assert_eq!(restore_zeros(kept.iter_mut()), None);
    }
}
