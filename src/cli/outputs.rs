//! Where everything goes that a run of a job writes.

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::message;
use super::options::JobOptions;
use super::report_files::OpenReport;
use super::session::{Outputs, Session};
use crate::input::shown_name;
use crate::output::Form;
use crate::output::file::{OutputError, OutputFile};
use crate::output::names::NamedFile;

/// Checkpoints from one that is brought to the disk, with the rows before it, to the next.
const CHECKPOINTS_PER_SYNC: u32 = 30;

/// The open outputs of a job. Each stands on its own: whatever becomes of one, the others are written.
pub struct JobOutputs {
    /// The rows.
    pub rows: OutputFile,
    /// The rows that are not written there.
    pub rest: Option<OutputFile>,
    /// The JSON summary.
    pub summary: Option<OutputFile>,
    /// The reports of the run.
    pub reports: Vec<OpenReport>,
}

impl JobOutputs {
    /// Opens what `options` name, no two of them one file or an input.
    ///
    /// # Errors
    ///
    /// When two of them meet, another run writes one, or one cannot be written, or not in the format of the rows.
    pub fn open(session: &Session, inputs: &[PathBuf], options: &JobOptions) -> Result<Self> {
        let path = options.output.as_deref();
        let mut named =
            vec![path.map_or(NamedFile::StandardOutput, |path| NamedFile::Path("--output", path))];
        named.extend(options.rest.iter().map(|rest| NamedFile::Path("--rest", &rest.path)));
        named.extend(options.summary.iter().map(|path| NamedFile::Path("--summary", path)));
        named.extend(options.reports.iter().map(|report| NamedFile::Path("--report", &report.path)));
        let inputs: Vec<_> = inputs.iter().map(|name| NamedFile::input(name)).collect();
        session.open(&inputs, &named, || {
            Ok(Self {
                rows: rows(options)?,
                rest: options.rest.as_ref().map(|rest| OutputFile::create(&rest.path)).transpose()?,
                summary: options.summary.as_deref().map(OutputFile::create).transpose()?,
                reports: options.reports.iter().map(OpenReport::new).collect::<Result<_, _>>()?,
            })
        })
    }
}

impl Outputs for JobOutputs {
    fn files(&self) -> Vec<&OutputFile> {
        let reports = self.reports.iter().map(OpenReport::file);
        [&self.rows].into_iter().chain(&self.rest).chain(&self.summary).chain(reports).collect()
    }
}

/// Opens the output of the rows, which must be a place for their format.
fn rows(options: &JobOptions) -> Result<OutputFile> {
    let path = options.output.as_deref();
    let mut rows = path.map_or_else(OutputFile::standard_output, OutputFile::create)?;
    // Whoever wants a summary or a report may not want the rows.
    let has_others = options.summary.is_some() || !options.reports.is_empty();
    let goes_nowhere = path.is_none() && rows.may_be_closed();
    if goes_nowhere && options.answers_lines() {
        // Code 0 says that each line has its answer.
        return Err(OutputError::Closed.into());
    }
    if goes_nowhere && !has_others && !options.quiet {
        message::say("note: standard output is closed or /dev/null: the rows go nowhere");
    }
    let form = options.encoder.form();
    if form == Form::Binary && rows.is_terminal() {
        bail!(
            "{}: is a terminal, and rows in this format are no text\n  hint: -o FILE",
            shown_name(rows.name())
        );
    }
    if form == Form::Rewritten && rows.partial().is_none() {
        bail!(
            "{}: the number of rows stands at the start of this format, so that it takes a file and no stream\n  \
             hint: -o FILE.npy",
            shown_name(rows.name())
        );
    }
    if let Some(interval) = options.checkpoint_every {
        rows.set_sync_interval(CHECKPOINTS_PER_SYNC * interval);
    }
    Ok(rows)
}
