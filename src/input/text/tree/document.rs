//! Documents: where blocks can end, and what they contain. If the syntax breaks within a unit, the rest of that unit is
//! lost; elsewhere, the rest of the document is lost.

use std::ops::Range;

use super::finder::Finder;
use super::node::Wrong;
use super::shape::Shape;
use super::syntax::Text;
use super::unit::Stop;
use super::walk::{Event, Walk};
use crate::input::reader::{Block, Read, State, TextEnd};
use crate::input::text::column_after;
use crate::input::{MAX_LINE, ReadOptions};
use crate::record::{Fault, FaultKind, Layout, Place, Records, Span};
use crate::sudoku::Grid;

/// Returns the length of a block in bytes, which extends to the end of the last complete unit. Broken syntax ends the
/// document. The block with the broken syntax includes the rest of its line, so it is enough to show the fault.
pub(super) fn frame(options: &ReadOptions, state: &mut State, text: &Text<'_>, end: TextEnd) -> usize {
    let bytes = text.bytes();
    let mut length = if end == TextEnd::Last { bytes.len() } else { 0 };
    if state.ended {
        length = length.max(to_line_end(bytes, memchr::memrchr(b'\n', bytes).unwrap_or(0)));
    } else if length == 0 {
        let mut walk = Walk::new(text, options, std::mem::take(&mut state.nesting), end);
        let stop = loop {
            match walk.next(|_| None) {
                Ok(Event::Rest(_, _, stop)) | Err(stop) => break stop,
                Ok(_) => length = walk.at,
            }
        };
        if let (Stop::Broken(at, _), 0, TextEnd::More) = (stop, length, end) {
            length = to_line_end(bytes, at);
            state.ended = length > 0;
        }
        state.nesting = walk.nesting;
    }
    if length > 0 {
        state.begun = true;
        state.column = column_after(state.column, &bytes[..length]);
    }
    length
}

/// Returns the end of the line that contains the byte `at`. Returns 0 if the end has not arrived yet and the line is
/// not too long.
fn to_line_end(bytes: &[u8], at: usize) -> usize {
    match memchr::memchr(b'\n', &bytes[at..]) {
        Some(line_end) => at + line_end + 1,
        None if bytes.len() - at > MAX_LINE => bytes.len(),
        None => 0,
    }
}

/// Counts the line ends in a text.
fn line_ends(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

/// Appends the records of a block.
pub(super) fn read(options: &ReadOptions, text: &Text<'_>, block: &Block<'_>, out: &mut Records) -> Read {
    let (bytes, state) = (block.bytes, block.state);
    let mut read = Read::default();
    let is_within_line = block.is_last && column_after(state.column, bytes) > 0;
    read.lines = line_ends(bytes) + u64::from(is_within_line);
    if state.ended {
        // The line on which the document ended may continue.
        match state.column {
            0 => pass_lines(bytes, 0, &mut read),
            _ => pass_rest(bytes, 0, &mut read),
        }
        return read;
    }
    let end = if block.is_last { TextEnd::Last } else { TextEnd::Cut };
    let walk = Walk::new(text, options, state.nesting.clone(), end);
    let lines = Lines { bytes, column: state.column, line: 1, at: 0 };
    let mut units = Units { walk, lines, shape: None, passed: 0, out, read };
    if let Some((at, fault)) = units.read() {
        units.push(at..bytes.len().min(at + 1), Err((at, fault)), None);
        pass_rest(bytes, at, &mut units.read);
    }
    units.read
}

/// Skips all lines below the one that contains the byte `at`.
fn pass_rest(bytes: &[u8], at: usize, read: &mut Read) {
    let line_end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length + 1);
    pass_lines(bytes, line_end, read);
}

/// Skips all lines from the byte `start` on.
fn pass_lines(bytes: &[u8], start: usize, read: &mut Read) {
    let first = 1 + line_ends(&bytes[..start]);
    for (line, text) in (first..).zip(bytes[start..].split(|&byte| byte == b'\n')) {
        if !text.trim_ascii().is_empty() {
            read.passed.count(line, text);
        }
    }
}

/// A search for line numbers in a text that is preceded by `column` bytes of its first line.
pub(super) struct Lines<'a> {
    pub bytes: &'a [u8],
    pub column: u64,
    /// The line found last, and `at`, a byte on that line.
    pub line: u64,
    pub at: usize,
}

impl Lines<'_> {
    /// Returns the line of a byte. This is fast if the byte is soon after the previous one.
    pub fn line(&mut self, at: usize) -> u64 {
        if at < self.at {
            self.line -= line_ends(&self.bytes[at..self.at]);
        } else {
            self.line += line_ends(&self.bytes[self.at..at]);
        }
        self.at = at;
        self.line
    }

    /// Returns the grid of a puzzle or claim, or the fault with its place filled in.
    pub fn grid(&mut self, grid: Result<Grid, Wrong>) -> Result<Grid, Fault> {
        grid.map_err(|(at, fault)| {
            let column = 1 + column_after(self.column, &self.bytes[..at]);
            fault.at(Place { line: self.line(at), column })
        })
    }

    /// Returns the grid of a claim, or the fault with its place filled in; a grid without digits is not a claim.
    pub fn claim(&mut self, claim: Option<Result<Grid, Wrong>>) -> Option<Result<Grid, Fault>> {
        let claim = self.grid(claim?).map_err(Fault::of_claim);
        Some(claim).filter(|claim| claim.as_ref().map_or(true, |grid| grid.clues() > 0))
    }
}

/// A reader for the units of a block.
struct Units<'a, 'b> {
    walk: Walk<'a>,
    lines: Lines<'a>,
    /// The shape of the previous element in the same list.
    shape: Option<Shape>,
    /// The last line that was skipped.
    passed: u64,
    out: &'b mut Records,
    read: Read,
}

impl Units<'_, '_> {
    /// Reads all units; if the document is broken, returns the fault that ends it.
    fn read(&mut self) -> Option<Wrong> {
        loop {
            let mut known = None;
            let shape = self.shape.as_ref();
            let event = self.walk.next(|text| {
                known = shape.and_then(|shape| shape.read(text));
                known.as_ref().map(|known| known.2)
            });
            match (event, known) {
                (Ok(Event::Unit(None, range)), Some((puzzle, claim, _))) => {
                    self.push(range, Ok(puzzle), claim.map(Ok));
                }
                (Ok(Event::Unit(key, range)), _) => {
                    if let Some((at, fault)) = self.unit(key, range.clone()) {
                        self.push(at..range.end, Err((at, fault)), None);
                        pass_rest(&self.walk.text.bytes()[..range.end], at, &mut self.read);
                    }
                }
                (Ok(Event::Entered(tag)), _) => {
                    self.shape = None;
                    // The tag is read for its attributes; its element does not have to end here.
                    if let Some((at, fault)) = self.unit(None, tag.clone())
                        && fault.kind == FaultKind::BrokenXml
                    {
                        self.push(at..tag.end, Err((at, fault)), None);
                    }
                }
                (Ok(Event::Left), _) => self.shape = None,
                (Ok(Event::Rest(key, start, stop)), _) => {
                    let wrong = self.unit(key, start..self.lines.bytes.len());
                    return wrong.or_else(|| self.broken(stop));
                }
                (Err(stop), _) => return self.broken(stop),
            }
        }
    }

    /// Returns the fault at which the walk ended, if there is one.
    fn broken(&self, stop: Stop) -> Option<Wrong> {
        let (text, bytes) = (self.walk.text, self.lines.bytes);
        match stop {
            Stop::Broken(at, what) => Some((at, text.fault(what))),
            Stop::More if self.walk.end != TextEnd::Last => None,
            Stop::More if self.walk.nesting.is_empty() => {
                let rest = self.walk.at..bytes.len();
                let is_blank = bytes[rest.clone()].trim_ascii().is_empty();
                if is_blank { None } else { text.node(None, rest).1 }
            }
            Stop::More => Some((bytes.trim_ascii_end().len(), text.cut_off())),
        }
    }

    /// Reads a unit; if it is broken, returns its fault.
    fn unit(&mut self, key: Option<Range<usize>>, range: Range<usize>) -> Option<Wrong> {
        let text = self.walk.text;
        let (node, wrong) = text.node(key.clone(), range);
        let opens = &self.walk.nesting;
        let are_claims = opens.last().and_then(|open| open.are_claims);
        let is_in_list = opens.iter().any(|open| !open.is_object);
        let is_element = key.is_none() && !opens.is_empty() && wrong.is_none();
        let mut finder = Finder::find(text, &mut self.walk.meanings, &node, are_claims, is_in_list);
        let gap = if is_element && finder.found.is_empty() { finder.gap(&node) } else { None };
        let Finder { found, passed, .. } = finder;
        self.shape = match &found[..] {
            [found] if key.is_none() && wrong.is_none() => {
                Shape::of(text, &node, found, &mut self.walk.meanings)
            }
            _ => None,
        };
        for at in passed {
            let line = self.lines.line(at);
            if line > self.passed {
                let shown = &text.bytes()[at..];
                self.read.passed.count(line, shown.split(|&byte| byte == b'\n').next().unwrap_or_default());
            }
            self.passed = line;
        }
        for found in found {
            self.push(found.range, found.puzzle.grid, found.claim.map(|claim| claim.grid));
        }
        if let Some(wrong) = gap {
            self.push(node.range.clone(), Err(wrong), None);
        }
        wrong
    }

    /// Appends a record.
    fn push(&mut self, range: Range<usize>, puzzle: Result<Grid, Wrong>, claim: Option<Result<Grid, Wrong>>) {
        let span = Span { start: range.start, length: range.len() };
        let puzzle = self.lines.grid(puzzle);
        self.out.push_puzzle(self.lines.line(range.start), span, Layout::Line, puzzle);
        self.out.push_claim(|| self.lines.claim(claim));
    }
}
