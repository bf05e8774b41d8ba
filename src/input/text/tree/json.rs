//! The syntax of JSON. Quotes and brackets show where values end; a library's parser checks whether values are valid.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr3};
use serde::de::IgnoredAny;

use super::node::{HALF, Node, Value, Wrong};
use super::unit::{Begin, DEEPEST, LONGEST, Stop};
use crate::input::MAX_LINE;
use crate::input::reader::Open;
use crate::record::{Fault, FaultKind};

/// Returns whether a byte is white space in JSON.
const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Finds the next byte that is not white space.
fn skip_space(bytes: &[u8], at: usize) -> Result<usize, Stop> {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().position(|&byte| !is_space(byte)).map(|length| at + length).ok_or(Stop::More)
}

/// Finds the end of the string whose opening quote is at `start`, and whether it contains escapes.
#[inline]
fn string(bytes: &[u8], start: usize) -> Result<(usize, bool), Stop> {
    let (mut at, mut is_escaped) = (start + 1, false);
    while let Some(length) = memchr3(b'"', b'\\', b'\n', bytes.get(at..).unwrap_or_default()) {
        at += length;
        match bytes[at] {
            _ if at - start > MAX_LINE => break,
            b'"' => return Ok((at + 1, is_escaped)),
            b'\\' => (at, is_escaped) = (at + 2, true),
            _ => return Err(Stop::Broken(at, "a line end in a string")),
        }
    }
    let is_long = bytes.len() - start > MAX_LINE;
    Err(if is_long { Stop::Broken(start, "a string of more than 1 MiB") } else { Stop::More })
}

/// Finds what begins after a value, or after the opening bracket of a list or object.
#[inline]
pub(super) fn begin(bytes: &[u8], at: usize, open: Option<&Open>) -> Result<Begin, Stop> {
    let mut start = skip_space(bytes, at)?;
    let Some(open) = open else {
        // A bare word is not a document.
        let is_value = matches!(bytes[start], b'[' | b'{' | b'"');
        return if is_value { Ok(Begin::Value { key: None, start }) } else { Err(no_value(start)) };
    };
    if bytes[start] == if open.is_object { b'}' } else { b']' } {
        return Ok(Begin::End(start + 1));
    }
    if open.has_values {
        if bytes[start] != b',' {
            let expected = if open.is_object { "expected `,` or `}`" } else { "expected `,` or `]`" };
            return Err(Stop::Broken(start, expected));
        }
        start = skip_space(bytes, start + 1)?;
    }
    if !open.is_object {
        return Ok(Begin::Value { key: None, start });
    }
    if bytes[start] != b'"' {
        return Err(Stop::Broken(start, "key must be a string"));
    }
    let (end, _) = string(bytes, start)?;
    let colon = skip_space(bytes, end)?;
    if bytes[colon] != b':' {
        return Err(Stop::Broken(colon, "expected `:`"));
    }
    Ok(Begin::Value { key: Some(start + 1..end - 1), start: skip_space(bytes, colon + 1)? })
}

const fn no_value(at: usize) -> Stop {
    Stop::Broken(at, "expected value")
}

/// Finds the end of the value that begins at `start`. In a list or object, the search gives up at the length of the
/// longest unit. A number or word at the very end may continue if more bytes can follow.
#[inline]
pub(super) fn end(bytes: &[u8], start: usize, is_more: bool) -> Result<usize, Stop> {
    let is_bracket = matches!(bytes[start], b'[' | b'{');
    let most = if is_bracket { bytes.len().min(start + LONGEST + 1) } else { bytes.len() };
    let bytes = &bytes[..most];
    let (mut depth, mut at) = (0, start);
    loop {
        match *bytes.get(at).ok_or(Stop::More)? {
            b'"' => (at, _) = string(bytes, at)?,
            b'[' | b'{' => (depth, at) = (depth + 1, at + 1),
            b']' | b'}' | b',' | b':' if depth == 0 => return Err(no_value(at)),
            b']' | b'}' => (depth, at) = (depth - 1, at + 1),
            _ => {
                let ends = |&byte: &u8| {
                    matches!(byte, b'"' | b'[' | b']' | b'{' | b'}')
                        || depth == 0 && (is_space(byte) || byte == b',' || byte == b':')
                };
                let length = bytes[at..].iter().position(ends);
                at = length.map_or(bytes.len(), |length| at + length);
                if depth == 0 && length.is_none() && is_more {
                    return Err(Stop::More);
                }
            }
        }
        if depth == 0 {
            return Ok(at);
        }
    }
}

/// Returns the fault that the library's parser finds in a value, and the byte offset of the fault.
pub(super) fn check(bytes: &[u8], range: Range<usize>) -> Option<Wrong> {
    let value = &bytes[range.clone()];
    let error = serde_json::from_slice::<IgnoredAny>(value).err()?;
    let message = error.to_string();
    let message = message.split(" at line").next().unwrap_or_default();
    if let Some(open) = message.strip_prefix("EOF while parsing ") {
        let end = range.start + value.trim_ascii_end().len();
        return Some((end, Fault::new(FaultKind::CutOffDocument, None).text(open)));
    }
    let lines = value.split_inclusive(|&byte| byte == b'\n').take(error.line() - 1);
    let at = lines.map(<[u8]>::len).sum::<usize>() + error.column();
    Some((range.start + at.saturating_sub(1), fault(message)))
}

/// Makes the fault for broken JSON.
pub(super) fn fault(what: &str) -> Fault {
    Fault::new(FaultKind::BrokenJson, None).text(what)
}

/// Reads the values in a valid part of a text. If they are nested too deeply, the values are incomplete, and the offset
/// where the nesting gets too deep is returned as well.
pub(super) fn nodes(bytes: &[u8], range: Range<usize>) -> (Vec<Node<'_>>, Option<usize>) {
    let mut values = Values { bytes: &bytes[..range.end], at: range.start, depth: 0, too_deep: None };
    (values.all().0, values.too_deep)
}

/// A reader of the values of a text.
struct Values<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    too_deep: Option<usize>,
}

impl<'a> Values<'a> {
    /// Reads values up to the bracket that closes them; returns whether there is such a bracket.
    fn all(&mut self) -> (Vec<Node<'a>>, bool) {
        let (bytes, mut nodes, mut key) = (self.bytes, Vec::new(), None);
        while let Some(&byte) = bytes.get(self.at) {
            let (start, mut is_whole) = (self.at, true);
            self.at += 1;
            let value = match byte {
                b']' | b'}' => return (nodes, true),
                b',' | b':' => continue,
                _ if is_space(byte) => continue,
                b'[' | b'{' if self.depth == DEEPEST => {
                    self.too_deep = Some(start);
                    break;
                }
                b'[' | b'{' => {
                    self.depth += 1;
                    let inner;
                    (inner, is_whole) = self.all();
                    self.depth -= 1;
                    if byte == b'{' { Value::Object(inner) } else { Value::List(inner) }
                }
                b'"' => {
                    let Ok((end, is_escaped)) = string(bytes, start) else { break };
                    self.at = end;
                    if key.is_none() && skip_space(bytes, end).is_ok_and(|colon| bytes[colon] == b':') {
                        let name = start + 1..end - 1;
                        let is_value = may_be_puzzle(&name);
                        key = Some(name);
                        if !is_value {
                            continue;
                        }
                    }
                    let text = &bytes[start + 1..end - 1];
                    Value::Text(start + 1, if is_escaped { plain(text).into() } else { text.into() })
                }
                _ => {
                    // A value at the very end of the text is incomplete.
                    let Ok(end) = end(bytes, start, true) else { break };
                    self.at = end;
                    Value::Bare
                }
            };
            nodes.push(Node { key: key.take(), range: start..self.at, value, is_whole });
        }
        self.at = bytes.len();
        (nodes, false)
    }
}

/// Returns whether a key is at least as long as half a puzzle. Such a key counts as a value that comes before the key's
/// own value.
pub(super) const fn may_be_puzzle(key: &Range<usize>) -> bool {
    key.end - key.start >= HALF
}

/// Replaces each escape in a string with spaces of the same length, because escapes stand for line ends, frames and
/// words.
fn plain(text: &[u8]) -> Vec<u8> {
    let (mut text, mut at) = (text.to_vec(), 0);
    while let Some(length) = memchr(b'\\', &text[at..]) {
        let escape = at + length;
        at = text.len().min(escape + if text.get(escape + 1) == Some(&b'u') { 6 } else { 2 });
        text[escape..at].fill(b' ');
    }
    text
}

/// Decodes the string between two quotes.
pub(super) fn decoded(bytes: &[u8], inside: Range<usize>) -> Cow<'_, [u8]> {
    let raw = &bytes[inside.clone()];
    if memchr(b'\\', raw).is_none() {
        return Cow::Borrowed(raw);
    }
    // Escapes that do not stand for a character are left unchanged.
    match serde_json::from_slice::<String>(&bytes[inside.start - 1..=inside.end]) {
        Ok(text) => Cow::Owned(text.into_bytes()),
        Err(_) => Cow::Borrowed(raw),
    }
}

/// Calls `add` for each member of a record that is an object, with its key and its value as a column shows it.
pub(super) fn members(record: &[u8], mut add: impl FnMut(&str, Option<&[u8]>)) {
    let (nodes, _) = nodes(record, 0..record.len());
    let [Node { value: Value::Object(members), .. }] = &nodes[..] else { return };
    for Node { key, range, value, .. } in members {
        let Some(key) = key else { continue };
        let text = match value {
            Value::Text(start, _) => decoded(record, *start..range.end - 1),
            _ => Cow::Borrowed(&record[range.clone()]),
        };
        let is_null = matches!(value, Value::Bare) && &*text == b"null";
        add(&String::from_utf8_lossy(&decoded(record, key.clone())), Some(&*text).filter(|_| !is_null));
    }
}

/// Returns up to `most` keys that occur in a text, without repetition.
pub(super) fn keys(bytes: &[u8], most: usize) -> Vec<String> {
    let (mut keys, mut at) = (Vec::new(), 0);
    while let Some(quote) = memchr(b'"', &bytes[at..]).filter(|_| keys.len() < most) {
        let Ok((end, _)) = string(bytes, at + quote) else { break };
        let key = String::from_utf8_lossy(&decoded(bytes, at + quote + 1..end - 1)).into_owned();
        let is_key = skip_space(bytes, end).is_ok_and(|colon| bytes[colon] == b':');
        if is_key && !keys.contains(&key) {
            keys.push(key);
        }
        at = end;
    }
    keys
}
