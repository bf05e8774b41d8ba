//! Compares a benchmark with an earlier one, over all lists together.
//!
//! The machine may have been busier, or its clock slower, at one of the two times. So it is not speeds that are
//! compared, but how many times as fast a contender was as the [`YARDSTICK`](super::result::YARDSTICK), which took turns
//! with it: what slows all of a run cancels out. If the yardstick itself changes, all others seem to.
//!
//! The range of a change covers all values that both medians may have, by blocks of rounds ([`Estimate::of_blocks`]),
//! since noise lasts longer than a round. Two runs of one program differ by more than their rounds show (other memory
//! addresses, other guests on the machine), so a change below [`NOISE`] does not count, as in criterion.

use std::cmp::Ordering;
use std::fmt::Display;

use super::median::Estimate;
use super::result::{BenchResults, BenchRow, TableKind};

/// The change that two runs of one program can show on a machine with some noise.
pub const NOISE: f64 = 0.03;

/// How two benchmarks differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The earlier benchmark: `batchdoku 0.1.0 (abc) of 2026-01-01T00:00:00Z`.
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

/// The change of one contender.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Its table.
    pub table: TableKind,
    /// Its name.
    pub name: String,
    /// How many times as fast as the yardstick it was.
    pub before: f64,
    /// How many times as fast as the yardstick it is.
    pub now: f64,
    /// `now` / `before`, with a range by blocks of rounds.
    pub ratio: Estimate,
}

impl Change {
    /// Whether it got slower (`Less`) or faster (`Greater`); `Equal` if the change may be noise.
    #[must_use]
    pub fn trend(&self) -> Ordering {
        if self.ratio.low > 1.0 && self.ratio.median > 1.0 + NOISE {
            Ordering::Greater
        } else if self.ratio.high < 1.0 && self.ratio.median < 1.0 - NOISE {
            Ordering::Less
        } else {
            Ordering::Equal
        }
    }

    /// Whether it got slower by more than `percent`, even at the favourable end of the range.
    #[must_use]
    pub fn is_slower_by(&self, percent: f64) -> bool {
        self.trend() == Ordering::Less && self.ratio.high < 1.0 - percent / 100.0
    }
}

impl Comparison {
    /// Compares `now` with `before`.
    #[must_use]
    pub fn new(before: &BenchResults, now: &BenchResults) -> Self {
        let (earlier, latest) = (comparable(before), comparable(now));
        let (mut changes, mut alone) = (Vec::new(), Vec::new());
        for &(table, row, is) in &latest {
            match earlier.iter().find(|(kind, other, _)| (*kind, &other.name) == (table, &row.name)) {
                Some(&(_, _, was)) => changes.push(Change {
                    table,
                    name: row.name.clone(),
                    before: was.median,
                    now: is.median,
                    ratio: is.over(was),
                }),
                None => alone.push(format!("{} ({table}) has no earlier figures", row.name)),
            }
        }
        for (table, row, _) in earlier {
            if !latest.iter().any(|(kind, other, _)| (*kind, &other.name) == (table, &row.name)) {
                alone.push(format!("{} ({table}) has no figures this time", row.name));
            }
        }
        let (grave_differences, differences) = differences(before, now);
        let provenance = &before.provenance;
        let earlier = format!("batchdoku {} of {}", provenance.version_and_revision(), provenance.started);
        Self { earlier, grave_differences, differences, changes, alone }
    }
}

/// The comparable contenders of the tables of all lists, without the yardstick.
fn comparable(results: &BenchResults) -> Vec<(TableKind, &BenchRow, Estimate)> {
    let tables = results.tables.iter().filter(|table| table.about.list.is_none());
    let rows = tables.flat_map(|table| table.rows.iter().map(|row| (table.about.table, row)));
    let others = rows.filter(|(_, row)| !row.is_yardstick());
    others.filter_map(|(table, row)| Some((table, row, row.yardsticks()?))).collect()
}

/// Why two benchmarks are not comparable, because the work differs, and why they may not be.
fn differences(before: &BenchResults, now: &BenchResults) -> (Vec<String>, Vec<String>) {
    let (was, is) = (&before.method, &now.method);
    let grave = [
        difference("input (SHA-256)", inputs(before), inputs(now)),
        difference("puzzles", before.puzzles, now.puzzles),
        difference("limit", was.limit, is.limit),
        difference("any solution", was.any_solution, is.any_solution),
        difference("max-guesses", max_guesses(before), max_guesses(now)),
        difference("permute", was.permute, is.permute),
    ];
    let others =
        [difference("machine", machine(before), machine(now)), difference("seed", was.seed, is.seed)];
    (grave.into_iter().flatten().collect(), others.into_iter().flatten().collect())
}

fn difference<T: PartialEq + Display>(what: &str, before: T, now: T) -> Option<String> {
    (before != now).then(|| format!("{what}: {now}, was {before}"))
}

fn max_guesses(results: &BenchResults) -> String {
    results.method.max_guesses.map_or_else(|| "none".to_owned(), |most| most.to_string())
}

fn machine(results: &BenchResults) -> String {
    let machine = &results.provenance.machine;
    let cpu = machine.cpu.as_deref().unwrap_or("unknown processor");
    let cores = machine.logical_cores.unwrap_or(0);
    format!("{cpu}, {cores} cores, {} {} ({})", machine.os, machine.arch, machine.features.join(" "))
}

/// The hashes of the inputs, which may have other names or directories.
fn inputs(results: &BenchResults) -> String {
    let hashes = results.inputs.iter().map(|input| input.sha256.as_deref().unwrap_or("unknown"));
    hashes.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::super::puzzles::Puzzles;
    use super::super::result::{BenchTable, Method};
    use super::*;
    use crate::provenance::{InputFile, Provenance};
    use crate::sudoku::Grid;

    /// A benchmark of contenders of known speeds and the yardstick in thirty rounds, each with a percent of noise of its
    /// own that lasts for a block of rounds.
    fn results_of(contenders: &[(&str, f64)], load: impl Fn(usize) -> f64) -> BenchResults {
        let rows = contenders.iter().chain(&[("scalar", 0.1)]).enumerate().map(|(at, &(name, speed))| {
            let noise = |round: usize| 1.0 + ((round / 3 + at) % 3) as f64 * 0.005;
            let seconds = (0..30).map(|round| noise(round) * load(round) / speed).collect();
            BenchRow {
                backend: Some(name.to_owned()),
                threads: Some(1),
                ..BenchRow::new(name.to_owned(), seconds, None, 1000)
            }
        });
        let puzzles = Puzzles {
            grids: vec![Grid::EMPTY],
            inputs: vec![InputFile {
                name: "a.txt".to_owned(),
                bytes: Some(82),
                sha256: Some("abc".to_owned()),
            }],
            ..Puzzles::default()
        };
        let method = Method {
            limit: 2,
            any_solution: false,
            max_guesses: None,
            threads: vec![1],
            seconds: 5.0,
            seed: 1,
            permute: false,
        };
        let provenance = Provenance::of_this_process(SystemTime::UNIX_EPOCH);
        let table = BenchTable::new(TableKind::InProcess, 1, rows.collect(), 30, 1000);
        BenchResults::new(provenance, &puzzles, method, vec![table])
    }

    /// The same on a quiet machine.
    fn results(contenders: &[(&str, f64)]) -> BenchResults {
        results_of(contenders, |_| 1.0)
    }

    fn trends(before: f64, now: f64) -> (Ordering, bool) {
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
        assert!(comparison.changes.iter().all(|change| change.trend() == Ordering::Equal));
        assert!(comparison.changes.iter().all(|change| change.ratio.median == 1.0));
    }

    #[test]
    fn only_what_is_beyond_the_noise_is_a_change() {
        assert_eq!(trends(1.0, 1.02), (Ordering::Equal, false));
        assert_eq!(trends(1.0, 0.98), (Ordering::Equal, false));
        assert_eq!(trends(1.0, 1.06), (Ordering::Greater, false));
        assert_eq!(trends(1.0, 0.94), (Ordering::Less, false));
        // 10.5 % slower, but the noise of a percent may hide that it is less than 10.
        assert_eq!(trends(1.0, 0.895), (Ordering::Less, false));
        assert_eq!(trends(1.0, 0.85), (Ordering::Less, true));
    }

    /// By absolute speeds, an unchanged solver was "19 % faster", and one that was 12 % slower passed.
    #[test]
    fn a_busier_or_quieter_machine_changes_nothing_and_hides_nothing() {
        let before = results(&[("a", 1.0), ("b", 1.0)]);
        let loads: [fn(usize) -> f64; 4] = [
            |_| 1.0 / 1.19,
            |_| 3.0,
            |round| if round < 12 { 1.0 } else { 1.7 },
            |round| [1.0, 4.0, 2.0, 1.0, 1.5][round % 5],
        ];
        for (at, load) in loads.into_iter().enumerate() {
            let now = results_of(&[("a", 1.0), ("b", 0.88)], load);
            let [same, slower] = &Comparison::new(&before, &now).changes[..] else { panic!() };
            assert!(same.trend() == Ordering::Equal && !same.is_slower_by(0.0), "load {at}: {same:?}");
            assert!(slower.is_slower_by(5.0), "load {at}: {slower:?}");
        }
    }

    /// A third of the rounds of one contender are twice as slow: the median hardly moves, and the range is wide.
    #[test]
    fn noise_that_lasts_and_hits_only_one_is_no_change() {
        let before = results(&[("a", 1.0)]);
        let mut now = results(&[("a", 0.9)]);
        let row = &mut now.tables[0].rows[0];
        (row.yardsticks_low, row.yardsticks_high) = (Some(4.5), Some(10.5));
        assert_eq!(Comparison::new(&before, &now).changes[0].trend(), Ordering::Equal);
    }

    #[test]
    fn differences_are_named() {
        let (before, mut now) = (results(&[("a", 1.0)]), results(&[("a", 1.0)]));
        now.method.seed = 2;
        now.method.max_guesses = Some(1000);
        now.inputs[0].sha256 = Some("def".to_owned());
        now.inputs[0].name = "elsewhere/a.txt".to_owned();
        now.provenance.machine.cpu = Some("another".to_owned());
        let Comparison { differences, grave_differences, .. } = Comparison::new(&before, &now);
        assert_eq!(grave_differences, ["input (SHA-256): def, was abc", "max-guesses: 1000, was none"]);
        assert_eq!(differences.len(), 2);
        assert!(differences[0].starts_with("machine: another, "), "{}", differences[0]);
        assert_eq!(differences[1], "seed: 2, was 1");
    }

    #[test]
    fn impossible_ratios_are_no_figures() {
        let now = results(&[("a", 1.0)]);
        for ratio in [Some(0.0), Some(-1.0), Some(1e-320), None] {
            let mut before = now.clone();
            before.tables[0].rows[0].yardsticks_low = ratio;
            let comparison = Comparison::new(&before, &now);
            assert_eq!((comparison.changes.len(), comparison.alone.len()), (0, 1), "{ratio:?}");
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
        results.tables[0].rows.iter_mut().for_each(|row| row.times.clear());
        // A float may differ in its last digit.
        assert_eq!(format!("{read:.9?}"), format!("{results:.9?}"));
        assert!(
            Comparison::new(&read, &results).changes.iter().all(|change| change.trend() == Ordering::Equal)
        );
    }
}
