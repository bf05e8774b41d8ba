//! Conversion of rows to bytes, in every format of `-O`.
//!
//! An [`Encode`] value turns the columns of a page into bytes. It keeps no state between pages, so any thread can
//! encode its own batch. Each format has its own file and an entry in [`FORMATS`]; [`Choice`] finds it by the name of
//! an output. An [`Append`] writes the encoded pieces in order. Some formats have units of their own, so that the bytes
//! do not depend on how threads divide the rows. The output file of [`mod@file`] never appears half written; [`names`]
//! checks that no two files of a run are the same.

mod cases;
mod choice;
#[cfg(feature = "arrow")]
mod columns;
mod compress;
mod csv;
mod encode;
mod error;
pub mod file;
mod hint;
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
pub use compress::{Compression, text_writer};
pub use csv::push_csv_row;
pub use encode::{Append, Between, Encode, FileEnd, Form, Output, Piece, Unfit};
pub use hint::hint;
pub use hrm::Hrm;
pub use sheet::Sheet;
pub use steps::Steps;

/// An output format.
pub struct OutputFormat {
    /// The name for `-O`.
    pub name: &'static str,
    /// The content of a file, for the help text.
    pub about: &'static str,
    /// The extensions by which an output without `-O` gets this format.
    pub extensions: &'static [&'static str],
    /// Makes the encoder.
    pub make: fn() -> Arc<dyn Encode>,
    /// Makes an encoder that escapes formulas, if spreadsheets open the format.
    pub make_escaping: Option<fn() -> Arc<dyn Encode>>,
}

impl OutputFormat {
    /// Returns a format that spreadsheets do not open.
    const fn new(
        name: &'static str,
        about: &'static str,
        extensions: &'static [&'static str],
        make: fn() -> Arc<dyn Encode>,
    ) -> Self {
        Self { name, about, extensions, make, make_escaping: None }
    }
}

/// Every format; the first is the default.
pub const FORMATS: &[OutputFormat] = &[
    OutputFormat {
        make_escaping: Some(|| Arc::new(csv::Csv { escape_formulas: true })),
        ..OutputFormat::new("csv", csv::ABOUT, &["csv"], || Arc::new(csv::Csv { escape_formulas: false }))
    },
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

/// Returns the format of that name; `None` if there is none.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static OutputFormat> {
    FORMATS.iter().find(|format| format.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{
        Column, Fault, FaultKind, Field, Label, Layout, Page, PuzzleKind, Role, Schema, Severity, Span,
        Sparse, Texts, Type,
    };
    use crate::sudoku::Grid;

    /// The puzzle of these tests: Project Euler's first example grid.
    pub(super) const PUZZLE: &str =
        "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";
    /// The solution as published with the problem (483 in the corner).
    pub(super) const SOLUTION: &str =
        "483921657967345821251876493548132976729564138136798245372689514814253769695417382";

    /// Makes a grid from 81 characters.
    pub(super) fn grid(text: &str) -> Grid {
        text.parse().unwrap()
    }

    /// The statuses of the rows of these tests.
    const STATUSES: [Label; 6] = [
        Label::new("unique", "", Severity::Answered),
        Label::new("multiple", "", Severity::Answered),
        Label::new("unsolvable", "", Severity::Unanswered),
        Label::new("unfinished", "", Severity::Unanswered),
        Label::new("internal-error", "", Severity::Defect),
        Label::unsearched("invalid", "", Severity::BadRecord),
    ];

    /// The columns of the rows of these tests, after those of the origin.
    const FIELDS: [Field; 8] = [
        Field::result("status", Type::Word, "").with_role(Role::Status),
        Field::result("solutions", Type::Number, ""),
        Field::CLUES,
        Field::GUESSES,
        Field::TIME,
        Field::PUZZLE,
        Field::result("solution", Type::Grid, "").with_role(Role::Solution),
        Field::ERROR,
    ];

    /// A row, for tests to alter.
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

    /// Returns the schema, with or without the times.
    pub(super) fn schema(measured: bool) -> Schema {
        Schema::new(&FIELDS, &STATUSES, measured)
    }

    /// Makes a page of these columns, in which all rows are kept.
    pub(super) fn page<'a>(schema: &'a Schema, columns: Vec<Column<'a>>, rows: usize) -> Page<'a> {
        let layouts = &[Layout::Line; 5];
        Page { schema, columns, rows, kept: None, of: None, layouts, text: (&[], &[]), first_number: 1 }
    }

    /// Appends a row as a format writes it.
    pub(super) fn push_row(format: &dyn Encode, schema: &Schema, row: &Row<'_>, out: &mut Vec<u8>) {
        push_row_of(format, schema, row, b"", out);
    }

    /// Appends a row of a record with this text.
    pub(super) fn push_row_of(
        format: &dyn Encode,
        schema: &Schema,
        row: &Row<'_>,
        text: &[u8],
        out: &mut Vec<u8>,
    ) {
        let mut piece = Piece { bytes: std::mem::take(out), ..Piece::default() };
        let mut faults = Sparse::default();
        if let Some(error) = row.error {
            faults.push(0, error.clone());
        }
        let status = STATUSES.iter().position(|word| word.name == row.status).unwrap() as u8;
        let given = |grid: Option<&Grid>| (grid.copied().unwrap_or(Grid::EMPTY), grid.is_some());
        let (puzzle, readable) = given(row.puzzle);
        let (solution, solved) = given(row.solution);
        let (lines, kinds, statuses, solutions) = ([row.line], [row.kind as u8], [status], [row.solutions]);
        let (clues, guesses, times) = ([puzzle.clues() as u8], [row.guesses], [row.time_ns]);
        let (puzzles, readable) = ([puzzle], [readable]);
        let (solved, solutions_found) = ([solved], [solution]);
        let columns = vec![
            Column::Counting(row.id),
            Column::Same(row.source),
            Column::Numbers(&lines),
            Column::Words(&kinds, &PuzzleKind::WORDS),
            Column::Words(&statuses, &STATUSES),
            Column::Numbers(&solutions),
            Column::SmallNumbers(&clues, &readable),
            Column::Numbers(&guesses),
            Column::Numbers(&times),
            Column::Grids(&puzzles, &readable),
            Column::Grids(&solutions_found, &solved),
            Column::Faults(&faults),
        ];
        let page = Page {
            layouts: &[row.layout],
            text: (text, &[Span { start: 0, length: text.len() }]),
            first_number: row.number,
            ..page(schema, columns, 1)
        };
        format.encode(&page, &mut piece);
        *out = piece.bytes;
    }

    /// Makes a row of a unique puzzle, for tests to alter.
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

    /// Makes a fault that has any text and no place.
    pub(super) fn fault(text: &str) -> Fault {
        Fault::new(FaultKind::Any, None).text(text)
    }

    /// Makes a row of a record that could not be read.
    pub(super) fn invalid_row(error: &Fault) -> Row<'_> {
        Row {
            id: 8,
            source: "a.txt",
            number: 4,
            line: 5,
            kind: PuzzleKind::Sudoku,
            layout: Layout::Line,
            status: "invalid",
            solutions: 0,
            guesses: 0,
            time_ns: 0,
            puzzle: None,
            solution: None,
            error: Some(error),
        }
    }

    #[test]
    fn the_registry_knows_its_names_and_no_other() {
        for name in ["csv", "jsonl", "lines", "text"] {
            assert!(by_name(name).is_some(), "{name}");
        }
        assert!(by_name("CSV").is_none());
        assert!(by_name("").is_none());
    }

    #[test]
    fn no_time_reaches_every_format() {
        let (puzzle, solution) = (grid(PUZZLE), grid(SOLUTION));
        let mut slow = unique_row(&puzzle, &solution);
        slow.time_ns = 999_999;
        for format in FORMATS {
            let encoder = (format.make)();
            let (mut one, mut other) = (Vec::new(), Vec::new());
            push_row(&*encoder, &schema(false), &unique_row(&puzzle, &solution), &mut one);
            push_row(&*encoder, &schema(false), &slow, &mut other);
            assert_eq!(one, other, "{}", format.name);
        }
    }

    /// Formats with columns write texts of the input unchanged; the others refuse carried columns.
    #[test]
    fn carried_columns_follow_the_others() {
        let texts = [&b"007"[..], b" x", b"a,\"b\"\r\nc", b"=1", b"\xff"];
        let mut columns = [Texts::default(), Texts::default()];
        for text in texts {
            columns[0].push(Some(text));
            columns[1].push(None);
        }
        let numbers = [0; 5];
        let carried = ["a \"b\"", "=x"].map(str::to_owned).to_vec();
        let schema = Schema { fields: vec![Field::CLUES], carried, measured: false, statuses: &STATUSES };
        let [given, missing] = &columns;
        let columns = vec![Column::Numbers(&numbers), Column::Texts(given), Column::Texts(missing)];
        let page = page(&schema, columns, 5);
        let written = |encoder: &dyn Encode| {
            let mut out = Piece::default();
            encoder.fits(&schema).unwrap();
            encoder.header(&schema, &mut out.bytes);
            encoder.encode(&page, &mut out);
            out.bytes
                .escape_ascii()
                .to_string()
                .replace("\\n", "\n")
                .replace("\\\"", "\"")
                .replace("\\'", "'")
        };
        assert_eq!(
            written(&csv::Csv { escape_formulas: false }),
            "clues,\"a \"\"b\"\"\",=x\n0,007,\n0, x,\n0,\"a,\"\"b\"\"\\r\nc\",\n0,=1,\n0,\\xff,\n"
        );
        let escaped = written(&csv::Csv { escape_formulas: true });
        assert!(escaped.contains(",'=x\n") && escaped.contains("0,'=1,\n"), "{escaped}");
        assert_eq!(
            written(&jsonl::Jsonl).lines().next(),
            Some("{\"clues\":0,\"a \\\\\"b\\\\\"\":\"007\",\"=x\":null}")
        );
        assert!(written(&jsonl::Jsonl).contains(":\"\\xef\\xbf\\xbd\","));
        for (name, unfit) in
            [("csv", false), ("jsonl", false), ("lines", true), ("text", true), ("npy", true)]
        {
            let schema = Schema { carried: vec!["x".to_owned()], ..super::tests::schema(true) };
            assert_eq!((by_name(name).unwrap().make)().fits(&schema).is_err(), unfit, "{name}");
        }
    }

    #[test]
    fn only_kept_rows_are_written() {
        let schema = schema(true);
        let puzzles = [PUZZLE, SOLUTION, PUZZLE].map(grid);
        let mut faults = Sparse::default();
        faults.push(1, fault("line 2, column 1: left out"));
        faults.push(2, fault("line 3, column 1: kept"));
        let numbers = [1, 2, 3];
        let statuses = [0, 5, 5];
        let column = Column::Numbers(&numbers);
        let columns = vec![
            Column::Counting(1),
            Column::Same("a"),
            column,
            Column::Words(&[0, 0, 0], &PuzzleKind::WORDS),
            Column::Words(&statuses, &STATUSES),
            column,
            Column::SmallNumbers(&[1, 2, 3], &[true; 3]),
            column,
            column,
            Column::Grids(&puzzles, &[true; 3]),
            Column::Grids(&puzzles, &[true, false, false]),
            Column::Faults(&faults),
        ];
        let page = Page { kept: Some(&[true, false, true]), ..page(&schema, columns, 3) };
        let text = |name: &str| {
            let mut out = Piece::default();
            (by_name(name).unwrap().make)().encode(&page, &mut out);
            String::from_utf8(out.bytes).unwrap()
        };
        assert_eq!(
            text("csv"),
            format!(
                "1,a,1,sudoku,unique,1,1,1,1,{PUZZLE},{PUZZLE},\n\
                 3,a,3,sudoku,invalid,3,3,3,3,{PUZZLE},,\"line 3, column 1: kept\"\n"
            )
        );
        assert_eq!(text("text"), format!("{PUZZLE}\ninvalid: line 3, column 1: kept\n"));
        assert_eq!(text("lines"), format!("{PUZZLE},{PUZZLE}\n{PUZZLE},\n"));
        assert_eq!(text("jsonl").lines().count(), 2);
    }
}
