//! Renders the report as an HTML page, and as Markdown for a terminal, an issue or a pull request. The page is a single
//! file that needs no network and is complete without its script. Both are rendered from templates with the same
//! values.
//!
//! minijinja escapes all text, so nothing from an input becomes markup. Only the plots, the style and the script, which
//! come from this program, are included unescaped. The page allows only a style and a script that match their hashes.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, HtmlEscape, context};
use sha2::{Digest, Sha256};

use super::measure::{GUESSES, MEASURES, Measure, TIME};
use super::table::escaped;
use super::text::{capitalized, measures_text, no_string};
use super::{ListedPuzzle, Report, numbers, plot, tables};
use crate::output;
use crate::record::PuzzleKind;

/// The templates by name; the extension of the name determines how values are escaped.
const TEMPLATES: [(&str, &str); 2] =
    [(PAGE, include_str!("report.html")), (MARKDOWN, include_str!("report.md"))];
const PAGE: &str = "report.html";
const MARKDOWN: &str = "report.md";

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

impl Report {
    /// Returns the report as an HTML page.
    #[must_use]
    pub fn html(&self) -> String {
        let page = rendered(PAGE, shown(self));
        // A file name could contain characters that change the text direction, which would make it look like another
        // name.
        String::from_utf8_lossy(&output::stream::escaped(page.as_bytes())).into_owned()
    }

    /// Returns the report in GitHub-flavoured Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        rendered(MARKDOWN, shown(self)) + "\n"
    }
}

fn rendered(name: &str, values: Value) -> String {
    let mut environment = Environment::new();
    environment.add_filter("breakable", breakable);
    environment.set_auto_escape_callback(|name| match name {
        PAGE => AutoEscape::Html,
        _ => AutoEscape::Custom(MARKDOWN.into()),
    });
    environment.set_formatter(|out, state, value| match state.auto_escape() {
        AutoEscape::Html => minijinja::escape_formatter(out, state, value),
        _ if value.is_safe() => Ok(write!(out, "{value}")?),
        _ => Ok(out.write_str(&escaped(&value.to_string()))?),
    });
    for (name, template) in TEMPLATES {
        environment.add_template(name, template).expect("the template is part of the program");
    }
    let template = environment.get_template(name).expect("it was added just now");
    template.render(values).expect("the values are what the template asks for")
}

/// Returns escaped text in which lines can break after path separators.
fn breakable(text: &str) -> Value {
    let escaped = HtmlEscape(text).to_string();
    Value::from_safe_string(escaped.replace("&#x2f;", "&#x2f;<wbr>").replace('\\', "\\<wbr>"))
}

/// Returns the values for the templates.
fn shown(report: &Report) -> Value {
    let several = report.files.len() > 1;
    context! {
        style => STYLE,
        style_hash => hash(STYLE),
        script => SCRIPT,
        script_hash => hash(SCRIPT),
        version => report.provenance.version.clone(),
        title => format!("{} \u{2013} batchdoku report", report.heading()),
        heading => report.heading(),
        subtitle => report.subtitle(),
        warnings => Serde(report.warnings()),
        headline => headline(report),
        empty => (report.total.rows == 0).then(|| report.no_rows_text()),
        pooled => several.then_some("All files together."),
        comparison => Serde(tables::comparison(report)),
        statuses => Serde(tables::statuses(report)),
        throughput => Serde(report.throughput()),
        reasons => Serde(tables::reasons(report)),
        bad_rows => Serde(&report.bad_rows.first),
        bad_rows_text => report.bad_rows_text(),
        measures => measures_text(),
        spreads => Serde(tables::spreads(report)),
        distributions => distributions(report),
        clues => Serde(tables::clues(report)),
        categories => Serde(tables::categories(report)),
        sources => Serde(tables::sources(report)),
        no_guess => (report.total.solved > 0 && report.listed[GUESSES].is_empty())
            .then_some("No puzzle needed a guess."),
        listed => lists(report),
        duplicates_text => report.duplicates_text(),
        overlaps => Serde(tables::overlaps(report)),
        provenance => Serde(report.provenance_facts()),
        inputs => Serde(tables::inputs(report)),
        quantile_error => format!("{:.0}\u{202f}%", report.quantile_error * 100.0),
    }
}

/// Returns a plot for each measure that has one.
fn distributions(report: &Report) -> Vec<Value> {
    let titled = |(of, measure): (usize, &Measure)| {
        plot::distribution(report, of)
            .map(|svg| context! { title => format!("{} per puzzle", measure.name), svg => svg })
    };
    MEASURES.iter().enumerate().filter_map(titled).collect()
}

/// Returns the puzzles with the highest values of each measure, as cards and as a table.
fn lists(report: &Report) -> Vec<Value> {
    let lists = MEASURES.iter().zip(&report.listed).enumerate().filter(|(_, (_, list))| !list.is_empty());
    let list = |(of, (measure, list)): (usize, (&Measure, &Vec<ListedPuzzle>))| {
        let cards: Vec<_> = list.iter().map(|puzzle| card(puzzle, of)).collect();
        let table = Serde(tables::listed(report, of));
        context! { id => measure.list_key, title => measure.list, cards => cards, table => table }
    };
    lists.map(list).collect()
}

/// Returns the hash that a content security policy needs to allow a style or a script.
fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

/// Returns the key figures.
fn headline(report: &Report) -> Vec<Value> {
    let total = &report.total;
    if total.rows == 0 {
        return Vec::new();
    }
    let none = || "\u{2013}".to_owned();
    let figure =
        |name: &str, value: String, note: String| context! { name => name, value => value, note => note };
    let mut figures = vec![figure("Rows", numbers::grouped(total.rows), inputs_text(report))];
    figures.extend(report.leading.iter().map(|word| {
        let count = total.count(word);
        let note = format!("{}: {}", numbers::count_of(count, "row", "rows"), word.about);
        figure(&capitalized(word.name), numbers::percent(count, total.rows), note)
    }));
    let (without, note) = match total.spreads[GUESSES] {
        Some(guesses) => (
            numbers::percent(total.without_guess, total.solved),
            format!("{} guesses on average", numbers::significant(guesses.mean)),
        ),
        None => (none(), "nothing was solved".to_owned()),
    };
    figures.push(figure("Without a guess", without, note));
    if let Some(time) = total.spreads[TIME] {
        let note = format!("99\u{202f}% up to {}", numbers::time(time.p99 as f64));
        figures.push(figure("Median time", numbers::time(time.p50 as f64), note));
        let rate = total.puzzles_per_solver_second.map_or_else(none, numbers::short);
        figures.push(figure("Puzzles a second", rate, "of solver time, one thread".to_owned()));
    } else {
        figures.push(figure("Time", none(), "not recorded".to_owned()));
    }
    figures
}

/// Describes how many inputs the rows come from. An input without its own figures in one file may have them in another.
fn inputs_text(report: &Report) -> String {
    let names: BTreeSet<_> = report.sources.iter().map(|source| source.name.as_deref()).collect();
    let or_more = if names.contains(&None) { " or more" } else { "" };
    numbers::count_of(names.iter().flatten().count() as u64, "input", "inputs") + or_more
}

/// Returns a puzzle's card for the list of a measure.
fn card(puzzle: &ListedPuzzle, of: usize) -> Value {
    let is_sudoku = puzzle.kind == PuzzleKind::Sudoku;
    let kind = if is_sudoku { String::new() } else { format!("{}, ", puzzle.kind.facts().title) };
    let phrase = |at: usize| puzzle.values[at].map(MEASURES[at].phrase);
    let others = (0..MEASURES.len()).filter(|&at| at != of).filter_map(phrase);
    let facts = [format!("{kind}{} clues", puzzle.clues)].into_iter().chain(others);
    context! {
        figure => phrase(of),
        svg => grid(puzzle),
        place => puzzle.place(),
        facts => facts.chain([puzzle.status.to_owned()]).collect::<Vec<_>>().join(" \u{b7} "),
        puzzle => puzzle.puzzle.clone(),
        no_puzzle => no_string(puzzle.kind),
    }
}

/// Returns a grid with bold clues and a light solution. Nothing has to be escaped, because all text is digits.
fn grid(puzzle: &ListedPuzzle) -> String {
    let is_digit = |cells: &[u8], column: usize| cells[column].is_ascii_digit();
    let mut svg = format!(
        "<svg class=\"grid\" viewBox=\"-1 -1 182 182\" role=\"img\" aria-label=\"Grid with {} clues\">\
         <path class=\"w\" d=\"M0 0h180v180H0z\"/>\
         <path class=\"l\" d=\"M20 0v180M40 0v180M80 0v180M100 0v180M140 0v180M160 0v180\
         M0 20h180M0 40h180M0 80h180M0 100h180M0 140h180M0 160h180\"/>\
         <path class=\"b\" d=\"M0 0h180v180H0zM60 0v180M120 0v180M0 60h180M0 120h180\"/>",
        puzzle.clues
    );
    let clues = puzzle.given.as_bytes();
    let solution = puzzle.solution.as_deref().map_or(clues, str::as_bytes);
    for (row, (clues, solution)) in clues.chunks(9).zip(solution.chunks(9)).enumerate() {
        for (class, digits, is_clue) in [(" class=\"g\"", clues, true), ("", solution, false)] {
            let is_shown = |&column: &usize| is_digit(clues, column) == is_clue && is_digit(digits, column);
            let columns: Vec<_> = (0..9).filter(is_shown).collect();
            let places: Vec<_> = columns.iter().map(|column| (column * 20 + 10).to_string()).collect();
            let text: String = columns.iter().map(|&column| char::from(digits[column])).collect();
            if !text.is_empty() {
                let (x, y) = (places.join(" "), row * 20 + 15);
                svg += &format!("<text{class} y=\"{y}\" x=\"{x}\">{text}</text>");
            }
        }
    }
    svg + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::super::table::{Cell, Columns, Table};
    use super::*;

    #[test]
    fn a_table_in_markdown_leaves_out_bars_and_details() {
        let columns = || {
            Columns::<(&str, u64)>::new()
                .text("Name", |&(name, _)| Cell::text(name))
                .number("Rows", |&(_, rows)| Cell::count(rows))
                .bars(|&(_, rows)| Cell::bar(rows, 3000, "good"))
                .detail("More", |&(_, rows)| Cell::count(rows))
                .text("Text", |_| Cell::code("a*b"))
        };
        let table = Table::new("t", "So_me", columns(), &[("a|b", 3000), ("c", 1)]).unwrap();
        let text = rendered(MARKDOWN, context! { comparison => Serde(&table) }).replace('\u{202f}', " ");
        let expected = "## Side by side\n\n\
                        So\\_me:\n\n\
                        | Name | Rows | Text |\n\
                        | --- | ---: | --- |\n\
                        | a\\|b | 3 000 | `a*b` |\n\
                        | c | 1 | `a*b` |\n\n\
                        ## Provenance";
        assert!(text.contains(expected), "{text}");
        assert!(Table::new("t", "None", columns(), &[]).is_none());
    }

    #[test]
    fn a_grid_shows_all_clues_and_the_rest_of_the_solution() {
        let puzzle = ListedPuzzle {
            file: None,
            source: "a".to_owned(),
            line: 1,
            kind: PuzzleKind::Sudoku,
            status: "unique",
            clues: 2,
            values: Default::default(),
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
