//! The engines and the crate `sudoku` side by side, from text in memory to solution text in memory, on one
//! thread, uniqueness proven (limit 2). Contenders take turns in slices of the list, so that a noisy
//! machine hits all alike; the median slice counts. Ours also finds the smallest of several solutions.
//!
//! `BATCHDOKU_LISTS=a.txt:b.txt cargo bench -p batchdoku-benches --bench peers`

use std::hint::black_box;
use std::time::{Duration, Instant};

use batchdoku::grid::{CELLS, Grid};
use batchdoku::solver::{Backend, BatchSolver, Limits, Outcome, Verdict};
use batchdoku_benches::{lists, name_of, puzzle_list};
use sudoku::Sudoku;

/// Puzzles of a slice; a chunk of the program holds about as many.
const SLICE: usize = 5000;
const ROUNDS: usize = 15;

type Text = [u8; CELLS];

/// Solves a slice and writes the solutions, blanks where there is not exactly one; returns the guesses.
trait Contender {
    fn name(&self) -> String;
    fn solve(&mut self, puzzles: &[Text], solutions: &mut Vec<Text>) -> u64;
}

struct Ours {
    backend: Backend,
    solver: Box<dyn BatchSolver>,
    grids: Vec<Grid>,
    outcomes: Vec<Outcome>,
}

impl Contender for Ours {
    fn name(&self) -> String {
        self.backend.name().to_owned()
    }

    fn solve(&mut self, puzzles: &[Text], solutions: &mut Vec<Text>) -> u64 {
        self.grids.clear();
        self.outcomes.clear();
        let digit = |byte: u8| if byte == b'.' { 0 } else { byte - b'0' };
        self.grids.extend(puzzles.iter().map(|text| Grid::new(text.map(digit)).expect("digits and dots")));
        self.solver.solve(&self.grids, &Limits::default(), &mut self.outcomes);
        solutions.extend(self.outcomes.iter().map(|outcome| match (outcome.verdict, &outcome.solution) {
            (Verdict::Unique, Some(grid)) => grid.to_text(b'.'),
            (_, Some(grid)) => black_box(grid.to_text(b'.')).map(|_| b'.'),
            (_, None) => [b'.'; CELLS],
        }));
        self.outcomes.iter().map(|outcome| outcome.guesses).sum()
    }
}

struct SudokuCrate;

impl Contender for SudokuCrate {
    fn name(&self) -> String {
        "sudoku 0.8".to_owned()
    }

    fn solve(&mut self, puzzles: &[Text], solutions: &mut Vec<Text>) -> u64 {
        solutions.extend(puzzles.iter().map(|text| {
            let line = std::str::from_utf8(text).expect("digits and dots");
            let puzzle = Sudoku::from_str_line(line).expect("a puzzle line");
            puzzle.solution().map_or([b'.'; CELLS], |solution| {
                *solution.to_str_line().as_bytes().first_chunk().expect("81 digits")
            })
        }));
        0
    }
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64()
}

fn main() {
    println!(
        "{:26} {:12} {:>12} {:>12} {:>14}",
        "list", "contender", "puzzles/s", "x sudoku", "guesses/puzzle"
    );
    for path in lists() {
        let puzzles: Vec<Text> =
            puzzle_list(&path, usize::MAX).iter().map(|grid| grid.to_text(b'.')).collect();
        let mut contenders: Vec<Box<dyn Contender>> = vec![Box::new(SudokuCrate)];
        for backend in Backend::available() {
            let solver = backend.solver();
            contenders.push(Box::new(Ours { backend, solver, grids: Vec::new(), outcomes: Vec::new() }));
        }
        let mut times = vec![Vec::new(); contenders.len()];
        let mut guesses = vec![0; contenders.len()];
        let mut solved = 0;
        let step = (puzzles.len() / ROUNDS).max(1);
        for start in (0..puzzles.len()).step_by(step).take(ROUNDS) {
            let slice = &puzzles[start..(start + SLICE).min(puzzles.len())];
            solved += slice.len();
            let mut expected: Option<Vec<Text>> = None;
            for (turn, contender) in contenders.iter_mut().enumerate() {
                let mut solutions = Vec::with_capacity(slice.len());
                let before = Instant::now();
                guesses[turn] += contender.solve(black_box(slice), &mut solutions);
                times[turn].push(before.elapsed() / slice.len() as u32);
                let expected = expected.get_or_insert_with(|| solutions.clone());
                assert!(*expected == solutions, "{} disagrees", contender.name());
            }
        }
        let medians: Vec<f64> = times.iter_mut().map(|times| median(times)).collect();
        for (turn, contender) in contenders.iter().enumerate() {
            println!(
                "{:26} {:12} {:>12.0} {:>12.2} {:>14.2}",
                name_of(&path),
                contender.name(),
                1.0 / medians[turn],
                medians[0] / medians[turn],
                guesses[turn] as f64 / solved as f64
            );
        }
    }
}
