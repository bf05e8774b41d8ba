//! The state of an open output, and what is left of it when it ends.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::iter;
use std::mem;
use std::path::{Path, PathBuf};

use super::encode::{FileEnd, Output};
use super::partial;
use super::stream::escaped;
use crate::input::shown_name;

/// Bytes by which a run that resumes recognizes the end of an output.
pub const TAIL_BYTES: usize = 256;

/// The state of an open output.
#[derive(Debug, Default)]
pub(super) struct OpenOutput {
    /// `None` for a named pipe before the first write, since opening it waits for a reader.
    pub file: Option<File>,
    /// `None` when the output is written directly.
    pub renaming: Option<Renaming>,
    /// What an earlier run left in the partial file, until it is replaced.
    pub earlier: Option<Earlier>,
    /// Bytes of all buffers written without an error.
    pub whole: u64,
    /// The last [`TAIL_BYTES`] of them.
    pub tail: Vec<u8>,
    /// Whether it is a terminal, for which control characters are escaped.
    pub escapes: bool,
    /// How to end the file, in a format that needs an end.
    pub ending: Option<FileEnd>,
}

/// The file that is written, and the name that it gets when it is complete.
#[derive(Debug)]
pub(super) struct Renaming {
    pub partial: PathBuf,
    pub target: PathBuf,
}

/// The number of bytes of an earlier run, the length of the header of this run, and what it has written so far.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    pub bytes: u64,
    pub header: usize,
    pub held: Vec<u8>,
}

/// What is left of an output that was not finished.
#[derive(Debug, PartialEq, Eq)]
pub enum Left {
    /// This file, with every complete buffer.
    Whole(PathBuf),
    /// This file, cut off: there was no room for the end that its format needs.
    Cut(PathBuf),
    /// This file with this number of bytes of an earlier run, since this run had no row.
    Earlier(PathBuf, u64),
    /// Nothing: this file was removed or replaced by another program.
    Lost(PathBuf),
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(partial) => write!(f, "the complete rows so far are in {}", shown_name(partial)),
            Self::Cut(partial) => {
                write!(f, "{} is cut off: programs that read this format may refuse it", shown_name(partial))
            }
            Self::Earlier(partial, bytes) => {
                write!(f, "{} still has the {bytes} bytes of an earlier run", shown_name(partial))
            }
            Self::Lost(partial) => {
                write!(f, "the rows are lost: {} was removed or replaced during the run", shown_name(partial))
            }
        }
    }
}

/// Whether there was no room for what was to be written.
fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)
}

impl OpenOutput {
    /// The state of an output that is written directly.
    pub fn direct(file: Option<File>) -> Self {
        let mut open = Self::default();
        open.file = file;
        open
    }

    /// The state of an output that is written to a partial file.
    pub fn partial(file: File, renaming: Renaming, earlier: Option<Earlier>) -> Self {
        let mut open = Self::direct(Some(file));
        (open.renaming, open.earlier) = (Some(renaming), earlier);
        open
    }

    /// Leaves complete rows, or no file.
    pub fn end_at_once(&mut self) {
        if self.keep().is_none() {
            self.remove_empty();
        }
    }

    pub fn keep(&mut self) -> Option<Left> {
        let earlier = self.earlier.as_ref().map(|earlier| earlier.bytes);
        if self.whole == 0 && earlier.is_none() {
            return None;
        }
        // If the system does not say, it is taken to be there.
        let in_place = self.is_in_place().unwrap_or(true);
        let Renaming { partial, .. } = self.renaming.take()?;
        if !in_place {
            return Some(Left::Lost(partial));
        }
        if let Some(bytes) = earlier {
            return Some(Left::Earlier(partial, bytes));
        }
        Some(if self.cut_back() { Left::Whole(partial) } else { Left::Cut(partial) })
    }

    /// Removes an incomplete buffer and, if the format needs an end, as many units as make room for that. Returns
    /// whether the file is complete.
    fn cut_back(&mut self) -> bool {
        let Some(file) = &mut self.file else { return true };
        let Some(FileEnd(end_within)) = &self.ending else {
            // If even this fails, only the last row is cut off.
            let _ = file.set_len(self.whole);
            return true;
        };
        // A unit that is removed leaves more room than an end takes; if that does not help, the others stay.
        const MOST_ENDS: usize = 3;
        let ends = iter::successors(end_within(self.whole), |(at, _)| end_within(at.checked_sub(1)?));
        for (at, end) in ends.take(MOST_ENDS) {
            let cut = file.set_len(at).and_then(|()| file.seek(SeekFrom::Start(at)));
            match cut.and_then(|_| file.write_all(&end)) {
                Ok(()) => return true,
                Err(error) if is_full(&error) => {}
                Err(_) => break,
            }
        }
        false
    }

    /// Whether the open file still has the name of the partial file.
    pub fn is_in_place(&self) -> io::Result<bool> {
        let (Some(Renaming { partial, .. }), Some(file)) = (&self.renaming, &self.file) else {
            return Ok(false);
        };
        partial::is_at(file, partial)
    }

    /// Removes a partial file to which nothing was written.
    fn remove_empty(&self) {
        if self.whole == 0
            && self.earlier.is_none()
            && matches!(self.is_in_place(), Ok(true))
            && let Some(Renaming { partial, .. }) = &self.renaming
        {
            let _ = fs::remove_file(partial);
        }
    }

    /// Replaces what an earlier run left by what this run has held back.
    pub fn replace_earlier(&mut self) -> io::Result<()> {
        let (Some(file), Some(earlier)) = (&mut self.file, &mut self.earlier) else { return Ok(()) };
        file.set_len(0)?;
        let held = mem::take(&mut earlier.held);
        self.earlier = None;
        file.write_all(&held)?;
        self.whole = held.len() as u64;
        self.note_tail(&held);
        Ok(())
    }

    fn note_tail(&mut self, written: &[u8]) {
        self.tail.extend_from_slice(&written[written.len().saturating_sub(TAIL_BYTES)..]);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL_BYTES));
    }

    pub fn write_all(&mut self, name: &Path, buffer: &[u8]) -> io::Result<()> {
        if let Some(Earlier { header, held, .. }) = &mut self.earlier {
            if held.len() + buffer.len() <= *header {
                held.extend_from_slice(buffer);
                return Ok(());
            }
            self.replace_earlier()?;
        }
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
        self.note_tail(buffer);
        Ok(())
    }

    pub fn overwrite_start(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(Earlier { held, .. }) = &mut self.earlier {
            return held.overwrite_start(bytes);
        }
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

/// Opens an output that is written directly.
pub(super) fn open_direct(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
}
