//! What several subcommands let one type.

use std::num::NonZeroUsize;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use crate::solver::Backend;

/// What `--backend` takes besides the names of the backends.
pub const AUTO: &str = "auto";

/// How the files of puzzles are read.
#[derive(Args, Debug)]
pub struct ReadArguments {
    /// Layout of the input [default: found from its first records]
    #[arg(long, value_name = "LAYOUT", help_heading = "Input")]
    pub format: Option<InputFormat>,

    /// Column of the puzzles in a CSV or TSV file [default: found by its name or content]
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub puzzle_column: Option<String>,
}

/// What `--format` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InputFormat {
    /// One puzzle on a line: 81 characters, then anything
    Line,
    /// Nine lines of nine cells: plain, spaced, framed or titled
    Grid,
    /// Sudominoku cases (BOJ 4574)
    Cases,
    /// CSV or TSV with a column of puzzles
    Csv,
}

/// What `--progress` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// If a person can see it
    Auto,
    /// In any case
    Always,
    /// Not at all
    Never,
}

/// The values of `--backend`.
pub fn backends() -> PossibleValuesParser {
    PossibleValuesParser::new([AUTO].into_iter().chain(Backend::NAMES))
}

/// Threads that may be asked for, at most; far more cores than any machine has.
const MOST_THREADS: usize = 4096;

/// A number of threads that can be started.
pub fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let count = text.parse().ok().filter(|count: &NonZeroUsize| count.get() <= MOST_THREADS);
    count.ok_or_else(|| format!("expected 1 to {MOST_THREADS} threads"))
}
