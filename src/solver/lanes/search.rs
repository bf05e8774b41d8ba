//! A depth-first search in every lane.
//!
//! The loop is: one [`round`](super::pass::round) for all lanes, then, once enough lanes need it, an *event*:
//!
//! - a dead lane goes back to its last alternative; without one its puzzle is finished;
//! - a solved lane counts a solution, then does the same, or is finished if enough are known: a few more
//!   than the limit, because most puzzles with several solutions have few, and the smallest is wanted;
//! - a stuck lane branches: its state is put aside and goes on with one minirow asserted; the
//!   alternative, for later, is the same state with the minirow removed;
//! - a lane whose puzzle is finished is loaded with the next one.
//!
//! Lanes in need wait for the event; their state does not move meanwhile (it is at rest, or dead for
//! good), so what they find does not depend on the wait, nor on the neighbours.
//!
//! **Stack.** Alternatives put aside at one event share a *row*: all lanes are stored, without a mask, and each
//! row knows which lanes still need it and, for each, the row below. Rows come from a free list. Lanes
//! going back to the same row are blended out of it together; those that died fast mostly share one.
//!
//! **Termination.** A pass only removes candidates. A lane waits for nothing but a number of rounds in
//! each of which some other lane lost a candidate. A lane that is not open has every digit once in every
//! box and one digit in every cell; unless two of a digit share a row or column, it is solved. An open
//! lane at rest branches, if it has a digit that is free in some band or stack, and both
//! children have fewer candidates; if not, it is solved. At most 729 candidates bound the depth.

use std::time::Instant;

use super::branch::choose;
use super::codec::{decode, encode};
use super::pass::{State, WORDS, clashing, round};
use super::vector::{Lanes, MAX_LANES};
use crate::grid::{CELLS, Grid};
use crate::solver::{Limits, Outcome, Verdict};

/// Solutions that a lane lists beyond the limit, and guesses that it spends on that, to see which of a few
/// is the smallest. With more of either it leaves the question to others.
const LISTED: u64 = 30;
const LISTING_GUESSES: u64 = 60;

/// The end of a lane's stack.
const NO_ROW: u32 = u32::MAX;

const BLANK: [u8; CELLS] = [0; CELLS];

/// Alternatives put aside at one event.
struct Row<V> {
    state: State<V>,
    /// The next row down each lane's stack.
    below: V,
    /// The lanes that will come back for their alternative.
    lanes: u32,
}

/// What a lane does.
#[derive(Clone, Copy)]
struct Lane {
    puzzle: usize,
    /// Guesses up to the limit of solutions.
    guesses: u64,
    /// Guesses beyond it.
    listing_guesses: u64,
    solutions: u64,
    /// What [`Shares`] had given when the puzzle was loaded.
    since: f64,
}

impl Lane {
    const FRESH: Self = Self { puzzle: 0, guesses: 0, listing_guesses: 0, solutions: 0, since: 0.0 };
}

/// The working memory of one thread's lanes, kept from call to call.
pub(super) struct Search<V> {
    state: State<V>,
    /// Decoded puzzles not yet in a lane.
    fresh: State<V>,
    /// Solutions not yet written out, and whose they are.
    solved: State<V>,
    solved_puzzles: [usize; MAX_LANES],
    solved_len: usize,
    /// Their digits, 81 a row.
    digits: [[u8; 96]; MAX_LANES],
    rows: Vec<Row<V>>,
    free_rows: Vec<u32>,
    /// The row on top of each lane's stack.
    top: V,
    lanes: [Lane; MAX_LANES],
}

impl<V: Lanes> Search<V> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        let nothing = [V::splat(0); WORDS];
        Self {
            state: nothing,
            fresh: nothing,
            solved: nothing,
            solved_puzzles: [0; MAX_LANES],
            solved_len: 0,
            digits: [[0; 96]; MAX_LANES],
            rows: Vec::new(),
            free_rows: Vec::new(),
            top: V::splat(NO_ROW),
            lanes: [Lane::FRESH; MAX_LANES],
        }
    }

    /// Solves `puzzles` and fills `outcomes`, which is as long; its elements must have no solution.
    ///
    /// The numbers of the puzzles with so many solutions that the one given may not be the smallest go to
    /// `unsure`.
    #[inline(always)]
    pub(super) fn run(
        &mut self,
        puzzles: &[Grid],
        limits: &Limits,
        outcomes: &mut [Outcome],
        unsure: &mut Vec<usize>,
    ) {
        let limit = limits.solutions.get();
        // A single solution is any; of several the smallest is wanted.
        let most_listed = if limit == 1 { 1 } else { limit.saturating_add(LISTED) };
        let max_guesses = limits.max_guesses.unwrap_or(u64::MAX);
        let max_listing_guesses = max_guesses.min(LISTING_GUESSES);
        let mut supply = Supply { puzzles, next: 0, first: 0, used: 0, len: 0 };
        let mut shares = Shares::start();
        let mut unfinished = Vec::new();

        let mut occupied = self.load(&mut supply, 0, shares.given);
        shares.divide(occupied);
        let mut dead = 0;
        // Above zero while of late more than two lanes died or branched for each that was solved. Many plain
        // passes suit easy puzzles; how many there are changes nothing but the time.
        let mut hardness = 0;
        while occupied != 0 {
            let plain_passes = if hardness > 0 { 2 } else { 3 };
            let findings = round(&mut self.state, plain_passes);
            shares.round();
            dead |= findings.dead & occupied;
            let alive = occupied & !dead;
            let stuck = alive & !findings.changed;
            let closed = alive & !findings.open;
            let ready = dead | stuck | closed;
            if ready.count_ones() * 4 < occupied.count_ones() {
                continue;
            }

            let (hard, easy) = ((ready & !closed).count_ones(), closed.count_ones());
            hardness += 16 * (hard as i32 - 2 * easy as i32) - hardness / 16;

            // Lanes that go back, and lanes whose puzzle is finished.
            let mut back = dead;
            let mut finished = 0;
            let mut given_up = 0;
            let mut solved = closed;
            if closed & findings.changed != 0 {
                let clash = closed & clashing(&self.state);
                back |= clash;
                solved &= !clash;
            }

            let branching = stuck & !closed;
            if branching != 0 {
                let choice = choose(&self.state);
                solved |= branching & choice.nothing;
                let mut open = branching & !choice.nothing;
                for i in lanes_of(open) {
                    let lane = &mut self.lanes[i];
                    let (guesses, most) = if lane.solutions < limit {
                        (&mut lane.guesses, max_guesses)
                    } else {
                        (&mut lane.listing_guesses, max_listing_guesses)
                    };
                    if *guesses == most {
                        given_up |= 1 << i;
                    } else {
                        *guesses += 1;
                    }
                }
                open &= !given_up;
                if open != 0 {
                    let row_number = self.take_row();
                    let row = &mut self.rows[row_number as usize];
                    choice.branch(open, &mut self.state, &mut row.state);
                    row.below = self.top;
                    row.lanes = open;
                    self.top = self.top.blend(open, V::splat(row_number));
                }
            }

            if solved != 0 {
                for i in lanes_of(solved) {
                    let lane = &mut self.lanes[i];
                    lane.solutions += 1;
                    if lane.solutions == most_listed {
                        finished |= 1 << i;
                    } else {
                        back |= 1 << i;
                    }
                }
                self.keep_solved(solved, outcomes);
            }

            finished |= self.go_back(back) | given_up;
            if finished != 0 {
                for i in lanes_of(finished) {
                    let lane = self.lanes[i];
                    self.drop_stack(i);
                    let gave_up = given_up >> i & 1 == 1;
                    let verdict = match lane.solutions {
                        listed if gave_up && listed < limit => Verdict::Unfinished,
                        0 => Verdict::Unsolvable,
                        1 if limit == 1 => Verdict::Solved,
                        1 => Verdict::Unique,
                        _ => Verdict::Multiple,
                    };
                    if verdict == Verdict::Unfinished {
                        unfinished.push(lane.puzzle);
                    }
                    if verdict == Verdict::Multiple && (gave_up || lane.solutions == most_listed) {
                        unsure.push(lane.puzzle);
                    }
                    let outcome = &mut outcomes[lane.puzzle];
                    outcome.verdict = verdict;
                    outcome.solutions = lane.solutions.min(limit);
                    outcome.guesses = lane.guesses;
                    outcome.time_ns = shares.of(lane.since);
                }
                occupied &= !finished;
                occupied |= self.load(&mut supply, occupied, shares.given);
                shares.divide(occupied);
            }
            dead = 0;
        }
        self.write_solved(outcomes);
        for puzzle in unfinished {
            outcomes[puzzle].solution = None;
        }
        shares.finish(outcomes);
    }

    /// Loads puzzles into the lanes that are not occupied, while there are any; returns those loaded.
    #[inline(always)]
    fn load(&mut self, supply: &mut Supply<'_>, occupied: u32, now: f64) -> u32 {
        let mut vacant = !occupied & (u32::MAX >> (32 - V::N));
        let mut loaded = 0;
        while vacant != 0 {
            if supply.used == supply.len {
                supply.first = supply.next;
                supply.used = 0;
                supply.len = V::N.min(supply.puzzles.len() - supply.next);
                if supply.len == 0 {
                    break;
                }
                let mut grids = [&BLANK; MAX_LANES];
                for (grid, puzzle) in
                    grids.iter_mut().zip(&supply.puzzles[supply.next..supply.next + supply.len])
                {
                    *grid = puzzle.cells();
                }
                decode(&grids, &mut self.fresh);
                supply.next += supply.len;
            }
            let mut from = [0; MAX_LANES];
            let mut mask = 0;
            for i in lanes_of(vacant).take(supply.len - supply.used) {
                from[i] = supply.used as u32;
                mask |= 1 << i;
                self.lanes[i] = Lane { puzzle: supply.first + supply.used, since: now, ..Lane::FRESH };
                supply.used += 1;
            }
            let from = V::from_words(&from);
            for w in 0..WORDS {
                self.state[w] = self.state[w].blend(mask, self.fresh[w].permute(from));
            }
            vacant &= !mask;
            loaded |= mask;
        }
        loaded
    }

    /// Puts the states of the lanes aside as solutions of their puzzles.
    #[inline(always)]
    fn keep_solved(&mut self, mut lanes: u32, outcomes: &mut [Outcome]) {
        while lanes != 0 {
            let mut from = [0; MAX_LANES];
            let mut places = 0;
            for i in lanes_of(lanes).take(V::N - self.solved_len) {
                from[self.solved_len] = i as u32;
                places |= 1 << self.solved_len;
                self.solved_puzzles[self.solved_len] = self.lanes[i].puzzle;
                self.solved_len += 1;
                lanes &= !(1 << i);
            }
            let from = V::from_words(&from);
            for w in 0..WORDS {
                self.solved[w] = self.solved[w].blend(places, self.state[w].permute(from));
            }
            if self.solved_len == V::N {
                self.write_solved(outcomes);
            }
        }
    }

    /// Writes the solutions put aside to their outcomes, where they are the smallest so far.
    #[inline(always)]
    fn write_solved(&mut self, outcomes: &mut [Outcome]) {
        if self.solved_len == 0 {
            return;
        }
        encode(&self.solved, &mut self.digits);
        for (row, &puzzle) in self.digits.iter().zip(&self.solved_puzzles[..self.solved_len]) {
            let (cells, _) = row.split_first_chunk().expect("a row has 96 bytes");
            let grid = Grid::from_digits(*cells);
            let smallest = &mut outcomes[puzzle].solution;
            if smallest.is_none_or(|smallest| grid < smallest) {
                *smallest = Some(grid);
            }
        }
        self.solved_len = 0;
    }

    /// A row to put states aside in.
    #[inline(always)]
    fn take_row(&mut self) -> u32 {
        if let Some(row) = self.free_rows.pop() {
            return row;
        }
        self.rows.push(Row { state: [V::splat(0); WORDS], below: V::splat(NO_ROW), lanes: 0 });
        (self.rows.len() - 1) as u32
    }

    /// Takes the lanes to the alternative on top of their stacks; returns those that have none.
    #[inline(always)]
    fn go_back(&mut self, lanes: u32) -> u32 {
        let none = lanes & !self.top.xor(V::splat(NO_ROW)).nonzero();
        let mut rest = lanes & !none;
        while rest != 0 {
            let (row, group) = self.take_group(rest);
            rest &= !group;
            let mut below = self.top.blend(group, self.rows[row].below);
            if rest == 0 {
                let first = &self.rows[row].state;
                for w in 0..WORDS {
                    self.state[w] = self.state[w].blend(group, first[w]);
                }
            } else {
                // Three rows in one sweep; the third may be missing.
                let (second_row, second_group) = self.take_group(rest);
                rest &= !second_group;
                below = below.blend(second_group, self.rows[second_row].below);
                let (mut third_row, mut third_group) = (row, 0);
                if rest != 0 {
                    (third_row, third_group) = self.take_group(rest);
                    rest &= !third_group;
                    below = below.blend(third_group, self.rows[third_row].below);
                }
                let (first, second) = (&self.rows[row].state, &self.rows[second_row].state);
                let third = &self.rows[third_row].state;
                for w in 0..WORDS {
                    let word = self.state[w].blend(group, first[w]).blend(second_group, second[w]);
                    self.state[w] = word.blend(third_group, third[w]);
                }
            }
            self.top = below;
        }
        none
    }

    /// Of the lanes in the mask (one at least, none with an empty stack), those that have the same row on
    /// top as the first; takes them off it. Returns the row, still intact, and the lanes.
    #[inline(always)]
    fn take_group(&mut self, lanes: u32) -> (usize, u32) {
        let number = self.top.lane(lanes.trailing_zeros() as usize);
        let group = lanes & !self.top.xor(V::splat(number)).nonzero();
        let row = &mut self.rows[number as usize];
        row.lanes &= !group;
        if row.lanes == 0 {
            self.free_rows.push(number);
        }
        (number as usize, group)
    }

    /// Empties a lane's stack.
    #[inline(always)]
    fn drop_stack(&mut self, lane: usize) {
        let mut number = self.top.lane(lane);
        while number != NO_ROW {
            let row = &mut self.rows[number as usize];
            row.lanes &= !(1 << lane);
            if row.lanes == 0 {
                self.free_rows.push(number);
            }
            number = row.below.lane(lane);
        }
        self.top.set_lane(lane, NO_ROW);
    }
}

/// The numbers of the lanes in a mask, ascending.
#[inline(always)]
fn lanes_of(mask: u32) -> LanesOf {
    LanesOf(mask)
}

struct LanesOf(u32);

impl Iterator for LanesOf {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lane = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(lane)
    }
}

/// The puzzles still to be loaded.
struct Supply<'a> {
    puzzles: &'a [Grid],
    /// The first puzzle not decoded yet.
    next: usize,
    /// The puzzle in lane 0 of the decoded ones.
    first: usize,
    /// How many of the decoded ones are in lanes already.
    used: usize,
    /// How many were decoded together.
    len: usize,
}

/// Shares the time between the puzzles in the lanes: of every round, each occupied lane gets the same part.
///
/// It counts in rounds, and the clock is read at the start and the end only: rounds take nearly the same time,
/// and a look at the clock takes as long as a fifth of an easy puzzle.
struct Shares {
    before: Instant,
    rounds: u64,
    /// What a lane occupied from the start has been given, in rounds.
    given: f64,
    /// What each occupied lane gets of a round.
    part: f64,
}

impl Shares {
    /// Parts of a round that the time of a puzzle is kept in until a round's length is known.
    const UNITS: f64 = 1_048_576.0;

    fn start() -> Self {
        Self { before: Instant::now(), rounds: 0, given: 0.0, part: 0.0 }
    }

    /// From now on rounds are shared by so many lanes.
    #[inline(always)]
    fn divide(&mut self, occupied: u32) {
        self.part = 1.0 / f64::from(occupied.count_ones());
    }

    #[inline(always)]
    fn round(&mut self) {
        self.rounds += 1;
        self.given += self.part;
    }

    /// The share of a lane that was loaded when `since` had been given.
    #[inline(always)]
    fn of(&self, since: f64) -> u64 {
        ((self.given - since) * Self::UNITS) as u64
    }

    /// Turns shares into nanoseconds.
    fn finish(&self, outcomes: &mut [Outcome]) {
        let factor = self.before.elapsed().as_nanos() as f64 / (self.rounds.max(1) as f64 * Self::UNITS);
        for outcome in outcomes {
            outcome.time_ns = (outcome.time_ns as f64 * factor) as u64;
        }
    }
}
