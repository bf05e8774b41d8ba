//! Splits a set at random into parts with given shares, so that no two parts contain the same record.
//!
//! Records that are the same form a class, which always goes to one part as a whole. A class belongs to the stratum of
//! its first record. The classes are put in random order, stratum by stratum, with the largest classes of each stratum
//! first. One by one, they go to the part that is furthest below its share of the records so far. Each stratum is
//! therefore divided as closely to the shares as its classes allow, and later strata make up for the difference
//! (systematic sampling). All arithmetic uses integers, so the parts do not depend on the machine, the threads or the
//! batch size.

use std::cmp::Reverse;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::PassError;
use super::duplicates::Comparison;
use super::strata::mixed;
use crate::output::{ChoiceError, compression_of_text};
use crate::sudoku::random::shuffle;

/// The largest number of parts.
pub const MOST_PARTS: usize = 100;

/// The value that marks a record as not yet assigned to a part.
const NO_PART: u8 = u8::MAX;

/// The maximum number of digits in a share before the decimal point, and after it.
const DECIMALS: usize = 9;
const MOST_DIGITS: usize = 9;

/// Parses a part such as `test=0.1` into its name and its share in units of 10⁻⁹. Fails unless the share is greater
/// than 0.
pub fn part(text: &str) -> Result<(PathBuf, u64), String> {
    let Some((name, share)) = text.rsplit_once('=').filter(|(name, _)| !name.is_empty()) else {
        return Err("expected NAME=SHARE, as in test=0.1".to_owned());
    };
    let (whole, decimals) = share.split_once('.').unwrap_or((share, ""));
    let digits = format!("{whole}{decimals:0<DECIMALS$}");
    let are_digits = !share.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_short = whole.len() <= MOST_DIGITS && decimals.len() <= DECIMALS;
    match digits.parse() {
        Ok(share @ 1..) if are_digits && is_short => Ok((name.into(), share)),
        _ => Err(format!("'{share}' is not a share: expected a number above 0, as in test=0.1")),
    }
}

/// Returns the extension for the parts of an input with this name. It is the input's own extension (for `.gz` and
/// `.zst`, including the extension before it), or `.csv` if the input is not text.
fn extension(name: &Path) -> OsString {
    let mut extension = OsString::new();
    let is_compressed = name.extension().is_some_and(|last| last == "gz" || last == "zst");
    let stem = name.file_stem().unwrap_or_default();
    let before = if is_compressed { Path::new(stem).extension() } else { None };
    for part in before.into_iter().chain(name.extension()) {
        extension.push(".");
        extension.push(part);
    }
    let is_binary = matches!(compression_of_text(name), Err(ChoiceError::NotText(..)));
    if is_binary { ".csv".into() } else { extension }
}

/// Adds the first input's extension to names that have none.
pub fn complete_names(parts: &mut [PathBuf], inputs: &[PathBuf]) {
    let extension = inputs.first().map(|name| extension(name)).unwrap_or_default();
    for part in parts.iter_mut().filter(|part| part.extension().is_none()) {
        part.as_mut_os_string().push(&extension);
    }
}

/// Returns the part of each compared record, indexed from 0. `shares` holds the shares of up to [`MOST_PARTS`] parts,
/// in any unit. Fails if records that did not fit into memory cannot be read, or the flag is raised.
pub fn parts(
    mut comparison: Comparison,
    shares: &[u64],
    seed: u64,
    stop: &AtomicBool,
) -> Result<Vec<u8>, PassError> {
    let (records, strata) = (comparison.records as usize, std::mem::take(&mut comparison.strata));
    let later = comparison.finish(None, stop)?.matches.numbers()?.into_iter();
    let later = later.map(|(record, first)| (first as usize - 1, record as usize - 1)).collect();
    let parts = assigned(records, later, &strata, (shares, seed), stop);
    if stop.load(Ordering::Relaxed) { Err(PassError::Interrupted) } else { Ok(parts) }
}

/// Returns the part of each record, or of only some records if the flag is raised. `later` holds the records that are
/// the same as an earlier one, each with the first record it matches. `strata` holds the stratum of each record, or is
/// empty.
fn assigned(
    records: usize,
    mut later: Vec<(usize, usize)>,
    strata: &[u64],
    (shares, seed): (&[u64], u64),
    stop: &AtomicBool,
) -> Vec<u8> {
    later.sort_unstable();
    let classes: Vec<_> = later.chunk_by(|a, b| a.0 == b.0).collect();
    let mut is_alone = vec![true; records];
    later.iter().for_each(|&(first, record)| (is_alone[first], is_alone[record]) = (false, false));
    // Classes with several records come first, then the single records.
    let alone = (0..records).filter(|&record| is_alone[record]).map(|record| classes.len() + record);
    let mut units: Vec<_> = (0..classes.len()).chain(alone).collect();
    let first = |unit: usize| classes.get(unit).map_or(unit.wrapping_sub(classes.len()), |class| class[0].0);
    let size = |unit: usize| classes.get(unit).map_or(1, |class| class.len() + 1);

    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    shuffle(&mut units, &mut rng);
    let salt = rng.next_u64();
    let stratum = |unit: usize| strata.get(first(unit)).map_or(0, |&stratum| mixed(stratum, salt));
    units.sort_by_key(|&unit| (stratum(unit), Reverse(size(unit))));

    let mut parts = vec![NO_PART; records];
    let mut shared = Shared::new(shares);
    for units in units.chunks(1 << 16).take_while(|_| !stop.load(Ordering::Relaxed)) {
        for &unit in units {
            let part = shared.next(size(unit)) as u8;
            parts[first(unit)] = part;
            let others = classes.get(unit).copied().unwrap_or_default();
            others.iter().for_each(|&(_, record)| parts[record] = part);
        }
    }
    parts
}

/// Tracks how far each part is below its share of the records so far.
struct Shared<'a> {
    shares: &'a [u64],
    sum: i128,
    /// The deficits, in units of one record divided by the sum of the shares.
    deficits: Vec<i128>,
}

impl<'a> Shared<'a> {
    fn new(shares: &'a [u64]) -> Self {
        let sum = shares.iter().map(|&share| i128::from(share)).sum();
        Self { shares, sum, deficits: vec![0; shares.len()] }
    }

    /// Returns the part that gets the next records.
    fn next(&mut self, records: usize) -> usize {
        let records = records as i128;
        let shares = self.deficits.iter_mut().zip(self.shares);
        shares.for_each(|(deficit, &share)| *deficit += records * i128::from(share));
        let part =
            (0..self.shares.len()).max_by_key(|&part| (self.deficits[part], Reverse(part))).unwrap_or(0);
        self.deficits[part] -= records * self.sum;
        part
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn assigned(
        records: usize,
        later: Vec<(usize, usize)>,
        strata: &[u64],
        shares: &[u64],
        seed: u64,
    ) -> Vec<u8> {
        super::assigned(records, later, strata, (shares, seed), &AtomicBool::new(false))
    }

    /// Counts the records in each part.
    fn sizes(parts: &[u8], count: usize) -> Vec<usize> {
        (0..count).map(|part| parts.iter().filter(|&&of| usize::from(of) == part).count()).collect()
    }

    /// Returns `count` consecutive classes of `size` records each, in the form of `later`.
    fn classes(count: usize, size: usize) -> Vec<(usize, usize)> {
        (0..count * size).filter(|n| n % size > 0).map(|n| (n - n % size, n)).collect()
    }

    proptest! {
        #[test]
        fn classes_stay_together_and_shares_are_kept_where_they_can_be(
            records in 1_usize..300,
            shares in proptest::collection::vec(1_u64..1000, 2..5),
            pairs in proptest::collection::vec((0_usize..300, 0_usize..300), 0..60),
            strata in prop_oneof![Just(Vec::new()), proptest::collection::vec(0_u64..40, 300)],
            seed: u64,
        ) {
            // The first records of all classes come first, then the rest.
            let mut first: Vec<_> = (0..records).collect();
            for (a, b) in pairs {
                let (a, b) = (first[a % records], first[b % records]);
                first.iter_mut().for_each(|first| if *first == a.max(b) { *first = a.min(b) });
            }
            let later: Vec<_> = (0..records).filter(|&n| first[n] < n).map(|n| (first[n], n)).collect();
            let strata = &strata[..records.min(strata.len())];
            let parts = assigned(records, later, strata, &shares, seed);
            prop_assert!(parts.iter().all(|&part| usize::from(part) < shares.len()));
            prop_assert!((0..records).all(|n| parts[n] == parts[first[n]]));
            // Each part deviates from its share by at most the size of the largest class, plus 1 for each other part.
            let largest = (0..records).map(|n| first.iter().filter(|&&of| of == n).count()).max().unwrap();
            let sum: u64 = shares.iter().sum();
            for (size, &share) in sizes(&parts, shares.len()).into_iter().zip(&shares) {
                let expected = records as f64 * share as f64 / sum as f64;
                let bound = (largest * (shares.len() - 1)) as f64;
                prop_assert!((size as f64 - expected).abs() <= bound, "{size} {expected}");
            }
        }
    }

    /// Counts how often each record lands in the second part, over 5,000 seeds.
    fn drawn(records: usize, later: &[(usize, usize)], strata: &[u64], shares: &[u64]) -> Vec<f64> {
        let mut counts = vec![0.0; records];
        for seed in 0..5000 {
            let parts = assigned(records, later.to_vec(), strata, shares, seed);
            (0..records).filter(|&record| parts[record] == 1).for_each(|record| counts[record] += 1.0);
        }
        counts
    }

    /// With 19 degrees of freedom, one value in a million exceeds 62; drawing without replacement only lowers the
    /// value. Copies count once, because a part contains either all of them or none.
    #[test]
    fn each_record_is_as_likely_as_any_other_in_each_part() {
        let strata: Vec<_> = (0..20).map(|n| n % 10).collect();
        for (size, strata) in [(1, &[][..]), (1, &strata), (5, &[])] {
            let counts = drawn(20 * size, &classes(20, size), strata, &[7, 3]);
            let counts: Vec<_> = counts.iter().step_by(size).collect();
            let expected = counts.iter().copied().sum::<f64>() / 20.0;
            assert!((expected / 1500.0 - 1.0).abs() < 0.01, "{expected}");
            let unevenness = counts.iter().map(|&count| (count - expected).powi(2) / expected).sum::<f64>();
            assert!(unevenness < 62.0, "{size}: {counts:?}");
        }
    }

    #[test]
    fn strata_have_their_shares_however_small_they_are() {
        // There are 10 large strata and 500 with a single record each.
        let strata: Vec<_> = (0..5500).map(|n| if n < 5000 { n % 10 } else { n }).collect();
        let parts = assigned(5500, Vec::new(), &strata, &[8, 1, 1], 5);
        assert_eq!(sizes(&parts, 3), [4400, 550, 550]);
        for stratum in 0..10 {
            let of: Vec<_> = (0..5000).filter(|n| n % 10 == stratum).map(|n| parts[n]).collect();
            for (size, expected) in sizes(&of, 3).into_iter().zip([400, 50, 50]) {
                assert!(size.abs_diff(expected) <= 2, "{size} {expected}");
            }
        }
        assert!(sizes(&parts[5000..], 3)[1..].iter().all(|size| size.abs_diff(50) <= 10));
    }

    /// Strata whose classes are too large for their quotas still match the shares when taken together.
    #[test]
    fn what_one_stratum_lacks_others_make_up_for() {
        let strata: Vec<_> = (0..20_000).map(|n| n / 100).collect();
        let parts = assigned(20_000, classes(1000, 20), &strata, &[9, 1], 3);
        assert_eq!(sizes(&parts, 2), [18_000, 2_000]);
        let mut of_strata = BTreeMap::new();
        parts
            .iter()
            .zip(&strata)
            .for_each(|(&part, of)| *of_strata.entry(of).or_insert(0) += u32::from(part));
        assert!(of_strata.values().all(|count| [0, 20].contains(count)));
    }

    #[test]
    fn a_class_that_is_too_large_for_a_part_goes_to_a_larger_one() {
        for seed in 0..50 {
            let later = (51..100).map(|n| (50, n)).collect();
            let parts = assigned(100, later, &[], &[1, 9], seed);
            assert_eq!((sizes(&parts, 2), parts[99]), (vec![10, 90], 1));
        }
    }

    #[test]
    fn a_part_is_a_name_and_a_share_above_0() {
        let share = |text| part(text).map(|(name, share)| (name.display().to_string(), share));
        assert_eq!(share("a=0.1"), Ok(("a".to_owned(), 100_000_000)));
        assert_eq!(share("a=b=12"), Ok(("a=b".to_owned(), 12_000_000_000)));
        assert_eq!(share("a=.000000001"), Ok(("a".to_owned(), 1)));
        for text in " a =1 a= a=. a=0 a=0.0 a=-1 a=+1 a=1e3 a=10% a=1.0000000001 a=1.2.3 a=inf a=1111111111"
            .split(' ')
        {
            assert!(share(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_name_without_an_extension_has_that_of_the_input() {
        for (name, expected) in [
            ("a.csv", ".csv"),
            ("x.y/a.tar.csv.gz", ".csv.gz"),
            ("a.parquet", ".csv"),
            ("a.parq", ".csv"),
            ("a.txt.zst", ".txt.zst"),
            ("a", ""),
            ("-", ""),
            ("x.y/a", ""),
            ("a.gz", ".gz"),
        ] {
            assert_eq!(extension(Path::new(name)), expected, "{name}");
        }
    }
}
