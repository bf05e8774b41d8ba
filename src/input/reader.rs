//! The interface of a format: how to cut its bytes into blocks, and how to turn a block into records.
//!
//! The reader thread asks [`TextReader::frame`] how many of the available bytes make up a block, which must end where a
//! unit certainly ends. The block is turned into records ([`Reader::read`]) later, on any thread. A block's records
//! depend on its bytes, the dialect and the [`State`] before it, never on how many bytes were available. Lines are
//! counted from 1 in each block; the number of lines before the block is added later.

use std::fmt;
use std::sync::Arc;

use super::{Columns, Dialect, InputError, ReadOptions};
use crate::record::{Records, Texts};

/// How a text continues after the available bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextEnd {
    /// More bytes may come.
    More,
    /// The input ends here, so an unfinished record ends here as well.
    Last,
    /// The bytes that follow are unreadable or not examined, so an unfinished record is dropped.
    Cut,
}

/// Returns the length of all complete lines, or of all the bytes if the text ends here.
pub(super) fn whole_lines(bytes: &[u8], end: TextEnd) -> usize {
    match end {
        TextEnd::Last => bytes.len(),
        TextEnd::More | TextEnd::Cut => memchr::memrchr(b'\n', bytes).map_or(0, |last| last + 1),
    }
}

/// The position of a line in a stretch of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// The number of rows before the line.
    pub rows: usize,
    /// The number of rows after the last border, or of all rows if there is none.
    pub behind_border: usize,
    /// Whether there is a border between the rows.
    pub has_border: bool,
    /// Whether the line above is blank.
    pub is_after_blank: bool,
}

/// A list, object or element that is open at some point in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Open {
    pub is_object: bool,
    /// Whether any value inside it has begun.
    pub has_values: bool,
    /// Whether the keys around the values mark them as claims (true) or puzzles (false); `None` if the keys say
    /// neither.
    pub are_claims: Option<bool>,
    /// The name of the element; empty for a list or object.
    pub name: String,
}

/// The reader's state after the bytes before a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// Whether any bytes came before; a header can appear only at the start.
    pub begun: bool,
    /// The number of bytes since the last line end, if records can begin in the middle of a line.
    pub column: u64,
    /// The stretch of rows that continues from an earlier block because it is long.
    pub stretch: Stretch,
    /// Whether a unit that is too long to keep is still continuing.
    pub in_overflow: bool,
    /// Whether the list has ended, so what follows is not part of it.
    pub ended: bool,
    /// The values that are open in a document, innermost last.
    pub nesting: Vec<Open>,
}

/// A run of whole units from a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block<'a> {
    pub bytes: &'a [u8],
    /// The state before the units.
    pub state: &'a State,
    /// Whether the text ends with the units.
    pub is_last: bool,
}

/// Skipped lines: those that contain something but are not part of any record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// The number of such lines.
    pub lines: u64,
    /// The first such line: its number and the start of its text.
    pub first: Option<(u64, String)>,
}

/// The number of lines in a text, and the lines that were skipped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// The number of lines; the last one counts even if its line end is missing.
    pub lines: u64,
    /// The lines that were skipped.
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
    /// Appends the records of a block in order, with the data that `out` wants.
    fn read(&self, block: &Block<'_>, out: &mut Records) -> Read;

    /// Returns the offset of a cell (0 to 80) of a readable sudoku within the text of its record.
    fn offset(&self, _record: &[u8], _cell: usize, _which: Which) -> Option<usize> {
        None
    }

    /// Returns the text that stands in place of a claimed solution but is not a grid, without quotes. Returns `None` if
    /// every claim is a grid or there is no claim.
    fn claim_text(&self, _record: &[u8]) -> Option<Vec<u8>> {
        None
    }

    /// Returns the columns of the records, which can be carried along by name.
    fn columns(&self) -> Columns {
        Columns::default()
    }

    /// For every record of a block, appends the text of one column, or nothing, to each list in `out`. `wanted` gives
    /// the column for each list, as an index into [`Reader::columns`]. Texts that are not appended count as missing.
    fn carry(&self, _bytes: &[u8], _records: &Records, _wanted: &[Option<usize>], _out: &mut [Texts]) {}

    /// Returns the dialect that this reader reads, with all its settings.
    fn dialect(&self) -> Dialect;
}

/// A reader of text.
pub(crate) trait TextReader: Reader {
    /// Returns how many of the available bytes make up a block (0 if more are needed), and updates the state. If no
    /// more bytes can come, the block is everything that is complete.
    fn frame(&self, state: &mut State, bytes: &[u8], end: TextEnd) -> usize;

    /// Returns the header of a table unchanged, including its line end; empty if there is none.
    fn header(&self) -> &[u8] {
        &[]
    }

    /// Returns whether the text declares its format, either by its syntax or by a header that names the puzzles; cells
    /// alone declare nothing.
    fn is_declared(&self) -> bool {
        true
    }

    /// Returns whether an input may end without any record because the text itself says that there are none.
    fn may_be_empty(&self, _state: &State) -> bool {
        false
    }
}

/// The start of an input, used to detect its format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample<'a> {
    /// The name of the input.
    pub name: &'a str,
    /// The first bytes of the input; the last line may be cut off.
    pub bytes: &'a [u8],
    /// Whether the bytes are all of the input.
    pub is_whole: bool,
    /// The user's options.
    pub options: &'a ReadOptions,
}

/// The readers of one framing that might fit a sample, or the reason why the requested reader is missing.
pub(crate) type Candidates = Vec<Result<Arc<dyn TextReader>, InputError>>;

impl<'a> Sample<'a> {
    /// The number of bytes that are examined first; for most inputs they settle the format.
    pub const FIRST: usize = 64 << 10;

    /// The number of good records that, with no bad ones, leaves no doubt about the format.
    pub const ENOUGH: u64 = 20;

    /// Returns a sample of the first [`Self::FIRST`] bytes, or of all bytes if there are fewer.
    pub fn start(&self) -> Self {
        let start = self.bytes.get(..Self::FIRST).filter(|start| start.len() < self.bytes.len());
        start.map_or(*self, |bytes| Self { bytes, is_whole: false, ..*self })
    }

    /// Returns how the text continues after the sample.
    pub const fn end(&self) -> TextEnd {
        if self.is_whole { TextEnd::Last } else { TextEnd::Cut }
    }

    /// Returns the complete lines, including line ends; if there is none, the part of the first line that is available.
    pub fn lines(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let bytes = match whole_lines(self.bytes, self.end()) {
            0 => self.bytes,
            length => &self.bytes[..length],
        };
        bytes.split_inclusive(|&byte| byte == b'\n')
    }
}

impl Passed {
    /// Counts a line as skipped.
    pub fn count(&mut self, line: u64, text: &[u8]) {
        /// How many bytes of the first line are shown.
        const SHOWN: usize = 60;
        self.lines += 1;
        if self.first.is_none() {
            let text = text.trim_ascii();
            let shown = String::from_utf8_lossy(&text[..text.len().min(SHOWN)]);
            let dots = if text.len() > SHOWN { "..." } else { "" };
            self.first = Some((line, format!("{shown}{dots}")));
        }
    }

    /// Adds the lines that were skipped in a later part of the text; `lines_before` lines come before that part.
    pub fn add(&mut self, lines_before: u64, other: Self) {
        self.lines += other.lines;
        if self.first.is_none() {
            self.first = other.first.map(|(line, text)| (lines_before + line, text));
        }
    }
}
