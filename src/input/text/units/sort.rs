//! What a line is.

use memchr::{memchr, memrchr};

use super::Units;
use crate::input::MAX_LINE;
use crate::input::text::notation::{Cells, Miss, is_border, is_comment};
use crate::record::{Fault, FaultKind};
use crate::sudoku::{CELLS, SIDE, digit_of};

/// A line of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Counted from 1.
    pub number: u64,
    /// Bytes of the text before it.
    pub start: usize,
    /// Where it ends, its line end included.
    pub end: usize,
    /// Without its line end.
    pub text: &'a [u8],
}

/// The lines of a text.
#[derive(Clone, Debug)]
pub(super) struct Lines<'a> {
    bytes: &'a [u8],
    /// Where the next line begins.
    pub start: usize,
    /// How many there were.
    pub number: u64,
}

/// What a line is to a puzzle.
#[derive(Debug)]
pub(super) enum Sort {
    /// Cells.
    Row(Cells),
    /// It should be cells; the fault has no place yet, and is about a byte of the line.
    Bad(Fault, usize),
    /// Nothing but white space.
    Blank,
    /// A line across a frame, or the numbers of columns above one.
    Border,
    /// A comment.
    Comment,
    /// Brackets or other marks, and not one letter or digit.
    Marks,
    /// Anything else.
    Title,
}

impl<'a> Line<'a> {
    /// The line that begins at `start`; its number is not known.
    fn at(bytes: &'a [u8], start: usize) -> Self {
        let rest = &bytes[start..];
        let line_end = memchr(b'\n', rest);
        let (text, end) = line_end.map_or((rest, bytes.len()), |at| (&rest[..at], start + at + 1));
        Self { number: 0, start, end, text: text.strip_suffix(b"\r").unwrap_or(text) }
    }

    /// The one that ends where this one begins.
    pub fn before(&self, bytes: &'a [u8]) -> Option<Self> {
        let last = self.start.checked_sub(1)?;
        Some(Self::at(bytes, memrchr(b'\n', &bytes[..last]).map_or(0, |end| end + 1)))
    }

    /// The one that begins where this one ends.
    pub fn behind(&self, bytes: &'a [u8]) -> Option<Self> {
        (self.end < bytes.len()).then(|| Self::at(bytes, self.end))
    }

    /// Those before it, the nearest first.
    pub fn all_before(&self, bytes: &'a [u8]) -> impl Iterator<Item = Self> + use<'a> {
        std::iter::successors(self.before(bytes), |line| line.before(bytes))
    }

    /// Those behind it.
    pub fn all_behind(&self, bytes: &'a [u8]) -> impl Iterator<Item = Self> + use<'a> {
        std::iter::successors(self.behind(bytes), |line| line.behind(bytes))
    }
}

impl<'a> Lines<'a> {
    /// All lines of a text.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, start: 0, number: 0 }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    #[inline]
    fn next(&mut self) -> Option<Line<'a>> {
        if self.start == self.bytes.len() {
            return None;
        }
        self.number += 1;
        let line = Line { number: self.number, ..Line::at(self.bytes, self.start) };
        self.start = line.end;
        Some(line)
    }
}

impl Units {
    /// What a line of a text is. That of few lines depends on those around it.
    pub(super) fn sort(&self, bytes: &[u8], line: &Line) -> Sort {
        let text = line.text;
        if text.len() > MAX_LINE {
            return Sort::Bad(Fault::new(FaultKind::LineTooLong, None), MAX_LINE);
        }
        let is_blank = text.trim_ascii().is_empty();
        if is_blank && self.notation.blank != Some(' ') {
            return Sort::Blank;
        }
        let cells = self.notation.cells(text, self.cells_a_line);
        match cells {
            Ok(cells) if is_blank && cells.end < self.cells_a_line => Sort::Blank,
            Ok(_) if self.cells_a_line == 1 && !self.has_signs(text) => Sort::Marks,
            Ok(cells) if self.is_heading(bytes, line, &cells) || self.lies_across(bytes, line, &cells) => {
                Sort::Border
            }
            Ok(_) if self.is_empty_between_grids(bytes, line) => Sort::Blank,
            Ok(cells) if is_title_of_table(text, cells.start) => Sort::Title,
            Ok(cells) => Sort::Row(cells),
            Err(_) if is_blank => Sort::Blank,
            Err(_) if is_comment(text) => Sort::Comment,
            Err(_) if is_border(text) => Sort::Border,
            Err(Miss::Bad { fault, at }) => Sort::Bad(fault, at),
            Err(Miss::Other) if is_marks(text) => Sort::Marks,
            Err(Miss::Other) => Sort::Title,
        }
    }

    /// Whether a line has more than marks, which are cells that are left out.
    pub(super) fn has_signs(&self, text: &[u8]) -> bool {
        let is_blank =
            |byte: u8| self.notation.blank.is_some_and(|blank| u32::from(blank) == u32::from(byte));
        let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || !byte.is_ascii() || digit_of(byte).is_some();
        text.iter().any(|&byte| is_sign(byte) || is_blank(byte))
    }

    /// Whether nine cells are the numbers of the columns, set in from the left above a border.
    fn is_heading(&self, bytes: &[u8], line: &Line, cells: &Cells) -> bool {
        self.cells_a_line == SIDE
            && cells.values[..SIDE] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
            && line.text.starts_with(b" ")
            && line.text.iter().all(|byte| matches!(byte, b' ' | b'1'..=b'9'))
            && line.behind(bytes).is_some_and(|next| is_border(next.text))
    }

    /// Whether nine blanks are a line across a frame instead. The rows near it say so if they write blanks with other signs,
    /// or if they are complete on both sides. Else they are a row, if there are as many as a grid has and no border of the
    /// frame is drawn with another sign.
    fn lies_across(&self, bytes: &[u8], line: &Line, cells: &Cells) -> bool {
        if self.cells_a_line != SIDE || cells.values != [0; CELLS] || !is_border(line.text) {
            return false;
        }
        let sign = line.text.iter().find(|byte| matches!(byte, b'-' | b'*' | b'_'));
        let has_sign = |text: &[u8]| sign.is_some_and(|sign| text.contains(sign));
        let cells_of = |other: &Line| self.notation.cells(other.text, SIDE).ok();
        // No frame has more lines between two rows than one.
        let is_part = |other: &Line| is_border(other.text) || cells_of(other).is_some();
        let above = || line.all_before(bytes).take(2 * SIDE).take_while(is_part);
        let below = || line.all_behind(bytes).take(2 * SIDE).take_while(is_part);
        let near = || above().chain(below());
        let has_blank = |other: &Line| cells_of(other).is_some_and(|cells| cells.values[..SIDE].contains(&0));
        let rows = near().filter(|other| !is_border(other.text) && has_blank(other));
        if let Some(is_same) = rows.map(|other| has_sign(other.text)).reduce(|one, other| one || other) {
            return !is_same;
        }
        let is_complete = |other: Option<Line>| other.is_some_and(|other| !is_border(other.text));
        let is_other_border = |other: Line| cells_of(&other).is_none() && !has_sign(other.text);
        is_complete(above().next()) && is_complete(below().next())
            || 1 + near().filter(|other| cells_of(other).is_some()).count() < SIDE
                && !near().any(is_other_border)
    }

    /// Whether a line of nothing but separators is a blank line of a table: a whole grid is above it or below, and on the
    /// other side is another, or no row.
    fn is_empty_between_grids(&self, bytes: &[u8], line: &Line) -> bool {
        if self.cells_a_line != SIDE || self.has_bands() || self.has_signs(line.text) {
            return false;
        }
        let ends = [line.before(bytes), line.behind(bytes)].map(|other| self.is_end(other));
        ends != [true; 2]
            && (ends[0] || self.is_grid(line.all_before(bytes)))
            && (ends[1] || self.is_grid(line.all_behind(bytes)))
    }

    /// Whether nine rows come first, and no tenth.
    fn is_grid<'a>(&self, mut lines: impl Iterator<Item = Line<'a>>) -> bool {
        lines.by_ref().take(SIDE).filter(|other| self.is_row(other.text)).count() == SIDE
            && self.is_end(lines.next())
    }

    /// Whether a line is no row, or one that has nothing but separators.
    fn is_end(&self, line: Option<Line>) -> bool {
        line.is_none_or(|line| !self.is_row(line.text) || !self.has_signs(line.text))
    }

    /// Whether a line is nine cells, which may be part of a frame.
    pub(super) fn is_row(&self, text: &[u8]) -> bool {
        self.notation.cells(text, SIDE).is_ok_and(|cells| !is_title_of_table(text, cells.start))
    }
}

/// Whether a line has no letter, no digit and nothing else that says something.
fn is_marks(text: &[u8]) -> bool {
    text.iter().all(|byte| byte.is_ascii_punctuation() || byte.is_ascii_whitespace())
}

/// Whether a line is a title with a number in a table: before its fields, of which some are empty, stands a word, and no
/// mark between.
fn is_title_of_table(text: &[u8], start: usize) -> bool {
    let label = text[..start].trim_ascii_end();
    label.last().is_some_and(u8::is_ascii_alphabetic)
        && text[start..].windows(2).any(|pair| matches!(pair, b",," | b";;" | b"\t\t"))
}
