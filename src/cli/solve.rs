//! `batchdoku solve`: open everything, run the engine, say how it went.

use std::fs::{self, File};
use std::io::{self, Read, Stdout, Write};
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result};

use super::exit::Exit;
use super::options::SolveOptions;
use super::progress::ProgressLine;
use super::summary::{Summary, place_first};
use super::{figures, interrupt, message};
use crate::engine::{self, Ending, EngineError, Observer, Progress, Report, Tap};
use crate::input::{InputError, ReadOptions, Source};
use crate::output::Status;
use crate::output::file::{self, OutputError, OutputFile};
use crate::provenance::{self, Hash, Hashing, Provenance};
use crate::report::{self, InputFile, Live};

/// What to do about an internal error.
const REPORT_DEFECT: &str = "this is a defect of batchdoku: please report it with the input";

/// Hardest and slowest puzzles in the report of a run.
const LISTED: usize = 10;

/// Solves what `options` say.
///
/// # Errors
///
/// When an output cannot be opened or written, or signals cannot be handled.
pub fn solve(options: &SolveOptions) -> Result<Exit> {
    let started = SystemTime::now();
    let Some((sources, hashes)) = open_inputs(options) else { return Ok(Exit::Trouble) };
    let inputs: Vec<_> = options.inputs.iter().map(String::as_str).collect();
    // The rows come last: opening them takes the place of rows that an earlier run left.
    let summary_file = options.summary.as_ref().map(|path| OutputFile::create(path, &inputs)).transpose()?;
    let report_files =
        options.reports.iter().map(|report| report.open(&inputs)).collect::<Result<Vec<_>>>()?;
    let mut output = Output::open(options.output.as_deref(), &inputs)?;
    let stop = interrupt::watch()?;

    let total = sources.iter().map(|source| source.info().size).sum();
    let live =
        (!report_files.is_empty()).then(|| Live::new(LISTED, sources.iter().map(|source| &**source.info())));
    let listener = Listener { progress: ProgressLine::new(options.bar, total), live };
    let run = engine::run(sources, &options.engine, &*options.format, &mut output, &listener, &stop);
    listener.progress.clear();

    let report = match run {
        Ok(report) => report,
        Err(error) => {
            let exit = Exit::of_error(&error);
            match error {
                EngineError::Write(error) => message::error(format_args!(
                    "{}: cannot write the results: {error}",
                    output.name(options)
                )),
                error => message::error(message::chain(&anyhow::Error::new(error))),
            }
            if exit == Exit::InternalError {
                message::hint(REPORT_DEFECT);
            }
            output.keep_partial();
            return Ok(exit);
        }
    };
    let exit = Exit::of_run(&report, options.lenient);
    if report.ending == Ending::BrokenPipe && exit == Exit::Answered {
        return Ok(exit);
    }
    let summary = Summary::new(&report, exit, started);
    if !options.quiet {
        report.notes.iter().for_each(message::warning);
        message::say(summary.text());
    }
    complain(&report);
    if report.ending == Ending::Complete && report.input_errors.is_empty() {
        output.finish()?;
    } else {
        output.keep_partial();
    }
    if let Some(mut file) = summary_file {
        file.write_all(summary.json().as_bytes()).context("cannot write the summary")?;
        file.finish()?;
    }
    if let Some(live) = listener.live {
        let run = report::Run {
            wall_seconds: report.wall.as_secs_f64(),
            threads: report.threads,
            backend: report.backend.name().to_owned(),
            complete: report.ending == Ending::Complete,
        };
        let mut page =
            live.finish(run, input_files(&options.inputs, &hashes), Provenance::of_this_process(started));
        page.problems.extend(report.input_errors.iter().map(ToString::to_string));
        for file in report_files {
            file.write(&page)?;
        }
    }
    Ok(exit)
}

/// Hears how the run gets on, for the bar and for the report.
struct Listener {
    progress: ProgressLine,
    live: Option<Live>,
}

impl Observer for Listener {
    fn progress(&self, progress: &Progress) {
        self.progress.progress(progress);
    }

    fn tap(&self) -> Option<&dyn Tap> {
        self.live.as_ref().map(|live| live as &dyn Tap)
    }
}

/// Opens every input, or names every one that cannot be opened. What can be read only once is hashed as it is
/// read, if a report is to tell the hash.
fn open_inputs(options: &SolveOptions) -> Option<(Vec<Source>, Vec<Option<Hash>>)> {
    let mut opened = Vec::with_capacity(options.inputs.len());
    for name in &options.inputs {
        let source = if options.reports.is_empty() || Path::new(name).is_file() || Path::new(name).is_dir() {
            Source::open(name, &options.read).map(|source| (source, None))
        } else {
            open_stream(name, &options.read)
        };
        match source {
            Ok(source) => opened.push(source),
            Err(error) => message::error(error),
        }
    }
    (opened.len() == options.inputs.len()).then(|| opened.into_iter().unzip())
}

/// Opens standard input or a pipe so that its bytes are hashed.
fn open_stream(name: &str, options: &ReadOptions) -> Result<(Source, Option<Hash>), InputError> {
    let reader: Box<dyn Read + Send> = if name == "-" {
        Box::new(io::stdin())
    } else {
        let failed = |source| InputError::Open { name: name.to_owned(), source };
        Box::new(File::open(name).map_err(failed)?)
    };
    let (reader, hash) = Hashing::new(reader);
    Ok((Source::from_reader(name, reader, options)?, Some(hash)))
}

/// What a report says of the inputs. Files are read once more for their hash.
fn input_files(names: &[String], hashes: &[Option<Hash>]) -> Vec<InputFile> {
    let described = names.iter().zip(hashes).map(|(name, hash)| match hash {
        Some(hash) => InputFile { name: name.clone(), bytes: Some(hash.bytes()), sha256: hash.sha256() },
        None => InputFile {
            name: name.clone(),
            bytes: fs::metadata(name).ok().map(|found| found.len()),
            sha256: provenance::sha256_of_file(Path::new(name)).ok(),
        },
    });
    described.collect()
}

/// Says what makes the run a failure, after the summary, where it is seen.
fn complain(report: &Report) {
    report.input_errors.iter().for_each(message::error);
    let refused = report.stats.count(Status::InternalError);
    if refused > 0 {
        message::error(format_args!(
            "{} answers failed the check and were not written",
            figures::grouped(refused)
        ));
        message::hint(REPORT_DEFECT);
    }
    match report.ending {
        Ending::Strict => match report.stats.first_invalid().first() {
            Some(record) => message::error(place_first(record)),
            None => message::error("stopped at a bad record"),
        },
        Ending::Interrupted => message::error("interrupted"),
        Ending::Complete | Ending::BrokenPipe => {}
    }
}

/// Where the rows go.
enum Output {
    Standard(Stdout),
    File(OutputFile),
}

impl Output {
    fn open(path: Option<&Path>, inputs: &[&str]) -> Result<Self, OutputError> {
        match path {
            Some(path) => OutputFile::create(path, inputs).map(Self::File),
            None => file::check_standard_output(inputs).map(|()| Self::Standard(io::stdout())),
        }
    }

    fn name(&self, options: &SolveOptions) -> String {
        match &options.output {
            Some(path) => path.display().to_string(),
            None => "standard output".to_owned(),
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Standard(mut stream) => stream.flush().context("standard output"),
            Self::File(file) => Ok(file.finish()?),
        }
    }

    /// Leaves an incomplete file behind and says where.
    fn keep_partial(self) {
        if let Self::File(file) = self
            && let Some(partial) = file.keep_partial()
        {
            message::hint(format_args!("the whole rows so far are in {}", partial.display()));
        }
    }
}

impl Write for Output {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Standard(stream) => stream.write(buffer),
            Self::File(file) => file.write(buffer),
        }
    }

    fn write_all(&mut self, buffer: &[u8]) -> io::Result<()> {
        match self {
            Self::Standard(stream) => stream.write_all(buffer),
            Self::File(file) => file.write_all(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Standard(stream) => stream.flush(),
            Self::File(file) => file.flush(),
        }
    }
}
