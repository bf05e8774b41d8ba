//! The results as a text or Markdown page, and the `--output` formats.

use std::path::Path;

use anyhow::Result;

use crate::bench::result::{About, BenchResults, BenchRow, BenchTable, DRIFT, TableKind};
use crate::cli::figures::{count_of, grouped, nanoseconds, seconds};
use crate::report::{escaped_markdown, numbers};

/// An `--output` format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// All results, for programs.
    Json,
    /// One row per contender.
    Csv,
    /// The page, ready to be pasted into a document.
    Markdown,
}

impl Form {
    /// The error for a name that [`Form::of_name`] does not recognize.
    pub const EXPECTED: &str = "has no extension of results (expected .json, .csv or .md)";

    /// Returns the format that a file extension stands for.
    pub fn of_name(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "csv" => Some(Self::Csv),
            "md" | "markdown" => Some(Self::Markdown),
            _ => None,
        }
    }

    /// Returns the results in this format.
    pub fn text(self, results: &BenchResults) -> Result<String> {
        match self {
            Self::Json => Ok(results.json()),
            Self::Csv => Ok(results.csv()?),
            Self::Markdown => Ok(markdown(results)),
        }
    }
}

/// Returns the page as it is printed.
pub fn text(results: &BenchResults) -> String {
    let mut text = format!("{}\n", circumstances(results));
    for table in &results.tables {
        text += &format!("\n{}\n{}", heading(results, &table.about), aligned(&cells(&table.rows)));
        notes(results, table).for_each(|note| text += &format!("{note}\n"));
    }
    text
}

/// Returns the page as Markdown, including the messages that otherwise go to standard error.
fn markdown(results: &BenchResults) -> String {
    let mut text = format!("{}\n", escaped_markdown(&circumstances(results)));
    for table in &results.tables {
        let (heading, cells) = (heading(results, &table.about), cells(&table.rows));
        text += &format!("\n{}:\n\n{}", escaped_markdown(&heading), markdown_table(&cells));
        let notes = notes(results, table).chain(warnings(results, table)).chain(failures(table));
        notes.for_each(|note| text += &format!("\n{}\n", escaped_markdown(&note)));
    }
    text
}

/// Returns the heading of a table.
fn heading(results: &BenchResults, about: &About) -> String {
    let what = match about.table {
        TableKind::InProcess => "In this process, from grids in memory to outcomes in memory",
        TableKind::WholeProcess => "Whole processes, from file to file, nothing subtracted",
    };
    let list = match &about.list {
        Some(list) => format!(", {list}"),
        None if results.tables.iter().all(|table| table.about.list.is_none()) => String::new(),
        None => ", all lists".to_owned(),
    };
    let rounds = count_of(about.rounds as u64, "round", "rounds");
    let puzzles = count_of(about.puzzles_a_round as u64, "puzzle", "puzzles");
    format!("{what}{list}: medians of {rounds} of {puzzles}")
}

/// Returns the notes on the contenders in a table, one per line.
fn notes(results: &BenchResults, table: &BenchTable) -> impl Iterator<Item = String> {
    table.rows.iter().flat_map(|row| notes_on(results, &table.about, row))
}

/// Returns the notes on a contender.
fn notes_on(results: &BenchResults, about: &About, row: &BenchRow) -> impl Iterator<Item = String> {
    let name = &row.name;
    let some = |count: Option<usize>| {
        let count = count.filter(|&count| count > 0)?;
        Some(format!(
            "{name}: {} of {}",
            grouped(count as u64),
            count_of(about.puzzles as u64, "puzzle", "puzzles")
        ))
    };
    let unfinished = some(row.unfinished)
        .zip(results.method.max_guesses)
        .map(|(puzzles, most)| format!("{puzzles} unfinished, given up after --max-guesses {most}"));
    let too = match results.method.max_guesses {
        None => "",
        Some(_) => ", and batchdoku gives up after --max-guesses",
    };
    let unanswered = some(row.unanswered).map(|puzzles| {
        format!("{puzzles} unanswered (only those with a single solution need an answer{too})")
    });
    let start = row.start_seconds.zip(row.run_seconds).map(|(start, run)| start / run);
    let mostly_start = start.filter(|&share| share > 0.5).map(|share| {
        format!(
            "{name}: {:.0} % of its time is its start (a run over one puzzle), so the ratio says little about solving; \
             use a longer list",
            100.0 * share.min(1.0)
        )
    });
    [unfinished, unanswered, mostly_start].into_iter().flatten()
}

/// Returns the warnings about the figures in a table.
pub fn warnings(results: &BenchResults, table: &BenchTable) -> impl Iterator<Item = String> {
    let About { table: kind, puzzles, puzzles_a_round, drift, .. } = table.about;
    let repeated = kind == TableKind::InProcess && puzzles < puzzles_a_round && !results.method.permute;
    let learnt = repeated.then(|| {
        format!(
            "a round of {} puzzles holds each of the {} about {:.1} times: the processor may learn them (--permute \
             replaces them by isomorphs)",
            grouped(puzzles_a_round as u64),
            grouped(puzzles as u64),
            puzzles_a_round as f64 / puzzles as f64,
        )
    });
    let drifted = (drift.abs() > DRIFT).then(|| {
        format!(
            "all contenders together were {:.0} % {} in the last third of the rounds than in the first: do not trust \
             the speeds; the ratios suffer less",
            100.0 * drift.abs(),
            if drift > 0.0 { "slower" } else { "faster" },
        )
    });
    learnt.into_iter().chain(drifted)
}

fn failures(table: &BenchTable) -> impl Iterator<Item = String> {
    let failure = |row: &BenchRow| Some(format!("{} failed: {}", row.name, row.failure.as_ref()?));
    table.rows.iter().filter_map(failure)
}

/// Returns a line that says how the figures were obtained.
fn circumstances(results: &BenchResults) -> String {
    let (method, provenance) = (&results.method, &results.provenance);
    let machine = &provenance.machine;
    let inputs: Vec<_> = results.inputs.iter().map(|input| &*input.name).collect();
    let threads = match method.threads[..] {
        [1] => "1 thread".to_owned(),
        _ => {
            format!("{} threads", method.threads.iter().map(usize::to_string).collect::<Vec<_>>().join(", "))
        }
    };
    format!(
        "{} of {}; limit {}, {}{}{threads}, seed {}{}; batchdoku {}; {}, {}; {}",
        count_of(results.puzzles as u64, "puzzle", "puzzles"),
        inputs.join(", "),
        method.limit,
        if method.any_solution { "any solution, " } else { "" },
        method.max_guesses.map_or_else(String::new, |most| format!("max-guesses {most}, ")),
        method.seed,
        if method.permute { ", permuted" } else { "" },
        provenance.version_and_revision(),
        machine.cpu.as_deref().unwrap_or(&machine.arch),
        count_of(machine.logical_cores.unwrap_or(1) as u64, "core", "cores"),
        provenance.started,
    )
}

/// A function that returns the text of a column for a contender.
type Cell = fn(&BenchRow) -> Option<String>;

/// The columns after the contender name. A column that is empty in every row is omitted.
const COLUMNS: [(&str, Cell); 13] = [
    ("puzzles/s", |row| row.puzzles_per_second.map(rate)),
    ("+-", |row| {
        let width = row.puzzles_per_second_high? - row.puzzles_per_second_low?;
        Some(format!("{:.1} %", 50.0 * width / row.puzzles_per_second?))
    }),
    ("us/puzzle", |row| row.us_per_puzzle.map(three_digits)),
    ("% no guess", |row| row.percent_without_guess.map(|percent| format!("{percent:.1}"))),
    ("guesses/puzzle", |row| row.guesses_per_puzzle.map(|guesses| format!("{guesses:.2}"))),
    ("p50", |row| row.p50_ns.map(nanoseconds)),
    ("p90", |row| row.p90_ns.map(nanoseconds)),
    ("p99", |row| row.p99_ns.map(nanoseconds)),
    ("max", |row| row.max_ns.map(nanoseconds)),
    ("time", |row| row.run_seconds.map(seconds)),
    ("start", |row| row.start_seconds.map(seconds)),
    ("ratio", |row| row.ratio.map(three_digits)),
    ("95 %", |row| Some(format!("{} to {}", three_digits(row.ratio_low?), three_digits(row.ratio_high?)))),
];

/// Returns the cells of a table: a header, and one row per contender. Every column after the first holds figures.
fn cells(rows: &[BenchRow]) -> Vec<Vec<String>> {
    let shown = COLUMNS.iter().filter(|(_, cell)| rows.iter().any(|row| cell(row).is_some()));
    let header = ["contender"].into_iter().chain(shown.clone().map(|(head, _)| *head));
    let cells = |row: &BenchRow| match &row.failure {
        Some(_) => vec![row.name.clone(), "failed".to_owned()],
        None => {
            let cells = shown.clone().map(|(_, cell)| cell(row).unwrap_or_default());
            [row.name.clone()].into_iter().chain(cells).collect()
        }
    };
    let header = header.map(str::to_owned).collect();
    [header].into_iter().chain(rows.iter().map(cells)).collect()
}

/// Returns a table aligned for a terminal, including line ends.
fn aligned(rows: &[Vec<String>]) -> String {
    let widest =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<_> = (0..).map_while(widest).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, &width))| match at {
            0 => format!("{cell:<width$}"),
            _ => format!("  {cell:>width$}"),
        });
        cells.collect::<String>().trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// Returns a table in Markdown, including line ends.
fn markdown_table(rows: &[Vec<String>]) -> String {
    let columns = rows[0].len();
    let mut text = String::new();
    for (at, row) in rows.iter().enumerate() {
        let cells: Vec<_> = row.iter().map(|cell| escaped_markdown(cell)).collect();
        text += &format!("| {} |{}\n", cells.join(" | "), "  |".repeat(columns - row.len()));
        if at == 0 {
            text += &format!("| --- |{}\n", " ---: |".repeat(columns - 1));
        }
    }
    text
}

/// Formats a rate in puzzles per second with three or four significant digits.
fn rate(per_second: f64) -> String {
    if per_second < 1000.0 {
        return three_digits(per_second);
    }
    let unit = 10_f64.powf(per_second.log10().floor() - 3.0).max(1.0);
    grouped(((per_second / unit).round() * unit) as u64)
}

fn three_digits(value: f64) -> String {
    if value < 0.9995 { format!("{value:.3}") } else { numbers::three_digits(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_in_text_and_rows_have_all_cells_and_escapes_in_markdown() {
        let header = ["contender", "puzzles/s", "ratio"];
        let rows = [&header[..], &["a|<b", "1,000", "1.00"], &["something else", "failed"]];
        let rows = rows.map(|row| row.iter().map(|&cell| cell.to_owned()).collect());
        assert_eq!(
            aligned(&rows),
            "\
contender       puzzles/s  ratio
a|<b                1,000   1.00
something else     failed
"
        );
        assert_eq!(
            markdown_table(&rows),
            "\
| contender | puzzles/s | ratio |
| --- | ---: | ---: |
| a\\|&lt;b | 1,000 | 1.00 |
| something else | failed |  |
"
        );
    }

    #[test]
    fn figures_have_their_significant_digits() {
        assert_eq!(rate(3_141_592.6), "3,142,000");
        assert_eq!(rate(31_415.9), "31,420");
        assert_eq!(rate(1234.5), "1,235");
        assert_eq!(rate(12.345), "12.3");
        assert_eq!(three_digits(0.1234), "0.123");
    }

    #[test]
    fn empty_columns_are_left_out() {
        let row = BenchRow { name: "a".to_owned(), puzzles_per_second: Some(2.0), ..BenchRow::default() };
        let failed =
            BenchRow { name: "b".to_owned(), failure: Some("why".to_owned()), ..BenchRow::default() };
        assert_eq!(
            aligned(&cells(&[row, failed])),
            "contender  puzzles/s\na               2.00\nb             failed\n"
        );
    }
}
