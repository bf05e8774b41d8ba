//! Solvers and whole programs against each other, so that the figures are worth quoting.
//!
//! The machine is noisy and gets slower or faster during a measurement. So the contenders take turns: in a
//! *round* every contender solves the same slice of the puzzles, one right after the other and in an order that
//! rotates, so that noise hits all of them alike. For that the turns must be about equally long: on a busy
//! machine a turn of one millisecond goes through undisturbed, while one of ten waits for its core half of the
//! time. So a fast contender solves its slice several times in a turn. The figures are medians over the rounds
//! with intervals (`median`); a ratio is the median of the ratios in each round. Before the rounds a warm-up
//! solves all puzzles once and checks every answer (`warm_up`); a contender that fails is left out and the
//! others go on. Between two looks at the clock a contender turns grids in memory into outcomes in memory; whole
//! programs (`program`) are measured from their start to their end, file to file, with nothing subtracted, as
//! hyperfine does it.
//!
//! Invariant: everything but solving (dealing and permuting puzzles, checking answers, drawing progress) happens
//! while no clock runs, and every contender of a round gets the same puzzles.

pub mod compare;
pub mod contender;
pub mod median;
pub mod program;
pub mod puzzles;
pub mod result;
mod rounds;
mod warm_up;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use self::contender::Contender;
use self::result::{BenchRow, BenchTable, TableKind};
use self::rounds::{Entrant, Rounds};
use self::warm_up::Score;
use crate::solver::{Limits, Verdict};
use crate::sudoku::{Grid, Symmetry};

/// Puzzles that a solver gets at once; a chunk of `solve` holds about as many, and the lanes are full.
const SLICE: usize = 5000;

/// Puzzles that still keep the lanes full enough to be worth measuring.
const SMALLEST_SLICE: usize = 1000;

/// Parts of a slice for each thread, if there are several.
const PARTS_A_THREAD: usize = 4;

/// Slices are made smaller until this many rounds fit into the time.
const ROUNDS_WANTED: f64 = 20.0;

/// How often a fast contender solves its slice in a turn, at most.
const MOST_PASSES: f64 = 100.0;

/// Rounds that are taken even if they exceed the time.
const FEWEST_ROUNDS: usize = 10;

/// How to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureOptions {
    /// How far each search goes.
    pub limits: Limits,
    /// Time for the rounds of each table, at least.
    pub time: Duration,
    /// Where the random numbers start.
    pub seed: u64,
    /// Whether each round has fresh random isomorphs of the puzzles instead of the puzzles themselves.
    pub permute: bool,
}

/// Is told how a benchmark is getting on, while no clock runs.
pub trait BenchObserver {
    /// Takes the share, 0 to 1, of a stage such as `warm-up` that is done.
    fn progress(&self, stage: &str, share: f64);
}

/// An observer that ignores everything, for tests.
#[cfg(test)]
struct NoObserver;

#[cfg(test)]
impl BenchObserver for NoObserver {
    fn progress(&self, _: &str, _: f64) {}
}

/// The stop flag was raised: there are no figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// Who watches a benchmark, and who may end it.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Is told how it is getting on.
    pub observer: &'a dyn BenchObserver,
    /// Raised to end it, searches that are under way among it.
    pub stop: &'a Arc<AtomicBool>,
}

/// Measures contenders in this process on `puzzles`, of which there is at least one, already shuffled.
///
/// Gives the figures, and the verdict on each puzzle from the first contender that finished it.
///
/// # Errors
///
/// When the stop flag was raised.
pub fn in_process(
    puzzles: &[Grid],
    contenders: Vec<Contender>,
    options: &MeasureOptions,
    watch: Watch<'_>,
) -> Result<(BenchTable, Vec<Verdict>), Interrupted> {
    let threads = contenders.iter().map(Contender::threads).max().unwrap_or(1);
    let mut entrants: Vec<_> = contenders.into_iter().map(Entrant::new).collect();
    entrants.iter_mut().for_each(|entrant| entrant.contender.stop_on(watch.stop));
    let (scores, verdicts) =
        warm_up::run(puzzles, &mut entrants, largest_slice(threads), &options.limits, watch)?;
    let count = puzzles.len() as f64;
    let slowest = set_passes(&mut entrants, scores.iter().map(|score| score.seconds / count));
    let seconds_a_turn = options.time.as_secs_f64() / ROUNDS_WANTED / entrants.len() as f64;
    let size = slice_size(puzzles.len(), threads, seconds_a_turn / slowest.max(1e-12));
    let mut deck = Deck::new(puzzles, options);
    let rounds = Rounds { stage: "measuring", time: options.time, fewest: FEWEST_ROUNDS, watch };
    let mut slice = Vec::with_capacity(size);
    let taken = rounds.take(
        &mut entrants,
        &mut slice,
        |slice| deck.deal(size, slice),
        |contender, slice| {
            let time = contender.solve(slice, &options.limits)?;
            contender.record_times();
            Ok(time)
        },
    )?;
    let rows = entrants.into_iter().zip(scores).map(|(entrant, score)| row_of(entrant, &score, size, count));
    let table = BenchTable::new(TableKind::InProcess, puzzles.len(), rows.collect(), taken, size);
    Ok((table, verdicts))
}

/// The row of a contender that solved `count` puzzles in the warm-up and slices of `size` in the rounds.
fn row_of(entrant: Entrant<Contender>, score: &Score, size: usize, count: f64) -> BenchRow {
    let Entrant { contender, seconds, failure } = entrant;
    let mut row = contender.into_row(seconds, failure, size);
    if row.puzzles_per_second.is_some() {
        row.guesses_per_puzzle = Some(score.guesses as f64 / count);
        row.percent_without_guess = Some(100.0 * score.without_guess as f64 / count);
        row.unfinished = Some(score.unfinished);
    }
    row
}

/// Makes all turns as long as those of the slowest contender that did not fail, and returns its time per puzzle.
fn set_passes(
    entrants: &mut [Entrant<Contender>],
    seconds_a_puzzle: impl Iterator<Item = f64> + Clone,
) -> f64 {
    let left = entrants.iter().zip(seconds_a_puzzle.clone()).filter(|(entrant, _)| entrant.failure.is_none());
    let slowest = left.map(|(_, seconds)| seconds).fold(0.0, f64::max);
    for (entrant, seconds) in entrants.iter_mut().zip(seconds_a_puzzle) {
        let passes = (slowest / seconds.max(1e-12)).round().clamp(1.0, MOST_PASSES);
        entrant.contender.passes = passes as usize;
    }
    slowest
}

/// Puzzles of a slice: as many as fill the lanes, but fewer if only `in_time` of them fit into a turn.
fn slice_size(puzzles: usize, threads: usize, in_time: f64) -> usize {
    let fewest = puzzles.min(SMALLEST_SLICE * threads);
    (in_time as usize).clamp(fewest, largest_slice(threads))
}

/// Puzzles of a slice that fill the lanes of all threads.
const fn largest_slice(threads: usize) -> usize {
    if threads == 1 { SLICE } else { SLICE * PARTS_A_THREAD * threads }
}

/// Deals the puzzles in order, again and again.
struct Deck<'a> {
    puzzles: &'a [Grid],
    next: usize,
    /// Draws the isomorphs if there are to be any.
    rng: Option<Xoshiro256PlusPlus>,
}

impl<'a> Deck<'a> {
    fn new(puzzles: &'a [Grid], options: &MeasureOptions) -> Self {
        // Not the same random numbers that shuffled the puzzles.
        let rng = options.permute.then(|| Xoshiro256PlusPlus::seed_from_u64(!options.seed));
        Self { puzzles, next: 0, rng }
    }

    fn deal(&mut self, size: usize, slice: &mut Vec<Grid>) {
        slice.clear();
        while slice.len() < size {
            let puzzle = &self.puzzles[self.next];
            self.next = (self.next + 1) % self.puzzles.len();
            slice.push(self.rng.as_mut().map_or(*puzzle, |rng| Symmetry::random(rng).apply(puzzle)));
        }
    }
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

    fn options(permute: bool) -> MeasureOptions {
        MeasureOptions { limits: Limits::default(), time: Duration::ZERO, seed: 7, permute }
    }

    #[test]
    fn the_deck_goes_round() {
        let puzzles = [puzzle(1), puzzle(2), puzzle(3)];
        let mut deck = Deck::new(&puzzles, &options(false));
        let mut slice = Vec::new();
        deck.deal(4, &mut slice);
        assert_eq!(slice, [1, 2, 3, 1].map(puzzle));
        deck.deal(4, &mut slice);
        assert_eq!(slice, [2, 3, 1, 2].map(puzzle));
    }

    #[test]
    fn a_permuted_deck_deals_fresh_isomorphs_the_same_for_a_seed() {
        let puzzles = [puzzle(1)];
        let deal = || {
            let mut slice = Vec::new();
            Deck::new(&puzzles, &options(true)).deal(100, &mut slice);
            slice
        };
        let slice = deal();
        assert!(slice.iter().all(|puzzle| puzzle.clues() == 1));
        assert!(slice.iter().collect::<BTreeSet<_>>().len() > 60);
        assert_eq!(slice, deal());
    }

    #[test]
    fn slices_fill_the_lanes_unless_that_takes_too_long() {
        assert_eq!(slice_size(49_158, 1, 1e6), 5000);
        assert_eq!(slice_size(49_158, 4, 1e6), 80_000);
        assert_eq!(slice_size(49_158, 1, 2500.0), 2500);
        assert_eq!(slice_size(49_158, 1, 3.0), 1000);
        // Few puzzles are dealt several times, but not if they are slow.
        assert_eq!(slice_size(10, 1, 1e6), 5000);
        assert_eq!(slice_size(10, 1, 3.0), 10);
    }

    #[test]
    fn turns_are_made_as_long_as_those_of_the_slowest() {
        let contender = || Contender::of_backend(Backend::SCALAR, NonZeroUsize::MIN).unwrap();
        let mut entrants: Vec<_> = (0..4).map(|_| Entrant::new(contender())).collect();
        entrants[3].fail("too slow anyway".to_owned());
        assert_eq!(set_passes(&mut entrants, [1e-6, 8e-6, 3e-6, 1.0].into_iter()), 8e-6);
        let passes: Vec<_> = entrants.iter().map(|entrant| entrant.contender.passes).collect();
        assert_eq!(passes[..3], [8, 1, 3]);
        set_passes(&mut entrants, [0.0, 8e-6, 3e-6, 1.0].into_iter());
        assert_eq!(entrants[0].contender.passes, 100);
    }
}
