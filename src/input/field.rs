//! A grid that is all of a text: the field of a table, the value of a column, what stands behind a key.
//!
//! It is the same grid through every door. Most are 81 characters; others have their cells apart, in lines or as a list.

use super::blank::OddBlank;
use super::cells::{self, Blanks, Kinds};
use super::spread::{self, Found, Missing};
use crate::record::{Fault, FaultKind};
use crate::sudoku::{CELLS, Grid, SIDE};

/// Reads a field; otherwise says at which offset the trouble is, and what it is.
#[inline]
pub(super) fn grid(field: &[u8], kinds: &Kinds) -> Result<Grid, (usize, Fault)> {
    cells::grid(field.trim_ascii(), kinds).or_else(|(at, fault)| spread_grid(field, kinds, at, fault))
}

/// The same for a field that is not 81 cells, but for the blanks around it, because of that fault.
#[cold]
fn spread_grid(field: &[u8], kinds: &Kinds, at: usize, fault: Fault) -> Result<Grid, (usize, Fault)> {
    if let Some(found) = find_spread(field) {
        return Ok(found.grid);
    }
    if let Some((digits, _)) = cells_with_odd_blanks(field.trim_ascii()) {
        return Ok(Grid::from_digits(digits));
    }
    let at = leading_blanks(field) + at;
    match spread::find(field, OddBlank::default()) {
        Err(Missing::Count { cells, tokens, at }) if tokens > 1 => {
            Err((at, Fault::new(kinds.count, None).number(cells)))
        }
        _ => Err((at, fault)),
    }
}

/// The grid in a field whose cells are apart: with separators, in lines, as a list. A field holds the grid and nothing
/// else but what lists have around them.
pub(super) fn find_spread(field: &[u8]) -> Option<Found> {
    let found = spread::find(field, OddBlank::default()).ok()?;
    let before = field[..found.places[0] as usize].trim_ascii();
    let after = field[found.end..].trim_ascii();
    // Nor is a member of an object.
    let is_member = before.contains(&b':') && before.first() != Some(&b'{');
    let opens = !is_member && before.last().is_none_or(|last| b"[({\"'`".contains(last));
    let closes = after.first().is_none_or(|first| b"])}\"'`".contains(first));
    let no_cells = |text: &[u8]| !text.iter().any(|&byte| cells::is_cell(byte));
    // numpy says which kind of numbers these are.
    let numpy = after.windows(5).any(|word| word == b"dtype");
    // A part of a list that goes on in the next field is none of its own.
    let count = |brackets: &[u8]| field.iter().filter(|byte| brackets.contains(byte)).count();
    let opens = opens && count(b"[{(") == count(b"]})");
    let is_all =
        opens && closes && no_cells(before) && (no_cells(after) || numpy) && found.solution.is_none();
    is_all.then_some(found)
}

/// The digits of a text whose blanks are of one unusual character, and where they stand. One that is there a few times only
/// is rather damage.
fn cells_with_odd_blanks(text: &[u8]) -> Option<([u8; CELLS], [usize; CELLS])> {
    const FEWEST: usize = SIDE;
    if text.iter().any(|&byte| cells::digit(byte) == 0) {
        return None;
    }
    let odd = OddBlank::learn(std::iter::once(text), CELLS);
    let (mut digits, mut places, mut at) = ([0; CELLS], [0; CELLS], 0);
    for (digit, place) in digits.iter_mut().zip(&mut places) {
        let (found, length) = odd.cell(&text[at..])?;
        (*digit, *place) = (found, at);
        at += length;
    }
    let blanks = digits.iter().filter(|&&digit| digit == 0).count();
    (at == text.len() && blanks >= FEWEST).then_some((digits, places))
}

/// Where in a field the cell of its grid stands.
pub(super) fn offset_of_cell(field: &[u8], cell: usize) -> usize {
    if cells::run(field.trim_ascii()) == CELLS {
        return leading_blanks(field) + cell;
    }
    if let Some((_, places)) = cells_with_odd_blanks(field.trim_ascii()) {
        return leading_blanks(field) + places[cell.min(CELLS - 1)];
    }
    find_spread(field).and_then(|found| found.places.get(cell).copied()).unwrap_or(0) as usize
}

/// The digit of a field that holds one cell, 0 for a blank.
pub(super) fn cell(field: &[u8]) -> Option<u8> {
    match field {
        [] | b"-1" => Some(0),
        [b'-', float @ ..] if cells::float(float) == Some(1) => Some(0),
        [byte] => Some(cells::digit(*byte)).filter(|&digit| digit != cells::NO_CELL),
        _ => cells::float(field).or_else(|| cells::is_null(field).then_some(0)),
    }
}

/// The grid in 81 fields of a cell each; otherwise the cell of the trouble, the offset in its field, and what it is. In a
/// row that writes its blanks an empty field is a lost cell.
pub(super) fn grid_of_cells<'a>(
    fields: impl Iterator<Item = &'a [u8]>,
) -> Result<Grid, (usize, usize, Fault)> {
    let mut digits = [0; CELLS];
    let mut empty = None;
    let mut written = false;
    let mut blanks = Blanks::default();
    for (at, (digit, field)) in digits.iter_mut().zip(fields).enumerate() {
        let text = field.trim_ascii();
        *digit = cell(text).ok_or_else(|| {
            let fault = if text.iter().all(u8::is_ascii_digit) {
                let number = text[..text.len().min(CELLS / 9)].escape_ascii().to_string();
                Fault::new(FaultKind::CellNumber, None).text(number)
            } else {
                cells::invalid_character(text, cells::run(text).min(text.len() - 1))
            };
            (at, leading_blanks(field), fault)
        })?;
        let is_minus_one = text.len() > 1 && text[0] == b'-';
        if let Some(fault) = blanks.see(if is_minus_one { b"-1" } else { text }) {
            return Err((at, leading_blanks(field), fault));
        }
        if text.is_empty() {
            empty = empty.or(Some(at));
        } else {
            written |= *digit == 0;
        }
    }
    match empty {
        Some(at) if written => Err((at, 0, Fault::new(FaultKind::CellCount, None).number(CELLS - 1))),
        _ => Ok(Grid::from_digits(digits)),
    }
}

/// Bytes before what stands in a field.
pub(super) fn leading_blanks(field: &[u8]) -> usize {
    field.len() - field.trim_ascii_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "1.......2.9.4...5...6...7...5.9.3.......7.......85..4.7.....6...3...9.8...2.....1";

    #[test]
    fn cells_apart_are_the_grid_that_they_are_together() {
        let whole: Grid = TEXT.parse().unwrap();
        let rows =
            TEXT.as_bytes().chunks(9).map(|row| str::from_utf8(row).unwrap().to_owned()).collect::<Vec<_>>();
        let digits = TEXT.replace('.', "0");
        let list = digits.chars().map(String::from).collect::<Vec<_>>().join(", ");
        for (field, first, tenth) in [
            (TEXT.to_owned(), 0, 9),
            (format!("  {TEXT} "), 2, 11),
            (rows.join("\n"), 0, 10),
            (rows.join("/"), 0, 10),
            (format!("[{list}]"), 1, 28),
            (TEXT.replace('.', ":"), 0, 9),
            (format!(" {}", TEXT.replace('.', "·")), 1, 17),
        ] {
            assert_eq!(grid(field.as_bytes(), &cells::PUZZLE), Ok(whole), "{field}");
            assert_eq!([0, 9].map(|cell| offset_of_cell(field.as_bytes(), cell)), [first, tenth], "{field}");
        }
        // A character that stands there a few times is damage.
        let damaged = format!("{}:::", &"123456789".repeat(9)[..78]);
        assert_eq!(grid(damaged.as_bytes(), &cells::PUZZLE).map_err(|(at, _)| at), Err(78));
        // What is missing is counted in both ways of writing.
        for field in [&TEXT[1..], &list[3..]] {
            let (_, fault) = grid(field.as_bytes(), &cells::CLAIM).unwrap_err();
            assert_eq!(fault.to_string(), "claimed solution: 80 cells (expected 81)", "{field}");
        }
    }
}
