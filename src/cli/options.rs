//! The options that the arguments stand for: checked, complete, and independent of clap.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, IsTerminal};
use std::iter;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};

use super::exit::Exit;
use super::flags::{
    AnswerArguments, ClaimArguments, InputArguments, OutputArguments, ReadArguments, ReportArguments,
    ReportingArguments, RowArguments, RunArguments, SearchArguments, SeedArguments, TalkArguments,
    TextArguments, ThreadArguments, When,
};
use super::typed::Typed;
use super::{message, resume};
use crate::input::{Dialect, Keep, ReadOptions, shown_name};
use crate::jobs::{self, SearchOptions};
use crate::output::{Choice, Encode, FORMATS};
use crate::pipeline::{self, BATCH_BYTES, RunOptions};
use crate::report;
use crate::solver::{Backend, Limits, Wanted};
use crate::survey::grids::ClaimFile;

impl SearchArguments {
    /// Returns the search options. Fails if this processor cannot run the backend.
    pub fn options(&self) -> Result<SearchOptions> {
        let &Self { max_guesses, max_time, .. } = self;
        let limits = Limits { max_guesses, max_time, ..Limits::default() };
        Ok(SearchOptions { backend: backend(&self.backend.backend)?, limits })
    }
}

impl AnswerArguments {
    /// Returns these limits, with the choice of solutions added. Fails if the solution limit rules that choice out.
    pub fn limits(&self, limits: Limits) -> Result<Limits> {
        if self.limit == NonZeroU64::MIN && self.solution == Some(Wanted::Smallest) {
            bail!("--solution smallest needs --limit 2 or more: with --limit 1 the solution is any");
        }
        Ok(Limits { wanted: self.solution.unwrap_or_default(), ..limits.with_solutions(self.limit) })
    }
}

/// An output for rows, or for a table about them.
pub struct RowFile {
    /// The flag that names the output.
    pub flag: &'static str,
    /// The file, or `None` for standard output.
    pub path: Option<PathBuf>,
    /// The encoder for the rows.
    pub encoder: Arc<dyn Encode>,
    /// Whether the rows with each status are written, by status index; if `None`, all rows are written.
    pub only: Option<Vec<bool>>,
}

/// The options for running a job. Each subcommand starts with the options that every run has, and adds its own.
pub struct JobOptions {
    /// The command line as typed.
    pub typed: Typed,
    /// The seed for puzzles that are made at random.
    pub seed: Option<u64>,
    /// The files, patterns and directories to read (standard input if there are none), or `None` if the job makes its
    /// own records.
    pub inputs: Option<Vec<PathBuf>>,
    /// The file that holds the claims, if they are not in the inputs.
    pub claims: Option<ClaimFile>,
    /// Whether result files in directories are skipped.
    pub without_results: bool,
    /// The options for reading files.
    pub read: ReadOptions,
    /// The options for the run itself.
    pub run: RunOptions,
    /// The engine for sudokus, or `None` if the job needs none.
    pub backend: Option<Backend>,
    /// The input columns that are carried along, if any.
    pub keep: Option<Keep>,
    /// The output for the rows.
    pub rows: RowFile,
    /// The outputs for the remaining rows.
    pub rest: Vec<RowFile>,
    /// The other flags for writing the rows.
    pub output: OutputArguments,
    /// Whether the inputs are read a second time.
    pub reads_twice: bool,
    /// Files that are opened along with the inputs, and read once.
    pub against: Vec<PathBuf>,
    /// Whether the run can be resumed if it is cut off.
    pub is_resumable: bool,
    /// The least severe exit still possible, given what happened before the run.
    pub exit: Exit,
    /// The names of the statuses whose rows are written. If not empty, they replace the first output's
    /// [`RowFile::only`].
    pub only: Vec<String>,
    /// The files for reports on the run.
    pub reports: Vec<(report::Form, PathBuf)>,
    /// The flags for output other than the rows.
    pub reporting: ReportingArguments,
}

impl JobOptions {
    /// Returns the options that every run has.
    pub fn new(typed: Typed, threads: &ThreadArguments, reporting: ReportingArguments) -> Self {
        let batch_bytes = threads.chunk_size.map_or(BATCH_BYTES, NonZeroUsize::get);
        let threads = self::threads(threads.threads);
        Self {
            typed,
            seed: None,
            inputs: None,
            claims: None,
            without_results: false,
            read: ReadOptions { threads: Some(threads), ..ReadOptions::default() },
            run: RunOptions { batch_bytes, ..RunOptions::new(threads) },
            backend: None,
            keep: None,
            rows: RowFile { flag: "--output", path: None, encoder: (FORMATS[0].make)(), only: None },
            rest: Vec::new(),
            output: OutputArguments::default(),
            reads_twice: false,
            against: Vec::new(),
            is_resumable: false,
            exit: Exit::Answered,
            only: Vec::new(),
            reports: Vec::new(),
            reporting,
        }
    }

    /// Returns the options for a run over files. Fails if two flags contradict each other in a way that clap cannot
    /// detect.
    pub fn over_files(typed: Typed, run: RunArguments) -> Result<Self> {
        let RunArguments {
            input: InputArguments { inputs, read, strict },
            threads,
            output,
            texts,
            reporting,
        } = run;
        let mut options = Self::new(typed, &threads, reporting);
        options.inputs = Some(inputs);
        options.read = ReadOptions { threads: options.read.threads, ..read_options(read)? };
        options.run.strict = strict;
        options.with_output(output, &texts)
    }

    /// Sets the format and the destination of the rows. Fails if there is no such format, or the output name
    /// contradicts it.
    pub fn with_output(self, mut output: OutputArguments, texts: &TextArguments) -> Result<Self> {
        // As in other programs, `-` is standard output.
        let path = output.path.take().filter(|path| path != Path::new("-"));
        let choice = Choice::new(path.as_deref(), output.output_format.as_deref())?;
        let encoder = choice.encoder(texts.escape_formulas)?;
        let rows = RowFile { path, encoder, ..self.rows };
        let mut options = Self { rows, output, is_resumable: true, ..self };
        // Two links with different extensions can point to the same file, so the format is one of the settings.
        options.typed.set("output-format", choice.format.name.to_owned());
        Ok(options)
    }

    /// Sets and returns the seed: the one that was typed, or that of the run being resumed, or else a new one.
    pub fn with_seed(&mut self, typed: SeedArguments) -> u64 {
        let resumed = self.rows.path.as_deref().filter(|_| self.output.resume);
        let earlier = || resume::earlier_value(resumed?, "--seed")?.parse().ok();
        let seed = typed.seed.or_else(earlier).unwrap_or_else(drawn_seed);
        self.typed.set("seed", seed.to_string());
        self.seed = Some(seed);
        seed
    }

    /// Sets the rows and columns to write. Fails if a column is named like an existing file but no files are given.
    pub fn with_rows(self, typed: RowArguments) -> Result<Self> {
        let has_files = self.inputs.as_ref().is_some_and(|files| !files.is_empty());
        Ok(Self { keep: keep(typed.keep, has_files)?, only: typed.only, ..self })
    }

    /// Sets where to find the claimed solutions. Fails if a column is named but the format has no columns.
    pub fn with_claims(self, typed: ClaimArguments) -> Result<Self> {
        Ok(Self { read: with_claims(self.read, typed)?, ..self })
    }

    /// Sets the reports on the run. Fails if a file extension does not stand for a report format.
    pub fn with_reports(self, typed: ReportArguments) -> Result<Self> {
        let reports = reports(typed.report)?;
        let read = ReadOptions { hash: !reports.is_empty(), ..self.read };
        Ok(Self { reports, read, ..self })
    }

    /// Returns all outputs for rows.
    pub fn outputs(&self) -> impl Iterator<Item = &RowFile> {
        iter::once(&self.rows).chain(&self.rest)
    }

    /// Returns all outputs for rows, so that their formats and the rows they receive can be set.
    pub fn outputs_mut(&mut self) -> impl Iterator<Item = &mut RowFile> {
        iter::once(&mut self.rows).chain(&mut self.rest)
    }

    /// Returns whether a progress bar is drawn.
    pub fn has_bar(&self) -> bool {
        // Rows and a bar on the same terminal would overwrite each other.
        self.reporting.talk.has_bar() && !(self.rows.path.is_none() && io::stdout().is_terminal())
    }
}

/// Pairs files with the formats that their extensions stand for. Fails with the text that `refusal` returns if an
/// extension stands for no format.
pub fn with_forms<F>(
    paths: Vec<PathBuf>,
    form: impl Fn(&Path) -> Option<F>,
    refusal: impl Fn(&str) -> String,
) -> Result<Vec<(F, PathBuf)>> {
    let with_form = |path: PathBuf| match form(&path) {
        Some(form) => Ok((form, path)),
        None => bail!(refusal(&shown_name(&path))),
    };
    paths.into_iter().map(with_form).collect()
}

/// Returns the report files with their formats. Fails if a file extension does not stand for a report format.
pub fn reports(paths: Vec<PathBuf>) -> Result<Vec<(report::Form, PathBuf)>> {
    with_forms(paths, report::Form::of_name, |name| format!("{name}: {}", report::Form::EXPECTED))
}

impl TalkArguments {
    /// Returns whether to draw a bar on standard error if it is a terminal.
    pub fn has_bar(&self) -> bool {
        self.progress == When::Auto && !self.quiet
    }
}

/// Returns the options for reading the inputs. Fails if a column is named but the format has no columns.
pub fn read_options(typed: ReadArguments) -> Result<ReadOptions> {
    let ReadArguments { format, puzzle_column } = typed;
    let read = ReadOptions { format, puzzle_column, option_names: &message::FLAGS, ..ReadOptions::default() };
    if read.puzzle_column.is_some() {
        check_column("--puzzle-column", "puzzles", &read, |format| format.puzzle.is_some())?;
    }
    Ok(read)
}

/// Adds where to find the claimed solutions. Fails if a column is named but the format has no columns.
pub fn with_claims(read: ReadOptions, typed: ClaimArguments) -> Result<ReadOptions> {
    if typed.solution_column.is_some() {
        check_column("--solution-column", "solutions", &read, |format| format.solution.is_some())?;
    }
    Ok(ReadOptions { solution_column: typed.solution_column, ..read })
}

/// Fails if `--format` was given and either has no columns or keys for a flag to name, or names that column itself.
fn check_column(
    flag: &str,
    contents: &str,
    read: &ReadOptions,
    is_named: impl Fn(&Dialect) -> bool,
) -> Result<()> {
    let Some(format) = &read.format else { return Ok(()) };
    if !format.framing.has_columns() {
        bail!(
            "{flag} names a column of a table or a key of JSON, but --format names a format without either"
        );
    }
    if is_named(format) {
        bail!("{flag} and --format both say which column has the {contents}");
    }
    Ok(())
}

/// Returns the columns to carry along, which are all of them if `--keep` names none.
fn keep(columns: Option<Vec<String>>, has_files: bool) -> Result<Option<Keep>> {
    let Some(columns) = columns else { return Ok(None) };
    if !has_files && let Some(file) = columns.iter().find(|column| Path::new(column).is_file()) {
        bail!("--keep reads '{file}' as the name of a column\n  hint: put the files before --keep");
    }
    Ok(Some(if columns.is_empty() { Keep::All } else { Keep::Named(columns) }))
}

/// Returns the number of threads to start. Warns if more threads were requested than there are cores.
pub fn threads(asked: Option<NonZeroUsize>) -> NonZeroUsize {
    let (threads, cores) = (pipeline::threads(asked), pipeline::threads(None));
    if let Some(asked) = asked.filter(|&asked| asked > cores) {
        let are = if cores == NonZeroUsize::MIN { "is 1 core" } else { &format!("are {cores} cores") };
        let instead = if threads < asked { format!("; {threads} are started") } else { String::new() };
        message::warning(format_args!(
            "{asked} threads, but there {are}: more threads are not faster{instead}"
        ));
    }
    threads
}

/// Returns a random seed. It has 53 bits, so that every JSON reader preserves it.
pub fn drawn_seed() -> u64 {
    RandomState::new().build_hasher().finish() >> 11
}

/// Returns the backend with this name. Fails if this processor cannot run it.
pub fn backend(name: &str) -> Result<Backend> {
    jobs::backend(name).map_err(|names| {
        anyhow!("this processor cannot run the backend {name}\n  hint: it can run {}", names.join(", "))
    })
}
