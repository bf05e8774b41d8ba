//! One input, from its name to chunks of whole records.
//!
//! Opening looks at the first records, so that a file that is missing, or is no puzzle file at all,
//! is known before any work starts. A regular file is closed after that look and opened again at its
//! turn: thousands of inputs need no more than one descriptor. What can be read only once (standard
//! input, a pipe) stays open, and what was looked at is kept.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

use memchr::memchr;

use super::chunk::{Cursor, Cut, End, Format};
use super::detect::{self, Sample};
use super::stream::Stream;
use super::{Chunk, InputError, ReadOptions};

/// Bytes of text that are looked at to find the format.
const LOOK: usize = 64 << 10;

/// What is known of a source as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceInfo {
    /// Name as given, `-` for standard input.
    pub name: String,
    /// Size of the file in bytes, compressed if it is; `None` for what has no size, like a pipe.
    pub size: Option<u64>,
}

/// One input, opened and looked at, from which chunks of whole records are read.
pub struct Source {
    info: Arc<SourceInfo>,
    format: Arc<dyn Format>,
    text: Text,
    /// The start of a record whose end is not read yet.
    carry: Vec<u8>,
    cursor: Cursor,
    /// Line on which `carry` starts.
    line: u64,
    records: u64,
    notes: Vec<String>,
}

/// Where the text of a source is.
enum Text {
    /// In a file that was looked at and closed.
    Closed(PathBuf),
    /// In a stream.
    Open(Box<Stream>),
    /// Nowhere any more; what remains is the raw position.
    Ended(u64),
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source")
            .field("info", &self.info)
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}

impl Source {
    /// Opens a file, or standard input for `-`, and finds out what is in it.
    ///
    /// # Errors
    ///
    /// When it cannot be opened or read, is a directory, is UTF-16, or is nothing that looks like
    /// puzzles; see [`InputError`].
    pub fn open(name: &str, options: &ReadOptions) -> Result<Self, InputError> {
        if name == "-" {
            let (reader, size) = standard_input();
            return Self::start(SourceInfo { name: name.to_owned(), size }, reader, None, options);
        }
        let failed = |source| InputError::Open { name: name.to_owned(), source };
        let path = PathBuf::from(name);
        let file = File::open(&path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(InputError::Directory { name: name.to_owned() });
        }
        let size = metadata.is_file().then_some(metadata.len());
        let again = metadata.is_file().then_some(path);
        Self::start(SourceInfo { name: name.to_owned(), size }, Box::new(file), again, options)
    }

    /// Reads from anything that gives bytes; `name` is what results and messages call it.
    ///
    /// # Errors
    ///
    /// As [`Source::open`].
    pub fn from_reader(
        name: &str,
        reader: impl Read + Send + 'static,
        options: &ReadOptions,
    ) -> Result<Self, InputError> {
        let info = SourceInfo { name: name.to_owned(), size: None };
        Self::start(info, Box::new(reader), None, options)
    }

    fn start(
        info: SourceInfo,
        reader: Box<dyn Read + Send>,
        again: Option<PathBuf>,
        options: &ReadOptions,
    ) -> Result<Self, InputError> {
        let mut stream = Stream::new(reader).map_err(|source| InputError::Read {
            name: info.name.clone(),
            offset: 0,
            source,
        })?;
        // An over-long first line says little: look past it.
        let mut length = LOOK;
        let (mut bytes, mut whole) = stream.look(length);
        if !whole && memchr(b'\n', bytes).is_none() {
            length += super::MAX_LINE + LOOK;
            (bytes, whole) = stream.look(length);
        }
        let sample =
            Sample { name: &info.name, bytes, whole, puzzle_column: options.puzzle_column.as_deref() };
        let format = detect::detect(&sample, options.format);
        if bytes.is_empty()
            && let Some(error @ InputError::Read { .. }) = stream.take_failure(&info.name)
        {
            return Err(error);
        }
        Ok(Self {
            format: format?,
            info: Arc::new(info),
            text: again.map_or_else(|| Text::Open(Box::new(stream)), Text::Closed),
            carry: Vec::new(),
            cursor: Cursor::START,
            line: 1,
            records: 0,
            notes: Vec::new(),
        })
    }

    /// Name and size.
    #[must_use]
    pub fn info(&self) -> &Arc<SourceInfo> {
        &self.info
    }

    /// Reads the next chunk of whole records, about `target` bytes; `None` at the end.
    ///
    /// A chunk is larger only if its first record is. `buffer` is used again, whatever is in it.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened again, cannot be read on, or is damaged. The records before
    /// that were handed out; the next call gives `None`.
    pub fn next_chunk(&mut self, mut buffer: Vec<u8>, target: usize) -> Result<Option<Chunk>, InputError> {
        buffer.clear();
        buffer.shrink_to(2 * target);
        if let Text::Closed(path) = &self.text {
            let opened = File::open(path).and_then(|file| Stream::new(Box::new(file)));
            match opened {
                Ok(stream) => self.text = Text::Open(Box::new(stream)),
                Err(source) => {
                    self.text = Text::Ended(0);
                    return Err(InputError::Open { name: self.info.name.clone(), source });
                }
            }
        }
        let Text::Open(stream) = &mut self.text else { return Ok(None) };
        buffer.append(&mut self.carry);
        self.carry.shrink_to(2 * target);
        loop {
            // Doubling looks at the start of a long record only so many times.
            let wanted = target.max(2 * buffer.len()).max(1);
            let end = stream.fill(&mut buffer, wanted);
            let before = self.cursor;
            let Cut { length, lines, records } = self.format.cut(&mut self.cursor, &buffer, end);
            let (first_line, first_record) = (self.line, self.records);
            self.line += lines;
            self.records += records;
            if records > 0 {
                self.carry.extend_from_slice(&buffer[length..]);
                buffer.truncate(length);
                return Ok(Some(Chunk {
                    source: Arc::clone(&self.info),
                    bytes: buffer,
                    first_line,
                    first_record,
                    records,
                    format: Arc::clone(&self.format),
                    cursor: before,
                }));
            }
            buffer.drain(..length);
            if end != End::More {
                let failure = stream.take_failure(&self.info.name);
                self.text = Text::Ended(stream.raw_position());
                if end == End::Last
                    && let Some(note) = self.format.note(&self.cursor, self.records)
                {
                    self.notes.push(format!("{}: {note}", self.info.name));
                }
                return failure.map_or(Ok(None), Err);
            }
        }
    }

    /// Bytes of the file or stream taken in so far, compressed if it is.
    #[must_use]
    pub fn raw_position(&self) -> u64 {
        match &self.text {
            Text::Closed(_) => 0,
            Text::Open(stream) => stream.raw_position(),
            Text::Ended(position) => *position,
        }
    }

    /// What is worth a warning; complete after the end was reached.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Standard input, and its size if it is a file.
#[cfg(unix)]
fn standard_input() -> (Box<dyn Read + Send>, Option<u64>) {
    use std::os::fd::AsFd;
    // The descriptor itself: `Stdin` would read through a buffer of its own and hide the file's size.
    match io::stdin().as_fd().try_clone_to_owned().map(File::from) {
        Ok(file) => {
            let metadata = file.metadata().ok();
            let size = metadata.filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
            (Box::new(file), size)
        }
        Err(_) => (Box::new(io::stdin()), None),
    }
}

/// Standard input; its size is not asked for.
#[cfg(not(unix))]
fn standard_input() -> (Box<dyn Read + Send>, Option<u64>) {
    (Box::new(io::stdin()), None)
}
