//! The files that reports go to, of a run or of results.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::input::shown_name;
use crate::output::file::{OutputError, OutputFile};
use crate::report::{Form, Report};

/// A file that a report goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFile {
    /// Its name.
    pub path: PathBuf,
    form: Form,
}

impl ReportFile {
    /// The files of those names, whose endings say what goes into them.
    ///
    /// # Errors
    ///
    /// When an ending says nothing.
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
    /// Opens the file.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn new(of: &ReportFile) -> Result<Self, OutputError> {
        Ok(Self { form: of.form, file: OutputFile::create(&of.path)? })
    }

    /// The file.
    pub const fn file(&self) -> &OutputFile {
        &self.file
    }

    /// Writes the report and gives the file its name.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub fn write(self, report: &Report) -> Result<(), OutputError> {
        self.file.write_complete(report.written_as(self.form).as_bytes())
    }
}
