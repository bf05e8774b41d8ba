//! Checks that any bytes can go through the whole pipeline. The output must consist of whole rows with correct
//! solutions, and must not depend on the batch size or the number of threads.

use std::io::Cursor;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use batchdoku::input::{ReadOptions, Source};
use batchdoku::jobs::solve::Solve;
use batchdoku::jobs::{Job, SearchOptions};
use batchdoku::output::{self, Form};
use batchdoku::pipeline::{self, Ending, Plan, RowOutput, RunOptions, Tally, TallyDigest};
use batchdoku::solver::{Backend, Limits};
use batchdoku::sudoku::verifier;

use super::draw::{Draw, MOST_GUESSES};

/// The name of the input, which needs quoting.
pub const NAME: &str = "a, \"b\"";

/// Returns search options that limit how far a search goes.
pub fn search(backend: Backend) -> SearchOptions {
    SearchOptions { backend, limits: Limits::default().with_max_guesses(MOST_GUESSES) }
}

/// Runs a job over a text; returns `None` if the text cannot be read at all.
pub fn run_job<J: Job>(
    job: &Arc<J>,
    text: &[u8],
    read: &ReadOptions,
    format: &str,
    batch_bytes: usize,
) -> Option<(Tally, Vec<u8>)> {
    let source = Source::from_reader(NAME, Cursor::new(text.to_vec()), read).ok()?;
    let encoder = (output::by_name(format).expect("a known format").make)();
    let threads = NonZeroUsize::MIN.saturating_add(batch_bytes % 2);
    let options = RunOptions { batch_bytes, ..RunOptions::new(threads) };
    let outputs = vec![RowOutput { encoder, only: None }];
    let plan = Plan { outputs, ..Plan::<J, _>::new(vec![source], Arc::clone(job), TallyDigest, options) };
    let (mut tally, mut out) = (Tally::new(job.schema()), Vec::new());
    let ended = pipeline::run(plan, &mut tally, &mut out, &(), &AtomicBool::new(false))
        .expect("memory takes everything, and nothing panics");
    assert_eq!(ended.ending, Ending::Complete);
    assert!(ended.defects.first.is_empty(), "{:?}", ended.defects);
    Some((tally, out))
}

/// Solves the puzzles that the bytes spell out, with two batch sizes.
pub fn run(bytes: &[u8]) {
    let mut draw = Draw::new(bytes);
    let backend = draw.one_of(&Backend::available());
    let texts = output::FORMATS.iter().filter(|format| (format.make)().form() == Form::Text);
    let format = draw.one_of(&texts.map(|format| format.name).collect::<Vec<_>>());
    let batch_bytes = draw.below(2000) + 1;
    let text = draw.rest();
    let job = Arc::new(Solve::new(search(backend), false));
    let Some((tally, out)) = run_job(&job, text, &ReadOptions::default(), format, batch_bytes) else {
        return;
    };
    let (_, again) = run_job(&job, text, &ReadOptions::default(), format, text.len().max(2) & !1)
        .expect("it was read before");
    assert!(out == again, "{}\nin one batch: {}", out.escape_ascii(), again.escape_ascii());
    let lines = out.split_inclusive(|&byte| byte == b'\n');
    assert!(lines.clone().all(|line| line.ends_with(b"\n")));
    match format {
        "csv" => look_at_rows(&job, &tally, &out),
        "text" => assert!(lines.clone().count() as u64 >= tally.records),
        _ => assert_eq!(lines.clone().count() as u64, tally.records),
    }
    if format == "jsonl" {
        let (_, rows) =
            run_job(&job, text, &ReadOptions::default(), "csv", batch_bytes).expect("it was read before");
        compare_with_rows(lines, &rows);
    }
}

/// Compares JSON objects with CSV rows, field by field.
fn compare_with_rows<'a>(lines: impl Iterator<Item = &'a [u8]>, rows: &[u8]) {
    let mut rows = csv::Reader::from_reader(rows);
    let names = rows.headers().expect("the header is UTF-8").clone();
    for (line, row) in lines.zip(rows.records()) {
        let row = row.expect("every row is UTF-8 and has as many columns as the header");
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_slice(line).unwrap_or_else(|error| panic!("{error}: {}", line.escape_ascii()));
        assert_eq!(object.len(), names.len(), "{}", line.escape_ascii());
        for (name, field) in names.iter().zip(&row) {
            let text = match &object[name] {
                serde_json::Value::Null => String::new(),
                serde_json::Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(text, field, "{name}");
        }
    }
}

fn look_at_rows(job: &Solve, tally: &Tally, out: &[u8]) {
    let mut rows = csv::Reader::from_reader(out);
    let names: Vec<_> = job.schema().written().map(|(_, field)| field.name).collect();
    assert_eq!(rows.headers().expect("the header is UTF-8"), &names[..]);
    let at = |name| names.iter().position(|&column| column == name).expect("a column of results");
    let mut count = 0;
    for row in rows.records() {
        let row = row.expect("every row is UTF-8 and has as many columns as the header");
        count += 1;
        assert_eq!((&row[0], &row[1]), (&*count.to_string(), NAME));
        let [kind, status, clues, puzzle, solution, error] =
            ["kind", "status", "clues", "puzzle", "solution", "error"].map(|name| &row[at(name)]);
        assert_ne!(status, "internal-error", "{error}");
        assert_eq!(matches!(status, "unique" | "multiple"), !solution.is_empty(), "{status}: {solution}");
        assert_eq!(status == "invalid", error.starts_with("line "), "{status}: {error}");
        assert_eq!(clues.is_empty(), puzzle.is_empty());
        if !solution.is_empty() {
            let [puzzle, solution] = [puzzle, solution].map(|grid| grid.parse().expect("81 digits and dots"));
            // The given numbers of a Sudominoku case count as the clues of a sudoku here.
            assert!(verifier::sudoku(&puzzle, &solution), "{kind}: {puzzle} gives {solution}");
        }
    }
    assert_eq!(count, tally.records);
}
