//! `batchdoku verify`: what was typed, what it means, what it runs.

use std::num::NonZeroU64;

use anyhow::Result;
use clap::Args;

use super::exit::Exit;
use super::flags::{
    ClaimArguments, ReportArguments, RowArguments, RunArguments, SearchArguments, TimeArguments,
};
use super::job;
use super::options::{JobOptions, Terminals};
use super::typed::Typed;
use super::with_exit_codes;
use crate::jobs::SearchOptions;
use crate::jobs::verify::Verify;

const SHORT_ABOUT: &str = "Check claimed solutions, and that each is the only one";

const ABOUT: &str = "\
Check the solution that each record claims: whether it solves the puzzle, and whether it is the only one. In tables, \
JSON and XML a claim is known by its name, `solution` or the like; in lists and grids it is the complete grid right \
behind a puzzle that has all its clues, on the line or below. Results of this program are read as well. One row is \
written for each record, in the order of the input.";

const EXAMPLES: &str = "\
Examples:
  batchdoku verify sudoku.csv.gz -o checked.csv             is every solution right, and the only one?
  batchdoku verify train.csv --only wrong,not-unique        only the rows that are not as they should be
  batchdoku verify list.csv --solution-column answer_key    a column with a name of its own
  batchdoku verify results.csv --trust-unique               check the digits, without a proof of uniqueness";

const EXIT_CODES: &str = "\
Exit codes:
  0    every claim is correct
  1    some are not, or --strict stopped the run
  2    wrong usage, or an input or output that cannot be opened, read or written
  3    an internal error: the row says so
  130  interrupted (SIGTERM: 143, SIGHUP: 129); a second signal ends at once";

/// What `verify` takes.
#[derive(Args, Debug)]
#[command(about = SHORT_ABOUT, long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_exit_codes(EXAMPLES, EXIT_CODES))]
pub struct VerifyArguments {
    /// What it works on, and where the rows go
    #[command(flatten)]
    pub run: RunArguments,

    /// Where claimed solutions are
    #[command(flatten)]
    pub claims: ClaimArguments,

    /// How it searches
    #[command(flatten)]
    pub search: SearchArguments,

    /// Which rows and columns are written
    #[command(flatten)]
    pub rows: RowArguments,

    /// Whether rows have times
    #[command(flatten)]
    pub times: TimeArguments,

    /// The reports of the run
    #[command(flatten)]
    pub reports: ReportArguments,

    /// Only check the digits: do not prove that a solution is the only one
    #[arg(long, conflicts_with = "recheck", help_heading = "Solving", display_order = 0)]
    pub trust_unique: bool,
}

/// Verifies what was typed.
///
/// # Errors
///
/// When flags contradict each other, or an output cannot be opened or written.
pub fn verify(arguments: VerifyArguments, typed: Typed, terminals: Terminals) -> Result<Exit> {
    let (options, search) = meaning(arguments, typed, terminals)?;
    job::run(Verify::new(search, options.times).with_recheck(options.search.recheck), options)
}

/// What was typed, given its meaning; it says how to search for other solutions if that is wanted.
///
/// # Errors
///
/// When flags contradict each other.
pub fn meaning(
    arguments: VerifyArguments,
    typed: Typed,
    terminals: Terminals,
) -> Result<(JobOptions, Option<SearchOptions>)> {
    /// Solutions that tell one from several.
    const TWO: NonZeroU64 = NonZeroU64::MIN.saturating_add(1);
    let VerifyArguments { run, claims, search, rows, times, reports, trust_unique } = arguments;
    let options = JobOptions::over_files(typed, run, terminals)?
        .with_claims(claims)?
        .with_rows(rows)?
        .with_times(&times)
        .with_search(&search)?
        .with_reports(reports)?;
    let search = (!trust_unique).then(|| options.search.options(TWO));
    Ok((options, search))
}
