//! One input, from its name to batches of whole records.
//!
//! Opening looks at the first records, so that a file that is missing, or is no puzzle file at all,
//! is known before any work starts. A regular file is closed after that look and opened again at its
//! turn: thousands of inputs need no more than one descriptor. One that was changed meanwhile, or that ends before
//! its size says, is not read on in silence. What can be read only once (standard
//! input, a pipe) stays open, and what was looked at is kept. A pipe or a terminal may pause: then the whole
//! records that came are handed out, and the look at the start ends if what came leaves no doubt.

use std::collections::VecDeque;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::batch::{BadEnd, BatchSource, Cut, Format, MOST_RECORDS, Position, TextEnd};
use super::binary::{Binary, BinaryInput, BinaryRows, Bytes};
use super::detect::{self, Detected, Finding, FormatChoice};
use super::family::Sample;
use super::hash::Hash;
use super::keyed::KeyedLines;
use super::look::InputLook;
use super::nesting::Nesting;
use super::stream::{Raw, Ready, SeenText, Stream, TextForm};
use super::values::{ValueRecords, Values};
use super::{Batch, Columns, InputError, ReadOptions, SourceInfo};

/// Bytes of text that are looked at to find the format, or to know it better once there is something to know.
const LOOK: usize = 64 << 10;

/// Bytes that are looked at if nothing in those before is a record of any format.
const LONGEST_LOOK: u64 = 16 << 20;

/// One input, opened and looked at, from which chunks of whole records are read.
pub struct Source {
    info: Arc<SourceInfo>,
    format: Arc<dyn Format>,
    /// The family of the format, where that was looked for.
    choice: Option<FormatChoice>,
    text: SourceText,
    /// The start of a record whose end is not read yet.
    carry: Vec<u8>,
    /// Where `carry` starts.
    position: Position,
    /// Bytes before `carry` that came out of the stream.
    read: u64,
    /// Whether `carry` may have whole records.
    carries_records: bool,
    /// Whether everything before the first record is white space.
    is_blank: bool,
    hash: Hash,
    trust_compressed: bool,
    /// The columns that are carried along.
    carried: Arc<[Option<usize>]>,
    /// What it is if it is no text, and how it is to be read.
    binary: Option<(Binary, Box<ReadOptions>)>,
    /// Bytes that are to come, if that is known: those of the file as it was when it was opened.
    expected: Option<u64>,
    notes: Vec<String>,
    look: Option<InputLook>,
}

/// Where the text of a source is.
enum SourceText {
    /// In a file that was looked at and closed.
    Closed(Box<ClosedFile>),
    /// In a stream.
    Open(Box<Stream>),
    /// There is none: the rows of columns.
    Rows(Box<dyn BatchSource>),
    /// Nowhere any more; what remains is the raw position.
    Ended(u64),
}

/// Batches that were cut before.
struct CutBatches(VecDeque<Batch>);

impl BatchSource for CutBatches {
    fn next_batch(&mut self, _: &Arc<SourceInfo>, _: Vec<u8>, _: usize) -> Result<Option<Batch>, InputError> {
        Ok(self.0.pop_front())
    }

    fn raw_position(&self) -> u64 {
        0
    }
}

/// A file that was looked at and closed.
#[derive(Clone, Debug)]
struct ClosedFile {
    path: PathBuf,
    /// Where it is to be read from.
    from: Position,
    /// What it was.
    identity: Identity,
    /// What was found out of its text.
    form: TextForm,
}

/// What tells whether a file is still what it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    size: u64,
    modified: Option<SystemTime>,
    /// A number is given to another file as soon as it is free; it was not made at the same time.
    created: Option<SystemTime>,
    is_file: bool,
    /// Device and number, where the system has them.
    file: Option<(u64, u64)>,
}

impl Identity {
    fn of(metadata: &Metadata) -> Self {
        Self {
            size: metadata.len(),
            modified: metadata.modified().ok(),
            created: metadata.created().ok(),
            is_file: metadata.is_file(),
            file: file_number(metadata),
        }
    }

    /// What happened to the file since, if it cannot be read as what it was.
    fn damage(&self, now: &Self) -> Option<String> {
        if (self.file, self.created, self.is_file) != (now.file, now.created, now.is_file) {
            Some("another file took its place".to_owned())
        } else if now.size < self.size {
            Some(format!("shrank from {} to {} bytes", self.size, now.size))
        } else {
            (now.size == self.size && now.modified != self.modified).then(|| "was written anew".to_owned())
        }
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "not every system has numbers")]
fn file_number(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn file_number(_: &Metadata) -> Option<(u64, u64)> {
    None
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
    /// When it cannot be opened or read, is a directory, holds no puzzles, or is of a kind that is not read; see
    /// [`InputError`].
    pub fn open(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Self, InputError> {
        Self::open_at(path, options, Position::START)
    }

    /// Opens a file to read on from a position that a [`Batch`] of it had. A compressed file is decompressed from
    /// its start.
    ///
    /// # Errors
    ///
    /// As [`Source::open`]; and when there is no middle to read from, as in standard input and pipes.
    pub fn open_at(
        path: impl AsRef<Path>,
        options: &ReadOptions,
        from: Position,
    ) -> Result<Self, InputError> {
        let name = shown_name(path.as_ref());
        let OpenedInput { raw, size, expected, again } = OpenedInput::new(path.as_ref())?;
        if again.is_none() && from != Position::START {
            return Err(InputError::NoMiddle { name });
        }
        let info = SourceInfo::plain(&name, size);
        let again =
            again.map(|(path, identity)| ClosedFile { path, from, identity, form: TextForm::default() });
        Ok(Self { expected, ..Self::start(info, raw, again, options)? })
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
        let info = SourceInfo::plain(name, None);
        Self::start(info, Raw::of(reader), None, options)
    }

    /// Reads a column of puzzles in memory, and the solutions that they claim from another of as many rows; `name` is
    /// what results and messages call it.
    #[must_use]
    pub fn of_values(name: &str, puzzles: Arc<dyn Values>, claims: Option<Arc<dyn Values>>) -> Self {
        let records = ValueRecords::new(puzzles, claims);
        let text = SourceText::Rows(Box::new(records.clone()));
        Self::unseen(SourceInfo::plain(name, Some(records.bytes())), Arc::new(records), text)
    }

    /// Hands out batches that were cut before, all of sources that are read as the first of them is.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[must_use]
    pub fn of_batches(batches: Vec<Batch>) -> Self {
        let first = batches.first().expect("there are batches");
        let (name, format) = (first.source.name.clone(), Arc::clone(&first.format));
        let size = batches.iter().map(Batch::size).sum();
        let text = SourceText::Rows(Box::new(CutBatches(batches.into())));
        Self::unseen(SourceInfo::plain(&name, Some(size)), format, text)
    }

    /// Reads standard input as lines of a key, a tab and a puzzle; see [`KeyedLine`](super::KeyedLine).
    #[must_use]
    pub fn keyed_standard_input() -> Self {
        let raw = standard_input().map_or_else(
            || Raw::of(io::stdin()),
            |file| {
                let ready = ready(&file);
                Raw::with_pauses(file, ready)
            },
        );
        Self::keyed("-", raw)
    }

    /// Reads lines of a key, a tab and a puzzle; `name` is what results and messages call them.
    #[cfg(test)]
    pub(super) fn of_keyed_lines(name: &str, reader: impl Read + Send + 'static) -> Self {
        Self::keyed(name, Raw::of(reader))
    }

    fn keyed(name: &str, raw: Raw) -> Self {
        // From the first byte on, whatever that looks like.
        let stream = Stream::plain_from(0, raw, &Hash::new(false));
        let text = SourceText::Open(Box::new(stream));
        Self::unseen(SourceInfo::plain(name, None), Arc::new(KeyedLines), text)
    }

    /// A source of which nothing was read.
    fn unseen(info: SourceInfo, format: Arc<dyn Format>, text: SourceText) -> Self {
        Self {
            info: Arc::new(info),
            format,
            choice: None,
            text,
            carry: Vec::new(),
            position: Position::START,
            read: 0,
            carries_records: false,
            is_blank: true,
            hash: Hash::new(false),
            trust_compressed: false,
            carried: Arc::default(),
            binary: None,
            expected: None,
            notes: Vec::new(),
            look: None,
        }
    }

    fn start(
        mut info: SourceInfo,
        raw: Raw,
        again: Option<ClosedFile>,
        options: &ReadOptions,
    ) -> Result<Self, InputError> {
        let hash = Hash::new(options.hash);
        // What is opened again is hashed then.
        let seen_by = if again.is_some() { Hash::new(false) } else { hash.clone() };
        let unread = |source| InputError::Read { name: info.name.clone(), offset: 0, source };
        let mut stream = Stream::new(raw, &seen_by, options.trust_compressed).map_err(unread)?;
        info.compressed = stream.compression().is_some();
        if let Some(binary) = Binary::of(&stream.start(Binary::is_clear)) {
            return Self::start_binary(binary, info, stream, again, options, hash);
        }
        let Look { found, is_empty, shown } = find_format(&mut stream, &info.name, options);
        if (is_empty || found.is_err())
            && let Some(error) = stream.take_failure(&info.name)
        {
            return Err(error);
        }
        let Detected { choice, format, .. } = found?;
        stream.keep_long_lines(!format.begins_lines());
        let notes = idle_columns(&info.name, &*format, options);
        let (position, text) = match again {
            Some(closed) => {
                let closed = ClosedFile { form: stream.form(), ..closed };
                (closed.from, SourceText::Closed(Box::new(closed)))
            }
            None => (Position::START, SourceText::Open(Box::new(stream))),
        };
        Ok(Self {
            notes,
            choice: Some(choice),
            position,
            hash,
            trust_compressed: options.trust_compressed,
            look: shown,
            ..Self::unseen(info, format, text)
        })
    }

    /// Opens what is no text, as its first bytes show.
    fn start_binary(
        binary: Binary,
        info: SourceInfo,
        stream: Stream,
        again: Option<ClosedFile>,
        options: &ReadOptions,
        hash: Hash,
    ) -> Result<Self, InputError> {
        let name = info.name.clone();
        if let Some(format) = options.format.filter(|format| format.name() != binary.name()) {
            let what = format!("starts as {} does, and not as {}", binary.name(), format.name());
            return Err(InputError::Unreadable { name, what });
        }
        let compression = stream.compression();
        let (bytes, looked_at) = match &again {
            Some(closed) if !info.compressed => {
                let failed = |source| InputError::Open { name: name.clone(), source };
                (Bytes::File(File::open(&closed.path).map_err(failed)?), Hash::new(false))
            }
            _ => (Bytes::Stream(Box::new(stream)), hash.clone()),
        };
        let input = BinaryInput { name: &name, bytes, from: Position::START, options, hash: &looked_at };
        let BinaryRows { batches, known, mut notes } = binary.open(input)?;
        notes.extend(idle_columns(&name, &known, options));
        let format = Arc::new(known.clone());
        let text = match again {
            Some(closed) => SourceText::Closed(Box::new(closed)),
            None => SourceText::Rows(batches),
        };
        let compression = compression.filter(|_| info.compressed);
        let look = options.look.then(|| InputLook {
            format: binary.name(),
            evidence: vec![(binary.name(), u64::MAX)],
            compression,
            encoding: None,
            columns: known.columns,
            table: None,
            excerpt: None,
        });
        Ok(Self {
            look,
            hash,
            trust_compressed: options.trust_compressed,
            binary: Some((binary, Box::new(options.clone()))),
            notes,
            ..Self::unseen(info, format, text)
        })
    }

    /// Opens the file again that was closed after the look at its start.
    fn open_again(&mut self, closed: ClosedFile) -> Result<SourceText, InputError> {
        let (from, form) = (closed.from, closed.form);
        let file = self.reopen(closed)?;
        let Some((binary, options)) = &self.binary else {
            let mut stream = self.text_of(file, from, form)?;
            stream.keep_long_lines(!self.format.begins_lines());
            return Ok(SourceText::Open(Box::new(stream)));
        };
        let bytes = if self.info.compressed {
            let stream = Stream::new(Raw::of(file), &self.hash, self.trust_compressed);
            let failed = |source| InputError::Open { name: self.info.name.clone(), source };
            Bytes::Stream(Box::new(stream.map_err(failed)?))
        } else {
            Bytes::File(file)
        };
        let input = BinaryInput { name: &self.info.name, bytes, from, options, hash: &self.hash };
        let mut rows = binary.open(input)?.batches;
        rows.carry(&self.carried);
        Ok(SourceText::Rows(rows))
    }

    /// Opens the file again if it is still what it was.
    fn reopen(&mut self, closed: ClosedFile) -> Result<File, InputError> {
        let ClosedFile { path, identity, .. } = closed;
        let name = self.info.name.clone();
        let failed = |source| InputError::Open { name: name.clone(), source };
        // Before it is opened: what took its place may be a pipe, and opening would wait.
        let now = Identity::of(&fs::metadata(&path).map_err(failed)?);
        if let Some(damage) = identity.damage(&now) {
            let change = format!("{damage} after the look at its start; nothing more of it was read");
            return Err(InputError::Changed { name, change });
        }
        if now.size > identity.size {
            let (before, now) = (identity.size, now.size);
            self.notes.push(format!(
                "{name}: grew from {before} to {now} bytes after the look at its start; all is read"
            ));
        }
        let file = File::open(&path).map_err(failed)?;
        self.expected = Some(file.metadata().map_err(failed)?.len());
        Ok(file)
    }

    /// The text of a file that was opened again.
    fn text_of(&self, mut file: File, from: Position, form: TextForm) -> Result<Stream, InputError> {
        let name = self.info.name.clone();
        let failed = |source| InputError::Open { name: name.clone(), source };
        let too_short = || InputError::Shorter { name: name.clone(), offset: from.offset };
        if from.offset > 0 && !form.is_made {
            if self.expected < Some(from.offset) {
                return Err(too_short());
            }
            file.seek(SeekFrom::Start(from.offset)).map_err(failed)?;
            return Ok(Stream::plain_from(from.offset, Raw::of(file), &self.hash).in_form(form));
        }
        let stream = Stream::new(Raw::of(file), &self.hash, self.trust_compressed).map_err(failed)?;
        let mut stream = stream.in_form(form);
        if from.offset == 0 || stream.skip_to(from.offset) {
            return Ok(stream);
        }
        Err(stream.take_failure(&self.info.name).unwrap_or_else(too_short))
    }

    /// Name and size.
    #[must_use]
    pub fn info(&self) -> &Arc<SourceInfo> {
        &self.info
    }

    /// Reads the next chunk of whole records, about `target` bytes; `None` at the end.
    ///
    /// A batch is larger only if its first record is, and smaller where a pipe or a terminal gives nothing more for
    /// a while, or where records are so short that they are many. `buffer` is used again, whatever is in it.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened again, cannot be read on, or is damaged. The records before
    /// that were handed out; the next call gives `None`.
    pub fn next_batch(&mut self, mut buffer: Vec<u8>, target: usize) -> Result<Option<Batch>, InputError> {
        buffer.clear();
        buffer.shrink_to(target.saturating_mul(2));
        if let SourceText::Closed(closed) = &self.text {
            match self.open_again(ClosedFile::clone(closed)) {
                Ok(text) => self.text = text,
                Err(error) => {
                    self.text = SourceText::Ended(0);
                    return Err(error);
                }
            }
        }
        let stream = match &mut self.text {
            SourceText::Open(stream) => stream,
            SourceText::Rows(rows) => {
                let mut next = rows.next_batch(&self.info, buffer, target);
                if let Ok(Some(batch)) = &mut next {
                    batch.carried = Arc::clone(&self.carried);
                }
                if !matches!(next, Ok(Some(_))) {
                    let note = rows.note().filter(|_| next.is_ok());
                    self.notes.extend(note.map(|note| format!("{}: {note}", self.info.name)));
                    self.text = SourceText::Ended(rows.raw_position());
                }
                return next;
            }
            SourceText::Closed(_) | SourceText::Ended(_) => return Ok(None),
        };
        buffer.append(&mut self.carry);
        self.carry.shrink_to(target.saturating_mul(2));
        loop {
            // Doubling looks at the start of a long record only so many times.
            let wanted = if self.carries_records { 1 } else { target.max(2 * buffer.len()).max(1) };
            let end = stream.fill(&mut buffer, wanted);
            self.position.offset = stream.offset_behind(self.read);
            let position = self.position;
            let Cut { length, lines, records, ahead } =
                self.format.cut(&mut self.position.cursor, &buffer, end);
            self.position.line += lines;
            self.position.records += records;
            self.read += length as u64;
            if records > 0 {
                stream.has_records();
                self.carries_records = records == MOST_RECORDS;
                self.carry.extend_from_slice(&buffer[length..]);
                buffer.truncate(length + ahead);
                return Ok(Some(Batch {
                    source: Arc::clone(&self.info),
                    bytes: buffer,
                    position,
                    records,
                    ahead,
                    format: Arc::clone(&self.format),
                    carried: Arc::clone(&self.carried),
                }));
            }
            self.is_blank &= detect::is_blank(&buffer[..length]);
            buffer.drain(..length);
            self.carries_records = false;
            if let Some(bomb) = stream.bomb(&self.info.name) {
                self.text = SourceText::Ended(stream.raw_position());
                return Err(bomb);
            }
            // What was left out comes alone where it decides how the records behind it are read.
            if end != TextEnd::More && length == 0 {
                let mut failure = stream.take_failure(&self.info.name);
                if failure.is_none() {
                    failure = shrunk(&self.info.name, self.expected, stream.raw_position());
                }
                let is_nothing = self.position.records == 0 && !(self.is_blank && detect::is_blank(&buffer));
                if failure.is_none() && is_nothing && !self.format.may_be_empty(&self.position.cursor) {
                    failure = self.choice.map(|choice| choice.no_records(&self.info.name));
                }
                if end == TextEnd::Last
                    && failure.is_none()
                    && let Some(fault) = self.format.bad_end(&self.position.cursor)
                {
                    let batch = BadEnd(fault).batch(&self.info, self.position);
                    self.position.records += 1;
                    self.position.cursor.nesting = Nesting::OUTSIDE;
                    return Ok(Some(Batch { carried: Arc::clone(&self.carried), ..batch }));
                }
                self.text = SourceText::Ended(stream.raw_position());
                if end == TextEnd::Last
                    && let Some(note) = self.format.note(&self.position.cursor, self.position.records)
                {
                    self.notes.push(format!("{}: {note}", self.info.name));
                }
                let passed = self.position.cursor.passed.note(self.position.line);
                self.notes.extend(passed.map(|note| format!("{}: {note}", self.info.name)));
                return failure.map_or(Ok(None), Err);
            }
        }
    }

    /// Bytes of the file or stream taken in so far, compressed if it is.
    #[must_use]
    pub fn raw_position(&self) -> u64 {
        match &self.text {
            SourceText::Closed(..) => 0,
            SourceText::Open(stream) => stream.raw_position(),
            SourceText::Rows(rows) => rows.raw_position(),
            SourceText::Ended(position) => *position,
        }
    }

    /// The bytes read so far and, if [`ReadOptions::hash`] wants it, their SHA-256 once the end was reached. It may be
    /// kept and asked when the source itself has been given away.
    #[must_use]
    pub fn hash(&self) -> Hash {
        self.hash.clone()
    }

    /// The columns of its records, if it is a table.
    #[must_use]
    pub fn columns(&self) -> Columns {
        self.format.columns()
    }

    /// Whether claimed solutions were found at the start.
    #[must_use]
    pub fn has_claims(&self) -> bool {
        self.format.has_claims()
    }

    /// Has the batches that come carry these columns along, by their indices; `None` stands for one that it lacks.
    pub fn carry(&mut self, columns: &[Option<usize>]) {
        self.carried = columns.into();
        if let SourceText::Rows(rows) = &mut self.text {
            rows.carry(columns);
        }
    }

    /// Whether the input is a table in which a column holds claimed solutions.
    #[must_use]
    pub fn has_claim_column(&self) -> bool {
        self.format.has_columns() && self.format.has_claims()
    }

    /// Whether there is no text of its records.
    pub(crate) const fn is_binary(&self) -> bool {
        self.binary.is_some()
    }

    /// What its start showed, if [`ReadOptions::look`] asked for it.
    #[must_use]
    pub const fn look(&self) -> Option<&InputLook> {
        self.look.as_ref()
    }

    /// The file and how it is read, if its text is as it lies there and nothing was read of it yet.
    pub(super) fn unread_file(&self) -> Option<(&Path, &Arc<dyn Format>)> {
        match &self.text {
            SourceText::Closed(closed) if !closed.form.is_made => Some((&closed.path, &self.format)),
            _ => None,
        }
    }

    /// What is worth a warning; complete after the end was reached.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// What the start of an input is found to be.
struct Look {
    found: Result<Detected, InputError>,
    is_empty: bool,
    /// What `inspect` shows of it, if that is asked for.
    shown: Option<InputLook>,
}

/// Looks at the start of an input, and at more of it until that is enough.
fn find_format(stream: &mut Stream, name: &str, options: &ReadOptions) -> Look {
    let (compression, encoding) = (stream.compression(), stream.encoding());
    let mut length = LOOK;
    let mut is_last_look = false;
    let mut looked_at = 0_usize;
    loop {
        let (bytes, seen) = stream.look(length);
        // Where nothing is known of much, a pause that brought little says little.
        if seen == SeenText::Pause && bytes.len() < looked_at + looked_at.saturating_sub(LOOK) / 4 {
            continue;
        }
        looked_at = bytes.len();
        let sample = Sample {
            name,
            bytes,
            whole: seen == SeenText::All,
            puzzle_column: options.puzzle_column.as_deref(),
            solution_column: options.solution_column.as_deref(),
            claims: options.claims,
            look: options.look,
            option_names: options.option_names,
            compression,
        };
        let finding = Finding::of(&sample, options.format);
        let is_enough = match seen {
            SeenText::All => true,
            SeenText::Pause => finding.is_certain(&sample),
            SeenText::Enough => is_last_look || finding.is_enough(),
        };
        // What comes late is looked at with as much behind it as what comes at once.
        if is_enough && (is_last_look || length == LOOK || seen != SeenText::Enough) {
            let found = finding.open(&sample);
            let known = found.as_ref().ok().filter(|_| options.look);
            let shown = known.map(|known| InputLook {
                format: known.choice.name(),
                evidence: known.evidence.clone(),
                compression,
                encoding,
                columns: known.format.columns(),
                table: known.format.table(&sample),
                excerpt: known.format.excerpt(),
            });
            return Look { found, is_empty: bytes.is_empty(), shown };
        }
        let is_document = detect::is_document(&sample, options.format);
        // So far no line was cut short: what was looked at first is less than the longest.
        stream.keep_long_lines(is_document);
        if seen == SeenText::Enough {
            is_last_look = is_enough || stream.decompressed() >= LONGEST_LOOK;
            length = if is_last_look { looked_at + LOOK } else { 4 * length };
        }
    }
}

/// Notes on options that name columns of what has none.
fn idle_columns(name: &str, format: &dyn Format, options: &ReadOptions) -> Vec<String> {
    if format.has_columns() {
        return Vec::new();
    }
    let columns = [("puzzle", &options.puzzle_column), ("solution", &options.solution_column)];
    let note = |(what, wanted): (&str, &Option<String>)| {
        let says_nothing = format!("{name}: is no table, so that the name of the {what} column says nothing");
        wanted.is_some().then_some(says_nothing)
    };
    columns.into_iter().filter_map(note).collect()
}

/// What there is to say of an input that ended before all bytes came that were there when it was opened.
pub(super) fn shrunk(name: &str, expected: Option<u64>, came: u64) -> Option<InputError> {
    let expected = expected.filter(|&expected| came < expected)?;
    let change = format!(
        "shrank from {expected} to {came} bytes while it was read; the records before that were read"
    );
    Some(InputError::Changed { name: name.to_owned(), change })
}

/// What results and messages call a file: its path, bytes that are no UTF-8 as `\xff` and the like.
#[must_use]
pub fn shown_name(path: &Path) -> String {
    let mut name = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        name += chunk.valid();
        name.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    name
}

/// An input that was opened by its name.
pub(super) struct OpenedInput {
    pub raw: Raw,
    /// `None` for what has no size.
    pub size: Option<u64>,
    /// Bytes that are to come; `None` for what has no size.
    pub expected: Option<u64>,
    /// Where it can be opened once more, and what it is; `None` for what can be read only once.
    again: Option<(PathBuf, Identity)>,
}

impl OpenedInput {
    pub fn new(path: &Path) -> Result<Self, InputError> {
        if path == Path::new("-") {
            let file = standard_input();
            return Ok(file.map_or_else(
                || Self { raw: Raw::of(io::stdin()), size: None, expected: None, again: None },
                |file| {
                    let metadata = file.metadata().ok();
                    Self { again: None, ..Self::of(file, metadata, PathBuf::new()) }
                },
            ));
        }
        let failed = |source| InputError::Open { name: shown_name(path), source };
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(InputError::Directory { name: shown_name(path) });
        }
        Ok(Self::of(file, Some(metadata), path.to_owned()))
    }

    fn of(mut file: File, metadata: Option<Metadata>, path: PathBuf) -> Self {
        let metadata = metadata.filter(Metadata::is_file);
        let size = metadata.as_ref().map(Metadata::len);
        let ready = if size.is_some() { None } else { ready(&file) };
        // Of standard input somebody may have read already.
        let start = if size.is_some() { file.stream_position().unwrap_or(0) } else { 0 };
        let again = metadata.map(|metadata| (path, Identity::of(&metadata)));
        let expected = size.map(|size| size.saturating_sub(start));
        Self { raw: Raw::with_pauses(file, ready), size, expected, again }
    }
}

/// The descriptor of standard input: `Stdin` would read through a buffer of its own and hide the file's size.
#[cfg(unix)]
fn standard_input() -> Option<File> {
    use std::os::fd::AsFd;
    io::stdin().as_fd().try_clone_to_owned().ok().map(File::from)
}

/// Standard input is read as such.
#[cfg(not(unix))]
fn standard_input() -> Option<File> {
    None
}

/// Tells when a pipe or a terminal has something to read.
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
                // Whatever is wrong, reading will say it.
                found => return found != Ok(0),
            }
        }
    }))
}

/// Everything is taken as ready.
#[cfg(not(unix))]
fn ready(_: &File) -> Option<Ready> {
    None
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::Path;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::input::testing::{PUZZLE, Reading, dotted, drain, drain_on, open};

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).expect("memory takes it");
        encoder.finish().expect("memory takes it")
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        // With a checksum, as the zstd program writes it.
        let mut encoder = ::zstd::Encoder::new(Vec::new(), 1).expect("level 1 exists");
        encoder.include_checksum(true).expect("a checksum can be had");
        encoder.write_all(text).expect("memory takes it");
        encoder.finish().expect("memory takes it")
    }

    /// Puzzles that differ, so that they do not compress to nothing, and end in their number.
    fn puzzles(count: usize) -> String {
        let mut state = 12345_u64;
        let mut list = String::new();
        for number in 0..count {
            for _ in 0..81 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                list.push(char::from(b'0' + (state >> 33) as u8 % 10));
            }
            list += &format!(" {number:06}\n");
        }
        list
    }

    fn read(bytes: &[u8]) -> Reading {
        drain(open(bytes, &ReadOptions::default()).expect("the format is found"), 100 << 10)
    }

    fn texts(reading: &Reading) -> String {
        reading.records.iter().map(|record| String::from_utf8_lossy(&record.text).into_owned()).collect()
    }

    fn write(directory: &tempfile::TempDir, name: &str, bytes: &[u8]) -> String {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).expect("a temporary file can be written");
        path.into_os_string().into_string().expect("the path is UTF-8")
    }

    #[test]
    fn all_members_and_frames_are_read() {
        let text = puzzles(3000);
        // The border is in the middle of a line.
        let (first, second) = text.split_at(text.len() / 2 + 40);
        for compress in [gzip, zstd] {
            let parts = [compress(first.as_bytes()), compress(b""), compress(second.as_bytes())].concat();
            for bytes in [compress(text.as_bytes()), parts] {
                let reading = read(&bytes);
                assert!(reading.error.is_none());
                assert_eq!(texts(&reading), text);
                assert_eq!(reading.records.last().expect("3000 records").line, 3000);
            }
        }
        let skippable = [b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec(), zstd(text.as_bytes())].concat();
        assert_eq!(texts(&read(&skippable)), text);
        let marked = gzip(format!("\u{feff}{PUZZLE}").as_bytes());
        assert_eq!(read(&marked).show(), [dotted()]);
    }

    #[test]
    fn truncated_data_keeps_the_rows_before_the_end_and_names_the_offset() {
        let text = puzzles(3000);
        for (compress, name) in [(gzip as fn(&[u8]) -> Vec<u8>, "gzip"), (zstd, "zstd")] {
            let bytes = compress(text.as_bytes());
            for cut in (10..bytes.len()).step_by(bytes.len() / 37).chain([bytes.len() - 1, bytes.len() - 5]) {
                let (got, error) = match open(&bytes[..cut], &ReadOptions::default()) {
                    Ok(source) => {
                        let reading = drain(source, 100 << 10);
                        assert!(reading.notes.is_empty());
                        (texts(&reading), reading.error)
                    }
                    Err(error) => (String::new(), Some(error)),
                };
                assert!(text.starts_with(&got));
                assert!(got.is_empty() || got.ends_with('\n'), "only whole rows");
                // Most of what was there came out; a zstd block holds up to 128 KiB of text.
                let there = text.len() * cut / bytes.len();
                assert!(got.len() + (140 << 10) > there, "{name}: {} of {there}", got.len());
                let Some(InputError::Damaged { name: input, compression, offset, decompressed, reason }) =
                    error
                else {
                    panic!("{name} cut at {cut}")
                };
                assert_eq!((input.as_str(), compression), ("test", name));
                assert!(offset <= cut as u64 && offset + 16 >= cut as u64, "{offset} of {cut}");
                assert!(decompressed >= got.len() as u64 && decompressed <= text.len() as u64);
                assert!(reason.contains("too early"), "{reason}");
            }
        }
    }

    /// Once the cut header was all that was talked of.
    #[test]
    fn damage_before_the_first_whole_row_is_named() {
        let table = format!("id,remark,puzzle\n{}", format!("1,a,{PUZZLE}\n").repeat(100));
        let packed = gzip(table.as_bytes());
        let error = open(&packed[..14], &ReadOptions::default()).expect_err("nothing can be read");
        assert!(matches!(error, InputError::Damaged { .. }), "{error}");
    }

    #[test]
    fn truncated_gzip_loses_no_more_than_the_last_row() {
        let text = puzzles(3000);
        let bytes = gzip(text.as_bytes());
        let reading = read(&bytes[..bytes.len() / 2]);
        let Some(InputError::Damaged { decompressed, .. }) = reading.error else { panic!("damaged") };
        assert_eq!(texts(&reading).len(), decompressed as usize / 89 * 89);
        assert!(decompressed as usize > text.len() / 2 - (16 << 10));
    }

    #[test]
    fn damage_in_the_middle_keeps_the_rows_before_it() {
        let text = puzzles(3000);
        for (compress, name) in [(gzip as fn(&[u8]) -> Vec<u8>, "gzip"), (zstd, "zstd")] {
            // The second member is no longer what it was; the first stays readable.
            let first = compress(text.as_bytes());
            let mut second = compress(text.as_bytes());
            let middle = second.len() / 2;
            second[middle..middle + 64].fill(0xff);
            let reading = read(&[first.clone(), second].concat());
            let got = texts(&reading);
            assert!(got.starts_with(&text), "{name}");
            let Some(InputError::Damaged { offset, .. }) = reading.error else { panic!("{name}: damaged") };
            assert!(offset as usize > first.len());
        }
    }

    #[test]
    fn a_wrong_checksum_is_damage_behind_all_rows() {
        let text = puzzles(100);
        let mut bytes = gzip(text.as_bytes());
        let at = bytes.len() - 8;
        bytes[at] ^= 1;
        let reading = read(&bytes);
        assert_eq!(texts(&reading), text);
        assert!(matches!(reading.error, Some(InputError::Damaged { compression: "gzip", .. })));
    }

    #[test]
    fn garbage_behind_gzip_data_is_said_to_be_that() {
        let text = puzzles(2000);
        let bytes = gzip(text.as_bytes());
        for garbage in [&b"this is no gzip member"[..], b"x"] {
            let reading = read(&[&bytes[..], garbage].concat());
            assert_eq!(texts(&reading), text);
            let Some(InputError::Damaged { reason, offset, .. }) = reading.error else { panic!("damaged") };
            assert!(reason.contains("trailing garbage"), "{reason}");
            assert!(offset as usize >= bytes.len() && offset as usize <= bytes.len() + 10, "{offset}");
        }
    }

    #[test]
    fn damage_while_looking_costs_no_row() {
        // Twenty rows are less than is looked at to find the format.
        let text = puzzles(20);
        let reading = read(&[gzip(text.as_bytes()), b"\x1f\x8b\x08garbage".to_vec()].concat());
        assert_eq!(texts(&reading), text);
        assert!(reading.error.is_some());
        // Where nothing at all can be read, that shows when it is opened.
        let error = open(&gzip(text.as_bytes())[..15], &ReadOptions::default()).expect_err("no text");
        assert!(matches!(error, InputError::Damaged { decompressed: 0, .. }));
    }

    #[test]
    fn what_cannot_be_opened_is_named() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let options = ReadOptions::default();
        let missing = directory.path().join("missing.txt").into_os_string().into_string().expect("UTF-8");
        let error = Source::open(&missing, &options).expect_err("missing");
        assert!(
            matches!(&error, InputError::Open { source, .. } if source.kind() == io::ErrorKind::NotFound)
        );
        assert!(error.to_string().starts_with(&format!("{missing}: cannot open: ")));
        let name = directory.path().to_str().expect("UTF-8");
        assert!(matches!(Source::open(name, &options), Err(InputError::Directory { .. })));
    }

    /// Text in UTF-16 and UTF-32 of either order, with a mark.
    fn encodings(text: &str) -> [Vec<u8>; 4] {
        let wide = |bytes: fn(u16) -> [u8; 2]| {
            [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(bytes).collect()
        };
        let wider = |bytes: fn(u32) -> [u8; 4]| {
            ['\u{feff}'].into_iter().chain(text.chars()).flat_map(|c| bytes(c.into())).collect()
        };
        [wide(u16::to_le_bytes), wide(u16::to_be_bytes), wider(u32::to_le_bytes), wider(u32::to_be_bytes)]
    }

    #[test]
    fn every_encoding_and_line_end_gives_the_same_records() {
        let text = format!("# é\n{PUZZLE}\n\n{PUZZLE} │ 2\n{}\u{1f600}\n{PUZZLE}", &PUZZLE[..80]);
        let expected = read(text.as_bytes());
        assert_eq!(expected.show()[2], "5:81: invalid character '\u{1f600}' (expected 1-9, 0 or .)");
        let macintosh = text.replace('\n', "\r");
        let mut kinds: Vec<Vec<u8>> = vec![
            macintosh.clone().into_bytes(),
            format!("\u{feff}{macintosh}\r").into_bytes(),
            format!("{text}\x1a").into_bytes(),
            format!("{text}\r\n\x1a{}\n", "\x1a".repeat(100)).into_bytes(),
        ];
        kinds.extend(encodings(&text));
        kinds.extend(encodings(&format!("{macintosh}\r\x1a")));
        kinds.extend(encodings(&text).map(|bytes| bytes[2..].to_vec()).into_iter().take(2));
        for kind in kinds {
            for bytes in [gzip(&kind), zstd(&kind), kind] {
                for target in [1, 100, 10_000] {
                    let reading = drain(open(&bytes, &ReadOptions::default()).expect("puzzles"), target);
                    assert_eq!(reading.show(), expected.show(), "{}", bytes.escape_ascii());
                    let lines =
                        |reading: &Reading| reading.records.iter().map(|r| r.line).collect::<Vec<_>>();
                    assert_eq!(lines(&reading), lines(&expected));
                }
            }
        }
        // NUL bytes alone make no UTF-16.
        let nul = format!("\0\0\0\0\0\0\0\0\n{PUZZLE}\n");
        assert_eq!(read(nul.as_bytes()).show()[1], dotted());
    }

    #[test]
    fn half_a_pair_and_a_control_z_inside_cost_their_record() {
        let text = format!("{PUZZLE}\n{PUZZLE}\n{PUZZLE}\n");
        let mut wide = encodings(&text)[0].clone();
        wide[2 + 2 * 90 + 1] = 0xd8;
        let shown = read(&wide).show();
        assert_eq!(shown[1], "2:9: invalid character '\u{fffd}' (expected 1-9, 0 or .)");
        assert_eq!([&shown[0], &shown[2]], [&dotted(), &dotted()]);
        let shown = read(text.replacen("\n1", "\n\x1a", 1).as_bytes()).show();
        assert_eq!(shown[1], "2:1: invalid character '\\x1a' (expected 1-9, 0 or .)");
        assert_eq!([&shown[0], &shown[2]], [&dotted(), &dotted()]);
        // A carriage return among line feeds ends a line, too, unless it may be part of a text in quotes.
        let one = text.replacen('\n', "\r", 1);
        for above in ["", "# \"x\"\n", "# \"x\n# y\"\r\n"] {
            assert_eq!(read(format!("{above}{one}").as_bytes()).show(), vec![dotted(); 3], "{above:?}");
        }
        let shown = read(format!("# \"\n{one}").as_bytes()).show();
        assert!(shown.len() == 2 && shown[0].starts_with("2:82: "), "{shown:?}");
    }

    /// Blocks end between the characters of line ends, too.
    #[test]
    fn line_ends_of_every_kind_in_one_file() {
        let line = |at: usize| format!("{PUZZLE}{}", ["\n", "\r\n", "\r", "\r\r\n"][at % 4]);
        let text: String = (0..8000).map(line).collect();
        for pad in 0..4 {
            let reading = read(format!("# {}\n{text}", "x".repeat(pad)).as_bytes());
            assert!(
                reading.records.len() == 8000
                    && reading.records.iter().all(|record| record.show() == dotted())
            );
            assert_eq!(reading.records[7999].line, 8001);
        }
    }

    /// The bounds of looks and blocks fall on everything once.
    #[test]
    fn what_comes_late_is_found() {
        let head = |unit: &str, bytes: usize| unit.repeat(bytes / unit.len() + 1);
        let puzzles = format!("{PUZZLE}\n").repeat(3);
        for (unit, bytes) in [("# a remark\n", 300_000), ("\n", 100_000), (" \r\n", 70_000)] {
            let text = head(unit, bytes) + &puzzles;
            let lines = text.lines().count() as u64;
            for text in [text.clone(), text.replace("\r\n", "\n").replace('\n', "\r")] {
                let reading = read(text.as_bytes());
                assert_eq!(reading.show(), vec![dotted(); 3], "{unit:?}");
                assert_eq!(reading.records[2].line, lines);
            }
            let table = format!("{}id,puzzle\n1,{PUZZLE}\n", head(unit, bytes));
            assert_eq!(read(table.as_bytes()).show(), [dotted()], "{unit:?}");
        }
        // Prose is a record of the list, or a title of the grids; but the format is found.
        for (puzzles, good) in [(puzzles, 3), (format!("\n{}", crate::input::testing::rows()), 1)] {
            let text = head("It was the best of times, it was the worst of times.\n", 300_000) + &puzzles;
            let shown = read(text.as_bytes()).show();
            assert_eq!(shown[shown.len() - good..], vec![dotted(); good]);
        }
        for line_end in ["\n", "\r"] {
            let text = format!("{}{line_end}{PUZZLE}{line_end}{PUZZLE}{line_end}", "x".repeat(3 << 20));
            let shown = read(text.as_bytes()).show();
            assert_eq!(shown[1..], vec![dotted(); 2], "{line_end:?}");
            assert!(shown[0].starts_with("1:"), "{}", shown[0]);
        }
    }

    #[test]
    fn a_file_is_closed_until_its_turn_and_its_position_ends_at_its_size() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let text = puzzles(5000);
        for (name, bytes) in [("a.txt", text.clone().into_bytes()), ("a.gz", gzip(text.as_bytes()))] {
            let path = write(&directory, name, &bytes);
            let mut source = Source::open(&path, &ReadOptions::default()).expect("puzzles");
            assert_eq!(source.info().size, Some(bytes.len() as u64));
            assert_eq!((source.info().name.as_str(), source.raw_position()), (path.as_str(), 0));
            let chunk = source.next_batch(Vec::new(), 1000).expect("readable").expect("records");
            assert!(chunk.bytes.len() <= 1000 && chunk.records == chunk.bytes.len() as u64 / 89);
            let mut buffer = Vec::new();
            let mut last = source.raw_position();
            while let Some(chunk) = source.next_batch(buffer, 50_000).expect("readable") {
                assert!(source.raw_position() >= last);
                last = source.raw_position();
                buffer = chunk.bytes;
            }
            assert_eq!(source.raw_position(), bytes.len() as u64);
            assert!(source.next_batch(Vec::new(), 1000).expect("still at the end").is_none());

            let mut source = Source::open(&path, &ReadOptions::default()).expect("puzzles");
            std::fs::remove_file(&path).expect("it was there");
            assert!(matches!(source.next_batch(Vec::new(), 1000), Err(InputError::Open { .. })));
            assert!(source.next_batch(Vec::new(), 1000).expect("an error comes once").is_none());
        }
    }

    /// Texts of every format, good and bad.
    fn texts_of_all_kinds() -> Vec<(String, Vec<u8>)> {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
        let mut texts: Vec<(String, Vec<u8>)> = std::fs::read_dir(golden)
            .expect("the golden files")
            .map(|entry| entry.expect("a file").path())
            .filter(|path| path.is_file())
            .map(|path| (path.display().to_string(), std::fs::read(path).expect("readable")))
            .collect();
        assert!(texts.len() > 30);
        let long = "1".repeat(super::super::MAX_LINE + 5000);
        let solved = "143628579572139468986754231391542786468917352725863914237481695619275843854396127";
        let rows = crate::input::testing::rows();
        let case = "1\n6 B2 1 B3\nC5 A3 D9 I4 A9 E5 A2 C6 I1\n";
        let made = [
            format!("\u{feff}# x\n{PUZZLE}\n{long}\n{PUZZLE},1\r\n\r\n12\n{long}{long}\n{PUZZLE}"),
            format!("3\n{PUZZLE},{solved}\n{PUZZLE},\n7\n{PUZZLE},{solved}"),
            format!("\n\n\n#\n{PUZZLE}\n{PUZZLE}\n"),
            format!("\u{feff}2\n{rows}\n{long}\n{rows}Grid 7\n{rows}123\n\n{rows}"),
            format!("{case}{case}1\n6 B2 1\n{case}12 {long}\n{case}0\n\nmore text\n{case}"),
            format!(
                "puzzle,solution\n{PUZZLE},{solved}\n\"a\nb\",c\n{long},{long}\n\"{PUZZLE},\n{PUZZLE},{solved}\n"
            ),
            String::new(),
        ];
        let named = made.into_iter().map(|text| (text.chars().take(40).collect(), text.into_bytes()));
        texts.extend(named.collect::<Vec<_>>());
        texts
    }

    #[test]
    fn a_file_can_be_read_on_from_every_batch() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let options = ReadOptions::default();
        let mut resumed = 0;
        for (name, text) in texts_of_all_kinds() {
            let mut kinds = vec![("a.txt", text.clone()), ("a.gz", gzip(&text)), ("a.zst", zstd(&text))];
            if text.len() < 100_000
                && let Ok(text) = str::from_utf8(&text)
            {
                let text = text.strip_prefix('\u{feff}').unwrap_or(text);
                kinds.extend(encodings(text).into_iter().step_by(3).map(|bytes| ("wide", bytes)));
            }
            for (file, bytes) in kinds {
                // Where it is made UTF-8, there is no mark to be counted.
                let marked = if file == "wide" { text.strip_prefix(b"\xef\xbb\xbf") } else { None };
                let text = marked.unwrap_or(&text);
                let path = write(&directory, file, &bytes);
                let Ok(source) = Source::open(&path, &options) else { continue };
                let whole = drain(source, 1 << 20);
                for target in [1, 200, 5000, 1 << 20] {
                    let mut source = Source::open(&path, &options).expect("it opened before");
                    let mut before = 0;
                    while let Some(batch) = source.next_batch(Vec::new(), target).expect("readable") {
                        let at = batch.position;
                        let offset = usize::try_from(at.offset).expect("a short text");
                        assert!(
                            text[offset..].starts_with(&batch.bytes[..batch.bytes.len().min(100)]),
                            "{name}"
                        );
                        let rest = Source::open_at(&path, &options, at).expect("it opened before");
                        let rest = drain_on(rest, target, at.records);
                        assert_eq!(rest.records, whole.records[before..], "{name} in {target} at {at:?}");
                        assert_eq!((rest.notes, rest.error.is_none()), (whole.notes.clone(), true));
                        before += usize::try_from(batch.records).expect("few records");
                        resumed += 1;
                    }
                }
            }
        }
        assert!(resumed > 500, "{resumed}");
    }

    #[test]
    fn what_has_no_middle_is_named() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let options = ReadOptions::default();
        let text = puzzles(10);
        let path = write(&directory, "a.txt", text.as_bytes());
        let middle = {
            let mut source = Source::open(&path, &options).expect("puzzles");
            source.next_batch(Vec::new(), 100).expect("readable").expect("a batch");
            source.next_batch(Vec::new(), 100).expect("readable").expect("a batch").position
        };
        let error = Source::open_at("-", &options, middle).expect_err("a stream");
        assert!(matches!(error, InputError::NoMiddle { .. }), "{error}");
        for bytes in [text.as_bytes()[..89].to_vec(), gzip(&text.as_bytes()[..50])] {
            let path = write(&directory, "b.txt", &bytes[..]);
            let later = Position { offset: 90, ..middle };
            let Ok(mut source) = Source::open_at(&path, &options, later) else { panic!("it opens") };
            let error = source.next_batch(Vec::new(), 100).expect_err("too short");
            assert!(matches!(error, InputError::Shorter { offset: 90, .. }), "{error}");
        }
    }

    #[test]
    fn what_is_read_in_sequence_is_hashed_on_the_way() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let text = puzzles(3000);
        let options = ReadOptions { hash: true, ..ReadOptions::default() };
        for bytes in [text.clone().into_bytes(), gzip(text.as_bytes()), zstd(text.as_bytes())] {
            let path = write(&directory, "a.txt", &bytes);
            let stream = io::Cursor::new(bytes.clone());
            let expected = {
                let (mut reader, hash) = super::super::Hashing::new(&bytes[..]);
                io::copy(&mut reader, &mut io::sink()).expect("memory does not fail");
                hash.sha256()
            };
            let sources = [Source::open(&path, &options), Source::from_reader("stream", stream, &options)];
            for source in sources {
                let mut source = source.expect("puzzles");
                let hash = source.hash();
                let batch = source.next_batch(Vec::new(), 1000).expect("readable").expect("records");
                assert_eq!(hash.sha256(), None, "before the end");
                drain_on(source, 100_000, batch.records);
                assert_eq!((hash.bytes(), hash.sha256()), (bytes.len() as u64, expected.clone()));
            }
            let source = Source::open(&path, &ReadOptions::default()).expect("puzzles");
            let hash = source.hash();
            drain(source, 100_000);
            assert_eq!((hash.bytes(), hash.sha256()), (bytes.len() as u64, None), "not asked for");
        }
    }

    /// Opens the reading end of a pipe as the command line opens it.
    #[cfg(unix)]
    fn open_pipe(reader: io::PipeReader, options: &ReadOptions) -> Result<Source, InputError> {
        let file = File::from(std::os::fd::OwnedFd::from(reader));
        let metadata = file.metadata().ok();
        let OpenedInput { raw, size, again, .. } = OpenedInput::of(file, metadata, PathBuf::new());
        assert!(size.is_none() && again.is_none());
        Source::start(SourceInfo::plain("pipe", size), raw, None, options)
    }

    /// These tests would wait for ever if a batch waited for more than was written.
    #[test]
    #[cfg(unix)]
    fn a_pause_hands_out_what_is_there() {
        let (reader, mut writer) = io::pipe().expect("a pipe");
        let mut send = |text: &str| writer.write_all(text.as_bytes()).expect("the pipe takes it");
        send(&format!("{PUZZLE}\n{PUZZLE} 2\n{}", &PUZZLE[..40]));
        let mut source = open_pipe(reader, &ReadOptions::default()).expect("puzzles");
        let next = |source: &mut Source| {
            let batch = source.next_batch(Vec::new(), 1 << 20).expect("readable");
            batch.map(|batch| (batch.position.line, batch.records))
        };
        assert_eq!(next(&mut source), Some((1, 2)));
        send(&format!("{}\n", &PUZZLE[40..]));
        assert_eq!(next(&mut source), Some((3, 1)));
        send(&PUZZLE[..9]);
        drop(writer);
        assert_eq!(next(&mut source), Some((4, 1)));
        assert_eq!(next(&mut source), None);
    }

    #[test]
    #[cfg(unix)]
    fn a_pause_is_seen_through_compression() {
        let (reader, writer) = io::pipe().expect("a pipe");
        let mut encoder = GzEncoder::new(writer, Compression::default());
        let mut send = |puzzles: &str| {
            encoder.write_all(puzzles.as_bytes()).expect("the pipe takes it");
            encoder.flush().expect("the pipe takes it");
        };
        send(&format!("{PUZZLE}\n{PUZZLE}\n"));
        let mut source = open_pipe(reader, &ReadOptions::default()).expect("puzzles");
        let mut read = 0;
        let mut read_to = |records: u64| {
            while read < records {
                read += source.next_batch(Vec::new(), 1 << 20).expect("readable").expect("records").records;
            }
            assert_eq!(read, records);
        };
        read_to(2);
        // More than comes out of the decoder at once, made of few bytes or of many.
        send(&format!("{PUZZLE}\n").repeat(700));
        read_to(702);
        send(&puzzles(300));
        read_to(1002);
    }

    /// What is there when an input pauses decides only if it leaves no doubt.
    #[test]
    #[cfg(unix)]
    fn a_pause_decides_what_is_certain() {
        let rows = crate::input::testing::rows();
        let banded = format!("{}\n{}\n{}", &rows[..30], &rows[30..60], &rows[60..]);
        for (text, records) in [
            (format!("{PUZZLE}\n"), 1),
            // What follows a grid shows whether it has ended.
            (format!("{rows}\n"), 1),
            (format!("{banded}\n\n"), 1),
            (format!("puzzle,solution\n{PUZZLE},\n"), 1),
            ("1\n6 B2 1 B3\nC5 A3 D9 I4 A9 E5 A2 C6 I1\n".to_owned(), 1),
        ] {
            let (reader, mut writer) = io::pipe().expect("a pipe");
            writer.write_all(text.as_bytes()).expect("the pipe takes it");
            let mut source = open_pipe(reader, &ReadOptions::default()).expect("puzzles");
            let batch = source.next_batch(Vec::new(), 1 << 20).expect("readable").expect("records");
            assert_eq!(batch.records, records, "{text}");
            let mut columns = crate::record::Records::default();
            batch.read(crate::record::Want::default(), &mut columns);
            assert!(columns.readable()[0], "{text}");
        }
        // A first line that could be anything waits for the next: here it is a bad line of a list.
        let (reader, mut writer) = io::pipe().expect("a pipe");
        writer.write_all(b"4,5,6\n").expect("the pipe takes it");
        let opening = std::thread::spawn(move || open_pipe(reader, &ReadOptions::default()));
        writer.write_all(format!("{PUZZLE}\n").as_bytes()).expect("the pipe takes it");
        let mut source = opening.join().expect("no panic").expect("puzzles");
        let batch = source.next_batch(Vec::new(), 1 << 20).expect("readable").expect("records");
        assert_eq!(batch.records, 2);
    }

    /// A reader that gives a byte at a time, and an error in the end.
    struct Dripping(io::Cursor<Vec<u8>>, bool);

    impl Read for Dripping {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            match self.0.read(&mut buffer[..1])? {
                0 => Err(io::Error::from_raw_os_error(5)),
                n => Ok(n),
            }
        }
    }

    #[test]
    fn a_failing_read_keeps_the_rows_before_it() {
        let text = puzzles(30);
        for bytes in [text.clone().into_bytes(), gzip(text.as_bytes()), zstd(text.as_bytes())] {
            let length = bytes.len() as u64;
            let reader = Dripping(io::Cursor::new([&bytes[..], &bytes[..20]].concat()), false);
            let source = Source::from_reader("drip", reader, &ReadOptions::default()).expect("puzzles");
            let reading = drain(source, 500);
            assert_eq!(texts(&reading), text);
            let Some(InputError::Read { offset, .. }) = reading.error else { panic!("{:?}", reading.error) };
            assert_eq!(offset, length + 20);
        }
        let nothing = Dripping(io::Cursor::new(Vec::new()), false);
        let error = Source::from_reader("drip", nothing, &ReadOptions::default()).expect_err("an error");
        assert!(matches!(error, InputError::Read { offset: 0, .. }));
    }

    #[test]
    fn memory_is_bounded_whatever_the_input() {
        for unit in
            ["1", "\0", "\"", "#", " ", "1,\"\n", "2\n", "# x\n", "[State]\n", "\n", "x y\n", "6 B2 1 B3\n"]
        {
            // A long line has to be longer than may be kept; lines are only many.
            let size = if unit.ends_with('\n') { 1 << 20 } else { 4 << 20 };
            let text = format!("{}\n", unit.repeat(size / unit.len()));
            for format in super::super::FormatChoice::ALL {
                let options = ReadOptions {
                    format: Some(format),
                    puzzle_column: Some("1".to_owned()),
                    ..ReadOptions::default()
                };
                // As a table, nothing but a quote has no columns.
                let Ok(mut source) = open(text.as_bytes(), &options) else { continue };
                let mut buffer = Vec::new();
                while let Some(chunk) = source.next_batch(buffer, 10_000).expect("readable") {
                    assert!(chunk.bytes.len() <= 2 << 20, "{unit:?} as {format:?}");
                    assert!(source.carry.len() <= 3 << 20, "{unit:?} as {format:?}");
                    buffer = chunk.bytes;
                }
            }
        }
    }
}
