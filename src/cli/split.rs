//! `batchdoku split`.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;

use super::copies::{self, CopyArguments, MemoryArguments};
use super::flags::choice;
use super::{Exit, Typed, with_exit_codes};
use crate::jobs::pick::words_of_parts;
use crate::survey::duplicates::{SAME, Same};
use crate::survey::selection::Selection;
use crate::survey::split::{MOST_PARTS, complete_names, part};

const ABOUT: &str = "\
Split the records in the input files into random parts, such as a training set and a test set. The records are written \
unchanged and in order. Lines are copied as they are, rows are written below their header (Parquet and Arrow as CSV), \
and grids are separated by a blank line. Records that count as the same (see --same) always go to the same part. By \
default, no two parts share a puzzle, not even as an isomorph. Apart from that, all records are equally likely to end \
up in a given part. Inputs are read twice; standard input is first copied to a temporary file. The same seed gives the \
same parts on every machine.";

const EXAMPLES: &str = "\
Examples:
  batchdoku split all.csv --parts train=0.9,test=0.1                       train.csv and test.csv
  batchdoku split all.csv --parts train=8,valid=1,test=1 --same solution-grid
  batchdoku split all.csv --parts train=0.9,test=0.1 --by rating           one in ten of each rating
  batchdoku split 'shard-*.csv' --parts sets/train.csv.gz=90,sets/test.csv=10 --seed 7";

const EXIT_CODES: &str = "  0    the parts were written
  1    they were, but some records (invalid or, with --same solution-grid, not unique) were not compared
  2    usage error, or a file could not be opened, read completely or written";

/// Split files into random parts that share no puzzles
#[derive(Args, Debug)]
#[command(long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_exit_codes(EXAMPLES, EXIT_CODES))]
pub struct SplitArguments {
    /// Output file and share of each part; shares can use any scale, such as 0.9 and 0.1 or 9 and 1
    ///
    /// A name with no extension gets the extension of the first FILE as typed. Files whose names end in .gz or .zst are
    /// compressed. A part can miss its share by one or two records, or by part of the largest group of records that
    /// count as the same.
    #[arg(long, value_name = "NAME=SHARE,...", value_delimiter = ',', required = true, value_parser = part)]
    pub parts: Vec<(PathBuf, u64)>,

    /// Random seed: the same seed gives the same parts
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,

    /// When two records count as the same, and so go to the same part
    #[arg(long, value_name = "WHAT", default_value = "puzzle", value_parser = choice(&SAME))]
    pub same: Same,

    /// Give each part its share of every kind
    ///
    /// KIND is a table column. If there is no such column, KIND can be `status` (from `solve`), `clues` (the number of
    /// clues) or `guesses`. Guesses are grouped as 0, 1, 2 to 3, 4 to 7 and so on; the search stops at 100,000.
    #[arg(long, value_name = "KIND")]
    pub by: Option<String>,

    #[command(flatten)]
    pub memory: MemoryArguments,
    #[command(flatten)]
    pub files: CopyArguments,
}

/// Runs `batchdoku split`.
pub fn split(arguments: SplitArguments, typed: Typed) -> Result<Exit> {
    let SplitArguments { parts: typed_parts, seed, same, by, memory, files } = arguments;
    if !(2..=MOST_PARTS).contains(&typed_parts.len()) {
        bail!("--parts: expected 2 to {MOST_PARTS} parts, as in train=0.9,test=0.1");
    }
    let mut options = copies::options(typed, files, None)?;
    let (mut paths, shares): (Vec<_>, Vec<_>) = typed_parts.into_iter().unzip();
    complete_names(&mut paths, options.inputs.as_deref().unwrap_or_default());
    let statuses = words_of_parts(paths.iter().map(|path| path.display().to_string()));
    for path in paths {
        options.rest.push(copies::second_output("--parts", path)?);
    }
    options.rows = options.rest.remove(0);
    let outputs = copies::outputs(&mut options, None)?;
    let bounds = memory.bounds(&options);
    copies::run(Selection::Split { same, bounds, shares, seed, statuses }, by, &outputs, options)
}
