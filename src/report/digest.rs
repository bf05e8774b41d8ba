//! A page condensed for the report: bins with counts, short lists, and a hash for each puzzle.
//!
//! Everything slow is done here, by the thread that made the page. The work left for the one collecting thread grows
//! with the bins that occur. Only the table of puzzles asks for the hash of each row.
//!
//! Puzzles are hashed by rapidhash. It is cheap, and the same on every machine, so that equal rows give equal reports.

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
use crate::record::{Column, GridColumn, Label, NumberColumn, Page, PuzzleKind, Role};
use crate::sudoku::{CELLS, Grid};

/// The number of classes of clues: 0 to 81, and one more for rows that do not know their number of clues.
pub(super) const CLUE_CLASSES: usize = CELLS + 2;
/// The class of rows that do not know their number of clues.
pub(super) const UNKNOWN_CLUES: usize = CELLS + 1;

/// Condenses pages for a [`Collector`](super::Collector).
#[derive(Clone, Debug)]
pub struct ReportDigest {
    detail: Detail,
}

/// The digest of a page.
#[derive(Debug, Default)]
pub struct ReportPart {
    pub(super) rows: u64,
    /// The rows by source: each run is from one source, and a source may have several.
    pub(super) runs: Vec<SourceRun>,
    /// The rows with the highest values of each measure.
    pub(super) listed: [Vec<Ranked<ListedPuzzle>>; COUNT],
    /// The rows with each value, for each column of categories.
    pub(super) categories: Categories,
    pub(super) reasons: Reasons,
    /// The hash of each row's puzzle.
    pub(super) hashes: Vec<Option<u64>>,
    scratch: Scratch,
}

/// The rows with each value of each column of categories.
pub(super) type Categories = BTreeMap<&'static str, BTreeMap<String, CategorySums>>;

/// The sums over the rows with one value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CategorySums {
    pub rows: u64,
    pub clues: u64,
    pub guesses: u64,
}

/// The consecutive rows of one source.
#[derive(Debug)]
pub(super) struct SourceRun {
    /// Name of the input, shortened.
    pub name: String,
    pub rows: Range<usize>,
    /// Rows with each status.
    pub statuses: Vec<u32>,
    /// The numbers of clues that occur.
    pub classes: Vec<ClueClass>,
}

/// The rows of a run with one number of clues that reached the solver.
#[derive(Debug)]
pub(super) struct ClueClass {
    /// Number of clues, or [`UNKNOWN_CLUES`].
    pub clues: usize,
    pub rows: u64,
    pub measures: [PageNumbers; COUNT],
}

/// The counters of rows before the values that occurred are written down; empty between runs.
#[derive(Debug, Default)]
struct Scratch {
    statuses: Vec<u32>,
    /// Rows and measures by number of clues; those of `occurred` are not empty.
    classes: Vec<(u64, [Distribution; COUNT])>,
    occurred: Vec<usize>,
}

/// The columns of a page that are counted. Those that the job does not have are empty.
struct Figures<'a> {
    words: &'static [Label],
    statuses: &'a [u8],
    kinds: &'a [u8],
    puzzles: Option<GridColumn<'a>>,
    clues: (&'a [u8], &'a [bool]),
    measures: [NumberColumn<'a>; COUNT],
}

impl ReportDigest {
    /// Returns a digest whose pages have the rows that the collector lists.
    #[must_use]
    pub const fn new(detail: Detail) -> Self {
        Self { detail }
    }
}

impl pipeline::Digest for ReportDigest {
    type Part = ReportPart;

    fn digest(&self, page: &Page<'_>, part: &mut ReportPart) {
        if page.of.is_some() {
            return page.with_firsts(|page| self.digest(page, part));
        }
        part.clear();
        part.rows = page.rows as u64;
        let figures = Figures::of(page);
        part.hashes.extend(figures.hashes(page.rows, self.detail.isomorphs));
        let mut rankings = MEASURES.each_ref().map(|_| Ranking::new(self.detail.top));
        each_run(page, |name, rows| {
            part.count(&figures, rows.clone(), &mut rankings);
            part.end_run(name, rows);
        });
        part.count_categories(page, &figures);
        let listed =
            |Ranked { rank, hash, what: row }| Ranked { rank, hash, what: figures.listed_row(page, row) };
        part.listed = rankings.map(|mut ranking| ranking.drain().map(listed).collect());
        part.add_reasons(page, &figures);
    }
}

/// Calls `each` with the name and the rows of each run of one source.
fn each_run<'a>(page: &Page<'a>, mut each: impl FnMut(&'a str, Range<usize>)) {
    match page.column(Role::Source) {
        _ if page.rows == 0 => {}
        Some(Column::Names(names, texts)) => {
            let mut start = 0;
            for run in names[..page.rows].chunk_by(|a, b| a == b) {
                each(&texts[run[0] as usize], start..start + run.len());
                start += run.len();
            }
        }
        Some(Column::Same(name)) => each(name, 0..page.rows),
        _ => each("", 0..page.rows),
    }
}

impl<'a> Figures<'a> {
    fn of(page: &Page<'a>) -> Self {
        let clues = match page.column(Role::Clues) {
            Some(Column::SmallNumbers(clues, given)) => (&clues[..page.rows], &given[..page.rows]),
            _ => (&[][..], &[][..]),
        };
        let kinds = match page.column(Role::Kind) {
            Some(Column::Words(kinds, _)) => kinds,
            _ => &[],
        };
        let statuses = page.statuses();
        Self {
            words: page.schema.statuses,
            statuses: &statuses[..statuses.len().min(page.rows)],
            kinds,
            puzzles: page.grids(Role::Puzzle),
            clues,
            measures: MEASURES.each_ref().map(|measure| page.numbers(measure.role)),
        }
    }

    /// Returns the values measured for a row.
    fn values(&self, row: usize) -> [Option<u64>; COUNT] {
        self.measures.map(|column| column.get(row))
    }

    /// Returns the kind of puzzle of a row.
    fn kind(&self, row: usize) -> PuzzleKind {
        let is_sudoku = self.kinds.get(row).is_none_or(|&kind| kind == PuzzleKind::Sudoku as u8);
        if is_sudoku { PuzzleKind::Sudoku } else { PuzzleKind::Sudominoku }
    }

    /// Returns the hashes of the puzzles of all rows. If isomorphs count as one puzzle, they have one hash.
    fn hashes(&self, rows: usize, isomorphs: bool) -> impl Iterator<Item = Option<u64>> {
        let mut canonizer = isomorphs.then(Canonizer::default);
        (0..rows).map(move |row| {
            let (puzzle, kind) = (self.puzzles?.get(row)?, self.kind(row));
            Some(match &mut canonizer {
                Some(canonizer) => hash(&canonizer.minlex(puzzle).grid, kind),
                None => hash(puzzle, kind),
            })
        })
    }

    /// Returns the parts of a row that are shown.
    fn listed_row(&self, page: &Page<'_>, row: usize) -> ListedPuzzle {
        let (kind, (_, source, line)) = (self.kind(row), page.origin(row));
        let grid = self.puzzles.and_then(|puzzles| puzzles.get(row)).unwrap_or(&Grid::EMPTY);
        let solution = page.grids(Role::Solution).and_then(|solutions| solutions.get(row));
        ListedPuzzle {
            file: None,
            source: shortened(source, LONGEST_NAME),
            line,
            kind,
            status: self.words[usize::from(self.statuses[row])].name,
            clues: grid.clues() as usize,
            values: self.values(row),
            // Of a Sudominoku only the given numbers are known.
            puzzle: (kind == PuzzleKind::Sudoku).then(|| grid.to_string()),
            solution: solution.map(Grid::to_string),
            given: grid.to_string(),
        }
    }
}

/// Returns the hash by which equal puzzles are found. It is the same in every run and on every machine, so that equal
/// rows give equal reports.
///
/// Of other kinds only the clues are known, which are another puzzle than the same clues of a sudoku.
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

    /// Counts the rows of a run.
    fn count(&mut self, figures: &Figures<'_>, rows: Range<usize>, rankings: &mut [Ranking<usize>; COUNT]) {
        let Scratch { statuses, classes, occurred } = &mut self.scratch;
        statuses.resize(figures.words.len(), 0);
        let least = |of: usize, ranking: &Ranking<usize>| ranking.least().max(MEASURES[of].list_from);
        let mut listed_from: [u64; COUNT] = std::array::from_fn(|of| least(of, &rankings[of]));
        for row in rows {
            let Some(&status) = figures.statuses.get(row) else { return };
            statuses[usize::from(status)] += 1;
            let values = figures.values(row);
            if !figures.words[usize::from(status)].searched || values == [None; COUNT] {
                continue;
            }
            let clues = match figures.clues.1.get(row) {
                Some(true) => usize::from(figures.clues.0[row]).min(CELLS),
                _ => UNKNOWN_CLUES,
            };
            let (count, counts) = &mut classes[clues];
            if *count == 0 {
                occurred.push(clues);
            }
            *count += 1;
            for (of, &value) in values.iter().enumerate() {
                let Some(value) = value else { continue };
                counts[of].add(value);
                if value >= listed_from[of]
                    && let Some(hash) = self.hashes[row]
                {
                    rankings[of].offer(value, hash, row);
                    listed_from[of] = least(of, &rankings[of]);
                }
            }
        }
    }

    /// Writes down what was counted of a run.
    fn end_run(&mut self, name: &str, rows: Range<usize>) {
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

    fn count_categories(&mut self, page: &Page<'_>, figures: &Figures<'_>) {
        for (field, column) in page.schema.fields.iter().zip(&page.columns) {
            let (Role::Category, Column::Texts(texts)) = (field.role, column) else { continue };
            let counted = self.categories.entry(field.name).or_default();
            for row in 0..page.rows {
                let Some(value) = texts.get(row).and_then(|text| std::str::from_utf8(text).ok()) else {
                    continue;
                };
                if !counted.contains_key(value) {
                    counted.insert(value.to_owned(), CategorySums::default());
                }
                let Some(sums) = counted.get_mut(value) else { continue };
                sums.rows += 1;
                sums.clues += figures.clues.0.get(row).map_or(0, |&clues| clues.into());
                sums.guesses += figures.values(row)[GUESSES].unwrap_or(0);
            }
        }
    }

    fn add_reasons(&mut self, page: &Page<'_>, figures: &Figures<'_>) {
        let mut add = |row: usize, text: &str| {
            let Some(&status) = figures.statuses.get(row) else { return };
            self.reasons.add(figures.words[usize::from(status)].name, text, |place| {
                let (_, source, line) = page.origin(row);
                let source = shortened(source, LONGEST_NAME);
                match place {
                    Some((line, column)) => format!("{source}:{line}:{column}"),
                    None => format!("{source}:{line}"),
                }
            });
        };
        match page.column(Role::Error) {
            Some(Column::Faults(faults)) => {
                faults.iter().for_each(|(row, fault)| add(row, &fault.to_string()))
            }
            // Results that were read back are texts.
            Some(Column::Texts(texts)) => {
                let text = |row| texts.get(row).filter(|text| !text.is_empty()).map(String::from_utf8_lossy);
                (0..page.rows)
                    .filter_map(|row| Some((row, text(row)?)))
                    .for_each(|(row, text)| add(row, &text));
            }
            _ => {}
        }
    }
}
