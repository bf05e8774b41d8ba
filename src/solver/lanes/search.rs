//! A depth-first search in every lane.
//!
//! The loop is: one [`round`](super::pass::round) for all lanes, then, once enough lanes need it, an *event*:
//!
//! - a dead lane goes back to its last alternative; without one its puzzle is finished;
//! - a solved lane counts a solution, then does the same; at the limit of solutions its puzzle is finished;
//! - a stuck lane branches: its state is put aside and goes on with one minirow asserted (or one candidate, as
//!   [`Purpose`] says); the alternative, for later, is the same state with that removed;
//! - a lane whose puzzle is finished is loaded with the next one.
//!
//! Lanes in need wait for the event; their state is at rest, or dead for good, so what they find does not depend on
//! the wait, nor on the neighbours. (A lane that is not open has a digit in every cell: if it is no solution,
//! waiting turns it dead, and it goes back in either case.)
//!
//! **Stack.** Alternatives put aside at one event go to one *frame*, the first in which their lanes are free; it knows
//! for each lane the frame below. Few frames are in use, so they stay in the nearest cache, and lanes going back
//! often share one and are blended out of it together. (Where blends are dear a frame must be free in all
//! lanes and is stored whole.)
//!
//! **Graves.** Where more than two solutions are to be counted, a stuck lane whose state is a [grave](super::grave) puts
//! no alternative aside: what it finds from there counts twice.
//!
//! **Splits.** Where more than two solutions are to be counted and no puzzles are left, vacant lanes take over
//! [parts](split) of what others search, unless guesses or time of a puzzle are bounded.
//!
//! **Two searches.** The first counts, in the order that takes the fewest guesses. Of the puzzles in which it found
//! several solutions the second finds the smallest: it descends from the state in which the first one had made its first
//! guess, the *root*, kept for that.
//!
//! **Termination.** A pass only removes candidates. A lane waits for nothing but a number of rounds in
//! each of which some other lane lost a candidate. A lane that is not open has every digit once in every
//! box and one digit in every cell; unless two of a digit share a row or column, it is solved. An open
//! lane at rest branches, and both children have fewer candidates. At most 729 candidates bound the depth.

mod split;

use std::num::NonZeroU64;
use std::time::Duration;

use self::split::Split;
use super::branch::choose;
use super::codec::{decode, encode};
use super::grave::{graves_among, small_among};
use super::pass::{LaneState, WORDS, clashing, round};
use super::smallest::first_open;
use super::vector::{Lanes, MAX_LANES};
use crate::solver::answers::AnswerRows;
use crate::solver::{Limits, StopFlag, Verdict, Wanted};
use crate::sudoku::Grid;

/// Rounds after which the stop flag is looked at: less than a millisecond.
const ROUNDS_BETWEEN_LOOKS: u64 = 256;

/// The end of a lane's stack.
const NO_FRAME: u32 = u32::MAX;

/// What a search is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// To count solutions, up to the limit. Stuck lanes guess what leaves the least: the minirow of [`choose`].
    Count,
    /// To find the smallest of several solutions. Stuck lanes guess what meets it first: the candidate of
    /// [`first_open`].
    Descend,
}

/// States of puzzles side by side, in the first lanes.
#[derive(Clone, Copy)]
struct Pack<V> {
    state: LaneState<V>,
    /// The numbers of the puzzles.
    puzzles: V,
    len: usize,
}

impl<V: Lanes> Pack<V> {
    #[inline(always)]
    fn new(token: V::Token) -> Self {
        let zero = V::splat(token, 0);
        Self { state: [zero; WORDS], puzzles: zero, len: 0 }
    }

    /// Adds the lanes of a state for which there is room; returns those.
    #[inline(always)]
    fn add(&mut self, lanes: u32, state: &LaneState<V>, puzzles: V) -> u32 {
        let token = puzzles.token();
        let added = lowest(lanes, V::N - self.len);
        // Place `len + k` takes the k-th of the lanes added.
        let len = added.count_ones() as usize;
        let places = ((1 << len) - 1) << self.len;
        let from = V::members(token, added).permute(V::ranks(token, places));
        for w in 0..WORDS {
            self.state[w] = self.state[w].blend(places, state[w].permute(from));
        }
        self.puzzles = self.puzzles.blend(places, puzzles.permute(from));
        self.len += len;
        added
    }
}

/// Alternatives put aside.
struct Frame<V> {
    state: LaneState<V>,
    /// The next frame down each lane's stack.
    below: V,
}

/// The working memory of one thread's lanes, kept from call to call; between calls all stacks are empty and no
/// solution waits to be written.
pub(super) struct LaneSearch<V: Lanes> {
    token: V::Token,
    state: LaneState<V>,
    /// Puzzles to be loaded next.
    fresh: Pack<V>,
    /// Of each lane's puzzle, the state in which it made its first guess.
    roots: LaneState<V>,
    /// The roots of puzzles with several solutions, of which the smallest is wanted.
    several: Vec<Pack<V>>,
    /// Puzzles whose smallest solution took too many guesses.
    unresolved: Vec<usize>,
    /// Solutions not yet written out.
    solved: Pack<V>,
    /// Their digits, 81 of the 96 bytes.
    digits: [[u8; 96]; MAX_LANES],
    frames: Vec<Frame<V>>,
    /// For each frame the lanes that will come back for their alternative.
    frame_lanes: Vec<u32>,
    /// The frame on top of each lane's stack.
    top: V,
    /// Of each lane, the number of its puzzle.
    puzzle: V,
    /// What [`Shares`] had given when the puzzle was loaded.
    since: [f64; MAX_LANES],
    /// The lanes whose puzzles have a solution.
    found: u32,
    /// Solutions counted.
    solutions: [u64; MAX_LANES],
    /// Solutions with which a lane ends: the limit, or what is left of it to a part of a puzzle.
    most: [u64; MAX_LANES],
    guesses: [u64; MAX_LANES],
    /// How many solutions the next one stands for.
    weights: [u64; MAX_LANES],
    /// The puzzles that several lanes search.
    splits: Vec<Split>,
    /// Nanoseconds that [`Shares::finish`] took for an outcome.
    finish_cost: f64,
}

impl<V: Lanes> LaneSearch<V> {
    #[inline(always)]
    pub(super) fn new(token: V::Token) -> Self {
        let zero = V::splat(token, 0);
        Self {
            token,
            state: [zero; WORDS],
            fresh: Pack::new(token),
            roots: [zero; WORDS],
            several: Vec::new(),
            unresolved: Vec::new(),
            solved: Pack::new(token),
            digits: [[0; 96]; MAX_LANES],
            frames: Vec::new(),
            frame_lanes: Vec::new(),
            top: V::splat(token, NO_FRAME),
            puzzle: zero,
            since: [0.0; MAX_LANES],
            found: 0,
            solutions: [0; MAX_LANES],
            most: [0; MAX_LANES],
            guesses: [0; MAX_LANES],
            weights: [1; MAX_LANES],
            splits: Vec::new(),
            finish_cost: f64::INFINITY,
        }
    }

    /// Solves `puzzles` and fills `rows`, of which there are as many and which must be blank, with the verdict
    /// [`Verdict::Stopped`]: those that the stop flag leaves no time for stay so. The time that it shares out is what
    /// the clock says at the end.
    ///
    /// Puzzles with several solutions of which it did not find the smallest within `most_descent_guesses` stay so, too;
    /// they are [`unresolved`](Self::unresolved).
    #[inline(always)]
    pub(super) fn run(
        &mut self,
        puzzles: &[Grid],
        bounds: &Bounds<'_>,
        most_descent_guesses: u64,
        rows: &mut AnswerRows<'_>,
    ) {
        assert!(u32::try_from(puzzles.len()).is_ok(), "lanes number their puzzles with 32 bits");
        self.several.clear();
        self.unresolved.clear();
        let of_descents =
            Limits::default().with_solutions(NonZeroU64::MIN).with_max_guesses(most_descent_guesses);
        let mut shares = Shares::default();
        // A loop, so that the search, which is inlined, is there once.
        for purpose in [Purpose::Count, Purpose::Descend] {
            let (source, limits) = match purpose {
                Purpose::Count => (Source::Puzzles(puzzles), bounds.limits),
                Purpose::Descend => {
                    self.take_back_several(rows);
                    (Source::Several, &of_descents)
                }
            };
            self.search(purpose, source, &Bounds { limits, ..*bounds }, &mut shares, rows);
        }
        shares.finish(bounds.elapsed, rows.times_ns, &mut self.finish_cost);
    }

    /// Of the puzzles of the last run, those whose smallest solution took too many guesses.
    pub(super) fn unresolved(&self) -> &[usize] {
        &self.unresolved
    }

    /// Takes back what the rows say of the puzzles with several solutions, until the smallest is found.
    fn take_back_several(&self, rows: &mut AnswerRows<'_>) {
        for pack in &self.several {
            for i in 0..pack.len {
                let puzzle = pack.puzzles.lane(i) as usize;
                rows.verdicts[puzzle] = Verdict::Stopped;
                rows.solutions[puzzle] = None;
            }
        }
    }

    /// Searches all that `source` has.
    #[inline(always)]
    fn search(
        &mut self,
        purpose: Purpose,
        source: Source<'_>,
        bounds: &Bounds<'_>,
        shares: &mut Shares,
        rows: &mut AnswerRows<'_>,
    ) {
        let limits = bounds.limits;
        let limit = limits.solutions.get();
        let wants_roots = purpose == Purpose::Count && limits.wanted == Wanted::Smallest && limit > 1;
        // With a limit of two they save little, and looking for them costs more.
        let counts_graves = purpose == Purpose::Count && limit > 2;
        // What bounds the search of a puzzle is not shared by lanes.
        let may_split = counts_graves && limits.max_guesses.is_none() && limits.max_time.is_none();
        self.splits.clear();
        self.most = [limit; MAX_LANES];
        let mut given_up_puzzles = Vec::new();
        let mut supply = Supply { source, next: 0, used: 0 };
        self.fresh.len = 0;

        let mut occupied = self.load(&mut supply, 0, shares.given());
        shares.divide(occupied);
        let mut dead = 0;
        // Lanes whose puzzle has made no guess.
        let mut unguessed = occupied;
        // Above zero while of late more than two lanes died or branched for each that was solved. Many plain
        // passes suit easy puzzles; how many there are changes nothing but the time.
        let mut hardness = 0;
        while occupied != 0 {
            let plain_passes = if hardness > 0 { 2 } else { 3 };
            let findings = round(&mut self.state, plain_passes);
            shares.round();
            let mut finished = 0;
            let mut given_up = 0;
            if shares.rounds.is_multiple_of(ROUNDS_BETWEEN_LOOKS) {
                if bounds.stop.is_raised() {
                    self.empty_stacks(occupied);
                    break;
                }
                if let Some(most) = limits.max_time {
                    given_up = self.late(occupied, most, (bounds.elapsed)(), shares);
                }
            }
            dead = (dead | findings.dead & occupied) & !given_up;
            let alive = occupied & !dead & !given_up;
            let stuck = alive & !findings.changed;
            let closed = alive & !findings.open;
            let ready = dead | stuck | closed;
            if given_up == 0 && ready.count_ones() * 4 < occupied.count_ones() {
                continue;
            }

            let (hard, easy) = ((ready & !closed).count_ones(), closed.count_ones());
            hardness += 16 * (hard as i32 - 2 * easy as i32) - hardness / 16;

            // Lanes that go back, and lanes whose puzzle is finished.
            let mut back = dead;
            let mut solved = closed;
            if closed & findings.changed != 0 {
                let clash = closed & clashing(&self.state);
                back |= clash;
                solved &= !clash;
            }
            let mut branching = stuck & !closed;
            // Lanes that need no alternative.
            let mut graves = 0;
            if counts_graves {
                graves = branching & graves_among(&self.state);
                let counted = self.count_twice(graves);
                solved |= counted;
                branching &= !counted;
            }
            if solved != 0 {
                let (first, last) = self.count_solutions(solved);
                self.keep_solved(first, rows);
                finished = last;
                back |= solved & !last;
            }
            given_up |= self.without_guesses(branching, limits.max_guesses);
            branching &= !given_up;
            if counts_graves {
                for i in lanes_of(back) {
                    self.weights[i] = 1;
                }
            }
            finished |= self.go_back(back) | given_up;
            if finished != 0 && !self.splits.is_empty() {
                let ended = self.end_parts(finished, limit, shares.given());
                finished = ended.finished;
                occupied &= !ended.vacant;
                branching &= !(ended.vacant | ended.restarted);
                shares.divide(occupied);
            }
            if finished != 0 {
                given_up_puzzles.extend(lanes_of(given_up).map(|i| self.puzzle.lane(i) as usize));
                let several = self.finish_lanes(purpose, finished, given_up, limit, shares, rows);
                if wants_roots {
                    self.keep_roots(several & !given_up);
                }
                occupied &= !finished;
                let loaded = self.load(&mut supply, occupied, shares.given());
                occupied |= loaded;
                unguessed |= loaded;
                shares.divide(occupied);
                if purpose == Purpose::Descend {
                    // A root is at rest.
                    branching |= loaded;
                }
            }
            if branching != 0 {
                if wants_roots && branching & unguessed != 0 {
                    for w in 0..WORDS {
                        self.roots[w] = self.roots[w].blend(branching & unguessed, self.state[w]);
                    }
                }
                unguessed &= !branching;
                self.branch(purpose, branching, branching & !graves);
            }
            if may_split && occupied != every_lane::<V>() && occupied != 0 {
                let vacant = (!occupied).trailing_zeros();
                if self.help(vacant as usize, occupied, limit, shares.given()) {
                    occupied |= 1 << vacant;
                    unguessed &= !(1 << vacant);
                    shares.divide(occupied);
                }
            }
            dead = 0;
        }
        self.write_solved(rows);
        for puzzle in given_up_puzzles {
            rows.solutions[puzzle] = None;
        }
        // What a lane had found of a puzzle when it was stopped.
        for i in lanes_of(occupied) {
            rows.solutions[self.puzzle.lane(i) as usize] = None;
        }
    }

    /// Writes what lanes found out of their puzzles, and empties their stacks; returns those that found several solutions.
    #[inline(always)]
    fn finish_lanes(
        &mut self,
        purpose: Purpose,
        lanes: u32,
        given_up: u32,
        limit: u64,
        shares: &Shares,
        rows: &mut AnswerRows<'_>,
    ) -> u32 {
        self.empty_stacks(lanes);
        let mut several = 0;
        for i in lanes_of(lanes) {
            let puzzle = self.puzzle.lane(i) as usize;
            let share = shares.of(self.since[i]);
            several |= u32::from(self.solutions[i] > 1) << i;
            match purpose {
                Purpose::Count => self.finish(i, given_up >> i & 1 == 1, limit, share, puzzle, rows),
                Purpose::Descend => self.finish_descent(i, share, puzzle, rows),
            }
        }
        several
    }

    /// Writes what a lane found out of its puzzle, but for the solution.
    #[inline(always)]
    fn finish(
        &self,
        lane: usize,
        gave_up: bool,
        limit: u64,
        time: u64,
        puzzle: usize,
        rows: &mut AnswerRows<'_>,
    ) {
        rows.verdicts[puzzle] = match self.solutions[lane] {
            _ if gave_up => Verdict::Unfinished,
            0 => Verdict::Unsolvable,
            1 if limit == 1 => Verdict::Solved,
            1 => Verdict::Unique,
            _ => Verdict::Multiple,
        };
        rows.counts[puzzle] = self.solutions[lane];
        rows.guesses[puzzle] = self.guesses[lane];
        rows.times_ns[puzzle] = time;
    }

    /// Writes down that the smallest solution of a puzzle is found, or that it is not.
    #[inline(always)]
    fn finish_descent(&mut self, lane: usize, time: u64, puzzle: usize, rows: &mut AnswerRows<'_>) {
        rows.times_ns[puzzle] += time;
        if self.solutions[lane] == 0 {
            self.unresolved.push(puzzle);
        } else {
            rows.verdicts[puzzle] = Verdict::Multiple;
        }
    }

    /// Keeps the roots of puzzles with several solutions.
    #[inline(always)]
    fn keep_roots(&mut self, mut several: u32) {
        while several != 0 {
            match self.several.last_mut() {
                Some(pack) if pack.len < V::N => several &= !pack.add(several, &self.roots, self.puzzle),
                _ => self.several.push(Pack::new(self.token)),
            }
        }
    }

    /// Loads puzzles into the lanes that are not occupied, while there are any; returns those loaded.
    #[inline(always)]
    fn load(&mut self, supply: &mut Supply<'_>, occupied: u32, now: f64) -> u32 {
        let mut vacant = !occupied & every_lane::<V>();
        let mut loaded = 0;
        while vacant != 0 {
            if supply.used == self.fresh.len {
                self.refill(supply);
                if self.fresh.len == 0 {
                    break;
                }
            }
            let mask = lowest(vacant, self.fresh.len - supply.used);
            let from = V::ranks(self.token, mask).plus(V::splat(self.token, supply.used as u32));
            for w in 0..WORDS {
                self.state[w] = self.state[w].blend(mask, self.fresh.state[w].permute(from));
            }
            self.puzzle = self.puzzle.blend(mask, self.fresh.puzzles.permute(from));
            supply.used += mask.count_ones() as usize;
            for i in 0..MAX_LANES {
                if mask >> i & 1 == 1 {
                    self.since[i] = now;
                    self.guesses[i] = 0;
                    self.solutions[i] = 0;
                    self.weights[i] = 1;
                }
            }
            self.found &= !mask;
            vacant &= !mask;
            loaded |= mask;
        }
        loaded
    }

    /// Makes the next puzzles ready to be loaded; none if there are no more.
    #[inline(always)]
    fn refill(&mut self, supply: &mut Supply<'_>) {
        supply.used = 0;
        match supply.source {
            Source::Puzzles(puzzles) => {
                let puzzles = &puzzles[supply.next..];
                let len = V::N.min(puzzles.len());
                let mut grids = [Grid::EMPTY.cells(); MAX_LANES];
                for (grid, puzzle) in grids.iter_mut().zip(&puzzles[..len]) {
                    *grid = puzzle.cells();
                }
                decode(&grids, &mut self.fresh.state);
                let first = V::splat(self.token, supply.next as u32);
                self.fresh.puzzles = V::members(self.token, every_lane::<V>()).plus(first);
                self.fresh.len = len;
                supply.next += len;
            }
            Source::Several => match self.several.get(supply.next) {
                Some(pack) => {
                    self.fresh = *pack;
                    supply.next += 1;
                }
                None => self.fresh.len = 0,
            },
        }
    }

    /// The lanes whose puzzles took longer than `most`, `elapsed` after the start.
    #[cold]
    fn late(&self, lanes: u32, most: Duration, elapsed: Duration, shares: &Shares) -> u32 {
        let share = shares.of_time(most, elapsed);
        lanes_of(lanes).filter(|&i| shares.of(self.since[i]) > share).fold(0, |late, i| late | 1 << i)
    }

    /// Those of the lanes that have made all the guesses that they may.
    #[inline(always)]
    fn without_guesses(&self, lanes: u32, max_guesses: Option<u64>) -> u32 {
        let Some(most) = max_guesses else { return 0 };
        lanes_of(lanes).filter(|&i| self.guesses[i] >= most).fold(0, |without, i| without | 1 << i)
    }

    /// Lets the solutions of graves count twice; returns the lanes whose next one may be counted as it is, since it is
    /// sure to come and no first one of its puzzle.
    #[inline(always)]
    fn count_twice(&mut self, graves: u32) -> u32 {
        for i in lanes_of(graves) {
            self.weights[i] = self.weights[i].saturating_mul(2);
        }
        graves & self.found & small_among(&self.state)
    }

    /// Guesses in the lanes, and puts the alternatives of some aside.
    #[inline(always)]
    fn branch(&mut self, purpose: Purpose, lanes: u32, aside: u32) {
        for i in lanes_of(lanes) {
            self.guesses[i] += 1;
        }
        let frame_number = self.take_frame(aside);
        let frame = &mut self.frames[frame_number as usize];
        match purpose {
            Purpose::Count => choose(&self.state).branch(lanes, &mut self.state, aside, &mut frame.state),
            Purpose::Descend => first_open(&self.state).branch(lanes, &mut self.state, &mut frame.state),
        }
        frame.below = frame.below.blend(aside, self.top);
        self.top = self.top.blend(aside, V::splat(self.token, frame_number));
    }

    /// Counts what a solution of each of the lanes stands for; returns those of which it is the first and those that
    /// end with it.
    #[inline(always)]
    fn count_solutions(&mut self, lanes: u32) -> (u32, u32) {
        let first = lanes & !self.found;
        self.found |= lanes;
        let mut last = 0;
        for i in lanes_of(lanes) {
            self.solutions[i] = self.most[i].min(self.solutions[i].saturating_add(self.weights[i]));
            last |= u32::from(self.solutions[i] == self.most[i]) << i;
        }
        (first, last)
    }

    /// Puts the states of the lanes aside as solutions of their puzzles.
    #[inline(always)]
    fn keep_solved(&mut self, mut lanes: u32, rows: &mut AnswerRows<'_>) {
        while lanes != 0 {
            lanes &= !self.solved.add(lanes, &self.state, self.puzzle);
            if self.solved.len == V::N {
                self.write_solved(rows);
            }
        }
    }

    /// Writes the solutions put aside to their rows.
    #[inline(always)]
    fn write_solved(&mut self, rows: &mut AnswerRows<'_>) {
        if self.solved.len == 0 {
            return;
        }
        encode(&self.solved.state, &mut self.digits);
        for i in 0..self.solved.len {
            let (cells, _) = self.digits[i].split_first_chunk().expect("there are 96 bytes");
            rows.solutions[self.solved.puzzles.lane(i) as usize] = Some(Grid::from_digits(*cells));
        }
        self.solved.len = 0;
    }

    /// A frame in which these lanes are free; from now on they are not.
    #[inline(always)]
    fn take_frame(&mut self, lanes: u32) -> u32 {
        let in_the_way = if V::SHARES_FRAMES { lanes } else { u32::MAX };
        for (number, taken) in (0..).zip(&mut self.frame_lanes) {
            if *taken & in_the_way == 0 {
                *taken |= lanes;
                return number;
            }
        }
        self.frames
            .push(Frame { state: [V::splat(self.token, 0); WORDS], below: V::splat(self.token, NO_FRAME) });
        self.frame_lanes.push(lanes);
        (self.frames.len() - 1) as u32
    }

    /// Takes the lanes to the alternative on top of their stacks; returns those that have none.
    #[inline(always)]
    fn go_back(&mut self, lanes: u32) -> u32 {
        let none = lanes & !self.stacked();
        let mut rest = lanes & !none;
        while rest != 0 {
            let (frame, group) = self.take_group(rest);
            rest &= !group;
            let mut below = self.top.blend(group, self.frames[frame].below);
            if rest == 0 {
                let first = &self.frames[frame].state;
                for w in 0..WORDS {
                    self.state[w] = self.state[w].blend(group, first[w]);
                }
            } else {
                // Three frames in one sweep; the third may be missing.
                let (second_frame, second_group) = self.take_group(rest);
                rest &= !second_group;
                below = below.blend(second_group, self.frames[second_frame].below);
                let (mut third_frame, mut third_group) = (frame, 0);
                if rest != 0 {
                    (third_frame, third_group) = self.take_group(rest);
                    rest &= !third_group;
                    below = below.blend(third_group, self.frames[third_frame].below);
                }
                let (first, second) = (&self.frames[frame].state, &self.frames[second_frame].state);
                let third = &self.frames[third_frame].state;
                for w in 0..WORDS {
                    let word = self.state[w].blend(group, first[w]).blend(second_group, second[w]);
                    self.state[w] = word.blend(third_group, third[w]);
                }
            }
            self.top = below;
        }
        none
    }

    /// Of the lanes in the mask (one at least, none with an empty stack), those that have the same frame on
    /// top as the first; takes them off it. Returns the frame, still intact, and the lanes.
    #[inline(always)]
    fn take_group(&mut self, lanes: u32) -> (usize, u32) {
        let number = self.top.lane(lanes.trailing_zeros() as usize);
        let group = lanes & !self.top.xor(V::splat(self.token, number)).nonzero();
        self.frame_lanes[number as usize] &= !group;
        (number as usize, group)
    }

    /// The lanes with alternatives.
    #[inline(always)]
    fn stacked(&self) -> u32 {
        self.top.xor(V::splat(self.token, NO_FRAME)).nonzero()
    }

    #[inline(always)]
    fn empty_stacks(&mut self, lanes: u32) {
        for i in lanes_of(lanes & self.stacked()) {
            let mut number = self.top.lane(i);
            while number != NO_FRAME {
                self.frame_lanes[number as usize] &= !(1 << i);
                number = self.frames[number as usize].below.lane(i);
            }
            self.top.set_lane(i, NO_FRAME);
        }
    }
}

/// The mask of all lanes.
#[inline(always)]
const fn every_lane<V: Lanes>() -> u32 {
    u32::MAX >> (32 - V::N)
}

/// The lowest so many lanes of a mask.
#[inline(always)]
fn lowest(mask: u32, most: usize) -> u32 {
    if mask.count_ones() as usize <= most {
        return mask;
    }
    let mut rest = mask;
    for _ in 0..most {
        rest &= rest.wrapping_sub(1);
    }
    mask & !rest
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

/// What bounds a search.
#[derive(Clone, Copy)]
pub(super) struct Bounds<'a> {
    pub limits: &'a Limits,
    /// The time since the start.
    pub elapsed: &'a dyn Fn() -> Duration,
    pub stop: &'a StopFlag,
}

/// Where the puzzles of a search come from.
#[derive(Clone, Copy)]
enum Source<'a> {
    Puzzles(&'a [Grid]),
    /// The roots kept by the search that counted.
    Several,
}

/// The puzzles still to be loaded.
struct Supply<'a> {
    source: Source<'a>,
    /// The first puzzle, or pack, not made ready yet.
    next: usize,
    /// How many of those made ready are in lanes already.
    used: usize,
}

/// Shares the time between the puzzles in the lanes: of every round, each occupied lane gets the same part.
///
/// It counts in rounds, and the clock is read at the start and the end only: rounds take nearly the same time,
/// and a look at the clock takes as long as a fifth of an easy puzzle.
#[derive(Default)]
pub(super) struct Shares {
    rounds: u64,
    /// What a lane occupied from the start has been given, in rounds.
    given: f64,
    /// What each occupied lane gets of a round.
    part: f64,
}

impl Shares {
    /// Parts of a round that the time of a puzzle is kept in until a round's length is known.
    const UNITS: f64 = 1_048_576.0;

    /// From now on rounds are shared by so many lanes.
    #[inline(always)]
    pub(super) fn divide(&mut self, occupied: u32) {
        self.part = 1.0 / f64::from(occupied.count_ones());
    }

    #[inline(always)]
    pub(super) fn round(&mut self) {
        self.rounds += 1;
        self.given += self.part;
    }

    /// What a lane occupied from the start has been given so far.
    #[inline(always)]
    pub(super) fn given(&self) -> f64 {
        self.given
    }

    /// The share of a lane that was loaded when `since` had been given.
    #[inline(always)]
    pub(super) fn of(&self, since: f64) -> u64 {
        ((self.given - since) * Self::UNITS) as u64
    }

    /// The share that a time amounts to, `elapsed` after the start.
    fn of_time(&self, time: Duration, elapsed: Duration) -> u64 {
        let rounds = time.as_secs_f64() / elapsed.as_secs_f64().max(f64::MIN_POSITIVE) * self.rounds as f64;
        (rounds * Self::UNITS) as u64
    }

    /// Turns shares into nanoseconds that add up to the time until the end of this. How long that takes for a
    /// puzzle is known from earlier calls: `cost` is the least seen, infinite at first.
    fn finish(&self, elapsed: &dyn Fn() -> Duration, times: &mut [u64], cost: &mut f64) {
        let before = elapsed();
        let rest = if cost.is_finite() { *cost * times.len() as f64 } else { 0.0 };
        self.turn_to_nanoseconds(before.as_nanos() as f64 + rest, times);
        // Of few puzzles the look at the clock takes the most.
        if times.len() >= 100 {
            let took = elapsed().saturating_sub(before);
            *cost = cost.min(took.as_nanos() as f64 / times.len() as f64);
        }
    }

    /// Turns shares into nanoseconds that add up to `whole`, a fraction of the last one aside.
    pub(super) fn turn_to_nanoseconds(&self, whole: f64, times: &mut [u64]) {
        let factor = whole / (self.rounds.max(1) as f64 * Self::UNITS);
        let mut fraction = 0.0;
        let mut left = whole as u64;
        for share in &mut *times {
            let time = *share as f64 * factor + fraction;
            *share = time as u64;
            fraction = time - *share as f64;
            left = left.saturating_sub(*share);
        }
        // Shares are whole units, rounded down: a nanosecond or so is left.
        if let Some(last) = times.last_mut() {
            *last += left;
        }
    }
}
