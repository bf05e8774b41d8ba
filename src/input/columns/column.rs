//! Columns of puzzles and claims, whatever type of Arrow they have.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float16Type, Float32Type, Float64Type, UInt8Type};
use arrow_array::{
    Array, ArrayAccessor, ArrayRef, ArrowPrimitiveType, BinaryArray, BinaryViewArray, FixedSizeBinaryArray,
    LargeBinaryArray, LargeStringArray, PrimitiveArray, StringArray, StringViewArray, downcast_integer_array,
};
use arrow_buffer::{ArrowNativeType, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;

use super::values::{CarriedColumn, Value, Values};
use crate::input::lost_zeros;
use crate::input::names::ROWS_LOOKED_AT;
use crate::input::text::notation::Notation;
use crate::record::{Fault, FaultKind, Place};
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
        DataType::Utf8 => Arc::new(Texts(array.as_string::<i32>().clone())),
        DataType::LargeUtf8 => Arc::new(Texts(array.as_string::<i64>().clone())),
        DataType::Utf8View => Arc::new(Texts(array.as_string_view().clone())),
        DataType::Binary => Arc::new(Texts(array.as_binary::<i32>().clone())),
        DataType::LargeBinary => Arc::new(Texts(array.as_binary::<i64>().clone())),
        DataType::BinaryView => Arc::new(Texts(array.as_binary_view().clone())),
        DataType::FixedSizeBinary(_) => Arc::new(Texts(array.as_fixed_size_binary().clone())),
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
            Arc::new(Numbers(Lists::of(&array).ok_or_else(|| error(&array))?))
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
struct Texts<A>(A);

/// An array of texts or bytes, whose values are bytes in any case.
trait TextArray: Array {
    /// Whether values are bytes, which may be digits themselves, and no characters.
    const IS_BINARY: bool;

    fn bytes(&self, row: usize) -> &[u8];
}

macro_rules! text_arrays {
    ($($array:ty, $is_binary:literal => |$bytes:ident| $as_bytes:expr,)*) => {
        $(impl TextArray for $array {
            const IS_BINARY: bool = $is_binary;

            #[inline]
            fn bytes(&self, row: usize) -> &[u8] {
                let $bytes = ArrayAccessor::value(&self, row);
                $as_bytes
            }
        })*
    };
}

text_arrays! {
    StringArray, false => |text| text.as_bytes(),
    LargeStringArray, false => |text| text.as_bytes(),
    StringViewArray, false => |text| text.as_bytes(),
    BinaryArray, true => |bytes| bytes,
    LargeBinaryArray, true => |bytes| bytes,
    BinaryViewArray, true => |bytes| bytes,
    FixedSizeBinaryArray, true => |bytes| bytes,
}

impl<A: TextArray> Values for Texts<A> {
    fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    fn get(&self, row: usize) -> Value<'_> {
        if self.0.is_null(row) {
            return Value::Missing;
        }
        let bytes = self.0.bytes(row);
        // No character of a cell is a byte below 10.
        match (bytes.first(), bytes.as_array::<CELLS>()) {
            (Some(0..10), Some(digits)) if A::IS_BINARY => match Grid::new(*digits) {
                Some(grid) => Value::Cells(Ok(grid)),
                None => Value::Text(bytes),
            },
            _ => Value::Text(bytes),
        }
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
struct Numbers(Lists);

/// Lists of lists, down to the numbers.
#[derive(Debug)]
enum Lists {
    /// Where each list begins in those within it, and the last ends.
    Lists { offsets: Vec<usize>, nulls: Option<NullBuffer>, inner: Box<Self> },
    /// So many digits to each number or text: one, or those of a row.
    Digits { digits: ScalarBuffer<u8>, numbers: ArrayRef, width: usize },
}

/// In the place of a number that is no digit.
const NO_DIGIT: u8 = u8::MAX;

/// What was found in a row so far.
struct Found {
    /// Its digits, as far as there is room.
    digits: [u8; CELLS],
    count: usize,
    /// The first cell in which -1 stands for a blank.
    first_minus_one: Option<usize>,
    /// The first number that is no digit, and its cell.
    odd: Option<(usize, String)>,
}

impl Found {
    const NOTHING: Self = Self { digits: [0; CELLS], count: 0, first_minus_one: None, odd: None };

    /// Takes note of what stands in a cell instead of a digit.
    fn see(&mut self, cell: usize, number: String) {
        if number == "-1" {
            self.first_minus_one.get_or_insert(cell);
        } else {
            self.odd.get_or_insert((cell, number));
        }
    }

    /// The grid that was found.
    fn grid(self) -> Result<Grid, Fault> {
        let fault = |kind, cell: usize| Fault::new(kind, Some(Place { line: 1, column: cell as u64 + 1 }));
        if self.count != CELLS {
            return Err(fault(FaultKind::CellCount, self.count.min(CELLS)).number(self.count));
        }
        // Where -1 is a blank, 0 is a digit of nine that begin with it.
        let mixed = self.first_minus_one.filter(|_| self.digits.contains(&0));
        if let Some((cell, number)) = self.odd.or_else(|| Some((mixed?, "-1".to_owned()))) {
            return Err(fault(FaultKind::CellNumber, cell).text(number));
        }
        let digits = self.digits.map(|digit| if digit > 9 { 0 } else { digit });
        Ok(Grid::new(digits).expect("they are digits"))
    }
}

impl Lists {
    /// `None` if there is anything else at their bottom.
    fn of(array: &ArrayRef) -> Option<Self> {
        fn places<O: ArrowNativeType>(offsets: &[O]) -> Vec<usize> {
            offsets.iter().map(|offset| offset.as_usize()).collect()
        }
        let (offsets, values) = match array.data_type() {
            DataType::List(_) => {
                (places(array.as_list::<i32>().value_offsets()), array.as_list::<i32>().values())
            }
            DataType::LargeList(_) => {
                (places(array.as_list::<i64>().value_offsets()), array.as_list::<i64>().values())
            }
            DataType::FixedSizeList(_, length) => {
                let places = (0..=array.len()).map(|row| row * length.as_usize());
                (places.collect(), array.as_fixed_size_list().values())
            }
            _ => {
                let rows = digits_of_rows(array);
                let width = if rows.is_some() { SIDE } else { 1 };
                let digits = rows.or_else(|| digits_of(array))?;
                return Some(Self::Digits { digits, numbers: Arc::clone(array), width });
            }
        };
        Some(Self::Lists { offsets, nulls: array.nulls().cloned(), inner: Box::new(Self::of(values)?) })
    }

    /// Adds what is in those rows, from left to right; more than there are cells is no puzzle, however many there are.
    fn find(&self, rows: Range<usize>, found: &mut Found) {
        let (digits, numbers, width) = match self {
            Self::Digits { digits, numbers, width } => (digits, numbers, width),
            Self::Lists { .. } => {
                for row in rows {
                    if found.count <= CELLS
                        && let Some((rows, inner)) = self.inner(row)
                    {
                        inner.find(rows, found);
                    }
                }
                return;
            }
        };
        let rows = rows.start * width..rows.end * width;
        let first = found.count.min(CELLS);
        let taken = rows.len().min(CELLS - first);
        found.digits[first..first + taken].copy_from_slice(&digits[rows.start..rows.start + taken]);
        for cell in first..first + taken {
            if found.digits[cell] > 9 {
                found.see(cell, shown(numbers, (rows.start + cell - first) / width));
            }
        }
        found.count += rows.len();
    }

    /// What a row of lists has in it; `None` if that is nothing.
    fn inner(&self, row: usize) -> Option<(Range<usize>, &Self)> {
        match self {
            Self::Lists { nulls: Some(nulls), .. } if nulls.is_null(row) => None,
            Self::Lists { offsets, inner, .. } => Some((offsets[row]..offsets[row + 1], inner)),
            Self::Digits { .. } => None,
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Lists { offsets, .. } => offsets.len() - 1,
            Self::Digits { numbers, .. } => numbers.len(),
        }
    }
}

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
    let whole = |number: Option<i64>| match number {
        Some(digit @ 0..=9) => digit.to_le_bytes()[0],
        _ => NO_DIGIT,
    };
    // Of columns with missing whole numbers pandas makes such, and NaN of what is missing.
    let float = |number: f64| {
        // -0 is 0.
        let bits = if number.is_nan() { 0 } else { (number + 0.0).to_bits() };
        (0..=9).find(|&digit| f64::from(digit).to_bits() == bits).unwrap_or(NO_DIGIT)
    };
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

impl Values for Numbers {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, row: usize) -> Value<'_> {
        let Some((rows, inner)) = self.0.inner(row) else { return Value::Missing };
        let mut found = Found::NOTHING;
        inner.find(rows, &mut found);
        Value::Cells(found.grid())
    }
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
        let mut found = Found { count: self.0.len(), ..Found::NOTHING };
        for (cell, (digits, array)) in self.0.iter().enumerate().take(CELLS) {
            found.digits[cell] = digits[row];
            if digits[row] > 9 {
                found.see(cell, shown(array, row));
            }
        }
        Value::Cells(found.grid())
    }
}
#[cfg(all(test, feature = "parquet"))]
mod tests {
    use arrow_array::builder::{
        FixedSizeListBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder, UInt8Builder,
    };
    use arrow_array::types::Int8Type;
    use arrow_array::{BooleanArray, DictionaryArray, Float64Array, NullArray};

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
