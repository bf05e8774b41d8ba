//! Helpers shared by the column tests, which read an input to the end and show the results.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;

use crate::input::testing::{self, Drained, Shown};
use crate::input::{InputError, ReadOptions, Source};

/// The puzzle shown as `P`. The solution below is shown as `S`.
pub const PUZZLE: &str = "003020600900305001001806400008102900700000008006708200002609500800203009005010300";
pub const SOLUTION: &str =
    "483921657967345821251876493548132976729564138136798245372689514814253769695417382";

/// Good and bad puzzles, which are repeated in this order. Their claims are below.
pub const PUZZLES: [Option<&str>; 4] = [Some(PUZZLE), None, Some("12"), Some("q03020600 9")];
pub const CLAIMS: [Option<&str>; 4] = [Some(SOLUTION), None, Some(SOLUTION), None];

/// Returns the results expected for the first `rows` rows of these puzzles and claims.
pub fn expected(rows: usize) -> Vec<String> {
    let shown = |row: usize| match row % 4 {
        0 => "P > S".to_owned(),
        1 => format!("{}:1: 0 cells (expected 81)", row + 1),
        2 => format!("{}:3: 2 cells (expected 81)", row + 1),
        _ => format!("{}:1: invalid character 'q' (expected 1-9, 0 or .)", row + 1),
    };
    (0..rows).map(shown).collect()
}

/// Returns a column of `rows` values that repeats these four texts.
pub fn texts(texts: [Option<&str>; 4], rows: usize) -> ArrayRef {
    Arc::new(texts.into_iter().cycle().take(rows).collect::<StringArray>())
}

pub fn batch_of(columns: &[(&str, ArrayRef)]) -> RecordBatch {
    RecordBatch::try_from_iter(columns.iter().cloned()).expect("columns of one length")
}

/// Returns a record batch as an Arrow stream.
pub fn ipc(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).expect("memory takes it");
    writer.write(batch).and_then(|()| writer.finish()).expect("memory takes it");
    bytes
}

/// Returns the path of a file that does not exist yet.
pub fn temporary() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t");
    (directory, path)
}

/// Returns the results of reading a source in blocks of about `target` bytes: a line per record, then the notes and the
/// error. The line for a record gives its puzzle or the fault, then its claim after `>`. The first column is carried
/// along.
pub fn drain(source: Result<Source, InputError>, target: usize) -> Vec<String> {
    let mut source = match source {
        Ok(source) => source,
        Err(error) => return vec![format!("refused: {error}")],
    };
    source.carry(&[Some(0)]);
    let Drained { reading, error, .. } = testing::drain(&mut source, target);
    let error = error.map(|error| format!("error: {error}"));
    if source.look().dialect.framing.is_binary() && source.hash().bytes() > 0 && error.is_none() {
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

/// Returns the results for a file, which must be equal for several block sizes; the file is called `t`.
pub fn read_file(path: &Path) -> Vec<String> {
    let read = |target| {
        let lines = drain(Source::open(path, &hashing()), target);
        lines.iter().map(|line| line.replace(&*path.to_string_lossy(), "t")).collect::<Vec<_>>()
    };
    let whole = read(1 << 20);
    assert!([1, 567, 100_000].iter().all(|&target| read(target) == whole));
    whole
}

/// Returns the results for these bytes as a file and through a pipe, both plain and compressed.
pub fn read(bytes: &[u8]) -> Vec<String> {
    let (_directory, path) = temporary();
    fs::write(&path, bytes).expect("a temporary file");
    let lines = read_file(&path);
    for bytes in [bytes.to_vec(), zstd::encode_all(bytes, 1).expect("memory takes it")] {
        assert_eq!(drain(Source::from_reader("t", Cursor::new(bytes), &hashing()), 567), lines);
    }
    lines
}

/// Returns options that request a hash of all bytes.
pub fn hashing() -> ReadOptions {
    ReadOptions { hash: true, ..ReadOptions::default() }
}
