//! The score of a candidate for reading an input, and what a refusal says about it.

use std::sync::Arc;

use super::reader::{Block, Read, Sample, State, TextReader};
use super::{Framing, Passed};
use crate::record::{Claim, Fault, FaultKind, Records, Span, Want};
use crate::sudoku::{Grid, SIDE, verifier};

/// The records that a candidate read from the start of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Readable records; of several on a line only the first counts, unless the text declares its format. Otherwise a
    /// list would outbid a table with a column beside the puzzles.
    pub good: u64,
    /// Grids whose clues clash, which are not among the good records.
    pub clashing: u64,
    /// Good records with a clue and a claimed solution: any grid below an empty one would be its solution.
    pub claims: u64,
    /// Unreadable records.
    pub bad: u64,
    /// Whether the text declares its format, as a document does by its syntax and a table by a header that names the
    /// puzzles.
    pub is_declared: bool,
}

impl Score {
    /// Returns the score in eighths of a good record: a claim counts as a record, a bad record costs half of one. A
    /// clashing grid, as found in other data, counts an eighth. Declared formats count four times and lose nothing for
    /// bad records.
    #[must_use]
    pub const fn points(&self) -> i64 {
        let Self { good, clashing, claims, bad, is_declared } = *self;
        let points = (8 * (good + claims) + clashing).cast_signed();
        if is_declared { 4 * points } else { points - (4 * bad).cast_signed() }
    }

    /// Whether there are at least `enough` good records and no bad one.
    pub(super) const fn is_good(&self, enough: u64) -> bool {
        self.good >= enough && self.bad == 0
    }

    /// Counts the records read from a text that declares its format, or does not.
    pub(super) fn of(records: &Records, is_declared: bool) -> Self {
        let (mut score, mut last) = (Self { is_declared, ..Self::default() }, None);
        for (row, line) in records.lines().iter().enumerate() {
            match records.readable()[row] {
                false => score.bad += 1,
                true if records.is_sudoku(row) && verifier::clash(&records.puzzles()[row]).is_some() => {
                    score.clashing += 1;
                }
                true if last.replace(line) == Some(line) && !is_declared => {}
                true => {
                    score.good += 1;
                    let has_clue = records.puzzles()[row] != Grid::EMPTY;
                    score.claims += u64::from(has_clue && matches!(records.claims.get(row), Claim::Grid(_)));
                }
            }
        }
        score
    }
}

/// One way of reading the start of an input, and the result.
pub(super) struct Attempt {
    pub reader: Arc<dyn TextReader>,
    pub framing: Framing,
    pub score: Score,
    /// Unreadable records that are half a puzzle or more: of a grid, half of its rows.
    pub damaged: u64,
    /// Readable puzzles that have clues and blanks.
    pub open: u64,
    /// The fault of the first unreadable record, with its line counted from the start.
    pub fault: Option<Fault>,
    pub passed: Passed,
    /// Whether anything was read: the first unit may be longer than the sample.
    pub has_read: bool,
    /// Whether an input that ends here needs no record, since the text itself says that there is none.
    pub may_be_empty: bool,
}

impl Attempt {
    /// Reads the start of an input; more may follow.
    pub fn new(reader: Arc<dyn TextReader>, sample: &Sample<'_>) -> Self {
        let (before, mut state) = (State::default(), State::default());
        let length = reader.frame(&mut state, sample.bytes, sample.end());
        let is_last = sample.is_whole && length == sample.bytes.len();
        let block = Block { bytes: &sample.bytes[..length], state: &before, is_last };
        let mut records = Records::default();
        let Read { passed, .. } = reader.read(&block, Want { claims: true }, &mut records);
        let framing = reader.dialect().framing;
        let rows = if framing == Framing::Grid { SIDE.div_ceil(2) } else { 1 };
        let is_half = |span: &Span| memchr::memchr_iter(b'\n', span.of(block.bytes)).count() + 1 >= rows;
        let damaged = records.spans().iter().zip(records.readable());
        let damaged = damaged.filter(|(span, is_readable)| !**is_readable && is_half(span)).count() as u64;
        // An unreadable record has an empty grid.
        let is_open = |grid: &&Grid| grid.clues() > 0 && grid.cells().contains(&0);
        Self {
            framing,
            open: records.puzzles().iter().filter(is_open).count() as u64,
            score: Score::of(&records, reader.is_declared()),
            damaged,
            fault: records.faults().iter().next().map(|(_, fault)| fault.clone()),
            passed,
            has_read: length > 0,
            may_be_empty: reader.may_be_empty(&state)
                && (records.is_empty() || reader.columns().are_results()),
            reader,
        }
    }

    /// Whether the input is a document with valid syntax and a damaged puzzle: then no other format is possible.
    pub fn is_damaged_document(&self) -> bool {
        let is_document = matches!(self.framing, Framing::Json | Framing::Jsonl | Framing::Xml);
        is_document && self.score.bad > 0 && !self.is_something_else()
    }

    /// Whether the first fault is one of syntax, or a value without any puzzle: neither is a damaged puzzle.
    pub fn is_something_else(&self) -> bool {
        use FaultKind::{BrokenJson, BrokenXml, CutOffDocument, NoJson, NoPuzzle};
        let kind = self.fault.as_ref().map(|fault| fault.kind);
        matches!(kind, Some(BrokenJson | BrokenXml | CutOffDocument | NoJson | NoPuzzle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_candidates_are_worth() {
        let score = Score { good: 3, clashing: 2, claims: 1, bad: 4, is_declared: false };
        assert_eq!(score.points(), 8 * 4 + 2 - 16);
        assert_eq!(Score { is_declared: true, ..score }.points(), 4 * 34);
    }
}
