//! `batchdoku canon`.

use anyhow::{Result, bail};
use clap::Args;

use super::flags::{BackendArguments, RowArguments, RunArguments, choice};
use super::{Exit, JobOptions, Typed, job, options, with_job_exit_codes};
use crate::analysis::canon::Form;
use crate::jobs::Job;
use crate::jobs::canon::{Canon, FORMS};
use crate::output::Unfit;

const ABOUT: &str = "\
Find the canonical form of every puzzle in the input files. All isomorphs of a puzzle have the same canonical form. \
Isomorphs differ only in transposition, digit labels, and the order of bands, stacks, rows within bands and columns \
within stacks. Puzzles are solved only with --form grid; otherwise, they can have several solutions or none. Complete \
grids count as puzzles, too.";

const EXAMPLES: &str = "\
Examples:
  batchdoku canon puzzles.txt -O lines | sort -u | wc -l          count the distinct puzzles
  batchdoku canon puzzles.csv --keep -o canonical.parquet         a key to join, group and compare by
  batchdoku canon 17_clue.txt --form list17 -O lines              the form used by the 17-clue list
  batchdoku canon grids.txt --only canonical --with-symmetry      and the symmetry that leads to it";

/// Find the canonical form of every puzzle
#[derive(Args, Debug)]
#[command(long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_job_exit_codes(EXAMPLES, "every record has a canonical form", "some are invalid or, with --form grid, do not have exactly one solution"))]
#[command(next_help_heading = "Form")]
pub struct CanonArguments {
    #[command(flatten)]
    pub run: RunArguments,

    /// Isomorph to use as the canonical form
    #[arg(long, value_name = "FORM", default_value = "minlex", value_parser = choice(&FORMS))]
    pub form: Form,

    /// Add a column with a symmetry that turns the puzzle into its canonical form
    ///
    /// An example is `tr312456789c123456789d123456789`. A leading `t` means that the grid is transposed first. Row i of
    /// the form is the row given by the i-th digit after `r`; column j is the column given by the j-th digit after `c`.
    /// Digit x becomes the x-th digit after `d`.
    #[arg(long)]
    pub with_symmetry: bool,

    #[command(flatten)]
    pub backend: BackendArguments,
    #[command(flatten)]
    pub rows: RowArguments,
}

/// Runs `batchdoku canon`.
pub fn canon(arguments: CanonArguments, typed: Typed) -> Result<Exit> {
    let CanonArguments { run, form, with_symmetry, backend, rows } = arguments;
    let backend = options::backend(&backend.backend)?;
    let solves = form == Form::Grid;
    if typed.has("backend") && !solves {
        bail!("--backend needs --form grid: nothing is solved for the other forms");
    }
    let mut options = JobOptions::over_files(typed, run)?.with_rows(rows)?;
    options.backend = solves.then_some(backend);
    let job = Canon::new(form, backend, with_symmetry);
    if let (true, Err(Unfit::Carried { format })) =
        (with_symmetry, options.rows.encoder.fits_one_more(job.schema()))
    {
        bail!("--with-symmetry adds a column, for which the output format {format} has no place");
    }
    job::run(job, options)
}
