//! The job that `inspect` runs, and a digest of its columns that counts which claims are right.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::jobs::solve::Solve;
use crate::jobs::{Job, ReadBatch, SearchOptions, Then, verify};
use crate::pipeline::{Collect, Digest};
use crate::record::{Column, Field, Page, PuzzleKind, Role, Schema, Table, Type, Want};

/// The largest number of wrong claims listed.
const MOST_LISTED: usize = 3;

const CLAIM: Field = Field::result("claim", Type::Word, "the status that `verify` gives the claim");
const CLAIM_ERROR: Field = Field::result("claim_error", Type::Fault, "what is wrong with the claim");

/// A job that solves every puzzle and checks its claim.
pub struct Survey {
    solve: Solve,
    schema: Schema,
}

impl Survey {
    pub fn new(options: SearchOptions) -> Self {
        let solve = Solve::new(options, false);
        let mut schema = solve.schema().clone();
        schema.fields.extend([CLAIM, CLAIM_ERROR]);
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

    fn answer(&self, worker: &mut Self::Worker, read: ReadBatch<'_>, table: &mut Table) -> Then {
        let rows = self.solve.search(worker, read, table);
        let claims: Vec<_> =
            (0..read.records.len()).map(|row| verify::status_of(read, row, &worker.solved)).collect();
        worker.solved.move_to(table);
        for (row, (claim, fault)) in claims.into_iter().enumerate() {
            table.row_at(row).word(&CLAIM, claim, verify::STATUSES).fault(&CLAIM_ERROR, fault);
        }
        table.truncate(rows);
        Then::after(rows, read.records)
    }
}

/// Counts that the report lacks.
#[derive(Debug, Default)]
pub struct Counts {
    /// Number of sudokus with each number of clues.
    pub clues: BTreeMap<usize, u64>,
    /// Number of rows with each status that `verify` would give.
    pub claims: [u64; verify::STATUSES.len()],
    /// The first wrong claims, as `input:line: reason`.
    pub wrong: Vec<String>,
    /// Number of records of each kind of puzzle.
    pub kinds: [u64; PuzzleKind::ALL.len()],
}

/// A digest that counts the rows on [`Survey`] pages.
pub struct CountsDigest;

impl Digest for CountsDigest {
    type Part = Counts;

    fn digest(&self, page: &Page<'_>, part: &mut Counts) {
        *part = Counts::default();
        let clues = page.numbers(Role::Clues);
        let Some(Column::Words(kinds, _)) = page.column(Role::Kind) else { return };
        let [.., Column::Words(claims, _), Column::Faults(faults)] = page.columns[..] else { return };
        for row in 0..page.rows {
            if kinds[row] == PuzzleKind::Sudoku as u8
                && let Some(clues) = clues.get(row)
            {
                *part.clues.entry(clues as usize).or_default() += 1;
            }
            part.kinds[usize::from(kinds[row])] += 1;
            part.claims[usize::from(claims[row])] += 1;
            if claims[row] == u8::from(verify::Status::Wrong)
                && part.wrong.len() < MOST_LISTED
                && let Some(fault) = faults.get(row)
            {
                let (_, source, line) = page.origin(row);
                part.wrong.push(format!("{source}:{line}: {}", fault.reason()));
            }
        }
    }
}

impl Collect<Counts> for Counts {
    fn take(&mut self, part: &mut Counts) {
        let part = std::mem::take(part);
        self.claims.iter_mut().zip(part.claims).for_each(|(sum, count)| *sum += count);
        part.clues.into_iter().for_each(|(clues, count)| *self.clues.entry(clues).or_default() += count);
        let room = MOST_LISTED.saturating_sub(self.wrong.len());
        self.wrong.extend(part.wrong.into_iter().take(room));
        self.kinds.iter_mut().zip(part.kinds).for_each(|(kind, of_part)| *kind += of_part);
    }
}
