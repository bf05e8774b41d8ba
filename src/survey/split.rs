//! Random parts of a set, in given shares, where no two parts have records that are the same.
//!
//! Records that are the same are a class, which goes to one part as a whole; the stratum of a class is that of its first
//! record. Each stratum has a quota of records for each part. The quotas follow the shares as closely as whole numbers
//! can, over all strata up to each one, so that many small strata do not add up to other shares. Classes are then drawn
//! without replacement, as cards are dealt: each goes to a part with the probability of the room that is left there. Large
//! classes come first, while there is room for them, and the others fill what is left. Only whole numbers are computed,
//! so the parts do not depend on machine, threads or size of batches.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::PassError;
use super::duplicates::Duplicates;
use crate::output::{ChoiceError, compression_of_text};
use crate::sudoku::random::below;

/// Most parts.
pub const MOST_PARTS: usize = 100;

/// The part of a record that has none yet.
const NO_PART: u8 = u8::MAX;
/// The part of one that has none yet and belongs to a class with others.
const WITH_OTHERS: u8 = u8::MAX - 1;

/// Decimals of a share, and its digits before them.
const DECIMALS: usize = 9;
const MOST_DIGITS: usize = 9;

/// Parses a part, as in `test=0.1`: its name, and its share in units of 10⁻⁹. Fails if there is no such share above 0.
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

/// The extension for parts of an input of that name: its own, with what stands before `.gz` or `.zst`, or that of CSV if
/// it says that it is not text.
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

/// Gives names without an extension that of the first input.
pub fn complete_names(parts: &mut [PathBuf], inputs: &[PathBuf]) {
    let extension = inputs.first().map(|name| extension(name)).unwrap_or_default();
    for part in parts.iter_mut().filter(|part| part.extension().is_none()) {
        part.as_mut_os_string().push(&extension);
    }
}

/// The part of each record, by its number from 0. `shares` are those of the parts, up to [`MOST_PARTS`], in any unit;
/// `strata` are those of the records, or empty. Fails if duplicates that did not fit into memory cannot be read.
pub fn parts(
    records: u64,
    duplicates: Duplicates,
    strata: &[u64],
    shares: &[u64],
    seed: u64,
) -> Result<Vec<u8>, PassError> {
    let later = duplicates.matches.numbers()?.into_iter();
    let later = later.map(|(record, first)| (first as usize - 1, record as usize - 1)).collect();
    Ok(assigned(records as usize, later, strata, shares, seed))
}

/// The part of each record. `later` are the records that are the same as an earlier one, each behind the first such.
fn assigned(
    records: usize,
    mut later: Vec<(usize, usize)>,
    strata: &[u64],
    shares: &[u64],
    seed: u64,
) -> Vec<u8> {
    let mut parts = vec![NO_PART; records];
    let stratum = |record: usize| strata.get(record).copied().unwrap_or(0);
    later.sort_unstable();
    let mut classes: Vec<_> = later.chunk_by(|a, b| a.0 == b.0).collect();
    classes.sort_by_key(|class| Reverse(class.len()));
    let mut counts = BTreeMap::new();
    for class in &classes {
        *counts.entry(stratum(class[0].0)).or_insert(0) += class.len() as i64 + 1;
        parts[class[0].0] = WITH_OTHERS;
        class.iter().for_each(|&(_, record)| parts[record] = WITH_OTHERS);
    }
    for record in (0..records).filter(|&record| parts[record] == NO_PART) {
        *counts.entry(stratum(record)).or_insert(0) += 1;
    }
    let mut rooms = quotas(counts, shares);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut draw = |stratum, records| {
        let rooms = rooms.get_mut(&stratum).expect("its records were counted");
        let part = drawn(rooms, records, &mut rng);
        rooms[part] -= records;
        part as u8
    };
    for class in classes {
        let part = draw(stratum(class[0].0), class.len() as i64 + 1);
        parts[class[0].0] = part;
        class.iter().for_each(|&(_, record)| parts[record] = part);
    }
    for (record, part) in parts.iter_mut().enumerate().filter(|(_, part)| **part == NO_PART) {
        *part = draw(stratum(record), 1);
    }
    parts
}

/// The quotas of the parts in each stratum, given the records of each.
fn quotas(counts: BTreeMap<u64, i64>, shares: &[u64]) -> BTreeMap<u64, Vec<i64>> {
    // How far each part is behind its share, in units of one record over the sum of the shares.
    let mut behind = vec![0; shares.len()];
    let sum: i128 = shares.iter().map(|&share| i128::from(share)).sum();
    let mut quotas = BTreeMap::new();
    for (stratum, records) in counts {
        let of_stratum = quotas.entry(stratum).or_insert_with(|| vec![0; shares.len()]);
        for _ in 0..records {
            behind.iter_mut().zip(shares).for_each(|(behind, &share)| *behind += i128::from(share));
            let next = largest(&behind);
            behind[next] -= sum;
            of_stratum[next] += 1;
        }
    }
    quotas
}

/// A part for so many records: one that has room for them, with the probability of its room, or else the one with the most.
fn drawn(rooms: &[i64], records: i64, rng: &mut Xoshiro256PlusPlus) -> usize {
    let room = |part: usize| if rooms[part] >= records { rooms[part] as usize } else { 0 };
    let all = (0..rooms.len()).map(room).sum();
    if all == 0 {
        return largest(rooms);
    }
    let (mut at, mut part) = (below(rng, all), 0);
    while at >= room(part) {
        at -= room(part);
        part += 1;
    }
    part
}

/// The index of the first largest number.
fn largest<N: Ord + Copy>(numbers: &[N]) -> usize {
    (0..numbers.len()).max_by_key(|&at| (numbers[at], Reverse(at))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// How many records are in each part.
    fn sizes(parts: &[u8], count: usize) -> Vec<usize> {
        (0..count).map(|part| parts.iter().filter(|&&of| usize::from(of) == part).count()).collect()
    }

    proptest! {
        #[test]
        fn classes_stay_together_and_shares_are_kept_where_they_can_be(
            records in 1_usize..300,
            shares in proptest::collection::vec(1_u64..1000, 2..5),
            classes in proptest::collection::vec((0_usize..300, 0_usize..300), 0..60),
            strata in prop_oneof![Just(Vec::new()), proptest::collection::vec(0_u64..40, 300)],
            seed: u64,
        ) {
            // The first record of each class, then what is the same.
            let mut first: Vec<_> = (0..records).collect();
            for (a, b) in classes {
                let (a, b) = (first[a % records], first[b % records]);
                first.iter_mut().for_each(|first| if *first == a.max(b) { *first = a.min(b) });
            }
            let later: Vec<_> = (0..records).filter(|&n| first[n] < n).map(|n| (first[n], n)).collect();
            let strata = &strata[..records.min(strata.len())];
            let parts = assigned(records, later.clone(), strata, &shares, seed);
            prop_assert!(parts.iter().all(|&part| usize::from(part) < shares.len()));
            prop_assert!((0..records).all(|n| parts[n] == parts[first[n]]));
            let largest = (0..records).map(|n| first.iter().filter(|&&of| of == n).count()).max().unwrap();
            let sum: u64 = shares.iter().sum();
            let most = if later.is_empty() { 1.0 } else { (2 * largest * shares.len()) as f64 };
            if strata.is_empty() || later.is_empty() {
                for (size, &share) in sizes(&parts, shares.len()).into_iter().zip(&shares) {
                    let expected = records as f64 * share as f64 / sum as f64;
                    let bound = if shares.len() == 2 { most } else { most + 1.0 };
                    prop_assert!((size as f64 - expected).abs() <= bound, "{size} {expected}");
                }
            }
        }
    }

    /// With 9 degrees of freedom one value in a million is above 46, and drawing without replacement only lowers it.
    #[test]
    fn each_record_is_as_likely_as_any_other_in_each_part() {
        let mut counts = [0_u32; 10];
        for seed in 0..5000 {
            let parts = assigned(10, Vec::new(), &[], &[7, 3], seed);
            assert_eq!(sizes(&parts, 2), [7, 3]);
            (0..10).filter(|&record| parts[record] == 1).for_each(|record| counts[record] += 1);
        }
        let unevenness =
            counts.iter().map(|&count| (f64::from(count) - 1500.0).powi(2) / 1500.0).sum::<f64>();
        assert!(unevenness < 46.0, "{counts:?}");
    }

    #[test]
    fn strata_have_their_shares_however_small_they_are() {
        // 10 large ones and 500 of one record.
        let strata: Vec<_> = (0..5500).map(|n| if n < 5000 { n % 10 } else { n }).collect();
        let parts = assigned(5500, Vec::new(), &strata, &[8, 1, 1], 5);
        assert_eq!(sizes(&parts, 3), [4400, 550, 550]);
        for stratum in 0..10 {
            let of: Vec<_> = (0..5000).filter(|n| n % 10 == stratum).map(|n| parts[n]).collect();
            for (size, expected) in sizes(&of, 3).into_iter().zip([400, 50, 50]) {
                assert!(size.abs_diff(expected) <= 2, "{size} {expected}");
            }
        }
        assert!(sizes(&parts[5000..], 3)[1..].iter().all(|size| size.abs_diff(50) <= 2));
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
        for text in [
            "",
            "a",
            "=1",
            "a=",
            "a=.",
            "a=0",
            "a=0.0",
            "a=-1",
            "a=+1",
            "a=1e3",
            "a=10%",
            "a=1.0000000001",
            "a=1.2.3",
            "a=inf",
            "a=1111111111",
        ] {
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
