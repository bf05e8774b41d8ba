//! What is said of an input in which no puzzle is found: what was tried, what came nearest and why it failed, and what
//! the text looks like.

use memchr::memmem;

use super::magic::typed;
use super::names::is_mangled;
use super::reader::Sample;
use super::sniff::Score;
use super::{Dialect, Framing, InputError, Passed};
use crate::record::{Fault, FaultKind};
use crate::sudoku::{CELLS, SIDE};

/// Lines by which a text is told.
const LINES: usize = 1000;

/// Sides of the sudokus of other sizes that people make. The larger first: a row of 16 cells may be a sudoku of 4 x 4.
const SIDES: [usize; 7] = [25, 16, 12, 10, 8, 6, 4];

/// What one way of reading an input gave.
pub(super) struct Attempt<'a> {
    pub dialect: &'a Dialect,
    pub score: Score,
    /// What is wrong with the first record that cannot be read.
    pub fault: Option<&'a Fault>,
    pub passed: &'a Passed,
}

/// Something that a text looks like, and what to do with it; `{}` is the name of the file.
type Look = (fn(&Start<'_>) -> bool, &'static str, &'static str);

/// What texts look like that hold no puzzles, or none that are read.
const LOOKS: [Look; 11] = [
    (is_html, "an HTML page", "save it as plain text: lynx -dump -nolist {} {pipe}"),
    (
        |start| start.begins(&["version https://git-lfs"]),
        "a pointer of Git LFS",
        "get the file: git lfs pull",
    ),
    (|start| start.begins(&["<"]), "XML of a kind that is not read", "export the puzzles as text"),
    (
        |start| start.begins(&["INSERT INTO ", "CREATE TABLE ", "COPY "]),
        "a dump of a database",
        "export it as CSV: sqlite3 -csv, \\copy ... csv header",
    ),
    (
        |start| memmem::find(start.bytes, b"\"cell_type\"").is_some(),
        "a notebook",
        "save what it holds as text or CSV",
    ),
    (|start| start.bytes.contains(&0), "no text, or text in UTF-32", "save it as plain text in UTF-8"),
    (
        |start| start.most(|line| line.iter().any(|word| is_mangled(word))),
        "numbers like 4.3E+78 that a spreadsheet made of puzzles",
        "take the file as it was before, and import the column as text",
    ),
    (
        is_print,
        "grids with the numbers of their columns",
        "write the rows alone: to_csv(index=False, header=False)",
    ),
    (
        |start| start.most(has_candidates),
        "candidates (a sukaku)",
        "give the puzzle alone, with blanks for what is open",
    ),
    (
        |start| start.most(is_triple),
        "clues as row, column and digit",
        "write the grid out, as nine rows or as 81 characters on a line",
    ),
    (|start| start.most(is_cage), "cages of killer sudokus", NINE_ONLY),
];

const NINE_ONLY: &str = "sudokus of 9 x 9 cells and Sudominoku cases are all that is solved";

/// The refusal of a text in which nothing can be read, whichever way.
pub(super) fn refusal(sample: &Sample<'_>, attempts: &[Attempt<'_>]) -> InputError {
    let mut tried: Vec<_> = attempts.iter().map(|attempt| attempt.dialect.framing.word()).collect();
    tried.sort_unstable();
    tried.dedup();
    if tried.is_empty() {
        tried
            .extend(Framing::ALL.iter().filter(|framing| !framing.is_binary()).map(|framing| framing.word()));
    }
    // Of equals the first.
    let nearest = attempts.iter().rev().max_by_key(|attempt| attempt.score.bad);
    // A value in which nothing is a puzzle is none that is damaged.
    let is_else = |fault: &Fault| matches!(fault.kind, FaultKind::NoPuzzle | FaultKind::NoJson);
    let damaged = nearest.filter(|attempt| attempt.score.bad > 0 && !attempt.fault.is_some_and(is_else));
    InputError::NoPuzzles {
        name: sample.name.to_owned(),
        tried: tried.join(", "),
        nearest: nearest.map(said).unwrap_or_default(),
        advice: advice(sample),
        damaged: damaged.map(|attempt| Box::new(attempt.dialect.clone())),
    }
}

/// What the nearest attempt found.
fn said(Attempt { dialect, score, fault, passed }: &Attempt<'_>) -> String {
    match (fault, &passed.first) {
        (Some(fault), _) => {
            let s = if score.bad == 1 { "" } else { "s" };
            format!("; as {dialect} {} invalid record{s} and no good one, the first: {fault}", score.bad)
        }
        (None, Some((line, text))) => format!("; line {line} is no part of a puzzle: '{text}'"),
        (None, None) => String::new(),
    }
}

/// What a text looks like and what to do, if that is known.
fn advice(sample: &Sample<'_>) -> Option<String> {
    let start = Start::new(sample);
    let side = || SIDES.into_iter().find(|&side| start.has_side(side));
    let look = LOOKS.iter().find(|(is_such, ..)| is_such(&start));
    let (what, advice) = match look {
        Some(&(_, what, advice)) => (what.to_owned(), advice),
        None => (format!("sudokus of {0} x {0} cells", side()?), NINE_ONLY),
    };
    Some(format!("it looks like {what}: {}", advice.replace("{}", &typed(sample.name))))
}

/// The refusal of puzzles with the digits 0 to 8, which could be read as others with other blanks: rows of cells with
/// dots or -1 for blanks in which no 9 is and never two zeros, but some.
pub(super) fn counts_from_zero(sample: &Sample<'_>) -> Option<InputError> {
    let (mut zeros, mut has_blanks) = (0, false);
    for words in Start::new(sample).lines {
        let cells: Vec<u8> =
            words.into_iter().flat_map(|word| if word == b"-1" { b"." } else { word }).copied().collect();
        let is_row = matches!(cells.len(), SIDE | CELLS);
        if !is_row || !cells.iter().all(|cell| matches!(cell, b'.' | b'0'..=b'9')) {
            continue;
        }
        has_blanks |= cells.contains(&b'.');
        for row in cells.chunks(SIDE) {
            let of_row = memchr::memchr_iter(b'0', row).count();
            if of_row > 1 || row.contains(&b'9') {
                return None;
            }
            zeros += of_row;
        }
    }
    (has_blanks && zeros > 1).then(|| InputError::Foreign {
        name: sample.name.to_owned(),
        what: "puzzles with the digits 0 to 8".to_owned(),
        advice: "write each digit greater by one".to_owned(),
    })
}

/// The start of a text.
struct Start<'a> {
    bytes: &'a [u8],
    /// The words of its first lines in which there are some.
    lines: Vec<Vec<&'a [u8]>>,
}

impl<'a> Start<'a> {
    fn new(sample: &Sample<'a>) -> Self {
        let lines = sample.lines().take(LINES).map(words).filter(|words| !words.is_empty()).collect();
        Self { bytes: sample.bytes, lines }
    }

    /// Whether most lines are such.
    fn most(&self, is_such: impl Fn(&[&[u8]]) -> bool) -> bool {
        2 * self.lines.iter().filter(|line| is_such(line)).count() > self.lines.len()
    }

    /// Whether one of the first lines begins with one of these.
    fn begins(&self, heads: &[&str]) -> bool {
        let mut lines = self.bytes.split(|&byte| byte == b'\n').take(LINES).map(<[u8]>::trim_ascii);
        lines.any(|line| {
            let is_head = |head: &&str| {
                line.get(..head.len()).is_some_and(|start| start.eq_ignore_ascii_case(head.as_bytes()))
            };
            heads.iter().any(is_head)
        })
    }

    /// Whether most lines are rows of such a square, or all its cells.
    fn has_side(&self, side: usize) -> bool {
        let is_row = |words: &[&[u8]]| {
            let length: usize = words.iter().map(|word| word.len()).sum();
            let is_even = words.iter().all(|word| word.len() == words[0].len());
            words.iter().all(|word| are_cells(word))
                && (words.len() == side && words.iter().all(|word| word.len() <= 2)
                    || length == side && is_even)
        };
        let is_whole = |words: &[&[u8]]| {
            let cells = || words.iter().filter(|word| are_cells(word));
            cells().filter(|word| word.len() <= 2).count() == side * side
                || cells().any(|word| word.len() == side * side)
        };
        self.lines.len() >= side && self.most(is_row) || self.most(is_whole)
    }
}

/// Whether a page of HTML begins.
fn is_html(start: &Start<'_>) -> bool {
    start.begins(&["<!doctype html", "<html", "<body", "<div", "<table", "<svg"])
}

/// Whether the numbers of columns stand somewhere above rows.
fn is_print(start: &Start<'_>) -> bool {
    let are_numbers = |words: &[&[u8]]| {
        [b"012345678", b"123456789"].iter().any(|numbers| words.iter().copied().eq(numbers.chunks(1)))
    };
    start.lines.iter().any(|line| line.windows(SIDE).any(are_numbers))
}

/// The stretches of a line between blanks, frames, separators, brackets and quotes; none of a border.
fn words(line: &[u8]) -> Vec<&[u8]> {
    let is_between = |&byte: &u8| byte <= b' ' || !byte.is_ascii() || b"|!,;[]{}()\"':#=".contains(&byte);
    let words: Vec<_> = line.split(is_between).filter(|word| !word.is_empty()).collect();
    let is_border = words.iter().all(|word| word.iter().all(|byte| matches!(byte, b'-' | b'+' | b'=')));
    if is_border { Vec::new() } else { words }
}

/// Whether a word is cells of a sudoku of any size.
fn are_cells(word: &[u8]) -> bool {
    word.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'Z' | b'.' | b'-' | b'_' | b'*'))
}

/// Whether words are a row of candidates, several of a cell: digits in ascending order.
fn has_candidates(words: &[&[u8]]) -> bool {
    let are_ascending = |word: &&[u8]| word.iter().all(u8::is_ascii_digit) && word.is_sorted();
    words.len() == SIDE && words.iter().all(are_ascending) && words.iter().any(|word| word.len() > 1)
        || words.iter().any(|word| word.len() == CELLS * SIDE && are_cells(word))
}

/// Whether three single digits stand among words.
fn is_triple(words: &[&[u8]]) -> bool {
    words.iter().filter(|word| matches!(word, [b'0'..=b'9'])).count() == 3 && words.len() <= 5
}

/// Whether words are a sum and the cells that it is for: `12 A1 A2`, `r1c1 r1c2 : 12`.
fn is_cage(words: &[&[u8]]) -> bool {
    let is_cell =
        |word: &&&[u8]| matches!(word, [b'A'..=b'I' | b'a'..=b'i', b'1'..=b'9'] | [b'r', _, b'c', _]);
    let is_sum = |word: &&&[u8]| word.len() <= 2 && word.iter().all(u8::is_ascii_digit);
    let cells = words.iter().filter(is_cell).count();
    cells > 1 && cells + 1 == words.len() && words.iter().filter(is_sum).count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{OptionNames, ReadOptions};

    /// What is said of a text, and what to do about it.
    fn said_of(text: &str) -> (String, String) {
        let options = ReadOptions::default();
        let sample = Sample { name: "a", bytes: text.as_bytes(), is_whole: true, options: &options };
        let error = refusal(&sample, &[]);
        (error.to_string(), error.hint(&OptionNames::LIBRARY).expect("there is always something to do"))
    }

    /// A square of that side; every third cell is blank.
    fn square(side: usize, between: &str, cell: impl Fn(usize) -> String) -> String {
        let value = |at: usize| if at.is_multiple_of(3) { ".".to_owned() } else { cell(at * 7 % side) };
        let row =
            |row: usize| (0..side).map(|column| value(row * side + column)).collect::<Vec<_>>().join(between);
        (0..side).map(|at| row(at) + "\n").collect()
    }

    #[test]
    fn sudokus_of_other_sizes_are_told() {
        for side in [4, 6, 12, 16, 25] {
            let number = |at: usize| (at + 1).to_string();
            let letter = |at: usize| char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXY"[at]).to_string();
            let (grid, spaced) = (square(side, "", letter), square(side, " ", number));
            let line = grid.replace('\n', "");
            let lists = spaced.trim().replace('.', "0").replace('\n', "],\n[").replace(' ', ", ");
            let width = side.isqrt();
            let bars = |row: &str| {
                let words: Vec<&str> = row.split(' ').collect();
                words.chunks(width).map(|part| part.join(" ")).collect::<Vec<_>>().join(" | ") + "\n---+---\n"
            };
            for text in [
                grid.clone(),
                spaced.clone(),
                square(side, ",", number),
                square(side, " ", |at| format!("{:2}", at + 1)),
                spaced.lines().map(bars).collect(),
                format!("{side}\n{spaced}"),
                format!("{spaced}\n").repeat(10),
                format!("{line}\n").repeat(10),
                format!("id,puzzle\n1,{line}\n2,{line}\n"),
                format!("{{\"puzzle\": \"{line}\"}}\n"),
                format!("[[{lists}]]\n"),
                format!("{{\"board\": [[{}]]}}\n", lists.replace('\n', "")),
                format!("board = [\n[{lists}]\n]\n"),
            ] {
                let hint = said_of(&text).1;
                assert!(hint.contains(&format!(" {side} x {side} cells")), "{text}: {hint}");
            }
        }
    }

    #[test]
    fn what_a_text_looks_like_is_told() {
        let candidates = "| 1345 2 6 | 789 13 4 | 5 16 78 |\n---+---\n".repeat(9);
        for (text, hint) in [
            (
                "<!DOCTYPE html>\n<html><pre>\n",
                "an HTML page: save it as plain text: lynx -dump -nolist a > FILE",
            ),
            ("<?xml version=\"1.0\"?>\n<books/>\n", "XML of a kind that is not read"),
            ("version https://git-lfs.github.com/spec/v1\n", "a pointer of Git LFS: get the file"),
            ("-- dump\ncreate table p (id int);\n", "a dump of a database"),
            ("{\"cells\": [{\"cell_type\": \"code\"}]}", "a notebook"),
            ("\0\0\x005\0\0\x003", "no text"),
            ("puzzle\n4.3E+78\n5,2E+79\n", "numbers like 4.3E+78"),
            ("   0 1 2 3 4 5 6 7 8\n0  5 3 0 0 7 0 0 0 0\n", "grids with the numbers of their columns"),
            (&candidates, "candidates (a sukaku)"),
            ("initial(1,2,3).\ninitial(2,3,3).\n", "clues as row, column and digit"),
            ("1 2 3\n4 5 6\n", "clues as row, column and digit"),
            ("12 A1 A2\n7 B1 C1\nr1c1+r1c2 = 12\n", "cages of killer sudokus"),
        ] {
            let found = said_of(text).1;
            assert!(found.starts_with(&format!("it looks like {hint}")), "{text}: {found}");
        }
        let (error, hint) = said_of("It was the best of times,\nit was the worst of times.\n");
        assert_eq!(error, "a: no puzzle found (tried cases, xml, json, jsonl, line, csv, grid, cell)");
        assert!(hint.starts_with("say what it is with format parquet|"), "{hint}");
    }

    #[test]
    fn digits_from_zero_are_told() {
        let is_told = |text: &str| {
            let options = ReadOptions::default();
            let sample = Sample { name: "a", bytes: text.as_bytes(), is_whole: true, options: &options };
            counts_from_zero(&sample).is_some()
        };
        let rows = "8.0 7.. ..2\n2 . . | 0 . . | 8 . .\n3 -1 -1 -1 -1 0 -1 -1 5\n";
        assert!(is_told(rows));
        for other in
            [rows.replace('8', "9"), rows.replace('.', "0"), rows.replace("-1", "0"), rows.replace('0', ".")]
        {
            assert!(!is_told(&other), "{other}");
        }
    }
}
