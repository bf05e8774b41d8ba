//! Where the claimed solutions stand on the lines of one file.

use super::super::cells;
use super::super::family::Sample;
use super::Style;
use crate::sudoku::{CELLS, Grid};

/// What may stand between a puzzle and what follows it, the likeliest first.
pub(super) const SEPARATORS: [u8; 6] = *b",\t;:= ";

/// Lines, and fields of each, that are looked at to find claimed solutions.
const LINES_LOOKED_AT: usize = 200;
pub(super) const FIELDS_LOOKED_AT: usize = 8;

/// A field behind the puzzle of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClaimField {
    separator: u8,
    /// Number of separators before it, one less for blanks, of which several count as one.
    number: usize,
    /// Whether most puzzles have it.
    pub is_usual: bool,
}

impl ClaimField {
    /// The field and its offset in a line whose cells end at `behind`.
    pub fn find(self, text: &[u8], behind: usize) -> Option<(usize, &[u8])> {
        let (at, field) = fields(&text[behind..], self.separator).nth(self.number)?;
        (!field.is_empty()).then_some((behind + at, field))
    }
}

/// The first words of the fields behind a puzzle, each with its offset.
pub(super) fn fields(behind: &[u8], separator: u8) -> impl Iterator<Item = (usize, &[u8])> {
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'');
    let ends = move |byte: &u8| {
        byte.is_ascii_whitespace() || matches!(byte, b',' | b';' | b':' | b'#') || is_quote(byte)
    };
    let mut next = 0;
    behind
        .split(move |&byte| byte == separator)
        .map(move |field| {
            let is_around = |byte: &&u8| matches!(byte, b' ' | b'\t') || is_quote(byte);
            let blanks = field.iter().take_while(is_around).count();
            let start = next + blanks;
            next += field.len() + 1;
            let word = &field[blanks..];
            (start, &word[..word.iter().position(ends).unwrap_or(word.len())])
        })
        .filter(move |(_, word)| separator != b' ' || !word.is_empty())
}

/// Finds the field that holds claimed solutions: one that is cells wherever it is not empty, more than a rating
/// or a name ever has.
pub(super) fn claim_field(sample: &Sample<'_>, style: &Style) -> Option<ClaimField> {
    // Lines with something in the field, and those where that is cells.
    let mut seen = [[(0_usize, 0_usize); FIELDS_LOOKED_AT]; SEPARATORS.len()];
    let mut puzzles = 0;
    for line in sample.record_lines().take(LINES_LOOKED_AT) {
        let Ok(found) = style.find(line) else { continue };
        puzzles += 1;
        let is_another = |field: &[u8]| {
            let grid = field.as_array().and_then(Grid::from_text);
            grid.is_some_and(|grid| super::is_another(&grid, &found.grid))
        };
        for (counts, separator) in seen.iter_mut().zip(SEPARATORS) {
            for (count, (_, field)) in counts.iter_mut().zip(fields(&line[found.end..], separator)) {
                count.0 += usize::from(!field.is_empty());
                count.1 += usize::from(cells::run(field) > CELLS / 2 && !is_another(field));
            }
        }
    }
    let mut best = (0, None);
    for (counts, separator) in seen.iter().zip(SEPARATORS) {
        // What stands before the first separator is no field, unless blanks separate.
        let first = usize::from(separator != b' ');
        for (number, &(some, cells)) in counts.iter().enumerate().skip(first) {
            if cells > best.0 && 2 * cells > some {
                best = (cells, Some(ClaimField { separator, number, is_usual: 2 * cells > puzzles }));
            }
        }
    }
    best.1
}
