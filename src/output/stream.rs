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
    // In UTF-8, all characters to escape are ASCII control characters or begin with one of these bytes.
    let may_be_escaped = |&byte: &u8| {
        byte < b' ' && !matches!(byte, b'\n' | b'\t') || matches!(byte, 0x7f | 0xc2 | 0xd8 | 0xe2)
    };
    if !text.iter().any(may_be_escaped) {
        return text.into();
    }
    let mut shown = Vec::with_capacity(text.len() + 16);
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\n' | '\t' => shown.push(character as u8),
                _ if character.is_control() => shown.extend(format!("\\x{:02x}", character as u32).bytes()),
                // The Arabic letter mark; other direction marks, line separators and embeddings; isolates.
                '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                    shown.extend(format!("\\u{:04x}", character as u32).bytes());
                }
                _ => shown.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        shown.extend_from_slice(chunk.invalid());
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
    /// file's position and its append mode.
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

/// Returns the file descriptor of this process that a path such as `/dev/fd/3` refers to.
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

/// Returns whether an output is open for writing.
#[cfg(unix)]
pub fn is_writable(output: &File) -> bool {
    access(output).is_some_and(|access| access != OFlags::RDONLY)
}

/// Returns whether standard output may have been closed when the program started (`>&-`).
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
