//! Flags that several subcommands share.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Command, ValueEnum};

use crate::input::{Dialect, Framing};
use crate::jobs::JobEntry;
use crate::output::{FORMATS, OutputFormat};
use crate::record::Schema;
use crate::solver::{Backend, Wanted};

/// What `--backend` takes besides the names of the backends.
pub const AUTO: &str = "auto";

/// The help of `--format`.
const FORMAT_HELP: &str =
    "How the inputs are read, as `inspect` prints it [default: found from the first MiB of each]";

/// The same with the formats that there are.
fn format_help() -> String {
    let words = Framing::ALL.map(Framing::word).join(", ");
    format!(
        "{FORMAT_HELP}\n\nA format ({words}), and behind it settings like in `line,blank=~` and `csv,sep=;,puzzle=3`; \
         those that are not said are found."
    )
}

/// How the files of puzzles are read.
#[derive(Args, Debug)]
pub struct ReadArguments {
    #[arg(long, value_name = "DIALECT", help_heading = "Input", help = FORMAT_HELP, long_help = format_help())]
    pub format: Option<Dialect>,

    /// Column of the puzzles in a table (CSV, Parquet, Arrow), or their key in JSON [default: found by its name or content]
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub puzzle_column: Option<String>,

    /// Decompress whatever it takes
    ///
    /// Otherwise zstd data that needs more than 128 MiB of memory is refused, and so is compressed data that becomes
    /// more than 1 GiB and more than 100 times as much text without a record.
    #[arg(long, help_heading = "Input")]
    pub trust_compressed: bool,
}

/// Where claimed solutions are.
#[derive(Args, Debug)]
pub struct ClaimArguments {
    /// Column of the claimed solutions in a table, or their key in JSON [default: found by its name or content]
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub solution_column: Option<String>,
}

/// What every run over files takes.
#[derive(Args, Debug)]
pub struct RunArguments {
    /// What it works on
    #[command(flatten)]
    pub input: InputArguments,

    /// On how many threads
    #[command(flatten)]
    pub threads: ThreadArguments,

    /// Where the rows go
    #[command(flatten)]
    pub output: OutputArguments,

    /// What it says besides
    #[command(flatten)]
    pub reporting: ReportingArguments,
}

/// What a job works on.
#[derive(Args, Debug)]
pub struct InputArguments {
    /// Files of puzzles, `-` for standard input (the default)
    ///
    /// Files are read in the order given; gzip and zstd files are decompressed. All are opened and
    /// looked at before any work starts. Quoted patterns (`'train-*.csv'`) and directories, with all below them, are
    /// read in natural order. Of a directory are read files without an ending whose names are neither in capitals nor begin
    /// with `_`, and those that end, before .gz or .zst, in arrow, arrows, csv, dat, feather, in, ipc, json, jsonl,
    /// ndjson, npy, opensudoku, parquet, pq, sdk, sdm, ss, sud, sudoku, tsv, txt or xml. All others are left out, and
    /// said, as are hidden files, links to directories, and unfinished or own outputs; and, as of a pattern, files in
    /// which nothing is a puzzle.
    #[arg(value_name = "FILE")]
    pub inputs: Vec<PathBuf>,

    /// How the files are read
    #[command(flatten)]
    pub read: ReadArguments,

    /// Stop at the first record that is invalid, and refuse files without puzzles in directories and patterns too
    #[arg(long, conflicts_with = "lenient", help_heading = "Input")]
    pub strict: bool,
}

/// How a job searches for solutions.
#[derive(Args, Debug)]
pub struct SearchArguments {
    /// Give up on a puzzle after N guesses: its status is `unfinished`
    #[arg(long, value_name = "N", help_heading = "Solving")]
    pub max_guesses: Option<u64>,

    /// Give up on a puzzle after so many seconds: its status is `unfinished`
    ///
    /// Which puzzles that are depends on the machine, unlike with --max-guesses.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Solving")]
    pub max_time: Option<Duration>,

    /// Count again, with the scalar solver, the solutions of every puzzle that is unique or unsolvable
    ///
    /// The scalar solver shares nothing with the lane engine. If the two disagree, the status is `internal-error`.
    /// `--max-guesses` does not bound the second count, and Sudominoku cases, which one solver alone can solve, have none.
    #[arg(long, help_heading = "Solving")]
    pub recheck: bool,

    /// On what it solves
    #[command(flatten)]
    pub backend: BackendArguments,
}

/// On what instructions it solves.
#[derive(Args, Debug)]
pub struct BackendArguments {
    /// Instructions to solve on
    ///
    /// The lane engine (all but `scalar`) solves one puzzle in every lane of a vector register; its rows are the
    /// same on every backend.
    #[arg(
        long,
        value_name = "BACKEND",
        default_value = AUTO,
        value_parser = backends(),
        help_heading = "Solving"
    )]
    pub backend: String,
}

/// What is asked of each puzzle.
#[derive(Args, Debug)]
pub struct AnswerArguments {
    /// Look for up to N solutions of each puzzle
    ///
    /// 2 tells `unique` from `multiple`; 1 takes the first solution and says `solved`. Sudominoku cases are given up at
    /// a million, since their solutions are kept in memory.
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
}

/// How a run is spread over cores.
#[derive(Args, Debug)]
pub struct ThreadArguments {
    /// Threads that work [default: as many as there are cores]
    ///
    /// Cores that this process may use: its affinity counts, and so does the limit of a container (cgroup). Threads
    /// are started as there is work for them.
    #[arg(short = 'j', long, value_name = "N", value_parser = threads, help_heading = "Running")]
    pub threads: Option<NonZeroUsize>,

    /// Bytes of a batch, the unit of work of a thread
    #[arg(long, value_name = "BYTES", hide = true)]
    pub chunk_size: Option<NonZeroUsize>,
}

/// Where the rows of a run go.
#[derive(Args, Debug)]
pub struct OutputArguments {
    /// Write the results to FILE [default: standard output]
    ///
    /// The format is that of its extension, and .gz or .zst behind that compresses it, as in results.csv.zst.
    ///
    /// They go to FILE.partial, which is renamed when it is complete. A run that ends early leaves
    /// its whole rows there; a later one replaces them once it has rows itself. A run is refused while
    /// another one writes the same file. A device or a named pipe is written directly.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Go on where an earlier run with the same flags and files was cut off
    ///
    /// The rows that it wrote are kept, in FILE.partial; beside it lies a checkpoint, written once a second. Inputs,
    /// flags and the version must be the same. In the end FILE is as if nothing had happened, times aside.
    #[arg(long, requires = "output", help_heading = "Output")]
    pub resume: bool,

    /// Milliseconds between two checkpoints
    #[arg(long, value_name = "MS", hide = true)]
    pub checkpoint_every: Option<u64>,

    /// Format of the results [default: by the extension of --output, else csv]
    #[arg(short = 'O', long, value_name = "FORMAT", help_heading = "Output")]
    pub output_format: Option<String>,

    /// Put an apostrophe before texts that a spreadsheet would run as a formula (CSV alone)
    ///
    /// Texts are names of files, reasons and columns of the input; those are meant that begin with =, +, -, @, a tab or a
    /// line end. For rows that are opened in a spreadsheet, with texts that somebody else chose.
    #[arg(long, help_heading = "Output")]
    pub escape_formulas: bool,

    /// Exit with 0 even if some records are not as they should be
    #[arg(long, help_heading = "Output")]
    pub lenient: bool,
}

/// What is in the rows of results.
#[derive(Args, Debug)]
pub struct RowArguments {
    /// Carry columns of the input along [default: all but the puzzle and the solution that is read]
    ///
    /// By their names, whatever the case of letters, or by their numbers, with commas between them. They come behind the
    /// other columns, as the text that they are in the input; what an input does not have is empty. A name that another
    /// column has gets `input_` before it.
    #[arg(long, value_name = "COLUMN", num_args = 0..=1, value_delimiter = ',', help_heading = "Output")]
    pub keep: Option<Vec<String>>,

    /// Write only the rows with these statuses
    #[arg(long, value_name = "STATUS", value_delimiter = ',', help_heading = "Output")]
    pub only: Vec<String>,
}

/// Whether rows have times.
#[derive(Args, Debug)]
pub struct TimeArguments {
    /// Leave out the time column: equal inputs then give equal bytes
    ///
    /// `time_ns` is the solver's time for the puzzle in nanoseconds. Puzzles solved side by side in the lanes share it
    /// equally, round by round, so that the column adds up to all of the solver's time.
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
    /// What `batchdoku report` makes of the results, and wall time, threads and inputs besides. May be
    /// given several times.
    #[arg(long, value_name = "FILE", conflicts_with = "resume", help_heading = "Reporting")]
    pub report: Vec<PathBuf>,

    /// How a report is made
    #[command(flatten)]
    pub detail: ReportDetail,
}

/// What a run says besides its rows.
#[derive(Args, Debug)]
pub struct ReportingArguments {
    /// Write the summary to FILE as JSON, with version, flags and machine
    #[arg(long, value_name = "FILE", help_heading = "Reporting")]
    pub summary: Option<PathBuf>,

    /// What it says while it runs
    #[command(flatten)]
    pub talk: TalkArguments,
}

/// What a run says while it runs.
#[derive(Args, Debug)]
pub struct TalkArguments {
    /// Show a progress bar on standard error
    ///
    /// `auto` shows it when standard error is a terminal that the results do not go to.
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Reporting")]
    pub progress: When,

    /// Say nothing but errors: no summary, no warnings, no progress bar
    #[arg(short, long, help_heading = "Reporting")]
    pub quiet: bool,
}

/// How a report is made, of a run or of results.
#[derive(Args, Clone, Copy, Debug)]
pub struct ReportDetail {
    /// Show the N hardest and the N slowest puzzles in reports, at most 50 of each
    #[arg(
        long,
        value_name = "N",
        default_value = "10",
        value_parser = clap::value_parser!(u8).range(0..=50),
        help_heading = "Reporting"
    )]
    pub top: u8,

    /// Leave the SHA-256 of the inputs out of reports
    #[arg(long, help_heading = "Reporting")]
    pub no_hash: bool,
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

/// What `--solution` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WhichSolution {
    /// The smallest as an 81-digit number
    Smallest,
    /// The first found: the same in every run
    Any,
}

impl From<WhichSolution> for Wanted {
    fn from(typed: WhichSolution) -> Self {
        match typed {
            WhichSolution::Smallest => Self::Smallest,
            WhichSolution::Any => Self::Any,
        }
    }
}

/// The subcommand of a job, completed with what the registries say of it: the formats that hold its rows, its
/// statuses, its columns.
pub fn of_job(command: Command, job: &JobEntry) -> Command {
    let schema =
        Schema { fields: job.columns(), carried: Vec::new(), measured: true, statuses: job.statuses };
    let has = |id: &str| command.get_arguments().any(|argument| argument.get_id() == id);
    let (chooses_rows, chooses_format) = (has("only"), has("output_format"));
    let help = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let mut command = command.after_long_help(format!("{help}\n\n{}", columns(&schema)));
    if chooses_format {
        // Puzzles without answers are what every format holds; a claim is left out where it has no place.
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

/// A subcommand with those formats of its rows that can hold them.
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

/// What the columns of a job hold, a line each.
fn columns(schema: &Schema) -> String {
    let width = schema.written().map(|(_, field)| field.name.len()).max().unwrap_or(0);
    schema.written().fold("Columns:".to_owned(), |text, (_, field)| {
        let unit = field.unit.map(|unit| format!(", in {unit}")).unwrap_or_default();
        format!("{text}\n  {:<width$}  {}{unit}", field.name, field.about)
    })
}

/// The values of `--backend`.
pub fn backends() -> PossibleValuesParser {
    let auto = PossibleValue::new(AUTO).help("the fastest that this processor has");
    let backends = Backend::known().map(|(name, about)| PossibleValue::new(name).help(about));
    [auto].into_iter().chain(backends).collect::<Vec<_>>().into()
}

/// A time that is longer than none.
fn seconds(text: &str) -> Result<Duration, String> {
    let time = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| !time.is_zero()).ok_or_else(|| "expected a number of seconds above 0".to_owned())
}

/// Threads that may be asked for, at most; far more cores than any machine has.
const MOST_THREADS: usize = 4096;

/// A number of threads that can be started.
pub fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let count = text.parse().ok().filter(|count: &NonZeroUsize| count.get() <= MOST_THREADS);
    count.ok_or_else(|| format!("expected 1 to {MOST_THREADS} threads"))
}
