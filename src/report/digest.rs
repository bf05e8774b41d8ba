//! A page condensed for the report: bins with counts, short lists, and a hash for each puzzle.
//!
//! Everything slow is done here, by the thread that made the page. The work left for the one collecting thread grows
//! with the bins that occur. Only the table of puzzles asks for the hash of each row.
//!
//! Puzzles are hashed by rapidhash. It is cheap, and the same on every machine, so that equal rows give equal reports.

use std::collections::BTreeMap;
use std::ops::Range;

use super::bins::{Axes, axes};
use super::measure::{COUNT, GUESSES, MEASURES, TIME};
use super::ranking::{Ranked, Ranking};
use super::reasons::Reasons;
use super::{Detail, LONGEST_NAME, ListedPuzzle, shortened};
use crate::analysis::canon::Canonizer;
use crate::jobs::grid_hash;
use crate::pipeline;
use crate::pipeline::distribution::{BucketCount, Distribution, Totals};
use crate::record::{Column, Label, NumberColumn, Page, PuzzleKind, Role};
use crate::sudoku::{CELLS, Grid};

/// The number of classes of clues: 0 to 81, and one more for rows that do not know their number of clues.
pub(super) const CLUE_CLASSES: usize = CELLS + 2;
/// The class of rows that do not know their number of clues.
pub(super) const UNKNOWN_CLUES: usize = CELLS + 1;

/// Condenses pages for a [`Collector`](super::Collector).
#[derive(Clone, Debug)]
pub struct ReportDigest {
    detail: Detail,
    axes: Axes,
}

/// The digest of a page.
#[derive(Debug, Default)]
pub struct ReportPart {
    pub(super) rows: u64,
    /// The rows by source: each run is from one source, and a source may have several.
    pub(super) runs: Vec<SourceRun>,
    /// Rows with each status, run by run.
    pub(super) statuses: Vec<u32>,
    /// The numbers of clues that occur, run by run.
    pub(super) classes: Vec<ClueClass>,
    /// Buckets of each measure, class by class.
    pub(super) buckets: Vec<BucketCount>,
    /// Rows by bin of each measure.
    pub(super) bins: [Vec<BucketCount>; COUNT],
    /// Rows by bin of time and bin of guesses.
    pub(super) joint: Vec<BucketCount>,
    /// The rows with the highest values of each measure.
    pub(super) listed: [Vec<Ranked<ListedPuzzle>>; COUNT],
    /// The rows with each value, for each column of categories.
    pub(super) categories: Categories,
    pub(super) reasons: Reasons,
    pub(super) puzzles: PagePuzzles,
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
    /// Rows with a puzzle.
    pub puzzles: u64,
    /// The range of the classes of this run.
    pub classes: Range<usize>,
}

/// The rows of a run with one number of clues that reached the solver.
#[derive(Debug)]
pub(super) struct ClueClass {
    /// Number of clues, or [`UNKNOWN_CLUES`].
    pub clues: usize,
    pub rows: u64,
    /// The range of the buckets of each measure.
    pub buckets: [Range<usize>; COUNT],
    pub totals: [Totals; COUNT],
}

/// The puzzles of a page, row by row, to be looked up in the table of earlier ones.
#[derive(Debug, Default)]
pub(super) struct PagePuzzles {
    /// Whether the row has a puzzle.
    pub given: Vec<bool>,
    pub hashes: Vec<u64>,
    pub grids: Vec<Grid>,
    pub kinds: Vec<u8>,
    pub lines: Vec<u64>,
}

/// The counters of rows before the values that occurred are written down; empty between runs.
#[derive(Debug, Default)]
struct Scratch {
    statuses: Vec<u32>,
    /// Rows and measures by number of clues; those of `occurred` are not empty.
    classes: Vec<(u64, [Distribution; COUNT])>,
    occurred: Vec<usize>,
    /// As [`ReportPart::bins`], with a place for every bin.
    bins: [Vec<u32>; COUNT],
    /// As [`ReportPart::joint`], with a place for every pair.
    joint: Vec<u32>,
    joint_occurred: Vec<u16>,
}

/// The columns of a page that are counted. Those that the job does not have are empty.
struct Figures<'a> {
    words: &'static [Label],
    statuses: &'a [u8],
    clues: (&'a [u8], &'a [bool]),
    measures: [NumberColumn<'a>; COUNT],
}

impl ReportDigest {
    /// Returns a digest whose pages have the rows that the collector lists.
    #[must_use]
    pub fn new(detail: Detail) -> Self {
        Self { detail, axes: axes() }
    }
}

impl pipeline::Digest for ReportDigest {
    type Part = ReportPart;

    fn digest(&self, page: &Page<'_>, part: &mut ReportPart) {
        if page.of.is_some() {
            return page.with_firsts(|page| self.digest(page, part));
        }
        part.clear(&self.axes);
        part.rows = page.rows as u64;
        part.puzzles.take(page, self.detail.isomorphs);
        let figures = Figures::of(page);
        let mut rankings = MEASURES.each_ref().map(|_| Ranking::new(self.detail.top));
        each_run(page, |name, rows| {
            part.count(&self.axes, &figures, rows.clone(), &mut rankings);
            part.end_run(name, rows);
        });
        part.end_page();
        part.count_categories(page, &figures);
        let listed = |Ranked { rank, hash, what: row }| Ranked {
            rank,
            hash,
            what: part.listed_row(page, &figures, row),
        };
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
        let statuses = page.statuses();
        Self {
            words: page.schema.statuses,
            statuses: &statuses[..statuses.len().min(page.rows)],
            clues,
            measures: MEASURES.each_ref().map(|measure| page.numbers(measure.role)),
        }
    }

    /// Returns the values measured for a row.
    fn values(&self, row: usize) -> [Option<u64>; COUNT] {
        self.measures.map(|column| column.get(row))
    }
}

/// Returns the hash by which equal puzzles are found. It is the same in every run and on every machine, so that equal
/// rows give equal reports.
///
/// Of Sudominoku only the given numbers are known, which are another puzzle than the same numbers of a sudoku.
#[inline]
fn hash(puzzle: &Grid, kind: u8) -> u64 {
    grid_hash(puzzle) ^ if kind == PuzzleKind::Sudoku as u8 { 0 } else { u64::MAX }
}

/// Returns the text that `solve` reads as the same puzzle. A Sudominoku has none: only its given numbers are known.
pub(super) fn string(kind: PuzzleKind, puzzle: &Grid) -> Option<String> {
    (kind == PuzzleKind::Sudoku).then(|| puzzle.to_string())
}

impl PagePuzzles {
    /// Takes the puzzles of a page. If isomorphs count as one puzzle, they get one hash.
    fn take(&mut self, page: &Page<'_>, isomorphs: bool) {
        self.clear();
        let (grids, given) = match page.column(Role::Puzzle) {
            Some(Column::Grids(grids, given)) => (&grids[..page.rows], &given[..page.rows]),
            _ => (&[][..], &[][..]),
        };
        self.given.extend_from_slice(given);
        self.grids.extend_from_slice(grids);
        match page.column(Role::Kind) {
            Some(Column::Words(kinds, _)) => self.kinds.extend_from_slice(&kinds[..page.rows]),
            _ => self.kinds.resize(page.rows, PuzzleKind::Sudoku as u8),
        }
        match page.column(Role::Line) {
            Some(Column::Numbers(lines)) => self.lines.extend_from_slice(&lines[..page.rows]),
            Some(Column::Counting(first)) => self.lines.extend((first..).take(page.rows)),
            _ => self.lines.resize(page.rows, 0),
        }
        if isomorphs {
            let mut canonizer = Canonizer::default();
            let form = |(puzzle, &given): (&Grid, &bool)| {
                if given { canonizer.minlex(puzzle).grid } else { *puzzle }
            };
            let forms = grids.iter().zip(given).map(form);
            self.hashes.extend(forms.zip(&self.kinds).map(|(form, &kind)| hash(&form, kind)));
        } else {
            self.hashes.extend(grids.iter().zip(&self.kinds).map(|(puzzle, &kind)| hash(puzzle, kind)));
        }
    }

    fn clear(&mut self) {
        self.given.clear();
        self.hashes.clear();
        self.grids.clear();
        self.kinds.clear();
        self.lines.clear();
    }

    /// Returns the kind of puzzle of a row.
    pub fn kind(&self, row: usize) -> PuzzleKind {
        if self.kinds[row] == PuzzleKind::Sudoku as u8 { PuzzleKind::Sudoku } else { PuzzleKind::Sudominoku }
    }
}

impl ReportPart {
    fn clear(&mut self, axes: &Axes) {
        self.runs.clear();
        self.statuses.clear();
        self.classes.clear();
        self.buckets.clear();
        self.bins.iter_mut().for_each(Vec::clear);
        self.joint.clear();
        self.listed.iter_mut().for_each(Vec::clear);
        self.categories.clear();
        self.reasons.drain().for_each(drop);
        self.scratch.classes.resize_with(CLUE_CLASSES, Default::default);
        self.scratch.bins.iter_mut().zip(axes).for_each(|(bins, axis)| bins.resize(axis.len(), 0));
        self.scratch.joint.resize(axes[TIME].len() * axes[GUESSES].len(), 0);
    }

    /// Counts the rows of a run.
    fn count(
        &mut self,
        axes: &Axes,
        figures: &Figures<'_>,
        rows: Range<usize>,
        rankings: &mut [Ranking<usize>; COUNT],
    ) {
        let Scratch { statuses, classes, occurred, bins, joint, joint_occurred } = &mut self.scratch;
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
            let mut places = [0; COUNT];
            for (of, &value) in values.iter().enumerate() {
                let Some(value) = value else { continue };
                places[of] = axes[of].bin(counts[of].add(value), value);
                bins[of][places[of]] += 1;
                if value >= listed_from[of] && self.puzzles.given.get(row) == Some(&true) {
                    rankings[of].offer(value, self.puzzles.hashes[row], row);
                    listed_from[of] = least(of, &rankings[of]);
                }
            }
            if values[TIME].is_some() && values[GUESSES].is_some() {
                let pair = places[TIME] * axes[GUESSES].len() + places[GUESSES];
                if joint[pair] == 0 {
                    joint_occurred.push(pair as u16);
                }
                joint[pair] += 1;
            }
        }
    }

    /// Writes down what was counted of a run.
    fn end_run(&mut self, name: &str, rows: Range<usize>) {
        let Scratch { statuses, classes, occurred, .. } = &mut self.scratch;
        self.statuses.append(statuses);
        let first_class = self.classes.len();
        for clues in occurred.drain(..) {
            let (rows, counts) = &mut classes[clues];
            let mut ranges = [const { 0..0 }; COUNT];
            let totals = std::array::from_fn(|of| {
                let start = self.buckets.len();
                let totals = counts[of].drain(&mut self.buckets);
                ranges[of] = start..self.buckets.len();
                totals
            });
            self.classes.push(ClueClass { clues, rows: std::mem::take(rows), buckets: ranges, totals });
        }
        let given = self.puzzles.given.get(rows.clone()).unwrap_or_default();
        self.runs.push(SourceRun {
            name: shortened(name, LONGEST_NAME),
            puzzles: given.iter().filter(|&&given| given).count() as u64,
            classes: first_class..self.classes.len(),
            rows,
        });
    }

    /// Writes down what was counted of the page as a whole.
    fn end_page(&mut self) {
        let Scratch { bins, joint, joint_occurred, .. } = &mut self.scratch;
        for (counts, out) in bins.iter_mut().zip(&mut self.bins) {
            let counts = (0..).zip(counts.iter_mut()).filter(|(_, count)| **count > 0);
            out.extend(counts.map(|(bin, count)| (bin, std::mem::take(count))));
        }
        let taken =
            joint_occurred.drain(..).map(|pair| (pair, std::mem::take(&mut joint[usize::from(pair)])));
        self.joint.extend(taken);
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

    /// Returns the name of the source of a row.
    fn source_of(&self, row: usize) -> &str {
        let run = self.runs.partition_point(|run| run.rows.end <= row);
        &self.runs[run].name
    }

    /// Returns the parts of a row that are shown.
    fn listed_row(&self, page: &Page<'_>, figures: &Figures<'_>, row: usize) -> ListedPuzzle {
        let (kind, grid) = (self.puzzles.kind(row), &self.puzzles.grids[row]);
        let solution = page.grids(Role::Solution).and_then(|solutions| solutions.get(row));
        ListedPuzzle {
            file: None,
            source: self.source_of(row).to_owned(),
            line: self.puzzles.lines[row],
            kind,
            status: figures.words[usize::from(figures.statuses[row])].name,
            clues: grid.clues() as usize,
            values: figures.values(row),
            puzzle: string(kind, grid),
            solution: solution.map(Grid::to_string),
            given: grid.to_string(),
        }
    }

    fn add_reasons(&mut self, page: &Page<'_>, figures: &Figures<'_>) {
        let mut reasons = std::mem::take(&mut self.reasons);
        let mut add = |row: usize, text: &str| {
            let Some(&status) = figures.statuses.get(row) else { return };
            reasons.add(figures.words[usize::from(status)].name, text, |place| {
                let source = self.source_of(row);
                match place {
                    Some((line, column)) => format!("{source}:{line}:{column}"),
                    None => format!("{source}:{}", self.puzzles.lines[row]),
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
        self.reasons = reasons;
    }
}
