//! The standard streams as files: under descriptors of their own, past the buffers of the standard library.

use std::fs::File;
use std::io;
use std::path::Path;

/// A standard stream of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Input,
    Output,
    Error,
}

impl Stream {
    /// The stream that a path names as such. Opening what such a path leads to would forget what a redirection to a
    /// file says: where its end is, or that it is to be appended to.
    pub fn named(path: &Path) -> Option<Self> {
        let stream = match path.to_str()? {
            "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" => Self::Input,
            "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1" => Self::Output,
            "/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2" => Self::Error,
            _ => return None,
        };
        Some(stream)
    }

    /// The stream under another descriptor.
    #[cfg(unix)]
    pub fn file(self) -> io::Result<File> {
        use std::os::fd::AsFd;
        match self {
            Self::Input => io::stdin().as_fd().try_clone_to_owned(),
            Self::Output => io::stdout().as_fd().try_clone_to_owned(),
            Self::Error => io::stderr().as_fd().try_clone_to_owned(),
        }
        .map(File::from)
    }

    /// The stream under another handle.
    #[cfg(windows)]
    pub fn file(self) -> io::Result<File> {
        use std::os::windows::io::AsHandle;
        match self {
            Self::Input => io::stdin().as_handle().try_clone_to_owned(),
            Self::Output => io::stdout().as_handle().try_clone_to_owned(),
            Self::Error => io::stderr().as_handle().try_clone_to_owned(),
        }
        .map(File::from)
    }
}

/// Whether a standard output was closed when the program began (`>&-`), or is not open for writing.
///
/// The standard library opens `/dev/null` in the place of a closed one, before anything else can look. It is told by
/// being open for reading, too: shells open `>/dev/null` for writing alone. Some programs that start others do not,
/// and cannot be told from it.
#[cfg(unix)]
pub fn is_closed(output: &File) -> bool {
    use std::fs;
    use std::os::unix::fs::{FileTypeExt, MetadataExt};

    use rustix::fs::{OFlags, fcntl_getfl};
    let Ok(flags) = fcntl_getfl(output) else { return true };
    let is_null = || {
        let (Ok(found), Ok(null)) = (output.metadata(), fs::metadata("/dev/null")) else { return false };
        found.file_type().is_char_device() && found.rdev() == null.rdev()
    };
    match flags & OFlags::RWMODE {
        OFlags::RDONLY => true,
        OFlags::RDWR => is_null(),
        _ => false,
    }
}

#[cfg(not(unix))]
pub fn is_closed(_: &File) -> bool {
    false
}
