//! The results as a text or Markdown page, and the `--output` formats.

use std::path::Path;

use anyhow::Result;

use super::table;
use crate::bench::result::{About, BenchResults, BenchRow, BenchTable, DRIFT, TableKind};
use crate::cli::figures::{count_of, grouped};
use crate::report::escaped_markdown;

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
        text += &format!("\n{}\n{}", heading(results, &table.about), table::text(&table::cells(&table.rows)));
        notes(results, table).for_each(|note| text += &format!("{note}\n"));
    }
    text
}

/// Returns the page as Markdown, including the messages that otherwise go to standard error.
fn markdown(results: &BenchResults) -> String {
    let mut text = format!("{}\n", escaped_markdown(&circumstances(results)));
    for table in &results.tables {
        let (heading, cells) = (heading(results, &table.about), table::cells(&table.rows));
        text += &format!("\n{}:\n\n{}", escaped_markdown(&heading), table::markdown(&cells));
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
