//! What was typed. What it means is in `options`; nothing behind that sees clap.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use super::bench::args::{BENCH, BENCH_EXAMPLES, BenchArguments};
use crate::input::FormatChoice;
use crate::output::FORMATS;
use crate::solver::Backend;

/// What `--backend` takes besides the names of the backends.
pub const AUTO: &str = "auto";

/// Solve, check and time whole files of Sudoku puzzles in parallel.
#[derive(Debug, Parser)]
#[command(
    name = "batchdoku",
    version,
    long_version = LONG_VERSION.as_str(),
    propagate_version = true,
    arg_required_else_help = true,
    after_help = EXAMPLES
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Solve every puzzle of some files
    #[command(long_about = SOLVE, after_help = SOLVE_EXAMPLES, after_long_help = format!("{SOLVE_EXAMPLES}\n\n{EXIT_CODES}"))]
    Solve(Box<SolveArguments>),
    /// Measure solvers against each other
    #[command(long_about = BENCH, after_help = BENCH_EXAMPLES)]
    Bench(Box<BenchArguments>),
    /// Make a report of results: a page, Markdown or JSON
    #[command(long_about = REPORT, after_help = REPORT_EXAMPLES, after_long_help = format!("{REPORT_EXAMPLES}\n\n{REPORT_EXIT_CODES}"))]
    Report(ReportArguments),
    /// Print puzzles made from a seed
    #[command(hide = true)]
    Generate(GenerateArguments),
    /// Print the completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the man page
    #[command(after_help = "Example:\n  batchdoku man > batchdoku.1 && man ./batchdoku.1")]
    Man,
}

/// How the files of puzzles are read, which all that take such files let one say.
#[derive(Args, Debug)]
pub struct ReadArguments {
    /// Layout of the input [default: found from its first records]
    #[arg(long, value_name = "LAYOUT", value_parser = input_formats(), help_heading = "Input")]
    pub format: Option<String>,

    /// Column of the puzzles in a CSV or TSV file [default: found by its name or content]
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub puzzle_column: Option<String>,
}

/// What `solve` takes.
#[derive(Args, Debug)]
pub struct SolveArguments {
    /// Files of puzzles, `-` for standard input (the default)
    ///
    /// Files are read in the order given; gzip and zstd files are decompressed. All are opened and
    /// looked at before any work starts.
    #[arg(value_name = "FILE")]
    pub inputs: Vec<String>,

    /// How the files are read
    #[command(flatten)]
    pub read: ReadArguments,

    /// Stop at the first record that is invalid
    #[arg(long, help_heading = "Input")]
    pub strict: bool,

    /// Look for up to N solutions of each puzzle
    ///
    /// 2 tells `unique` from `multiple`; 1 takes the first solution and says `solved`.
    #[arg(long, value_name = "N", default_value = "2", help_heading = "Solving")]
    pub limit: NonZeroU64,

    /// Give up on a puzzle after N guesses: its status is `unfinished`
    #[arg(long, value_name = "N", help_heading = "Solving")]
    pub max_guesses: Option<u64>,

    /// Instructions to solve on
    ///
    /// `auto` takes the fastest that this processor has. The lane engine (all but `scalar`) solves one
    /// puzzle in every lane of a vector register; its rows are the same on every backend. `scalar` solves one
    /// puzzle at a time and makes other guesses.
    #[arg(
        long,
        value_name = "BACKEND",
        default_value = AUTO,
        value_parser = PossibleValuesParser::new([AUTO].into_iter().chain(Backend::NAMES)),
        help_heading = "Solving"
    )]
    pub backend: String,

    /// Threads that solve [default: as many as there are cores]
    #[arg(short = 'j', long, value_name = "N", value_parser = threads, help_heading = "Solving")]
    pub threads: Option<NonZeroUsize>,

    /// Bytes of a chunk, the unit of work of a thread
    #[arg(long, value_name = "BYTES", hide = true)]
    pub chunk_size: Option<NonZeroUsize>,

    /// Write the results to FILE [default: standard output]
    ///
    /// They go to FILE.partial, which is renamed when it is complete. A run that ends early leaves
    /// its whole rows there. A device or a named pipe is written directly.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Format of the results
    #[arg(
        short = 'O',
        long,
        value_name = "FORMAT",
        default_value = FORMATS[0].name,
        value_parser = output_formats(),
        help_heading = "Output"
    )]
    pub output_format: String,

    /// Leave out the time column: equal inputs then give equal bytes
    ///
    /// `time_ns` is the solver's time for the puzzle in nanoseconds. Puzzles solved side by side in the lanes share it
    /// equally, round by round, so that the column adds up to all of the solver's time.
    ///
    /// The summary and the report of the run still have times.
    #[arg(long, help_heading = "Output")]
    pub no_time: bool,

    /// Exit with 0 even if some records are invalid, unsolvable or unfinished
    #[arg(long, conflicts_with = "strict", help_heading = "Output")]
    pub lenient: bool,

    /// Write the summary to FILE as JSON, with version, flags and machine
    #[arg(long, value_name = "FILE", help_heading = "Reporting")]
    pub summary: Option<PathBuf>,

    /// Write a report of the run to FILE: a page (.html), Markdown (.md) or JSON (.json)
    ///
    /// What `batchdoku report` makes of the results, and wall time, threads and inputs besides. May be
    /// given several times.
    #[arg(long, value_name = "FILE", help_heading = "Reporting")]
    pub report: Vec<PathBuf>,

    /// Show a progress bar on standard error
    ///
    /// `auto` shows it when standard error is a terminal that the results do not go to.
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Reporting")]
    pub progress: When,

    /// Say nothing but errors: no summary, no warnings, no progress bar
    #[arg(short, long, help_heading = "Reporting")]
    pub quiet: bool,
}

/// What `report` takes.
#[derive(Args, Debug)]
pub struct ReportArguments {
    /// Files of results as `solve -O csv` writes them, `-` for standard input (the default)
    ///
    /// gzip and zstd files are decompressed. Several files, at most 256, are compared side by side.
    #[arg(value_name = "RESULTS")]
    pub inputs: Vec<String>,

    /// Write the report to FILE: a page (.html), Markdown (.md) or JSON (.json) [default: Markdown to
    /// standard output]
    ///
    /// May be given several times. The file appears when it is complete.
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,

    /// Show the N hardest and the N slowest puzzles, at most 50 of each
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u8).range(0..=50))]
    pub top: u8,

    /// Threads that read [default: as many as there are cores]
    #[arg(short = 'j', long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,

    /// Show a progress bar on standard error
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub progress: When,

    /// Say nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// What `generate` takes.
#[derive(Args, Debug)]
pub struct GenerateArguments {
    /// What to make
    pub kind: GenerateKind,

    /// How many
    #[arg(long, value_name = "N", default_value = "1")]
    pub count: u64,

    /// Where the random numbers start: the same seed gives the same puzzles
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
}

/// What `generate` makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GenerateKind {
    /// One solution, 32 to 36 clues, solved by singles alone
    Easy,
    /// One solution, no clue to spare
    Minimal,
    /// Minimal, and costs the solver some guesses
    Hard,
    /// 2 to 10 solutions
    Several,
    /// No solution, though no clues clash
    Unsolvable,
    /// Sudominoku cases with one solution and as few as 10 dominoes
    Sudominoku,
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

/// The version and the backends that `--backend` can choose from here.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let names: Vec<_> = Backend::available().into_iter().map(Backend::name).collect();
    format!(
        "{}\nbackend: {} (this processor can run: {})",
        env!("CARGO_PKG_VERSION"),
        names[0],
        names.join(", ")
    )
});

fn input_formats() -> PossibleValuesParser {
    let value = |format: FormatChoice| PossibleValue::new(format.name()).help(format.about());
    FormatChoice::ALL.map(value).to_vec().into()
}

fn output_formats() -> PossibleValuesParser {
    FORMATS.iter().map(|entry| PossibleValue::new(entry.name).help(entry.about)).collect::<Vec<_>>().into()
}

const EXAMPLES: &str = "\
Examples:
  batchdoku solve puzzles.txt -o results.csv
  batchdoku bench puzzles.txt
  batchdoku report results.csv -o report.html
  batchdoku solve --help";

const SOLVE: &str = "\
Solve every puzzle of some files, check every solution, and write one row for each record, in the \
order of the input. A bad record becomes a row with status `invalid`; those around it are untouched.";

const SOLVE_EXAMPLES: &str = "\
Examples:
  batchdoku solve puzzles.txt -o results.csv       a file, solved on all cores
  batchdoku solve -O text < grid.txt               the answer in the layout of the question
  batchdoku solve *.csv.gz -O jsonl -o all.jsonl   datasets, decompressed as they are read
  batchdoku solve - -O lines --limit 1             any solution, from a pipe to a pipe";

const REPORT: &str = "\
Make a report of files of results: statuses and reasons, times and guesses, the hardest and the slowest \
puzzles, duplicates, and where it all comes from. Files of any size are read once, in bounded memory: the first 256 \
inputs that the rows are from have figures of their own, the others share a line. The page is one file that \
needs no network.";

const REPORT_EXAMPLES: &str = "\
Examples:
  batchdoku report results.csv -o report.html              a page to look at
  batchdoku report old.csv new.csv -o compared.html        two files side by side
  batchdoku report results.csv.gz -o r.html -o r.json      a page, and the figures for a program
  batchdoku solve puzzles.txt -O lines --report run.html   solve and report in one go";

const REPORT_EXIT_CODES: &str = "\
Exit codes:
  0    the report is written
  2    wrong usage, or a file that cannot be opened, read or written, or is no file of results; also if
       a file is damaged: the report is then written and has the rows before the damage
  130  interrupted";

const EXIT_CODES: &str = "\
Exit codes:
  0    every record has an answer
  1    some are invalid, unsolvable or unfinished, or --strict stopped the run
  2    wrong usage, or an input or output that cannot be opened, read or written
  3    an internal error: an answer failed the check and was not written
  130  interrupted: the first Ctrl-C finishes what is in flight, the second stops at once";

/// Threads that may be asked for, at most; far more cores than any machine has.
const MOST_THREADS: usize = 4096;

/// A number of threads that can be started.
pub fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let count = text.parse().ok().filter(|count: &NonZeroUsize| count.get() <= MOST_THREADS);
    count.ok_or_else(|| format!("expected 1 to {MOST_THREADS} threads"))
}
