//! Tables as text and as Markdown.

use crate::bench::result::BenchRow;
use crate::cli::figures::{self, nanoseconds, seconds};
use crate::report::{escaped_markdown, numbers};

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
pub fn cells(rows: &[BenchRow]) -> Vec<Vec<String>> {
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
pub fn text(rows: &[Vec<String>]) -> String {
    let widest = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max();
    let widths: Vec<_> = (0..).map_while(widest).collect();
    let mut text = String::new();
    for row in rows {
        for (at, (cell, &widest)) in row.iter().zip(&widths).enumerate() {
            let blanks = " ".repeat(widest - width(cell));
            text += &if at == 0 { format!("{cell}{blanks}") } else { format!("  {blanks}{cell}") };
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

/// Returns a table in Markdown, including line ends.
pub fn markdown(rows: &[Vec<String>]) -> String {
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

fn width(cell: &str) -> usize {
    cell.chars().count()
}

/// Formats a rate in puzzles per second with three or four significant digits.
fn rate(per_second: f64) -> String {
    if per_second < 1000.0 {
        return three_digits(per_second);
    }
    let unit = 10_f64.powf(per_second.log10().floor() - 3.0).max(1.0);
    figures::grouped(((per_second / unit).round() * unit) as u64)
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
            text(&rows),
            "\
contender       puzzles/s  ratio
a|<b                1,000   1.00
something else     failed
"
        );
        assert_eq!(
            markdown(&rows),
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
            text(&cells(&[row, failed])),
            "contender  puzzles/s\na               2.00\nb             failed\n"
        );
    }
}
