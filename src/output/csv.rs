//! `-O csv`: a header, then one row for each record.
//!
//! Names of inputs and reasons can hold what CSV has to quote; they go through the csv crate when they do. Numbers,
//! words and the 81 characters of a grid are appended as they are, without an allocation, because a row has to cost
//! less than a tenth of the easiest puzzle.

use super::encode::{BLANK, Encode, Unfit, Value, Values, kept_rows, push_number};
use crate::record::{Page, Schema};

/// What the format gives, for the help text.
pub const ABOUT: &str = "a header, then one row for each record, every figure in a column";

/// The CSV format.
#[derive(Clone, Copy, Debug)]
pub struct Csv;

impl Encode for Csv {
    fn fits(&self, _schema: &Schema) -> Result<(), Unfit> {
        Ok(())
    }

    fn header(&self, schema: &Schema, out: &mut Vec<u8>) {
        let names = schema.written().map(|(_, field)| field.name);
        csv::Writer::from_writer(out).write_record(names).expect("a Vec takes every byte");
    }

    fn encode(&self, page: &Page<'_>, out: &mut Vec<u8>) {
        let mut columns: Vec<_> =
            page.schema.written().map(|(at, _)| Values::new(&page.columns[at])).collect();
        for row in kept_rows(page) {
            for column in &mut columns {
                match column.at(row) {
                    Value::Missing => {}
                    Value::Number(number) => push_number(number, out),
                    Value::Word(word) => out.extend_from_slice(word.as_bytes()),
                    Value::Text(text) => push_text(text, out),
                    Value::Grid(grid) => out.extend_from_slice(&grid.to_text(BLANK)),
                    Value::Fault(fault) => push_text(&fault.to_string(), out),
                }
                out.push(b',');
            }
            // A row ends with a line end in place of the last comma.
            if let Some(last) = out.last_mut() {
                *last = b'\n';
            }
        }
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
