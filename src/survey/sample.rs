//! Random samples in which every record is equally likely.
//!
//! Every record draws a key, in input order, and the records with the smallest keys form the sample. A first pass finds
//! them and keeps only their numbers; a second pass writes them ([`Pick`](crate::jobs::pick::Pick),
//! [`Verbatim`](super::Verbatim)). If there are strata, each keeps its records with the smallest keys, and the sample
//! is divided among them as equally as possible. To make room, one record is removed from the largest stratum; if
//! several are equally large, from the last of them in a random order. That stratum never grows again, and no other
//! stratum grows larger than it. A bound on size and order therefore shows which records come too late, and there are
//! never more strata than sampled records. Keys are only compared with each other, so the sample does not depend on the
//! machine, the threads or the batch size. Reservoir sampling that skips records would need logarithms, which differ
//! between machines.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::strata::mixed;
use crate::pipeline::Collect;

impl Collect<Vec<u64>> for Sampler {
    fn take(&mut self, part: &mut Vec<u64>) {
        part.iter().for_each(|&stratum| self.offer(stratum));
    }
}

/// Samples records one by one.
pub(super) struct Sampler {
    most: usize,
    rng: Xoshiro256PlusPlus,
    /// The number of records offered.
    pub(super) seen: u64,
    /// The number of records chosen.
    kept: usize,
    /// The sampled records of each stratum with their keys, largest key on top. Strata are numbered in a random order;
    /// among equally large strata, the last one loses a record.
    strata: BTreeMap<u64, BinaryHeap<(u64, u64)>>,
    salt: u64,
    /// Pairs of a stratum's sample size and the stratum.
    sizes: BTreeSet<(usize, u64)>,
    /// The largest size allowed for a given stratum and all later ones, and that stratum; earlier strata can have one
    /// record more.
    bound: (usize, u64),
}

impl Sampler {
    pub(super) fn new(most: usize, seed: u64) -> Self {
        let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let salt = Xoshiro256PlusPlus::seed_from_u64(!seed).next_u64();
        let (strata, sizes, bound) = (BTreeMap::new(), BTreeSet::new(), (usize::MAX, 0));
        Self { most, rng, seen: 0, kept: 0, strata, salt, sizes, bound }
    }

    /// Draws the key for the next record, and keeps the record if it belongs to the sample so far.
    fn offer(&mut self, stratum: u64) {
        let key = self.rng.next_u64();
        self.seen += 1;
        let stratum = mixed(stratum, self.salt);
        let room = self.bound.0 + usize::from(stratum < self.bound.1);
        if room == 0 {
            return;
        }
        let chosen = self.strata.entry(stratum).or_default();
        if chosen.len() == room && chosen.peek().is_some_and(|&(largest, _)| key >= largest) {
            return;
        }
        chosen.push((key, self.seen));
        if chosen.len() > room {
            chosen.pop();
            return;
        }
        let size = chosen.len();
        self.sizes.remove(&(size - 1, stratum));
        self.sizes.insert((size, stratum));
        self.kept += 1;
        if self.kept > self.most
            && let Some((size, largest)) = self.sizes.pop_last()
        {
            self.kept -= 1;
            self.bound = (size - 1, largest);
            if size == 1 {
                self.strata.remove(&largest);
            } else if let Some(chosen) = self.strata.get_mut(&largest) {
                chosen.pop();
                self.sizes.insert(self.bound);
            }
        }
    }

    /// Returns the numbers of the sampled records, counted from 1, in ascending order.
    pub(super) fn ids(self) -> Vec<u64> {
        let mut ids: Vec<_> = self.strata.into_values().flatten().map(|(_, id)| id).collect();
        ids.sort_unstable();
        ids
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::AtomicBool;

    use proptest::prelude::*;

    use super::super::pass::Pass;
    use super::super::source;
    use super::super::strata::Strata;
    use super::*;
    use crate::pipeline::RunOptions;

    /// Returns the indices of the sampled records; `of` returns the stratum of a record.
    fn chosen(most: usize, seed: u64, records: u64, of: impl Fn(u64) -> u64) -> Vec<u64> {
        let mut sampler = Sampler::new(most, seed);
        (0..records).for_each(|number| sampler.offer(of(number)));
        sampler.ids().into_iter().map(|id| id - 1).collect()
    }

    /// Returns Pearson's chi-squared statistic for counts that should be equal.
    fn unevenness(counts: &[u64]) -> f64 {
        let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
        counts.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum()
    }

    /// With 19 degrees of freedom, one value in a million exceeds 62; drawing without replacement only lowers the
    /// value.
    #[test]
    fn each_record_is_as_likely_as_any_other() {
        for (most, strata) in [(5, 1), (19, 1), (1, 1), (6, 2)] {
            let mut counts = [0; 20];
            for seed in 0..2000 {
                let sample = chosen(most, seed, 20, |number| number % strata);
                assert!(sample.is_sorted() && sample.len() == most);
                sample.iter().for_each(|&number| counts[number as usize] += 1);
            }
            assert!(unevenness(&counts) < 62.0, "{most} {strata}: {counts:?}");
        }
    }

    #[test]
    fn strata_have_equal_shares_as_far_as_possible() {
        // Of 1,000 records, 2 are in stratum 1, 10 in stratum 2, and the rest in stratum 0.
        let of = |number| if number < 2 { 1 } else { 2 * u64::from(number >= 990) };
        for (most, shares) in [(3, [1, 1, 1]), (12, [5, 2, 5]), (30, [18, 2, 10]), (2000, [988, 2, 10])] {
            let sample = chosen(most, 7, 1000, of);
            let count = |stratum| sample.iter().filter(|&&number| of(number) == stratum).count();
            assert_eq!([count(0), count(1), count(2)], shares, "{most}");
        }
        // There are more strata than sampled records; over many seeds, each stratum is sampled as often as any other.
        let mut counts = [0; 20];
        for seed in 0..2000 {
            let sample = chosen(5, seed, 1000, |number| number % 20);
            assert_eq!(sample.len(), 5);
            sample.iter().for_each(|&number| counts[number as usize % 20] += 1);
        }
        assert!(unevenness(&counts) < 62.0, "{counts:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// The reference method goes through the strata in a random order. It takes the record with the smallest key
        /// from each, then the record with the second smallest, and so on.
        /// PROMISE: bounded-memory
        #[test]
        fn a_sample_is_what_the_plain_way_takes_and_keeps_no_more_strata_than_records(
            records in proptest::collection::vec(0_u64..60, 0..400),
            most in 1_usize..100,
            seed: u64,
        ) {
            let mut sampler = Sampler::new(most, seed);
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut strata: BTreeMap<u64, Vec<(u64, u64)>> = BTreeMap::new();
            for (id, &stratum) in (1..).zip(&records) {
                sampler.offer(stratum);
                prop_assert!(sampler.strata.len() <= most && sampler.sizes.len() <= most);
                strata.entry(mixed(stratum, sampler.salt)).or_default().push((rng.next_u64(), id));
            }
            let mut ranked = Vec::new();
            for (stratum, mut of) in strata {
                of.sort_unstable();
                ranked.extend((0..).zip(of).map(|(rank, (_, id))| (rank, stratum, id)));
            }
            ranked.sort_unstable();
            let mut expected: Vec<_> = ranked.into_iter().take(most).map(|(_, _, id)| id).collect();
            expected.sort_unstable();
            prop_assert_eq!(sampler.ids(), expected);
        }
    }

    const PUZZLE: &str = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";

    #[test]
    fn a_sample_depends_neither_on_threads_nor_on_batches() {
        let lines = (0..200).map(|number| match number % 5 {
            0 => format!("{PUZZLE} {number}\n"),
            1 => format!("{}.. {number}\n", &PUZZLE[..79]),
            2 => format!("{} {number}\n", &PUZZLE[1..]),
            3 => format!("11{} {number}\n", &PUZZLE[2..]),
            _ => format!("{} {number}\n", PUZZLE.replace(['6', '8'], ".")),
        });
        let text: String = lines.collect();
        for by in [Strata::One, Strata::Clues, Strata::Status, Strata::Guesses] {
            let take = |threads, batch_bytes, seed| {
                let run = RunOptions { batch_bytes, ..RunOptions::new(NonZeroUsize::new(threads).unwrap()) };
                let mut sampler = Sampler::new(40, seed);
                let pass = Pass { searches: false, by: by.clone(), options: run };
                let stop = AtomicBool::new(false);
                pass.run(vec![source(&text)], by.clone(), &mut sampler, &(), &stop).unwrap();
                assert_eq!(sampler.seen, 200);
                sampler.ids()
            };
            let first = take(1, 1 << 20, 1);
            assert_eq!(first.len(), 40);
            for (threads, batch_bytes) in [(1, 100), (3, 1000), (4, 5000)] {
                assert_eq!(take(threads, batch_bytes, 1), first, "{by:?}");
            }
            assert_ne!(take(1, 1 << 20, 2), first);
        }
    }
}
