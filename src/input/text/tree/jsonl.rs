//! JSON Lines: a value with one puzzle in it on each line.

use std::sync::Arc;

use super::finder::{Finder, Rules};
use super::json;
use super::lexer::{Stop, is_space, value_end};
use super::members;
use crate::input::dialect::{Dialect, Framing};
use crate::input::reader::{
    Block, Candidates, Excerpt, Read, Reader, Sample, State, TextEnd, TextReader, Which,
};
use crate::input::text::nesting::Nesting;
use crate::input::{Columns, InputError, MAX_LINE};
use crate::record::{Fault, FaultKind, Layout, Place, Records, Span, Texts, Want};

/// Reads a value from each line.
#[derive(Debug, Default)]
pub(super) struct Jsonl {
    rules: Rules,
    columns: Columns,
}

/// The reader of lines, if the first of the sample is a value.
pub(in crate::input) fn candidates(sample: &Sample<'_>, told: Option<&Dialect>) -> Candidates {
    let is_told = told.is_some_and(|told| told.framing == Framing::Jsonl);
    if !is_told && (told.is_some() || !first_is_value(sample)) {
        return Vec::new();
    }
    vec![open(sample)]
}

fn open(sample: &Sample<'_>) -> Result<Arc<dyn TextReader>, InputError> {
    let rules = Rules::of(sample.options);
    let columns = members::columns(sample, &rules, true)?;
    Ok(Arc::new(Jsonl { rules, columns }))
}

/// The lines of a sample in which something is.
fn lines<'a>(sample: &Sample<'a>) -> impl Iterator<Item = &'a [u8]> + use<'a> {
    sample.lines().map(<[u8]>::trim_ascii).filter(|line| !line.is_empty())
}

fn first_is_value(sample: &Sample<'_>) -> bool {
    let is_value = |line: &[u8]| {
        matches!(line[0], b'{' | b'[' | b'"') && serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok()
    };
    lines(sample).next().is_some_and(is_value)
}

/// Whether a sample begins with a value that is alone on its line, and another line follows.
pub(super) fn are_lines(sample: &Sample<'_>) -> bool {
    first_is_value(sample) && lines(sample).nth(1).is_some()
}

impl Reader for Jsonl {
    fn read(&self, block: &Block<'_>, want: Want, out: &mut Records) -> Read {
        let mut read = Read::default();
        let (mut start, no_nesting) = (0, Nesting::default());
        let mut finder = Finder::new(block.bytes, true, &self.rules, &no_nesting, 0);
        while start < block.bytes.len() {
            let end = memchr::memchr(b'\n', &block.bytes[start..]);
            let end = end.map_or(block.bytes.len(), |end| start + end + 1);
            read.lines += 1;
            finder.begin(read.lines, start, &block.bytes[..end]);
            push_line(&mut finder, Span { start, length: end - start }, read.lines, want, out);
            start = end;
        }
        read
    }

    fn place(&self, line: u64, record: &[u8], cell: usize, which: Which) -> Place {
        json::place(&self.rules, line, record, cell, which)
    }

    fn claim_text(&self, record: &[u8]) -> Option<Vec<u8>> {
        json::claim_text(&self.rules, record)
    }

    fn columns(&self) -> Columns {
        self.columns.clone()
    }

    fn carry(&self, bytes: &[u8], records: &Records, wanted: &[Option<usize>], out: &mut [Texts]) {
        members::carry(&self.columns, bytes, records, wanted, out);
    }

    fn dialect(&self) -> Dialect {
        Dialect::of(Framing::Jsonl)
    }
}

impl TextReader for Jsonl {
    fn frame(&self, state: &mut State, bytes: &[u8], end: TextEnd) -> usize {
        let length = match end {
            TextEnd::Last => bytes.len(),
            _ => memchr::memrchr(b'\n', bytes).map_or(0, |last| last + 1),
        };
        state.begun |= length > 0;
        length
    }

    fn excerpt(&self) -> Option<Excerpt> {
        Some(Excerpt { between: "", end: "" })
    }
}

/// Appends the record of a line, unless it is blank.
fn push_line(finder: &mut Finder<'_>, span: Span, line: u64, want: Want, out: &mut Records) {
    let text = span.of(finder.bytes);
    let blanks = text.iter().take_while(|&&byte| is_space(byte)).count();
    if blanks == text.len() {
        return;
    }
    let place = |at: usize| Some(Place { line, column: at as u64 + 1 });
    let fault = |kind, at| Fault::new(kind, place(at));
    let puzzle = if text.len() > MAX_LINE + usize::from(text.ends_with(b"\n")) {
        Err(fault(FaultKind::LineTooLong, 0))
    } else if !matches!(text[blanks], b'{' | b'[' | b'"') {
        Err(fault(FaultKind::NoJson, blanks))
    } else {
        let stop = loop {
            if let Err(stop) = finder.step() {
                break stop;
            }
        };
        match stop {
            Stop::Broken { at, expected } => {
                finder.found.clear();
                finder.end_broken(at, expected);
                Err(finder
                    .found
                    .pop()
                    .and_then(|found| found.puzzle.grid.err())
                    .unwrap_or(fault(FaultKind::NoJson, blanks)))
            }
            Stop::More if finder.is_within() => Err(finder.open_fault()),
            Stop::More => finder.only_one().map_err(|count| match count {
                0 => fault(FaultKind::NoPuzzle, blanks).text("line"),
                _ => fault(FaultKind::SeveralPuzzles, blanks).number(count),
            }),
        }
    };
    let (puzzle, claim) = match puzzle {
        Ok(found) => {
            let claim = found.claimed();
            (found.puzzle.grid, claim)
        }
        Err(fault) => (Err(fault), None),
    };
    out.push_puzzle(line, span, Layout::Line, puzzle);
    if want.claims {
        out.claims.push(claim);
    }
}
