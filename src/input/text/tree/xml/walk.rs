//! The way through a document, tag by tag, on which records are found.
//!
//! An attribute or a line of a text that is 81 cells is a grid, and so are nine rows in one text, or in elements of one
//! name within one element. It is a claim if its own name says so, or else that of the element around it. A claim is that
//! of the puzzle before it, or in the same tag, if the element is still open in which that stands.
//!
//! All that is known at a place where no record is under way is which elements are open. So a text can be cut there.

use std::ops::Range;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::value::{Cells, Line, Read, Value};
use crate::input::MAX_LINE;
use crate::input::names::meaning;
use crate::input::reader::Which;
use crate::input::text::tree::lexer::DEEPEST;
use crate::record::{Fault, FaultKind};
use crate::sudoku::{CELLS, SIDE};

/// Names of elements that hold no rows, but other parts of a grid.
const ORDERS: [&str; 6] = ["column", "columns", "col", "cols", "box", "boxes"];

/// A grid of a document, or a row of one.
pub(super) struct Grid {
    pub cells: Read,
    /// Where it stands, without the quotes or tags around it.
    pub range: Range<usize>,
}

/// A record of a document.
pub(super) struct Found {
    /// From the tag of the puzzle, or else its text, to the end of what comes last.
    pub span: Range<usize>,
    pub puzzle: Grid,
    pub claim: Option<Grid>,
}

/// Why the way ends.
pub(super) enum End {
    /// The text does.
    Text,
    /// In a tag, or something of its kind, that is not closed; it begins there.
    Open(usize),
    /// There is something that is no XML.
    Broken(usize, Fault),
}

/// What is known of a grid or a row by its surroundings. Elements are known by the length of their path.
#[derive(Clone)]
struct Role {
    which: Which,
    /// The element within which a claim is its own.
    home: usize,
    /// From the tag or the text with which its record begins to its own end.
    span: Range<usize>,
    /// The element in which that stands.
    before: usize,
}

/// Rows that may be a grid.
#[derive(Default)]
struct Rows {
    each: Vec<(Role, Grid)>,
    /// The element around those in which they are, and the names of these and of the attribute.
    around: usize,
    names: String,
}

/// Goes through a text.
pub(super) struct Walk<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// The names of the open elements where it is, a space behind each.
    pub path: String,
    /// Whether the text is that of a record, before which elements may have been opened.
    is_record: bool,
    /// The last tag.
    tag: Range<usize>,
    /// Whether it opens an element.
    opens: bool,
    /// The text since then.
    value: Value,
    rows: Rows,
    /// A puzzle whose claim may come, and the element within which that may be.
    puzzle: Option<(usize, Found)>,
    /// The last place where the text may be cut, and what is open there.
    pub cut: (usize, String),
    pub found: Vec<Found>,
    /// Where claims stand that have no puzzle.
    pub passed: Vec<usize>,
}

impl<'a> Walk<'a> {
    /// Through a text before which the elements of this path were opened.
    pub fn new(text: &'a str, path: &str) -> Self {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        Self {
            text,
            reader,
            path: path.to_owned(),
            is_record: false,
            tag: 0..0,
            opens: false,
            value: Value::default(),
            rows: Rows::default(),
            puzzle: None,
            cut: (0, path.to_owned()),
            found: Vec::new(),
            passed: Vec::new(),
        }
    }

    /// The record that a text is, with the places of its cells.
    pub fn record(text: &'a str) -> Option<Found> {
        let mut walk = Self { is_record: true, ..Self::new(text, "") };
        walk.go();
        walk.finish();
        walk.found.into_iter().next()
    }

    /// Behind the last tag, if a text that is lost from there on loses no part of a record.
    pub fn behind_tag(&self) -> Option<usize> {
        self.rows.each.is_empty().then_some(self.tag.end)
    }

    /// Goes to the end, or to what is broken.
    pub fn go(&mut self) -> End {
        loop {
            let at = self.position();
            let event = self.reader.read_event();
            let reached = if event.is_err() { self.text.len() } else { self.position() };
            if reached - self.tag.end > MAX_LINE {
                self.value.clear();
                return broken(self.tag.end, "more than 1 MiB without a tag");
            }
            let raw = self.text.get(at..reached).unwrap_or_default();
            let mut step = Ok(());
            match event {
                Ok(Event::Start(tag)) => step = self.start(&tag, at, false),
                Ok(Event::Empty(tag)) => step = self.start(&tag, at, true),
                Ok(Event::End(tag)) => step = self.end(tag.name().as_ref(), at),
                Ok(Event::Text(_) | Event::GeneralRef(_)) => self.value.push_escaped(raw, at),
                Ok(Event::CData(data)) => self.value.push(&data, at + "<![CDATA[".len()),
                Ok(Event::Eof) => return End::Text,
                Ok(_) => {}
                Err(_) => return End::Open(at),
            }
            if let Err(end) = step {
                return end;
            }
        }
    }

    /// What is under way is all there is of it.
    pub fn finish(&mut self) {
        self.text_done();
        self.rows_done();
        self.puzzle_done();
    }

    /// Where the last event ends.
    pub fn position(&self) -> usize {
        usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX)
    }

    /// How many elements are open.
    pub fn depth(&self) -> usize {
        self.path.matches(' ').count()
    }

    /// A tag that opens an element, and closes it if it is `empty`.
    fn start(&mut self, tag: &BytesStart<'_>, at: usize, empty: bool) -> Result<(), End> {
        self.text_done();
        if self.depth() == DEEPEST {
            return Err(broken(at, "more than 128 elements within each other"));
        }
        self.path.push_str(tag.name().as_ref());
        self.path.push(' ');
        self.tag = at..self.position();
        self.opens = true;
        // A claim may stand before its puzzle. Names are not compared with each other, since a tag may have many.
        for which in [Which::Puzzle, Which::Claim] {
            for attribute in tag.attributes().with_checks(false) {
                let attribute = attribute.ok().filter(|attribute| !attribute.value.contains('<'));
                let Some(attribute) = attribute else {
                    return Err(broken(at, "an attribute that is not name=\"value\""));
                };
                let (name, raw) = (attribute.key.as_ref(), &*attribute.value);
                // Nothing shorter is half a row.
                if raw.len() > SIDE / 2 && self.role(name).which == which {
                    let start = raw.as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
                    self.value.push_escaped(raw, start);
                    self.value_done(name);
                }
            }
        }
        if empty {
            self.close();
        }
        Ok(())
    }

    /// A tag that closes an element of this name.
    fn end(&mut self, name: &str, at: usize) -> Result<(), End> {
        self.text_done();
        let open = split(&self.path).1;
        if open.is_empty() && !self.is_record {
            return Err(broken(at, "an end tag without its start"));
        } else if !open.is_empty() && open != name {
            let fault = Fault::new(FaultKind::OpenBracket, None).text("element");
            return Err(End::Broken(at, fault.text(format!("</{open}>"))));
        }
        self.tag = at..self.position();
        self.close();
        Ok(())
    }

    /// The innermost element is closed by the last tag.
    fn close(&mut self) {
        if self.rows.around == self.path.len() {
            self.rows_done();
        }
        let around = split(&self.path).0.len();
        self.path.truncate(around);
        self.opens = false;
        let starts = [
            self.rows.each.first().map(|(role, _)| role.span.start),
            self.puzzle.as_ref().map(|(_, found)| found.span.start),
        ];
        if starts.into_iter().flatten().any(|start| self.tag.end - start > MAX_LINE) {
            self.rows_done();
            self.puzzle_done();
        } else if self.puzzle.as_ref().is_some_and(|(home, _)| *home > around) {
            self.puzzle_done();
        }
        if self.rows.each.is_empty() && self.puzzle.is_none() {
            self.may_cut(self.tag.end, around);
        }
    }

    /// The text may be cut at a place where elements up to this one are open, if it still is.
    fn may_cut(&mut self, at: usize, path: usize) {
        if let Some(path) = self.path.get(..path) {
            self.cut.0 = at;
            self.cut.1.clear();
            self.cut.1.push_str(path);
        }
    }

    /// What is known of an attribute of that name, or of a text if it has none.
    fn role(&self, attribute: &str) -> Role {
        let (around, name) = split(&self.path);
        let (home, own) = if attribute.is_empty() { (around, name) } else { (&*self.path, attribute) };
        let (outer, other) = split(home);
        // What has the name that says so may be the element around.
        let (which, home) = match (meaning(own), meaning(other)) {
            (Some(which), _) => (which, home),
            (None, Some(which)) => (which, outer),
            (None, None) => (Which::Puzzle, home),
        };
        Role { which, home: home.len(), span: self.tag.clone(), before: around.len() }
    }

    /// The text up to here is all there is of it.
    fn text_done(&mut self) {
        // Nothing shorter is half a row.
        if self.value.text().trim_ascii().len() > SIDE / 2 {
            self.value_done("");
        }
        self.value.clear();
    }

    /// The grids and rows of an attribute of that name, or of the text if it has none.
    fn value_done(&mut self, attribute: &str) {
        let is_text = attribute.is_empty();
        let lines = self.value.lines(self.is_record);
        self.value.clear();
        let (role, count) = (self.role(attribute), lines.len());
        for (i, Line { is_row, cells, range }) in lines.into_iter().enumerate() {
            let mut role = role.clone();
            if is_text && (i > 0 || !self.opens) {
                (role.span.start, role.before) = (range.start, self.path.len());
            }
            if is_text {
                role.span.end = range.end;
            }
            let grid = Grid { cells, range };
            if is_row {
                self.row(role, grid, attribute, i == 0 && count > 1);
            } else {
                self.rows_done();
                self.grid(role, grid);
            }
        }
        // Rows of one text are not those of several.
        if count > 1 {
            self.rows_done();
        }
    }

    /// One more row, of an attribute of that name or of a text; whether it begins a grid in any case.
    fn row(&mut self, role: Role, row: Grid, attribute: &str, begins: bool) {
        let (around, name) = split(&self.path);
        let is_next =
            self.rows.around == around.len() && self.rows.names.strip_prefix(name) == Some(attribute);
        if begins || !is_next {
            let (around, names) = (around.len(), [name, attribute].concat());
            self.rows_done();
            (self.rows.around, self.rows.names) = (around, names);
        }
        self.rows.each.push((role, row));
    }

    /// No row is to come: nine are a grid, and five or more that are no nine should be one.
    fn rows_done(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        let (Some((first, _)), Some((last, _))) = (rows.each.first(), rows.each.last()) else { return };
        if rows.each.len() > SIDE / 2 && rows.each.iter().any(|(_, row)| row.cells.is_ok()) {
            let span = first.span.start..last.span.end;
            // The element of the first row is closed.
            let before = if first.before > rows.around { usize::MAX } else { first.before };
            self.grid(Role { span, before, ..*first }, joined(rows));
        }
    }

    /// A grid.
    fn grid(&mut self, role: Role, grid: Grid) {
        // In the text of a record the second of two is the claim, whatever was around it.
        let is_claim = if self.is_record { self.puzzle.is_some() } else { role.which == Which::Claim };
        if !is_claim {
            self.puzzle_done();
            self.may_cut(role.span.start, role.before);
            self.puzzle = Some((role.home, Found { span: role.span, puzzle: grid, claim: None }));
            return;
        }
        match &mut self.puzzle {
            Some((_, found)) if found.claim.is_none() => {
                found.span.end = role.span.end;
                found.claim = Some(grid);
            }
            _ => self.passed.push(grid.range.start),
        }
    }

    /// No claim is to come.
    fn puzzle_done(&mut self) {
        self.found.extend(self.puzzle.take().map(|(_, found)| found));
    }
}

/// The path of the element around the one with this path, and its own name.
fn split(path: &str) -> (&str, &str) {
    let names = path.strip_suffix(' ').unwrap_or_default();
    names.split_at(names.rfind(' ').map_or(0, |space| space + 1))
}

/// The grid that some rows are, or what is wrong with them.
fn joined(rows: Rows) -> Grid {
    let count = rows.each.len();
    let range = rows.each[0].1.range.start..rows.each[count - 1].1.range.end;
    let wrong = |at, kind| Err((at, Fault::new(kind, None).number(count)));
    let mut grid = Cells { values: [0; CELLS], offsets: Vec::new() };
    let mut fault = None;
    for (values, (_, row)) in grid.values.chunks_exact_mut(SIDE).zip(rows.each) {
        match row.cells {
            Ok(cells) => {
                values.copy_from_slice(&cells.values[..SIDE]);
                grid.offsets.extend(cells.offsets);
            }
            Err(wrong) => fault = fault.or(Some(wrong)),
        }
    }
    let cells = match fault {
        _ if ORDERS.iter().any(|order| order.eq_ignore_ascii_case(&rows.names)) => {
            Err((range.start, Fault::new(FaultKind::GridOrder, None).text("columns or boxes")))
        }
        _ if count < SIDE => wrong(range.end, FaultKind::CutOffGrid),
        _ if count > SIDE => wrong(range.end, FaultKind::RowCount),
        Some(fault) => Err(fault),
        None => Ok(grid),
    };
    Grid { cells, range }
}

/// Something that is no XML.
fn broken(at: usize, what: &str) -> End {
    End::Broken(at, Fault::new(FaultKind::BrokenXml, None).text(what))
}
