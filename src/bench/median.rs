//! Medians with confidence intervals.
//!
//! Times measured on a busy machine are not normally distributed: a few are far too long. Such outliers hardly affect
//! the median, and its interval requires no assumption about the distribution. Each value is below the true median with
//! probability one half, so the number of values below it follows a binomial distribution. The probability that two of
//! the sorted values enclose the median can therefore be computed (Hettmansperger, "Statistical Inference Based on
//! Ranks").

/// The minimum probability that the interval of an [`Estimate`] contains the true median.
const CONFIDENCE: f64 = 0.95;

/// The number of blocks of consecutive values.
const BLOCKS: usize = 10;

/// A median, and an interval that contains the true median with a probability of 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Estimate {
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

impl Estimate {
    /// Returns the median of `values`, or `None` if there are none.
    ///
    /// With fewer than six values, no interval reaches 95 %, so the interval runs from the smallest value to the
    /// largest.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let last = values.len().checked_sub(1)?;
        let outside = values_outside(values.len()).unwrap_or(0);
        let median = f64::midpoint(values[last / 2], values[last.div_ceil(2)]);
        Some(Self { median, low: values[outside], high: values[last - outside] })
    }

    /// Returns the median of `values`, which are in chronological order, along with the range of the block medians.
    /// Returns `None` if there are no values.
    ///
    /// Noise lasts longer than a single value, so neighbouring values are alike, and the interval of [`Estimate::of`]
    /// is too narrow. As in the method of batch means (Schmeiser, "Batch Size Effects in the Analysis of Simulation
    /// Output", 1982), the values are divided into ten blocks. If there are fewer values, each gets its own block. The
    /// range runs from the second smallest block median to the second largest. Blocks, unlike values, can be
    /// independent. In that case the range contains the true median with a probability of 1 - 22 / 2^10 = 97.9 %. Noise
    /// that lasts longer than a block lowers this probability.
    pub fn of_blocks(values: &[f64]) -> Option<Self> {
        let median = Self::of(values.to_vec())?.median;
        let blocks = values.len().min(BLOCKS);
        let cut = |block: usize| block * values.len() / blocks;
        let medians = (0..blocks).filter_map(|block| Self::of(values[cut(block)..cut(block + 1)].to_vec()));
        let of_blocks = Self::of(medians.map(|estimate| estimate.median).collect())?;
        let (low, high) = (of_blocks.low.min(median), of_blocks.high.max(median));
        Some(Self { median, low, high })
    }

    /// Returns the median and the ends of the interval, in the order used in a row.
    pub fn parts(estimate: Option<Self>) -> [Option<f64>; 3] {
        estimate.map_or([None; 3], |Self { median, low, high }| [median, low, high].map(Some))
    }

    /// Converts an estimate of the seconds that `times` items take into items per second.
    pub fn per_second(self, times: f64) -> Self {
        Self { median: times / self.median, low: times / self.high, high: times / self.low }
    }
}

/// Returns how many of `count` sorted values lie outside the interval at each end, or `None` if `count` is too small.
///
/// This is the largest `k` such that the probability of at most `k` values below the true median is no more than 2.5 %.
fn values_outside(count: usize) -> Option<usize> {
    let n = count as f64;
    // The calculation uses logarithms because 0.5 to the power of several thousand underflows to 0 in an f64.
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

    /// The ranks of the lower ends, counted from 1, are published in tables of confidence intervals for a median. One
    /// such table is in Conover, "Practical Nonparametric Statistics", derived from the table of the binomial
    /// distribution.
    #[test]
    fn the_ranks_are_those_of_the_published_table() {
        for (count, rank) in [(6, 1), (8, 1), (9, 2), (10, 2), (12, 3), (15, 4), (20, 6), (25, 8), (50, 18)] {
            assert_eq!(values_outside(count), Some(rank - 1), "{count} values");
        }
        assert!((0..6).all(|count| values_outside(count).is_none()));
    }

    /// Twenty consecutive slow values in a hundred hardly move the median and its 95 % interval, but they fill two
    /// blocks.
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
        // Every value is used, even if the blocks cannot all be the same size.
        let steps: Vec<f64> = (0..19).map(f64::from).collect();
        assert_eq!(Estimate::of_blocks(&steps), Some(Estimate { median: 9.0, low: 1.5, high: 15.5 }));
        assert_eq!(Estimate::of_blocks(&[]), None);
    }

    #[test]
    fn thousands_of_values_have_an_interval_near_the_normal_one() {
        // The expected value is half of 10,000, minus 1.96 times the standard deviation, which is 50.
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
}
