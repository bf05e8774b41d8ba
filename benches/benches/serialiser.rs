//! Benchmarks the serialiser, from rows to bytes, in each `-O` format.

use std::hint::black_box;
use std::time::Duration;

use std::sync::Arc;

use batchdoku::jobs::solve::Solve;
use batchdoku::jobs::{Job, ReadBatch, SearchOptions};
use batchdoku::output::{FORMATS, Piece};
use batchdoku::record::{Column, Page, PuzzleKind, Records, Table, Want};
use batchdoku::solver::{Backend, Limits};
use batchdoku_benches::{bytes_of, data, source};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn serialiser(criterion: &mut Criterion) {
    let text: Arc<[u8]> = bytes_of(&data("easy.txt")).into();
    let batch = source(&text).next_batch(Vec::new(), usize::MAX / 4).expect("readable").expect("puzzles");
    let job = Solve::new(SearchOptions { backend: Backend::best(), limits: Limits::default() }, true);
    let (mut records, mut table) = (Records::default(), Table::new(job.schema()));
    batch.read(Want::default(), &mut records);
    job.answer(&mut job.worker(Arc::default()), ReadBatch { batch: &batch, records: &records }, &mut table);
    table.finish(&records);
    let mut columns = vec![
        Column::Counting(1),
        Column::Same("data/easy.txt"),
        Column::Numbers(records.lines()),
        Column::Words(records.kinds(), &PuzzleKind::WORDS),
    ];
    columns.extend(table.columns(&records));
    let page = Page {
        schema: job.schema(),
        columns,
        rows: records.len(),
        kept: None,
        of: None,
        layouts: records.layouts(),
        text: (&[], &[]),
        first_number: 1,
    };
    let mut group = criterion.benchmark_group("serialiser");
    group.throughput(Throughput::Elements(records.len() as u64));
    for format in FORMATS {
        let encoder = (format.make)();
        let mut out = Piece::default();
        group.bench_function(format.name, |bencher| {
            bencher.iter(|| {
                out.clear();
                encoder.encode(black_box(&page), &mut out);
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
