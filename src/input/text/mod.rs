//! Text: one notation for cells, and a reader for each framing of units.

pub(super) mod cases;
pub(super) mod fields;
pub(super) mod keyed;
pub(super) mod nesting;
pub(super) mod notation;
pub(super) mod table;
pub(super) mod tree;
pub(super) mod units;

use crate::record::Place;

/// The place of an offset in a text that starts on `line`.
fn place_in(line: u64, text: &[u8], at: usize) -> Place {
    let before = &text[..at.min(text.len())];
    let column = before.len() - memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    Place { line: line + memchr::memchr_iter(b'\n', before).count() as u64, column: column as u64 + 1 }
}
