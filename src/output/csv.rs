//! `-O csv`: a header, then one row for each record.
//!
//! Only two fields can hold what CSV has to quote, the name of the input and the reason; they go
//! through the csv crate when they do. Numbers, status words and the 81 characters are appended as they
//! are, without an allocation, because a row has to cost less than a tenth of the easiest puzzle.

use super::{BLANK, FormatOptions, Row, RowFormat, kind_word};
use crate::grid::Grid;

/// What the format gives, for the help text.
pub const ABOUT: &str = "a header, then one row for each record, every figure in a column";

/// The columns, in order.
pub const COLUMNS: [&str; 12] = [
    "id",
    "source",
    "line",
    "kind",
    "status",
    "solutions",
    "clues",
    "guesses",
    TIME,
    "puzzle",
    "solution",
    "error",
];
const TIME: &str = "time_ns";

/// The CSV format.
#[derive(Clone, Copy, Debug)]
pub struct Csv {
    time: bool,
}

impl Csv {
    /// The format, with or without its time column.
    #[must_use]
    pub const fn new(options: FormatOptions) -> Self {
        Self { time: options.time }
    }
}

impl RowFormat for Csv {
    fn header(&self, out: &mut Vec<u8>) {
        let columns = COLUMNS.into_iter().filter(|&column| self.time || column != TIME);
        csv::Writer::from_writer(out).write_record(columns).expect("a Vec takes every byte");
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        push_number(row.id, out);
        out.push(b',');
        push_text(row.source, out);
        out.push(b',');
        push_number(row.line, out);
        out.push(b',');
        out.extend_from_slice(kind_word(row.kind).as_bytes());
        out.push(b',');
        out.extend_from_slice(row.status.as_str().as_bytes());
        out.push(b',');
        push_number(row.solutions, out);
        out.push(b',');
        if let Some(puzzle) = row.puzzle {
            push_number(puzzle.clues().into(), out);
        }
        out.push(b',');
        push_number(row.guesses, out);
        out.push(b',');
        if self.time {
            push_number(row.time_ns, out);
            out.push(b',');
        }
        push_grid(row.puzzle, out);
        out.push(b',');
        push_grid(row.solution, out);
        out.push(b',');
        if let Some(error) = row.error {
            push_text(error, out);
        }
        out.push(b'\n');
    }
}

fn push_number(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

fn push_grid(grid: Option<&Grid>, out: &mut Vec<u8>) {
    if let Some(grid) = grid {
        out.extend_from_slice(&grid.to_text(BLANK));
    }
}

/// Appends a field, quoted if it holds a comma, a quote or a line end.
fn push_text(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let quoted = |byte: &u8| matches!(byte, b',' | b'"' | b'\r' | b'\n');
    // A fold without an early end: the compiler turns it into vector code, and names are short.
    if !bytes.iter().fold(false, |any, byte| any | quoted(byte)) {
        out.extend_from_slice(bytes);
        return;
    }
    let mut writer = csv::WriterBuilder::new().from_writer(out);
    let written = writer.write_record([bytes]).and_then(|()| Ok(writer.flush()?));
    written.expect("a Vec takes every byte");
    // A field, not a record.
    let out = writer.into_inner().expect("it was flushed just now");
    out.pop();
}

#[cfg(test)]
mod tests {
    use super::super::tests::{PUZZLE, SOLUTION, grid, invalid_row, unique_row};
    use super::*;
    use crate::input::Kind;
    use crate::output::Status;
    use proptest::prelude::*;

    const WITH_TIME: Csv = Csv { time: true };

    fn text_of(format: Csv, row: &Row<'_>) -> String {
        let mut out = Vec::new();
        format.row(row, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn fields_of(bytes: &[u8]) -> Vec<Vec<String>> {
        csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(bytes)
            .records()
            .map(|record| record.unwrap().iter().map(str::to_owned).collect())
            .collect()
    }

    #[test]
    fn the_header_is_the_promised_one() {
        let mut out = Vec::new();
        WITH_TIME.header(&mut out);
        Csv { time: false }.header(&mut out);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "id,source,line,kind,status,solutions,clues,guesses,time_ns,puzzle,solution,error\n\
             id,source,line,kind,status,solutions,clues,guesses,puzzle,solution,error\n"
        );
    }

    #[test]
    fn a_unique_puzzle_fills_every_column_but_the_last() {
        let (puzzle, solution) = (grid(PUZZLE), grid(SOLUTION));
        let row = unique_row(&puzzle, &solution);
        // 32 digits in PUZZLE, counted by hand: 3+4+4+4+2+4+4+4+3.
        assert_eq!(
            text_of(WITH_TIME, &row),
            format!("7,a.txt,4,sudoku,unique,1,32,2,3456,{PUZZLE},{SOLUTION},\n")
        );
        assert_eq!(
            text_of(Csv { time: false }, &row),
            format!("7,a.txt,4,sudoku,unique,1,32,2,{PUZZLE},{SOLUTION},\n")
        );
    }

    #[test]
    fn an_unreadable_record_has_no_clues_and_no_puzzle() {
        assert_eq!(
            text_of(WITH_TIME, &invalid_row("line 5, column 2: found 'q', expected a cell")),
            "8,a.txt,5,sudoku,invalid,0,,0,0,,,\"line 5, column 2: found 'q', expected a cell\"\n"
        );
    }

    #[test]
    fn a_clue_clash_shows_the_puzzle_that_was_read() {
        let puzzle = grid(&format!("11{}", ".".repeat(79)));
        let mut row = invalid_row("clash");
        row.puzzle = Some(&puzzle);
        assert_eq!(
            text_of(WITH_TIME, &row),
            format!("8,a.txt,5,sudoku,invalid,0,2,0,0,11{},,clash\n", ".".repeat(79))
        );
    }

    #[test]
    fn the_other_kind_and_the_largest_numbers() {
        let (puzzle, solution) = (grid(PUZZLE), grid(SOLUTION));
        let mut row = unique_row(&puzzle, &solution);
        row.kind = Kind::Sudominoku;
        row.status = Status::Multiple;
        (row.id, row.line, row.solutions, row.guesses, row.time_ns) = (u64::MAX, 0, 10, 100, 1_000_000);
        assert_eq!(
            text_of(WITH_TIME, &row),
            format!(
                "18446744073709551615,a.txt,0,sudominoku,multiple,10,32,100,1000000,{PUZZLE},{SOLUTION},\n"
            )
        );
    }

    #[test]
    fn rows_are_appended() {
        let mut out = b"before".to_vec();
        WITH_TIME.row(&invalid_row("a \"b\""), &mut out);
        assert_eq!(out, b"before8,a.txt,5,sudoku,invalid,0,,0,0,,,\"a \"\"b\"\"\"\n");
    }

    proptest! {
        /// The csv crate reads back what was written, whatever the name and the reason hold.
        #[test]
        fn any_source_and_error_come_back(source in any::<String>(), error in "(?s).{0,40}|[\",\r\n ]{0,9}") {
            let (puzzle, solution) = (grid(PUZZLE), grid(SOLUTION));
            let mut out = Vec::new();
            WITH_TIME.header(&mut out);
            let mut bad = invalid_row(&error);
            bad.source = &source;
            WITH_TIME.row(&bad, &mut out);
            WITH_TIME.row(&unique_row(&puzzle, &solution), &mut out);

            let rows = fields_of(&out);
            prop_assert_eq!(rows.len(), 3);
            prop_assert_eq!(&rows[0], &COLUMNS);
            prop_assert_eq!(&rows[1][1], &source);
            prop_assert_eq!(&rows[1][11], &error);
            prop_assert_eq!(&rows[2][9], PUZZLE);
        }
    }
}
