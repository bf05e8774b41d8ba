//! The arguments for `bench`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::flags::{AnswerArguments, ReadArguments, TalkArguments, backends, seconds, threads};
use crate::jobs::AUTO;

/// The arguments for `bench`.
#[derive(Args, Debug)]
#[command(next_help_heading = "Contenders")]
pub struct BenchArguments {
    /// Puzzle files, or `-` for standard input (the default)
    ///
    /// Any format that `solve` reads is accepted. Invalid records and Sudominoku cases are skipped. If there are
    /// several files, each gets its own tables, followed by the tables for all files together.
    #[arg(value_name = "FILE", help_heading = None::<&str>)]
    pub inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub read: ReadArguments,

    /// Backends to measure; ratios are relative to the first
    ///
    /// If the output includes JSON, `scalar` is measured as well, so that ratios to it can be compared between runs.
    #[arg(
        long,
        value_name = "BACKEND,...",
        value_delimiter = ',',
        default_value = AUTO,
        value_parser = backends()
    )]
    pub backend: Vec<String>,

    /// Another program to measure as a whole process, taking turns with this one; can be repeated
    ///
    /// The command is split into words as in a shell, but no shell runs it. `{in}` is replaced with the name of the
    /// puzzle file (81 characters per line), and `{out}` with the name of the solution file. Without `{in}`, the
    /// program reads standard input; without `{out}`, it writes standard output. For each puzzle, in order, it must
    /// write one line with the solution: `solution`, `puzzle,solution` or `puzzle:count:solution`. Its output is
    /// checked after every run. Additional runs on a single puzzle, made in between, show how long startup takes.
    /// Puzzles with no solution or several can be left unanswered; a note below the table gives their number. A program
    /// can write up to 64 MiB, or 1000 bytes per puzzle if that is more. When it exits, all processes in its process
    /// group are killed.
    #[arg(long, value_name = "NAME=COMMAND")]
    pub against: Vec<String>,

    /// Kill an --against program that runs longer than this
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds, requires = "against")]
    pub timeout: Duration,

    #[command(flatten)]
    pub answers: AnswerArguments,

    /// Give up on a puzzle after N guesses
    ///
    /// Such a puzzle is `unfinished`, as in `solve`, and its time still counts. A note below the table gives the number
    /// of these puzzles. Without this flag, a single hard grid can hold up the whole run. Programs run with --against
    /// have no such limit, but this program keeps its limit even in their table.
    #[arg(long, value_name = "N", help_heading = "Solving")]
    pub max_guesses: Option<u64>,

    /// Threads per backend; in a list such as 1,2,4, each number makes a separate contender
    ///
    /// All contenders take turns. If there is only one backend and the first number is 1, the ratios are speedups.
    #[arg(
        short = 'j',
        long,
        value_name = "N,...",
        value_delimiter = ',',
        default_value = "1",
        value_parser = threads,
        help_heading = "Measuring"
    )]
    pub threads: Vec<NonZeroUsize>,

    /// Minimum time to spend on the rounds of each table
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds, help_heading = "Measuring")]
    pub seconds: Duration,

    /// Random seed: the same seed gives the same puzzle order
    #[arg(long, value_name = "N", default_value = "1", help_heading = "Measuring")]
    pub seed: u64,

    /// Replace each puzzle with a new random isomorph in each round, the same one for all contenders
    ///
    /// This way, little that the processor learns in one round helps it in the next. Within a turn, a fast contender
    /// still solves the same slice several times (`passes` in the JSON), so all turns are equally long. Programs run
    /// with --against read the original puzzles.
    #[arg(long, help_heading = "Measuring")]
    pub permute: bool,

    /// Write the results to FILE: all figures (.json), one row per contender (.csv) or the tables (.md)
    ///
    /// Can be repeated. The JSON also records the version, flags, machine and input. The tables are always printed as
    /// well.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Vec<PathBuf>,

    #[command(flatten)]
    pub talk: TalkArguments,
}

/// The description of `bench` for `--help`.
pub const BENCH: &str = "\
Compare the speed of solvers. The puzzles are held in memory, in random order. A warm-up solves all of them and checks \
every answer. Then the contenders take turns on slices of the puzzles, so noise on the machine affects all of them \
alike. The figures are medians with 95 % intervals. With 20 rounds or more, a difference of over 5 % between the first \
and last third triggers a warning. Only solving is measured, from grids in memory to outcomes in memory. The lane \
engine solves several puzzles side by side, so the time reported for each puzzle (p50, p90, p99, max) is its share. \
Programs run with --against are measured as whole processes, from file to file, and nothing is subtracted. They get a \
table of their own, in which this program is also measured as a whole process. `start` is the time that a run on a \
single puzzle takes. If startup makes up most of the time, the ratio says little about solving.";

/// The examples of `bench` for `--help`.
pub const BENCH_EXAMPLES: &str = "\
Examples:
  batchdoku bench puzzles.txt                                the fastest backend
  batchdoku bench puzzles.txt --backend auto,avx2,scalar     several, taking turns
  batchdoku bench puzzles.txt --against 'mine=./mine {in} {out}'
                                                             another program, as a whole process
  batchdoku bench puzzles.txt -j 1,2,4                       with different thread counts
  batchdoku bench puzzles.txt -o figures.json                save the figures

Exit codes:
  0    all contenders were measured
  1    a contender failed or gave a wrong answer
  2    usage error, or a file could not be opened, read or written
  130  interrupted, so there are no figures";
