//! Which table the start of an input shows: its separator, its header, its columns.

use memchr::memchr2;

use super::{SEPARATORS, Table, stated_separator};
use crate::input::InputError;
use crate::input::batch::{Cursor, Format, Step, without_line_end};
use crate::input::cells;
use crate::input::chosen::{Asked, Cells, Chosen, FirstRows, ROWS_LOOKED_AT};
use crate::input::family::Sample;
use crate::input::field::find_spread;
use crate::input::fields::{Fields, Unquoter};
use crate::input::row::has_long_run;
use crate::sudoku::CELLS;

/// Longest field that can be the name of a column.
const LONGEST_NAME: usize = 64;

/// A table that a sample shows.
pub(super) struct Found {
    pub table: Table,
    /// How many cells of it can be read; `u64::MAX` if the header leaves no doubt.
    pub evidence: u64,
    /// Its first rows, with the header.
    rows: Vec<Fields>,
}

impl Found {
    /// The table once its other columns were looked at, too.
    pub fn checked(&self, sample: &Sample<'_>) -> Result<Table, InputError> {
        let table = &self.table;
        if table.is_mangled {
            return Err(InputError::MangledPuzzles { name: sample.name.to_owned() });
        }
        let first = first_rows(&self.rows, table.has_header, table.columns);
        let numbers = || (1..=table.columns).map(|number| number.to_string()).collect();
        let names = if table.has_header { table.names.clone() } else { numbers() };
        let note = first.note(sample.name, &names, sample.asked(), &table.chosen)?;
        Ok(Table { note, ..table.clone() })
    }
}

/// The table of which most cells can be read.
pub(super) fn find_table(sample: &Sample<'_>) -> Option<Found> {
    let separators = separators(sample).into_iter().rev();
    let tables = separators.filter_map(|separator| table_with(sample, separator));
    tables.max_by_key(|found| (found.evidence, found.table.holds_grids, found.table.columns))
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

/// The table that a header or the rows show.
fn table_with(sample: &Sample<'_>, separator: u8) -> Option<Found> {
    let rows = rows_of(sample, separator);
    let plain = table_of(sample.asked(), separator, &rows);
    let titles = titles_above(sample, separator, &rows);
    // Only if there is nothing else: a field may hold a list with the same separator.
    if !plain.as_ref().is_some_and(|(table, _)| table.holds_grids)
        && let Some(rows) = rows_in_quotes(&rows, separator)
        && let Some((table, evidence)) = table_of(sample.asked(), separator, &rows)
    {
        return Some(Found { table: Table { in_quotes: true, ..table }, evidence, rows });
    }
    let is_named = plain.as_ref().is_some_and(|(table, evidence)| table.holds_grids && *evidence == u64::MAX);
    let below = if titles > 0 { rows_from(sample, separator, titles) } else { rows.clone() };
    if !is_named && let Some((above, table)) = below_others(sample.asked(), separator, &below) {
        let rows = below[above..].to_vec();
        let header = rows_with_text(sample, separator).nth(titles + above).map(|(text, _)| text.to_vec());
        return Some(Found { table: Table { header, ..table }, evidence: u64::MAX, rows });
    }
    let prose = if is_named { None } else { below_prose(sample.asked(), separator, &below) };
    let (above, rows, (mut table, mut evidence)) = match prose {
        Some((lines, found)) => (titles + lines, below[lines..].to_vec(), found),
        None => (0, rows, plain?),
    };
    if above > 0 {
        table.header = rows_with_text(sample, separator).nth(above).map(|(text, _)| text.to_vec());
    }
    let is_each = matches!(table.chosen.puzzle, Cells::Each(..));
    if rows.len() == ROWS_LOOKED_AT && (2..u64::MAX).contains(&evidence) && (table.has_header || is_each) {
        // The families of lines count all lines of the sample.
        let all: Vec<_> = rows_with_text(sample, separator).skip(above).map(|(_, fields)| fields).collect();
        evidence = evidence.max(evidence_in(&all, &table));
    }
    Some(Found { table, evidence, rows })
}

/// The table that some rows are, and what speaks for it.
fn table_of(asked: Asked<'_>, separator: u8, rows: &[Fields]) -> Option<(Table, u64)> {
    let (table, evidence) = by_name(asked, separator, rows)
        .map(|table| (table, u64::MAX))
        .or_else(|| by_content(asked, separator, rows))?;
    // The family of lines knows what else stands on lines of source code, and where.
    let is_source = asked.puzzle.is_none() && are_source(&rows[usize::from(table.has_header)..]);
    Some((table, if is_source { evidence.min(1) } else { evidence }))
}

/// Whether most rows open a bracket in their first field that closes in another one, as tuples do in source code and SQL.
fn are_source(rows: &[Fields]) -> bool {
    let count = |field: &[u8], brackets: &[u8]| field.iter().filter(|byte| brackets.contains(byte)).count();
    let is_open = |field: &[u8]| count(field, b"([{") > count(field, b")]}");
    let closes = |field: &[u8]| count(field, b"([{") < count(field, b")]}");
    let is_tuple = |row: &&Fields| row.get(0).is_some_and(is_open) && row.iter().skip(1).any(closes);
    let open = rows.iter().filter(is_tuple).count();
    2 * open > rows.len()
}

/// The table whose header is not the first row: what stands above it are titles or statements. And how many rows those
/// are.
fn below_others(asked: Asked<'_>, separator: u8, rows: &[Fields]) -> Option<(usize, Table)> {
    let heads = rows.iter().take_while(|row| !row.iter().any(has_long_run)).count();
    let table = |above: usize| by_name(asked, separator, &rows[above..]).map(|table| (above, table));
    (1..heads).filter_map(table).find(|(_, table)| table.columns > 1 && table.holds_grids)
}

/// The table below prose with commas, which may have a header; how many rows of prose those are, and what speaks for it.
/// One row with as many fields as the table has is rather its header.
fn below_prose(asked: Asked<'_>, separator: u8, rows: &[Fields]) -> Option<(usize, (Table, u64))> {
    let heads = rows.iter().take_while(|row| !row.iter().any(has_long_run)).count();
    let columns = usual_length(&rows[heads..]);
    let ends_sentence = |field: &[u8]| matches!(field.trim_ascii(), [.., b'.' | b'!' | b'?' | b':']);
    let has_words = |field: &[u8]| field.trim_ascii().iter().filter(|&&byte| byte == b' ').count() > 1;
    let is_sentence = |row: &Fields| row.iter().any(|field| ends_sentence(field) || has_words(field));
    let is_prose = |row: &&Fields| is_header(row) && (row.len() != columns || is_sentence(row));
    let lines = rows[..heads].iter().take_while(is_prose).count();
    let is_below = lines > 1 || lines == 1 && rows[0].len() != columns;
    let table = || table_of(asked, separator, &rows[lines..]).filter(|(table, _)| table.holds_grids);
    if is_below && columns > 1 { Some((lines, table()?)) } else { None }
}

/// The rows without the header, and its names.
fn first_rows(rows: &[Fields], has_header: bool, columns: usize) -> FirstRows<'_> {
    let (header, behind) = rows.split_at(usize::from(has_header).min(rows.len()));
    FirstRows::new(header.iter().flat_map(Fields::iter), columns, behind)
}

/// The table whose first row names the column of the puzzles.
fn by_name(asked: Asked<'_>, separator: u8, rows: &[Fields]) -> Option<Table> {
    let columns = rows.first()?.len();
    let first = first_rows(rows, true, columns);
    // Lines with their solutions below them are no table.
    if columns == 1 && rows[1..].iter().any(is_name_of_solutions) {
        return None;
    }
    let puzzle = match asked.puzzle {
        Some(wanted) => first.named(wanted),
        None => first.puzzle_by_name(),
    }?;
    let chosen = first.chosen(asked, Cells::Column(puzzle));
    let columns = without_surplus(rows, columns).max(puzzle + 1);
    Some(table(separator, columns, rows, true, chosen))
}

/// The table whose rows hold puzzles in some column, or in the one with the number that is asked for, and what speaks
/// for it.
fn by_content(asked: Asked<'_>, separator: u8, rows: &[Fields]) -> Option<(Table, u64)> {
    let header = rows.first()?;
    let columns = without_surplus(rows, usual_length(rows));
    let below = || first_rows(rows, true, columns);
    // Whoever asks for a column by its number may have a header beside whose names there are numbers.
    let is_named = || asked.puzzle.is_some() && below().puzzle_by_name().is_some();
    let are_names = || is_header(header) || counts_up(header) || below().name_cells() || is_named();
    let has_header = header.are_whole(columns) && are_names();
    let first = first_rows(rows, has_header, columns);
    let beside = || first.beside_complete().map(|column| (Cells::Column(column), 0));
    let (puzzle, count) = match asked.puzzle {
        Some(wanted) => first.in_column(first.asked_for(wanted)?),
        None if !has_header && are_lists(rows, columns) => return None,
        None => first.puzzle_by_content().or_else(beside)?,
    };
    let chosen = first.chosen(asked, puzzle);
    let is_meant = asked.puzzle.is_some() || asked.claim.is_some() && chosen.claim.is_some();
    let evidence = match columns {
        // Nor are solutions to be taken for the puzzles beside them, which cannot be read.
        2.. if is_meant || count == 0 => u64::MAX,
        _ => evidence_of(count, rows, columns, has_header, puzzle),
    };
    Some((table(separator, columns, rows, has_header, chosen), evidence))
}

/// What speaks for puzzles in so many rows: one more than a line format could claim, if there is a header that would be a
/// bad line to it.
fn evidence_of(count: usize, rows: &[Fields], columns: usize, has_header: bool, puzzle: Cells) -> u64 {
    count as u64 * weight(rows, columns, puzzle) + u64::from(has_header && columns > 1)
}

/// What speaks for a table among all rows of a sample.
fn evidence_in(rows: &[Fields], table: &Table) -> u64 {
    let (columns, puzzle) = (table.columns, table.chosen.puzzle);
    let count = first_rows(rows, table.has_header, columns).puzzles_in(puzzle);
    evidence_of(count, rows, columns, table.has_header, puzzle)
}

/// Whether rows are puzzles one behind the other, none of which is more than the others.
fn are_lists(rows: &[Fields], columns: usize) -> bool {
    let is_open = |field: &[u8]| has_long_run(field) && memchr2(b'.', b'0', field).is_some();
    let all_open = |column: &usize| rows.iter().all(|row| row.get(*column).is_some_and(is_open));
    columns > 2 && (0..columns).filter(all_open).nth(2).is_some()
}

/// What a puzzle of a table counts against one that another family reads.
fn weight(rows: &[Fields], columns: usize, puzzle: Cells) -> u64 {
    // Lines of a grid within quotes are no grid of their own, nor are those of its solution.
    let is_in_lines = |field: &[u8]| {
        find_spread(field).is_some_and(|found| field[found.places[0] as usize..found.end].contains(&b'\n'))
    };
    let weight = match columns {
        _ if rows.iter().filter_map(|row| row.get(puzzle.first())).any(is_in_lines) => 4 * CELLS,
        // One column is a list of lines, whose family knows more ways.
        1 => CELLS / 2,
        _ => CELLS,
    };
    weight as u64
}

/// A table with such columns.
fn table(separator: u8, columns: usize, rows: &[Fields], has_header: bool, chosen: Chosen) -> Table {
    let first = first_rows(rows, has_header, columns);
    let column = match chosen.puzzle {
        Cells::Column(column) => Some(column),
        Cells::Each(..) => None,
    };
    Table {
        separator,
        columns,
        names: names_of_columns(rows.first().filter(|_| has_header), columns),
        has_header,
        header: None,
        in_quotes: false,
        is_mangled: column.is_some_and(|column| first.all_mangled(column)),
        holds_grids: first.holds_grids(chosen.puzzle),
        chosen,
        note: None,
    }
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

/// The first rows of a sample.
fn rows_of(sample: &Sample<'_>, separator: u8) -> Vec<Fields> {
    rows_from(sample, separator, 0)
}

/// The first rows of a sample behind so many.
fn rows_from(sample: &Sample<'_>, separator: u8, start: usize) -> Vec<Fields> {
    rows_with_text(sample, separator).map(|(_, fields)| fields).skip(start).take(ROWS_LOOKED_AT).collect()
}

/// Rows above those near the first with cells, where that is not among the first rows.
fn titles_above(sample: &Sample<'_>, separator: u8, rows: &[Fields]) -> usize {
    /// Rows that can stand between a header and the first row with cells, the header among them.
    const NEAR: usize = 16;
    let has_cells = |row: &Fields| row.iter().any(has_long_run);
    if rows.len() < ROWS_LOOKED_AT || rows.iter().any(has_cells) || !has_long_run(sample.bytes) {
        return 0;
    }
    let first = rows_with_text(sample, separator).position(|(_, row)| has_cells(&row));
    first.map_or(0, |first| first.saturating_sub(NEAR))
}

/// The rows of a sample as they stand there, and their fields.
fn rows_with_text<'a>(
    sample: &Sample<'a>,
    separator: u8,
) -> impl Iterator<Item = (&'a [u8], Fields)> + use<'a> {
    // Only the separator matters to the cutting; one column makes all of `#` comments.
    let table = Table::of_one_column(separator);
    let mut unquoter = Unquoter::new(separator);
    let mut cursor = Cursor::START;
    let (mut rest, end) = (sample.bytes, sample.end());
    std::iter::from_fn(move || {
        loop {
            let (length, is_row) = match table.step(&mut cursor, rest, end) {
                Step::Skip { length, .. } => (length, false),
                Step::Record { length, .. } => (length, true),
                Step::Incomplete => return None,
            };
            let row = without_line_end(&rest[..length]);
            rest = &rest[length..];
            let names = || copied_columns(row).filter(|_| separator == b'\t');
            if is_row && let Some(fields) = names().or_else(|| unquoter.fields(row).ok()) {
                return Some((row, fields));
            }
        }
    })
}

/// The columns of the rows below, as a dump of `PostgreSQL` names them: `COPY puzzles (id, puzzle) FROM stdin;`.
fn copied_columns(row: &[u8]) -> Option<Fields> {
    let row = str::from_utf8(row).ok()?.strip_prefix("COPY ")?;
    let (names, behind) = row.split_once('(')?.1.split_once(')')?;
    let is_copy = behind.trim_start().to_lowercase().starts_with("from stdin");
    is_copy.then(|| Unquoter::new(b',').fields(names.replace(", ", ",").as_bytes()).ok()).flatten()
}

/// The rows of a table of which most stand in quotes as a whole, without these; `None` if most do not.
fn rows_in_quotes(rows: &[Fields], separator: u8) -> Option<Vec<Fields>> {
    let mut unquoter = Unquoter::new(separator);
    let inner = |row: &Fields| {
        let field = row.get(0).filter(|field| row.len() == 1 && field.contains(&separator))?;
        unquoter.fields(field).ok()
    };
    let inner: Vec<_> = rows.iter().map(inner).collect();
    let in_quotes = inner.iter().flatten().count();
    let rows = rows.iter().zip(inner).map(|(row, inner)| inner.unwrap_or_else(|| row.clone()));
    (2 * in_quotes > rows.len()).then(|| rows.collect())
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

/// Whether a row of one field is what solutions are called.
fn is_name_of_solutions(row: &Fields) -> bool {
    row.len() == 1
        && row.get(0).is_some_and(|field| field.len() <= LONGEST_NAME && cells::says_solution(field))
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

/// Columns of a table but for a last one in which there is nothing: it is what rows end with, unless it can be the last
/// cell of a grid of a cell a column.
fn without_surplus(rows: &[Fields], columns: usize) -> usize {
    if columns >= CELLS && rows.first().is_some_and(|first| first.len() == columns) {
        return columns;
    }
    let last = columns.saturating_sub(1);
    let is_empty = |row: &Fields| row.get(last).is_some_and(|field| field.trim_ascii().is_empty());
    let mut whole = rows.iter().filter(|row| row.len() == columns).peekable();
    if last > 0 && whole.peek().is_some() && whole.all(is_empty) { last } else { columns }
}

/// The error for what is a table beyond doubt, but shows no column of puzzles.
pub(in crate::input) fn no_puzzle_column(sample: &Sample<'_>) -> Option<InputError> {
    plain_table(sample).map(|rows| no_column(sample, &rows))
}

/// The error for what is a table beyond doubt, but has no such column as was said to hold the solutions.
pub(in crate::input) fn no_solution_column(sample: &Sample<'_>) -> Option<InputError> {
    let columns = column_names(&plain_table(sample)?);
    let (name, wanted) = (sample.name.to_owned(), sample.solution_column?.to_owned());
    Some(InputError::NoSolutionColumn { name, columns, wanted })
}

/// The error for what has no puzzles, but a column of what a spreadsheet makes of them.
pub(in crate::input) fn mangled_column(sample: &Sample<'_>) -> Option<InputError> {
    is_mangled(&rows_of(sample, best_separator(sample)))
        .then(|| InputError::MangledPuzzles { name: sample.name.to_owned() })
}

/// The error for a table that shows no column of puzzles.
pub(super) fn no_columns(sample: &Sample<'_>) -> InputError {
    no_column(sample, &rows_of(sample, best_separator(sample)))
}

/// The rows of what is a table beyond doubt.
fn plain_table(sample: &Sample<'_>) -> Option<Vec<Fields>> {
    let rows = rows_of(sample, best_separator(sample));
    let columns = rows.first()?.len();
    let is_table =
        without_surplus(&rows, columns) > 1 && rows.len() > 1 && rows.iter().all(|row| row.len() == columns);
    is_table.then_some(rows)
}

fn no_column(sample: &Sample<'_>, rows: &[Fields]) -> InputError {
    let name = sample.name.to_owned();
    if is_mangled(rows) {
        return InputError::MangledPuzzles { name };
    }
    let wanted = sample.puzzle_column.map(str::to_owned);
    InputError::NoPuzzleColumn { name, columns: column_names(rows), wanted }
}

/// Whether a spreadsheet took the puzzles of these rows for numbers.
fn is_mangled(rows: &[Fields]) -> bool {
    first_rows(rows, rows.first().is_some_and(is_header), usual_length(rows)).is_mangled()
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
