//! What was typed behind `bench`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::flags::{AUTO, AnswerArguments, ReadArguments, TalkArguments, backends, seconds, threads};

/// What `bench` takes.
#[derive(Args, Debug)]
pub struct BenchArguments {
    /// Files of puzzles, `-` for standard input (the default)
    ///
    /// Every format that `solve` reads. Invalid records and Sudominoku cases are left out. Several files have tables of
    /// their own, and then one for all, which is what --compare is about.
    #[arg(value_name = "FILE")]
    pub inputs: Vec<PathBuf>,

    /// How the files are read
    #[command(flatten)]
    pub read: ReadArguments,

    /// Backends to measure; the first is what the ratios refer to
    ///
    /// With --compare or a JSON file to be compared with later, scalar is always among them.
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
    /// The command is split into words as a shell does it and run without one. `{in}` becomes the file of
    /// puzzles, 81 characters a line, `{out}` the file for the solutions; without them the program reads
    /// standard input and writes standard output. It must write a line for each puzzle, in order, with the
    /// solution in it: `solution`, `puzzle,solution` or `puzzle:count:solution`. What it writes is
    /// checked after every run. In between it runs over a single puzzle, to tell what its start takes. A puzzle
    /// with none or several solutions may be left unanswered; how many were is said below the table. A program
    /// may write 64 MiB, or 1000 bytes a puzzle if that is more; what it leaves running in its process group
    /// when it ends is killed.
    #[arg(long, value_name = "NAME=COMMAND", help_heading = "Contenders")]
    pub against: Vec<String>,

    /// Kill a program of --against that runs longer than this
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds, help_heading = "Contenders")]
    pub timeout: Duration,

    #[command(flatten)]
    pub answers: AnswerArguments,

    /// Give up on a puzzle after N guesses
    ///
    /// The answer is then `unfinished`, as in `solve`; its time counts. How many there were is said below the
    /// table. Without this flag a single hard grid can hold up the whole run. Programs of --against are not told;
    /// this program gives up in their table, too.
    #[arg(long, value_name = "N", help_heading = "Solving")]
    pub max_guesses: Option<u64>,

    /// Threads of each backend; several numbers make a contender each, as in 1,2,4
    ///
    /// All take turns with each other. With one backend the ratios are its speed-ups if 1 is the first number.
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

    /// Time for the rounds of each table, at least
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds, help_heading = "Measuring")]
    pub seconds: Duration,

    /// Where the random numbers start: the same seed gives the same order of puzzles
    #[arg(long, value_name = "N", default_value = "1", help_heading = "Measuring")]
    pub seed: u64,

    /// Replace each puzzle by a random isomorph in each round, the same for all contenders
    ///
    /// The processor then learns little from a puzzle that comes again in a later round. Within a turn a fast contender
    /// still solves the same slice several times (`passes` in the JSON), so that all turns last equally long.
    /// Programs of --against read the file as it is.
    #[arg(long, help_heading = "Measuring")]
    pub permute: bool,

    /// Say what changed since an earlier run that wrote FILE with -o FILE.json
    ///
    /// What is compared is how many times as fast a contender is as the scalar backend, which takes turns with it in
    /// either run: a machine that is busier or slower than it was slows both and changes nothing. A change of scalar
    /// itself looks like a change of all others. Each run is cut into ten blocks of rounds; the range of a change
    /// covers all of them but the slowest and the fastest. It counts as a change only beyond 3 %, and if the whole
    /// range is on one side.
    #[arg(long, value_name = "FILE", help_heading = "Comparing")]
    pub compare: Option<PathBuf>,

    /// Exit with 1 if a contender is slower by more than PERCENT beyond the noise
    ///
    /// Also if that cannot be told: a contender of either run is missing in the other or has no figures
    /// there, or input, --limit, --solution, --max-guesses or --permute differ.
    #[arg(long, value_name = "PERCENT", requires = "compare", value_parser = percent, help_heading = "Comparing")]
    pub fail_above: Option<f64>,

    /// Write the results to FILE: all figures (.json), a row for each contender (.csv) or the tables (.md)
    ///
    /// May be given several times. The JSON also holds version, flags, machine and input, and is what --compare takes.
    /// The tables go to standard output, too.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Vec<PathBuf>,

    #[command(flatten)]
    pub talk: TalkArguments,
}

fn percent(text: &str) -> Result<f64, String> {
    let percent: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..100.0).contains(&percent) { Ok(percent) } else { Err("expected 0 to 100".to_owned()) }
}

/// What `bench` does.
pub const BENCH: &str = "\
Measure solvers against each other. The puzzles are held in memory and shuffled. A warm-up solves all of them and \
checks every answer. Then the contenders take turns on slices of the puzzles, so that a noisy machine hits all \
alike; medians count, with their 95 % intervals. It is said if the last third of 20 or more rounds was more than 5 % \
slower or faster than the first. What is measured is solving alone, from grids in memory to \
outcomes in memory. In the lanes the time of a puzzle (p50, p90, p99, max) is its share of the time of those \
solved side by side. Programs of --against are measured as whole processes, from file to file, in a table of \
their own beside this program run the same way; nothing is subtracted. `start` is what a program takes over a single \
puzzle: where that is most of its time, the ratio says little about solving.";

/// How `bench` is used.
pub const BENCH_EXAMPLES: &str = "\
Examples:
  batchdoku bench puzzles.txt                                the fastest backend
  batchdoku bench puzzles.txt --backend auto,avx2,scalar     several in turns
  batchdoku bench puzzles.txt --against 'mine=./mine {in} {out}'
                                                             another program, as a whole process
  batchdoku bench puzzles.txt -j 1,2,4                       on several numbers of threads
  batchdoku bench puzzles.txt -o old.json                    keep the figures
  batchdoku bench puzzles.txt --compare old.json --fail-above 5
                                                             did it get slower?

Exit codes:
  0    measured
  1    a contender failed or gave a wrong answer, or one is slower than --fail-above allows or
       cannot be compared
  2    wrong usage, or a file that cannot be opened, read or written
  130  interrupted: there are no figures";
