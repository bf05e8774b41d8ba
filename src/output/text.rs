//! `-O text`: each solution, in the same layout as its record.
//!
//! This is the format that programming contest judges compare. A solution is 81 digits, 9 lines of 9 digits (BOJ 2239),
//! the same with spaces (BOJ 2580), or `Puzzle k` and 9 lines (BOJ 4574). If there is no solution, a single line gives
//! the reason instead. If rows have no answers, the puzzles are written as grids of nine lines.

use super::encode::{BLANK, Encode, Piece, Unfit, Value, Values, fits, kept_rows, push_number};
use crate::record::{Fault, Layout, Page, Role, Schema, Severity};
use crate::sudoku::Grid;

/// The description of the format for the help text.
pub const ABOUT: &str =
    "only the solutions, each laid out like its puzzle; `convert` writes puzzles as nine-line grids";

/// The contest judge's format.
#[derive(Clone, Copy, Debug)]
pub struct Text;

impl Encode for Text {
    fn fits(&self, schema: &Schema) -> Result<(), Unfit> {
        let needed = [(Role::Status, "status"), (Role::Solution, "solution of their own")];
        fits(schema, "text", &needed, false)
    }

    fn encode(&self, page: &Page<'_>, out: &mut Piece) {
        let out = &mut out.bytes;
        if !page.schema.has_answers() {
            return push_puzzles(page, out);
        }
        let Some(solutions) = page.grids(Role::Solution) else { return };
        let statuses = page.statuses();
        let mut errors = page.column(Role::Error).map(|column| Values::new(&column));
        for row in kept_rows(page) {
            let record = page.record_of(row);
            let layout = page.layouts[record];
            if layout == Layout::Case {
                out.extend_from_slice(b"Puzzle ");
                push_number(page.first_number + record as u64, out);
                out.push(b'\n');
            }
            let Some(solution) = solutions.get(row) else {
                let status = page.schema.statuses[usize::from(statuses[row])];
                out.extend_from_slice(status.name.as_bytes());
                // Only bad records have a reason.
                if status.severity == Severity::BadRecord
                    && let Some(Value::Fault(fault)) = errors.as_mut().map(|errors| errors.at(row))
                {
                    push_reason(fault, out);
                }
                out.push(b'\n');
                continue;
            };
            match layout {
                Layout::Line => {
                    out.extend_from_slice(&solution.to_text(BLANK));
                    out.push(b'\n');
                }
                Layout::Rows | Layout::Case => push_rows(solution, false, out),
                Layout::SpacedRows => push_rows(solution, true, out),
            }
        }
    }
}

/// Appends puzzles that have no answers, each as nine lines followed by an empty line.
fn push_puzzles(page: &Page<'_>, out: &mut Vec<u8>) {
    let Some(puzzles) = page.grids(Role::Puzzle) else { return };
    for puzzle in kept_rows(page).filter_map(|row| puzzles.get(row)) {
        push_rows(puzzle, false, out);
        out.push(b'\n');
    }
}

fn push_rows(solution: &Grid, spaced: bool, out: &mut Vec<u8>) {
    for row in solution.to_text(BLANK).chunks_exact(9) {
        for (column, &digit) in row.iter().enumerate() {
            if spaced && column > 0 {
                out.push(b' ');
            }
            out.push(digit);
        }
        out.push(b'\n');
    }
}

/// Appends the reason for a fault.
pub(super) fn push_reason(fault: &Fault, out: &mut Vec<u8>) {
    let mut reason = ": ".to_owned();
    for character in fault.to_string().chars() {
        if character.is_control() {
            // A line break in a reason must not be mistaken for the start of the next solution.
            reason.extend(character.escape_default());
        } else {
            reason.push(character);
        }
    }
    out.extend_from_slice(reason.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::super::tests::{PUZZLE, Row, SOLUTION, fault, grid, invalid_row, text_of, unique_row};
    use super::*;

    #[test]
    fn each_layout() {
        const ROWS: &str = "483921657\n967345821\n251876493\n548132976\n729564138\n\
                            136798245\n372689514\n814253769\n695417382\n";
        const SPACED: &str = "4 8 3 9 2 1 6 5 7\n9 6 7 3 4 5 8 2 1\n2 5 1 8 7 6 4 9 3\n5 4 8 1 3 2 9 7 6\n\
                              7 2 9 5 6 4 1 3 8\n1 3 6 7 9 8 2 4 5\n3 7 2 6 8 9 5 1 4\n8 1 4 2 5 3 7 6 9\n\
                              6 9 5 4 1 7 3 8 2\n";
        let (puzzle, solution, fault) = (grid(PUZZLE), grid(SOLUTION), fault("no cell"));
        for (layout, before, solved) in [
            (Layout::Line, "", &*format!("{SOLUTION}\n")),
            (Layout::Rows, "", ROWS),
            (Layout::SpacedRows, "", SPACED),
            (Layout::Case, "Puzzle 3\n", ROWS),
        ] {
            let mut row = Row { layout, ..unique_row(&puzzle, &solution) };
            assert_eq!(text_of("text", true, &row), format!("{before}{solved}"));
            row.solution = None;
            for status in ["unsolvable", "unfinished", "internal-error"] {
                row.status = status;
                assert_eq!(text_of("text", true, &row), format!("{before}{status}\n"));
            }
            let invalid = Row { layout, number: 3, ..invalid_row(&fault) };
            assert_eq!(text_of("text", true, &invalid), format!("{before}invalid: no cell\n"));
        }
    }
}
