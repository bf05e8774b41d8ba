//! `batchdoku rate`.

use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;

use super::flags::{ReportArguments, RowArguments, RunArguments, SearchArguments};
use super::{Exit, JobOptions, Typed, job, with_job_exit_codes};
use crate::analysis::rating::{Grade, Rating, highest_rating};
use crate::jobs::enumerate::BATCH_BYTES;
use crate::jobs::measures::{FIELDS, Measure, tenths};
use crate::jobs::rate::{Isomorphs, Rate};
use crate::output::Steps;

const ABOUT: &str = concat!(
    "Rate how hard every puzzle in the input files is. One measure is the Sudoku Explainer rating (exact from 1.0 to ",
    highest_rating!(),
    ", >",
    highest_rating!(),
    " above \
that). The other measures are the techniques needed, the depth of trial and error, and the size of the smallest \
backdoor. Only puzzles with exactly one solution are rated. To see how hard puzzles are for this program, use \
`batchdoku solve`."
);

const EXAMPLES: &str = "\
Examples:
  batchdoku rate list.txt -o rated.csv                       all measures for every puzzle
  batchdoku rate train.csv --keep -o rated.parquet           with all columns of the dataset
  batchdoku rate list.txt --columns se -q | cut -d, -f8      only the Sudoku Explainer rating
  batchdoku rate puzzle.txt --explain                        the steps of its solution";

/// Rate how hard every puzzle is
#[derive(Args, Debug)]
#[command(long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_job_exit_codes(EXAMPLES, "every record is rated", "some are invalid or unfinished, or have no solution or several"))]
#[command(next_help_heading = "Rating")]
pub struct RateArguments {
    #[command(flatten)]
    pub run: RunArguments,

    /// Write only these measures [default: all]
    ///
    /// `se` takes most of the time: about a millisecond for each puzzle rated above 6.2, and ten or more for those
    /// above 8.5. See --max-se.
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', value_parser = FIELDS.map(|field| field.name))]
    pub columns: Vec<String>,

    #[arg(
        long,
        value_name = "RATING",
        value_parser = max_se,
        help = concat!(
            "Highest rating to compute, at least 6.0; harder puzzles are rated `>RATING`, which takes far less time [default: ",
            highest_rating!(),
            "]"
        )
    )]
    pub max_se: Option<u8>,

    /// Add the mean and standard deviation of the guesses over K random isomorphs of each puzzle
    ///
    /// The number of guesses varies between isomorphs, but these two figures hardly depend on which isomorphs are
    /// drawn.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(2..=10_000))]
    pub isomorphs: Option<u16>,

    /// Random seed for the isomorphs
    #[arg(long, value_name = "N", default_value = "1", requires = "isomorphs")]
    pub seed: u64,

    /// Print the steps of each solution instead of rows: rating, technique, cells and conclusion
    ///
    /// Each step is the easiest one available. For puzzles beyond the scale, the list of steps ends when no further
    /// step is known. The text goes to standard output.
    #[arg(
        long,
        conflicts_with_all = ["columns", "max_se", "isomorphs", "seed", "output", "output_format", "escape_formulas", "keep", "report"]
    )]
    pub explain: bool,

    #[command(flatten)]
    pub report: ReportArguments,
    #[command(flatten)]
    pub search: SearchArguments,
    #[command(flatten)]
    pub rows: RowArguments,
}

/// Parses a rating into tenths. Fails if grades would no longer be exact with this limit.
fn max_se(text: &str) -> Result<u8, String> {
    tenths(text).ok().filter(|&tenths| tenths >= Grade::EXACT).ok_or_else(|| {
        let [least, most] = [Grade::EXACT, Rating::HIGHEST].map(Rating::Exactly);
        format!("expected a rating from {least} to {most}, with one decimal")
    })
}

/// Runs `batchdoku rate`.
pub fn rate(arguments: RateArguments, typed: Typed) -> Result<Exit> {
    let RateArguments { run, columns, max_se, isomorphs, seed, explain, report, search, rows } = arguments;
    let mut options = JobOptions::over_files(typed, run)?.with_rows(rows)?.with_reports(report)?;
    if max_se.is_some() && !columns.is_empty() && !columns.iter().any(|name| name == "se") {
        bail!("--max-se needs se among --columns");
    }
    let (recheck, search) = (search.recheck, search.options()?);
    options.backend = Some(search.backend);
    let columns: Vec<_> = columns.iter().filter_map(|name| Measure::named(name)).collect();
    let isomorphs = isomorphs.map(|count| Isomorphs { count: count.into(), seed });
    let job = Rate::new(search, recheck, &columns, isomorphs);
    let job = max_se.into_iter().fold(job, Rate::with_ratings_up_to);
    // A hard puzzle takes milliseconds, so batches must be small.
    options.run.batch_bytes = options.run.batch_bytes.min(BATCH_BYTES);
    if explain {
        options.rows.encoder = Arc::new(Steps);
        return job::run(job.with_steps(), options);
    }
    job::run(job, options)
}
