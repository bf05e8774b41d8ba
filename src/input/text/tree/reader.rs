//! The reader for JSON documents, XML documents and lines of JSON.

use std::sync::Arc;

use super::document;
use super::finder::{Finder, Found, Held, Meanings};
use super::node::{HALF, Value};
use super::syntax::Text;
use super::{json, jsonl};
use crate::input::dialect::{Dialect, Framing};
use crate::input::names::{ROWS_LOOKED_AT, folded};
use crate::input::reader::{Block, Candidates, Read, Reader, Sample, State, TextEnd, TextReader, Which};
use crate::input::text::whole_lines;
use crate::input::{Columns, InputError, ReadOptions};
use crate::record::{Records, Texts};

/// A reader for trees.
#[derive(Debug)]
struct Tree {
    /// The framing: `json`, `jsonl` or `xml`.
    framing: Framing,
    options: ReadOptions,
    /// The columns found beside the puzzles in the first records.
    columns: Columns,
}

/// Returns the JSON readers that might fit a sample. A document must begin with a list or object. JSON Lines is
/// possible if the first line is a complete value; if more lines follow it, the sample is not a single document.
pub(in crate::input) fn json_candidates(sample: &Sample<'_>, given: Option<&Dialect>) -> Candidates {
    let mut lines = sample.lines().map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    // A word in quotes is the header of a table.
    let is_value = match first {
        [b'{' | b'[', ..] | b"\"\"" | b"null" => true,
        [b'"', ..] if first.len() >= HALF => true,
        _ => sample.options.answers,
    };
    let is_value = is_value && json::check(first, 0..first.len()).is_none();
    let begins = match first {
        [b'[', inside @ ..] => match inside.trim_ascii_start().first() {
            // Lines in a log begin with a word in brackets.
            Some(byte) => b"\"[]{-ntf".contains(byte) || byte.is_ascii_digit(),
            None => true,
        },
        _ => first.starts_with(b"{"),
    };
    let is_document = begins && !(is_value && lines.next().is_some());
    let framings = [(Framing::Json, is_document), (Framing::Jsonl, is_value)].into_iter();
    let fits = |&(framing, fits): &(Framing, bool)| given.map_or(fits, |given| given.framing == framing);
    framings.filter(fits).map(|(framing, _)| open(sample, framing)).collect()
}

/// Returns the XML reader if it is requested, or if the text begins like XML but not like an HTML page.
pub(in crate::input) fn xml_candidates(sample: &Sample<'_>, given: Option<&Dialect>) -> Candidates {
    let fits = given.is_some() || begins_xml(sample.bytes);
    if fits { vec![open(sample, Framing::Xml)] } else { vec![] }
}

/// Returns whether a text begins like XML.
fn begins_xml(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let begins = |with: &[u8]| text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    let is_markup =
        matches!(text, [b'<', byte, ..] if byte.is_ascii_alphabetic() || matches!(byte, b'?' | b'!' | b'_'));
    is_markup && ![&b"<!doctype html"[..], b"<html"].into_iter().any(begins)
}

fn open(sample: &Sample<'_>, framing: Framing) -> Result<Arc<dyn TextReader>, InputError> {
    let options = match framing {
        Framing::Xml => ReadOptions { answers: sample.options.answers, ..ReadOptions::default() },
        _ => sample.options.clone(),
    };
    let mut tree = Tree { framing, options, columns: Columns::default() };
    tree.assert_keys(sample)?;
    let (before, mut records) = (State::default(), Records::default());
    let length = tree.frame(&mut before.clone(), sample.bytes, sample.end());
    let block = Block { bytes: &sample.bytes[..length], state: &before, is_last: false };
    tree.read(&block, &mut records);
    let good = records
        .spans()
        .iter()
        .zip(records.readable())
        .filter(|&(_, &is_good)| is_good || sample.options.results);
    for (span, _) in good.take(ROWS_LOOKED_AT) {
        tree.add_columns(span.of(sample.bytes));
    }
    Ok(Arc::new(tree))
}

impl Tree {
    /// Checks that the keys given in the options exist.
    ///
    /// # Errors
    ///
    /// If a key is missing.
    fn assert_keys(&self, sample: &Sample<'_>) -> Result<(), InputError> {
        let ReadOptions { puzzle_column, solution_column, .. } = &self.options;
        if puzzle_column.is_none() && solution_column.is_none() {
            return Ok(());
        }
        let columns = json::keys(sample.bytes, ROWS_LOOKED_AT);
        let is_missing = |said: &&String| !columns.iter().any(|key| folded(key) == folded(said));
        for (said, of_solutions) in [(puzzle_column, false), (solution_column, true)] {
            if let Some(wanted) = said.as_ref().filter(is_missing).cloned() {
                let (name, wanted) = (sample.name.to_owned(), Some(wanted));
                return Err(InputError::NoColumn { name, columns, wanted, of_solutions });
            }
        }
        Ok(())
    }

    /// Adds the columns found beside the puzzle in a record.
    fn add_columns(&mut self, record: &[u8]) {
        let text = self.text(record);
        text.members(|name, _| {
            if !self.columns.names.iter().any(|known| known == name) {
                self.columns.names.push(name.to_owned());
            }
        });
        let Columns { names, puzzle, claim, .. } = &mut self.columns;
        find(&self.options, &text, |found| {
            let column = |held: &Held<'_>| {
                let key = text.key(held.node.key.as_ref()?);
                let column = names.iter().position(|name| name.as_bytes() == &*key)?;
                Some(column..column + 1)
            };
            *puzzle = puzzle.take().or_else(|| column(&found.puzzle));
            *claim = claim.take().or_else(|| found.claim.as_ref().and_then(column));
        });
    }

    fn text<'a>(&self, bytes: &'a [u8]) -> Text<'a> {
        Text::new(bytes, self.framing == Framing::Xml)
    }
}

/// Calls `then` with the puzzle and claim found in the text of a record.
fn find<T>(options: &ReadOptions, text: &Text<'_>, then: impl FnOnce(&Found<'_>) -> T) -> Option<T> {
    let node = text.record();
    let mut meanings = Meanings::new(options);
    let finder = Finder::find(text, &mut meanings, &node, Some(false), true);
    finder.found.first().map(then)
}

impl Reader for Tree {
    fn read(&self, block: &Block<'_>, out: &mut Records) -> Read {
        if self.framing == Framing::Jsonl {
            jsonl::read(&self.options, block.bytes, out)
        } else {
            document::read(&self.options, &self.text(block.bytes), block, out)
        }
    }

    fn offset(&self, record: &[u8], cell: usize, which: Which) -> Option<usize> {
        let text = self.text(record);
        find(&self.options, &text, |found| {
            let held = if which == Which::Puzzle { Some(&found.puzzle) } else { found.claim.as_ref() };
            held?.node.offsets(text.bytes()).get(cell).copied()
        })?
    }

    fn claim_text(&self, record: &[u8]) -> Option<Vec<u8>> {
        let text = self.text(record);
        find(&self.options, &text, |found| {
            let node = found.claim.as_ref()?.node;
            match &node.value {
                Value::Text(start, cells) => Some(text.key(&(*start..start + cells.len())).into_owned()),
                _ => Some(text.bytes()[node.range.clone()].to_vec()),
            }
        })?
    }

    fn columns(&self) -> Columns {
        self.columns.clone()
    }

    fn carry(&self, bytes: &[u8], records: &Records, wanted: &[Option<usize>], out: &mut [Texts]) {
        let names: Vec<_> =
            wanted.iter().map(|&column| column.and_then(|column| self.columns.names.get(column))).collect();
        let mut values: Vec<Option<Vec<u8>>> = vec![None; wanted.len()];
        for span in records.spans() {
            values.fill(None);
            self.text(span.of(bytes)).members(|member, value| {
                for (place, name) in values.iter_mut().zip(&names) {
                    if name.is_some_and(|name| name == member) {
                        *place = value.map(<[u8]>::to_vec);
                    }
                }
            });
            for (texts, value) in out.iter_mut().zip(&values) {
                texts.push(value.as_deref());
            }
        }
    }

    fn dialect(&self) -> Dialect {
        Dialect::of(self.framing)
    }
}

impl TextReader for Tree {
    fn frame(&self, state: &mut State, bytes: &[u8], end: TextEnd) -> usize {
        if self.framing.begins_lines() {
            whole_lines(bytes, end)
        } else {
            document::frame(&self.options, state, &self.text(bytes), end)
        }
    }
}
