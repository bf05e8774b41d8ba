//! Helpers shared by the format tests: a text is read in blocks of several sizes, and the results are compared.

use super::reader::{Block, Read, Reader, State, TextEnd, TextReader, Which};
use super::text::place_in;
use super::{InputError, Source};
use crate::record::{Claim, Fault, Place, Records, Want};
use crate::sudoku::Grid;

/// A record as the tests compare it: its line, its 81 characters or its fault with the place, and its claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    /// The line on which the record starts.
    pub line: u64,
    /// The text of the record.
    pub text: String,
    /// The 81 characters, `N dominoes`, or `LINE:COLUMN: reason`.
    pub puzzle: String,
    /// The 81 characters of the claim, or the fault of an unreadable claim; empty if the record claims nothing.
    pub claim: String,
}

/// The result of reading a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    pub records: Vec<Shown>,
    pub read: Read,
}

impl Reading {
    /// Returns only the puzzles.
    pub fn puzzles(&self) -> Vec<&str> {
        self.records.iter().map(|record| &*record.puzzle).collect()
    }
}

/// Reads a whole text in blocks of about `target` bytes, as a source does.
pub(crate) fn read_in(reader: &dyn TextReader, text: &[u8], target: usize) -> Reading {
    read_parts(reader, text, target, false)
}

/// Reads a text in blocks. If `seen_late` is set, all whole units are read before the end is known, as in a pipe. If
/// nothing is left by then, an empty block ends the text.
fn read_parts(reader: &dyn TextReader, text: &[u8], target: usize, seen_late: bool) -> Reading {
    let mut reading = Reading::default();
    let (mut state, mut start, mut wanted, mut is_end_seen) = (State::default(), 0, target, !seen_late);
    loop {
        let stop = text.len().min(start + wanted);
        let end = if stop == text.len() && is_end_seen { TextEnd::Last } else { TextEnd::More };
        let before = state.clone();
        let length = reader.frame(&mut state, &text[start..stop], end);
        if length == 0 && end == TextEnd::More {
            assert_eq!(state, before, "without a block the state stays");
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

/// Reads a text in blocks of several sizes, which must all give the same result.
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

/// Adds the records of a block.
pub(super) fn add(reader: &dyn Reader, block: &Block<'_>, reading: &mut Reading) {
    let before = reading.read.lines;
    let (mut records, mut unclaimed) = (Records::with_claims(), Records::default());
    let read = reader.read(block, &mut records);
    assert_eq!(reader.read(block, &mut unclaimed), read);
    assert_eq!((unclaimed.puzzles(), unclaimed.lines()), (records.puzzles(), records.lines()));
    records.claims.fill(records.len());
    for row in 0..records.len() {
        let at = |place: Place| format!("{}:{}", before + place.line, place.column);
        let puzzle = match (records.faults().get(row), records.variants().get(row)) {
            (Some(fault), _) => {
                let other = fault.other.map(|place| Place { line: before + place.line, ..place });
                let reason = Fault { other, ..fault.clone() }.reason();
                format!("{}: {reason}", fault.place.map_or("?".to_owned(), at))
            }
            (_, Some(variant)) => {
                let text = variant.to_string();
                format!("{} {}", text.lines().next().unwrap_or_default(), variant.kind().facts().parts)
            }
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

/// Reads a text as one block and returns its records with their claims.
pub(super) fn records_of(reader: &dyn TextReader, text: impl AsRef<[u8]>) -> Records {
    let mut records = Records::with_claims();
    let block = Block { bytes: text.as_ref(), state: &State::default(), is_last: true };
    reader.read(&block, &mut records);
    records
}

/// Checks that every digit of the puzzles and claims is where the reader says it is.
pub(super) fn assert_places(name: &str, reader: &dyn TextReader, text: &str) {
    let records = records_of(reader, text);
    let lines: Vec<&[u8]> = text.split('\n').map(str::as_bytes).collect();
    let number = |number: u64| usize::try_from(number - 1).expect("it is short");
    for row in (0..records.len()).filter(|&row| records.is_sudoku(row)) {
        let span = records.spans()[row];
        let line_start = text[..span.start].rfind('\n').map_or(0, |end| end + 1);
        let claim = if let Claim::Grid(claim) = records.claims.get(row) { *claim } else { Grid::EMPTY };
        for (which, grid) in [(Which::Puzzle, records.puzzles()[row]), (Which::Claim, claim)] {
            for cell in (0..81).filter(|&cell| grid.get(cell) > 0) {
                let record = span.of(text.as_bytes());
                let offset = reader.offset(record, cell, which).expect("the cell is there");
                let place = place_in(records.lines()[row], record, offset);
                let is_first_line = place.line == records.lines()[row];
                let indent = if is_first_line { span.start - line_start } else { 0 };
                let there = lines[number(place.line)].get(number(place.column) + indent);
                let digit = b'0' + grid.get(cell);
                assert_eq!(there, Some(&digit), "{name}: cell {cell} of the {which:?} at {place:?}");
            }
        }
    }
}

/// The result of reading an input to the end.
#[derive(Debug, Default)]
pub(super) struct Drained {
    pub reading: Reading,
    pub text: String,
    pub error: Option<InputError>,
    pub without_records: Option<InputError>,
}

/// Reads an input to the end, in batches of about `target` bytes.
pub(super) fn drain(source: &mut Source, target: usize) -> Drained {
    let mut all = Drained::default();
    let (mut buffer, mut is_over) = (Vec::new(), false);
    loop {
        match source.next_batch(buffer, target) {
            Ok(Some(batch)) => {
                assert!(!is_over, "nothing comes after the last block or an error");
                is_over = batch.is_last;
                batch.read(Want::default(), &mut Records::default());
                let block = Block { bytes: &batch.bytes, state: &batch.state, is_last: is_over };
                add(&*batch.reader, &block, &mut all.reading);
                all.text += &String::from_utf8_lossy(&batch.bytes);
                buffer = batch.bytes;
            }
            Ok(None) => break,
            Err(error) => {
                assert!(all.error.is_none(), "one error at most");
                (all.error, is_over, buffer) = (Some(error), true, Vec::new());
            }
        }
    }
    all.without_records = source.without_records();
    all
}
