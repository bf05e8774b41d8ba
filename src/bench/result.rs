//! The results of a benchmark, to be printed and exported.
//!
//! A contender is one flat [`BenchRow`] everywhere: in the printed tables, in JSON and in CSV.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::mem;

use serde::Serialize;

use super::median::Estimate;
use crate::provenance::{InputFile, Provenance};
use crate::solver::Backend;

/// The fewest rounds that can show whether the machine got slower or faster.
const FEWEST_TO_DRIFT: usize = 20;

/// The least difference in speed between the first and the last third of the rounds that gets a warning.
pub const DRIFT: f64 = 0.05;

/// The backend that makes two runs comparable. The ratio of a contender to it, measured in turns, depends little on how
/// busy the machine is.
pub const YARDSTICK: Backend = Backend::SCALAR;

/// The results of a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchResults {
    /// Program, command, time and machine.
    #[serde(flatten)]
    pub provenance: Provenance,
    /// The inputs in order.
    pub inputs: Vec<InputFile>,
    /// Puzzles measured on.
    pub puzzles: usize,
    /// Records left out because they could not be read or their clues clash.
    pub invalid: u64,
    /// Records left out because they are puzzles of other kinds, by the kind.
    #[serde(flatten)]
    pub others: BTreeMap<&'static str, u64>,
    /// The method of measurement.
    pub method: Method,
    /// The tables: that of each list, if there are several lists, before that of all lists.
    pub tables: Vec<BenchTable>,
}

/// The method by which a benchmark was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Method {
    /// Number of solutions after which a search ends.
    pub limit: u64,
    /// Whether any of several solutions would do, instead of the smallest.
    pub any_solution: bool,
    /// Number of guesses after which a search ends, if limited.
    pub max_guesses: Option<u64>,
    /// Numbers of threads that each backend was measured on.
    pub threads: Vec<usize>,
    /// Least seconds for the rounds of each table.
    pub seconds: f64,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Whether each round had fresh isomorphs of the puzzles.
    pub permute: bool,
}

/// Contenders that took turns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchTable {
    /// The subject of the table.
    #[serde(flatten)]
    pub about: About,
    /// The contenders in the order of the flags.
    pub rows: Vec<BenchRow>,
}

/// The subject of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct About {
    /// The kind of the table.
    pub table: TableKind,
    /// Name of the list, unless the table is of all lists.
    pub list: Option<String>,
    /// Puzzles in the list, or in all lists.
    pub puzzles: usize,
    /// Rounds taken.
    pub rounds: usize,
    /// Puzzles of a round.
    pub puzzles_a_round: usize,
    /// The slowdown of all contenders together from the first to the last third of the rounds: 0.1 is 10 %. The value
    /// is 0 if the difference may be noise or there are fewer than 20 rounds.
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

/// The row of one contender; no two in a table have the same name. Values that do not apply, or that a failure
/// prevented, are none.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BenchRow {
    /// The name, with ` -j N` after it for a backend on several threads.
    pub name: String,
    /// The backend.
    pub backend: Option<String>,
    /// Number of threads, if known.
    pub threads: Option<usize>,
    /// The reason why there are no figures.
    pub failure: Option<String>,
    /// Puzzles a second.
    pub puzzles_per_second: Option<f64>,
    /// Lower end of the 95 % interval.
    pub puzzles_per_second_low: Option<f64>,
    /// Upper end of the 95 % interval.
    pub puzzles_per_second_high: Option<f64>,
    /// Microseconds of wall time for each puzzle.
    pub us_per_puzzle: Option<f64>,
    /// Percentage of the puzzles, as read, that were solved without a guess.
    pub percent_without_guess: Option<f64>,
    /// Mean number of guesses of a puzzle, as read.
    pub guesses_per_puzzle: Option<f64>,
    /// Puzzles, as read, that were given up after `max_guesses`.
    pub unfinished: Option<usize>,
    /// Median time of a puzzle in nanoseconds. Puzzles solved side by side in the lanes have equal shares of the time.
    pub p50_ns: Option<u64>,
    /// 90th percentile of the times.
    pub p90_ns: Option<u64>,
    /// 99th percentile of the times.
    pub p99_ns: Option<u64>,
    /// Time of the slowest puzzle.
    pub max_ns: Option<u64>,
    /// The number of times that a slice was solved in a turn.
    pub passes: Option<usize>,
    /// Seconds of a whole program over all puzzles.
    pub run_seconds: Option<f64>,
    /// Seconds of a whole program over a single puzzle: its start.
    pub start_seconds: Option<f64>,
    /// Puzzles without or with several solutions that a whole program left unanswered.
    pub unanswered: Option<usize>,
    /// The speed relative to the contender named in `ratio_to`, as the median over the rounds.
    pub ratio: Option<f64>,
    /// Lower end of the 95 % interval.
    pub ratio_low: Option<f64>,
    /// Upper end of the 95 % interval.
    pub ratio_high: Option<f64>,
    /// Name of the first contender without a failure.
    pub ratio_to: Option<String>,
    /// The speed relative to the [`YARDSTICK`] on as many threads, as the median over the rounds.
    pub yardsticks: Option<f64>,
    /// Lower end of the range by blocks of rounds, in which other runs should be.
    pub yardsticks_low: Option<f64>,
    /// Upper end of this range.
    pub yardsticks_high: Option<f64>,
    /// Seconds of each round, not written.
    #[serde(skip)]
    pub times: Vec<f64>,
}

impl BenchResults {
    /// Returns the results as JSON, line end included.
    #[must_use]
    pub fn json(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("the keys are text and the parts have no state");
        text + "\n"
    }

    /// Returns the results as CSV: a row for each contender, with the subject of its table.
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
    /// Removes the figures, because of a failure.
    pub(super) fn fail(&mut self, why: String) {
        let Self { name, backend, threads, .. } = mem::take(self);
        *self = Self { name, backend, threads, failure: Some(why), ..Self::default() };
    }

    /// Sets the speed and the ratios, from the times of the rounds; `first` and `yardstick` have those of others.
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
    /// Returns a table of contenders with their speeds, and ratios to the first with times and to the yardstick.
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

/// Returns the ratio of each value of `of` to that of `over`.
fn ratios(of: &[f64], over: &[f64]) -> Vec<f64> {
    of.iter().zip(over).map(|(a, b)| a / b).collect()
}

/// Compares the first with the last third of the rounds, see [`About::drift`]. All rows have times.
fn drift(rows: &[BenchRow], rounds: usize) -> f64 {
    if rounds < FEWEST_TO_DRIFT {
        return 0.0;
    }
    // The geometric mean makes slow and fast contenders count equally.
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

    /// Makes a table of contenders on one thread, from seconds for rounds of 1000 puzzles; without any, one failed.
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

    /// Slow rounds slow both contenders: the ratio is exact.
    #[test]
    fn ratios_are_those_to_the_first_that_did_not_fail() {
        let table = table(&[("a", &[]), ("b", &[2.0, 20.0, 6.0]), ("c", &[1.0, 10.0, 3.0])]);
        let ratio = |at: usize| (table.rows[at].ratio, table.rows[at].ratio_to.as_deref());
        assert_eq!(ratio(1), (Some(1.0), Some("b")));
        assert_eq!(ratio(2), (Some(2.0), Some("b")));
        assert_eq!([table.rows[2].ratio_low, table.rows[2].ratio_high], [Some(2.0); 2]);
    }

    /// The yardstick has as many threads as the contender, if known.
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
        // A third that is slower by the median, but not all of it.
        let outlier: Vec<f64> =
            (0..30).map(|round| if round < 20 && round != 4 && round != 7 { 1.0 } else { 1.2 }).collect();
        assert_eq!(drift(&[("a", &outlier)]), 0.0);
        // There are few rounds, or no rows.
        assert_eq!((drift(&[("a", &slowing[6..25])]), drift(&[])), (0.0, 0.0));
    }
}
