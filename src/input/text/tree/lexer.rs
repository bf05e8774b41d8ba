//! The tokens of JSON: where strings and other scalars end. What they are the library's parser says, unless it is plain.

use std::borrow::Cow;

use memchr::memchr2;

use crate::input::MAX_LINE;

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

/// Bytes of the longest string or number that is read.
const LONGEST: usize = 16 * MAX_LINE;

/// The string whose opening quote stands at `start`.
#[inline]
pub(super) fn string(bytes: &[u8], start: usize) -> Result<Quoted, Stop> {
    let bytes = &bytes[..bytes.len().min(start.saturating_add(LONGEST))];
    let mut string = Quoted { start: start + 1, end: start + 1, is_escaped: false };
    let is_closed = loop {
        let rest = bytes.get(string.end..).unwrap_or_default();
        match memchr2(b'"', b'\\', rest) {
            None => {
                string.end = bytes.len();
                break false;
            }
            Some(at) if rest[at] == b'"' => {
                string.end += at;
                break true;
            }
            Some(at) => (string.end, string.is_escaped) = (string.end + at + 2, true),
        }
    };
    if let Some(at) = string.of(bytes).iter().position(|&byte| byte < b' ') {
        let expected = "a string without line ends and other control characters";
        return Err(Stop::Broken { at: string.start + at, expected });
    }
    match () {
        () if !is_closed && bytes.len() - start == LONGEST => {
            Err(Stop::Broken { at: start, expected: "a string of less than 16 MiB" })
        }
        () if !is_closed => Err(Stop::More),
        () if string.is_escaped && !is_scalar(&bytes[start..=string.end]) => {
            Err(Stop::Broken { at: start, expected: "a string with valid escapes" })
        }
        () => Ok(string),
    }
}

/// The end of the number or word that begins at `start`. The end of the bytes ends it if it is the `last`.
pub(super) fn bare(bytes: &[u8], start: usize, last: bool) -> Result<usize, Stop> {
    let goes_on = |byte: &u8| !is_space(*byte) && !b",:[]{}\"".contains(byte);
    let length = bytes[start..].iter().take_while(|byte| goes_on(byte)).count();
    let end = start + length;
    let token = &bytes[start..end];
    if end == bytes.len() && !last && length < LONGEST {
        return Err(Stop::More);
    }
    let is_digit = |token: &[u8]| matches!(token, [b'0'..=b'9']);
    if is_digit(token) || is_scalar(token) {
        return Ok(end);
    }
    Err(Stop::Broken { at: start, expected: "a value" })
}

/// Whether a token is a scalar of JSON, as the library's parser has it.
fn is_scalar(token: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(token).is_ok()
}

/// The values in a list that is known to be valid: where they are, brackets and quotes included.
pub(super) fn elements(list: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 1;
    std::iter::from_fn(move || {
        while list.get(at).is_some_and(|&byte| is_space(byte) || byte == b',') {
            at += 1;
        }
        let start = at;
        at = value_end(list, start)?;
        Some((start, at))
    })
}

/// Where a value ends that is known to be valid; `None` if there is none.
pub(super) fn value_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = start;
    loop {
        match *bytes.get(at)? {
            b'"' => at = string(bytes, at).ok()?.end + 1,
            b'[' | b'{' => (depth, at) = (depth + 1, at + 1),
            b']' | b'}' => (depth, at) = (depth.checked_sub(1)?, at + 1),
            b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' => at += 1,
            _ => at = bare(bytes, at, true).ok()?,
        }
        if depth == 0 {
            return Some(at);
        }
    }
}
