//! The report as Markdown: the figures of the page as text, for a terminal, an issue or a pull request.

use std::fmt::{self, Write};

use super::text::{MOST_REASONS, NO_HASH, NO_STRING, command_line, guesses_number};
use super::{ListedPuzzle, Report, RowFigures, Spread, numbers};
use crate::record::Weight;

impl Report {
    /// The report as Markdown, with tables as GitHub has them.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_markdown(&mut text);
        text
    }

    fn write_markdown(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "# {}\n\n{}", escaped(&self.heading()), escaped(&self.subtitle()))?;
        for problem in &self.problems {
            writeln!(out, "\n**Incomplete:** {}", escaped(problem))?;
        }
        if self.run.as_ref().is_some_and(|run| !run.complete) {
            writeln!(out, "\n**Stopped early:** the run ended before all inputs were read.")?;
        }
        if let Some(text) = self.equal_inputs_text() {
            writeln!(out, "\n**Equal inputs:** {}", escaped(&text))?;
        }
        if let Some(text) = self.some_times_text() {
            writeln!(out, "\n**Times are missing:** {text}")?;
        }
        self.write_verdicts(out)?;
        self.write_spreads(out)?;
        let rows = self.clues.iter().map(|clues| {
            let [median, p99] = [0, 1].map(|at| {
                clues.time_ns.map_or_else(dash, |time| numbers::time([time.p50, time.p99][at] as f64))
            });
            vec![
                clues.clues.to_string(),
                numbers::grouped(clues.rows),
                numbers::percent(clues.without_guess, clues.rows),
                clues.guesses.map_or_else(dash, |guesses| numbers::significant(guesses.mean)),
                median,
                p99,
            ]
        });
        let columns = ["clues", "rows", "without a guess", "guesses, mean", "time, median", "time, p99"];
        section(out, &self.pooled("By number of clues"), &columns, rows.collect())?;
        let named = |figures: &RowFigures| {
            let name = figures.name.as_deref().unwrap_or("other inputs");
            let name = figures
                .file
                .as_ref()
                .map_or_else(|| name.to_owned(), |file| format!("{file} \u{203a} {name}"));
            [escaped(&name)].into_iter().chain(figure_fields(self, figures)).collect()
        };
        let told = self.leading.iter().chain(self.words_of(Weight::BadRecord)).map(|word| word.name);
        let columns: Vec<_> = ["input", "rows"]
            .into_iter()
            .chain(told)
            .chain(["repeated", "guesses, mean", "time, median", "time, p99"])
            .collect();
        section(out, "By input", &columns, self.sources.iter().map(named).collect())?;
        if self.files.len() > 1 {
            section(out, "Side by side", &columns, self.files.iter().map(named).collect())?;
        }
        for (heading, puzzles) in [("Most guesses", &self.hardest), ("Longest time", &self.slowest)] {
            let columns = ["guesses", "time", "clues", "status", "place", "puzzle"];
            section(out, &self.pooled(heading), &columns, puzzles.iter().map(puzzle_fields).collect())?;
        }
        self.write_duplicates(out)?;
        self.write_provenance(out)
    }

    /// The heading of a section that does not tell results files apart.
    fn pooled(&self, heading: &str) -> String {
        if self.files.len() > 1 { format!("{heading}, all files together") } else { heading.to_owned() }
    }

    fn write_verdicts(&self, out: &mut String) -> fmt::Result {
        let total = &self.total;
        let rows = self.words.iter().map(|word| (word, total.count(word))).filter(|&(_, count)| count > 0);
        let rows = rows.map(|(word, count)| {
            vec![word.name.to_owned(), numbers::grouped(count), numbers::percent(count, total.rows)]
        });
        section(out, &self.pooled("Verdicts"), &["status", "rows", "share"], rows.collect())?;
        if total.rows == 0 {
            writeln!(out, "\nThere are no rows.")?;
        }
        let rows = self.reasons.iter().take(MOST_REASONS).map(|reason| {
            vec![
                escaped(reason.reason.as_deref().unwrap_or("other reasons")),
                reason.status.to_owned(),
                numbers::grouped(reason.rows),
                escaped(&reason.places.join(", ")),
            ]
        });
        table(out, &["reason", "status", "rows", "first places"], rows.collect())?;
        if let Some(more) = self.more_reasons_text() {
            writeln!(out, "\n{more}")?;
        }
        if self.bad_rows.count > 0 {
            writeln!(
                out,
                "\nRows of results that could not be read: {}",
                numbers::grouped(self.bad_rows.count)
            )?;
            writeln!(out)?;
            for place in &self.bad_rows.first {
                writeln!(out, "- {}", escaped(place))?;
            }
        }
        Ok(())
    }

    fn write_spreads(&self, out: &mut String) -> fmt::Result {
        let fields = |spread: &Spread, text: fn(f64) -> String| {
            [spread.min, spread.p25, spread.p50, spread.p75, spread.p90, spread.p99, spread.max]
                .map(|value| text(value as f64))
                .into_iter()
                .chain([text(spread.mean)])
                .collect::<Vec<_>>()
        };
        let named = |name: &str, fields: Vec<String>| [name.to_owned()].into_iter().chain(fields).collect();
        let rows = [
            self.total.time_ns.map(|time| named("time", fields(&time, numbers::time))),
            self.total.guesses.map(|spread| named("guesses", fields(&spread, guesses_number))),
        ];
        let columns = ["per puzzle", "min", "p25", "median", "p75", "p90", "p99", "max", "mean"];
        section(out, &self.pooled("Time and guesses"), &columns, rows.into_iter().flatten().collect())?;
        if let (Some(time), Some(rate)) = (self.total.solver_ns, self.total.puzzles_per_solver_second) {
            let (time, rate) = (numbers::time(time as f64), numbers::grouped(rate as u64));
            writeln!(out, "\nSolver time {time}, {rate} puzzles a second of it.")?;
        }
        if let Some(run) = &self.run {
            let wall = numbers::time(run.wall_seconds * 1e9);
            // Behind a table a line belongs to it.
            let gap = if self.total.solver_ns.is_none() { "\n" } else { "" };
            writeln!(out, "{gap}Wall time {wall}, threads {}, backend {}.", run.threads, run.backend)?;
        }
        if self.total.guesses.is_some() {
            let share = numbers::percent(self.total.without_guess, self.total.solved);
            writeln!(
                out,
                "Without a guess: {share}. Quantiles are within {:.0} %.",
                self.quantile_error * 100.0
            )?;
        }
        Ok(())
    }

    fn write_duplicates(&self, out: &mut String) -> fmt::Result {
        let text = self.duplicates_text();
        if !text.is_empty() {
            writeln!(out, "\n## Duplicates\n\n{}", text.join(" "))?;
        }
        let rows = self.duplicates.overlaps.iter().map(|overlap| {
            vec![
                escaped(&overlap.names[0]),
                escaped(&overlap.names[1]),
                numbers::grouped(overlap.puzzles),
                numbers::percent(overlap.puzzles, overlap.of[0]),
                numbers::percent(overlap.puzzles, overlap.of[1]),
            ]
        });
        table(out, &["input", "other input", "in both", "of the first", "of the other"], rows.collect())?;
        let rows = self.duplicates.first.iter().map(|repeat| {
            vec![escaped(&repeat.place), escaped(&repeat.before), string(repeat.puzzle.as_deref())]
        });
        table(out, &["place", "occurred before in", "puzzle"], rows.collect())
    }

    fn write_provenance(&self, out: &mut String) -> fmt::Result {
        let from = &self.provenance;
        writeln!(out, "\n## Provenance\n")?;
        let revision = from.revision.as_deref().unwrap_or("revision not known");
        writeln!(out, "- batchdoku {} ({revision})", from.version)?;
        writeln!(out, "- command: {}", escaped(&command_line(&from.command)))?;
        let cpu = from.machine.cpu.as_deref().unwrap_or("processor not known");
        writeln!(out, "- machine: {} ({}, {})", escaped(cpu), from.machine.os, from.machine.arch)?;
        writeln!(out, "- started: {}", from.started)?;
        for input in &self.inputs {
            let bytes = input.bytes.map_or_else(dash, numbers::bytes);
            let hash = input.sha256.as_deref().unwrap_or(NO_HASH);
            writeln!(out, "- {}: {bytes}, SHA-256 {hash}", escaped(&input.name))?;
        }
        Ok(())
    }
}

fn dash() -> String {
    "\u{2013}".to_owned()
}

fn figure_fields(report: &Report, figures: &RowFigures) -> Vec<String> {
    let time = |value: fn(&Spread) -> u64| {
        figures.time_ns.as_ref().map_or_else(dash, |time| numbers::time(value(time) as f64))
    };
    let mut fields = vec![numbers::grouped(figures.rows)];
    fields.extend(report.leading.iter().map(|word| numbers::percent(figures.count(word), figures.rows)));
    fields.extend(report.words_of(Weight::BadRecord).map(|word| numbers::grouped(figures.count(word))));
    fields.extend([
        numbers::grouped(figures.repeated_rows),
        figures.guesses.map_or_else(dash, |guesses| numbers::significant(guesses.mean)),
        time(|time| time.p50),
        time(|time| time.p99),
    ]);
    fields
}

fn puzzle_fields(puzzle: &ListedPuzzle) -> Vec<String> {
    let place = format!("{}:{}", puzzle.source, puzzle.line);
    vec![
        numbers::grouped(puzzle.guesses),
        puzzle.time_ns.map_or_else(dash, |time| numbers::time(time as f64)),
        puzzle.clues.to_string(),
        puzzle.status.to_owned(),
        escaped(&place),
        string(puzzle.puzzle.as_deref()),
    ]
}

fn string(puzzle: Option<&str>) -> String {
    puzzle.map_or_else(|| NO_STRING.to_owned(), |puzzle| format!("`{puzzle}`"))
}

/// A heading and a table, if there are rows.
fn section(out: &mut String, heading: &str, columns: &[&str], rows: Vec<Vec<String>>) -> fmt::Result {
    if !rows.is_empty() {
        writeln!(out, "\n## {heading}")?;
    }
    table(out, columns, rows)
}

fn table(out: &mut String, columns: &[&str], rows: Vec<Vec<String>>) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n| {} |", columns.join(" | "))?;
    writeln!(out, "|{}", "---|".repeat(columns.len()))?;
    for row in rows {
        writeln!(out, "| {} |", row.join(" | "))?;
    }
    Ok(())
}

/// Text that Markdown shows as it is, on one line.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' => out.extend(['\\', character]),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            _ if character.is_control() => out.push(' '),
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_out_of_an_input_is_markup() {
        assert_eq!(
            escaped("a|b<script>\n[x](y) *z* `c` &amp;"),
            "a\\|b&lt;script&gt; \\[x\\](y) \\*z\\* \\`c\\` &amp;amp;"
        );
    }
}
