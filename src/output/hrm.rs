//! Puzzles and solutions in the files that the HRM and TRM training code reads from a single directory.
//!
//! Each row is a puzzle with one example. Cells are stored as tokens: 1 for a blank, the digit + 1 for a digit, and 0
//! for padding. The rows of one record form a group: training uses a random row of each group. The index arrays hold
//! the first row of each puzzle or group, followed by the total number of rows. The original dataset builder writes
//! 64-bit tokens, and this module writes 8-bit ones; the original loader converts either.

use std::io;
use std::num::NonZeroUsize;

use super::encode::{Append, Encode, Form, Output, Piece, Unfit, fits, kept_rows, needs};
use super::npy::{Array, Item};
use crate::record::{Page, Role, Schema};
use crate::sudoku::{CELLS, Grid};

/// The size of an encoded row in bytes: the tokens of the puzzle and the solution, and a group-start flag.
const ROW: usize = 2 * CELLS + 1;

/// The HRM layout.
#[derive(Clone, Copy, Debug)]
pub struct Hrm;

impl Hrm {
    /// The file with the puzzles; all other files are in the same directory.
    pub const FIRST: &str = "all__inputs.npy";

    /// The list of puzzle identifiers, which sudokus do not have. The file is in the parent directory and is shared by
    /// all parts.
    pub const IDENTIFIERS: (&str, &[u8]) = ("identifiers.json", b"[\"<blank>\"]");
}

impl Encode for Hrm {
    fn fits(&self, schema: &Schema) -> Result<(), Unfit> {
        needs(schema, "hrm", &[(Role::Solution, "solution")])?;
        fits(schema, "hrm", &[], true)
    }

    fn form(&self) -> Form {
        Form::Rewritten
    }

    fn beside(&self) -> &'static [&'static str] {
        &[
            "all__labels.npy",
            "all__puzzle_identifiers.npy",
            "all__puzzle_indices.npy",
            "all__group_indices.npy",
            "dataset.json",
        ]
    }

    fn encode(&self, page: &Page<'_>, out: &mut Piece) {
        let columns = [Role::Puzzle, Role::Solution].map(|role| page.grids(role));
        for row in kept_rows(page) {
            for column in &columns {
                let grid = column.and_then(|grids| grids.get(row)).unwrap_or(&Grid::EMPTY);
                out.bytes.extend(grid.cells().iter().map(|digit| digit + 1));
            }
            out.bytes.push(page.is_first(row).into());
        }
    }

    fn writer(&self, _: &Schema, _: NonZeroUsize) -> io::Result<Box<dyn Append>> {
        Ok(Box::new(Set::new()))
    }
}

/// The arrays, along with the items that have not been written yet.
struct Set {
    arrays: [(Array, Vec<u8>); 5],
    rows: u64,
    groups: u64,
}

impl Set {
    fn new() -> Self {
        let items = [Item::CELLS, Item::CELLS, Item::INT32, Item::INT32, Item::INT32];
        Self { arrays: items.map(|item| (Array::new(item), Vec::new())), rows: 0, groups: 0 }
    }

    /// Returns the number of rows so far, as an item of an index array.
    fn index(&self) -> io::Result<[u8; 4]> {
        let index = i32::try_from(self.rows);
        index.map(i32::to_le_bytes).map_err(|_| io::Error::other("more rows than 32-bit indices can count"))
    }

    /// Returns the metadata that the loaders read. TRM's loader needs `total_puzzles`; HRM's ignores it.
    fn metadata(&self) -> String {
        let Self { rows, groups, .. } = self;
        format!(
            "{{\"pad_id\": 0, \"ignore_label_id\": 0, \"blank_identifier_id\": 0, \"vocab_size\": 11, \"seq_len\": {CELLS}, \
             \"num_puzzle_identifiers\": 1, \"total_groups\": {groups}, \"mean_puzzle_examples\": 1.0, \
             \"total_puzzles\": {rows}, \"sets\": [\"all\"]}}"
        )
    }

    fn write(&mut self, out: &mut dyn Output) -> io::Result<()> {
        for (at, (array, items)) in self.arrays.iter_mut().enumerate() {
            match at.checked_sub(1) {
                None => array.extend(items, out)?,
                Some(n) => out.beside(n).map_or(Ok(()), |out| array.extend(items, out))?,
            }
            items.clear();
        }
        Ok(())
    }
}

impl Append for Set {
    fn append(&mut self, piece: &mut Piece, out: &mut dyn Output) -> io::Result<()> {
        for row in piece.bytes.chunks_exact(ROW) {
            let start = self.index()?;
            let [inputs, labels, identifiers, puzzles, groups] =
                self.arrays.each_mut().map(|(_, items)| items);
            inputs.extend_from_slice(&row[..CELLS]);
            labels.extend_from_slice(&row[CELLS..2 * CELLS]);
            identifiers.extend_from_slice(&[0; 4]);
            puzzles.extend_from_slice(&start);
            if row[ROW - 1] != 0 {
                groups.extend_from_slice(&start);
                self.groups += 1;
            }
            self.rows += 1;
        }
        // The files of an earlier run remain until the first row is written.
        if piece.bytes.is_empty() { Ok(()) } else { self.write(out) }
    }

    fn finish(&mut self, out: &mut dyn Output) -> io::Result<()> {
        let end = self.index()?;
        let [.., (_, puzzles), (_, groups)] = &mut self.arrays;
        puzzles.extend_from_slice(&end);
        groups.extend_from_slice(&end);
        self.write(out)?;
        out.beside(self.arrays.len() - 1).map_or(Ok(()), |out| out.write_all(self.metadata().as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::schema;
    use super::*;

    #[test]
    fn more_rows_than_the_indices_can_count_are_refused() {
        let most = i32::MAX as u64;
        let mut set = Set { rows: most - 1, ..Set::new() };
        let mut row = Piece { bytes: vec![1; ROW], ..Piece::default() };
        let mut out = Vec::new();
        set.append(&mut row, &mut out).unwrap();
        set.append(&mut row, &mut out).unwrap();
        assert!(set.finish(&mut out).is_err());
        assert!(set.append(&mut row, &mut out).is_err());
    }

    #[test]
    fn rows_need_a_solution_and_have_no_other_columns() {
        assert_eq!(Hrm.fits(&schema(true)), Ok(()));
        let carried = Schema { carried: vec!["x".to_owned()], ..schema(true) };
        assert_eq!(Hrm.fits(&carried), Err(Unfit::Carried { format: "hrm" }));
        let mut without = schema(true);
        without.fields.retain(|field| field.role != Role::Solution);
        assert!(Hrm.fits(&without).is_err());
    }
}
