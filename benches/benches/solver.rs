//! Benchmarks the fastest backend and the scalar solver on each list, from grids in memory to answers in memory, on one
//! thread.

use std::hint::black_box;
use std::time::Duration;

use batchdoku::solver::{Answers, Backend, Limits};
use batchdoku_benches::{lists, name_of, puzzle_list};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// The maximum number of puzzles to take from a list.
const PUZZLES: usize = 2000;

fn solver(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("solver");
    for path in lists() {
        let puzzles = puzzle_list(&path, PUZZLES);
        group.throughput(Throughput::Elements(puzzles.len() as u64));
        for (name, solutions) in [("proof", 2_u64), ("first", 1)] {
            let limits = Limits::default().with_solutions(solutions.try_into().expect("1 and 2 are not 0"));
            for backend in [Backend::best(), Backend::SCALAR] {
                let mut solver = backend.solver();
                let mut answers = Answers::default();
                group.bench_function(format!("{}/{name}/{}", backend.name(), name_of(&path)), |bencher| {
                    bencher.iter(|| {
                        answers.clear();
                        solver.solve(black_box(&puzzles), &limits, &mut answers);
                    });
                });
            }
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3));
    targets = solver
}
criterion_main!(benches);
