//! The way through a document, tag by tag, on which records are found.
//!
//! An attribute or a line of a text that is 81 cells is a grid, and so are nine rows in one text, or in elements of one
//! name within one element. It is a claim if its own name says so, or else that of the element around it. A claim is that
//! of the puzzle before it within the same element, or else, if its own name says so, of the next one there.
//!
//! All that is known at a place where no record is under way is which elements are open. So a text can be cut there.

use std::ops::Range;

use memchr::memchr;
use quick_xml::Reader;
use quick_xml::events::{BytesEnd, BytesStart, Event};

use super::open::Open;
use super::value::{Cells, Line, Read, Value};
use crate::input::MAX_LINE;
use crate::input::names::meaning;
use crate::input::reader::Which;
use crate::record::{Fault, FaultKind};
use crate::sudoku::{CELLS, SIDE};

/// Most elements within each other, so that what is kept of them stays small; as many as for JSON.
const DEEPEST: usize = 128;

/// Names of elements that hold no rows, but other parts of a grid.
const ORDERS: [&str; 6] = ["column", "columns", "col", "cols", "box", "boxes"];

/// A grid of a document.
pub(super) struct Grid {
    pub cells: Read,
    /// Where it stands, without the quotes or tags around it.
    pub range: Range<usize>,
}

/// A record of a document.
pub(super) struct Found {
    /// From the tag of what comes first, or else its text, to the end of what comes last.
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

/// What is known of a grid, or of a row, by its surroundings.
#[derive(Clone)]
struct Role {
    which: Which,
    /// Whether its own name says that, with which its record begins.
    is_own: bool,
    /// How many elements must be open for claims to be its own.
    depth: usize,
    /// From the tag or the text with which its record begins to its own end.
    span: Range<usize>,
}

/// Rows that may be a grid.
#[derive(Default)]
struct Rows {
    each: Vec<(Role, Grid)>,
    /// How many elements are open at each, and the names of the last one and of the attribute.
    depth: usize,
    names: [String; 2],
    /// What is open before the first of them.
    before: Open,
}

/// Goes through a text.
pub(super) struct Walk<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// What is open where it is.
    pub open: Open,
    /// Whether the text is that of a record, before which elements may have been opened.
    is_record: bool,
    /// The last tag.
    tag: Range<usize>,
    /// Whether it opens an element.
    opens: bool,
    /// What is open before the last value.
    before: Open,
    rows: Rows,
    /// A claim whose puzzle may come.
    claim: Option<(Role, Grid)>,
    /// A puzzle whose claim may come.
    puzzle: Option<(Role, Found)>,
    /// The last place where the text may be cut, and what is open there.
    pub cut: (usize, Open),
    pub found: Vec<Found>,
    /// Where claims stand that have no puzzle.
    pub passed: Vec<usize>,
}

impl<'a> Walk<'a> {
    /// Through a text before which these elements were opened.
    pub fn new(text: &'a str, open: Open) -> Self {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        Self {
            text,
            reader,
            cut: (0, open.clone()),
            open,
            is_record: false,
            tag: 0..0,
            opens: false,
            before: Open::default(),
            rows: Rows::default(),
            claim: None,
            puzzle: None,
            found: Vec::new(),
            passed: Vec::new(),
        }
    }

    /// The record that a text is, with the places of its cells.
    pub fn record(text: &'a str) -> Option<Found> {
        let mut walk = Self { is_record: true, ..Self::new(text, Open::default()) };
        let end = walk.go();
        walk.finish(&end);
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
                return broken(self.tag.end, "more than 1 MiB without a tag");
            }
            let step = match event {
                Ok(Event::Start(tag)) => self.start(&tag, at, false),
                Ok(Event::Empty(tag)) => self.start(&tag, at, true),
                Ok(Event::End(tag)) => self.end(&tag, at),
                Ok(Event::DocType(_)) => {
                    self.declaration(at);
                    None
                }
                Ok(Event::Eof) => return End::Text,
                Ok(_) => None,
                Err(_) => return End::Open(at),
            };
            if let Some(end) = step {
                return end;
            }
        }
    }

    /// What is under way at the end is all there is of it.
    pub fn finish(&mut self, end: &End) {
        match *end {
            End::Text => self.run(self.position()),
            End::Open(at) => self.run(at),
            End::Broken(..) => {}
        }
        self.all_done();
    }

    /// Where the last event ends.
    pub fn position(&self) -> usize {
        usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX)
    }

    /// The name of the innermost open element.
    fn name(&self) -> &str {
        self.open.name(self.open.depth())
    }

    /// A tag that opens an element, and closes it if it is `empty`.
    fn start(&mut self, tag: &BytesStart<'_>, at: usize, empty: bool) -> Option<End> {
        self.run(at);
        if self.open.depth() == DEEPEST {
            return Some(broken(at, "more than 128 elements within each other"));
        }
        self.open.push(tag.name().as_ref());
        self.tag = at..self.position();
        self.opens = true;
        // The names are not compared with each other, since a tag may have many.
        for attribute in tag.attributes().with_checks(false) {
            let attribute = attribute.ok().filter(|attribute| !attribute.value.contains('<'));
            let Some(attribute) = attribute else {
                return Some(broken(at, "an attribute that is not name=\"value\""));
            };
            let start = attribute.value.as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
            let raw = self.text.get(start..start + attribute.value.len()).unwrap_or_default();
            self.value(&Value::new(raw, start), attribute.key.as_ref());
        }
        if empty {
            self.close();
        }
        None
    }

    /// A tag that closes an element.
    fn end(&mut self, tag: &BytesEnd<'_>, at: usize) -> Option<End> {
        self.run(at);
        let depth = self.open.depth();
        if depth == 0 && !self.is_record {
            return Some(broken(at, "an end tag without its start"));
        } else if depth == 0 {
            // What was opened before the record held the rows.
            self.rows_done();
        } else if self.name() != tag.name().as_ref() {
            let fault = Fault::new(FaultKind::OpenBracket, None).text("element");
            return Some(End::Broken(at, fault.text(format!("</{}>", self.name()))));
        }
        self.tag = at..self.position();
        self.close();
        None
    }

    /// The innermost element is closed by the last tag.
    fn close(&mut self) {
        self.open.pop();
        self.opens = false;
        let depth = self.open.depth();
        if self.rows.depth > depth + 1 {
            self.rows_done();
        }
        if self.puzzle.as_ref().is_some_and(|(role, _)| role.depth > depth) {
            self.puzzle_done();
        }
        if self.claim.as_ref().is_some_and(|(role, _)| role.depth > depth) {
            self.claim_lost();
        }
        let begins = [
            self.rows.each.first().map(|(role, _)| role.span.start),
            self.claim.as_ref().map(|(role, _)| role.span.start),
            self.puzzle.as_ref().map(|(_, found)| found.span.start),
        ];
        if begins.into_iter().flatten().any(|start| self.tag.end - start > MAX_LINE) {
            self.all_done();
        } else if begins != [None; 3] {
            return;
        }
        self.cut.0 = self.tag.end;
        self.cut.1.take(&self.open);
    }

    /// The text from the last tag up to a place.
    fn run(&mut self, end: usize) {
        let raw = self.text.get(self.tag.end..end).unwrap_or_default();
        // Nothing shorter is half a row.
        if raw.trim_ascii().len() > SIDE / 2 {
            self.value(&Value::new(raw, self.tag.end), "");
        }
    }

    /// What is known of an attribute of that name, or of a text if it has none.
    fn role(&self, attribute: &str) -> Role {
        let depth = self.open.depth();
        let (own, around, inside) = match attribute {
            "" => (self.open.name(depth), self.open.name(depth.saturating_sub(1)), depth.saturating_sub(1)),
            _ => (attribute, self.open.name(depth), depth),
        };
        let (of_own, of_around) = (meaning(own), meaning(around));
        let which = of_own.or(of_around).unwrap_or(Which::Puzzle);
        // What is named is the element around the one of the text: claims stand beside that.
        let is_outer = attribute.is_empty() && of_own.is_none() && of_around.is_some();
        let depth = inside.saturating_sub(usize::from(is_outer));
        Role { which, is_own: of_own.is_some(), depth, span: self.tag.clone() }
    }

    /// The grids and rows of an attribute of that name, or of a text if it has none.
    fn value(&mut self, value: &Value<'_>, attribute: &str) {
        let is_text = attribute.is_empty();
        let is_alone = memchr(b'\n', value.text().trim_ascii()).is_none();
        if !is_alone {
            self.rows_done();
        }
        let mut of_first: Option<Role> = None;
        for Line { is_row, cells, range } in value.lines(self.is_record) {
            let begins = self.opens && of_first.is_none();
            let mut role = of_first.get_or_insert_with(|| self.role(attribute)).clone();
            if is_text {
                role.span = if begins { self.tag.start } else { range.start }..range.end;
                role.is_own &= begins;
            }
            if !is_row || self.rows.depth != self.open.depth() || self.rows.names != [self.name(), attribute]
            {
                self.rows_done();
            }
            self.before.take(&self.open);
            if begins || !is_text {
                self.before.pop();
            }
            let grid = Grid { cells, range };
            if is_row {
                self.row(role, grid, attribute);
            } else {
                self.grid(role, grid);
            }
        }
        if !is_alone {
            self.rows_done();
        }
    }

    /// One more row, of an attribute of that name or of a text.
    fn row(&mut self, role: Role, row: Grid, attribute: &str) {
        if self.rows.each.is_empty() {
            self.rows.depth = self.open.depth();
            self.rows.names = [self.name(), attribute].map(str::to_owned);
            self.rows.before.take(&self.before);
        }
        self.rows.each.push((role, row));
    }

    /// No row is to come: nine are a grid, and five or more that are no nine should be one.
    fn rows_done(&mut self) {
        let rows = std::mem::take(&mut self.rows.each);
        let are_rows = rows.len() > SIDE / 2 && rows.iter().any(|(_, row)| row.cells.is_ok());
        if let Some(((role, first), (last_role, last))) = rows.first().zip(rows.last()).filter(|_| are_rows) {
            self.before.take(&self.rows.before);
            let span = role.span.start..last_role.span.end;
            let range = first.range.start..last.range.end;
            let cells = if ORDERS.iter().any(|order| order.eq_ignore_ascii_case(&self.rows.names[0])) {
                let fault = Fault::new(FaultKind::GridOrder, None);
                Err((range.start, fault.text("columns or boxes")))
            } else {
                joined(&rows)
            };
            let grid = Grid { cells, range };
            self.grid(Role { span, ..role.clone() }, grid);
        }
    }

    /// A grid; what is open before it is known.
    fn grid(&mut self, mut role: Role, grid: Grid) {
        // In the text of a record the second of two is the other one, whatever was around it.
        if self.is_record && self.puzzle.is_some() {
            role.which = Which::Claim;
        } else if self.is_record && self.claim.is_some() {
            role.which = Which::Puzzle;
        }
        if role.which == Which::Claim {
            match &mut self.puzzle {
                Some((_, found)) if found.claim.is_none() => {
                    found.span.end = role.span.end;
                    found.claim = Some(grid);
                }
                None if role.is_own => {
                    self.claim_lost();
                    self.may_cut(role.span.start);
                    self.claim = Some((role, grid));
                }
                _ => {
                    self.claim_lost();
                    self.passed.push(grid.range.start);
                }
            }
            return;
        }
        self.puzzle_done();
        if let Some((before, claim)) = self.claim.take() {
            let span = before.span.start..role.span.end;
            self.found.push(Found { span, puzzle: grid, claim: Some(claim) });
        } else {
            self.may_cut(role.span.start);
            let found = Found { span: role.span.clone(), puzzle: grid, claim: None };
            self.puzzle = Some((role, found));
        }
    }

    /// The text may be cut where a record begins, and nothing else is under way.
    fn may_cut(&mut self, at: usize) {
        self.cut.0 = at;
        self.cut.1.take(&self.before);
    }

    /// No claim is to come.
    fn puzzle_done(&mut self) {
        self.found.extend(self.puzzle.take().map(|(_, found)| found));
    }

    /// No puzzle is to come.
    fn claim_lost(&mut self) {
        self.passed.extend(self.claim.take().map(|(_, claim)| claim.range.start));
    }

    fn all_done(&mut self) {
        self.rows_done();
        self.puzzle_done();
        self.claim_lost();
    }

    /// The declaration from there on: no puzzle in it is put where it is referred to.
    fn declaration(&mut self, at: usize) {
        self.run(at);
        self.all_done();
        self.tag = at..self.position();
        self.opens = false;
        let text = &self.text[self.tag.clone()];
        let mut start = at;
        for piece in text.split(['"', '\'']) {
            if Value::new(piece, start).lines(false).any(|line| !line.is_row) {
                let fault = Fault::new(FaultKind::DeclaredPuzzle, None);
                let puzzle = Grid { cells: Err((start, fault)), range: start..start + piece.len() };
                self.found.push(Found { span: self.tag.clone(), puzzle, claim: None });
                return;
            }
            start += piece.len() + 1;
        }
    }
}

/// The cells of some rows, or what is wrong with them.
fn joined(rows: &[(Role, Grid)]) -> Read {
    let mut grid = Cells { values: [0; CELLS], offsets: Vec::new() };
    for (at, (_, row)) in rows.iter().enumerate().take(SIDE) {
        match &row.cells {
            Ok(cells) => {
                grid.values[SIDE * at..][..SIDE].copy_from_slice(&cells.values[..SIDE]);
                grid.offsets.extend_from_slice(&cells.offsets);
            }
            Err(wrong) if rows.len() == SIDE => return Err(wrong.clone()),
            Err(_) => {}
        }
    }
    if rows.len() == SIDE {
        return Ok(grid);
    }
    let kind = if rows.len() < SIDE { FaultKind::CutOffGrid } else { FaultKind::RowCount };
    let end = rows.last().map_or(0, |(_, row)| row.range.end);
    Err((end, Fault::new(kind, None).number(rows.len())))
}

/// Something that is no XML.
fn broken(at: usize, what: &str) -> End {
    End::Broken(at, Fault::new(FaultKind::BrokenXml, None).text(what))
}
