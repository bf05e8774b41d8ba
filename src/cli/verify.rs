//! `batchdoku verify`.

use anyhow::Result;
use clap::Args;

use super::exit::Exit;
use super::flags::{
    ClaimArguments, ReportArguments, RowArguments, RunArguments, SearchArguments, TimeArguments,
};
use super::job;
use super::options::JobOptions;
use super::typed::Typed;
use super::with_job_exit_codes;
use crate::jobs::SearchOptions;
use crate::jobs::verify::Verify;

const SHORT_ABOUT: &str = "Check that claimed solutions are right and unique";

const ABOUT: &str = "\
Check the solution that each record claims: does it solve the puzzle, and is it the only one? In tables, JSON and XML \
a claim is found by its name, such as `solution`; in lists and grids it is a complete grid right after a puzzle, on \
the same line or below, that contains all its clues. Results of this program can be verified, too. One row is written \
for each record, in the order of the input.";

const EXAMPLES: &str = "\
Examples:
  batchdoku verify sudoku.csv.gz -o checked.csv             check every solution in a dataset
  batchdoku verify train.csv --only wrong,not-unique        only the rows with a bad solution
  batchdoku verify list.csv --solution-column answer_key    name the column of the solutions
  batchdoku verify results.csv --trust-unique               check only the digits, not uniqueness";

/// What `verify` takes.
#[derive(Args, Debug)]
#[command(about = SHORT_ABOUT, long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_job_exit_codes(EXAMPLES, "every claim is correct", "some are not"))]
pub struct VerifyArguments {
    #[command(flatten)]
    pub run: RunArguments,
    #[command(flatten)]
    pub claims: ClaimArguments,
    #[command(flatten)]
    pub search: SearchArguments,
    #[command(flatten)]
    pub rows: RowArguments,
    #[command(flatten)]
    pub times: TimeArguments,
    #[command(flatten)]
    pub reports: ReportArguments,

    /// Check only the digits: do not prove that a solution is the only one
    #[arg(long, conflicts_with = "recheck", help_heading = "Solving", display_order = 0)]
    pub trust_unique: bool,
}

/// Runs `batchdoku verify`.
pub fn verify(arguments: VerifyArguments, typed: Typed) -> Result<Exit> {
    let (measured, recheck) = (!arguments.times.no_time, arguments.search.recheck);
    let (options, search) = meaning(arguments, typed)?;
    job::run(Verify::new(search, measured).with_recheck(recheck), options)
}

/// The options that the arguments mean, and how to search for other solutions unless `--trust-unique` is given. Fails
/// if flags contradict each other.
pub fn meaning(arguments: VerifyArguments, typed: Typed) -> Result<(JobOptions, Option<SearchOptions>)> {
    let VerifyArguments { run, claims, search, rows, reports, trust_unique, .. } = arguments;
    let mut options =
        JobOptions::over_files(typed, run)?.with_claims(claims)?.with_rows(rows)?.with_reports(reports)?;
    let search = search.options()?;
    options.backend = Some(search.backend);
    Ok((options, (!trust_unique).then_some(search)))
}
