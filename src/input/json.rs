//! JSON: documents with puzzles anywhere in them, and JSON Lines.
//!
//! A puzzle is a string of 81 cells, a list of 81 or a list of nine rows (`value`); an object is a record if one of its
//! own members is a puzzle, and another may be its solution (`record`). Everything else is gone into, whatever it is
//! called and however deep. JSON Lines are cut at line ends and read by any thread. A document is cut by the one thread
//! that reads it: its records may be anywhere, so it has to be taken apart (`scan`) to know how many there are, and the
//! same is done again to read a batch. An object without a puzzle in a list whose others have one is an invalid record.
//! Solutions apart from the puzzles are claims if it is plain of which (`pairs`).
//! That a list or an object is no record may hang on bytes far behind: then a batch begins within it or holds those
//! bytes, too.

mod members;
mod pairs;
pub(super) mod record;
mod scan;
pub(super) mod value;

use std::sync::Arc;

use self::pairs::{Pairs, Solution};
use self::record::{Found, Keys, Record};
use self::scan::{Edge, Stop, Text, is_quote, is_space};
use self::value::{Kind, Value};
use super::batch::{Cursor, Cut, Format, MOST_RECORDS, Phase, Step, TextEnd, line_length, place_in};
use super::beside::Tell;
use super::cells;
use super::family::{Family, Sample, Seen};
use super::look::Excerpt;
use super::nesting::Nesting;
use super::passed;
use super::row::{has_long_run, rows_length, source_rows_length};
use super::{Columns, InputError, MAX_LINE};
use crate::record::{Fault, FaultKind, Layout, Place, Records, Span, Texts, Want};
use crate::sudoku::{CELLS, SIDE};

pub(super) const FAMILY: Family = Family {
    name: "json",
    about: "JSON with puzzles anywhere in it: strings or lists of 81 cells, lists of nine rows",
    has_columns: true,
    look: |sample| {
        let keys = if is_document(sample) { Keys::of(sample) } else { Keys::default() };
        let is_it = is_document(sample) && !is_lines(sample, &keys);
        let (cells, is_all) = if is_it { evidence(records(sample, &keys)) } else { (0, false) };
        let wants_more = is_it && wants_more(sample, &keys);
        let apart = if cells > 0 && !is_all { solutions(sample, &keys) } else { 0 };
        let open = |sample: &Sample<'_>| {
            let keys = Keys::of(sample);
            let columns =
                members::columns(records(sample, &keys).map(|(record, text)| (text, 0, record)), &keys);
            let list = list_of_records(sample, &keys);
            let head = Head::of(sample, Rules { keys: keys.clone(), list }, columns)?;
            let pairs = if sample.whole { Pairs::of(sample.bytes, &head.rules) } else { Pairs::default() };
            let above = above(sample, &head.rules);
            Ok(Arc::new(Document { head, pairs, above }) as Arc<dyn Format>)
        };
        // Twice as many cells as lines could claim that are rows or fields to others.
        Seen { is_all, wants_more, ..Seen::new(2 * (cells + apart), open) }
    },
    enough: CELLS as u64,
};

pub(super) const LINES_FAMILY: Family = Family {
    name: "jsonl",
    about: "JSON Lines: a value with a puzzle in it on each line",
    has_columns: true,
    look: |sample| {
        let may_be = matches!(first_value(sample), Some(b'[' | b'{' | b'"'));
        let keys = if may_be { Keys::of(sample) } else { Keys::default() };
        let is_it = may_be && is_lines(sample, &keys);
        let found = records_of_lines(sample, &keys).map(|(line, start, record)| (record, &line[start..]));
        let (cells, is_all) = if is_it { evidence(found) } else { (0, false) };
        let open = |sample: &Sample<'_>| {
            let keys = Keys::of(sample);
            let columns = members::columns(records_of_lines(sample, &keys), &keys);
            let rules = Rules { keys: keys.clone(), list: None };
            Ok(Arc::new(Lines(Head::of(sample, rules, columns)?)) as Arc<dyn Format>)
        };
        match is_it {
            false => Seen::new(0, open),
            true if is_document(sample) => Seen { is_all, ..Seen::new(2 * cells, open) },
            true => Seen::new(cells, open),
        }
    },
    enough: CELLS as u64,
};

/// What is said of an input whose claimed solutions are wanted and not found.
const UNCLAIMED: &str = "the first records have no claimed solutions beside their puzzles";

/// What is said of one whose solutions are apart from its puzzles and cannot be told to be theirs.
const APART: &str = "some solutions stand apart from the puzzles and are not read: a list of solutions is read if it is \
                     beside that of the puzzles and as long, in an input of less than 16 MiB";

/// What is said of one that begins with so many solutions that nobody looked further for puzzles.
const ALONE: &str = "begins with 16 MiB of solutions and no puzzle: they are read as puzzles";

/// Bytes of a line outside of every value that is looked through: at each of its tokens, which may be one byte.
const LINE_LOOKED_AT: usize = 1 << 10;

/// Records of a sample that are looked at.
const RECORDS_LOOKED_AT: usize = 200;

/// A document, or several one after the other.
#[derive(Debug)]
struct Document {
    head: Head,
    /// Solutions apart from the puzzles.
    pairs: Pairs,
    /// What stands before its first record, or the start of that.
    above: Vec<u8>,
}

/// By what records are known.
#[derive(Clone, Debug, Default)]
struct Rules {
    keys: Keys,
    /// A list whose objects are records, with a puzzle or without; so are those of lists in which a record was found.
    list: Option<Nesting>,
}

/// A value on each line.
#[derive(Debug)]
struct Lines(Head);

/// What the first records show.
#[derive(Debug)]
struct Head {
    /// Whether claimed solutions are wanted.
    claims: bool,
    has_claims: bool,
    /// What is said of puzzles beside those that are read.
    others: Option<String>,
    rules: Rules,
    /// The members that they have.
    columns: Columns,
    /// Whether there is more behind.
    is_part: bool,
}

impl Head {
    /// The name of the member that holds the puzzles.
    fn puzzle_name(&self) -> Option<&[u8]> {
        let column = self.columns.puzzle.as_ref()?.start;
        Some(self.columns.names.get(column)?.as_bytes())
    }

    fn of(sample: &Sample<'_>, rules: Rules, columns: Columns) -> Result<Self, InputError> {
        if let Some(error) = missing_column(sample) {
            return Err(error);
        }
        let has_claims = records(sample, &rules.keys).any(|(record, _)| record.claim.is_some());
        let has_others =
            rules.keys.puzzle.is_none() && records(sample, &rules.keys).any(|(record, _)| record.has_others);
        let option = sample.option_names.with_value(sample.option_names.puzzle_column, "NAME");
        let others = has_others.then(|| {
            format!("other members hold puzzles, too, which are not read ({option} says which are)")
        });
        Ok(Self { claims: sample.claims, has_claims, others, rules, columns, is_part: !sample.whole })
    }

    const fn keys(&self) -> &Keys {
        &self.rules.keys
    }

    /// What there is to say of so many records.
    fn note(&self, records: u64, pairs: &Pairs) -> Option<String> {
        let note = if records == 0 {
            return None;
        } else if self.is_part && self.keys().solutions_alone {
            ALONE
        } else if self.claims && pairs.has_others {
            APART
        } else if self.claims && !self.has_claims && pairs.is_empty() {
            UNCLAIMED
        } else {
            return self.others.clone();
        };
        Some(note.to_owned())
    }
}

impl Keys {
    /// Those of an input: what was said, and else what it shows.
    fn of(sample: &Sample<'_>) -> Self {
        let name = |name: Option<&str>| name.map(str::to_owned);
        let keys = Self {
            puzzle: name(sample.puzzle_column),
            solution: name(sample.solution_column),
            solutions_alone: false,
            puzzles_lost: false,
        };
        if keys.are_said() {
            // What lacks them is still what it is, and will be told so.
            return if missing_column(sample).is_some() { Self::default() } else { keys };
        }
        let alone = Self { solutions_alone: true, ..Self::default() };
        let has_some = |keys: &Self| records(sample, keys).next().is_some();
        if has_some(&keys) || !has_some(&alone) {
            keys
        } else if lacks_puzzles(sample, &alone) {
            Self { puzzles_lost: true, ..keys }
        } else {
            alone
        }
    }
}

/// What comes next in a document.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant, reason = "as that of what is found")]
enum Next {
    /// No record: so many bytes.
    Skip(usize),
    /// A list or an object to go into: so many bytes, as those before the second number show.
    Enter(usize, usize),
    /// A record, as long as it says.
    Record(Record),
    /// The same, but a solution by the name of what it is in, and no puzzle.
    Solution(Record),
}

/// Looks at what comes next in a document and moves the cursor behind it, but for the column; `None` if that depends on
/// bytes that are not there yet.
fn next(cursor: &mut Cursor, rest: &[u8], end: TextEnd, rules: &Rules) -> Option<Next> {
    let keys = &rules.keys;
    let edge = match end {
        _ if rest.len() > MAX_LINE => Edge::Far,
        TextEnd::Last => Edge::Last,
        TextEnd::More | TextEnd::Damaged => Edge::More,
    };
    let text = Text { bytes: &rest[..rest.len().min(MAX_LINE)], edge };
    let first = *rest.first()?;
    if cursor.phase == Phase::Overflow {
        return Some(Next::Skip(rest_of_string(cursor, text.bytes, edge)?));
    }
    if is_space(first) {
        return Some(Next::Skip(text.bytes.iter().take_while(|&&byte| is_space(byte)).count()));
    }
    if !matches!(first, b'{' | b'[' | b'"') && cursor.nesting.depth == 0 && cells::is_cell(first) {
        let line = match memchr::memchr(b'\n', text.bytes) {
            None if edge == Edge::More => return None,
            end => text.bytes[..end.unwrap_or(text.bytes.len())].trim_ascii_end(),
        };
        let is_open = || line.iter().any(|byte| b"[{\"".contains(byte));
        let is_other =
            || (CELLS + 1..LINE_LOOKED_AT).contains(&line.len()) && !is_open() && passed::holds_puzzle(line);
        if cells::run(line) >= CELLS - SIDE && is_several_words(line) || is_other() {
            return Some(Next::Record(Record::without_puzzle(line.len())));
        }
    }
    if cursor.nesting.depth == 0 && cells::is_cell(first) {
        // The rest of a string whose beginning is missing: its quote opens none.
        let run = cells::run(text.bytes);
        match text.get(run) {
            None if edge == Edge::More => return None,
            Some(byte) if is_quote(byte) && run >= SIDE => {
                return Some(Next::Record(Record::without_puzzle(run + 1)));
            }
            Some(byte) if is_quote(byte) => return Some(Next::Skip(run + 1)),
            _ => {}
        }
    }
    if cursor.nesting.depth == 0 && is_quote(first) {
        let (rows, length) = rows_in_quotes(&text)?;
        if rows > 1 {
            return Some(Next::Record(Record::without_puzzle(length)));
        }
    }
    if cursor.nesting.depth == 0 && (matches!(first, b'|' | b'<') || cells::is_cell(first)) {
        let rows = rows_length(text.bytes, edge != Edge::More)?;
        if rows > 0 {
            return Some(Next::Record(Record::without_puzzle(text.bytes[..rows].trim_ascii_end().len())));
        }
        let other = other_length(&text)?;
        if cells::may_hold_puzzle(&text.bytes[..other]) {
            return Some(Next::Record(Record::without_puzzle(other)));
        }
    }
    if matches!(first, b'{' | b'[') {
        let rows = source_rows_length(text.bytes, edge != Edge::More)?;
        if rows > 0 {
            return Some(Next::Record(Record::without_puzzle(text.bytes[..rows].trim_ascii_end().len())));
        }
    }
    let found = match first {
        b',' => {
            cursor.nesting.next();
            return Some(Next::Skip(1));
        }
        b':' => return Some(Next::Skip(1)),
        b']' | b'}' => {
            let owes_record = cursor.nesting.is_marked(0);
            cursor.nesting.leave();
            // It was too long to be looked through before.
            return Some(if owes_record { Next::Record(Record::without_puzzle(1)) } else { Next::Skip(1) });
        }
        b'/' | b'#' if text.skip_space(0) != Ok(0) => match text.skip_space(0) {
            Ok(length) => return Some(Next::Skip(length)),
            Err(Stop::More) => return None,
            // A comment without end: its first character is none.
            Err(Stop::NoRecord(_)) => return Some(Next::Skip(1)),
        },
        b'[' | b'{' => record::find(&text, 0, keys),
        _ => match record::name(&text, 0) {
            Ok(Some((name, length))) => {
                let is_puzzle = name.len() == CELLS && !keys.are_said() && record::is_puzzle(name);
                if cursor.nesting.depth > 0 || is_puzzle {
                    cursor.nesting.set_key(name);
                    return if is_puzzle {
                        record::of_name(&text, (name, length)).map(Next::Record)
                    } else {
                        Some(Next::Skip(length))
                    };
                }
                // A title.
                if !is_quote(first) && !keys.are_said() && !keys.holds_solutions(name) {
                    match is_grid_alone(&text, length) {
                        Err(Stop::More) => return None,
                        Ok(true) => return Some(Next::Skip(length)),
                        _ => {}
                    }
                }
                // The members of an object that lacks its bracket.
                return match record::members(&text, 0, keys) {
                    Err(Stop::More) => None,
                    Ok(Found::Record(record)) => Some(Next::Record(record)),
                    Ok(Found::Nothing(shown) | Found::Container(shown)) | Err(Stop::NoRecord(shown)) => {
                        cursor.nesting.enter(false);
                        cursor.nesting.set_key(name);
                        Some(Next::Enter(length, shown))
                    }
                };
            }
            Ok(None) => record::find(&text, 0, keys),
            Err(stop) => Err(stop),
        },
    };
    let entered = |cursor: &mut Cursor, shown| {
        let solutions = keys.holds_solutions(cursor.nesting.key());
        cursor.nesting.enter(solutions);
        Some(Next::Enter(1, shown))
    };
    let is_owed = first == b'{'
        && (cursor.nesting.is_in_records() || rules.list.is_some_and(|list| cursor.nesting.is_in(&list)));
    match found {
        Err(Stop::More) => None,
        Err(Stop::NoRecord(shown)) if matches!(first, b'[' | b'{') => {
            let entered = entered(cursor, shown);
            if is_owed {
                cursor.nesting.mark(0);
            }
            entered
        }
        Err(Stop::NoRecord(_)) if first == b'"' => {
            cursor.phase = Phase::Overflow;
            Some(Next::Skip(1))
        }
        Err(Stop::NoRecord(length)) => Some(Next::Skip(length.max(1))),
        Ok(Found::Container(shown)) if is_owed => match text.container(0) {
            Err(Stop::More) => None,
            Ok(object) if object.closed => match holds_records(&text.bytes[..object.end], keys) {
                true => entered(cursor, shown.max(object.end)),
                false => Some(Next::Record(Record::without_puzzle(object.end))),
            },
            _ => {
                let entered = entered(cursor, shown);
                cursor.nesting.mark(0);
                entered
            }
        },
        Ok(Found::Container(shown)) if first == b'[' => match record::first_in_list(&text, keys) {
            Err(Stop::More) => None,
            Ok(Some(end)) => {
                let entered = entered(cursor, shown.max(end));
                cursor.nesting.holds_records();
                entered
            }
            _ => entered(cursor, shown),
        },
        Ok(Found::Container(shown)) => entered(cursor, shown),
        Ok(Found::Nothing(length)) if cells::is_cell(first) => match value::bare_cells(&text) {
            Err(Stop::More) => None,
            Err(Stop::NoRecord(length)) => Some(Next::Skip(length)),
            Ok(bare) => {
                (0..bare.commas).for_each(|_| cursor.nesting.next());
                if !bare.are_board {
                    return Some(Next::Skip(bare.end.max(length)));
                }
                cursor.nesting.leave();
                Some(Next::Record(Record::without_puzzle(bare.end)))
            }
        },
        Ok(Found::Nothing(length))
            if is_quote(first) && is_cut_puzzle(cursor, &text.bytes[..length], keys) =>
        {
            Some(Next::Record(Record::of_cells(length)))
        }
        Ok(Found::Nothing(length)) if first == b'[' && cursor.nesting.solutions == 0 => {
            match value::bare_rows(&text) {
                Err(Stop::More) => None,
                Ok(Some(end)) => Some(Next::Record(Record::without_puzzle(end))),
                _ => Some(Next::Skip(length)),
            }
        }
        Ok(Found::Nothing(length)) => Some(Next::Skip(length)),
        Ok(Found::Record(record)) if first == b'[' && are_boxes(cursor) => Some(Next::Skip(record.end)),
        Ok(Found::Record(record))
            if first == b'[' && are_other_lists(cursor) && record::is_nested(&text, 0) == Ok(true) =>
        {
            Some(Next::Skip(record.end))
        }
        Ok(Found::Record(record)) if first != b'{' && !is_puzzle(cursor, keys) && keys.puzzles_lost => {
            cursor.nesting.found_record();
            Some(Next::Record(Record::of_lost_puzzle(record.end)))
        }
        Ok(Found::Record(record)) if first != b'{' && !is_puzzle(cursor, keys) => {
            Some(Next::Solution(record))
        }
        Ok(Found::Record(record)) => {
            if cursor.nesting.depth > 0 {
                cursor.nesting.found_record();
            }
            Some(Next::Record(record))
        }
    }
}

/// How many strings of nine cells stand at the start, with commas between them, and their bytes: the rest of a list whose
/// beginning is missing. `None` if that depends on bytes that are not there yet.
fn rows_in_quotes(text: &Text<'_>) -> Option<(usize, usize)> {
    const STRING: usize = SIDE + 2;
    let is_row = |string: &[u8]| {
        is_quote(string[0]) && string[STRING - 1] == string[0] && cells::run(&string[1..]) == SIDE
    };
    let (mut rows, mut end, mut at) = (0, 0, 0);
    loop {
        match text.bytes.get(at..at + STRING) {
            None if text.edge == Edge::More => return None,
            Some(string) if rows < CELLS && is_row(string) => {
                (rows, end) = (rows + 1, at + STRING);
                let between = |byte: &&u8| is_space(**byte) || **byte == b',';
                at = end + text.bytes[end..].iter().take_while(between).count();
            }
            _ => return Some((rows, end)),
        }
    }
}

/// Bytes of the lines at the start that open no value and have no rows in them, or are elements of XML, as many as a
/// puzzle may take; `None` if that depends on bytes that are not there yet.
fn other_length(text: &Text<'_>) -> Option<usize> {
    const MOST: usize = 1 << 10;
    let near = &text.bytes[..text.bytes.len().min(MOST)];
    let has_rows = |line: &[u8]| line.split(|&byte| !cells::is_cell(byte)).any(|run| run.len() >= SIDE);
    let is_element = |line: &[u8]| line.trim_ascii_start().starts_with(b"<");
    let are_elements = is_element(near);
    let is_other = |line: &&[u8]| {
        !line.iter().any(|byte| b"[{\"".contains(byte))
            && if are_elements { is_element(line) } else { !has_rows(line) }
    };
    let lines = near.split_inclusive(|&byte| byte == b'\n');
    let length: usize = lines.take_while(is_other).map(<[u8]>::len).sum();
    let is_seen = length < near.len() || near.len() == MOST || text.edge != Edge::More;
    let whole = if length == MOST { memchr::memrchr(b'\n', near).unwrap_or(MOST) } else { length };
    is_seen.then(|| near[..whole].trim_ascii_end().len())
}

/// Whether what stands at `at` is a grid alone, and no member of an object.
fn is_grid_alone(text: &Text<'_>, at: usize) -> Result<bool, Stop> {
    let at = text.skip_space(at)?;
    if text.get(at) != Some(b'[') {
        return Ok(false);
    }
    let value = value::look(text, at)?;
    let behind = text.skip_space(value.end)?;
    if text.get(behind).is_none() {
        text.stop()?;
    }
    let is_grid = matches!(value.kind, Kind::Grid(_) | Kind::Wrong | Kind::Rows);
    Ok(is_grid && !matches!(text.get(behind), Some(b',' | b'}')))
}

/// What stands before the first record of a document, of which no batch may have all.
fn above(sample: &Sample<'_>, rules: &Rules) -> Vec<u8> {
    const MOST: usize = 4 << 10;
    let (mut cursor, mut at) = (Cursor::START, 0);
    while at < MOST
        && let Some(next) = next(&mut cursor, &sample.bytes[at..], sample.end(), rules)
        && !matches!(next, Next::Record(_))
    {
        at += next.length();
    }
    sample.bytes[..at.min(MOST)].to_vec()
}

/// Whether there is a record in some whole value.
fn holds_records(bytes: &[u8], keys: &Keys) -> bool {
    let rules = Rules { keys: keys.clone(), list: None };
    let (mut cursor, mut at) = (Cursor::START, 0);
    while let Some(next) = next(&mut cursor, &bytes[at..], TextEnd::Last, &rules) {
        at += match next {
            Next::Record(_) => return true,
            next => next.length(),
        };
    }
    false
}

/// Whether a value alone is a puzzle, by its name and those of what it is in: solutions are none.
fn is_puzzle(cursor: &Cursor, keys: &Keys) -> bool {
    let nesting = &cursor.nesting;
    match &keys.puzzle {
        Some(name) => nesting.is_within(name),
        None => nesting.solutions == 0 && !keys.holds_solutions(nesting.key()),
    }
}

/// Whether a string in a list is a puzzle that lost cells: puzzles stand beside it, or it is long.
fn is_cut_puzzle(cursor: &Cursor, string: &[u8], keys: &Keys) -> bool {
    let content = without_quotes(string);
    content.len() >= SIDE
        && cells::are_all(content)
        && cursor.nesting.depth > 0
        && cursor.nesting.key().is_empty()
        && (cursor.nesting.is_in_records() || has_long_run(content))
        && is_puzzle(cursor, keys)
}

/// Whether lists of nine are boxes, by the names of what they are in, and not rows.
fn are_boxes(cursor: &Cursor) -> bool {
    record::are_boxes(|name| cursor.nesting.is_within(name))
}

/// Whether lists of nine are boxes or columns by the name next to them. An object in which they alone are a puzzle is
/// a record itself.
fn are_other_lists(cursor: &Cursor) -> bool {
    let name = cursor.nesting.nearest_key();
    record::are_near_boxes(name) || record::are_columns(cursor.nesting.key())
}

impl Next {
    /// Bytes up to what follows.
    const fn length(&self) -> usize {
        match self {
            Self::Skip(length) | Self::Enter(length, _) => *length,
            Self::Record(record) | Self::Solution(record) => record.end,
        }
    }
}

/// Passes what follows of a string that is longer than any record.
fn rest_of_string(cursor: &mut Cursor, bytes: &[u8], edge: Edge) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = memchr::memchr3(b'"', b'\\', b'\n', &bytes[at..]).map(|found| at + found) {
        if bytes[found] != b'\\' {
            cursor.phase = Phase::Records;
            return Some(found + 1);
        }
        if found + 2 > bytes.len() {
            // What is escaped is not there yet.
            return if found > 0 { Some(found) } else { (edge != Edge::More).then_some(1) };
        }
        at = found + 2;
    }
    Some(bytes.len())
}

impl Format for Document {
    fn step(&self, cursor: &mut Cursor, rest: &[u8], end: TextEnd) -> Step {
        let Some(next) = next(cursor, rest, end, &self.head.rules) else { return Step::Incomplete };
        let length = next.length();
        let lines = cursor.pass(&rest[..length]);
        match next {
            Next::Record(_) => Step::Record { length, lines },
            _ => Step::Skip { length, lines },
        }
    }

    fn cut(&self, cursor: &mut Cursor, bytes: &[u8], end: TextEnd) -> Cut {
        let mut cut = Cut::default();
        // The last place where a batch may end, since what was gone into shows before it.
        let mut safe = None;
        let mut shown_before = 0;
        loop {
            let (before, rest) = (*cursor, &bytes[cut.length..]);
            let mut is_record = false;
            let Some(next) = next(cursor, rest, end, &self.head.rules) else { break };
            match next {
                Next::Enter(_, shown) => shown_before = shown_before.max(cut.length + shown),
                Next::Record(record) => {
                    if cut.records == 0 && shown_before > cut.length {
                        // What was gone into comes alone: the batch begins within it.
                        *cursor = before;
                        return cut;
                    }
                    cut.records += 1;
                    is_record = true;
                    let is_rest = end == TextEnd::Last && rest[record.end..].trim_ascii().is_empty();
                    if is_rest && record.puzzle(&Text { bytes: rest, edge: Edge::Last }, 0).is_err() {
                        // It is what was cut off.
                        cursor.nesting = Nesting::OUTSIDE;
                    }
                }
                Next::Skip(_) | Next::Solution(_) => {}
            }
            let length = next.length();
            cut.lines += cursor.pass(&rest[..length]);
            cut.length += length;
            // Behind a string a batch cannot end: what follows says whether it is whole.
            let may_end = is_record || matches!(rest[0], b']' | b'}');
            if may_end && cut.records > 0 && shown_before <= cut.length {
                safe = Some((cut, *cursor));
                if cut.records >= MOST_RECORDS {
                    break;
                }
            }
        }
        let Some((safe, at)) = safe else { return cut };
        *cursor = at;
        safe
    }

    fn read(&self, mut cursor: Cursor, bytes: &[u8], mut line: u64, want: Want, out: &mut Records) {
        let mut start = 0;
        loop {
            let (before, rest) = (cursor, &bytes[start..]);
            let Some(next) = next(&mut cursor, rest, TextEnd::Last, &self.head.rules) else { return };
            let length = next.length();
            if let Next::Record(record) = next {
                let span = Span { start, length };
                out.paths.push(|path| cursor.nesting.write(path));
                let apart = out.paths.get(out.len()).and_then(|path| self.pairs.claim(path));
                push(&record, &rest[..length], (line, before.column), span, apart, want, out);
            }
            line += cursor.pass(&rest[..length]);
            start += length;
        }
    }

    fn place_of(&self, line: u64, text: &[u8], cell: usize) -> Place {
        place_of(line, text, cell, self.head.keys())
    }

    fn claim_text(&self, text: &[u8]) -> Option<Vec<u8>> {
        claim_text(text, self.head.keys())
    }

    fn claim_place(&self, line: u64, text: &[u8], cell: usize) -> Place {
        claim_place(line, text, cell, self.head.keys())
    }

    fn claim_apart(&self, path: &str, cell: usize) -> Option<(&[u8], Place)> {
        let solution = self.pairs.claim(path)?;
        Some((without_quotes(&solution.text), solution.place(cell)))
    }

    fn has_columns(&self) -> bool {
        self.head.keys().are_said()
    }

    fn columns(&self) -> Columns {
        self.head.columns.clone()
    }

    fn has_claims(&self) -> bool {
        self.head.has_claims || !self.pairs.is_empty()
    }

    fn carry(&self, records: &Records, bytes: &[u8], wanted: &[Option<usize>], out: &mut [Texts]) {
        members::carry(records, bytes, &self.head.columns.names, wanted, out);
    }

    fn beside(&self, records: &Records, bytes: &[u8], line: u64, before: u64, tell: Tell<'_>) {
        members::beside(records, bytes, &self.head, tell);
        let above = (before == 0).then_some(&*self.above);
        members::around(records, bytes, (line, before), above, self.head.keys(), tell);
    }

    fn begins_lines(&self) -> bool {
        false
    }

    fn note(&self, _: &Cursor, records: u64) -> Option<String> {
        self.head.note(records, &self.pairs)
    }

    fn bad_end(&self, cursor: &Cursor) -> Option<Fault> {
        cut_off(cursor, "lists or objects")
    }
}

/// What is wrong with the end of a document in which something is open.
pub(super) fn cut_off(cursor: &Cursor, what: &str) -> Option<Fault> {
    let open = cursor.nesting.depth;
    (open > 0).then(|| Fault::new(FaultKind::CutOffDocument, None).number(open as usize).text(what))
}

impl Format for Lines {
    fn step(&self, _: &mut Cursor, rest: &[u8], end: TextEnd) -> Step {
        let Some(length) = line_length(rest, end) else { return Step::Incomplete };
        let skipped = match rest[0] {
            b'#' => true,
            byte => byte <= b' ' && length <= MAX_LINE && rest[..length].trim_ascii().is_empty(),
        };
        if skipped { Step::Skip { length, lines: 1 } } else { Step::Record { length, lines: 1 } }
    }

    fn read(&self, cursor: Cursor, bytes: &[u8], line: u64, want: Want, out: &mut Records) {
        super::batch::walk(self, cursor, bytes, line, |_, line, span| {
            let text = span.of(bytes);
            match record_of_line(text, &self.0.rules) {
                Ok((start, record)) => {
                    push(&record, &text[start..], (line, start as u64), span, None, want, out)
                }
                Err((at, fault)) => {
                    if want.claims {
                        out.claims.push(None);
                    }
                    out.push_fault(line, span, Layout::Line, fault.at(Place { line, column: at as u64 + 1 }));
                }
            }
        });
    }

    fn place_of(&self, line: u64, text: &[u8], cell: usize) -> Place {
        in_line(text, &self.0.rules, |text| place_of(line, text, cell, self.0.keys()))
    }

    fn claim_text(&self, text: &[u8]) -> Option<Vec<u8>> {
        let (start, _) = record_of_line(text, &self.0.rules).ok()?;
        claim_text(&text[start..], self.0.keys())
    }

    fn claim_place(&self, line: u64, text: &[u8], cell: usize) -> Place {
        in_line(text, &self.0.rules, |text| claim_place(line, text, cell, self.0.keys()))
    }

    fn has_columns(&self) -> bool {
        self.0.keys().are_said()
    }

    fn columns(&self) -> Columns {
        self.0.columns.clone()
    }

    fn has_claims(&self) -> bool {
        self.0.has_claims
    }

    fn carry(&self, records: &Records, bytes: &[u8], wanted: &[Option<usize>], out: &mut [Texts]) {
        members::carry(records, bytes, &self.0.columns.names, wanted, out);
    }

    fn beside(&self, records: &Records, bytes: &[u8], _line: u64, _before: u64, tell: Tell<'_>) {
        members::beside(records, bytes, &self.0, tell);
    }

    fn excerpt(&self) -> Option<Excerpt> {
        Some(Excerpt { between: "", end: "" })
    }

    fn note(&self, _: &Cursor, records: u64) -> Option<String> {
        self.0.note(records, &Pairs::default())
    }
}

/// The record of a line and where it starts, or what is wrong and where.
#[inline]
fn record_of_line(line: &[u8], rules: &Rules) -> Result<(usize, Record), (usize, Fault)> {
    let bare = line.strip_suffix(b"\n").unwrap_or(line);
    if bare.len() > MAX_LINE {
        return Err((MAX_LINE, Fault::new(FaultKind::LineTooLong, None)));
    }
    if !matches!(bare.first(), Some(b'{' | b'[' | b'"')) && is_no_json(bare) {
        return Err((bare.len() - bare.trim_ascii_start().len(), Fault::new(FaultKind::NoJson, None)));
    }
    let mut cursor = Cursor::START;
    let mut found = None;
    let mut count = 0_usize;
    let mut at = 0;
    while let Some(next) = next(&mut cursor, &bare[at..], TextEnd::Last, rules) {
        if let Next::Record(record) = next
            && record.has_puzzle()
        {
            count += 1;
            found.get_or_insert((at, record));
        }
        at += next.length();
    }
    match found {
        Some(found) if count == 1 => Ok(found),
        Some((at, _)) => Err((at, Fault::new(FaultKind::SeveralPuzzles, None).number(count))),
        None => {
            let start = bare.len() - bare.trim_ascii_start().len();
            Err((start, Fault::new(FaultKind::NoPuzzle, None).text("line")))
        }
    }
}

/// Whether a line begins with a word, and there is more behind it.
#[cold]
fn is_no_json(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    line.first().is_some_and(|&byte| !matches!(byte, b'{' | b'[') && !is_quote(byte))
        && is_several_words(line)
}

/// Whether there is something behind the first word of a line.
fn is_several_words(line: &[u8]) -> bool {
    let text = Text { bytes: line, edge: Edge::Last };
    text.word(0).and_then(|end| text.skip_space(end)).is_ok_and(|end| end < line.len())
}

/// Adds a record whose text begins on a line, so many bytes behind its start.
/// What it claims may stand apart.
fn push(
    record: &Record,
    text: &[u8],
    (line, before): (u64, u64),
    span: Span,
    apart: Option<&Solution>,
    want: Want,
    out: &mut Records,
) {
    let whole = Text { bytes: text, edge: Edge::Last };
    let place = |at| place_within(line, before, text, at);
    let puzzle = record.puzzle(&whole, 0);
    let path = out.paths.get(out.len()).map(Box::from);
    if want.claims {
        let placed = |(at, fault): (usize, Fault)| fault.at(place(at));
        let own = record.claim(&whole).map(|claim| claim.map_err(placed));
        let claim = own.or_else(|| apart.map(Solution::read)).filter(|_| puzzle.is_ok());
        out.claims.push(claim.map(|claim| claim.map_err(|fault| Fault { path: path.clone(), ..fault })));
    }
    let puzzle = puzzle.map_err(|(at, fault)| Fault { path, ..fault.at(place(at)) });
    out.push_puzzle(line, span, Layout::Line, puzzle);
}

/// The place of an offset in a text that starts on `line`, so many bytes behind its start.
pub(super) fn place_within(line: u64, before: u64, text: &[u8], at: usize) -> Place {
    let place = place_in(line, text, at);
    if place.line == line { Place { column: place.column + before, ..place } } else { place }
}

fn place_of(line: u64, text: &[u8], cell: usize, keys: &Keys) -> Place {
    let record = record::again(text, keys);
    let by_columns = record.is_some_and(|record| record.by_columns);
    let cell = if by_columns { value::in_columns(cell) } else { cell };
    cell_place(line, text, record.map(|record| record.puzzle.start), cell)
}

fn claim_place(line: u64, text: &[u8], cell: usize, keys: &Keys) -> Place {
    let claim = record::again(text, keys).and_then(|record| record.claim);
    cell_place(line, text, claim.map(|claim| claim.start), cell)
}

/// The place of a cell of the value that starts at `value`.
fn cell_place(line: u64, text: &[u8], value: Option<usize>, cell: usize) -> Place {
    let whole = Text { bytes: text, edge: Edge::Last };
    let places = value.and_then(|at| value::places(&whole, at));
    place_in(line, text, places.and_then(|places| places.get(cell).copied()).unwrap_or(0))
}

fn claim_text(text: &[u8], keys: &Keys) -> Option<Vec<u8>> {
    let claim = record::again(text, keys)?.claim?;
    text.get(claim.start..claim.end).map(|text| without_quotes(text).to_vec())
}

fn without_quotes(value: &[u8]) -> &[u8] {
    match value {
        [quote, inside @ .., _] if is_quote(*quote) => inside,
        _ => value,
    }
}

/// A place in the record of a line.
fn in_line(line: &[u8], rules: &Rules, place: impl Fn(&[u8]) -> Place) -> Place {
    let start = record_of_line(line, rules).map_or(0, |(start, _)| start);
    let found = place(&line[start..]);
    Place { column: found.column + start as u64, ..found }
}

/// Whether an input begins as a document does: with a list or an object that no comma follows, as rows of source do; or
/// with what such a document has within it, if its first bytes are missing.
pub(super) fn is_document(sample: &Sample<'_>) -> bool {
    let text = Text { bytes: sample.bytes, edge: Edge::Last };
    let is_whole = |at: usize| -> Result<bool, Stop> {
        let inner = text.skip_space(at + 1)?;
        // A lone brace above other lines.
        if text.bytes[at] == b'{'
            && text.get(inner).is_some_and(cells::is_cell)
            && record::name(&text, inner)?.is_none()
        {
            return Ok(false);
        }
        let follows = text.get(text.skip_space(text.container(at)?.end)?);
        Ok(follows != Some(b',')
            || match (text.bytes[at], text.get(inner)) {
                (b'[', Some(b'[')) => {
                    matches!(value::look(&text, at)?.kind, Kind::Grid(_) | Kind::Wrong | Kind::Rows)
                }
                (_, Some(quote)) if is_quote(quote) => record::name(&text, inner)?.is_some(),
                _ => false,
            })
    };
    let Ok(at) = text.skip_space(0) else { return false };
    match text.get(at) {
        Some(b'[') if is_section(&text.bytes[at..]) => false,
        Some(b'[' | b'{') => is_whole(at) == Ok(true),
        Some(quote) if is_quote(quote) => match record::name(&text, at) {
            Ok(None) => {
                let is_puzzle = |value: Value| matches!(value.kind, Kind::Grid(_) | Kind::Wrong);
                value::look(&text, at).is_ok_and(is_puzzle) && has_other_end(&text, at)
            }
            name => name.is_ok(),
        },
        // The rest of a string.
        Some(_) => {
            let length = memchr::memchr(b'\n', &text.bytes[at..]).unwrap_or(0);
            let line = text.bytes[at..at + length].trim_ascii_end();
            let line = line.strip_suffix(b",").unwrap_or(line);
            line.strip_suffix(b"\"").is_some_and(|cells| cells::run(cells) == cells.len())
                && has_other_end(&text, at + length)
        }
        None => false,
    }
}

/// Whether an input begins within a document.
pub(super) fn lacks_start(sample: &Sample<'_>) -> bool {
    let text = Text { bytes: sample.bytes, edge: Edge::Last };
    let is_value = |at: &usize| {
        text.get(*at).is_some_and(|byte| matches!(byte, b'[' | b'{' | b'"' | b',' | b'0'..=b'9'))
    };
    text.skip_space(0).ok().filter(is_value).is_some_and(|at| has_other_end(&text, at))
}

/// Whether a text begins with the name of a section in brackets, as TOML and INI have them.
pub(super) fn is_section(text: &[u8]) -> bool {
    let line = &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())];
    let inside = |line: &'_ [u8]| line.strip_prefix(b"[")?.strip_suffix(b"]").map(<[u8]>::to_vec);
    let name = inside(line.trim_ascii_end()).map(|name| inside(&name).unwrap_or(name)).unwrap_or_default();
    name.first().is_some_and(u8::is_ascii_alphabetic)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b' '))
}

/// Whether a list or an object ends behind `at` that began before.
fn has_other_end(text: &Text<'_>, mut at: usize) -> bool {
    while let Some(byte) = text.get(at) {
        at = match byte {
            b']' | b'}' => return true,
            b'[' | b'{' => match text.container(at) {
                Ok(inner) => inner.end,
                Err(_) => return false,
            },
            byte if is_quote(byte) => match text.string(at) {
                Ok(string) => string.end,
                Err(_) => return false,
            },
            _ => at + 1,
        }
    }
    false
}

/// The byte with which the first value begins.
fn first_value(sample: &Sample<'_>) -> Option<u8> {
    let text = Text { bytes: sample.bytes, edge: Edge::Last };
    text.get(text.skip_space(0).ok()?)
}

/// Whether a sample is JSON Lines: whole values on its lines, and no line with two puzzles. If there are others, most lines
/// must have a puzzle, the first among them.
fn is_lines(sample: &Sample<'_>, keys: &Keys) -> bool {
    let rules = Rules { keys: keys.clone(), list: None };
    // A list of objects alone is a document, in which each must have a puzzle.
    let start = sample.bytes.trim_ascii();
    if start.starts_with(b"[{") && memchr::memchr(b'\n', start).is_none() {
        return false;
    }
    let (mut values, mut puzzles, mut others) = (0, 0, 0);
    for line in sample.lines().filter(|line| !line.trim_ascii().is_empty()).take(RECORDS_LOOKED_AT) {
        let text = Text { bytes: line.trim_ascii(), edge: Edge::Last };
        let is_value = match text.bytes[0] {
            b'[' | b'{' => text.container(0).is_ok_and(|value| value.closed && value.end == text.bytes.len()),
            b'"' => text.string(0).is_ok_and(|value| value.closed && value.end == text.bytes.len()),
            _ => false,
        };
        if !is_value {
            others += 1;
        } else {
            match record_of_line(line, &rules) {
                Ok(_) => puzzles += 1,
                Err((_, fault)) if fault.kind == FaultKind::SeveralPuzzles => return false,
                Err(_) => {}
            }
            values += 1;
        }
        // The first line says that it is one of a list.
        if others > 0 && puzzles == 0 {
            return false;
        }
    }
    if others > 0 { puzzles > others } else { values > 0 }
}

/// The records of a sample, each with its text. What is cut off by its end is gone into.
fn records<'a>(sample: &Sample<'a>, keys: &Keys) -> impl Iterator<Item = (Record, &'a [u8])> {
    records_in(sample, keys).map(|(_, record, text)| (record, text))
}

/// The same with the ways to them.
fn records_in<'a>(
    sample: &Sample<'a>,
    keys: &Keys,
) -> impl Iterator<Item = (Nesting, Record, &'a [u8])> + use<'a> {
    let all = all_in(sample, keys).filter(|&(_, _, _, is_solution)| !is_solution);
    all.map(|(nesting, record, text, _)| (nesting, record, text)).take(RECORDS_LOOKED_AT)
}

/// Whether solutions that are the only grids of a sample have puzzles in a form that is not read.
fn lacks_puzzles(sample: &Sample<'_>, alone: &Keys) -> bool {
    members::lack_puzzle(sample.bytes)
        || records(sample, alone).any(|(_, text)| text.starts_with(b"{") && members::lack_puzzle(text))
}

/// The same, with the solutions that stand apart, of which each says that it is one.
fn all_in<'a>(
    sample: &Sample<'a>,
    keys: &Keys,
) -> impl Iterator<Item = (Nesting, Record, &'a [u8], bool)> + use<'a> {
    let rules = Rules { keys: keys.clone(), list: None };
    let bytes = sample.bytes;
    let (mut cursor, mut at) = (Cursor::START, 0);
    std::iter::from_fn(move || {
        loop {
            let rest = &bytes[at..];
            let next = next(&mut cursor, rest, TextEnd::Last, &rules)?;
            at += next.length();
            match next {
                Next::Record(record) if record.has_puzzle() => {
                    return Some((cursor.nesting, record, &rest[..record.end], false));
                }
                Next::Solution(record) => return Some((cursor.nesting, record, &rest[..record.end], true)),
                _ => {}
            }
        }
    })
}

/// Cells of the solutions that stand apart: no other family knows them from puzzles.
fn solutions(sample: &Sample<'_>, keys: &Keys) -> u64 {
    let is_grid = |(_, record, _, is_solution): &(_, Record, _, _)| {
        *is_solution && matches!(record.puzzle.kind, Kind::Grid(_))
    };
    all_in(sample, keys).take(RECORDS_LOOKED_AT).filter(is_grid).count() as u64 * CELLS as u64
}

/// The records of the lines of a sample, each with its line and where it starts there.
fn records_of_lines<'a>(
    sample: &Sample<'a>,
    keys: &Keys,
) -> impl Iterator<Item = (&'a [u8], usize, Record)> + use<'a> {
    let rules = Rules { keys: keys.clone(), list: None };
    let record = move |line| record_of_line(line, &rules).ok().map(|(start, record)| (line, start, record));
    sample.lines().filter_map(record).take(RECORDS_LOOKED_AT)
}

/// The list whose objects are records: that of the first record.
fn list_of_records(sample: &Sample<'_>, keys: &Keys) -> Option<Nesting> {
    records_in(sample, keys).next()?.0.list()
}

/// Whether what follows a sample may tell how the input is to be read.
fn wants_more(sample: &Sample<'_>, keys: &Keys) -> bool {
    if sample.whole {
        return false;
    }
    let mut records = records_in(sample, keys).peekable();
    let is_in_list = records.peek().is_some_and(|(nesting, ..)| nesting.in_member().is_some());
    keys.solutions_alone
        || keys.puzzles_lost
        || missing_column(sample).is_some()
        || sample.claims && is_in_list && records.all(|(_, record, _)| record.claim.is_none())
}

/// The error for what has no key that was said.
fn missing_column(sample: &Sample<'_>) -> Option<InputError> {
    if sample.puzzle_column.is_none() && sample.solution_column.is_none() {
        return None;
    }
    let columns = members::names(sample.bytes);
    let lacks = |wanted: &&str| !columns.iter().any(|name| name.eq_ignore_ascii_case(wanted));
    let name = sample.name.to_owned();
    if let Some(wanted) = sample.puzzle_column.filter(lacks) {
        return Some(InputError::NoPuzzleColumn { name, columns, wanted: Some(wanted.to_owned()) });
    }
    let wanted = sample.solution_column.filter(lacks)?.to_owned();
    Some(InputError::NoSolutionColumn { name, columns, wanted })
}

/// Cells of the puzzles that can be read, and whether all can.
fn evidence<'a>(records: impl Iterator<Item = (Record, &'a [u8])>) -> (u64, bool) {
    let (mut seen, mut is_all) = (0, None);
    for (record, text) in records {
        let grid = record.puzzle(&Text { bytes: text, edge: Edge::Last }, 0);
        let is_good = matches!(grid, Ok(grid) if (grid.clues() as usize) < CELLS);
        is_all = Some(is_all.unwrap_or(true) && is_good);
        seen += match grid {
            _ if is_good => CELLS as u64,
            // Several puzzles, or a solution without one: to others it may look like one.
            Err(_) if record.lost_puzzle() || value::is_several(text, &record.puzzle) => 2 * CELLS as u64,
            _ => u64::from(record.is_likely()),
        };
    }
    (seen, is_all == Some(true))
}

#[cfg(test)]
mod tests;
