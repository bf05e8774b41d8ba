//! `-O lines`: `puzzle,solution`, the two columns without a header that many datasets have.
//!
//! Every record gives exactly one line, so line `n` answers record `n`. A puzzle without a solution is `puzzle,`, and a
//! record that could not be read is `,`. If rows have only puzzles or only solutions, a line is 81 characters.

use super::encode::{BLANK, Encode, Piece, Unfit, fits, kept_rows};
use crate::record::{Page, Role, Schema};

/// The format, for the help text.
pub const ABOUT: &str = "`puzzle,solution` for each record, empty where there is none";

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
