//! The statistics of a distribution that a report shows, and their names.

use serde::Serialize;

use crate::pipeline::distribution::Distribution;

/// Summary statistics of a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Spread {
    /// The smallest value (exact).
    pub min: u64,
    /// The 10th percentile, accurate to 1 %, like all the quantiles.
    pub p10: u64,
    /// The lower quartile.
    pub p25: u64,
    /// The median.
    pub p50: u64,
    /// The upper quartile.
    pub p75: u64,
    /// The 90th percentile.
    pub p90: u64,
    /// The 99th percentile.
    pub p99: u64,
    /// The largest value (exact).
    pub max: u64,
    /// The mean (exact).
    pub mean: f64,
}

impl Spread {
    /// Returns the statistics of a distribution, or `None` if it is empty.
    pub fn of(distribution: &Distribution) -> Option<Self> {
        let min = distribution.least()?;
        let quantile = |share| distribution.quantile(share);
        Some(Self {
            min,
            p10: quantile(0.1),
            p25: quantile(0.25),
            p50: quantile(0.5),
            p75: quantile(0.75),
            p90: quantile(0.9),
            p99: quantile(0.99),
            max: distribution.most(),
            mean: distribution.sum() as f64 / distribution.count() as f64,
        })
    }
}

/// A single statistic of a distribution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figure {
    /// The name, and a short form for headings.
    pub name: &'static str,
    pub short: &'static str,
    pub of: fn(&Spread) -> f64,
}

impl Figure {
    const fn new(name: &'static str, short: &'static str, of: fn(&Spread) -> f64) -> Self {
        Self { name, short, of }
    }
}

pub(super) const MEDIAN: Figure = Figure::new("Median", "median", |spread| spread.p50 as f64);
pub(super) const P90: Figure = Figure::new("90th percentile", "p90", |spread| spread.p90 as f64);
pub(super) const P99: Figure = Figure::new("99th percentile", "p99", |spread| spread.p99 as f64);
pub(super) const MAX: Figure = Figure::new("Maximum", "max", |spread| spread.max as f64);
pub(super) const MEAN: Figure = Figure::new("Mean", "mean", |spread| spread.mean);

/// All statistics, in the order in which they are listed.
pub(super) static FIGURES: [Figure; 9] = [
    Figure::new("Minimum", "min", |spread| spread.min as f64),
    Figure::new("10th percentile", "p10", |spread| spread.p10 as f64),
    Figure::new("Lower quartile", "p25", |spread| spread.p25 as f64),
    MEDIAN,
    Figure::new("Upper quartile", "p75", |spread| spread.p75 as f64),
    P90,
    P99,
    MAX,
    MEAN,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_known_values() {
        let mut distribution = Distribution::default();
        assert_eq!(Spread::of(&distribution), None);
        for value in 1..=100 {
            distribution.add(value);
        }
        // Every value below 256 has a bucket of its own, so the quantiles are exact.
        let expected =
            Spread { min: 1, p10: 10, p25: 25, p50: 50, p75: 75, p90: 90, p99: 99, max: 100, mean: 50.5 };
        assert_eq!(Spread::of(&distribution), Some(expected));
    }
}
