//! One puzzle in several lanes.
//!
//! Once no puzzles are left, vacant lanes help to count (the field calls it *work stealing*). A lane searches its
//! state, then the alternatives of its stack from the top. A split leaves it the upper half of the stack, and the lower
//! half goes to the vacant lane. So the *parts* of a puzzle are in the order in which a single lane would search them,
//! and their solutions and guesses add up to what it would count.
//!
//! **The limit.** A single lane ends with the solution that reaches the limit. Once all parts before it are over, a
//! part knows how many solutions reach the limit, and ends there as well. A part that has already found as many does
//! not know its guesses up to there: it is searched again from its start. Parts are split from the front, so that the
//! first ones are short.
//!
//! **The first solution** of a puzzle is always found before it is split.

use std::collections::VecDeque;

use super::stack::NO_FRAME;
use super::{LaneSearch, lanes_of};
use crate::solver::lanes::vector::{LaneState, Lanes, MAX_LANES, WORDS};

/// The fewest alternatives of a stack that is split: fewer are searched sooner than moved.
const LEAST_ALTERNATIVES: usize = 8;

/// The most parts of a puzzle: each keeps the states it began with.
const MOST_PARTS: usize = 256;

/// The candidates of one puzzle.
type State = [u32; WORDS];

/// The search of one puzzle by several lanes.
pub(super) struct Split {
    /// In the order of the search; those before the first are over.
    parts: VecDeque<Part>,
    /// The solutions and guesses of the parts that are over and removed.
    solutions: u64,
    guesses: u64,
    /// The shares of time of the lanes of parts that are over.
    given: f64,
    /// The state in which the puzzle made its first guess.
    root: State,
}

/// The part of a puzzle that one lane searches.
struct Part {
    /// `None` if it is over.
    lane: Option<usize>,
    /// Its solutions and guesses, once it is over.
    solutions: u64,
    guesses: u64,
    /// The alternatives it began with, from the bottom of the stack.
    start: Vec<State>,
    /// Whether it ends with the solution that reaches the limit.
    is_exact: bool,
}

/// What lanes that have finished their parts do next.
pub(super) struct PartsEnded {
    /// Those that have a finished puzzle.
    pub(super) finished: u32,
    /// Those with nothing to search, including other lanes of the same puzzles.
    pub(super) vacant: u32,
    /// Those that search a part again.
    pub(super) restarted: u32,
}

/// How far a split puzzle has come.
enum Progress {
    Ongoing,
    /// Everything is counted, or the limit is reached.
    Done,
    /// The first part reached the limit, and must be searched again from these states for its guesses.
    Again(Vec<State>),
}

impl Split {
    fn part_of(&mut self, lane: usize) -> Option<&mut Part> {
        self.parts.iter_mut().find(|part| part.lane == Some(lane))
    }

    /// The lanes that search parts.
    fn lanes(&self) -> u32 {
        self.parts.iter().filter_map(|part| part.lane).fold(0, |lanes, lane| lanes | 1 << lane)
    }

    /// Adds up the first parts that are over. `counted` and `most` are the solutions that each lane has found, and at
    /// which it ends.
    fn advance(&mut self, limit: u64, counted: &[u64; MAX_LANES], most: &mut [u64; MAX_LANES]) -> Progress {
        while let Some(first) = self.parts.front_mut() {
            let left = limit - self.solutions;
            let solutions = first.lane.map_or(first.solutions, |lane| counted[lane]);
            match first.lane {
                Some(lane) if solutions < left => {
                    most[lane] = left;
                    first.is_exact = true;
                    return Progress::Ongoing;
                }
                // Its lane will end it.
                Some(_) if first.is_exact => return Progress::Ongoing,
                None if solutions < left || first.is_exact => {
                    self.solutions += solutions;
                    self.guesses += first.guesses;
                    self.parts.pop_front();
                    if self.solutions == limit {
                        break;
                    }
                }
                _ => return Progress::Again(std::mem::take(&mut first.start)),
            }
        }
        Progress::Done
    }
}

impl<V: Lanes> LaneSearch<V> {
    /// Ends the parts of split puzzles whose lanes are finished.
    #[cold]
    #[inline(never)]
    pub(super) fn end_parts(&mut self, finished: u32, limit: u64, now: f64) -> PartsEnded {
        let (mut vacant, mut restarted) = (0, 0);
        for lane in lanes_of(finished) {
            if vacant >> lane & 1 == 1 {
                continue;
            }
            let Some(number) = self.split_of(lane) else { continue };
            let split = &mut self.splits[number];
            let part = split.part_of(lane).expect("it was found above");
            (part.lane, part.solutions, part.guesses) = (None, self.solutions[lane], self.guesses[lane]);
            split.given += now - self.since[lane];
            let progress = split.advance(limit, &self.solutions, &mut self.most);
            let mut emptied = 1 << lane;
            if !matches!(progress, Progress::Ongoing) {
                let others = split.lanes();
                split.given += lanes_of(others).map(|i| now - self.since[i]).sum::<f64>();
                split.parts.clear();
                vacant |= others;
                emptied |= others;
            }
            self.empty_stacks(emptied);
            match progress {
                Progress::Ongoing => vacant |= 1 << lane,
                Progress::Done => {
                    let split = self.splits.swap_remove(number);
                    (self.solutions[lane], self.guesses[lane]) = (split.solutions, split.guesses);
                    self.since[lane] = now - split.given;
                    set_lane(&mut self.roots, lane, &split.root);
                }
                Progress::Again(start) => {
                    let split = &mut self.splits[number];
                    split.parts.push_back(Part::new(lane, true, Vec::new()));
                    let left = limit - split.solutions;
                    self.set_out(lane, &start, left, now);
                    restarted |= 1 << lane;
                }
            }
        }
        PartsEnded { finished: finished & !(vacant | restarted), vacant, restarted }
    }

    /// Gives the lower half of a lane's stack to the first vacant lane; returns that lane, none if no stack is large
    /// enough.
    #[cold]
    #[inline(never)]
    pub(super) fn help(&mut self, occupied: u32, limit: u64, now: f64) -> u32 {
        let Some((donor, stack)) = self.donor(occupied) else { return 0 };
        let vacant = (!occupied).trailing_zeros() as usize;
        let number = self.split_of(donor).unwrap_or_else(|| {
            self.splits.push(Split {
                parts: [Part::new(donor, true, Vec::new())].into(),
                solutions: 0,
                guesses: 0,
                given: 0.0,
                root: lane_of(&self.roots, donor),
            });
            self.splits.len() - 1
        });
        let (kept, given) = stack.split_at(stack.len() / 2);
        let lowest_kept = kept[kept.len() - 1];
        self.frames[lowest_kept as usize].below.set_lane(donor, NO_FRAME);
        let mut start = Vec::with_capacity(given.len());
        for &frame in given.iter().rev() {
            start.push(lane_of(&self.frames[frame as usize].state, donor));
            self.frame_lanes[frame as usize] &= !(1 << donor);
        }
        self.puzzle.set_lane(vacant, self.puzzle.lane(donor));
        self.found |= 1 << vacant;
        self.set_out(vacant, &start, limit - self.splits[number].solutions, now);
        let parts = &mut self.splits[number].parts;
        let place =
            parts.iter().position(|part| part.lane == Some(donor)).expect("the donor searches a part");
        parts.insert(place + 1, Part::new(vacant, false, start));
        1 << vacant
    }

    /// The number of the split puzzle that a lane searches.
    fn split_of(&self, lane: usize) -> Option<usize> {
        self.splits.iter().position(|split| split.lanes() >> lane & 1 == 1)
    }

    /// The lane to help, and its stack from the top: the first lane of a split puzzle with enough alternatives, or else
    /// any that has found a solution.
    fn donor(&self, occupied: u32) -> Option<(usize, Vec<u32>)> {
        let in_splits = self.splits.iter().fold(0, |lanes, split| lanes | split.lanes());
        let waiting = self.splits.iter().filter(|split| split.parts.len() < MOST_PARTS);
        let split = waiting.flat_map(|split| split.parts.iter().filter_map(|part| part.lane));
        let others = lanes_of(occupied & self.found & !in_splits);
        split.chain(others).find_map(|lane| {
            let on_stack = |frame: u32| (frame != NO_FRAME).then_some(frame);
            let below = |&frame: &u32| on_stack(self.frames[frame as usize].below.lane(lane));
            let stack = std::iter::successors(on_stack(self.top.lane(lane)), below);
            let is_worth_it = stack.clone().nth(LEAST_ALTERNATIVES - 1).is_some();
            is_worth_it.then(|| (lane, stack.collect()))
        })
    }

    /// Makes a lane with an empty stack search these alternatives, from the last to the first, for up to `most`
    /// solutions.
    fn set_out(&mut self, lane: usize, start: &[State], most: u64, now: f64) {
        let (state, alternatives) = start.split_last().expect("a part begins with an alternative");
        for alternative in alternatives {
            let number = self.take_frame(1 << lane);
            let frame = &mut self.frames[number as usize];
            set_lane(&mut frame.state, lane, alternative);
            frame.below.set_lane(lane, self.top.lane(lane));
            self.top.set_lane(lane, number);
        }
        set_lane(&mut self.state, lane, state);
        self.since[lane] = now;
        (self.solutions[lane], self.guesses[lane], self.weights[lane]) = (0, 0, 1);
        self.most[lane] = most;
    }
}

impl Part {
    fn new(lane: usize, is_exact: bool, start: Vec<State>) -> Self {
        Self { lane: Some(lane), solutions: 0, guesses: 0, start, is_exact }
    }
}

fn lane_of<V: Lanes>(state: &LaneState<V>, lane: usize) -> State {
    std::array::from_fn(|word| state[word].lane(lane))
}

fn set_lane<V: Lanes>(state: &mut LaneState<V>, lane: usize, words: &State) {
    for (vector, &word) in state.iter_mut().zip(words) {
        vector.set_lane(lane, word);
    }
}
