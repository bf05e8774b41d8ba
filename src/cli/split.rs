//! `batchdoku split`.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;

use super::copies::{self, CopyArguments, MemoryArguments};
use super::exit::Exit;
use super::flags::choice;
use super::typed::Typed;
use super::with_exit_codes;
use crate::jobs::pick::words_of_parts;
use crate::survey::duplicates::{SAME, Same};
use crate::survey::selection::Selection;
use crate::survey::split::{MOST_PARTS, complete_names, part};

const ABOUT: &str = "\
Split the records of files into random parts, such as a training and a test set. The records are written unchanged \
and in order. Lines are copied, rows come below their header (Parquet and Arrow as CSV), and grids have a blank line \
between. Records that are the same go to one part, so no part has a puzzle of another, or its isomorph. Apart from \
that, every record is as likely as any other. Inputs are read twice, standard input from a temporary copy. The same \
seed gives the same parts on every machine.";

const EXAMPLES: &str = "\
Examples:
  batchdoku split all.csv --parts train=0.9,test=0.1                       train.csv and test.csv
  batchdoku split all.csv --parts train=8,valid=1,test=1 --same solution-grid
  batchdoku split all.csv --parts train=0.9,test=0.1 --by rating           of each rating one in ten
  batchdoku split 'shard-*.csv' --parts sets/train.csv.gz=90,sets/test.csv=10 --seed 7";

const EXIT_CODES: &str = "  0    the parts are written
  1    they are, but some records are invalid or, with solution-grid, not unique: these are the same as no other
  2    wrong usage, or a file that cannot be opened, read completely or written";

/// Split files into random parts that share no puzzle
#[derive(Args, Debug)]
#[command(long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_exit_codes(EXAMPLES, EXIT_CODES))]
pub struct SplitArguments {
    /// The files of the parts and their shares, in any unit
    ///
    /// A name without an extension gets that of the first FILE as typed. Files that end in .gz or .zst are compressed.
    /// A part is off by one or two records, or by part of the largest group of same records.
    #[arg(long, value_name = "NAME=SHARE,...", value_delimiter = ',', required = true, value_parser = part)]
    pub parts: Vec<(PathBuf, u64)>,

    /// Seed of the random numbers: the same seed gives the same parts
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,

    /// Rule by which two records are the same, and go to one part
    #[arg(long, value_name = "WHAT", default_value = "puzzle", value_parser = choice(&SAME))]
    pub same: Same,

    /// Give each part its share of each kind
    ///
    /// KIND is a column of the table. If the table has no such column, KIND is `status` (from `solve`), `clues` (their
    /// number) or `guesses`. Guesses are grouped: none, 1, 2 to 3, 4 to 7 and so on; the search ends at 100,000.
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
    complete_names(&mut paths, options.inputs.files().map_or(&[], Vec::as_slice));
    let statuses = words_of_parts(paths.iter().map(|path| path.display().to_string()));
    for path in paths {
        options.rest.push(copies::second_output("--parts", path)?);
    }
    options.rows = options.rest.remove(0);
    let outputs = copies::outputs(&mut options, None)?;
    let bounds = memory.bounds(&options);
    copies::run(Selection::Split { same, bounds, shares, seed, statuses }, by, &outputs, options)
}
