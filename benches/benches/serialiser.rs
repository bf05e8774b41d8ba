//! The serialiser: rows to bytes, in each format of `-O`.

use std::hint::black_box;
use std::time::Duration;

use batchdoku::grid::Grid;
use batchdoku::input::{Kind, Layout};
use batchdoku::output::{FORMATS, FormatOptions, Row, Status};
use batchdoku::solver::{BatchSolver, Limits, Outcome, scalar::Scalar};
use batchdoku_benches::{data, puzzle_list};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn rows<'a>(puzzles: &'a [Grid], outcomes: &'a [Outcome]) -> Vec<Row<'a>> {
    (1..)
        .zip(puzzles.iter().zip(outcomes))
        .map(|(id, (puzzle, outcome))| Row {
            id,
            source: "data/easy.txt",
            number: id,
            line: id,
            kind: Kind::Sudoku,
            layout: Layout::Line,
            status: Status::Unique,
            solutions: outcome.solutions,
            guesses: outcome.guesses,
            time_ns: outcome.time_ns,
            puzzle: Some(puzzle),
            solution: outcome.solution.as_ref(),
            error: None,
        })
        .collect()
}

fn serialiser(criterion: &mut Criterion) {
    let puzzles = puzzle_list(&data("easy.txt"), usize::MAX);
    let mut outcomes = Vec::new();
    Scalar::new().solve(&puzzles, &Limits::default(), &mut outcomes);
    let rows = rows(&puzzles, &outcomes);
    let mut group = criterion.benchmark_group("serialiser");
    group.throughput(Throughput::Elements(rows.len() as u64));
    for entry in FORMATS {
        let format = (entry.make)(FormatOptions { time: true });
        let mut out = Vec::new();
        group.bench_function(entry.name, |bencher| {
            bencher.iter(|| {
                out.clear();
                for row in black_box(&rows) {
                    format.row(row, &mut out);
                }
                black_box(&out);
            });
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3));
    targets = serialiser
}
criterion_main!(benches);
