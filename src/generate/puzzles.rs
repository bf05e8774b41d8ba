//! Random puzzles, generated many at a time.
//!
//! A puzzle starts as a [random grid](full_grid); all grids are equally likely. Clues are then removed in random order,
//! as long as there is only one solution. For a given seed, puzzle `n` depends only on `n` and the spec, regardless of
//! the threads, the backend and the other puzzles.
//!
//! **Bias.** Such walks find minimal puzzles with few clues more often than a uniform draw would (forum thread *The
//! real distribution of minimal puzzles*). The puzzles made here have 24.4 clues on average, whereas all minimal
//! puzzles have 26.6. [`Generated::weight`] corrects for this.

use std::collections::VecDeque;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::full_grid::full_grid;
use super::reduce::{Descent, Reducer};
use crate::solver::Backend;
use crate::sudoku::random::{below, shuffle, spread};
use crate::sudoku::{CELLS, CellSet, Grid, Symmetry};

/// The symmetry of a clue pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternSymmetry {
    /// No symmetry is requested.
    #[default]
    None,
    /// A half turn leaves the pattern unchanged.
    Rotate180,
    /// A quarter turn leaves the pattern unchanged.
    Rotate90,
    /// The left and right halves mirror each other.
    Mirror,
    /// The top and bottom halves mirror each other.
    Flip,
    /// The pattern is symmetric about the main diagonal.
    Diagonal,
    /// The pattern is symmetric about the other diagonal.
    Antidiagonal,
    /// The pattern has all eight symmetries of the square.
    Full,
}

impl PatternSymmetry {
    /// Returns the groups of cells; each group must be either all clues or all blanks.
    fn groups(self) -> Vec<CellSet> {
        type Move = fn(usize, usize) -> (usize, usize);
        let moves: &[Move] = match self {
            Self::None => &[],
            Self::Rotate180 => &[|row, column| (8 - row, 8 - column)],
            Self::Rotate90 => &[|row, column| (column, 8 - row)],
            Self::Mirror => &[|row, column| (row, 8 - column)],
            Self::Flip => &[|row, column| (8 - row, column)],
            Self::Diagonal => &[|row, column| (column, row)],
            Self::Antidiagonal => &[|row, column| (8 - column, 8 - row)],
            Self::Full => &[|row, column| (column, 8 - row), |row, column| (column, row)],
        };
        let (mut groups, mut left) = (Vec::new(), CellSet::ALL);
        while !left.is_empty() {
            let (mut group, mut open) = (CellSet::EMPTY, CellSet::of(left.first()));
            while !open.is_empty() {
                group |= open;
                let moved = open.iter().flat_map(|cell| moves.iter().map(move |to| to(cell / 9, cell % 9)));
                open = moved.map(|(row, column)| 9 * row + column).collect::<CellSet>() & !group;
            }
            left &= !group;
            groups.push(group);
        }
        groups
    }
}

/// A request for variations of known puzzles, in which some clues are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variation {
    /// The known puzzles, one of which is chosen at random each time.
    pub puzzles: Arc<[Grid]>,
    /// The number of clues to remove; as many new ones as necessary replace them.
    pub changes: usize,
}

impl Variation {
    /// Requests variations of these puzzles, with this number of clues changed in each.
    #[must_use]
    pub const fn new(puzzles: Arc<[Grid]>, changes: usize) -> Self {
        Self { puzzles, changes }
    }
}

/// The constraints on puzzles.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PuzzleSpec {
    /// The range that the number of clues must be in.
    pub clues: RangeInclusive<u32>,
    /// The symmetry of the clue pattern.
    pub symmetry: PatternSymmetry,
    /// The cells that may have clues.
    pub pattern: CellSet,
    /// Whether a puzzle must be minimal: no clue is redundant or, with a symmetry, no group of symmetric clues. If not,
    /// removal stops at a number of clues drawn from [`clues`](Self::clues), or earlier if no more can be removed.
    pub minimal: bool,
    /// The puzzles that the new ones must be close to, if any. If so, symmetry and pattern are ignored.
    pub near: Option<Variation>,
    /// Whether to compute the [weight](Generated::weight) of minimal puzzles, which takes five times as long.
    pub weighted: bool,
    /// The maximum number of grids to try for each puzzle.
    pub tries: u64,
}

impl Default for PuzzleSpec {
    /// Returns a spec for minimal puzzles with no other constraints.
    fn default() -> Self {
        Self {
            clues: 0..=CELLS as u32,
            symmetry: PatternSymmetry::None,
            pattern: CellSet::ALL,
            minimal: true,
            near: None,
            weighted: false,
            tries: 1_000_000,
        }
    }
}

impl PuzzleSpec {
    /// Returns the groups of cells that may have clues; each group must be either all clues or all blanks.
    fn groups(&self) -> Vec<CellSet> {
        let groups = self.symmetry.groups();
        // If a cell's group has cells outside the pattern, the cell is always blank.
        groups.into_iter().filter(|group| group.is_within(self.pattern)).collect()
    }

    /// Returns the clue counts that groups of cells can add up to, as bits. [`clues`](Self::clues) is ignored.
    #[cfg(feature = "io")]
    pub(crate) fn sums(&self) -> u128 {
        if self.near.is_some() {
            return (1 << (CELLS + 1)) - 1;
        }
        self.groups().iter().fold(1, |sums, group| sums | sums << group.count())
    }
}

/// A generated puzzle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Generated {
    /// The puzzle.
    pub puzzle: Grid,
    /// The only solution of the puzzle.
    pub solution: Grid,
    /// The weight: an estimate of how many minimal puzzles of its grid this puzzle stands for. It is given only if the
    /// grid was the first one tried. Averaged over many puzzles, the weights of those with some property are an
    /// unbiased estimate of how many a grid has on average. Weighted means remain correct if some puzzles are
    /// discarded. This is Knuth's estimator (1975) for the size of a tree. Berthier's controlled-bias method would need
    /// a million times as many grids.
    pub weight: Option<f64>,
}

/// A generator of puzzles, with the working memory of one thread.
pub struct Generator {
    reducer: Reducer,
    spec: PuzzleSpec,
    groups: Vec<CellSet>,
    seed: u64,
    stop: Arc<AtomicBool>,
}

/// The number of grids that are tried side by side, which is enough to keep the lanes full.
pub(crate) const AT_ONCE: usize = 1 << 10;

/// A grid to try for a certain puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Try {
    /// The number of the puzzle.
    pub number: u64,
    /// The number of the grid, counted from 0 for each puzzle.
    pub grid: u64,
}

/// A search for consecutively numbered puzzles. For each number, the first grid that yields a puzzle is used.
#[derive(Debug)]
pub(crate) struct OpenPuzzles {
    /// The number of the first puzzle.
    first: u64,
    /// For each puzzle, the number of grids tried so far, and the puzzle if one was found.
    puzzles: VecDeque<(u64, Option<Generated>)>,
    /// The maximum number of grids to try for each puzzle.
    most: u64,
}

impl OpenPuzzles {
    /// Starts a search for these puzzles.
    pub fn new(numbers: Range<u64>, spec: &PuzzleSpec) -> Self {
        let most = if spec.clues.is_empty() { 0 } else { spec.tries };
        let first = numbers.start;
        Self { first, puzzles: numbers.map(|_| (0, None)).collect(), most }
    }

    /// Returns the number of the first puzzle that has not been taken yet.
    #[cfg(feature = "io")]
    pub const fn first(&self) -> u64 {
        self.first
    }

    /// Returns the next grids to try, at most `most` of them. The grids are for the first open puzzles; each puzzle
    /// gets half as many grids as it has already tried.
    pub fn tries(&self, most: usize) -> Vec<Try> {
        let open = (self.first..).zip(&self.puzzles).filter(|(_, (_, found))| found.is_none());
        let grids = open.flat_map(|(number, &(tried, _))| {
            let end = self.most.min(tried + (tried / 2).max(1));
            (tried..end).map(move |grid| Try { number, grid })
        });
        grids.take(most).collect()
    }

    /// Records the results of these tries, in order.
    pub fn take(&mut self, tries: &[Try], found: impl IntoIterator<Item = (Try, Generated)>) {
        for Try { number, grid } in tries {
            self.puzzles[(number - self.first) as usize].0 = grid + 1;
        }
        for (Try { number, .. }, made) in found {
            self.puzzles[(number - self.first) as usize].1.get_or_insert(made);
        }
    }

    /// Removes the first puzzle if it has been found or all its grids have failed; returns `None` while it is open or
    /// if there is none.
    #[cfg(feature = "io")]
    pub fn next(&mut self) -> Option<Option<Generated>> {
        let (_, found) =
            self.puzzles.pop_front_if(|(tried, found)| found.is_some() || *tried >= self.most)?;
        self.first += 1;
        Some(found)
    }
}

/// A puzzle in the making.
struct Draft {
    of: Try,
    /// The known puzzle that the new one must be close to, if any.
    base: Option<Grid>,
    /// The removal of clues.
    descent: Descent,
}

impl Generator {
    /// Makes a generator for the puzzles of a seed.
    #[must_use]
    pub fn new(seed: u64, spec: PuzzleSpec, backend: Backend) -> Self {
        let groups = spec.groups();
        Self { reducer: Reducer::new(backend), spec, groups, seed: spread(seed), stop: Arc::default() }
    }

    /// Sets a flag: once it is raised, no more puzzles are found.
    pub fn stop_on(&mut self, flag: Arc<AtomicBool>) {
        self.reducer.stop_on(Arc::clone(&flag));
        self.stop = flag;
    }

    /// Returns the puzzles with these numbers, or `None` where none of the grids tried yielded one. Calls for about a
    /// thousand puzzles are fastest.
    pub fn puzzles(&mut self, numbers: Range<u64>) -> Vec<Option<Generated>> {
        self.puzzles_where(numbers, |made| vec![true; made.len()])
    }

    /// Returns the accepted puzzles with these numbers, or `None` where none of the grids tried yielded one. Each call
    /// to `accepts` receives many puzzles.
    pub fn puzzles_where(
        &mut self,
        numbers: Range<u64>,
        mut accepts: impl FnMut(&[Generated]) -> Vec<bool>,
    ) -> Vec<Option<Generated>> {
        let mut search = OpenPuzzles::new(numbers.clone(), &self.spec);
        while !self.stop.load(Ordering::Relaxed) {
            let tries = search.tries(AT_ONCE);
            if tries.is_empty() {
                break;
            }
            let (of, made): (Vec<_>, Vec<_>) = self.make(&tries).into_iter().unzip();
            let accepted = accepts(&made);
            // Once the flag is raised, the results of a search are invalid.
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            let accepted = of.into_iter().zip(made).zip(accepted).filter(|(_, is_accepted)| *is_accepted);
            search.take(&tries, accepted.map(|(made, _)| made));
        }
        search.puzzles.into_iter().map(|(_, found)| found).collect()
    }

    fn rng_of(&self, Try { number, grid }: Try) -> Xoshiro256PlusPlus {
        let numbered = spread(self.seed.wrapping_add(number));
        Xoshiro256PlusPlus::seed_from_u64(numbered ^ spread(grid))
    }

    /// Makes a puzzle from each of these grids, and drops puzzles that do not fit the spec.
    pub(crate) fn make(&mut self, tries: &[Try]) -> Vec<(Try, Generated)> {
        let rngs = tries.iter().map(|&of| (of, self.rng_of(of))).collect();
        let mut drafts = match &self.spec.near {
            None => self.drafts_of_grids(rngs),
            Some(near) => drafts_near(&mut self.reducer, near, rngs),
        };
        self.reducer.descend(drafts.iter_mut().map(|draft| &mut draft.descent));
        drafts.retain(|Draft { base, descent: Descent { puzzle, .. }, .. }| {
            self.spec.clues.contains(&puzzle.clues()) && *base != Some(*puzzle)
        });
        let weights = if self.spec.weighted && self.spec.minimal {
            self.reducer.weights(drafts.iter().map(|draft| &draft.descent))
        } else {
            Vec::new()
        };
        let mut weights = weights.into_iter();
        let made =
            drafts.into_iter().map(|Draft { of, descent: Descent { puzzle, solution, .. }, .. }| {
                (of, Generated { puzzle, solution, weight: weights.next() })
            });
        made.collect()
    }

    /// Makes random grids in which cells that may not have clues are blank, and puts the other cells in random order.
    /// Grids that no longer have exactly one solution are dropped.
    fn drafts_of_grids(&mut self, rngs: Vec<(Try, Xoshiro256PlusPlus)>) -> Vec<Draft> {
        let cells = self.groups.iter().fold(CellSet::EMPTY, |cells, &group| cells | group);
        let start = |(of, mut rng): (Try, Xoshiro256PlusPlus)| {
            let solution = full_grid(&mut rng);
            let mut groups = self.groups.clone();
            shuffle(&mut groups, &mut rng);
            let least = self.least(&mut rng);
            let descent = Descent::new(solution.keep(cells), solution, &groups, least);
            Draft { of, base: None, descent }
        };
        let mut drafts: Vec<Draft> = rngs.into_iter().map(start).collect();
        if cells != CellSet::ALL {
            let puzzles: Vec<_> = drafts.iter().map(|draft| draft.descent.puzzle).collect();
            let mut solutions = self.reducer.solutions(&puzzles).into_iter();
            drafts.retain(|_| solutions.next().is_some_and(|found| found.is_some()));
        }
        drafts
    }

    /// Returns the number of clues at which removal stops.
    fn least(&self, rng: &mut impl Rng) -> u32 {
        let most = CELLS.min(*self.spec.clues.end() as usize) as u32;
        let fewest = most.min(*self.spec.clues.start());
        if self.spec.minimal { 0 } else { fewest + below(rng, (most - fewest + 1) as usize) as u32 }
    }
}

/// Makes drafts from known puzzles by removing some clues and choosing a random solution of what is left. The other
/// cells come first in the order, so known clues stay if they are needed.
fn drafts_near(reducer: &mut Reducer, near: &Variation, rngs: Vec<(Try, Xoshiro256PlusPlus)>) -> Vec<Draft> {
    let begin = |(of, mut rng): (Try, Xoshiro256PlusPlus)| {
        let base = *near.puzzles.get(below(&mut rng, near.puzzles.len()))?;
        let mut clues: Vec<_> = base.clue_cells().iter().collect();
        shuffle(&mut clues, &mut rng);
        let mut puzzle = base;
        clues.into_iter().take(near.changes).for_each(|cell| puzzle.set(cell, 0));
        Some((of, base, puzzle, Symmetry::random(&mut rng), rng))
    };
    let begun: Vec<_> = rngs.into_iter().filter_map(begin).collect();
    // Mapped back, the smallest solution of a random isomorph is a random solution of the puzzle.
    let turned: Vec<_> = begun.iter().map(|(_, _, puzzle, symmetry, _)| symmetry.apply(puzzle)).collect();
    let solutions = reducer.smallest_solutions(&turned);
    let drafts = begun.into_iter().zip(solutions).filter_map(|((of, base, puzzle, symmetry, rng), found)| {
        let (solution, mut rng) = (symmetry.inverse().apply(&found?), rng);
        let kept = puzzle.clue_cells();
        let order = [!kept, kept].map(|set| {
            let mut cells: Vec<_> = set.iter().map(CellSet::of).collect();
            shuffle(&mut cells, &mut rng);
            cells
        });
        let descent = Descent::new(solution, solution, &order.concat(), 0);
        Some(Draft { of, base: Some(base), descent })
    });
    drafts.collect()
}

#[cfg(test)]
mod tests;
