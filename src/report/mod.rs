//! Reports of results: what a file of them, or a run, amounts to, for people and for programs.
//!
//! A run is condensed page by page ([`ReportDigest`]) and collected in order ([`Collector`]); [`read`](fn@read) makes
//! the same pages of files of results. Both end in a [`Report`], which is written as a page ([`Report::html`]), as
//! Markdown or as JSON. One pass, bounded memory; the report depends on the rows alone, neither on the number of
//! threads nor on the size of the pages.
//!
//! `digest` condenses, with `bins`, `ranking` and `reasons`; `collect` adds up, with `duplicates`; `recall` reads files;
//! `assemble` turns the sums into figures; `text`, `tables`, `plot`, `html` and `markdown` show them.

mod assemble;
mod bins;
mod collect;
mod digest;
mod duplicates;
mod html;
mod markdown;
mod measure;
pub(crate) mod numbers;
mod plot;
mod ranking;
mod reasons;
mod recall;
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

use crate::input::{Hash, SourceInfo};
use crate::provenance::Provenance;
use crate::record::{PuzzleKind, Weight, Word};

/// Number of the layout of the JSON form; a change that breaks readers raises it.
const LAYOUT: u32 = 1;

/// Characters of a name of a file or an input that are kept.
const LONGEST_NAME: usize = 120;

/// Everything that a report says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Number of the layout of the JSON form.
    pub layout: u32,
    /// Number of the layout of results that the program writes and reads.
    pub results_version: u32,
    /// Who made the report, when, where and how; that of the run if it was made by one.
    pub provenance: Provenance,
    /// The run, if the report was made by one.
    pub run: Option<Run>,
    /// The files that were read.
    pub inputs: Vec<InputFile>,
    /// What went wrong with a file as a whole.
    pub problems: Vec<String>,
    /// What is worth a warning to whoever asked for the report, and says nothing of the results.
    #[serde(skip)]
    pub notes: Vec<String>,
    /// Rows of results on which the program failed.
    #[serde(skip)]
    pub defects: u64,
    /// The figures of all rows.
    pub total: RowFigures,
    /// The figures of each results file.
    pub files: Vec<RowFigures>,
    /// The figures by the input that the records came from.
    pub sources: Vec<RowFigures>,
    /// The figures by the number of clues.
    pub clues: Vec<ClueFigures>,
    /// Rows by each measure; the bins follow each other without a gap.
    #[serde(flatten, serialize_with = "by_bins_key")]
    bins: [Vec<Bin>; COUNT],
    /// Rows by time and guesses, where there are any.
    pub time_by_guesses: Vec<JointBin>,
    /// Why rows have no answer.
    pub reasons: Vec<ReasonFigures>,
    /// Rows of results that could not be read.
    pub bad_rows: BadRows,
    /// The puzzles that have most of each measure.
    #[serde(flatten, serialize_with = "by_list_key")]
    listed: [Vec<ListedPuzzle>; COUNT],
    /// Puzzles that occur more than once.
    pub duplicates: Duplicates,
    /// How far a quantile may lie from the true one, as a share of it.
    pub quantile_error: f64,
    /// The statuses of the jobs that the rows are of, in their order.
    #[serde(skip)]
    pub words: Vec<Word>,
    /// The statuses with which the jobs' lists begin: what everybody hopes for.
    #[serde(skip)]
    pub leading: Vec<Word>,
}

/// How a run went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    /// Time from start to end.
    pub wall_seconds: f64,
    /// Threads that solved.
    pub threads: usize,
    /// Name of the engine for sudokus.
    pub backend: String,
    /// Whether all inputs were read to their end.
    pub complete: bool,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InputFile {
    /// Name as given, `-` for standard input.
    pub name: String,
    /// Bytes, compressed if it is.
    pub bytes: Option<u64>,
    /// SHA-256 in hexadecimal; none if it was not read to its end, or not wanted.
    pub sha256: Option<String>,
}

impl InputFile {
    /// What was read of an input of a run.
    #[must_use]
    pub fn new(info: &SourceInfo, hash: Hash) -> Self {
        Self { name: info.name.clone(), bytes: Some(hash.bytes()), sha256: hash.sha256() }
    }
}

/// The figures of some rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RowFigures {
    /// What the rows have in common: a results file, or an input. None for all rows and for inputs
    /// beyond those that have figures of their own.
    pub name: Option<String>,
    /// The results file, where there are several and the rows are those of an input.
    pub file: Option<String>,
    /// Number of rows.
    pub rows: u64,
    /// Rows that hold a puzzle.
    pub puzzles: u64,
    /// Rows with each status.
    pub statuses: BTreeMap<&'static str, u64>,
    /// Rows that reached the solver: all but those whose status says otherwise.
    pub solved: u64,
    /// Rows of those that needed no guess.
    pub without_guess: u64,
    /// Rows of those whose time was recorded.
    pub timed: u64,
    /// Sum of the solver's times in nanoseconds.
    pub solver_ns: Option<u64>,
    /// Puzzles that one thread solves in a second of solver time.
    pub puzzles_per_solver_second: Option<f64>,
    /// How each measure is distributed.
    #[serde(flatten, serialize_with = "by_key")]
    spreads: [Option<Spread>; COUNT],
    /// Different puzzles; an estimate if [`Duplicates::sampled`] is more than 1.
    pub distinct_puzzles: u64,
    /// Rows whose puzzle occurred before among these rows. Of all rows: before in the same results file.
    pub repeated_rows: u64,
    /// For each measure the share of the rows that have it up to the end of each of its bins.
    #[serde(skip)]
    curves: [Vec<f64>; COUNT],
}

/// The figures of the rows with one number of clues.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClueFigures {
    /// Cells given.
    pub clues: usize,
    /// Rows that reached the solver.
    pub rows: u64,
    /// How each measure is distributed.
    #[serde(flatten, serialize_with = "by_key")]
    spreads: [Option<Spread>; COUNT],
    /// Rows that needed no guess.
    pub without_guess: u64,
}

/// Rows with a value in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bin {
    /// Smallest value of the bin.
    pub from: u64,
    /// First value after it.
    pub to: u64,
    /// Number of rows, exact.
    pub rows: u64,
}

/// Rows with time and guesses in a range each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct JointBin {
    /// Times in nanoseconds: smallest, and first after it.
    pub time_ns: (u64, u64),
    /// Guesses: smallest, and first after it.
    pub guesses: (u64, u64),
    /// Number of rows, exact.
    pub rows: u64,
}

/// A reason and the rows that have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReasonFigures {
    /// Their status.
    pub status: &'static str,
    /// The reason, with `N` for numbers, `...` for words and `'...'` for what is quoted; none for all further ones.
    pub reason: Option<String>,
    /// Number of rows.
    pub rows: u64,
    /// The first places, as `file:line:column`.
    pub places: Vec<String>,
}

/// Rows of results files that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BadRows {
    /// Number of them.
    pub count: u64,
    /// The first ones, as `file:line: reason`.
    pub first: Vec<String>,
}

/// Writes a kind of puzzle as its word.
fn word<S: Serializer>(kind: &PuzzleKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.as_str())
}

/// A puzzle worth showing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedPuzzle {
    /// Results file, where there are several.
    pub file: Option<String>,
    /// Input that it is from.
    pub source: String,
    /// Line of that input.
    pub line: u64,
    /// What it is, in JSON its word.
    #[serde(serialize_with = "word")]
    pub kind: PuzzleKind,
    /// What came out.
    pub status: &'static str,
    /// Cells given.
    pub clues: usize,
    /// What was measured.
    #[serde(flatten, serialize_with = "by_key")]
    values: [Option<u64>; COUNT],
    /// 81 characters, `.` for a blank; none of a Sudominoku, whose dominoes they leave out.
    pub puzzle: Option<String>,
    /// 81 digits.
    pub solution: Option<String>,
    /// The numbers given, as 81 characters: what is drawn.
    #[serde(skip)]
    pub given: String,
}

/// Puzzles that occur more than once.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Duplicates {
    /// One in so many puzzles was looked at: 1 when the counts are exact.
    pub sampled: u64,
    /// Standard error of the counts of distinct puzzles as a share, if they are estimates.
    pub relative_error: Option<f64>,
    /// Inputs that have puzzles in common, most first.
    pub overlaps: Vec<Overlap>,
    /// Pairs of inputs that have puzzles in common and are not listed.
    pub overlaps_left_out: usize,
    /// There are so many combinations of inputs that some puzzles are not counted in all of theirs.
    pub overlaps_incomplete: bool,
    /// The first rows whose puzzle occurred before in the same results file.
    pub first: Vec<Repeat>,
}

/// Puzzles that two inputs share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Overlap {
    /// The two inputs.
    pub names: [String; 2],
    /// Different puzzles in both.
    pub puzzles: u64,
    /// Different puzzles in each.
    pub of: [u64; 2],
}

/// A row whose puzzle occurred before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Repeat {
    /// Where it stands, as `input:line`.
    pub place: String,
    /// Input in which it occurred before.
    pub before: String,
    /// 81 characters, `.` for a blank; none of a Sudominoku.
    pub puzzle: Option<String>,
}

impl RowFigures {
    /// How a measure is distributed that the JSON form calls so, `None` if no row has it.
    #[must_use]
    pub fn spread(&self, key: &str) -> Option<Spread> {
        let at = MEASURES.iter().position(|measure| measure.key == key)?;
        self.spreads[at]
    }

    /// Rows with a status.
    fn count(&self, word: &Word) -> u64 {
        self.statuses.get(word.name).copied().unwrap_or(0)
    }
}

/// A text of at most so many characters; the end of a name says most, so the middle goes.
fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most || text.chars().count() <= most {
        return text.to_owned();
    }
    let length = text.chars().count();
    let start: String = text.chars().take(most / 3).collect();
    let end: String = text.chars().skip(length - (most - most / 3 - 1)).collect();
    format!("{start}\u{2026}{end}")
}

/// What a report is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A page.
    Html,
    /// Markdown.
    Markdown,
    /// The figures for a program.
    Json,
}

impl Form {
    /// What to say of a name that says nothing.
    pub const EXPECTED: &str =
        "does not say what the report is to be (expected a name in .html, .md or .json)";

    /// What the ending of a name says.
    #[must_use]
    pub fn of_name(path: &Path) -> Option<Self> {
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
        match ending.as_deref()? {
            "html" | "htm" => Some(Self::Html),
            "md" | "markdown" => Some(Self::Markdown),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

impl Report {
    /// All of it in that form.
    #[must_use]
    pub fn written_as(&self, form: Form) -> String {
        match form {
            Form::Html => self.html(),
            Form::Markdown => self.markdown(),
            Form::Json => self.json(),
        }
    }

    /// The statuses that weigh so much.
    fn words_of(&self, weight: Weight) -> impl Iterator<Item = &Word> {
        self.words.iter().filter(move |word| word.weight == weight)
    }

    /// The report as JSON, line end included.
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
