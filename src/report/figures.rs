//! What a set of rows adds up to: counts are exact, quantiles are right to [`QUANTILE_ERROR`].

use hdrhistogram::Histogram;
use serde::Serialize;

use super::bins::{Edges, GUESS_BINS, TIME_BINS};
use super::note::Note;
use crate::output::Status;

/// How far a quantile may lie from the true one, as a share of it.
pub const QUANTILE_ERROR: f64 = 0.01;
/// Decimal digits that make it so.
const SIGNIFICANT_DIGITS: u8 = 2;
/// The histograms tell nothing apart beyond this, more than a century in nanoseconds.
const LARGEST: u64 = 1 << 62;

/// Where the edges of the bins lie.
#[derive(Clone, Debug)]
pub(super) struct Axes {
    pub times: Edges,
    pub guesses: Edges,
}

impl Axes {
    pub fn new() -> Self {
        Self { times: Edges::of_times(), guesses: Edges::of_guesses() }
    }
}

/// How one number is distributed.
#[derive(Clone, Debug)]
pub(super) struct Distribution {
    histogram: Histogram<u64>,
    sum: u128,
    least: u64,
    most: u64,
}

/// The figures of a distribution that people ask for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Smallest value, exact.
    pub min: u64,
    /// A tenth of the values are no larger; as the other quantiles right to 1 %.
    pub p10: u64,
    /// The lower quartile.
    pub p25: u64,
    /// The median.
    pub p50: u64,
    /// The upper quartile.
    pub p75: u64,
    /// Nine tenths of the values are no larger.
    pub p90: u64,
    /// 99 % of the values are no larger.
    pub p99: u64,
    /// Largest value, exact.
    pub max: u64,
    /// Mean, exact.
    pub mean: f64,
}

impl Distribution {
    fn new() -> Self {
        let histogram = Histogram::new(SIGNIFICANT_DIGITS).expect("2 digits are allowed");
        Self { histogram, sum: 0, least: u64::MAX, most: 0 }
    }

    fn add(&mut self, value: u64) {
        self.histogram.record(value.min(LARGEST)).expect("it grows as it must");
        self.sum += u128::from(value);
        self.least = self.least.min(value);
        self.most = self.most.max(value);
    }

    fn merge(&mut self, other: &Self) {
        self.histogram.add(&other.histogram).expect("it grows as it must");
        self.sum += other.sum;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }

    /// The figures, `None` without a value.
    pub fn spread(&self) -> Option<Spread> {
        let count = self.histogram.len();
        if count == 0 {
            return None;
        }
        let quantile = |share| self.histogram.value_at_quantile(share).clamp(self.least, self.most);
        Some(Spread {
            min: self.least,
            p10: quantile(0.1),
            p25: quantile(0.25),
            p50: quantile(0.5),
            p75: quantile(0.75),
            p90: quantile(0.9),
            p99: quantile(0.99),
            max: self.most,
            mean: self.sum as f64 / count as f64,
        })
    }

    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    pub const fn sum(&self) -> u128 {
        self.sum
    }
}

/// The figures of some rows.
///
/// An invalid row has a status and no more: it never reached the solver.
#[derive(Clone, Debug)]
pub(super) struct Figures {
    pub rows: u64,
    statuses: [u64; Status::ALL.len()],
    /// Rows that hold a puzzle.
    pub puzzles: u64,
    pub times: Distribution,
    pub guesses: Distribution,
    /// Rows in each bin of time and of guesses.
    pub time_bins: Vec<u64>,
    pub guess_bins: Vec<u64>,
}

impl Figures {
    pub fn new() -> Self {
        Self {
            rows: 0,
            statuses: [0; Status::ALL.len()],
            puzzles: 0,
            times: Distribution::new(),
            guesses: Distribution::new(),
            time_bins: vec![0; TIME_BINS],
            guess_bins: vec![0; GUESS_BINS],
        }
    }

    /// Adds a row whose time and guesses are in the bins given.
    pub fn add(&mut self, note: &Note<'_>, time_bin: Option<usize>, guess_bin: usize) {
        self.rows += 1;
        self.statuses[note.status as usize] += 1;
        self.puzzles += u64::from(note.puzzle.is_some());
        if note.status == Status::Invalid {
            return;
        }
        self.guesses.add(note.guesses);
        self.guess_bins[guess_bin] += 1;
        if let (Some(time_ns), Some(bin)) = (note.time_ns, time_bin) {
            self.times.add(time_ns);
            self.time_bins[bin] += 1;
        }
    }

    /// Adds the figures of other rows.
    pub fn merge(&mut self, other: &Self) {
        self.rows += other.rows;
        self.puzzles += other.puzzles;
        self.times.merge(&other.times);
        self.guesses.merge(&other.guesses);
        let counts = self.statuses.iter_mut().chain(&mut self.time_bins).chain(&mut self.guess_bins);
        let more = other.statuses.iter().chain(&other.time_bins).chain(&other.guess_bins);
        for (count, more) in counts.zip(more) {
            *count += more;
        }
    }

    pub const fn count(&self, status: Status) -> u64 {
        self.statuses[status as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Kind;

    fn note(status: Status, guesses: u64, time_ns: Option<u64>) -> Note<'static> {
        Note {
            source: b"a",
            line: 1,
            kind: Kind::Sudoku,
            status,
            clues: None,
            guesses,
            time_ns,
            hash: 0,
            puzzle: None,
            solution: None,
            error: b"",
        }
    }

    fn figures(notes: &[Note<'_>]) -> Figures {
        let axes = Axes::new();
        let mut figures = Figures::new();
        for note in notes {
            let time_bin = note.time_ns.map(|time| axes.times.bin(time));
            figures.add(note, time_bin, axes.guesses.bin(note.guesses));
        }
        figures
    }

    #[test]
    fn a_hundred_known_values() {
        let notes: Vec<_> = (1..=100).map(|i| note(Status::Unique, i, Some(i))).collect();
        let spread = figures(&notes).times.spread().unwrap();
        // Below 256 every value has a bucket of its own: the quantiles are exact.
        let expected =
            Spread { min: 1, p10: 10, p25: 25, p50: 50, p75: 75, p90: 90, p99: 99, max: 100, mean: 50.5 };
        assert_eq!(spread, expected);
    }

    #[test]
    fn quantiles_of_large_values_are_as_right_as_is_said() {
        let notes: Vec<_> = (1..=1000).map(|i| note(Status::Unique, 0, Some(i * 7919))).collect();
        let spread = figures(&notes).times.spread().unwrap();
        for (found, exact) in [(spread.p10, 100), (spread.p50, 500), (spread.p99, 990)] {
            let exact = (exact * 7919) as f64;
            assert!((found as f64 / exact - 1.0).abs() <= QUANTILE_ERROR, "{found} for {exact}");
        }
        assert_eq!((spread.min, spread.max), (7919, 7_919_000));
    }

    #[test]
    fn an_invalid_row_has_neither_time_nor_guesses() {
        let figures = figures(&[note(Status::Invalid, 9, Some(9)), note(Status::Unsolvable, 2, None)]);
        assert_eq!(
            (figures.rows, figures.count(Status::Invalid), figures.count(Status::Unsolvable)),
            (2, 1, 1)
        );
        assert_eq!((figures.times.count(), figures.guesses.count()), (0, 1));
        assert_eq!(figures.times.spread(), None);
    }

    #[test]
    fn the_largest_numbers_do_no_harm() {
        let figures = figures(&[note(Status::Unique, u64::MAX, Some(u64::MAX)); 3]);
        let spread = figures.times.spread().unwrap();
        assert_eq!((spread.max, figures.times.sum()), (u64::MAX, 3 * u128::from(u64::MAX)));
        assert_eq!(figures.guess_bins.last(), Some(&3));
    }

    #[test]
    fn merged_figures_are_those_of_all_rows() {
        let notes: Vec<_> =
            (0..50).map(|i| note(Status::ALL[i as usize % 6], i * i, Some(i * 1000))).collect();
        let (first, second) = notes.split_at(17);
        let mut merged = figures(first);
        merged.merge(&figures(second));
        let whole = figures(&notes);
        assert_eq!((merged.rows, merged.statuses), (whole.rows, whole.statuses));
        assert_eq!(merged.times.spread(), whole.times.spread());
        assert_eq!(merged.guesses.spread(), whole.guesses.spread());
        assert_eq!((merged.time_bins, merged.guess_bins), (whole.time_bins, whole.guess_bins));
    }
}
