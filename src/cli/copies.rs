//! The commands that choose records. They read their inputs twice: once to choose the records, and once to write the
//! chosen ones, unchanged or converted.

use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use clap::Args;

use super::figures::{count_of, grouped};
use super::flags::{RUN, ReadArguments, ReportingArguments, ThreadArguments};
use super::job::Opened;
use super::options::{JobOptions, RowFile, read_options};
use super::progress::ProgressLine;
use super::session::Session;
use super::{Exit, Typed, message};
use crate::input::{Keep, ReadOptions, Source, shown_name};
use crate::jobs::pick::Pick;
use crate::output::file::OutputFile;
use crate::output::{Choice, ChoiceError, Encode, Output};
use crate::survey::copies::{Copies, Outputs};
use crate::survey::duplicates::{Bounds, Matches, Same};
use crate::survey::selection::{FirstInputs, Selected, Selection};
use crate::survey::{PassError, Strata, Verbatim};

/// The files for a command that copies records, and the flags for its run.
#[derive(Args, Debug)]
pub struct CopyArguments {
    /// Files, patterns and directories, as for `solve`, or `-` for standard input (the default)
    ///
    /// Unless the records are converted, all files must have the same format, and tables must have the same header. If
    /// an output has the extension of a different format (.parquet, or .csv for a list of puzzles), all records are
    /// converted, as by `convert`. In that case, unreadable records are left out of the output.
    #[arg(value_name = "FILE")]
    pub inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub read: ReadArguments,
    #[command(flatten)]
    pub threads: ThreadArguments,
    #[command(flatten)]
    pub reporting: ReportingArguments,
}

/// The memory limit for records.
#[derive(Args, Debug)]
pub struct MemoryArguments {
    /// Keep up to SIZE bytes of records in memory, at least 1M (K, M and G are powers of 1024)
    ///
    /// Each record takes 48 bytes. Whatever does not fit goes to an unnamed file in the temporary directory (TMPDIR).
    /// That file disappears no matter how the program ends.
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size, group = RUN)]
    pub memory: usize,
}

impl MemoryArguments {
    /// Returns the bounds for a comparison that stays within this memory limit.
    pub fn bounds(&self, options: &JobOptions) -> Bounds {
        Bounds { memory: self.memory, make_file: tempfile::tempfile, threads: options.run.threads }
    }
}

/// The minimum memory for records.
const LEAST_MEMORY: usize = 1 << 20;

/// Parses a size in bytes.
fn size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|suffix: char| suffix.is_ascii_alphabetic());
    let shift = match &*text[digits.len()..].to_ascii_uppercase() {
        "" => Some(0),
        "K" => Some(10),
        "M" => Some(20),
        "G" => Some(30),
        _ => None,
    };
    let bytes = digits.parse::<usize>().ok().zip(shift);
    let bytes = bytes.and_then(|(number, shift)| number.checked_mul(1 << shift));
    bytes
        .filter(|&bytes| bytes >= LEAST_MEMORY)
        .ok_or_else(|| "expected 1M or more, as in 500M or 2G".to_owned())
}

/// Returns the options for a command that copies records. Fails if flags contradict each other in a way that clap
/// cannot detect.
pub fn options(typed: Typed, files: CopyArguments, output: Option<PathBuf>) -> Result<JobOptions> {
    let CopyArguments { inputs, read, threads, reporting } = files;
    let mut options = JobOptions::new(typed, &threads, reporting);
    options.inputs = Some(inputs);
    options.read = ReadOptions { threads: options.read.threads, ..read_options(read)? };
    options.rows.path = output.filter(|path| path != Path::new("-"));
    options.reads_twice = true;
    Ok(options)
}

/// Returns an additional output, named by a flag, for rows with certain statuses. Fails if it is standard output.
pub fn second_output(flag: &'static str, path: PathBuf) -> Result<RowFile> {
    if path == Path::new("-") {
        bail!("{flag} needs a file, not -\n  hint: ./- is a file of that name");
    }
    Ok(RowFile { flag, path: Some(path), encoder: (Choice::CSV.format.make)(), only: None })
}

/// Returns the outputs, and sets their encoders to the formats that their names call for. Fails if a name contradicts
/// the given format, or has an extension that does not belong to puzzle files.
pub fn outputs(options: &mut JobOptions, given: Option<&str>) -> Result<Outputs, ChoiceError> {
    let outputs = Outputs::new(options.outputs().map(|output| output.path.as_deref()), given)?;
    set_encoders(options, outputs.encoders());
    Ok(outputs)
}

fn set_encoders(options: &mut JobOptions, encoders: impl IntoIterator<Item = Arc<dyn Encode>>) {
    options.outputs_mut().zip(encoders).for_each(|(output, encoder)| output.encoder = encoder);
}

/// Returns the progress line for a first pass over some sources.
pub fn progress(session: &Session, options: &JobOptions, sources: &[Source]) -> ProgressLine {
    session.progress(options.has_bar(), sources.iter().map(|source| source.info().size).sum())
}

/// Adds a hint on what to do about records that cannot be copied.
fn with_hint(error: PassError, may_name_format: bool) -> anyhow::Error {
    let hint = match error {
        PassError::NoExcerpt { .. } => "write to a file that ends in .csv or .jsonl to convert them",
        PassError::Unlike { .. } => "make one file of them first: batchdoku convert FILE... -o all.csv",
        _ => return error.into(),
    };
    let or = if may_name_format { "\n  hint: or give a format: -O csv or -O jsonl" } else { "" };
    anyhow!("{error}\n  hint: {hint}{or}")
}

/// Chooses records and writes them to the outputs. `by` is the stratification criterion as typed.
pub fn run(
    selection: Selection,
    by: Option<String>,
    outputs: &Outputs,
    mut options: JobOptions,
) -> Result<Exit> {
    let (same, asked) = match selection {
        Selection::Sample { count, .. } => (Same::Text, count.get()),
        Selection::Dedupe { same, .. } | Selection::Split { same, .. } => (same, 0),
    };
    let may_name_format = matches!(selection, Selection::Dedupe { .. });
    let mut opened = Opened::new(&options)?;
    let by = by.map_or(Strata::One, |by| {
        let (strata, note) = Strata::of(&by, &opened.sources);
        note.iter().for_each(|note| message::note(format_args!("--by: {note}")));
        strata
    });
    let selected = outputs.copies(&opened.sources).and_then(|copies| {
        let inputs = FirstInputs {
            sources: mem::take(&mut opened.sources),
            against: (!options.against.is_empty()).then(|| mem::take(&mut opened.against)),
            by,
            are_copied: !copies.are_converted,
            run: options.run.clone(),
        };
        let observe = |sources: &[Source]| progress(&opened.session, &options, sources);
        Ok((selection.make(inputs, observe, opened.session.stop())?, copies))
    });
    let (Selected { job, only, records, matches, uncompared, notes, .. }, copies) =
        selected.map_err(|error| with_hint(error, may_name_format))?;
    notes.iter().for_each(message::warning);
    if records < asked as u64 {
        let asked = count_of(asked as u64, "record", "records");
        message::note(format_args!("fewer than {asked}: all {} are taken", grouped(records)));
    }
    if uncompared > 0 {
        warn_of_uncompared(same, uncompared, if may_name_format { "--against: " } else { "" });
        options.exit = Exit::Unanswered;
    }
    if let Some(matches) = matches
        && let Some(file) = opened.outputs.rest.pop()
    {
        let exit = write_matches(matches, file, &opened.session, &options)?;
        options.exit = options.exit.max(exit);
        options.rest.clear();
    }
    write(job, only, copies, opened, options)
}

/// Reads the inputs again and writes the records; `only` gives the statuses that each output receives.
fn write(
    job: Pick,
    only: Vec<Vec<bool>>,
    copies: Copies,
    mut opened: Opened,
    mut options: JobOptions,
) -> Result<Exit> {
    opened.sources = opened.again(&options)?;
    set_encoders(&mut options, copies.encoders);
    options.outputs_mut().zip(only).for_each(|(output, only)| output.only = Some(only));
    if copies.are_converted {
        options.keep = Some(Keep::All);
        return opened.run(job.converting(), &options);
    }
    Verbatim::carry(&mut opened.sources);
    opened.run(job, &options)
}

/// Warns about records that were not compared with any other. The text about unreadable records starts with
/// `unreadable`.
fn warn_of_uncompared(same: Same, records: u64, unreadable: &str) {
    let records = count_of(records, "record", "records");
    message::warning(match same {
        Same::SolutionGrid => {
            format!(
                "{records} without exactly one solution, as far as 100,000 guesses tell, or unreadable: compared with none"
            )
        }
        Same::Text | Same::Puzzle => {
            format!("{unreadable}{records} cannot be read, and are compared with none")
        }
    });
}

/// Writes the table of matches, and returns the resulting exit. Fails if the matches cannot be read back or the run is
/// interrupted.
fn write_matches(
    matches: Matches,
    mut file: OutputFile,
    session: &Session,
    options: &JobOptions,
) -> Result<Exit, PassError> {
    let name = shown_name(file.name());
    session.note_earlier([&file]);
    let encoder = &options.rest.first().unwrap_or(&options.rows).encoder;
    let out = (&*name, &mut file as &mut dyn Output);
    match matches.write(&**encoder, out, options.run.threads, session.stop()) {
        Ok(()) => match file.finish() {
            Ok(()) => return Ok(Exit::Answered),
            Err(error) => message::failure(&error),
        },
        // Outputs are independent, so the records are still written.
        Err(error @ PassError::Unwritten { .. }) => {
            message::failure(&error);
            file.keep().iter().for_each(message::hint);
        }
        Err(error) => return Err(error),
    }
    Ok(Exit::Trouble)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_number_of_bytes_with_a_suffix() {
        assert_eq!(size("1048576"), Ok(1 << 20));
        assert_eq!([size("1m"), size("1024K"), size("1G")], [Ok(1 << 20), Ok(1 << 20), Ok(1 << 30)]);
        for text in ["", "G", "1023K", "1.5G", "-1G", "1GB", "1 G", "99999999999999999999", "17179869184G"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
