//! Reports on runs and results files, for people and for programs.
//!
//! A run is condensed page by page ([`ReportDigest`]) and collected in order ([`Collector`]). [`read`](fn@read) does
//! the same for results files. Both produce a [`Report`], which is written as HTML, Markdown or JSON. Making a report
//! takes a single pass and bounded memory. The report depends only on the rows, not on the number of threads or the
//! page size.
//!
//! `digest` condenses pages, using `ranking` and `reasons`. `collect` adds them up, using `duplicates`. `recall` reads
//! files, using `results`. `assemble` turns the sums into figures. `text`, `tables`, `plot` and `pages` present them.

mod assemble;
mod collect;
mod digest;
mod duplicates;
mod measure;
pub(crate) mod numbers;
mod pages;
mod plot;
mod ranking;
mod reasons;
mod recall;
mod results;
mod spread;
mod svg;
mod table;
mod tables;
mod text;

pub use collect::Collector;
pub use digest::{ReportDigest, ReportPart};
pub use recall::{ReportError, read};
pub use table::escaped as escaped_markdown;

use std::collections::BTreeMap;
use std::path::Path;

use measure::{COUNT, by_bins_key, by_key, by_list_key};
use serde::{Serialize, Serializer};
use spread::Spread;

pub use crate::provenance::InputFile;

use crate::provenance::Provenance;
use crate::record::{Label, PuzzleKind, Severity};

/// The version of the JSON layout, bumped by every change that breaks readers.
const LAYOUT: u32 = 2;

/// The longest name of a file or an input, in characters; longer names are shortened.
const LONGEST_NAME: usize = 120;

/// Options for what a report lists and what it counts as the same puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// Number of hardest puzzles, and of slowest puzzles, to list.
    pub top: usize,
    /// Whether isomorphic puzzles count as one.
    pub isomorphs: bool,
}

impl Default for Detail {
    fn default() -> Self {
        Self { top: 10, isomorphs: false }
    }
}

/// Everything a report says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Version of the JSON layout.
    pub layout: u32,
    /// Version of the results layout that the program reads and writes.
    pub results_version: u32,
    /// Program, command, time and machine that produced the report, or the run it describes.
    pub provenance: Provenance,
    /// The run, if the report was made by a run.
    pub run: Option<Run>,
    /// The files that were read.
    pub inputs: Vec<InputFile>,
    /// Errors that affect whole files.
    pub problems: Vec<String>,
    /// Warnings that are not about the results.
    #[serde(skip)]
    pub notes: Vec<String>,
    /// Figures for all rows.
    pub total: RowFigures,
    /// Figures for each results file.
    pub files: Vec<RowFigures>,
    /// Figures for each input that the records came from.
    pub sources: Vec<RowFigures>,
    /// Figures for each number of clues.
    pub clues: Vec<ClueFigures>,
    /// Figures for each value of the columns that rate difficulty with a word, by column name, easiest first.
    pub categories: BTreeMap<&'static str, Vec<CategoryFigures>>,
    /// The bins of each measure with their row counts; there are no gaps between bins.
    #[serde(flatten, serialize_with = "by_bins_key")]
    bins: [Vec<Bin>; COUNT],
    /// The reasons why rows have no answer.
    pub reasons: Vec<ReasonFigures>,
    /// Rows of results files that could not be read.
    pub bad_rows: BadRows,
    /// The puzzles with the highest values of each measure.
    #[serde(flatten, serialize_with = "by_list_key")]
    listed: [Vec<ListedPuzzle>; COUNT],
    /// Puzzles that occur more than once.
    pub duplicates: Duplicates,
    /// The largest relative error of a quantile.
    pub quantile_error: f64,
    /// The statuses of the jobs that the rows come from, in order.
    #[serde(skip)]
    pub words: Vec<Label>,
    /// The first status of each job, which is the desired one.
    #[serde(skip)]
    pub leading: Vec<Label>,
}

/// Facts about a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Run {
    /// Time from start to finish.
    pub wall_seconds: f64,
    /// Number of solver threads.
    pub threads: usize,
    /// The solver backend.
    pub backend: String,
    /// Whether all inputs were read to the end.
    pub complete: bool,
}

/// Figures for a set of rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RowFigures {
    /// The results file or the input. `None` for all rows, and for inputs that have no figures of their own.
    pub name: Option<String>,
    /// The results file that an input's rows come from, if there are several.
    pub file: Option<String>,
    /// Number of rows.
    pub rows: u64,
    /// Number of rows that hold a puzzle.
    pub puzzles: u64,
    /// Number of rows with each status.
    pub statuses: BTreeMap<&'static str, u64>,
    /// Number of rows that reached the solver.
    pub solved: u64,
    /// Number of solved rows that needed no guesses.
    pub without_guess: u64,
    /// Number of solved rows that have a time.
    pub timed: u64,
    /// Total solver time in nanoseconds.
    pub solver_ns: Option<u64>,
    /// Number of puzzles that one thread solves per second of solver time.
    pub puzzles_per_solver_second: Option<f64>,
    /// The distribution of each measure.
    #[serde(flatten, serialize_with = "by_key")]
    spreads: [Option<Spread>; COUNT],
    /// Number of different puzzles; an estimate if [`Duplicates::sampled`] is greater than 1.
    pub distinct_puzzles: u64,
    /// Number of rows whose puzzle occurred earlier in this set (in the total: earlier in the same results file).
    pub repeated_rows: u64,
}

/// Figures for the rows with a given number of clues.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClueFigures {
    /// Number of clues.
    pub clues: usize,
    /// Number of rows that reached the solver.
    pub rows: u64,
    /// The distribution of each measure.
    #[serde(flatten, serialize_with = "by_key")]
    spreads: [Option<Spread>; COUNT],
    /// Number of rows that needed no guesses.
    pub without_guess: u64,
}

/// Figures for the rows with a given value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CategoryFigures {
    /// The value.
    pub value: String,
    /// Number of rows.
    pub rows: u64,
    /// Mean number of clues.
    pub clues_mean: f64,
    /// Mean number of guesses.
    pub guesses_mean: f64,
}

/// A range of values and the number of rows in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bin {
    /// Smallest value in the bin.
    pub from: u64,
    /// First value after the bin.
    pub to: u64,
    /// Number of rows. A value less than 1 % above the lower edge may be counted in the previous bin.
    pub rows: u64,
}

/// Rows that share a status and a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReasonFigures {
    /// Status of the rows.
    pub status: &'static str,
    /// The reason, with `N` for numbers, `...` for cells and `'...'` for quoted text. `None` for the group that
    /// combines all further reasons.
    pub reason: Option<String>,
    /// Number of rows.
    pub rows: u64,
    /// The first places, as `file:line:column`.
    pub places: Vec<String>,
}

/// Rows of results files that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BadRows {
    /// Number of unreadable rows.
    pub count: u64,
    /// The first unreadable rows, as `file:line: reason`.
    pub first: Vec<String>,
}

fn word<S: Serializer>(kind: &PuzzleKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.as_str())
}

/// A puzzle that has one of the highest values of a measure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedPuzzle {
    /// Results file, if there are several.
    pub file: Option<String>,
    /// Name of the puzzle's input.
    pub source: String,
    /// Line number in the input.
    pub line: u64,
    /// Kind of puzzle; a word in JSON.
    #[serde(serialize_with = "word")]
    pub kind: PuzzleKind,
    /// Status of the row.
    pub status: &'static str,
    /// Number of clues.
    pub clues: usize,
    /// Values of the measures.
    #[serde(flatten, serialize_with = "by_key")]
    values: [Option<u64>; COUNT],
    /// The puzzle as 81 characters, with `.` for a blank. `None` if it is not a sudoku, because 81 characters cannot
    /// fully describe it.
    pub puzzle: Option<String>,
    /// The solution as 81 digits.
    pub solution: Option<String>,
    /// The clues as 81 characters, for drawing.
    #[serde(skip)]
    pub given: String,
}

/// Information on puzzles that occur more than once.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Duplicates {
    /// Whether isomorphic puzzles count as one.
    pub isomorphs: bool,
    /// The sampling rate: one in this many puzzles was counted, so 1 means all of them.
    pub sampled: u64,
    /// Relative standard error of the number of distinct puzzles, if that number is an estimate.
    pub relative_error: Option<f64>,
    /// Pairs of inputs that have puzzles in common, most overlap first.
    pub overlaps: Vec<Overlap>,
    /// Number of further pairs of inputs that have puzzles in common but are not listed.
    pub overlaps_left_out: usize,
    /// Whether some puzzles are not counted in all of their inputs, because there are too many combinations of inputs.
    pub overlaps_incomplete: bool,
}

/// The puzzles that two inputs share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Overlap {
    /// The two inputs.
    pub names: [String; 2],
    /// Number of different puzzles that are in both inputs.
    pub puzzles: u64,
    /// Number of different puzzles in each input.
    pub of: [u64; 2],
}

impl RowFigures {
    fn count(&self, word: &Label) -> u64 {
        self.statuses.get(word.name).copied().unwrap_or(0)
    }
}

/// Returns a text shortened to at most `most` characters. The middle is cut, because the end of a name says the most.
fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most || text.chars().count() <= most {
        return text.to_owned();
    }
    let length = text.chars().count();
    let start: String = text.chars().take(most / 3).collect();
    let end: String = text.chars().skip(length - (most - most / 3 - 1)).collect();
    format!("{start}\u{2026}{end}")
}

/// A report format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An HTML page for a browser.
    Html,
    /// Markdown.
    Markdown,
    /// All figures as JSON, for programs.
    Json,
}

impl Form {
    /// The error for a file name for which [`Form::of_name`] finds no format.
    pub const EXPECTED: &str = "has no extension of a report (expected .html, .md or .json)";

    /// Returns the format for a file's extension.
    #[must_use]
    pub fn of_name(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "html" | "htm" => Some(Self::Html),
            "md" | "markdown" => Some(Self::Markdown),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

impl Report {
    /// Returns the report in the given format.
    #[must_use]
    pub fn written_as(&self, form: Form) -> String {
        match form {
            Form::Html => self.html(),
            Form::Markdown => self.markdown(),
            Form::Json => self.json(),
        }
    }

    /// Returns the statuses of the given severity.
    fn words_of(&self, severity: Severity) -> impl Iterator<Item = &Label> {
        self.words.iter().filter(move |word| word.severity == severity)
    }

    /// Returns the report as JSON, including the final line break.
    #[must_use]
    pub fn json(&self) -> String {
        let mut text =
            serde_json::to_string_pretty(self).expect("the keys are text and no figure is infinite");
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_their_ends() {
        let name = format!("{}/file.csv", "directory/".repeat(50));
        let short = shortened(&name, LONGEST_NAME);
        assert_eq!(short.chars().count(), LONGEST_NAME);
        assert!(short.starts_with("directory/") && short.ends_with("/file.csv"), "{short}");
        assert_eq!(shortened("a.csv", LONGEST_NAME), "a.csv");
        let name = "\u{e9}".repeat(LONGEST_NAME);
        assert_eq!(shortened(&name, LONGEST_NAME), name);
    }
}
