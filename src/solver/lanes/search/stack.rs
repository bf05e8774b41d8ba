//! The stacks that hold the lanes' alternatives.
//!
//! The alternatives of one event all go into one *frame*, the first in which their lanes are free. The frame also
//! stores, for each lane, the index of the next frame down. Only a few frames are in use, so they stay in the L1 cache.
//! Lanes that backtrack often tend to share a frame and are blended out of it together. On backends where blends are
//! expensive, a frame must be free in all lanes and is stored as a whole.

use super::{LaneSearch, lanes_of};
use crate::solver::lanes::vector::{LaneState, Lanes, WORDS, blend};

/// The end of a lane's stack.
pub(super) const NO_FRAME: u32 = u32::MAX;

/// The alternatives that one event put aside.
pub(super) struct Frame<V> {
    pub state: LaneState<V>,
    /// The next frame down in each lane's stack.
    pub below: V,
}

impl<V: Lanes> LaneSearch<V> {
    /// Claims a frame in which these lanes are free.
    #[inline(always)]
    pub(super) fn take_frame(&mut self, lanes: u32) -> u32 {
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

    /// Takes the lanes back to the alternative on top of their stacks; returns the lanes that have none.
    #[inline(always)]
    pub(super) fn go_back(&mut self, lanes: u32) -> u32 {
        let none = lanes & !self.stacked();
        let mut rest = lanes & !none;
        while rest != 0 {
            let (frame, group) = self.take_group(rest);
            rest &= !group;
            let mut below = self.top.blend(group, self.frames[frame].below);
            if rest == 0 {
                blend(&mut self.state, group, &self.frames[frame].state);
            } else {
                // Up to three frames are handled in one sweep.
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

    /// Takes the first lane of the mask off its frame, along with the mask's other lanes that have the same frame on
    /// top. Returns the frame, which is still intact, and the removed lanes. The mask must not be empty, and no lane in
    /// it may have an empty stack.
    #[inline(always)]
    fn take_group(&mut self, lanes: u32) -> (usize, u32) {
        let number = self.top.lane(lanes.trailing_zeros() as usize);
        let group = lanes & !self.top.xor(V::splat(self.token, number)).nonzero();
        self.frame_lanes[number as usize] &= !group;
        (number as usize, group)
    }

    /// Returns the lanes that have alternatives.
    #[inline(always)]
    fn stacked(&self) -> u32 {
        self.top.xor(V::splat(self.token, NO_FRAME)).nonzero()
    }

    #[inline(always)]
    pub(super) fn empty_stacks(&mut self, lanes: u32) {
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
