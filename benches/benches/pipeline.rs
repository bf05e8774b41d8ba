//! Benchmarks the whole pipeline, from text in memory to CSV that is discarded, on one thread and on two.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use batchdoku::jobs::SearchOptions;
use batchdoku::jobs::solve::Solve;
use batchdoku::output;
use batchdoku::pipeline::{self, BATCH_BYTES, Plan, RowOutput, RunOptions, Tally, TallyDigest};
use batchdoku::solver::{Backend, Limits};
use batchdoku_benches::{bytes_of, lists, name_of, source};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Each list is repeated until it has at least this size, so each thread gets many batches.
const BYTES: usize = 20 * BATCH_BYTES;

/// Runs the pipeline; returns the number of records.
fn run(text: &Arc<[u8]>, threads: usize) -> u64 {
    let search = SearchOptions { backend: Backend::best(), limits: Limits::default() };
    let job = Arc::new(Solve::new(search, true));
    let mut tally = Tally::new(batchdoku::jobs::Job::schema(&*job));
    let encoder = (output::by_name("csv").expect("it is the default").make)();
    let options = RunOptions::new(NonZeroUsize::new(threads).expect("1 and 2 are not 0"));
    let outputs = vec![RowOutput { encoder, only: None }];
    let plan = Plan { outputs, ..Plan::<Solve, _>::new(vec![source(text)], job, TallyDigest, options) };
    pipeline::run(plan, &mut tally, &mut io::sink(), &(), &AtomicBool::new(false))
        .expect("a sink takes everything");
    tally.records
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
