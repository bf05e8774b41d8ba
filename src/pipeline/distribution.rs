//! Distributions of numbers: exact sums and extremes, and quantiles within [`QUANTILE_ERROR`].
//!
//! The top eight bits of a number select one of `BUCKETS` buckets. Any thread can count the numbers of a page and drain
//! them into a list of non-empty buckets. The collecting thread adds that list to its own distributions.

/// The maximum relative error of a quantile.
pub const QUANTILE_ERROR: f64 = 0.01;
/// The number of leading bits that must be kept to stay within that error.
const SIGNIFICANT_BITS: u32 = 8;

/// The exact count, sum and extremes of some numbers.
#[derive(Clone, Copy, Debug)]
struct Totals {
    count: u64,
    sum: u128,
    least: u64,
    most: u64,
}

impl Default for Totals {
    fn default() -> Self {
        Self { count: 0, sum: 0, least: u64::MAX, most: 0 }
    }
}

impl Totals {
    #[inline]
    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }
}

/// The numbers of one page, drained from a distribution.
#[derive(Debug)]
pub struct PageNumbers {
    /// The non-empty buckets and their counts.
    buckets: Vec<(u16, u32)>,
    totals: Totals,
}

/// The distribution of some numbers.
#[derive(Clone, Debug, Default)]
pub struct Distribution {
    /// The count of each bucket; 0 unless the bucket is in `occurred`.
    counts: Vec<u64>,
    occurred: Vec<u16>,
    totals: Totals,
}

/// Returns the bucket of a number. Each number below 256 has its own bucket; larger numbers share one if they have the
/// same length and eight leading bits.
#[inline]
const fn bucket_of(value: u64) -> usize {
    // 0 is treated as 1, which has the same length, so the logarithm is always defined.
    let bits = (value | 1).ilog2() + 1;
    let shift = bits.saturating_sub(SIGNIFICANT_BITS);
    ((shift as usize) << (SIGNIFICANT_BITS - 1)) + (value >> shift) as usize
}

/// The number of buckets.
const BUCKETS: usize = bucket_of(u64::MAX) + 1;

/// Returns the smallest number in a bucket, whose index must be below [`BUCKETS`].
const fn start_of(bucket: usize) -> u64 {
    let half = 1 << (SIGNIFICANT_BITS - 1);
    let shift = (bucket / half).saturating_sub(1);
    ((bucket - shift * half) as u64) << shift
}

impl Distribution {
    /// Adds a number.
    // This is called for every row, and the compiler would not inline it on its own.
    #[inline(always)]
    pub fn add(&mut self, value: u64) {
        self.add_bucket(bucket_of(value), 1);
        self.totals.merge(&Totals { count: 1, sum: u128::from(value), least: value, most: value });
    }

    #[inline(always)]
    fn add_bucket(&mut self, bucket: usize, times: u64) {
        if bucket >= self.counts.len() {
            self.grow(bucket);
        }
        let count = &mut self.counts[bucket];
        if *count == 0 {
            self.occurred.push(u16::try_from(bucket).expect("there are some 7,400 buckets"));
        }
        *count += times;
    }

    #[cold]
    fn grow(&mut self, bucket: usize) {
        self.counts.resize(bucket + 1, 0);
    }

    /// Adds the numbers of a page.
    pub fn add_page(&mut self, page: &PageNumbers) {
        page.buckets.iter().for_each(|&(bucket, times)| self.add_bucket(bucket.into(), times.into()));
        self.totals.merge(&page.totals);
    }

    /// Adds the numbers of another distribution.
    pub fn merge(&mut self, other: &Self) {
        for &bucket in &other.occurred {
            self.add_bucket(bucket.into(), other.counts[usize::from(bucket)]);
        }
        self.totals.merge(&other.totals);
    }

    /// Removes and returns all numbers, which must come from a single page.
    pub fn drain(&mut self) -> PageNumbers {
        let times = |bucket| u32::try_from(self.counts[usize::from(bucket)]).expect("a page has fewer rows");
        let buckets = self.occurred.iter().map(|&bucket| (bucket, times(bucket))).collect();
        let page = PageNumbers { buckets, totals: self.totals };
        self.clear();
        page
    }

    /// Removes all numbers.
    pub fn clear(&mut self) {
        for bucket in self.occurred.drain(..) {
            self.counts[usize::from(bucket)] = 0;
        }
        self.totals = Totals::default();
    }

    /// Returns how many numbers there are.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.totals.count
    }

    /// Whether there are no numbers.
    #[must_use]
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.occurred.is_empty()
    }

    /// Returns the smallest number in each non-empty bucket and the bucket's count, in ascending order.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> {
        let counts = self.counts.iter().enumerate().filter(|&(_, &count)| count > 0);
        counts.map(|(bucket, &count)| (start_of(bucket), count))
    }

    /// Returns how many of the numbers are 0.
    #[must_use]
    pub fn zeros(&self) -> u64 {
        self.counts.first().copied().unwrap_or(0)
    }

    /// Returns the sum of the numbers.
    #[must_use]
    pub const fn sum(&self) -> u128 {
        self.totals.sum
    }

    /// Returns the exact smallest number; `None` if there are no numbers.
    #[must_use]
    pub fn least(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.totals.least)
    }

    /// Returns the exact largest number; 0 if there are no numbers.
    #[must_use]
    pub const fn most(&self) -> u64 {
        self.totals.most
    }

    /// Returns a quantile (above 0 and up to 1) to within 1 %: the largest number in its bucket, or 0 if there are no
    /// numbers.
    #[must_use]
    pub fn quantile(&self, quantile: f64) -> u64 {
        let rank = ((quantile * self.count() as f64).ceil() as u64).max(1);
        let mut below = 0;
        let bucket = self.counts.iter().position(|&count| {
            below += count;
            below >= rank
        });
        let largest = |bucket| if bucket + 1 < BUCKETS { start_of(bucket + 1) - 1 } else { u64::MAX };
        bucket.map_or(self.most(), |bucket| largest(bucket).clamp(self.totals.least, self.totals.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn distribution(values: &[u64]) -> Distribution {
        let mut distribution = Distribution::default();
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
    fn quantiles_of_known_numbers() {
        let thousand = distribution(&(1..=1000).map(|i| i * 7919).collect::<Vec<_>>());
        for (quantile, exact) in [(0.1, 100), (0.5, 500), (0.99, 990)] {
            let (found, exact) = (thousand.quantile(quantile) as f64, f64::from(exact * 7919));
            assert!((found / exact - 1.0).abs() <= QUANTILE_ERROR, "{found} for {exact}");
        }
        assert_eq!(
            (thousand.least(), thousand.most(), thousand.quantile(1.0)),
            (Some(7919), 7_919_000, 7_919_000)
        );
        // Each number below 256 has its own bucket.
        let small = distribution(&[0, 0, 7, 255]);
        assert_eq!([0.25, 0.5, 0.75, 0.76].map(|share| small.quantile(share)), [0, 0, 7, 255]);
        // The result is the largest number in the bucket: 1,000 has the same leading bits as 1,001 to 1,003.
        assert_eq!(distribution(&[1000, 1_000_000]).quantile(0.5), 1003);
        let largest = distribution(&[u64::MAX; 3]);
        assert_eq!((largest.most(), largest.quantile(0.5)), (u64::MAX, u64::MAX));
        assert_eq!(largest.sum(), 3 * u128::from(u64::MAX));
        let none = Distribution::default();
        assert_eq!((none.quantile(0.5), none.least(), none.most(), none.zeros()), (0, None, 0, 0));
    }

    proptest! {
        /// Counting page by page gives the same results as counting number by number.
        #[test]
        fn pages_lose_nothing(
            pages in prop::collection::vec(prop::collection::vec((0..64_u32, any::<u64>()), 0..40), 0..6),
        ) {
            let pages: Vec<Vec<u64>> = pages
                .into_iter()
                .map(|page| page.into_iter().map(|(shift, value)| value >> shift).collect())
                .collect();
            let (mut merged, mut drained) = (Distribution::default(), Distribution::default());
            for page in &pages {
                let mut page = distribution(page);
                merged.merge(&page);
                drained.add_page(&page.drain());
                prop_assert!(page.is_empty());
            }
            let all = pages.concat();
            let by_number = distribution(&all);
            prop_assert_eq!(by_number.zeros(), all.iter().filter(|&&value| value == 0).count() as u64);
            for pages in [merged, drained] {
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
