//! JSON, and JSON Lines: a document with puzzles anywhere in it, or several one after the other; or a value with one
//! puzzle in it on each line.

mod document;
mod lines;
mod shape;

use std::sync::Arc;

use super::finder::{Finder, Found, Rules};
use super::lexer::is_space;
use super::members;
use crate::input::dialect::{Dialect, Framing};
use crate::input::reader::{
    Block, Candidates, Excerpt, Read, Reader, Sample, State, TextEnd, TextReader, Which,
};
use crate::input::{Columns, InputError};
use crate::record::{Place, Records, Texts, Want};

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
    let is_document = matches!(first.first(), Some(b'{' | b'[')) && !(is_value && lines.next().is_some());
    let framings = [(Framing::Json, is_document), (Framing::Jsonl, is_value)].into_iter();
    let fits = |&(framing, fits): &(Framing, bool)| told.map_or(fits, |told| told.framing == framing);
    framings.filter(fits).map(|(framing, _)| open(sample, framing)).collect()
}

fn open(sample: &Sample<'_>, framing: Framing) -> Result<Arc<dyn TextReader>, InputError> {
    let (has_lines, rules) = (framing == Framing::Jsonl, Rules::of(sample.options));
    let columns = members::columns(sample, &rules, has_lines)?;
    Ok(Arc::new(Json { has_lines, rules, columns }))
}

impl Json {
    /// The record that a text is.
    fn found(&self, record: &[u8]) -> Option<Found> {
        let mut finder = Finder::of_record(record, &self.rules);
        while finder.step().is_ok() {}
        finder.only_one().ok()
    }
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
        let grid = self.found(record).and_then(|found| match which {
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

    fn claim_text(&self, record: &[u8]) -> Option<Vec<u8>> {
        let claim = self.found(record)?.claim?;
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

    fn begins_lines(&self) -> bool {
        self.has_lines
    }

    fn excerpt(&self) -> Option<Excerpt> {
        self.has_lines.then_some(Excerpt { between: "", end: "" })
    }
}
