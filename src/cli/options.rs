//! What the flags mean: checked, complete, and without a trace of clap.

use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::{fmt, path, thread};

use anyhow::{Result, anyhow, bail};

use super::args::{AUTO, ReadArguments, SolveArguments, When};
use super::report::ReportFile;
use crate::engine::{CHUNK_BYTES, EngineOptions};
use crate::input::{FormatChoice, ReadOptions};
use crate::output::{self, FormatOptions, RowFormat};
use crate::solver::{Backend, Limits};

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

/// What `solve` shall do.
pub struct SolveOptions {
    /// Names of the inputs in order, `-` for standard input; at least one, and `-` at most once.
    pub inputs: Vec<String>,
    /// How to read them.
    pub read: ReadOptions,
    /// How to solve.
    pub engine: EngineOptions,
    /// How to write rows.
    pub format: Box<dyn RowFormat>,
    /// Where to, `None` for standard output.
    pub output: Option<PathBuf>,
    /// Whether records without an answer are no failure.
    pub lenient: bool,
    /// Where the JSON summary goes.
    pub summary: Option<PathBuf>,
    /// Where reports of the run go.
    pub reports: Vec<ReportFile>,
    /// Whether a progress bar is drawn.
    pub bar: bool,
    /// Whether standard error is for errors alone.
    pub quiet: bool,
}

impl fmt::Debug for SolveOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SolveOptions")
            .field("inputs", &self.inputs)
            .field("engine", &self.engine)
            .field("output", &self.output)
            .finish_non_exhaustive()
    }
}

impl SolveOptions {
    /// Gives what was typed its meaning.
    ///
    /// # Errors
    ///
    /// When two flags contradict each other in a way that clap cannot see.
    pub fn new(typed: SolveArguments, terminals: Terminals) -> Result<Self> {
        let read = read_options(typed.read)?;
        let inputs = inputs(typed.inputs)?;
        // As every other program has it, `-` is the standard stream.
        let output = typed.output.filter(|path| path != Path::new("-"));
        if let (Some(results), Some(summary)) = (&output, &typed.summary)
            && path::absolute(results)? == path::absolute(summary)?
        {
            bail!("{}: is named by both --output and --summary", results.display());
        }
        let reports = ReportFile::all(typed.report)?;
        let others =
            output.iter().chain(&typed.summary).map(path::absolute).collect::<Result<Vec<_>, _>>()?;
        for report in &reports {
            if others.contains(&path::absolute(&report.path)?) {
                bail!("{}: is named by --report and another flag", report.path.display());
            }
        }
        let format = output::by_name(&typed.output_format, FormatOptions { time: !typed.no_time })
            .ok_or_else(|| anyhow!("there is no output format {}", typed.output_format))?;
        let bar = match typed.progress {
            When::Always => true,
            When::Never => false,
            // Rows and a bar on one terminal would overwrite each other.
            When::Auto => terminals.error && !typed.quiet && !(output.is_none() && terminals.output),
        };
        Ok(Self {
            inputs,
            read,
            engine: EngineOptions {
                threads: threads(typed.threads),
                backend: backend(&typed.backend)?,
                limits: Limits { solutions: typed.limit, max_guesses: typed.max_guesses },
                chunk_bytes: typed.chunk_size.map_or(CHUNK_BYTES, |bytes| bytes.get()),
                strict: typed.strict,
            },
            format,
            output,
            lenient: typed.lenient,
            summary: typed.summary,
            reports,
            bar,
            quiet: typed.quiet,
        })
    }
}

/// How the inputs are read.
///
/// # Errors
///
/// When a column is named but not a layout that has columns.
pub fn read_options(typed: ReadArguments) -> Result<ReadOptions> {
    let format = typed.format.as_deref().and_then(FormatChoice::named);
    let read = ReadOptions { format, puzzle_column: typed.puzzle_column, ..ReadOptions::default() };
    if read.puzzle_column.is_some() && format.is_some_and(|format| !format.has_columns()) {
        bail!("--puzzle-column names a column of a CSV file, but --format names another layout");
    }
    Ok(read)
}

/// The inputs: standard input if none is named.
pub fn inputs(mut names: Vec<String>) -> Result<Vec<String>> {
    if names.is_empty() {
        names.push(STANDARD_INPUT.to_owned());
    }
    if names.iter().filter(|&name| name == STANDARD_INPUT).count() > 1 {
        bail!("standard input (-) is named twice\n  hint: it can be read only once");
    }
    Ok(names)
}

/// The threads asked for, or as many as there are cores.
#[must_use]
pub fn threads(asked: Option<NonZeroUsize>) -> NonZeroUsize {
    asked.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
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

#[cfg(test)]
mod tests {
    use super::super::args::{Arguments, Command};
    use super::*;
    use clap::{CommandFactory, Parser};

    const PIPES: Terminals = Terminals { output: false, error: false };

    fn typed(line: &str) -> Result<SolveArguments, clap::Error> {
        let arguments = Arguments::try_parse_from(["batchdoku", "solve"].into_iter().chain(line.split(' ')))?;
        match arguments.command {
            Command::Solve(typed) => Ok(*typed),
            other => panic!("{other:?} is not what was typed"),
        }
    }

    fn options(line: &str) -> SolveOptions {
        SolveOptions::new(typed(line).unwrap(), PIPES).unwrap()
    }

    fn refusal(line: &str) -> String {
        SolveOptions::new(typed(line).unwrap(), PIPES).unwrap_err().to_string()
    }

    #[test]
    fn clap_finds_no_fault_with_the_definitions() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn what_is_meant_when_only_a_file_is_typed() {
        let options = options("a.txt");
        assert_eq!(options.inputs, ["a.txt"]);
        assert_eq!(options.read, ReadOptions::default());
        assert_eq!(options.engine.limits, Limits::default());
        assert!(options.engine.threads.get() >= 1);
        assert!(!options.engine.strict && !options.lenient && !options.quiet && !options.bar);
        assert_eq!((options.output, options.summary), (None, None));
    }

    #[test]
    fn no_file_is_standard_input() {
        assert_eq!(options("--quiet").inputs, ["-"]);
    }

    #[test]
    fn every_flag_reaches_its_option() {
        let options = options(
            "a - b --format csv --puzzle-column quiz --limit 7 --max-guesses 0 -j 3 --strict --chunk-size 99 \
             -o out -O jsonl --summary s.json --report r.html --report r.json --progress always -q",
        );
        assert_eq!(options.inputs, ["a", "-", "b"]);
        assert_eq!(options.read.format, FormatChoice::named("csv"));
        assert_eq!(options.read.puzzle_column.as_deref(), Some("quiz"));
        assert_eq!((options.engine.limits.solutions.get(), options.engine.limits.max_guesses), (7, Some(0)));
        assert_eq!((options.engine.threads.get(), options.engine.chunk_bytes), (3, 99));
        assert!(options.engine.strict && options.quiet && options.bar);
        assert_eq!(options.output.as_deref(), Some(Path::new("out")));
        assert_eq!(options.summary.as_deref(), Some(Path::new("s.json")));
        let reports: Vec<_> = options.reports.iter().map(|report| report.path.to_str().unwrap()).collect();
        assert_eq!(reports, ["r.html", "r.json"]);
    }

    #[test]
    fn no_time_reaches_the_format() {
        let header = |line| {
            let mut out = Vec::new();
            options(line).format.header(&mut out);
            String::from_utf8(out).unwrap()
        };
        assert!(header("a").contains("time_ns"));
        assert!(!header("a --no-time").contains("time_ns"));
    }

    #[test]
    fn a_dash_as_output_is_standard_output() {
        assert_eq!(options("a -o -").output, None);
    }

    #[test]
    fn zeros_and_unknown_words_are_refused() {
        for line in [
            "-j 0",
            "--limit 0",
            "--limit -1",
            "--max-guesses x",
            "--chunk-size 0",
            "-O xml",
            "--format sdk",
            "--progress maybe",
            "--no-such-flag",
        ] {
            assert_eq!(typed(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }

    #[test]
    fn strict_and_lenient_contradict_each_other() {
        assert_eq!(typed("--strict --lenient").unwrap_err().kind(), clap::error::ErrorKind::ArgumentConflict);
    }

    #[test]
    fn contradictions_that_clap_cannot_see() {
        assert!(refusal("- -").contains("named twice"));
        assert!(refusal("a --format line --puzzle-column quiz").contains("--puzzle-column"));
        assert!(refusal("a -o x --summary ./x").contains("both --output and --summary"));
        assert!(refusal("a -o x.md --report ./x.md").contains("--report and another flag"));
        assert!(refusal("a --report x.md --report ./x.md").contains("named twice"));
        assert!(refusal("a --report x.pdf").contains(".html"));
    }

    #[test]
    fn the_bar_is_for_a_terminal_that_the_results_do_not_go_to() {
        let bar = |line, output, error| {
            SolveOptions::new(typed(line).unwrap(), Terminals { output, error }).unwrap().bar
        };
        assert!(bar("a", false, true));
        assert!(bar("a -o x", true, true));
        assert!(!bar("a", true, true));
        assert!(!bar("a -o x", true, false));
        assert!(!bar("a -o x -q", true, true));
        assert!(!bar("a -o x --progress never", true, true));
        assert!(bar("a --progress always", false, false));
    }
}
