//! `batchdoku pipe`: what was typed, what it means, what it runs.

use std::sync::Arc;

use anyhow::Result;
use clap::Args;

use super::exit::Exit;
use super::flags::{AnswerArguments, ReportingArguments, SearchArguments, ThreadArguments, TimeArguments};
use super::job;
use super::options::{Inputs, JobOptions, Terminals};
use super::typed::Typed;
use super::with_exit_codes;
use crate::jobs::solve::Solve;
use crate::output::Keyed;

const SHORT_ABOUT: &str = "Answer each line of a pipe, a key and a puzzle, with one line";

const ABOUT: &str = "\
Read lines of a key, a tab and a puzzle from standard input, and answer each with one line: for programs that send their \
rows through another, as pipes of Spark and Hadoop streaming do. The answer is the key as it came, then the columns of \
`solve` behind `line`, tabs between them. What is no puzzle, and a line without a tab, are answered with `invalid`. Where \
several run side by side, add `-j 1`.";

const EXAMPLES: &str = "\
Examples:
  batchdoku pipe -q -j 1 < lines.tsv
  printf '17\\t%s\\n' \"$PUZZLE\" | batchdoku pipe -q --no-time";

const EXIT_CODES: &str = "\
Exit codes:
  0    every line has its answer
  2    wrong usage, or standard input or output cannot be read or written, or nobody reads the answers
  3    an internal error: the line says so
  130  interrupted (SIGTERM: 143, SIGHUP: 129)";

/// What `pipe` takes.
#[derive(Args, Debug)]
#[command(about = SHORT_ABOUT, long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_exit_codes(EXAMPLES, EXIT_CODES))]
pub struct PipeArguments {
    /// What is asked of each puzzle
    #[command(flatten)]
    pub answers: AnswerArguments,

    /// How it searches
    #[command(flatten)]
    pub search: SearchArguments,

    /// On how many threads
    #[command(flatten)]
    pub threads: ThreadArguments,

    /// Whether answers have times
    #[command(flatten)]
    pub times: TimeArguments,

    /// What it says besides
    #[command(flatten)]
    pub reporting: ReportingArguments,
}

/// Answers the lines of standard input.
///
/// # Errors
///
/// When standard output cannot be written.
pub fn pipe(arguments: PipeArguments, typed: Typed, terminals: Terminals) -> Result<Exit> {
    let PipeArguments { answers, search, threads, times, reporting } = arguments;
    // A defect is seen again by a puzzle alone.
    let typed = typed.as_command("solve");
    let mut options =
        JobOptions::new(typed, &threads, reporting, terminals).with_times(&times).with_search(&search)?;
    (options.inputs, options.encoder, options.lenient) = (Inputs::KeyedLines, Arc::new(Keyed), true);
    let job = Solve::new(answers.search(&options.search), options.times).with_recheck(search.recheck);
    job::run(job, options)
}
