//! `-O text`: each answer in the layout in which its record asked.
//!
//! This is what a contest judge compares: 81 digits on a line, 9 lines of 9 digits (BOJ 2239), the
//! same with spaces (BOJ 2580), or `Puzzle k` and 9 lines (BOJ 4574). Where there is no answer one
//! line says why in its place.

use super::{BLANK, Row, RowFormat, Status};
use crate::grid::Grid;
use crate::input::Layout;

/// What the format gives, for the help text.
pub const ABOUT: &str = "answers only, each in the layout in which its file asked";

/// The judge's format.
#[derive(Clone, Copy, Debug)]
pub struct Text;

impl RowFormat for Text {
    fn header(&self, _out: &mut Vec<u8>) {}

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        if row.layout == Layout::Case {
            out.extend_from_slice(b"Puzzle ");
            out.extend_from_slice(itoa::Buffer::new().format(row.number).as_bytes());
            out.push(b'\n');
        }
        match (row.solution, row.layout) {
            (None, _) => push_status(row, out),
            (Some(solution), Layout::Line) => {
                out.extend_from_slice(&solution.to_text(BLANK));
                out.push(b'\n');
            }
            (Some(solution), Layout::Rows | Layout::Case) => push_rows(solution, false, out),
            (Some(solution), Layout::SpacedRows) => push_rows(solution, true, out),
        }
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

/// The line in place of an answer: the status, and the reason if the record is invalid.
fn push_status(row: &Row<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(row.status.as_str().as_bytes());
    if let (Status::Invalid, Some(error)) = (row.status, row.error) {
        out.extend_from_slice(b": ");
        let mut utf8 = [0; 4];
        for character in error.chars() {
            if character.is_control() {
                // A line end in a reason must not look like the next answer.
                out.extend(character.escape_default().map(|escaped| escaped as u8));
            } else {
                out.extend_from_slice(character.encode_utf8(&mut utf8).as_bytes());
            }
        }
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::super::tests::{PUZZLE, SOLUTION, grid, invalid_row, unique_row};
    use super::*;
    use proptest::prelude::*;

    fn text_of(row: &Row<'_>) -> String {
        let mut out = Vec::new();
        Text.row(row, &mut out);
        String::from_utf8(out).unwrap()
    }

    const ROWS: &str = "483921657\n967345821\n251876493\n548132976\n729564138\n\
                        136798245\n372689514\n814253769\n695417382\n";

    #[test]
    fn each_layout() {
        let (puzzle, solution) = (grid(PUZZLE), grid(SOLUTION));
        let mut row = unique_row(&puzzle, &solution);
        assert_eq!(text_of(&row), format!("{SOLUTION}\n"));
        row.layout = Layout::Rows;
        assert_eq!(text_of(&row), ROWS);
        row.layout = Layout::Case;
        assert_eq!(text_of(&row), format!("Puzzle 3\n{ROWS}"));
        row.layout = Layout::SpacedRows;
        assert_eq!(
            text_of(&row),
            "4 8 3 9 2 1 6 5 7\n9 6 7 3 4 5 8 2 1\n2 5 1 8 7 6 4 9 3\n5 4 8 1 3 2 9 7 6\n7 2 9 5 6 4 1 3 8\n\
             1 3 6 7 9 8 2 4 5\n3 7 2 6 8 9 5 1 4\n8 1 4 2 5 3 7 6 9\n6 9 5 4 1 7 3 8 2\n"
        );
    }

    #[test]
    fn the_smallest_solution_of_a_multiple_puzzle_is_an_answer() {
        let (puzzle, solution) = (grid(PUZZLE), grid(SOLUTION));
        let mut row = unique_row(&puzzle, &solution);
        row.status = Status::Multiple;
        assert_eq!(text_of(&row), format!("{SOLUTION}\n"));
    }

    #[test]
    fn one_line_where_there_is_no_answer() {
        let puzzle = grid(PUZZLE);
        let mut row = unique_row(&puzzle, &puzzle);
        row.solution = None;
        row.layout = Layout::SpacedRows;
        for (status, line) in [
            (Status::Unsolvable, "unsolvable\n"),
            (Status::Unfinished, "unfinished\n"),
            (Status::InternalError, "internal-error\n"),
        ] {
            row.status = status;
            assert_eq!(text_of(&row), line);
        }
        row.layout = Layout::Case;
        row.status = Status::Unsolvable;
        assert_eq!(text_of(&row), "Puzzle 3\nunsolvable\n");
    }

    #[test]
    fn an_invalid_record_says_where_and_why() {
        let reason = "line 5, column 2: found 'é', expected a cell";
        let mut row = invalid_row(reason);
        assert_eq!(text_of(&row), format!("invalid: {reason}\n"));
        row.layout = Layout::Case;
        assert_eq!(text_of(&row), format!("Puzzle 4\ninvalid: {reason}\n"));
    }

    #[test]
    fn control_characters_in_a_reason_are_escaped() {
        assert_eq!(text_of(&invalid_row("a\nb\r\t\u{1b}[0m")), "invalid: a\\nb\\r\\t\\u{1b}[0m\n");
    }

    proptest! {
        #[test]
        fn a_reason_never_breaks_the_line(error in any::<String>()) {
            let text = text_of(&invalid_row(&error));
            prop_assert_eq!(text.lines().count(), 1);
            prop_assert!(text.ends_with('\n'));
        }
    }
}
