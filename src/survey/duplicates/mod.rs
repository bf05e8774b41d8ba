//! Finds which records of inputs are the same, exactly and in bounded memory.
//!
//! A first pass over the inputs makes a key of each record ([`Same`]) and remembers it with its number and line. The
//! finder finds the first record of each key. A second pass needs the numbers of the others, a bit for each record
//! ([`pick::dedupe`](crate::jobs::pick::dedupe)). [`Matches`] is a table of records that are the same.

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
use super::strata::{Strata, StrataDigest};
use crate::analysis::canon::Canonizer;
use crate::input::Source;
use crate::jobs::Choice;
use crate::jobs::pick::NumberSet;
use crate::pipeline::{Collect, Digest, Observer, RunOptions};
use crate::record::{Column, Label, Page, PuzzleKind, Role, Severity};
use crate::sudoku::Grid;

/// The status of a puzzle with one solution.
const UNIQUE: &str = "unique";

/// The criterion by which two records are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Same {
    /// Their puzzles have the same cells, in any symbols and layout.
    Text,
    /// Their puzzles are isomorphic.
    Puzzle,
    /// Their puzzles have one solution each, and the solutions are isomorphic.
    SolutionGrid,
}

/// The names of the criteria, and their meanings.
pub const SAME: [Choice<Same>; 3] = [
    ("text", "The same 81 cells, in any symbols or layout", Same::Text),
    ("puzzle", "Isomorphic puzzles: those with the same form in `canon`", Same::Puzzle),
    ("solution-grid", "Isomorphic solutions, among puzzles with exactly one solution", Same::SolutionGrid),
];

impl Same {
    /// The words of the variants, in order.
    const WORDS: [Label; 3] = [Self::word(0), Self::word(1), Self::word(2)];

    const fn word(at: usize) -> Label {
        Label::unsearched(SAME[at].0, SAME[at].1, Severity::Answered)
    }

    /// Returns the key of a puzzle or, for solution grids, of its solution.
    fn key(self, grid: &Grid, canonizer: &mut Canonizer) -> Key {
        match self {
            Self::Text => Key::of(grid),
            Self::Puzzle | Self::SolutionGrid => Key::of(&canonizer.minlex(grid).grid),
        }
    }

    /// Returns the grids that are compared on a page, row by row.
    fn compared<'a>(self, page: &'a Page<'_>) -> impl Fn(usize) -> Option<&'a Grid> {
        let role = if self == Self::SolutionGrid { Role::Solution } else { Role::Puzzle };
        let (grids, statuses) = (page.grids(role), page.statuses());
        let is_unique = move |row: usize| page.schema.statuses[usize::from(statuses[row])].name == UNIQUE;
        move |row| grids?.get(row).filter(|_| self != Self::SolutionGrid || is_unique(row))
    }
}

/// The records that are the same as an earlier one.
pub struct Duplicates {
    /// The numbers of these records over all inputs, from 1.
    pub numbers: NumberSet,
    /// The matches of these records with the earlier ones.
    pub matches: Matches,
}

/// The comparison of the records of inputs.
pub struct Comparison {
    same: Same,
    by: Option<Strata>,
    options: RunOptions,
    finder: Finder,
    /// The inputs that have records: the number of the first record, and the name.
    inputs: Vec<(u64, String)>,
    /// Records so far.
    pub records: u64,
    /// Records so far that cannot be compared: they cannot be read or, for solution grids, do not have one solution.
    pub uncompared: u64,
    /// The stratum of each record, if strata are distinguished.
    pub(super) strata: Vec<u64>,
}

impl Comparison {
    /// Returns a comparison of no records yet.
    #[must_use]
    pub fn new(same: Same, bounds: Bounds, options: RunOptions) -> Self {
        let (by, finder) = (None, Finder::new(bounds));
        Self { same, by, options, finder, inputs: Vec::new(), records: 0, uncompared: 0, strata: Vec::new() }
    }

    /// Returns the same comparison, which now also finds the strata of the records.
    #[must_use]
    pub fn by(self, by: Option<Strata>) -> Self {
        Self { by, ..self }
    }

    /// Reads more inputs; returns warnings. Fails if one cannot be read completely or has a puzzle that is no sudoku. Fails also
    /// if keys that do not fit into memory cannot be written, or the flag is raised.
    pub fn read(
        &mut self,
        sources: Vec<Source>,
        observer: &dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Vec<String>, PassError> {
        let (searches, by) = (self.same == Same::SolutionGrid, self.by.clone());
        let strata = by.clone().map(|by| StrataDigest { by: Some(by) });
        let digest = (KeyDigest { same: self.same, before: self.records }, strata);
        let pass = Pass { searches, by, options: self.options.clone() };
        let mut collector = KeyCollector { comparison: self, stop, trouble: None };
        let notes = pass.run(sources, digest, &mut collector, observer, stop);
        // Any trouble has raised the flag.
        collector.trouble.map_or(notes, Err)
    }

    /// Finds the duplicates: all records that are the same as an earlier one. With `known`, finds those after this
    /// number that are the same as one up to it. Fails if records that did not fit into memory cannot be written or
    /// read, or the flag is raised.
    pub fn finish(self, known: Option<u64>, stop: &AtomicBool) -> Result<Duplicates, PassError> {
        let Found { numbers, pairs } = self.finder.finish(known, stop).map_err(PassError::Spill)?;
        if stop.load(Ordering::Relaxed) {
            return Err(PassError::Interrupted);
        }
        Ok(Duplicates { numbers, matches: Matches { same: self.same, pairs, inputs: self.inputs } })
    }
}

/// The digest that makes the keys of records.
struct KeyDigest {
    same: Same,
    /// Records before the first one.
    before: u64,
}

/// The keys of a page.
#[derive(Default)]
struct KeyPart {
    /// The number of the first record and the name of the input, if an input begins here.
    begins: Option<(u64, String)>,
    rows: u64,
    records: Vec<Record>,
    /// Error for the first puzzle that is no sudoku.
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
            part.case = Some(PassError::Case { title, name: name.to_owned(), line });
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

/// The collector of the keys of records.
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
        let Comparison { finder, inputs, records, uncompared, strata, .. } = &mut *self.comparison;
        strata.append(of_page);
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
