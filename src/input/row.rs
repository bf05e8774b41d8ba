//! The nine cells of one row of a grid, in the ways people write them.
//!
//! Close together, in groups of three, or each apart; with bars between boxes or cells, where a space
//! can be a blank. Nothing is guessed: a row whose cells do not come out at exactly nine, in even groups,
//! is refused with the place of the trouble, since a row read wrongly would be a wrong puzzle.

use memchr::memchr;

use super::batch::trim;
use super::{MAX_LINE, cells};
use crate::record::{Fault, FaultKind};

/// Cells of a row.
const SIDE: usize = 9;

/// Bytes of a row with a separator between each two cells.
const WIDE: usize = 2 * SIDE - 1;

/// Whether text starts with a vertical (`true`) or another (`false`) box-drawing character, U+2500 to U+257F.
pub(super) fn box_drawing(text: &[u8]) -> Option<bool> {
    let vertical = "│┃┆┇┊┋╎╏║".as_bytes();
    match text.first_chunk::<3>()? {
        character @ [0xe2, 0x94 | 0x95, 0x80..=0xbf] => {
            Some(vertical.chunks(3).any(|vertical| vertical == character))
        }
        _ => None,
    }
}

/// A stretch of a row and its offset in the line.
type Part<'a> = (usize, &'a [u8]);

/// The stretches between bars, before the first and behind the last; one if there are no bars.
fn segments(line: &[u8]) -> impl Iterator<Item = Part<'_>> {
    let bar_length = |text: &[u8]| match text.first() {
        Some(b'|') => 1,
        _ if box_drawing(text) == Some(true) => 3,
        _ => 0,
    };
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let start = next?;
        let bar = (start..line.len()).find(|&at| bar_length(&line[at..]) > 0);
        next = bar.map(|at| at + bar_length(&line[at..]));
        Some((start, &line[start..bar.unwrap_or(line.len())]))
    })
}

/// Whether a bar stands somewhere in a row.
pub(super) fn has_bars(line: &[u8]) -> bool {
    segments(line).nth(1).is_some()
}

/// A cell: its digit, 0 for a blank, and its offset in the line.
type Cell = (u8, usize);

/// Reads the nine cells of a row; otherwise says at which offset the trouble is, and what it is.
pub(super) fn read_row(line: &[u8]) -> Result<[Cell; SIDE], (usize, Fault)> {
    let fault = |at, kind| Err((at, Fault::new(kind, None)));
    if line.strip_suffix(b"\n").unwrap_or(line).len() > MAX_LINE {
        return fault(MAX_LINE, FaultKind::LineTooLong);
    }
    let remark = memchr(b'#', line).unwrap_or(line.len());
    let line = line[..remark].trim_ascii_end();
    let start = line.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(line.len());
    // The usual two first: `1234.6789` and `1 2 3 4 . 6 7 8 9`.
    if let Some(row) = plain_cells(&line[start..], start) {
        return Ok(row);
    }

    let framed = has_bars(line);
    let mut parts: Vec<Part<'_>> = if framed { segments(line).collect() } else { tokens(line).collect() };
    for &(offset, part) in &parts {
        // Blanks stand within parts of framed rows only; without bars they set the parts apart.
        let is_good = |byte: &u8| cells::is_cell(*byte) || framed && byte.is_ascii_whitespace();
        let bad = part.iter().position(|byte| !is_good(byte));
        if let Some(bad) = bad {
            return Err((offset + bad, cells::invalid_character(line, offset + bad)));
        }
    }
    if framed {
        drop_outer_parts(&mut parts);
    } else if let Some((at, number)) = parts.iter().find(|(_, part)| parts.len() > 3 && part.len() > 1) {
        let number = number[..number.len().min(SIDE)].escape_ascii().to_string();
        return Err((*at, Fault::new(FaultKind::CellNumber, None).text(number)));
    }
    let row = if framed { framed_cells(&parts) } else { bare_cells(&parts) };
    row.and_then(|row| row.try_into().ok()).ok_or_else(|| {
        let mut found = (start..line.len()).filter(|&at| cells::is_cell(line[at]));
        let surplus = found.clone().nth(SIDE);
        match found.by_ref().count() {
            SIDE => (start, Fault::new(FaultKind::CellGroups, None)),
            count => {
                let fault = Fault::new(FaultKind::RowCellCount, None).number(count);
                (surplus.unwrap_or(line.len()), fault)
            }
        }
    })
}

/// Whether a line without blanks around it is nine cells close together, or with one separator between
/// each two: no border and no title is that.
#[inline]
pub(super) fn is_plain(row: &[u8]) -> bool {
    match row.len() {
        SIDE => row.iter().all(|&byte| cells::is_cell(byte)),
        WIDE => {
            row.iter().step_by(2).all(|&byte| cells::is_cell(byte))
                && row[1..].iter().step_by(2).all(|&byte| is_separator(byte))
        }
        _ => false,
    }
}

/// The cells of a plain row.
#[inline]
fn plain_cells(row: &[u8], start: usize) -> Option<[Cell; SIDE]> {
    let stride = if row.len() == SIDE { 1 } else { 2 };
    is_plain(row).then(|| std::array::from_fn(|i| (cells::digit(row[i * stride]), start + i * stride)))
}

/// Takes away what lies outside the outer bars, if that leaves 1, 3 or 9 parts. A row with an outer bar
/// and a box too few keeps a number of parts that no row has.
fn drop_outer_parts(parts: &mut Vec<Part<'_>>) {
    let blank = |part: Option<&Part<'_>>| part.is_some_and(|(_, part)| trim(part).is_empty());
    let (left, right) = match (parts.len(), blank(parts.first()), blank(parts.last())) {
        // `|123456789|`; three boxes without outer bars begin with a box.
        (3, true, true) => (parts[0].1.is_empty(), parts[0].1.is_empty()),
        (5 | 11, true, true) => (true, true),
        (4 | 10, left, right) => (left && !right, right && !left),
        _ => (false, false),
    };
    if right {
        parts.pop();
    }
    if left {
        parts.remove(0);
    }
}

/// The cells of groups without bars: nothing between them is a blank.
fn bare_cells(groups: &[Part<'_>]) -> Option<Vec<Cell>> {
    let each = per_part(groups.len())?;
    groups.iter().all(|(_, group)| group.len() == each).then(|| {
        let cells = |&(offset, group): &Part<'_>| {
            group.iter().zip(offset..).map(|(&byte, at)| (cells::digit(byte), at)).collect::<Vec<_>>()
        };
        groups.iter().flat_map(cells).collect()
    })
}

/// The cells of boxes between bars. Where a box shows fewer than it has, its width says where they
/// stand, and a space there is a blank.
fn framed_cells(boxes: &[Part<'_>]) -> Option<Vec<Cell>> {
    let each = per_part(boxes.len())?;
    let (tight, wide) = (each, 2 * each + 1);
    let usual = boxes[boxes.len() / 2].1.len();
    let mut row = Vec::with_capacity(SIDE);
    for (i, &(offset, part)) in boxes.iter().enumerate() {
        let shown: Vec<usize> = (0..part.len()).filter(|&at| !part[at].is_ascii_whitespace()).collect();
        let last = i == boxes.len() - 1;
        let (first, step) = match part.len() {
            _ if shown.len() == each => {
                row.extend(shown.iter().map(|&at| (cells::digit(part[at]), offset + at)));
                continue;
            }
            length if length == tight => (0, 1),
            length if length == wide => (1, 2),
            // Without the space at one side, or at both.
            length if length + 1 == wide && i == 0 || length + 2 == wide => (0, 2),
            // At the end of a line without an outer bar spaces get lost.
            length if length < usual && last && usual == tight => (0, 1),
            length if length < usual && last && usual == wide => (1, 2),
            _ => return None,
        };
        if shown.iter().any(|&at| at < first || (at - first) % step != 0) {
            return None;
        }
        row.extend((0..each).map(|cell| {
            let at = first + cell * step;
            let digit = part
                .get(at)
                .map_or(0, |&byte| if byte.is_ascii_whitespace() { 0 } else { cells::digit(byte) });
            (digit, offset + at)
        }));
    }
    Some(row)
}

/// Cells of each of `parts` parts of a row.
fn per_part(parts: usize) -> Option<usize> {
    matches!(parts, 1 | 3 | 9).then(|| SIDE / parts)
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b',' | b';')
}

/// The stretches between separators.
fn tokens(line: &[u8]) -> impl Iterator<Item = Part<'_>> {
    let mut at = 0;
    line.split(|&byte| is_separator(byte))
        .map(move |token| {
            let start = at;
            at += token.len() + 1;
            (start, token)
        })
        .filter(|(_, token)| !token.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(line: &str) -> String {
        match read_row(line.as_bytes()) {
            Ok(row) => row.iter().map(|(digit, _)| char::from(b'0' + digit)).collect(),
            Err((at, fault)) => format!("{at}: {fault}"),
        }
    }

    #[test]
    fn rows_in_every_shape() {
        let rows = [
            "120450780",
            "12.45.78.",
            "  12x45X78?  ",
            "1 2 0 4 5 0 7 8 0",
            "1,2,0,4,5,0,7,8,0,",
            "120 450 780",
            "|12 |45 |78 |",
            "12 |45 |78",
            "12 |45 |78 |",
            "|12 |45 |78",
            "1|2| |4|5| |7|8| |",
            "│12 │45 │78 │",
            "|120450780|",
            "|12 45 78 |",
            "| 1 2   | 4 5   | 7 8   |",
            "| 1 2   | 4 5   | 7 8",
            " 1 2   | 4 5   | 7 8   ",
            "1 2   | 4 5   | 7 8",
            "|1 2  |4 5  |7 8  |",
            "| 1 | 2 |   | 4 | 5 |   | 7 | 8 |   |",
            "|1|2| |4|5| |7|8| |",
            "1|2|.|4|5|.|7|8|.",
            "| 1 2 . | 4 5 . | 7 8 . | # remark",
            "120450780 # remark",
        ];
        for row in rows {
            assert_eq!(digits(row), "120450780", "{row:?}");
        }
        assert_eq!(digits("|   |   |   |"), "000000000");
        assert_eq!(digits("   |456|"), "000456000");
    }

    #[test]
    fn a_row_that_leaves_a_doubt_is_refused() {
        let rows = [
            ("12345678", "8: 8 cells (expected 9)"),
            ("1234567891", "9: 10 cells (expected 9)"),
            ("", "0: 0 cells (expected 9)"),
            ("1,2,3,4,5,", "10: 5 cells (expected 9)"),
            ("1 2 3 4 5 6 7 8 9 1", "18: 10 cells (expected 9)"),
            (" 10 2 3 4 5 6 7 8", "1: number '10' (expected a digit 1-9, 0 or .)"),
            ("12 3456 789", "0: cells in uneven groups (expected 9 alone, 3 groups of 3 or 1 of 9)"),
            ("|1234|56|789|", "0: cells in uneven groups (expected 9 alone, 3 groups of 3 or 1 of 9)"),
            ("|12|45|78|", "10: 6 cells (expected 9)"),
            ("|1  2   |   4   |   5   |", "25: 4 cells (expected 9)"),
            ("|123|456|", "9: 6 cells (expected 9)"),
            ("|   |456|", "9: 3 cells (expected 9)"),
            ("|123|456|789|123|", "13: 12 cells (expected 9)"),
            ("123 45q 789", "6: invalid character 'q' (expected 1-9, 0 or .)"),
            ("\r12345678", "0: invalid character '\\x0d' (expected 1-9, 0 or .)"),
            ("12345\r789", "5: invalid character '\\x0d' (expected 1-9, 0 or .)"),
            ("1 2 3 4\x0c5 6 7 8 9", "7: invalid character '\\x0c' (expected 1-9, 0 or .)"),
            ("|123|45q|789|", "7: invalid character 'q' (expected 1-9, 0 or .)"),
        ];
        for (row, expected) in rows {
            assert_eq!(digits(row), expected, "{row:?}");
        }
    }
}
