//! Columns of puzzles and claims in any suitable Arrow type.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float16Type, Float32Type, Float64Type, UInt8Type};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BinaryViewArray, PrimitiveArray, downcast_integer_array,
};
use arrow_buffer::{ArrowNativeType, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;

use super::text::{text, texts};
use super::values::{Value, Values};
use crate::input::lost_zeros;
use crate::input::names::ROWS_LOOKED_AT;
use crate::input::text::notation::Notation;
use crate::record::{Fault, FaultKind, Place};
use crate::sudoku::{CELLS, Grid, SIDE};

/// The error for a column whose type cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a column of {found} holds no puzzles (expected text or bytes of 81 cells, or lists of 81 whole numbers or of 9 x 9)"
)]
pub struct ColumnError {
    /// The type of the column.
    pub found: String,
}

/// Reads a column: text or bytes of 81 characters, bytes of 81 digits, or lists of 81 integers, flat or 9 by 9. In
/// lists, 0, -1, NaN and null stand for a blank. Dictionaries are allowed. The values are copied only if they are
/// numbers other than bytes.
///
/// # Errors
///
/// If the column has any other type.
pub fn column(array: ArrayRef) -> Result<Arc<dyn Values>, ColumnError> {
    Ok(match texts(&array) {
        Some(texts) => Arc::new(texts),
        None => Arc::new(Lists::of(&array).ok_or_else(|| error(&array))?),
    })
}

fn error(array: &ArrayRef) -> ColumnError {
    ColumnError { found: array.data_type().to_string() }
}

/// Texts, or bytes that are either characters or the digits themselves.
impl Values for BinaryViewArray {
    fn len(&self) -> usize {
        Array::len(self)
    }

    #[inline]
    fn get(&self, row: usize) -> Value<'_> {
        if self.is_null(row) {
            return Value::Missing;
        }
        let bytes = self.value(row);
        // No character that can be a cell is a byte below 10. Zeros alone do not show that the bytes are digits.
        let digits = bytes.as_array::<CELLS>().filter(|digits| digits[0] < 10);
        let grid = digits.and_then(|digits| Grid::new(*digits)).filter(|grid| grid.clues() > 0);
        grid.map_or(Value::Text(bytes), |grid| Value::Cells(Ok(grid)))
    }
}

/// Puzzles that were stored as numbers, with their leading zeros restored.
#[derive(Debug)]
pub(super) struct WithZeros(pub Arc<dyn Values>);

impl Values for WithZeros {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, row: usize) -> Value<'_> {
        let value = self.0.get(row);
        let Value::Text(text) = value else { return value };
        lost_zeros::with_zeros(text.trim_ascii()).map_or(value, |grid| Value::Cells(Ok(grid)))
    }
}

/// Restores the leading zeros in columns of puzzles that were stored as numbers, and returns a note. The first texts
/// show whether zeros are missing.
pub(crate) fn restore_zeros<'a>(
    columns: impl Iterator<Item = &'a mut Arc<dyn Values>>,
) -> Option<&'static str> {
    let columns: Vec<_> = columns.collect();
    let values = columns.iter().flat_map(|column| (0..column.len()).map(|row| column.get(row)));
    let texts = values.take(ROWS_LOOKED_AT).map(|value| match value {
        Value::Text(text) => text,
        Value::Missing => &[],
        // A grid is not a number.
        Value::Cells(_) => &[b'.'; CELLS],
    });
    lost_zeros::have_lost_zeros(texts).then(|| {
        for column in columns {
            *column = Arc::new(WithZeros(Arc::clone(column)));
        }
        lost_zeros::NOTE
    })
}

/// Numbers, or texts of one cell or one row of cells, converted to digits.
#[derive(Debug)]
struct Cells {
    array: ArrayRef,
    /// The number of digits that each number or text provides.
    width: usize,
    /// The digits; 0 if the value is missing.
    digits: ScalarBuffer<u8>,
}

/// The placeholder for a number that is not a digit.
const NO_DIGIT: u8 = u8::MAX;

impl Cells {
    /// Returns the cells of a column; `None` for other types. Texts are taken as rows if the first one is a row and
    /// `may_be_rows` is set. Bytes are not copied.
    fn of(array: &ArrayRef, may_be_rows: bool) -> Option<Self> {
        fn each<T: ArrowPrimitiveType>(
            array: &PrimitiveArray<T>,
            digit: impl Fn(T::Native) -> u8 + Copy,
        ) -> ScalarBuffer<u8> {
            match array.nulls() {
                None => array.values().iter().map(|&number| digit(number)).collect(),
                Some(_) => array.iter().map(|number| number.map_or(0, digit)).collect(),
            }
        }
        let bytes = array.as_primitive_opt::<UInt8Type>().filter(|bytes| bytes.nulls().is_none());
        if let Some(bytes) = bytes {
            return Some(Self { array: Arc::clone(array), width: 1, digits: bytes.values().clone() });
        }
        let whole =
            |number: Option<i64>| number.and_then(|number| u8::try_from(number).ok()).unwrap_or(NO_DIGIT);
        let float = |number: f64| match number {
            // pandas turns a column of integers with missing values into floats, with NaN for the missing values.
            number if number.is_nan() => 0,
            _ => (0..=9).find(|&digit| f64::from(digit) == number).unwrap_or(NO_DIGIT),
        };
        let mut width = 1;
        let digits = downcast_integer_array!(
            array => each(array, |number| whole(number.to_i64())),
            DataType::Float16 => each(array.as_primitive::<Float16Type>(), |number| float(number.into())),
            DataType::Float32 => each(array.as_primitive::<Float32Type>(), |number| float(number.into())),
            DataType::Float64 => each(array.as_primitive::<Float64Type>(), float),
            _ => {
                let texts = texts(array)?;
                let cells = |text: Option<&[u8]>, n| {
                    let cells = Notation::default().cells(text.unwrap_or_default().trim_ascii(), n);
                    cells.map_or([NO_DIGIT; CELLS], |cells| cells.values).into_iter().take(n)
                };
                let first = texts.iter().flatten().next().filter(|_| may_be_rows);
                if first.is_some_and(|first| cells(Some(first), SIDE).all(|cell| cell != NO_DIGIT)) {
                    width = SIDE;
                }
                texts.iter().flat_map(|text| cells(text, width)).collect()
            }
        );
        Some(Self { array: Arc::clone(array), width, digits })
    }

    /// Returns the text from which a digit was read.
    fn shown(&self, digit: usize) -> String {
        let text = text(&self.array, digit / self.width).unwrap_or_default();
        String::from_utf8_lossy(text.strip_suffix(b".0").unwrap_or(&text)).into_owned()
    }
}

/// Returns the grid with these digits, or the fault; `shown` returns the text of a number that is not a digit.
fn grid_of(digits: [u8; CELLS], shown: impl Fn(usize) -> String) -> Result<Grid, Fault> {
    if let Some(grid) = Grid::new(digits) {
        return Ok(grid);
    }
    // -1 is a blank only if 0 is not.
    let is_blank = |number: &str| number == "-1" && !digits.contains(&0);
    let mut others = (0..CELLS).filter(|&cell| digits[cell] > 9).map(|cell| (cell, shown(cell)));
    match others.find(|(_, number)| !is_blank(number)) {
        Some((cell, number)) => Err(Fault::new(FaultKind::CellNumber, Some(place_of(cell))).text(number)),
        None => Ok(Grid::new(digits.map(|digit| if digit > 9 { 0 } else { digit })).expect("digits")),
    }
}

/// Returns the place of a cell; the caller fills in the row.
const fn place_of(cell: usize) -> Place {
    Place { line: 1, column: cell as u64 + 1 }
}

/// Lists of cells, either flat or nested.
#[derive(Debug)]
struct Lists {
    /// The index of each row's first cell, followed by the end of the last row.
    offsets: Vec<usize>,
    nulls: Option<NullBuffer>,
    cells: Cells,
}

impl Lists {
    /// Returns `None` if the innermost values are not cells.
    fn of(array: &ArrayRef) -> Option<Self> {
        fn descend<O: ArrowNativeType>(places: &mut [usize], starts: &[O]) {
            places.iter_mut().for_each(|place| *place = starts[*place].as_usize());
        }
        if !array.data_type().is_list() {
            return None;
        }
        let mut offsets: Vec<usize> = (0..=array.len()).collect();
        let mut inner = array;
        loop {
            inner = if let Some(list) = inner.as_list_opt::<i32>() {
                descend(&mut offsets, list.value_offsets());
                list.values()
            } else if let Some(list) = inner.as_list_opt::<i64>() {
                descend(&mut offsets, list.value_offsets());
                list.values()
            } else if let Some(list) = inner.as_fixed_size_list_opt() {
                offsets.iter_mut().for_each(|place| *place *= list.value_length().as_usize());
                list.values()
            } else {
                break;
            };
        }
        let cells = Cells::of(inner, true)?;
        offsets.iter_mut().for_each(|place| *place *= cells.width);
        Some(Self { offsets, nulls: array.nulls().cloned(), cells })
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
        let start = self.offsets[row];
        let digits = &self.cells.digits[start..self.offsets[row + 1]];
        let count = || Fault::new(FaultKind::CellCount, Some(place_of(digits.len().min(CELLS))));
        let cells = digits.as_array::<CELLS>().ok_or_else(|| count().number(digits.len()));
        Value::Cells(cells.and_then(|cells| grid_of(*cells, |cell| self.cells.shown(start + cell))))
    }
}

/// Reads 81 columns of numbers or texts, with one cell each.
///
/// # Errors
///
/// If a column has any other type.
#[cfg(feature = "parquet")]
pub(super) fn each_cell(arrays: &[ArrayRef]) -> Result<Arc<dyn Values>, ColumnError> {
    let cells = arrays.iter().map(|array| Cells::of(array, false).ok_or_else(|| error(array)));
    Ok(Arc::new(cells.collect::<Result<Vec<_>, _>>()?))
}

/// Implemented for the 81 columns that hold one cell each.
#[cfg(feature = "parquet")]
impl Values for Vec<Cells> {
    fn len(&self) -> usize {
        self.first().map_or(0, |cells| cells.digits.len())
    }

    fn get(&self, row: usize) -> Value<'_> {
        let digits = std::array::from_fn(|cell| self[cell].digits[row]);
        Value::Cells(grid_of(digits, |cell| self[cell].shown(row)))
    }
}

#[cfg(all(test, feature = "parquet"))]
mod tests {
    use arrow_array::types::Int8Type;
    use arrow_array::{
        BinaryArray, BooleanArray, DictionaryArray, FixedSizeListArray, Float64Array, LargeBinaryArray,
        ListArray, StringArray, UInt8Array,
    };
    use arrow_buffer::OffsetBuffer;
    use arrow_schema::Field;

    use super::super::testing::{CLAIMS, PUZZLE, PUZZLES, drain, expected, texts};
    use super::*;
    use crate::input::Source;

    /// Returns the records read from these columns.
    fn shown(puzzles: Arc<dyn Values>, claims: Option<Arc<dyn Values>>) -> Vec<String> {
        drain(Ok(Source::of_values("t", puzzles, claims)), 162)
    }

    fn read(array: impl Array + 'static) -> Vec<String> {
        shown(column(Arc::new(array)).expect("grids"), None)
    }

    #[test]
    fn texts_and_bytes_are_read_with_what_they_claim() {
        let claims = column(texts(CLAIMS, 4)).expect("texts");
        let dictionary = [None].into_iter().chain(PUZZLES).collect::<DictionaryArray<Int8Type>>();
        for array in [texts(PUZZLES, 4), Arc::new(dictionary.slice(1, 4))] {
            assert_eq!(shown(column(array).expect("texts"), Some(Arc::clone(&claims))), expected(4));
        }
        assert_eq!(read(LargeBinaryArray::from_iter(PUZZLES)), read(StringArray::from_iter(PUZZLES)));
        let none = [None::<&str>].into_iter().collect::<DictionaryArray<Int8Type>>();
        assert_eq!(read(none), ["1:1: 0 cells (expected 81)"]);
        // Blanks and words for nothing are not claims, and there is no claim without a puzzle.
        let puzzles = [Some(PUZZLE), Some("x"), Some(PUZZLE), Some(PUZZLE), Some(PUZZLE)];
        let claims = [Some(""), Some(PUZZLE), Some("NaN"), Some("12"), Some(&*".".repeat(81))];
        let [puzzles, claims] =
            [puzzles, claims].map(|texts| column(Arc::new(StringArray::from(texts.to_vec()))));
        let bad = ["2:2: 1 cell (expected 81)", "P > claimed solution: 2 cells (expected 81)"];
        assert_eq!(shown(puzzles.expect("texts"), claims.ok()), ["P", bad[0], "P", bad[1], "P"]);
    }

    /// Returns a column of three lists: one with all the values, an empty one, and a missing one.
    fn lists(length: usize, values: impl Array + 'static) -> ArrayRef {
        let field = Arc::new(Field::new_list_field(values.data_type().clone(), true));
        let nulls = Some(NullBuffer::from(vec![true, true, false]));
        Arc::new(ListArray::new(field, OffsetBuffer::from_lengths([length, 0, 0]), Arc::new(values), nulls))
    }

    #[test]
    fn lists_of_texts_are_grids_and_so_are_lists_in_lists() {
        let empty = ["P", "2:1: 0 cells (expected 81)", "3:1: 0 cells (expected 81)"];
        let signs = StringArray::from_iter_values(PUZZLE.chars().map(String::from));
        assert_eq!(read(lists(81, signs)), empty);
        assert_eq!(read(lists(9, BinaryArray::from_iter_values(PUZZLE.as_bytes().chunks(9)))), empty);
        let bytes: ArrayRef = Arc::new(PUZZLE.bytes().map(|byte| byte - b'0').collect::<UInt8Array>());
        let field = Arc::new(Field::new_list_field(DataType::UInt8, true));
        assert_eq!(read(lists(9, FixedSizeListArray::new(field, 9, bytes, None))), empty);
    }

    #[test]
    fn blanks_are_0_or_minus_one_or_no_number_and_what_is_no_digit_is_named() {
        let list = |cells: Vec<Option<f64>>| read(lists(cells.len(), Float64Array::from(cells))).remove(0);
        for blank in [Some(0.0), Some(-0.0), Some(-1.0), Some(f64::NAN), None] {
            let cell = |byte: u8| if byte == b'0' { blank } else { Some(f64::from(byte - b'0')) };
            assert_eq!(list(PUZZLE.bytes().map(cell).collect()), "P", "{blank:?}");
        }
        // If -1 is a blank, 0 is not a digit; a fraction never is.
        let odd = |at: usize, cell: f64, others: f64| {
            list((0..81).map(|other| Some(if other == at { cell } else { others })).collect())
        };
        assert!(odd(40, 0.5, 0.0).starts_with("1:41: number '0.5'"));
        assert!(odd(40, 0.0, -1.0).starts_with("1:1: number '-1'"));
        assert!(odd(7, 17.0, 1.0).starts_with("1:8: number '17' (expected a digit 1-9, 0 or .)"));
        assert_eq!(list(vec![Some(1.0); 82]), "1:82: 82 cells (expected 81)");
    }

    #[test]
    fn columns_of_a_cell_each_are_grids_and_other_types_are_none() {
        let of_cells = |cell: usize| -> ArrayRef {
            let digit = PUZZLE.as_bytes()[cell] - b'0';
            let some = (digit > 0).then(|| f64::from(digit));
            Arc::new(Float64Array::from(vec![some, (cell == 5).then_some(17.0).or(some), None]))
        };
        let grids = each_cell(&(0..81).map(of_cells).collect::<Vec<_>>()).expect("numbers");
        let number = "2:6: number '17' (expected a digit 1-9, 0 or .)";
        assert_eq!(shown(grids, None), ["P", number, &".".repeat(81)]);
        // A row of cells is not a single cell.
        let rows = each_cell(&vec![texts([Some(&PUZZLE[..9]); 4], 1); 81]);
        assert!(shown(rows.expect("texts"), None)[0].starts_with("1:1: number '003020600'"));
        let flags: ArrayRef = Arc::new(BooleanArray::from(vec![true]));
        let error = each_cell(&vec![Arc::clone(&flags); 81]).expect_err("flags").to_string();
        assert!(error.starts_with("a column of Boolean holds no puzzles"), "{error}");
        assert!(column(lists(1, flags)).is_err());
    }
}
