//! Commands that read files before they write anything. Most read their inputs twice: once to choose records, and once
//! to write these, unchanged or converted.

use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Result, bail};
use clap::Args;

use super::convert::with_warning;
use super::exit::Exit;
use super::flags::{ReadArguments, ReportingArguments, ThreadArguments};
use super::job::Opened;
use super::message;
use super::options::{Inputs, JobOptions, RestOutput, read_options};
use super::progress::ProgressLine;
use super::session::Session;
use super::typed::Typed;
use crate::input::{Keep, ReadOptions, Source};
use crate::jobs::pick::Pick;
use crate::output::{Choice, ChoiceError, Encode};
use crate::survey::copies::{Copies, Outputs};
use crate::survey::{PassError, Strata, Verbatim};

/// The files of a command that copies records, and the flags of its run.
#[derive(Args, Debug)]
pub struct CopyArguments {
    /// Files, patterns and directories as for `solve`, `-` for standard input (the default)
    ///
    /// All must have one format, and tables the same header, unless they are converted. If an output has the extension
    /// of another format, all records are converted, as `convert` does it. Examples are .csv for a list, and .parquet.
    /// Records that cannot be read are then not written.
    #[arg(value_name = "FILE")]
    pub inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub read: ReadArguments,
    #[command(flatten)]
    pub threads: ThreadArguments,
    #[command(flatten)]
    pub reporting: ReportingArguments,
}

/// Returns the options of a command that copies records. Fails if flags contradict each other and clap cannot see it.
pub fn options(typed: Typed, files: CopyArguments, output: Option<PathBuf>) -> Result<JobOptions> {
    let CopyArguments { inputs, read, threads, reporting } = files;
    let mut options = JobOptions::new(typed, &threads, reporting);
    options.inputs = Inputs::Files(inputs);
    options.read = ReadOptions { threads: options.read.threads, ..read_options(read)? };
    options.output.path = output.filter(|path| path != Path::new("-"));
    options.reads_twice = true;
    Ok(options)
}

/// Returns one more output, which a flag names, for rows with these statuses. Fails if it is standard output.
pub fn second_output(flag: &'static str, path: PathBuf, only: Vec<bool>) -> Result<RestOutput> {
    if path == Path::new("-") {
        bail!("{flag} needs a file, not -\n  hint: ./- is a file of that name");
    }
    Ok(RestOutput { flag, path, encoder: (Choice::CSV.format.make)(), only })
}

/// Returns the outputs, opened for the formats of their names. Fails if a name contradicts the given format, or has the
/// extension of something other than puzzles.
pub fn outputs(options: &mut JobOptions, given: Option<&str>) -> Result<Outputs, ChoiceError> {
    let rest = options.rest.iter().map(|rest| Some(&*rest.path));
    let outputs = Outputs::new(iter::once(options.output.path.as_deref()).chain(rest), given)?;
    set_encoders(options, outputs.encoders());
    Ok(outputs)
}

fn set_encoders(options: &mut JobOptions, encoders: impl IntoIterator<Item = Arc<dyn Encode>>) {
    let rest = options.rest.iter_mut().map(|rest| &mut rest.encoder);
    iter::once(&mut options.encoder).chain(rest).zip(encoders).for_each(|(place, encoder)| *place = encoder);
}

/// Returns the criterion of `--by`, after a note if the word could mean something else, too.
pub fn strata(by: Option<String>, sources: &[Source]) -> Option<Strata> {
    let (strata, note) = Strata::of(&by?, sources);
    note.iter().for_each(|note| message::note(format_args!("--by: {note}")));
    Some(strata)
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
    match error {
        PassError::NoExcerpt { .. } => {
            message::hint("write to a file that ends in .csv or .jsonl to convert them")
        }
        PassError::Unlike { .. } => {
            message::hint("make one file of them first: batchdoku convert FILE... -o all.csv")
        }
        _ => {}
    }
    opened.outputs.rows.keep().iter().for_each(message::hint);
    Exit::of_pass(error)
}

/// Reads the inputs again and writes the records that the job chooses.
pub fn write<F: Fn(u64) -> u8 + Send + Sync + 'static>(
    job: Pick<F>,
    mut opened: Opened,
    mut options: JobOptions,
    Copies { encoders, are_converted }: Copies,
) -> Result<Exit> {
    opened.sources = opened.again(&options)?;
    set_encoders(&mut options, encoders.iter().map(Arc::clone));
    if are_converted {
        options.keep = Some(Keep::All);
        let encoders: Vec<_> = encoders.iter().map(|encoder| &**encoder).collect();
        let fitted = |job: Pick<F>, sources: &[&Source]| with_warning(job.fitted(sources, &encoders));
        return opened.run(job.converting(), &options, fitted);
    }
    Verbatim::carry(&mut opened.sources);
    opened.run(job, &options, |job, _| job)
}
