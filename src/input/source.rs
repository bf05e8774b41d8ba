//! One input, from its name to batches of complete units.
//!
//! Opening an input reads its start, so that a file that is missing or has no puzzles is known before any work starts,
//! and settles how it is read: nothing after the first MiB matters for that. A file that changes before its turn, or
//! ends before its size, is reported. If a pipe or a terminal pauses, the complete units so far are handed out, and
//! detection ends early if the text so far is unambiguous.

use std::collections::VecDeque;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::blocks::{Blocks, TextBlock};
use super::columns::{self, BinaryInput, BinaryRows, Bytes, ValueRows, binary_format};
use super::file::{ClosedFile, OpenedInput, shown_name, shrunk};
use super::hash::Hash;
use super::lost_zeros;
use super::reader::{Reader, RowBlock, Rows, Sample, State, TextReader};
use super::sniff::{Look, Sniffed, sniff};
use super::stream::{Raw, SeenText, Stream};
use super::{Batch, Columns, Framing, InputError, ReadOptions, SourceInfo, Values, listed};
use crate::sudoku::CELLS;

/// Bytes of text that are looked at: what does not show in so many does not decide.
const LOOK: usize = 1 << 20;

/// One input, opened and looked at, from which batches of whole units are read; that of nothing by default.
#[derive(Default)]
pub struct Source {
    info: Arc<SourceInfo>,
    content: Content,
    look: Look,
    has_claims: bool,
    /// Its format if it is no text.
    binary: Option<Framing>,
    options: ReadOptions,
    hash: Hash,
    /// The columns that are carried along.
    carried: Arc<[Option<usize>]>,
    /// Bytes that are to come, if that is known: those of the file as it was when it was opened.
    expected: Option<u64>,
    /// Its raw position when it ended.
    ended_at: u64,
    /// Records that were found in its batches.
    found: Arc<AtomicU64>,
    /// Whether it may have none.
    may_be_empty: bool,
    /// Whether it ended and all its text is blank.
    is_blank: bool,
    notes: Vec<String>,
}

/// Where the content of a source is.
#[derive(Default)]
enum Content {
    /// In a file that was looked at and closed, with the reader of its text if it is one.
    Closed(Box<ClosedFile>, Option<Arc<dyn TextReader>>),
    /// In a stream of text.
    Text(Box<Blocks>),
    /// In rows of columns.
    Rows(Box<dyn Rows>),
    /// In batches of other sources.
    Batches(VecDeque<Batch>),
    /// Nowhere, since it could not be opened.
    Failing(Box<InputError>),
    /// Nowhere any more.
    #[default]
    Ended,
}

impl Content {
    /// What is in a stream of text.
    fn of(stream: Stream, reader: Arc<dyn TextReader>) -> Self {
        Self::Text(Box::new(Blocks::new(stream, reader)))
    }
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("info", &self.info).field("look", &self.look).finish_non_exhaustive()
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
        let path = path.as_ref();
        Self::start(&shown_name(path), OpenedInput::new(path)?, options)
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
        Self::start(name, OpenedInput::once(Raw::of(reader)), options)
    }

    /// Reads a column of puzzles in memory, and the solutions that they claim from another of as many rows; `name` is
    /// what results and messages call it.
    #[must_use]
    pub fn of_values(name: &str, puzzles: Arc<dyn Values>, claims: Option<Arc<dyn Values>>) -> Self {
        let info = SourceInfo::plain(name, Some((puzzles.len() as u64).saturating_mul(CELLS as u64)));
        let has_claims = claims.is_some();
        let rows = ValueRows::new(Framing::Arrow, puzzles, claims);
        let (look, content) = (Look::of(Framing::Arrow), Content::Rows(Box::new(rows)));
        Self { info, content, look, has_claims, may_be_empty: true, ..Self::default() }
    }

    /// An input that could not be opened: it fails at its turn, and those after it are read.
    #[must_use]
    pub fn failing(path: &Path, error: InputError) -> Self {
        let info = SourceInfo::plain(&shown_name(path), None);
        Self { info, content: Content::Failing(Box::new(error)), ..Self::default() }
    }

    /// Whether it could not be opened.
    #[must_use]
    pub const fn is_failing(&self) -> bool {
        matches!(self.content, Content::Failing(_))
    }

    /// Hands out batches that were cut before, all of sources that are read as the first of them is.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[must_use]
    pub fn of_batches(batches: Vec<Batch>) -> Self {
        let first = batches.first().expect("there are batches");
        let size = batches.iter().map(Batch::size).sum();
        let info = SourceInfo::plain(&first.source.name, Some(size));
        let (columns, dialect) = (first.reader.columns(), first.reader.dialect());
        let look = Look { columns, dialect, ..Look::default() };
        Self { info, content: Content::Batches(batches.into()), look, ..Self::default() }
    }

    /// Looks at the start of an opened input.
    fn start(name: &str, opened: OpenedInput, options: &ReadOptions) -> Result<Self, InputError> {
        let OpenedInput { raw, size, expected, again } = opened;
        // What is opened again is hashed then.
        let hash = Hash::new(options.hash);
        let seen_by = if again.is_some() { Hash::default() } else { hash.clone() };
        let unread = |source| InputError::Read { name: name.to_owned(), offset: 0, source };
        let mut stream = Stream::new(raw, &seen_by).map_err(unread)?;
        let compression = stream.compression();
        let info = SourceInfo { name: name.to_owned(), size, compressed: stream.is_compressed() };
        let binary = binary_format(stream.start());
        check_told(&info.name, binary, options)?;
        let (look, has_claims, mut notes, content) = if let Some(binary) = binary {
            let bytes = match &again {
                Some(closed) if !info.compressed => Bytes::File(closed.open(name)?),
                _ => Bytes::Stream(Box::new(stream)),
            };
            let input = BinaryInput { name, bytes, options, hash: &seen_by };
            let BinaryRows { rows, columns, has_claims, notes } = columns::open(binary, input)?;
            let look = Look { compression, columns, ..Look::of(binary) };
            let content = again.map_or(Content::Rows(rows), |closed| Content::Closed(closed, None));
            (look, has_claims, notes, content)
        } else {
            let Sniffed { reader, look, has_claims, .. } = look_at(&mut stream, name, options)?;
            let (encoding, has_mark) = (stream.encoding(), stream.has_mark);
            let look = Look { compression, encoding, has_mark, ..look };
            let zeros = look.dialect.zeros.filter(|&zeros| zeros);
            let notes = zeros.map(|_| format!("{name}: {}", lost_zeros::NOTE)).into_iter().collect();
            let content = match again {
                Some(closed) => Content::Closed(closed, Some(reader)),
                None => Content::of(stream, reader),
            };
            (look, has_claims, notes, content)
        };
        notes.extend(idle_columns(name, look.dialect.framing, options));
        let (info, options) = (Arc::new(info), options.clone());
        let source = Self { info, content, look, has_claims, binary, options, hash, ..Self::default() };
        Ok(Self { expected, notes, ..source })
    }

    /// Opens the file again that was closed after the look at its start.
    fn open_again(
        &mut self,
        closed: &ClosedFile,
        reader: Option<Arc<dyn TextReader>>,
    ) -> Result<Content, InputError> {
        let name = &self.info.name;
        let (file, size, note) = closed.reopen(name)?;
        self.expected = Some(size);
        self.notes.extend(note);
        let failed = |source| InputError::Open { name: name.clone(), source };
        let stream = |file| Stream::new(Raw::of(file), &self.hash).map_err(failed);
        let Some(binary) = self.binary else {
            let mut stream = stream(file)?;
            // As when it was looked at, this shows what ends its lines.
            stream.look(Sample::FIRST);
            return Ok(Content::of(stream, reader.expect("what is no text is binary")));
        };
        let bytes =
            if self.info.compressed { Bytes::Stream(Box::new(stream(file)?)) } else { Bytes::File(file) };
        let input = BinaryInput { name, bytes, options: &self.options, hash: &self.hash };
        let mut rows = columns::open(binary, input)?.rows;
        rows.carry(&self.carried);
        Ok(Content::Rows(rows))
    }

    /// Name and size.
    #[must_use]
    pub const fn info(&self) -> &Arc<SourceInfo> {
        &self.info
    }

    /// Reads the next batch of whole units, about `target` bytes; `None` at the end.
    ///
    /// A batch is larger only if its first unit is, and smaller where a pipe or a terminal gives nothing more for a
    /// while. It may have no record. `buffer` is used again, whatever is in it.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened again, cannot be read on, or is damaged. The records before
    /// that were handed out; the next call gives `None`.
    pub fn next_batch(&mut self, buffer: Vec<u8>, target: usize) -> Result<Option<Batch>, InputError> {
        let next = self.next_content(buffer, target);
        if !matches!(next, Ok(Some(_))) {
            self.ended_at = self.raw_position();
            self.content = Content::Ended;
        }
        next
    }

    fn next_content(&mut self, mut buffer: Vec<u8>, target: usize) -> Result<Option<Batch>, InputError> {
        self.content = match std::mem::take(&mut self.content) {
            Content::Closed(closed, reader) => self.open_again(&closed, reader)?,
            Content::Failing(error) => return Err(*error),
            content => content,
        };
        let name = &self.info.name;
        match &mut self.content {
            Content::Text(blocks) => {
                let Some(block) = blocks.next(buffer, target, &self.found, name)? else {
                    self.may_be_empty = blocks.reader.may_be_empty(&blocks.state);
                    self.is_blank = blocks.is_blank;
                    let failure = blocks.stream.take_failure(name);
                    let failure = failure.or_else(|| shrunk(name, self.expected, self.hash.bytes()));
                    return failure.map_or(Ok(None), Err);
                };
                let TextBlock { bytes, state, is_last } = block;
                let reader = Arc::clone(&blocks.reader);
                Ok(Some(Batch { state, is_last, ..self.batch(bytes, reader) }))
            }
            Content::Rows(rows) => {
                let Some(RowBlock { reader, rows }) = rows.next(target)? else {
                    // It has columns, and no row.
                    self.may_be_empty = true;
                    self.notes.extend(rows.note().map(|note| format!("{name}: {note}")));
                    return Ok(None);
                };
                buffer.clear();
                Ok(Some(Batch { rows, ..self.batch(buffer, reader) }))
            }
            Content::Batches(batches) => {
                let next = batches.pop_front();
                Ok(next.map(|batch| Batch { found: Arc::clone(&self.found), ..batch }))
            }
            Content::Closed(..) | Content::Failing(_) | Content::Ended => Ok(None),
        }
    }

    /// A batch of bytes that start the source.
    fn batch(&self, bytes: Vec<u8>, reader: Arc<dyn Reader>) -> Batch {
        Batch {
            source: Arc::clone(&self.info),
            bytes,
            first_id: 1,
            state: State::default(),
            is_last: false,
            reader,
            carried: Arc::clone(&self.carried),
            rows: 0,
            found: Arc::clone(&self.found),
        }
    }

    /// What is wrong with an input that ended without a record; `None` if it had some, or says itself that it has none.
    #[must_use]
    pub fn without_records(&self) -> Option<InputError> {
        let is_wrong = !self.may_be_empty && self.found.load(Ordering::Relaxed) == 0;
        let (name, format) = (self.info.name.clone(), self.look.dialect.framing);
        is_wrong.then_some(match self.is_blank {
            true => InputError::Empty { name },
            false => InputError::NoRecords { name, format },
        })
    }

    /// Bytes of the file or stream taken in so far, compressed if it is.
    #[must_use]
    pub fn raw_position(&self) -> u64 {
        match &self.content {
            Content::Rows(rows) => rows.raw_position(),
            Content::Ended => self.ended_at,
            _ => self.hash.bytes(),
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
        self.look.columns.clone()
    }

    /// Whether claimed solutions were found at the start.
    #[must_use]
    pub const fn has_claims(&self) -> bool {
        self.has_claims
    }

    /// What is said to whoever wants claimed solutions, if none were found at the start.
    #[must_use]
    pub fn note_on_claims(&self) -> Option<String> {
        let Columns { names, puzzle, .. } = self.columns();
        let told = if puzzle.is_some() {
            let option_names = self.options.option_names;
            let option = option_names.with_value(option_names.solution_column, "NAME");
            let seen = listed(&names);
            format!("no column of solutions found; name it with {option} (columns seen: {seen})")
        } else {
            "no claimed solutions were found at its start".to_owned()
        };
        (!self.has_claims).then(|| format!("{}: {told}", self.info.name))
    }

    /// Has the batches that come carry these columns along, by their indices; `None` stands for one that it lacks.
    pub fn carry(&mut self, columns: &[Option<usize>]) {
        self.carried = columns.into();
        if let Content::Rows(rows) = &mut self.content {
            rows.carry(columns);
        }
    }

    /// Whether the input is a table in which a column holds claimed solutions.
    #[must_use]
    pub const fn has_claim_column(&self) -> bool {
        self.look.dialect.framing.has_columns() && self.has_claims
    }

    /// Whether there is no text of its records.
    pub(crate) const fn is_binary(&self) -> bool {
        self.binary.is_some()
    }

    /// What its start showed.
    #[must_use]
    pub const fn look(&self) -> &Look {
        &self.look
    }

    /// The file and its reader, if it is one of text and nothing was read of it yet.
    pub(super) fn unread_file(&self) -> Option<(PathBuf, Arc<dyn TextReader>)> {
        let Content::Closed(closed, Some(reader)) = &self.content else { return None };
        Some((closed.path.clone(), Arc::clone(reader)))
    }

    /// What is worth a warning; complete after the end was reached.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Finds out how a text is read: by little if that leaves no doubt, else by all that is looked at.
fn look_at(stream: &mut Stream, name: &str, options: &ReadOptions) -> Result<Sniffed, InputError> {
    let compression = stream.compression();
    let mut length = Sample::FIRST;
    loop {
        let (bytes, seen) = stream.look(length);
        let sample = Sample { name, bytes, is_whole: seen == SeenText::All, options };
        let found = sniff(&sample, compression);
        let is_all = seen == SeenText::All || seen == SeenText::Enough && length == LOOK;
        let is_enough = |found: &Sniffed| found.is_certain || seen == SeenText::Pause && found.is_clear;
        if is_all || found.as_ref().is_ok_and(is_enough) {
            // Where reading fails before anything could be known, that is what is wrong.
            let failure = if found.is_err() || bytes.is_empty() { stream.take_failure(name) } else { None };
            return failure.map_or(found, Err);
        }
        if seen == SeenText::Enough {
            length = LOOK;
        }
    }
}

/// Fails if the first bytes do not say what was told; `found` is what they say, if they are no text.
fn check_told(name: &str, found: Option<Framing>, options: &ReadOptions) -> Result<(), InputError> {
    let told = options.format.as_ref().map(|told| told.framing);
    let what = match (found, told) {
        (None, Some(told)) if told.is_binary() => format!("does not start like {}", told.word()),
        (Some(found), Some(told)) if found != told => {
            format!("starts like {}, not like {}", found.word(), told.word())
        }
        _ => return Ok(()),
    };
    Err(InputError::Unreadable { name: name.to_owned(), what })
}

/// Notes on options that name columns of what has none.
fn idle_columns(name: &str, framing: Framing, options: &ReadOptions) -> Vec<String> {
    let columns = [("puzzle", &options.puzzle_column), ("solution", &options.solution_column)];
    let is_idle = |(_, wanted): &(&str, &Option<String>)| wanted.is_some() && !framing.has_columns();
    let note = |(what, _)| format!("{name}: not a table: the name of the {what} column has no effect");
    columns.into_iter().filter(is_idle).map(note).collect()
}

#[cfg(test)]
mod tests;
