//! Any bytes are read without a panic, and cut into the same records whatever the size of the chunks, plain and compressed.

use std::io::{Cursor, Write};
use std::iter::zip;

use batchdoku::input::{FormatChoice, ReadOptions, Source};
use batchdoku::record::{Claim, Fault, Records, Want};
use batchdoku::sudoku::{Case, Grid};

use super::draw::Draw;

/// What is read of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadRecord {
    pub line: u64,
    pub text: Vec<u8>,
    pub puzzle: Grid,
    pub case: Option<Case>,
    pub fault: Option<Fault>,
    pub claim: Option<Result<Grid, Fault>>,
}

/// Reads bytes in two sizes of chunks, and once more compressed.
pub fn run(bytes: &[u8]) {
    let mut draw = Draw::new(bytes);
    // Half of the time the format is found.
    let format = FormatChoice::ALL.get(usize::from(draw.byte()) % (2 * FormatChoice::ALL.len())).copied();
    let mut column =
        || draw.one_of(&[None, None, None, Some("1"), Some("2"), Some("puzzle")]).map(str::to_owned);
    let (puzzle_column, solution_column) = (column(), column());
    let claims = draw.coin();
    let options = ReadOptions { format, puzzle_column, solution_column, claims, ..ReadOptions::default() };
    let target = draw.below(2000) + 1;
    let compression = draw.one_of(&[None, None, Some(Compression::Gzip), Some(Compression::Zstd)]);
    let resumed_at = draw.one_of(&[None, None, None, Some(())]).map(|()| draw.byte() % 8);
    let text = draw.rest();

    let small = records(text, &options, target);
    let large = records(text, &options, text.len() + 1);
    assert!(small == large, "{small:?}\nin one chunk: {large:?}");
    if let Some(at) = resumed_at
        && let Ok((records, error)) = &large
    {
        go_on(text, &options, target, usize::from(at), records, error.as_ref());
    }
    // What is compressed already would come out compressed.
    let is_compressed = [&b"\x1f\x8b"[..], b"\x28\xb5\x2f\xfd"].iter().any(|magic| text.starts_with(magic));
    if let Some(compression) = compression
        && !is_compressed
    {
        let compressed = records(&compression.of(text), &options, target);
        assert!(compressed == large, "{compressed:?}\nnot compressed: {large:?}");
    }
}

/// Reads a file on from one of its batches: the records from there on come out, and no others.
fn go_on(
    text: &[u8],
    options: &ReadOptions,
    target: usize,
    batch: usize,
    records: &[ReadRecord],
    error: Option<&String>,
) {
    let mut file = tempfile::NamedTempFile::new().expect("there is room for a file");
    file.write_all(text).expect("there is room for a file");
    let mut source = Source::open(file.path(), options).expect("it was read before");
    let mut positions = Vec::new();
    while let Ok(Some(chunk)) = source.next_batch(Vec::new(), target) {
        positions.push(chunk.position);
    }
    let Some(&position) = positions.get(batch % positions.len().max(1)) else { return };
    let mut source = Source::open_at(file.path(), options, position).expect("it was opened before");
    let mut before = position.records as usize;
    let mut columns = Records::default();
    let ended = loop {
        match source.next_batch(Vec::new(), text.len() + 1) {
            Ok(Some(chunk)) => {
                assert_eq!(chunk.position.records, before as u64);
                chunk.read(Want { claims: true }, &mut columns);
                for row in 0..columns.len() {
                    let expected = &records[before + row];
                    assert_eq!(columns.lines()[row], expected.line);
                    assert_eq!(columns.spans()[row].of(&chunk.bytes), expected.text);
                    assert_eq!(columns.puzzles()[row], expected.puzzle);
                    assert_eq!(columns.faults().get(row), expected.fault.as_ref());
                }
                before += columns.len();
            }
            ended => break ended,
        }
    };
    assert_eq!(before, records.len(), "some are missing behind {position:?}");
    assert_eq!(ended.is_err(), error.is_some());
}

/// The records of a text, read in chunks of about `target` bytes, and the error at its end.
pub fn records(
    text: &[u8],
    options: &ReadOptions,
    target: usize,
) -> Result<(Vec<ReadRecord>, Option<String>), String> {
    let reader = Cursor::new(text.to_vec());
    let options = ReadOptions { look: true, ..options.clone() };
    let mut source = Source::from_reader("fuzz", reader, &options).map_err(|error| error.to_string())?;
    let is_text = source.look().is_some_and(|look| !["parquet", "arrow", "npy"].contains(&look.format));
    // UTF-16 and UTF-32 are decoded, and carriage returns that end lines are read as line feeds.
    let is_encoded =
        [&b"\xff\xfe"[..], b"\xfe\xff", b"\0\0\xfe\xff"].iter().any(|mark| text.starts_with(mark));
    let is_plain = is_text && !is_encoded && !source.info().compressed;
    let mut records = Vec::new();
    let mut columns = Records::default();
    let mut buffer = Vec::new();
    loop {
        let chunk = match source.next_batch(buffer, target) {
            Ok(Some(chunk)) => chunk,
            Ok(None) => break,
            Err(error) => {
                assert!(matches!(source.next_batch(Vec::new(), target), Ok(None)), "an error ends a source");
                return Ok((records, Some(error.to_string())));
            }
        };
        assert_eq!(chunk.position.records, records.len() as u64);
        let raw = text.get(chunk.position.offset as usize..).unwrap_or_default();
        let is_there = raw.len() >= chunk.bytes.len()
            && zip(raw, &chunk.bytes).all(|(&raw, &read)| read == raw || raw == b'\r' && read == b'\n');
        assert!(!is_plain || is_there, "{chunk:?}");
        chunk.read(Want { claims: true }, &mut columns);
        for row in 0..columns.len() {
            let (line, text) = (columns.lines()[row], columns.spans()[row].of(&chunk.bytes));
            let (puzzle, fault) = (columns.puzzles()[row], columns.faults().get(row).cloned());
            assert!(line >= chunk.position.line);
            if let Some(fault) = &fault {
                let place = fault.place.expect("a fault of an input has a place");
                assert!(place.line >= line && place.column >= 1 && !fault.reason().is_empty());
                assert_eq!(Fault::parse(&fault.to_string()).to_string(), fault.to_string());
            }
            let lines: Vec<_> = text.split(|&byte| byte == b'\n').collect();
            for cell in 0..81 {
                let place = chunk.place(&columns, row, cell);
                assert!(place.line >= line && place.column >= 1);
                if is_text && columns.is_sudoku(row) && puzzle.get(cell) != 0 {
                    let line = lines.get((place.line - line) as usize);
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
            let (text, case) = (text.to_vec(), columns.cases().get(row).cloned());
            records.push(ReadRecord { line, text, puzzle, case, fault, claim });
        }
        assert!(chunk.records > 0, "a chunk holds a record");
        assert_eq!(chunk.position.records + chunk.records, records.len() as u64, "counted and read differ");
        buffer = chunk.bytes;
    }
    Ok((records, None))
}

/// A way to compress.
#[derive(Clone, Copy, Debug)]
pub enum Compression {
    Gzip,
    Zstd,
}

impl Compression {
    /// The bytes compressed, in two members or frames.
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
