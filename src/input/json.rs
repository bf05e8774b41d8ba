//! JSON: documents with puzzles anywhere in them, and JSON Lines.
//!
//! A puzzle is a string of 81 cells, a list of 81 or a list of nine rows (`value`); an object is a record if one of its
//! own members is a puzzle, and another may be its solution (`record`). Everything else is gone into, whatever it is
//! called and however deep. JSON Lines are cut at line ends and read by any thread. A document is cut by the one thread
//! that reads it: its records may be anywhere, so it has to be taken apart (`scan`) to know how many there are, and the
//! same is done again to read a batch. An object without a puzzle in a list whose others have one is an invalid record.
//! That a list or an object is no record may hang on bytes far behind: then a batch begins within it or holds those
//! bytes, too.

mod members;
pub(super) mod record;
mod scan;
pub(super) mod value;

use std::sync::Arc;

use self::record::{Found, Record};
use self::scan::{Edge, Stop, Text, is_quote, is_space};
use super::batch::{Cursor, Cut, Format, MOST_RECORDS, Phase, Step, TextEnd, line_length, place_in};
use super::family::{Family, Sample, Seen};
use super::look::Excerpt;
use super::nesting::Nesting;
use super::{Columns, InputError, MAX_LINE};
use crate::record::{Fault, FaultKind, Layout, Place, Records, Span, Texts, Want};
use crate::sudoku::CELLS;

pub(super) const FAMILY: Family = Family {
    name: "json",
    about: "JSON with puzzles anywhere in it: strings or lists of 81 cells, lists of nine rows",
    has_columns: false,
    look: |sample| {
        let open = |sample: &Sample<'_>| {
            let columns = members::columns(records(sample).map(|(record, text)| (text, 0, record)));
            let head = Head::of(sample, columns);
            Ok(Arc::new(Document { head, list: list_of_records(sample) }) as Arc<dyn Format>)
        };
        let is_it = is_document(sample) && !is_lines(sample);
        if is_it { seen_in_document(sample, open) } else { Seen::new(0, open) }
    },
    enough: CELLS as u64,
};

pub(super) const LINES_FAMILY: Family = Family {
    name: "jsonl",
    about: "JSON Lines: a value with a puzzle in it on each line",
    has_columns: false,
    look: |sample| {
        let open = |sample: &Sample<'_>| {
            let lines = sample.lines().filter_map(|line| {
                let (start, record) = record_of_line(line).ok()?;
                Some((line, start, record))
            });
            let columns = members::columns(lines.take(RECORDS_LOOKED_AT));
            Ok(Arc::new(Lines(Head::of(sample, columns))) as Arc<dyn Format>)
        };
        match is_lines(sample) {
            false => Seen::new(0, open),
            true if is_document(sample) => seen_in_document(sample, open),
            true => Seen::new(evidence(sample).0, open),
        }
    },
    enough: CELLS as u64,
};

/// What is said of an input whose claimed solutions are wanted and not found.
const UNCLAIMED: &str = "the first records have no claimed solutions beside their puzzles (a list of solutions apart from \
                         the puzzles is not read: write an object for each puzzle)";

/// Records of a sample that are looked at.
const RECORDS_LOOKED_AT: usize = 200;

/// A document, or several one after the other.
#[derive(Debug)]
struct Document {
    head: Head,
    /// The list whose objects are records, with a puzzle or without, if there is one.
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
    /// The members that they have.
    columns: Columns,
}

impl Head {
    fn of(sample: &Sample<'_>, columns: Columns) -> Self {
        let has_claims = records(sample).any(|(record, _)| record.claim.is_some());
        Self { claims: sample.claims, has_claims, columns }
    }

    /// What there is to say of so many records.
    fn note(&self, records: u64) -> Option<String> {
        (self.claims && !self.has_claims && records > 0).then(|| UNCLAIMED.to_owned())
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
}

/// Looks at what comes next in a document and moves the cursor behind it, but for the column; `None` if that depends on
/// bytes that are not there yet.
fn next(cursor: &mut Cursor, rest: &[u8], end: TextEnd, list: Option<&Nesting>) -> Option<Next> {
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
    let found = match first {
        b',' => {
            cursor.nesting.next();
            return Some(Next::Skip(1));
        }
        b':' => return Some(Next::Skip(1)),
        b']' | b'}' => {
            cursor.nesting.leave();
            return Some(Next::Skip(1));
        }
        b'/' | b'#' if text.skip_space(0) != Ok(0) => match text.skip_space(0) {
            Ok(length) => return Some(Next::Skip(length)),
            Err(Stop::More) => return None,
            // A comment without end: its first character is none.
            Err(Stop::NoRecord(_)) => return Some(Next::Skip(1)),
        },
        b'[' | b'{' => record::find(&text, 0),
        _ => match record::name(&text, 0) {
            Ok(Some((name, length))) => {
                cursor.nesting.set_key(name);
                return Some(Next::Skip(length));
            }
            Ok(None) => record::find(&text, 0),
            Err(stop) => Err(stop),
        },
    };
    let entered = |cursor: &mut Cursor, shown| {
        let solutions = record::holds_solutions(cursor.nesting.key());
        cursor.nesting.enter(solutions);
        Some(Next::Enter(1, shown))
    };
    match found {
        Err(Stop::More) => None,
        Err(Stop::NoRecord(shown)) if matches!(first, b'[' | b'{') => entered(cursor, shown),
        Err(Stop::NoRecord(_)) if first == b'"' => {
            cursor.phase = Phase::Overflow;
            Some(Next::Skip(1))
        }
        Err(Stop::NoRecord(length)) => Some(Next::Skip(length.max(1))),
        Ok(Found::Container(shown))
            if first == b'{' && list.is_some_and(|list| cursor.nesting.is_in(list)) =>
        {
            match text.container(0) {
                Err(Stop::More) => None,
                Ok(object) if object.closed => match holds_records(&text.bytes[..object.end]) {
                    true => entered(cursor, shown.max(object.end)),
                    false => Some(Next::Record(Record::without_puzzle(object.end))),
                },
                _ => entered(cursor, shown),
            }
        }
        Ok(Found::Container(shown)) => entered(cursor, shown),
        Ok(Found::Nothing(length)) => Some(Next::Skip(length)),
        // Solutions are no puzzles, unless a member says that it is one.
        Ok(Found::Record(record)) if first != b'{' && is_solution(cursor) => Some(Next::Skip(record.end)),
        Ok(Found::Record(record)) => Some(Next::Record(record)),
    }
}

/// Whether there is a record in some whole value.
fn holds_records(bytes: &[u8]) -> bool {
    let (mut cursor, mut at) = (Cursor::START, 0);
    while let Some(next) = next(&mut cursor, &bytes[at..], TextEnd::Last, None) {
        match next {
            Next::Skip(length) | Next::Enter(length, _) => at += length,
            Next::Record(_) => return true,
        }
    }
    false
}

/// Whether the value that follows is a solution by its name, or by that of a list around it.
fn is_solution(cursor: &Cursor) -> bool {
    cursor.nesting.solutions > 0 || record::holds_solutions(cursor.nesting.key())
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
        let Some(next) = next(cursor, rest, end, self.list.as_ref()) else { return Step::Incomplete };
        let length = match next {
            Next::Skip(length) | Next::Enter(length, _) => length,
            Next::Record(record) => {
                let length = record.end;
                return Step::Record { length, lines: cursor.pass(&rest[..length]) };
            }
        };
        Step::Skip { length, lines: cursor.pass(&rest[..length]) }
    }

    fn cut(&self, cursor: &mut Cursor, bytes: &[u8], end: TextEnd) -> Cut {
        let mut cut = Cut::default();
        // The last place where a batch may end, since what was gone into shows before it.
        let mut safe = None;
        let mut shown_before = 0;
        loop {
            let (before, rest) = (*cursor, &bytes[cut.length..]);
            let mut is_record = false;
            let length = match next(cursor, rest, end, self.list.as_ref()) {
                None => break,
                Some(Next::Skip(length)) => length,
                Some(Next::Enter(length, shown)) => {
                    shown_before = shown_before.max(cut.length + shown);
                    length
                }
                Some(Next::Record(record)) => {
                    if cut.records == 0 && shown_before > cut.length {
                        // What was gone into comes alone: the batch begins within it.
                        *cursor = before;
                        return cut;
                    }
                    cut.records += 1;
                    is_record = true;
                    record.end
                }
            };
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
            let length = match next(&mut cursor, rest, TextEnd::Last, self.list.as_ref()) {
                None => return,
                Some(Next::Skip(length) | Next::Enter(length, _)) => length,
                Some(Next::Record(record)) => {
                    let span = Span { start, length: record.end };
                    let column = before.column;
                    out.paths.push(|path| before.nesting.write(path));
                    push(&record, &rest[..record.end], (line, column), span, want, out);
                    record.end
                }
            };
            line += cursor.pass(&rest[..length]);
            start += length;
        }
    }

    fn place_of(&self, line: u64, text: &[u8], cell: usize) -> Place {
        place_of(line, text, cell)
    }

    fn claim_text(&self, text: &[u8]) -> Option<Vec<u8>> {
        claim_text(text)
    }

    fn claim_place(&self, line: u64, text: &[u8], cell: usize) -> Place {
        claim_place(line, text, cell)
    }

    fn columns(&self) -> Columns {
        self.head.columns.clone()
    }

    fn has_claims(&self) -> bool {
        self.head.has_claims
    }

    fn carry(&self, records: &Records, bytes: &[u8], wanted: &[Option<usize>], out: &mut [Texts]) {
        members::carry(records, bytes, &self.head.columns.names, wanted, out);
    }

    fn begins_lines(&self) -> bool {
        false
    }

    fn note(&self, cursor: &Cursor, records: u64) -> Option<String> {
        match cursor.nesting.depth {
            0 => self.head.note(records),
            open => Some(format!("ends within {open} lists or objects that are not closed: is it cut off?")),
        }
    }
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
            match record_of_line(text) {
                Ok((start, record)) => push(&record, &text[start..], (line, start as u64), span, want, out),
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
        in_line(text, |text| place_of(line, text, cell))
    }

    fn claim_text(&self, text: &[u8]) -> Option<Vec<u8>> {
        let (start, _) = record_of_line(text).ok()?;
        claim_text(&text[start..])
    }

    fn claim_place(&self, line: u64, text: &[u8], cell: usize) -> Place {
        in_line(text, |text| claim_place(line, text, cell))
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

    fn excerpt(&self) -> Option<Excerpt> {
        Some(Excerpt { between: "", end: "" })
    }

    fn note(&self, _: &Cursor, records: u64) -> Option<String> {
        self.0.note(records)
    }
}

/// The record of a line and where it starts, or what is wrong and where.
#[inline]
fn record_of_line(line: &[u8]) -> Result<(usize, Record), (usize, Fault)> {
    let bare = line.strip_suffix(b"\n").unwrap_or(line);
    if bare.len() > MAX_LINE {
        return Err((MAX_LINE, Fault::new(FaultKind::LineTooLong, None)));
    }
    let mut cursor = Cursor::START;
    let mut found = None;
    let mut count = 0_usize;
    let mut at = 0;
    while let Some(next) = next(&mut cursor, &bare[at..], TextEnd::Last, None) {
        at += match next {
            Next::Skip(length) | Next::Enter(length, _) => length,
            Next::Record(record) => {
                count += 1;
                found.get_or_insert((at, record));
                record.end
            }
        };
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

/// Adds a record whose text begins on a line, so many bytes behind its start.
fn push(record: &Record, text: &[u8], (line, before): (u64, u64), span: Span, want: Want, out: &mut Records) {
    let whole = Text { bytes: text, edge: Edge::Last };
    let place = |at| place_within(line, before, text, at);
    let puzzle = record.puzzle(&whole, 0);
    let path = out.paths.get(out.len()).map(Box::from);
    if want.claims {
        let claim = record.claim(&whole).filter(|_| puzzle.is_ok());
        let placed = |(at, fault): (usize, Fault)| Fault { path: path.clone(), ..fault.at(place(at)) };
        out.claims.push(claim.map(|claim| claim.map_err(placed)));
    }
    let puzzle = puzzle.map_err(|(at, fault)| Fault { path, ..fault.at(place(at)) });
    out.push_puzzle(line, span, Layout::Line, puzzle);
}

/// The place of an offset in a text that starts on `line`, so many bytes behind its start.
pub(super) fn place_within(line: u64, before: u64, text: &[u8], at: usize) -> Place {
    let place = place_in(line, text, at);
    if place.line == line { Place { column: place.column + before, ..place } } else { place }
}

fn place_of(line: u64, text: &[u8], cell: usize) -> Place {
    cell_place(line, text, record::again(text).map(|record| record.puzzle.start), cell)
}

fn claim_place(line: u64, text: &[u8], cell: usize) -> Place {
    let claim = record::again(text).and_then(|record| record.claim);
    cell_place(line, text, claim.map(|claim| claim.start), cell)
}

/// The place of a cell of the value that starts at `value`.
fn cell_place(line: u64, text: &[u8], value: Option<usize>, cell: usize) -> Place {
    let whole = Text { bytes: text, edge: Edge::Last };
    let places = value.and_then(|at| value::places(&whole, at));
    place_in(line, text, places.and_then(|places| places.get(cell).copied()).unwrap_or(0))
}

fn claim_text(text: &[u8]) -> Option<Vec<u8>> {
    let claim = record::again(text)?.claim?;
    let quotes = usize::from(is_quote(text[claim.start]));
    text.get(claim.start + quotes..claim.end - quotes).map(<[u8]>::to_vec)
}

/// A place in the record of a line.
fn in_line(line: &[u8], place: impl Fn(&[u8]) -> Place) -> Place {
    let start = record_of_line(line).map_or(0, |(start, _)| start);
    let found = place(&line[start..]);
    Place { column: found.column + start as u64, ..found }
}

/// Whether an input begins as a document does: with a list or an object that no comma follows, as rows of source do.
pub(super) fn is_document(sample: &Sample<'_>) -> bool {
    let text = Text { bytes: sample.bytes, edge: Edge::Last };
    if !matches!(first_value(sample), Some(b'[' | b'{')) {
        return false;
    }
    let behind = |at| Ok(text.get(text.skip_space(text.container(text.skip_space(at)?)?.end)?));
    !matches!(behind(0), Ok::<_, Stop>(Some(b',')))
}

/// The byte with which the first value begins.
fn first_value(sample: &Sample<'_>) -> Option<u8> {
    let text = Text { bytes: sample.bytes, edge: Edge::Last };
    text.get(text.skip_space(0).ok()?)
}

/// Whether a sample is JSON Lines: whole values on its lines, and no line with two puzzles.
fn is_lines(sample: &Sample<'_>) -> bool {
    let mut lines = 0;
    for line in sample.lines().filter(|line| !line.trim_ascii().is_empty()).take(RECORDS_LOOKED_AT) {
        let text = Text { bytes: line.trim_ascii(), edge: Edge::Last };
        let is_value = match text.bytes[0] {
            b'[' | b'{' => text.container(0).is_ok_and(|value| value.closed && value.end == text.bytes.len()),
            b'"' => text.string(0).is_ok_and(|value| value.closed && value.end == text.bytes.len()),
            _ => false,
        };
        let several = |fault: &Fault| fault.kind == FaultKind::SeveralPuzzles;
        if !is_value || record_of_line(line).is_err_and(|(_, fault)| several(&fault)) {
            return false;
        }
        lines += 1;
    }
    lines > 0
}

/// The records of a sample, each with its text. What is cut off by its end is gone into.
fn records<'a>(sample: &Sample<'a>) -> impl Iterator<Item = (Record, &'a [u8])> {
    records_in(sample, None).map(|(_, record, text)| (record, text))
}

/// The list whose objects are records: that of the first record, if most objects in it have one.
fn list_of_records(sample: &Sample<'_>) -> Option<Nesting> {
    let (nesting, ..) = records_in(sample, None).next()?;
    let list = nesting.list()?;
    let (mut some, mut none) = (0, 0);
    for (_, record, _) in records_in(sample, Some(list)) {
        if record.has_puzzle() { some += 1 } else { none += 1 }
    }
    (none <= some).then_some(list)
}

/// The records of a sample, and objects without a puzzle in that list, each with the way to it.
fn records_in<'a>(
    sample: &Sample<'a>,
    list: Option<Nesting>,
) -> impl Iterator<Item = (Nesting, Record, &'a [u8])> {
    let bytes = sample.bytes;
    let (mut cursor, mut at) = (Cursor::START, 0);
    std::iter::from_fn(move || {
        loop {
            let rest = &bytes[at..];
            match next(&mut cursor, rest, TextEnd::Last, list.as_ref())? {
                Next::Skip(length) | Next::Enter(length, _) => at += length,
                Next::Record(record) => {
                    at += record.end;
                    return Some((cursor.nesting, record, &rest[..record.end]));
                }
            }
        }
    })
    .take(RECORDS_LOOKED_AT)
}

/// Twice as many cells as lines could claim that are rows or fields to others.
fn seen_in_document(
    sample: &Sample<'_>,
    open: impl Fn(&Sample<'_>) -> Result<Arc<dyn Format>, InputError> + 'static,
) -> Seen {
    let (cells, is_all) = evidence(sample);
    Seen { is_all, ..Seen::new(2 * cells, open) }
}

/// Cells of the puzzles that can be read, and whether all can.
fn evidence(sample: &Sample<'_>) -> (u64, bool) {
    let (mut seen, mut count) = (0, 0);
    for (record, text) in records(sample) {
        count += 1;
        let grid = record.puzzle(&Text { bytes: text, edge: Edge::Last }, 0);
        seen += match grid {
            Ok(grid) if (grid.clues() as usize) < CELLS => CELLS as u64,
            _ => u64::from(record.is_likely()),
        };
    }
    (seen, count > 0 && seen == count * CELLS as u64)
}

#[cfg(test)]
mod tests;
