//! An output file that never appears half-written.
//!
//! Everything is written to `FILE.partial` in the same directory; this file is renamed once it is complete. If a run
//! ends early, the partial file remains and holds complete rows. Outputs that are not regular files, such as
//! `/dev/null` or a named pipe, are written directly. Before any work starts, [`OutputFile::create`] rejects an
//! unsuitable output without changing a single byte.
//!
//! A partial file belongs to one run, which holds a lock on it; the lock ends with the process. Some file systems,
//! including many network mounts, have no locks. There, a run only writes to a partial file that it created itself,
//! because an existing one could belong to another run.
//!
//! The partial file and checkpoint of an earlier run remain until this run writes its first bytes. If the partial
//! file's name is already taken by a link, a pipe or the like, the output is rejected. Links are not followed, and
//! pipes are not waited for.
//!
//! An output can be a set of files. Such an output is named after its first file, without which it is incomplete.
//! Before an older set is replaced, its first file is removed, and the new first file is renamed last.

use std::fs::{self, File};
use std::io::{self, ErrorKind, IsTerminal, Seek, SeekFrom, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::encode::{FileEnd, Output};
pub use super::error::OutputError;
use super::names::{Target, resolve};
pub use super::open::Leftover;
use super::open::{OpenOutput, Renaming, open_direct};
use super::partial;
use super::stream::{Stream, is_writable, may_be_closed};

/// A file that took at least this long to write is flushed to disk before it is renamed.
const LONG: Duration = Duration::from_secs(30);

/// An output that is being written, until [`OutputFile::finish`] or [`OutputFile::keep`] is called.
///
/// Every [`Write::write`] call writes its whole buffer, and [`OutputFile::keep`] removes a buffer that did not fit. So
/// if every buffer holds complete rows, only complete rows remain.
pub struct OutputFile {
    /// The output as the user named it.
    name: PathBuf,
    /// The state of the output. It is locked during each write because an [`OutputHandle`] can end the output.
    open: Arc<Mutex<OpenOutput>>,
    opened: Instant,
    /// The other files in the set.
    beside: Vec<Self>,
}

/// A handle that ends an output from another thread, just before the program exits.
#[derive(Clone, Debug)]
pub struct OutputHandle(Weak<Mutex<OpenOutput>>);

impl OutputFile {
    /// Opens `path` for writing. If it is a symbolic link, the file that it points to is replaced.
    /// [`check_distinct`](super::names::check_distinct) must have accepted the path.
    ///
    /// Fails if the path is a directory, if its directory does not exist, or if another run is writing it. Also fails
    /// if a file that is not regular has the partial file's name, or if the system refuses access.
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        let unwritable = |source| OutputError::Unwritable(path.to_owned(), source);
        let file = match resolve(path)? {
            Target::Stream(Stream::Output) => return Self::standard_output(),
            Target::Stream(stream) => Some(stream.file()),
            Target::Direct(_) if is_pipe(path) => None,
            Target::Direct(_) => Some(open_direct(path)),
            // Messages use the file name as given, but if it is a link, they show the file that it points to.
            Target::File(target) if path.is_symlink() => return Self::create_partial(path, target),
            Target::File(_) => return Self::create_partial(path, path.to_owned()),
        };
        Ok(Self::of(path, file.transpose().map_err(unwritable)?, None))
    }

    /// Opens the partial file of `target`, which is the file that `path` leads to.
    fn create_partial(path: &Path, target: PathBuf) -> Result<Self, OutputError> {
        let unwritable = |source| OutputError::Unwritable(path.to_owned(), source);
        // This check is needed because renaming would replace even a read-only file.
        match partial::is_in_use(&target) {
            Ok(true) => return Err(OutputError::InUse(path.to_owned())),
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(unwritable(error)),
            Ok(false) | Err(_) => {}
        }
        let partial = partial::name(&target);
        let file = partial::open(path, &partial)?;
        // The new file takes on the permissions of the file that it replaces.
        if let Ok(replaced) = fs::metadata(&target) {
            let _ = file.set_permissions(replaced.permissions());
        }
        let earlier = Some(file.metadata().map_err(unwritable)?.len());
        Ok(Self::of(path, Some(file), Some(Renaming { partial, target, earlier })))
    }

    /// Opens standard output without the standard library's buffer. Fails if the stream is not open for writing.
    pub fn standard_output() -> Result<Self, OutputError> {
        match Stream::Output.file() {
            Ok(file) if is_writable(&file) => {
                let escapes = file.is_terminal();
                let output = Self::of(Path::new("standard output"), Some(file), None);
                output.open().escapes = escapes;
                Ok(output)
            }
            _ => Err(OutputError::Closed),
        }
    }

    /// Returns whether standard output may have been closed, which would mean that rows are lost (see
    /// `stream::may_be_closed`).
    #[must_use]
    pub fn may_be_closed(&self) -> bool {
        self.open().file.as_ref().is_some_and(may_be_closed)
    }

    fn of(path: &Path, file: Option<File>, renaming: Option<Renaming>) -> Self {
        let open = Arc::new(Mutex::new(OpenOutput::new(file, renaming)));
        Self { name: path.to_owned(), open, opened: Instant::now(), beside: Vec::new() }
    }

    /// Adds the other files in the set.
    #[must_use]
    pub fn with_beside(self, beside: Vec<Self>) -> Self {
        Self { beside, ..self }
    }

    fn open(&self) -> MutexGuard<'_, OpenOutput> {
        // Even a panic in the middle of a change leaves a consistent state.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a handle that can end the output, but not the other files in the set, from another thread.
    #[must_use]
    pub fn handle(&self) -> OutputHandle {
        OutputHandle(Arc::downgrade(&self.open))
    }

    /// Returns the output as the user named it.
    #[must_use]
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Returns an earlier run's partial file and its size in bytes, if this run is going to replace it.
    #[must_use]
    pub fn earlier(&self) -> Option<(PathBuf, u64)> {
        let open = self.open();
        let Renaming { partial, earlier, .. } = open.renaming.as_ref()?;
        earlier.filter(|&bytes| bytes > 0).map(|bytes| (partial.clone(), bytes))
    }

    /// Returns whether the output is a terminal.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        self.open().escapes
    }

    /// Returns the partial file; `None` if the output is written directly.
    #[must_use]
    pub fn partial(&self) -> Option<PathBuf> {
        self.open().renaming.as_ref().map(|renaming| renaming.partial.clone())
    }

    /// Returns the number of bytes written so far.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.open().whole
    }

    /// Flushes to disk without holding the lock, so an [`OutputHandle`] does not have to wait.
    pub fn sync(&self) -> io::Result<()> {
        let file = self.open().file.as_ref().map(File::try_clone).transpose()?;
        file.map_or(Ok(()), |file| file.sync_data())
    }

    /// Keeps the first `bytes` bytes that an earlier run left, and continues after them.
    pub fn continue_at(&mut self, bytes: u64) -> io::Result<()> {
        let mut open = self.open();
        if let OpenOutput { file: Some(file), renaming: Some(renaming), whole, .. } = &mut *open {
            file.set_len(bytes)?;
            file.seek(SeekFrom::Start(bytes))?;
            (renaming.earlier, *whole) = (None, bytes);
        }
        Ok(())
    }

    /// Removes the partial file and checkpoint of an earlier run, just as the first write would.
    pub fn begin(&self) -> io::Result<()> {
        self.open().begin()
    }

    /// Writes and finishes the whole file. If the bytes do not fit on the disk, no file is left.
    pub fn write_complete(mut self, bytes: &[u8]) -> Result<(), OutputError> {
        match self.write_all(bytes) {
            Ok(()) => self.finish(),
            Err(source) => Err(OutputError::Unwritable(self.name.clone(), source)),
        }
    }

    /// Renames the complete file. If writing it took 30 seconds or more, it is flushed to disk first; a power loss
    /// then cannot leave an incomplete file under that name.
    ///
    /// Fails if the file cannot be flushed or renamed; in that case, the partial file remains and the error names it.
    /// Also fails if the partial file is gone.
    pub fn finish(mut self) -> Result<(), OutputError> {
        let beside = mem::take(&mut self.beside);
        let path = self.name.clone();
        let is_long = self.opened.elapsed() >= LONG && self.partial().is_some();
        let flushed = self.begin().and_then(|()| if is_long { self.sync() } else { Ok(()) });
        flushed.map_err(|source| OutputError::Unwritable(path.clone(), source))?;
        let mut open = self.open();
        let in_place = open.is_in_place();
        let Some(Renaming { partial, target, .. }) = open.renaming.take() else { return Ok(()) };
        match in_place {
            Ok(true) => {}
            Ok(false) => return Err(OutputError::Lost(path, partial)),
            Err(source) => return Err(OutputError::Unnamed(path, partial, source)),
        }
        let renamed = match partial::is_in_use(&target) {
            Ok(true) => Err(io::Error::other("another run is writing that file")),
            // Any other error will show up when the file is renamed.
            Ok(false) | Err(_) => {
                if !beside.is_empty() {
                    Self::finish_beside(beside, &target)?;
                }
                fs::rename(&partial, &target)
            }
        };
        renamed.map_err(|source| OutputError::Unnamed(path, partial, source))?;
        if is_long {
            partial::sync_directory(&target);
        }
        Ok(())
    }

    /// Renames the other files in the set whose first file will become `target`.
    fn finish_beside(beside: Vec<Self>, target: &Path) -> Result<(), OutputError> {
        match fs::remove_file(target) {
            Err(source) if source.kind() != ErrorKind::NotFound => {
                Err(OutputError::Unwritable(target.to_owned(), source))
            }
            _ => beside.into_iter().try_for_each(Self::finish),
        }
    }

    /// Ends an incomplete output along with the other files in the set, and returns the file that is left. Returns
    /// `None` if nothing that this run wrote is left, or if the output is written directly.
    #[must_use]
    pub fn keep(mut self) -> Option<Leftover> {
        for file in mem::take(&mut self.beside) {
            let _ = file.keep();
        }
        self.open().keep()
    }
}

impl OutputHandle {
    /// Ends the output like [`OutputFile::keep`] once the current write is done. After that, nothing more can be
    /// written. Returns whether the output ended within `patience`.
    #[must_use]
    pub fn give_up(&self, patience: Duration) -> bool {
        /// The time between attempts to take the lock.
        const LOOK: Duration = Duration::from_millis(1);
        let Some(open) = self.0.upgrade() else { return true };
        let until = Instant::now() + patience;
        loop {
            if let Some(mut guard) = unlocked(&open) {
                guard.end_at_once();
                mem::forget(guard);
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
            thread::sleep(LOOK);
        }
    }

    /// Returns whether a write is in progress.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.0.upgrade().is_some_and(|open| unlocked(&open).is_none())
    }
}

/// Locks the output, unless a write is in progress.
fn unlocked(open: &Mutex<OpenOutput>) -> Option<MutexGuard<'_, OpenOutput>> {
    match open.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

impl Output for OutputFile {
    fn overwrite_start(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.open().overwrite_start(bytes)
    }

    fn set_file_end(&mut self, ending: Option<FileEnd>) {
        self.open().ending = ending;
    }

    fn beside(&mut self, n: usize) -> Option<&mut dyn Output> {
        self.beside.get_mut(n).map(|file| file as &mut dyn Output)
    }
}

impl Write for OutputFile {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.write_all(buffer)?;
        Ok(buffer.len())
    }

    fn write_all(&mut self, buffer: &[u8]) -> io::Result<()> {
        self.open().write_all(&self.name, buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns whether the path is a named pipe. Opening one would wait for a reader.
#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn names(directory: &TempDir) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// PROMISE: whole-files
    #[test]
    fn the_name_belongs_to_a_complete_file() {
        let directory = TempDir::new().unwrap();
        let (path, partial) = (directory.path().join("out.csv"), directory.path().join("out.csv.partial"));
        for old in [None, Some("old")] {
            let written = || {
                let mut output = OutputFile::create(&path).unwrap();
                output.write_all(b"new").unwrap();
                assert_eq!(fs::read_to_string(&path).ok().as_deref(), old);
                output
            };
            assert_eq!(written().keep(), Some(Leftover::Whole(partial.clone())));
            assert_eq!((fs::read(&partial).unwrap(), path.exists()), (b"new".to_vec(), old.is_some()));
            written().finish().unwrap();
            assert_eq!((fs::read(&path).unwrap(), names(&directory).len()), (b"new".to_vec(), 1));
            fs::write(&path, "old").unwrap();
        }
    }

    #[test]
    fn a_set_without_all_of_its_files_has_no_first_file() {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("first");
        let create = || {
            let beside =
                ["second", "third"].map(|name| OutputFile::create(&path.with_file_name(name)).unwrap());
            let mut output = OutputFile::create(&path).unwrap().with_beside(beside.into());
            output.beside(1).unwrap().write_all(b"3").unwrap();
            assert!(output.beside(2).is_none());
            output
        };
        create().finish().unwrap();
        assert_eq!(names(&directory), ["first", "second", "third"]);
        let mut incomplete = create();
        incomplete.write_all(b"1").unwrap();
        assert!(matches!(incomplete.keep(), Some(Leftover::Whole(_))));
        assert_eq!(names(&directory), ["first", "first.partial", "second", "third", "third.partial"]);
        let output = create();
        fs::remove_file(directory.path().join("third.partial")).unwrap();
        assert!(matches!(output.finish(), Err(OutputError::Lost(..))));
        assert_eq!(names(&directory), ["first.partial", "second", "third"]);
    }

    #[test]
    fn an_incomplete_file_is_cut_back_and_gets_its_end() {
        let directory = TempDir::new().unwrap();
        let partial = directory.path().join("out.partial");
        let left = |end: Option<FileEnd>| {
            let mut output = OutputFile::create(&directory.path().join("out")).unwrap();
            output.set_file_end(end);
            for text in ["head", ", group", ", group"] {
                output.write_all(text.as_bytes()).unwrap();
            }
            // This imitates a full disk: some bytes of a buffer are written, then an error occurs.
            output.open().file.as_mut().unwrap().write_all(b"half a gr").unwrap();
            let left = output.keep().unwrap();
            (matches!(left, Leftover::Whole(_)), fs::read_to_string(&partial).unwrap())
        };
        assert_eq!(left(None), (true, "head, group, group".to_owned()));
        let full = || io::Error::from(ErrorKind::StorageFull);
        let end =
            move |units| if units < 2 { Ok(format!(", end of {units}").into_bytes()) } else { Err(full()) };
        assert_eq!(left(Some(Box::new(end))), (true, "head, group, end of 1".to_owned()));
        assert!(!left(Some(Box::new(|_| Err(ErrorKind::Other.into())))).0);
    }

    #[test]
    fn rows_survive_a_drop_and_an_empty_file_does_not() {
        let directory = TempDir::new().unwrap();
        let create = || OutputFile::create(&directory.path().join("out")).unwrap();
        drop(create());
        assert!(names(&directory).is_empty());
        create().write_all(b"row\n").unwrap();
        assert_eq!(names(&directory), ["out.partial"]);
    }

    #[test]
    fn what_an_earlier_run_left_stays_until_this_one_writes() {
        let directory = TempDir::new().unwrap();
        let file = |name: &str| directory.path().join(name);
        let (path, partial) = (file("out"), file("out.partial"));
        let create = || {
            let mut output = OutputFile::create(&path).unwrap();
            output.write_all(b"").unwrap();
            output
        };
        let left = [("out.partial", "rows"), ("out.partial.checkpoint", "{\"settings\":{}}")];
        left.iter().for_each(|(name, text)| fs::write(file(name), text).unwrap());
        // This file is not a checkpoint.
        fs::write(file("out.partial.checkpoint.new"), "{}").unwrap();
        drop(create());
        assert_eq!(create().keep(), None);
        assert!(left.iter().all(|(name, text)| fs::read_to_string(file(name)).unwrap() == *text));
        let mut output = create();
        assert_eq!(output.earlier().unwrap().1, 4);
        output.write_all(b"row\n").unwrap();
        assert_eq!(output.earlier(), None);
        assert!(matches!(output.keep(), Some(Leftover::Whole(_))));
        assert_eq!(fs::read(&partial).unwrap(), b"row\n");
        assert_eq!(names(&directory), ["out.partial", "out.partial.checkpoint.new"]);
        // A file with no rows is complete too.
        create().finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"");
        assert_eq!(names(&directory), ["out", "out.partial.checkpoint.new"]);
    }

    #[cfg(unix)]
    mod unix {
        use super::*;
        use std::os::unix::fs::symlink;

        #[test]
        fn a_link_stays_a_link() {
            let directory = TempDir::new().unwrap();
            let (link, real) = (directory.path().join("link"), directory.path().join("real"));
            for before in [None, Some("old")] {
                if let Some(old) = before {
                    fs::write(&real, old).unwrap();
                } else {
                    symlink("real", &link).unwrap();
                }
                let mut output = OutputFile::create(&link).unwrap();
                output.write_all(b"new").unwrap();
                assert!(names(&directory).contains(&"real.partial".to_owned()));
                output.finish().unwrap();
                assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
                assert_eq!(fs::read(&real).unwrap(), b"new");
            }
        }

        #[test]
        fn a_partial_file_of_another_program_is_neither_renamed_nor_removed() {
            let directory = TempDir::new().unwrap();
            let (path, partial) = (directory.path().join("out"), directory.path().join("out.partial"));
            let ends: [fn(OutputFile); 3] = [
                |output| drop(output),
                |output| assert!(matches!(output.finish(), Err(OutputError::Lost(..)))),
                |mut output| {
                    output.write_all(b"row").unwrap();
                    assert_eq!(output.keep(), None);
                },
            ];
            for end in ends {
                let output = OutputFile::create(&path).unwrap();
                fs::remove_file(&partial).unwrap();
                fs::write(&partial, "not ours").unwrap();
                end(output);
                assert_eq!(names(&directory), ["out.partial"]);
                assert_eq!(fs::read(&partial).unwrap(), b"not ours");
                fs::remove_file(&partial).unwrap();
            }
        }

        /// A run that opens another run's partial file just as that run ends gets a new file.
        #[test]
        fn of_many_writers_at_once_each_writes_a_whole_file_or_is_refused() {
            let directory = TempDir::new().unwrap();
            let path = directory.path().join("out");
            let write = |text: [u8; 2]| {
                for _ in 0..5000 {
                    match OutputFile::create(&path) {
                        Ok(mut output) => {
                            assert_eq!(output.earlier(), None, "a partial file is shared");
                            output.write_all(&text[..1]).unwrap();
                            output.write_all(&text[1..]).unwrap();
                            output.finish().unwrap();
                            let found = fs::read(&path).unwrap();
                            assert!(found.len() == 2 && found[0] == found[1], "{found:?}");
                        }
                        Err(error) => assert!(matches!(error, OutputError::InUse(..)), "{error}"),
                    }
                }
            };
            std::thread::scope(|threads| {
                for digit in b'0'..b'8' {
                    threads.spawn(move || write([digit; 2]));
                }
            });
            assert_eq!(names(&directory), ["out"]);
        }
    }
}
