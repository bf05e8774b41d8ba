//! A puzzle whose cells are elements: `<cell>5</cell>`, one behind the other or in rows, or `<cell row="0" col="3"
//! value="5"/>`, of which those of blanks may be missing.
//!
//! The cells have one name, and so have the rows. Where neither rows nor columns are numbered there must be 81 cells, in
//! the order of reading; else each stands where it says, counted from 0 or from 1 as one with a 0 or a 9 shows.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::More;
use crate::input::cells;
use crate::input::json::value::{Cells, NEARLY, NEARLY_SIDE};
use crate::record::{Fault, FaultKind};
use crate::sudoku::{CELLS, SIDE};

/// Fewest cells with numbers of rows and columns that are a puzzle.
const FEWEST: usize = 17;

/// Longest tag of a cell.
const LONGEST_TAG: usize = 200;

/// Names of the attributes that say what stands in a cell, in which row and in which column.
const VALUES: [&str; 5] = ["value", "val", "v", "digit", "number"];
const ROWS: [&str; 4] = ["row", "r", "y", "line"];
const COLUMNS: [&str; 4] = ["col", "column", "c", "x"];

/// What is in the names of elements that are no rows.
const NO_ROWS: [&str; 6] = ["box", "block", "col", "region", "square", "nonet"];

/// An element that is a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cell {
    /// Its digit, 0 for a blank; `None` for what is none.
    digit: Option<u8>,
    /// Where that stands.
    at: usize,
    /// The numbers of its row and its column.
    place: Option<(u8, u8)>,
}

/// Cells that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    cells: Vec<Cell>,
    /// Behind the last of them.
    pub end: usize,
    /// Whether they are in rows.
    pub in_rows: bool,
}

/// The cells with which a text begins; `None` if it begins with something else.
pub(super) fn group(text: &[u8], is_last: bool) -> Result<Option<Group>, More> {
    let mut reader = Reader::from_reader(text);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    let mut group = Group { cells: Vec::new(), end: 0, in_rows: false };
    let (mut name, mut row_name) = (Vec::new(), Vec::new());
    // The cell that is open, and whether a row was closed and the next one not opened yet.
    let (mut open, mut is_between): (Option<Cell>, bool) = (None, false);
    // Cells of this row.
    let mut in_row = 0;
    loop {
        let before = usize::try_from(reader.buffer_position()).unwrap_or(text.len()).min(text.len());
        let event = reader.read_event();
        let after = usize::try_from(reader.buffer_position()).unwrap_or(text.len()).min(text.len());
        match &event {
            Ok(Event::Eof) | Err(_) if !is_last => return Err(More),
            Ok(Event::Start(start)) if is_between && start.name().as_ref().as_bytes() == row_name => {
                (is_between, in_row, group.in_rows) = (false, 0, true);
            }
            Ok(Event::Start(start) | Event::Empty(start)) if open.is_none() && !is_between => {
                let tag = start.name();
                if after - before > LONGEST_TAG || !name.is_empty() && name != tag.as_ref().as_bytes() {
                    break;
                }
                name = tag.as_ref().as_bytes().to_vec();
                let cell = of_attributes(start, &text[before..after], before);
                if matches!(event, Ok(Event::Start(_))) {
                    open = Some(cell);
                    continue;
                }
                group.cells.push(cell);
                (in_row, group.end) = (in_row + 1, after);
            }
            Ok(Event::Text(_)) => {
                let content = text[before..after].trim_ascii();
                match (&mut open, content) {
                    (_, []) => {}
                    (Some(cell), [byte]) if cells::is_cell(*byte) => {
                        let indent = text[before..after].len() - text[before..after].trim_ascii_start().len();
                        (cell.digit, cell.at) = (Some(cells::digit(*byte)), before + indent);
                    }
                    (Some(cell), _) if !group.cells.is_empty() && content.len() < LONGEST_TAG => {
                        (cell.digit, cell.at) = (None, before);
                    }
                    _ => break,
                }
            }
            Ok(Event::Comment(_)) => {}
            Ok(Event::End(end)) => match open.take() {
                Some(cell) => {
                    group.cells.push(cell);
                    (in_row, group.end) = (in_row + 1, after);
                }
                // The end of a row: those of less or more cells than a grid has are none.
                None if !is_between && NEARLY_SIDE.contains(&in_row) => {
                    row_name = end.name().as_ref().as_bytes().to_vec();
                    let text = String::from_utf8_lossy(&row_name).to_ascii_lowercase();
                    // Nobody knows in which order these are.
                    if !group.has_places() && NO_ROWS.iter().any(|name| text.contains(name)) {
                        break;
                    }
                    is_between = true;
                }
                None => break,
            },
            _ => break,
        }
        if group.cells.len() > *NEARLY.end() {
            break;
        }
    }
    Ok((!group.cells.is_empty()).then_some(group))
}

/// A cell by its attributes.
fn of_attributes(start: &BytesStart<'_>, tag: &[u8], before: usize) -> Cell {
    let mut cell = Cell { digit: Some(0), at: before, place: None };
    let (mut row, mut column) = (None, None);
    for attribute in start.attributes().with_checks(false).flatten() {
        let value = attribute.value.as_bytes();
        let key = attribute.key.local_name();
        let is = |names: &[&str]| {
            names.iter().any(|name| key.as_ref().as_bytes().eq_ignore_ascii_case(name.as_bytes()))
        };
        let number = || matches!(value, [b'0'..=b'9']).then(|| value[0] - b'0');
        if is(&VALUES) {
            let quoted = |quote: u8| [&[b'=', quote], value].concat();
            let found = [b'"', b'\''].into_iter().find_map(|quote| memchr::memmem::find(tag, &quoted(quote)));
            cell.at = before + found.map_or(0, |at| at + 2);
            cell.digit = match value.trim_ascii() {
                [] => Some(0),
                [byte] if cells::is_cell(*byte) => Some(cells::digit(*byte)),
                _ => None,
            };
        } else if is(&ROWS) {
            row = number();
        } else if is(&COLUMNS) {
            column = number();
        }
    }
    cell.place = row.zip(column);
    cell
}

impl Group {
    fn has_places(&self) -> bool {
        self.cells.iter().all(|cell| cell.place.is_some())
    }

    /// Whether it is a puzzle, if perhaps a broken one.
    pub fn is_record(&self) -> bool {
        let has_digits = self.cells.iter().any(|cell| cell.digit.is_some_and(|digit| digit > 0));
        let fewest = if self.has_places() { FEWEST } else { *NEARLY.start() };
        has_digits && (fewest..=*NEARLY.end()).contains(&self.cells.len())
    }

    /// Whether there are more cells than a puzzle can have.
    pub fn is_too_long(&self) -> bool {
        self.cells.len() > *NEARLY.end()
    }

    /// The cells in order.
    pub fn read(&self, text: &[u8]) -> Cells {
        let mut out = Cells::none();
        let push = |out: &mut Cells, cell: &Cell| match cell.digit {
            Some(digit) => out.push(digit, cell.at),
            None => {
                let shown =
                    text[cell.at.min(text.len())..].split(|byte| matches!(byte, b'<' | b'"' | b'\'')).next();
                let shown = String::from_utf8_lossy(shown.unwrap_or_default().trim_ascii()).into_owned();
                out.push_bad(cell.at, Fault::new(FaultKind::CellNumber, None).text(shown));
            }
        };
        if !self.has_places() {
            self.cells.iter().for_each(|cell| push(&mut out, cell));
            return out;
        }
        let numbers =
            || self.cells.iter().filter_map(|cell| cell.place).flat_map(|(row, column)| [row, column]);
        // From 1 unless there is a 0; with both there are ten.
        let first = u8::from(!numbers().any(|number| number == 0));
        let is_known = first == 0 || numbers().any(|number| number == 9);
        let mut grid: [Option<&Cell>; CELLS] = [None; CELLS];
        for cell in &self.cells {
            let (row, column) = cell.place.unwrap_or_default();
            let at = |number: u8| usize::from(number).checked_sub(usize::from(first)).filter(|&at| at < SIDE);
            let place = at(row).zip(at(column)).and_then(|(row, column)| grid.get_mut(row * SIDE + column));
            match place {
                Some(place @ None) if is_known => *place = Some(cell),
                _ => {
                    let fault = Fault::new(FaultKind::CellPlace, None).number(row).number(column);
                    out.push_bad(cell.at, fault);
                }
            }
        }
        let start = self.cells.first().map_or(0, |cell| cell.at);
        for cell in grid {
            match cell {
                Some(cell) => push(&mut out, cell),
                None => out.push(0, start),
            }
        }
        out
    }
}
