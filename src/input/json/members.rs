//! The members of an object as columns that are carried along.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::Head;
use super::record::{self, Keys, Record};
use super::scan::{Edge, Text, is_quote};
use crate::input::beside::{AROUND, LATE, LineNumbers, NAME, Tell, WITHIN, bare, gaps, has_words, is_idle};
use crate::input::{Columns, cells};
use crate::record::{Records, Texts};
use crate::sudoku::{CELLS, SIDE};

/// The members of the object that a text begins with: names and where their values stand. Of what is no object, none;
/// of what is broken, those before.
fn members(text: &[u8]) -> Vec<(Cow<'_, [u8]>, Range<usize>)> {
    let mut members = Vec::new();
    let _ = each_member(text, &mut |name, value| members.push((name, value)));
    members
}

fn each_member<'a>(text: &'a [u8], found: &mut impl FnMut(Cow<'a, [u8]>, Range<usize>)) -> Option<()> {
    let json = Text { bytes: text, edge: Edge::Last };
    let mut at = json.skip_space(0).ok()?;
    if json.get(at)? != b'{' {
        return None;
    }
    at += 1;
    loop {
        at = json.skip_space(at).ok()?;
        match json.get(at)? {
            b',' => at += 1,
            b'}' | b']' | b'[' | b'{' | b':' => return None,
            _ => {
                let (_, end) = record::name(&json, at).ok()??;
                let quoted = is_quote(text[at]);
                let name_end = if quoted { json.string(at).ok()?.end } else { json.word(at).ok()? };
                let start = json.skip_space(end).ok()?;
                let value_end = match json.get(start)? {
                    b'[' | b'{' => json.container(start).ok().filter(|value| value.closed)?.end,
                    byte if is_quote(byte) => json.string(start).ok().filter(|value| value.closed)?.end,
                    _ => json.word(start).ok()?,
                };
                found(text_of(&text[at..name_end]), start..value_end);
                at = value_end;
            }
        }
    }
}

/// The names of the members of all objects.
pub(super) fn names(bytes: &[u8]) -> Vec<String> {
    let (mut names, mut seen) = (Vec::new(), HashSet::new());
    each_scalar(bytes, &mut |_, text, is_name| {
        let name = text_of(text);
        if is_name && !seen.contains(&*name) {
            names.push(String::from_utf8_lossy(&name).into_owned());
            seen.insert(name.into_owned());
        }
    });
    names
}

/// Whether an object holds a solution and, in another member, what may be its puzzle in a form that is not read.
pub(super) fn lack_puzzle(text: &[u8]) -> bool {
    let members = members(text);
    let is_solution = |name: &[u8]| record::holds_solutions(name);
    members.iter().any(|(name, _)| is_solution(name))
        && members.iter().any(|(name, value)| !is_solution(name) && may_be_puzzle(name, &text[value.clone()]))
}

/// Whether a member may be a puzzle by its name, or by as many digits of their own, or in a text of 81 characters, as a
/// puzzle has clues.
fn may_be_puzzle(name: &[u8], value: &[u8]) -> bool {
    const FEWEST: usize = 17;
    let is_digit = |byte: u8| matches!(byte, b'1'..=b'9');
    if value.first().is_some_and(|&byte| is_quote(byte)) {
        let text = String::from_utf8_lossy(&value[1..]);
        let characters = text.chars().count() - 1;
        return record::names_puzzle(name)
            || characters == CELLS && text.bytes().filter(|&byte| is_digit(byte)).count() >= FEWEST;
    }
    let is_alone = |three: &[u8]| {
        is_digit(three[1]) && !three[0].is_ascii_alphanumeric() && !three[2].is_ascii_alphanumeric()
    };
    record::names_puzzle(name) || value.windows(3).filter(|three| is_alone(three)).count() >= FEWEST
}

/// The text that a string is; of any other value, and of a string that is not as JSON has it, how it is written.
fn text_of(value: &[u8]) -> Cow<'_, [u8]> {
    match value {
        [b'"', plain @ .., b'"'] if !plain.contains(&b'\\') => Cow::Borrowed(plain),
        [b'"', ..] => match serde_json::from_slice::<String>(value) {
            Ok(text) => Cow::Owned(text.into_bytes()),
            Err(_) => Cow::Borrowed(value),
        },
        [b'\'', plain @ .., b'\''] => Cow::Borrowed(plain),
        _ => Cow::Borrowed(value),
    }
}

/// The columns that some texts show, each with its record and where that begins in it.
pub(super) fn columns<'a>(records: impl Iterator<Item = (&'a [u8], usize, Record)>, keys: &Keys) -> Columns {
    let mut columns = Columns::default();
    let at = |names: &[String], is_such: &dyn Fn(&String) -> bool| {
        names.iter().position(is_such).map(|column| column..column + 1)
    };
    let mut seen = HashSet::new();
    for (text, start, record) in records {
        for (name, value) in members(text) {
            let holds = |at: usize| value.contains(&(start + at));
            if seen.insert(name.to_vec()) {
                let column = columns.names.len();
                columns.names.push(String::from_utf8_lossy(&name).into_owned());
                if columns.puzzle.is_none() && holds(record.puzzle.start) {
                    columns.puzzle = Some(column..column + 1);
                }
            }
            if columns.claim.is_none() && record.claim.is_some_and(|claim| holds(claim.start)) {
                let name = String::from_utf8_lossy(&name);
                columns.claim = at(&columns.names, &|column| *column == name);
            }
        }
    }
    // None of these records claims a solution, though there is a place for it.
    let is_claim = |name: &String| keys.names_claim(name.as_bytes());
    columns.claim = columns.claim.or_else(|| at(&columns.names, &is_claim));
    columns
}

/// Tells of what objects and lists of records have besides the puzzle and the columns.
pub(super) fn beside(records: &Records, bytes: &[u8], head: &Head, tell: Tell<'_>) {
    let known: HashSet<&[u8]> = head.columns.names.iter().map(String::as_bytes).collect();
    let readable = records.spans().iter().zip(records.lines()).zip(records.readable());
    for ((span, &line), _) in readable.filter(|(_, readable)| **readable) {
        let text = span.of(bytes);
        let start = text.len() - text.trim_ascii_start().len();
        match text.get(start) {
            Some(b'{') => {
                let mut lines = LineNumbers::new(text, line);
                for (name, value) in members(&text[start..]) {
                    let line = lines.of(start + value.start);
                    if !known.contains(&*name) {
                        tell(LATE, line, &name);
                    }
                    // The puzzle may be within a member.
                    let within = &text[start..][value];
                    if matches!(within[0], b'{' | b'[') && Some(&*name) == head.puzzle_name() {
                        let (mut last, mut found) = (None, false);
                        each_scalar(within, &mut |_, text, is_name| {
                            // What is as long as a grid is one.
                            if let Some(name) = last.take_if(|_| !is_name && !found && text.len() < CELLS) {
                                found = true;
                                tell(WITHIN, line, bare(name));
                            }
                            last = is_name.then_some(text);
                        });
                    }
                }
            }
            Some(b'[') => {
                let mut found = false;
                each_scalar(text, &mut |at, value, is_name| {
                    // What is shorter is a cell.
                    let is_beside = !is_name && (2..CELLS).contains(&bare(value).len()) && has_words(value);
                    if is_beside
                        && cells::run(bare(value)) < SIDE
                        && value != b"null"
                        && !found
                        && !is_idle(value, 1)
                    {
                        found = true;
                        tell(WITHIN, LineNumbers::new(text, line).of(at), bare(value));
                    }
                });
            }
            _ => {}
        }
    }
}

/// Tells of what stands around the records of a document, `above` the first of which the text is given: values, and names that are not the same for all.
pub(super) fn around(
    records: &Records,
    bytes: &[u8],
    (first, before): (u64, u64),
    above: Option<&[u8]>,
    keys: &Keys,
    tell: Tell<'_>,
) {
    const MOST_NAMES: usize = 32;
    let mut names: Vec<(u64, Vec<u8>)> = Vec::new();
    let gaps = gaps(records, bytes, first).filter(|(row, ..)| *row > 0 || above.is_none());
    for (row, line, gap) in above.map(|above| (0, 1, above)).into_iter().chain(gaps) {
        let (mut here, mut is_solution, mut after_name) = (Vec::new(), false, false);
        let mut lines = LineNumbers::new(gap, line);
        each_scalar(gap, &mut |at, value, is_name| {
            let (value, line) = (bare(value), lines.of(at));
            if is_name {
                is_solution = keys.holds_solutions(value);
                here.push((line, value.to_vec()));
            } else {
                // What is as long as a grid is one.
                if !is_solution && value.len() < CELLS && value != b"null" && has_words(value) {
                    tell(AROUND, line, value);
                }
                if after_name {
                    here.pop();
                }
            }
            after_name = is_name;
        });
        here.retain(|(_, name)| row < records.len() && !keys.holds_solutions(name));
        let is_new = |(_, name): &(u64, Vec<u8>)| {
            names.len() < MOST_NAMES
                && !is_idle(name, before + row as u64 + 1)
                && names.iter().all(|(_, known)| known != name)
        };
        if row > 0
            && let Some((line, name)) = here.iter().find(|name| is_new(name))
        {
            let (line, name) = names.last().map_or((*line, name), |(line, name)| (*line, name));
            tell(NAME, line, name);
        }
        names.append(&mut here);
        // Names that differ so often are numbers of a kind.
        names.truncate(MOST_NAMES);
    }
}

/// Calls with each string, number or word, where it stands, and whether it is the name of a member.
fn each_scalar<'a>(bytes: &'a [u8], each: &mut impl FnMut(usize, &'a [u8], bool)) {
    let json = Text { bytes, edge: Edge::Last };
    let mut at = 0;
    while let Ok(start) = json.skip_space(at)
        && let Some(byte) = json.get(start)
    {
        at = match byte {
            b'[' | b']' | b'{' | b'}' | b',' | b':' => start + 1,
            _ => {
                let end =
                    if is_quote(byte) { json.string(start).map(|text| text.end) } else { json.word(start) };
                let Ok(end) = end else { break };
                let is_name = json.skip_space(end).is_ok_and(|colon| json.get(colon) == Some(b':'));
                each(start, &bytes[start..end], is_name);
                end.max(start + 1)
            }
        };
    }
}

/// Appends the members of each record that are carried along: `null` is none, as is what is not there.
pub(super) fn carry(
    records: &Records,
    bytes: &[u8],
    names: &[String],
    wanted: &[Option<usize>],
    out: &mut [Texts],
) {
    for span in records.spans() {
        let text = span.of(bytes);
        let members: HashMap<_, _> = members(text).into_iter().collect();
        for (texts, column) in out.iter_mut().zip(wanted) {
            let name = column.and_then(|column| names.get(column));
            let value = name.and_then(|name| members.get(name.as_bytes())).map(|value| &text[value.clone()]);
            texts.push(value.filter(|value| *value != b"null").map(text_of).as_deref());
        }
    }
}
