//! `batchdoku solve`.

use std::num::NonZeroU64;

use anyhow::Result;
use clap::Args;

use super::flags::{
    AnswerArguments, ReportArguments, RowArguments, RunArguments, SearchArguments, TimeArguments,
};
use super::{Exit, JobOptions, Typed, job, with_job_exit_codes};
use crate::jobs::SearchOptions;
use crate::jobs::solve::Solve;

const ABOUT: &str = "\
Solve every puzzle in the input files, and check every solution. The output has one row per record, in input order. An \
invalid record gets a row with status `invalid` and does not affect other records.";

const EXAMPLES: &str = "\
Examples:
  batchdoku solve puzzles.txt -o results.csv       a file, solved on all cores
  batchdoku solve -O text < grid.txt               the solution, laid out like the puzzle
  batchdoku solve *.csv.gz -O jsonl -o all.jsonl   datasets, decompressed as they are read
  batchdoku solve - -O lines --limit 1             any solution, from a pipe to a pipe";

/// Solve every puzzle
#[derive(Args, Debug)]
#[command(long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_job_exit_codes(EXAMPLES, "every record has an answer", "some are invalid, unsolvable or unfinished"))]
pub struct SolveArguments {
    #[command(flatten)]
    pub run: RunArguments,
    #[command(flatten)]
    pub answers: AnswerArguments,
    #[command(flatten)]
    pub search: SearchArguments,
    #[command(flatten)]
    pub rows: RowArguments,
    #[command(flatten)]
    pub times: TimeArguments,
    #[command(flatten)]
    pub reports: ReportArguments,
}

/// Runs `batchdoku solve`.
pub fn solve(arguments: SolveArguments, typed: Typed) -> Result<Exit> {
    let (measured, recheck) = (!arguments.times.no_time, arguments.search.recheck);
    let (options, search) = meaning(arguments, typed)?;
    job::run(Solve::new(search, measured).with_recheck(recheck), options)
}

/// The number of solutions that keeps a thread busy for some time. With a limit this high, each record is a batch of
/// its own.
const MANY: NonZeroU64 = NonZeroU64::new(1_000_000).expect("it is not 0");

/// Returns the options that the arguments stand for. Fails if flags contradict each other.
pub fn meaning(arguments: SolveArguments, typed: Typed) -> Result<(JobOptions, SearchOptions)> {
    let SolveArguments { run, answers, search, rows, reports, .. } = arguments;
    let is_cut = run.threads.chunk_size.is_some();
    let mut options = JobOptions::over_files(typed, run)?.with_rows(rows)?.with_reports(reports)?;
    let mut search = search.options()?;
    search.limits = answers.limits(search.limits)?;
    if answers.limit >= MANY && !is_cut {
        options.run.batch_bytes = 1;
    }
    (options.backend, options.without_results) = (Some(search.backend), true);
    Ok((options, search))
}
