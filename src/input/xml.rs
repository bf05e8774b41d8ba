//! XML: puzzles in attributes and texts, whatever their elements are called.
//!
//! An attribute of 81 cells (`<game data="..."/>` of OpenSudoku, or what that exports of a game in progress), a text of 81
//! cells, or nine texts of nine in elements of one name; or elements that are cells (`elements`). A text in an element beside it whose name says that it is the
//! solution is the claim, so is an attribute. A tag ends before the next `<`, so that a quote that is not closed costs
//! its own element; what is in elements that hold solutions is passed.

mod elements;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memmem};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use self::elements::Group;
use super::batch::{Cursor, Format, Phase, Step, TextEnd, place_in};
use super::beside::{ANOTHER, ATTRIBUTE, LATE, LineNumbers, Tell, gaps, has_words};
use super::cells::{self, CLAIM, PUZZLE};
use super::family::{Family, Sample, Seen};
use super::json::record::{holds_solutions, names_puzzle};
use super::json::value::{Cells, Kind, NEARLY_SIDE, in_columns, look_at_string, string_cells};
use super::json::{cut_off, place_within};
use super::nesting::Nesting;
use super::passed;
use super::row::has_long_run;
use super::{Columns, MAX_LINE};
use crate::record::{Fault, FaultKind, Layout, Place, Records, Span, Texts, Want};
use crate::sudoku::{CELLS, Grid, SIDE};

pub(super) const FAMILY: Family = Family {
    name: "xml",
    about: "XML with puzzles in attributes (OpenSudoku), texts, rows or elements for cells",
    has_columns: false,
    look: |sample| {
        let (cells, is_all) = if is_document(sample) { evidence(sample) } else { (0, false) };
        Seen { is_all, ..Seen::new(cells, |sample| Ok(Arc::new(Elements::of(sample)))) }
    },
    enough: CELLS as u64,
};

/// Cells in a row that make what is broken a record.
const ENOUGH: usize = 9;

/// Longest text that may be a puzzle in a form that is not read.
const LONGEST_LOST: usize = 1 << 10;

/// Longest name of a list.
const LONGEST_NAME: usize = 40;

/// Elements of HTML that have no end.
const VOID: [&str; 6] = ["br", "hr", "img", "input", "link", "meta"];

/// Rows that are a grid which lost the others.
const ENOUGH_ROWS: usize = 3;

/// Records of a sample that are looked at.
const RECORDS_LOOKED_AT: usize = 200;

#[derive(Debug)]
struct Elements {
    /// The attributes that stand beside puzzles.
    columns: Vec<String>,
    /// Whether one of the first records claims a solution.
    has_claims: bool,
}

/// A record; the ranges are those of its own text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Record {
    end: usize,
    puzzle: Part,
    claim: Option<Range<usize>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// An attribute or a text.
    Text(Range<usize>),
    /// Texts of nine.
    Rows(Vec<Range<usize>>),
    /// An element for each cell.
    Cells(Group),
    /// A tag that does not end.
    Broken,
    /// A declaration of entities.
    Declared,
    /// An element that holds the puzzle in a form that is not read.
    Lost,
}

/// What comes next: so many bytes, or a record.
enum Next {
    Skip(usize),
    Record(Record),
}

/// What depends on bytes that are not there yet.
struct More;

fn next(cursor: &mut Cursor, rest: &[u8], end: TextEnd) -> Result<Next, More> {
    let found = next_in(cursor, rest, end)?;
    if let Next::Record(_) = found {
        cursor.nesting.found_in_element();
    }
    Ok(found)
}

/// The same, of which the levels around know nothing yet.
fn next_in(cursor: &mut Cursor, rest: &[u8], end: TextEnd) -> Result<Next, More> {
    let text = &rest[..rest.len().min(MAX_LINE)];
    let is_last = end == TextEnd::Last || text.len() < rest.len();
    match text {
        [] => Err(More),
        [b'<', ..] => match cells_here(cursor, text, is_last)? {
            Some(next) => Ok(next),
            None => tag(cursor, text, is_last),
        },
        [byte, ..] if byte.is_ascii_whitespace() => {
            Ok(Next::Skip(text.iter().take_while(|byte| byte.is_ascii_whitespace()).count()))
        }
        [b']', b']', b'>', ..] => Ok(Next::Skip(3)),
        _ => {
            let found = text_record(text, is_last)?;
            let is_solution = cursor.nesting.solutions > 0;
            if found.is_none()
                && let Some(solution) = named_solution(text, &(0..text_length(text)), is_last)?
            {
                return Ok(Next::Skip(solution.end));
            }
            let length = text_length(text);
            if length < LONGEST_NAME && holds_solutions(&text[..length]) {
                cursor.phase = Phase::Gap;
            }
            // Behind a document another file may follow.
            let below = &text[..length];
            let is_lost = || {
                cursor.nesting.depth == 0 && (cells::may_hold_puzzle(below) || passed::holds_puzzle(below))
            };
            let found = found.or_else(|| is_lost().then(|| Record::of_text(length)));
            Ok(found.filter(|_| !is_solution).map_or(Next::Skip(length), Next::Record))
        }
    }
}

/// The record that begins here if elements are its cells.
fn cells_here(cursor: &mut Cursor, text: &[u8], is_last: bool) -> Result<Option<Next>, More> {
    /// Bytes of the longest tag of a cell, and behind it up to the next one.
    const LONGEST: usize = 200;
    const NEAR: usize = 12;
    let is_looked_at = cursor.nesting.is_marked(0) || cursor.nesting.is_marked(1);
    if is_looked_at || !text.get(1).is_some_and(u8::is_ascii_alphabetic) {
        return Ok(None);
    }
    let Some(end) = memchr(b'>', &text[..text.len().min(LONGEST)]) else {
        return if text.len() < LONGEST && !is_last { Err(More) } else { Ok(None) };
    };
    let near = &text[end + 1..text.len().min(end + 1 + NEAR)];
    if text[end - 1] != b'/' && memmem::find(near, b"</").is_none() {
        return if near.len() < NEAR && !is_last { Err(More) } else { Ok(None) };
    }
    let Some(group) = elements::group(text, is_last)? else { return Ok(None) };
    if group.is_too_long() {
        // Its last 81 cells would be no puzzle.
        cursor.nesting.mark(0);
        if group.in_rows {
            cursor.nesting.mark(1);
        }
    }
    if !group.is_record() {
        return Ok(None);
    }
    cursor.nesting.mark(0);
    if cursor.nesting.solutions > 0 {
        return Ok(Some(Next::Skip(group.end)));
    }
    Ok(Some(Next::Record(Record { end: group.end, puzzle: Part::Cells(group), claim: None })))
}

/// Reads the tag, the comment or whatever else begins with `<`.
fn tag(cursor: &mut Cursor, text: &[u8], is_last: bool) -> Result<Next, More> {
    const CDATA: &[u8] = b"<![CDATA[";
    if text.starts_with(CDATA) {
        return Ok(Next::Skip(CDATA.len()));
    }
    if !is_last && CDATA.starts_with(text) {
        return Err(More);
    }
    // No attribute holds a `<`, but comments and declarations may.
    let is_markup = matches!(text.get(1), Some(b'!' | b'?'));
    let near = match memchr(b'<', &text[1..]) {
        Some(next) if !is_markup => &text[..=next],
        _ => text,
    };
    let mut reader = Reader::from_reader(near);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    let event = reader.read_event();
    let length = usize::try_from(reader.buffer_position()).unwrap_or(near.len()).clamp(1, near.len());
    match event {
        Ok(Event::Start(start)) => {
            let name = start.local_name();
            let name = name.as_ref().as_bytes();
            if !is_void(name) {
                // `<key>solutions</key><array>` of property lists, `<string-array name="solutions">` of Android.
                let is_list = matches!(name, b"array" | b"dict") && cursor.phase == Phase::Gap;
                let is_named = || {
                    let is_list = matches!(name, b"string-array" | b"array" | b"string");
                    start.attributes().with_checks(false).flatten().any(|attribute| {
                        let value = attribute.value.as_bytes();
                        is_list
                            && attribute.key.as_ref().as_bytes() == b"name"
                            && value.len() < LONGEST_NAME
                            && holds_solutions(value)
                    })
                };
                cursor.nesting.enter(holds_solutions(name) || is_list || is_named());
                if cursor.nesting.depth == 1 {
                    cursor.nesting.set_key(name);
                }
            }
            cursor.phase = Phase::Records;
            Ok(in_attributes(&start, &near[..length]).map_or(Next::Skip(length), Next::Record))
        }
        Ok(Event::DocType(_)) if cells::may_hold_puzzle(&near[..length]) => {
            // Entities are not put in their places.
            Ok(Next::Record(Record { end: length, puzzle: Part::Declared, claim: None }))
        }
        Ok(Event::Empty(start)) => {
            Ok(in_attributes(&start, &near[..length]).map_or(Next::Skip(length), Next::Record))
        }
        Ok(Event::End(end)) => {
            let name = end.local_name();
            let name = name.as_ref().as_bytes();
            if cursor.nesting.is_outermost(name) {
                // The end of the document, whatever was not closed in it.
                cursor.phase = Phase::Closed;
            }
            let lost = if names_puzzle(name) && !cursor.nesting.is_element_of_records() {
                sibling(text, 0, is_last)?.filter(|(_, name, solution)| {
                    holds_solutions(name)
                        && matches!(look_at_string(&text[solution.clone()], true, false), Kind::Grid(_))
                })
            } else {
                None
            };
            if !is_void(name) {
                cursor.nesting.leave();
            }
            if let Some((_, _, solution)) = lost {
                // Within the element of the solution.
                cursor.nesting.enter(true);
                return Ok(Next::Record(Record { end: solution.end, puzzle: Part::Lost, claim: None }));
            }
            Ok(Next::Skip(length))
        }
        Ok(_) => Ok(Next::Skip(length)),
        Err(_) if near.len() == text.len() && !is_last => Err(More),
        Err(_) if is_markup => Ok(Next::Skip(1)),
        Err(_) => {
            let end = near.trim_ascii_end().len();
            let has_cells = near.split(|&byte| !cells::is_cell(byte)).any(|run| run.len() >= ENOUGH);
            let broken = Record { end, puzzle: Part::Broken, claim: None };
            Ok(if has_cells { Next::Record(broken) } else { Next::Skip(end.max(1)) })
        }
    }
}

/// Whether an element may be one of HTML that has no end.
fn is_void(name: &[u8]) -> bool {
    VOID.iter().any(|void| name.eq_ignore_ascii_case(void.as_bytes()))
}

/// The record that a tag is by its attributes.
fn in_attributes(start: &BytesStart<'_>, tag: &[u8]) -> Option<Record> {
    let (mut puzzle, mut claim, mut cut) = (None, None, None);
    for attribute in start.attributes().with_checks(false).flatten() {
        let value = attribute.value.as_bytes();
        let Some(at) = memmem::find(tag, value).filter(|_| !value.is_empty()) else { continue };
        let range = at..at + value.len();
        let is_solution = holds_solutions(attribute.key.local_name().as_ref().as_bytes());
        match look_at_string(value, true, false) {
            Kind::Grid(_) | Kind::Wrong if is_solution => claim = Some(range),
            Kind::Grid(grid) if grid.clues() as usize == CELLS && puzzle.is_some() => {
                claim.get_or_insert(range);
            }
            Kind::Grid(_) | Kind::Wrong => {
                puzzle.get_or_insert(range);
            }
            _ if value.starts_with(VERSION) && !is_solution => puzzle = Some(range),
            // A puzzle that lost cells.
            Kind::Cells if has_long_run(value) && !is_solution => cut = Some(range),
            _ => {}
        }
    }
    Some(Record { end: tag.len(), puzzle: Part::Text(puzzle.or(cut)?), claim })
}

/// Bytes of the text at the start, without the blanks behind it.
fn text_length(text: &[u8]) -> usize {
    let end = memchr(b'<', text).unwrap_or(text.len());
    let end = memmem::find(&text[..end], b"]]>").unwrap_or(end);
    text[..end].trim_ascii_end().len().max(1)
}

/// The record that a text is, alone or with what stands in the elements behind it.
fn text_record(text: &[u8], is_last: bool) -> Result<Option<Record>, More> {
    if memchr(b'<', text).is_none() && !is_last {
        return Err(More);
    }
    let end = text_length(text);
    match look_at_string(&text[..end], true, false) {
        Kind::Grid(_) | Kind::Wrong => {
            let claim = match sibling(text, end, is_last)? {
                Some((_, name, range)) if holds_solutions(name) => Some(range),
                // `<key>solution</key>` of property lists.
                Some((_, _, name)) => named_solution(text, &name, is_last)?,
                None => None,
            };
            let claim = claim.filter(|range| !range.is_empty());
            let end = claim.as_ref().map_or(end, |claim| claim.end);
            Ok(Some(Record { end, puzzle: Part::Text(0..text_length(text)), claim }))
        }
        Kind::Cells if has_long_run(&text[..end]) => Ok(Some(Record::of_text(end))),
        Kind::Cells | Kind::Text if is_part_of_rows(&text[..end]) => {
            let mut rows = Vec::from([Range { start: 0, end }]);
            while rows.len() <= *NEARLY_SIDE.end()
                && let Some(last) = rows.last()
                && let Some(row) = next_row(text, last.end, is_last)?
            {
                rows.push(row);
            }
            let is_row_of_sudoku = |row: &Range<usize>| {
                cells::is_row_of_sudoku(text[row.clone()].iter().map(|&byte| cells::digit(byte)))
            };
            let is_row = |row: &Range<usize>| NEARLY_SIDE.contains(&row.len());
            let is_grid = NEARLY_SIDE.contains(&rows.len())
                && rows.iter().filter(|row| is_row(row)).count() + 2 >= rows.len()
                || (ENOUGH_ROWS..=SIDE).contains(&rows.len()) && rows.iter().all(is_row_of_sudoku);
            let end = rows.last().map_or(end, |last| last.end);
            Ok(is_grid.then_some(Record { end, puzzle: Part::Rows(rows), claim: None }))
        }
        Kind::Cells | Kind::Text if end <= LONGEST_LOST => Ok(match sibling(text, end, is_last)? {
            Some((own, name, solution)) if holds_solutions(name) && may_be_puzzle(own, &text[..end]) => {
                let is_grid = matches!(look_at_string(&text[solution.clone()], true, false), Kind::Grid(_));
                let end = solution.end;
                is_grid.then(|| Record {
                    end,
                    puzzle: Part::Text(0..text_length(text)),
                    claim: Some(solution),
                })
            }
            _ => None,
        }),
        _ => Ok(None),
    }
}

/// Whether a text before a solution may be its puzzle in a form that is not read, by the name of its element or its
/// digits.
fn may_be_puzzle(name: &[u8], text: &[u8]) -> bool {
    const FEWEST: usize = 17;
    let digits = text.iter().filter(|byte| matches!(byte, b'1'..=b'9')).count();
    names_puzzle(name) || digits >= FEWEST && String::from_utf8_lossy(text).chars().count() >= CELLS
}

/// The text of the next element of the same name as the one whose text ends at `at`, if it is a row, too. Remarks, lost
/// lines and short elements of other names between them are passed.
fn next_row(text: &[u8], at: usize, is_last: bool) -> Result<Option<Range<usize>>, More> {
    /// Bytes between two rows at most, and elements and remarks there.
    const FARTHEST: usize = 1 << 10;
    const MOST: usize = 8;
    let near = &text[..text.len().min(at + FARTHEST)];
    let more = || if is_last || near.len() < text.len() { Ok(None) } else { Err(More) };
    let find = |what: &[u8], at: usize| memmem::find(near.get(at..)?, what).map(|found| at + found);
    let Some(own_end) = find(b"</", at) else { return more() };
    if !near[at..own_end].trim_ascii().is_empty() {
        return Ok(None);
    }
    let name = name_at(near, own_end + 2);
    // Its bracket may be lost.
    let Some(mut next) = find(b"<", own_end + 1) else { return more() };
    for _ in 0..=MOST {
        let rest = &near[next..];
        if rest.len() < 4 {
            return more();
        }
        if rest.starts_with(b"<!--") {
            let Some(behind) = find(b"-->", next).and_then(|end| find(b"<", end)) else { return more() };
            next = behind;
            continue;
        }
        if !rest[1].is_ascii_alphabetic() {
            return Ok(None);
        }
        let Some(end) = find(b">", next) else { return more() };
        let is_empty = near[end - 1] == b'/';
        let behind = match find(b"<", end) {
            Some(behind) => behind,
            // What ends a record may end a batch, too.
            None if is_last && near.len() == text.len() => text.len(),
            None => return more(),
        };
        if name_at(near, next + 1) == name {
            let content = &near[end + 1..behind];
            let start = behind - content.trim_ascii_start().len();
            let row = start..start + content.trim_ascii().len();
            return Ok((!is_empty && is_part_of_rows(&near[row.clone()])).then_some(row));
        }
        if !is_empty && near.len() < behind + 2 {
            return more();
        }
        // Another element, perhaps with a text.
        let is_open = !is_empty && near[behind..].starts_with(b"</");
        next = match find(b"<", behind + usize::from(is_open)) {
            Some(_) if !is_empty && !is_open => return Ok(None),
            Some(next) => next,
            None => return more(),
        };
    }
    Ok(None)
}

/// Names of elements that are columns or boxes.
const COLUMNS: [&str; 4] = ["column", "col", "columns", "cols"];
const BOXES: [&str; 4] = ["box", "block", "region", "nonet"];

/// The place in a list of boxes of a cell of the grid.
const fn in_boxes(cell: usize) -> usize {
    let (row, column) = (cell / SIDE, cell % SIDE);
    (row / 3 * 3 + column / 3) * SIDE + row % 3 * 3 + column % 3
}

/// Whether a text is some cells, perhaps a row of blanks.
fn is_part_of_rows(text: &[u8]) -> bool {
    look_at_string(text, true, false) == Kind::Cells || text.len() == SIDE && cells::are_all(text)
}

/// The text that stands in the element behind one whose own text says that it is a solution.
fn named_solution(text: &[u8], name: &Range<usize>, is_last: bool) -> Result<Option<Range<usize>>, More> {
    if name.len() > LONGEST_NAME || !holds_solutions(&text[name.clone()]) {
        return Ok(None);
    }
    let solution = sibling(text, name.end, is_last)?.map(|(_, _, range)| range);
    let is_grid = |range: &Range<usize>| {
        matches!(look_at_string(&text[range.clone()], true, false), Kind::Grid(_) | Kind::Wrong)
    };
    Ok(solution.filter(is_grid))
}

type Sibling<'a> = (&'a [u8], &'a [u8], Range<usize>);

/// The text of the element behind the one whose text ends at `at`: the names of both, and where the text stands.
fn sibling(text: &[u8], at: usize, is_last: bool) -> Result<Option<Sibling<'_>>, More> {
    let more = || if is_last { Ok(None) } else { Err(More) };
    let space = |at: usize| at + text[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let at = space(at);
    let Some(open) = text.get(at..at + 2) else { return more() };
    if open != b"</" {
        return Ok(None);
    }
    let Some(end) = memchr(b'>', &text[at..]) else { return more() };
    let before = name_at(text, at + 2);
    let start = space(at + end + 1);
    let Some(tag) = text.get(start..start + 2) else { return more() };
    if tag[0] != b'<' || matches!(tag[1], b'/' | b'!' | b'?') {
        return Ok(None);
    }
    let Some(end) = memchr(b'>', &text[start..]).map(|end| start + end) else { return more() };
    if text[end - 1] == b'/' {
        return Ok(None);
    }
    let inside = space(end + 1);
    // What ends a record may end a batch, too.
    let behind = match memchr(b'<', &text[inside..]) {
        Some(behind) => behind,
        None if is_last => text.len() - inside,
        None => return Err(More),
    };
    let range = inside..inside + text[inside..inside + behind].trim_ascii_end().len();
    Ok(Some((before, name_at(text, start + 1), range)))
}

/// The name of an element that begins at `at`.
fn name_at(text: &[u8], at: usize) -> &[u8] {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/' | b'<');
    let name = text.get(at..).unwrap_or_default();
    &name[..name.iter().position(ends).unwrap_or(name.len())]
}

/// How OpenSudoku begins what it keeps of a game.
const VERSION: &[u8] = b"version: ";

/// The cells of a text, also as OpenSudoku keeps them: digit, notes, and 1 where the digit may be changed, each with a bar
/// behind it.
fn cells_of(text: &[u8], range: &Range<usize>, cells: &mut Cells) {
    let content = &text[range.clone()];
    let Some(game) = content.strip_prefix(VERSION) else {
        string_cells(content, range.start, cells);
        return;
    };
    let digits = game.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let line_ends: [&[u8]; 6] = [b"&#10;", b"&#xA;", b"&#xa;", b"\\n", b"\n", b" "];
    let body =
        line_ends.into_iter().find_map(|end| game[digits..].strip_prefix(end)).unwrap_or(&game[digits..]);
    let start = range.end - body.len();
    let mut at = start;
    let fields: Vec<(usize, &[u8])> = body
        .split(|&byte| byte == b'|')
        .map(|field| {
            at += field.len() + 1;
            (at - field.len() - 1, field)
        })
        .collect();
    let width = fields.len() / CELLS;
    let is_whole = fields.len() == width * CELLS + 1 && (3..=4).contains(&width);
    if !is_whole {
        cells.push_bad(start, Fault::new(FaultKind::CellCount, None).number(fields.len() / 3));
        return;
    }
    let is_given = |cell: &[(usize, &[u8])]| cell[width - 1].1 == b"0";
    let any_given = fields.chunks_exact(width).any(|cell| is_given(cell) && cell[0].1 != b"0");
    for cell in fields.chunks_exact(width) {
        match cell[0] {
            (at, [digit @ b'0'..=b'9']) => {
                cells.push(if is_given(cell) || !any_given { digit - b'0' } else { 0 }, at);
            }
            (at, field) => {
                let shown = String::from_utf8_lossy(field).into_owned();
                cells.push_bad(at, Fault::new(FaultKind::CellNumber, None).text(shown));
            }
        }
    }
}

impl Record {
    /// All of a text.
    fn of_text(end: usize) -> Self {
        Self { end, puzzle: Part::Text(0..end), claim: None }
    }

    fn cells(&self, text: &[u8]) -> Cells {
        let mut cells = Cells::none();
        match &self.puzzle {
            Part::Text(range) => cells_of(text, range, &mut cells),
            Part::Rows(rows) => {
                rows.iter().for_each(|row| cells_of(text, row, &mut cells));
                let name = name_at(text, rows[0].end + 2);
                if COLUMNS.iter().any(|column| name.eq_ignore_ascii_case(column.as_bytes())) {
                    cells.reorder(in_columns);
                } else if BOXES.iter().any(|in_box| name.eq_ignore_ascii_case(in_box.as_bytes())) {
                    cells.reorder(in_boxes);
                }
            }
            Part::Cells(group) => return group.read(text),
            Part::Broken | Part::Declared | Part::Lost => {}
        }
        cells
    }

    fn puzzle(&self, text: &[u8]) -> Result<Grid, (usize, Fault)> {
        let cells = self.cells(text);
        match &self.puzzle {
            Part::Broken => Err((0, Fault::new(FaultKind::OpenBracket, None).text("tag").text(">"))),
            Part::Declared => Err((0, Fault::new(FaultKind::DeclaredPuzzle, None))),
            Part::Lost => Err((0, Fault::new(FaultKind::LostPuzzle, None))),
            Part::Text(range) => cells.read(range.end, &PUZZLE),
            Part::Cells(group) => cells.read(group.end - 1, &PUZZLE),
            Part::Rows(rows) => match rows.iter().find(|row| cells_in(text, row) != SIDE) {
                _ if rows.len() > SIDE => {
                    Err((self.end, Fault::new(FaultKind::RowCount, None).number(rows.len())))
                }
                Some(row) => {
                    let fault = Fault::new(FaultKind::RowCellCount, None).number(cells_in(text, row));
                    Err((row.end, fault))
                }
                None if rows.len() < SIDE => {
                    Err((self.end, Fault::new(FaultKind::CutOffGrid, None).number(rows.len())))
                }
                None => cells.read(self.end, &PUZZLE),
            },
        }
    }

    fn claim(&self, text: &[u8]) -> Option<Result<Grid, (usize, Fault)>> {
        let range = self.claim.as_ref()?;
        let mut cells = Cells::none();
        cells_of(text, range, &mut cells);
        Some(cells.read(range.end, &CLAIM))
    }
}

fn cells_in(text: &[u8], range: &Range<usize>) -> usize {
    let mut cells = Cells::none();
    cells_of(text, range, &mut cells);
    cells.count
}

/// The record that is all of a text which was found to be one.
fn again(text: &[u8]) -> Option<Record> {
    let mut cursor = Cursor::START;
    match next(&mut cursor, text, TextEnd::Last) {
        Ok(Next::Record(record)) => Some(record),
        _ => None,
    }
}

impl Format for Elements {
    fn step(&self, cursor: &mut Cursor, rest: &[u8], end: TextEnd) -> Step {
        match next(cursor, rest, end) {
            Err(More) => Step::Incomplete,
            Ok(Next::Skip(length)) => Step::Skip { length, lines: cursor.pass(&rest[..length]) },
            Ok(Next::Record(record)) => {
                let is_rest = end == TextEnd::Last && rest[record.end..].trim_ascii().is_empty();
                if is_rest && record.puzzle(rest).is_err() {
                    // It is what was cut off.
                    cursor.nesting = Nesting::OUTSIDE;
                }
                Step::Record { length: record.end, lines: cursor.pass(&rest[..record.end]) }
            }
        }
    }

    fn read(&self, mut cursor: Cursor, bytes: &[u8], mut line: u64, want: Want, out: &mut Records) {
        let mut start = 0;
        while let Ok(next) = next(&mut cursor, &bytes[start..], TextEnd::Last) {
            let length = match next {
                Next::Skip(length) => length,
                Next::Record(record) => {
                    let text = &bytes[start..start + record.end];
                    let place = |at| place_within(line, cursor.column, text, at);
                    let puzzle = record.puzzle(text);
                    if want.claims {
                        let claim = record.claim(text).filter(|_| puzzle.is_ok());
                        out.claims.push(claim.map(|claim| claim.map_err(|(at, fault)| fault.at(place(at)))));
                    }
                    let span = Span { start, length: record.end };
                    let puzzle = puzzle.map_err(|(at, fault)| fault.at(place(at)));
                    out.push_puzzle(line, span, Layout::Line, puzzle);
                    record.end
                }
            };
            line += cursor.pass(&bytes[start..start + length]);
            start += length;
        }
    }

    fn place_of(&self, line: u64, text: &[u8], cell: usize) -> Place {
        let cells = again(text).map(|record| record.cells(text));
        place_in(line, text, cells.map_or(0, |cells| cells.places[cell]))
    }

    fn claim_text(&self, text: &[u8]) -> Option<Vec<u8>> {
        again(text)?.claim.map(|claim| text[claim].to_vec())
    }

    fn claim_place(&self, line: u64, text: &[u8], cell: usize) -> Place {
        let mut cells = Cells::none();
        if let Some(range) = again(text).and_then(|record| record.claim) {
            cells_of(text, &range, &mut cells);
        }
        place_in(line, text, cells.places[cell])
    }

    fn begins_lines(&self) -> bool {
        false
    }

    fn columns(&self) -> Columns {
        Columns { names: self.columns.clone(), ..Columns::default() }
    }

    fn has_claims(&self) -> bool {
        self.has_claims
    }

    fn carry(&self, records: &Records, bytes: &[u8], wanted: &[Option<usize>], out: &mut [Texts]) {
        for span in records.spans() {
            let attributes = attributes_beside(span.of(bytes));
            for (texts, column) in out.iter_mut().zip(wanted) {
                let name = column.and_then(|column| self.columns.get(column));
                let found = name.and_then(|name| attributes.iter().find(|(found, _)| found == name));
                texts.push(found.map(|(_, value)| value.as_bytes()));
            }
        }
    }

    fn beside(&self, records: &Records, bytes: &[u8], line: u64, _before: u64, tell: Tell<'_>) {
        for (span, &line) in records.spans().iter().zip(records.lines()) {
            let attributes = attributes_beside(span.of(bytes));
            if let Some((name, _)) = attributes.iter().find(|(name, _)| !self.columns.contains(name)) {
                tell(LATE, line, name.as_bytes());
            }
        }
        for (_, first, gap) in gaps(records, bytes, line) {
            let (mut at, mut lines) = (0, LineNumbers::new(gap, first));
            for piece in gap.split(|&byte| byte == b'<') {
                let end = if at == 0 { 0 } else { memchr(b'>', piece).map_or(piece.len(), |end| end + 1) };
                let (tag, text) = piece.split_at(end);
                let name_end = name_at(tag, 0).len();
                if tag.first().is_some_and(u8::is_ascii_alphabetic) && memchr(b'=', tag).is_some() {
                    let attributes = tag[name_end..].trim_ascii();
                    let attributes = attributes.strip_suffix(b">").unwrap_or(attributes);
                    let attributes = attributes.strip_suffix(b"/").unwrap_or(attributes).trim_ascii();
                    if !attributes.starts_with(b"xmlns") && !attributes.starts_with(b"version") {
                        tell(ATTRIBUTE, lines.of(at + name_end), attributes);
                    }
                }
                let blanks = text.len() - text.trim_ascii_start().len();
                let text = text.trim_ascii();
                // What is as long as a grid is a solution or a record that was passed.
                if has_words(text) && text.len() < CELLS && !holds_solutions(text) {
                    tell(ANOTHER, lines.of(at + end + blanks), text);
                }
                at += piece.len() + 1;
            }
        }
    }

    fn bad_end(&self, cursor: &Cursor) -> Option<Fault> {
        cut_off(cursor, "elements").filter(|_| cursor.phase != Phase::Closed)
    }

    fn may_be_empty(&self, _: &Cursor) -> bool {
        false
    }
}

/// Whether what an input begins with can be XML, if perhaps below a few lines of another kind.
pub(super) fn is_document(sample: &Sample<'_>) -> bool {
    const LINES_ABOVE: usize = 3;
    let is_start = |line: &[u8]| matches!(line, [b'<', byte, ..] if byte.is_ascii_alphabetic() || matches!(byte, b'?' | b'!'));
    let lines = sample.bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut first = lines.filter(|line| !line.is_empty()).take(LINES_ABOVE + 1);
    first.find(|line| is_start(line) || cells::holds_row(line)).is_some_and(is_start)
}

/// The attributes of a record besides its puzzle and its claim.
fn attributes_beside(text: &[u8]) -> Vec<(String, String)> {
    let Some(Record { puzzle: Part::Text(puzzle), claim, .. }) =
        again(text).filter(|_| text.starts_with(b"<"))
    else {
        return Vec::new();
    };
    let mut reader = Reader::from_reader(text);
    let Ok(Event::Start(start) | Event::Empty(start)) = reader.read_event() else { return Vec::new() };
    let taken = [Some(&text[puzzle]), claim.map(|claim| &text[claim])];
    let mut attributes = start.attributes();
    let beside = attributes.with_checks(false).flatten().filter_map(|attribute| {
        let value: &str = &attribute.value;
        let is_beside = !taken.contains(&Some(value.as_bytes()));
        let text = || quick_xml::escape::unescape(value).map_or_else(|_| value.to_owned(), Cow::into_owned);
        is_beside.then(|| (attribute.key.as_ref().to_owned(), text()))
    });
    beside.collect()
}

/// Attributes that are carried, at most.
const MOST_COLUMNS: usize = 64;

impl Elements {
    /// What the first records of a sample have.
    fn of(sample: &Sample<'_>) -> Self {
        let (mut cursor, mut at) = (Cursor::START, 0);
        let mut first = Self { columns: Vec::new(), has_claims: false };
        for _ in 0..RECORDS_LOOKED_AT {
            let record = loop {
                match next(&mut cursor, &sample.bytes[at..], TextEnd::Last) {
                    Ok(Next::Skip(length)) => at += length,
                    Ok(Next::Record(record)) => break record,
                    Err(More) => return first,
                }
            };
            first.has_claims |= record.claim.is_some();
            for (name, _) in attributes_beside(&sample.bytes[at..at + record.end]) {
                if first.columns.len() < MOST_COLUMNS && !first.columns.contains(&name) {
                    first.columns.push(name);
                }
            }
            at += record.end;
        }
        first
    }
}

/// Twice the cells of the puzzles that can be read, since to others the lines may look like rows; and whether all can.
fn evidence(sample: &Sample<'_>) -> (u64, bool) {
    let (mut cursor, mut at, mut seen, mut records, mut good) = (Cursor::START, 0, 0, 0, 0);
    while records < RECORDS_LOOKED_AT as u64
        && let Ok(next) = next(&mut cursor, &sample.bytes[at..], TextEnd::Last)
    {
        at += match next {
            Next::Skip(length) => length,
            Next::Record(record) => {
                let puzzle = record.puzzle(&sample.bytes[at..at + record.end]);
                let is_good = matches!(puzzle, Ok(grid) if (grid.clues() as usize) < CELLS);
                // Of what has only a solution lines would take that.
                let is_lost = puzzle.is_err() && (record.claim.is_some() || record.puzzle == Part::Lost);
                seen += if is_good || is_lost { 2 * CELLS as u64 } else { 1 };
                good += u64::from(is_good);
                records += 1;
                record.end
            }
        };
    }
    (seen, records > 0 && good == records)
}

#[cfg(test)]
mod tests {
    use crate::input::ReadOptions;
    use crate::input::testing::{PUZZLE as CLUES, Reading, dotted, drain, open, rows};

    const SOLUTION: &str =
        "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

    /// Reads a document whole and in batches of several sizes; all must give the same.
    fn read(text: &str) -> Reading {
        let options = ReadOptions { claims: true, ..ReadOptions::default() };
        let whole = drain(open(text.as_bytes(), &options).expect(text), 1 << 20);
        for target in [1, 7, 100, 1000] {
            let parts = drain(open(text.as_bytes(), &options).expect("it opened before"), target);
            assert_eq!(parts.records, whole.records, "in batches of {target} bytes");
        }
        whole
    }

    /// A game as OpenSudoku keeps it: the givens of the example, and all other cells filled in.
    fn game(version: &str, notes: &str, line_end: &str) -> String {
        let cell = |(given, digit): (char, char)| match given {
            '0' => format!("{digit}|{notes}1|"),
            _ => format!("{given}|{notes}0|"),
        };
        format!(
            "version: {version}{line_end}{}",
            CLUES.chars().zip(SOLUTION.chars()).map(cell).collect::<String>()
        )
    }

    #[test]
    fn a_property_list_names_its_texts_before_them() {
        let text = format!(
            "<plist><array><dict><key>puzzle</key><string>{CLUES}</string>\n<key>solution</key><string>{SOLUTION}\
             </string></dict>\n<dict><key>solution</key><string>{SOLUTION}</string><key>puzzle</key><string>{CLUES}\
             </string></dict></array></plist>\n"
        );
        let reading = read(&text);
        assert_eq!(
            (reading.show(), reading.claims()),
            (vec![dotted(); 2], vec![SOLUTION.to_owned(), "missing".to_owned()])
        );
    }

    #[test]
    fn puzzles_in_attributes_and_texts() {
        let rows: String = rows().lines().map(|row| format!("<row>{row}</row>\n")).collect();
        for puzzle in [
            format!("<game data=\"{CLUES}\" />"),
            format!("<game created='1' data='{}' time=\"0\"></game>", dotted()),
            format!("<game state=\"1\" data=\"{}\"/>", game("1", "1,2,|", "&#10;")),
            format!("<game data=\"{}\"/>", game("2", "0||", "\n")),
            format!("<game data=\"{}\"/>", game("4", "0|12|", "&#xA;")),
            format!("<puzzle id=\"5\">{CLUES}</puzzle>"),
            format!("<puzzle>\n{}</puzzle>", super::super::testing::rows()),
            format!("<puzzle><![CDATA[{CLUES}]]></puzzle>"),
            format!("<grid>\n{rows}</grid>"),
        ] {
            let text = format!(
                "<?xml version=\"1.0\"?>\r\n<!-- <game data=\"1\"> -->\n<opensudoku version=\"2\">\n<name>a 12</name>\n\
                 <folder name=\"x\">{puzzle}\n{puzzle}</folder></opensudoku>\n"
            );
            assert_eq!(read(&text).show(), vec![dotted(); 2], "{text}");
        }
    }

    /// The example with an element for each cell that `cell` writes.
    fn with_cells(cell: impl Fn(usize, char) -> String) -> [String; 2] {
        let cells: Vec<_> = CLUES.chars().enumerate().map(|(at, digit)| cell(at, digit)).collect();
        let rows = cells.chunks(9).map(|row| format!("<row>\n{}</row>\n", row.concat()));
        [cells.concat(), rows.collect()]
    }

    #[test]
    fn puzzles_with_an_element_for_each_cell() {
        let text = |digit: char| if digit == '0' { String::new() } else { digit.to_string() };
        let place = |at: usize, first: usize| format!("row=\"{}\" col='{}'", at / 9 + first, at % 9 + first);
        let given = |at: usize, first: usize, digit: char| match digit {
            '0' => String::new(),
            _ => format!("<cell {} value=\"{digit}\" />\n", place(at, first)),
        };
        let shapes = [
            with_cells(|_, digit| format!("<cell>{digit}</cell>")),
            with_cells(|_, digit| format!("<c> {} </c>\n", text(digit))),
            with_cells(|_, digit| if digit == '0' { "<v/>".to_owned() } else { format!("<v>{digit}</v>") }),
            with_cells(|at, digit| format!("<cell {}>{}</cell>", place(at, 0), text(digit))),
            with_cells(|at, digit| format!("<field {} value=\"{digit}\"></field>", place(at, 1))),
        ];
        let sparse = [0, 1].map(|first| with_cells(|at, digit| given(at, first, digit))[0].clone());
        for cells in shapes.into_iter().flatten().chain(sparse) {
            let text = format!("<a><meta/><s>\n{cells}</s><s>{cells}</s><solution>{cells}</solution></a>");
            assert_eq!(read(&text).show(), vec![dotted(); 2], "{text}");
        }
        let cell = |digit: &str| format!("<cell>{digit}</cell>");
        let cells = CLUES.chars().map(|digit| cell(&digit.to_string())).collect::<String>();
        let good = format!("<s>{cells}</s>\n");
        for (cells, fault) in [
            (cells.replacen(&cell("0"), "", 1), "2:1043: 80 cells (expected 81)"),
            (cells.replacen(&cell("3"), &cell("12"), 1), "2:36: number '12' (expected a digit 1-9, 0 or .)"),
            (
                sparse_with("row=\"1\" col='3'", "row=\"1\" col='1'"),
                "3:1: cell in row 1, column 1 (expected each cell once, counted from 0 to 8 or from 1 to 9)",
            ),
        ] {
            let shown = read(&format!("<a>{good}<s>{cells}</s>\n{good}</a>")).show();
            assert_eq!((shown.len(), &shown[0], &shown[2]), (3, &dotted(), &dotted()), "{cells}");
            assert_eq!(
                shown[1].split_once(": ").map(|parts| parts.1),
                fault.split_once(": ").map(|parts| parts.1)
            );
        }
        // Longer lists have no puzzle at their end, nor have boxes.
        for cells in [cells.repeat(2), format!("{}{cells}", cell("1").repeat(50_000))] {
            assert_eq!(read(&format!("<a>{good}<s>{cells}</s></a>")).show(), [dotted()]);
        }
        let boxes = with_cells(|_, digit| cell(&digit.to_string()))[1].replace("row", "box");
        assert_eq!(read(&format!("<a>{good}<s>{boxes}</s></a>")).show(), [dotted()]);
    }

    /// The clues with their places, from 1, one of them changed.
    fn sparse_with(from: &str, to: &str) -> String {
        let given = |(at, digit): (usize, char)| match digit {
            '0' => String::new(),
            _ => format!("<cell row=\"{}\" col='{}' value=\"{digit}\" />\n", at / 9 + 1, at % 9 + 1),
        };
        let cells: String = CLUES.chars().enumerate().map(given).collect();
        assert!(cells.contains(from));
        cells.replace(from, to)
    }

    #[test]
    fn the_claim_stands_beside_its_puzzle() {
        for text in [
            format!("<a><p>{CLUES}</p>\n<solution>{SOLUTION}</solution></a>"),
            format!("<a><game solution=\"{SOLUTION}\" data=\"{CLUES}\"/></a>"),
        ] {
            let reading = read(&text);
            assert_eq!(
                (reading.show(), reading.claims()),
                (vec![dotted()], vec![SOLUTION.to_owned()]),
                "{text}"
            );
        }
        let apart = format!("<a><p>{CLUES}</p><n>3</n><solution>{SOLUTION}</solution></a>");
        assert_eq!(read(&apart).claims(), ["missing"]);
    }

    #[test]
    fn what_stands_outside_of_the_document_is_no_puzzle_that_nobody_sees() {
        let good = format!("<a><game data=\"{CLUES}\"/></a>\n");
        for lost in [format!("id,puzzle\n1,{CLUES}\n2,{CLUES}\n"), format!("{{\"puzzle\": \"{CLUES}\"}}\n")] {
            let shown = read(&format!("{good}{lost}{good}")).show();
            assert!(shown.len() == 3 && shown[1].starts_with("2:"), "{lost}: {shown:?}");
            assert_eq!([&shown[0], &shown[2]], [&dotted(), &dotted()]);
        }
        let text = format!("{good}The puzzles of 2021, in 12 weeks of 7 days; see 123456789.\n{good}");
        assert_eq!(read(&text).show(), vec![dotted(); 2]);
        assert_eq!(read(&format!("a remark\n\n12\n{good}{good}")).show(), vec![dotted(); 2]);
    }

    #[test]
    fn what_is_broken_costs_its_own_element() {
        let good = format!("<game data=\"{CLUES}\"/>\n");
        for (bad, fault) in [
            (format!("<game data=\"{}\"/>\n", &CLUES[1..]), "3:93: 80 cells (expected 81)"),
            (format!("<game data=\"{CLUES}/>\n"), "3:1: tag that is not closed (expected a closing '>')"),
            (format!("<row>{}</row>", &CLUES[..9]).repeat(8), "3:155: cut-off grid: 8 rows (expected 9)"),
        ] {
            let text = format!("<a>\n{good}{bad}{good}</a>");
            assert_eq!(read(&text).show(), [dotted(), fault.to_owned(), dotted()], "{text}");
        }
        let tag = "3:1: tag that is not closed (expected a closing '>')";
        let open = |place: &str, elements: u32| {
            format!("{place}: the end within {elements} elements that are not closed (truncated file?)")
        };
        for (end, fault) in [
            (format!("<game data=\"{}", &CLUES[..40]), tag.to_owned()),
            (String::new(), open("3:1", 1)),
            ("<br><c><d".to_owned(), open("3:10", 2)),
        ] {
            assert_eq!(read(&format!("<a>\n{good}{end}")).show(), [dotted(), fault]);
        }
    }

    #[test]
    fn what_has_only_a_solution_that_can_be_read_is_a_lost_puzzle() {
        let odd = CLUES.replace('0', "o");
        let entity = format!("<!DOCTYPE a [<!ENTITY p \"{CLUES}\">]>\n");
        for (text, shown) in [
            (
                format!("<a><puzzle>{odd}</puzzle><solution>{SOLUTION}</solution></a>").repeat(3),
                vec!["invalid character 'o' (expected 1-9, 0 or .)".to_owned(); 3],
            ),
            (
                format!("<a><puzzle><r><c>5</c></r></puzzle>\n<solution>{SOLUTION}</solution></a>").repeat(3),
                vec![
                    "a solution, and its puzzle in a form that is not read (expected 81 cells)".to_owned();
                    3
                ],
            ),
            (
                format!("<a><puzzle><p>{CLUES}</p></puzzle>\n<solution>{SOLUTION}</solution></a>"),
                vec![dotted()],
            ),
            (
                format!("{entity}<a><g>&p;</g><g>{CLUES}</g></a>"),
                vec![
                    "a puzzle in a declaration of entities (expected it where it belongs)".to_owned(),
                    dotted(),
                ],
            ),
            (
                format!("<a><p>{CLUES}</p><key>answers</key><array><p>{SOLUTION}</p></array></a>"),
                vec![dotted()],
            ),
            (
                format!(
                    "<a><p>{CLUES}</p><string-array name=\"easy_solutions\"><p>{SOLUTION}</p></string-array></a>"
                ),
                vec![dotted()],
            ),
        ] {
            let found: Vec<String> = read(&text).show();
            let reasons: Vec<&str> = found
                .iter()
                .map(|shown| shown.split_once(": ").map_or(&**shown, |(_, reason)| reason))
                .collect();
            assert_eq!(reasons, shown, "{text}");
        }
    }

    #[test]
    fn rows_of_columns_and_boxes_are_put_in_order() {
        let list = |name: &str, place: fn(usize) -> usize| -> String {
            let mut cells = [' '; 81];
            CLUES.chars().enumerate().for_each(|(cell, digit)| cells[place(cell)] = digit);
            let row = |row: &[char]| format!("<{name}>{}</{name}>", row.iter().collect::<String>());
            format!("<a>{}</a>", cells.chunks(9).map(row).collect::<String>())
        };
        let in_boxes = |cell: usize| cell / 27 * 27 + cell % 9 / 3 * 9 + cell / 9 % 3 * 3 + cell % 3;
        assert_eq!(read(&list("column", |cell| cell % 9 * 9 + cell / 9)).show(), [dotted()]);
        assert_eq!(read(&list("box", in_boxes)).show(), [dotted()]);
    }

    #[test]
    fn a_puzzle_that_lost_cells_is_an_invalid_record() {
        let short = &CLUES[..50];
        for (start, end) in [("<game id=\"7\" data=\"", "\"/>"), ("<string>", "</string>"), ("<string>", "")]
        {
            let text =
                format!("<a>\n<game data=\"{CLUES}\"/>\n{start}{short}{end}\n<game data=\"{CLUES}\"/>\n</a>");
            let shown = read(&text).show();
            assert_eq!((shown.len(), &shown[0], &shown[2]), (3, &dotted(), &dotted()), "{text}");
            assert!(shown[1].ends_with("50 cells (expected 81)"), "{shown:?}");
        }
    }

    #[test]
    fn what_stands_between_rows_costs_no_puzzle() {
        let row = |at: usize| format!("<row>{}</row>\n", &CLUES[9 * at..][..9]);
        let all: String = (0..9).map(row).collect();
        let good = format!("<g>{all}</g>\n");
        for at in 0..9 {
            for stray in ["a remark\n", "<!-- x -->", "<!-- <row> -->\n", "<level>3</level>\n", "<br/>"] {
                let text =
                    format!("<a>{good}<g>{}</g>{good}</a>", all.replacen(&row(at), &(row(at) + stray), 1));
                assert_eq!(read(&text).show(), vec![dotted(); 3], "{stray} behind row {at}");
            }
            // A bracket or a part of the row that is lost costs at most its grid.
            for (from, to) in [("</row>", "</row"), ("</row>", "</ro"), ("</row>", ""), ("<row>", "row>")] {
                let broken = all.replacen(&row(at), &row(at).replace(from, to), 1);
                let shown = read(&format!("<a>{good}<g>{broken}</g>{good}</a>")).show();
                assert_eq!((&shown[0], shown.last()), (&dotted(), Some(&dotted())), "{broken}");
                assert!(shown.len() > 2, "{broken}: {shown:?}");
            }
        }
    }

    #[test]
    fn a_row_may_be_all_blanks() {
        let cells = format!("{}{}", ".".repeat(9), &dotted()[9..]);
        let rows: String = (0..9).map(|row| format!("<row>{}</row>", &cells[9 * row..][..9])).collect();
        assert_eq!(read(&format!("<a><g>{rows}</g></a>")).show(), [cells]);
    }

    #[test]
    fn cages_behind_a_grid_refuse_the_file() {
        let text = format!("<array><string>{SOLUTION}/0-0-1-2-2-3-4-4-5-6-7-8</string></array>");
        let error = open(text.as_bytes(), &ReadOptions::default()).unwrap_err().to_string();
        assert!(error.contains("killer sudokus"), "{error}");
    }
}
