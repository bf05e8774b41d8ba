//! The shapes that cells have in a text.

use std::ops::Range;

use super::Notation;
use super::signs::{Kind, Token, kind_of};
use crate::sudoku::{CELLS, SIDE};

/// Signs that separate fields, of which an empty one is a blank.
const SEPARATORS: &[u8] = b",;|\t&";

/// Cells as they are found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// How many there are to be.
    pub n: usize,
    /// Their values.
    pub values: [u8; CELLS],
    /// How many there are.
    count: usize,
    /// Where the first stands.
    pub start: usize,
    /// Where each stands, if that is asked.
    pub offsets: Vec<usize>,
    has_offsets: bool,
    /// Bytes of the text before the part that is looked at.
    base: usize,
}

impl Found {
    /// None yet.
    pub const fn new(n: usize, has_offsets: bool) -> Self {
        Self { n, values: [0; CELLS], count: 0, start: 0, offsets: Vec::new(), has_offsets, base: 0 }
    }

    /// Adds a cell; whether it is one of the `n`.
    fn push(&mut self, value: u8, at: usize) -> bool {
        if self.count == self.n {
            return false;
        }
        if self.count == 0 {
            self.start = self.base + at;
        }
        self.values[self.count] = value;
        self.count += 1;
        if self.has_offsets {
            self.offsets.push(self.base + at);
        }
        true
    }

    /// Forgets them, for the next shape.
    fn clear(&mut self) {
        (self.count, self.values) = (0, [0; CELLS]);
        self.offsets.clear();
    }
}

/// The longest text in which cells may stand at a fixed distance: 81 characters of the longest.
const LONGEST: usize = 4 * CELLS;

impl Notation {
    /// Finds the `n` cells of a text, and where what is behind them begins.
    pub(super) fn find(self, text: &[u8], found: &mut Found) -> Option<usize> {
        if found.n == 1 {
            return self.one(text).filter(|&(value, at)| found.push(value, at)).map(|_| text.len());
        }
        if let Some(end) = self.close(text, found) {
            return Some(end);
        }
        let is_found = self.numbered(text, 0, found) || {
            let words = self.words(text);
            words > 0
                && self.is_label(&text[..words], found.n)
                && self.numbered(text, behind_mark(text, words), found)
        };
        is_found.then_some(text.len())
    }

    /// Whether a text may be a label: it has less than half of the cells.
    fn is_label(self, text: &[u8], n: usize) -> bool {
        text.len() < n.div_ceil(2) || self.tally(text, n).count < n.div_ceil(2)
    }

    /// One cell, or nothing at all, which is a blank; and where it stands.
    fn one(self, text: &[u8]) -> Option<(u8, usize)> {
        let mut tokens = self.tokens(text);
        match (tokens.next(), tokens.next()) {
            (None, _) => Some((0, 0)),
            (Some(token), None) => Some((self.value(text, &token)?, token.start)),
            _ => None,
        }
    }

    /// A token of `n` cells, with a label before it or not; where it ends.
    fn close(self, text: &[u8], found: &mut Found) -> Option<usize> {
        let token = self.tokens(text).find(|token| token.is_pure && token.cells == found.n)?;
        let is_alone = found.n == CELLS || self.tokens(&text[token.end..]).next().is_none();
        if !is_alone || !self.is_label(&text[..token.start], found.n) {
            return None;
        }
        self.push_token(text, &token, found);
        Some(if found.n == CELLS { token.end } else { text.len() })
    }

    /// Adds all cells of a token.
    fn push_token(self, text: &[u8], token: &Token, found: &mut Found) {
        for (kind, at) in self.signs(token.of(text)) {
            found.push(value_of(kind), token.start + at);
        }
    }

    /// Where the last token ends that is neither cells nor a word for one; 0 if there is none.
    pub(super) fn words(self, text: &[u8]) -> usize {
        let is_word = |token: &Token| !token.is_pure && self.value(text, token).is_none();
        self.tokens(text).filter(is_word).last().map_or(0, |token| token.end)
    }

    /// Cells from `start` on, or behind a label of one token there.
    fn numbered(self, text: &[u8], start: usize, found: &mut Found) -> bool {
        let rest = &text[start..];
        if self.shape(rest, start, found) {
            return true;
        }
        let Some(label) = self.tokens(rest).next() else { return false };
        let mut behind = self.signs(&rest[label.end..]).skip_while(|(kind, _)| *kind == Kind::Space);
        let Some((Kind::Mark, at)) = behind.next() else { return false };
        let mark = label.end + at;
        let (_, length) = self.sign(rest, mark);
        let (mark, rest) = (&rest[mark..mark + length], &rest[mark + length..]);
        // A mark between all cells sets fields apart, and then there is one too many.
        let others = rest.windows(length).filter(|other| *other == mark).count();
        others < found.n - 1 && self.shape(rest, text.len() - rest.len(), found)
    }

    /// Cells without a label, in a part of a text before which so many bytes stand.
    fn shape(self, text: &[u8], base: usize, found: &mut Found) -> bool {
        found.base = base;
        let shapes = [Self::spread, Self::fields, Self::fixed, Self::joined];
        shapes.iter().any(|shape| {
            found.clear();
            shape(self, text, found)
        })
    }

    /// Tokens of one length, or a word or a cell each.
    fn spread(self, text: &[u8], found: &mut Found) -> bool {
        let (mut tokens, mut cells, mut length) = (0, 0, 0);
        let (mut are_values, mut are_even) = (true, true);
        for token in self.tokens(text) {
            length = if tokens == 0 { token.cells } else { length };
            (tokens, cells) = (tokens + 1, cells + token.cells);
            are_even = are_even && token.is_pure && token.cells == length;
            are_values = are_values && self.value(text, &token).is_some();
            if tokens > found.n || !are_even && !are_values {
                return false;
            }
        }
        if are_values && tokens == found.n {
            for token in self.tokens(text) {
                found.push(self.value(text, &token).unwrap_or(0), token.start);
            }
            return true;
        }
        // Groups that are numbers each are too few numbers.
        if are_even && cells == found.n && (!are_values || length == 1) {
            for token in self.tokens(text) {
                self.push_token(text, &token, found);
            }
            return true;
        }
        false
    }

    /// Fields of which some are empty.
    fn fields(self, text: &[u8], found: &mut Found) -> bool {
        SEPARATORS.iter().any(|&separator| {
            found.clear();
            text.contains(&separator) && self.split(text, separator, found).is_some()
        })
    }

    /// The same with one separator. One more may stand at the end, and for a frame at both ends.
    fn split(self, text: &[u8], separator: u8, found: &mut Found) -> Option<()> {
        let count = 1 + memchr::memchr_iter(separator, text).count();
        let mut rest = if separator == b'\t' { text } else { text.trim_ascii_end() };
        if count > found.n {
            rest = rest.strip_suffix(&[separator])?;
        }
        let before = rest.len();
        if count > found.n + 1 {
            rest = rest.trim_ascii_start().strip_prefix(b"|").filter(|_| separator == b'|')?;
        }
        let mut start = before - rest.len();
        for field in rest.split(|&byte| byte == separator) {
            let (value, at) = self.one(field)?;
            found.push(value, start + at).then_some(())?;
            start += field.len() + 1;
        }
        (found.count == found.n).then_some(())
    }

    /// Cells at a fixed distance, where a space is a blank: all in one part, or nine in three parts of a frame.
    fn fixed(self, text: &[u8], found: &mut Found) -> bool {
        if text.len() > LONGEST {
            return false;
        }
        let signs: Vec<_> = self.signs(text).collect();
        let Some(frame) = Frame::of(text, &signs, found.n, self.blank == Some(' ')) else { return false };
        frame.steps.clone().any(|step| {
            found.clear();
            frame.cells(&signs, step, text.len(), found)
        })
    }

    /// Nine times nine cells with the same sign between them and nowhere else.
    fn joined(self, text: &[u8], found: &mut Found) -> bool {
        let mut tokens = self.tokens(text);
        let (Some(token), None) = (tokens.next(), tokens.next()) else { return false };
        let cells = token.of(text);
        if found.n != CELLS || !token.is_pure || cells.len() != CELLS + SIDE - 1 {
            return false;
        }
        let is_between = |at: usize| at % (SIDE + 1) == SIDE;
        let is_joined = cells.iter().enumerate().all(|(at, &byte)| (byte == cells[SIDE]) == is_between(at));
        for (kind, at) in self.signs(cells).filter(|&(_, at)| is_joined && !is_between(at)) {
            found.push(value_of(kind), token.start + at);
        }
        found.count == found.n
    }
}

/// The value of a cell; what is none is blank.
const fn value_of(kind: Kind) -> u8 {
    if let Kind::Cell(value) = kind { value } else { 0 }
}

/// Where cells at a fixed distance may stand.
struct Frame {
    /// The parts, by the places of their characters; but for frames only the first.
    parts: [Range<usize>; 3],
    /// How many there are.
    count: usize,
    /// Characters of a whole part. Spaces may be missing where the text begins and ends without a frame.
    width: usize,
    /// How many characters it may be from one cell to the next.
    steps: Range<usize>,
}

impl Frame {
    /// The frame that a text of these characters may be a row of; without a frame it may be cut short or not.
    fn of(text: &[u8], signs: &[(Kind, usize)], n: usize, may_be_cut: bool) -> Option<Self> {
        // What separates fields is no frame.
        let is_frame = |&(kind, at): &(Kind, usize)| {
            kind == Kind::Mark && (matches!(text[at], b'|' | b'!') || !text[at].is_ascii())
        };
        let is_solid = |&(kind, _): &(Kind, usize)| kind != Kind::Space;
        let (first, last) = (signs.iter().position(is_solid)?, signs.iter().rposition(is_solid)?);
        let (is_open, is_unclosed) = (!is_frame(&signs[first]), !is_frame(&signs[last]));
        let start = if is_open { 0 } else { first };
        let end = if is_unclosed { signs.len() } else { last };
        let (mut parts, mut count) = ([const { 0..0 }; 3], 0);
        let mut at = start;
        for part in signs[start..end].split(is_frame) {
            if !part.is_empty() {
                *parts.get_mut(count)? = at..at + part.len();
                count += 1;
            }
            at += part.len() + 1;
        }
        let [left, middle, right] = parts.each_ref().map(Range::len);
        if count == 1 && is_open && is_unclosed {
            return Self::alone(signs, n, may_be_cut && n == SIDE);
        }
        let fits = |length, is_open| length == middle || is_open && length < middle;
        let is_row = n == SIDE && count == 3 && fits(left, is_open) && fits(right, is_unclosed);
        (is_row && middle % 2 == 1).then_some(Self {
            parts,
            count,
            width: middle,
            steps: 1..middle.div_ceil(2),
        })
    }

    /// The one part of a text without a frame.
    fn alone(signs: &[(Kind, usize)], n: usize, may_be_cut: bool) -> Option<Self> {
        let is_space = |at: usize| signs[at].0 == Kind::Space;
        let length = signs.len();
        // One space at an end may be too much, or too few.
        let width = match length % 2 {
            _ if may_be_cut && length < n => n,
            0 if is_space(length - 1) => length - 1,
            0 => length + 1,
            _ => length,
        };
        let step = (width - 1) / (n - 1);
        let last = width / 2 + n / 2 * step;
        // Of characters that are cells and spaces by turns the spaces are none, but where a file has them for blanks.
        let has_gap = || (0..length).step_by(2).any(is_space);
        let by_turns = (1..length).step_by(2).all(is_space) && (n == CELLS || !may_be_cut && !has_gap());
        let is_row = !by_turns && step > 0 && (last < length || may_be_cut) && width < (n + 1) * step;
        is_row.then_some(Self { parts: [0..length, 0..0, 0..0], count: 1, width, steps: step..step + 1 })
    }

    /// Finds the cells with so many characters from one to the next; `end` is where a missing one would stand.
    fn cells(&self, signs: &[(Kind, usize)], step: usize, end: usize, found: &mut Found) -> bool {
        let each = found.n / self.count;
        let (mut solid, mut has_blanks) = (0, false);
        for (i, part) in self.parts[..self.count].iter().enumerate() {
            // What is missing of the first part of a frame stood before it.
            let is_left = i == 0 && self.count > 1;
            let missing = if is_left { self.width - part.len() } else { 0 };
            let first = self.width / 2 - each / 2 * step;
            for place in (first..).step_by(step).take(each) {
                let at =
                    place.checked_sub(missing).map(|place| part.start + place).filter(|at| part.contains(at));
                let none = (Kind::Space, if is_left { 0 } else { end });
                let (kind, at) = at.map_or(none, |at| signs[at]);
                solid += usize::from(matches!(kind, Kind::Cell(_)));
                has_blanks |= kind == Kind::Cell(0);
                found.push(value_of(kind), at);
            }
        }
        let others = self.parts.iter().flat_map(|part| &signs[part.clone()]);
        // Beside another blank a space is none.
        others.filter(|(kind, _)| *kind != Kind::Space).count() == solid && !(has_blanks && solid < found.n)
    }
}

/// Where a label ends: behind the white space and the first mark that follow it.
fn behind_mark(text: &[u8], at: usize) -> usize {
    let rest = text[at..].trim_ascii_start();
    let is_mark = rest.first().is_some_and(|&byte| kind_of(byte) == Kind::Mark);
    text.len() - rest.len() + usize::from(is_mark)
}
