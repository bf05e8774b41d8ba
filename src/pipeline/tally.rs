//! The statistics of every run: rows by status, times, the hardest puzzles, the first bad records.

use std::collections::BTreeMap;
use std::mem;

use serde::Serialize;

use super::distribution::Distribution;
use super::{Collect, Digest};
use crate::analysis::rating::Grade;
use crate::jobs::measures::Measure;
use crate::record::{Column, Fault, Field, Label, Page, Role, Schema, Severity, Texts};

/// The number of rows in each short list.
const LISTED: usize = 5;

/// A puzzle that needed many guesses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HardPuzzle {
    /// The number of the record, counted across all inputs from 1.
    pub id: u64,
    /// The name of the input.
    pub source: String,
    /// The line on which the record starts.
    pub line: u64,
    /// The status of the puzzle.
    pub status: &'static str,
    /// The number of branch nodes that the solver opened.
    pub guesses: u64,
    /// The time that the solver spent on the puzzle, in nanoseconds.
    pub time_ns: u64,
    /// The rating of the puzzle, if the run rates puzzles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<String>,
}

impl HardPuzzle {
    /// Returns the difficulty of the puzzle: its rating, if any, then its guesses.
    fn level(&self) -> (u64, u64) {
        level(self.rating.as_deref(), self.guesses)
    }
}

/// Inserts a puzzle into a short list. It goes after puzzles of equal difficulty because rows arrive in order.
fn list_hard(hardest: &mut Vec<HardPuzzle>, puzzle: HardPuzzle) {
    let at = hardest.partition_point(|other| other.level() >= puzzle.level());
    if at < LISTED {
        hardest.insert(at, puzzle);
        hardest.truncate(LISTED);
    }
}

fn level(rating: Option<&str>, guesses: u64) -> (u64, u64) {
    (rating.map_or(0, |rating| Measure::Se.rank(rating)), guesses)
}

/// Finds the column of a measure, if the run rates puzzles.
fn category<'a>(page: &Page<'a>, measure: Measure) -> Option<&'a Texts> {
    let is_it = |field: &Field| field.name == measure.name() && field.role == Role::Category;
    let at = page.schema.fields.iter().position(is_it)?;
    match page.columns[at] {
        Column::Texts(texts) => Some(texts),
        _ => None,
    }
}

fn text_at(texts: Option<&Texts>, row: usize) -> Option<&str> {
    texts?.get(row).and_then(|text| str::from_utf8(text).ok())
}

/// A record that could not be read or whose clues clash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BadRecord {
    /// The number of the record, counted across all inputs from 1.
    pub id: u64,
    /// The name of the input.
    pub source: String,
    /// The line on which the record starts.
    pub line: u64,
    /// The fault of the record.
    #[serde(rename = "error")]
    pub fault: Fault,
}

/// A digest that condenses pages for a [`Tally`].
#[derive(Clone, Copy, Debug)]
pub struct TallyDigest;

impl Digest for TallyDigest {
    type Part = Tally;

    fn digest(&self, page: &Page<'_>, part: &mut Tally) {
        let mut times = mem::take(&mut part.times);
        times.clear();
        *part = Tally { times, records: page.records(), ..Tally::new(page.schema) };
        let written = (0..page.rows).filter(|&row| page.keeps(row));
        part.written = written.clone().count() as u64;
        for column in page.columns.iter().skip(page.schema.fields.len()) {
            if let Column::Texts(texts) = column {
                let written = written.clone().filter_map(|row| texts.get(row));
                part.not_utf8 += written.filter(|text| str::from_utf8(text).is_err()).count() as u64;
            }
        }

        let words = page.schema.statuses;
        let (guesses, times) = (page.numbers(Role::Guesses), page.numbers(Role::Time));
        let [ratings, grades] = [Measure::Se, Measure::Grade].map(|measure| category(page, measure));
        part.grades.resize(if grades.is_some() { Grade::all().count() } else { 0 }, 0);
        // The lowest difficulty that can still enter the lists. The lists are short, so most rows fall below it.
        let mut bar = (0, 0);
        for (row, &status) in page.statuses().iter().take(page.rows).enumerate() {
            let word = &words[usize::from(status)];
            if !page.is_first(row) {
                part.counts[usize::from(status)] += u64::from(word.severity == Severity::Defect);
                continue;
            }
            part.counts[usize::from(status)] += 1;
            if word.searched
                && let Some(guesses) = guesses.get(row)
            {
                let time_ns = times.get(row).unwrap_or(0);
                part.guesses += guesses;
                part.times.add(time_ns);
                let grade =
                    text_at(grades, row).and_then(|grade| usize::try_from(Measure::Grade.rank(grade)).ok());
                if let Some(count) = grade.and_then(|grade| part.grades.get_mut(grade)) {
                    *count += 1;
                }
                let rating = text_at(ratings, row);
                let is_listed = ratings.is_none() || rating.is_some();
                if is_listed && (part.hardest.len() < LISTED || level(rating, guesses) > bar) {
                    let (id, source, line) = page.origin(row);
                    let (source, rating) = (source.to_owned(), rating.map(str::to_owned));
                    let status = word.name;
                    let puzzle = HardPuzzle { id, source, line, status, guesses, time_ns, rating };
                    list_hard(&mut part.hardest, puzzle);
                    bar = part.hardest.last().map_or((0, 0), HardPuzzle::level);
                }
            } else if word.severity == Severity::BadRecord && part.first_bad.len() < LISTED {
                part.list_bad(page, row);
            }
        }
    }
}

/// The statistics of a run, or of one page of a run.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The total number of records.
    pub records: u64,
    /// The number of records answered by an earlier run, whose times and guesses are unknown.
    pub earlier: u64,
    /// The number of rows written, which is less than the total if only some statuses are wanted.
    pub written: u64,
    /// The total number of branch nodes opened for all puzzles.
    pub guesses: u64,
    /// The distribution of the time that the solver spent on each puzzle, in nanoseconds.
    pub times: Distribution,
    /// The number of puzzles with each grade, from easy to hard, excluding those of an earlier run; empty if there are
    /// no grades.
    pub grades: Vec<u64>,
    /// The five hardest rows, first by rating (if the run rates puzzles), then by guesses. Ties are listed in row
    /// order.
    pub hardest: Vec<HardPuzzle>,
    /// The first five bad records.
    pub first_bad: Vec<BadRecord>,
    /// The number of written texts that are not valid UTF-8.
    pub not_utf8: u64,
    statuses: &'static [Label],
    counts: Vec<u64>,
}

impl Tally {
    /// Returns the statistics of an empty set of rows.
    #[must_use]
    pub fn new(schema: &Schema) -> Self {
        Self { statuses: schema.statuses, counts: vec![0; schema.statuses.len()], ..Self::default() }
    }

    #[cold]
    fn list_bad(&mut self, page: &Page<'_>, row: usize) {
        let (id, source, line) = page.origin(row);
        if let Some(Column::Faults(faults)) = page.column(Role::Error)
            && let Some(fault) = faults.get(row)
        {
            self.first_bad.push(BadRecord { id, source: source.to_owned(), line, fault: fault.clone() });
        }
    }

    /// Adds the rows of the earlier run that this run resumes, by status. Their times and guesses are unknown.
    pub fn add_earlier(&mut self, records: u64, written: u64, counts: &BTreeMap<String, u64>) {
        self.records += records;
        self.earlier += records;
        self.written += written;
        for (word, count) in self.statuses.iter().zip(&mut self.counts) {
            *count += counts.get(word.name).copied().unwrap_or(0);
        }
    }

    /// Returns the number of rows with each status, in the order of the job's labels.
    pub fn statuses(&self) -> impl Iterator<Item = (&'static Label, u64)> {
        self.statuses.iter().zip(self.counts.iter().copied())
    }

    /// Returns the number of rows with this severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> u64 {
        self.statuses().filter(|(word, _)| word.severity == severity).map(|(_, count)| count).sum()
    }
}

impl Collect<Tally> for Tally {
    fn take(&mut self, part: &mut Tally) {
        self.records += part.records;
        self.written += part.written;
        self.not_utf8 += part.not_utf8;
        self.guesses += part.guesses;
        self.counts.iter_mut().zip(&part.counts).for_each(|(count, more)| *count += more);
        self.times.merge(&part.times);
        self.grades.resize(part.grades.len().max(self.grades.len()), 0);
        self.grades.iter_mut().zip(&part.grades).for_each(|(count, more)| *count += more);
        part.hardest.drain(..).for_each(|puzzle| list_hard(&mut self.hardest, puzzle));
        let room = LISTED.saturating_sub(self.first_bad.len());
        self.first_bad.extend(part.first_bad.drain(..).take(room));
    }
}
