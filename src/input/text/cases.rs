//! Sudominoku cases, as the contest problem BOJ 4574 gives them.
//!
//! A line that holds nothing but an integer starts a case: the number of its dominoes. It is read word by word: so many
//! dominoes `U LU V LV`, then the nine locations of the single numbers. A line `0` ends the list, and what is behind it
//! is passed over. A case that is wrong in any way is one invalid record up to the line that ends it, and the next
//! starts at the next lone integer, whatever came before. Blank lines and remarks behind a `#` mean nothing.

use std::sync::Arc;

use memchr::memchr;

use super::place_in;
use crate::input::reader::{
    Block, Candidates, Excerpt, Read, Reader, Sample, State, TextEnd, TextReader, Which,
};
use crate::input::{Dialect, Framing, MAX_LINE};
use crate::record::{Fault, FaultKind, Layout, Place, Records, Span, Want};
use crate::sudoku::{Case, Domino, box_of, column_of, row_of};

/// Dominoes of a solved grid, one for each pair of different digits: no case can give more. The judge promises 10 to
/// 35; a case with fewer or with all is read as well.
const DOMINOES: usize = 36;

/// Reads cases.
#[derive(Debug)]
struct Cases;

/// What stands at a place of a list of cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    /// A line without a word, the line `0`, or a line of a case that is too long to be held.
    Silent,
    /// A case, or what should be one.
    Case,
    /// A line behind the end of the list.
    Behind,
}

/// The reader of cases, where that was told or a line of the sample is nothing but digits and locations.
pub(in crate::input) fn candidates(sample: &Sample<'_>, told: Option<&Dialect>) -> Candidates {
    let is_told = told.is_some_and(|told| told.framing == Framing::Cases);
    if is_told || told.is_none() && sample.lines().any(is_of_case) {
        vec![Ok(Arc::new(Cases))]
    } else {
        vec![]
    }
}

/// Whether a line holds digits and locations, two of these at least, and nothing else: dominoes or single numbers,
/// however many.
fn is_of_case(line: &[u8]) -> bool {
    let mut locations = 0;
    for word in (Words { text: line, at: 0 }) {
        match word.text {
            [b'A'..=b'I', b'1'..=b'9'] => locations += 1,
            [b'1'..=b'9'] => {}
            _ => return false,
        }
    }
    locations >= 2
}

/// Length of the line at the start of a text, line end included; `None` if it is not whole or there is none.
fn line_length(rest: &[u8], end: TextEnd) -> Option<usize> {
    let unfinished = || (end == TextEnd::Last && !rest.is_empty()).then_some(rest.len());
    memchr(b'\n', rest).map(|at| at + 1).or_else(unfinished)
}

/// The number on a line that holds nothing but an integer.
fn lone_integer(line: &[u8]) -> Option<&[u8]> {
    let digits = line.trim_ascii();
    (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit)).then_some(digits)
}

/// Whether an integer is the zero that ends a list.
fn is_zero(digits: &[u8]) -> bool {
    digits.iter().all(|&digit| digit == b'0')
}

/// The number of dominoes that a lone integer is.
fn domino_count(digits: &[u8]) -> Option<usize> {
    let count = std::str::from_utf8(lone_integer(digits)?).ok()?.parse().ok()?;
    (1..=DOMINOES).contains(&count).then_some(count)
}

/// What stands at the start of a text, and its bytes; `None` if it is not whole.
fn next_unit(state: &mut State, rest: &[u8], end: TextEnd) -> Option<(Unit, usize)> {
    let length = line_length(rest, end)?;
    let line = &rest[..length];
    let is_blank = length <= MAX_LINE && matches!(line.trim_ascii(), [] | [b'#', ..]);
    let number = lone_integer(line);
    if is_blank || !state.ended && number.is_none() && state.in_overflow {
        return Some((Unit::Silent, length));
    } else if state.ended {
        return Some((Unit::Behind, length));
    } else if number.is_some_and(is_zero) {
        state.ended = true;
        return Some((Unit::Silent, length));
    }
    let length = case_length(rest, end)?;
    state.in_overflow = length > MAX_LINE;
    Some((Unit::Case, length))
}

/// Length of the case at the start of a text: up to the line with which it has all its words, to the next line that can
/// only start a case or end them, to the end, or to the line that makes it too long; `None` if it is not whole.
fn case_length(rest: &[u8], end: TextEnd) -> Option<usize> {
    let (mut at, mut seen, mut expected) = (0, 0, None);
    while at <= MAX_LINE && at < rest.len() {
        let length = line_length(&rest[at..], end)?;
        let line = &rest[at..at + length];
        let integer = lone_integer(line);
        if at == 0 {
            expected = integer.and_then(domino_count).map(|count| 1 + 4 * count + 9);
        } else if let Some(digits) = integer {
            // One digit inside a case that is not complete is rather what is left of a damaged domino.
            if expected.is_none_or(|expected| seen >= expected) || digits.len() > 1 || is_zero(digits) {
                return Some(at);
            }
        }
        at += length;
        seen += Words { text: line, at: 0 }.count();
        if Some(seen) == expected {
            return Some(at);
        }
    }
    (at > MAX_LINE || end == TextEnd::Last).then_some(at)
}

impl Reader for Cases {
    fn read(&self, block: &Block<'_>, _: Want, out: &mut Records) -> Read {
        let (mut state, mut start, mut read) = (block.state.clone(), 0, Read::default());
        while let Some((unit, length)) = next_unit(&mut state, &block.bytes[start..], TextEnd::Last) {
            let (line, span) = (read.lines + 1, Span { start, length });
            let text = span.of(block.bytes);
            match unit {
                Unit::Silent => {}
                Unit::Behind => read.passed.count(line, text),
                Unit::Case => match read_case(line, text) {
                    Ok(case) => out.push_case(line, span, case),
                    Err(fault) => out.push_fault(line, span, Layout::Case, fault),
                },
            }
            start += length;
            read.lines += text.split_inclusive(|&byte| byte == b'\n').count() as u64;
        }
        read
    }

    fn place(&self, line: u64, _: &[u8], _: usize, _: Which) -> Place {
        Place { line, column: 1 }
    }

    fn dialect(&self) -> Dialect {
        Dialect::of(Framing::Cases)
    }
}

impl TextReader for Cases {
    fn frame(&self, state: &mut State, bytes: &[u8], end: TextEnd) -> usize {
        let mut length = 0;
        while let Some((_, unit)) = next_unit(state, &bytes[length..], end) {
            length += unit;
        }
        state.begun |= length > 0;
        length
    }

    fn excerpt(&self) -> Option<Excerpt> {
        Some(Excerpt { between: "", end: "0\n" })
    }

    fn may_be_empty(&self, state: &State) -> bool {
        state.ended
    }
}

/// A word of a case, and the byte at which it stands.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a [u8],
    at: usize,
}

/// What is wrong with a case, and at which byte.
type Wrong = (usize, Fault);

/// The fault that a word is missing.
type Missing<'a> = &'a dyn Fn() -> Fault;

impl Word<'_> {
    /// A fault that repeats the word, or the start of it.
    fn quoted(&self, kind: FaultKind) -> Wrong {
        /// Most bytes of it.
        const SHOWN: usize = 24;
        let shown = self.text[..self.text.len().min(SHOWN)].escape_ascii();
        let more = if self.text.len() > SHOWN { "..." } else { "" };
        (self.at, Fault::new(kind, None).text(format!("{shown}{more}")))
    }
}

/// The words of a case, in order.
struct Words<'a> {
    text: &'a [u8],
    /// Bytes up to the end of the last word.
    at: usize,
}

impl<'a> Words<'a> {
    /// The next word, or else the fault that it is missing.
    fn want(&mut self, missing: Missing<'_>) -> Result<Word<'a>, Wrong> {
        let at = self.at;
        self.next().ok_or_else(|| (at, missing()))
    }

    /// The next word, and the digit that it is.
    fn digit(&mut self, missing: Missing<'_>) -> Result<(Word<'a>, u8), Wrong> {
        let word = self.want(missing)?;
        match word.text {
            [byte @ b'1'..=b'9'] => Ok((word, byte - b'0')),
            _ => Err(word.quoted(FaultKind::DominoDigit)),
        }
    }

    /// The next word, and the cell that it names.
    fn location(&mut self, missing: Missing<'_>) -> Result<(Word<'a>, u8), Wrong> {
        let word = self.want(missing)?;
        match word.text {
            [row @ b'A'..=b'I', column @ b'1'..=b'9'] => Ok((word, (row - b'A') * 9 + column - b'1')),
            _ => Err(word.quoted(FaultKind::Location)),
        }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let mut start = self.at;
        loop {
            match *self.text.get(start)? {
                b'#' => start += memchr(b'\n', &self.text[start..])?,
                byte if byte.is_ascii_whitespace() => start += 1,
                _ => break,
            }
        }
        let rest = &self.text[start..];
        let text = &rest[..rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len())];
        self.at = start + text.len();
        Some(Word { text, at: start })
    }
}

/// What the numbers given so far forbid.
#[derive(Default)]
struct Given {
    /// Where each digit stands in each row, column and box.
    digit_at: [[Option<u8>; 9]; 27],
    /// The cells that have a digit, a bit each.
    cells: u128,
    /// The pairs of digits on dominoes, the lower one first.
    pairs: [[bool; 10]; 10],
}

impl Given {
    /// Puts a digit on the cell that a word names, which must be free and see no other cell with it.
    fn put(&mut self, digit: u8, cell: u8, word: &Word<'_>) -> Result<(), Wrong> {
        let wrong = |kind| (word.at, Fault::new(kind, None));
        if self.cells >> cell & 1 == 1 {
            let (at, fault) = wrong(FaultKind::RepeatedLocation);
            return Err((at, fault.cell(cell.into())));
        }
        self.cells |= 1 << cell;
        let index = usize::from(cell);
        let houses = [(row_of(index), "row"), (9 + column_of(index), "column"), (18 + box_of(index), "box")];
        for (house, name) in houses {
            if let Some(other) = self.digit_at[house][usize::from(digit) - 1].replace(cell) {
                let (at, fault) = wrong(FaultKind::CaseClash);
                return Err((at, fault.number(digit).text(name).cell(other.into()).cell(index)));
            }
        }
        Ok(())
    }

    /// Reads a domino: two different digits on adjacent cells, a pair not seen before.
    fn domino(&mut self, words: &mut Words<'_>, missing: Missing<'_>) -> Result<Domino, Wrong> {
        let (first, one) = words.digit(missing)?;
        let (word, a) = words.location(missing)?;
        self.put(one, a, &word)?;
        let (second, other) = words.digit(missing)?;
        let (word, b) = words.location(missing)?;
        let of_digits = |kind| Fault::new(kind, None).number(one).number(other);
        if one == other {
            return Err((second.at, of_digits(FaultKind::EqualDomino)));
        }
        let pair = [one.min(other), one.max(other)].map(usize::from);
        if std::mem::replace(&mut self.pairs[pair[0]][pair[1]], true) {
            return Err((first.at, of_digits(FaultKind::RepeatedDomino)));
        }
        let [from, to] = [a, b].map(usize::from);
        if row_of(from).abs_diff(row_of(to)) + column_of(from).abs_diff(column_of(to)) != 1 {
            return Err((word.at, Fault::new(FaultKind::BrokenDomino, None).cell(from).cell(to)));
        }
        self.put(other, b, &word)?;
        Ok(Domino { cells: [a, b], digits: [one, other] })
    }
}

/// Reads the text of one case alone, as [`Page::text_of`](crate::record::Page::text_of) has it.
///
/// # Errors
///
/// When that is no case; the places of the fault are within the text.
pub fn case(text: &[u8]) -> Result<Case, Fault> {
    read_case(1, text)
}

/// Reads the text of a case that starts on `line`.
fn read_case(line: u64, text: &[u8]) -> Result<Case, Fault> {
    words_of_case(text).map_err(|(at, fault)| fault.at(place_in(line, text, at)))
}

/// Reads a case word by word.
fn words_of_case(text: &[u8]) -> Result<Case, Wrong> {
    let fault = |kind| Fault::new(kind, None);
    if text.len() > MAX_LINE {
        return Err((0, fault(FaultKind::CaseTooLong)));
    }
    let mut words = Words { text, at: 0 };
    let head = words.want(&|| fault(FaultKind::NoDominoCount))?;
    let count = domino_count(head.text).ok_or_else(|| head.quoted(FaultKind::DominoCount))?;
    if text.split(|&byte| byte == b'\n').next().and_then(lone_integer).is_none() {
        return Err(head.quoted(FaultKind::DominoCountLine));
    }
    let mut given = Given::default();
    let mut dominoes = Vec::with_capacity(count);
    for seen in 0..count {
        let missing = || fault(FaultKind::CutOffDominoes).number(seen).number(count);
        dominoes.push(given.domino(&mut words, &missing)?);
    }
    let mut singles = [0; 9];
    for (digit, single) in (1..).zip(&mut singles) {
        let (word, cell) = words.location(&|| fault(FaultKind::CutOffSingles).number(digit - 1))?;
        *single = cell;
        given.put(digit, cell, &word)?;
    }
    match words.next() {
        Some(word) => Err(word.quoted(FaultKind::AfterSingles)),
        None => Ok(Case { dominoes, singles }),
    }
}

#[cfg(test)]
mod tests;
