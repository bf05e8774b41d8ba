//! What the flags that several subcommands share mean.

use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Result, anyhow, bail};

use super::flags::{AUTO, ClaimArguments, ReadArguments};
use super::job::JobOptions;
use super::message;
use crate::input::{Keep, ReadOptions};
use crate::solver::Backend;

/// The name of standard input.
pub const STANDARD_INPUT: &str = "-";

/// Which standard streams are terminals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminals {
    /// Standard output.
    pub output: bool,
    /// Standard error.
    pub error: bool,
}

impl Terminals {
    /// Those of this process.
    #[must_use]
    pub fn of_this_process() -> Self {
        Self { output: io::stdout().is_terminal(), error: io::stderr().is_terminal() }
    }
}

/// How the inputs are read.
///
/// # Errors
///
/// When a column is named but a format without columns.
pub fn read_options(typed: ReadArguments) -> Result<ReadOptions> {
    let ReadArguments { format, puzzle_column, trust_compressed } = typed;
    let option_names = &message::FLAGS;
    let read =
        ReadOptions { format, puzzle_column, trust_compressed, option_names, ..ReadOptions::default() };
    if read.puzzle_column.is_some() {
        may_have_columns("--puzzle-column", &read)?;
    }
    Ok(read)
}

/// Checks that the format, if one was said, has columns or keys for a flag to name.
///
/// # Errors
///
/// When it has none.
pub fn may_have_columns(flag: &str, read: &ReadOptions) -> Result<()> {
    if read.format.as_ref().is_some_and(|format| !format.framing.has_columns()) {
        bail!(
            "{flag} names a column of a table or a key of JSON, but --format names a format without either"
        );
    }
    Ok(())
}

/// Adds where claimed solutions are.
///
/// # Errors
///
/// When a column is named but a format without columns.
pub fn add_claims(typed: ClaimArguments, options: &mut JobOptions) -> Result<()> {
    let Some(column) = typed.solution_column else { return Ok(()) };
    may_have_columns("--solution-column", &options.read)?;
    options.settings.insert("--solution-column".to_owned(), column.clone());
    options.read.solution_column = Some(column);
    Ok(())
}

/// Which columns are carried along; all if `--keep` names none.
///
/// # Errors
///
/// When a name is that of a file, and no other file was named.
pub fn keep(columns: Option<Vec<String>>, inputs: &[PathBuf]) -> Result<Option<Keep>> {
    let Some(columns) = columns else { return Ok(None) };
    if inputs.is_empty()
        && let Some(file) = columns.iter().find(|column| Path::new(column).is_file())
    {
        bail!("--keep takes '{file}' for the name of a column\n  hint: put the files before --keep");
    }
    Ok(Some(if columns.is_empty() { Keep::All } else { Keep::Named(columns) }))
}

/// Threads for each core at most: more would only wait for each other, and take long to start.
const MOST_A_CORE: NonZeroUsize = NonZeroUsize::new(32).expect("it is not 0");

/// The threads asked for, or as many as there are cores. If they are more than those, it is said; if they are far more,
/// there are fewer.
///
/// Cores are those that this process may use: [`thread::available_parallelism`] knows its affinity and, on Linux, the
/// quotas of its cgroups.
pub fn threads(asked: Option<NonZeroUsize>, quiet: bool) -> NonZeroUsize {
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let Some(asked) = asked else { return cores };
    let threads = asked.min(cores.saturating_mul(MOST_A_CORE));
    if asked > cores && !quiet {
        let are = if cores == NonZeroUsize::MIN { "is 1 core" } else { &format!("are {cores} cores") };
        let instead =
            if threads < asked { format!(", so that {threads} are started") } else { String::new() };
        message::warning(format_args!(
            "{asked} threads, but there {are} for them: more are no faster{instead}"
        ));
    }
    threads
}

/// The backend of that name.
pub fn backend(name: &str) -> Result<Backend> {
    if name == AUTO {
        return Ok(Backend::best());
    }
    Backend::named(name).ok_or_else(|| {
        let names: Vec<_> = Backend::available().into_iter().map(Backend::name).collect();
        anyhow!("this processor cannot run the backend {name}\n  hint: it can run {}", names.join(", "))
    })
}
