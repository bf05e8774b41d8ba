//! Rows of a table in a dump of a database: `INSERT INTO sudoku (id, puzzle) VALUES (1, '53..'), (2, '6..1');`, of
//! which several stand on a line. What stands between such statements is read line by line.
//!
//! Which value of a row is the puzzle is found as in any table (`chosen`), with the names that the statement or that of
//! the table gives. A row of another table is a record if it has a stretch of cells.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr2, memmem};

use super::LineFormat;
use crate::input::batch::{Cursor, Format, Phase, Step, TextEnd, line_length, place_in};
use crate::input::chosen::{Asked, Cells, FirstRows, ROWS_LOOKED_AT};
use crate::input::family::Sample;
use crate::input::fields::Fields;
use crate::input::json::place_within;
use crate::input::{MAX_LINE, cells, field};
use crate::record::{Fault, FaultKind, Layout, Place, Records, Span, Want};
use crate::sudoku::CELLS;

/// Bytes of a statement before its first row.
const LONGEST_HEAD: usize = 1 << 13;

/// Statements that are told apart.
const MOST_TABLES: usize = 64;

/// The statements that add rows.
const STATEMENTS: [&[u8]; 2] = [b"insert", b"replace"];

/// A dump of a database.
#[derive(Debug)]
pub(super) struct Dump {
    /// How the lines are read that are no such statements.
    pub lines: LineFormat,
    pub tables: Tables,
}

/// The tables of a dump that hold puzzles.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    tables: Vec<Table>,
    /// Whether solutions are their puzzles, since there are no others.
    are_solved: bool,
    note: Option<String>,
}

/// A table that holds puzzles.
#[derive(Clone, Debug)]
struct Table {
    /// The statement before its rows.
    head: Vec<u8>,
    columns: usize,
    puzzle: usize,
    claim: Option<usize>,
    /// Whether all its puzzles are complete.
    is_solved: bool,
}

impl Tables {
    /// The tables of a sample, if their rows hold puzzles, of so many cells at least.
    pub fn of(sample: &Sample<'_>, cells: u64) -> Option<Self> {
        let (mut tables, mut puzzles, mut unsolved, mut note) = (Vec::new(), 0, 0, None);
        let asked = Asked {
            puzzle: None,
            claim: None,
            claims: false,
            look: false,
            option_names: sample.option_names,
        };
        for (head, rows) in first_rows(sample) {
            let columns = rows.iter().map(Fields::len).max().unwrap_or(0);
            let names = column_names(head, sample.bytes, columns);
            let first = FirstRows::new(names.iter().map(String::as_bytes), columns, &rows);
            let named = first.puzzle_by_name().map(Cells::Column);
            let by_content = || first.puzzle_by_content().map(|(cells, _)| cells);
            // Solutions alone are puzzles.
            let mut long = (0..columns)
                .filter(|&column| rows.iter().any(|row| row.get(column).is_some_and(has_long_run)));
            let lone = || long.next().filter(|_| long.next().is_none()).map(Cells::Column);
            let Some(cells) = named.or_else(by_content).or_else(lone) else { continue };
            let Cells::Column(puzzle) = cells else { return None };
            let chosen = first.chosen(asked, cells);
            let grids = rows.iter().filter_map(|row| field::grid(row.get(puzzle)?, &cells::PUZZLE).ok());
            let clues: Vec<usize> = grids.map(|grid| grid.clues() as usize).collect();
            let unsolved_here = clues.iter().filter(|&&clues| clues < CELLS).count();
            puzzles += clues.len();
            unsolved += unsolved_here;
            let numbers = || (1..=columns).map(|number| number.to_string()).collect();
            let names = if names.is_empty() { numbers() } else { names };
            note = note.or_else(|| first.other_puzzles(&names, &chosen));
            let claim = chosen.claim.map(Cells::first);
            tables.push(Table { head: head.to_vec(), columns, puzzle, claim, is_solved: unsolved_here == 0 });
        }
        // Beside puzzles, a table of solutions holds none.
        tables.retain(|table| unsolved == 0 || !table.is_solved);
        let most = cells.min((ROWS_LOOKED_AT * CELLS) as u64);
        (puzzles > 0 && (puzzles * CELLS) as u64 >= most).then_some(Self {
            tables,
            are_solved: unsolved == 0,
            note,
        })
    }

    fn has_claims(&self) -> bool {
        self.tables.iter().any(|table| table.claim.is_some())
    }

    /// The values of a row that are its puzzle and its claimed solution.
    fn choose(&self, text: &[u8], values: &[Range<usize>]) -> (usize, Option<usize>) {
        let mut tables = self.tables.iter().filter(|table| table.columns == values.len());
        let columns = |table: &Table| (table.puzzle, table.claim);
        if let Some(first) = tables.next().map(columns)
            && tables.all(|other| columns(other) == first)
        {
            return first;
        }
        // Of an unknown table the content says it.
        let clues = |value: &Range<usize>| {
            field::grid(&value_of(text, value), &cells::PUZZLE).map(|grid| grid.clues() as usize).ok()
        };
        let is_damaged = |value: &Range<usize>| clues(value).is_none() && has_long_run(&text[value.clone()]);
        let is_puzzle = |value: &Range<usize>| clues(value).is_some_and(|clues| clues < CELLS);
        let is_complete = |value: &Range<usize>| clues(value) == Some(CELLS);
        let complete = values.iter().position(is_complete);
        let puzzle = values.iter().position(is_puzzle).or_else(|| values.iter().position(is_damaged));
        let lone = || complete.filter(|_| self.are_solved && !self.has_claims());
        // Where there is none the first value says so.
        let no_grid = || values.iter().position(|value| clues(value).is_none()).unwrap_or(0);
        let puzzle = puzzle.or_else(lone).unwrap_or_else(no_grid);
        (puzzle, complete.filter(|&claim| claim != puzzle))
    }
}

impl Format for Dump {
    fn step(&self, cursor: &mut Cursor, rest: &[u8], end: TextEnd) -> Step {
        let before = *cursor;
        let step = match cursor.phase {
            Phase::Rows | Phase::OtherRows => self.row_step(cursor, rest, end),
            _ => self.statement_step(cursor, rest, end),
        };
        match step {
            Step::Skip { length, .. } | Step::Record { length, .. } => {
                cursor.pass(&rest[..length]);
            }
            Step::Incomplete => *cursor = before,
        }
        step
    }

    fn read(&self, mut cursor: Cursor, bytes: &[u8], mut line: u64, want: Want, out: &mut Records) {
        let mut start = 0;
        loop {
            let (before, rest) = (cursor.column, &bytes[start..]);
            let (length, lines) = match self.step(&mut cursor, rest, TextEnd::Last) {
                Step::Skip { length, lines } => (length, lines),
                Step::Record { length, lines } => {
                    let span = Span { start, length };
                    if matches!(cursor.phase, Phase::Rows | Phase::OtherRows) {
                        self.read_row((line, before), &rest[..length], span, want, out);
                    } else {
                        self.lines.read_other(line, &rest[..length], span, want, out);
                    }
                    (length, lines)
                }
                Step::Incomplete => return,
            };
            start += length;
            line += lines;
        }
    }

    fn place_of(&self, line: u64, text: &[u8], cell: usize) -> Place {
        if !is_row(text) {
            return self.lines.place_of(line, text, cell);
        }
        let values = values(text).unwrap_or_default();
        self.cell_place(line, text, values.get(self.tables.choose(text, &values).0), cell)
    }

    fn claim_text(&self, text: &[u8]) -> Option<Vec<u8>> {
        if !is_row(text) {
            return self.lines.claim_text(text);
        }
        let claim = self.claim(text, &values(text)?)?;
        Some(value_of(text, &claim).into_owned())
    }

    fn claim_place(&self, line: u64, text: &[u8], cell: usize) -> Place {
        if !is_row(text) {
            return self.lines.claim_place(line, text, cell);
        }
        let claim = values(text).and_then(|values| self.claim(text, &values));
        self.cell_place(line, text, claim.as_ref(), cell)
    }

    fn begins_lines(&self) -> bool {
        false
    }

    fn passes_lines(&self) -> bool {
        true
    }

    fn has_claims(&self) -> bool {
        self.tables.has_claims()
    }

    fn note(&self, _: &Cursor, records: u64) -> Option<String> {
        let unclaimed = self.lines.claims && !self.has_claims();
        let unclaimed = unclaimed.then(|| "the first rows have no claimed solutions".to_owned());
        unclaimed.or_else(|| self.tables.note.clone()).filter(|_| records > 0)
    }
}

impl Dump {
    /// What comes next among the rows of a statement.
    fn row_step(&self, cursor: &mut Cursor, rest: &[u8], end: TextEnd) -> Step {
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == b',').count();
        if blanks > 0 {
            return skip(&rest[..blanks]);
        }
        let scan = match rest {
            [] | [b'-'] if end == TextEnd::More => return Step::Incomplete,
            [] => return Step::Incomplete,
            [b'-', b'-', ..] => {
                return line_length(rest, end).map_or(Step::Incomplete, |length| skip(&rest[..length]));
            }
            [b';', ..] => {
                cursor.phase = Phase::Records;
                return skip(&rest[..1]);
            }
            // What follows the rows, such as `ON CONFLICT`.
            [byte, ..] if byte.is_ascii_alphabetic() => {
                cursor.phase = Phase::Records;
                return self.statement_step(cursor, rest, end);
            }
            [b'(', ..] => scan(rest, end, |_| ()),
            _ => Scan::Broken,
        };
        let length = match scan {
            Scan::Closed(length) => Some(length),
            Scan::Broken => broken_length(rest, end),
            Scan::Open => None,
        };
        let Some(length) = length else { return Step::Incomplete };
        let text = &rest[..length];
        if cursor.phase == Phase::Rows || has_long_run(text) {
            Step::Record { length, lines: memchr_iter(b'\n', text).count() as u64 }
        } else {
            skip(text)
        }
    }

    /// What comes next outside the rows of a statement.
    fn statement_step(&self, cursor: &mut Cursor, rest: &[u8], end: TextEnd) -> Step {
        let start = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        match head_of(&rest[start..], end) {
            Head::Rows(length) => {
                let head = &rest[start..start + length];
                let is_known = self.tables.tables.iter().any(|table| table.head == head);
                cursor.phase = if is_known { Phase::Rows } else { Phase::OtherRows };
                return skip(&rest[..start + length]);
            }
            Head::Incomplete => return Step::Incomplete,
            Head::None => {}
        }
        let Some(length) = line_length(rest, end) else { return Step::Incomplete };
        // Behind another statement on the line.
        let line = &rest[..length];
        let plain = &line[..memchr2(b'\'', b'"', line).unwrap_or(length)];
        let is_before =
            |&at: &usize| starts_statement(line[at + 1..].trim_ascii_start()) && !has_long_run(&line[..at]);
        if let Some(at) = memchr_iter(b';', plain).find(is_before) {
            return skip(&line[..=at]);
        }
        match self.lines.line_step(cursor, rest, end) {
            Step::Skip { length, .. } => skip(&rest[..length]),
            Step::Record { length, lines } => Step::Record { length, lines },
            Step::Incomplete => Step::Incomplete,
        }
    }

    fn read_row(&self, at: (u64, u64), text: &[u8], span: Span, want: Want, out: &mut Records) {
        let (line, before) = at;
        let place = |at| place_within(line, before, text, at);
        let values = values(text);
        let puzzle = match &values {
            Some(values) => {
                let value = values.get(self.tables.choose(text, values).0).cloned().unwrap_or(0..0);
                field::grid(&value_of(text, &value), &cells::PUZZLE)
                    .map_err(|(at, fault)| fault.at(place(value.start + at)))
            }
            None => Err(Fault::new(FaultKind::OpenBracket, Some(place(0))).text("row").text(")")),
        };
        if want.claims {
            let claim = values.filter(|_| puzzle.is_ok()).and_then(|values| self.claim(text, &values));
            out.claims.push(claim.map(|value| {
                field::grid(&value_of(text, &value), &cells::CLAIM)
                    .map_err(|(at, fault)| fault.at(place(value.start + at)))
            }));
        }
        out.push_puzzle(line, span, Layout::Line, puzzle);
    }

    /// The value of a row that claims its solution, if it has one.
    fn claim(&self, text: &[u8], values: &[Range<usize>]) -> Option<Range<usize>> {
        let claim = values.get(self.tables.choose(text, values).1?)?;
        let word = text[claim.clone()].trim_ascii();
        (!word.is_empty() && !cells::is_null(word)).then(|| claim.clone())
    }

    fn cell_place(&self, line: u64, text: &[u8], value: Option<&Range<usize>>, cell: usize) -> Place {
        let offset = |value: &Range<usize>| value.start + field::offset_of_cell(&value_of(text, value), cell);
        place_in(line, text, value.map_or(0, offset))
    }
}

fn skip(text: &[u8]) -> Step {
    Step::Skip { length: text.len(), lines: memchr_iter(b'\n', text).count() as u64 }
}

/// Whether a record that can be read is a row and no line.
fn is_row(text: &[u8]) -> bool {
    text.starts_with(b"(") && text.ends_with(b")")
}

/// Whether a text has more cells in a row than a name or a number.
fn has_long_run(text: &[u8]) -> bool {
    text.split(|&byte| !cells::is_cell(byte)).any(|run| run.len() > CELLS / 2)
}

/// The start of a statement that adds rows.
enum Head {
    /// Its bytes before the rows.
    Rows(usize),
    None,
    Incomplete,
}

fn starts_statement(text: &[u8]) -> bool {
    STATEMENTS.iter().any(|word| {
        text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
            && text.get(word.len()).is_some_and(u8::is_ascii_whitespace)
    })
}

/// The statement that a text begins with, up to its `VALUES`.
fn head_of(text: &[u8], end: TextEnd) -> Head {
    const WORD: &[u8] = b"values";
    let may_be = |word: &&[u8]| text.len() <= word.len() && word[..text.len()].eq_ignore_ascii_case(text);
    if end == TextEnd::More && STATEMENTS.iter().any(may_be) {
        return Head::Incomplete;
    }
    if !starts_statement(text) {
        return Head::None;
    }
    let (mut at, mut depth) = (0, 0_usize);
    while at < text.len().min(LONGEST_HEAD) {
        match text[at] {
            quote @ (b'\'' | b'"' | b'`') => {
                at += memchr(quote, &text[at + 1..]).map_or(text.len(), |end| end + 1)
            }
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b';' => return Head::None,
            b'v' | b'V' if depth == 0 && !text[at - 1].is_ascii_alphanumeric() && text[at - 1] != b'_' => {
                let is_word =
                    text[at..].get(..WORD.len()).is_some_and(|word| word.eq_ignore_ascii_case(WORD));
                match text.get(at + WORD.len()) {
                    Some(b'(' | b' ' | b'\t' | b'\r' | b'\n') if is_word => {
                        return Head::Rows(at + WORD.len());
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        at += 1;
    }
    if end == TextEnd::More && text.len() < LONGEST_HEAD { Head::Incomplete } else { Head::None }
}

/// How a row ends that begins with a bracket.
enum Scan {
    /// Behind so many bytes.
    Closed(usize),
    /// A quote is lost, or a bracket.
    Broken,
    /// In bytes that are not there yet.
    Open,
}

/// Looks for the end of a row, and calls back with the places of the commas between its values.
fn scan(text: &[u8], end: TextEnd, mut comma: impl FnMut(usize)) -> Scan {
    let text = &text[..text.len().min(MAX_LINE)];
    let open = if end == TextEnd::More && text.len() < MAX_LINE { Scan::Open } else { Scan::Broken };
    let (mut at, mut depth) = (1, 1);
    while at < text.len() {
        match text[at] {
            quote @ (b'\'' | b'"') => {
                loop {
                    let Some(next) = memchr2(quote, b'\\', &text[at + 1..]) else { return open };
                    at += 1 + next;
                    match (text[at], text.get(at + 1)) {
                        (_, None) if end == TextEnd::More => return open,
                        (b'\\', _) => at += 1,
                        (_, Some(after)) if *after == quote => at += 1,
                        _ => break,
                    }
                    if at >= text.len() {
                        return open;
                    }
                }
                // Cells behind a quote that closes: one before it is lost.
                let behind = text[at + 1..].iter().find(|byte| !byte.is_ascii_whitespace());
                match behind {
                    None => return open,
                    Some(b',' | b')' | b':' | b'|') => {}
                    Some(byte) if byte.is_ascii_alphabetic() => {}
                    Some(_) => return Scan::Broken,
                }
            }
            b'(' => depth += 1,
            b')' if depth == 1 => return Scan::Closed(at + 1),
            b')' => depth -= 1,
            b';' => return Scan::Broken,
            b',' if depth == 1 => comma(at),
            _ => {}
        }
        at += 1;
    }
    open
}

/// Bytes of a row whose end is doubtful: to the first bracket before a comma or a semicolon, or to the end of its line.
fn broken_length(text: &[u8], end: TextEnd) -> Option<usize> {
    let text = &text[..text.len().min(MAX_LINE)];
    let line = memchr(b'\n', text);
    let length = line.unwrap_or(text.len());
    let closing =
        [b"),", b");"].into_iter().filter_map(|closing| memmem::find(&text[..length], closing)).min();
    let length = closing.map_or(length, |at| at + 1);
    let is_whole = line.is_some() || closing.is_some() || end != TextEnd::More || text.len() == MAX_LINE;
    is_whole.then_some(length)
}

/// Where the values of a row stand, without their quotes; `None` if the row is broken.
fn values(text: &[u8]) -> Option<Vec<Range<usize>>> {
    let mut commas = vec![0];
    let scan =
        if text.starts_with(b"(") { scan(text, TextEnd::Last, |at| commas.push(at)) } else { Scan::Broken };
    let Scan::Closed(length) = scan else { return None };
    commas.push(length - 1);
    let value = |pair: &[usize]| {
        let (start, end) = (pair[0] + 1, pair[1]);
        let value = &text[start..end];
        let quote = value.iter().position(|byte| matches!(byte, b'\'' | b'"'));
        let quoted = quote.and_then(|first| {
            let last = value.iter().rposition(|&byte| byte == value[first])?;
            (last > first).then_some(start + first + 1..start + last)
        });
        quoted.unwrap_or_else(|| {
            let blanks = field::leading_blanks(value);
            start + blanks..start + blanks + value.trim_ascii().len()
        })
    };
    (length == text.len()).then(|| commas.windows(2).map(value).collect())
}

/// A value of a row; what stands for a blank or a line end there takes as many bytes.
fn value_of<'a>(text: &'a [u8], value: &Range<usize>) -> Cow<'a, [u8]> {
    let text = &text[value.clone()];
    if memchr(b'\\', text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut text = text.to_vec();
    for at in 1..text.len() {
        if text[at - 1] == b'\\' && matches!(text[at], b'n' | b'r' | b't') {
            let blank = if text[at] == b'n' { b'\n' } else { b' ' };
            (text[at - 1], text[at]) = (b' ', blank);
        }
    }
    Cow::Owned(text)
}

/// The first rows of each table of a sample, with the statements before them.
fn first_rows<'a>(sample: &Sample<'a>) -> Vec<(&'a [u8], Vec<Fields>)> {
    let mut tables: Vec<(&[u8], Vec<Fields>)> = Vec::new();
    let mut rest = sample.bytes;
    while let Some(start) = next_statement(rest) {
        rest = &rest[start..];
        let Head::Rows(length) = head_of(rest, TextEnd::Last) else {
            // Only once is a text looked through for what belongs to words that are no statement.
            let length = rest.len().min(LONGEST_HEAD);
            rest = &rest[memchr(b';', &rest[..length]).map_or(length, |at| at + 1)..];
            continue;
        };
        let head = &rest[..length];
        rest = &rest[length..];
        let table = match tables.iter().position(|(known, _)| *known == head) {
            Some(table) => table,
            None if tables.len() == MOST_TABLES => return tables,
            None => {
                tables.push((head, Vec::new()));
                tables.len() - 1
            }
        };
        loop {
            let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == b',').count();
            rest = &rest[blanks..];
            let Some(length) = (match rest.first() {
                Some(b'(') => match scan(rest, sample.end(), |_| ()) {
                    Scan::Closed(length) => Some(length),
                    Scan::Broken => broken_length(rest, sample.end()),
                    Scan::Open => None,
                },
                _ => None,
            }) else {
                break;
            };
            let row = &rest[..length];
            if let Some(values) = values(row)
                && tables[table].1.len() < ROWS_LOOKED_AT
            {
                let mut fields = Fields::default();
                values.iter().for_each(|value| fields.push(&value_of(row, value)));
                tables[table].1.push(fields);
            }
            rest = &rest[length.max(1)..];
        }
    }
    tables
}

/// Whether a statement begins in a sample that adds rows, which may all stand on its line.
pub(in crate::input) fn is_dump(sample: &Sample<'_>) -> bool {
    next_statement(sample.bytes).is_some()
}

/// Where the next statement begins that may add rows: at the start of a line or behind a semicolon.
fn next_statement(text: &[u8]) -> Option<usize> {
    let mut starts = std::iter::once(0).chain(memchr::memchr2_iter(b'\n', b';', text).map(|at| at + 1));
    starts.find_map(|at| {
        let start = at + text[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        starts_statement(&text[start..]).then_some(start)
    })
}

/// The names of the columns of the rows behind a statement: those that it lists, or those of its table.
fn column_names(head: &[u8], dump: &[u8], columns: usize) -> Vec<String> {
    let names = match memchr(b'(', head) {
        Some(at) => names_in(&head[at..]),
        None => {
            let words: Vec<&[u8]> =
                head.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
            let Some(&table) = words.iter().rev().nth(1) else { return Vec::new() };
            created_columns(table, dump)
        }
    };
    Some(names).filter(|names| names.len() == columns).unwrap_or_default()
}

/// The columns of a table as the statement lists them that creates it.
fn created_columns(table: &[u8], dump: &[u8]) -> Vec<String> {
    const CREATE: &[u8] = b"create table ";
    let starts = std::iter::once(0).chain(memchr_iter(b'\n', dump).map(|at| at + 1));
    let statement = starts.map(|at| &dump[at..]).find(|text| {
        text.get(..CREATE.len()).is_some_and(|start| start.eq_ignore_ascii_case(CREATE))
            && memchr(b'(', text).is_some_and(|at| {
                without_quotes(text[..at].trim_ascii_end()).ends_with(without_quotes(table))
            })
    });
    statement.and_then(|text| Some(names_in(&text[memchr(b'(', text)?..]))).unwrap_or_default()
}

fn without_quotes(name: &[u8]) -> &[u8] {
    let name = name.strip_suffix(b"`").or_else(|| name.strip_suffix(b"\"")).unwrap_or(name);
    name.strip_prefix(b"`").or_else(|| name.strip_prefix(b"\"")).unwrap_or(name)
}

/// The first words of a list in brackets, but for those that name no column.
fn names_in(list: &[u8]) -> Vec<String> {
    const OTHERS: [&str; 9] =
        ["primary", "key", "unique", "constraint", "foreign", "index", "check", "fulltext", "exclude"];
    let mut commas = vec![0];
    let Scan::Closed(length) = scan(list, TextEnd::Last, |at| commas.push(at)) else { return Vec::new() };
    commas.push(length - 1);
    let name = |pair: &[usize]| {
        let text = list[pair[0] + 1..pair[1]].trim_ascii();
        let word = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        String::from_utf8_lossy(without_quotes(word)).into_owned()
    };
    let names = commas.windows(2).map(name);
    names.filter(|name| !OTHERS.contains(&name.to_lowercase().as_str())).collect()
}
