//! `batchdoku solve --enumerate`: every solution as a row.

use std::num::NonZeroU64;
use std::time::SystemTime;

use anyhow::Result;

use super::exit::Exit;
use super::interrupt::Signals;
use super::job::{self, JobOptions};
use super::message;
use super::outputs::{Outputs, note_earlier};
use super::progress::ProgressLine;
use super::resume::Checkpoints;
use super::summary::count_of;
use crate::output;
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
    let started = SystemTime::now();
    let signals = Signals::watch()?;
    pipeline::silence_isolated_panics();
    options.encoder.fits(&schema())?;
    let open = || Outputs::open(options);
    let mut outputs = signals.protect(open, |outputs| outputs.all().map(OutputFile::handle).collect())?;
    let Some(opened) = job::open_inputs(options)? else { return Ok(Exit::Trouble) };
    let sources: Vec<_> = opened.into_iter().map(|(_, source)| source).collect();
    if !options.quiet {
        note_earlier(outputs.all());
    }
    outputs.rows.set_header(output::empty(&*options.encoder, &schema())?.len());
    let mut checkpoints = Checkpoints::of_earlier_run(&outputs.rows)?;
    let total = sources.iter().map(|source| source.info().size).sum();
    let progress = ProgressLine::new(options.bar, total);
    signals.begin(progress.status());
    let how = EnumerateOptions {
        limit,
        backend: options.backend.unwrap_or_else(Backend::best),
        threads: options.run.threads,
        strict: options.run.strict,
    };
    let partial = outputs.rows.partial();
    let mut out = checkpoints.sink(&mut outputs.rows);
    let found = enumerate(sources, &how, &options.encoder, &mut out, &progress, signals.stop());
    progress.clear();
    let Enumeration { ended, tally, rows, refused } = match found {
        Ok(found) => found,
        Err(error) => return Ok(job::fail(error, outputs.rows)),
    };
    if !options.quiet && ended.ending != Ending::BrokenPipe {
        message::say(count_of(rows, "solution", "solutions"));
    }
    let exit = job::finish(outputs, &ended, (tally, None), &[], options, started);
    if partial.is_some_and(|partial| !partial.exists()) {
        checkpoints.end();
    }
    if refused == 0 {
        return Ok(exit);
    }
    message::error(format_args!("internal error: solutions that failed the check: {refused}"));
    message::hint(job::REPORT_DEFECT);
    Ok(Exit::InternalError)
}
