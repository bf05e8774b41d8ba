//! What changed since an earlier benchmark, over all lists together.
//!
//! The two were not measured in turns. So the range of a ratio covers every value that both medians may have, and
//! the medians are taken by blocks of rounds ([`Estimate::of_blocks`]), since noise lasts longer than a round.
//! The range is not a 95 % interval: noise may last longer than a run. Two runs of one program also differ by
//! more than their rounds show (other memory addresses, other guests on the machine), so that nothing below
//! [`NOISE`] counts as a change. (criterion has such a threshold, too.)

use std::fmt::Display;

use super::median::Estimate;
use super::result::{BenchResults, BenchRow, Method, TableKind};

/// The change in speed that two runs of the same program show on a machine that is not quite quiet.
pub const NOISE: f64 = 0.03;

/// How two benchmarks differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The earlier one: `batchdoku 0.1.0 (abc) of 2026-01-01T00:00:00Z`.
    pub earlier: String,
    /// Why the two are not comparable: `limit: 1, was 2`.
    pub grave_differences: Vec<String>,
    /// Why the two may not be comparable: `seed: 1, was 2`.
    pub differences: Vec<String>,
    /// The contenders with figures in both.
    pub changes: Vec<Change>,
    /// The contenders with figures in only one of them.
    pub alone: Vec<String>,
}

/// How one contender did.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The table it stands in.
    pub kind: TableKind,
    /// Its name.
    pub name: String,
    /// Threads that it solved on, if known.
    pub threads: Option<usize>,
    /// Puzzles a second then.
    pub before: f64,
    /// Puzzles a second now.
    pub now: f64,
    /// How many times as fast it is now, and the range of that by blocks of rounds.
    pub ratio: Estimate,
}

/// What a change amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    /// It may be noise.
    Noise,
    /// It got faster.
    Faster,
    /// It got slower.
    Slower,
}

impl Change {
    /// Whether the change is beyond the noise, and its direction.
    #[must_use]
    pub fn trend(&self) -> Trend {
        if self.ratio.low > 1.0 && self.ratio.median > 1.0 + NOISE {
            Trend::Faster
        } else if self.ratio.high < 1.0 && self.ratio.median < 1.0 - NOISE {
            Trend::Slower
        } else {
            Trend::Noise
        }
    }

    /// Whether it got slower by more than `percent`, even at the favourable end of the range.
    #[must_use]
    pub fn is_slower_by(&self, percent: f64) -> bool {
        self.trend() == Trend::Slower && self.ratio.high < 1.0 - percent / 100.0
    }
}

impl Comparison {
    /// Compares `now` with `before`.
    #[must_use]
    pub fn new(before: &BenchResults, now: &BenchResults) -> Self {
        let (grave_differences, differences) = differences(before, now);
        let (changes, alone) = (Vec::new(), Vec::new());
        let mut comparison =
            Self { earlier: name_of(before), grave_differences, differences, changes, alone };
        for kind in [TableKind::InProcess, TableKind::WholeProcesses, TableKind::ThreadsSweep] {
            comparison.compare(kind, rows(before, kind), rows(now, kind));
        }
        comparison
    }

    fn compare(&mut self, kind: TableKind, before: &[BenchRow], now: &[BenchRow]) {
        let same = |a: &BenchRow, b: &BenchRow| (&a.name, a.threads) == (&b.name, b.threads);
        // The main table says how many threads; elsewhere they tell the rows apart.
        let same = |a: &BenchRow, b: &BenchRow| {
            if kind == TableKind::ThreadsSweep { same(a, b) } else { a.name == b.name }
        };
        let figured =
            |rows: &[BenchRow]| rows.iter().filter(|row| row.figures.is_some()).cloned().collect::<Vec<_>>();
        let (before, now) = (figured(before), figured(now));
        for row in &now {
            let was = before.iter().find(|other| same(other, row)).and_then(|other| other.figures.as_ref());
            let (Some(was), Some(is)) = (was, &row.figures) else {
                self.alone.push(format!("{} ({}) has no earlier figures", row.name, kind.as_str()));
                continue;
            };
            let ratio = is.puzzles_per_second_by_blocks.over(was.puzzles_per_second_by_blocks);
            if [ratio.low, ratio.median, ratio.high].iter().any(|ratio| !ratio.is_normal() || *ratio < 0.0) {
                self.alone.push(format!("{} ({}) has no usable earlier figures", row.name, kind.as_str()));
                continue;
            }
            self.changes.push(Change {
                kind,
                name: row.name.clone(),
                threads: row.threads,
                before: was.puzzles_per_second.median,
                now: is.puzzles_per_second.median,
                ratio,
            });
        }
        for row in before.iter().filter(|row| !now.iter().any(|other| same(other, row))) {
            self.alone.push(format!("{} ({}) has no figures this time", row.name, kind.as_str()));
        }
    }
}

fn rows(results: &BenchResults, kind: TableKind) -> &[BenchRow] {
    let of_all = results.tables().into_iter().find(|found| found.kind == kind && found.list.is_none());
    of_all.map_or(&[], |found| &found.table.rows)
}

fn name_of(results: &BenchResults) -> String {
    let provenance = &results.provenance;
    format!("batchdoku {} of {}", provenance.version_and_revision(), provenance.started)
}

/// What makes two benchmarks incomparable, because the work is not the same, and what makes them hard to compare.
fn differences(before: &BenchResults, now: &BenchResults) -> (Vec<String>, Vec<String>) {
    let (was, is) = (&before.method, &now.method);
    let grave = [
        difference("input (SHA-256)", inputs(before), inputs(now)),
        difference("puzzles", before.puzzles, now.puzzles),
        difference("limit", was.limit, is.limit),
        difference("any solution", was.any_solution, is.any_solution),
        difference("max-guesses", max_guesses(was), max_guesses(is)),
        difference("threads", was.threads, is.threads),
        difference("permute", was.permute, is.permute),
    ];
    let others =
        [difference("machine", machine(before), machine(now)), difference("seed", was.seed, is.seed)];
    (grave.into_iter().flatten().collect(), others.into_iter().flatten().collect())
}

fn difference<T: PartialEq + Display>(what: &str, before: T, now: T) -> Option<String> {
    (before != now).then(|| format!("{what}: {now}, was {before}"))
}

fn max_guesses(method: &Method) -> String {
    method.max_guesses.map_or_else(|| "none".to_owned(), |most| most.to_string())
}

fn machine(results: &BenchResults) -> String {
    let machine = &results.provenance.machine;
    let cpu = machine.cpu.as_deref().unwrap_or("unknown processor");
    let cores = machine.logical_cores.unwrap_or(0);
    format!("{cpu}, {cores} cores, {} {} ({})", machine.os, machine.arch, machine.features.join(" "))
}

/// The hashes: a file may have another name or lie elsewhere.
fn inputs(results: &BenchResults) -> String {
    let hashes = results.inputs.iter().map(|input| input.sha256.as_deref().unwrap_or("unknown"));
    hashes.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::super::puzzles::{Input, Puzzles};
    use super::super::result::BenchTable;
    use super::*;
    use crate::provenance::Provenance;
    use crate::sudoku::Grid;

    /// A benchmark of those contenders, each with ten rounds of a second, give or take a percent of noise.
    fn results(contenders: &[(&str, f64)]) -> BenchResults {
        let rows = contenders.iter().map(|&(name, speed)| {
            let seconds = (0..10).map(|round| (1.0 + f64::from(round % 3) * 0.005) / speed).collect();
            BenchRow::new(name.to_owned(), Some(1), seconds, None, 1000)
        });
        let puzzles = Puzzles {
            grids: vec![Grid::EMPTY],
            inputs: vec![Input { name: "a.txt".to_owned(), sha256: Some("abc".to_owned()) }],
            ..Puzzles::default()
        };
        let method = Method {
            limit: 2,
            any_solution: false,
            max_guesses: None,
            threads: 1,
            seconds: 5.0,
            seed: 1,
            permute: false,
        };
        let provenance = Provenance::of_this_process(SystemTime::UNIX_EPOCH);
        BenchResults::new(provenance, &puzzles, method, BenchTable::new(rows.collect(), 10, 1000))
    }

    fn trends(before: f64, now: f64) -> (Trend, bool) {
        let comparison = Comparison::new(&results(&[("a", before)]), &results(&[("a", now)]));
        (comparison.changes[0].trend(), comparison.changes[0].is_slower_by(10.0))
    }

    #[test]
    fn a_benchmark_against_itself_has_no_change() {
        let results = results(&[("a", 1.0), ("b", 2.0)]);
        let comparison = Comparison::new(&results, &results);
        assert_eq!((comparison.differences.len(), comparison.alone.len()), (0, 0));
        assert!(comparison.grave_differences.is_empty());
        let version = env!("CARGO_PKG_VERSION");
        assert!(comparison.earlier.starts_with(&format!("batchdoku {version}")), "{}", comparison.earlier);
        assert!(comparison.earlier.ends_with(" of 1970-01-01T00:00:00Z"), "{}", comparison.earlier);
        assert_eq!(comparison.changes.len(), 2);
        assert!(comparison.changes.iter().all(|change| change.trend() == Trend::Noise));
        assert!(comparison.changes.iter().all(|change| change.ratio.median == 1.0));
    }

    #[test]
    fn only_what_is_beyond_the_noise_is_a_change() {
        assert_eq!(trends(1.0, 1.02), (Trend::Noise, false));
        assert_eq!(trends(1.0, 0.98), (Trend::Noise, false));
        assert_eq!(trends(1.0, 1.06), (Trend::Faster, false));
        assert_eq!(trends(1.0, 0.94), (Trend::Slower, false));
        // 10.5 % slower, but the noise of a percent may hide that it is less than 10.
        assert_eq!(trends(1.0, 0.895), (Trend::Slower, false));
        assert_eq!(trends(1.0, 0.85), (Trend::Slower, true));
    }

    /// A third of the rounds twice as slow: the median hardly moves, and no change is beyond such noise.
    #[test]
    fn noise_that_lasts_is_no_change() {
        let mut noisy = results(&[("a", 1.0)]);
        let seconds = (0..30).map(|round| if round < 10 { 2.0 } else { 1.0 + f64::from(round % 3) * 0.005 });
        noisy.in_process.rows[0] = BenchRow::new("a".to_owned(), Some(1), seconds.collect(), None, 1000);
        let comparison = Comparison::new(&noisy, &results(&[("a", 0.9)]));
        assert_eq!(comparison.changes[0].trend(), Trend::Noise);
    }

    #[test]
    fn contenders_without_a_partner_are_named() {
        let comparison =
            Comparison::new(&results(&[("a", 1.0), ("b", 1.0)]), &results(&[("b", 1.0), ("c", 1.0)]));
        assert_eq!(comparison.changes.len(), 1);
        assert_eq!(
            comparison.alone,
            ["c (in-process) has no earlier figures", "a (in-process) has no figures this time"]
        );
    }

    #[test]
    fn other_circumstances_are_named() {
        let (before, mut now) = (results(&[("a", 1.0)]), results(&[("a", 1.0)]));
        now.method.seed = 2;
        now.method.threads = 4;
        now.method.max_guesses = Some(1000);
        now.inputs[0].sha256 = Some("def".to_owned());
        now.inputs[0].name = "elsewhere/a.txt".to_owned();
        now.provenance.machine.cpu = Some("another".to_owned());
        let Comparison { differences, grave_differences, .. } = Comparison::new(&before, &now);
        assert_eq!(
            grave_differences,
            ["input (SHA-256): def, was abc", "max-guesses: 1000, was none", "threads: 4, was 1"]
        );
        assert_eq!(differences.len(), 2);
        assert!(differences[0].starts_with("machine: another, "), "{}", differences[0]);
        assert_eq!(differences[1], "seed: 2, was 1");
    }

    /// Version 0.1.0 never gave up and wrote nothing about it.
    #[test]
    fn results_without_max_guesses_are_those_of_a_run_that_never_gave_up() {
        let results = results(&[("a", 1.0)]);
        let mut json: serde_json::Value = serde_json::from_str(&results.json()).unwrap();
        assert!(json["method"].as_object_mut().unwrap().remove("max_guesses").is_some());
        let before = BenchResults::from_json(json.to_string().as_bytes()).unwrap();
        assert!(Comparison::new(&before, &results).grave_differences.is_empty());
    }

    #[test]
    fn speeds_of_nothing_are_no_figures() {
        let now = results(&[("a", 1.0)]);
        for speed in [0.0, -1.0, 1e-320] {
            let mut before = now.clone();
            let figures = before.in_process.rows[0].figures.as_mut().unwrap();
            figures.puzzles_per_second_by_blocks = Estimate { median: speed, low: speed, high: speed };
            let comparison = Comparison::new(&before, &now);
            let alone = ["a (in-process) has no usable earlier figures"];
            assert_eq!((comparison.changes.len(), &comparison.alone[..]), (0, &alone.map(str::to_owned)[..]));
        }
    }

    #[test]
    fn control_characters_of_an_earlier_run_are_not_printed() {
        let mut before = results(&[("a\x1b[2J", 1.0)]);
        before.provenance.version = "1\n2".to_owned();
        let before = BenchResults::from_json(before.json().as_bytes()).unwrap();
        let comparison = Comparison::new(&before, &results(&[("a", 1.0)]));
        assert_eq!(comparison.alone[1], "a\u{fffd}[2J (in-process) has no figures this time");
        assert!(comparison.earlier.starts_with("batchdoku 1\u{fffd}2"), "{}", comparison.earlier);
    }

    #[test]
    fn results_are_read_back_as_they_were() {
        let mut results = results(&[("a", 1.5)]);
        let read = BenchResults::from_json(results.json().as_bytes()).unwrap();
        // The times of the single rounds are not written.
        results.in_process.rows[0] = read.in_process.rows[0].clone();
        assert_eq!(read, results);
        assert!(Comparison::new(&read, &results).changes.iter().all(|change| change.trend() == Trend::Noise));
    }
}
