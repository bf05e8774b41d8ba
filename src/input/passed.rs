//! Puzzles in what a format passes over: it knows titles, remarks and code of its own files, and nothing of other kinds.
//!
//! What is passed over is looked at here in every notation there is, line by line: 81 cells on a line, or on lines that
//! follow each other, as rows or one by one. Such a puzzle is no record, but it is told. Comments may hold what they like.

use serde::{Deserialize, Serialize};

use super::batch::without_line_end;
use super::blank::OddBlank;
use super::cells::{self, FEWEST_CLUES};
use super::field;
use super::grid_line::is_comment;
use super::row::{Cell, RowStyle, is_row_element, row_number, row_of};
use crate::sudoku::{CELLS, SIDE};

/// Lines without cells that may stand between the cells of one puzzle.
const MOST_BETWEEN: u8 = 3;

/// More bytes of a line are not looked at.
const LONGEST: usize = 1 << 13;

/// What was seen of the lines that were passed over. It is part of every cursor, and small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Passed {
    /// Where the first puzzle begins: lines behind the cursor, below 0 before it.
    first: i64,
    puzzles: u32,
    /// Cells that follow each other.
    run: Seen,
    /// Lines without cells behind them.
    between: u8,
    /// Where they begin.
    start: i64,
}

/// Cells of a line, or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    cells: u16,
    clues: u16,
    /// Lines that may be numbers, or rows in which spaces are blanks.
    doubtful: u16,
    /// Lines that are such rows without a doubt.
    spaced: u16,
}

impl Seen {
    const NOTHING: Self = Self { cells: 0, clues: 0, doubtful: 0, spaced: 0 };

    /// Of at most [`LONGEST`] cells.
    fn of(digits: impl Iterator<Item = u8>) -> Self {
        let mut seen = Self::NOTHING;
        for digit in digits {
            seen.cells += 1;
            seen.clues += u16::from(digit > 0);
        }
        seen
    }

    fn add(&mut self, other: Self) {
        self.cells = self.cells.saturating_add(other.cells);
        self.clues = self.clues.saturating_add(other.clues);
        self.doubtful = self.doubtful.saturating_add(other.doubtful);
        self.spaced = self.spaced.saturating_add(other.spaced);
    }

    /// Whether it is as much as a puzzle has, which a solution is not.
    fn is_puzzle(self) -> bool {
        usize::from(self.cells) >= CELLS
            && usize::from(self.clues) >= FEWEST_CLUES
            && self.clues < self.cells
            && (self.doubtful == 0 || 2 * usize::from(self.spaced) >= SIDE)
    }

    /// The same for a line, which may have lost a row.
    fn is_nearly_puzzle(self) -> bool {
        usize::from(self.cells) >= CELLS - SIDE
            && usize::from(self.clues) >= FEWEST_CLUES
            && self.clues < self.cells.min(CELLS as u16)
    }
}

impl Passed {
    pub const NOTHING: Self = Self { first: 0, puzzles: 0, run: Seen::NOTHING, between: 0, start: 0 };

    /// A record ends what came before it.
    #[inline]
    pub fn end(&mut self) {
        if self.run.cells > 0 {
            self.run = Seen::NOTHING;
        }
    }

    /// Looks at a text that is passed over, so many lines behind the cursor.
    pub fn see(&mut self, line: u64, text: &[u8]) {
        for (number, text) in (line as i64..).zip(text.split_inclusive(|&byte| byte == b'\n')) {
            self.see_line(number, text);
        }
    }

    fn see_line(&mut self, line: i64, text: &[u8]) {
        let trimmed = text.trim_ascii();
        if matches!(trimmed, [] | [b'#', ..]) {
            return;
        }
        let seen = cells_of(text);
        if seen == Seen::NOTHING {
            self.between = self.between.saturating_add(1);
            if self.between > MOST_BETWEEN {
                self.end();
            }
            return;
        }
        if is_comment(trimmed) {
            return;
        }
        if self.run == Seen::NOTHING {
            self.start = line;
        }
        self.between = 0;
        self.run.add(seen);
        if self.run.is_puzzle() {
            if self.puzzles == 0 {
                self.first = self.start;
            }
            self.puzzles = self.puzzles.saturating_add(1);
        }
        if usize::from(self.run.cells) >= CELLS {
            self.end();
        }
    }

    /// Moves the cursor behind so many lines.
    pub fn go_on(&mut self, lines: u64) {
        self.start -= lines as i64;
        self.first -= lines as i64;
    }

    /// What is to be said of it where the cursor stands on `line`.
    pub fn note(&self, line: u64) -> Option<String> {
        let first = line.saturating_add_signed(self.first);
        let others = match self.puzzles {
            0 => return None,
            1 => String::new(),
            count => format!(", and {} more below", count - 1),
        };
        Some(format!(
            "line {first} begins what looks like a puzzle in another format, which is not read{others}"
        ))
    }
}

/// Whether lines hold a puzzle.
pub(super) fn holds_puzzle(text: &[u8]) -> bool {
    let mut passed = Passed::default();
    passed.see(0, text);
    passed.puzzles > 0
}

/// The cells of a line that is no comment, if it is a puzzle, a row or a cell.
fn cells_of(line: &[u8]) -> Seen {
    let line = &line[..line.len().min(LONGEST)];
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    // Most of what is passed over is words.
    if !line.iter().any(is_digit) {
        return Seen::NOTHING;
    }
    if line.len() >= CELLS - SIDE
        && let Some(puzzle) = puzzle_on(line)
    {
        return puzzle;
    }
    let text = line.trim_ascii();
    if let Some(digit) = field::cell(text.strip_suffix(b",").unwrap_or(text)) {
        return Seen::of(std::iter::once(digit));
    }
    row_on(line).unwrap_or(Seen::NOTHING)
}

/// The cells of a line that holds a puzzle, or nearly one: in a row, whatever its blanks are, or in fields.
fn puzzle_on(line: &[u8]) -> Option<Seen> {
    let whole =
        |seen: Seen| seen.is_nearly_puzzle().then_some(Seen { cells: seen.cells.max(CELLS as u16), ..seen });
    let digits = |text: &[u8]| Seen::of(text.iter().map(|&byte| cells::digit(byte)));
    let in_a_row = || line.split(|&byte| !cells::is_cell(byte)).find_map(|run| whole(digits(run)));
    let with_odd_blanks = || {
        let words = line.split(|byte| byte.is_ascii_whitespace() || b",;\"'".contains(byte));
        words.filter(|word| word.len() >= CELLS).find_map(|word| {
            let is_odd = OddBlank::learn(std::iter::once(word), CELLS) != OddBlank::default();
            let clues = || word.iter().filter(|byte| matches!(byte, b'1'..=b'9')).count() as u16;
            let seen = || Seen { cells: CELLS as u16, clues: clues(), ..Seen::NOTHING };
            is_odd.then(seen).and_then(whole)
        })
    };
    let in_fields = || {
        let fields = line.split(|byte| byte.is_ascii_whitespace() || b",;|:[]{}()&".contains(byte));
        let mut seen = Seen::NOTHING;
        for field in fields.filter(|field| !field.is_empty()) {
            let quoted =
                field.len() >= 2 && field[0] == field[field.len() - 1] && b"\"'`".contains(&field[0]);
            let inside = if quoted { &field[1..field.len() - 1] } else { field };
            if cells::run(inside) == inside.len() && matches!(inside.len(), SIDE | 27) {
                seen.add(digits(inside));
            } else if let Some(digit) = field::cell(inside) {
                seen.add(Seen::of(std::iter::once(digit)));
            }
        }
        whole(seen)
    };
    in_a_row().or_else(with_odd_blanks).or_else(in_fields)
}

/// The row that a line may be.
type ReadRow = fn(&[u8]) -> Option<[Cell; SIDE]>;

/// The ways to read a row, each for lines that may be one.
const ROWS: [ReadRow; 6] = [
    |line| row_of(line, RowStyle::default()),
    |line| {
        let labels = line.trim_ascii_start().first().is_some_and(u8::is_ascii_alphabetic);
        labels.then(|| row_of(line, RowStyle { labels, ..RowStyle::default() }))?
    },
    |line| {
        let floats = line.contains(&b'.');
        floats.then(|| row_of(line, RowStyle { floats, ..RowStyle::default() }))?
    },
    |line| {
        let empty_fields = has_empty_fields(line);
        empty_fields.then(|| row_of(line, RowStyle { empty_fields, ..RowStyle::default() }))?
    },
    |line| {
        let numbers = row_number(line).is_some();
        let style = RowStyle { numbers, empty_fields: has_empty_fields(line), ..RowStyle::default() };
        numbers.then(|| row_of(line, style))?
    },
    |line| {
        if line.iter().any(u8::is_ascii_alphabetic) {
            return None;
        }
        let shown: Vec<u8> = line.iter().copied().filter(|byte| *byte > b' ' && *byte != b'|').collect();
        let odd = OddBlank::learn(std::iter::once(&shown[..]), SIDE);
        (odd != OddBlank::default()).then(|| row_of(line, RowStyle { odd, ..RowStyle::default() }))?
    },
];

/// Whether two separators stand side by side, or one begins or ends a line.
fn has_empty_fields(line: &[u8]) -> bool {
    let is_separator = |byte: &u8| matches!(byte, b',' | b';' | b'\t');
    let line = without_line_end(line);
    line.first().is_some_and(is_separator)
        || line.last().is_some_and(is_separator)
        || line.windows(2).any(|pair| is_separator(&pair[0]) && is_separator(&pair[1]))
}

/// The cells of a line that is a row of a grid.
fn row_on(line: &[u8]) -> Option<Seen> {
    let inside = match is_row_element(line) {
        true => {
            &line[line.iter().position(|&byte| byte == b'>')? + 1
                ..line.iter().rposition(|&byte| byte == b'<')?]
        }
        false => line,
    };
    // Of a title with a number there is too little.
    let may_be_cell = |byte: &&u8| !byte.is_ascii_alphabetic() || matches!(byte, b'x' | b'X');
    if inside.trim_ascii().iter().filter(may_be_cell).count() >= SIDE
        && let Some(row) = ROWS.iter().find_map(|row| row(inside))
    {
        let digits = row.map(|(digit, _)| digit);
        return cells::is_row_of_sudoku(digits.into_iter()).then(|| Seen::of(digits.into_iter()));
    }
    // Spaces for blanks; what has none may be a number as well.
    let bare = inside.trim_ascii_end();
    if bare.len() > 2 * SIDE - 1 || !bare.iter().all(|&byte| byte == b' ' || byte.is_ascii_digit()) {
        return None;
    }
    let width = if bare.len() > SIDE { 2 * SIDE - 1 } else { SIDE };
    let row = row_of(inside, RowStyle { width: Some(width), ..RowStyle::default() })?;
    let spaced = u16::from(bare.trim_ascii_start().contains(&b' '));
    let digits = row.map(|(digit, _)| digit);
    let is_row = cells::is_row_of_sudoku(digits.into_iter());
    is_row.then(|| Seen { doubtful: 1, spaced, ..Seen::of(digits.into_iter()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::ReadOptions;
    use crate::input::testing::{PUZZLE, drain, open, rows};

    #[test]
    fn a_puzzle_in_every_notation_is_seen() {
        let cells = |between: &str| PUZZLE.chars().map(String::from).collect::<Vec<_>>().join(between);
        let each_row = |before: &str, between: &str, after: &str| -> String {
            let row = |row: &str| row.chars().map(String::from).collect::<Vec<_>>().join(between);
            rows().lines().map(|line| format!("{before}{}{after}\n", row(line))).collect()
        };
        let texts = [
            format!("x {PUZZLE} y"),
            PUZZLE.replace('0', ":"),
            cells(" "),
            format!("[{}]", cells(", ").replace('0', "null")),
            format!("{{\"a\": [{}]}}", format!("\"{}\"", cells("\", \"")).replace('0', "")),
            each_row("2 ", " ", ""),
            rows().replace('\n', " "),
            rows(),
            rows().replace('0', "$"),
            rows().replace('0', " "),
            each_row("row1 ", "", ""),
            each_row("    { ", ", ", " },"),
            each_row("<row>", "", "</row>"),
            each_row("", ".00 ", ".00"),
            each_row("", ",", "").replace('0', ""),
            each_row("", "\n", ""),
            rows().replacen("\n0", "\n\na title\n0", 1),
        ];
        for text in texts {
            assert!(holds_puzzle(text.as_bytes()), "{text}");
            assert!(holds_puzzle(text.replace('\n', "\r\n").as_bytes()), "{text}");
        }
    }

    #[test]
    fn what_else_stands_in_files_is_none() {
        let numbers: String = (1000..1100).map(|number| format!("{number}\n")).collect();
        let texts = [
            "words and more words\n".repeat(100),
            "2021-02-11\n--- 2 ---\n12345\n".repeat(20),
            numbers,
            format!("# {PUZZLE}\n// {PUZZLE}\n-- not {PUZZLE}\n"),
            PUZZLE.replace('0', "1"),
            "0".repeat(CELLS),
            rows()[..80].to_owned(),
            rows().replace('\n', "\na\nb\nc\nd\n"),
            "{0,0,0,1,1,1,2,2,2},\n".repeat(9),
            "+---+---+---+\n|   |   |   |\n".repeat(9),
        ];
        for text in texts {
            assert!(!holds_puzzle(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn the_note_says_where_the_first_stands() {
        let list = |before: &str| {
            let cells: Vec<_> = PUZZLE.chars().map(|cell| format!("\"{cell}\"").replace('0', "")).collect();
            format!("{before}{{\"meta\": {{\"n\": 0}}, \"data\": [{}]}}\n", cells.join(", "))
        };
        let one = "test: line 11 begins what looks like a puzzle in another format, which is not read";
        for target in [1, 100, 1 << 20] {
            for (text, expected) in [
                (rows(), None),
                (rows() + &list("\n"), Some(one.to_owned())),
                (rows() + &list("\n") + &list("") + &rows(), Some(format!("{one}, and 1 more below"))),
            ] {
                let reading = drain(open(text.as_bytes(), &ReadOptions::default()).unwrap(), target);
                assert_eq!(reading.notes.first(), expected.as_ref(), "{text}");
            }
        }
    }
}
