//! What the tests of columns share: an input read to its end, and what came out.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;

use crate::input::testing::{self, Drained, Shown};
use crate::input::{InputError, ReadOptions, Source};

/// `P` where it is shown, and `S`.
pub const PUZZLE: &str = "003020600900305001001806400008102900700000008006708200002609500800203009005010300";
pub const SOLUTION: &str =
    "483921657967345821251876493548132976729564138136798245372689514814253769695417382";

/// Puzzles that take turns, good and bad, and what they claim.
pub const PUZZLES: [Option<&str>; 4] = [Some(PUZZLE), None, Some("12"), Some("q03020600 9")];
pub const CLAIMS: [Option<&str>; 4] = [Some(SOLUTION), None, Some(SOLUTION), None];

/// How so many rows of both are shown.
pub fn expected(rows: usize) -> Vec<String> {
    let shown = |row: usize| match row % 4 {
        0 => "P > S".to_owned(),
        1 => format!("{}:1: 0 cells (expected 81)", row + 1),
        2 => format!("{}:3: 2 cells (expected 81)", row + 1),
        _ => format!("{}:1: invalid character 'q' (expected 1-9, 0 or .)", row + 1),
    };
    (0..rows).map(shown).collect()
}

/// So many texts, which take turns.
pub fn texts(texts: [Option<&str>; 4], rows: usize) -> ArrayRef {
    Arc::new(texts.into_iter().cycle().take(rows).collect::<StringArray>())
}

pub fn batch_of(columns: &[(&str, ArrayRef)]) -> RecordBatch {
    RecordBatch::try_from_iter(columns.iter().cloned()).expect("columns of one length")
}

/// A stream of Arrow.
pub fn ipc(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).expect("memory takes it");
    writer.write(batch).and_then(|()| writer.finish()).expect("memory takes it");
    bytes
}

/// The path of a file that is still to be written.
pub fn temporary() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t");
    (directory, path)
}

/// All that a source gives in blocks of about `target` bytes, a line each: of a record its puzzle, or where and why there
/// is none, and its claim behind `>`; then the notes, and the error. The first column is carried along.
pub fn drain(source: Result<Source, InputError>, target: usize) -> Vec<String> {
    let mut source = match source {
        Ok(source) => source,
        Err(error) => return vec![format!("refused: {error}")],
    };
    source.carry(&[Some(0)]);
    let Drained { reading, error, .. } = testing::drain(&mut source, target);
    let error = error.map(|error| format!("error: {error}"));
    if source.is_binary() && error.is_none() {
        assert_eq!(source.raw_position(), source.hash().bytes());
        assert!(source.hash().sha256().is_some(), "all was read");
    }
    let records = reading.records.iter().map(|Shown { puzzle, claim, .. }| {
        let shown = if claim.is_empty() { puzzle.clone() } else { format!("{puzzle} > {claim}") };
        shown.replace(&PUZZLE.replace('0', "."), "P").replace(SOLUTION, "S")
    });
    let notes = source.notes().iter().map(|note| format!("note: {note}"));
    records.chain(notes).chain(error).collect()
}

/// What a file gives, whatever the sizes of the blocks; it is called `t`.
pub fn read_file(path: &Path) -> Vec<String> {
    let read = |target| {
        let lines = drain(Source::open(path, &hashing()), target);
        lines.iter().map(|line| line.replace(&*path.to_string_lossy(), "t")).collect::<Vec<_>>()
    };
    let whole = read(1 << 20);
    assert!([1, 567, 100_000].iter().all(|&target| read(target) == whole));
    whole
}

/// What bytes give as a file, and through a pipe, plain and compressed.
pub fn read(bytes: &[u8]) -> Vec<String> {
    let (_directory, path) = temporary();
    fs::write(&path, bytes).expect("a temporary file");
    let lines = read_file(&path);
    for bytes in [bytes.to_vec(), zstd::encode_all(bytes, 1).expect("memory takes it")] {
        assert_eq!(drain(Source::from_reader("t", Cursor::new(bytes), &hashing()), 567), lines);
    }
    lines
}

/// Options that have all bytes seen.
pub fn hashing() -> ReadOptions {
    ReadOptions { hash: true, ..ReadOptions::default() }
}
