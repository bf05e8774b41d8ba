//! Scores a candidate reader on the start of an input, and collects the details for an error message.

use std::sync::Arc;

use super::reader::{Block, Read, Sample, State, TextReader};
use super::{Framing, Passed};
use crate::record::{Claim, Fault, FaultKind, Records, Span};
use crate::sudoku::{CELLS, Grid, SIDE, box_of, column_of, row_of};

/// Counts of the records that a candidate read from the start of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// The number of readable records. If several are on one line, only the first counts, unless the text declares its
    /// format. Otherwise a list reader would outscore a table reader when there is another column beside the puzzles.
    pub good: u64,
    /// The number of grids whose clues clash; they are not among the good records.
    pub clashing: u64,
    /// The number of good records with at least one clue and a claimed solution. Without a clue, any grid below the
    /// puzzle would count as its solution.
    pub claims: u64,
    /// The number of unreadable records.
    pub bad: u64,
    /// Whether the text declares its format: a document by its syntax, a table by a header that names the puzzles.
    pub is_declared: bool,
}

impl Score {
    /// Returns the score in units of an eighth of a good record. A claim scores the same as a good record; each bad
    /// record subtracts half that. A grid whose clues clash scores one eighth, because other data contains such grids
    /// too. Declared formats score four times as much, and bad records do not lower their score.
    #[must_use]
    pub const fn points(&self) -> i64 {
        let Self { good, clashing, claims, bad, is_declared } = *self;
        let points = (8 * (good + claims) + clashing).cast_signed();
        if is_declared { 4 * points } else { points - (4 * bad).cast_signed() }
    }

    /// Returns whether there are at least `enough` good records and no bad ones.
    pub(super) const fn is_good(&self, enough: u64) -> bool {
        self.good >= enough && self.bad == 0
    }

    /// Scores the records read from a text; `is_declared` says whether the text declares its format.
    pub(super) fn of(records: &Records, is_declared: bool) -> Self {
        let (mut score, mut last) = (Self { is_declared, ..Self::default() }, None);
        for (row, line) in records.lines().iter().enumerate() {
            match records.readable()[row] {
                false => score.bad += 1,
                true if records.is_sudoku(row) && clashes(&records.puzzles()[row]) => score.clashing += 1,
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

/// One way to read the start of an input, and the result.
pub(super) struct Attempt {
    pub reader: Arc<dyn TextReader>,
    pub framing: Framing,
    pub score: Score,
    /// The number of unreadable records that are at least half a puzzle; for a grid, this means half of its rows.
    pub damaged: u64,
    /// The number of readable puzzles that have both clues and blanks.
    pub open: u64,
    /// The fault of the first unreadable record, with its line number in the input.
    pub fault: Option<Fault>,
    pub passed: Passed,
    /// Whether anything was read; false if the first unit is longer than the sample.
    pub has_read: bool,
    /// Whether an input that ends here may have no records because the text itself says that there are none.
    pub may_be_empty: bool,
}

impl Attempt {
    /// Reads the start of an input; more text may follow it.
    pub fn new(reader: Arc<dyn TextReader>, sample: &Sample<'_>) -> Self {
        let (before, mut state) = (State::default(), State::default());
        let length = reader.frame(&mut state, sample.bytes, sample.end());
        let is_last = sample.is_whole && length == sample.bytes.len();
        let block = Block { bytes: &sample.bytes[..length], state: &before, is_last };
        let mut records = Records::with_claims();
        let Read { passed, .. } = reader.read(&block, &mut records);
        let framing = reader.dialect().framing;
        let rows = if framing == Framing::Grid { SIDE.div_ceil(2) } else { 1 };
        let is_half = |span: &Span| memchr::memchr_iter(b'\n', span.of(block.bytes)).count() + 1 >= rows;
        let damaged = records.spans().iter().zip(records.readable());
        let damaged = damaged.filter(|(span, is_readable)| !**is_readable && is_half(span)).count() as u64;
        // Unreadable records have an empty grid.
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

    /// Returns whether the input is a document with valid syntax but a damaged puzzle, which rules out every other
    /// format.
    pub fn is_damaged_document(&self) -> bool {
        let is_document = matches!(self.framing, Framing::Json | Framing::Jsonl | Framing::Xml);
        is_document && self.score.bad > 0 && !self.is_something_else()
    }

    /// Returns whether the first fault is a syntax error or a value that contains no puzzle, rather than a damaged
    /// puzzle.
    pub fn is_something_else(&self) -> bool {
        use FaultKind::{BrokenJson, BrokenXml, CutOffDocument, NoJson, NoPuzzle};
        let kind = self.fault.as_ref().map(|fault| fault.kind);
        matches!(kind, Some(BrokenJson | BrokenXml | CutOffDocument | NoJson | NoPuzzle))
    }
}

/// Returns whether a house has a digit twice. This is faster than the verifier, which also names the cells.
fn clashes(grid: &Grid) -> bool {
    let mut houses = [0_u16; 27];
    grid.cells().iter().zip(0..CELLS).any(|(&digit, cell)| {
        let bit = (1 << digit) & !1;
        [row_of(cell), 9 + column_of(cell), 18 + box_of(cell)].into_iter().any(|house| {
            let is_there = houses[house] & bit != 0;
            houses[house] |= bit;
            is_there
        })
    })
}
