//! Bins for times and guesses, evenly spaced on a logarithmic axis, counted exactly.
//!
//! Twenty bins a decade for times. Guesses are small whole numbers for the most part: 0, 1, 2 and 3 have
//! bins of their own, zero above all, because a puzzle without a guess is of another kind.

use std::ops::Range;

use crate::pipeline::distribution::{BUCKETS, start_of};

/// First time, in nanoseconds, of each bin but the first, which starts at 0; the last has no end.
const TIME_STEPS: usize = 20;
const TIME_DECADES: usize = 12;
/// Number of bins of times: below 10 ns, then up to 10^13 ns (2.8 hours), then beyond.
pub(super) const TIME_BINS: usize = 2 + TIME_STEPS * TIME_DECADES;

/// First guesses of the bins within the first and within every later decade.
const FIRST_GUESSES: [u64; 6] = [0, 1, 2, 3, 4, 6];
const GUESS_STEPS: [u64; 5] = [10, 16, 25, 40, 63];
const GUESS_DECADES: usize = 8;
/// Number of bins of guesses; the last holds a billion and more.
pub(super) const GUESS_BINS: usize = FIRST_GUESSES.len() + GUESS_STEPS.len() * GUESS_DECADES + 1;

/// Where the bins of one number lie.
#[derive(Clone, Debug)]
pub(super) struct Edges {
    /// The first value of each bin, in ascending order; the first is 0.
    first: Vec<u64>,
    /// The last value of each bin.
    last: Vec<u64>,
    /// The bin in which each bucket of [`crate::pipeline::distribution`] starts. A bucket is less than 1 % wide and
    /// a bin more than 12 %, so the bucket ends there or in the next bin.
    of_bucket: Vec<u8>,
}

/// The bins of both numbers.
#[derive(Clone, Debug)]
pub(super) struct Axes {
    pub times: Edges,
    pub guesses: Edges,
}

impl Axes {
    pub fn new() -> Self {
        Self { times: Edges::of_times(), guesses: Edges::of_guesses() }
    }
}

impl Edges {
    fn new(first: Vec<u64>) -> Self {
        let last = first[1..].iter().map(|next| next - 1).chain([u64::MAX]).collect();
        let bin = |value| first.partition_point(|&first| first <= value) - 1;
        let bin = |bucket| u8::try_from(bin(start_of(bucket))).expect("there are fewer than 256 bins");
        Self { of_bucket: (0..BUCKETS).map(bin).collect(), first, last }
    }

    /// Those of times in nanoseconds.
    fn of_times() -> Self {
        let steps = (0..=TIME_STEPS * TIME_DECADES).map(|step| {
            let decades = 1.0 + step as f64 / TIME_STEPS as f64;
            10_f64.powf(decades).round() as u64
        });
        Self::new([0].into_iter().chain(steps).collect())
    }

    /// Those of guesses.
    fn of_guesses() -> Self {
        let later = (0..GUESS_DECADES as u32)
            .flat_map(|decade| GUESS_STEPS.map(|step| step * 10_u64.pow(decade)))
            .chain([10_u64.pow(1 + GUESS_DECADES as u32)]);
        Self::new(FIRST_GUESSES.into_iter().chain(later).collect())
    }

    /// The bin of a value that lies in a bucket, as [`crate::pipeline::distribution::Counts::add`] says.
    #[inline]
    pub fn bin(&self, bucket: usize, value: u64) -> usize {
        let bin = usize::from(self.of_bucket[bucket]);
        bin + usize::from(value > self.last[bin])
    }

    /// The values of a bin; the last one ends at `u64::MAX`.
    pub fn range(&self, bin: usize) -> Range<u64> {
        self.first[bin]..self.first.get(bin + 1).copied().unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::distribution::Counts;

    fn bin(edges: &Edges, value: u64) -> usize {
        edges.bin(Counts::default().add(value), value)
    }

    #[test]
    fn every_value_is_in_the_range_of_its_bin() {
        for (edges, bins) in [(Edges::of_times(), TIME_BINS), (Edges::of_guesses(), GUESS_BINS)] {
            assert_eq!(edges.first.len(), bins);
            assert!(edges.first.is_sorted_by(|a, b| a < b), "{edges:?}");
            let around_edges = edges.first.iter().flat_map(|&edge| [edge.saturating_sub(1), edge, edge + 1]);
            for value in (0..10_000).chain((0..63).map(|bit| 1_u64 << bit)).chain(around_edges) {
                assert!(edges.range(bin(&edges, value)).contains(&value), "{value}");
            }
            assert_eq!(bin(&edges, u64::MAX), bins - 1);
        }
    }

    #[test]
    fn small_numbers_of_guesses_have_bins_of_their_own() {
        let edges = Edges::of_guesses();
        let ranges: Vec<_> = (0..8).map(|bin| edges.range(bin)).collect();
        assert_eq!(ranges, [0..1, 1..2, 2..3, 3..4, 4..6, 6..10, 10..16, 16..25]);
        assert_eq!(bin(&edges, 1_000_000_000), GUESS_BINS - 1);
    }

    #[test]
    fn decades_of_time_start_bins() {
        let edges = Edges::of_times();
        for exponent in 1..=13 {
            assert_eq!(edges.range(bin(&edges, 10_u64.pow(exponent))).start, 10_u64.pow(exponent));
        }
    }
}
