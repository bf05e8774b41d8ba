//! What stands beside the cells of records, for who writes them without it and has to say so.
//!
//! Only `convert` asks. Of what says plainly nothing no word is made: comments, borders, brackets, the end of a list, words
//! like `Grid` and numbers that count the records.

use std::ops::Range;

use memchr::memchr_iter;

use super::grid_line::is_comment;
use super::json::is_section;
use crate::record::{Records, Span};

/// Takes what stands beside cells in no column: how it stands there, its line, and its text.
pub type Tell<'a> = &'a mut dyn FnMut(&'static str, u64, &[u8]);

/// How something stands in its file.
pub(super) const BETWEEN: &str = "between the puzzles";
pub(super) const BEFORE: &str = "before the cells of a line";
pub(super) const BEHIND: &str = "behind the cells of a line";
pub(super) const ANOTHER: &str = "in another element than the puzzle";
pub(super) const ATTRIBUTE: &str = "of another element than the puzzle";
pub(super) const LATE: &str = "of a puzzle, which the first ones lack,";
pub(super) const WITHIN: &str = "beside the puzzle in the same list or object";
pub(super) const ABOVE: &str = "above the table";
pub(super) const AROUND: &str = "around the puzzles";
pub(super) const NAME: &str = "as a name of puzzles";

/// Words that say nothing of a puzzle.
const IDLE_WORDS: [&str; 23] = [
    "answer", "begin", "board", "end", "eof", "game", "given", "givens", "grid", "grids", "import", "input",
    "no", "nr", "number", "problem", "puzzle", "puzzles", "record", "row", "solution", "start", "sudoku",
];

/// The stretches between records that are not blank: the index of the record behind each, and the line on which it starts.
/// The bytes of the batch begin on `line`.
pub(super) fn gaps<'a>(
    records: &'a Records,
    bytes: &'a [u8],
    line: u64,
) -> impl Iterator<Item = (usize, u64, &'a [u8])> {
    let end = Span { start: bytes.len(), length: 0 };
    let spans = records.spans().iter().copied().chain([end]).enumerate();
    spans.filter_map(move |(row, span)| {
        let before = row.checked_sub(1).map(|before| (records.lines()[before], records.spans()[before]));
        let from = before.map_or(0, |(_, before)| before.start + before.length);
        let gap = bytes.get(from..span.start)?;
        if gap.trim_ascii().is_empty() {
            return None;
        }
        let first = before.map_or(line, |(line, before)| line + line_ends(before.of(bytes)));
        Some((row, first, gap))
    })
}

/// Line ends in a text.
fn line_ends(text: &[u8]) -> u64 {
    memchr_iter(b'\n', text).count() as u64
}

/// The lines on which places in a text lie, asked for in ascending order.
pub(super) struct LineNumbers<'a> {
    text: &'a [u8],
    at: usize,
    line: u64,
}

impl<'a> LineNumbers<'a> {
    /// Of a text that begins on `line`.
    pub(super) fn new(text: &'a [u8], line: u64) -> Self {
        Self { text, at: 0, line }
    }

    pub(super) fn of(&mut self, at: usize) -> u64 {
        self.line += line_ends(&self.text[self.at..at]);
        self.at = at;
        self.line
    }
}

/// Tells of the lines between records; `before` records come before those of the batch.
pub(super) fn between(records: &Records, bytes: &[u8], line: u64, before: u64, tell: Tell<'_>) {
    for (row, first, gap) in gaps(records, bytes, line) {
        for (line, text) in (first..).zip(gap.split(|&byte| byte == b'\n')) {
            let text = text.trim_ascii();
            if !is_remark(text, before + row as u64 + 1) {
                tell(BETWEEN, line, text);
            }
        }
    }
}

/// Whether a line above record `number` is idle, a comment, the name of a section, or source text.
pub(super) fn is_remark(text: &[u8], number: u64) -> bool {
    matches!(text, [] | [b'#', ..] | [.., b';' | b'[' | b'{' | b'(' | b'='])
        || is_comment(text)
        || is_section(text)
        || is_idle(text, number)
}

/// Whether a text says nothing but which of all records this is, counted from 1, how large it is, or what columns it has.
pub(super) fn is_idle(text: &[u8], number: u64) -> bool {
    let text = String::from_utf8_lossy(text).to_lowercase();
    let mut words = text.split(|letter: char| !is_letter(letter)).filter(|word| !word.is_empty());
    if !words.all(|word| IDLE_WORDS.contains(&word)) {
        return false;
    }
    let numbers = text.split(|letter: char| !letter.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let numbers: Vec<u64> = numbers.map(|digits| digits.parse().unwrap_or(u64::MAX)).collect();
    // The size stands alone.
    let is_size = |value| numbers.len() == 1 && matches!(value, 0 | 3 | 9);
    let is_usual = |&value: &u64| value == number || value.checked_add(1) == Some(number) || is_size(value);
    let counts_up =
        || numbers.len() >= 9 && numbers.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
    // How many records there are is said above the first.
    numbers.iter().all(is_usual) || counts_up() || number == 1 && numbers.len() == 1
}

/// Whether a text has letters or digits.
pub(super) fn has_words(text: &[u8]) -> bool {
    String::from_utf8_lossy(text).contains(|letter: char| letter.is_ascii_digit() || is_letter(letter))
}

/// Whether a character is a letter, or may be one of another encoding.
fn is_letter(letter: char) -> bool {
    letter.is_alphabetic() || letter == char::REPLACEMENT_CHARACTER
}

/// A text without the separators, quotes and brackets around it.
pub(super) fn bare(text: &[u8]) -> &[u8] {
    let is_mark = |byte: &u8| byte.is_ascii_whitespace() || b",;:=|\"'`".contains(byte);
    let start = text.iter().position(|byte| !is_mark(byte) && !b"([{".contains(byte)).unwrap_or(text.len());
    let text = &text[start..];
    let closes = !text.iter().any(|byte| b"([{".contains(byte));
    let last = text.iter().rposition(|byte| !(is_mark(byte) || closes && b")]}".contains(byte)));
    &text[..last.map_or(0, |last| last + 1)]
}

/// What is left of a text without some stretches of it, which come in order, each part bare.
pub(super) fn without(text: &[u8], taken: impl IntoIterator<Item = Range<usize>>) -> Vec<u8> {
    let mut at = 0;
    let mut rest = Vec::new();
    for taken in taken.into_iter().chain(std::iter::once(text.len()..text.len())) {
        let part = bare(text.get(at..taken.start).unwrap_or_default());
        if !rest.is_empty() && !part.is_empty() {
            rest.push(b' ');
        }
        rest.extend_from_slice(part);
        at = taken.end;
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_or_is_empty_is_idle_and_all_else_is_not() {
        for (text, number) in [
            ("", 5),
            ("Grid 07", 7),
            ("Puzzle #6:", 7),
            ("12.", 12),
            ("9", 4),
            ("250", 1),
            ("-- --", 2),
            ("End", 3),
        ] {
            assert!(is_idle(text.as_bytes(), number), "{text}");
        }
        for text in ["Grid 17", "2021-02-11", "easy", "Puzzle 2 (easy)", "Лёгкий 2", "7.1", "3.9"] {
            assert!(!is_idle(text.as_bytes(), 2), "{text}");
        }
    }

    #[test]
    fn the_marks_of_lists_are_no_part_of_a_text() {
        for (text, expected) in [
            (" 7.1 # name ", "7.1 # name"),
            ("name: \"", "name"),
            ("', 'hard'),", "hard"),
            (" (easy)", "easy"),
            (", x (easy),", "x (easy)"),
            ("  ];", ""),
        ] {
            assert_eq!(bare(text.as_bytes()), expected.as_bytes(), "{text}");
        }
        assert_eq!(without(b"a, XX, 1, YY \"b\"", [3..5, 10..12]), b"a 1 b");
    }
}
