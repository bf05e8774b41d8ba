//! `-O jsonl`: one JSON object on a line for each record, with the names of the CSV columns.
//!
//! What a record does not have is `null`, so that every object has the same keys.

use serde::Serialize;

use super::{BLANK, FormatOptions, Row, RowFormat, kind_word};
use crate::grid::{CELLS, Grid};

/// What the format gives, for the help text.
pub const ABOUT: &str = "one JSON object on a line for each record, keys as the CSV columns";

/// The JSON Lines format.
#[derive(Clone, Copy, Debug)]
pub struct Jsonl {
    time: bool,
}

impl Jsonl {
    /// The format, with or without `time_ns`.
    #[must_use]
    pub const fn new(options: FormatOptions) -> Self {
        Self { time: options.time }
    }
}

#[derive(Serialize)]
struct Object<'a> {
    id: u64,
    source: &'a str,
    line: u64,
    kind: &'a str,
    status: &'a str,
    solutions: u64,
    clues: Option<u32>,
    guesses: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_ns: Option<u64>,
    puzzle: Option<&'a str>,
    solution: Option<&'a str>,
    error: Option<&'a str>,
}

impl RowFormat for Jsonl {
    fn header(&self, _out: &mut Vec<u8>) {}

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        let puzzle = row.puzzle.map(characters);
        let solution = row.solution.map(characters);
        let object = Object {
            id: row.id,
            source: row.source,
            line: row.line,
            kind: kind_word(row.kind),
            status: row.status.as_str(),
            solutions: row.solutions,
            clues: row.puzzle.map(Grid::clues),
            guesses: row.guesses,
            time_ns: self.time.then_some(row.time_ns),
            puzzle: puzzle.as_ref().map(as_str),
            solution: solution.as_ref().map(as_str),
            error: row.error,
        };
        serde_json::to_writer(&mut *out, &object).expect("a vector takes every byte and every key is text");
        out.push(b'\n');
    }
}

fn characters(grid: &Grid) -> [u8; CELLS] {
    grid.to_text(BLANK)
}

fn as_str(characters: &[u8; CELLS]) -> &str {
    str::from_utf8(characters).expect("digits and dots are ASCII")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{PUZZLE, SOLUTION, grid, invalid_row, unique_row};
    use super::*;
    use proptest::prelude::*;

    fn text_of(time: bool, row: &Row<'_>) -> String {
        let mut out = Vec::new();
        Jsonl { time }.row(row, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_unique_puzzle() {
        let (puzzle, solution) = (grid(PUZZLE), grid(SOLUTION));
        let row = unique_row(&puzzle, &solution);
        assert_eq!(
            text_of(true, &row),
            format!(
                "{{\"id\":7,\"source\":\"a.txt\",\"line\":4,\"kind\":\"sudoku\",\"status\":\"unique\",\
                 \"solutions\":1,\"clues\":32,\"guesses\":2,\"time_ns\":3456,\"puzzle\":\"{PUZZLE}\",\
                 \"solution\":\"{SOLUTION}\",\"error\":null}}\n"
            )
        );
        assert!(!text_of(false, &row).contains("time_ns"));
    }

    #[test]
    fn an_unreadable_record_has_nulls() {
        assert_eq!(
            text_of(true, &invalid_row("line 5, column 1: \"\u{7}\"")),
            "{\"id\":8,\"source\":\"a.txt\",\"line\":5,\"kind\":\"sudoku\",\"status\":\"invalid\",\
             \"solutions\":0,\"clues\":null,\"guesses\":0,\"time_ns\":0,\"puzzle\":null,\"solution\":null,\
             \"error\":\"line 5, column 1: \\\"\\u0007\\\"\"}\n"
        );
    }

    #[test]
    fn there_is_no_header() {
        let mut out = Vec::new();
        Jsonl { time: true }.header(&mut out);
        assert!(out.is_empty());
    }

    proptest! {
        /// One line a row, and a JSON reader gives back any name and reason.
        #[test]
        fn any_source_and_error_come_back(source in any::<String>(), error in "(?s).{0,40}") {
            let mut row = invalid_row(&error);
            row.source = &source;
            let line = text_of(true, &row);
            prop_assert_eq!(line.matches('\n').count(), 1);
            let value: serde_json::Value = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(value["source"].as_str(), Some(&*source));
            prop_assert_eq!(value["error"].as_str(), Some(&*error));
        }
    }
}
