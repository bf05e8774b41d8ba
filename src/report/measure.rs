//! The measures of a puzzle, with all that a report needs to know about each.

use serde::{Serialize, Serializer};

use super::numbers;
use super::spread::{Figure, MAX, MEAN, MEDIAN, P90, P99};
use crate::record::{Field, Role};

/// A measure: a number that rows can have.
#[derive(Debug)]
pub(super) struct Measure {
    /// The column that holds it.
    pub role: Role,
    /// The keys in JSON of the measure, its bins, and the puzzles with its highest values.
    pub key: &'static str,
    pub bins_key: &'static str,
    pub list_key: &'static str,
    /// The name of the measure on the page.
    pub name: &'static str,
    /// The label of the scale of its axis.
    pub axis: &'static str,
    /// The first value of each bin, ascending from 0.
    pub bins: fn() -> Vec<u64>,
    /// A value or a mean as shown in tables, on axes, and in sentences.
    pub text: fn(f64) -> String,
    pub tick: fn(f64) -> String,
    pub phrase: fn(u64) -> String,
    /// Figures shown in tables, and whether Markdown shows them, too.
    pub figures: &'static [(Figure, bool)],
    /// The heading of the puzzles with the highest values, and the least value that is listed.
    pub list: &'static str,
    pub list_from: u64,
}

/// All measures, in the order of the page.
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
        // A puzzle without a guess is not hard.
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
/// Indices of measures.
pub(super) const GUESSES: usize = 0;
pub(super) const TIME: usize = 1;

/// Returns ten bins a decade, from 10 ns to 10^13 ns (2.8 hours).
fn time_bins() -> Vec<u64> {
    let later = (0..=120).map(|step| 10_f64.powf(1.0 + f64::from(step) / 10.0).round() as u64);
    [0].into_iter().chain(later).collect()
}

/// Returns a bin for each small number, then five a decade; the last bin has a billion and more.
fn guess_bins() -> Vec<u64> {
    let later = (0..8).flat_map(|decade| [10, 16, 25, 40, 63].map(|step| step * 10_u64.pow(decade)));
    [0, 1, 2, 3, 4, 6].into_iter().chain(later).chain([1_000_000_000]).collect()
}

/// Serializes one value for each measure under its key.
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
    fn measures_have_their_indices() {
        assert_eq!(MEASURES[GUESSES].role, Role::Guesses);
        assert_eq!(MEASURES[TIME].role, Role::Time);
    }

    #[test]
    fn bins_ascend_from_0_and_decades_of_time_start_bins() {
        let bins = MEASURES.each_ref().map(|measure| (measure.bins)());
        assert!(bins.iter().all(|bins| bins[0] == 0 && bins.is_sorted_by(|a, b| a < b)), "{bins:?}");
        assert!((1..=13).all(|exponent| bins[TIME].contains(&10_u64.pow(exponent))), "{:?}", bins[TIME]);
    }
}
