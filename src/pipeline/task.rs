//! What the threads of a run do with a batch: it is read, answered, encoded and digested.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::batches::{BatchFound, SourceEnd};
use super::isolate::InternalError;
use super::numbering::Before;
use super::terms::{Boundary, Ending};
use super::{Defect, Defects, Digest, Spares};
use crate::input::{Batch, Passed, SourceInfo, isolated};
use crate::jobs::Job;
use crate::output::{Encode, Piece};
use crate::record::{Column, Fault, FaultKind, Page, PuzzleKind, Records, Role, Sparse, Weight};
use crate::sudoku::Grid;

/// What became of it.
#[allow(clippy::large_enum_variant, reason = "few are under way")]
pub(super) enum BatchDone<Part> {
    Batch(DoneBatch<Part>),
    SourceEnded(SourceEnd),
}

/// A batch that was read and answered.
pub(super) struct DoneBatch<Part> {
    pub(super) source: Arc<SourceInfo>,
    pub(super) text: Vec<u8>,
    /// `None` if all of it was answered by an earlier run.
    pub(super) boundary: Option<Boundary>,
    pub(super) piece: EncodedBatch<Part>,
    /// Records that were found.
    pub(super) found: u64,
    /// Records that were answered.
    pub(super) records: u64,
    /// What was passed over, behind so many lines of the source.
    pub(super) passed: (u64, Passed),
    pub(super) complete_grids: u64,
    pub(super) raw_position: u64,
    /// How the run ends, if it ends with this batch.
    pub(super) end: Option<Ending>,
}

/// What a batch is answered into.
#[derive(Default)]
pub(super) struct EncodedBatch<Part> {
    pub(super) rows: Piece,
    pub(super) part: Part,
    /// Those of the pages behind the first, where each record has a page of its own.
    pub(super) further_parts: Vec<Part>,
    pub(super) defects: Defects,
}

/// What a task needs besides the batch, used again by later ones.
pub(super) struct TaskMemory<J: Job> {
    worker: J::Worker,
    records: Records,
    answers: J::Answers,
    kept: Vec<bool>,
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
    /// Raised when work should give what it has.
    pub(super) hurry: Arc<AtomicBool>,
    pub(super) memories: Spares<TaskMemory<J>>,
    pub(super) pieces: Spares<EncodedBatch<D::Part>>,
}

impl<J: Job, D: Digest> TaskContext<J, D> {
    pub(super) fn run(&self, found: BatchFound) -> BatchDone<D::Part> {
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
