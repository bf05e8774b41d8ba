//! `-O csv`: a header row, then one row for each record.
//!
//! Writing a row must take less than a tenth of the time needed to solve the easiest puzzle. Adjacent columns are
//! therefore merged into one string if none of their values changes within a page. Words and names are encoded once per
//! page. Short strings are copied with a constant length. Strings that need quotes are left to the csv crate.

use super::encode::{BLANK, Encode, Piece, Value, Values, kept_rows, push_decimal, push_number};
use crate::record::{Column, Page, Schema};
use crate::sudoku::Grid;

/// The description of the format for the help text.
pub const ABOUT: &str = "a header, then one row per record with all columns";

/// The CSV format.
#[derive(Clone, Copy, Debug)]
pub struct Csv {
    /// Whether to escape text that a spreadsheet would treat as a formula.
    pub escape_formulas: bool,
}

impl Encode for Csv {
    fn header(&self, schema: &Schema, out: &mut Vec<u8>) {
        for (_, name) in schema.written_names() {
            push_text(name.as_bytes(), self.escape_formulas, out);
            out.push(b',');
        }
        end_row(out);
    }

    fn encode(&self, page: &Page<'_>, out: &mut Piece) {
        let out = &mut out.bytes;
        let mut columns = columns_of(page, self.escape_formulas);
        for row in kept_rows(page) {
            for column in &mut columns {
                column.push(row, out);
            }
            end_row(out);
        }
    }
}

/// Returns the columns of a page. Adjacent columns that each have one value in all rows are merged.
fn columns_of<'a>(page: &Page<'a>, escape_formulas: bool) -> Vec<CsvColumn<'a>> {
    let mut columns: Vec<CsvColumn<'a>> = Vec::new();
    for (at, _) in page.schema.written_names() {
        let column = CsvColumn::new(&page.columns[at], page.rows, escape_formulas);
        match (columns.last_mut(), column) {
            (Some(CsvColumn::Same(before)), CsvColumn::Same(same)) => *before = before.followed_by(&same),
            (_, column) => columns.push(column),
        }
    }
    columns
}

/// Appends a row of strings. Missing strings become empty fields.
pub fn push_csv_row<'a>(fields: impl Iterator<Item = Option<&'a [u8]>>, out: &mut Vec<u8>) {
    let start = out.len();
    for field in fields {
        push_text(field.unwrap_or_default(), false, out);
        out.push(b',');
    }
    if out[start..] == *b"," {
        // An empty line would not be read as a row.
        out.splice(start..start, *b"\"\"");
    }
    end_row(out);
}

/// Replaces the last comma with a line break.
#[inline]
fn end_row(out: &mut [u8]) {
    if let Some(last) = out.last_mut() {
        *last = b'\n';
    }
}

/// A column prepared for writing row by row, with a comma after each field.
enum CsvColumn<'a> {
    Counting { first: u64, next: Decimal },
    Numbers { numbers: &'a [u64], next: Decimal },
    Words(&'a [u8], Vec<Short>),
    Same(Short),
    Grids(&'a [Grid], &'a [bool]),
    Others { values: Values<'a>, escape_formulas: bool },
}

impl<'a> CsvColumn<'a> {
    /// Prepares a column that has this many rows.
    fn new(column: &Column<'a>, rows: usize, escape_formulas: bool) -> Self {
        let short = |text: &str| Short::of_text(text, escape_formulas);
        match *column {
            Column::Words(words, names) if let Some(&word) = shared(&words[..rows]) => {
                Self::Same(short(names[usize::from(word)].name))
            }
            Column::Numbers(numbers) if let Some(&number) = shared(&numbers[..rows]) => {
                Self::Same(short(itoa::Buffer::new().format(number)))
            }
            Column::Faults(faults) if faults.is_empty() => Self::Same(short("")),
            Column::Counting(first) => Self::Counting { first, next: Decimal::new(first) },
            Column::Numbers(numbers) => Self::Numbers { numbers, next: Decimal::new(0) },
            Column::Words(words, names) => {
                Self::Words(words, names.iter().map(|word| short(word.name)).collect())
            }
            Column::Same(text) => Self::Same(short(text)),
            Column::Grids(grids, given) => Self::Grids(grids, given),
            _ => Self::Others { values: Values::new(column), escape_formulas },
        }
    }

    /// Appends the field of a row, followed by a comma. Rows must come in order.
    #[inline]
    fn push(&mut self, row: usize, out: &mut Vec<u8>) {
        match self {
            Self::Counting { first, next } => next.push(*first + row as u64, out),
            Self::Numbers { numbers, next } => next.push(numbers[row], out),
            Self::Words(words, texts) => texts[usize::from(words[row])].push(out),
            Self::Same(text) => text.push(out),
            Self::Grids(grids, given) => {
                if given[row] {
                    out.extend_from_slice(&grids[row].to_text(BLANK));
                }
                out.push(b',');
            }
            Self::Others { values, escape_formulas } => {
                match values.at(row) {
                    Value::Number(number) => push_number(number, out),
                    Value::Decimal(number) => push_decimal(number, out),
                    Value::Grid(grid) => out.extend_from_slice(&grid.to_text(BLANK)),
                    Value::Missing => {}
                    Value::Word(text) | Value::Text(text) => {
                        push_text(text.as_bytes(), *escape_formulas, out)
                    }
                    Value::Bytes(text) => push_text(text, *escape_formulas, out),
                    Value::Fault(fault) => push_text(fault.to_string().as_bytes(), *escape_formulas, out),
                }
                out.push(b',');
            }
        }
    }
}

/// Returns the value that all rows share, if there is one.
fn shared<T: PartialEq>(values: &[T]) -> Option<&T> {
    let (first, others) = values.split_first()?;
    // This compares each value with the one before it. It is a plain memory comparison, and stops at the first
    // difference.
    (*others == values[..others.len()]).then_some(first)
}

/// Short strings are always copied as this many bytes, regardless of their actual length.
const AT_ONCE: usize = 24;

/// Appends the first `length` bytes, by copying them all and truncating.
#[inline]
fn push_first(bytes: &[u8; AT_ONCE], length: usize, out: &mut Vec<u8>) {
    let end = out.len() + length;
    out.extend_from_slice(bytes);
    out.truncate(end);
}

/// A field that is written often, including its comma.
struct Short {
    text: Vec<u8>,
    /// The first bytes of `text`, or all of them if it is short.
    start: [u8; AT_ONCE],
}

impl Short {
    fn of_text(text: &str, escape_formulas: bool) -> Self {
        let mut field = Vec::new();
        push_text(text.as_bytes(), escape_formulas, &mut field);
        field.push(b',');
        Self::of_field(field)
    }

    /// Joins this field with the next one.
    fn followed_by(&self, next: &Self) -> Self {
        Self::of_field([&self.text[..], &next.text].concat())
    }

    fn of_field(field: Vec<u8>) -> Self {
        let mut start = [0; AT_ONCE];
        let length = field.len().min(AT_ONCE);
        start[..length].copy_from_slice(&field[..length]);
        Self { text: field, start }
    }

    #[inline]
    fn push(&self, out: &mut Vec<u8>) {
        if self.text.len() <= AT_ONCE {
            push_first(&self.start, self.text.len(), out);
        } else {
            out.extend_from_slice(&self.text);
        }
    }
}

/// A number and its digits, for columns in which the next number is often one higher.
///
/// The last digit is written to the output, not to `text`, because reading `text` again right away would stall on that
/// byte.
struct Decimal {
    /// The number with its last digit set to 0.
    ten: u64,
    /// The digits, followed by a comma.
    text: [u8; AT_ONCE],
    length: usize,
}

impl Decimal {
    fn new(number: u64) -> Self {
        let mut decimal = Self { ten: 0, text: [0; AT_ONCE], length: 0 };
        decimal.set(number);
        decimal
    }

    fn set(&mut self, number: u64) {
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(number).as_bytes();
        self.text[..digits.len()].copy_from_slice(digits);
        self.text[digits.len()] = b',';
        (self.ten, self.length) = (number - number % 10, digits.len() + 1);
    }

    /// Appends a number and a comma.
    #[inline]
    fn push(&mut self, number: u64, out: &mut Vec<u8>) {
        if number < 10 {
            out.extend_from_slice(&[b'0' + number as u8, b',']);
            return;
        }
        if number.wrapping_sub(self.ten) >= 10 {
            self.set(number);
        }
        push_first(&self.text, self.length, out);
        if let [.., last, _] = out.as_mut_slice() {
            *last = b'0' + (number - self.ten) as u8;
        }
    }
}

/// The characters that can start a formula, as listed by OWASP under "CSV injection".
const FORMULA_STARTS: [&str; 11] = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"];

/// Appends a field, quoted if it contains a comma, a quote or a line break. If formulas are escaped, a field that
/// starts like a formula is prefixed with an apostrophe.
fn push_text(bytes: &[u8], escape_formulas: bool, out: &mut Vec<u8>) {
    if escape_formulas && FORMULA_STARTS.iter().any(|start| bytes.starts_with(start.as_bytes())) {
        return push_text(&[b"'", bytes].concat(), false, out);
    }
    let quoted = |byte: &u8| matches!(byte, b',' | b'"' | b'\r' | b'\n');
    // The fold does not stop early, so the compiler can vectorize it; names are short anyway.
    if !bytes.iter().fold(false, |any, byte| any | quoted(byte)) {
        out.extend_from_slice(bytes);
        return;
    }
    let mut writer = csv::WriterBuilder::new().from_writer(out);
    let written = writer.write_record([bytes]).and_then(|()| Ok(writer.flush()?));
    written.expect("a Vec takes every byte");
    // The csv crate has written a line break after the field, which is removed here.
    let out = writer.into_inner().expect("it was flushed just now");
    out.pop();
}

#[cfg(test)]
mod tests {
    use super::super::tests::{fault, invalid_row, push_row, schema};
    use super::*;

    const PLAIN: Csv = Csv { escape_formulas: false };

    #[test]
    fn numbers_are_written_whatever_came_before() {
        let small = [0, 1, 8, 9, 10, 11, 19, 20, 99, 100, 101, 999, 1000, 12345];
        let few = [&small[..], &[u64::MAX - 6, u64::MAX - 5, u64::MAX]].concat();
        let mut next = Decimal::new(0);
        for (&first, &second) in few.iter().flat_map(|first| few.iter().map(move |second| (first, second))) {
            let mut out = Vec::new();
            for number in [first, second, second] {
                next.push(number, &mut out);
            }
            assert_eq!(out, format!("{first},{second},{second},").into_bytes());
        }
    }

    #[test]
    fn a_row_of_texts_is_a_row_though_they_are_empty() {
        for (fields, expected) in [
            (&[None][..], "\"\"\n"),
            (&[Some("")], "\"\"\n"),
            (&[None; 2], ",\n"),
            (&[Some("a,b"), None], "\"a,b\",\n"),
        ] {
            let mut out = b"x\n".to_vec();
            push_csv_row(fields.iter().map(|field| field.map(str::as_bytes)), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), format!("x\n{expected}"));
        }
    }

    /// PROMISE: formulas
    #[test]
    fn a_text_that_begins_as_a_formula_does_is_escaped_if_that_is_asked_for() {
        let escaping = Csv { escape_formulas: true };
        let fault = fault("-2 is no cell");
        for (source, plain, escaped) in [
            ("=cmd|' /C calc'!A0", "=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
            ("+1", "+1", "'+1"),
            ("-1", "-1", "'-1"),
            ("@SUM(1)", "@SUM(1)", "'@SUM(1)"),
            ("\t=1", "\t=1", "'\t=1"),
            ("＝1", "＝1", "'＝1"),
            ("\r=1,\"", "\"\r=1,\"\"\"", "\"'\r=1,\"\"\""),
            ("a=1", "a=1", "a=1"),
            ("'=1", "'=1", "'=1"),
            ("", "", ""),
        ] {
            for (encoder, source_field) in [(&PLAIN, plain), (&escaping, escaped)] {
                let mut row = invalid_row(&fault);
                row.source = source;
                let mut out = Vec::new();
                push_row(encoder, &schema(true), &row, &mut out);
                let error = if encoder.escape_formulas { "'-2 is no cell" } else { "-2 is no cell" };
                let expected = format!("8,{source_field},5,sudoku,invalid,0,,0,0,,,{error}\n");
                assert_eq!(String::from_utf8(out).unwrap(), expected);
            }
        }
    }
}
