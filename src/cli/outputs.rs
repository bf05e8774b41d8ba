//! The outputs of a run.

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::message;
use super::options::{JobOptions, RowFile};
use super::session::Session;
use crate::input::shown_name;
use crate::output::Form;
use crate::output::file::OutputFile;
use crate::output::names::NamedFile;
use crate::report;

/// The open outputs of a job. They are independent: if one fails, the others are still written.
pub struct JobOutputs {
    pub rows: OutputFile,
    /// The outputs for rows that are not written to `rows`.
    pub rest: Vec<OutputFile>,
    pub summary: Option<OutputFile>,
    pub reports: Vec<(report::Form, OutputFile)>,
}

impl JobOutputs {
    /// Opens the outputs named in `options`. Fails if [`Session::open`] does, or if an output does not suit the format
    /// of the rows.
    pub fn open(session: &Session, inputs: &[PathBuf], options: &JobOptions) -> Result<Self> {
        let JobOptions { rows, rest, reports, .. } = options;
        let summary = options.reporting.summary.as_ref();
        let path_beside = |name: &&str| Some(rows.path.as_ref()?.with_file_name(name));
        let beside: Vec<_> = rows.encoder.beside().iter().filter_map(path_beside).collect();
        let mut named = vec![named_file(rows)];
        named.extend(beside.iter().map(|path| NamedFile::Path(rows.flag, path)));
        named.extend(rest.iter().map(named_file));
        named.extend(summary.map(|path| NamedFile::Path("--summary", path)));
        named.extend(reports.iter().map(|(_, path)| NamedFile::Path("--report", path)));
        let inputs: Vec<_> = inputs.iter().map(|name| NamedFile::input(name)).collect();

        let mut files = session.open(&inputs, &named)?;
        let first = files.remove(0);
        let mut files = files.into_iter();
        let opened = Self {
            rows: first.with_beside(files.by_ref().take(beside.len()).collect()),
            rest: files.by_ref().take(rest.len()).collect(),
            summary: summary.and_then(|_| files.next()),
            reports: reports.iter().map(|(form, _)| *form).zip(files).collect(),
        };
        check_rows(&opened.rows, options)?;
        Ok(opened)
    }

    /// Returns all open outputs.
    pub fn files(&self) -> impl Iterator<Item = &OutputFile> {
        let reports = self.reports.iter().map(|(_, file)| file);
        [&self.rows].into_iter().chain(&self.rest).chain(&self.summary).chain(reports)
    }
}

/// Returns the name of an output.
fn named_file(output: &RowFile) -> NamedFile<'_> {
    output.path.as_ref().map_or(NamedFile::StandardOutput, |path| NamedFile::Path(output.flag, path))
}

/// Fails if the output for the rows does not suit their format.
fn check_rows(rows: &OutputFile, options: &JobOptions) -> Result<()> {
    // If there is a summary or a report, the rows may not be needed.
    let has_others = options.reporting.summary.is_some() || !options.reports.is_empty();
    if options.rows.path.is_none() && rows.may_be_closed() && !has_others {
        message::note("standard output is closed or /dev/null: the rows are discarded");
    }
    let form = options.rows.encoder.form();
    if form == Form::Binary && rows.is_terminal() {
        bail!("{}: is a terminal, and this format is not text\n  hint: -o FILE", shown_name(rows.name()));
    }
    if form == Form::Rewritten && rows.partial().is_none() {
        bail!(
            "{}: this format begins with the number of rows, so the output must be a regular file\n  \
             hint: -o FILE.npy",
            shown_name(rows.name())
        );
    }
    Ok(())
}

/// Outputs with their formats: files, and standard output if it is used.
pub struct FormOutputs<F> {
    pub standard: Option<OutputFile>,
    pub files: Vec<(F, OutputFile)>,
}

impl<F: Copy> FormOutputs<F> {
    /// Opens the `--output` files, and standard output if `to_standard` is set. Fails if [`Session::open`] does.
    pub fn open(
        session: &Session,
        inputs: &[NamedFile<'_>],
        files: &[(F, PathBuf)],
        to_standard: bool,
    ) -> Result<Self> {
        let named = files.iter().map(|(_, path)| NamedFile::Path("--output", path));
        let named: Vec<_> = named.chain(to_standard.then_some(NamedFile::StandardOutput)).collect();
        let mut opened = session.open(inputs, &named)?;
        session.note_earlier(&opened);
        let standard = if to_standard { opened.pop() } else { None };
        Ok(Self { standard, files: files.iter().map(|(form, _)| *form).zip(opened).collect() })
    }
}
