//! `batchdoku enumerate`.

use std::num::NonZeroU64;

use anyhow::Result;
use clap::Args;

use super::flags::{BackendArguments, ReportArguments, RowArguments, RunArguments};
use super::{Exit, JobOptions, Typed, job, options, with_job_exit_codes};
use crate::jobs::enumerate::{BATCH_BYTES, Enumerate};

const ABOUT: &str = "\
List every solution of every puzzle in the input files, one per row, in ascending order. Solutions are written as they \
are found, so a puzzle with billions of them needs no more memory than any other. A record with no solution gets one \
row that says why. Sudominoku solutions are listed as digit grids.";

const EXAMPLES: &str = "\
Examples:
  batchdoku enumerate puzzles.txt --limit 100 -o solutions.csv   up to a hundred per puzzle
  batchdoku enumerate grid.txt -O lines | cut -d, -f2            only the solutions
  batchdoku enumerate all.csv --only multiple -o several.csv     only for puzzles that have several";

/// List every solution of every puzzle
#[derive(Args, Debug)]
#[command(long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_job_exit_codes(EXAMPLES, "every record has a solution", "some are invalid or unsolvable"))]
pub struct EnumerateArguments {
    #[command(flatten)]
    pub run: RunArguments,

    /// List at most N solutions per record [default: all]
    #[arg(long, value_name = "N", help_heading = "Solving", display_order = 0)]
    pub limit: Option<NonZeroU64>,

    #[command(flatten)]
    pub backend: BackendArguments,
    #[command(flatten)]
    pub rows: RowArguments,
    #[command(flatten)]
    pub reports: ReportArguments,
}

/// Runs `batchdoku enumerate`.
pub fn enumerate(arguments: EnumerateArguments, typed: Typed) -> Result<Exit> {
    let EnumerateArguments { run, limit, backend, rows, reports } = arguments;
    let backend = options::backend(&backend.backend)?;
    let mut options = JobOptions::over_files(typed, run)?.with_rows(rows)?.with_reports(reports)?;
    options.backend = Some(backend);
    options.run.batch_bytes = options.run.batch_bytes.min(BATCH_BYTES);
    job::run(Enumerate::new(backend, limit), options)
}
