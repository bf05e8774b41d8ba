//! Any bytes through the whole pipeline: whole CSV rows come out, and every solution in them is right.
#![no_main]

use std::io::Cursor;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use batchdoku::input::{ReadOptions, Source};
use batchdoku::jobs::solve::Solve;
use batchdoku::jobs::{Job, SearchOptions};
use batchdoku::output;
use batchdoku::pipeline::{self, EarlierRun, Observer, Plan, Progress, RunOptions, Tally, TallyDigest};
use batchdoku::solver::{Backend, Limits};
use batchdoku::sudoku::verifier;
use batchdoku::sudoku::{CELLS, Grid};
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
    let (batch_bytes, text) = input;
    let reader = Cursor::new(text.to_vec());
    let Ok(source) = Source::from_reader("a, \"b\"", reader, &ReadOptions::default()) else { return };
    let limits = Limits::default().with_max_guesses(MOST_GUESSES);
    let job = Arc::new(Solve::new(SearchOptions { backend: Backend::best(), limits }, true));
    let schema = job.schema().clone();
    let plan = Plan {
        sources: vec![source],
        job,
        encoder: (output::by_name("csv").expect("it is the default").make)(),
        digest: TallyDigest,
        options: RunOptions {
            threads: NonZeroUsize::MIN.saturating_add(1),
            batch_bytes: usize::from(batch_bytes).max(1) * 16,
            strict: false,
            only: None,
            before: EarlierRun::default(),
        },
    };
    let (mut tally, mut out) = (Tally::new(&schema), Vec::new());
    pipeline::run(plan, &mut tally, &mut out, &Nobody, &AtomicBool::new(false))
        .expect("memory takes everything, and nothing panics");

    let mut rows = csv::Reader::from_reader(&*out);
    let names: Vec<_> = schema.fields.iter().map(|field| field.name).collect();
    assert_eq!(rows.headers().expect("the header is UTF-8"), &names[..]);
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
            assert!(verifier::sudoku(&grid(puzzle), &grid(solution)), "{kind}: {puzzle} gives {solution}");
        }
    }
    assert_eq!(count, tally.records);
});
