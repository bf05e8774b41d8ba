//! The members of the objects that are records, as columns that are carried along.

use std::borrow::Cow;
use std::ops::Range;

use super::walk::keys;
use crate::input::names::{ROWS_LOOKED_AT, folded};
use crate::input::reader::Sample;
use crate::input::text::tree::finder::{Finder, Held, Rules};
use crate::input::text::tree::lexer::{Element, Quoted, elements, skip_space, string};
use crate::input::{Columns, InputError};
use crate::record::{Records, Texts};

/// The members of an object: names, and where the values stand. Nothing else has any.
fn members(record: &[u8]) -> impl Iterator<Item = (Quoted, Range<usize>)> {
    let start = skip_space(record, 0);
    let elements = (record.get(start) == Some(&b'{')).then(|| elements(record, start));
    elements.into_iter().flatten().filter_map(|Element { key, value }| Some((key?, value)))
}

/// The text of a value as a column holds it; nothing for `null`.
fn text(value: &[u8]) -> Option<Cow<'_, [u8]>> {
    match value {
        b"null" => None,
        [b'"', ..] => Some(string(value, 0).ok()?.text(value)),
        _ => Some(Cow::Borrowed(value)),
    }
}

/// The columns of these records of a sample: the members of their objects.
///
/// # Errors
///
/// When no key is called what was said.
pub(super) fn columns(sample: &Sample<'_>, rules: &Rules, records: &Records) -> Result<Columns, InputError> {
    let all =
        if rules.puzzle.is_some() || rules.solution.is_some() { keys(sample.bytes) } else { Vec::new() };
    let is_there = |said: &String| all.iter().any(|key| folded(key) == folded(said));
    let [puzzle, solution] =
        [&rules.puzzle, &rules.solution].map(|said| said.clone().filter(|said| !is_there(said)));
    let name = sample.name.to_owned();
    match (puzzle, solution) {
        (None, None) => {}
        (None, Some(wanted)) => return Err(InputError::NoSolutionColumn { name, columns: all, wanted }),
        (wanted, _) => return Err(InputError::NoPuzzleColumn { name, columns: all, wanted }),
    }
    let mut columns = Columns::default();
    let good = records.spans().iter().zip(records.readable()).filter(|&(_, &is_good)| is_good);
    for (span, _) in good.take(ROWS_LOOKED_AT) {
        add(&mut columns, span.of(sample.bytes), rules);
    }
    Ok(columns)
}

/// Adds the members of a record.
fn add(columns: &mut Columns, record: &[u8], rules: &Rules) {
    for (key, _) in members(record) {
        let name = key.text(record);
        let name = String::from_utf8_lossy(&name);
        if !columns.names.iter().any(|known| *known == name) {
            columns.names.push(name.into_owned());
        }
    }
    let Some(found) = Finder::of_record(record, rules) else { return };
    let column = |held: &Held| {
        let (key, _) = members(record).find(|(_, value)| *value == held.range)?;
        let column = columns.names.iter().position(|name| name.as_bytes() == &*key.text(record))?;
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
