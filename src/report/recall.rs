//! Recall: files of results, read back.
//!
//! One thread reads and hashes, a pool parses and condenses, the calling thread collects, in the order of the rows:
//! the machine is [`pipeline::ordered`](ordered), so that neither memory nor report depends on the number of threads.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::assemble::assemble;
use super::collect::{Collector, LEAST_COMPRESSED, MOST_BAD_ROWS};
use super::digest::{ReportDigest, ReportPart};
use super::results::{ResultsColumns, ResultsRows};
use super::{InputFile, Report};
use crate::input::{Hash, InputError, ReadOptions, TableChunk, TableReader, shown_name};
use crate::pipeline::{
    Collect, Digest as _, End, Failure, Observer, Progress, Spares, Threads, Worked, ordered,
};
use crate::provenance::Provenance;
use crate::record::Word;

/// Bytes of a chunk.
const CHUNK_BYTES: usize = 1 << 20;
/// Chunks under way for each thread.
const CHUNKS_PER_THREAD: usize = 4;
/// Chunks under way where that is more than one for each thread: they take memory.
const MOST_WAITING: usize = 512;
/// A row with a puzzle has at least so many bytes.
const LEAST_ROW: u64 = 100;
/// Results files at once: each keeps histograms.
const MOST_FILES: usize = 256;

/// How to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecallOptions {
    /// Threads that parse.
    pub threads: NonZeroUsize,
    /// Hardest and slowest puzzles that are listed.
    pub top: usize,
    /// Whether the report tells the hashes of the files.
    pub hash: bool,
    /// See [`ReadOptions`](crate::input::ReadOptions::trust_compressed).
    pub trust_compressed: bool,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// An input cannot be opened or read.
    #[error("{0}")]
    Input(#[from] InputError),
    /// A file is no table of results.
    #[error(
        "{name}: no file of results: the {} missing (columns seen: {})",
        plural(missing),
        if header.is_empty() { "none".to_owned() } else { header.join(", ") }
    )]
    NotResults {
        /// Name of the input.
        name: String,
        /// Columns that it should have.
        missing: Vec<&'static str>,
        /// Columns that it has, as far as they are worth showing.
        header: Vec<String>,
    },
    /// More files than can be told apart.
    #[error("{count} files of results are too many (at most {MOST_FILES})")]
    TooManyFiles {
        /// How many were named.
        count: usize,
    },
    /// The threads could not be started.
    #[error("cannot start the threads: {0}")]
    Threads(String),
    /// A bug: some rows could not be read.
    #[error("internal error in the rows of results from {first_row} on: {message}")]
    Panic {
        /// Number over all files, from 1, of the first of the rows in which it arose.
        first_row: u64,
        /// What the panic said.
        message: String,
    },
    /// The stop flag was raised.
    #[error("interrupted")]
    Interrupted,
}

fn plural(missing: &[&str]) -> String {
    let (noun, verb) = if missing.len() == 1 { ("column", "is") } else { ("columns", "are") };
    format!("{noun} {} {verb}", missing.join(", "))
}

/// Reads the results files at these paths, `-` for standard input, in order.
///
/// `observer` is told how far it is; `stop` may be raised at any time.
///
/// # Errors
///
/// When a file cannot be opened or is no file of results, before any work starts. A file that turns out damaged
/// is a problem that the report names; the rows before the damage are in it.
pub fn read(
    paths: &[PathBuf],
    options: RecallOptions,
    provenance: Provenance,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Report, ReportError> {
    if paths.len() > MOST_FILES {
        return Err(ReportError::TooManyFiles { count: paths.len() });
    }
    let open = |path: &PathBuf| ResultsFile::open(path, options);
    let files = paths.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let inputs: Vec<_> = files.iter().map(|file| (file.name.clone(), file.hash.clone())).collect();
    let rows = files.iter().map(|file| file.most_rows).try_fold(0_u64, |sum, rows| sum.checked_add(rows?));
    let mut collector = Collector::new(options.top, rows.unwrap_or(u64::MAX));
    let (problems, notes) = collect(files, options, &mut collector, observer, stop, parse)?;
    let input =
        |(name, hash): (String, Hash)| InputFile { name, bytes: Some(hash.bytes()), sha256: hash.sha256() };
    let inputs = inputs.into_iter().map(input).collect();
    Ok(Report { problems, notes, ..assemble(&collector, inputs, provenance) })
}

/// A results file, opened.
struct ResultsFile {
    name: String,
    table: TableReader,
    columns: Arc<ResultsColumns>,
    hash: Hash,
    /// Rows that it can have at most, if that is known.
    most_rows: Option<u64>,
}

impl ResultsFile {
    fn open(path: &Path, options: RecallOptions) -> Result<Self, ReportError> {
        let RecallOptions { hash, trust_compressed, .. } = options;
        let options = ReadOptions { hash, trust_compressed, ..ReadOptions::default() };
        Self::of(&shown_name(path), TableReader::open(path, &options)?)
    }

    fn of(name: &str, table: TableReader) -> Result<Self, ReportError> {
        let columns = ResultsColumns::find(table.header()).map_err(|missing| ReportError::NotResults {
            name: name.to_owned(),
            missing,
            header: shown(table.header()),
        })?;
        let info = table.source().info();
        let least = if info.compressed { LEAST_COMPRESSED } else { LEAST_ROW };
        let most_rows = info.size.map(|size| size / least);
        let hash = table.source().hash();
        Ok(Self { name: name.to_owned(), table, columns: Arc::new(columns), hash, most_rows })
    }

    /// The words of its statuses.
    fn statuses(&self) -> &'static [Word] {
        self.columns.statuses()
    }
}

/// The first names of a header, as a message can show them.
fn shown(header: &[String]) -> Vec<String> {
    const MOST: usize = 16;
    const LONGEST: usize = 40;
    let name = |name: &String| name.chars().take(LONGEST).collect::<String>().escape_debug().to_string();
    let mut shown: Vec<_> = header.iter().take(MOST).map(name).collect();
    if header.len() > MOST {
        shown.push("...".to_owned());
    }
    shown
}

/// What the reader finds, in order.
enum ChunkFound {
    Chunk {
        chunk: TableChunk,
        /// Number of its file, from 0.
        file: usize,
        columns: Arc<ResultsColumns>,
        /// Bytes of all files taken in so far.
        raw_position: u64,
    },
    /// A file is damaged.
    Problem(InputError),
}

/// What became of it.
enum ChunkDone {
    Chunk { bytes: Vec<u8>, file: usize, raw_position: u64, piece: Box<CondensedChunk> },
    Problem(InputError),
}

/// What a chunk is condensed into.
#[derive(Default)]
struct CondensedChunk {
    part: ReportPart,
    bad: BadChunkRows,
}

/// The first rows of a chunk that could not be read, with their lines, and how many there are.
#[derive(Default)]
struct BadChunkRows {
    count: u64,
    first: Vec<(u64, String)>,
}

/// The reader: cuts the files into chunks.
struct ChunkReader {
    files: std::vec::IntoIter<ResultsFile>,
    current: Option<ResultsFile>,
    /// Files taken up so far.
    started: usize,
    raw_before: u64,
}

impl ChunkReader {
    fn read(&mut self, mut buffer: Vec<u8>) -> Option<ChunkFound> {
        loop {
            if self.current.is_none() {
                self.current = Some(self.files.next()?);
                self.started += 1;
            }
            let file = self.current.as_mut()?;
            match file.table.next_chunk(buffer, CHUNK_BYTES) {
                Ok(Some(chunk)) => {
                    let columns = Arc::clone(&file.columns);
                    let raw_position = self.raw_before + file.table.source().raw_position();
                    return Some(ChunkFound::Chunk { chunk, file: self.started - 1, columns, raw_position });
                }
                Ok(None) => buffer = Vec::new(),
                Err(error) => {
                    self.end_file();
                    return Some(ChunkFound::Problem(error));
                }
            }
            self.end_file();
        }
    }

    fn end_file(&mut self) {
        self.raw_before += self.current.take().map_or(0, |file| file.table.source().raw_position());
    }
}

/// Reads everything; gives what was wrong with files as a whole, and what is worth a warning. `parse` splits and checks the rows of a chunk.
fn collect(
    files: Vec<ResultsFile>,
    options: RecallOptions,
    collector: &mut Collector,
    observer: &dyn Observer,
    stop: &AtomicBool,
    parse: impl Fn(&TableChunk, &ResultsColumns, &mut ResultsRows, &mut BadChunkRows) + Send + Sync + 'static,
) -> Result<(Vec<String>, Vec<String>), ReportError> {
    let names: Vec<_> = files.iter().map(|file| (file.name.clone(), file.statuses())).collect();
    let mut reader = ChunkReader { files: files.into_iter(), current: None, started: 0, raw_before: 0 };
    let digest = ReportDigest::new(options.top);
    let tables = Spares::<ResultsRows>::new();
    let pieces = Arc::new(Spares::<Box<CondensedChunk>>::new());
    let spare_pieces = Arc::clone(&pieces);
    let work = move |found| {
        let (chunk, file, columns, raw_position) = match found {
            ChunkFound::Chunk { chunk, file, columns, raw_position } => (chunk, file, columns, raw_position),
            ChunkFound::Problem(error) => return Worked::all(ChunkDone::Problem(error)),
        };
        let mut rows = tables.take().unwrap_or_default();
        let mut piece = spare_pieces.take().unwrap_or_default();
        rows.clear();
        piece.bad.count = 0;
        piece.bad.first.clear();
        parse(&chunk, &columns, &mut rows, &mut piece.bad);
        digest.digest(&columns.page(&rows), &mut piece.part);
        tables.put(rows);
        Worked::all(ChunkDone::Chunk { bytes: chunk.bytes, file, raw_position, piece })
    };
    let mut problems = Vec::new();
    let mut taken = 0;
    let most = options.threads.get();
    let mut threads = Threads::up_to(options.threads);
    let end = ordered(
        &mut threads,
        (CHUNKS_PER_THREAD * most).min(most.max(MOST_WAITING)),
        move |buffer| reader.read(buffer),
        work,
        |done| {
            let (bytes, file, raw_bytes, mut piece) = match done {
                ChunkDone::Chunk { bytes, file, raw_position, piece } => (bytes, file, raw_position, piece),
                ChunkDone::Problem(error) => {
                    problems.push(error.to_string());
                    return Ok(ControlFlow::Continue(Vec::new()));
                }
            };
            start_files(collector, &names[..=file]);
            collector.take(&mut piece.part);
            let listed = piece.bad.first.len() as u64;
            for (line, reason) in piece.bad.first.drain(..) {
                collector.add_bad_row(line, reason);
            }
            collector.add_bad_rows(piece.bad.count - listed);
            taken = collector.rows + collector.files.iter().map(|file| file.bad_rows).sum::<u64>();
            observer.progress(&Progress { records: collector.rows, raw_bytes });
            pieces.put(piece);
            Ok::<_, std::convert::Infallible>(ControlFlow::Continue(bytes))
        },
        stop,
        // A chunk takes milliseconds.
        &Arc::default(),
    );
    match end {
        Ok(End::Complete | End::Refused) => {}
        Ok(End::Stopped) => return Err(ReportError::Interrupted),
        Err(Failure::Threads(error)) => return Err(ReportError::Threads(error)),
        Err(Failure::Panic { message, .. }) => {
            return Err(ReportError::Panic { first_row: taken + 1, message });
        }
        Err(Failure::Sink(never)) => match never {},
    }
    start_files(collector, &names);
    Ok((problems, threads.shortage().map(|(_, note)| note).into_iter().collect()))
}

/// Starts the files up to the last of `names`, some of which may have no rows.
fn start_files(collector: &mut Collector, names: &[(String, &'static [Word])]) {
    for (name, statuses) in &names[collector.files.len()..] {
        collector.start_file(name, statuses);
    }
}

/// Splits and checks the rows of a chunk.
fn parse(chunk: &TableChunk, columns: &ResultsColumns, rows: &mut ResultsRows, bad: &mut BadChunkRows) {
    chunk.for_each(|line, fields, count| {
        if let Err(reason) = columns.read(fields, count, rows) {
            bad.count += 1;
            if bad.first.len() < MOST_BAD_ROWS {
                bad.first.push((line, reason));
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;
    use std::fs;
    use std::io::{self, Read};
    use std::sync::mpsc;
    use std::thread;
    use std::time::{Duration, SystemTime};

    const PUZZLE: &str = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";
    const SOLUTION: &str =
        "483921657967345821251876493548132976729564138136798245372689514814253769695417382";

    /// A results file that is no file.
    fn opened(reader: impl Read + Send + 'static) -> ResultsFile {
        let table = TableReader::from_reader("r.csv", reader, &ReadOptions::default()).unwrap();
        ResultsFile::of("r.csv", table).unwrap()
    }

    fn options(threads: usize) -> RecallOptions {
        RecallOptions {
            threads: NonZeroUsize::new(threads).unwrap(),
            top: 5,
            hash: false,
            trust_compressed: false,
        }
    }

    /// Results of that many rows, of several inputs, some of them bad.
    fn results(rows: usize) -> String {
        let mut text =
            "id,source,line,kind,status,solutions,clues,guesses,time_ns,puzzle,solution,error\n".to_owned();
        for row in 0..rows {
            let (source, time, guesses) = (row * 3 / rows, 500 + row * 7919 % 1001, row % 5 * (row % 3));
            let _ = match row % 11 {
                9 => writeln!(
                    text,
                    "{row},s{source},{row},sudoku,invalid,0,,0,0,,,\"line {row}, column 4: invalid character 'q' (expected 1-9, 0 or .)\""
                ),
                10 if row % 2 == 0 => writeln!(text, "{row},s{source},no number"),
                _ => writeln!(
                    text,
                    "{row},s{source},{row},sudoku,unique,1,32,{guesses},{time},{}{},{SOLUTION},",
                    if row % 4 == 0 { "48" } else { ".." },
                    &PUZZLE[2..]
                ),
            };
        }
        text
    }

    /// Runs with a watchdog: what waits for ever fails instead of never ending.
    fn within_seconds<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
        let (done, answer) = mpsc::channel();
        thread::spawn(move || done.send(run()));
        answer.recv_timeout(Duration::from_secs(60)).expect("it comes to an end")
    }

    fn collected(
        reader: impl Read + Send + 'static,
        parse: impl Fn(&TableChunk, &ResultsColumns, &mut ResultsRows, &mut BadChunkRows) + Send + Sync + 'static,
    ) -> Result<(Vec<String>, Vec<String>), ReportError> {
        within_seconds(move || {
            let file = opened(reader);
            let mut collector = Collector::new(3, 1000);
            collect(vec![file], options(2), &mut collector, &(), &AtomicBool::new(false), parse)
        })
    }

    #[test]
    fn a_panic_while_rows_are_parsed_ends_the_run_and_names_the_row() {
        // The chunk behind the few rows that come with the header and the first whole one, and so on: more chunks than may
        // be under way.
        let text = results(60_000);
        let rows = text[..CHUNK_BYTES].lines().count() as u64 - 2;
        let error = collected(io::Cursor::new(text), |chunk, columns, rows, bad| {
            assert!(chunk.first_line < 100, "a row that nobody can read");
            parse(chunk, columns, rows, bad);
        })
        .unwrap_err();
        let ReportError::Panic { first_row, message } = &error else { panic!("{error}") };
        assert!(first_row.abs_diff(rows) < 50, "{first_row} for {rows}");
        assert!(message.contains("a row that nobody can read"), "{message}");
        assert!(error.to_string().contains(&first_row.to_string()), "{error}");
    }

    /// Gives its text, and panics at its end.
    struct Trap(io::Cursor<String>);

    impl Read for Trap {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let taken = self.0.read(buffer)?;
            assert!(taken > 0 || buffer.is_empty(), "the end of the world");
            Ok(taken)
        }
    }

    #[test]
    fn a_panic_of_the_reader_ends_the_run_after_the_rows_before_it() {
        let error = collected(Trap(io::Cursor::new(results(30_000))), parse).unwrap_err();
        let ReportError::Panic { first_row, message } = &error else { panic!("{error}") };
        assert!((1_000..=30_000).contains(first_row), "{error}");
        assert!(message.contains("the end of the world"), "{message}");
    }

    #[test]
    fn a_raised_flag_interrupts() {
        let file = opened(io::Cursor::new(results(100)));
        let mut collector = Collector::new(3, 1000);
        let stop = AtomicBool::new(true);
        let end = collect(vec![file], options(1), &mut collector, &(), &stop, parse);
        assert!(matches!(end, Err(ReportError::Interrupted)));
    }

    /// The report of a text, its rows cut into pages of that many bytes.
    fn report_in_pages(text: &str, bytes: usize) -> Report {
        let mut file = opened(io::Cursor::new(text.to_owned()));
        let columns = file.columns.clone();
        let mut collector = Collector::new(5, 1000);
        collector.start_file("r.csv", columns.statuses());
        let digest = ReportDigest::new(5);
        let (mut rows, mut piece) = (ResultsRows::default(), CondensedChunk::default());
        while let Some(chunk) = file.table.next_chunk(Vec::new(), bytes).unwrap() {
            rows.clear();
            piece.bad = BadChunkRows::default();
            parse(&chunk, &columns, &mut rows, &mut piece.bad);
            digest.digest(&columns.page(&rows), &mut piece.part);
            collector.take(&mut piece.part);
            let listed = piece.bad.first.len() as u64;
            piece.bad.first.drain(..).for_each(|(line, reason)| collector.add_bad_row(line, reason));
            collector.add_bad_rows(piece.bad.count - listed);
        }
        assemble(&collector, Vec::new(), Provenance::of_this_process(SystemTime::UNIX_EPOCH))
    }

    #[test]
    fn the_report_depends_on_the_rows_alone() {
        let text = results(3_000);
        let whole = report_in_pages(&text, usize::MAX >> 1);
        assert!(whole.total.rows > 2_500 && whole.bad_rows.count > 100, "{:?}", whole.total);
        assert_eq!((whole.sources.len(), whole.reasons.len(), whole.hardest.len()), (3, 1, 2));
        for bytes in [1, 300, 5_000, 100_000] {
            assert_eq!(report_in_pages(&text, bytes), whole, "pages of {bytes} bytes");
        }
    }

    #[test]
    fn neither_threads_nor_hashing_change_the_figures() {
        let directory = tempfile::TempDir::new().unwrap();
        let path = directory.path().join("r.csv");
        let text = results(40_000);
        fs::write(&path, &text).unwrap();
        let names = [path];
        let provenance = Provenance::of_this_process(SystemTime::UNIX_EPOCH);
        let reports: Vec<_> = [(1, true), (3, true), (2, false)]
            .into_iter()
            .map(|(threads, hash)| {
                let options = RecallOptions { hash, ..options(threads) };
                read(&names, options, provenance.clone(), &(), &AtomicBool::new(false)).unwrap()
            })
            .collect();
        assert_eq!(reports[0], reports[1]);
        assert_eq!(reports[0].inputs[0].sha256.as_ref().map(String::len), Some(64));
        let unhashed = InputFile { sha256: None, ..reports[0].inputs[0].clone() };
        assert_eq!(unhashed.bytes, Some(text.len() as u64));
        assert_eq!(reports[2], Report { inputs: vec![unhashed], ..reports[0].clone() });
    }
}
