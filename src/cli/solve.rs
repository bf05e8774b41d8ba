//! `batchdoku solve`: open everything, run the engine, say how it went.

use std::io::{self, Stdout, Write};
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result};

use super::exit::Exit;
use super::options::SolveOptions;
use super::progress::ProgressLine;
use super::summary::{Summary, place_first};
use super::{figures, interrupt, message};
use crate::engine::{self, Ending, EngineError, Report};
use crate::input::Source;
use crate::output::Status;
use crate::output::file::{self, OutputError, OutputFile};

/// What to do about an internal error.
const REPORT_DEFECT: &str = "this is a defect of batchdoku: please report it with the input";

/// Solves what `options` say.
///
/// # Errors
///
/// When an output cannot be opened or written, or signals cannot be handled.
pub fn solve(options: &SolveOptions) -> Result<Exit> {
    let started = SystemTime::now();
    let Some(sources) = open_inputs(options) else { return Ok(Exit::Trouble) };
    let inputs: Vec<_> = options.inputs.iter().map(String::as_str).collect();
    // The rows come last: opening them takes the place of rows that an earlier run left.
    let summary_file = options.summary.as_ref().map(|path| OutputFile::create(path, &inputs)).transpose()?;
    let mut output = Output::open(options.output.as_deref(), &inputs)?;
    let stop = interrupt::watch()?;

    let total = sources.iter().map(|source| source.info().size).sum();
    let progress = ProgressLine::new(options.bar, total);
    let run = engine::run(sources, &options.engine, &*options.format, &mut output, &progress, &stop);
    progress.clear();

    let report = match run {
        Ok(report) => report,
        Err(error) => {
            let exit = Exit::of_error(&error);
            match error {
                EngineError::Write(error) => message::error(format_args!(
                    "{}: cannot write the results: {error}",
                    output.name(options)
                )),
                error => message::error(format_args!("{:#}", anyhow::Error::new(error))),
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
    Ok(exit)
}

/// Opens every input, or names every one that cannot be opened.
fn open_inputs(options: &SolveOptions) -> Option<Vec<Source>> {
    let mut sources = Vec::with_capacity(options.inputs.len());
    let mut all = true;
    for name in &options.inputs {
        match Source::open(name, &options.read) {
            Ok(source) => sources.push(source),
            Err(error) => {
                message::error(error);
                all = false;
            }
        }
    }
    all.then_some(sources)
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
