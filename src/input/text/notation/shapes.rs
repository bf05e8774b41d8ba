//! The shapes that the cells of a text can have.

use std::ops::Range;

use super::Notation;
use super::signs::{Kind, SEPARATORS, Token, kind_of};
use crate::sudoku::{CELLS, SIDE};

/// The cells found so far.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The number of cells to find.
    pub n: usize,
    /// The values of the cells.
    pub values: [u8; CELLS],
    /// The offset of each cell.
    pub offsets: [usize; CELLS],
    /// The number of cells found so far.
    count: usize,
    /// The number of bytes before the part being searched.
    base: usize,
}

impl Found {
    /// Makes an empty list that has room for `n` cells.
    pub const fn new(n: usize) -> Self {
        Self { n, values: [0; CELLS], offsets: [0; CELLS], count: 0, base: 0 }
    }

    /// Adds a cell; returns whether there was still room for it.
    fn push(&mut self, value: u8, at: usize) -> bool {
        if self.count == self.n {
            return false;
        }
        (self.values[self.count], self.offsets[self.count]) = (value, self.base + at);
        self.count += 1;
        true
    }

    /// Returns whether all cells have been found.
    const fn is_whole(&self) -> bool {
        self.count == self.n
    }
}

/// The size in bytes of the longest text with cells at fixed distances: 81 characters of four bytes each.
const LONGEST: usize = 4 * CELLS;

impl Notation {
    /// Finds the `n` cells of a text, and the start of whatever follows them. That can be a comment or the period of a
    /// clause.
    pub(super) fn find(self, text: &[u8], found: &mut Found) -> Option<usize> {
        if found.n == 1 {
            return self.one(text).filter(|&(value, at)| found.push(value, at)).map(|_| text.len());
        }
        self.labelled(text, found).or_else(|| self.labelled(statement(text)?, found))
    }

    /// Finds the cells of a text. A label may come before them, but only what the shape allows may follow.
    fn labelled(self, text: &[u8], found: &mut Found) -> Option<usize> {
        if let Some(end) = self.close(text, found) {
            return Some(end);
        }
        let is_found = self.numbered(text, 0, found)
            || {
                let words = self.words(text);
                words > 0
                    && self.is_label(&text[..words], found.n)
                    && self.numbered(text, behind_mark(text, words), found)
            }
            || {
                // A label that ends with a bracket can contain numbers as well: `int grid[9][9] = {{`.
                let bracket = text.iter().rposition(|byte| b"([{".contains(byte)).map_or(0, |at| at + 1);
                bracket > 0 && self.is_label(&text[..bracket], found.n) && self.shape(text, bracket, found)
            };
        is_found.then_some(text.len())
    }

    /// Reads a single cell and its offset. A text with only quotes, brackets and statement terminators is a blank.
    fn one(self, text: &[u8]) -> Option<(u8, usize)> {
        let mut tokens = self.tokens(text);
        let is_around = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`()[]{}\\,;".contains(byte);
        match (tokens.next(), tokens.next()) {
            (None, _) => text.iter().all(is_around).then_some((0, 0)),
            // The text is a title that contains a number.
            _ if text.contains(&b'#') && self.blank != Some('#') => None,
            (Some(token), None) => Some((self.value(text, &token)?, token.start)),
            _ => None,
        }
    }

    /// Finds a token of `n` cells, possibly with a label before it; returns the end of the cells.
    fn close(self, text: &[u8], found: &mut Found) -> Option<usize> {
        let token = self.tokens(text).find(|token| token.is_pure && token.cells == found.n)?;
        let is_alone = found.n == CELLS || self.tokens(&text[token.end..]).next().is_none();
        if !is_alone || !self.is_label(&text[..token.start], found.n) {
            return None;
        }
        self.push_token(text, &token, found);
        Some(if found.n == CELLS { token.end } else { text.len() })
    }

    /// Adds all cells of a token; returns whether there was room for all of them.
    fn push_token(self, text: &[u8], token: &Token, found: &mut Found) -> bool {
        self.signs(token.of(text)).all(|(kind, at)| found.push(value_of(kind), token.start + at))
    }

    /// Returns the end of the last token that is neither cells nor a word for a cell; 0 if there is none.
    pub(super) fn words(self, text: &[u8]) -> usize {
        let is_word = |token: &Token| !token.is_pure && self.value(text, token).is_none();
        self.tokens(text).filter(is_word).last().map_or(0, |token| token.end)
    }

    /// Finds cells that begin at `start`, or after a one-token label there.
    fn numbered(self, text: &[u8], start: usize, found: &mut Found) -> bool {
        if self.shape(text, start, found) {
            return true;
        }
        let rest = &text[start..];
        let Some(label) = self.tokens(rest).next() else { return false };
        let mut behind = self.signs(&rest[label.end..]).skip_while(|(kind, _)| *kind == Kind::Space);
        let Some((Kind::Mark, at)) = behind.next() else { return false };
        let mark = label.end + at;
        let (_, length) = self.sign(rest, mark);
        // A mark between all the cells separates fields, so the label would be one field too many. Only bars can also
        // separate groups.
        let most = if is_bar(rest, &(Kind::Mark, mark)) { found.n } else { 2 };
        let (mark, start) = (&rest[mark..mark + length], start + mark);
        let others = rest.windows(length).filter(|other| *other == mark).count();
        others < most && self.shape(text, behind_mark(text, start), found)
    }

    /// Finds cells without a label in a text, skipping its first `base` bytes.
    fn shape(self, text: &[u8], base: usize, found: &mut Found) -> bool {
        found.base = base;
        let (label, text) = text.split_at(base);
        // If fields or cells can be empty, the number in a title must not be mistaken for one of them.
        let last = label.trim_ascii_end().last().copied();
        let is_apart = last.is_none_or(|byte| kind_of(byte) == Kind::Mark);
        self.spread(text, found)
            || self.fields(text, last, found)
            || self.fixed(text, is_apart, found)
            || self.joined(text, found)
    }

    /// Finds tokens of equal length, or tokens that are a word or a cell each. The parts between the bars of a frame
    /// must have the same size.
    fn spread(self, text: &[u8], found: &mut Found) -> bool {
        found.count = 0;
        let are_cells = self.groups(text, found);
        if !are_cells || found.n != SIDE {
            return are_cells;
        }
        let cells = &found.offsets[..found.n];
        let bars = self.signs(text).filter(|sign| is_bar(text, sign)).map(|(_, at)| found.base + at);
        let ends = bars.map(|bar| cells.partition_point(|&cell| cell < bar)).chain([found.n]);
        let mut last = 0;
        let mut parts = ends.map(|end| end - std::mem::replace(&mut last, end)).filter(|part| *part > 0);
        let first = parts.next();
        parts.all(|part| Some(part) == first)
    }

    /// Finds tokens of equal length, or tokens that are a word or a cell each.
    fn groups(self, text: &[u8], found: &mut Found) -> bool {
        let length = self.tokens(text).next().map_or(0, |token| token.cells);
        let mut tokens = self.tokens(text);
        let are_even = tokens
            .all(|token| token.is_pure && token.cells == length && self.push_token(text, &token, found));
        let is_value = |token: Token| self.value(text, &token).is_some();
        // If every group is also a number, such as `5.0`, the text is a list of too few numbers, not groups of cells.
        if are_even && (length == 1 || found.is_whole() && !self.tokens(text).all(is_value)) {
            return found.is_whole();
        }
        found.count = 0;
        let mut push = |token: Token| Some(found.push(self.value(text, &token)?, token.start));
        self.tokens(text).all(|token| push(token) == Some(true)) && found.is_whole()
    }

    /// Finds fields, some of which may be empty. A label must be a field as well, or end with a bracket.
    fn fields(self, text: &[u8], label: Option<u8>, found: &mut Found) -> bool {
        SEPARATORS.iter().any(|&separator| {
            found.count = 0;
            let is_apart = label.is_none_or(|last| last == separator || b"([{".contains(&last));
            is_apart && text.contains(&separator) && self.split(text, separator, found).is_some()
        })
    }

    /// Finds fields with one separator. There can be an extra separator at the end, and bars at both ends.
    fn split(self, text: &[u8], separator: u8, found: &mut Found) -> Option<()> {
        let count = 1 + memchr::memchr_iter(separator, text).count();
        let all = if separator == b'\t' { text } else { text.trim_ascii_end() };
        let is_framed = separator == b'|' && all.trim_ascii_start().starts_with(b"|");
        let rest = match all.strip_suffix(&[separator]) {
            Some(inner) if is_framed => inner.trim_ascii_start().strip_prefix(b"|")?,
            Some(inner) if separator != b'|' && count > found.n => inner,
            Some(_) if separator == b'|' => return None,
            None if is_framed => return None,
            _ => all,
        };
        let mut start = if is_framed { all.len() - rest.len() - 1 } else { 0 };
        for field in rest.split(|&byte| byte == separator) {
            let (value, at) = self.one(field)?;
            found.push(value, start + at).then_some(())?;
            start += field.len() + 1;
        }
        found.is_whole().then_some(())
    }

    /// Finds nine groups of nine cells with the same sign between them and nowhere else.
    fn joined(self, text: &[u8], found: &mut Found) -> bool {
        found.count = 0;
        let mut tokens = self.tokens(text);
        let (Some(token), None) = (tokens.next(), tokens.next()) else { return false };
        let cells = token.of(text);
        let mut start = token.start;
        let mut push = |row: &[u8]| {
            let each = Token { start, end: start + row.len(), cells: row.len(), is_pure: true };
            start = each.end + 1;
            row.len() == SIDE && self.push_token(text, &each, found)
        };
        token.is_pure && cells.split(|sign| cells.get(SIDE) == Some(sign)).all(&mut push) && found.is_whole()
    }

    /// Finds cells at fixed distances, where a space is a blank. Nine cells must be in the three parts of a frame, or
    /// all in one part that has no word before it.
    fn fixed(self, text: &[u8], is_apart: bool, found: &mut Found) -> bool {
        if text.len() > LONGEST || text.contains(&b'\t') {
            return false;
        }
        let signs: Vec<Sign> = self.signs(text).collect();
        let may_be_cut = found.n == SIDE && self.blank == Some(' ');
        let row = match Row::framed(text, &signs, found.n) {
            None if is_apart => Row::alone(signs, text.len(), found.n, may_be_cut),
            row => row,
        };
        row.is_some_and(|row| row.steps.clone().any(|step| row.cells(step, found)))
    }
}

/// Returns the value of a cell; any other character counts as a blank.
const fn value_of(kind: Kind) -> u8 {
    if let Kind::Cell(value) = kind { value } else { 0 }
}

/// A character: its kind and its offset.
type Sign = (Kind, usize);

/// Returns whether a character is a bar of a frame, as opposed to a field separator.
fn is_bar(text: &[u8], &(kind, at): &Sign) -> bool {
    kind == Kind::Mark && (b"|!".contains(&text[at]) || !text[at].is_ascii())
}

/// The characters that could be cells at fixed distances.
struct Row {
    /// All the parts, one after another; they have the same width.
    signs: Vec<Sign>,
    /// The number of characters in each part; it is odd.
    width: usize,
    /// The possible distances in characters from one cell to the next.
    steps: Range<usize>,
    /// The number of spaces missing before the first cell.
    missing: usize,
}

impl Row {
    /// Returns the three parts of a frame. If the frame has no bars at its ends, spaces may be missing there.
    fn framed(text: &[u8], signs: &[Sign], n: usize) -> Option<Self> {
        let is_empty = |part: &&[Sign]| part.iter().all(|(kind, _)| *kind == Kind::Space);
        let parts: Vec<&[Sign]> = signs.split(|sign| is_bar(text, sign)).collect();
        let is_open = parts.len() == 3 || !is_empty(parts.first()?) && !is_empty(parts.last()?);
        let inner = if is_open { &parts[..] } else { parts.get(1..parts.len() - 1)? };
        let inner: Vec<_> = inner.iter().filter(|part| parts.len() == 3 || !part.is_empty()).collect();
        let [left, middle, right] = inner[..] else { return None };
        let width = middle.len();
        let fits = |part: &[Sign]| part.len() == width || is_open && part.len() < width;
        if n != SIDE || width.is_multiple_of(2) || !fits(left) || !fits(right) {
            return None;
        }
        let missing = width - left.len();
        let mut signs = vec![(Kind::Space, 0); missing];
        signs.extend([left, middle, right].into_iter().flat_map(|part| part.iter()));
        signs.resize(3 * width, (Kind::Space, text.len()));
        Some(Self { signs, width, steps: 1..width.div_ceil(2), missing })
    }

    /// Returns the row in a text that has no frame; `may_be_cut` says whether the end of the row may be missing.
    fn alone(mut signs: Vec<Sign>, end: usize, n: usize, may_be_cut: bool) -> Option<Self> {
        let length = signs.len();
        let is_space = |at: usize| signs[at].0 == Kind::Space;
        // Spaces alone are cells only if the blank is a space and their number is right.
        if (0..length).all(is_space) && !(may_be_cut && length == n) {
            return None;
        }
        // There may be one space too many or too few at the end.
        let width = match length % 2 {
            _ if may_be_cut && length < n => n,
            0 if is_space(length - 1) => length - 1,
            0 => length + 1,
            _ => length,
        };
        let step = (width - 1) / (n - 1);
        let last = width / 2 + n / 2 * step;
        // Spaces that alternate with cells are not cells themselves, unless the file uses spaces for blanks.
        let has_gap = || (0..length).step_by(2).any(is_space);
        let by_turns = (1..length).step_by(2).all(is_space) && (n == CELLS || !may_be_cut && !has_gap());
        let is_row = !by_turns && step > 0 && (last < length || may_be_cut) && width < (n + 1) * step;
        signs.resize(width, (Kind::Space, end));
        is_row.then_some(Self { signs, width, steps: step..step + 1, missing: 0 })
    }

    /// Finds cells that are `step` characters apart.
    fn cells(&self, step: usize, found: &mut Found) -> bool {
        found.count = 0;
        let each = found.n * self.width / self.signs.len();
        let first = self.width / 2 - each / 2 * step;
        let (mut solid, mut has_blanks) = (0, false);
        for part in self.signs.chunks(self.width) {
            for &(kind, at) in part[first..].iter().step_by(step).take(each) {
                solid += usize::from(matches!(kind, Kind::Cell(_)));
                has_blanks |= kind == Kind::Cell(0);
                found.push(value_of(kind), at);
            }
        }
        // Only spaces may be skipped, and if there is another sign for a blank, spaces are not cells.
        let all = self.signs.iter().filter(|(kind, _)| *kind != Kind::Space).count();
        self.missing <= first && all == solid && (solid == found.n || !has_blanks)
    }
}

/// Returns a text without the comment at its end, or without the period after its last bracket. Returns `None` if there
/// is neither.
fn statement(text: &[u8]) -> Option<&[u8]> {
    let is_comment = |at: &usize| *at > 0 && (text[*at] == b'#' || text[*at..].starts_with(b"//"));
    let comment = memchr::memchr2_iter(b'#', b'/', text).find(is_comment);
    let period = || {
        let rest = text.trim_ascii_end().strip_suffix(b".")?;
        matches!(rest, [.., b')' | b']']).then_some(rest)
    };
    comment.map(|at| &text[..at]).or_else(period)
}

/// Returns the end of a label, including any white space and a mark after it, unless the mark is a bar.
fn behind_mark(text: &[u8], at: usize) -> usize {
    let rest = text[at..].trim_ascii_start();
    let is_mark = rest.first().is_some_and(|&byte| kind_of(byte) == Kind::Mark && byte != b'|');
    text.len() - rest.len() + usize::from(is_mark)
}
