//! JSON, and JSON Lines: a document with puzzles anywhere in it, or several one after the other; or a value with one
//! puzzle in it on each line.

mod document;
mod lines;
mod members;
mod shape;
mod walk;

use std::sync::Arc;

use super::finder::{Finder, Found, Held, Rules};
use crate::input::dialect::{Dialect, Framing};
use crate::input::reader::{
    Block, Candidates, Excerpt, Read, Reader, Sample, State, TextEnd, TextReader, Which,
};
use crate::input::text::place_in;
use crate::input::{Columns, InputError};
use crate::record::{Fault, FaultKind, Place, Records, Texts, Want};
use crate::sudoku::Grid;

/// Reads JSON.
#[derive(Debug)]
struct Json {
    /// Whether each line is a value.
    has_lines: bool,
    rules: Rules,
    /// The members of the first records.
    columns: Columns,
}

/// The readers that may fit a sample: that of a document if it begins with a list or an object, and that of lines if
/// its first line is a value. If more lines follow that value, it is no document.
pub(in crate::input) fn candidates(sample: &Sample<'_>, told: Option<&Dialect>) -> Candidates {
    let mut lines = sample.lines().map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let is_value = matches!(first.first(), Some(b'{' | b'[' | b'"'))
        && serde_json::from_slice::<serde::de::IgnoredAny>(first).is_ok();
    let begins = match first {
        [b'[', inside @ ..] => match inside.trim_ascii_start().first() {
            // Not a word in brackets, as lines of a log begin with.
            Some(byte) => b"\"[]{-ntf".contains(byte) || byte.is_ascii_digit(),
            None => true,
        },
        _ => first.starts_with(b"{"),
    };
    let is_document = begins && !(is_value && lines.next().is_some());
    let framings = [(Framing::Json, is_document), (Framing::Jsonl, is_value)].into_iter();
    let fits = |&(framing, fits): &(Framing, bool)| told.map_or(fits, |told| told.framing == framing);
    framings.filter(fits).map(|(framing, _)| open(sample, framing)).collect()
}

fn open(sample: &Sample<'_>, framing: Framing) -> Result<Arc<dyn TextReader>, InputError> {
    let (has_lines, rules) = (framing == Framing::Jsonl, Rules::of(sample.options));
    let mut json = Json { has_lines, rules, columns: Columns::default() };
    json.columns = json.columns_of(sample)?;
    Ok(Arc::new(json))
}

impl Json {
    /// What the first records of a sample have as columns.
    fn columns_of(&self, sample: &Sample<'_>) -> Result<Columns, InputError> {
        let (before, mut records) = (State::default(), Records::default());
        let end = if sample.is_whole { TextEnd::Last } else { TextEnd::Damaged };
        let length = self.frame(&mut before.clone(), sample.bytes, end);
        let block = Block { bytes: &sample.bytes[..length], state: &before, is_last: false };
        self.read(&block, Want::default(), &mut records);
        members::columns(sample, &self.rules, &records)
    }
}

/// Lines of a text.
struct Lines<'a> {
    bytes: &'a [u8],
    /// Bytes before it on its first line.
    column: u64,
    /// A line, and a byte of it.
    line: u64,
    at: usize,
}

impl<'a> Lines<'a> {
    /// Those of a text before which there are so many bytes on its first line.
    const fn new(bytes: &'a [u8], column: u64) -> Self {
        Self { bytes, column, line: 1, at: 0 }
    }

    /// The line of a byte, which is known from now on.
    fn line(&mut self, at: usize) -> u64 {
        if at < self.at {
            self.line -= memchr::memchr_iter(b'\n', &self.bytes[at..self.at]).count() as u64;
        } else {
            self.line += memchr::memchr_iter(b'\n', &self.bytes[self.at..at]).count() as u64;
        }
        self.at = at;
        self.line
    }

    /// The place of a byte behind the one whose line is known.
    fn place(&self, at: usize) -> Place {
        let lines = memchr::memchr_iter(b'\n', &self.bytes[self.at..at]).count() as u64;
        let column = match memchr::memrchr(b'\n', &self.bytes[..at]) {
            Some(last) => (at - last) as u64,
            None => self.column + at as u64 + 1,
        };
        Place { line: self.line + lines, column }
    }

    /// The grid of a value; else what is wrong, and where.
    fn grid(&self, held: &Held) -> Result<Grid, Fault> {
        held.grid.clone().map_err(|(at, fault)| fault.at(self.place(at)))
    }

    /// What a record claims to be the solution; blanks alone are no claim.
    fn claim(&self, found: &Found) -> Option<Result<Grid, Fault>> {
        let claim = self.grid(found.claim.as_ref()?).map_err(Fault::of_claim);
        Some(claim).filter(|claim| claim.as_ref().map_or(true, |grid| grid.clues() > 0))
    }
}

/// What is wrong with a text that is no JSON at that byte.
fn broken_fault(bytes: &[u8], at: usize, expected: &'static str) -> Fault {
    let shown = String::from_utf8_lossy(&bytes[at..bytes.len().min(at + 4)]);
    let first = shown.chars().next().unwrap_or_default();
    let shown = if first.is_control() { first.escape_debug().to_string() } else { first.to_string() };
    Fault::new(FaultKind::BrokenJson, None).text(shown).text(expected)
}

impl Reader for Json {
    fn read(&self, block: &Block<'_>, want: Want, out: &mut Records) -> Read {
        if self.has_lines {
            lines::read(&self.rules, block.bytes, want, out)
        } else {
            document::read(&self.rules, block, want, out)
        }
    }

    fn place(&self, line: u64, record: &[u8], cell: usize, which: Which) -> Place {
        let found = Finder::of_record(record, &self.rules);
        let grid = found.and_then(|found| match which {
            Which::Puzzle => Some(found.puzzle),
            Which::Claim => found.claim,
        });
        let at = grid.map_or(0, |grid| {
            let offset = grid.value(record).offsets().get(cell).copied();
            grid.range.start + offset.unwrap_or_default()
        });
        place_in(line, record, at)
    }

    fn claim_text(&self, record: &[u8]) -> Option<Vec<u8>> {
        let claim = Finder::of_record(record, &self.rules)?.claim?;
        Some(claim.value(record).text().into_owned())
    }

    fn columns(&self) -> Columns {
        self.columns.clone()
    }

    fn carry(&self, bytes: &[u8], records: &Records, wanted: &[Option<usize>], out: &mut [Texts]) {
        members::carry(&self.columns, bytes, records, wanted, out);
    }

    fn dialect(&self) -> Dialect {
        Dialect::of(if self.has_lines { Framing::Jsonl } else { Framing::Json })
    }
}

impl TextReader for Json {
    fn frame(&self, state: &mut State, bytes: &[u8], end: TextEnd) -> usize {
        match end {
            TextEnd::Last => bytes.len(),
            _ if self.has_lines => memchr::memrchr(b'\n', bytes).map_or(0, |last| last + 1),
            _ => document::frame(&self.rules, state, bytes, end),
        }
    }

    fn excerpt(&self) -> Option<Excerpt> {
        self.has_lines.then_some(Excerpt { between: "", end: "" })
    }
}
