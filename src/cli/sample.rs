//! `batchdoku sample`: some records out of all, as they stand.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};

use super::exit::Exit;
use super::figures::grouped;
use super::flags::{ReadArguments, threads};
use super::inputs::{self, Sieve};
use super::options;
use super::resume::Checkpoints;
use super::session::Session;
use super::{message, with_exit_codes};
use crate::input::shown_name;
use crate::output::compression_of_text;
use crate::survey::sample::{SampleError, SampleOptions, Strata, sample};

const SHORT_ABOUT: &str = "Take some records out of files, each as likely as any other";

const ABOUT: &str = "\
Take some records out of files, each as likely as any other, and write them as they stand, in their order: lines, rows \
below their header (as CSV, those of Parquet and Arrow), grids with a blank line between. Files are read once, and the \
sample alone is kept in memory. The same seed gives the same sample on every machine.";

const EXAMPLES: &str = "\
Examples:
  batchdoku sample big.csv.gz -n 1000 -o small.csv               a thousand rows of a dataset
  batchdoku sample 'train-*.csv' -n 100 --seed 7                 another sample, of all shards
  batchdoku sample list.txt -n 500 --by guesses -o spread.txt    from easy to hard, as many of each";

const EXIT_CODES: &str = "\
Exit codes:
  0    the sample is written; of fewer records than asked for, all
  2    wrong usage, or an input or output that cannot be opened, read to its end or written
  130  interrupted (SIGTERM: 143, SIGHUP: 129)";

/// What `sample` takes.
#[derive(Args, Debug)]
#[command(about = SHORT_ABOUT, long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_exit_codes(EXAMPLES, EXIT_CODES))]
pub struct SampleArguments {
    /// Files, patterns and directories as `solve` takes them, `-` for standard input (the default)
    ///
    /// All of one format; tables with the same header. Invalid records are as likely as others.
    #[arg(value_name = "FILE")]
    pub inputs: Vec<PathBuf>,

    /// Take N records
    #[arg(short = 'n', long, value_name = "N")]
    pub count: NonZeroUsize,

    /// Where the random numbers start: the same seed gives the same sample
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,

    /// Take as many of one kind as of another, as far as there are
    #[arg(long, value_name = "KIND")]
    pub by: Option<By>,

    /// Write the records to FILE, compressed if it ends in .gz or .zst [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// How the files are read
    #[command(flatten)]
    pub read: ReadArguments,

    /// Threads that solve for --by [default: as many as there are cores]
    #[arg(short = 'j', long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,

    /// Say nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// What `--by` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// What `solve` says of them
    Status,
    /// Numbers of clues
    Clues,
    /// Guesses: none, 1, 2 to 3, 4 to 7 and so on; a puzzle that takes more than 100,000 is given up
    Guesses,
}

/// Takes the sample that was asked for.
///
/// # Errors
///
/// When an input cannot be read to its end, or the output cannot be written.
pub fn run(typed: SampleArguments) -> Result<Exit> {
    let session = Session::begin(typed.quiet)?;
    let output = typed.output.filter(|path| path != Path::new("-"));
    let written: Vec<_> = output.as_deref().into_iter().collect();
    let compression = output.as_deref().map(compression_of_text).transpose()?.flatten();
    let names = inputs::expanded(typed.inputs.clone(), &written, typed.quiet)?;
    let read = options::read_options(typed.read)?;
    let mut out = session.open_one(&names, output.as_deref())?;
    let sieve = Sieve::new(&typed.inputs, false);
    let Some(opened) = inputs::open(sieve, &names, &read, typed.quiet)? else { return Ok(Exit::Trouble) };
    let sources = opened.into_iter().map(|(_, source)| source).collect();
    session.note_earlier(&out);
    let mut checkpoints = Checkpoints::of_earlier_run(&out)?;
    let by = typed.by.map(|by| match by {
        By::Status => Strata::Status,
        By::Clues => Strata::Clues,
        By::Guesses => Strata::Guesses,
    });
    let threads = options::threads(typed.threads, typed.quiet);
    let found = match sample(sources, &SampleOptions::new(typed.count, typed.seed, by, threads), &()) {
        Ok(found) => found,
        Err(error) => {
            let exit =
                if let SampleError::Run(error) = &error { Exit::of_error(error) } else { Exit::Trouble };
            message::failure(&error);
            out.keep().iter().for_each(message::hint);
            return Ok(exit);
        }
    };
    if !typed.quiet {
        found.notes.iter().for_each(message::warning);
        if (found.records.len() as u64) < typed.count.get() as u64 {
            let [asked, there] = [typed.count.get() as u64, found.seen].map(grouped);
            message::say(format_args!(
                "note: {asked} records were asked for, and there are {there}: all are taken"
            ));
        }
    }
    let name = out.name().to_owned();
    if let Err(error) = found.write(compression, threads, &mut checkpoints.sink(&mut out)) {
        out.keep().iter().for_each(message::hint);
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Ok(Exit::Answered);
        }
        anyhow::bail!("{}: cannot write the sample: {error}", shown_name(&name));
    }
    out.finish()?;
    checkpoints.end();
    Ok(Exit::Answered)
}
