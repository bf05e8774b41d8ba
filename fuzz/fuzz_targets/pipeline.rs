//! Any bytes through the whole pipeline: whole CSV rows come out, and every solution in them is right.
#![no_main]

use std::io::Cursor;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use batchdoku::check;
use batchdoku::engine::{self, EngineOptions, Observer, Progress};
use batchdoku::grid::{CELLS, Grid};
use batchdoku::input::{ReadOptions, Source};
use batchdoku::output::FormatOptions;
use batchdoku::output::csv::{COLUMNS, Csv};
use batchdoku::solver::{Backend, Limits};
use libfuzzer_sys::fuzz_target;

/// Guesses after which a puzzle is left alone.
const MOST_GUESSES: u64 = 10_000;

struct Nobody;

impl Observer for Nobody {
    fn progress(&self, _: &Progress) {}
}

fn grid(field: &str) -> Grid {
    let cells: Vec<u8> = field.bytes().map(|byte| if byte == b'.' { 0 } else { byte - b'0' }).collect();
    let cells: [u8; CELLS] = cells.try_into().expect("a grid has 81 cells");
    Grid::new(cells).expect("a cell is a digit or a dot")
}

fuzz_target!(|input: (u8, &[u8])| {
    let (chunk_bytes, text) = input;
    let reader = Cursor::new(text.to_vec());
    let Ok(source) = Source::from_reader("a, \"b\"", reader, &ReadOptions::default()) else { return };
    let options = EngineOptions {
        threads: NonZeroUsize::MIN.saturating_add(1),
        backend: Backend::best(),
        limits: Limits::default().with_max_guesses(MOST_GUESSES),
        chunk_bytes: usize::from(chunk_bytes).max(1) * 16,
        strict: false,
    };
    let format = Csv::new(FormatOptions { time: true });
    let mut out = Vec::new();
    let stop = AtomicBool::new(false);
    let report = engine::run(vec![source], &options, &format, &mut out, &Nobody, &stop)
        .expect("memory takes everything, and nothing panics");

    let mut rows = csv::Reader::from_reader(&*out);
    assert_eq!(rows.headers().expect("the header is UTF-8"), &COLUMNS[..]);
    let mut count = 0;
    for row in rows.records() {
        let row = row.expect("every row is UTF-8 and has as many columns as the header");
        count += 1;
        assert_eq!((row.len(), &row[0], &row[1]), (12, &*count.to_string(), "a, \"b\""));
        let (kind, status, [puzzle, solution, error]) =
            (&row[3], &row[4], [9, 10, 11].map(|column| &row[column]));
        assert_ne!(status, "internal-error", "{error}");
        assert_eq!(matches!(status, "unique" | "multiple"), !solution.is_empty(), "{status}: {solution}");
        assert_eq!(status == "invalid", error.starts_with("line "), "{status}: {error}");
        assert_eq!(row[6].is_empty(), puzzle.is_empty());
        if !solution.is_empty() {
            // The numbers of a Sudominoku are clues of a sudoku as well.
            assert!(check::sudoku(&grid(puzzle), &grid(solution)), "{kind}: {puzzle} gives {solution}");
        }
    }
    assert_eq!(count, report.stats.records);
});
