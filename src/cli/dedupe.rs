//! `batchdoku dedupe`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::copies::{self, CopyArguments, MemoryArguments};
use super::exit::Exit;
use super::flags::choice;
use super::message::Context;
use super::options::RowFile;
use super::typed::Typed;
use super::with_exit_codes;
use crate::input::shown_name;
use crate::output::Choice;
use crate::survey::duplicates::{Matches, SAME, Same};
use crate::survey::selection::Selection;

const ABOUT: &str = "\
Leave out the records that are the same as an earlier one in the same or a previous file. All others are written \
unchanged and in order. Lines are copied, rows come below their header (Parquet and Arrow as CSV), and grids have a \
blank line between. With --against, records that other files have are left out, such as test records found in the \
training set. Records are compared exactly, and memory is bounded whatever the size of the inputs. The inputs are \
read twice, standard input from a temporary copy. A record that cannot be read is the same as no other: it is \
written, and counted.";

const EXAMPLES: &str = "\
Examples:
  batchdoku dedupe all.csv -o distinct.csv                    each puzzle once
  batchdoku dedupe a.csv b.csv -o ab.csv --matches both.csv   two sets as one, and what both have
  batchdoku dedupe --against train.csv test.csv -o clean.csv  a test set apart from the training set
  batchdoku dedupe all.csv --same puzzle -o classes.csv       one of each class of isomorphs
  batchdoku dedupe 'shard-*.csv' --memory 200M -o all.csv     more on the disk, less in memory";

const EXIT_CODES: &str = "  0    the records are written, whether there are duplicates or not
  1    with --against, some records are in both; or some are invalid or, with solution-grid, not unique
  2    wrong usage, or a file that cannot be opened, read completely or written";

/// Leave out the records that are the same as an earlier one
#[derive(Args, Debug)]
#[command(long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_exit_codes(EXAMPLES, EXIT_CODES))]
pub struct DedupeArguments {
    /// Rule by which two records are the same
    #[arg(long, value_name = "WHAT", default_value = "text", value_parser = choice(&SAME))]
    pub same: Same,

    /// Leave out only the records that are the same as one of FILE; can be given several times
    ///
    /// The records of FILE, which may have another format, are not written. Duplicates among the others are kept. The
    /// exit code is 1 if any record is in both. Patterns and directories are allowed.
    #[arg(long, value_name = "FILE", requires = "inputs")]
    pub against: Vec<PathBuf>,

    /// Write the records to FILE, compressed if it ends in .gz or .zst [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Convert the records to a format, as `convert` does, instead of copying them unchanged
    ///
    /// The columns of tables become columns. A record that cannot be read is then not written. The extension of
    /// --output does the same if it names another format than the records have.
    #[arg(short = 'O', long, value_name = "FORMAT")]
    pub output_format: Option<String>,

    /// Also write a table to FILE: each record left out, and the first one that is the same
    ///
    /// Columns: id, source and line of the record; first_id, first_source and first_line of the other; kind, from
    /// --same. Ids count the records of all inputs from 1, those of --against before the others. The extension gives
    /// the format: CSV, JSON Lines, Parquet or Arrow.
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
