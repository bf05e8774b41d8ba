//! The syntax of XML, which is read by a library. An element is a list of its attributes, elements and texts;
//! consecutive short elements with the same name form a list of rows. An element that contains only one text or one
//! such list is treated as that text or list.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;
use quick_xml::Reader;
use quick_xml::errors::{Error, IllFormedError};
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

use super::node::{HALF, HALF_ROW, Node, Value, Wrong, is_other_order, on_one_line};
use super::unit::{Begin, DEEPEST, LONGEST, Stop, TOO_DEEP};
use crate::input::MAX_LINE;
use crate::input::reader::Open;
use crate::input::text::notation::is_border;
use crate::record::{Fault, FaultKind};
use crate::sudoku::CELLS;

/// The start of the data that `OpenSudoku` writes for a saved game in progress.
const GAME: &[u8] = b"version: ";

/// The fault of an invalid attribute.
const ATTRIBUTE: &str = "an attribute that is not name=\"value\"";

/// Returns the text of a block, with a meaningless character in place of each byte that is not valid UTF-8.
pub(super) fn valid(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '~'));
    }
    Cow::Owned(text)
}

/// An iterator over the events in a text, starting at some byte.
struct Events<'a> {
    start: usize,
    reader: Reader<&'a [u8]>,
}

impl<'a> Events<'a> {
    fn new(text: &'a str, range: Range<usize>) -> Self {
        let mut reader = Reader::from_str(&text[range.clone()]);
        let config = reader.config_mut();
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        Self { start: range.start, reader }
    }

    fn at(&self) -> usize {
        self.start + usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX)
    }

    /// Returns the next event, and its range.
    fn next(&mut self) -> (Result<Event<'a>, Error>, Range<usize>) {
        let start = self.at();
        let event = self.reader.read_event();
        (event, start..self.at())
    }
}

/// Finds what begins at or after the byte `at`; `open` is the element around it.
pub(super) fn begin(text: &str, at: usize, open: Option<&Open>) -> Result<Begin, Stop> {
    let mut events = Events::new(text, at..text.len());
    loop {
        let (event, range) = events.next();
        let is_unfinished = matches!(event, Err(_) | Ok(Event::Eof));
        let end = if is_unfinished { text.len() } else { range.end };
        if end - range.start > MAX_LINE {
            return Err(Stop::Broken(range.start, "more than 1 MiB without a tag"));
        }
        if let [b'<', b'a'..=b'z' | b'A'..=b'Z' | b'_', inside @ ..] = &text.as_bytes()[range.start..end]
            && let Some(at) = memchr(b'<', inside)
        {
            return Err(Stop::Broken(
                range.start + 2 + at,
                "`<` in a tag (a quote before it is not closed?)",
            ));
        }
        match event {
            _ if is_unfinished => return Err(Stop::More),
            Ok(Event::Start(tag) | Event::Empty(tag)) => {
                let name = range.start + 1..range.start + 1 + tag.name().as_ref().len();
                return Ok(Begin::Value { key: Some(name), start: range.start });
            }
            Ok(Event::End(tag)) if open.is_some_and(|open| open.name == *tag.name().as_ref()) => {
                return Ok(Begin::End(range.end));
            }
            Ok(Event::End(_)) if open.is_none() => {
                return Err(Stop::Broken(range.start, "an end tag without its start"));
            }
            Ok(Event::End(_)) => return Err(Stop::Broken(range.start, "the end tag of another element")),
            Ok(Event::Text(_) | Event::CData(_)) if !text[range.clone()].trim_ascii().is_empty() => {
                return Ok(Begin::Value { key: None, start: range.start });
            }
            _ => {}
        }
    }
}

/// Finds the end of the element or text that begins at `start`. Faults beyond the length of the longest unit are
/// ignored.
pub(super) fn end(text: &str, start: usize, is_more: bool) -> Result<usize, Stop> {
    let mut events = Events::new(text, start..text.len());
    let (event, range) = events.next();
    let Ok(Event::Start(tag)) = event else {
        let is_text = matches!(event, Ok(Event::Text(_)));
        return if is_text && is_more && range.end == text.len() { Err(Stop::More) } else { Ok(range.end) };
    };
    match events.reader.read_to_end(tag.name()) {
        Ok(_) => Ok(events.at()),
        Err(Error::IllFormed(IllFormedError::MismatchedEndTag { .. })) if events.at() - start <= LONGEST => {
            Err(Stop::Broken(events.at(), "the end tag of another element"))
        }
        Err(_) => Err(Stop::More),
    }
}

/// Returns the offset of the contents of the element that begins at `start`; `None` for a text.
pub(super) fn inside(text: &str, start: usize) -> Option<usize> {
    let (event, range) = Events::new(text, start..text.len()).next();
    matches!(event, Ok(Event::Start(_))).then_some(range.end)
}

/// Makes the fault for broken XML.
pub(super) fn fault(what: &str) -> Fault {
    Fault::new(FaultKind::BrokenXml, None).text(what)
}

/// Reads the nodes in a part of a text, up to the first fault. Also returns the fault, and whether an element is open
/// there.
pub(super) fn nodes(text: &str, range: Range<usize>) -> (Vec<Node<'_>>, Option<Wrong>, bool) {
    let mut events = Events::new(text, range.clone());
    let mut open = vec![node(None, range)];
    let wrong = loop {
        let (event, range) = events.next();
        let is_empty = matches!(event, Ok(Event::Empty(_)));
        match event {
            Ok(Event::Start(_) | Event::Empty(_)) if open.len() > DEEPEST => {
                break Some((range.start, TOO_DEEP.to_owned()));
            }
            Ok(Event::Start(tag) | Event::Empty(tag)) => {
                let Some(element) = element(text, &tag, range.clone()) else {
                    break Some((range.start, ATTRIBUTE.to_owned()));
                };
                open.push(element);
                if is_empty {
                    close(text, &mut open, range.end, true);
                }
            }
            Ok(Event::End(_)) => close(text, &mut open, range.end, true),
            Ok(Event::Text(_) | Event::CData(_)) => {
                let is_data = text[range.clone()].starts_with("<![CDATA[");
                let inner = if is_data { range.start + 9..range.end - 3 } else { range.clone() };
                add(&mut open, text_node(text, None, range, inner));
            }
            Ok(Event::Eof) => break None,
            Ok(_) => {}
            Err(error) => {
                let at = usize::try_from(events.reader.error_position()).unwrap_or(usize::MAX);
                break Some((events.start.saturating_add(at).min(text.len()), error.to_string()));
            }
        }
    };
    let end = wrong.as_ref().map_or(text.len(), |(at, _)| *at);
    let is_open = open.len() > 1;
    while open.len() > 1 {
        close(text, &mut open, end, wrong.is_none());
    }
    let nodes = match open.pop() {
        Some(Node { value: Value::List(nodes), .. }) => with_rows(text, nodes),
        _ => Vec::new(),
    };
    (nodes, wrong.map(|(at, what)| (at, fault(&what))), is_open)
}

/// Makes a node that is an empty list.
const fn node<'a>(key: Option<Range<usize>>, range: Range<usize>) -> Node<'a> {
    Node { key, range, value: Value::List(Vec::new()), is_whole: true }
}

/// Makes the node for the text at `inner`. It is a list if the text has several lines that are puzzles, or enough lines
/// to be the rows of one.
fn text_node(text: &str, key: Option<Range<usize>>, range: Range<usize>, inner: Range<usize>) -> Node<'_> {
    let lines = text[inner.clone()].lines().map(str::trim_ascii);
    let lines: Vec<_> = lines.filter(|line| line.len() >= HALF_ROW && !is_border(line.as_bytes())).collect();
    let has_several = lines.len() >= HALF_ROW || lines.len() > 1 && lines[0].len() >= HALF;
    let value = if has_several && !lines[0].as_bytes().starts_with(GAME) {
        let line = |line: &&str| {
            let value = Value::Text(place(text, line).start, plain(&text.as_bytes()[place(text, line)]));
            Node { value, ..node(None, place(text, line)) }
        };
        Value::List(lines.iter().map(line).collect())
    } else {
        Value::Text(inner.start, plain(&text.as_bytes()[inner]))
    };
    Node { value, ..node(key, range) }
}

/// Returns the range that `part` occupies in `text`.
fn place(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr().saturating_sub(text.as_ptr().addr());
    start..start + part.len()
}

/// Makes the element that a tag opens, with those of its attributes that could be grids; `None` if an attribute is
/// broken.
fn element<'a>(text: &'a str, tag: &BytesStart<'_>, range: Range<usize>) -> Option<Node<'a>> {
    let name = range.start + 1..range.start + 1 + tag.name().as_ref().len();
    let mut attributes = Vec::new();
    // Duplicate names are not checked, because that is slow if a tag has many attributes.
    for attribute in tag.attributes().with_checks(false) {
        let attribute = attribute.ok().filter(|attribute| !attribute.value.contains('<'))?;
        if attribute.value.len() >= HALF {
            let (name, value) = (place(text, attribute.key.as_ref()), place(text, &attribute.value));
            attributes.push(text_node(text, Some(name), range.clone(), value));
        }
    }
    Some(Node { value: Value::List(attributes), ..node(Some(name), range) })
}

/// Adds a node to the innermost open element, unless the node has less than half a row in it.
fn add<'a>(open: &mut [Node<'a>], node: Node<'a>) {
    let is_nothing = match &node.value {
        Value::Text(_, cells) => cells.trim_ascii().len() < HALF_ROW,
        _ => node.children().is_empty(),
    };
    if let Some(Node { value: Value::List(nodes), .. }) = open.last_mut().filter(|_| !is_nothing) {
        nodes.push(node);
    }
}

/// Closes the innermost open element.
fn close(text: &str, open: &mut Vec<Node<'_>>, end: usize, is_whole: bool) {
    let Some(Node { key, mut range, value: Value::List(mut nodes), .. }) =
        open.pop_if(|element| element.key.is_some())
    else {
        return;
    };
    let count = nodes.len();
    range.end = end;
    let value = if count == 1 && nodes[0].key.is_none() {
        nodes.remove(0).value
    } else {
        nodes = with_rows(text, nodes);
        let are_rows = count > 1 && nodes.len() == 1 && !is_other_order(name(text, &nodes[0]).as_bytes());
        if are_rows {
            let rows = nodes.remove(0);
            range = rows.range;
            rows.value
        } else {
            Value::List(nodes)
        }
    };
    add(open, Node { key, range, value, is_whole });
}

/// Returns the name of an element or attribute.
fn name<'a>(text: &'a str, node: &Node<'_>) -> &'a str {
    &text[node.key.clone().unwrap_or_default()]
}

/// Puts elements that could be rows into lists, each with those that directly follow it and have the same name.
fn with_rows<'a>(text: &str, nodes: Vec<Node<'a>>) -> Vec<Node<'a>> {
    let is_row = |node: &Node<'_>| matches!(&node.value, Value::Text(_, cells) if node.key.is_some() && cells.len() < HALF);
    let mut all: Vec<Node<'_>> = Vec::new();
    for node in nodes {
        match all.last_mut() {
            _ if !is_row(&node) => all.push(node),
            Some(Node { key, range, value: Value::List(rows), .. })
                if rows.last().is_some_and(|row| is_row(row) && name(text, row) == name(text, &node)) =>
            {
                range.end = node.range.end;
                rows.push(node);
            }
            _ => {
                let (key, range) = (node.key.clone(), node.range.clone());
                all.push(Node { key, range, value: Value::List(vec![node]), is_whole: true });
            }
        }
    }
    all
}

/// Turns a text into a single line of the same length, with spaces in place of references. A saved game is reduced to
/// its clues.
fn plain(text: &[u8]) -> Cow<'_, [u8]> {
    let mut plain = on_one_line(text);
    while let Some(start) = memchr(b'&', &plain) {
        let end = memchr(b';', &plain[start..]).map_or(start, |length| start + length);
        plain.to_mut()[start..=end].fill(b' ');
    }
    let Some(fields) = plain.strip_prefix(GAME) else { return plain };
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let start = plain.len() - fields.iter().skip_while(|byte| is_digit(byte)).count();
    let fields: Vec<&[u8]> = plain[start..].split(|&byte| byte == b'|').collect();
    // For each cell there is the digit, then the notes (twice in the newest version), then 0 if the digit is a clue.
    let each = (fields.len() / CELLS).max(3);
    let mut clues = vec![b' '; start];
    for cell in fields.chunks(each) {
        let is_clue = cell.len() == each && cell[each - 1] == b"0";
        for (at, field) in cell.iter().enumerate() {
            match at {
                0 if is_clue => clues.extend(*field),
                0 if cell.len() == each => {
                    clues.push(b'.');
                    clues.extend(std::iter::repeat_n(b' ', field.len().saturating_sub(1)));
                }
                _ => clues.extend(std::iter::repeat_n(b' ', field.len())),
            }
            clues.push(b' ');
        }
    }
    clues.truncate(plain.len());
    Cow::Owned(clues)
}

/// Calls `add` with the name and value of each attribute in the first tag of a record.
pub(super) fn members(record: &str, mut add: impl FnMut(&str, Option<&[u8]>)) {
    let (Ok(Event::Start(tag) | Event::Empty(tag)), _) = Events::new(record, 0..record.len()).next() else {
        return;
    };
    for attribute in tag.attributes().with_checks(false).flatten() {
        let value = unescape(&attribute.value).unwrap_or(Cow::Borrowed(&attribute.value));
        add(attribute.key.as_ref(), Some(value.as_bytes()));
    }
}
