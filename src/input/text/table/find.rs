//! Finds the tables that the start of an input could be: their separator, header and columns.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::super::fields::{Splitter, without_line_end};
use super::super::notation::{Miss, Notation, SEPARATORS};
use super::Table;
use crate::input::names::{
    Chosen, ROWS_LOOKED_AT, Shows, choose, folded, grid_cells, is_mangled, kind_of_results, meaning,
};
use crate::input::reader::{Candidates, Sample, TextEnd, TextReader};
use crate::input::{Dialect, InputError, ReadOptions, lost_zeros};
use crate::sudoku::{CELLS, digit_of};

/// A row of a sample.
struct SampleRow<'a> {
    /// The lines that the row covers, counted from 0.
    lines: Range<usize>,
    /// The text of the row, including its line end.
    text: &'a [u8],
    fields: Vec<Vec<u8>>,
}

/// A search for a table with a particular separator.
#[derive(Clone, Copy)]
struct Search<'a> {
    sample: &'a Sample<'a>,
    given: Option<&'a Dialect>,
    separator: u8,
}

/// Returns the tables that a sample could be, one per separator. If the sample is certainly a table but cannot be read
/// as one, returns the error.
pub(in crate::input) fn candidates(sample: &Sample<'_>, given: Option<&Dialect>) -> Candidates {
    let stated = sample.lines().next().and_then(stated_separator);
    let separator = given.and_then(|given| u8::try_from(given.separator?).ok()).or(stated);
    let is_there = |separator: &u8| sample.bytes.contains(separator);
    let mut separators: Vec<u8> = match separator {
        Some(separator) => vec![separator],
        None => SEPARATORS.into_iter().filter(is_there).collect(),
    };
    if separators.is_empty() {
        separators.push(SEPARATORS[0]);
    }
    let found = separators.into_iter().filter_map(|separator| Search { sample, given, separator }.table());
    let mut found: Vec<_> = found.collect();
    found.sort_by_key(|table| Reverse(table.as_ref().map_or(0, |table| table.columns)));
    match found.first() {
        Some(Ok(_)) => found.retain(Result::is_ok),
        _ => found.truncate(1),
    }
    found.into_iter().map(|table| Ok(Arc::new(table?) as Arc<dyn TextReader>)).collect()
}

/// Returns the separator that the first line of a file states. Spreadsheets write such a line, for example `sep=;`.
pub(super) fn stated_separator(line: &[u8]) -> Option<u8> {
    let line = without_line_end(line);
    let stated = line.strip_prefix(b"\"").and_then(|inner| inner.strip_suffix(b"\"")).unwrap_or(line);
    let (separator, before) = stated.split_last()?;
    let is_separator = separator.is_ascii_punctuation() || *separator == b'\t';
    (is_separator && before.eq_ignore_ascii_case(b"sep=")).then_some(*separator)
}

impl Search<'_> {
    /// Finds the table with this separator. Returns `None` if there is none, and an error if there is one that cannot
    /// be read.
    ///
    /// The table has as many fields as most rows, counting from the first row that contains a grid. Nothing else
    /// affects this number, so it stays the same if the other settings are given.
    fn table(&self) -> Option<Result<Table, InputError>> {
        let rows = self.rows();
        let notation =
            Notation { blank: self.given.and_then(|given| given.blank).or_else(|| odd_blank(&rows)) };
        let data = rows.iter().position(|row| has_grid(row, notation)).unwrap_or(rows.len());
        let (titles, behind) = if data < rows.len() { rows.split_at(data) } else { (&rows[..], &rows[..]) };
        let width = usual_width(behind);
        let is_such = |row: &&SampleRow<'_>| row.fields.len() == width;
        let is_last_empty = width > 1 && behind.iter().filter(is_such).all(|row| row.is_empty_at(width - 1));
        let fits = |row: &&SampleRow<'_>| is_such(row) || is_last_empty && row.fields.len() + 1 == width;
        let given_above = self.given.and_then(|given| given.above);
        let may_be_header = |row: &&SampleRow<'_>| {
            given_above.is_none_or(|above| row.lines.end == above) && fits(row) && row.has_names()
        };
        let headers = || titles.iter().filter(may_be_header);
        let ReadOptions { puzzle_column, solution_column, .. } = self.sample.options;
        let asked: Vec<_> = [puzzle_column, solution_column].into_iter().flatten().collect();
        let says_grids = |row: &SampleRow<'_>| row.says_grids() || row.has_any(&asked);
        let header =
            headers().find(|row| says_grids(row)).or_else(|| headers().find(|row| !row.has_number()));
        // Rows may end with an extra separator.
        let has_no_name = header.map_or(width % CELLS == 1, |header| header.is_empty_at(width - 1));
        let columns = width - usize::from(is_last_empty && has_no_name);
        // A line with at least half a grid is not a title.
        let may_be_row = |row: &&SampleRow<'_>| {
            is_such(row) || !matches!(notation.cells(without_line_end(row.text), CELLS), Err(Miss::Other))
        };
        let first = || titles.iter().find(may_be_row).or(rows.get(data)).map_or(0, |row| row.lines.start);
        let found_above = || header.map_or_else(first, |header| header.lines.end);
        let above = given_above.unwrap_or_else(found_above);
        let is_regular =
            columns > 1 && (behind.len() > 1 || header.is_some()) && behind.iter().all(|row| is_such(&row));
        let are_alike = rows.len() > 1 && rows.iter().all(|row| is_such(&row) && !row.is_json());
        let rows: Vec<_> = rows.iter().filter(|row| row.lines.start >= above && is_such(row)).collect();
        // A single word is a header if at least half of the rows below it are answers. The word itself must not be a
        // value or say that there is no answer.
        let has_answers = self.sample.options.answers;
        let is_blank = |row: &SampleRow<'_>| row.fields.iter().all(|field| notation.cells(field, 1).is_ok());
        let is_answer = |row: &SampleRow<'_>| is_blank(row) || has_grid(row, notation);
        let is_above_answers = |row: &SampleRow<'_>| {
            has_answers
                && row.is_word()
                && !is_answer(row)
                && !matches!(row.text.trim_ascii(), b"true" | b"false")
                && 2 * rows.iter().filter(|row| is_answer(row)).count() >= rows.len()
        };
        let is_named = header.is_some_and(|row| says_grids(row) || is_above_answers(row));
        let is_sure = is_named || self.given.is_some();
        if (columns < 2 || rows.is_empty()) && !is_sure {
            return None;
        }
        let is_headed =
            columns > 1 && (is_regular && header.is_some() || has_answers && are_alike || !asked.is_empty());
        let table = Table {
            separator: self.separator,
            columns,
            names: names_of(header, columns),
            above,
            header: header.map(|header| header.text.to_vec()).unwrap_or_default(),
            is_named: is_named || is_headed,
            has_answers,
            notation,
            ..Table::default()
        };
        // If it is not certain that this is a table, a missing puzzle column is not an error.
        Some(self.chosen(&rows, table)).filter(|found| found.is_ok() || is_regular || is_sure)
    }

    /// Splits the first rows of the sample, including the header and the lines above it.
    fn rows(&self) -> Vec<SampleRow<'_>> {
        let mut splitter = Splitter::new(self.separator);
        let (mut rows, mut rest, mut before) = (Vec::new(), self.sample.bytes, 0);
        let end = if self.sample.is_whole { TextEnd::Last } else { TextEnd::More };
        while rows.len() < ROWS_LOOKED_AT
            && let Some(row) = splitter.split(rest, end)
        {
            let (text, behind) = rest.split_at(row.length);
            let lines = before..before + usize::try_from(row.lines).unwrap_or(usize::MAX);
            (rest, before) = (behind, lines.end);
            if super::is_silent(text, self.separator) || stated_separator(text).is_some() {
                continue;
            }
            let mut fields = if row.unclosed.is_some() { vec![text.to_vec()] } else { splitter.texts(text) };
            // A whole row may be in quotes, unless it is a single field that contains a grid.
            if let [field] = fields.as_slice()
                && text.starts_with(b"\"")
                && splitter.split(field, TextEnd::Last).is_some()
            {
                let within = splitter.texts(field);
                let is_grid = |field: &[u8]| grid_cells(field, Notation::default()) != Err(Miss::Other);
                if !is_grid(field) || within.iter().any(|field| is_grid(field)) {
                    fields = within;
                }
            }
            rows.push(SampleRow { lines, text, fields });
        }
        rows
    }

    /// Chooses the columns by examining the first rows. If the table was given and has no rows, it has one column, for
    /// the puzzles.
    fn chosen(&self, rows: &[&SampleRow<'_>], table: Table) -> Result<Table, InputError> {
        if table.columns == 0 {
            let chosen = Chosen { puzzle: 0..1, claim: None };
            return Ok(Table { columns: 1, names: vec!["1".to_owned()], chosen, ..table });
        }
        let look = |column: usize| {
            rows.iter().map(|row| Shows::of_text(&row.fields[column], table.notation)).collect()
        };
        let looks: Vec<_> = (0..table.columns).map(look).collect();
        let options = ReadOptions { format: self.given.cloned(), ..self.sample.options.clone() };
        let chosen = choose(self.sample.name, &table.names, &options, &looks)?;
        let texts = rows.iter().map(|row| &*row.fields[chosen.puzzle.start]);
        let are_short = || chosen.puzzle.len() == 1 && lost_zeros::have_lost_zeros(texts);
        let lost_zeros = self.given.and_then(|given| given.zeros).unwrap_or_else(are_short);
        let kind = kind_of_results(&table.names);
        Ok(Table { chosen, kind, lost_zeros, ..table })
    }
}

impl SampleRow<'_> {
    /// Returns the texts of the fields as column names.
    fn names(&self) -> Vec<String> {
        self.fields.iter().map(|field| String::from_utf8_lossy(field.trim_ascii()).into_owned()).collect()
    }

    /// Returns whether the fields could be column names.
    fn has_names(&self) -> bool {
        !self.is_json() && self.fields.iter().any(|field| field.iter().any(u8::is_ascii_alphabetic))
            || self.says_places()
    }

    /// Returns whether one of the fields is a number, which is hardly ever a column name.
    fn has_number(&self) -> bool {
        self.fields.iter().any(|field| !field.is_empty() && field.iter().all(u8::is_ascii_digit))
    }

    /// Returns whether the row begins like JSON.
    fn is_json(&self) -> bool {
        matches!(self.text.trim_ascii_start(), [b'{', ..] | [b'[', b'"' | b'[' | b'{' | b'0'..=b'9', ..])
    }

    /// Returns whether the fields announce that there are grids below: by naming puzzles or solutions, or by naming 81
    /// cells.
    fn says_grids(&self) -> bool {
        let says_grid = |name: &String| is_word(name) && meaning(name).is_some();
        self.names().iter().any(says_grid) || self.says_places()
    }

    /// Returns whether the row is a single word.
    fn is_word(&self) -> bool {
        matches!(&self.names()[..], [name] if is_word(name))
    }

    /// Returns whether any of the fields is one of these names.
    fn has_any(&self, wanted: &[&String]) -> bool {
        let names = self.names();
        wanted.iter().any(|wanted| names.iter().any(|name| folded(name) == folded(wanted)))
    }

    /// Returns whether at least 81 of the fields differ from each other, unlike those of a grid.
    fn says_places(&self) -> bool {
        self.fields.iter().collect::<HashSet<_>>().len() >= CELLS
    }

    /// Returns whether the field in a column is empty.
    fn is_empty_at(&self, column: usize) -> bool {
        self.fields.get(column).is_none_or(|field| field.trim_ascii().is_empty())
    }
}

/// Returns whether a name is a single word.
fn is_word(name: &str) -> bool {
    name.chars().all(|letter| letter == '_' || letter.is_alphanumeric())
}

/// Returns the column names, or the column numbers if there is no header.
fn names_of(header: Option<&SampleRow<'_>>, columns: usize) -> Vec<String> {
    let mut names = header.map(SampleRow::names).unwrap_or_default();
    names.resize(columns, String::new());
    let before = if header.is_some() { "column_" } else { "" };
    for (at, name) in names.iter_mut().enumerate().filter(|(_, name)| name.is_empty()) {
        *name = format!("{before}{}", at + 1);
    }
    names
}

/// Returns the most common number of fields in a row.
fn usual_width(rows: &[SampleRow<'_>]) -> usize {
    let widths = || rows.iter().map(|row| row.fields.len());
    widths().max_by_key(|width| (widths().filter(|other| other == width).count(), *width)).unwrap_or(0)
}

/// Returns whether a row contains something like a grid, either in one field or spread over 81.
fn has_grid(row: &SampleRow<'_>, notation: Notation) -> bool {
    let is_grid =
        |field: &Vec<u8>| grid_cells(field, notation) != Err(Miss::Other) || is_mangled(field.trim_ascii());
    let is_cell = |field: &&Vec<u8>| field.is_empty() || notation.cells(field, 1).is_ok();
    row.fields.iter().any(is_grid)
        || row.fields.len() >= CELLS && row.fields.iter().filter(is_cell).count() >= CELLS
}

/// Returns the most common unusual sign for blanks in fields of 81 characters. Returns `None` if there is none, or if
/// puzzles without an unusual sign are at least as common.
fn odd_blank(rows: &[SampleRow<'_>]) -> Option<char> {
    let fields =
        rows.iter().flat_map(|row| &row.fields).filter_map(|field| str::from_utf8(field.trim_ascii()).ok());
    let is_odd = |sign: &char| u8::try_from(*sign).ok().and_then(digit_of).is_none();
    // The only unusual sign in a puzzle, or `None` if it has none.
    let odd_sign = |text: &str| {
        let mut signs = text.chars().filter(is_odd);
        let sign = signs.next();
        signs.all(|other| Some(other) == sign).then_some(sign)
    };
    let is_puzzle =
        |text: &&str| text.chars().count() == CELLS && !text.chars().all(|sign| matches!(sign, '1'..='9'));
    let signs: Vec<_> = fields.filter(is_puzzle).filter_map(odd_sign).collect();
    let count = |sign| signs.iter().filter(|&&other| other == sign).count();
    signs.iter().copied().max_by_key(|&sign| (count(sign), sign.is_none())).flatten()
}
