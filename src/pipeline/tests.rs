//! Tests of whole runs: resumed runs, panics, and solvers that give wrong answers.

use std::fs;
use std::io::{self, Cursor};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{
    BATCH_BYTES, Collect, Defects, Digest, EarlierRun, Ended, Ending, Plan, RowOutput, RowSink, RunError,
    RunOptions, Tally, TallyDigest, run, silence_isolated_panics,
};
use crate::input::{ReadOptions, Source};
use crate::jobs::failpoints::{Failure, Failures, FaultyJob, FaultySearch};
use crate::jobs::solve::Solve;
use crate::jobs::{Job, ReadBatch, SearchOptions, Then};
use crate::output::{FORMATS, Form, Output, by_name};
use crate::record::{Field, Label, Page, Schema, Severity, Table};
use crate::solver::{Backend, Limits, Verdict};
use crate::sudoku::Grid;

/// The settings for a test run.
#[derive(Clone)]
struct Way {
    format: &'static str,
    options: RunOptions,
    /// The statuses whose rows are written.
    only: Option<&'static [&'static str]>,
    verify: bool,
    recheck: bool,
    backend: Backend,
    failures: Failures,
    failures_again: Failures,
}

/// The rows that a run wrote, and the number of bytes before each boundary.
#[derive(Default)]
struct Written {
    rows: Vec<u8>,
    boundaries: Vec<(EarlierRun, usize)>,
}

impl<C> RowSink<C> for Written {
    fn output(&mut self, _: usize) -> &mut dyn Output {
        &mut self.rows
    }

    fn boundary(&mut self, boundary: EarlierRun, _: &C) -> io::Result<()> {
        self.boundaries.push((boundary, self.rows.len()));
        Ok(())
    }
}

/// The lines that a run wrote, its statistics, and how it ended.
struct Outcome {
    rows: Vec<String>,
    written: Written,
    tally: Tally,
    ended: Ended,
}

impl Outcome {
    /// Returns the boundaries from which a later run can resume, and the number of bytes before each.
    fn boundaries(&self) -> impl Iterator<Item = &(EarlierRun, usize)> {
        self.written.boundaries.iter().filter(|(boundary, _)| boundary.records > 0)
    }

    /// Returns the index of each batch's first record.
    fn batches(&self) -> Vec<usize> {
        self.written.boundaries.iter().map(|(boundary, _)| boundary.records as usize).collect()
    }

    /// Returns the batch that contains a record, as a range of records.
    fn batch_of(&self, record: usize) -> std::ops::Range<usize> {
        let batches = self.batches();
        let after = batches.partition_point(|&first| first <= record);
        batches[after - 1]..batches.get(after).map_or(self.tally.records as usize, |&next| next)
    }
}

fn source_of(text: &str) -> Vec<Source> {
    vec![Source::from_reader("in", Cursor::new(text.to_owned()), &ReadOptions::default()).unwrap()]
}

impl Way {
    fn new(format: &'static str, batch_bytes: usize) -> Self {
        let options = RunOptions::new(NonZeroUsize::new(2).unwrap());
        Self {
            format,
            options: RunOptions { batch_bytes, resumable: true, ..options },
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

    fn run(&self, text: &str) -> Outcome {
        self.run_on(source_of(text))
    }

    fn run_on(&self, sources: Vec<Source>) -> Outcome {
        let search = SearchOptions { backend: self.backend, limits: Limits::default() };
        let (failures, failures_again) = (Arc::clone(&self.failures), Arc::clone(&self.failures_again));
        let search = FaultySearch { search, failures, failures_again };
        if self.verify {
            self.run_job(FaultyJob::verify(search, self.recheck), sources)
        } else {
            self.run_job(FaultyJob::solve(search, self.recheck), sources)
        }
    }

    fn run_job<J: Job>(&self, job: J, sources: Vec<Source>) -> Outcome {
        silence_isolated_panics();
        let plan = self.plan(sources, job, TallyDigest);
        let (mut tally, mut written) = (Tally::new(&plan.schema), Written::default());
        let ended = run(plan, &mut tally, &mut written, &(), &AtomicBool::new(false)).unwrap();
        let rows = str::from_utf8(&written.rows).unwrap().lines().map(str::to_owned).collect();
        Outcome { rows, written, tally, ended }
    }

    fn plan<J: Job, D: Digest>(&self, sources: Vec<Source>, job: J, digest: D) -> Plan<J, D> {
        let statuses = job.schema().statuses;
        let indices = |only: &[&str]| statuses.iter().map(|word| only.contains(&word.name)).collect();
        let (encoder, only) = ((by_name(self.format).unwrap().make)(), self.only.map(indices));
        let outputs = vec![RowOutput { encoder, only }];
        Plan { outputs, ..Plan::new(sources, job, digest, self.options.clone()) }
    }
}

/// Returns one of the project's puzzle lists.
fn list(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name)).unwrap()
}

/// Returns the first puzzles in one of these lists.
fn puzzles(name: &str, count: usize) -> Vec<Grid> {
    list(name).lines().take(count).map(|line| line.parse().unwrap()).collect()
}

fn lines(puzzles: &[Grid]) -> String {
    puzzles.iter().map(|puzzle| format!("{puzzle}\n")).collect()
}

/// Returns puzzles with every status, including an unreadable record and one whose clues clash.
fn mixed() -> (Vec<Grid>, String) {
    let lists = [("easy.txt", 60), ("several.txt", 20), ("unsolvable.txt", 20), ("minimal.txt", 60)];
    let good: Vec<_> = lists.into_iter().flat_map(|(list, count)| puzzles(list, count)).collect();
    let clash = format!("11{}\n", ".".repeat(79));
    let (first, rest) = good.split_at(90);
    (good.clone(), format!("{}{clash}{}\n{}", lines(first), ".".repeat(80), lines(rest)))
}

/// Solves the puzzles in these files, resuming an earlier run.
fn solved(paths: &[&Path], format: &'static str, batch_bytes: usize, before: &EarlierRun) -> Outcome {
    let sources = paths.iter().map(|path| Source::open(path, &ReadOptions::default()).unwrap()).collect();
    let mut way = Way::new(format, batch_bytes);
    way.options.before = before.clone();
    way.run_on(sources)
}

/// Complete runs and runs resumed at a boundary write the same bytes, in every text format and layout, and with any
/// batch size.
#[test]
fn rows_go_on_from_every_boundary_of_a_batch() {
    let (start, mut boundaries) = (EarlierRun::default(), 0);
    for file in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")).unwrap() {
        let path = &*file.unwrap().path();
        if path.is_dir() {
            continue;
        }
        // Other formats cannot be resumed.
        for format in FORMATS.iter().filter(|format| (format.make)().form() == Form::Text) {
            let whole = solved(&[path], format.name, BATCH_BYTES, &start).written.rows;
            let small = solved(&[path], format.name, 300, &start);
            assert_eq!(small.written.rows, whole, "{path:?} {}", format.name);
            for (boundary, bytes) in small.boundaries() {
                let rest = solved(&[path], format.name, 1000, boundary).written.rows;
                let both = [&whole[..*bytes], &rest].concat();
                assert_eq!(both, whole, "{path:?} {} at {boundary:?}", format.name);
                boundaries += 1;
            }
        }
    }
    assert!(boundaries > 100, "{boundaries}");
}

/// PROMISE: resumed-input
#[test]
fn what_another_text_stands_before_is_not_written_on() {
    let (directory, text) = (tempfile::tempdir().unwrap(), list("easy.txt"));
    let [one, other] = &["one", "other"].map(|name| directory.path().join(name));
    fs::write(one, &text).unwrap();
    let first = solved(&[one, one], "csv", 3000, &EarlierRun::default());
    for (boundary, _) in first.boundaries() {
        // One of the changed texts has a different digit just before the boundary; the other ends before the boundary.
        let mut changed = text.clone().into_bytes();
        let at = usize::try_from(boundary.read.bytes).unwrap();
        let Some(last) = at.checked_sub(2) else { continue };
        changed[last] = if changed[last] == b'1' { b'2' } else { b'1' };
        for changed in [&changed[..], &text.as_bytes()[..at - 82]] {
            fs::write(other, changed).unwrap();
            let paths = if boundary.read.source == 0 { [&**other, one] } else { [&**one, other] };
            let rest = solved(&paths, "csv", BATCH_BYTES, boundary);
            assert_eq!((&rest.rows[..], rest.ended.input_errors.len()), (&[][..], 1), "{boundary:?}");
        }
    }
}

/// A digest and collector, one of which panics at the page whose first row has this number.
#[derive(Clone, Copy)]
struct Trap {
    at: u64,
    in_digest: bool,
}

impl Digest for Trap {
    type Part = u64;

    fn digest(&self, page: &Page<'_>, part: &mut u64) {
        *part = page.first_number;
        assert!(!self.in_digest || *part != self.at, "a trap");
    }
}

impl Collect<u64> for Trap {
    fn take(&mut self, part: &mut u64) {
        assert_ne!(*part, self.at, "a trap");
    }
}

/// PROMISE: panic-elsewhere
#[test]
fn a_panic_names_the_first_record_of_its_batch() {
    let (way, text) = (Way::new("csv", 300), list("easy.txt"));
    let search = SearchOptions { backend: Backend::best(), limits: Limits::default() };
    let first_ids: Vec<_> = way.run(&text).batches().iter().map(|&first| first as u64 + 1).collect();
    for &at in [&first_ids[0], &first_ids[40], first_ids.last().unwrap()] {
        for in_digest in [false, true] {
            let mut trap = Trap { at, in_digest };
            let plan = way.plan(source_of(&text), Solve::new(search, false), trap);
            let stop = AtomicBool::new(false);
            let failed = run(plan, &mut trap, &mut Vec::new(), &(), &stop).unwrap_err();
            let RunError::Panic { first_id, message } = &failed else { panic!("{failed}") };
            assert_eq!((*first_id, &**message == "a trap"), (at, in_digest), "{message}");
        }
    }
}

/// PROMISE: panic-costs-its-batch
#[test]
fn a_panic_costs_the_rows_of_its_batch_and_no_other() {
    let (puzzles, text) = mixed();
    let records: Vec<_> = text.lines().map(|line| line.replace('0', ".")).collect();
    let last = puzzles.len() - 1;
    for format in ["csv", "lines", "text", "jsonl"] {
        for batch_bytes in [1, 700, BATCH_BYTES] {
            let way = Way::new(format, batch_bytes);
            let sound = way.run(&text);
            assert_eq!(sound.ended.defects, Defects::default());
            let header = sound.rows.len() - records.len();
            for failing in [&[0][..], &[last / 2], &[last], &[1, 2, 3, 40, 41, 75, 95, 120]] {
                let failing: Vec<_> = failing.iter().map(|&at| puzzles[at]).collect();
                let mut way = way.failing(&failing, Failure::Panic);
                let found = way.run(&text);
                way.options.threads = NonZeroUsize::MIN;
                assert_eq!(found.rows, way.run(&text).rows);
                assert_eq!((found.rows.len(), found.ended.ending), (sound.rows.len(), Ending::Complete));
                assert_eq!((found.tally.records, found.batches()), (records.len() as u64, sound.batches()));
                let (mut lost, mut first_lost) = (0, Vec::new());
                for (at, row) in found.rows[header..].iter().enumerate() {
                    let batch = found.batch_of(at);
                    let panics = |line: &&String| line.parse().is_ok_and(|grid| failing.contains(&grid));
                    let Some(cause) = records[batch.clone()].iter().find(panics) else {
                        assert_eq!(*row, sound.rows[header + at], "{format}, batches of {batch_bytes} bytes");
                        continue;
                    };
                    lost += 1;
                    if at == batch.start {
                        first_lost.push(at);
                    }
                    if format == "csv" {
                        let sound: Vec<_> = sound.rows[header + at].split(',').collect();
                        let (origin, clues, puzzle) = (sound[..4].join(","), sound[6], sound[8]);
                        let s = if batch.len() == 1 { "" } else { "s" };
                        let fault = format!(
                            "the program panicked while it answered {} record{s}: failpoint {}",
                            batch.len(),
                            cause.bytes().filter(u8::is_ascii_digit).count()
                        );
                        assert_eq!(*row, format!("{origin},internal-error,0,{clues},,{puzzle},,{fault}"));
                    }
                }
                assert_eq!(found.tally.count(Severity::Defect), lost);
                // The first record of each batch is listed, with all the data needed to try it separately.
                let defects = &found.ended.defects;
                assert_eq!((defects.corrected, defects.first.len()), (0, first_lost.len().min(5)));
                for (defect, &at) in defects.first.iter().zip(&first_lost) {
                    let id = at as u64 + 1;
                    assert_eq!((defect.id, defect.line, &*defect.source), (id, id, "in"));
                    assert_eq!((&defect.input[..], defect.answered), (&records[at..=at], false));
                    assert!(defect.origin.as_ref().unwrap().contains("failpoints.rs:"), "{defect:?}");
                }
            }
        }
    }
}

#[test]
fn strict_and_only_hold_in_a_batch_that_panicked() {
    let (puzzles, text) = mixed();
    for (batch_bytes, strict_records) in [(700, 91), (BATCH_BYTES, 92)] {
        let way = Way::new("csv", batch_bytes).failing(&puzzles[5..6], Failure::Panic);
        let all = way.run(&text);
        // The clash after 90 puzzles is a bad record, and so is the next record, which cannot be read. If the batch
        // that contains both is lost, only the reader knows about the second one.
        let mut strict = way.clone();
        strict.options.strict = true;
        let strict = strict.run(&text);
        assert_eq!((strict.ended.ending, strict.tally.records), (Ending::Strict, strict_records));
        let without_fault = |row: &String| row.rsplit_once(',').unwrap().0.to_owned();
        let expected: Vec<_> = all.rows[..=strict_records as usize].iter().map(without_fault).collect();
        assert_eq!(strict.rows.iter().map(without_fault).collect::<Vec<_>>(), expected);

        for only in [&["internal-error"] as &[_], &["multiple", "invalid"], &["unsolvable"]] {
            let found = Way { only: Some(only), ..way.clone() }.run(&text);
            let wanted = |row: &&String| only.iter().any(|word| row.contains(&format!(",sudoku,{word},")));
            let expected: Vec<_> = all.rows[..1].iter().chain(all.rows.iter().filter(wanted)).collect();
            assert_eq!(found.rows.iter().collect::<Vec<_>>(), expected, "{only:?}");
            let counts = (found.tally.records, found.tally.written);
            assert_eq!(counts, (puzzles.len() as u64 + 2, expected.len() as u64 - 1));
        }
    }
}

/// Returns all kinds of claims: correct, wrong, missing, not a grid, and one of several solutions (the smallest or
/// another).
fn claims() -> (Vec<Grid>, String) {
    let puzzles = [puzzles("easy.txt", 40), puzzles("several.txt", 40)].concat();
    let solved = Way::new("lines", BATCH_BYTES).run(&lines(&puzzles)).rows;
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

/// PROMISE: panic-costs-its-batch
#[test]
fn a_lost_row_of_verify_keeps_the_puzzle_and_the_claim() {
    let (puzzles, text) = claims();
    let way = Way { verify: true, ..Way::new("csv", 1000) };
    let sound = way.run(&text);
    assert_eq!(sound.tally.count(Severity::Defect), 0);
    for status in ["correct", "wrong", "missing", "not-unique"] {
        let seen = sound.rows.iter().filter(|row| row.contains(&format!(",{status},"))).count();
        assert!(seen > 3, "{status}: {seen}");
    }
    let found = way.failing(&puzzles[31..32], Failure::Panic).run(&text);
    let lost = found.batch_of(31);
    assert_eq!(found.tally.count(Severity::Defect), lost.len() as u64);
    for (at, (row, sound)) in found.rows[1..].iter().zip(&sound.rows[1..]).enumerate() {
        if lost.contains(&at) {
            assert!(row.contains(",internal-error,") && row.contains("the program panicked"), "{row}");
            let [row, sound] = [row, sound].map(|row| row.split(',').collect::<Vec<_>>());
            assert_eq!((&row[..4], &row[7..9]), (&sound[..4], &sound[7..9]));
        } else {
            assert_eq!(row, sound);
        }
    }
    let line = text.lines().nth(1 + lost.start).unwrap();
    assert_eq!(found.ended.defects.first[0].input[0][..82], line[..82]);
}

/// Checks that all `failed` wrong answers to the puzzles in `failing` are detected and corrected. If the second answer
/// is wrong as well, each must become a defect. The guess counts in JSON can differ because the scalar solver makes
/// different guesses.
#[track_caller]
fn assert_asked_again(way: &Way, text: &str, failing: &[Grid], how: Failure, failed: u64) {
    let without_guesses = |outcome: &Outcome| -> Vec<String> {
        let cut = |row: &String| match row.split_once("\"guesses\":") {
            Some((start, rest)) => start.to_owned() + rest.split_once(',').unwrap().1,
            None => row.clone(),
        };
        outcome.rows.iter().map(cut).collect()
    };
    let (sound, faulty) = (way.run(text), way.failing(failing, how));
    let found = faulty.run(text);
    assert_eq!(without_guesses(&found), without_guesses(&sound));
    assert_eq!((sound.ended.defects.corrected, found.ended.defects.corrected), (0, failed));
    assert_eq!(found.tally.count(Severity::Defect), 0);
    assert!(found.ended.defects.first.iter().all(|defect| defect.answered));
    let hopeless = Way { failures_again: Arc::clone(&faulty.failures), ..faulty }.run(text);
    assert_eq!((hopeless.tally.count(Severity::Defect), hopeless.ended.defects.corrected), (failed, 0));
}

/// PROMISE: refused-answer
#[test]
fn a_wrong_digit_is_solved_again_on_every_backend() {
    let (puzzles, text) = mixed();
    let unsolvable = &puzzles[80..100];
    for backend in Backend::available() {
        for how in [Failure::WRONG_DIGIT, Failure::MISSING] {
            for (format, batch_bytes) in [("lines", 700), ("jsonl", BATCH_BYTES)] {
                let way = Way { backend, ..Way::new(format, batch_bytes) };
                for failing in [&puzzles[..1], &puzzles[55..70], &puzzles[159..], &puzzles] {
                    // If a puzzle has no solution, there is no digit to get wrong.
                    let failed = failing.iter().filter(|puzzle| !unsolvable.contains(puzzle)).count();
                    assert_asked_again(&way, &text, failing, how, failed as u64);
                }
            }
        }
    }
}

/// If the claim is the smallest of several solutions, a second search, with the digits mirrored, finds another
/// solution. A wrong answer from that search is detected as well.
#[test]
fn both_searches_of_verify_are_asked_again() {
    let (puzzles, text) = claims();
    for backend in Backend::available() {
        let way = Way { verify: true, backend, ..Way::new("jsonl", BATCH_BYTES) };
        for how in [Failure::WRONG_DIGIT, Failure::MISSING] {
            assert_asked_again(&way, &text, &puzzles, how, puzzles.len() as u64);
        }
    }
    let mirrored = |&digit: &u8| if digit == 0 { '.' } else { (b'0' + 10 - digit).into() };
    let turned = |puzzle: &Grid| puzzle.cells().iter().map(mirrored).collect::<String>().parse().unwrap();
    let turned: Vec<Grid> = puzzles[40..].iter().map(turned).collect();
    let way = Way { verify: true, ..Way::new("csv", 1000) };
    let smallest = way.run(&text).rows.iter().filter(|row| row.contains(",not-unique,")).count() as u64;
    assert!(smallest >= 16, "two in five claims are right, and all of those are the smallest");
    for how in [Failure::WRONG_DIGIT, Failure::MISSING, Failure::UNSOLVABLE] {
        assert_asked_again(&way, &text, &turned, how, smallest);
    }
}

/// Once a claim has passed the verifier, it is proven, and no solver can contradict it.
/// PROMISE: no-contradiction
#[test]
fn a_solver_that_contradicts_a_right_claim_or_itself_is_not_believed() {
    const UNFINISHED: Failure = Failure::Answer(|outcome| {
        (outcome.verdict, outcome.solution) = (Verdict::Unfinished, None);
    });
    const MULTIPLE: Failure = Failure::Answer(|outcome| {
        let wrong = outcome.solution.map(|solution| solution.cells().map(|digit| digit % 9 + 1));
        (outcome.verdict, outcome.solution) = (Verdict::Multiple, wrong.map(Grid::from_digits));
    });
    const DENIED: Failure = Failure::Answer(|outcome| outcome.verdict = Verdict::Unsolvable);
    const FAILED: Failure = Failure::Answer(|outcome| {
        (outcome.verdict, outcome.solution) = (Verdict::InternalError, None);
    });
    let puzzles = puzzles("easy.txt", 1);
    let right = &Way::new("lines", BATCH_BYTES).run(&lines(&puzzles)).rows[0];
    let wrong = format!("{}{}", &right[..162], if right.ends_with('1') { 2 } else { 1 });
    let text = format!("{right}\n{wrong}\n");
    let statuses = |way: &Way| {
        let Outcome { rows, ended, .. } = way.run(&text);
        let fields = rows[1..].iter().map(|row| row.split(',').collect::<Vec<_>>());
        let statuses = fields.map(|fields| {
            assert_eq!(fields[9], "", "there is no other solution");
            fields[4].to_owned()
        });
        (statuses.collect::<Vec<_>>().join(" "), ended.defects.corrected)
    };
    for (how, checked, unchecked) in [
        (Failure::Answer(|_| {}), ("correct wrong", 0), "correct wrong"),
        (UNFINISHED, ("unfinished wrong", 0), "unfinished wrong"),
        // Only the right claim contradicts this answer.
        (Failure::UNSOLVABLE, ("correct unsolvable", 1), "internal-error unsolvable"),
        (Failure::WRONG_DIGIT, ("correct wrong", 2), "internal-error internal-error"),
        (MULTIPLE, ("correct wrong", 2), "internal-error internal-error"),
        (Failure::MISSING, ("correct wrong", 2), "internal-error internal-error"),
        (DENIED, ("correct wrong", 2), "internal-error internal-error"),
        (FAILED, ("correct wrong", 2), "internal-error internal-error"),
    ] {
        let mut way = Way { verify: true, ..Way::new("csv", BATCH_BYTES) }.failing(&puzzles, how);
        assert_eq!(statuses(&way), (checked.0.to_owned(), checked.1), "{how:?}");
        way.failures_again = Arc::clone(&way.failures);
        assert_eq!(statuses(&way), (unchecked.to_owned(), 0), "{how:?}");
    }
}

/// A wrong count is detected, even though the verifier cannot see it.
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
            assert_eq!(
                way.run(&text).tally.count(Severity::Defect),
                0,
                "without a recount it cannot be known"
            );
            for verify in [false, true] {
                let way = Way { recheck: true, verify, ..way.clone() };
                // Without claims, every row is `missing` unless something goes wrong.
                let claimless = format!("puzzle,solution\n{}", text.replace('\n', ",\n"));
                let text = if verify { &claimless } else { &text };
                let Outcome { rows, tally, ended, .. } = way.run(text);
                assert_eq!(tally.count(Severity::Defect), failing.len() as u64);
                assert_eq!(rows.iter().filter(|row| row.ends_with(fault)).count(), failing.len());
                assert_eq!((ended.defects.corrected, ended.defects.first.len()), (0, 5));
            }
        }
    }
}

/// A job that gives ten rows for each record, seven per page, and panics when it reaches a given row.
struct Tenfold {
    schema: Schema,
    panics_at: Option<usize>,
}

impl Job for Tenfold {
    /// The next row of the batch.
    type Worker = usize;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn worker(&self, _: Arc<AtomicBool>) -> usize {
        0
    }

    fn begin(&self, next: &mut usize, _: ReadBatch<'_>, _: &mut Table) {
        *next = 0;
    }

    fn answer(&self, next: &mut usize, read: ReadBatch<'_>, table: &mut Table) -> Then {
        let (first, rows) = (10 * (read.batch.first_id as usize - 1), 10 * read.records.len());
        let page = *next..rows.min(*next + 7);
        *next = page.end;
        for row in page {
            assert_ne!(Some(first + row), self.panics_at, "failpoint");
            table.row_of(row / 10, 0_u8).number(&Field::CLUES, row as u64 % 10);
        }
        if *next < rows { Then::More } else { Then::Done }
    }

    fn has_many_rows(&self) -> bool {
        true
    }
}

/// Rows produced before a panic are kept. Each later record gets one row, and so does the last record before the panic,
/// which may be missing rows.
/// PROMISE: panic-costs-its-batch
#[test]
fn a_panic_within_the_rows_of_a_record_costs_the_rest_of_its_batch() {
    const WORDS: &[Label] =
        &[Label::new("seen", "", Severity::Answered), Label::new("failed", "", Severity::Defect)];
    let text = lines(&puzzles("easy.txt", 30));
    for batch_bytes in [1, 500, BATCH_BYTES] {
        let run = |panics_at| {
            let fields = [Field::STATUS, Field::CLUES, Field::ERROR];
            let job = Tenfold { schema: Schema::new(&fields, WORDS, false), panics_at };
            Way::new("csv", batch_bytes).run_job(job, source_of(&text))
        };
        let sound = run(None);
        let rows = (0..300).map(|row| format!("{0},in,{0},sudoku,seen,{1},", 1 + row / 10, row % 10));
        assert!(sound.rows[1..].iter().eq(&rows.collect::<Vec<_>>()), "{:?}", sound.rows);
        assert_eq!((sound.tally.records, sound.tally.written), (30, 300));
        for panics_at in [0, 20, 171, 174, 185, 299] {
            let found = run(Some(panics_at));
            let batch = found.batch_of(panics_at / 10);
            let given = panics_at - (panics_at - 10 * batch.start) % 7;
            let lost = if given > 10 * batch.start { (given - 1) / 10..batch.end } else { batch.clone() };
            let lost: Vec<_> = lost.map(|record| format!("{0},in,{0},sudoku,failed,", record + 1)).collect();
            let end = 1 + given + lost.len();
            assert_eq!(found.rows[..=given], sound.rows[..=given], "{panics_at}");
            assert!(found.rows[1 + given..end].iter().zip(&lost).all(|(row, start)| row.starts_with(start)));
            assert_eq!(found.rows[end..], sound.rows[1 + 10 * batch.end..], "{panics_at}");
            let counts = (found.tally.records, found.tally.count(Severity::Defect));
            assert_eq!(counts, (30, lost.len() as u64), "{panics_at}");
            assert_eq!(found.ended.defects.first.len(), 1);
        }
    }
}
