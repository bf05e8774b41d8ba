//! What the page and Markdown say in the same words.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde::Serialize;

use super::measure::{GUESSES, MEASURES};
use super::{ListedPuzzle, Report, numbers};
use crate::record::Weight;

/// Something to know, on a line of its own.
#[derive(Debug, Serialize)]
pub(super) struct Fact {
    pub name: &'static str,
    pub value: String,
    /// Whether it is something to type.
    pub code: bool,
}

/// What readers must know before they trust the figures.
#[derive(Debug, Serialize)]
pub(super) struct Warning {
    pub what: &'static str,
    pub text: String,
}

/// Reasons that are shown; the JSON has more.
pub(super) const MOST_REASONS: usize = 20;

/// What stands in place of 81 characters.
pub(super) const NO_STRING: &str = "Sudominoku: see the case in its file";

/// What stands in place of a hash that is not known.
pub(super) const NO_HASH: &str = "not computed";

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
            numbers::count_of(self.total.rows, "row", "rows")
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

    /// What to say where there is nothing to show.
    pub(super) const fn no_rows_text(&self) -> &'static str {
        if self.bad_rows.count > 0 {
            "No row could be read."
        } else {
            "There are no rows: nothing was solved."
        }
    }

    /// What readers must know first.
    pub(super) fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut warn = |what, text| warnings.push(Warning { what, text });
        for problem in &self.problems {
            warn("Incomplete.", problem.clone());
        }
        if self.run.as_ref().is_some_and(|run| !run.complete) {
            warn("Stopped early.", "The run ended before all inputs were read.".to_owned());
        }
        if let Some(text) = self.equal_inputs_text() {
            warn("Equal inputs.", text);
        }
        if self.bad_rows.count > 0 {
            warn("Unreadable rows.", self.bad_rows_text());
        }
        if let Some(text) = self.some_times_text() {
            warn("Times are missing.", text);
        }
        let refused = self.words_of(Weight::Defect).map(|word| self.total.count(word)).sum();
        if refused > 0 {
            let answers = numbers::count_of(refused, "answer", "answers");
            warn("Internal errors.", format!("{answers} failed the check: please report it."));
        }
        warnings
    }

    /// How many rows could not be read.
    pub(super) fn bad_rows_text(&self) -> String {
        let shown = self.bad_rows.first.len() as u64;
        let count = numbers::count_of(self.bad_rows.count, "row", "rows");
        if self.bad_rows.count > shown {
            format!("{count} of results could not be read and are not counted; the first {shown} are listed.")
        } else {
            format!(
                "{count} of results could not be read and {} not counted.",
                if shown == 1 { "is" } else { "are" }
            )
        }
    }

    /// How fast it went.
    pub(super) fn throughput(&self) -> Vec<Fact> {
        let total = &self.total;
        let mut facts = Vec::new();
        if let Some(run) = &self.run {
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
        if let Some(guesses) = total.spreads[GUESSES] {
            let without = numbers::percent(total.without_guess, total.solved);
            let mean = numbers::significant(guesses.mean);
            facts.push(fact("Guesses", format!("{mean} a puzzle; {without} of the rows need none")));
        }
        facts.push(fact("Reached the solver", numbers::count_of(total.solved, "row", "rows")));
        facts
    }

    /// Where it all comes from.
    pub(super) fn provenance_facts(&self) -> Vec<Fact> {
        let from = &self.provenance;
        let machine = &from.machine;
        let mut facts = vec![
            fact("Program", format!("batchdoku {}", from.version)),
            fact("Revision", from.revision.clone().unwrap_or_else(|| "not known".to_owned())),
            Fact { code: true, ..fact("Command", command_line(&from.command)) },
            fact("Started", from.started.clone()),
        ];
        let cores = machine
            .logical_cores
            .map(|cores| format!(", {}", numbers::count_of(cores as u64, "core", "cores")));
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
        let distinct = numbers::count_of(total.distinct_puzzles, "different puzzle", "different puzzles");
        let mut text = vec![if total.repeated_rows == 0 && total.distinct_puzzles == total.puzzles {
            format!(
                "No puzzle occurs twice: {distinct} in {}.",
                numbers::count_of(total.puzzles, "row", "rows")
            )
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
                numbers::count_of(total.puzzles, "row", "rows")
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

    /// How many reasons are not shown, if any.
    pub(super) fn more_reasons_text(&self) -> Option<String> {
        let left = self.reasons.get(MOST_REASONS..).filter(|left| !left.is_empty())?;
        let named = left.iter().filter(|reason| reason.reason.is_some()).count();
        let or_more = if named < left.len() { " or more" } else { "" };
        let rows = left.iter().map(|reason| reason.rows).sum();
        Some(format!("and {named}{or_more} more, of {}", numbers::count_of(rows, "row", "rows")))
    }
}

impl ListedPuzzle {
    /// Where it stands.
    pub(super) fn place(&self) -> String {
        let place = format!("{}:{}", self.source, self.line);
        match &self.file {
            Some(file) => format!("{file} \u{203a} {place}"),
            None => place,
        }
    }
}

fn fact(name: &'static str, value: impl Into<String>) -> Fact {
    Fact { name, value: value.into(), code: false }
}

/// The names of all measures, as a heading.
pub(super) fn measures_text() -> String {
    let names = MEASURES.each_ref().map(|measure| measure.name.to_lowercase());
    let [first @ .., last] = &names;
    capitalized(&format!("{} and {last}", first.join(", ")))
}

/// A word as it starts a sentence.
pub(super) fn capitalized(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_can_be_typed_again() {
        let words = ["batchdoku", "solve", "my file.txt", "it's", "", "-o", "a.csv"].map(str::to_owned);
        assert_eq!(command_line(&words), r"batchdoku solve 'my file.txt' 'it'\''s' '' -o a.csv");
    }
}
