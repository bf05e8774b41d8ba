//! Tables: one puzzle per row, either in one column or in 81 consecutive columns with one cell each.
//!
//! `find` finds the start of the table, its separator and its columns; `fields` splits rows. A row is invalid if its
//! number of fields differs from the table's, except that it may have one extra empty field. If whole rows are in
//! quotes, as some programs write them, those quotes are removed first. Blank rows, borders and comments are not
//! counted as rows. In a table of several columns, a lone field is skipped unless it contains at least half a puzzle.
//! In a table of answers, a row of empty fields is a gap; if there is only one column, so is a blank line.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr_iter};

mod find;
#[cfg(test)]
mod tests;

pub(in crate::input) use find::candidates;

use super::fields::{self, Field, Splitter, without_line_end};
use super::notation::{Miss, Notation, is_border, is_comment};
use super::{place_in, trouble, whole_lines};
use crate::input::names::{Chosen, is_mangled, variant_in_results};
use crate::input::reader::{Block, Read, Reader, State, TextEnd, TextReader, Which};
use crate::input::{Columns, Dialect, Framing, MAX_LINE, lost_zeros};
use crate::record::{Fault, FaultKind, Layout, Records, Span, Texts};
use crate::sudoku::{CELLS, Grid, digit_of};

/// The layout of one table.
#[derive(Clone, Debug, Default)]
struct Table {
    separator: u8,
    /// The number of fields in a row.
    columns: usize,
    /// The column names, or the column numbers if there is no header.
    names: Vec<String>,
    /// The number of lines above the first row, including the header.
    above: usize,
    /// The header as written, including its line end; empty if there is none.
    header: Vec<u8>,
    /// Whether the header, or an option that names a column, shows that this is a table of puzzles.
    is_named: bool,
    /// The columns that are read.
    chosen: Chosen,
    /// The column that gives the kind of each row, in this program's own output.
    kind: Option<usize>,
    /// Whether the puzzles were stored as numbers and lost their leading zeros.
    lost_zeros: bool,
    /// Whether the table holds the answers to another input's puzzles, in the same order.
    has_answers: bool,
    notation: Notation,
}

/// A row that has been split into fields.
struct SplitRow<'a> {
    /// The text that contains the fields: the whole row, or what is inside the quotes around it.
    text: Cow<'a, [u8]>,
    /// The fields; at most one more than the table has columns.
    fields: &'a [Field],
    /// Whether the whole row is in quotes.
    is_in_quotes: bool,
}

/// A fault, and its byte offset in the row.
type Trouble = (usize, Fault);

impl Reader for Table {
    fn read(&self, block: &Block<'_>, out: &mut Records) -> Read {
        let mut read = Read::default();
        let mut at = if block.state.begun { 0 } else { self.read_above(block.bytes, &mut read) };
        let mut splitter = self.splitter();
        let claim = self.chosen.claim.as_ref().filter(|_| out.want.claims);
        let wanted: Vec<_> = [Some(&self.chosen.puzzle), claim].into_iter().flatten().collect();
        let is_plain = self.kind.is_none() && digit_of(self.separator).is_none();
        loop {
            while is_plain
                && let Some((length, [puzzle, claim])) = self.plain_row(&block.bytes[at..], &wanted)
            {
                read.lines += 1;
                out.push_claim(|| wanted.get(1).map(|_| Ok(claim)));
                out.push_sudoku(read.lines, Span { start: at, length }, Layout::Line, puzzle);
                at += length;
            }
            let Some(row) = splitter.split(&block.bytes[at..], TextEnd::Last) else { return read };
            let span = Span { start: at, length: row.length };
            let line = read.lines + 1;
            let text = without_line_end(span.of(block.bytes));
            match self.row(text, row.unclosed, &mut splitter) {
                Some(split) => {
                    let puzzle = split.as_ref().map_err(Trouble::clone).and_then(|split| self.puzzle(split));
                    let puzzle = puzzle.map_err(|trouble| placed(trouble, line, text));
                    out.push_claim(|| {
                        let claim = self.claim(&split.ok().filter(|_| puzzle.is_ok())?)?;
                        Some(claim.map_err(|trouble| placed(trouble, line, text).of_claim()))
                    });
                    out.push_puzzle(line, span, Layout::Line, puzzle);
                }
                None if is_silent(text, self.separator) || is_comment(text) => {}
                None => {
                    read.passed.count(line, text);
                    read.passed.lines += row.lines - 1;
                }
            }
            read.lines += row.lines;
            at += row.length;
        }
    }

    fn offset(&self, record: &[u8], cell: usize, which: Which) -> Option<usize> {
        let columns = match which {
            Which::Puzzle => &self.chosen.puzzle,
            Which::Claim => self.chosen.claim.as_ref()?,
        };
        let mut splitter = self.splitter();
        let split = self.split(without_line_end(record), &mut splitter)?;
        let (column, at) = match columns.len() {
            1 => (columns.start, self.offset_in_field(&split.text(columns.start), cell)),
            _ => (columns.start + cell, 0),
        };
        Some(split.offset(column, at))
    }

    fn claim_text(&self, record: &[u8]) -> Option<Vec<u8>> {
        let columns = self.chosen.claim.clone()?;
        let mut splitter = self.splitter();
        let split = self.split(without_line_end(record), &mut splitter)?;
        let texts = columns.map(|column| split.text(column).into_owned());
        let text = texts.map(|text| if text.is_empty() { b".".to_vec() } else { text }).collect::<Vec<_>>();
        Some(text.concat()).filter(|text| text != b".")
    }

    fn columns(&self) -> Columns {
        let Chosen { puzzle, claim } = self.chosen.clone();
        Columns { names: self.names.clone(), puzzle: Some(puzzle), claim }
    }

    fn carry(&self, bytes: &[u8], records: &Records, wanted: &[Option<usize>], out: &mut [Texts]) {
        let mut splitter = self.splitter();
        for span in records.spans() {
            // If there are too few or too many fields, there is no telling which column each belongs to.
            let split = self.split(without_line_end(span.of(bytes)), &mut splitter);
            for (texts, column) in out.iter_mut().zip(wanted) {
                let text = split.as_ref().zip(*column).map(|(split, column)| split.text(column));
                texts.push(text.as_deref());
            }
        }
    }

    fn dialect(&self) -> Dialect {
        let holders = |range: &Range<usize>| range.start + 1..=range.end;
        Dialect {
            separator: Some(self.separator.into()),
            above: Some(self.above),
            puzzle: Some(holders(&self.chosen.puzzle)),
            solution: self.chosen.claim.as_ref().map(holders),
            blank: self.notation.blank,
            zeros: self.lost_zeros.then_some(true),
            ..Dialect::of(Framing::Csv)
        }
    }
}

impl TextReader for Table {
    fn frame(&self, state: &mut State, bytes: &[u8], end: TextEnd) -> usize {
        let mut length = 0;
        if !state.begun && self.above > 0 {
            length = match memchr_iter(b'\n', bytes).nth(self.above - 1) {
                Some(last) => last + 1,
                None if end == TextEnd::Last => bytes.len(),
                None => return 0,
            };
        }
        let rest = &bytes[length..];
        if end == TextEnd::Last || memchr(b'"', rest).is_none() {
            length += whole_lines(rest, end);
        } else {
            let mut splitter = Splitter::new(self.separator).keeping(0);
            while let Some(row) = splitter.split(&bytes[length..], end) {
                length += row.length;
            }
        }
        state.begun |= length > 0;
        length
    }

    fn header(&self) -> &[u8] {
        &self.header
    }

    fn may_be_empty(&self, state: &State) -> bool {
        // Even without rows, a table has the columns in its header.
        !self.header.is_empty() && state.begun
    }

    fn is_declared(&self) -> bool {
        self.is_named
    }
}

impl Table {
    /// Makes a splitter for rows.
    fn splitter(&self) -> Splitter {
        Splitter::new(self.separator).keeping(self.columns + 1)
    }

    /// Reads a plain row at the start of a text; returns its length, its puzzle and its claim. Nearly all rows are
    /// plain: each cell is a single character, and no other field is in quotes. So there is no need to search for the
    /// ends of cells.
    #[inline]
    fn plain_row(&self, rest: &[u8], wanted: &[&Range<usize>]) -> Option<(usize, [Grid; 2])> {
        let (mut at, mut column, mut found, mut grids) = (0, 0, 0, [Grid::EMPTY; 2]);
        while column < self.columns {
            let is_here = |(_, columns): &(&mut Grid, &&Range<usize>)| columns.start == column;
            if let Some((grid, columns)) = grids.iter_mut().zip(wanted).find(is_here) {
                let quote = usize::from(columns.len() == 1 && rest.get(at) == Some(&b'"'));
                *grid = self.plain_grid(rest.get(at + quote..)?, columns.len())?;
                at += CELLS + columns.len() - 1 + 2 * quote;
                rest.get(at - 1).filter(|&&byte| quote == 0 || byte == b'"')?;
                column += columns.len();
                found += 1;
                at += usize::from(column == self.columns && rest.get(at) == Some(&b'\r'));
            } else {
                at = fields::end_of_field(rest, at, self.separator).filter(|_| rest[at] != b'"')?;
                column += 1;
            }
            if *rest.get(at)? != if column == self.columns { b'\n' } else { self.separator } {
                return None;
            }
            at += 1;
        }
        (at <= MAX_LINE && found == wanted.len()).then_some((at, grids))
    }

    /// Reads the grid at the start of a text, with one character per cell, in one column or in 81. Returns `None` if
    /// the grid has no digits.
    #[inline]
    fn plain_grid(&self, text: &[u8], columns: usize) -> Option<Grid> {
        let mut cells = [0; CELLS];
        let cells = if columns == 1 {
            text.first_chunk()?
        } else {
            let (pairs, last) = text.get(..2 * CELLS - 1)?.as_chunks::<2>();
            if pairs.iter().any(|[_, separator]| *separator != self.separator) {
                return None;
            }
            cells[CELLS - 1] = last[0];
            cells.iter_mut().zip(pairs).for_each(|(cell, [sign, _])| *cell = *sign);
            &cells
        };
        let has_digit = cells.iter().any(|cell| matches!(cell, b'1'..=b'9'));
        has_digit.then(|| Grid::from_text(cells))?
    }

    /// Skips the lines above the first row and returns their length in bytes. Headers, comments and `sep=;` do not
    /// count as skipped.
    fn read_above(&self, bytes: &[u8], read: &mut Read) -> usize {
        let lines = |text| <[u8]>::split_inclusive(text, |&byte| byte == b'\n');
        let titles = self.above.saturating_sub(lines(&self.header).count());
        let mut at = 0;
        for (number, line) in lines(bytes).take(self.above).enumerate() {
            read.lines += 1;
            at += line.len();
            let means_something = is_comment(line) || find::stated_separator(line).is_some();
            if number < titles && !means_something && !is_silent(line, self.separator) {
                read.passed.count(read.lines, line);
            }
        }
        at
    }

    /// Returns the fields of a row that the splitter has just split, or the fault; `None` if the row is not a record.
    fn row<'a>(
        &self,
        row: &'a [u8],
        unclosed: Option<usize>,
        splitter: &'a mut Splitter,
    ) -> Option<Result<SplitRow<'a>, Trouble>> {
        if row.len() > MAX_LINE {
            let (at, kind) = match memchr(b'\n', &row[..=MAX_LINE]) {
                Some(_) => (0, FaultKind::RowTooLong),
                None => (MAX_LINE, FaultKind::LineTooLong),
            };
            return Some(Err((at, Fault::new(kind, None))));
        }
        if let Some(at) = unclosed {
            return Some(Err((at, Fault::new(FaultKind::OpenQuote, None))));
        }
        let (mut text, mut is_in_quotes) = (Cow::Borrowed(row), false);
        if let &[field] = splitter.fields()
            && field.is_quoted
            && self.columns > 1
        {
            (text, is_in_quotes) = (field.text(row), true);
            splitter.split(&text, TextEnd::Last)?;
        }
        let count = splitter.count();
        let split = SplitRow { text, fields: splitter.fields(), is_in_quotes };
        // If there is no header, any line could be a row with one column.
        let is_lone = count == 1 && (self.columns > 1 || self.header.is_empty());
        let is_empty = |byte: &u8| *byte == self.separator || byte.is_ascii_whitespace();
        let is_gap = self.has_answers && count == self.columns && row.iter().all(is_empty);
        let is_none = is_silent(row, self.separator) && !is_gap;
        let is_title = is_lone && !self.has_answers;
        if is_none || (is_title || is_comment(row)) && !self.is_half(row) {
            return None;
        }
        let is_last_empty = || split.text(self.columns).trim_ascii().is_empty();
        if count == self.columns || count == self.columns + 1 && is_last_empty() {
            return Some(Ok(split));
        }
        let at = if count > self.columns { split.offset(self.columns, 0) } else { row.len() };
        Some(Err((at, Fault::new(FaultKind::FieldCount, None).number(count).number(self.columns))))
    }

    /// Splits a single row into fields; returns `None` if the row is not valid.
    fn split<'a>(&self, row: &'a [u8], splitter: &'a mut Splitter) -> Option<SplitRow<'a>> {
        let unclosed = splitter.split(row, TextEnd::Last)?.unclosed;
        self.row(row, unclosed, splitter)?.ok()
    }

    /// Returns whether a text has at least half the cells of a puzzle.
    fn is_half(&self, text: &[u8]) -> bool {
        self.restored(text).is_some() || self.notation.cells(text, CELLS) != Err(Miss::Other)
    }

    /// Returns the grid of a number that lost its leading zeros, if that happened to the puzzles of this table.
    fn restored(&self, text: &[u8]) -> Option<Grid> {
        lost_zeros::with_zeros(text.trim_ascii()).filter(|_| self.lost_zeros)
    }

    /// Reads the puzzle of a row; returns its fault if that fails.
    fn puzzle(&self, row: &SplitRow<'_>) -> Result<Grid, Trouble> {
        if let Some(kind) = self.kind
            && let Some(fault) = variant_in_results(&row.text(kind), None)
        {
            return Err((row.offset(kind, 0), fault));
        }
        if self.has_answers && self.is_nothing(row, &self.chosen.puzzle) {
            let at = row.offset(self.chosen.puzzle.start, 0);
            return Err((at, Fault::new(FaultKind::NoPuzzle, None).text("row")));
        }
        self.grid(row, &self.chosen.puzzle)
    }

    /// Returns whether a row's column says that there is no grid: it is empty, a blank or a null value.
    fn is_nothing(&self, row: &SplitRow<'_>, columns: &Range<usize>) -> bool {
        let field = row.text(columns.start);
        // Databases write a null value as \N.
        let is_blank = || self.notation.cells(&field, 1).is_ok_and(|cell| cell.values[0] == 0);
        columns.len() == 1 && (field.trim_ascii() == br"\N" || is_blank())
    }

    /// Reads the claimed solution of a row; `None` if the row has a null value or blanks instead.
    fn claim(&self, row: &SplitRow<'_>) -> Option<Result<Grid, Trouble>> {
        let columns = self.chosen.claim.as_ref()?;
        match self.grid(row, columns) {
            Ok(Grid::EMPTY) => None,
            Err(_) if self.is_nothing(row, columns) => None,
            claim => Some(claim),
        }
    }

    /// Reads the grid in one column of a row, or in 81 columns with one cell each; returns its fault if that fails.
    fn grid(&self, row: &SplitRow<'_>, columns: &Range<usize>) -> Result<Grid, Trouble> {
        let mut values = [0; CELLS];
        for (value, column) in values.iter_mut().zip(columns.clone()) {
            let field = row.text(column);
            let wrong = |miss| {
                let (at, fault) = if is_mangled(field.trim_ascii()) {
                    let number = String::from_utf8_lossy(field.trim_ascii());
                    let start = field.len() - field.trim_ascii_start().len();
                    (start, Fault::new(FaultKind::MangledPuzzle, None).text(number))
                } else {
                    trouble(&field, miss)
                };
                (row.offset(column, at), fault)
            };
            *value = match *field {
                _ if columns.len() == 1 => {
                    let grid =
                        self.notation.cells(&field, CELLS).map(|cells| Grid::from_digits(cells.values));
                    return grid.or_else(|miss| self.restored(&field).ok_or_else(|| wrong(miss)));
                }
                [] => 0,
                [byte] if let Some(digit) = digit_of(byte) => digit,
                _ => self.notation.cells(&field, 1).map_err(wrong)?.values[0],
            };
        }
        Ok(Grid::from_digits(values))
    }

    /// Returns the offset of a cell within the text of a field.
    fn offset_in_field(&self, field: &[u8], cell: usize) -> usize {
        if self.restored(field).is_some() {
            // The end of the number is also the end of the grid.
            return (field.trim_ascii_end().len() + cell).saturating_sub(CELLS);
        }
        self.notation.offsets(field, CELLS).get(cell).copied().unwrap_or(0)
    }
}

impl SplitRow<'_> {
    /// Returns the text of a field; empty if the row has no such field.
    #[inline]
    fn text(&self, column: usize) -> Cow<'_, [u8]> {
        self.fields.get(column).map_or(Cow::Borrowed(&[]), |field| field.text(&self.text))
    }

    /// Returns the offset in the row of the byte at `index` in a field's text.
    fn offset(&self, column: usize, index: usize) -> usize {
        let at = self.fields.get(column).map_or(self.text.len(), |field| field.offset(&self.text, index));
        if self.is_in_quotes { 1 + fields::doubled(&self.text, at) } else { at }
    }
}

/// Returns whether a line is blank or a border, either as a whole or in each nonempty field.
fn is_silent(line: &[u8], separator: u8) -> bool {
    let is_empty = |field: &[u8]| field.trim_ascii().is_empty();
    // A single sign could be a blank cell.
    let is_side = |field: &[u8]| field.trim_ascii().len() > 1 && is_border(field);
    line.split(|&byte| byte == separator).all(|field| is_empty(field) || is_side(field)) || is_border(line)
}

/// Sets a fault's place from its byte offset in a row that starts on `line`.
#[cold]
fn placed((at, fault): Trouble, line: u64, row: &[u8]) -> Fault {
    fault.at(place_in(line, row, at))
}
