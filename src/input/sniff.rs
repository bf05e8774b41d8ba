//! Detects the dialect of a text: all candidates read its start, and the one that finds the most puzzles wins.
//!
//! A candidate's score is computed only from the records that its own reader finds in the sample ([`Score::points`]).
//! Ties go to a declared format, then to the earlier framing; within one framing, to a candidate that finds claims,
//! then to the one with fewer settings. Candidates that score less than half of the best are dropped after a short part
//! of the sample.

use std::cmp::Reverse;
use std::sync::Arc;

use super::magic;
use super::reader::{Candidates, Sample, TextReader};
use super::refusal::refusal;
use super::score::{Attempt, Score};
use super::text::tree;
use super::text::{table, units};
use super::{Columns, Dialect, Excerpt, Framing, InputError, Passed};
use crate::kinds::sudominoku::input as sudominoku;

/// The result of detection.
pub(super) struct Sniffed {
    pub reader: Arc<dyn TextReader>,
    /// The properties of the input, except those that only the stream knows.
    pub look: Look,
    /// Whether reading more of the input would change nothing.
    pub is_certain: bool,
    /// Whether there is a good record, no bad one and no close rival. That is enough if the input pauses.
    pub is_clear: bool,
}

/// The properties of an input that are determined when it is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// The dialect of the input.
    pub dialect: Dialect,
    /// The score of each candidate, starting with the one chosen; empty if the first bytes decide.
    pub scores: Vec<(Dialect, Score)>,
    /// The compression: `gzip` or `zstd`.
    pub compression: Option<&'static str>,
    /// The encoding of the text, if it is not UTF-8.
    pub encoding: Option<&'static str>,
    /// Whether the text begins with a byte-order mark.
    pub has_mark: bool,
    /// The columns, if the input is a table.
    pub columns: Columns,
    /// Whether there are claimed solutions, or at least a column for them.
    pub has_claims: bool,
    /// The header of a table, unchanged.
    pub header: Vec<u8>,
    /// The rules for writing records one after another.
    pub excerpt: Option<Excerpt>,
    /// The lines at the start that were skipped.
    pub passed: Passed,
}

impl Look {
    /// Returns the properties of an input whose dialect is just a framing.
    pub(super) fn of(framing: Framing) -> Self {
        Self { dialect: Dialect::of(framing), ..Self::default() }
    }

    /// Returns the properties of the input that `reader` reads.
    fn of_text(reader: &dyn TextReader) -> Self {
        let (dialect, columns, header) = (reader.dialect(), reader.columns(), reader.header().to_vec());
        Self { excerpt: dialect.excerpt(), dialect, columns, header, ..Self::default() }
    }
}

/// Looks at the start of a text and decides how to read it.
///
/// # Errors
///
/// If the text is empty or begins like something else. If nothing in it can be read, unless its format was given. If it
/// lacks a column that the user asked for.
pub(super) fn sniff(sample: &Sample<'_>, compression: Option<&str>) -> Result<Sniffed, InputError> {
    if let Some(error) = magic::refusal(sample.name, sample.bytes, compression) {
        return Err(error);
    }
    if sample.is_whole && sample.bytes.trim_ascii().is_empty() {
        return Err(InputError::Empty { name: sample.name.to_owned() });
    }
    // Whether a table holds results is checked later by its columns, even if no row has a puzzle.
    let results = sample.options.results.then(|| dialect_of_results(sample));
    let given = results.as_ref().or(sample.options.format.as_ref());
    let (attempts, mut errors) = race(sample, given);
    let first = attempts.first();
    if given.is_none() {
        // A table that lacks a requested column is not read as something else.
        let is_read = |it: &Attempt| it.score.good + it.score.clashing > 0 || it.may_be_empty;
        let is_table = first.is_some_and(|first| first.framing.has_columns());
        errors.retain(|error| first.is_none() || !is_table && !error.holds_no_puzzles());
        if !first.is_some_and(is_read) {
            let other = refusal(sample, &attempts);
            // An input known to be something else is refused for that reason, not because a column is missing.
            let is_known = matches!(other, InputError::NoPuzzles { advice: Some(_), .. });
            errors.retain(|error| !is_known || !is_without_names(error));
            errors.push(other);
        }
        if !errors.is_empty() {
            return Err(errors.swap_remove(0));
        }
    }
    let Some(first) = first else {
        return Err(errors.into_iter().next().unwrap_or_else(|| refusal(sample, &attempts)));
    };
    let scores = attempts.iter().map(|it| (it.reader.dialect(), it.score)).collect();
    let look = Look::of_text(&*first.reader);
    let has_claims = first.score.claims > 0 || look.columns.claim.is_some();
    Ok(Sniffed {
        reader: Arc::clone(&first.reader),
        look: Look { scores, has_claims, passed: first.passed.clone(), ..look },
        is_certain: is_certain(&attempts, Sample::ENOUGH),
        is_clear: given.is_some() && first.has_read || is_certain(&attempts, 1),
    })
}

/// Returns the dialect of this program's own output: JSON if it begins like JSON, otherwise a table.
fn dialect_of_results(sample: &Sample<'_>) -> Dialect {
    let json = tree::json_candidates(sample, None).pop().and_then(Result::ok);
    json.map_or(Dialect::of(Framing::Csv), |reader| reader.dialect())
}

/// Returns whether the error is a missing puzzle column in a table without column names.
fn is_without_names(error: &InputError) -> bool {
    let InputError::NoColumn { columns, wanted: None, .. } = error else { return false };
    columns.iter().zip(1..).all(|(name, number)| *name == number.to_string())
}

/// Proposes readers that might fit a sample. If a dialect was requested, its framing is one of the proposer's own.
type Propose = fn(&Sample<'_>, Option<&Dialect>) -> Candidates;

/// All proposers, starting with those that quickly reject other formats.
const PROPOSE: [(&[Framing], Propose); 5] = [
    (&[Framing::Cases], sudominoku::candidates),
    (&[Framing::Xml], tree::xml_candidates),
    (&[Framing::Json, Framing::Jsonl], tree::json_candidates),
    (&[Framing::Csv], table::candidates),
    (&[Framing::Line, Framing::Grid, Framing::Cell], units::candidates),
];

/// Lets all possible candidates read the first part of a sample, then lets the best of them read all of it. Returns the
/// attempts, best first, and the errors of candidates that failed. Once a candidate leaves no doubt, later ones are not
/// tried.
fn race(sample: &Sample<'_>, given: Option<&Dialect>) -> (Vec<Attempt>, Vec<InputError>) {
    let start = sample.start();
    let (mut attempts, mut errors): (Vec<Attempt>, _) = (Vec::new(), Vec::new());
    for (framings, propose) in PROPOSE {
        if given.is_some_and(|given| !framings.contains(&given.framing)) {
            continue;
        }
        for candidate in propose(sample, given) {
            match candidate {
                Ok(reader) => attempts.push(Attempt::new(reader, &start)),
                Err(error) => errors.push(error),
            }
        }
        let is_settled = |it: &Attempt| {
            it.score.is_declared && it.score.is_good(Sample::ENOUGH) || it.is_damaged_document()
        };
        if attempts.iter().any(is_settled) {
            break;
        }
    }
    sort(&mut attempts);
    if start.bytes.len() < sample.bytes.len() && !is_certain(&attempts, Sample::ENOUGH) {
        let most = attempts.first().map_or(0, |first| first.score.points());
        // If no candidate found anything, all of them read on, because the input may have a long preamble.
        for attempt in attempts.iter_mut().filter(|it| most <= 0 || !it.has_read || is_near(it, most)) {
            *attempt = Attempt::new(Arc::clone(&attempt.reader), sample);
        }
        sort(&mut attempts);
    }
    (attempts, errors)
}

/// Sorts attempts, best first; equal attempts stay in the order in which they were proposed.
fn sort(attempts: &mut [Attempt]) {
    attempts.sort_by_cached_key(|it| {
        let settings = it.reader.dialect().to_string().matches(',').count();
        (Reverse(it.score.points()), !it.score.is_declared, it.framing, it.score.claims == 0, settings)
    });
}

/// Returns whether a candidate has at least half of the best score.
const fn is_near(attempt: &Attempt, most: i64) -> bool {
    attempt.score.points() > 0 && 2 * attempt.score.points() >= most
}

/// Returns whether the first attempt has at least `enough` good records, no bad ones, and is declared or has no close
/// rival.
fn is_certain(attempts: &[Attempt], enough: u64) -> bool {
    let [Attempt { score, .. }, others @ ..] = attempts else { return false };
    let is_alone = || !others.iter().any(|it| !it.has_read || is_near(it, score.points()));
    score.is_good(enough) && (score.is_declared || is_alone())
}
