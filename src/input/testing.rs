//! What the tests of the formats share: reading bytes to the end and keeping what came out.

use std::io::Cursor;

use super::{Batch, FormatChoice, InputError, OptionNames, ReadOptions, Source};
use crate::record::{Claim, Fault, Layout, Place, Records, Want};
use crate::sudoku::{Case, Grid, digit_of};

/// What a record says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Body {
    Sudoku(Grid),
    Sudominoku(Box<Case>),
    Invalid(Fault),
}

/// A record with a text of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owned {
    pub line: u64,
    pub text: Vec<u8>,
    pub layout: Layout,
    pub body: Body,
    pub claim: Option<Result<Grid, Fault>>,
}

impl Owned {
    /// As [`Owned::show`], what the record claims; `missing` if that is nothing.
    pub fn show_claim(&self) -> String {
        match &self.claim {
            None => "missing".to_owned(),
            Some(Ok(grid)) => grid.to_string(),
            Some(Err(fault)) => fault.to_string(),
        }
    }

    /// The 81 characters of a sudoku, or line, column and reason of what is invalid.
    pub fn show(&self) -> String {
        match &self.body {
            Body::Sudoku(grid) => grid.to_string(),
            Body::Sudominoku(case) => format!("{} dominoes", case.dominoes.len()),
            Body::Invalid(fault) => {
                let Place { line, column } = fault.place.expect("a fault of an input has a place");
                format!("{line}:{column}: {}", fault.reason())
            }
        }
    }
}

/// Everything that reading an input to its end gives.
#[derive(Debug)]
pub(super) struct Reading {
    pub records: Vec<Owned>,
    pub notes: Vec<String>,
    pub error: Option<InputError>,
    /// Whether every record begins a line.
    pub begins_lines: bool,
}

impl Reading {
    pub fn show(&self) -> Vec<String> {
        self.records.iter().map(Owned::show).collect()
    }

    pub fn claims(&self) -> Vec<String> {
        self.records.iter().map(Owned::show_claim).collect()
    }
}

/// What an error says, and what is to be done.
pub(super) fn told(error: &InputError) -> String {
    let hint = error.hint(&OptionNames::LIBRARY);
    format!("{error}; {}", hint.expect("something can be done"))
}

/// Opens text as an input called `test`.
pub(super) fn open(text: &[u8], options: &ReadOptions) -> Result<Source, InputError> {
    Source::from_reader("test", Cursor::new(text.to_vec()), options)
}

/// Reads a source to its end and checks what holds for all chunks.
pub(super) fn drain(source: Source, target: usize) -> Reading {
    drain_on(source, target, 0)
}

/// The same for a source of which some records were read before.
pub(super) fn drain_on(mut source: Source, target: usize, before: u64) -> Reading {
    let mut reading = Reading { records: Vec::new(), notes: Vec::new(), error: None, begins_lines: true };
    let mut buffer = Vec::new();
    loop {
        match source.next_batch(buffer, target) {
            Ok(Some(chunk)) => {
                assert_eq!(chunk.position.records, before + reading.records.len() as u64);
                assert!(chunk.records > 0);
                reading.begins_lines = chunk.format.begins_lines();
                reading.records.extend(records_of(&chunk));
                assert_eq!(chunk.position.records + chunk.records, before + reading.records.len() as u64);
                buffer = chunk.bytes;
            }
            Ok(None) => break,
            Err(error) => {
                assert!(reading.error.is_none(), "one error at most");
                reading.error = Some(error);
                buffer = Vec::new();
            }
        }
    }
    reading.notes = source.notes().to_vec();
    reading
}

/// The records of a batch.
fn records_of(batch: &Batch) -> Vec<Owned> {
    let (mut records, mut unclaimed) = (Records::default(), Records::default());
    batch.read(Want { claims: true }, &mut records);
    batch.read(Want::default(), &mut unclaimed);
    assert_eq!(unclaimed.lines(), records.lines());
    assert_eq!((unclaimed.puzzles(), unclaimed.faults()), (records.puzzles(), records.faults()));
    assert_eq!((records.claims.grids().1.len(), unclaimed.claims.grids().1.len()), (records.len(), 0));
    let body = |row| match (records.faults().get(row), records.cases().get(row)) {
        (Some(fault), _) => Body::Invalid(fault.clone()),
        (_, Some(case)) => Body::Sudominoku(Box::new(case.clone())),
        _ => Body::Sudoku(records.puzzles()[row]),
    };
    // The lines of the batch, whole where it begins within one.
    let before = usize::try_from(batch.position.cursor.column).expect("a short line");
    let text = [&vec![b' '; before][..], &batch.bytes].concat();
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let claim = |row| match records.claims.get(row) {
        Claim::Missing => None,
        Claim::Grid(grid) => {
            assert!(records.is_sudoku(row));
            let text = records.spans()[row].of(&batch.bytes);
            // What is no text has none to look at, and what stands apart may be in no batch.
            let is_elsewhere = text.is_empty() || batch.claim_apart(&records, row, 0).is_some();
            for cell in 0..if is_elsewhere { 0 } else { 81 } {
                let place = batch.claim_place(&records, row, cell);
                let byte = lines[(place.line - batch.position.line) as usize][place.column as usize - 1];
                assert_eq!(digit_of(byte), Some(grid.get(cell)), "the claim's cell {cell}");
            }
            Some(Ok(*grid))
        }
        Claim::Faulty(fault) => Some(Err(fault.clone())),
    };
    let record = |row| {
        let line = records.lines()[row];
        assert!(batch.place(&records, row, 80) >= Place { line, column: 1 });
        Owned {
            line,
            text: records.spans()[row].of(&batch.bytes).to_vec(),
            layout: records.layouts()[row],
            body: body(row),
            claim: claim(row),
        }
    };
    (0..records.len()).map(record).collect()
}

/// Reads text as it would be read without options.
pub(super) fn read(text: &[u8]) -> Reading {
    drain(open(text, &ReadOptions::default()).expect("the format is found"), 100 << 10)
}

/// Reads text in a given format.
pub(super) fn read_as(text: &[u8], format: &str) -> Reading {
    let format = Some(FormatChoice::named(format).expect("a known format"));
    let options = ReadOptions { format, ..ReadOptions::default() };
    drain(open(text, &options).expect("the format is given"), 100 << 10)
}

/// The places of all cells of all records.
pub(super) fn places(text: &[u8]) -> Vec<Vec<Place>> {
    let mut source = open(text, &ReadOptions::default()).expect("the format is found");
    let mut places = Vec::new();
    while let Some(chunk) = source.next_batch(Vec::new(), 1 << 10).expect("the text is whole") {
        let mut records = Records::default();
        chunk.read(Want::default(), &mut records);
        let all = |row| (0..81).map(|cell| chunk.place(&records, row, cell)).collect();
        places.extend((0..records.len()).map(all));
    }
    places
}

/// The example of BOJ 2239.
pub(super) const PUZZLE: &str =
    "103000509002109400000704000300502006060000050700803004000401000009205800804000107";

/// The same with dots.
pub(super) fn dotted() -> String {
    PUZZLE.replace('0', ".")
}

/// The same as nine lines.
pub(super) fn rows() -> String {
    (0..9).map(|row| format!("{}\n", &PUZZLE[row * 9..row * 9 + 9])).collect()
}
