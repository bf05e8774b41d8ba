//! Compares the engines with the `sudoku` crate, from text in memory to solution text in memory. Each contender runs on
//! one thread and proves uniqueness (limit 2). The method is that of `batchdoku bench`: a warm-up checks every answer,
//! then the contenders take turns on slices of the shuffled list; medians are compared. Our engines also find the
//! smallest of several solutions, except for the contender `any`, which is the fastest backend without that search.
//!
//! The harness hands out grids, so each contender first writes them as text. This adds a few nanoseconds per puzzle to
//! all of them.
//!
//! `BATCHDOKU_LISTS=a.txt:b.txt cargo bench -p batchdoku-benches --bench peers`

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use batchdoku::bench::contender::Contender;
use batchdoku::bench::puzzles::Puzzles;
use batchdoku::bench::{self, Watch};
use batchdoku::solver::{Answers, Backend, BatchSolver, Limits, Outcome, Verdict, Wanted};
use batchdoku::sudoku::Grid;
use batchdoku_benches::{lists, name_of, puzzle_list};
use sudoku::Sudoku;

/// One of our solvers, including reading and writing.
struct TextToText {
    solver: Box<dyn BatchSolver>,
    wanted: Wanted,
    grids: Vec<Grid>,
}

impl BatchSolver for TextToText {
    fn solve(&mut self, puzzles: &[Grid], limits: &Limits, answers: &mut Answers) {
        self.grids.clear();
        self.grids.extend(puzzles.iter().map(|puzzle| {
            let text = black_box(puzzle.to_text(b'.'));
            Grid::from_text(&text).expect("a grid was written")
        }));
        self.solver.solve(&self.grids, &limits.with_wanted(self.wanted), answers);
        write(answers);
    }
}

/// Writes the solutions as text.
fn write(answers: &Answers) {
    for solution in answers.solutions().iter().flatten() {
        black_box(solution.to_text(b'.'));
    }
}

/// The `sudoku` crate, which returns a solution only if there is exactly one.
struct SudokuCrate;

impl BatchSolver for SudokuCrate {
    fn solve(&mut self, puzzles: &[Grid], _limits: &Limits, answers: &mut Answers) {
        for puzzle in puzzles {
            let text = black_box(puzzle.to_text(b'.'));
            let puzzle = Sudoku::from_str_line(str::from_utf8(&text).expect("it is ASCII"));
            let puzzle = puzzle.expect("a grid was written");
            let solution = puzzle.solution().and_then(|solution| Grid::new(solution.to_bytes()));
            let verdict = if solution.is_some() { Verdict::Unique } else { Verdict::Unfinished };
            let mut outcome = Outcome::new(verdict);
            (outcome.solutions, outcome.solution) = (u64::from(solution.is_some()), solution);
            answers.push(outcome);
        }
        write(answers);
    }
}

fn main() {
    let (limits, time) = (Limits::default(), Duration::from_secs(4));
    let watch = Watch { progress: &|_, _| (), stop: &Arc::default() };
    println!(
        "list                       contender       puzzles/s   x sudoku            95 % guesses/puzzle"
    );
    for path in lists() {
        let mut puzzles = Puzzles { grids: puzzle_list(&path, usize::MAX), ..Puzzles::default() };
        puzzles.shuffle(1);
        let peer = Contender::new("sudoku 0.8", NonZeroUsize::MIN, || Box::new(SudokuCrate));
        let smallest =
            Backend::available().into_iter().map(|backend| (backend.name(), backend, Wanted::Smallest));
        let ours = smallest.chain([("any", Backend::best(), Wanted::Any)]).map(|(name, backend, wanted)| {
            Contender::new(name, NonZeroUsize::MIN, move || {
                Box::new(TextToText { solver: backend.solver(), wanted, grids: Vec::new() })
            })
        });
        let contenders = [peer].into_iter().chain(ours).collect::<Result<Vec<_>, _>>();
        let contenders = contenders.expect("one thread is the caller's");
        let measured = bench::in_process(&puzzles.grids, contenders, &limits, time, None, watch);
        for row in measured.expect("nobody raises the flag").0.rows {
            let (list, name) = (name_of(&path), row.name);
            match row.failure {
                None => println!(
                    "{list:26} {name:12} {:>12.0} {:>10.2} {:>7.2} to {:>5.2} {:>14.2}",
                    row.puzzles_per_second.unwrap_or(0.0),
                    row.ratio.unwrap_or(0.0),
                    row.ratio_low.unwrap_or(0.0),
                    row.ratio_high.unwrap_or(0.0),
                    row.guesses_per_puzzle.unwrap_or(0.0),
                ),
                Some(why) => println!("{list:26} {name:12} failed: {why}"),
            }
        }
    }
}
