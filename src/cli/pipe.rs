//! `batchdoku pipe`.

use std::sync::Arc;

use anyhow::Result;
use clap::Args;

use super::exit::Exit;
use super::flags::{AnswerArguments, ReportingArguments, SearchArguments, ThreadArguments, TimeArguments};
use super::job;
use super::options::{Inputs, JobOptions};
use super::typed::Typed;
use super::with_exit_codes;
use crate::jobs::solve::Solve;
use crate::output::Keyed;

const SHORT_ABOUT: &str = "Answer lines of a key and a puzzle, one line for each";

const ABOUT: &str = "\
Read lines of a key, a tab and a puzzle from standard input, and answer each with one line: for programs that send \
their rows through a filter, such as `pipe` of Spark and Hadoop streaming. The answer is the unchanged key, then the \
columns of `solve` after `line`, separated by tabs. A line without a tab or without a puzzle is answered with \
`invalid`. If several instances run side by side, add `-j 1`.";

const EXAMPLES: &str = "\
Examples:
  batchdoku pipe -q -j 1 < lines.tsv
  printf '17\\t%s\\n' \"$PUZZLE\" | batchdoku pipe -q --no-time";

const EXIT_CODES: &str = "\
Exit codes:
  0    every line has an answer
  2    wrong usage, or standard input or output cannot be read or written, or was closed early
  3    an internal error: the line says so
  130  interrupted (SIGTERM: 143, SIGHUP: 129)";

/// What `pipe` takes.
#[derive(Args, Debug)]
#[command(about = SHORT_ABOUT, long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_exit_codes(EXAMPLES, EXIT_CODES))]
pub struct PipeArguments {
    #[command(flatten)]
    pub answers: AnswerArguments,
    #[command(flatten)]
    pub search: SearchArguments,
    #[command(flatten)]
    pub threads: ThreadArguments,
    #[command(flatten)]
    pub times: TimeArguments,
    #[command(flatten)]
    pub reporting: ReportingArguments,
}

/// Runs `batchdoku pipe`.
pub fn pipe(arguments: PipeArguments, typed: Typed) -> Result<Exit> {
    let PipeArguments { answers, search, threads, times, reporting } = arguments;
    // A defect is reproduced with `solve`, from the puzzle alone.
    let typed = typed.with_command("solve");
    let mut options = JobOptions::new(typed, &threads, reporting);
    (options.inputs, options.encoder, options.output.lenient) = (Inputs::KeyedLines, Arc::new(Keyed), true);
    let (recheck, mut search) = (search.recheck, search.options()?);
    search.limits = answers.limits(search.limits)?;
    options.backend = Some(search.backend);
    job::run(Solve::new(search, !times.no_time).with_recheck(recheck), options)
}
