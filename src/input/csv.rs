//! Tables: one puzzle a row, in a column of a CSV or TSV file or one with `;` or `|`, or in 81 columns of a cell each.
//!
//! The column of the puzzles is found by its name in the header, as the known datasets call it, if what it holds
//! agrees, else by its content. A row may have one field more than the header, if that is empty. Some programs put each
//! row as a whole into quotes: then these come off first. A row ends at a line end outside quotes; a quote opens only at the start of a field. A
//! quote that is never closed would swallow the rows behind it: when it is followed by none that closes,
//! or by one that cannot, the row ends with the line on which the quote opened. Rows without quotes, that
//! is nearly all, are cut at their separators; the others go through csv-core.

use std::borrow::Cow;
use std::sync::Arc;

use csv_core::{ReaderBuilder, Terminator};
use memchr::{memchr, memchr_iter, memchr2};

use super::batch::{Cursor, Format, Phase, Step, TextEnd, line_length, walk, without_line_end};
use super::cells::{self, Blanks};
use super::error::listed;
use super::family::{Family, Sample, Seen};
use super::field::{self, find_spread, leading_blanks};
use super::look::{Excerpt, TableLook};
use super::spread;
use super::{Columns, InputError, MAX_LINE};
use crate::record::{Fault, FaultKind, Layout, Place, PuzzleKind, Records, Texts, Want};
use crate::sudoku::{CELLS, Grid, verifier};

pub(super) const FAMILY: Family = Family {
    name: "csv",
    about: "CSV or TSV with a column of puzzles",
    has_columns: true,
    look: |sample| {
        if is_list(sample) {
            return Seen::new(0, |sample| open(find_table(sample).map(|(table, _)| table), sample));
        }
        let (table, cells) = find_table(sample).unzip();
        let is_all = cells == Some(u64::MAX) && table.as_ref().is_some_and(|table| table.holds_grids);
        Seen { is_all, ..Seen::new(cells.unwrap_or(0), move |sample| open(table.clone(), sample)) }
    },
    enough: CELLS as u64,
};

/// Reads an input with such a table in it.
fn open(table: Option<Table>, sample: &Sample<'_>) -> Result<Arc<dyn Format>, InputError> {
    match table {
        Some(table) if table.is_mangled => Err(mangled(sample)),
        Some(table) => Ok(Arc::new(table.checked(sample)?)),
        // Without rows there is nothing that could be wrong.
        None if sample.record_lines().next().is_none() => Ok(Arc::new(Table::of_one_column(b','))),
        None => Err(no_column(sample, &rows_of(sample, best_separator(sample)))),
    }
}

/// Whether lines have neither fields nor a name above them: the family of lines knows more ways to read them.
fn is_list(sample: &Sample<'_>) -> bool {
    let is_of_tables = |byte: &u8| *byte == b'"' || SEPARATORS.contains(byte);
    let has_name = |line: &[u8]| line.iter().any(u8::is_ascii_alphabetic);
    !sample.bytes.iter().any(is_of_tables) && !sample.record_lines().next().is_some_and(has_name)
}

/// Separators, the likeliest first.
const SEPARATORS: [u8; 4] = *b",;\t|";

/// Names under which the known datasets keep their puzzles.
pub(super) const PUZZLE_NAMES: [&str; 3] = ["quizzes", "puzzle", "question"];

/// Names that others give to them; they count only where the column holds puzzles.
const OTHER_PUZZLE_NAMES: [&str; 12] = [
    "puzzles",
    "quiz",
    "questions",
    "sudoku",
    "sudokus",
    "grid",
    "board",
    "unsolved",
    "initial",
    "input",
    "inputs",
    "clues",
];

/// Names under which they keep the solutions.
pub(super) const SOLUTION_NAMES: [&str; 3] = ["solution", "answer", AMBIGUOUS_NAME];

/// Names that others give to them; they count only where the column holds complete grids.
const OTHER_SOLUTION_NAMES: [&str; 7] =
    ["answers", "solved", "label", "labels", "target", "targets", "output"];

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
    /// Whether each row as a whole stands in quotes.
    in_quotes: bool,
    /// Whether most puzzles are numbers of fewer than 81 digits, as if their leading zeros were lost.
    lost_zeros: bool,
    /// Whether all puzzles are what a spreadsheet makes of them when it takes them for numbers.
    is_mangled: bool,
    /// Whether the puzzle of some row can be read.
    holds_grids: bool,
    /// Where the puzzles stand.
    puzzle: Cells,
    /// Index of the column `kind`, in this program's own results.
    kind: Option<usize>,
    /// Where the claimed solutions stand.
    claim: Option<Cells>,
    /// What is said of an input whose claimed solutions are wanted and not found.
    unclaimed: Option<String>,
}

/// Where in a row the cells of a grid stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cells {
    /// In a column with this index.
    Column(usize),
    /// In 81 columns, of which this is the first.
    Each(usize),
}

impl Cells {
    const fn first(self) -> usize {
        match self {
            Self::Column(column) | Self::Each(column) => column,
        }
    }
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
        if cursor.phase == Phase::Start && stated_separator(&rest[..length]).is_some() {
            return Step::Skip { length, lines };
        }
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
        self.cell_place(self.puzzle, line, text, cell)
    }

    fn claim_text(&self, text: &[u8]) -> Option<Vec<u8>> {
        self.field_of_claim(self.claim?, text, &mut Unquoter::new(self.separator)).map(Cow::into_owned)
    }

    fn claim_place(&self, line: u64, text: &[u8], cell: usize) -> Place {
        match self.claim {
            Some(cells) => self.cell_place(cells, line, text, cell),
            None => Place { line, column: 1 },
        }
    }

    fn has_columns(&self) -> bool {
        true
    }

    fn columns(&self) -> Columns {
        Columns {
            names: self.names.clone(),
            puzzle: Some(self.puzzle.first()),
            claim: self.claim.map(Cells::first),
        }
    }

    fn carry(&self, records: &Records, bytes: &[u8], wanted: &[Option<usize>], out: &mut [Texts]) {
        let mut unquoter = Unquoter::new(self.separator);
        let mut fields = Vec::new();
        for (span, &readable) in records.spans().iter().zip(records.readable()) {
            let push = |fields: Option<&[&[u8]]>| {
                // Of a row with too few or too many nobody knows which is which.
                let fields = fields.filter(|fields| readable || fields.len() == self.columns);
                for (texts, column) in out.iter_mut().zip(wanted) {
                    texts.push(fields.zip(*column).and_then(|(fields, column)| fields.get(column).copied()));
                }
            };
            let row = without_line_end(span.of(bytes));
            match self.outer_quotes_off(row) {
                Some(inner) => unquoter.split(&inner, &mut Vec::new(), push),
                None => unquoter.split(row, &mut fields, push),
            }
        }
    }

    fn may_be_empty(&self, cursor: &Cursor) -> bool {
        // Results of nothing are the header alone.
        self.kind.is_some() && cursor.phase != Phase::Start
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
            in_quotes: false,
            lost_zeros: false,
            is_mangled: false,
            holds_grids: false,
            puzzle: Cells::Column(0),
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

    /// The row that stands in quotes as a whole.
    fn outer_quotes_off<'a>(&self, row: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        if !self.in_quotes {
            return None;
        }
        let inner = row.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        Some(match memchr(b'"', inner) {
            None => Cow::Borrowed(inner),
            Some(_) => Cow::Owned(once_quoted(inner)),
        })
    }

    /// The fields of a row; the offset of the quote if one is not closed.
    fn fields_of(&self, row: &[u8], unquoter: &mut Unquoter) -> Result<Fields, usize> {
        match self.outer_quotes_off(row) {
            Some(inner) => unquoter.fields(&inner).map_err(|at| at + 1),
            None => unquoter.fields(row),
        }
    }

    /// The offset in a row of byte `index` of an unquoted field.
    fn offset_of(&self, row: &[u8], field: usize, index: usize) -> usize {
        match self.outer_quotes_off(row) {
            Some(inner) => {
                let at = offset_in(&inner, self.separator, field, index);
                1 + at + memchr_iter(b'"', &inner[..at.min(inner.len())]).count()
            }
            None => offset_in(row, self.separator, field, index),
        }
    }

    /// Where a cell of a grid stands in a row that can be read.
    fn cell_place(&self, cells: Cells, line: u64, text: &[u8], cell: usize) -> Place {
        let row = without_line_end(text);
        let at = self.fields_of(row, &mut Unquoter::new(self.separator)).ok().and_then(|fields| {
            let (column, index) = match cells {
                Cells::Column(column) => (column, field::offset_of_cell(fields.get(column)?, cell)),
                Cells::Each(first) => (first + cell, leading_blanks(fields.get(first + cell)?)),
            };
            Some(self.offset_of(row, column, index))
        });
        place_in(line, text, at.unwrap_or(0))
    }

    /// What stands where the claimed solution should; of 81 columns what is between the first and the last.
    fn field_of_claim<'a>(
        &self,
        claim: Cells,
        text: &'a [u8],
        unquoter: &mut Unquoter,
    ) -> Option<Cow<'a, [u8]>> {
        let row = without_line_end(text);
        match claim {
            Cells::Column(column) if memchr(b'"', row).is_none() => {
                plain_field(row, self.separator, column).map(Cow::Borrowed)
            }
            Cells::Column(column) => {
                self.fields_of(row, unquoter).ok()?.get(column).map(|field| Cow::Owned(field.to_vec()))
            }
            Cells::Each(first) => {
                let fields = self.fields_of(row, unquoter).ok()?;
                let cells: Vec<&[u8]> =
                    fields.iter().skip(first).take(CELLS).map(<[u8]>::trim_ascii).collect();
                let digit = |cell: &&[u8]| Some(b'0' + cell_of(cell).filter(|_| !cell.is_empty())?);
                let digits: Option<Vec<u8>> = cells.iter().map(digit).collect();
                Some(Cow::Owned(digits.unwrap_or_else(|| cells.concat())))
            }
        }
    }

    /// The claimed solution of a row whose puzzle can be read; `None` if nothing stands there.
    fn read_claim(
        &self,
        claim: Cells,
        line: u64,
        text: &[u8],
        unquoter: &mut Unquoter,
    ) -> Option<Result<Grid, Fault>> {
        let field = self.field_of_claim(claim, text, unquoter)?;
        let claimed = field.trim_ascii();
        if claimed.is_empty() || matches!(claim, Cells::Each(_)) && claimed.iter().all(|&byte| byte == b'0') {
            return None;
        }
        Some(field::grid(&field, &cells::CLAIM).map_err(|(at, fault)| {
            let row = without_line_end(text);
            let at = match claim {
                Cells::Column(column) => self.offset_of(row, column, at),
                Cells::Each(first) => self.offset_of(row, first, 0),
            };
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
        if let Cells::Column(puzzle) = self.puzzle
            && memchr(b'"', row).is_none()
            && row.len() <= MAX_LINE
        {
            // The usual row: count the separators and remember where the field lies.
            let (mut start, mut end, mut found) = (0, row.len(), 0);
            for at in memchr_iter(self.separator, row) {
                found += 1;
                if found == puzzle {
                    start = at + 1;
                } else if found == puzzle + 1 {
                    end = at;
                }
            }
            if (found + 1 == self.columns || found == self.columns && row.last() == Some(&self.separator))
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
        let fields = self.fields_of(row, unquoter).map_err(|at| (at, fault(FaultKind::OpenQuote)))?;
        if !is_whole(&fields, self.columns) {
            let at = self.offset_of(row, self.columns, 0);
            return Err((at, fault(FaultKind::FieldCount).number(fields.len()).number(self.columns)));
        }
        if let Some(kind) = self.kind
            && fields.get(kind).is_some_and(is_case)
        {
            return Err((self.offset_of(row, kind, 0), fault(FaultKind::CaseInResults)));
        }
        match self.puzzle {
            Cells::Column(column) => {
                let field = fields.get(column).unwrap_or_default();
                self.read_field(field).map_err(|(at, fault)| (self.offset_of(row, column, at), fault))
            }
            Cells::Each(first) => read_fields(&fields, first)
                .map_err(|(column, at, fault)| (self.offset_of(row, column, at), fault)),
        }
    }

    /// The puzzle in a field, or what a spreadsheet has made of it.
    fn read_field(&self, field: &[u8]) -> Result<Grid, (usize, Fault)> {
        field::grid(field, &cells::PUZZLE).map_err(|(at, fault)| {
            let text = field.trim_ascii();
            if is_scientific(text) {
                let number = String::from_utf8_lossy(text).into_owned();
                return (leading_blanks(field), Fault::new(FaultKind::MangledPuzzle, None).text(number));
            }
            if self.lost_zeros && is_number(text) && text.len() < CELLS {
                return (at, Fault::new(FaultKind::LostZeros, None).number(text.len()));
            }
            (at, fault)
        })
    }
}

/// Whether all that stands in a column are numbers in scientific notation.
fn all_mangled(rows: &[Fields], column: usize) -> bool {
    let mut some = rows
        .iter()
        .filter_map(|row| row.get(column))
        .map(<[u8]>::trim_ascii)
        .filter(|field| !field.is_empty())
        .peekable();
    some.peek().is_some() && some.all(is_scientific)
}

/// Whether a field is a number of more than 50 digits as spreadsheets show it: `4.3E+78`.
fn is_scientific(field: &[u8]) -> bool {
    let Some(at) = field.iter().position(|byte| matches!(byte, b'e' | b'E')) else { return false };
    let (number, exponent) = (&field[..at], &field[at + 1..]);
    let exponent = exponent.strip_prefix(b"+").unwrap_or(exponent);
    let is_mantissa = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',');
    at > 0 && number.iter().all(is_mantissa) && matches!(exponent, [b'5'..=b'8', b'0'..=b'9'])
}

/// Whether a field is a number without leading zeros.
fn is_number(field: &[u8]) -> bool {
    !matches!(field, [] | [b'0', ..]) && field.iter().all(u8::is_ascii_digit)
}

/// Whether most fields of a column are numbers of many digits, though fewer than 81.
fn has_lost_zeros(rows: &[Fields], column: usize) -> bool {
    let is_short = |field: &[u8]| is_number(field) && (CELLS / 2..CELLS).contains(&field.len());
    let count =
        rows.iter().filter_map(|row| row.get(column)).filter(|field| is_short(field.trim_ascii())).count();
    2 * count > rows.len()
}

/// A text between quotes whose own quotes are doubled.
fn once_quoted(inner: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        text.push(byte);
        if byte == b'"' {
            bytes.next_if_eq(&b'"');
        }
    }
    text
}

/// Whether a row has so many fields, or one more that is empty.
fn is_whole(fields: &Fields, columns: usize) -> bool {
    fields.len() == columns
        || fields.len() == columns + 1
            && fields.get(columns).is_some_and(|field| field.trim_ascii().is_empty())
}

/// The digit of a field that holds one cell, 0 for a blank.
pub(super) fn cell_of(field: &[u8]) -> Option<u8> {
    match field {
        [] | b"-1" => Some(0),
        [byte] | [byte @ b'0'..=b'9', b'.'] | [byte @ b'0'..=b'9', b'.', b'0'] => {
            Some(cells::digit(*byte)).filter(|&digit| digit != cells::NO_CELL)
        }
        _ => spread::is_null(field).then_some(0),
    }
}

/// The grid in 81 fields of a cell each; otherwise the field of the trouble, the offset in it, and what it is. In a row
/// that writes its blanks an empty field is a lost cell.
fn read_fields(fields: &Fields, first: usize) -> Result<Grid, (usize, usize, Fault)> {
    let mut digits = [0; CELLS];
    let mut empty = None;
    let mut written = false;
    let mut blanks = Blanks::default();
    for (digit, column) in digits.iter_mut().zip(first..) {
        let field = fields.get(column).unwrap_or_default();
        let text = field.trim_ascii();
        *digit = cell_of(text).ok_or_else(|| {
            let fault = if text.iter().all(u8::is_ascii_digit) {
                let number = text[..text.len().min(CELLS / 9)].escape_ascii().to_string();
                Fault::new(FaultKind::CellNumber, None).text(number)
            } else {
                cells::invalid_character(text, cells::run(text).min(text.len() - 1))
            };
            (column, leading_blanks(field), fault)
        })?;
        if let Some(fault) = blanks.see(text) {
            return Err((column, leading_blanks(field), fault));
        }
        if text.is_empty() {
            empty = empty.or(Some(column));
        } else {
            written |= *digit == 0;
        }
    }
    match empty {
        Some(column) if written => Err((column, 0, Fault::new(FaultKind::CellCount, None).number(CELLS - 1))),
        _ => Ok(Grid::from_digits(digits)),
    }
}

/// The separator that the first line of a file says it has, as Excel writes it: `sep=;`.
fn stated_separator(line: &[u8]) -> Option<u8> {
    match line.trim_ascii() {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', separator] if separator.is_ascii_punctuation() => {
            Some(*separator)
        }
        b"sep=" if line.starts_with(b"sep=\t") => Some(b'\t'),
        _ => None,
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

/// The rows of a table of which most stand in quotes as a whole, without these; `None` if most do not.
fn rows_in_quotes(mut rows: Vec<Fields>, separator: u8) -> Option<Vec<Fields>> {
    let mut unquoter = Unquoter::new(separator);
    let mut in_quotes = 0;
    for row in &mut rows {
        if let (1, Some(field)) = (row.len(), row.get(0))
            && field.contains(&separator)
            && let Ok(inner) = unquoter.fields(field)
        {
            *row = inner;
            in_quotes += 1;
        }
    }
    (2 * in_quotes > rows.len()).then_some(rows)
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
    // A bar is rather one between cells.
    SEPARATORS.into_iter().take(3).max_by_key(alike).unwrap_or(SEPARATORS[0])
}

/// The number of fields that most rows have.
fn usual_length(rows: &[Fields]) -> usize {
    let count = |length| rows.iter().filter(|row| row.len() == length).count();
    rows.iter().map(Fields::len).max_by_key(|&length| (count(length), length)).unwrap_or(0)
}

/// Columns of a table but for a last one in which there is nothing: it is what rows end with.
fn without_surplus(rows: &[Fields], columns: usize) -> usize {
    let last = columns.saturating_sub(1);
    let is_empty = |row: &Fields| row.get(last).is_some_and(|field| field.trim_ascii().is_empty());
    let mut whole = rows.iter().filter(|row| row.len() == columns).peekable();
    if last > 0 && whole.peek().is_some() && whole.all(is_empty) { last } else { columns }
}

/// Rows of so many columns in which a grid has at least one blank.
fn puzzles_in(rows: &[Fields], column: usize, columns: usize) -> u64 {
    let is_puzzle = |grid: &Grid| (grid.clues() as usize) < CELLS;
    grids_in(rows.iter().filter(|row| is_whole(row, columns)), Cells::Column(column), is_puzzle)
}

/// Rows with a complete grid.
fn solutions_in(rows: &[Fields], cells: Cells) -> u64 {
    grids_in(rows.iter(), cells, |grid| grid.clues() as usize == CELLS)
}

/// Rows with a grid of some kind.
fn grids_in<'a>(
    rows: impl Iterator<Item = &'a Fields>,
    cells: Cells,
    is_such: impl Fn(&Grid) -> bool,
) -> u64 {
    rows.filter(|row| grid_in(row, cells).is_some_and(|grid| is_such(&grid))).count() as u64
}

/// Whether there is a grid in some row.
fn holds_grids(rows: &[Fields], cells: Cells) -> bool {
    rows.iter().any(|row| grid_in(row, cells).is_some())
}

/// The grid of a row, if it has one.
fn grid_in(row: &Fields, cells: Cells) -> Option<Grid> {
    match cells {
        Cells::Column(column) => field::grid(row.get(column)?, &cells::PUZZLE).ok(),
        Cells::Each(first) => read_fields(row, first).ok(),
    }
}

/// The 81 columns of a cell each that hold puzzles in most rows, and in how many. Where others would do as well it is
/// those beside which their solutions stand, else nobody knows which are meant. Digits that clash are no puzzle: there
/// are tables full of digits.
fn each_cell(rows: &[Fields], columns: usize) -> Option<(Cells, u64)> {
    let is_puzzle =
        |grid: &Grid| (1..CELLS as u32).contains(&grid.clues()) && verifier::clash(grid).is_none();
    let whole: Vec<&Fields> = rows.iter().filter(|row| is_whole(row, columns)).collect();
    let count = |first: usize| grids_in(whole.iter().copied(), Cells::Each(first), is_puzzle);
    let mut windows: Vec<(u64, usize)> =
        (0..=columns.checked_sub(CELLS)?).map(|first| (count(first), first)).collect();
    windows.retain(|&(count, _)| 2 * count > rows.len() as u64);
    let is_solved = |&&(_, first): &&(u64, usize)| {
        let is_solution = |other: usize| {
            let solved =
                whole.iter().filter(|row| match (read_fields(row, first), read_fields(row, other)) {
                    (Ok(puzzle), Ok(solution)) => verifier::sudoku(&puzzle, &solution),
                    _ => false,
                });
            2 * solved.count() > rows.len()
        };
        is_solution(first + CELLS) || first.checked_sub(CELLS).is_some_and(is_solution)
    };
    let is_best = |&&(count, _): &&(u64, usize)| windows.iter().all(|&(other, _)| other <= count);
    let mut best = windows.iter().filter(is_best);
    let &(count, first) = match windows.iter().find(is_solved) {
        Some(solved) => solved,
        None => best.next().filter(|_| best.next().is_none())?,
    };
    Some((Cells::Each(first), count))
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
fn claim_cells(sample: &Sample<'_>, rows: &[Fields], has_header: bool, puzzle: Cells) -> Option<Cells> {
    let names = rows.first().filter(|_| has_header);
    let named = |wanted: &str| names.and_then(|names| names.iter().position(|field| name(field) == wanted));
    let columns = names.map_or_else(|| usual_length(rows), Fields::len);
    if let Some(wanted) = sample.solution_column {
        let number =
            || wanted.trim().parse::<usize>().ok()?.checked_sub(1).filter(|&number| number < columns);
        return named(&name(wanted.as_bytes())).or_else(number).map(Cells::Column);
    }
    let rows = &rows[usize::from(has_header).min(rows.len())..];
    let complete = |cells: Cells| solutions_in(rows, cells);
    let is_most = |cells: Cells| 2 * complete(cells) > rows.len() as u64;
    let is_meant = |name: &str, column: &usize| {
        *column != puzzle.first() && (name != AMBIGUOUS_NAME || !holds_counts(rows, *column))
    };
    let by_name = |name| named(name).filter(|column| is_meant(name, column)).map(Cells::Column);
    let by_other_name =
        |name| named(name).map(Cells::Column).filter(|&cells| cells != puzzle && is_most(cells));
    let known = SOLUTION_NAMES.into_iter().find_map(by_name);
    let in_a_column = || {
        let others = (0..columns).rev().filter(|&column| column != puzzle.first()).map(Cells::Column);
        others.max_by_key(|&cells| complete(cells)).filter(|&cells| is_most(cells))
    };
    let apart = || {
        let Cells::Each(first) = puzzle else { return None };
        let before = first.checked_sub(CELLS).map(Cells::Each);
        let behind = Some(Cells::Each(first + CELLS)).filter(|_| first + 2 * CELLS <= columns);
        behind.into_iter().chain(before).find(|&cells| is_most(cells))
    };
    known
        .or_else(|| OTHER_SOLUTION_NAMES.into_iter().find_map(by_other_name))
        .or_else(apart)
        .or_else(in_a_column)
}

/// The table that a header or the rows show, and how many cells of it can be read; `u64::MAX` if the
/// header leaves no doubt.
fn table_with(sample: &Sample<'_>, separator: u8) -> Option<(Table, u64)> {
    let rows = rows_of(sample, separator);
    let plain = table_of(sample, separator, &rows);
    // Only if there is nothing else: a field may hold a list with the same separator.
    if plain.as_ref().is_some_and(|(table, _)| table.holds_grids) {
        return plain;
    }
    let in_quotes = || {
        let (table, evidence) = table_of(sample, separator, &rows_in_quotes(rows, separator)?)?;
        Some((Table { in_quotes: true, ..table }, evidence))
    };
    in_quotes().or(plain)
}

fn table_of(sample: &Sample<'_>, separator: u8, rows: &[Fields]) -> Option<(Table, u64)> {
    let first = rows.first()?;
    let names: Vec<String> = first.iter().map(name).collect();
    let column_of = |wanted: &str| names.iter().position(|name| name == wanted);
    let behind = &rows[1..];
    let table = |columns: usize, has_header: bool, puzzle: Cells| {
        let rows_behind = &rows[usize::from(has_header)..];
        Table {
            separator,
            columns,
            names: names_of_columns(Some(first).filter(|_| has_header), columns),
            has_header,
            in_quotes: false,
            lost_zeros: matches!(puzzle, Cells::Column(column) if has_lost_zeros(rows_behind, column)),
            is_mangled: matches!(puzzle, Cells::Column(column) if all_mangled(rows_behind, column)),
            holds_grids: holds_grids(rows_behind, puzzle),
            puzzle,
            kind: None,
            claim: claim_cells(sample, rows, has_header, puzzle),
            unclaimed: None,
        }
    };

    let agrees = |column: &usize| holds_grids(behind, Cells::Column(*column));
    let holds_puzzles = |column: &usize| puzzles_in(behind, *column, first.len()) > 0;
    let named = match sample.puzzle_column {
        Some(wanted) => column_of(&name(wanted.as_bytes())),
        None => {
            let known = || PUZZLE_NAMES.into_iter().filter_map(column_of);
            let others = || OTHER_PUZZLE_NAMES.into_iter().filter_map(column_of);
            // A known name whose column holds no grid is still the best guess, if no other column holds puzzles.
            let guess = || known().next().filter(|_| !(0..first.len()).any(|column| holds_puzzles(&column)));
            known().find(agrees).or_else(|| others().find(holds_puzzles)).or_else(guess)
        }
    };
    if let Some(puzzle) = named {
        let is_results = RESULT_NAMES.into_iter().all(|name| column_of(name).is_some());
        let kind = if is_results { column_of("kind") } else { None };
        return Some((
            Table {
                kind,
                ..table(without_surplus(rows, first.len()).max(puzzle + 1), true, Cells::Column(puzzle))
            },
            u64::MAX,
        ));
    }
    let columns = without_surplus(rows, usual_length(rows));
    let has_header = is_whole(first, columns) && (is_header(first) || counts_up(first));
    let puzzle = match sample.puzzle_column {
        Some(wanted) => Cells::Column(
            wanted.trim().parse::<usize>().ok()?.checked_sub(1).filter(|&column| column < columns)?,
        ),
        None => {
            let best = (0..columns).rev().max_by_key(|&column| puzzles_in(rows, column, columns))?;
            if puzzles_in(rows, best, columns) > 0 {
                Cells::Column(best)
            } else {
                each_cell(&rows[usize::from(has_header)..], columns)?.0
            }
        }
    };
    let count = match puzzle {
        Cells::Column(column) => puzzles_in(rows, column, columns),
        Cells::Each(_) => each_cell(&rows[usize::from(has_header)..], columns)?.1,
    };
    let table = table(columns, has_header, puzzle);
    let is_meant =
        sample.puzzle_column.is_some() || sample.solution_column.is_some() && table.claim.is_some();
    let evidence = if is_meant && columns > 1 {
        u64::MAX
    } else {
        // One more than a line format could claim, if there is a header that would be a bad line to it.
        // Lines of a grid within quotes are no grid of their own, nor are those of its solution.
        let is_in_lines = |field: &[u8]| {
            find_spread(field)
                .is_some_and(|found| field[found.places[0] as usize..found.end].contains(&b'\n'))
        };
        let has_lines = rows.iter().filter_map(|row| row.get(puzzle.first())).any(is_in_lines);
        let weight = match columns {
            _ if has_lines => 4 * CELLS,
            // One column is a list of lines, whose family knows more ways.
            1 => CELLS / 2,
            _ => CELLS,
        };
        count * weight as u64 + u64::from(has_header && columns > 1)
    };
    Some((table, evidence))
}

/// Whether a row numbers the columns, as programs do that have no names for them.
fn counts_up(row: &Fields) -> bool {
    let numbers: Vec<u64> = row
        .iter()
        .skip_while(|field| field.is_empty())
        .map_while(|field| str::from_utf8(field).ok()?.trim().parse().ok())
        .collect();
    numbers.len() >= CELLS && numbers.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]))
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

/// The separators that a sample can have, the likeliest first; one at least.
fn separators(sample: &Sample<'_>) -> Vec<u8> {
    if let Some(separator) = sample.lines().next().and_then(stated_separator) {
        return vec![separator];
    }
    let mut separators = SEPARATORS.to_vec();
    separators.retain(|separator| sample.bytes.contains(separator));
    if separators.is_empty() { vec![SEPARATORS[0]] } else { separators }
}

/// The table of which most cells can be read, and how many.
fn find_table(sample: &Sample<'_>) -> Option<(Table, u64)> {
    let separators = separators(sample).into_iter().rev();
    let tables = separators.filter_map(|separator| table_with(sample, separator));
    tables.max_by_key(|(table, evidence)| (*evidence, table.columns))
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
    let behind = &rows[usize::from(rows.first().is_some_and(is_header))..];
    if (0..usual_length(rows)).any(|column| all_mangled(behind, column)) {
        return mangled(sample);
    }
    InputError::NoPuzzleColumn {
        name: sample.name.to_owned(),
        columns: column_names(rows),
        wanted: sample.puzzle_column.map(str::to_owned),
    }
}

/// The error for what has no puzzles, but a column of what a spreadsheet makes of them.
pub(super) fn mangled_column(sample: &Sample<'_>) -> Option<InputError> {
    let rows = rows_of(sample, best_separator(sample));
    let behind = &rows[usize::from(is_header(rows.first()?))..];
    (0..usual_length(&rows)).any(|column| all_mangled(behind, column)).then(|| mangled(sample))
}

/// The error for a table whose puzzles a spreadsheet took for numbers.
fn mangled(sample: &Sample<'_>) -> InputError {
    InputError::MangledPuzzles { name: sample.name.to_owned() }
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

    /// A grid as 81 fields, or as rows of nine with something between.
    fn apart(grid: &str, between: &str) -> String {
        grid.chars().map(String::from).collect::<Vec<_>>().join(between)
    }

    fn in_rows(grid: &str, between: &str) -> String {
        (0..9).map(|row| grid[9 * row..9 * row + 9].to_owned()).collect::<Vec<_>>().join(between)
    }

    /// Every kind of table: a header or none, and a row of the puzzle `P` and the solution `S`.
    fn kinds() -> Vec<(String, String)> {
        let owned = |header: &str, row: &str| (header.to_owned(), row.to_owned());
        let cells = |grid: &str| apart(grid, ",");
        let columns = |count: usize, name: &str| {
            (0..count).map(|column| format!("{name}{column}")).collect::<Vec<_>>().join(",")
        };
        let nested = |grid: &str| {
            format!(
                "[[{}]]",
                in_rows(&apart(grid, ""), "|")
                    .chars()
                    .map(String::from)
                    .collect::<Vec<_>>()
                    .join(", ")
                    .replace(", |, ", "], [")
            )
        };
        let numpy = |grid: &str| {
            format!(
                "[[{}]]",
                in_rows(grid, "|")
                    .chars()
                    .map(String::from)
                    .collect::<Vec<_>>()
                    .join(" ")
                    .replace(" | ", "]\n [")
            )
        };
        let mut kinds = vec![
            owned("Puzzle,Solution,Givens", "P,S,27,"),
            owned("Puzzle,Solution,", "P,S,"),
            owned("id|puzzle|solution", "1|P|S"),
            owned("sep=;\nid;puzzle;solution", "1;P;S"),
            owned("\"id\",\"puzzle\",\"solution\"", "1,P,S"),
            owned("\"id,puzzle,solution\"", "\"1,P,S\""),
            owned("", "\"1,P,S\""),
            owned("id,puzzle,solution", "\"1,P,S\""),
            owned("", "\"1,\"\"P\"\",\"\"S\"\"\""),
        ];
        for name in OTHER_PUZZLE_NAMES {
            kinds.push(owned(&format!("id,other,{name},solved"), &format!("1,{},P,S", "8".repeat(9))));
        }
        for name in OTHER_SOLUTION_NAMES {
            kinds.push(owned(&format!("quizzes,{name},rest"), "P,S,x"));
        }
        for (header, wrap) in [("puzzle,solution", "\"G\",\"T\""), ("", "1,\"G\",\"T\"")] {
            for write in [
                &cells as &dyn Fn(&str) -> String,
                &|grid| apart(grid, " "),
                &|grid| format!("[{}]", apart(grid, ", ")),
                &|grid| format!("({})", apart(grid, ",")),
                &|grid| in_rows(grid, "\n"),
                &|grid| in_rows(&apart(grid, ""), "\r\n"),
                &|grid| in_rows(grid, " "),
                &|grid| format!("array([{}])", apart(grid, ", ")),
                &nested,
                &numpy,
            ] {
                let row = wrap.replace('G', &write(PUZZLE)).replace('T', &write(SOLUTION));
                kinds.push((header.to_owned(), row));
            }
        }
        for blank in ["0", ""] {
            let puzzle = cells(PUZZLE).replace('0', blank);
            let (puzzle, solution) = (puzzle.as_str(), cells(SOLUTION));
            kinds.extend([
                (columns(162, "c"), format!("{puzzle},{solution}")),
                (columns(162, ""), format!("{puzzle},{solution}")),
                (String::new(), format!("{puzzle},{solution}")),
                (String::new(), format!("{solution},{puzzle}")),
                (format!("id,{},solution", columns(81, "c")), format!("712,{puzzle},S")),
                (String::new(), format!("712,{puzzle},S").replace(',', ";")),
                (columns(81, "r") + "," + &columns(81, "s") + ",level", format!("{puzzle},{solution},easy,")),
            ]);
        }
        kinds.iter_mut().for_each(|(_, row)| *row = row.replace('P', PUZZLE).replace('S', SOLUTION));
        kinds
    }

    #[test]
    fn every_kind_of_table() {
        for (header, row) in kinds() {
            let line_end = if header.len() % 2 == 0 { "\n" } else { "\r\n" };
            {
                let header = if header.is_empty() { String::new() } else { header.clone() + line_end };
                let text = format!("{header}{row}{line_end}{row}{line_end}{row}{line_end}");
                let reading = claims(&text, None);
                assert_eq!(reading.show(), vec![dotted(); 3], "{text}");
                assert_eq!(reading.claims(), vec![SOLUTION; 3], "{text}");
                assert!(reading.notes.is_empty(), "{text}");
                assert_eq!(
                    drain(open(text.as_bytes(), &ReadOptions::default()).unwrap(), 1).show(),
                    vec![dotted(); 3]
                );
                for (place, digit) in places(text.as_bytes())[1].iter().zip(PUZZLE.chars()) {
                    let line = text.split('\n').nth(place.line as usize - 1).unwrap();
                    let found = line[place.column as usize - 1..].chars().next();
                    assert!(digit == '0' || found == Some(digit), "{text}");
                }
            }
        }
    }

    /// A cell lost or doubled, a field more or less: the row is lost and no other, and no other puzzle comes of it.
    #[test]
    fn a_damaged_row_of_any_kind_costs_itself_alone() {
        for (header, row) in kinds() {
            let good = format!("{row}\n").repeat(3);
            let start = if header.is_empty() { good.clone() } else { format!("{header}\n{good}") };
            let is_lost = |shown: &[String]| {
                let untouched = || shown[..3].iter().chain(&shown[shown.len().max(3) - 3..]);
                let made_up = shown.iter().any(|row| row.len() == CELLS && *row != dotted());
                shown.len() >= 6 && untouched().all(|row| *row == dotted()) && !made_up
            };
            let has_empty = row.contains(",,") || row.contains(";;");
            for at in [3] {
                let Some(at) =
                    row[at..].find(|byte: char| byte.is_ascii_digit() && !has_empty).map(|found| at + found)
                else {
                    continue;
                };
                let digit = &row[at..=at];
                for bad in ["", &format!("{digit},{digit}")] {
                    let text = format!("{start}{}{bad}{}\n{good}", &row[..at], &row[at + 1..]);
                    let shown = read(text.as_bytes()).show();
                    assert!(is_lost(&shown), "{text}\n{shown:?}");
                }
            }
            for stray in ["1,2", "\"", "# a remark"] {
                let shown = read(format!("{start}{stray}\n{good}").as_bytes()).show();
                assert!(is_lost(&shown), "{header} {row} {stray}\n{shown:?}");
            }
        }
    }

    #[test]
    fn a_name_counts_only_if_the_values_agree() {
        let rows = |header: &str, row: &str| {
            let row = row.replace('P', PUZZLE).replace('S', SOLUTION);
            claims(&format!("{header}\n{row}\n{row}\n"), None)
        };
        for (header, row) in [
            ("puzzle,board,solved", "17,P,S"),
            ("clues,puzzles,label", "27,P,S"),
            ("input,target,a,b", "3,7,P,S"),
            ("quiz,grid,sudoku,answers", "x,,P,S"),
            ("question,quiz,solution", "how?,P,S"),
        ] {
            let reading = rows(header, row);
            assert_eq!(reading.show(), vec![dotted(); 2], "{header}");
            assert_eq!(reading.claims(), [SOLUTION; 2], "{header}");
        }
        // Where no column holds puzzles the known names still say which should.
        assert!(rows("id,puzzle", "1,22").show()[0].ends_with("2 cells (expected 81)"));
    }

    /// Digits everywhere make no grid: which 81 are meant must be clear, and they must not clash.
    #[test]
    fn tables_full_of_digits_hold_no_puzzles() {
        let ones = format!("{}\n", ["0", "1"].repeat(50).join(",")).repeat(9);
        let zeros = format!("{}\n", ["0"; 90].join(",")).repeat(9);
        for text in [ones, zeros] {
            assert!(open(text.as_bytes(), &ReadOptions::default()).is_err(), "{text}");
        }
    }

    #[test]
    fn what_a_spreadsheet_made_of_puzzles_is_named() {
        let mangled = "4.30001E+78";
        let text = format!("id,puzzle\n1,{PUZZLE}\n2,{mangled}\n3,{PUZZLE}\n");
        assert_eq!(
            read(text.as_bytes()).show()[1],
            "3:3: number '4.30001E+78', which a spreadsheet made of a puzzle (expected 81 cells, imported as text)"
        );
        for text in [
            format!("puzzle,solution\n{mangled},1.43629E+80\n{mangled},1.43629E+80\n"),
            format!("puzzle\n{mangled}\n\"4,3E+79\"\n"),
            format!("id;x\n1;{mangled}\n2;4,3E+78\n"),
            format!("1,{mangled}\n2,5E+77\n"),
        ] {
            let error = open(text.as_bytes(), &ReadOptions::default()).expect_err("numbers").to_string();
            assert!(error.starts_with("test: the puzzles are numbers like 4.3E+78"), "{text}: {error}");
        }
        let short =
            |zeros: usize| format!("7,{}\n", PUZZLE[1..].trim_start_matches('0')[..].split_at(zeros).1);
        let text = format!("id,puzzle\n7,{PUZZLE}\n{}{}{}", short(0), short(0), short(0));
        assert_eq!(
            read(text.as_bytes()).show()[1],
            "3:82: 79 digits of a number whose leading zeros seem lost (expected 81 cells, imported as text)"
        );
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
        assert_eq!(claims("id,kind,status,puzzle\n", None).notes, [""; 0]);
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
