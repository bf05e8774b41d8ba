//! Lines, each a value with one puzzle in it.

use super::is_space;
use super::shape::Shape;
use crate::input::text::nesting::Nesting;
use crate::input::text::tree::finder::{Finder, Found, Rules};
use crate::input::text::tree::lexer::Stop;
use crate::input::{MAX_LINE, reader::Read};
use crate::record::{Fault, FaultKind, Layout, Place, Records, Span, Want};

/// Appends the records of some lines; a blank one has none.
pub(super) fn read(rules: &Rules, bytes: &[u8], want: Want, out: &mut Records) -> Read {
    let mut read = Read::default();
    let no_nesting = Nesting::default();
    let mut finder = Finder::new(bytes, true, rules, &no_nesting, 0);
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
        if let Some((grid, claim)) = shape.as_ref().and_then(|shape| shape.read(text)) {
            out.push_sudoku(line, span, Layout::Line, grid);
            if want.claims {
                out.claims.push(claim.filter(|claim| claim.clues() > 0).map(Ok));
            }
            continue;
        }
        finder.begin(line, span.start, &bytes[..span.start + text.len()]);
        let (puzzle, claim) = match record(&mut finder, line, text) {
            Ok(found) => {
                shape = Shape::of(text, &found, span.start, rules);
                (found.puzzle.grid.clone(), found.claimed())
            }
            Err(fault) => (Err(fault), None),
        };
        out.push_puzzle(line, span, Layout::Line, puzzle);
        if want.claims {
            out.claims.push(claim);
        }
    }
    read
}

/// The record of a line.
fn record(finder: &mut Finder<'_>, line: u64, text: &[u8]) -> Result<Found, Fault> {
    let blanks = text.iter().take_while(|&&byte| is_space(byte)).count();
    let fault = |kind, at: usize| Fault::new(kind, Some(Place { line, column: at as u64 + 1 }));
    if text.len() > MAX_LINE {
        return Err(fault(FaultKind::LineTooLong, 0));
    }
    if !matches!(text.get(blanks), Some(b'{' | b'[' | b'"')) {
        return Err(fault(FaultKind::NoJson, blanks));
    }
    let stop = loop {
        if let Err(stop) = finder.step() {
            break stop;
        }
    };
    match stop {
        Stop::Broken { at, expected } => Err(finder.broken_fault(at, expected)),
        Stop::More if finder.is_within() => Err(finder.open_fault()),
        Stop::More => finder.only_one().map_err(|count| match count {
            0 => fault(FaultKind::NoPuzzle, blanks).text("line"),
            _ => fault(FaultKind::SeveralPuzzles, blanks).number(count),
        }),
    }
}
