//! The columns of the rows of a page: their origin, their answers, and what is carried along.
//!
//! A job with one row per record uses the columns of the records. Where a record may have many rows, they are gathered
//! here row by row, so that all columns of a page are equally long.

use super::numbering::Before;
use crate::input::Batch;
use crate::record::{Column, Gathered, PuzzleKind, Records, RowsOf};

/// The record of the last row of the run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastRecord {
    /// Its number, from 1.
    pub(super) id: u64,
    /// Rows that it has so far.
    pub(super) rows: u64,
    /// How many of these are repeated, and left out.
    pub(super) repeated: u64,
}

/// Memory for the rows of a page, reused from page to page.
#[derive(Default)]
pub(super) struct RowMemory {
    pub(super) last: LastRecord,
    gathered: Vec<Gathered>,
    firsts: Vec<bool>,
    kept: Vec<bool>,
}

/// The rows of a page.
pub(super) struct Rows<'a> {
    pub(super) columns: Vec<Column<'a>>,
    /// The record of each row, where a record may have several.
    pub(super) of: Option<RowsOf<'a>>,
    /// Which rows are kept; all if it is empty.
    pub(super) kept: &'a mut Vec<bool>,
}

impl RowMemory {
    /// The rows with these answers, which are `of` these records, or one of each if that is `None`.
    pub(super) fn rows<'a>(
        &'a mut self,
        batch: &'a Batch,
        before: Before,
        records: &'a Records,
        answers: Vec<Column<'a>>,
        of: Option<&'a [u32]>,
    ) -> Rows<'a> {
        let origin = [
            Column::Counting(before.records + 1),
            Column::Same(&batch.source.name),
            Column::Numbers(records.lines()),
            Column::Words(records.kinds(), &PuzzleKind::WORDS),
        ];
        let carried = records.carried.iter().map(Column::Texts);
        self.kept.clear();
        let Some(of) = of else {
            let columns = origin.into_iter().chain(answers).chain(carried).collect();
            return Rows { columns, of: None, kept: &mut self.kept };
        };
        self.number(before, of);
        let records = of.iter().map(|&record| record as usize);
        self.gathered.resize_with(origin.len() + carried.len(), Gathered::default);
        let all = self.gathered.iter_mut().zip(origin.into_iter().chain(carried));
        let mut columns: Vec<_> = all.map(|(memory, column)| memory.take(column, &records)).collect();
        columns.splice(origin.len()..origin.len(), answers);
        Rows { columns, of: Some(RowsOf { records: of, firsts: &self.firsts }), kept: &mut self.kept }
    }

    /// Notes which rows are the first of their record, and which are repeated.
    fn number(&mut self, before: Before, of: &[u32]) {
        let Self { last, firsts, kept, .. } = self;
        firsts.clear();
        let mut are_repeated = false;
        for &record in of {
            let id = before.records + u64::from(record) + 1;
            if id != last.id {
                *last = LastRecord { id, ..LastRecord::default() };
            }
            let is_repeated = last.rows < last.repeated;
            firsts.push(last.rows == 0 && last.repeated == 0);
            kept.push(!is_repeated);
            are_repeated |= is_repeated;
            last.rows += 1;
        }
        if !are_repeated {
            kept.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{ReadOptions, Source};
    use crate::record::{Layout, Span};
    use crate::sudoku::Grid;
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
        let mut memory = RowMemory::default();
        let page = |memory: &mut RowMemory, of: &[u32]| {
            let Rows { columns, of, kept } = memory.rows(&batch, before, &records, Vec::new(), Some(of));
            let [Column::Numbers(ids), _, Column::Numbers(lines), _] = columns[..] else {
                panic!("{columns:?}")
            };
            (ids.to_vec(), lines.to_vec(), of.unwrap().firsts.to_vec(), kept.clone())
        };
        let first = page(&mut memory, &[0, 0, 1]);
        assert_eq!(first, (vec![11, 11, 12], vec![3, 3, 5], vec![true, false, true], vec![]));
        let second = page(&mut memory, &[1, 2]);
        assert_eq!(second, (vec![12, 13], vec![5, 8], vec![false, true], vec![]));
        // The row of record 13 is made again, and another after it.
        memory.last = LastRecord { id: 13, rows: 0, repeated: 1 };
        let again = page(&mut memory, &[2, 2]);
        assert_eq!(again, (vec![13, 13], vec![8, 8], vec![false, false], vec![false, true]));
    }
}
