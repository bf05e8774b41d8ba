//! The arguments of `bench`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::flags::{AnswerArguments, ReadArguments, TalkArguments, backends, seconds, threads};
use crate::jobs::AUTO;

/// The arguments of `bench`.
#[derive(Args, Debug)]
pub struct BenchArguments {
    /// Files of puzzles, `-` for standard input (the default)
    ///
    /// All formats that `solve` reads are accepted. Invalid records and Sudominoku cases are left out. With several
    /// files, each has its own tables, before those of all files together.
    #[arg(value_name = "FILE")]
    pub inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub read: ReadArguments,

    /// Backends to measure; ratios are to the first
    ///
    /// With JSON output, scalar is measured too, so that ratios to it can be compared between runs.
    #[arg(
        long,
        value_name = "BACKEND,...",
        value_delimiter = ',',
        default_value = AUTO,
        value_parser = backends(),
        help_heading = "Contenders"
    )]
    pub backend: Vec<String>,

    /// A program to measure as a whole process, in turns with this one; may be given several times
    ///
    /// The command is split into words as in a shell, but runs without one. `{in}` becomes the file of puzzles, 81
    /// characters a line. `{out}` becomes the file for the solutions. Without them the program reads standard input and
    /// writes standard output. It must write a line for each puzzle, in order, with the solution: `solution`,
    /// `puzzle,solution` or `puzzle:count:solution`. Its output is checked after every run. Between these runs, runs
    /// over a single puzzle show how long the start takes. Puzzles with no solution or with several may be left
    /// unanswered; a note below the table has their number. A program may write 64 MiB, or 1000 bytes a puzzle if that
    /// is more. When it ends, all processes of its process group are killed.
    #[arg(long, value_name = "NAME=COMMAND", help_heading = "Contenders")]
    pub against: Vec<String>,

    /// Kill a program of --against that runs longer than this
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "60",
        value_parser = seconds,
        requires = "against",
        help_heading = "Contenders"
    )]
    pub timeout: Duration,

    #[command(flatten)]
    pub answers: AnswerArguments,

    /// Give up on a puzzle after N guesses
    ///
    /// The puzzle is then `unfinished`, as in `solve`, and its time counts. A note below the table has the number of
    /// such puzzles. Without this flag a single hard grid can hold up the whole run. Programs of --against do not get
    /// this limit. In their table, this program has it too.
    #[arg(long, value_name = "N", help_heading = "Solving")]
    pub max_guesses: Option<u64>,

    /// Threads of each backend; with several numbers, as in 1,2,4, each makes a contender
    ///
    /// All contenders take turns. With one backend, and 1 as the first number, the ratios are its speed-ups.
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

    /// Least time for the rounds of each table
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds, help_heading = "Measuring")]
    pub seconds: Duration,

    /// Seed of the random numbers: the same seed gives the same order of puzzles
    #[arg(long, value_name = "N", default_value = "1", help_heading = "Measuring")]
    pub seed: u64,

    /// Replace each puzzle by a random isomorph in each round, the same for all contenders
    ///
    /// So the processor learns little from a puzzle for later rounds. Within a turn a fast contender still solves the
    /// same slice several times (`passes` in the JSON). This makes all turns equally long. Programs of --against read
    /// the original puzzles.
    #[arg(long, help_heading = "Measuring")]
    pub permute: bool,

    /// Write the results to FILE: all figures (.json), a row for each contender (.csv) or the tables (.md)
    ///
    /// May be given several times. The JSON also has version, flags, machine and input. The tables are always printed.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Vec<PathBuf>,

    #[command(flatten)]
    pub talk: TalkArguments,
}

/// The description of `bench` for `--help`.
pub const BENCH: &str = "\
Measure solvers against each other. The puzzles are in memory, in random order. A warm-up solves all of them and \
checks every answer. Then the contenders take turns on slices of the puzzles, so that noise of the machine hits all \
alike. The figures are medians, with 95 % intervals. With 20 rounds or more, a difference of over 5 % between the \
first and last third causes a warning. Only solving is measured, from grids in memory to outcomes in memory. In the \
lanes several puzzles are solved side by side. The time of each (p50, p90, p99, max) is its share. Programs of \
--against are measured as whole processes, from file to file, and nothing is subtracted. They have a table of their \
own, in which this program runs as a whole process, too. `start` is the time over a single puzzle. Where it is most \
of the time, the ratio says little about solving.";

/// The examples of `bench` for `--help`.
pub const BENCH_EXAMPLES: &str = "\
Examples:
  batchdoku bench puzzles.txt                                the fastest backend
  batchdoku bench puzzles.txt --backend auto,avx2,scalar     several in turns
  batchdoku bench puzzles.txt --against 'mine=./mine {in} {out}'
                                                             another program, as a whole process
  batchdoku bench puzzles.txt -j 1,2,4                       on several numbers of threads
  batchdoku bench puzzles.txt -o figures.json                keep the figures

Exit codes:
  0    measured
  1    a contender failed or gave a wrong answer
  2    wrong usage, or a file that cannot be opened, read or written
  130  interrupted: there are no figures";
