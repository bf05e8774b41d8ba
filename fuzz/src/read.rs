//! Checks that any bytes are read without a panic, and yield the same records for any chunk size, plain or compressed.

use std::io::{Cursor, Write};

use batchdoku::input::{Dialect, Framing, ReadOptions, Source};
use batchdoku::record::{Claim, Fault, Records, Want};
use batchdoku::sudoku::Grid;

use super::draw::Draw;

/// The parts of a record that were read.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadRecord {
    pub line: u64,
    pub text: Vec<u8>,
    pub puzzle: Grid,
    /// The Sudominoku case, as text.
    pub case: Option<String>,
    pub fault: Option<Fault>,
    pub claim: Option<Result<Grid, Fault>>,
}

/// Reads the bytes with two chunk sizes, and once more compressed.
pub fn run(bytes: &[u8]) {
    let mut draw = Draw::new(bytes);
    // Half of the time, the format is detected.
    let framing = Framing::ALL.get(usize::from(draw.byte()) % (2 * Framing::ALL.len())).copied();
    let format = framing.map(Dialect::of);
    let mut column =
        || draw.one_of(&[None, None, None, Some("1"), Some("2"), Some("puzzle")]).map(str::to_owned);
    let (puzzle_column, solution_column) = (column(), column());
    let options = ReadOptions { format, puzzle_column, solution_column, ..ReadOptions::default() };
    let target = draw.below(2000) + 1;
    let compression = draw.one_of(&[None, None, Some(Compression::Gzip), Some(Compression::Zstd)]);
    let text = draw.rest();

    let small = records(text, &options, target);
    let large = records(text, &options, text.len() + 1);
    assert!(small == large, "{small:?}\nin one chunk: {large:?}");
    // Text that is already compressed is skipped: decompressing it once would leave it compressed.
    let is_compressed = [&b"\x1f\x8b"[..], b"\x28\xb5\x2f\xfd"].iter().any(|magic| text.starts_with(magic));
    if let Some(compression) = compression
        && !is_compressed
    {
        let compressed = records(&compression.of(text), &options, target);
        assert!(compressed == large, "{compressed:?}\nnot compressed: {large:?}");
    }
}

/// Reads the records of a text in chunks of about `target` bytes; returns them, and the error at the end, if any.
pub fn records(
    text: &[u8],
    options: &ReadOptions,
    target: usize,
) -> Result<(Vec<ReadRecord>, Option<String>), String> {
    let reader = Cursor::new(text.to_vec());
    let mut source = Source::from_reader("fuzz", reader, options).map_err(|error| error.to_string())?;
    let is_text = !source.look().dialect.framing.is_binary();
    let mut records = Vec::new();
    let mut columns = Records::default();
    let mut buffer = Vec::new();
    let (mut seen, mut lines_before) = (Vec::new(), 0);
    loop {
        let chunk = match source.next_batch(buffer, target) {
            Ok(Some(chunk)) => chunk,
            Ok(None) => break,
            Err(error) => {
                assert!(matches!(source.next_batch(Vec::new(), target), Ok(None)), "an error ends a source");
                return Ok((records, Some(error.to_string())));
            }
        };
        let read = chunk.read(Want { claims: true }, &mut columns);
        columns.shift_lines(lines_before);
        seen.extend_from_slice(&chunk.bytes);
        let lines: Vec<_> = seen.split(|&byte| byte == b'\n').collect();
        for row in 0..columns.len() {
            let (line, text) = (columns.lines()[row], columns.spans()[row].of(&chunk.bytes));
            let (puzzle, fault) = (columns.puzzles()[row], columns.faults().get(row).cloned());
            assert!(line > lines_before && line <= lines_before + read.lines);
            if let Some(fault) = &fault {
                let place = fault.place.expect("a fault of an input has a place");
                assert!(place.line >= line && place.column >= 1 && !fault.reason().is_empty());
            }
            for cell in 0..81 {
                let place = chunk.place(&columns, row, cell);
                assert!(place.line >= line && place.column >= 1);
                if is_text && columns.is_sudoku(row) && puzzle.get(cell) != 0 {
                    let line = lines.get(place.line as usize - 1);
                    let found = line.and_then(|line| line.get(place.column as usize - 1)).copied();
                    assert_eq!(
                        found,
                        Some(b'0' + puzzle.get(cell)),
                        "cell {cell} does not stand at {place:?}"
                    );
                }
            }
            let claim = match columns.claims.get(row) {
                Claim::Missing => None,
                Claim::Grid(grid) => Some(Ok(*grid)),
                Claim::Faulty(fault) => Some(Err(fault.clone())),
            };
            let (text, case) = (text.to_vec(), columns.variants().get(row).map(ToString::to_string));
            records.push(ReadRecord { line, text, puzzle, case, fault, claim });
        }
        lines_before += read.lines;
        buffer = chunk.bytes;
    }
    Ok((records, None))
}

/// A compression format.
#[derive(Clone, Copy, Debug)]
pub enum Compression {
    Gzip,
    Zstd,
}

impl Compression {
    /// Compresses the bytes, as two members or frames.
    pub fn of(self, bytes: &[u8]) -> Vec<u8> {
        let (first, second) = bytes.split_at(bytes.len() / 2);
        [first, second].into_iter().flat_map(|part| self.member(part)).collect()
    }

    fn member(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes everything")
            }
            Self::Zstd => zstd::encode_all(bytes, 1).expect("memory takes everything"),
        }
    }
}
