//! JSON: a document with puzzles anywhere in it, or several one after the other.

use std::sync::Arc;

use super::finder::{Finder, Found, Rules};
use super::lexer::{Stop, is_space};
use super::members;
use crate::input::dialect::{Dialect, Framing};
use crate::input::reader::{Block, Candidates, Read, Reader, Sample, State, TextEnd, TextReader, Which};
use crate::input::text::nesting::{Nesting, write_index, write_key};
use crate::input::{Columns, InputError, MAX_LINE};
use crate::record::{Layout, Place, Records, Span, Texts, Want};

/// Reads a document.
#[derive(Debug, Default)]
pub(super) struct Json {
    rules: Rules,
    columns: Columns,
}

/// The reader of a document, if the sample begins as one.
pub(in crate::input) fn candidates(sample: &Sample<'_>, told: Option<&Dialect>) -> Candidates {
    let is_told = told.is_some_and(|told| told.framing == Framing::Json);
    let first = sample.bytes.iter().find(|&&byte| !is_space(byte));
    let is_document = matches!(first, Some(b'{' | b'[')) && !super::jsonl::are_lines(sample);
    if !is_told && (told.is_some() || !is_document) {
        return Vec::new();
    }
    vec![open(sample)]
}

fn open(sample: &Sample<'_>) -> Result<Arc<dyn TextReader>, InputError> {
    let rules = Rules::of(sample.options);
    let columns = members::columns(sample, &rules, false)?;
    Ok(Arc::new(Json { rules, columns }))
}

impl Reader for Json {
    fn read(&self, block: &Block<'_>, want: Want, out: &mut Records) -> Read {
        let mut read = Read::default();
        let is_within_line = block.bytes.last().map_or(block.state.column > 0, |&byte| byte != b'\n');
        let line_ends = memchr::memchr_iter(b'\n', block.bytes).count();
        read.lines = line_ends as u64 + u64::from(block.is_last && is_within_line);
        if block.state.ended {
            pass_rest(block.bytes, 1, block.state.column > 0, &mut read);
            return read;
        }
        let State { nesting, column, .. } = block.state;
        let mut finder = Finder::new(block.bytes, block.is_last, &self.rules, nesting, *column);
        loop {
            let stop = finder.step().err();
            match stop {
                None => {}
                Some(Stop::More) if block.is_last && finder.is_within() => finder.end_cut_off(),
                Some(Stop::More) => {}
                Some(Stop::Broken { at, expected }) => finder.end_broken(at, expected),
            }
            for found in finder.found.drain(..) {
                push(&found, &finder.nesting, block.bytes, want, out);
            }
            if let Some(stop) = stop {
                read.passed = std::mem::take(&mut finder.passed);
                if let Stop::Broken { at, .. } = stop {
                    let lines = memchr::memchr_iter(b'\n', &block.bytes[..=at]).count() as u64;
                    let on_its_line = block.bytes[at] != b'\n';
                    pass_rest(&block.bytes[at + 1..], 1 + lines, on_its_line, &mut read);
                }
                return read;
            }
        }
    }

    fn place(&self, line: u64, record: &[u8], cell: usize, which: Which) -> Place {
        place(&self.rules, line, record, cell, which)
    }

    fn claim_text(&self, record: &[u8]) -> Option<Vec<u8>> {
        claim_text(&self.rules, record)
    }

    fn columns(&self) -> Columns {
        self.columns.clone()
    }

    fn carry(&self, bytes: &[u8], records: &Records, wanted: &[Option<usize>], out: &mut [Texts]) {
        members::carry(&self.columns, bytes, records, wanted, out);
    }

    fn dialect(&self) -> Dialect {
        Dialect::of(Framing::Json)
    }
}

impl TextReader for Json {
    fn frame(&self, state: &mut State, bytes: &[u8], end: TextEnd) -> usize {
        if end == TextEnd::Last {
            return bytes.len();
        }
        if state.ended {
            // Nothing of the rest is read, but its lines are told.
            let last_line = memchr::memrchr(b'\n', bytes).unwrap_or(0);
            let length = to_line_end(bytes, last_line);
            state.column = bytes[..length].last().map_or(state.column, |&byte| u64::from(byte != b'\n'));
            return length;
        }
        let mut finder = Finder::new(bytes, false, &self.rules, &state.nesting, state.column);
        let (mut length, mut nesting) = (0, Nesting::default());
        loop {
            match finder.step() {
                Ok(false) => {}
                Ok(true) => {
                    length = finder.at;
                    nesting.clone_from(&finder.nesting);
                    finder.found.clear();
                }
                Err(Stop::Broken { at, .. }) if length == 0 && end == TextEnd::More => {
                    // With the rest of its line, so that it is broken to whoever sees the block alone.
                    length = to_line_end(bytes, at);
                    state.ended = length > 0;
                    break;
                }
                Err(_) => break,
            }
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

    fn begins_lines(&self) -> bool {
        false
    }
}

/// The end of the line that goes on at a byte; 0 if it is not there yet and the line not too long.
fn to_line_end(bytes: &[u8], at: usize) -> usize {
    match memchr::memchr(b'\n', &bytes[at..]) {
        Some(line_end) => at + line_end + 1,
        None if bytes.len() - at > MAX_LINE => bytes.len(),
        None => 0,
    }
}

/// Passes over the lines behind the end of a document, the first of which may be part of that end.
fn pass_rest(rest: &[u8], first: u64, is_part: bool, read: &mut Read) {
    for (line, text) in (first..).zip(rest.split(|&byte| byte == b'\n')).skip(usize::from(is_part)) {
        if !text.trim_ascii().is_empty() {
            read.passed.count(line, text);
        }
    }
}

/// Appends a record.
fn push(found: &Found, nesting: &Nesting, bytes: &[u8], want: Want, out: &mut Records) {
    let span = Span { start: found.start.at, length: found.end - found.start.at };
    out.paths.push(|path| {
        nesting.write_path(found.depth, path);
        match found.puzzle.key {
            _ if !found.is_value => {}
            Some((start, end)) => write_key(&bytes[start..end], path),
            None => write_index(found.puzzle.index, path),
        }
    });
    out.push_puzzle(found.start.line, span, Layout::Line, found.puzzle.grid.clone());
    if want.claims {
        out.claims.push(found.claimed());
    }
}

/// Where a cell of a record stands.
pub(super) fn place(rules: &Rules, line: u64, record: &[u8], cell: usize, which: Which) -> Place {
    let grid = found(rules, record).and_then(|found| match which {
        Which::Puzzle => Some(found.puzzle),
        Which::Claim => found.claim,
    });
    let at = grid.map_or(0, |grid| {
        let offset = grid.value(record).offsets().get(cell).copied();
        grid.spot.at + offset.unwrap_or_default()
    });
    let before = &record[..at.min(record.len())];
    let lines = memchr::memchr_iter(b'\n', before).count() as u64;
    let column = memchr::memrchr(b'\n', before).map_or(at, |last| at - last - 1);
    Place { line: line + lines, column: column as u64 + 1 }
}

/// What stands where the claim of a record does.
pub(super) fn claim_text(rules: &Rules, record: &[u8]) -> Option<Vec<u8>> {
    let claim = found(rules, record)?.claim?;
    Some(claim.value(record).shown().into_owned())
}

/// The record that a text is.
fn found(rules: &Rules, record: &[u8]) -> Option<Found> {
    let mut finder = Finder::of_record(record, rules);
    while finder.step().is_ok() {}
    finder.only_one().ok()
}
