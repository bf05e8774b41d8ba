//! Flags that several subcommands share.

use std::num::{NonZeroU64, NonZeroUsize, ParseIntError};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgGroup, Args, Command, ValueEnum};

use crate::input::{Dialect, Framing};
use crate::jobs::{AUTO, Choice, JobEntry, chosen};
use crate::output::{FORMATS, OutputFormat};
use crate::record::Schema;
use crate::solver::{Backend, Wanted};

/// The group of flags that affect how a run is carried out and what it displays, but not its rows. A run can be resumed
/// with different values for these flags.
pub const RUN: &str = "run";

/// Adds the group [`RUN`] to a subcommand.
pub fn with_run_group(command: Command) -> Command {
    command.group(ArgGroup::new(RUN).multiple(true))
}

/// Returns whether a flag affects the rows, as all flags outside group `run` do. clap must have built the subcommand.
#[must_use]
pub fn affects_rows(command: &Command, flag: &Arg) -> bool {
    let mut groups = command.get_groups().filter(|group| group.get_id() == RUN);
    !groups.any(|group| group.get_args().any(|member| member == flag.get_id()))
}

/// The help for `--format`.
const FORMAT_HELP: &str =
    "Input format, as printed by `inspect` [default: detected from the first MiB of each input]";

/// Returns the long help, which lists the format names.
fn format_help() -> String {
    let words = Framing::ALL.map(Framing::word).join(", ");
    format!(
        "{FORMAT_HELP}\n\nOne of {words}, optionally followed by settings, as in `line,blank=~` or \
         `csv,sep=;,puzzle=3`. Any setting you leave out is detected."
    )
}

/// The flags for reading puzzle files.
#[derive(Args, Clone, Debug)]
pub struct ReadArguments {
    #[arg(long, value_name = "DIALECT", help_heading = "Input", help = FORMAT_HELP, long_help = format_help())]
    pub format: Option<Dialect>,

    /// Column (CSV, Parquet, Arrow) or JSON key that holds the puzzles [default: detected by name or content]
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub puzzle_column: Option<String>,
}

/// The flags for finding claimed solutions.
#[derive(Args, Debug)]
pub struct ClaimArguments {
    /// Column (CSV, Parquet, Arrow) or JSON key that holds the claimed solutions [default: detected by name or content]
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub solution_column: Option<String>,
}

/// The flags that every run over files has.
#[derive(Args, Debug)]
pub struct RunArguments {
    #[command(flatten)]
    pub input: InputArguments,
    #[command(flatten)]
    pub threads: ThreadArguments,
    #[command(flatten)]
    pub output: OutputArguments,
    #[command(flatten)]
    pub texts: TextArguments,
    #[command(flatten)]
    pub reporting: ReportingArguments,
}

/// The inputs of a job.
#[derive(Args, Debug)]
pub struct InputArguments {
    /// Puzzle files, or `-` for standard input (the default)
    ///
    /// Files are read in the order given. gzip and zstd files are decompressed automatically. All files are opened and
    /// checked before any work starts. The files that match a quoted pattern (`'train-*.csv'`) or are found in a
    /// directory or its subdirectories are read in natural order (`train-2` before `train-10`).
    ///
    /// In directories, only files with certain extensions are read (optionally followed by .gz or .zst). The extensions
    /// are arrow, arrows, csv, dat, feather, in, ipc, json, jsonl, ndjson, npy, opensudoku, parquet, pq, sdk, sdm, ss,
    /// sud, sudoku, tsv, txt, xml. Files with no extension are read too, unless their names are in capitals or start
    /// with `_`. Other files are skipped with a note, as are hidden files, symbolic links to directories, partial files
    /// and the run's own outputs. A file found through a directory or pattern is also skipped if it contains no
    /// puzzles. A broken file found this way is an error, but the remaining files are still read.
    // A resumed run compares the files themselves.
    #[arg(value_name = "FILE", group = RUN, help_heading = None::<&str>)]
    pub inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub read: ReadArguments,

    /// Stop at the first invalid record, and reject broken files and files without puzzles, even in directories
    #[arg(long, conflicts_with = "lenient", help_heading = "Input")]
    pub strict: bool,
}

/// The seed for a command that makes puzzles. Without this flag, two runs make different puzzles.
#[derive(Args, Clone, Copy, Debug)]
pub struct SeedArguments {
    /// Random seed: the same seed gives the same puzzles [default: chosen at random and shown in the summary]
    ///
    /// The puzzles are the same on every machine, with any number of threads. With --resume, the default is the seed of
    /// the earlier run.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// The flags that control the search for solutions.
#[derive(Args, Debug)]
pub struct SearchArguments {
    /// Give up on a puzzle after N guesses; its status is then `unfinished`
    #[arg(long, value_name = "N", help_heading = "Solving")]
    pub max_guesses: Option<u64>,

    /// Give up on a puzzle after this many seconds; its status is then `unfinished`
    ///
    /// Unlike with --max-guesses, the affected puzzles depend on the speed of the machine.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Solving")]
    pub max_time: Option<Duration>,

    /// Recount the solutions of every unique or unsolvable puzzle with the scalar solver
    ///
    /// The scalar solver shares no code with the lane engine. If the two disagree, the status is `internal-error`.
    /// `--max-guesses` does not limit the recount. Sudominoku cases are not recounted, because there is only one solver
    /// for them.
    #[arg(long, help_heading = "Solving")]
    pub recheck: bool,

    #[command(flatten)]
    pub backend: BackendArguments,
}

/// The flag that chooses the instruction set for solving.
#[derive(Args, Debug)]
pub struct BackendArguments {
    /// Instruction set to use for solving
    ///
    /// The lane engine (every backend except `scalar`) solves one puzzle in each lane of a vector register. The rows
    /// are the same with every instruction set.
    #[arg(
        long,
        value_name = "BACKEND",
        default_value = AUTO,
        value_parser = backends(),
        help_heading = "Solving"
    )]
    pub backend: String,
}

/// The flags that say which solutions to look for.
#[derive(Args, Debug)]
pub struct AnswerArguments {
    /// Look for at most N solutions per puzzle
    ///
    /// A limit of 2 distinguishes `unique` from `multiple`. With 1, the search stops at the first solution, and the
    /// status is `solved`. The search for a Sudominoku case stops at a million solutions, because they are kept in
    /// memory.
    #[arg(long, value_name = "N", default_value = "2", help_heading = "Solving", display_order = 0)]
    pub limit: NonZeroU64,

    /// Which solution to give if there are several [default: smallest, or any with --limit 1]
    ///
    /// Finding the smallest one takes a second search.
    #[arg(
        long,
        value_name = "WHICH",
        value_parser = choice(&SOLUTIONS),
        help_heading = "Solving",
        display_order = 1
    )]
    pub solution: Option<Wanted>,
}

/// The flags for spreading a run over cores.
#[derive(Args, Debug)]
pub struct ThreadArguments {
    /// Number of threads [default: one per core]
    ///
    /// Only the cores available to this process are counted, given its CPU affinity and container limit (cgroup).
    /// Threads start only when there is work for them.
    #[arg(short = 'j', long, value_name = "N", value_parser = threads, group = RUN, help_heading = "Running")]
    pub threads: Option<NonZeroUsize>,

    /// Batch size in bytes; a batch is the unit of work for a thread
    #[arg(long, value_name = "BYTES", group = RUN, hide = true, help_heading = "Running")]
    pub chunk_size: Option<NonZeroUsize>,
}

/// The flags for writing the rows of a run.
#[derive(Args, Debug, Default)]
pub struct OutputArguments {
    /// Write the results to FILE [default: standard output]
    ///
    /// The extension sets the format. If the name ends in .gz or .zst, as in results.csv.zst, the file is compressed.
    ///
    /// Rows are written to FILE.partial, which is renamed to FILE once it is complete. If a run ends early,
    /// FILE.partial keeps the complete rows until the next run replaces it. Two runs cannot write to the same file at
    /// the same time. Devices and named pipes are written to directly.
    // A resumed run compares the file and its format.
    #[arg(id = "output", short, long = "output", value_name = "FILE", group = RUN, help_heading = "Output")]
    pub path: Option<PathBuf>,

    /// Continue an interrupted run with the same flags and files
    ///
    /// The rows already in FILE.partial are kept. A checkpoint file next to it, updated once a second, records how far
    /// the run got. The inputs, flags and program version must not have changed. Apart from times, the finished FILE is
    /// identical to that of an uninterrupted run.
    #[arg(long, requires = "output", group = RUN, help_heading = "Output")]
    pub resume: bool,

    /// Milliseconds between checkpoints
    #[arg(long, value_name = "MS", value_parser = milliseconds, group = RUN, hide = true, help_heading = "Output")]
    pub checkpoint_every: Option<Duration>,

    /// Output format [default: set by the --output extension, otherwise csv]
    #[arg(short = 'O', long, value_name = "FORMAT", help_heading = "Output")]
    pub output_format: Option<String>,

    /// Exit with code 0 even if some records have no answer
    #[arg(long, group = RUN, help_heading = "Output")]
    pub lenient: bool,
}

/// The flags for writing text that comes from the inputs.
#[derive(Args, Debug, Default)]
pub struct TextArguments {
    /// Put an apostrophe before text that a spreadsheet would treat as a formula (CSV only)
    ///
    /// Use this if you will open the results in a spreadsheet and do not trust the input. It applies to file names,
    /// reasons and values of copied columns that begin with =, +, -, @, a tab or a line break.
    #[arg(long, help_heading = "Output")]
    pub escape_formulas: bool,
}

/// The flags that choose which rows and columns to write.
#[derive(Args, Debug)]
pub struct RowArguments {
    /// Copy input columns to the output: those named, or all except the puzzle and the claimed solution
    ///
    /// Give names (case does not matter) or numbers, separated by commas. The columns are copied as text, after all
    /// other columns. A column that an input lacks is left empty in the rows from that input. A column whose name is
    /// already taken gets the prefix `input_`.
    #[arg(long, value_name = "COLUMN", num_args = 0..=1, value_delimiter = ',', help_heading = "Output")]
    pub keep: Option<Vec<String>>,

    /// Write only rows with these statuses
    #[arg(long, value_name = "STATUS", value_delimiter = ',', help_heading = "Output")]
    pub only: Vec<String>,
}

/// The flag for the time column.
#[derive(Args, Debug)]
pub struct TimeArguments {
    /// Omit the time column, so identical inputs give identical output
    ///
    /// `time_ns` is the time the solver spent on the puzzle, in nanoseconds. The lane engine splits the time of each
    /// round equally among the puzzles it is solving. The column therefore adds up to the total solver time.
    ///
    /// The run's summary and report still include times.
    #[arg(long, help_heading = "Output")]
    pub no_time: bool,
}

/// The reports of a run.
#[derive(Args, Debug)]
pub struct ReportArguments {
    /// Write a report on the run to FILE: a web page (.html), Markdown (.md) or JSON (.json)
    ///
    /// This is the report that `batchdoku report` makes from the results, with the wall time, threads and inputs added.
    /// Can be repeated.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "resume",
        group = RUN,
        help_heading = "Reporting"
    )]
    pub report: Vec<PathBuf>,
}

/// The flags for output other than the rows.
#[derive(Args, Debug)]
pub struct ReportingArguments {
    /// Write the summary to FILE as JSON, including the version, flags and machine
    #[arg(long, value_name = "FILE", group = RUN, help_heading = "Reporting")]
    pub summary: Option<PathBuf>,

    #[command(flatten)]
    pub talk: TalkArguments,
}

/// The flags for output on standard error.
#[derive(Args, Debug)]
pub struct TalkArguments {
    /// When to show a progress bar on standard error
    ///
    /// With `auto`, it is shown if standard error is a terminal, unless the results go to a terminal, too.
    #[arg(long, value_name = "WHEN", default_value = "auto", group = RUN, help_heading = "Reporting")]
    pub progress: When,

    /// Print only errors: no summary, no warnings, no progress bar
    #[arg(short, long, group = RUN, help_heading = "Reporting")]
    pub quiet: bool,
}

/// The values of `--progress`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// If standard error is a terminal
    Auto,
    /// Never
    Never,
}

/// Completes a job's subcommand with the job's statuses and columns, and with the formats that can hold its rows.
pub fn of_job(command: Command, job: &JobEntry) -> Command {
    let schema =
        Schema { fields: job.columns(), carried: Vec::new(), measured: true, statuses: job.statuses };
    let has = |id: &str| command.get_arguments().any(|argument| argument.get_id() == id);
    let (chooses_rows, chooses_format) = (has("only"), has("output_format"));
    let help = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let mut command = command.after_long_help(format!("{help}\n\n{}", columns(&schema)));
    if chooses_format {
        // Every format can hold puzzles without answers; a claim that does not fit is omitted.
        let fits = |format: &OutputFormat| !schema.has_answers() || (format.make)().fits(&schema).is_ok();
        command = with_formats(command, fits);
    }
    if chooses_rows {
        let statuses = job.statuses.iter().map(|word| PossibleValue::new(word.name).help(word.about));
        let statuses = statuses.collect::<Vec<_>>();
        command = command.mut_arg("only", |argument| argument.value_parser(statuses));
    }
    command
}

/// Limits the output formats of a subcommand to those that fit.
fn with_formats(command: Command, fits: impl Fn(&OutputFormat) -> bool) -> Command {
    let formats = FORMATS.iter().filter(|format| fits(format));
    let formats = formats.map(|format| {
        let extensions: String = format.extensions.iter().map(|extension| format!(" .{extension}")).collect();
        let about = if extensions.is_empty() {
            format.about.to_owned()
        } else {
            format!("{} ({})", format.about, extensions.trim_start())
        };
        PossibleValue::new(format.name).help(about)
    });
    let formats = formats.collect::<Vec<_>>();
    command.mut_arg("output_format", |argument| argument.value_parser(formats))
}

/// Returns descriptions of the columns of a job, one per line.
fn columns(schema: &Schema) -> String {
    let width = schema.written().map(|(_, field)| field.name.len()).max().unwrap_or(0);
    schema.written().fold("Columns:".to_owned(), |text, (_, field)| {
        let unit = field.unit.map(|unit| format!(", in {unit}")).unwrap_or_default();
        format!("{text}\n  {:<width$}  {}{unit}", field.name, field.about)
    })
}

/// Returns the possible values of `--backend`.
pub fn backends() -> PossibleValuesParser {
    let auto = PossibleValue::new(AUTO).help("The fastest one this processor can run");
    let backends = Backend::known().map(|(name, about)| PossibleValue::new(name).help(about));
    [auto].into_iter().chain(backends).collect::<Vec<_>>().into()
}

/// Returns a parser for a flag whose values are these choices.
pub fn choice<T: Copy + Send + Sync + 'static>(
    choices: &'static [Choice<T>],
) -> impl TypedValueParser<Value = T> {
    let names = choices.iter().map(|(name, about, _)| PossibleValue::new(*name).help(*about));
    let parser = PossibleValuesParser::new(names.collect::<Vec<_>>());
    parser.try_map(|name| chosen(choices, &name).ok_or("expected one of these names"))
}

/// The choices for `--solution`.
const SOLUTIONS: [Choice<Wanted>; 2] = [
    ("smallest", "The smallest one, read as an 81-digit number", Wanted::Smallest),
    ("any", "The first one found, which is the same in every run", Wanted::Any),
];

/// Parses a time in seconds, which must be above 0.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let time = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| !time.is_zero()).ok_or_else(|| "expected a number of seconds above 0".to_owned())
}

fn milliseconds(text: &str) -> Result<Duration, ParseIntError> {
    text.parse().map(Duration::from_millis)
}

/// The highest thread count that can be requested, far above the number of cores in any machine.
const MOST_THREADS: usize = 4096;

/// Parses a thread count.
pub fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let count = text.parse().ok().filter(|count: &NonZeroUsize| count.get() <= MOST_THREADS);
    count.ok_or_else(|| format!("expected 1 to {MOST_THREADS} threads"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_more_than_nothing_and_finite() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for text in ["0", "-1", "NaN", "inf", "x", "1e300", "1e-300"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
