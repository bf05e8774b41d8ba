//! What the tests of the formats share: a text read in blocks of several sizes, and what came out.

use super::reader::{Block, Read, Reader, State, TextEnd, TextReader};
use crate::record::{Claim, Fault, Place, Records, Want};

/// A record as tests compare it: its line and its 81 characters, or where and why it is invalid; and what it claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    /// The line on which the record starts.
    pub line: u64,
    /// The text of the record.
    pub text: String,
    /// The 81 characters, `N dominoes`, or `LINE:COLUMN: reason`.
    pub puzzle: String,
    /// The 81 characters of the claim, what is wrong with it, or nothing.
    pub claim: String,
}

/// All that a text gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    pub records: Vec<Shown>,
    pub read: Read,
}

impl Reading {
    /// The puzzles alone.
    pub fn puzzles(&self) -> Vec<&str> {
        self.records.iter().map(|record| &*record.puzzle).collect()
    }
}

/// Reads a whole text in blocks of about `target` bytes, as a source does.
pub(super) fn read_in(reader: &dyn TextReader, text: &[u8], target: usize) -> Reading {
    read_parts(reader, text, target, false)
}

/// The same. Where its end is `seen_late`, as of a pipe, all
/// that is whole is read before it is known that nothing follows; then an empty block ends the text if nothing is left.
fn read_parts(reader: &dyn TextReader, text: &[u8], target: usize, seen_late: bool) -> Reading {
    let mut reading = Reading::default();
    let (mut state, mut start, mut wanted, mut is_end_seen) = (State::default(), 0, target, !seen_late);
    loop {
        let stop = text.len().min(start + wanted);
        let end = if stop == text.len() && is_end_seen { TextEnd::Last } else { TextEnd::More };
        let before = state.clone();
        let length = reader.frame(&mut state, &text[start..stop], end);
        if length == 0 && end == TextEnd::More {
            assert_eq!(state, before, "no block leaves nothing behind");
            (wanted, is_end_seen) = (2 * wanted, is_end_seen || stop == text.len());
            continue;
        }
        let is_last = end == TextEnd::Last && start + length == text.len();
        assert!(length > 0 || is_last, "all is framed at the end");
        if !text.is_empty() {
            let block = Block { bytes: &text[start..start + length], state: &before, is_last };
            add(reader, &block, &mut reading);
        }
        (start, wanted) = (start + length, target);
        if is_last {
            return reading;
        }
    }
}

/// The same in blocks of several sizes, which all must give the same.
pub(super) fn read(reader: &dyn TextReader, text: impl AsRef<[u8]>) -> Reading {
    let text = text.as_ref();
    let size = text.len().max(1);
    let whole = read_in(reader, text, size);
    for (target, seen_late) in [(1, false), (50, true), (300, false), (1000, true), (size, true)] {
        let parts = read_parts(reader, text, target, seen_late);
        assert_eq!(parts, whole, "blocks of {target} bytes, end seen late: {seen_late}");
    }
    whole
}

/// Adds what a block gives.
pub(super) fn add(reader: &dyn Reader, block: &Block<'_>, reading: &mut Reading) {
    let before = reading.read.lines;
    let (mut records, mut unclaimed) = (Records::default(), Records::default());
    let read = reader.read(block, Want { claims: true }, &mut records);
    assert_eq!(reader.read(block, Want::default(), &mut unclaimed), read);
    assert_eq!((unclaimed.puzzles(), unclaimed.lines()), (records.puzzles(), records.lines()));
    records.claims.fill(records.len());
    for row in 0..records.len() {
        let at = |place: Place| format!("{}:{}", before + place.line, place.column);
        let puzzle = match (records.faults().get(row), records.cases().get(row)) {
            (Some(fault), _) => {
                let other = fault.other.map(|place| Place { line: before + place.line, ..place });
                let reason = Fault { other, ..fault.clone() }.reason();
                format!("{}: {reason}", fault.place.map_or("?".to_owned(), at))
            }
            (_, Some(case)) => format!("{} dominoes", case.dominoes.len()),
            _ => records.puzzles()[row].to_string(),
        };
        let claim = match records.claims.get(row) {
            Claim::Missing => String::new(),
            Claim::Grid(grid) => grid.to_string(),
            Claim::Faulty(fault) => fault.reason(),
        };
        let text = String::from_utf8_lossy(records.spans()[row].of(block.bytes)).into_owned();
        reading.records.push(Shown { line: before + records.lines()[row], text, puzzle, claim });
    }
    reading.read.passed.add(before, read.passed);
    reading.read.lines += read.lines;
}
