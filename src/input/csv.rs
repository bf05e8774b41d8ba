//! Tables: one puzzle a row, in a column of a CSV or TSV file or one with `;` or `|`, or in 81 columns of a cell each.
//!
//! The column of the puzzles is found by its name in the header, as the known datasets call it, if what it holds
//! agrees, else by its content. A row may have one field more than the header, if that is empty. Some programs put
//! each row as a whole into quotes: then these come off first. A row ends at a line end outside quotes; a quote opens
//! only at the start of a field. A quote that is never closed would swallow the rows behind it: when it is followed by
//! none that closes, or by one that cannot, the row ends with the line on which the quote opened. Rows without quotes,
//! that is nearly all, are cut at their separators; the others go through csv-core.

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
use super::row::has_long_run;
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
    /// What is said of an input whose claimed solutions are wanted and not found, or that has two columns of puzzles.
    note: Option<String>,
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
            let read = read.map_err(|(at, fault)| fault.at(place_in(line, text, at)));
            out.push_puzzle(line, span, Layout::Line, read);
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
        self.note.clone().filter(|_| records > 0)
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
            note: None,
        }
    }

    /// The same table once its other columns were looked at.
    fn checked(mut self, sample: &Sample<'_>) -> Result<Self, InputError> {
        let lacks_claims = self.claim.is_none() && (sample.solution_column.is_some() || sample.claims);
        if lacks_claims {
            let columns = column_names(&rows_of(sample, self.separator));
            if let Some(wanted) = sample.solution_column {
                let (name, wanted) = (sample.name.to_owned(), wanted.to_owned());
                return Err(InputError::NoSolutionColumn { name, columns, wanted });
            }
            self.note = Some(format!(
                "no column of solutions found; name it with --solution-column (columns seen: {})",
                listed(&columns)
            ));
        } else if sample.puzzle_column.is_none() {
            self.note = self.other_puzzles(sample);
        }
        Ok(self)
    }

    /// What is said of a second column of puzzles.
    fn other_puzzles(&self, sample: &Sample<'_>) -> Option<String> {
        let is_read =
            |column| Cells::Column(column) == self.puzzle || self.claim == Some(Cells::Column(column));
        let rows = rows_of(sample, self.separator);
        let is_most = |column: &usize| 2 * puzzles_in(&rows, *column, self.columns) > rows.len() as u64;
        let Cells::Column(puzzle) = self.puzzle else { return None };
        let other = (0..self.columns).filter(|&column| !is_read(column)).find(is_most)?;
        let [puzzle, other] = [puzzle, other].map(|column| &self.names[column]);
        Some(format!(
            "'{other}' holds puzzles, too; those of '{puzzle}' are read (--puzzle-column says which)"
        ))
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

/// The column of solutions of a table that has no other grids, as that of an enumeration, and how many there are: then
/// these are what is read.
fn lone_solutions(names: &[String], rows: &[Fields]) -> Option<(Cells, u64)> {
    let column = names.iter().position(|name| SOLUTION_NAMES.contains(&name.as_str()))?;
    let count = solutions_in(rows, Cells::Column(column));
    let is_short = |(at, field): (usize, &[u8])| at == column || field.len() < CELLS / 2;
    let is_lone = rows.iter().all(|row| row.iter().enumerate().all(is_short));
    (is_lone && 2 * count > rows.len() as u64).then_some((Cells::Column(column), count))
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
            note: None,
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
    let in_column = |column| (Cells::Column(column), puzzles_in(rows, column, columns));
    let (puzzle, count) = match sample.puzzle_column {
        Some(wanted) => {
            in_column(wanted.trim().parse::<usize>().ok()?.checked_sub(1).filter(|&column| column < columns)?)
        }
        None => {
            let best = (0..columns).rev().map(in_column).max_by_key(|&(_, count)| count)?;
            let rows = &rows[usize::from(has_header)..];
            // Puzzles one behind the other, none of which is more than the others.
            let is_open = |field: &[u8]| has_long_run(field) && memchr2(b'.', b'0', field).is_some();
            let all_open = |column: &usize| rows.iter().all(|row| row.get(*column).is_some_and(is_open));
            if !has_header && columns > 2 && (0..columns).filter(all_open).nth(2).is_some() {
                return None;
            }
            let others = || each_cell(rows, columns).or_else(|| lone_solutions(&names, rows));
            Some(best).filter(|&(_, count)| count > 0).or_else(others)?
        }
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
mod tests;
