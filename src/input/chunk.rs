//! Whole records cut out of a source, and what every family of formats does to cut and read them.
//!
//! A family implements [`Format::step`], which looks at the bytes that follow and says how long the
//! next record is, or the next stretch between records. The reader counts records with it (`cut`), and
//! later any thread walks the same chunk with it again (`read`). Both must find the same records, so
//! `step` may depend on nothing but the bytes before its answer ends and on [`Cursor`], never on how
//! many bytes happen to follow: as long as the answer hangs on bytes not yet there, it is
//! [`Step::Incomplete`]. A chunk ends where a record ends, and the end of a chunk reads as the end of
//! the input.

use std::fmt;
use std::sync::Arc;

use memchr::memchr;

use super::{Place, Record, SourceInfo};

/// What follows the bytes at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// More bytes may come.
    More,
    /// Nothing: the input ends here, so an unfinished record ends here too.
    Last,
    /// Bytes that cannot be read: an unfinished record is lost.
    Damaged,
}

/// Where between the records of a source a cursor stands. A family uses those it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing but blanks and comments so far: a count line or a header may come.
    Start,
    /// After a record or a line that counts as one.
    Records,
    /// After something that sets grids apart: a blank line, a title, a border.
    Gap,
    /// In a section of an `.sdk` file that holds no puzzle.
    OtherSection,
    /// In the rest of a case that was too long to keep.
    Overflow,
    /// After the 0 that closes Sudominoku input.
    Closed,
    /// In the rest of the text after that 0, once it was reported.
    Trailing,
}

/// What reading a source carries from one record to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    pub phase: Phase,
    /// Number of records that a count line promised.
    pub promised: Option<u64>,
}

impl Cursor {
    pub const START: Self = Self { phase: Phase::Start, promised: None };
}

/// What comes next in a source: `length` bytes with `lines` line ends, a missing last one counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Blank lines, comments, titles: no record.
    Skip { length: usize, lines: u64 },
    /// One record.
    Record { length: usize, lines: u64 },
    /// That depends on bytes that are not there yet; or none are left.
    Incomplete,
}

/// The whole records at the start of some bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cut {
    pub length: usize,
    pub lines: u64,
    pub records: u64,
}

/// How one source is cut into records and how a record of it is read; shared by its chunks.
pub(super) trait Format: fmt::Debug + Send + Sync {
    /// What comes next; moves `cursor` behind it unless the answer is [`Step::Incomplete`].
    fn step(&self, cursor: &mut Cursor, rest: &[u8], end: End) -> Step;

    /// Reads one record that starts on `line`; `phase` is the one before its step.
    fn parse<'a>(&self, phase: Phase, line: u64, text: &'a [u8]) -> Record<'a>;

    /// Where a cell of a readable sudoku stands.
    fn place_of(&self, record: &Record<'_>, cell: usize) -> Place;

    /// What is worth a warning once the input ended.
    fn note(&self, cursor: &Cursor, records: u64) -> Option<String> {
        let promised = cursor.promised?;
        (promised != records).then(|| format!("the count line promises {promised} records, {records} came"))
    }

    /// Finds the whole records at the start of `bytes`.
    fn cut(&self, cursor: &mut Cursor, bytes: &[u8], end: End) -> Cut {
        let mut cut = Cut::default();
        loop {
            let (length, lines) = match self.step(cursor, &bytes[cut.length..], end) {
                Step::Skip { length, lines } => (length, lines),
                Step::Record { length, lines } => {
                    cut.records += 1;
                    (length, lines)
                }
                Step::Incomplete => return cut,
            };
            cut.length += length;
            cut.lines += lines;
        }
    }

    /// Reads the records of a chunk, in order.
    fn read<'a>(&self, mut cursor: Cursor, bytes: &'a [u8], mut line: u64, each: &mut dyn FnMut(Record<'a>)) {
        let mut rest = bytes;
        loop {
            let phase = cursor.phase;
            let (length, lines) = match self.step(&mut cursor, rest, End::Last) {
                Step::Skip { length, lines } => (length, lines),
                Step::Record { length, lines } => {
                    each(self.parse(phase, line, &rest[..length]));
                    (length, lines)
                }
                Step::Incomplete => return,
            };
            rest = &rest[length..];
            line += lines;
        }
    }
}

/// Some whole records of a source, in order, together with where they stand in it.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// The source they are from.
    pub source: Arc<SourceInfo>,
    /// The text; give it back to [`Source::next_chunk`](super::Source::next_chunk) to use it again.
    pub bytes: Vec<u8>,
    /// Line of the source on which `bytes` starts, counted from 1.
    pub first_line: u64,
    /// Records of the source before this chunk.
    pub first_record: u64,
    /// Records in this chunk, at least one: how many times [`Chunk::for_each`] calls back.
    pub records: u64,
    pub(super) format: Arc<dyn Format>,
    pub(super) cursor: Cursor,
}

impl Chunk {
    /// Reads the records, in order.
    pub fn for_each<'a>(&'a self, mut each: impl FnMut(Record<'a>)) {
        self.format.read(self.cursor, &self.bytes, self.first_line, &mut each);
    }

    /// Where a cell (0 to 80) of a sudoku that could be read stands, to report a clash of clues.
    ///
    /// For any other record the place where it starts.
    #[must_use]
    pub fn place_of(&self, record: &Record<'_>, cell: usize) -> Place {
        self.format.place_of(record, cell)
    }
}

/// Length of the line at the start of `rest`, line end included; `None` if it is not whole or there is none.
#[inline]
pub(super) fn line_length(rest: &[u8], end: End) -> Option<usize> {
    match memchr(b'\n', rest) {
        Some(at) => Some(at + 1),
        None if end == End::Last && !rest.is_empty() => Some(rest.len()),
        None => None,
    }
}

/// A line without its line end and without the blanks around it.
#[inline]
pub(super) fn trim(line: &[u8]) -> &[u8] {
    line.trim_ascii()
}

/// A line without its line end.
#[inline]
pub(super) fn without_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The number on a line that holds nothing but an integer.
pub(super) fn lone_integer(line: &[u8]) -> Option<&[u8]> {
    let digits = trim(line);
    (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit)).then_some(digits)
}

/// What is said of a line, a row or a case that exceeds [`super::MAX_LINE`].
pub(super) fn too_long(what: &str) -> String {
    format!("{what} longer than 1 MiB")
}
