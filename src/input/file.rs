//! Opens inputs by name, and checks that a file has not changed since.
//!
//! A regular file is closed once its start has been read, and reopened when its turn comes, so thousands of inputs need
//! only one descriptor. Inputs that can be read only once (standard input, a pipe) stay open.

use std::fs::{self, File, Metadata};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use super::InputError;
use super::stream::{Raw, Ready};

/// A file that was closed after its start had been read.
#[derive(Clone, Debug)]
pub(super) struct ClosedFile {
    path: PathBuf,
    /// The metadata at the time the file was opened.
    metadata: Metadata,
}

/// The device and inode of a regular file, which identify it under any name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileId(u64, u64);

impl FileId {
    /// Returns the identity of a file; `None` if the file is not regular or the system has no such numbers.
    #[cfg(unix)]
    pub(crate) fn of(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        metadata.is_file().then(|| Self(metadata.dev(), metadata.ino()))
    }

    #[cfg(not(unix))]
    pub(crate) fn of(_: &Metadata) -> Option<Self> {
        None
    }
}

/// Describes how a file has changed, if the change makes it unreadable.
fn damage(before: &Metadata, now: &Metadata) -> Option<String> {
    // An inode number is reused once it is free, but the creation time will differ.
    let identity = |it: &Metadata| (FileId::of(it), it.created().ok(), it.is_file());
    if identity(before) != identity(now) {
        Some("was replaced by another file".to_owned())
    } else if now.len() < before.len() {
        Some(format!("shrank from {} to {} bytes", before.len(), now.len()))
    } else {
        let is_rewritten = now.len() == before.len() && now.modified().ok() != before.modified().ok();
        is_rewritten.then(|| "was rewritten".to_owned())
    }
}

impl ClosedFile {
    /// Opens the file without checking it; messages call it `name`.
    pub fn open(&self, name: &str) -> Result<File, InputError> {
        File::open(&self.path).map_err(|source| InputError::Open { name: name.to_owned(), source })
    }

    /// Reopens the file if it is unchanged or has only grown. Also returns its size in bytes, and a warning if it has
    /// grown.
    pub fn reopen(&self, name: &str) -> Result<(File, u64, Option<String>), InputError> {
        let failed = |source| InputError::Open { name: name.to_owned(), source };
        // Check before opening: if a pipe has replaced the file, opening it would block.
        let now = fs::metadata(&self.path).map_err(failed)?;
        if let Some(damage) = damage(&self.metadata, &now) {
            let what = format!("{damage} after it was opened; nothing more of it was read");
            return Err(InputError::Unreadable { name: name.to_owned(), what });
        }
        let (before, now) = (self.metadata.len(), now.len());
        let grew =
            || format!("{name}: grew from {before} to {now} bytes after it was opened; all of it is read");
        Ok((self.open(name)?, now, (now > before).then(grew)))
    }
}

/// Returns an error if an input ended before reaching the size that it had when it was opened.
pub(super) fn shrunk(name: &str, expected: Option<u64>, came: u64) -> Option<InputError> {
    let expected = expected.filter(|&expected| came < expected)?;
    let what = format!(
        "shrank from {expected} to {came} bytes while it was read; the records before that were read"
    );
    Some(InputError::Unreadable { name: name.to_owned(), what })
}

/// Returns the name of a file for results and messages: its path, with bytes that are not valid UTF-8 shown as `\xff`.
#[must_use]
pub fn shown_name(path: &Path) -> String {
    let mut name = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        name += chunk.valid();
        name.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    name
}

/// An input opened by name.
pub(super) struct OpenedInput {
    pub raw: Raw,
    /// The size of the input; `None` if it has none.
    pub size: Option<u64>,
    /// The number of bytes still to be read; `None` if the input has no size.
    pub expected: Option<u64>,
    /// The file to reopen later; `None` if the input can be read only once.
    pub again: Option<Box<ClosedFile>>,
}

impl OpenedInput {
    /// Opens a file, or standard input if the path is `-`.
    pub fn new(path: &Path) -> Result<Self, InputError> {
        if path == Path::new("-") {
            return Ok(Self::standard());
        }
        let failed = |source| InputError::Open { name: shown_name(path), source };
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            let what = "is a directory (expected a file)".to_owned();
            return Err(InputError::Unreadable { name: shown_name(path), what });
        }
        Ok(Self::of(file, Some(metadata), path.to_owned()))
    }

    /// Wraps an open file.
    pub fn of(mut file: File, metadata: Option<Metadata>, path: PathBuf) -> Self {
        let Some(metadata) = metadata.filter(Metadata::is_file) else {
            let ready = ready(&file);
            return Self::once(Raw::with_pauses(file, ready));
        };
        // Another process may already have read part of standard input.
        let start = file.stream_position().unwrap_or(0);
        let (size, expected) = (Some(metadata.len()), Some(metadata.len().saturating_sub(start)));
        Self { raw: Raw::of(file), size, expected, again: Some(Box::new(ClosedFile { path, metadata })) }
    }

    /// Opens standard input, whether it is a file or not.
    fn standard() -> Self {
        let Some(file) = standard_input() else { return Self::once(Raw::of(io::stdin())) };
        let metadata = file.metadata().ok();
        Self { again: None, ..Self::of(file, metadata, PathBuf::new()) }
    }

    /// Wraps an input that has no size and can be read only once.
    pub fn once(raw: Raw) -> Self {
        Self { raw, size: None, expected: None, again: None }
    }
}

/// Returns the descriptor of standard input. `Stdin` would use its own buffer and hide the size of a file.
#[cfg(unix)]
fn standard_input() -> Option<File> {
    use std::os::fd::AsFd;
    io::stdin().as_fd().try_clone_to_owned().ok().map(File::from)
}

/// Returns `None`: standard input is read through `Stdin`.
#[cfg(not(unix))]
fn standard_input() -> Option<File> {
    None
}

/// Returns a function that waits until a pipe or terminal has something to read.
#[cfg(unix)]
fn ready(file: &File) -> Option<Ready> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    let descriptor = file.try_clone().ok()?;
    Some(Box::new(move |timeout| {
        let timeout = timeout.try_into().ok();
        let mut descriptors = [PollFd::new(&descriptor, PollFlags::IN)];
        loop {
            match poll(&mut descriptors, timeout.as_ref()) {
                Err(Errno::INTR) => {}
                // If there is an error, reading will report it.
                found => return found != Ok(0),
            }
        }
    }))
}

/// Returns `None`: every input counts as ready.
#[cfg(not(unix))]
fn ready(_: &File) -> Option<Ready> {
    None
}
