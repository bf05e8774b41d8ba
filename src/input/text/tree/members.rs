//! The members of the objects that are records, as columns that are carried along.

use std::borrow::Cow;
use std::ops::Range;

use super::finder::{Finder, Found, Held, Rules};
use super::lexer::{Quoted, Stop, is_space, string, value_end};
use crate::input::reader::Sample;
use crate::input::text::nesting::Nesting;
use crate::input::{Columns, InputError, names};
use crate::record::{Records, Texts};

/// Records of a sample whose members are its columns.
const RECORDS_LOOKED_AT: usize = 200;

/// The members of an object, or of what is left of one: names, and where the values stand.
pub(super) fn members(object: &[u8]) -> impl Iterator<Item = (Quoted, Range<usize>)> {
    let skip = |mut at: usize, more: &[u8]| {
        while object.get(at).is_some_and(|byte| is_space(*byte) || more.contains(byte)) {
            at += 1;
        }
        at
    };
    // Lists have no members, and a line may begin with spaces.
    let start = skip(0, b"{");
    let mut at = if object.get(skip(0, b"")) == Some(&b'[') { object.len() } else { start };
    std::iter::from_fn(move || {
        let start = skip(at, b",");
        if object.get(start) != Some(&b'"') {
            return None;
        }
        let key = string(object, start).ok()?;
        let colon = skip(key.end + 1, b"");
        if object.get(colon) != Some(&b':') {
            return None;
        }
        let value = skip(colon + 1, b"");
        at = value_end(object, value)?;
        Some((key, value..at))
    })
}

/// The text of a value as a column holds it; nothing for `null`.
fn text(value: &[u8]) -> Option<Cow<'_, [u8]>> {
    match value {
        b"null" => None,
        [b'"', ..] => Some(string(value, 0).ok()?.text(value)),
        _ => Some(Cow::Borrowed(value)),
    }
}

/// What the first records of a sample have as columns: the members of their objects, or of their lines.
///
/// # Errors
///
/// When no key is called what was said.
pub(super) fn columns(sample: &Sample<'_>, rules: &Rules, are_lines: bool) -> Result<Columns, InputError> {
    let columns = seen(sample, rules, are_lines);
    let keys = if rules.puzzle.is_some() || rules.solution.is_some() { keys(sample) } else { Vec::new() };
    let is_there = |said: &String| keys.iter().any(|key| names::folded(key) == names::folded(said));
    let [puzzle, solution] =
        [&rules.puzzle, &rules.solution].map(|said| said.clone().filter(|said| !is_there(said)));
    let name = sample.name.to_owned();
    match (puzzle, solution) {
        (None, None) => Ok(columns),
        (None, Some(wanted)) => Err(InputError::NoSolutionColumn { name, columns: keys, wanted }),
        (wanted, _) => Err(InputError::NoPuzzleColumn { name, columns: keys, wanted }),
    }
}

/// All keys of a sample.
fn keys(sample: &Sample<'_>) -> Vec<String> {
    let (rules, nesting) = (Rules::default(), Nesting::default());
    let mut finder = Finder::new(sample.bytes, true, &rules, &nesting, 0);
    let mut keys: Vec<String> = Vec::new();
    while finder.step().is_ok() {
        if let Some(key) = finder.nesting.key().map(String::from_utf8_lossy)
            && keys.len() < RECORDS_LOOKED_AT
            && !keys.iter().any(|known| *known == key)
        {
            keys.push(key.into_owned());
        }
    }
    keys
}

/// The columns of the records that are found with these rules.
fn seen(sample: &Sample<'_>, rules: &Rules, are_lines: bool) -> Columns {
    let mut columns = Columns::default();
    let no_nesting = Nesting::default();
    let mut finder = Finder::new(sample.bytes, sample.is_whole, rules, &no_nesting, 0);
    let mut left = RECORDS_LOOKED_AT;
    while left > 0 {
        let stop = finder.step().err();
        for found in finder.found.drain(..).filter(|found| !found.is_value && found.puzzle.grid.is_ok()) {
            let end = memchr::memchr(b'\n', &sample.bytes[found.end..])
                .map_or(sample.bytes.len(), |end| found.end + end);
            let start = memchr::memrchr(b'\n', &sample.bytes[..found.start.at]).map_or(0, |start| start + 1);
            let record = if are_lines { start..end } else { found.start.at..found.end };
            add(&mut columns, &found, sample.bytes, &sample.bytes[record]);
            left -= 1;
        }
        match stop {
            None => {}
            Some(Stop::More) => break,
            // Lines of JSON go on behind a broken one.
            Some(Stop::Broken { at, .. }) => match memchr::memchr(b'\n', &sample.bytes[at..]) {
                Some(end) if are_lines => finder.begin(1, at + end + 1, sample.bytes),
                _ => break,
            },
        }
    }
    columns
}

/// Adds the members of a record.
fn add(columns: &mut Columns, found: &Found, bytes: &[u8], record: &[u8]) {
    for (key, _) in members(record) {
        let name = key.text(record);
        let name = String::from_utf8_lossy(&name);
        if !columns.names.iter().any(|known| *known == name) {
            columns.names.push(name.into_owned());
        }
    }
    let column = |held: &Held| {
        let (start, end) = held.key?;
        let key = Quoted { start, end, is_escaped: true }.text(bytes);
        let column = columns.names.iter().position(|name| name.as_bytes() == &*key)?;
        Some(column..column + 1)
    };
    let (puzzle, claim) = (column(&found.puzzle), found.claim.as_ref().and_then(column));
    columns.puzzle = columns.puzzle.take().or(puzzle);
    columns.claim = columns.claim.take().or(claim);
}

/// Appends the texts of the members that are wanted, for each record.
pub(super) fn carry(
    columns: &Columns,
    bytes: &[u8],
    records: &Records,
    wanted: &[Option<usize>],
    out: &mut [Texts],
) {
    let names: Vec<_> =
        wanted.iter().map(|&column| column.and_then(|column| columns.names.get(column))).collect();
    let mut values = vec![None; wanted.len()];
    for span in records.spans() {
        let record = span.of(bytes);
        values.fill(None);
        for (key, value) in members(record) {
            let name = key.text(record);
            for (place, wanted) in values.iter_mut().zip(&names) {
                if wanted.is_some_and(|wanted| wanted.as_bytes() == &*name) {
                    *place = text(&record[value.clone()]);
                }
            }
        }
        for (texts, value) in out.iter_mut().zip(&values) {
            texts.push(value.as_deref());
        }
    }
}
