//! The files that a run's names lead to, and whether two names lead to the same file.
//!
//! Every command calls [`check_distinct`] before it opens anything: no output or `.partial` file can be the same as
//! another file in the run. Different spellings of a name are recognized: `./`, `..`, symbolic links (even dangling
//! ones), hard links and redirected streams. Devices and pipes can be named any number of times.

use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::error::OutputError;
use super::partial;
use super::stream::{Stream, descriptor};
use crate::input::{FileId, shown_name};

/// The maximum number of symbolic links followed to find a file, which is also the limit on Linux.
const MOST_LINKS: usize = 40;

/// A file that a run reads or writes, as given by the user.
#[derive(Clone, Copy, Debug)]
pub enum NamedFile<'a> {
    /// The word that messages use for the file (a flag, or `the input`), and the path.
    Path(&'a str, &'a Path),
    /// Standard input.
    StandardInput,
    /// Standard output.
    StandardOutput,
}

impl<'a> NamedFile<'a> {
    /// Returns the input at this path, where `-` means standard input.
    #[must_use]
    pub fn input(path: &'a Path) -> Self {
        if path == Path::new("-") { Self::StandardInput } else { Self::Path("the input", path) }
    }
}

impl fmt::Display for NamedFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(words, path) => write!(f, "{words} {}", shown_name(path)),
            Self::StandardInput => f.write_str("standard input"),
            Self::StandardOutput => f.write_str("standard output"),
        }
    }
}

/// Fails with [`OutputError::Conflict`], which names both files, if an output would overwrite another output or an
/// input. An output that cannot be written is only rejected later, when it is opened.
pub fn check_distinct(inputs: &[NamedFile<'_>], outputs: &[NamedFile<'_>]) -> Result<(), OutputError> {
    let outputs = outputs.iter().map(|&named| Places::new(named, true));
    let all: Vec<_> = outputs.chain(inputs.iter().map(|&named| Places::new(named, false))).collect();
    for (at, places) in all.iter().enumerate() {
        let mut outputs = all[..at].iter().filter(|earlier| earlier.is_output);
        if let Some(why) = outputs.find_map(|output| output.conflict(places)) {
            return Err(OutputError::Conflict(why));
        }
    }
    Ok(())
}

/// All the places that belong to a file that a run reads or writes.
struct Places<'a> {
    named: NamedFile<'a>,
    is_output: bool,
    target: Place,
    /// For an output, its partial file and checkpoints.
    beside: Vec<Place>,
}

impl<'a> Places<'a> {
    fn new(named: NamedFile<'a>, is_output: bool) -> Self {
        let (target, file) = Place::of_named(named);
        let partial = file.filter(|_| is_output).map(|path| partial::name(&path));
        let checkpoints = partial.iter().flat_map(|partial| partial::checkpoint_names(partial));
        let beside = checkpoints.chain(partial.clone()).map(Place::of_path).collect();
        Self { named, is_output, target, beside }
    }

    /// Returns a message if this output has a file in common with another output or input.
    fn conflict(&self, other: &Self) -> Option<String> {
        if self.target.same(&other.target) {
            return Some(match other.is_output {
                true => format!("{} and {} both name the same file", self.named, other.named),
                false => format!("{} would overwrite {}", self.named, other.named),
            });
        }
        let is_beside =
            |(named, written): &(&Self, &Self)| written.beside.iter().any(|place| place.same(&named.target));
        let (named, written) = [(self, other), (other, self)].into_iter().find(is_beside)?;
        Some(format!("{}: {} is written there until it is complete", named.named, written.named))
    }
}

/// The identity of a file: its canonical path and the file found there. Both are `None` if the file can be named
/// repeatedly.
#[derive(Default)]
struct Place {
    path: Option<PathBuf>,
    id: Option<FileId>,
}

impl Place {
    /// Returns the place of a named file, and its canonical path if it is a regular file or does not exist yet.
    fn of_named(named: NamedFile<'_>) -> (Self, Option<PathBuf>) {
        let target = match named {
            NamedFile::StandardInput => Ok(Target::Stream(Stream::Input)),
            NamedFile::StandardOutput => Ok(Target::Stream(Stream::Output)),
            NamedFile::Path(_, path) => resolve(path),
        };
        let found = match target {
            Ok(Target::File(path)) => return (Self::of_path(path.clone()), Some(path)),
            Ok(Target::Stream(stream)) => stream.file().and_then(|file| file.metadata()).ok(),
            Ok(Target::Direct(path)) => fs::metadata(path).ok(),
            Err(_) => None,
        };
        (Self { path: None, id: found.as_ref().and_then(FileId::of) }, None)
    }

    fn of_path(path: PathBuf) -> Self {
        let id = fs::symlink_metadata(&path).ok().as_ref().and_then(FileId::of);
        Self { path: Some(path), id }
    }

    fn same(&self, other: &Self) -> bool {
        (self.path.is_some() && self.path == other.path) || (self.id.is_some() && self.id == other.id)
    }
}

/// The file or stream that a name leads to.
#[derive(Debug)]
pub(super) enum Target {
    /// A regular file or one that does not exist yet, given by its canonical path.
    File(PathBuf),
    /// A standard stream of this process.
    Stream(Stream),
    /// A file that is written directly under this name: a device, a named pipe, or an open file referred to by number.
    Direct(PathBuf),
}

/// Returns the partial file of the output with this name; `None` if the output does not have one.
#[must_use]
pub fn partial_of(output: &Path) -> Option<PathBuf> {
    match resolve(output) {
        Ok(Target::File(path)) => Some(partial::name(&path)),
        Ok(Target::Stream(_) | Target::Direct(_)) | Err(_) => None,
    }
}

/// Follows a name to the file or stream that it leads to, or to the file that it would create.
pub(super) fn resolve(path: &Path) -> Result<Target, OutputError> {
    let unwritable = |source| OutputError::Unwritable(path.to_owned(), source);
    let mut end = path.to_owned();
    for _ in 0..MOST_LINKS {
        if let Some(stream) = Stream::named(&end) {
            return Ok(Target::Stream(stream));
        }
        if descriptor(&end).is_some() && fs::metadata(&end).is_ok_and(|found| !found.is_dir()) {
            return Ok(Target::Direct(end));
        }
        match fs::metadata(&end) {
            Ok(found) if found.is_dir() => return Err(OutputError::Directory(path.to_owned())),
            Ok(found) if !found.is_file() => return Ok(Target::Direct(end)),
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(unwritable(error)),
            // This is a file or does not exist yet, but there may be more links to follow.
            Ok(_) | Err(_) => {}
        }
        let Ok(next) = fs::read_link(&end) else { return canonical(path, &end).map(Target::File) };
        end = parent(&end).join(next);
    }
    Err(unwritable(io::Error::other("too many symbolic links")))
}

/// Returns the canonical path of `end`, which `path` leads to and which is not a link.
fn canonical(path: &Path, end: &Path) -> Result<PathBuf, OutputError> {
    let no_directory = |directory: &Path| OutputError::NoDirectory(path.to_owned(), directory.to_owned());
    // A name that ends with `/` would be a directory.
    let name = end.file_name().filter(|_| !end.as_os_str().as_encoded_bytes().ends_with(b"/"));
    let Some(name) = name else { return Err(no_directory(end)) };
    match fs::canonicalize(parent(end)) {
        Ok(directory) => Ok(directory.join(name)),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(no_directory(parent(end))),
        Err(source) => Err(OutputError::Unwritable(path.to_owned(), source)),
    }
}

/// Returns the directory that contains a file.
fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    /// Fails unless [`check_distinct`] returns this message for inputs and outputs in a directory, in either order.
    #[track_caller]
    fn assert_meet(directory: &TempDir, inputs: &[&str], outputs: &[&str], why: Option<&str>) {
        let paths = |names: &[&str]| names.iter().map(|name| directory.path().join(name)).collect::<Vec<_>>();
        let (inputs, mut outputs) = (paths(inputs), paths(outputs));
        let inputs: Vec<_> = inputs.iter().map(|path| NamedFile::Path("the input", path)).collect();
        for _ in 0..2 {
            let named: Vec<_> = outputs.iter().map(|path| NamedFile::Path("--output", path)).collect();
            let said = check_distinct(&inputs, &named).err().map(|error| error.to_string());
            let is_right = said.as_deref().is_some_and(|said| why.is_some_and(|why| said.contains(why)));
            assert!(is_right || said.is_none() && why.is_none(), "{inputs:?} {named:?}: {said:?}");
            outputs.reverse();
        }
    }

    const SAME: Option<&str> = Some("both name the same file");

    #[test]
    fn files_meet_under_every_spelling() {
        let directory = TempDir::new().unwrap();
        fs::create_dir(directory.path().join("d")).unwrap();
        fs::write(directory.path().join("in"), "").unwrap();
        let different = ["out", "d/out", "in2", "a.partial.partial", "nowhere/out", "d"];
        for there in [false, true] {
            if there {
                ["a", "d/a", "a.partial"]
                    .iter()
                    .for_each(|name| fs::write(directory.path().join(name), "").unwrap());
            }
            for (inputs, outputs, why) in [
                (&["in", "in", "nothing", "d"][..], &different[..], None),
                (&["in"], &[], None),
                (&[], &["a", "a"], SAME),
                (&[], &["a", "./a"], SAME),
                (&[], &["a", "d/../a"], SAME),
                (&[], &["d/a", "./d//a"], SAME),
                (&[], &["a", "a.partial"], Some("a.partial: --output ")),
                (&["a.partial"], &["a"], Some("is written there until it is complete")),
                (&["x", "in"], &["y", "./in"], Some("would overwrite the input ")),
            ] {
                assert_meet(&directory, inputs, outputs, why);
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_to_where_they_meet() {
        use std::os::unix::fs::symlink;
        const OVERWRITTEN: Option<&str> = Some("would overwrite");
        let directory = TempDir::new().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::create_dir(path("d")).unwrap();
        symlink("d", path("e")).unwrap();
        symlink("link2", path("link")).unwrap();
        symlink("e/real", path("link2")).unwrap();
        for there in [false, true] {
            if there {
                fs::write(path("d/real"), "").unwrap();
                fs::hard_link(path("d/real"), path("hard")).unwrap();
                assert_meet(&directory, &["hard"], &["link"], OVERWRITTEN);
                assert_meet(&directory, &[], &["hard", "d/real"], SAME);
            }
            for other in ["d/real", "e/real", "link2"] {
                assert_meet(&directory, &[], &["link", other], SAME);
                assert_meet(&directory, &["link"], &[other], OVERWRITTEN);
                assert_meet(&directory, &[other], &["link"], OVERWRITTEN);
            }
            assert_meet(&directory, &["d/real.partial"], &["link"], Some("is written there"));
        }
        symlink("ring", path("ring")).unwrap();
        assert!(matches!(resolve(&path("ring")), Err(OutputError::Unwritable(..))));
    }
}
