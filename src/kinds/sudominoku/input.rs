//! Sudominoku cases in the format of the contest problem BOJ 4574.
//!
//! A line with only an integer starts a case and gives the number of its dominoes. The rest of the case is read word by
//! word: first the dominoes `U LU V LV`, then the nine locations of the single numbers. A line `0` ends the list;
//! anything after it is skipped. An invalid case becomes one record, which runs up to the line that ends it; the next
//! case starts at the next lone integer. Blank lines and comments after a `#` are skipped.

use std::ops::RangeInclusive;
use std::sync::Arc;

use memchr::memchr;

use crate::input::reader::{Block, Candidates, Read, Reader, Sample, State, TextEnd, TextReader};
use crate::input::text::place_in;
use crate::input::{Dialect, Framing, MAX_LINE};
use crate::kinds::sudominoku::sudoku::{Case, Domino};
use crate::record::{Fault, FaultKind, PuzzleKind, Records, Span, Variant};
use crate::sudoku::{CELLS, Grid, House, column_of, row_of};

/// The number of dominoes. A solved grid has 36, one for each pair of different digits. The contest promises 10 to 35,
/// but cases with fewer or all 36 are read as well.
const DOMINOES: RangeInclusive<usize> = 1..=36;

/// The reader of cases.
#[derive(Debug)]
struct Cases;

/// A unit of a list of cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    /// A line without words, the line `0`, or the continuation of a case that was too long to keep.
    Silent,
    /// A case, or a text that should be a case.
    Case,
    /// A line after the end of the list.
    Behind,
}

/// Returns the reader of cases if it is requested, or if some line of the sample has nothing but digits and locations.
pub(crate) fn candidates(sample: &Sample<'_>, given: Option<&Dialect>) -> Candidates {
    if given.is_some() || sample.lines().any(is_of_case) { vec![Ok(Arc::new(Cases))] } else { vec![] }
}

/// Returns whether a line consists of at least two words, all of them digits or locations. The words can be any number
/// of dominoes or single numbers.
fn is_of_case(line: &[u8]) -> bool {
    let words = || Words { text: line, at: 0 };
    let is_location = |word: &Word<'_>| word.location().is_some();
    words().filter(is_location).count() >= 2
        && words().all(|word| is_location(&word) || word.digit().is_some())
}

/// Returns the length of the first line of a text, including its line end; `None` if the line is missing or incomplete.
fn line_length(rest: &[u8], end: TextEnd) -> Option<usize> {
    let unfinished = || (end == TextEnd::Last && !rest.is_empty()).then_some(rest.len());
    memchr(b'\n', rest).map(|at| at + 1).or_else(unfinished)
}

/// Returns the number on a line, if it is an integer and nothing else is on the line.
fn lone_integer(line: &[u8]) -> Option<usize> {
    let digits = str::from_utf8(line.trim_ascii()).ok()?;
    let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_integer.then(|| digits.parse().unwrap_or(usize::MAX))
}

/// Finds the unit at the start of a text and its length in bytes; `None` if the unit is incomplete.
fn next_unit(state: &mut State, rest: &[u8], end: TextEnd) -> Option<(Unit, usize)> {
    let length = line_length(rest, end)?;
    let line = &rest[..length];
    let number = lone_integer(line);
    let unit = match number {
        _ if matches!(line.trim_ascii(), [] | [b'#', ..]) => Unit::Silent,
        _ if state.ended => Unit::Behind,
        None if state.in_overflow => Unit::Silent,
        Some(0) => Unit::Silent,
        _ => Unit::Case,
    };
    state.ended |= number == Some(0);
    if unit != Unit::Case {
        return Some((unit, length));
    }
    let length = case_length(rest, end)?;
    state.in_overflow = length > MAX_LINE;
    Some((unit, length))
}

/// Returns the length of the case at the start of a text; `None` if the case is incomplete. A case ends with its last
/// word, or with the line that makes it too long. It also ends before any line that can only start or end a case.
fn case_length(rest: &[u8], end: TextEnd) -> Option<usize> {
    let (mut at, mut seen, mut expected) = (0, 0, None);
    while at <= MAX_LINE && at < rest.len() {
        let length = line_length(&rest[at..], end)?;
        let line = &rest[at..at + length];
        match lone_integer(line) {
            count if at == 0 => {
                expected = count.filter(|count| DOMINOES.contains(count)).map(|count| 1 + 4 * count + 9);
            }
            // Inside an incomplete case, a lone digit is more likely part of a damaged domino than a new case.
            Some(1..=9) if expected.is_some_and(|expected| seen < expected) => {}
            Some(_) => return Some(at),
            None => {}
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
    fn read(&self, block: &Block<'_>, out: &mut Records) -> Read {
        let (mut state, mut start, mut read) = (block.state.clone(), 0, Read::default());
        while let Some((unit, length)) = next_unit(&mut state, &block.bytes[start..], TextEnd::Last) {
            let (line, span) = (read.lines + 1, Span { start, length });
            let text = span.of(block.bytes);
            match unit {
                Unit::Silent => {}
                Unit::Behind => read.passed.count(line, text),
                Unit::Case => {
                    let case = read_case(text).map(|case| Arc::new(case) as Arc<dyn Variant>);
                    let case = case.map_err(|(at, fault)| fault.at(place_in(line, text, at)));
                    out.push_variant(line, span, PuzzleKind::Sudominoku, case);
                }
            }
            start += length;
            read.lines += text.split_inclusive(|&byte| byte == b'\n').count() as u64;
        }
        read
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

    fn may_be_empty(&self, state: &State) -> bool {
        state.ended
    }
}

/// A word of a case, and where it starts.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a [u8],
    at: usize,
}

/// The fault of a case, and its byte offset.
type Wrong = (usize, Fault);

/// Makes a fault from its template.
fn fault(template: &'static str) -> Fault {
    Fault::new(FaultKind::OfKind(template), None)
}

impl Word<'_> {
    /// Returns the digit that the word stands for.
    fn digit(&self) -> Option<u8> {
        let [byte @ b'1'..=b'9'] = *self.text else { return None };
        Some(byte - b'0')
    }

    /// Returns the cell that the word stands for.
    fn location(&self) -> Option<u8> {
        let [row @ b'A'..=b'I', column @ b'1'..=b'9'] = *self.text else { return None };
        Some((row - b'A') * 9 + column - b'1')
    }

    /// Makes a fault that quotes the word, or just its start if it is long.
    fn quoted(&self, template: &'static str) -> Wrong {
        /// The maximum number of bytes to quote.
        const SHOWN: usize = 24;
        let shown = self.text[..self.text.len().min(SHOWN)].escape_ascii();
        let more = if self.text.len() > SHOWN { "..." } else { "" };
        (self.at, fault(template).text(format!("{shown}{more}")))
    }
}

/// The words of a text, one after another.
struct Words<'a> {
    text: &'a [u8],
    /// The number of bytes up to the end of the latest word.
    at: usize,
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

/// A case that has been partly read.
struct Partial<'a> {
    words: Words<'a>,
    /// The fault to report if no word follows.
    missing: Fault,
    /// The digits of the dominoes and single numbers read so far.
    digits: Grid,
    /// The pairs of digits on the dominoes read so far, lower digit first.
    pairs: [[bool; 10]; 10],
}

impl<'a> Partial<'a> {
    /// Returns the next word.
    fn word(&mut self) -> Result<Word<'a>, Wrong> {
        let at = self.words.at;
        self.words.next().ok_or_else(|| (at, self.missing.clone()))
    }

    /// Reads the next word, which must be a digit.
    fn digit(&mut self) -> Result<(Word<'a>, u8), Wrong> {
        let word = self.word()?;
        word.digit()
            .map(|digit| (word, digit))
            .ok_or_else(|| word.quoted("invalid number {q} (expected 1 to 9)"))
    }

    /// Puts a digit on the cell that the next word names. The cell must be free, and none of its peers may have the
    /// same digit.
    fn put(&mut self, digit: u8) -> Result<(Word<'a>, u8), Wrong> {
        let word = self.word()?;
        let number =
            word.location().ok_or_else(|| word.quoted("invalid location {q} (expected A1 to I9)"))?;
        let cell = usize::from(number);
        if self.digits.get(cell) > 0 {
            return Err((word.at, fault("location {w} used twice").cell(cell)));
        }
        let mut alike = (0..CELLS).filter(|&other| self.digits.get(other) == digit);
        if let Some((other, house)) = alike.find_map(|other| Some((other, House::shared(other, cell)?))) {
            let clash = fault("{n} twice in a {w}: at {w} and at {w}").number(digit).text(house.name());
            return Err((word.at, clash.cell(other).cell(cell)));
        }
        self.digits.set(cell, digit);
        Ok((word, number))
    }

    /// Reads a domino: two different digits on adjacent cells, forming a pair that has not occurred before.
    fn domino(&mut self) -> Result<Domino, Wrong> {
        let (first, one) = self.digit()?;
        let (_, a) = self.put(one)?;
        let (second, other) = self.digit()?;
        let wrong = |word: Word<'_>, template| Err((word.at, fault(template).number(one).number(other)));
        if one == other {
            return wrong(second, "domino {n}-{n} (expected two different digits)");
        }
        let pair = [one.min(other), one.max(other)].map(usize::from);
        if std::mem::replace(&mut self.pairs[pair[0]][pair[1]], true) {
            return wrong(first, "domino {n}-{n} used twice");
        }
        let (word, b) = self.put(other)?;
        let [from, to] = [a, b].map(usize::from);
        if row_of(from).abs_diff(row_of(to)) + column_of(from).abs_diff(column_of(to)) != 1 {
            return Err((
                word.at,
                fault("domino on {w} and {w}, which are not adjacent").cell(from).cell(to),
            ));
        }
        Ok(Domino { cells: [a, b], digits: [one, other] })
    }
}

/// Reads the text of a case as [`Page::text_of`](crate::record::Page::text_of) returns it.
///
/// # Errors
///
/// If the text is not a case; the fault's places are relative to the text.
pub fn case(text: &[u8]) -> Result<Case, Fault> {
    read_case(text).map_err(|(at, fault)| fault.at(place_in(1, text, at)))
}

/// Reads the text of a case word by word.
fn read_case(text: &[u8]) -> Result<Case, Wrong> {
    if text.len() > MAX_LINE {
        return Err((0, fault("case longer than 1 MiB")));
    }
    let (words, missing) = (Words { text, at: 0 }, fault("cut-off case: no number of dominoes"));
    let mut partial = Partial { words, missing, digits: Grid::EMPTY, pairs: Default::default() };
    let head = partial.word()?;
    let count = lone_integer(head.text).filter(|count| DOMINOES.contains(count));
    let count = count.ok_or_else(|| head.quoted("invalid number of dominoes {q} (expected 1 to 36)"))?;
    if text.split(|&byte| byte == b'\n').next().and_then(lone_integer).is_none() {
        return Err(head.quoted("no line with the number of dominoes (found {q})"));
    }
    let mut dominoes = Vec::with_capacity(count);
    for seen in 0..count {
        partial.missing = fault("cut-off case: {n} whole dominoes (expected {n})").number(seen).number(count);
        dominoes.push(partial.domino()?);
    }
    let mut singles = [0; 9];
    for (digit, single) in (1..).zip(&mut singles) {
        partial.missing =
            fault("cut-off case: {n} locations of single numbers (expected 9)").number(digit - 1);
        (_, *single) = partial.put(digit)?;
    }
    match partial.words.next() {
        Some(word) => Err(word.quoted("{q} after the nine single numbers (expected a new case or 0)")),
        None => Ok(Case { dominoes, singles }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::testing::read_in;

    /// The first case in the example of BOJ 4574.
    const CASE: &str = "10\n6 B2 1 B3\n2 C4 9 C3\n6 D3 8 E3\n7 E1 4 F1\n8 B7 4 B8\n3 F5 2 F6\n7 F7 6 F8\n\
                        5 G4 9 G5\n7 I8 8 I9\n7 C9 2 B9\nC5 A3 D9 I4 A9 E5 A2 C6 I1\n";

    #[test]
    fn the_example_is_read() {
        // 6 B2 1 B3 is the first domino, and the single number 1 is on C5.
        let case = case(CASE.as_bytes()).unwrap();
        assert_eq!(case.dominoes.len(), 10);
        assert_eq!(case.dominoes[0], Domino { cells: [10, 11], digits: [6, 1] });
        assert_eq!(case.singles, [22, 2, 35, 75, 8, 40, 1, 23, 72]);
    }

    #[test]
    fn a_case_of_megabytes_is_one_record_and_the_next_is_read() {
        let shown = |text: String| {
            let records = read_in(&Cases, text.as_bytes(), 1 << 16).records;
            records.into_iter().map(|record| (record.line, record.puzzle)).collect::<Vec<_>>()
        };
        let good = |line| (line, "10 dominoes".to_owned());
        let too_long = |line| (line, format!("{line}:1: case longer than 1 MiB"));
        let many = format!("11\n{}", "6 B2 1 B3\n".repeat(MAX_LINE / 10 + 1));
        let long = format!("11\n{}\n", "x".repeat(MAX_LINE + 1));
        for bad in [many, long] {
            let next = 13 + bad.lines().count() as u64;
            assert_eq!(shown(format!("{CASE}{bad}{CASE}0")), [good(1), too_long(13), good(next)]);
        }
        // This is the longest case that is read.
        let (head, rest) = CASE.split_at(3);
        let long = |bytes: usize| format!("{head}#{}\n{rest}0\n", "x".repeat(bytes - CASE.len() - 2));
        assert_eq!(shown(long(MAX_LINE)), [good(1)]);
        assert_eq!(shown(long(MAX_LINE + 1)), [too_long(1)]);
    }

    #[test]
    fn a_complete_case_before_damage_is_kept_and_a_list_may_be_empty() {
        let frame = |text: &str, end| Cases.frame(&mut State::default(), text.as_bytes(), end);
        // A case is complete after its last word, whatever follows.
        let text = format!("{CASE}{CASE}1");
        assert_eq!([TextEnd::More, TextEnd::Cut].map(|end| frame(&text, end)), [2 * CASE.len(); 2]);
        assert_eq!(frame(&text[..text.len() - 5], TextEnd::Cut), CASE.len());
        let mut state = State::default();
        assert!(!Cases.may_be_empty(&state));
        assert_eq!(Cases.frame(&mut state, b"0\nab", TextEnd::More), 2);
        assert!(Cases.may_be_empty(&state));
    }
}
