//! A value of JSON as 81 cells: a string, a list of 81, nine lists or strings of nine.
//!
//! A cell of a list is a number, a string of a character, `null` or an empty string; -1 is a blank, too. A string of
//! cells may have blanks, bars and line ends between them, or spaces in the place of blanks. What comes near to that
//! is a record that cannot be read, with its trouble; anything else is no record.

use std::borrow::Cow;

use memchr::memmem;

use super::scan::{Edge, Stop, Text, is_quote, is_space};
use crate::input::blank::OddBlank;
use crate::input::cells::{self, Blanks, Kinds};
use crate::input::foreign::numbers_cages;
use crate::record::{Fault, FaultKind};
use crate::sudoku::{CELLS, Grid, SIDE};

/// Cells of what can be a puzzle with some too few or too many.
pub(in crate::input) const NEARLY: std::ops::RangeInclusive<usize> = 70..=90;

/// Rows, and cells of a row, of what can be a grid with some too few or too many.
pub(in crate::input) const NEARLY_SIDE: std::ops::RangeInclusive<usize> = 7..=11;

/// Candidates of a sukaku.
const SUKAKU: usize = 729;

/// Values of a list that are looked at: a list with more is one of records, if of anything.
const MOST_VALUES: usize = 128;

/// Most values of a list of a puzzle, its solution and what is said of them.
const MOST_FIELDS: usize = 16;

/// Cells that say that an unclosed list was a puzzle.
const ENOUGH: usize = 9;

/// Rows that say that a list was a grid, whatever else is in it.
const ENOUGH_ROWS: usize = 3;

/// A value, as far as a puzzle or a solution can be in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub start: usize,
    /// Behind its last byte; of what is [`Kind::Container`] behind its bracket.
    pub end: usize,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::input) enum Kind {
    /// 81 cells.
    Grid(Grid),
    /// What looks like 81 cells and cannot be read.
    Wrong,
    /// A list of a puzzle and its solution: where each begins.
    Pair { puzzle: usize, claim: usize },
    /// Whole rows, but too few for a grid.
    Rows,
    /// Cells, but too many or too few to look like a puzzle.
    Cells,
    /// Any other string.
    Text,
    /// A number, a word or nothing.
    Word,
    /// A list or an object of something else.
    Container,
    /// A solution whose puzzle is in a form that is not read.
    Lost,
}

/// The place in a list of columns of a cell of the grid.
pub(in crate::input) const fn in_columns(cell: usize) -> usize {
    cell % SIDE * SIDE + cell / SIDE
}

/// The cells of a value, with all that can be wrong with them.
pub(in crate::input) struct Cells {
    digits: [u8; CELLS],
    /// Where each stands.
    pub places: [usize; CELLS],
    /// How many there are; those behind the 81st are only counted.
    pub count: usize,
    /// What is no cell where one should be, the first of them.
    bad: Option<(usize, Fault)>,
    blanks: Blanks,
}

impl Cells {
    pub fn none() -> Self {
        Self { digits: [0; CELLS], places: [0; CELLS], count: 0, bad: None, blanks: Blanks::default() }
    }

    pub fn push(&mut self, digit: u8, at: usize) {
        if let (Some(cell), Some(place)) = (self.digits.get_mut(self.count), self.places.get_mut(self.count))
        {
            *cell = digit;
            *place = at;
        }
        self.count += 1;
    }

    /// A cell that is 0 or -1.
    fn push_number(&mut self, number: &[u8], at: usize) {
        match self.blanks.see(number) {
            Some(fault) => self.push_bad(at, fault),
            None => self.push(0, at),
        }
    }

    /// A cell that cannot be read.
    pub fn push_bad(&mut self, at: usize, fault: Fault) {
        self.push(0, at);
        self.bad.get_or_insert((at, fault));
    }

    /// Takes 81 cells from other places, as that says of each.
    pub fn reorder(&mut self, place: impl Fn(usize) -> usize) {
        if self.count == CELLS {
            let (digits, places) = (self.digits, self.places);
            self.digits = std::array::from_fn(|cell| digits[place(cell)]);
            self.places = std::array::from_fn(|cell| places[place(cell)]);
        }
    }

    fn grid(&self) -> Option<Grid> {
        if self.count == CELLS && self.bad.is_none() { Grid::new(self.digits) } else { None }
    }

    /// The grid, or what is wrong and where; `end` is where a cell is missing.
    pub fn read(self, end: usize, kinds: &Kinds) -> Result<Grid, (usize, Fault)> {
        if let Some(grid) = self.grid() {
            return Ok(grid);
        }
        let is_claim = kinds.count == FaultKind::ClaimCellCount;
        Err(match (self.bad, self.count) {
            (Some((at, bad)), _) if bad.kind == FaultKind::Byte => (at, Fault { kind: kinds.byte, ..bad }),
            (Some((at, bad)), _) if is_claim || bad.kind == FaultKind::Character => {
                (at, Fault { kind: kinds.character, ..bad })
            }
            (Some(bad), _) => bad,
            (None, SUKAKU) => (end, Fault::new(FaultKind::Sukaku, None).number(SUKAKU)),
            (None, count) => (end, Fault::new(kinds.count, None).number(count)),
        })
    }
}

/// What a list turned out to be.
struct List {
    cells: Cells,
    /// Values, and those of them that are a cell alone.
    values: usize,
    singles: usize,
    /// Rows with nine cells, and with nearly as many.
    rows: usize,
    near_rows: usize,
    /// The first row with another number of cells: where it ends, and the number.
    odd_row: Option<(usize, usize)>,
    /// Whether there is something in it that is no cell and no row, or a row that lacks a bracket.
    broken: bool,
    /// Whether all rows say 1 to 9: all candidates of a cell, and no rows at all.
    all_candidates: bool,
    end: usize,
    closed: bool,
}

/// Looks at the value that starts at `at`, of which at least the first byte is there.
#[inline]
pub(super) fn look(text: &Text<'_>, at: usize) -> Result<Value, Stop> {
    let value = |end, kind| Ok(Value { start: at, end, kind });
    match text.bytes[at] {
        quote if is_quote(quote) => {
            // The usual string.
            if let Some(string) = text.bytes[at + 1..].first_chunk::<{ CELLS + 1 }>()
                && string[CELLS] == quote
                && let Some(grid) = string.first_chunk().and_then(Grid::from_text)
                && matches!(text.get(at + CELLS + 2), Some(b',' | b'}' | b']' | b'\n'))
            {
                return value(at + CELLS + 2, Kind::Grid(grid));
            }
            let string = text.string(at)?;
            let cut_off = !string.closed && string.end == text.bytes.len();
            value(string.end, look_at_string(text.content(at, string), string.closed, cut_off))
        }
        b'[' => {
            let container = Value { start: at, end: at + 1, kind: Kind::Container };
            match list(text, at)?.map(|list| (list.end, kind_of_list(&list))) {
                None | Some((_, Kind::Container)) => Ok(pair(text, at)?.unwrap_or(container)),
                Some((end, kind)) => value(end, kind),
            }
        }
        b'{' => value(at + 1, Kind::Container),
        _ => {
            let end = text.word(at)?;
            let count = cells::run(&text.bytes[at..end]);
            // Without digits it is a border.
            let has_digits = text.bytes[at..end].iter().any(u8::is_ascii_digit);
            let is_nearly = has_digits && count == end - at && count >= *NEARLY.start();
            let grid = text.bytes[at..end].as_array().filter(|_| is_nearly).and_then(Grid::from_text);
            value(end, grid.map_or(if is_nearly { Kind::Wrong } else { Kind::Word }, Kind::Grid))
        }
    }
}

pub(in crate::input) fn look_at_string(content: &[u8], closed: bool, cut_off: bool) -> Kind {
    let mut cells = Cells::none();
    let characters = string_cells(content, 0, &mut cells);
    let has_digits = content.iter().any(|byte| matches!(byte, b'1'..=b'9'));
    if !closed {
        let enough = if cut_off { 1 } else { ENOUGH };
        let is_likely = cells.bad.is_none() && cells.count >= enough;
        return if is_likely { Kind::Wrong } else { Kind::Text };
    }
    if let Some(grid) = cells.grid() {
        return Kind::Grid(grid);
    }
    let is_near = NEARLY.contains(&cells.count) && 10 * cells.count >= 9 * characters;
    match cells.count {
        0 => Kind::Text,
        count if has_digits && (is_near || cells.bad.is_none() && count >= *NEARLY.start()) => Kind::Wrong,
        _ if has_digits && cells.bad.is_none() => Kind::Cells,
        _ => Kind::Text,
    }
}

/// The cells of a string; gives the number of its characters that are no separators.
pub(in crate::input) fn string_cells(content: &[u8], start: usize, cells: &mut Cells) -> usize {
    let content_start = content.len();
    let content = &content[prose(content)..];
    let start = start + content_start - content.len();
    let trimmed = content.trim_ascii();
    let indent = content.len() - content.trim_ascii_start().len();
    if trimmed.is_empty() {
        return 0;
    }
    let plain = unescaped(trimmed);
    let has_usual = plain.iter().any(|&byte| cells::digit(byte) == 0);
    // Spaces are blanks where they make it 81 characters and do not separate digits.
    let is_blank = |byte: &u8| *byte == b' ' || matches!(byte, b'1'..=b'9');
    let spaces = !has_usual
        && content.len() == CELLS
        && content.iter().all(is_blank)
        && content.iter().skip(1).step_by(2).any(|&byte| byte != b' ');
    let odd = if has_usual || spaces || trimmed.len() < CELLS {
        OddBlank::default()
    } else {
        OddBlank::learn(std::iter::once(&*plain), CELLS)
    };
    let (text, start) = if spaces { (content, start) } else { (trimmed, start + indent) };
    let mut characters = 0;
    let mut at = 0;
    while at < text.len() {
        let from = start + at;
        // As on a line: 81 cells are a puzzle, whatever follows but for other puzzles.
        if at == CELLS && cells.count == CELLS && cells.bad.is_none() && !cells::is_cell(text[at]) {
            if numbers_cages(&text[at..]) {
                cells.bad.get_or_insert_with(|| (from, cells::invalid_character(text, at)));
            }
            cells.count += other_puzzles(&text[at..]) * CELLS;
            return cells.count;
        }
        if text[at] == b'\\' {
            let (character, length) = escaped(&text[at..]);
            let odd_blank =
                wide(&text[at..]).and_then(|wide| odd.cell(wide.encode_utf8(&mut [0; 4]).as_bytes()));
            at += length;
            match character {
                _ if odd_blank.is_some() => cells.push(0, from),
                Some(byte) if cells::is_cell(byte) => cells.push(cells::digit(byte), from),
                Some(b' ' | b'\n' | b'\r' | b'\t' | b'/' | b'|') => continue,
                _ => {
                    let shown = String::from_utf8_lossy(&text[at - length..at]).into_owned();
                    let fault = Fault::new(FaultKind::Character, None).text(shown);
                    cells.bad.get_or_insert((from, fault));
                }
            }
            characters += 1;
            continue;
        }
        if let Some((digit, length)) = odd.cell(&text[at..]) {
            cells.push(digit, from);
            at += length;
        } else if spaces {
            cells.push(0, from);
            at += 1;
        } else if is_space(text[at]) || matches!(text[at], b',' | b';' | b'|' | b'/') {
            at += 1;
            continue;
        } else {
            cells.bad.get_or_insert_with(|| (from, cells::invalid_character(text, at)));
            at += 1;
        }
        characters += 1;
    }
    characters
}

/// Bytes of the words before a grid, as those who ask for its solution write them: `Solve this:\n5 3 . ...`.
fn prose(content: &[u8]) -> usize {
    const END: &[u8] = b":\\n";
    if !content.first().is_some_and(u8::is_ascii_alphabetic) {
        return 0;
    }
    let end = memmem::find(content, END).map_or(0, |at| at + END.len());
    if content[..end].iter().any(u8::is_ascii_digit) { 0 } else { end }
}

/// How many puzzles there are in a text.
fn other_puzzles(text: &[u8]) -> usize {
    let runs = text.split(|&byte| !cells::is_cell(byte));
    runs.filter(|run| run.len() == CELLS && run.iter().any(|&byte| cells::digit(byte) == 0)).count()
}

/// The character that an escape at the start of a text stands for, if it is ASCII, and the length of the escape.
fn escaped(text: &[u8]) -> (Option<u8>, usize) {
    match text.get(1) {
        Some(b'u') => {
            let code = text.get(2..6).and_then(|digits| std::str::from_utf8(digits).ok());
            match code.map(|code| u32::from_str_radix(code, 16)) {
                Some(Ok(code)) => (u8::try_from(code).ok().filter(u8::is_ascii), 6),
                _ => (None, 2),
            }
        }
        Some(b'n') => (Some(b'\n'), 2),
        Some(b'r') => (Some(b'\r'), 2),
        Some(b't') => (Some(b'\t'), 2),
        Some(b'b' | b'f') => (None, 2),
        Some(&byte) => (Some(byte), 2),
        None => (None, 1),
    }
}

/// The character beyond ASCII for which an escape at the start of a text stands.
fn wide(text: &[u8]) -> Option<char> {
    let code = std::str::from_utf8(text.strip_prefix(b"\\u")?.get(..4)?).ok()?;
    char::from_u32(u32::from_str_radix(code, 16).ok()?).filter(|character| !character.is_ascii())
}

/// A text with such escapes as what they stand for.
fn unescaped(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', text).is_none() {
        return Cow::Borrowed(text);
    }
    let (mut out, mut at) = (Vec::with_capacity(text.len()), 0);
    while at < text.len() {
        match wide(&text[at..]) {
            Some(character) => {
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                at += 6;
            }
            None => {
                out.push(text[at]);
                at += 1;
            }
        }
    }
    Cow::Owned(out)
}

/// Adds the nine cells of a row whose blanks are of one unusual character, the same in all rows; whether it is one.
fn odd_row(content: &[u8], at: usize, known: &mut OddBlank, cells: &mut Cells) -> bool {
    let plain = if content.len() < SIDE { Cow::Borrowed(content) } else { unescaped(content) };
    if plain.len() < SIDE || plain.iter().any(|&byte| cells::digit(byte) == 0) {
        return false;
    }
    let odd = OddBlank::learn(std::iter::once(&*plain), SIDE);
    if odd == OddBlank::default() || *known != OddBlank::default() && *known != odd {
        return false;
    }
    *known = odd;
    let mut next = 0;
    while let Some(&byte) = content.get(next) {
        let character = wide(&content[next..]);
        let cell = match character {
            Some(character) => {
                odd.cell(character.encode_utf8(&mut [0; 4]).as_bytes()).map(|(digit, _)| (digit, 6))
            }
            None => odd.cell(&content[next..]),
        };
        let (digit, length) = cell.unwrap_or((cells::digit(byte), 1));
        cells.push(digit, at + next);
        next += length;
    }
    true
}

/// Reads the list that opens at `at`; `None` if there are no cells in it.
fn list(text: &Text<'_>, at: usize) -> Result<Option<List>, Stop> {
    let mut list = List {
        cells: Cells::none(),
        values: 0,
        singles: 0,
        rows: 0,
        near_rows: 0,
        odd_row: None,
        broken: false,
        all_candidates: true,
        end: 0,
        closed: false,
    };
    let mut next = at + 1;
    // Cells before those that stand outside of rows.
    let mut behind_rows = 0;
    let mut odd = OddBlank::default();
    loop {
        next = text.skip_space(next)?;
        let before = list.cells.count;
        match text.get(next) {
            Some(b',') => {
                next += 1;
                continue;
            }
            Some(b']') if list.has_cells_behind_rows(behind_rows) => {
                // The end of a row that lacks its opening bracket.
                list.broken = true;
                list.row(behind_rows, next);
                behind_rows = before;
                next += 1;
                continue;
            }
            Some(b']') => {
                (list.end, list.closed) = (next + 1, true);
                break;
            }
            Some(b'[') => {
                let Some((end, closed)) = row(text, next, &mut list.cells, list.rows > 0)? else {
                    return Ok(None);
                };
                next = end;
                let is_cut = !closed && text.get(end) == Some(b'[');
                if !closed && !is_cut {
                    list.end = end;
                    break;
                }
                if list.cells.count - before >= *NEARLY.start() {
                    return Ok(None);
                }
                list.broken |= is_cut || list.cells.bad.is_some();
                list.row(before, next - 1);
                behind_rows = list.cells.count;
            }
            Some(quote) if is_quote(quote) => {
                let string = text.string(next)?;
                let content = text.content(next, string);
                if !string.closed || content.len() > 2 * CELLS {
                    return Ok(None);
                }
                if odd_row(content, next + 1, &mut odd, &mut list.cells) {
                    list.row(before, string.end - 1);
                    behind_rows = list.cells.count;
                } else if single(content, next + 1, &mut list.cells) {
                    list.singles += 1;
                } else {
                    string_cells(content, next + 1, &mut list.cells);
                    list.broken |= list.cells.bad.is_some();
                    if list.is_other() || list.cells.count - before >= *NEARLY.start() {
                        return Ok(None);
                    }
                    list.row(before, string.end - 1);
                    behind_rows = list.cells.count;
                }
                next = string.end;
            }
            // The list lost its end, or an object its beginning.
            Some(b'{') if list.rows > 0 && list.rows == list.values => {
                list.end = next;
                break;
            }
            Some(b'{' | b':') => return Ok(None),
            Some(b'}') => {
                list.end = next;
                break;
            }
            Some(_) => {
                let end = text.word(next)?;
                if !word(&text.bytes[next..end], next, &mut list.cells) {
                    list.broken = true;
                    if list.is_other() {
                        return Ok(None);
                    }
                    let fault = cells::invalid_character(&text.bytes[next..end], 0);
                    list.cells.bad.get_or_insert((next, fault));
                }
                list.singles += 1;
                next = end;
            }
            None => {
                text.stop()?;
                list.end = text.bytes.len();
                break;
            }
        }
        list.values += 1;
        if list.values > MOST_VALUES {
            return Ok(None);
        }
    }
    Ok(Some(list))
}

impl List {
    /// Takes note of a row whose cells are those behind the first `before`.
    fn row(&mut self, before: usize, end: usize) {
        let count = self.cells.count - before;
        self.rows += usize::from(count == SIDE);
        self.near_rows += usize::from(NEARLY_SIDE.contains(&count));
        if count != SIDE {
            self.odd_row.get_or_insert((end, count));
        }
        let digits = self.cells.digits.get(before..self.cells.count);
        self.all_candidates &= digits == Some(&[1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }

    /// Whether it is broken, and no grid for all that is known.
    const fn is_other(&self) -> bool {
        self.broken && self.rows == 0
    }

    /// Whether there are cells alone behind what are rows, if perhaps too short or too long.
    const fn has_cells_behind_rows(&self, before: usize) -> bool {
        self.rows > 0 && self.cells.count > before && self.near_rows + self.singles == self.values
    }

    /// A puzzle whose cells are lists of candidates.
    fn is_sukaku(&self) -> bool {
        let cells = self.values == CELLS && self.singles == 0;
        cells || self.values == SIDE && self.rows == SIDE && self.all_candidates
    }

    /// Whether there are both clues and blanks in it.
    fn is_open(&self) -> bool {
        let digits = self.cells.digits.get(..self.cells.count).unwrap_or(&self.cells.digits);
        digits.contains(&0) && digits.iter().any(|&digit| digit > 0)
    }

    /// Whether it is nine cells of which no digit is there twice.
    fn is_row_of_sudoku(&self) -> bool {
        self.is_flat()
            && self.closed
            && self.cells.bad.is_none()
            && self.cells.count == SIDE
            && cells::is_row_of_sudoku(self.cells.digits[..SIDE].iter().copied())
    }

    fn is_flat(&self) -> bool {
        self.singles == self.values
    }
}

fn kind_of_list(list: &List) -> Kind {
    let is_grid = list.is_flat() || list.values == SIDE && list.rows == SIDE;
    if list.is_sukaku() {
        return Kind::Wrong;
    }
    if list.broken {
        return if list.rows >= ENOUGH_ROWS { Kind::Wrong } else { Kind::Container };
    }
    if !list.closed {
        return if list.cells.count >= ENOUGH { Kind::Wrong } else { Kind::Container };
    }
    let is_near = NEARLY_SIDE.contains(&list.values) && list.near_rows + 2 >= list.values;
    match list.cells.grid() {
        Some(grid) if is_grid => Kind::Grid(grid),
        _ if list.is_flat() && NEARLY.contains(&list.values) => Kind::Wrong,
        _ if is_near || list.rows == list.values && list.values > SIDE => Kind::Wrong,
        _ if list.rows == list.values && list.rows >= ENOUGH_ROWS && list.is_open() => Kind::Rows,
        _ if list.cells.count > 0 => Kind::Cells,
        _ => Kind::Container,
    }
}

/// The list that opens at `at` if it holds a puzzle, its solution, and besides that at most numbers and words.
fn pair(text: &Text<'_>, at: usize) -> Result<Option<Value>, Stop> {
    let (mut puzzle, mut claim) = (None, None);
    let mut next = at + 1;
    for _ in 0..2 * MOST_FIELDS {
        next = text.skip_space(next)?;
        let kind = match text.get(next) {
            Some(b',') => {
                next += 1;
                continue;
            }
            Some(b']') => {
                let (Some(puzzle), Some(claim)) = (puzzle, claim) else { return Ok(None) };
                return Ok(Some(Value { start: at, end: next + 1, kind: Kind::Pair { puzzle, claim } }));
            }
            Some(b'{' | b'}' | b':') => return Ok(None),
            Some(b'[') => match list(text, next)? {
                Some(list) => Some((list.end, kind_of_list(&list))),
                None => None,
            },
            Some(_) => Some(look(text, next)?).map(|value| (value.end, value.kind)),
            None => {
                text.stop()?;
                None
            }
        };
        let Some((end, kind)) = kind else { return Ok(None) };
        if let Kind::Grid(grid) = kind {
            let place = if grid.clues() as usize == CELLS { &mut claim } else { &mut puzzle };
            if place.replace(next).is_some() {
                return Ok(None);
            }
        } else if !matches!(kind, Kind::Text | Kind::Word) {
            return Ok(None);
        }
        next = end;
    }
    Ok(None)
}

/// The cells of the list within a list that opens at `at`: its end, and whether it is closed; `None` if it is no row.
/// Behind other rows a word in it is a cell that cannot be read.
fn row(
    text: &Text<'_>,
    at: usize,
    cells: &mut Cells,
    is_behind_rows: bool,
) -> Result<Option<(usize, bool)>, Stop> {
    let mut next = at + 1;
    let before = cells.count;
    loop {
        next = text.skip_space(next)?;
        match text.get(next) {
            Some(b',') => next += 1,
            Some(b']') => return Ok(Some((next + 1, true))),
            Some(b'}') => return Ok(Some((next, false))),
            // It is cut short.
            Some(b'[') if cells.count > before => return Ok(Some((next, false))),
            Some(b'[' | b'{' | b':') => return Ok(None),
            Some(quote) if is_quote(quote) => {
                let string = text.string(next)?;
                if !string.closed || !single(text.content(next, string), next + 1, cells) {
                    return Ok(None);
                }
                next = string.end;
            }
            Some(_) => {
                let end = text.word(next)?;
                if !word(&text.bytes[next..end], next, cells) {
                    if !is_behind_rows {
                        return Ok(None);
                    }
                    cells.push_bad(next, cells::invalid_character(&text.bytes[next..end], 0));
                }
                next = end;
            }
            None => return text.stop().map(|()| Some((text.bytes.len(), false))),
        }
        if cells.count - before > MOST_VALUES {
            return Ok(None);
        }
    }
}

/// A cell that is a string of its own; whether it is one.
fn single(content: &[u8], at: usize, cells: &mut Cells) -> bool {
    match content.trim_ascii() {
        [] => cells.push(0, at),
        b"0" | b"-1" => cells.push_number(content.trim_ascii(), at),
        [byte] if cells::is_cell(*byte) => cells.push(cells::digit(*byte), at),
        [byte] if byte.is_ascii() => cells.push_bad(at, cells::invalid_character(content, 0)),
        [b'\\', ..] if escaped(content).1 == content.len() => match escaped(content).0 {
            Some(byte) if cells::is_cell(byte) => cells.push(cells::digit(byte), at),
            _ => return false,
        },
        _ => return false,
    }
    true
}

/// A cell that is a number or a word; whether it is one, if only nearly.
fn word(word: &[u8], at: usize, cells: &mut Cells) -> bool {
    let number = word.strip_suffix(b".0").unwrap_or(word);
    match number {
        [byte @ b'1'..=b'9'] => cells.push(byte - b'0', at),
        b"0" | b"-1" => cells.push_number(number, at),
        b"false" | b"False" => cells.push(0, at),
        _ if cells::is_null(number) => cells.push(0, at),
        [_, _] | [_, _, _] if number.iter().all(u8::is_ascii_digit) => {
            let shown = String::from_utf8_lossy(number).into_owned();
            cells.push_bad(at, Fault::new(FaultKind::CellNumber, None).text(shown));
        }
        _ => return false,
    }
    true
}

/// Cells at the start of a text that stand in no list of their own.
pub(super) struct BareCells {
    /// Behind the last of them, or the bracket behind that if they are a board.
    pub end: usize,
    /// Commas between them.
    pub commas: usize,
    /// Whether they are nearly as many as a grid has and end with a bracket: a list that lacks the one before it.
    pub are_board: bool,
}

pub(super) fn bare_cells(text: &Text<'_>) -> Result<BareCells, Stop> {
    let mut cells = Cells::none();
    let mut bare = BareCells { end: 0, commas: 0, are_board: false };
    let (mut next, mut commas) = (0, 0);
    loop {
        next = text.skip_space(next)?;
        match text.get(next) {
            Some(b',') => (next, commas) = (next + 1, commas + 1),
            Some(b']') if NEARLY.contains(&cells.count) => {
                return Ok(BareCells { end: next + 1, commas, are_board: true });
            }
            Some(byte) if cells::is_cell(byte) => {
                let end = text.word(next)?;
                if !word(&text.bytes[next..end], next, &mut cells) {
                    break;
                }
                (bare.end, bare.commas, next) = (end, commas, end);
            }
            Some(_) => break,
            None => {
                text.stop()?;
                break;
            }
        }
    }
    Ok(bare)
}

/// The end of the lists at the start of a text that are rows of a sudoku, if they are three or more: they lack the list
/// around them.
pub(super) fn bare_rows(text: &Text<'_>) -> Result<Option<usize>, Stop> {
    let (mut rows, mut end, mut next, mut has_digits) = (0, 0, 0, false);
    while text.get(next) == Some(b'[')
        && let Some(list) = list(text, next)?
        && list.is_row_of_sudoku()
    {
        (rows, end) = (rows + 1, list.end);
        has_digits |= list.cells.digits.iter().any(|&digit| digit > 0);
        if rows == SIDE {
            break;
        }
        next = text.skip_space(end)?;
        if text.get(next) == Some(b',') {
            next = text.skip_space(next + 1)?;
        }
    }
    if rows < SIDE && text.get(next).is_none() {
        text.stop()?;
    }
    Ok((rows >= ENOUGH_ROWS && has_digits).then_some(end))
}

/// Where the cells of a value stand that is a grid.
pub(super) fn places(text: &Text<'_>, at: usize) -> Option<[usize; CELLS]> {
    let cells = all_cells(text, at)?.0;
    cells.grid().map(|_| cells.places)
}

fn all_cells(text: &Text<'_>, at: usize) -> Option<(Cells, Option<List>, bool)> {
    let mut cells = Cells::none();
    match text.get(at)? {
        quote if is_quote(quote) => {
            let string = text.string(at).ok()?;
            string_cells(text.content(at, string), at + 1, &mut cells);
            Some((cells, None, string.closed))
        }
        b'[' => {
            let mut list = list(text, at).ok()??;
            std::mem::swap(&mut cells, &mut list.cells);
            let closed = list.closed;
            Some((cells, Some(list), closed))
        }
        b'{' => None,
        _ => {
            let end = text.word(at).ok()?;
            if cells::run(&text.bytes[at..end]) < end - at {
                return None;
            }
            string_cells(&text.bytes[at..end], at, &mut cells);
            Some((cells, None, true))
        }
    }
}

/// Whether a value is several puzzles in a row.
pub(super) fn is_several(text: &[u8], value: &Value) -> bool {
    let cells = all_cells(&Text { bytes: text, edge: Edge::Last }, value.start);
    cells.is_some_and(|(cells, list, _)| {
        list.is_none() && cells.bad.is_none() && cells.count > CELLS && cells.count.is_multiple_of(CELLS)
    })
}

/// What is wrong with a value that is no grid where one should be, and where.
pub(super) fn fault(text: &Text<'_>, value: &Value, kinds: &Kinds) -> (usize, Fault) {
    let fault = |kind| Fault::new(kind, None);
    let count = |count: usize| match count {
        SUKAKU => fault(FaultKind::Sukaku).number(count),
        _ => fault(kinds.count).number(count),
    };
    let Some((cells, list, closed)) = all_cells(text, value.start) else {
        let word = &text.bytes[value.start..value.end];
        return (value.start, count(if value.kind == Kind::Wrong { cells::run(word) } else { 0 }));
    };
    if !closed {
        return match list {
            None => (value.start, fault(FaultKind::OpenQuote)),
            Some(_) => (value.start, fault(FaultKind::OpenBracket).text("list").text("]")),
        };
    }
    if let Some(list) = list {
        if list.is_sukaku() {
            return (value.start, fault(FaultKind::Sukaku).number(cells.count));
        }
        let is_claim = kinds.count == FaultKind::ClaimCellCount;
        if !is_claim
            && !list.is_flat()
            && (NEARLY_SIDE.contains(&list.values) || list.rows == list.values || list.broken)
            && cells.bad.is_none()
        {
            return match list.odd_row {
                Some((end, cells)) => (end, fault(FaultKind::RowCellCount).number(cells)),
                None if list.broken => (value.start, fault(FaultKind::OpenBracket).text("list").text("]")),
                None if list.values < SIDE => {
                    (list.end - 1, fault(FaultKind::CutOffGrid).number(list.values))
                }
                None => (list.end - 1, fault(FaultKind::RowCount).number(list.values)),
            };
        }
    }
    cells.read(value.end - 1, kinds).map_or_else(|found| found, |_| (value.start, count(CELLS)))
}
