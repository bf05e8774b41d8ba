//! The outputs of a run.

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::message;
use super::options::{JobOptions, RowFile};
use super::session::Session;
use crate::input::shown_name;
use crate::output::Form;
use crate::output::file::{OutputError, OutputFile};
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
    /// Opens the outputs named in `options`. Fails if an output is the same file as an input or another output, or if
    /// another run is writing it. Also fails if an output cannot be written or does not suit the format of the rows.
    pub fn open(session: &Session, inputs: &[PathBuf], options: &JobOptions) -> Result<Self> {
        let RowFile { flag, path, encoder, .. } = &options.rows;
        let beside = encoder.beside().iter().filter_map(|name| Some(path.as_ref()?.with_file_name(name)));
        let beside: Vec<_> = beside.collect();
        let mut named: Vec<_> = options.outputs().map(named_file).collect();
        named.extend(beside.iter().map(|path| NamedFile::Path(flag, path)));
        named.extend(options.reporting.summary.iter().map(|path| NamedFile::Path("--summary", path)));
        named.extend(options.reports.iter().map(|(_, path)| NamedFile::Path("--report", path)));
        let inputs: Vec<_> = inputs.iter().map(|name| NamedFile::input(name)).collect();
        let open = || {
            Ok(Self {
                rows: rows(options)?,
                rest: options.rest.iter().map(create).collect::<Result<_, _>>()?,
                summary: options.reporting.summary.as_deref().map(OutputFile::create).transpose()?,
                reports: create_all(&options.reports)?,
            })
        };
        session.open(&inputs, &named, open, Self::files)
    }

    /// Returns all open outputs.
    pub fn files(&self) -> Vec<&OutputFile> {
        let reports = self.reports.iter().map(|(_, file)| file);
        [&self.rows].into_iter().chain(&self.rest).chain(&self.summary).chain(reports).collect()
    }
}

/// Returns the name of an output.
fn named_file(output: &RowFile) -> NamedFile<'_> {
    output.path.as_ref().map_or(NamedFile::StandardOutput, |path| NamedFile::Path(output.flag, path))
}

/// Opens an output. Fails if it cannot be written.
fn create(output: &RowFile) -> Result<OutputFile, OutputError> {
    output.path.as_deref().map_or_else(OutputFile::standard_output, OutputFile::create)
}

/// Opens the output for the rows. Fails if it does not suit their format.
fn rows(options: &JobOptions) -> Result<OutputFile> {
    let rows = create(&options.rows)?.with_beside(options.rows.encoder.beside())?;
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
    Ok(rows)
}

/// Opens files to be written in these formats. Fails if one cannot be written.
fn create_all<F: Copy>(files: &[(F, PathBuf)]) -> Result<Vec<(F, OutputFile)>, OutputError> {
    files.iter().map(|(form, path)| Ok((*form, OutputFile::create(path)?))).collect()
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
        let mut named: Vec<_> = files.iter().map(|(_, path)| NamedFile::Path("--output", path)).collect();
        named.extend(to_standard.then_some(NamedFile::StandardOutput));
        let open = || {
            let standard = to_standard.then(OutputFile::standard_output).transpose()?;
            Ok(Self { standard, files: create_all(files)? })
        };
        let outputs = session.open(inputs, &named, open, Self::files)?;
        session.note_earlier(outputs.files());
        Ok(outputs)
    }

    fn files(&self) -> Vec<&OutputFile> {
        self.files.iter().map(|(_, file)| file).chain(&self.standard).collect()
    }
}
