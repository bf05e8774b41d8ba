//! Lines of JSON: each line is a value that contains one puzzle.

use super::document::Lines;
use super::finder::{Finder, Meanings};
use super::json;
use super::node::Wrong;
use super::shape::{Known, Shape};
use super::syntax::Text;
use crate::input::{MAX_LINE, ReadOptions, reader::Read};
use crate::record::{Fault, FaultKind, Layout, Records, Span};
use crate::sudoku::Grid;

/// Appends the records of some lines. A blank line has no record; among answers, it is a gap.
pub(super) fn read(options: &ReadOptions, bytes: &[u8], out: &mut Records) -> Read {
    let mut read = Read::default();
    let (mut start, mut shape, mut meanings) = (0, None::<Shape>, Meanings::new(options));
    while start < bytes.len() {
        let line_end = memchr::memchr(b'\n', &bytes[start..]);
        let end = line_end.map_or(bytes.len(), |line_end| start + line_end + 1);
        let (span, line) = (Span { start, length: end - start }, read.lines + 1);
        (start, read.lines) = (end, line);
        let text = span.of(bytes).trim_ascii_end();
        if text.is_empty() && !options.answers {
            continue;
        }
        let known: Option<Known> = shape.as_ref().and_then(|shape| shape.read(text));
        if let Some((puzzle, claim, _)) = known.filter(|known| known.2 == text.len()) {
            out.push_sudoku(line, span, Layout::Line, puzzle);
            out.push_claim(|| claim.filter(|claim| claim.clues() > 0).map(Ok));
            continue;
        }
        let mut lines = Lines { bytes: text, column: 0, line, at: 0 };
        let (puzzle, claim) = match record(&Text::Json(text), &mut meanings, &mut shape) {
            Ok((puzzle, claim)) => (lines.grid(puzzle), lines.claim(claim)),
            Err(wrong) => (lines.grid(Err(wrong)), None),
        };
        out.push_puzzle(line, span, Layout::Line, puzzle);
        out.push_claim(|| claim);
    }
    read
}

/// The two grids of a record, or their faults.
type Pair = (Result<Grid, Wrong>, Option<Result<Grid, Wrong>>);

/// Reads the record on a line and notes its shape; returns the line's fault if that fails.
fn record(text: &Text<'_>, meanings: &mut Meanings<'_>, shape: &mut Option<Shape>) -> Result<Pair, Wrong> {
    let bytes = text.bytes();
    let start = bytes.len() - bytes.trim_ascii_start().len();
    let fault = |kind, at| (at, Fault::new(kind, None));
    if bytes.is_empty() {
        return Err((0, Fault::new(FaultKind::NoPuzzle, None).text("line")));
    }
    if bytes.len() > MAX_LINE {
        return Err(fault(FaultKind::LineTooLong, 0));
    }
    if !matches!(bytes[start], b'{' | b'[' | b'"') && json::check(bytes, start..bytes.len()).is_some() {
        return Err(fault(FaultKind::NoJson, start));
    }
    let (node, wrong) = text.node(None, 0..bytes.len());
    if let Some(wrong) = wrong {
        return Err(wrong);
    }
    let mut found = Finder::find(text, meanings, &node, None, true).found;
    match (found.pop(), found.len()) {
        (Some(found), 0) => {
            *shape = Shape::of(text, &node, &found, meanings);
            Ok((found.puzzle.grid, found.claim.map(|claim| claim.grid)))
        }
        (None, _) => Err((start, Fault::new(FaultKind::NoPuzzle, None).text("line"))),
        (_, others) => Err((start, Fault::new(FaultKind::SeveralPuzzles, None).number(others + 1))),
    }
}
