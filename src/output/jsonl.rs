//! `-O jsonl`: one JSON object on a line for each row, with the CSV columns as keys.
//!
//! Missing values are `null`, so that every object has the same keys.

use super::encode::{BLANK, Encode, Piece, Value, Values, kept_rows, push_decimal, push_number};
use crate::record::Page;

/// The format, for the help text.
pub const ABOUT: &str = "one JSON object on a line for each record, with the CSV columns as keys";

/// The JSON Lines format.
#[derive(Clone, Copy, Debug)]
pub struct Jsonl;

impl Encode for Jsonl {
    fn keeps_bytes(&self) -> bool {
        false
    }

    fn encode(&self, page: &Page<'_>, out: &mut Piece) {
        let out = &mut out.bytes;
        let mut columns: Vec<_> = page
            .schema
            .written_names()
            .map(|(at, name)| (key(name), Values::new(&page.columns[at])))
            .collect();
        for row in kept_rows(page) {
            let start = out.len();
            for (key, column) in &mut columns {
                out.extend_from_slice(key);
                match column.at(row) {
                    Value::Missing => out.extend_from_slice(b"null"),
                    Value::Number(number) => push_number(number, out),
                    Value::Decimal(number) => push_decimal(number, out),
                    Value::Word(word) => push_plain(word.as_bytes(), out),
                    Value::Text(text) => push_text(text, out),
                    Value::Bytes(text) => push_text(&String::from_utf8_lossy(text), out),
                    Value::Grid(grid) => push_plain(&grid.to_text(BLANK), out),
                    Value::Fault(fault) => push_text(&fault.to_string(), out),
                }
            }
            out.extend_from_slice(b"}\n");
            // There is no comma before the first key.
            out[start] = b'{';
        }
    }
}

/// Returns a comma, the name as a string, and a colon.
fn key(name: &str) -> Vec<u8> {
    let mut key = b",".to_vec();
    push_text(name, &mut key);
    key.push(b':');
    key
}

/// Appends a string without characters to escape.
fn push_plain(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(text);
    out.push(b'"');
}

/// Appends any string.
fn push_text(text: &str, out: &mut Vec<u8>) {
    serde_json::to_writer(out, text).expect("a vector takes every byte");
}

#[cfg(test)]
mod tests {
    use super::super::tests::{
        PUZZLE, Row, SOLUTION, fault, grid, invalid_row, push_row, schema, unique_row,
    };
    use super::*;
    use proptest::prelude::*;

    fn text_of(time: bool, row: &Row<'_>) -> String {
        let mut out = Vec::new();
        push_row(&Jsonl, &schema(time), row, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_unique_puzzle() {
        let (puzzle, solution) = (grid(PUZZLE), grid(SOLUTION));
        let row = unique_row(&puzzle, &solution);
        assert_eq!(
            text_of(true, &row),
            format!(
                "{{\"id\":7,\"source\":\"a.txt\",\"line\":4,\"kind\":\"sudoku\",\"status\":\"unique\",\
                 \"solutions\":1,\"clues\":32,\"guesses\":2,\"time_ns\":3456,\"puzzle\":\"{PUZZLE}\",\
                 \"solution\":\"{SOLUTION}\",\"error\":null}}\n"
            )
        );
        assert!(!text_of(false, &row).contains("time_ns"));
    }

    #[test]
    fn an_unreadable_record_has_nulls() {
        assert_eq!(
            text_of(true, &invalid_row(&fault("line 5, column 1: \"\u{7}\""))),
            "{\"id\":8,\"source\":\"a.txt\",\"line\":5,\"kind\":\"sudoku\",\"status\":\"invalid\",\
             \"solutions\":0,\"clues\":null,\"guesses\":0,\"time_ns\":0,\"puzzle\":null,\"solution\":null,\
             \"error\":\"line 5, column 1: \\\"\\u0007\\\"\"}\n"
        );
    }

    proptest! {
        /// Each row is one line, and a JSON reader gives back any name and reason.
        #[test]
        fn any_source_and_error_come_back(source in any::<String>(), error in "(?s).{0,40}") {
            let fault = fault(&error);
            let mut row = invalid_row(&fault);
            row.source = &source;
            let line = text_of(true, &row);
            prop_assert_eq!(line.matches('\n').count(), 1);
            let value: serde_json::Value = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(value["source"].as_str(), Some(&*source));
            prop_assert_eq!(value["error"].as_str(), Some(&*error));
        }
    }
}
