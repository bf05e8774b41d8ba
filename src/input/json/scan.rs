//! JSON taken apart as it is or nearly is: strings, words and brackets at the start of some bytes.
//!
//! Nothing here fails: broken JSON is read as far as it makes sense. A string ends with its line; one that is followed
//! by what can follow no string lacks its closing quote, and ends before the first comma or closing bracket in it. A
//! closing bracket of either kind closes what is open.

use memchr::{memchr, memchr3, memmem};

/// Lists and objects within one that are looked through; what is nested deeper holds records, if anything.
const DEEPEST: u32 = 16;

/// Longest comment that is known as one.
const LONGEST_COMMENT: usize = 4 << 10;

/// What follows the bytes at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// Bytes that are not there yet.
    More,
    /// Bytes that are too far away to be part of the same record.
    Far,
    /// Nothing.
    Last,
}

/// Why something was not looked at to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// It depends on bytes that are not there yet.
    More,
    /// It is no record, which these first bytes show.
    NoRecord(usize),
}

/// Some bytes of JSON.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a> {
    pub bytes: &'a [u8],
    pub edge: Edge,
}

/// A string or a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Behind its last byte.
    pub end: usize,
    /// Whether it is closed.
    pub closed: bool,
}

/// Whether a byte is a blank between values. The bytes of a byte-order mark are such, too: files are put together.
pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | 0xef | 0xbb | 0xbf)
}

/// Whether a byte opens a string; single quotes are those of Python and JavaScript.
pub(super) const fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'')
}

const fn is_structure(byte: u8) -> bool {
    matches!(byte, b'[' | b']' | b'{' | b'}' | b',' | b':')
}

impl<'a> Text<'a> {
    /// What the end of the bytes means for what is not whole.
    pub fn stop(&self) -> Result<(), Stop> {
        match self.edge {
            Edge::More => Err(Stop::More),
            Edge::Far => Err(Stop::NoRecord(self.bytes.len())),
            Edge::Last => Ok(()),
        }
    }

    pub fn get(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// The first byte from `at` on that is no blank and in no comment.
    #[inline]
    pub fn skip_space(&self, at: usize) -> Result<usize, Stop> {
        match self.get(at) {
            Some(byte) if !is_space(byte) && !matches!(byte, b'/' | b'#') => Ok(at),
            _ => self.skip_blanks(at),
        }
    }

    fn skip_blanks(&self, mut at: usize) -> Result<usize, Stop> {
        loop {
            let rest = self.bytes.get(at..).unwrap_or_default();
            at += rest.iter().take_while(|&&byte| is_space(byte)).count();
            match self.comment(at)? {
                0 => return Ok(at),
                length => at += length,
            }
        }
    }

    /// Length of the comment at `at`: `// ...`, `# ...` or `/* ... */`.
    fn comment(&self, at: usize) -> Result<usize, Stop> {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let near = &rest[..rest.len().min(LONGEST_COMMENT)];
        let (end, unclosed) = match near {
            [b'#', ..] | [b'/', b'/', ..] => (memchr(b'\n', near), rest.len()),
            [b'/', b'*', inside @ ..] => (memmem::find(inside, b"*/").map(|end| end + 4), 0),
            [b'/'] => (None, 0),
            _ => return Ok(0),
        };
        match end {
            Some(length) => Ok(length),
            None if near.len() < rest.len() => Ok(0),
            None => self.stop().map(|()| unclosed),
        }
    }

    /// The string whose quote stands at `at`.
    pub fn string(&self, at: usize) -> Result<Extent, Stop> {
        let quote = self.bytes[at];
        let mut from = at + 1;
        let broken = |end: usize| {
            let inside = &self.bytes[at + 1..end];
            let stop = inside.iter().position(|byte| matches!(byte, b',' | b']' | b'}'));
            Ok(Extent { end: stop.map_or(end, |stop| at + 1 + stop), closed: false })
        };
        loop {
            let rest = self.bytes.get(from..).unwrap_or_default();
            let Some(found) = memchr3(quote, b'\\', b'\n', rest).map(|found| from + found) else {
                self.stop()?;
                return broken(self.bytes.len());
            };
            match self.bytes[found] {
                b'\\' => match self.get(found + 1) {
                    Some(b'\n') => return broken(found + 1),
                    _ => from = found + 2,
                },
                b'\n' => return broken(found),
                _ => {
                    let mut next = found + 1;
                    while matches!(self.get(next), Some(b' ' | b'\t' | b'\r')) {
                        next += 1;
                    }
                    return match self.get(next) {
                        Some(byte) if can_follow_string(byte) => Ok(Extent { end: found + 1, closed: true }),
                        Some(_) => broken(found),
                        None if self.edge == Edge::More => Err(Stop::More),
                        None => Ok(Extent { end: found + 1, closed: true }),
                    };
                }
            }
        }
    }

    /// What stands between the quotes of a string.
    pub fn content(&self, at: usize, string: Extent) -> &'a [u8] {
        &self.bytes[at + 1..string.end - usize::from(string.closed)]
    }

    /// The end of the number, the word or whatever else it is that starts at `at`.
    pub fn word(&self, at: usize) -> Result<usize, Stop> {
        let ends = |&byte: &u8| is_space(byte) || is_structure(byte) || is_quote(byte);
        match self.bytes[at..].iter().position(ends) {
            // A byte that nothing begins with stands for itself.
            Some(length) => Ok(at + length.max(1)),
            None => self.stop().map(|()| self.bytes.len()),
        }
    }

    /// The end of the list or the object that opens at `at`, whatever is in it.
    pub fn container(&self, at: usize) -> Result<Extent, Stop> {
        let mut depth = 0;
        let mut next = at;
        loop {
            match self.get(next) {
                Some(b'[' | b'{') => {
                    depth += 1;
                    if depth > DEEPEST {
                        return Err(Stop::NoRecord(next + 1));
                    }
                    next += 1;
                }
                Some(b']' | b'}') => {
                    next += 1;
                    depth -= 1;
                    if depth == 0 {
                        return Ok(Extent { end: next, closed: true });
                    }
                }
                Some(byte) if is_quote(byte) => next = self.string(next)?.end,
                Some(b'/' | b'#') => next = self.skip_space(next)?.max(next + 1),
                Some(_) => next += 1,
                None => return self.stop().map(|()| Extent { end: self.bytes.len(), closed: false }),
            }
        }
    }
}

const fn can_follow_string(byte: u8) -> bool {
    matches!(byte, b'\n' | b'/' | b'#') || is_structure(byte) || is_quote(byte)
}
