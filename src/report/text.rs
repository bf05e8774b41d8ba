//! Texts shared by the page and Markdown.

use serde::Serialize;

use super::measure::{GUESSES, MEASURES};
use super::{BadRows, InputFile, ListedPuzzle, Report, numbers};
use crate::record::{PuzzleKind, Severity};

/// A named fact, shown on one line.
#[derive(Debug, Serialize)]
pub(super) struct Fact {
    pub name: &'static str,
    pub value: String,
    /// Whether the fact is meant to be typed or copied.
    pub code: bool,
}

/// The largest number of reasons shown; the JSON can list more.
pub(super) const MOST_REASONS: usize = 20;

/// Returns the text shown in place of a puzzle that has no 81-character form.
pub(super) fn no_string(kind: PuzzleKind) -> String {
    format!("{}: see the case in its file", kind.facts().title)
}

/// The text shown if there is no hash.
pub(super) const NO_HASH: &str = "not computed";

impl Report {
    /// Returns the heading, which names the files.
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
        let version = self.provenance.version_and_revision();
        let what = match (&self.run, self.inputs.len()) {
            (Some(_), 1) => "a run over 1 input".to_owned(),
            (Some(_), count) => format!("a run over {count} inputs"),
            (None, 1) => "1 file of results".to_owned(),
            (None, count) => format!("{count} files of results"),
        };
        format!("{} from {what} \u{b7} {made} \u{b7} batchdoku {version}", rows(self.total.rows))
    }

    /// Says which inputs contain the same bytes, if any.
    fn equal_inputs_text(&self) -> Option<String> {
        const MOST: usize = 5;
        let copies = InputFile::copies(&self.inputs);
        let more = match copies.len().saturating_sub(MOST) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let copies = copies.iter().take(MOST);
        let copies: Vec<_> = copies.map(|[copy, of]| format!("{copy} has the same bytes as {of}")).collect();
        (!copies.is_empty()).then(|| format!("{}{more}; their rows are counted again.", copies.join(", ")))
    }

    /// Explains why there are no figures.
    pub(super) const fn no_rows_text(&self) -> &'static str {
        if self.bad_rows.count > 0 {
            "No row could be read."
        } else {
            "There are no rows: nothing was solved."
        }
    }

    /// Returns the warnings that readers should see before the figures.
    pub(super) fn warnings(&self) -> Vec<Fact> {
        let mut warnings: Vec<_> =
            self.problems.iter().map(|problem| fact("Incomplete.", problem.clone())).collect();
        if self.run.as_ref().is_some_and(|run| !run.complete) {
            warnings.push(fact("Stopped early.", "The run ended before all inputs were read."));
        }
        warnings.extend(self.equal_inputs_text().map(|text| fact("Equal inputs.", text)));
        if self.bad_rows.count > 0 {
            warnings.push(fact("Unreadable rows.", self.bad_rows_text()));
        }
        warnings.extend(self.some_times_text().map(|text| fact("Times are missing.", text)));
        let refused = self.words_of(Severity::Defect).map(|word| self.total.count(word)).sum();
        if refused > 0 {
            let answers = numbers::count_of(refused, "answer", "answers");
            warnings.push(fact("Internal errors.", format!("{answers} failed the check: please report it.")));
        }
        warnings
    }

    /// Says how many rows could not be read.
    pub(super) fn bad_rows_text(&self) -> String {
        let BadRows { count, first } = &self.bad_rows;
        let rows = rows(*count);
        let listed = match first.len() {
            listed if *count > listed as u64 => format!("; the first {listed} are listed"),
            _ => String::new(),
        };
        format!("The figures leave out {rows} of results that could not be read{listed}.")
    }

    /// Returns facts about how fast the run was.
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
        facts.push(fact(
            "Solver time",
            match total.solver_ns {
                Some(time) => format!("{} in all", numbers::time(time as f64)),
                None => "not recorded (--no-time)".to_owned(),
            },
        ));
        if let Some(rate) = total.puzzles_per_solver_second {
            facts.push(fact("Puzzles a second", format!("{} of solver time", numbers::grouped(rate as u64))));
        }
        if let Some(guesses) = total.spreads[GUESSES] {
            let without = numbers::percent(total.without_guess, total.solved);
            let mean = numbers::significant(guesses.mean);
            facts.push(fact("Guesses", format!("{mean} a puzzle; {without} of the rows need none")));
        }
        facts.push(fact("Reached the solver", rows(total.solved)));
        facts
    }

    /// Returns facts about the program, the command, the time and the machine.
    pub(super) fn provenance_facts(&self) -> Vec<Fact> {
        let from = &self.provenance;
        let machine = &from.machine;
        // Command-line words never contain NUL, the only character that cannot be quoted.
        let command = shlex::try_join(from.command.iter().map(String::as_str)).unwrap_or_default();
        let mut facts = vec![
            fact("Program", format!("batchdoku {}", from.version)),
            fact("Revision", from.revision.as_deref().unwrap_or("unknown")),
            Fact { code: true, ..fact("Command", command) },
            fact("Started", from.started.clone()),
        ];
        let cores = machine
            .logical_cores
            .map(|cores| format!(", {}", numbers::count_of(cores as u64, "core", "cores")));
        facts.push(fact(
            "Machine",
            format!(
                "{}{} ({}, {})",
                machine.cpu.as_deref().unwrap_or("unknown processor"),
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

    /// Says how many rows have times, if only some of them do.
    fn some_times_text(&self) -> Option<String> {
        let [timed, solved] = [self.total.timed, self.total.solved];
        let [of_timed, of_solved] = [timed, solved].map(numbers::grouped);
        (timed > 0 && timed < solved)
            .then(|| format!("Only {of_timed} of {of_solved} rows that reached the solver have times."))
    }

    /// Says how many puzzles are duplicates; returns nothing if there are no puzzles.
    pub(super) fn duplicates_text(&self) -> Vec<String> {
        let total = &self.total;
        if total.puzzles == 0 {
            return Vec::new();
        }
        let about = if self.duplicates.sampled > 1 { "about " } else { "" };
        let distinct = numbers::count_of(total.distinct_puzzles, "different puzzle", "different puzzles");
        let rows_with_puzzles = rows(total.puzzles);
        let mut text = vec![if total.repeated_rows == 0 && total.distinct_puzzles == total.puzzles {
            format!("No puzzle occurs twice: {distinct} in {rows_with_puzzles}.")
        } else {
            let within = if self.files.len() > 1 { " of the same results file" } else { "" };
            let repeated = match total.repeated_rows {
                0 => "no row repeats".to_owned(),
                1 => format!("{about}1 row repeats"),
                count => format!("{about}{} rows repeat", numbers::grouped(count)),
            };
            let distinct = capitalized(&format!("{about}{distinct}"));
            format!("{distinct} in {rows_with_puzzles}; {repeated} the puzzle of an earlier row{within}.")
        }];
        if self.duplicates.isomorphs {
            text.push("Isomorphic puzzles are one puzzle here.".to_owned());
        }
        if let Some(error) = self.duplicates.relative_error {
            text.push(format!(
                "These are estimates: there are more different puzzles than fit into memory, so one in {} was \
                 counted, chosen by its hash. The standard error of the number of different puzzles is {:.2}\u{202f}%.",
                self.duplicates.sampled,
                error * 100.0
            ));
        }
        if self.duplicates.overlaps_incomplete {
            let incomplete =
                "Too many combinations of inputs share puzzles: some numbers of shared puzzles are too low.";
            text.push(incomplete.to_owned());
        }
        text
    }

    /// Says how many reasons are not shown, if any.
    pub(super) fn more_reasons_text(&self) -> Option<String> {
        let left = self.reasons.get(MOST_REASONS..).filter(|left| !left.is_empty())?;
        let named = left.iter().filter(|reason| reason.reason.is_some()).count();
        let or_more = if named < left.len() { " or more" } else { "" };
        let rows = rows(left.iter().map(|reason| reason.rows).sum());
        Some(format!("and {named}{or_more} more, of {rows}"))
    }
}

impl ListedPuzzle {
    /// Returns the place as `input:line`.
    pub(super) fn place(&self) -> String {
        let place = format!("{}:{}", self.source, self.line);
        match &self.file {
            Some(file) => format!("{file} \u{203a} {place}"),
            None => place,
        }
    }
}

fn rows(count: u64) -> String {
    numbers::count_of(count, "row", "rows")
}

fn fact(name: &'static str, value: impl Into<String>) -> Fact {
    Fact { name, value: value.into(), code: false }
}

/// Returns the names of all measures as a heading.
pub(super) fn measures_text() -> String {
    let names = MEASURES.each_ref().map(|measure| measure.name.to_lowercase());
    let [first @ .., last] = &names;
    capitalized(&format!("{} and {last}", first.join(", ")))
}

/// Returns a word with its first letter capitalized.
pub(super) fn capitalized(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
