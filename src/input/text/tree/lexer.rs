//! Where the values of JSON end, by quotes and brackets alone; whether they are valid the library's parser says.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr3;

use crate::input::MAX_LINE;

/// Lists and objects of JSON within each other, as many as the library's parser takes; of elements of XML as many, so that
/// what is kept of them stays small.
pub(super) const DEEPEST: usize = 128;

/// Why there is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// It goes on behind the bytes at hand.
    More,
    /// No JSON stands at this byte, where this was expected.
    Broken { at: usize, expected: &'static str },
}

/// A string: where it is without its quotes, and whether there are escapes in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Quoted {
    pub start: usize,
    pub end: usize,
    pub is_escaped: bool,
}

impl Quoted {
    /// What is between the quotes.
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start..self.end]
    }

    /// The text that it stands for.
    pub fn text(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        let written = Some(&bytes[self.start - 1..=self.end]).filter(|_| self.is_escaped);
        // Escapes that stand for no character stay as they are.
        match written.map(serde_json::from_slice::<String>) {
            Some(Ok(text)) => Cow::Owned(text.into_bytes()),
            _ => Cow::Borrowed(self.of(bytes)),
        }
    }
}

/// White space of JSON.
pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Whether a text is one value of JSON and nothing else.
pub(super) fn is_valid(text: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok()
}

/// The string whose opening quote stands at `start`.
#[inline]
pub(super) fn string(bytes: &[u8], start: usize) -> Result<Quoted, Stop> {
    let mut string = Quoted { start: start + 1, end: start + 1, is_escaped: false };
    while let Some(at) = memchr3(b'"', b'\\', b'\n', bytes.get(string.end..).unwrap_or_default()) {
        string.end += at;
        match bytes[string.end] {
            b'"' => return Ok(string),
            b'\\' => (string.end, string.is_escaped) = (string.end + 2, true),
            _ => return Err(Stop::Broken { at: string.end, expected: "a string without line ends" }),
        }
    }
    let is_long = bytes.len() - start > MAX_LINE;
    Err(if is_long {
        Stop::Broken { at: start, expected: "a string of less than 1 MiB" }
    } else {
        Stop::More
    })
}

/// Where the value ends that begins at `start`, in which no more than `room` values may be within each other. A number or
/// a word may end with the bytes.
#[inline]
pub(super) fn value_end(bytes: &[u8], start: usize, room: usize) -> Result<usize, Stop> {
    // Of each open value whether it is an object, the innermost in the last bit.
    let (mut objects, mut depth, mut at) = (0_u128, 0, start);
    loop {
        let byte = *bytes.get(at).ok_or(Stop::More)?;
        match byte {
            b'"' => at = string(bytes, at)?.end + 1,
            b'[' | b'{' if depth == room => {
                return Err(Stop::Broken { at, expected: "no more lists and objects within each other" });
            }
            b'[' | b'{' => {
                (objects, depth, at) = (objects << 1 | u128::from(byte == b'{'), depth + 1, at + 1);
            }
            b']' | b'}' if depth > 0 && (objects & 1 == 1) == (byte == b'}') => {
                (objects, depth, at) = (objects >> 1, depth - 1, at + 1);
            }
            b']' | b'}' => return Err(Stop::Broken { at, expected: "a value" }),
            b',' | b':' if depth == 0 => return Err(Stop::Broken { at, expected: "a value" }),
            _ => {
                let ends = |&byte: &u8| {
                    matches!(byte, b'"' | b'[' | b']' | b'{' | b'}')
                        || depth == 0 && (is_space(byte) || byte == b',' || byte == b':')
                };
                at = bytes[at..].iter().position(ends).map_or(bytes.len(), |length| at + length);
            }
        }
        if depth == 0 {
            return Ok(at);
        }
    }
}

/// An element of a list, or a member of an object with its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub key: Option<Quoted>,
    /// The value, brackets and quotes included.
    pub value: Range<usize>,
}

/// Where the next byte stands that is no white space.
pub(super) fn skip_space(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().position(|&byte| !is_space(byte)).map_or(bytes.len(), |length| at + length)
}

/// What is in the list or object, known to be valid, that begins at `start`.
pub(super) fn elements(bytes: &[u8], start: usize) -> impl Iterator<Item = Element> {
    let is_object = bytes.get(start) == Some(&b'{');
    let mut at = start + 1;
    std::iter::from_fn(move || {
        while bytes.get(at).is_some_and(|&byte| is_space(byte) || byte == b',') {
            at += 1;
        }
        if is_object && bytes.get(at) != Some(&b'"') {
            return None;
        }
        let key = if is_object { Some(string(bytes, at).ok()?) } else { None };
        if let Some(key) = key {
            // Behind the quote and the colon.
            at = skip_space(bytes, skip_space(bytes, key.end + 1) + 1);
        }
        let start = at;
        at = value_end(bytes, start, DEEPEST).ok()?;
        Some(Element { key, value: start..at })
    })
}
