//! Medians and how certain they are.
//!
//! Times on a machine that also does other things are not normally distributed: a few are far too long. That does
//! not affect the median, and its interval needs no assumption either: each value lies below the true median
//! with probability one half, so the number of values below it is binomial, and two of the ordered values
//! enclose it with a probability that can be computed (Hettmansperger, "Statistical Inference Based on Ranks").

/// The probability that the interval of an [`Estimate`] contains the true median, at least.
const CONFIDENCE: f64 = 0.95;

/// Blocks into which values are cut by time.
const BLOCKS: usize = 10;

/// A median and the interval that contains the true one with a probability of 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The median of the values.
    pub median: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// The median of `values`, `None` if there are none.
    ///
    /// Fewer than six values have no 95 % interval; theirs is from the smallest to the largest.
    #[must_use]
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let last = values.len().checked_sub(1)?;
        let outside = values_outside(values.len()).unwrap_or(0);
        let median = f64::midpoint(values[last / 2], values[last.div_ceil(2)]);
        Some(Self { median, low: values[outside], high: values[last - outside] })
    }

    /// The median of `values`, which come in the order of time, and how far it wandered meanwhile; `None` if
    /// there are none.
    ///
    /// Noise lasts longer than a value, so that neighbours are alike and the interval of [`Estimate::of`] is too
    /// narrow. These are batch means with medians (Schmeiser, "Batch Size Effects in the Analysis of
    /// Simulation Output", 1982): the values are cut into ten blocks, and the interval is that of the medians
    /// of the blocks, from the second to the last but one. If the blocks, unlike the values, are independent,
    /// it contains the true median with a probability of 1 - 22 / 2^10 = 97.9 %. Noise that lasts longer than
    /// a block makes it less. Fewer than ten values are a block each.
    #[must_use]
    pub fn of_blocks(values: &[f64]) -> Option<Self> {
        let median = Self::of(values.to_vec())?.median;
        let blocks = values.len().min(BLOCKS);
        let cut = |block: usize| block * values.len() / blocks;
        let medians = (0..blocks).filter_map(|block| Self::of(values[cut(block)..cut(block + 1)].to_vec()));
        let of_blocks = Self::of(medians.map(|estimate| estimate.median).collect())?;
        let (low, high) = (of_blocks.low.min(median), of_blocks.high.max(median));
        Some(Self { median, low, high })
    }

    /// The median and the ends of the interval, as a row holds them.
    pub(super) fn parts(self) -> [Option<f64>; 3] {
        [self.median, self.low, self.high].map(Some)
    }

    /// The estimate of a strictly falling or rising function of what this one estimates.
    #[must_use]
    pub fn map(self, function: impl Fn(f64) -> f64) -> Self {
        let (a, b) = (function(self.low), function(self.high));
        Self { median: function(self.median), low: a.min(b), high: a.max(b) }
    }

    /// The ratio of `self` to `other`, measured separately, not in turns: the interval covers every value that both
    /// may have.
    #[must_use]
    pub fn over(self, other: Self) -> Self {
        Self { median: self.median / other.median, low: self.low / other.high, high: self.high / other.low }
    }
}

/// How many times as large each of the values of `of` is as its partner of `over`.
pub(super) fn ratios(of: &[f64], over: &[f64]) -> Vec<f64> {
    of.iter().zip(over).map(|(a, b)| a / b).collect()
}

/// How many of `count` ordered values lie outside the interval at each end; `None` if even all of them are
/// too few for it.
///
/// It is the largest `k` for which fewer than `k + 1` values lie below the true median with a probability of
/// at most 2.5 %.
fn values_outside(count: usize) -> Option<usize> {
    let n = count as f64;
    // Logarithms, since one half to the power of some thousands is 0 to an f64.
    let mut log_probability = -n * std::f64::consts::LN_2;
    let mut tail = log_probability.exp();
    let mut outside = None;
    for k in 0..count {
        if tail > (1.0 - CONFIDENCE) / 2.0 {
            break;
        }
        outside = Some(k);
        let k = k as f64;
        log_probability += ((n - k) / (k + 1.0)).ln();
        tail += log_probability.exp();
    }
    outside
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ranks, from 1, of the lower ends in the published tables of confidence intervals for a median
    /// (as in Conover, "Practical Nonparametric Statistics", from the table of the binomial distribution).
    #[test]
    fn the_ranks_are_those_of_the_published_table() {
        for (count, rank) in [(6, 1), (8, 1), (9, 2), (10, 2), (12, 3), (15, 4), (20, 6), (25, 8), (50, 18)] {
            assert_eq!(values_outside(count), Some(rank - 1), "{count} values");
        }
        assert!((0..6).all(|count| values_outside(count).is_none()));
    }

    /// Twenty slow values in a row among a hundred hardly move the median and its 95 % interval, but they fill
    /// two blocks.
    #[test]
    fn blocks_show_noise_that_lasts() {
        let values: Vec<f64> = (0..100)
            .map(|at| f64::from(at % 2) * 0.01 + if (40..60).contains(&at) { 2.0 } else { 1.0 })
            .collect();
        let blocks = Estimate::of_blocks(&values).unwrap();
        assert!((blocks.low - 1.005).abs() < 1e-9 && (blocks.high - 2.005).abs() < 1e-9, "{blocks:?}");
        assert!(Estimate::of(values).unwrap().high < 1.02);
        let few = Estimate::of_blocks(&[3.0, 1.0, 2.0]).unwrap();
        assert_eq!(few, Estimate { median: 2.0, low: 1.0, high: 3.0 });
        // No value is left out when they do not go into ten equal blocks.
        let steps: Vec<f64> = (0..19).map(f64::from).collect();
        assert_eq!(Estimate::of_blocks(&steps), Some(Estimate { median: 9.0, low: 1.5, high: 15.5 }));
        assert_eq!(Estimate::of_blocks(&[]), None);
    }

    /// For a few values every pattern of below and above is counted.
    #[test]
    fn the_interval_covers_as_often_as_all_patterns_say() {
        for count in 6..=16_usize {
            let outside = values_outside(count).unwrap();
            // The interval misses on the left when `outside` values or fewer lie below the median.
            let misses = |most: usize| {
                (0..1_u32 << count).filter(|pattern| pattern.count_ones() as usize <= most).count() as f64
                    / f64::from(1_u32 << count)
            };
            assert!(2.0 * misses(outside) <= 0.05, "{count} values");
            assert!(2.0 * misses(outside + 1) > 0.05, "{count} values");
        }
    }

    #[test]
    fn thousands_of_values_have_an_interval_near_the_normal_one() {
        // Half of 10,000 less 1.96 times the deviation of 50.
        let outside = values_outside(10_000).unwrap();
        assert!((4899..=4903).contains(&outside), "{outside}");
    }

    #[test]
    fn medians_of_even_and_odd_numbers_of_values() {
        let estimate = |values: &[f64]| Estimate::of(values.to_vec()).unwrap();
        assert_eq!(estimate(&[3.0, 1.0, 2.0]), Estimate { median: 2.0, low: 1.0, high: 3.0 });
        assert_eq!(estimate(&[4.0, 1.0, 2.0, 3.0]), Estimate { median: 2.5, low: 1.0, high: 4.0 });
        let nine = estimate(&[9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]);
        assert_eq!(nine, Estimate { median: 5.0, low: 2.0, high: 8.0 });
        assert_eq!(Estimate::of(Vec::new()), None);
    }

    /// A machine that is ten times as slow in some rounds hits both: the ratio is exact.
    #[test]
    fn ratios_of_pairs_do_not_mind_noise_that_both_share() {
        let noise = [1.0, 10.0, 1.0, 3.0, 1.0, 7.0, 1.0];
        let (slow, fast) = (noise.map(|noise| 6.0 * noise), noise.map(|noise| 2.0 * noise));
        assert_eq!(ratios(&slow, &fast), [3.0; 7]);
    }

    #[test]
    fn ends_change_places_under_a_falling_function() {
        let estimate = Estimate { median: 2.0, low: 1.0, high: 4.0 };
        assert_eq!(estimate.map(|x| 1.0 / x), Estimate { median: 0.5, low: 0.25, high: 1.0 });
        assert_eq!(estimate.over(estimate), Estimate { median: 1.0, low: 0.25, high: 4.0 });
    }
}
