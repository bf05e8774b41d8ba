//! The report as a page: one file that needs no network, complete without its script.
//!
//! The page is made of strings that are ready to be shown; minijinja escapes all of them, so that nothing out of an
//! input becomes markup. Only what this program drew or wrote itself is put in as it is: plots, style and script,
//! and the latter two are allowed by their hashes alone.

use std::collections::BTreeSet;

use minijinja::value::{Serde, Value};
use minijinja::{Environment, HtmlEscape};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::plot::{self, What};
use super::tables::{self, HtmlTable};
use super::text::{NO_STRING, capitalized, command_line};
use super::{ListedPuzzle, Report, numbers};
use crate::record::{PuzzleKind, Weight};

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
        environment.add_filter("breakable", breakable);
        environment.add_template(TEMPLATE_NAME, TEMPLATE).expect("the template is part of the program");
        let template = environment.get_template(TEMPLATE_NAME).expect("it was added just now");
        let page =
            template.render(Serde(HtmlPage::new(self))).expect("the page has what the template asks for");
        in_one_direction(page)
    }
}

/// Text, escaped, whose lines may end behind the separators of a path.
fn breakable(text: &str) -> Value {
    let escaped = HtmlEscape(text).to_string();
    Value::from_safe_string(escaped.replace("&#x2f;", "&#x2f;<wbr>").replace('\\', "\\<wbr>"))
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
struct HtmlPage {
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
    headline: Vec<KeyFigure>,
    empty: Option<String>,
    pooled: Option<&'static str>,
    comparison: Option<HtmlTable>,
    curves_time: Option<String>,
    curves_guesses: Option<String>,
    curve_names: Vec<String>,
    curves_left_out: Option<String>,
    verdicts: Option<HtmlTable>,
    throughput: Vec<Fact>,
    reasons: Option<HtmlTable>,
    bad_rows: Vec<String>,
    bad_rows_text: String,
    spreads: Option<HtmlTable>,
    times: Option<String>,
    guesses: Option<String>,
    heat: Option<String>,
    clues: Option<HtmlTable>,
    clues_time: Option<String>,
    clues_guesses: Option<String>,
    sources: Option<HtmlTable>,
    hardest: Vec<Card>,
    no_guess: Option<&'static str>,
    slowest: Vec<Card>,
    duplicates_text: Vec<String>,
    overlaps: Option<HtmlTable>,
    repeats: Option<HtmlTable>,
    provenance: Vec<Fact>,
    inputs: HtmlTable,
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
struct KeyFigure {
    name: String,
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

impl HtmlPage {
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
            comparison: several.then(|| tables::comparison(report)),
            curves_time: if several { plot::curves(report, What::Time) } else { None },
            curves_guesses: if several { plot::curves(report, What::Guesses) } else { None },
            curve_names: curve_names(report),
            curves_left_out: curves_left_out(report),
            verdicts: (report.total.rows > 0).then(|| tables::verdicts(report)),
            throughput: throughput(report),
            reasons: tables::reasons(report),
            bad_rows: report.bad_rows.first.clone(),
            bad_rows_text: bad_rows_text(report),
            spreads: tables::spreads(&report.total),
            times: plot::times(report),
            guesses: plot::guesses(report),
            heat: plot::time_by_guesses(report),
            clues: tables::clues(report),
            clues_time: plot::by_clues(report, What::Time),
            clues_guesses: plot::by_clues(report, What::Guesses),
            sources: (!report.sources.is_empty()).then(|| tables::sources(report)),
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
            overlaps: tables::overlaps(report),
            repeats: tables::repeats(report),
            provenance: provenance(report),
            inputs: tables::inputs(report),
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

fn fact(name: &'static str, value: impl Into<String>) -> Fact {
    Fact { name, value: value.into(), code: false }
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
    let refused = report.words_of(Weight::Defect).map(|word| report.total.count(word)).sum();
    if refused > 0 {
        let answers = numbers::count_of(refused, "answer", "answers");
        warn("Internal errors.", format!("{answers} failed the check: please report it."));
    }
    warnings
}

fn bad_rows_text(report: &Report) -> String {
    let shown = report.bad_rows.first.len() as u64;
    let count = numbers::count_of(report.bad_rows.count, "row", "rows");
    if report.bad_rows.count > shown {
        format!("{count} of results could not be read and are not counted; the first {shown} are listed.")
    } else {
        format!(
            "{count} of results could not be read and {} not counted.",
            if shown == 1 { "is" } else { "are" }
        )
    }
}

fn headline(report: &Report) -> Vec<KeyFigure> {
    let total = &report.total;
    if total.rows == 0 {
        return Vec::new();
    }
    let mut figures = vec![KeyFigure {
        name: "Rows".to_owned(),
        value: numbers::grouped(total.rows),
        note: inputs_text(report),
    }];
    figures.extend(report.leading.iter().map(|word| {
        let count = total.count(word);
        KeyFigure {
            name: capitalized(word.name),
            value: numbers::percent(count, total.rows),
            note: format!("{}: {}", numbers::count_of(count, "row", "rows"), word.about),
        }
    }));
    figures.push(KeyFigure {
        name: "Without a guess".to_owned(),
        value: if total.solved > 0 {
            numbers::percent(total.without_guess, total.solved)
        } else {
            "\u{2013}".into()
        },
        note: match total.guesses {
            Some(guesses) => format!("{} guesses on average", numbers::significant(guesses.mean)),
            None => "nothing was solved".to_owned(),
        },
    });
    match (total.time_ns, total.puzzles_per_solver_second) {
        (Some(time), rate) => {
            figures.push(KeyFigure {
                name: "Median time".to_owned(),
                value: numbers::time(time.p50 as f64),
                note: format!("99\u{202f}% up to {}", numbers::time(time.p99 as f64)),
            });
            figures.push(KeyFigure {
                name: "Puzzles a second".to_owned(),
                value: rate.map_or_else(|| "\u{2013}".to_owned(), numbers::short),
                note: "of solver time, one thread".to_owned(),
            });
        }
        (None, _) => figures.push(KeyFigure {
            name: "Time".to_owned(),
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
        return numbers::count_of(count, "input", "inputs");
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
    facts.push(fact("Reached the solver", numbers::count_of(total.solved, "row", "rows")));
    facts
}

fn curve_names(report: &Report) -> Vec<String> {
    report.files.iter().filter_map(|file| file.name.clone()).take(plot::MOST_CURVES).collect()
}

fn curves_left_out(report: &Report) -> Option<String> {
    let more = report.files.len().checked_sub(plot::MOST_CURVES).filter(|&more| more > 0)?;
    Some(format!("The first {} files are drawn; {more} more are in the table.", plot::MOST_CURVES))
}

fn guesses_text(puzzle: &ListedPuzzle) -> String {
    numbers::count_of(puzzle.guesses, "guess", "guesses")
}

fn time_text(puzzle: &ListedPuzzle) -> String {
    puzzle.time_ns.map_or_else(String::new, |time| numbers::time(time as f64))
}

fn card(puzzle: &ListedPuzzle, figure: String, other: String) -> Card {
    let place = format!("{}:{}", puzzle.source, puzzle.line);
    let what = if puzzle.kind == PuzzleKind::Sudominoku { "numbers given, sudominoku" } else { "clues" };
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
fn grid(puzzle: &ListedPuzzle) -> String {
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

fn provenance(report: &Report) -> Vec<Fact> {
    let from = &report.provenance;
    let machine = &from.machine;
    let mut facts = vec![
        fact("Program", format!("batchdoku {}", from.version)),
        fact("Revision", from.revision.clone().unwrap_or_else(|| "not known".to_owned())),
        Fact { code: true, ..fact("Command", command_line(&from.command)) },
        fact("Started", from.started.clone()),
    ];
    let cores =
        machine.logical_cores.map(|cores| format!(", {}", numbers::count_of(cores as u64, "core", "cores")));
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
    fn a_grid_shows_every_given_and_the_rest_of_the_solution() {
        let puzzle = ListedPuzzle {
            file: None,
            source: "a".to_owned(),
            line: 1,
            kind: PuzzleKind::Sudoku,
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
        assert_eq!(grid(&ListedPuzzle { solution: None, ..puzzle }).matches("<text").count(), 1);
    }
}
