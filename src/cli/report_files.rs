//! Report files.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::input::shown_name;
use crate::output::file::{OutputError, OutputFile};
use crate::report::{Form, Report};

/// A report file, not yet open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFile {
    pub path: PathBuf,
    form: Form,
}

impl ReportFile {
    /// The report files with these names. Fails if an extension does not say what to write.
    pub fn all(paths: Vec<PathBuf>) -> Result<Vec<Self>> {
        let file = |path: PathBuf| {
            let Some(form) = Form::of_name(&path) else {
                bail!("{}: {}", shown_name(&path), Form::EXPECTED);
            };
            Ok(Self { path, form })
        };
        paths.into_iter().map(file).collect()
    }
}

/// A report file that is open and still empty.
pub struct OpenReport {
    form: Form,
    file: OutputFile,
}

impl OpenReport {
    /// Opens the file. Fails if it cannot be written.
    pub fn new(of: &ReportFile) -> Result<Self, OutputError> {
        Ok(Self { form: of.form, file: OutputFile::create(&of.path)? })
    }

    pub const fn file(&self) -> &OutputFile {
        &self.file
    }

    /// Writes the report and renames the file to its final name.
    pub fn write(self, report: &Report) -> Result<(), OutputError> {
        self.file.write_complete(report.written_as(self.form).as_bytes())
    }
}
