//! `-O npy`: the solutions as an N x 81 NumPy array of unsigned bytes. A missing solution becomes a row of zeros. If
//! the rows have no answers, the array holds the puzzles instead.
//!
//! The header holds the number of rows and is rewritten after each piece, so NumPy can read the file no matter when
//! the run ends. The format is NEP 1, version 1.0.

use std::io;
use std::num::NonZeroUsize;

use super::encode::{Append, Encode, Form, Output, Piece, Unfit, fits, kept_rows};
use crate::record::{Page, Role, Schema};
use crate::sudoku::{CELLS, Grid};

/// The description of the format for the help text.
pub const ABOUT: &str =
    "solutions as an N x 81 NumPy array of uint8, with zeros if there is none; `convert` writes puzzles";

/// The length of the header in bytes, which is the same for any number of items.
const HEADER: usize = 128;

/// The type of an array's items.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// The number type, in NumPy's notation.
    descr: &'static str,
    /// The shape of an item, as it appears after the number of items.
    shape: &'static str,
    bytes: usize,
}

impl Item {
    /// A grid of 81 unsigned bytes.
    pub const CELLS: Self = Self { descr: "|u1", shape: " 81", bytes: CELLS };
    /// A signed 32-bit number.
    pub const INT32: Self = Self { descr: "<i4", shape: "", bytes: 4 };
}

/// The NumPy format.
#[derive(Clone, Copy, Debug)]
pub struct Npy;

impl Encode for Npy {
    fn fits(&self, schema: &Schema) -> Result<(), Unfit> {
        fits(schema, "npy", &[(Role::Solution, "solution of their own")], false)
    }

    fn form(&self) -> Form {
        Form::Rewritten
    }

    fn encode(&self, page: &Page<'_>, out: &mut Piece) {
        let role = if page.schema.has_answers() { Role::Solution } else { Role::Puzzle };
        let Some(grids) = page.grids(role) else { return };
        for row in kept_rows(page) {
            out.bytes.extend_from_slice(grids.get(row).unwrap_or(&Grid::EMPTY).cells());
        }
    }

    fn writer(&self, _: &Schema, _: NonZeroUsize) -> io::Result<Box<dyn Append>> {
        Ok(Box::new(Array::new(Item::CELLS)))
    }
}

/// An array that is written piece by piece.
#[derive(Debug)]
pub(super) struct Array {
    item: Item,
    /// The number of items written; `None` until the header is written.
    count: Option<u64>,
}

impl Array {
    pub const fn new(item: Item) -> Self {
        Self { item, count: None }
    }

    /// Writes items, and the header before the first ones.
    pub fn extend(&mut self, items: &[u8], out: &mut dyn Output) -> io::Result<()> {
        if self.count.is_none() {
            out.write_all(&header(self.item, 0))?;
        }
        let before = self.count.unwrap_or(0);
        let count = before + (items.len() / self.item.bytes) as u64;
        self.count = Some(count);
        if count > before {
            out.write_all(items)?;
            out.overwrite_start(&header(self.item, count))?;
        }
        Ok(())
    }
}

impl Append for Array {
    fn append(&mut self, piece: &mut Piece, out: &mut dyn Output) -> io::Result<()> {
        self.extend(&piece.bytes, out)
    }

    fn finish(&mut self, _: &mut dyn Output) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the header of an array that has this many items.
fn header(Item { descr, shape, .. }: Item, count: u64) -> [u8; HEADER] {
    const START: &[u8; 10] = b"\x93NUMPY\x01\x00\x76\x00";
    let about = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({count},{shape}), }}");
    let mut header = [b' '; HEADER];
    header[..START.len()].copy_from_slice(START);
    header[START.len()..START.len() + about.len()].copy_from_slice(about.as_bytes());
    header[HEADER - 1] = b'\n';
    header
}

#[cfg(test)]
mod tests {
    use super::super::tests::{PUZZLE, SOLUTION, fault, grid, invalid_row, push_row, schema, unique_row};
    use super::*;

    #[test]
    fn the_header_counts_the_rows_at_any_time() {
        let (puzzle, solution) = (grid(PUZZLE), grid(SOLUTION));
        let schema = schema(true);
        let mut writer = Npy.writer(&schema, NonZeroUsize::MIN).unwrap();
        let (mut out, mut rows) = (Vec::new(), Vec::new());
        writer.append(&mut Piece::default(), &mut out).unwrap();
        assert_eq!(out, header(Item::CELLS, 0));
        for (row, cells) in
            [(unique_row(&puzzle, &solution), *solution.cells()), (invalid_row(&fault("so")), [0; CELLS])]
        {
            let mut bytes = Vec::new();
            push_row(&Npy, &schema, &row, &mut bytes);
            rows.extend_from_slice(&cells);
            writer.append(&mut Piece { bytes, ..Piece::default() }, &mut out).unwrap();
            let count = (rows.len() / CELLS) as u64;
            assert_eq!(out, [&header(Item::CELLS, count)[..], &rows].concat());
        }
        writer.finish(&mut out).unwrap();
        assert_eq!(out.len(), 128 + 2 * 81);
    }

    /// According to NEP 1, bytes 8 and 9 hold the length of the rest of the header, which ends with a line break.
    #[test]
    fn a_header_has_room_for_any_number_of_rows() {
        for (rows, shape) in [(0, "(0, 81)"), (u64::MAX, "(18446744073709551615, 81)")] {
            let header = header(Item::CELLS, rows);
            let text = std::str::from_utf8(&header[10..]).unwrap();
            assert_eq!(u16::from_le_bytes([header[8], header[9]]), 118);
            assert!(text.trim_end().ends_with(&format!("'shape': {shape}, }}")), "{text}");
            assert!(text.ends_with(" \n") && HEADER.is_multiple_of(64));
        }
    }
}
