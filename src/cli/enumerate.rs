//! `batchdoku solve --enumerate`: every solution as a row.

use std::num::NonZeroU64;

use anyhow::Result;

use super::exit::Exit;
use super::figures;
use super::interrupt::Signals;
use super::job::{self, JobOptions};
use super::message;
use super::outputs::{Outputs, note_earlier};
use super::progress::ProgressLine;
use super::resume::ResumePoint;
use crate::input::shown_name;
use crate::output::file::OutputFile;
use crate::pipeline::{self, Ending};
use crate::solver::Backend;
use crate::survey::enumerate::{EnumerateOptions, Enumeration, enumerate, schema};

/// Lists up to `limit` solutions of each record.
///
/// # Errors
///
/// When an output cannot be opened or written, or cannot hold the rows.
pub fn run(options: &JobOptions, limit: NonZeroU64) -> Result<Exit> {
    let signals = Signals::watch()?;
    pipeline::silence_isolated_panics();
    options.encoder.fits(&schema())?;
    let open = || Outputs::open(options);
    let mut outputs = signals.protect(open, |outputs| outputs.all().map(OutputFile::handle).collect())?;
    let Some(sources) = job::open_inputs(&options.inputs, &options.read, &ResumePoint::START) else {
        return Ok(Exit::Trouble);
    };
    if !options.quiet {
        note_earlier(outputs.all());
    }
    let out = &mut outputs.rows;
    out.remove_checkpoints()?;
    let total = sources.iter().map(|source| source.info().size).sum();
    let progress = ProgressLine::new(options.bar, total);
    signals.begin(progress.status());
    let how = EnumerateOptions {
        limit,
        backend: options.backend.unwrap_or_else(Backend::best),
        threads: options.run.threads,
        strict: options.run.strict,
    };
    let found = enumerate(sources, &how, &options.encoder, out, &progress, signals.stop());
    progress.clear();
    match found {
        Ok(found) => Ok(finish(&found, outputs.rows, options)),
        Err(error) => Ok(job::fail(error, outputs.rows)),
    }
}

/// Ends the output, and says what the run amounts to.
fn finish(found: &Enumeration, out: OutputFile, options: &JobOptions) -> Exit {
    let Enumeration { ended, tally, rows, refused } = found;
    let name = shown_name(out.name());
    let complete = job::is_complete(ended);
    let (left, failure) = if complete { (None, out.finish().err()) } else { (out.keep(), None) };
    let left = left.map(|left| job::left_of(left, options, ended.unwritten.is_some()));
    let exit = match Exit::of_run(ended, tally, options.lenient) {
        _ if *refused > 0 => Exit::InternalError,
        Exit::Answered | Exit::Unanswered if failure.is_some() => Exit::Trouble,
        exit => exit,
    };
    if !options.quiet && (ended.ending != Ending::BrokenPipe || exit != Exit::Answered) {
        ended.notes.iter().for_each(message::warning);
        let statuses: Vec<_> = tally
            .statuses()
            .filter(|(_, count)| *count > 0)
            .map(|(word, count)| format!("{} {}", figures::grouped(count), word.name))
            .collect();
        message::say(format_args!(
            "{} solutions of {} records ({}) in {:.2} s",
            figures::grouped(*rows),
            figures::grouped(tally.records),
            statuses.join(", "),
            ended.wall.as_secs_f64()
        ));
    }
    if *refused > 0 {
        message::error(format_args!("internal error: solutions that failed the check: {refused}"));
    }
    if ended.ending == Ending::Interrupted {
        ended.input_errors.iter().for_each(message::error);
        message::error("interrupted: the solutions behind the last row are missing");
    } else {
        job::complain(ended, tally, options);
    }
    if let Some(error) = &ended.unwritten {
        message::error(format_args!("{name}: cannot write the solutions: {error}"));
    }
    left.iter().for_each(message::hint);
    failure.iter().for_each(message::error);
    exit
}
