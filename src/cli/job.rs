//! A job over files: open everything, run it, say how it went.
//!
//! A subcommand makes the job and hands it over; everything that jobs have in common is here.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::Result;

use super::defects;
use super::exit::Exit;
use super::flags::{JobArguments, RunArguments, When};
use super::inputs::{self, Sieve};
use super::interrupt::Signals;
use super::options::{self, Terminals};
use super::outputs::{Outputs, note_earlier};
use super::progress::ProgressLine;
use super::report::ReportFile;
use super::resume::{Checkpoints, ResumePoint, Settings};
use super::summary::{Summary, place_first};
use super::{figures, message};
use crate::input::{Carried, Hash, InputError, Keep, ReadOptions, Source, SourceInfo, shown_name};
use crate::jobs::{Job, SearchOptions};
use crate::output::file::{OutputError, OutputFile};
use crate::output::{self, Choice, Encode};
use crate::pipeline::{self, BATCH_BYTES, Ended, Ending, Plan, RunError, RunOptions, Tally, TallyDigest};
use crate::provenance::{self, Provenance};
use crate::record::{Class, Schema};
use crate::report::{self, InputFile, Report};
use crate::solver::{Backend, Limits};

/// What to do about an internal error.
pub const REPORT_DEFECT: &str = "this is a defect of batchdoku: please report it with the input";

/// What was typed of what all jobs take, and what it means: checked, complete, and without a trace of clap.
pub struct JobOptions {
    /// Names of the inputs in order, `-` for standard input; at least one, and `-` at most once. Those of them that
    /// were not typed are left out if they hold no puzzles.
    pub inputs: Vec<PathBuf>,
    /// What was typed for them.
    pub typed: Vec<PathBuf>,
    /// Whether results in directories are left out, too.
    pub without_results: bool,
    /// How to read them.
    pub read: ReadOptions,
    /// Whether standard input is lines with keys, each of which is to be answered, and no files are read.
    pub filter: bool,
    /// How to run.
    pub run: RunOptions,
    /// Which engine solves sudokus; `None` where none is asked.
    pub backend: Option<Backend>,
    /// When to give up on a puzzle.
    pub max_guesses: Option<u64>,
    /// How long a puzzle may take.
    pub max_time: Option<Duration>,
    /// Whether proofs are counted again.
    pub recheck: bool,
    /// Whether each solution is a row of its own.
    pub enumerate: bool,
    /// The subcommand as it is typed, with the flags of its own that bear on the answers.
    pub subcommand: String,
    /// Which columns of the inputs are carried along, if any are.
    pub keep: Option<Keep>,
    /// How to write rows.
    pub encoder: Arc<dyn Encode>,
    /// Whether they have a column of times.
    pub times: bool,
    /// Flags that they depend on, for a later run that resumes this one.
    pub settings: Settings,
    /// Whether to go on where an earlier run was cut off.
    pub resume: bool,
    /// Time between two checkpoints, if it is not the usual.
    pub checkpoint_every: Option<Duration>,
    /// Where to, `None` for standard output.
    pub output: Option<PathBuf>,
    /// Statuses whose rows are written; all if there are none.
    pub only: Vec<String>,
    /// Whether records without an answer are no failure.
    pub lenient: bool,
    /// Where the JSON summary goes.
    pub summary: Option<PathBuf>,
    /// Where reports of the run go.
    pub reports: Vec<ReportFile>,
    /// Hardest and slowest puzzles in a report.
    pub top: usize,
    /// Whether a progress bar is drawn.
    pub bar: bool,
    /// Whether standard error is for errors alone.
    pub quiet: bool,
}

impl JobOptions {
    /// Gives what was typed its meaning.
    ///
    /// # Errors
    ///
    /// When two flags contradict each other in a way that clap cannot see.
    pub fn new(typed: JobArguments, terminals: Terminals) -> Result<Self> {
        let settings = settings_of_job(&typed);
        let JobArguments { run, search, rows, reports } = typed;
        let keep = options::keep(rows.keep, &run.input.inputs)?;
        let report_files = ReportFile::all(reports.report)?;
        let mut options = Self::without_search(run, &report_files, terminals)?;
        options.settings.extend(settings);
        options.reports = report_files;
        options.read.hash = !options.reports.is_empty() && !reports.detail.no_hash;
        Ok(Self {
            backend: Some(options::backend(&search.backend)?),
            max_guesses: search.max_guesses,
            max_time: search.max_time,
            recheck: search.recheck,
            keep,
            times: !rows.no_time,
            only: rows.only,
            top: usize::from(reports.detail.top),
            ..options
        })
    }

    /// The same for a job that searches for nothing; the reports are outputs, too.
    ///
    /// # Errors
    ///
    /// As [`JobOptions::new`].
    pub fn without_search(typed: RunArguments, reports: &[ReportFile], terminals: Terminals) -> Result<Self> {
        let path = typed.output.output.as_deref().filter(|path| *path != Path::new("-"));
        let choice = Choice::new(path, typed.output.output_format.as_deref())?;
        let encoder = choice.encoder(typed.output.escape_formulas)?;
        let settings = settings_of_run(&typed, choice);
        let RunArguments { input, threads, output: typed_output, reporting } = typed;
        let batch_bytes = threads.chunk_size.map_or(BATCH_BYTES, |bytes| bytes.get());
        // As every other program has it, `-` is the standard stream.
        let output = typed_output.output.filter(|path| path != Path::new("-"));
        let written =
            output.iter().chain(&reporting.summary).chain(reports.iter().map(|report| &report.path));
        let written: Vec<_> = written.map(PathBuf::as_path).collect();
        let inputs = inputs::expanded(input.inputs.clone(), &written, reporting.quiet)?;
        let bar = match reporting.progress {
            When::Always => true,
            When::Never => false,
            // Rows and a bar on one terminal would overwrite each other.
            When::Auto => terminals.error && !reporting.quiet && !(output.is_none() && terminals.output),
        };
        let threads = options::threads(threads.threads, reporting.quiet);
        let read = ReadOptions { threads: Some(threads), ..options::read_options(input.read)? };
        Ok(Self {
            inputs,
            typed: input.inputs,
            without_results: false,
            read,
            filter: false,
            run: RunOptions { batch_bytes, strict: input.strict, ..RunOptions::new(threads) },
            backend: None,
            max_guesses: None,
            max_time: None,
            recheck: false,
            enumerate: false,
            subcommand: String::new(),
            keep: None,
            encoder,
            times: false,
            settings,
            resume: typed_output.resume,
            checkpoint_every: typed_output.checkpoint_every.map(Duration::from_millis),
            output,
            only: Vec::new(),
            lenient: typed_output.lenient,
            summary: reporting.summary,
            reports: Vec::new(),
            top: 0,
            bar,
            quiet: reporting.quiet,
        })
    }

    /// How to search for up to `limit` solutions.
    #[must_use]
    pub fn search(&self, limit: NonZeroU64) -> SearchOptions {
        let limits = Limits { max_guesses: self.max_guesses, max_time: self.max_time, ..Limits::default() };
        let limits = limits.with_solutions(limit);
        SearchOptions { backend: self.backend.unwrap_or_else(Backend::best), limits }
    }
}

/// What was typed of what the rows of any run depend on.
fn settings_of_run(typed: &RunArguments, choice: Choice) -> Settings {
    let RunArguments { input, output, .. } = typed;
    settings([
        ("version", Some(provenance::version_and_revision())),
        ("--escape-formulas", output.escape_formulas.then(|| "given".to_owned())),
        ("--format", input.read.format.as_ref().map(ToString::to_string)),
        ("--output-format", Some(choice.format.name.to_owned())),
        ("--puzzle-column", input.read.puzzle_column.clone()),
        ("--strict", input.strict.then(|| "given".to_owned())),
    ])
}

/// What was typed besides of what the rows of a job depend on that searches.
fn settings_of_job(typed: &JobArguments) -> Settings {
    let JobArguments { search, rows, .. } = typed;
    // The engines of the lanes give the same rows.
    let engine = if search.backend == Backend::SCALAR.name() { "scalar" } else { "lanes" };
    let kept = |columns: &[String]| match columns {
        [] => "given".to_owned(),
        columns => format!("'{}'", columns.join("','")),
    };
    let mut only = rows.only.clone();
    only.sort();
    settings([
        ("--backend", Some(engine.to_owned())),
        ("--keep", rows.keep.as_ref().map(|columns| kept(columns))),
        ("--max-guesses", search.max_guesses.map(|most| most.to_string())),
        ("--max-time", search.max_time.map(|most| format!("{most:?}"))),
        ("--no-time", rows.no_time.then(|| "given".to_owned())),
        ("--only", (!only.is_empty()).then(|| only.join(","))),
        ("--recheck", search.recheck.then(|| "given".to_owned())),
    ])
}

/// The flags that have a value.
fn settings<const N: usize>(values: [(&str, Option<String>); N]) -> Settings {
    values.into_iter().filter_map(|(flag, value)| Some((flag.to_owned(), value?))).collect()
}

/// Does a job as `options` say.
///
/// # Errors
///
/// When an output cannot be opened, or signals cannot be handled.
pub fn run<J: Job>(job: J, options: &JobOptions) -> Result<Exit> {
    let carried = options.keep.iter().map(|_| String::new()).collect();
    options.encoder.fits(&Schema { carried, ..job.schema().clone() })?;
    run_completed(job, options, |job, sources| {
        if options.keep.is_some() && !options.quiet {
            for source in sources.iter().filter(|source| source.columns().names.is_empty()) {
                let name = &source.info().name;
                message::warning(format_args!("{name}: is no table, so that it has no columns to keep"));
            }
        }
        if job.want().claims && !options.quiet {
            for note in sources.iter().filter_map(|source| source.note_on_claims()) {
                message::warning(format_args!("{note}"));
            }
        }
        job
    })
}

/// The same for a job that is completed once its inputs are open.
///
/// # Errors
///
/// As [`run`].
pub fn run_completed<J: Job>(
    mut job: J,
    options: &JobOptions,
    complete: impl FnOnce(J, &[&Source]) -> J,
) -> Result<Exit> {
    let started = SystemTime::now();
    let signals = Signals::watch()?;
    pipeline::silence_isolated_panics();
    let encoder = Arc::clone(&options.encoder);
    // Before the inputs, which may be streams: a run that is refused reads nothing of them.
    let open = || Outputs::open(options);
    let mut outputs = signals.protect(open, |outputs| outputs.all().map(OutputFile::handle).collect())?;
    let mut settings = options.settings.clone();
    settings.insert(
        "columns".to_owned(),
        job.schema().written().map(|(_, field)| field.name).collect::<Vec<_>>().join(","),
    );
    let rows = &mut outputs.rows;
    let (names, mut sources) = if options.filter {
        (options.inputs.clone(), vec![Source::keyed_standard_input()])
    } else {
        match open_inputs(options)? {
            Some(opened) => opened.into_iter().unzip(),
            None => return Ok(Exit::Trouble),
        }
    };
    let mut checkpoints =
        Checkpoints::new(options.resume, &names, settings, options.checkpoint_every, encoder.form(), rows)?;
    let carried = options.keep.as_ref().map(|keep| carried(keep, &sources, &job)).transpose()?;
    job.schema_mut().carried = carried.iter().flat_map(|carried| carried.names.clone()).collect();
    let job = complete(job, &sources.iter().collect::<Vec<_>>());
    encoder.fits(job.schema())?;
    let is_lossy = |name: &&String| name.contains(char::REPLACEMENT_CHARACTER);
    if let Some(name) = job.schema().carried.iter().find(is_lossy).filter(|_| !options.quiet) {
        message::warning(format_args!(
            "column '{name}': bytes of its name that are no UTF-8 are written as U+FFFD"
        ));
    }
    if let Some(carried) = carried.filter(|_| !job.schema().carried.is_empty()) {
        for (source, selection) in sources.iter_mut().zip(&carried.selections) {
            source.carry(selection);
        }
    }
    outputs.rows.set_header(output::empty(&*encoder, job.schema())?.len());
    if !options.quiet {
        note_earlier(outputs.all());
        if checkpoints.from.records > 0 {
            let records = figures::grouped(checkpoints.from.records);
            message::say(format_args!("resuming after {records} records of an earlier run"));
        }
    }

    let inputs: Vec<_> = sources.iter().map(|source| (Arc::clone(source.info()), source.hash())).collect();
    let mut collected = collectors(&job, &inputs, options);
    let progress = ProgressLine::new(options.bar, inputs.iter().map(|(info, _)| info.size).sum());
    signals.begin(progress.status());
    checkpoints.from.add_to(&mut collected.0);
    let mut plan = plan(job, encoder, sources, options, &checkpoints.from);
    plan.options.resumable = checkpoints.are_written();
    let mut rows = checkpoints.sink(&mut outputs.rows);
    let ended = pipeline::run(plan, &mut collected, &mut rows, &progress, signals.stop());
    progress.clear();
    let complete = ended.as_ref().is_ok_and(is_complete);
    let partial = outputs.rows.partial();
    if !complete {
        checkpoints.keep(&outputs.rows);
    }
    if let Some(trouble) = checkpoints.trouble().filter(|_| !complete && !options.quiet) {
        message::warning(format_args!("{trouble}: what is cut off here cannot be resumed"));
    }
    let exit = match ended {
        Ok(ended) => finish(outputs, &ended, collected, &inputs, options, started),
        Err(error) => fail(error, outputs.rows),
    };
    // A run whose file could not have its name can be resumed.
    if complete && partial.is_some_and(|partial| !partial.exists()) {
        checkpoints.end();
    }
    Ok(exit)
}

/// The inputs of a run: what they are called, and what was read of them in the end.
type Inputs = [(Arc<SourceInfo>, Hash)];

/// What is collected of the rows: the summary, and a report if one is wanted.
pub type Collected = (Tally, Option<report::Collector>);

fn collectors<J: Job>(job: &J, inputs: &Inputs, options: &JobOptions) -> Collected {
    let infos = inputs.iter().map(|(info, _)| &**info);
    let report = || report::Collector::for_run(options.top, infos, job.schema());
    (Tally::new(job.schema()), (!options.reports.is_empty()).then(report))
}

/// What is to be run.
fn plan<J: Job>(
    job: J,
    encoder: Arc<dyn Encode>,
    sources: Vec<Source>,
    options: &JobOptions,
    from: &ResumePoint,
) -> Plan<J, (TallyDigest, Option<report::ReportDigest>)> {
    let mut run = options.run.clone();
    run.before = from.earlier_run();
    if !options.only.is_empty() {
        let is_wanted = |name: &str| options.only.iter().any(|wanted| wanted == name);
        run.only = Some(job.schema().statuses.iter().map(|word| is_wanted(word.name)).collect());
    }
    let report = (!options.reports.is_empty()).then(|| report::ReportDigest::new(options.top));
    Plan { sources, job: Arc::new(job), encoder, digest: (TallyDigest, report), options: run }
}

/// Whether everything was read and written.
fn is_complete(ended: &Ended) -> bool {
    ended.ending == Ending::Complete && ended.input_errors.is_empty()
}

/// Ends every output of a run that has ended, and says what it amounts to.
pub fn finish(
    outputs: Outputs,
    ended: &Ended,
    (tally, collector): Collected,
    inputs: &Inputs,
    options: &JobOptions,
    started: SystemTime,
) -> Exit {
    let complete = is_complete(ended);
    let name = outputs.rows.name().to_owned();
    let (left, rows) = if complete { (None, outputs.rows.finish()) } else { (outputs.rows.keep(), Ok(())) };
    let mut failures: Vec<_> = rows.err().into_iter().collect();
    if let Some(collector) = collector {
        let report = report_of(collector, ended, inputs, options, started);
        failures.extend(outputs.reports.into_iter().filter_map(|file| file.write(&report).err()));
    }
    let exit = exit_of(ended, &tally, options, &failures);
    let summary = Summary::new(ended, &tally, options.backend, exit, started);
    if let Some(file) = outputs.summary {
        failures.extend(file.write_complete(summary.json().as_bytes()).err());
    }
    if options.filter && ended.ending == Ending::BrokenPipe {
        message::error("nobody reads the rest of the lines");
    }
    // A reader who closes the pipe has seen enough, but files that were asked for are written all the same.
    if ended.ending != Ending::BrokenPipe || exit != Exit::Answered {
        if !options.quiet {
            ended.notes.iter().for_each(message::warning);
            if tally.not_utf8 > 0 && !options.encoder.keeps_bytes() {
                let count = figures::grouped(tally.not_utf8);
                message::warning(format_args!(
                    "texts that are no UTF-8, in which U+FFFD stands for what is none: {count}; -O csv keeps them"
                ));
            }
            message::say(summary.text());
        }
        complain(ended, &tally, options);
    }
    if let Some(error) = &ended.unwritten {
        message::error(format_args!("{}: cannot write the results: {error}", shown_name(&name)));
    }
    left.iter().for_each(message::hint);
    failures.iter().for_each(|error| message::failure(error));
    exit_of(ended, &tally, options, &failures)
}

/// Says why a run ended before its time, and where its rows are.
pub fn fail(error: RunError, rows: OutputFile) -> Exit {
    let exit = Exit::of_error(&error);
    message::failure(&error);
    if exit == Exit::InternalError {
        message::hint(REPORT_DEFECT);
    }
    rows.keep().iter().for_each(message::hint);
    exit
}

/// What a run amounts to, if those outputs could not be written.
fn exit_of(ended: &Ended, tally: &Tally, options: &JobOptions, failures: &[OutputError]) -> Exit {
    // Whoever runs a filter takes 0 for an answer to every line, with its own key.
    let lost_lines = options.filter && (ended.ending == Ending::BrokenPipe || !ended.notes.is_empty());
    match Exit::of_run(ended, tally, options.lenient) {
        Exit::InternalError => Exit::InternalError,
        _ if !failures.is_empty() || lost_lines => Exit::Trouble,
        exit => exit,
    }
}

/// The report of a run that has ended.
fn report_of(
    collector: report::Collector,
    ended: &Ended,
    inputs: &Inputs,
    options: &JobOptions,
    started: SystemTime,
) -> Report {
    let run = report::Run {
        wall_seconds: ended.wall.as_secs_f64(),
        threads: ended.threads,
        backend: options.backend.map_or("none", Backend::name).to_owned(),
        complete: ended.ending == Ending::Complete,
    };
    let files = inputs.iter().map(|(info, hash)| InputFile {
        name: info.name.clone(),
        bytes: Some(info.size.unwrap_or_else(|| hash.bytes())),
        sha256: hash.clone().sha256(),
    });
    let mut report = collector.finish(run, files.collect(), Provenance::of_this_process(started));
    report.problems.extend(ended.input_errors.iter().map(ToString::to_string));
    report.problems.extend(defects::corrected(ended, options));
    report
}

/// Opens the inputs that hold puzzles, or names every one that cannot be opened.
///
/// # Errors
///
/// When none holds any.
pub fn open_inputs(options: &JobOptions) -> Result<Option<Vec<(PathBuf, Source)>>> {
    let sieve = Sieve::new(&options.typed, options.run.strict).without_results(options.without_results);
    inputs::open(sieve, &options.inputs, &options.read, options.quiet)
}

/// What is carried along of the columns of the inputs.
///
/// # Errors
///
/// When no input has a column that was named.
fn carried(keep: &Keep, sources: &[Source], job: &impl Job) -> Result<Carried, InputError> {
    let columns: Vec<_> = sources.iter().map(Source::columns).collect();
    let written = job.schema().fields.iter().filter(|field| field.class != Class::Internal);
    let taken: Vec<_> = written.map(|field| field.name).collect();
    Carried::settle(keep, &columns, &taken, job.want().claims)
}

/// Says what makes the run a failure, after the summary, where it is seen.
fn complain(ended: &Ended, tally: &Tally, options: &JobOptions) {
    ended.input_errors.iter().for_each(|error| message::failure(error));
    defects::complain(ended, tally, options);
    match ended.ending {
        Ending::Strict => match tally.first_bad.first() {
            Some(record) => message::error(place_first(record)),
            None => message::error("stopped at a bad record"),
        },
        Ending::Interrupted if options.enumerate => {
            message::error("interrupted: the solutions behind the last row are missing");
        }
        Ending::Interrupted => message::error(format_args!(
            "interrupted: the rows of the first {} records are written, and no others",
            figures::grouped(tally.records)
        )),
        Ending::Complete | Ending::BrokenPipe | Ending::Unwritten => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::solve::SolveArguments;
    use crate::cli::{Command, definitions, parse};
    use crate::input::{Dialect, Framing};

    const PIPES: Terminals = Terminals { output: false, error: false };

    fn typed(line: &str) -> Result<SolveArguments, clap::Error> {
        let arguments = parse(["batchdoku", "solve"].into_iter().chain(line.split(' ')))?;
        match arguments.command {
            Command::Solve(typed) => Ok(*typed),
            other => panic!("{other:?} is not what was typed"),
        }
    }

    fn meant(line: &str, terminals: Terminals) -> Result<JobOptions> {
        JobOptions::new(typed(line).unwrap().job, terminals)
    }

    fn options(line: &str) -> JobOptions {
        meant(line, PIPES).unwrap()
    }

    fn refusal(line: &str) -> String {
        meant(line, PIPES).err().expect("it is refused").to_string()
    }

    #[test]
    fn clap_finds_no_fault_with_the_definitions() {
        definitions().debug_assert();
    }

    #[test]
    fn what_is_meant_when_only_a_file_is_typed() {
        let options = options("a.txt");
        assert_eq!(options.inputs, [Path::new("a.txt")]);
        let expected = ReadOptions { option_names: &message::FLAGS, ..ReadOptions::default() };
        assert_eq!(ReadOptions { threads: None, ..options.read.clone() }, expected);
        assert_eq!(options.read.threads, Some(options.run.threads));
        assert_eq!(options.search(typed("a.txt").unwrap().limit).limits, Limits::default());
        assert!(options.run.threads.get() >= 1);
        assert!(!options.run.strict && !options.lenient && !options.quiet && !options.bar);
        assert_eq!((options.output, options.summary), (None, None));
    }

    #[test]
    fn no_file_is_standard_input() {
        assert_eq!(options("--quiet").inputs, [Path::new("-")]);
    }

    #[test]
    fn every_flag_reaches_its_option() {
        let options = options(
            "a - b --format csv --puzzle-column quiz --limit 7 --max-guesses 0 --only multiple,invalid --top 3 -j 3 --strict --chunk-size 99 \
             -o out -O jsonl --summary s.json --report r.html --report r.json --progress always -q",
        );
        assert_eq!(options.inputs, ["a", "-", "b"].map(Path::new));
        assert_eq!(options.read.format, Some(Dialect::of(Framing::Csv)));
        assert_eq!(options.read.puzzle_column.as_deref(), Some("quiz"));
        let limits = options.search(NonZeroU64::new(7).unwrap()).limits;
        assert_eq!((limits.solutions.get(), limits.max_guesses), (7, Some(0)));
        assert_eq!((options.run.threads.get(), options.run.batch_bytes), (3, 99));
        assert!(options.run.strict && options.quiet && options.bar);
        assert_eq!((options.top, &options.only[..]), (3, &["multiple".to_owned(), "invalid".to_owned()][..]));
        assert_eq!(options.output.as_deref(), Some(Path::new("out")));
        assert_eq!(options.summary.as_deref(), Some(Path::new("s.json")));
        let reports: Vec<_> = options.reports.iter().map(|report| report.path.to_str().unwrap()).collect();
        assert_eq!(reports, ["r.html", "r.json"]);
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
            "--only solved-twice",
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
        assert!(refusal("a --report x.pdf").contains(".html"));
    }

    #[test]
    fn the_bar_is_for_a_terminal_that_the_results_do_not_go_to() {
        let bar = |line, output, error| meant(line, Terminals { output, error }).unwrap().bar;
        assert!(bar("a", false, true));
        assert!(bar("a -o x", true, true));
        assert!(!bar("a", true, true));
        assert!(!bar("a -o x", true, false));
        assert!(!bar("a -o x -q", true, true));
        assert!(!bar("a -o x --progress never", true, true));
        assert!(bar("a --progress always", false, false));
    }
}
