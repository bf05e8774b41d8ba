//! Where everything goes that a run of a job writes.

use anyhow::{Result, bail};

use super::figures::grouped;
use super::job::JobOptions;
use super::message;
use super::report::OpenReport;
use crate::input::shown_name;
use crate::output::Form;
use crate::output::file::{OutputError, OutputFile};
use crate::output::names::{NamedFile, check_distinct};

/// Checkpoints from one that is brought to the disk, with the rows before it, to the next.
const CHECKPOINTS_PER_SYNC: u32 = 30;

/// The open outputs of a run. Each stands on its own: whatever becomes of one, the others are written.
pub struct Outputs {
    /// The rows.
    pub rows: OutputFile,
    /// The JSON summary.
    pub summary: Option<OutputFile>,
    /// The reports of the run.
    pub reports: Vec<OpenReport>,
}

impl Outputs {
    /// Opens what `options` name, no two of them one file or an input.
    ///
    /// # Errors
    ///
    /// When two of them meet, another run writes one, or one cannot be written, or not in the format of the rows.
    pub fn open(options: &JobOptions) -> Result<Self> {
        let inputs: Vec<_> = options.inputs.iter().map(|name| NamedFile::input(name)).collect();
        let path = options.output.as_deref();
        let mut named =
            vec![path.map_or(NamedFile::StandardOutput, |path| NamedFile::Path("--output", path))];
        named.extend(options.summary.iter().map(|path| NamedFile::Path("--summary", path)));
        named.extend(options.reports.iter().map(|report| NamedFile::Path("--report", &report.path)));
        check_distinct(&inputs, &named)?;
        let mut rows = match path {
            Some(path) => OutputFile::create(path)?,
            None => OutputFile::standard_output()?,
        };
        // Whoever wants a summary or a report may not want the rows.
        let has_others = options.summary.is_some() || !options.reports.is_empty();
        let goes_nowhere = path.is_none() && rows.may_be_closed();
        if goes_nowhere && options.filter {
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
        Ok(Self {
            rows,
            summary: options.summary.as_deref().map(OutputFile::create).transpose()?,
            reports: options.reports.iter().map(OpenReport::new).collect::<Result<_, _>>()?,
        })
    }

    /// Every output.
    pub fn all(&self) -> impl Iterator<Item = &OutputFile> {
        let reports = self.reports.iter().map(OpenReport::file);
        [&self.rows].into_iter().chain(&self.summary).chain(reports)
    }
}

/// Says which files of an earlier run those outputs are to replace.
pub fn note_earlier<'a>(outputs: impl IntoIterator<Item = &'a OutputFile>) {
    for (partial, bytes) in outputs.into_iter().filter_map(OutputFile::earlier) {
        message::say(format_args!(
            "note: {} has {} bytes of an earlier run, which this run replaces",
            shown_name(&partial),
            grouped(bytes)
        ));
    }
}
