//! A document: where blocks of it may end, and what is in one.

use super::is_space;
use crate::input::MAX_LINE;
use crate::input::reader::{Block, Read, State, TextEnd};
use crate::input::text::nesting::{Nesting, write_index, write_key};
use crate::input::text::tree::finder::{Finder, Found, Rules};
use crate::input::text::tree::lexer::Stop;
use crate::record::{Layout, Records, Span, Want};

/// How many bytes make a block: up to the last place where nothing is held. What is broken ends the document, and makes
/// a block with the rest of its line, so that it is broken to whoever sees the block alone.
pub(super) fn frame(rules: &Rules, state: &mut State, bytes: &[u8], end: TextEnd) -> usize {
    if state.ended {
        let length = to_line_end(bytes, memchr::memrchr(b'\n', bytes).unwrap_or(0));
        state.column = bytes[..length].last().map_or(state.column, |&byte| u64::from(byte != b'\n'));
        return length;
    }
    let mut finder = Finder::new(bytes, false, rules, &state.nesting, state.column);
    let (mut length, mut nesting) = (0, Nesting::default());
    let stop = loop {
        match finder.step() {
            Ok(false) => {}
            Ok(true) => {
                length = finder.at;
                nesting.clone_from(&finder.nesting);
                finder.found.clear();
            }
            Err(stop) => break stop,
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
    let mut finder = Finder::new(bytes, block.is_last, rules, &state.nesting, state.column);
    loop {
        let stop = finder.step().err();
        match stop {
            Some(Stop::More) if block.is_last && finder.is_within() => finder.end_cut_off(),
            Some(Stop::Broken { at, expected }) => finder.end_broken(at, expected),
            _ => {}
        }
        for found in finder.found.drain(..) {
            push(&found, &finder.nesting, bytes, want, out);
        }
        if stop.is_some() {
            read.passed = finder.passed;
            if let Some(Stop::Broken { at, .. }) = stop {
                pass_rest(bytes, at + 1, bytes[at] != b'\n', &mut read);
            }
            return read;
        }
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
