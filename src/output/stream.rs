//! The standard streams as files: each has its own descriptor and bypasses the standard library's buffers.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process;

#[cfg(unix)]
use rustix::fs::OFlags;

/// Escapes control characters (except line breaks and tabs) as `\x1b`, and characters that change the text direction
/// as `\u202e`. The names and contents of files must not control a terminal or change the order in which a line is
/// displayed.
pub fn escaped(text: &[u8]) -> Cow<'_, [u8]> {
    let is_control = |&byte: &u8| byte < b' ' && !matches!(byte, b'\n' | b'\t') || byte == 0x7f;
    // In UTF-8, all other characters to escape begin with one of these bytes.
    if !text.iter().any(|byte| is_control(byte) || matches!(byte, 0xc2 | 0xd8 | 0xe2)) {
        return text.into();
    }
    let mut shown = Vec::with_capacity(text.len() + 16);
    let mut rest = text;
    while let [byte, ..] = rest {
        let (escape, length) = match rest {
            // The remaining control characters of Latin-1.
            [0xc2, code @ 0x80..=0x9f, ..] => (Some(format!("\\x{code:02x}")), 2),
            // The Arabic letter mark; other direction marks, line separators and embeddings; isolates.
            [0xd8, 0x9c, ..] => (Some("\\u061c".to_owned()), 2),
            [0xe2, 0x80, last @ (0x8e | 0x8f | 0xa8..=0xae), ..] => {
                (Some(format!("\\u20{:02x}", last - 0x80)), 3)
            }
            [0xe2, 0x81, last @ 0xa6..=0xa9, ..] => (Some(format!("\\u20{:02x}", last - 0x40)), 3),
            _ if is_control(byte) => (Some(format!("\\x{byte:02x}")), 1),
            _ => (None, 1),
        };
        match escape {
            Some(escape) => shown.extend_from_slice(escape.as_bytes()),
            None => shown.push(*byte),
        }
        rest = &rest[length..];
    }
    shown.into()
}

/// A standard stream of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Input,
    Output,
    Error,
}

impl Stream {
    /// Returns the stream that a path such as `/dev/stdout` names. Simply opening that path would lose a redirected
    /// file's position and whether it is appended to.
    pub fn named(path: &Path) -> Option<Self> {
        let named = || {
            let names = ["stdin", "stdout", "stderr"];
            names.into_iter().position(|name| path.ends_with(name)).filter(|_| is_in_dev(path))
        };
        let number = descriptor(path).map(|number| number as usize).or_else(named)?;
        [Self::Input, Self::Output, Self::Error].get(number).copied()
    }

    /// Opens the stream using a new descriptor.
    pub fn file(self) -> io::Result<File> {
        match self {
            Self::Input => duplicate(&io::stdin()),
            Self::Output => duplicate(&io::stdout()),
            Self::Error => duplicate(&io::stderr()),
        }
    }
}

#[cfg(unix)]
fn duplicate(stream: &impl std::os::fd::AsFd) -> io::Result<File> {
    stream.as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
fn duplicate(stream: &impl std::os::windows::io::AsHandle) -> io::Result<File> {
    stream.as_handle().try_clone_to_owned().map(File::from)
}

fn is_in_dev(path: &Path) -> bool {
    path.parent()
        .and_then(|directory| fs::canonicalize(directory).ok())
        .is_some_and(|found| found == Path::new("/dev"))
}

/// Returns the number of this process's open file that a path such as `/dev/fd/3` gives.
pub fn descriptor(path: &Path) -> Option<u32> {
    let number = path.file_name()?.to_str()?.parse().ok()?;
    let directory = fs::canonicalize(path.parent()?).ok()?;
    if directory == Path::new("/dev/fd") {
        return Some(number);
    }
    // The path can be in `/proc/PID/fd` or belong to a thread, as in `/proc/PID/task/TID/fd`.
    let own = Path::new("/proc").join(process::id().to_string());
    (directory.starts_with(own) && directory.ends_with("fd")).then_some(number)
}

/// Returns the access mode of an open file.
#[cfg(unix)]
fn access(file: &File) -> Option<OFlags> {
    Some(rustix::fs::fcntl_getfl(file).ok()? & OFlags::RWMODE)
}

/// Whether an output is open for writing.
#[cfg(unix)]
pub fn is_writable(output: &File) -> bool {
    access(output).is_some_and(|access| access != OFlags::RDONLY)
}

/// Whether standard output may have been closed when the program started (`>&-`).
///
/// The standard library replaces a closed stream with `/dev/null`, opened for reading and writing. Programs that
/// discard another program's output do the same (Python's `DEVNULL`), so the two cases cannot be distinguished. Shells
/// open `>/dev/null` only for writing.
#[cfg(unix)]
pub fn may_be_closed(output: &File) -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};

    let (Ok(found), Ok(null)) = (output.metadata(), fs::metadata("/dev/null")) else { return false };
    let is_null = found.file_type().is_char_device() && found.rdev() == null.rdev();
    is_null && access(output) == Some(OFlags::RDWR)
}

#[cfg(not(unix))]
pub fn is_writable(_: &File) -> bool {
    true
}

#[cfg(not(unix))]
pub fn may_be_closed(_: &File) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PROMISE: text-direction
    #[test]
    fn control_characters_are_escaped() {
        for (text, shown) in [
            ("plain, \u{b5}s, \u{5d0}\ta\n", "plain, \u{b5}s, \u{5d0}\ta\n"),
            ("a\u{1b}[31mb\u{7}", "a\\x1b[31mb\\x07"),
            ("\r\u{8}\u{7f}\0", "\\x0d\\x08\\x7f\\x00"),
            ("\u{9b}31m\u{a0}", "\\x9b31m\u{a0}"),
            (
                "\u{202e}\u{2066}\u{200f}\u{61c}\u{2028}\u{2014}\u{2070}\u{61d}",
                "\\u202e\\u2066\\u200f\\u061c\\u2028\u{2014}\u{2070}\u{61d}",
            ),
        ] {
            assert_eq!(String::from_utf8_lossy(&escaped(text.as_bytes())), shown);
        }
        assert_eq!(escaped(b"\xff\x1b\xc2"), &b"\xff\\x1b\xc2"[..]);
    }
}
