//! Outputs whose extension says what is written to them.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::session::{Outputs, Session};
use crate::input::shown_name;
use crate::output::file::{OutputError, OutputFile};
use crate::output::names::NamedFile;

/// Pairs files with the forms that their extensions name. Fails with the text of `refusal` if one names none.
pub fn with_forms<F>(
    paths: Vec<PathBuf>,
    form: impl Fn(&Path) -> Option<F>,
    refusal: impl Fn(&str) -> String,
) -> Result<Vec<(F, PathBuf)>> {
    let with_form = |path: PathBuf| match form(&path) {
        Some(form) => Ok((form, path)),
        None => bail!(refusal(&shown_name(&path))),
    };
    paths.into_iter().map(with_form).collect()
}

/// Opens files in these forms. Fails if one cannot be written.
pub fn create_all<F: Copy>(files: &[(F, PathBuf)]) -> Result<Vec<(F, OutputFile)>, OutputError> {
    files.iter().map(|(form, path)| Ok((*form, OutputFile::create(path)?))).collect()
}

/// The outputs in their forms: files, and standard output if it is written.
pub struct FormOutputs<F> {
    pub standard: Option<OutputFile>,
    pub files: Vec<(F, OutputFile)>,
}

impl<F: Copy> FormOutputs<F> {
    /// Opens the files of `--output`, and standard output if `to_standard`. Fails as [`Session::open`] does.
    pub fn open(
        session: &Session,
        inputs: &[NamedFile<'_>],
        files: &[(F, PathBuf)],
        to_standard: bool,
    ) -> Result<Self> {
        let mut named: Vec<_> = files.iter().map(|(_, path)| NamedFile::Path("--output", path)).collect();
        named.extend(to_standard.then_some(NamedFile::StandardOutput));
        let outputs = session.open(inputs, &named, || {
            let standard = to_standard.then(OutputFile::standard_output).transpose()?;
            Ok(Self { standard, files: create_all(files)? })
        })?;
        session.note_earlier(&outputs);
        Ok(outputs)
    }
}

impl<F> Outputs for FormOutputs<F> {
    fn files(&self) -> Vec<&OutputFile> {
        self.files.iter().map(|(_, file)| file).chain(&self.standard).collect()
    }
}
