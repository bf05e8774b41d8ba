//! `batchdoku minimize`.

use std::num::NonZeroU64;

use anyhow::Result;
use clap::Args;

use super::flags::{BackendArguments, RowArguments, RunArguments};
use super::{Exit, JobOptions, Typed, job, options, with_job_exit_codes};
use crate::jobs::enumerate::BATCH_BYTES;
use crate::jobs::minimize::{Goal, Minimize};

const ABOUT: &str = "\
Remove clues from every puzzle in the input files until it is minimal: removing any other clue would give it several \
solutions. A puzzle can contain several minimal puzzles. Which one is found depends only on the seed and the puzzle; \
--all lists them all. Only puzzles with exactly one solution can be minimized. A complete grid counts as a puzzle, \
too.";

const EXAMPLES: &str = "\
Examples:
  batchdoku minimize puzzles.txt -o minimal.csv                 one minimal puzzle per record
  batchdoku minimize puzzles.txt --seed 7 -O lines              a different one, with no other columns
  batchdoku minimize puzzles.txt --check --only redundant       list non-minimal puzzles and their redundant clues
  batchdoku minimize puzzle.txt --all --limit 1000 -O lines     up to a thousand minimal puzzles per record";

/// Remove redundant clues from every puzzle
#[derive(Args, Debug)]
#[command(long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_job_exit_codes(EXAMPLES, "every record has a minimal puzzle or, with --check, is minimal", "some are invalid, do not have exactly one solution or, with --check, are not minimal"))]
#[command(next_help_heading = "Clues")]
pub struct MinimizeArguments {
    #[command(flatten)]
    pub run: RunArguments,

    /// Random seed: the same seed and puzzle give the same minimal puzzle
    #[arg(long, value_name = "N", default_value = "1", conflicts_with_all = ["all", "check"])]
    pub seed: u64,

    /// List all minimal puzzles within each puzzle, one per row
    ///
    /// They are written as they are found, always in the same order. A puzzle with a dozen redundant clues can contain
    /// thousands of them.
    #[arg(long, conflicts_with = "check")]
    pub all: bool,

    /// List at most N minimal puzzles per record [default: all]
    #[arg(long, value_name = "N", requires = "all", conflicts_with = "check")]
    pub limit: Option<NonZeroU64>,

    /// Remove nothing; only report whether each puzzle is minimal and which clues are redundant
    #[arg(long)]
    pub check: bool,

    #[command(flatten)]
    pub backend: BackendArguments,
    #[command(flatten)]
    pub rows: RowArguments,
}

/// Runs `batchdoku minimize`.
pub fn minimize(arguments: MinimizeArguments, typed: Typed) -> Result<Exit> {
    let MinimizeArguments { run, seed, all, limit, check, backend, rows } = arguments;
    let goal = match (all, check) {
        (true, _) => Goal::All { limit: limit.map_or(u64::MAX, NonZeroU64::get) },
        (_, true) => Goal::Check,
        _ => Goal::One { seed },
    };
    let backend = options::backend(&backend.backend)?;
    let mut options = JobOptions::over_files(typed, run)?.with_rows(rows)?;
    options.backend = Some(backend);
    if all {
        options.run.batch_bytes = options.run.batch_bytes.min(BATCH_BYTES);
    }
    job::run(Minimize::new(goal, backend), options)
}
