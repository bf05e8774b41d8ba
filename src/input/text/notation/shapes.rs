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
        if self.count == self.n.min(CELLS) {
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

/// The most characters of a text in which cells stand at a fixed distance. A row of four characters a cell in a frame
/// has some 40; 81 cells have 81.
const WIDEST: usize = 96;

impl Notation {
    /// Finds the `n` cells of a text, and where what is behind them begins.
    pub(super) fn find(self, text: &[u8], found: &mut Found) -> Option<usize> {
        if found.n == 1 {
            return self.one(text, found).then_some(text.len());
        }
        if let Some(end) = self.close(text, found) {
            return Some(end);
        }
        let words = self.words(text);
        let is_found = self.numbered(text, 0, found)
            || words > 0
                && self.tally(&text[..words], found.n).count < found.n.div_ceil(2)
                && self.numbered(text, behind_mark(text, words), found);
        is_found.then_some(text.len())
    }

    /// One cell, or nothing at all.
    fn one(self, text: &[u8], found: &mut Found) -> bool {
        let mut tokens = self.tokens(text);
        match (tokens.next(), tokens.next()) {
            (None, _) => found.push(0, 0),
            (Some(token), None) => {
                self.value(text, &token).is_some_and(|value| found.push(value, token.start))
            }
            _ => false,
        }
    }

    /// A token of `n` cells, with a label before it or not; where it ends.
    fn close(self, text: &[u8], found: &mut Found) -> Option<usize> {
        let token = self.tokens(text).find(|token| token.is_pure && token.cells == found.n)?;
        let is_alone = found.n == CELLS || self.tokens(&text[token.end..]).next().is_none();
        let is_labelled = || self.tally(&text[..token.start], found.n).count < found.n.div_ceil(2);
        if !is_alone || token.start > 0 && !is_labelled() {
            return None;
        }
        self.push_token(text, &token, found);
        Some(if found.n == CELLS { token.end } else { text.len() })
    }

    /// Adds all cells of a token.
    fn push_token(self, text: &[u8], token: &Token, found: &mut Found) {
        for (kind, at) in self.signs(token.of(text)) {
            if let Kind::Cell(value) = kind {
                found.push(value, token.start + at);
            }
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
        let shapes = [Self::spread, Self::fields, Self::framed, Self::fixed, Self::joined];
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
            text.contains(&separator) && self.split(text, separator, found)
        })
    }

    /// The same with one separator. One more may stand at the end, and for a frame at both ends.
    fn split(self, text: &[u8], separator: u8, found: &mut Found) -> bool {
        let is_blank = |byte: &u8| *byte == b' ' || *byte == b'\r';
        let count = 1 + memchr::memchr_iter(separator, text).count();
        let (mut start, mut end) = (0, text.len());
        if count > found.n {
            end -= text.iter().rev().take_while(|byte| is_blank(byte)).count();
            if text[..end].last() != Some(&separator) {
                return false;
            }
            end -= 1;
        }
        if count > found.n + 1 {
            start = text.iter().take_while(|byte| is_blank(byte)).count();
            if separator != b'|' || text.get(start) != Some(&separator) || start >= end {
                return false;
            }
            start += 1;
        }
        for field in text[start..end].split(|&byte| byte == separator) {
            let mut tokens = self.tokens(field);
            let (value, at) = match (tokens.next(), tokens.next()) {
                (None, _) => (Some(0), 0),
                (Some(token), None) => (self.value(field, &token), token.start),
                _ => return false,
            };
            let Some(value) = value else { return false };
            if !found.push(value, start + at) {
                return false;
            }
            start += field.len() + 1;
        }
        found.count == found.n
    }

    /// Nine cells in three parts of a frame, where a space is a blank: one in the middle of each part and two as far
    /// from it. Blanks at the ends of the text may be missing.
    fn framed(self, text: &[u8], found: &mut Found) -> bool {
        let Some(characters) = Characters::of(self, text).filter(|_| found.n == SIDE) else { return false };
        let Some(frame) = Frame::of(text, characters.as_slice()) else { return false };
        (1..=frame.width / 2).any(|step| {
            found.clear();
            frame.cells(characters.as_slice(), step, text.len(), found)
        })
    }

    /// Cells at a fixed distance, where a space is a blank.
    fn fixed(self, text: &[u8], found: &mut Found) -> bool {
        if found.n == SIDE && self.blank == Some(' ') {
            return self.cut_short(text, found);
        }
        let Some(characters) = Characters::of(self, text) else { return false };
        let signs = characters.as_slice();
        let is_cell = |&(kind, _): &(Kind, usize)| matches!(kind, Kind::Cell(_));
        let is_known = |sign: &(Kind, usize)| is_cell(sign) || text[sign.1] == b' ';
        if !signs.iter().all(is_known) || !signs.iter().any(is_cell) {
            return false;
        }
        // Of 81 characters that are cells and spaces by turns, the spaces are none.
        if found.n == CELLS {
            let by_turns = signs.iter().skip(1).step_by(2).all(|sign| !is_cell(sign));
            return signs.len() == CELLS && !by_turns && push_all(signs.iter(), found);
        }
        let steps = 1..=WIDEST / SIDE;
        steps.flat_map(|step| (0..step).map(move |first| (step, first))).any(|(step, first)| {
            let last = first + (found.n - 1) * step;
            let is_off = |(at, sign): (usize, &(Kind, usize))| is_cell(sign) && at % step != first;
            found.clear();
            (last + 1..=last + step).contains(&signs.len())
                && !signs.iter().enumerate().any(is_off)
                && push_all(signs.iter().skip(first).step_by(step).take(found.n), found)
        })
    }

    /// A row whose last blanks are missing.
    fn cut_short(self, text: &[u8], found: &mut Found) -> bool {
        let mut tokens = self.tokens(text);
        let (Some(token), None) = (tokens.next(), tokens.next()) else { return false };
        if !token.is_pure || token.cells > found.n {
            return false;
        }
        self.push_token(text, &token, found);
        while found.push(0, token.end) {}
        true
    }

    /// Nine times nine cells with the same sign between them and nowhere else.
    fn joined(self, text: &[u8], found: &mut Found) -> bool {
        let Some(token) = self.tokens(text).next().filter(|_| found.n == CELLS) else { return false };
        let cells = token.of(text);
        let Some(&sign) = cells.get(SIDE).filter(|_| cells.len() == CELLS + SIDE - 1) else { return false };
        let is_between = |at: usize| at % (SIDE + 1) == SIDE;
        let is_joined = cells.iter().enumerate().all(|(at, &byte)| (byte == sign) == is_between(at));
        if !token.is_pure || !is_joined || self.tokens(text).count() > 1 {
            return false;
        }
        let others = self.signs(cells).filter(|&(_, at)| !is_between(at));
        others.fold(true, |_, (kind, at)| push_one(kind, token.start + at, found)) && found.count == found.n
    }
}

/// Adds a cell, or a blank for a space; whether it is one of the `n`.
fn push_one(kind: Kind, at: usize, found: &mut Found) -> bool {
    found.push(if let Kind::Cell(value) = kind { value } else { 0 }, at)
}

/// Adds a cell for each character.
fn push_all<'a>(signs: impl Iterator<Item = &'a (Kind, usize)>, found: &mut Found) -> bool {
    for &(kind, at) in signs {
        push_one(kind, at, found);
    }
    found.count == found.n
}

/// The characters of a short text: what each is and where.
struct Characters {
    signs: [(Kind, usize); WIDEST],
    length: usize,
}

impl Characters {
    /// Those of a text; `None` if it has more.
    fn of(notation: Notation, text: &[u8]) -> Option<Self> {
        let mut characters = Self { signs: [(Kind::Other, 0); WIDEST], length: 0 };
        for sign in notation.signs(text) {
            *characters.signs.get_mut(characters.length)? = sign;
            characters.length += 1;
        }
        Some(characters)
    }

    fn as_slice(&self) -> &[(Kind, usize)] {
        &self.signs[..self.length]
    }
}

/// Three parts of a frame, by the places of their characters.
struct Frame {
    parts: [Range<usize>; 3],
    /// Characters in the middle part; an odd number, at least 3. The others have as many, but for blanks that are
    /// missing at the ends.
    width: usize,
}

impl Frame {
    /// The frame that stands in a text of these characters, if they are a row of one.
    fn of(text: &[u8], signs: &[(Kind, usize)]) -> Option<Self> {
        // Fields may be as narrow as parts of a frame.
        let is_frame = |&(kind, at): &(Kind, usize)| {
            kind == Kind::Mark && (matches!(text[at], b'|' | b'!') || !text[at].is_ascii())
        };
        let is_solid = |&(kind, _): &(Kind, usize)| kind != Kind::Space;
        let (first, last) = (signs.iter().position(is_solid)?, signs.iter().rposition(is_solid)?);
        let (is_open, is_closed) = (!is_frame(&signs[first]), !is_frame(&signs[last]));
        let start = if is_open { 0 } else { first };
        let end = if is_closed { signs.len() } else { last };
        let mut parts = [const { 0..0 }; 3];
        let (mut at, mut count) = (start, 0);
        for part in signs[start..end].split(is_frame) {
            if !part.is_empty() {
                *parts.get_mut(count)? = at..at + part.len();
                count += 1;
            }
            at += part.len() + 1;
        }
        let width = parts[1].len();
        let fits = |part: &Range<usize>, is_open| part.len() == width || is_open && part.len() < width;
        let is_row = count == parts.len()
            && width >= 3
            && width % 2 == 1
            && fits(&parts[0], is_open)
            && fits(&parts[2], is_closed);
        is_row.then_some(Self { parts, width })
    }

    /// Finds the cells with so many characters from one to the next; `end` is where a missing one would stand.
    fn cells(&self, signs: &[(Kind, usize)], step: usize, end: usize, found: &mut Found) -> bool {
        let mut others = 0;
        for (i, part) in self.parts.iter().enumerate() {
            let solid = signs[part.clone()].iter().filter(|(kind, _)| *kind != Kind::Space).count();
            let missing = if i == 0 { self.width - part.len() } else { 0 };
            let middle = self.width / 2;
            let mut cells = 0;
            for place in [middle - step, middle, middle + step] {
                let at = place.checked_sub(missing).map(|place| part.start + place);
                let sign = at.filter(|at| part.contains(at)).map(|at| signs[at]);
                let (kind, at) = sign.unwrap_or((Kind::Space, if i == 0 { 0 } else { end }));
                cells += usize::from(matches!(kind, Kind::Cell(_)));
                push_one(kind, at, found);
            }
            others += solid - cells;
        }
        others == 0
    }
}

/// Where a label ends: behind the white space and the first mark that follow it.
fn behind_mark(text: &[u8], at: usize) -> usize {
    let spaces = text[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let is_mark = text.get(at + spaces).is_some_and(|&byte| kind_of(byte) == Kind::Mark);
    at + if is_mark { spaces + 1 } else { spaces.min(1) }
}
