//! `-O lines`: `puzzle,solution`, the two columns without a header that many datasets have.
//!
//! Every record gives exactly one line, so that line `n` answers record `n`: a puzzle without a solution is `puzzle,`,
//! and a record that could not be read is `,`. Without a column of solutions, puzzles are lines of 81 characters.

use super::encode::{BLANK, Encode, Piece, Unfit, fits, kept_rows};
use crate::record::{Page, Role, Schema};

/// The format, for the help text.
pub const ABOUT: &str = "`puzzle,solution` for each record, empty where there is none";

/// The two-column format.
#[derive(Clone, Copy, Debug)]
pub struct Lines;

impl Encode for Lines {
    fn fits(&self, schema: &Schema) -> Result<(), Unfit> {
        fits(schema, "lines", &[(Role::Solution, "solution of their own")])
    }

    fn encode(&self, page: &Page<'_>, out: &mut Piece) {
        let out = &mut out.bytes;
        let Some(puzzles) = page.grids(Role::Puzzle) else { return };
        let solutions = page.grids(Role::Solution);
        for row in kept_rows(page) {
            if let Some(puzzle) = puzzles.get(row) {
                out.extend_from_slice(&puzzle.to_text(BLANK));
            }
            if let Some(solutions) = solutions {
                out.push(b',');
                if let Some(solution) = solutions.get(row) {
                    out.extend_from_slice(&solution.to_text(BLANK));
                }
            }
            out.push(b'\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{PUZZLE, SOLUTION, grid, invalid_row, push_row, schema, unique_row};
    use super::*;

    #[test]
    fn every_record_gives_one_line() {
        let (puzzle, solution) = (grid(PUZZLE), grid(SOLUTION));
        let solved = unique_row(&puzzle, &solution);
        let mut unsolvable = solved;
        (unsolvable.status, unsolvable.solution) = ("unsolvable", None);

        let mut out = Vec::new();
        for row in [solved, unsolvable, invalid_row("line 5, column 1: a\nb"), solved] {
            push_row(&Lines, &schema(true), &row, &mut out);
        }
        assert_eq!(
            String::from_utf8(out).unwrap(),
            format!("{PUZZLE},{SOLUTION}\n{PUZZLE},\n,\n{PUZZLE},{SOLUTION}\n")
        );
    }
}
