//! `batchdoku sheet`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use super::flags::{
    InputArguments, OutputArguments, ReportingArguments, RowArguments, RunArguments, TextArguments,
    ThreadArguments,
};
use super::{Exit, JobOptions, Typed, job, with_job_exit_codes};
use crate::input::shown_name;
use crate::jobs::solve::{STATUSES, Solve};
use crate::jobs::{INVALID, SearchOptions};
use crate::output::{Compression, Sheet, compressed, compression_of_text};
use crate::solver::{Backend, Limits, Wanted};

const ABOUT: &str = "\
Lay out the puzzles in the input files on A4 or US Letter pages. The output is a single HTML file that prints from any \
browser and works offline. Each puzzle is labelled with its record number. A puzzle with several solutions or none is \
marked as such, and no solution is printed for it. Invalid records are skipped, but they are counted and listed.";

const EXAMPLES: &str = "\
Examples:
  batchdoku sheet list.txt -o sheet.html                                 solutions at the end
  batchdoku sheet list.txt --per-page 9 --solutions none -o sheet.html   only the puzzles
  batchdoku sheet rated.csv --keep se --title Monday -o sheet.html       each with its rating";

/// Lay out puzzles on printable pages
#[derive(Args, Debug)]
#[command(long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_job_exit_codes(EXAMPLES, "every record was printed and has a solution", "some are invalid or unsolvable"))]
#[command(next_help_heading = "Page")]
pub struct SheetArguments {
    #[command(flatten)]
    pub input: InputArguments,

    /// Print N puzzles per page, from 1 to 9
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u8).range(1..=9))]
    pub per_page: u8,

    /// Print TEXT at the top of each page; '' for none
    #[arg(long, value_name = "TEXT", default_value = "Sudoku")]
    pub title: String,

    /// Where to print the solutions
    #[arg(long, value_name = "WHERE", default_value = "end")]
    pub solutions: Solutions,

    /// Print these input columns below each puzzle
    ///
    /// Give names (case does not matter) or numbers, separated by commas.
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    pub keep: Vec<String>,

    /// Write the pages to FILE, compressed if its name ends in .gz or .zst [default: standard output]
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Exit with code 0 even if some records have no solution
    #[arg(long, help_heading = "Output")]
    pub lenient: bool,

    #[command(flatten)]
    pub threads: ThreadArguments,
    #[command(flatten)]
    pub reporting: ReportingArguments,
}

/// The possible values of `--solutions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Solutions {
    /// On pages of their own, after all puzzles
    End,
    /// Nowhere
    None,
}

/// Runs `batchdoku sheet`.
pub fn sheet(arguments: SheetArguments, typed: Typed) -> Result<Exit> {
    let SheetArguments { input, per_page, title, solutions, keep, output, lenient, threads, reporting } =
        arguments;
    let compression = output.as_deref().map(compression).transpose()?.flatten();
    let backend = Backend::best();
    let output = OutputArguments { path: output, lenient, ..OutputArguments::default() };
    let rows = RowArguments { keep: (!keep.is_empty()).then_some(keep), only: Vec::new() };
    let run = RunArguments { input, threads, output, texts: TextArguments::default(), reporting };
    let mut options = JobOptions::over_files(typed, run)?.with_rows(rows)?;
    options.backend = Some(backend);
    options.only =
        STATUSES.iter().map(|word| word.name.to_owned()).filter(|name| name != INVALID.name).collect();
    let sheet = Sheet::new(&title, per_page, solutions == Solutions::End);
    options.rows.encoder = compressed(Arc::new(sheet), compression);
    // The solutions are kept in memory until the end.
    options.is_resumable = false;
    let limits = Limits { wanted: Wanted::Any, ..Limits::default() };
    let job = Solve::new(SearchOptions { backend, limits }, false)
        .sudokus_only(|parts| format!("whose {parts} no page shows"));
    job::run(job.unwritten(), options)
}

/// Returns the compression for a page file with this name. Fails if this is not the name of a page.
fn compression(path: &Path) -> Result<Option<Compression>> {
    let compression = compression_of_text(path)?;
    let page = if compression.is_some() { &path.with_extension("") } else { path };
    let is_page = |extension: &OsStr| ["html", "htm"].iter().any(|page| extension.eq_ignore_ascii_case(page));
    if page.extension().is_some_and(|extension| !is_page(extension)) {
        let name = shown_name(path);
        bail!(
            "{name}: is not the name of a page (.html)\n  hint: write .html, which a browser prints, as PDF too"
        );
    }
    Ok(compression)
}
