//! Tables: one puzzle a row, in a column of a CSV or TSV file or one with `;` or `|`, or in 81 columns of a cell each.
//!
//! Which columns are read is decided as in all tables (`chosen`); the separator and the header, which titles may stand
//! above, are found in `find`, and rows are cut in `fields`. The rows of `COPY` in a dump of `PostgreSQL` are such a table. A row may have one field more than the header, if that is empty. Some programs put each row
//! as a whole into quotes: then these come off first.

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use memchr::{memchr, memchr_iter};

use super::batch::{
    Cursor, Format, Phase, Step, TextEnd, counts_rows, line_length, place_in, walk, without_line_end,
};
use super::beside::{ABOVE, Tell, gaps, is_remark};
use super::cells;
use super::chosen::{Cells, Chosen, cells_in, is_scientific};
use super::family::{Family, Sample, Seen};
use super::field::{self, leading_blanks};
use super::fields::{Fields, RowLength, Unquoter, offset_in, once_quoted, plain_field, row_length};
use super::look::{Excerpt, TableLook};
use super::row::{has_long_run, rows_length};
use super::{Columns, InputError, MAX_LINE, lost_zeros};
use crate::record::{Fault, FaultKind, Layout, Place, PuzzleKind, Records, Texts, Want};
use crate::sudoku::{CELLS, Grid, SIDE};

mod find;
use find::{Found, find_table};
pub(super) use find::{mangled_column, no_puzzle_column, no_solution_column};

pub(super) const FAMILY: Family = Family {
    name: "csv",
    about: "CSV or TSV with a column of puzzles",
    has_columns: true,
    look: |sample| {
        if is_list(sample) {
            return Seen::new(0, |sample| open(find_table(sample).as_ref(), sample));
        }
        let found = find_table(sample);
        let cells = found.as_ref().map_or(0, |found| found.evidence);
        let is_all = cells == u64::MAX && found.as_ref().is_some_and(|found| found.table.holds_grids);
        Seen { is_all, ..Seen::new(cells, move |sample| open(found.as_ref(), sample)) }
    },
    enough: CELLS as u64,
};

/// Reads an input with such a table in it.
fn open(found: Option<&Found>, sample: &Sample<'_>) -> Result<Arc<dyn Format>, InputError> {
    match found {
        Some(found) => Ok(Arc::new(found.checked(sample)?)),
        // Without rows there is nothing that could be wrong.
        None if sample.record_lines().next().is_none() => Ok(Arc::new(Table::of_one_column(b','))),
        None => Err(find::no_columns(sample)),
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

/// The line below the rows that `PostgreSQL` copies into a dump.
const END_OF_COPY: &[u8] = b"\\.";

/// What stands there for a value that is not there.
const NULL_OF_COPY: &[u8] = b"\\N";

/// How one table is laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Table {
    separator: u8,
    /// Fields of a row.
    columns: usize,
    /// Names of the columns.
    names: Vec<String>,
    has_header: bool,
    /// The header, or the first row where there is none, as it stands there, if lines that are no rows stand above it.
    header: Option<Vec<u8>>,
    /// Whether each row as a whole stands in quotes.
    in_quotes: bool,
    /// Whether all puzzles are what a spreadsheet makes of them when it takes them for numbers.
    is_mangled: bool,
    /// Whether the puzzle of some row can be read.
    holds_grids: bool,
    /// Which columns are read.
    chosen: Chosen,
    /// What is said of an input whose claimed solutions are wanted and not found, or that has two columns of puzzles.
    note: Option<String>,
}

impl Format for Table {
    fn beside(&self, records: &Records, bytes: &[u8], line: u64, before: u64, tell: Tell<'_>) {
        let header = self.header.as_deref().filter(|_| before == 0);
        let Some((header, (0, first, gap))) = header.zip(gaps(records, bytes, line).next()) else { return };
        let lines = (first..).zip(gap.split(|&byte| byte == b'\n'));
        let mut above = lines.take_while(|(_, text)| without_line_end(text) != header);
        if let Some((line, text)) = above.find(|(_, text)| !is_remark(text.trim_ascii(), 1)) {
            tell(ABOVE, line, text.trim_ascii());
        }
    }

    fn table(&self, sample: &Sample<'_>) -> Option<TableLook> {
        let mut cursor = Cursor::START;
        let mut rest = sample.bytes;
        let mut header = Vec::new();
        while self.has_header && cursor.phase == Phase::Start {
            let (Step::Skip { length, .. } | Step::Record { length, .. }) =
                self.step(&mut cursor, rest, sample.end())
            else {
                break;
            };
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
            Some(b'\\') => {
                let Some(length) = line_length(rest, end) else { return Step::Incomplete };
                if without_line_end(&rest[..length]) == END_OF_COPY {
                    cursor.phase = Phase::Closed;
                    return Step::Skip { length, lines: 1 };
                }
            }
            Some(b'|' | b'+' | b'-' | b'(') if self.separator == b'|' => {
                let Some(length) = line_length(rest, end) else { return Step::Incomplete };
                if is_border(&rest[..length]) {
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
        let is_above = |row| self.header.as_ref().is_some_and(|header| without_line_end(row) != header);
        if cursor.phase == Phase::Start && is_above(&rest[..length]) {
            // A grid is no title.
            let Some(grid) = self.grid_above(rest, end) else { return Step::Incomplete };
            return match grid {
                0 => Step::Skip { length, lines },
                grid => {
                    Step::Record { length: grid, lines: memchr_iter(b'\n', &rest[..grid]).count() as u64 }
                }
            };
        }
        let may_be_row = |line| has_long_run(line) || cells::holds_row(line);
        if cursor.phase == Phase::Closed && !may_be_row(&rest[..length]) {
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
        let claim = self.chosen.claim.as_ref().filter(|_| want.claims);
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
        self.cell_place(&self.chosen.puzzle, line, text, cell)
    }

    fn claim_text(&self, text: &[u8]) -> Option<Vec<u8>> {
        self.field_of_claim(self.chosen.claim.as_ref()?, text, &mut Unquoter::new(self.separator))
            .map(Cow::into_owned)
    }

    fn claim_place(&self, line: u64, text: &[u8], cell: usize) -> Place {
        match &self.chosen.claim {
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
            puzzle: Some(self.chosen.puzzle.columns()),
            claim: self.chosen.claim.map(Cells::columns),
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
        self.chosen.kind.is_some() && cursor.phase != Phase::Start
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
            header: None,
            in_quotes: false,
            is_mangled: false,
            holds_grids: false,
            chosen: Chosen { puzzle: Cells::Column(0), claim: None, kind: None, lost_zeros: false },
            note: None,
        }
    }

    /// Bytes of the lines at the start that hold a grid above the header: its rows, or all other lines up to a blank
    /// one; 0 if there is none, and `None` if that depends on bytes that are not there yet.
    #[cold]
    fn grid_above(&self, rest: &[u8], end: TextEnd) -> Option<usize> {
        let rows = rows_length(rest, end == TextEnd::Last)?;
        if rows > 0 {
            return Some(rows);
        }
        let mut length = 0;
        while length <= MAX_LINE && length < rest.len() {
            let line = &rest[length..length + line_length(&rest[length..], end)?];
            let is_header = self.header.as_deref() == Some(without_line_end(line));
            if is_header || line.trim_ascii().is_empty() || rows_length(line, true) != Some(0) {
                break;
            }
            length += line.len();
        }
        if length == rest.len() && end == TextEnd::More {
            return None;
        }
        let above = &rest[..length];
        let is_grid = cells::may_hold_puzzle(above) || are_rows_with_gaps(above) || are_rows_of_signs(above);
        Some(if is_grid { length } else { 0 })
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
    fn cell_place(&self, cells: &Cells, line: u64, text: &[u8], cell: usize) -> Place {
        let row = without_line_end(text);
        let at = self.fields_of(row, &mut Unquoter::new(self.separator)).ok().and_then(|fields| {
            let (column, index) = match cells {
                Cells::Column(column) => {
                    let field = fields.get(*column)?;
                    let number = Some(field.trim_ascii()).filter(|_| self.chosen.lost_zeros);
                    let at = match number.filter(|number| lost_zeros::with_zeros(number).is_some()) {
                        Some(number) => leading_blanks(field) + (cell + number.len()).saturating_sub(CELLS),
                        None => field::offset_of_cell(field, cell),
                    };
                    (*column, at)
                }
                Cells::Each(first, order) => {
                    let column = first + usize::from(order[cell]);
                    (column, leading_blanks(fields.get(column)?))
                }
            };
            Some(self.offset_of(row, column, index))
        });
        place_in(line, text, at.unwrap_or(0))
    }

    /// What stands where the claimed solution should; of 81 columns what is between the first and the last.
    fn field_of_claim<'a>(
        &self,
        claim: &Cells,
        text: &'a [u8],
        unquoter: &mut Unquoter,
    ) -> Option<Cow<'a, [u8]>> {
        let row = without_line_end(text);
        match claim {
            Cells::Column(column) if memchr(b'"', row).is_none() => {
                plain_field(row, self.separator, *column).map(Cow::Borrowed)
            }
            Cells::Column(column) => {
                self.fields_of(row, unquoter).ok()?.get(*column).map(|field| Cow::Owned(field.to_vec()))
            }
            Cells::Each(first, order) => {
                let fields = self.fields_of(row, unquoter).ok()?;
                let cells: Vec<&[u8]> = cells_in(&fields, *first, order).map(<[u8]>::trim_ascii).collect();
                let digit = |cell: &&[u8]| Some(b'0' + field::cell(cell).filter(|_| !cell.is_empty())?);
                let digits: Option<Vec<u8>> = cells.iter().map(digit).collect();
                Some(Cow::Owned(digits.unwrap_or_else(|| cells.concat())))
            }
        }
    }

    /// The claimed solution of a row whose puzzle can be read; `None` if nothing stands there.
    fn read_claim(
        &self,
        claim: &Cells,
        line: u64,
        text: &[u8],
        unquoter: &mut Unquoter,
    ) -> Option<Result<Grid, Fault>> {
        let field = self.field_of_claim(claim, text, unquoter)?;
        let claimed = field.trim_ascii();
        if matches!(claimed, [] | NULL_OF_COPY)
            || cells::is_null(claimed)
            || matches!(claim, Cells::Each(..)) && claimed.iter().all(|&byte| byte == b'0')
        {
            return None;
        }
        Some(field::grid(&field, &cells::CLAIM).map_err(|(at, fault)| {
            let row = without_line_end(text);
            let at = match claim {
                Cells::Column(column) => self.offset_of(row, *column, at),
                Cells::Each(first, _) => self.offset_of(row, *first, 0),
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
        if let Cells::Column(puzzle) = self.chosen.puzzle
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
                    .chosen
                    .kind
                    .is_some_and(|kind| is_case(plain_field(row, self.separator, kind).unwrap_or_default()))
                && let Some(cells) = row[start..end].trim_ascii().as_array::<CELLS>()
                && (self.chosen.claim.is_none() || !is_complete(cells))
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
        if !fields.are_whole(self.columns) {
            let at = self.offset_of(row, self.columns, 0);
            return Err((at, fault(FaultKind::FieldCount).number(fields.len()).number(self.columns)));
        }
        if let Some(kind) = self.chosen.kind
            && fields.get(kind).is_some_and(is_case)
        {
            return Err((self.offset_of(row, kind, 0), fault(FaultKind::CaseInResults)));
        }
        match self.chosen.puzzle {
            Cells::Column(column) => {
                let field = fields.get(column).unwrap_or_default();
                let fault = |(at, fault)| (self.offset_of(row, column, at), fault);
                let grid = self.read_field(field).map_err(fault)?;
                match self.is_swapped(&grid, &fields) {
                    true => Err(fault((leading_blanks(field), Fault::new(FaultKind::SwappedColumns, None)))),
                    false => Ok(grid),
                }
            }
            Cells::Each(first, ref order) => {
                field::grid_of_cells(cells_in(&fields, first, order)).map_err(|(cell, at, fault)| {
                    (self.offset_of(row, first + usize::from(order[cell]), at), fault)
                })
            }
        }
    }

    /// Whether a grid in the column of the puzzles is the solution of one in the column of the claims, which is no solution
    /// that lost some cells, and does not agree by chance.
    fn is_swapped(&self, grid: &Grid, fields: &Fields) -> bool {
        const CLUES: Range<usize> = cells::FEWEST_CLUES..CELLS - SIDE;
        let Some(Cells::Column(claim)) = self.chosen.claim.filter(|_| grid.clues() as usize == CELLS) else {
            return false;
        };
        let claim = fields.get(claim).and_then(|field| field::grid(field, &cells::CLAIM).ok());
        let is_it =
            |puzzle: &Grid| CLUES.contains(&(puzzle.clues() as usize)) && cells::is_solution_of(puzzle, grid);
        claim.as_ref().is_some_and(is_it)
    }

    /// The puzzle in a field, or what a spreadsheet has made of it.
    fn read_field(&self, field: &[u8]) -> Result<Grid, (usize, Fault)> {
        if self.chosen.lost_zeros
            && let Some(grid) = lost_zeros::with_zeros(field.trim_ascii())
        {
            return Ok(grid);
        }
        field::grid(field, &cells::PUZZLE).map_err(|(at, fault)| {
            let text = field.trim_ascii();
            if is_scientific(text) {
                let number = String::from_utf8_lossy(text).into_owned();
                return (leading_blanks(field), Fault::new(FaultKind::MangledPuzzle, None).text(number));
            }
            (at, fault)
        })
    }
}

/// Whether cells have no blank; nearly all puzzles have one in a corner.
#[inline]
fn is_complete(cells: &[u8; CELLS]) -> bool {
    let is_clue = |byte: &u8| matches!(byte, b'1'..=b'9');
    is_clue(&cells[0]) && is_clue(&cells[SIDE - 1]) && is_clue(&cells[CELLS - 1]) && cells.iter().all(is_clue)
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

/// Whether a line is a border between the rows of a table, as Markdown and databases draw it, or the count below them.
fn is_border(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let is_drawn = line.iter().all(|byte| b"|+-=: \t".contains(byte));
    is_drawn && memchr::memmem::find(line, b"--").is_some() || counts_rows(line)
}

/// Whether most of nine lines are rows of a grid that have nothing between their separators for a blank.
fn are_rows_with_gaps(text: &[u8]) -> bool {
    let is_cell = |field: &[u8]| matches!(field.trim_ascii(), [] | [b'1'..=b'9']);
    let is_row = |line: &&[u8]| {
        SEPARATORS.into_iter().any(|separator| {
            let fields = || without_line_end(line).split(|&byte| byte == separator);
            fields().count() == SIDE && fields().all(is_cell)
        })
    };
    2 * text.split_inclusive(|&byte| byte == b'\n').filter(is_row).count() > SIDE
}

/// Whether nine lines without letters have as many digits as a puzzle has, whatever stands for its blanks.
fn are_rows_of_signs(text: &[u8]) -> bool {
    const CLUES: RangeInclusive<usize> = cells::FEWEST_CLUES..=CELLS;
    let is_row = |line: &&str| {
        let count = line.chars().count();
        (1..=3 * SIDE).contains(&count) && !line.contains(char::is_alphabetic)
    };
    let Ok(text) = str::from_utf8(text) else { return false };
    let rows = text.lines().take_while(is_row);
    let digits = |line: &str| line.chars().filter(|sign| sign.is_numeric()).count();
    let (count, found) = rows.map(digits).fold((0, 0), |(count, found), digits| (count + 1, found + digits));
    count == SIDE && CLUES.contains(&found)
}

/// Whether the column `kind` of results names a Sudominoku case.
pub(super) fn is_case(kind: &[u8]) -> bool {
    kind.eq_ignore_ascii_case(PuzzleKind::Sudominoku.as_str().as_bytes())
}

#[cfg(test)]
mod tests;
