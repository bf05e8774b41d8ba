//! Results files in, notes out: one thread reads and hashes, a pool parses, the calling thread collects.
//!
//! As in the engine, the chunks under way are bounded and their notes are collected in the order of the
//! rows, so that neither memory nor report depends on the number of threads.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use super::collect::Collector;
use super::row::Columns;
use super::{InputFile, Report, assemble};
use crate::engine::{Observer, Progress};
use crate::input::{InputError, Table, TableChunk};
use crate::provenance::{Hash, Hashing, Provenance};

/// Bytes of a chunk.
const CHUNK_BYTES: usize = 1 << 20;
/// Chunks under way for each thread.
const CHUNKS_PER_THREAD: usize = 4;
/// Unreadable rows whose reasons a chunk keeps.
const MOST_BAD_ROWS: usize = 10;
/// A row with a puzzle has at least so many bytes, and as many when it is compressed: 17 clues and their
/// places alone are 14 bytes of information.
const LEAST_ROW: u64 = 100;
pub(super) const LEAST_COMPRESSED: u64 = 14;
/// Results files at once: each keeps histograms.
const MOST_FILES: usize = 256;
/// How often a stop is looked for while nothing happens.
const STOP_POLL: Duration = Duration::from_millis(20);

/// How to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// Threads that parse.
    pub threads: NonZeroUsize,
    /// Hardest and slowest puzzles that are listed.
    pub top: usize,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// An input cannot be opened or read.
    #[error(transparent)]
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
    #[error("cannot start the threads")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The stop flag was raised.
    #[error("interrupted")]
    Interrupted,
}

fn plural(missing: &[&str]) -> String {
    let (noun, verb) = if missing.len() == 1 { ("column", "is") } else { ("columns", "are") };
    format!("{noun} {} {verb}", missing.join(", "))
}

/// Reads the results files named, `-` for standard input, in order.
///
/// `observer` is told how far it is; `stop` may be raised at any time.
///
/// # Errors
///
/// When a file cannot be opened or is no file of results, before any work starts. A file that turns out damaged
/// is a problem that the report names; the rows before the damage are in it.
pub fn read(
    names: &[String],
    options: ReadOptions,
    provenance: Provenance,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Report, ReportError> {
    if names.len() > MOST_FILES {
        return Err(ReportError::TooManyFiles { count: names.len() });
    }
    let files = names.iter().map(|name| Results::open(name)).collect::<Result<Vec<_>, _>>()?;
    let hashes: Vec<_> = files.iter().map(|file| file.hash.clone()).collect();
    let rows = files.iter().map(|file| file.most_rows).try_fold(0_u64, |sum, rows| sum.checked_add(rows?));
    let mut collector = Collector::new(options.top, rows.unwrap_or(u64::MAX));
    let problems = collect(files, options.threads, &mut collector, observer, stop)?;
    let inputs = names
        .iter()
        .zip(hashes)
        .map(|(name, hash)| InputFile {
            name: name.clone(),
            bytes: Some(hash.bytes()),
            sha256: hash.sha256(),
        })
        .collect();
    Ok(Report { problems, ..assemble::assemble(&collector, inputs, provenance) })
}

/// A results file, opened.
struct Results {
    name: String,
    table: Table,
    /// `None` for an empty file.
    columns: Option<Columns>,
    hash: Hash,
    /// Rows that it can have at most, if that is known.
    most_rows: Option<u64>,
}

impl Results {
    fn open(name: &str) -> Result<Self, ReportError> {
        let failed = |source| InputError::Open { name: name.to_owned(), source };
        let (reader, size): (Box<dyn Read + Send>, _) = if name == "-" {
            (Box::new(io::stdin()), None)
        } else {
            let metadata = fs::metadata(name).map_err(failed)?;
            if metadata.is_dir() {
                return Err(InputError::Directory { name: name.to_owned() }.into());
            }
            let file = File::open(name).map_err(failed)?;
            (Box::new(file), metadata.is_file().then_some(metadata.len()))
        };
        let (reader, hash) = Hashing::new(reader);
        let table = Table::from_reader(name, reader)?;
        let columns = match table.header() {
            [] => None,
            header => Some(Columns::find(header).map_err(|missing| ReportError::NotResults {
                name: name.to_owned(),
                missing,
                header: shown(header),
            })?),
        };
        let least = if table.is_compressed() { LEAST_COMPRESSED } else { LEAST_ROW };
        let most_rows = size.map(|size| size / least);
        Ok(Self { name: name.to_owned(), table, columns, hash, most_rows })
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

/// What the calling thread hears of.
enum Event {
    /// A chunk was read.
    Read(Box<Numbered>),
    /// A file is damaged.
    Problem(InputError),
    /// There is nothing more to read.
    AllRead,
    /// A chunk was parsed.
    Parsed(Box<Parsed>),
}

/// A chunk and where it stands.
struct Numbered {
    chunk: TableChunk,
    /// Number of the chunk over all files, from 0.
    number: usize,
    /// Number of its file, from 0.
    file: usize,
    columns: Columns,
    /// Bytes of all files taken in so far.
    raw_position: u64,
}

/// A chunk that went through the pool.
struct Parsed {
    numbered: Numbered,
    notes: Vec<u8>,
    /// The first rows that could not be read, with their lines, and how many there are.
    bad_rows: Vec<(u64, String)>,
    bad_count: u64,
}

/// Reads everything; gives what was wrong with files as a whole.
fn collect(
    files: Vec<Results>,
    threads: NonZeroUsize,
    collector: &mut Collector,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Vec<String>, ReportError> {
    let names: Vec<_> = files.iter().map(|file| file.name.clone()).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build()?;
    let (events_in, events) = channel();
    let (spare, buffers) = channel();
    for _ in 0..CHUNKS_PER_THREAD * threads.get() {
        spare.send(Vec::new()).expect("the receiver is here");
    }
    let reader_events = events_in.clone();
    thread::spawn(move || {
        // Nobody listens once the run was stopped: that ends the reader, too.
        let _ = read_all(files, &buffers, &reader_events);
    });
    let mut problems = Vec::new();
    let mut waiting: VecDeque<Option<Box<Parsed>>> = VecDeque::new();
    let mut spare_notes: Vec<Vec<u8>> = Vec::new();
    let (mut reading, mut under_way, mut collected) = (true, 0_usize, 0_usize);
    pool.in_place_scope(|tasks| {
        while reading || under_way > 0 {
            if stop.load(Ordering::Relaxed) {
                return Err(ReportError::Interrupted);
            }
            match events.recv_timeout(STOP_POLL) {
                Ok(Event::Read(numbered)) => {
                    under_way += 1;
                    let (events, notes) = (events_in.clone(), spare_notes.pop().unwrap_or_default());
                    tasks.spawn(move |_| {
                        // Nobody listens once the run was stopped.
                        let _ = events.send(Event::Parsed(Box::new(parse(*numbered, notes))));
                    });
                }
                Ok(Event::Problem(error)) => problems.push(error.to_string()),
                Ok(Event::AllRead) => reading = false,
                Ok(Event::Parsed(parsed)) => {
                    under_way -= 1;
                    let slot = parsed.numbered.number - collected;
                    if waiting.len() <= slot {
                        waiting.resize_with(slot + 1, || None);
                    }
                    waiting[slot] = Some(parsed);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => unreachable!("`events_in` is here"),
            }
            while let Some(parsed) = waiting.front_mut().and_then(Option::take) {
                waiting.pop_front();
                collected += 1;
                start_files(collector, &names[..=parsed.numbered.file]);
                add(collector, &parsed);
                let raw_bytes = parsed.numbered.raw_position;
                observer.progress(&Progress { records: collector.rows, raw_bytes });
                let Parsed { numbered, mut notes, .. } = *parsed;
                notes.clear();
                spare_notes.push(notes);
                // The reader may have ended.
                let _ = spare.send(numbered.chunk.bytes);
            }
        }
        Ok(())
    })?;
    start_files(collector, &names);
    Ok(problems)
}

/// Starts the files up to the last of `names`, some of which may have no rows.
fn start_files(collector: &mut Collector, names: &[String]) {
    while collector.files.len() < names.len() {
        collector.start_file(&names[collector.files.len()]);
    }
}

fn add(collector: &mut Collector, parsed: &Parsed) {
    collector.add_notes(&parsed.notes);
    for (line, reason) in &parsed.bad_rows {
        collector.add_bad_row(*line, reason);
    }
    collector.add_bad_rows(parsed.bad_count - parsed.bad_rows.len() as u64);
}

/// The other side is gone.
struct Gone;

fn read_all(files: Vec<Results>, buffers: &Receiver<Vec<u8>>, events: &Sender<Event>) -> Result<(), Gone> {
    let send = |event| events.send(event).map_err(|_| Gone);
    let (mut number, mut raw_before) = (0, 0);
    let mut spare = None;
    for (file, Results { mut table, columns, .. }) in files.into_iter().enumerate() {
        let Some(columns) = columns else { continue };
        // A buffer is the right to a chunk under way: one that came to nothing serves the next file.
        loop {
            let buffer = match spare.take() {
                Some(buffer) => buffer,
                None => buffers.recv().map_err(|_| Gone)?,
            };
            match table.next_chunk(buffer, CHUNK_BYTES) {
                Ok(Some(chunk)) => {
                    let raw_position = raw_before + table.raw_position();
                    let columns = columns.clone();
                    send(Event::Read(Box::new(Numbered { chunk, number, file, columns, raw_position })))?;
                    number += 1;
                }
                Ok(None) => break,
                Err(error) => {
                    send(Event::Problem(error))?;
                    break;
                }
            }
        }
        spare = Some(Vec::new());
        raw_before += table.raw_position();
    }
    send(Event::AllRead)
}

fn parse(numbered: Numbered, mut notes: Vec<u8>) -> Parsed {
    let mut bad_rows = Vec::new();
    let mut bad_count = 0;
    numbered.chunk.for_each(|line, fields| match numbered.columns.read(fields) {
        Ok(note) => note.write(&mut notes),
        Err(reason) => {
            bad_count += 1;
            if bad_rows.len() < MOST_BAD_ROWS {
                bad_rows.push((line, reason));
            }
        }
    });
    Parsed { numbered, notes, bad_rows, bad_count }
}
