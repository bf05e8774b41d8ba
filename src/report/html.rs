//! The report as a page: one file that needs no network, complete without its script.
//!
//! The page is made of strings that are ready to be shown; minijinja escapes all of them, so that nothing out of an
//! input becomes markup. Only what this program drew or wrote itself is put in as it is: plots, style and script,
//! and the latter two are allowed by their hashes alone.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use minijinja::Environment;
use minijinja::value::Serde;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::plot::{self, What};
use super::{ClueSummary, Puzzle, Report, Spread, Summary, numbers};
use crate::output::Status;

const TEMPLATE: &str = include_str!("report.html");
const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// Ends the name of a template whose values are escaped for HTML.
const TEMPLATE_NAME: &str = "report.html";

impl Report {
    /// The report as a page of HTML.
    #[must_use]
    pub fn html(&self) -> String {
        let mut environment = Environment::new();
        environment.add_template(TEMPLATE_NAME, TEMPLATE).expect("the template is part of the program");
        let template = environment.get_template(TEMPLATE_NAME).expect("it was added just now");
        let page = template.render(Serde(Page::new(self))).expect("the page has what the template asks for");
        in_one_direction(page)
    }
}

/// Shows the characters that turn the direction of text as what they are: in a file's name they could make a
/// place look like another. The page itself has none.
fn in_one_direction(page: String) -> String {
    const TURNS: &str =
        "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";
    if !page.contains(|character| TURNS.contains(character)) {
        return page;
    }
    let shown = |character: char| {
        if TURNS.contains(character) { character.escape_unicode().to_string() } else { character.to_string() }
    };
    page.chars().map(shown).collect()
}

/// What the template shows.
#[derive(Debug, Serialize)]
struct Page {
    style: &'static str,
    style_hash: String,
    script: &'static str,
    script_hash: String,
    version: String,
    title: String,
    heading: String,
    subtitle: String,
    sections: Vec<Section>,
    warnings: Vec<Warning>,
    headline: Vec<Figure>,
    empty: Option<String>,
    pooled: Option<&'static str>,
    comparison: Option<Table>,
    curves_time: Option<String>,
    curves_guesses: Option<String>,
    curve_names: Vec<String>,
    curves_left_out: Option<String>,
    verdicts: Option<Table>,
    throughput: Vec<Fact>,
    reasons: Option<Table>,
    bad_rows: Vec<String>,
    bad_rows_text: String,
    spreads: Option<Table>,
    times: Option<String>,
    guesses: Option<String>,
    heat: Option<String>,
    clues: Option<Table>,
    clues_time: Option<String>,
    clues_guesses: Option<String>,
    sources: Option<Table>,
    hardest: Vec<Card>,
    no_guess: Option<&'static str>,
    slowest: Vec<Card>,
    duplicates_text: Vec<String>,
    overlaps: Option<Table>,
    repeats: Option<Table>,
    provenance: Vec<Fact>,
    inputs: Table,
    quantile_error: String,
}

#[derive(Debug, Serialize)]
struct Section {
    id: &'static str,
    name: &'static str,
}

#[derive(Debug, Serialize)]
struct Warning {
    what: String,
    text: String,
}

/// A key figure.
#[derive(Debug, Serialize)]
struct Figure {
    name: &'static str,
    value: String,
    note: String,
}

#[derive(Debug, Serialize)]
struct Fact {
    name: &'static str,
    value: String,
    /// Whether it is something to type.
    code: bool,
}

#[derive(Debug, Serialize)]
struct Table {
    id: &'static str,
    caption: String,
    columns: Vec<Column>,
    rows: Vec<Vec<Field>>,
    sortable: bool,
}

#[derive(Debug, Serialize)]
struct Column {
    name: &'static str,
    number: bool,
}

/// One field of a table.
#[derive(Debug, Serialize)]
struct Field {
    text: String,
    number: bool,
    /// What it is sorted by, if not by its text.
    sort: Option<f64>,
    /// Length of its bar in per cent, and the ink.
    bar: Option<String>,
    ink: &'static str,
}

/// A puzzle, drawn.
#[derive(Debug, Serialize)]
struct Card {
    figure: String,
    svg: String,
    place: String,
    facts: String,
    puzzle: Option<String>,
    no_puzzle: &'static str,
}

impl Page {
    fn new(report: &Report) -> Self {
        let several = report.files.len() > 1;
        let mut page = Self {
            style: STYLE,
            style_hash: hash(STYLE),
            script: SCRIPT,
            script_hash: hash(SCRIPT),
            version: report.provenance.version.clone(),
            title: format!("{} \u{2013} batchdoku report", report.heading()),
            heading: report.heading(),
            subtitle: report.subtitle(),
            sections: Vec::new(),
            warnings: warnings(report),
            headline: headline(report),
            empty: (report.total.rows == 0).then(|| no_rows(report).to_owned()),
            pooled: several.then_some("All files together."),
            comparison: several.then(|| comparison(report)),
            curves_time: if several { plot::curves(report, What::Time) } else { None },
            curves_guesses: if several { plot::curves(report, What::Guesses) } else { None },
            curve_names: curve_names(report),
            curves_left_out: curves_left_out(report),
            verdicts: (report.total.rows > 0).then(|| verdicts(report)),
            throughput: throughput(report),
            reasons: reasons(report),
            bad_rows: report.bad_rows.first.clone(),
            bad_rows_text: bad_rows_text(report),
            spreads: spreads(&report.total),
            times: plot::times(report),
            guesses: plot::guesses(report),
            heat: plot::time_by_guesses(report),
            clues: clues(report),
            clues_time: plot::by_clues(report, What::Time),
            clues_guesses: plot::by_clues(report, What::Guesses),
            sources: (!report.sources.is_empty()).then(|| sources(report)),
            hardest: report
                .hardest
                .iter()
                .map(|puzzle| card(puzzle, guesses_text(puzzle), time_text(puzzle)))
                .collect(),
            no_guess: (report.hardest.is_empty() && report.total.solved > 0 && !report.slowest.is_empty())
                .then_some("No puzzle needed a guess."),
            slowest: report
                .slowest
                .iter()
                .map(|puzzle| card(puzzle, time_text(puzzle), guesses_text(puzzle)))
                .collect(),
            duplicates_text: report.duplicates_text(),
            overlaps: overlaps(report),
            repeats: repeats(report),
            provenance: provenance(report),
            inputs: inputs(report),
            quantile_error: format!("{:.0}\u{202f}%", report.quantile_error * 100.0),
        };
        page.sections = page.sections();
        page
    }

    fn sections(&self) -> Vec<Section> {
        [
            ("comparison", "Side by side", self.comparison.is_some()),
            ("verdicts", "Verdicts", self.verdicts.is_some()),
            ("distribution", "Time and guesses", self.spreads.is_some()),
            ("clues", "By number of clues", self.clues.is_some()),
            ("sources", "By input", self.sources.is_some()),
            ("puzzles", "Hardest and slowest", !self.hardest.is_empty() || !self.slowest.is_empty()),
            ("duplicates", "Duplicates", !self.duplicates_text.is_empty()),
            ("provenance", "Provenance", true),
        ]
        .into_iter()
        .filter(|(.., shown)| *shown)
        .map(|(id, name, _)| Section { id, name })
        .collect()
    }
}

/// The hash by which a content security policy allows a style or a script.
fn hash(text: &str) -> String {
    base64(&Sha256::digest(text.as_bytes()))
}

/// RFC 4648; a package for one hash of 32 bytes would be more to read.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let word =
            group.iter().fold(0_u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - group.len()));
        for at in 0..4 {
            let letter = ALPHABET[(word >> (18 - 6 * at)) as usize & 63];
            text.push(if at <= group.len() { char::from(letter) } else { '=' });
        }
    }
    text
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

fn fact(name: &'static str, value: impl Into<String>) -> Fact {
    Fact { name, value: value.into(), code: false }
}

fn count_of(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", numbers::grouped(count), if count == 1 { one } else { many })
}

impl Report {
    /// What the report is about.
    pub(super) fn heading(&self) -> String {
        let last = |name: &str| match name {
            "-" => "standard input".to_owned(),
            name => name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned(),
        };
        let names: Vec<_> = self.inputs.iter().map(|input| last(&input.name)).collect();
        match &names[..] {
            [] => "Results".to_owned(),
            [one] => one.clone(),
            [one, two] => format!("{one} and {two}"),
            [one, two, rest @ ..] => format!("{one}, {two} and {} more", rest.len()),
        }
    }

    pub(super) fn subtitle(&self) -> String {
        let made = self.provenance.started.replace('T', " ").replace('Z', " UTC");
        let version = match &self.provenance.revision {
            Some(revision) => format!("{} ({revision})", self.provenance.version),
            None => self.provenance.version.clone(),
        };
        let what = match (&self.run, self.inputs.len()) {
            (Some(_), 1) => "a run over 1 input".to_owned(),
            (Some(_), count) => format!("a run over {count} inputs"),
            (None, 1) => "1 file of results".to_owned(),
            (None, count) => format!("{count} files of results"),
        };
        format!(
            "{} from {what} \u{b7} {made} \u{b7} batchdoku {version}",
            count_of(self.total.rows, "row", "rows")
        )
    }

    /// What is to be said of inputs with the same bytes.
    pub(super) fn equal_inputs_text(&self) -> Option<String> {
        const MOST: usize = 5;
        let mut first = HashMap::new();
        let mut pairs = Vec::new();
        for input in &self.inputs {
            let Some(hash) = &input.sha256 else { continue };
            match first.entry(hash) {
                Entry::Vacant(place) => drop(place.insert(&input.name)),
                Entry::Occupied(before) => {
                    pairs.push(format!("{} has the same bytes as {}", input.name, before.get()));
                }
            }
        }
        let more = match pairs.len().saturating_sub(MOST) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        pairs.truncate(MOST);
        (!pairs.is_empty()).then(|| format!("{}{more}; their rows are counted again.", pairs.join(", ")))
    }

    /// What is to be said if some rows have times and others have none.
    pub(super) fn some_times_text(&self) -> Option<String> {
        let total = &self.total;
        (total.timed > 0 && total.timed < total.solved).then(|| {
            format!(
                "The times are those of {} of {} rows that reached the solver; the others have none.",
                numbers::grouped(total.timed),
                numbers::grouped(total.solved)
            )
        })
    }

    /// What is to be said about duplicates; nothing if there is no puzzle.
    pub(super) fn duplicates_text(&self) -> Vec<String> {
        let total = &self.total;
        if total.puzzles == 0 {
            return Vec::new();
        }
        let about = if self.duplicates.sampled > 1 { "about " } else { "" };
        let distinct = count_of(total.distinct_puzzles, "different puzzle", "different puzzles");
        let mut text = vec![if total.repeated_rows == 0 && total.distinct_puzzles == total.puzzles {
            format!("No puzzle occurs twice: {distinct} in {}.", count_of(total.puzzles, "row", "rows"))
        } else {
            let within = if self.files.len() > 1 { " of the same results file" } else { "" };
            let repeated = match total.repeated_rows {
                0 => format!("no row repeats a puzzle of an earlier row{within}"),
                1 => format!("{about}1 row repeats the puzzle of an earlier row{within}"),
                count => {
                    let count = numbers::grouped(count);
                    format!("{about}{count} rows repeat the puzzle of an earlier row{within}")
                }
            };
            format!(
                "{} with a puzzle hold {about}{distinct}; {repeated}.",
                count_of(total.puzzles, "row", "rows")
            )
        }];
        if let Some(error) = self.duplicates.relative_error {
            text.push(format!(
                "These are estimates: there are more different puzzles than fit into memory, so one in {} was \
                 looked at, chosen by its hash. The standard error of the number of different puzzles is {:.2}\u{202f}%.",
                self.duplicates.sampled,
                error * 100.0
            ));
        }
        if self.duplicates.overlaps_incomplete {
            text.push(
                "So many combinations of inputs share puzzles that not all were told apart.".to_owned(),
            );
        }
        text
    }
}

fn no_rows(report: &Report) -> &'static str {
    if report.bad_rows.count > 0 { "No row could be read." } else { "There are no rows: nothing was solved." }
}

fn warnings(report: &Report) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut warn = |what: &str, text: String| warnings.push(Warning { what: what.to_owned(), text });
    for problem in &report.problems {
        warn("Incomplete.", problem.clone());
    }
    if report.run.as_ref().is_some_and(|run| !run.complete) {
        warn("Stopped early.", "The run ended before all inputs were read.".to_owned());
    }
    if let Some(text) = report.equal_inputs_text() {
        warn("Equal inputs.", text);
    }
    if report.bad_rows.count > 0 {
        warn("Unreadable rows.", bad_rows_text(report));
    }
    if let Some(text) = report.some_times_text() {
        warn("Times are missing.", text);
    }
    let refused = report.total.statuses.get(Status::InternalError.as_str()).copied().unwrap_or(0);
    if refused > 0 {
        let answers = count_of(refused, "answer", "answers");
        warn("Internal errors.", format!("{answers} failed the check: please report it."));
    }
    warnings
}

fn bad_rows_text(report: &Report) -> String {
    let shown = report.bad_rows.first.len() as u64;
    let count = count_of(report.bad_rows.count, "row", "rows");
    if report.bad_rows.count > shown {
        format!("{count} of results could not be read and are not counted; the first {shown} are listed.")
    } else {
        format!(
            "{count} of results could not be read and {} not counted.",
            if shown == 1 { "is" } else { "are" }
        )
    }
}

fn headline(report: &Report) -> Vec<Figure> {
    let total = &report.total;
    if total.rows == 0 {
        return Vec::new();
    }
    let unique = total.statuses.get(Status::Unique.as_str()).copied().unwrap_or(0);
    let mut figures = vec![
        Figure { name: "Rows", value: numbers::grouped(total.rows), note: inputs_text(report) },
        Figure {
            name: "Unique",
            value: numbers::percent(unique, total.rows),
            note: format!("{} with exactly one solution", numbers::grouped(unique)),
        },
        Figure {
            name: "Without a guess",
            value: if total.solved > 0 {
                numbers::percent(total.without_guess, total.solved)
            } else {
                "\u{2013}".into()
            },
            note: match total.guesses {
                Some(guesses) => format!("{} guesses on average", numbers::significant(guesses.mean)),
                None => "nothing was solved".to_owned(),
            },
        },
    ];
    match (total.time_ns, total.puzzles_per_solver_second) {
        (Some(time), rate) => {
            figures.push(Figure {
                name: "Median time",
                value: numbers::time(time.p50 as f64),
                note: format!("99\u{202f}% up to {}", numbers::time(time.p99 as f64)),
            });
            figures.push(Figure {
                name: "Puzzles a second",
                value: rate.map_or_else(|| "\u{2013}".to_owned(), numbers::short),
                note: "of solver time, one thread".to_owned(),
            });
        }
        (None, _) => figures.push(Figure {
            name: "Time",
            value: "\u{2013}".to_owned(),
            note: "not recorded".to_owned(),
        }),
    }
    figures
}

/// How many inputs the rows are from.
fn inputs_text(report: &Report) -> String {
    let names: BTreeSet<_> = report.sources.iter().filter_map(|source| source.name.as_deref()).collect();
    let count = names.len() as u64;
    if report.sources.iter().all(|source| source.name.is_some()) {
        return count_of(count, "input", "inputs");
    }
    let count = numbers::grouped(count);
    // Those without a name may be, in another results file, among those with one.
    if report.files.len() > 1 {
        format!("{count} inputs or more")
    } else {
        format!("more than {count} inputs")
    }
}

fn throughput(report: &Report) -> Vec<Fact> {
    let total = &report.total;
    let mut facts = Vec::new();
    if let Some(run) = &report.run {
        facts.push(fact("Wall time", numbers::time(run.wall_seconds * 1e9)));
        let rate = total.rows as f64 / run.wall_seconds.max(1e-9);
        facts.push(fact("Rows a second", format!("{} of wall time", numbers::grouped(rate as u64))));
        facts.push(fact("Threads", run.threads.to_string()));
        facts.push(fact("Backend", run.backend.clone()));
    }
    match (total.solver_ns, total.puzzles_per_solver_second) {
        (Some(time), rate) => {
            facts.push(fact("Solver time", format!("{} in all", numbers::time(time as f64))));
            if let Some(rate) = rate {
                facts.push(fact(
                    "Puzzles a second",
                    format!("{} of solver time", numbers::grouped(rate as u64)),
                ));
            }
        }
        (None, _) => facts.push(fact("Solver time", "not recorded (--no-time)")),
    }
    if let Some(guesses) = total.guesses {
        facts.push(fact("Guesses", format!("{} a puzzle", numbers::significant(guesses.mean))));
    }
    facts.push(fact("Reached the solver", count_of(total.solved, "row", "rows")));
    facts
}

fn verdicts(report: &Report) -> Table {
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
        Some(format!("and {named}{or_more} more, of {}", count_of(rows, "row", "rows")))
    }
}

fn reasons(report: &Report) -> Option<Table> {
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

fn spreads(total: &Summary) -> Option<Table> {
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

fn clues(report: &Report) -> Option<Table> {
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

fn sources(report: &Report) -> Table {
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

fn comparison(report: &Report) -> Table {
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

fn curve_names(report: &Report) -> Vec<String> {
    report.files.iter().filter_map(|file| file.name.clone()).take(plot::MOST_CURVES).collect()
}

fn curves_left_out(report: &Report) -> Option<String> {
    let more = report.files.len().checked_sub(plot::MOST_CURVES).filter(|&more| more > 0)?;
    Some(format!("The first {} files are drawn; {more} more are in the table.", plot::MOST_CURVES))
}

fn guesses_text(puzzle: &Puzzle) -> String {
    count_of(puzzle.guesses, "guess", "guesses")
}

fn time_text(puzzle: &Puzzle) -> String {
    puzzle.time_ns.map_or_else(String::new, |time| numbers::time(time as f64))
}

/// What stands in place of 81 characters.
pub(super) const NO_STRING: &str = "Sudominoku: its place has the case";

fn card(puzzle: &Puzzle, figure: String, other: String) -> Card {
    let place = format!("{}:{}", puzzle.source, puzzle.line);
    let what = if puzzle.kind == "sudominoku" { "numbers given, sudominoku" } else { "clues" };
    Card {
        figure,
        svg: grid(puzzle),
        place: match &puzzle.file {
            Some(file) => format!("{file} \u{203a} {place}"),
            None => place,
        },
        facts: [format!("{} {what}", puzzle.clues), other, puzzle.status.to_owned()]
            .into_iter()
            .filter(|fact| !fact.is_empty())
            .collect::<Vec<_>>()
            .join(" \u{b7} "),
        puzzle: puzzle.puzzle.clone(),
        no_puzzle: NO_STRING,
    }
}

/// A grid with its givens bold and its solution light. The cells are digits and dots: there is nothing to escape.
fn grid(puzzle: &Puzzle) -> String {
    use std::fmt::Write;

    const CELL: usize = 20;
    let blank = |cell: &u8| !matches!(cell, b'1'..=b'9');
    let mut svg = format!(
        "<svg class=\"grid\" viewBox=\"-1 -1 182 182\" role=\"img\" aria-label=\"Grid with {} clues\">\
         <path class=\"w\" d=\"M0 0h180v180H0z\"/>\
         <path class=\"l\" d=\"M20 0v180M40 0v180M80 0v180M100 0v180M140 0v180M160 0v180\
         M0 20h180M0 40h180M0 80h180M0 100h180M0 140h180M0 160h180\"/>\
         <path class=\"b\" d=\"M0 0h180v180H0zM60 0v180M120 0v180M0 60h180M0 120h180\"/>",
        puzzle.clues
    );
    let solution = puzzle.solution.as_deref().map(str::as_bytes);
    for (row, cells) in puzzle.given.as_bytes().chunks(9).enumerate() {
        let given: Vec<_> = (0..cells.len()).filter(|&column| !blank(&cells[column])).collect();
        let found: Vec<_> = match solution {
            Some(_) => (0..cells.len()).filter(|&column| blank(&cells[column])).collect(),
            None => Vec::new(),
        };
        for (columns, digits, class) in [
            (given, Some(cells), " class=\"g\""),
            (found, solution.and_then(|all| all.get(row * 9..row * 9 + 9)), ""),
        ] {
            let Some(digits) = digits.filter(|_| !columns.is_empty()) else { continue };
            let places: Vec<_> =
                columns.iter().map(|column| (column * CELL + CELL / 2).to_string()).collect();
            let text: String = columns.iter().map(|&column| char::from(digits[column])).collect();
            // Writing to a string cannot fail.
            let _ = write!(
                svg,
                "<text{class} y=\"{}\" x=\"{}\">{text}</text>",
                row * CELL + 15,
                places.join(" ")
            );
        }
    }
    svg + "</svg>"
}

fn overlaps(report: &Report) -> Option<Table> {
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

fn repeats(report: &Report) -> Option<Table> {
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

fn provenance(report: &Report) -> Vec<Fact> {
    let from = &report.provenance;
    let machine = &from.machine;
    let mut facts = vec![
        fact("Program", format!("batchdoku {}", from.version)),
        fact("Revision", from.revision.clone().unwrap_or_else(|| "not known".to_owned())),
        Fact { code: true, ..fact("Command", command_line(&from.command)) },
        fact("Started", from.started.clone()),
    ];
    let cores = machine.logical_cores.map(|cores| format!(", {}", count_of(cores as u64, "core", "cores")));
    facts.push(fact(
        "Machine",
        format!(
            "{}{} ({}, {})",
            machine.cpu.as_deref().unwrap_or("processor not known"),
            cores.unwrap_or_default(),
            machine.os,
            machine.arch
        ),
    ));
    if !machine.features.is_empty() {
        facts.push(fact("Features", machine.features.join(" ")));
    }
    facts
}

/// A command line as a shell takes it.
pub(super) fn command_line(words: &[String]) -> String {
    let plain = |word: &String| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c))
    };
    let quoted = |word: &String| {
        if plain(word) { word.clone() } else { format!("'{}'", word.replace('\'', "'\\''")) }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

fn inputs(report: &Report) -> Table {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 4648.
    #[test]
    fn base64_is_that_of_the_standard() {
        for (text, expected) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }

    #[test]
    fn a_name_cannot_turn_the_text_around() {
        assert_eq!(
            in_one_direction("a\u{202e}b \u{5d0}\u{202f}%".to_owned()),
            "a\\u{202e}b \u{5d0}\u{202f}%"
        );
    }

    #[test]
    fn a_command_line_can_be_typed_again() {
        let words = ["batchdoku", "solve", "my file.txt", "it's", "", "-o", "a.csv"].map(str::to_owned);
        assert_eq!(command_line(&words), r"batchdoku solve 'my file.txt' 'it'\''s' '' -o a.csv");
    }

    #[test]
    fn a_grid_shows_every_given_and_the_rest_of_the_solution() {
        let puzzle = Puzzle {
            file: None,
            source: "a".to_owned(),
            line: 1,
            kind: "sudoku",
            status: "unique",
            clues: 2,
            guesses: 0,
            time_ns: None,
            puzzle: None,
            solution: Some("1".repeat(81)),
            given: format!("1.......2{}", ".".repeat(72)),
        };
        let svg = grid(&puzzle);
        assert!(svg.contains("<text class=\"g\" y=\"15\" x=\"10 170\">12</text>"), "{svg}");
        assert!(svg.contains("<text y=\"15\" x=\"30 50 70 90 110 130 150\">1111111</text>"), "{svg}");
        assert_eq!(svg.matches("<text").count(), 1 + 9);
        assert_eq!(grid(&Puzzle { solution: None, ..puzzle }).matches("<text").count(), 1);
    }
}
