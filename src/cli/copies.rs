//! Commands that read files before they write anything; most read their inputs twice, once to choose records and once
//! to write these unchanged.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Result, bail};
use clap::Args;

use super::exit::Exit;
use super::flags::{ReadArguments, ReportingArguments, ThreadArguments};
use super::job::Opened;
use super::message;
use super::options::{Inputs, JobOptions, RestOutput, read_options};
use super::progress::ProgressLine;
use super::session::Session;
use super::typed::Typed;
use crate::input::{ReadOptions, Source};
use crate::jobs::Job;
use crate::output::{ChoiceError, Compression, Encode, compression_of_text};
use crate::survey::{PassError, Verbatim};

/// The files of such a command, and how it runs.
#[derive(Args, Debug)]
pub struct CopyArguments {
    /// Files, patterns and directories as for `solve`, `-` for standard input (the default)
    ///
    /// All must have one format, and tables the same header, unless they are converted.
    #[arg(value_name = "FILE")]
    pub inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub read: ReadArguments,
    #[command(flatten)]
    pub threads: ThreadArguments,
    #[command(flatten)]
    pub reporting: ReportingArguments,
}

/// The options of such a command. Fails if two flags contradict each other in a way that clap cannot see.
pub fn options(typed: Typed, files: CopyArguments, output: Option<PathBuf>) -> Result<JobOptions> {
    let CopyArguments { inputs, read, threads, reporting } = files;
    let mut options = JobOptions::new(typed, &threads, reporting);
    options.inputs = Inputs::Files(inputs);
    options.read = ReadOptions { threads: options.read.threads, ..read_options(read)? };
    options.output.path = output.filter(|path| path != Path::new("-"));
    options.reads_twice = true;
    Ok(options)
}

/// How records are compressed that go to a file of that name. Fails if it is the name of something else than text.
pub fn compression(path: Option<&Path>) -> Result<Option<Compression>, ChoiceError> {
    Ok(path.map(compression_of_text).transpose()?.flatten())
}

/// One more output, that a flag names, for rows with these statuses. Fails if it is standard output.
pub fn second_output(
    flag: &'static str,
    path: PathBuf,
    encoder: &Arc<dyn Encode>,
    only: Vec<bool>,
) -> Result<RestOutput> {
    if path == Path::new("-") {
        bail!("{flag} needs a file, not -\n  hint: ./- is a file of that name");
    }
    Ok(RestOutput { flag, path, encoder: Arc::clone(encoder), only })
}

/// Reads sources for the first time, with a progress line.
pub fn read<T>(
    session: &Session,
    options: &JobOptions,
    sources: Vec<Source>,
    read: impl FnOnce(Vec<Source>, &ProgressLine, &AtomicBool) -> T,
) -> T {
    let total = sources.iter().map(|source| source.info().size).sum();
    let progress = session.progress(options.has_bar(), total);
    let found = read(sources, &progress, session.stop());
    progress.clear();
    found
}

/// Prints why nothing is written.
pub fn fail(error: &PassError, opened: Opened) -> Exit {
    message::failure(error);
    opened.outputs.rows.keep().iter().for_each(message::hint);
    Exit::of_pass(error)
}

/// Reads the inputs again and writes records that the job chooses.
pub fn write(
    job: impl Job,
    mut opened: Opened,
    mut options: JobOptions,
    verbatim: &Verbatim,
) -> Result<Exit> {
    opened.sources = opened.again(&options)?;
    Verbatim::carry(&mut opened.sources);
    options.encoder = Arc::new(verbatim.clone());
    opened.run(job, &options, |job, _| job)
}
