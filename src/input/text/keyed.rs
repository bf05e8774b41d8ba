//! `KEY<TAB>PUZZLE` lines, for filters in a pipe.
//!
//! Every line is a record, even a blank one, a comment or one without a tab, so there are as many answers as lines. No
//! format is detected.

use memchr::memchr;

use super::notation::Notation;
use super::{grid, place_in, whole_lines};
use crate::input::reader::{Block, Read, Reader, State, TextEnd, TextReader, Which};
use crate::input::{Dialect, Framing, MAX_LINE};
use crate::record::{Fault, FaultKind, Layout, Place, Records, Span, Want};
use crate::sudoku::{CELLS, Grid};

/// What is said at the end of an input with a key that is not whole.
pub(in crate::input) const CUT_KEY: &str =
    "a line of more than 1 MiB has no tab in its first 1 MiB: its key is cut off in the answer";

/// Lines of a key and a puzzle.
#[derive(Debug)]
pub(in crate::input) struct KeyedLines;

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
        let Some(tab) = memchr(b'\t', line) else {
            return Self { key: line, puzzle: None, start: line.len() };
        };
        let behind = line[tab + 1..].trim_ascii_start();
        Self { key: &line[..tab], puzzle: Some(behind.trim_ascii_end()), start: line.len() - behind.len() }
    }

    /// The grid behind the tab, or what is wrong and at which byte of the line.
    fn grid(&self) -> Result<Grid, (usize, Fault)> {
        let Some(puzzle) = self.puzzle else { return Err((self.start, Fault::new(FaultKind::NoTab, None))) };
        grid(puzzle).map_err(|(at, fault)| (self.start + at, fault))
    }
}

impl Reader for KeyedLines {
    fn read(&self, block: &Block<'_>, _: Want, out: &mut Records) -> Read {
        let (mut start, mut read) = (0, Read::default());
        while start < block.bytes.len() {
            let rest = &block.bytes[start..];
            let length = memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            let line = &rest[..length];
            read.lines += 1;
            let parts = KeyedLine::new(line);
            let puzzle = match line.strip_suffix(b"\n").unwrap_or(line).len() {
                0..=MAX_LINE => parts.grid(),
                _ => Err((parts.start.min(MAX_LINE), Fault::new(FaultKind::LineTooLong, None))),
            };
            let puzzle = puzzle.map_err(|(at, fault)| fault.at(place_in(read.lines, line, at)));
            out.push_puzzle(read.lines, Span { start, length }, Layout::Line, puzzle);
            start += length;
        }
        read
    }

    fn place(&self, line: u64, record: &[u8], cell: usize, _: Which) -> Place {
        let parts = KeyedLine::new(record);
        let offsets = parts.puzzle.map(|puzzle| Notation::default().offsets(puzzle, CELLS));
        let at = offsets.and_then(|offsets| offsets.get(cell).copied()).unwrap_or(0);
        place_in(line, record, parts.start + at)
    }

    fn dialect(&self) -> Dialect {
        Dialect::of(Framing::Line)
    }
}

impl TextReader for KeyedLines {
    fn frame(&self, state: &mut State, bytes: &[u8], end: TextEnd) -> usize {
        // The start of a line whose rest cannot be read is no record: its key may be cut off.
        let length = whole_lines(bytes, end);
        state.begun |= length > 0;
        // A line may be longer than what is kept of it, and its key with it.
        let is_cut = |line: &[u8]| line.get(..=MAX_LINE).is_some_and(|start| !start.contains(&b'\t'));
        state.in_overflow |= length > MAX_LINE && bytes[..length].split(|&byte| byte == b'\n').any(is_cut);
        length
    }

    fn may_be_empty(&self, _: &State) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::testing::read;

    const CLUES: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    #[test]
    fn every_line_is_a_record() {
        let long = "1".repeat(MAX_LINE + 1);
        let table = [
            (format!("a\t{CLUES}"), CLUES),
            (String::new(), "2:1: no tab between key and puzzle"),
            ("# a remark".to_owned(), "3:11: no tab between key and puzzle"),
            ("8\t \r".to_owned(), "4:5: 0 cells (expected 81)"),
            ("x\t12q".to_owned(), "5:5: invalid character 'q' (expected 1-9, 0 or .)"),
            (format!("b c\t {CLUES} \r"), CLUES),
            (format!("9\t{}", &CLUES[1..]), "7:83: 80 cells (expected 81)"),
            (format!("a\t{long}"), "8:3: line longer than 1 MiB"),
            (long, "9:1048577: line longer than 1 MiB"),
            (format!("\t{CLUES}"), CLUES),
        ];
        let lines: Vec<&str> = table.iter().map(|(line, _)| &**line).collect();
        let reading = read(&KeyedLines, lines.join("\n"));
        assert_eq!(reading.puzzles(), table.iter().map(|(_, puzzle)| *puzzle).collect::<Vec<_>>());
        assert!(reading.records.iter().map(|record| record.line).eq(1..=10));
        let place = KeyedLines.place(7, format!("ab\t  {CLUES}\n").as_bytes(), 4, Which::Puzzle);
        assert_eq!(place, Place { line: 7, column: 10 });
    }

    #[test]
    fn a_key_that_is_cut_is_noted() {
        let long = "k".repeat(MAX_LINE + 1);
        let short = "1\t2\n".repeat(MAX_LINE / 4);
        for (text, is_cut) in [
            (format!("{short}{long}\n{short}"), true),
            (format!("1\n{long}"), true),
            (format!("{long}\t1\n"), true),
            (format!("{}\t1\n", &long[1..]), false),
            (format!("{short}\n{}\n{short}", &long[1..]), false),
            (format!("{short}a\t{long}\n{short}"), false),
        ] {
            let mut state = State::default();
            assert_eq!(KeyedLines.frame(&mut state, text.as_bytes(), TextEnd::Last), text.len());
            assert_eq!(state.in_overflow, is_cut, "{} bytes", text.len());
        }
        // The start of a line before damage is no record.
        let frame = |end| KeyedLines.frame(&mut State::default(), b"a\tb\nc\td", end);
        assert_eq!([TextEnd::More, TextEnd::Cut, TextEnd::Last].map(frame), [4, 4, 7]);
    }
}
