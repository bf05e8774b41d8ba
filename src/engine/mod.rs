//! The pipeline: sources in, rows out, in order, on all cores.
//!
//! One thread reads: it cuts the sources into chunks of whole records and numbers them. The calling
//! thread hands each chunk to a rayon pool, where one task parses, solves, checks and serialises it
//! into a buffer of its own (`chunk`), and writes the buffers in the order of the input. The number of
//! chunks under way is bounded, and with it the memory, whatever the size of the input. Nothing is
//! locked or reported per puzzle, and only the solvers look at the clock.
//!
//! The output depends on the input alone, not on the number of threads nor on the size of the chunks,
//! but for the time column.

mod chunk;
mod reader;

use std::any::Any;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use self::chunk::{Answered, Buffers, Workbench};
use self::reader::Numbered;
use crate::input::{InputError, Source};
use crate::output::{Row, RowFormat};
use crate::solver::{Backend, Limits};
use crate::stats::Stats;

/// Bytes of a chunk, once a run is under way, that keep the lanes full: at the end of each chunk some idle.
pub const CHUNK_BYTES: usize = 512 << 10;

/// Bytes of the first and last chunks, so that all threads start and end together.
const SMALL_CHUNK_BYTES: usize = 32 << 10;

/// Chunks under way for each thread: one in work, the others wait so that a chunk of hard puzzles at the
/// head of the output does not leave the other threads idle.
const CHUNKS_PER_THREAD: usize = 8;

/// How often a stop is looked for while nothing happens.
const STOP_POLL: Duration = Duration::from_millis(20);

/// How to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// Threads that solve.
    pub threads: NonZeroUsize,
    /// The engine for sudokus.
    pub backend: Backend,
    /// How far each search goes.
    pub limits: Limits,
    /// Bytes of a chunk, at most about; see [`CHUNK_BYTES`].
    pub chunk_bytes: usize,
    /// Stop after the first invalid record.
    pub strict: bool,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Records written.
    pub records: u64,
    /// Bytes of the input files, as they lie on the disk, that these records took.
    pub raw_bytes: u64,
}

/// Is told how a run is getting on.
pub trait Observer {
    /// Takes the totals so far; called once for each chunk written.
    fn progress(&self, progress: &Progress);

    /// Who shall see every row besides the output; nobody unless overridden.
    fn tap(&self) -> Option<&dyn Tap> {
        None
    }
}

/// Sees every row that is written.
///
/// What it wants to know it notes in bytes of its own making where the row arises; the notes come to it in
/// the order of the rows.
pub trait Tap: Sync {
    /// Appends a note of a row; called by the tasks, many at once.
    fn note(&self, row: &Row<'_>, notes: &mut Vec<u8>);

    /// Takes the notes of the next rows, once these were written.
    fn take(&self, notes: &[u8]);
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All inputs were read to their end.
    Complete,
    /// The stop flag was raised; what was under way was finished and written.
    Interrupted,
    /// An invalid record was met under [`EngineOptions::strict`]; its row is the last one.
    Strict,
    /// Nobody reads the output any more.
    BrokenPipe,
}

/// What came out of a run.
#[derive(Debug)]
pub struct Report {
    /// The figures of all rows written.
    pub stats: Stats,
    /// Time from start to end.
    pub wall: Duration,
    /// The engine for sudokus.
    pub backend: Backend,
    /// Threads that solved.
    pub threads: usize,
    /// How the run ended.
    pub ending: Ending,
    /// Inputs that turned out damaged; the rows before the damage were written.
    pub input_errors: Vec<InputError>,
    /// What is worth a warning.
    pub notes: Vec<String>,
}

/// Why a run has no report.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The output does not take the rows.
    #[error("cannot write the results")]
    Write(#[source] io::Error),
    /// The threads could not be started.
    #[error("cannot start the threads")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A bug: a chunk of records could not be answered.
    #[error("internal error in the records from {first_id} on: {message}")]
    Panic {
        /// First record of the chunk.
        first_id: u64,
        /// What the panic said.
        message: String,
    },
}

/// How large each chunk is to be.
#[derive(Clone, Copy)]
struct ChunkSizes {
    threads: usize,
    most: usize,
}

impl ChunkSizes {
    /// Bytes of a chunk after `read` bytes and before `left`, if that is known: a small part of what a thread
    /// has had so far and of what it still gets, within bounds.
    fn next(self, read: u64, left: Option<u64>) -> usize {
        let amount = left.map_or(read, |left| left.min(read));
        let share = usize::try_from(amount / (4 * self.threads as u64)).unwrap_or(usize::MAX);
        share.max(SMALL_CHUNK_BYTES).min(self.most)
    }
}

/// What the calling thread hears of.
enum Event {
    /// A chunk was read.
    Read(Box<Numbered>),
    /// A source ended, in good order or not.
    SourceEnded { notes: Vec<String>, error: Option<InputError> },
    /// There is nothing more to read.
    AllRead,
    /// A chunk left the pool.
    Done(Box<Done>),
}

/// A chunk that went through the pool.
struct Done {
    chunk: Box<Numbered>,
    buffers: Buffers,
    /// What came out, or what a panic said.
    answered: Result<Answered, String>,
}

/// Reads all `sources`, solves what is in them and writes a row for each record to `out`.
///
/// Rows come in the order of the records. `stop` may be raised at any time: what is under way is then
/// finished and written. A reader that is blocked on its input at that time is left behind on its thread.
///
/// # Errors
///
/// When `out` fails other than by a broken pipe, and on a bug. Whatever was written before is whole rows,
/// but for the write that failed.
pub fn run(
    sources: Vec<Source>,
    options: &EngineOptions,
    format: &dyn RowFormat,
    out: &mut dyn Write,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Report, EngineError> {
    let started = Instant::now();
    let threads = options.threads.get();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let spares = Spares::default();
    let (events_in, events) = channel();
    let sizes = ChunkSizes { threads, most: options.chunk_bytes };
    let spare_buffers = reader::start(sources, sizes, CHUNKS_PER_THREAD * threads, events_in.clone());
    let mut run = Run {
        options,
        format,
        out,
        observer,
        stop,
        events,
        events_in,
        spare_buffers,
        spares: &spares,
        done: VecDeque::new(),
        written: 0,
        under_way: 0,
        reading: true,
        stats: Stats::new(),
        input_errors: Vec::new(),
        notes: Vec::new(),
    };
    let ending = pool.in_place_scope(|tasks| run.go(tasks))?;
    Ok(Report {
        stats: run.stats,
        wall: started.elapsed(),
        backend: options.backend,
        threads,
        ending,
        input_errors: run.input_errors,
        notes: run.notes,
    })
}

/// What tasks leave behind for later ones. The last in is the first out: its memory is still in the caches,
/// and no more is touched than the threads use at once.
#[derive(Default)]
struct Spares {
    workbenches: Mutex<Vec<Workbench>>,
    buffers: Mutex<Vec<Buffers>>,
}

/// Takes one from a stack of spares that only pushes and pops hold.
fn take<T>(spares: &Mutex<Vec<T>>) -> Option<T> {
    spares.lock().unwrap_or_else(PoisonError::into_inner).pop()
}

/// Puts one back.
fn put<T>(spares: &Mutex<Vec<T>>, spare: T) {
    spares.lock().unwrap_or_else(PoisonError::into_inner).push(spare);
}

/// The calling thread's side of a run.
struct Run<'env> {
    options: &'env EngineOptions,
    format: &'env dyn RowFormat,
    out: &'env mut dyn Write,
    observer: &'env dyn Observer,
    stop: &'env AtomicBool,
    events: Receiver<Event>,
    events_in: Sender<Event>,
    /// Buffers for the reader to fill; their number bounds the chunks under way.
    spare_buffers: Sender<Vec<u8>>,
    spares: &'env Spares,
    /// Chunks that wait for an earlier one to be written, from chunk number `written` on.
    done: VecDeque<Option<Box<Done>>>,
    /// Chunks written.
    written: u64,
    /// Chunks in the hands of the pool.
    under_way: usize,
    /// Whether the reader may still have something.
    reading: bool,
    stats: Stats,
    input_errors: Vec<InputError>,
    notes: Vec<String>,
}

impl<'env> Run<'env> {
    fn go<'scope>(&mut self, tasks: &rayon::Scope<'scope>) -> Result<Ending, EngineError>
    where
        'env: 'scope,
    {
        let mut header = Vec::new();
        self.format.header(&mut header);
        if !self.write(&header)? {
            return Ok(Ending::BrokenPipe);
        }
        let mut ending = Ending::Complete;
        while self.reading || self.under_way > 0 {
            if self.reading && self.stop.load(Ordering::Relaxed) {
                self.reading = false;
                ending = Ending::Interrupted;
            }
            let event = match self.events.recv_timeout(STOP_POLL) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => unreachable!("`self` keeps a sender"),
            };
            match event {
                Event::Read(chunk) if self.reading => self.hand_out(chunk, tasks),
                Event::Read(_) => {}
                Event::SourceEnded { notes, error } => {
                    self.notes.extend(notes);
                    self.input_errors.extend(error);
                }
                Event::AllRead => self.reading = false,
                Event::Done(done) => {
                    self.under_way -= 1;
                    let slot = usize::try_from(done.chunk.number - self.written).expect("few are under way");
                    if self.done.len() <= slot {
                        self.done.resize_with(slot + 1, || None);
                    }
                    self.done[slot] = Some(done);
                    if let Some(ending) = self.write_done()? {
                        return Ok(ending);
                    }
                }
            }
        }
        Ok(ending)
    }

    fn hand_out<'scope>(&mut self, chunk: Box<Numbered>, tasks: &rayon::Scope<'scope>)
    where
        'env: 'scope,
    {
        let (options, format, spares) = (self.options, self.format, self.spares);
        let tap = self.observer.tap();
        let events = self.events_in.clone();
        self.under_way += 1;
        tasks.spawn(move |_| {
            let mut buffers = take(&spares.buffers).unwrap_or_default();
            let answered = catch_unwind(AssertUnwindSafe(|| {
                let mut workbench =
                    take(&spares.workbenches).unwrap_or_else(|| Workbench::new(options.backend));
                let answered = workbench.answer(&chunk, options, format, tap, &mut buffers);
                put(&spares.workbenches, workbench);
                answered
            }));
            let done = Done { chunk, buffers, answered: answered.map_err(panic_message) };
            // Nobody listens once the output is gone.
            let _ = events.send(Event::Done(Box::new(done)));
        });
    }

    /// Writes the chunks whose turn it is; says how the run ends if it ends here.
    fn write_done(&mut self) -> Result<Option<Ending>, EngineError> {
        while let Some(done) = self.done.front_mut().and_then(Option::take) {
            self.done.pop_front();
            self.written += 1;
            let Done { chunk, mut buffers, answered } = *done;
            let answered =
                answered.map_err(|message| EngineError::Panic { first_id: chunk.first_id, message })?;
            if !self.write(&buffers.rows)? {
                return Ok(Some(Ending::BrokenPipe));
            }
            self.stats.merge(answered.stats);
            if let Some(tap) = self.observer.tap() {
                tap.take(&buffers.notes);
            }
            self.observer.progress(&Progress { records: self.stats.records, raw_bytes: chunk.raw_position });
            if answered.strict_stop {
                return Ok(Some(Ending::Strict));
            }
            buffers.rows.clear();
            buffers.notes.clear();
            put(&self.spares.buffers, buffers);
            // The reader may have ended.
            let _ = self.spare_buffers.send(chunk.chunk.bytes);
        }
        Ok(None)
    }

    /// Whether somebody took the bytes.
    fn write(&mut self, bytes: &[u8]) -> Result<bool, EngineError> {
        match self.out.write_all(bytes) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
            Err(error) => Err(EngineError::Write(error)),
        }
    }
}

fn panic_message(payload: Box<dyn Any + Send>) -> String {
    match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => {
            payload.downcast::<&str>().map_or_else(|_| "panic".into(), |message| (*message).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_small_at_both_ends_and_bounded_between() {
        let sizes = ChunkSizes { threads: 2, most: CHUNK_BYTES };
        assert_eq!(sizes.next(0, None), SMALL_CHUNK_BYTES);
        assert_eq!(sizes.next(1 << 20, None), 128 << 10);
        assert_eq!(sizes.next(u64::MAX, None), CHUNK_BYTES);
        assert_eq!(sizes.next(u64::MAX, Some(1 << 20)), 128 << 10);
        assert_eq!(sizes.next(u64::MAX, Some(1)), SMALL_CHUNK_BYTES);
        assert_eq!(ChunkSizes { threads: 2, most: 7 }.next(1 << 30, None), 7);
    }
}
