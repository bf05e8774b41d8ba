//! The characters and tokens of a text.

use super::Notation;
use crate::sudoku::digit_of;

/// The field separators, likeliest first. An empty field is a blank.
pub(in crate::input) const SEPARATORS: [u8; 5] = *b",;\t|&";

/// The kind of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A cell with its value, 0 for a blank.
    Cell(u8),
    /// White space.
    Space,
    /// A separator, bracket, quote or frame.
    Mark,
    /// Anything else.
    Other,
}

/// Returns the kind of a character that is a single byte.
pub(super) const fn kind_of(byte: u8) -> Kind {
    /// The kind of every byte.
    const KINDS: [Kind; 256] = {
        let mut kinds = [Kind::Other; 256];
        let mut byte = 0_u8;
        while byte < 128 {
            kinds[byte as usize] = match byte {
                b' ' | b'\t' | b'\r' | b'\n' => Kind::Space,
                b',' | b';' | b'|' | b'!' | b'/' | b':' | b'&' | b'=' | b'"' | b'\'' | b'`' | b'\\'
                | b'#' | b'(' | b')' | b'[' | b']' | b'{' | b'}' => Kind::Mark,
                _ => match digit_of(byte) {
                    Some(value) => Kind::Cell(value),
                    None => Kind::Other,
                },
            };
            byte += 1;
        }
        kinds
    };
    KINDS[byte as usize]
}

/// The text between white space and marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub start: usize,
    pub end: usize,
    /// The number of cells in the token.
    pub cells: usize,
    /// Whether the token consists only of cells.
    pub is_pure: bool,
}

impl Token {
    pub fn of<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.start..self.end]
    }
}

impl Notation {
    /// Returns the kind of the character at `at`, and its length in bytes.
    #[inline]
    pub(super) fn sign(self, text: &[u8], at: usize) -> (Kind, usize) {
        let byte = text[at];
        if !byte.is_ascii() {
            return self.wide_sign(text, at);
        }
        if byte != b' ' && self.blank.is_some_and(|blank| u32::from(blank) == u32::from(byte)) {
            return (Kind::Cell(0), 1);
        }
        // HoDoKu writes a `+` before digits that were placed, which are not givens.
        if byte == b'+' && text.get(at + 1).is_some_and(u8::is_ascii_digit) {
            return (Kind::Cell(0), 2);
        }
        match kind_of(byte) {
            // If a file has its own sign for blanks, it uses none of the usual ones.
            Kind::Cell(0) if self.blank.is_some() => (Kind::Other, 1),
            kind => (kind, 1),
        }
    }

    /// Returns the kind and length of a multi-byte character; an invalid byte counts as one character.
    fn wide_sign(self, text: &[u8], at: usize) -> (Kind, usize) {
        let Some(character) = character(text, at) else { return (Kind::Other, 1) };
        let kind = match character {
            _ if self.blank == Some(character) => Kind::Cell(0),
            '\u{2500}'..='\u{257f}' => Kind::Mark,
            _ if character.is_whitespace() => Kind::Space,
            _ => Kind::Other,
        };
        (kind, character.len_utf8())
    }

    /// Returns the kind and offset of each character.
    pub(super) fn signs(self, text: &[u8]) -> impl Iterator<Item = (Kind, usize)> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let here = at;
            let (kind, length) = (here < text.len()).then(|| self.sign(text, here))?;
            at += length;
            Some((kind, here))
        })
    }

    pub(super) fn tokens(self, text: &[u8]) -> impl Iterator<Item = Token> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let mut token: Option<Token> = None;
            while at < text.len() {
                let (kind, length) = self.sign(text, at);
                if matches!(kind, Kind::Space | Kind::Mark) {
                    if token.is_some() {
                        break;
                    }
                } else {
                    let token = token.get_or_insert(Token { start: at, end: at, cells: 0, is_pure: true });
                    token.end = at + length;
                    token.cells += usize::from(matches!(kind, Kind::Cell(_)));
                    token.is_pure &= kind != Kind::Other;
                }
                at += length;
            }
            token
        })
    }

    /// Returns the value of a token that is a single cell, or a word or number that stands for one.
    pub(super) fn value(self, text: &[u8], token: &Token) -> Option<u8> {
        match self.sign(text, token.start).0 {
            Kind::Cell(value) if token.is_pure && token.cells == 1 => Some(value),
            _ => word(token.of(text)),
        }
    }
}

/// Decodes the character at `at`; `None` if no valid character starts there.
pub(super) fn character(text: &[u8], at: usize) -> Option<char> {
    let longest = &text[at..text.len().min(at + 4)];
    let valid = longest.utf8_chunks().next()?.valid();
    valid.chars().next()
}

/// Returns the value of a word that stands for a cell: a null value, -1, or an integer written with a decimal point
/// (`5.`, `5.0`, `5.000e+00`).
fn word(text: &[u8]) -> Option<u8> {
    if [&b"null"[..], b"none", b"nil", b"nan"].iter().any(|name| text.eq_ignore_ascii_case(name)) {
        return Some(0);
    }
    let (most, number) = text.strip_prefix(b"-").map_or((9, text), |number| (1, number));
    let (digit, behind) = number.split_first()?;
    let value = digit.checked_sub(b'0').filter(|value| *value <= most)?;
    let is_whole = match behind {
        [] => true,
        [b'.', fraction @ ..] => fraction.iter().all(|byte| b"0eE+".contains(byte)),
        _ => false,
    };
    // A minus sign turns 1 into a blank, and leaves 0 a blank.
    is_whole.then_some(if most == 1 { 0 } else { value })
}

/// Returns whether a line is the border of a frame. It must consist of `- + = * _ | ! :`, box-drawing characters and
/// white space. At least one character must be something other than white space, `| ! :` or a vertical line.
///
/// Nine dashes, alone or in three groups of three, are also nine blanks to [`Notation::cells`]. The sign for blanks in
/// the rows around them decides which of the two they are.
pub(in crate::input) fn is_border(line: &[u8]) -> bool {
    let mut lies_across = false;
    for (kind, at) in Notation::default().signs(line) {
        match line[at] {
            b'-' | b'+' | b'=' | b'*' | b'_' => lies_across = true,
            b'|' | b'!' | b':' => {}
            byte if byte.is_ascii() && kind != Kind::Space => return false,
            _ if kind == Kind::Mark => lies_across |= !matches!(character(line, at), Some('│' | '┃' | '║')),
            _ if kind == Kind::Space => {}
            _ => return false,
        }
    }
    lies_across
}

/// Returns whether a line is a comment, which begins with `#` or `//`.
pub(in crate::input) fn is_comment(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    line.starts_with(b"#") || line.starts_with(b"//")
}
