//! Compares the Sudominoku solver with the contest method, on cases from the project's own generator.
//!
//! The two take turns on short slices of the same cases, so a noisy machine affects both alike. The time that the
//! contest method takes varies widely between cases, so the ratio of the means is what counts. It is measured twice.
//! First, as the contest requires, the contest method stops at the first solution, although the solver still proves
//! uniqueness. Then both prove uniqueness.
//!
//! `BATCHDOKU_CASES=300 cargo bench -p batchdoku-benches --bench sudominoku` uses only the first 300 cases.

use std::hint::black_box;
use std::time::{Duration, Instant};

use batchdoku::solver::{Limits, Verdict, sudominoku};
use batchdoku::sudoku::Case;
use batchdoku_benches::{cases, contest_sudominoku, data};

const SLICE: usize = 10;
/// Does the work and adds the time that it takes to `total`.
fn timed<T>(total: &mut Duration, work: impl FnOnce() -> T) -> T {
    let before = Instant::now();
    let result = black_box(work());
    *total += before.elapsed();
    result
}

fn main() {
    let most = match std::env::var("BATCHDOKU_CASES") {
        Ok(count) => count.parse().expect("BATCHDOKU_CASES is a number"),
        Err(_) => usize::MAX,
    };
    let cases = cases(&data("sudominoku.txt"), most);
    let [mut ours, mut first, mut proof] = [Duration::ZERO; 3];
    let mut guesses = 0;
    for slice in cases.chunks(SLICE) {
        let slice: &[Case] = black_box(slice);
        let outcomes: Vec<_> = timed(&mut ours, || {
            slice.iter().map(|case| sudominoku::solve(case, &Limits::default())).collect()
        });
        let answers: Vec<_> = timed(&mut first, || slice.iter().map(contest_sudominoku::first).collect());
        let proofs: Vec<_> =
            timed(&mut proof, || slice.iter().map(|case| contest_sudominoku::solutions(case, 2)).collect());
        for ((outcome, answer), proof) in outcomes.iter().zip(&answers).zip(&proofs) {
            assert_eq!((outcome.verdict, proof.len()), (Verdict::Unique, 1), "the cases are unique");
            assert_eq!(outcome.solution, *answer, "the solvers disagree");
            guesses += outcome.guesses;
        }
    }
    let count = cases.len() as f64;
    let mean = |total: Duration| total.as_secs_f64() / count;
    println!("{} cases, {:.1} guesses each, one thread, means", cases.len(), guesses as f64 / count);
    println!("{:34} {:>12} {:>10} {:>8}", "", "time", "cases/s", "ratio");
    for (name, total) in [
        ("batchdoku, uniqueness proven", ours),
        ("contest way, first solution", first),
        ("contest way, uniqueness proven", proof),
    ] {
        println!(
            "{name:34} {:>9.1} us {:>10.1} {:>8.1}",
            mean(total) * 1e6,
            1.0 / mean(total),
            mean(total) / mean(ours)
        );
    }
}
