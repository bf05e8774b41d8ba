//! Opens a partial file in such a way that no other run writes to it, and that no other file is written in its place.
//!
//! The lock is on the file itself, and the system releases it when the process ends for any reason. Before the lock is
//! taken, the previous owner can rename or remove the file. So if the locked file no longer has that name, the name is
//! opened again.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::error::OutputError;
use crate::input::{FileId, shown_name};

/// The suffix that turns an output's name into the name of its partial file.
const SUFFIX: &str = ".partial";

/// The suffixes that turn a partial file's name into those of its checkpoint and of the checkpoint's replacement.
const CHECKPOINT_SUFFIXES: [&str; 2] = [".checkpoint", ".checkpoint.new"];

/// The maximum number of attempts to open and lock a partial file.
const MOST_ATTEMPTS: usize = 100;

/// Returns the name of an output's partial file.
pub fn name(target: &Path) -> PathBuf {
    with_suffix(target, SUFFIX)
}

/// Returns the names of a partial file's checkpoint and of the new file that will replace the checkpoint.
pub fn checkpoint_names(partial: &Path) -> [PathBuf; 2] {
    CHECKPOINT_SUFFIXES.map(|suffix| with_suffix(partial, suffix))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Returns whether this name is that of a partial file or a checkpoint.
#[must_use]
pub fn is_unfinished(path: &Path) -> bool {
    let name = path.as_os_str().as_encoded_bytes();
    let of_partial = |name: &[u8]| name.ends_with(SUFFIX.as_bytes());
    of_partial(name)
        || CHECKPOINT_SUFFIXES
            .iter()
            .any(|suffix| name.strip_suffix(suffix.as_bytes()).is_some_and(of_partial))
}

/// The first bytes of a checkpoint.
const CHECKPOINT_BEGINNING: &[u8] = b"{\"settings\":";

/// Returns whether a file is a checkpoint, even a truncated one; `None` if there is no file with this name. Only
/// regular files are opened.
pub fn is_checkpoint(name: &Path) -> io::Result<Option<bool>> {
    let Ok(found) = fs::symlink_metadata(name) else { return Ok(None) };
    if !found.is_file() {
        return Ok(Some(false));
    }
    let mut start = Vec::new();
    File::open(name)?.take(CHECKPOINT_BEGINNING.len() as u64).read_to_end(&mut start)?;
    Ok(Some(CHECKPOINT_BEGINNING.starts_with(&start)))
}

/// Removes the checkpoints of a partial file that has been replaced or renamed. Other files with such names are left
/// alone. Fails if a checkpoint cannot be removed, because it could be mistaken for that of the new file.
pub fn remove_checkpoints(partial: &Path) -> io::Result<()> {
    checkpoint_names(partial).iter().try_for_each(|name| {
        let removed = is_checkpoint(name)
            .and_then(|is_one| if is_one == Some(true) { fs::remove_file(name) } else { Ok(()) });
        removed.map_err(|error| named(name, error))
    })
}

/// Adds the file name to an error.
pub fn named(file: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", shown_name(file)))
}

/// Flushes a file's directory entry to disk, if the system can open directories.
pub fn sync_directory(file: &Path) {
    let directory = file.parent().filter(|directory| !directory.as_os_str().is_empty());
    let _ = File::open(directory.unwrap_or(Path::new("."))).and_then(|directory| directory.sync_all());
}

/// Opens the partial file of the output `path` without changing its contents, and holds a lock for as long as it is
/// open.
///
/// Fails if another run has locked the file, if it is not a regular file with a single name, or if the system refuses.
pub fn open(path: &Path, partial: &Path) -> Result<File, OutputError> {
    let unwritable = |source| OutputError::Unwritable(partial.to_owned(), source);
    for _ in 0..MOST_ATTEMPTS {
        let created = OpenOptions::new().write(true).create_new(true).open(partial);
        let is_new = created.is_ok();
        let opened = match created {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let found = fs::symlink_metadata(partial);
                found.as_ref().map_or(Ok(()), |found| refuse_in_the_way(path, partial, found))?;
                match found.and_then(|_| open_unfollowed(partial)) {
                    Err(error) if error.kind() == ErrorKind::NotFound => continue,
                    opened => opened,
                }
            }
            created => created,
        };
        let file = opened.map_err(unwritable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(OutputError::InUse(path.to_owned())),
            // If there are no locks, only the run that created the file can write to it.
            Err(TryLockError::Error(_)) if is_new => {}
            Err(TryLockError::Error(_)) => {
                return Err(OutputError::NoLocks(path.to_owned(), partial.to_owned()));
            }
        }
        if is_at(&file, partial).map_err(unwritable)? {
            return Ok(file);
        }
    }
    Err(OutputError::InUse(path.to_owned()))
}

/// Returns whether a run is writing this file as its partial file. Fails if the file cannot be opened for writing.
pub fn is_in_use(path: &Path) -> io::Result<bool> {
    let file = open_unfollowed(path)?;
    // If the file has any other name, the lock could belong to another program, perhaps even to the one that started
    // this command.
    let may_be = path.as_os_str().as_encoded_bytes().ends_with(SUFFIX.as_bytes());
    Ok(may_be && matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Returns whether the name still refers to the open file.
pub fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let Some(open) = FileId::of(&file.metadata()?) else { return Ok(cfg!(not(unix))) };
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(FileId::of(&found) == Some(open)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
        Err(error) => Err(error),
    }
}

fn refuse_in_the_way(path: &Path, partial: &Path, found: &Metadata) -> Result<(), OutputError> {
    let what = if found.is_symlink() {
        "a symbolic link"
    } else if found.is_dir() {
        "a directory"
    } else if !found.is_file() {
        "a device or a pipe"
    } else if has_other_names(found) {
        "a file with several names"
    } else {
        return Ok(());
    };
    Err(OutputError::InTheWay(path.to_owned(), partial.to_owned(), what))
}

/// Returns whether the file has a second name, under which its contents would change as well.
#[cfg(unix)]
fn has_other_names(found: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(found) > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &Metadata) -> bool {
    false
}

/// Opens an existing file for writing. If the file has just been replaced by a link or a pipe, the link is not
/// followed and the pipe is not waited for.
fn open_unfollowed(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;

        use rustix::fs::OFlags;
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    }
    options.open(path)
}
