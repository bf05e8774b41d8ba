//! `batchdoku sample`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::copies::{self, CopyArguments};
use super::{Exit, Typed, with_exit_codes};
use crate::survey::selection::Selection;

const ABOUT: &str = "\
Take a random sample of the records in the input files, and write them unchanged and in order. Every record is equally \
likely to be chosen. Lines are copied as they are, rows are written below their header (Parquet and Arrow as CSV), and \
grids are separated by a blank line. Inputs are read twice; standard input is first copied to a temporary file. Only \
the record numbers of the sample are kept in memory. The same seed gives the same sample on every machine.";

const EXAMPLES: &str = "\
Examples:
  batchdoku sample big.csv.gz -n 1000 -o small.csv               a thousand rows of a dataset
  batchdoku sample 'train-*.csv' -n 100 --seed 7                 another sample, from all shards
  batchdoku sample list.txt -n 500 --by guesses -o spread.txt    as many hard puzzles as easy ones
  batchdoku sample all.csv -n 500 --by rating -o spread.csv      as many of each rating (a table column)
  batchdoku sample all.csv -n 1000 -o test.csv --rest train.csv  a test set, and all other rows";

const EXIT_CODES: &str = "  0    the sample was written; it has all records if there are fewer than requested
  2    usage error, or an input or output could not be opened, read completely or written";

/// Take a random sample of records
#[derive(Args, Debug)]
#[command(long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_exit_codes(EXAMPLES, EXIT_CODES))]
pub struct SampleArguments {
    /// Number of records to take
    #[arg(short = 'n', long, value_name = "N")]
    pub count: NonZeroUsize,

    /// Random seed: the same seed gives the same sample
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,

    /// Take the same number of records of each kind, as far as possible
    ///
    /// KIND is a table column. If there is no such column, KIND can be `status` (from `solve`), `clues` (the number of
    /// clues) or `guesses`. Guesses are grouped as 0, 1, 2 to 3, 4 to 7 and so on; the search stops at 100,000.
    #[arg(long, value_name = "KIND")]
    pub by: Option<String>,

    /// Write the records to FILE, compressed if its name ends in .gz or .zst [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Also write all remaining records to FILE, in order
    #[arg(long, value_name = "FILE")]
    pub rest: Option<PathBuf>,

    #[command(flatten)]
    pub files: CopyArguments,
}

/// Runs `batchdoku sample`.
pub fn sample(arguments: SampleArguments, typed: Typed) -> Result<Exit> {
    let SampleArguments { count, seed, by, output, rest, files } = arguments;
    let mut options = copies::options(typed, files, output)?;
    options.rest.extend(rest.map(|path| copies::second_output("--rest", path)).transpose()?);
    let outputs = copies::outputs(&mut options, None)?;
    copies::run(Selection::Sample { count, seed }, by, &outputs, options)
}
