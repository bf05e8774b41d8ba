//! The nine cells of one row of a grid, in the ways people write them.
//!
//! Close together, in groups of three, or each apart; with bars between boxes or cells, where a space
//! can be a blank. Nothing is guessed: a row whose cells do not come out at exactly nine, in even groups,
//! is refused with the place of the trouble, since a row read wrongly would be a wrong puzzle.

use memchr::{memchr, memchr_iter, memmem, memrchr};

use super::batch::{trim, without_line_end};
use super::blank::OddBlank;
use super::{MAX_LINE, cells, field};
use crate::record::{Fault, FaultKind};
use crate::sudoku::{CELLS, Grid, SIDE};

/// Bytes of a row with a separator between each two cells.
const WIDE: usize = 2 * SIDE - 1;

/// Bytes of a row, at most.
const LONGEST: usize = 1 << 10;

/// What begins a sequence for a terminal.
const ESCAPE: u8 = 0x1b;

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
pub(super) type Cell = (u8, usize);

/// What the rows of one file have that those of another have not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RowStyle {
    /// A blank that is none elsewhere.
    pub odd: OddBlank,
    /// A field with nothing in it is a blank.
    pub empty_fields: bool,
    /// Cells are numbers with a point: `5.0`.
    pub floats: bool,
    /// A label stands before the cells: `row1 003020600`.
    pub labels: bool,
    /// The number of the row stands before its cells: `3 | . 9 8 | . . . | . 6 .`. What has none is no row.
    pub numbers: bool,
    /// A space is a blank, and rows have so many characters: 9, or 17 with every other one between cells.
    pub width: Option<usize>,
}

/// Reads the nine cells of a row; otherwise says at which offset the trouble is, and what it is.
pub(super) fn read_row(line: &[u8], style: RowStyle) -> Result<[Cell; SIDE], (usize, Fault)> {
    let fault = |at, kind| Err((at, Fault::new(kind, None)));
    if line.strip_suffix(b"\n").unwrap_or(line).len() > MAX_LINE {
        return fault(MAX_LINE, FaultKind::LineTooLong);
    }
    match usual_row(line) {
        Ok(row) if !style.numbers && !style.floats => Ok(row),
        Ok(_) => unusual_row(line, style)
            .ok_or_else(|| (0, Fault::new(FaultKind::RowCellCount, None).number(SIDE - 1))),
        Err(trouble) => unusual_row(line, style).ok_or_else(|| match puzzle_in(line) {
            Some((at, count)) => (at + SIDE, Fault::new(FaultKind::RowCellCount, None).number(count)),
            None => trouble,
        }),
    }
}

/// Where 81 cells in a row or more begin in a line, and how many they are.
pub(super) fn puzzle_in(line: &[u8]) -> Option<(usize, usize)> {
    if line.len() < CELLS {
        return None;
    }
    let mut start = 0;
    line.split(|&byte| !cells::is_cell(byte)).find_map(|run| {
        let at = start;
        start += run.len() + 1;
        let is_puzzle = run.len() >= CELLS && run.iter().any(u8::is_ascii_digit);
        is_puzzle.then_some((at, run.len()))
    })
}

/// The puzzle of 81 cells on a line without another stretch as long, and where it begins.
pub(super) fn sole_puzzle(line: &[u8]) -> Option<(usize, Grid)> {
    let (at, count) = puzzle_in(line).filter(|&(_, count)| count == CELLS)?;
    let is_alone = !has_long_run(&line[..at]) && !has_long_run(&line[at + count..]);
    Some((at, Grid::from_text(line[at..].first_chunk()?).filter(|_| is_alone)?))
}

/// The number that stands before the cells of a row, if one does, and the bytes that it and what sets it apart take.
pub(super) fn row_number(line: &[u8]) -> Option<(u8, usize)> {
    let text = line.trim_ascii_start();
    let (number, rest) = match text {
        [b'"', number @ b'0'..=b'9', b'"', rest @ ..] | [number @ b'0'..=b'9', rest @ ..] => (number, rest),
        _ => return None,
    };
    let length = line.len() - rest.len();
    match rest {
        [b',' | b';', ..] => Some((number - b'0', length + 1)),
        [b' ' | b'\t' | b'|', ..] => Some((number - b'0', length)),
        _ => (box_drawing(rest) == Some(true)).then_some((number - b'0', length)),
    }
}

/// The nine cells of a row as most files have it.
fn usual_row(line: &[u8]) -> Result<[Cell; SIDE], (usize, Fault)> {
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
            let fault = match part[bad] {
                b'\r' => Fault::new(FaultKind::CarriageReturn, None),
                _ => cells::invalid_character(line, offset + bad),
            };
            return Err((offset + bad, fault));
        }
    }
    let is_closed = framed && drop_outer_parts(&mut parts);
    let number = parts.iter().find(|(_, part)| !framed && parts.len() > 3 && part.len() > 1);
    if let Some((at, number)) = number {
        let number = number[..number.len().min(SIDE)].escape_ascii().to_string();
        return Err((*at, Fault::new(FaultKind::CellNumber, None).text(number)));
    }
    let row = if framed { framed_cells(&parts, is_closed) } else { bare_cells(&parts) };
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

/// A row in a way that only some files have: as source text, with a label, with blanks of its own.
#[cold]
fn unusual_row(line: &[u8], style: RowStyle) -> Option<[Cell; SIDE]> {
    /// More bytes than any row has, and more digits.
    const MOST_DIGITS: usize = 3 * SIDE;
    let line = without_line_end(line);
    let has_too_many = || line.iter().filter(|byte| byte.is_ascii_digit()).count() > MOST_DIGITS;
    // Sequences for a terminal have digits of their own.
    let is_counted = !style.floats && !line.contains(&ESCAPE);
    if line.len() > LONGEST || is_counted && has_too_many() || !can_be_row(line, style) {
        return None;
    }
    let mut text = Text::of(line, style.odd);
    if let Some(row) = text.row_of_table() {
        return Some(row);
    }
    if style.width.is_none() {
        text = text.without_marks();
    }
    if style.floats {
        text = text.without_fractions();
    }
    if let Some(width) = style.width {
        return text.fixed_width(width);
    }
    let text = match style {
        RowStyle { numbers: true, .. } => {
            let (_, length) = row_number(&text.bytes)?;
            text.part(length, text.bytes.len())
        }
        RowStyle { labels: true, .. } => text.without_label(),
        _ => text,
    };
    text.row(style).or_else(|| {
        let (core, quoted) = text.core()?;
        let length = core.bytes.len();
        let spaces = || (quoted && matches!(length, SIDE | WIDE)).then(|| core.fixed_width(length)).flatten();
        core.row(style).or_else(spaces)
    })
}

/// Whether a line is a row.
pub(super) fn is_row(line: &[u8], style: RowStyle) -> bool {
    let is_usual = !style.numbers && !style.floats && is_plain(trim(line));
    is_usual || row_of(line, style).is_some()
}

/// The nine cells of a line, if it is a row.
pub(super) fn row_of(line: &[u8], style: RowStyle) -> Option<[Cell; SIDE]> {
    if can_be_row(line, style) { read_row(line, style).ok() } else { None }
}

/// Whether a line may be a row, as is seen without taking it apart: junk is to cost little.
fn can_be_row(line: &[u8], style: RowStyle) -> bool {
    // In brackets, quotes or tables of LaTeX may be cells, whatever stands beside them.
    let is_around =
        |byte: &u8| matches!(byte, b'"' | b'\'' | b'`' | b'[' | b']' | b'{' | b'}' | b'(' | b')' | b'&');
    let is_any = style.labels || style.numbers || style.floats;
    !has_long_run(line)
        && (is_any || !has_surplus(line) || line.iter().any(is_around))
        && !is_too_short(line, style)
}

/// Whether a line has less than nine cells, be they empty fields.
fn is_too_short(line: &[u8], style: RowStyle) -> bool {
    let is_part = |byte: &&u8| match **byte {
        b'"' | b'\'' | b'`' | b'[' | b']' | b'{' | b'}' | b'(' | b')' | b'\r' | b'\n' => false,
        // Blanks, bars, and of the words for blanks one letter.
        byte => !byte.is_ascii_alphabetic() || matches!(byte, b'x' | b'X' | b'n' | b'N' | b'I' | b'l'),
    };
    // Two of the other bars that there are may have boxes between them, of which the blanks at the end are lost.
    let is_bar = |byte: &&u8| matches!(**byte, b'!' | b'I' | b'l' | b'/' | b'\\' | b':');
    let between = SIDE - 1;
    style.width.is_none()
        && style.odd == OddBlank::default()
        && line.iter().filter(is_part).take(between).count() < between
        && line.iter().filter(is_bar).count() < 2
        && !has_bars(line)
}

/// Whether so many digits and dots follow each other that the line is a list of cells, and no row of nine.
pub(super) fn has_long_run(line: &[u8]) -> bool {
    const LONG: usize = 4 * SIDE;
    let (mut length, mut has_digit) = (0, false);
    line.iter().any(|&byte| {
        let is_digit = byte.is_ascii_digit();
        (length, has_digit) =
            if is_digit || byte == b'.' { (length + 1, has_digit || is_digit) } else { (0, false) };
        length >= LONG && has_digit
    })
}

/// Bytes of the lines at the start that are rows of a grid, nine at most, with their line ends; `None` if that depends on
/// bytes that are not there yet. Lines in which fields are empty or numbers have a point are rows only if there are nine.
pub(super) fn rows_length(text: &[u8], is_last: bool) -> Option<usize> {
    let is_other = |line: &[u8]| line.iter().any(|byte| b"[]{}\"':".contains(byte));
    let (length, rows) = rows_of(text, is_last, RowStyle::default(), is_other)?;
    let empty_fields = text.starts_with(b",") || memmem::find(&text[..text.len().min(WIDE)], b",,").is_some();
    let floats = matches!(text, [b'0'..=b'9', b'.', b'0'..=b'9' | b' ', ..]);
    if rows > 0 || !empty_fields && !floats {
        return Some(length);
    }
    let style = RowStyle { empty_fields, floats, ..RowStyle::default() };
    let (length, rows) = rows_of(text, is_last, style, is_other)?;
    let has_clue = text[..length].iter().any(u8::is_ascii_digit);
    Some(if rows == SIDE && has_clue { length } else { 0 })
}

/// The same for rows that a program writes in braces or bars, as no list or object of JSON begins; 0 if they are few.
pub(super) fn source_rows_length(text: &[u8], is_last: bool) -> Option<usize> {
    const FEWEST: usize = 3;
    let inside = text.get(1..).unwrap_or_default();
    let is_source = match (text.first(), inside.iter().find(|&&byte| byte != b' ')) {
        (Some(b'{'), Some(byte)) => byte.is_ascii_digit(),
        (Some(b'['), Some(byte)) => *byte == b'|',
        (_, None) if !is_last => return None,
        _ => false,
    };
    if !is_source {
        return Some(0);
    }
    let (length, rows) = rows_of(text, is_last, RowStyle::default(), |_| false)?;
    Some(if rows < FEWEST { 0 } else { length })
}

/// The same for rows of one style on lines that are no others, and how many they are.
fn rows_of(
    text: &[u8],
    is_last: bool,
    style: RowStyle,
    is_other: impl Fn(&[u8]) -> bool,
) -> Option<(usize, usize)> {
    let mut length = 0;
    for rows in 0..SIDE {
        let rest = &text[length..];
        let line = match memchr(b'\n', &rest[..rest.len().min(LONGEST)]) {
            Some(at) => &rest[..=at],
            None if is_last || rest.len() >= LONGEST => rest,
            None => return None,
        };
        if is_other(line) || !is_row(line, style) {
            return Some((length, rows));
        }
        length += line.len();
    }
    Some((length, SIDE))
}

/// Whether an element of XML is a row: `<row>53..7....</row>`.
pub(super) fn is_row_element(line: &[u8]) -> bool {
    let text = || {
        let rest = &line[memchr(b'>', line)? + 1..];
        Some(&rest[..memrchr(b'<', rest)?])
    };
    line.trim_ascii_start().starts_with(b"<")
        && text().is_some_and(|text| !text.is_empty() && is_row(text, RowStyle::default()))
}

/// Whether there are more digits than a row has, or a letter that is neither a blank, nor a bar, nor of a word like
/// `None`, `null`, `NaN` or `NA`.
fn has_surplus(line: &[u8]) -> bool {
    let line = &line[..memchr(b'#', line).unwrap_or(line.len())];
    let mut digits = 0;
    line.iter().any(|byte| {
        digits += usize::from(byte.is_ascii_digit());
        digits > SIDE || byte.is_ascii_alphabetic() && !b"xXIlNoneiluULaA".contains(byte)
    })
}

/// A stretch of a row in which each character is one byte.
#[derive(Clone, Debug)]
struct Text {
    bytes: Vec<u8>,
    /// Offset of each byte in the line.
    at: Vec<usize>,
}

impl Text {
    /// A line with `0` for its odd blank, a space for every kind of space, and ASCII for digits and bars of full width,
    /// without sequences for a terminal. What is none of these stays one byte that is no cell.
    fn of(line: &[u8], odd: OddBlank) -> Self {
        let (bytes, at) = (Vec::with_capacity(line.len()), Vec::with_capacity(line.len()));
        let mut text = Self { bytes, at };
        let mut start = 0;
        while let Some(&byte) = line.get(start) {
            if let Some(length) = escape_length(&line[start..]) {
                start += length;
                continue;
            }
            let (byte, length) = match odd.cell(&line[start..]) {
                Some((0, length)) if !cells::is_cell(byte) => (b'0', length),
                _ if byte.is_ascii() => (byte, 1),
                _ => {
                    let longest = line.len().min(start + 4);
                    let character = (start + 1..=longest)
                        .find_map(|end| std::str::from_utf8(&line[start..end]).ok())
                        .and_then(|text| text.chars().next());
                    (character.map_or(byte, plain_character), character.map_or(1, char::len_utf8))
                }
            };
            text.bytes.push(byte);
            text.at.push(start);
            start += length;
        }
        text
    }

    /// The offset in the line; that of the last byte for cells that stand behind it, since blanks at the end were lost.
    fn place(&self, at: usize) -> usize {
        self.at.get(at).or(self.at.last()).copied().unwrap_or(0)
    }

    fn part(&self, from: usize, to: usize) -> Self {
        Self { bytes: self.bytes[from..to].to_vec(), at: self.at[from..to].to_vec() }
    }

    /// The same with digits for numbers that have a point.
    fn without_fractions(&self) -> Self {
        let mut text = Self { bytes: Vec::new(), at: Vec::new() };
        let is_between = |byte: &u8| is_separator(*byte) || b"|[](){}\"'".contains(byte);
        let mut start = 0;
        for word in self.bytes.split(is_between) {
            let end = start + word.len();
            let shown = if cells::float(word).is_some() { start + 1 } else { end };
            // What sets it apart stays, too.
            for kept in [start..shown, end..self.bytes.len().min(end + 1)] {
                text.bytes.extend_from_slice(&self.bytes[kept.clone()]);
                text.at.extend_from_slice(&self.at[kept]);
            }
            start = end + 1;
        }
        text
    }

    /// The cells of a text that is a row but for its characters.
    fn row(&self, style: RowStyle) -> Option<[Cell; SIDE]> {
        if has_surplus(&self.bytes) {
            return None;
        }
        let place = |row: [Cell; SIDE]| row.map(|(digit, at)| (digit, self.place(at)));
        let usual = || usual_row(&self.bytes).ok().map(place);
        usual()
            .or_else(|| style.empty_fields.then(|| self.fields(true)).flatten())
            .or_else(|| self.fields(false))
            .or_else(|| self.with_bars())
    }

    /// The cells of a row of a table in LaTeX: `5 & 3 & & & 7 & & & & \\ \hline`.
    fn row_of_table(&self) -> Option<[Cell; SIDE]> {
        let end = memmem::find(&self.bytes, br"\\");
        let is_row = end.is_some() || self.bytes.iter().any(u8::is_ascii_digit);
        let end = end.unwrap_or(self.bytes.len());
        if memchr_iter(b'&', &self.bytes[..end]).count() != SIDE - 1 || !is_row {
            return None;
        }
        let mut fields = self.part(0, end);
        fields.bytes.iter_mut().filter(|byte| **byte == b'&').for_each(|byte| *byte = b',');
        fields.fields(true)
    }

    /// The cells of fields with separators between them: quoted or not, `-1` and `None` for a blank.
    fn fields(&self, empty: bool) -> Option<[Cell; SIDE]> {
        let kind = |separator: u8| self.bytes.contains(&separator);
        let separator = [b',', b';', b'\t'].into_iter().find(|&separator| kind(separator)).unwrap_or(b' ');
        // The bars of a matrix in MiniZinc, `[|0, 9, 0 |`, or OCaml, `[|0; 9; 0|];`.
        let is_bar = |byte: u8| matches!(separator, b',' | b';') && byte == b'|';
        let from = self.bytes.iter().position(|&byte| !is_bar(byte) && byte != b' ').unwrap_or(0);
        let to = self.bytes.iter().rposition(|&byte| !is_bar(byte)).map_or(from, |at| at + 1);
        let bytes = &self.bytes[..to];
        let mut fields: Vec<(usize, &[u8])> = Vec::new();
        let (mut start, mut quote) = (from, None);
        for at in from..=to {
            match bytes.get(at) {
                Some(&byte) if quote == Some(byte) => quote = None,
                Some(&byte @ (b'"' | b'\'' | b'`')) if quote.is_none() => quote = Some(byte),
                Some(&byte) if quote.is_some() || byte != separator => {}
                _ => {
                    let field = &bytes[start..at];
                    let before = field.len() - field.trim_ascii_start().len();
                    fields.push((start + before, field.trim_ascii()));
                    start = at + 1;
                }
            }
        }
        if separator == b' ' {
            fields.retain(|(_, field)| !field.is_empty());
        } else if fields.len() == SIDE + 1 && fields[SIDE].1.is_empty() {
            fields.pop();
        }
        let fields: [(usize, &[u8]); SIDE] = fields.try_into().ok()?;
        let mut row = [(0, 0); SIDE];
        for (cell, (at, field)) in row.iter_mut().zip(fields) {
            let quoted = field.len() >= 2
                && field[0] == field[field.len() - 1]
                && matches!(field[0], b'"' | b'\'' | b'`');
            let inside = if quoted { &field[1..field.len() - 1] } else { field };
            let at = self.place(at + usize::from(quoted));
            let digit = match inside {
                [] | [b' '] if quoted || empty => 0,
                [] => return None,
                _ => field::cell(inside)?,
            };
            *cell = (digit, at);
        }
        Some(row)
    }

    /// The cells between bars that are doubled or another character than a bar.
    fn with_bars(&self) -> Option<[Cell; SIDE]> {
        let is_bar = |byte: u8| matches!(byte, b'|' | b'!' | b'I' | b'l' | b'/' | b'\\' | b':');
        let bar = self.bytes.iter().copied().find(|&byte| is_bar(byte))?;
        let mut text = Self { bytes: Vec::new(), at: Vec::new() };
        for (&byte, &at) in self.bytes.iter().zip(&self.at) {
            let byte = if byte == bar { b'|' } else { byte };
            if byte != b'|' || text.bytes.last() != Some(&b'|') {
                text.bytes.push(byte);
                text.at.push(at);
            }
        }
        // One bar alone sets no boxes apart.
        let bars = text.bytes.iter().filter(|&&byte| byte == b'|').count();
        (bars >= 2)
            .then(|| usual_row(&text.bytes).ok())?
            .map(|row| row.map(|(digit, at)| (digit, text.place(at))))
    }

    /// The cells of a row of so many characters, in which a space is a blank.
    fn fixed_width(&self, width: usize) -> Option<[Cell; SIDE]> {
        let shown = self.bytes.trim_ascii_end().len();
        if shown > width || shown == 0 && self.bytes.len() != width {
            return None;
        }
        let step = if width == SIDE { 1 } else { 2 };
        if self.bytes[..shown].iter().enumerate().any(|(at, &byte)| at % step != 0 && byte != b' ') {
            return None;
        }
        let mut row = [(0, 0); SIDE];
        for (i, cell) in row.iter_mut().enumerate() {
            let at = i * step;
            let digit = match self.bytes[..shown].get(at) {
                None | Some(b' ') => 0,
                Some(&byte) => Some(cells::digit(byte)).filter(|&digit| digit != cells::NO_CELL)?,
            };
            *cell = (digit, self.at.get(at).copied().unwrap_or(at));
        }
        Some(row)
    }

    /// A row without what lists and programs write around it: the bullet in front, the sign that it goes on behind.
    fn without_marks(self) -> Self {
        let text = &self.bytes;
        let start = text.len() - text.trim_ascii_start().len();
        let end = text.trim_ascii_end().len();
        let from = match &text[start..end.max(start)] {
            // A list in YAML or Markdown; `- 5 3` may be cells.
            [b'-' | b'*', b' ', row @ ..]
                if row.trim_ascii_start().len() == SIDE && is_plain(row.trim_ascii()) =>
            {
                start + 2
            }
            [b'=', b'>', b' ', ..] => start + 3,
            [b'>', b' ', ..] => start + 2,
            _ => 0,
        };
        let to = match &text[from..end.max(from)] {
            // A matrix in Octave: `0 3 0 0 0 0 0 0 0; ...`.
            [row @ .., b'.', b'.', b'.'] if matches!(row.trim_ascii_end().last(), Some(b';' | b',')) => {
                end - 3
            }
            // A row in LaTeX: `| |3| | | |7| | | |.`.
            [b'|', .., b'|', b'.'] if text.iter().filter(|&&byte| byte == b'|').count() == SIDE + 1 => {
                end - 1
            }
            _ => text.len(),
        };
        if from == 0 && to == text.len() { self } else { self.part(from, to) }
    }

    /// What follows the first word, if that is a label.
    fn without_label(self) -> Self {
        match label_length(&self.bytes) {
            Some(length) => self.part(length, self.bytes.len()),
            None => self,
        }
    }

    /// What stands in the brackets or quotes of a line of source text, or in front of its comma; and whether those are
    /// quotes.
    fn core(&self) -> Option<(Self, bool)> {
        let is_opening = |byte: &u8| matches!(byte, b'[' | b'{' | b'(');
        let is_closing = |byte: &u8| matches!(byte, b']' | b'}' | b')');
        let text = &self.bytes;
        let quote = text.iter().copied().find(|byte| matches!(byte, b'"' | b'\'' | b'`'));
        let quotes = quote.map_or(0, |quote| text.iter().filter(|&&byte| byte == quote).count());
        // A text of several lines begins or ends here: `"""5 3 . . 7 . . . .`.
        let triple = text.windows(3).position(|three| three.iter().all(|&byte| Some(byte) == quote));
        let (from, to) = if let (3, Some(at)) = (quotes, triple) {
            let begins = text[at + 3..].iter().any(|&byte| cells::is_cell(byte));
            if begins { (at + 3, text.len()) } else { (0, at) }
        } else if quotes == 2 {
            let from = text.iter().position(|&byte| Some(byte) == quote)? + 1;
            (from, from + text[from..].iter().position(|&byte| Some(byte) == quote)?)
        } else if let Some(open) = text.iter().rposition(is_opening) {
            let from = open + 1;
            (from, text[from..].iter().position(is_closing).map_or(text.len(), |at| from + at))
        } else {
            let start = text.iter().position(|byte| !byte.is_ascii_whitespace() && *byte != b',')?;
            (start, text.iter().position(is_closing).filter(|&at| at > start).unwrap_or(text.len()))
        };
        // Whatever else stands there must not be cells.
        let before = &text[..from];
        let name = before.iter().rposition(|&byte| byte == b'=').map_or(0, |at| at + 1);
        let after = &text[to..];
        let remark = [&b"//"[..], b"--", b"/*", b"(*", b"%", b"#"]
            .iter()
            .filter_map(|leader| after.windows(leader.len()).position(|found| found == *leader))
            .min();
        let is_digit = |byte: &u8| byte.is_ascii_digit();
        let digits = after[..remark.unwrap_or(after.len())].iter().filter(|byte| is_digit(byte)).count();
        // The last row of a matrix in R: `NA, 4, 7), 9, 9)`.
        let ends_call = digits <= 4 && after.starts_with(b"),") && !text.iter().any(is_opening);
        if before[name..].iter().filter(|byte| is_digit(byte)).count() > 2
            || digits > 0 && !ends_call
            || after[..remark.unwrap_or(after.len())].iter().any(is_opening)
        {
            return None;
        }
        let inside = &text[from..to];
        let inside = inside.strip_suffix(b"\\n").unwrap_or(inside);
        let end = inside.iter().rposition(|byte| !b" \t\\+&/;,".contains(byte));
        // A comma at the end of what brackets or quotes enclose is part of the cells.
        let end = if to < text.len() { inside.len() } else { end.map_or(0, |at| at + 1) };
        Some((self.part(from, from + end), quotes == 2))
    }
}

/// Bytes of the sequence for a terminal that a text starts with, if it does: `ESC[1;31m`, a colour.
fn escape_length(text: &[u8]) -> Option<usize> {
    let parameters = text.strip_prefix(&[ESCAPE, b'['])?;
    let end = parameters.iter().position(|byte| !byte.is_ascii_digit() && *byte != b';')?;
    parameters[end].is_ascii_alphabetic().then_some(end + 3)
}

/// The ASCII character that stands for another, which reads as it does.
fn plain_character(character: char) -> u8 {
    match character {
        '０'..='９' => b'0' + (u32::from(character) - u32::from('０')) as u8,
        '｜' | '¦' | '‖' | '│' | '┃' | '║' | '┆' | '┇' | '┊' | '┋' | '╎' | '╏' => b'|',
        '，' | '、' => b',',
        '−' | '–' | '—' => b'-',
        _ if character.is_whitespace() => b' ',
        _ => b'~',
    }
}

/// Bytes of the label at the start of a row, and of what sets it apart: `row1 `, `r1: `, `1) `.
fn label_length(line: &[u8]) -> Option<usize> {
    let start = line.len() - line.trim_ascii_start().len();
    let text = &line[start..];
    let letters = text.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(text.len());
    let blank = text[letters..].iter().take_while(|&&byte| byte == b' ' && letters > 0).count();
    let digits = text[letters + blank..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    // `row 003020600`: the number is the row.
    let number = if digits > 2 { 0 } else { blank + digits };
    let end = letters + number;
    let mark = text[end..].iter().take_while(|&&byte| matches!(byte, b':' | b')' | b'=')).count();
    let after = text[end + mark..].iter().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
    let is_label =
        letters > 0 && !text[..letters].iter().all(|&byte| cells::is_cell(byte)) && (mark + after > 0)
            || digits > 0 && number > 0 && mark > 0;
    (is_label && letters + number > 0).then_some(start + end + mark + after)
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
/// and a box too few keeps a number of parts that no row has. Whether there was a right one.
fn drop_outer_parts(parts: &mut Vec<Part<'_>>) -> bool {
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
    right
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
/// stand, and a space there is a blank. Behind the last one no space was lost if it `is_closed`.
fn framed_cells(boxes: &[Part<'_>], is_closed: bool) -> Option<Vec<Cell>> {
    let each = per_part(boxes.len())?;
    let (tight, wide) = (each, 2 * each + 1);
    let usual = boxes[boxes.len() / 2].1.len();
    let mut row = Vec::with_capacity(SIDE);
    for (i, &(offset, part)) in boxes.iter().enumerate() {
        let shown: Vec<usize> = (0..part.len()).filter(|&at| !part[at].is_ascii_whitespace()).collect();
        let last = i == boxes.len() - 1 && !is_closed;
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

pub(super) fn is_separator(byte: u8) -> bool {
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
        match read_row(line.as_bytes(), RowStyle::default()) {
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
            "1 & 2 & & 4 & 5 & & 7 & 8 & \\\\ \\hline",
            "1&2&&4&5&&7&8&",
            "  1,2,0,4,5,0,7,8,0 /",
            "\x1b[1;31m1\x1b[0m2.45.\x1b[38;5;100m78\x1b[m.",
        ];
        for row in rows {
            assert_eq!(digits(row), "120450780", "{row:?}");
        }
        assert_eq!(digits("|   |   |   |"), "000000000");
        assert_eq!(digits("   |456|"), "000456000");
    }

    /// Once the place of a blank that the end of the line had lost was looked up behind its end.
    #[test]
    fn odd_bars_without_the_blanks_at_the_end() {
        let row = read_row(b"1\r1:\r11:\n", RowStyle::default()).expect("three boxes");
        assert_eq!(row.map(|(digit, _)| digit), [1, 0, 1, 0, 1, 1, 0, 0, 0]);
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
            ("|123|456|78|", "12: 8 cells (expected 9)"),
            ("|123|456||", "10: 6 cells (expected 9)"),
            ("|123|456|789|123|", "13: 12 cells (expected 9)"),
            ("123 45q 789", "6: invalid character 'q' (expected 1-9, 0 or .)"),
            ("\r12345678", "0: carriage return within a line (expected lines that end in \\n or \\r\\n)"),
            ("12345\r789", "5: carriage return within a line (expected lines that end in \\n or \\r\\n)"),
            ("1 2 3 4\x0c5 6 7 8 9", "7: invalid character '\\x0c' (expected 1-9, 0 or .)"),
            ("|123|45q|789|", "7: invalid character 'q' (expected 1-9, 0 or .)"),
        ];
        for (row, expected) in rows {
            assert_eq!(digits(row), expected, "{row:?}");
        }
    }
}
