//! The description of an input as text.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Inspection;
use super::inspect::{Holders, Table};
use crate::report::numbers::grouped_by;

/// The most lines of the histogram of clues.
const BARS: usize = 8;
/// The length of the longest bar.
const LONGEST_BAR: u64 = 40;

/// The most reasons shown.
const MOST_REASONS: usize = 5;

impl Table {
    /// Returns the names of the columns, with their contents; columns of single cells are combined.
    fn columns_line(&self) -> String {
        let held = [(self.puzzle, "puzzle"), (self.solution, "solution")];
        let mut shown = Vec::new();
        let mut names = self.columns.iter().zip(1..);
        while let Some((name, number)) = names.next() {
            let begins = |holders: &Option<Holders>| match holders {
                Some(Holders::One(column) | Holders::Cells([column, _])) => *column == number,
                None => false,
            };
            shown.push(match held.iter().find(|(holders, _)| begins(holders)) {
                Some((Some(Holders::Cells([first, last])), what)) => {
                    let (end, _) = names.nth(last - first - 1).unwrap_or((name, number));
                    format!("{name} to {end} (columns {first} to {last}: the cells of the {what})")
                }
                Some((_, what)) => format!("{name} (the {what})"),
                None => name.clone(),
            });
        }
        shown.join(", ")
    }
}

impl Inspection {
    /// Returns the description as lines of text; the first is the name of the input.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.name);
        let mut line = |label: &str, what: String| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {label:<12}{what}");
        };
        line("format", self.format_line());
        if !self.tried.is_empty() {
            line("scores", self.tried_line());
        }
        line("compression", self.compression.unwrap_or("none").to_owned());
        if let Some(encoding) = self.encoding {
            line("encoding", encoding.to_owned());
        }
        line("size", self.bytes.map_or("unknown".to_owned(), |bytes| format!("{} bytes", grouped(bytes))));
        line("rows", self.rows_line());
        if self.passed_over > 0 {
            line("passed over", self.passed_over_line());
        }
        if let Some(table) = &self.table {
            line("columns", table.columns_line());
        }
        if self.examined > 0 {
            let statuses = self.words.iter().filter_map(|word| Some((word, self.statuses.get(word)?)));
            line("status", listed(statuses.map(|(word, count)| (*word, *count))));
            for reason in self.reasons.iter().take(MOST_REASONS) {
                let why = reason.reason.as_deref().unwrap_or("further reasons");
                let (count, places) = (grouped(reason.rows), reason.places.join(", "));
                line("", format!("{} {count}: {why}; {places}", reason.status));
            }
            if self.cases > 0 {
                line("sudominoku", grouped(self.cases));
            }
            let bars = bars(&self.clues);
            for (at, bar) in bars.iter().enumerate() {
                line(if at == 0 { "clues" } else { "" }, bar.clone());
            }
            if !self.blanks.is_empty() {
                let blanks = self.blanks.keys().map(|blanks| shown_blanks(blanks));
                line("blanks", blanks.collect::<Vec<_>>().join("; "));
            }
            line("duplicates", self.duplicates_line());
            line("solutions", self.claims_line());
            for wrong in self.claims.iter().flat_map(|claims| &claims.first_wrong) {
                line("", wrong.clone());
            }
        }
        for note in &self.notes {
            line("note", note.clone());
        }
        if let Some(error) = &self.error {
            line("error", error.clone());
        }
        text
    }

    fn format_line(&self) -> String {
        let header = self.table.as_ref().and_then(|table| table.header);
        let header =
            header.map_or("", |header| if header { " (with a header)" } else { " (without a header)" });
        let is_given = self.format_given;
        let given = if is_given { " (as given)" } else { "" };
        format!("{}{given}{header}", self.dialect)
    }

    /// Returns the dialects tried, with their scores.
    fn tried_line(&self) -> String {
        let tried = self.tried.iter().map(|tried| {
            let bad = if tried.bad == 0 { String::new() } else { format!(" and {} bad", grouped(tried.bad)) };
            format!("{}: {} ({} good{bad})", tried.dialect, tried.score, grouped(tried.good))
        });
        tried.collect::<Vec<_>>().join("; ")
    }

    fn passed_over_line(&self) -> String {
        let lines = if self.passed_over == 1 { "line" } else { "lines" };
        let first = self.first_passed_over.as_ref();
        let first =
            first.map_or_else(String::new, |(line, text)| format!("; the first is line {line}: {text}"));
        format!("{} {lines}{first}", grouped(self.passed_over))
    }

    fn rows_line(&self) -> String {
        let examined = grouped(self.examined);
        let rows = match self.rows {
            Some(rows) if self.rows_exact => grouped(rows),
            Some(rows) => format!("about {}", grouped(rounded(rows))),
            None => format!("at least {}", grouped(self.examined + self.left_out)),
        };
        let read = match (self.read, self.stretches) {
            ("all", _) => "all were read".to_owned(),
            (_, Some(stretches)) => format!("examined: {examined} from {stretches} places across the file"),
            _ => format!("examined: the first {examined}"),
        };
        let left_out = match self.left_out {
            0 => String::new(),
            count => format!("; time ran out for {} more", grouped(count)),
        };
        format!("{rows} ({read}{left_out})")
    }

    fn duplicates_line(&self) -> String {
        let among = if self.rows_exact { "" } else { " among those examined" };
        match self.repeated_rows {
            0 => format!("none{among}"),
            repeated => {
                let share = 100.0 * repeated as f64 / self.examined as f64;
                format!("{} ({share:.1} %) repeat an earlier puzzle{among}", grouped(repeated))
            }
        }
    }

    fn claims_line(&self) -> String {
        let Some(claims) = &self.claims else { return "none claimed".to_owned() };
        listed(claims.counts.iter().copied().filter(|&(_, count)| count > 0))
    }
}

fn grouped(number: u64) -> String {
    grouped_by(number, ',')
}

/// Returns a number rounded to three significant digits.
fn rounded(number: u64) -> u64 {
    let unit = 10_u64.pow(number.checked_ilog10().unwrap_or(0).saturating_sub(2));
    (number + unit / 2) / unit * unit
}

fn listed<'a>(counts: impl Iterator<Item = (&'a str, u64)>) -> String {
    counts.map(|(word, count)| format!("{word} {}", grouped(count))).collect::<Vec<_>>().join(", ")
}

/// Returns blanks in quotes, or names of invisible ones.
fn shown_blanks(blanks: &str) -> String {
    let shown = |character: char| match character {
        ' ' => "space".to_owned(),
        '\t' => "tab".to_owned(),
        other => format!("'{other}'"),
    };
    blanks.chars().map(shown).collect::<Vec<_>>().join(" ")
}

/// Returns the histogram of clues, one line per bar.
fn bars(clues: &BTreeMap<usize, u64>) -> Vec<String> {
    let (Some((&first, _)), Some((&last, _))) = (clues.first_key_value(), clues.last_key_value()) else {
        return Vec::new();
    };
    // A few numbers have a line each, even if they are far apart.
    let width = if clues.len() <= BARS { 1 } else { (last - first + 1).div_ceil(BARS) };
    let bins: Vec<_> = (first..=last)
        .step_by(width)
        .map(|from| {
            let to = (from + width - 1).min(last);
            (from, to, clues.range(from..=to).map(|(_, count)| count).sum::<u64>())
        })
        .filter(|&(_, _, count)| count > 0)
        .collect();
    let most = bins.iter().map(|bin| bin.2).max().unwrap_or(1).max(1);
    let bar = |&(from, to, count): &(usize, usize, u64)| {
        let range = if from == to { from.to_string() } else { format!("{from}-{to}") };
        let length = (count * LONGEST_BAR).div_ceil(most) as usize;
        format!("{range:<6}{:>11}  {}", grouped(count), "#".repeat(length)).trim_end().to_owned()
    };
    bins.iter().map(bar).collect()
}
