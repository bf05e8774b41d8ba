//! Describes an input, based on a sample or on all of it.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use serde::{Serialize, Serializer};

use super::job::{Counts, CountsDigest, Survey};
use crate::input::{Batch, Dialect, InputError, InputSample, Look, ReadOptions, Score, Source};
use crate::jobs::{Job, verify};
use crate::pipeline::{self, Ending, Observer, Plan, RunError, RunOptions};
use crate::provenance::Provenance;
use crate::record::{PuzzleKind, Records, Want};
use crate::report::{self, ReasonFigures, ReportDigest};
use crate::sudoku::CELLS;

/// The maximum number of guesses per search; few puzzles need more.
const MOST_GUESSES: u64 = 1000;

/// The time limit for a sample.
const BUDGET: Duration = Duration::from_millis(300);

/// Options for inspecting an input.
#[derive(Clone, Debug)]
pub struct InspectOptions {
    /// Options for reading the input.
    pub read: ReadOptions,
    /// Whether to read the entire input.
    pub all: bool,
    /// Number of threads.
    pub threads: NonZeroUsize,
}

/// The reason why an input could not be inspected.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// The input cannot be read.
    #[error("{0}")]
    Input(#[from] InputError),
    /// The named input contains neither records nor columns.
    #[error("{0}: no records and no columns: nothing to inspect")]
    Nothing(String),
    /// The run over the records failed.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// A description of an input.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Inspection {
    /// Name of the input.
    pub name: String,
    /// Name of the format.
    pub format: &'static str,
    /// The dialect, as a value of `--format`.
    pub dialect: String,
    /// Whether the dialect was given rather than detected.
    pub format_given: bool,
    /// The dialects tried on the start of the input, best first.
    pub tried: Vec<Tried>,
    /// The compression, if any.
    pub compression: Option<&'static str>,
    /// The encoding, if it is neither ASCII nor UTF-8.
    pub encoding: Option<&'static str>,
    /// File size in bytes, as stored (compressed or not).
    pub bytes: Option<u64>,
    /// How much was read: `all` or `head`.
    pub read: &'static str,
    /// Number of lines read that are not part of a record.
    pub passed_over: u64,
    /// Line number and text of the first such line.
    pub first_passed_over: Option<(u64, String)>,
    /// Number of records in the whole input (an estimate unless all was read); `None` if unknown.
    pub rows: Option<u64>,
    /// Whether the number of records is exact.
    pub rows_exact: bool,
    /// Number of records examined; all figures below refer to these.
    pub examined: u64,
    /// Number of records that were read but not examined because time ran out.
    pub left_out: u64,
    /// The columns, if the input is a table.
    pub table: Option<Table>,
    /// Number of records with each status that `solve` would give.
    pub statuses: BTreeMap<&'static str, u64>,
    /// The reasons why records have no answer, most frequent first.
    pub reasons: Vec<ReasonFigures>,
    /// Number of records whose puzzle is not a sudoku.
    pub cases: u64,
    /// Number of records of each kind of puzzle.
    #[serde(skip)]
    pub kinds: [u64; PuzzleKind::ALL.len()],
    /// Number of sudokus with each number of clues.
    pub clues: BTreeMap<usize, u64>,
    /// Number of different puzzles.
    pub distinct_puzzles: u64,
    /// Number of records whose puzzle occurred before.
    pub repeated_rows: u64,
    /// The claims, if there are any.
    pub claims: Option<Claims>,
    /// Warnings.
    pub notes: Vec<String>,
    /// The error that ended the input after the last of these records.
    pub error: Option<String>,
    /// The statuses, in order.
    #[serde(skip)]
    pub words: Vec<&'static str>,
}

/// A dialect that was tried on the start of an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tried {
    /// The dialect, as a value of `--format`.
    pub dialect: String,
    /// The score; the highest one wins.
    pub score: i64,
    /// Number of records that are puzzles.
    pub good: u64,
    /// Number of records that cannot be read.
    pub bad: u64,
}

impl Tried {
    fn of((dialect, score): &(Dialect, Score)) -> Self {
        let Score { good, bad, .. } = *score;
        Self { dialect: dialect.to_string(), score: score.points(), good, bad }
    }
}

/// The columns of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Table {
    /// The separator, if this is a text table.
    pub separator: Option<char>,
    /// Whether the first row names the columns, if this is a text table.
    pub header: Option<bool>,
    /// The names of the columns, or their numbers if they have no names.
    pub columns: Vec<String>,
    /// The columns that hold the puzzles.
    pub puzzle: Option<Holders>,
    /// The columns that hold the claimed solutions.
    pub solution: Option<Holders>,
}

impl Table {
    /// Returns the table, if the input is a table.
    fn of(look: &Look) -> Option<Self> {
        let Look { dialect, columns, header, .. } = look;
        (!columns.names.is_empty()).then(|| Self {
            separator: dialect.separator,
            header: dialect.separator.map(|_| !header.is_empty()),
            columns: columns.names.clone(),
            puzzle: columns.puzzle.as_ref().map(Holders::of),
            solution: columns.claim.as_ref().map(Holders::of),
        })
    }
}

/// The columns that hold grids, numbered from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Holders {
    /// A single column of whole grids.
    One(usize),
    /// The first and last columns, if each column holds one cell.
    Cells([usize; 2]),
}

impl Holders {
    fn of(columns: &Range<usize>) -> Self {
        if columns.len() == 1 {
            Self::One(columns.end)
        } else {
            Self::Cells([columns.start + 1, columns.end])
        }
    }
}

/// The claim statuses that are counted; the remaining statuses are for records that cannot be read.
const CLAIMS: [&str; 6] = ["correct", "not-unique", "unfinished", "unsolvable", "wrong", "missing"];

/// The claims, by the status that `verify` would give.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Claims {
    /// The number of puzzles with each status; JSON keys use `_` instead of `-`.
    #[serde(flatten, serialize_with = "by_status")]
    pub counts: [(&'static str, u64); CLAIMS.len()],
    /// The first wrong claims, as `input:line: reason`.
    pub first_wrong: Vec<String>,
}

impl Claims {
    /// Returns the counts, if there are any claims.
    fn of(counts: &Counts) -> Option<Self> {
        let words = verify::STATUSES.iter().zip(counts.claims);
        let claims = CLAIMS.map(|name| {
            let count = words.clone().find_map(|(word, count)| (word.name == name).then_some(count));
            (name, count.unwrap_or(0))
        });
        let is_claim = |&(name, count): &(&str, u64)| name != "missing" && count > 0;
        claims.iter().any(is_claim).then(|| Self { counts: claims, first_wrong: counts.wrong.clone() })
    }
}

fn by_status<S: Serializer>(counts: &[(&str, u64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(counts.iter().map(|(status, count)| (status.replace('-', "_"), count)))
}

/// Inspects an input; `observer` follows the progress, and `stop` may be raised at any time. Fails if the input cannot
/// be read or the run fails. A damaged input is described up to the damage.
pub fn inspect(
    mut source: Source,
    options: &InspectOptions,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Inspection, InspectError> {
    let mut found = Inspection { format_given: options.read.format.is_some(), ..Inspection::of(&source) };
    let mut sample = None;
    let sources = if options.all {
        vec![source]
    } else {
        let mut start = source.sample();
        // An error before the first record concerns the input as a whole.
        if let Some(error) = start.error.take_if(|_| start.batches.is_empty()) {
            return Err(error.into());
        }
        found.notes = source.notes().to_vec();
        let batches = start.batches.clone();
        sample = Some(start);
        if batches.is_empty() { Vec::new() } else { vec![Source::of_batches(batches)] }
    };
    let (ended, report, counts) = run(sources, options, sample.is_some(), observer, stop)?;
    let mut errors =
        ended.input_errors.into_iter().chain(sample.as_mut().and_then(|sample| sample.error.take()));
    found.error = errors.next().map(|error| error.to_string());
    found.notes.extend(ended.notes);
    found.passed_over = ended.passed_over.lines;
    found.first_passed_over = ended.passed_over.first.map(|(_, line, text)| (line, text));
    found.add_figures(report, counts);
    found.count_rows(sample.as_ref(), ended.ending == Ending::Complete);
    if found.rows_exact && found.rows == Some(0) && found.table.is_none() {
        return Err(InspectError::Nothing(found.name));
    }
    Ok(found)
}

impl Inspection {
    /// Returns the description of an opened input.
    fn of(source: &Source) -> Self {
        let (info, look) = (source.info(), source.look());
        Self {
            name: info.name.clone(),
            format: look.dialect.framing.word(),
            dialect: look.dialect.to_string(),
            tried: look.scores.iter().map(Tried::of).collect(),
            compression: look.compression,
            encoding: look.encoding,
            bytes: info.size,
            table: Table::of(look),
            ..Self::default()
        }
    }

    /// Adds the figures for the examined records.
    fn add_figures(&mut self, report: report::Report, counts: Counts) {
        self.examined = report.total.rows;
        self.words = report.words.iter().map(|word| word.name).collect();
        self.statuses = report.total.statuses.into_iter().filter(|&(_, count)| count > 0).collect();
        self.reasons = report.reasons;
        self.distinct_puzzles = report.total.distinct_puzzles;
        self.repeated_rows = report.total.repeated_rows;
        self.claims = Claims::of(&counts);
        self.kinds = counts.kinds;
        self.cases = self.kinds[1..].iter().sum();
        self.clues = counts.clues;
        if self.clues.keys().eq([&CELLS]) {
            self.notes.push("all puzzles examined are complete: are these solutions?".to_owned());
        }
    }

    /// Adds the number of records. If the run is incomplete, the number of records not examined is added too.
    fn count_rows(&mut self, sample: Option<&InputSample>, is_complete: bool) {
        let read = match sample {
            Some(sample) if !is_complete => records_in(&sample.batches),
            _ => self.examined,
        };
        let is_whole = sample.is_none_or(|sample| sample.is_whole);
        self.read = if is_whole { "all" } else { "head" };
        let is_sound = self.error.is_none();
        self.rows_exact = is_sound && is_whole;
        self.left_out = read.saturating_sub(self.examined);
        let estimate = || {
            let sample = sample.filter(|sample| sample.bytes > 0 && is_sound)?;
            Some((self.bytes? as f64 / sample.bytes as f64 * read as f64).round() as u64)
        };
        self.rows = if self.rows_exact { Some(read) } else { estimate() };
    }
}

/// Solves the records, or as many records of a sample as the time limit allows.
fn run(
    sources: Vec<Source>,
    options: &InspectOptions,
    is_sample: bool,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<(pipeline::Ended, report::Report, Counts), RunError> {
    let job = Survey::new(super::search(MOST_GUESSES));
    let collector = report::Collector::for_run(job.schema());
    let mut collected = (collector, Counts::default());
    let digest = (ReportDigest::default(), CountsDigest);
    let plan = Plan::new(sources, job, digest, RunOptions::new(options.threads));
    let time_is_up = Arc::new(AtomicBool::new(false));
    let (done, is_done) = channel::<()>();
    if is_sample {
        let time_is_up = Arc::clone(&time_is_up);
        let watch = move || {
            if is_done.recv_timeout(BUDGET) == Err(RecvTimeoutError::Timeout) {
                time_is_up.store(true, Ordering::SeqCst);
            }
        };
        // If this thread cannot be started, the time limit does not apply.
        let _ = thread::Builder::new().spawn(watch);
    }
    let stop = if is_sample { &time_is_up } else { stop };
    let ended = pipeline::run(plan, &mut collected, &mut io::sink(), observer, stop);
    drop(done);
    let ended = ended?;
    let (collector, counts) = collected;
    // The report is only read here, not written, so it omits facts about this process; its command line could list many
    // names.
    let report = collector.finish(None, Vec::new(), Provenance::default());
    Ok((ended, report, counts))
}

/// Returns the number of records in some batches.
fn records_in(batches: &[Batch]) -> u64 {
    let mut records = Records::default();
    let count = |batch: &Batch| {
        batch.read(Want::default(), &mut records);
        records.len() as u64
    };
    batches.iter().map(count).sum()
}
