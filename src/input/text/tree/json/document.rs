//! A document: where blocks of it may end, and what is in one.

use super::shape::Shape;
use super::walk::{Behind, Event, Walk};
use super::{Lines, broken_fault};
use crate::input::MAX_LINE;
use crate::input::reader::{Block, Read, State, TextEnd};
use crate::input::text::nesting::{Nesting, write_index, write_key};
use crate::input::text::tree::finder::{Finder, Rules, Step};
use crate::input::text::tree::lexer::{Element, Stop, is_space, is_valid};
use crate::record::{Fault, FaultKind, Layout, Records, Span, Want};
use crate::sudoku::Grid;

/// What a record claims: a grid, or what is wrong with it.
type Claim = Result<Grid, Fault>;

/// How many bytes make a block: up to the last end of a unit. What is broken ends the document, and makes a block with
/// the rest of its line, so that it is broken to whoever sees the block alone.
pub(super) fn frame(rules: &Rules, state: &mut State, bytes: &[u8], end: TextEnd) -> usize {
    if state.ended {
        let length = to_line_end(bytes, memchr::memrchr(b'\n', bytes).unwrap_or(0));
        state.column = bytes[..length].last().map_or(state.column, |&byte| u64::from(byte != b'\n'));
        return length;
    }
    let behind = if end == TextEnd::More { Behind::More } else { Behind::Damage };
    let mut walk = Walk::new(bytes, rules, state.nesting.clone(), behind);
    let (mut length, mut nesting) = (0, Nesting::default());
    let stop = loop {
        match walk.next(|_| None) {
            Ok(Event::Entered(.., Some(stop))) | Err(stop) => break stop,
            Ok(_) => {
                length = walk.at;
                nesting.clone_from(&walk.nesting);
            }
        }
    };
    if let Stop::Broken { at, .. } = stop
        && length == 0
        && end == TextEnd::More
    {
        length = to_line_end(bytes, at);
        state.ended = length > 0;
    }
    if length > 0 {
        state.begun = true;
        state.column = match memchr::memrchr(b'\n', &bytes[..length]) {
            Some(last) => (length - last - 1) as u64,
            None => state.column + length as u64,
        };
        state.nesting = nesting;
    }
    length
}

/// The end of the line that goes on at a byte; 0 if it is not there yet and the line not too long.
fn to_line_end(bytes: &[u8], at: usize) -> usize {
    match memchr::memchr(b'\n', &bytes[at..]) {
        Some(line_end) => at + line_end + 1,
        None if bytes.len() - at > MAX_LINE => bytes.len(),
        None => 0,
    }
}

/// Appends the records of a block.
pub(super) fn read(rules: &Rules, block: &Block<'_>, want: Want, out: &mut Records) -> Read {
    let (bytes, state) = (block.bytes, block.state);
    let mut read = Read::default();
    let is_within_line = bytes.last().map_or(state.column > 0, |&byte| byte != b'\n');
    let line_ends = memchr::memchr_iter(b'\n', bytes).count();
    read.lines = line_ends as u64 + u64::from(block.is_last && is_within_line);
    if state.ended {
        pass_rest(bytes, 0, state.column > 0, &mut read);
        return read;
    }
    let behind = if block.is_last { Behind::End } else { Behind::Block };
    let walk = Walk::new(bytes, rules, state.nesting.clone(), behind);
    let finder = Finder::new(bytes, rules);
    let lines = Lines::new(bytes, state.column);
    let mut units =
        Units { bytes, rules, walk, finder, lines, shape: None, broken: Vec::new(), want, out, read };
    units.read(block.is_last);
    units.read
}

/// A list or an object in which something is broken.
struct Broken {
    /// Values that are open around it.
    depth: usize,
    start: usize,
    /// If that can be told; else it ends the document.
    end: Option<usize>,
}

/// The units of a block on their way to records.
struct Units<'a, 'b> {
    bytes: &'a [u8],
    rules: &'a Rules,
    walk: Walk<'a>,
    finder: Finder<'a>,
    lines: Lines<'a>,
    /// That of the element before, in the same list.
    shape: Option<Shape>,
    /// Those that are open, from the outermost to the innermost.
    broken: Vec<Broken>,
    want: Want,
    out: &'b mut Records,
    read: Read,
}

impl Units<'_, '_> {
    /// Reads all of them.
    fn read(&mut self, is_last: bool) {
        loop {
            let mut known = None;
            let shape = self.shape.as_ref();
            let event = self.walk.next(|text| {
                known = shape.and_then(|shape| shape.read(text));
                known.map(|known| known.2)
            });
            let depth = self.walk.nesting.opens.len();
            self.broken.truncate(self.broken.iter().take_while(|broken| broken.depth < depth).count());
            match (event, known) {
                (Ok(Event::Unit(None, value)), Some((grid, claim, _))) => {
                    let span = Span { start: value.start, length: value.len() };
                    self.push(span, &[], Ok(grid), claim.filter(|claim| claim.clues() > 0).map(Ok));
                }
                (Ok(Event::Unit(key, value)), _) => self.unit(&Element { key, value }),
                (Ok(Event::Entered(key, start, stop)), _) => {
                    self.shape = None;
                    if stop.is_some() {
                        self.broken.push(Broken { depth: depth - 1, start, end: None });
                    }
                    let meaning = key.map(|key| self.rules.meaning(&key.text(self.bytes)));
                    if meaning.is_some_and(|meaning| meaning.is_claim == Some(true)) {
                        self.pass(start);
                    }
                }
                (Ok(Event::Left), _) => self.shape = None,
                (Err(Stop::Broken { at, expected }), _) => {
                    if self.end_broken(at, expected) {
                        return pass_rest(self.bytes, at + 1, self.bytes[at] != b'\n', &mut self.read);
                    }
                }
                (Err(Stop::More), _) => {
                    if is_last && self.walk.is_within() {
                        let fault = Fault::new(FaultKind::CutOffDocument, None);
                        let fault = fault.number(depth).text("lists or objects");
                        let start = self.walk.at;
                        let span = Span { start, length: self.bytes.len() - start };
                        self.push(span, &[], Err(fault.at(self.lines.place(start))), None);
                    }
                    return;
                }
            }
        }
    }

    /// Reads one of them. In what is broken are others, some of them whole.
    fn unit(&mut self, unit: &Element) {
        let (key, value) = (unit.key, unit.value.clone());
        if !is_valid(&self.bytes[value.clone()]) {
            if matches!(self.bytes[value.start], b'[' | b'{') {
                let depth = self.walk.nesting.opens.len();
                self.broken.push(Broken { depth, start: value.start, end: Some(value.end) });
                self.walk.enter(key, value.start);
                self.shape = None;
            } else {
                let is_text = self.bytes[value.start] == b'"';
                let expected = if is_text { "a valid string" } else { "a value" };
                self.end_broken(value.start, expected);
            }
            return;
        }
        self.finder.unit(unit, self.walk.are_claims());
        for at in std::mem::take(&mut self.finder.passed) {
            self.pass(at);
        }
        let mut all = std::mem::take(&mut self.finder.found);
        // What an object has of its own goes with it if it is broken.
        if key.is_some() && self.broken_object().is_some() {
            all.retain(|found| found.range != value);
        }
        for found in &all {
            let span = Span { start: found.range.start, length: found.range.len() };
            self.lines.line(span.start);
            let (puzzle, claim) = (self.lines.grid(&found.puzzle), self.lines.claim(found));
            self.push(span, &found.path, puzzle, claim);
        }
        self.shape = match &all[..] {
            [found] if found.range == value && key.is_none() => {
                Shape::of(self.bytes, value, found, self.rules)
            }
            _ => None,
        };
        all.clear();
        self.finder.found = all;
    }

    /// Appends a record, to which this is the way in the unit at hand.
    fn push(&mut self, span: Span, path: &[Step], puzzle: Result<Grid, Fault>, claim: Option<Claim>) {
        self.out.paths.push(|text| {
            self.walk.nesting.write_path(text);
            for step in path {
                match step.key {
                    Some((start, end)) => write_key(&self.bytes[start..end], text),
                    None => write_index(step.index, text),
                }
            }
        });
        self.out.push_puzzle(self.lines.line(span.start), span, Layout::Line, puzzle);
        if self.want.claims {
            self.out.claims.push(claim);
        }
    }

    /// Passes over solutions without puzzles that begin there.
    fn pass(&mut self, at: usize) {
        let text = &self.bytes[at..];
        let text = &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())];
        self.read.passed.count(self.lines.line(at), text);
    }

    /// The innermost open value, if it is an object in which something is broken.
    fn broken_object(&self) -> Option<&Broken> {
        let broken = self.broken.last().filter(|broken| broken.depth + 1 == self.walk.nesting.opens.len())?;
        (self.bytes[broken.start] == b'{').then_some(broken)
    }

    /// Takes what is broken at a byte for a record: the object around it, or else the byte alone. What is behind it in
    /// the same object or list is left out; says whether that is the rest of the document.
    fn end_broken(&mut self, at: usize, expected: &'static str) -> bool {
        let start = self.broken_object().map_or(at, |broken| broken.start);
        let behind = self.broken.last().and_then(|broken| broken.end);
        let end = behind.unwrap_or(at + 1);
        self.lines.line(start);
        let span = Span { start, length: end - start };
        let fault = broken_fault(self.bytes, at, expected).at(self.lines.place(at));
        self.push(span, &[], Err(fault), None);
        if let (Some(end), Some(Broken { depth, .. })) = (behind, self.broken.pop()) {
            self.walk.leave(depth, end);
        }
        behind.is_none()
    }
}

/// Passes over the lines behind the end of a document, the first of which may be part of that end.
fn pass_rest(bytes: &[u8], start: usize, is_part: bool, read: &mut Read) {
    let first = 1 + memchr::memchr_iter(b'\n', &bytes[..start]).count() as u64;
    let lines = (first..).zip(bytes[start..].split(|&byte| byte == b'\n'));
    for (line, text) in lines.skip(usize::from(is_part)) {
        if !text.iter().all(|&byte| is_space(byte)) {
            read.passed.count(line, text);
        }
    }
}
