//! Checks that results can be read back. Our own results come back unchanged, and anything else in a results file
//! affects only its own rows.

use std::io::Write;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

use batchdoku::input::ReadOptions;
use batchdoku::jobs::Job;
use batchdoku::jobs::solve::Solve;
use batchdoku::jobs::verify::Verify;
use batchdoku::pipeline::Tally;
use batchdoku::provenance::Provenance;
use batchdoku::report::{self, Report, ReportError};
use batchdoku::solver::Backend;
use batchdoku::sudoku::Grid;

use super::draw::Draw;
use super::pipeline::{run_job, search};
use super::read::records;

const MOST_PUZZLES: usize = 12;

/// Makes rows of results, damages them, and reads them back.
pub fn run(bytes: &[u8]) {
    let mut draw = Draw::new(bytes);
    let (is_verified, has_times) = (draw.coin(), draw.coin());
    let spoils = draw.byte() % 3;
    if is_verified {
        let job = Verify::new(Some(search(Backend::best())), has_times);
        of_job(&Arc::new(job), spoils, draw);
    } else {
        of_job(&Arc::new(Solve::new(search(Backend::best()), has_times)), spoils, draw);
    }
}

fn of_job(job: &Arc<impl Job>, spoils: u8, mut draw: Draw<'_>) {
    let mut text = "puzzle,solution\n".to_owned();
    let most = if spoils == 2 { 1 } else { MOST_PUZZLES };
    for puzzle in draw.puzzles(most) {
        text += &format!("{puzzle},{}\n", draw.one_of(&["", "x"]));
    }
    // This row cannot be read.
    text += "123,\n";
    let options = ReadOptions::default();
    let (tally, mut out) = run_job(job, text.as_bytes(), &options, "csv", 1 << 16).expect("it is a table");
    match spoils {
        0 => comes_back(&tally, &out),
        1 => {
            for _ in 0..draw.byte() % 8 + 1 {
                let at = draw.below(out.len());
                match draw.byte() % 4 {
                    0 => out[at] = draw.byte(),
                    1 => out.insert(at, draw.one_of(b",\"\n0.\xff")),
                    2 => drop(out.remove(at)),
                    _ => out.truncate(at.max(1)),
                }
                if out.is_empty() {
                    break;
                }
            }
        }
        // Arbitrary bytes are appended as further rows.
        _ => out.extend_from_slice(draw.rest()),
    }
    if let Ok(report) = read(&out) {
        let first = report.bad_rows.first.len() as u64;
        assert!(first <= report.bad_rows.count);
        assert_eq!(report.total.statuses.values().sum::<u64>(), report.total.rows);
        assert!(report.total.puzzles <= report.total.rows && report.total.solved <= report.total.rows);
        assert!(report.html().trim_end().ends_with("</html>") && !report.markdown().is_empty());
        assert!(report.json().starts_with('{'));
    }
}

/// Checks that rows are counted the same when they are read back as when they were written.
fn comes_back(tally: &Tally, out: &[u8]) {
    let report = read(out).expect("they are results");
    assert_eq!(report.bad_rows.count, 0, "{:?}\n{}", report.bad_rows, out.escape_ascii());
    assert_eq!(report.problems, [""; 0]);
    assert_eq!(report.total.rows, tally.records);
    for (word, count) in tally.statuses() {
        assert_eq!(report.total.statuses.get(word.name).copied().unwrap_or(0), count, "{}", word.name);
    }
    // The rows can also serve as an input with puzzles and claims.
    let options = ReadOptions::default();
    let (read, error) = records(out, &options, 1 << 16).expect("it is a table");
    assert_eq!((read.len() as u64, error), (tally.records, None));
    let mut rows = csv::Reader::from_reader(out);
    let names = rows.headers().expect("there is a header").clone();
    let at = |name| names.iter().position(|column| column == name);
    let (mut guesses, mut times) = (Vec::new(), Vec::new());
    for (row, record) in rows.records().zip(read) {
        let row = row.expect("every row is UTF-8");
        let field = |name| at(name).map_or("", |at| &row[at]);
        let grid = |name| field(name).parse::<Grid>().ok();
        assert_eq!(grid("puzzle"), Some(record.puzzle).filter(|_| record.fault.is_none()));
        assert_eq!(grid("solution"), record.claim.and_then(Result::ok));
        if field("status") != "invalid" {
            guesses.extend(field("guesses").parse::<u64>());
            times.extend(field("time_ns").parse::<u64>());
        }
    }
    let least_and_most = |values: &[u64]| Some((*values.iter().min()?, *values.iter().max()?));
    let json: serde_json::Value = serde_json::from_str(&report.json()).expect("it is JSON");
    let spread = &json["total"]["guesses"];
    let found = spread["min"].as_u64().zip(spread["max"].as_u64());
    assert_eq!(found, least_and_most(&guesses), "guesses of\n{}", out.escape_ascii());
    assert_eq!(
        report.total.solver_ns.unwrap_or(0),
        times.iter().sum::<u64>(),
        "times of\n{}",
        out.escape_ascii()
    );
}

/// Returns the report on a results file.
fn read(text: &[u8]) -> Result<Report, ReportError> {
    let mut file = tempfile::NamedTempFile::new().expect("there is room for a file");
    file.write_all(text).expect("there is room for a file");
    let detail = report::Detail { top: 3, isomorphs: false };
    let provenance = Provenance::of_this_process(SystemTime::UNIX_EPOCH);
    report::read(
        &[file.path().to_owned()],
        detail,
        NonZeroUsize::MIN,
        provenance,
        &(),
        &AtomicBool::new(false),
    )
}
