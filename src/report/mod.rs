//! Reports of results: what a file of them, or a run, amounts to, for people and for programs.
//!
//! [`read`](fn@read) takes files as `solve -O csv` writes them, [`Live`] takes the rows of a run; both end in a
//! [`Report`], which is written as a page ([`Report::html`]), as Markdown or as JSON. One pass, bounded memory;
//! the report depends on the rows alone, not on the number of threads.
//!
//! `note` is a row in bytes, `collect` adds notes up, `assemble` turns the sums into figures, `plot` draws.

mod assemble;
mod bins;
mod collect;
mod duplicates;
mod figures;
mod html;
mod live;
mod markdown;
mod note;
pub(crate) mod numbers;
mod plot;
mod read;
mod row;
mod tables;

pub use figures::{QUANTILE_ERROR, Spread};
pub use live::Live;
pub use read::{ReadOptions, ReportError, read};

use std::collections::BTreeMap;

use serde::Serialize;

use crate::provenance::Provenance;

/// Number of the layout of the JSON form; a change that breaks readers raises it.
const LAYOUT: u32 = 1;

/// Everything that a report says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Number of the layout of the JSON form.
    pub layout: u32,
    /// Who made the report, when, where and how; that of the run if it was made by one.
    pub provenance: Provenance,
    /// The run, if the report was made by one.
    pub run: Option<Run>,
    /// The files that were read.
    pub inputs: Vec<InputFile>,
    /// What went wrong with a file as a whole.
    pub problems: Vec<String>,
    /// The figures of all rows.
    pub total: Summary,
    /// The figures of each results file.
    pub files: Vec<Summary>,
    /// The figures by the input that the records came from.
    pub sources: Vec<Summary>,
    /// The figures by the number of clues.
    pub clues: Vec<ClueSummary>,
    /// Rows by time; the bins follow each other without a gap.
    pub time_bins: Vec<Bin>,
    /// Rows by guesses.
    pub guess_bins: Vec<Bin>,
    /// Rows by time and guesses, where there are any.
    pub time_by_guesses: Vec<Cell>,
    /// Why rows have no answer.
    pub reasons: Vec<Reason>,
    /// Rows of results that could not be read.
    pub bad_rows: BadRows,
    /// The puzzles with the most guesses.
    pub hardest: Vec<Puzzle>,
    /// The puzzles that took longest.
    pub slowest: Vec<Puzzle>,
    /// Puzzles that occur more than once.
    pub duplicates: Duplicates,
    /// How far a quantile may lie from the true one, as a share of it.
    pub quantile_error: f64,
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
    /// SHA-256 in hexadecimal; none if it was not read to its end.
    pub sha256: Option<String>,
}

/// The figures of some rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
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
    /// Rows that reached the solver: all but the invalid ones.
    pub solved: u64,
    /// Rows of those that needed no guess.
    pub without_guess: u64,
    /// Rows of those whose time was recorded.
    pub timed: u64,
    /// Sum of the solver's times in nanoseconds.
    pub solver_ns: Option<u64>,
    /// Puzzles that one thread solves in a second of solver time.
    pub puzzles_per_solver_second: Option<f64>,
    /// Times in nanoseconds.
    pub time_ns: Option<Spread>,
    /// Guesses.
    pub guesses: Option<Spread>,
    /// Different puzzles; an estimate if [`Duplicates::sampled`] is more than 1.
    pub distinct_puzzles: u64,
    /// Rows whose puzzle occurred before among these rows. Of all rows: before in the same results file.
    pub repeated_rows: u64,
    /// Share of the rows with a time up to the end of each bin of [`Report::time_bins`].
    #[serde(skip)]
    pub time_curve: Vec<f64>,
    /// The same for the guesses and [`Report::guess_bins`].
    #[serde(skip)]
    pub guess_curve: Vec<f64>,
}

/// The figures of the rows with one number of clues.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClueSummary {
    /// Cells given.
    pub clues: usize,
    /// Rows that reached the solver.
    pub rows: u64,
    /// Times in nanoseconds.
    pub time_ns: Option<Spread>,
    /// Guesses.
    pub guesses: Option<Spread>,
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
pub struct Cell {
    /// Times in nanoseconds: smallest, and first after it.
    pub time_ns: (u64, u64),
    /// Guesses: smallest, and first after it.
    pub guesses: (u64, u64),
    /// Number of rows, exact.
    pub rows: u64,
}

/// A reason and the rows that have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Their status.
    pub status: &'static str,
    /// The reason, with `N` for numbers and `'...'` for what is quoted; none for all further ones.
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

/// A puzzle worth showing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Puzzle {
    /// Results file, where there are several.
    pub file: Option<String>,
    /// Input that it is from.
    pub source: String,
    /// Line of that input.
    pub line: u64,
    /// `sudoku` or `sudominoku`.
    pub kind: &'static str,
    /// What came out.
    pub status: &'static str,
    /// Cells given.
    pub clues: usize,
    /// Branch nodes opened.
    pub guesses: u64,
    /// Solver's time in nanoseconds.
    pub time_ns: Option<u64>,
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

impl Report {
    /// The report as JSON, line end included.
    #[must_use]
    pub fn json(&self) -> String {
        let mut text =
            serde_json::to_string_pretty(self).expect("the keys are text and no figure is infinite");
        text.push('\n');
        text
    }
}
