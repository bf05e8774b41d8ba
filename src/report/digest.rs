//! Condenses a page for the report into bucket counts, short lists, and one hash per puzzle.
//!
//! All the slow work is done here, by the thread that made the page. The work left for the single collecting thread
//! grows with the number of different buckets; only the puzzle table needs every row's hash.
//!
//! Puzzles are hashed with rapidhash. It is cheap, and it gives the same hash on every machine, so equal rows give
//! equal reports.

use std::borrow::{Borrow, Cow};
use std::collections::BTreeMap;
use std::mem;
use std::ops::Range;

use super::measure::{COUNT, GUESSES, MEASURES};
use super::ranking::{Ranked, Ranking};
use super::reasons::Reasons;
use super::{Detail, LONGEST_NAME, ListedPuzzle, shortened};
use crate::analysis::canon::Canonizer;
use crate::jobs::grid_hash;
use crate::pipeline;
use crate::pipeline::distribution::{Distribution, PageNumbers};
use crate::record::{Column, Label, Page, PuzzleKind, Role};
use crate::sudoku::{CELLS, Grid};

/// The number of clue classes: 0 to 81 clues, plus one for rows whose number of clues is unknown.
pub(super) const CLUE_CLASSES: usize = CELLS + 2;
/// The class of rows whose number of clues is unknown.
pub(super) const UNKNOWN_CLUES: usize = CELLS + 1;

/// Condenses pages for a [`Collector`](super::Collector).
#[derive(Clone, Debug, Default)]
pub struct ReportDigest {
    detail: Detail,
}

/// The condensed form of a page.
#[derive(Debug, Default)]
pub struct ReportPart {
    /// The runs of rows. Each run comes from one source, but a source can have several runs.
    pub(super) runs: Vec<SourceRun>,
    /// The rows with the highest values of each measure.
    pub(super) listed: [Vec<Ranked<ListedPuzzle>>; COUNT],
    /// The rows with each value, for each category column.
    pub(super) categories: Categories,
    pub(super) reasons: Reasons,
    /// The hash of each row's puzzle.
    pub(super) hashes: Vec<Option<u64>>,
    scratch: Scratch,
}

/// The rows with each value of each category column.
pub(super) type Categories = BTreeMap<&'static str, BTreeMap<String, CategorySums>>;

/// Sums over the rows with one value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CategorySums {
    pub rows: u64,
    pub clues: u64,
    pub guesses: u64,
}

/// Consecutive rows from one source.
#[derive(Debug)]
pub(super) struct SourceRun {
    /// Name of the input, shortened.
    pub name: String,
    pub rows: Range<usize>,
    /// Number of rows with each status.
    pub statuses: Vec<u32>,
    /// The clue classes that occur.
    pub classes: Vec<ClueClass>,
}

/// The rows in a run that have the same number of clues and reached the solver.
#[derive(Debug)]
pub(super) struct ClueClass {
    /// Number of clues, or [`UNKNOWN_CLUES`].
    pub clues: usize,
    pub rows: u64,
    pub measures: [PageNumbers; COUNT],
}

/// Row counters for the current run; empty between runs.
#[derive(Debug, Default)]
struct Scratch {
    statuses: Vec<u32>,
    /// Rows and measures by number of clues; only the entries listed in `occurred` are non-empty.
    classes: Vec<(u64, [Distribution; COUNT])>,
    occurred: Vec<usize>,
}

/// A row to be counted; `G` is a grid or a reference to one.
#[derive(Clone, Debug)]
pub(super) struct CountedRow<'a, G> {
    pub source: Cow<'a, str>,
    pub line: u64,
    pub kind: PuzzleKind,
    /// Index of the status label, if the job has statuses.
    pub status: Option<u8>,
    pub clues: Option<u8>,
    /// Values of the measures.
    pub values: [Option<u64>; COUNT],
    pub puzzle: Option<G>,
    pub solution: Option<G>,
    /// The reason why there is no answer, as text; empty if there is an answer or if the reason is added separately.
    pub error: &'a [u8],
}

impl<G: Borrow<Grid>> CountedRow<'_, G> {
    /// Returns the parts of the row that the report shows.
    fn listed(&self, words: &[Label]) -> ListedPuzzle {
        let grid = self.puzzle.as_ref().map_or(&Grid::EMPTY, Borrow::borrow);
        ListedPuzzle {
            file: None,
            source: shortened(&self.source, LONGEST_NAME),
            line: self.line,
            kind: self.kind,
            status: self.status.map_or("", |status| words[usize::from(status)].name),
            clues: grid.clues() as usize,
            values: self.values,
            // For a Sudominoku, only the given numbers are known.
            puzzle: (self.kind == PuzzleKind::Sudoku).then(|| grid.to_string()),
            solution: self.solution.as_ref().map(|solution| solution.borrow().to_string()),
            given: grid.to_string(),
        }
    }
}

impl ReportDigest {
    /// Returns a digest that lists, for each page, the rows the collector may need.
    pub(super) const fn new(detail: Detail) -> Self {
        Self { detail }
    }

    /// Condenses rows; `words` holds the status labels.
    pub(super) fn digest_rows<'a, G: Borrow<Grid> + Clone>(
        &self,
        words: &[Label],
        rows: impl Iterator<Item = CountedRow<'a, G>>,
        part: &mut ReportPart,
    ) {
        part.clear();
        let mut canonizer = self.detail.isomorphs.then(Canonizer::default);
        let mut rankings = MEASURES.each_ref().map(|_| Ranking::new(self.detail.top));
        let least = |of: usize, ranking: &Ranking<_>| ranking.least().max(MEASURES[of].list_from);
        let mut listed_from: [u64; COUNT] = std::array::from_fn(|of| least(of, &rankings[of]));
        let mut source: Option<Cow<'a, str>> = None;
        for row in rows {
            if source.as_ref() != Some(&row.source) {
                source.replace(row.source.clone()).iter().for_each(|name| part.end_run(name));
                part.scratch.statuses.resize(words.len(), 0);
            }
            let hash = row.puzzle.as_ref().map(|puzzle| match &mut canonizer {
                Some(canonizer) => hash(&canonizer.minlex(puzzle.borrow()).grid, row.kind),
                None => hash(puzzle.borrow(), row.kind),
            });
            part.hashes.push(hash);
            if !row.error.is_empty() {
                part.add_reason(words, &row, &String::from_utf8_lossy(row.error));
            }
            let is_searched = part.count(words, &row);
            let Some(hash) = hash.filter(|_| is_searched) else { continue };
            for (of, value) in row.values.into_iter().enumerate() {
                if let Some(value) = value.filter(|&value| value >= listed_from[of]) {
                    rankings[of].offer(value, hash, row.clone());
                    listed_from[of] = least(of, &rankings[of]);
                }
            }
        }
        source.iter().for_each(|name| part.end_run(name));
        let listed = |Ranked { rank, hash, what: row }: Ranked<CountedRow<'_, G>>| Ranked {
            rank,
            hash,
            what: row.listed(words),
        };
        part.listed = rankings.map(|mut ranking| ranking.drain().map(listed).collect());
    }
}

impl pipeline::Digest for ReportDigest {
    type Part = ReportPart;

    fn digest(&self, page: &Page<'_>, part: &mut ReportPart) {
        if page.of.is_some() {
            return page.with_firsts(|page| self.digest(page, part));
        }
        let (words, row) = (page.schema.statuses, rows_of(page));
        self.digest_rows(words, (0..page.rows).map(&row), part);
        part.count_categories(page, &row);
        if let Some(Column::Faults(faults)) = page.column(Role::Error) {
            faults.iter().for_each(|(at, fault)| part.add_reason(words, &row(at), &fault.to_string()));
        }
    }
}

/// Returns a function that returns the rows of a page. Columns that the job lacks are left empty.
fn rows_of<'a>(page: &Page<'a>) -> impl Fn(usize) -> CountedRow<'a, &'a Grid> + use<'a> {
    let statuses = page.statuses();
    let [lines, clues] = [Role::Line, Role::Clues].map(|role| page.numbers(role));
    let [sources, kinds] = [Role::Source, Role::Kind].map(|role| page.column(role));
    let [puzzles, solutions] = [Role::Puzzle, Role::Solution].map(|role| page.grids(role));
    let measures = MEASURES.each_ref().map(|measure| page.numbers(measure.role));
    move |row| CountedRow {
        source: Cow::Borrowed(match sources {
            Some(Column::Same(name)) => name,
            Some(Column::Names(names, texts)) => &texts[names[row] as usize],
            _ => "",
        }),
        line: lines.get(row).unwrap_or(0),
        kind: match kinds {
            Some(Column::Words(kinds, _)) => PuzzleKind::ALL[usize::from(kinds[row])],
            _ => PuzzleKind::Sudoku,
        },
        status: statuses.get(row).copied(),
        clues: clues.get(row).map(|clues| clues as u8),
        values: measures.map(|column| column.get(row)),
        puzzle: puzzles.and_then(|puzzles| puzzles.get(row)),
        solution: solutions.and_then(|solutions| solutions.get(row)),
        error: &[],
    }
}

/// Returns the hash used to find equal puzzles. It is the same in every run and on every machine, so equal rows give
/// equal reports.
///
/// For other kinds of puzzle, only the clues are known, and the puzzle differs from a sudoku with the same clues.
#[inline]
fn hash(puzzle: &Grid, kind: PuzzleKind) -> u64 {
    grid_hash(puzzle) ^ u64::from(kind as u8).wrapping_neg()
}

impl ReportPart {
    fn clear(&mut self) {
        self.runs.clear();
        self.hashes.clear();
        self.listed.iter_mut().for_each(Vec::clear);
        self.categories.clear();
        self.reasons.drain().for_each(drop);
        self.scratch.classes.resize_with(CLUE_CLASSES, Default::default);
    }

    /// Counts a row, and returns whether it reached the solver.
    fn count<G>(&mut self, words: &[Label], row: &CountedRow<'_, G>) -> bool {
        let Scratch { statuses, classes, occurred } = &mut self.scratch;
        let Some(status) = row.status.map(usize::from) else { return false };
        statuses[status] += 1;
        if !words[status].searched || row.values == [None; COUNT] {
            return false;
        }
        let clues = row.clues.map_or(UNKNOWN_CLUES, |clues| usize::from(clues).min(CELLS));
        let (count, counts) = &mut classes[clues];
        if *count == 0 {
            occurred.push(clues);
        }
        *count += 1;
        for (counts, value) in counts.iter_mut().zip(row.values) {
            value.into_iter().for_each(|value| counts.add(value));
        }
        true
    }

    /// Ends a run: records the counts of the source's rows since the previous run.
    fn end_run(&mut self, name: &str) {
        let rows = self.runs.last().map_or(0, |run| run.rows.end)..self.hashes.len();
        let Scratch { statuses, classes, occurred } = &mut self.scratch;
        let of_class = |clues: usize| {
            let (rows, counts) = &mut classes[clues];
            let measures = counts.each_mut().map(Distribution::drain);
            ClueClass { clues, rows: mem::take(rows), measures }
        };
        let classes = occurred.drain(..).map(of_class).collect();
        let (name, statuses) = (shortened(name, LONGEST_NAME), mem::take(statuses));
        self.runs.push(SourceRun { name, rows, statuses, classes });
    }

    fn count_categories<'a>(&mut self, page: &Page<'_>, row: &impl Fn(usize) -> CountedRow<'a, &'a Grid>) {
        for (field, column) in page.schema.fields.iter().zip(&page.columns) {
            let (Role::Category, Column::Texts(texts)) = (field.role, column) else { continue };
            let counted = self.categories.entry(field.name).or_default();
            for at in 0..page.rows {
                let Some(value) = texts.get(at).and_then(|text| std::str::from_utf8(text).ok()) else {
                    continue;
                };
                if !counted.contains_key(value) {
                    counted.insert(value.to_owned(), CategorySums::default());
                }
                let (Some(sums), row) = (counted.get_mut(value), row(at)) else { continue };
                sums.rows += 1;
                sums.clues += u64::from(row.clues.unwrap_or(0));
                sums.guesses += row.values[GUESSES].unwrap_or(0);
            }
        }
    }

    /// Adds the reason why a row has no answer.
    fn add_reason<G>(&mut self, words: &[Label], row: &CountedRow<'_, G>, text: &str) {
        let Some(status) = row.status else { return };
        self.reasons.add(words[usize::from(status)].name, text, |place| {
            let source = shortened(&row.source, LONGEST_NAME);
            match place {
                Some((line, column)) => format!("{source}:{line}:{column}"),
                None => format!("{source}:{}", row.line),
            }
        });
    }
}
