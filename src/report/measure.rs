//! What is measured of a puzzle: the numbers that rows can have, each with all that a report must know of it.

use serde::{Serialize, Serializer};

use super::numbers;
use super::spread::{Figure, MAX, MEAN, MEDIAN, P90, P99};
use crate::record::{Field, Role};

/// A number that rows can have.
#[derive(Debug)]
pub(super) struct Measure {
    /// The column that holds it.
    pub role: Role,
    /// What it is called in the JSON form, as its bins are, and the puzzles that have most of it.
    pub key: &'static str,
    pub bins_key: &'static str,
    pub list_key: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// How it is divided along an axis, and what is said of that.
    pub scale: Scale,
    pub axis: &'static str,
    /// The first value of each of its bins but that of 0, ascending.
    pub bins: fn() -> Vec<u64>,
    /// A value, or a mean of some, as tables show it, as axes do, and as it is said.
    pub text: fn(f64) -> String,
    pub tick: fn(f64) -> String,
    pub phrase: fn(u64) -> String,
    /// What tables of several rows show of it, and whether short ones do, too.
    pub figures: &'static [(Figure, bool)],
    /// The heading of the puzzles that have most of it, and how much that is at least.
    pub list: &'static str,
    pub list_from: u64,
}

/// How the bins of a measure lie along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// By their logarithms.
    Log,
    /// Side by side, one as wide as the other. That of 0, if there is one, stands apart: without is another thing than
    /// with little.
    Steps,
}

/// All measures, in the order in which they are shown.
pub(super) static MEASURES: [Measure; 2] = [
    Measure {
        role: Role::Guesses,
        key: Field::GUESSES.name,
        bins_key: "guess_bins",
        list_key: "hardest",
        name: "Guesses",
        scale: Scale::Steps,
        axis: "log scale from 10",
        bins: guess_bins,
        text: |value| {
            if value.fract() == 0.0 { numbers::grouped(value as u64) } else { numbers::significant(value) }
        },
        tick: numbers::short,
        phrase: |value| numbers::count_of(value, "guess", "guesses"),
        figures: &[(MEAN, true), (MAX, false)],
        list: "Most guesses",
        // What needs no guess is not hard.
        list_from: 1,
    },
    Measure {
        role: Role::Time,
        key: Field::TIME.name,
        bins_key: "time_bins",
        list_key: "slowest",
        name: "Time",
        scale: Scale::Log,
        axis: "log scale",
        bins: time_bins,
        text: numbers::time,
        tick: numbers::round_time,
        phrase: |value| numbers::time(value as f64),
        figures: &[(MEDIAN, true), (P90, false), (P99, true), (MAX, false)],
        list: "Longest time",
        list_from: 0,
    },
];

/// How many there are.
pub(super) const COUNT: usize = MEASURES.len();
/// The places of those that are told of by name.
pub(super) const GUESSES: usize = 0;
pub(super) const TIME: usize = 1;

/// Twenty a decade, from 10 ns to 10^13 ns (2.8 hours).
fn time_bins() -> Vec<u64> {
    (0..=240).map(|step| 10_f64.powf(1.0 + f64::from(step) / 20.0).round() as u64).collect()
}

/// Small numbers one by one, then five a decade; the last bin holds a billion and more.
fn guess_bins() -> Vec<u64> {
    let later = (0..8).flat_map(|decade| [10, 16, 25, 40, 63].map(|step| step * 10_u64.pow(decade)));
    [1, 2, 3, 4, 6].into_iter().chain(later).chain([1_000_000_000]).collect()
}

/// Writes something of each measure under its name.
pub(super) fn by_key<T: Serialize, S: Serializer>(each: &[T; COUNT], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(MEASURES.iter().map(|measure| measure.key).zip(each))
}

/// Writes the bins of each measure.
pub(super) fn by_bins_key<T: Serialize, S: Serializer>(each: &[T; COUNT], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(MEASURES.iter().map(|measure| measure.bins_key).zip(each))
}

/// Writes the puzzles that have most of each measure.
pub(super) fn by_list_key<T: Serialize, S: Serializer>(each: &[T; COUNT], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(MEASURES.iter().map(|measure| measure.list_key).zip(each))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_told_of_by_name_are_where_they_should_be() {
        assert_eq!(MEASURES[GUESSES].role, Role::Guesses);
        assert_eq!(MEASURES[TIME].role, Role::Time);
    }
}
