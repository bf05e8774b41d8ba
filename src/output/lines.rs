//! `-O lines`: `puzzle,solution`, the headerless two-column form that many datasets have.
//!
//! Every record gives exactly one line, so that line `n` answers record `n`: a puzzle without an
//! answer is `puzzle,` and a record that could not be read is a lone `,`.

use super::{BLANK, Row, RowFormat};

/// What the format gives, for the help text.
pub const ABOUT: &str = "`puzzle,solution` for each record, empty where there is none";

/// The two-column format.
#[derive(Clone, Copy, Debug)]
pub struct Lines;

impl RowFormat for Lines {
    fn header(&self, _out: &mut Vec<u8>) {}

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        if let Some(puzzle) = row.puzzle {
            out.extend_from_slice(&puzzle.to_text(BLANK));
        }
        out.push(b',');
        if let Some(solution) = row.solution {
            out.extend_from_slice(&solution.to_text(BLANK));
        }
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{PUZZLE, SOLUTION, grid, invalid_row, unique_row};
    use super::*;
    use crate::output::Status;

    #[test]
    fn one_line_for_each_record_whatever_became_of_it() {
        let (puzzle, solution) = (grid(PUZZLE), grid(SOLUTION));
        let solved = unique_row(&puzzle, &solution);
        let mut unsolvable = solved;
        (unsolvable.status, unsolvable.solution) = (Status::Unsolvable, None);

        let mut out = Vec::new();
        Lines.header(&mut out);
        for row in [solved, unsolvable, invalid_row("line 5, column 1: a\nb"), solved] {
            Lines.row(&row, &mut out);
        }
        assert_eq!(
            String::from_utf8(out).unwrap(),
            format!("{PUZZLE},{SOLUTION}\n{PUZZLE},\n,\n{PUZZLE},{SOLUTION}\n")
        );
    }
}
