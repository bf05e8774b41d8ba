//! Measures solvers and whole programs against each other.
//!
//! The machine is noisy and its speed changes during a measurement. The contenders therefore take turns: in a *round*,
//! every contender solves the same slice of the puzzles (`rounds`). Turns follow each other directly, in an order that
//! rotates, so noise affects all contenders alike. All turns must be about equally long. On a busy machine, 1 ms turns
//! are rarely disturbed, while one in two 10 ms turns has to wait for its core. A fast contender therefore solves its
//! slice several times per turn. The figures are medians over the rounds, with intervals (`median`); a ratio is the
//! median of the per-round ratios. Before the rounds, a warm-up solves all puzzles once and checks every answer
//! (`warm_up`).
//!
//! Solvers are timed from grids in memory to outcomes in memory. Whole programs (`program`) are timed from start to
//! finish, from file to file, and nothing is subtracted, as in hyperfine.
//!
//! Invariant: only solving is timed (not dealing or permuting puzzles, checking answers or drawing progress), and all
//! contenders in a round get the same puzzles.

pub mod contender;
mod median;
pub mod program;
pub mod puzzles;
pub mod result;
mod rounds;
mod warm_up;

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use self::contender::Contender;
use self::result::{BenchTable, TableKind};
use self::rounds::Rounds;
use crate::input::InputError;
use crate::solver::{Limits, Verdict};
use crate::sudoku::{Grid, Symmetry};

/// The number of puzzles that a solver gets at once. That is enough to fill the lanes, and about the size of a `solve`
/// batch.
const SLICE: usize = 5000;

/// The smallest number of puzzles that fills the lanes well enough.
const SMALLEST_SLICE: usize = 1000;

/// The number of parts per thread in a slice, if there are several threads.
const PARTS_A_THREAD: usize = 4;

/// The number of rounds that should fit into the given time; the slice size is chosen accordingly.
const ROUNDS_WANTED: f64 = 20.0;

/// The maximum number of times that a fast contender solves its slice per turn.
const MOST_PASSES: f64 = 100.0;

/// The minimum number of rounds, even if they take longer than the given time.
const FEWEST_ROUNDS: usize = 10;

/// The reason why there are no figures.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The stop flag was raised.
    #[error("interrupted")]
    Interrupted,
    /// An input cannot be read to the end.
    #[error("{0}")]
    Input(#[from] InputError),
    /// The inputs contain no sudokus.
    #[error("{0}")]
    NoSudoku(String),
    /// The puzzle files for the whole programs cannot be written.
    #[error("cannot write the puzzles for the programs: {0}")]
    Write(#[from] io::Error),
}

/// Receives a benchmark's progress, and holds the flag that ends the benchmark.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Called between measurements with a stage, such as `warm-up`, and the fraction of it that is done, from 0 to 1.
    pub progress: &'a dyn Fn(&str, f64),
    /// Raised to end the benchmark and its searches.
    pub stop: &'a Arc<AtomicBool>,
}

/// Measures contenders in this process on `puzzles` (at least one, already shuffled), in rounds that take at least
/// `time` in total. If a seed is given, each round uses fresh random isomorphs of the puzzles instead of the puzzles
/// themselves. Returns the figures and, for each puzzle, the verdict of the first contender that finished it. Fails if
/// the stop flag is raised.
pub fn in_process(
    puzzles: &[Grid],
    mut contenders: Vec<Contender>,
    limits: &Limits,
    time: Duration,
    isomorphs: Option<u64>,
    watch: Watch<'_>,
) -> Result<(BenchTable, Vec<Verdict>), BenchError> {
    let threads = contenders.iter().filter_map(|contender| contender.row.threads).max().unwrap_or(1);
    contenders.iter_mut().for_each(|contender| contender.stop_on(watch.stop));
    let (seconds, verdicts) = warm_up::run(puzzles, &mut contenders, largest_slice(threads), limits, watch)?;
    let slowest = set_passes(&mut contenders, &seconds);
    let seconds_a_turn = time.as_secs_f64() / ROUNDS_WANTED / contenders.len() as f64;
    let size = slice_size(puzzles.len(), threads, seconds_a_turn / slowest.max(1e-12));
    let (mut deck, mut slice) = (deck(puzzles, isomorphs), Vec::with_capacity(size));
    let mut rounds = Rounds::new("measuring", time, FEWEST_ROUNDS, watch);
    while !rounds.are_over(&mut contenders) {
        slice.clear();
        slice.extend(deck.by_ref().take(size));
        rounds.take(&mut contenders, |contender| {
            let time = contender.solve(&slice, limits)?;
            contender.record_times();
            Ok(time)
        })?;
    }
    let rows = contenders.into_iter().map(Contender::into_row).collect();
    Ok((BenchTable::new(TableKind::InProcess, puzzles.len(), rows, rounds.taken, size), verdicts))
}

/// Makes all turns about as long as those of the slowest contender that has not failed, and returns that contender's
/// time per puzzle.
fn set_passes(contenders: &mut [Contender], seconds_a_puzzle: &[f64]) -> f64 {
    let left =
        contenders.iter().zip(seconds_a_puzzle).filter(|(contender, _)| contender.row.failure.is_none());
    let slowest = left.map(|(_, &seconds)| seconds).fold(0.0, f64::max);
    for (contender, seconds) in contenders.iter_mut().zip(seconds_a_puzzle) {
        let passes = (slowest / seconds.max(1e-12)).round().clamp(1.0, MOST_PASSES);
        contender.passes = passes as usize;
    }
    slowest
}

/// Returns the number of puzzles per slice: as many as fill the lanes, but fewer if only `in_time` of them fit into a
/// turn.
fn slice_size(puzzles: usize, threads: usize, in_time: f64) -> usize {
    let fewest = puzzles.min(SMALLEST_SLICE * threads);
    (in_time as usize).clamp(fewest, largest_slice(threads))
}

/// Returns the number of puzzles per slice that fills the lanes of all threads.
const fn largest_slice(threads: usize) -> usize {
    if threads == 1 { SLICE } else { SLICE * PARTS_A_THREAD * threads }
}

/// Returns the puzzles in order, over and over, each replaced by a fresh isomorph if a seed is given.
fn deck(puzzles: &[Grid], isomorphs: Option<u64>) -> impl Iterator<Item = Grid> {
    // These random numbers must differ from those that shuffle the puzzles.
    let mut rng = isomorphs.map(|seed| Xoshiro256PlusPlus::seed_from_u64(!seed));
    puzzles.iter().cycle().map(move |puzzle| match &mut rng {
        Some(rng) => Symmetry::random(rng).apply(puzzle),
        None => *puzzle,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::num::NonZeroUsize;

    use super::*;
    use crate::solver::Backend;

    fn puzzle(digit: u8) -> Grid {
        let mut grid = Grid::EMPTY;
        grid.set(0, digit);
        grid
    }

    #[test]
    fn the_deck_begins_again_at_its_end_or_deals_fresh_isomorphs_the_same_for_a_seed() {
        let puzzles = [puzzle(1), puzzle(2), puzzle(3)];
        assert!(deck(&puzzles, None).take(7).eq([1, 2, 3, 1, 2, 3, 1].map(puzzle)));
        let deal = || deck(&puzzles[..1], Some(7)).take(100).collect::<Vec<_>>();
        assert!(deal().iter().all(|puzzle| puzzle.clues() == 1));
        assert!(deal().iter().collect::<BTreeSet<_>>().len() > 60);
        assert_eq!(deal(), deal());
    }

    #[test]
    fn slices_fill_the_lanes_unless_that_takes_too_long() {
        assert_eq!(slice_size(49_158, 1, 1e6), 5000);
        assert_eq!(slice_size(49_158, 4, 1e6), 80_000);
        assert_eq!(slice_size(49_158, 1, 2500.0), 2500);
        assert_eq!(slice_size(49_158, 1, 3.0), 1000);
        // If there are only a few puzzles, each is dealt several times, unless they are slow.
        assert_eq!(slice_size(10, 1, 1e6), 5000);
        assert_eq!(slice_size(10, 1, 3.0), 10);
    }

    #[test]
    fn turns_are_made_as_long_as_those_of_the_slowest() {
        let contender = |_| Contender::of_backend(Backend::SCALAR, NonZeroUsize::MIN).unwrap();
        let mut contenders: Vec<_> = (0..4).map(contender).collect();
        contenders[3].row.fail("too slow anyway".to_owned());
        assert_eq!(set_passes(&mut contenders, &[1e-6, 8e-6, 3e-6, 1.0]), 8e-6);
        let passes: Vec<_> = contenders.iter().map(|contender| contender.passes).collect();
        assert_eq!(passes[..3], [8, 1, 3]);
        set_passes(&mut contenders, &[0.0, 8e-6, 3e-6, 1.0]);
        assert_eq!(contenders[0].passes, 100);
    }
}
