//! The scalar solver: a bitmask search over digit-by-band bitboards.
//!
//! **Layout** (Zhou Yundong, 2012). A grid has 729 candidates: 9 digits in each of 81 cells. They are stored in 27
//! words, one for each digit and band. Bit `9 * row + column` of a word is set if the digit is a candidate for that
//! cell. Rows are counted within the band. A `Bands` holds the three words of a digit, so one operation acts on all
//! three bands. Its fourth lane is padding and stays 0.
//!
//! **Rules.** The following rules are applied to every digit that has changed, until nothing changes any more:
//!
//! - *Locked candidates along rows.* In a band, the digit takes one minirow in each row and one in each box. A minirow
//!   survives only if the other two rows can take the other two boxes. This matching rule covers both pointing and
//!   claiming.
//! - *Locked candidates along columns.* The same rule applies to minicolumns, stacks and bands.
//! - *Hidden singles.* If a digit has one place left in a box, that cell gets the digit. Once the matching rules find
//!   nothing more, a digit's only place in a row or column is also its only place in the box.
//! - *Naked singles.* Bit-sliced counters over the nine digits find the cells that have one candidate left. Each one
//!   clears its digit from its box, and the matching rules then clear it from the row and column.
//!
//! **Branching.** If nothing changes any more and a cell is still open, the search takes the bivalue cell with the most
//! open peers. If there is no bivalue cell, it takes a cell with the fewest candidates. It asserts one of the cell's
//! candidates. The alternative, which is the same state without that candidate, goes onto a stack. Each such choice
//! counts as one guess.
//!
//! **Soundness.** Every rule removes only candidates that no solution contains. If nothing changes any more and every
//! cell has one candidate, the state is a solution. The rules guarantee that every digit keeps a place in each row,
//! column and box. So if 81 cells have 81 candidates, each house has each digit once. Both children of a branch have
//! fewer candidates than their parent, so the search ends.

mod solutions;

pub use self::solutions::Solutions;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use wide::{u8x16, u32x4};

use super::{Answers, BatchSolver, Deadline, Limits, Outcome, Verdict, Wanted};
use crate::sudoku::{CELLS, Grid, are_peers};

/// The number of guesses between checks of the stop flag; this many take less than a millisecond.
const GUESSES_BETWEEN_LOOKS: u64 = 256;

/// Three words, one per band, plus a fourth as padding.
type Bands = u32x4;

/// The 27 cells of a band, as bits.
const BAND: u32 = (1 << 27) - 1;
/// The first cell of each minirow.
const MINIROWS: u32 = 0o111_111_111;
/// The cells of the first row.
const ROW: u32 = 0o777;

const NONE: Bands = Bands::ZERO;
const ALL: Bands = Bands::new([BAND, BAND, BAND, 0]);

#[inline(always)]
fn mask(word: Bands, bits: u32) -> Bands {
    word & Bands::splat(bits)
}

/// Moves each band to the place of the band before it.
#[inline(always)]
fn next_band(word: Bands) -> Bands {
    let [a, b, c, d] = word.to_array();
    Bands::new([b, c, a, d])
}

/// Rotates each of the nine groups of three adjacent bits by one place.
#[inline(always)]
fn turn_triples(word: Bands) -> Bands {
    mask(word << 1, 0o666_666_666) | mask(word >> 2, 0o111_111_111)
}

/// Calls `f` for each cell whose bit is set, in order.
#[inline(always)]
fn for_each_cell(cells: Bands, mut f: impl FnMut(usize)) {
    let words = cells.to_array();
    for (first, mut word) in [(0, words[0]), (27, words[1]), (54, words[2])] {
        while word != 0 {
            f(first + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
}

#[inline(always)]
fn contains(cells: Bands, cell: usize) -> bool {
    cells & CELL[cell] != NONE
}

/// For each cell, the set that contains only that cell.
static CELL: [Bands; CELLS] = {
    let mut table = [NONE; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let mut words = [0; 4];
        words[cell / 27] = 1 << (cell % 27);
        table[cell] = Bands::new(words);
        cell += 1;
    }
    table
};

/// The 20 peers of each cell.
static PEERS: [Bands; CELLS] = {
    let mut table = [NONE; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let mut words = [0; 4];
        let mut other = 0;
        while other < CELLS {
            if are_peers(cell, other) {
                words[other / 27] |= 1 << (other % 27);
            }
            other += 1;
        }
        table[cell] = Bands::new(words);
        cell += 1;
    }
    table
};

/// A node of the search.
#[derive(Clone, Copy, Debug)]
struct ScalarState {
    /// The candidates, by digit.
    candidates: [Bands; 9],
    /// The cells whose digit is known.
    placed: Bands,
    /// The placed cells whose digit is still a candidate elsewhere in their box.
    naked: Bands,
    /// The digits to which the rules still have to be applied, as bits.
    dirty: u32,
}

/// The finding that a state has no solution.
struct Contradiction;

impl ScalarState {
    /// Returns the state with the puzzle's clues placed.
    fn new(puzzle: &Grid) -> Self {
        let clues = clue_masks(puzzle);
        let placed = clues.iter().fold(NONE, |all, &clues| all | clues);
        let candidates = clues.map(|clues| !placed & ALL | clues);
        Self { candidates, placed, naked: placed, dirty: 0o777 }
    }

    /// Applies all rules until nothing changes.
    #[inline(always)]
    fn propagate(&mut self) -> Result<(), Contradiction> {
        while self.dirty != 0 {
            let mut hidden = [NONE; 9];
            let mut all_hidden = NONE;
            let mut twice_hidden = NONE;
            let mut empty = NONE;
            let mut dirty = 0;
            while self.dirty != 0 {
                let digit = self.dirty.trailing_zeros() as usize;
                self.dirty &= self.dirty - 1;
                let before = self.candidates[digit];
                let (after, singles) = narrow(before, before & self.naked);
                self.candidates[digit] = after;
                dirty |= u32::from(after != before) << digit;
                empty |= after.simd_eq(NONE);
                let singles = singles & !self.placed;
                hidden[digit] = singles;
                twice_hidden |= all_hidden & singles;
                all_hidden |= singles;
            }
            if empty.to_bitmask() & 0b0111 != 0 || twice_hidden != NONE {
                return Err(Contradiction);
            }
            let mut once = NONE;
            let mut twice = NONE;
            for (candidates, hidden) in self.candidates.iter_mut().zip(&mut hidden) {
                let lost = *candidates & all_hidden & !*hidden;
                *candidates &= !lost;
                *hidden = lost;
                twice |= once & *candidates;
                once |= *candidates;
            }
            if once != ALL {
                return Err(Contradiction);
            }
            let single = once & !twice;
            self.naked = single & !(self.placed | all_hidden);
            self.placed = single;
            for (digit, (&candidates, &lost)) in self.candidates.iter().zip(&hidden).enumerate() {
                let touched = lost | candidates & self.naked;
                dirty |= u32::from(touched != NONE) << digit;
            }
            self.dirty = dirty;
        }
        Ok(())
    }

    /// Returns the cell and digit to branch on, or `None` if the state is solved. The rules must have nothing left to
    /// change.
    #[inline(always)]
    fn branch(&self) -> Option<(usize, usize)> {
        let open = !self.placed & ALL;
        if open == NONE {
            return None;
        }
        let mut once = NONE;
        let mut twice = NONE;
        let mut thrice = NONE;
        for candidates in self.candidates {
            thrice |= twice & candidates;
            twice |= once & candidates;
            once |= candidates;
        }
        let bivalue = twice & !thrice;
        let cell =
            if bivalue == NONE { self.fewest_candidates(open) } else { most_open_peers(bivalue, open) };
        let digit = (0..9)
            .find(|&digit| contains(self.candidates[digit], cell))
            .expect("an open cell has candidates");
        Some((cell, digit))
    }

    /// Returns the first cell in `among` with the fewest candidates.
    fn fewest_candidates(&self, among: Bands) -> usize {
        let (mut best, mut fewest) = (0, usize::MAX);
        for_each_cell(among, |cell| {
            let count = self.candidates.iter().filter(|&&digit| contains(digit, cell)).count();
            if count < fewest {
                (best, fewest) = (cell, count);
            }
        });
        best
    }

    /// Sets the digit of a cell.
    #[inline(always)]
    fn take(&mut self, cell: usize, digit: usize) {
        let cell = CELL[cell];
        for (other, candidates) in self.candidates.iter_mut().enumerate() {
            self.dirty |= u32::from(*candidates & cell != NONE) << other;
            if other != digit {
                *candidates &= !cell;
            }
        }
        self.placed |= cell;
        self.naked |= cell;
    }

    /// Removes one candidate of a cell.
    #[inline(always)]
    fn remove(&mut self, cell: usize, digit: usize) {
        self.candidates[digit] &= !CELL[cell];
        self.dirty |= 1 << digit;
    }

    /// Returns the solution of a state in which every cell has one candidate.
    fn solution(&self) -> Grid {
        // Bit planes of the digits, expanded eight cells at a time.
        let mut planes = [NONE; 4];
        for (digit, &candidates) in (1_usize..).zip(&self.candidates) {
            for (bit, plane) in planes.iter_mut().enumerate() {
                if digit >> bit & 1 != 0 {
                    *plane |= candidates;
                }
            }
        }
        let planes = planes.map(|plane| {
            let [top, middle, bottom, _] = plane.to_array().map(u128::from);
            top | middle << 27 | bottom << 54
        });
        let mut cells = [0; 88];
        for (group, bytes) in cells.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let spread = |plane: u128| {
                let bits = u64::from((plane >> (8 * group)) as u8) * 0x0101_0101_0101_0101;
                ((bits & 0x8040_2010_0804_0201) + 0x7F7F_7F7F_7F7F_7F7F) >> 7 & 0x0101_0101_0101_0101
            };
            let digits = (0..4).fold(0, |digits, bit| digits | spread(planes[bit]) << bit);
            *bytes = digits.to_le_bytes();
        }
        let cells = *cells.first_chunk().expect("88 bytes hold 81");
        Grid::new(cells).expect("every cell has one candidate, so no digit is above 9")
    }
}

/// Returns, for each digit, the cells of its clues.
fn clue_masks(puzzle: &Grid) -> [Bands; 9] {
    // Each band is loaded as its first 16 cells and its last 16, which overlap by five.
    let halves = [0, 11, 27, 38, 54, 65].map(|first| {
        let (_, rest) = puzzle.cells().split_at(first);
        u8x16::new(*rest.first_chunk().expect("the last half starts 16 cells before the end"))
    });
    std::array::from_fn(|digit| {
        let [a, b, c, d, e, f] = halves.map(|half| half.simd_eq(u8x16::splat(digit as u8 + 1)).to_bitmask());
        Bands::new([a | b << 11, c | d << 11, e | f << 11, 0])
    })
}

/// Applies the rules for one digit. Returns the remaining candidates, and those of them that are alone in their box.
///
/// The cells `naked` hold the digit, so it is removed from their peers. If no matching exists for the digit in a band,
/// the digit loses all its candidates there.
#[inline(always)]
fn narrow(candidates: Bands, naked: Bands) -> (Bands, Bands) {
    let row1 = |word: Bands| word << 9 | word >> 18;
    let row2 = |word: Bands| word << 18 | word >> 9;
    let column1 = turn_triples(mask(naked | naked >> 9 | naked >> 18, ROW));
    let columns = column1 | turn_triples(column1);
    let seen: Bands = columns | columns << 9 | columns << 18 | row1(naked) | row2(naked);
    let candidates = candidates & !seen;

    // Minirows, stored at the bit of their first cell: rows are nine bits apart, boxes three.
    let minirows = mask(candidates | candidates >> 1 | candidates >> 2, MINIROWS);
    let box1 = mask(minirows << 3, 0o110_110_110) | mask(minirows >> 6, 0o001_001_001);
    let box2 = mask(minirows << 6, 0o100_100_100) | mask(minirows >> 3, 0o011_011_011);
    let kept = minirows & (row1(box1) & row2(box2) | row1(box2) & row2(box1));
    let candidates = candidates & (kept | kept << 1 | kept << 2);

    // Minicolumns, stored at the bit of their first cell. In the stack, the other two bands take the other two columns.
    let (top, middle, bottom) = (mask(candidates, ROW), mask(candidates >> 9, ROW), candidates >> 18);
    let minicolumns = top | middle | bottom;
    let column1 = turn_triples(minicolumns);
    let column2 = turn_triples(column1);
    let after_next = |word: Bands| next_band(next_band(word));
    let kept =
        minicolumns & (next_band(column1) & after_next(column2) | next_band(column2) & after_next(column1));
    let candidates = candidates & (kept | kept << 9 | kept << 18);

    // Minicolumns that are alone in their box and have the digit in only one cell.
    let several: Bands = top & middle | (top | middle) & bottom;
    let kept1 = turn_triples(kept);
    let alone = kept & !(kept1 | turn_triples(kept1)) & !several;
    let singles = candidates & (alone | alone << 9 | alone << 18);
    (candidates, singles)
}

/// Returns the first cell in `among` with the most open peers.
fn most_open_peers(among: Bands, open: Bands) -> usize {
    let (mut best, mut most) = (0, None);
    for_each_cell(among, |cell| {
        let peers = open & PEERS[cell];
        let count = peers.to_array().iter().map(|word| word.count_ones()).sum::<u32>();
        if Some(count) > most {
            (best, most) = (cell, Some(count));
        }
    });
    best
}

/// The result of a search.
struct SearchEnd {
    solutions: u64,
    guesses: u64,
    first: Option<Grid>,
    /// Whether `max_guesses`, the deadline or the stop flag ended the search.
    gave_up: bool,
}

/// The scalar solver, which reuses its stack for every puzzle.
///
/// ```
/// use batchdoku::solver::{Limits, scalar::Scalar};
/// use batchdoku::sudoku::Grid;
///
/// let outcome = Scalar::new().solve_one(&Grid::EMPTY, &Limits::default());
/// let smallest = outcome.solution.expect("an empty grid can be solved");
/// assert!(smallest.to_string().starts_with("123456789456789123789123456"));
/// ```
#[derive(Debug, Default)]
pub struct Scalar {
    /// The alternatives that have not been searched yet.
    waiting: Vec<ScalarState>,
    stop: Arc<AtomicBool>,
    deadline: Deadline,
}

impl Scalar {
    /// Returns a solver with an empty stack.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves one puzzle. `time_ns` only covers the search for the smallest of several solutions; if there is no such
    /// search, it is 0.
    pub fn solve_one(&mut self, puzzle: &Grid, limits: &Limits) -> Outcome {
        let mut outcome = Outcome::new(Verdict::Unsolvable);
        let start = ScalarState::new(puzzle);
        self.deadline = Deadline::of(limits);
        let limit = limits.solutions.get();
        let count = self.count(start, limit, limits.max_guesses);
        outcome.solutions = count.solutions;
        outcome.guesses = count.guesses;
        (outcome.verdict, outcome.solution) = match count.solutions {
            _ if count.gave_up => (self.no_verdict(), None),
            0 => (Verdict::Unsolvable, None),
            1 if limit == 1 => (Verdict::Solved, count.first),
            1 => (Verdict::Unique, count.first),
            _ => (Verdict::Multiple, count.first),
        };
        if outcome.verdict == Verdict::Multiple && limits.wanted == Wanted::Smallest {
            self.replace_by_smallest(puzzle, limits, &mut outcome);
        }
        outcome
    }

    /// Returns the verdict of a search that gave up.
    fn no_verdict(&self) -> Verdict {
        if self.stop.load(Ordering::Relaxed) { Verdict::Stopped } else { Verdict::Unfinished }
    }

    /// Replaces the solution of a puzzle that has several with the smallest one. Adds the time taken to `outcome`.
    ///
    /// The verdict becomes [`Verdict::Unfinished`] if the search takes more guesses or time than `limits` allows.
    pub(super) fn replace_by_smallest(&mut self, puzzle: &Grid, limits: &Limits, outcome: &mut Outcome) {
        let before = Instant::now();
        self.deadline = Deadline::of(limits);
        outcome.solution = self.smallest(puzzle, limits.max_guesses);
        if outcome.solution.is_none() {
            outcome.verdict = self.no_verdict();
        }
        outcome.time_ns += nanoseconds(before.elapsed());
    }

    /// Returns the solution of `puzzle` that is smallest as an 81-digit number. Returns `None` if there is no solution,
    /// or if finding it takes more than `max_guesses` guesses.
    ///
    /// Cell by cell, it looks for a solution with a smaller digit there than the best one found so far. There are at
    /// most 729 searches, no matter how many solutions exist.
    fn smallest(&mut self, puzzle: &Grid, max_guesses: Option<u64>) -> Option<Grid> {
        let mut state = ScalarState::new(puzzle);
        let mut left = max_guesses;
        let mut best = self.ask(state, &mut left)?.ok()?;
        for cell in 0..CELLS {
            state.propagate().ok()?;
            for digit in 0..usize::from(best.get(cell)) - 1 {
                if !contains(state.candidates[digit], cell) {
                    continue;
                }
                let mut smaller = state;
                smaller.take(cell, digit);
                if let Ok(solution) = self.ask(smaller, &mut left)? {
                    best = solution;
                    break;
                }
            }
            state.take(cell, usize::from(best.get(cell)) - 1);
        }
        Some(best)
    }

    /// Finds a solution of `state`; returns `None` once all `left` guesses are used up.
    fn ask(&mut self, state: ScalarState, left: &mut Option<u64>) -> Option<Result<Grid, Contradiction>> {
        let count = self.count(state, 1, *left);
        if let Some(left) = left {
            *left -= count.guesses;
        }
        (!count.gave_up).then(|| count.first.ok_or(Contradiction))
    }

    /// Counts the solutions of `start`, up to `limit`.
    fn count(&mut self, start: ScalarState, limit: u64, max_guesses: Option<u64>) -> SearchEnd {
        let mut count = SearchEnd { solutions: 0, guesses: 0, first: None, gave_up: false };
        self.waiting.clear();
        self.waiting.push(start);
        while let Some(mut state) = self.waiting.pop() {
            while state.propagate().is_ok() {
                let Some((cell, digit)) = state.branch() else {
                    count.solutions += 1;
                    count.first.get_or_insert_with(|| state.solution());
                    if count.solutions == limit {
                        return count;
                    }
                    break;
                };
                let stopped = count.guesses.is_multiple_of(GUESSES_BETWEEN_LOOKS)
                    && (self.stop.load(Ordering::Relaxed) || self.deadline.is_over());
                if stopped || max_guesses == Some(count.guesses) {
                    count.gave_up = true;
                    return count;
                }
                count.guesses += 1;
                let mut other = state;
                other.remove(cell, digit);
                self.waiting.push(other);
                state.take(cell, digit);
            }
        }
        count
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl BatchSolver for Scalar {
    fn solve(&mut self, puzzles: &[Grid], limits: &Limits, answers: &mut Answers) {
        let mut before = Instant::now();
        for puzzle in puzzles {
            let mut outcome = self.solve_one(puzzle, limits);
            let after = Instant::now();
            outcome.time_ns = nanoseconds(after - before);
            before = after;
            answers.push(outcome);
        }
    }

    fn stop_on(&mut self, flag: Arc<AtomicBool>) {
        self.stop = flag;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nine clues leave no digit for the last cell of the row.
    #[test]
    fn a_cell_without_a_digit_is_unsolvable() {
        let puzzle = format!("12345678.........9{}", ".".repeat(63)).parse().unwrap();
        let outcome = Scalar::new().solve_one(&puzzle, &Limits::default());
        assert_eq!((outcome.verdict, outcome.guesses), (Verdict::Unsolvable, 0));
    }

    #[test]
    fn max_guesses_ends_a_search_and_says_so() {
        let limits = Limits { max_guesses: Some(3), ..Limits::default() };
        let outcome = Scalar::new().solve_one(&Grid::EMPTY, &limits);
        assert_eq!((outcome.verdict, outcome.guesses, outcome.solution), (Verdict::Unfinished, 3, None));
    }
}
