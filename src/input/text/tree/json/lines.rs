//! Lines, each a value with one puzzle in it.

use super::shape::Shape;
use super::walk::{Event, Walk};
use super::{Lines, broken_fault};
use crate::input::text::tree::finder::{Finder, Found, Rules};
use crate::input::text::tree::lexer::{Stop, is_valid, skip_space};
use crate::input::{MAX_LINE, reader::Read};
use crate::record::{Fault, FaultKind, Layout, Records, Span, Want};

/// Appends the records of some lines; a blank one has none.
pub(super) fn read(rules: &Rules, bytes: &[u8], want: Want, out: &mut Records) -> Read {
    let mut read = Read::default();
    let (mut start, mut shape) = (0, None::<Shape>);
    while start < bytes.len() {
        let line_end = memchr::memchr(b'\n', &bytes[start..]);
        let end = line_end.map_or(bytes.len(), |line_end| start + line_end + 1);
        let (span, line) = (Span { start, length: end - start }, read.lines + 1);
        (start, read.lines) = (end, line);
        let text = span.of(bytes).trim_ascii_end();
        if text.is_empty() {
            continue;
        }
        let known = shape.as_ref().and_then(|shape| shape.read(text));
        if let Some((grid, claim, _)) = known.filter(|known| known.2 == text.len()) {
            out.push_sudoku(line, span, Layout::Line, grid);
            if want.claims {
                out.claims.push(claim.filter(|claim| claim.clues() > 0).map(Ok));
            }
            continue;
        }
        let lines = Lines { line, ..Lines::new(text, 0) };
        let (puzzle, claim) = match record(rules, text) {
            Ok(found) => {
                shape = Shape::of(text, 0..text.len(), &found, rules);
                (lines.grid(&found.puzzle), lines.claim(&found))
            }
            Err((at, fault)) => (Err(fault.at(lines.place(at))), None),
        };
        out.push_puzzle(line, span, Layout::Line, puzzle);
        if want.claims {
            out.claims.push(claim);
        }
    }
    read
}

/// The record of a line; else what is wrong, and at which byte.
fn record(rules: &Rules, text: &[u8]) -> Result<Found, (usize, Fault)> {
    let start = skip_space(text, 0);
    let fault = |kind, at| (at, Fault::new(kind, None));
    if text.len() > MAX_LINE {
        return Err(fault(FaultKind::LineTooLong, 0));
    }
    if !matches!(text.get(start), Some(b'{' | b'[' | b'"')) {
        return Err(fault(FaultKind::NoJson, start));
    }
    if !is_valid(text) {
        return Err(what_is_broken(rules, text));
    }
    let mut finder = Finder::new(text, rules);
    finder.line(start, None);
    finder.only_one().map_err(|count| match count {
        0 => (start, Fault::new(FaultKind::NoPuzzle, None).text("line")),
        _ => (start, Fault::new(FaultKind::SeveralPuzzles, None).number(count)),
    })
}

/// What is wrong with a text that is not one value, and at which byte.
fn what_is_broken(rules: &Rules, text: &[u8]) -> (usize, Fault) {
    let mut walk = Walk::into_all(text, rules);
    let mut has_ended = false;
    loop {
        let stop = match walk.next(|_| None) {
            _ if has_ended && walk.is_within() => {
                Stop::Broken { at: walk.at, expected: "the end of the line" }
            }
            Ok(Event::Unit(_, value)) if !is_valid(&text[value.clone()]) => {
                Stop::Broken { at: value.start, expected: "a value" }
            }
            Ok(_) => {
                has_ended = walk.nesting.opens.is_empty();
                continue;
            }
            Err(stop) => stop,
        };
        return match stop {
            Stop::Broken { at, expected } => (at, broken_fault(text, at, expected)),
            Stop::More => {
                let (what, closing) = match walk.nesting.opens.last() {
                    _ if text.get(walk.at) == Some(&b'"') => ("string", "\""),
                    Some(open) if !open.is_object => ("list", "]"),
                    _ => ("object", "}"),
                };
                (walk.at, Fault::new(FaultKind::OpenBracket, None).text(what).text(closing))
            }
        };
    }
}
