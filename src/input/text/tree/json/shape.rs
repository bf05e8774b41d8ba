//! The shape of a line, which most lines share with the one before: what stands between their values.
//!
//! A line of the same shape has the same record as the finder would give, since it differs in plain values alone that
//! mean nothing to it: numbers, strings that are too short for a grid, and the cells themselves.

use crate::input::reader::Which;
use crate::input::text::tree::finder::{Found, Held, Rules};
use crate::input::text::tree::members::members;
use crate::input::text::tree::value::HALF;
use crate::sudoku::{CELLS, Grid};

/// A value that differs from line to line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    /// A string of 81 cells.
    Cells(Which),
    /// A string without escapes, shorter than half a grid.
    Text,
    Number,
}

/// The values of a line, each with the text before it, and the text behind the last.
#[derive(Debug)]
pub(super) struct Shape {
    slots: Vec<(Vec<u8>, Slot)>,
    end: Vec<u8>,
}

impl Shape {
    /// That of a line with a record, which begins at a byte of its block; none if others are not read by it.
    pub fn of(line: &[u8], found: &Found, start: usize, rules: &Rules) -> Option<Self> {
        let is_at = |held: &Held, at: usize| held.spot.at - start == at;
        if found.claim.as_ref().is_some_and(|claim| !claim.is_named) {
            return None;
        }
        let (mut slots, mut before) = (Vec::new(), 0);
        for (key, value) in members(line) {
            let slot = if is_at(&found.puzzle, value.start) {
                Slot::Cells(Which::Puzzle)
            } else if found.claim.as_ref().is_some_and(|claim| is_at(claim, value.start)) {
                Slot::Cells(Which::Claim)
            } else if rules.meaning(&key.text(line)).is_claim.is_some() {
                continue;
            } else if line[value.start] == b'"' {
                Slot::Text
            } else {
                Slot::Number
            };
            if slot.grid(&line[value.clone()]).is_some_and(|(length, _)| length == value.len()) {
                slots.push((line[before..value.start].to_vec(), slot));
                before = value.end;
            }
        }
        let has_puzzle = slots.iter().any(|(_, slot)| *slot == Slot::Cells(Which::Puzzle));
        has_puzzle.then(|| Self { slots, end: line[before..].to_vec() })
    }

    /// The puzzle and the claim of a line, without white space behind it, that has this shape.
    #[inline]
    pub fn read(&self, line: &[u8]) -> Option<(Grid, Option<Grid>)> {
        let (mut puzzle, mut claim, mut rest) = (None, None, line);
        for (before, slot) in &self.slots {
            rest = rest.strip_prefix(before.as_slice())?;
            let (length, grid) = slot.grid(rest)?;
            match slot {
                Slot::Cells(Which::Puzzle) => puzzle = grid,
                Slot::Cells(Which::Claim) => claim = grid,
                Slot::Text | Slot::Number => {}
            }
            rest = &rest[length..];
        }
        (rest == self.end).then_some((puzzle?, claim))
    }
}

impl Slot {
    /// How long the value is with which a text begins, and its grid if it has one.
    #[inline]
    fn grid(self, text: &[u8]) -> Option<(usize, Option<Grid>)> {
        /// Cells in quotes.
        const QUOTED: usize = CELLS + 2;
        match self {
            Self::Cells(_) => match text.first_chunk::<QUOTED>()? {
                [b'"', cells @ .., b'"'] => Some((QUOTED, Some(Grid::from_text(cells)?))),
                _ => None,
            },
            Self::Text => {
                let text = text.strip_prefix(b"\"")?;
                let is_end = |&byte: &u8| byte < b' ' || byte == b'"' || byte == b'\\';
                let end = text.iter().take(HALF).position(is_end)?;
                (text[end] == b'"').then_some((end + 2, None))
            }
            Self::Number => {
                let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let whole = digits(text);
                if whole == 0 || whole > 1 && text[0] == b'0' {
                    return None;
                }
                match text.get(whole) {
                    Some(b'.') => match digits(&text[whole + 1..]) {
                        0 => None,
                        decimals => Some((whole + 1 + decimals, None)),
                    },
                    _ => Some((whole, None)),
                }
            }
        }
    }
}
