//! The report as Markdown, for a terminal, an issue or a pull request.

use std::fmt::Write;

use super::measure::MEASURES;
use super::table::{Table, escaped};
use super::text::{Fact, measures_text};
use super::{Report, tables};

impl Report {
    /// The report in GitHub's Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = Markdown(String::new());
        out.paragraph(&format!("# {}", escaped(&self.heading())));
        out.paragraph(&escaped(&self.subtitle()));
        for warning in self.warnings() {
            out.paragraph(&format!("**{}** {}", warning.name, escaped(&warning.value)));
        }
        out.list(self.bad_rows.first.iter().map(|place| escaped(place)));
        if self.total.rows == 0 {
            out.paragraph(self.no_rows_text());
        }
        out.section("Side by side", [tables::comparison(self)]);
        out.section(&self.pooled("Statuses"), [tables::statuses(self), tables::reasons(self)]);
        if self.total.rows > 0 {
            out.facts(&self.throughput());
        }
        out.section(&self.pooled(&measures_text()), [tables::spreads(self)]);
        if self.total.solved > 0 {
            out.paragraph(&format!("Quantiles are within {:.0} %.", self.quantile_error * 100.0));
        }
        out.section(&self.pooled("By number of clues"), [tables::clues(self)]);
        let categories = tables::categories(self);
        if !categories.is_empty() {
            out.paragraph(&format!("## {}", self.pooled("By difficulty")));
        }
        categories.iter().for_each(|table| out.table(table));
        out.section("By input", [tables::sources(self)]);
        for (of, measure) in MEASURES.iter().enumerate() {
            out.section(&self.pooled(measure.list), [tables::listed(self, of)]);
        }
        let duplicates = self.duplicates_text();
        if !duplicates.is_empty() {
            out.paragraph("## Duplicates");
            out.paragraph(&duplicates.join(" "));
        }
        [tables::overlaps(self), tables::repeats(self)].into_iter().flatten().for_each(|it| out.table(&it));
        out.paragraph("## Provenance");
        out.facts(&self.provenance_facts());
        tables::inputs(self).iter().for_each(|inputs| out.table(inputs));
        out.0
    }

    /// The heading of a section about all results files together.
    fn pooled(&self, heading: &str) -> String {
        if self.files.len() > 1 { format!("{heading}, all files together") } else { heading.to_owned() }
    }
}

/// Markdown, block by block with a blank line between them.
struct Markdown(String);

impl Markdown {
    fn paragraph(&mut self, text: &str) {
        let gap = if self.0.is_empty() { "" } else { "\n" };
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{gap}{text}");
    }

    fn table(&mut self, table: &Table) {
        self.paragraph(table.markdown().trim_end());
    }

    /// Adds a heading and tables, unless there are no tables.
    fn section<const N: usize>(&mut self, heading: &str, tables: [Option<Table>; N]) {
        let mut tables = tables.into_iter().flatten().peekable();
        if tables.peek().is_some() {
            self.paragraph(&format!("## {heading}"));
        }
        tables.for_each(|table| self.table(&table));
    }

    fn list(&mut self, items: impl Iterator<Item = String>) {
        let items: Vec<_> = items.map(|item| format!("- {item}")).collect();
        if !items.is_empty() {
            self.paragraph(&items.join("\n"));
        }
    }

    fn facts(&mut self, facts: &[Fact]) {
        self.list(facts.iter().map(|fact| format!("{}: {}", fact.name, escaped(&fact.value))));
    }
}
