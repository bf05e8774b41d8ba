//! The state of an open output, and what remains of it when it ends.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::encode::FileEnd;
use super::partial;
use super::stream::escaped;
use crate::input::shown_name;

/// The state of an open output.
pub(super) struct OpenOutput {
    /// The open file. For a named pipe, this is `None` until the first write, because opening it waits for a reader.
    pub file: Option<File>,
    /// The names of the file; `None` if the output is written directly.
    pub renaming: Option<Renaming>,
    /// The total length of all buffers that were written without errors.
    pub whole: u64,
    /// Whether the output is a terminal, so control characters need to be escaped.
    pub escapes: bool,
    /// The function used to end the file early, in a format whose files need an ending.
    pub ending: Option<FileEnd>,
    /// In such a format, the length of the file before the first unit and after each unit.
    pub unit_ends: Vec<u64>,
}

/// The file being written, and the name that it gets once it is complete.
pub(super) struct Renaming {
    pub partial: PathBuf,
    pub target: PathBuf,
    /// The number of bytes that an earlier run left in the partial file; `None` once this run has started writing.
    pub earlier: Option<u64>,
}

/// The file that remains of an unfinished output.
#[derive(Debug, PartialEq, Eq)]
pub enum Leftover {
    /// This file, with all complete buffers.
    Whole(PathBuf),
    /// This file, which is cut off because there was no room for the ending that the format needs.
    Cut(PathBuf),
}

impl fmt::Display for Leftover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(partial) => write!(f, "the complete rows so far are in {}", shown_name(partial)),
            Self::Cut(partial) => {
                write!(f, "{} is cut off: programs that read this format may refuse it", shown_name(partial))
            }
        }
    }
}

/// Returns whether the error means that the disk is full.
fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)
}

impl OpenOutput {
    /// Creates the state of an output that has not been written to yet.
    pub const fn new(file: Option<File>, renaming: Option<Renaming>) -> Self {
        Self { file, renaming, whole: 0, escapes: false, ending: None, unit_ends: Vec::new() }
    }

    /// Leaves only complete rows, or no file at all.
    pub fn end_at_once(&mut self) {
        if self.keep().is_none() {
            self.remove_empty();
        }
    }

    /// Ends an incomplete file and returns the file that is left; `None` if nothing that this run wrote is left.
    pub fn keep(&mut self) -> Option<Leftover> {
        // If the system cannot say whether the file exists, it is assumed to exist.
        if self.whole == 0 || !self.is_in_place().unwrap_or(true) {
            return None;
        }
        let Renaming { partial, .. } = self.renaming.take()?;
        Some(if self.cut_back() { Leftover::Whole(partial) } else { Leftover::Cut(partial) })
    }

    /// Removes an incomplete buffer. If the format needs an ending, also removes units to make room for it. Returns
    /// whether the file is complete.
    fn cut_back(&mut self) -> bool {
        let Some(file) = &mut self.file else { return true };
        let Some(end_after) = &self.ending else {
            // If even this fails, only the last row is incomplete.
            let _ = file.set_len(self.whole);
            return true;
        };
        // Removing one unit frees more room than an ending needs. If removing a few does not help, the remaining units
        // are kept.
        const MOST_ENDS: usize = 3;
        for (units, &at) in self.unit_ends.iter().enumerate().rev().take(MOST_ENDS) {
            let cut = file.set_len(at).and_then(|()| file.seek(SeekFrom::Start(at)));
            match cut.and_then(|_| file.write_all(&end_after(units)?)) {
                Ok(()) => return true,
                Err(error) if is_full(&error) => {}
                Err(_) => break,
            }
        }
        false
    }

    /// Returns whether the name of the partial file still refers to the open file.
    pub fn is_in_place(&self) -> io::Result<bool> {
        let (Some(Renaming { partial, .. }), Some(file)) = (&self.renaming, &self.file) else {
            return Ok(false);
        };
        partial::is_at(file, partial)
    }

    /// Removes a partial file if nothing has been written to it.
    fn remove_empty(&self) {
        if let Some(Renaming { partial, earlier: None | Some(0), .. }) = &self.renaming
            && self.whole == 0
            && matches!(self.is_in_place(), Ok(true))
        {
            let _ = fs::remove_file(partial);
        }
    }

    /// Replaces the partial file of an earlier run before this run writes anything. The rows are removed before their
    /// checkpoint, so rows are never left without a checkpoint.
    pub fn begin(&mut self) -> io::Result<()> {
        match (&self.file, &mut self.renaming) {
            (Some(file), Some(Renaming { partial, earlier: earlier @ Some(_), .. })) => {
                file.set_len(0)?;
                *earlier = None;
                partial::remove_checkpoints(partial)
            }
            _ => Ok(()),
        }
    }

    pub fn write_all(&mut self, name: &Path, buffer: &[u8]) -> io::Result<()> {
        // For a named pipe, even an empty write goes ahead, because the first write opens the pipe.
        if buffer.is_empty() && self.renaming.is_some() {
            return Ok(());
        }
        self.begin()?;
        let file = match &mut self.file {
            Some(file) => file,
            unopened => unopened.insert(open_direct(name)?),
        };
        if self.escapes {
            file.write_all(&escaped(buffer))?;
        } else {
            file.write_all(buffer)?;
        }
        self.whole += buffer.len() as u64;
        self.unit_ends.extend(self.ending.as_ref().map(|_| self.whole));
        Ok(())
    }

    pub fn overwrite_start(&mut self, bytes: &[u8]) -> io::Result<()> {
        match (&mut self.file, &self.renaming) {
            (Some(file), Some(_)) if self.whole >= bytes.len() as u64 => {
                file.seek(SeekFrom::Start(0))?;
                file.write_all(bytes)?;
                file.seek(SeekFrom::Start(self.whole)).map(|_| ())
            }
            _ => Err(io::ErrorKind::NotSeekable.into()),
        }
    }
}

impl Drop for OpenOutput {
    fn drop(&mut self) {
        self.remove_empty();
    }
}

/// Opens an output that is written directly. The only regular files opened here are those given by number, such as
/// `/dev/fd/3`. They are opened for appending, so their contents are kept.
pub(super) fn open_direct(path: &Path) -> io::Result<File> {
    let is_regular = fs::metadata(path).is_ok_and(|found| found.is_file());
    OpenOptions::new().write(true).append(is_regular).open(path)
}
