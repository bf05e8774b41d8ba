//! Bins for times and guesses, evenly spaced on a logarithmic axis, counted exactly.
//!
//! Twenty bins a decade for times. Guesses are small whole numbers for the most part: 0, 1, 2 and 3 have
//! bins of their own, zero above all, because a puzzle without a guess is of another kind.

use std::ops::Range;

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

/// The first value of each bin, in ascending order; the first is 0.
#[derive(Clone, Debug)]
pub(super) struct Edges(Vec<u64>);

impl Edges {
    /// Those of times in nanoseconds.
    pub fn of_times() -> Self {
        let steps = (0..=TIME_STEPS * TIME_DECADES).map(|step| {
            let decades = 1.0 + step as f64 / TIME_STEPS as f64;
            10_f64.powf(decades).round() as u64
        });
        Self([0].into_iter().chain(steps).collect())
    }

    /// Those of guesses.
    pub fn of_guesses() -> Self {
        let later = (0..GUESS_DECADES as u32)
            .flat_map(|decade| GUESS_STEPS.map(|step| step * 10_u64.pow(decade)))
            .chain([10_u64.pow(1 + GUESS_DECADES as u32)]);
        Self(FIRST_GUESSES.into_iter().chain(later).collect())
    }

    /// The bin of a value.
    pub fn bin(&self, value: u64) -> usize {
        self.0.partition_point(|&first| first <= value) - 1
    }

    /// The values of a bin; the last one ends at `u64::MAX`.
    pub fn range(&self, bin: usize) -> Range<u64> {
        self.0[bin]..self.0.get(bin + 1).copied().unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_the_range_of_its_bin() {
        for (edges, bins) in [(Edges::of_times(), TIME_BINS), (Edges::of_guesses(), GUESS_BINS)] {
            assert_eq!(edges.0.len(), bins);
            assert!(edges.0.is_sorted_by(|a, b| a < b), "{edges:?}");
            for value in (0..10_000).chain((0..63).map(|bit| 1_u64 << bit)) {
                assert!(edges.range(edges.bin(value)).contains(&value), "{value}");
            }
            assert_eq!(edges.bin(u64::MAX), bins - 1);
        }
    }

    #[test]
    fn small_numbers_of_guesses_have_bins_of_their_own() {
        let edges = Edges::of_guesses();
        let ranges: Vec<_> = (0..8).map(|bin| edges.range(bin)).collect();
        assert_eq!(ranges, [0..1, 1..2, 2..3, 3..4, 4..6, 6..10, 10..16, 16..25]);
        assert_eq!(edges.bin(1_000_000_000), GUESS_BINS - 1);
    }

    #[test]
    fn decades_of_time_start_bins() {
        let edges = Edges::of_times();
        for exponent in 1..=13 {
            assert_eq!(edges.range(edges.bin(10_u64.pow(exponent))).start, 10_u64.pow(exponent));
        }
    }
}
