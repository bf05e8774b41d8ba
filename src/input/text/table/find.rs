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
        let plain = || Ok(super::plain(separators[0]));
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
        match self.table_of(&self.rows(false)) {
            Some(Ok(table)) => Some(Ok(table)),
            plain => self.table_of(&self.rows(true)).or(plain),
        }
    }

    /// The first rows of the sample, as many as may hold the header and some more. Those that stand in quotes as a whole
    /// may be split within: the header need not stand so, too.
    fn rows(&self, within_quotes: bool) -> Vec<SampleRow<'_>> {
        let (mut splitter, mut inner) = (Splitter::new(self.separator), Splitter::new(self.separator));
        let (mut rows, mut rest, mut before) = (Vec::new(), self.sample.bytes, 0);
        let end = if self.sample.is_whole { TextEnd::Last } else { TextEnd::More };
        while rows.len() < HEADER_WITHIN + ROWS_LOOKED_AT
            && let Some(row) = splitter.split(rest, end)
        {
            let (text, behind) = rest.split_at(row.length);
            let mut fields = match row.unclosed {
                Some(_) => vec![text.to_vec()],
                None => splitter.texts(text),
            };
            if let [field] = fields.as_slice()
                && within_quotes
                && text.starts_with(b"\"")
                && inner.split(field, TextEnd::Last).is_some()
            {
                fields = inner.texts(field);
            }
            let lines = usize::try_from(row.lines).unwrap_or(usize::MAX);
            if !super::is_silent(text, self.separator) && stated_separator(text).is_none() {
                rows.push(SampleRow { before, lines, text, fields });
            }
            rest = behind;
            before += lines;
        }
        rows
    }

    /// The table that some rows are.
    fn table_of(&self, rows: &[SampleRow<'_>]) -> Option<Result<Found, InputError>> {
        let notation = Notation { blank: self.told.blank.or_else(|| odd_blank(rows)) };
        let data = rows.iter().position(|row| has_grid(row, notation)).unwrap_or(rows.len());
        let behind = if data < rows.len() { &rows[data..] } else { rows };
        let width = usual_width(behind);
        let is_such = |row: &&SampleRow<'_>| row.fields.len() == width;
        let is_empty_at = |row: &SampleRow<'_>, at: usize| {
            row.fields.get(at).is_none_or(|field| field.trim_ascii().is_empty())
        };
        let is_last_empty = width > 1 && behind.iter().filter(is_such).all(|row| is_empty_at(row, width - 1));
        let fits = |row: &&SampleRow<'_>| {
            row.fields.len() == width || is_last_empty && row.fields.len() + 1 == width
        };
        let header = match self.told.above {
            Some(above) => rows.iter().filter(fits).find(|row| row.before + row.lines == above),
            None => header_of(&rows[..data], fits),
        };
        let is_surplus = is_last_empty && header.is_some_and(|header| is_empty_at(header, width - 1));
        let columns = width - usize::from(is_surplus);
        let above = self.told.above.unwrap_or_else(|| match header {
            Some(header) => header.before + header.lines,
            // What has a grid is no title.
            None => rows[..data].iter().find(is_such).or(rows.get(data)).map_or(0, |row| row.before),
        });
        let is_regular =
            columns > 1 && (behind.len() > 1 || header.is_some()) && behind.iter().all(|row| is_such(&row));
        let rows: Vec<_> = rows.iter().filter(|row| row.before >= above && is_such(row)).collect();
        let is_named = header.is_some_and(|header| says_puzzles(&header.fields));
        let is_such_a_table = is_named || self.is_told && (header.is_some() || !rows.is_empty());
        if (columns < 2 || rows.is_empty()) && !is_such_a_table {
            return None;
        }
        let ReadOptions { puzzle_column, solution_column, .. } = self.sample.options;
        let is_asked = puzzle_column.is_some() || solution_column.is_some();
        let table = Table {
            columns,
            names: names_of(header, columns),
            above,
            header: header.map(|header| header.text.to_vec()).unwrap_or_default(),
            is_named: (is_named || is_asked) && columns > 1,
            notation,
            ..Table::of_one_column(self.separator)
        };
        // What is no table beyond doubt need not have a column of puzzles.
        Some(self.chosen(&rows, table))
            .filter(|found| found.is_ok() || is_regular || is_named || self.is_told)
    }

    /// A table with the columns that its first rows show.
    fn chosen(&self, rows: &[&SampleRow<'_>], table: Table) -> Result<Found, InputError> {
        let rows = &rows[..rows.len().min(ROWS_LOOKED_AT)];
        let look = |column: usize| {
            let mut look = ColumnLook::default();
            for row in rows {
                look.add_text(&row.fields[column], table.notation);
            }
            look
        };
        let looks: Vec<_> = (0..table.columns).map(look).collect();
        let options = ReadOptions { format: Some(self.told.clone()), ..self.sample.options.clone() };
        let chosen = choose(self.sample.name, &table.names, &options, &looks)?;
        let first = chosen.puzzle.start;
        let lost_zeros = self.told.zeros.unwrap_or_else(|| {
            chosen.puzzle.len() == 1
                && lost_zeros::have_lost_zeros(rows.iter().map(|row| &*row.fields[first]))
        });
        let kind = table.names.iter().position(|name| name == "kind").filter(|_| are_results(&table.names));
        let puzzles = if chosen.puzzle.len() == 1 { looks[first].grids } else { rows.len() };
        Ok(Found { table: Table { chosen, kind, lost_zeros, ..table }, puzzles })
    }
}

/// The header among the rows above the first grid: the first such row that names puzzles, or else that has names.
fn header_of<'a>(
    rows: &'a [SampleRow<'a>],
    fits: impl Fn(&&SampleRow<'_>) -> bool,
) -> Option<&'a SampleRow<'a>> {
    let above = || rows.iter().take_while(|row| row.before < HEADER_WITHIN).filter(&fits);
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

/// The names of so many columns; their numbers if there is no header.
fn names_of(header: Option<&SampleRow<'_>>, columns: usize) -> Vec<String> {
    let Some(header) = header else { return (1..=columns).map(|number| number.to_string()).collect() };
    let mut names = shown(&header.fields);
    names.resize(columns, String::new());
    let is_empty = |(_, name): &(usize, &mut String)| name.is_empty();
    names.iter_mut().enumerate().filter(is_empty).for_each(|(at, name)| *name = format!("column_{}", at + 1));
    names
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
    let fields =
        rows.iter().flat_map(|row| &row.fields).filter_map(|field| str::from_utf8(field.trim_ascii()).ok());
    let is_odd = |sign: &char| u8::try_from(*sign).ok().and_then(digit_of).is_none();
    // The one such sign of a puzzle, or that it has none.
    let odd_sign = |text: &str| {
        let mut signs: Vec<char> = text.chars().filter(is_odd).collect();
        signs.dedup();
        match signs[..] {
            [] => text.contains(|sign| !matches!(sign, '1'..='9')).then_some(None),
            [sign] => Some(Some(sign)),
            _ => None,
        }
    };
    let signs: Vec<_> = fields.filter(|text| text.chars().count() == CELLS).filter_map(odd_sign).collect();
    let count = |sign| signs.iter().filter(|&&other| other == sign).count();
    signs.iter().copied().max_by_key(|&sign| (count(sign), sign.is_none())).flatten()
}
