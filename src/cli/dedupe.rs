//! `batchdoku dedupe`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::copies::{self, CopyArguments, MemoryArguments};
use super::flags::choice;
use super::message::Context;
use super::options::RowFile;
use super::{Exit, Typed, with_exit_codes};
use crate::input::shown_name;
use crate::output::Choice;
use crate::survey::duplicates::{Matches, SAME, Same};
use crate::survey::selection::Selection;

const ABOUT: &str = "\
Remove every record that is the same as an earlier one in the same or a previous file. All other records are written \
unchanged and in order. Lines are copied as they are, rows are written below their header (Parquet and Arrow as CSV), \
and grids are separated by a blank line. With --against, records that also occur in other files are removed, such as \
test records found in the training set. Records are compared exactly, and memory stays bounded no matter how large the \
inputs are. The inputs are read twice; standard input is first copied to a temporary file. A record that cannot be \
read never counts as a duplicate; it is written, and counted as invalid.";

const EXAMPLES: &str = "\
Examples:
  batchdoku dedupe all.csv -o distinct.csv                    each puzzle once
  batchdoku dedupe a.csv b.csv -o ab.csv --matches both.csv   merge two sets, and list what they share
  batchdoku dedupe --against train.csv test.csv -o clean.csv  a test set without training puzzles
  batchdoku dedupe all.csv --same puzzle -o classes.csv       one puzzle per class of isomorphs
  batchdoku dedupe 'shard-*.csv' --memory 200M -o all.csv     use less memory and more disk space";

const EXIT_CODES: &str = "  0    the records were written, whether or not there were duplicates
  1    with --against, some records are also in FILE; or some are invalid or, with --same solution-grid, not unique
  2    usage error, or a file could not be opened, read completely or written";

/// Remove duplicate records
#[derive(Args, Debug)]
#[command(long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_exit_codes(EXAMPLES, EXIT_CODES))]
pub struct DedupeArguments {
    /// When two records count as the same
    #[arg(long, value_name = "WHAT", default_value = "text", value_parser = choice(&SAME))]
    pub same: Same,

    /// Remove only records that are the same as one in FILE; can be repeated
    ///
    /// The records in FILE are not written, and FILE can have a different format. Duplicates among the remaining
    /// records are kept. The exit code is 1 if any record is also in FILE. Patterns and directories are allowed.
    #[arg(long, value_name = "FILE", requires = "inputs")]
    pub against: Vec<PathBuf>,

    /// Write the records to FILE, compressed if its name ends in .gz or .zst [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Convert the records to this format, as `convert` does, instead of copying them unchanged
    ///
    /// Table columns are preserved, but unreadable records are left out of the output. An --output extension that
    /// stands for a different format has the same effect.
    #[arg(short = 'O', long, value_name = "FORMAT")]
    pub output_format: Option<String>,

    /// Also write a table to FILE that lists each removed record and the first one it matches
    ///
    /// Its columns are id, source and line of the removed record; first_id, first_source and first_line of its match;
    /// and kind, the --same rule. Ids count the records of all inputs from 1, starting with those of --against. The
    /// extension sets the format: CSV, JSON Lines, Parquet or Arrow.
    #[arg(long, value_name = "FILE")]
    pub matches: Option<PathBuf>,

    #[command(flatten)]
    pub memory: MemoryArguments,
    #[command(flatten)]
    pub files: CopyArguments,
}

/// Runs `batchdoku dedupe`.
pub fn dedupe(arguments: DedupeArguments, typed: Typed) -> Result<Exit> {
    let DedupeArguments { same, against, output, output_format, matches, memory, files } = arguments;
    let mut options = copies::options(typed, files, output)?;
    let outputs = copies::outputs(&mut options, output_format.as_deref())?;
    if let Some(path) = matches {
        let encoder = Choice::new(Some(&path), None)?.encoder(false)?;
        encoder.fits(&Matches::schema()).with_context(|| shown_name(&path))?;
        options.rest = vec![RowFile { encoder, ..copies::second_output("--matches", path)? }];
    }
    options.against = against;
    let bounds = memory.bounds(&options);
    copies::run(Selection::Dedupe { same, bounds }, None, &outputs, options)
}
