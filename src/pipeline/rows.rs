//! The columns for the rows of a page: the origin, the answers and the carried columns.
//!
//! A job with one row per record uses the records' own columns. If a record can have several rows, the columns are
//! built here row by row so that all of them have the same length.

use super::numbering::Before;
use crate::jobs::ReadBatch;
use crate::record::{
    Column, Fault, Field, Gathered, Page, PuzzleKind, Records, Role, RowsOf, Schema, Severity, Table, Type,
};
use crate::sudoku::Grid;

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

/// Fills a table with a row for each record lost to a panic. The row holds the puzzle and the reason why there are no
/// answers.
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
                (Role::Clues, _) if puzzle.is_none() => &mut row,
                (Role::Clues, _) => row.small_with(field, || puzzle.map_or(0, Grid::clues) as u8),
                (Role::Puzzle, _) => row.grid(field, puzzle),
                (Role::Claim, _) => row.grid(field, claim),
                // No search was completed, and nothing was measured.
                (Role::Guesses | Role::Time | Role::Measure, _) => &mut row,
                // Programs that read results expect a number here, as they do for an invalid record.
                (_, Type::Number) => row.number(field, 0),
                (_, Type::Fault) => row.fault(field, fault.clone()),
                _ => &mut row,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{ReadOptions, Source};
    use crate::jobs::JOBS;
    use crate::record::{Layout, Span};
    use std::io::Cursor;

    #[test]
    fn a_row_is_the_first_of_its_record_once_whatever_page_it_is_on() {
        let mut source =
            Source::from_reader("a", Cursor::new("1".repeat(81) + "\n"), &ReadOptions::default()).unwrap();
        let batch = source.next_batch(Vec::new(), 1 << 20).unwrap().unwrap();
        let mut records = Records::default();
        for line in [3, 5, 8] {
            records.push_sudoku(line, Span::default(), Layout::Line, Grid::EMPTY);
        }
        let before = Before { records: 10, of_source: 0, lines: 0 };
        let schema = Schema::new(&[], &[], false);
        let mut memory = RowMemory::default();
        for (of, ids, lines, firsts) in [
            (&[0, 0, 1][..], &[11, 11, 12][..], &[3, 3, 5][..], &[true, false, true][..]),
            (&[1, 2], &[12, 13], &[5, 8], &[false, true]),
        ] {
            let mut table = Table::new(&schema);
            of.iter().for_each(|&record| {
                table.row_of(record, 0_u8);
            });
            let page = memory.page(&schema, ReadBatch { batch: &batch, records: &records }, before, &table);
            let [Column::Numbers(found), _, Column::Numbers(found_lines), _] = page.columns[..] else {
                panic!("{:?}", page.columns)
            };
            assert_eq!((found, found_lines, page.of.unwrap().firsts), (ids, lines, firsts));
            assert_eq!(memory.last_id, *ids.last().unwrap());
        }
    }

    #[test]
    fn every_job_has_a_word_for_a_defect() {
        for job in JOBS {
            assert!(job.statuses.iter().any(|word| word.severity == Severity::Defect), "{}", job.name);
        }
    }
}
