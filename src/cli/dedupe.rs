//! `batchdoku dedupe`.

use std::mem;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::comparison::{MemoryArguments, SameArgument, warn_of_uncompared};
use super::copies::CopyArguments;
use super::exit::Exit;
use super::job::Opened;
use super::message::Context;
use super::options::{JobOptions, RestOutput};
use super::typed::Typed;
use super::{copies, message, with_exit_codes};
use crate::input::shown_name;
use crate::jobs::pick::{self, NumberSet, distinct};
use crate::output::{Choice, Output};
use crate::survey::PassError;
use crate::survey::duplicates::{Comparison, Matches, Same};

const SHORT_ABOUT: &str = "Leave out the records that are the same as an earlier one";

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

const EXIT_CODES: &str = "\
Exit codes:
  0    the records are written, whether there are duplicates or not
  1    with --against, some records are in both; or some are invalid or, with solution-grid, not unique
  2    wrong usage, or a file that cannot be opened, read completely or written
  3    an internal error
  130  interrupted (SIGTERM: 143, SIGHUP: 129)";

/// The arguments of `dedupe`.
#[derive(Args, Debug)]
#[command(about = SHORT_ABOUT, long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_exit_codes(EXAMPLES, EXIT_CODES))]
pub struct DedupeArguments {
    /// Rule by which two records are the same
    #[arg(long, value_name = "WHAT", default_value = "text")]
    pub same: SameArgument,

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
    let same = Same::from(same);
    let mut options = copies::options(typed, files, output)?;
    let outputs = copies::outputs(&mut options, output_format.as_deref())?;
    if let Some(path) = matches {
        let encoder = Choice::new(Some(&path), None)?.encoder(false)?;
        encoder.fits(&Matches::schema()).with_context(|| shown_name(&path))?;
        options.rest = vec![RestOutput { encoder, ..copies::second_output("--matches", path, Vec::new())? }];
    }
    options.against = against;
    let mut opened = Opened::new(&mut options)?;
    let comparison = memory.comparison(same, &options);
    let found = outputs
        .copies(&opened.sources)
        .and_then(|copies| Ok((copies, compared(same, comparison, &mut opened, &options)?)));
    let (copies, (duplicates, known, exit)) = match found {
        Ok(found) => found,
        Err(error) => {
            let is_format = matches!(error, PassError::NoExcerpt { .. } | PassError::Unlike { .. });
            let exit = copies::fail(&error, opened);
            if is_format {
                message::hint("or give a format: -O csv or -O jsonl");
            }
            return Ok(exit);
        }
    };
    // It is written by now.
    options.rest.clear();
    options.kept = Some(distinct(!copies.are_converted).to_vec());
    options.exit = exit;
    copies::write(pick::dedupe(duplicates, known), opened, options, copies)
}

/// Compares all records and writes the table of matches. Returns the numbers of the duplicates, the number of the last
/// record of other files, if there are any, and the least exit.
fn compared(
    same: Same,
    mut comparison: Comparison,
    opened: &mut Opened,
    options: &JobOptions,
) -> Result<(NumberSet, Option<u64>, Exit), PassError> {
    let mut exit = Exit::Answered;
    let mut known = None;
    if !options.against.is_empty() {
        let against = mem::take(&mut opened.against);
        let notes = copies::read(&opened.session, options, against, |sources, progress, stop| {
            comparison.read(sources, progress, stop)
        })?;
        notes.iter().for_each(message::warning);
        known = Some(comparison.records);
    }
    // The second pass counts the unreadable records of the inputs.
    let mut uncompared = comparison.uncompared;
    let sources = mem::take(&mut opened.sources);
    // The second pass prints the warnings.
    let duplicates = copies::read(&opened.session, options, sources, |sources, progress, stop| {
        comparison.read(sources, progress, stop)?;
        if same == Same::SolutionGrid {
            uncompared = comparison.uncompared;
        }
        comparison.finish(known, stop)
    })?;
    if uncompared > 0 {
        warn_of_uncompared(same, uncompared, "--against: ");
        exit = Exit::Unanswered;
    }
    exit = exit.max(write_matches(duplicates.matches, opened, options)?);
    Ok((duplicates.numbers, known, exit))
}

/// Writes the table of matches if it is wanted; returns the least exit that this leads to. Fails if matches cannot be
/// read back, or the run is interrupted.
fn write_matches(matches: Matches, opened: &mut Opened, options: &JobOptions) -> Result<Exit, PassError> {
    let (Some(mut file), Some(rest)) = (opened.outputs.rest.pop(), options.rest.first()) else {
        return Ok(Exit::Answered);
    };
    let (session, name) = (&opened.session, shown_name(file.name()));
    session.note_earlier(&file);
    let out = (&*name, &mut file as &mut dyn Output);
    match matches.write(&*rest.encoder, out, options.run.threads, session.stop()) {
        Ok(()) => match file.finish() {
            Ok(()) => return Ok(Exit::Answered),
            Err(error) => message::failure(&error),
        },
        // Outputs are independent: the records are still written.
        Err(error @ PassError::Unwritten { .. }) => {
            message::failure(&error);
            file.keep().iter().for_each(message::hint);
        }
        Err(error) => return Err(error),
    }
    Ok(Exit::Trouble)
}
