//! Tables: one puzzle a row, in a column of a CSV, TSV or semicolon-separated file.
//!
//! The column of the puzzles is found by its name in the header, as the known datasets call it, else by
//! its content. A row ends at a line end outside quotes; a quote opens only at the start of a field. A
//! quote that is never closed would swallow the rows behind it: when it is followed by none that closes,
//! or by one that cannot, the row ends with the line on which the quote opened. Rows without quotes, that
//! is nearly all, are cut at their separators; the others go through csv-core.

use std::sync::Arc;

use csv_core::{ReaderBuilder, Terminator};
use memchr::{memchr, memchr_iter, memchr2};

use super::batch::{Cursor, Format, Phase, Step, TextEnd, line_length, walk, without_line_end};
use super::error::listed;
use super::family::{Family, Sample};
use super::look::{Excerpt, TableLook};
use super::{Columns, InputError, MAX_LINE, cells};
use crate::record::{Fault, FaultKind, Layout, Place, PuzzleKind, Records, Texts, Want};
use crate::sudoku::{CELLS, Grid};

pub(super) const FAMILY: Family = Family {
    name: "csv",
    about: "CSV or TSV with a column of puzzles",
    has_columns: true,
    evidence,
    enough: CELLS as u64,
    open: |sample| match find_table(sample) {
        Some(table) => table.checked(sample).map(|table| Arc::new(table) as Arc<dyn Format>),
        // Without rows there is nothing that could be wrong.
        None if sample.record_lines().next().is_none() => Ok(Arc::new(Table::of_one_column(b','))),
        None => Err(no_column(sample, &rows_of(sample, best_separator(sample)))),
    },
};

/// Separators, the likeliest first.
const SEPARATORS: [u8; 3] = *b",;\t";

/// Names under which the known datasets keep their puzzles.
pub(super) const PUZZLE_NAMES: [&str; 3] = ["quizzes", "puzzle", "question"];

/// Names under which they keep the solutions.
pub(super) const SOLUTION_NAMES: [&str; 3] = ["solution", "answer", AMBIGUOUS_NAME];

/// Of these the name that may also say how many solutions there are, as in results.
const AMBIGUOUS_NAME: &str = "solutions";

/// Columns by which this program's own results are known.
pub(super) const RESULT_NAMES: [&str; 4] = ["id", "kind", "status", "puzzle"];

/// Longest field that can be the name of a column.
const LONGEST_NAME: usize = 64;

/// Most rows of a sample that are looked at.
const ROWS_LOOKED_AT: usize = 200;

/// How one table is laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Table {
    separator: u8,
    /// Fields of a row.
    columns: usize,
    /// Names of the columns.
    names: Vec<String>,
    has_header: bool,
    /// Index of the column of the puzzles.
    puzzle: usize,
    /// Index of the column `kind`, in this program's own results.
    kind: Option<usize>,
    /// Index of the column of the claimed solutions.
    claim: Option<usize>,
    /// What is said of an input whose claimed solutions are wanted and not found.
    unclaimed: Option<String>,
}

impl Format for Table {
    fn table(&self, sample: &Sample<'_>) -> Option<TableLook> {
        let mut cursor = Cursor::START;
        let mut rest = sample.bytes;
        let mut header = Vec::new();
        while self.has_header && cursor.phase == Phase::Start {
            let Step::Skip { length, .. } = self.step(&mut cursor, rest, sample.end()) else { break };
            header = rest[..length].to_vec();
            rest = &rest[length..];
        }
        let header = if cursor.phase == Phase::Start { Vec::new() } else { header };
        Some(TableLook { header, separator: self.separator.into() })
    }

    fn excerpt(&self) -> Option<Excerpt> {
        Some(Excerpt { between: "", end: "" })
    }

    fn step(&self, cursor: &mut Cursor, rest: &[u8], end: TextEnd) -> Step {
        match rest.first() {
            None => return Step::Incomplete,
            Some(b'#' | b' ' | b'\t' | b'\r' | b'\n') => {
                let Some(length) = line_length(rest, end) else { return Step::Incomplete };
                if self.is_no_row(cursor.phase, &rest[..length]) {
                    return Step::Skip { length, lines: 1 };
                }
            }
            _ => {}
        }
        let Some(row) = row_length(rest, self.separator, end) else { return Step::Incomplete };
        let RowLength { length, lines, .. } = row;
        if cursor.phase == Phase::Start {
            cursor.phase = Phase::Records;
            if self.has_header {
                return Step::Skip { length, lines };
            }
        }
        Step::Record { length, lines }
    }

    fn read(&self, cursor: Cursor, bytes: &[u8], line: u64, want: Want, out: &mut Records) {
        let mut unquoter = Unquoter::new(self.separator);
        let claim = self.claim.filter(|_| want.claims);
        walk(self, cursor, bytes, line, |_, line, span| {
            let text = span.of(bytes);
            let read = self.read_row(text, &mut unquoter);
            if let Some(column) = claim {
                let claim = read.is_ok().then(|| self.read_claim(column, line, text, &mut unquoter));
                out.claims.push(claim.flatten());
            }
            match read {
                Ok(grid) => out.push_sudoku(line, span, Layout::Line, grid),
                Err((at, fault)) => {
                    out.push_fault(line, span, Layout::Line, fault.at(place_in(line, text, at)));
                }
            }
        });
    }

    fn place_of(&self, line: u64, text: &[u8], cell: usize) -> Place {
        self.place_in_column(self.puzzle, line, text, cell)
    }

    fn claim_text(&self, text: &[u8]) -> Option<Vec<u8>> {
        let row = without_line_end(text);
        let fields = Unquoter::new(self.separator).fields(row).ok()?;
        fields.get(self.claim?).map(<[u8]>::to_vec)
    }

    fn claim_place(&self, line: u64, text: &[u8], cell: usize) -> Place {
        match self.claim {
            Some(column) => self.place_in_column(column, line, text, cell),
            None => Place { line, column: 1 },
        }
    }

    fn has_columns(&self) -> bool {
        true
    }

    fn columns(&self) -> Columns {
        Columns { names: self.names.clone(), puzzle: Some(self.puzzle), claim: self.claim }
    }

    fn carry(&self, records: &Records, bytes: &[u8], wanted: &[Option<usize>], out: &mut [Texts]) {
        let mut unquoter = Unquoter::new(self.separator);
        let mut fields = Vec::new();
        for (span, &readable) in records.spans().iter().zip(records.readable()) {
            unquoter.split(without_line_end(span.of(bytes)), &mut fields, |fields| {
                // Of a row with too few or too many nobody knows which is which.
                let fields = fields.filter(|fields| readable || fields.len() == self.columns);
                for (texts, column) in out.iter_mut().zip(wanted) {
                    texts.push(fields.zip(*column).and_then(|(fields, column)| fields.get(column).copied()));
                }
            });
        }
    }

    fn lacks_claims(&self) -> bool {
        self.claim.is_none()
    }

    fn may_be_empty(&self, cursor: &Cursor) -> bool {
        self.has_header && cursor.phase != Phase::Start
    }

    fn note(&self, _: &Cursor, records: u64) -> Option<String> {
        self.unclaimed.clone().filter(|_| records > 0)
    }
}

impl Table {
    /// A table without a header, of which each row is a puzzle.
    const fn of_one_column(separator: u8) -> Self {
        Self {
            separator,
            columns: 1,
            names: Vec::new(),
            has_header: false,
            puzzle: 0,
            kind: None,
            claim: None,
            unclaimed: None,
        }
    }

    /// The same table once the column of solutions was looked at.
    fn checked(mut self, sample: &Sample<'_>) -> Result<Self, InputError> {
        if self.claim.is_none() && (sample.solution_column.is_some() || sample.claims) {
            let columns = column_names(&rows_of(sample, self.separator));
            if let Some(wanted) = sample.solution_column {
                let (name, wanted) = (sample.name.to_owned(), wanted.to_owned());
                return Err(InputError::NoSolutionColumn { name, columns, wanted });
            }
            self.unclaimed = Some(format!(
                "no column of solutions found; name it with --solution-column (columns seen: {})",
                listed(&columns)
            ));
        }
        Ok(self)
    }

    /// The place of byte `index` of a field without the blanks around it.
    fn place_in_column(&self, column: usize, line: u64, text: &[u8], index: usize) -> Place {
        let row = without_line_end(text);
        let fields = Unquoter::new(self.separator).fields(row).ok();
        let at = fields
            .as_ref()
            .and_then(|fields| fields.get(column))
            .map_or(0, |field| offset_in(row, self.separator, column, leading_blanks(field) + index));
        place_in(line, text, at)
    }

    /// The claimed solution of a row whose puzzle can be read; `None` if the field is empty.
    fn read_claim(
        &self,
        column: usize,
        line: u64,
        text: &[u8],
        unquoter: &mut Unquoter,
    ) -> Option<Result<Grid, Fault>> {
        let row = without_line_end(text);
        let unquoted;
        let field = if memchr(b'"', row).is_none() {
            plain_field(row, self.separator, column)?
        } else {
            unquoted = unquoter.fields(row).ok()?;
            unquoted.get(column)?
        };
        let claim = field.trim_ascii();
        if claim.is_empty() {
            return None;
        }
        Some(cells::grid(claim, &cells::CLAIM).map_err(|(at, fault)| {
            let at = offset_in(row, self.separator, column, leading_blanks(field) + at);
            fault.at(place_in(line, text, at))
        }))
    }

    /// Whether a line is blank or a comment. Once rows have begun, what starts with `#` and has fields is
    /// a row: `#` may be how a dataset starts its numbers.
    fn is_no_row(&self, phase: Phase, line: &[u8]) -> bool {
        let line = without_line_end(line);
        match line {
            [b'#', ..] if phase == Phase::Start || self.columns == 1 => true,
            [b'#', ..] => !line.contains(&self.separator),
            _ => line.len() <= MAX_LINE && !line.contains(&self.separator) && line.trim_ascii().is_empty(),
        }
    }

    /// The puzzle of a row; otherwise the offset of the trouble, and what it is.
    fn read_row(&self, text: &[u8], unquoter: &mut Unquoter) -> Result<Grid, (usize, Fault)> {
        let row = without_line_end(text);
        if memchr(b'"', row).is_none() && row.len() <= MAX_LINE {
            // The usual row: count the separators and remember where the field lies.
            let (mut start, mut end, mut found) = (0, row.len(), 0);
            for at in memchr_iter(self.separator, row) {
                found += 1;
                if found == self.puzzle {
                    start = at + 1;
                } else if found == self.puzzle + 1 {
                    end = at;
                }
            }
            if found + 1 == self.columns
                && !self
                    .kind
                    .is_some_and(|kind| is_case(plain_field(row, self.separator, kind).unwrap_or_default()))
                && let Some(cells) = row[start..end].trim_ascii().as_array::<CELLS>()
                && let Some(grid) = Grid::from_text(cells)
            {
                return Ok(grid);
            }
        }
        self.read_any_row(row, unquoter)
    }

    fn read_any_row(&self, row: &[u8], unquoter: &mut Unquoter) -> Result<Grid, (usize, Fault)> {
        let fault = |kind| Fault::new(kind, None);
        if row.len() > MAX_LINE {
            return Err(match memchr(b'\n', row) {
                Some(at) if at <= MAX_LINE => (0, fault(FaultKind::RowTooLong)),
                _ => (MAX_LINE, fault(FaultKind::LineTooLong)),
            });
        }
        let fields = unquoter.fields(row).map_err(|at| (at, fault(FaultKind::OpenQuote)))?;
        if fields.len() != self.columns {
            let at = offset_in(row, self.separator, self.columns, 0);
            return Err((at, fault(FaultKind::FieldCount).number(fields.len()).number(self.columns)));
        }
        if let Some(kind) = self.kind
            && fields.get(kind).is_some_and(is_case)
        {
            return Err((offset_in(row, self.separator, kind, 0), fault(FaultKind::CaseInResults)));
        }
        let field = fields.get(self.puzzle).unwrap_or_default();
        cells::grid(field.trim_ascii(), &cells::PUZZLE).map_err(|(at, fault)| {
            (offset_in(row, self.separator, self.puzzle, leading_blanks(field) + at), fault)
        })
    }
}

/// A field of a row without quotes.
fn plain_field(row: &[u8], separator: u8, column: usize) -> Option<&[u8]> {
    let mut separators = memchr_iter(separator, row);
    let start = if column == 0 { 0 } else { separators.nth(column - 1)? + 1 };
    Some(&row[start..separators.next().unwrap_or(row.len())])
}

/// Whether the column `kind` of results names a Sudominoku case.
pub(super) fn is_case(kind: &[u8]) -> bool {
    kind.eq_ignore_ascii_case(PuzzleKind::Sudominoku.as_str().as_bytes())
}

fn leading_blanks(field: &[u8]) -> usize {
    field.len() - field.trim_ascii_start().len()
}

/// The place of an offset in a row that starts on `line`.
fn place_in(line: u64, text: &[u8], at: usize) -> Place {
    let before = &text[..at.min(text.len())];
    let column = before.iter().rev().position(|&byte| byte == b'\n').unwrap_or(before.len());
    Place { line: line + memchr_iter(b'\n', before).count() as u64, column: column as u64 + 1 }
}

/// Where a row ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowLength {
    pub length: usize,
    pub lines: u64,
    /// The quote that was opened and not closed.
    pub unclosed: Option<usize>,
}

/// Finds the end of the row at the start of `rest`; `None` if it is not there yet.
pub(super) fn row_length(rest: &[u8], separator: u8, end: TextEnd) -> Option<RowLength> {
    let mut at = 0;
    let mut lines = 0;
    loop {
        // Outside quotes.
        let Some(found) = memchr2(b'"', b'\n', &rest[at..]).map(|found| at + found) else {
            let whole = end == TextEnd::Last && !rest.is_empty();
            return whole.then_some(RowLength { length: rest.len(), lines: lines + 1, unclosed: None });
        };
        at = found + 1;
        if rest[found] == b'\n' {
            return Some(RowLength { length: at, lines: lines + 1, unclosed: None });
        }
        if found > 0 && rest[found - 1] != separator {
            continue;
        }
        // Inside quotes: until the quote closes, or it shows that it will not. Then the row ends with
        // the line on which it opened.
        let lines_before = lines;
        let mut opening_line_end = None;
        let broken = |opening_line_end: Option<usize>| {
            let length = opening_line_end.unwrap_or(rest.len());
            Some(RowLength { length, lines: lines_before + 1, unclosed: Some(found) })
        };
        loop {
            let next = memchr2(b'"', b'\n', &rest[at..]).map(|next| at + next);
            if opening_line_end.is_some() && next.unwrap_or(rest.len()) > MAX_LINE {
                return broken(opening_line_end);
            }
            let Some(next) = next else {
                return if end == TextEnd::Last { broken(opening_line_end) } else { None };
            };
            at = next + 1;
            if rest[next] == b'\n' {
                lines += 1;
                opening_line_end.get_or_insert(at);
                continue;
            }
            let closes = match rest[at..] {
                [b'"', ..] => {
                    at += 1;
                    continue;
                }
                [b'\n', ..] | [b'\r', b'\n', ..] => true,
                [] if end != TextEnd::Last => return None,
                [] | [b'\r'] => true,
                [byte, ..] => byte == separator,
            };
            if closes || opening_line_end.is_none() {
                break;
            }
            return broken(opening_line_end);
        }
    }
}

/// The fields of one row, unquoted.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    text: Vec<u8>,
    /// End of each field in `text`.
    ends: Vec<usize>,
}

impl Fields {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, field: usize) -> Option<&[u8]> {
        let start = if field == 0 { 0 } else { *self.ends.get(field - 1)? };
        Some(&self.text[start..*self.ends.get(field)?])
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).filter_map(|field| self.get(field))
    }
}

/// Splits rows into fields. csv-core builds a table of states before its first row, which takes longer
/// than reading a row: one serves a whole chunk, and is made only if there is a row for it.
pub(super) struct Unquoter {
    separator: u8,
    reader: Option<csv_core::Reader>,
}

impl Unquoter {
    pub fn new(separator: u8) -> Self {
        Self { separator, reader: None }
    }

    /// The fields of a row without its line end; the offset of the quote if one is not closed.
    pub fn fields(&mut self, row: &[u8]) -> Result<Fields, usize> {
        let separator = self.separator;
        if memchr(b'"', row).is_some()
            && let Some(RowLength { unclosed: Some(at), .. }) = row_length(row, separator, TextEnd::Last)
        {
            return Err(at);
        }
        let reader = self.reader.get_or_insert_with(|| {
            ReaderBuilder::new().delimiter(separator).terminator(Terminator::Any(b'\n')).build()
        });
        reader.reset();
        let mut text = vec![0; row.len() + 1];
        let mut ends = vec![0; memchr_iter(separator, row).count() + 2];
        let (_, _, written, found) = reader.read_record(row, &mut text, &mut ends);
        // The row has no line end of its own: that nothing follows ends it.
        let (_, _, _, last) = reader.read_record(&[], &mut text[written..], &mut ends[found..]);
        ends.truncate(found + last);
        Ok(Fields { text, ends })
    }

    /// Calls back with the fields of a row without its line end, unquoted; with `None` if a quote is not closed. `fields`
    /// is only there to be used again.
    pub fn split<'a>(
        &mut self,
        row: &'a [u8],
        fields: &mut Vec<&'a [u8]>,
        each: impl FnOnce(Option<&[&[u8]]>),
    ) {
        if memchr(b'"', row).is_some() {
            let unquoted = self.fields(row).ok();
            let fields: Option<Vec<&[u8]>> = unquoted.as_ref().map(|fields| fields.iter().collect());
            return each(fields.as_deref());
        }
        fields.clear();
        let mut start = 0;
        for at in memchr_iter(self.separator, row) {
            fields.push(&row[start..at]);
            start = at + 1;
        }
        fields.push(&row[start..]);
        each(Some(fields));
    }
}

/// The offset in a row of byte `index` of an unquoted field; the end of the row if it has no such field.
fn offset_in(row: &[u8], separator: u8, field: usize, index: usize) -> usize {
    let mut at = 0;
    for number in 0.. {
        let quoted = row.get(at) == Some(&b'"');
        at += usize::from(quoted);
        let mut inside = quoted;
        let mut seen = 0;
        loop {
            if number == field && seen == index {
                return at.min(row.len());
            }
            match row[at..] {
                [] => return row.len(),
                [b'"', b'"', ..] if inside => at += 1,
                [b'"', ..] if inside => {
                    inside = false;
                    at += 1;
                    continue;
                }
                [byte, ..] if byte == separator && !inside => break,
                _ => {}
            }
            at += 1;
            seen += 1;
        }
        if number == field {
            return at;
        }
        at += 1;
    }
    row.len()
}

/// The first rows of a sample.
fn rows_of(sample: &Sample<'_>, separator: u8) -> Vec<Fields> {
    // Only the separator matters to the cutting; one column makes all of `#` comments.
    let table = Table::of_one_column(separator);
    let mut unquoter = Unquoter::new(separator);
    let mut cursor = Cursor::START;
    let mut rest = sample.bytes;
    let mut rows = Vec::new();
    while rows.len() < ROWS_LOOKED_AT {
        let (length, is_row) = match table.step(&mut cursor, rest, sample.end()) {
            Step::Skip { length, .. } => (length, false),
            Step::Record { length, .. } => (length, true),
            Step::Incomplete => break,
        };
        if is_row && let Ok(fields) = unquoter.fields(without_line_end(&rest[..length])) {
            rows.push(fields);
        }
        rest = &rest[length..];
    }
    rows
}

fn name(field: &[u8]) -> String {
    String::from_utf8_lossy(field.trim_ascii()).to_lowercase()
}

/// Whether a row can be the names of columns: short words, and none of them a stretch of cells. An index
/// column may go without a name.
fn is_header(row: &Fields) -> bool {
    let is_name = |field: &[u8]| {
        let letters = field.iter().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
        letters && field.len() <= LONGEST_NAME && cells::run(field) < CELLS / 9
    };
    let fields = || row.iter().map(<[u8]>::trim_ascii);
    fields().any(is_name) && fields().all(|field| field.is_empty() || is_name(field))
}

/// The separator that leaves most rows alike, in more than one field each.
fn best_separator(sample: &Sample<'_>) -> u8 {
    let alike = |separator: &u8| {
        let rows = rows_of(sample, *separator);
        let columns = usual_length(&rows);
        let alike = rows.iter().filter(|row| row.len() == columns && columns > 1).count();
        // Of equals the first: `max_by_key` takes the last.
        (alike, std::cmp::Reverse(*separator != SEPARATORS[0]))
    };
    SEPARATORS.into_iter().max_by_key(alike).unwrap_or(SEPARATORS[0])
}

/// The number of fields that most rows have.
fn usual_length(rows: &[Fields]) -> usize {
    let count = |length| rows.iter().filter(|row| row.len() == length).count();
    rows.iter().map(Fields::len).max_by_key(|&length| (count(length), length)).unwrap_or(0)
}

/// Rows of so many columns in which a field is 81 cells, at least one of them blank.
fn puzzles_in(rows: &[Fields], column: usize, columns: usize) -> u64 {
    let whole: Vec<Fields> = rows.iter().filter(|row| row.len() == columns).cloned().collect();
    grids_in(&whole, column, |grid| (grid.clues() as usize) < CELLS)
}

/// Rows in which a field is 81 cells of some kind.
fn grids_in(rows: &[Fields], column: usize, is_such: impl Fn(&Grid) -> bool) -> u64 {
    let grid = |row: &Fields| row.get(column)?.trim_ascii().as_array::<CELLS>().and_then(Grid::from_text);
    rows.iter().filter(|row| grid(row).is_some_and(|grid| is_such(&grid))).count() as u64
}

/// Whether a column holds small whole numbers: it says how many solutions there are, not which.
fn holds_counts(rows: &[Fields], column: usize) -> bool {
    /// Most digits of such a number.
    const MOST: usize = 20;
    let mut fields = rows
        .iter()
        .filter_map(|row| row.get(column))
        .map(<[u8]>::trim_ascii)
        .filter(|field| !field.is_empty());
    let is_count = |field: &[u8]| field.len() <= MOST && field.iter().all(u8::is_ascii_digit);
    fields.next().is_some_and(is_count) && fields.all(is_count)
}

/// The column of the claimed solutions: the one asked for, one with a known name, or one that holds complete
/// grids in most rows.
fn claim_column(sample: &Sample<'_>, rows: &[Fields], has_header: bool, puzzle: usize) -> Option<usize> {
    let names = rows.first().filter(|_| has_header);
    let named = |wanted: &str| names.and_then(|names| names.iter().position(|field| name(field) == wanted));
    let columns = names.map_or_else(|| usual_length(rows), Fields::len);
    if let Some(wanted) = sample.solution_column {
        let number =
            || wanted.trim().parse::<usize>().ok()?.checked_sub(1).filter(|&number| number < columns);
        return named(&name(wanted.as_bytes())).or_else(number);
    }
    let rows = &rows[usize::from(has_header).min(rows.len())..];
    let others = || (0..columns).rev().filter(|&column| column != puzzle);
    let is_meant = |name: &str, column: &usize| {
        *column != puzzle && (name != AMBIGUOUS_NAME || !holds_counts(rows, *column))
    };
    let by_name = |name| named(name).filter(|column| is_meant(name, column));
    SOLUTION_NAMES.into_iter().find_map(by_name).or_else(|| {
        let complete = |&column: &usize| grids_in(rows, column, |grid| grid.clues() as usize == CELLS);
        others().max_by_key(complete).filter(|column| 2 * complete(column) > rows.len() as u64)
    })
}

/// The table that a header or the rows show, and how many cells of it can be read; `u64::MAX` if the
/// header leaves no doubt.
fn table_with(sample: &Sample<'_>, separator: u8) -> Option<(Table, u64)> {
    let rows = rows_of(sample, separator);
    let first = rows.first()?;
    let names: Vec<String> = first.iter().map(name).collect();
    let column_of = |wanted: &str| names.iter().position(|name| name == wanted);

    let named = match sample.puzzle_column {
        Some(wanted) => column_of(&name(wanted.as_bytes())),
        None => PUZZLE_NAMES.into_iter().find_map(column_of),
    };
    if let Some(puzzle) = named {
        let is_results = RESULT_NAMES.into_iter().all(|name| column_of(name).is_some());
        let kind = if is_results { column_of("kind") } else { None };
        let claim = claim_column(sample, &rows, true, puzzle);
        let columns = first.len();
        let names = names_of_columns(Some(first), columns);
        let table =
            Table { separator, columns, names, has_header: true, puzzle, kind, claim, unclaimed: None };
        return Some((table, u64::MAX));
    }
    let columns = usual_length(&rows);
    let has_header = first.len() == columns && is_header(first);
    let puzzle = match sample.puzzle_column {
        Some(wanted) => {
            wanted.trim().parse::<usize>().ok()?.checked_sub(1).filter(|&column| column < columns)?
        }
        None => {
            let best = (0..columns).rev().max_by_key(|&column| puzzles_in(&rows, column, columns))?;
            (puzzles_in(&rows, best, columns) > 0).then_some(best)?
        }
    };
    let claim = claim_column(sample, &rows, has_header, puzzle);
    let is_meant = sample.puzzle_column.is_some() || sample.solution_column.is_some() && claim.is_some();
    let evidence = if is_meant && columns > 1 {
        u64::MAX
    } else {
        // One more than a line format could claim, if there is a header that would be a bad line to it.
        puzzles_in(&rows, puzzle, columns) * CELLS as u64 + u64::from(has_header && columns > 1)
    };
    let names = names_of_columns(Some(first).filter(|_| has_header), columns);
    let table = Table { separator, columns, names, has_header, puzzle, kind: None, claim, unclaimed: None };
    Some((table, evidence))
}

/// What the columns are called when they are carried along; those without a name by their numbers.
fn names_of_columns(header: Option<&Fields>, columns: usize) -> Vec<String> {
    let name = |column| {
        let field = header.and_then(|header| header.get(column)).unwrap_or_default().trim_ascii();
        if field.is_empty() {
            format!("column_{}", column + 1)
        } else {
            String::from_utf8_lossy(field).into_owned()
        }
    };
    (0..columns).map(name).collect()
}

fn find_table(sample: &Sample<'_>) -> Option<Table> {
    let tables = SEPARATORS.into_iter().rev().filter_map(|separator| table_with(sample, separator));
    Some(tables.max_by_key(|(table, evidence)| (*evidence, table.columns))?.0)
}

fn evidence(sample: &Sample<'_>) -> u64 {
    let tables = SEPARATORS.into_iter().filter_map(|separator| table_with(sample, separator));
    tables.map(|(_, evidence)| evidence).max().unwrap_or(0)
}

/// The error for what is a table beyond doubt, but shows no column of puzzles.
pub(super) fn no_puzzle_column(sample: &Sample<'_>) -> Option<InputError> {
    plain_table(sample).map(|rows| no_column(sample, &rows))
}

/// The error for what is a table beyond doubt, but has no such column as was said to hold the solutions.
pub(super) fn no_solution_column(sample: &Sample<'_>) -> Option<InputError> {
    let columns = column_names(&plain_table(sample)?);
    let (name, wanted) = (sample.name.to_owned(), sample.solution_column?.to_owned());
    Some(InputError::NoSolutionColumn { name, columns, wanted })
}

/// The rows of what is a table beyond doubt.
fn plain_table(sample: &Sample<'_>) -> Option<Vec<Fields>> {
    let rows = rows_of(sample, best_separator(sample));
    let columns = rows.first()?.len();
    let is_table = columns > 1 && rows.len() > 1 && rows.iter().all(|row| row.len() == columns);
    is_table.then_some(rows)
}

fn no_column(sample: &Sample<'_>, rows: &[Fields]) -> InputError {
    InputError::NoPuzzleColumn {
        name: sample.name.to_owned(),
        columns: column_names(rows),
        wanted: sample.puzzle_column.map(str::to_owned),
    }
}

/// Names of the columns, or their numbers if there is no header.
fn column_names(rows: &[Fields]) -> Vec<String> {
    match rows.first() {
        Some(first) if is_header(first) => {
            first.iter().map(|field| String::from_utf8_lossy(field.trim_ascii()).into_owned()).collect()
        }
        _ => (1..=usual_length(rows)).map(|number| number.to_string()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::testing::{PUZZLE, Reading, dotted, drain, open, places, read, read_as};
    use crate::input::{FormatChoice, ReadOptions};

    const SOLUTION: &str =
        "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

    fn read_column(text: &str, column: &str) -> Result<Reading, String> {
        let options = ReadOptions { puzzle_column: Some(column.to_owned()), ..ReadOptions::default() };
        open(text.as_bytes(), &options)
            .map(|source| drain(source, 1 << 16))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_known_datasets() {
        let table = [
            ("quizzes,solutions", "P,S"),
            ("id,puzzle,solution,clues,difficulty", "1,P,S,27,2.2"),
            ("puzzle,solution", "P,S"),
            ("source,question,answer,rating", "puzzles2_17_clue,D,S,0"),
            ("puzzle,solution,missing,difficulty,set,solving_time", "P,S,50,1.2,train,0.01"),
            ("Puzzle,Solution,Solution Count,Time (milliseconds),Givens,Singles", "D,S,1,0.2,27,10"),
            (
                "id,source,line,kind,status,solutions,clues,guesses,time_ns,puzzle,solution,error",
                "1,a b.txt,1,sudoku,unique,1,27,0,812,D,S,",
            ),
        ];
        for (header, row) in table {
            let row = row.replace('P', PUZZLE).replace('D', &dotted()).replace('S', SOLUTION);
            for separator in [",", ";", "\t"] {
                for line_end in ["\n", "\r\n"] {
                    for quote in ["", "\""] {
                        let quoted = |row: &str| {
                            let fields: Vec<_> =
                                row.split(',').map(|field| format!("{quote}{field}{quote}")).collect();
                            fields.join(separator) + line_end
                        };
                        let text = format!("\u{feff}{}{}{}", quoted(header), quoted(&row), quoted(&row));
                        let reading = read(text.as_bytes());
                        assert_eq!(reading.show(), vec![dotted(); 2], "{text}");
                        assert_eq!(reading.records[1].line, 3);
                        assert_eq!(reading.records[1].layout, Layout::Line);
                    }
                }
            }
        }
    }

    #[test]
    fn a_column_is_found_by_its_content() {
        // Neither the solution nor the number is the puzzle, whatever the order.
        for header in ["", "nr,a,b\n", ",a,b\n"] {
            for row in ["1,P,S", "1,S,P", "S,1,P", "P,1,S"] {
                let row = row.replace('P', PUZZLE).replace('S', SOLUTION);
                let text = format!("{header}{row}\n{row}\n");
                assert_eq!(read(text.as_bytes()).show(), vec![dotted(); 2], "{text}");
            }
        }
        let text = format!("\"{PUZZLE}\",\"{SOLUTION}\"\n").repeat(2);
        assert_eq!(read(text.as_bytes()).show(), vec![dotted(); 2]);
    }

    #[test]
    fn a_headerless_list_of_puzzles_and_solutions_is_the_line_format() {
        let text = format!("{PUZZLE}\n{PUZZLE},{SOLUTION}\nx{PUZZLE},{SOLUTION}\n");
        let shown = read(text.as_bytes()).show();
        assert_eq!(shown[..2], vec![dotted(); 2]);
        assert_eq!(shown[2], "3:82: 82 cells (expected 81)");
    }

    #[test]
    fn a_broken_first_row_is_no_header() {
        let text = format!("1,{},{SOLUTION}\n2,{PUZZLE},{SOLUTION}\n", &PUZZLE[1..]);
        assert_eq!(read(text.as_bytes()).show(), ["1:83: 80 cells (expected 81)".to_owned(), dotted()]);
    }

    #[test]
    fn the_column_asked_for() {
        let text = format!("nr,First,second\n1,{PUZZLE},{SOLUTION}\n");
        assert_eq!(read_column(&text, "FIRST").expect("known").show(), [dotted()]);
        assert_eq!(read_column(&text, "second").expect("known").show(), [SOLUTION]);
        assert_eq!(read_column(&text, "3").expect("known").show(), [SOLUTION]);
        let error = read_column(&text, "third").expect_err("unknown");
        assert_eq!(
            error,
            "test: no column 'third'; name the column of the puzzles with --puzzle-column NAME \
             (columns seen: nr, First, second)"
        );
        assert!(read_column(&text, "4").is_err() && read_column(&text, "0").is_err());
        let headerless = format!("{SOLUTION},{PUZZLE}\n");
        assert_eq!(read_column(&headerless, "2").expect("known").show(), [dotted()]);
        assert_eq!(read_column(&headerless, "1").expect("known").show(), [SOLUTION]);
        // Files of other formats beside it are not meant.
        assert_eq!(read_column(&format!("{PUZZLE}\n"), "first").expect("lines").show(), [dotted()]);
    }

    #[test]
    fn no_column_of_puzzles_is_an_error_that_says_what_to_do() {
        let error = open(b"name,value\na,1\nb,2\n", &ReadOptions::default()).expect_err("no puzzles");
        assert_eq!(
            error.to_string(),
            "test: no column of puzzles found; name the column of the puzzles with --puzzle-column NAME \
             (columns seen: name, value)"
        );
        let options = ReadOptions { format: FormatChoice::named("csv"), ..ReadOptions::default() };
        // Numbers are no names; where two separators do as well, it is the comma.
        for (text, seen) in [("7;8;9\n", &["1", "2", "3"][..]), ("a;b,c\nd;e,f\n", &["a;b", "c"])] {
            assert!(
                matches!(open(text.as_bytes(), &options), Err(InputError::NoPuzzleColumn { columns, .. })
                if columns == seen)
            );
        }
        // Nor is anything wrong where nothing is.
        assert_eq!(read_as(b"", "csv").show(), [""; 0]);
    }

    /// The offset of each byte is known from writing the row.
    #[test]
    fn every_byte_of_a_field_is_found_in_its_row() {
        let fields = ["a", "b\"c,d", "", "x,y\nz", "é"];
        for always_quoted in [false, true] {
            let (mut row, mut expected) = (Vec::new(), Vec::new());
            for (number, field) in fields.into_iter().enumerate() {
                if number > 0 {
                    row.push(b',');
                }
                let quoted = always_quoted || field.contains(['"', ',']);
                row.extend(quoted.then_some(b'"'));
                for (index, byte) in field.bytes().enumerate() {
                    expected.push((number, index, row.len()));
                    row.push(byte);
                    row.extend((byte == b'"').then_some(b'"'));
                }
                expected.push((number, field.len(), row.len()));
                row.extend(quoted.then_some(b'"'));
            }
            expected.push((fields.len(), 0, row.len()));
            for (number, index, at) in expected {
                assert_eq!(offset_in(&row, b',', number, index), at, "byte {index} of field {number}");
            }
        }
        assert_eq!(offset_in(b"\"ab\"cd,e", b',', 0, 3), 5, "behind quotes that are followed by more");
    }

    /// Reads for the claims and shows them.
    fn claims(text: &str, solution_column: Option<&str>) -> Reading {
        let solution_column = solution_column.map(str::to_owned);
        let options = ReadOptions { solution_column, claims: true, ..ReadOptions::default() };
        drain(open(text.as_bytes(), &options).expect("a table"), 1 << 16)
    }

    #[test]
    fn the_known_datasets_have_claims() {
        let table = [
            ("quizzes,solutions", "P,S"),
            ("id,puzzle,solution,clues,difficulty", "1,P,S,27,2.2"),
            ("puzzle,solution", "P,S"),
            ("source,question,answer,rating", "puzzles2_17_clue,D,S,0"),
            ("puzzle,solution,missing,difficulty,set,solving_time", "P,S,50,1.2,train,0.01"),
            ("puzzle,solution,difficulty,source", "P,S,easy,x"),
            (
                "quizzes,solutions,source,dataset,official_rating,rating_type,difficulty_bucket,clues,split",
                "P,S,a,b,1.2,c,d,27,test",
            ),
            ("Puzzle,Solution,Solution Count,Time (milliseconds),Givens,Singles", "D,S,1,0.2,27,10"),
            (
                "id,source,line,kind,status,solutions,clues,guesses,time_ns,puzzle,solution,error",
                "1,a b.txt,1,sudoku,unique,1,27,0,812,D,S,",
            ),
            (
                "id,source,line,kind,status,solutions,clues,guesses,puzzle,solution,error",
                "1,a b.txt,1,sudoku,unique,1,27,0,D,S,",
            ),
        ];
        for (header, row) in table {
            let full = row.replace('P', PUZZLE).replace('D', &dotted()).replace('S', SOLUTION);
            let none = row.replace('P', PUZZLE).replace('D', &dotted()).replace('S', "");
            let text = format!("{header}\n{full}\n{none}\n{full}\n");
            let reading = claims(&text, None);
            assert_eq!(reading.claims(), [SOLUTION, "missing", SOLUTION], "{header}");
            assert_eq!((reading.show(), reading.notes.len()), (vec![dotted(); 3], 0));
        }
    }

    #[test]
    fn a_column_of_claims_is_found_by_its_content_or_by_a_flag() {
        for header in ["", "nr,a,b\n"] {
            for row in ["1,P,S", "1,S,P", "S,1,P", "P,1,S"] {
                let row = row.replace('P', PUZZLE).replace('S', SOLUTION);
                let reading = claims(&format!("{header}{row}\n{row}\n"), None);
                assert_eq!(reading.show(), vec![dotted(); 2]);
                assert_eq!(reading.claims(), [SOLUTION; 2]);
            }
        }
        // A column that is rarely complete is none, unless somebody says that it is.
        let text = format!("puzzle,mine,rating\n{PUZZLE},{SOLUTION},1\n{PUZZLE},{PUZZLE},2\n{PUZZLE},,3\n");
        let reading = claims(&text, None);
        assert_eq!(reading.claims(), ["missing"; 3]);
        assert_eq!(
            reading.notes,
            [
                "test: no column of solutions found; name it with --solution-column (columns seen: puzzle, mine, rating)"
            ]
        );
        // A column `solutions` holds solutions unless all that it holds are numbers.
        for (claim, expected) in [
            ("none", "line 2, column 83: claimed solution: invalid character 'n' (expected 1-9)"),
            (&SOLUTION[1..], "line 2, column 163: claimed solution: 80 cells (expected 81)"),
            ("1", "missing"),
        ] {
            assert_eq!(claims(&format!("puzzle,solutions\n{PUZZLE},{claim}\n"), None).claims(), [expected]);
        }
        // A table without rows lacks no claims.
        assert_eq!(claims("puzzle,mine,rating\n", None).notes, [""; 0]);
        for column in ["mine", "MINE", "2"] {
            let reading = claims(&text, Some(column));
            assert_eq!(reading.claims(), [SOLUTION.to_owned(), dotted(), "missing".to_owned()]);
            assert!(reading.notes.is_empty());
        }
        let headerless = format!("{PUZZLE},{SOLUTION}\n");
        assert_eq!(claims(&headerless, Some("2")).claims(), [SOLUTION]);
        // Who wants no claims hears nothing of them.
        assert!(read(text.as_bytes()).notes.is_empty());
    }

    #[test]
    fn no_such_column_of_solutions_is_an_error_that_says_what_to_do() {
        for text in [
            format!("puzzle,solution\n{PUZZLE},{SOLUTION}\n"),
            format!("{PUZZLE},{SOLUTION}\n{PUZZLE},{SOLUTION}\n"),
        ] {
            let options = ReadOptions { solution_column: Some("third".to_owned()), ..ReadOptions::default() };
            let error = open(text.as_bytes(), &options).expect_err("no such column").to_string();
            let seen = if text.starts_with("puzzle") { "puzzle, solution" } else { "1, 2" };
            assert_eq!(
                error,
                format!(
                    "test: no column 'third'; name the column of the solutions with --solution-column NAME \
                     (columns seen: {seen})"
                )
            );
            // Files of other formats beside it are not meant.
            assert!(open(format!("{PUZZLE}\n").as_bytes(), &options).is_ok());
        }
    }

    #[test]
    fn a_bad_claim_has_place_and_reason() {
        let short = &SOLUTION[1..];
        let table = [
            (short.to_owned(), "line 3, column 165: claimed solution: 80 cells (expected 81)"),
            (format!("{SOLUTION}1"), "line 3, column 166: claimed solution: 82 cells (expected 81)"),
            (
                format!(" {short}q"),
                "line 3, column 166: claimed solution: invalid character 'q' (expected 1-9)",
            ),
            (
                format!("\"{short}q\""),
                "line 3, column 166: claimed solution: invalid character 'q' (expected 1-9)",
            ),
            ("none".to_owned(), "line 3, column 85: claimed solution: invalid character 'n' (expected 1-9)"),
            ("  ".to_owned(), "missing"),
        ];
        for (bad, expected) in table {
            let text =
                format!("nr,puzzle,solution\n0,{PUZZLE},{SOLUTION}\n1,{PUZZLE},{bad}\n2,12,{SOLUTION}\n");
            assert_eq!(claims(&text, None).claims(), [SOLUTION, expected, "missing"], "{text}");
        }
        let text = format!("puzzle,solution\n{PUZZLE},").into_bytes();
        let text = [&text[..], b"\xff\n"].concat();
        let reading = drain(open(&text, &ReadOptions::default()).expect("a table"), 100);
        assert_eq!(
            reading.claims(),
            ["line 2, column 83: claimed solution: invalid byte '\\xff' (expected 1-9)"]
        );
    }

    /// These columns of each record, as they are carried along.
    fn carried(text: &[u8], wanted: &[Option<usize>], target: usize) -> Vec<Vec<Option<String>>> {
        let mut source = open(text, &ReadOptions::default()).expect("a table");
        source.carry(wanted);
        let (mut rows, mut records) = (Vec::new(), Records::default());
        while let Some(batch) = source.next_batch(Vec::new(), target).expect("readable") {
            batch.read(Want::default(), &mut records);
            let shown = |field: &[u8]| field.escape_ascii().to_string();
            rows.extend((0..records.len()).map(|row| {
                records.carried.iter().map(|texts| texts.get(row).map(shown)).collect::<Vec<_>>()
            }));
        }
        rows
    }

    #[test]
    fn columns_are_carried_as_they_are() {
        let text = format!(
            "nr,puzzle,,remark\r\n007,{PUZZLE}, x,\"a\r\n\"\"b\"\"\"\r\n,\"{PUZZLE}\",\"1,5\",ÿ\n\n12,bad,\"\",é\n13,{PUZZLE}\n14,{PUZZLE},\"\n"
        )
        .into_bytes();
        let source = open(&text, &ReadOptions::default()).expect("a table");
        let names = ["nr", "puzzle", "column_3", "remark"].map(str::to_owned).to_vec();
        assert_eq!(source.columns(), Columns { names, puzzle: Some(1), claim: None });
        let some = |texts: [&'static str; 3]| [Some(texts[0]), None, Some(texts[1]), Some(texts[2])];
        let expected = [
            some(["007", " x", "a\\r\\n\\\"b\\\""]),
            some(["", "1,5", "\\xc3\\xbf"]),
            some(["12", "", "\\xc3\\xa9"]),
            // Nobody knows which fields of a ragged row are which.
            [None; 4],
            [None; 4],
        ];
        let expected = expected.map(|row| row.map(|field| field.map(str::to_owned)).to_vec());
        for target in [1, 100, 300, 1 << 16] {
            assert_eq!(carried(&text, &[Some(0), None, Some(2), Some(3)], target), expected, "{target}");
        }
        // Without a header columns have numbers; bytes need not be UTF-8.
        let text = [format!("a;{PUZZLE};").as_bytes(), b"\xff\"\n"].concat().repeat(2);
        assert_eq!(open(&text, &ReadOptions::default()).expect("a table").columns().names[2], "column_3");
        assert_eq!(carried(&text, &[Some(2)], 1), vec![vec![Some("\\xff\\\"".to_owned())]; 2]);
    }

    #[test]
    fn quoted_fields() {
        let text = format!(
            "name,puzzle\n\"a, b\",{PUZZLE}\n\"a\n\"\"b\"\"\n\",\"{PUZZLE}\"\n\"\",\" {PUZZLE} \"\na\"b,{PUZZLE}\n\
             \"a\"b,{PUZZLE}\n\"x\r\ny\",{PUZZLE}"
        );
        let reading = read(text.as_bytes());
        assert_eq!(reading.show(), vec![dotted(); 6]);
        let lines: Vec<u64> = reading.records.iter().map(|record| record.line).collect();
        assert_eq!(lines, [2, 3, 6, 7, 8, 9]);
        assert_eq!(reading.records[1].text, format!("\"a\n\"\"b\"\"\n\",\"{PUZZLE}\"\n").as_bytes());
    }

    #[test]
    fn a_bad_row_is_one_invalid_record_with_place_and_reason() {
        let short = &PUZZLE[1..];
        let table = [
            (PUZZLE.to_owned(), "3:82: 1 field (expected 3)"),
            (format!("1,{PUZZLE}"), "3:84: 2 fields (expected 3)"),
            (format!("1,{PUZZLE},a,b,c"), "3:87: 5 fields (expected 3)"),
            (format!("1,\"{PUZZLE}\",\"a,b\",b"), "3:93: 4 fields (expected 3)"),
            (format!("1,{short},a"), "3:83: 80 cells (expected 81)"),
            (format!("1,{PUZZLE}1,a"), "3:84: 82 cells (expected 81)"),
            ("1,,a".to_owned(), "3:3: 0 cells (expected 81)"),
            ("1,\"\",a".to_owned(), "3:4: 0 cells (expected 81)"),
            (format!("1,{short}q,a"), "3:83: invalid character 'q' (expected 1-9, 0 or .)"),
            (format!("1, \u{7}{short},a"), "3:4: invalid character '\\x07' (expected 1-9, 0 or .)"),
            (format!("\"1\"\"\",\"{short}q\",a"), "3:88: invalid character 'q' (expected 1-9, 0 or .)"),
            (format!("\"1\n2\",{short}q,a"), "4:84: invalid character 'q' (expected 1-9, 0 or .)"),
            (format!("1,\"{PUZZLE},a"), "3:3: quote that is not closed (expected a closing \")"),
            (format!("1,{PUZZLE},\""), "3:85: quote that is not closed (expected a closing \")"),
            ("\0".to_owned(), "3:2: 1 field (expected 3)"),
            ("1,\0,a".to_owned(), "3:3: invalid character '\\x00' (expected 1-9, 0 or .)"),
        ];
        for (bad, expected) in table {
            for quote in ["", "\""] {
                for line_end in ["\n", "\r\n"] {
                    let good = format!("0,{quote}{PUZZLE}{quote},z{line_end}");
                    let text = format!("nr,puzzle,remark{line_end}{good}{bad}{line_end}{good}");
                    let shown = read(text.as_bytes()).show();
                    assert_eq!(shown, [dotted(), expected.to_owned(), dotted()], "{text}");
                }
            }
            let text = format!("nr,puzzle,remark\n0,{PUZZLE},z\n{bad}");
            assert_eq!(read(text.as_bytes()).show(), [dotted(), expected.to_owned()], "{text}");
        }
    }

    #[test]
    fn an_unclosed_quote_costs_no_other_row_however_long_the_file_is() {
        let good = format!("1,{PUZZLE},z\n");
        let text = format!("nr,puzzle,remark\n{good}\"2,{PUZZLE},z\n{}", good.repeat(40_000));
        let shown = read(text.as_bytes()).show();
        assert_eq!(shown.len(), 40_002);
        assert_eq!(shown[1], "3:1: quote that is not closed (expected a closing \")");
        assert!(shown[2..].iter().all(|row| *row == dotted()));
    }

    #[test]
    fn where_a_chunk_is_cut_changes_nothing() {
        let text = format!("puzzle,name\r\n{PUZZLE},\"a\r\nb\"\r\n{PUZZLE},\"\"\"\"\r\n{PUZZLE},\"x\"\r\n");
        for target in 1..text.len() {
            let source = open(text.as_bytes(), &ReadOptions::default()).expect("a table");
            assert_eq!(drain(source, target).show(), vec![dotted(); 3], "chunks of {target} bytes");
        }
    }

    #[test]
    fn a_quote_that_closes_too_far_away_does_not_close() {
        // The same whether the closing quote is already there or not, and without keeping all between.
        let good = format!("1,{PUZZLE},z\n");
        let text = format!("nr,puzzle,remark\n\"2,{PUZZLE},z\n{}1,{PUZZLE},z\"\n", good.repeat(40_000));
        for target in [50_000, 8 << 20] {
            let mut source = open(text.as_bytes(), &ReadOptions::default()).expect("a table");
            let first = source.next_batch(Vec::new(), target).expect("readable").expect("records");
            assert!(first.bytes.len() <= target.max(2 << 20));
            let mut shown = Vec::new();
            let mut records = Records::default();
            first.read(Want::default(), &mut records);
            shown.extend(records.lines().iter().copied().zip(records.readable().iter().copied()));
            assert_eq!(shown[..3], [(2, false), (3, true), (4, true)]);
            let rest = std::iter::from_fn(|| source.next_batch(Vec::new(), target).expect("readable"));
            assert_eq!(first.records + rest.map(|chunk| chunk.records).sum::<u64>(), 40_002);
        }
    }

    /// The line is long behind its quotes: within them the row would end where they open.
    #[test]
    fn a_row_of_megabytes_on_several_lines_is_one_record() {
        let good = format!("1,{PUZZLE},z,\n");
        let text =
            format!("nr,puzzle,remark,more\n{good}1,{PUZZLE},\"a\nb\",{}\n{good}", "x".repeat(MAX_LINE));
        assert_eq!(
            read(text.as_bytes()).show(),
            [dotted(), "3:1: row longer than 1 MiB".to_owned(), dotted()]
        );
    }

    #[test]
    fn a_line_of_megabytes_is_one_record() {
        let good = format!("1,{PUZZLE},z\n");
        for start in ["1,", "1,\"", "\""] {
            let text = format!("nr,puzzle,remark\n{good}{start}{}\",z\n{good}", "x".repeat(3 << 20));
            let shown = read(text.as_bytes()).show();
            assert_eq!(
                shown,
                [dotted(), format!("3:{}: line longer than 1 MiB", MAX_LINE + 1), dotted()],
                "{start}"
            );
        }
    }

    #[test]
    fn a_sudominoku_among_results_is_not_solved_as_a_sudoku() {
        let header = "id,source,line,kind,status,solutions,clues,guesses,puzzle,solution,error";
        let row = |kind: &str, puzzle: &str| format!("1,x,1,{kind},unique,1,27,0,{puzzle},{SOLUTION},");
        let text = [
            header,
            &row("sudoku", PUZZLE),
            &row("sudominoku", PUZZLE),
            &row("sudoku", ""),
            &row("sudoku", PUZZLE),
        ]
        .join("\n");
        assert_eq!(
            read(text.as_bytes()).show(),
            [
                dotted(),
                "3:7: a sudominoku, whose dominoes are not in a file of results (expected a sudoku)"
                    .to_owned(),
                "4:28: 0 cells (expected 81)".to_owned(),
                dotted(),
            ]
        );
    }

    #[test]
    fn comments_and_blank_lines_are_no_rows() {
        let text = format!(
            "# made, by hand\n\npuzzle,solution\n{PUZZLE},{SOLUTION}\n# remark\n  \n{PUZZLE},{SOLUTION}\n"
        );
        assert_eq!(read(text.as_bytes()).show(), vec![dotted(); 2]);
        // A number that starts with # is part of a row.
        let text = format!("nr,puzzle\n#1,{PUZZLE}\n#2,{PUZZLE}\n");
        assert_eq!(read(text.as_bytes()).show(), vec![dotted(); 2]);
        // With too few or too many fields it is a ragged row, not a comment.
        let text = format!("id,puzzle,x\n1,{PUZZLE},a\n#2,{PUZZLE}\n3,{PUZZLE},b\n");
        let shown = read(text.as_bytes()).show();
        assert_eq!((shown.len(), &shown[0], &shown[2]), (3, &dotted(), &dotted()), "{shown:?}");
        assert!(shown[1].starts_with("3:") && shown[1].ends_with("2 fields (expected 3)"), "{shown:?}");
        // And empty fields between tabs are fields.
        let shown = read_as(format!("puzzle\trating\n{PUZZLE}\t1\n\t\n").as_bytes(), "csv").show();
        assert_eq!(shown, [dotted(), "3:1: 0 cells (expected 81)".to_owned()]);
    }

    #[test]
    fn clues_are_found_again() {
        let text = format!("name,puzzle\na,{PUZZLE}\n\"x\ny\",\" {PUZZLE}\"\n");
        let places = places(text.as_bytes());
        assert_eq!(
            [places[0][0], places[0][80]],
            [Place { line: 2, column: 3 }, Place { line: 2, column: 83 }]
        );
        assert_eq!(
            [places[1][0], places[1][80]],
            [Place { line: 4, column: 6 }, Place { line: 4, column: 86 }]
        );
    }

    #[test]
    fn rows_end_where_the_csv_crate_says_they_end() {
        let text = "a,\"b\"\"\n,\"\r\nc\",d\n\"\",\"e\"\n,\n\"f\n\",\"\"\"\"\n";
        let mut theirs =
            ::csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
        let theirs: Vec<Vec<Vec<u8>>> = theirs
            .byte_records()
            .map(|row| row.expect("good text").iter().map(<[u8]>::to_vec).collect())
            .collect();
        let mut ours = Vec::new();
        let mut rest = text.as_bytes();
        while let Some(row) = row_length(rest, b',', TextEnd::Last) {
            let fields =
                Unquoter::new(b',').fields(without_line_end(&rest[..row.length])).expect("quotes close");
            ours.push(fields.iter().map(<[u8]>::to_vec).collect::<Vec<_>>());
            rest = &rest[row.length..];
        }
        assert_eq!(ours, theirs);
    }
}
