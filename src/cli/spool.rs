//! Temporary copies of inputs that can be read only once but are needed twice.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::message::Context;
use crate::input::{InputError, ReadOptions, Source, shown_name};

/// The name that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// The copies, in unnamed files that disappear no matter how the program ends.
#[derive(Default)]
pub struct Spool(Vec<(PathBuf, File)>);

impl Spool {
    /// Copies standard input and every other input that is not a regular file. Fails if one cannot be read, or the
    /// temporary directory is full.
    pub fn of(names: &[PathBuf]) -> Result<Self> {
        let is_read_once = |name: &&PathBuf| {
            **name == Path::new(STANDARD_INPUT) || name.metadata().is_ok_and(|found| !found.is_file())
        };
        let copies = names.iter().filter(is_read_once).map(|name| {
            let shown = shown_name(name);
            let mut input: Box<dyn Read> = if *name == Path::new(STANDARD_INPUT) {
                Box::new(io::stdin().lock())
            } else {
                Box::new(File::open(name).with_context(|| format!("{shown}: cannot open"))?)
            };
            let copied =
                tempfile::tempfile().and_then(|mut copy| io::copy(&mut input, &mut copy).map(|_| copy));
            let copied = copied.with_context(|| {
                format!("{shown}: cannot be copied to {}", shown_name(&std::env::temp_dir()))
            });
            Ok((name.clone(), copied?))
        });
        copies.collect::<Result<_>>().map(Self)
    }

    /// Returns the copy of an input, to be read from the start, or `None` if there is no copy. Any earlier source for
    /// this input must have been read completely.
    pub fn source(&self, name: &Path, read: &ReadOptions) -> Option<Result<Source, InputError>> {
        let (_, copy) = self.0.iter().find(|(copied, _)| copied == name)?;
        let name = shown_name(name);
        let from_start = copy.try_clone().and_then(|mut file| file.rewind().map(|()| file));
        Some(match from_start {
            Ok(file) => Source::from_reader(&name, file, read),
            Err(source) => Err(InputError::Open { name, source }),
        })
    }
}
