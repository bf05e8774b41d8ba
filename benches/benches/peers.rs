//! The solvers side by side: contenders take turns in short slices, so that a noisy machine hits all
//! alike; the median of the slices counts. One thread, uniqueness proven, grids in memory to grids in memory.
//!
//! `BATCHDOKU_LISTS=a.txt:b.txt cargo bench -p batchdoku-benches --bench peers`

use std::hint::black_box;
use std::time::{Duration, Instant};

use batchdoku::grid::Grid;
use batchdoku::solver::{BatchSolver, Limits, Outcome, scalar::Scalar};
use batchdoku_benches::{lists, name_of, puzzle_list};
use sudoku::Sudoku;

const SLICE: usize = 500;
const ROUNDS: usize = 40;

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn main() {
    println!(
        "{:32} {:>8} {:>12} {:>12} {:>8} {:>14}",
        "list", "puzzles", "scalar/s", "sudoku 0.8/s", "ratio", "guesses/puzzle"
    );
    for path in lists() {
        let puzzles = puzzle_list(&path, usize::MAX);
        let theirs: Vec<Sudoku> = puzzles
            .iter()
            .map(|grid| Sudoku::from_bytes(*grid.cells()).expect("values are 0 to 9"))
            .collect();
        let mut solver = Scalar::new();
        let mut outcomes: Vec<Outcome> = Vec::with_capacity(SLICE);
        let (mut ours_times, mut theirs_times) = (Vec::new(), Vec::new());
        let mut guesses = 0;
        let step = (puzzles.len() / ROUNDS).max(1);
        for start in (0..puzzles.len()).step_by(step).take(ROUNDS) {
            let end = (start + SLICE).min(puzzles.len());
            let slice: &[Grid] = &puzzles[start..end];
            let before = Instant::now();
            outcomes.clear();
            solver.solve(black_box(slice), &Limits::default(), &mut outcomes);
            ours_times.push(before.elapsed() / slice.len() as u32);
            let before = Instant::now();
            let answers: Vec<Option<Sudoku>> =
                black_box(&theirs[start..end]).iter().map(|puzzle| puzzle.solution()).collect();
            theirs_times.push(before.elapsed() / slice.len() as u32);
            for (outcome, answer) in outcomes.iter().zip(&answers) {
                let unique = matches!(outcome.verdict, batchdoku::solver::Verdict::Unique);
                assert_eq!(unique, answer.is_some(), "the solvers disagree");
                guesses += outcome.guesses;
            }
        }
        let solved = ours_times.len() * SLICE;
        let (ours, theirs) = (median(&mut ours_times), median(&mut theirs_times));
        println!(
            "{:32} {:>8} {:>12.0} {:>12.0} {:>8.2} {:>14.2}",
            name_of(&path),
            puzzles.len(),
            1e9 / ours.as_nanos() as f64,
            1e9 / theirs.as_nanos() as f64,
            theirs.as_secs_f64() / ours.as_secs_f64(),
            guesses as f64 / solved as f64
        );
    }
}
