//! Whole records cut out of a source, and what every family of formats does to cut and read them.
//!
//! A family implements [`Format::step`], which looks at the bytes that follow and says how long the
//! next record is, or the next stretch between records. The reader counts records with it (`cut`), and
//! later any thread walks the same batch with it again (`read`). Both must find the same records, so
//! `step` may depend on nothing but the bytes before its answer ends and on [`Cursor`], never on how
//! many bytes happen to follow: as long as the answer hangs on bytes not yet there, it is
//! [`Step::Incomplete`]. A batch ends where a record ends, and the end of a batch reads as the end of
//! the input. A family that must look at what follows a record to know where it ends has its own
//! [`Format::cut`], which says how much that is; the batch then has it, too.

use std::fmt;
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memrchr};
use serde::{Deserialize, Serialize};

use super::beside::Tell;
use super::family::Sample;
use super::look::{Excerpt, TableLook};
use super::nesting::Nesting;
use super::passed::Passed;
use super::{Columns, InputError};
use crate::record::{Fault, Layout, Place, Records, Span, Texts, Want};
use crate::sudoku::CELLS;

/// What is known of a source as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceInfo {
    /// Name as given, `-` for standard input.
    pub name: String,
    /// Size of the file in bytes, compressed if it is; `None` for what has no size, like a pipe.
    pub size: Option<u64>,
    /// Whether it is compressed, so that there is more text than the file has bytes.
    pub compressed: bool,
}

impl SourceInfo {
    /// Of what is not compressed.
    pub(super) fn plain(name: &str, size: Option<u64>) -> Self {
        Self { name: name.to_owned(), size, compressed: false }
    }
}

/// What follows the bytes at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextEnd {
    /// More bytes may come.
    More,
    /// Nothing: the input ends here, so an unfinished record ends here too.
    Last,
    /// Bytes that cannot be read: an unfinished record is lost.
    Damaged,
}

/// Where between the records of a source a cursor stands. A family uses those it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Phase {
    /// Nothing but blanks and comments so far: a count line or a header may come.
    Start,
    /// The same behind a text that is no record, above the first grid.
    Head,
    /// After a record, a count line or a header.
    Records,
    /// After a grid of which so many followers were looked at and leave no doubt.
    Ahead(u8),
    /// After what a title may follow: a blank line; of grids also a title, a border, a line that belongs to none.
    Gap,
    /// In a section of an `.sdk` file that holds no puzzle.
    OtherSection,
    /// Among the rows of a statement of SQL that adds puzzles.
    Rows,
    /// Among those of another one.
    OtherRows,
    /// In the rest of a case, a key or a value that was too long to keep.
    Overflow,
    /// After what ends a list: a lone 0, -1 or `end`, or the rows of a table.
    Closed,
    /// In what follows nevertheless, once that was reported.
    Trailing,
}

/// What reading a source carries from one record to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cursor {
    pub phase: Phase,
    /// Number of records that a count line promised.
    pub promised: Option<u64>,
    /// Bytes since the last line end, where records begin within lines.
    pub column: u64,
    /// Where in a document it is.
    pub nesting: Nesting,
    /// What was passed over, as far as it was cut.
    #[serde(default)]
    pub passed: Passed,
}

impl Cursor {
    pub const START: Self = Self {
        phase: Phase::Start,
        promised: None,
        column: 0,
        nesting: Nesting::OUTSIDE,
        passed: Passed::NOTHING,
    };

    /// Moves behind some bytes of a text whose records begin within lines; gives the line ends among them.
    pub fn pass(&mut self, bytes: &[u8]) -> u64 {
        match memrchr(b'\n', bytes) {
            Some(last) => {
                self.column = (bytes.len() - last - 1) as u64;
                memchr_iter(b'\n', bytes).count() as u64
            }
            None => {
                self.column += bytes.len() as u64;
                0
            }
        }
    }
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
    /// Bytes behind them that tell where the last one ends.
    pub ahead: usize,
}

/// How one source is cut into records and how a record of it is read; shared by its batches.
pub(super) trait Format: fmt::Debug + Send + Sync {
    /// What comes next; moves `cursor` behind it unless the answer is [`Step::Incomplete`]. Of what is no text there is
    /// nothing to cut.
    fn step(&self, _cursor: &mut Cursor, _rest: &[u8], _end: TextEnd) -> Step {
        Step::Incomplete
    }

    /// Appends the records of a batch that starts on `line`, in order; see [`walk`].
    fn read(&self, cursor: Cursor, bytes: &[u8], line: u64, want: Want, out: &mut Records);

    /// The same where the last `ahead` of the bytes belong to what follows the batch.
    fn read_with(
        &self,
        cursor: Cursor,
        bytes: &[u8],
        ahead: usize,
        line: u64,
        want: Want,
        out: &mut Records,
    ) {
        self.read(cursor, &bytes[..bytes.len() - ahead], line, want, out);
    }

    /// Where a cell of a readable sudoku stands, whose record starts on `line` and has this text; of what is no text, the
    /// row and the number of the cell.
    fn place_of(&self, line: u64, _text: &[u8], cell: usize) -> Place {
        Place { line, column: cell as u64 + 1 }
    }

    /// Where a cell of the claimed solution stands.
    fn claim_place(&self, line: u64, _text: &[u8], _cell: usize) -> Place {
        Place { line, column: 1 }
    }

    /// What stands where the claimed solution of a record with this text should, if anything does.
    fn claim_text(&self, _text: &[u8]) -> Option<Vec<u8>> {
        None
    }

    /// What the record at a path claims, if that stands apart from it: the text without quotes, and where a cell of it is.
    fn claim_apart(&self, _path: &str, _cell: usize) -> Option<(&[u8], Place)> {
        None
    }

    /// Whether records begin where lines do. Then a line of more than [`MAX_LINE`](super::MAX_LINE) bytes is cut short;
    /// else lines may be of any length, places within records count from the record, and `step` keeps the column.
    fn begins_lines(&self) -> bool {
        true
    }

    /// Whether it passes over whole lines, of which nothing else is said: puzzles in them are told.
    fn passes_lines(&self) -> bool {
        self.begins_lines()
    }

    /// Whether it is a table, of which options can name the columns that hold puzzles and claims.
    fn has_columns(&self) -> bool {
        false
    }

    /// What stands beside the puzzles of its records and can be carried along, by name; of a table all columns.
    fn columns(&self) -> Columns {
        Columns::default()
    }

    /// Whether claimed solutions were found at the start.
    fn has_claims(&self) -> bool {
        self.columns().claim.is_some()
    }

    /// Appends to each of `out` a text, or none, for each record of a batch with these bytes: that of the column of the
    /// same place in `wanted`, which are indices of [`Format::columns`]. What is not appended is missing.
    fn carry(&self, _records: &Records, _bytes: &[u8], _wanted: &[Option<usize>], _out: &mut [Texts]) {}

    /// Tells of what stands beside the cells of the records of a batch, which starts on `line` with `before` records
    /// before it, and is in none of the columns; of each kind at least of the first.
    fn beside(&self, _records: &Records, _bytes: &[u8], _line: u64, _before: u64, _tell: Tell<'_>) {}

    /// How the start of an input shows its columns, if it is a table of text.
    fn table(&self, _sample: &Sample<'_>) -> Option<TableLook> {
        None
    }

    /// How its records can be written one behind the other as they stand, and read from any of them on; `None` if they
    /// mean nothing without what is around them.
    fn excerpt(&self) -> Option<Excerpt> {
        None
    }

    /// Whether an input may end here without a record: it says itself that it has none.
    fn may_be_empty(&self, cursor: &Cursor) -> bool {
        cursor.promised == Some(0) || cursor.phase == Phase::Closed
    }

    /// What is wrong with an input that ends here, where that is none of its records: it is one of its own.
    fn bad_end(&self, _cursor: &Cursor) -> Option<Fault> {
        None
    }

    /// What is worth a warning once the input ended.
    fn note(&self, cursor: &Cursor, records: u64) -> Option<String> {
        let promised = cursor.promised?;
        (promised != records).then(|| wrong_count_line(promised, records))
    }

    /// Finds the whole records at the start of `bytes`, [`MOST_RECORDS`] of them at most.
    fn cut(&self, cursor: &mut Cursor, bytes: &[u8], end: TextEnd) -> Cut {
        let mut cut = Cut::default();
        while cut.records < MOST_RECORDS {
            let (length, lines) = match self.step(cursor, &bytes[cut.length..], end) {
                Step::Skip { length, lines } => {
                    if self.passes_lines() {
                        cursor.passed.see(cut.lines, &bytes[cut.length..cut.length + length]);
                    }
                    (length, lines)
                }
                Step::Record { length, lines } => {
                    cut.records += 1;
                    cursor.passed.end();
                    (length, lines)
                }
                Step::Incomplete => break,
            };
            cut.length += length;
            cut.lines += lines;
        }
        cursor.passed.go_on(cut.lines);
        cut
    }
}

/// What is wrong with the end of an input, as a record of no text.
#[derive(Debug)]
pub(super) struct BadEnd(pub Fault);

impl Format for BadEnd {
    fn read(&self, cursor: Cursor, _: &[u8], line: u64, _: Want, out: &mut Records) {
        let fault = self.0.clone().at(Place { line, column: cursor.column + 1 });
        out.push_fault(line, Span::default(), Layout::Line, fault);
    }

    fn begins_lines(&self) -> bool {
        false
    }
}

impl BadEnd {
    /// The batch that it is.
    pub fn batch(self, source: &Arc<SourceInfo>, position: Position) -> Batch {
        Batch {
            source: Arc::clone(source),
            bytes: Vec::new(),
            position,
            records: 1,
            ahead: 0,
            format: Arc::new(self),
            carried: Arc::default(),
        }
    }
}

/// A source that is no text to be cut: it gives whole batches by itself.
pub(super) trait BatchSource: Send {
    /// The next batch, which takes about `target` bytes; `None` at the end. The records before an error were handed
    /// out; whoever gets either asks no more.
    fn next_batch(
        &mut self,
        source: &Arc<SourceInfo>,
        buffer: Vec<u8>,
        target: usize,
    ) -> Result<Option<Batch>, InputError>;

    /// Has the batches that come give these columns, too, which are carried along.
    fn carry(&mut self, _columns: &[Option<usize>]) {}

    /// Bytes of the file or stream taken in so far, or what stands for them.
    fn raw_position(&self) -> u64;

    /// What is worth a warning once it ended.
    fn note(&self) -> Option<String> {
        None
    }
}

/// Records of a batch at most: the rows of records of a few bytes take a hundred times the memory that these do.
pub(super) const MOST_RECORDS: u64 = 16 << 10;

/// What is said of a count line that is wrong.
pub(super) fn wrong_count_line(promised: u64, records: u64) -> String {
    format!("the count line promises {promised} records, {records} came")
}

/// Finds the records of a batch that starts on `line` and hands out each with its line and the phase
/// before it.
#[inline]
pub(super) fn walk(
    format: &impl Format,
    mut cursor: Cursor,
    bytes: &[u8],
    mut line: u64,
    mut found: impl FnMut(Phase, u64, Span),
) {
    let mut start = 0;
    loop {
        let phase = cursor.phase;
        let (length, lines) = match format.step(&mut cursor, &bytes[start..], TextEnd::Last) {
            Step::Skip { length, lines } => (length, lines),
            Step::Record { length, lines } => {
                found(phase, line, Span { start, length });
                (length, lines)
            }
            Step::Incomplete => return,
        };
        start += length;
        line += lines;
    }
}

/// A place between two records of a source from which it can be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Bytes of the decompressed text before it, byte-order mark and all.
    pub offset: u64,
    /// Line on which the text goes on, counted from 1.
    pub line: u64,
    /// Records of the source before it.
    pub records: u64,
    pub(super) cursor: Cursor,
}

impl Position {
    /// The start of a source.
    pub const START: Self = Self { offset: 0, line: 1, records: 0, cursor: Cursor::START };
}

/// Some whole records of a source, in order, together with where they stand in it.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The source they are from.
    pub source: Arc<SourceInfo>,
    /// The text; give it back to [`Source::next_batch`](super::Source::next_batch) to use it again.
    pub bytes: Vec<u8>,
    /// Where `bytes` starts.
    pub position: Position,
    /// Records in this batch, at least one.
    pub records: u64,
    /// Bytes at the end of `bytes` that belong to the next records, and tell where the last one of this batch ends.
    pub(super) ahead: usize,
    pub(super) format: Arc<dyn Format>,
    /// The columns that are carried along; `None` for those that the source does not have.
    pub(super) carried: Arc<[Option<usize>]>,
}

impl Batch {
    /// Bytes of the text, or what stands for them where there is none, for values in memory.
    #[must_use]
    pub fn size(&self) -> u64 {
        let length = self.bytes.len() - self.ahead;
        if length == 0 { self.records * CELLS as u64 } else { length as u64 }
    }

    /// Reads the records, in order, in place of whatever was in `out`.
    pub fn read(&self, want: Want, out: &mut Records) {
        out.clear();
        out.reserve(usize::try_from(self.records).unwrap_or(0));
        self.format.read_with(self.position.cursor, &self.bytes, self.ahead, self.position.line, want, out);
        if want.claims {
            // Formats without claims say nothing of them.
            out.claims.fill(out.len());
        }
        if !self.carried.is_empty() || !out.carried.is_empty() {
            self.carry(out);
        }
    }

    /// Reads the columns that are carried along.
    fn carry(&self, out: &mut Records) {
        let mut carried = std::mem::take(&mut out.carried);
        carried.resize_with(self.carried.len(), Texts::default);
        self.format.carry(out, &self.bytes, &self.carried, &mut carried);
        carried.iter_mut().for_each(|texts| texts.fill(out.len()));
        out.carried = carried;
    }

    /// Tells of what stands beside the cells of the records and is in none of the columns; see [`Tell`].
    pub fn beside(&self, records: &Records, tell: Tell<'_>) {
        // Around some of the records stand the others.
        if records.len() as u64 == self.records {
            let bytes = &self.bytes[..self.bytes.len() - self.ahead];
            self.format.beside(records, bytes, self.position.line, self.position.records, tell);
        }
    }

    /// Where a cell (0 to 80) of a sudoku stands, to report a clash of clues.
    ///
    /// `row` counts the records of this batch; for one that is no readable sudoku it is the place where it starts.
    #[must_use]
    pub fn place(&self, records: &Records, row: usize, cell: usize) -> Place {
        self.place_in_line(records, row, self.place_in_record(records, row, cell))
    }

    /// The same, with columns of the first line counted from where the record begins.
    #[must_use]
    pub fn place_in_record(&self, records: &Records, row: usize, cell: usize) -> Place {
        self.format.place_of(records.lines()[row], records.spans()[row].of(&self.bytes), cell)
    }

    /// The place in its line of what stands in a record.
    fn place_in_line(&self, records: &Records, row: usize, place: Place) -> Place {
        if self.format.begins_lines() || place.line != records.lines()[row] {
            return place;
        }
        let mut cursor = self.position.cursor;
        cursor.pass(&self.bytes[..records.spans()[row].start]);
        Place { column: cursor.column + place.column, ..place }
    }

    /// What a record claims, as it stands in the text but without quotes; `None` if nothing stands there.
    #[must_use]
    pub fn claim_text(&self, records: &Records, row: usize) -> Option<Vec<u8>> {
        match self.claim_apart(records, row, 0) {
            Some((text, _)) => Some(text.to_vec()),
            None => self.format.claim_text(records.spans()[row].of(&self.bytes)),
        }
    }

    /// What stands apart from its record.
    pub(super) fn claim_apart(&self, records: &Records, row: usize, cell: usize) -> Option<(&[u8], Place)> {
        self.format.claim_apart(records.paths.get(row)?, cell)
    }

    /// Where a cell (0 to 80) of a claimed solution stands that is a grid; otherwise where the record starts.
    #[must_use]
    pub fn claim_place(&self, records: &Records, row: usize, cell: usize) -> Place {
        if let Some((_, place)) = self.claim_apart(records, row, cell) {
            return place;
        }
        let text = records.spans()[row].of(&self.bytes);
        let place = self.format.claim_place(records.lines()[row], text, cell);
        self.place_in_line(records, row, place)
    }
}

/// Length of the line at the start of `rest`, line end included; `None` if it is not whole or there is none.
#[inline]
pub(super) fn line_length(rest: &[u8], end: TextEnd) -> Option<usize> {
    match memchr(b'\n', rest) {
        Some(at) => Some(at + 1),
        None if end == TextEnd::Last && !rest.is_empty() => Some(rest.len()),
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

/// Whether a carriage return stands within a line: the line end of old Macs among others.
pub(super) fn has_inner_carriage_return(line: &[u8]) -> bool {
    memchr(b'\r', line.trim_ascii_end()).is_some()
}

/// The number on a line that holds nothing but an integer.
pub(super) fn lone_integer(line: &[u8]) -> Option<&[u8]> {
    let digits = trim(line);
    (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit)).then_some(digits)
}

/// The number on a line that holds nothing but an integer of so many digits at most.
pub(super) fn lone_number(line: &[u8], most_digits: usize) -> Option<u64> {
    let digits = lone_integer(line).filter(|digits| digits.len() <= most_digits)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Whether a line is the number of rows that a database puts below them: `(2 rows)`, `2 rows in set (0.00 sec)`.
pub(super) fn counts_rows(line: &[u8]) -> bool {
    let line = trim(line);
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match line {
        [b'(', inside @ ..] => matches!(&inside[digits(inside)..], b" row)" | b" rows)"),
        _ => {
            let behind = &line[digits(line)..];
            behind.len() < line.len()
                && (behind.starts_with(b" row in set") || behind.starts_with(b" rows in set"))
        }
    }
}

/// The place of an offset in a text that starts on `line`.
pub(super) fn place_in(line: u64, text: &[u8], at: usize) -> Place {
    let before = &text[..at.min(text.len())];
    let column = before.iter().rev().position(|&byte| byte == b'\n').unwrap_or(before.len());
    Place { line: line + memchr_iter(b'\n', before).count() as u64, column: column as u64 + 1 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::input::testing::{Body, PUZZLE, Reading, dotted, drain, open, rows};
    use crate::input::{FormatChoice, ReadOptions};
    use crate::record::FaultKind;

    const CASE: &str = "1\n6 B2 1 B3\nC5 A3 D9 I4 A9 E5 A2 C6 I1\n";

    /// Reads text whole and in chunks of several sizes; all must give the same.
    fn read_in_all_sizes(text: &[u8], format: Option<FormatChoice>) -> Option<Reading> {
        let options = ReadOptions { format, ..ReadOptions::default() };
        let whole = drain(open(text, &options).ok()?, usize::MAX / 4);
        for target in [1, 50, 1000, 100 << 10] {
            let parts = drain(open(text, &options).expect("it opened before"), target);
            assert_eq!(parts.records, whole.records, "chunks of {target} bytes");
            assert_eq!(parts.notes, whole.notes);
        }
        assert!(whole.error.is_none());
        check_places(text, &whole);
        Some(whole)
    }

    /// What of the bytes of an input is text: no mark at the start and the end, carriage returns alone as line ends, among
    /// line feeds those that are in no quotes.
    fn text_of(bytes: &[u8]) -> Vec<u8> {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let foot = text.iter().rposition(|byte| !b"\x1a\r\n".contains(byte)).map_or(0, |last| last + 1);
        let end = text[foot..].iter().position(|&byte| byte == 0x1a).map_or(text.len(), |at| foot + at);
        let mut text = text[..end].to_vec();
        let has_feeds = text.contains(&b'\n');
        for at in 0..text.len() {
            let next = text[at..].iter().find(|byte| **byte != b'\r');
            let is_open = |text: &[u8]| text.iter().filter(|byte| **byte == b'"').count() % 2 == 1;
            let line = text[..at].rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
            let is_quoted = is_open(&text[..at]) || is_open(line);
            let is_lone = !is_quoted && next.is_some_and(|byte| *byte != b'\n');
            if text[at] == b'\r' && (is_lone || !has_feeds) {
                text[at] = b'\n';
            }
        }
        text
    }

    /// The texts of records stand where they say, in order, and share no line, but in documents.
    fn check_places(text: &[u8], Reading { records, begins_lines, .. }: &Reading) {
        let text = text_of(text);
        let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
        let mut next = 1;
        for record in records {
            assert!(record.line >= next, "line {} after line {next}", record.line);
            let from_there = lines[record.line as usize - 1..].concat();
            let is_end =
                matches!(&record.body, Body::Invalid(fault) if fault.kind == FaultKind::CutOffDocument);
            assert!(!record.text.is_empty() || is_end);
            let lines = record.text.split_inclusive(|&byte| byte == b'\n').count().max(1) as u64;
            if *begins_lines {
                assert!(from_there.starts_with(&record.text));
                next = record.line + lines;
            } else {
                assert!(memchr::memmem::find(&from_there, &record.text).is_some());
                next = record.line + lines - 1;
            }
            if let Body::Invalid(fault) = &record.body {
                let place = fault.place.expect("a fault of an input has a place");
                assert!(place.line >= record.line && place.line <= next);
                assert!(place.column >= 1);
                let reason = fault.reason();
                assert!(!reason.is_empty() && !reason.contains(['\n', '\r', '\0']));
                assert_ne!(fault.kind, FaultKind::Other);
            }
        }
    }

    /// Pieces that mean something in one format or another, and pieces that mean nothing.
    fn piece() -> impl Strategy<Value = Vec<u8>> {
        let known: Vec<Vec<u8>> = [
            format!("{PUZZLE}\n"),
            format!("{PUZZLE},{PUZZLE}\r\n"),
            format!("{}\n", &PUZZLE[1..]),
            format!("0000183b305c {PUZZLE} 1.2\n"),
            rows(),
            rows().replace('\n', "\r\n"),
            rows()[..40].to_owned(),
            PUZZLE[..9].to_owned() + "\n",
            "5 3 . . 7 . . . .\n".to_owned(),
            "|53.|.7.|...|\n".to_owned(),
            "+---+---+---+\n".to_owned(),
            "---------\n".to_owned(),
            "├───┼───┼───┤\n".to_owned(),
            "Grid 01\n".to_owned(),
            "Some title\n".to_owned(),
            "[Puzzle]\n".to_owned(),
            "[State]\n".to_owned(),
            "# remark\n".to_owned(),
            "2\n".to_owned(),
            "0\n".to_owned(),
            "\n".to_owned(),
            "\r\n".to_owned(),
            "\n\n".to_owned(),
            " ".to_owned(),
            CASE.to_owned(),
            CASE[2..].to_owned(),
            "6 B2 1 B3\n".to_owned(),
            "id,puzzle\n".to_owned(),
            format!("1,{PUZZLE}\n"),
            format!("\"a\"\"\nb\",\"{PUZZLE}\"\n"),
            format!("1,\"{PUZZLE}\n"),
            "1,\"".to_owned(),
            "\"".to_owned(),
            ",".to_owned(),
            "\u{feff}".to_owned(),
            format!("{{\"puzzle\":\"{PUZZLE}\",\"solution\":\"{PUZZLE}\"}}\n"),
            format!("\"{PUZZLE}\""),
            format!("{{\"a\":[\"{}\",", dotted()),
            format!("[{}],", rows().replace('\n', "\",\"")),
            "[[1,2,3],[4".to_owned(),
            "[".to_owned(),
            "]}\n".to_owned(),
            "\"a\" : {".to_owned(),
            "/*".to_owned(),
        ]
        .into_iter()
        .map(String::into_bytes)
        .collect();
        prop_oneof![
            8 => prop::sample::select(known),
            1 => prop::collection::vec(any::<u8>(), 0..40),
            1 => prop::collection::vec(prop::sample::select(b"123.|-+ ,\"\n\r\t0#xA[]{}:'\\".to_vec()), 0..30),
        ]
    }

    proptest! {
        #[test]
        fn records_do_not_depend_on_the_size_of_chunks(pieces in prop::collection::vec(piece(), 0..25)) {
            let text = pieces.concat();
            read_in_all_sizes(&text, None);
            for choice in FormatChoice::ALL {
                read_in_all_sizes(&text, Some(choice));
            }
        }

        /// What is skipped is no damaged puzzle, and a puzzle that is read stands on its line.
        #[test]
        fn every_line_is_a_record_a_remark_or_blank(pieces in prop::collection::vec(piece(), 0..25)) {
            let is_cell = |byte: &u8| b"123456789.0*_-?Xx".contains(byte);
            let clues = |text: &[u8]| -> Vec<u8> { text.iter().copied().filter(|byte| matches!(byte, b'1'..=b'9')).collect() };
            let text = pieces.concat();
            let reading = read_in_all_sizes(&text, FormatChoice::named("line"));
            let text = text_of(&text);
            // A text without records is refused.
            let records = reading.map_or_else(Vec::new, |reading| reading.records);
            let mut records = records.iter().peekable();
            for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii)) {
                let Some(record) = records.next_if(|record| record.line == number) else {
                    let cells = line.split(|byte| !is_cell(byte)).map(<[u8]>::len).max().unwrap_or(0);
                    prop_assert!(cells < 20 || line[0] == b'#' || line.iter().all(|&byte| byte == b'-'));
                    continue;
                };
                let first: Vec<u8> = line.iter().copied().take_while(is_cell).collect();
                let readable = matches!(record.body, Body::Sudoku(_));
                prop_assert!(readable || first.len() != 81 || line.get(81) == Some(&b'\r'), "{}", record.show());
                if readable {
                    let (here, ours) = (clues(line), clues(record.show().as_bytes()));
                    prop_assert!(ours.is_empty() || here.windows(ours.len()).any(|part| part == ours));
                }
            }
            prop_assert!(records.next().is_none());
        }

        /// A bad row costs its grid; where nothing sets grids apart, it may cost one more. None is made up.
        #[test]
        fn a_bad_row_never_costs_another_grid(
            spaced in any::<bool>(),
            between in prop::sample::select(vec!["", "\n", "\n\n", "Grid 7\n", "# x\n", "+---+---+---+\n"]),
            grids in prop::collection::vec(prop::option::weighted(0.3, (0..9_usize, "[1-9]{8}|[1-9]{10,12}|[1-9]{4}[a-w@&~!][1-9]{4}")), 1..12),
        ) {
            let mut text = String::new();
            let mut intact = Vec::new();
            for (grid, puzzle) in grids.iter().zip(include_str!("../../data/minimal.txt").lines()) {
                let puzzle = &puzzle[..81];
                let mut lines: Vec<String> = (0..9).map(|row| puzzle[9 * row..9 * row + 9].to_owned()).collect();
                if spaced {
                    for line in &mut lines {
                        *line = line.chars().map(String::from).collect::<Vec<_>>().join(" ");
                    }
                }
                match grid {
                    Some((at, bad)) => lines[*at] = bad.clone(),
                    None => intact.push(puzzle),
                }
                text += between;
                text += &lines.join("\n");
                text += "\n";
            }
            let reading = read_in_all_sizes(text.as_bytes(), FormatChoice::named("grid")).expect("grids always open");
            let shown = reading.show();
            let read: Vec<&str> = shown.iter().filter(|shown| !shown.contains(':')).map(String::as_str).collect();
            if ["\n", "\n\n", "Grid 7\n"].contains(&between) {
                prop_assert_eq!((read, shown.len()), (intact, grids.len()));
            } else {
                let mut left = intact.iter();
                prop_assert!(read.iter().all(|grid| left.any(|intact| intact == grid)), "made up: {shown:?}");
                let bad = grids.len() - intact.len();
                prop_assert!(read.len() + bad >= intact.len(), "{shown:?}");
            }
        }

        #[test]
        fn a_bad_token_never_costs_another_case(
            cases in prop::collection::vec(prop::option::weighted(0.3, (0..13_usize, "[0-9]{2,3}|[a-z]{1,3}|[J-Z][1-9]|\\PC")), 1..12),
        ) {
            let mut text = String::new();
            let mut expected = Vec::new();
            for case in &cases {
                let mut tokens: Vec<&str> = CASE[2..].split_whitespace().collect();
                if let Some((at, bad)) = case {
                    prop_assume!(*bad != tokens[*at] && !bad.contains(char::is_whitespace) && !bad.contains('#'));
                    tokens[*at] = bad;
                }
                text += &format!("1\n{}\n", tokens.join(" "));
                // Another number can still make a good domino.
                expected.push(case.as_ref().is_none_or(|(at, bad)| [0, 2].contains(at) && bad.len() == 1 && bad.is_ascii()));
            }
            text += "0\n";
            let reading = read_in_all_sizes(text.as_bytes(), FormatChoice::named("cases")).expect("cases always open");
            prop_assert_eq!(reading.records.len(), cases.len());
            for (record, case) in reading.records.iter().zip(&cases) {
                prop_assert!(case.is_some() || matches!(record.body, Body::Sudominoku(_)));
            }
            prop_assert!(reading.notes.is_empty());
            for (record, may_be_good) in reading.records.iter().zip(expected) {
                prop_assert!(may_be_good || matches!(record.body, Body::Invalid(_)));
            }
        }

        #[test]
        fn a_table_is_read_as_the_csv_crate_wrote_it(
            remarks in prop::collection::vec(prop::collection::vec("[a-z\",;\n\r #]{0,6}", 2), 1..30),
            separator in prop::sample::select(b",;\t".to_vec()),
        ) {
            let mut writer = ::csv::WriterBuilder::new().delimiter(separator).from_writer(Vec::new());
            writer.write_record(["nr", "a", "Puzzle", "b"]).expect("memory takes it");
            for (i, remark) in remarks.iter().enumerate() {
                let row = [&i.to_string(), &remark[0], PUZZLE, &remark[1]];
                writer.write_record(row).expect("memory takes it");
            }
            let text = writer.into_inner().expect("memory takes it");
            let reading = read_in_all_sizes(&text, None).expect("the column has a known name");
            prop_assert_eq!(reading.show(), vec![dotted(); remarks.len()]);
        }
    }
}
