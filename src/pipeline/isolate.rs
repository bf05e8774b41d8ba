//! The row of a record on which a job panicked: a panic costs that row and nothing else.

use crate::jobs::Job;
use crate::record::{Column, Fault, Field, Records, Role, Schema, Sparse, Type, Weight};

/// The row of a record on which a job panicked: its origin, its puzzle, and why there is no answer.
pub(super) struct InternalError {
    status: [u8; 1],
    clues: [u8; 1],
    faults: Sparse<Fault>,
}

impl InternalError {
    /// The row of the one record in `records`.
    pub fn new(schema: &Schema, records: &Records, fault: Fault) -> Self {
        let status = schema.statuses.iter().position(|word| word.weight == Weight::Defect);
        let mut faults = Sparse::default();
        faults.push(0, fault);
        Self {
            status: [status.expect("every job has a word for a defect") as u8],
            clues: [records.puzzles()[0].clues() as u8],
            faults,
        }
    }

    /// Its columns after those of the origin, for any job; columns that only the job knows are empty.
    pub fn columns<'a>(&'a self, job: &'a impl Job, records: &'a Records) -> Vec<Column<'a>> {
        let own = |role| match role {
            Role::Status => Some(Column::Words(&self.status, job.schema().statuses)),
            Role::Clues => Some(Column::SmallNumbers(&self.clues, records.readable())),
            Role::Puzzle => Some(Column::Grids(records.puzzles(), records.readable())),
            Role::Claim => {
                let (claims, given) = records.claims.grids();
                Some(Column::Grids(claims, given))
            }
            Role::Error => Some(Column::Faults(&self.faults)),
            // No search was completed, and nothing measured.
            Role::Guesses | Role::Time | Role::Measure => Some(Column::SomeNumbers(&[0], &[false])),
            _ => None,
        };
        let nothing = |holds| match holds {
            // Readers of results expect a count, as of an invalid record.
            Type::Number => Column::Numbers(&[0]),
            Type::Decimal => Column::Decimals(&[0.0], &[false]),
            // No job has a second column of words.
            Type::Word => Column::Words(&self.status, job.schema().statuses),
            Type::Text => Column::Same(""),
            Type::Grid => Column::SomeGrids(&[None]),
            Type::Fault => Column::Faults(&self.faults),
        };
        let fields = job.schema().fields[Field::ORIGIN.len()..].iter();
        fields.map(|field| own(field.role).unwrap_or_else(|| nothing(field.holds))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Batch, ReadOptions, Source};
    use crate::jobs::failpoints::{Failure, Failures, FaultyJob, FaultySearch};
    use crate::jobs::{Answered, JOBS, SearchOptions, Then};
    use crate::output::by_name;
    use crate::pipeline::{
        BATCH_BYTES, Ended, Ending, Plan, RunOptions, Tally, TallyDigest, run, silence_isolated_panics,
    };
    use crate::record::{Table, Word};
    use crate::solver::{Backend, Limits};
    use crate::sudoku::Grid;
    use std::io::Cursor;
    use std::num::NonZeroUsize;
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    const MESSAGE: &str = "the program panicked on this record: failpoint";

    /// How to run a job.
    #[derive(Clone)]
    struct Way {
        format: &'static str,
        batch_bytes: usize,
        strict: bool,
        /// Statuses whose rows are written.
        only: Option<&'static [&'static str]>,
        verify: bool,
        recheck: bool,
        backend: Backend,
        failures: Failures,
        failures_again: Failures,
    }

    impl Way {
        fn new(format: &'static str, batch_bytes: usize) -> Self {
            Self {
                format,
                batch_bytes,
                strict: false,
                only: None,
                verify: false,
                recheck: false,
                backend: Backend::best(),
                failures: Failures::default(),
                failures_again: Failures::default(),
            }
        }

        fn failing<'a>(&self, puzzles: impl IntoIterator<Item = &'a Grid>, how: Failure) -> Self {
            let failures = Arc::new(puzzles.into_iter().map(|puzzle| (*puzzle, how)).collect());
            Self { failures, ..self.clone() }
        }

        /// The lines written, the counts, and how it ended.
        fn run(&self, text: &str) -> (Vec<String>, Tally, Ended) {
            let search = SearchOptions { backend: self.backend, limits: Limits::default() };
            let (failures, failures_again) = (Arc::clone(&self.failures), Arc::clone(&self.failures_again));
            let search = FaultySearch { search, failures, failures_again };
            if self.verify {
                self.run_job(FaultyJob::verify(search, self.recheck), text)
            } else {
                self.run_job(FaultyJob::solve(search, self.recheck), text)
            }
        }

        fn run_job<J: Job>(&self, job: J, text: &str) -> (Vec<String>, Tally, Ended) {
            silence_isolated_panics();
            let read = ReadOptions::default();
            let source = Source::from_reader("in", Cursor::new(text.to_owned()), &read).unwrap();
            let statuses = job.schema().statuses;
            let mut tally = Tally::new(job.schema());
            let plan = Plan {
                sources: vec![source],
                job: Arc::new(job),
                encoder: (by_name(self.format).unwrap().make)(),
                digest: TallyDigest,
                options: RunOptions {
                    batch_bytes: self.batch_bytes,
                    strict: self.strict,
                    only: self
                        .only
                        .map(|only| statuses.iter().map(|word| only.contains(&word.name)).collect()),
                    ..RunOptions::new(NonZeroUsize::MIN.saturating_add(1))
                },
            };
            let mut out = Vec::new();
            let ended = run(plan, &mut tally, &mut out, &(), &AtomicBool::new(false)).unwrap();
            (String::from_utf8(out).unwrap().lines().map(str::to_owned).collect(), tally, ended)
        }
    }

    /// The first puzzles of a list of the project.
    fn puzzles(list: &str, count: usize) -> Vec<Grid> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(list);
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().take(count).map(|line| line.parse().unwrap()).collect()
    }

    fn lines(puzzles: &[Grid]) -> String {
        puzzles.iter().map(|puzzle| format!("{puzzle}\n")).collect()
    }

    /// Puzzles of every status, with a record that cannot be read and one whose clues clash.
    fn mixed() -> (Vec<Grid>, String) {
        let lists = [("easy.txt", 60), ("several.txt", 20), ("unsolvable.txt", 20), ("minimal.txt", 60)];
        let good: Vec<_> = lists.into_iter().flat_map(|(list, count)| puzzles(list, count)).collect();
        let clash = format!("11{}\n", ".".repeat(79));
        let (first, rest) = good.split_at(90);
        (good.clone(), format!("{}{clash}{}\n{}", lines(first), ".".repeat(80), lines(rest)))
    }

    /// Which puzzles panic: the first, one in the middle, the last, several of several batches, all.
    fn choices(puzzles: &[Grid]) -> Vec<Vec<Grid>> {
        let at = |rows: &[usize]| rows.iter().map(|&row| puzzles[row]).collect();
        let last = puzzles.len() - 1;
        vec![
            at(&[0]),
            at(&[last / 2]),
            at(&[last]),
            at(&[1, 2, 3, 40, 41, 75, 95, 120, last - 1]),
            puzzles.to_vec(),
        ]
    }

    /// PROMISE: panic-costs-its-row
    #[test]
    fn a_panic_costs_the_rows_of_the_puzzles_that_panic_and_no_other() {
        let (puzzles, text) = mixed();
        let records = puzzles.len() + 2;
        for (format, header) in [("csv", 1), ("lines", 0), ("text", 0), ("jsonl", 0)] {
            for batch_bytes in [1, 700, BATCH_BYTES] {
                let way = Way::new(format, batch_bytes);
                let (sound, _, ended) = way.run(&text);
                assert_eq!(
                    (sound.len(), &ended.defects),
                    (records + header, &super::super::Defects::default())
                );
                for failing in choices(&puzzles) {
                    let (rows, tally, ended) = way.failing(&failing, Failure::Panic).run(&text);
                    assert_eq!((rows.len(), ended.ending), (sound.len(), Ending::Complete));
                    assert_eq!(tally.count(Weight::Defect), failing.len() as u64);
                    assert_eq!(tally.records, records as u64);
                    let source = std::iter::repeat_n("", header).chain(text.lines());
                    for ((row, sound), line) in rows.iter().zip(&sound).zip(source) {
                        let panics = line.parse().is_ok_and(|puzzle| failing.contains(&puzzle));
                        let expected = match format {
                            _ if !panics => sound.clone(),
                            "csv" => {
                                let origin: Vec<_> = sound.splitn(5, ',').take(4).collect();
                                let clues = line.bytes().filter(u8::is_ascii_digit).count();
                                let line = line.replace('0', ".");
                                format!(
                                    "{},internal-error,0,{clues},,{line},,{MESSAGE} {clues}",
                                    origin.join(",")
                                )
                            }
                            "lines" => format!("{},", line.replace('0', ".")),
                            "text" => "internal-error".to_owned(),
                            _ => {
                                let value: serde_json::Value = serde_json::from_str(row).unwrap();
                                assert_eq!(value["status"], "internal-error");
                                assert!(value["error"].as_str().unwrap().starts_with(MESSAGE), "{row}");
                                continue;
                            }
                        };
                        assert_eq!(*row, expected, "{format}, batches of {batch_bytes} bytes");
                    }
                }
            }
        }
    }

    /// The list of defects has all that is needed to reproduce each.
    #[test]
    fn a_panic_is_told_with_the_record_alone() {
        let (puzzles, text) = mixed();
        for batch_bytes in [700, BATCH_BYTES] {
            let way = Way::new("csv", batch_bytes);
            let failing = [puzzles[3], puzzles[100]];
            let (_, _, ended) = way.failing(&failing, Failure::Panic).run(&text);
            let defects = &ended.defects;
            assert!(defects.all_in_rows());
            let told: Vec<_> =
                defects.first.iter().map(|defect| (defect.id, defect.line, &*defect.source)).collect();
            // Two records without a puzzle come before the second.
            assert_eq!(told, [(4, 4, "in"), (103, 103, "in")]);
            for (defect, puzzle) in defects.first.iter().zip(failing) {
                assert_eq!((&defect.input, defect.answered), (&vec![puzzle.to_string()], false));
                assert!(defect.fault.to_string().starts_with(MESSAGE), "{}", defect.fault);
                assert!(defect.origin.as_ref().unwrap().contains("failpoints.rs:"), "{:?}", defect.origin);
                let (alone, tally, _) =
                    way.failing(&failing, Failure::Panic).run(&format!("{}\n", defect.input[0]));
                assert_eq!((alone.len(), tally.count(Weight::Defect)), (2, 1));
            }
            let (_, tally, ended) = way.failing(&puzzles, Failure::Panic).run(&text);
            assert_eq!((tally.count(Weight::Defect), ended.defects.first.len()), (puzzles.len() as u64, 5));
        }
    }

    #[test]
    fn strict_and_only_hold_in_a_batch_that_panicked() {
        let (puzzles, text) = mixed();
        let failing = [puzzles[5], puzzles[50], puzzles[120]];
        for batch_bytes in [700, BATCH_BYTES] {
            let way = Way::new("csv", batch_bytes);
            let (all, ..) = way.failing(&failing, Failure::Panic).run(&text);

            let strict = Way { strict: true, ..way.clone() };
            let (rows, tally, ended) = strict.failing(&failing, Failure::Panic).run(&text);
            // The clash is the first bad record, after 90 puzzles.
            assert_eq!((ended.ending, tally.records, tally.count(Weight::Defect)), (Ending::Strict, 91, 2));
            assert_eq!(rows, all[..92]);

            for only in [&["internal-error"] as &[_], &["multiple", "invalid"], &["unsolvable"]] {
                let way = Way { only: Some(only), ..way.clone() };
                let (rows, tally, _) = way.failing(&failing, Failure::Panic).run(&text);
                let wanted =
                    |row: &&String| only.iter().any(|word| row.contains(&format!(",sudoku,{word},")));
                let expected: Vec<_> = all[..1].iter().chain(all.iter().filter(wanted)).collect();
                assert_eq!(rows.iter().collect::<Vec<_>>(), expected, "{only:?}");
                assert_eq!((tally.records, tally.written), (puzzles.len() as u64 + 2, rows.len() as u64 - 1));
            }
        }
    }

    /// Claims of every kind: right, wrong, missing, no grid, and one of several solutions, the smallest or not.
    fn claims() -> (Vec<Grid>, String) {
        let puzzles = [puzzles("easy.txt", 40), puzzles("several.txt", 40)].concat();
        let (solved, ..) = Way::new("lines", BATCH_BYTES).run(&lines(&puzzles));
        let mut text = "puzzle,solution\n".to_owned();
        for (at, line) in solved.iter().enumerate() {
            match at % 5 {
                0 => text.push_str(&line[..82]),
                1 => text.push_str(&format!("{}9{}", &line[..82], &line[83..])),
                2 => text.push_str(&line[..100]),
                _ => text.push_str(line),
            }
            text.push('\n');
        }
        (puzzles, text)
    }

    /// PROMISE: panic-costs-its-row
    #[test]
    fn verify_loses_the_rows_of_the_claims_that_panic_and_no_other() {
        let (puzzles, text) = claims();
        for batch_bytes in [1, 1000, BATCH_BYTES] {
            let way = Way { verify: true, ..Way::new("csv", batch_bytes) };
            let (sound, tally, _) = way.run(&text);
            assert_eq!(tally.count(Weight::Defect), 0);
            let seen = |status: &str| sound.iter().filter(|row| row.contains(&format!(",{status},"))).count();
            for status in ["correct", "wrong", "missing", "not-unique"] {
                assert!(seen(status) > 3, "{status}: {}", seen(status));
            }
            let last = puzzles.len() - 1;
            for failing in [&puzzles[..1], &puzzles[30..33], &puzzles[last..], &puzzles] {
                let (rows, tally, ended) = way.failing(failing, Failure::Panic).run(&text);
                assert_eq!(tally.count(Weight::Defect), failing.len() as u64);
                assert_eq!(rows.len(), sound.len());
                for ((row, sound), line) in rows.iter().zip(&sound).zip(text.lines()) {
                    let puzzle = line[..81.min(line.len())].parse();
                    if puzzle.is_ok_and(|puzzle| failing.contains(&puzzle)) {
                        assert!(row.contains(",internal-error,") && row.contains(MESSAGE), "{row}");
                        // The origin, the puzzle and the claim are still there.
                        let (before, after) =
                            (row.split(',').collect::<Vec<_>>(), sound.split(',').collect::<Vec<_>>());
                        assert_eq!((&before[..4], &before[7..9]), (&after[..4], &after[7..9]));
                    } else {
                        assert_eq!(row, sound);
                    }
                }
                for defect in &ended.defects.first {
                    let alone = format!("{}\n", defect.input[0]);
                    let (_, tally, again) = way.failing(failing, Failure::Panic).run(&alone);
                    assert_eq!(tally.count(Weight::Defect), 1, "{alone}");
                    assert_eq!(again.defects.first[0].input, defect.input);
                }
            }
        }
    }

    /// Every row is right, but the run has a defect.
    #[test]
    fn a_panic_of_a_batch_that_no_record_repeats_is_told() {
        let (_, text) = mixed();
        let way = Way::new("csv", BATCH_BYTES);
        let search = SearchOptions { backend: Backend::best(), limits: Limits::default() };
        let (failures, failures_again) = (Failures::default(), Failures::default());
        let mut job = FaultyJob::solve(FaultySearch { search, failures, failures_again }, false);
        job.fails_together = true;
        let (rows, tally, ended) = way.run_job(job, &text);
        assert_eq!(rows, way.run(&text).0);
        assert_eq!((tally.count(Weight::Defect), ended.defects.batch_panics), (0, 1));
        assert!(!ended.defects.all_in_rows());
        let fault = &ended.defects.first[0].fault;
        assert_eq!(
            fault.to_string(),
            "the program panicked on 162 records side by side, and on none alone: too many"
        );
    }

    /// PROMISE: refused-answer
    #[test]
    fn a_wrong_digit_is_solved_again_on_every_backend() {
        let (puzzles, text) = mixed();
        for backend in Backend::available() {
            for how in [Failure::WRONG_DIGIT, Failure::MISSING] {
                for batch_bytes in [700, BATCH_BYTES] {
                    let way = Way { backend, ..Way::new("lines", batch_bytes) };
                    let (sound, _, ended) = way.run(&text);
                    assert!(ended.defects.all_in_rows());
                    for failing in [&puzzles[..1], &puzzles[55..70], &puzzles[159..], &puzzles] {
                        let faulty = way.failing(failing, how);
                        let (rows, tally, ended) = faulty.run(&text);
                        assert_eq!(rows, sound, "{backend:?}");
                        // A puzzle without a solution has no digit to get wrong.
                        let unsolvable = sound.iter().filter(|row| row.ends_with(',') && row.len() > 1);
                        let failed = failing
                            .iter()
                            .filter(|puzzle| unsolvable.clone().all(|row| row[..81] != puzzle.to_string()));
                        assert_eq!(ended.defects.corrected, failed.count() as u64);
                        assert_eq!(tally.count(Weight::Defect), 0);
                        assert!(ended.defects.first.iter().all(|defect| defect.answered));

                        // Wrong again, as without another solver.
                        let hopeless = Way { failures_again: Arc::clone(&faulty.failures), ..faulty };
                        let (_, tally, again) = hopeless.run(&text);
                        assert_eq!(tally.count(Weight::Defect), ended.defects.corrected);
                        assert_eq!(again.defects.corrected, 0);
                    }
                }
            }
        }
    }

    #[test]
    fn verify_asks_again_whoever_contradicts_a_right_claim() {
        let (puzzles, text) = claims();
        for backend in Backend::available() {
            let way = Way { verify: true, backend, ..Way::new("jsonl", BATCH_BYTES) };
            let (sound, ..) = way.run(&text);
            for how in [Failure::WRONG_DIGIT, Failure::MISSING] {
                let faulty = way.failing(&puzzles, how);
                let (rows, tally, ended) = faulty.run(&text);
                let without_guesses = |rows: Vec<String>| -> Vec<serde_json::Value> {
                    let values = rows.iter().map(|row| serde_json::from_str(row).unwrap());
                    values
                        .map(|mut row: serde_json::Value| {
                            // The scalar solver has different guesses.
                            row["guesses"].take();
                            row
                        })
                        .collect()
                };
                assert_eq!(without_guesses(rows), without_guesses(sound.clone()));
                assert_eq!((tally.count(Weight::Defect), ended.defects.corrected), (0, puzzles.len() as u64));
                let hopeless = Way { failures_again: Arc::clone(&faulty.failures), ..faulty };
                assert_eq!(hopeless.run(&text).1.count(Weight::Defect), puzzles.len() as u64);
            }
            // Only a right claim proves it wrong.
            let (_, tally, ended) = way.failing(&puzzles, Failure::UNSOLVABLE).run(&text);
            let right =
                sound.iter().filter(|row| row.contains("\"correct\"") || row.contains("\"not-unique\""));
            assert_eq!((tally.count(Weight::Defect), ended.defects.corrected), (0, right.count() as u64));
        }
    }

    /// If the claim is the smallest of several solutions, a second search finds another, on the puzzle with mirrored
    /// digits. A failure there costs only its row, too.
    #[test]
    fn the_search_for_another_solution_is_isolated_and_asked_again() {
        let (puzzles, text) = claims();
        let turned = |puzzle: &Grid| {
            let digits =
                puzzle.cells().iter().map(|&digit| if digit == 0 { '.' } else { (b'0' + 10 - digit).into() });
            digits.collect::<String>().parse::<Grid>().unwrap()
        };
        let turned: Vec<_> = puzzles[40..].iter().map(turned).collect();
        let way = Way { verify: true, ..Way::new("csv", 1000) };
        let (sound, ..) = way.run(&text);
        let (rows, tally, _) = way.failing(&turned, Failure::Panic).run(&text);
        let lost = rows.iter().zip(&sound).filter(|(row, sound)| row != sound);
        assert!(lost.clone().all(|(row, sound)| row.contains(MESSAGE) && sound.contains(",not-unique,")));
        let smallest = sound.iter().filter(|row| row.contains(",not-unique,")).count();
        assert!(smallest >= 16, "two in five claims are right, and all of those are the smallest");
        assert_eq!((lost.count(), tally.count(Weight::Defect)), (smallest, smallest as u64));
        for how in [Failure::WRONG_DIGIT, Failure::MISSING, Failure::UNSOLVABLE] {
            let faulty = way.failing(&turned, how);
            let (rows, _, ended) = faulty.run(&text);
            assert_eq!((rows, ended.defects.corrected), (sound.clone(), smallest as u64));
            let hopeless = Way { failures_again: Arc::clone(&faulty.failures), ..faulty };
            assert_eq!(hopeless.run(&text).1.count(Weight::Defect), smallest as u64);
        }
    }

    /// A wrong count, which the verifier cannot see.
    /// PROMISE: recheck
    #[test]
    fn recheck_finds_counts_that_are_wrong() {
        let (puzzles, text) = mixed();
        let several = &puzzles[60..80];
        for backend in Backend::available() {
            for (failing, how, fault) in [
                (&puzzles[..60], Failure::UNSOLVABLE, "the scalar solver says unique (expected unsolvable)"),
                (several, Failure::UNSOLVABLE, "the scalar solver says multiple (expected unsolvable)"),
                (several, Failure::UNIQUE, "the scalar solver says multiple (expected unique)"),
            ] {
                let way = Way { backend, ..Way::new("csv", BATCH_BYTES) }.failing(failing, how);
                assert_eq!(way.run(&text).1.count(Weight::Defect), 0, "nobody can know");
                for verify in [false, true] {
                    let way = Way { recheck: true, verify, ..way.clone() };
                    // Without claims every row is `missing` unless something is wrong.
                    let text = if verify { text.replace('\n', ",\n") } else { text.clone() };
                    let text = if verify { format!("puzzle,solution\n{text}") } else { text };
                    let (rows, tally, ended) = way.run(&text);
                    assert_eq!(tally.count(Weight::Defect), failing.len() as u64);
                    assert_eq!(rows.iter().filter(|row| row.ends_with(fault)).count(), failing.len());
                    assert!(ended.defects.all_in_rows() && ended.defects.first.len() == 5);
                }
            }
        }
    }

    /// As many rows for a record as it has clues, seven to a page; it panics where it comes to a row of a record, and where
    /// it comes to a record with others if it `fails_together`.
    struct Clues {
        schema: Schema,
        panics_at: Option<(Grid, usize)>,
        fails_together: Option<Grid>,
    }

    const CLUES: &[Field] = &[Field::STATUS, Field::CLUES, Field::ERROR];

    impl Job for Clues {
        /// The next record, and its next row.
        type Worker = (usize, usize);

        fn schema(&self) -> &Schema {
            &self.schema
        }

        fn schema_mut(&mut self) -> &mut Schema {
            &mut self.schema
        }

        fn worker(&self, _: Arc<AtomicBool>) -> (usize, usize) {
            (0, 0)
        }

        fn begin(&self, next: &mut (usize, usize), _: &Batch, _: &Records, _: &mut Table) {
            *next = (0, 0);
        }

        fn answer(
            &self,
            next: &mut (usize, usize),
            _: &Batch,
            records: &Records,
            table: &mut Table,
        ) -> Answered {
            while table.len() < 7 && next.0 < records.len() {
                let puzzle = records.puzzles()[next.0];
                assert_ne!(Some((puzzle, next.1)), self.panics_at, "failpoint");
                assert!(records.len() == 1 || Some(puzzle) != self.fails_together, "together");
                table.row_of(next.0, 0_u8).number(&Field::CLUES, next.1 as u64);
                let is_last = next.1 + 1 >= puzzle.clues() as usize;
                *next = if is_last { (next.0 + 1, 0) } else { (next.0, next.1 + 1) };
            }
            let then = if next.0 < records.len() { Then::More } else { Then::Done };
            Answered { rows: table.len(), then }
        }

        fn has_many_rows(&self) -> bool {
            true
        }
    }

    /// Rows that were written before a panic are not written again, and those of other records are all there.
    #[test]
    fn a_panic_within_the_rows_of_a_record_costs_the_rest_of_them() {
        const WORDS: &[Word] =
            &[Word::new("seen", "", Weight::Answered), Word::new("failed", "", Weight::Defect)];
        let puzzles = puzzles("easy.txt", 30);
        let text = lines(&puzzles);
        for batch_bytes in [1, 500, BATCH_BYTES] {
            let run = |panics_at, fails_together| {
                let job = Clues { schema: Schema::new(CLUES, WORDS, false), panics_at, fails_together };
                Way::new("csv", batch_bytes).run_job(job, &text)
            };
            let (sound, tally, _) = run(None, None);
            let clues: u32 = puzzles.iter().map(Grid::clues).sum();
            assert_eq!((sound.len(), tally.records, tally.written), (1 + clues as usize, 30, clues.into()));
            assert!(sound[1].starts_with("1,in,1,sudoku,seen,0,"), "{}", sound[1]);
            let (together, tally, ended) = run(None, Some(puzzles[17]));
            assert!(together == sound && tally.records == 30, "{batch_bytes}");
            assert_eq!(ended.defects.batch_panics, u64::from(batch_bytes > 1));
            for (record, row) in [(0, 0), (0, 20), (17, 0), (17, 3), (17, 13), (29, 31)] {
                let (rows, tally, ended) = run(Some((puzzles[record], row)), None);
                let (failed, others): (Vec<_>, Vec<_>) =
                    rows[1..].iter().cloned().partition(|line| line.contains(",failed,"));
                assert_eq!(failed.len(), 1, "{record} {row}");
                // Of the record itself all pages before that on which it panicked.
                let is_own = |line: &&String| line.starts_with(&format!("{},", record + 1));
                let own = others.iter().filter(is_own).count();
                assert!((row / 7 * 7..=row).contains(&own), "{record} {row}: {own}");
                let expected: Vec<_> = sound[1..].iter().filter(is_own).take(own).collect();
                assert!(others.iter().filter(is_own).eq(expected), "{record} {row}");
                let rest = sound[1..].iter().filter(|line| !is_own(line));
                assert!(others.iter().filter(|line| !is_own(line)).eq(rest), "{record} {row}");
                assert_eq!((tally.records, tally.count(Weight::Defect)), (30, 1), "{record} {row}");
                assert_eq!(ended.defects.first.len(), 1);
            }
        }
    }

    #[test]
    fn every_job_has_a_word_for_a_defect() {
        for job in JOBS {
            assert!(job.statuses.iter().any(|word| word.weight == Weight::Defect), "{}", job.name);
        }
    }
}
