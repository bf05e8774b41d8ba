//! Conversion of rows to bytes, in every format that `-O` accepts.
//!
//! An [`Encode`] value turns the columns of a page into bytes. It keeps no state between pages, so each thread can
//! encode its own batch. Each format has its own file and an entry in [`FORMATS`]; [`Choice`] finds the format for an
//! output's name. An [`Append`] writes the encoded pieces in order. Some formats group rows in units of their own, so
//! the bytes do not depend on how the rows are divided among threads. The output file in [`mod@file`] never appears
//! half-written; [`names`] checks that no two files in a run are the same.

mod cases;
mod choice;
#[cfg(feature = "arrow")]
mod columns;
mod compress;
mod csv;
mod encode;
mod error;
pub mod file;
mod hrm;
mod in_order;
#[cfg(feature = "parquet")]
mod ipc;
mod jsonl;
mod lines;
pub mod names;
mod npy;
mod open;
#[cfg(feature = "parquet")]
mod parquet;
pub mod partial;
mod sheet;
mod steps;
pub mod stream;
mod text;
#[cfg(feature = "parquet")]
mod units;

use std::sync::Arc;

pub use cases::Cases;
pub use choice::{Choice, ChoiceError, compression_of_text};
#[cfg(feature = "arrow")]
pub use columns::ArrowColumns;
pub use compress::{Compression, compressed};
pub use csv::push_csv_row;
pub use encode::{Append, Between, Encode, FileEnd, Form, Output, Piece, Unfit};
pub use error::hint;
pub use hrm::Hrm;
pub use sheet::Sheet;
pub use steps::Steps;

/// An output format.
pub struct OutputFormat {
    /// The name used with `-O`.
    pub name: &'static str,
    /// A description of the file's contents for the help text.
    pub about: &'static str,
    /// The extensions that select this format when `-O` is not given.
    pub extensions: &'static [&'static str],
    /// Creates the encoder.
    pub make: fn() -> Arc<dyn Encode>,
}

impl OutputFormat {
    const fn new(
        name: &'static str,
        about: &'static str,
        extensions: &'static [&'static str],
        make: fn() -> Arc<dyn Encode>,
    ) -> Self {
        Self { name, about, extensions, make }
    }
}

/// All formats; the first one is the default.
pub const FORMATS: &[OutputFormat] = &[
    OutputFormat::new("csv", csv::ABOUT, &["csv"], || Arc::new(csv::Csv { escape_formulas: false })),
    OutputFormat::new("jsonl", jsonl::ABOUT, &["jsonl", "ndjson", "jsonlines", "ldjson"], || {
        Arc::new(jsonl::Jsonl)
    }),
    OutputFormat::new("lines", lines::ABOUT, &["txt"], || Arc::new(lines::Lines)),
    OutputFormat::new("text", text::ABOUT, &[], || Arc::new(text::Text)),
    #[cfg(feature = "parquet")]
    OutputFormat::new("parquet", parquet::ABOUT, &["parquet", "parq", "pq"], || {
        Arc::new(units::ArrowFile { writer: parquet::writer })
    }),
    #[cfg(feature = "parquet")]
    OutputFormat::new("arrow", ipc::ABOUT, &["arrow", "feather", "ipc"], || {
        Arc::new(units::ArrowFile { writer: ipc::writer })
    }),
    OutputFormat::new("npy", npy::ABOUT, &["npy"], || Arc::new(npy::Npy)),
];

/// Returns the format with this name; `None` if there is none.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static OutputFormat> {
    FORMATS.iter().find(|format| format.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{
        Column, Fault, FaultKind, Field, Label, Layout, Page, PuzzleKind, Records, Role, Schema, Severity,
        Table, Texts, Type,
    };
    use crate::sudoku::Grid;
    use proptest::prelude::*;

    /// The puzzle used in these tests: the first example grid from Project Euler.
    pub(super) const PUZZLE: &str =
        "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";
    /// The solution as published with the problem (with 483 in the corner).
    pub(super) const SOLUTION: &str =
        "483921657967345821251876493548132976729564138136798245372689514814253769695417382";

    /// Makes a grid from 81 characters.
    pub(super) fn grid(text: &str) -> Grid {
        text.parse().unwrap()
    }

    /// The statuses of the rows in these tests.
    const STATUSES: [Label; 6] = [
        Label::new("unique", "", Severity::Answered),
        Label::new("multiple", "", Severity::Answered),
        Label::new("unsolvable", "", Severity::Unanswered),
        Label::new("unfinished", "", Severity::Unanswered),
        Label::new("internal-error", "", Severity::Defect),
        Label::unsearched("invalid", "", Severity::BadRecord),
    ];

    /// The columns of the rows in these tests, after the origin columns.
    const FIELDS: [Field; 8] = [
        Field::result("status", Type::Word, "").with_role(Role::Status),
        SOLUTIONS,
        Field::CLUES,
        Field::GUESSES,
        Field::TIME,
        Field::PUZZLE,
        SOLVED,
        Field::ERROR,
    ];
    const SOLUTIONS: Field = Field::result("solutions", Type::Number, "");
    const SOLVED: Field = Field::result("solution", Type::Grid, "").with_role(Role::Solution);

    /// A row that tests can modify.
    #[derive(Clone, Copy)]
    pub(super) struct Row<'a> {
        pub id: u64,
        pub source: &'a str,
        pub number: u64,
        pub line: u64,
        pub kind: PuzzleKind,
        pub layout: Layout,
        pub status: &'static str,
        pub solutions: u64,
        pub guesses: u64,
        pub time_ns: u64,
        pub puzzle: Option<&'a Grid>,
        pub solution: Option<&'a Grid>,
        pub error: Option<&'a Fault>,
    }

    /// Returns the schema, with or without the time column.
    pub(super) fn schema(measured: bool) -> Schema {
        Schema::new(&FIELDS, &STATUSES, measured)
    }

    /// Appends a row in the given format.
    pub(super) fn push_row(format: &dyn Encode, schema: &Schema, row: &Row<'_>, out: &mut Vec<u8>) {
        push_rows(format, schema, &[*row], None, out);
    }

    /// Appends the kept rows in the given format. The first row determines the source and the first id and number.
    fn push_rows(
        format: &dyn Encode,
        schema: &Schema,
        rows: &[Row<'_>],
        kept: Option<&[bool]>,
        out: &mut Vec<u8>,
    ) {
        let (mut table, records) = (Table::new(schema), Records::default());
        let (mut lines, mut kinds, mut layouts) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            lines.push(row.line);
            kinds.push(row.kind as u8);
            layouts.push(row.layout);
            let status = STATUSES.iter().position(|word| word.name == row.status).unwrap() as u8;
            let mut filled = table.row(status);
            match row.puzzle {
                Some(puzzle) => {
                    filled.number(&Field::CLUES, puzzle.clues().into()).grid(&Field::PUZZLE, row.puzzle)
                }
                None => filled.no_puzzle(),
            };
            filled.number(&SOLUTIONS, row.solutions).number(&Field::GUESSES, row.guesses);
            filled.number(&Field::TIME, row.time_ns).grid(&SOLVED, row.solution).error(row.error.cloned());
        }
        table.finish(&records);
        let mut columns = vec![
            Column::Counting(rows[0].id),
            Column::Same(rows[0].source),
            Column::Numbers(&lines),
            Column::Words(&kinds, &PuzzleKind::WORDS),
        ];
        columns.extend(table.columns(&records));
        let (page, first_number) = (Page::new(schema, columns, rows.len()), rows[0].number);
        let mut piece = Piece { bytes: std::mem::take(out), ..Piece::default() };
        format.encode(&Page { layouts: &layouts, first_number, kept, ..page }, &mut piece);
        *out = piece.bytes;
    }

    /// Returns a row in the format with this name.
    pub(super) fn text_of(format: &str, measured: bool, row: &Row<'_>) -> String {
        let mut out = Vec::new();
        push_row(&*(by_name(format).unwrap().make)(), &schema(measured), row, &mut out);
        String::from_utf8(out).unwrap()
    }

    /// Returns the row of a unique puzzle, for tests to modify.
    pub(super) fn unique_row<'a>(puzzle: &'a Grid, solution: &'a Grid) -> Row<'a> {
        Row {
            id: 7,
            source: "a.txt",
            number: 3,
            line: 4,
            kind: PuzzleKind::Sudoku,
            layout: Layout::Line,
            status: "unique",
            solutions: 1,
            guesses: 2,
            time_ns: 3456,
            puzzle: Some(puzzle),
            solution: Some(solution),
            error: None,
        }
    }

    /// Returns a fault with this text and no place.
    pub(super) fn fault(text: &str) -> Fault {
        Fault::new(FaultKind::Any, None).text(text)
    }

    /// Returns the row of a record that could not be read.
    pub(super) fn invalid_row(error: &Fault) -> Row<'_> {
        let row = Row { id: 8, number: 4, line: 5, ..unique_row(&Grid::EMPTY, &Grid::EMPTY) };
        let row = Row { status: "invalid", solutions: 0, guesses: 0, time_ns: 0, ..row };
        Row { puzzle: None, solution: None, error: Some(error), ..row }
    }

    #[test]
    fn a_row_in_every_text_format() {
        let (puzzle, solution) = (grid(PUZZLE), grid(SOLUTION));
        let clash = grid(&format!("11{}", ".".repeat(79)));
        let fault = fault("\"\u{7}\"\n, \t\u{1b}[0m é");
        let (unique, invalid) = (unique_row(&puzzle, &solution), invalid_row(&fault));
        let numbers =
            Row { id: u64::MAX, line: 0, solutions: 10, guesses: 100, time_ns: 1_000_000, ..unique };
        let largest = Row { kind: PuzzleKind::Sudominoku, status: "multiple", ..numbers };
        let unsolvable = Row { status: "unsolvable", solution: None, ..unique };
        let clashing = Row { puzzle: Some(&clash), ..invalid };
        let (clash, reason) = (clash.to_string(), "\"\\u{7}\"\\n, \\t\\u{1b}[0m é");
        let numbers = "18446744073709551615,a.txt,0,sudominoku,multiple,10,32,100,1000000";
        // PUZZLE has 32 digits, counted by hand: 3+4+4+4+2+4+4+4+3.
        for (row, csv, lines, text) in [
            (unique, "7,a.txt,4,sudoku,unique,1,32,2,3456,PUZZLE,SOLUTION,", "PUZZLE,SOLUTION", "SOLUTION"),
            (largest, &format!("{numbers},PUZZLE,SOLUTION,"), "PUZZLE,SOLUTION", "SOLUTION"),
            (unsolvable, "7,a.txt,4,sudoku,unsolvable,1,32,2,3456,PUZZLE,,", "PUZZLE,", "unsolvable"),
            (invalid, "8,a.txt,5,sudoku,invalid,0,,0,0,,,QUOTED", ",", "invalid: REASON"),
            (clashing, "8,a.txt,5,sudoku,invalid,0,2,0,0,CLASH,,QUOTED", "CLASH,", "invalid: REASON"),
        ] {
            for (format, line) in [("csv", csv), ("lines", lines), ("text", text)] {
                let line =
                    line.replace("PUZZLE", PUZZLE).replace("SOLUTION", SOLUTION).replace("CLASH", &clash);
                let line =
                    line.replace("QUOTED", "\"\"\"\u{7}\"\"\n, \t\u{1b}[0m é\"").replace("REASON", reason);
                assert_eq!(text_of(format, true, &row), line + "\n");
            }
        }
        assert!(text_of("csv", false, &unique).starts_with("7,a.txt,4,sudoku,unique,1,32,2,..3"));
        for format in FORMATS {
            let times = [1, 999_999].map(|time_ns| text_of(format.name, false, &Row { time_ns, ..unique }));
            assert_eq!(times[0], times[1], "{}", format.name);
        }
        assert_eq!(
            text_of("jsonl", true, &unique),
            format!(
                "{{\"id\":7,\"source\":\"a.txt\",\"line\":4,\"kind\":\"sudoku\",\"status\":\"unique\",\
                 \"solutions\":1,\"clues\":32,\"guesses\":2,\"time_ns\":3456,\"puzzle\":\"{PUZZLE}\",\
                 \"solution\":\"{SOLUTION}\",\"error\":null}}\n"
            )
        );
        assert!(text_of("jsonl", false, &invalid).ends_with(
            "\"clues\":null,\"guesses\":0,\"puzzle\":null,\"solution\":null,\
             \"error\":\"\\\"\\u0007\\\"\\n, \\t\\u001b[0m é\"}\n"
        ));
    }

    proptest! {
        /// CSV and JSON readers get back the same strings, no matter what characters the name and the reason contain.
        /// In the other formats, a reason never breaks a line.
        #[test]
        fn any_source_and_error_come_back(source in any::<String>(), error in "(?s).{0,40}|[\",\r\n ]{0,9}") {
            let (puzzle, solution, fault) = (grid(PUZZLE), grid(SOLUTION), fault(&error));
            let (schema, bad) = (schema(true), Row { source: &source, ..invalid_row(&fault) });
            let format = csv::Csv { escape_formulas: false };
            let mut table = Vec::new();
            format.header(&schema, &mut table);
            push_row(&format, &schema, &bad, &mut table);
            push_row(&format, &schema, &unique_row(&puzzle, &solution), &mut table);
            let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(&*table);
            let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
            prop_assert_eq!(rows.len(), 3);
            prop_assert!(rows[0].iter().eq(schema.fields.iter().map(|field| field.name)));
            prop_assert_eq!((&rows[1][1], &rows[1][11], &rows[2][9]), (&*source, &*error, PUZZLE));

            let value: serde_json::Value = serde_json::from_str(&text_of("jsonl", true, &bad)).unwrap();
            prop_assert_eq!((value["source"].as_str(), value["error"].as_str()), (Some(&*source), Some(&*error)));
            for format in ["jsonl", "text"] {
                let text = text_of(format, true, &bad);
                prop_assert!(text.ends_with('\n') && text.matches('\n').count() == 1, "{}", text);
            }
        }
    }

    /// Formats with columns write input texts unchanged; all other formats reject carried columns.
    #[test]
    fn carried_columns_follow_the_others() {
        let mut texts = [Texts::default(), Texts::default()];
        for text in [&b"007"[..], b" x", b"a,\"b\"\r\nc", b"=1", b"\xff"] {
            texts[0].push(Some(text));
            texts[1].push(None);
        }
        let carried = ["a \"b\"", "=x"].map(str::to_owned).to_vec();
        let schema = Schema { fields: vec![Field::CLUES], carried, measured: false, statuses: &STATUSES };
        let columns = [Column::Numbers(&[0; 5])].into_iter().chain(texts.iter().map(Column::Texts));
        let page = Page::new(&schema, columns.collect(), 5);
        let written = |encoder: &dyn Encode| {
            let mut out = Piece::default();
            encoder.fits(&schema).unwrap();
            encoder.header(&schema, &mut out.bytes);
            encoder.encode(&page, &mut out);
            out.bytes.escape_ascii().to_string()
        };
        let expected: &[u8] =
            b"clues,\"a \"\"b\"\"\",=x\n0,007,\n0, x,\n0,\"a,\"\"b\"\"\r\nc\",\n0,=1,\n0,\xff,\n";
        let plain = written(&csv::Csv { escape_formulas: false });
        assert_eq!(plain, expected.escape_ascii().to_string());
        let escaped = written(&csv::Csv { escape_formulas: true });
        assert_eq!(escaped, plain.replace(",=x", ",\\'=x").replace(",=1", ",\\'=1"));
        let objects = written(&jsonl::Jsonl);
        let first: &[u8] = b"{\"clues\":0,\"a \\\"b\\\"\":\"007\",\"=x\":null}\n";
        assert!(objects.starts_with(&first.escape_ascii().to_string()), "{objects}");
        assert!(objects.contains(":\\\"\\xef\\xbf\\xbd\\\","), "{objects}");
        for (name, unfit) in
            [("csv", false), ("jsonl", false), ("lines", true), ("text", true), ("npy", true)]
        {
            let schema = Schema { carried: vec!["x".to_owned()], ..super::tests::schema(true) };
            assert_eq!((by_name(name).unwrap().make)().fits(&schema).is_err(), unfit, "{name}");
        }
    }

    #[test]
    fn only_kept_rows_are_written() {
        let (puzzle, solution, reasons) = (grid(PUZZLE), grid(SOLUTION), ["left out", "kept"].map(fault));
        let unique = unique_row(&puzzle, &solution);
        let [left_out, kept] = [8, 9].map(|id| Row { id, ..invalid_row(&reasons[id as usize - 8]) });
        for format in FORMATS {
            let encoder = (format.make)();
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            let flags = [true, false, true];
            push_rows(&*encoder, &schema(true), &[unique, left_out, kept], Some(&flags), &mut found);
            [unique, kept].iter().for_each(|row| push_row(&*encoder, &schema(true), row, &mut expected));
            assert_eq!(found, expected, "{}", format.name);
        }
    }
}
