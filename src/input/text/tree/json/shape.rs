//! The shape of a record, which most share with the one before: what stands between their values.
//!
//! A record of the same shape has the same record as the finder would give, since it differs in plain values alone that
//! mean nothing to it: numbers, strings that are too short for a grid, and the cells themselves.

use std::ops::Range;

use crate::input::reader::Which;
use crate::input::text::tree::finder::{Found, Held, Rules};
use crate::input::text::tree::lexer::{Element, elements};
use crate::input::text::tree::value::HALF;
use crate::sudoku::{CELLS, Grid};

/// A value that differs from line to line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    /// A string of 81 cells.
    Cells(Which),
    /// A cell of a list, of one digit.
    Digit(Which),
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
    /// That of a value which is a record; none if others are not read by it.
    pub fn of(bytes: &[u8], value: Range<usize>, found: &Found, rules: &Rules) -> Option<Self> {
        let (mut slots, mut before) = (Vec::new(), value.start);
        let mut add = |at: Range<usize>, slot: Slot| {
            if slot.grid(&bytes[at.clone()]).is_some_and(|(length, _)| length == at.len()) {
                slots.push((bytes[before..at.start].to_vec(), slot));
                before = at.end;
            }
        };
        // The cells of a list stand each for itself.
        let add_cells = |add: &mut dyn FnMut(Range<usize>, Slot), held: &Held, which: Which| match bytes
            [held.range.start]
        {
            b'[' => {
                let offsets = held.value(bytes).offsets().into_iter();
                offsets.map(|at| held.range.start + at).for_each(|at| add(at..at + 1, Slot::Digit(which)));
            }
            _ => add(held.range.clone(), Slot::Cells(which)),
        };
        if found.is_value() {
            add_cells(&mut add, &found.puzzle, Which::Puzzle);
        }
        let start = found.range.start;
        let members = (bytes[start] == b'{').then(|| elements(bytes, start));
        for Element { key, value: at } in members.into_iter().flatten() {
            if at == found.puzzle.range {
                add_cells(&mut add, &found.puzzle, Which::Puzzle);
            } else if let Some(claim) = found.claim.as_ref().filter(|claim| claim.range == at) {
                // Which of two is a claim by its cells alone, they say anew each time.
                if !claim.is_named {
                    return None;
                }
                add_cells(&mut add, claim, Which::Claim);
            } else if key.is_some_and(|key| rules.meaning(&key.text(bytes)).is_claim.is_none()) {
                add(at.clone(), if bytes[at.start] == b'"' { Slot::Text } else { Slot::Number });
            }
        }
        let has_all = |which: Which| {
            let digits = slots.iter().filter(|(_, slot)| *slot == Slot::Digit(which)).count();
            digits == CELLS || slots.iter().any(|(_, slot)| *slot == Slot::Cells(which))
        };
        let is_whole = has_all(Which::Puzzle) && (found.claim.is_none() || has_all(Which::Claim));
        is_whole.then(|| Self { slots, end: bytes[before..value.end].to_vec() })
    }

    /// The puzzle and the claim of the value of this shape with which a text begins, and its length.
    #[inline]
    pub fn read(&self, text: &[u8]) -> Option<(Grid, Option<Grid>, usize)> {
        let (mut puzzle, mut claim, mut rest) = (None, None, text);
        let (mut digits, mut count) = ([0; CELLS], 0);
        for (before, slot) in &self.slots {
            rest = rest.strip_prefix(before.as_slice())?;
            let (length, grid) = slot.grid(rest)?;
            match slot {
                Slot::Cells(Which::Puzzle) => puzzle = grid,
                Slot::Cells(Which::Claim) => claim = grid,
                Slot::Digit(which) => {
                    digits[count] = rest[0] - b'0';
                    count = (count + 1) % CELLS;
                    if count == 0 {
                        let grid = Some(Grid::from_digits(digits));
                        *(if *which == Which::Puzzle { &mut puzzle } else { &mut claim }) = grid;
                    }
                }
                Slot::Text | Slot::Number => {}
            }
            rest = &rest[length..];
        }
        let behind = rest.strip_prefix(self.end.as_slice())?;
        Some((puzzle?, claim, text.len() - behind.len()))
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
            Self::Digit(_) => text.first()?.is_ascii_digit().then_some((1, None)),
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
