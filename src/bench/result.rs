//! Benchmark results, for printing and exporting.
//!
//! A contender is represented by one flat [`BenchRow`] everywhere: in the printed tables, in JSON and in CSV.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::mem;

use serde::Serialize;

use super::median::Estimate;
use crate::provenance::{InputFile, Provenance};
use crate::solver::Backend;

/// The minimum number of rounds needed to see whether the machine got slower or faster.
const FEWEST_TO_DRIFT: usize = 20;

/// The smallest difference in speed between the first and the last third of the rounds that triggers a warning.
pub const DRIFT: f64 = 0.05;

/// The backend that makes different benchmark runs comparable. A contender takes turns with this backend, so the ratio
/// of their speeds hardly depends on how busy the machine is.
pub const YARDSTICK: Backend = Backend::SCALAR;

/// The results of a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchResults {
    /// Program, command, time and machine.
    #[serde(flatten)]
    pub provenance: Provenance,
    /// The inputs in order.
    pub inputs: Vec<InputFile>,
    /// Number of puzzles measured.
    pub puzzles: usize,
    /// Number of records left out because they could not be read or their clues clash.
    pub invalid: u64,
    /// Number of records left out because they are not sudokus, by kind of puzzle.
    #[serde(flatten)]
    pub others: BTreeMap<&'static str, u64>,
    /// How the benchmark was measured.
    pub method: Method,
    /// The tables. If there are several lists, each has its own tables, followed by those for all lists together.
    pub tables: Vec<BenchTable>,
}

/// How a benchmark was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Method {
    /// Number of solutions after which a search stops.
    pub limit: u64,
    /// Whether any one of several solutions is accepted, instead of only the smallest.
    pub any_solution: bool,
    /// Number of guesses after which a search stops, if there is a limit.
    pub max_guesses: Option<u64>,
    /// The thread counts that each backend was measured with.
    pub threads: Vec<usize>,
    /// Minimum number of seconds for the rounds of each table.
    pub seconds: f64,
    /// Seed for the random numbers.
    pub seed: u64,
    /// Whether each round used fresh isomorphs of the puzzles.
    pub permute: bool,
}

/// Contenders that took turns with each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchTable {
    /// The subject of the table.
    #[serde(flatten)]
    pub about: About,
    /// The contenders, in the order of the flags.
    pub rows: Vec<BenchRow>,
}

/// The subject of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct About {
    /// The kind of the table.
    pub table: TableKind,
    /// Name of the list, unless the table covers all lists.
    pub list: Option<String>,
    /// Number of puzzles in the list, or in all lists.
    pub puzzles: usize,
    /// Number of rounds.
    pub rounds: usize,
    /// Number of puzzles per round.
    pub puzzles_a_round: usize,
    /// How much all contenders together slowed down from the first to the last third of the rounds: 0.1 means 10 %. The
    /// value is 0 if the difference could be noise or there are fewer than 20 rounds.
    pub drift: f64,
}

/// The two kinds of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableKind {
    /// Contenders in this process, from grids in memory to outcomes in memory.
    InProcess,
    /// Whole programs, from file to file.
    WholeProcess,
}

impl Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.table {
            TableKind::InProcess => "in-process",
            TableKind::WholeProcess => "whole-process",
        })?;
        self.list.as_ref().map_or(Ok(()), |list| write!(f, ", {list}"))
    }
}

/// The row for one contender; the names in a table are unique. Values that do not apply, or that are missing because of
/// a failure, are `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BenchRow {
    /// The name, followed by ` -j N` for a backend that runs on several threads.
    pub name: String,
    /// The backend.
    pub backend: Option<String>,
    /// Number of threads, if known.
    pub threads: Option<usize>,
    /// The reason why there are no figures.
    pub failure: Option<String>,
    /// Puzzles per second.
    pub puzzles_per_second: Option<f64>,
    /// Lower end of the 95 % interval.
    pub puzzles_per_second_low: Option<f64>,
    /// Upper end of the 95 % interval.
    pub puzzles_per_second_high: Option<f64>,
    /// Wall time per puzzle, in microseconds.
    pub us_per_puzzle: Option<f64>,
    /// Percentage of the original puzzles (not isomorphs) that were solved without guessing.
    pub percent_without_guess: Option<f64>,
    /// Mean number of guesses per original puzzle.
    pub guesses_per_puzzle: Option<f64>,
    /// Number of original puzzles that were given up after `max_guesses`.
    pub unfinished: Option<usize>,
    /// Median time per puzzle in nanoseconds. Puzzles solved together in the lanes share the time equally.
    pub p50_ns: Option<u64>,
    /// 90th percentile of the times per puzzle.
    pub p90_ns: Option<u64>,
    /// 99th percentile of the times per puzzle.
    pub p99_ns: Option<u64>,
    /// Time for the slowest puzzle.
    pub max_ns: Option<u64>,
    /// How many times a slice was solved per turn.
    pub passes: Option<usize>,
    /// Seconds that a whole program took for all puzzles.
    pub run_seconds: Option<f64>,
    /// Seconds that a whole program took for a single puzzle, which is essentially its start-up time.
    pub start_seconds: Option<f64>,
    /// Number of puzzles with no solution or several that a whole program left unanswered.
    pub unanswered: Option<usize>,
    /// The speed relative to the contender named in `ratio_to`, as the median over the rounds.
    pub ratio: Option<f64>,
    /// Lower end of the 95 % interval.
    pub ratio_low: Option<f64>,
    /// Upper end of the 95 % interval.
    pub ratio_high: Option<f64>,
    /// Name of the first contender that did not fail.
    pub ratio_to: Option<String>,
    /// The speed relative to the [`YARDSTICK`] on the same number of threads, as the median over the rounds.
    pub yardsticks: Option<f64>,
    /// Lower end of the range given by blocks of rounds; the values from other runs should fall within this range.
    pub yardsticks_low: Option<f64>,
    /// Upper end of this range.
    pub yardsticks_high: Option<f64>,
    /// Seconds taken by each round (not exported).
    #[serde(skip)]
    pub times: Vec<f64>,
}

impl BenchResults {
    /// Returns the results as JSON, including the final line break.
    #[must_use]
    pub fn json(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("the keys are text and the parts have no state");
        text + "\n"
    }

    /// Returns the results as CSV, with one row per contender; each row also describes its table.
    pub fn csv(&self) -> Result<String, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for table in &self.tables {
            table.rows.iter().try_for_each(|row| writer.serialize((&table.about, row)))?;
        }
        let bytes = writer.into_inner().expect("memory takes everything");
        Ok(String::from_utf8(bytes).expect("what was text stays text"))
    }
}

impl BenchRow {
    /// Records a failure, and removes all figures.
    pub(super) fn fail(&mut self, why: String) {
        let Self { name, backend, threads, .. } = mem::take(self);
        *self = Self { name, backend, threads, failure: Some(why), ..Self::default() };
    }

    /// Sets the speed and the ratios from the times of the rounds. The ratios compare this row with `first` and
    /// `yardstick`.
    fn set_speed(&mut self, puzzles_a_round: usize, first: &Self, yardstick: Option<&Self>) {
        let seconds = Estimate::of(self.times.clone());
        let speed = seconds.map(|seconds| seconds.per_second(puzzles_a_round as f64));
        self.us_per_puzzle = speed.map(|speed| 1e6 / speed.median);
        [self.puzzles_per_second, self.puzzles_per_second_low, self.puzzles_per_second_high] =
            Estimate::parts(speed);
        let ratio = Estimate::of(ratios(&first.times, &self.times));
        [self.ratio, self.ratio_low, self.ratio_high] = Estimate::parts(ratio);
        self.ratio_to = Some(first.name.clone());
        let ratio = yardstick.and_then(|row| Estimate::of_blocks(&ratios(&row.times, &self.times)));
        [self.yardsticks, self.yardsticks_low, self.yardsticks_high] = Estimate::parts(ratio);
    }
}

impl BenchTable {
    /// Returns a table of contenders with their speeds and with their ratios to the yardstick and to the first row that
    /// has times.
    pub(super) fn new(
        table: TableKind,
        puzzles: usize,
        mut rows: Vec<BenchRow>,
        rounds: usize,
        puzzles_a_round: usize,
    ) -> Self {
        let timed: Vec<_> = rows.iter().filter(|row| !row.times.is_empty()).cloned().collect();
        let yardsticks = timed.iter().filter(|row| row.backend.as_deref() == Some(YARDSTICK.name()));
        for row in rows.iter_mut().filter(|row| !row.times.is_empty()) {
            let is_on_as_many =
                |other: &&BenchRow| row.threads.is_none_or(|threads| other.threads == Some(threads));
            let yardstick = yardsticks.clone().find(is_on_as_many);
            row.set_speed(puzzles_a_round, &timed[0], yardstick);
        }
        let drift = drift(&timed, rounds);
        Self { about: About { table, list: None, puzzles, rounds, puzzles_a_round, drift }, rows }
    }
}

/// Returns the ratio of each value in `of` to the corresponding value in `over`.
fn ratios(of: &[f64], over: &[f64]) -> Vec<f64> {
    of.iter().zip(over).map(|(a, b)| a / b).collect()
}

/// Compares the first third of the rounds with the last third; see [`About::drift`]. Every row must have times.
fn drift(rows: &[BenchRow], rounds: usize) -> f64 {
    if rounds < FEWEST_TO_DRIFT {
        return 0.0;
    }
    // The geometric mean gives slow and fast contenders the same weight.
    let common: Vec<f64> = (0..rounds)
        .map(|round| {
            let logarithms = rows.iter().map(|row| row.times[round].max(1e-12).ln());
            (logarithms.sum::<f64>() / rows.len().max(1) as f64).exp()
        })
        .collect();
    let third = rounds / 3;
    let (first, last) = (&common[..third], &common[rounds - third..]);
    let both = Estimate::of_blocks(first).zip(Estimate::of_blocks(last));
    let apart = both.filter(|(first, last)| first.high < last.low || last.high < first.low);
    apart.map_or(0.0, |(first, last)| last.median / first.median - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a table of single-threaded contenders from the seconds they took for rounds of 1000 puzzles. A contender
    /// with no times has failed.
    fn table(rows: &[(&str, &[f64])]) -> BenchTable {
        let row = |&(name, times): &(&str, &[f64])| BenchRow {
            name: name.to_owned(),
            backend: Some(name.to_owned()),
            threads: Some(1),
            failure: times.is_empty().then(|| "why".to_owned()),
            times: times.to_vec(),
            ..BenchRow::default()
        };
        let rounds = rows.iter().map(|(_, times)| times.len()).max().unwrap_or(0);
        BenchTable::new(TableKind::InProcess, 1000, rows.iter().map(row).collect(), rounds, 1000)
    }

    #[test]
    fn figures_of_known_times() {
        let row = &table(&[("a", &[0.002, 0.001, 0.004])]).rows[0];
        let near = |figure: Option<f64>, known: f64| (figure.unwrap() / known - 1.0).abs() < 1e-9;
        assert!(near(row.us_per_puzzle, 2.0) && near(row.puzzles_per_second, 500_000.0));
        assert!(near(row.puzzles_per_second_low, 250e3) && near(row.puzzles_per_second_high, 1e6));
        let failed = &table(&[("b", &[])]).rows[0];
        assert!(failed.puzzles_per_second.is_none() && failed.ratio.is_none());
    }

    /// Slow rounds slow down both contenders, so the ratio is exact.
    #[test]
    fn ratios_are_those_to_the_first_that_did_not_fail() {
        let table = table(&[("a", &[]), ("b", &[2.0, 20.0, 6.0]), ("c", &[1.0, 10.0, 3.0])]);
        let ratio = |at: usize| (table.rows[at].ratio, table.rows[at].ratio_to.as_deref());
        assert_eq!(ratio(1), (Some(1.0), Some("b")));
        assert_eq!(ratio(2), (Some(2.0), Some("b")));
        assert_eq!([table.rows[2].ratio_low, table.rows[2].ratio_high], [Some(2.0); 2]);
    }

    /// The yardstick runs on the same number of threads as the contender, if that number is known.
    #[test]
    fn the_yardstick_is_the_scalar_backend_on_as_many_threads() {
        let rows =
            [("scalar", Some(1), 6.0), ("scalar", Some(2), 3.0), ("a", Some(2), 1.0), ("b", None, 1.0)];
        let rows = rows.map(|(backend, threads, seconds)| BenchRow {
            backend: Some(backend.to_owned()),
            threads,
            times: vec![seconds],
            ..BenchRow::default()
        });
        let table = BenchTable::new(TableKind::InProcess, 1, rows.to_vec(), 1, 1);
        let ratios: Vec<_> = table.rows.iter().map(|row| row.yardsticks.unwrap()).collect();
        assert_eq!(ratios, [1.0, 1.0, 3.0, 6.0]);
    }

    #[test]
    fn a_machine_that_slows_down_drifts_and_a_noisy_one_does_not() {
        let noise: Vec<f64> = (0..30).map(|round| f64::from(1 + round % 3)).collect();
        let drift = |rows: &[(&str, &[f64])]| table(rows).about.drift;
        assert_eq!(drift(&[("a", &noise)]), 0.0);
        let slowing: Vec<f64> = (0..30).map(|round| if round < 12 { 1.0 } else { 1.2 }).collect();
        let quick: Vec<f64> = slowing.iter().map(|seconds| seconds / 7.0).collect();
        assert!((drift(&[("a", &slowing), ("b", &quick)]) - 0.2).abs() < 1e-9);
        // The median time of the last third is longer, although some of its rounds are fast.
        let outlier: Vec<f64> =
            (0..30).map(|round| if round < 20 && round != 4 && round != 7 { 1.0 } else { 1.2 }).collect();
        assert_eq!(drift(&[("a", &outlier)]), 0.0);
        // There are too few rounds, or no rows at all.
        assert_eq!((drift(&[("a", &slowing[6..25])]), drift(&[])), (0.0, 0.0));
    }
}
