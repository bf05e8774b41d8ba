//! The bins of a measure, mostly spaced evenly on a logarithmic axis. Their counts are exact.

use std::ops::Range;

use super::measure::{COUNT, MEASURES};
use crate::pipeline::distribution::{BUCKETS, start_of};

/// The edges of the bins of one measure.
#[derive(Clone, Debug)]
pub(super) struct Edges {
    /// The first value of each bin, in ascending order; the first is 0.
    first: Vec<u64>,
    /// The last value of each bin.
    last: Vec<u64>,
    /// The bin in which each bucket of [`crate::pipeline::distribution`] starts. A bucket is less than 1 % wide and a
    /// bin more than 20 %. So the bucket ends in the same bin or the next.
    of_bucket: Vec<u8>,
}

pub(super) type Axes = [Edges; COUNT];

/// Returns the edges of the bins of every measure.
pub(super) fn axes() -> Axes {
    MEASURES.each_ref().map(|measure| Edges::new((measure.bins)()))
}

impl Edges {
    /// Returns bins that begin at 0 and at each of these values.
    fn new(later: Vec<u64>) -> Self {
        let first: Vec<_> = [0].into_iter().chain(later).collect();
        let last = first[1..].iter().map(|next| next - 1).chain([u64::MAX]).collect();
        let bin = |value| first.partition_point(|&first| first <= value) - 1;
        let bin = |bucket| u8::try_from(bin(start_of(bucket))).expect("there are fewer than 256 bins");
        Self { of_bucket: (0..BUCKETS).map(bin).collect(), first, last }
    }

    /// Returns the number of bins.
    pub const fn len(&self) -> usize {
        self.first.len()
    }

    /// Returns the bin of a value, whose bucket [`crate::pipeline::distribution::Distribution::add`] returned.
    #[inline]
    pub fn bin(&self, bucket: usize, value: u64) -> usize {
        let bin = usize::from(self.of_bucket[bucket]);
        bin + usize::from(value > self.last[bin])
    }

    /// Returns the values of a bin; the last one ends at `u64::MAX`.
    pub fn range(&self, bin: usize) -> Range<u64> {
        self.first[bin]..self.first.get(bin + 1).copied().unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::super::measure::{GUESSES, TIME};
    use super::*;
    use crate::pipeline::distribution::Distribution;

    fn bin(edges: &Edges, value: u64) -> usize {
        edges.bin(Distribution::default().add(value), value)
    }

    #[test]
    fn every_value_is_in_the_range_of_its_bin() {
        for edges in axes() {
            assert!(edges.first.is_sorted_by(|a, b| a < b), "{edges:?}");
            let around_edges = edges.first.iter().flat_map(|&edge| [edge.saturating_sub(1), edge, edge + 1]);
            for value in (0..10_000).chain((0..63).map(|bit| 1_u64 << bit)).chain(around_edges) {
                assert!(edges.range(bin(&edges, value)).contains(&value), "{value}");
            }
            assert_eq!(bin(&edges, u64::MAX), edges.len() - 1);
        }
    }

    #[test]
    fn small_numbers_of_guesses_have_bins_of_their_own() {
        let edges = &axes()[GUESSES];
        let ranges: Vec<_> = (0..8).map(|bin| edges.range(bin)).collect();
        assert_eq!(ranges, [0..1, 1..2, 2..3, 3..4, 4..6, 6..10, 10..16, 16..25]);
        assert_eq!(bin(edges, 1_000_000_000), edges.len() - 1);
    }

    #[test]
    fn decades_of_time_start_bins() {
        let edges = &axes()[TIME];
        for exponent in 1..=13 {
            assert_eq!(edges.range(bin(edges, 10_u64.pow(exponent))).start, 10_u64.pow(exponent));
        }
    }
}
