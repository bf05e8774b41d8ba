//! An output file that is never seen half written.
//!
//! Everything goes to `FILE.partial` beside the file, which takes the file's name once it is
//! complete. A run that ends early leaves the partial file with the whole rows so far. What is no
//! regular file, such as `/dev/null` or a named pipe, is written directly. Whatever can be refused
//! is refused by [`OutputFile::create`], before any work starts and without touching a byte.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Why an output cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The output names a directory.
    #[error("{}: is a directory (expected a file to write)", path.display())]
    Directory {
        /// The output as given.
        path: PathBuf,
    },
    /// The directory that should hold the output is not there.
    #[error("{}: the directory {} does not exist", path.display(), directory.display())]
    NoDirectory {
        /// The output as given.
        path: PathBuf,
        /// The directory that is missing.
        directory: PathBuf,
    },
    /// Writing would destroy an input.
    #[error("{}: writing it would overwrite the input {input}", path.display())]
    IsInput {
        /// The output as given.
        path: PathBuf,
        /// Name of the input, `-` for standard input.
        input: String,
    },
    /// The system refuses.
    #[error("{}: cannot be written: {source}", path.display())]
    Unwritable {
        /// The file that could not be opened, written or renamed.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// An output file being written; whoever wrote it says how that ended.
///
/// Every [`Write::write`] writes its whole buffer, and a buffer that does not fit is taken back by
/// [`OutputFile::keep_partial`]: with whole rows in every buffer, whole rows are what remains.
#[derive(Debug)]
pub struct OutputFile {
    file: File,
    /// `None` when the file is written directly.
    renaming: Option<Renaming>,
    /// Bytes of all buffers written so far without an error.
    whole: u64,
}

#[derive(Debug)]
struct Renaming {
    partial: PathBuf,
    target: PathBuf,
}

impl OutputFile {
    /// Opens `path` for writing; `inputs` are the names of the files that must survive it, `-` for
    /// standard input.
    ///
    /// A symbolic link is followed, so that the file it names is the one replaced.
    ///
    /// # Errors
    ///
    /// When the path is a directory or one of the inputs, its directory does not exist, or the
    /// system does not let it be written.
    pub fn create(path: &Path, inputs: &[&str]) -> Result<Self, OutputError> {
        let unwritable = |source| OutputError::Unwritable { path: path.to_owned(), source };
        let target = match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(OutputError::Directory { path: path.to_owned() }),
            Ok(found) if !found.is_file() => {
                let file = OpenOptions::new().write(true).open(path).map_err(unwritable)?;
                return Ok(Self { file, renaming: None, whole: 0 });
            }
            Ok(_) => {
                // Renaming would replace even a file that its owner made read-only.
                OpenOptions::new().write(true).open(path).map_err(unwritable)?;
                fs::canonicalize(path).map_err(unwritable)?
            }
            Err(error) if error.kind() == ErrorKind::NotFound => end_of_links(path).map_err(unwritable)?,
            Err(error) => return Err(unwritable(error)),
        };
        let partial = partial_name(&target);
        for lost in [&target, &partial] {
            if let Some(input) = inputs.iter().find(|input| is_input(lost, input)) {
                return Err(OutputError::IsInput { path: lost.clone(), input: (*input).to_owned() });
            }
        }
        let directory = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        if !directory.is_dir() {
            return Err(OutputError::NoDirectory { path: path.to_owned(), directory: directory.to_owned() });
        }
        let file = File::create(&partial)
            .map_err(|source| OutputError::Unwritable { path: partial.clone(), source })?;
        let renaming = Some(Renaming { partial, target });
        Ok(Self { file, renaming, whole: 0 })
    }

    /// Whether writing both would spoil one of them: they are one file under two names, or one is what the
    /// other is called until it is complete.
    #[must_use]
    pub fn clashes_with(&self, other: &Self) -> bool {
        let (Some(this), Some(other)) = (&self.renaming, &other.renaming) else { return false };
        let same = |a: &Path, b: &Path| {
            identity::of_path(a).is_some_and(|file| identity::of_path(b).as_ref() == Some(&file))
        };
        // The partial files exist by now, and tell under which names the others are the same.
        same(&this.partial, &other.partial)
            || same(&this.partial, &other.target)
            || same(&this.target, &other.partial)
    }

    /// Gives the complete file its name.
    ///
    /// # Errors
    ///
    /// When the system refuses to rename it; the partial file stays.
    pub fn finish(mut self) -> Result<(), OutputError> {
        let Some(Renaming { partial, target }) = self.renaming.take() else { return Ok(()) };
        fs::rename(&partial, &target).map_err(|source| OutputError::Unwritable { path: target, source })
    }

    /// Ends an incomplete file: what remains is every buffer that was written as a whole.
    ///
    /// Returns the name of the partial file, `None` if the output was written directly.
    #[must_use]
    pub fn keep_partial(mut self) -> Option<PathBuf> {
        let Renaming { partial, .. } = self.renaming.take()?;
        // If even this fails, the half row at the end is all that is wrong with the file.
        let _ = self.file.set_len(self.whole);
        Some(partial)
    }
}

impl Write for OutputFile {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.write_all(buffer)?;
        Ok(buffer.len())
    }

    fn write_all(&mut self, buffer: &[u8]) -> io::Result<()> {
        self.file.write_all(buffer)?;
        self.whole += buffer.len() as u64;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for OutputFile {
    /// Removes a partial file into which nothing was written: the run ended before it began.
    fn drop(&mut self) {
        if let Some(Renaming { partial, .. }) = &self.renaming
            && self.whole == 0
        {
            let _ = fs::remove_file(partial);
        }
    }
}

/// Refuses to write standard output if it is one of the `inputs`, as with `solve a.txt >> a.txt`:
/// the program would read what it writes and never end.
///
/// # Errors
///
/// [`OutputError::IsInput`] if so.
pub fn check_standard_output(inputs: &[&str]) -> Result<(), OutputError> {
    let Some(output) = identity::of_standard_output() else { return Ok(()) };
    match inputs.iter().find(|input| identity::of_input(input).as_ref() == Some(&output)) {
        Some(input) => {
            Err(OutputError::IsInput { path: "standard output".into(), input: (*input).to_owned() })
        }
        None => Ok(()),
    }
}

/// Follows a dangling symbolic link to the name that it would create.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    /// As many as Linux follows.
    const MOST: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST {
        match fs::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

fn partial_name(target: &Path) -> PathBuf {
    let mut name = OsString::from(target);
    name.push(".partial");
    name.into()
}

fn is_input(path: &Path, input: &str) -> bool {
    identity::of_path(path).is_some_and(|file| identity::of_input(input) == Some(file))
}

/// What makes a regular file the same under every name: device and inode.
#[cfg(unix)]
mod identity {
    use super::{File, Metadata, Path, fs, io};
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;

    fn of(metadata: &Metadata) -> Option<(u64, u64)> {
        metadata.is_file().then(|| (metadata.dev(), metadata.ino()))
    }

    fn of_stream(stream: &impl AsFd) -> Option<(u64, u64)> {
        let file = File::from(stream.as_fd().try_clone_to_owned().ok()?);
        of(&file.metadata().ok()?)
    }

    pub fn of_path(path: &Path) -> Option<(u64, u64)> {
        of(&fs::metadata(path).ok()?)
    }

    pub fn of_input(input: &str) -> Option<(u64, u64)> {
        if input == "-" { of_stream(&io::stdin()) } else { of_path(Path::new(input)) }
    }

    pub fn of_standard_output() -> Option<(u64, u64)> {
        of_stream(&io::stdout())
    }
}

/// What makes a regular file the same under every name: its canonical path. Streams have none.
#[cfg(not(unix))]
mod identity {
    use super::{Metadata, Path, PathBuf, fs};

    pub fn of_path(path: &Path) -> Option<PathBuf> {
        fs::metadata(path)
            .is_ok_and(|found: Metadata| found.is_file())
            .then(|| fs::canonicalize(path).ok())?
    }

    pub fn of_input(input: &str) -> Option<PathBuf> {
        if input == "-" { None } else { of_path(Path::new(input)) }
    }

    pub fn of_standard_output() -> Option<PathBuf> {
        None
    }
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

    #[test]
    fn the_name_appears_when_the_file_is_complete() {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("out.csv");
        let mut output = OutputFile::create(&path, &[]).unwrap();
        output.write_all(b"row\n").unwrap();
        assert_eq!(names(&directory), ["out.csv.partial"]);
        output.finish().unwrap();
        assert_eq!(names(&directory), ["out.csv"]);
        assert_eq!(fs::read(path).unwrap(), b"row\n");
    }

    #[test]
    fn an_older_file_stays_until_the_new_one_is_complete() {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("out.csv");
        fs::write(&path, "old").unwrap();
        let mut output = OutputFile::create(&path, &[]).unwrap();
        output.write_all(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(
            output.keep_partial().unwrap(),
            fs::canonicalize(&path).unwrap().with_extension("csv.partial")
        );
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read(directory.path().join("out.csv.partial")).unwrap(), b"new");
    }

    #[test]
    fn a_buffer_that_was_not_written_whole_is_taken_back() {
        let directory = TempDir::new().unwrap();
        let mut output = OutputFile::create(&directory.path().join("out"), &[]).unwrap();
        output.write_all(b"whole row\n").unwrap();
        // As a full disk would: some bytes of a buffer arrive, then the error.
        output.file.write_all(b"half a r").unwrap();
        let partial = output.keep_partial().unwrap();
        assert_eq!(fs::read(partial).unwrap(), b"whole row\n");
    }

    #[test]
    fn nothing_remains_of_a_run_that_never_began() {
        let directory = TempDir::new().unwrap();
        drop(OutputFile::create(&directory.path().join("out"), &[]).unwrap());
        assert!(names(&directory).is_empty());
    }

    #[test]
    fn rows_survive_a_drop() {
        let directory = TempDir::new().unwrap();
        let mut output = OutputFile::create(&directory.path().join("out"), &[]).unwrap();
        output.write_all(b"row\n").unwrap();
        drop(output);
        assert_eq!(names(&directory), ["out.partial"]);
    }

    #[test]
    fn a_directory_and_a_missing_directory_are_refused() {
        let directory = TempDir::new().unwrap();
        let error = OutputFile::create(directory.path(), &[]).unwrap_err();
        assert!(matches!(error, OutputError::Directory { .. }), "{error}");
        let error = OutputFile::create(&directory.path().join("no/out"), &[]).unwrap_err();
        assert!(matches!(error, OutputError::NoDirectory { .. }), "{error}");
        assert!(names(&directory).is_empty());
    }

    #[test]
    fn an_input_is_never_overwritten() {
        let directory = TempDir::new().unwrap();
        let input = directory.path().join("in.txt");
        fs::write(&input, "puzzles").unwrap();
        let other_name = directory.path().join(".").join("in.txt");
        let error = OutputFile::create(&other_name, &["x", input.to_str().unwrap()]).unwrap_err();
        assert!(matches!(error, OutputError::IsInput { .. }), "{error}");
        assert_eq!(fs::read(&input).unwrap(), b"puzzles");
        assert_eq!(names(&directory), ["in.txt"]);
    }

    #[test]
    fn an_input_with_the_name_of_the_partial_file_is_never_overwritten() {
        let directory = TempDir::new().unwrap();
        let input = directory.path().join("out.partial");
        fs::write(&input, "puzzles").unwrap();
        let error =
            OutputFile::create(&directory.path().join("out"), &[input.to_str().unwrap()]).unwrap_err();
        assert!(matches!(error, OutputError::IsInput { .. }), "{error}");
        assert_eq!(fs::read(&input).unwrap(), b"puzzles");
    }

    #[test]
    fn two_outputs_that_would_spoil_each_other_clash() {
        let directory = TempDir::new().unwrap();
        fs::create_dir(directory.path().join("d")).unwrap();
        let clash = |a: &str, b: &str| {
            let output = |name: &str| OutputFile::create(&directory.path().join(name), &[]).unwrap();
            output(a).clashes_with(&output(b))
        };
        assert!(clash("a", "a") && clash("a", "d/../a"));
        assert!(clash("a", "a.partial") && clash("a.partial", "a"));
        assert!(!clash("a", "b") && !clash("a", "d/a"));
        assert!(names(&directory).iter().eq(["d"]));
    }

    #[cfg(unix)]
    mod unix {
        use super::*;
        use std::os::unix::fs::symlink;

        #[test]
        fn links_to_one_file_clash() {
            let directory = TempDir::new().unwrap();
            let path = |name: &str| directory.path().join(name);
            fs::create_dir(path("d")).unwrap();
            symlink("d", path("e")).unwrap();
            symlink("d/real", path("link")).unwrap();
            for other in ["d/real", "e/real"] {
                let outputs = [path("link"), path(other)].map(|path| OutputFile::create(&path, &[]).unwrap());
                assert!(outputs[0].clashes_with(&outputs[1]), "{other}");
            }
        }

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
                let mut output = OutputFile::create(&link, &[]).unwrap();
                output.write_all(b"new").unwrap();
                assert!(names(&directory).contains(&"real.partial".to_owned()));
                output.finish().unwrap();
                assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
                assert_eq!(fs::read(&real).unwrap(), b"new");
            }
        }

        #[test]
        fn a_ring_of_links_is_refused() {
            let directory = TempDir::new().unwrap();
            symlink("b", directory.path().join("a")).unwrap();
            symlink("a", directory.path().join("b")).unwrap();
            assert!(OutputFile::create(&directory.path().join("a"), &[]).is_err());
        }

        #[test]
        fn an_input_under_a_second_hard_link_is_never_overwritten() {
            let directory = TempDir::new().unwrap();
            let (input, output) = (directory.path().join("in"), directory.path().join("out"));
            fs::write(&input, "puzzles").unwrap();
            fs::hard_link(&input, &output).unwrap();
            let error = OutputFile::create(&output, &[input.to_str().unwrap()]).unwrap_err();
            assert!(matches!(error, OutputError::IsInput { .. }), "{error}");
        }

        #[test]
        fn a_device_is_written_directly_even_if_it_is_an_input_too() {
            let mut output = OutputFile::create(Path::new("/dev/null"), &["/dev/null"]).unwrap();
            output.write_all(b"row\n").unwrap();
            assert_eq!(output.keep_partial(), None);
            assert!(!Path::new("/dev/null.partial").exists());
        }
    }
}
