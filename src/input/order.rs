//! Which cell of a grid stands in which of 81 columns, as their names say it: `r1c1`, `x0y0`, `cell_0_0`, `A1`, `c81`.
//!
//! `x` and what comes with `c` say the column, `y` and what comes with `r` the row; of two bare numbers the first says the
//! row, as indices of matrices do. Letters say the row, as is usual for sudokus (`A1` to `A9` are the first row), unless the
//! names begin `A1,B1,C1` and go on so: then they are the columns of a spreadsheet, row by row. Names that only count
//! count in reading order.

use crate::sudoku::{CELLS, SIDE};

/// The column of each cell, counted from the first of the 81.
pub(super) type Order = [u8; CELLS];

/// That of columns whose names say nothing: reading order.
pub(super) const READING: Order = {
    let mut order = [0; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        order[cell] = cell as u8;
        cell += 1;
    }
    order
};

/// Words before a number that says the row and before one that says the column.
const WORDS: [(&str, &str); 5] = [("r", "c"), ("row", "col"), ("row", "column"), ("y", "x"), ("i", "j")];

/// Words before the number of a box.
const BOXES: [&str; 3] = ["b", "box", "block"];

/// A stretch of letters or a number in a name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part<'a> {
    Word(&'a str),
    Number(usize),
}

/// The order that names of 81 columns say, which are in lower case; `None` if they say none.
///
/// # Errors
///
/// When most of them say a place but do not make one grid together: what is wrong.
pub(super) fn order_of(names: &[String]) -> Result<Option<Order>, String> {
    let parts: Vec<Vec<Part<'_>>> = names.iter().map(|name| parts(name)).collect();
    if let Some(places) = places(&parts)
        && let Some(order) = permutation(&places)
    {
        return Ok(Some(order));
    }
    let singles: Vec<_> = parts.iter().map(|parts| place(parts)).collect();
    if 2 * singles.iter().flatten().count() <= names.len() {
        return Ok(None);
    }
    if let Some(other) = singles.iter().position(Option::is_none) {
        let some = singles.iter().position(Option::is_some).unwrap_or_default();
        return Err(format!("'{}' says no place in the grid, as '{}' does", names[other], names[some]));
    }
    let twice =
        (1..names.len()).find_map(|at| Some((singles[..at].iter().position(|one| *one == singles[at])?, at)));
    Err(match twice {
        Some((one, other)) => {
            format!("'{}' and '{}' say the same place in the grid", names[one], names[other])
        }
        None => format!("'{}' to '{}' are not the 81 places of a grid", names[0], names[names.len() - 1]),
    })
}

/// The words and numbers of a name.
fn parts(name: &str) -> Vec<Part<'_>> {
    let kind = |byte: u8| (byte.is_ascii_digit(), byte.is_ascii_alphanumeric() || !byte.is_ascii());
    let chunks = name.as_bytes().chunk_by(|one, other| kind(*one) == kind(*other));
    let chunks = chunks.filter_map(|chunk| str::from_utf8(chunk).ok());
    let words = chunks.filter(|chunk| chunk.starts_with(|first: char| first.is_alphanumeric()));
    words.map(|word| word.parse().map_or(Part::Word(word), Part::Number)).collect()
}

/// The cells that the names say, which are alike but for one or two of their parts; `None` if they are not.
fn places(names: &[Vec<Part<'_>>]) -> Option<Vec<usize>> {
    let first = names.first()?;
    if names.iter().any(|name| name.len() != first.len()) {
        return None;
    }
    let varied: Vec<_> =
        (0..first.len()).filter(|&at| names.iter().any(|name| name[at] != first[at])).collect();
    match varied[..] {
        [at] => {
            let numbers: Option<Vec<_>> = names.iter().map(|name| number(&name[at])).collect();
            let numbers = numbers?;
            let is_pair = |&number: &usize| (11..=99).contains(&number) && number % 10 > 0;
            if numbers.iter().all(is_pair) {
                return Some(
                    numbers.iter().map(|number| (number / 10 - 1) * SIDE + number % 10 - 1).collect(),
                );
            }
            let least = *numbers.iter().min()?;
            (least <= 1).then(|| numbers.iter().map(|number| number - least).collect())
        }
        [one, other] => {
            let word = |at: usize| {
                if let Some(Part::Word(word)) = at.checked_sub(1).map(|at| &first[at]) { word } else { "" }
            };
            let values = |at: usize| names.iter().map(|name| value(&name[at])).collect::<Option<Vec<_>>>();
            let (ones, others) = (from_zero(values(one)?)?, from_zero(values(other)?)?);
            let is_letter = |at: usize| matches!(first[at], Part::Word(_));
            // Boxes in reading order, and in them their cells.
            if BOXES.contains(&word(one)) {
                let cell = |(of, at): (&usize, usize)| (of / 3 * 3 + at / 3) * SIDE + of % 3 * 3 + at % 3;
                return Some(ones.iter().zip(others).map(cell).collect());
            }
            let swaps = |(row, column): &(&str, &str)| word(one) == *column && word(other) == *row;
            let cells = |rows: &[usize], columns: &[usize]| -> Vec<usize> {
                rows.iter().zip(columns).map(|(row, column)| row * SIDE + column).collect()
            };
            if is_letter(one) != is_letter(other) {
                let (letters, digits) = if is_letter(one) { (&ones, &others) } else { (&others, &ones) };
                let of_spreadsheet = cells(digits, letters);
                let is_in_order = of_spreadsheet.iter().copied().eq(0..CELLS);
                return Some(if is_in_order { of_spreadsheet } else { cells(letters, digits) });
            }
            Some(if WORDS.iter().any(swaps) { cells(&others, &ones) } else { cells(&ones, &others) })
        }
        _ => None,
    }
}

fn number(part: &Part<'_>) -> Option<usize> {
    if let Part::Number(number) = part { Some(*number) } else { None }
}

/// A number, or what a letter counts.
fn value(part: &Part<'_>) -> Option<usize> {
    match part {
        Part::Number(number) => Some(*number),
        Part::Word(word) => match word.as_bytes() {
            [letter @ b'a'..=b'i'] => Some(usize::from(letter - b'a')),
            _ => None,
        },
    }
}

/// Values of nine that count from 0 or 1, counted from 0.
fn from_zero(values: Vec<usize>) -> Option<Vec<usize>> {
    let (least, most) = (*values.iter().min()?, *values.iter().max()?);
    (least <= 1 && most == least + SIDE - 1).then(|| values.iter().map(|value| value - least).collect())
}

/// The columns of the cells, if each cell has one.
fn permutation(cells: &[usize]) -> Option<Order> {
    let mut order = [u8::MAX; CELLS];
    for (column, &cell) in cells.iter().enumerate() {
        *order.get_mut(cell)? = u8::try_from(column).ok()?;
    }
    (cells.len() == CELLS && !order.contains(&u8::MAX)).then_some(order)
}

/// The row and the column that one name says beyond doubt, with the words before them, as far as they are known: `r1c1`,
/// `x0y0`, `A1`, `cell_0_0`.
fn place<'a>(parts: &[Part<'a>]) -> Option<(&'a str, usize, usize)> {
    let is_digit = |number: usize| number <= SIDE;
    match *parts {
        [
            Part::Word(row @ ("a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i")),
            Part::Number(column @ 1..=9),
        ] => Some(("", usize::from(row.as_bytes()[0]), column)),
        [.., Part::Word(one), Part::Number(row), Part::Word(other), Part::Number(column)]
            if is_digit(row) && is_digit(column) =>
        {
            let is_pair = |&&(row, column): &&(&str, &str)| {
                (one, other) == (row, column) || (other, one) == (row, column)
            };
            WORDS.iter().any(|pair| is_pair(&pair)).then_some((one, row, column))
        }
        [.., Part::Number(row), Part::Number(column)] if is_digit(row) && is_digit(column) => {
            Some(("", row, column))
        }
        _ => None,
    }
}
