//! The kinds of line.

use memchr::{memchr, memrchr};

use super::Units;
use crate::input::MAX_LINE;
use crate::input::text::notation::{Cells, Miss, is_border, is_comment};
use crate::record::{Fault, FaultKind};
use crate::sudoku::{CELLS, SIDE, digit_of};

/// A line of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// The number of the line, from 1.
    pub number: u64,
    /// The number of bytes before the line in the text.
    pub start: usize,
    /// The offset of the end of the line, including its line end.
    pub end: usize,
    /// The text of the line, without its line end.
    pub text: &'a [u8],
}

/// An iterator over the lines of a text.
#[derive(Clone, Debug)]
pub(super) struct Lines<'a> {
    bytes: &'a [u8],
    /// The offset of the next line.
    pub start: usize,
    /// The number of lines returned so far.
    pub number: u64,
}

/// The role of a line in a puzzle.
#[derive(Debug)]
pub(super) enum LineKind {
    /// A row of cells.
    Row(Cells),
    /// A line that should be cells but is faulty: the fault, which has no place yet, and its byte offset in the line.
    Bad(Fault, usize),
    /// White space only.
    Blank,
    /// A horizontal line of a frame, or the column numbers above one.
    Border,
    /// A comment.
    Comment,
    /// Brackets or other marks, without any letters or digits.
    Marks,
    /// Anything else.
    Title,
}

impl<'a> Line<'a> {
    /// Returns the line that begins at `start`; its number is not known.
    fn at(bytes: &'a [u8], start: usize) -> Self {
        let rest = &bytes[start..];
        let line_end = memchr(b'\n', rest);
        let (text, end) = line_end.map_or((rest, bytes.len()), |at| (&rest[..at], start + at + 1));
        Self { number: 0, start, end, text: text.strip_suffix(b"\r").unwrap_or(text) }
    }

    /// Returns the last line of a text.
    pub fn last(bytes: &'a [u8]) -> Option<Self> {
        Self { number: 0, start: bytes.len(), end: bytes.len(), text: &[] }.before(bytes)
    }

    /// Returns the line that ends where this one begins.
    pub fn before(&self, bytes: &'a [u8]) -> Option<Self> {
        let last = self.start.checked_sub(1)?;
        Some(Self::at(bytes, memrchr(b'\n', &bytes[..last]).map_or(0, |end| end + 1)))
    }

    /// Returns the line that begins where this one ends.
    pub fn behind(&self, bytes: &'a [u8]) -> Option<Self> {
        (self.end < bytes.len()).then(|| Self::at(bytes, self.end))
    }
}

impl<'a> Lines<'a> {
    /// Iterates over all lines of a text.
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
    /// Returns the role that a line plays.
    pub(super) fn kind_of(&self, bytes: &[u8], line: &Line) -> LineKind {
        let text = line.text;
        if text.len() > MAX_LINE {
            return LineKind::Bad(Fault::new(FaultKind::LineTooLong, None), MAX_LINE);
        }
        let is_blank = text.trim_ascii().is_empty();
        if is_blank && self.notation.blank != Some(' ') {
            return LineKind::Blank;
        }
        let is_border = is_border(text);
        if is_border && text.iter().filter(|byte| digit_of(**byte) == Some(0)).count() != self.cells_a_line {
            return LineKind::Border;
        }
        match self.notation.cells(text, self.cells_a_line) {
            Ok(cells) if is_blank && cells.end < self.cells_a_line => LineKind::Blank,
            Ok(_) if self.cells_a_line == 1 && !self.has_signs(text) => LineKind::Marks,
            Ok(_) if self.dialect.separator.is_some() && !self.has_signs(text) => LineKind::Blank,
            Ok(cells)
                if self.is_heading(bytes, line, &cells) || is_border && self.lies_across(text, &cells) =>
            {
                LineKind::Border
            }
            Ok(cells) => LineKind::Row(cells),
            Err(_) if is_blank => LineKind::Blank,
            Err(_) if is_border => LineKind::Border,
            Err(Miss::Bad { fault, at }) => LineKind::Bad(fault, at),
            Err(Miss::Other) if is_comment(text) => LineKind::Comment,
            Err(Miss::Other) if is_marks(text) => LineKind::Marks,
            Err(Miss::Other) => LineKind::Title,
        }
    }

    /// Returns whether a line has anything but marks; a line of only marks would read as empty cells.
    fn has_signs(&self, text: &[u8]) -> bool {
        let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || !byte.is_ascii() || digit_of(byte).is_some();
        text.iter().any(|&byte| is_sign(byte) || self.notation.blank == Some(char::from(byte)))
    }

    /// Returns whether nine cells are really column numbers, indented and above a border.
    fn is_heading(&self, bytes: &[u8], line: &Line, cells: &Cells) -> bool {
        self.cells_a_line == SIDE
            && cells.values[..SIDE] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
            && line.text.starts_with(b" ")
            && line.text.iter().all(|byte| matches!(byte, b' ' | b'1'..=b'9'))
            && line.behind(bytes).is_some_and(|next| is_border(next.text))
    }

    /// Returns whether a line that could be either blanks or a border is a border, because the file uses another sign
    /// for blanks.
    fn lies_across(&self, text: &[u8], cells: &Cells) -> bool {
        let is_blank = |&byte: &u8| self.dialect.blank == Some(char::from(byte));
        self.cells_a_line > 1 && cells.values == [0; CELLS] && !text.iter().any(is_blank)
    }
}

/// Returns whether a line has only punctuation and white space.
fn is_marks(text: &[u8]) -> bool {
    text.iter().all(|byte| byte.is_ascii_punctuation() || byte.is_ascii_whitespace())
}
