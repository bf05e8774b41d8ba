//! From sums to the figures of a report.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::bins::{Edges, GUESS_BINS, TIME_BINS};
use super::collect::{Collector, Kept, SourceFigures};
use super::figures::{Axes, Figures};
use super::{
    BadRows, Bin, Cell, ClueSummary, Duplicates, InputFile, LAYOUT, Overlap, Puzzle, QUANTILE_ERROR, Reason,
    Repeat, Report, Summary,
};
use crate::grid::CELLS;
use crate::input::Kind;
use crate::output::Status;
use crate::provenance::Provenance;

/// Rows from which the bins of times are a twentieth of a decade wide; a tenth below.
const ENOUGH_FOR_FINE_BINS: u64 = 5000;
/// Pairs of inputs listed with what they share.
const MOST_OVERLAPS: usize = 40;
/// What inputs beyond those with figures of their own are called in places.
const OTHER_INPUTS: &str = "other inputs";

/// The report of everything collected.
pub(super) fn assemble(collected: &Collector, inputs: Vec<InputFile>, provenance: Provenance) -> Report {
    let axes = Axes::new();
    let mut total = Figures::new();
    for file in &collected.files {
        total.merge(&file.figures);
    }
    let distinct = Distinct::new(collected);
    let width = if total.times.count() < ENOUGH_FOR_FINE_BINS { 2 } else { 1 };
    let times = occupied(&axes.times, &total.time_bins, width);
    let guesses = occupied(&axes.guesses, &total.guess_bins, 1);
    let several = collected.files.len() > 1;
    let file_name = |file: u16| several.then(|| collected.files[usize::from(file)].name.clone());

    let files: Vec<_> = collected
        .files
        .iter()
        .zip(&distinct.by_file)
        .map(|(file, &distinct)| Summary {
            name: Some(file.name.clone()),
            time_curve: curve(&file.figures.time_bins, &times),
            guess_curve: curve(&file.figures.guess_bins, &guesses),
            ..summary(&file.figures, distinct)
        })
        .collect();
    let sources = collected
        .sources
        .iter()
        .zip(&distinct.by_source)
        .map(|(source, &distinct)| Summary {
            name: source.name.clone(),
            file: file_name(source.file),
            ..summary(&source.figures, distinct)
        })
        .collect();
    let total_summary = Summary {
        time_curve: curve(&total.time_bins, &times),
        guess_curve: curve(&total.guess_bins, &guesses),
        repeated_rows: files.iter().map(|file| file.repeated_rows).sum(),
        ..summary(&total, distinct.total)
    };
    let puzzles = |kept: &[Kept]| kept.iter().map(|kept| puzzle(kept, collected, &file_name)).collect();
    Report {
        layout: LAYOUT,
        provenance,
        run: None,
        inputs,
        problems: Vec::new(),
        total: total_summary,
        files,
        sources,
        clues: clues(collected),
        time_bins: times.into_iter().map(|(_, bin)| bin).collect(),
        guess_bins: guesses.into_iter().map(|(_, bin)| bin).collect(),
        time_by_guesses: cells(&axes, &collected.joint),
        reasons: reasons(collected),
        bad_rows: bad_rows(collected),
        hardest: puzzles(&collected.hardest.kept),
        slowest: puzzles(&collected.slowest.kept),
        duplicates: duplicates(collected, &distinct, several),
        quantile_error: QUANTILE_ERROR,
    }
}

fn summary(figures: &Figures, distinct: u64) -> Summary {
    let solver_ns = u64::try_from(figures.times.sum()).unwrap_or(u64::MAX);
    let timed = figures.times.count();
    Summary {
        name: None,
        file: None,
        rows: figures.rows,
        puzzles: figures.puzzles,
        statuses: Status::ALL.into_iter().map(|status| (status.as_str(), figures.count(status))).collect(),
        solved: figures.guesses.count(),
        without_guess: figures.guess_bins[0],
        timed,
        solver_ns: (timed > 0).then_some(solver_ns),
        puzzles_per_solver_second: (solver_ns > 0).then(|| timed as f64 / (solver_ns as f64 / 1e9)),
        time_ns: figures.times.spread(),
        guesses: figures.guesses.spread(),
        distinct_puzzles: distinct,
        repeated_rows: figures.puzzles.saturating_sub(distinct),
        time_curve: Vec::new(),
        guess_curve: Vec::new(),
    }
}

/// The bins from the first to the last that is not empty, `width` of them taken together, each with the numbers
/// of the bins that it is made of.
fn occupied(edges: &Edges, counts: &[u64], width: usize) -> Vec<(std::ops::Range<usize>, Bin)> {
    let (Some(first), Some(last)) =
        (counts.iter().position(|&rows| rows > 0), counts.iter().rposition(|&rows| rows > 0))
    else {
        return Vec::new();
    };
    (group_of(first, width)..=group_of(last, width))
        .map(|group| {
            let bins = bins_of(group, width, counts.len());
            let (from, to) = (edges.range(bins.start).start, edges.range(bins.end - 1).end);
            let rows = counts[bins.clone()].iter().sum();
            (bins, Bin { from, to, rows })
        })
        .collect()
}

/// The bins of a group of `width`; the first bin is a group of its own, so that decades start groups.
fn bins_of(group: usize, width: usize, count: usize) -> std::ops::Range<usize> {
    match group {
        0 => 0..1,
        _ => 1 + (group - 1) * width..(1 + group * width).min(count),
    }
}

const fn group_of(bin: usize, width: usize) -> usize {
    if bin == 0 { 0 } else { 1 + (bin - 1) / width }
}

/// The share of rows up to the end of each bin.
fn curve(counts: &[u64], bins: &[(std::ops::Range<usize>, Bin)]) -> Vec<f64> {
    let total: u64 = counts.iter().sum();
    let mut so_far = 0;
    bins.iter()
        .map(|(range, _)| {
            so_far += counts[range.clone()].iter().sum::<u64>();
            so_far as f64 / total.max(1) as f64
        })
        .collect()
}

fn clues(collected: &Collector) -> Vec<ClueSummary> {
    let occurring = collected.clues.iter().enumerate();
    occurring
        .filter_map(|(clues, figures)| Some((clues, figures.as_ref()?)))
        .map(|(clues, figures)| ClueSummary {
            clues,
            rows: figures.rows,
            time_ns: figures.times.spread(),
            guesses: figures.guesses.spread(),
            without_guess: figures.guess_bins[0],
        })
        .collect()
}

/// Rows by time and guesses, with bins of times a tenth of a decade wide.
fn cells(axes: &Axes, joint: &[u64]) -> Vec<Cell> {
    const WIDTH: usize = 2;
    let mut cells = BTreeMap::new();
    for (at, &rows) in joint.iter().enumerate().filter(|&(_, &rows)| rows > 0) {
        let (time, guess) = (group_of(at / GUESS_BINS, WIDTH), at % GUESS_BINS);
        *cells.entry((time, guess)).or_insert(0) += rows;
    }
    cells
        .into_iter()
        .map(|((time, guess), rows)| {
            let bins = bins_of(time, WIDTH, TIME_BINS);
            let guesses = axes.guesses.range(guess);
            Cell {
                time_ns: (axes.times.range(bins.start).start, axes.times.range(bins.end - 1).end),
                guesses: (guesses.start, guesses.end),
                rows,
            }
        })
        .collect()
}

fn reasons(collected: &Collector) -> Vec<Reason> {
    let mut reasons: Vec<_> = collected
        .reasons
        .iter()
        .map(|reason| Reason {
            status: reason.status.as_str(),
            reason: reason.pattern.clone(),
            rows: reason.count,
            places: reason.places.clone(),
        })
        .collect();
    // The order of their first rows among equals.
    reasons.sort_by_key(|reason| (reason.reason.is_none(), u64::MAX - reason.rows));
    reasons
}

fn bad_rows(collected: &Collector) -> BadRows {
    let first = collected
        .bad_rows
        .iter()
        .map(|row| format!("{}:{}: {}", collected.files[usize::from(row.file)].name, row.line, row.reason));
    BadRows { count: collected.files.iter().map(|file| file.bad_rows).sum(), first: first.collect() }
}

fn source_name(source: &SourceFigures) -> &str {
    source.name.as_deref().unwrap_or(OTHER_INPUTS)
}

fn text(cells: &[u8]) -> String {
    String::from_utf8_lossy(cells).into_owned()
}

/// What `solve` reads as the same puzzle. Of a Sudominoku only the numbers given are known: they are another.
fn string(kind: Kind, puzzle: &[u8; CELLS]) -> Option<String> {
    (kind == Kind::Sudoku).then(|| text(puzzle))
}

fn puzzle(kept: &Kept, collected: &Collector, file_name: &impl Fn(u16) -> Option<String>) -> Puzzle {
    let source = &collected.sources[usize::from(kept.source)];
    Puzzle {
        file: file_name(source.file),
        source: kept.name.clone(),
        line: kept.line,
        kind: if kept.kind == Kind::Sudoku { "sudoku" } else { "sudominoku" },
        status: kept.status.as_str(),
        clues: kept.puzzle.iter().filter(|cell| matches!(cell, b'1'..=b'9')).count(),
        guesses: kept.guesses,
        time_ns: kept.time_ns,
        puzzle: string(kept.kind, &kept.puzzle),
        solution: kept.solution.as_ref().map(|solution| text(solution)),
        given: text(&kept.puzzle),
    }
}

/// Distinct puzzles of all, of each file and of each source.
struct Distinct {
    total: u64,
    by_file: Vec<u64>,
    by_source: Vec<u64>,
    pairs: HashMap<(u16, u16), u64>,
    sampled: u64,
}

impl Distinct {
    fn new(collected: &Collector) -> Self {
        let scale = collected.duplicates.scale();
        let mut distinct = Self {
            total: 0,
            by_file: vec![0; collected.files.len()],
            by_source: vec![0; collected.sources.len()],
            pairs: HashMap::new(),
            sampled: 0,
        };
        for (set, count) in collected.duplicates.sets() {
            distinct.sampled += count;
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
    let in_file = |source: u16, name: &str| {
        if several {
            let file = collected.sources[usize::from(source)].file;
            format!("{} \u{203a} {name}", collected.files[usize::from(file)].name)
        } else {
            name.to_owned()
        }
    };
    let name = |source: u16| in_file(source, source_name(&collected.sources[usize::from(source)]));
    let mut pairs: Vec<_> = distinct.pairs.iter().map(|(&pair, &puzzles)| (puzzles, pair)).collect();
    pairs.sort_by_key(|&(puzzles, pair)| (u64::MAX - puzzles, pair));
    let overlaps_left_out = pairs.len().saturating_sub(MOST_OVERLAPS);
    pairs.truncate(MOST_OVERLAPS);
    let of = |source: u16| distinct.by_source[usize::from(source)];
    let overlaps = pairs
        .into_iter()
        .map(|(puzzles, (a, b))| Overlap { names: [name(a), name(b)], puzzles, of: [of(a), of(b)] })
        .collect();
    let first = collected
        .repeats
        .iter()
        .map(|repeat| Repeat {
            place: format!("{}:{}", in_file(repeat.source, &repeat.name), repeat.line),
            before: name(repeat.before),
            puzzle: string(repeat.kind, &repeat.puzzle),
        })
        .collect();
    let scale = collected.duplicates.scale();
    Duplicates {
        sampled: scale,
        relative_error: (scale > 1).then(|| 1.0 / (distinct.sampled.max(1) as f64).sqrt()),
        overlaps,
        overlaps_left_out,
        overlaps_incomplete: collected.duplicates.sets_overflowed(),
        first,
    }
}
