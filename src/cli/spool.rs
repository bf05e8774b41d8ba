//! Everything needed to read inputs twice: temporary copies of those that can be read only once, and a check that the
//! others have not changed.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::message::Context;
use super::resume::InputIdentity;
use crate::input::{InputError, ReadOptions, Source, shown_name};

/// The name that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// Inputs that are read twice.
#[derive(Default)]
pub struct Spool {
    /// The copies, in unnamed files that disappear no matter how the program ends.
    copies: Vec<(PathBuf, File)>,
    /// The regular files as they were before they were first read.
    files: Vec<(PathBuf, InputIdentity)>,
}

impl Spool {
    /// Copies standard input and every other input that is not a regular file. Fails if one cannot be read, or the
    /// temporary directory is full.
    pub fn of(names: &[PathBuf]) -> Result<Self> {
        let mut spool = Self::default();
        for name in names {
            let is_standard_input = name == Path::new(STANDARD_INPUT);
            if is_standard_input || name.metadata().is_ok_and(|found| !found.is_file()) {
                let shown = shown_name(name);
                let mut input: Box<dyn Read> = if is_standard_input {
                    Box::new(io::stdin().lock())
                } else {
                    Box::new(File::open(name).with_context(|| format!("{shown}: cannot open"))?)
                };
                let copied =
                    tempfile::tempfile().and_then(|mut copy| io::copy(&mut input, &mut copy).map(|_| copy));
                let copied = copied.with_context(|| {
                    format!("{shown}: cannot be copied to {}", shown_name(&std::env::temp_dir()))
                });
                spool.copies.push((name.clone(), copied?));
            } else if let Ok(identity) = InputIdentity::of(name) {
                // An error is reported when the file is opened.
                spool.files.push((name.clone(), identity));
            }
        }
        Ok(spool)
    }

    /// Returns an error for each file that has changed since the start.
    pub fn changes(&self) -> Vec<InputError> {
        let changed = self.files.iter().filter(|(path, before)| before.has_changed(path));
        let error = |path| InputError::Unreadable {
            name: shown_name(path),
            what: "changed while it was read".to_owned(),
        };
        changed.map(|(path, _)| error(path)).collect()
    }

    /// Returns the copy of an input, to be read from the start, or `None` if there is no copy. Any earlier source for
    /// this input must have been read completely.
    pub fn source(&self, name: &Path, read: &ReadOptions) -> Option<Result<Source, InputError>> {
        let (_, copy) = self.copies.iter().find(|(copied, _)| copied == name)?;
        let name = shown_name(name);
        let from_start = copy.try_clone().and_then(|mut file| file.rewind().map(|()| file));
        Some(match from_start {
            Ok(file) => Source::from_reader(&name, file, read),
            Err(source) => Err(InputError::Open { name, source }),
        })
    }
}
