//! The whole pipeline: text in memory to CSV that nobody keeps, on one thread and on two.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use batchdoku::engine::{self, CHUNK_BYTES, EngineOptions, Observer, Progress};
use batchdoku::output::FormatOptions;
use batchdoku::output::csv::Csv;
use batchdoku::solver::{Backend, Limits};
use batchdoku_benches::{bytes_of, lists, name_of, source};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Text that a list is repeated to at least, so that each thread has many chunks.
const BYTES: usize = 20 * CHUNK_BYTES;

struct Nobody;

impl Observer for Nobody {
    fn progress(&self, _: &Progress) {}
}

/// Runs the pipeline; gives the number of records.
fn run(text: &Arc<[u8]>, threads: usize) -> u64 {
    let options = EngineOptions {
        threads: NonZeroUsize::new(threads).expect("1 and 2 are not 0"),
        backend: Backend::best(),
        limits: Limits::default(),
        chunk_bytes: CHUNK_BYTES,
        strict: false,
    };
    let format = Csv::new(FormatOptions { time: true });
    let stop = AtomicBool::new(false);
    engine::run(vec![source(text)], &options, &format, &mut io::sink(), &Nobody, &stop)
        .expect("a sink takes everything")
        .stats
        .records
}

fn pipeline(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pipeline");
    for path in lists() {
        let list = bytes_of(&path);
        let text: Arc<[u8]> = list.repeat(BYTES.div_ceil(list.len())).into();
        group.throughput(Throughput::Elements(run(&text, 2)));
        for threads in [1, 2] {
            group.bench_function(format!("{threads}/{}", name_of(&path)), |bencher| {
                bencher.iter(|| run(&text, threads));
            });
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(5));
    targets = pipeline
}
criterion_main!(benches);
