//! The command line: the only layer that knows terminals, signals and exit codes.
//!
//! Each subcommand is one file: its flags, what they mean, what it runs. Shared parts are in `flags` (as typed) and
//! `options` (as meant); `job` does what all jobs over files do, and opens everything before it starts anything.
//! Results go to standard output or a file, everything else to standard error.

mod bench;
mod canon;
mod comparison;
mod convert;
mod copies;
mod dedupe;
mod defects;
mod enumerate;
mod exit;
mod figures;
mod flags;
mod forms;
mod generate;
mod inputs;
mod inspect;
mod interrupt;
mod job;
mod man;
mod message;
mod minimize;
mod options;
mod outputs;
mod permute;
mod pipe;
mod progress;
mod rate;
mod report;
mod resume;
mod sample;
mod session;
mod sheet;
mod solve;
mod split;
mod spool;
mod summary;
mod typed;
mod verify;

use std::borrow::Cow;
use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::LazyLock;

use anyhow::{Context, Result};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::jobs::JOBS;
use crate::output::file::OutputFile;
use crate::output::stream::escaped;
use crate::provenance;
use crate::solver::Backend;
use bench::args::{BENCH, BENCH_EXAMPLES, BenchArguments};
use bench::options::BenchOptions;
use exit::Exit;
pub use flags::Effect;
use typed::Typed;

const EXAMPLES: &str = "\
Examples:
  batchdoku solve puzzles.txt -o results.csv
  batchdoku verify dataset.csv -o checked.csv
  batchdoku convert dataset.csv -O lines -o puzzles.txt
  batchdoku bench puzzles.txt
  batchdoku report results.csv -o report.html
  batchdoku solve --help";

/// Examples and exit codes, for `--help`.
fn with_exit_codes(examples: &str, exit_codes: &str) -> String {
    format!("{examples}\n\n{exit_codes}")
}

/// The same for a job over files that writes a row for each record: what 0 and 1 mean.
fn with_job_exit_codes(examples: &str, answered: &str, unanswered: &str) -> String {
    let exit_codes = format!(
        "\
Exit codes:
  0    {answered}
  1    {unanswered}, or --strict stopped the run
  2    wrong usage, or an input or output that cannot be opened, read or written
  3    an internal error: the row says so
  130  interrupted (SIGTERM: 143, SIGHUP: 129); a second signal stops at once"
    );
    with_exit_codes(examples, &exit_codes)
}

/// Solve, check and time whole files of Sudoku puzzles in parallel.
#[derive(Debug, Parser)]
#[command(
    name = "batchdoku",
    version = VERSION.as_str(),
    long_version = LONG_VERSION.as_str(),
    propagate_version = true,
    arg_required_else_help = true,
    after_help = EXAMPLES
)]
struct Arguments {
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
enum Command {
    Solve(Box<solve::SolveArguments>),
    Verify(Box<verify::VerifyArguments>),
    Convert(Box<convert::ConvertArguments>),
    Enumerate(Box<enumerate::EnumerateArguments>),
    Canon(Box<canon::CanonArguments>),
    Rate(Box<rate::RateArguments>),
    Minimize(Box<minimize::MinimizeArguments>),
    Permute(Box<permute::PermuteArguments>),
    Generate(Box<generate::GenerateArguments>),
    Sheet(sheet::SheetArguments),
    /// Measure solvers against each other
    #[command(long_about = BENCH, after_help = BENCH_EXAMPLES)]
    Bench(Box<BenchArguments>),
    Report(report::ReportArguments),
    Inspect(inspect::InspectArguments),
    Sample(sample::SampleArguments),
    Dedupe(dedupe::DedupeArguments),
    Split(split::SplitArguments),
    Pipe(pipe::PipeArguments),
    /// Print the completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the man page
    #[command(after_help = "Example:\n  batchdoku man > batchdoku.1 && man ./batchdoku.1")]
    Man,
}

/// The version and the revision that it was built from.
static VERSION: LazyLock<String> = LazyLock::new(provenance::version_and_revision);

/// The version and the backends that this processor can run.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let names: Vec<_> = Backend::available().into_iter().map(Backend::name).collect();
    format!("{}\nbackend: {} (this processor can run: {})", *VERSION, names[0], names.join(", "))
});

/// The definitions, completed from the list of jobs.
#[must_use]
pub fn definitions() -> clap::Command {
    let command = Arguments::command().mut_subcommands(flags::with_effects);
    JOBS.iter().fold(command, |command, job| {
        command.mut_subcommand(job.name, |subcommand| flags::of_job(subcommand, job))
    })
}

/// Parses the command line, which begins with the name of the program.
fn parse(
    words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Result<(Arguments, Typed), clap::Error> {
    let mut definitions = definitions();
    let words: Vec<OsString> = words.into_iter().map(Into::into).collect();
    let mut matches = definitions
        .try_get_matches_from_mut(&words)
        .map_err(|error| with_useful_tips(error, &mut definitions, words.get(1)))?;
    let typed = matches
        .subcommand()
        .and_then(|(name, matches)| Some(Typed::of(definitions.find_subcommand(name)?, matches)));
    let arguments =
        Arguments::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut definitions))?;
    Ok((arguments, typed.unwrap_or_default()))
}

/// Most letters by which a flag may differ from another and still be taken for a misspelling of it.
const MOST_MISSPELT: usize = 2;

/// Removes far-fetched tips from an error about an unknown flag, and adds where the flags are listed.
fn with_useful_tips(
    mut error: clap::Error,
    definitions: &mut clap::Command,
    first: Option<&OsString>,
) -> clap::Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    let (typed, meant) = (text(ContextKind::InvalidArg), text(ContextKind::SuggestedArg));
    let (command, usage) = first
        .and_then(|word| definitions.find_subcommand_mut(word))
        .map(|found| (format!("batchdoku {}", found.get_name()), found.render_usage()))
        .unwrap_or_else(|| ("batchdoku".to_owned(), definitions.render_usage()));
    if strsim::levenshtein(&typed, &meant) > MOST_MISSPELT {
        error.remove(ContextKind::SuggestedArg);
        // Clap's own usage contains the flag of the tip.
        error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
    }
    let list = format!("{command} --help lists the flags");
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![list.into()]));
    error
}

/// Runs the program.
pub fn main() -> ExitCode {
    let (arguments, typed) = match parse(env::args_os()) {
        Ok(parsed) => parsed,
        // Help and version come here too, with code 0.
        Err(answer) => {
            // The text quotes what was typed, which may be any file name, as in `batchdoku *`.
            let has_control_characters =
                |word: OsString| matches!(escaped(word.as_encoded_bytes()), Cow::Owned(_));
            if answer.use_stderr() && env::args_os().any(has_control_characters) {
                message::say(answer.render().to_string().trim_end());
                return ExitCode::from(Exit::Trouble.code());
            }
            if !answer.use_stderr()
                && let Err(error) = OutputFile::standard_output()
            {
                return trouble(&error.into());
            }
            return match printed(answer.print().and_then(|()| io::stdout().flush())) {
                Ok(_) => ExitCode::from(u8::try_from(answer.exit_code()).unwrap_or(Exit::Trouble.code())),
                Err(error) => trouble(&error),
            };
        }
    };
    message::set_quiet(typed.has("quiet"));
    run(arguments.command, typed).map_or_else(|error| trouble(&error), Into::into)
}

fn trouble(error: &anyhow::Error) -> ExitCode {
    message::failure(error.as_ref());
    Exit::Trouble.into()
}

fn run(command: Command, typed: Typed) -> Result<Exit> {
    match command {
        Command::Solve(arguments) => solve::solve(*arguments, typed),
        Command::Verify(arguments) => verify::verify(*arguments, typed),
        Command::Convert(arguments) => convert::convert(*arguments, typed),
        Command::Enumerate(arguments) => enumerate::enumerate(*arguments, typed),
        Command::Canon(arguments) => canon::canon(*arguments, typed),
        Command::Rate(arguments) => rate::rate(*arguments, typed),
        Command::Minimize(arguments) => minimize::minimize(*arguments, typed),
        Command::Permute(arguments) => permute::permute(*arguments, typed),
        Command::Sheet(arguments) => sheet::sheet(arguments, typed),
        Command::Pipe(arguments) => pipe::pipe(arguments, typed),
        Command::Bench(arguments) => bench::bench(&BenchOptions::new(*arguments)?),
        Command::Report(arguments) => report::report(arguments),
        Command::Inspect(arguments) => inspect::inspect(arguments),
        Command::Sample(arguments) => sample::sample(arguments, typed),
        Command::Dedupe(arguments) => dedupe::dedupe(arguments, typed),
        Command::Split(arguments) => split::split(arguments, typed),
        Command::Generate(arguments) => generate::generate(*arguments, typed),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut definitions(), "batchdoku", &mut script);
            print(&script)
        }
        Command::Man => print(&man::page().context("cannot make the man page")?),
    }
}

fn print(text: &[u8]) -> Result<Exit> {
    printed(OutputFile::standard_output()?.write_all(text))
}

/// The exit for a write to standard output; a closed pipe is not an error.
fn printed(result: io::Result<()>) -> Result<Exit> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).context("standard output"),
        _ => Ok(Exit::Answered),
    }
}
