//! Renders the results as a text or Markdown page from a template, or in another `--output` format.

use std::path::Path;

use anyhow::Result;
use minijinja::value::{Serde, Value};
use minijinja::{Environment, context};

use crate::bench::result::{About, BenchResults, BenchRow, BenchTable, DRIFT, TableKind};
use crate::cli::figures::{count_of, grouped, nanoseconds, seconds};
use crate::report::{escaped_markdown, numbers};

const TEMPLATE: &str = include_str!("page.txt");

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
            Self::Markdown => Ok(page(results, true)),
        }
    }
}

/// Returns the page, either as printed or as Markdown. Markdown includes the messages that otherwise go to standard
/// error.
pub fn page(results: &BenchResults, is_markdown: bool) -> String {
    let mut environment = Environment::new();
    environment.add_filter("grouped", grouped);
    environment.add_filter("count_of", count_of);
    environment.add_filter("percent", |share: f64| format!("{:.0} %", 100.0 * share.min(1.0)));
    if is_markdown {
        environment.set_formatter(|out, _, value| match value.is_safe() {
            true => Ok(write!(out, "{value}")?),
            false => Ok(out.write_str(&escaped_markdown(&value.to_string()))?),
        });
    }
    let shown = |table: &BenchTable| {
        let cells = cells(&table.rows);
        let cells = if is_markdown { markdown_table(&cells) } else { aligned(&cells) };
        context! {
            cells => Value::from_safe_string(cells.trim_end().to_owned()),
            warnings => warnings(results, table).collect::<Vec<_>>(),
            ..Value::from(Serde(table))
        }
    };
    let values = context! {
        is_markdown,
        version_and_revision => results.provenance.version_and_revision(),
        has_lists => results.tables.iter().any(|table| table.about.list.is_some()),
        tables => results.tables.iter().map(shown).collect::<Vec<_>>(),
        ..Value::from(Serde(results))
    };
    environment.render_str(TEMPLATE, values).expect("the template is part of the program") + "\n"
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
        text += &format!("| {} |{}\n", cells.join(" | "), "  |".repeat(columns.saturating_sub(row.len())));
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
        let row = |name: &str| BenchRow { name: name.to_owned(), ..BenchRow::default() };
        let measured = BenchRow { puzzles_per_second: Some(1000.0), ratio: Some(1.0), ..row("a|<b") };
        let failed = BenchRow { failure: Some("why".to_owned()), ..row("something else") };
        // Columns that no row fills are omitted.
        let cells = cells(&[measured, failed.clone()]);
        assert_eq!(
            aligned(&cells),
            "\
contender       puzzles/s  ratio
a|<b                1,000   1.00
something else     failed
"
        );
        assert_eq!(
            markdown_table(&cells),
            "\
| contender | puzzles/s | ratio |
| --- | ---: | ---: |
| a\\|&lt;b | 1,000 | 1.00 |
| something else | failed |  |
"
        );
        assert!(markdown_table(&super::cells(&[failed])).ends_with("| something else | failed |\n"));
    }

    #[test]
    fn figures_have_their_significant_digits() {
        assert_eq!(rate(3_141_592.6), "3,142,000");
        assert_eq!(rate(31_415.9), "31,420");
        assert_eq!(rate(1234.5), "1,235");
        assert_eq!(rate(12.345), "12.3");
        assert_eq!(three_digits(0.1234), "0.123");
    }
}
