//! The results in the formats of `--export-json`, `--export-csv` and `--export-markdown`.

use anyhow::Result;
use serde::Serialize;

use super::table::{PrintedTable, drift, heading, learnt, notes};
use crate::bench::median::Estimate;
use crate::bench::result::{BenchResults, BenchRow, NamedTable};
use crate::report::escaped_markdown;

/// A format to export to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// Everything, to be read by programs and by `--compare`.
    Json,
    /// A row for each contender.
    Csv,
    /// The tables, to be quoted.
    Markdown,
}

impl ExportFormat {
    /// The flag that asks for it.
    #[must_use]
    pub const fn flag(self) -> &'static str {
        match self {
            Self::Json => "--export-json",
            Self::Csv => "--export-csv",
            Self::Markdown => "--export-markdown",
        }
    }

    /// The results in this format.
    ///
    /// # Errors
    ///
    /// None that can happen in memory.
    pub fn text(self, results: &BenchResults) -> Result<String> {
        match self {
            Self::Json => Ok(results.json()),
            Self::Csv => csv(results),
            Self::Markdown => Ok(markdown(results)),
        }
    }
}

/// One line of the CSV file; what a contender has not is empty.
#[derive(Serialize)]
struct Line<'a> {
    table: &'a str,
    contender: &'a str,
    threads: Option<usize>,
    failure: Option<&'a str>,
    rounds: usize,
    puzzles_a_round: usize,
    drift: f64,
    passes: Option<usize>,
    unanswered: Option<usize>,
    puzzles_per_second: Option<f64>,
    puzzles_per_second_low: Option<f64>,
    puzzles_per_second_high: Option<f64>,
    puzzles_per_second_low_by_blocks: Option<f64>,
    puzzles_per_second_high_by_blocks: Option<f64>,
    us_per_puzzle: Option<f64>,
    percent_without_guess: Option<f64>,
    guesses_per_puzzle: Option<f64>,
    unfinished: Option<usize>,
    p50_ns: Option<u64>,
    p90_ns: Option<u64>,
    p99_ns: Option<u64>,
    max_ns: Option<u64>,
    ratio: Option<f64>,
    ratio_low: Option<f64>,
    ratio_high: Option<f64>,
    ratio_to: Option<&'a str>,
    efficiency: Option<f64>,
    list: Option<&'a str>,
    start_seconds: Option<f64>,
}

impl<'a> Line<'a> {
    fn new(NamedTable { kind, list, table, .. }: NamedTable<'a>, row: &'a BenchRow) -> Self {
        let figures = row.figures.as_ref();
        let speed: Option<Estimate> = figures.map(|figures| figures.puzzles_per_second);
        let blocks: Option<Estimate> = figures.map(|figures| figures.puzzles_per_second_by_blocks);
        let ratio: Option<Estimate> = figures.map(|figures| figures.ratio);
        let guesses = figures.and_then(|figures| figures.guesses);
        let times = figures.and_then(|figures| figures.time_ns);
        Self {
            table: kind.as_str(),
            contender: &row.name,
            threads: row.threads,
            failure: row.failure.as_deref(),
            rounds: table.rounds,
            puzzles_a_round: table.puzzles_a_round,
            drift: table.drift,
            passes: figures.and_then(|figures| figures.passes),
            unanswered: figures.and_then(|figures| figures.unanswered),
            puzzles_per_second: speed.map(|speed| speed.median),
            puzzles_per_second_low: speed.map(|speed| speed.low),
            puzzles_per_second_high: speed.map(|speed| speed.high),
            puzzles_per_second_low_by_blocks: blocks.map(|speed| speed.low),
            puzzles_per_second_high_by_blocks: blocks.map(|speed| speed.high),
            us_per_puzzle: figures.map(|figures| figures.us_per_puzzle.median),
            percent_without_guess: guesses.map(|guesses| 100.0 * guesses.without_guess),
            guesses_per_puzzle: guesses.map(|guesses| guesses.per_puzzle),
            unfinished: figures.and_then(|figures| figures.unfinished),
            p50_ns: times.map(|times| times.p50),
            p90_ns: times.map(|times| times.p90),
            p99_ns: times.map(|times| times.p99),
            max_ns: times.map(|times| times.max),
            ratio: ratio.map(|ratio| ratio.median),
            ratio_low: ratio.map(|ratio| ratio.low),
            ratio_high: ratio.map(|ratio| ratio.high),
            ratio_to: figures.map(|figures| &*figures.ratio_to),
            efficiency: figures.and_then(|figures| figures.efficiency),
            list,
            start_seconds: figures.and_then(|figures| figures.start_seconds),
        }
    }
}

fn csv(results: &BenchResults) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for named in results.tables() {
        for row in &named.table.rows {
            writer.serialize(Line::new(named, row))?;
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

fn markdown(results: &BenchResults) -> String {
    let mut text = format!("{}\n", escaped_markdown(&circumstances(results)));
    for named in results.tables() {
        let heading = escaped_markdown(&heading(results, named));
        text += &format!("\n{heading}:\n\n{}", PrintedTable::of_table(named).markdown());
        for note in notes(results, named).chain(learnt(results, named)).chain(drift(named.table)) {
            text += &format!("\n{}\n", escaped_markdown(&note));
        }
        for row in &named.table.rows {
            if let Some(why) = &row.failure {
                text += &format!("\n{} failed: {}\n", escaped_markdown(&row.name), escaped_markdown(why));
            }
        }
    }
    text
}

/// What must be said beside the figures, in a line.
#[must_use]
pub fn circumstances(results: &BenchResults) -> String {
    let (method, provenance) = (&results.method, &results.provenance);
    let machine = &provenance.machine;
    let inputs: Vec<_> = results.inputs.iter().map(|input| &*input.name).collect();
    format!(
        "{} of {}; limit {}, {}{}{}, seed {}{}; batchdoku {}; {}, {}; {}",
        counted(results.puzzles, "puzzle"),
        inputs.join(", "),
        method.limit,
        if method.any_solution { "any solution, " } else { "" },
        method.max_guesses.map_or_else(String::new, |most| format!("max-guesses {most}, ")),
        counted(method.threads, "thread"),
        method.seed,
        if method.permute { ", permuted" } else { "" },
        provenance.version_and_revision(),
        machine.cpu.as_deref().unwrap_or(&machine.arch),
        counted(machine.logical_cores.unwrap_or(1), "core"),
        provenance.started,
    )
}

fn counted(count: usize, what: &str) -> String {
    let number = crate::cli::figures::grouped(count as u64);
    format!("{number} {what}{}", if count == 1 { "" } else { "s" })
}
