//! Which tables the start of an input can be: separator, header, columns.

use std::sync::Arc;

use super::super::fields::{Splitter, without_line_end};
use super::super::notation::{Miss, Notation};
use super::Table;
use crate::input::names::{
    ColumnLook, ROWS_LOOKED_AT, are_results, choose, grid_cells, is_mangled, meaning, say_places,
};
use crate::input::reader::{Candidates, Sample, TextEnd, TextReader, Which};
use crate::input::{Dialect, Framing, InputError, ReadOptions, lost_zeros};
use crate::sudoku::{CELLS, digit_of};

/// Separators, the likeliest first.
const SEPARATORS: [u8; 4] = *b",;\t|";

/// Lines within which the header stands: titles and remarks above a table have a few.
const HEADER_WITHIN: usize = 20;

/// Tables that are proposed: two separators may cut a text into equal rows, as a list within fields does.
const PROPOSED: usize = 2;

/// A row of a sample.
struct SampleRow<'a> {
    /// Lines before it.
    before: usize,
    /// Its lines.
    lines: usize,
    /// As it stands, line end included.
    text: &'a [u8],
    fields: Vec<Vec<u8>>,
}

/// A table that a sample shows, and in how many of its rows a puzzle can be read.
struct Found {
    table: Table,
    puzzles: usize,
}

/// What is looked for.
struct Search<'a> {
    sample: &'a Sample<'a>,
    told: Dialect,
    /// Whether it was said to be a table.
    is_told: bool,
    separator: u8,
}

/// The tables that a sample may be, the best of the separators first; instead of one, why what is a table beyond doubt
/// cannot be read.
pub(in crate::input) fn candidates(sample: &Sample<'_>, told: Option<&Dialect>) -> Candidates {
    let is_told = told.is_some();
    let told = told.cloned().unwrap_or(Dialect::of(Framing::Csv));
    let stated = sample.lines().next().and_then(stated_separator);
    let told_separator = told.separator.and_then(|separator| u8::try_from(separator).ok());
    let separators: Vec<u8> = match told_separator.or(stated) {
        Some(separator) => vec![separator],
        None => SEPARATORS.into_iter().filter(|separator| sample.bytes.contains(separator)).collect(),
    };
    let separators = if separators.is_empty() { vec![SEPARATORS[0]] } else { separators };
    let search = |separator| Search { sample, told: told.clone(), is_told, separator }.table();
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for result in separators.iter().copied().filter_map(search) {
        match result {
            Ok(table) => found.push(table),
            Err(error) => errors.push(Err(error)),
        }
    }
    if found.is_empty() {
        // Of what was said to be a table each row is a puzzle.
        let plain = || Ok(Arc::new(Table::of_one_column(separators[0])) as Arc<dyn TextReader>);
        errors.truncate(1);
        return if errors.is_empty() && is_told { vec![plain()] } else { errors };
    }
    found.sort_by_key(|found| std::cmp::Reverse((found.puzzles, found.table.is_named, found.table.columns)));
    found.into_iter().take(PROPOSED).map(|found| Ok(Arc::new(found.table) as Arc<dyn TextReader>)).collect()
}

/// The separator that the first line of a file says it has, as spreadsheets write it: `sep=;`.
pub(super) fn stated_separator(line: &[u8]) -> Option<u8> {
    let stated = without_line_end(line);
    match stated.strip_prefix(b"\"").and_then(|inner| inner.strip_suffix(b"\"")).unwrap_or(stated) {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', separator]
            if separator.is_ascii_punctuation() || *separator == b'\t' =>
        {
            Some(*separator)
        }
        _ => None,
    }
}

impl Search<'_> {
    /// The table with this separator; `None` if there is none, an error if there is one that cannot be read.
    fn table(&self) -> Option<Result<Found, InputError>> {
        let rows = self.rows();
        let plain = self.table_of(&rows);
        if matches!(plain, Some(Ok(_))) {
            return plain;
        }
        self.within_quotes(&rows).and_then(|rows| self.table_of(&rows)).or(plain)
    }

    /// The first rows of the sample, as many as may hold the header and some more.
    fn rows(&self) -> Vec<SampleRow<'_>> {
        let mut splitter = Splitter::new(self.separator);
        let (mut rows, mut rest, mut before) = (Vec::new(), self.sample.bytes, 0);
        let end = if self.sample.is_whole { TextEnd::Last } else { TextEnd::More };
        while rows.len() < HEADER_WITHIN + ROWS_LOOKED_AT
            && let Some(row) = splitter.split(rest, end)
        {
            let (text, behind) = rest.split_at(row.length);
            let fields = match row.unclosed {
                Some(_) => vec![text.to_vec()],
                None => splitter.fields().iter().map(|field| field.text(text).into_owned()).collect(),
            };
            let lines = usize::try_from(row.lines).unwrap_or(usize::MAX);
            if !super::is_silent(text, self.separator) && stated_separator(text).is_none() {
                rows.push(SampleRow { before, lines, text, fields });
            }
            rest = behind;
            before += lines;
        }
        rows
    }

    /// The same rows if some stand in quotes as a whole, without these; the header may have none.
    fn within_quotes<'a>(&self, rows: &[SampleRow<'a>]) -> Option<Vec<SampleRow<'a>>> {
        let mut splitter = Splitter::new(self.separator);
        let mut is_one_quoted = false;
        let inner = |row: &SampleRow<'a>| {
            let mut fields = row.fields.clone();
            if let [field] = row.fields.as_slice()
                && row.text.starts_with(b"\"")
                && field.contains(&self.separator)
                && splitter.split(field, TextEnd::Last).is_some()
            {
                is_one_quoted = true;
                fields = splitter.fields().iter().map(|inner| inner.text(field).into_owned()).collect();
            }
            SampleRow { fields, ..*row }
        };
        let rows = rows.iter().map(inner).collect();
        is_one_quoted.then_some(rows)
    }

    /// The table that some rows are.
    fn table_of(&self, rows: &[SampleRow<'_>]) -> Option<Result<Found, InputError>> {
        let notation = Notation { blank: self.told.blank.or_else(|| odd_blank(rows)) };
        let data = rows.iter().position(|row| has_grid(row, notation)).unwrap_or(rows.len());
        let behind = if data < rows.len() { &rows[data..] } else { rows };
        let width = usual_width(behind);
        let is_such = |row: &&SampleRow<'_>| row.fields.len() == width;
        let last_is_empty = || {
            width > 1
                && behind.iter().filter(is_such).all(|row| row.fields[width - 1].trim_ascii().is_empty())
        };
        let fits = |row: &SampleRow<'_>| {
            row.fields.len() == width || row.fields.len() + 1 == width && last_is_empty()
        };
        let header = match self.told.above {
            Some(above) => rows.iter().find(|row| row.before + row.lines == above && fits(row)),
            None => header_of(&rows[..data], fits),
        };
        let surplus = |header: &SampleRow<'_>| {
            last_is_empty() && header.fields.get(width - 1).is_none_or(|name| name.trim_ascii().is_empty())
        };
        let columns = if header.is_some_and(surplus) { width - 1 } else { width };
        let above = self.told.above.unwrap_or_else(|| match header {
            Some(header) => header.before + header.lines,
            None => rows.iter().find(|row| row.fields.len() == width).map_or(0, |row| row.before),
        });
        let is_regular =
            columns > 1 && (behind.len() > 1 || header.is_some()) && behind.iter().all(|row| is_such(&row));
        let rows: Vec<_> = rows.iter().filter(|row| row.before >= above && is_such(row)).collect();
        let is_named = header.is_some_and(|header| says_puzzles(&header.fields));
        if columns < 2 && !is_named && !self.is_told || header.is_none() && rows.is_empty() {
            return None;
        }
        let ReadOptions { puzzle_column, solution_column, .. } = self.sample.options;
        let is_asked = puzzle_column.is_some() || solution_column.is_some();
        let shape =
            Shape { header, columns, above, is_named: (is_named || is_asked) && columns > 1, notation };
        // What is no table beyond doubt need not have a column of puzzles.
        Some(self.chosen(&rows, &shape))
            .filter(|found| found.is_ok() || is_regular || is_named || self.is_told)
    }

    /// The table of such a shape with its columns.
    fn chosen(&self, rows: &[&SampleRow<'_>], shape: &Shape<'_>) -> Result<Found, InputError> {
        let &Shape { header, columns, above, is_named, notation } = shape;
        let names: Vec<_> = (0..columns).map(|column| name_of(header, column)).collect();
        let look = |column: usize| {
            let mut look = ColumnLook::default();
            rows.iter().take(ROWS_LOOKED_AT).for_each(|row| look.add_text(&row.fields[column], notation));
            look
        };
        let looks: Vec<_> = (0..columns).map(look).collect();
        let options = ReadOptions { format: Some(self.told.clone()), ..self.sample.options.clone() };
        let chosen = choose(self.sample.name, &names, &options, &looks)?;
        let first = chosen.puzzle.start;
        let lost_zeros = self.told.zeros.unwrap_or_else(|| {
            let texts = rows.iter().take(ROWS_LOOKED_AT).map(|row| &*row.fields[first]);
            chosen.puzzle.len() == 1 && lost_zeros::have_lost_zeros(texts)
        });
        let kind = names.iter().position(|name| name == "kind").filter(|_| are_results(&names));
        let puzzles = if chosen.puzzle.len() == 1 { looks[first].grids } else { rows.len() };
        let header = header.map(|header| header.text.to_vec()).unwrap_or_default();
        let separator = self.separator;
        let table =
            Table { separator, columns, names, above, header, is_named, chosen, kind, lost_zeros, notation };
        Ok(Found { table, puzzles })
    }
}

/// A table but for its columns.
struct Shape<'a> {
    header: Option<&'a SampleRow<'a>>,
    columns: usize,
    above: usize,
    /// Whether the header, or who asks for a column, says that this is a table of puzzles.
    is_named: bool,
    notation: Notation,
}

/// The header among the rows above the first grid: the first such row that names puzzles, or else that has names.
fn header_of<'a>(
    rows: &'a [SampleRow<'a>],
    fits: impl Fn(&SampleRow<'_>) -> bool,
) -> Option<&'a SampleRow<'a>> {
    let above = || rows.iter().take_while(|row| row.before < HEADER_WITHIN).filter(|row| fits(row));
    let has_names = |row: &&SampleRow<'_>| {
        let has_letter = |field: &Vec<u8>| field.iter().any(u8::is_ascii_alphabetic);
        row.fields.iter().any(has_letter) || say_places(&shown(&row.fields))
    };
    above().find(|row| says_puzzles(&row.fields)).or_else(|| above().find(has_names))
}

/// Whether a header says that there are puzzles below it: in a word alone, or as results do, or by places of 81 cells.
fn says_puzzles(header: &[Vec<u8>]) -> bool {
    let names = shown(header);
    let is_word = |name: &String| name.chars().all(char::is_alphanumeric);
    names.iter().any(|name| is_word(name) && meaning(name) == Some(Which::Puzzle)) || say_places(&names)
}

/// Fields as the names that they are.
fn shown(fields: &[Vec<u8>]) -> Vec<String> {
    fields.iter().map(|field| String::from_utf8_lossy(field.trim_ascii()).into_owned()).collect()
}

/// The name of a column; its number if there is no header.
fn name_of(header: Option<&SampleRow<'_>>, column: usize) -> String {
    let Some(header) = header else { return (column + 1).to_string() };
    let name = header.fields.get(column).map(|name| String::from_utf8_lossy(name.trim_ascii()));
    name.filter(|name| !name.is_empty()).map_or_else(|| format!("column_{}", column + 1), Into::into)
}

/// The number of fields that most rows have.
fn usual_width(rows: &[SampleRow<'_>]) -> usize {
    let widths = || rows.iter().map(|row| row.fields.len());
    widths().max_by_key(|width| (widths().filter(|other| other == width).count(), *width)).unwrap_or(0)
}

/// Whether there is something like a grid in a row, in a field or in 81.
fn has_grid(row: &SampleRow<'_>, notation: Notation) -> bool {
    let is_grid =
        |field: &Vec<u8>| grid_cells(field, notation) != Err(Miss::Other) || is_mangled(field.trim_ascii());
    let is_cell = |field: &&Vec<u8>| field.is_empty() || notation.cells(field, 1).is_ok();
    row.fields.iter().any(is_grid)
        || row.fields.len() >= CELLS && row.fields.iter().filter(is_cell).count() >= CELLS
}

/// The sign besides the usual ones that stands for a blank in more fields of 81 characters than there are puzzles without
/// it, if there is such.
fn odd_blank(rows: &[SampleRow<'_>]) -> Option<char> {
    let (mut signs, mut puzzles) = (Vec::new(), 0);
    for field in rows.iter().flat_map(|row| &row.fields) {
        let Ok(text) = str::from_utf8(field.trim_ascii()) else { continue };
        if text.chars().count() != CELLS {
            continue;
        }
        if let Ok(cells) = Notation::default().cells(text.as_bytes(), CELLS) {
            puzzles += usize::from(cells.values.contains(&0));
            continue;
        }
        let mut odd = text.chars().filter(|&sign| u8::try_from(sign).ok().and_then(digit_of).is_none());
        if let Some(sign) = odd.next()
            && odd.all(|other| other == sign)
        {
            signs.push(sign);
        }
    }
    let count = |sign: char| signs.iter().filter(|&&other| other == sign).count();
    signs.iter().copied().max_by_key(|&sign| count(sign)).filter(|&sign| count(sign) > puzzles)
}
