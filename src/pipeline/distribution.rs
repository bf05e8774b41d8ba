//! Distributions of numbers: exact sums and extremes, quantiles within [`QUANTILE_ERROR`].
//!
//! A page is counted into [`Counts`], a sparse list of buckets; on one thread these are added to [`Distribution`]s,
//! which wrap an HdrHistogram of two significant digits. Both cut a number to its eight leading bits, so nothing is
//! lost in between.

use hdrhistogram::Histogram;

/// Greatest relative error of a quantile.
pub const QUANTILE_ERROR: f64 = 0.01;
/// Decimal digits for that error.
const SIGNIFICANT_DIGITS: u8 = 2;
/// Leading bits for that many digits.
const SIGNIFICANT_BITS: u32 = 8;
/// Larger numbers are counted as this one: more than a century in nanoseconds.
const LARGEST: u64 = 1 << 62;

/// Exact sum and extremes of some numbers.
#[derive(Clone, Copy, Debug)]
pub struct Totals {
    sum: u128,
    least: u64,
    most: u64,
}

impl Totals {
    /// The totals of no numbers.
    const NONE: Self = Self { sum: 0, least: u64::MAX, most: 0 };

    #[inline]
    fn add(&mut self, value: u64) {
        self.merge(&Self { sum: u128::from(value), least: value, most: value });
    }

    #[inline]
    fn merge(&mut self, other: &Self) {
        self.sum += other.sum;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }
}

/// The distribution of a number.
#[derive(Clone, Debug)]
pub struct Distribution {
    histogram: Histogram<u64>,
    totals: Totals,
}

impl Default for Distribution {
    fn default() -> Self {
        Self::new()
    }
}

impl Distribution {
    /// The distribution of no numbers.
    #[must_use]
    pub fn new() -> Self {
        let histogram = Histogram::new(SIGNIFICANT_DIGITS).expect("2 digits are allowed");
        Self { histogram, totals: Totals::NONE }
    }

    /// Adds a number.
    pub fn add(&mut self, value: u64) {
        self.histogram.record(value.min(LARGEST)).expect("it grows as it must");
        self.totals.add(value);
    }

    /// Adds the numbers of a page.
    pub fn add_counts(&mut self, counts: &Counts) {
        self.add_all(counts.iter(), &counts.totals);
    }

    /// Adds what [`Counts::drain`] gave.
    pub fn add_buckets(&mut self, buckets: &[BucketCount], totals: &Totals) {
        self.add_all(buckets.iter().copied(), totals);
    }

    fn add_all(&mut self, buckets: impl Iterator<Item = BucketCount>, totals: &Totals) {
        for (bucket, count) in buckets {
            let value = start_of(bucket.into()).min(LARGEST);
            self.histogram.record_n(value, count.into()).expect("it grows as it must");
        }
        self.totals.merge(totals);
    }

    /// Adds the numbers of another distribution.
    pub fn merge(&mut self, other: &Self) {
        self.histogram.add(&other.histogram).expect("it grows as it must");
        self.totals.merge(&other.totals);
    }

    /// How many numbers there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// How many of them are 0.
    #[must_use]
    pub fn zeros(&self) -> u64 {
        self.histogram.count_at(0)
    }

    /// Their sum.
    #[must_use]
    pub const fn sum(&self) -> u128 {
        self.totals.sum
    }

    /// The smallest, exact; `None` if there are none.
    #[must_use]
    pub fn least(&self) -> Option<u64> {
        (self.count() > 0).then_some(self.totals.least)
    }

    /// The largest, exact; 0 if there are none.
    #[must_use]
    pub const fn most(&self) -> u64 {
        self.totals.most
    }

    /// The quantile (0 to 1) within 1 %; 0 if there are no numbers.
    #[must_use]
    pub fn quantile(&self, quantile: f64) -> u64 {
        match self.count() {
            0 => 0,
            _ => self.histogram.value_at_quantile(quantile).clamp(self.totals.least, self.totals.most),
        }
    }
}

/// The numbers of one page, counted by their leading bits; reused from page to page.
#[derive(Clone, Debug)]
pub struct Counts {
    /// How often each bucket occurred; 0 unless it is in `occurred`.
    counts: Vec<u32>,
    occurred: Vec<u16>,
    totals: Totals,
}

/// A bucket and how often it occurred.
pub type BucketCount = (u16, u32);

impl Default for Counts {
    fn default() -> Self {
        Self { counts: Vec::new(), occurred: Vec::new(), totals: Totals::NONE }
    }
}

/// Bucket of a number: numbers below 256 have one each, larger ones one for each eight leading bits and length.
#[inline]
const fn bucket_of(value: u64) -> usize {
    // 0 is treated as 1, which is as long, so that the logarithm is defined.
    let bits = (value | 1).ilog2() + 1;
    let shift = bits.saturating_sub(SIGNIFICANT_BITS);
    ((shift as usize) << (SIGNIFICANT_BITS - 1)) + (value >> shift) as usize
}

/// Number of buckets.
pub const BUCKETS: usize = bucket_of(u64::MAX) + 1;

/// Smallest number of a bucket, below [`BUCKETS`].
#[must_use]
pub const fn start_of(bucket: usize) -> u64 {
    let half = 1 << (SIGNIFICANT_BITS - 1);
    let shift = (bucket / half).saturating_sub(1);
    ((bucket - shift * half) as u64) << shift
}

impl Counts {
    /// Adds a number; returns its bucket.
    // Called for every row; the compiler would not inline it.
    #[inline(always)]
    pub fn add(&mut self, value: u64) -> usize {
        let bucket = bucket_of(value);
        if bucket >= self.counts.len() {
            self.grow(bucket);
        }
        let count = &mut self.counts[bucket];
        if *count == 0 {
            self.occurred.push(u16::try_from(bucket).expect("there are some 7,400 buckets"));
        }
        *count += 1;
        self.totals.add(value);
        bucket
    }

    #[cold]
    fn grow(&mut self, bucket: usize) {
        self.counts.resize(bucket + 1, 0);
    }

    /// The buckets that occurred, and how often.
    fn iter(&self) -> impl Iterator<Item = BucketCount> {
        self.occurred.iter().map(|&bucket| (bucket, self.counts[usize::from(bucket)]))
    }

    /// Whether there is no number.
    #[must_use]
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.occurred.is_empty()
    }

    /// Appends the buckets to `buckets` and removes all numbers.
    pub fn drain(&mut self, buckets: &mut Vec<BucketCount>) -> Totals {
        let totals = self.totals;
        buckets.extend(self.iter());
        self.clear();
        totals
    }

    /// Removes all numbers.
    pub fn clear(&mut self) {
        for bucket in self.occurred.drain(..) {
            self.counts[usize::from(bucket)] = 0;
        }
        self.totals = Totals::NONE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn distribution(values: &[u64]) -> Distribution {
        let mut distribution = Distribution::new();
        values.iter().for_each(|&value| distribution.add(value));
        distribution
    }

    #[test]
    fn buckets_follow_each_other_and_start_where_they_say() {
        for value in (0..100_000).chain((0..64).map(|bit| 1 << bit)).chain([u64::MAX]) {
            let bucket = bucket_of(value);
            assert!(start_of(bucket) <= value, "{value}");
            assert_eq!(bucket_of(start_of(bucket)), bucket);
            if value > 0 {
                assert!((bucket_of(value - 1)..=bucket_of(value - 1) + 1).contains(&bucket), "{value}");
            }
        }
    }

    #[test]
    fn quantiles_of_a_thousand_known_numbers() {
        let distribution = distribution(&(1..=1000).map(|i| i * 7919).collect::<Vec<_>>());
        for (quantile, exact) in [(0.1, 100), (0.5, 500), (0.99, 990)] {
            let (found, exact) = (distribution.quantile(quantile) as f64, f64::from(exact * 7919));
            assert!((found / exact - 1.0).abs() <= QUANTILE_ERROR, "{found} for {exact}");
        }
        assert_eq!((distribution.least(), distribution.most()), (Some(7919), 7_919_000));
    }

    #[test]
    fn the_largest_numbers_do_no_harm() {
        let distribution = distribution(&[u64::MAX; 3]);
        assert_eq!((distribution.most(), distribution.sum()), (u64::MAX, 3 * u128::from(u64::MAX)));
        assert_eq!(Distribution::new().quantile(0.5), 0);
    }

    proptest! {
        /// Page by page or number by number: the same figures.
        #[test]
        fn pages_lose_nothing(
            pages in prop::collection::vec(prop::collection::vec((0..64_u32, any::<u64>()), 0..40), 0..6),
        ) {
            let pages: Vec<Vec<u64>> = pages
                .into_iter()
                .map(|page| page.into_iter().map(|(shift, value)| value >> shift).collect())
                .collect();
            let (mut by_page, mut drained) = (Distribution::new(), Distribution::new());
            let mut counts = Counts::default();
            for page in &pages {
                for &value in page {
                    counts.add(value);
                }
                by_page.add_counts(&counts);
                let mut buckets = Vec::new();
                let totals = counts.drain(&mut buckets);
                drained.add_buckets(&buckets, &totals);
                prop_assert!(counts.is_empty());
            }
            let by_number = distribution(&pages.concat());
            prop_assert_eq!(by_number.zeros(), pages.concat().iter().filter(|&&value| value == 0).count() as u64);
            for pages in [by_page, drained] {
                prop_assert_eq!((pages.count(), pages.sum()), (by_number.count(), by_number.sum()));
                prop_assert_eq!((pages.least(), pages.most()), (by_number.least(), by_number.most()));
                prop_assert_eq!(pages.zeros(), by_number.zeros());
                for share in 0..=20 {
                    let share = f64::from(share) / 20.0;
                    prop_assert_eq!(pages.quantile(share), by_number.quantile(share));
                }
            }
        }
    }
}
