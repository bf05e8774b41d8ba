//! Columns of puzzles and claims, whatever type of Arrow they have.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayAccessor, ArrayRef, ArrowPrimitiveType, BinaryArray, BinaryViewArray, DictionaryArray,
    FixedSizeBinaryArray, FixedSizeListArray, GenericListArray, LargeBinaryArray, LargeStringArray,
    OffsetSizeTrait, StringArray, StringViewArray,
};
use arrow_buffer::ScalarBuffer;
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
        DataType::Dictionary(key, _) => match **key {
            DataType::Int8 => dictionary::<Int8Type>(&array)?,
            DataType::Int16 => dictionary::<Int16Type>(&array)?,
            DataType::Int32 => dictionary::<Int32Type>(&array)?,
            DataType::Int64 => dictionary::<Int64Type>(&array)?,
            DataType::UInt8 => dictionary::<UInt8Type>(&array)?,
            DataType::UInt16 => dictionary::<UInt16Type>(&array)?,
            DataType::UInt32 => dictionary::<UInt32Type>(&array)?,
            DataType::UInt64 => dictionary::<UInt64Type>(&array)?,
            _ => return Err(error(&array)),
        },
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
struct Dictionary<K: ArrowDictionaryKeyType> {
    array: DictionaryArray<K>,
    values: Arc<dyn Values>,
}

fn dictionary<K: ArrowDictionaryKeyType + Debug>(array: &ArrayRef) -> Result<Arc<dyn Values>, ColumnError> {
    let array = array.as_dictionary::<K>().clone();
    let values = column(Arc::clone(array.values()))?;
    Ok(Arc::new(Dictionary { array, values }))
}

impl<K: ArrowDictionaryKeyType + Debug> Values for Dictionary<K> {
    fn len(&self) -> usize {
        self.array.len()
    }

    fn get(&self, row: usize) -> Value<'_> {
        self.array.key(row).map_or(Value::Missing, |key| self.values.get(key))
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
        columns.into_iter().for_each(|column| *column = with_restored_zeros(Arc::clone(column)));
        lost_zeros::NOTE
    })
}

/// Lists of whole numbers, flat or of lists.
#[derive(Debug)]
struct Numbers(Lists);

/// Lists of lists, down to the numbers.
#[derive(Debug)]
enum Lists {
    Small(GenericListArray<i32>, Box<Lists>),
    Large(GenericListArray<i64>, Box<Lists>),
    Fixed(FixedSizeListArray, Box<Lists>),
    /// So many digits to each number or text: one, or those of a row.
    Digits {
        digits: ScalarBuffer<u8>,
        numbers: ArrayRef,
        width: usize,
    },
}

/// In the place of a number that is no digit.
const NO_DIGIT: u8 = u8::MAX;

/// What was found in a row so far.
struct Found {
    /// Its digits, as far as there is room.
    digits: [u8; CELLS],
    count: usize,
    /// How often -1 stands for a blank, which is 0 in `digits`, and in which cell first.
    minus_ones: usize,
    first_minus_one: Option<usize>,
    /// The first number that is no digit, and its cell.
    odd: Option<(usize, String)>,
}

impl Found {
    const NOTHING: Self =
        Self { digits: [0; CELLS], count: 0, minus_ones: 0, first_minus_one: None, odd: None };

    /// Takes note of what stands in a cell instead of a digit.
    fn see(&mut self, cell: usize, number: String) {
        if number == "-1" {
            (self.digits[cell], self.minus_ones) = (0, self.minus_ones + 1);
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
        let blanks = self.digits.iter().filter(|&&digit| digit == 0).count();
        // Where -1 is a blank, 0 is a digit of nine that begin with it.
        let mixed = self.first_minus_one.filter(|_| blanks > self.minus_ones);
        match self.odd.or_else(|| Some((mixed?, "-1".to_owned()))) {
            Some((cell, number)) => Err(fault(FaultKind::CellNumber, cell).text(number)),
            None => Ok(Grid::new(self.digits).expect("what is no digit was seen")),
        }
    }
}

impl Lists {
    /// `None` if there is anything else at their bottom.
    fn of(array: &ArrayRef) -> Option<Self> {
        let list = match array.data_type() {
            DataType::List(_) => {
                let list = array.as_list::<i32>().clone();
                let inner = Self::of(list.values())?;
                Self::Small(list, Box::new(inner))
            }
            DataType::LargeList(_) => {
                let list = array.as_list::<i64>().clone();
                let inner = Self::of(list.values())?;
                Self::Large(list, Box::new(inner))
            }
            DataType::FixedSizeList(..) => {
                let list = array.as_fixed_size_list().clone();
                let inner = Self::of(list.values())?;
                Self::Fixed(list, Box::new(inner))
            }
            _ => {
                let rows = digits_of_rows(array);
                let width = if rows.is_some() { SIDE } else { 1 };
                Self::Digits { digits: rows.or_else(|| digits_of(array))?, numbers: Arc::clone(array), width }
            }
        };
        Some(list)
    }

    /// Adds what is in those rows, from left to right; more than there are cells is no puzzle, however many there are.
    fn find(&self, rows: Range<usize>, found: &mut Found) {
        if let Self::Digits { digits, numbers, width } = self {
            let rows = rows.start * width..rows.end * width;
            let first = found.count.min(CELLS);
            let room = &mut found.digits[first..];
            let taken = rows.len().min(room.len());
            room[..taken].copy_from_slice(&digits[rows.start..rows.start + taken]);
            for cell in first..first + taken {
                if found.digits[cell] > 9 {
                    found.see(cell, shown(numbers, (rows.start + cell - first) / width));
                }
            }
            found.count += rows.len();
            return;
        }
        for row in rows {
            if found.count > CELLS {
                return;
            }
            if let Some((rows, inner)) = self.inner(row) {
                inner.find(rows, found);
            }
        }
    }

    /// What a row of lists has in it; `None` if that is nothing.
    fn inner(&self, row: usize) -> Option<(Range<usize>, &Self)> {
        let (is_null, rows, inner) = match self {
            Self::Small(list, inner) => (list.is_null(row), rows_of(list, row), inner),
            Self::Large(list, inner) => (list.is_null(row), rows_of(list, row), inner),
            Self::Fixed(list, inner) => {
                let start = list.value_offset_at(row);
                (list.is_null(row), start..start + list.value_length() as usize, inner)
            }
            Self::Digits { .. } => return None,
        };
        (!is_null).then_some((rows, inner))
    }

    fn len(&self) -> usize {
        match self {
            Self::Small(list, _) => list.len(),
            Self::Large(list, _) => list.len(),
            Self::Fixed(list, _) => list.len(),
            Self::Digits { numbers, .. } => numbers.len(),
        }
    }
}

fn rows_of<O: OffsetSizeTrait>(list: &GenericListArray<O>, row: usize) -> Range<usize> {
    let offsets = list.value_offsets();
    offsets[row].as_usize()..offsets[row + 1].as_usize()
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
    fn of<T: ArrowPrimitiveType<Native: TryInto<u8>>>(array: &ArrayRef) -> ScalarBuffer<u8> {
        let digit =
            |number: T::Native| number.try_into().ok().filter(|&digit| digit <= 9).unwrap_or(NO_DIGIT);
        each::<T>(array, digit)
    }
    // Of columns with missing whole numbers pandas makes such, and NaN of what is missing.
    fn of_floats<T: ArrowPrimitiveType<Native: Into<f64>>>(array: &ArrayRef) -> ScalarBuffer<u8> {
        let digit = |number: T::Native| match number.into() {
            number if number.is_nan() => 0,
            number => (0..=9).find(|&digit| f64::from(digit) == number).unwrap_or(NO_DIGIT),
        };
        each::<T>(array, digit)
    }
    fn of_texts(array: &ArrayRef) -> ScalarBuffer<u8> {
        let mut buffer = String::new();
        let mut digit = |row| {
            let text = array.text(row, &mut buffer).unwrap_or_default().trim_ascii();
            Notation::default().cells(text, 1).map_or(NO_DIGIT, |cell| cell.values[0])
        };
        (0..array.len()).map(&mut digit).collect()
    }
    fn each<T: ArrowPrimitiveType>(
        array: &ArrayRef,
        digit: impl Fn(T::Native) -> u8 + Copy,
    ) -> ScalarBuffer<u8> {
        let array = array.as_primitive::<T>();
        match array.nulls() {
            None => array.values().iter().map(|&number| digit(number)).collect(),
            Some(_) => array.iter().map(|number| number.map_or(0, digit)).collect(),
        }
    }
    let digits = match array.data_type() {
        DataType::UInt8 if array.nulls().is_none() => array.as_primitive::<UInt8Type>().values().clone(),
        DataType::UInt8 => of::<UInt8Type>(array),
        DataType::UInt16 => of::<UInt16Type>(array),
        DataType::UInt32 => of::<UInt32Type>(array),
        DataType::UInt64 => of::<UInt64Type>(array),
        DataType::Int8 => of::<Int8Type>(array),
        DataType::Int16 => of::<Int16Type>(array),
        DataType::Int32 => of::<Int32Type>(array),
        DataType::Int64 => of::<Int64Type>(array),
        DataType::Float16 => of_floats::<Float16Type>(array),
        DataType::Float32 => of_floats::<Float32Type>(array),
        DataType::Float64 => of_floats::<Float64Type>(array),
        kind if is_text(kind) => of_texts(array),
        _ => return None,
    };
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
