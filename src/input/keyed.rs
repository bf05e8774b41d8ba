//! `KEY<TAB>PUZZLE` lines: what a filter in a pipe reads.
//!
//! Every line is a record, whatever is in it: blank lines, comments and lines without a tab, too. So there are as many
//! answers as lines, and nothing is looked for at the start of the input.

use super::MAX_LINE;
use super::batch::{Cursor, Format, Phase, Step, TextEnd, line_length, walk};
use super::cells::PUZZLE;
use super::field;
use crate::record::{Fault, FaultKind, Layout, Place, Records, Want};

/// What is said at the end of an input with a key that is not whole.
const CUT_KEY: &str =
    "a line of more than 1 MiB has no tab in its first 1 MiB: what was passed on of it is cut off";

/// Lines of a key and a puzzle.
#[derive(Debug)]
pub(super) struct KeyedLines;

/// A line taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyedLine<'a> {
    /// What stands before the first tab; the whole line if there is none.
    pub key: &'a [u8],
    /// What stands behind it, without blanks around it.
    pub puzzle: Option<&'a [u8]>,
    /// Bytes before the puzzle, or before the end of a line without one.
    pub start: usize,
}

impl<'a> KeyedLine<'a> {
    /// Takes a line apart, line end or not.
    #[must_use]
    pub fn new(line: &'a [u8]) -> Self {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        match memchr::memchr(b'\t', line) {
            Some(tab) => {
                let behind = &line[tab + 1..];
                Self {
                    key: &line[..tab],
                    puzzle: Some(behind.trim_ascii()),
                    start: tab + 1 + field::leading_blanks(behind),
                }
            }
            None => Self { key: line, puzzle: None, start: line.len() },
        }
    }

    /// The place of an offset in the puzzle.
    fn place(&self, line: u64, at: usize) -> Place {
        Place { line, column: (self.start + at) as u64 + 1 }
    }
}

/// Whether a line is longer than what is kept of it.
fn is_too_long(line: &[u8]) -> bool {
    line.strip_suffix(b"\n").unwrap_or(line).len() > MAX_LINE
}

impl Format for KeyedLines {
    fn step(&self, cursor: &mut Cursor, rest: &[u8], end: TextEnd) -> Step {
        // The start of a line whose rest cannot be read is no record: its key may be cut off.
        let Some(length) = line_length(rest, end) else { return Step::Incomplete };
        let line = &rest[..length];
        if is_too_long(line) && KeyedLine::new(line).puzzle.is_none() {
            cursor.phase = Phase::Overflow;
        }
        Step::Record { length, lines: 1 }
    }

    fn read(&self, cursor: Cursor, bytes: &[u8], line: u64, _: Want, out: &mut Records) {
        walk(self, cursor, bytes, line, |_, line, span| {
            let text = span.of(bytes);
            let parts = KeyedLine::new(text);
            let read = match parts.puzzle {
                _ if is_too_long(text) => Err((0, Fault::new(FaultKind::LineTooLong, None))),
                None => Err((0, Fault::new(FaultKind::NoTab, None))),
                Some(puzzle) => field::grid(puzzle, &PUZZLE),
            };
            let puzzle = read.map_err(|(at, fault)| fault.at(parts.place(line, at)));
            out.push_puzzle(line, span, Layout::Line, puzzle);
        });
    }

    fn place_of(&self, line: u64, text: &[u8], cell: usize) -> Place {
        let parts = KeyedLine::new(text);
        parts.place(line, parts.puzzle.map_or(0, |puzzle| field::offset_of_cell(puzzle, cell)))
    }

    fn note(&self, cursor: &Cursor, _: u64) -> Option<String> {
        (cursor.phase == Phase::Overflow).then(|| CUT_KEY.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor as Reader;

    use super::*;
    use crate::input::Source;
    use crate::input::testing::{PUZZLE as CLUES, Reading, dotted, drain};

    fn read_in_parts(text: &[u8], target: usize) -> Reading {
        drain(Source::of_keyed_lines("test", Reader::new(text.to_vec())), target)
    }

    #[test]
    fn every_line_is_a_record() {
        let text = format!(
            "\u{feff}a\t{CLUES}\n\n# a remark\nno tab\n7\t\n8\t \r\nb c\t {CLUES} \r\n\t{CLUES}\n1\t{CLUES}\t{CLUES}\n\
             x\t12q\nlast\t{CLUES}"
        );
        let expected = [
            dotted(),
            "2:1: no tab between key and puzzle".to_owned(),
            "3:11: no tab between key and puzzle".to_owned(),
            "4:7: no tab between key and puzzle".to_owned(),
            "5:3: 0 cells (expected 81)".to_owned(),
            "6:5: 0 cells (expected 81)".to_owned(),
            dotted(),
            dotted(),
            "9:84: invalid character '\\t' (expected 1-9, 0 or .)".to_owned(),
            "10:5: invalid character 'q' (expected 1-9, 0 or .)".to_owned(),
            dotted(),
        ];
        for target in [1, 100, 1 << 20] {
            let reading = read_in_parts(text.as_bytes(), target);
            assert_eq!(reading.show(), expected, "batches of {target} bytes");
            assert!(reading.notes.is_empty() && reading.error.is_none());
        }
        assert!(read_in_parts(b"", 1).records.is_empty());
    }

    #[test]
    fn a_line_is_taken_apart_at_its_first_tab() {
        let parts = |line: &'static str| {
            let KeyedLine { key, puzzle, start } = KeyedLine::new(line.as_bytes());
            (std::str::from_utf8(key).unwrap(), puzzle.map(|text| std::str::from_utf8(text).unwrap()), start)
        };
        assert_eq!(parts("a\tb\n"), ("a", Some("b"), 2));
        assert_eq!(parts(" a \t  b \t c\r\n"), (" a ", Some("b \t c"), 6));
        assert_eq!(parts("\t\n"), ("", Some(""), 1));
        assert_eq!(parts("a b\r\n"), ("a b\r", None, 4));
        assert_eq!(parts(""), ("", None, 0));
    }

    #[test]
    fn bytes_that_mean_something_at_the_start_of_a_file_are_a_key_here() {
        for start in [&b"\x1f\x8b\x08"[..], b"\x28\xb5\x2f\xfd", b"\xff\xfe1\0", b"\xef\xbb\xbf"] {
            let line = [start, b"\t", CLUES.as_bytes()].concat();
            let reading = read_in_parts(&line, 100);
            assert_eq!((reading.show(), &reading.records[0].text), (vec![dotted()], &line));
        }
    }

    #[test]
    fn what_is_too_long_is_one_record_and_a_key_that_is_cut_off_is_told() {
        let long = "1".repeat(MAX_LINE + 10);
        let reading = read_in_parts(format!("a\t{long}\nb\t{CLUES}\n").as_bytes(), 1000);
        assert_eq!(reading.show(), ["1:3: line longer than 1 MiB".to_owned(), dotted()]);
        assert!(reading.records[0].text.starts_with(b"a\t1") && reading.notes.is_empty());
        let reading = read_in_parts(format!("{long}\t{CLUES}\nb\t{CLUES}\n").as_bytes(), 1000);
        assert_eq!(reading.records.len(), 2);
        assert_eq!(reading.notes, [format!("test: {CUT_KEY}")]);
    }
}
