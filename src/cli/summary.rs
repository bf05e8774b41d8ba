//! The summary, printed on standard error for people, and written to the `--summary` file for programs. Both versions
//! are made from one [`Summary`].

use std::iter;
use std::time::{Duration, SystemTime};

use serde::{Serialize, Serializer};

use super::Exit;
use super::figures::{self, count_of, grouped};
use crate::analysis::rating::Grade;
use crate::pipeline::{BadRecord, Defect, Ended, Ending, HardPuzzle, Tally};
use crate::provenance::Provenance;
use crate::record::{RESULTS_VERSION, Severity};
use crate::solver::Backend;

/// The summary of a run.
#[derive(Debug, Serialize)]
pub struct Summary<'a> {
    #[serde(flatten)]
    provenance: Provenance,
    results_version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    backend: Option<&'static str>,
    threads: usize,
    /// The seed for puzzles that are made at random.
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    ending: Ending,
    exit_code: u8,
    records: u64,
    /// The number of records answered by the earlier run that this one resumed.
    earlier_records: u64,
    written: u64,
    #[serde(serialize_with = "as_map")]
    statuses: Vec<(&'static str, u64)>,
    wall_seconds: f64,
    puzzles_per_second: f64,
    solver_seconds: f64,
    /// The times for single puzzles in nanoseconds; all but `max` are accurate to within 1 %.
    #[serde(serialize_with = "as_map")]
    time_ns: [(&'static str, u64); 4],
    /// The number of puzzles by grade, if the run rates puzzles.
    #[serde(serialize_with = "as_map", skip_serializing_if = "Vec::is_empty")]
    grades: Vec<(&'static str, u64)>,
    hardest: Vec<&'a HardPuzzle>,
    invalid: &'a [BadRecord],
    /// The number of input lines that are not part of a record.
    passed_over: u64,
    /// The first line that is not part of a record.
    first_passed_over: Option<PassedLine<'a>>,
    /// The number of records whose puzzle has no blanks, as in a file of solutions.
    complete_grids: u64,
    /// The number of backend answers that were refused and replaced with those of the scalar solver.
    solved_again: u64,
    defects: &'a [Defect],
    warnings: &'a [String],
    errors: Vec<String>,
    #[serde(skip)]
    tally: &'a Tally,
}

/// An input line that is not part of a record.
#[derive(Debug, Serialize)]
struct PassedLine<'a> {
    source: &'a str,
    line: u64,
    text: &'a str,
}

fn as_map<S: Serializer>(pairs: &[(&str, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().copied())
}

impl<'a> Summary<'a> {
    /// Returns the summary of a run that has ended.
    pub fn new(
        ended: &'a Ended,
        tally: &'a Tally,
        backend: Option<Backend>,
        seed: Option<u64>,
        exit: Exit,
        started: SystemTime,
    ) -> Self {
        let wall_seconds = ended.wall.as_secs_f64();
        let solver_ns = u64::try_from(tally.times.sum()).unwrap_or(u64::MAX);
        let quantile = |share| tally.times.quantile(share);
        let passed_over = &ended.passed_over;
        let unwritten = ended.unwritten.iter().map(|(_, error)| format!("cannot write the results: {error}"));
        Self {
            provenance: Provenance::of_this_process(started),
            results_version: RESULTS_VERSION,
            backend: backend.map(Backend::name),
            threads: ended.threads,
            seed,
            ending: ended.ending,
            exit_code: exit.code(),
            records: tally.records,
            earlier_records: tally.earlier,
            written: tally.written,
            statuses: tally.statuses().map(|(word, count)| (word.name, count)).collect(),
            wall_seconds,
            puzzles_per_second: (tally.records - tally.earlier) as f64 / wall_seconds.max(1e-9),
            solver_seconds: Duration::from_nanos(solver_ns).as_secs_f64(),
            time_ns: [
                ("p50", quantile(0.5)),
                ("p90", quantile(0.9)),
                ("p99", quantile(0.99)),
                ("max", tally.times.most()),
            ],
            grades: Grade::all().map(Grade::name).zip(tally.grades.iter().copied()).collect(),
            // If there are neither ratings nor guesses, no puzzle is harder than another.
            hardest: tally
                .hardest
                .iter()
                .filter(|puzzle| puzzle.guesses > 0 || puzzle.rating.is_some())
                .collect(),
            invalid: &tally.first_bad,
            passed_over: passed_over.lines,
            first_passed_over: passed_over.first.as_ref().map(|(source, line, text)| PassedLine {
                source: &source.name,
                line: *line,
                text,
            }),
            complete_grids: ended.complete_grids,
            solved_again: ended.defects.corrected,
            defects: &ended.defects.first,
            warnings: &ended.notes,
            errors: ended.input_errors.iter().map(ToString::to_string).chain(unwritten).collect(),
            tally,
        }
    }

    /// Returns the JSON for programs, with a line break at the end.
    pub fn json(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("the keys are text and no figure is infinite");
        text + "\n"
    }

    /// Returns the human-readable text, without a trailing newline.
    pub fn text(&self) -> String {
        let mut lines = vec![self.headline()];
        let mut figure = |name: &str, figure: &str, remark: &str| {
            lines.push(format!("  {name:<15}{figure:>14}{remark}"));
        };
        for &(status, count) in self.statuses.iter().filter(|(_, count)| *count > 0) {
            figure(status, &grouped(count), "");
        }
        if let Some(seed) = self.seed {
            figure("seed", &seed.to_string(), "");
        }
        for &(grade, count) in self.grades.iter().filter(|(_, count)| *count > 0) {
            figure(&format!("  {grade}"), &grouped(count), "");
        }
        let is_rated = self.hardest.iter().any(|puzzle| puzzle.rating.is_some());
        if self.solved_again > 0 {
            figure("solved again", &grouped(self.solved_again), "");
        }
        if let Some(PassedLine { source, line, text }) = &self.first_passed_over {
            let lines = if self.passed_over == 1 { "line" } else { "lines, the first" };
            let remark = format!("  {lines}: {source}:{line}: {text}");
            figure("passed over", &grouped(self.passed_over), &remark);
        }
        if self.complete_grids > (self.records - self.earlier_records) / 2 {
            figure("complete", &grouped(self.complete_grids), "  have no blank: are these solutions?");
        }
        if self.written != self.records && self.ending != Ending::BrokenPipe {
            figure("rows written", &grouped(self.written), "");
        }
        if self.earlier_records > 0 {
            let unknown = if is_rated { "grades and ratings" } else { "times and guesses" };
            let remark = format!("  ({unknown} do not include these)");
            figure("earlier run", &grouped(self.earlier_records), &remark);
        }
        // Solver times are shown only if no puzzles were rated, since rating takes longer than solving.
        if !self.tally.hardest.is_empty() && !is_rated {
            let time = figures::seconds(self.solver_seconds);
            let of_threads = self.wall_seconds * self.threads as f64;
            let share = 100.0 * (self.solver_seconds / of_threads.max(1e-9)).min(1.0);
            figure("solver time", &time, &format!("  ({share:.0} % of the threads' time)"));
            for (share, nanoseconds) in self.time_ns {
                figure(&format!("  {share}"), &figures::nanoseconds(nanoseconds), "");
            }
        }
        lines.extend(listed("hardest", self.hardest_lines()));
        lines.extend(listed("invalid", self.invalid_lines()));
        if !self.invalid.is_empty() {
            let hint = "--format says how to read a file; --strict stops at the first bad record";
            lines.push(format!("  hint: {hint}"));
        }
        lines.join("\n")
    }

    fn headline(&self) -> String {
        format!(
            "{} in {}, {} puzzles/s{}, {}{}",
            count_of(self.records, "record", "records"),
            figures::seconds(self.wall_seconds),
            grouped(self.puzzles_per_second as u64),
            self.backend.map(|backend| format!(", backend {backend}")).unwrap_or_default(),
            count_of(self.threads as u64, "thread", "threads"),
            if self.ending == Ending::Complete { "" } else { " (stopped early)" },
        )
    }

    fn hardest_lines(&self) -> Vec<String> {
        let place = |puzzle: &&HardPuzzle| format!("{}:{}", puzzle.source, puzzle.line);
        let width = self.hardest.iter().map(|puzzle| place(puzzle).chars().count()).max().unwrap_or(0);
        let line = |puzzle: &&HardPuzzle| {
            let (place, guesses) = (place(puzzle), count_of(puzzle.guesses, "guess", "guesses"));
            if let Some(rating) = &puzzle.rating {
                return format!("{place:<width$}  {rating:>4}  {guesses:>15}");
            }
            let time = figures::nanoseconds(puzzle.time_ns);
            format!("{place:<width$}  {guesses:>15}  {time:>8}  {}", puzzle.status)
        };
        self.hardest.iter().map(line).collect()
    }

    fn invalid_lines(&self) -> Vec<String> {
        let more = self.tally.count(Severity::BadRecord) - self.invalid.len() as u64;
        let more = (more > 0).then(|| format!("and {} more", grouped(more)));
        self.invalid.iter().map(place_first).chain(more).collect()
    }
}

/// Lists lines one below the other, with their shared name next to the first one.
fn listed(name: &str, lines: Vec<String>) -> impl Iterator<Item = String> {
    let names = [name].into_iter().chain(iter::repeat(""));
    lines.into_iter().zip(names).map(|(line, name)| format!("  {name:<15}{line}"))
}

/// Returns `source:line:column: reason`, which editors and terminals turn into a link.
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
    use crate::pipeline::{Defects, RunOptions};
    use crate::record::{Fault, FaultKind, Place};
    use std::num::NonZeroUsize;

    fn ended(ending: Ending) -> Ended {
        let threads = NonZeroUsize::new(2).unwrap();
        Ended { wall: Duration::from_millis(500), ending, ..Ended::new(&RunOptions::new(threads)) }
    }

    /// Returns the text and the JSON for a run with these rows.
    fn both_of(rows: &[(&str, u64, u64)], ended: &Ended) -> (String, serde_json::Value) {
        let (tally, started) = (tally_of(STATUSES, rows), SystemTime::UNIX_EPOCH);
        let summary = Summary::new(ended, &tally, Some(Backend::SCALAR), None, Exit::Answered, started);
        (summary.text(), serde_json::from_str(&summary.json()).unwrap())
    }

    fn text_of(rows: &[(&str, u64, u64)], ended: &Ended) -> String {
        both_of(rows, ended).0
    }

    /// All times are either short or the longest one, because the histogram is exact for these.
    #[test]
    fn the_text_is_aligned_and_lists_only_what_occurred() {
        let rows = [("unique", 1, 200), ("invalid", 0, 0), ("unsolvable", 1234, 1_500_000)];
        assert_eq!(
            text_of(&rows, &ended(Ending::Complete)),
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
    fn only_what_occurred_is_shown() {
        let complete = ended(Ending::Complete);
        let text = text_of(&[], &complete);
        assert_eq!(text, "0 records in 500 ms, 0 puzzles/s, backend scalar, 2 threads");
        let text = text_of(&[("unique", 0, 200), ("unique", 0, 300)], &complete);
        assert!(text.contains("solver time") && !text.contains("hardest"), "{text}");
        let text = text_of(&[("unique", 0, 200), ("unique", 1, 300)], &complete);
        assert_eq!((text.matches("a.txt:").count(), text.matches("1 guess ").count()), (1, 1), "{text}");

        let text = text_of(&[("invalid", 0, 0); 1007], &ended(Ending::Interrupted));
        let start = "1,007 records in 500 ms, 2,014 puzzles/s, backend scalar, 2 threads (stopped early)\n  \
                     invalid                 1,007\n";
        assert!(text.starts_with(start) && text.contains("and 1,002 more"), "{text}");
        assert_eq!(text.matches("dir/a.txt:9:4").count(), 5);

        let defects = Defects { corrected: 1234, ..Defects::default() };
        let text = text_of(&[("unique", 0, 0)], &Ended { defects, ..complete });
        let again = "\n  unique                      1\n  solved again            1,234\n";
        assert!(text.contains(again), "{text}");
    }

    #[test]
    fn a_run_of_no_time_has_a_finite_rate() {
        let ended = Ended { wall: Duration::ZERO, ..ended(Ending::Complete) };
        let (_, value) = both_of(&[("unique", 0, 0)], &ended);
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
            InputError::NoColumn { name: name(), columns: vec![], wanted: None, of_solutions: false },
        ];
        let (_, value) = both_of(&[], &Ended { input_errors, ..ended(Ending::Complete) });
        let errors: Vec<_> =
            value["errors"].as_array().unwrap().iter().map(|error| error.as_str().unwrap()).collect();
        assert!(errors.iter().all(|error| error.starts_with("a.csv: ")) && errors.len() == 2, "{errors:?}");
        assert!(!errors.concat().contains(['\n']) && !errors.concat().contains("--"), "{errors:?}");
    }

    #[test]
    fn an_error_without_a_place_has_the_line_of_its_record() {
        for (place, expected) in
            [(Some(Place { line: 8, column: 2 }), "a:8:2: why: so"), (None, "a:7: why: so")]
        {
            let fault = Fault::new(FaultKind::Any, place).text("why: so");
            let record = BadRecord { id: 1, source: "a".into(), line: 7, fault };
            assert_eq!(place_first(&record), expected);
        }
    }
}
