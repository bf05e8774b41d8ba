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

/// The group of the flags that affect how a run is done, but none of its rows. A run can be resumed with other values
/// of these flags.
pub const RUN: &str = "run";

/// The group of the flags that affect only the display of a run. A run can be resumed with other values of these, too.
pub const DISPLAY: &str = "display";

/// The part of a run that a flag affects, as its definition says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The rows: every flag whose definition says nothing else.
    Rows,
    /// The execution of the run: `RUN`.
    Run,
    /// The display of the run: `DISPLAY`.
    Display,
}

impl Effect {
    /// Returns the effect of a flag of a subcommand, which must be built.
    pub fn of(command: &Command, flag: &Arg) -> Self {
        let is_in = |group: &str| {
            let mut groups = command.get_groups().filter(|found| found.get_id() == group);
            groups.any(|group| group.get_args().any(|member| member == flag.get_id()))
        };
        if is_in(RUN) {
            Self::Run
        } else if is_in(DISPLAY) {
            Self::Display
        } else {
            Self::Rows
        }
    }
}

/// Returns a subcommand with the groups of its flags by their effect.
pub fn with_effects(command: Command) -> Command {
    command.groups([RUN, DISPLAY].map(|effect| ArgGroup::new(effect).multiple(true)))
}

/// The help of `--format`.
const FORMAT_HELP: &str =
    "Format of the inputs, as `inspect` prints it [default: detected from the first MiB of each]";

/// Returns the long help, with the names of the formats.
fn format_help() -> String {
    let words = Framing::ALL.map(Framing::word).join(", ");
    format!(
        "{FORMAT_HELP}\n\nA format ({words}), with settings after it as in `line,blank=~` and `csv,sep=;,puzzle=3`; \
         settings that are left out are detected."
    )
}

/// The flags for reading files of puzzles.
#[derive(Args, Clone, Debug)]
pub struct ReadArguments {
    #[arg(long, value_name = "DIALECT", help_heading = "Input", help = FORMAT_HELP, long_help = format_help())]
    pub format: Option<Dialect>,

    /// Column of the puzzles in a table (CSV, Parquet, Arrow), or their key in JSON [default: detected by name or
    /// content]
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub puzzle_column: Option<String>,
}

/// The flags for finding claimed solutions.
#[derive(Args, Debug)]
pub struct ClaimArguments {
    /// Column of the claimed solutions in a table, or their key in JSON [default: detected by name or content]
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub solution_column: Option<String>,
}

/// The flags of every run over files.
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
    /// Files of puzzles, `-` for standard input (the default)
    ///
    /// Files are read in the order given. gzip and zstd files are decompressed. All are opened and checked before any
    /// work starts. Quoted patterns (`'train-*.csv'`) and directories, with all their subdirectories, are read in
    /// natural order.
    ///
    /// In a directory, files with these extensions are read; .gz or .zst may follow. They are arrow, arrows, csv, dat,
    /// feather, in, ipc, json, jsonl, ndjson, npy, opensudoku, parquet, pq, sdk, sdm, ss, sud, sudoku, tsv, txt, xml.
    /// Files without an extension are read too, unless the name is in capitals or begins with `_`. Others are left out
    /// with a note. So are hidden files, links to directories, partial files and the outputs of the run. Files without
    /// puzzles are left out of directories and patterns. A broken file there is an error; others are read.
    // A run that resumes another compares the files themselves.
    #[arg(value_name = "FILE", group = RUN)]
    pub inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub read: ReadArguments,

    /// Stop at the first record that is invalid, and refuse files without puzzles and broken ones in directories too
    #[arg(long, conflicts_with = "lenient", help_heading = "Input")]
    pub strict: bool,
}

/// The seed of a command that makes puzzles. Without a seed, two runs make different puzzles.
#[derive(Args, Clone, Copy, Debug)]
pub struct SeedArguments {
    /// Seed of the random numbers: the same seed gives the same puzzles [default: drawn, and shown in the summary]
    ///
    /// The puzzles are the same with any number of threads and on every machine. With --resume, the default is the seed
    /// of the earlier run.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// The flags for the search for solutions.
#[derive(Args, Debug)]
pub struct SearchArguments {
    /// Give up on a puzzle after N guesses: its status is `unfinished`
    #[arg(long, value_name = "N", help_heading = "Solving")]
    pub max_guesses: Option<u64>,

    /// Give up on a puzzle after this many seconds: its status is `unfinished`
    ///
    /// Unlike with --max-guesses, the machine affects which puzzles these are.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Solving")]
    pub max_time: Option<Duration>,

    /// Count the solutions of every unique or unsolvable puzzle again with the scalar solver
    ///
    /// The scalar solver shares no code with the lane engine. If the two disagree, the status is `internal-error`.
    /// `--max-guesses` does not bound the second count. Sudominoku cases are not counted again, since only one solver
    /// can solve them.
    #[arg(long, help_heading = "Solving")]
    pub recheck: bool,

    #[command(flatten)]
    pub backend: BackendArguments,
}

/// The flag for the instruction set to solve with.
#[derive(Args, Debug)]
pub struct BackendArguments {
    /// Instruction set to solve with
    ///
    /// The lane engine (all but `scalar`) solves one puzzle in each lane of a vector register. Its rows are the same on
    /// every backend.
    #[arg(
        long,
        value_name = "BACKEND",
        default_value = AUTO,
        value_parser = backends(),
        help_heading = "Solving"
    )]
    pub backend: String,
}

/// The flags for the solutions to look for.
#[derive(Args, Debug)]
pub struct AnswerArguments {
    /// Look for up to N solutions of each puzzle
    ///
    /// 2 tells `unique` from `multiple`. With 1 the search ends at the first solution, and the status is `solved`. A
    /// Sudominoku case is given up at a million solutions, since they are kept in memory.
    #[arg(long, value_name = "N", default_value = "2", help_heading = "Solving", display_order = 0)]
    pub limit: NonZeroU64,

    /// Which of several solutions to give [default: smallest, but any with --limit 1]
    ///
    /// The smallest needs a second search.
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
    /// Cores are those that this process may use, by its affinity and the limit of its container (cgroup). Threads
    /// start only when there is work for them.
    #[arg(short = 'j', long, value_name = "N", value_parser = threads, group = RUN, help_heading = "Running")]
    pub threads: Option<NonZeroUsize>,

    /// Bytes of a batch, the unit of work of a thread
    #[arg(long, value_name = "BYTES", group = RUN, hide = true)]
    pub chunk_size: Option<NonZeroUsize>,
}

/// The flags for the rows of a run.
#[derive(Args, Debug, Default)]
pub struct OutputArguments {
    /// Write the results to FILE [default: standard output]
    ///
    /// The extension gives the format. A final .gz or .zst compresses the file, as in results.csv.zst.
    ///
    /// Rows go to FILE.partial, which is renamed when it is complete. A run that ends early leaves its complete rows
    /// there until the next run replaces them. Two runs cannot write the same file at the same time. A device or named
    /// pipe is written directly.
    // A run that resumes another compares the file and its format.
    #[arg(id = "output", short, long = "output", value_name = "FILE", group = RUN, help_heading = "Output")]
    pub path: Option<PathBuf>,

    /// Continue an earlier run that was cut off, with the same flags and files
    ///
    /// Its rows in FILE.partial are kept. A checkpoint beside that file, written once a second, records how far the run
    /// got. Inputs, flags and version must be the same. In the end FILE is the same as after one run, apart from times.
    #[arg(long, requires = "output", group = RUN, help_heading = "Output")]
    pub resume: bool,

    /// Milliseconds between two checkpoints
    #[arg(long, value_name = "MS", value_parser = milliseconds, group = RUN, hide = true)]
    pub checkpoint_every: Option<Duration>,

    /// Format of the results [default: by the extension of --output, else csv]
    #[arg(short = 'O', long, value_name = "FORMAT", help_heading = "Output")]
    pub output_format: Option<String>,

    /// Exit with 0 even if some records have no answer
    #[arg(long, group = RUN, help_heading = "Output")]
    pub lenient: bool,
}

/// The flags for writing texts of the inputs.
#[derive(Args, Debug, Default)]
pub struct TextArguments {
    /// Put an apostrophe before texts that a spreadsheet would run as a formula (CSV only)
    ///
    /// Use this for rows that are opened in a spreadsheet when the input is not your own. Texts are file names, reasons
    /// and carried columns. Those that begin with =, +, -, @, a tab or a line end are escaped.
    #[arg(long, help_heading = "Output")]
    pub escape_formulas: bool,
}

/// The flags for the rows and columns to write.
#[derive(Args, Debug)]
pub struct RowArguments {
    /// Copy columns of the input to the output [default: all but the puzzle and the claimed solution]
    ///
    /// Give names (case does not matter) or numbers, separated by commas. The columns come after the others, as text. A
    /// column that an input does not have is empty. A name that is already taken gets the prefix `input_`.
    #[arg(long, value_name = "COLUMN", num_args = 0..=1, value_delimiter = ',', help_heading = "Output")]
    pub keep: Option<Vec<String>>,

    /// Write only the rows with these statuses
    #[arg(long, value_name = "STATUS", value_delimiter = ',', help_heading = "Output")]
    pub only: Vec<String>,
}

/// The flag for the time column.
#[derive(Args, Debug)]
pub struct TimeArguments {
    /// Leave out the time column, so that equal inputs give equal bytes
    ///
    /// `time_ns` is the solver's time for the puzzle in nanoseconds. Puzzles solved side by side in the lanes share the
    /// time equally, round by round. The column therefore adds up to the solver's total time.
    ///
    /// The summary and the report of the run still have times.
    #[arg(long, help_heading = "Output")]
    pub no_time: bool,
}

/// The reports of a run.
#[derive(Args, Debug)]
pub struct ReportArguments {
    /// Write a report of the run to FILE: a page (.html), Markdown (.md) or JSON (.json)
    ///
    /// This is the report that `batchdoku report` makes of the results, plus wall time, threads and inputs. Can be
    /// given several times.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "resume",
        group = DISPLAY,
        help_heading = "Reporting"
    )]
    pub report: Vec<PathBuf>,
}

/// The flags for output besides the rows.
#[derive(Args, Debug)]
pub struct ReportingArguments {
    /// Write the summary to FILE as JSON, with version, flags and machine
    #[arg(long, value_name = "FILE", group = DISPLAY, help_heading = "Reporting")]
    pub summary: Option<PathBuf>,

    #[command(flatten)]
    pub talk: TalkArguments,
}

/// The flags for standard error.
#[derive(Args, Debug)]
pub struct TalkArguments {
    /// Show a progress bar on standard error
    ///
    /// With `auto`, it is shown if standard error is a terminal to which no results go.
    #[arg(long, value_name = "WHEN", default_value = "auto", group = DISPLAY, help_heading = "Reporting")]
    pub progress: When,

    /// Print only errors: no summary, no warnings, no progress bar
    #[arg(short, long, group = DISPLAY, help_heading = "Reporting")]
    pub quiet: bool,
}

/// The values of `--progress`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal
    Auto,
    /// Never
    Never,
}

/// Completes the subcommand of a job with the formats that can hold its rows, its statuses and its columns.
pub fn of_job(command: Command, job: &JobEntry) -> Command {
    let schema =
        Schema { fields: job.columns(), carried: Vec::new(), measured: true, statuses: job.statuses };
    let has = |id: &str| command.get_arguments().any(|argument| argument.get_id() == id);
    let (chooses_rows, chooses_format) = (has("only"), has("output_format"));
    let help = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let mut command = command.after_long_help(format!("{help}\n\n{}", columns(&schema)));
    if chooses_format {
        // Every format holds puzzles without answers; a claim is left out where it does not fit.
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

/// Adds the formats that fit to a subcommand.
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

/// Returns the descriptions of the columns of a job, one line each.
fn columns(schema: &Schema) -> String {
    let width = schema.written().map(|(_, field)| field.name.len()).max().unwrap_or(0);
    schema.written().fold("Columns:".to_owned(), |text, (_, field)| {
        let unit = field.unit.map(|unit| format!(", in {unit}")).unwrap_or_default();
        format!("{text}\n  {:<width$}  {}{unit}", field.name, field.about)
    })
}

/// Returns the values of `--backend`.
pub fn backends() -> PossibleValuesParser {
    let auto = PossibleValue::new(AUTO).help("the fastest that this processor can run");
    let backends = Backend::known().map(|(name, about)| PossibleValue::new(name).help(about));
    [auto].into_iter().chain(backends).collect::<Vec<_>>().into()
}

/// Returns the parser of a flag whose values are these choices.
pub fn choice<T: Copy + Send + Sync + 'static>(
    choices: &'static [Choice<T>],
) -> impl TypedValueParser<Value = T> {
    let names = choices.iter().map(|(name, about, _)| PossibleValue::new(*name).help(*about));
    let parser = PossibleValuesParser::new(names.collect::<Vec<_>>());
    parser.try_map(|name| chosen(choices, &name).ok_or("expected one of these names"))
}

/// The choices of `--solution`.
const SOLUTIONS: [Choice<Wanted>; 2] = [
    ("smallest", "The smallest as an 81-digit number", Wanted::Smallest),
    ("any", "The first found: the same in every run", Wanted::Any),
];

/// Parses a time in seconds above 0.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let time = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| !time.is_zero()).ok_or_else(|| "expected a number of seconds above 0".to_owned())
}

fn milliseconds(text: &str) -> Result<Duration, ParseIntError> {
    text.parse().map(Duration::from_millis)
}

/// The highest number of threads that may be asked for, far above the number of cores of any machine.
const MOST_THREADS: usize = 4096;

/// Parses a number of threads.
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
