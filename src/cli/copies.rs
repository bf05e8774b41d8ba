//! Commands that read files before they write anything; most read their inputs twice, once to choose records and once
//! to write these unchanged.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Result, bail};

use super::exit::Exit;
use super::flags::ReadArguments;
use super::job::Opened;
use super::message;
use super::options::{Inputs, JobOptions, RestOutput, read_options};
use super::progress::ProgressLine;
use super::session::Session;
use crate::input::{ReadOptions, Source};
use crate::jobs::Job;
use crate::output::{ChoiceError, Compression, Encode, compression_of_text};
use crate::survey::{PassError, Verbatim};

/// The options of such a command. Fails if two flags contradict each other in a way that clap cannot see.
pub fn options(
    options: JobOptions,
    inputs: Vec<PathBuf>,
    read: ReadArguments,
    output: Option<PathBuf>,
) -> Result<JobOptions> {
    let mut options = options;
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

/// A second output that a flag names. Fails if it is standard output.
pub fn second_output(flag: &'static str, path: PathBuf, encoder: &Arc<dyn Encode>) -> Result<RestOutput> {
    if path == Path::new("-") {
        bail!("{flag} needs a file, not -\n  hint: ./- is a file of that name");
    }
    Ok(RestOutput { flag, path, encoder: Arc::clone(encoder) })
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
