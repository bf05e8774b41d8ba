//! `-O jsonl`: one JSON object per row, each on its own line, with the CSV columns as keys.
//!
//! Missing values are `null`, so every object has the same keys.

use super::encode::{BLANK, Encode, Piece, Value, Values, kept_rows, push_decimal, push_number};
use crate::record::Page;

/// The description of the format for the help text.
pub const ABOUT: &str = "one line per record: a JSON object with the CSV columns as keys";

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
            // The first key is not preceded by a comma.
            out[start] = b'{';
        }
    }
}

/// Returns a comma, the name as a JSON string, and a colon.
fn key(name: &str) -> Vec<u8> {
    let mut key = b",".to_vec();
    push_text(name, &mut key);
    key.push(b':');
    key
}

/// Appends a string that has no characters to escape.
fn push_plain(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(text);
    out.push(b'"');
}

/// Appends any string.
fn push_text(text: &str, out: &mut Vec<u8>) {
    serde_json::to_writer(out, text).expect("a vector takes every byte");
}
