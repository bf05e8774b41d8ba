//! The columns of the rows of a page besides the answers: their origin.
//!
//! A job with one row per record uses the columns of the records. Where a record may have many rows, they are gathered
//! here row by row, so that all columns of a page are equally long.

use super::numbering::Before;
use crate::input::Batch;
use crate::record::{Column, PuzzleKind, Records, RowsOf, Texts};

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

/// The columns of the origin, reused from page to page.
#[derive(Default)]
pub(super) struct RowMemory {
    pub(super) last: LastRecord,
    ids: Vec<u64>,
    lines: Vec<u64>,
    kinds: Vec<u8>,
    carried: Vec<Texts>,
    firsts: Vec<bool>,
    kept: Vec<bool>,
}

/// The origin of the rows of a page.
pub(super) struct Origin<'a> {
    /// The first columns of every schema.
    pub(super) columns: [Column<'a>; 4],
    pub(super) carried: Vec<Column<'a>>,
    /// The record of each row, where a record may have several.
    pub(super) of: Option<RowsOf<'a>>,
    /// Which rows are kept; all if it is empty.
    pub(super) kept: &'a mut Vec<bool>,
}

impl RowMemory {
    /// The origin of rows that are `of` these records, or one of each if that is `None`.
    pub(super) fn origin<'a>(
        &'a mut self,
        batch: &'a Batch,
        before: Before,
        records: &'a Records,
        of: Option<&'a [u32]>,
    ) -> Origin<'a> {
        self.kept.clear();
        let source = Column::Same(&batch.source.name);
        let Some(of) = of else {
            let lines = Column::Numbers(records.lines());
            let kinds = Column::Words(records.kinds(), &PuzzleKind::WORDS);
            return Origin {
                columns: [Column::Counting(before.records + 1), source, lines, kinds],
                carried: records.carried.iter().map(Column::Texts).collect(),
                of: None,
                kept: &mut self.kept,
            };
        };
        self.gather(before, records, of);
        let kinds = Column::Words(&self.kinds, &PuzzleKind::WORDS);
        Origin {
            columns: [Column::Numbers(&self.ids), source, Column::Numbers(&self.lines), kinds],
            carried: self.carried.iter().map(Column::Texts).collect(),
            of: Some(RowsOf { records: of, firsts: &self.firsts }),
            kept: &mut self.kept,
        }
    }

    /// Gathers the columns row by row, and which rows are the first of their record.
    fn gather(&mut self, before: Before, records: &Records, of: &[u32]) {
        let Self { last, ids, lines, kinds, carried, firsts, kept } = self;
        ids.clear();
        lines.clear();
        kinds.clear();
        firsts.clear();
        carried.resize_with(records.carried.len(), Texts::default);
        carried.iter_mut().for_each(Texts::clear);
        let mut are_repeated = false;
        for &record in of {
            let id = before.records + u64::from(record) + 1;
            let record = record as usize;
            if id != last.id {
                *last = LastRecord { id, ..LastRecord::default() };
            }
            let is_repeated = last.rows < last.repeated;
            firsts.push(last.rows == 0 && last.repeated == 0);
            kept.push(!is_repeated);
            are_repeated |= is_repeated;
            last.rows += 1;
            ids.push(id);
            lines.push(records.lines()[record]);
            kinds.push(records.kinds()[record]);
            carried.iter_mut().zip(&records.carried).for_each(|(rows, texts)| rows.push(texts.get(record)));
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
            let Origin { columns, of, kept, .. } = memory.origin(&batch, before, &records, Some(of));
            let [Column::Numbers(ids), _, Column::Numbers(lines), _] = columns else { panic!("{columns:?}") };
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
