//! What the tests of columns share: an input read to its end, and what came out.

use std::fs::File;
use std::io::Cursor;
use std::path::Path;

use super::binary::Binary;
use super::opened::{BinaryInput, BinaryRows, Bytes};
use crate::input::reader::{Block, State};
use crate::input::stream::{Raw, Stream};
use crate::input::{Columns, Hash, InputError, ReadOptions};
use crate::record::{Claim, Records, Texts, Want};

pub(super) const PUZZLE: &str =
    "003020600900305001001806400008102900700000008006708200002609500800203009005010300";
pub(super) const SOLUTION: &str =
    "483921657967345821251876493548132976729564138136798245372689514814253769695417382";

/// The puzzle as it is shown.
pub(super) fn dotted() -> String {
    PUZZLE.replace('0', ".")
}

/// All that an input gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// The 81 characters of each puzzle, or line, column and reason.
    pub puzzles: Vec<String>,
    /// Those of each claim, or nothing.
    pub claims: Vec<String>,
    /// The columns that are carried along.
    pub carried: Vec<Texts>,
    pub notes: Vec<String>,
    pub error: Option<String>,
    pub columns: Columns,
    /// Bytes that were read, and whether their hash is known.
    pub seen: (u64, bool),
}

/// Reads rows to their end in blocks of about `target` bytes, with some columns that are carried along.
pub(super) fn drain(
    mut opened: BinaryRows,
    target: usize,
    carried: &[Option<usize>],
    hash: &Hash,
) -> Reading {
    let mut reading = Reading { columns: opened.columns, notes: opened.notes, ..Reading::default() };
    opened.rows.carry(carried);
    reading.carried.resize_with(carried.len(), Texts::default);
    loop {
        match opened.rows.next(target) {
            Ok(Some(block)) => {
                let (mut records, mut unclaimed) = (Records::default(), Records::default());
                let no_text = Block { bytes: b"", state: &State::default(), is_last: false };
                let read = block.reader.read(&no_text, Want { claims: true }, &mut records);
                assert_eq!(block.reader.read(&no_text, Want::default(), &mut unclaimed), read);
                assert_eq!((read.lines, records.len() as u64), (block.rows, block.rows));
                assert_eq!((unclaimed.puzzles(), unclaimed.lines()), (records.puzzles(), records.lines()));
                let before = reading.puzzles.len() as u64;
                add(&records, &mut reading);
                let mut texts = vec![Texts::default(); carried.len()];
                block.reader.carry(b"", &records, carried, &mut texts);
                for (all, texts) in reading.carried.iter_mut().zip(&texts) {
                    (0..texts.len()).for_each(|row| all.push(texts.get(row)));
                    assert!(texts.is_empty() || all.len() as u64 == before + block.rows);
                }
            }
            Ok(None) => break,
            Err(error) => {
                reading.error = Some(error.to_string());
                break;
            }
        }
    }
    reading.notes.extend(opened.rows.note());
    assert!(reading.error.is_some() || opened.rows.raw_position() == hash.bytes());
    reading.seen = (hash.bytes(), hash.sha256().is_some());
    reading
}

fn add(records: &Records, reading: &mut Reading) {
    let before = reading.puzzles.len() as u64;
    for row in 0..records.len() {
        let puzzle = match records.faults().get(row) {
            Some(fault) => {
                let place = fault.place.expect("a fault of an input has a place");
                format!("{}:{}: {}", before + place.line, place.column, fault.reason())
            }
            None => records.puzzles()[row].to_string(),
        };
        let claim = match records.claims.get(row) {
            Claim::Missing => String::new(),
            Claim::Grid(grid) => grid.to_string(),
            Claim::Faulty(fault) => fault.reason(),
        };
        reading.puzzles.push(puzzle);
        reading.claims.push(claim);
    }
}

/// Opens a file, as a source does.
pub(super) fn open_file(path: &Path, options: &ReadOptions, hash: &Hash) -> Result<BinaryRows, InputError> {
    let start = std::fs::read(path).expect("it is there");
    let bytes = Bytes::File(File::open(path).expect("it is there"));
    let name = path.to_string_lossy();
    let binary = Binary::of(&start).expect("a format that is no text");
    binary.open(BinaryInput { name: &name, bytes, options, hash })
}

/// Reads a file.
pub(super) fn read_file(path: &Path, options: &ReadOptions, target: usize) -> Result<Reading, String> {
    let hash = Hash::new(options.hash);
    let opened = open_file(path, options, &hash).map_err(|error| error.to_string())?;
    Ok(drain(opened, target, &[], &hash))
}

/// Opens bytes that come through a pipe, compressed or not.
pub(super) fn open_pipe(bytes: &[u8], hash: &Hash) -> Result<BinaryRows, InputError> {
    let mut stream =
        Stream::new(Raw::of(Cursor::new(bytes.to_vec())), hash, false).expect("memory gives all");
    let binary = Binary::of(stream.start()).expect("a format that is no text");
    let (bytes, options) = (Bytes::Stream(Box::new(stream)), &ReadOptions::default());
    binary.open(BinaryInput { name: "test", bytes, options, hash })
}

/// Reads bytes that come through a pipe.
pub(super) fn read_pipe(bytes: &[u8], target: usize) -> Result<Reading, String> {
    let hash = Hash::new(false);
    let opened = open_pipe(bytes, &hash).map_err(|error| error.to_string())?;
    Ok(drain(opened, target, &[], &hash))
}

/// Tables of Arrow.
#[cfg(feature = "parquet")]
pub(super) mod arrow {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, RecordBatch, StringArray};
    use arrow_schema::{Field, Schema};

    use super::{PUZZLE, SOLUTION, dotted};

    /// Puzzles that take turns, good and bad, and what they claim.
    pub const PUZZLES: [Option<&str>; 4] = [
        Some(PUZZLE),
        None,
        Some("12"),
        Some("q03020600900305001001806400008102900700000008006708200002609500800203009005010300"),
    ];
    pub const CLAIMS: [Option<&str>; 4] = [Some(SOLUTION), None, Some(SOLUTION), None];

    /// So many texts, which take turns.
    pub fn texts(texts: [Option<&str>; 4], rows: usize) -> ArrayRef {
        Arc::new(texts.into_iter().cycle().take(rows).collect::<StringArray>())
    }

    /// What the puzzles and the claims are read as.
    pub fn expected(rows: usize) -> (Vec<String>, Vec<String>) {
        let show = |row: usize| match row % 4 {
            0 => dotted(),
            1 => format!("{}:1: 0 cells (expected 81)", row + 1),
            2 => format!("{}:3: 2 cells (expected 81)", row + 1),
            _ => format!("{}:1: invalid character 'q' (expected 1-9, 0 or .)", row + 1),
        };
        let claim = |row: usize| if row.is_multiple_of(4) { SOLUTION } else { "" }.to_owned();
        ((0..rows).map(show).collect(), (0..rows).map(claim).collect())
    }

    pub fn batch_of(columns: &[(&str, ArrayRef)]) -> RecordBatch {
        let field = |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
        let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
        let arrays = columns.iter().map(|(_, array)| Arc::clone(array)).collect();
        RecordBatch::try_new(Arc::new(schema), arrays).expect("columns of one length")
    }
}
