//! `batchdoku verify`: what was typed, what it means, what it runs.

use std::num::NonZeroU64;

use anyhow::{Result, bail};
use clap::Args;

use super::exit::Exit;
use super::flags::{InputArguments, OutputArguments, ReportingArguments, SearchArguments, statuses};
use super::job::{self, JobOptions, Typed};
use super::options::Terminals;
use crate::jobs::verify::{STATUSES, Verify};

pub const ABOUT: &str = "\
Check the solution that each record claims: whether it solves the puzzle, and whether it is the only one. Claims are \
read from CSV and TSV columns, from lines `puzzle,solution` and from results of this program. One row is written for \
each record, in the order of the input.";

pub const EXAMPLES: &str = "\
Examples:
  batchdoku verify sudoku.csv.gz -o checked.csv             is every solution right, and the only one?
  batchdoku verify train.csv --only wrong,not-unique        only the rows that are not as they should be
  batchdoku verify list.csv --solution-column answer_key    a column with a name of its own
  batchdoku verify results.csv --trust-unique               check the digits, without a proof of uniqueness";

pub const EXIT_CODES: &str = "\
Exit codes:
  0    every claim is correct
  1    some are not, or --strict stopped the run
  2    wrong usage, or an input or output that cannot be opened, read or written
  3    an internal error: an answer failed the check and was not written
  130  interrupted: the first Ctrl-C finishes what is in flight, the second stops at once";

/// What `verify` takes.
#[derive(Args, Debug)]
pub struct VerifyArguments {
    /// What it works on
    #[command(flatten)]
    pub input: InputArguments,

    /// Column of the claimed solutions in a CSV or TSV file [default: found by its name or content]
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub solution_column: Option<String>,

    /// Only check the digits: do not prove that a solution is the only one
    #[arg(long, help_heading = "Solving")]
    pub trust_unique: bool,

    /// How it searches
    #[command(flatten)]
    pub search: SearchArguments,

    /// Where the rows go
    #[command(flatten)]
    pub output: OutputArguments,

    /// Write only the rows with these statuses
    #[arg(long, value_name = "STATUS", value_delimiter = ',', value_parser = statuses(&STATUSES), help_heading = "Output")]
    pub only: Vec<String>,

    /// What it says besides
    #[command(flatten)]
    pub reporting: ReportingArguments,
}

/// Verifies what was typed.
///
/// # Errors
///
/// When flags contradict each other, or an output cannot be opened or written.
pub fn verify(typed: VerifyArguments, terminals: Terminals) -> Result<Exit> {
    /// Solutions that tell one from several.
    const TWO: NonZeroU64 = NonZeroU64::MIN.saturating_add(1);
    let VerifyArguments { input, solution_column, trust_unique, search, output, only, reporting } = typed;
    let times = !output.no_time;
    let mut options = JobOptions::new(Typed { input, search, output, only, reporting }, terminals)?;
    if solution_column.is_some() && options.read.format.is_some_and(|format| !format.has_columns()) {
        bail!("--solution-column names a column of a CSV file, but --format names another layout");
    }
    options.read.claims = true;
    options.read.solution_column = solution_column;
    job::run(Verify::new((!trust_unique).then(|| options.search(TWO)), times), &options)
}
