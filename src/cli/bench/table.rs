//! Tables as text and as Markdown.

use std::time::Duration;

use crate::bench::compare::{Comparison, Trend};
use crate::bench::median::Estimate;
use crate::bench::result::{BenchFigures, BenchResults, BenchRow, BenchTable, DRIFT, NamedTable, TableKind};
use crate::cli::figures;
use crate::report::escaped_markdown;

/// Cells under a header; the first column is text, the others are numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedTable {
    header: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl PrintedTable {
    /// The table of some contenders.
    #[must_use]
    pub fn of_table(NamedTable { kind, table, .. }: NamedTable<'_>) -> Self {
        let header = match kind {
            TableKind::InProcess => vec![
                "contender",
                "puzzles/s",
                "+-",
                "us/puzzle",
                "% no guess",
                "guesses/puzzle",
                "p50",
                "p90",
                "p99",
                "max",
                "ratio",
                "95 %",
            ],
            TableKind::WholeProcesses => {
                vec!["contender", "puzzles/s", "+-", "us/puzzle", "time", "start", "ratio", "95 %"]
            }
            TableKind::ThreadsSweep => {
                vec!["contender", "threads", "puzzles/s", "+-", "speed-up", "95 %", "efficiency"]
            }
        };
        let cells = |row: &BenchRow| {
            let mut cells = vec![row.name.clone()];
            match &row.figures {
                Some(figures) => cells.extend(cells_of(kind, row, figures)),
                None => cells.push("failed".to_owned()),
            }
            cells
        };
        Self { header, rows: table.rows.iter().map(cells).collect() }
    }

    /// The table of what changed.
    #[must_use]
    pub fn of_comparison(comparison: &Comparison) -> Self {
        let header = vec!["contender", "table", "before, puzzles/s", "now", "change", "range", ""];
        let rows = comparison.changes.iter().map(|change| {
            let name = match (change.kind, change.threads) {
                (TableKind::ThreadsSweep, Some(threads)) => format!("{} -j {threads}", change.name),
                _ => change.name.clone(),
            };
            vec![
                name,
                change.kind.as_str().to_owned(),
                rate(change.before),
                rate(change.now),
                percent_change(change.ratio.median),
                format!("{} to {}", percent_change(change.ratio.low), percent_change(change.ratio.high)),
                match change.trend() {
                    Trend::Noise => "within the noise",
                    Trend::Faster => "faster",
                    Trend::Slower => "SLOWER",
                }
                .to_owned(),
            ]
        });
        Self { header, rows: rows.collect() }
    }

    /// Aligned for a terminal, line ends included.
    #[must_use]
    pub fn text(&self) -> String {
        let mut widths: Vec<_> = self.header.iter().map(|cell| width(cell)).collect();
        for row in &self.rows {
            for (widest, cell) in widths.iter_mut().zip(row) {
                *widest = width(cell).max(*widest);
            }
        }
        let header: Vec<String> = self.header.iter().map(|&cell| cell.to_owned()).collect();
        let mut text = String::new();
        for row in [&header].into_iter().chain(&self.rows) {
            for (at, (cell, &widest)) in row.iter().zip(&widths).enumerate() {
                let blanks = " ".repeat(widest - width(cell));
                text += &if at == 0 { format!("{cell}{blanks}") } else { format!("  {blanks}{cell}") };
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text
    }

    /// As a Markdown table, line ends included.
    #[must_use]
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let missing = self.header.len() - cells.len();
            format!("| {} |{}\n", cells.join(" | "), "  |".repeat(missing))
        };
        let header: Vec<_> = self.header.iter().map(|&cell| cell.to_owned()).collect();
        let numbers = self.header.iter().skip(1).map(|_| "---:".to_owned());
        let alignment: Vec<_> = ["---".to_owned()].into_iter().chain(numbers).collect();
        let mut text = line(&header) + &line(&alignment);
        for row in &self.rows {
            let cells: Vec<_> = row.iter().map(|cell| escaped_markdown(cell)).collect();
            text += &line(&cells);
        }
        text
    }
}

/// What the table is, in a sentence.
#[must_use]
pub fn heading(results: &BenchResults, named: NamedTable<'_>) -> String {
    let what = match named.kind {
        TableKind::InProcess => "In this process, from grids in memory to outcomes in memory",
        TableKind::WholeProcesses => "Whole processes, from file to file, nothing subtracted",
        TableKind::ThreadsSweep => "By threads, in this process; speed-up and efficiency against one thread",
    };
    let list = match named.list {
        Some(list) => format!(", {list}"),
        None if results.lists.is_empty() => String::new(),
        None => ", all lists".to_owned(),
    };
    let [rounds, puzzles] =
        [named.table.rounds, named.table.puzzles_a_round].map(|count| figures::grouped(count as u64));
    format!("{what}{list}: medians of {rounds} rounds of {puzzles} puzzles")
}

/// What must be said below a table, a line each.
pub fn notes(results: &BenchResults, named: NamedTable<'_>) -> impl Iterator<Item = String> {
    unfinished(results, named).chain(unanswered(results, named.table)).chain(mostly_start(named.table))
}

/// Which contenders gave puzzles up, a line for each.
fn unfinished(results: &BenchResults, named: NamedTable<'_>) -> impl Iterator<Item = String> {
    // In the sweep the same backends give up on the same puzzles.
    let rows = if named.kind == TableKind::InProcess { &named.table.rows[..] } else { &[] };
    rows.iter().filter_map(move |row| {
        let count = row.figures.as_ref()?.unfinished.filter(|&count| count > 0)?;
        let most = results.method.max_guesses?;
        let [count, puzzles] = [count, named.puzzles].map(|count| figures::grouped(count as u64));
        let name = &row.name;
        Some(format!("{name}: {count} of {puzzles} puzzles unfinished, given up after --max-guesses {most}"))
    })
}

/// Which programs left puzzles unanswered, a line for each.
fn unanswered(results: &BenchResults, table: &BenchTable) -> impl Iterator<Item = String> {
    let allowed = match results.method.max_guesses {
        None => "only those with a single solution need an answer",
        Some(_) => {
            "only those with a single solution need an answer, and batchdoku gives up after --max-guesses"
        }
    };
    table.rows.iter().filter_map(move |row| {
        let count = row.figures.as_ref()?.unanswered.filter(|&count| count > 0)?;
        let [count, puzzles] = [count, table.puzzles_a_round].map(|count| figures::grouped(count as u64));
        let name = &row.name;
        Some(format!("{name}: {count} of {puzzles} puzzles unanswered ({allowed})"))
    })
}

/// Which programs take most of their time to start, a line for each.
fn mostly_start(table: &BenchTable) -> impl Iterator<Item = String> {
    table.rows.iter().filter_map(|row| {
        let figures = row.figures.as_ref()?;
        let share = figures.start_seconds? / figures.seconds.median;
        (share > 0.5).then(|| {
            format!(
                "{}: {:.0} % of its time is its start (a run over one puzzle): the ratio says little about solving, \
                 which takes a longer list",
                row.name,
                100.0 * share.min(1.0)
            )
        })
    })
}

/// Why the processor may learn the puzzles of a table by heart.
#[must_use]
pub fn learnt(
    results: &BenchResults,
    NamedTable { kind, puzzles, table, .. }: NamedTable<'_>,
) -> Option<String> {
    let repeated = puzzles < table.puzzles_a_round && !results.method.permute;
    (kind == TableKind::InProcess && repeated).then(|| {
        format!(
            "a round of {} puzzles holds each of the {} about {:.1} times: the processor may learn them",
            figures::grouped(table.puzzles_a_round as u64),
            figures::grouped(puzzles as u64),
            table.puzzles_a_round as f64 / puzzles as f64,
        )
    })
}

/// How much slower or faster the machine got while a table was measured, if that casts doubt on it.
#[must_use]
pub fn drift(table: &BenchTable) -> Option<String> {
    table.drifts().then(|| {
        format!(
            "all contenders together were {:.0} % {} in the last third of the rounds than in the first (more \
             than {:.0} % is told); mistrust the speeds, less so the ratios",
            100.0 * table.drift.abs(),
            if table.drift > 0.0 { "slower" } else { "faster" },
            100.0 * DRIFT,
        )
    })
}

fn cells_of(kind: TableKind, row: &BenchRow, figures: &BenchFigures) -> Vec<String> {
    let speed = [rate(figures.puzzles_per_second.median), spread(figures.puzzles_per_second)];
    let ratio = [three_digits(figures.ratio.median), interval(figures.ratio)];
    let per_puzzle = three_digits(figures.us_per_puzzle.median);
    let mut cells = Vec::new();
    match kind {
        TableKind::InProcess => {
            cells.extend(speed);
            cells.push(per_puzzle);
            let guesses = figures.guesses;
            cells.push(
                guesses.map_or_else(String::new, |guesses| format!("{:.1}", 100.0 * guesses.without_guess)),
            );
            cells.push(guesses.map_or_else(String::new, |guesses| format!("{:.2}", guesses.per_puzzle)));
            let times = figures.time_ns.map(|times| [times.p50, times.p90, times.p99, times.max]);
            let time = |nanoseconds| figures::time(Duration::from_nanos(nanoseconds));
            cells.extend(times.map_or_else(|| [const { String::new() }; 4], |times| times.map(time)));
            cells.extend(ratio);
        }
        TableKind::WholeProcesses => {
            cells.extend(speed);
            cells.push(per_puzzle);
            let time = |seconds| figures::time(Duration::from_secs_f64(seconds));
            cells.push(time(figures.seconds.median));
            cells.push(figures.start_seconds.map_or_else(String::new, time));
            cells.extend(ratio);
        }
        TableKind::ThreadsSweep => {
            cells.push(row.threads.map_or_else(String::new, |threads| threads.to_string()));
            cells.extend(speed);
            cells.extend(ratio);
            cells
                .push(figures.efficiency.map_or_else(String::new, |share| format!("{:.0} %", 100.0 * share)));
        }
    }
    cells
}

fn width(cell: &str) -> usize {
    cell.chars().count()
}

/// Puzzles a second with three or four digits that mean something.
fn rate(per_second: f64) -> String {
    if per_second < 1000.0 {
        return three_digits(per_second);
    }
    let unit = 10_f64.powf(per_second.log10().floor() - 3.0).max(1.0);
    figures::grouped(((per_second / unit).round() * unit) as u64)
}

fn three_digits(value: f64) -> String {
    let decimals = match value.abs() {
        _ if value >= 99.95 => 0,
        _ if value >= 9.995 => 1,
        _ if value >= 0.9995 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

/// Half the width of the interval.
fn spread(estimate: Estimate) -> String {
    format!("{:.1} %", 50.0 * (estimate.high - estimate.low) / estimate.median)
}

fn interval(estimate: Estimate) -> String {
    format!("{} to {}", three_digits(estimate.low), three_digits(estimate.high))
}

fn percent_change(ratio: f64) -> String {
    format!("{:+.1} %", 100.0 * (ratio - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells() -> PrintedTable {
        let row = |cells: &[&str]| cells.iter().map(|&cell| cell.to_owned()).collect();
        PrintedTable {
            header: vec!["contender", "puzzles/s", "ratio"],
            rows: vec![row(&["a|<b", "1,000", "1.00"]), row(&["something else", "failed"])],
        }
    }

    #[test]
    fn columns_are_aligned_and_lines_have_no_blanks_at_their_end() {
        assert_eq!(
            cells().text(),
            "\
contender       puzzles/s  ratio
a|<b                1,000   1.00
something else     failed
"
        );
    }

    #[test]
    fn markdown_rows_have_all_cells_and_nothing_in_them_is_markup() {
        assert_eq!(
            cells().markdown(),
            "\
| contender | puzzles/s | ratio |
| --- | ---: | ---: |
| a\\|&lt;b | 1,000 | 1.00 |
| something else | failed |  |
"
        );
    }

    #[test]
    fn figures_have_the_digits_that_mean_something() {
        assert_eq!(rate(3_141_592.6), "3,142,000");
        assert_eq!(rate(31_415.9), "31,420");
        assert_eq!(rate(1234.5), "1,235");
        assert_eq!(rate(12.345), "12.3");
        assert_eq!(three_digits(0.1234), "0.123");
        assert_eq!(spread(Estimate { median: 100.0, low: 99.0, high: 103.0 }), "2.0 %");
        assert_eq!(percent_change(0.9), "-10.0 %");
    }
}
