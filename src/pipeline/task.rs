//! The tasks of a run: each reads, answers, encodes and digests a batch, page by page.
//!
//! If a job panics, the rest of the batch is lost: every record that may be missing rows gets one row that reports the
//! panic.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::batches::{BatchFound, SourceEnd};
use super::numbering::Before;
use super::ordered::Spares;
use super::rows::{RowMemory, fill_with_panic};
use super::terms::{EarlierRun, Ending, PassedOver, RunOptions, TextRead};
use super::{Defect, Defects, Digest, RowOutput};
use crate::input::{Batch, Panicked, Passed, isolated};
use crate::jobs::{Job, ReadBatch, Then};
use crate::output::Piece;
use crate::record::{Fault, FaultKind, Page, Records, Schema, Severity, Table};
use crate::sudoku::Grid;

/// A unit of work for a thread.
#[allow(clippy::large_enum_variant, reason = "few are under way")]
pub(super) enum Task<J: Job> {
    /// An item from the reader.
    Found(BatchFound),
    /// A batch that has more rows to produce.
    Rest(Box<OpenBatch<J>>),
}

/// The result of a task: the end of a source, or a page of a batch.
#[derive(Default)]
pub(super) struct Done<Part> {
    /// The end of a source; all other fields are then empty.
    pub(super) source_end: Option<SourceEnd>,
    /// The number of records in the batch. This field and the next two are set only for the first page.
    pub(super) found: u64,
    pub(super) passed_over: PassedOver,
    pub(super) complete_grids: u64,
    /// The point where the rows begin, if they begin with a new record.
    pub(super) boundary: Option<EarlierRun>,
    /// The encoded rows for each output, and their digest; `None` if an earlier run answered the whole batch.
    pub(super) rows: Option<(Vec<Piece>, Part)>,
    pub(super) defects: Defects,
    /// The number of records answered.
    pub(super) records: u64,
    pub(super) raw_position: u64,
    /// How the run ends, if it ends with this page.
    pub(super) end: Option<Ending>,
    /// The memory of the text, once all rows have been produced.
    pub(super) text: Vec<u8>,
}

/// The memory that a task needs in addition to the batch, reused by later tasks.
pub(super) struct TaskMemory<J: Job> {
    worker: J::Worker,
    records: Records,
    answers: Table,
    rows: RowMemory,
}

/// A batch whose records are still being answered.
pub(super) struct OpenBatch<J: Job> {
    batch: Batch,
    /// The numbers of records and lines that precede the remaining ones.
    before: Before,
    /// The text that precedes the batch.
    read: TextRead,
    raw_position: u64,
    memory: TaskMemory<J>,
    /// Whether the job has already started the batch and should continue it.
    is_begun: bool,
}

impl<J: Job> OpenBatch<J> {
    /// Drops the first `rows` records, so the remaining ones form a batch of their own.
    fn pass(&mut self, rows: usize) {
        self.memory.records.skip(rows);
        self.before.records += rows as u64;
        self.before.of_source += rows as u64;
        self.batch.first_id = self.before.records + 1;
    }
}

/// Data shared by all tasks.
pub(super) struct TaskContext<J: Job, D: Digest> {
    pub(super) job: Arc<J>,
    pub(super) schema: Schema,
    pub(super) outputs: Vec<RowOutput>,
    pub(super) digest: D,
    pub(super) options: RunOptions,
    /// Whether work should return what it has so far.
    pub(super) hurry: Arc<AtomicBool>,
    pub(super) memories: Spares<TaskMemory<J>>,
    pub(super) pieces: Spares<(Vec<Piece>, D::Part)>,
}

impl<J: Job, D: Digest> TaskContext<J, D> {
    /// Runs a task. Returns the result, and a task for the rest of the batch if there is more to do.
    pub(super) fn run(&self, task: Task<J>) -> (Done<D::Part>, Option<Task<J>>) {
        let (batch, ticket, read, raw_position) = match task {
            Task::Found(BatchFound::Batch { batch, ticket, read, raw_position }) => {
                (batch, ticket, read, raw_position)
            }
            Task::Found(BatchFound::SourceEnded(end)) => {
                return (Done { source_end: Some(end), ..Done::default() }, None);
            }
            Task::Rest(open) => return self.go_on(*open, Done::default()),
        };
        let mut memory = self.memories.take().unwrap_or_else(|| self.new_memory());
        let records = &mut memory.records;
        let text = batch.read(self.job.want(), records);
        let found = records.len() as u64;
        let before = ticket.count(found, text.lines);
        records.shift_lines(before.lines);
        let complete = |grid: &&Grid| grid.cells().iter().all(|&cell| cell > 0);
        let complete_grids = records.puzzles().iter().filter(complete).count() as u64;
        let Passed { lines, first } = text.passed;
        let first = first.map(|(line, text)| (Arc::clone(&batch.source), before.lines + line, text));
        let passed_over = PassedOver { lines, first };
        let mut done = Done { found, passed_over, complete_grids, raw_position, ..Done::default() };
        let answered_before = self.options.before.records;
        let skipped = answered_before.saturating_sub(before.records).min(found);
        if skipped == found && before.records < answered_before {
            self.memories.put(memory);
            done.text = batch.bytes;
            return (done, None);
        }
        memory.rows.last_id = 0;
        let mut open = OpenBatch { batch, before, read, raw_position, memory, is_begun: false };
        open.pass(usize::try_from(skipped).expect("no more than there are"));
        let records = &mut open.memory.records;
        if self.options.strict {
            let first_fault = records.faults().iter().next().map(|(row, _)| row);
            records.truncate(first_fault.map_or(records.len(), |row| row + 1));
        }
        self.go_on(open, done)
    }

    /// Produces the next page of a batch.
    fn go_on(&self, mut open: OpenBatch<J>, mut done: Done<D::Part>) -> (Done<D::Part>, Option<Task<J>>) {
        done.raw_position = open.raw_position;
        if !open.is_begun {
            let (records, read) = (open.before.records, open.read);
            done.boundary = Some(EarlierRun { records, read, defects: Defects::default() });
        }
        let has_more = match self.asked(&mut open) {
            Ok(then) => self.answer(&mut open, then, &mut done),
            Err(panicked) => {
                self.answer_panic(&mut open, panicked, &mut done);
                false
            }
        };
        if has_more && done.end.is_none() {
            return (done, Some(Task::Rest(Box::new(open))));
        }
        done.text = open.batch.bytes;
        self.memories.put(open.memory);
        (done, None)
    }

    fn new_memory(&self) -> TaskMemory<J> {
        TaskMemory {
            worker: self.job.worker(Arc::clone(&self.hurry)),
            records: Records::default(),
            answers: Table::new(self.job.schema()),
            rows: RowMemory::default(),
        }
    }

    /// Asks the job for the next answers.
    fn asked(&self, open: &mut OpenBatch<J>) -> Result<Then, Panicked> {
        let TaskMemory { worker, records, answers, .. } = &mut open.memory;
        let read = ReadBatch { batch: &open.batch, records };
        isolated(|| {
            if open.is_begun {
                answers.clear_rows();
            } else {
                answers.clear();
                self.job.begin(worker, read, answers);
            }
            self.job.answer(worker, read, answers)
        })
    }

    /// Builds the page from the job's answers. Returns whether there are more.
    fn answer(&self, open: &mut OpenBatch<J>, then: Then, done: &mut Done<D::Part>) -> bool {
        let OpenBatch { batch, before, memory, .. } = &mut *open;
        let TaskMemory { records, answers, rows, .. } = memory;
        answers.finish(records);
        let read = ReadBatch { batch, records };
        let mut page = rows.page(&self.schema, read, *before, answers);
        if then == Then::Stopped {
            done.end = Some(Ending::Interrupted);
        }
        self.encode(&mut page, done);
        done.defects.list(&page, read, &answers.corrected);
        open.is_begun = then == Then::More;
        if then == Then::Later {
            open.pass(open.memory.answers.len());
        }
        matches!(then, Then::More | Then::Later)
    }

    /// Builds the page for the records that may be missing rows because the job panicked.
    #[cold]
    fn answer_panic(&self, open: &mut OpenBatch<J>, panicked: Panicked, done: &mut Done<D::Part>) {
        let Panicked { message, origin } = panicked;
        // The record of the last row may still be missing rows; all earlier records are complete.
        let last = open.memory.rows.last_id;
        open.pass(usize::try_from(last.saturating_sub(open.before.records + 1)).unwrap_or(0));
        let OpenBatch { batch, before, memory, .. } = &mut *open;
        let TaskMemory { worker, records, answers, rows } = memory;
        assert!(!records.is_empty(), "no record is to blame: {message}");
        // The panic may have left the worker and the answers in any state.
        *worker = self.job.worker(Arc::clone(&self.hurry));
        *answers = Table::new(self.job.schema());
        let fault = Fault::new(FaultKind::Panic, None).number(records.len()).text(message);
        fill_with_panic(answers, &self.schema, records, &fault);
        answers.finish(records);
        let read = ReadBatch { batch, records };
        self.encode(&mut rows.page(&self.schema, read, *before, answers), done);
        let defect = Defect::new(read, 0, fault);
        done.defects.push(Defect { origin, ..defect });
        if self.options.strict && !records.faults().is_empty() {
            done.end = Some(Ending::Strict);
        }
    }

    /// Encodes and digests a page.
    fn encode(&self, page: &mut Page<'_>, done: &mut Done<D::Part>) {
        let is_bad = |&status: &u8| page.schema.statuses[usize::from(status)].severity == Severity::BadRecord;
        let statuses = page.statuses();
        if self.options.strict
            && let Some(row) = statuses[..page.rows].iter().position(is_bad)
        {
            page.rows = row + 1;
            done.end = Some(Ending::Strict);
        }
        let is_kept = |only: &Vec<bool>| statuses.iter().map(|&status| only[usize::from(status)]).collect();
        let kept: Vec<Option<Vec<_>>> =
            self.outputs.iter().map(|output| output.only.as_ref().map(is_kept)).collect();
        let (mut rows, mut part) = self.pieces.take().unwrap_or_default();
        rows.resize_with(self.outputs.len(), Piece::default);
        for ((output, kept), piece) in self.outputs.iter().zip(&kept).zip(&mut rows) {
            piece.clear();
            let columns = page.columns.clone();
            output.encoder.encode(&Page { columns, kept: kept.as_deref(), ..*page }, piece);
        }
        let (columns, kept) = (page.columns.clone(), kept.first().and_then(Option::as_deref));
        self.digest.digest(&Page { columns, kept, ..*page }, &mut part);
        done.records = page.records();
        done.rows = Some((rows, part));
    }
}
