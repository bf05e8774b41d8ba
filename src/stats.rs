//! What a run adds up to.
//!
//! Every chunk fills [`Stats`] of its own and whoever collects them merges them. The result depends
//! on the rows alone, not on how they were divided or in which order the parts were merged: counts
//! and sums commute, and the short lists are ordered by a key that no two rows share.

use hdrhistogram::Histogram;

use crate::output::{Row, Status};

/// Rows in each short list.
const LISTED: usize = 5;
/// The histogram tells times up to an hour apart; a longer one counts as an hour.
const LONGEST_NS: u64 = 3_600_000_000_000;
/// Percentiles are right to 1 %. One more digit would make every chunk's histogram eight times as large.
const SIGNIFICANT_DIGITS: u8 = 2;

/// A puzzle that took many guesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HardPuzzle {
    /// Number of the record over all inputs, from 1.
    pub id: u64,
    /// Name of the input.
    pub source: Box<str>,
    /// Line on which the record starts.
    pub line: u64,
    /// What came out.
    pub status: Status,
    /// Branch nodes opened.
    pub guesses: u64,
    /// Nanoseconds that the solver spent on it.
    pub time_ns: u64,
}

/// A record that could not be read or whose clues clash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidRecord {
    /// Number of the record over all inputs, from 1.
    pub id: u64,
    /// Name of the input.
    pub source: Box<str>,
    /// Line on which the record starts.
    pub line: u64,
    /// The row's error: `line L, column C: reason`.
    pub error: Box<str>,
}

/// The figures of a run or of a part of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// Records, whatever became of them.
    pub records: u64,
    /// Nanoseconds that the solver spent on all of them.
    pub solver_time_ns: u64,
    counts: [u64; Status::ALL.len()],
    times: Histogram<u64>,
    longest_ns: u64,
    hardest: Vec<HardPuzzle>,
    first_invalid: Vec<InvalidRecord>,
}

impl Default for Stats {
    fn default() -> Self {
        Self::new()
    }
}

impl Stats {
    /// The figures of no row.
    #[must_use]
    pub fn new() -> Self {
        Self {
            records: 0,
            solver_time_ns: 0,
            counts: [0; Status::ALL.len()],
            times: Histogram::new_with_bounds(1, LONGEST_NS, SIGNIFICANT_DIGITS)
                .expect("the bounds are constants that hdrhistogram accepts"),
            longest_ns: 0,
            hardest: Vec::new(),
            first_invalid: Vec::new(),
        }
    }

    /// Adds one row.
    ///
    /// An invalid row never reached the solver: it has a count and no time.
    #[inline]
    pub fn add(&mut self, row: &Row<'_>) {
        self.records += 1;
        self.counts[row.status as usize] += 1;
        if row.status == Status::Invalid {
            if self.first_invalid.len() < LISTED || self.first_invalid.iter().any(|kept| row.id < kept.id) {
                self.list_invalid(row);
            }
            return;
        }
        self.solver_time_ns += row.time_ns;
        self.longest_ns = self.longest_ns.max(row.time_ns);
        self.times.saturating_record(row.time_ns);
        let listed = match self.hardest.last() {
            Some(last) if self.hardest.len() == LISTED => {
                row.guesses > last.guesses || (row.guesses == last.guesses && row.id < last.id)
            }
            _ => true,
        };
        if listed {
            self.list_hard(row);
        }
    }

    /// Adds the figures of other rows.
    pub fn merge(&mut self, other: Self) {
        self.records += other.records;
        self.solver_time_ns += other.solver_time_ns;
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
        self.longest_ns = self.longest_ns.max(other.longest_ns);
        self.times.add(other.times).expect("all histograms have the same bounds");
        self.hardest.extend(other.hardest);
        self.shorten_hardest();
        self.first_invalid.extend(other.first_invalid);
        self.shorten_invalid();
    }

    /// How many rows have that status.
    #[must_use]
    pub const fn count(&self, status: Status) -> u64 {
        self.counts[status as usize]
    }

    /// The time in nanoseconds that a share `quantile` (0 to 1) of the rows that the solver saw did
    /// not exceed, right to 1 %; 0 if it saw none.
    #[must_use]
    pub fn time_quantile_ns(&self, quantile: f64) -> u64 {
        self.times.value_at_quantile(quantile).min(self.longest_ns)
    }

    /// The longest time of a row in nanoseconds, exact.
    #[must_use]
    pub const fn longest_ns(&self) -> u64 {
        self.longest_ns
    }

    /// The five rows with the most guesses, the earliest first among equals.
    #[must_use]
    pub fn hardest(&self) -> &[HardPuzzle] {
        &self.hardest
    }

    /// The first five invalid rows.
    #[must_use]
    pub fn first_invalid(&self) -> &[InvalidRecord] {
        &self.first_invalid
    }

    #[cold]
    fn list_hard(&mut self, row: &Row<'_>) {
        self.hardest.push(HardPuzzle {
            id: row.id,
            source: row.source.into(),
            line: row.line,
            status: row.status,
            guesses: row.guesses,
            time_ns: row.time_ns,
        });
        self.shorten_hardest();
    }

    #[cold]
    fn list_invalid(&mut self, row: &Row<'_>) {
        self.first_invalid.push(InvalidRecord {
            id: row.id,
            source: row.source.into(),
            line: row.line,
            error: row.error.unwrap_or_default().into(),
        });
        self.shorten_invalid();
    }

    fn shorten_hardest(&mut self) {
        self.hardest.sort_by_key(|puzzle| (u64::MAX - puzzle.guesses, puzzle.id));
        self.hardest.truncate(LISTED);
    }

    fn shorten_invalid(&mut self) {
        self.first_invalid.sort_by_key(|record| record.id);
        self.first_invalid.truncate(LISTED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Kind, Layout};
    use proptest::prelude::*;

    fn row(id: u64, status: Status, guesses: u64, time_ns: u64) -> Row<'static> {
        Row {
            id,
            source: "a.txt",
            number: id,
            line: id + 1,
            kind: Kind::Sudoku,
            layout: Layout::Line,
            status,
            solutions: 1,
            guesses,
            time_ns,
            puzzle: None,
            solution: None,
            error: (status == Status::Invalid).then_some("line 1, column 1: why"),
        }
    }

    fn stats(rows: &[Row<'_>]) -> Stats {
        let mut stats = Stats::new();
        for row in rows {
            stats.add(row);
        }
        stats
    }

    #[test]
    fn no_row_gives_zeros() {
        let stats = Stats::new();
        assert_eq!((stats.records, stats.time_quantile_ns(0.5), stats.longest_ns()), (0, 0, 0));
        assert!(Status::ALL.into_iter().all(|status| stats.count(status) == 0));
    }

    #[test]
    fn counts_and_times_of_four_rows() {
        let stats = stats(&[
            row(1, Status::Unique, 0, 1000),
            row(2, Status::Unique, 3, 3000),
            row(3, Status::Invalid, 0, 0),
            row(4, Status::Unsolvable, 1, 2000),
        ]);
        assert_eq!(stats.records, 4);
        assert_eq!(stats.count(Status::Unique), 2);
        assert_eq!(stats.count(Status::Unsolvable), 1);
        assert_eq!(stats.count(Status::Invalid), 1);
        assert_eq!(stats.count(Status::Multiple), 0);
        assert_eq!(stats.solver_time_ns, 6000);
        assert_eq!(stats.longest_ns(), 3000);
        // The middle one of the three times, to 1 %: the invalid row's 0 is not among them.
        assert!((1980..=2020).contains(&stats.time_quantile_ns(0.5)), "{}", stats.time_quantile_ns(0.5));
    }

    #[test]
    fn quantiles_of_a_thousand_known_times() {
        let rows: Vec<_> = (1..=1000).map(|id| row(id, Status::Unique, 0, id * 1000)).collect();
        let stats = stats(&rows);
        for (quantile, exact) in [(0.5, 500_000.0), (0.9, 900_000.0), (0.99, 990_000.0)] {
            let found = stats.time_quantile_ns(quantile) as f64;
            assert!((found / exact - 1.0).abs() < 0.011, "p{quantile}: {found}");
        }
    }

    #[test]
    fn more_than_an_hour_is_kept_as_the_longest_time() {
        let stats = stats(&[row(1, Status::Unfinished, 1, 2 * LONGEST_NS)]);
        assert_eq!(stats.longest_ns(), 2 * LONGEST_NS);
        assert!(stats.time_quantile_ns(0.5) >= LONGEST_NS);
    }

    #[test]
    fn the_hardest_are_ordered_by_guesses_then_id_and_exclude_the_invalid() {
        let stats = stats(&[
            row(1, Status::Unique, 5, 0),
            row(2, Status::Unique, 9, 0),
            row(3, Status::Invalid, 100, 0),
            row(4, Status::Unique, 5, 0),
            row(5, Status::Multiple, 7, 0),
            row(6, Status::Unique, 5, 0),
            row(7, Status::Unique, 5, 0),
        ]);
        let hardest: Vec<_> = stats.hardest().iter().map(|puzzle| (puzzle.guesses, puzzle.id)).collect();
        assert_eq!(hardest, [(9, 2), (7, 5), (5, 1), (5, 4), (5, 6)]);
        assert_eq!((&*stats.hardest()[0].source, stats.hardest()[0].line), ("a.txt", 3));
    }

    #[test]
    fn the_first_invalid_rows_are_kept() {
        let rows: Vec<_> = (1..=9).map(|id| row(id, Status::Invalid, 0, 0)).collect();
        let stats = stats(&rows);
        assert_eq!(stats.first_invalid().iter().map(|record| record.id).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        assert_eq!(&*stats.first_invalid()[0].error, "line 1, column 1: why");
        assert_eq!((stats.count(Status::Invalid), stats.solver_time_ns), (9, 0));
    }

    proptest! {
        /// Divided in any way, added and merged in any order: the figures are those of the whole.
        #[test]
        fn neither_the_division_nor_the_order_matters(
            rows in prop::collection::vec((0..Status::ALL.len(), 0..6_u64, 0..5000_u64), 0..60),
            places in prop::collection::vec(0..4_usize, 60),
            order in Just(vec![0, 1, 2, 3]).prop_shuffle(),
        ) {
            let rows: Vec<_> = (1..)
                .zip(rows)
                .map(|(id, (status, guesses, time_ns))| row(id, Status::ALL[status], guesses, time_ns))
                .collect();
            let mut parts = vec![Stats::new(); 4];
            // Against the order of the ids, too.
            for (row, &place) in rows.iter().zip(&places).rev() {
                parts[place].add(row);
            }
            let mut merged = Stats::new();
            for part in order {
                merged.merge(parts[part].clone());
            }
            prop_assert_eq!(merged, stats(&rows));
        }
    }
}
