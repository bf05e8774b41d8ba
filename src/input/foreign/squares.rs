//! Sudokus of other sizes than 9 x 9.

use std::borrow::Cow;

use serde_json::Value;

use super::{ANOTHER_FORM, Foreign, Line, NINE_ONLY, Text, length_of, words};
use crate::input::cells;
use crate::sudoku::{CELLS, SIDE};

/// Sides of squares that are no sudokus of 9 x 9.
const SIDES: std::ops::RangeInclusive<usize> = 4..=36;

/// Sudokus of another size: as many lines as each has cells, or all cells on a line.
pub(super) fn squares(Text { lines, .. }: &Text<'_>) -> Option<(u64, Foreign)> {
    /// One line in so many at least is part of them.
    const SHARE: usize = 8;
    let mut seen = [0_u64; *SIDES.end() + 1];
    // Those that are no sudokus, and whether they are of numbers.
    let mut others = [0_u64; *SIDES.end() + 1];
    let mut are_numbers = true;
    let mut square: Vec<&Line<'_>> = Vec::new();
    let mut covered = 0;
    let mut rows = 0;
    let mut side = 0;
    // Whether no cell is more than 9.
    let mut usual = true;
    for line in lines {
        if let Some(side) = side_of_square(&line.words) {
            seen[side] += 1;
            covered += 1;
        }
        match side_of_row(&line.words) {
            // A row of blanks, more likely.
            Some(Row::Border(signs)) if signs == side => rows += usize::from(rows > 0),
            Some(Row::Border(_)) => {}
            Some(Row::Cells(cells)) => {
                usual &= line.words.len() != cells || line.words.iter().all(|word| word.len() == 1);
                usual &= line.words.iter().copied().flatten().all(|&byte| cells::is_cell(byte));
                if cells != side {
                    (rows, side) = (0, cells);
                }
                if rows == 0 {
                    square.clear();
                }
                rows += 1;
                square.push(line);
            }
            None => rows = 0,
        }
        if rows > 0 && rows == side {
            seen[side] += 1;
            if side != SIDE && !is_sudoku(&square, side) {
                others[side] += 1;
                are_numbers &= square.iter().all(|line| has_numbers(line, side));
            }
            covered += side;
            rows = 0;
        }
    }
    // Sudokus of the usual size are no square of another one.
    seen[SIDE] = 0;
    // Those of a prime side have no boxes: more likely these are numbers of so many digits.
    for side in [5, 7, 11, 13, 17, 19, 23, 29, 31] {
        seen[side] = 0;
    }
    let (side, &count) = seen.iter().enumerate().max_by_key(|(_, count)| **count)?;
    if count == 0 || SHARE * covered < lines.len() {
        return None;
    }
    let foreign = match side {
        18 | 27 if usual => beside(side),
        _ if 2 * others[side] <= count => of_side(side),
        _ if are_numbers => matrix(side),
        _ => return None,
    };
    Some((count * CELLS as u64, foreign))
}

/// Whether a line is as many numbers, or as many digits in a row, or blanks.
fn has_numbers(Line { words, .. }: &Line<'_>, side: usize) -> bool {
    (words.len() == side || words.len() == 1)
        && words.iter().copied().flatten().all(|byte| matches!(byte, b'0'..=b'9' | b'.'))
}

/// Whether a square can be a sudoku of that side: a samurai sudoku has clues in five grids alone, and in others no
/// number stands twice in most rows.
fn is_sudoku(rows: &[&Line<'_>], side: usize) -> bool {
    const SAMURAI: usize = 21;
    let cells: Vec<_> = rows.iter().map(|line| line.cells(side)).collect();
    if side == SAMURAI {
        let is_gap = |row: usize, column: usize| match row {
            0..6 | 15.. => (9..12).contains(&column),
            9..12 => !(6..15).contains(&column),
            _ => false,
        };
        let has_clue = |cell: &[u8]| cell.iter().any(|byte| matches!(byte, b'1'..=b'9'));
        let strays = |(row, cells): (usize, &Vec<&[u8]>)| {
            (0..).zip(cells).any(|(at, cell)| is_gap(row, at) && has_clue(cell))
        };
        return !cells.iter().enumerate().any(strays);
    }
    let is_blank =
        |cell: &[u8]| cell.iter().all(|byte| matches!(byte, b'.' | b'0' | b'*' | b'_' | b'-' | b'?'));
    let repeats = |cells: &&Vec<&[u8]>| {
        let mut digits: Vec<_> = cells.iter().filter(|cell| !is_blank(cell)).collect();
        digits.sort_unstable();
        digits.windows(2).any(|two| two[0] == two[1])
    };
    2 * cells.iter().filter(repeats).count() <= cells.len()
}

/// Rows of so many numbers that are no puzzle.
pub(super) fn matrix(numbers: usize) -> Foreign {
    let what = Cow::Owned(format!("a matrix of numbers, {numbers} a line"));
    Foreign { what, advice: Cow::Borrowed(ANOTHER_FORM) }
}

/// Rows of two or three grids on a line, or three rows of one.
fn beside(cells: usize) -> Foreign {
    let what = Cow::Owned(format!("grids side by side, or with rows joined: {cells} cells a line"));
    Foreign { what, advice: Cow::Borrowed("give each row of nine cells, or all 81, a line of its own") }
}

pub(super) fn of_side(side: usize) -> Foreign {
    let what = match side {
        21 => Cow::Borrowed("samurai sudokus (21 x 21)"),
        18 | 27 => Cow::Owned(format!("grids side by side, or sudokus of {side} x {side} cells")),
        _ => Cow::Owned(format!("sudokus of {side} x {side} cells")),
    };
    Foreign { what, advice: Cow::Borrowed(NINE_ONLY) }
}

/// What a line of a square is.
enum Row {
    /// Of so many signs.
    Border(usize),
    Cells(usize),
}

fn side_of_row(words: &[&[u8]]) -> Option<Row> {
    if words.iter().all(|word| word.iter().all(|byte| matches!(byte, b'-' | b'=' | b'+' | b'_' | b'*'))) {
        return Some(Row::Border(length_of(words)));
    }
    // Numbers or letters with something between them, or characters without.
    let apart = words.len();
    if SIDES.contains(&apart) && words.iter().all(|word| is_value(word, apart)) {
        return Some(Row::Cells(apart));
    }
    let joined = length_of(words);
    // Groups are alike, but for those of a samurai sudoku.
    let alike = words.iter().all(|word| word.len() == words[0].len())
        || joined == 21 && words.iter().all(|word| word.len().is_multiple_of(3));
    let fits = alike
        && SIDES.contains(&joined)
        && words.iter().copied().flatten().all(|&byte| is_cell_of(byte, joined));
    fits.then_some(Row::Cells(joined))
}

/// The side of the square whose cells are on a line: as one word, or a word each. Those of 9 x 9 are none.
fn side_of_square(words: &[&[u8]]) -> Option<usize> {
    let is_blank = |word: &&[u8]| matches!(word, [b'.' | b'0' | b'*' | b'_' | b'-' | b'?']);
    let side_of = |cells: &[&[u8]]| {
        let side = cells.len().isqrt();
        let fits = side * side == cells.len()
            && side != 9
            && SIDES.contains(&side)
            && cells.iter().any(is_blank)
            && !cells.iter().all(is_blank)
            && cells.iter().all(|cell| is_value(cell, side));
        fits.then_some(side)
    };
    let cells = |word: &&[u8]| side_of(&word.chunks(1).collect::<Vec<_>>());
    words.iter().filter(|word| word.len() != CELLS).find_map(cells).or_else(|| side_of(words))
}

/// The side of the first square of another size in JSON.
pub(super) fn side_in_json(value: &Value) -> Option<usize> {
    match value {
        Value::Array(values) => {
            let side = values.len();
            let is_row = |row: &Value| match row {
                Value::Array(cells) => {
                    cells.len() == side && !cells.iter().any(|cell| cell.is_array() || cell.is_object())
                }
                Value::String(cells) => cells.chars().count() == side,
                _ => false,
            };
            let is_square = side != 9 && SIDES.contains(&side) && values.iter().all(is_row);
            if is_square { Some(side) } else { values.iter().find_map(side_in_json) }
        }
        Value::Object(members) => members.values().find_map(side_in_json),
        Value::String(cells) => side_of_square(&words(cells.as_bytes())),
        _ => None,
    }
}

/// Whether a word can be a cell of a square.
fn is_value(word: &[u8], side: usize) -> bool {
    match *word {
        [byte] => is_cell_of(byte, side),
        [tens @ b'0'..=b'3', ones @ b'0'..=b'9'] => {
            usize::from(tens - b'0') * 10 + usize::from(ones - b'0') <= side
        }
        _ => false,
    }
}

/// Whether a character can be a cell of a square: a blank, a digit, or a letter.
const fn is_cell_of(byte: u8, side: usize) -> bool {
    match byte {
        b'.' | b'*' | b'_' | b'-' | b'?' => true,
        b'0'..=b'9' => side > 9 || (byte - b'0') as usize <= side,
        // Letters may come behind the digits.
        b'a'..=b'z' | b'A'..=b'Z' => {
            (byte.to_ascii_uppercase() - b'A') as usize + (side < 9) as usize <= side
        }
        _ => false,
    }
}
