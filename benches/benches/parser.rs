//! Benchmarks the parser, from text in memory to records, in the three layouts used by lists of millions of puzzles.
//!
//! `cut` does what the reader thread does: it finds whole records and counts them. `read` also does what every task
//! does with its chunk: it reads the cells of each record.

use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use batchdoku::pipeline::BATCH_BYTES;
use batchdoku::record::{Records, Want};
use batchdoku::sudoku::Grid;
use batchdoku_benches::{data, puzzle_list, source};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// The number of times that the list is repeated, so that there is more than one chunk.
const TIMES: usize = 10;

fn lines(puzzles: &[Grid]) -> String {
    puzzles.iter().fold(String::new(), |mut text, puzzle| {
        let _ = writeln!(text, "{puzzle}");
        text
    })
}

fn grids(puzzles: &[Grid]) -> String {
    puzzles.iter().fold(String::new(), |mut text, puzzle| {
        for row in puzzle.to_text(b'0').chunks(9) {
            text.extend(row.iter().copied().map(char::from));
            text.push('\n');
        }
        text
    })
}

fn table(puzzles: &[Grid]) -> String {
    (1..).zip(puzzles).fold("id,puzzle,difficulty\n".to_owned(), |mut text, (id, puzzle)| {
        let _ = writeln!(text, "{id},{puzzle},1.2");
        text
    })
}

/// Cuts a text into chunks and, if `read` is set, reads their records; returns the number of records.
fn records(text: &Arc<[u8]>, read: bool) -> u64 {
    let mut source = source(text);
    let mut buffer = Vec::new();
    let mut columns = Records::default();
    let mut records = 0;
    while let Some(chunk) = source.next_batch(buffer, BATCH_BYTES).expect("memory does not fail") {
        if read {
            chunk.read(Want::default(), &mut columns);
            records += black_box(&columns).len() as u64;
        }
        buffer = chunk.bytes;
    }
    records
}

fn parser(criterion: &mut Criterion) {
    let puzzles = puzzle_list(&data("easy.txt"), usize::MAX).repeat(TIMES);
    let mut group = criterion.benchmark_group("parser");
    for (layout, text) in [("line", lines(&puzzles)), ("grid", grids(&puzzles)), ("csv", table(&puzzles))] {
        let text: Arc<[u8]> = text.into_bytes().into();
        group.throughput(Throughput::Bytes(text.len() as u64));
        for (name, read) in [("cut", false), ("read", true)] {
            assert_eq!(records(&text, true), puzzles.len() as u64);
            group.bench_function(format!("{name}/{layout}"), |bencher| {
                bencher.iter(|| records(black_box(&text), read));
            });
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3));
    targets = parser
}
criterion_main!(benches);
