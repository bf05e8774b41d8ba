//! Finds input records that are the same, exactly and in bounded memory.
//!
//! A first pass over the inputs makes a key for each record ([`Same`]) and stores it with the record's number and line.
//! The finder finds the first record with each key. A second pass needs only a bit per record that marks the duplicates
//! ([`pick::dedupe`](crate::jobs::pick::dedupe)). A table of the duplicates and the records they match is available as
//! [`Matches`].

mod finder;
mod key;
mod matches;
mod partitions;

use std::sync::atomic::{AtomicBool, Ordering};

pub use finder::Bounds;
use finder::{Finder, Found};
use key::{Key, Record};
pub use matches::Matches;

use super::pass::{Pass, PassError};
use super::strata::Strata;
use crate::analysis::canon::Canonizer;
use crate::input::Source;
use crate::jobs::Choice;
use crate::jobs::pick::NumberSet;
use crate::pipeline::{Collect, Digest, Observer, RunOptions};
use crate::record::{Column, Label, Page, PuzzleKind, Role, Severity};
use crate::sudoku::Grid;

/// The status of a puzzle that has exactly one solution.
const UNIQUE: &str = "unique";

/// A criterion for when two records count as the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Same {
    /// The puzzles have the same cells, whatever the symbols and layout.
    Text,
    /// The puzzles are isomorphic.
    Puzzle,
    /// Each puzzle has exactly one solution, and the solutions are isomorphic.
    SolutionGrid,
}

/// The names of the criteria and what they mean.
pub const SAME: [Choice<Same>; 3] = [
    ("text", "The same 81 cells, in any symbols or layout", Same::Text),
    ("puzzle", "Isomorphic puzzles: those with the same form in `canon`", Same::Puzzle),
    ("solution-grid", "Isomorphic solutions, among puzzles with exactly one solution", Same::SolutionGrid),
];

impl Same {
    /// The labels of the variants, in order.
    const WORDS: [Label; 3] = [Self::word(0), Self::word(1), Self::word(2)];

    const fn word(at: usize) -> Label {
        Label::unsearched(SAME[at].0, SAME[at].1, Severity::Answered)
    }

    /// Returns the key of a puzzle or, when solution grids are compared, of its solution.
    fn key(self, grid: &Grid, canonizer: &mut Canonizer) -> Key {
        match self {
            Self::Text => Key::of(grid),
            Self::Puzzle | Self::SolutionGrid => Key::of(&canonizer.minlex(grid).grid),
        }
    }

    /// Returns a function that returns the grid to compare for each row of a page.
    fn compared<'a>(self, page: &'a Page<'_>) -> impl Fn(usize) -> Option<&'a Grid> {
        let role = if self == Self::SolutionGrid { Role::Solution } else { Role::Puzzle };
        let (grids, statuses) = (page.grids(role), page.statuses());
        let is_unique = move |row: usize| page.schema.statuses[usize::from(statuses[row])].name == UNIQUE;
        move |row| grids?.get(row).filter(|_| self != Self::SolutionGrid || is_unique(row))
    }
}

/// The records that count as the same as an earlier one.
pub struct Duplicates {
    /// The numbers of these records across all inputs, counted from 1.
    pub numbers: NumberSet,
    /// Each of these records, paired with the first record it matches.
    pub matches: Matches,
}

/// A comparison of input records.
pub struct Comparison {
    same: Same,
    by: Strata,
    options: RunOptions,
    finder: Finder,
    /// The inputs that have records, each as the number of its first record and its name.
    inputs: Vec<(u64, String)>,
    /// Number of records so far.
    pub records: u64,
    /// Number of records so far that cannot be compared, because they are unreadable or, for solution grids, do not
    /// have exactly one solution.
    pub uncompared: u64,
    /// The stratum of each record, if there are several strata.
    pub(super) strata: Vec<u64>,
}

impl Comparison {
    /// Returns a comparison with no records yet.
    #[must_use]
    pub fn new(same: Same, by: Strata, bounds: Bounds, options: RunOptions) -> Self {
        let finder = Finder::new(bounds);
        Self { same, by, options, finder, inputs: Vec::new(), records: 0, uncompared: 0, strata: Vec::new() }
    }

    /// Reads more inputs and returns warnings. Fails if an input cannot be read to the end or contains a puzzle that is
    /// not a sudoku. Also fails if keys that do not fit into memory cannot be written, or if the flag is raised.
    pub fn read(
        &mut self,
        sources: Vec<Source>,
        observer: &dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Vec<String>, PassError> {
        let (searches, by) = (self.same == Same::SolutionGrid, self.by.clone());
        let digest = (KeyDigest { same: self.same, before: self.records }, by.clone());
        let pass = Pass { searches, by, options: self.options.clone() };
        let mut collector = KeyCollector { comparison: self, stop, trouble: None };
        let notes = pass.run(sources, digest, &mut collector, observer, stop);
        // The collector keeps any error that made it raise the flag.
        collector.trouble.map_or(notes, Err)
    }

    /// Finds the duplicates: all records that are the same as an earlier one. If `known` is given, finds the records
    /// after that number that are the same as a record up to that number. Fails if records that did not fit into memory
    /// cannot be written or read, or if the flag is raised.
    pub fn finish(self, known: Option<u64>, stop: &AtomicBool) -> Result<Duplicates, PassError> {
        let Found { numbers, pairs } = self.finder.finish(known, stop).map_err(PassError::Spill)?;
        if stop.load(Ordering::Relaxed) {
            return Err(PassError::Interrupted);
        }
        Ok(Duplicates { numbers, matches: Matches { same: self.same, pairs, inputs: self.inputs } })
    }
}

/// A digest that makes keys for records.
struct KeyDigest {
    same: Same,
    /// Number of records before the first one.
    before: u64,
}

/// The keys of a page.
#[derive(Default)]
struct KeyPart {
    /// The number of the first record and the name of the input, if this page starts an input.
    begins: Option<(u64, String)>,
    rows: u64,
    records: Vec<Record>,
    /// The error for the first puzzle that is not a sudoku.
    case: Option<PassError>,
}

impl Digest for KeyDigest {
    type Part = KeyPart;

    fn digest(&self, page: &Page<'_>, part: &mut KeyPart) {
        *part = KeyPart {
            records: std::mem::take(&mut part.records),
            rows: page.rows as u64,
            ..KeyPart::default()
        };
        part.records.clear();
        let (first, name, _) = page.origin(0);
        if page.first_number == 1 && page.rows > 0 {
            part.begins = Some((self.before + first, name.to_owned()));
        }
        if let Some(Column::Words(kinds, _)) = page.column(Role::Kind)
            && let Some(row) = kinds[..page.rows].iter().position(|&kind| kind != PuzzleKind::Sudoku as u8)
        {
            let (_, name, line) = page.origin(row);
            let title = PuzzleKind::ALL[usize::from(kinds[row])].facts().title;
            part.case = Some(PassError::Case(name.to_owned(), line, title));
        }
        let (compared, lines) = (self.same.compared(page), page.numbers(Role::Line));
        let mut canonizer = Canonizer::default();
        for row in 0..page.rows {
            if let (Some(grid), Some(line)) = (compared(row), lines.get(row)) {
                let number = self.before + first + row as u64;
                part.records.push(Record::new(self.same.key(grid, &mut canonizer), number, line));
            }
        }
    }
}

/// Collects the keys of records.
struct KeyCollector<'a> {
    comparison: &'a mut Comparison,
    stop: &'a AtomicBool,
    /// The reason why the run was stopped.
    trouble: Option<PassError>,
}

impl Collect<(KeyPart, Vec<u64>)> for KeyCollector<'_> {
    fn take(&mut self, (part, of_page): &mut (KeyPart, Vec<u64>)) {
        if self.trouble.is_some() {
            return;
        }
        let Comparison { by, finder, inputs, records, uncompared, strata, .. } = &mut *self.comparison;
        if *by != Strata::One {
            strata.append(of_page);
        }
        inputs.extend(part.begins.take());
        *records += part.rows;
        *uncompared += part.rows - part.records.len() as u64;
        let pushed = part.records.iter().try_for_each(|&record| finder.push(record));
        self.trouble = part.case.take().or(pushed.err().map(PassError::Spill));
        if self.trouble.is_some() {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}
