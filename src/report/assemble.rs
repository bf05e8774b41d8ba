//! Turns sums into the figures of a report.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::collect::{Collector, RowSums, SourceSums};
use super::digest::CategorySums;
use super::measure::{COUNT, GUESSES, MEASURES, TIME};
use super::ranking::Ranked;
use super::{
    Bin, CategoryFigures, ClueFigures, Duplicates, InputFile, LAYOUT, ListedPuzzle, Overlap, ReasonFigures,
    Report, RowFigures, Run, Spread,
};
use crate::jobs::measures::Measure;
use crate::pipeline::distribution::{Distribution, QUANTILE_ERROR};
use crate::provenance::Provenance;
use crate::record::{Label, RESULTS_VERSION};

/// The largest number of input pairs that are listed.
const MOST_OVERLAPS: usize = 40;
/// The name under which inputs without their own figures are combined.
pub(super) const OTHER_INPUTS: &str = "other inputs";

impl Collector {
    /// Returns the report on everything collected.
    #[must_use]
    pub fn finish(self, run: Option<Run>, inputs: Vec<InputFile>, provenance: Provenance) -> Report {
        let mut by_file = vec![RowSums::default(); self.files.len()];
        for source in &self.sources {
            by_file[usize::from(source.file)].add(&source.sums);
        }
        let mut total = RowSums::default();
        by_file.iter().for_each(|sums| total.add(sums));
        let bins: [_; COUNT] =
            std::array::from_fn(|of| bins(&(MEASURES[of].bins)(), &total.solver.measures[of]));
        let distinct = Distinct::new(&self);
        let several = self.files.len() > 1;
        let file_name = |file: u16| several.then(|| self.files[usize::from(file)].clone());

        let words = &self.words;
        let files: Vec<_> = self
            .files
            .iter()
            .zip(by_file.iter().zip(&distinct.by_file))
            .map(|(file, (sums, &distinct))| RowFigures {
                name: Some(file.clone()),
                ..figures(sums, words, distinct)
            })
            .collect();
        let sources = self
            .sources
            .iter()
            .zip(&distinct.by_source)
            .map(|(source, &distinct)| RowFigures {
                name: source.name.clone(),
                file: file_name(source.file),
                ..figures(&source.sums, words, distinct)
            })
            .collect();
        let total_figures = RowFigures {
            repeated_rows: files.iter().map(|file| file.repeated_rows).sum(),
            ..figures(&total, words, distinct.total)
        };
        let puzzle = |puzzle: &Ranked<ListedPuzzle>| ListedPuzzle {
            file: puzzle.what.file.clone().filter(|_| several),
            ..puzzle.what.clone()
        };
        Report {
            layout: LAYOUT,
            results_version: RESULTS_VERSION,
            provenance,
            run,
            inputs,
            problems: self.problems.clone(),
            notes: self.notes.clone(),
            total: total_figures,
            files,
            sources,
            clues: clues(&self),
            categories: self.categories.iter().map(|(name, sums)| (*name, categories(name, sums))).collect(),
            bins,
            reasons: reasons(&self),
            bad_rows: self.bad_rows.clone(),
            listed: self.listed.each_ref().map(|ranking| ranking.entries.iter().map(puzzle).collect()),
            duplicates: duplicates(&self, &distinct, several),
            quantile_error: QUANTILE_ERROR,
            words: words.clone(),
            leading: self.leading.clone(),
        }
    }
}

fn figures(sums: &RowSums, words: &[Label], distinct: u64) -> RowFigures {
    let measures = &sums.solver.measures;
    let times = &measures[TIME];
    let solver_ns = u64::try_from(times.sum()).unwrap_or(u64::MAX);
    let timed = times.count();
    let count = |word: &Label| (word.name, sums.statuses.get(word.name).copied().unwrap_or(0));
    RowFigures {
        name: None,
        file: None,
        rows: sums.rows,
        puzzles: sums.puzzles,
        statuses: words.iter().map(count).collect(),
        solved: sums.solver.rows,
        without_guess: measures[GUESSES].zeros(),
        timed,
        solver_ns: (timed > 0).then_some(solver_ns),
        puzzles_per_solver_second: (solver_ns > 0).then(|| timed as f64 / (solver_ns as f64 / 1e9)),
        spreads: measures.each_ref().map(Spread::of),
        distinct_puzzles: distinct,
        repeated_rows: sums.puzzles.saturating_sub(distinct),
    }
}

/// Returns the bins from the first to the last non-empty one; `starts` holds the first value of each bin.
///
/// A bucket goes to the bin of its smallest number.
fn bins(starts: &[u64], numbers: &Distribution) -> Vec<Bin> {
    let ends = starts[1..].iter().copied().chain([u64::MAX]);
    let mut bins: Vec<_> = starts.iter().zip(ends).map(|(&from, to)| Bin { from, to, rows: 0 }).collect();
    for (number, count) in numbers.buckets() {
        bins[starts.partition_point(|&start| start <= number) - 1].rows += count;
    }
    bins.truncate(bins.iter().rposition(|bin| bin.rows > 0).map_or(0, |last| last + 1));
    bins.into_iter().skip_while(|bin| bin.rows == 0).collect()
}

fn clues(collected: &Collector) -> Vec<ClueFigures> {
    let occurring = collected.clues.iter().map(|(&clues, sums)| ClueFigures {
        clues,
        rows: sums.rows,
        spreads: sums.measures.each_ref().map(Spread::of),
        without_guess: sums.measures[GUESSES].zeros(),
    });
    occurring.collect()
}

/// Returns the values of a column, easiest first.
fn categories(column: &str, counted: &BTreeMap<String, CategorySums>) -> Vec<CategoryFigures> {
    let figures = counted.iter().map(|(value, sums)| CategoryFigures {
        value: value.clone(),
        rows: sums.rows,
        clues_mean: sums.clues as f64 / sums.rows as f64,
        guesses_mean: sums.guesses as f64 / sums.rows as f64,
    });
    let mut figures: Vec<_> = figures.collect();
    let measure = Measure::named(column);
    figures.sort_by_key(|figures| measure.map_or(u64::MAX, |measure| measure.rank(&figures.value)));
    figures
}

fn reasons(collected: &Collector) -> Vec<ReasonFigures> {
    let mut reasons = collected.reasons.groups().to_vec();
    // The sort is stable, so equally frequent reasons stay in the order in which they first occurred.
    reasons.sort_by_key(|reason| (reason.reason.is_none(), u64::MAX - reason.rows));
    reasons
}

/// The counts of distinct puzzles.
struct Distinct {
    total: u64,
    by_file: Vec<u64>,
    by_source: Vec<u64>,
    pairs: HashMap<(u16, u16), u64>,
}

impl Distinct {
    fn new(collected: &Collector) -> Self {
        let scale = collected.puzzles.scale();
        let mut distinct = Self {
            total: 0,
            by_file: vec![0; collected.files.len()],
            by_source: vec![0; collected.sources.len()],
            pairs: HashMap::new(),
        };
        for (set, count) in collected.puzzles.sets() {
            let count = count * scale;
            distinct.total += count;
            let files: BTreeSet<_> =
                set.iter().map(|&source| collected.sources[usize::from(source)].file).collect();
            for file in files {
                distinct.by_file[usize::from(file)] += count;
            }
            for (at, &source) in set.iter().enumerate() {
                distinct.by_source[usize::from(source)] += count;
                for &other in &set[at + 1..] {
                    *distinct.pairs.entry((source, other)).or_insert(0) += count;
                }
            }
        }
        distinct
    }
}

fn duplicates(collected: &Collector, distinct: &Distinct, several: bool) -> Duplicates {
    let name = |source: u16| {
        let SourceSums { file, name, .. } = &collected.sources[usize::from(source)];
        let name = name.as_deref().unwrap_or(OTHER_INPUTS);
        if several {
            format!("{} \u{203a} {name}", collected.files[usize::from(*file)])
        } else {
            name.to_owned()
        }
    };
    let mut pairs: Vec<_> = distinct.pairs.iter().map(|(&pair, &puzzles)| (puzzles, pair)).collect();
    pairs.sort_by_key(|&(puzzles, pair)| (u64::MAX - puzzles, pair));
    let overlaps_left_out = pairs.len().saturating_sub(MOST_OVERLAPS);
    pairs.truncate(MOST_OVERLAPS);
    let of = |source: u16| distinct.by_source[usize::from(source)];
    let overlaps = pairs
        .into_iter()
        .map(|(puzzles, (a, b))| Overlap { names: [name(a), name(b)], puzzles, of: [of(a), of(b)] })
        .collect();
    let scale = collected.puzzles.scale();
    Duplicates {
        isomorphs: collected.isomorphs,
        sampled: scale,
        relative_error: (scale > 1).then(|| 1.0 / ((distinct.total / scale).max(1) as f64).sqrt()),
        overlaps,
        overlaps_left_out,
        overlaps_incomplete: collected.puzzles.sets_overflowed(),
    }
}
