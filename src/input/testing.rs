//! What the tests of the formats share: reading bytes to the end and keeping what came out.

use std::io::Cursor;

use super::{Body, FormatChoice, InputError, Layout, Place, ReadOptions, Source};

/// A record with a text of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owned {
    pub line: u64,
    pub text: Vec<u8>,
    pub layout: Layout,
    pub body: Body,
}

impl Owned {
    /// The 81 characters of a sudoku, or line, column and reason of what is invalid.
    pub fn show(&self) -> String {
        match &self.body {
            Body::Sudoku(grid) => grid.to_string(),
            Body::Sudominoku(case) => format!("{} dominoes", case.dominoes.len()),
            Body::Invalid(fault) => {
                format!("{}:{}: {}", fault.place.line, fault.place.column, fault.reason)
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
}

impl Reading {
    pub fn show(&self) -> Vec<String> {
        self.records.iter().map(Owned::show).collect()
    }
}

/// Opens text as an input called `test`.
pub(super) fn open(text: &[u8], options: &ReadOptions) -> Result<Source, InputError> {
    Source::from_reader("test", Cursor::new(text.to_vec()), options)
}

/// Reads a source to its end and checks what holds for all chunks.
pub(super) fn drain(mut source: Source, target: usize) -> Reading {
    let mut reading = Reading { records: Vec::new(), notes: Vec::new(), error: None };
    let mut buffer = Vec::new();
    loop {
        match source.next_batch(buffer, target) {
            Ok(Some(chunk)) => {
                assert_eq!(chunk.position.records, reading.records.len() as u64);
                assert!(chunk.records > 0);
                chunk.for_each(|record| {
                    let cell_80 = chunk.place_of(&record, 80);
                    assert!(cell_80 >= Place { line: record.line, column: 1 });
                    reading.records.push(Owned {
                        line: record.line,
                        text: record.text.to_vec(),
                        layout: record.layout,
                        body: record.body,
                    });
                });
                assert_eq!(chunk.position.records + chunk.records, reading.records.len() as u64);
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

/// Reads text as it would be read without options.
pub(super) fn read(text: &[u8]) -> Reading {
    drain(open(text, &ReadOptions::default()).expect("the format is found"), 100 << 10)
}

/// Reads text in a given format.
pub(super) fn read_as(text: &[u8], choice: FormatChoice) -> Reading {
    let options = ReadOptions { format: Some(choice), puzzle_column: None };
    drain(open(text, &options).expect("the format is given"), 100 << 10)
}

/// The places of all cells of all records.
pub(super) fn places(text: &[u8]) -> Vec<Vec<Place>> {
    let mut source = open(text, &ReadOptions::default()).expect("the format is found");
    let mut places = Vec::new();
    while let Some(chunk) = source.next_batch(Vec::new(), 1 << 10).expect("the text is whole") {
        chunk.for_each(|record| places.push((0..81).map(|cell| chunk.place_of(&record, cell)).collect()));
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
