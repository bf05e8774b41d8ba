//! What a benchmark found out, as it is printed, exported and compared with later.
//!
//! Invariant: what is written as JSON is read back as the same [`BenchResults`], except that control characters in
//! texts are replaced, so that they never reach a terminal.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::MeasureOptions;
use super::median::{Estimate, ratio_of_pairs};
use super::puzzles::{Input, Puzzles};
use crate::provenance::Provenance;
use crate::solver::Wanted;

/// Fewer rounds cannot show whether the machine got slower or faster.
const FEWEST_TO_DRIFT: usize = 20;

/// A difference in speed between the first and the last third of the rounds that is worth a warning.
pub const DRIFT: f64 = 0.05;

/// Everything worth knowing about a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchResults {
    /// How the benchmark came about.
    #[serde(flatten)]
    pub provenance: Provenance,
    /// The inputs in order.
    pub inputs: Vec<Input>,
    /// Puzzles measured on.
    pub puzzles: usize,
    /// Records left out because they could not be read or their clues clash.
    pub invalid: u64,
    /// Records left out because they are Sudominoku cases.
    pub sudominoku: u64,
    /// How it was measured.
    pub method: Method,
    /// Contenders in this process, from grids in memory to outcomes in memory.
    pub in_process: BenchTable,
    /// Whole programs, from file to file.
    pub whole_processes: Option<BenchTable>,
    /// Contenders in this process on 1, 2, 4, ... threads.
    pub threads_sweep: Option<BenchTable>,
    /// The tables of each list, if there are several; those above are of all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lists: Vec<ListTables>,
}

/// What was measured on one of several lists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ListTables {
    /// Name of the input.
    pub name: String,
    /// Puzzles measured on.
    pub puzzles: usize,
    /// As [`BenchResults::in_process`].
    pub in_process: BenchTable,
    /// As [`BenchResults::whole_processes`].
    pub whole_processes: Option<BenchTable>,
}

/// What must be equal for two benchmarks to be comparable, besides machine and input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Method {
    /// Solutions looked for.
    pub limit: u64,
    /// Whether any of several solutions would do, instead of the smallest.
    #[serde(default)]
    pub any_solution: bool,
    /// Guesses after which a puzzle was given up; none if that was never done.
    pub max_guesses: Option<u64>,
    /// Threads of each contender.
    pub threads: usize,
    /// Seconds for the rounds of each table, at least.
    pub seconds: f64,
    /// Where the random numbers started.
    pub seed: u64,
    /// Whether each round had fresh isomorphs of the puzzles.
    pub permute: bool,
}

impl Method {
    /// The method that `options` describe, on that many threads.
    #[must_use]
    pub fn new(options: &MeasureOptions, threads: usize) -> Self {
        Self {
            limit: options.limits.solutions.get(),
            any_solution: options.limits.wanted == Wanted::Any,
            max_guesses: options.limits.max_guesses,
            threads,
            seconds: options.time.as_secs_f64(),
            seed: options.seed,
            permute: options.permute,
        }
    }
}

/// Contenders that took turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchTable {
    /// The contenders in the order in which they were named.
    pub rows: Vec<BenchRow>,
    /// Rounds taken.
    pub rounds: usize,
    /// Puzzles of a round.
    pub puzzles_a_round: usize,
    /// How much slower the last third of the rounds was than the first, by all contenders together: 0.1 is
    /// 10 % slower. 0 if the two cannot be told apart or there are fewer than 20 rounds.
    pub drift: f64,
}

/// One contender.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchRow {
    /// Its name.
    pub name: String,
    /// Threads that it solved on, if known.
    pub threads: Option<usize>,
    /// What it did; none if it failed.
    pub figures: Option<BenchFigures>,
    /// Why it has no figures.
    pub failure: Option<String>,
    /// Seconds of each round.
    #[serde(skip)]
    seconds: Vec<f64>,
}

/// The figures of one contender.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchFigures {
    /// Puzzles a second.
    pub puzzles_per_second: Estimate,
    /// The same median with the interval by blocks of rounds
    /// ([`Estimate::of_blocks`]): how sure it is of what another run would give.
    pub puzzles_per_second_by_blocks: Estimate,
    /// Microseconds of wall time for each puzzle.
    pub us_per_puzzle: Estimate,
    /// Seconds of a round: for a whole program those of a run.
    pub seconds: Estimate,
    /// How many times as fast as the contender named in `ratio_to`.
    pub ratio: Estimate,
    /// Name of the contender that `ratio` refers to.
    pub ratio_to: String,
    /// The speed-up by threads over their number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub efficiency: Option<f64>,
    /// The guesses of the puzzles as they were read; whole programs do not tell them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guesses: Option<Guesses>,
    /// Puzzles, as they were read, that were given up after `max_guesses`; whole programs do not tell them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<usize>,
    /// Puzzles that a whole program gave no solution to, of those with none or several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<usize>,
    /// Seconds that a whole program takes over a single puzzle: its start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_seconds: Option<f64>,
    /// How often a slice was solved in a turn; a whole program runs once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<usize>,
    /// Times of single puzzles; whole programs do not tell them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ns: Option<TimeQuantiles>,
}

/// How much searching the puzzles took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guesses {
    /// Their mean.
    pub per_puzzle: f64,
    /// The share, 0 to 1, of the puzzles solved without one.
    pub without_guess: f64,
}

/// Times of single puzzles in nanoseconds; all but the last are right to 1 %. Of puzzles solved side by side
/// in the lanes each has an equal share of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeQuantiles {
    /// Half of the puzzles did not take longer.
    pub p50: u64,
    /// 90 % did not take longer.
    pub p90: u64,
    /// 99 % did not take longer.
    pub p99: u64,
    /// The longest.
    pub max: u64,
}

impl BenchResults {
    /// Puts together what was measured; the tables beside `in_process` come later.
    #[must_use]
    pub fn new(provenance: Provenance, puzzles: &Puzzles, method: Method, in_process: BenchTable) -> Self {
        Self {
            provenance,
            inputs: puzzles.inputs.clone(),
            puzzles: puzzles.grids.len(),
            invalid: puzzles.invalid,
            sudominoku: puzzles.sudominoku,
            method,
            in_process,
            whole_processes: None,
            threads_sweep: None,
            lists: Vec::new(),
        }
    }

    /// The object for a program, line end included.
    #[must_use]
    pub fn json(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("the keys are text and the parts have no state");
        text + "\n"
    }

    /// Reads what [`BenchResults::json`] wrote.
    ///
    /// # Errors
    ///
    /// When it is something else.
    pub fn from_json(text: &[u8]) -> serde_json::Result<Self> {
        let mut value: Value = serde_json::from_slice(text)?;
        disarm(&mut value);
        serde_json::from_value(value)
    }

    /// All tables, those of the lists before that of all.
    #[must_use]
    pub fn tables(&self) -> Vec<NamedTable<'_>> {
        let lists = self.lists.iter();
        let lists =
            lists.map(|list| (Some(&*list.name), list.puzzles, &list.in_process, &list.whole_processes));
        let all = (None, self.puzzles, &self.in_process, &self.whole_processes);
        let measured: Vec<_> = lists.chain([all]).collect();
        let in_process = measured.iter().map(|&(list, puzzles, table, _)| NamedTable {
            kind: TableKind::InProcess,
            list,
            puzzles,
            table,
        });
        let whole = measured.iter().filter_map(|&(list, puzzles, _, table)| {
            Some(NamedTable { kind: TableKind::WholeProcesses, list, puzzles, table: table.as_ref()? })
        });
        let sweep = self.threads_sweep.as_ref().map(|table| NamedTable {
            kind: TableKind::ThreadsSweep,
            list: None,
            puzzles: self.puzzles,
            table,
        });
        in_process.chain(whole).chain(sweep).collect()
    }
}

/// A table and what it is of.
#[derive(Clone, Copy, Debug)]
pub struct NamedTable<'a> {
    /// What was measured.
    pub kind: TableKind,
    /// The list, if there are several and it is not of all.
    pub list: Option<&'a str>,
    /// The puzzles that there are in the list or in all.
    pub puzzles: usize,
    /// The table.
    pub table: &'a BenchTable,
}

impl Display for NamedTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind.as_str();
        match self.list {
            Some(list) => write!(f, "{kind}, {list}"),
            None => f.write_str(kind),
        }
    }
}

/// Replaces the control characters in all texts: a file of another origin must not steer the terminal.
fn disarm(value: &mut Value) {
    match value {
        Value::String(text) if text.contains(char::is_control) => {
            *text = text.replace(char::is_control, "\u{fffd}");
        }
        Value::Array(values) => values.iter_mut().for_each(disarm),
        Value::Object(members) => members.values_mut().for_each(disarm),
        _ => {}
    }
}

/// The three tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Contenders in this process.
    InProcess,
    /// Whole programs.
    WholeProcesses,
    /// Contenders in this process on several numbers of threads.
    ThreadsSweep,
}

impl TableKind {
    /// The word for it in exports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InProcess => "in-process",
            Self::WholeProcesses => "whole-process",
            Self::ThreadsSweep => "threads-sweep",
        }
    }
}

impl BenchRow {
    /// The row of a contender that took those seconds for each round of `puzzles` puzzles, or that failed.
    ///
    /// Its ratio is that to itself until [`BenchTable::with_ratios`] gives it a partner.
    pub(super) fn new(
        name: String,
        threads: Option<usize>,
        seconds: Vec<f64>,
        failure: Option<String>,
        puzzles: usize,
    ) -> Self {
        let estimates = Estimate::of(seconds.clone()).zip(Estimate::of_blocks(&seconds));
        let figures = estimates.map(|(estimate, blocks)| {
            let us_per_puzzle = estimate.map(|seconds| seconds * 1e6 / puzzles as f64);
            BenchFigures {
                puzzles_per_second: us_per_puzzle.map(|us| 1e6 / us),
                puzzles_per_second_by_blocks: blocks.map(|seconds| puzzles as f64 / seconds),
                us_per_puzzle,
                seconds: estimate,
                ratio: Estimate { median: 1.0, low: 1.0, high: 1.0 },
                ratio_to: name.clone(),
                efficiency: None,
                guesses: None,
                unfinished: None,
                unanswered: None,
                start_seconds: None,
                passes: None,
                time_ns: None,
            }
        });
        Self { name, threads, figures, failure, seconds }
    }
}

impl BenchTable {
    pub(super) fn new(rows: Vec<BenchRow>, rounds: usize, puzzles_a_round: usize) -> Self {
        let drift = drift(&rows, rounds);
        Self { rows, rounds, puzzles_a_round, drift }
    }

    /// Gives each row its ratio to the first one before it, or itself, that has figures and that
    /// `is_reference` takes for its reference.
    pub(super) fn with_ratios(mut self, is_reference: impl Fn(&BenchRow, &BenchRow) -> bool) -> Self {
        let ratios: Vec<_> = self
            .rows
            .iter()
            .map(|row| {
                let mut references = self.rows.iter().filter(|other| other.figures.is_some());
                let reference = references.find(|other| is_reference(other, row))?;
                Some((ratio_of_pairs(&reference.seconds, &row.seconds)?, reference.name.clone()))
            })
            .collect();
        for (row, ratio) in self.rows.iter_mut().zip(ratios) {
            if let (Some(figures), Some((ratio, name))) = (&mut row.figures, ratio) {
                (figures.ratio, figures.ratio_to) = (ratio, name);
            }
        }
        self
    }

    /// Whether the machine got so much slower or faster meanwhile that the speeds are in doubt.
    #[must_use]
    pub fn drifts(&self) -> bool {
        self.drift.abs() > DRIFT
    }
}

/// Compares the first with the last third of the rounds; see [`BenchTable::drift`]. They are told apart when
/// their intervals by blocks are ([`Estimate::of_blocks`]).
fn drift(rows: &[BenchRow], rounds: usize) -> f64 {
    if rounds < FEWEST_TO_DRIFT {
        return 0.0;
    }
    let runners: Vec<_> = rows.iter().filter(|row| row.figures.is_some()).collect();
    // The geometric mean, so that a slow contender says no more than a fast one.
    let common: Vec<f64> = (0..rounds)
        .map(|round| {
            let logarithms = runners.iter().map(|row| row.seconds[round].max(1e-12).ln());
            (logarithms.sum::<f64>() / runners.len().max(1) as f64).exp()
        })
        .collect();
    let third = rounds / 3;
    let (first, last) = (&common[..third], &common[rounds - third..]);
    match (Estimate::of_blocks(first), Estimate::of_blocks(last)) {
        (Some(first), Some(last)) if first.high < last.low || last.high < first.low => {
            last.median / first.median - 1.0
        }
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, threads: usize, seconds: &[f64]) -> BenchRow {
        BenchRow::new(name.to_owned(), Some(threads), seconds.to_vec(), None, 1000)
    }

    #[test]
    fn figures_of_known_times() {
        let figures = row("a", 1, &[0.002, 0.001, 0.004]).figures.unwrap();
        assert!((figures.us_per_puzzle.median - 2.0).abs() < 1e-9);
        assert!((figures.puzzles_per_second.median - 500_000.0).abs() < 1e-3);
        assert!((figures.puzzles_per_second.low - 250_000.0).abs() < 1e-3);
        assert!((figures.puzzles_per_second.high - 1_000_000.0).abs() < 1e-3);
        let failed = BenchRow::new("b".to_owned(), None, Vec::new(), Some("why".to_owned()), 1000);
        assert!(failed.figures.is_none());
    }

    #[test]
    fn ratios_are_those_to_the_first_that_did_not_fail() {
        let failed = BenchRow::new("a".to_owned(), None, Vec::new(), Some("why".to_owned()), 1000);
        let rows = vec![failed, row("b", 1, &[2.0, 20.0]), row("c", 1, &[1.0, 10.0])];
        let table = BenchTable::new(rows, 2, 1000).with_ratios(|_, _| true);
        let figures = |at: usize| table.rows[at].figures.as_ref().unwrap();
        assert_eq!((figures(1).ratio.median, &*figures(1).ratio_to), (1.0, "b"));
        assert_eq!((figures(2).ratio.median, &*figures(2).ratio_to), (2.0, "b"));
    }

    #[test]
    fn speed_ups_are_those_of_the_same_backend() {
        let rows = vec![row("a", 1, &[8.0]), row("a", 2, &[4.0]), row("b", 1, &[9.0]), row("b", 2, &[3.0])];
        let table = BenchTable::new(rows, 1, 1000).with_ratios(|reference, row| reference.name == row.name);
        let ratios: Vec<_> =
            table.rows.iter().map(|row| row.figures.as_ref().unwrap().ratio.median).collect();
        assert_eq!(ratios, [1.0, 2.0, 1.0, 3.0]);
    }

    #[test]
    fn a_machine_that_slows_down_drifts_and_a_noisy_one_does_not() {
        let noise: Vec<f64> = (0..30).map(|round| f64::from(1 + round % 3)).collect();
        assert_eq!(BenchTable::new(vec![row("a", 1, &noise)], 30, 1).drift, 0.0);
        let slowing: Vec<f64> = (0..30).map(|round| if round < 12 { 1.0 } else { 1.2 }).collect();
        let quick: Vec<f64> = slowing.iter().map(|seconds| seconds / 7.0).collect();
        let table = BenchTable::new(vec![row("a", 1, &slowing), row("b", 1, &quick)], 30, 1);
        assert!((table.drift - 0.2).abs() < 1e-9 && table.drifts());
        // A third that is slower by the median, but not all of it.
        let outlier: Vec<f64> =
            (0..30).map(|round| if round < 20 && round != 4 && round != 7 { 1.0 } else { 1.2 }).collect();
        assert_eq!(BenchTable::new(vec![row("a", 1, &outlier)], 30, 1).drift, 0.0);
        let little: Vec<f64> = (0..30).map(|round| if round < 12 { 1.0 } else { 1.04 }).collect();
        assert!(!BenchTable::new(vec![row("a", 1, &little)], 30, 1).drifts());
    }

    #[test]
    fn few_rounds_and_no_rows_drift_nowhere() {
        let slowing: Vec<f64> = (1..20).map(f64::from).collect();
        assert_eq!(BenchTable::new(vec![row("a", 1, &slowing)], 19, 1).drift, 0.0);
        assert_eq!(BenchTable::new(Vec::new(), 0, 1).drift, 0.0);
    }
}
