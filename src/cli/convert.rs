//! `batchdoku convert`.

use anyhow::Result;
use clap::Args;

use super::flags::{ClaimArguments, RunArguments};
use super::job::Opened;
use super::{AT_ONCE, Exit, JobOptions, Typed, with_exit_codes};
use crate::input::Keep;
use crate::jobs::convert::{Claims, Convert, WRITTEN};

const ABOUT: &str = "\
Convert puzzle files to another format, without solving or checking the puzzles. Each row holds the puzzle, the \
claimed solution if there is one, and all other data as text. Other data means table columns, text before and after \
the cells on a line, and XML attributes of puzzles. Records that cannot be read are not written; they are counted and \
listed, and the exit code is 1. A warning lists any columns that the format cannot hold.";

const EXAMPLES: &str = "\
Examples:
  batchdoku convert grids.txt -O lines -o puzzles.txt       turn grids into one puzzle per line
  batchdoku convert sudoku.csv.gz -O jsonl -o sudoku.jsonl  a table with all its columns
  batchdoku convert a.csv b.csv -o all.csv                  merge several files into one
  batchdoku convert puzzles.txt -O text                     turn lines into nine-line grids";

/// The exit codes of commands that write every record they can read.
pub const EXIT_CODES: &str = "  0    every record was written
  1    some were not, or --strict stopped the run
  2    usage error, or an input or output could not be opened, read or written";

/// Convert puzzle files to another format
#[derive(Args, Debug)]
#[command(long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_exit_codes(EXAMPLES, EXIT_CODES) + AT_ONCE)]
pub struct ConvertArguments {
    #[command(flatten)]
    pub run: RunArguments,
    #[command(flatten)]
    pub claims: ClaimArguments,
}

/// Runs `batchdoku convert`.
pub fn convert(arguments: ConvertArguments, typed: Typed) -> Result<Exit> {
    let ConvertArguments { run, claims } = arguments;
    let mut options = JobOptions::over_files(typed, run)?.with_claims(claims)?;
    options.keep = Some(Keep::All);
    options.rows.only = Some(WRITTEN.to_vec());
    Opened::new(&options)?.run(Convert::new(Claims::Unexpected), &options)
}
