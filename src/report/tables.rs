//! The tables of the page, each from the figures of a report.
//!
//! A field knows its text and the number it is sorted by; how it looks is the template's business.

use serde::Serialize;

use super::text::{MOST_REASONS, NO_HASH, NO_STRING, capitalized, guesses_number};
use super::{ClueFigures, Report, RowFigures, Spread, numbers};
use crate::record::{Weight, Word};

#[derive(Debug, Serialize)]
pub(super) struct HtmlTable {
    id: &'static str,
    caption: String,
    columns: Vec<HtmlColumn>,
    rows: Vec<Vec<HtmlField>>,
    sortable: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct HtmlColumn {
    name: String,
    number: bool,
}

/// One field of a table.
#[derive(Debug, Serialize)]
pub(super) struct HtmlField {
    text: String,
    number: bool,
    /// What it is sorted by, if not by its text.
    sort: Option<f64>,
    /// Length of its bar in per cent, and the ink.
    bar: Option<String>,
    ink: &'static str,
}

impl HtmlField {
    fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), number: false, sort: None, bar: None, ink: "" }
    }

    /// A number, shown as `text`; what is not known has neither.
    fn number(value: Option<f64>, text: impl FnOnce(f64) -> String) -> Self {
        let shown = value.map_or_else(|| "\u{2013}".to_owned(), text);
        Self { text: shown, number: true, sort: value, bar: None, ink: "" }
    }

    fn count(count: u64) -> Self {
        Self::number(Some(count as f64), |_| numbers::grouped(count))
    }

    fn share(part: u64, whole: u64) -> Self {
        let value = (whole > 0).then(|| part as f64 / whole as f64);
        Self::number(value, |_| numbers::percent(part, whole))
    }

    fn bar(part: u64, whole: u64, ink: &'static str) -> Self {
        let length = part as f64 / whole.max(1) as f64 * 100.0;
        // What is there must be seen.
        let length = if part > 0 { length.max(0.6) } else { 0.0 };
        Self { bar: Some(format!("{length:.2}")), ink, ..Self::text("") }
    }
}

fn table(
    id: &'static str,
    caption: impl Into<String>,
    columns: &[(impl AsRef<str>, bool)],
    rows: Vec<Vec<HtmlField>>,
) -> HtmlTable {
    let columns = columns
        .iter()
        .map(|(name, number)| HtmlColumn { name: name.as_ref().to_owned(), number: *number })
        .collect();
    let sortable = rows.len() > 1;
    HtmlTable { id, caption: caption.into(), columns, rows, sortable }
}

pub(super) fn verdicts(report: &Report) -> HtmlTable {
    let total = &report.total;
    let rows = report
        .words
        .iter()
        .map(|word| (word, total.count(word)))
        .filter(|&(_, count)| count > 0)
        .map(|(word, count)| {
            vec![
                HtmlField::text(word.name),
                HtmlField::count(count),
                HtmlField::share(count, total.rows),
                HtmlField { sort: Some(count as f64), ..HtmlField::bar(count, total.rows, ink(word)) },
            ]
        })
        .collect();
    table(
        "t-verdicts",
        "Rows by status",
        &[("Status", false), ("Rows", true), ("Share", true), ("", false)],
        rows,
    )
}

/// The ink of a status: good and bad are told apart at a glance.
const fn ink(word: &Word) -> &'static str {
    match word.weight {
        Weight::Answered => "answered",
        Weight::Unanswered => "unanswered",
        Weight::BadRecord => "bad-record",
        Weight::Defect => "defect",
    }
}

pub(super) fn reasons(report: &Report) -> Option<HtmlTable> {
    let rows: Vec<_> = report
        .reasons
        .iter()
        .take(MOST_REASONS)
        .map(|reason| {
            vec![
                HtmlField::text(reason.reason.clone().unwrap_or_else(|| "other reasons".to_owned())),
                HtmlField::text(reason.status),
                HtmlField::count(reason.rows),
                HtmlField::text(reason.places.join(", ")),
            ]
        })
        .collect();
    (!rows.is_empty()).then(|| {
        let columns = [("Reason", false), ("Status", false), ("Rows", true), ("First places", false)];
        let mut caption = "Why there is no answer".to_owned();
        if let Some(more) = report.more_reasons_text() {
            caption += &format!(": the {MOST_REASONS} most frequent reasons, {more}");
        }
        table("t-reasons", caption, &columns, rows)
    })
}

/// The name of a figure of a spread and how it is found.
type SpreadFigure = (&'static str, fn(&Spread) -> f64);

/// Those that are listed.
const SPREAD: [SpreadFigure; 9] = [
    ("Minimum", |spread| spread.min as f64),
    ("10th percentile", |spread| spread.p10 as f64),
    ("Lower quartile", |spread| spread.p25 as f64),
    ("Median", |spread| spread.p50 as f64),
    ("Upper quartile", |spread| spread.p75 as f64),
    ("90th percentile", |spread| spread.p90 as f64),
    ("99th percentile", |spread| spread.p99 as f64),
    ("Maximum", |spread| spread.max as f64),
    ("Mean", |spread| spread.mean),
];

pub(super) fn spreads(total: &RowFigures) -> Option<HtmlTable> {
    total.guesses?;
    let rows = SPREAD.into_iter().map(|(name, value)| {
        let time = total.time_ns.map(|_| spread_field(total.time_ns, value, numbers::time));
        let guesses = spread_field(total.guesses, value, guesses_number);
        [HtmlField::text(name)].into_iter().chain(time).chain([guesses]).collect()
    });
    let mut columns = vec![("", false), ("Time", true), ("Guesses", true)];
    if total.time_ns.is_none() {
        columns.remove(1);
    }
    let table = table("t-spread", "Per puzzle", &columns, rows.collect());
    Some(HtmlTable { sortable: false, ..table })
}

fn spread_field(
    spread: Option<Spread>,
    value: impl Fn(&Spread) -> f64,
    text: fn(f64) -> String,
) -> HtmlField {
    HtmlField::number(spread.as_ref().map(value), text)
}

pub(super) fn clues(report: &Report) -> Option<HtmlTable> {
    let timed = report.total.time_ns.is_some();
    let rows: Vec<_> = report.clues.iter().map(|clues| clue_row(clues, timed)).collect();
    let mut columns = vec![
        ("Clues", false),
        ("Rows", true),
        ("Without a guess", true),
        ("Guesses, mean", true),
        ("Guesses, p90", true),
        ("Guesses, max", true),
    ];
    if timed {
        columns.extend([
            ("Time, median", true),
            ("Time, p90", true),
            ("Time, p99", true),
            ("Time, max", true),
        ]);
    }
    (!rows.is_empty()).then(|| table("t-clues", "Guesses and time by number of clues", &columns, rows))
}

fn clue_row(clues: &ClueFigures, timed: bool) -> Vec<HtmlField> {
    let guesses = |value: fn(&Spread) -> f64| spread_field(clues.guesses, value, guesses_number);
    let time = |value: fn(&Spread) -> f64| spread_field(clues.time_ns, value, numbers::time);
    let mut row = vec![
        HtmlField::count(clues.clues as u64),
        HtmlField::count(clues.rows),
        HtmlField::share(clues.without_guess, clues.rows),
        guesses(|spread| spread.mean),
        guesses(|spread| spread.p90 as f64),
        guesses(|spread| spread.max as f64),
    ];
    if timed {
        row.extend([
            time(|spread| spread.p50 as f64),
            time(|spread| spread.p90 as f64),
            time(|spread| spread.p99 as f64),
            time(|spread| spread.max as f64),
        ]);
    }
    row
}

/// A column's name and whether it holds numbers.
type NamedColumn = (String, bool);

fn number_column(name: &str) -> NamedColumn {
    (name.to_owned(), true)
}

/// The columns that describe the rows of a file or an input.
fn figure_columns(report: &Report, timed: bool) -> Vec<NamedColumn> {
    let mut columns = vec![number_column("Rows")];
    let told = report.leading.iter().chain(report.words_of(Weight::BadRecord));
    columns.extend(told.map(|word| number_column(&capitalized(word.name))));
    columns.extend(["Repeated", "Without a guess", "Guesses, mean", "Guesses, max"].map(number_column));
    if timed {
        columns
            .extend(["Time, median", "Time, p90", "Time, p99", "Time, max", "Puzzles/s"].map(number_column));
    }
    columns
}

fn figure_row(report: &Report, figures: &RowFigures, timed: bool) -> Vec<HtmlField> {
    let time = |value: fn(&Spread) -> f64| spread_field(figures.time_ns, value, numbers::time);
    let mut row = vec![HtmlField::count(figures.rows)];
    row.extend(report.leading.iter().map(|word| HtmlField::share(figures.count(word), figures.rows)));
    row.extend(report.words_of(Weight::BadRecord).map(|word| HtmlField::count(figures.count(word))));
    row.extend([
        HtmlField::count(figures.repeated_rows),
        HtmlField::share(figures.without_guess, figures.solved),
        spread_field(figures.guesses, |spread| spread.mean, guesses_number),
        spread_field(figures.guesses, |spread| spread.max as f64, guesses_number),
    ]);
    if timed {
        row.extend([
            time(|spread| spread.p50 as f64),
            time(|spread| spread.p90 as f64),
            time(|spread| spread.p99 as f64),
            time(|spread| spread.max as f64),
            HtmlField::number(figures.puzzles_per_solver_second, numbers::short),
        ]);
    }
    row
}

pub(super) fn sources(report: &Report) -> HtmlTable {
    let timed = report.total.time_ns.is_some();
    let several = report.files.len() > 1;
    let mut columns = vec![("Input".to_owned(), false)];
    if several {
        columns.push(("Results file".to_owned(), false));
    }
    columns.extend(figure_columns(report, timed));
    let rows = report.sources.iter().map(|source| {
        let name = source.name.clone().unwrap_or_else(|| "other inputs".to_owned());
        let file = several.then(|| HtmlField::text(source.file.clone().unwrap_or_default()));
        [HtmlField::text(name)].into_iter().chain(file).chain(figure_row(report, source, timed)).collect()
    });
    table("t-sources", "Rows by the input they come from", &columns, rows.collect())
}

pub(super) fn comparison(report: &Report) -> HtmlTable {
    let timed = report.total.time_ns.is_some();
    let mut columns = vec![("Results file".to_owned(), false)];
    // First of all: it is what files are compared for, and a narrow screen cuts the table off at the right.
    if timed {
        columns.push(number_column("Mean time / first"));
    }
    columns.extend(figure_columns(report, timed));
    let mean = |file: &RowFigures| file.time_ns.map(|time| time.mean).filter(|&mean| mean > 0.0);
    let base = report.files.iter().position(|file| mean(file).is_some());
    let first = base.and_then(|base| mean(&report.files[base]));
    let rows = report.files.iter().map(|file| {
        let name = HtmlField::text(file.name.clone().unwrap_or_default());
        let ratio = first.and_then(|first| Some(mean(file)? / first));
        let ratio = timed.then(|| HtmlField::number(ratio, |ratio| format!("{ratio:.2}")));
        [name].into_iter().chain(ratio).chain(figure_row(report, file, timed)).collect()
    });
    let mut caption = "Figures of each results file".to_owned();
    if let Some(base) = base.filter(|&base| base > 0) {
        let name = report.files[base].name.as_deref().unwrap_or_default();
        caption += &format!("; the first with times is {name}");
    }
    table("t-comparison", caption, &columns, rows.collect())
}

pub(super) fn overlaps(report: &Report) -> Option<HtmlTable> {
    let overlaps = &report.duplicates.overlaps;
    let rows: Vec<_> = overlaps
        .iter()
        .map(|overlap| {
            let [first, second] = &overlap.names;
            vec![
                HtmlField::text(first.clone()),
                HtmlField::text(second.clone()),
                HtmlField::count(overlap.puzzles),
                HtmlField::share(overlap.puzzles, overlap.of[0]),
                HtmlField::share(overlap.puzzles, overlap.of[1]),
            ]
        })
        .collect();
    let more = match report.duplicates.overlaps_left_out {
        0 => String::new(),
        1 => " (1 more pair is not listed)".to_owned(),
        more => format!(" ({more} more pairs are not listed)"),
    };
    let columns = [
        ("Input", false),
        ("Other input", false),
        ("In both", true),
        ("Of the first", true),
        ("Of the other", true),
    ];
    let caption = format!("Different puzzles that two inputs share{more}");
    (!rows.is_empty()).then(|| table("t-overlaps", caption, &columns, rows))
}

pub(super) fn repeats(report: &Report) -> Option<HtmlTable> {
    let rows: Vec<_> = report
        .duplicates
        .first
        .iter()
        .map(|repeat| {
            vec![
                HtmlField::text(repeat.place.clone()),
                HtmlField::text(repeat.before.clone()),
                HtmlField::text(repeat.puzzle.as_deref().unwrap_or(NO_STRING)),
            ]
        })
        .collect();
    let columns = [("Place", false), ("Occurred before in", false), ("Puzzle", false)];
    (!rows.is_empty()).then(|| table("t-repeats", "The first rows that repeat a puzzle", &columns, rows))
}

pub(super) fn inputs(report: &Report) -> HtmlTable {
    let rows = report.inputs.iter().map(|input| {
        let name = if input.name == "-" { "standard input" } else { &input.name };
        vec![
            HtmlField::text(name),
            HtmlField::number(input.bytes.map(|bytes| bytes as f64), |bytes| numbers::bytes(bytes as u64)),
            HtmlField::text(input.sha256.clone().unwrap_or_else(|| NO_HASH.to_owned())),
        ]
    });
    table("t-inputs", "Files read", &[("Name", false), ("Size", true), ("SHA-256", false)], rows.collect())
}
