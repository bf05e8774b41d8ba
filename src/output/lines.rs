//! `-O lines`: `puzzle,solution`, the headerless two-column form that many datasets use.
//!
//! Every record produces exactly one line, so line `n` is the answer to record `n`. A puzzle without a solution is
//! written as `puzzle,`, and a record that could not be read as `,`. If rows have only puzzles or only solutions, each
//! line is just 81 characters.

use super::encode::{BLANK, Encode, Piece, Unfit, fits, kept_rows};
use crate::record::{Page, Role, Schema};

/// The description of the format for the help text.
pub const ABOUT: &str = "one `puzzle,solution` line per record; missing values are empty";

/// The two-column format.
#[derive(Clone, Copy, Debug)]
pub struct Lines;

impl Encode for Lines {
    fn fits(&self, schema: &Schema) -> Result<(), Unfit> {
        fits(schema, "lines", &[(Role::Solution, "solution of their own")], true)
    }

    fn encode(&self, page: &Page<'_>, out: &mut Piece) {
        let out = &mut out.bytes;
        let puzzles_and_solutions = [Role::Puzzle, Role::Solution].map(|role| page.grids(role));
        for row in kept_rows(page) {
            for grids in puzzles_and_solutions.iter().flatten() {
                if let Some(grid) = grids.get(row) {
                    out.extend_from_slice(&grid.to_text(BLANK));
                }
                out.push(b',');
            }
            out.pop();
            out.push(b'\n');
        }
    }
}
