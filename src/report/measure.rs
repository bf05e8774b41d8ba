//! The measures of a puzzle, and everything a report needs to know about each of them.

use serde::{Serialize, Serializer};

use super::numbers;
use super::spread::{Figure, MAX, MEAN, MEDIAN, P90, P99};
use crate::record::{Field, Role};

/// A measure: a number that a row can hold.
#[derive(Debug)]
pub(super) struct Measure {
    /// The column that holds the measure.
    pub role: Role,
    /// The JSON keys of the measure, of its bins, and of the puzzles with its highest values.
    pub key: &'static str,
    pub bins_key: &'static str,
    pub list_key: &'static str,
    /// The name shown on the page.
    pub name: &'static str,
    /// The axis label that describes its scale.
    pub axis: &'static str,
    /// Returns the first value of each bin, ascending from 0.
    pub bins: fn() -> Vec<u64>,
    /// Formats a value or a mean for tables, axes and sentences.
    pub text: fn(f64) -> String,
    pub tick: fn(f64) -> String,
    pub phrase: fn(u64) -> String,
    /// The figures shown in tables, each with a flag that says whether Markdown shows it too.
    pub figures: &'static [(Figure, bool)],
    /// The heading of the list of puzzles with the highest values, and the lowest value to list.
    pub list: &'static str,
    pub list_from: u64,
}

/// All measures, in the order used on the page.
pub(super) static MEASURES: [Measure; 2] = [
    Measure {
        role: Role::Guesses,
        key: Field::GUESSES.name,
        bins_key: "guess_bins",
        list_key: "hardest",
        name: "Guesses",
        axis: "log scale from 10",
        bins: guess_bins,
        text: |value| {
            if value.fract() == 0.0 { numbers::grouped(value as u64) } else { numbers::significant(value) }
        },
        tick: numbers::short,
        phrase: |value| numbers::count_of(value, "guess", "guesses"),
        figures: &[(MEAN, true), (MAX, false)],
        list: "Most guesses",
        // A puzzle that needs no guesses is not hard.
        list_from: 1,
    },
    Measure {
        role: Role::Time,
        key: Field::TIME.name,
        bins_key: "time_bins",
        list_key: "slowest",
        name: "Time",
        axis: "log scale",
        bins: time_bins,
        text: numbers::time,
        tick: numbers::short_time,
        phrase: |value| numbers::time(value as f64),
        figures: &[(MEDIAN, true), (P90, false), (P99, true), (MAX, false)],
        list: "Longest time",
        list_from: 0,
    },
];

pub(super) const COUNT: usize = MEASURES.len();
/// The indices of the measures.
pub(super) const GUESSES: usize = 0;
pub(super) const TIME: usize = 1;

/// Returns ten bins per decade, from 10 ns to 10^13 ns (2.8 hours).
fn time_bins() -> Vec<u64> {
    let later = (0..=120).map(|step| 10_f64.powf(1.0 + f64::from(step) / 10.0).round() as u64);
    [0].into_iter().chain(later).collect()
}

/// Returns one bin for each small number, then five bins per decade; the last bin holds values of a billion and more.
fn guess_bins() -> Vec<u64> {
    let later = (0..8).flat_map(|decade| [10, 16, 25, 40, 63].map(|step| step * 10_u64.pow(decade)));
    [0, 1, 2, 3, 4, 6].into_iter().chain(later).chain([1_000_000_000]).collect()
}

/// Serializes one value per measure, each under the measure's key.
pub(super) fn by_key<T: Serialize, S: Serializer>(each: &[T; COUNT], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(MEASURES.iter().map(|measure| measure.key).zip(each))
}

/// Serializes the bins of each measure.
pub(super) fn by_bins_key<T: Serialize, S: Serializer>(each: &[T; COUNT], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(MEASURES.iter().map(|measure| measure.bins_key).zip(each))
}

/// Serializes the puzzles with the highest values of each measure.
pub(super) fn by_list_key<T: Serialize, S: Serializer>(each: &[T; COUNT], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(MEASURES.iter().map(|measure| measure.list_key).zip(each))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_ascend_from_0_and_decades_of_time_start_bins() {
        let bins = MEASURES.each_ref().map(|measure| (measure.bins)());
        assert!(bins.iter().all(|bins| bins[0] == 0 && bins.is_sorted_by(|a, b| a < b)), "{bins:?}");
        assert!((1..=13).all(|exponent| bins[TIME].contains(&10_u64.pow(exponent))), "{:?}", bins[TIME]);
    }
}
