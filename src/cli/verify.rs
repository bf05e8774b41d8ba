//! `batchdoku verify`.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;

use super::copies;
use super::flags::{
    ClaimArguments, ReportArguments, RowArguments, RunArguments, SearchArguments, TimeArguments,
};
use super::job::{self, Opened};
use super::{Exit, JobOptions, Typed, message, with_job_exit_codes};
use crate::jobs::SearchOptions;
use crate::jobs::verify::Verify;
use crate::survey::grids::{self, ClaimFile};

const ABOUT: &str = "\
Check the solution that each record claims: does it solve the puzzle, and is it the only one? In tables, JSON and XML, \
a claim is found by its name, such as `solution`. In lists and grids, it is a complete grid right after the puzzle, on \
the same line or below it, that contains all its clues. With --answers, the claims are read from a separate file. You \
can also verify this program's own results. The output has one row per record, in input order.";

const EXAMPLES: &str = "\
Examples:
  batchdoku verify sudoku.csv.gz -o checked.csv             check every solution in a dataset
  batchdoku verify train.csv --only wrong,not-unique        only the rows with a bad solution
  batchdoku verify list.csv --solution-column answer_key    name the solution column
  batchdoku verify judge.in --answers contestant.out        solutions in a separate file
  batchdoku verify results.csv --trust-unique               check only the digits, not uniqueness";

/// Check that claimed solutions are right and unique
#[derive(Args, Debug)]
#[command(long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_job_exit_codes(EXAMPLES, "every claim is correct", "some are not"))]
pub struct VerifyArguments {
    #[command(flatten)]
    pub run: RunArguments,
    #[command(flatten)]
    pub claims: ClaimArguments,

    /// Read the claimed solutions from FILE; its n-th record answers the n-th puzzle
    ///
    /// FILE can be in any format: a table, or solved grids as an online judge expects them, one per line (including
    /// Sudominoku). In a table, --solution-column names the column. Answers are matched by position. An unreadable
    /// answer affects only its own puzzle, as does a missing answer in a table or in JSON. In other formats, text
    /// without cells, such as an empty line, does not count as an answer, so later answers move up. A puzzle with no
    /// answer is reported as `missing`. A warning is printed if the number of answers differs from the number of
    /// puzzles. It is an error if there are more answers than puzzles.
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub answers: Option<PathBuf>,

    #[command(flatten)]
    pub search: SearchArguments,
    #[command(flatten)]
    pub rows: RowArguments,
    #[command(flatten)]
    pub times: TimeArguments,
    #[command(flatten)]
    pub reports: ReportArguments,

    /// Check only the digits; do not prove that the solution is unique
    #[arg(
        long,
        conflicts_with_all = ["recheck", "max_guesses", "max_time", "backend"],
        help_heading = "Solving",
        display_order = 0
    )]
    pub trust_unique: bool,
}

/// Runs `batchdoku verify`.
pub fn verify(arguments: VerifyArguments, typed: Typed) -> Result<Exit> {
    let (measured, recheck) = (!arguments.times.no_time, arguments.search.recheck);
    let (mut options, search) = meaning(arguments, typed)?;
    let job = Verify::new(search, measured).with_recheck(recheck);
    let Some(file) = options.claims.clone() else { return job::run(job, options) };

    let read = options.read.clone();
    options.read.solution_column = None;
    let opened = Opened::fit(&job, &options)?;
    let sources = vec![file.open(&read)?];
    let progress = copies::progress(&opened.session, &options, &sources);
    let found = grids::claims(sources, options.run.threads, &progress, opened.session.stop());
    drop(progress);
    let (list, notes) = found?;
    let list = Arc::new(list);
    notes.iter().for_each(message::warning);
    options.claims = Some(ClaimFile { list: Arc::clone(&list), ..file });
    opened.run(job.with_claims_of(Some(list)), &options)
}

/// Returns the options that the arguments stand for, and those for the search for other solutions unless
/// `--trust-unique` is given. Fails if flags contradict each other.
pub fn meaning(arguments: VerifyArguments, typed: Typed) -> Result<(JobOptions, Option<SearchOptions>)> {
    let VerifyArguments { run, claims, answers, search, rows, reports, trust_unique, .. } = arguments;
    let mut options =
        JobOptions::over_files(typed, run)?.with_claims(claims)?.with_rows(rows)?.with_reports(reports)?;
    options.claims = answers.map(|path| ClaimFile { path, list: Arc::default() });
    let search = search.options()?;
    options.backend = Some(search.backend);
    Ok((options, (!trust_unique).then_some(search)))
}
