//! The summary: for people on standard error, for programs in the file of `--summary`. Both come from one [`Summary`].

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, SystemTime};

use serde::Serialize;

use super::exit::Exit;
use super::figures;
use crate::pipeline::{BadRecord, Ended, Ending, HardPuzzle, Tally};
use crate::provenance::Provenance;
use crate::record::{RESULTS_VERSION, Weight};
use crate::solver::Backend;

/// The summary of a run.
#[derive(Debug, Serialize)]
pub struct Summary {
    #[serde(flatten)]
    provenance: Provenance,
    results_version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    backend: Option<&'static str>,
    threads: usize,
    ending: &'static str,
    exit_code: u8,
    records: u64,
    /// How many of them an earlier run answered, which this one resumed.
    earlier_records: u64,
    written: u64,
    statuses: BTreeMap<&'static str, u64>,
    #[serde(skip)]
    by_status: Vec<(&'static str, u64)>,
    #[serde(skip)]
    bad_records: u64,
    wall_seconds: f64,
    puzzles_per_second: f64,
    solver_seconds: f64,
    time_ns: Times,
    hardest: Vec<HardPuzzle>,
    /// Whether any puzzle was searched.
    #[serde(skip)]
    is_timed: bool,
    invalid: Vec<Invalid>,
    /// Lines of the inputs that are not part of a record.
    passed_over: u64,
    /// The first of them.
    first_passed_over: Option<PassedLine>,
    /// Records whose puzzle has no blank, as in a file of solutions.
    complete_grids: u64,
    /// Answers of the backend that were refused and replaced by those of the scalar solver.
    solved_again: u64,
    defects: Vec<ListedDefect>,
    warnings: Vec<String>,
    errors: Vec<String>,
}

/// A line that was passed over.
#[derive(Debug, Serialize)]
struct PassedLine {
    source: String,
    line: u64,
    text: String,
}

/// Times of single puzzles in nanoseconds, all but `max` within 1 %.
#[derive(Debug, Serialize)]
struct Times {
    p50: u64,
    p90: u64,
    p99: u64,
    max: u64,
}

#[derive(Debug, Serialize)]
struct Invalid {
    id: u64,
    source: String,
    line: u64,
    error: String,
    #[serde(skip)]
    place_first: String,
}

/// A record on which the program failed.
#[derive(Debug, Serialize)]
struct ListedDefect {
    id: u64,
    source: String,
    line: u64,
    error: String,
    /// Whether its row is right nevertheless.
    answered: bool,
    /// An input with only this record.
    input: Vec<String>,
}

impl Summary {
    /// The summary of a run that has ended.
    #[must_use]
    pub fn new(
        ended: &Ended,
        tally: &Tally,
        backend: Option<Backend>,
        exit: Exit,
        started: SystemTime,
    ) -> Self {
        let wall_seconds = ended.wall.as_secs_f64();
        let solver_ns = u64::try_from(tally.times.sum()).unwrap_or(u64::MAX);
        Self {
            provenance: Provenance::of_this_process(started),
            results_version: RESULTS_VERSION,
            backend: backend.map(Backend::name),
            threads: ended.threads,
            ending: ending_word(ended.ending),
            exit_code: exit.code(),
            records: tally.records,
            earlier_records: tally.earlier,
            written: tally.written,
            statuses: tally.statuses().map(|(word, count)| (word.name, count)).collect(),
            by_status: tally.statuses().map(|(word, count)| (word.name, count)).collect(),
            bad_records: tally.count(Weight::BadRecord),
            wall_seconds,
            puzzles_per_second: (tally.records - tally.earlier) as f64 / wall_seconds.max(1e-9),
            solver_seconds: Duration::from_nanos(solver_ns).as_secs_f64(),
            time_ns: Times {
                p50: tally.times.quantile(0.5),
                p90: tally.times.quantile(0.9),
                p99: tally.times.quantile(0.99),
                max: tally.times.most(),
            },
            // Without guesses no puzzle is harder than another.
            hardest: tally.hardest.iter().filter(|puzzle| puzzle.guesses > 0).cloned().collect(),
            is_timed: !tally.hardest.is_empty(),
            invalid: tally
                .first_bad
                .iter()
                .map(|record| Invalid {
                    id: record.id,
                    source: record.source.clone(),
                    line: record.line,
                    error: record.fault.to_string(),
                    place_first: place_first(record),
                })
                .collect(),
            passed_over: ended.passed_over.lines,
            first_passed_over: ended.passed_over.first.as_ref().map(|(source, line, text)| PassedLine {
                source: source.name.clone(),
                line: *line,
                text: text.clone(),
            }),
            complete_grids: ended.complete_grids,
            solved_again: ended.defects.corrected,
            defects: ended
                .defects
                .first
                .iter()
                .map(|defect| ListedDefect {
                    id: defect.id,
                    source: defect.source.clone(),
                    line: defect.line,
                    error: defect.fault.to_string(),
                    answered: defect.answered,
                    input: defect.input.clone(),
                })
                .collect(),
            warnings: ended.notes.clone(),
            errors: ended
                .input_errors
                .iter()
                .map(ToString::to_string)
                .chain(ended.unwritten.iter().map(|error| format!("cannot write the results: {error}")))
                .collect(),
        }
    }

    /// The text for people, without a final line end.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_text(&mut text);
        text.truncate(text.trim_end().len());
        text
    }

    /// The JSON for programs, with a final line end.
    #[must_use]
    pub fn json(&self) -> String {
        let mut text =
            serde_json::to_string_pretty(self).expect("the keys are text and no figure is infinite");
        text.push('\n');
        text
    }

    fn write_text(&self, out: &mut String) -> std::fmt::Result {
        write!(
            out,
            "{} in {}, {} puzzles/s{}, {}",
            count_of(self.records, "record", "records"),
            figures::time(Duration::from_secs_f64(self.wall_seconds)),
            figures::grouped(self.puzzles_per_second as u64),
            self.backend.map(|backend| format!(", backend {backend}")).unwrap_or_default(),
            count_of(self.threads as u64, "thread", "threads"),
        )?;
        writeln!(out, "{}", if self.ending == COMPLETE { "" } else { " (stopped early)" })?;

        for (status, count) in self.by_status.iter().filter(|(_, count)| *count > 0) {
            writeln!(out, "  {status:<15}{:>14}", figures::grouped(*count))?;
        }
        if self.solved_again > 0 {
            writeln!(out, "  {:<15}{:>14}", "solved again", figures::grouped(self.solved_again))?;
        }
        if let Some(PassedLine { source, line, text }) = &self.first_passed_over {
            let count = figures::grouped(self.passed_over);
            let lines = if self.passed_over == 1 { "line" } else { "lines, the first" };
            writeln!(out, "  {:<15}{count:>14}  {lines}: {source}:{line}: {text}", "passed over")?;
        }
        if self.complete_grids > (self.records - self.earlier_records) / 2 {
            let count = figures::grouped(self.complete_grids);
            writeln!(out, "  {:<15}{count:>14}  have no blank: are these solutions?", "complete")?;
        }
        if self.written != self.records && self.ending != BROKEN_PIPE {
            writeln!(out, "  {:<15}{:>14}", "rows written", figures::grouped(self.written))?;
        }
        if self.earlier_records > 0 {
            let earlier = figures::grouped(self.earlier_records);
            writeln!(out, "  {:<15}{earlier:>14}  (times and guesses do not include these)", "earlier run")?;
        }
        let time = |nanoseconds| figures::time(Duration::from_nanos(nanoseconds));
        if self.is_timed {
            let solver = figures::time(Duration::from_secs_f64(self.solver_seconds));
            let of_threads = self.wall_seconds * self.threads as f64;
            let share = 100.0 * (self.solver_seconds / of_threads.max(1e-9)).min(1.0);
            writeln!(out, "  {:<15}{solver:>14}  ({share:.0} % of the threads' time)", "solver time")?;
            let Times { p50, p90, p99, max } = self.time_ns;
            for (share, value) in [("p50", p50), ("p90", p90), ("p99", p99), ("max", max)] {
                writeln!(out, "  {:<15}{:>14}", format!("  {share}"), time(value))?;
            }
        }
        let places: Vec<_> =
            self.hardest.iter().map(|puzzle| format!("{}:{}", puzzle.source, puzzle.line)).collect();
        let width = places.iter().map(|place| place.chars().count()).max().unwrap_or(0);
        for (at, (puzzle, place)) in self.hardest.iter().zip(&places).enumerate() {
            writeln!(
                out,
                "  {:<15}{place:<width$}  {:>15}  {:>8}  {}",
                if at == 0 { "hardest" } else { "" },
                count_of(puzzle.guesses, "guess", "guesses"),
                time(puzzle.time_ns),
                puzzle.status,
            )?;
        }
        for (at, record) in self.invalid.iter().enumerate() {
            writeln!(out, "  {:<15}{}", if at == 0 { "invalid" } else { "" }, record.place_first)?;
        }
        let more = self.bad_records - self.invalid.len() as u64;
        if more > 0 {
            writeln!(out, "  {:<15}and {} more", "", figures::grouped(more))?;
        }
        if !self.invalid.is_empty() {
            writeln!(
                out,
                "  hint: --format says how to read a file; --strict stops at the first bad record"
            )?;
        }
        Ok(())
    }
}

const COMPLETE: &str = "complete";
const BROKEN_PIPE: &str = "broken-pipe";

const fn ending_word(ending: Ending) -> &'static str {
    match ending {
        Ending::Complete => COMPLETE,
        Ending::Interrupted => "interrupted",
        Ending::Strict => "strict",
        Ending::BrokenPipe => BROKEN_PIPE,
        Ending::Unwritten => "unwritten",
    }
}

/// A number with the noun in singular or plural.
#[must_use]
pub fn count_of(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", figures::grouped(count), if count == 1 { one } else { many })
}

/// `source:line:column: reason`, which editors and terminals turn into a link.
#[must_use]
pub fn place_first(record: &BadRecord) -> String {
    let (source, reason) = (&record.source, record.fault.reason());
    let path = record.fault.path.as_ref().map(|path| format!("{path}: ")).unwrap_or_default();
    match record.fault.place {
        Some(place) => format!("{source}:{}:{}: {path}{reason}", place.line, place.column),
        None => format!("{source}:{}: {reason}", record.line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::InputError;
    use crate::jobs::solve::STATUSES;
    use crate::pipeline::testing::tally_of;
    use crate::pipeline::{Defects, PassedOver};
    use crate::record::Fault;

    fn ended(ending: Ending) -> Ended {
        let wall = Duration::from_millis(500);
        Ended {
            wall,
            threads: 2,
            ending,
            input_errors: Vec::new(),
            notes: Vec::new(),
            unwritten: None,
            defects: Defects::default(),
            passed_over: PassedOver::default(),
            complete_grids: 0,
        }
    }

    fn summary(rows: &[(&str, u64, u64)], ended: &Ended) -> Summary {
        let tally = tally_of(STATUSES, rows);
        Summary::new(ended, &tally, Some(Backend::SCALAR), Exit::Answered, SystemTime::UNIX_EPOCH)
    }

    fn text_of(rows: &[(&str, u64, u64)], ending: Ending) -> String {
        summary(rows, &ended(ending)).text()
    }

    /// The times are such that the histogram is exact: a short one and the longest.
    #[test]
    fn the_text_is_aligned_and_lists_only_what_occurred() {
        let rows = [("unique", 1, 200), ("invalid", 0, 0), ("unsolvable", 1234, 1_500_000)];
        assert_eq!(
            text_of(&rows, Ending::Complete),
            "\
3 records in 500 ms, 6 puzzles/s, backend scalar, 2 threads
  unique                      1
  unsolvable                  1
  invalid                     1
  solver time           1.50 ms  (0 % of the threads' time)
    p50                  200 ns
    p90                 1.50 ms
    p99                 1.50 ms
    max                 1.50 ms
  hardest        dir/a.txt:3    1,234 guesses   1.50 ms  unsolvable
                 dir/a.txt:1          1 guess    200 ns  unique
  invalid        dir/a.txt:9:4: found 'q': expected a cell
  hint: --format says how to read a file; --strict stops at the first bad record"
        );
    }

    #[test]
    fn puzzles_without_a_guess_are_not_listed_as_hardest() {
        let text = text_of(&[("unique", 0, 200), ("unique", 0, 300)], Ending::Complete);
        assert!(text.contains("solver time") && !text.contains("hardest"), "{text}");
        let text = text_of(&[("unique", 0, 200), ("unique", 1, 300)], Ending::Complete);
        assert_eq!((text.matches("a.txt:").count(), text.matches("1 guess ").count()), (1, 1), "{text}");
    }

    #[test]
    fn answers_that_were_found_again_are_counted() {
        let defects = Defects { corrected: 1234, ..Defects::default() };
        let ended = Ended { defects, ..ended(Ending::Complete) };
        let text = summary(&[("unique", 0, 0)], &ended).text();
        assert!(
            text.contains("\n  unique                      1\n  solved again            1,234\n"),
            "{text}"
        );
    }

    #[test]
    fn nothing_is_said_of_what_is_not_there() {
        assert_eq!(
            text_of(&[], Ending::Complete),
            "0 records in 500 ms, 0 puzzles/s, backend scalar, 2 threads"
        );
        assert_eq!(
            text_of(&[("invalid", 0, 0); 7], Ending::Interrupted).lines().collect::<Vec<_>>()[..2],
            [
                "7 records in 500 ms, 14 puzzles/s, backend scalar, 2 threads (stopped early)",
                "  invalid                     7"
            ]
        );
    }

    #[test]
    fn more_invalid_records_than_are_listed_are_counted() {
        let text = text_of(&[("invalid", 0, 0); 1007], Ending::Complete);
        assert_eq!(text.matches("dir/a.txt:9:4").count(), 5);
        assert!(text.contains("and 1,002 more"), "{text}");
    }

    #[test]
    fn a_run_of_no_time_has_a_finite_rate() {
        let ended = Ended { wall: Duration::ZERO, ..ended(Ending::Complete) };
        let json = summary(&[("unique", 0, 0)], &ended).json();
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert!(value["puzzles_per_second"].is_f64());
        assert_eq!(
            (&value["started"], &value["results_version"]),
            (&"1970-01-01T00:00:00Z".into(), &1.into())
        );
    }

    /// PROMISE: plain-errors
    #[test]
    fn errors_are_single_lines_for_a_program() {
        let name = || "a.csv".to_owned();
        let input_errors = vec![
            InputError::Untrusted { name: name(), what: String::new() },
            InputError::NoPuzzleColumn { name: name(), columns: vec![], wanted: None },
        ];
        let json = summary(&[], &Ended { input_errors, ..ended(Ending::Complete) }).json();
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        let errors: Vec<_> =
            value["errors"].as_array().unwrap().iter().map(|error| error.as_str().unwrap()).collect();
        assert!(errors.iter().all(|error| error.starts_with("a.csv: ")) && errors.len() == 2, "{errors:?}");
        assert!(!errors.concat().contains(['\n']) && !errors.concat().contains("--"), "{errors:?}");
    }

    #[test]
    fn an_error_without_a_place_has_the_line_of_its_record() {
        let record =
            |error: &str| BadRecord { id: 1, source: "a".into(), line: 7, fault: Fault::parse(error) };
        assert_eq!(place_first(&record("line 8, column 2: why: so")), "a:8:2: why: so");
        assert_eq!(place_first(&record("why: so")), "a:7: why: so");
    }
}
