//! The columns for the rows of a page: the origin, the answers and the carried columns.
//!
//! A job with one row per record uses the records' own columns. If a record can have several rows, the columns are
//! built here row by row so that all of them have the same length.

use super::numbering::Before;
use crate::jobs::ReadBatch;
use crate::record::{
    Column, Fault, Field, Gathered, Page, PuzzleKind, Records, Role, RowsOf, Schema, Severity, Table, Type,
};

/// Memory for the rows of a page, reused from page to page.
#[derive(Default)]
pub(super) struct RowMemory {
    /// The record number of the last row, if records can have several rows; 0 before the first row of a batch.
    pub(super) last_id: u64,
    gathered: Vec<Gathered>,
    firsts: Vec<bool>,
}

impl RowMemory {
    /// Builds the page from a finished table of answers.
    pub(super) fn page<'a>(
        &'a mut self,
        schema: &'a Schema,
        ReadBatch { batch, records }: ReadBatch<'a>,
        before: Before,
        table: &'a Table,
    ) -> Page<'a> {
        let answers = table.columns(records);
        let origin = [
            Column::Counting(before.records + 1),
            Column::Same(&batch.source.name),
            Column::Numbers(records.lines()),
            Column::Words(records.kinds(), &PuzzleKind::WORDS),
        ];
        let carried = records.carried.iter().map(Column::Texts);
        let (columns, of) = match table.of() {
            [] => (origin.into_iter().chain(answers).chain(carried).collect(), None),
            of => {
                self.firsts.clear();
                for &record in of {
                    let id = before.records + u64::from(record) + 1;
                    self.firsts.push(id != self.last_id);
                    self.last_id = id;
                }
                let records = of.iter().map(|&record| record as usize);
                self.gathered.resize_with(origin.len() + carried.len(), Gathered::default);
                let all = self.gathered.iter_mut().zip(origin.into_iter().chain(carried));
                let mut columns: Vec<_> = all.map(|(memory, column)| memory.take(column, &records)).collect();
                columns.splice(origin.len()..origin.len(), answers);
                (columns, Some(RowsOf { records: of, firsts: &self.firsts }))
            }
        };
        Page {
            of,
            layouts: records.layouts(),
            text: (&batch.bytes, records.spans()),
            first_number: before.of_source + 1,
            ..Page::new(schema, columns, table.len())
        }
    }
}

/// Fills a table with one row for each record lost to a panic. The row holds the puzzle and the reason why it was not
/// answered.
pub(super) fn fill_with_panic(table: &mut Table, schema: &Schema, records: &Records, fault: &Fault) {
    let status = schema.statuses.iter().position(|word| word.severity == Severity::Defect);
    let status = status.expect("every job has a word for a defect") as u8;
    let (claims, has_claim) = records.claims.grids();
    for (record, puzzle) in records.puzzles().iter().enumerate() {
        let puzzle = Some(puzzle).filter(|_| records.readable()[record]);
        let claim = claims.get(record).filter(|_| has_claim[record]);
        let mut row = table.row_of(record, status);
        for field in &schema.fields[Field::ORIGIN.len()..] {
            match (field.role, field.holds) {
                (Role::Clues, _) if let Some(puzzle) = puzzle => row.number(field, puzzle.clues().into()),
                (Role::Puzzle, _) => row.grid(field, puzzle),
                (Role::Claim, _) => row.grid(field, claim),
                // These stay empty: the record cannot be read, no search was completed, or nothing was measured.
                (Role::Clues | Role::Guesses | Role::Time | Role::Measure, _) => &mut row,
                // Programs that read results expect a number here, as they do for an invalid record.
                (_, Type::Number) => row.number(field, 0),
                (_, Type::Fault) => row.fault(field, fault.clone()),
                _ => &mut row,
            };
        }
    }
}
