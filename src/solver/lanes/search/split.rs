//! Searching one puzzle with several lanes.
//!
//! Once there are no puzzles left, vacant lanes help with counting (the standard term is *work stealing*). The search
//! of a split puzzle is a list of *parts*, in the order in which a single lane would search them. So their solutions
//! and guesses add up to the numbers that a single lane would count. A part is waiting, being searched by a lane, or
//! over. A vacant lane takes one alternative from the first part that is waiting, or from the first stack that is large
//! enough to be split. So all lanes search near the front of the list, and later parts are split only when the lanes
//! get there.
//!
//! **The limit.** A single lane would stop at the solution that reaches the limit. Once all parts before a part are
//! over, the number of solutions still needed is known, and the part stops at that number. If it has already found that
//! many, its guesses up to that point are unknown. The part is then searched again, and those after it are dropped. A
//! part stops after a small fraction of the solutions counted so far, and the rest of its stack waits. So hardly
//! anything is searched twice or in vain.
//!
//! **The first solution** of a puzzle is always found before it is split.

use std::collections::VecDeque;

use super::stack::NO_FRAME;
use super::{LaneSearch, every_lane, lanes_of};
use crate::solver::lanes::vector::{LaneState, Lanes, MAX_LANES, WORDS};

/// The minimum number of alternatives in a stack that is split; searching fewer takes less time than moving them.
const LEAST_ALTERNATIVES: usize = 8;

/// The number of alternatives that stay on a stack when it is split.
const KEPT_ALTERNATIVES: usize = 4;

/// The maximum number of parts per puzzle, each of which stores a state.
const MOST_PARTS: usize = 256;

type State = [u32; WORDS];

/// The search of one puzzle with several lanes.
pub(super) struct Split {
    puzzle: u32,
    /// The parts, in search order. Parts at the front that are over get added up and removed.
    parts: VecDeque<Part>,
    /// The total solutions and guesses of the removed parts.
    solutions: u64,
    guesses: u64,
    /// The time shares of the lanes whose parts are over.
    given: f64,
    /// The state at the puzzle's first guess.
    root: State,
}

/// A part of a puzzle's search.
enum Part {
    /// The alternatives that no lane is searching yet, starting with those at the bottom of a stack.
    Waiting(Vec<State>),
    Searched {
        lane: usize,
        begun: Begun,
    },
    Over {
        solutions: u64,
        guesses: u64,
        begun: Begun,
    },
}

/// A part whose search has begun.
#[derive(Clone, Copy)]
struct Begun {
    /// The alternative that the part started with.
    start: State,
    /// Whether the part stops at the solution that reaches the limit.
    is_exact: bool,
}

impl Part {
    fn lane(&self) -> Option<usize> {
        match self {
            Self::Searched { lane, .. } => Some(*lane),
            Self::Waiting(_) | Self::Over { .. } => None,
        }
    }
}

/// The progress of a split puzzle.
enum Progress {
    Ongoing,
    /// Everything has been counted, or the limit has been reached.
    Done,
    /// The first part has found too many solutions. It must be searched again from this state to count its guesses.
    Again(State),
}

impl Split {
    /// Returns the lanes that are searching parts.
    fn lanes(&self) -> u32 {
        self.parts.iter().filter_map(Part::lane).fold(0, |lanes, lane| lanes | 1 << lane)
    }

    /// Returns the solution count at which a part that starts now should stop.
    fn most(&self, limit: u64) -> u64 {
        (limit - self.solutions).min((self.solutions / 32).clamp(128, 2048))
    }

    /// Adds up the parts at the front of the list that are over. `counted` is the number of solutions that each lane
    /// has found, and `most` the number at which it stops.
    fn advance(&mut self, limit: u64, counted: &[u64; MAX_LANES], most: &mut [u64; MAX_LANES]) -> Progress {
        while let Some(first) = self.parts.front_mut() {
            let left = limit - self.solutions;
            match first {
                Part::Waiting(_) => return Progress::Ongoing,
                Part::Searched { lane, begun } if begun.is_exact || counted[*lane] < left => {
                    begun.is_exact = true;
                    most[*lane] = left.min(most[*lane]);
                    return Progress::Ongoing;
                }
                Part::Over { solutions, guesses, begun } if begun.is_exact || *solutions < left => {
                    self.solutions += left.min(*solutions);
                    self.guesses += *guesses;
                    self.parts.pop_front();
                    if self.solutions == limit {
                        break;
                    }
                }
                Part::Searched { begun, .. } | Part::Over { begun, .. } => {
                    return Progress::Again(begun.start);
                }
            }
        }
        Progress::Done
    }
}

impl<V: Lanes> LaneSearch<V> {
    /// Ends the parts of split puzzles whose lanes have finished. Returns the lanes whose whole puzzle is finished, and
    /// the lanes that are now vacant, including other lanes of the same puzzles.
    #[cold]
    #[inline(never)]
    pub(super) fn end_parts(&mut self, finished: u32, limit: u64, now: f64) -> (u32, u32) {
        let mut vacant = 0;
        for lane in lanes_of(finished) {
            if vacant >> lane & 1 == 1 {
                continue;
            }
            let Some((number, place, begun)) = self.part_of(lane) else { continue };
            vacant |= 1 << lane;
            let rest = self.take_from_stack(lane, 0);
            let split = &mut self.splits[number];
            let (solutions, guesses) = (self.solutions[lane], self.guesses[lane]);
            split.parts[place] = Part::Over { solutions, guesses, begun };
            if !rest.is_empty() {
                split.parts.insert(place + 1, Part::Waiting(rest));
            }
            split.given += now - self.since[lane];
            let progress = split.advance(limit, &self.solutions, &mut self.most);
            if matches!(progress, Progress::Ongoing) {
                continue;
            }
            let others = split.lanes();
            split.given += lanes_of(others).map(|i| now - self.since[i]).sum::<f64>();
            split.parts.clear();
            vacant |= others;
            if let Progress::Again(start) = progress {
                split.parts.push_back(Part::Waiting(vec![start]));
            } else {
                let split = self.splits.swap_remove(number);
                (self.solutions[lane], self.guesses[lane]) = (split.solutions, split.guesses);
                self.since[lane] = now - split.given;
                set_lane(&mut self.roots, lane, &split.root);
                vacant &= !(1 << lane);
            }
            self.empty_stacks(others);
        }
        (finished & !vacant, vacant)
    }

    /// Gives parts to vacant lanes as long as there are any; returns the lanes that got one.
    #[cold]
    #[inline(never)]
    pub(super) fn help(&mut self, occupied: u32, limit: u64, now: f64) -> u32 {
        let mut helping = 0;
        for lane in lanes_of(every_lane::<V>() & !occupied) {
            let Some((number, place)) = self.next_part(occupied) else { break };
            let split = &mut self.splits[number];
            let Part::Waiting(alternatives) = &mut split.parts[place] else { unreachable!("it waits") };
            let start = alternatives.pop().expect("a part that waits has alternatives");
            let is_last = alternatives.is_empty();
            let part = Part::Searched { lane, begun: Begun { start, is_exact: place == 0 } };
            if is_last {
                split.parts[place] = part;
            } else {
                split.parts.insert(place, part);
            }
            self.puzzle.set_lane(lane, split.puzzle);
            set_lane(&mut self.state, lane, &start);
            self.since[lane] = now;
            (self.solutions[lane], self.guesses[lane], self.weights[lane]) = (0, 0, 1);
            self.most[lane] = split.most(limit);
            self.found |= 1 << lane;
            helping |= 1 << lane;
        }
        helping
    }

    /// Returns the part that a lane is searching: the index of the split puzzle, the place of the part, and how the
    /// part began.
    fn part_of(&self, lane: usize) -> Option<(usize, usize, Begun)> {
        self.splits.iter().enumerate().find_map(|(number, split)| {
            split.parts.iter().enumerate().find_map(|(place, part)| match part {
                Part::Searched { lane: other, begun } if *other == lane => Some((number, place, *begun)),
                _ => None,
            })
        })
    }

    /// Returns the index of a split puzzle and of its first waiting part, or splits a part off a stack if none is
    /// waiting.
    fn next_part(&mut self, occupied: u32) -> Option<(usize, usize)> {
        for (number, split) in self.splits.iter().enumerate() {
            for (place, part) in split.parts.iter().enumerate() {
                if place > 0 && split.parts.len() >= MOST_PARTS {
                    break;
                }
                match part {
                    Part::Waiting(_) => return Some((number, place)),
                    Part::Searched { lane, .. } if self.is_large(*lane) => {
                        return Some((number, self.split_stack(number, place, *lane)));
                    }
                    Part::Searched { .. } | Part::Over { .. } => {}
                }
            }
        }
        let in_splits = self.splits.iter().fold(0, |lanes, split| lanes | split.lanes());
        let lane = lanes_of(occupied & self.found & !in_splits).find(|&lane| self.is_large(lane))?;
        let root = lane_of(&self.roots, lane);
        // This part is exact, so it never has to be searched again.
        let begun = Begun { start: root, is_exact: true };
        self.splits.push(Split {
            puzzle: self.puzzle.lane(lane),
            parts: [Part::Searched { lane, begun }].into(),
            solutions: 0,
            guesses: 0,
            given: 0.0,
            root,
        });
        let number = self.splits.len() - 1;
        Some((number, self.split_stack(number, 0, lane)))
    }

    fn is_large(&self, lane: usize) -> bool {
        self.stack(lane).nth(LEAST_ALTERNATIVES - 1).is_some()
    }

    /// Turns the lower alternatives of a lane's stack into a part; returns the place of the part.
    fn split_stack(&mut self, number: usize, place: usize, lane: usize) -> usize {
        let alternatives = self.take_from_stack(lane, KEPT_ALTERNATIVES);
        self.splits[number].parts.insert(place + 1, Part::Waiting(alternatives));
        place + 1
    }

    /// Returns the frames of a lane's stack, starting at the top.
    fn stack(&self, lane: usize) -> impl Iterator<Item = u32> {
        let on_stack = |frame: u32| (frame != NO_FRAME).then_some(frame);
        let below = move |&frame: &u32| on_stack(self.frames[frame as usize].below.lane(lane));
        std::iter::successors(on_stack(self.top.lane(lane)), below)
    }

    /// Removes all but the top `kept` alternatives from a lane's stack; returns them, starting at the bottom.
    fn take_from_stack(&mut self, lane: usize, kept: usize) -> Vec<State> {
        let stack: Vec<u32> = self.stack(lane).collect();
        let (kept, taken) = stack.split_at(kept);
        match kept.last() {
            Some(&lowest) => self.frames[lowest as usize].below.set_lane(lane, NO_FRAME),
            None => self.top.set_lane(lane, NO_FRAME),
        }
        let mut states = Vec::with_capacity(taken.len());
        for &frame in taken.iter().rev() {
            states.push(lane_of(&self.frames[frame as usize].state, lane));
            self.frame_lanes[frame as usize] &= !(1 << lane);
        }
        states
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
