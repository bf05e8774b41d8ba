//! The interface of a format: how its bytes are cut into blocks, and how a block becomes records.
//!
//! The reader thread asks [`TextReader::frame`] how many of the available bytes make a block, which ends where a unit
//! surely ends. Any thread later turns the block into records ([`Reader::read`]), and only there. The records of a
//! block depend on its bytes, the dialect and the [`State`] before it, never on how many bytes were available. Lines
//! are counted from 1 in each block; the number of lines before it is added later.

use std::fmt;
use std::sync::Arc;

use super::{Columns, Dialect, InputError, ReadOptions};
use crate::record::{Records, Texts, Want};

/// The part of a text that follows the available bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextEnd {
    /// More bytes may come.
    More,
    /// The input ends here, so an unfinished record ends here too.
    Last,
    /// Bytes that cannot be read or are not examined follow: an unfinished record is left out.
    Cut,
}

/// Returns the length of all whole lines; if the text ends here, the length of all of it.
pub(super) fn whole_lines(bytes: &[u8], end: TextEnd) -> usize {
    match end {
        TextEnd::Last => bytes.len(),
        TextEnd::More | TextEnd::Cut => memchr::memrchr(b'\n', bytes).map_or(0, |last| last + 1),
    }
}

/// The position of a line in a stretch of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// Rows before the line.
    pub rows: usize,
    /// Rows after the last border, or all rows if there is none.
    pub behind_border: usize,
    /// Whether there is a border between the rows.
    pub has_border: bool,
    /// Whether the previous line is blank.
    pub is_after_blank: bool,
}

/// A list, an object or an element that is open at a place of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Open {
    pub is_object: bool,
    /// Whether a value in the list, object or element has begun.
    pub has_values: bool,
    /// Whether the keys around the values say that they are claims rather than puzzles; `None` if they say neither.
    pub are_claims: Option<bool>,
    /// The name of an element; empty for a list or an object.
    pub name: String,
}

/// The state that the bytes before a block leave for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// Whether there were any bytes: a header can be only at the start.
    pub begun: bool,
    /// Bytes since the last line end, if records begin within lines.
    pub column: u64,
    /// The stretch of rows that continues from an earlier block, because it is long.
    pub stretch: Stretch,
    /// Whether a unit that was too long to keep continues.
    pub in_overflow: bool,
    /// Whether the list has ended, so that the rest is not part of it.
    pub ended: bool,
    /// The values that are open in a document, the innermost last.
    pub nesting: Vec<Open>,
}

/// Some whole units of a text, one after another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block<'a> {
    pub bytes: &'a [u8],
    /// The state before the units.
    pub state: &'a State,
    /// Whether the text ends with the units.
    pub is_last: bool,
}

/// Lines with content that is no record and no part of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// The number of the lines.
    pub lines: u64,
    /// The first line: its number and the start of its text.
    pub first: Option<(u64, String)>,
}

/// The lines of a text, and those that were passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// The number of line ends; one that is missing after the last line counts.
    pub lines: u64,
    /// The lines that were passed over.
    pub passed: Passed,
}

/// One of the two grids of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    Puzzle,
    /// The claimed solution.
    Claim,
}

/// A reader, which turns blocks into records and finds the places of cells.
pub(crate) trait Reader: fmt::Debug + Send + Sync {
    /// Appends the records of a block, in order, with their claims if they are wanted.
    fn read(&self, block: &Block<'_>, want: Want, out: &mut Records) -> Read;

    /// Returns the offset of a cell (0 to 80) of a readable sudoku in the text of its record.
    fn offset(&self, _record: &[u8], _cell: usize, _which: Which) -> Option<usize> {
        None
    }

    /// Returns the text in place of a claimed solution that is no grid, without quotes. Returns `None` if every claim
    /// is a grid, or there is none.
    fn claim_text(&self, _record: &[u8]) -> Option<Vec<u8>> {
        None
    }

    /// Returns the columns of the records, which can be carried along, by name.
    fn columns(&self) -> Columns {
        Columns::default()
    }

    /// Appends to each of `out` a text, or none, for each record of a block. The text is from the column at the same
    /// place in `wanted`, which holds indices of [`Reader::columns`]. Texts that are not appended are missing.
    fn carry(&self, _bytes: &[u8], _records: &Records, _wanted: &[Option<usize>], _out: &mut [Texts]) {}

    /// Returns the dialect that the reader reads, with all settings.
    fn dialect(&self) -> Dialect;
}

/// A reader of text.
pub(crate) trait TextReader: Reader {
    /// Returns how many of the available bytes make a block, or 0 if they make none yet, and updates the state. If no
    /// more bytes may come, a block is all that is whole.
    fn frame(&self, state: &mut State, bytes: &[u8], end: TextEnd) -> usize;

    /// Returns the header of a table unchanged, with its line end; empty if there is none.
    fn header(&self) -> &[u8] {
        &[]
    }

    /// Whether the text declares its format, by its syntax or by a header that names the puzzles; cells do not count.
    fn is_declared(&self) -> bool {
        true
    }

    /// Whether an input may end without a record, since the text itself says that there is none.
    fn may_be_empty(&self, _state: &State) -> bool {
        false
    }
}

/// The start of an input, which is used to detect its format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample<'a> {
    /// Name of the input.
    pub name: &'a str,
    /// The first bytes of the input; the last line may be cut.
    pub bytes: &'a [u8],
    /// Whether the bytes are the whole input.
    pub is_whole: bool,
    /// The options of the user.
    pub options: &'a ReadOptions,
}

/// The readers of one framing that may fit a sample, or the reasons why a requested one is not there.
pub(crate) type Candidates = Vec<Result<Arc<dyn TextReader>, InputError>>;

impl<'a> Sample<'a> {
    /// Bytes that are examined first; they settle the format of most inputs.
    pub const FIRST: usize = 64 << 10;

    /// The number of good records, with no bad one among them, that leaves no doubt.
    pub const ENOUGH: u64 = 20;

    /// Returns a sample of the first [`Self::FIRST`] bytes, or of all if there are fewer.
    pub fn start(&self) -> Self {
        let start = self.bytes.get(..Self::FIRST).filter(|start| start.len() < self.bytes.len());
        start.map_or(*self, |bytes| Self { bytes, is_whole: false, ..*self })
    }

    /// Returns the kind of end that the sample has.
    pub const fn end(&self) -> TextEnd {
        if self.is_whole { TextEnd::Last } else { TextEnd::Cut }
    }

    /// Returns the whole lines, line ends included; if not even one is whole, the available part of it.
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
        /// Bytes of the first line that are shown.
        const SHOWN: usize = 60;
        self.lines += 1;
        if self.first.is_none() {
            let text = text.trim_ascii();
            let shown = String::from_utf8_lossy(&text[..text.len().min(SHOWN)]);
            let dots = if text.len() > SHOWN { "..." } else { "" };
            self.first = Some((line, format!("{shown}{dots}")));
        }
    }

    /// Adds the lines that were passed over in a later part, which follows `lines_before` lines.
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
    /// The reader of a block without bytes; a row is a line.
    pub reader: Arc<dyn Reader>,
    /// The number of rows, at least one.
    pub rows: u64,
}

/// A binary input, which needs no framing: it provides whole blocks of rows.
pub(super) trait Rows: Send {
    /// Returns the next rows, which take about `target` bytes; `None` at the end. The rows before an error were handed
    /// out. Must not be called again after `None` or an error.
    fn next(&mut self, target: usize) -> Result<Option<RowBlock>, InputError>;

    /// Also carries these columns in later rows: indices of the [`Columns`] of the input, `None` for one that is not
    /// there.
    fn carry(&mut self, _columns: &[Option<usize>]) {}

    /// Returns the bytes of the file or stream read so far, or an equivalent number.
    fn raw_position(&self) -> u64;

    /// Returns a warning after the end, if there is one.
    fn note(&self) -> Option<String> {
        None
    }
}
