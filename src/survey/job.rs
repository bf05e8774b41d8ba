//! The job of `inspect`, and the digest of its columns: whether claims are right, and how records write blank cells.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::input::Batch;
use crate::jobs::solve::Solve;
use crate::jobs::{Answered, Job, SearchOptions, verify};
use crate::pipeline::{Collect, Digest};
use crate::record::{Column, Field, Page, PuzzleKind, Records, Role, Schema, Table, Type, Want};
use crate::sudoku::CELLS;

/// The most records of a batch whose blanks are examined.
const MOST_EXAMINED: usize = 8;

/// The most wrong claims listed.
const MOST_LISTED: usize = 3;

const CLAIM: Field = Field::result("claim", Type::Word, "what `verify` says");
const CLAIM_ERROR: Field = Field::result("claim_error", Type::Fault, "what is wrong with the claim");
const BLANKS: Field = Field::result("blanks", Type::Text, "the characters of its blanks, if examined");

/// The job that solves every puzzle and checks its claim.
pub struct Survey {
    solve: Solve,
    schema: Schema,
}

impl Survey {
    pub fn new(options: SearchOptions) -> Self {
        let solve = Solve::new(options, false);
        let mut schema = solve.schema().clone();
        schema.fields.extend([CLAIM, CLAIM_ERROR, BLANKS]);
        Self { solve, schema }
    }
}

impl Job for Survey {
    type Worker = <Solve as Job>::Worker;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn want(&self) -> Want {
        Want { claims: true }
    }

    fn worker(&self, stop: Arc<AtomicBool>) -> Self::Worker {
        self.solve.worker(stop)
    }

    fn answer(
        &self,
        worker: &mut Self::Worker,
        batch: &Batch,
        records: &Records,
        table: &mut Table,
    ) -> Answered {
        let rows = self.solve.search(worker, batch, records, table);
        let claims: Vec<_> =
            (0..records.len()).map(|row| verify::status_of(batch, records, row, &worker.solved)).collect();
        worker.solved.move_to(table);
        let mut examined = 0;
        for (row, (claim, fault)) in claims.into_iter().enumerate() {
            let mut surveyed = table.row_at(row);
            surveyed.word(&CLAIM, claim, verify::STATUSES).fault(&CLAIM_ERROR, fault);
            if examined < MOST_EXAMINED && records.is_sudoku(row) && !batch.bytes.is_empty() {
                examined += 1;
                surveyed.text(&BLANKS, blanks_of(batch, records, row).as_bytes());
            }
        }
        Answered::a_row_each(rows, records)
    }
}

/// Returns the characters of the blanks of a sudoku, each once, sorted.
fn blanks_of(batch: &Batch, records: &Records, row: usize) -> String {
    let text = records.spans()[row].of(&batch.bytes);
    let lines: Vec<_> = text.split(|&byte| byte == b'\n').collect();
    let puzzle = &records.puzzles()[row];
    let mut found = Vec::new();
    for cell in (0..CELLS).filter(|&cell| puzzle.get(cell) == 0) {
        let place = batch.place_in_record(records, row, cell);
        let line = usize::try_from(place.line - records.lines()[row]).ok().and_then(|line| lines.get(line));
        let rest = usize::try_from(place.column - 1).ok().and_then(|at| line?.get(at..));
        let character = rest.and_then(|rest| rest.utf8_chunks().next()?.valid().chars().next());
        if let Some(character) = character
            && !found.contains(&character)
        {
            found.push(character);
        }
    }
    found.sort_unstable();
    found.into_iter().collect()
}

/// Counts that are not in the report.
#[derive(Debug, Default)]
pub struct Counts {
    /// Sudokus by the number of their clues.
    pub clues: BTreeMap<usize, u64>,
    /// Rows by the status that `verify` gives.
    pub claims: [u64; verify::STATUSES.len()],
    /// The first wrong claims, as `input:line: reason`.
    pub wrong: Vec<String>,
    /// Examined sudokus by the characters of their blanks.
    pub blanks: BTreeMap<String, u64>,
    /// Sudominoku cases.
    pub cases: u64,
}

/// The digest that counts pages of [`Survey`].
pub struct CountsDigest;

impl Digest for CountsDigest {
    type Part = Counts;

    fn digest(&self, page: &Page<'_>, part: &mut Counts) {
        *part = Counts::default();
        let (Some(Column::SmallNumbers(clues, readable)), Some(Column::Words(kinds, _))) =
            (page.column(Role::Clues), page.column(Role::Kind))
        else {
            return;
        };
        let [.., Column::Words(claims, _), Column::Faults(faults), Column::Texts(blanks)] = page.columns[..]
        else {
            return;
        };
        for row in 0..page.rows {
            if readable[row] && kinds[row] == PuzzleKind::Sudoku as u8 {
                *part.clues.entry(clues[row].into()).or_default() += 1;
            }
            part.cases += u64::from(kinds[row] == PuzzleKind::Sudominoku as u8);
            part.claims[usize::from(claims[row])] += 1;
            if claims[row] == u8::from(verify::Status::Wrong)
                && part.wrong.len() < MOST_LISTED
                && let Some(fault) = faults.get(row)
            {
                let (_, source, line) = page.origin(row);
                part.wrong.push(format!("{source}:{line}: {}", fault.reason()));
            }
            if let Some(blanks) = blanks.get(row).filter(|blanks| !blanks.is_empty()) {
                *part.blanks.entry(String::from_utf8_lossy(blanks).into_owned()).or_default() += 1;
            }
        }
    }
}

impl Collect<Counts> for Counts {
    fn take(&mut self, part: &mut Counts) {
        let part = std::mem::take(part);
        self.claims.iter_mut().zip(part.claims).for_each(|(sum, count)| *sum += count);
        part.clues.into_iter().for_each(|(clues, count)| *self.clues.entry(clues).or_default() += count);
        part.blanks.into_iter().for_each(|(blanks, count)| *self.blanks.entry(blanks).or_default() += count);
        let room = MOST_LISTED.saturating_sub(self.wrong.len());
        self.wrong.extend(part.wrong.into_iter().take(room));
        self.cases += part.cases;
    }
}
