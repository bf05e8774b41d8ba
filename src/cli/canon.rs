//! `batchdoku canon`.

use anyhow::{Result, bail};
use clap::Args;

use super::exit::Exit;
use super::flags::{BackendArguments, RowArguments, RunArguments, choice};
use super::job;
use super::options::{self, JobOptions};
use super::typed::Typed;
use super::with_job_exit_codes;
use crate::analysis::canon::Form;
use crate::jobs::Job;
use crate::jobs::canon::{Canon, FORMS};
use crate::output::Unfit;

const ABOUT: &str = "\
Find the canonical form of every puzzle in files, which is the same for all its isomorphs. Isomorphs differ by \
transposition, the labels of digits, and the order of bands, stacks, rows and columns within these. Nothing is \
solved, unless --form grid asks for it. Puzzles may therefore have several solutions or none, and solutions are \
puzzles, too.";

const EXAMPLES: &str = "\
Examples:
  batchdoku canon puzzles.txt -O lines | sort -u | wc -l          how many different puzzles
  batchdoku canon puzzles.csv --keep -o canonical.parquet         a key to join, group and compare by
  batchdoku canon 17_clue.txt --form list17 -O lines              the form of the list of 17-clue puzzles
  batchdoku canon grids.txt --only canonical --with-symmetry      and how each was reached";

/// Find the canonical form of every puzzle in files
#[derive(Args, Debug)]
#[command(long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_job_exit_codes(EXAMPLES, "every record has a form", "some are invalid, or have no form by a solution"))]
pub struct CanonArguments {
    #[command(flatten)]
    pub run: RunArguments,

    /// Which isomorph is canonical
    #[arg(long, value_name = "FORM", default_value = "minlex", value_parser = choice(&FORMS), help_heading = "Form")]
    pub form: Form,

    /// Write a symmetry that makes the form of the puzzle
    ///
    /// An example is `tr312456789c123456789d123456789`. With a `t`, the grid is transposed first. Row i of the form is
    /// the i-th row after `r`, column j the j-th column after `c`. Digit x becomes the x-th digit after `d`.
    #[arg(long, help_heading = "Form")]
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
