//! Reports of runs and of files of results, for people and for programs.
//!
//! A run is condensed page by page ([`ReportDigest`]) and collected in order ([`Collector`]). [`read`](fn@read) does
//! the same with files of results. Both end in a [`Report`], which is written as HTML, Markdown or JSON. There is one
//! pass in bounded memory. The report depends on the rows alone, not on the number of threads or the size of the pages.
//!
//! `digest` condenses, with `ranking` and `reasons`. `collect` adds up, with `duplicates`. `recall` reads
//! files, with `results`. `assemble` turns sums into figures. `text`, `tables`, `plot` and `pages` show them.

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
pub use recall::{RecallOptions, ReportError, read};
pub use spread::Spread;
pub use table::escaped as escaped_markdown;

use std::collections::BTreeMap;
use std::path::Path;

use measure::{COUNT, MEASURES, by_bins_key, by_key, by_list_key};
use serde::{Serialize, Serializer};

pub use crate::provenance::InputFile;

use crate::provenance::Provenance;
use crate::record::{Label, PuzzleKind, Severity};

/// The version of the JSON layout; a change that breaks readers raises it.
const LAYOUT: u32 = 2;

/// The longest name of a file or an input, in characters.
const LONGEST_NAME: usize = 120;

/// The choice of what a report lists, and what it counts as one puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// Number of hardest and slowest puzzles that are listed.
    pub top: usize,
    /// Whether isomorphic puzzles are one puzzle.
    pub isomorphs: bool,
}

impl Default for Detail {
    fn default() -> Self {
        Self { top: 10, isomorphs: false }
    }
}

/// Everything that a report says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Version of the JSON layout.
    pub layout: u32,
    /// Version of the layout of results that the program writes and reads.
    pub results_version: u32,
    /// Program, command, time and machine of the report, or of the run that made it.
    pub provenance: Provenance,
    /// The run, if the report was made by one.
    pub run: Option<Run>,
    /// The files that were read.
    pub inputs: Vec<InputFile>,
    /// Errors of whole files.
    pub problems: Vec<String>,
    /// Warnings that do not concern the results.
    #[serde(skip)]
    pub notes: Vec<String>,
    /// The figures of all rows.
    pub total: RowFigures,
    /// The figures of each results file.
    pub files: Vec<RowFigures>,
    /// The figures of each input that the records came from.
    pub sources: Vec<RowFigures>,
    /// The figures of each number of clues.
    pub clues: Vec<ClueFigures>,
    /// The figures of each value of the columns that say in a word how hard puzzles are, by column name, easiest first.
    pub categories: BTreeMap<&'static str, Vec<CategoryFigures>>,
    /// Rows in bins of each measure, without a gap between bins.
    #[serde(flatten, serialize_with = "by_bins_key")]
    bins: [Vec<Bin>; COUNT],
    /// The reasons why rows have no answer.
    pub reasons: Vec<ReasonFigures>,
    /// Rows of results that could not be read.
    pub bad_rows: BadRows,
    /// The puzzles with the highest values of each measure.
    #[serde(flatten, serialize_with = "by_list_key")]
    listed: [Vec<ListedPuzzle>; COUNT],
    /// Puzzles that occur more than once.
    pub duplicates: Duplicates,
    /// Greatest relative error of a quantile.
    pub quantile_error: f64,
    /// The statuses of the jobs that the rows come from, in order.
    #[serde(skip)]
    pub words: Vec<Label>,
    /// The first status of each job, which is the desired one.
    #[serde(skip)]
    pub leading: Vec<Label>,
}

/// The circumstances of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Run {
    /// Time from start to end.
    pub wall_seconds: f64,
    /// Threads that solved.
    pub threads: usize,
    /// Backend of the solver.
    pub backend: String,
    /// Whether all inputs were read to their end.
    pub complete: bool,
}

/// The figures of some rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RowFigures {
    /// The results file or the input. None for all rows, and for the inputs without figures of their own.
    pub name: Option<String>,
    /// The results file of the rows of an input, if there are several.
    pub file: Option<String>,
    /// Number of rows.
    pub rows: u64,
    /// Rows that hold a puzzle.
    pub puzzles: u64,
    /// Rows with each status.
    pub statuses: BTreeMap<&'static str, u64>,
    /// Rows that reached the solver.
    pub solved: u64,
    /// Solved rows that needed no guess.
    pub without_guess: u64,
    /// Solved rows with a time.
    pub timed: u64,
    /// Sum of the times in nanoseconds.
    pub solver_ns: Option<u64>,
    /// Puzzles that one thread solves in a second of solver time.
    pub puzzles_per_solver_second: Option<f64>,
    /// The distribution of each measure.
    #[serde(flatten, serialize_with = "by_key")]
    spreads: [Option<Spread>; COUNT],
    /// Different puzzles; an estimate if [`Duplicates::sampled`] is more than 1.
    pub distinct_puzzles: u64,
    /// Rows whose puzzle occurred before in these rows; for all rows: before in the same results file.
    pub repeated_rows: u64,
}

/// The figures of the rows with one number of clues.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClueFigures {
    /// Number of clues.
    pub clues: usize,
    /// Rows that reached the solver.
    pub rows: u64,
    /// The distribution of each measure.
    #[serde(flatten, serialize_with = "by_key")]
    spreads: [Option<Spread>; COUNT],
    /// Rows that needed no guess.
    pub without_guess: u64,
}

/// The figures of the rows with one value.
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

/// Rows with a value in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bin {
    /// Smallest value of the bin.
    pub from: u64,
    /// First value after it.
    pub to: u64,
    /// Number of rows. A value less than 1 % above an edge may be counted in the bin before it.
    pub rows: u64,
}

/// The rows with one status and reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReasonFigures {
    /// Status of the rows.
    pub status: &'static str,
    /// The reason, with `N` for numbers, `...` for cells and `'...'` for quoted text. None for the rows of all reasons
    /// without a group of their own.
    pub reason: Option<String>,
    /// Number of rows.
    pub rows: u64,
    /// The first places, as `file:line:column`.
    pub places: Vec<String>,
}

/// The rows of results files that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BadRows {
    /// Number of such rows.
    pub count: u64,
    /// The first such rows, as `file:line: reason`.
    pub first: Vec<String>,
}

fn word<S: Serializer>(kind: &PuzzleKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.as_str())
}

/// A puzzle with one of the highest values of a measure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedPuzzle {
    /// Results file, if there are several.
    pub file: Option<String>,
    /// Name of the puzzle's input.
    pub source: String,
    /// Line in the input.
    pub line: u64,
    /// Kind of puzzle, in JSON as a word.
    #[serde(serialize_with = "word")]
    pub kind: PuzzleKind,
    /// Status of the row.
    pub status: &'static str,
    /// Number of clues.
    pub clues: usize,
    /// Values of the measures.
    #[serde(flatten, serialize_with = "by_key")]
    values: [Option<u64>; COUNT],
    /// 81 characters, `.` for a blank; none for another kind than sudoku, of which parts would be missing.
    pub puzzle: Option<String>,
    /// 81 digits.
    pub solution: Option<String>,
    /// The clues as 81 characters, to be drawn.
    #[serde(skip)]
    pub given: String,
}

/// The puzzles that occur more than once.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Duplicates {
    /// Whether isomorphic puzzles are one puzzle.
    pub isomorphs: bool,
    /// The sampling rate: one in this many puzzles was counted, or all if it is 1.
    pub sampled: u64,
    /// Relative standard error of the number of distinct puzzles, if it is an estimate.
    pub relative_error: Option<f64>,
    /// Pairs of inputs with puzzles in common, most first.
    pub overlaps: Vec<Overlap>,
    /// Pairs of inputs with puzzles in common that are not listed.
    pub overlaps_left_out: usize,
    /// Whether some puzzles are not counted in each of their inputs, since there are too many combinations of inputs.
    pub overlaps_incomplete: bool,
}

/// Puzzles that two inputs share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Overlap {
    /// The two inputs.
    pub names: [String; 2],
    /// Different puzzles that are in both.
    pub puzzles: u64,
    /// Different puzzles in each.
    pub of: [u64; 2],
}

impl RowFigures {
    /// Returns the distribution of the measure with this key in JSON, `None` if no row has it.
    #[must_use]
    pub fn spread(&self, key: &str) -> Option<Spread> {
        let at = MEASURES.iter().position(|measure| measure.key == key)?;
        self.spreads[at]
    }

    fn count(&self, word: &Label) -> u64 {
        self.statuses.get(word.name).copied().unwrap_or(0)
    }
}

/// Returns a text of up to `most` characters. The middle is left out, since the end of a name says most.
fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most || text.chars().count() <= most {
        return text.to_owned();
    }
    let length = text.chars().count();
    let start: String = text.chars().take(most / 3).collect();
    let end: String = text.chars().skip(length - (most - most / 3 - 1)).collect();
    format!("{start}\u{2026}{end}")
}

/// A format of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A page for a browser.
    Html,
    /// Markdown.
    Markdown,
    /// All figures, for programs.
    Json,
}

impl Form {
    /// The error for a name from which [`Form::of_name`] makes no format.
    pub const EXPECTED: &str = "has no extension of a report (expected .html, .md or .json)";

    /// Returns the format that the extension of a file names.
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
    /// Returns the report in a format.
    #[must_use]
    pub fn written_as(&self, form: Form) -> String {
        match form {
            Form::Html => self.html(),
            Form::Markdown => self.markdown(),
            Form::Json => self.json(),
        }
    }

    /// Returns the statuses of a severity.
    fn words_of(&self, severity: Severity) -> impl Iterator<Item = &Label> {
        self.words.iter().filter(move |word| word.severity == severity)
    }

    /// Returns the report as JSON, line end included.
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
