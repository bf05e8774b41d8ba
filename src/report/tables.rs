//! The tables of a report.

use super::assemble::OTHER_INPUTS;
use super::measure::{MEASURES, Measure, TIME};
use super::spread::{FIGURES, Figure};
use super::table::{Cell, Columns, Table};
use super::text::{MOST_REASONS, NO_HASH, capitalized, measures_text, no_string};
use super::{
    CategoryFigures, ClueFigures, InputFile, ListedPuzzle, Overlap, ReasonFigures, Report, RowFigures,
    Spread, numbers,
};
use crate::record::{Label, Severity};

pub(super) fn statuses(report: &Report) -> Option<Table> {
    let total = &report.total;
    let columns = Columns::<Label>::new()
        .text("Status", |word| Cell::text(word.name))
        .number("Rows", |word| Cell::count(total.count(word)))
        .number("Share", |word| Cell::share(total.count(word), total.rows))
        .bars(|word| Cell::bar(total.count(word), total.rows, ink(word)));
    let words = report.words.iter().filter(|word| total.count(word) > 0);
    Table::new("t-statuses", "Rows by status", columns, words)
}

/// Returns the colour class for a status.
const fn ink(word: &Label) -> &'static str {
    match word.severity {
        Severity::Answered => "answered",
        Severity::Unanswered => "unanswered",
        Severity::BadRecord => "bad-record",
        Severity::Defect => "defect",
    }
}

pub(super) fn reasons(report: &Report) -> Option<Table> {
    let columns = Columns::<ReasonFigures>::new()
        .text("Reason", |reason| Cell::text(reason.reason.as_deref().unwrap_or("other reasons")))
        .text("Status", |reason| Cell::text(reason.status))
        .number("Rows", |reason| Cell::count(reason.rows))
        .text("First places", |reason| Cell::text(reason.places.join(", ")));
    let mut caption = "Why there is no answer".to_owned();
    if let Some(more) = report.more_reasons_text() {
        caption += &format!(": the {MOST_REASONS} most frequent reasons, {more}");
    }
    Table::new("t-reasons", caption, columns, report.reasons.iter().take(MOST_REASONS))
}

/// Returns the measures for which some row has a value, with their indices.
fn measured(report: &Report) -> impl Iterator<Item = (usize, &'static Measure)> {
    MEASURES.iter().enumerate().filter(|&(of, _)| report.total.spreads[of].is_some())
}

pub(super) fn spreads(report: &Report) -> Option<Table> {
    let names = Columns::<Figure>::new().text("", |figure| Cell::text(figure.name));
    let columns = measured(report).fold(names, |columns, (of, measure)| {
        let spread = report.total.spreads[of].as_ref();
        columns.number(measure.name, move |figure| Cell::number(spread.map(figure.of), measure.text))
    });
    let figures = FIGURES.iter().filter(|_| measured(report).next().is_some());
    Table::new("t-spread", "Per puzzle", columns, figures).map(Table::in_order)
}

/// Adds the columns that summarize the measures over several rows.
fn with_measures<'a, R: 'a>(
    columns: Columns<'a, R>,
    report: &Report,
    spread: fn(&R, usize) -> Option<Spread>,
) -> Columns<'a, R> {
    let figures = measured(report)
        .flat_map(|(of, measure)| measure.figures.iter().map(move |figure| (of, measure, figure)));
    figures.fold(columns, |columns, (of, measure, (figure, is_brief))| {
        let name = format!("{}, {}", measure.name, figure.short);
        let cell = move |row: &R| Cell::number(spread(row, of).as_ref().map(figure.of), measure.text);
        if *is_brief { columns.number(name, cell) } else { columns.detail(name, cell) }
    })
}

pub(super) fn clues(report: &Report) -> Option<Table> {
    let columns = Columns::<ClueFigures>::new()
        .text("Clues", |of| Cell::count(of.clues as u64))
        .number("Rows", |of| Cell::count(of.rows))
        .number("Without a guess", |of| Cell::share(of.without_guess, of.rows));
    let columns = with_measures(columns, report, |clues, of| clues.spreads[of]);
    Table::new("t-clues", format!("{} by number of clues", measures_text()), columns, &report.clues)
}

/// Returns one table for each column that rates difficulty with a word.
pub(super) fn categories(report: &Report) -> Vec<Table> {
    let table = |(&name, values): (&&'static str, &Vec<CategoryFigures>)| {
        let rows = values.iter().map(|of| of.rows).sum();
        let mean = |mean: f64| Cell::number(Some(mean), numbers::significant);
        let columns = Columns::<CategoryFigures>::new()
            .text(capitalized(name), |of| Cell::text(&of.value))
            .number("Rows", |of| Cell::count(of.rows))
            .number("Share", move |of| Cell::share(of.rows, rows))
            .number("Clues, mean", move |of| mean(of.clues_mean))
            .number("Guesses, mean", move |of| mean(of.guesses_mean))
            .bars(move |of| Cell::bar(of.rows, rows, "answered"));
        Table::new(name, format!("Rows by {name}"), columns, values).map(Table::in_order)
    };
    report.categories.iter().filter_map(table).collect()
}

/// Adds the columns that describe a file's or an input's rows.
fn with_figures<'a>(columns: Columns<'a, RowFigures>, report: &'a Report) -> Columns<'a, RowFigures> {
    let mut columns = columns.number("Rows", |of| Cell::count(of.rows));
    for word in &report.leading {
        columns = columns.number(capitalized(word.name), |of| Cell::share(of.count(word), of.rows));
    }
    for word in report.words_of(Severity::BadRecord) {
        columns = columns.number(capitalized(word.name), |of| Cell::count(of.count(word)));
    }
    columns = columns
        .number("Repeated", |of| Cell::count(of.repeated_rows))
        .detail("Without a guess", |of| Cell::share(of.without_guess, of.solved));
    columns = with_measures(columns, report, |row, of| row.spreads[of]);
    if report.total.timed == 0 {
        return columns;
    }
    columns.detail("Puzzles/s", |of| Cell::number(of.puzzles_per_solver_second, numbers::short))
}

pub(super) fn sources(report: &Report) -> Option<Table> {
    let mut columns = Columns::new()
        .text("Input", |source: &RowFigures| Cell::text(source.name.as_deref().unwrap_or(OTHER_INPUTS)));
    if report.files.len() > 1 {
        columns =
            columns.text("Results file", |source| Cell::text(source.file.as_deref().unwrap_or_default()));
    }
    let columns = with_figures(columns, report);
    Table::new("t-sources", "Rows by input", columns, &report.sources)
}

/// Returns a comparison of the results files, if there are several.
pub(super) fn comparison(report: &Report) -> Option<Table> {
    let name = |file: &RowFigures| file.name.clone().unwrap_or_default();
    let mean = |file: &RowFigures| file.spreads[TIME].map(|time| time.mean).filter(|&mean| mean > 0.0);
    let base = report.files.iter().position(|file| mean(file).is_some());
    let mut columns = Columns::new().text("Results file", |file| Cell::text(name(file)));
    // This column comes first because it is the point of comparing files, and a narrow screen cuts off the columns on
    // the right.
    if let Some(first) = base.and_then(|base| mean(&report.files[base])) {
        columns = columns.number("Mean time / first", move |file| {
            Cell::number(mean(file).map(|mean| mean / first), |ratio| format!("{ratio:.2}"))
        });
    }
    let mut caption = "Figures of each results file".to_owned();
    if let Some(base) = base.filter(|&base| base > 0) {
        caption += &format!("; the first file with times is {}", name(&report.files[base]));
    }
    let several = report.files.iter().filter(|_| report.files.len() > 1);
    Table::new("t-comparison", caption, with_figures(columns, report), several)
}

/// Returns the puzzles with the highest values of a measure.
pub(super) fn listed(report: &Report, of: usize) -> Option<Table> {
    let mut columns = Columns::<ListedPuzzle>::new();
    for (of, measure) in MEASURES.iter().enumerate() {
        columns = columns.number(measure.name, move |puzzle| {
            Cell::number(puzzle.values[of].map(|value| value as f64), measure.text)
        });
    }
    let columns = columns
        .number("Clues", |puzzle| Cell::count(puzzle.clues as u64))
        .text("Status", |puzzle| Cell::text(puzzle.status))
        .text("Place", |puzzle| Cell::text(puzzle.place()))
        .text("Puzzle", |puzzle| {
            puzzle.puzzle.as_ref().map_or_else(|| Cell::text(no_string(puzzle.kind)), Cell::code)
        });
    Table::new("t-listed", "Each puzzle once", columns, &report.listed[of])
}

pub(super) fn overlaps(report: &Report) -> Option<Table> {
    let columns = Columns::<Overlap>::new()
        .text("Input", |overlap| Cell::text(&overlap.names[0]))
        .text("Other input", |overlap| Cell::text(&overlap.names[1]))
        .number("In both", |overlap| Cell::count(overlap.puzzles))
        .number("Of the first", |overlap| Cell::share(overlap.puzzles, overlap.of[0]))
        .number("Of the other", |overlap| Cell::share(overlap.puzzles, overlap.of[1]));
    let more = match report.duplicates.overlaps_left_out {
        0 => String::new(),
        1 => " (1 more pair is not listed)".to_owned(),
        more => format!(" ({more} more pairs are not listed)"),
    };
    let caption = format!("Different puzzles in two inputs{more}");
    Table::new("t-overlaps", caption, columns, &report.duplicates.overlaps)
}

pub(super) fn inputs(report: &Report) -> Option<Table> {
    let name = |input: &InputFile| if input.name == "-" { "standard input" } else { &input.name }.to_owned();
    let columns = Columns::<InputFile>::new()
        .text("Name", move |input| Cell::text(name(input)))
        .number("Size", |input| {
            Cell::number(input.bytes.map(|bytes| bytes as f64), |bytes| numbers::bytes(bytes as u64))
        })
        .text("SHA-256", |input| Cell::text(input.sha256.as_deref().unwrap_or(NO_HASH)));
    Table::new("t-inputs", "Files read", columns, &report.inputs)
}
