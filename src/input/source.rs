//! An input, from its name to batches of complete units.
//!
//! Opening an input reads its start, so a file that is missing or has no puzzles is noticed before any work begins. The
//! start also settles how the input is read; nothing after the first MiB affects that. A file that changes before its
//! turn, or ends before its expected size, is reported. If a pipe or terminal pauses, the complete units received so
//! far are handed out. Detection stops early if the text so far is unambiguous.

use std::collections::VecDeque;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::blocks::Blocks;
use super::columns::{self, BinaryInput, BinaryRows, Bytes, Rows, ValueRows, binary_format};
use super::file::{ClosedFile, OpenedInput, shown_name, shrunk};
use super::hash::Hash;
use super::lost_zeros;
use super::reader::{Reader, Sample, State, TextReader};
use super::sniff::{Look, Sniffed, sniff};
use super::stream::{Raw, SeenText, Stream};
use super::{Batch, Columns, Framing, InputError, ReadOptions, SourceInfo, Values, listed};
use crate::sudoku::CELLS;

/// The number of bytes examined for detection; later bytes have no influence.
const LOOK: usize = 1 << 20;

/// An opened input whose start has been examined, and which provides batches of whole units. The default source has no
/// input.
#[derive(Default)]
pub struct Source {
    info: Arc<SourceInfo>,
    content: Content,
    look: Look,
    options: ReadOptions,
    hash: Hash,
    /// The columns to carry along.
    carried: Arc<[Option<usize>]>,
    /// The number of bytes to expect, if known: the size of the file when it was opened.
    expected: Option<u64>,
    /// The raw position at which the input ended.
    ended_at: u64,
    /// The number of records found in the batches so far.
    found: Arc<AtomicU64>,
    /// Whether the input may have no records.
    may_be_empty: bool,
    notes: Vec<String>,
}

/// The origin of the content of a source.
#[derive(Default)]
enum Content {
    /// A file that was examined and closed, with the reader for its text unless it is binary.
    Closed(Box<ClosedFile>, Option<Arc<dyn TextReader>>),
    /// A stream of text.
    Text(Box<Blocks>),
    /// Rows of columns.
    Rows(Box<dyn Rows>),
    /// Batches of other sources.
    Batches(VecDeque<Batch>),
    /// No content, because the input could not be opened.
    Failing(Box<InputError>),
    /// No content, because the end was reached.
    #[default]
    Ended,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("info", &self.info).field("look", &self.look).finish_non_exhaustive()
    }
}

impl Source {
    /// Opens a file, or standard input if the path is `-`, and detects its format.
    ///
    /// # Errors
    ///
    /// If the input cannot be opened or read, is a directory, holds no puzzles, or is of an unsupported kind; see
    /// [`InputError`].
    pub fn open(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Self, InputError> {
        let path = path.as_ref();
        Self::start(&shown_name(path), OpenedInput::new(path)?, options)
    }

    /// Reads from any reader; results and messages call the input `name`.
    ///
    /// # Errors
    ///
    /// As for [`Source::open`].
    pub fn from_reader(
        name: &str,
        reader: impl Read + Send + 'static,
        options: &ReadOptions,
    ) -> Result<Self, InputError> {
        Self::start(name, OpenedInput::once(Raw::of(reader)), options)
    }

    /// Reads a column of puzzles in memory. `claims` can be a second column of the same length with the claimed
    /// solutions. Results and messages call the input `name`.
    #[must_use]
    pub fn of_values(name: &str, puzzles: Arc<dyn Values>, claims: Option<Arc<dyn Values>>) -> Self {
        let info = SourceInfo::plain(name, Some((puzzles.len() as u64).saturating_mul(CELLS as u64)));
        let look = Look { has_claims: claims.is_some(), ..Look::of(Framing::Arrow) };
        let content = Content::Rows(Box::new(ValueRows::new(Framing::Arrow, puzzles, claims)));
        Self { info, content, look, may_be_empty: true, ..Self::default() }
    }

    /// Returns a placeholder for an input that could not be opened: its error is reported when its turn comes, and
    /// later inputs are still read.
    #[must_use]
    pub fn failing(path: &Path, error: InputError) -> Self {
        let info = SourceInfo::plain(&shown_name(path), None);
        Self { info, content: Content::Failing(Box::new(error)), ..Self::default() }
    }

    /// Returns whether the input could not be opened.
    #[must_use]
    pub const fn is_failing(&self) -> bool {
        matches!(self.content, Content::Failing(_))
    }

    /// Returns a source that hands out ready-made batches; all must come from sources that are read like the first one.
    ///
    /// # Panics
    ///
    /// If there are no batches.
    #[must_use]
    pub fn of_batches(batches: Vec<Batch>) -> Self {
        let first = batches.first().expect("there are batches");
        let size = batches.iter().map(Batch::size).sum();
        let info = SourceInfo::plain(&first.source.name, Some(size));
        let (columns, dialect) = (first.reader.columns(), first.reader.dialect());
        let look = Look { columns, dialect, ..Look::default() };
        Self { info, content: Content::Batches(batches.into()), look, ..Self::default() }
    }

    /// Examines the start of an opened input.
    fn start(name: &str, opened: OpenedInput, options: &ReadOptions) -> Result<Self, InputError> {
        let OpenedInput { raw, size, expected, again } = opened;
        // A file that will be reopened is hashed then, not now.
        let hash = Hash::new(options.hash);
        let seen_by = if again.is_some() { Hash::default() } else { hash.clone() };
        let unread = |source| InputError::Read { name: name.to_owned(), offset: 0, source };
        let mut stream = Stream::new(raw, &seen_by).map_err(unread)?;
        let compression = stream.compression();
        let info = SourceInfo { name: name.to_owned(), size, compressed: compression.is_some() };
        let binary = binary_format(stream.start());
        check_given(&info.name, binary, options)?;
        let (look, mut notes, content) = if let Some(binary) = binary {
            let bytes = match &again {
                Some(closed) if !info.compressed => Bytes::File(closed.open(name)?),
                _ => Bytes::Stream(Box::new(stream)),
            };
            let input = BinaryInput { name, bytes, options, hash: &seen_by };
            let BinaryRows { rows, look, notes } = columns::open(binary, input)?;
            let look = Look { compression, ..look };
            let content = again.map_or(Content::Rows(rows), |closed| Content::Closed(closed, None));
            (look, notes, content)
        } else {
            let Sniffed { reader, look, .. } = look_at(&mut stream, name, options)?;
            let (encoding, has_mark) = (stream.encoding(), stream.has_mark);
            let look = Look { compression, encoding, has_mark, ..look };
            let zeros = look.dialect.zeros.filter(|&zeros| zeros);
            let notes = zeros.map(|_| format!("{name}: {}", lost_zeros::NOTE)).into_iter().collect();
            let content = match again {
                Some(closed) => Content::Closed(closed, Some(reader)),
                None => Content::Text(Box::new(Blocks::new(stream, reader))),
            };
            (look, notes, content)
        };
        notes.extend(idle_columns(name, look.dialect.framing, options));
        let (info, options) = (Arc::new(info), options.clone());
        let source = Self { info, content, look, options, hash, ..Self::default() };
        Ok(Self { expected, notes, ..source })
    }

    /// Reopens a file that was closed after its start had been read.
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
        if let Some(reader) = reader {
            let mut stream = stream(file)?;
            // Like the first look, this detects how lines end.
            stream.look(Sample::FIRST);
            return Ok(Content::Text(Box::new(Blocks::new(stream, reader))));
        }
        let bytes =
            if self.info.compressed { Bytes::Stream(Box::new(stream(file)?)) } else { Bytes::File(file) };
        let input = BinaryInput { name, bytes, options: &self.options, hash: &self.hash };
        let mut rows = columns::open(self.look.dialect.framing, input)?.rows;
        rows.carry(&self.carried);
        Ok(Content::Rows(rows))
    }

    /// Returns the name and the size.
    #[must_use]
    pub const fn info(&self) -> &Arc<SourceInfo> {
        &self.info
    }

    /// Reads the next batch of whole units, about `target` bytes; `None` at the end.
    ///
    /// A batch exceeds `target` only if its first unit does, and is smaller if a pipe or terminal pauses for a while.
    /// It may contain no records. `buffer` is reused; its contents do not matter.
    ///
    /// # Errors
    ///
    /// If the file cannot be reopened or read any further, or is damaged. The records before that have been handed out;
    /// the next call returns `None`.
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
                let Some((state, is_last)) = blocks.next(&mut buffer, target, &self.found, name)? else {
                    self.may_be_empty = blocks.reader.may_be_empty(&blocks.state);
                    let failure = blocks.stream.take_failure(name);
                    let failure = failure.or_else(|| shrunk(name, self.expected, self.hash.bytes()));
                    return failure.map_or(Ok(None), Err);
                };
                let reader = Arc::clone(&blocks.reader);
                Ok(Some(Batch { state, is_last, ..self.batch(buffer, reader) }))
            }
            Content::Rows(rows) => {
                let Some(rows) = rows.next(target)? else {
                    // The input has columns but no rows.
                    self.may_be_empty = true;
                    self.notes.extend(rows.note().map(|note| format!("{name}: {note}")));
                    return Ok(None);
                };
                buffer.clear();
                Ok(Some(Batch { rows: rows.len(), ..self.batch(buffer, Arc::new(rows)) }))
            }
            Content::Batches(batches) => {
                let next = batches.pop_front();
                Ok(next.map(|batch| Batch { found: Arc::clone(&self.found), ..batch }))
            }
            Content::Closed(..) | Content::Failing(_) | Content::Ended => Ok(None),
        }
    }

    /// Creates a batch, treating its bytes as the start of the source.
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

    /// Returns the error for an input that ended without any record; `None` if there were records or none are required.
    #[must_use]
    pub fn without_records(&self) -> Option<InputError> {
        let is_wrong = !self.may_be_empty && self.found.load(Ordering::Relaxed) == 0;
        let (name, format) = (self.info.name.clone(), self.look.dialect.framing);
        is_wrong.then_some(InputError::NoRecords { name, format })
    }

    /// Returns the number of bytes read from the file or stream so far; compressed bytes if it is compressed.
    #[must_use]
    pub fn raw_position(&self) -> u64 {
        match &self.content {
            Content::Rows(rows) => rows.raw_position(),
            Content::Ended => self.ended_at,
            _ => self.hash.bytes(),
        }
    }

    /// Returns the number of bytes read so far and, if [`ReadOptions::hash`] is set and the end was reached, their
    /// SHA-256. The result stays usable after the source itself has been given away.
    #[must_use]
    pub fn hash(&self) -> Hash {
        self.hash.clone()
    }

    /// Returns the columns of the records, if the input is a table.
    #[must_use]
    pub fn columns(&self) -> Columns {
        self.look.columns.clone()
    }

    /// Returns a note for users who want claimed solutions, if none were found at the start.
    #[must_use]
    pub fn note_on_claims(&self) -> Option<String> {
        let Columns { names, puzzle, .. } = self.columns();
        let note = if puzzle.is_some() {
            let option_names = self.options.option_names;
            let option = option_names.with_value(option_names.solution_column, "NAME");
            let seen = listed(&names);
            format!("no column of solutions found; name it with {option} (columns seen: {seen})")
        } else {
            "no claimed solutions were found at its start".to_owned()
        };
        (!self.look.has_claims).then(|| format!("{}: {note}", self.info.name))
    }

    /// Carries these columns, given by index, in later batches; `None` stands for a column that the input lacks.
    pub fn carry(&mut self, columns: &[Option<usize>]) {
        self.carried = columns.into();
        if let Content::Rows(rows) = &mut self.content {
            rows.carry(columns);
        }
    }

    /// Returns whether the input is a table with a column of claimed solutions.
    #[must_use]
    pub const fn has_claim_column(&self) -> bool {
        self.look.dialect.framing.has_columns() && self.look.has_claims
    }

    /// Returns the properties that were determined when the input was opened.
    #[must_use]
    pub const fn look(&self) -> &Look {
        &self.look
    }

    /// Returns the warnings; the list is complete once the end has been reached.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Decides how to read a text: from a short part if that leaves no doubt, otherwise from a longer one.
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
            // If reading failed before anything could be detected, report that error instead.
            let failure = if found.is_err() || bytes.is_empty() { stream.take_failure(name) } else { None };
            return failure.map_or(found, Err);
        }
        if seen == SeenText::Enough {
            length = LOOK;
        }
    }
}

/// Fails if the first bytes contradict the given format; `found` is their format if they are binary.
fn check_given(name: &str, found: Option<Framing>, options: &ReadOptions) -> Result<(), InputError> {
    let given = options.format.as_ref().map(|given| given.framing);
    let what = match (found, given) {
        (None, Some(given)) if given.is_binary() => format!("does not start like {}", given.word()),
        (Some(found), Some(given)) if found != given => {
            format!("starts like {}, not like {}", found.word(), given.word())
        }
        _ => return Ok(()),
    };
    Err(InputError::Unreadable { name: name.to_owned(), what })
}

/// Returns notes about options that name columns although the input has none.
fn idle_columns(name: &str, framing: Framing, options: &ReadOptions) -> Vec<String> {
    let columns = [("puzzle", &options.puzzle_column), ("solution", &options.solution_column)];
    let is_idle = |(_, wanted): &(&str, &Option<String>)| wanted.is_some() && !framing.has_columns();
    let note = |(what, _)| format!("{name}: not a table: the name of the {what} column has no effect");
    columns.into_iter().filter(is_idle).map(note).collect()
}

#[cfg(test)]
mod tests;
