//! The tasks of a run: each reads, answers, encodes and digests a batch.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::batches::{BatchFound, SourceEnd};
use super::isolate::InternalError;
use super::numbering::Before;
use super::ordered::Worked;
use super::rows::{LastRecord, RowMemory, Rows};
use super::terms::{Boundary, Ending, TextRead};
use super::{Defect, Defects, Digest, Spares};
use crate::input::{Batch, Panicked, Passed, SourceInfo, isolated};
use crate::jobs::{Answered, Job, Then};
use crate::output::{Encode, Piece};
use crate::record::{Column, Fault, FaultKind, Page, Records, Role, Sparse, Table, Weight};
use crate::sudoku::Grid;

/// A task for a thread.
#[allow(clippy::large_enum_variant, reason = "few are under way")]
pub(super) enum Task<J: Job> {
    /// Something that the reader found.
    Found(BatchFound),
    /// A batch that has more rows.
    Rest(Box<OpenBatch<J>>),
}

/// The result of a task.
#[allow(clippy::large_enum_variant, reason = "few are under way")]
pub(super) enum BatchDone<Part> {
    Batch(DoneBatch<Part>),
    SourceEnded(SourceEnd),
}

/// A batch that was read and answered, or a part of it.
pub(super) struct DoneBatch<Part> {
    pub(super) source: Arc<SourceInfo>,
    /// The memory of the text, once all rows are made.
    pub(super) text: Vec<u8>,
    /// What was found in it; empty after its first part.
    pub(super) facts: BatchFacts,
    /// Where its rows begin, if they begin with a record and it did not panic.
    pub(super) boundary: Option<Boundary>,
    /// `None` if all of it was answered by an earlier run.
    pub(super) piece: Option<EncodedBatch<Part>>,
    /// Number of records answered.
    pub(super) records: u64,
    pub(super) raw_position: u64,
    /// How the run ends, if it ends with this batch.
    pub(super) end: Option<Ending>,
}

/// What reading a batch shows, even if it is not answered.
#[derive(Default)]
pub(super) struct BatchFacts {
    pub(super) records: u64,
    /// Number of lines of the source before it, and what was passed over.
    pub(super) passed: (u64, Passed),
    pub(super) complete_grids: u64,
}

/// The encoded rows and digests of a batch.
#[derive(Default)]
pub(super) struct EncodedBatch<Part> {
    pub(super) rows: Piece,
    pub(super) part: Part,
    pub(super) defects: Defects,
}

impl<Part> DoneBatch<Part> {
    /// A batch of which nothing is answered.
    fn new(batch: &Batch, raw_position: u64) -> Self {
        Self {
            source: Arc::clone(&batch.source),
            text: Vec::new(),
            facts: BatchFacts::default(),
            boundary: None,
            piece: None,
            records: 0,
            raw_position,
            end: None,
        }
    }
}

impl<Part> EncodedBatch<Part> {
    fn clear(&mut self) {
        self.rows.clear();
        self.defects.clear();
    }
}

/// What a task needs besides the batch, reused by later ones.
pub(super) struct TaskMemory<J: Job> {
    worker: J::Worker,
    records: Records,
    answers: Table,
    rows: RowMemory,
}

/// A batch that is being answered.
pub(super) struct OpenBatch<J: Job> {
    batch: Batch,
    /// What lies before its records.
    before: Before,
    /// The text before the batch.
    read: TextRead,
    raw_position: u64,
    memory: TaskMemory<J>,
    /// Whether the job has begun it, and continues.
    is_begun: bool,
    singly: Option<Singly>,
}

/// A batch that panicked, and is answered record by record, each of which has a page of its own: only a record that
/// panics alone has no answer.
struct Singly {
    all: Records,
    /// The current record.
    row: usize,
    /// The message of the batch's panic.
    message: String,
    /// Records that panicked alone.
    panics: u64,
}

impl<J: Job> OpenBatch<J> {
    /// Begins a record of a batch that panicked, whose number is known.
    fn begin_record(&mut self, all: &Records, row: usize) {
        self.memory.records = all.one(row);
        self.batch.first_id = self.before.records + 1;
    }

    /// Goes on to the records after the first `rows`, as to a batch of their own.
    fn pass(&mut self, rows: usize) {
        self.memory.records.skip(rows);
        self.before.records += rows as u64;
        self.before.of_source += rows as u64;
        self.batch.first_id = self.before.records + 1;
        self.is_begun = false;
    }

    /// Goes on to the next record of a batch that panicked, if there is one.
    fn next_record(&mut self, defects: &mut Defects) -> bool {
        let Some(mut singly) = self.singly.take() else { return false };
        singly.row += 1;
        if singly.row < singly.all.len() {
            self.before.records += 1;
            self.before.of_source += 1;
            self.begin_record(&singly.all, singly.row);
            self.singly = Some(singly);
            return true;
        }
        // An interrupted run may not have come to the record that panicked.
        if singly.panics == 0 {
            let Singly { all, row, message, .. } = singly;
            let fault = Fault::new(FaultKind::BatchPanic, None).number(row).text(message);
            let first_id = self.before.records + 2 - row as u64;
            let defect = Defect::new(&self.batch, &all, 0, first_id, fault);
            defects.batch_panics += 1;
            defects.push(Defect { answered: true, input: Vec::new(), ..defect });
        }
        false
    }
}

/// What all tasks share.
pub(super) struct TaskContext<J: Job, D: Digest> {
    pub(super) job: Arc<J>,
    pub(super) encoder: Arc<dyn Encode>,
    pub(super) digest: D,
    pub(super) strict: bool,
    pub(super) only: Option<Vec<bool>>,
    /// Records that an earlier run answered.
    pub(super) answered_before: u64,
    /// Raised when work should return what it has.
    pub(super) hurry: Arc<AtomicBool>,
    pub(super) memories: Spares<TaskMemory<J>>,
    pub(super) pieces: Spares<EncodedBatch<D::Part>>,
}

/// The outcome of a page.
struct PageDone {
    /// Records whose first row is in it.
    records: u64,
    /// How the run ends, if it ends with it.
    end: Option<Ending>,
    /// Whether the records have more rows.
    has_more: bool,
}

impl<J: Job, D: Digest> TaskContext<J, D> {
    /// Runs a task.
    pub(super) fn run(&self, task: Task<J>) -> Worked<Task<J>, BatchDone<D::Part>> {
        let (mut batch, ticket, read, raw_position) = match task {
            Task::Found(BatchFound::Batch { batch, ticket, read, raw_position }) => {
                (batch, ticket, read, raw_position)
            }
            Task::Found(BatchFound::SourceEnded(end)) => return Worked::all(BatchDone::SourceEnded(end)),
            Task::Rest(open) => {
                let mut done = DoneBatch::new(&open.batch, open.raw_position);
                let starts_with_record = !open.is_begun && open.singly.is_none();
                done.boundary = starts_with_record
                    .then(|| Boundary { read: open.read, first_id: open.before.records + 1 });
                return self.go_on(*open, done);
            }
        };
        let mut memory = self.memories.take().unwrap_or_else(|| self.new_memory());
        let records = &mut memory.records;
        let text = batch.read(self.job.want(), records);
        let found = records.len() as u64;
        let mut before = ticket.count(found, text.lines);
        records.shift_lines(before.lines);
        let complete = |grid: &&Grid| grid.cells().iter().all(|&cell| cell > 0);
        let complete_grids = records.puzzles().iter().filter(complete).count() as u64;
        let mut done = DoneBatch::new(&batch, raw_position);
        done.facts = BatchFacts { records: found, passed: (before.lines, text.passed), complete_grids };
        let skipped = self.answered_before.saturating_sub(before.records).min(found);
        if skipped == found && before.records < self.answered_before {
            self.memories.put(memory);
            done.text = batch.bytes;
            return Worked::all(BatchDone::Batch(done));
        }
        records.skip(usize::try_from(skipped).expect("no more than there are"));
        before.records += skipped;
        before.of_source += skipped;
        if self.strict {
            let first_fault = records.faults().iter().next().map(|(row, _)| row);
            records.truncate(first_fault.map_or(records.len(), |row| row + 1));
        }
        memory.rows.last = LastRecord::default();
        batch.first_id = before.records + 1;
        done.boundary = Some(Boundary { read, first_id: before.records + 1 });
        let open = OpenBatch { batch, before, read, raw_position, memory, is_begun: false, singly: None };
        self.go_on(open, done)
    }

    /// Answers the next page of a batch.
    fn go_on(
        &self,
        mut open: OpenBatch<J>,
        mut done: DoneBatch<D::Part>,
    ) -> Worked<Task<J>, BatchDone<D::Part>> {
        let mut piece = self.pieces.take().unwrap_or_default();
        piece.clear();
        let PageDone { records, end, has_more } = self.answer(&mut open, &mut piece);
        (done.piece, done.records, done.end) = (Some(piece), records, end);
        if has_more && end.is_none() {
            return Worked { done: BatchDone::Batch(done), rest: Some(Task::Rest(Box::new(open))) };
        }
        done.text = open.batch.bytes;
        self.memories.put(open.memory);
        Worked::all(BatchDone::Batch(done))
    }

    fn new_memory(&self) -> TaskMemory<J> {
        TaskMemory {
            worker: self.job.worker(Arc::clone(&self.hurry)),
            records: Records::default(),
            answers: Table::new(self.job.schema()),
            rows: RowMemory::default(),
        }
    }

    /// Answers a page of a batch.
    fn answer(&self, open: &mut OpenBatch<J>, piece: &mut EncodedBatch<D::Part>) -> PageDone {
        let mut answered = self.asked(open);
        if open.singly.is_none()
            && let Err(panicked) = answered
        {
            self.divide(open, panicked.message);
            answered = self.asked(open);
        }
        let passed = answered.as_ref().ok().filter(|answered| answered.then == Then::Later);
        let passed = passed.map(|answered| answered.rows);
        let mut done = match answered {
            Ok(answered) => {
                let TaskMemory { records, answers, rows, .. } = &mut open.memory;
                answers.finish(records);
                let page = Answer::of(&*self.job, &open.batch, open.before, records, answers, answered);
                self.encode(page, rows, piece)
            }
            Err(panicked) => self.answer_panic(open, panicked, piece),
        };
        open.is_begun = done.has_more;
        if let Some(rows) = passed {
            open.pass(rows);
        }
        if !done.has_more && done.end.is_none() {
            done.has_more = open.next_record(&mut piece.defects);
        }
        done
    }

    /// Asks the job for the next answers.
    fn asked(&self, open: &mut OpenBatch<J>) -> Result<Answered, Panicked> {
        let TaskMemory { worker, records, answers, .. } = &mut open.memory;
        isolated(|| {
            if open.is_begun {
                answers.clear_rows();
            } else {
                answers.clear();
                self.job.begin(worker, &open.batch, records, answers);
            }
            self.job.answer(worker, &open.batch, records, answers)
        })
    }

    /// Prepares a batch that panicked to be answered record by record, from the first record with missing rows on.
    #[cold]
    fn divide(&self, open: &mut OpenBatch<J>, message: String) {
        assert!(!open.memory.records.is_empty(), "no record is to blame: {message}");
        let last = open.memory.rows.last;
        let row = usize::try_from(last.id.saturating_sub(open.before.records + 1)).unwrap_or(0);
        open.pass(row);
        // After the panic, all memory but the records may be in any state.
        let all = std::mem::replace(&mut open.memory, self.new_memory()).records;
        // The rows that the last record already has are made again, and left out.
        open.memory.rows.last = LastRecord { repeated: last.rows, rows: 0, ..last };
        open.begin_record(&all, 0);
        open.singly = Some(Singly { all, row: 0, message, panics: 0 });
    }

    /// The page of a record that panicked alone.
    #[cold]
    fn answer_panic(
        &self,
        open: &mut OpenBatch<J>,
        panicked: Panicked,
        piece: &mut EncodedBatch<D::Part>,
    ) -> PageDone {
        open.singly.iter_mut().for_each(|singly| singly.panics += 1);
        let TaskMemory { records, rows, .. } = &mut open.memory;
        let fault = Fault::new(FaultKind::Panic, None).text(panicked.message);
        let error = InternalError::new(self.job.schema(), records, fault);
        let page = Answer {
            batch: &open.batch,
            before: open.before,
            records,
            columns: error.columns(&*self.job, records),
            of: self.job.has_many_rows().then_some(&[0][..]),
            answered: Answered { rows: 1, then: Then::Done },
            corrected: None,
        };
        // After the rows that were written before, not in place of one.
        rows.last.rows = rows.last.rows.max(rows.last.repeated);
        let done = self.encode(page, rows, piece);
        if let Some(defect) = piece.defects.first.last_mut() {
            defect.origin = panicked.origin;
        }
        let last = rows.last;
        open.memory = self.new_memory();
        open.memory.rows.last = last;
        done
    }

    /// Encodes and digests a page.
    fn encode(
        &self,
        answer: Answer<'_>,
        memory: &mut RowMemory,
        piece: &mut EncodedBatch<D::Part>,
    ) -> PageDone {
        let Answer { batch, before, records, columns, of, answered, corrected } = answer;
        let Answered { rows, then } = answered;
        let mut end = (then == Then::Stopped).then_some(Ending::Interrupted);
        let schema = self.job.schema();
        let Rows { columns, of, kept } = memory.rows(batch, before, records, columns, of);
        let mut page = Page {
            of,
            layouts: records.layouts(),
            text: (&batch.bytes, records.spans()),
            first_number: before.of_source + 1,
            ..Page::new(schema, columns, rows)
        };
        let is_bad = |&status: &u8| schema.statuses[usize::from(status)].weight == Weight::BadRecord;
        let first_bad = if self.strict { page.statuses()[..rows].iter().position(is_bad) } else { None };
        if let Some(row) = first_bad {
            page.rows = row + 1;
            end = Some(Ending::Strict);
        }
        if let Some(only) = &self.only {
            kept.resize(rows, true);
            kept.iter_mut()
                .zip(page.statuses())
                .for_each(|(kept, &status)| *kept &= only[usize::from(status)]);
        }
        page.kept = Some(&**kept).filter(|kept| !kept.is_empty());
        self.encoder.encode(&page, &mut piece.rows);
        self.digest.digest(&page, &mut piece.part);
        let defect_words = (0_u8..).zip(schema.statuses).filter(|(_, word)| word.weight == Weight::Defect);
        let has_defects =
            defect_words.map(|(index, _)| index).any(|index| page.statuses()[..page.rows].contains(&index));
        if has_defects || corrected.is_some_and(|rows| !rows.is_empty()) {
            list_defects(&page, batch, records, corrected, &mut piece.defects);
        }
        PageDone { records: page.records(), end, has_more: matches!(then, Then::More | Then::Later) }
    }
}

/// Some records of a batch and the job's answers.
struct Answer<'a> {
    batch: &'a Batch,
    /// What lies before these.
    before: Before,
    records: &'a Records,
    /// The job's own columns.
    columns: Vec<Column<'a>>,
    /// The record of each row, where a record may have several.
    of: Option<&'a [u32]>,
    answered: Answered,
    corrected: Option<&'a Sparse<Fault>>,
}

impl<'a> Answer<'a> {
    fn of<J: Job>(
        job: &J,
        batch: &'a Batch,
        before: Before,
        records: &'a Records,
        answers: &'a Table,
        answered: Answered,
    ) -> Self {
        let of = job.has_many_rows().then(|| answers.of());
        let (columns, corrected) = (answers.columns(records), Some(&answers.corrected));
        Self { batch, before, records, columns, of, answered, corrected }
    }
}

/// Lists the rows of a page with a defect, and those whose first answer was refused.
#[cold]
fn list_defects(
    page: &Page<'_>,
    batch: &Batch,
    records: &Records,
    corrected: Option<&Sparse<Fault>>,
    defects: &mut Defects,
) {
    let faults = match page.column(Role::Error) {
        Some(Column::Faults(faults)) => Some(faults),
        _ => None,
    };
    for (row, &status) in page.statuses()[..page.rows].iter().enumerate() {
        let corrected = corrected.filter(|_| page.is_first(row));
        let refused = corrected.and_then(|corrected| corrected.get(page.record_of(row)));
        let is_defect = page.schema.statuses[usize::from(status)].weight == Weight::Defect;
        let fault = if is_defect { faults.and_then(|faults| faults.get(row)) } else { refused };
        if let Some(fault) = fault {
            let (id, ..) = page.origin(row);
            let defect = Defect::new(batch, records, page.record_of(row), id, fault.clone());
            defects.push(Defect { answered: !is_defect, ..defect });
        }
        defects.corrected += u64::from(refused.is_some() && !is_defect);
    }
}
