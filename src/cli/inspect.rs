//! `batchdoku inspect`.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use super::flags::{ClaimArguments, ReadArguments};
use super::inputs::{self, InputFilter};
use super::progress::ProgressLine;
use super::session::Session;
use super::{Exit, message, options, printed, with_exit_codes};
use crate::jobs::INTERNAL_ERROR;
use crate::output::file::OutputFile;
use crate::survey::{self, InspectError, InspectOptions, Inspection};

const ABOUT: &str = "\
Describe files: format, size, columns, rows, number of solutions, clues, blanks, duplicates, and whether claimed \
solutions are correct. Plain files of up to 2 MiB are read completely. For longer files, pipes and compressed data, \
only the first 1 MiB is read. The output says which part was read, and which figures are exact. A puzzle that needs \
more than 1,000 guesses counts as `unfinished`.";

const EXAMPLES: &str = "\
Examples:
  batchdoku inspect unknown.txt                   what is it?
  batchdoku inspect 'train-*.csv' --json          all shards, as JSON
  batchdoku inspect --all big.csv                 exact counts
  zcat big.gz | batchdoku inspect                 the first 1 MiB of a pipe";

const EXIT_CODES: &str = "  0    every file was read
  2    usage error, or a file could not be opened or read, or holds nothing readable";

/// The version of the JSON layout, bumped by every change that breaks readers.
const LAYOUT: u32 = 4;

/// Describe files: format, columns, puzzles, duplicates, claims
#[derive(Args, Debug)]
#[command(long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_exit_codes(EXAMPLES, EXIT_CODES))]
pub struct InspectArguments {
    /// Files, patterns and directories, as for `solve`, or `-` for standard input (the default)
    #[arg(value_name = "FILE")]
    pub inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub read: ReadArguments,
    #[command(flatten)]
    pub claims: ClaimArguments,

    /// Read each file completely
    #[arg(long)]
    pub all: bool,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The JSON output.
#[derive(Serialize)]
struct Inspected {
    layout: u32,
    inputs: Vec<Inspection>,
    /// The reasons why the other inputs were refused.
    refused: Vec<String>,
}

/// Runs `batchdoku inspect`.
pub fn inspect(typed: InspectArguments) -> Result<Exit> {
    // There is nothing to finish, so a signal ends the program at once.
    Session::begin()?;
    let names = inputs::expanded(typed.inputs.clone(), &[])?;
    let read = options::with_claims(options::read_options(typed.read)?, typed.claims)?;
    let mut filter = InputFilter::new(&typed.inputs, false);
    let options = InspectOptions { read, all: typed.all, threads: options::threads(None) };
    let mut out = OutputFile::standard_output()?;
    let mut exit = Exit::Answered;
    let mut inspected = Inspected { layout: LAYOUT, inputs: Vec::new(), refused: Vec::new() };
    for (at, name) in names.iter().enumerate() {
        let size = name.metadata().ok().filter(std::fs::Metadata::is_file).map(|found| found.len());
        let progress = ProgressLine::new(options.all, size);
        let Some(source) = filter.open(name, &options.read).map_err(InspectError::from).transpose() else {
            continue;
        };
        let look = |source| survey::inspect(source, &options, &progress, &AtomicBool::new(false));
        let found = source.and_then(look);
        progress.clear();
        match found {
            Ok(found) => {
                if found.statuses.contains_key(INTERNAL_ERROR.name) {
                    exit = Exit::InternalError;
                } else if found.error.is_some() {
                    exit = exit.max(Exit::Trouble);
                }
                if !typed.json {
                    let gap = if at > 0 { "\n" } else { "" };
                    printed(out.write_all(format!("{gap}{}", found.text()).as_bytes()))?;
                }
                inspected.inputs.push(found);
            }
            Err(error) => {
                exit = exit.max(match &error {
                    InspectError::Input(_) | InspectError::Nothing { .. } => Exit::Trouble,
                    InspectError::Run(error) => Exit::of_error(error),
                });
                inspected.refused.push(error.to_string());
                message::failure(&error);
            }
        }
    }
    filter.finish(!(inspected.inputs.is_empty() && inspected.refused.is_empty()))?;
    if typed.json {
        let mut text = serde_json::to_string_pretty(&inspected)?;
        text.push('\n');
        printed(out.write_all(text.as_bytes()))?;
    }
    Ok(exit)
}
