//! What stands in an attribute or between two tags: its text, and where in the document each byte of it stands.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2, memmem};
use quick_xml::escape::unescape;

use crate::input::text::notation::{Miss, Notation, is_border};
use crate::record::{Fault, FaultKind};
use crate::sudoku::{CELLS, SIDE};

/// A text without its markup, with references replaced.
pub(super) struct Value<'a> {
    text: Cow<'a, [u8]>,
    /// Where in the document it stands.
    range: Range<usize>,
    /// Where each byte stands; empty if they stand one behind the other from the start.
    origins: Vec<usize>,
}

/// Cells, and where in the document they stand if that is wanted.
pub(super) struct Cells {
    /// The first 81 or nine count; 0 is a blank.
    pub values: [u8; CELLS],
    pub offsets: Vec<usize>,
}

/// Some cells, or what is wrong with them and where in the document.
pub(super) type Read = Result<Cells, (usize, Fault)>;

/// A line of a value that is a grid or a row of one, or should be.
pub(super) struct Line {
    /// Whether it is a row.
    pub is_row: bool,
    pub cells: Read,
    /// Where in the document it stands.
    pub range: Range<usize>,
}

/// How pieces of markup within a text begin and end, and whether what is between is text.
const MARKUP: [(&str, &str, bool); 3] =
    [("<![CDATA[", "]]>", true), ("<!--", "-->", false), ("<?", "?>", false)];

/// How the games begin that `OpenSudoku` keeps.
const GAME: &[u8] = b"version: ";

impl<'a> Value<'a> {
    /// The value of a piece of the document that begins at `start`.
    pub fn new(raw: &'a str, start: usize) -> Self {
        let range = start..start + raw.len();
        let mut next = memchr2(b'<', b'&', raw.as_bytes());
        if next.is_none() {
            return Self { text: Cow::Borrowed(raw.as_bytes()), range, origins: Vec::new() };
        }
        let (mut text, mut origins, mut at) = (Vec::new(), Vec::new(), 0);
        // Copies what stands there as it is, or, with a step of 0, what is referred to there.
        let mut copy = |from: usize, piece: &str, step: usize| {
            text.extend_from_slice(piece.as_bytes());
            origins.extend((0..piece.len()).map(|byte| start + from + step * byte));
        };
        while let Some(plain) = next {
            copy(at, &raw[at..at + plain], 1);
            at += plain;
            let rest = &raw[at..];
            let reference = memchr(b';', rest.as_bytes()).map(|end| &rest[..=end]);
            at += if let Some((open, close, is_text)) = MARKUP.iter().find(|part| rest.starts_with(part.0)) {
                let inside = &rest[open.len()..];
                let length = memmem::find(inside.as_bytes(), close.as_bytes()).unwrap_or(inside.len());
                if *is_text {
                    copy(at + open.len(), &inside[..length], 1);
                }
                rest.len().min(open.len() + length + close.len())
            } else if rest.starts_with('&')
                && let Some(reference) = reference
                && let Ok(sign) = unescape(reference)
            {
                copy(at, &sign, 0);
                reference.len()
            } else {
                copy(at, &rest[..1], 1);
                1
            };
            next = memchr2(b'<', b'&', &raw.as_bytes()[at..]);
        }
        copy(at, &raw[at..], 1);
        Self { text: Cow::Owned(text), range, origins }
    }

    /// Its text.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Where in the document a byte of the text stands.
    fn origin(&self, at: usize) -> usize {
        match self.origins.get(at) {
            Some(&origin) => origin,
            None if self.origins.is_empty() => self.range.start + at,
            None => self.range.end,
        }
    }

    /// Its lines that are grids or rows, or should be, in order.
    pub fn lines(&self, with_offsets: bool) -> impl Iterator<Item = Line> {
        let is_game = self.text.starts_with(GAME);
        let lines = self.text.split(move |&byte| byte == b'\n' && !is_game);
        let mut end = 0;
        lines.filter_map(move |line| {
            let start = end + line.len() - line.trim_ascii_start().len();
            end += line.len() + 1;
            let line = line.trim_ascii();
            let range = self.origin(start)..self.origin(start + line.len());
            if is_game {
                return Some(Line { is_row: false, cells: self.game(), range });
            }
            // Nothing shorter is half a row.
            if line.len() <= SIDE / 2 {
                return None;
            }
            let of = |n| self.cells(line, start, n, with_offsets).map(|cells| (n == SIDE, cells));
            let (is_row, cells) = of(CELLS).or_else(|| of(SIDE))?;
            Some(Line { is_row, cells, range })
        })
    }

    /// The `n` cells of a line that begins at `start`, if it is that many, or at least half.
    fn cells(&self, line: &[u8], start: usize, n: usize, with_offsets: bool) -> Option<Read> {
        let notation = Notation::default();
        match notation.cells(line, n) {
            Ok(cells) => {
                let offsets = if with_offsets { notation.offsets(line, n) } else { Vec::new() };
                let offsets = offsets.into_iter().map(|at| self.origin(start + at)).collect();
                Some(Ok(Cells { values: cells.values, offsets }))
            }
            Err(Miss::Bad { .. }) if n == SIDE && is_border(line) => None,
            Err(Miss::Bad { fault, at }) => Some(Err((self.origin(start + at), fault))),
            Err(Miss::Other) => None,
        }
    }

    /// The clues of a game as `OpenSudoku` keeps it: for each cell its digit, notes of one or two kinds, and 1 where the
    /// digit may be changed, each with a bar behind it. If no digit is fixed, all are clues.
    fn game(&self) -> Read {
        /// Fields of a cell in the oldest and in the newest version.
        const WIDTHS: [usize; 2] = [3, 4];
        let behind = |start: usize, is_such: fn(&u8) -> bool| {
            start + self.text[start..].iter().take_while(|byte| is_such(byte)).count()
        };
        let start = behind(behind(GAME.len(), u8::is_ascii_digit), u8::is_ascii_whitespace);
        let mut end = start;
        let fields = self.text[start..].split(|&byte| byte == b'|').map(|field| {
            end += field.len() + 1;
            (end - 1 - field.len(), field)
        });
        let fields: Vec<(usize, &[u8])> = fields.collect();
        let Some(width) = WIDTHS.into_iter().find(|width| fields.len() == width * CELLS + 1) else {
            let fault = Fault::new(FaultKind::CellCount, None).number(fields.len() / WIDTHS[0]);
            return Err((self.origin(start), fault));
        };
        let is_fixed = |cell: &[(usize, &[u8])]| cell[width - 1].1 == b"0";
        let none_fixed = !fields.chunks_exact(width).any(|cell| is_fixed(cell) && cell[0].1 != b"0");
        let mut cells = Cells { values: [0; CELLS], offsets: Vec::with_capacity(CELLS) };
        for (value, cell) in cells.values.iter_mut().zip(fields.chunks_exact(width)) {
            let (at, field) = cell[0];
            match field {
                [digit @ b'0'..=b'9'] if is_fixed(cell) || none_fixed => *value = digit - b'0',
                [b'0'..=b'9'] => {}
                _ => {
                    let fault = Fault::new(FaultKind::CellNumber, None);
                    return Err((self.origin(at), fault.text(String::from_utf8_lossy(field))));
                }
            }
            cells.offsets.push(self.origin(at));
        }
        Ok(cells)
    }
}
