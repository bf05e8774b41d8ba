//! The command line: the only layer that deals with terminals, signals and exit codes.
//!
//! Each subcommand has its own file, which defines its flags, their meaning, and the job that it runs. Shared flags are
//! defined in `flags` and interpreted in `options`. `job` holds the code common to all jobs over files, which opens
//! everything before it starts any work. Results go to standard output or a file; everything else goes to standard
//! error.

mod bench;
mod canon;
mod convert;
mod copies;
mod dedupe;
mod defects;
mod enumerate;
mod exit;
mod figures;
mod flags;
mod generate;
mod inputs;
mod inspect;
mod job;
mod man;
mod message;
mod minimize;
mod options;
mod outputs;
mod permute;
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
use std::error::Error as _;
use std::ffi::OsString;
use std::io::{self, Write};
use std::num::{IntErrorKind, ParseIntError};
use std::process::ExitCode;
use std::sync::LazyLock;

use anyhow::Result;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::jobs::JOBS;
use crate::output::file::OutputFile;
use crate::output::stream::escaped;
use crate::provenance;
use crate::solver::Backend;
use bench::args::{BENCH, BENCH_EXAMPLES, BenchArguments};
use bench::options::BenchOptions;
use exit::Exit;
pub use flags::affects_rows;
use message::Context;
use options::JobOptions;
use typed::Typed;

const EXAMPLES: &str = "\
Examples:
  batchdoku solve puzzles.txt -o results.csv
  batchdoku verify dataset.csv -o checked.csv
  batchdoku convert dataset.csv -O lines -o puzzles.txt
  batchdoku bench puzzles.txt
  batchdoku report results.csv -o report.html
  batchdoku solve --help";

/// Returns the examples and exit codes for `--help`: the codes of the command, and those for an internal error and a
/// signal.
fn with_exit_codes(examples: &str, codes: &str) -> String {
    format!(
        "\
{examples}

Exit codes:
{codes}
  3    internal error
  130  interrupted (SIGTERM: 143, SIGHUP: 129)"
    )
}

/// The effect of a second signal on a run that is already ending because of the first.
const AT_ONCE: &str = "; a second signal ends the program at once";

/// Returns the examples and exit codes for a job that writes a row for each record, given the meanings of 0 and 1.
fn with_job_exit_codes(examples: &str, answered: &str, unanswered: &str) -> String {
    format!(
        "\
{examples}

Exit codes:
  0    {answered}
  1    {unanswered}, or --strict stopped the run
  2    usage error, or an input or output could not be opened, read or written
  3    internal error, as noted in the row
  130  interrupted (SIGTERM: 143, SIGHUP: 129){AT_ONCE}"
    )
}

/// Solve, check and time whole files of Sudoku puzzles in parallel.
#[derive(Debug, Parser)]
#[command(
    name = "batchdoku",
    version = VERSION.as_str(),
    long_version = LONG_VERSION.as_str(),
    arg_required_else_help = true,
    after_help = EXAMPLES
)]
struct Arguments {
    /// The subcommand.
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
    /// Compare the speed of solvers
    #[command(long_about = BENCH, after_help = BENCH_EXAMPLES)]
    Bench(Box<BenchArguments>),
    Report(report::ReportArguments),
    Inspect(inspect::InspectArguments),
    Sample(sample::SampleArguments),
    Dedupe(dedupe::DedupeArguments),
    Split(split::SplitArguments),
    /// Print shell completions
    Completions {
        /// Shell to print completions for
        shell: clap_complete::Shell,
    },
    /// Print the man page
    #[command(after_help = "Example:\n  batchdoku man > batchdoku.1 && man ./batchdoku.1")]
    Man,
}

/// The version, and the revision that it was built from.
static VERSION: LazyLock<String> = LazyLock::new(provenance::version_and_revision);

/// The version and the backends that this processor can run.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let names: Vec<_> = Backend::available().into_iter().map(Backend::name).collect();
    format!("{}\nbackend: {} (this processor can run: {})", *VERSION, names[0], names.join(", "))
});

/// Returns the command-line definitions, completed from the list of jobs.
#[must_use]
pub fn definitions() -> clap::Command {
    let command = Arguments::command().mut_subcommands(flags::with_run_group);
    let command = JOBS.iter().fold(command, |command, job| {
        command.mut_subcommand(job.name, |subcommand| flags::of_job(subcommand, job))
    });
    // `--seed -1` should be reported as an invalid number, not as an unknown flag.
    let with_negative = |argument: Arg| {
        let has_value = !argument.is_positional() && argument.get_action().takes_values();
        argument.allow_negative_numbers(has_value)
    };
    command.mut_subcommands(|subcommand| subcommand.mut_args(with_negative))
}

/// Parses the command line, whose first word is the program name.
fn parse(
    words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Result<(Arguments, Typed), clap::Error> {
    let mut definitions = definitions();
    let words: Vec<OsString> = words.into_iter().map(Into::into).collect();
    let mut matches = definitions
        .try_get_matches_from_mut(&words)
        .map_err(|error| with_useful_tips(error, &mut definitions, words.get(1)))
        .map_err(with_expected_number)?;
    let typed = matches
        .subcommand()
        .and_then(|(name, matches)| Some(Typed::of(definitions.find_subcommand(name)?, matches)));
    let arguments =
        Arguments::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut definitions))?;
    Ok((arguments, typed.unwrap_or_default()))
}

/// Replaces the error for a value that is not an integer with one that says what is expected.
fn with_expected_number(error: clap::Error) -> clap::Error {
    let kind = error.source().and_then(|source| source.downcast_ref()).map(ParseIntError::kind);
    let expected = match kind {
        None => return error,
        Some(IntErrorKind::Zero) => "expected 1 or more",
        Some(IntErrorKind::PosOverflow) => "expected a smaller number",
        Some(_) => "expected digits only, as in 1000",
    };
    let text = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let (value, flag) = (text(ContextKind::InvalidValue), text(ContextKind::InvalidArg));
    let message =
        format!("invalid value '{value}' for '{flag}': {expected}\n\nFor more information, try '--help'.\n");
    clap::Error::raw(ErrorKind::ValueValidation, message)
}

/// The maximum edit distance between a misspelt flag and the one suggested instead.
const MOST_MISSPELT: usize = 2;

/// Removes far-fetched tips from an error about an unknown flag, and adds a tip on how to list the flags.
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
        // The usage line from clap contains the suggested flag.
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
        // Help and version texts end up here too, with code 0.
        Err(answer) => {
            // The text quotes what was typed, which can be any file name, as in `batchdoku *`.
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
    let exit = Exit::of_failure(error);
    if exit == Exit::InternalError {
        message::hint(message::REPORT_DEFECT);
    }
    exit.into()
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

/// Returns the exit for a write to standard output; a closed pipe is not an error.
fn printed(result: io::Result<()>) -> Result<Exit> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).context("standard output"),
        _ => Ok(Exit::Answered),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the error that is printed when a flag of a subcommand is given this value.
    fn refusal(command: &str, flag: &str, value: &str) -> String {
        parse(["batchdoku", command, flag, value]).err().map_or_else(String::new, |error| error.to_string())
    }

    #[test]
    fn what_is_no_whole_number_is_refused_with_what_is_expected() {
        let mut numbers = 0;
        for command in definitions().get_subcommands() {
            let flags = command.get_arguments().filter(|flag| flag.get_action().takes_values());
            for flag in flags.filter_map(Arg::get_long).map(|flag| format!("--{flag}")) {
                let refused = |value| refusal(command.get_name(), &flag, value);
                let negative = refused("-1");
                assert!(!negative.contains("unexpected argument"), "{negative}");
                for value in ["-1", "0", "1e9", "1.5", "x", "99999999999999999999999"] {
                    let said = refused(value);
                    let is_raw = [
                        "invalid digit found",
                        "zero for non-zero",
                        "too large to fit",
                        "18446744073709551615",
                    ];
                    assert!(!is_raw.iter().any(|raw| said.contains(raw)), "{said}");
                }
                numbers += usize::from(negative.contains("expected digits only"));
            }
        }
        assert!(numbers > 15, "only {numbers} flags with a whole number");
        for (command, flag, value, expected) in
            [("solve", "--limit", "0", "1 or more"), ("split", "--seed", "-1", "digits only, as in 1000")]
        {
            let start = format!("error: invalid value '{value}' for '{flag} <N>': expected {expected}\n");
            let refusal = refusal(command, flag, value);
            assert!(refusal.starts_with(&start), "{refusal}");
        }
    }
}
