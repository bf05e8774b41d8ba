//! XML: puzzles in attributes (`<game data="..."/>` of `OpenSudoku`), texts, and elements of rows, whatever those are
//! called.
//!
//! A document is read until something in it is no XML; that is one invalid record, and what is behind it is passed over.
//! Behind a document another may follow.

mod value;
mod walk;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memrchr};
use quick_xml::events::Event;

use self::value::Value;
use self::walk::{End, Found, Grid as Part, Walk};
use crate::input::reader::{
    Block, Candidates, Passed, Read, Reader, Sample, State, TextEnd, TextReader, Which,
};
use crate::input::text::place_in;
use crate::input::{Columns, Dialect, Framing, MAX_LINE};
use crate::record::{Fault, FaultKind, Layout, Place, Records, Span, Texts, Want};
use crate::sudoku::Grid;

/// Reads documents of XML.
#[derive(Debug)]
struct Xml {
    /// The attributes that stand beside puzzles, as their own elements have them.
    columns: Vec<String>,
}

/// The reader of XML, where that was told or the text begins as a document does that is no page of HTML.
pub(in crate::input) fn candidates(sample: &Sample<'_>, told: Option<&Dialect>) -> Candidates {
    let is_told = told.is_some_and(|told| told.framing == Framing::Xml);
    if !is_told && (told.is_some() || !is_document(sample.bytes)) {
        return vec![];
    }
    let text = valid(sample.bytes);
    let mut walk = Walk::new(&text, "");
    walk.go();
    walk.finish();
    let mut columns = Vec::new();
    for found in &walk.found {
        for (name, _) in attributes(&text[found.span.clone()]) {
            if !columns.contains(&name) {
                columns.push(name);
            }
        }
    }
    vec![Ok(Arc::new(Xml { columns }))]
}

/// Whether a text begins as XML does.
fn is_document(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let begins = |with: &[u8]| text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    let is_markup =
        matches!(text, [b'<', byte, ..] if byte.is_ascii_alphabetic() || matches!(byte, b'?' | b'!' | b'_'));
    is_markup && ![&b"<!doctype html"[..], b"<html"].into_iter().any(begins)
}

/// The text of a block. Bytes of another encoding than UTF-8 become signs that mean nothing, one for each.
fn valid(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '~'));
    }
    Cow::Owned(text)
}

/// Lines and columns of a block.
#[derive(Clone)]
struct Lines<'a> {
    bytes: &'a [u8],
    /// Bytes before it on its first line.
    column: u64,
    /// A place up to which the lines are counted, and how many end there.
    counted: (usize, u64),
}

impl Lines<'_> {
    /// The place of a byte that is not before the place up to which lines are counted.
    fn place(&self, at: usize) -> Place {
        let line = 1 + self.counted.1 + count(&self.bytes[self.counted.0..at]);
        Place { line, column: column_behind(self.column, &self.bytes[..at]) + 1 }
    }

    /// The line of a byte, up to which lines are counted from now on.
    fn line(&mut self, at: usize) -> u64 {
        self.counted.1 += count(&self.bytes[self.counted.0..at]);
        self.counted.0 = at;
        1 + self.counted.1
    }
}

/// Bytes since the last line end behind a text before which there are so many.
fn column_behind(column: u64, text: &[u8]) -> u64 {
    match memrchr(b'\n', text) {
        Some(end) => (text.len() - end - 1) as u64,
        None => column + text.len() as u64,
    }
}

/// Line ends in a text.
fn count(text: &[u8]) -> u64 {
    memchr_iter(b'\n', text).count() as u64
}

impl Reader for Xml {
    fn read(&self, block: &Block<'_>, want: Want, out: &mut Records) -> Read {
        let bytes = block.bytes;
        let mut lines = Lines { bytes, column: block.state.column, counted: (0, 0) };
        let is_unfinished = block.is_last && column_behind(block.state.column, bytes) > 0;
        let mut read = Read { lines: count(bytes) + u64::from(is_unfinished), passed: Passed::default() };
        if block.state.ended {
            pass(bytes, 0, &mut read.passed, &mut lines);
            return read;
        }
        let text = valid(bytes);
        let mut walk = Walk::new(&text, &block.state.open);
        let end = walk.go();
        walk.finish();
        let mut of_passed = lines.clone();
        for &at in &walk.passed {
            let behind = &bytes[at..];
            let shown = &behind[..memchr(b'\n', behind).unwrap_or(behind.len())];
            read.passed.count(of_passed.line(at), shown);
        }
        for found in &walk.found {
            push(found, &mut lines, want, out);
        }
        if let Some((at, fault)) = fault_at(&end, &text, block.is_last, walk.depth()) {
            let length = memchr(b'\n', &bytes[at..]).map_or(bytes.len() - at, |end| end + 1);
            let fault = fault.at(lines.place(at));
            out.push_fault(lines.line(at), Span { start: at, length }, Layout::Line, fault);
            pass(bytes, at + length, &mut read.passed, &mut lines);
        }
        if want.claims {
            out.claims.fill(out.len());
        }
        read
    }

    fn place(&self, line: u64, record: &[u8], cell: usize, which: Which) -> Place {
        let part = part_of(&valid(record), which);
        let offset = part.and_then(|part| part.cells.ok()?.offsets.get(cell).copied());
        place_in(line, record, offset.unwrap_or(0))
    }

    fn claim_text(&self, record: &[u8]) -> Option<Vec<u8>> {
        part_of(&valid(record), Which::Claim).map(|claim| record[claim.range].to_vec())
    }

    fn columns(&self) -> Columns {
        Columns { names: self.columns.clone(), ..Columns::default() }
    }

    fn carry(&self, bytes: &[u8], records: &Records, wanted: &[Option<usize>], out: &mut [Texts]) {
        for span in records.spans() {
            let attributes = attributes(&valid(span.of(bytes)));
            for (texts, column) in out.iter_mut().zip(wanted) {
                let name = column.and_then(|column| self.columns.get(column));
                let found = name.and_then(|name| attributes.iter().find(|(found, _)| found == name));
                texts.push(found.map(|(_, value)| value.as_slice()));
            }
        }
    }

    fn dialect(&self) -> Dialect {
        Dialect::of(Framing::Xml)
    }
}

impl TextReader for Xml {
    fn frame(&self, state: &mut State, bytes: &[u8], end: TextEnd) -> usize {
        let length = if state.ended { ended(bytes, end) } else { cut(state, bytes, end) };
        if length > 0 {
            state.begun = true;
            state.column = column_behind(state.column, &bytes[..length]);
        }
        length
    }
}

/// How many bytes behind the end of the document make a block.
fn ended(bytes: &[u8], end: TextEnd) -> usize {
    match memrchr(b'\n', bytes) {
        _ if end == TextEnd::Last || bytes.len() > MAX_LINE => bytes.len(),
        last => last.map_or(0, |last| last + 1),
    }
}

/// How many bytes of the document make a block, and what is open behind them.
fn cut(state: &mut State, bytes: &[u8], end: TextEnd) -> usize {
    let text = valid(bytes);
    let mut walk = Walk::new(&text, &state.open);
    if let End::Broken(at, _) = walk.go() {
        // What is broken is shown up to the end of its line.
        let reached = walk.position();
        let line_end = memchr(b'\n', &bytes[reached..]).map(|end| reached + end + 1);
        let is_long = bytes.len() - at > MAX_LINE;
        let length = if end == TextEnd::Last || is_long { Some(bytes.len()) } else { line_end };
        if let Some(length) = length {
            state.ended = true;
            return length;
        }
    }
    let (length, open) = match end {
        TextEnd::Last => return bytes.len(),
        TextEnd::Damaged if let Some(length) = walk.behind_tag() => (length, walk.path),
        TextEnd::Damaged | TextEnd::More => walk.cut,
    };
    if length > 0 {
        state.open = open;
    }
    length
}

/// Passes over what is behind the end of a document from a byte on.
fn pass(bytes: &[u8], start: usize, passed: &mut Passed, lines: &mut Lines<'_>) {
    let texts = bytes[start..].split(|&byte| byte == b'\n');
    for (line, text) in (lines.line(start)..).zip(texts) {
        if !text.trim_ascii().is_empty() {
            passed.count(line, text);
        }
    }
}

/// What is wrong with the end of a block, if anything is, and where: something that is no XML, or the end of the text
/// before that of the document.
fn fault_at(end: &End, text: &str, is_last: bool, depth: usize) -> Option<(usize, Fault)> {
    match end {
        End::Broken(at, fault) => Some((*at, fault.clone())),
        End::Open(at) => Some((*at, Fault::new(FaultKind::OpenBracket, None).text("tag").text(">"))),
        End::Text if depth > 0 && is_last => {
            let fault = Fault::new(FaultKind::CutOffDocument, None).number(depth).text("elements");
            Some((text.trim_end().len(), fault))
        }
        End::Text => None,
    }
}

/// Adds a record.
fn push(found: &Found, lines: &mut Lines<'_>, want: Want, out: &mut Records) {
    let span = Span { start: found.span.start, length: found.span.len() };
    let line = lines.line(span.start);
    let grid = |part: &Part| match &part.cells {
        Ok(cells) => Ok(Grid::new(cells.values).expect("cells are 0 to 9")),
        Err((at, fault)) => Err(fault.clone().at(lines.place(*at))),
    };
    let puzzle = grid(&found.puzzle);
    if want.claims {
        let claim = found.claim.as_ref().filter(|_| puzzle.is_ok());
        out.claims.push(claim.map(|claim| grid(claim).map_err(Fault::of_claim)));
    }
    out.push_puzzle(line, span, Layout::Line, puzzle);
}

/// The puzzle or the claim of a record with this text.
fn part_of(record: &str, which: Which) -> Option<Part> {
    let found = Walk::record(record)?;
    match which {
        Which::Puzzle => Some(found.puzzle),
        Which::Claim => found.claim,
    }
}

/// The attributes of the first tag of a record that hold no grid, by name.
fn attributes(record: &str) -> Vec<(String, Vec<u8>)> {
    let mut reader = quick_xml::Reader::from_str(record);
    let (Ok(Event::Start(tag) | Event::Empty(tag)), true) = (reader.read_event(), record.starts_with('<'))
    else {
        return Vec::new();
    };
    let mut all = tag.attributes();
    let beside = all.with_checks(false).flatten().filter_map(|attribute| {
        let mut value = Value::default();
        value.push_escaped(&attribute.value, 0);
        let holds_grid = value.lines(false).iter().any(|line| !line.is_row);
        (!holds_grid).then(|| (attribute.key.as_ref().to_owned(), value.text().to_vec()))
    });
    beside.collect()
}
