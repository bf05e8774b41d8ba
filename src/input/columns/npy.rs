//! NumPy arrays: N x 81 or N x 9 x 9 integers, or N strings of 81 cells, with one puzzle per row.
//!
//! The header is a Python literal and is parsed here. Rows are read in order, even from pipes and compressed files, and
//! turned into Arrow columns. If all cells are 1 to 10 and some are 10, they count as tokens (the digit plus 1), as in
//! the training data for HRM. For `all__inputs.npy`, the claims are read from `all__labels.npy` in the same folder.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{
    ArrayRef, ArrowPrimitiveType, FixedSizeListArray, PrimitiveArray, RecordBatch, StringArray,
};
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_schema::Field;

use super::table::{self, Reason, RecordBatches};
use super::{BinaryInput, BinaryRows, Bytes};
use crate::input::hash::Hash;
use crate::input::names::Chosen;
use crate::input::stream::{Raw, Stream};
use crate::input::{Framing, InputError, MAX_LINE};
use crate::sudoku::{CELLS, SIDE};

/// The first bytes of an array.
const MAGIC: &[u8] = b"\x93NUMPY";

/// The names of the puzzle file and the solution file in an HRM data set.
const TOKEN_FILES: [&str; 2] = ["all__inputs.npy", "all__labels.npy"];

/// A function that makes a column of numbers from bytes.
type Numbers = fn(Buffer) -> ArrayRef;

/// The number types by NumPy name, which consists of a letter for the kind and the number of bytes.
const NUMBERS: [(&str, Numbers); 10] = [
    ("i1", numbers::<Int8Type>),
    ("i2", numbers::<Int16Type>),
    ("i4", numbers::<Int32Type>),
    ("i8", numbers::<Int64Type>),
    ("u1", numbers::<UInt8Type>),
    ("u2", numbers::<UInt16Type>),
    ("u4", numbers::<UInt32Type>),
    ("u8", numbers::<UInt64Type>),
    ("f4", numbers::<Float32Type>),
    ("f8", numbers::<Float64Type>),
];

fn numbers<T: ArrowPrimitiveType>(bytes: Buffer) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(bytes.into(), None))
}

/// Reads the header of an array: the element type, whether the array is in Fortran order, and its shape.
fn header(reader: &mut impl Read) -> Result<(String, bool, String), Reason> {
    let mut fill = |bytes: &mut [u8]| reader.read_exact(bytes).map_err(|_| "it ends within its header");
    let (mut start, mut length) = ([0; MAGIC.len() + 2], [0; 4]);
    fill(&mut start)?;
    match start[MAGIC.len()] {
        1 => fill(&mut length[..2])?,
        2 | 3 => fill(&mut length)?,
        version => return Err(format!("its version is {version} (expected 1, 2 or 3)").into()),
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_LINE {
        return Err(format!("its header has {length} bytes (expected at most {MAX_LINE})").into());
    }
    let mut text = vec![0; length];
    fill(&mut text)?;
    // The header is a Python dictionary.
    let text = String::from_utf8_lossy(&text).replace('"', "'").replace(": ", ":");
    let after = |key| Some(text.split_once(key)?.1);
    let within = |key, end| Some(after(key)?.split_once(end)?.0.to_owned());
    let is_fortran = || Some(after("'fortran_order':")?.starts_with("True"));
    let header = || Some((within("'descr':'", '\'')?, is_fortran()?, within("'shape':(", ')')?));
    Ok(header().ok_or("its header is not a dictionary of descr, fortran_order and shape")?)
}

/// The layout of one row of an array.
#[derive(Clone, Copy)]
struct Row {
    /// The function that makes a column of numbers; `None` if the elements are texts.
    numbers: Option<Numbers>,
    /// The number of bytes in a number or character.
    size: usize,
    /// The number of values in each row.
    elements: usize,
    bytes: usize,
    /// Whether the most significant byte of a number or character comes first.
    is_big_endian: bool,
    /// Whether the numbers are tokens.
    holds_tokens: bool,
}

impl Row {
    /// Returns the row layout and the number of rows of an array with this type and shape; `None` if it cannot hold
    /// puzzles.
    fn of(descr: &str, shape: &str) -> Option<(Self, u64)> {
        let (order, kind) = descr.split_at_checked(1)?;
        let (letter, length) = kind.split_at_checked(1)?;
        let length: usize = length.parse().ok()?;
        let numbers = NUMBERS.iter().find(|&&(name, _)| name == kind).map(|&(_, numbers)| numbers);
        let (size, characters) = match letter {
            _ if numbers.is_some() => (length, 1),
            "U" => (4, length),
            "S" => (1, length),
            _ => return None,
        };
        // Python 2 writes an L after long integers. Axes of length 1 have no effect, except the first.
        let lengths = shape.split(',').map(|length| length.trim().trim_end_matches('L'));
        let lengths = lengths.filter(|length| !length.is_empty()).map(str::parse);
        let lengths: Vec<u64> = lengths.collect::<Result<_, _>>().ok()?;
        let (&first, rest) = lengths.split_first()?;
        let rest: Vec<u64> = rest.iter().copied().filter(|&length| length != 1).collect();
        let (rows, elements) = match (first, &*rest) {
            (rows, [81] | [9, 9]) => (rows, CELLS),
            // Each text is either a puzzle or a row.
            (rows, []) if characters > 1 => (rows, 1),
            (rows, [9]) if characters > 1 => (rows, SIDE),
            // The array is a single puzzle.
            (81, []) | (9, [9]) => (1, CELLS),
            _ => return None,
        };
        let bytes = size.checked_mul(characters)?.checked_mul(elements)?;
        let row = Self { numbers, size, elements, bytes, is_big_endian: order == ">", holds_tokens: false };
        (1..=MAX_LINE).contains(&bytes).then_some((row, rows))
    }

    /// Returns whether the cells of some rows are tokens: all are 1 to 10, and at least one is 10, the token for a 9.
    fn are_tokens(self, rows: &[u8]) -> bool {
        let is_token =
            |number: &[u8]| matches!(number, [1..=10, high @ ..] if high.iter().all(|&byte| byte == 0));
        let mut numbers = rows.chunks_exact(self.size);
        self.numbers.is_some() && numbers.clone().all(is_token) && numbers.any(|number| number[0] == 10)
    }

    /// Converts the bytes of some rows to a column.
    fn column(self, mut bytes: MutableBuffer) -> ArrayRef {
        if self.holds_tokens {
            // Numbers that are not tokens do not become digits.
            bytes.chunks_exact_mut(self.size).for_each(|number| number[0] = number[0].wrapping_sub(1));
        }
        // An invalid character is replaced with one that is not a cell.
        let character = |bytes: &[u8]| {
            let number = bytes.iter().rev().fold(0, |all, &byte| all << 8 | u32::from(byte));
            char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER)
        };
        let text = |text: &[u8]| {
            text.chunks_exact(self.size).map(character).collect::<String>().trim_end_matches('\0').to_owned()
        };
        let texts = || bytes.chunks_exact(self.bytes / self.elements).map(text);
        let elements: ArrayRef = match self.numbers {
            None => Arc::new(StringArray::from_iter_values(texts())),
            Some(numbers) => numbers(bytes.into()),
        };
        if self.elements == 1 {
            return elements;
        }
        let field = Arc::new(Field::new_list_field(elements.data_type().clone(), false));
        let length = i32::try_from(self.elements).expect("81 at most");
        Arc::new(FixedSizeListArray::new(field, length, elements, None))
    }
}

/// An array whose header has been read.
struct Opened {
    stream: Box<Stream>,
    row: Row,
    rows: u64,
    /// The number of rows read so far.
    done: u64,
}

impl Opened {
    /// Reads the header and checks that the array can hold puzzles.
    fn new(name: &str, mut stream: Box<Stream>) -> Result<Self, InputError> {
        let unreadable = |what: String| InputError::Unreadable { name: name.to_owned(), what };
        let (descr, is_fortran, shape) = header(&mut stream).map_err(|Reason(reason)| {
            let failure = stream.take_failure(name);
            failure.unwrap_or_else(|| unreadable(format!("is not a readable array: {reason}")))
        })?;
        let about = format!("an array of {descr} with the shape ({shape})");
        if is_fortran {
            let advice = "write it in C order (numpy.ascontiguousarray)";
            return Err(unreadable(format!("is {about} in Fortran order; {advice}")));
        }
        let (row, rows) = Row::of(&descr, &shape).ok_or_else(|| {
            let expected = "N x 81 or N x 9 x 9 whole numbers, or N texts of 81 cells";
            unreadable(format!("is {about}, which holds no puzzles (expected {expected})"))
        })?;
        Ok(Self { stream, row, rows, done: 0 })
    }

    /// Reads up to `most` rows; returns fewer if the array has no more complete rows.
    fn read(&mut self, most: usize) -> MutableBuffer {
        let most = usize::try_from(self.rows - self.done).map_or(most, |left| left.min(most));
        let mut bytes = MutableBuffer::from_len_zeroed(most * self.row.bytes);
        let mut rest = &mut bytes[..];
        // The data before an error is used; the stream reports the error once it ends.
        _ = io::copy(&mut self.stream.by_ref().take(rest.len() as u64), &mut rest);
        let missing = rest.len().next_multiple_of(self.row.bytes);
        bytes.truncate(bytes.len() - missing);
        self.done += (bytes.len() / self.row.bytes) as u64;
        if self.row.is_big_endian {
            bytes.chunks_exact_mut(self.row.size).for_each(<[u8]>::reverse);
        }
        bytes
    }

    /// Checks the end of the array; fails if rows are missing or more bytes follow.
    fn end(&mut self) -> Result<(), Reason> {
        match io::copy(&mut self.stream, &mut io::sink())? {
            _ if self.done < self.rows => Err("the data ends there (truncated file?)".into()),
            0 => Ok(()),
            after => Err(format!("{after} bytes after the array were not read").into()),
        }
    }
}

/// The rows of a puzzle array, together with those of the claims array if there is one.
struct Arrays {
    puzzles: Opened,
    claims: Option<Opened>,
    /// The first rows, which were read ahead of time.
    ahead: MutableBuffer,
}

/// Opens an array of puzzles, and the array of their claims.
pub(super) fn open(input: BinaryInput<'_>) -> Result<BinaryRows, InputError> {
    let name = input.name;
    let is_file = matches!(input.bytes, Bytes::File(_));
    let mut puzzles = Opened::new(name, input.into_stream())?;
    let ahead = puzzles.read(MAX_LINE / puzzles.row.bytes);
    let (mut claims, mut notes) = (None, Vec::new());
    if puzzles.row.are_tokens(&ahead) {
        puzzles.row.holds_tokens = true;
        notes.push(format!("{name}: cells are 1 to 10: read as tokens, 1 for a blank and the digit plus 1"));
        match labels_beside(name, puzzles.rows) {
            Ok(labels) => claims = labels.filter(|_| is_file),
            Err(error) => notes.push(format!("no claimed solutions are read: {error}")),
        }
    }
    let chosen = Chosen { puzzle: 0..1, claim: claims.as_ref().map(|_| 1..2) };
    let arrays = Arrays { puzzles, claims, ahead };
    Ok(BinaryRows { notes, ..table::rows(name, Framing::Npy, arrays, chosen, None) })
}

/// Opens the file of solutions beside a token file with this number of rows.
fn labels_beside(name: &str, rows: u64) -> Result<Option<Opened>, InputError> {
    let [inputs, labels] = TOKEN_FILES;
    let path = Path::new(name);
    if path.file_name().is_none_or(|name| name != inputs) {
        return Ok(None);
    }
    let path = path.with_file_name(labels);
    let Ok(file) = File::open(&path) else { return Ok(None) };
    let name = path.to_string_lossy();
    let labels = Opened::new(&name, Box::new(Stream::plain(Raw::of(file), &Hash::new(false))))?;
    if labels.rows != rows {
        let what = format!("has {} rows for {rows} puzzles", labels.rows);
        return Err(InputError::Unreadable { name: name.into_owned(), what });
    }
    Ok(Some(Opened { row: Row { holds_tokens: true, ..labels.row }, ..labels }))
}

impl RecordBatches for Arrays {
    fn next(&mut self, _: &[usize]) -> Result<Option<RecordBatch>, Reason> {
        let row = self.puzzles.row;
        let ahead = std::mem::take(&mut self.ahead);
        let bytes = if ahead.is_empty() { self.puzzles.read(MAX_LINE / row.bytes) } else { ahead };
        if bytes.is_empty() {
            self.puzzles.end()?;
            return Ok(None);
        }
        let mut columns = vec![("puzzle", row.column(bytes))];
        if let Some(labels) = &mut self.claims {
            let rows = columns[0].1.len();
            let (row, bytes) = (labels.row, labels.read(rows));
            if bytes.len() < rows * row.bytes {
                labels.end().map_err(|Reason(reason)| format!("{}: {reason}", TOKEN_FILES[1]))?;
            }
            columns.push(("solution", row.column(bytes)));
        }
        Ok(Some(RecordBatch::try_from_iter(columns)?))
    }

    fn failure(&mut self, name: &str) -> Option<InputError> {
        self.puzzles.stream.take_failure(name)
    }

    fn place(&self) -> (&'static str, String) {
        let Opened { done, rows, .. } = self.puzzles;
        ("npy", format!("row {} of {rows}", (done + 1).min(rows)))
    }

    fn raw_position(&self) -> u64 {
        self.puzzles.stream.raw_position()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Cursor;

    use super::super::testing::*;
    use super::*;
    use crate::input::Source;

    /// Returns an array as NumPy writes it.
    fn npy(version: u8, descr: &str, order: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        let length = u32::try_from(text.len()).expect("a short header").to_le_bytes();
        let length = if version == 1 { &length[..2] } else { &length[..] };
        [MAGIC, &[version, 0], length, text.as_bytes(), data].concat()
    }

    fn in_c(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        npy(1, descr, "False", shape, data)
    }

    /// Returns the digits of a text, each increased by `more`, as the numbers of an array.
    fn numbers(descr: &str, text: &str, more: u8) -> Vec<u8> {
        let one = |byte: u8| {
            let number = byte - b'0' + more;
            let mut bytes = match &descr[1..] {
                "f8" => f64::from(number).to_le_bytes().to_vec(),
                "f4" => f32::from(number).to_le_bytes().to_vec(),
                _ => u64::from(number).to_le_bytes()[..descr[2..].parse().expect("a size")].to_vec(),
            };
            if descr.starts_with('>') {
                bytes.reverse();
            }
            bytes
        };
        text.bytes().flat_map(one).collect()
    }

    /// Returns the last message that reading these bytes produces.
    fn last(bytes: &[u8]) -> String {
        let source = Source::from_reader("t", Cursor::new(bytes.to_vec()), &hashing());
        drain(source, 1).pop().expect("something is said")
    }

    #[test]
    fn every_type_version_and_shape_gives_the_same_grids() {
        for descr in ["|i1", "|u1", "<i2", "<u2", ">i4", "<u4", "<i8", ">u8", "<f4", "<f8"] {
            for (version, shape) in [(1, "(30, 81)"), (3, "(30, 9, 9, 1)"), (2, "(30L, 1, 81L)")] {
                let data = numbers(descr, &PUZZLE.repeat(30), 0);
                assert_eq!(read(&npy(version, descr, "False", shape, &data)), ["P"; 30], "{descr} {shape}");
            }
            assert_eq!(read(&in_c(descr, "(81,)", &numbers(descr, PUZZLE, 0))), ["P"]);
        }
        // The array has more rows than are read at a time.
        let many = in_c("|u1", "(20000, 9, 9)", &numbers("|u1", &PUZZLE.repeat(20_000), 0));
        assert!(read(&many) == vec!["P"; 20_000]);
        let texts = [PUZZLE, "12", &format!(" {PUZZLE} "), "\u{e9}"];
        let all = texts.iter().flat_map(|text| text.chars().chain(['\0'; 84]).take(84));
        let bytes: Vec<u8> = all.map(|character| u32::from(character).to_le_bytes()[0]).collect();
        let fault = "4:1: invalid character '\u{e9}' (expected 1-9, 0 or .)";
        let lines = ["P", "2:3: 2 cells (expected 81)", "P", fault];
        assert_eq!(read(&in_c("|S84", "(4,)", &bytes)), lines);
        for (descr, shape) in [("|S1", "(1, 81)"), ("|S1", "(9, 9)"), ("|S9", "(1, 9)"), ("|S1", "(81,)")] {
            assert_eq!(read(&in_c(descr, shape, PUZZLE.as_bytes())), ["P"], "{descr} {shape}");
        }
    }

    #[test]
    fn tokens_are_digits_and_one_more_and_claim_what_lies_beside_them() {
        let directory = tempfile::tempdir().expect("a directory");
        let [inputs, labels] = TOKEN_FILES.map(|name| directory.path().join(name));
        let tokens = |text: &str, rows| in_c("<i8", &format!("({rows}, 81)"), &numbers("<i8", text, 1));
        let puzzles = tokens(&PUZZLE.repeat(40), 40);
        let note = "note: t: cells are 1 to 10: read as tokens, 1 for a blank and the digit plus 1";
        assert_eq!(read(&puzzles), [&["P"; 40][..], &[note]].concat());
        // One label is padding, and another is a blank.
        let mut claims = tokens(&SOLUTION.repeat(40), 40);
        let start = claims.len() - 40 * 81 * 8;
        (claims[start + 81 * 8], claims[start + 2 * 81 * 8]) = (0, 1);
        let read_both = |claims: &[u8]| {
            fs::write(&inputs, &puzzles).expect("a temporary file");
            fs::write(&labels, claims).expect("a temporary file");
            read_file(&inputs)
        };
        let both = read_both(&claims);
        assert_eq!((&*both[0], &both[2]), ("P > S", &format!("P > {}", SOLUTION.replacen('4', ".", 1))));
        assert!(both[1].starts_with("P > claimed solution: number '255'"), "{}", both[1]);
        let cut = read_both(&claims[..claims.len() - 1]);
        assert!(cut[1].contains("all__labels.npy: the data ends there"), "{cut:?}");
        let short = read_both(&tokens(SOLUTION, 1));
        assert!(short[41].contains("has 1 rows for 40 puzzles"), "{}", short[41]);
        // A set of complete grids contains neither a 0 nor a 10.
        assert_eq!(read(&in_c("|u1", "(1, 81)", &numbers("|u1", SOLUTION, 0))), ["S"]);
    }

    #[test]
    fn what_is_no_array_of_puzzles_or_no_whole_one_is_named() {
        let all = "|b1 (2, 81);<i3 (2, 81);<i8 (1001,);<i8 (2, 80);<i8 ();\u{e9}8 (2, 81);|S99999999999 (2,);<U0 (2,); (2,)";
        for of in all.split(';') {
            let (descr, shape) = of.split_once(' ').expect("a type and a shape");
            let said = last(&in_c(descr, shape, &[0; 2000]));
            assert!(said.starts_with("refused: ") && said.contains("holds no puzzles"), "{of}: {said}");
        }
        let header = |text: &str| {
            [MAGIC, &[1, 0, u8::try_from(text.len()).expect("short"), 0], text.as_bytes()].concat()
        };
        let array = in_c("|u1", "(3, 81)", &numbers("|u1", &PUZZLE.repeat(3), 0));
        let huge = in_c("<i8", "(18446744073709551615, 81)", &[]);
        for (bytes, why) in [
            ([&array[..], b"abc"].concat(), "row 3 of 3: 3 bytes after the array were not read"),
            (array[..array.len() - 82].to_vec(), "row 2 of 3: the data ends there"),
            (array[..20].to_vec(), "it ends within its header"),
            (huge, "row 1 of 18446744073709551615: the data ends there"),
            (npy(1, "<i8", "True", "(2, 81)", &[]), "(2, 81) in Fortran order; write it in C"),
            (header("[]"), "not a dictionary"),
            (header("{'descr': [('a', '<i8')]}"), "not a dictionary"),
            (header("{'descr': '<i8', 'shape': (2, 81)}"), "not a dictionary"),
            (b"\x93NUMPY\x04\0\x10\0".to_vec(), "version is 4"),
            (b"\x93NUMPY\x02\0\xff\xff\xff\xff".to_vec(), "4294967295 bytes (expected at most 1048576)"),
        ] {
            assert!(last(&bytes).contains(why), "{why}: {}", last(&bytes));
        }
    }
}
