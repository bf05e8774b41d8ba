//! The shape of a record, which is the text between its values. It is usually the same as in the previous record.
//!
//! In all records of the same shape, the finder would find the puzzle and claim in the same places. The records differ
//! only in their cells, and in plain values that mean nothing to the finder: numbers, and strings too short for a grid.

use super::finder::{Found, Held, Meanings};
use super::node::{HALF, Node, Value};
use super::syntax::Text;
use crate::input::reader::Which;
use crate::sudoku::{CELLS, Grid};

/// A value that can differ from record to record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    /// A string of 81 cells.
    Cells(Which),
    /// A single-digit cell in a list.
    Digit(Which),
    /// A string that has no escapes and is shorter than half a grid.
    Text,
    Number,
}

/// The values of a record, each with the text before it, and the text after the last value.
#[derive(Debug)]
pub(super) struct Shape {
    slots: Vec<(Vec<u8>, Slot)>,
    end: Vec<u8>,
}

/// The puzzle and claim of a record, and the record's length.
pub(super) type Known = (Grid, Option<Grid>, usize);

impl Shape {
    /// Returns the shape of a value that contains a record; `None` if the shape cannot be used to read other records.
    pub fn of(
        text: &Text<'_>,
        value: &Node<'_>,
        found: &Found<'_>,
        meanings: &mut Meanings<'_>,
    ) -> Option<Self> {
        let bytes = text.bytes();
        let claim = found.claim.as_ref();
        // If a grid is a claim only because of its cells, the next record may be different.
        if !matches!(text, Text::Json(_)) || claim.is_some_and(|claim| !claim.is_named()) {
            return None;
        }
        let (mut slots, mut before) = (Vec::new(), value.range.start);
        let mut add = |start: usize, end: usize, slot: Slot| {
            slots.push((bytes[before..start].to_vec(), slot));
            before = end;
        };
        let record = value.within(&found.range);
        let members =
            if record.children().is_empty() { std::slice::from_ref(record) } else { record.children() };
        for node in members {
            let range = &node.range;
            let is = |held: &Held<'_>| held.node.range == *range;
            let which = if is(&found.puzzle) {
                Some(Which::Puzzle)
            } else {
                claim.filter(|claim| is(claim)).map(|_| Which::Claim)
            };
            match (which, &node.value) {
                (Some(which), Value::Text(..)) => add(range.start, range.end, Slot::Cells(which)),
                (Some(which), _) => {
                    node.offsets(bytes).into_iter().for_each(|at| add(at, at + 1, Slot::Digit(which)));
                }
                (None, Value::Text(..)) => {
                    let meaning = meanings.of(text, node.key.as_ref());
                    if meaning.is_claim.is_none() && !meaning.is_role {
                        add(range.start, range.end, Slot::Text);
                    }
                }
                (None, Value::Bare) if bytes[range.start].is_ascii_digit() => {
                    add(range.start, range.end, Slot::Number)
                }
                _ => {}
            }
        }
        let shape = Self { slots, end: bytes[before..value.range.end].to_vec() };
        let (puzzle, solution, _) = shape.read(&bytes[value.range.clone()])?;
        let is_same = |held: &Held<'_>, grid| held.grid.as_ref().ok() == Some(grid);
        let has_claim = match (claim, &solution) {
            (Some(claim), Some(solution)) => is_same(claim, solution),
            (claim, solution) => claim.is_none() && solution.is_none(),
        };
        (has_claim && is_same(&found.puzzle, &puzzle)).then_some(shape)
    }

    /// Reads a record of this shape at the start of a text.
    #[inline]
    pub fn read(&self, text: &[u8]) -> Option<Known> {
        let (mut puzzle, mut claim, mut rest) = (None, None, text);
        let (mut digits, mut count) = ([0; CELLS], 0);
        for (before, slot) in &self.slots {
            rest = rest.strip_prefix(before.as_slice())?;
            let (which, grid, length) = match slot {
                Slot::Cells(which) => match rest.first_chunk::<{ CELLS + 2 }>()? {
                    [b'"', cells @ .., b'"'] => (which, Grid::from_text(cells)?, CELLS + 2),
                    _ => return None,
                },
                Slot::Digit(which) => {
                    digits[count] = rest.first().filter(|byte| byte.is_ascii_digit())? - b'0';
                    count = (count + 1) % CELLS;
                    rest = &rest[1..];
                    if count > 0 {
                        continue;
                    }
                    (which, Grid::from_digits(digits), 0)
                }
                Slot::Text => {
                    rest = &rest[text_length(rest)?..];
                    continue;
                }
                Slot::Number => {
                    rest = &rest[number_length(rest)?..];
                    continue;
                }
            };
            *(if *which == Which::Puzzle { &mut puzzle } else { &mut claim }) = Some(grid);
            rest = &rest[length..];
        }
        let behind = rest.strip_prefix(self.end.as_slice())?;
        Some((puzzle?, claim, text.len() - behind.len()))
    }
}

/// Returns the length of a short string at the start of a text.
#[inline]
fn text_length(text: &[u8]) -> Option<usize> {
    let text = text.strip_prefix(b"\"")?;
    let is_end = |&byte: &u8| byte < b' ' || byte == b'"' || byte == b'\\';
    let end = text.iter().take(HALF).position(is_end)?;
    (text[end] == b'"').then_some(end + 2)
}

/// Returns the length of the number at the start of a string. The number must have no sign or exponent.
#[inline]
fn number_length(text: &[u8]) -> Option<usize> {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(text);
    if whole == 0 || whole > 1 && text[0] == b'0' {
        return None;
    }
    match text.get(whole) {
        Some(b'.') => {
            Some(digits(&text[whole + 1..])).filter(|&decimals| decimals > 0).map(|more| whole + 1 + more)
        }
        _ => Some(whole),
    }
}
