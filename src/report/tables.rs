//! The tables of the page, each from the figures of a report.
//!
//! A field knows its text and the number it is sorted by; how it looks is the template's business.

use serde::Serialize;

use super::html::NO_STRING;
use super::{ClueSummary, Report, Spread, Summary, numbers};
use crate::output::Status;

#[derive(Debug, Serialize)]
pub(super) struct Table {
    id: &'static str,
    caption: String,
    columns: Vec<Column>,
    rows: Vec<Vec<Field>>,
    sortable: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct Column {
    name: &'static str,
    number: bool,
}

/// One field of a table.
#[derive(Debug, Serialize)]
pub(super) struct Field {
    text: String,
    number: bool,
    /// What it is sorted by, if not by its text.
    sort: Option<f64>,
    /// Length of its bar in per cent, and the ink.
    bar: Option<String>,
    ink: &'static str,
}

impl Field {
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
    columns: &[(&'static str, bool)],
    rows: Vec<Vec<Field>>,
) -> Table {
    let columns = columns.iter().map(|&(name, number)| Column { name, number }).collect();
    let sortable = rows.len() > 1;
    Table { id, caption: caption.into(), columns, rows, sortable }
}

pub(super) fn verdicts(report: &Report) -> Table {
    let total = &report.total;
    let rows = Status::ALL
        .into_iter()
        .map(|status| (status, total.statuses.get(status.as_str()).copied().unwrap_or(0)))
        .filter(|&(_, count)| count > 0)
        .map(|(status, count)| {
            vec![
                Field::text(status.as_str()),
                Field::count(count),
                Field::share(count, total.rows),
                Field { sort: Some(count as f64), ..Field::bar(count, total.rows, status.as_str()) },
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

/// Reasons that are shown; the JSON has more.
pub(super) const MOST_REASONS: usize = 20;

impl Report {
    /// How many reasons are not shown, if any.
    pub(super) fn more_reasons_text(&self) -> Option<String> {
        let left = self.reasons.get(MOST_REASONS..).filter(|left| !left.is_empty())?;
        let named = left.iter().filter(|reason| reason.reason.is_some()).count();
        let or_more = if named < left.len() { " or more" } else { "" };
        let rows = left.iter().map(|reason| reason.rows).sum();
        Some(format!("and {named}{or_more} more, of {}", numbers::count_of(rows, "row", "rows")))
    }
}

pub(super) fn reasons(report: &Report) -> Option<Table> {
    let rows: Vec<_> = report
        .reasons
        .iter()
        .take(MOST_REASONS)
        .map(|reason| {
            vec![
                Field::text(reason.reason.clone().unwrap_or_else(|| "other reasons".to_owned())),
                Field::text(reason.status),
                Field::count(reason.rows),
                Field::text(reason.places.join(", ")),
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

pub(super) fn spreads(total: &Summary) -> Option<Table> {
    total.guesses?;
    let rows = SPREAD.into_iter().map(|(name, value)| {
        let time = total.time_ns.map(|_| spread_field(total.time_ns, value, numbers::time));
        let guesses = spread_field(total.guesses, value, guesses_number);
        [Field::text(name)].into_iter().chain(time).chain([guesses]).collect()
    });
    let mut columns = vec![("", false), ("Time", true), ("Guesses", true)];
    if total.time_ns.is_none() {
        columns.remove(1);
    }
    let table = table("t-spread", "Per puzzle", &columns, rows.collect());
    Some(Table { sortable: false, ..table })
}

/// A number of guesses, or a mean of them.
fn guesses_number(value: f64) -> String {
    if value.fract() == 0.0 { numbers::grouped(value as u64) } else { numbers::significant(value) }
}

fn spread_field(spread: Option<Spread>, value: impl Fn(&Spread) -> f64, text: fn(f64) -> String) -> Field {
    Field::number(spread.as_ref().map(value), text)
}

pub(super) fn clues(report: &Report) -> Option<Table> {
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

fn clue_row(clues: &ClueSummary, timed: bool) -> Vec<Field> {
    let guesses = |value: fn(&Spread) -> f64| spread_field(clues.guesses, value, guesses_number);
    let time = |value: fn(&Spread) -> f64| spread_field(clues.time_ns, value, numbers::time);
    let mut row = vec![
        Field::count(clues.clues as u64),
        Field::count(clues.rows),
        Field::share(clues.without_guess, clues.rows),
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

/// The columns that describe the rows of a file or an input.
fn summary_columns(timed: bool) -> Vec<(&'static str, bool)> {
    let mut columns = vec![
        ("Rows", true),
        ("Unique", true),
        ("Invalid", true),
        ("Repeated", true),
        ("Without a guess", true),
        ("Guesses, mean", true),
        ("Guesses, max", true),
    ];
    if timed {
        columns.extend([
            ("Time, median", true),
            ("Time, p90", true),
            ("Time, p99", true),
            ("Time, max", true),
            ("Puzzles/s", true),
        ]);
    }
    columns
}

fn summary_row(summary: &Summary, timed: bool) -> Vec<Field> {
    let count = |status: Status| summary.statuses.get(status.as_str()).copied().unwrap_or(0);
    let time = |value: fn(&Spread) -> f64| spread_field(summary.time_ns, value, numbers::time);
    let mut row = vec![
        Field::count(summary.rows),
        Field::share(count(Status::Unique), summary.rows),
        Field::count(count(Status::Invalid)),
        Field::count(summary.repeated_rows),
        Field::share(summary.without_guess, summary.solved),
        spread_field(summary.guesses, |spread| spread.mean, guesses_number),
        spread_field(summary.guesses, |spread| spread.max as f64, guesses_number),
    ];
    if timed {
        row.extend([
            time(|spread| spread.p50 as f64),
            time(|spread| spread.p90 as f64),
            time(|spread| spread.p99 as f64),
            time(|spread| spread.max as f64),
            Field::number(summary.puzzles_per_solver_second, numbers::short),
        ]);
    }
    row
}

pub(super) fn sources(report: &Report) -> Table {
    let timed = report.total.time_ns.is_some();
    let several = report.files.len() > 1;
    let mut columns = vec![("Input", false)];
    if several {
        columns.push(("Results file", false));
    }
    columns.extend(summary_columns(timed));
    let rows = report.sources.iter().map(|source| {
        let name = source.name.clone().unwrap_or_else(|| "other inputs".to_owned());
        let file = several.then(|| Field::text(source.file.clone().unwrap_or_default()));
        [Field::text(name)].into_iter().chain(file).chain(summary_row(source, timed)).collect()
    });
    table("t-sources", "Rows by the input they come from", &columns, rows.collect())
}

pub(super) fn comparison(report: &Report) -> Table {
    let timed = report.total.time_ns.is_some();
    let mut columns = vec![("Results file", false)];
    // First of all: it is what files are compared for, and a narrow screen cuts the table off at the right.
    if timed {
        columns.push(("Mean time / first", true));
    }
    columns.extend(summary_columns(timed));
    let mean = |file: &Summary| file.time_ns.map(|time| time.mean).filter(|&mean| mean > 0.0);
    let base = report.files.iter().position(|file| mean(file).is_some());
    let first = base.and_then(|base| mean(&report.files[base]));
    let rows = report.files.iter().map(|file| {
        let name = Field::text(file.name.clone().unwrap_or_default());
        let ratio = first.and_then(|first| Some(mean(file)? / first));
        let ratio = timed.then(|| Field::number(ratio, |ratio| format!("{ratio:.2}")));
        [name].into_iter().chain(ratio).chain(summary_row(file, timed)).collect()
    });
    let mut caption = "Figures of each results file".to_owned();
    if let Some(base) = base.filter(|&base| base > 0) {
        let name = report.files[base].name.as_deref().unwrap_or_default();
        caption += &format!("; the first with times is {name}");
    }
    table("t-comparison", caption, &columns, rows.collect())
}

pub(super) fn overlaps(report: &Report) -> Option<Table> {
    let overlaps = &report.duplicates.overlaps;
    let rows: Vec<_> = overlaps
        .iter()
        .map(|overlap| {
            let [first, second] = &overlap.names;
            vec![
                Field::text(first.clone()),
                Field::text(second.clone()),
                Field::count(overlap.puzzles),
                Field::share(overlap.puzzles, overlap.of[0]),
                Field::share(overlap.puzzles, overlap.of[1]),
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

pub(super) fn repeats(report: &Report) -> Option<Table> {
    let rows: Vec<_> = report
        .duplicates
        .first
        .iter()
        .map(|repeat| {
            vec![
                Field::text(repeat.place.clone()),
                Field::text(repeat.before.clone()),
                Field::text(repeat.puzzle.as_deref().unwrap_or(NO_STRING)),
            ]
        })
        .collect();
    let columns = [("Place", false), ("Occurred before in", false), ("Puzzle", false)];
    (!rows.is_empty()).then(|| table("t-repeats", "The first rows that repeat a puzzle", &columns, rows))
}

pub(super) fn inputs(report: &Report) -> Table {
    let rows = report.inputs.iter().map(|input| {
        let name = if input.name == "-" { "standard input" } else { &input.name };
        vec![
            Field::text(name),
            Field::number(input.bytes.map(|bytes| bytes as f64), |bytes| numbers::bytes(bytes as u64)),
            Field::text(input.sha256.clone().unwrap_or_else(|| "not read to its end".to_owned())),
        ]
    });
    table("t-inputs", "Files read", &[("Name", false), ("Size", true), ("SHA-256", false)], rows.collect())
}
