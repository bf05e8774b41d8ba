//! `-O npy`: the solutions as a NumPy array, N x 81 unsigned bytes, all 0 where there is none; the puzzles where the
//! rows have no answers.
//!
//! The header holds the number of rows and is rewritten after each piece, so that NumPy reads the file whenever the run
//! ends. The format is version 1.0 of NEP 1.

use std::io;
use std::num::NonZeroUsize;

use super::encode::{Append, Encode, Form, Output, Piece, Unfit, fits, fits_without_claims, kept_rows};
use crate::record::{Page, Role, Schema};
use crate::sudoku::{CELLS, Grid};

/// The format, for the help text.
pub const ABOUT: &str =
    "solutions as a NumPy array, N x 81 of uint8, all 0 where there is none; of convert: puzzles";

/// Bytes of the header, for any number of rows.
const HEADER: usize = 128;

/// NumPy's format.
#[derive(Clone, Copy, Debug)]
pub struct Npy;

impl Encode for Npy {
    fn fits(&self, schema: &Schema) -> Result<(), Unfit> {
        fits(schema, "npy", &[(Role::Solution, "solution of their own")])?;
        fits_without_claims(schema, "npy")
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
        Ok(Box::new(Counted { rows: None }))
    }
}

/// An array, and the number of rows written; `None` before the header is.
struct Counted {
    rows: Option<u64>,
}

impl Append for Counted {
    fn append(&mut self, piece: &mut Piece, out: &mut dyn Output) -> io::Result<()> {
        let before = match self.rows {
            Some(rows) => rows,
            None => {
                out.write_all(&header(0))?;
                0
            }
        };
        let rows = before + (piece.bytes.len() / CELLS) as u64;
        self.rows = Some(rows);
        if rows > before {
            out.write_all(&piece.bytes)?;
            out.overwrite_start(&header(rows))?;
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Output) -> io::Result<()> {
        Ok(())
    }
}

/// The header of an array with this number of rows.
fn header(rows: u64) -> [u8; HEADER] {
    const START: &[u8; 10] = b"\x93NUMPY\x01\x00\x76\x00";
    let about = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({rows}, {CELLS}), }}");
    let mut header = [b' '; HEADER];
    header[..START.len()].copy_from_slice(START);
    header[START.len()..START.len() + about.len()].copy_from_slice(about.as_bytes());
    header[HEADER - 1] = b'\n';
    header
}

#[cfg(test)]
mod tests {
    use super::super::tests::{PUZZLE, SOLUTION, grid, invalid_row, push_row, schema, unique_row};
    use super::*;

    #[test]
    fn the_header_counts_the_rows_at_any_time() {
        let (puzzle, solution) = (grid(PUZZLE), grid(SOLUTION));
        let schema = schema(true);
        let mut writer = Npy.writer(&schema, NonZeroUsize::MIN).unwrap();
        let (mut out, mut rows) = (Vec::new(), Vec::new());
        writer.append(&mut Piece::default(), &mut out).unwrap();
        assert_eq!(out, header(0));
        for (row, cells) in
            [(unique_row(&puzzle, &solution), *solution.cells()), (invalid_row("so"), [0; CELLS])]
        {
            let mut bytes = Vec::new();
            push_row(&Npy, &schema, &row, &mut bytes);
            rows.extend_from_slice(&cells);
            writer.append(&mut Piece { bytes, ..Piece::default() }, &mut out).unwrap();
            let count = (rows.len() / CELLS) as u64;
            assert_eq!(out, [&header(count)[..], &rows].concat());
        }
        writer.finish(&mut out).unwrap();
        assert_eq!(out.len(), 128 + 2 * 81);
    }

    /// NEP 1: the length in bytes 8 and 9 is that of the rest of the header, which ends with a line end.
    #[test]
    fn a_header_has_room_for_any_number_of_rows() {
        for (rows, shape) in [(0, "(0, 81)"), (u64::MAX, "(18446744073709551615, 81)")] {
            let header = header(rows);
            let text = std::str::from_utf8(&header[10..]).unwrap();
            assert_eq!(u16::from_le_bytes([header[8], header[9]]), 118);
            assert!(text.trim_end().ends_with(&format!("'shape': {shape}, }}")), "{text}");
            assert!(text.ends_with(" \n") && HEADER.is_multiple_of(64));
        }
    }
}
