//! A job over inputs: batches are read, answered, encoded and digested, and their rows written in order.
//!
//! The output depends on the input alone, not on the number of threads nor on the size of the batches, but for the
//! columns that are measured.

use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::isolate::InternalError;
use super::numbering::{Before, Numbering, Ticket};
use super::{Collect, Defect, Defects, Digest, End, Failure, Spares, Threads, ordered};
use crate::input::{Batch, Fingerprint, InputError, Passed, Source, SourceInfo, isolated, message_of};
use crate::jobs::Job;
use crate::output::{Encode, Output, Piece};
use crate::record::{Column, Fault, FaultKind, Page, PuzzleKind, Records, Role, Sparse, Weight};
use crate::sudoku::Grid;

/// Bytes of a batch, once a run is under way, that keep the lanes full: at the end of each batch some idle.
pub const BATCH_BYTES: usize = 512 << 10;

/// Bytes of the first and last batches, so that all threads start and end together.
const SMALL_BATCH_BYTES: usize = 32 << 10;

/// Batches under way for each thread: one in work, the others wait so that a batch of hard puzzles at the
/// head of the output does not leave the other threads idle.
const BATCHES_PER_THREAD: usize = 8;

/// Batches under way where that is more than one for each thread: they take memory.
const MOST_WAITING: usize = 1024;

/// How to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// Threads that work.
    pub threads: NonZeroUsize,
    /// Bytes of a batch, at most about; see [`BATCH_BYTES`].
    pub batch_bytes: usize,
    /// Stop after the first bad record.
    pub strict: bool,
    /// Write only rows of these statuses, indexed as the words of the job are; all if `None`.
    pub only: Option<Vec<bool>>,
    /// Whether the output may be written on by a later run: then it is told what was read before each boundary.
    pub resumable: bool,
    /// The run that this one goes on from.
    pub before: EarlierRun,
}

impl RunOptions {
    /// A run over everything from the start, on that many threads, of which all rows are written.
    #[must_use]
    pub fn new(threads: NonZeroUsize) -> Self {
        Self {
            threads,
            batch_bytes: BATCH_BYTES,
            strict: false,
            only: None,
            resumable: false,
            before: EarlierRun::default(),
        }
    }
}

/// How far an earlier run came, from which another goes on; the default is none.
///
/// The run that goes on reads everything from the start, and answers nothing until it has passed the records of the
/// earlier one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EarlierRun {
    /// Its records. If there are any, no header is written.
    pub records: u64,
    /// A place before which the text must be what the earlier run read.
    pub read: TextRead,
    /// What it found wrong with the program itself.
    pub defects: Defects,
}

/// What was read of the inputs up to some place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextRead {
    /// Number of the source that is being read, from 0 on.
    pub source: usize,
    /// Bytes of its text that were read.
    pub bytes: u64,
    /// Their [`Fingerprint`].
    pub fingerprint: u64,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Records done.
    pub records: u64,
    /// Bytes of the input files, as they lie on the disk, that these records took.
    pub raw_bytes: u64,
}

/// Where the records of the next batch begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// The text before it, if the run may be resumed.
    pub read: TextRead,
    /// Number of its first record over all sources, from 1.
    pub first_id: u64,
}

/// Takes the rows of a run. In formats of text, each [`write_all`](std::io::Write::write_all) has whole rows.
pub trait RowSink<C>: Output {
    /// Is told, before the rows of a batch are written, that those of all records before it were, if the format is one
    /// of text; `collector` has taken
    /// just those, too, and `defects` are theirs.
    ///
    /// # Errors
    ///
    /// Those of writing: they end the run.
    fn boundary(&mut self, boundary: &Boundary, collector: &C, defects: &Defects) -> io::Result<()> {
        let _ = (boundary, collector, defects);
        Ok(())
    }
}

impl<C> RowSink<C> for Vec<u8> {}
impl<C> RowSink<C> for io::Sink {}

/// Is told how a run is getting on.
pub trait Observer {
    /// Takes the totals so far; called once for each batch.
    fn progress(&self, progress: &Progress);
}

/// Nobody watches.
impl Observer for () {
    fn progress(&self, _: &Progress) {}
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All inputs were read to their end.
    Complete,
    /// The stop flag was raised; what was under way was finished and written.
    Interrupted,
    /// A bad record was met under [`RunOptions::strict`]; its row is the last one.
    Strict,
    /// Nobody reads the output any more.
    BrokenPipe,
    /// The output does not take the rows: [`Ended::unwritten`] says why.
    Unwritten,
}

/// What came out of a run.
#[derive(Debug)]
pub struct Ended {
    /// Time from start to end.
    pub wall: Duration,
    /// Threads that could work.
    pub threads: usize,
    /// How the run ended.
    pub ending: Ending,
    /// Inputs that turned out damaged; the rows before the damage were written.
    pub input_errors: Vec<InputError>,
    /// What is worth a warning.
    pub notes: Vec<String>,
    /// Why rows could not be written.
    pub unwritten: Option<io::Error>,
    /// Records on which the program failed.
    pub defects: Defects,
    /// What was passed over of all inputs.
    pub passed_over: PassedOver,
    /// Records whose puzzle is a complete grid.
    pub complete_grids: u64,
}

/// Lines that are no records, over all inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassedOver {
    /// How many.
    pub lines: u64,
    /// Input, line and text of the first of them.
    pub first: Option<(Arc<SourceInfo>, u64, String)>,
}

impl PassedOver {
    /// Adds those of a batch that lie behind so many lines of its source.
    fn add(&mut self, source: &Arc<SourceInfo>, lines_before: u64, passed: Passed) {
        self.lines += passed.lines;
        if self.first.is_none() {
            let first = passed.first.map(|(line, text)| (Arc::clone(source), lines_before + line, text));
            self.first = first;
        }
    }
}

impl Ended {
    /// Notes that the output does not take any more.
    pub(crate) fn end_unwritten(&mut self, error: io::Error) {
        if error.kind() == io::ErrorKind::BrokenPipe {
            self.ending = Ending::BrokenPipe;
        } else {
            (self.ending, self.unwritten) = (Ending::Unwritten, Some(error));
        }
    }
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The threads could not be started.
    #[error("cannot start the threads: {0}")]
    Threads(String),
    /// A bug: a batch of records could not be read, answered or written.
    #[error("internal error in the records from {first_id} on: {message}")]
    Panic {
        /// First record of the batch.
        first_id: u64,
        /// What the panic said.
        message: String,
    },
}

/// How large each batch is to be.
#[derive(Clone, Copy)]
struct BatchSizes {
    threads: usize,
    most: usize,
}

impl BatchSizes {
    /// Bytes of a batch after `read` bytes and before `left`, if that is known: a small part of what a thread
    /// has had so far and of what it still gets, within bounds.
    fn next(self, read: u64, left: Option<u64>) -> usize {
        let amount = left.map_or(read, |left| left.min(read));
        let share = usize::try_from(amount / (4 * self.threads as u64)).unwrap_or(usize::MAX);
        share.max(SMALL_BATCH_BYTES).min(self.most)
    }
}

/// What the reader finds, in order.
#[allow(clippy::large_enum_variant, reason = "few are under way")]
enum BatchFound {
    Batch {
        batch: Batch,
        ticket: Ticket,
        /// The text before it.
        read: TextRead,
        /// Bytes of all files read so far, as they lie on the disk.
        raw_position: u64,
    },
    SourceEnded(SourceEnd),
}

/// How a source ended, in good order or not.
struct SourceEnd {
    notes: Vec<String>,
    error: Option<InputError>,
    /// What is wrong if no record came.
    without_records: Option<InputError>,
}

/// What became of it.
#[allow(clippy::large_enum_variant, reason = "few are under way")]
enum BatchDone<Part> {
    Batch(DoneBatch<Part>),
    SourceEnded(SourceEnd),
}

/// A batch that was read and answered.
struct DoneBatch<Part> {
    source: Arc<SourceInfo>,
    text: Vec<u8>,
    /// `None` if all of it was answered by an earlier run.
    boundary: Option<Boundary>,
    piece: EncodedBatch<Part>,
    /// Records that were found.
    found: u64,
    /// Records that were answered.
    records: u64,
    /// What was passed over, behind so many lines of the source.
    passed: (u64, Passed),
    complete_grids: u64,
    raw_position: u64,
    /// How the run ends, if it ends with this batch.
    end: Option<Ending>,
}

/// What a batch is answered into.
#[derive(Default)]
struct EncodedBatch<Part> {
    rows: Piece,
    part: Part,
    /// Those of the pages behind the first, where each record has a page of its own.
    further_parts: Vec<Part>,
    defects: Defects,
}

/// The reader: cuts the sources into batches.
struct BatchReader {
    sources: std::vec::IntoIter<Source>,
    current: Option<Source>,
    /// Sources taken up so far.
    started: usize,
    /// What the last batch is of.
    last: Option<Arc<SourceInfo>>,
    sizes: BatchSizes,
    /// Bytes of all inputs, if that is known.
    total: Option<u64>,
    numbering: Numbering,
    raw_before: u64,
    text_read: u64,
    /// The text of the current source so far; `None` if nobody asks.
    fingerprint: Option<Fingerprint>,
    /// Bytes of it.
    bytes: u64,
    /// What an earlier run read, until that was seen.
    earlier: Option<TextRead>,
}

impl BatchReader {
    fn new(sources: Vec<Source>, sizes: BatchSizes, options: &RunOptions) -> Self {
        let earlier = (options.before.records > 0).then_some(options.before.read);
        Self {
            total: sources.iter().map(|source| source.info().size).sum(),
            sources: sources.into_iter(),
            current: None,
            started: 0,
            last: None,
            sizes,
            numbering: Numbering::default(),
            raw_before: 0,
            text_read: 0,
            fingerprint: (options.resumable || earlier.is_some()).then(Fingerprint::default),
            bytes: 0,
            earlier,
        }
    }

    fn read(&mut self, buffer: Vec<u8>) -> Option<BatchFound> {
        if self.current.is_none() {
            self.current = Some(self.sources.next()?);
            self.started += 1;
            self.bytes = 0;
            self.fingerprint = self.fingerprint.as_ref().map(|_| Fingerprint::default());
        }
        let source = self.current.as_mut()?;
        let left = self.total.map(|total| total.saturating_sub(self.raw_before + source.raw_position()));
        let mut error = match source.next_batch(buffer, self.sizes.next(self.text_read, left)) {
            Ok(Some(batch)) => {
                let raw_position = self.raw_before + source.raw_position();
                self.text_read += batch.size();
                let read = self.text_before();
                if self.is_as_before(&batch.bytes) {
                    // The places of a sample are counted one by one.
                    let is_first = !self.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, &batch.source));
                    self.last = Some(Arc::clone(&batch.source));
                    let ticket = self.numbering.ticket(is_first);
                    return Some(BatchFound::Batch { batch, ticket, read, raw_position });
                }
                Some(changed(&batch.source))
            }
            Ok(None) => None,
            Err(error) => Some(error),
        };
        let source = self.current.take()?;
        let is_short = self.earlier.is_some_and(|earlier| earlier.source + 1 == self.started);
        if error.is_none() && is_short {
            error = Some(changed(source.info()));
        }
        if is_short || error.is_some() && self.earlier.is_some() {
            // What follows cannot be told from what the earlier run answered.
            self.sources = Vec::new().into_iter();
        }
        self.raw_before += source.raw_position();
        let (notes, without_records) = (source.notes().to_vec(), source.without_records());
        Some(BatchFound::SourceEnded(SourceEnd { notes, error, without_records }))
    }

    /// The text of the current source that was read so far.
    fn text_before(&self) -> TextRead {
        let fingerprint = self.fingerprint.as_ref().map_or(0, Fingerprint::value);
        TextRead { source: self.started - 1, bytes: self.bytes, fingerprint }
    }

    /// Takes the text of a batch; whether an earlier run, if there is one, read the same up to where it came.
    fn is_as_before(&mut self, text: &[u8]) -> bool {
        let Some(fingerprint) = &mut self.fingerprint else { return true };
        let mut rest = text;
        if let Some(earlier) = self.earlier.filter(|earlier| earlier.source + 1 == self.started)
            && let Ok(missing) = usize::try_from(earlier.bytes - self.bytes)
            && missing <= text.len()
        {
            let (before, behind) = text.split_at(missing);
            fingerprint.update(before);
            if fingerprint.value() != earlier.fingerprint {
                return false;
            }
            (self.earlier, rest) = (None, behind);
        }
        fingerprint.update(rest);
        self.bytes += text.len() as u64;
        true
    }
}

/// What is wrong with a source that is not what an earlier run read.
fn changed(source: &SourceInfo) -> InputError {
    let change = "is not what the earlier run read; nothing was added to its rows".to_owned();
    InputError::Changed { name: source.name.clone(), change }
}

/// What a task needs besides the batch, used again by later ones.
struct TaskMemory<J: Job> {
    worker: J::Worker,
    records: Records,
    answers: J::Answers,
    kept: Vec<bool>,
}

/// What all tasks share.
struct TaskContext<J: Job, D: Digest> {
    job: Arc<J>,
    encoder: Arc<dyn Encode>,
    digest: D,
    strict: bool,
    only: Option<Vec<bool>>,
    /// Records that an earlier run answered.
    answered_before: u64,
    /// Raised when work should give what it has.
    hurry: Arc<AtomicBool>,
    memories: Spares<TaskMemory<J>>,
    pieces: Spares<EncodedBatch<D::Part>>,
}

impl<J: Job, D: Digest> TaskContext<J, D> {
    fn run(&self, found: BatchFound) -> BatchDone<D::Part> {
        let (batch, ticket, read, raw_position) = match found {
            BatchFound::Batch { batch, ticket, read, raw_position } => (batch, ticket, read, raw_position),
            BatchFound::SourceEnded(end) => return BatchDone::SourceEnded(end),
        };
        let mut memory = self.memories.take().unwrap_or_else(|| self.new_memory());
        let mut piece = self.pieces.take().unwrap_or_default();
        let records = &mut memory.records;
        let text = batch.read(self.job.want(), records);
        let found = records.len() as u64;
        let mut before = ticket.count(found, text.lines);
        records.shift_lines(before.lines);
        let complete = |grid: &&Grid| grid.cells().iter().all(|&cell| cell > 0);
        let complete_grids = records.puzzles().iter().filter(complete).count() as u64;
        let passed = (before.lines, text.passed);
        let skipped = self.answered_before.saturating_sub(before.records).min(found);
        let mut done = (0, None);
        let is_new = skipped < found || before.records >= self.answered_before;
        if is_new {
            records.skip(usize::try_from(skipped).expect("no more than there are"));
            (before.records, before.of_source) = (before.records + skipped, before.of_source + skipped);
            done = self.answer(&batch, before, &mut memory, &mut piece);
        }
        self.memories.put(memory);
        let boundary = is_new.then_some(Boundary { read, first_id: before.records + 1 });
        BatchDone::Batch(DoneBatch {
            source: batch.source,
            text: batch.bytes,
            boundary,
            piece,
            found,
            records: done.0,
            passed,
            complete_grids,
            raw_position,
            end: done.1,
        })
    }

    fn new_memory(&self) -> TaskMemory<J> {
        TaskMemory {
            worker: self.job.worker(Arc::clone(&self.hurry)),
            records: Records::default(),
            answers: J::Answers::default(),
            kept: Vec::new(),
        }
    }

    /// Answers a batch; says how many records count, and how the run ends if it ends with them.
    fn answer(
        &self,
        batch: &Batch,
        before: Before,
        memory: &mut TaskMemory<J>,
        piece: &mut EncodedBatch<D::Part>,
    ) -> (u64, Option<Ending>) {
        let TaskMemory { worker, records, answers, kept } = memory;
        if self.strict {
            let first_fault = records.faults().iter().next().map(|(row, _)| row);
            records.truncate(first_fault.map_or(records.len(), |row| row + 1));
        }
        piece.rows.clear();
        piece.further_parts.clear();
        piece.defects.clear();
        match isolated(|| self.job.answer(worker, batch, records, answers)) {
            Ok(rows) => {
                let (columns, corrected) = (self.job.columns(records, answers), self.job.corrected(answers));
                let answered = Answered { batch, before, records, columns, rows, corrected };
                let defects = &mut piece.defects;
                self.encode(answered, kept, &mut piece.rows, &mut piece.part, defects)
            }
            Err(panicked) => self.answer_singly(batch, before, &panicked.message, memory, piece),
        }
    }

    /// Answers a batch that panicked, with this message, record by record: only the row of a record that panics alone
    /// has no answer.
    #[cold]
    fn answer_singly(
        &self,
        batch: &Batch,
        before: Before,
        message: &str,
        memory: &mut TaskMemory<J>,
        piece: &mut EncodedBatch<D::Part>,
    ) -> (u64, Option<Ending>) {
        // What panicked may be in any state.
        let all = std::mem::replace(memory, self.new_memory()).records;
        assert!(!all.is_empty(), "no record is to blame: {message}");
        let (mut counted, mut end, mut panics) = (0, None, 0);
        for row in 0..all.len() {
            memory.records = all.one(row);
            let TaskMemory { worker, records, answers, kept } = &mut *memory;
            let mut part = D::Part::default();
            let before = Before {
                records: before.records + row as u64,
                of_source: before.of_source + row as u64,
                ..before
            };
            let mut encode = |columns, rows, corrected| {
                let answered = Answered { batch, before, records, columns, rows, corrected };
                self.encode(answered, kept, &mut piece.rows, &mut part, &mut piece.defects)
            };
            let (rows, ends) = match isolated(|| self.job.answer(worker, batch, records, answers)) {
                Ok(rows) => encode(self.job.columns(records, answers), rows, self.job.corrected(answers)),
                Err(panicked) => {
                    panics += 1;
                    let fault = Fault::new(FaultKind::Panic, None).text(panicked.message);
                    let error = InternalError::new(self.job.schema(), records, fault);
                    let done = encode(error.columns(&*self.job, records), 1, None);
                    if let Some(defect) = piece.defects.first.last_mut()
                        && defect.id == before.records + 1
                    {
                        defect.origin = panicked.origin;
                    }
                    *memory = self.new_memory();
                    done
                }
            };
            if row == 0 {
                piece.part = part;
            } else {
                piece.further_parts.push(part);
            }
            counted += rows;
            end = ends;
            if end.is_some() {
                break;
            }
        }
        // A run that was interrupted may not have come to the record that panicked.
        if panics == 0 && end.is_none() {
            let fault = Fault::new(FaultKind::BatchPanic, None).number(all.len() as u64).text(message);
            let defect = Defect {
                answered: true,
                input: Vec::new(),
                ..Defect::new(batch, &all, 0, before.records + 1, fault)
            };
            piece.defects.batch_panics += 1;
            piece.defects.push(defect);
        }
        (counted, end)
    }

    /// Encodes and digests what was answered; says how many records count, and how the run ends if it ends with them.
    fn encode(
        &self,
        answered: Answered<'_>,
        kept: &mut Vec<bool>,
        out: &mut Piece,
        part: &mut D::Part,
        defects: &mut Defects,
    ) -> (u64, Option<Ending>) {
        let Answered { batch, before, records, columns: own_columns, rows, corrected } = answered;
        let mut end = (rows < records.len()).then_some(Ending::Interrupted);
        let schema = self.job.schema();
        let mut columns = vec![
            Column::Counting(before.records + 1),
            Column::Same(&batch.source.name),
            Column::Numbers(records.lines()),
            Column::Words(records.kinds(), &PuzzleKind::WORDS),
        ];
        columns.extend(own_columns);
        columns.extend(records.carried.iter().map(Column::Texts));
        let mut page = Page {
            schema,
            columns,
            rows,
            kept: None,
            layouts: records.layouts(),
            text: (&batch.bytes, records.spans()),
            first_number: before.of_source + 1,
        };
        debug_assert_eq!(page.misfit(), None, "a column does not hold what its field says");
        let is_bad = |&status: &u8| schema.statuses[usize::from(status)].weight == Weight::BadRecord;
        let first_bad = if self.strict { page.statuses()[..rows].iter().position(is_bad) } else { None };
        if let Some(row) = first_bad {
            page.rows = row + 1;
            end = Some(Ending::Strict);
        }
        if let Some(only) = &self.only {
            kept.clear();
            kept.extend(page.statuses().iter().map(|&status| only[usize::from(status)]));
            page.kept = Some(kept);
        }
        self.encoder.encode(&page, out);
        self.digest.digest(&page, part);
        let defect_words = (0_u8..).zip(schema.statuses).filter(|(_, word)| word.weight == Weight::Defect);
        let has_defects =
            defect_words.map(|(index, _)| index).any(|index| page.statuses()[..page.rows].contains(&index));
        if has_defects || corrected.is_some_and(|rows| !rows.is_empty()) {
            list_defects(&page, batch, records, corrected, defects);
        }
        (page.rows as u64, end)
    }
}

/// Some records of a batch and what a job answered.
struct Answered<'a> {
    batch: &'a Batch,
    /// What lies before these.
    before: Before,
    records: &'a Records,
    /// The job's own.
    columns: Vec<Column<'a>>,
    /// Rows that may be written.
    rows: usize,
    corrected: Option<&'a Sparse<Fault>>,
}

/// Lists the rows of a page that say of a defect, and those whose first answer was refused.
#[cold]
fn list_defects(
    page: &Page<'_>,
    batch: &Batch,
    records: &Records,
    corrected: Option<&Sparse<Fault>>,
    defects: &mut Defects,
) {
    let Some(Column::Counting(first_id)) = page.column(Role::Id) else { unreachable!("`encode` made it") };
    let faults = match page.column(Role::Error) {
        Some(Column::Faults(faults)) => Some(faults),
        _ => None,
    };
    for (row, &status) in page.statuses()[..page.rows].iter().enumerate() {
        let refused = corrected.and_then(|corrected| corrected.get(row));
        let is_defect = page.schema.statuses[usize::from(status)].weight == Weight::Defect;
        let fault = if is_defect { faults.and_then(|faults| faults.get(row)) } else { refused };
        if let Some(fault) = fault {
            let defect = Defect::new(batch, records, row, first_id + row as u64, fault.clone());
            defects.push(Defect { answered: !is_defect, ..defect });
        }
        defects.corrected += u64::from(refused.is_some() && !is_defect);
    }
}

/// What to run.
pub struct Plan<J: Job, D: Digest> {
    /// What is read, in this order.
    pub sources: Vec<Source>,
    /// What is done with the records.
    pub job: Arc<J>,
    /// How rows are written.
    pub encoder: Arc<dyn Encode>,
    /// What is made of the rows besides.
    pub digest: D,
    /// How it is done.
    pub options: RunOptions,
}

/// Reads all sources, does the job with their records, and writes the rows to `out` in the order of the records.
///
/// `collector` takes what the digest made of each page. `stop` may be raised at any time: what is under way is then
/// finished and written, up to the first record that takes more than half a second longer. A reader that is blocked on
/// its input at that time is left behind on its thread.
///
/// # Errors
///
/// When threads cannot be started, and on a bug. Whatever was written is whole rows, but for a write that failed.
pub fn run<J: Job, D: Digest, C: Collect<D::Part>>(
    plan: Plan<J, D>,
    collector: &mut C,
    out: &mut dyn RowSink<C>,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Ended, RunError> {
    let started = Instant::now();
    let Plan { sources, job, encoder, digest, options } = plan;
    let threads = options.threads.get();
    let mut ended = Ended {
        wall: Duration::ZERO,
        threads,
        ending: Ending::Complete,
        input_errors: Vec::new(),
        notes: Vec::new(),
        unwritten: None,
        defects: options.before.defects.clone(),
        passed_over: PassedOver::default(),
        complete_grids: 0,
    };
    let mut header = Piece::default();
    if options.before.records == 0 {
        encoder.header(job.schema(), &mut header.bytes);
    }
    let begun = encoder.writer(job.schema(), options.threads).and_then(|mut writer| {
        writer.append(&mut header, out)?;
        Ok(writer)
    });
    let mut writer = match begun {
        Ok(writer) => writer,
        Err(error) => {
            ended.end_unwritten(error);
            return Ok(Ended { wall: started.elapsed(), ..ended });
        }
    };
    let hurry = Arc::new(AtomicBool::new(false));
    let context = Arc::new(TaskContext {
        job,
        encoder,
        digest,
        strict: options.strict,
        only: options.only.clone(),
        answered_before: options.before.records,
        hurry: Arc::clone(&hurry),
        memories: Spares::new(),
        pieces: Spares::new(),
    });
    let sizes = BatchSizes { threads, most: options.batch_bytes };
    let mut reader = BatchReader::new(sources, sizes, &options);
    let tasks = Arc::clone(&context);
    let mut records_done = 0;
    // Records of the source that is under way.
    let mut of_source = 0;
    let mut early_end = None;
    let mut workers = Threads::up_to(options.threads);
    let end = ordered(
        &mut workers,
        (BATCHES_PER_THREAD * threads).min(threads.max(MOST_WAITING)),
        move |buffer| reader.read(buffer),
        move |found| tasks.run(found),
        |done| {
            let mut done = match done {
                BatchDone::Batch(done) => done,
                BatchDone::SourceEnded(source) => {
                    ended.notes.extend(source.notes);
                    let none = source.without_records.filter(|_| source.error.is_none() && of_source == 0);
                    ended.input_errors.extend(source.error.or(none));
                    of_source = 0;
                    return Ok::<_, io::Error>(ControlFlow::Continue(Vec::new()));
                }
            };
            of_source += done.found;
            let (lines_before, passed) = done.passed;
            ended.passed_over.add(&done.source, lines_before, passed);
            ended.complete_grids += done.complete_grids;
            if let Some(boundary) = &done.boundary {
                // Behind an input that failed there is nothing to go on from: it would not be known any more.
                if ended.input_errors.is_empty() {
                    out.boundary(boundary, collector, &ended.defects)?;
                }
                writer.append(&mut done.piece.rows, out)?;
                collector.take(&mut done.piece.part);
                done.piece.further_parts.iter_mut().for_each(|part| collector.take(part));
                ended.defects.append(&mut done.piece.defects);
                records_done += done.records;
            }
            observer.progress(&Progress { records: records_done, raw_bytes: done.raw_position });
            context.pieces.put(done.piece);
            early_end = done.end;
            Ok(if early_end.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(done.text) })
        },
        stop,
        &hurry,
    );
    ended.notes.extend(context.job.notes());
    if let Some((started, note)) = workers.shortage() {
        ended.threads = started;
        ended.notes.push(note);
    }
    let panicked = |message| RunError::Panic { first_id: options.before.records + records_done + 1, message };
    // Whatever ended the run, a file that can be written is made whole.
    if !matches!(end, Err(Failure::Sink(_) | Failure::Threads(_))) {
        let finished = catch_unwind(AssertUnwindSafe(|| writer.finish(out)));
        match finished.map_err(|payload| panicked(message_of(payload)))? {
            Ok(()) => {}
            Err(error) => ended.unwritten = Some(error),
        }
    }
    ended.ending = match (end, early_end) {
        (Ok(_), Some(ending)) => ending,
        (Ok(End::Stopped), None) => Ending::Interrupted,
        (Ok(End::Complete | End::Refused), None) => Ending::Complete,
        (Err(Failure::Sink(error)), _) => {
            ended.unwritten = Some(error);
            Ending::Unwritten
        }
        (Err(Failure::Threads(error)), _) => return Err(RunError::Threads(error)),
        (Err(Failure::Panic { message, .. }), _) => return Err(panicked(message)),
    };
    if let Some(error) = ended.unwritten.take() {
        ended.end_unwritten(error);
    }
    ended.wall = started.elapsed();
    Ok(ended)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::ReadOptions;
    use crate::jobs::SearchOptions;
    use crate::jobs::solve::Solve;
    use crate::output::{FORMATS, FileEnd, Form, OutputFormat};
    use crate::pipeline::{Tally, TallyDigest};
    use crate::solver::{Backend, Limits};
    use std::fs;
    use std::io::Write;
    use std::path::Path;

    /// The rows of a run, and how many of their bytes lay before each boundary.
    #[derive(Default)]
    struct Watched {
        rows: Vec<u8>,
        boundaries: Vec<(Boundary, usize)>,
    }

    impl Write for Watched {
        fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
            self.rows.write(buffer)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Output for Watched {
        fn overwrite_start(&mut self, _: &[u8]) -> io::Result<()> {
            unreachable!("texts are written from their start to their end")
        }

        fn set_file_end(&mut self, _: Option<FileEnd>) {}
    }

    impl<C> RowSink<C> for Watched {
        fn boundary(&mut self, boundary: &Boundary, _: &C, _: &Defects) -> io::Result<()> {
            self.boundaries.push((*boundary, self.rows.len()));
            Ok(())
        }
    }

    /// What a run over files writes that goes on from another.
    fn written(
        paths: &[&str],
        format: &OutputFormat,
        before: EarlierRun,
        batch_bytes: usize,
    ) -> (Watched, Ended) {
        let search = SearchOptions { backend: Backend::best(), limits: Limits::default() };
        let job = Arc::new(Solve::new(search, false));
        let mut tally = Tally::new(job.schema());
        let threads = NonZeroUsize::MIN.saturating_add(1);
        let plan = Plan {
            sources: paths.iter().map(|path| Source::open(path, &ReadOptions::default()).unwrap()).collect(),
            job,
            encoder: (format.make)(),
            digest: TallyDigest,
            options: RunOptions { batch_bytes, resumable: true, before, ..RunOptions::new(threads) },
        };
        let mut out = Watched::default();
        let ended = run(plan, &mut tally, &mut out, &(), &AtomicBool::new(false)).unwrap();
        (out, ended)
    }

    fn earlier(boundary: &Boundary) -> EarlierRun {
        EarlierRun { records: boundary.first_id - 1, read: boundary.read, defects: Defects::default() }
    }

    /// Whole runs and runs that go on from a boundary write the same, in every text format and for every layout, however
    /// their batches are cut.
    #[test]
    fn rows_go_on_from_every_boundary_of_a_batch() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut boundaries = 0;
        for file in fs::read_dir(root.join("tests/golden")).unwrap() {
            let path = file.unwrap().path();
            if path.is_dir() {
                continue;
            }
            let name = path.to_str().unwrap();
            // The others cannot be written on from their middle.
            for format in FORMATS.iter().filter(|format| (format.make)().form() == Form::Text) {
                let (whole, _) = written(&[name], format, EarlierRun::default(), BATCH_BYTES);
                let (small, _) = written(&[name], format, EarlierRun::default(), 300);
                assert_eq!(small.rows, whole.rows, "{name} {}", format.name);
                for (boundary, bytes) in small.boundaries.iter().filter(|(boundary, _)| boundary.first_id > 1)
                {
                    let (rest, _) = written(&[name], format, earlier(boundary), 1000);
                    let both = [&small.rows[..*bytes], &rest.rows].concat();
                    assert_eq!(both, whole.rows, "{name} {} at {boundary:?}", format.name);
                    boundaries += 1;
                }
            }
        }
        assert!(boundaries > 100, "{boundaries}");
    }

    #[test]
    fn what_another_text_stands_before_is_not_written_on() {
        let directory = tempfile::tempdir().unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(root.join("data/easy.txt")).unwrap();
        let [one, other] =
            ["one", "other"].map(|name| directory.path().join(name).to_str().unwrap().to_owned());
        fs::write(&one, &text).unwrap();
        let (first, _) = written(&[&one, &one], &FORMATS[0], EarlierRun::default(), 3000);
        for (boundary, _) in first.boundaries.iter().filter(|(boundary, _)| boundary.first_id > 1) {
            // Another digit right before the place, and a text that ends before it.
            let mut changed = text.clone().into_bytes();
            let at = usize::try_from(boundary.read.bytes).unwrap();
            let Some(last) = at.checked_sub(2) else { continue };
            changed[last] = if changed[last] == b'1' { b'2' } else { b'1' };
            for changed in [&changed[..], &text.as_bytes()[..at - 82]] {
                fs::write(&other, changed).unwrap();
                let paths = if boundary.read.source == 0 { [&*other, &one] } else { [&*one, &other] };
                let (rest, ended) = written(&paths, &FORMATS[0], earlier(boundary), BATCH_BYTES);
                assert_eq!((&*rest.rows, ended.input_errors.len()), (&b""[..], 1), "{boundary:?}");
            }
        }
    }

    /// Panics at the page with some row, in the digest or in the collector.
    struct Trap {
        at: u64,
        in_digest: bool,
    }

    impl Digest for Trap {
        type Part = u64;

        fn digest(&self, page: &Page<'_>, part: &mut u64) {
            *part = page.first_number;
            let rows = page.first_number..page.first_number + page.rows as u64;
            assert!(!self.in_digest || !rows.contains(&self.at), "a trap");
        }
    }

    /// The number of the first row of the page that springs it.
    struct Sprung(Option<u64>);

    impl Collect<u64> for Sprung {
        fn take(&mut self, part: &mut u64) {
            assert_ne!(Some(*part), self.0, "a trap");
        }
    }

    #[test]
    fn a_panic_names_the_first_record_of_its_batch() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/easy.txt");
        let name = path.to_str().unwrap();
        let (whole, _) = written(&[name], &FORMATS[0], EarlierRun::default(), 300);
        let first_ids: Vec<_> = whole.boundaries.iter().map(|(boundary, _)| boundary.first_id).collect();
        for &at in [&first_ids[0], &first_ids[40], first_ids.last().unwrap()] {
            for in_digest in [false, true] {
                let search = SearchOptions { backend: Backend::best(), limits: Limits::default() };
                let options =
                    RunOptions { batch_bytes: 300, ..RunOptions::new(NonZeroUsize::MIN.saturating_add(1)) };
                let plan = Plan {
                    sources: vec![Source::open(name, &ReadOptions::default()).unwrap()],
                    job: Arc::new(Solve::new(search, false)),
                    encoder: (FORMATS[0].make)(),
                    digest: Trap { at, in_digest },
                    options,
                };
                let mut sprung = Sprung((!in_digest).then_some(at));
                let stop = AtomicBool::new(false);
                let failed = run(plan, &mut sprung, &mut Vec::new(), &(), &stop).unwrap_err();
                let RunError::Panic { first_id, message } = &failed else { panic!("{failed}") };
                assert_eq!((*first_id, &**message == "a trap"), (at, in_digest), "{message}");
            }
        }
    }

    #[test]
    fn batches_are_small_at_both_ends_and_bounded_between() {
        let sizes = BatchSizes { threads: 2, most: BATCH_BYTES };
        assert_eq!(sizes.next(0, None), SMALL_BATCH_BYTES);
        assert_eq!(sizes.next(1 << 20, None), 128 << 10);
        assert_eq!(sizes.next(u64::MAX, None), BATCH_BYTES);
        assert_eq!(sizes.next(u64::MAX, Some(1 << 20)), 128 << 10);
        assert_eq!(sizes.next(u64::MAX, Some(1)), SMALL_BATCH_BYTES);
        assert_eq!(BatchSizes { threads: 2, most: 7 }.next(1 << 30, None), 7);
    }
}
