//! A depth-first search in every lane.
//!
//! Each iteration of the loop runs one [`round`](super::pass::round) for all lanes. Once enough lanes need it, an
//! *event* follows:
//!
//! - A dead lane goes back to its last alternative. If there is none, its puzzle is finished.
//! - A solved lane counts a solution and then also goes back. If that reaches the limit, its puzzle is finished.
//! - A stuck lane branches: it continues with one minirow asserted (or one candidate, depending on [`Purpose`]). The
//!   alternative, which is the same state with the minirow removed, is put aside for later.
//! - If a lane's puzzle is finished, the next one is loaded into it.
//!
//! Lanes that wait for an event are at rest or dead, so their results depend neither on the wait nor on other lanes. A
//! lane also waits if it is not open, that is, if it has one digit in every cell. If these digits are not a solution,
//! the lane dies while it waits. Either way, it goes back to an alternative.
//!
//! **Graves.** If the limit is above two solutions, a stuck lane whose state is a [grave](super::grave) does not put an
//! alternative aside. Instead, the solutions that it finds from there on count twice.
//!
//! **Splits.** Once there are no puzzles left, vacant lanes take over [parts](split) of other searches. This happens
//! only if the limit is above two solutions, and guesses and time are unlimited.
//!
//! **Two searches.** The first search counts solutions, in the order that takes the fewest guesses. The second finds
//! the smallest solution of each puzzle for which the first found several. It starts from the *root*, which is the
//! stored state at the first guess.
//!
//! **Termination.** A pass only removes candidates. A lane waits only as long as every round removes a candidate from
//! some other lane. A lane that is not open has every digit once in each box and one digit in each cell. It is solved
//! unless a digit occurs twice in a row or column. An open lane at rest branches. Both children have fewer candidates
//! than their parent, which has at most 729.

mod shares;
mod split;
mod stack;

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use self::shares::Shares;
use self::split::Split;
use self::stack::{Frame, NO_FRAME};
use super::branch::choose;
use super::codec::{decode, encode, remove};
use super::grave::{graves_among, small_among};
use super::pass::{Findings, clashing, round};
use super::smallest::first_open;
use super::vector::{LaneState, Lanes, MAX_LANES, WORDS, blend};
use crate::solver::answers::AnswerRows;
use crate::solver::{Limits, Verdict, Wanted};
use crate::sudoku::Grid;

/// The number of rounds between checks of the stop flag; this many take less than a millisecond.
const ROUNDS_BETWEEN_LOOKS: u64 = 256;

/// The purpose of a search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// Counts solutions, up to the limit. Stuck lanes guess the minirow that [`choose`] returns, which keeps the search
    /// small.
    Count,
    /// Finds the smallest of several solutions. Stuck lanes guess the candidate that [`first_open`] returns, so the
    /// smallest solution is found first.
    Descend,
}

/// The lanes that need an event.
struct Needs {
    /// The lanes whose state has no solution.
    dead: u32,
    /// The lanes with one digit in every cell.
    closed: u32,
    /// The lanes at rest.
    stuck: u32,
    /// The lanes that reached a limit on guesses or time.
    given_up: u32,
}

/// The result of an event.
struct Event {
    /// The lanes whose puzzle is finished, whether solved or given up.
    finished: u32,
    given_up: u32,
    /// The lanes that guess.
    branching: u32,
    /// The guessing lanes whose state is a grave, so they need no alternative.
    graves: u32,
}

/// The states of several puzzles side by side, in the lowest lanes.
#[derive(Clone, Copy)]
struct Pack<V> {
    state: LaneState<V>,
    /// The index of each lane's puzzle.
    puzzles: V,
    len: usize,
}

impl<V: Lanes> Pack<V> {
    #[inline(always)]
    fn new(token: V::Token) -> Self {
        let zero = V::splat(token, 0);
        Self { state: [zero; WORDS], puzzles: zero, len: 0 }
    }

    /// Adds as many of the given lanes of a state as there is room for; returns the lanes that were added.
    #[inline(always)]
    fn add(&mut self, lanes: u32, state: &LaneState<V>, puzzles: V) -> u32 {
        let token = puzzles.token();
        let added = lowest(lanes, V::N - self.len);
        // Place `len + k` takes the k-th lane added.
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

/// The working memory of one thread's lanes, which is reused for every call. Between calls, all stacks are empty and no
/// solution is waiting to be written.
pub(super) struct LaneSearch<V: Lanes> {
    token: V::Token,
    state: LaneState<V>,
    /// The puzzles to load next.
    fresh: Pack<V>,
    /// The root of each lane's puzzle.
    roots: LaneState<V>,
    /// The roots of puzzles with several solutions.
    several: Vec<Pack<V>>,
    /// The puzzles whose smallest solution would take too many guesses.
    unresolved: Vec<usize>,
    /// The solutions that have not been written out yet.
    solved: Pack<V>,
    /// The digits of these solutions, which take 81 of the 96 bytes.
    digits: [[u8; 96]; MAX_LANES],
    frames: Vec<Frame<V>>,
    /// For each frame, the lanes that still have an alternative in it.
    frame_lanes: Vec<u32>,
    /// The top frame of each lane's stack.
    top: V,
    /// The index of the puzzle in each lane.
    puzzle: V,
    /// The time share ([`Shares::given`]) at which each puzzle was loaded.
    since: [f64; MAX_LANES],
    /// The lanes for whose puzzle a solution has been found.
    found: u32,
    /// The number of solutions that each lane has counted.
    solutions: [u64; MAX_LANES],
    /// The number of solutions at which each lane stops: the limit, or fewer if it searches part of a puzzle.
    most: [u64; MAX_LANES],
    guesses: [u64; MAX_LANES],
    /// The weight of a solution in each lane, that is, how many solutions it counts as.
    weights: [u64; MAX_LANES],
    /// The puzzles that are searched by several lanes.
    splits: Vec<Split>,
    /// The time that [`Shares::finish`] takes per puzzle, in nanoseconds.
    finish_cost: f64,
    /// The number of rounds in the last run.
    #[cfg(test)]
    pub(super) rounds: u64,
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
            #[cfg(test)]
            rounds: 0,
        }
    }

    /// Solves `puzzles` and fills in a row for each. If `without` lists a candidate for a puzzle, that candidate is
    /// removed first.
    ///
    /// The rows must be blank, with the verdict [`Verdict::Stopped`]. A puzzle keeps this verdict if the stop flag ends
    /// the search before it is solved. The times in the rows add up to the duration of this call. If the smallest of
    /// several solutions takes more than `most_descent_guesses` guesses, the puzzle also stays `Stopped` and is
    /// [`unresolved`](Self::unresolved).
    #[inline(always)]
    pub(super) fn run(
        &mut self,
        puzzles: &[Grid],
        without: &[(u8, u8)],
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
        // This is a loop so that the search is inlined only once.
        for purpose in [Purpose::Count, Purpose::Descend] {
            let (source, limits) = match purpose {
                Purpose::Count => (Source::Puzzles(puzzles, without), bounds.limits),
                Purpose::Descend => {
                    self.take_back_several(rows);
                    (Source::Several, &of_descents)
                }
            };
            self.search(purpose, source, &Bounds { limits, ..*bounds }, &mut shares, rows);
        }
        shares.finish(bounds.elapsed, rows.times_ns, &mut self.finish_cost);
        #[cfg(test)]
        {
            self.rounds = shares.rounds;
        }
    }

    /// Returns the puzzles from the last run whose smallest solution would take too many guesses.
    pub(super) fn unresolved(&self) -> &[usize] {
        &self.unresolved
    }

    /// Clears the verdict and solution of each puzzle with several solutions; the search for the smallest sets them
    /// again.
    fn take_back_several(&self, rows: &mut AnswerRows<'_>) {
        for pack in &self.several {
            for i in 0..pack.len {
                let puzzle = pack.puzzles.lane(i) as usize;
                rows.verdicts[puzzle] = Verdict::Stopped;
                rows.solutions[puzzle] = None;
            }
        }
    }

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
        // With a limit of two solutions, finding graves takes more time than it saves.
        let counts_graves = purpose == Purpose::Count && limit > 2;
        // Limits on guesses or time apply to a lane, so they cannot be shared.
        let may_split = counts_graves && limits.max_guesses.is_none() && limits.max_time.is_none();
        self.splits.clear();
        self.most = [limit; MAX_LANES];
        let mut given_up_puzzles = Vec::new();
        let mut supply = Supply { source, next: 0, used: 0 };
        self.fresh.len = 0;

        let mut occupied = self.load(&mut supply, 0, shares.given());
        shares.divide(occupied);
        let mut dead = 0;
        // The lanes whose puzzle has not needed a guess yet.
        let mut unguessed = occupied;
        // Positive if more than two lanes have recently died or branched for each lane that was solved. Easy puzzles
        // need more plain passes. The number of passes affects only the time.
        let mut hardness = 0;
        while occupied != 0 {
            let plain_passes = if hardness > 0 { 2 } else { 3 };
            let findings = round(&mut self.state, plain_passes);
            shares.round();
            let mut given_up = 0;
            if shares.rounds.is_multiple_of(ROUNDS_BETWEEN_LOOKS) {
                if bounds.stop.load(Ordering::Relaxed) {
                    self.empty_stacks(occupied);
                    break;
                }
                if let Some(most) = limits.max_time {
                    given_up = self.late(occupied, most, (bounds.elapsed)(), shares);
                }
            }
            dead = (dead | findings.dead & occupied) & !given_up;
            let alive = occupied & !dead & !given_up;
            let (stuck, closed) = (alive & !findings.changed, alive & !findings.open);
            let ready = dead | stuck | closed;
            if given_up == 0 && ready.count_ones() * 4 < occupied.count_ones() {
                continue;
            }

            let (hard, easy) = ((ready & !closed).count_ones(), closed.count_ones());
            hardness += 16 * (hard as i32 - 2 * easy as i32) - hardness / 16;

            let needs = Needs { dead, closed, stuck, given_up };
            let event = self.meet(needs, &findings, limits, counts_graves, rows);
            let (mut finished, mut branching) = (event.finished, event.branching);
            if finished != 0 && !self.splits.is_empty() {
                let (ended, vacant) = self.end_parts(finished, limit, shares.given());
                finished = ended;
                occupied &= !vacant;
                branching &= !vacant;
                shares.divide(occupied);
            }
            if finished != 0 {
                given_up_puzzles.extend(lanes_of(event.given_up).map(|i| self.puzzle.lane(i) as usize));
                let several = self.finish_lanes(purpose, finished, event.given_up, limit, shares, rows);
                if wants_roots {
                    self.keep_roots(several & !event.given_up);
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
                    blend(&mut self.roots, branching & unguessed, &self.state);
                }
                unguessed &= !branching;
                self.branch(purpose, branching, branching & !event.graves);
            }
            if may_split && occupied != every_lane::<V>() {
                let helping = self.help(occupied, limit, shares.given());
                occupied |= helping;
                unguessed &= !helping;
                shares.divide(occupied);
            }
            dead = 0;
        }
        self.write_solved(rows);
        // Puzzles that were given up or stopped do not get a solution.
        let stopped = lanes_of(occupied).map(|i| self.puzzle.lane(i) as usize);
        given_up_puzzles.into_iter().chain(stopped).for_each(|puzzle| rows.solutions[puzzle] = None);
    }

    /// Counts the solutions in solved lanes, and takes lanes back to their last alternative.
    #[inline(always)]
    fn meet(
        &mut self,
        needs: Needs,
        findings: &Findings,
        limits: &Limits,
        counts_graves: bool,
        rows: &mut AnswerRows<'_>,
    ) -> Event {
        let Needs { dead, closed, stuck, mut given_up } = needs;
        let mut back = dead;
        let mut solved = closed;
        if closed & findings.changed != 0 {
            let clash = closed & clashing(&self.state);
            back |= clash;
            solved &= !clash;
        }
        let mut branching = stuck & !closed;
        let mut graves = 0;
        if counts_graves {
            graves = branching & graves_among(&self.state);
            let counted = self.count_twice(graves);
            solved |= counted;
            branching &= !counted;
        }
        let mut finished = 0;
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
        Event { finished, given_up, branching, graves }
    }

    /// Writes the outcomes of the lanes and empties their stacks; returns the lanes that found several solutions.
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

    /// Writes the outcome of a lane, except the solution.
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
        // A grave may have more solutions than the limit allows.
        rows.counts[puzzle] = limit.min(self.solutions[lane]);
        rows.guesses[puzzle] = self.guesses[lane];
        rows.times_ns[puzzle] = time;
    }

    /// Writes the outcome of a search for the smallest solution, except the solution.
    #[inline(always)]
    fn finish_descent(&mut self, lane: usize, time: u64, puzzle: usize, rows: &mut AnswerRows<'_>) {
        rows.times_ns[puzzle] += time;
        if self.solutions[lane] == 0 {
            self.unresolved.push(puzzle);
        } else {
            rows.verdicts[puzzle] = Verdict::Multiple;
        }
    }

    /// Stores the roots of puzzles that have several solutions.
    #[inline(always)]
    fn keep_roots(&mut self, mut several: u32) {
        while several != 0 {
            match self.several.last_mut() {
                Some(pack) if pack.len < V::N => several &= !pack.add(several, &self.roots, self.puzzle),
                _ => self.several.push(Pack::new(self.token)),
            }
        }
    }

    /// Loads puzzles into the vacant lanes; returns the lanes that were loaded.
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

    /// Prepares the next puzzles for loading, if there are any.
    #[inline(always)]
    fn refill(&mut self, supply: &mut Supply<'_>) {
        supply.used = 0;
        match supply.source {
            Source::Puzzles(puzzles, without) => {
                let puzzles = &puzzles[supply.next..];
                let len = V::N.min(puzzles.len());
                let mut grids = [Grid::EMPTY.cells(); MAX_LANES];
                for (grid, puzzle) in grids.iter_mut().zip(&puzzles[..len]) {
                    *grid = puzzle.cells();
                }
                decode(&grids, &mut self.fresh.state);
                for (i, &(cell, digit)) in without.iter().skip(supply.next).take(len).enumerate() {
                    remove(&mut self.fresh.state, i, usize::from(cell), usize::from(digit));
                }
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

    /// Returns the lanes whose puzzles have taken longer than `most`; `elapsed` is the duration of the search so far.
    #[cold]
    fn late(&self, lanes: u32, most: Duration, elapsed: Duration, shares: &Shares) -> u32 {
        let share = shares.of_time(most, elapsed);
        lanes_of(lanes).filter(|&i| shares.of(self.since[i]) > share).fold(0, |late, i| late | 1 << i)
    }

    /// Returns the lanes that have used up all their guesses.
    #[inline(always)]
    fn without_guesses(&self, lanes: u32, max_guesses: Option<u64>) -> u32 {
        let Some(most) = max_guesses else { return 0 };
        lanes_of(lanes).filter(|&i| self.guesses[i] >= most).fold(0, |without, i| without | 1 << i)
    }

    /// Makes the solutions of graves count twice. Returns the lanes that are certain to have a solution. That solution
    /// can be counted right away because it is not the puzzle's first.
    #[inline(always)]
    fn count_twice(&mut self, graves: u32) -> u32 {
        for i in lanes_of(graves) {
            self.weights[i] = self.weights[i].saturating_mul(2);
        }
        graves & self.found & small_among(&self.state)
    }

    /// Makes a guess in `lanes`, and stores alternatives for the lanes in `aside`.
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

    /// Counts one solution in each lane, multiplied by its weight. Returns the lanes for which it is the first
    /// solution, and those for which it is the last.
    #[inline(always)]
    fn count_solutions(&mut self, lanes: u32) -> (u32, u32) {
        let first = lanes & !self.found;
        self.found |= lanes;
        let mut last = 0;
        for i in lanes_of(lanes) {
            self.solutions[i] = self.solutions[i].saturating_add(self.weights[i]);
            last |= u32::from(self.solutions[i] >= self.most[i]) << i;
        }
        (first, last)
    }

    /// Stores the states of the lanes as solutions of their puzzles.
    #[inline(always)]
    fn keep_solved(&mut self, mut lanes: u32, rows: &mut AnswerRows<'_>) {
        while lanes != 0 {
            lanes &= !self.solved.add(lanes, &self.state, self.puzzle);
            if self.solved.len == V::N {
                self.write_solved(rows);
            }
        }
    }

    /// Writes the stored solutions to their rows.
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
}

#[inline(always)]
const fn every_lane<V: Lanes>() -> u32 {
    u32::MAX >> (32 - V::N)
}

/// Returns the `most` lowest lanes of a mask, or all of them if there are fewer.
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

/// Returns the numbers of the lanes in a mask, in ascending order.
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

/// The bounds on a search.
#[derive(Clone, Copy)]
pub(super) struct Bounds<'a> {
    pub limits: &'a Limits,
    /// The function that returns the time since the start.
    pub elapsed: &'a dyn Fn() -> Duration,
    pub stop: &'a AtomicBool,
}

/// The source of the puzzles for a search.
#[derive(Clone, Copy)]
enum Source<'a> {
    /// The puzzles of a call. The second slice is empty or gives, for each puzzle, a cell and a digit to exclude from
    /// it.
    Puzzles(&'a [Grid], &'a [(u8, u8)]),
    /// The roots that the counting search stored.
    Several,
}

/// The puzzles that remain to be loaded.
struct Supply<'a> {
    source: Source<'a>,
    /// The index of the first puzzle or pack that has not been prepared yet.
    next: usize,
    /// The number of prepared puzzles that have been loaded.
    used: usize,
}
