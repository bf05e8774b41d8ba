//! The interface of a format: how its bytes are cut into blocks, and how a block becomes records.
//!
//! The reader thread asks [`TextReader::frame`] how many of the available bytes make a block, which ends where a unit
//! surely ends. Any thread later turns the block into records ([`Reader::read`]), and only there. The records of a
//! block depend on its bytes, the dialect and the [`State`] before it, never on how many bytes were available. Lines
//! are counted from 1 in each block; the number of lines before it is added later.

use std::fmt;
use std::sync::Arc;

use super::text::nesting::Nesting;
use super::{Columns, Dialect, InputError, ReadOptions};
use crate::record::{Place, Records, Texts, Want};

/// What follows the bytes at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextEnd {
    /// More bytes may come.
    More,
    /// Nothing: the input ends here, so an unfinished record ends here too.
    Last,
    /// Bytes that cannot be read or are not looked at: an unfinished record is left out.
    Cut,
}

/// The length of all whole lines; of a text that ends, all of it.
pub(super) fn whole_lines(bytes: &[u8], end: TextEnd) -> usize {
    match end {
        TextEnd::Last => bytes.len(),
        TextEnd::More | TextEnd::Cut => memchr::memrchr(b'\n', bytes).map_or(0, |last| last + 1),
    }
}

/// Where in a stretch of rows a line is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stretch {
    /// Rows before it.
    pub rows: usize,
    /// Rows after the last border, or all.
    pub behind_border: usize,
    /// Whether a border stands between its rows.
    pub has_border: bool,
    /// Whether the line before is blank.
    pub is_after_blank: bool,
}

/// What the bytes before a block leave behind for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// Whether there were any: a header can only stand at the start.
    pub begun: bool,
    /// Bytes since the last line end, where records begin within lines.
    pub column: u64,
    /// The stretch of rows that goes on from an earlier block, since it is long.
    pub stretch: Stretch,
    /// Whether the rest of a unit goes on that was too long to keep.
    pub in_overflow: bool,
    /// Whether the list has ended, so that what follows is no part of it.
    pub ended: bool,
    /// Where in a document it is.
    pub nesting: Nesting,
}

/// Some whole units of a text, one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<'a> {
    pub bytes: &'a [u8],
    /// What was before them.
    pub state: &'a State,
    /// Whether the text ends with them.
    pub is_last: bool,
}

/// Lines in which something stands that is no record and no part of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// How many.
    pub lines: u64,
    /// The first of them: its line and the start of its text.
    pub first: Option<(u64, String)>,
}

/// What of a text was read besides its records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// Line ends in it; one that is missing behind the last line counts.
    pub lines: u64,
    /// What was passed over.
    pub passed: Passed,
}

/// One of the two grids of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    Puzzle,
    /// The claimed solution.
    Claim,
}

/// How blocks become records, and where in a record its cells stand.
pub(super) trait Reader: fmt::Debug + Send + Sync {
    /// Appends the records of a block, in order, with their claims if they are wanted.
    fn read(&self, block: &Block<'_>, want: Want, out: &mut Records) -> Read;

    /// Where a cell (0 to 80) of a readable sudoku stands, whose record starts on `line` and has this text. Where records
    /// begin within lines, the columns of the first line count from the record.
    fn place(&self, line: u64, record: &[u8], cell: usize, which: Which) -> Place;

    /// The text in place of a claimed solution that is no grid, without quotes; `None` where every claim is a grid, or
    /// none is there.
    fn claim_text(&self, _record: &[u8]) -> Option<Vec<u8>> {
        None
    }

    /// What stands beside the puzzles of its records and can be carried along, by name.
    fn columns(&self) -> Columns {
        Columns::default()
    }

    /// Appends to each of `out` a text, or none, for each record of a block: that of the column of the same place in
    /// `wanted`, which are indices of [`Reader::columns`]. What is not appended is missing.
    fn carry(&self, _bytes: &[u8], _records: &Records, _wanted: &[Option<usize>], _out: &mut [Texts]) {}

    /// How it reads, with all its settings.
    fn dialect(&self) -> Dialect;
}

/// A reader of text.
pub(super) trait TextReader: Reader {
    /// How many of the bytes at hand make a block, and what it leaves behind: 0 if they make none yet. Unless more may
    /// come, all that is whole.
    fn frame(&self, state: &mut State, bytes: &[u8], end: TextEnd) -> usize;

    /// The header of a table as it stands, line end included; empty if there is none.
    fn header(&self) -> &[u8] {
        &[]
    }

    /// Whether the text says what it is: by its syntax, or by a header that names the puzzles; not by its cells alone.
    fn is_declared(&self) -> bool {
        true
    }

    /// Whether an input may end without a record, since it says itself that it has none.
    fn may_be_empty(&self, _state: &State) -> bool {
        false
    }
}

/// The start of an input, by which it is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample<'a> {
    /// Name of the input.
    pub name: &'a str,
    /// Its first bytes, of which the last line may be cut.
    pub bytes: &'a [u8],
    /// Whether they are all.
    pub is_whole: bool,
    /// What was asked for.
    pub options: &'a ReadOptions,
}

/// The readers that may fit a sample, of one framing; instead of one, why what was asked for is not there.
pub(super) type Candidates = Vec<Result<Arc<dyn TextReader>, InputError>>;

impl<'a> Sample<'a> {
    /// Bytes that are looked at first; most inputs are certain by then.
    pub const FIRST: usize = 64 << 10;

    /// Good records, with no bad one among them, that leave no doubt.
    pub const ENOUGH: u64 = 20;

    /// So many of its bytes, or all.
    pub fn start(&self) -> Self {
        let start = self.bytes.get(..Self::FIRST).filter(|start| start.len() < self.bytes.len());
        start.map_or(*self, |bytes| Self { bytes, is_whole: false, ..*self })
    }

    /// What follows it.
    pub const fn end(&self) -> TextEnd {
        if self.is_whole { TextEnd::Last } else { TextEnd::Cut }
    }

    /// The whole lines, line ends included; if not even one is whole, what there is of it.
    pub fn lines(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let bytes = match whole_lines(self.bytes, self.end()) {
            0 => self.bytes,
            length => &self.bytes[..length],
        };
        bytes.split_inclusive(|&byte| byte == b'\n')
    }
}

impl Passed {
    /// Counts a line that is passed over.
    pub fn count(&mut self, line: u64, text: &[u8]) {
        /// Bytes of the first one that are shown.
        const SHOWN: usize = 60;
        self.lines += 1;
        if self.first.is_none() {
            let text = text.trim_ascii();
            let shown = String::from_utf8_lossy(&text[..text.len().min(SHOWN)]);
            let dots = if text.len() > SHOWN { "..." } else { "" };
            self.first = Some((line, format!("{shown}{dots}")));
        }
    }

    /// Adds what was passed over behind so many lines.
    pub fn add(&mut self, lines_before: u64, other: Self) {
        self.lines += other.lines;
        if self.first.is_none() {
            self.first = other.first.map(|(line, text)| (lines_before + line, text));
        }
    }
}

/// Some rows of columns, with the reader that has their values.
#[derive(Debug)]
pub(super) struct RowBlock {
    /// Reads a block without bytes; a row is a line.
    pub reader: Arc<dyn Reader>,
    /// How many, at least one.
    pub rows: u64,
}

/// An input that is no text to be framed: it gives whole blocks of rows by itself.
pub(super) trait Rows: Send {
    /// The next rows, which take about `target` bytes; `None` at the end. The rows before an error were handed out;
    /// whoever gets either asks no more.
    fn next(&mut self, target: usize) -> Result<Option<RowBlock>, InputError>;

    /// Has the rows that come give these columns, too, which are carried along: indices of their [`Columns`], `None` for
    /// one that is not there.
    fn carry(&mut self, _columns: &[Option<usize>]) {}

    /// Bytes of the file or stream taken in so far, or what stands for them.
    fn raw_position(&self) -> u64;

    /// What is worth a warning once it ended.
    fn note(&self) -> Option<String> {
        None
    }
}
