//! `batchdoku solve`: what was typed, what it means, what it runs.

use std::num::NonZeroU64;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;

use super::enumerate;
use super::exit::Exit;
use super::flags::{JobArguments, WhichSolution};
use super::job::{self, JobOptions};
use super::options::Terminals;
use super::with_exit_codes;
use crate::jobs::SearchOptions;
use crate::jobs::solve::Solve;
use crate::output::Keyed;

const SHORT_ABOUT: &str = "Solve every puzzle of some files";

const ABOUT: &str = "\
Solve every puzzle of some files, check every solution, and write one row for each record, in the \
order of the input. A bad record becomes a row with status `invalid`; those around it are untouched.";

const EXAMPLES: &str = "\
Examples:
  batchdoku solve puzzles.txt -o results.csv       a file, solved on all cores
  batchdoku solve -O text < grid.txt               the answer as a grid like the question's
  batchdoku solve *.csv.gz -O jsonl -o all.jsonl   datasets, decompressed as they are read
  batchdoku solve - -O lines --limit 1             any solution, from a pipe to a pipe
  batchdoku solve --filter -q -j 1                 lines `key TAB puzzle` in, one answer for each out";

const EXIT_CODES: &str = "\
Exit codes:
  0    every record has an answer
  1    some are invalid, unsolvable or unfinished, or --strict stopped the run
  2    wrong usage, or an input or output that cannot be opened, read or written
  3    an internal error: the row says so
  130  interrupted (SIGTERM: 143, SIGHUP: 129); a second signal ends at once";

/// What `solve` takes.
#[derive(Args, Debug)]
#[command(about = SHORT_ABOUT, long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_exit_codes(EXAMPLES, EXIT_CODES))]
pub struct SolveArguments {
    /// What all jobs take
    #[command(flatten)]
    pub job: JobArguments,

    /// Look for up to N solutions of each puzzle
    ///
    /// 2 tells `unique` from `multiple`; 1 takes the first solution and says `solved`. Sudominoku cases are given up at
    /// a million (but not by --enumerate), since their solutions are kept in memory.
    #[arg(long, value_name = "N", default_value = "2", help_heading = "Solving", display_order = 0)]
    pub limit: NonZeroU64,

    /// Which of several solutions to give
    ///
    /// The smallest takes a search of its own. With --limit 1 it is any.
    #[arg(
        long,
        value_name = "WHICH",
        default_value = "smallest",
        help_heading = "Solving",
        display_order = 1
    )]
    pub solution: WhichSolution,

    /// Write every solution, up to --limit of each record, as a row of its own: id, n, solution
    ///
    /// In ascending order, and found as they are written, so that a puzzle with billions takes no more memory than
    /// another. Those of Sudominoku cases are digit grids. `id` is the number of the record; records without a solution
    /// have no row, and the exit code says so. No bound, report, choice of rows or --solution goes with it, and it is not
    /// resumed.
    #[arg(
        long,
        help_heading = "Output",
        requires = "limit",
        conflicts_with_all = ["solution", "max_guesses", "max_time", "recheck", "filter", "resume", "summary", "report",
            "only", "keep"]
    )]
    pub enumerate: bool,

    /// Read lines of a key, a tab and a puzzle from standard input, and answer each with one line
    ///
    /// For programs that send their rows through another: pipes of Spark, Hadoop streaming. The answer is the key as it
    /// came, then the columns behind `line` in the order below, tabs between them. What is no puzzle, and a line without
    /// a tab, are answered with `invalid`. Exit code 0 means that every line was answered; anything else, a reader who
    /// left included, is another code. Where several run side by side, add `-j 1`.
    #[arg(
        long,
        help_heading = "Input",
        conflicts_with_all = ["inputs", "format", "puzzle_column", "trust_compressed", "strict", "output", "output_format",
            "only", "keep", "escape_formulas", "report"]
    )]
    pub filter: bool,
}

/// Solves what was typed.
///
/// # Errors
///
/// When flags contradict each other, or an output cannot be opened or written.
pub fn solve(typed: SolveArguments, terminals: Terminals) -> Result<Exit> {
    let (options, search) = meaning(typed, terminals)?;
    if options.enumerate {
        return enumerate::run(&options, search.limits.solutions);
    }
    job::run(Solve::new(search, options.times).with_recheck(options.recheck), &options)
}

/// What was typed, given its meaning.
///
/// # Errors
///
/// When flags contradict each other.
pub fn meaning(typed: SolveArguments, terminals: Terminals) -> Result<(JobOptions, SearchOptions)> {
    let mut options = JobOptions::new(typed.job, terminals)?;
    options.without_results = true;
    if typed.filter {
        (options.filter, options.lenient, options.encoder) = (true, true, Arc::new(Keyed));
    }
    let settings =
        [("command", "solve"), ("--limit", &typed.limit.to_string()), ("--solution", typed.solution.name())];
    options.settings.extend(settings.map(|(name, value)| (name.to_owned(), value.to_owned())));
    options.enumerate = typed.enumerate;
    options.subcommand = format!("solve --limit {} --solution {}", typed.limit, typed.solution.name());
    let mut search = options.search(typed.limit);
    search.limits.wanted = typed.solution.into();
    Ok((options, search))
}
